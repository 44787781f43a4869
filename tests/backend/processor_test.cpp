// Processors by what CPUID and the kernel say of them: real ones, and ones that claim what they do not have.
#include "backend/cpu/processor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include <obverse/error.h>

namespace obverse::cpu {
namespace {

/// What a made-up machine answers; a probe has no room for more than functions.
struct Answers {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Cpuid> leaves;
  std::uint64_t registers = 0x7;
  bool tiles_granted = false;
  bool tiles_requested = false;
};
Answers answers;

constexpr MachineProbe kProbe{.cpuid =
                                  [](std::uint32_t leaf, std::uint32_t subleaf) {
                                    const auto found = answers.leaves.find({leaf, subleaf});
                                    return found == answers.leaves.end() ? Cpuid{} : found->second;
                                  },
                              .enabled_registers = [] { return answers.registers; },
                              .request_tiles =
                                  [] {
                                    answers.tiles_requested = true;
                                    return answers.tiles_granted;
                                  }};

constexpr std::uint32_t bit(unsigned number) { return 1U << number; }
constexpr std::uint32_t kV3Leaf1 = bit(12) | bit(22) | bit(27) | bit(28) | bit(29);  // FMA MOVBE OSXSAVE AVX F16C
constexpr std::uint32_t kV3Leaf7 = bit(3) | bit(5) | bit(8);                         // BMI1 AVX2 BMI2
constexpr std::uint32_t kV4Leaf7 = kV3Leaf7 | bit(16) | bit(17) | bit(28) | bit(30) | bit(31);
constexpr std::uint64_t kAvx = 0x7;
constexpr std::uint64_t kAvx512 = 0xE7;
constexpr std::uint64_t kAllRegisters = 0x602E7;

void answer_as(const char* vendor, std::uint32_t highest_leaf, std::uint32_t signature) {
  answers = {};
  Cpuid leaf0{.eax = highest_leaf};
  std::memcpy(&leaf0.ebx, vendor, 4);
  std::memcpy(&leaf0.edx, vendor + 4, 4);
  std::memcpy(&leaf0.ecx, vendor + 8, 4);
  answers.leaves[{0, 0}] = leaf0;
  answers.leaves[{1, 0}] = {.eax = signature, .ecx = bit(27)};
  answers.leaves[{0x80000000, 0}].eax = 0x80000008;
  answers.leaves[{0x80000001, 0}].ecx = bit(5);
}

void answer_as_nehalem() {
  answer_as("GenuineIntel", 0xB, 0x106A5);
  answers.leaves[{1, 0}].ecx = 0;
}

void answer_as_haswell() {
  answer_as("GenuineIntel", 0xD, 0x306C3);
  answers.leaves[{1, 0}].ecx = kV3Leaf1;
  answers.leaves[{7, 0}].ebx = kV3Leaf7;
  answers.registers = kAvx;
}

void answer_as_avx512(const char* vendor, std::uint32_t highest_leaf, std::uint32_t signature) {
  answer_as(vendor, highest_leaf, signature);
  answers.leaves[{1, 0}].ecx = kV3Leaf1;
  answers.leaves[{7, 0}] = {.eax = 1, .ebx = kV4Leaf7, .ecx = bit(11)};
  answers.leaves[{7, 1}].eax = bit(5);
  answers.registers = kAvx512;
}

void answer_as_zen4() { answer_as_avx512("AuthenticAMD", 0x10, 0xA10F11); }

/// A Xeon of the AMX generation with all that belongs to it.
void answer_as_sapphire_rapids() {
  answer_as_avx512("GenuineIntel", 0x20, 0x806F8);
  answers.leaves[{7, 0}].edx = bit(22) | bit(24) | bit(25);
  answers.leaves[{0x1D, 0}].eax = 1;
  answers.leaves[{0x1D, 1}] = {.eax = 1024U << 16 | 8192, .ebx = 8U << 16 | 64, .ecx = 16};
  answers.leaves[{0x1E, 0}].ebx = 64U << 8 | 16;
  answers.registers = kAllRegisters;
  answers.tiles_granted = true;
}

TEST(Processor, IsKnownByItsVendorFamilyAndSets) {
  answer_as_nehalem();
  EXPECT_EQ(identify(kProbe).best, InstructionSet::plain);

  answer_as_haswell();
  const Processor haswell = identify(kProbe);
  EXPECT_EQ(haswell.vendor, Vendor::intel);
  EXPECT_EQ(haswell.family, 6U);
  EXPECT_EQ(haswell.best, InstructionSet::avx2);

  answer_as_zen4();
  const Processor zen4 = identify(kProbe);
  EXPECT_EQ(zen4.vendor, Vendor::amd);
  EXPECT_EQ(zen4.family, 25U);
  EXPECT_EQ(zen4.best, InstructionSet::avx512);
  EXPECT_TRUE(zen4.byte_products && zen4.half_products);
  EXPECT_FALSE(zen4.tiles);

  answer_as_sapphire_rapids();
  const Processor xeon = identify(kProbe);
  EXPECT_EQ(xeon.best, InstructionSet::avx512);
  EXPECT_TRUE(xeon.tiles_claimed && xeon.tiles);
}

TEST(Processor, HasNoSetWhoseRegistersTheKernelDoesNotSave) {
  answer_as_zen4();
  answers.registers = kAvx;
  EXPECT_EQ(identify(kProbe).best, InstructionSet::avx2);
  answers.registers = 0x3;
  EXPECT_EQ(identify(kProbe).best, InstructionSet::plain);
  answer_as_zen4();
  answers.leaves[{1, 0}].ecx &= ~bit(27);
  EXPECT_EQ(identify(kProbe).best, InstructionSet::plain);
}

TEST(Processor, HasNoSetOfWhichOnePartIsMissing) {
  for (const unsigned part : {16U, 17U, 28U, 30U, 31U}) {
    answer_as_zen4();
    answers.leaves[{7, 0}].ebx &= ~bit(part);
    EXPECT_EQ(identify(kProbe).best, InstructionSet::avx2) << part;
  }
  for (const unsigned part : {12U, 22U, 28U, 29U}) {
    answer_as_haswell();
    answers.leaves[{1, 0}].ecx &= ~bit(part);
    EXPECT_EQ(identify(kProbe).best, InstructionSet::plain) << part;
  }
}

TEST(Processor, HasNoTilesWithoutTheirPalette) {
  const auto expect_none = [](const char* what) {
    const Processor processor = identify(kProbe);
    EXPECT_TRUE(processor.tiles_claimed) << what;
    EXPECT_FALSE(processor.tiles) << what;
    EXPECT_EQ(processor.best, InstructionSet::avx512) << what;
  };
  answer_as_sapphire_rapids();
  answers.leaves[{0, 0}].eax = 0x1C;  // as seen on a virtual machine
  expect_none("leaves missing");
  EXPECT_FALSE(answers.tiles_requested);
  answer_as_sapphire_rapids();
  answers.leaves[{0x1D, 0}].eax = 0;
  expect_none("no palette");
  answer_as_sapphire_rapids();
  answers.leaves[{0x1D, 1}] = {};
  expect_none("an empty palette");
  answer_as_sapphire_rapids();
  answers.leaves[{0x1E, 0}] = {};
  expect_none("no multiplier");
  answer_as_sapphire_rapids();
  answers.registers = kAvx512;
  expect_none("registers that the kernel does not save");
  answer_as_sapphire_rapids();
  answers.tiles_granted = false;
  expect_none("no permission");
}

TEST(Arithmetic, IsChosenByWhatTheProcessorIs) {
  answer_as_zen4();
  const Arithmetic zen4 = arithmetic_for(identify(kProbe), "");
  EXPECT_TRUE(zen4.prefers_bf16 && zen4.half_bounds && zen4.half_products);
  EXPECT_EQ(zen4.rows_of_small_node, 512U);

  answer_as_sapphire_rapids();
  const Arithmetic tiles = arithmetic_for(identify(kProbe), "");
  EXPECT_TRUE(tiles.tiles && tiles.prefers_bf16);
  EXPECT_FALSE(tiles.half_bounds);
  EXPECT_EQ(tiles.rows_of_small_node, 8192U);

  answers.leaves[{0, 0}].eax = 0x1C;
  const Arithmetic none = arithmetic_for(identify(kProbe), "");
  EXPECT_TRUE(none.half_products);
  EXPECT_FALSE(none.tiles || none.prefers_bf16 || none.half_bounds);

  answer_as_haswell();
  const Arithmetic haswell = arithmetic_for(identify(kProbe), "");
  EXPECT_EQ(haswell.set, InstructionSet::avx2);
  EXPECT_FALSE(haswell.half_products || haswell.prefers_bf16 || haswell.byte_products);
}

TEST(Arithmetic, OfAForcedSetHasNothingBeyondIt) {
  answer_as_sapphire_rapids();
  const Processor xeon = identify(kProbe);
  const Arithmetic plain = arithmetic_for(xeon, "plain");
  EXPECT_EQ(plain.set, InstructionSet::plain);
  EXPECT_FALSE(plain.half_products || plain.byte_products || plain.tiles || plain.prefers_bf16);
  EXPECT_EQ(arithmetic_for(xeon, "avx2").set, InstructionSet::avx2);
  const Arithmetic avx512 = arithmetic_for(xeon, "avx512");
  EXPECT_TRUE(avx512.half_products && avx512.byte_products);
  EXPECT_FALSE(avx512.tiles || avx512.prefers_bf16);
}

TEST(Arithmetic, OfAnUnknownOrMissingSetIsAFaultOfTheUser) {
  answer_as_haswell();
  const Processor haswell = identify(kProbe);
  const auto message = [&](const char* word) {
    try {
      arithmetic_for(haswell, word);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("sse9"), "OBVERSE_CPU: expected plain, avx2 or avx512; found 'sse9'");
  EXPECT_EQ(message("avx512"),
            "OBVERSE_CPU: this processor has no avx512; the best it has is avx2, which is used when OBVERSE_CPU is "
            "not set");
}

}  // namespace
}  // namespace obverse::cpu
