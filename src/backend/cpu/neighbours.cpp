// The training rows are packed into panels, a chunk at a time; blocks of test rows are scanned against each panel in
// turn. A row keeps the candidates whose bounds are within its limit, which falls as more rows are seen, and only those
// are compared by their distances.
#include "backend/cpu/neighbours.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <utility>

#include "backend/cpu/byte_distance.h"
#include "backend/cpu/float_distance.h"
#include "backend/cpu/processor.h"

namespace obverse::cpu {

namespace {

constexpr std::size_t kBlock = 8 * kTile;                  // test rows: a panel in the cache serves all of them
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
        capacity_(most_ + kPanel) {
    const std::size_t padded = (nearest.size() + kTile - 1) / kTile * kTile;
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
  const std::size_t chunk = std::max<std::size_t>(1, kChunkBytes / (kPanel * distance.row_bytes())) * kPanel;
  for (std::size_t begin = 0; begin < train.rows() && !too_many; begin += chunk) {
    const std::size_t rows = std::min(chunk, train.rows() - begin);
    const std::size_t panels = (rows + kPanel - 1) / kPanel;
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
  if (arithmetic().half_bounds && train.features() >= kFewestHalves) {
    SearchOptions few = options;
    few.most_compared = 4 * (options.neighbours + kSpareCandidates);
    if (auto nearest = search<FloatDistance<HalfPacking>>(train, test, few, team)) return std::move(*nearest);
  }
  return *search<FloatDistance<SinglePacking>>(train, test, options, team);
}

std::vector<Nearest> search_rows(const RowSearch& rows, Team& team) {
  const SearchOptions options{rows.neighbours, rows.leave_own_out};
  const bool fits = rows.train.features() <= ByteDistance::kMostFeatures;
  if (rows.bytes && fits && arithmetic().byte_products) {
    return *search<ByteDistance>(rows.train, rows.test, options, team);
  }
  return search_floats(rows.train, rows.test, options, team);
}

}  // namespace

std::vector<std::uint32_t> nearest_rows(const RowSearch& search, Team& team) {
  std::vector<std::uint32_t> rows;
  rows.reserve(search.test.rows() * search.neighbours);
  for (const Nearest& row : search_rows(search, team)) {
    for (const Neighbour& neighbour : row) rows.push_back(neighbour.row);
  }
  return rows;
}

}  // namespace obverse::cpu
