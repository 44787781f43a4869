#include "support/json.h"

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

TEST(JsonObject, ChecksEachMember) {
  const auto tree = parse_json(
      R"({"name": "a", "rows": 3, "share": 0.5, "minus": -1, "names": ["a", "b"], "sides": [2, 4], "in": {"x": 1}})",
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
  EXPECT_EQ(message_of([&] { object.text("none"); }), "set.none: expected a value, found none");
  EXPECT_EQ(message_of([&] { object.text("rows"); }), "set.rows: expected text, found 3");
  EXPECT_EQ(message_of([&] { object.count("name", 0, 9); }),
            "set.name: expected a whole number from 0 to 9, found 'a'");
  for (const char* member : {"share", "minus", "names"}) {
    EXPECT_NE(message_of([&] { object.count(member, 0, 9); }).find("expected a whole number"), std::string::npos);
  }
  EXPECT_NE(message_of([&] { object.count("rows", 4, 9); }).find("from 4 to 9, found 3"), std::string::npos);
  EXPECT_EQ(message_of([&] { object.texts("sides"); }), "set.sides: expected text, found 2");
  EXPECT_EQ(message_of([&] { object.length("in"); }), "set.in: expected a list, found an object of 1");
  EXPECT_EQ(message_of([&] { object.object("names"); }), "set.names: expected an object, found a list of 2");
  EXPECT_EQ(message_of([&] { object.object("in").text("x"); }), "set.in.x: expected text, found 1");
}

}  // namespace
}  // namespace obverse
