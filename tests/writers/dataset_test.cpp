#include <bit>
#include <charconv>
#include <cmath>

#include <zlib.h>

#include <gtest/gtest.h>

#include <obverse/writer.h>

#include "writers/csv.h"
#include "writers/sample.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using sample::Room;

const std::vector<std::size_t> kBoth{0, 1};

std::string written_as(const std::string& name, const Dataset& data, std::span<const std::size_t> features = kBoth) {
  const Room room;
  write_dataset(data, features, room / name);
  return sample::content(room / name);
}

std::string text_of(float value) {
  std::string out;
  append_number(out, value);
  return out;
}

TEST(Number, ReadsBackAsTheSameFloat) {
  std::uint32_t bits = 1;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 1664525U + 1013904223U;
    const auto value = std::bit_cast<float>(bits);
    if (!std::isfinite(value)) continue;
    const std::string text = text_of(value);
    float back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(back), bits) << text;
  }
}

TEST(Number, IsAWholeNumberWhereItIsOne) {
  EXPECT_EQ(text_of(0), "0");
  EXPECT_EQ(text_of(-3), "-3");
  EXPECT_EQ(text_of(16777216), "16777216");
  EXPECT_EQ(text_of(1e10F), "10000000000");
  EXPECT_EQ(text_of(0.1F), "0.1");
}

TEST(WriteDataset, CsvHasNamesNumbersAndClasses) {
  EXPECT_EQ(written_as("d.csv", sample::dataset()), "a,b,churn\n0.1,3,no\n-2.5,1e-07,yes\n0,16777216,no\n");
}

TEST(WriteDataset, TakesTheFeaturesInTheOrderGiven) {
  const std::vector<std::size_t> features{1};
  EXPECT_EQ(written_as("d.tsv", sample::dataset(), features), "b\tchurn\n3\tno\n1e-07\tyes\n16777216\tno\n");
}

TEST(WriteDataset, QuotesNamesAndClasses) {
  const Dataset data = sample::dataset({"x,y", "say \"hi\""}, {"line\nend", "ok"});
  EXPECT_EQ(written_as("d.csv", data).substr(0, 41), "\"x,y\",\"say \"\"hi\"\"\",churn\n0.1,3,\"line\nend\"");
}

TEST(WriteDataset, GivesTheTargetANameOfItsOwn) {
  EXPECT_EQ(written_as("d.csv", sample::dataset({"churn", "b"})).substr(0, 15), "churn,b,churn_\n");
}

TEST(WriteDataset, GzipUnpacksToTheSameText) {
  const Room room;
  write_dataset(sample::dataset(), kBoth, room / "d.csv.gz");
  const gzFile file = gzopen((room / "d.csv.gz").c_str(), "rb");
  std::string text(1000, '\0');
  const int got = gzread(file, text.data(), 1000);
  gzclose(file);
  ASSERT_GT(got, 0);
  text.resize(static_cast<std::size_t>(got));
  EXPECT_EQ(text, written_as("d.csv", sample::dataset()));
}

TEST(WriteDataset, SvmLeavesZerosOutAndWantsNumberedClasses) {
  EXPECT_EQ(written_as("d.svm", sample::dataset({"a", "b"}, {"-1", "1"})),
            "-1 1:0.1 2:3\n1 1:-2.5 2:1e-07\n-1 2:16777216\n");
  const Room room;
  EXPECT_THROW(write_dataset(sample::dataset(), kBoth, room / "d.svm"), Error);
  EXPECT_TRUE(room.empty());
}

TEST(WriteDataset, RefusesAnUnknownEndingAndLeavesNothing) {
  const Room room;
  for (const std::string name : {"d.xlsx", "d", "d.npz.gz", "d.gz"}) {
    EXPECT_THROW(write_dataset(sample::dataset(), kBoth, room / name), Error) << name;
  }
  EXPECT_TRUE(room.empty());
}

TEST(WriteDataset, WritesATableAsItWasRead) {
  const std::string text =
      "city,free,since,n,churn\n\"Rome, old\",Yes,2024-03-01,1.5,no\n,No,2023-01-01,,yes\nOslo,,,3,no\n";
  const Room room;
  write_file(room / "in.csv", [&](AtomicFile& file) { file.write(text); });
  const Dataset data = read(room / "in.csv", {.target = "churn"});
  const std::vector<std::size_t> all{0, 1, 2, 3};
  EXPECT_EQ(written_as("d.csv", data, all), text);
  for (const std::string name : {"d.npz", "d.svm"}) {
    EXPECT_THROW(write_dataset(data, all, room / name), Error) << name;
  }
}

/// What the readers make of a file that was written.
Dataset read_back(const std::string& name, const Dataset& data, const ReadOptions& options) {
  const Room room;
  write_dataset(data, kBoth, room / name);
  return read(room / name, options);
}

void expect_same(const Dataset& back, const Dataset& data, bool names) {
  ASSERT_EQ(back.rows(), data.rows());
  ASSERT_EQ(back.features(), data.features());
  if (names) {
    EXPECT_EQ(back.feature_names(), data.feature_names());
  }
  for (std::size_t row = 0; row < data.rows(); ++row) {
    std::vector<float> expected(2);
    std::vector<float> found(2);
    data.copy_columns(row, kBoth, expected.data());
    back.copy_columns(row, kBoth, found.data());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(back.class_names()[static_cast<std::size_t>(back.label(row))],
              data.class_names()[static_cast<std::size_t>(data.label(row))]);
  }
}

TEST(WriteDataset, IsReadBackAsItWas) {
  const Dataset data = sample::dataset({"größe", "b,c"});
  expect_same(read_back("d.csv", data, {.target = "churn"}), data, true);
  expect_same(read_back("d.tsv.gz", data, {.target = "churn"}), data, true);
  expect_same(read_back("d.npz", data, {}), data, true);
  const Dataset numbered = sample::dataset({"a", "b"}, {"-1", "1"});
  expect_same(read_back("d.svm", numbered, {}), numbered, false);
  expect_same(read_back("d.npz", numbered, {}), numbered, true);
}

TEST(WriteDataset, KeepsBytesAsBytesInAnArchive) {
  const Dataset data({.storage = sample::dense<std::uint8_t>(2, {0, 255, 7, 8, 9, 10}),
                      .feature_names = {"a", "b"},
                      .labels = {0, 1, 0},
                      .class_names = {"no", "yes"},
                      .target_name = "y",
                      .image_shape = {}});
  const Dataset back = read_back("d.npz", data, {});
  EXPECT_TRUE(std::holds_alternative<DenseMatrix<std::uint8_t>>(back.storage()));
  expect_same(back, data, true);
}

TEST(WriteDataset, GivesTheSameBytesEveryTime) {
  EXPECT_EQ(written_as("d.npz", sample::dataset()), written_as("d.npz", sample::dataset()));
  EXPECT_EQ(written_as("d.csv.gz", sample::dataset()), written_as("d.csv.gz", sample::dataset()));
}

}  // namespace
}  // namespace obverse
