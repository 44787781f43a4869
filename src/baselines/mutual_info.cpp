// What each feature alone tells about the class: the mutual information of its bins and the labels.
#include "baselines/baselines.h"
#include "baselines/bins.h"

namespace obverse {

std::vector<double> mutual_info_scores(const Dataset& data, const BaselineOptions&, Team& team) {
  const Variable classes = variable_of(data.labels(), data.classes());
  const RowWeights weights(data);
  const std::vector<double> terms = entropy_terms(data.rows());
  std::vector<double> scores(data.features());
  each_column(data, team, [&](std::size_t feature, const Column& column) {
    scores[feature] = mutual_information(binned(column), classes, weights, terms);
  });
  return scores;
}

}  // namespace obverse
