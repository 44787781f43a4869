// The training step and the sweep against the machine's own ceiling: the rate of one oneDNN product per thread,
// measured in the same run. Operations are those the mathematics needs, 2 B D (2 F1 + 2 H) a step with both paths (F1 +
// H on the way there, as many back); the second layer, the heads and Adam count as cost, not as work.
//   bench_train_step                      the whole table, ends with one line of JSON
//   bench_train_step --json --features 500 --batch 64 --hidden 8 --classes 2 --models 35 --seeds 5 --precision f32
//   --threads 2
//                                         one measurement, for other programs
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <obverse/obverse.h>

#include "backend/cpu/loops.h"
#include "backend/cpu/products.h"
#include "backend/loop_tables.h"
#include "support/clock.h"
#include "support/random.h"
#include "trainer/sweep.h"

namespace {

using namespace obverse;
struct Setting {
  std::size_t rows = 60000;
  std::size_t features = 784;
  std::size_t classes = 10;
  int batch = 256;
  int hidden = 8;
  int models = 1;
  int seeds = 1;
  int threads = 2;
  Precision precision = Precision::f32;
  bool bytes = true;  // the data as MNIST comes: one byte for a pixel
};

Dataset make_data(const Setting& s) {
  const std::size_t count = s.rows * s.features;
  RandomStream stream(1, Purpose::generation);
  DatasetParts parts;
  if (s.bytes) {
    auto values = std::make_shared<std::uint8_t[]>(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(stream.next());
    parts.storage = DenseMatrix<std::uint8_t>{values, s.rows, s.features};
  } else {
    auto values = std::make_shared<float[]>(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(stream.uniform(-1, 1));
    parts.storage = DenseMatrix<float>{values, s.rows, s.features};
  }
  for (std::size_t d = 0; d < s.features; ++d) parts.feature_names.push_back(cat("f", d));
  for (std::size_t c = 0; c < s.classes; ++c) parts.class_names.push_back(cat(c));
  for (std::size_t r = 0; r < s.rows; ++r) {
    parts.labels.push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(s.classes))));
  }
  return Dataset(std::move(parts));
}

double operations(const Setting& s) {
  return 2.0 * s.batch * static_cast<double>(s.features) * (2 * 256 + 2 * s.hidden);
}

// Seconds for one step of one model: the wall time of a sweep over the steps of all its models. Several epochs, so that
// the reading of the masks at its end counts as little as in use.
double step_seconds(const Dataset& data, const Setting& s, double wanted_seconds) {
  std::vector<ModelSpec> specs;
  TrainOptions train = recipe("paper").train;
  train.batch_size = s.batch;
  train.mask_hidden = s.hidden;
  train.precision = s.precision;
  train.scaling = s.bytes ? Scaling::automatic : Scaling::none;
  specs.reserve(static_cast<std::size_t>(s.models));
  for (int m = 0; m < s.models; ++m) {
    const int round = m / s.seeds;
    specs.push_back({train, static_cast<std::uint64_t>(m % s.seeds), 1.0 + round});
  }
  const auto batch = static_cast<std::size_t>(s.batch);
  const std::size_t steps = (data.rows() + batch - 1) / batch * specs.size();
  const auto sweep = [&](int epochs) {
    for (ModelSpec& spec : specs) spec.train.epochs = epochs;
    const auto start = Clock::now();
    train_sweep(data, nullptr, specs, static_cast<std::size_t>(s.threads));
    return seconds_since(start);
  };
  constexpr int kFewest = 5;
  const int epochs = std::max(kFewest, static_cast<int>(std::lround(wanted_seconds / sweep(1))));
  return sweep(epochs) / (static_cast<double>(steps) * epochs);
}

// GFLOP/s of the forward product (B,D)x(D,256), one on each thread.
double ceiling(const Setting& s, double wanted_seconds) {
  const auto rows = static_cast<std::size_t>(s.batch);
  const std::size_t width = 256;
  const bool narrow = s.precision == Precision::bf16;
  std::atomic<double> sum{0};
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(s.threads));
  for (int t = 0; t < s.threads; ++t) {
    threads.emplace_back([&] {
      std::vector<float> a(rows * s.features, 0.5F), b(s.features * width, 0.25F), c(rows * width);
      RandomStream stream(2, Purpose::generation);
      for (float& x : a) x = static_cast<float>(stream.uniform());
      for (float& x : b) x = static_cast<float>(stream.uniform());
      std::vector<cpu::bf16> an(a.size()), bn(b.size());
      cpu::loops().narrow(a.data(), a.size(), an.data());
      cpu::loops().narrow(b.data(), b.size(), bn.data());
      const cpu::Product product{
          .m = rows, .n = width, .k = s.features, .lda = s.features, .ldb = width, .bf16 = narrow};
      const void* left = narrow ? static_cast<const void*>(an.data()) : a.data();
      const void* right = narrow ? static_cast<const void*>(bn.data()) : b.data();
      for (int i = 0; i < 5; ++i) cpu::multiply(product, left, right, c.data());
      const auto start = Clock::now();
      std::size_t count = 0;
      while (seconds_since(start) < wanted_seconds) {
        for (int i = 0; i < 8; ++i) cpu::multiply(product, left, right, c.data());
        count += 8;
      }
      const double rate = 2.0 * static_cast<double>(rows * s.features * width * count) / seconds_since(start) * 1e-9;
      for (double old = sum.load(); !sum.compare_exchange_weak(old, old + rate);) {
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return sum;
}

// Nanoseconds for a word to go from one thread to another and back. The host may place two processors on one die or on
// two, and move them: about 100 ns on one die, 500 across. Steps whose threads share a model feel it, sweeps do not.
double round_trip() {
  constexpr int kTrips = 20000;
  struct alignas(128) Word {
    std::atomic<int> value{0};
  };
  Word there, back;
  std::thread other([&] {
    for (int i = 1; i <= kTrips; ++i) {
      while (there.value.load(std::memory_order_acquire) != i) {
      }
      back.value.store(i, std::memory_order_release);
    }
  });
  const auto start = Clock::now();
  for (int i = 1; i <= kTrips; ++i) {
    there.value.store(i, std::memory_order_release);
    while (back.value.load(std::memory_order_acquire) != i) {
    }
  }
  const double seconds = seconds_since(start);
  other.join();
  return seconds / kTrips * 1e9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// What was measured of one setting, an entry for each round.
struct Row {
  std::vector<double> steps, limits;
  double seconds() const { return median(steps); }
  double limit() const { return median(limits); }
};

void measure(const Dataset& data, const Setting& s, double seconds, Row& row) {
  row.limits.push_back(ceiling(s, 0.3));
  row.steps.push_back(step_seconds(data, s, seconds));
}

double gflops(const Setting& s, const Row& row) { return operations(s) / row.seconds() * 1e-9; }
double fraction(const Setting& s, const Row& row) { return gflops(s, row) / row.limit(); }

void print(const char* name, const Setting& s, const Row& row) {
  // Bytes a step cannot avoid: the rows it gathers, and each parameter with its two moments read and written.
  const double parameters = static_cast<double>(s.features) * (128.0 + 2.0 * s.hidden + 1.0) + 128.0 * 64.0;
  const double bytes = (s.bytes ? 1.0 : 4.0) * s.batch * static_cast<double>(s.features) + 24.0 * parameters;
  std::printf("%-34s %9.1f %9.2f %9.3f %9.1f %9.1f %9.2f\n", name, operations(s) * 1e-6, bytes * 1e-6,
              row.seconds() * 1e3, gflops(s, row), row.limit(), fraction(s, row));
}

// Settings by turns, so that all of them see the same neighbours on the machine; medians over the rounds.
int table(int threads) {
  Setting single;
  single.threads = threads;
  Setting single_bf16 = single;
  single_bf16.precision = Precision::bf16;
  Setting sweep = single;
  sweep.models = 35;
  sweep.seeds = 5;
  sweep.rows = 16384;  // enough for five epochs in seconds
  Setting sweep_bf16 = sweep;
  sweep_bf16.precision = Precision::bf16;
  const Dataset data = make_data(single);
  const Dataset fewer = make_data(sweep);
  const bool narrow = cpu::has_bf16();

  std::printf("obverse %s, loops %s, %d threads\n", kVersion, name_of(instruction_set()).data(), threads);
  Row f32, bf16, many, many_bf16;
  std::vector<double> trips;
  for (int round = 0; round < 9; ++round) {
    trips.push_back(round_trip());
    measure(data, single, 1.0, f32);
    if (narrow) measure(data, single_bf16, 1.0, bf16);
    if (round % 3 != 0) continue;
    measure(fewer, sweep, 8.0, many);
    if (narrow) measure(fewer, sweep_bf16, 8.0, many_bf16);
  }
  std::printf("%-34s %9s %9s %9s %9s %9s %9s\n", "", "MFLOP", "MB", "ms/step", "GFLOP/s", "limit", "fraction");
  print("step, f32, D 784, batch 256", single, f32);
  print("sweep of 5 x 7 models, f32", sweep, many);
  if (narrow) {
    print("step, bf16", single_bf16, bf16);
    print("sweep of 5 x 7 models, bf16", sweep_bf16, many_bf16);
  }
  std::printf("between two threads and back, by round:");
  for (const double trip : trips) std::printf(" %.0f", trip);
  std::printf(" ns\n");
  std::printf(
      "{\"fraction_f32\": %.3f, \"fraction_sweep\": %.3f, \"bf16_speedup\": %.2f, \"bf16_speedup_sweep\": %.2f, "
      "\"f32_ms\": %.3f, \"fastest_f32_ms\": %.3f, \"round_trip_ns\": %.0f, \"threads\": %d}\n",
      fraction(single, f32), fraction(sweep, many), narrow ? f32.seconds() / bf16.seconds() : 0.0,
      narrow ? many.seconds() / many_bf16.seconds() : 0.0, f32.seconds() * 1e3,
      *std::min_element(f32.steps.begin(), f32.steps.end()) * 1e3, median(trips), threads);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  std::map<std::string, std::string> given;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--json") {
      given[word] = "";
    } else if (i + 1 < count) {
      given[word] = words[++i];
    }
  }
  const auto number = [&](const char* name, int otherwise) {
    return given.contains(name) ? std::stoi(given[name]) : otherwise;
  };
  if (!given.contains("--json")) return table(number("--threads", 2));
  Setting s;
  s.features = static_cast<std::size_t>(number("--features", 784));
  s.rows = static_cast<std::size_t>(number("--rows", static_cast<int>(s.rows)));
  s.classes = static_cast<std::size_t>(number("--classes", 10));
  s.batch = number("--batch", 256);
  s.hidden = number("--hidden", 8);
  s.models = number("--models", 1);
  s.seeds = number("--seeds", 1);
  s.threads = number("--threads", 2);
  s.bytes = given["--storage"] == "bytes";
  s.precision = given["--precision"] == "bf16" ? Precision::bf16 : Precision::f32;
  const double seconds = step_seconds(make_data(s), s, 2.0);
  std::printf("{\"seconds_per_model_step\": %.9f, \"gflops\": %.1f}\n", seconds, operations(s) / seconds * 1e-9);
  return 0;
}
