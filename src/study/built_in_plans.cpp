// The plans that come with the program, as a user would write them.
#include <array>

#include <obverse/error.h>

#include "study/plan.h"

namespace obverse {
namespace {

// Sizes are those of the paper's table of data sets. gisette may come as one file, or as the training and validation
// rows of its challenge.
constexpr std::string_view kSets = R"toml(
[[set]]
name = "mnist"
title = "MNIST"
data = "mnist/train-images-idx3-ubyte.gz"
labels = "mnist/train-labels-idx1-ubyte.gz"
test = "mnist/t10k-images-idx3-ubyte.gz"
test_labels = "mnist/t10k-labels-idx1-ubyte.gz"
training_rows = 60000
test_rows = 10000
features = 784
classes = 10

[[set]]
name = "fashion-mnist"
title = "Fashion-MNIST"
data = "fashion-mnist/train-images-idx3-ubyte.gz"
labels = "fashion-mnist/train-labels-idx1-ubyte.gz"
test = "fashion-mnist/t10k-images-idx3-ubyte.gz"
test_labels = "fashion-mnist/t10k-labels-idx1-ubyte.gz"
training_rows = 60000
test_rows = 10000
features = 784
classes = 10

[[set]]
name = "isolet"
title = "Isolet"
data = "isolet.mat"
target = "Y"
training_rows = 1248
test_rows = 312
features = 617
classes = 26

[[set]]
name = "pcmac"
title = "PCMAC"
data = "pcmac.mat"
target = "Y"
training_rows = 1555
test_rows = 388
features = 3289
classes = 2

[[set]]
name = "madelon"
data = "madelon.mat"
target = "Y"
training_rows = 2080
test_rows = 520
features = 500
classes = 2

[[set]]
name = "gisette"
data = "gisette.mat"
target = "Y"
training_rows = 5600
test_rows = 1400
features = 5000
classes = 2

[[set]]
name = "gisette"
data = "gisette/gisette_train.data"
labels = "gisette/gisette_train.labels"
more = "gisette/gisette_valid.data"
more_labels = "gisette/gisette_valid.labels"
training_rows = 5600
test_rows = 1400
features = 5000
classes = 2
)toml";

constexpr std::string_view kPaper = R"toml(
title = "A mask against the mask with its complement: the paper's experiments"
runs = 5
rho = [0.01, 0.015, 0.02, 0.025, 0.05, 0.075, 0.1]
classifiers = ["rf", "ert", "knn"]

[[method]]
name = "cfm"
title = "CFM, paper recipe"
method = "cfm"
recipe = "paper"
gamma = [0.001, 0.01, 0.1, 1, 10, 100]

[[method]]
name = "fm"
title = "FM, paper recipe"
method = "fm"
recipe = "paper"

[[method]]
name = "cfm-unscaled"
title = "CFM, no mask scale"
method = "cfm"
recipe = "paper"
mask_scale_power = 0
gamma = [0.001, 0.01, 0.1, 1, 10, 100]

[[method]]
name = "fm-unscaled"
title = "FM, no mask scale"
method = "fm"
recipe = "paper"
mask_scale_power = 0

[[method]]
name = "cfm-default"
title = "CFM, default recipe"
method = "cfm"
recipe = "default"
gamma = [0.001, 0.01, 0.1, 1, 10, 100]

[[method]]
name = "fm-default"
title = "FM, default recipe"
method = "fm"
recipe = "default"

# The paper's counter-example: a complement of (1-m)/N.
[[method]]
name = "cfm-remainder"
title = "CFM with the complement (1-m)/N"
method = "cfm"
recipe = "paper"
complement = "remainder"
gamma = 1
sets = ["mnist"]
runs = 1

[[comparison]]
title = "Paper recipe: mask times the square root of D"
first = "cfm"
second = "fm"

[[comparison]]
title = "The same without a mask scale"
first = "cfm-unscaled"
second = "fm-unscaled"

[[comparison]]
title = "Default recipe"
first = "cfm-default"
second = "fm-default"
)toml";

// What a user gets: each run picks its own model, as `obverse select` does.
constexpr std::string_view kMethodsPlan = R"toml(
title = "Which method selects best: Obverse, the plain mask and every baseline"
runs = 5
rho = [0.01, 0.015, 0.02, 0.025, 0.05, 0.075, 0.1]
classifiers = ["rf", "ert", "knn"]

[[method]]
name = "cfm-thorough"
title = "CFM, --effort thorough"
effort = "thorough"
pick = "model"

[[method]]
name = "cfm"
title = "CFM"
pick = "model"

[[method]]
name = "fm"
title = "FM"
method = "fm"
pick = "model"
)toml";

/// One method for each baseline, called by its name.
std::string baseline_methods() {
  std::string text;
  for (const std::string_view method : kMethods) {
    if (trains_networks(method)) continue;
    text += cat("\n[[method]]\nname = \"", method, "\"\nmethod = \"", method, "\"\npick = \"model\"\n");
  }
  return text;
}

}  // namespace

std::span<const BuiltInPlan> built_in_plans() {
  static const std::array<BuiltInPlan, 2> kPlans{{
      {"paper", "FM against CFM on the six sets of the paper: 126 cells, under three recipes", cat(kPaper, kSets)},
      {"methods", "every method of the program on the same sets, each run choosing its own model",
       cat(kMethodsPlan, baseline_methods(), kSets)},
  }};
  return kPlans;
}

}  // namespace obverse
