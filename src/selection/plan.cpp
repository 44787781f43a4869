// What a sweep consists of, and what of it cannot work.
#include "selection/plan.h"

#include <algorithm>
#include <cmath>

#include <obverse/error.h>

#include "loss/losses.h"
#include "mask/families.h"
#include "options/methods.h"
#include "readers/columns.h"
#include "support/team.h"
#include "support/text.h"

namespace obverse {
namespace {

// Of the epochs that masks are trained for where nothing competes with them: what longer trainings find, rankers and
// exchanges find as well.
constexpr double kPoolEpochs = 0.2;

/// (1 - m)/D is a complement of masks that add up to one.
void require_remainder(const SelectOptions& options) {
  if (options.complement != Complement::remainder) return;
  if (!options.mask && family_of(options.method).by_softmax) return;
  std::vector<std::string_view> able{"cfm"};
  for (const FamilyDescription& family : mask_families()) {
    if (family.by_softmax) able.push_back(family.name);
  }
  throw Error(Fault::usage,
              cat("complement remainder is (1 - m)/D of a mask that adds up to one: expected method ",
                  join(able, " or "), ", found ", options.method, "; it has a complement of its own: on"));
}

/// A mask can be kept of epochs that some recipe trains; those that early stopping leaves out are nobody's fault.
void require_epochs(const SelectOptions& options) {
  int trained = 0;
  for (const Recipe& recipe : options.recipes) trained = std::max(trained, recipe.train.epochs);
  for (const int epoch : options.mask_epochs) {
    if (epoch <= trained) continue;
    throw Error(Fault::usage, cat("mask_epochs: expected epochs of a training of ", trained, ", found ", epoch,
                                  "; leave it out, or set epochs"));
  }
}

std::size_t share_of_features(double share, std::size_t features) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share * static_cast<double>(features))));
}

std::vector<ModelSpec> models(const SelectOptions& options, std::size_t k, std::span<const std::size_t> kept) {
  std::vector<ModelSpec> sweep;
  const KeepSpec memory{options.keep_curve, options.mask_epochs};
  const ComplementLoss& loss = complement_loss_named(options.complement_loss);
  const bool mean = loss.expected && options.task != Task::classification;
  const MaskSpec mask{.method = options.method,
                      .remainder = options.complement == Complement::remainder,
                      .own = options.mask,
                      .kept = {kept.begin(), kept.end()},
                      .selected = std::max<std::size_t>(1, k - std::min(k, kept.size())),
                      .loss = options.loss || mean ? options.loss : loss.make(),
                      .mean_target = mean};
  for (const Recipe& recipe : options.recipes) {
    for (int s = 0; s < options.seeds; ++s) {
      const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(s);
      for (const double gamma : options.gamma) {
        sweep.push_back({recipe.train, seed, gamma, mask, recipe.name, memory});
      }
    }
  }
  return sweep;
}

}  // namespace

void require_size(std::size_t k, std::size_t features, std::span<const std::string> kept) {
  if (k == 0) throw Error(Fault::usage, "k must be at least 1, found 0");
  if (k > features) throw Error(Fault::usage, cat("k is ", k, ", but the data has only ", features, " features"));
  if (k >= kept.size()) return;
  throw Error(Fault::usage, cat("k is ", k, ", but keep names ", kept.size(),
                                " features, which k counts: ", short_list(std::vector(kept.begin(), kept.end())),
                                "; give a k of at least ", kept.size(), ", or keep fewer"));
}

std::size_t asked_size(const SelectOptions& options, std::size_t features) {
  if (options.k > 0 && options.rho > 0) throw Error(Fault::usage, "give k or rho, not both");
  if (options.k > 0) return static_cast<std::size_t>(options.k);
  return options.rho > 0 ? share_of_features(options.rho, features) : 0;
}

Deadline deadline_of(const SelectOptions& options) {
  return options.time_limit > 0 ? Deadline::after(Clock::now(), options.time_limit) : Deadline();
}

std::optional<double> asked_pfer(const SelectOptions& options) {
  constexpr std::string_view kPfer = "pfer=";
  if (options.control == "none") return std::nullopt;
  const std::string_view text = options.control;
  const auto pfer = text.starts_with(kPfer) ? number_in<double>(text.substr(kPfer.size())) : std::nullopt;
  if (pfer && *pfer > 0 && std::isfinite(*pfer)) return pfer;
  throw Error(Fault::usage, cat("control: expected none, or pfer=X with the number of false features you accept, above "
                                "0, such as pfer=1; found '",
                                printable(text), "'"));
}

bool is_pool(const SelectOptions& options) { return options.method == kPool && !options.mask; }

std::size_t default_size(std::size_t features, std::size_t kept) {
  return std::max(kept, share_of_features(0.1, features));
}

SelectOptions completed(SelectOptions options) {
  if (options.threads == 0) options.threads = static_cast<int>(available_threads());
  if (!trains_networks(options.method)) return options;
  if (!has_complement(options)) options.gamma = {0.0};
  if (options.gamma.empty()) {
    const auto gammas = is_pool(options) ? pool_gammas() : gamma_grid();
    options.gamma.assign(gammas.begin(), gammas.end());
  }
  if (options.recipes.empty()) throw Error(Fault::usage, "a sweep needs at least one recipe, found none");
  require_remainder(options);
  return options;
}

int half_of(int epochs) { return std::max(1, epochs / 2); }

std::size_t models_of(const SelectOptions& options) {
  return options.recipes.size() * static_cast<std::size_t>(options.seeds) * options.gamma.size();
}

bool needs_validation(const SelectOptions& options) {
  const bool by_all_rows = is_pool(options) && (options.choice == Choice::knn || options.choice == Choice::ert);
  return (models_of(options) > 1 && !by_all_rows) ||
         std::any_of(options.recipes.begin(), options.recipes.end(),
                     [](const Recipe& recipe) { return recipe.train.patience > 0; });
}

std::vector<ModelSpec> plan(SelectOptions& options, std::size_t k, std::span<const std::size_t> kept, std::size_t rows,
                            const Device& device) {
  std::vector<ModelSpec> sweep = models(options, k, kept);
  const auto filled = [&](TrainOptions train) {
    const bool shorter = is_pool(options) && train.epochs == 0;
    train = fill_automatic(train, rows, sweep.front().mask, device);
    if (shorter) train.epochs = std::max(1, static_cast<int>(std::lround(kPoolEpochs * train.epochs)));
    return train;
  };
  for (Recipe& recipe : options.recipes) recipe.train = filled(recipe.train);
  for (ModelSpec& spec : sweep) {
    spec.train = filled(spec.train);
    if (is_pool(options)) spec.keep.epochs.push_back(half_of(spec.train.epochs));
  }
  require_epochs(options);
  return sweep;
}

}  // namespace obverse
