// Tables of inner loops: which of their copies this processor runs. A source of such loops is compiled once for each
// instruction set, with OBVERSE_INSTRUCTION_SET naming it (src/CMakeLists.txt), and defines the copy of its table for
// that set (instruction_set.h). Nothing that it calls may come from a header that other sources share.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "backend/instruction_set.h"

namespace obverse {

std::string_view name_of(InstructionSet set);

/// The best one that this processor has, or the one that OBVERSE_CPU names.
InstructionSet instruction_set();

/// That of the set in use and those before it, the plain one first.
template <class Table>
std::span<const Table* const> available_tables() {
  static const std::array compiled {
    &Table::compiled(Instructions<InstructionSet::plain>()),
#if defined(__x86_64__)
        &Table::compiled(Instructions<InstructionSet::avx2>()), &Table::compiled(Instructions<InstructionSet::avx512>())
#endif
  };
  return std::span(compiled).first(static_cast<std::size_t>(instruction_set()) + 1);
}

/// That of the set in use.
template <class Table>
const Table& table_in_use() {
  return *available_tables<Table>().back();
}

}  // namespace obverse
