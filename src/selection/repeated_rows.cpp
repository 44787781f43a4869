// Bunches show in the distances r_1 <= r_2 <= ... from a row to its neighbours. Where rows are independent and lie in D
// dimensions, the gaps
//   g_j = j D log(r_{j+1} / r_j)
// are independent exponential numbers of mean 1 (Renyi's spacings of the volumes). In a bunch of s + 1 rows the gap g_s
// is far larger than any of these. D is what makes the gaps of the far half of the neighbours 1 in the mean.
#include "selection/repeated_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "dataset/encoding.h"
#include "support/random.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kFewestRows = 40;
constexpr std::size_t kMostRows = 2000;
constexpr std::size_t kRun = 50;          // rows one after another, which bunches often are
constexpr std::size_t kAsked = 200;       // rows whose neighbours are looked at
constexpr std::size_t kNeighbours = 256;  // of each
constexpr std::size_t kFewest = 20;       // neighbours of a row, rows with neighbours
constexpr std::size_t kWidth = 64;        // numbers for a row
constexpr double kLargeGap = 8;           // exp(-8) of the gaps of independent rows are larger
constexpr double kLargeRatio = 1.5;       // of distances: values on a grid leave small gaps behind many rows
constexpr double kManyCopies = 0.1;       // of the rows
constexpr std::size_t kMostColumns = std::size_t{1} << 14;
constexpr std::size_t kMostValues = std::size_t{1} << 24;  // looked at for copies, or for identities

/// All rows of small data; runs of rows, evenly spaced, of large.
Dataset some_rows(const Dataset& data) {
  if (data.rows() <= kMostRows) return data;
  std::vector<std::uint32_t> rows;
  constexpr std::size_t kRuns = kMostRows / kRun;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::size_t first = run * (data.rows() - kRun) / (kRuns - 1);
    for (std::size_t i = 0; i < kRun; ++i) rows.push_back(static_cast<std::uint32_t>(first + i));
  }
  return data.subset(rows);
}

/// All columns, or as many as memory for some rows allows, evenly spaced.
std::vector<std::size_t> some_columns(const Dataset& data) {
  std::vector<std::size_t> columns(std::min(kMostColumns, data.columns()));
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i * data.columns() / columns.size();
  return columns;
}

/// (rows, kWidth or fewer) standardised columns; of many columns random sums, which keep distances as they are.
std::vector<float> sketches(const Dataset& data, std::size_t& width) {
  const std::vector<std::size_t> columns = some_columns(data);
  std::vector<float> values(data.rows() * columns.size());
  std::vector<double> mean(columns.size());
  std::vector<double> square(columns.size());
  for (std::size_t r = 0; r < data.rows(); ++r) {
    float* const row = values.data() + r * columns.size();
    data.copy_columns(r, columns, row);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      mean[c] += static_cast<double>(row[c]);
      square[c] += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    }
  }
  std::vector<std::size_t> varying;
  const auto rows = static_cast<double>(data.rows());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    mean[c] /= rows;
    square[c] = std::sqrt(std::max(0.0, square[c] / rows - mean[c] * mean[c]));
    if (square[c] > 1e-6 * (1 + std::abs(mean[c]))) varying.push_back(c);
  }
  width = std::min(kWidth, varying.size());
  RandomStream random(0, Purpose::sampling);
  std::vector<float> out(data.rows() * width);
  for (std::size_t i = 0; i < varying.size(); ++i) {
    const std::size_t c = varying[i];
    const std::uint32_t word = random.next();
    const std::size_t place = varying.size() > width ? (word >> 1) % width : i;
    const float scale = static_cast<float>((word & 1) != 0 ? 1 / square[c] : -1 / square[c]);
    const auto middle = static_cast<float>(mean[c]);
    for (std::size_t r = 0; r < data.rows(); ++r) {
      out[r * width + place] += scale * (values[r * columns.size() + c] - middle);
    }
  }
  return out;
}

/// The class of each row; one for all rows of other data.
std::vector<std::int32_t> classes_of(const Dataset& data) {
  return data.has_labels() ? data.labels() : std::vector<std::int32_t>(data.rows());
}

/// Distances from a row to the nearest of the same class, ascending; copies of the row are none.
std::vector<double> neighbour_distances(std::span<const float> sketch, std::size_t width,
                                        std::span<const std::int32_t> classes, std::size_t row) {
  std::vector<double> squares;
  const float* const own = sketch.data() + row * width;
  for (std::size_t r = 0; r < classes.size(); ++r) {
    if (r == row || classes[r] != classes[row]) continue;
    const float* const other = sketch.data() + r * width;
    float sum = 0;
    for (std::size_t c = 0; c < width; ++c) sum += (own[c] - other[c]) * (own[c] - other[c]);
    if (sum > 1e-9F) squares.push_back(static_cast<double>(sum));
  }
  const std::size_t kept = std::min(kNeighbours, squares.size());
  std::partial_sort(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(kept), squares.end());
  squares.resize(kept);
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::uint64_t mixed(std::uint64_t hash, float value) {
  const std::uint32_t bits = std::isnan(value) ? 1 : std::bit_cast<std::uint32_t>(value == 0 ? 0.0F : value);
  hash = (hash ^ bits) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29);
}

/// The values of a column and the targets of their rows.
struct SharedValues {
  std::size_t rows = 0;
  std::size_t different = 0;
  std::size_t shared = 0;  ///< rows whose value others have
  double least = 0;        ///< of the values
  double pairs = 0;        ///< rows behind another one of the same value
  double agreement = 0;    ///< share of them with the same target
  double neighbours = 0;   ///< the same of rows with neighbouring values
  double chance = 0;       ///< the same of any two rows
};

/// patient, PatientID, customer_no, visit_id: a word for those whom rows are about, perhaps with one for their number,
/// or anything that ends in id.
bool is_called_identity(std::string_view name) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"patient", "subject", "customer", "client", "person", "user", "participant", "member", "account", "household"});
  constexpr auto kNumbers = std::to_array<std::string_view>({"", "s", "id", "no", "nr", "number", "code", "key"});
  std::string letters;
  for (const char c : lower_case(name)) {
    if (c != '_' && c != '-' && c != ' ' && c != '.') letters += c;
  }
  for (const std::string_view word : kWords) {
    for (const std::string_view number : kNumbers) {
      if (letters == std::string(word).append(number)) return true;
    }
  }
  const bool apart = letters.size() < name.size() && lower_case(name.substr(name.size() - 2)) == "id";
  return letters == "id" || name.ends_with("Id") || name.ends_with("ID") ||
         (apart && name.size() > 2 && std::string_view("_- .").find(name[name.size() - 3]) != std::string_view::npos);
}

/// The target of a row as one number: a class, or the first quantity.
double target_of_row(const Dataset& data, std::size_t row) {
  if (data.has_labels()) return data.label(row);
  return data.has_outputs() ? static_cast<double>(data.outputs(row)[0]) : 0;
}

/// Values of a column with the targets of their rows, by value. Of many rows those of some values, all of each.
std::vector<std::pair<float, double>> values_of(const Dataset& data, std::size_t column, std::size_t rows) {
  constexpr std::size_t kLookedAt = 2000;
  const std::size_t stride = std::max<std::size_t>(1, rows / kLookedAt);
  std::vector<std::pair<float, double>> values;
  for (std::size_t r = 0; r < rows && values.size() < 2 * kLookedAt; ++r) {
    float value = 0;
    data.copy_columns(r, {&column, 1}, &value);
    if (std::isnan(value)) continue;
    if (value != std::trunc(value)) return {};  // a measurement
    if (mixed(0, value) % stride == 0) values.emplace_back(value, target_of_row(data, r));
  }
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return values;
}

/// The share of all pairs of rows that have the same target.
double chance_of(std::span<const std::pair<float, double>> values) {
  std::map<double, double> counts;
  for (const auto& value : values) counts[value.second] += 1;
  double sum = 0;
  for (const auto& [target, count] : counts) sum += count * count;
  return sum / std::pow(static_cast<double>(values.size()), 2);
}

SharedValues shared_values(const std::vector<std::pair<float, double>>& values) {
  SharedValues found{.rows = values.size(), .chance = chance_of(values)};
  found.least = static_cast<double>(values.front().first);
  double same = 0;
  double same_next = 0;
  for (std::size_t begin = 0; begin < values.size(); ++found.different) {
    std::size_t end = begin + 1;
    for (; end < values.size() && values[end].first == values[begin].first; ++end) {
      same += values[end].second == values[end - 1].second ? 1 : 0;
    }
    if (end < values.size()) same_next += values[end].second == values[end - 1].second ? 1 : 0;
    if (end - begin > 1) found.shared += end - begin;
    begin = end;
  }
  found.pairs = static_cast<double>(found.rows - found.different);
  found.agreement = same / std::max(1.0, found.pairs);
  found.neighbours = same_next / std::max(1.0, static_cast<double>(found.different) - 1);
  return found;
}

/// Many values, each in several rows, which agree in the target as rows of neighbouring values do not.
bool tells_bunches(const SharedValues& found, bool ordered) {
  constexpr double kAgree = 0.95;
  constexpr double kOften = 0.8;  // a target that most rows have says nothing
  if (found.agreement < kAgree || found.chance > kOften) return false;
  return !ordered || found.neighbours < (1 + found.chance) / 2;
}

/// Large whole numbers, hardly any of them twice; rows that share one agree more often than others.
bool is_register_number(const SharedValues& found) {
  constexpr double kLarge = 10000;
  constexpr double kFewPairs = 8;
  constexpr double kDeviations = 2.5;
  if (found.least < kLarge || found.pairs < kFewPairs || 10 * found.different < 9 * found.rows) return false;
  const double deviation = std::sqrt(found.chance * (1 - found.chance) / found.pairs);
  return found.agreement - found.chance > kDeviations * deviation;
}

/// What makes a column look as if its values said which rows belong together; nothing where it does not.
std::optional<SharedValues> identity_in(const Dataset& data, std::size_t feature, std::size_t rows) {
  constexpr std::size_t kManyValues = 20;
  const ColumnKind kind = data.is_table() ? data.layout().kinds[feature] : ColumnKind::number;
  if (kind != ColumnKind::number && kind != ColumnKind::category) return std::nullopt;
  const auto values = values_of(data, feature, rows);
  if (values.size() < kFewestRows) return std::nullopt;
  const SharedValues found = shared_values(values);
  const bool ordered = kind == ColumnKind::number;
  if (found.different < kManyValues) return std::nullopt;
  if (ordered && data.has_target() && is_register_number(found)) return found;
  const bool repeated = 2 * found.different <= found.rows && 5 * found.shared >= 4 * found.rows;
  const bool told =
      is_called_identity(data.feature_names()[feature]) || (data.has_target() && tells_bunches(found, ordered));
  return repeated && told ? std::optional(found) : std::nullopt;
}

/// The first column that looks so.
std::string identity_warning(const Dataset& data) {
  constexpr std::size_t kLookedAt = 256;  // columns
  if (!std::holds_alternative<DenseMatrix<float>>(data.storage()) || !data.layout().begin.empty()) return {};
  const std::size_t columns = std::min(kLookedAt, data.features());
  const std::size_t rows = std::min(data.rows(), kMostValues / columns);
  for (std::size_t feature = 0; feature < columns; ++feature) {
    const auto found = identity_in(data, feature, rows);
    if (!found) continue;
    const std::string name = data.feature_names()[feature];
    const std::string targets = data.has_target() ? fmt::format(", whose '{}' is the same in {:.0f}% of cases",
                                                                excerpt(data.target_name()), 100 * found->agreement)
                                                  : std::string();
    return fmt::format(
        "'{}' may say which rows belong together: {} different values in {} rows, {} of which share theirs with "
        "others{}. Try --row-groups {}, which keeps such rows on one side of every split",
        excerpt(name), with_commas(found->different), with_commas(found->rows), with_commas(found->shared), targets,
        in_shell(name));
  }
  return {};
}

/// Rows that are looked at for copies.
std::size_t compared_rows(const Dataset& data) {
  return data.columns() > kMostColumns ? 0 : std::min(data.rows(), kMostValues / data.columns());
}

/// How many of the numbers are there more than once, less one of each.
std::size_t repeats_in(std::span<const std::uint64_t> hashes) {
  return hashes.size() - std::unordered_set<std::uint64_t>(hashes.begin(), hashes.end()).size();
}

/// (compared rows) a number for the target of each.
std::vector<std::uint64_t> target_hashes(const Dataset& data) {
  std::vector<std::uint64_t> hashes(compared_rows(data));
  for (std::size_t r = 0; r < hashes.size(); ++r) hashes[r] = mixed(0, static_cast<float>(target_of_row(data, r)));
  return hashes;
}

/// How many rows would repeat another one if columns had nothing to do with each other: in tables of few words, many.
std::size_t copies_by_chance(const Dataset& data) {
  std::vector<std::uint64_t> hashes = target_hashes(data);
  std::vector<std::uint32_t> rows(hashes.size());
  std::iota(rows.begin(), rows.end(), 0U);
  RandomStream random(0, Purpose::sampling);
  for (const std::size_t column : some_columns(data)) {
    random.shuffle(std::span(rows));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      float value = 0;
      data.copy_columns(rows[r], {&column, 1}, &value);
      hashes[r] = mixed(hashes[r], value);
    }
  }
  return repeats_in(hashes);
}

std::string copies_warning(const Dataset& data) {
  const std::size_t rows = compared_rows(data);
  const std::size_t copies = repeated_rows(data);
  const double least = kManyCopies * static_cast<double>(rows);
  if (copies == 0 || static_cast<double>(copies) < least) return {};
  if (static_cast<double>(copies) < static_cast<double>(copies_by_chance(data)) + least) return {};
  return fmt::format(
      "{} of {} rows repeat another row exactly, target included: where one is learned from and the other tested on, "
      "results look better than they are. Leave copies out, or keep them together with --row-groups",
      with_commas(copies), with_commas(rows));
}

std::string bunches_warning(const Dataset& data) {
  const std::optional<Bunches> bunches = bunches_of(data);
  if (!bunches || bunches->gap < kLargeGap) return {};
  return fmt::format(
      "rows come in bunches of about {:.0f} that are nearly alike, as measurements of one patient or pictures of one "
      "scene are: rows of a bunch on both sides of a split make results look better than they are. If a column says "
      "which rows belong together, name it with --row-groups",
      bunches->size);
}

}  // namespace

std::optional<Bunches> bunches_of(const Dataset& all) {
  const Dataset data = encoded(some_rows(all));
  std::size_t width = 0;
  const std::vector<float> sketch = sketches(data, width);
  const std::vector<std::int32_t> classes = classes_of(data);
  std::vector<std::vector<double>> distances;
  double far_gaps = 0;
  std::size_t far_count = 0;
  const std::size_t asked = std::min(kAsked, data.rows());
  for (std::size_t i = 0; i < asked; ++i) {
    std::vector<double> found = neighbour_distances(sketch, width, classes, i * data.rows() / asked);
    if (found.size() < kFewest) continue;
    for (std::size_t j = found.size() / 2; j + 1 < found.size(); ++j, ++far_count) {
      far_gaps += static_cast<double>(j + 1) * std::log(found[j + 1] / found[j]);
    }
    distances.push_back(std::move(found));
  }
  if (distances.size() < kFewest || !(far_gaps > 0)) return std::nullopt;
  const double dimensions = static_cast<double>(far_count) / far_gaps;
  std::vector<double> gaps;
  std::vector<double> sizes;
  for (const std::vector<double>& found : distances) {
    double largest = 0;
    double size = 1;
    for (std::size_t j = 0; j < found.size() / 2; ++j) {
      const double ratio = found[j + 1] / found[j];
      const double gap = static_cast<double>(j + 1) * dimensions * std::log(ratio);
      if (gap <= largest || ratio < kLargeRatio) continue;
      largest = gap;
      size = static_cast<double>(j + 2);
    }
    gaps.push_back(largest);
    sizes.push_back(size);
  }
  return Bunches{median(gaps), median(sizes)};
}

std::size_t repeated_rows(const Dataset& data) {
  std::vector<std::uint64_t> hashes = target_hashes(data);
  const std::vector<std::size_t> columns = some_columns(data);
  std::vector<float> row(columns.size());
  for (std::size_t r = 0; r < hashes.size(); ++r) {
    data.copy_columns(r, columns, row.data());
    for (const float value : row) hashes[r] = mixed(hashes[r], value);
  }
  return repeats_in(hashes);
}

std::vector<std::string> repeated_row_warnings(const Dataset& data) {
  if (data.has_row_groups() || data.has_times() || data.rows() < kFewestRows) return {};
  for (const auto warning : {identity_warning, copies_warning, bunches_warning}) {
    if (std::string text = warning(data); !text.empty()) return {std::move(text)};
  }
  return {};
}

}  // namespace obverse
