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

TEST_F(Streams, DataMayComeFromStandardInput) {
  write(
      "words.csv", "w,n,class\n" + [] {
        std::string rows;
        for (int i = 0; i < 60; ++i)
          rows +=
              std::string(i % 3 == 0 ? "red," : "blue,") + std::to_string(i * 7 % 11) + (i % 2 == 0 ? ",a\n" : ",b\n");
        return rows;
      }());
  for (const std::string data : {"data.csv", "words.csv"}) {
    const Outcome info = run({"info", "-", "--target", "class"}, {.in = data});
    EXPECT_EQ(info.code, 0) << info.err;
    EXPECT_TRUE(info.out.starts_with("file         standard input\n")) << info.out;
    EXPECT_EQ(info.out.substr(info.out.find("format")), [&] {
      const std::string out = run({"info", data, "--target", "class"}).out;
      return out.substr(out.find("format"));
    }());
    for (const std::string verb : {"select", "evaluate", "compare"}) {
      std::vector<std::string> words{verb, "-", "--target", "class", "-k", "1", "--json"};
      if (verb == "compare") words.insert(words.end(), {"--methods", "rf,anova", "--runs", "1"});
      if (verb != "compare") words.insert(words.end(), {"--method", "anova"});
      EXPECT_EQ(run(words, {.in = data}).code, 0) << verb;
    }
    write("ranking.csv", data == "data.csv" ? "rank,name\n1,good\n" : "rank,name\n1,w\n");
    EXPECT_EQ(
        run({"transform", "-", "--target", "class", "--ranking", "ranking.csv", "-k", "1", "-o", "r.csv"}, {.in = data})
            .code,
        0);
    EXPECT_FALSE(content(path("r.csv")).empty());
  }
}

TEST_F(Streams, StandardInputThatIsNotThereOrReadTwiceIsRefused) {
  write("nothing.csv", "");
  expect_refused({"info", "-"}, "the file is empty", {.in = "nothing.csv"});
  expect_refused({"select", "-", "--target", "class", "--test", "-"}, "can be read once", {.in = "data.csv"});
  expect_refused({"info", "-"}, "-: cannot be read", {.closed = {STDIN_FILENO}});
}

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
