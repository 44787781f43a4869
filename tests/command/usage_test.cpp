// What a user types: help, versions, options and config files.
#include <algorithm>

#include <obverse/version.h>

#include "command/command.h"

namespace obverse::command_test {
namespace {

class Usage : public Command {};

TEST_F(Usage, VersionAndHelpGoToStdout) {
  EXPECT_TRUE(run({"--version"}).out.starts_with(std::string("obverse ") + kVersion + " ("));
  for (const std::string verb :
       {"select", "evaluate", "compare", "study", "transform", "report", "info", "options", "demo", "generate"}) {
    const Outcome help = run({verb, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Usage: obverse " + verb), std::string::npos);
    EXPECT_TRUE(help.err.empty());
    EXPECT_NE(run({}).out.find("\n  " + verb + " "), std::string::npos);
  }
}

TEST_F(Usage, HelpFitsAHundredColumns) {
  std::size_t longest = 0;
  std::size_t column = 0;
  for (const char c :
       run({"select", "--help"}).out + run({"evaluate", "--help"}).out + run({"compare", "--help"}).out) {
    column = c == '\n' ? 0 : column + 1;
    longest = std::max(longest, column);
  }
  EXPECT_LE(longest, 100U);
}

TEST_F(Usage, UnknownWordsAreRefusedWithTheNearestKnownOne) {
  expect_refused({"selct", "data.csv"}, "select");
  expect_refused({"select", "data.csv", "--epohs", "5"}, "--epochs");
  expect_refused({"select", "data.csv", "more.csv"}, "more.csv");
  expect_refused({"select"}, "expected a data file");
  expect_refused({"select", "data.csv", "-k"}, "expected one value");
}

TEST_F(Usage, ValuesOutOfBoundsAreRefusedWithTheRange) {
  expect_refused({"select", "data.csv", "--dropout", "3"}, "from 0 to 0.95");
  expect_refused({"select", "data.csv", "--rho", "120%"}, "up to 1");
  expect_refused({"select", "data.csv", "--gamma", "1,-1"}, "at least 0");
  expect_refused({"select", "data.csv", "--effort", "high"}, "quick, normal or thorough");
  expect_refused({"select", "data.csv", "--recipe", "soup"}, "default, focus, broad, paper");
  expect_refused({"select", "data.csv", "-k", "3", "--rho", "5%"}, "both");
}

TEST_F(Usage, UnknownMethodIsRefusedWithTheKnownOnesBeforeTheDataIsRead) {
  expect_refused({"select", "missing.csv", "--target", "class", "--method", "cmf"},
                 "--method: expected auto, cfm, fm, afs, dfs, cancelout");
}

TEST_F(Usage, ControlIsRefusedWithWhatItDecidesItself) {
  for (const char* bad : {"pfer=0", "pfer=-1", "pfer=abc", "pfer", "fdr=0.1"}) {
    expect_refused({"select", "missing.csv", "--resample", "on", "--control", bad}, "pfer=X");
  }
  expect_refused({"select", "missing.csv", "--resample", "on", "--control", "pfer=1", "-k", "3"},
                 "leave out k and rho");
  expect_refused({"select", "missing.csv", "--resample", "off", "--control", "pfer=1"}, "--resample on");
  expect_refused({"select", "missing.csv", "--resample", "on", "--control", "pfer=1", "--method", "random"},
                 "does not look at");
  expect_refused({"evaluate", "missing.csv", "--control", "pfer=1"}, "--control");
}

TEST_F(Usage, TrainingOptionsAreRefusedForAMethodThatTrainsNothing) {
  expect_refused({"select", "missing.csv", "--method", "anova", "--gamma", "1"}, "--gamma: ");
  expect_refused({"select", "missing.csv", "--method", "anova", "--effort", "quick"}, "trains no network");
  write("run.toml", "method = \"relieff\"\nepochs = 5\n");
  expect_refused({"select", "missing.csv", "--config", "run.toml"}, "run.toml:2: epochs: ");
}

TEST_F(Usage, ConfigFileFaultsHaveTheirLine) {
  write("run.toml", "seed = 1\nepoch = 5\n");
  expect_refused({"select", "data.csv", "--config", "run.toml"}, "run.toml:2");
  write("run.toml", "epochs = true\n");
  expect_refused({"select", "data.csv", "--config", "run.toml"}, "run.toml:1");
  expect_refused({"select", "data.csv", "--config", "no.toml"}, "no.toml");
}

TEST_F(Usage, FullStdoutIsAFault) {
  write("data.csv", small_csv());
  fs::remove(path("../out"));
  fs::create_symlink("/dev/full", path("../out"));
  expect_refused({"info", "data.csv", "--target", "class"}, "stdout");
}

TEST_F(Usage, OptionsPageInTheTreeIsTheOneTheCommandWrites) {
  const Outcome page = run({"options", "--markdown"});
  EXPECT_EQ(page.code, 0);
  EXPECT_EQ(page.out, content(fs::path(OBVERSE_TEST_FILES) / "../../docs/options.md"))
      << "write it again: obverse options --markdown > docs/options.md";
}

TEST_F(Usage, OptionsShowEveryRecipe) {
  for (const std::string word : {"default", "paper", "thorough"}) {
    EXPECT_NE(run({"options", "--recipes"}).out.find(word), std::string::npos);
    EXPECT_NE(run({"options"}).out.find(word), std::string::npos);
  }
}

}  // namespace
}  // namespace obverse::command_test
