#include <gtest/gtest.h>

#include <obverse/writer.h>

#include "writers/sample.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using sample::Room;

TEST(RankingFile, HasALineForEachFeatureBestFirst) {
  EXPECT_EQ(ranking_csv(sample::selection()),
            "rank,feature,name,score,frequency\n1,2,income,0.7,1\n2,1,age,0.25,0.5\n3,3,noise,0.05,0.5\n");
}

TEST(RankingFile, GivesBackEveryNameItWasGiven) {
  const std::vector<std::string> names{"a,b \"quoted\"", "two\r\nlines", " blank "};
  const Room room;
  write_ranking(sample::selection(names), room / "r.csv");
  EXPECT_EQ(read_ranking(room / "r.csv"), (std::vector<std::string>{names[1], names[0], names[2]}));
}

TEST(RankingFile, IsReadWithOtherLineEndsAndColumns) {
  const Room room;
  std::ofstream(room / "r.csv") << "name,rank\r\nx,1\r\n\r\n\"y\",2";
  EXPECT_EQ(read_ranking(room / "r.csv"), (std::vector<std::string>{"x", "y"}));
}

std::string fault_of(const std::string& text) {
  const Room room;
  std::ofstream(room / "r.csv") << text;
  try {
    read_ranking(room / "r.csv");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(RankingFile, ThatIsNoneIsRefusedWithTheReason) {
  EXPECT_NE(fault_of("").find("empty"), std::string::npos);
  EXPECT_NE(fault_of("a,b\n1,2\n").find("found the columns a, b"), std::string::npos);
  EXPECT_NE(fault_of("rank,name\n").find("no features"), std::string::npos);
  EXPECT_NE(fault_of("rank,name\n1,x\n2\n").find(":3: expected 2 values, found 1"), std::string::npos);
  EXPECT_NE(fault_of("rank,name\n1,\"x\n").find(":2: a quoted field that does not end"), std::string::npos);
  EXPECT_NE(fault_of("rank,name\n1,\"x\"y\n").find(":2: text behind a closing quote"), std::string::npos);
}

}  // namespace
}  // namespace obverse
