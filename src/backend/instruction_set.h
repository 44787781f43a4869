// The instruction sets that inner loops are compiled for. The sources of all sets share this file, so that it holds
// names alone and no code: the linker could pick the copy of a set that the processor lacks.
#pragma once

namespace obverse {

/// Each contains the one before it.
enum class InstructionSet { plain, avx2, avx512 };

template <InstructionSet set>
struct Instructions {};

/// In a table of loops: the copy that is compiled for each set. The source of the loops defines the one for
/// Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>.
#define OBVERSE_COMPILED(Table)                                      \
  static const Table& compiled(Instructions<InstructionSet::plain>); \
  static const Table& compiled(Instructions<InstructionSet::avx2>);  \
  static const Table& compiled(Instructions<InstructionSet::avx512>);

}  // namespace obverse
