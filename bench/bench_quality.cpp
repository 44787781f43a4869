// The answers of one training for several k, for bench/quality/quality.py: the same calls as `obverse select`, without
// training again for each k.
//   bench_quality DATA EFFORT SEED THREADS PRECISION k,k,...     prints {"seconds": s, "answers": [{"k", "features"}]}
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <obverse/obverse.h>

int main(int count, char** words) {
  if (count != 7) {
    std::fprintf(stderr, "bench_quality DATA quick|normal|thorough SEED THREADS f32|bf16 k,k,...\n");
    return 2;
  }
  try {
    const std::string effort = words[2];
    auto options = obverse::options_for(effort == "quick"    ? obverse::Effort::quick
                                        : effort == "normal" ? obverse::Effort::normal
                                                             : obverse::Effort::thorough);
    options.seed = std::stoull(words[3]);
    options.threads = std::stoi(words[4]);
    for (auto& recipe : options.recipes) {
      if (std::string(words[5]) == "bf16") recipe.train.precision = obverse::Precision::bf16;
    }
    std::vector<std::size_t> ks;
    std::istringstream list(words[6]);
    for (std::string k; std::getline(list, k, ',');) ks.push_back(std::stoul(k));
    const auto data = obverse::read(words[1], {.target = "y"});
    const auto answers = obverse::Selector(options).fit_each(data, ks);
    double seconds = answers.front().training_seconds;
    for (const auto& answer : answers) seconds += answer.choosing_seconds;
    std::printf("{\"seconds\": %.3f, \"answers\": [", seconds);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      std::printf("%s{\"k\": %zu, \"features\": [", i == 0 ? "" : ", ", answers[i].k);
      for (std::size_t f = 0; f < answers[i].k; ++f) {
        std::printf("%s%zu", f == 0 ? "" : ", ", answers[i].ranking.order[f]);
      }
      std::printf("]}");
    }
    std::printf("]}\n");
  } catch (const obverse::Error& error) {
    std::fprintf(stderr, "bench_quality: %s\n", error.what());
    return 2;
  }
  return 0;
}
