#include "readers/formats.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse {
namespace {

TEST(DataFormats, AreInTheDocsAsTheListHasThem) {
  std::ifstream in(OBVERSE_TEST_FILES "/../../docs/formats.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  for (const DataFormat& format : data_formats()) {
    const std::string row = cat("\n| ", format.title, " | ", format.endings, " | ", format.mark, " | ");
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(DataFormats, TakeEveryTextInTheEnd) {
  EXPECT_TRUE(data_formats().back().recognises(""));
  for (const DataFormat& format : data_formats().first(data_formats().size() - 1)) {
    EXPECT_FALSE(format.recognises("a,b\n1,2\n")) << format.title;
  }
}

}  // namespace
}  // namespace obverse
