// Every option of the engine, declared once: a field with its default, and the line that names, bounds and explains
// it. The command line, config files, docs/options.md and the echo in results walk the `describe` functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/loss.h>
#include <obverse/mask.h>

namespace obverse {

/// The numbers that the products are made of; weights and sums are always float32. automatic: bf16 where it is clearly
/// faster on the device that trains, f32 elsewhere.
enum class Precision { automatic, f32, tf32, bf16 };
/// How the values of a column are brought to a common scale.
enum class Scaling { automatic, standardise, minmax, none };
/// How the second layer of the mask network starts.
enum class MaskInit { glorot, near_one };
/// The complement of a mask: as the method has it, none, the family's own in the opposite order, or (1 - m)/D.
enum class Complement { automatic, off, on, remainder };
/// What chooses between the models of a sweep: a classifier refitted on their features, or their own networks;
/// validation: neighbours again, on the validation rows alone.
enum class Choice { ert, knn, network, validation };
/// How much the rows of a class count in training: each row alike, or each class; automatic: each class where the
/// metric is balanced accuracy.
enum class ClassWeights { automatic, none, balanced };
/// Whether a selection is repeated on parts of the rows, to find out how good, how large and how stable it is.
enum class Resample { off, on };
/// Which features that repeat an earlier one may be selected beside it: all, all but equal columns, or none.
enum class Redundancy { keep, equal, drop };
/// How large a sweep is trained.
enum class Effort { quick, normal, thorough };

/// Names as they are typed, in the order of the enumerators.
std::span<const std::string_view> names(Precision);
std::span<const std::string_view> names(Scaling);
std::span<const std::string_view> names(MaskInit);
std::span<const std::string_view> names(Complement);
std::span<const std::string_view> names(Choice);
std::span<const std::string_view> names(ClassWeights);
std::span<const std::string_view> names(Resample);
std::span<const std::string_view> names(Redundancy);
std::span<const std::string_view> names(Effort);

/// What values an option takes.
struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string_view zero_word = {};   ///< the word that stands for 0, such as `auto`
  std::string_view empty_word = {};  ///< the word that stands for an empty list, such as `search`
  bool above = false;                ///< `least` itself is not allowed
  bool bytes = false;                ///< a size of memory: 500M, 2G
  bool seconds = false;              ///< a time: 90s, 5m, 1h
  /// The allowed texts; empty allows any text. A trailing `:N` matches a whole number from 0, a trailing `=X` any
  /// number from 0, and `CHARACTER` any single character or `\t`, a tab.
  std::span<const std::string_view> words = {};
  /// What a text names, as it is shown behind the flag: COLUMN, FILE. A column may be given by its number as well.
  std::string_view noun = {};

  constexpr Bounds or_word(std::string_view word) const {
    Bounds b = *this;
    b.zero_word = word;
    return b;
  }
  constexpr Bounds or_empty(std::string_view word) const {
    Bounds b = *this;
    b.empty_word = word;
    return b;
  }
};
constexpr Bounds anything() { return {}; }
constexpr Bounds at_least(double least) { return {.least = least}; }
constexpr Bounds above(double least) { return {.least = least, .above = true}; }
constexpr Bounds memory_size() { return {.least = 0, .bytes = true}; }
constexpr Bounds duration() { return {.least = 0, .above = true, .seconds = true}; }
constexpr Bounds one_of(std::span<const std::string_view> words) { return {.words = words}; }
constexpr Bounds between(double least, double most) { return {.least = least, .most = most}; }
constexpr Bounds column() { return {.noun = "COLUMN"}; }
constexpr Bounds file() { return {.noun = "FILE"}; }

/// What `header`, `separator` and `missing` take.
inline constexpr std::array<std::string_view, 3> kHeaderWords{"auto", "yes", "no"};
inline constexpr std::array<std::string_view, 4> kSeparatorWords{"auto", "space", "tab", "CHARACTER"};
inline constexpr std::array<std::string_view, 3> kMissingWords{"impute", "drop-rows", "error"};

/// Which parts of a file are no features: the target, weights, and what splits go by.
template <class Options, class Field>
void describe_roles(Options& o, Field&& field) {
  field("target", o.target, column(),
        "column to predict: its name, its number from 1, -1 for the last; or a variable of an archive");
  field("targets", o.targets, column().or_empty("none"),
        "several columns to predict: labels as 0 and 1, or quantities");
  field("labels", o.labels, file(), "file with one label for each row, instead of a target column");
  field("weights", o.weights, column(), "column that says how much each row counts");
  field("row_groups", o.row_groups, column(),
        "column whose equal values keep rows together in every split: patients, sites, batches");
  field("time", o.time, column(),
        "column by which every split learns from earlier rows and tests on later ones: numbers or ISO dates");
}

/// Which columns are one feature together.
template <class Options, class Field>
void describe_groups(Options& o, Field&& field) {
  field("column_groups", o.column_groups, Bounds{.noun = "PATTERN"}.or_empty("none"),
        "columns that are selected together and count as one feature: patterns such as 'sensor1_*,sensor2_*', a group "
        "each, or the name of a file with a line NAME = COLUMN, COLUMN for each group");
}

/// How a data file is read, for ReadOptions; its task and its bound on memory are options of the selection.
template <class Options, class Field>
void describe_read(Options& o, Field&& field) {
  describe_roles(o, field);
  field("drop", o.drop, column().or_empty("none"),
        "columns to leave out, such as row numbers; 'day_*' names several, '\"income, yearly\"' one with a comma");
  describe_groups(o, field);
  field("as", o.as, Bounds{.noun = "COLUMN=KIND"}.or_empty("none"),
        "read a column as number, boolean, category or date, whatever it looks like");
  field("na", o.na, Bounds{.noun = "VALUE"}.or_empty("none"), "more texts that stand for a missing value: -9,unknown");
  field("missing", o.missing, one_of(kMissingWords),
        "missing values of a table: filled in and flagged, or their rows left out, or refused");
  field("header", o.header, one_of(kHeaderWords), "whether the first line names the columns");
  field("separator", o.separator, one_of(kSeparatorWords), "what stands between values; \\t is a tab");
}

template <class Options, class Field>
void describe_task(Options& o, Field&& field) {
  field("task", o.task, anything(), tasks_help());
}

/// How one network is shaped and trained. A recipe is a named set of these.
struct TrainOptions {
  int epochs = 0;
  int batch_size = 0;
  double learning_rate = 1e-3;
  double mask_learning_rate = 0;
  double mask_penalty = 1;
  int mask_hidden = 128;
  MaskInit mask_init = MaskInit::glorot;
  double mask_scale_power = 0;
  int width1 = 128;
  int width2 = 64;
  double dropout = 0.3;
  double leak = 0.02;
  Scaling scaling = Scaling::automatic;
  Precision precision = Precision::automatic;
  int patience = 0;
};

template <class Options, class Field>
void describe_train(Options& o, Field&& field) {
  field("epochs", o.epochs, at_least(1).or_word("auto"),
        "passes over the training rows; auto: enough for a set number of steps, more for small sets");
  field("batch_size", o.batch_size, at_least(1).or_word("auto"),
        "rows per step, the last short batch is kept; auto: 64 under 10,000 rows, 256 from there");
  field("learning_rate", o.learning_rate, above(0), "step size of Adam for the network");
  field("mask_learning_rate", o.mask_learning_rate, above(0).or_word("auto"),
        "step size of Adam for the mask; auto: 0.001 for attention, 0.01 for masks of trained numbers, 0.003 for stg "
        "and bsf");
  field("mask_penalty", o.mask_penalty, at_least(0),
        "times the weight of the mask's own penalty: dfs, cancelout, stg, bsf, fae, aefs");
  field("mask_hidden", o.mask_hidden, between(1, 4096), "hidden units H of the mask network: fm, afs");
  field("mask_init", o.mask_init, anything(), "start of its second layer: Glorot uniform, or uniform in (0.9, 1.1)");
  field("mask_scale_power", o.mask_scale_power, between(0, 2),
        "a mask by softmax is multiplied by D to this power: 0 leaves it, 0.5 is sqrt(D), 1 is D");
  field("width1", o.width1, between(1, 4096), "units of the first layer behind the mask");
  field("width2", o.width2, between(1, 4096), "units of the second layer behind the mask");
  field("dropout", o.dropout, between(0, 0.95), "share of the second layer switched off in each step");
  field("leak", o.leak, between(0, 1), "slope of LeakyReLU below zero");
  field("scaling", o.scaling, anything(), "of the columns; auto: divide by 255 for pixels, standardise otherwise");
  field("precision", o.precision, anything(),
        "of the products: f32, bf16 if the processor or the GPU has it, tf32 on a GPU only; auto: bf16 on a GPU and on "
        "processors where it trains at least 1.3 times as fast, f32 elsewhere");
  field("patience", o.patience, at_least(1).or_word("off"),
        "stop a model after this many epochs without a better validation loss");
}

/// One named set of training options.
struct Recipe {
  std::string name = "default";
  TrainOptions train;
};

/// `default`, `paper`, ...; throws Error and names the known ones otherwise.
Recipe recipe(std::string_view name);
/// Every known name, with one line on what it is for.
std::span<const std::pair<std::string_view, std::string_view>> recipe_names();

/// Every method, as it is typed: the complementary feature mask, the families of masks, then the rankers.
std::span<const std::string_view> method_names();

/// Whether a method trains networks: the options of a sweep are for these alone.
bool trains_networks(std::string_view method);

/// Every complementary loss, as it is typed.
std::span<const std::string_view> complement_loss_names();

/// What can train networks and find neighbours, cpu, cuda, cuda:N or auto: the processor, the first GPU, the GPU of a
/// number, or the first GPU if it can be used and the processor otherwise.
std::span<const std::string_view> device_words();

/// What a result is measured by, as it is typed, after `auto`. Results call them by the same names with underscores.
std::span<const std::string_view> metric_words();

/// How the number of features is chosen: best, one-se, tolerance=X.
inline constexpr std::array<std::string_view, 3> kSizeRuleWords{"best", "one-se", "tolerance=X"};
/// What bounds the number of falsely selected features.
inline constexpr std::array<std::string_view, 2> kControlWords{"none", "pfer=X"};

/// What to select and how large a sweep to train for it.
struct SelectOptions {
  int k = 0;
  double rho = 0;
  std::string method = "auto";
  Task task = Task::automatic;
  ClassWeights class_weights = ClassWeights::automatic;
  Complement complement = Complement::automatic;
  std::string complement_loss = "random";
  std::vector<double> gamma = {};
  int seeds = 1;
  std::uint64_t seed = 0;
  double validation_fraction = 0.1;
  Choice choice = Choice::knn;
  int threads = 0;
  std::string device = "cpu";
  std::uint64_t max_memory = 0;  ///< bytes; 0: no bound
  double time_limit = 0;         ///< seconds; 0: none
  bool keep_curve = false;
  std::vector<int> mask_epochs = {};
  Resample resample = Resample::on;
  std::string metric = "auto";
  std::string k_rule = "one-se";
  int max_k = 0;
  std::vector<std::string> keep = {};
  std::string control = "none";
  Redundancy redundancy = Redundancy::equal;
  std::vector<Recipe> recipes{Recipe{}};
  /// A mask of your own (obverse/mask.h) in place of a family's; `method` is then what reports call it.
  MakeMask mask = {};
  /// A complementary loss of your own (obverse/loss.h) in place of `complement_loss`.
  std::shared_ptr<const ComplementaryLoss> loss = {};
};

/// Whether there is a second path, with the complement of the mask.
inline bool has_complement(const SelectOptions& options) {
  if (options.complement == Complement::automatic) return options.method == "cfm" || options.method == "auto";
  return options.complement != Complement::off;
}

template <class Options, class Field>
void describe_select(Options& o, Field&& field) {
  field("k", o.k, at_least(1).or_word("auto"),
        "how many features to select; auto: by rho, else as many as held-out rows say are enough; 10% of the features "
        "with --resample off");
  field("rho", o.rho, between(0, 1).or_word("none"),
        "how many, as a share of the features, such as 0.05 or 5%; none: by k");
  field("method", o.method, one_of(method_names()),
        "auto: masks (cfm) and rankers compete, and the best for k features answers; or a family of masks (cfm is fm "
        "with its complement), or a baseline, which trains no network: rf and what follows");
  describe_task(o, field);
  field("class_weights", o.class_weights, anything(),
        "how much rows count in training: alike, or so that each class counts the same; auto: the latter where the "
        "metric "
        "is balanced accuracy");
  field(
      "complement", o.complement, anything(),
      "of the mask, on a second path: on, in the opposite order; off; the counter-example remainder, (1 - m)/D; auto: "
      "on for cfm and auto");
  field("complement_loss", o.complement_loss, one_of(complement_loss_names()),
        "of the second path: random labels, as in the paper, or their mean uniform; entropy; distance between both "
        "paths; negative cross entropy, the paper's warning");
  field("gamma", o.gamma, at_least(0).or_empty("search"),
        "weight of the complementary loss: one value, a list, or search for 0 and the paper's grid; with method auto, "
        "search tries three values");
  field("seeds", o.seeds, between(1, 1000), "networks for each recipe and gamma");
  field("seed", o.seed, at_least(0), "same seed, same data, same machine: same ranking");
  field("validation_fraction", o.validation_fraction, between(0.01, 0.5),
        "share of the rows held out to choose between models");
  field("choice", o.choice, anything(),
        "what chooses between models: ert or knn refitted on the features of each and asked for every row, its own "
        "network, or knn asked for the validation rows alone");
  field("threads", o.threads, between(1, 1024).or_word("auto"), "threads; the result does not depend on it");
  field("device", o.device, one_of(device_words()),
        "for networks and neighbours: the processor, or a GPU by its number from 0, cuda is the first; auto: the first "
        "GPU if it can be used, else the processor; everything else runs on the processor");
  field(
      "max_memory", o.max_memory, memory_size().or_word("none"),
      "most memory to take; a selection that needs more is refused before it begins, and the command bounds its whole "
      "process, readers included");
  field("time_limit", o.time_limit, duration().or_word("none"),
        "time to select in, such as 60s, 5m or 1h: what does not fit is cut short or left out, first the parts of the "
        "rows that the selection is repeated on, and a note says what; the answer then depends on the machine");
  field("keep_curve", o.keep_curve, anything(), "keep the losses of every epoch of every model in the result");
  field("mask_epochs", o.mask_epochs, at_least(1).or_empty("none"),
        "epochs, such as 1,5,10, after which the scores of every model's mask are kept in the result");
  field(
      "metric", o.metric, one_of(metric_words()),
      "what models, sizes and the answer are judged by; auto: accuracy of classes and labels, balanced accuracy where "
      "the rarest class has less than a fifth of an even share, r2 of quantities");
  field("resample", o.resample, anything(),
        "repeat the selection on parts of the rows, to find out how many features are enough, how good they are on "
        "held-out rows, how stable, and whether there is any signal at all; off takes a fraction of the time");
  field("k_rule", o.k_rule, one_of(kSizeRuleWords),
        "how many features are enough: the best number on held-out rows, the smallest within one standard error of it, "
        "or within a tolerance of its score, such as tolerance=0.01");
  field("max_k", o.max_k, at_least(1).or_word("auto"),
        "the largest number of features to try where k is auto; auto: all of them, at most 233");
  field("keep", o.keep, column().or_empty("none"),
        "features that are always selected and rank first: by name, 'lab_*' for several, or number from 1 as in "
        "ranking.csv; k counts them, and the others are chosen for what they add");
  field("control", o.control, one_of(kControlWords),
        "pfer=X: select the features that most halves of the rows agree on, perhaps none, so that at most X false ones "
        "are expected among them (per-family error rate)");
  field("redundancy", o.redundancy, anything(),
        "features that repeat a better one: keep them where they are ranked; equal: move columns with the same values "
        "behind all others; drop: columns that are nearly the same as well");
}

/// The options of a selection that is made once, from all rows, because its caller measures it.
inline SelectOptions not_repeated(SelectOptions options = {}) {
  options.resample = Resample::off;
  return options;
}

/// The sweep that stands for an effort: its recipes, seeds and gammas.
SelectOptions options_for(Effort effort);

/// The gammas that an empty list stands for: none, then the paper's grid.
std::span<const double> gamma_grid();

/// The gammas that an empty list stands for with method auto.
std::span<const double> pool_gammas();

}  // namespace obverse
