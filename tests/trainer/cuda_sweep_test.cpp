// Sweeps on a CUDA device against those on the processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <numeric>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "backend/cuda_fixture.h"
#include "backend/device.h"
#include "trainer/sweep.h"

namespace obverse {
namespace {

class CudaSweep : public testing::Test {
 protected:
  void SetUp() override { test::need_cuda(); }
};

// Ranks of all, equal ones by place.
std::vector<double> ranks(std::span<const float> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<double> ranks(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

double spearman(std::span<const float> a, std::span<const float> b) {
  const std::vector<double> x = ranks(a);
  const std::vector<double> y = ranks(b);
  const auto n = static_cast<double>(x.size());
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  return 1 - 6 * squares / (n * (n * n - 1));
}

Dataset small_set() { return madelon_like({.rows = 600, .informative = 3, .combinations = 4, .probes = 60}).data; }

std::vector<ModelSpec> sweep_of(Precision precision, const MaskSpec& mask = {}, double dropout = 0) {
  TrainOptions options;
  options.epochs = 10;
  options.batch_size = 64;
  options.mask_hidden = 8;
  options.dropout = dropout;
  options.precision = precision;
  options.mask_learning_rate = 1e-3;
  std::vector<ModelSpec> models;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (const double gamma : {0.0, 0.1, 1.0, 10.0}) models.push_back({options, seed, gamma, mask});
  }
  return models;
}

TEST_F(CudaSweep, ASweepRanksFeaturesAsTheProcessorDoes) {
  const Dataset data = small_set();
  for (const char* method : {"fm", "afs", "dfs", "cancelout", "stg", "sequential", "bsf", "fae", "aefs"}) {
    const auto specs = sweep_of(Precision::f32, {.method = method, .selected = 5});
    const auto wanted = train_sweep(data, &data, specs, 2);
    const auto found = train_sweep(data, &data, specs, 2, {}, device_named("cuda"));
    for (std::size_t m = 0; m < specs.size(); ++m) {
      EXPECT_GT(spearman(found[m].scores, wanted[m].scores), 0.99) << method << ' ' << m;
      EXPECT_GT(spearman(found[m].initial_scores, wanted[m].initial_scores), 0.99) << method << ' ' << m;
      EXPECT_NEAR(found[m].loss, wanted[m].loss, 2e-3 * (1 + wanted[m].loss)) << method << ' ' << m;
      EXPECT_NEAR(found[m].network_accuracy, wanted[m].network_accuracy, 0.01) << method << ' ' << m;
    }
  }
}

TEST_F(CudaSweep, ASweepIsTheSameEachTime) {
  const Dataset data = small_set();
  for (const Precision precision : {Precision::f32, Precision::tf32, Precision::bf16}) {
    const auto specs = sweep_of(precision, {}, 0.3);
    const auto first = train_sweep(data, nullptr, specs, 2, {}, device_named("cuda"));
    const auto second = train_sweep(data, nullptr, specs, 1, {}, device_named("cuda"));
    for (std::size_t m = 0; m < specs.size(); ++m) {
      EXPECT_EQ(first[m].scores, second[m].scores);
      EXPECT_EQ(first[m].loss, second[m].loss);
    }
  }
}

TEST_F(CudaSweep, KeepsTheCurveAndTheMasksOfEpochsAndChangesNothingElse) {
  const Dataset data = small_set();
  for (const char* method : {"fm", "dfs"}) {
    auto specs = sweep_of(Precision::f32, {.method = method, .selected = 5}, 0.3);
    const auto plain = train_sweep(data, nullptr, specs, 1, {}, device_named("cuda"));
    for (ModelSpec& spec : specs) spec.keep = {.curve = true, .epochs = {1, 10}};
    const auto kept = train_sweep(data, nullptr, specs, 1, {}, device_named("cuda"));
    for (std::size_t m = 0; m < specs.size(); ++m) {
      EXPECT_EQ(kept[m].scores, plain[m].scores) << method << ' ' << m;
      EXPECT_EQ(kept[m].loss, plain[m].loss) << method << ' ' << m;
      ASSERT_EQ(kept[m].curve.loss.size(), 10U);
      EXPECT_EQ(kept[m].curve.loss.back(), kept[m].loss);
      ASSERT_EQ(kept[m].snapshots.size(), 2U);
      EXPECT_NE(kept[m].snapshots[0].scores, kept[m].scores);
      EXPECT_EQ(kept[m].snapshots[1].scores, kept[m].scores) << method << ' ' << m;
    }
  }
}

// As in a study: threads come and go on the device while others write down their graphs.
TEST_F(CudaSweep, SweepsBesideEachOtherAreAsAlone) {
  const Dataset data = small_set();
  auto specs = sweep_of(Precision::bf16, {}, 0.3);
  for (ModelSpec& spec : specs) spec.train.epochs = 2;
  const auto alone = train_sweep(data, nullptr, specs, 1, {}, device_named("cuda"));
  std::vector<std::future<int>> threads(8);
  for (auto& thread : threads) {
    thread = std::async(std::launch::async, [&] {
      int same = 0;
      for (int i = 0; i < 20; ++i) {
        const auto beside = train_sweep(data, nullptr, specs, 1, {}, device_named("cuda"));
        same += std::equal(alone.begin(), alone.end(), beside.begin(),
                           [](const auto& a, const auto& b) { return a.scores == b.scores && a.loss == b.loss; });
      }
      return same;
    });
  }
  for (auto& thread : threads) EXPECT_EQ(thread.get(), 20);
}

TEST_F(CudaSweep, RunsMoreModelsThanFitInWaves) {
  const Dataset data = small_set();
  const auto specs = sweep_of(Precision::f32);
  const auto together = train_sweep(data, nullptr, specs, 2, {}, device_named("cuda"));
  setenv("OBVERSE_GPU_MEMORY", "69", 1);  // 64 of them are the library's own
  const auto waves = train_sweep(data, nullptr, specs, 2, {}, device_named("cuda"));
  setenv("OBVERSE_GPU_MEMORY", "64", 1);
  try {
    train_sweep(data, nullptr, specs, 2, {}, device_named("cuda"));
    ADD_FAILURE() << "it found room where there is none";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::device);
    EXPECT_NE(std::string(error.what()).find("one model needs"), std::string::npos) << error.what();
  }
  setenv("OBVERSE_GPU_MEMORY", "much", 1);
  EXPECT_THROW(train_sweep(data, nullptr, specs, 2, {}, device_named("cuda")), Error);
  unsetenv("OBVERSE_GPU_MEMORY");
  for (std::size_t m = 0; m < specs.size(); ++m) {
    EXPECT_GT(spearman(waves[m].scores, together[m].scores), 0.99) << m;
  }
}

TEST_F(CudaSweep, StopsEarlyAndWhenAsked) {
  const Dataset data = small_set();
  auto specs = sweep_of(Precision::f32);
  specs.resize(2);
  for (ModelSpec& spec : specs) spec.train.patience = 1;
  const auto trained = train_sweep(data, &data, specs, 1, {}, device_named("cuda"));
  EXPECT_GE(trained.front().epochs, 1);
  for (ModelSpec& spec : specs) spec.train.epochs = 1000000;
  specs.front().train.patience = 0;
  EXPECT_THROW(train_sweep(
                   data, &data, specs, 1, [](double, double) { return false; }, device_named("cuda")),
               Error);
}

TEST_F(CudaSweep, LeavesNoMemoryBehind) {
  const Dataset data = small_set();
  auto specs = sweep_of(Precision::bf16);
  for (ModelSpec& spec : specs) spec.train.epochs = 1;
  train_sweep(data, nullptr, specs, 1, {}, device_named("cuda"));
  const std::size_t before = device_named("cuda").memory().free;
  for (int i = 0; i < 10; ++i) train_sweep(data, nullptr, specs, 1, {}, device_named("cuda"));
  EXPECT_GE(device_named("cuda").memory().free, before);
}

}  // namespace
}  // namespace obverse
