#include "evaluation/fit.h"

#include "dataset/scaling.h"
#include "downstream/forest.h"
#include "downstream/neighbours.h"

namespace obverse {

PreparedSplit::PreparedSplit(const TrainTest& split, Scaling neighbour_scaling)
    : train(split.train),
      test(split.test),
      scaling(fit_scaling(split.train, neighbour_scaling)),
      learned(target_of(split.train)),
      asked(target_of(split.test)) {}

Prediction fit_predict(const PreparedSplit& split, Classifier classifier, std::span<const std::size_t> features,
                       const EvaluateOptions& options, std::uint64_t seed, Team& team) {
  if (classifier == Classifier::knn) {
    const NeighbourQuery query{&split.train, &split.test, features, &split.scaling,
                               static_cast<std::size_t>(options.neighbours)};
    return neighbour_prediction(query, split.learned, team);
  }
  ForestOptions forest = classifier == Classifier::rf ? random_forest(seed) : extra_trees(seed);
  forest.trees = static_cast<std::size_t>(options.trees);
  return Forest(split.train, features, split.learned, forest, team).predict(split.test, team);
}

}  // namespace obverse
