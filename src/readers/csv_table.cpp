// The records of CSV text: a line each where nothing is quoted, else with every rule.
#include "readers/csv_table.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "readers/blocks.h"
#include "readers/cell_table.h"
#include "readers/csv_fields.h"

namespace obverse {
namespace {

/// Where nothing is quoted, a record is a line.
class Lines final : public Records {
 public:
  Lines(std::string_view text, char separator) : text_(text), separator_(separator) {}

  bool next(std::vector<std::string_view>& cells) override {
    cells.clear();
    for (; at_ < text_.size(); ++next_line_) {
      const char* const end = cut(text_.data() + at_, cells);
      const bool blank = cells.size() == 1 && cells[0].find_first_not_of(" \r") == std::string_view::npos;
      at_ = static_cast<std::size_t>(end - text_.data()) + 1;
      if (blank) {
        cells.clear();
        continue;
      }
      line_ = next_line_++;
      return true;
    }
    line_ = next_line_;
    return false;
  }
  std::size_t line() const override { return line_; }

 private:
  /// Up to the newline, or the end of the text, which is returned.
  const char* cut(const char* p, std::vector<std::string_view>& cells) const {
    const char* const end = text_.data() + text_.size();
    for (const char* begin = p;; begin = p + 1) {
      p = cell_end(begin, end);
      cells.emplace_back(begin, static_cast<std::size_t>(p - begin));
      if (p == end || *p == '\n') return p;
    }
  }

  /// Eight characters at a time; there is padding behind the text.
  const char* cell_end(const char* p, const char* end) const {
    if constexpr (std::endian::native == std::endian::little) {
      for (; p < end; p += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, sizeof word);
        const std::uint64_t found = zero_bytes(word ^ separators_) | zero_bytes(word ^ kNewlines);
        if (found != 0) return std::min(end, p + std::countr_zero(found) / 8);
      }
      return end;
    }
    return std::find_if(p, end, [this](char c) { return c == separator_ || c == '\n'; });
  }

  /// The highest bit of the first byte that is zero; above it others may be set.
  static std::uint64_t zero_bytes(std::uint64_t word) { return (word - kOnes) & ~word & (kOnes << 7); }

  static constexpr std::uint64_t kOnes = 0x0101010101010101U;
  static constexpr std::uint64_t kNewlines = kOnes * '\n';
  std::string_view text_;
  char separator_;
  std::uint64_t separators_ = kOnes * static_cast<unsigned char>(separator_);
  std::size_t at_ = 0;
  std::size_t next_line_ = 0;
  std::size_t line_ = 0;
};

class QuotedRecords final : public Records {
 public:
  QuotedRecords(std::string_view text, char separator) : reader_(text, separator) {}

  bool next(std::vector<std::string_view>& cells) override {
    copies_.clear();
    const bool more = reader_.next_record();
    line_ = reader_.lines();
    if (!more) return false;
    for (std::size_t c = 0; !reader_.record_ended(); ++c) {
      const std::string_view field = reader_.next_field();
      if (reader_.fault() != FieldReader::Fault::none) {
        const bool open = reader_.fault() == FieldReader::Fault::open_quote;
        fault_ = {open ? CsvFault::Kind::open_quote : CsvFault::Kind::after_quote, 0, c,
                  std::string(field.substr(0, 100)), 0};
        return false;
      }
      copies_.add(field);
    }
    copies_.show(cells);
    return true;
  }
  std::size_t line() const override { return line_; }

 private:
  FieldReader reader_;
  CellCopies copies_;
  std::size_t line_ = 0;
};

}  // namespace

Table read_csv_table(ByteStream& bytes, const Request& request, const CsvLayout& layout, const ColumnPlan& plan) {
  const char separator = layout.separator;
  bytes.skip(layout.header_bytes);
  BlockSource blocks(
      bytes, [=](std::string_view text) { return last_record_end(text, separator); }, layout.header_lines);
  const auto records = [=](std::string_view text) -> std::unique_ptr<Records> {
    if (separator == ' ' || text.find('"') != std::string_view::npos) {
      return std::make_unique<QuotedRecords>(text, separator);
    }
    return std::make_unique<Lines>(text, separator);
  };
  return read_cells({.request = request,
                     .layout = layout,
                     .plan = plan,
                     .format = layout.format(),
                     .columns = columns_of(request, layout, plan, bytes.path()),
                     .blocks = blocks,
                     .records = records},
                    bytes);
}

}  // namespace obverse
