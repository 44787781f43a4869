#include "support/outputs.h"

#include <gtest/gtest.h>

#include "support/folder.h"

namespace obverse {
namespace {

using support_test::fault_of;
using support_test::Files;

namespace fs = std::filesystem;

class OutputsOf : public Files {
 protected:
  std::string refused(const std::string& input, const std::string& output) const {
    return fault_of(Fault::usage, [&] { Outputs(Inputs().file(path(input))).file("-o", path(output)); });
  }
};

TEST_F(OutputsOf, AnInputAreRefusedUnderAnyName) {
  put("in.csv", "x");
  fs::create_directory(path("deep"));
  fs::create_symlink(path("in.csv"), path("link.csv"));
  fs::create_hard_link(path("in.csv"), path("hard.csv"));
  for (const std::string name : {"in.csv", "./in.csv", "deep/../in.csv", "link.csv", "hard.csv"}) {
    EXPECT_NE(refused("in.csv", name).find("-o: "), std::string::npos);
    EXPECT_NE(refused(name, "in.csv").find("an input"), std::string::npos);
  }
}

TEST_F(OutputsOf, FilesThatDoNotExistAreComparedByTheirPath) {
  fs::create_directory_symlink(path("."), path("here"));
  fs::create_symlink(path("new.csv"), path("link.csv"));
  for (const std::string name : {"new.csv", "here/new.csv", "link.csv"}) {
    fault_of(Fault::usage, [&] {
      Outputs outputs{Inputs()};
      outputs.file("-o", path("new.csv")).file("--truth", path(name));
    });
  }
}

TEST_F(OutputsOf, AStoreCountWithWhatSqliteKeepsBesideIt) {
  put("s.db", "x");
  for (const std::string name : {"s.db", "s.db-journal", "s.db-wal", "s.db-shm"}) {
    fault_of(Fault::usage, [&] { Outputs(Inputs().store(path("s.db"))).file("-o", path(name)); });
  }
}

TEST_F(OutputsOf, FoldersOfAnyNamesAreCheckedWhenAFileIsWritten) {
  fs::create_directory(path("page"));
  put("page/in.svg", "x");
  Outputs outputs(Inputs().file(path("page/in.svg")));
  outputs.any_in_folder("--markdown", path("page"));
  FileGroup group(outputs);
  EXPECT_NO_THROW(group.add(path("page/other.svg")));
  fault_of(Fault::usage, [&] { group.add(path("page/in.svg")); });
}

TEST_F(OutputsOf, NoDeclarationAreOurFault) {
  FileGroup group{Outputs(Inputs())};
  fault_of(Fault::internal, [&] { group.add(path("a.txt")); });
}

TEST_F(OutputsOf, AFolderThatIsGoingToBeMadeMayHoldOthers) {
  Outputs outputs{Inputs()};
  outputs.folder("-o", path("new"), {"a.csv"}).file("--markdown", path("new/page.md"));
  outputs.any_in_folder("--markdown", path("new/page"));
  FileGroup group(outputs);
  group.make_folder(path("new"));
  group.add(path("new/a.csv")).write("a");
  group.add(path("new/page.md")).write("page");
  group.make_folder(path("new/page"));
  group.add(path("new/page/b.svg")).write("b");
  group.commit();
  EXPECT_EQ(content("new/a.csv") + content("new/page.md") + content("new/page/b.svg"), "apageb");
  EXPECT_EQ(entries("new"), 3U);
}

TEST_F(OutputsOf, ALinkThatLeadsNowhereIsNoFolder) {
  fs::create_symlink(path("nowhere"), path("link"));
  fault_of(Fault::output, [&] { Outputs(Inputs()).folder("-o", path("link"), {"a.txt"}); });
}

}  // namespace
}  // namespace obverse
