// A selection as JSON.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <obverse/version.h>
#include <obverse/writer.h>

#include "metrics/base_rate.h"
#include "options/json.h"
#include "options/methods.h"
#include "support/json.h"
#include "support/text.h"
#include "writers/distributions.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// The double nearest to the shortest decimal form of a float32: 0.1f comes out as 0.1, not 0.10000000149.
Json short_number(float value) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double out = 0;
  std::from_chars(text.data(), end, out);
  return out;
}

/// Scores of seven digits; those beyond float32, as variances may be, with all of theirs.
Json score_number(double value) {
  const auto narrow = static_cast<float>(value);
  return std::isfinite(narrow) ? short_number(narrow) : Json(value);
}

bool is_group(const Selection& s, std::size_t feature) {
  return !s.ranking.columns.empty() && !s.ranking.columns[feature].empty();
}

Json selected(const Selection& s) {
  Json out = Json::array();
  for (std::size_t rank = 0; rank < s.k; ++rank) {
    const std::size_t feature = s.ranking.order[rank];
    out.push_back({{"rank", rank + 1},
                   {"feature", feature + 1},
                   {"name", s.ranking.names[feature]},
                   {"score", score_number(s.ranking.scores[feature])},
                   {"frequency", short_number(static_cast<float>(s.frequency()[feature]))}});
    if (is_group(s, feature)) out.back()["columns"] = s.ranking.columns[feature];
  }
  return out;
}

/// The groups of columns, in the order of the features.
Json groups(const Selection& s) {
  Json out = Json::array();
  for (std::size_t f = 0; f < s.ranking.names.size(); ++f) {
    if (is_group(s, f))
      out.push_back({{"feature", f + 1}, {"name", s.ranking.names[f]}, {"columns", s.ranking.columns[f]}});
  }
  return out;
}

/// What a model kept of its way, where it was asked to.
void add_kept(const Model& m, Json& out) {
  if (!m.curve.loss.empty()) {
    out["curve"] = {{"loss", m.curve.loss}, {"complement_loss", m.curve.complement_loss}};
  }
  for (const EpochScores& snapshot : m.snapshots) {
    out["masks"].push_back({{"epoch", snapshot.epoch}, {"scores", short_numbers(snapshot.scores)}});
  }
}

/// Without what only a trained model has, if it is none.
Json model(const Model& m, const Merit& merit, const SelectOptions& options) {
  if (!trains_networks(options.method)) return {{"seed", m.seed}, {"scores", short_numbers(m.scores)}};
  if (!trains_networks(m.method)) {
    return {{"method", m.method}, {"seed", m.seed}, {"merit", merit.merit}, {"scores", short_numbers(m.scores)}};
  }
  Json out;
  if (options.method == kPool) out["method"] = m.method;
  out.update({{"recipe", m.recipe},
              {"seed", m.seed},
              {"gamma", m.gamma},
              {"epochs", m.epochs},
              {"loss", m.loss},
              {"complement_loss", m.complement_loss},
              {"network_accuracy", m.network_accuracy},
              {"accuracy", merit.accuracy},
              {"merit", merit.merit},
              {"scores", short_numbers(m.scores)}});
  add_kept(m, out);
  return out;
}

Json names_of(const Selection& s, std::span<const std::size_t> features) {
  Json out = Json::array();
  for (const std::size_t feature : features) out.push_back(s.ranking.names[feature]);
  return out;
}

Json point(const CurvePoint& p) {
  return {{"k", p.k}, {"score", p.score}, {"low", p.low}, {"high", p.high}, {"random", p.random}};
}

Json control(const Control& c) {
  return {{"pfer", c.pfer},
          {"bound", c.bound},
          {"halves", c.halves},
          {"selected", c.selected},
          {"threshold", c.threshold},
          {"clusters", c.clusters},
          {"copies_accepted", c.copies_accepted},
          {"frequency", short_numbers(c.frequency)}};
}

/// What the parts of the rows say.
void add_evidence(const Evidence& e, Json& tree) {
  Json points = Json::array();
  for (const CurvePoint& p : e.curve.points) points.push_back(point(p));
  tree["curve"] = {{"metric", e.curve.metric},   {"classifier", e.curve.classifier}, {"folds", e.curve.folds},
                   {"rows", e.curve.rows},       {"base_rate", e.curve.base_rate},   {"all", point(e.curve.all)},
                   {"points", std::move(points)}};
  tree["verdict"] = {{"signal", e.verdict.signal}, {"p_value", e.verdict.p_value}, {"score", e.verdict.score},
                     {"low", e.verdict.low},       {"high", e.verdict.high},       {"base_rate", e.verdict.base_rate}};
  if (e.stability) {
    tree["stability"] = {{"value", e.stability->value},
                         {"low", e.stability->low},
                         {"high", e.stability->high},
                         {"pairs", e.stability->pairs}};
  }
  tree["resamples"] = {{"count", e.resamples}, {"frequency", short_numbers(e.frequency)}};
  if (!e.size_reason.empty()) tree["k_reason"] = e.size_reason;
  if (e.control) tree["control"] = control(*e.control);
}

Json stand_ins(const Selection& s) {
  Json out = Json::array();
  for (const FeatureStandIns& one : s.stand_ins.features) {
    Json columns = Json::array();
    for (const StandIn& other : one.nearest) {
      columns.push_back({{"feature", other.feature + 1},
                         {"name", s.ranking.names[other.feature]},
                         {"similarity", short_number(static_cast<float>(other.similarity))},
                         {"equal", other.equal}});
    }
    out.push_back({{"feature", one.feature + 1},
                   {"name", s.ranking.names[one.feature]},
                   {"count", one.count},
                   {"columns", std::move(columns)}});
  }
  return out;
}

Json clusters(const Selection& s) {
  Json out = Json::array();
  for (const auto& features : s.stand_ins.clusters) out.push_back({{"features", numbers_from_one(features)}});
  return out;
}

/// Larger pictures are not shown in reports.
constexpr std::size_t kMostPixels = std::size_t{1} << 16;
constexpr std::size_t kMostExamples = 10;

/// The first row of each class, as many classes as are shown.
std::vector<std::size_t> first_rows(const Dataset& data) {
  const std::size_t shown = std::min(data.classes(), kMostExamples);
  std::vector<std::size_t> rows(shown, data.rows());
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const auto label = static_cast<std::size_t>(data.label(row));
    if (label < shown && rows[label] == data.rows()) rows[label] = row;
  }
  return rows;
}

/// A picture of each class, its values brought from the least and the largest of all of them to 0 and 255.
Json examples(const Dataset& data) {
  const std::vector<std::size_t> features = all_features(data);
  const std::vector<std::size_t> rows = first_rows(data);
  std::vector<float> values(rows.size() * features.size());
  Json out = Json::array();
  std::vector<std::size_t> labels;
  for (std::size_t label = 0; label < rows.size(); ++label) {
    if (rows[label] == data.rows()) continue;  // a subset may lack a class
    data.copy_columns(rows[label], features, values.data() + labels.size() * features.size());
    labels.push_back(label);
  }
  values.resize(labels.size() * features.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const float scale = labels.empty() || *least == *most ? 0 : 255 / (*most - *least);
  std::vector<std::uint8_t> pixels(features.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t f = 0; f < features.size(); ++f) {
      pixels[f] = static_cast<std::uint8_t>(std::lround((values[i * features.size() + f] - *least) * scale));
    }
    out.push_back({{"label", data.class_names()[labels[i]]}, {"pixels", base64(pixels)}});
  }
  return out;
}

}  // namespace

Json short_numbers(std::span<const float> values) {
  Json out = Json::array();
  for (const float value : values) out.push_back(short_number(value));
  return out;
}

Json short_numbers(std::span<const double> values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(score_number(value));
  return out;
}

Json numbers_from_one(std::span<const std::size_t> features) {
  Json out = Json::array();
  for (const std::size_t feature : features) out.push_back(feature + 1);
  return out;
}

Json selection_tree(const Selection& s) {
  const Model& chosen = *s.models[s.chosen];
  const Merit& merit = s.merits[s.chosen];
  const bool trained = trains_networks(s.options.method);
  Json tree;
  tree["version"] = kVersion;
  tree["method"] = s.options.method;
  tree["k"] = s.k;
  tree["selected"] = selected(s);
  if (s.evidence) add_evidence(*s.evidence, tree);
  tree["stand_ins"] = stand_ins(s);
  tree["clusters"] = clusters(s);
  tree["chosen"] = {{"model", s.chosen}};
  if (s.options.method == kPool)
    tree["chosen"].update({{"method", chosen.method}, {"folds", s.choice_folds}, {"exchanged", s.exchanged}});
  if (s.options.method == kPool && !trains_networks(chosen.method)) {
    tree["chosen"]["merit"] = merit.merit;
  } else if (trained) {
    tree["chosen"].update({{"recipe", chosen.recipe},
                           {"seed", chosen.seed},
                           {"gamma", chosen.gamma},
                           {"accuracy", merit.accuracy},
                           {"merit", merit.merit}});
  }
  tree["chosen"]["reason"] = s.reason;
  tree["agreement"] = {{"models", s.models.size()},
                       {"jaccard", s.agreement.jaccard},
                       {"stability", s.agreement.stability},
                       {"frequency", short_numbers(s.agreement.frequency)}};
  tree["data"] = {{"fingerprint", s.data_fingerprint},
                  {"training_rows", s.training_rows},
                  {"validation_rows", s.validation_rows},
                  {"features", s.ranking.names},
                  {"constant_features", names_of(s, s.constant_features)}};
  if (!s.ranking.columns.empty()) tree["data"]["groups"] = groups(s);
  if (!s.warnings.empty()) tree["warnings"] = s.warnings;
  tree["notes"] = s.notes;
  tree["timings"] = {{trained ? "training_seconds" : "ranking_seconds", s.training_seconds}};
  if (trained) tree["timings"]["choosing_seconds"] = s.choosing_seconds;
  if (s.evidence) tree["timings"]["measuring_seconds"] = s.evidence->seconds;
  tree["options"] = options_json(s.options);
  tree["ranking"] = numbers_from_one(s.ranking.order);
  tree["scores"] = short_numbers(s.ranking.scores);
  tree["models"] = Json::array();
  for (std::size_t m = 0; m < s.models.size(); ++m) {
    tree["models"].push_back(model(*s.models[m], s.merits[m], s.options));
  }
  return tree;
}

Json shown_data(const Selection& selection, const Dataset& data) {
  const Task task = selection.options.task == Task::automatic ? data.task() : selection.options.task;
  Json shown;
  shown["target"] = data.target_name();
  shown["task"] = names(task)[static_cast<std::size_t>(task)];
  shown["classes"] = task == Task::classification ? data.classes() : 0;
  if (data.has_outputs()) shown["outputs"] = data.output_names();
  if (data.has_target() && task == data.task()) {
    shown["base_rate"] = base_rate(metric_for(selection.options.metric, data), data, data);
  }
  shown["distributions"] = distributions(selection, data);
  const auto& shape = data.image_shape();
  if (!shape || shape->height * shape->width != data.features() || data.features() > kMostPixels) return shown;
  shown["image"] = {{"height", shape->height}, {"width", shape->width}};
  if (data.has_labels()) shown["examples"] = examples(data);
  return shown;
}

Json selection_tree(const Selection& selection, const Json& shown) {
  Json tree = selection_tree(selection);
  tree["data"].update(shown);
  return tree;
}

Json selection_tree(const Selection& selection, const Dataset& data) {
  return selection_tree(selection, shown_data(selection, data));
}

void leave_out_values(Json& tree) {
  if (!tree.contains("data") || !tree["data"].is_object()) return;
  for (const char* part : {"examples", "distributions"}) tree["data"].erase(part);
}

std::string selection_json(const Selection& selection) { return json_text(selection_tree(selection)); }

}  // namespace obverse
