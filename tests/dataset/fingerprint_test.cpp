#include <gtest/gtest.h>

#include <array>
#include <set>

#include <obverse/dataset.h>

namespace obverse {
namespace {

template <class T>
DatasetParts parts(std::vector<T> values) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(values));
  DatasetParts parts;
  parts.storage = DenseMatrix<T>{std::shared_ptr<const T[]>(owner, owner->data()), owner->size() / 2, 2};
  parts.feature_names = {"ab", "c"};
  for (std::size_t r = 0; r < owner->size() / 2; ++r) parts.labels.push_back(static_cast<std::int32_t>(r % 2));
  parts.class_names = {"no", "yes"};
  parts.target_name = std::string("y");
  return parts;
}

std::string print(DatasetParts parts) { return fingerprint(Dataset(std::move(parts))); }

TEST(Fingerprint, IsSixteenHexadecimalDigitsAndTheSameForTheSameData) {
  const std::string first = print(parts<float>({1, 2, 3, 4}));
  EXPECT_EQ(first, print(parts<float>({1, 2, 3, 4})));
  EXPECT_EQ(first.size(), 16U);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Fingerprint, ChangesWithEveryPart) {
  std::set<std::string> seen;
  const auto add = [&](auto change) {
    DatasetParts changed = parts<float>({1, 2, 3, 4});
    change(changed);
    EXPECT_TRUE(seen.insert(print(std::move(changed))).second) << seen.size();
  };
  add([](DatasetParts&) {});
  add([](DatasetParts& p) { p = parts<float>({1, 2, 4, 3}); });
  add([](DatasetParts& p) { p = parts<float>({2, 1, 3, 4}); });
  add([](DatasetParts& p) { p = parts<std::uint8_t>({1, 2, 3, 4}); });
  add([](DatasetParts& p) { p = parts<float>({1, 2, 3, 4, 5, 6}); });
  add([](DatasetParts& p) { p.storage = SparseMatrix{{0, 2, 4}, {0, 1, 0, 1}, {1, 2, 3, 4}, 2}; });
  add([](DatasetParts& p) { p.labels = {1, 0}; });
  add([](DatasetParts& p) { p.labels = {}; });
  add([](DatasetParts& p) { p.feature_names = {"a", "bc"}; });
  add([](DatasetParts& p) { p.class_names[1] = "yea"; });
  add([](DatasetParts& p) { p.target_name = std::string("z"); });
  add([](DatasetParts& p) { p.image_shape = ImageShape{1, 2}; });
}

TEST(Fingerprint, OfASubsetIsThatOfItsRows) {
  const Dataset data(parts<float>({1, 2, 3, 4, 5, 6, 7, 8}));
  const std::array<std::uint32_t, 2> first{0, 1};
  EXPECT_EQ(fingerprint(data.subset(first)), print(parts<float>({1, 2, 3, 4})));
}

TEST(Fingerprint, TellsSingleBitsOfALongRowApart) {
  std::set<std::string> seen;
  for (std::size_t flipped = 0; flipped < 1000; ++flipped) {
    std::vector<std::uint8_t> values(1000, 7);
    values[flipped] ^= 1;
    DatasetParts wide = parts<std::uint8_t>(values);
    seen.insert(print(std::move(wide)));
  }
  EXPECT_EQ(seen.size(), 1000U);
}

}  // namespace
}  // namespace obverse
