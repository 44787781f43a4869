#include "report/selection_view.h"

#include <algorithm>
#include <cmath>

#include <obverse/error.h>
#include <obverse/options.h>

#include "support/text.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// Takes values out of a tree that may be that of anything.
class Fields {
 public:
  Fields(const Json& tree, const std::string& source) : tree_(tree), source_(source) {}

  [[noreturn]] void refuse(const std::string& found) const {
    throw Error(Fault::input, cat(printable(source_), ": expected selection.json as `obverse select -o` writes it, ",
                                  found, "; write it anew with `obverse select`"));
  }

  /// `place`: a JSON pointer, /data/features.
  const Json* find(const std::string& place) const {
    const Json::json_pointer pointer(place);
    return tree_.contains(pointer) ? &tree_.at(pointer) : nullptr;
  }

  const Json& at(const std::string& place) const {
    const Json* found = find(place);
    if (found == nullptr) refuse(cat("found no '", place.substr(1), "' in it"));
    return *found;
  }

  std::string text(const std::string& place) const { return text_of(at(place), place); }
  std::string text_or(const std::string& place, const std::string& otherwise) const {
    return find(place) == nullptr ? otherwise : text(place);
  }

  double number(const std::string& place) const {
    const std::optional<double> value = number_of(at(place), place);
    return value.value_or(0);
  }
  std::optional<double> number_of(const Json& value, const std::string& place) const {
    if (value.is_null()) return std::nullopt;
    if (!value.is_number()) refuse_kind(place, "a number", value);
    const auto number = value.get<double>();
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  }

  std::uint64_t count(const std::string& place) const { return count_of(at(place), place); }
  std::uint64_t count_or_zero(const std::string& place) const { return find(place) == nullptr ? 0 : count(place); }
  std::uint64_t count_of(const Json& value, const std::string& place) const {
    const bool counts = value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
    if (!counts) refuse_kind(place, "a count", value);
    return value.get<std::uint64_t>();
  }

  const Json& list(const std::string& place) const {
    const Json& value = at(place);
    if (!value.is_array()) refuse_kind(place, "a list", value);
    return value;
  }

  std::vector<std::string> texts(const std::string& place) const {
    std::vector<std::string> out;
    for (const Json& value : list(place)) out.push_back(text_of(value, place));
    return out;
  }

  std::vector<std::optional<double>> numbers(const std::string& place, std::size_t expected) const {
    std::vector<std::optional<double>> out;
    for (const Json& value : list(place)) out.push_back(number_of(value, place));
    if (out.size() != expected) {
      refuse(cat("found ", out.size(), " numbers in '", place.substr(1), "' for ", expected, " features"));
    }
    return out;
  }

  /// Numbers of features from 1 in the file, from 0 here; none comes twice.
  std::vector<std::size_t> features(const std::string& place, std::size_t known) const {
    std::vector<std::size_t> out;
    std::vector<bool> taken(known);
    for (const Json& value : list(place)) {
      const std::uint64_t number = count_of(value, place);
      if (number < 1 || number > known || taken[number - 1]) {
        refuse(
            cat("found feature ", number, " in '", place.substr(1), "', which is none of ", known, " or comes twice"));
      }
      taken[number - 1] = true;
      out.push_back(number - 1);
    }
    return out;
  }

 private:
  std::string text_of(const Json& value, const std::string& place) const {
    if (!value.is_string()) refuse_kind(place, "a text", value);
    return value.get<std::string>();
  }

  [[noreturn]] void refuse_kind(const std::string& place, std::string_view expected, const Json& found) const {
    refuse(cat("found for '", place.substr(1), "' not ", expected, " but ", excerpt(found.dump(-1, ' ', true), 30)));
  }

  const Json& tree_;
  const std::string& source_;
};

std::vector<ModelView> models(const Fields& fields) {
  std::vector<ModelView> out;
  for (std::size_t i = 0; i < fields.list("/models").size(); ++i) {
    const std::string model = cat("/models/", i);
    const auto number = [&](const char* key) { return fields.number_of(fields.at(model + key), model + key); };
    // r2 lies below 0 where a model tells a quantity worse than its mean does.
    const auto share = [&](const char* key) {
      const std::optional<double> value = number(key);
      if (value && *value > 1) fields.refuse(cat("found ", *value, " for '", model.substr(1), key, "'"));
      return value;
    };
    out.push_back({.recipe = fields.text(model + "/recipe"),
                   .seed = fields.count(model + "/seed"),
                   .gamma = number("/gamma"),
                   .accuracy = share("/accuracy"),
                   .network_accuracy = share("/network_accuracy"),
                   .merit = number("/merit"),
                   .epochs = fields.count(model + "/epochs")});
  }
  return out;
}

void add_pictures(const Fields& fields, SelectionView& view) {
  if (fields.find("/data/image") == nullptr) return;
  const ImageShape shape{.height = fields.count("/data/image/height"), .width = fields.count("/data/image/width")};
  const std::size_t pixels = view.names.size();
  if (shape.width == 0 || shape.height != pixels / shape.width || pixels % shape.width != 0) {
    fields.refuse(cat("found pictures of ", shape.height, " x ", shape.width, " pixels for ", pixels, " features"));
  }
  view.image = shape;
  if (fields.find("/data/examples") == nullptr) return;
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  for (std::size_t i = 0; i < fields.list("/data/examples").size(); ++i) {
    const std::string place = cat("/data/examples/", i);
    view.examples.push_back({fields.text(place + "/label"), fields.text(place + "/pixels")});
    const std::string& digits = view.examples.back().pixels;
    if (digits.size() != (pixels + 2) / 3 * 4 || digits.find_first_not_of(kDigits) != std::string::npos) {
      fields.refuse(cat("found no picture of ", pixels, " pixels in '", place.substr(1), "'"));
    }
  }
}

void add_data(const Fields& fields, SelectionView& view) {
  view.names = fields.texts("/data/features");
  if (view.names.empty()) fields.refuse("found no features in it");
  view.constant_features = fields.texts("/data/constant_features");
  view.path = fields.text_or("/data/path", {});
  view.format = fields.text_or("/data/format", {});
  view.target = fields.text_or("/data/target", {});
  view.classes = fields.count_or_zero("/data/classes");
  const std::string task = fields.text_or("/data/task", "classification");
  const auto tasks = names(Task{});
  const auto known = std::find(tasks.begin(), tasks.end(), task);
  if (known == tasks.end()) fields.refuse(cat("found the task '", printable(task), "', which is none"));
  view.task = static_cast<Task>(known - tasks.begin());
  view.fingerprint = fields.text("/data/fingerprint");
  view.training_rows = fields.count("/data/training_rows");
  view.validation_rows = fields.count("/data/validation_rows");
  if (fields.find("/data/true_features") != nullptr) {
    view.true_features = fields.features("/data/true_features", view.names.size());
  }
  add_pictures(fields, view);
}

void add_answer(const Fields& fields, SelectionView& view) {
  const std::size_t known = view.names.size();
  view.order = fields.features("/ranking", known);
  if (view.order.size() != known) fields.refuse(cat("found ", view.order.size(), " of ", known, " features ranked"));
  view.scores = fields.numbers("/scores", known);
  for (const auto& share : fields.numbers("/agreement/frequency", known)) view.frequency.push_back(share.value_or(0));
  view.k = fields.count("/k");
  if (view.k < 1 || view.k > known) fields.refuse(cat("found ", view.k, " of ", known, " features selected"));
  view.stability = fields.number("/agreement/stability");
  view.jaccard = fields.number("/agreement/jaccard");
  view.chosen = fields.count("/chosen/model");
  view.reason = fields.text("/chosen/reason");
}

}  // namespace

SelectionView selection_view(const Json& tree, const std::string& source) {
  const Fields fields(tree, source);
  if (!tree.is_object()) fields.refuse(cat("found ", tree.type_name(), " instead of an object"));
  SelectionView view;
  view.version = fields.text("/version");
  view.method = fields.text("/method");
  view.trained = trains_networks(view.method);
  add_data(fields, view);
  add_answer(fields, view);
  if (view.trained) view.models = models(fields);
  if (view.trained && view.chosen >= view.models.size()) {
    fields.refuse(cat("found model ", view.chosen, " chosen from ", view.models.size()));
  }
  if (view.trained) view.mask_scores = fields.numbers(cat("/models/", view.chosen, "/scores"), view.names.size());
  view.notes = fields.texts("/notes");
  view.training_seconds = fields.number(view.trained ? "/timings/training_seconds" : "/timings/ranking_seconds");
  if (view.trained) view.choosing_seconds = fields.number("/timings/choosing_seconds");
  view.peak_memory = fields.count_or_zero("/timings/peak_memory_bytes");
  if (fields.find("/test") != nullptr) {
    view.test = TestView{.rows = fields.count("/test/rows"),
                         .selected = fields.number("/test/accuracy_selected"),
                         .all = fields.number("/test/accuracy_all")};
  }
  view.options = fields.at("/options");
  if (!view.options.is_object()) fields.refuse("found for 'options' not an object");
  return view;
}

}  // namespace obverse
