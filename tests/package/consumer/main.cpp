// A stranger's program: makes a small data set and writes it, with the installed headers and library only.
#include <obverse/obverse.h>

#include <cstdio>
#include <exception>
#include <numeric>

int main() {
  try {
    const obverse::GeneratedData made = obverse::madelon_like({.rows = 400, .probes = 20});
    std::vector<std::size_t> features(made.data.features());
    std::iota(features.begin(), features.end(), std::size_t{0});
    obverse::write_dataset(made.data, features, "data.csv");
    std::printf("obverse %s\n", obverse::kVersion);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
