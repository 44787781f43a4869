// The features of a table that tell its classes apart, and how well they do on rows that the selection did not see.
//   01_select_from_csv DATA TARGET K
#include <obverse/obverse.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s DATA TARGET K\n", argv[0]);
    return 2;
  }
  try {
    const obverse::Dataset data = obverse::read(argv[1], {.target = argv[2]});
    const auto [train, test] = obverse::split(data, {.test_fraction = 0.2, .seed = 7});

    obverse::SelectOptions options;
    options.k = std::atoi(argv[3]);
    const obverse::Selection selection = obverse::Selector(options).fit(train);

    const auto selected = selection.ranking.top(selection.k);
    std::printf("%zu of %zu features:\n", selection.k, data.features());
    for (const std::size_t feature : selected) {
      std::printf("  %-20s %.4f\n", data.feature_names()[feature].c_str(), selection.ranking.scores[feature]);
    }
    std::printf("accuracy of 5 nearest neighbours on %zu unseen rows: %.1f %%\n", test.rows(),
                100 * obverse::neighbour_accuracy(train, test, selected));
  } catch (const obverse::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.fault() == obverse::Fault::internal ? 1 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
