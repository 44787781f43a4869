#include "comparison/recommend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "experiment/statistics.h"
#include "metrics/metrics.h"
#include "metrics/score_format.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::string_view kVariance = "variance";
constexpr std::size_t kNamesShown = 3;

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

/// "14 times faster (0.30 s versus 4.2 s)".
std::string faster_text(const ComparedMethod& fast, const ComparedMethod& slow) {
  const double times = slow.seconds / std::fmax(fast.seconds, 1e-9);
  const std::string seconds = fmt::format("({} versus {})", seconds_text(fast.seconds), seconds_text(slow.seconds));
  if (times < 1.15) return "hardly faster " + seconds;
  return fmt::format(
      "{} times faster {}",
      times < 10 ? fmt::format("{:.1f}", times) : with_commas(static_cast<std::size_t>(std::lround(times))), seconds);
}

class Advice {
 public:
  explicit Advice(const Comparison& comparison)
      : comparison_(comparison), metric_(metric_named(comparison.metric)), format_(metric_) {
    for (const ComparedMethod& method : comparison.methods) {
      if (is_candidate(method) && (best_ == nullptr || lead(method.mean, best_->mean) > 0)) best_ = &method;
    }
    if (best_ == nullptr) return;
    near_ = metric_.larger_is_better ? kNearScore : kNearScore * best_->mean;
    for (const ComparedMethod& method : comparison.methods) {
      if (is_candidate(method) && is_as_good(method)) tied_.push_back(&method);
    }
    const auto faster = [](const auto* a, const auto* b) { return a->seconds < b->seconds; };
    const double most = (*std::min_element(tied_.begin(), tied_.end(), faster))->seconds + kNearSeconds;
    for (const ComparedMethod* method : tied_) {
      if (method->seconds > most) continue;
      if (chosen_ == nullptr || lead(method->mean, chosen_->mean) > 0) chosen_ = method;
    }
  }

  std::string name() const { return chosen_ == nullptr ? std::string() : chosen_->name; }

  std::string text() const {
    if (best_ == nullptr) return "Only yardsticks (random, variance) were compared, so there is nothing to recommend.";
    std::vector<std::string> sentences{answer()};
    for (std::string sentence : {others(), chance(), all_features(), certainty()}) {
      if (!sentence.empty()) sentences.push_back(std::move(sentence));
    }
    return join(sentences, " ");
  }

 private:
  /// How much better the first score is: a loss is better when it is lower.
  double lead(double score, double other) const { return metric_.larger_is_better ? score - other : other - score; }

  double p(std::span<const double> better, std::span<const double> worse) const {
    const double overlap = overlap_of(comparison_);
    return metric_.larger_is_better ? p_better(better, worse, overlap) : p_better(worse, better, overlap);
  }
  double p(const ComparedMethod& better, const ComparedMethod& worse) const {
    return p(better.run_means, worse.run_means);
  }

  bool is_as_good(const ComparedMethod& method) const {
    if (&method == best_) return true;
    const double behind = lead(best_->mean, method.mean);
    return behind <= 0 || (behind < near_ && !(p(*best_, method) < kTestLevel));
  }

  /// A difference that is large enough to matter and, where there are runs to tell, more than chance.
  bool clearly_better(std::span<const double> better, std::span<const double> worse) const {
    const double ahead = lead(mean(better), mean(worse));
    if (ahead <= 0 || ahead < near_) return false;
    return !(p(better, worse) >= kTestLevel);
  }

  /// The next best of those that may be recommended; nothing where there is one alone.
  const ComparedMethod* runner_up() const {
    const ComparedMethod* next = nullptr;
    for (const ComparedMethod& method : comparison_.methods) {
      if (is_candidate(method) && &method != best_ && (next == nullptr || lead(method.mean, next->mean) > 0)) {
        next = &method;
      }
    }
    return next;
  }

  std::size_t runs() const { return best_->run_means.size(); }
  std::string runs_text() const { return fmt::format("{} run{}", runs(), runs() == 1 ? "" : "s"); }

  std::string answer() const {
    if (chosen_ == best_) {
      const ComparedMethod* const next = runner_up();
      return fmt::format("Use {}: it has the {} {} over {}, {}{}.", best_->name,
                         metric_.larger_is_better ? "best" : "lowest", mean_name(metric_), runs_text(),
                         format_.score(best_->mean), next == nullptr ? "; no other was compared" : lead_text(*next));
    }
    const double chance = p(*best_, *chosen_);
    const std::string test = std::isnan(chance)
                                 ? std::string()
                                 : fmt::format(
                                       ", a difference that a paired test over the runs does not confirm (one-sided p "
                                       "= {:.2f})",
                                       chance);
    const std::string place =
        lead(best_->mean, chosen_->mean) > 0
            ? fmt::format("is within {} of the best ({}, {}){}", format_.distance(best_->mean - chosen_->mean),
                          best_->name, format_.score(best_->mean), test)
            : fmt::format("is also that of {}", best_->name);
    return fmt::format("Use {}: its {} over {}, {}, {}, and it selects {}.", chosen_->name, mean_name(metric_),
                       runs_text(), format_.score(chosen_->mean), place, faster_text(*chosen_, *best_));
  }

  /// How far the best is ahead of the next, and whether the runs confirm it.
  std::string lead_text(const ComparedMethod& next) const {
    if (!(lead(best_->mean, next.mean) > 0)) return fmt::format(", the same as {}", next.name);
    std::string ahead = fmt::format(", {} ahead of {} ({})", format_.distance(best_->mean - next.mean), next.name,
                                    format_.score(next.mean));
    const double chance = p(*best_, next);
    if (std::isnan(chance)) return ahead;
    return fmt::format("{}; a paired test over the runs {} this lead (one-sided p {})", ahead,
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
    if (lead(random->mean, best_->mean) >= 0) {
      return fmt::format("Random features reach {}, no worse than any method: selecting is not worthwhile here.",
                         format_.score(random->mean));
    }
    if (clearly_better(chosen_->run_means, random->run_means)) return {};
    return fmt::format("But random features reach {}, and {} is not clearly better: treat this advice with caution.",
                       format_.score(random->mean), chosen_->name);
  }

  /// Beside all features, at the largest k.
  std::string all_features() const {
    const auto k = static_cast<std::size_t>(comparison_.options.k.back());
    if (k >= comparison_.features || comparison_.all_features.run_means.empty()) return {};
    const std::vector<double> selected = comparison_.results.run_means({.method = chosen_->name, .k = k});
    const std::vector<double>& all = comparison_.all_features.run_means;
    const std::string difference = format_.distance(mean(all) - mean(selected));
    const std::string both =
        fmt::format("With {} of the {} features it reaches {}; all features reach {}", with_commas(k),
                    with_commas(comparison_.features), format_.score(mean(selected)), format_.score(mean(all)));
    if (clearly_better(all, selected)) return fmt::format("{}, so selecting costs {}.", both, difference);
    if (clearly_better(selected, all)) return fmt::format("{}, so selecting gains {}.", both, difference);
    return both + ", which is no clear difference.";
  }

  std::string certainty() const {
    if (runs() < 2) return "One run cannot show how much of this is chance; try --runs 5.";
    const std::string few =
        runs() < 5 ? fmt::format("With {}, only large differences can be confirmed. ", runs_text()) : std::string();
    if (comparison_.test_given) {
      return few +
             "All runs use the same test rows and differ only in their seeds: results on other rows may differ by "
             "more.";
    }
    return few + "The runs are not independent: they all split the same rows.";
  }

  const Comparison& comparison_;
  const Metric& metric_;
  const ScoreFormat format_;
  double near_ = kNearScore;  ///< a lead that is worth no time
  const ComparedMethod* best_ = nullptr;
  const ComparedMethod* chosen_ = nullptr;
  std::vector<const ComparedMethod*> tied_;  ///< as good as the best, that one among them
};

}  // namespace

bool is_candidate(const ComparedMethod& method) {
  return method.rank > 0 && method.name != kRandom && method.name != kVariance;
}

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
