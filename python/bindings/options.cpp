#include "options.h"

#include <map>
#include <type_traits>
#include <utility>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <obverse/compare.h>
#include <obverse/evaluation.h>

#include "dataset/tasks.h"
#include "options/table.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace obverse {
namespace {

// Of what type a value is, as a user of Python would write it.
std::string type_name(int) { return "int"; }
std::string type_name(std::uint64_t) { return "int"; }
std::string type_name(double) { return "float"; }
std::string type_name(bool) { return "bool"; }
std::string type_name(const std::string&) { return "str"; }
template <Enumerated E>
std::string type_name(E) {
  return "str";
}
template <class T>
std::string type_name(const std::vector<T>&) {
  return type_name(T{}) + ", ...";
}

template <class T>
nb::object item(const T& value) {
  if constexpr (std::is_enum_v<T>) return nb::cast(written(value, anything()));
  if constexpr (!std::is_enum_v<T>) return nb::cast(value);
}

/// A word where the value goes by one; the word `none` is None.
nb::object word(std::string_view text) {
  return text == "none" ? nb::none() : nb::object(nb::str(text.data(), text.size()));
}

template <class T>
nb::object python_value(const T& value, const Bounds& bounds) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (value == T{} && !bounds.zero_word.empty()) return word(bounds.zero_word);
  }
  return item(value);
}

template <class T>
nb::object python_value(const std::vector<T>& values, const Bounds& bounds) {
  if (values.empty() && !bounds.empty_word.empty()) return word(bounds.empty_word);
  nb::list list;
  for (const T& value : values) list.append(item(value));
  return nb::tuple(list);
}

/// The texts that an option takes, beside numbers: `none` is None and not among them.
template <class T>
std::vector<std::string> words(const T&, const Bounds& bounds) {
  std::vector<std::string> out;
  if constexpr (std::is_enum_v<T>) out.assign(names(T{}).begin(), names(T{}).end());
  out.insert(out.end(), bounds.words.begin(), bounds.words.end());
  for (const std::string_view word : {bounds.zero_word, bounds.empty_word}) {
    if (!word.empty() && word != "none") out.emplace_back(word);
  }
  return out;
}

template <class T>
std::vector<std::string> words(const std::vector<T>&, const Bounds& bounds) {
  return words(T{}, bounds);
}

/// What a table of texts does not tell of an option.
struct Typed {
  std::string type;
  nb::object initial;
  std::vector<std::string> words;
};

nb::dict row(const OptionRow& option, const Typed& typed) {
  nb::dict out;
  out["name"] = option.name;
  out["type"] = typed.type;
  out["default"] = typed.initial;
  out["words"] = typed.words;
  out["allowed"] = option.allowed;
  out["help"] = option.help;
  return out;
}

/// The rows of a table with the defaults of its options as values, not as texts.
template <class Options, class Describe>
nb::list rows(const std::vector<OptionRow>& table, const Options& defaults, Describe describe) {
  std::map<std::string, Typed, std::less<>> known;
  const auto add = [&](std::string_view name, const auto& value, const Bounds& bounds, std::string_view) {
    known[std::string(name)] = {type_name(value), python_value(value, bounds), words(value, bounds)};
  };
  describe(defaults, add);
  add("effort", Effort::normal, anything(), {});
  known["recipe"] = {"str, ...", nb::none(), {}};  // those of the effort
  for (const auto& [name, purpose] : recipe_names()) known["recipe"].words.emplace_back(name);
  nb::list out;
  for (const OptionRow& option : table) out.append(row(option, known.at(option.name)));
  return out;
}

/// By table: select, train, evaluate, compare.
nb::dict options() {
  nb::dict tables;
  const auto kSelect = [](const auto& o, auto&& field) { describe_select(o, field); };
  const auto kTrain = [](const auto& o, auto&& field) { describe_train(o, field); };
  const auto kEvaluate = [](const auto& o, auto&& field) { describe_evaluate(o, field); };
  const auto kCompare = [](const auto& o, auto&& field) { describe_compare(o, field); };
  tables["select"] = rows(select_rows(), options_for(Effort::normal), kSelect);
  tables["train"] = rows(train_rows(), TrainOptions{}, kTrain);
  tables["evaluate"] = rows(evaluation_rows(), EvaluateOptions{}, kEvaluate);
  tables["compare"] = rows(comparison_rows(), CompareOptions{}, kCompare);
  return tables;
}

/// By name, what the target of a task can be.
nb::dict tasks_of_engine() {
  nb::dict out;
  for (const TaskRecord& task : tasks()) {
    nb::dict record;
    record["needs_target"] = task.needs_target;
    record["one_column"] = task.one_column;
    record["several_columns"] = task.several_columns;
    out[nb::str(task.name.data(), task.name.size())] = record;
  }
  return out;
}

Setting::Kind kind_of(const std::string& name) {
  if (name == "number") return Setting::Kind::number;
  if (name == "boolean") return Setting::Kind::boolean;
  if (name == "list") return Setting::Kind::list;
  return Setting::Kind::text;
}

}  // namespace

std::vector<Setting> settings_of(const std::vector<Given>& given) {
  std::vector<Setting> settings;
  settings.reserve(given.size());
  for (const auto& [name, text, kind] : given) {
    settings.push_back({.name = name, .text = text, .where = name, .kind = kind_of(kind)});
  }
  return settings;
}

void add_options(nb::module_& module) {
  module.def("tasks", &tasks_of_engine, "Every task by name, and what its target can be.");
  module.def(
      "missing_words", [] { return std::vector<std::string>(kMissingWords.begin(), kMissingWords.end()); },
      "What can be done about missing values.");
  module.def("options", &options, "Every option of the engine by table: name, type, default, allowed and help.");
}

}  // namespace obverse
