#include "frame_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include <obverse/error.h>

#include "readers/cells.h"
#include "readers/column_kind.h"
#include "support/dates.h"
#include "support/text.h"
#include "time_text.h"

namespace obverse {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kRowsAtOnce = 256;  // of which the rows of the engine stay in the cache

/// Texts numbered as they come, behind those that are known.
class Levels {
 public:
  explicit Levels(const std::vector<std::string>* known) {
    if (known == nullptr) return;
    for (const std::string& text : *known) number(text);
    known_ = texts_.size();
  }
  std::size_t number(const std::string& text) {
    const auto [it, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return it->second;
  }
  std::size_t size() const { return texts_.size(); }

  /// The texts, those of dates in the order of time behind the known ones; `values` follow.
  std::vector<std::string> take(bool by_time, std::vector<float>& values) {
    if (!by_time) return std::move(texts_);
    std::vector<double> seconds;
    for (const std::string& text : texts_) seconds.push_back(iso_date(text).value_or(0));
    std::vector<std::size_t> order(texts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(known_), order.end(),
                     [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
    std::vector<float> place(order.size());
    std::vector<std::string> sorted;
    sorted.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = static_cast<float>(i);
      sorted.push_back(std::move(texts_[order[i]]));
    }
    for (float& value : values) value = std::isnan(value) ? value : place[static_cast<std::size_t>(value)];
    return sorted;
  }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::size_t known_ = 0;
};

constexpr std::array<std::string_view, 4> kExpected{"a number", "true or false, yes or no", "a word",
                                                    "a date such as 2024-03-01"};

std::string truth(bool value) { return value ? "True" : "False"; }

}  // namespace

// ---- What comes in ----

void FrameTable::add(std::size_t rows, Column column) {
  if (!columns_.empty() && rows != rows_) {
    throw Error(Fault::input, cat("X: column ", columns_.size() + 1, " has ", rows, " rows, those before it have ",
                                  rows_, "; give columns of one length"));
  }
  rows_ = rows;
  columns_.push_back(std::move(column));
}

void FrameTable::add_numbers(std::vector<NumberChunk> chunks, bool boolean) {
  const std::size_t rows = std::accumulate(chunks.begin(), chunks.end(), std::size_t{0},
                                           [](std::size_t sum, const NumberChunk& chunk) { return sum + chunk.rows; });
  std::erase_if(chunks, [](const NumberChunk& chunk) { return chunk.rows == 0; });
  add(rows, Numbers{std::move(chunks), boolean});
}

void FrameTable::add_texts(LabelColumn texts, bool declared) {
  const std::size_t rows = texts.codes.size();
  add(rows, Texts{std::move(texts), declared});
}

void FrameTable::add_times(std::vector<std::int64_t> times, std::int64_t per_second) {
  const std::size_t rows = times.size();
  add(rows, Times{std::move(times), per_second});
}

void FrameTable::add_unusable(std::size_t rows, std::string why) { add(rows, Unusable{std::move(why)}); }

LabelColumn FrameTable::take_texts() {
  const Column column = std::move(columns_.back());
  columns_.pop_back();
  if (const auto* texts = std::get_if<Texts>(&column)) return texts->column;
  LabelCollector out;
  if (const auto* numbers = std::get_if<Numbers>(&column)) {
    for (const NumberChunk& chunk : numbers->chunks) {
      for (std::size_t i = 0; i < chunk.rows; ++i) {
        if (is_missing_at(chunk, i)) {
          out.add("");
        } else {
          const std::string text = text_at(chunk, i);
          out.add(numbers->boolean ? truth(text != "0") : text);
        }
      }
    }
  } else if (const auto* times = std::get_if<Times>(&column)) {
    const bool with_time = have_time_of_day(times->values, times->per_second);
    for (const std::int64_t time : times->values) {
      out.add(time == kNoTime ? "" : time_text(time, times->per_second, with_time).value_or(std::to_string(time)));
    }
  }
  return out.take();
}

// ---- What becomes of it ----

void FrameTable::settle(const Request& request) {
  names_ = request.names;
  std::vector<Settled> all;
  std::vector<std::size_t> looked_at = request.features;
  if (request.like == nullptr) {
    looked_at.resize(columns_.size());
    std::iota(looked_at.begin(), looked_at.end(), std::size_t{0});
  }
  for (const std::size_t column : looked_at) {
    if (auto one = settled(column, wanted(column, request))) all.push_back(std::move(*one));
  }
  troubles_.refuse("X");
  if (all.empty()) throw Error(Fault::input, cat("X: no column is left for the features: ", join(notes_, "; ")));
  if (request.like != nullptr) is_table_ = request.like->is_table();
  const bool like_bytes =
      request.like != nullptr && std::holds_alternative<DenseMatrix<std::uint8_t>>(request.like->storage());
  if (like_bytes && !are_bytes(all)) {
    throw Error(Fault::input, "X: expected whole numbers from 0 to 255 (uint8), like the training data; convert both");
  }
  if (are_bytes(all) && (request.like == nullptr || like_bytes)) {
    storage_ = gathered<std::uint8_t>(all);
  } else {
    storage_ = gathered<float>(all);
  }
  troubles_.refuse("X");
  for (Settled& one : all) {
    features_.push_back(one.column);
    layout_.kinds.push_back(one.kind);
    layout_.levels.push_back(std::move(one.levels));
  }
}

FrameTable::Wanted FrameTable::wanted(std::size_t column, const Request& request) const {
  if (request.like == nullptr) return {request.kinds[column]};
  static const std::vector<std::string> kNoLevels;
  const auto place = std::find(request.features.begin(), request.features.end(), column) - request.features.begin();
  const FeatureLayout& layout = request.like->layout();
  if (!layout.is_table()) return {ColumnKind::number, &kNoLevels};
  const auto feature = static_cast<std::size_t>(place);
  return {layout.kinds[feature], &layout.levels[feature]};
}

std::optional<FrameTable::Settled> FrameTable::settled(std::size_t column, const Wanted& wanted) {
  if (const auto* unusable = std::get_if<Unusable>(&columns_[column])) {
    if (wanted.known()) {
      troubles_.add(
          cat("column '", excerpt(names_[column]), "' was a feature of the training data, but here ", unusable->why));
    } else {
      notes_.push_back(LeftOut{.reason = {}, .why = unusable->why}.note(names_[column], {}));
    }
    return std::nullopt;
  }
  if (const auto* numbers = std::get_if<Numbers>(&columns_[column])) return settled_numbers(column, *numbers, wanted);
  if (const auto* times = std::get_if<Times>(&columns_[column])) return settled_times(column, *times, wanted);
  const auto& texts = std::get<Texts>(columns_[column]);
  return settled_texts(column, texts.column, texts.declared, wanted);
}

std::optional<FrameTable::Settled> FrameTable::settled_numbers(std::size_t column, const Numbers& numbers,
                                                               const Wanted& wanted) {
  const ColumnKind own = numbers.boolean ? ColumnKind::boolean : ColumnKind::number;
  const ColumnKind kind = wanted.kind.value_or(own);
  if (kind != own && kind != ColumnKind::number) {
    FrameTable texts;
    texts.add_numbers(numbers.chunks, numbers.boolean);
    return settled_texts(column, texts.take_texts(), false, wanted);
  }
  const bool any = std::any_of(numbers.chunks.begin(), numbers.chunks.end(), [](const NumberChunk& chunk) {
    std::size_t i = 0;
    while (i < chunk.rows && is_missing_at(chunk, i)) ++i;
    return i < chunk.rows;
  });
  if (!wanted.known() && !any) {
    notes_.push_back(left_out({}, kind, 0, false)->note(names_[column], {}));
    return std::nullopt;
  }
  Settled out{.column = column, .kind = kind};
  if (kind == ColumnKind::boolean)
    out.levels = wanted.known() ? *wanted.levels : std::vector{truth(false), truth(true)};
  return out;
}

/// What is read of a column of texts: a value for each different one, when a row first has it.
class FrameTable::TextsReader {
 public:
  TextsReader(FrameTable& table, std::size_t column, const LabelColumn& texts, const Wanted& wanted)
      : table_(table), column_(column), texts_(texts), wanted_(wanted), levels_(coded_levels(wanted)) {
    cells_.reserve(texts.texts.size());
    bool quoted = true;
    for (const std::string& text : texts.texts) {
      const std::string_view cell = trimmed(text);
      cells_.push_back(is_utf8(cell) ? std::string(cell) : valid_utf8(cell));
      quoted = quoted && (is_missing_word(cell) || in_single_quotes(cell));
    }
    if (!quoted) return;
    for (std::string& cell : cells_) {
      if (in_single_quotes(cell)) cell = std::string(trimmed(std::string_view(cell).substr(1, cell.size() - 2)));
    }
  }

  std::optional<Settled> read(std::optional<ColumnKind> kind) {
    look();
    reading_ = reading_of(seen_, {.name = table_.names_[column_], .kind = kind}, table_.notes_);
    Settled out{.column = column_, .kind = reading_.kind};
    out.values.reserve(texts_.codes.size());
    std::vector<std::optional<float>> of_cell(cells_.size());
    for (std::size_t row = 0; row < texts_.codes.size(); ++row) {
      const std::uint32_t code = texts_.codes[row];
      if (!of_cell[code]) of_cell[code] = is_missing_word(cells_[code]) ? kMissing : value(cells_[code], row);
      out.values.push_back(*of_cell[code]);
    }
    if (!wanted_.known() && !is_of_use(kind)) return std::nullopt;
    if (reading_.kind == ColumnKind::number && !kind && reading_.number_style == NumberStyle::plain) note_numbers();
    if (reading_.kind == ColumnKind::boolean) {
      out.levels = {false_text_.empty() ? "False" : false_text_, true_text_.empty() ? "True" : true_text_};
      if (wanted_.known()) out.levels = *wanted_.levels;
    } else if (reading_.kind != ColumnKind::number) {
      out.levels = levels_.take(reading_.kind == ColumnKind::date, out.values);
    }
    return out;
  }

 private:
  static const std::vector<std::string>* coded_levels(const Wanted& wanted) {
    return wanted.kind == ColumnKind::category || wanted.kind == ColumnKind::date ? wanted.levels : nullptr;
  }

  void look() {
    std::vector<std::size_t> counts(cells_.size());
    for (const std::uint32_t code : texts_.codes) ++counts[code];
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (counts[i] == 0 || is_missing_word(cells_[i])) continue;
      if (!seen_.add(cells_[i], counts[i]) && first_word_ == kNone) first_word_ = i;
    }
  }

  float value(const std::string& cell, std::size_t row) {
    switch (reading_.kind) {
      case ColumnKind::number: {
        float number = 0;
        const CellFault fault = parse_number(cell, reading_.number_style, number);
        return fault == CellFault::none ? number
                                        : wrong(cell, row, fault == CellFault::not_finite ? "a finite " : "a ");
      }
      case ColumnKind::boolean: {
        std::optional<bool> is_true = boolean_of(cell);
        if (!is_true && (cell == "0" || cell == "1")) is_true = cell == "1";
        if (!is_true) return wrong(cell, row);
        std::string& spelling = *is_true ? true_text_ : false_text_;
        if (spelling.empty()) spelling = cell;
        return *is_true ? 1 : 0;
      }
      case ColumnKind::date: {
        const auto iso = iso_text(cell, reading_.date_style);
        return iso ? static_cast<float>(levels_.number(*iso)) : wrong(cell, row);
      }
      default:
        return static_cast<float>(levels_.number(cell));
    }
  }

  float wrong(const std::string& cell, std::size_t row, std::string_view article = {}) {
    const auto kind = static_cast<std::size_t>(reading_.kind);
    table_.trouble(row, column_, article.empty() ? std::string(kExpected[kind]) : cat(article, "number"),
                   cat("'", excerpt(cell), "'"),
                   cat("say ", table_.keep_as_category(column_), " if these are codes, put None where a value is ",
                       "missing, or leave the column out"));
    return kMissing;
  }

  bool is_of_use(std::optional<ColumnKind> kind) {
    const bool open = !kind && reading_.kind == ColumnKind::category;
    if (open && is_spoilt_number(seen_, levels_.size())) {
      const auto row = std::find(texts_.codes.begin(), texts_.codes.end(), first_word_) - texts_.codes.begin();
      wrong(cells_[first_word_], static_cast<std::size_t>(row), "a ");
      return true;
    }
    const auto out = left_out(seen_, reading_.kind, levels_.size(), kind.has_value());
    if (out) table_.notes_.push_back(out->note(table_.names_[column_], table_.keep_as_category(column_)));
    return !out;
  }

  void note_numbers() {
    table_.notes_.push_back(cat("column '", table_.names_[column_],
                                "' holds numbers as text and is read as numbers; say ",
                                table_.keep_as_category(column_), " if these are codes"));
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  FrameTable& table_;
  std::size_t column_;
  const LabelColumn& texts_;
  const Wanted& wanted_;
  std::vector<std::string> cells_;  // (different texts) as they are read
  SeenTexts seen_;
  std::size_t first_word_ = kNone;  // cell that is no number
  TextReading reading_;
  Levels levels_;
  std::string false_text_;
  std::string true_text_;
};

std::optional<FrameTable::Settled> FrameTable::settled_texts(std::size_t column, const LabelColumn& texts,
                                                             bool declared, const Wanted& wanted) {
  std::optional<ColumnKind> kind = wanted.kind;
  if (!kind && declared) kind = ColumnKind::category;
  return TextsReader(*this, column, texts, wanted).read(kind);
}

std::optional<FrameTable::Settled> FrameTable::settled_times(std::size_t column, const Times& times,
                                                             const Wanted& wanted) {
  if (wanted.kind.value_or(ColumnKind::date) != ColumnKind::date) {
    FrameTable texts;
    texts.add_times(times.values, times.per_second);
    return settled_texts(column, texts.take_texts(), false, wanted);
  }
  const bool with_time = have_time_of_day(times.values, times.per_second);
  Levels levels(wanted.levels);
  std::unordered_map<std::int64_t, float> known;
  Settled out{.column = column, .kind = ColumnKind::date};
  SeenTexts seen;
  for (std::size_t row = 0; row < times.values.size(); ++row) {
    const std::int64_t time = times.values[row];
    const auto [it, is_new] = known.try_emplace(time, kMissing);
    if (is_new && time != kNoTime) {
      if (const auto text = time_text(time, times.per_second, with_time)) {
        it->second = static_cast<float>(levels.number(*text));
      } else {
        trouble(row, column, "a date of the years 0 to 9999", cat(time, " / ", times.per_second, " s since 1970"),
                "put None where a value is missing, or leave the column out");
      }
    }
    seen.present += time != kNoTime ? 1 : 0;
    out.values.push_back(it->second);
  }
  if (const auto gone = left_out(seen, out.kind, levels.size(), false); gone && !wanted.known()) {
    notes_.push_back(gone->note(names_[column], {}));
    return std::nullopt;
  }
  out.levels = levels.take(true, out.values);
  return out;
}

void FrameTable::trouble(std::size_t row, std::size_t column, const std::string& expected, const std::string& found,
                         const std::string& remedy) {
  troubles_.add(cat("row ", row + 1, ", column '", excerpt(names_[column]), "': expected ", expected, ", found ", found,
                    "; ", remedy));
}

std::string FrameTable::keep_as_category(std::size_t column) const {
  return cat("kinds={'", names_[column], "': 'category'}");
}

// ---- What goes out ----

/// Whole numbers of one byte, all of them there: they stay bytes, as in an array.
bool FrameTable::are_bytes(const std::vector<Settled>& settled) const {
  return std::all_of(settled.begin(), settled.end(), [&](const Settled& one) {
    const auto* numbers = std::get_if<Numbers>(&columns_[one.column]);
    if (numbers == nullptr || one.kind != ColumnKind::number || !one.values.empty()) return false;
    return std::all_of(numbers->chunks.begin(), numbers->chunks.end(), [](const NumberChunk& chunk) {
      if (chunk.type != ElementType::uint8 || chunk.per_one != 1) return false;
      for (std::size_t i = 0; i < chunk.rows; ++i) {
        if (!is_there(chunk, i)) return false;
      }
      return true;
    });
  });
}

template <class T>
DenseMatrix<T> FrameTable::gathered(const std::vector<Settled>& settled) {
  struct Place {
    std::size_t chunk = 0;
    std::size_t row = 0;  // of the chunk
  };
  const std::size_t cols = settled.size();
  auto values = std::make_shared_for_overwrite<T[]>(rows_ * cols);
  std::vector<Place> places(cols);
  for (std::size_t begin = 0; begin < rows_; begin += kRowsAtOnce) {
    const std::size_t end = std::min(begin + kRowsAtOnce, rows_);
    for (std::size_t c = 0; c < cols; ++c) {
      const Settled& one = settled[c];
      T* out = values.get() + begin * cols + c;
      if (!one.values.empty()) {
        for (std::size_t r = begin; r < end; ++r, out += cols) *out = static_cast<T>(one.values[r]);
        continue;
      }
      const std::vector<NumberChunk>& chunks = std::get<Numbers>(columns_[one.column]).chunks;
      for (std::size_t r = begin; r < end;) {
        Place& place = places[c];
        const NumberChunk& chunk = chunks[place.chunk];
        const std::size_t count = std::min(end - r, chunk.rows - place.row);
        copy_values(chunk, place.row, count, out, cols);
        for (std::size_t i = 0; i < count; ++i, ++r, out += cols) {
          if (std::isinf(static_cast<float>(*out))) {
            trouble(r, one.column, "a finite number", "an infinite value (float32 ends at 3.4e38)",
                    "remove the row, fill the cell, or leave the column out");
          }
        }
        place.row += count;
        if (place.row == chunk.rows) place = {place.chunk + 1, 0};
      }
    }
  }
  return {std::move(values), rows_, cols};
}

std::vector<std::uint32_t> FrameTable::complete_rows() const {
  std::vector<std::uint32_t> rows;
  const auto* matrix = std::get_if<DenseMatrix<float>>(&storage_);
  for (std::uint32_t r = 0; r < rows_; ++r) {
    const auto is_missing = [](float value) { return std::isnan(value); };
    if (matrix == nullptr || std::none_of(matrix->row(r).begin(), matrix->row(r).end(), is_missing)) rows.push_back(r);
  }
  return rows;
}

void FrameTable::refuse_missing() const {
  const auto* matrix = std::get_if<DenseMatrix<float>>(&storage_);
  std::vector<std::string> columns;
  for (std::size_t c = 0; matrix != nullptr && c < matrix->cols; ++c) {
    std::size_t count = 0;
    for (std::size_t r = 0; r < matrix->rows; ++r) count += std::isnan(matrix->row(r)[c]) ? 1 : 0;
    if (count > 0) columns.push_back(cat(excerpt(names_[features_[c]]), " (", with_commas(count), ")"));
  }
  if (columns.empty()) return;
  throw Error(Fault::input,
              cat("X: ", count_text(columns.size(), "column"), " with missing values (NaN, None): ", join(columns),
                  "; fill them, leave columns out, or say missing='impute' or missing='drop-rows'"));
}

/// Nothing but numbers, all of them there.
bool FrameTable::are_plain_numbers(const Storage& storage) const {
  const auto is_number = [](ColumnKind kind) { return kind == ColumnKind::number; };
  if (!std::all_of(layout_.kinds.begin(), layout_.kinds.end(), is_number)) return false;
  const auto* matrix = std::get_if<DenseMatrix<float>>(&storage);
  if (matrix == nullptr) return true;
  const float* values = matrix->values.get();
  return std::none_of(values, values + matrix->rows * matrix->cols, [](float value) { return std::isnan(value); });
}

DatasetParts FrameTable::parts(const std::optional<std::vector<std::uint32_t>>& rows) const {
  DatasetParts parts;
  parts.storage = storage_;
  if (rows) {
    const auto& all = std::get<DenseMatrix<float>>(storage_);
    auto values = std::make_shared_for_overwrite<float[]>(rows->size() * all.cols);
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const auto row = all.row((*rows)[i]);
      std::copy(row.begin(), row.end(), values.get() + i * all.cols);
    }
    parts.storage = DenseMatrix<float>{std::move(values), rows->size(), all.cols};
  }
  std::vector<std::string> names;
  for (const std::size_t column : features_) names.push_back(names_[column]);
  parts.feature_names = std::move(names);
  if (is_table_.value_or(!are_plain_numbers(parts.storage))) parts.layout = layout_;
  return parts;
}

}  // namespace obverse
