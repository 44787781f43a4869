#include "support/threads.h"

#include <sys/resource.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "support/folder.h"
#include "support/team.h"

namespace obverse {
namespace {

using support_test::as_nobody;

/// From here on this process gets no more threads.
void refuse_threads() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_NPROC, &none);
}

TEST(Threads, AreJoinedBeforeTheirOwnerGoes) {
  std::atomic<int> ended{0};
  {
    Threads threads;
    EXPECT_EQ(threads.start_many(3, [&] { ++ended; }), 3U);
  }
  EXPECT_EQ(ended, 3);
}

TEST(Threads, HandOnWhatABodyThrows) {
  Threads threads;
  EXPECT_TRUE(threads.start([] { throw std::runtime_error("seven"); }));
  EXPECT_THROW(threads.join(), std::runtime_error);
  EXPECT_NO_THROW(threads.join());
}

TEST(Threads, ThatCannotBeMadeAreNoFault) {
  EXPECT_EQ(as_nobody([] {
              refuse_threads();
              Threads threads;
              EXPECT_EQ(threads.start_many(3, [] {}), 0U);
            }),
            0);
}

TEST(Team, WithoutThreadsDoesTheWorkAlone) {
  EXPECT_EQ(as_nobody([] {
              refuse_threads();
              Team team(4);
              EXPECT_EQ(team.size(), 1U);
              std::vector<int> done(10, 0);
              team.run(done.size(), [&](std::size_t task) { ++done[task]; });
              EXPECT_EQ(done, std::vector<int>(10, 1));
            }),
            0);
}

}  // namespace
}  // namespace obverse
