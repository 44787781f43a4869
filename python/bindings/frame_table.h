// The columns of a frame, as NumPy or Arrow holds them, as a table of the engine. Numbers are read where they lie and
// copied once, into the rows of the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <obverse/dataset.h>

#include "number_chunk.h"
#include "readers/csv_faults.h"
#include "readers/table.h"

namespace obverse {

/// Everything that came with a frame, until its kinds are settled and its values are gathered.
class FrameTable {
 public:
  /// Whoever owns what chunks point to.
  using Owner = std::shared_ptr<const void>;

  void add_numbers(std::vector<NumberChunk> chunks, bool boolean);
  /// An empty text stands for a missing value. `declared`: a category whatever the texts look like.
  void add_texts(LabelColumn texts, bool declared);
  /// Times since 1970; the least number stands for a missing one.
  void add_times(std::vector<std::int64_t> times, std::int64_t per_second);
  /// A column that is no feature; `why` in a sentence.
  void add_unusable(std::size_t rows, std::string why);
  void keep(Owner owner) { owners_.push_back(std::move(owner)); }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_.size(); }

  /// The texts of the last column, which is taken away: numbers and times as text, and nothing of what is unusable.
  LabelColumn take_texts();

  struct Request {
    std::vector<std::string> names;                ///< (columns)
    std::vector<std::optional<ColumnKind>> kinds;  ///< (columns) those that were asked for
    const Dataset* like = nullptr;                 ///< features, kinds and levels are those of these data
    std::vector<std::size_t> features = {};        ///< with `like`: the columns that are its features
  };
  /// Finds the kind of every column and gathers the values. Throws Error with all that is wrong.
  void settle(const Request& request);

  /// What settling found: columns that are features, and notes on what can be doubted.
  const std::vector<std::size_t>& features() const { return features_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Rows in which no value is missing.
  std::vector<std::uint32_t> complete_rows() const;
  /// Throws Error where a value is missing.
  void refuse_missing() const;
  /// Storage, names and layout; of some rows only where they are given. Everything else is the caller's.
  DatasetParts parts(const std::optional<std::vector<std::uint32_t>>& rows) const;

 private:
  struct Numbers {
    std::vector<NumberChunk> chunks;
    bool boolean = false;
  };
  struct Texts {
    LabelColumn column;
    bool declared = false;
  };
  struct Times {
    std::vector<std::int64_t> values;
    std::int64_t per_second = 1;
  };
  struct Unusable {
    std::string why;
  };
  using Column = std::variant<Numbers, Texts, Times, Unusable>;

  /// A column whose kind is known.
  struct Settled {
    std::size_t column = 0;
    ColumnKind kind = ColumnKind::number;
    std::vector<std::string> levels = {};
    std::vector<float> values = {};  ///< (rows) empty: the numbers of the column itself
  };
  /// What a column has to be: asked for by the user, or as in other data.
  struct Wanted {
    std::optional<ColumnKind> kind;
    const std::vector<std::string>* levels = nullptr;  ///< of the other data; none: there are none
    bool known() const { return levels != nullptr; }
  };
  class TextsReader;

  void add(std::size_t rows, Column column);
  Wanted wanted(std::size_t column, const Request& request) const;
  std::optional<Settled> settled(std::size_t column, const Wanted& wanted);
  std::optional<Settled> settled_numbers(std::size_t column, const Numbers& numbers, const Wanted& wanted);
  std::optional<Settled> settled_texts(std::size_t column, const LabelColumn& texts, bool declared,
                                       const Wanted& wanted);
  std::optional<Settled> settled_times(std::size_t column, const Times& times, const Wanted& wanted);
  void trouble(std::size_t row, std::size_t column, const std::string& expected, const std::string& found,
               const std::string& remedy);
  std::string keep_as_category(std::size_t column) const;
  bool are_bytes(const std::vector<Settled>& settled) const;
  bool are_plain_numbers(const Storage& storage) const;
  template <class T>
  DenseMatrix<T> gathered(const std::vector<Settled>& settled);

  std::size_t rows_ = 0;
  std::vector<Column> columns_;
  std::vector<Owner> owners_;
  std::vector<std::string> names_;  // (columns)
  Troubles troubles_;
  std::vector<std::string> notes_;
  std::vector<std::size_t> features_;
  Storage storage_;
  FeatureLayout layout_;          // (features)
  std::optional<bool> is_table_;  // as the other data are
};

}  // namespace obverse
