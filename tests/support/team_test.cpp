#include "support/team.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace obverse {
namespace {

TEST(Team, RunsEveryTaskOnce) {
  for (const std::size_t size : {1, 2, 5}) {
    Team team(size);
    EXPECT_EQ(team.size(), size);
    for (const std::size_t tasks : {0, 1, 2, 3, 100}) {
      std::vector<std::atomic<int>> runs(tasks);
      team.run(tasks, [&](std::size_t task) { ++runs[task]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Team, SeesInTheNextLoopWhatTheLastOneWrote) {
  Team team(3);
  std::vector<long> values(64, 0);
  for (int loop = 0; loop < 20000; ++loop) {
    team.run(values.size(), [&](std::size_t i) { values[i] += 1; });
  }
  for (const long value : values) EXPECT_EQ(value, 20000);
}

TEST(Team, ThrowsWhatATaskThrewAndGoesOn) {
  Team team(2);
  EXPECT_THROW(team.run(10,
                        [](std::size_t task) {
                          if (task == 7) throw std::runtime_error("seven");
                        }),
               std::runtime_error);
  std::atomic<int> runs = 0;
  team.run(10, [&](std::size_t) { ++runs; });
  EXPECT_EQ(runs, 10);
}

TEST(FlushDenormals, EndsWithItsLife) {
  volatile float small = 1e-38F;
  {
    const FlushDenormals flush;
#if defined(__x86_64__) || defined(__aarch64__)
    EXPECT_EQ(small * 0.01F, 0.0F);
#endif
  }
  EXPECT_GT(small * 0.01F, 0.0F);
}

}  // namespace
}  // namespace obverse
