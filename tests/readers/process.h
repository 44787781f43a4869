// A call in a process of its own, for what it does to memory.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>
#include <string>

#include <obverse/error.h>

namespace obverse::test {

/// What a call did in a process of its own: 0 for an Error with `part` in its message, 1 for data, 2 for anything else;
/// and the most memory that it took beyond what the process had before.
struct Outcome {
  int code = 0;
  long megabytes = 0;
};

inline Outcome in_a_process(const std::function<void()>& call, const std::string& part) {
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(::pipe(pipe_ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    rusage before{};
    ::getrusage(RUSAGE_SELF, &before);
    try {
      call();
    } catch (const Error& error) {
      code = std::string(error.what()).find(part) != std::string::npos && error.fault() != Fault::internal ? 0 : 2;
      if (code == 2) std::fprintf(stderr, "%s\n", error.what());
    } catch (...) {
      code = 2;
    }
    rusage after{};
    ::getrusage(RUSAGE_SELF, &after);
    const long kilobytes = after.ru_maxrss - before.ru_maxrss;
    const bool told = ::write(pipe_ends[1], &kilobytes, sizeof kilobytes) == sizeof kilobytes;
    ::_exit(told ? code : 3);
  }
  long kilobytes = -1;
  ::close(pipe_ends[1]);
  EXPECT_EQ(::read(pipe_ends[0], &kilobytes, sizeof kilobytes), static_cast<ssize_t>(sizeof kilobytes));
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 9, kilobytes >> 10};
}

// The sanitizers keep what was freed, so that the figure says nothing with them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr long kMostMegabytes = 1L << 20;
#else
inline constexpr long kMostMegabytes = 250;
#endif

}  // namespace obverse::test
