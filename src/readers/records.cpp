#include "readers/records.h"

#include "readers/decimal.h"

namespace obverse {

void CellCopies::clear() {
  texts_.clear();
  ends_.clear();
}

void CellCopies::add(std::string_view cell) {
  texts_ += cell;
  ends_.push_back(texts_.size());
  texts_ += '\0';
}

void CellCopies::show(std::vector<std::string_view>& cells) {
  texts_.append(kTextPadding, '\0');
  cells.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    cells.emplace_back(texts_.data() + begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace obverse
