// The time of one training step for every family of masks, alone and with its complement, over that of `fm` alone, in
// the same run: pictures of MNIST's size, the default widths, one model. Each family is measured several times, in turn
// with all others, and its fastest time counts.
//   bench_families [--rounds N] [--threads N] [--precision f32|bf16]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <obverse/obverse.h>

#include "mask/families.h"
#include "support/clock.h"
#include "support/random.h"
#include "trainer/sweep.h"

namespace {

using namespace obverse;

constexpr std::size_t kRows = 10240;
constexpr std::size_t kFeatures = 784;
constexpr std::size_t kClasses = 10;
constexpr std::size_t kSelected = 39;  // 5 %
constexpr int kBatch = 256;
constexpr int kEpochs = 3;

Dataset make_data() {
  RandomStream stream(1, Purpose::generation);
  auto values = std::make_shared<std::uint8_t[]>(kRows * kFeatures);
  for (std::size_t i = 0; i < kRows * kFeatures; ++i) values[i] = static_cast<std::uint8_t>(stream.next());
  DatasetParts parts;
  parts.storage = DenseMatrix<std::uint8_t>{values, kRows, kFeatures};
  for (std::size_t d = 0; d < kFeatures; ++d) parts.feature_names.push_back(cat("f", d));
  for (std::size_t c = 0; c < kClasses; ++c) parts.class_names.push_back(cat(c));
  for (std::size_t r = 0; r < kRows; ++r) {
    parts.labels.push_back(static_cast<std::int32_t>(stream.below(kClasses)));
  }
  return Dataset(std::move(parts));
}

// Milliseconds of a step.
double measure(const Dataset& data, const std::string& family, bool complement, Precision precision,
               std::size_t threads) {
  ModelSpec spec;
  spec.train.batch_size = kBatch;
  spec.train.epochs = kEpochs;
  spec.train.precision = precision;
  spec.gamma = complement ? 1 : 0;
  spec.mask.method = family;
  spec.mask.selected = kSelected;
  const auto start = Clock::now();
  train_sweep(data, nullptr, {spec}, threads);
  return 1e3 * seconds_since(start) / (kEpochs * static_cast<double>(kRows) / kBatch);
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 5;
  std::size_t threads = 2;
  Precision precision = Precision::f32;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rounds") == 0) rounds = std::stoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--threads") == 0) threads = std::stoul(argv[i + 1]);
    if (std::strcmp(argv[i], "--precision") == 0 && std::string(argv[i + 1]) == "bf16") precision = Precision::bf16;
  }
  const Dataset data = make_data();
  std::map<std::string, double> best[2];
  for (int round = 0; round < rounds; ++round) {
    for (const FamilyDescription& family : mask_families()) {
      for (const bool complement : {false, true}) {
        const std::string name(family.name);
        const double time = measure(data, name, complement, precision, threads);
        auto [known, added] = best[complement ? 1 : 0].try_emplace(name, time);
        if (!added) known->second = std::min(known->second, time);
      }
    }
  }
  const double reference = best[0].at("fm");
  std::printf("%-18s %9s %9s %9s %9s\n", "family", "ms alone", "over fm", "ms both", "x alone");
  std::string json;
  for (const FamilyDescription& family : mask_families()) {
    const std::string name(family.name);
    const double alone = best[0].at(name);
    const double both = best[1].at(name);
    std::printf("%-18s %9.3f %9.2f %9.3f %9.2f\n", name.c_str(), alone, alone / reference, both, both / alone);
    json += cat(json.empty() ? "" : ", ", "\"", name, "\": {\"over_fm\": ", alone / reference,
                ", \"complement\": ", both / alone, "}");
  }
  std::printf("{\"bench\": \"families\", \"threads\": %zu, \"fm_ms\": %.4f, \"families\": {%s}}\n", threads, reference,
              json.c_str());
}
