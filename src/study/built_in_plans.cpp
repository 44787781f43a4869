// The plans that come with the program, as a user would write them.
#include <array>
#include <utility>

#include <obverse/error.h>

#include "baselines/baselines.h"
#include "mask/families.h"
#include "study/plan.h"
#include "study/plans/texts.h"

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
  static const std::array<BuiltInPlan, 4> kPlans{{
      {"paper", "FM against CFM on the six sets of the paper: 126 cells, under three recipes",
       cat(kPaperPlan, pictures(kAllRows), kTableSets)},
      {"methods",
       "every method of the program on the same sets, pictures cut to 10,000 rows, each run choosing its own model",
       cat(kMethodsPlan, baseline_methods(), pictures(kTenThousandRows), kTableSets)},
      {"framework", "every family of masks with and without its complement, pictures cut to 10,000 rows",
       cat(kFrameworkPlan, family_methods(), pictures(kTenThousandRows), kTableSets)},
      {"arena", "the defaults, normal and thorough, against every baseline on wide and short data too: 10 runs",
       cat(kArenaPlan, baseline_methods(), pictures(kTenThousandRows), kTableSets)},
  }};
  return kPlans;
}

}  // namespace obverse
