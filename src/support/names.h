// The names of a list of records.
#pragma once

#include <iterator>
#include <string_view>
#include <vector>

namespace obverse {

/// One for each record, in their order; the records outlive them.
template <class Records>
std::vector<std::string_view> names_of(const Records& records) {
  std::vector<std::string_view> names;
  names.reserve(std::size(records));
  for (const auto& record : records) names.push_back(record.name);
  return names;
}

}  // namespace obverse
