#include <obverse/feature_names.h>

#include <gtest/gtest.h>

namespace obverse {
namespace {

using List = std::vector<std::string>;

TEST(FeatureNames, FollowFromThePosition) {
  const FeatureNames columns = FeatureNames::numbered("c", std::size_t{1} << 40);
  EXPECT_TRUE(columns.by_position());
  EXPECT_EQ(columns.size(), std::size_t{1} << 40);
  EXPECT_EQ(columns[0], "c1");
  EXPECT_EQ(columns.back(), "c1099511627776");
  EXPECT_EQ(FeatureNames::numbered("f", 3, 0).list(), (List{"f0", "f1", "f2"}));
  EXPECT_EQ(FeatureNames::pixels(2, 3).list(),
            (List{"pixel_0_0", "pixel_0_1", "pixel_0_2", "pixel_1_0", "pixel_1_1", "pixel_1_2"}));
}

TEST(FeatureNames, AreFoundInEveryForm) {
  for (const FeatureNames& names :
       {FeatureNames::numbered("c", 12), FeatureNames::numbered("f", 12, 0), FeatureNames::pixels(3, 4),
        FeatureNames(List{"a", "b", ""}), FeatureNames::numbered("c", 12).without({0, 5, 11}),
        FeatureNames::pixels(3, 4).without({2}).without({0, 2})}) {
    const NameIndex index(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(names.find(names[i]), i);
      EXPECT_EQ(index.find(names[i]), i);
    }
    for (const char* other : {"c0", "c01", "c+1", "c13", "c", "C1", "c99999999999999999999", "f12", "f-1", "pixel_0_4",
                              "pixel_3_0", "pixel_00_0", "pixel_0", "pixel_0_", "x"}) {
      EXPECT_EQ(names.find(other), std::nullopt) << other;
    }
  }
}

TEST(FeatureNames, CanLoseColumns) {
  const FeatureNames names = FeatureNames::numbered("c", 6).without({1, 4});
  EXPECT_EQ(names.list(), (List{"c1", "c3", "c4", "c6"}));
  EXPECT_EQ(names.without({0, 3}).list(), (List{"c3", "c4"}));
  EXPECT_EQ(names.find("c2"), std::nullopt);
  EXPECT_EQ(FeatureNames(List{"a", "b", "c"}).without({1}).list(), (List{"a", "c"}));
}

TEST(FeatureNames, AreEqualByName) {
  EXPECT_EQ(FeatureNames::numbered("c", 2), (List{"c1", "c2"}));
  EXPECT_EQ(FeatureNames::numbered("c", 3).without({2}), FeatureNames::numbered("c", 2));
  EXPECT_FALSE(FeatureNames::numbered("c", 2) == FeatureNames::numbered("f", 2));
  FeatureNames grown = FeatureNames::numbered("c", 2);
  grown.push_back("x");
  EXPECT_EQ(grown, (List{"c1", "c2", "x"}));
}

}  // namespace
}  // namespace obverse
