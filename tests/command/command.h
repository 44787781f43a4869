// Runs the real command in a folder of its own, as a user would.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace obverse::command_test {

namespace fs = std::filesystem;

/// How a run of the command ended.
struct Outcome {
  int code = -1;  ///< exit code; -1 when a signal ended it
  std::string out;
  std::string err;
};

/// What is unusual about a run.
struct Conditions {
  rlim_t file_bytes = RLIM_INFINITY;  ///< largest file it may write
  int signal = 0;                     ///< sent to it after `signal_after`
  std::chrono::milliseconds signal_after{300};
  bool nobody = false;               ///< as another user, if this one may do anything
  rlim_t processes = RLIM_INFINITY;  ///< processes and threads that its user may have
  std::string in = {};               ///< stdin comes from this file
  std::string out = {};              ///< stdout goes to this device
  std::string err = {};              ///< the same for stderr
  std::vector<int> closed = {};      ///< descriptors that are closed when it begins
  bool broken_pipe = false;          ///< stdout is a pipe that nobody reads
};

inline std::string content(const fs::path& path) {
  if (!fs::is_regular_file(path)) return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder to work in, gone after the test.
class Command : public testing::Test {
 protected:
  Command()
      : base_(fs::temp_directory_path() / ("obverse_command_" + std::to_string(getpid()))), room_(base_ / "room") {
    fs::remove_all(base_);
    fs::create_directories(room_);
    for (const fs::path& folder : {base_, room_}) fs::permissions(folder, fs::perms::all);
  }
  ~Command() override { fs::remove_all(base_); }

  fs::path path(const std::string& name) const { return room_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  Outcome run(const std::vector<std::string>& arguments, const Conditions& conditions = {}) const {
    const pid_t child = fork();
    if (child == 0) become(arguments, conditions);
    if (conditions.signal != 0) {
      std::this_thread::sleep_for(conditions.signal_after);
      kill(child, conditions.signal);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(base_ / "out"), content(base_ / "err")};
  }

  /// Runs what must be refused: exit code 2, one line on stderr that holds `word`, no new files.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& word,
                      const Conditions& conditions = {}) const {
    const auto before = entries();
    const Outcome outcome = run(arguments, conditions);
    EXPECT_EQ(outcome.code, 2) << outcome.err << outcome.out;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("obverse: ")) << outcome.err;
    EXPECT_NE(outcome.err.find(word), std::string::npos) << "expected '" << word << "' in: " << outcome.err;
    EXPECT_EQ(entries(), before);
  }

  std::set<std::string> entries() const {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(room_)) all.insert(entry.path().string());
    return all;
  }

  /// Two classes told apart by `good`; `noise` is none of their business. Enough rows for every split.
  static std::string small_csv(std::size_t rows = 60) {
    std::string text = "good,noise,other,class\n";
    for (std::size_t i = 0; i < rows; ++i) {
      const bool yes = i % 2 == 0;
      text += std::to_string(yes ? 10 + i % 5 : i % 5) + "," + std::to_string(i * 7 % 11) + "," +
              std::to_string(i * 5 % 13) + (yes ? ",yes\n" : ",no\n");
    }
    return text;
  }

 private:
  [[noreturn]] void become(const std::vector<std::string>& arguments, const Conditions& conditions) const {
    const auto open_as = [](const fs::path& file, int descriptor) {
      dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), descriptor);
    };
    if (!conditions.in.empty()) dup2(open(path(conditions.in).c_str(), O_RDONLY), STDIN_FILENO);
    open_as(conditions.out.empty() ? base_ / "out" : fs::path(conditions.out), STDOUT_FILENO);
    open_as(conditions.err.empty() ? base_ / "err" : fs::path(conditions.err), STDERR_FILENO);
    if (conditions.broken_pipe) {
      int ends[2];
      if (pipe(ends) != 0) _exit(99);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      std::signal(SIGPIPE, SIG_DFL);
    }
    if (chdir(room_.c_str()) != 0) _exit(99);
    // Opened first: another user may not get to the folder that it is in.
    const int command = open(OBVERSE_COMMAND, O_PATH | O_CLOEXEC);
    if (conditions.nobody && geteuid() == 0) {
      constexpr unsigned kNobody = 65534;
      if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(99);
    }
    if (conditions.processes != RLIM_INFINITY) {
      const rlimit limit{.rlim_cur = conditions.processes, .rlim_max = conditions.processes};
      setrlimit(RLIMIT_NPROC, &limit);
    }
    for (const int descriptor : conditions.closed) close(descriptor);
    if (conditions.file_bytes != RLIM_INFINITY) {
      const rlimit limit{.rlim_cur = conditions.file_bytes, .rlim_max = conditions.file_bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::vector<char*> words{const_cast<char*>("obverse")};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    fexecve(command, words.data(), environ);
    _exit(98);
  }

  fs::path base_;
  fs::path room_;
};

/// A short training: these tests are about the command, not about the answer.
inline std::vector<std::string> quick(std::vector<std::string> arguments) {
  for (const char* word : {"--effort", "quick", "--epochs", "3"}) arguments.emplace_back(word);
  return arguments;
}

}  // namespace obverse::command_test
