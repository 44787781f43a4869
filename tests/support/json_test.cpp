#include "support/json.h"

#include <optional>

#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse {
namespace {

template <class Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    return error.what();
  }
  ADD_FAILURE() << "expected an Error";
  return {};
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, SaysWhereItStopsBeingJson) {
  const auto found = [](const std::string& text) {
    return message_of([&] { parse_json(text, "a.json: expected a list"); });
  };
  EXPECT_EQ(found("[1, 2"), "a.json: expected a list, found its end too early; was it cut short?");
  EXPECT_EQ(found("[1; 2]"), "a.json: expected a list, found other text at byte 3");
  EXPECT_EQ(found("[1e999]"), "a.json: expected a list, found a number that is too large");
  EXPECT_EQ(parse_json("[1, 2]", "a list").size(), 2U);
}

TEST(ParseJson, BoundsTheDepthOfLists) {
  EXPECT_EQ(parse_json(nested(kJsonDepth), "a list").size(), 1U);
  EXPECT_EQ(message_of([] { parse_json(nested(kJsonDepth + 1), "a list"); }),
            "a list, found values nested more than 64 deep at byte 65");
}

// As many brackets as overflow the stack of whatever walks down them.
TEST(ParseJson, BoundsADepthOfMillions) {
  for (const std::string open : {"[", R"({"a":)", R"([{"b":[)", "[[],"}) {
    std::string text;
    while (text.size() < 5000000) text += open;
    EXPECT_NE(message_of([&] { parse_json(text, "a list"); }).find("nested more than 64 deep"), std::string::npos);
  }
}

TEST(ParseJson, CountsNoBracketsInText) {
  const std::string text = R"([")" + std::string(1000, '[') + R"(\")" + std::string(1000, '{') + R"("])";
  EXPECT_EQ(parse_json(text, "a list")[0].get<std::string>().size(), 2001U);
  EXPECT_EQ(parse_json("[[],[{}]," + nested(30) + "]", "a list").size(), 3U);
}

TEST(JsonText, IndentsObjectsAndKeepsPlainListsOnOneLine) {
  const nlohmann::ordered_json tree{{"k", {1, 2}}, {"models", {{{"seed", 1}}, {{"scores", {0.5}}}}}, {"none", nullptr}};
  EXPECT_EQ(json_text(tree),
            "{\n"
            "  \"k\": [1,2],\n"
            "  \"models\": [\n"
            "    {\"seed\":1},\n"
            "    {\n"
            "      \"scores\": [0.5]\n"
            "    }\n"
            "  ],\n"
            "  \"none\": null\n"
            "}\n");
}

TEST(JsonObject, ChecksEachMember) {
  const auto tree = parse_json(
      R"({"name": "a", "rows": 3, "share": 0.5, "minus": -1, "names": ["a", "b"], "sides": [2, 4], "in": {"x": 1},
          "yes": true})",
      "an object");
  const JsonObject object(tree, "set");
  EXPECT_EQ(object.text("name"), "a");
  EXPECT_EQ(object.count("rows", 1, 3), 3U);
  EXPECT_EQ(object.texts("names"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(object.counts("sides", 1, 4), (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(object.length("names"), 2U);
  EXPECT_EQ(object.object("in").count("x", 0, 1), 1U);
  EXPECT_TRUE(object.has("in"));
  EXPECT_FALSE(object.has("out"));
  EXPECT_TRUE(object.flag("yes"));
  EXPECT_EQ(message_of([&] { object.flag("rows"); }), "set.rows: expected true or false, found 3");
  EXPECT_EQ(message_of([&] { object.text("none"); }), "set.none: expected a value, found none");
  EXPECT_EQ(message_of([&] { object.text("rows"); }), "set.rows: expected text, found 3");
  EXPECT_EQ(message_of([&] { object.count("name", 0, 9); }),
            "set.name: expected a whole number from 0 to 9, found 'a'");
  for (const char* member : {"share", "minus", "names"}) {
    EXPECT_NE(message_of([&] { object.count(member, 0, 9); }).find("expected a whole number"), std::string::npos);
  }
  EXPECT_EQ(message_of([&] { object.count("minus"); }), "set.minus: expected a whole number from 0 on, found -1");
  EXPECT_NE(message_of([&] { object.count("rows", 4, 9); }).find("from 4 to 9, found 3"), std::string::npos);
  EXPECT_EQ(message_of([&] { object.texts("sides"); }), "set.sides: expected text, found 2");
  EXPECT_EQ(message_of([&] { object.length("in"); }), "set.in: expected a list, found an object of 1");
  EXPECT_EQ(message_of([&] { object.object("names"); }), "set.names: expected an object, found a list of 2");
  EXPECT_EQ(message_of([&] { object.object("in").text("x"); }), "set.in.x: expected text, found 1");
}

TEST(JsonObject, ReadsNumbersListsOfObjectsAndWhatMayBeMissing) {
  const auto tree = parse_json(
      R"({"share": 0.5, "none": null, "both": [1, null], "name": "a", "rows": 3, "sets": [{"rows": 1}, {"rows": "b"}]})",
      "an object");
  const JsonObject object(tree, "");
  EXPECT_EQ(object.number("share"), 0.5);
  EXPECT_EQ(object.number("none"), std::nullopt);
  EXPECT_EQ(object.numbers("both", 2), (std::vector<std::optional<double>>{1, std::nullopt}));
  EXPECT_EQ(object.text_or_none("title"), "");
  EXPECT_EQ(object.text_or_none("name"), "a");
  EXPECT_EQ(object.count_or_zero("columns"), 0U);
  EXPECT_EQ(object.count_or_zero("rows"), 3U);
  const std::vector<JsonObject> sets = object.objects("sets");
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0].count("rows"), 1U);
  EXPECT_EQ(message_of([&] { sets[1].count("rows"); }), "sets[1].rows: expected a whole number from 0 on, found 'b'");
  EXPECT_EQ(message_of([&] { object.number("name"); }), "name: expected a number, found 'a'");
  EXPECT_EQ(message_of([&] { object.numbers("both", 3); }), "both: expected 3 numbers, found 2");
  EXPECT_EQ(message_of([&] { object.text_or_none("rows"); }), "rows: expected text, found 3");
  EXPECT_EQ(message_of([&] { object.objects("both"); }), "both[0]: expected an object, found 1");
  EXPECT_EQ(message_of([&] { object.refuse("rows", "an even number", "3"); }),
            "rows: expected an even number, found 3");
}

}  // namespace
}  // namespace obverse
