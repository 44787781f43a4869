#include "report/selection_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <obverse/error.h>
#include <obverse/options.h>

#include "downstream/classifiers.h"
#include "options/settings.h"
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
  const std::string method = model.text_or_none("method");
  if (!method.empty() && !trains_networks(method)) {
    ModelView ranker;
    ranker.method = method;
    ranker.seed = model.count("seed");
    ranker.merit = model.number("merit");
    return ranker;
  }
  return {.method = method,
          .recipe = model.text("recipe"),
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
  if (data.has("groups")) view.columns.resize(view.names.size());
  for (const JsonObject& group : data.has("groups") ? data.objects("groups") : std::vector<JsonObject>()) {
    view.columns[group.count("feature", 1, view.names.size()) - 1] = group.texts("columns");
  }
  view.path = data.text_or_none("path");
  view.format = data.text_or_none("format");
  view.target = data.text_or_none("target");
  view.classes = data.count_or_zero("classes");
  view.task = task_of(data);
  if (data.has("base_rate")) view.base_rate = data.number("base_rate");
  view.fingerprint = data.text("fingerprint");
  view.training_rows = data.count("training_rows");
  view.validation_rows = data.count("validation_rows");
  if (data.has("true_features")) view.true_features = features_of(data, "true_features", view.names.size());
  add_pictures(data, view);
  if (data.has("distributions")) view.distributions = distributions_of(data, view.names.size());
}

/// Names that an option of the command has, those of the test file among them.
std::vector<RequestView> request_of(const JsonObject& request) {
  std::vector<std::string> known{"test", "test_labels"};
  for (const auto& names : {read_setting_names(), setting_names()})
    known.insert(known.end(), names.begin(), names.end());
  std::vector<RequestView> out;
  for (const auto& [name, value] : request.tree().items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      request.refuse(name, "the name of an option", "another one");
    }
    out.push_back({name, request.text(name)});
  }
  return out;
}

TestView test_of(const JsonObject& test) {
  const auto known = [&](const char* member) { return test.has(member) ? test.number(member) : std::nullopt; };
  return {.rows = test.count("rows"),
          .selected = test.number("accuracy_selected").value_or(0),
          .all = test.number("accuracy_all").value_or(0),
          .low = known("low"),
          .high = known("high"),
          .base_rate = known("base_rate")};
}

void add_answer(const JsonObject& selection, SelectionView& view) {
  const std::size_t known = view.names.size();
  view.order = features_of(selection, "ranking", known);
  if (view.order.size() != known) {
    selection.refuse("ranking", cat("all ", known, " features"), std::to_string(view.order.size()));
  }
  view.scores = selection.numbers("scores", known);
  view.k = selection.count("k", selection.has("control") ? 0 : 1, known);
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
  const JsonObject chosen = selection.object("chosen");
  view.chosen = chosen.count("model", 0, models.size() - 1);
  view.choice_folds = chosen.count_or_zero("folds");
  view.mask_scores = models[view.chosen].numbers("scores", view.names.size());
}

/// A number from `least` to `most`, bounds that may be infinite.
void require_within(const JsonObject& object, const std::string& member, double value, double least, double most) {
  constexpr double kRounding = 1e-9;
  if (std::isnan(value) || (value >= least - kRounding && value <= most + kRounding)) return;
  std::string expected = cat("a number from ", least, " to ", most);
  if (!std::isfinite(least)) expected = cat("a number of at most ", most);
  if (!std::isfinite(most)) expected = cat("a number of at least ", least);
  object.refuse(member, expected, cat(value));
}

/// NaN for null.
double number_within(const JsonObject& object, const std::string& member, double least, double most) {
  const double value = object.number(member).value_or(std::numeric_limits<double>::quiet_NaN());
  require_within(object, member, value, least, most);
  return value;
}

/// One that has to be there.
double known_within(const JsonObject& object, const std::string& member, double least, double most) {
  const double value = number_within(object, member, least, most);
  if (std::isnan(value)) object.refuse(member, cat("a number from ", least, " to ", most), "null");
  return value;
}

/// Of a metric.
double score_of(const JsonObject& object, const std::string& member, const Metric& metric) {
  return number_within(object, member, metric.least, metric.most);
}

void require_interval(const JsonObject& object, double low, double high) {
  if (low > high) object.refuse("low", cat("at most ", high, ", which is high"), cat(low));
}

CurvePoint point_of(const JsonObject& point, const Metric& metric, std::size_t known) {
  const CurvePoint out{.k = point.count("k", 1, known),
                       .score = score_of(point, "score", metric),
                       .low = score_of(point, "low", metric),
                       .high = score_of(point, "high", metric),
                       .random = score_of(point, "random", metric)};
  require_interval(point, out.low, out.high);
  return out;
}

Curve curve_of(const JsonObject& curve, const Metric& metric, std::size_t known) {
  std::vector<std::string_view> names;
  for (const Classifier& classifier : classifiers()) names.push_back(classifier.name);
  Curve out{.metric = std::string(metric.name),
            .classifier = std::string(names[curve.word("classifier", names)]),
            .folds = curve.count("folds", 1),
            .rows = curve.count("rows", 1),
            .base_rate = score_of(curve, "base_rate", metric),
            .all = point_of(curve.object("all"), metric, known),
            .points = {}};
  for (const JsonObject& point : curve.objects("points")) {
    out.points.push_back(point_of(point, metric, known));
    if (out.points.size() < 2) continue;
    const std::size_t before = out.points[out.points.size() - 2].k;
    if (out.points.back().k <= before) point.refuse("k", cat("more than ", before), cat(out.points.back().k));
  }
  if (out.points.empty()) curve.refuse("points", "scores by the number of features", "none");
  return out;
}

Verdict verdict_of(const JsonObject& verdict, const Metric& metric) {
  Verdict out{.signal = verdict.flag("signal"),
              .p_value = known_within(verdict, "p_value", 0, 1),
              .score = verdict.number("score").value_or(std::numeric_limits<double>::quiet_NaN()),
              .low = score_of(verdict, "low", metric),
              .high = score_of(verdict, "high", metric),
              .base_rate = score_of(verdict, "base_rate", metric)};
  // What choosing k added was taken off, which may lead past the bounds.
  if (std::isfinite(out.score)) out.score = std::clamp(out.score, metric.least, metric.most);
  require_interval(verdict, out.low, out.high);
  return out;
}

Stability stability_of(const JsonObject& stability) {
  const Stability out{.value = known_within(stability, "value", -1, 1),
                      .low = number_within(stability, "low", -1, 1),
                      .high = number_within(stability, "high", -1, 1),
                      .pairs = stability.count("pairs", 1)};
  require_interval(stability, out.low, out.high);
  return out;
}

/// The features that it accepts are the first of the ranking.
Control control_of(const JsonObject& control, const SelectionView& view) {
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  const std::size_t known = view.names.size();
  Control out{.pfer = known_within(control, "pfer", 0, kNoBound),
              .bound = known_within(control, "bound", 0, kNoBound),
              .selected = control.count("selected", 1, 2 * known),
              .threshold = known_within(control, "threshold", 0.5, 1),
              .halves = control.count("halves", 2),
              .clusters = control.count("clusters", 1, known),
              .copies_accepted = control.count("copies_accepted", 0, known),
              .frequency = {}};
  for (const auto& share : control.numbers("frequency", known)) {
    out.frequency.push_back(share.value_or(0));
    require_within(control, "frequency", out.frequency.back(), 0, 1);
  }
  for (const std::size_t feature : std::span(view.order).first(view.k)) {
    require_within(control, "frequency", out.frequency[feature], out.threshold, 1);
  }
  return out;
}

/// All of it, or none: stability, the reason for k and control may be missing alone.
void add_evidence(const JsonObject& selection, SelectionView& view) {
  constexpr std::array kParts{"curve", "verdict", "stability", "resamples", "k_reason", "control"};
  if (std::none_of(kParts.begin(), kParts.end(), [&](const char* part) { return selection.has(part); })) return;
  const std::size_t known = view.names.size();
  const JsonObject curve = selection.object("curve");
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics()) names.push_back(metric.name);
  EvidenceView evidence;
  evidence.metric = &metrics()[curve.word("metric", names)];
  evidence.curve = curve_of(curve, *evidence.metric, known);
  evidence.verdict = verdict_of(selection.object("verdict"), *evidence.metric);
  if (selection.has("stability")) evidence.stability = stability_of(selection.object("stability"));
  const JsonObject resamples = selection.object("resamples");
  evidence.resamples = resamples.count("count", 1);
  for (const auto& share : resamples.numbers("frequency", known)) {
    evidence.frequency.push_back(share.value_or(0));
    require_within(resamples, "frequency", evidence.frequency.back(), 0, 1);
  }
  evidence.size_reason = selection.text_or_none("k_reason");
  if (selection.has("control")) evidence.control = control_of(selection.object("control"), view);
  const JsonObject timings = selection.object("timings");
  if (timings.has("measuring_seconds")) evidence.seconds = timings.number("measuring_seconds").value_or(0);
  view.evidence = std::move(evidence);
}

FeatureStandIns stand_ins_of(const JsonObject& feature, std::size_t known) {
  FeatureStandIns out{.feature = feature.count("feature", 1, known) - 1, .count = 0, .nearest = {}};
  std::vector<bool> taken(known);
  taken[out.feature] = true;
  for (const JsonObject& column : feature.objects("columns")) {
    const StandIn other{.feature = column.count("feature", 1, known) - 1,
                        .similarity = known_within(column, "similarity", 0, 1),
                        .equal = column.flag("equal")};
    if (taken[other.feature]) column.refuse("feature", "another one", cat(other.feature + 1, " again"));
    taken[other.feature] = true;
    out.nearest.push_back(other);
  }
  if (out.nearest.empty()) feature.refuse("columns", "the columns that could take its place", "none");
  out.count = feature.count("count", out.nearest.size(), known - 1);
  return out;
}

/// Stand-ins are those of selected features; a feature is in one cluster at most.
void add_stand_ins(const JsonObject& selection, SelectionView& view) {
  const std::size_t known = view.names.size();
  std::vector<bool> open(known);
  for (std::size_t rank = 0; rank < view.k; ++rank) open[view.order[rank]] = true;
  if (selection.has("stand_ins")) {
    for (const JsonObject& feature : selection.objects("stand_ins")) {
      FeatureStandIns one = stand_ins_of(feature, known);
      if (!open[one.feature]) feature.refuse("feature", "each selected feature at most once", cat(one.feature + 1));
      open[one.feature] = false;
      view.stand_ins.features.push_back(std::move(one));
    }
  }
  if (!selection.has("clusters")) return;
  std::vector<bool> taken(known);
  for (const JsonObject& cluster : selection.objects("clusters")) {
    std::vector<std::size_t> features = features_of(cluster, "features", known);
    if (features.size() < 2) cluster.refuse("features", "two or more", std::to_string(features.size()));
    for (const std::size_t feature : features) {
      if (taken[feature]) cluster.refuse("features", "each feature in one cluster", cat(feature + 1, " in two"));
      taken[feature] = true;
    }
    view.stand_ins.clusters.push_back(std::move(features));
  }
}

SelectionView view_of(const JsonObject& selection) {
  SelectionView view;
  view.version = selection.text("version");
  view.method = selection.text("method");
  view.trained = trains_networks(view.method);
  add_data(selection.object("data"), view);
  add_answer(selection, view);
  if (view.trained) add_models(selection, view);
  add_evidence(selection, view);
  add_stand_ins(selection, view);
  if (selection.has("warnings")) view.warnings = selection.texts("warnings");
  view.notes = selection.texts("notes");
  const JsonObject timings = selection.object("timings");
  view.training_seconds = timings.number(view.trained ? "training_seconds" : "ranking_seconds").value_or(0);
  if (view.trained) view.choosing_seconds = timings.number("choosing_seconds").value_or(0);
  view.peak_memory = timings.count_or_zero("peak_memory_bytes");
  if (selection.has("test")) view.test = test_of(selection.object("test"));
  if (selection.has("request")) view.request = request_of(selection.object("request"));
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
