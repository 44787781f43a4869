// Every bad input that a user can hand to the command: exit code 2, one message that helps, no files.
#include <algorithm>
#include <string_view>
#include <utility>

#include "command/command.h"

namespace obverse::command_test {
namespace {

class BadInput : public Command {
 protected:
  /// `select` on a file with this text.
  void expect_file_refused(const std::string& text, const std::string& word) const {
    write("data.csv", text);
    expect_refused(quick({"select", "data.csv", "--target", "class", "-k", "1", "-o", "result"}), word);
  }
};

TEST_F(BadInput, MissingFile) { expect_refused({"select", "nowhere.csv", "--target", "y"}, "nowhere.csv"); }

TEST_F(BadInput, Directory) {
  fs::create_directory(path("folder"));
  expect_refused({"select", "folder", "--target", "y"}, "folder");
}

TEST_F(BadInput, NoPermission) {
  write("data.csv", small_csv());
  fs::permissions(path("data.csv"), fs::perms::none);
  expect_refused({"select", "data.csv", "--target", "class"}, "permission", {.nobody = true});
  write("ranking.csv", "rank,name\n1,good\n");
  fs::permissions(path("data.csv"), fs::perms::others_read | fs::perms::owner_read);
  fs::permissions(path("ranking.csv"), fs::perms::none);
  expect_refused({"transform", "data.csv", "--ranking", "ranking.csv", "-k", "1", "-o", "r.csv"}, "permission",
                 {.nobody = true});
}

TEST_F(BadInput, NoPermissionToWrite) {
  write("data.csv", small_csv());
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  const auto to = [](const std::string& flag, const std::string& place) {
    return std::vector<std::string>{"select", "data.csv", "--target", "class", "-k", "1", flag, place};
  };
  expect_refused(to("-o", "closed"), "no permission", {.nobody = true});
  expect_refused(to("-o", "closed/result"), "no permission", {.nobody = true});
  expect_refused(to("--transform", "closed/r.csv"), "no permission", {.nobody = true});
}

TEST_F(BadInput, EmptyFile) { expect_file_refused("", "empty"); }

TEST_F(BadInput, HeaderOnly) { expect_file_refused("good,noise,class\n", "data.csv"); }

TEST_F(BadInput, RaggedRowHasItsLineExpectedAndFound) {
  const std::string text = "a,b,class\n1,2,x\n3,4,y\n5,6\n6,7,y\n";
  for (const std::string word : {"data.csv:4", "expected 3", "found 2"}) expect_file_refused(text, word);
}

TEST_F(BadInput, ColumnsThatChangeTheirKindHaveThePlace) {
  std::string halves = "a,class\n";
  for (int i = 0; i < 20; ++i)
    halves.append(i < 10 ? "" : "w").append(std::to_string(i)).append(i % 2 == 0 ? ",x\n" : ",y\n");
  expect_file_refused(halves, "data.csv:12: column 'a': expected a number, found 'w10'");
  expect_file_refused("a,class\n2024-03-01,x\n2024-03-02,y\n2024-03-03,x\n99999-01-01,y\n",
                      "data.csv:5: column 'a': expected a date such as 2024-03-01, found '99999-01-01'");
}

TEST_F(BadInput, LinesAndQuotesThatEndNowhereHaveTheirPlace) {
  expect_file_refused("a,b,class\n1,u,x\r2,v,y\n3,u,x\n",
                      "data.csv:2: expected 3 values, found 5 and a carriage return");
  expect_file_refused("a,b,class\n1,u,x\n2,\"v,y\n3,u,x\n", "data.csv:3: column 'b': a quote opens");
}

TEST_F(BadInput, NamesAndTargetsThatTellNothingAreNamed) {
  expect_file_refused("class,b,class\n1,2,x\n3,4,y\n", "several columns are called 'class'");
  expect_file_refused("a,b,class\n1,2,\n3,4,NA\n", "the target 'class' is missing in every row");
  write("data.csv", "a,site,class\n1,s,x\n2,s,y\n3,s,x\n4,s,y\n");
  expect_refused({"select", "data.csv", "--target", "class", "--row-groups", "site"}, "all rows in one group, 's'");
  write("data.csv", small_csv());
  expect_refused({"select", "data.csv", "--target", "class", "--drop", "day_*"}, "fits the pattern 'day_*'");
}

TEST_F(BadInput, TextInAColumnThatIsToBeNumbersHasColumnAndValue) {
  write("data.csv", "a,b,class\n1,2,x\n3,hot,y\n5,6,x\n7,8,y\n");
  expect_refused({"select", "data.csv", "--target", "class", "--as", "b=number"}, "hot");
}

TEST_F(BadInput, InfinityHasItsColumnAndSoHaveMissingValuesThatAreNotAllowed) {
  expect_file_refused("a,b,class\n1,2,x\n3,inf,y\n5,6,x\n7,8,y\n", "b");
  for (const std::string cell : {"nan", ""}) {
    write("data.csv", "a,b,class\n1,2,x\n3," + cell + ",y\n5,6,x\n7,8,y\n");
    expect_refused({"select", "data.csv", "--target", "class", "--missing", "error"}, "b");
  }
}

TEST_F(BadInput, OneClassOnly) { expect_file_refused("a,b,class\n1,2,x\n3,4,x\n5,6,x\n7,8,x\n", "class"); }

TEST_F(BadInput, ClassWithOneRow) {
  expect_file_refused("a,b,class\n1,2,x\n3,4,x\n5,6,x\n7,8,rare\n9,8,y\n7,7,y\n", "rare");
}

TEST_F(BadInput, KOfNoneOrMoreThanThereAre) {
  write("data.csv", small_csv());
  expect_refused({"select", "data.csv", "--target", "class", "-k", "0"}, "at least 1");
  expect_refused({"select", "data.csv", "--target", "class", "-k", "-3"}, "at least 1");
  expect_refused({"select", "data.csv", "--target", "class", "-k", "4"}, "3");
}

TEST_F(BadInput, UnknownTargetNamesTheNearest) {
  write("data.csv", small_csv());
  expect_refused({"select", "data.csv", "--target", "clas"}, "class");
}

TEST_F(BadInput, LyingIdxHeaderDoesNotAllocate) {
  // Magic for bytes in three dimensions, then 2^31-1 pictures of 28 x 28, then nothing.
  const std::string header("\x00\x00\x08\x03\x7f\xff\xff\xff\x00\x00\x00\x1c\x00\x00\x00\x1c", 16);
  write("images.idx3", header + std::string(100, 'x'));
  write("labels.idx1", std::string("\x00\x00\x08\x01\x00\x00\x00\x02\x00\x01", 10));
  expect_refused({"select", "images.idx3", "--labels", "labels.idx1", "-k", "5"}, "images.idx3");
}

TEST_F(BadInput, ControlCharactersOfAFileDoNotReachTheTerminal) {
  write("data.csv", "a\x1b[2J,b,class\n1,2,x\nbad\x1b[31m,4,y\n5,6,x\n7,8,y\n");
  const Outcome refused = run({"select", "data.csv", "--target", "class", "--as", "1=number"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err.find('\x1b'), std::string::npos) << refused.err;
  for (const std::string verb : {"select", "info"}) {
    const Outcome outcome = run({verb, "data.csv", "--target", "class"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos) << outcome.out;
  }
}

TEST_F(BadInput, PlacesThatCannotBeWrittenAreFoundBeforeTheTraining) {
  write("data.csv", small_csv());
  write("file", "in the way");
  const std::vector<std::string> select{"select", "data.csv", "--target", "class", "-k", "1"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = select;
    all.insert(all.end(), more);
    return all;
  };
  expect_refused(with({"-o", "file"}), "file");
  expect_refused(with({"--transform", "no/where.csv"}), "no folder");
  expect_refused(with({"--transform", "x.xlsx"}), ".csv");
  expect_refused(with({"--transform", "x.svm"}), "numbers");
}

TEST_F(BadInput, FullDiskWhileWriting) {
  write("data.csv", small_csv());
  fs::create_symlink("/dev/full", path("full.csv"));
  const std::vector<std::string> select{"select", "data.csv", "--target", "class", "-k", "2", "-o", "result"};
  std::vector<std::string> both = select;
  both.insert(both.end(), {"--transform", "full.csv"});
  expect_refused(quick(both), "disk is full");
  // Room for ranking.csv, none for selection.json.
  expect_refused(quick(select), "selection.json", {.file_bytes = 200});
}

TEST_F(BadInput, CtrlCWhileTraining) {
  write("data.csv", small_csv(5000));
  const std::vector<std::string> endless{"select",   "data.csv", "--target", "class", "-k", "1",
                                         "--epochs", "1000000",  "--gamma",  "1",     "-o", "result"};
  expect_refused(endless, "stopped", {.signal = SIGINT});
  expect_refused(endless, "stopped", {.signal = SIGTERM});
}

TEST_F(BadInput, RankingOfOtherData) {
  write("data.csv", small_csv());
  write("ranking.csv", "rank,name\n1,goood\n2,noise\n");
  const std::vector<std::string> transform{"transform", "data.csv", "--target", "class", "--ranking", "ranking.csv"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = transform;
    all.insert(all.end(), more);
    return all;
  };
  expect_refused(with({"-k", "1", "-o", "r.csv"}), "good");
  expect_refused(with({"-k", "3", "-o", "r.csv"}), "at most 2");
  expect_refused(with({"-k", "1"}), "-o");
  expect_refused({"transform", "data.csv", "--ranking", "data.csv", "-k", "1", "-o", "r.csv"}, "'name'");
}

/// A command line, words between spaces and '' for an empty one, and what the message has to hold.
struct Refused {
  std::string_view command;
  std::string_view word;
};

std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  while (!command.empty()) {
    const std::size_t end = std::min(command.find(' '), command.size());
    words.emplace_back(command.substr(0, end) == "''" ? "" : command.substr(0, end));
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return words;
}

class Tables : public BadInput {
 protected:
  Tables() {
    write("data.csv", small_csv());
    write("numbers.csv", "a,b,c\n1,2,3\n2,3,4\n3,4,5\n4,5,6\n");
    write("labels.txt", "x\ny\nx\ny\n");
    write("short.txt", "x\ny\n");
    write("ranking.csv", "rank,name\n1,good\n2,noise\n");
    write("twice.csv", "rank,name\n1,good\n2,good\n");
    write("bare.csv", "rank,name\n");
    write("ragged.csv", "rank,name\n1,good\n2\n");
    write("plan.toml", plan());
    write("object.json", "{\"version\": 1}");
    fs::create_directory(path("folder"));
    fs::create_symlink("nowhere", path("dangling"));
  }

  static std::string plan() {
    return "runs = 1\nk = [1]\nclassifiers = [\"knn\"]\n[[set]]\nname = \"tiny\"\ndata = \"data.csv\"\n"
           "target = \"class\"\n[[method]]\nname = \"anova\"\nmethod = \"anova\"\n";
  }
  static std::string changed_plan(const std::string& from, const std::string& to) {
    std::string text = plan();
    text.replace(text.find(from), from.size(), to);
    return text;
  }

  void expect_all_refused(std::initializer_list<Refused> cases, std::string_view before = "") const {
    for (const Refused& one : cases) {
      SCOPED_TRACE(one.command);
      expect_refused(words_of(std::string(before) + std::string(one.command)), std::string(one.word));
    }
  }
};

TEST_F(Tables, OfOptionsOfSelect) {
  expect_all_refused(
      {
          {"-k x", "found 'x'"},
          {"-k 1.5", "found '1.5'"},
          {"-k 99999999999999999999", "from 1 to 2147483647"},
          {"-k ''", "found ''"},
          {"-k 1 -k 2", "expected one value"},
          {"--rho 0", "above 0"},
          {"--rho abc", "found 'abc'"},
          {"--rho -5%", "found '-5%'"},
          {"--epochs 0", "at least 1"},
          {"--epochs many", "found 'many'"},
          {"--epochs -1", "at least 1"},
          {"--epochs 1 --epochs 2", "expected one value"},
          {"--batch-size 0", "at least 1"},
          {"--batch-size 1e9x", "found '1e9x'"},
          {"--seed -1", "at least 0"},
          {"--seed x", "found 'x'"},
          {"--seeds 0", "from 1 to 1000"},
          {"--seeds x", "found 'x'"},
          {"--gamma ''", "--gamma: expected a number"},
          {"--gamma nan", "found 'nan'"},
          {"--gamma a,b", "found 'a,b'"},
          {"--threads 0", "from 1 to 1024"},
          {"--threads -2", "found '-2'"},
          {"--threads 2000", "found '2000'"},
          {"--threads two", "found 'two'"},
          {"--device gpu", "--device: expected"},
          {"--device cuda:x", "found 'cuda:x'"},
          {"--precision f16", "--precision: expected"},
          {"--scaling none2", "standardise"},
          {"--task classify", "multilabel"},
          {"--method ''", "--method: expected auto, cfm"},
          {"--complement maybe", "remainder"},
          {"--complement-loss l3", "entropy"},
          {"--effort max", "thorough"},
          {"--recipe ''", "--recipe: expected"},
          {"--learning-rate 0", "above 0"},
          {"--learning-rate inf", "found 'inf'"},
          {"--learning-rate -1", "found '-1'"},
          {"--dropout -0.1", "from 0 to 0.95"},
          {"--class-weights equal", "balanced"},
          {"--choice vote", "--choice: expected"},
          {"--bogus", "no option is called '--bogus'"},
          {"--layers 2", "--labels"},
          {"--validation 2", "--validation-fraction"},
          {"--header perhaps", "auto, yes or no"},
          {"--separator ;;", "auto, space, tab or CHARACTER"},
          {"--separator 0", "one character"},
          {"--separator ''", "auto, space, tab or CHARACTER"},
          {"--weights ''", "--weights: expected a column"},
          {"--drop good,good", "columns, each once"},
          {"--drop nothing", "there is no column to drop 'nothing'"},
          {"--drop good,noise,other", "no column is left"},
          {"--weights nothing", "no weight column 'nothing'"},
          {"--weights class", "no weight column 'class'"},
          {"--row-groups nothing", "no column to split by 'nothing'"},
          {"--row-groups class", "cannot be split by and be the target"},
          {"--row-groups good --drop good", "cannot be split by and be left out"},
          {"--row-groups good --time noise", "not both"},
          {"--targets good,absent", "not both"},
          {"--labels labels.txt", "not both"},
          {"--test nowhere.csv", "no such file"},
          {"--test folder", "folder"},
          {"--test-labels labels.txt", "expected --test FILE"},
          {"--json=maybe", "--json"},
          {"extra", "cannot tell what 'extra' is for"},
          {"--task regression", "expected a number, found 'yes'"},
      },
      "select data.csv --target class ");
}

TEST_F(Tables, OfTargets) {
  expect_all_refused({
      {"select data.csv", "which of the 4 columns"},
      {"select data.csv --target 0", "no target column '0'"},
      {"select data.csv --target 9", "no target column '9'"},
      {"select data.csv --target -9", "no target column '-9'"},
      {"select numbers.csv --labels short.txt", "short.txt"},
      {"select numbers.csv --labels nowhere.txt", "nowhere.txt"},
      {"select numbers.csv --labels folder", "folder"},
      {"select numbers.csv --labels numbers.csv", "numbers.csv"},
      {"select numbers.csv --task multilabel --targets a,b", "a"},
      {"info data.csv --target nothing", "no target column 'nothing'"},
      {"info data.csv --as good=word", "with a kind of number, boolean, category, date"},
      {"info data.csv --as absent=date", "there is no column 'absent'"},
      {"info data.csv --as class=number", "expected a number, found 'yes'"},
      {"info data.csv --missing ignore", "impute, drop-rows or error"},
      {"info data.csv --drop x*z", "fits the pattern 'x*z'"},
      {"info nowhere.csv", "no such file"},
      {"info folder", "folder"},
      {"info", "expected a data file"},
  });
}

TEST_F(Tables, OfConfigFiles) {
  for (const auto& [text, word] : std::initializer_list<std::pair<std::string, std::string>>{
           {"k = 0\n", "run.toml:1: k: "},
           {"k = \"two\"\n", "found the text 'two'"},
           {"epochs = [1, 2]\n", "found '1,2'"},
           {"= 3\n", "not TOML"},
           {"[section]\nk = 1\n", "no option is called 'section'"},
           {"k = 1\nk = 2\n", "run.toml:2"},
           {"device = \"gpu\"\n", "found the text 'gpu'"},
           {"gamma = []\n", "gamma: expected"},
           {"method = \"magic\"\n", "method: expected auto, cfm"},
           {"threads = -1\n", "from 1 to 1024"},
           {"seed = 1.5\n", "found '1.5'"},
           {"\xff\n", "not TOML"},
           {"recipe = {a = 1}\n", "recipe: expected"},
           {"unknown = 1\n", "no option is called 'unknown'"},
           {"effort = 'quick", "not TOML"}}) {
    write("run.toml", text);
    SCOPED_TRACE(text);
    expect_refused({"select", "data.csv", "--target", "class", "--config", "run.toml"}, word);
  }
  expect_all_refused({{"select data.csv --target class --config folder", "it is a folder"},
                      {"select data.csv --target class --config data.csv", "not TOML"}});
}

TEST_F(Tables, OfTransformEvaluateAndCompare) {
  expect_all_refused({
      {"transform", "expected a data file"},
      {"transform data.csv", "expected --ranking"},
      {"transform data.csv --target class --ranking ranking.csv", "expected -o"},
  });
  expect_all_refused(
      {
          {"--ranking nowhere.csv -k 1 -o r.csv", "no such file"},
          {"--ranking folder -k 1 -o r.csv", "it is a folder"},
          {"--ranking twice.csv -k 2 -o r.csv", "'good' again"},
          {"--ranking bare.csv -k 1 -o r.csv", "no features below"},
          {"--ranking ragged.csv -k 1 -o r.csv", "ragged.csv:3"},
          {"--ranking ranking.csv -k 0 -o r.csv", "at least 1"},
          {"--ranking ranking.csv -k 1 -o r.xyz", ".npz"},
          {"--ranking ranking.csv -k 1 -o folder", "it is a folder"},
          {"--ranking ranking.csv -k 1 -o no/r.csv", "no folder 'no'"},
          {"--ranking ranking.csv -k 1 -o ranking.csv/r.csv", "cannot write"},
      },
      "transform data.csv --target class ");
  expect_all_refused(
      {
          {"-k 0", "at least 1"},
          {"-k 1,x", "found '1,x'"},
          {"-k 4", "at most 3"},
          {"--cv 1", "from 2 to 1000"},
          {"--cv x", "found 'x'"},
          {"--cv 1000", "at most 60 folds"},
          {"--classifiers svm", "found 'svm'"},
          {"--classifiers ''", "rf, ert, knn"},
          {"--metrics auc", "--metric"},
          {"--rho 200%", "up to 1"},
          {"--ranking nowhere.csv", "no such file"},
          {"--ranking ranking.csv --method rf", "says how to select"},
          {"--ranking ranking.csv -k 3", "at most 2"},
          {"--test nowhere.csv", "no such file"},
      },
      "evaluate data.csv --target class ");
  expect_all_refused(
      {
          {"--methods magic", "--methods: expected"},
          {"--methods ''", "--methods: expected"},
          {"--method cfm", "--methods"},
          {"--runs 0", "from 1 to 1000"},
          {"--classifiers svm", "found 'svm'"},
          {"-k 9", "at most 3"},
      },
      "compare data.csv --target class ");
}

TEST_F(Tables, OfGenerateReportAndTheRest) {
  expect_all_refused({
      {"generate", "expected the name of a set"},
      {"generate moon -o x.csv", "found 'moon'"},
      {"generate xor", "expected -o FILE"},
      {"generate xor -o x.pdf", ".npz"},
      {"generate xor -o no/x.csv", "no folder 'no'"},
      {"generate xor --rows 0 -o x.csv", "at least 1"},
      {"generate xor --rows x -o x.csv", "found 'x'"},
      {"generate xor --pixels 3 -o x.csv", "no such size"},
      {"generate xor --pictures data.csv -o x.csv", "only the set fournine"},
      {"generate fournine --labels labels.txt -o x.csv", "expected --pictures"},
      {"generate fournine --pictures nowhere -o x.csv", "no such file"},
      {"generate xor --seed -1 -o x.csv", "at least 0"},
      {"generate xor -o x.csv --truth folder", "it is a folder"},
      {"generate digits --rows 1 -o x.csv", "at least 10 rows"},
      {"report folder", "folder/selection.json"},
      {"report object.json", "version"},
      {"report data.csv -o x.html", "not a selection"},
      {"options --bogus", "--bogus"},
      {"options --markdown --recipes", "excludes"},
      {"demo --effort x", "thorough"},
      {"demo --seed x", "found 'x'"},
      {"nothing", "cannot tell what 'nothing' is for"},
      {"--bogus", "no option is called '--bogus'"},
  });
}

TEST_F(Tables, OfPlansAndStores) {
  expect_all_refused({
      {"study", "expected a plan"},
      {"study paper", "expected --store"},
      {"study nowhere.toml --store s.db", "no such file"},
      {"study folder --store s.db", "it is a folder"},
      {"study --show nothing", "found 'nothing'"},
      {"study status", "STORE is required"},
      {"study status nowhere.db", "no such store"},
      {"study status data.csv", "not a store"},
      {"study status folder", "folder"},
      {"study export", "STORE is required"},
      {"study export nowhere.db", "expected where to"},
      {"study export nowhere.db -o x", "no such store"},
      {"study export data.csv -o x", "not a store"},
      {"study plan.toml --store no/s.db", "no/s.db"},
      {"study plan.toml --store folder", "folder"},
      {"study plan.toml --store labels.txt", "not a store"},
      {"study plan.toml --store s.db --threads 0", "from 1 to 1024"},
      {"study plan.toml --store s.db --device x", "--device: expected"},
      {"study plan.toml --store s.db --set runs", "expected KEY=VALUE"},
      {"study plan.toml --store s.db --set runs=x", "found the text 'x'"},
      {"study plan.toml --store s.db --set foo=1", "no key 'foo'"},
      {"study plan.toml --store s.db --set =1", "expected KEY=VALUE"},
  });
  for (const auto& [text, word] : std::initializer_list<std::pair<std::string, std::string>>{
           {"", "at least one [[set]]"},
           {"[[", "not TOML"},
           {"[[set]]\nname = 'a'\n", "a set needs a data"},
           {changed_plan("runs = 1", "runs = 0"), "from 1 to 1000"},
           {changed_plan("runs = 1", "foo = 1"), "no key 'foo'"},
           {changed_plan("\"knn\"", "\"svm\""), "found 'svm'"},
           {changed_plan("method = \"anova\"", "method = \"magic\""), "found the text 'magic'"},
           {plan().substr(0, plan().find("[[method]]")), "at least one [[method]]"}}) {
    write("bad.toml", text);
    SCOPED_TRACE(text);
    expect_refused({"study", "bad.toml", "--store", "s.db"}, word);
  }
}

TEST_F(Tables, OfEmptyNames) {
  expect_all_refused({{"-o ''", "empty"},
                      {"--transform ''", "empty"},
                      {"--config ''", "empty"},
                      {"--test ''", "empty"},
                      {"--labels ''", "empty"}},
                     "select data.csv --target class ");
  expect_all_refused({{"select ''", "expected a data file"},
                      {"report ''", "expected a selection"},
                      {"demo -o ''", "empty"},
                      {"transform data.csv --ranking '' -k 1 -o r.csv", "empty"},
                      {"study plan.toml --store ''", "empty"},
                      {"study export s.db --markdown ''", "empty"},
                      {"generate xor -o ''", "empty"}});
}

TEST_F(Tables, OfPlacesThatCannotBeWritten) {
  fs::create_directories(path("taken/ranking.csv"));
  fs::create_directories(path("taken/evaluation.json"));
  expect_all_refused({{"select data.csv --target class -o dangling", "leads nowhere"},
                      {"select data.csv --target class -o data.csv/deep", "is a file"},
                      {"select data.csv --target class -o taken", "taken/ranking.csv"},
                      {"select data.csv --target class --transform folder", "it is a folder"},
                      {"evaluate data.csv --target class -o taken", "taken/evaluation.json"},
                      {"compare data.csv --target class -o data.csv", "is a file"},
                      {"demo -o data.csv", "is a file"},
                      {"report folder -o folder", "folder"},
                      {"study plan.toml --store data.csv", "an input"}});
}

}  // namespace
}  // namespace obverse::command_test
