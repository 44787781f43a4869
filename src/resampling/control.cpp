#include "resampling/control.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <obverse/error.h>

#include "dataset/permuted_copies.h"
#include "ranking/stand_ins.h"
#include "resampling/concave_tail.h"
#include "resampling/half_selection.h"
#include "resampling/resamples.h"
#include "selection/kept.h"
#include "selection/training.h"
#include "support/random.h"
#include "support/team.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kPairs = 50;
constexpr std::size_t kHalves = 2 * kPairs;
constexpr std::size_t kWave = 10;         // pairs that are trained together
constexpr std::size_t kLeast = 75;        // halves that select an accepted feature
constexpr std::size_t kFewestHalves = 2;  // that select a candidate

double bound_of(std::size_t selected, std::size_t features) {
  // Features and copies are as likely to be accepted falsely.
  return false_selections({.selected = selected, .variables = 2 * features, .pairs = kPairs}, kLeast) / 2;
}

/// (2D) how many halves have a column among their first `selected`.
std::vector<std::size_t> counts_of(const HalfSelections& halves, std::size_t selected) {
  std::vector<std::size_t> counts(2 * halves.features);
  for (const auto& columns : halves.columns) {
    for (const std::size_t column : std::span(columns).first(selected)) ++counts[column];
  }
  return counts;
}

/// (2 x clusters) how many halves have a column of a cluster among their first `selected`; the clusters of copies are
/// behind those of the features.
std::vector<std::size_t> cluster_counts(const HalfSelections& halves, std::span<const std::uint32_t> cluster,
                                        std::size_t clusters, std::size_t selected) {
  std::vector<std::size_t> counts(2 * clusters);
  std::vector<std::size_t> seen(2 * clusters);  // in which half, from 1
  for (std::size_t h = 0; h < halves.columns.size(); ++h) {
    for (const std::size_t column : std::span(halves.columns[h]).first(selected)) {
      const bool copy = column >= halves.features;
      const std::size_t c = copy ? clusters + cluster[column - halves.features] : cluster[column];
      if (std::exchange(seen[c], h + 1) != h + 1) ++counts[c];
    }
  }
  return counts;
}

/// The features that two halves select, or their copies: the most often selected first.
std::vector<std::size_t> cluster_candidates(const HalfSelections& halves) {
  const std::vector<std::size_t> counts = counts_of(halves, halves.columns.front().size());
  const auto of = [&](std::size_t f) { return std::max(counts[f], counts[halves.features + f]); };
  std::vector<std::size_t> candidates;
  for (std::size_t f = 0; f < halves.features; ++f) {
    if (of(f) >= kFewestHalves) candidates.push_back(f);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) { return of(a) > of(b); });
  return candidates;
}

std::vector<bool> can_be_chosen(const Dataset& data, std::span<const std::size_t> kept) {
  std::vector<bool> varies(data.features());
  for (const std::size_t f : varying_features(data)) varies[f] = true;
  for (const std::size_t f : kept) varies[f] = false;
  return varies;
}

/// Those that are kept come first, in every selection.
void add_kept(std::span<const std::size_t> kept, Accepted& accepted) {
  std::erase_if(accepted.features, [&](std::size_t f) { return std::binary_search(kept.begin(), kept.end(), f); });
  accepted.features.insert(accepted.features.begin(), kept.begin(), kept.end());
  for (const std::size_t f : kept) accepted.control.frequency[f] = 1;
}

/// One gamma is enough: no rows have to be held out to choose between models, and nothing has to be refitted.
SelectOptions for_halves(SelectOptions options) {
  if (options.gamma.size() > 1) options.gamma.erase(options.gamma.begin() + 1, options.gamma.end());
  return options;
}

/// Trained in waves, so that memory does not grow with the number of pairs.
HalfSelections select_from_halves(const Dataset& data, const SelectOptions& options, std::size_t selected,
                                  const ProgressCallback& progress) {
  // Neighbouring seeds of a user share no splits.
  const auto pairs = pairs_of_halves(data, kPairs, RandomStream(options.seed, Purpose::pairs).next());
  if (pairs.empty()) {
    throw Error(Fault::input,
                "the rows are too few for --control: each half of them needs at least 4 rows, two of each class, two "
                "groups or times to deal out, and a target that varies; leave --control out");
  }
  // Networks that start alike would prefer the same columns, whatever their rows say.
  RandomStream seeds(options.seed, Purpose::pairs, 1);
  Team team(static_cast<std::size_t>(options.threads));
  HalfSelections halves{.columns = {}, .features = data.features() / 2};
  for (std::size_t first = 0; first < kPairs; first += kWave) {
    std::vector<SelectionTask> tasks;
    for (const auto& [one, other] : std::span(pairs).subspan(first, kWave)) {
      for (const Dataset& half : {one, other}) {
        tasks.push_back({half, options, options.keep.size() + selected});
        tasks.back().options.seed = seeds.next();
      }
    }
    const auto trained = train_selections(tasks, [&](const Progress& wave) {
      const double done = (static_cast<double>(first) + kWave * wave.done) / kPairs;
      return !progress || progress({"selecting from halves", done, wave.models, wave.rows_per_second});
    });
    for (const TrainedSelection& half : trained) halves.columns.push_back(half_selection(half, selected, team));
  }
  return halves;
}

std::string copies_note(const Control& control) {
  return cat(control.copies_accepted, control.copies_accepted == 1 ? " permuted copy passes" : " permuted copies pass",
             " the control, more than pfer = ", control.pfer,
             " allows features that say nothing: expect about as many false ones among the accepted");
}

}  // namespace

ControlPlan control_plan(double pfer, std::size_t features) {
  if (!(pfer < static_cast<double>(features))) {
    throw Error(Fault::usage, cat("control: expected a pfer below the number of features that vary, ", features,
                                  ", found ", pfer, ": it is how many false ones you accept"));
  }
  std::size_t selected = 0;  // the largest within the bound
  std::size_t beyond = 2 * features + 1;
  while (beyond - selected > 1) {
    const std::size_t middle = selected + (beyond - selected) / 2;
    (middle <= 2 * features && bound_of(middle, features) <= pfer ? selected : beyond) = middle;
  }
  if (selected == 0) {
    throw Error(Fault::usage, cat("control: with ", features, features == 1 ? " feature" : " features",
                                  " that vary at most ", bound_of(1, features),
                                  " false features can be promised, and pfer is ", pfer, "; give a larger pfer"));
  }
  return {.selected = selected, .least = kLeast, .bound = bound_of(selected, features)};
}

Accepted accepted_features(const HalfSelections& halves, std::span<const std::uint32_t> cluster,
                           const std::vector<bool>& varies, double pfer) {
  const std::size_t clusters = cluster.empty() ? 0 : 1 + *std::max_element(cluster.begin(), cluster.end());
  std::vector<bool> present(clusters);
  for (std::size_t f = 0; f < varies.size(); ++f) present[cluster[f]] = present[cluster[f]] || varies[f];
  const auto known = static_cast<std::size_t>(std::count(present.begin(), present.end(), true));
  ControlPlan plan = control_plan(pfer, known);
  if (plan.selected > halves.columns.front().size()) {  // which clusters of few features do not need
    plan.selected = halves.columns.front().size();
    plan.bound = bound_of(plan.selected, known);
  }
  const std::vector<std::size_t> counts = cluster_counts(halves, cluster, clusters, plan.selected);
  const std::vector<std::size_t> alone = counts_of(halves, plan.selected);
  std::vector<std::size_t> first(clusters, halves.features);  // the feature that represents a cluster
  for (std::size_t f = 0; f < halves.features; ++f) {
    std::size_t& best = first[cluster[f]];
    if (best == halves.features || alone[f] > alone[best]) best = f;
  }
  Accepted out;
  Control& control = out.control;
  control = {.pfer = pfer,
             .bound = plan.bound,
             .selected = plan.selected,
             .threshold = static_cast<double>(plan.least) / kHalves,
             .halves = halves.columns.size(),
             .clusters = known,
             .copies_accepted = 0,
             .frequency = {}};
  for (std::size_t f = 0; f < halves.features; ++f) {
    control.frequency.push_back(static_cast<double>(counts[cluster[f]]) / kHalves);
  }
  for (std::size_t c = 0; c < clusters; ++c) {
    if (counts[c] >= plan.least) out.features.push_back(first[c]);
    control.copies_accepted += counts[clusters + c] >= plan.least ? 1 : 0;
  }
  std::sort(out.features.begin(), out.features.end());
  std::stable_sort(out.features.begin(), out.features.end(),
                   [&](std::size_t a, std::size_t b) { return control.frequency[a] > control.frequency[b]; });
  return out;
}

Accepted control(const Dataset& data, const SelectOptions& options, double pfer, const ProgressCallback& progress) {
  const std::vector<std::size_t> kept = kept_features(data, options);
  const std::vector<bool> varies = can_be_chosen(data, kept);
  const auto known = static_cast<std::size_t>(std::count(varies.begin(), varies.end(), true));
  const ControlPlan plan = control_plan(pfer, known);
  const HalfSelections halves =
      select_from_halves(with_permuted_copies(data, options.seed), for_halves(options), plan.selected, progress);
  Team team(static_cast<std::size_t>(options.threads));
  Accepted accepted =
      accepted_features(halves, clusters_of(data, cluster_candidates(halves), options.seed, team), varies, pfer);
  add_kept(kept, accepted);
  return accepted;
}

std::string size_reason(const Control& control) {
  return cat("those that at least ", std::lround(control.threshold * static_cast<double>(control.halves)), " of ",
             control.halves, " halves of the rows select, with at most ", control.pfer, " false ",
             control.pfer == 1 ? "one" : "ones", " expected among them");
}

void accept(const Accepted& accepted, Selection& selection) {
  const std::vector<std::size_t> order = std::move(selection.ranking.order);
  const std::vector<double>& frequency = accepted.control.frequency;
  std::vector<bool> is_accepted(order.size());
  for (const std::size_t f : accepted.features) is_accepted[f] = true;
  std::vector<std::size_t>& out = selection.ranking.order;
  out.clear();
  for (const bool first : {true, false}) {
    std::copy_if(order.begin(), order.end(), std::back_inserter(out),
                 [&](std::size_t f) { return is_accepted[f] == first; });
  }
  selection.k = accepted.features.size();
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(selection.k);
  std::stable_sort(out.begin(), end, [&](std::size_t a, std::size_t b) { return frequency[a] > frequency[b]; });
  Evidence& evidence = *selection.evidence;
  evidence.control = accepted.control;
  if (selection.k == 0) {  // which leaves the majority class, or the mean
    Verdict& verdict = evidence.verdict;
    verdict.score = verdict.low = verdict.high = verdict.base_rate;
    selection.options.k = 0;
    selection.options.rho = 0;
  }
  if (static_cast<double>(accepted.control.copies_accepted) > accepted.control.pfer) {
    selection.notes.push_back(copies_note(accepted.control));
  }
}

}  // namespace obverse
