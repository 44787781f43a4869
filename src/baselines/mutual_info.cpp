// What each feature alone tells about the class: the mutual information of its bins and the labels; of
// features that may have several columns what is expected by chance is taken off.
#include "baselines/baselines.h"
#include "baselines/bins.h"
#include "baselines/features.h"
#include "baselines/information.h"

namespace obverse {

std::vector<double> mutual_info_scores(const Dataset& data, const BaselineOptions&, Team& team) {
  const Variable classes = variable_of(data.labels(), data.classes());
  const RowWeights weights(data);
  const std::vector<double> terms = entropy_terms(data.rows());
  std::vector<double> scores(data.features());
  if (has_parts(data)) {
    each_binned_feature(data, team, classes, weights, terms, [&](std::size_t feature, const BinnedFeature& binned) {
      scores[feature] = binned.information;
    });
    return scores;
  }
  each_column(data, team, [&](std::size_t feature, const Column& column) {
    scores[feature] = mutual_information(binned(column), classes, weights, terms);
  });
  return scores;
}

}  // namespace obverse
