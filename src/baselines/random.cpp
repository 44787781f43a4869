// A random number for each feature, from the seed alone.
#include "support/random.h"
#include "baselines/baselines.h"

namespace obverse {

std::vector<double> random_scores(const Dataset& data, const BaselineOptions& options, Team&) {
  RandomStream stream(options.seed, Purpose::random_scores);
  std::vector<double> scores(data.features());
  for (double& score : scores) score = 1 - stream.uniform();  // above 0, which is for constant features
  for (const std::size_t feature : constant_features(data)) scores[feature] = 0;
  return scores;
}

}  // namespace obverse
