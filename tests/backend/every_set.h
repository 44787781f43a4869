// For tests of loops that are compiled for several instruction sets: one case for each set that can be run here.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/loop_tables.h"

namespace obverse::test {

template <class Table>
class EverySet : public testing::TestWithParam<std::size_t> {
 protected:
  const Table& table() const { return *available_tables<Table>()[GetParam()]; }
};

inline std::vector<std::size_t> set_numbers() {
  std::vector<std::size_t> all(static_cast<std::size_t>(instruction_set()) + 1);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

inline std::string set_name(const testing::TestParamInfo<std::size_t>& info) {
  return std::string(name_of(static_cast<InstructionSet>(info.param)));
}

}  // namespace obverse::test
