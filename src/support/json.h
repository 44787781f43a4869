// JSON from outside, text of any depth and values of any type, made into checked values or an Error; and JSON as text.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace obverse {

/// Objects and lists inside each other; what the program writes needs less than a quarter of it.
inline constexpr std::size_t kJsonDepth = 64;

/// The only place that parses JSON. `expected` begins the message of a fault: "result.json: expected a selection".
nlohmann::ordered_json parse_json(std::string_view text, std::string_view expected);

/// JSON for people too: objects indented, lists of plain values on one line. Bytes that are no UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& tree);

/// Where two trees first differ, in words; empty where they are the same.
std::string first_difference(const nlohmann::ordered_json& was, const nlohmann::ordered_json& is);

/// The members of a JSON object, each checked as it is read: an Error names the member, what was expected and found.
class JsonObject {
 public:
  static constexpr std::size_t kNoBound = std::numeric_limits<std::size_t>::max();

  /// `name` is for messages and may be empty; `tree` has to outlive the object.
  JsonObject(const nlohmann::ordered_json& tree, std::string name);

  const nlohmann::ordered_json& tree() const { return tree_; }
  bool has(const std::string& member) const { return tree_.contains(member); }
  std::string text(const std::string& member) const;
  /// Empty where the member is missing.
  std::string text_or_none(const std::string& member) const { return has(member) ? text(member) : std::string(); }
  /// Which of the words it is.
  std::size_t word(const std::string& member, std::span<const std::string_view> words) const;
  /// A whole number of at least `least` and at most `most`.
  std::size_t count(const std::string& member, std::size_t least = 0, std::size_t most = kNoBound) const;
  /// 0 where the member is missing.
  std::size_t count_or_zero(const std::string& member) const { return has(member) ? count(member) : 0; }
  bool flag(const std::string& member) const;
  /// None for null, which stands for a number that is not finite.
  std::optional<double> number(const std::string& member) const;
  std::vector<std::string> texts(const std::string& member) const;
  std::vector<std::size_t> counts(const std::string& member, std::size_t least, std::size_t most) const;
  /// A list of `length` numbers.
  std::vector<std::optional<double>> numbers(const std::string& member, std::size_t length) const;
  /// How many values a list has.
  std::size_t length(const std::string& member) const;
  JsonObject object(const std::string& member) const;
  /// A list of objects.
  std::vector<JsonObject> objects(const std::string& member) const;

  /// Throws the Error of a member whose value is of the right kind and wrong all the same.
  [[noreturn]] void refuse(const std::string& member, std::string_view expected, std::string_view found) const;

 private:
  const nlohmann::ordered_json& at(const std::string& member) const;
  const nlohmann::ordered_json& list(const std::string& member) const;
  std::string path(const std::string& member) const { return name_.empty() ? member : name_ + "." + member; }

  const nlohmann::ordered_json& tree_;
  std::string name_;
};

}  // namespace obverse
