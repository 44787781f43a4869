#include "support/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "support/folder.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

using support_test::as_nobody;
using support_test::fault_of;
using support_test::Files;

TEST_F(Files, AppearWhenPublishedAndNotBefore) {
  AtomicFile file(path("a.txt"));
  file.write("hello");
  file.finish();
  EXPECT_FALSE(fs::exists(path("a.txt")));
  file.publish();
  EXPECT_EQ(content("a.txt"), "hello");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, LeaveNothingAndTheOldContentWhenGivenUp) {
  std::ofstream(path("a.txt")) << "old";
  { AtomicFile(path("a.txt")).write("new"); }
  EXPECT_EQ(content("a.txt"), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, KeepTheModeOfTheFileTheyReplace) {
  std::ofstream(path("a.txt")) << "old";
  fs::permissions(path("a.txt"), fs::perms::owner_read | fs::perms::owner_write);
  AtomicFile file(path("a.txt"));
  file.finish();
  file.publish();
  EXPECT_EQ(fs::status(path("a.txt")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, FollowALinkAndKeepIt) {
  std::ofstream(path("real.txt")) << "old";
  fs::create_symlink(path("real.txt"), path("link.txt"));
  AtomicFile file(path("link.txt"));
  file.write("new");
  file.finish();
  file.publish();
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_EQ(content("real.txt"), "new");
}

TEST_F(Files, OnAFullDeviceNameItAndTheFreeSpace) {
  fs::create_symlink("/dev/full", path("full.txt"));
  AtomicFile file(path("full.txt"));
  file.write("x");
  const std::string message = fault_of(Fault::output, [&] { file.finish(); });
  EXPECT_NE(message.find("full.txt"), std::string::npos) << message;
  EXPECT_NE(message.find("the disk is full"), std::string::npos) << message;
  EXPECT_NE(message.find("MB free"), std::string::npos) << message;
}

TEST_F(Files, OverTheLimitOfTheShellAreAnErrorThatLeavesNothing) {
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit small{.rlim_cur = 4096, .rlim_max = old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = fault_of(Fault::output, [&] {
    AtomicFile file(path("big.txt"));
    file.write(std::string(10000, 'x'));
    file.finish();
  });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_NE(message.find("big.txt"), std::string::npos) << message;
  EXPECT_EQ(entries(), 0U);
}

TEST_F(Files, InAMissingFolderOrOnAFolderAreErrors) {
  EXPECT_NE(fault_of(Fault::output, [&] { AtomicFile(path("no/a.txt")); }).find("there is no folder"),
            std::string::npos);
  EXPECT_NE(fault_of(Fault::output, [&] { AtomicFile(path(".")); }).find("it is a folder"), std::string::npos);
  fault_of(Fault::usage, [] { AtomicFile(""); });
}

TEST_F(Files, WithoutPermissionAreErrors) {
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  EXPECT_EQ(as_nobody([&] {
              EXPECT_NE(fault_of(Fault::output, [&] { check_writable(path("closed/a.txt")); }).find("no permission"),
                        std::string::npos);
              EXPECT_NE(fault_of(Fault::output, [&] { check_writable_folder(path("closed/b")); }).find("no permission"),
                        std::string::npos);
            }),
            0);
}

TEST_F(Files, AreReadWholeUpToALimit) {
  std::ofstream(path("a.txt")) << "hello";
  EXPECT_EQ(read_text_file(path("a.txt"), 5), "hello");
  EXPECT_NE(fault_of(Fault::input, [&] { read_text_file(path("a.txt"), 4); }).find("larger"), std::string::npos);
  EXPECT_NE(fault_of(Fault::input, [] { read_text_file("/dev/zero", 1000); }).find("larger"), std::string::npos);
  EXPECT_NE(fault_of(Fault::input, [&] { read_text_file(path("b.txt"), 4); }).find("no such file"), std::string::npos);
  EXPECT_NE(fault_of(Fault::input, [&] { read_text_file(path("."), 4); }).find("it is a folder"), std::string::npos);
}

}  // namespace
}  // namespace obverse
