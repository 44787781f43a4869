// The training rows stand in panels, a chunk of them at a time; blocks of test rows are scanned against each panel in
// turn. A row keeps the candidates whose bounds are within its limit, which falls as more rows are seen, and only those
// are compared by their distances. A CUDA device compares all rows by their distances.
#include "downstream/neighbours.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <obverse/error.h>

#include "backend/cpu/processor.h"
#include "backend/neighbours.h"
#include "downstream/byte_distance.h"
#include "downstream/feature_rows.h"
#include "downstream/float_distance.h"

namespace obverse {

namespace {

constexpr std::size_t kBlock = 8 * cpu::kTile;             // test rows: a panel in the cache serves all of them
constexpr std::size_t kChunkBytes = std::size_t{1} << 27;  // of training rows in panels
constexpr std::size_t kSpareCandidates = 16;
// Fewer features are scanned so fast that tighter bounds are worth more than halves.
constexpr std::size_t kFewestHalves = 16;
constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

struct Neighbour {
  double distance;
  std::uint32_t row;

  bool operator<(const Neighbour& other) const {
    return distance != other.distance ? distance < other.distance : row < other.row;
  }
};

/// The nearest training rows of one test row, ascending, at most as many as are asked for.
using Nearest = std::vector<Neighbour>;

/// One block of test rows on its way through the panels of a chunk.
template <class Distance>
class BlockSearch {
 public:
  using Bound = typename Distance::Bound;
  using Candidate = typename Distance::Candidate;

  /// nearest: (rows), of the chunks before; own_row: the training row that the first test row is, or kNoRow.
  BlockSearch(const Distance& distance, std::size_t first, std::span<Nearest> nearest, std::size_t neighbours,
              std::uint32_t own_row)
      : distance_(distance),
        block_(distance.pack_block(first, nearest.size())),
        nearest_(nearest),
        neighbours_(neighbours),
        own_row_(own_row),
        most_(2 * neighbours + kSpareCandidates),
        capacity_(most_ + cpu::kPanel) {
    const std::size_t padded = (nearest.size() + cpu::kTile - 1) / cpu::kTile * cpu::kTile;
    limits_.assign(padded, Distance::kNone);
    counts_.assign(padded, 0);
    candidates_.resize(padded * capacity_);
    for (std::size_t r = 0; r < nearest.size(); ++r) {
      limits_[r] = Distance::kAll;
      lower_by_distance(r);
    }
  }

  void scan(std::size_t panel) {
    auto scan = distance_.scan_of(block_, panel);
    scan.limits = limits_.data();
    scan.candidates = candidates_.data();
    scan.capacity = capacity_;
    scan.counts = counts_.data();
    distance_.run(scan);
    for (std::size_t r = 0; r < nearest_.size(); ++r) {
      if (counts_[r] <= most_) continue;
      tighten(r);
      if (counts_[r] > neighbours_ + most_ / 2) compare(r);  // as among equal rows, which bounds cannot tell apart
    }
  }

  /// Exact distances so far, for each row of the block.
  std::size_t compared() const { return compared_ / nearest_.size(); }

  void finish() {
    for (std::size_t r = 0; r < nearest_.size(); ++r) {
      tighten(r);
      compare(r);
    }
  }

 private:
  Candidate* list(std::size_t r) { return candidates_.data() + r * capacity_; }

  void lower_by_distance(std::size_t r) {
    if (nearest_[r].size() < neighbours_) return;
    limits_[r] = std::min(limits_[r], distance_.limit(block_, r, nearest_[r].back().distance));
  }

  void forget_own_row(std::size_t r) {
    if (own_row_ == kNoRow) return;
    const std::uint32_t own = own_row_ + static_cast<std::uint32_t>(r);
    Candidate* const end = list(r) + counts_[r];
    counts_[r] = static_cast<std::uint32_t>(
        std::remove_if(list(r), end, [&](const Candidate& c) { return c.row == own; }) - list(r));
  }

  // Lowers the limit by the bounds of the candidates and drops those beyond it.
  void tighten(std::size_t r) {
    forget_own_row(r);
    if (counts_[r] <= neighbours_) return;
    Candidate* const begin = list(r);
    Candidate* const middle = begin + neighbours_;
    Candidate* const end = begin + counts_[r];
    std::nth_element(begin, middle, end, [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
    limits_[r] = std::min(limits_[r], distance_.limit(block_, r, std::span<const Candidate>(begin, middle)));
    const auto beyond = [&](const Candidate& candidate) { return candidate.bound > limits_[r]; };
    counts_[r] = static_cast<std::uint32_t>(std::remove_if(begin, end, beyond) - begin);
  }

  // Turns the candidates into neighbours.
  void compare(std::size_t r) {
    Nearest& nearest = nearest_[r];
    compared_ += counts_[r];
    for (const Candidate& candidate : std::span(list(r), counts_[r])) {
      nearest.push_back({distance_.distance(block_, r, candidate), candidate.row});
    }
    counts_[r] = 0;
    std::sort(nearest.begin(), nearest.end());
    if (nearest.size() > neighbours_) nearest.resize(neighbours_);
    lower_by_distance(r);
  }

  const Distance& distance_;
  typename Distance::Block block_;
  std::span<Nearest> nearest_;
  std::size_t neighbours_;
  std::uint32_t own_row_;
  std::size_t most_;      // candidates of a row that wait for more
  std::size_t capacity_;  // and those of one panel beside them
  std::size_t compared_ = 0;
  std::vector<Bound> limits_;          // (padded rows)
  std::vector<std::uint32_t> counts_;  // (padded rows)
  std::vector<Candidate> candidates_;  // (padded rows, capacity)
};

struct SearchOptions {
  std::size_t neighbours = 0;
  bool leave_own_out = false;  ///< test rows are the training rows
  std::size_t most_compared = std::numeric_limits<std::size_t>::max();
};

// (test rows) the nearest rows of each; nothing when some block compares more rows than `most_compared` by their exact
// distances. Every block goes through the panels by itself, so that the team's size changes nothing.
template <class Distance>
std::optional<std::vector<Nearest>> search(const FeatureRows& train, const FeatureRows& test,
                                           const SearchOptions& options, Team& team) {
  Distance distance(train, test);
  std::vector<Nearest> nearest(test.rows());
  std::atomic<bool> too_many{false};
  const std::size_t chunk = std::max<std::size_t>(1, kChunkBytes / (cpu::kPanel * distance.row_bytes())) * cpu::kPanel;
  for (std::size_t begin = 0; begin < train.rows() && !too_many; begin += chunk) {
    const std::size_t rows = std::min(chunk, train.rows() - begin);
    const std::size_t panels = (rows + cpu::kPanel - 1) / cpu::kPanel;
    distance.begin_chunk(begin, rows);
    team.run(panels, [&](std::size_t panel) { distance.pack_panel(panel); });
    distance.end_chunk();
    team.run((test.rows() + kBlock - 1) / kBlock, [&](std::size_t block) {
      const std::size_t first = block * kBlock;
      const auto part = std::span(nearest).subspan(first, std::min(kBlock, test.rows() - first));
      const std::uint32_t own_row = options.leave_own_out ? static_cast<std::uint32_t>(first) : kNoRow;
      BlockSearch<Distance> search(distance, first, part, options.neighbours, own_row);
      for (std::size_t panel = 0; panel < panels && !too_many; ++panel) {
        search.scan(panel);
        if (search.compared() > options.most_compared) too_many = true;
      }
      search.finish();
    });
  }
  if (too_many) return std::nullopt;
  return nearest;
}

// By halves where the processor has them, unless their bounds leave too many rows open, as they do among rows that are
// much nearer to each other than to the middle. Both ways end in the same exact distances.
std::vector<Nearest> search_floats(const FeatureRows& train, const FeatureRows& test, SearchOptions options,
                                   Team& team) {
  if (cpu::arithmetic().half_bounds && train.features() >= kFewestHalves) {
    SearchOptions few = options;
    few.most_compared = 4 * (options.neighbours + kSpareCandidates);
    if (auto nearest = search<FloatDistance<HalfPacking>>(train, test, few, team)) return std::move(*nearest);
  }
  return *search<FloatDistance<SinglePacking>>(train, test, options, team);
}

void check(const NeighbourQuery& query) {
  const Dataset& train = *query.train;
  if (query.neighbours == 0) throw Error(Fault::usage, "asks for 0 neighbours; ask for at least 1");
  if (query.features.empty()) throw Error(Fault::usage, "neighbours need at least one feature, found none");
  for (const std::size_t feature : query.features) {
    if (feature >= train.features()) {
      throw Error(Fault::usage,
                  cat("expected features below ", train.features(), " for the neighbours, found ", feature));
    }
  }
  if (query.test != nullptr && query.test->features() != train.features()) {
    throw Error(Fault::usage, cat("the training rows have ", train.features(), " features and the test rows ",
                                  query.test->features(), "; both need the same columns"));
  }
  const std::size_t others = query.test != nullptr ? train.rows() : train.rows() - 1;
  if (query.neighbours > others) {
    throw Error(Fault::usage, cat("asks for ", query.neighbours, " neighbours, but there are only ", others,
                                  query.test != nullptr ? " training rows" : " other rows",
                                  "; ask for fewer neighbours or give more rows"));
  }
}

void check(const NeighbourQuery& query, const Target& target) {
  if (target.rows() != query.train->rows()) {
    throw Error(Fault::usage, cat("expected a target for each of the ", query.train->rows(), " training rows, found ",
                                  target.rows()));
  }
}

/// What the neighbours (rows of test, neighbours) say of a target.
Prediction prediction_of(std::span<const std::uint32_t> rows, std::size_t neighbours, const Target& target) {
  const std::size_t count = rows.size() / neighbours;
  Prediction prediction{target.is_class() ? target.classes : 1, {}};
  prediction.values.resize(count * prediction.outputs);
  std::vector<double> sums(prediction.outputs);
  for (std::size_t r = 0; r < count; ++r) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const std::uint32_t row : rows.subspan(r * neighbours, neighbours)) {
      if (target.is_class()) {
        sums[static_cast<std::size_t>(target.labels[row])] += 1;
      } else {
        sums.front() += static_cast<double>(target.values[row]);
      }
    }
    std::transform(sums.begin(), sums.end(), prediction.values.begin() + static_cast<std::ptrdiff_t>(r * sums.size()),
                   [&](double sum) { return static_cast<float>(sum / static_cast<double>(neighbours)); });
  }
  return prediction;
}

bool is_bytes(const Dataset& data) { return std::holds_alternative<DenseMatrix<std::uint8_t>>(data.storage()); }

// Bytes that are all stretched alike are ranked alike as they are, offsets fall out of the differences.
bool stretches_alike(const Affine& scaling, std::span<const std::size_t> features) {
  const float scale = scaling.scale[features.front()];
  return scale != 0 && std::all_of(features.begin(), features.end(),
                                   [&](std::size_t feature) { return scaling.scale[feature] == scale; });
}

/// The rows that a query compares.
struct ComparedRows {
  bool plain_bytes;
  FeatureRows train, test;
};

ComparedRows compared_rows(const NeighbourQuery& query) {
  const Dataset& test = query.test == nullptr ? *query.train : *query.test;
  const bool plain_bytes = is_bytes(*query.train) && is_bytes(test) && stretches_alike(*query.scaling, query.features);
  const Affine* const scaling = plain_bytes ? nullptr : query.scaling;
  return {plain_bytes, {*query.train, query.features, scaling}, {test, query.features, scaling}};
}

std::vector<Nearest> nearest(const ComparedRows& rows, const SearchOptions& options, Team& team) {
  const bool fits = rows.train.features() <= ByteDistance::kMostFeatures;
  if (rows.plain_bytes && fits && cpu::arithmetic().byte_products) {
    return *search<ByteDistance>(rows.train, rows.test, options, team);
  }
  return search_floats(rows.train, rows.test, options, team);
}

// (rows, width), zeros behind the features.
template <class Value>
std::vector<Value> side_by_side(const FeatureRows& rows, std::size_t width, Team& team) {
  std::vector<Value> values(rows.rows() * width);
  team.run((rows.rows() + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t end = std::min(rows.rows(), (block + 1) * kBlock);
    for (std::size_t r = block * kBlock; r < end; ++r) {
      const std::span<Value> row(values.data() + r * width, width);
      rows.copy(r, row.data());
      // The sum is zero where the processor would take a number too small for normal form as zero.
      if constexpr (std::is_same_v<Value, float>) std::for_each(row.begin(), row.end(), [](float& x) { x += 0.0F; });
    }
  });
  return values;
}

template <class Value>
std::vector<std::uint32_t> device_rows(const ComparedRows& rows, const NeighbourQuery& query, Team& team) {
  const std::size_t unit = std::is_same_v<Value, float> ? 1 : 4;  // features that the device takes at once
  const std::size_t width = (query.features.size() + unit - 1) / unit * unit;
  const bool own = query.test == nullptr;
  const std::vector<Value> train = side_by_side<Value>(rows.train, width, team);
  const std::vector<Value> test = own ? std::vector<Value>{} : side_by_side<Value>(rows.test, width, team);
  return cuda_nearest_rows(std::span(train), std::span(own ? train : test),
                           {width, query.neighbours, own, query.device});
}

}  // namespace

std::vector<std::uint32_t> nearest_rows(const NeighbourQuery& query, Team& team) {
  check(query);
  const FlushDenormals flush;  // as the team's workers do: which thread takes a block must not matter
  const ComparedRows compared = compared_rows(query);
  if (query.device >= 0) {
    return compared.plain_bytes && query.features.size() <= kMostCudaByteFeatures
               ? device_rows<std::uint8_t>(compared, query, team)
               : device_rows<float>(compared, query, team);
  }
  std::vector<std::uint32_t> rows;
  rows.reserve(compared.test.rows() * query.neighbours);
  for (const Nearest& row : nearest(compared, {query.neighbours, query.test == nullptr}, team)) {
    for (const Neighbour& neighbour : row) rows.push_back(neighbour.row);
  }
  return rows;
}

std::vector<std::int32_t> neighbour_labels(const NeighbourQuery& query, const Target& target, Team& team) {
  check(query, target);
  const std::vector<std::uint32_t> rows = nearest_rows(query, team);
  std::vector<std::int32_t> labels;
  std::vector<std::size_t> counts(target.classes);
  for (std::size_t begin = 0; begin < rows.size(); begin += query.neighbours) {
    const auto nearest = std::span(rows).subspan(begin, query.neighbours);
    const auto count = [&](std::uint32_t row) -> std::size_t& {
      return counts[static_cast<std::size_t>(target.labels[row])];
    };
    for (const std::uint32_t row : nearest) ++count(row);
    const auto winner = std::max_element(nearest.begin(), nearest.end(),
                                         [&](std::uint32_t a, std::uint32_t b) { return count(a) < count(b); });
    labels.push_back(target.labels[*winner]);
    for (const std::uint32_t row : nearest) count(row) = 0;
  }
  return labels;
}

std::vector<Prediction> neighbour_predictions(const NeighbourQuery& query, std::span<const Target> targets,
                                              Team& team) {
  for (const Target& target : targets) check(query, target);
  const std::vector<std::uint32_t> rows = nearest_rows(query, team);
  std::vector<Prediction> predictions;
  predictions.reserve(targets.size());
  for (const Target& target : targets) predictions.push_back(prediction_of(rows, query.neighbours, target));
  return predictions;
}

Prediction feature_prediction(const NeighbourQuery& query, Team& team) {
  const std::vector<std::uint32_t> nearest = nearest_rows(query, team);
  const Target known = feature_target(*query.train, *query.scaling);
  const std::size_t width = known.columns;
  Prediction prediction{width, std::vector<float>(nearest.size() / query.neighbours * width)};
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const float* from = known.values.data() + nearest[i] * width;
    float* to = prediction.values.data() + i / query.neighbours * width;
    for (std::size_t d = 0; d < width; ++d) to[d] += from[d] / static_cast<float>(query.neighbours);
  }
  return prediction;
}

Prediction neighbour_prediction(const NeighbourQuery& query, const Target& target, Team& team) {
  return std::move(neighbour_predictions(query, std::span(&target, 1), team).front());
}

}  // namespace obverse
