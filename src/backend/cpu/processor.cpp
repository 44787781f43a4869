#include "backend/cpu/processor.h"

#include <array>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <obverse/error.h>

#include "backend/loop_tables.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::array<std::string_view, 3> kSetNames{"plain", "avx2", "avx512"};

}  // namespace

std::string_view name_of(InstructionSet set) { return kSetNames[static_cast<std::size_t>(set)]; }

}  // namespace obverse

namespace obverse::cpu {
namespace {

bool has(std::uint32_t flags, unsigned bit) { return (flags >> bit & 1U) != 0; }
bool has_all(std::uint64_t flags, std::uint64_t wanted) { return (flags & wanted) == wanted; }

// Bits of XCR0.
constexpr std::uint64_t kAvxRegisters = 0x6;                      // SSE, AVX
constexpr std::uint64_t kAvx512Registers = kAvxRegisters | 0xE0;  // masks, upper halves, upper sixteen
constexpr std::uint64_t kTileRegisters = 0x60000;                 // configuration, data

Vendor vendor_of(const Cpuid& leaf0) {
  std::array<char, 12> text{};
  std::memcpy(text.data(), &leaf0.ebx, 4);
  std::memcpy(text.data() + 4, &leaf0.edx, 4);
  std::memcpy(text.data() + 8, &leaf0.ecx, 4);
  const std::string_view name(text.data(), text.size());
  if (name == "GenuineIntel") return Vendor::intel;
  if (name == "AuthenticAMD") return Vendor::amd;
  return Vendor::other;
}

// Palette 1 as the instructions of bf16 need it: eight tiles of sixteen rows of 64 bytes, and a multiplier for them.
// Some virtual machines hand on the flags of leaf 7 without these leaves, and the first instruction on tiles is then
// an illegal one.
bool has_palette(const MachineProbe& probe, std::uint32_t highest_leaf) {
  if (highest_leaf < 0x1E) return false;
  if (probe.cpuid(0x1D, 0).eax < 1) return false;
  const Cpuid palette = probe.cpuid(0x1D, 1);
  const std::uint32_t tile_bytes = palette.eax >> 16;
  const std::uint32_t row_bytes = palette.ebx & 0xFFFF;
  const std::uint32_t tile_count = palette.ebx >> 16;
  const std::uint32_t rows = palette.ecx & 0xFFFF;
  const std::uint32_t multiplier_depth = probe.cpuid(0x1E, 0).ebx & 0xFF;
  return tile_bytes >= 1024 && row_bytes >= 64 && tile_count >= 8 && rows >= 16 && multiplier_depth >= 16;
}

// Where the time of training goes, and what is measured of it: float32 and bf16 products of oneDNN on two cores,
// GFLOP/s at the shapes of a training step (`make bench-train_step`, its "limit").
//   processor                                f32   bf16
//   AMD Zen 4 (family 25, AVX-512 BF16)      225    439
//   Intel with AMX tiles                     200    704
//   Intel with AVX-512 BF16, without tiles   201    118
struct Preference {
  Vendor vendor;
  unsigned first_family;
  bool needs_tiles;
  bool bf16;         // for training
  bool half_bounds;  // for bounds of distances
};
constexpr std::array kPreferences{
    Preference{.vendor = Vendor::amd, .first_family = 25, .needs_tiles = false, .bf16 = true, .half_bounds = true},
    Preference{.vendor = Vendor::intel, .first_family = 6, .needs_tiles = true, .bf16 = true, .half_bounds = false},
};

#if defined(__x86_64__)
Cpuid machine_cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  Cpuid out;
  __cpuid_count(leaf, subleaf, out.eax, out.ebx, out.ecx, out.edx);
  return out;
}

std::uint64_t machine_registers() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

bool machine_tiles() {
  constexpr long kGetPermission = 0x1022;      // ARCH_GET_XCOMP_PERM
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  unsigned long granted = 0;
  if (syscall(SYS_arch_prctl, kRequestPermission, kTileData) != 0) return false;
  return syscall(SYS_arch_prctl, kGetPermission, &granted) == 0 && (granted >> kTileData & 1U) != 0;
}

constexpr MachineProbe kThisMachine{machine_cpuid, machine_registers, machine_tiles};
#endif

Processor this_processor() {
#if defined(__x86_64__)
  return identify(kThisMachine);
#else
  return {};
#endif
}

}  // namespace

Processor identify(const MachineProbe& probe) {
  Processor out;
  const Cpuid leaf0 = probe.cpuid(0, 0);
  out.vendor = vendor_of(leaf0);
  const Cpuid leaf1 = probe.cpuid(1, 0);
  out.family = leaf1.eax >> 8 & 0xF;
  if (out.family == 0xF) out.family += leaf1.eax >> 20 & 0xFF;
  const bool kernel_saves = has(leaf1.ecx, 27);  // OSXSAVE: XCR0 can be read
  if (leaf0.eax < 7 || !kernel_saves) return out;
  const std::uint64_t registers = probe.enabled_registers();
  const Cpuid leaf7 = probe.cpuid(7, 0);

  // x86-64-v3, for which the loops are compiled: AVX, AVX2, FMA, F16C, MOVBE, BMI1, BMI2 and LZCNT.
  const bool lzcnt = probe.cpuid(0x80000000, 0).eax >= 0x80000001 && has(probe.cpuid(0x80000001, 0).ecx, 5);
  const bool avx2 = has_all(registers, kAvxRegisters) && has(leaf1.ecx, 28) && has(leaf1.ecx, 12) &&
                    has(leaf1.ecx, 29) && has(leaf1.ecx, 22) && has(leaf7.ebx, 5) && has(leaf7.ebx, 3) &&
                    has(leaf7.ebx, 8) && lzcnt;
  if (!avx2) return out;
  out.best = InstructionSet::avx2;

  // x86-64-v4: F, DQ, CD, BW and VL.
  constexpr std::uint32_t kV4 = 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31;
  if (!has_all(registers, kAvx512Registers) || !has_all(leaf7.ebx, kV4)) return out;
  out.best = InstructionSet::avx512;
  out.byte_products = has(leaf7.ecx, 11);
  out.half_products = leaf7.eax >= 1 && has(probe.cpuid(7, 1).eax, 5);

  out.tiles_claimed = has(leaf7.edx, 22) && has(leaf7.edx, 24);  // AMX-BF16, AMX-TILE
  out.tiles = out.tiles_claimed && out.half_products && has_palette(probe, leaf0.eax) &&
              has_all(registers, kTileRegisters) && probe.request_tiles();
  return out;
}

Arithmetic arithmetic_for(const Processor& processor, std::string_view forced) {
  Arithmetic out;
  out.set = processor.best;
  if (!forced.empty()) {
    std::size_t asked = 0;
    while (asked < kSetNames.size() && kSetNames[asked] != forced) ++asked;
    if (asked == kSetNames.size()) {
      throw Error(Fault::usage,
                  cat("OBVERSE_CPU: expected plain, avx2 or avx512; found '", printable(excerpt(forced, 40)), "'"));
    }
    out.set = static_cast<InstructionSet>(asked);
    if (out.set > processor.best) {
      throw Error(Fault::usage, cat("OBVERSE_CPU: this processor has no ", forced, "; the best it has is ",
                                    name_of(processor.best), ", which is used when OBVERSE_CPU is not set"));
    }
  }
  // 100 trees on MNIST, 60,000 x 78 bytes. Zen 4 reads a column from its second level: a random forest takes 1.59 s
  // with 8,192 and 1.49 s with 512. On a Xeon it comes from the third level, which is slow there: extra-trees take 1.40
  // to 1.49 s by columns alone, 1.20 to 1.36 s with 8,192.
  if (processor.vendor == Vendor::intel) out.rows_of_small_node = 8192;
  if (out.set < InstructionSet::avx512) return out;
  out.byte_products = processor.byte_products;
  out.half_products = processor.half_products;
  out.tiles = processor.tiles && forced.empty();
  if (!out.half_products) return out;
  for (const Preference& row : kPreferences) {
    if (row.vendor != processor.vendor || processor.family < row.first_family) continue;
    out.prefers_bf16 = row.bf16 && (out.tiles || !row.needs_tiles);
    out.half_bounds = row.half_bounds;
  }
  return out;
}

const Arithmetic& arithmetic() {
  static const Arithmetic chosen = [] {
    const char* const forced = std::getenv("OBVERSE_CPU");
    return arithmetic_for(this_processor(), forced == nullptr ? "" : forced);
  }();
  return chosen;
}

}  // namespace obverse::cpu
