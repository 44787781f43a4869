// What this processor is, and which arithmetic serves it best. Everything follows from CPUID, from what the kernel lets
// a process use and from OBVERSE_CPU, never from a timing: the same machine always gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "backend/instruction_set.h"

namespace obverse::cpu {

enum class Vendor { intel, amd, other };

/// Registers behind the instruction CPUID.
struct Cpuid {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

/// The questions that are put to a machine; tests put in other answers.
struct MachineProbe {
  Cpuid (*cpuid)(std::uint32_t leaf, std::uint32_t subleaf);
  std::uint64_t (*enabled_registers)();  ///< XCR0: the register files that the kernel saves
  bool (*request_tiles)();               ///< asks the kernel for the tile registers; whether it grants them
};

/// What a processor is and what can be used of it.
struct Processor {
  Vendor vendor = Vendor::other;
  unsigned family = 0;
  InstructionSet best = InstructionSet::plain;
  bool byte_products = false;  ///< AVX-512 VNNI: VPDPBUSD
  bool half_products = false;  ///< AVX-512 BF16: VDPBF16PS
  bool tiles_claimed = false;  ///< CPUID leaf 7 claims AMX
  bool tiles = false;          ///< AMX with its palette, and with the kernel's permission
};

/// A machine that claims AMX is asked for its palette and the kernel for its permission; without either there are no
/// tiles, whatever leaf 7 says.
Processor identify(const MachineProbe& probe);

/// What is used of a processor.
struct Arithmetic {
  InstructionSet set = InstructionSet::plain;
  bool byte_products = false;
  bool half_products = false;
  bool tiles = false;
  bool prefers_bf16 = false;  ///< training is at least 1.3 times as fast in bf16 as in f32
  bool half_bounds = false;   ///< bounds of distances are faster by VDPBF16PS than in float
  /// A forest reads nodes of at most this many rows row by row, larger ones column by column. The trees do not change.
  std::size_t rows_of_small_node = 512;
};

/// `forced`: plain, avx2 or avx512, as OBVERSE_CPU has it, or nothing for the best. Throws Error(Fault::usage) for
/// another word and for a set that the processor lacks.
Arithmetic arithmetic_for(const Processor& processor, std::string_view forced);

/// Of this machine, with OBVERSE_CPU as it was at the first call.
const Arithmetic& arithmetic();

}  // namespace obverse::cpu
