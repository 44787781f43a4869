#include "options/json.h"

#include "options/methods.h"
#include "options/settings.h"
#include "options/value.h"

namespace obverse {
namespace {

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

template <class T>
nlohmann::ordered_json json_of(const T& value, const Bounds& bounds) {
  if constexpr (std::is_enum_v<T>) {
    return written(value, bounds);
  } else if constexpr (kIsList<T>) {
    if (value.empty() && !bounds.empty_word.empty()) return written(value, bounds);
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const auto& item : value) out.push_back(json_of(item, {}));
    return out;
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (value == T{} && !bounds.zero_word.empty()) return written(value, bounds);
    return value;
  } else {
    return value;
  }
}

/// A field for the describe functions that fills `out` with what the method looks at.
auto into(nlohmann::ordered_json& out, std::string_view method = kComplementaryMask) {
  return [&out, method](std::string_view name, const auto& value, const Bounds& bounds, std::string_view) {
    if (takes(method, name)) out[std::string(name)] = json_of(value, bounds);
  };
}

}  // namespace

nlohmann::ordered_json options_json(const TrainOptions& options) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  describe_train(options, into(out));
  return out;
}

nlohmann::ordered_json options_json(const SelectOptions& options) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  describe_select(options, into(out, options.method));
  // What nobody asked for changes nothing else, so that results without it are of the same options.
  if (!options.keep_curve) out.erase("keep_curve");
  if (options.mask_epochs.empty()) out.erase("mask_epochs");
  if (options.keep.empty()) out.erase("keep");
  if (options.time_limit == 0) out.erase("time_limit");
  if (options.resample == Resample::off) {
    for (const std::string_view name : answer_setting_names()) {
      if (name != "time_limit") out.erase(std::string(name));
    }
  }
  if (!takes(options.method, "recipe")) return out;
  out["recipes"] = nlohmann::ordered_json::array();
  for (const Recipe& recipe : options.recipes) {
    nlohmann::ordered_json one{{"name", recipe.name}};
    one.update(options_json(recipe.train));
    out["recipes"].push_back(std::move(one));
  }
  return out;
}

nlohmann::ordered_json options_json(const EvaluateOptions& options) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  describe_evaluate(options, into(out));
  out["seed"] = options.select.seed;
  out["threads"] = options.select.threads;
  out["device"] = options.select.device;
  return out;
}

nlohmann::ordered_json options_json(const CompareOptions& options) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  describe_compare(options, into(out));
  out["seed"] = options.select.seed;
  out["threads"] = options.select.threads;
  out["device"] = options.select.device;
  return out;
}

}  // namespace obverse
