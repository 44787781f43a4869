// Files that claim more than they hold: each is refused, or read, in little memory.
#include "readers/budget.h"

#include "readers/files.h"
#include "readers/process.h"

namespace obverse::test {
namespace {

void expect_refused(const std::string& path, const std::string& part, const ReadOptions& options = {}) {
  const Outcome outcome = in_a_process([&] { read(path, options); }, part);
  EXPECT_EQ(outcome.code, 0) << path << ": " << part;
  EXPECT_LT(outcome.megabytes, kMostMegabytes) << path;
}

const ReadOptions kNoTarget{.target_required = false};

std::string npz_of(const Folder& folder, const std::string& name, const std::string& shape, const std::string& format,
                   const std::vector<std::int64_t>& begin) {
  return write_npz(
      folder.path(name),
      {{"format", npy("|S3", "()", format)},
       {"shape", npy("<i8", "(2,)", shape)},
       {"data", npy("<f4", "(1,)", raw<float>({1}))},
       {"indices", npy("<i8", "(1,)", raw<std::int64_t>({0}))},
       {"indptr", npy("<i8", "(" + std::to_string(begin.size()) + ",)", raw(std::span<const std::int64_t>(begin)))}});
}

TEST(ReadBudget, AllowsSoMuchForEachByteAndAFloor) {
  ReadBudget small("f", 10, 0);
  EXPECT_NO_THROW(small.take(ReadBudget::kFloor, 1, "x"));
  EXPECT_THROW(small.take(1, 1, "x"), Error);
  small.give_back(1, 8);
  EXPECT_NO_THROW(small.take(1, 8, "x"));
  ReadBudget large("f", std::uint64_t{1} << 30, 0);
  EXPECT_NO_THROW(large.take(ReadBudget::kBytesForEach, std::uint64_t{1} << 30, "x"));
  EXPECT_THROW(large.take(1, 1, "x"), Error);
  ReadBudget asked("f", std::uint64_t{1} << 30, 1000);
  EXPECT_NO_THROW(asked.take(10, 100, "x"));
  EXPECT_HOLDS(message_of([&] { asked.take(1, 1, "the table"); }), "f: reading the table needs 1.0 kB of memory");
  EXPECT_HOLDS(message_of([&] { asked.take(UINT64_MAX, UINT64_MAX, "x"); }), "--max-memory");
}

TEST(ReadBudget, IsTheUsersWhereTheUserSaysSo) {
  const Folder folder;
  const std::string path = folder.write(
      "a.csv", "a,b\n" + [] {
        std::string rows;
        for (int i = 0; i < 1000; ++i) rows += "1,2\n";
        return rows;
      }());
  ReadOptions options = kNoTarget;
  options.max_memory = 4000;
  EXPECT_HOLDS(read_fault(path, options), "--max-memory");
  options.max_memory = 1 << 20;
  EXPECT_EQ(read(path, options).rows(), 1000U);
}

TEST(ReadBudget, HoldsForMatricesOfManyEmptyRows) {
  const Folder folder;
  expect_refused(npz_of(folder, "rows.npz", raw<std::int64_t>({(1 << 26) - 1, 3}), "csc", {0, 1, 1, 1}),
                 "rows.npz: reading a sparse matrix of 67108863 rows needs", kNoTarget);
}

TEST(ReadBudget, TakesNoMemoryForColumnsWithoutEntries) {
  const Folder folder;
  const std::size_t wide = (std::size_t{1} << 32) - 2;
  for (const std::int64_t columns : {std::int64_t{1} << 26, static_cast<std::int64_t>(wide)}) {
    const std::string path = npz_of(folder, "wide.npz", raw<std::int64_t>({2, columns}), "csr", {0, 1, 1});
    const Outcome outcome = in_a_process(
        [&] {
          const Dataset data = read(path, kNoTarget);
          if (data.features() != static_cast<std::size_t>(columns) || data.feature_names()[7] != "c8") std::abort();
          if (varying_features(data) != std::vector<std::size_t>{0}) std::abort();
          if (fingerprint(data).size() != 16) std::abort();
          const Dataset rest = read(path, {.target = "c1", .drop = {"-1", "3"}});
          if (rest.features() != data.features() - 3 || rest.feature_names()[1] != "c4") std::abort();
          const Dataset again = read_like(path, data, kNoTarget);
          if (again.features() != data.features()) std::abort();
        },
        "");
    EXPECT_EQ(outcome.code, 1) << columns;
    EXPECT_LT(outcome.megabytes, kMostMegabytes / 10) << columns;
  }
  const std::string svm = folder.write("wide.svm", "1 1:2 4294967295:1\n-1 5:3\n");
  const Outcome outcome = in_a_process(
      [&] {
        if (read(svm).features() != 4294967295U) std::abort();
      },
      "");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_LT(outcome.megabytes, kMostMegabytes / 10);
}

TEST(ReadBudget, HoldsForWhatInflates) {
  const Folder folder;
  const std::string zeros(std::size_t{160} << 20, '\0');
  expect_refused(folder.write("a.npy.gz", gzipped(npy("|u1", "(1024, 163840)", zeros))), "reading the array",
                 kNoTarget);
  expect_refused(folder.write("b.npy.gz", gzipped(npy("|u1", "(40, 2)", zeros))), "goes on after", kNoTarget);
  expect_refused(write_npz(folder.path("c.npz"), {{"X", npy("|u1", "(1024, 163840)", zeros)}}), "reading the array",
                 kNoTarget);
  expect_refused(
      write_npz(folder.path("d.npz"), {{"X", npy("|u1", "(2, 2)", "abcd")}, {"y", npy("<i8", "(20971520,)", zeros)}}),
      "reading the array", kNoTarget);
  expect_refused(folder.write("e.csv.gz", gzipped("a\n1\n" + std::string(std::size_t{160} << 20, '\n'))), "inflated",
                 kNoTarget);
  std::string line;
  for (int i = 0; i < 15'000'000; ++i) line += "1,";
  expect_refused(folder.write("f.csv.gz", gzipped(line + "1\n" + line + "1\n")), "memory", kNoTarget);
  std::string labels = "a\n";
  for (int i = 0; i < 30'000'000; ++i) labels += "7\n";
  expect_refused(folder.write("x.npy", npy("|u1", "(2, 2)", "abcd")), "labels",
                 {.labels = folder.write("g.txt.gz", gzipped(labels + labels))});
}

TEST(LongLines, AreRefusedWithTheirLine) {
  const Folder folder;
  const std::string mebibyte(std::size_t{1} << 20, '7');
  std::string text;
  for (int i = 0; i < 40; ++i) text += mebibyte;
  expect_refused(folder.write("line.csv", text), "line.csv:1: expected a line of at most 32 MiB", kNoTarget);
  expect_refused(folder.write("second.csv", "a,b\n" + text), "second.csv:2: expected a line", kNoTarget);
  expect_refused(folder.write("later.csv", "a,b\n1,2\n3,4\n" + text), "later.csv:4: expected a line", kNoTarget);
  expect_refused(folder.write("a.svm", "1 1:2\n-1 2:1\n1 3:" + text), "a.svm:3: expected a line", kNoTarget);
}

TEST(LongLines, NameTheLineOfAnOpenQuote) {
  const Folder folder;
  std::string rows;
  while (rows.size() < std::size_t{40} << 20) rows += "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\n";
  expect_refused(folder.write("first.csv", "\"a,b\n" + rows), "first.csv:1: a quote opens", kNoTarget);
  expect_refused(folder.write("later.csv", "a,b\n1,2\n1,\"2\n" + rows), "later.csv:3: a quote opens", kNoTarget);
  EXPECT_HOLDS(read_fault(folder.write("short.csv", "\n\"a,b\n1,2\n"), kNoTarget), "short.csv:2: a quote opens");
}

TEST(LongLines, OneLineIsNoReasonToSpeakOfCarriageReturns) {
  const Folder folder;
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "1,2,3\r4,5,6\r"), kNoTarget), "carriage returns only");
  EXPECT_EQ(read(folder.write("b.csv", "1,2,4"), kNoTarget).features(), 3U);
}

}  // namespace
}  // namespace obverse::test
