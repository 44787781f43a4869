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

/// The class of every second row and the values of `good` are planted words and numbers.
std::string planted_csv() {
  std::string text = "good,noise,class\n";
  for (std::size_t i = 0; i < 60; ++i) {
    text += (i % 2 == 0 ? "31337.25," : "4711.75,") + std::to_string(i * 7 % 11) +
            (i % 2 == 0 ? ",Zaphod\n" : ",Trillian\n");
  }
  return text;
}

TEST_F(Report, ShowsNoValuesOfTheDataWhereNoneMayBeShown) {
  write("data.csv", planted_csv());
  const std::vector<std::string> select{"select", "data.csv", "--target", "class", "-k",
                                        "1",      "--method", "anova",    "-o"};
  const auto selected = [&](std::vector<std::string> words, const std::string& folder) {
    words.push_back(folder);
    return words;
  };
  std::vector<std::string> none = selected(select, "none");
  none.insert(none.end(), {"--report-data", "none"});
  EXPECT_EQ(run(selected(select, "shown")).code, 0);
  EXPECT_EQ(run(none).code, 0);
  EXPECT_EQ(run({"report", "shown", "--report-data", "none", "-o", "later.html"}).code, 0);
  for (const std::string word : {"31337.25", "4711.75", "Zaphod", "Trillian"}) {
    EXPECT_NE(content(path("shown/selection.json")).find(word), std::string::npos) << word;
    EXPECT_NE(content(path("shown/report.html")).find(word), std::string::npos) << word;
    for (const std::string file : {"none/selection.json", "none/report.html", "later.html"}) {
      EXPECT_EQ(content(path(file)).find(word), std::string::npos) << word << " in " << file;
    }
  }
  EXPECT_NE(content(path("none/report.html")).find("good"), std::string::npos);
  expect_refused({"report", "shown", "--report-data", "some"}, "--report-data: expected shown or none");
}

TEST_F(Report, TellsHowToRepeatASelectionOfAStrangeFile) {
  const std::string name = "a'b\"$(x)<script>.csv";
  write(name, small_csv());
  EXPECT_EQ(
      run({"select", name, "--target", "class", "-k", "1", "--method", "anova", "--seed", "0", "-o", "result"}).code,
      0);
  const std::string page = content(path("result/report.html"));
  EXPECT_NE(page.find("obverse select &#39;a&#39;\\&#39;&#39;b&quot;$(x)&lt;script&gt;.csv&#39; --target class "
                      "-k 1 --method anova</code>"),
            std::string::npos);
  EXPECT_NE(page.find("data = pd.read_csv(&#39;a\\&#39;b&quot;$(x)&lt;script&gt;.csv&#39;)"), std::string::npos);
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
