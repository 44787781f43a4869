// Sweeps of seeds x 7 gammas on a CUDA device, recipe `paper`, a mask and its complement. Ends with one line of JSON.
//   bench_gpu_sweep DATA [--labels FILE] [--epochs 30] [--rounds 3]
//       the whole sweep, its rows uploaded and its masks read: `wall` is the first round, `seconds` the median
//   bench_gpu_sweep --columns 5000,100000 [--rows 10000]
//       generated floats: a step and an epoch against the number of columns
//   bench_gpu_sweep --repeat 1000
//       tiny sweeps one after another, and the memory of the device that is free before and after
// All take --seeds 5 --batch 256 --hidden 8 --precision bf16 --device cuda; cpu is the processor.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/options.h>

#include "backend/device.h"
#include "support/clock.h"
#include "support/random.h"
#include "support/text.h"
#include "trainer/sweep.h"

namespace {

using namespace obverse;

constexpr std::size_t kThreads = 16;  // where the processor trains

// Every option with its default; all of them take a value.
class Words {
 public:
  Words(int count, char** words) {
    for (int i = 1; i < count; ++i) {
      const std::string word = words[i];
      if (!word.starts_with("--")) {
        data = word;
        continue;
      }
      if (!given_.contains(word)) throw Error(Fault::usage, cat("unknown option '", word, "'"));
      if (i + 1 == count) throw Error(Fault::usage, cat(word, " wants a value"));
      given_[word] = words[++i];
    }
  }

  const std::string& text(const std::string& name) const { return given_.at(name); }
  int number(const std::string& name, int least) const {
    const auto number = number_in<int>(text(name));
    if (!number || *number < least) {
      throw Error(Fault::usage, cat(name, ": expected a number from ", least, ", found '", text(name), "'"));
    }
    return *number;
  }

  std::string data;

 private:
  std::map<std::string, std::string> given_{
      {"--labels", ""},  {"--rounds", "3"},       {"--columns", ""},    {"--rows", "10000"},
      {"--repeat", ""},  {"--seeds", "5"},        {"--epochs", "30"},   {"--batch", "256"},
      {"--hidden", "8"}, {"--precision", "bf16"}, {"--device", "cuda"},
  };
};

Precision precision_of(const std::string& word) {
  const auto known = names(Precision{});
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end()) {
    throw Error(Fault::usage, cat("--precision: expected ", join(known, " or "), ", found '", word, "'"));
  }
  return static_cast<Precision>(found - known.begin());
}

std::vector<ModelSpec> models_of(const Words& words, int epochs, std::size_t rows) {
  TrainOptions options = recipe("paper").train;
  options.epochs = epochs;
  options.batch_size = words.number("--batch", 1);
  options.mask_hidden = words.number("--hidden", 1);
  options.precision = precision_of(words.text("--precision"));
  options = fill_automatic(options, rows);
  std::vector<ModelSpec> models;
  for (int seed = 0; seed < words.number("--seeds", 1); ++seed) {
    for (const double gamma : {0.001, 0.01, 0.1, 1.0, 10.0, 30.0, 100.0}) {
      models.push_back({options, static_cast<std::uint64_t>(seed), gamma, {}});
    }
  }
  return models;
}

struct Timed {
  double seconds = 0;
  std::vector<Model> models;
};

Timed train(const Dataset& data, const std::vector<ModelSpec>& models, const Device& device) {
  const auto start = Clock::now();
  auto trained = train_sweep(data, nullptr, models, kThreads, {}, device);
  return {seconds_since(start), std::move(trained)};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

int sweep_file(const Words& words) {
  ReadOptions read_options;
  read_options.labels = words.text("--labels");
  const Dataset data = read(words.data, read_options);
  const int epochs = words.number("--epochs", 1);
  const Device& device = device_named(words.text("--device"));
  const std::vector<ModelSpec> models = models_of(words, epochs, data.rows());
  std::vector<double> rounds;
  double loss = 0, complement_loss = 0;
  std::printf("%zu models, %zu x %zu, %d epochs, %s\n", models.size(), data.rows(), data.features(), epochs,
              words.text("--precision").c_str());
  for (int round = 0; round < words.number("--rounds", 1); ++round) {
    const Timed timed = train(data, models, device);
    rounds.push_back(timed.seconds);
    loss = complement_loss = 0;
    for (const Model& model : timed.models) {
      loss += model.loss / static_cast<double>(models.size());
      complement_loss += model.complement_loss / static_cast<double>(models.size());
    }
    std::printf("round %d: %.3f s, mean loss %.4f\n", round + 1, timed.seconds, loss);
    std::fflush(stdout);
  }
  std::vector<std::string> texts;
  for (const double seconds : rounds) texts.push_back(cat(seconds));
  std::printf(
      "{\"models\": %zu, \"rows\": %zu, \"features\": %zu, \"epochs\": %d, \"precision\": \"%s\", \"wall\": %.4f, "
      "\"seconds\": %.4f, \"rounds\": [%s], \"loss\": %.4f, \"complement_loss\": %.4f}\n",
      models.size(), data.rows(), data.features(), epochs, words.text("--precision").c_str(), rounds.front(),
      median(rounds), join(texts).c_str(), loss, complement_loss);
  return 0;
}

// Uniform values in two classes that the first column tells apart.
Dataset generated(std::size_t rows, std::size_t features) {
  RandomStream random(1, Purpose::generation);
  auto values = std::make_shared<float[]>(rows * features);
  for (std::size_t i = 0; i < rows * features; ++i) values[i] = static_cast<float>(random.uniform(-1, 1));
  DatasetParts parts;
  for (std::size_t r = 0; r < rows; ++r) parts.labels.push_back(values[r * features] > 0 ? 1 : 0);
  parts.storage = DenseMatrix<float>{values, rows, features};
  parts.class_names = {"0", "1"};
  for (std::size_t d = 0; d < features; ++d) parts.feature_names.push_back(cat("f", d));
  return Dataset(std::move(parts));
}

// What an epoch costs beyond the first, so that the upload, the scaling and the reading of masks stay out: of as many
// as last a second.
template <class Sweep>
double epoch_seconds(const Sweep& seconds, double first) {
  constexpr int kMost = 200;
  int more = 3;
  double beyond = seconds(1 + more) - first;
  for (; beyond < 1 && more < kMost; beyond = seconds(1 + more) - first) more = std::min(4 * more, kMost);
  return beyond / more;
}

int against_columns(const Words& words) {
  const auto rows = static_cast<std::size_t>(words.number("--rows", 2));
  const auto batch = static_cast<std::size_t>(words.number("--batch", 1));
  const std::size_t steps = (rows + batch - 1) / batch;
  const Device& device = device_named(words.text("--device"));
  std::vector<std::string> lines;
  std::printf("%zu rows, %zu models, %s, %zu steps an epoch; first: all of a sweep of one epoch\n", rows,
              models_of(words, 1, rows).size(), words.text("--precision").c_str(), steps);
  std::printf("%10s %12s %12s %10s %14s\n", "columns", "ms/step", "s/epoch", "first s", "us/1000 cols");
  for (const std::string& word : split_text(words.text("--columns"), ',')) {
    const auto columns = number_in<std::size_t>(word);
    if (!columns || *columns < 1) {
      throw Error(Fault::usage, cat("--columns: expected numbers such as 5000,100000, found '", word, "'"));
    }
    const Dataset data = generated(rows, *columns);
    const auto seconds = [&](int epochs) { return train(data, models_of(words, epochs, rows), device).seconds; };
    seconds(1);
    const double first = seconds(1);
    const double epoch = epoch_seconds(seconds, first);
    const double step = epoch / static_cast<double>(steps);
    std::printf("%10zu %12.4f %12.4f %10.3f %14.2f\n", *columns, step * 1e3, epoch, first,
                step * 1e9 / static_cast<double>(*columns));
    std::fflush(stdout);
    lines.push_back(cat("{\"columns\": ", *columns, ", \"seconds_per_step\": ", step,
                        ", \"seconds_per_epoch\": ", epoch, ", \"first\": ", first, "}"));
  }
  std::printf("{\"rows\": %zu, \"models\": %zu, \"precision\": \"%s\", \"columns\": [%s]}\n", rows,
              models_of(words, 1, rows).size(), words.text("--precision").c_str(), join(lines).c_str());
  return 0;
}

// What the first sweep takes stays with the process; what goes after it is lost.
int repeat_tiny(const Words& words) {
  const int sweeps = words.number("--repeat", 2);
  const Device& device = device_named(words.text("--device"));
  const Dataset data = madelon_like({.rows = 200, .informative = 5, .combinations = 15, .probes = 0}).data;
  const std::vector<ModelSpec> models = models_of(words, 1, data.rows());
  const DeviceMemory before = device.memory();
  train(data, models, device);
  const DeviceMemory once = device.memory();
  const auto start = Clock::now();
  for (int sweep = 1; sweep < sweeps; ++sweep) train(data, models, device);
  const double each = seconds_since(start) / (sweeps - 1);
  const DeviceMemory after = device.memory();
  const auto mebibytes = [](std::size_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); };
  const double lost = mebibytes(once.free) - mebibytes(after.free);
  std::printf("%d sweeps of %zu models, %zu x %zu, 1 epoch: %.2f ms each\n", sweeps, models.size(), data.rows(),
              data.features(), each * 1e3);
  std::printf("free of %.0f MiB: %.1f before, %.1f after the first, %.1f after the last\n", mebibytes(before.total),
              mebibytes(before.free), mebibytes(once.free), mebibytes(after.free));
  std::printf(
      "{\"sweeps\": %d, \"seconds_each\": %.6f, \"free_before\": %zu, \"free_after_first\": %zu, "
      "\"free_after_last\": %zu, \"total\": %zu, \"lost_mib\": %.2f}\n",
      sweeps, each, before.free, once.free, after.free, before.total, lost);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const Words words(count, arguments);
    if (!words.text("--columns").empty()) return against_columns(words);
    if (!words.text("--repeat").empty()) return repeat_tiny(words);
    if (words.data.empty()) throw Error(Fault::usage, "expected a data file, --columns or --repeat");
    return sweep_file(words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gpu_sweep: %s\n", error.what());
    return 1;
  }
}
