// What the fuzz targets share: an input as a file that a reader opens by its name, and which exceptions are findings.
#pragma once

#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <obverse/error.h>

#if defined(__SANITIZE_ADDRESS__)
#define OBVERSE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OBVERSE_SANITIZED
#endif
#endif

namespace obverse::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The path of a file in memory that holds the bytes: one file per process, overwritten by the next call.
inline const std::string& file_of(std::string_view bytes) {
  static const int descriptor = memfd_create("input", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const bool written = ftruncate(descriptor, 0) == 0 &&
                       pwrite(descriptor, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  if (!written) {
    std::perror("the input could not be written to memory");
    std::abort();
  }
  return path;
}

/// The bytes with the magic of a format in front, so that no execution is spent on another reader.
inline std::string with_magic(const std::uint8_t* data, std::size_t size, std::string_view magic, std::size_t at = 0) {
  std::string bytes = text_of(data, size);
  if (bytes.size() < at + magic.size()) bytes.resize(at + magic.size(), ' ');
  bytes.replace(at, magic.size(), magic);
  return bytes;
}

/// Ends the process when the body takes too long, in processor time: a busy machine makes no findings.
class TimeLimit {
 public:
  /// The sanitizers make a program three to five times as slow.
#if defined(OBVERSE_SANITIZED)
  static constexpr long kSeconds = 8;
#else
  static constexpr long kSeconds = 2;
#endif

  TimeLimit() {
    static const auto before = std::signal(SIGPROF, [](int) {
      constexpr std::string_view kMessage = "took too much processor time\n";
      [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
      std::abort();
    });
    static_cast<void>(before);
    set(kSeconds);
  }
  ~TimeLimit() { set(0); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  static void set(long seconds) {
    const itimerval left{{}, {seconds, 0}};
    setitimer(ITIMER_PROF, &left, nullptr);
  }
};

/// Runs the code under test. An Error that tells the user what to do is a good answer. An internal one is a finding, as
/// is every other exception, which ends the process.
template <class Body>
void refused_or_done(Body body) {
  const TimeLimit limit;
  try {
    body();
  } catch (const Error& error) {
    if (error.fault() != Fault::internal) return;
    std::fprintf(stderr, "an internal fault: %s\n", error.what());
    std::abort();
  }
}

}  // namespace obverse::fuzz
