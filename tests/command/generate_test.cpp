// obverse generate: data with known truth, and what is refused.
#include <algorithm>

#include "command/command.h"

namespace obverse::command_test {
namespace {

class Generate : public Command {
 protected:
  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  static std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  }
};

TEST_F(Generate, WritesEverySetWithItsTruth) {
  const Outcome madelon = run({"generate", "madelon", "--rows", "200", "--informative", "3", "--combinations", "2",
                               "--probes", "10", "-o", "data.csv", "--truth", "truth.csv"});
  EXPECT_EQ(madelon.code, 0) << madelon.err;
  EXPECT_NE(madelon.out.find("200 rows, 15 features, 5 of them true; the target is 'class'"), std::string::npos);
  EXPECT_EQ(lines(content(path("data.csv"))), 201U);
  const std::string truth = content(path("truth.csv"));
  EXPECT_TRUE(truth.starts_with("feature,name,truth\n1,f1,"));
  EXPECT_EQ(count(truth, ",true\n"), 5U);
  EXPECT_EQ(count(truth, ",noise\n"), 10U);
  EXPECT_EQ(run({"generate", "digits", "--rows", "50", "-o", "digits.npz"}).code, 0);
  const Outcome fournine = run({"generate", "fournine", "--rows", "100", "--pixels", "10", "--products", "5",
                                "--probes", "15", "-o", "fn.csv", "--truth", "fn-truth.csv"});
  EXPECT_EQ(fournine.code, 0) << fournine.err;
  EXPECT_EQ(count(content(path("fn-truth.csv")), ",true\n"), 15U);
  EXPECT_EQ(run({"info", "fn.csv", "--target", "digit"}).code, 0);
}

TEST_F(Generate, GivesTheSameBytesFromTheSameSeed) {
  const std::vector<std::string> words{"generate", "fournine", "--rows", "100", "--seed"};
  const auto made = [&](const std::string& seed, const std::string& file) {
    std::vector<std::string> all = words;
    for (const std::string& word : {seed, std::string("-o"), file}) all.push_back(word);
    EXPECT_EQ(run(all).code, 0);
    return content(path(file));
  };
  const std::string once = made("3", "a.csv");
  EXPECT_EQ(once, made("3", "b.csv"));
  EXPECT_NE(once, made("4", "c.csv"));
}

TEST_F(Generate, MakesFournineOfPicturesFromAFile) {
  // 14 x 14 bytes: fours have ink at (3, 6), nines at (4, 6).
  std::string images("\x00\x00\x08\x03\x00\x00\x00\x28\x00\x00\x00\x0e\x00\x00\x00\x0e", 16);
  std::string labels("\x00\x00\x08\x01\x00\x00\x00\x28", 8);
  for (std::size_t i = 0; i < 40; ++i) {
    std::string picture(196, '\0');
    picture[(i % 2 == 0 ? 3 : 4) * 14 + 6] = '\x7f';
    images += picture;
    labels += i % 2 == 0 ? '\x04' : '\x09';
  }
  write("images.idx3", images);
  write("labels.idx1", labels);
  const std::vector<std::string> words{"generate",    "fournine", "--pictures", "images.idx3", "--labels",
                                       "labels.idx1", "--pixels", "2",          "--products",  "0",
                                       "--probes",    "2",        "-o",         "pixels.csv",  "--rows"};
  std::vector<std::string> good = words;
  good.emplace_back("40");
  const Outcome outcome = run(good);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("40 rows, 4 features, 2 of them true"), std::string::npos);
  std::vector<std::string> many = words;
  many.emplace_back("41");
  expect_refused(many, "2 to 40 rows");
}

TEST_F(Generate, RefusesWhatItCannotMake) {
  expect_refused({"generate"}, "madelon, digits, fournine, xor, ring");
  expect_refused({"generate", "gisete", "-o", "a.csv"}, "found 'gisete'");
  expect_refused({"generate", "madelon"}, "expected -o FILE");
  expect_refused({"generate", "madelon", "-o", "a.xls"}, "a.xls");
  expect_refused({"generate", "madelon", "-o", "nowhere/a.csv"}, "nowhere");
  expect_refused({"generate", "madelon", "-o", "a.csv", "--truth", "a.csv"}, "written twice");
  expect_refused({"generate", "madelon", "-o", "a.csv", "--truth", "nowhere/t.csv"}, "nowhere");
  expect_refused({"generate", "madelon", "--rows", "0", "-o", "a.csv"}, "--rows: expected a whole number");
  expect_refused({"generate", "madelon", "--rows", "many", "-o", "a.csv"}, "found 'many'");
  expect_refused({"generate", "madelon", "--rows", "99999999999999", "-o", "a.csv"}, "--rows");
  expect_refused({"generate", "madelon", "--rows", "20", "-o", "a.csv"}, "32 corners");
  expect_refused({"generate", "madelon", "--pixels", "20", "-o", "a.csv"},
                 "--pixels: the set madelon has no such size");
  expect_refused({"generate", "digits", "--probes", "20", "-o", "a.csv"}, "--probes");
  expect_refused({"generate", "fournine", "--pixels", "9999", "-o", "a.csv"}, "pixels");
  expect_refused({"generate", "fournine", "--pixels", "3", "--products", "9", "-o", "a.csv"}, "products");
  expect_refused({"generate", "madelon", "--pictures", "images.idx3", "-o", "a.csv"}, "only the set fournine");
  expect_refused({"generate", "fournine", "--labels", "labels.idx1", "-o", "a.csv"}, "--pictures");
  expect_refused({"generate", "fournine", "--pictures", "none.idx3", "-o", "a.csv"}, "none.idx3");
  write("table.csv", "a,b\n1,2\n3,4\n");
  expect_refused({"generate", "fournine", "--pictures", "table.csv", "-o", "a.csv"}, "table.csv: expected pictures");
  expect_refused({"generate", "madelon", "--row", "20", "-o", "a.csv"}, "--rows");
  expect_refused({"generate", "madelon", "--seed", "-1", "-o", "a.csv"}, "--seed");
}

}  // namespace
}  // namespace obverse::command_test
