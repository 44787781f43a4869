// Files of a folder that change together, and what killed processes leave.
#include "support/commit.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/folder.h"
#include "support/outputs.h"
#include "support/temporary.h"

namespace obverse {
namespace {

using support_test::as_nobody;
using support_test::fault_of;
using support_test::Files;
using support_test::in_child;

namespace fs = std::filesystem;

/// The name of a temporary of this machine, as another process would have made it.
std::string temporary_of_a_dead_process(const std::string& target) { return make_temporary_file(target, target).path; }

std::string journal(const std::vector<std::pair<std::string, std::string>>& steps) {
  std::string text = "obverse commit 1";
  for (const auto& [from, to] : steps) text += '\0' + from + '\0' + to;
  return text + '\0' + "end";
}

class Commit : public Files {
 protected:
  Outputs both() const {
    Outputs outputs{Inputs()};
    outputs.file("-o", path("a.txt")).file("--truth", path("b.txt"));
    return outputs;
  }
  void write_both(const std::string& text) const {
    FileGroup group(both());
    group.add(path("a.txt")).write(text);
    group.add(path("b.txt")).write(text);
    group.commit();
  }
};

TEST_F(Commit, ReplacesAllFilesAndLeavesNothingElse) {
  write_both("old");
  write_both("new");
  EXPECT_EQ(content("a.txt") + content("b.txt"), "newnew");
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Commit, ThatCannotBeCompletedChangesNothing) {
  put("a.txt", "old");
  FileGroup group(both());
  group.add(path("a.txt")).write("new");
  group.add(path("b.txt")).write("new");
  fs::create_directories(path("b.txt/in the way"));
  fault_of(Fault::output, [&] { group.commit(); });
  EXPECT_EQ(content("a.txt"), "old");
  EXPECT_FALSE(fs::exists(path(".obverse-commit")));
}

TEST_F(Commit, ThatWasKilledIsCompletedByWhoeverReadsOrWritesNext) {
  for (const bool reads : {true, false}) {
    put("a.txt", "new");
    put("b.txt", "old");
    const std::string left = temporary_of_a_dead_process(path("b.txt"));
    put(fs::path(left).filename(), "new");
    put(".obverse-commit", journal({{".a.txt.obverse-00000000-1-0.tmp", "a.txt"},  // done before
                                    {fs::path(left).filename().string(), "b.txt"}}));
    if (reads) {
      Inputs().file(path("b.txt"));
    } else {
      FileGroup group(Outputs(Inputs()).file("-o", path("c.txt")));
      group.add(path("c.txt")).write("c");
    }
    EXPECT_EQ(content("a.txt") + content("b.txt"), "newnew");
    EXPECT_EQ(entries(), 2U);
  }
}

TEST_F(Commit, JournalsThatAreNotOursDoNothing) {
  put("a.txt", "old");
  put("other", "new");
  fs::create_directory(path("deep"));
  for (const std::string& text :
       {std::string("rubbish"), journal({{"other", "a.txt"}}), journal({{".x.obverse-00000000-1-0.tmp", "../a.txt"}}),
        journal({{"", ".."}}), journal({{"", "a.txt"}}).substr(0, 20)}) {
    put(".obverse-commit", text);
    complete_interrupted(path(""));
    EXPECT_EQ(content("a.txt"), "old") << text;
  }
}

TEST_F(Commit, JournalsOfStrangersDoNothing) {
  if (geteuid() != 0) return;  // only the superuser can make a file of another user
  put("a.txt", "old");
  put(".obverse-commit", journal({{"", "a.txt"}}));
  ASSERT_EQ(chown(path(".obverse-commit").c_str(), 65534, 65534), 0);
  complete_interrupted(path("."));
  EXPECT_EQ(content("a.txt"), "old");
}

TEST_F(Commit, WithoutPermissionToCompleteIsAnError) {
  put("b.txt", "old");
  const std::string left = temporary_of_a_dead_process(path("b.txt"));
  put(".obverse-commit", journal({{fs::path(left).filename().string(), "b.txt"}}));
  fs::permissions(path("."), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  if (geteuid() != 0) fs::permissions(path("."), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(as_nobody([&] {
              const std::string message = fault_of(Fault::output, [&] { Inputs().file(path("b.txt")); });
              EXPECT_NE(message.find("killed"), std::string::npos) << message;
            }),
            0);
  fs::permissions(path("."), fs::perms::owner_all);
}

TEST_F(Commit, OfANewFolderMakesItWithAllItsFiles) {
  FileGroup group(Outputs(Inputs()).folder("-o", path("deep/er"), {"a.txt", "b.txt"}));
  group.make_folder(path("deep/er"));
  group.add(path("deep/er/a.txt")).write("a");
  group.add(path("deep/er/b.txt")).write("b");
  EXPECT_FALSE(fs::exists(path("deep/er")));
  group.commit();
  EXPECT_EQ(content("deep/er/a.txt") + content("deep/er/b.txt"), "ab");
  EXPECT_EQ(entries("deep"), 1U);
  EXPECT_EQ(entries("deep/er"), 2U);
}

TEST_F(Commit, OfANewFolderThatAnotherMadeMeanwhileGoesIntoIt) {
  FileGroup group(Outputs(Inputs()).folder("-o", path("result"), {"a.txt", "b.txt"}));
  group.make_folder(path("result"));
  group.add(path("result/a.txt")).write("new");
  group.add(path("result/b.txt")).write("new");
  fs::create_directory(path("result"));
  put("result/a.txt", "old");
  group.commit();
  EXPECT_EQ(content("result/a.txt") + content("result/b.txt"), "newnew");
  EXPECT_EQ(entries("result"), 2U);
}

TEST_F(Commit, ThatFailsLeavesNoFolderBehind) {
  fs::create_symlink("/dev/full", path("full.txt"));
  fault_of(Fault::output, [&] {
    FileGroup group(Outputs(Inputs()).folder("-o", path("deep/er"), {"a.txt"}).file("-x", path("full.txt")));
    group.make_folder(path("deep/er"));
    group.add(path("deep/er/a.txt")).write("a");
    group.add(path("full.txt")).write("b");
    group.commit();
  });
  EXPECT_FALSE(fs::exists(path("deep")));
}

TEST_F(Commit, TemporariesOfAKilledProcessAreRemovedByTheNext) {
  EXPECT_EQ(in_child([&] {
              FileGroup group(Outputs(Inputs()).folder("-o", path("new"), {"c.txt"}).file("-x", path("a.txt")));
              group.add(path("a.txt")).write("half");
              group.make_folder(path("new"));
              group.add(path("new/c.txt")).write("half");
              raise(SIGKILL);
            }),
            128 + SIGKILL);
  EXPECT_EQ(entries(), 2U);
  write_both("new");
  EXPECT_EQ(entries(), 2U);
  EXPECT_TRUE(fs::exists(path("a.txt")));
}

TEST_F(Commit, TemporariesOfALivingProcessStay) {
  const AtomicFile file(path("c.txt"));
  const Temporary folder = make_temporary_folder(path("new"), path("new"));
  EXPECT_EQ(in_child([&] { remove_left_over(path("")); }), 0);
  remove_left_over(path(""));
  EXPECT_TRUE(fs::exists(file.temporary()));
  EXPECT_TRUE(fs::exists(folder.path));
}

TEST_F(Commit, TemporariesOfOtherMachinesStayForADay) {
  const std::string foreign = ".a.txt.obverse-00000000-12-0.tmp";
  put(foreign, "perhaps being written");
  remove_left_over(path(""));
  EXPECT_TRUE(fs::exists(path(foreign)));
  fs::last_write_time(path(foreign), fs::file_time_type::clock::now() - std::chrono::hours(25));
  remove_left_over(path(""));
  EXPECT_FALSE(fs::exists(path(foreign)));
}

TEST_F(Commit, FilesOfOtherProgramsStay) {
  for (const std::string name : {".a.txt.12.0.tmp", ".a.obverse-12-0.tmp", "a.obverse-00000000-1-0.tmp", ".x.tmp"}) {
    put(name, "theirs");
    fs::last_write_time(path(name), fs::file_time_type::clock::now() - std::chrono::hours(99));
  }
  remove_left_over(path(""));
  EXPECT_EQ(entries(), 4U);
}

}  // namespace
}  // namespace obverse
