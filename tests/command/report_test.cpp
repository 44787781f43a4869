// obverse report: from a selection to a page, and what it refuses.
#include "command/command.h"

namespace obverse::command_test {
namespace {

class Report : public Command {
 protected:
  /// A folder `result` with what select writes.
  void select() const {
    write("data.csv", small_csv());
    const Outcome outcome = run(quick({"select", "data.csv", "--target", "class", "-k", "2", "-o", "result"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("result/report.html"), std::string::npos) << outcome.out;
  }
};

TEST_F(Report, IsTheSameBySelectAndByItself) {
  select();
  const std::string first = content(path("result/report.html"));
  EXPECT_TRUE(first.starts_with("<!doctype html>"));
  for (const std::string source : {"result", "result/selection.json"}) {
    const Outcome outcome = run({"report", source, "-o", "page.html"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("Wrote page.html, ")) << outcome.out;
    EXPECT_EQ(content(path("page.html")), first);
  }
}

TEST_F(Report, GoesBesideTheSelectionIfNothingIsSaid) {
  select();
  fs::remove(path("result/report.html"));
  EXPECT_EQ(run({"report", "result/selection.json"}).code, 0);
  EXPECT_TRUE(fs::exists(path("result/report.html")));
  fs::rename(path("result/selection.json"), path("selection.json"));
  EXPECT_EQ(run({"report", "selection.json"}).code, 0);
  EXPECT_TRUE(fs::exists(path("report.html")));
}

TEST_F(Report, OfABaselineIsWrittenToo) {
  write("data.csv", small_csv());
  EXPECT_EQ(run({"select", "data.csv", "--target", "class", "-k", "1", "--method", "anova", "-o", "result"}).code, 0);
  EXPECT_NE(content(path("result/report.html")).find("no network was trained"), std::string::npos);
}

TEST_F(Report, RefusesWhatIsNoSelection) {
  fs::create_directory(path("empty"));
  write("table.csv", small_csv());
  write("other.json", "{\"rows\": [1, 2]}");
  write("list.json", "[]");
  write("nothing.json", "");
  write("study.db", std::string("SQLite format 3\0rest", 20));
  expect_refused({"report"}, "expected a selection");
  expect_refused({"report", "missing.json"}, "no such file");
  expect_refused({"report", "empty"}, "empty/selection.json");
  expect_refused({"report", "table.csv"}, "not a selection");
  expect_refused({"report", "study.db"}, "not a store");
  expect_refused({"report", "nothing.json"}, "cut short");
  expect_refused({"report", "other.json"}, "version: expected a value, found none");
  expect_refused({"report", "list.json"}, "expected an object, found a list of 0");
}

TEST_F(Report, RefusesASelectionThatWasCutShort) {
  select();
  const std::string whole = content(path("result/selection.json"));
  for (const std::size_t bytes : {whole.size() / 4, whole.size() / 2, whole.size() - 3}) {
    write("cut.json", whole.substr(0, bytes));
    expect_refused({"report", "cut.json"}, "not a selection");
  }
}

TEST_F(Report, LeavesNothingBehindWhereItCannotWrite) {
  select();
  expect_refused({"report", "result", "-o", "none/page.html"}, "none");
  expect_refused({"report", "result", "-o", "result"}, "result");
  expect_refused({"report", "result", "-o", "result/selection.json"}, "an input");
  fs::create_symlink("/dev/full", path("full.html"));
  expect_refused({"report", "result", "-o", "full.html"}, "disk is full");
  const std::string before = content(path("result/report.html"));
  expect_refused({"report", "result"}, "result/report.html", {.file_bytes = 4096});
  EXPECT_EQ(content(path("result/report.html")), before);
}

}  // namespace
}  // namespace obverse::command_test
