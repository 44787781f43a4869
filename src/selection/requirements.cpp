#include "selection/requirements.h"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include <obverse/error.h>

#include "backend/device.h"
#include "baselines/baselines.h"
#include "dataset/tasks.h"
#include "loss/losses.h"
#include "mask/families.h"
#include "options/settings.h"
#include "selection/plan.h"
#include "support/text.h"

namespace obverse {
namespace {

/// Values, gradients and the two means of Adam for every number that is trained by feature.
std::uint64_t network_bytes(std::uint64_t features, const SelectOptions& options, const TrainOptions& train) {
  const bool attention = !options.mask && family_of(options.method).make == nullptr;
  const auto mask = attention ? 2 * static_cast<std::uint64_t>(train.mask_hidden) : 1;
  return features * 4 * sizeof(float) * (mask + static_cast<std::uint64_t>(train.width1));
}

std::uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

/// The complement's loss has to have a bound and to fit what the outputs are.
void require_loss(const SelectOptions& options) {
  if (options.task == Task::classification || options.loss) return;
  const ComplementLoss& loss = complement_loss_named(options.complement_loss);
  if (loss.goes_with(options.task)) return;
  std::vector<std::string_view> others;
  for (const ComplementLoss& other : complement_losses()) {
    if (other.goes_with(options.task)) others.push_back(other.name);
  }
  throw Error(Fault::usage, cat("complement_loss ", loss.name, " does not go with task ", record_of(options.task).name,
                                ": ", loss.limits, "; expected ", join(others, " or ")));
}

}  // namespace

std::uint64_t least_memory(const Dataset& data, const SelectOptions& options) {
  constexpr std::uint64_t kForFeature = 2 * sizeof(double) + sizeof(std::size_t) + sizeof(std::string);
  const std::uint64_t features = data.columns();
  std::uint64_t network = trains_networks(options.method) ? std::numeric_limits<std::uint64_t>::max() : 0;
  if (network > 0) {
    for (const Recipe& recipe : options.recipes) {
      network = std::min(network, network_bytes(features, options, recipe.train));
    }
  }
  return network + features * kForFeature;
}

void require_memory(const Dataset& data, const SelectOptions& options) {
  const std::uint64_t needed = least_memory(data, options);
  const bool bounded = options.max_memory > 0;
  const std::uint64_t bound = bounded ? options.max_memory : physical_memory();
  if (needed <= bound) return;
  throw Error(Fault::usage,
              cat("selecting from ", with_commas(data.features()), " features by ", options.method, " takes at least ",
                  byte_text(needed), " of memory, and ",
                  bounded ? cat("max_memory allows ", byte_text(bound)) : cat("this machine has ", byte_text(bound)),
                  "; leave out columns that are rarely used",
                  trains_networks(options.method) ? ", or take a method without a network, such as anova" : ""));
}

void require_task(const SelectOptions& options) {
  if (options.class_weights == ClassWeights::balanced && options.task != Task::classification) {
    throw Error(Fault::usage, cat("class_weights balanced needs one class for each row, and the task is ",
                                  record_of(options.task).name, "; leave it out, or give rows weights of your own"));
  }
  if (const Baseline* baseline = find_baseline(options.method)) return require_task(*baseline, options.task);
  if (is_pool(options) && options.choice == Choice::network) {
    throw Error(
        Fault::usage,
        "choice network asks the networks of masks, and the rankers of method auto have none; expected knn, ert or "
        "validation, or method cfm");
  }
  if (has_complement(options)) require_loss(options);
  if (options.choice == Choice::ert && options.task == Task::reconstruction) {
    throw Error(Fault::usage,
                "choice ert would need a forest for each feature of a reconstruction; expected knn, "
                "network or validation");
  }
}

void require_device(const SelectOptions& options) {
  const Device& device = device_named(options.device);
  if (!trains_networks(options.method)) return;
  for (const Recipe& recipe : options.recipes) device.require_precision(device.precision(recipe.train.precision));
}

void require_control(const SelectOptions& options) {
  if (!asked_pfer(options)) return;
  const auto refuse = [&](std::string_view why) {
    throw Error(Fault::usage, cat("control ", options.control, " ", why));
  };
  if (options.resample == Resample::off) {
    refuse("selects from halves of the rows: expected resample on, found off; leave one of them out");
  }
  if (options.k > 0 || options.rho > 0) {
    refuse("decides by itself how many features are selected, perhaps none; leave out k and rho");
  }
  const Baseline* baseline = find_baseline(options.method);
  if (baseline != nullptr && baseline->needs == Baseline::Needs::nothing) {
    refuse(cat("tells features from noise by the target, which method ", options.method,
               " does not look at; take another method, such as cfm or anova"));
  }
  if (options.task == Task::reconstruction) {
    refuse("counts features that say nothing about the target, and task reconstruction has none; leave it out");
  }
}

void require_usable(const Dataset& data, const SelectOptions& options) {
  check_options(options);
  require_control(options);
  require_device(options);
  require_memory(data, options);
}

}  // namespace obverse
