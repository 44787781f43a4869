// The distances between all pairs of rows are kept, so adding or removing a feature costs one term per pair.
//   d_ij = sum over the columns c of the selected features (z_ic - z_jc)^2     z: scaled values
#include "selection/exchange.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <obverse/error.h>

#include "backend/loop_tables.h"
#include "dataset/scaling.h"
#include "selection/plan.h"
#include "selection/votes.h"
#include "support/random.h"
#include "support/team.h"

namespace obverse {
namespace {

constexpr std::size_t kFewestRows = 50;
constexpr std::size_t kScreeningRows = 500;  // score every possible exchange; all rows score the finalists
constexpr std::size_t kNext = 3;             // features of the same ranking that may come in, per selected one
constexpr std::size_t kOfOthers = 2;         // every other candidate offers one feature per two selected ones
constexpr std::size_t kWeakest = 4;          // selected features that an exchange is tried for, in turn
constexpr std::size_t kFinalists = 3;        // scored by all rows
constexpr double kLeastGain = 1;             // in standard errors
// Passes over all pairs of rows where there are as many rows as allowed; fewer rows may make more passes.
constexpr double kMostPasses = 450;
constexpr std::size_t kRowsOfTask = 32;
constexpr std::size_t kPlacesOfTask = 32;  // at most, screened with one row of distances while it is in a cache

/// All rows or a random sample, in random order: the first of them do the screening.
Dataset rows_in_random_order(const Dataset& data, std::size_t most, std::uint64_t seed) {
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  RandomStream(seed, Purpose::exchange).shuffle(std::span(rows));
  rows.resize(std::min(rows.size(), most));
  return data.subset(rows);
}

/// The selected features, followed by those that may replace them: the next ones of the same ranking, then the first
/// ones of every other candidate.
std::vector<std::size_t> features_to_look_at(const TrainedSelection& trained, std::size_t model, std::size_t k) {
  const Models& models = trained.ranked.models;
  const std::size_t varying = trained.fit.features() - trained.ranked.constant_features.size();
  std::vector<char> is_out(trained.fit.features());  // already found, or a copy of another
  if (trained.ranked.options.redundancy != Redundancy::keep) {
    for (const EqualFeatures& equal : trained.equal) is_out[equal.second] = 1;
  }
  std::vector<std::size_t> found;
  const auto add = [&](const Model& from, std::size_t count) {
    for (const std::size_t feature : std::span(from.order).first(std::min(varying, count))) {
      if (found.size() >= k && is_out[feature] != 0) continue;
      is_out[feature] = 1;
      found.push_back(feature);
    }
  };
  add(*models[model], (1 + kNext) * k);
  for (const auto& other : models) add(*other, (k + kOfOthers - 1) / kOfOthers);
  return found;
}

class Search {
 public:
  /// `features`: those that could be selected, the first k of which are.
  Search(const TrainedSelection& trained, std::span<const std::size_t> features, std::size_t k, Team& team)
      : rows_(rows_in_random_order(trained.fit, trained.budget.exchange_rows, trained.ranked.options.seed)),
        votes_(rows_),
        n_(rows_.rows()),
        stride_(padded_for_votes(n_)),
        loops_(table_in_use<VoteLoops>()),
        most_pairs_(kMostPasses * static_cast<double>(trained.budget.exchange_rows * trained.budget.exchange_rows)),
        team_(team),
        columns_(features.size()),
        is_selected_(features.size()),
        is_kept_(features.size()),
        distances_(n_ * stride_),
        without_(n_ * stride_),
        near_(n_),
        near_without_(n_) {
    const Affine scaling = fit_scaling(trained.fit, Scaling::automatic);
    for (std::size_t p = 0; p < features.size(); ++p) {
      is_selected_[p] = p < k;
      is_kept_[p] = std::binary_search(trained.kept.begin(), trained.kept.end(), features[p]);
      read(p, rows_.columns_of(features.subspan(p, 1)), scaling);
    }
    for (std::size_t p = 0; p < k; ++p) put(distances_, p, 1, distances_);
    find_near(distances_, nullptr, near_);
  }

  /// Exchanges as long as it pays.
  void run(const std::function<bool()>& goes_on) {
    std::vector<double> now = all_votes(distances_, near_, kNone, 0);
    while (pairs_ < most_pairs_ && goes_on() && try_weakest(now)) {
    }
  }

  bool is_selected(std::size_t place) const { return is_selected_[place] != 0; }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  void read(std::size_t place, const std::vector<std::size_t>& columns, const Affine& scaling) {
    std::vector<float>& values = columns_[place];
    values.resize(columns.size() * stride_);
    std::vector<float> row(columns.size());
    for (std::size_t i = 0; i < n_; ++i) {
      rows_.copy_columns(i, columns, row.data());
      for (std::size_t c = 0; c < columns.size(); ++c) {
        values[c * stride_ + i] = row[c] * scaling.scale[columns[c]] + scaling.offset[columns[c]];
      }
    }
  }

  Term term(std::size_t place, float sign) const {
    return place == kNone ? Term{} : Term{.columns = columns_[place], .sign = sign};
  }

  /// to (n, stride) = from + sign * the terms of the feature at this place.
  void put(const std::vector<float>& from, std::size_t place, float sign, std::vector<float>& to) {
    team_.run(tasks(), [&](std::size_t task) {
      const std::size_t end = std::min(n_, (task + 1) * kRowsOfTask);
      for (std::size_t i = task * kRowsOfTask; i < end; ++i) {
        const float* distance = from.data() + i * stride_;
        float* out = to.data() + i * stride_;
        for (std::size_t c = 0; c < columns_[place].size(); c += stride_) {
          const float* z = columns_[place].data() + c;
          loops_.add_term(c == 0 ? distance : out, z, z[i], sign, stride_, out);
        }
      }
    });
    pairs_ += static_cast<double>(n_) * static_cast<double>(n_);
  }

  std::size_t tasks() const { return (n_ + kRowsOfTask - 1) / kRowsOfTask; }

  /// (n) the nearest rows of each row, found sooner with those of similar distances.
  void find_near(const std::vector<float>& from, const std::vector<Votes::Near>* similar,
                 std::vector<Votes::Near>& near) {
    team_.run(tasks(), [&](std::size_t task) {
      Votes::Room room(votes_);
      const std::size_t end = std::min(n_, (task + 1) * kRowsOfTask);
      for (std::size_t i = task * kRowsOfTask; i < end; ++i) {
        votes_.look_from(i, from.data() + i * stride_, similar == nullptr ? nullptr : similar->data() + i, room);
        near[i] = votes_.nearest(room);
      }
    });
  }

  /// (n) with one feature more or less; near: the nearest rows without that change.
  std::vector<double> all_votes(const std::vector<float>& from, const std::vector<Votes::Near>& near, std::size_t place,
                                float sign) {
    std::vector<double> votes(n_);
    team_.run(tasks(), [&](std::size_t task) {
      Votes::Room room(votes_);
      const std::size_t end = std::min(n_, (task + 1) * kRowsOfTask);
      for (std::size_t i = task * kRowsOfTask; i < end; ++i) {
        votes_.look_from(i, from.data() + i * stride_, &near[i], room);
        votes[i] = votes_.of(term(place, sign), room);
      }
    });
    pairs_ += static_cast<double>(n_) * static_cast<double>(n_);
    return votes;
  }

  /// What the screening rows say on the mean, with each of these features more or less.
  std::vector<double> screened(const std::vector<float>& from, const std::vector<Votes::Near>& near,
                               std::span<const std::size_t> places, float sign) {
    const std::size_t asked = std::min(n_, kScreeningRows);
    std::vector<double> means(places.size());
    const std::size_t of_task = std::clamp<std::size_t>(places.size() / (2 * team_.size()), 1, kPlacesOfTask);
    team_.run((places.size() + of_task - 1) / of_task, [&](std::size_t task) {
      Votes::Room room(votes_);
      const std::size_t begin = task * of_task;
      const std::size_t end = std::min(places.size(), begin + of_task);
      for (std::size_t i = 0; i < asked; ++i) {
        votes_.look_from(i, from.data() + i * stride_, &near[i], room);
        for (std::size_t p = begin; p < end; ++p) {
          means[p] += votes_.weight(i) * votes_.of(term(places[p], sign), room);
        }
      }
    });
    pairs_ += static_cast<double>(places.size()) * static_cast<double>(asked) * static_cast<double>(n_);
    return means;
  }

  std::vector<std::size_t> places(bool selected) const {
    std::vector<std::size_t> found;
    for (std::size_t p = 0; p < is_selected_.size(); ++p) {
      if (is_selected(p) == selected && is_kept_[p] == 0) found.push_back(p);
    }
    return found;
  }

  /// The places with the largest values; of equal ones the first.
  static std::vector<std::size_t> best_of(std::span<const std::size_t> places, std::span<const double> values,
                                          std::size_t most) {
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    order.resize(std::min(most, order.size()));
    for (std::size_t& one : order) one = places[one];
    return order;
  }

  /// Whether an exchange was made for one of the features that are missed least.
  bool try_weakest(std::vector<double>& now) {
    const std::vector<std::size_t> inside = places(true);
    for (const std::size_t out : best_of(inside, screened(distances_, near_, inside, -1), kWeakest)) {
      put(distances_, out, -1, without_);
      find_near(without_, &near_, near_without_);
      const std::vector<std::size_t> outside = places(false);
      std::size_t best = kNone;
      std::vector<double> best_votes = now;
      for (const std::size_t in : best_of(outside, screened(without_, near_without_, outside, 1), kFinalists)) {
        std::vector<double> votes = all_votes(without_, near_without_, in, 1);
        if (votes_.mean(votes) <= votes_.mean(best_votes)) continue;
        best = in;
        best_votes = std::move(votes);
      }
      if (best == kNone || !votes_.gains(best_votes, now, kLeastGain)) continue;
      put(without_, best, 1, distances_);
      find_near(distances_, &near_without_, near_);
      is_selected_[out] = 0;
      is_selected_[best] = 1;
      now = std::move(best_votes);
      return true;
    }
    return false;
  }

  Dataset rows_;
  Votes votes_;
  std::size_t n_;
  std::size_t stride_;  ///< n, padded
  const VoteLoops& loops_;
  double most_pairs_;  ///< of rows that are compared
  Team& team_;
  std::vector<std::vector<float>> columns_;  ///< (features)(columns, stride) scaled values
  std::vector<char> is_selected_;            ///< (features)
  std::vector<char> is_kept_;                ///< (features)
  std::vector<float> distances_;             ///< (n, stride) of the selected features
  std::vector<float> without_;               ///< (n, stride) the same without one of them
  std::vector<Votes::Near> near_;            ///< (n) the nearest rows by distances_
  std::vector<Votes::Near> near_without_;    ///< (n) by without_
  double pairs_ = 0;                         ///< compared so far
};

}  // namespace

bool can_exchange(const TrainedSelection& trained, std::size_t k) {
  const SelectOptions& options = trained.ranked.options;
  const bool by_all_rows = options.choice == Choice::knn || options.choice == Choice::ert;
  return is_pool(options) && by_all_rows && options.redundancy != Redundancy::drop && trained.fit.has_target() &&
         trained.fit.rows() >= kFewestRows && k > trained.kept.size() &&
         k + trained.ranked.constant_features.size() < trained.fit.features();
}

Exchange exchanged(const TrainedSelection& trained, std::size_t model, std::size_t k,
                   const ProgressCallback& progress) {
  const std::vector<std::size_t>& order = trained.ranked.models[model]->order;
  const std::vector<std::size_t> features = features_to_look_at(trained, model, k);
  Exchange out{.order = order};
  Team team(static_cast<std::size_t>(trained.ranked.options.threads));
  Search search(trained, features, k, team);
  search.run([&] {
    if (progress && !progress({"choosing", 1, trained.ranked.models.size(), 0})) {
      throw Error(Fault::stopped, "stopped while exchanging features");
    }
    out.is_cut_short = trained.deadline.has_passed();
    return !out.is_cut_short;
  });
  std::vector<char> is_selected(order.size());
  for (std::size_t place = 0; place < features.size(); ++place) {
    if (!search.is_selected(place)) continue;
    is_selected[features[place]] = 1;
    out.exchanged += place >= k ? 1 : 0;
  }
  std::stable_partition(out.order.begin(), out.order.end(),
                        [&](std::size_t feature) { return is_selected[feature] != 0; });
  return out;
}

}  // namespace obverse
