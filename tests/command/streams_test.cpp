// Pipes that close, streams that are full or not there, threads that cannot be made: files are written all the same.
#include <algorithm>

#include "command/command.h"

namespace obverse::command_test {
namespace {

class Streams : public Command {
 protected:
  Streams() { write("data.csv", small_csv()); }

  static std::vector<std::string> select() {
    return quick({"select", "data.csv", "--target", "class", "-k", "2", "-o", "result"});
  }
  void expect_result() const {
    for (const std::string name : {"ranking.csv", "selection.json", "report.html"}) {
      EXPECT_FALSE(content(path("result/" + name)).empty()) << name;
    }
    fs::remove_all(path("result"));
  }
  /// Exit code 2, a message about stdout, and the files.
  void expect_files_but_no_screen(const Conditions& conditions) const {
    const Outcome outcome = run(select(), conditions);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(outcome.err.starts_with("obverse: cannot write the result to stdout: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    expect_result();
  }
};

TEST_F(Streams, AReaderThatHasSeenEnoughIsNoFault) {
  const Outcome outcome = run(select(), {.broken_pipe = true});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  expect_result();
  for (const std::string verb : {"--help", "options"}) EXPECT_EQ(run({verb}, {.broken_pipe = true}).code, 0);
}

TEST_F(Streams, AFullOrClosedStdoutIsToldWhenTheFilesAreWritten) {
  expect_files_but_no_screen({.out = "/dev/full"});
  expect_files_but_no_screen({.closed = {STDOUT_FILENO}});
  expect_files_but_no_screen({.closed = {STDIN_FILENO, STDOUT_FILENO}});
}

TEST_F(Streams, AFullOrClosedStderrChangesNothing) {
  for (const Conditions& conditions :
       {Conditions{.err = "/dev/full"}, Conditions{.closed = {STDERR_FILENO}}, Conditions{.closed = {STDIN_FILENO}},
        Conditions{.closed = {STDIN_FILENO, STDERR_FILENO}}}) {
    EXPECT_EQ(run(select(), conditions).code, 0);
    expect_result();
    EXPECT_EQ(run({"select", "nowhere.csv"}, conditions).code, 2);
  }
}

TEST_F(Streams, NoFileTakesTheNumberOfAClosedStream) {
  const std::vector<int> all{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  EXPECT_EQ(run(select(), {.closed = all}).code, 2);
  const std::string ranking = content(path("result/ranking.csv"));
  expect_result();
  EXPECT_EQ(run(select()).code, 0);
  EXPECT_EQ(content(path("result/ranking.csv")), ranking);
}

TEST_F(Streams, WithoutThreadsTheSameResultIsMadeByTheOneThatThereIs) {
  EXPECT_EQ(run(select()).code, 0);
  const std::string ranking = content(path("result/ranking.csv"));
  fs::remove_all(path("result"));
  const Outcome alone = run(select(), {.nobody = true, .processes = 1});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(content(path("result/ranking.csv")), ranking);
}

}  // namespace
}  // namespace obverse::command_test
