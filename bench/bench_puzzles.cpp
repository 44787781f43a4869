// Which methods find the true features of puzzles in which pairs of features decide: the share of them among as many
// selected, mean over sets of several seeds, by each method with its default options.
//   bench_puzzles [--seeds N] [--rows N] [--probes N] [--methods cfm,fm]
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <obverse/obverse.h>

namespace {

using namespace obverse;

constexpr std::pair<const char*, Shapes> kPuzzles[] = {{"xor", Shapes::only_xor},
                                                       {"ring", Shapes::ring},
                                                       {"ring-xor", Shapes::ring_xor},
                                                       {"ring-xor-sum", Shapes::ring_xor_sum}};

double found(const GeneratedData& made, const std::string& method, std::uint64_t seed) {
  SelectOptions options = not_repeated();
  options.k = static_cast<int>(made.true_features.size());
  options.seed = seed;
  const std::size_t plus = method.find('+');
  options.method = method.substr(0, plus);
  if (plus != std::string::npos) options.complement = Complement::on;
  const Selection selection = Selector(options).fit(made.data);
  const std::set<std::size_t> truth(made.true_features.begin(), made.true_features.end());
  double hits = 0;
  for (const std::size_t feature : selection.ranking.top(selection.k)) hits += truth.contains(feature) ? 1 : 0;
  return hits / static_cast<double>(truth.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seeds = 5;
  ShapesOptions shape;
  std::vector<std::string> methods(compared_methods().begin(), compared_methods().end());
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::stoul(argv[i + 1]);
    if (std::strcmp(argv[i], "--rows") == 0) shape.rows = std::stoul(argv[i + 1]);
    if (std::strcmp(argv[i], "--probes") == 0) shape.probes = std::stoul(argv[i + 1]);
    if (std::strcmp(argv[i], "--methods") == 0) {
      methods.clear();
      std::istringstream names(argv[i + 1]);
      for (std::string name; std::getline(names, name, ',');) methods.push_back(name);
    }
  }
  std::printf("%zu rows, %zu probes, %zu seeds; percent of the true features found\n%-26s", shape.rows, shape.probes,
              static_cast<std::size_t>(seeds), "method");
  for (const auto& [name, kind] : kPuzzles) std::printf(" %13s", name);
  std::printf("\n");
  std::string json;
  for (const std::string& method : methods) {
    std::printf("%-26s", method.c_str());
    std::string row;
    for (const auto& [name, kind] : kPuzzles) {
      double sum = 0;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        shape.shapes = kind;
        shape.seed = seed;
        sum += found(shapes(shape), method, seed);
      }
      const double percent = std::round(1000 * sum / static_cast<double>(seeds)) / 10;
      std::printf(" %13.1f", percent);
      row += cat(row.empty() ? "" : ", ", "\"", name, "\": ", percent);
    }
    std::printf("\n");
    std::fflush(stdout);
    json += cat(json.empty() ? "" : ", ", "\"", method, "\": {", row, "}");
  }
  std::printf("{\"bench\": \"puzzles\", \"found\": {%s}}\n", json.c_str());
}
