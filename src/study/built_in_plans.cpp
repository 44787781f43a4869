// The plans that come with the program, as a user would write them.
#include <array>
#include <utility>

#include <obverse/error.h>

#include "baselines/baselines.h"
#include "mask/families.h"
#include "study/plan.h"

namespace obverse {
namespace {

/// The two sets of pictures, with what follows about their rows.
std::string pictures(std::string_view rows) {
  std::string text;
  for (const auto& [name, title] : {std::pair("mnist", "MNIST"), std::pair("fashion-mnist", "Fashion-MNIST")}) {
    text += cat("\n[[set]]\nname = \"", name, "\"\ntitle = \"", title, "\"\n");
    for (const auto& [key, file] :
         {std::pair("data", "train-images-idx3-ubyte.gz"), std::pair("labels", "train-labels-idx1-ubyte.gz"),
          std::pair("test", "t10k-images-idx3-ubyte.gz"), std::pair("test_labels", "t10k-labels-idx1-ubyte.gz")}) {
      text += cat(key, " = \"", name, "/", file, "\"\n");
    }
    text += cat("features = 784\nclasses = 10\n", rows);
  }
  return text;
}

constexpr std::string_view kAllRows = "training_rows = 60000\ntest_rows = 10000\n";
constexpr std::string_view kTenThousandRows = "most_rows = 10000\n";

// Sizes are those of the paper's table of data sets. gisette may come as one file, or as the training and validation
// rows of its challenge.
constexpr std::string_view kTables = R"toml(
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
# Of every method: gammas are judged on the validation rows alone.
choice = "validation"

[[method]]
name = "cfm"
title = "CFM"
method = "cfm"
recipe = "paper"
gamma = [0.001, 0.01, 0.1, 1, 10, 100]

[[method]]
name = "fm"
title = "FM"
method = "fm"
recipe = "paper"

[[method]]
name = "cfm-unscaled"
title = "CFM unscaled"
method = "cfm"
recipe = "paper"
mask_scale_power = 0
gamma = [0.001, 0.01, 0.1, 1, 10, 100]

[[method]]
name = "fm-unscaled"
title = "FM unscaled"
method = "fm"
recipe = "paper"
mask_scale_power = 0

[[method]]
name = "cfm-default"
title = "CFM default"
method = "cfm"
recipe = "default"
gamma = [0.001, 0.01, 0.1, 1, 10, 100]

[[method]]
name = "fm-default"
title = "FM default"
method = "fm"
recipe = "default"

# The paper's counter-example: a complement of (1-m)/N.
[[method]]
name = "cfm-remainder"
title = "CFM with (1-m)/N"
method = "cfm"
recipe = "paper"
complement = "remainder"
gamma = 1
sets = ["mnist"]
runs = 1

[[comparison]]
title = "Paper recipe (mask times √D)"
first = "cfm"
second = "fm"

[[comparison]]
title = "Without a mask scale"
first = "cfm-unscaled"
second = "fm-unscaled"

[[comparison]]
title = "Default recipe"
first = "cfm-default"
second = "fm-default"
)toml";

// What a user gets: each run picks its own model, as `obverse select` does. A thorough sweep of 105 models on all the
// pictures would take hours: ten thousand of them have to do.
constexpr std::string_view kMethodsPlan = R"toml(
title = "Which method selects best: Obverse, the plain mask and every baseline"
runs = 5
rho = [0.01, 0.015, 0.02, 0.025, 0.05, 0.075, 0.1]
classifiers = ["rf", "ert", "knn"]

[[method]]
name = "cfm-thorough"
title = "CFM thorough"
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

[[comparison]]
first = "cfm-thorough"
second = "rf"

[[comparison]]
first = "cfm"
second = "fm"
)toml";

// The claim behind the method: a complement serves any mask. The protocol is that of the paper.
constexpr std::string_view kFrameworkPlan = R"toml(
title = "A complement for any mask: every family with and without it"
runs = 5
rho = [0.01, 0.015, 0.02, 0.025, 0.05, 0.075, 0.1]
classifiers = ["rf", "ert", "knn"]
choice = "validation"
)toml";

/// Every family of masks twice, and what its complement brings.
std::string family_methods() {
  std::string methods;
  std::string comparisons;
  for (const FamilyDescription& family : mask_families()) {
    methods +=
        cat("\n[[method]]\nname = \"c-", family.name, "\"\ntitle = \"", family.name,
            " with its complement\"\nmethod = \"", family.name, "\"\ncomplement = \"on\"\ngamma = [0.1, 1, 10]\n");
    methods += cat("\n[[method]]\nname = \"", family.name, "\"\nmethod = \"", family.name, "\"\n");
    comparisons += cat("\n[[comparison]]\nfirst = \"c-", family.name, "\"\nsecond = \"", family.name, "\"\n");
  }
  return methods + comparisons;
}

/// One method for each baseline, called by its name.
std::string baseline_methods() {
  std::string text;
  for (const Baseline& baseline : baselines()) {
    const std::string_view method = baseline.name;
    text += cat("\n[[method]]\nname = \"", method, "\"\nmethod = \"", method, "\"\npick = \"model\"\n");
  }
  return text;
}

}  // namespace

std::span<const BuiltInPlan> built_in_plans() {
  static const std::array<BuiltInPlan, 3> kPlans{{
      {"paper", "FM against CFM on the six sets of the paper: 126 cells, under three recipes",
       cat(kPaper.substr(1), pictures(kAllRows), kTables)},
      {"methods",
       "every method of the program on the same sets, pictures cut to 10,000 rows, each run choosing its own model",
       cat(kMethodsPlan.substr(1), baseline_methods(), pictures(kTenThousandRows), kTables)},
      {"framework", "every family of masks with and without its complement, pictures cut to 10,000 rows",
       cat(kFrameworkPlan.substr(1), family_methods(), pictures(kTenThousandRows), kTables)},
  }};
  return kPlans;
}

}  // namespace obverse
