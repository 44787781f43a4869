// Labels as readers collect them, and the shape of a storage.
#include "readers/table.h"

#include <array>
#include <charconv>
#include <cmath>
#include <variant>

namespace obverse {

std::uint32_t LabelCollector::code(std::string_view text) {
  if (const auto it = known_.find(text); it != known_.end()) return it->second;
  constexpr std::size_t kOverhead = 256;  // two strings, nodes of maps here and where classes are sorted
  if (budget_ != nullptr) budget_->take(1, kOverhead + 2 * text.size(), "the distinct labels");
  const auto code = static_cast<std::uint32_t>(column_.texts.size());
  column_.texts.emplace_back(text);
  known_.emplace(text, code);
  return code;
}

void LabelCollector::add(std::span<const double> numbers) {
  std::unordered_map<double, std::uint32_t> codes;
  if (budget_ != nullptr) budget_->take(numbers.size(), sizeof(std::uint32_t), "the labels");
  column_.codes.reserve(column_.codes.size() + numbers.size());
  for (const double number : numbers) {
    const auto it = codes.find(number);
    column_.codes.push_back(it != codes.end() ? it->second : codes[number] = code(number_text(number)));
  }
}

void LabelCollector::append(const LabelColumn& column) {
  std::vector<std::uint32_t> codes;
  codes.reserve(column.texts.size());
  for (const std::string& text : column.texts) codes.push_back(code(text));
  if (budget_ != nullptr) budget_->take(column.codes.size(), sizeof(std::uint32_t), "the labels");
  for (const std::uint32_t old : column.codes) column_.codes.push_back(codes[old]);
}

std::string number_text(double number) {
  if (number == 0) return "0";
  std::array<char, 32> text{};
  constexpr double kWhole = 1e15;
  const bool whole = std::abs(number) < kWhole && number == std::trunc(number);
  char* const last = text.data() + text.size();
  const auto result = whole ? std::to_chars(text.data(), last, static_cast<long long>(number))
                            : std::to_chars(text.data(), last, number);
  return {text.data(), result.ptr};
}

const std::string& split_key(const ReadOptions& options) {
  return options.row_groups.empty() ? options.time : options.row_groups;
}

std::size_t row_count(const Storage& storage) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&storage)) return sparse->rows();
  if (const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&storage)) return bytes->rows;
  return std::get<DenseMatrix<float>>(storage).rows;
}

std::size_t column_count(const Storage& storage) {
  return std::visit([](const auto& matrix) { return matrix.cols; }, storage);
}

}  // namespace obverse
