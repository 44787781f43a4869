#include "options/value.h"

#include <array>

#include <gtest/gtest.h>

namespace obverse {
namespace {

using Kind = Setting::Kind;

template <class T>
T assigned(T value, const std::string& text, const Bounds& bounds, Kind kind = Kind::typed) {
  assign({.name = "x", .text = text, .where = "--x", .kind = kind}, value, bounds);
  return value;
}

template <class T>
std::string refused(T value, const std::string& text, const Bounds& bounds, Kind kind = Kind::typed) {
  try {
    assigned(value, text, bounds, kind);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    return error.what();
  }
  ADD_FAILURE() << text << " was taken";
  return {};
}

TEST(Value, OutOfBoundsIsRefusedWithOptionRangeAndFinding) {
  EXPECT_EQ(refused(0, "0", between(1, 8)), "--x: expected a whole number from 1 to 8; found '0'");
  EXPECT_EQ(refused(0, "9", between(1, 8)), "--x: expected a whole number from 1 to 8; found '9'");
  EXPECT_EQ(refused(0.0, "0", above(0)), "--x: expected a number above 0; found '0'");
  EXPECT_EQ(refused(0.0, "2", between(0, 1).or_word("auto")),
            "--x: expected a number above 0 and up to 1, or auto; found '2'");
}

TEST(Value, ThatIsNoNumberIsRefused) {
  for (const std::string text : {"", "x", "1x", "1.5", "0x10", "--3", "1 2"}) refused(0, text, anything());
  for (const std::string text : {"", "x", "1.5.2", "nan", "inf", "-inf", "1e999"}) refused(0.0, text, anything());
}

TEST(Value, TooLargeForItsTypeIsRefusedWithTheLargest) {
  EXPECT_NE(refused(0, "99999999999", at_least(1)).find("2147483647"), std::string::npos);
  EXPECT_EQ(assigned(std::uint64_t{0}, "18446744073709551615", at_least(0)), 18446744073709551615ULL);
  refused(std::uint64_t{0}, "18446744073709551616", at_least(0));
  refused(std::uint64_t{0}, "-1", at_least(0));
}

TEST(Value, ANameSaysWhatItNames) {
  EXPECT_EQ(refused(std::string(), "", column()), "--x: expected a column; found ''");
  EXPECT_EQ(assigned(std::string(), "-1", column(), Kind::number), "-1");
  EXPECT_EQ(refused(std::string(), "3", file(), Kind::number), "--x: expected a file; found '3'");
  EXPECT_EQ(refused(std::vector<std::string>{}, "a,a", column()),
            "--x: expected columns, each once, with commas between; found 'a,a'");
}

TEST(Value, ACharacterIsOneOfAnyKindOrATab) {
  const Bounds bounds = one_of(kSeparatorWords);
  for (const std::string text : {"auto", "space", "tab", ";", "\\t", "\t"}) {
    EXPECT_EQ(assigned(std::string(), text, bounds), text);
  }
  for (const std::string text : {"", ";;", "CHARACTER"}) refused(std::string(), text, bounds);
}

TEST(Value, ZeroGoesByItsWordWhereItHasOne) {
  const Bounds bounds = at_least(1).or_word("auto");
  EXPECT_EQ(assigned(7, "auto", bounds), 0);
  EXPECT_EQ(written(0, bounds), "auto");
  refused(7, "0", bounds);
  refused(7.0, "0", between(0, 1).or_word("auto"));
}

TEST(Value, ListsOfWholeNumbersSharesAndNames) {
  const Bounds sizes = at_least(1).or_empty("auto");
  EXPECT_EQ(assigned(std::vector<int>{}, "8, 16", sizes), (std::vector{8, 16}));
  EXPECT_EQ(assigned(std::vector<int>{8}, "auto", sizes), std::vector<int>{});
  EXPECT_EQ(written(std::vector{8, 16}, sizes), "8,16");
  EXPECT_EQ(refused(std::vector<int>{}, "8,1.5", sizes),
            "--x: expected a whole number of at least 1 or several with commas between, or auto; found '8,1.5'");
  refused(std::vector<int>{}, "8,,9", sizes);
  EXPECT_EQ(assigned(std::vector<double>{}, "1%,0.5", between(0, 1)), (std::vector{0.01, 0.5}));
  EXPECT_EQ(assigned(std::vector<double>{}, "5%", between(0, 1), Kind::text), std::vector{0.05});
  const std::vector<Effort> both{Effort::thorough, Effort::quick};
  EXPECT_EQ(assigned(std::vector<Effort>{}, "thorough,quick", anything()), both);
  EXPECT_EQ(written(both, anything()), "thorough,quick");
  for (const std::string text : {"", "slow", "quick,quick"}) refused(std::vector<Effort>{}, text, anything());
}

TEST(Value, ListsOfWordsHoldEachOnce) {
  constexpr std::array<std::string_view, 3> kWords{"rf", "ert", "stg+complement"};
  const Bounds words = one_of(kWords).or_empty("all");
  const std::vector<std::string> none;
  EXPECT_EQ(assigned(none, "ert, stg+complement", words), (std::vector<std::string>{"ert", "stg+complement"}));
  EXPECT_EQ(assigned(none, "ert,rf", words, Kind::list), (std::vector<std::string>{"ert", "rf"}));
  EXPECT_TRUE(assigned(std::vector<std::string>{"rf"}, "all", words).empty());
  EXPECT_EQ(written(none, words), "all");
  EXPECT_EQ(refused(none, "fr", words),
            "--x: expected one or more of rf, ert, stg+complement, each once, with commas between, or all; found 'fr'");
  for (const std::string text : {"", "rf,", "rf,rf", "all,rf"}) refused(none, text, words);
  EXPECT_FALSE(within(none, one_of(kWords)));
}

TEST(Value, SharesMayBePercentages) {
  EXPECT_EQ(assigned(0.0, "5%", between(0, 1)), 0.05);
  EXPECT_EQ(assigned(0.0, "7 %", between(0, 1)), 0.07);
  EXPECT_EQ(assigned(0.0, "5%", between(0, 1), Kind::text), 0.05);
  refused(0.0, "120%", between(0, 1));
  refused(0.0, "5%", at_least(0));
}

TEST(Value, TimesHaveUnitsOrAreSeconds) {
  const Bounds bounds = duration().or_word("none");
  for (const auto& [text, seconds] :
       {std::pair{"60s", 60.0}, {"90", 90.0}, {"1.5m", 90.0}, {"2h", 7200.0}, {"none", 0.0}}) {
    EXPECT_EQ(assigned(5.0, text, bounds), seconds) << text;
    EXPECT_EQ(assigned(5.0, text, bounds, Kind::text), seconds) << text;
  }
  EXPECT_EQ(assigned(0.0, "2.5", bounds, Kind::number), 2.5);
  for (const std::string text : {"0", "0s", "-1s", "s", "5x", "5 minutes", "1h30m", "nan", "inf", "1e308h", ""}) {
    EXPECT_EQ(refused(0.0, text, bounds), "--x: expected a time such as 60s, 5m or 1h, or none; found '" + text + "'");
  }
  refused(0.0, "true", bounds, Kind::boolean);
  EXPECT_EQ(written(90.0, bounds), "90s");
  EXPECT_EQ(written(0.0, bounds), "none");
}

TEST(Value, ListsAreSeveralNumbersOrTheirWord) {
  const Bounds bounds = at_least(0).or_empty("search");
  EXPECT_EQ(assigned(std::vector<double>{}, "0.1, 1", bounds), (std::vector<double>{0.1, 1}));
  EXPECT_TRUE(assigned(std::vector<double>{3}, "search", bounds).empty());
  EXPECT_EQ(written(std::vector<double>{}, bounds), "search");
  EXPECT_EQ(written(std::vector<double>{0.1, 1}, bounds), "0.1,1");
  for (const std::string text : {"", "1,,2", "1,", "1,-1", "1;2"}) refused(std::vector<double>{}, text, bounds);
}

TEST(Value, EnumeratorsGoByTheirNames) {
  EXPECT_EQ(assigned(Precision::f32, "bf16", anything()), Precision::bf16);
  EXPECT_EQ(refused(Precision::f32, "f16", anything()), "--x: expected auto, f32, tf32 or bf16; found 'f16'");
  EXPECT_EQ(written(Scaling::automatic, anything()), "auto");
}

TEST(Value, TextIsOneOfTheAllowedWordsWhereThereAreSome) {
  constexpr std::array<std::string_view, 2> kWords{"cfm", "fm"};
  EXPECT_EQ(assigned(std::string("cfm"), "fm", one_of(kWords)), "fm");
  EXPECT_EQ(refused(std::string("cfm"), "cmf", one_of(kWords)), "--x: expected cfm or fm; found 'cmf'");
  EXPECT_EQ(assigned(std::string(), "any", anything()), "any");
  EXPECT_FALSE(within(std::string("CFM"), one_of(kWords)));
}

TEST(Value, TextMayEndWithANumberWhereItsWordSaysSo) {
  const std::string none;
  for (const std::string text : {"cpu", "cuda", "cuda:0", "cuda:12"}) {
    EXPECT_EQ(assigned(none, text, one_of(device_words())), text);
  }
  EXPECT_EQ(refused(none, "cuda:N", one_of(device_words())), "--x: expected cpu, cuda, cuda:N or auto; found 'cuda:N'");
  for (const std::string text : {"", "cuda:", "cuda:-1", "cuda:1.5", "cuda:x", "cuda:70000", "cpu:0"}) {
    refused(none, text, one_of(device_words()));
  }
}

TEST(Value, OfTheWrongTypeInAConfigFileIsRefused) {
  EXPECT_NE(refused(1, "5", at_least(1), Kind::text).find("found the text '5'"), std::string::npos);
  refused(1, "true", at_least(1), Kind::boolean);
  refused(std::string("cfm"), "5", anything(), Kind::number);
  refused(false, "true", anything(), Kind::text);
  EXPECT_TRUE(assigned(false, "true", anything(), Kind::boolean));
}

TEST(Value, InAMessageCannotSteerTheTerminal) {
  EXPECT_EQ(refused(0, "\x1b[2J", anything()).find('\x1b'), std::string::npos);
}

TEST(Within, AgreesWithWhatCanBeTyped) {
  EXPECT_TRUE(within(0, at_least(1).or_word("auto")));
  EXPECT_FALSE(within(-1, at_least(1).or_word("auto")));
  EXPECT_FALSE(within(std::numeric_limits<double>::quiet_NaN(), anything()));
  EXPECT_TRUE(within(std::vector<double>{}, at_least(0).or_empty("search")));
  EXPECT_FALSE(within(std::vector<double>{-1}, at_least(0)));
}

}  // namespace
}  // namespace obverse
