// Every bad input that a user can hand to the command: exit code 2, one message that helps, no files.
#include <algorithm>

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
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  write("data.csv", small_csv());
  fs::permissions(path("data.csv"), fs::perms::none);
  expect_refused({"select", "data.csv", "--target", "class"}, "permission");
}

TEST_F(BadInput, EmptyFile) { expect_file_refused("", "empty"); }

TEST_F(BadInput, HeaderOnly) { expect_file_refused("good,noise,class\n", "data.csv"); }

TEST_F(BadInput, RaggedRowHasItsLineExpectedAndFound) {
  const std::string text = "a,b,class\n1,2,x\n3,4,y\n5,6\n6,7,y\n";
  for (const std::string word : {"data.csv:4", "expected 3", "found 2"}) expect_file_refused(text, word);
}

TEST_F(BadInput, TextInANumericColumnHasColumnAndValue) {
  expect_file_refused("a,b,class\n1,2,x\n3,hot,y\n5,6,x\n7,8,y\n", "hot");
}

TEST_F(BadInput, NanHasItsColumnAndWhatToDo) {
  expect_file_refused("a,b,class\n1,2,x\n3,nan,y\n5,6,x\n7,8,y\n", "b");
  expect_file_refused("a,b,class\n1,2,x\n3,inf,y\n5,6,x\n7,8,y\n", "b");
  expect_file_refused("a,b,class\n1,2,x\n3,,y\n5,6,x\n7,8,y\n", "b");
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
  const Outcome outcome = run({"select", "data.csv", "--target", "class"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
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

}  // namespace
}  // namespace obverse::command_test
