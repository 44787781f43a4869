// One pass over the text on several threads makes blocks of values. Then kinds are settled by the different texts of a
// column, and these become values. A column that turns out to be no numbers in a later block is looked at again in the
// earlier ones.
#include "readers/cell_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include <obverse/error.h>

#include "readers/cell_blocks.h"
#include "support/team.h"
#include "support/text.h"
#include "support/threads.h"

namespace obverse {
namespace {

class TableReader {
 public:
  TableReader(CellTable table, const ByteStream& bytes)
      : table_(std::move(table)),
        reading_{table_.columns, used_, table_.request.options.na, table_.records},
        options_(table_.request.options),
        path_(bytes.path()),
        budget_(bytes.budget()),
        notes_(table_.layout.notes) {
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      if (table_.columns[c].place != ColumnPlan::kSkip) used_.push_back(c);
    }
  }

  Table read() {
    read_blocks();
    Team team(table_.blocks.useful_threads());
    find_words(team);
    team.run(used_.size(), [&](std::size_t u) { gather(u); });
    count_levels();
    for (const std::size_t c : used_) {
      settle_kind(table_.columns[c], options_, table_.layout.separator, notes_);
    }
    team.run(used_.size(), [&](std::size_t u) { settle_values(column(u), options_.na); });
    refuse_values();
    return finished(team);
  }

 private:
  TableColumn& column(std::size_t used) { return table_.columns[used_[used]]; }

  /// Threads take the next text in turn and leave what they make of it in its place.
  void read_blocks() {
    std::vector<BlockColumn> fresh(used_.size());
    for (std::size_t u = 0; u < used_.size(); ++u) fresh[u].words = column(u).needs_texts();
    std::mutex reading;
    std::mutex storing;
    std::size_t taken = 0;
    std::atomic<bool> failed = false;
    const auto work = [&] {
      try {
        for (;;) {
          CellBlock block;
          std::size_t number = 0;
          {
            const std::lock_guard lock(reading);
            if (failed) return;
            block.length = table_.blocks.next(block.text).size();
            if (block.length == 0) return;
            number = taken++;
          }
          block.columns = fresh;
          parse_block(reading_, block);
          const std::lock_guard lock(storing);
          budget_.take(block.bytes(), 1, "the text");
          if (blocks_.size() <= number) blocks_.resize(number + 1);
          blocks_[number] = std::move(block);
        }
      } catch (...) {
        failed = true;
        throw;
      }
    };
    Threads helpers;
    helpers.start_many(table_.blocks.useful_threads() - 1, work);
    work();
    helpers.join();
    if (std::any_of(blocks_.begin(), blocks_.end(), [](const CellBlock& block) { return block.faulty; })) {
      refuse_records();
    }
    for (const CellBlock& block : blocks_) rows_ += block.rows;
    if (rows_ == 0) {
      throw Error(Fault::input,
                  cat(path_, ": the file has a header of ", table_.columns.size(), " columns and no rows"));
    }
  }

  /// Columns that are no plain numbers somewhere are texts everywhere.
  void find_words(Team& team) {
    for (std::size_t u = 0; u < used_.size(); ++u) {
      column(u).words = std::any_of(blocks_.begin(), blocks_.end(), [u](const CellBlock& block) {
        return block.columns[u].words && block.columns[u].present > 0;
      });
    }
    team.run(blocks_.size(), [&](std::size_t b) {
      std::vector<std::size_t> columns;
      for (std::size_t u = 0; u < used_.size(); ++u) {
        const BlockColumn& seen = blocks_[b].columns[u];
        if (column(u).words && !seen.words && seen.present > 0) columns.push_back(u);
      }
      if (!columns.empty()) parse_words(reading_, columns, blocks_[b]);
    });
  }

  /// The different cells of a column in the order of the file.
  void gather(std::size_t used) {
    TableColumn& all = column(used);
    for (CellBlock& block : blocks_) {
      BlockColumn& seen = block.columns[used];
      all.present += seen.present;
      all.missing += seen.missing;
      if (all.example.empty() && !all.words) all.example = std::move(seen.example);
      if (!all.words || seen.cells.size() == 0) continue;
      for (std::size_t i = 0; i < seen.cells.size(); ++i) {
        seen.numbers.push_back(all.cells.number(seen.cells.text(i), seen.cells.count(i)));
      }
    }
  }

  void count_levels() {
    constexpr std::size_t kBytesForText = 64;  // a string, its number and its value
    for (const std::size_t c : used_) {
      const Levels& cells = table_.columns[c].cells;
      budget_.take(cells.bytes() + cells.size() * kBytesForText, 2, "the different words");
    }
  }

  /// Calls use(record, block of lines before it) for every record; returns the fault that ended the walk.
  template <class Use>
  CsvFault walk(const Use& use) const {
    std::size_t lines = 0;
    std::vector<std::string_view> cells;
    for (const CellBlock& block : blocks_) {
      const std::unique_ptr<Records> records = table_.records(block.view());
      while (records->next(cells)) use(cells, lines + records->line());
      if (records->fault().kind != CsvFault::Kind::none) {
        CsvFault fault = records->fault();
        fault.line = lines + records->line();
        return fault;
      }
      lines += records->line();
    }
    return {};
  }

  void add_trouble(const CsvFault& fault, Troubles& troubles) const {
    troubles.add(fault_text(fault, table_.layout.header_lines + fault.line + 1, table_.layout, path_));
  }

  /// Names the records that have too few or too many cells, and what else ended the work.
  void refuse_records() const {
    Troubles troubles;
    const CsvFault last = walk([&](const std::vector<std::string_view>& cells, std::size_t line) {
      if (cells.size() == table_.columns.size()) return;
      const bool returns = std::any_of(cells.begin(), cells.end(), [](std::string_view cell) {
        return without_blanks(cell).find('\r') != std::string_view::npos;
      });
      add_trouble({.kind = returns ? CsvFault::Kind::carriage_return : CsvFault::Kind::ragged,
                   .line = line,
                   .found = cells.size()},
                  troubles);
    });
    if (last.kind != CsvFault::Kind::none) add_trouble(last, troubles);
    troubles.refuse(path_);
  }

  /// How often a number follows a word in a category, or a word a number.
  std::size_t changes_in(std::size_t used) {
    const TableColumn& category = column(used);
    if (category.kind() != ColumnKind::category || category.asked || category.known) return 0;
    const std::vector<char> is_number = number_cells(category);
    if (std::find(is_number.begin(), is_number.end(), 1) == is_number.end()) return 0;
    std::size_t changes = 0;
    std::optional<char> last;
    for (const CellBlock& block : blocks_) {
      for (std::size_t i = used; i < block.values.size(); i += used_.size()) {
        if (std::isnan(block.values[i])) continue;
        const char now = is_number[block.columns[used].numbers[static_cast<std::size_t>(block.values[i])]];
        if (last && *last != now) ++changes;
        last = now;
      }
    }
    return changes;
  }

  /// Names the cells that cannot be read; of a column that is mostly numbers or dates the first other one.
  void refuse_values() {
    std::vector<char> wanted(used_.size());
    std::vector<CsvFault::Kind> mostly(used_.size());  // what most cells are and the first that is named is not
    bool any = false;
    for (std::size_t u = 0; u < used_.size(); ++u) {
      mostly[u] = settle_use(column(u), changes_in(u), notes_);
      wanted[u] = column(u).faulty || mostly[u] != CsvFault::Kind::none ? 1 : 0;
      any = any || wanted[u] != 0;
    }
    if (!any) return;
    Troubles troubles;
    walk([&](const std::vector<std::string_view>& cells, std::size_t line) {
      for (std::size_t u = 0; u < used_.size(); ++u) {
        if (wanted[u] == 0) continue;
        const TableColumn& column = table_.columns[used_[u]];
        const std::string_view cell = without_quotes(column, without_blanks(cells[used_[u]]));
        CsvFault fault{.kind = fault_of_cell(column, cell), .line = line, .column = used_[u]};
        const std::uint32_t form = mostly[u] == CsvFault::Kind::not_a_date ? forms::kDates : forms::kPlain;
        if (mostly[u] != CsvFault::Kind::none && !is_missing(column, cell, options_.na) && forms_of(cell, form) == 0) {
          fault.kind = std::exchange(mostly[u], CsvFault::Kind::none);
        }
        if (fault.kind == CsvFault::Kind::none) continue;
        fault.value = std::string(cell.substr(0, 100));
        if (fault.kind == CsvFault::Kind::not_declared) fault.expected = declared_text(column);
        add_trouble(fault, troubles);
      }
    });
    troubles.refuse(path_);
  }

  CsvFault::Kind fault_of_cell(const TableColumn& column, std::string_view cell) const {
    if (!is_missing(column, cell, options_.na)) return fault_of(column, cell);
    if (column.place == ColumnPlan::kSplitKey) return CsvFault::Kind::empty_key;
    if (!column.complete) return CsvFault::Kind::none;
    return column.is_feature() ? CsvFault::Kind::missing : CsvFault::Kind::empty_label;
  }

  static std::string declared_text(const TableColumn& column) {
    constexpr std::size_t kShown = 5;
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(kShown, column.first.size()); ++i) {
      shown.push_back(excerpt(column.first.text(i), 20));
    }
    return cat("one of its ", column.first.size(), " values (", join(shown),
               column.first.size() > kShown ? ", ..." : "", ")");
  }

  /// What the value of a used column means, in one block.
  double meaning(const CellBlock& block, std::size_t used, float value) const {
    const TableColumn& column = table_.columns[used_[used]];
    if (!column.words || std::isnan(value)) return static_cast<double>(value);
    return column.values[block.columns[used].numbers[static_cast<std::size_t>(value)]];
  }

  /// (used columns, cells of the block) values; empty for plain numbers.
  std::vector<std::vector<float>> meanings_of(const CellBlock& block) {
    std::vector<std::vector<float>> meanings(used_.size());
    for (std::size_t u = 0; u < used_.size(); ++u) {
      if (!column(u).words) continue;
      for (const std::uint32_t number : block.columns[u].numbers) {
        meanings[u].push_back(static_cast<float>(column(u).values[number]));
      }
    }
    return meanings;
  }

  std::optional<std::size_t> used_as(std::int32_t place) const {
    for (std::size_t u = 0; u < used_.size(); ++u) {
      if (table_.columns[used_[u]].place == place) return u;
    }
    return std::nullopt;
  }

  /// The rows of a block that have a target, or all of them.
  std::vector<std::uint32_t> kept_rows(const CellBlock& block) const {
    const auto label = used_as(ColumnPlan::kLabel);
    std::vector<std::uint32_t> rows;
    rows.reserve(block.rows);
    for (std::uint32_t r = 0; r < block.rows; ++r) {
      if (!label || !std::isnan(meaning(block, *label, block.values[r * used_.size() + *label]))) rows.push_back(r);
    }
    return rows;
  }

  /// The texts that rows have, in their order, and the number of one of them for each row.
  LabelColumn texts_of_rows(std::size_t used, const std::vector<std::vector<std::uint32_t>>& kept) const {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    const TableColumn& column = table_.columns[used_[used]];
    std::vector<std::uint32_t> codes(column.texts.size(), kNone);
    LabelColumn out;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (const std::uint32_t r : kept[b]) {
        const auto text =
            static_cast<std::size_t>(meaning(blocks_[b], used, blocks_[b].values[r * used_.size() + used]));
        if (codes[text] == kNone) {
          codes[text] = static_cast<std::uint32_t>(out.texts.size());
          out.texts.push_back(column.texts[text]);
        }
        out.codes.push_back(codes[text]);
      }
    }
    return out;
  }

  DenseMatrix<float> matrix(const std::vector<std::vector<std::uint32_t>>& kept, Team& team) {
    const std::size_t width = table_.plan.names.size();
    std::vector<std::size_t> begin{0};
    for (const auto& rows : kept) begin.push_back(begin.back() + rows.size());
    budget_.take(begin.back() * width, sizeof(float), "the table");
    auto values = std::make_shared_for_overwrite<float[]>(begin.back() * width);
    team.run(blocks_.size(), [&](std::size_t b) {
      CellBlock& block = blocks_[b];
      const std::vector<std::vector<float>> meanings = meanings_of(block);
      float* out = values.get() + begin[b] * width;
      for (const std::uint32_t r : kept[b]) {
        const float* const row = block.values.data() + r * used_.size();
        for (std::size_t u = 0; u < used_.size(); ++u) {
          const std::int32_t place = column(u).place;
          if (place < 0) continue;
          const bool is_number = meanings[u].empty() || std::isnan(row[u]);
          out[place] = is_number ? row[u] : meanings[u][static_cast<std::size_t>(row[u])];
        }
        out += width;
      }
      block = {};
    });
    return {std::move(values), begin.back(), width};
  }

  Table finished(Team& team) {
    Table table;
    std::vector<std::vector<std::uint32_t>> kept(blocks_.size());
    team.run(blocks_.size(), [&](std::size_t b) { kept[b] = kept_rows(blocks_[b]); });
    std::size_t skipped = rows_;
    for (const auto& rows : kept) skipped -= rows.size();
    if (skipped == rows_) {
      throw Error(Fault::input, cat(path_, ": the target '", table_.plan.target_name,
                                    "' is missing in every row; is it the right column?"));
    }
    if (const auto label = used_as(ColumnPlan::kLabel)) table.labels = texts_of_rows(*label, kept);
    if (const auto key = used_as(ColumnPlan::kSplitKey)) table.split_keys = texts_of_rows(*key, kept);
    table.storage = matrix(kept, team);
    table.format = table_.format;
    table.names = table_.plan.names;
    table.names_from_file = table_.layout.header;
    table.columns_chosen = true;
    table.target_name = table_.plan.target_name;
    add_layout(table);
    add_notes(skipped);
    table.notes = std::move(notes_);
    return table;
  }

  void add_layout(Table& table) {
    table.layout.kinds.assign(table.names.size(), ColumnKind::number);
    table.layout.levels.resize(table.names.size());
    for (TableColumn& column : table_.columns) {
      table.columns.push_back(summary(column));
      if (!column.left_out.empty()) table.left_out.push_back(column.name);
      if (!column.is_feature()) continue;
      const auto place = static_cast<std::size_t>(column.place);
      table.layout.kinds[place] = column.kind();
      if (column.kind() != ColumnKind::number) table.layout.levels[place] = std::move(column.texts);
    }
  }

  void add_notes(std::size_t skipped) {
    if (skipped > 0) {
      notes_.push_back(cat(with_commas(skipped), skipped == 1 ? " row is" : " rows are", " left out: the target '",
                           table_.plan.target_name, "' is missing there"));
    }
    std::size_t latin1 = 0;
    for (const TableColumn& column : table_.columns) latin1 += column.latin1;
    if (latin1 > 0) notes_.push_back(cat("the text is no UTF-8 and is read as Latin-1: ", count_text(latin1, "cell")));
  }

  FileColumn summary(const TableColumn& column) const {
    FileColumn out{.name = column.name, .kind = {}, .example = column.example, .use = "feature"};
    if (column.place == ColumnPlan::kSkip) {
      out.use = table_.request.wanted != nullptr ? "not used" : "left out: --drop";
      return out;
    }
    out.missing = column.missing;
    if (column.is_feature() && column.is_coded()) out.different = column.texts.size();
    out.kind = names(column.kind())[static_cast<std::size_t>(column.kind())];
    if (column.place == ColumnPlan::kLabel) out.use = "target";
    if (column.place == ColumnPlan::kSplitKey) out.use = options_.time.empty() ? "row groups" : "time";
    if (!column.left_out.empty()) {
      out.use = "left out: " + column.left_out;
      if (column.left_out == "text" || column.left_out == "identity") out.kind = column.left_out;
    }
    return out;
  }

  CellTable table_;
  BlockReading reading_;
  const ReadOptions& options_;
  std::string path_;
  ReadBudget& budget_;
  std::vector<std::string> notes_;
  std::vector<std::size_t> used_;  ///< columns of the file that are features, target or key
  std::vector<CellBlock> blocks_;
  std::size_t rows_ = 0;
};

}  // namespace

Table read_cells(CellTable table, const ByteStream& bytes) { return TableReader(std::move(table), bytes).read(); }

}  // namespace obverse
