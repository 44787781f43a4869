// No output of any command may be one of its inputs or another of its outputs: exit code 2 before any work.
#include <map>
#include <regex>

#include "command/command.h"

namespace obverse::command_test {
namespace {

using Words = std::vector<std::string>;

const Words kData{"data.csv", "--target", "class"};

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// A command with one output, given by an option or a place in a folder.
struct Case {
  Words command;       ///< with all inputs
  std::string option;  ///< of the output
  std::string folder;  ///< name in the output folder; empty: the output is a file
  Words inputs;        ///< files that must not be overwritten
};

class OutputOverInput : public Command {
 protected:
  OutputOverInput() {
    write("data.csv", small_csv());
    write("labels.txt", labels());
    write("test.csv", small_csv());
    write("test_labels.txt", labels());
    write("run.toml", "seed = 1\n");
    write("ranking.csv", "rank,name\n1,good\n2,noise\n");
    write("pictures.csv", small_csv());
    write("plan.toml",
          "runs = 1\nk = [1]\nclassifiers = [\"knn\"]\n[[set]]\nname = \"tiny\"\ndata = \"data.csv\"\n"
          "target = \"class\"\n[[method]]\nname = \"anova\"\nmethod = \"anova\"\n");
    const Outcome made = run({"study", "plan.toml", "--store", "s.db", "--threads", "1"});
    EXPECT_EQ(made.code, 0) << made.err;
  }

  static std::string labels() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += i % 2 == 0 ? "yes\n" : "no\n";
    return text;
  }

  static std::vector<Case> cases() {
    const Words unlabelled{"data.csv",      "--labels",        "labels.txt", "--test",  "test.csv",
                           "--test-labels", "test_labels.txt", "--config",   "run.toml"};
    const Words all{"data.csv", "labels.txt", "test.csv", "test_labels.txt", "run.toml"};
    std::vector<Case> cases;
    for (const std::string name : {"ranking.csv", "selection.json", "report.html"}) {
      cases.push_back({Words{"select"} + unlabelled, "-o", name, all});
    }
    cases.push_back({Words{"select"} + unlabelled, "--transform", "", all});
    for (const std::string name : {"evaluation.csv", "results.csv", "evaluation.json"}) {
      cases.push_back({Words{"evaluate"} + unlabelled, "-o", name, all});
      cases.push_back({Words{"evaluate"} + kData + Words{"--ranking", "ranking.csv"}, "-o", name, {"ranking.csv"}});
    }
    for (const std::string name : {"results.csv", "comparison.json", "report.html"}) {
      cases.push_back({Words{"compare"} + unlabelled, "-o", name, all});
    }
    cases.push_back({Words{"transform", "data.csv", "--labels", "labels.txt", "--ranking", "ranking.csv", "-k", "1"},
                     "-o",
                     "",
                     {"data.csv", "labels.txt", "ranking.csv"}});
    cases.push_back({{"report", "s.db"}, "-o", "", {"s.db", "s.db-journal", "s.db-wal"}});
    cases.push_back({{"study", "export", "s.db"}, "--markdown", "", {"s.db", "s.db-journal", "s.db-wal"}});
    for (const std::string name : {"results.csv", "cells.csv", "comparisons.csv", "study.json"}) {
      cases.push_back({{"study", "export", "s.db"}, "-o", name, {"s.db"}});
    }
    cases.push_back({{"study", "plan.toml", "--data", "."}, "--store", "", {"plan.toml", "data.csv"}});
    for (const std::string option : {"-o", "--truth"}) {
      Words generate{"generate", "fournine", "--pictures", "pictures.csv", "--labels", "labels.txt"};
      if (option == "--truth") generate = generate + Words{"-o", "new.csv"};
      cases.push_back({generate, option, "", {"pictures.csv", "labels.txt"}});
    }
    return cases;
  }

  /// Refused, with every file as it was.
  void expect_kept(const Words& arguments, const std::string& word) const {
    const auto before = contents();
    expect_refused(arguments, word);
    EXPECT_EQ(contents(), before) << arguments.front() << " " << arguments.back();
  }

  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const std::string& entry : entries()) all[entry] = content(entry);
    return all;
  }
};

TEST_F(OutputOverInput, IsRefusedForEveryOutputAndInputOfEveryCommand) {
  for (const Case& one : cases()) {
    for (const std::string& input : one.inputs) {
      if (one.folder.empty()) {
        if (fs::exists(path(input))) expect_kept(one.command + Words{one.option, "./" + input}, "an input");
        if (!fs::exists(path(input))) expect_refused(one.command + Words{one.option, input}, "an input");
        continue;
      }
      fs::create_directory(path("out"));
      fs::create_symlink("../" + input, path("out/" + one.folder));
      expect_kept(one.command + Words{one.option, "out"}, "an input");
      fs::remove_all(path("out"));
    }
  }
}

TEST_F(OutputOverInput, IsSeenThroughLinksOfBothKinds) {
  fs::create_symlink("data.csv", path("symbolic.csv"));
  fs::create_hard_link(path("data.csv"), path("hard.csv"));
  fs::create_directory_symlink(".", path("here"));
  for (const std::string name : {"symbolic.csv", "hard.csv", "here/data.csv"}) {
    expect_kept({"transform", "data.csv", "--target", "class", "--ranking", "ranking.csv", "-k", "1", "-o", name},
                "same file as 'data.csv'");
  }
}

TEST_F(OutputOverInput, OfAFolderIsEveryFileInItButTheReport) {
  ASSERT_EQ(run(quick(Words{"select"} + kData + Words{"-k", "1", "-o", "sel"})).code, 0);
  fs::create_directory(path("sel/notes"));
  write("sel/notes/mine.txt", "mine");
  for (const std::string name : {"sel/ranking.csv", "sel/selection.json", "sel/notes/mine.txt"}) {
    expect_kept({"report", "sel", "-o", name}, "an input");
  }
  EXPECT_EQ(run({"report", "sel", "-o", "sel/report.html"}).code, 0);
  EXPECT_EQ(run({"report", "sel", "-o", "sel/other.html"}).code, 0);
}

TEST_F(OutputOverInput, TwoOutputsAreTwoFiles) {
  fs::create_symlink("new.csv", path("link.csv"));
  for (const std::string name : {"new.csv", "./new.csv", "link.csv"}) {
    expect_kept({"generate", "xor", "-o", "new.csv", "--truth", name}, "twice");
  }
  const Words select = Words{"select"} + kData + Words{"-k", "1"};
  expect_kept(select + Words{"-o", "out", "--transform", "out/ranking.csv"}, "twice");
  expect_kept(select + Words{"-o", "out", "--transform", "out"}, "a file and a folder");
  expect_kept(select + Words{"-o", "out.csv/deep", "--transform", "out.csv"}, "a file and a folder");
  expect_kept({"study", "export", "s.db", "-o", "out", "--markdown", "out/cells.csv"}, "twice");
}

TEST_F(OutputOverInput, DevicesMayBeGivenTwice) {
  EXPECT_EQ(run({"generate", "xor", "-o", "new.csv", "--truth", "/dev/null"}).code, 0);
}

// Fails for an option that takes a file and is not known here: add it to the cases above, or to those that are read.
TEST_F(OutputOverInput, EveryOptionThatTakesAFileIsCovered) {
  const std::map<std::string, std::set<std::string>> known{
      {"select", {"--labels", "--test", "--test-labels", "--config", "--output", "--transform"}},
      {"evaluate", {"--labels", "--test", "--test-labels", "--config", "--ranking", "--output"}},
      {"compare", {"--labels", "--test", "--test-labels", "--config", "--output"}},
      {"transform", {"--labels", "--ranking", "--output"}},
      {"report", {"--output"}},
      {"study", {"--data", "--store"}},
      {"study export", {"--output", "--markdown"}},
      {"study status", {}},
      {"info", {"--labels"}},
      {"options", {}},
      {"demo", {"--output"}},
      {"generate", {"--pictures", "--labels", "--output", "--truth"}}};
  const std::regex option("(--[a-z-]+) (FILE|DIR)");
  for (const auto& [verb, options] : known) {
    Words words{verb.substr(0, verb.find(' '))};
    if (verb.find(' ') != std::string::npos) words.push_back(verb.substr(verb.find(' ') + 1));
    const std::string help = run(words + Words{"--help"}).out;
    std::set<std::string> found;
    for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) found.insert((*at)[1]);
    EXPECT_EQ(found, options) << verb;
  }
}

}  // namespace
}  // namespace obverse::command_test
