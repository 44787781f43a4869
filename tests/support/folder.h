// A folder for one test, and how files look in it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <grp.h>
#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse::support_test {

namespace fs = std::filesystem;

/// Empty at its start and gone after the test.
class Files : public testing::Test {
 protected:
  Files() : room_(fs::temp_directory_path() / cat("obverse_file_test_", getpid())) {
    fs::remove_all(room_);
    fs::create_directory(room_);
  }
  ~Files() override { fs::remove_all(room_); }

  std::string path(const std::string& name) const { return (room_ / name).string(); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::size_t entries(const std::string& folder = "") const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(room_ / folder), fs::directory_iterator()));
  }
  std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path room_;
};

inline std::string fault_of(Fault expected, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

/// Runs the body in another process, and waits for its end: a signal as 128 and its number.
inline int in_child(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The same as a user who may not do everything.
inline int as_nobody(const std::function<void()>& body) {
  return in_child([&] {
    constexpr unsigned kNobody = 65534;
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(99);
    body();
  });
}

}  // namespace obverse::support_test
