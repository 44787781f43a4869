// JSON from outside: text of any depth and values of any type, made into checked values or an Error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace obverse {

/// Objects and lists inside each other; what the program writes needs less than a quarter of it.
inline constexpr std::size_t kJsonDepth = 64;

/// The only place that parses JSON. `expected` begins the message of a fault: "result.json: expected a selection".
nlohmann::ordered_json parse_json(std::string_view text, std::string_view expected);

/// The members of a JSON object, each checked as it is read: an Error names the member, what was expected and found.
class JsonObject {
 public:
  /// `name` is for messages and may be empty; `tree` has to outlive the object.
  JsonObject(const nlohmann::ordered_json& tree, std::string name);

  bool has(const std::string& member) const { return tree_.contains(member); }
  std::string text(const std::string& member) const;
  /// A whole number of at least `least` and at most `most`.
  std::size_t count(const std::string& member, std::size_t least, std::size_t most) const;
  std::vector<std::string> texts(const std::string& member) const;
  std::vector<std::size_t> counts(const std::string& member, std::size_t least, std::size_t most) const;
  /// How many values a list has.
  std::size_t length(const std::string& member) const;
  JsonObject object(const std::string& member) const;

 private:
  const nlohmann::ordered_json& at(const std::string& member) const;
  const nlohmann::ordered_json& list(const std::string& member) const;
  std::string path(const std::string& member) const { return name_.empty() ? member : name_ + "." + member; }

  const nlohmann::ordered_json& tree_;
  std::string name_;
};

}  // namespace obverse
