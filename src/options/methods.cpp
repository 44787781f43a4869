#include "options/methods.h"

#include <deque>

#include "baselines/baselines.h"
#include "mask/families.h"
#include "support/names.h"

namespace obverse {

std::span<const std::string_view> method_names() {
  static const auto kNames = [] {
    std::vector<std::string_view> names{kPool, kComplementaryMask};
    for (const auto& some : {names_of(mask_families()), names_of(baselines())}) {
      names.insert(names.end(), some.begin(), some.end());
    }
    return names;
  }();
  return kNames;
}

bool trains_networks(std::string_view method) { return find_baseline(method) == nullptr; }

std::span<const std::string_view> compared_methods() {
  struct Names {
    std::deque<std::string> made;  // stay where they are
    std::vector<std::string_view> all;
    Names() {
      for (const std::string_view method : method_names()) {
        all.push_back(method);
        if (!trains_networks(method) || method == kPool || method == "cfm" || method == "fm") continue;
        made.push_back(std::string(method) + std::string(kWithComplement));
        all.push_back(made.back());
      }
    }
  };
  static const Names kNames;
  return kNames.all;
}

MethodKind kind_of(std::string_view method) {
  if (method == kPool) return MethodKind::pool;
  if (!trains_networks(method)) return MethodKind::ranker;
  return without_complement(method).empty() ? MethodKind::mask : MethodKind::mask_with_complement;
}

std::string without_complement(std::string_view method) {
  if (method == "cfm") return "fm";
  if (!method.ends_with(kWithComplement)) return {};
  return std::string(method.substr(0, method.size() - kWithComplement.size()));
}

SelectOptions selection_of(std::string_view method, SelectOptions base) {
  const std::string family = without_complement(method);
  base.method = family.empty() || method == "cfm" ? std::string(method) : family;
  base.complement = family.empty() ? Complement::off : Complement::on;
  if (method == kPool) base.complement = Complement::automatic;
  base.k = 0;
  base.rho = 0;
  return base;
}

}  // namespace obverse
