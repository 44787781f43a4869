// A sweep of seeds x gammas on a CUDA device: seconds of training.
//   bench_gpu_sweep DATA [--labels FILE] [--seeds N] [--epochs N] [--precision f32|bf16] [--device N] [--hidden H]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "trainer/sweep.h"

int main(int argc, char** argv) {
  using namespace obverse;
  std::string path = argc > 1 ? argv[1] : "";
  int seeds = 5, epochs = 30, hidden = 8, device = 0, batch = 256, rounds = 2;
  Precision precision = Precision::bf16;
  ReadOptions read_options;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--seeds") seeds = std::atoi(argv[i + 1]);
    if (name == "--epochs") epochs = std::atoi(argv[i + 1]);
    if (name == "--hidden") hidden = std::atoi(argv[i + 1]);
    if (name == "--batch") batch = std::atoi(argv[i + 1]);
    if (name == "--rounds") rounds = std::atoi(argv[i + 1]);
    if (name == "--device") device = std::atoi(argv[i + 1]);
    if (name == "--labels") read_options.labels = argv[i + 1];
    if (name == "--precision") precision = std::strcmp(argv[i + 1], "f32") == 0 ? Precision::f32 : Precision::bf16;
  }
  try {
    const Dataset data = read(path, read_options);
    TrainOptions options;
    options.epochs = epochs;
    options.batch_size = batch;
    options.mask_hidden = hidden;
    options.precision = precision;
    options.mask_learning_rate = 1e-3;
    std::vector<ModelSpec> models;
    for (int s = 0; s < seeds; ++s) {
      for (const double gamma : {0.001, 0.01, 0.1, 1.0, 10.0, 30.0, 100.0}) {
        models.push_back({options, static_cast<std::uint64_t>(s), gamma, {}});
      }
    }
    for (int round = 0; round < rounds; ++round) {
      const auto start = std::chrono::steady_clock::now();
      const auto trained = train_sweep(data, nullptr, models, 16, {}, device);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::printf(
          "{\"models\": %zu, \"rows\": %zu, \"features\": %zu, \"epochs\": %d, \"seconds\": %.3f, \"loss\": %.4f}\n",
          models.size(), data.rows(), data.features(), epochs, seconds, trained.front().loss);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
