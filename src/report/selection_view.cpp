#include "report/selection_view.h"

#include <obverse/error.h>
#include <obverse/options.h>

#include "support/json.h"
#include "support/text.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// Features numbered from 1 in the file, from 0 here; none comes twice.
std::vector<std::size_t> features_of(const JsonObject& object, const std::string& member, std::size_t known) {
  std::vector<std::size_t> features = object.counts(member, 1, known);
  std::vector<bool> taken(known);
  for (std::size_t& feature : features) {
    if (taken[feature - 1]) object.refuse(member, "each feature once", cat(feature, " twice"));
    taken[--feature] = true;
  }
  return features;
}

/// A share of right answers, or r2, which lies below 0 where a model tells a quantity worse than its mean does.
std::optional<double> share_of(const JsonObject& model, const std::string& member) {
  const std::optional<double> share = model.number(member);
  if (share && *share > 1) model.refuse(member, "a share of at most 1", cat(*share));
  return share;
}

ModelView model_of(const JsonObject& model) {
  return {.recipe = model.text("recipe"),
          .seed = model.count("seed"),
          .gamma = model.number("gamma"),
          .accuracy = share_of(model, "accuracy"),
          .network_accuracy = share_of(model, "network_accuracy"),
          .merit = model.number("merit"),
          .epochs = model.count("epochs")};
}

Task task_of(const JsonObject& data) {
  return data.has("task") ? static_cast<Task>(data.word("task", names(Task{}))) : Task::classification;
}

void add_pictures(const JsonObject& data, SelectionView& view) {
  if (!data.has("image")) return;
  const JsonObject image = data.object("image");
  const ImageShape shape{.height = image.count("height"), .width = image.count("width")};
  const std::size_t pixels = view.names.size();
  if (shape.width == 0 || shape.height != pixels / shape.width || pixels % shape.width != 0) {
    data.refuse("image", cat("a picture of ", pixels, " pixels"), cat(shape.height, " x ", shape.width));
  }
  view.image = shape;
  if (!data.has("examples")) return;
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  for (const JsonObject& example : data.objects("examples")) {
    view.examples.push_back({example.text("label"), example.text("pixels")});
    const std::string& digits = view.examples.back().pixels;
    if (digits.size() != (pixels + 2) / 3 * 4 || digits.find_first_not_of(kDigits) != std::string::npos) {
      example.refuse("pixels", cat(pixels, " bytes in base64"), "other text");
    }
  }
}

void add_data(const JsonObject& data, SelectionView& view) {
  view.names = data.texts("features");
  if (view.names.empty()) data.refuse("features", "the names of features", "none");
  view.constant_features = data.texts("constant_features");
  view.path = data.text_or_none("path");
  view.format = data.text_or_none("format");
  view.target = data.text_or_none("target");
  view.classes = data.count_or_zero("classes");
  view.task = task_of(data);
  view.fingerprint = data.text("fingerprint");
  view.training_rows = data.count("training_rows");
  view.validation_rows = data.count("validation_rows");
  if (data.has("true_features")) view.true_features = features_of(data, "true_features", view.names.size());
  add_pictures(data, view);
}

void add_answer(const JsonObject& selection, SelectionView& view) {
  const std::size_t known = view.names.size();
  view.order = features_of(selection, "ranking", known);
  if (view.order.size() != known) {
    selection.refuse("ranking", cat("all ", known, " features"), std::to_string(view.order.size()));
  }
  view.scores = selection.numbers("scores", known);
  view.k = selection.count("k", 1, known);
  const JsonObject agreement = selection.object("agreement");
  for (const auto& share : agreement.numbers("frequency", known)) view.frequency.push_back(share.value_or(0));
  view.stability = agreement.number("stability").value_or(0);
  view.jaccard = agreement.number("jaccard").value_or(0);
  view.reason = selection.object("chosen").text("reason");
}

/// The models of the sweep, and the one that answers.
void add_models(const JsonObject& selection, SelectionView& view) {
  const std::vector<JsonObject> models = selection.objects("models");
  if (models.empty()) selection.refuse("models", "the models of the sweep", "none");
  for (const JsonObject& model : models) view.models.push_back(model_of(model));
  view.chosen = selection.object("chosen").count("model", 0, models.size() - 1);
  view.mask_scores = models[view.chosen].numbers("scores", view.names.size());
}

SelectionView view_of(const JsonObject& selection) {
  SelectionView view;
  view.version = selection.text("version");
  view.method = selection.text("method");
  view.trained = trains_networks(view.method);
  add_data(selection.object("data"), view);
  add_answer(selection, view);
  if (view.trained) add_models(selection, view);
  view.notes = selection.texts("notes");
  const JsonObject timings = selection.object("timings");
  view.training_seconds = timings.number(view.trained ? "training_seconds" : "ranking_seconds").value_or(0);
  if (view.trained) view.choosing_seconds = timings.number("choosing_seconds").value_or(0);
  view.peak_memory = timings.count_or_zero("peak_memory_bytes");
  if (selection.has("test")) {
    const JsonObject test = selection.object("test");
    view.test = TestView{.rows = test.count("rows"),
                         .selected = test.number("accuracy_selected").value_or(0),
                         .all = test.number("accuracy_all").value_or(0)};
  }
  view.options = selection.object("options").tree();
  return view;
}

}  // namespace

SelectionView selection_view(const Json& tree, const std::string& source) {
  try {
    return view_of(JsonObject(tree, ""));
  } catch (const Error& error) {
    throw Error(error.fault(), cat(printable(source), ": not a selection as `obverse select -o` writes it: ",
                                   error.what(), "; write it again with `obverse select`"));
  }
}

}  // namespace obverse
