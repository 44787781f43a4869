#include "study/registration.h"

#include <algorithm>
#include <map>

#include <obverse/error.h>

#include "support/json.h"
#include "support/text.h"

namespace obverse {
namespace {

/// One picture of each class; none for other data.
std::vector<std::vector<std::uint8_t>> examples_of(const Dataset& data) {
  const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&data.storage());
  std::vector<std::vector<std::uint8_t>> examples;
  if (bytes == nullptr || !data.image_shape()) return examples;
  for (std::size_t c = 0; c < data.classes(); ++c) {
    for (std::size_t row = 0; row < data.rows(); ++row) {
      if (static_cast<std::size_t>(data.label(row)) != c) continue;
      const auto pixels = bytes->row(data.storage_rows()[row]);
      examples.emplace_back(pixels.begin(), pixels.end());
      break;
    }
  }
  return examples;
}

SetRecord record_of(const StudySet& set) {
  const TrainTest rows = rows_of_run(set, 0);
  SetFinding finding{.name = set.plan.name,
                     .title = set.plan.title,
                     .training_rows = rows.train.rows(),
                     .test_rows = rows.test.rows(),
                     .features = set.data.features(),
                     .classes = set.data.classes(),
                     .task = set.data.task(),
                     .outputs = std::max<std::size_t>(1, set.data.output_names().size()),
                     .same_test_rows = set.test || !splits_differ(set.data),
                     .image_shape = set.data.image_shape(),
                     .feature_names = set.data.feature_names().list(),
                     .class_names = set.data.class_names(),
                     .examples = examples_of(rows.test)};
  const std::vector<std::size_t> constant = constant_features(rows.train);
  return {
      std::move(finding), set.fingerprint, {constant.begin(), constant.end()}, set.test ? 0 : set.plan.test_fraction};
}

/// The units of a set are made by the size that the store says, and run on its rows.
void require_same_size(const Store& store, const SetFinding& held, const StudySet& set) {
  const TrainTest rows = rows_of_run(set, 0);
  const auto require = [&](std::string_view what, std::size_t found, std::size_t expected) {
    if (found == expected) return;
    throw store.damaged("sets", cat("row name '", printable(held.name), "'"),
                        cat("summary: ", what, ": expected ", expected, ", as its data have, found ", found));
  };
  require("features", held.features, set.data.features());
  require("class_names", held.classes, set.data.classes());
  require("training_rows", held.training_rows, rows.train.rows());
  require("test_rows", held.test_rows, rows.test.rows());
}

}  // namespace

void register_plan(Store& store, const StoredPlan& asked, bool update) {
  const std::optional<StoredPlan> held = store.plan();
  if (held && !update && store.has_units()) {
    if (held->version != asked.version) {
      throw Error(Fault::usage, cat(store.path(), ": made by obverse ", held->version, ", and this is ", asked.version,
                                    ", whose results may differ; use another --store, or give --update to make "
                                    "everything anew in this one"));
    }
    if (const std::string difference = first_difference(plan_json(held->plan()), plan_json(asked.plan()));
        !difference.empty()) {
      throw Error(Fault::usage, cat(store.path(), ": holds another plan (", printable(difference),
                                    "); use another --store, or give --update to keep what still applies and make "
                                    "the rest anew"));
    }
  }
  store.set_plan(asked);
}

void register_sets(Store& store, const std::vector<SetAtHand>& sets, const StudyData& data, bool update) {
  std::map<std::string, SetRecord> known;
  for (SetRecord& set : store.sets()) known.emplace(set.set.name, std::move(set));
  const bool bound = !update && store.has_units();
  for (const SetAtHand& at_hand : sets) {
    const std::string before = known[at_hand.name].fingerprint;
    if (!at_hand.form) {
      const SetFinding missing{.name = at_hand.name, .title = at_hand.title, .missing = at_hand.missing};
      if (before.empty()) store.set_set({.set = missing});
      continue;
    }
    const StudySet& set = *data.at(at_hand.name);
    if (bound && !before.empty() && before != set.fingerprint) {
      throw Error(Fault::input,
                  cat(at_hand.form->data, ": the data of set '", at_hand.name,
                      "' have changed since the store was made (fingerprint ", before, " then, ", set.fingerprint,
                      " now); bring the old file back, use another --store, or give "
                      "--update to make this set anew"));
    }
    if (before != set.fingerprint) {
      store.set_set(record_of(set));
    } else {
      require_same_size(store, known[at_hand.name].set, set);
    }
  }
}

}  // namespace obverse
