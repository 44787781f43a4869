#include "comparison/recommend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "experiment/statistics.h"
#include "support/shares.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::string_view kVariance = "variance";
constexpr std::size_t kNamesShown = 3;

/// Yardsticks say what no look at the target is worth.
bool is_candidate(const ComparedMethod& method) {
  return method.rank > 0 && method.name != kRandom && method.name != kVariance;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

/// "14 times faster (0.30 s against 4.2 s)".
std::string faster_text(const ComparedMethod& fast, const ComparedMethod& slow) {
  const double times = slow.seconds / std::fmax(fast.seconds, 1e-9);
  const std::string seconds = fmt::format("({} against {})", seconds_text(fast.seconds), seconds_text(slow.seconds));
  if (times < 1.15) return "hardly faster " + seconds;
  return fmt::format(
      "{} times faster {}",
      times < 10 ? fmt::format("{:.1f}", times) : with_commas(static_cast<std::size_t>(std::lround(times))), seconds);
}

class Advice {
 public:
  explicit Advice(const Comparison& comparison) : comparison_(comparison) {
    for (const ComparedMethod& method : comparison.methods) {
      if (is_candidate(method) && (best_ == nullptr || method.mean > best_->mean)) best_ = &method;
    }
    if (best_ == nullptr) return;
    for (const ComparedMethod& method : comparison.methods) {
      if (is_candidate(method) && is_as_good(method)) tied_.push_back(&method);
    }
    const auto faster = [](const auto* a, const auto* b) { return a->seconds < b->seconds; };
    const double most = (*std::min_element(tied_.begin(), tied_.end(), faster))->seconds + kNearSeconds;
    for (const ComparedMethod* method : tied_) {
      if (method->seconds <= most && (chosen_ == nullptr || method->mean > chosen_->mean)) chosen_ = method;
    }
  }

  std::string name() const { return chosen_ == nullptr ? std::string() : chosen_->name; }

  std::string text() const {
    if (best_ == nullptr) return "Only yardsticks were compared (random, variance); there is nothing to recommend.";
    std::vector<std::string> sentences{answer()};
    for (std::string sentence : {others(), chance(), all_features(), certainty()}) {
      if (!sentence.empty()) sentences.push_back(std::move(sentence));
    }
    return join(sentences, " ");
  }

 private:
  double p(const ComparedMethod& better, const ComparedMethod& worse) const {
    return p_better(better.run_means, worse.run_means, overlap_of(comparison_));
  }

  bool is_as_good(const ComparedMethod& method) const {
    return best_->mean - method.mean < kNearScore && !(p(*best_, method) < kTestLevel);
  }

  /// A difference that is large enough to matter and, where there are runs to tell, more than chance.
  bool clearly_better(std::span<const double> better, std::span<const double> worse) const {
    if (mean(better) - mean(worse) < kNearScore) return false;
    return !(p_better(better, worse, overlap_of(comparison_)) >= kTestLevel);
  }

  /// The next best of those that may be recommended; nothing where there is one alone.
  const ComparedMethod* runner_up() const {
    const ComparedMethod* next = nullptr;
    for (const ComparedMethod& method : comparison_.methods) {
      if (is_candidate(method) && &method != best_ && (next == nullptr || method.mean > next->mean)) next = &method;
    }
    return next;
  }

  std::size_t runs() const { return best_->run_means.size(); }
  std::string runs_text() const { return fmt::format("{} run{}", runs(), runs() == 1 ? "" : "s"); }

  std::string answer() const {
    if (chosen_ == best_) {
      const ComparedMethod* const next = runner_up();
      return fmt::format("Use {}: it has the best mean {} of {}, {}{}.", best_->name, comparison_.metric, runs_text(),
                         score_text(best_->mean), next == nullptr ? ", of one method compared" : lead_text(*next));
    }
    const double chance = p(*best_, *chosen_);
    const std::string test = std::isnan(chance)
                                 ? std::string()
                                 : fmt::format(
                                       ", a difference that a paired test over the runs does not confirm (one-sided p "
                                       "= {:.2f})",
                                       chance);
    return fmt::format("Use {}: its mean {} of {}, {}, is within {} of the best ({}, {}){}, and it selects {}.",
                       chosen_->name, comparison_.metric, runs_text(), score_text(chosen_->mean),
                       points_text(best_->mean - chosen_->mean), best_->name, score_text(best_->mean), test,
                       faster_text(*chosen_, *best_));
  }

  /// How far the best is ahead of the next, and whether the runs confirm it.
  std::string lead_text(const ComparedMethod& next) const {
    if (!(best_->mean > next.mean)) return fmt::format(", as has {}", next.name);
    const std::string lead =
        fmt::format("{} ahead of {} ({})", points_text(best_->mean - next.mean), next.name, score_text(next.mean));
    const double chance = p(*best_, next);
    if (std::isnan(chance)) return ", " + lead;
    return fmt::format(", {}: a lead that a paired test over the runs {} (one-sided p {})", lead,
                       chance < kTestLevel ? "confirms" : "does not confirm",
                       chance < 0.001 ? std::string("< 0.001") : fmt::format("= {:.3f}", chance));
  }

  /// Other methods that are as good.
  std::string others() const {
    std::vector<std::string> names;
    for (const ComparedMethod* method : tied_) {
      if (method != best_ && method != chosen_) names.push_back(method->name);
    }
    if (names.empty()) return {};
    const std::size_t rest = names.size() - std::min(names.size(), kNamesShown);
    names.resize(names.size() - rest);
    return fmt::format("Not clearly worse: {}{}.", join(names), rest > 0 ? fmt::format(" and {} more", rest) : "");
  }

  /// Beside random features.
  std::string chance() const {
    const ComparedMethod* const random = comparison_.method(kRandom);
    if (random == nullptr || random->rank == 0) return {};
    if (random->mean >= best_->mean) {
      return fmt::format("Random features reach {}, no less than any method: no selection is worth its time here.",
                         score_text(random->mean));
    }
    if (clearly_better(chosen_->run_means, random->run_means)) return {};
    return fmt::format("But random features reach {}, and {} is not clearly better: choose with care.",
                       score_text(random->mean), chosen_->name);
  }

  /// Beside all features, at the largest k.
  std::string all_features() const {
    const auto k = static_cast<std::size_t>(comparison_.options.k.back());
    if (k >= comparison_.features || comparison_.all_features.run_means.empty()) return {};
    const std::vector<double> selected = comparison_.results.run_means({.method = chosen_->name, .k = k});
    const std::vector<double>& all = comparison_.all_features.run_means;
    const double difference = mean(all) - mean(selected);
    const std::string lead =
        fmt::format("With {} of the {} features it reaches {}, all of them reach {}", with_commas(k),
                    with_commas(comparison_.features), score_text(mean(selected)), score_text(mean(all)));
    if (clearly_better(all, selected)) {
      return fmt::format("{}: selecting costs {}.", lead, points_text(difference));
    }
    if (clearly_better(selected, all)) {
      return fmt::format("{}: selecting gains {}.", lead, points_text(difference));
    }
    return lead + ": no clear difference.";
  }

  std::string certainty() const {
    if (runs() < 2) return "One run cannot tell how much of this is chance; --runs 5 would.";
    const std::string few = runs() < 5 ? fmt::format("{} confirm large differences only", runs_text()) : std::string();
    if (comparison_.test_given) {
      return fmt::format("{}{} tested on the same rows and differ in their seeds: other test rows may differ by more.",
                         few, few.empty() ? "The runs are" : "; they are all");
    }
    return fmt::format("{}{} draw their splits from the same rows, so they are not independent.", few,
                       few.empty() ? "The runs" : ", and they");
  }

  const Comparison& comparison_;
  const ComparedMethod* best_ = nullptr;
  const ComparedMethod* chosen_ = nullptr;
  std::vector<const ComparedMethod*> tied_;  ///< as good as the best, that one among them
};

}  // namespace

double overlap_of(const Comparison& comparison) {
  if (comparison.test_given || comparison.training_rows == 0) return 0;
  return static_cast<double>(comparison.test_rows) / static_cast<double>(comparison.training_rows);
}

double p_better(std::span<const double> better, std::span<const double> worse, double overlap) {
  constexpr double kRounding = 1e-12;
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (std::size_t run = 0; run < better.size(); ++run) {
    least = std::fmin(least, better[run] - worse[run]);
    most = std::fmax(most, better[run] - worse[run]);
  }
  if (!(most - least > kRounding)) return std::numeric_limits<double>::quiet_NaN();
  const double both_sides = paired_difference(better, worse, overlap).p;
  return mean(better) >= mean(worse) ? both_sides / 2 : 1 - both_sides / 2;
}

void recommend(Comparison& comparison) {
  const Advice advice(comparison);
  comparison.recommended = advice.name();
  comparison.recommendation = advice.text();
}

}  // namespace obverse
