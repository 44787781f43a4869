// A small study in a folder of its own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include <obverse/error.h>
#include <obverse/study.h>

namespace obverse::study_test {

namespace fs = std::filesystem;

/// Two classes told apart by the first column; `shift` changes the others.
inline std::string small_csv(std::size_t rows = 80, std::size_t shift = 0) {
  std::string text = "good,fair,noise,other,class\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t yes = i % 2;
    text += cat(10 * yes + i % 7, ",", 3 * yes + i * 5 % 9, ",", (i + shift) * 7 % 11, ",", i * 5 % 13, ",",
                yes == 1 ? "yes" : "no", "\n");
  }
  return text;
}

constexpr std::string_view kPlan = R"toml(
title = "A small study"
runs = 2
k = [1, 2]
classifiers = ["ert", "knn"]
trees = 5

[[set]]
name = "first"
data = "first.csv"
target = "class"

[[set]]
name = "second"
title = "The second set"
data = "second.csv"
target = "class"
training_rows = 64
test_rows = 16
features = 4
classes = 2

[[set]]
name = "absent"
data = "absent.csv"
target = "class"

[[method]]
name = "cfm"
method = "cfm"
title = "CFM"
gamma = [0.1, 1]
epochs = 3

[[method]]
name = "fm"
title = "FM"
method = "fm"
epochs = 3

[[method]]
name = "anova"
method = "anova"
pick = "model"

[[comparison]]
first = "cfm"
second = "fm"
)toml";

/// A folder with two data sets and a plan, gone after the test.
class Study : public testing::Test {
 protected:
  Study() : room_(fs::temp_directory_path() / ("obverse_study_" + std::to_string(getpid()))) {
    fs::remove_all(room_);
    fs::create_directories(room_);
    write("first.csv", small_csv());
    write("second.csv", small_csv(80, 3));
    write("plan.toml", kPlan);
  }
  ~Study() override { fs::remove_all(room_); }

  std::string path(const std::string& name) const { return (room_ / name).string(); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  StudyOptions options(const std::string& store = "results.db") const {
    return {.plan = path("plan.toml"), .data = room_.string(), .store = path(store), .threads = 2};
  }

  /// The message of the Error that `body` throws.
  template <class Body>
  static std::string message_of(Body body) {
    try {
      body();
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "expected an Error";
    return {};
  }

 private:
  fs::path room_;
};

inline void expect_holds(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected '" << part << "' in: " << text;
}

}  // namespace obverse::study_test
