#include "backend/device.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "backend/cpu/processor.h"
#include "backend/ops.h"

namespace obverse {
namespace {

/// More than any machine has.
constexpr int kMissing = 65535;

template <class Body>
std::string refused(Fault fault, Body body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "expected an Error";
  return {};
}

TEST(DeviceNumber, IsThatOfTheWord) {
  EXPECT_EQ(device_number("cpu"), -1);
  EXPECT_EQ(device_number("cuda"), 0);
  EXPECT_EQ(device_number("cuda:0"), 0);
  EXPECT_EQ(device_number("cuda:17"), 17);
}

TEST(DeviceNumber, OfAnyOtherWordIsRefusedWithThoseThatAreKnown) {
  EXPECT_EQ(refused(Fault::usage, [] { device_number("gpu"); }),
            "device: expected cpu, cuda, cuda:N or auto; found 'gpu'");
  for (const char* word : {"", "CPU", "cpu:0", "cuda:", "cuda:N", "cuda:-1", "cuda:+1", "cuda: 1", "cuda:1x", "cuda0",
                           "cuda:65536", "cuda:99999999999"}) {
    EXPECT_NE(refused(Fault::usage, [&] { device_number(word); }).find("cpu, cuda, cuda:N"), std::string::npos) << word;
  }
}

TEST(UsableDevice, IsTheProcessorAlwaysAndOnlyAGpuThatIsThere) {
  EXPECT_EQ(usable_device("cpu"), -1);
  const std::string message = refused(Fault::device, [] { require_cuda(kMissing); });
  EXPECT_NE(message.find("CUDA"), std::string::npos) << message;
  EXPECT_EQ(refused(Fault::device, [] { usable_device(cat("cuda:", kMissing)); }), message);
  refused(Fault::usage, [] { usable_device("gpu"); });
}

TEST(AutomaticDevice, IsAGpuThatCanBeUsedOrTheProcessorAndSaysWhich) {
  std::string word = "auto";
  std::vector<std::string> notes;
  settle_device(word, notes);
  EXPECT_EQ(device_number(word), device_number("auto"));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes.front().find(word == "cpu" ? "the processor does all the work" : "there is a GPU"), std::string::npos)
      << notes.front();
  EXPECT_NO_THROW(usable_device("auto"));

  word = "cuda:3";
  settle_device(word, notes);
  EXPECT_EQ(word, "cuda:3");
  EXPECT_EQ(notes.size(), 1U);
}

TEST(AutomaticPrecision, IsBf16OnAGpuAndOnTheProcessorWhatServesItBest) {
  EXPECT_EQ(precision_on(0, Precision::automatic), Precision::bf16);
  EXPECT_EQ(precision_on(-1, Precision::automatic) == Precision::bf16, cpu::arithmetic().prefers_bf16);
  for (const Precision asked : {Precision::f32, Precision::tf32, Precision::bf16}) {
    EXPECT_EQ(precision_on(0, asked), asked);
    EXPECT_EQ(precision_on(-1, asked), asked);
  }
}

}  // namespace
}  // namespace obverse
