// Nearest neighbours on a CUDA device and on the processor: the same rows, and the seconds of both.
//   bench_gpu_neighbours [--quick] [--train N] [--test N] [--features N] [--neighbours N] [--device cuda] [--threads N]
// Ends with one line of JSON: for floats and for bytes the median seconds of each, copies to and from the device
// included. Stops with an error where the two find different rows.
#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "downstream/neighbours.h"
#include "support/clock.h"
#include "support/random.h"

namespace {

using namespace obverse;

template <class T>
Dataset random_rows(std::size_t rows, std::size_t cols, std::uint64_t index) {
  RandomStream stream(1, Purpose::generation, index);
  auto values = std::make_shared<T[]>(rows * cols);
  for (std::size_t i = 0; i < rows * cols; ++i) {
    values[i] = std::is_same_v<T, float> ? static_cast<T>(stream.normal()) : static_cast<T>(stream.below(256));
  }
  DatasetParts parts;
  parts.storage = DenseMatrix<T>{values, rows, cols};
  for (std::size_t d = 0; d < cols; ++d) parts.feature_names.push_back(cat("f", d));
  return Dataset(std::move(parts));
}

struct Timing {
  double device = 0;
  double processor = 0;
};

struct Timed {
  double seconds = 0;
  std::vector<std::uint32_t> rows;
};

/// Median of `rounds` after a first one, which also starts the device.
Timed timed(const NeighbourQuery& query, int rounds, Team& team) {
  Timed out{0, nearest_rows(query, team)};
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    out.rows = nearest_rows(query, team);
    seconds.push_back(seconds_since(start));
  }
  std::sort(seconds.begin(), seconds.end());
  out.seconds = seconds[seconds.size() / 2];
  return out;
}

template <class T>
Timing compare(std::map<std::string, int>& given, const Device& other, Team& team) {
  const auto count = [&](const char* name) { return static_cast<std::size_t>(given[name]); };
  const Dataset train = random_rows<T>(count("--train"), count("--features"), 1);
  const Dataset test = random_rows<T>(count("--test"), count("--features"), 2);
  std::vector<std::size_t> features(train.features());
  std::iota(features.begin(), features.end(), std::size_t{0});
  const Affine scaling{std::vector<float>(features.size(), 1.0F), std::vector<float>(features.size(), 0.0F)};
  NeighbourQuery query{&train, &test, features, &scaling, count("--neighbours")};
  const Timed processor = timed(query, 1, team);
  query.device = &other;
  const Timed device = timed(query, 5, team);
  if (device.rows != processor.rows) throw Error(Fault::internal, "the device finds other rows than the processor");
  const char* const kind = std::is_same_v<T, float> ? "floats" : "bytes";
  std::printf("%s: %.4f s on the device, %.4f s on the processor\n", kind, device.seconds, processor.seconds);
  return {device.seconds, processor.seconds};
}

}  // namespace

int main(int count, char** words) {
  std::map<std::string, int> given{
      {"--train", 60000}, {"--test", 10000}, {"--features", 50}, {"--neighbours", 5}, {"--threads", 0}};
  std::string device = "cuda";
  for (int i = 1; i < count; ++i) {
    const std::string name = words[i];
    if (name == "--quick") {
      given["--train"] = 3000;
      given["--test"] = 500;
    } else if (name == "--device" && i + 1 < count) {
      device = words[++i];
    } else if (given.contains(name) && i + 1 < count) {
      given[name] = std::stoi(words[++i]);
    } else {
      std::fprintf(stderr, "bench_gpu_neighbours: %s is unknown or stands alone\n", words[i]);
      return 2;
    }
  }
  try {
    Team team(given["--threads"] > 0 ? static_cast<std::size_t>(given["--threads"]) : available_threads());
    const Timing floats = compare<float>(given, device_named(device), team);
    const Timing bytes = compare<std::uint8_t>(given, device_named(device), team);
    std::printf(
        "{\"train\": %d, \"test\": %d, \"features\": %d, \"neighbours\": %d, \"threads\": %zu, \"floats_device\": "
        "%.5f, "
        "\"floats_processor\": %.5f, \"bytes_device\": %.5f, \"bytes_processor\": %.5f}\n",
        given["--train"], given["--test"], given["--features"], given["--neighbours"], team.size(), floats.device,
        floats.processor, bytes.device, bytes.processor);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
