#include "backend/device.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "backend/cpu/processor.h"

namespace obverse {
namespace {

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

TEST(DeviceNamed, IsTheSameEachTime) {
  EXPECT_EQ(&device_named("cpu"), &processor());
  EXPECT_EQ(&device_named("auto"), &device_named("auto"));
  EXPECT_EQ(processor().name(), "cpu");
}

TEST(DeviceNamed, RefusesAnyOtherWordWithThoseThatAreKnown) {
  EXPECT_EQ(refused(Fault::usage, [] { device_named("gpu"); }),
            "device: expected cpu, cuda, cuda:N or auto; found 'gpu'");
  for (const char* word : {"", "CPU", "cpu:0", "cuda:", "cuda:N", "cuda:-1", "cuda:+1", "cuda: 1", "cuda:1x", "cuda0",
                           "cuda:65536", "cuda:99999999999"}) {
    EXPECT_NE(refused(Fault::usage, [&] { device_named(word); }).find("cpu, cuda, cuda:N"), std::string::npos) << word;
  }
}

TEST(DeviceNamed, RefusesAGpuThatIsNotThere) {
  const std::string message = refused(Fault::device, [] { device_named("cuda:65535"); });
  EXPECT_NE(message.find("CUDA"), std::string::npos) << message;
}

TEST(DeviceWords, AreThoseOfTheListAndAuto) {
  const auto words = device_words();
  EXPECT_EQ(std::vector<std::string_view>(words.begin(), words.end()),
            (std::vector<std::string_view>{"cpu", "cuda", "cuda:N", "auto"}));
}

TEST(AutomaticDevice, IsAGpuThatCanBeUsedOrTheProcessorAndSaysWhich) {
  std::string word = "auto";
  std::vector<std::string> notes;
  settle_device(word, notes);
  EXPECT_EQ(&device_named(word), &device_named("auto"));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes.front().find(word == "cpu" ? "the processor does all the work" : "there is a GPU"), std::string::npos)
      << notes.front();

  word = "cuda:3";
  settle_device(word, notes);
  EXPECT_EQ(word, "cuda:3");
  EXPECT_EQ(notes.size(), 1U);
}

TEST(Processor, ComputesInThePrecisionThatServesItBest) {
  const Device& device = processor();
  EXPECT_EQ(device.precision(Precision::automatic) == Precision::bf16, cpu::arithmetic().prefers_bf16);
  for (const Precision asked : {Precision::f32, Precision::tf32, Precision::bf16}) {
    EXPECT_EQ(device.precision(asked), asked);
  }
  EXPECT_NO_THROW(device.require_precision(device.precision(Precision::automatic)));
  EXPECT_EQ(refused(Fault::device, [&] { device.require_precision(Precision::tf32); }),
            "tf32 is a precision of GPUs; use --precision f32 or bf16, or --device cuda");
  refused(Fault::internal, [&] { device.require_precision(Precision::automatic); });
}

TEST(Processor, HasTheMemoryOfTheHostAndNoLimitOfItsOwn) {
  const DeviceMemory memory = processor().memory();
  EXPECT_GT(memory.free, 0U);
  EXPECT_GE(memory.total, memory.free);
  EXPECT_GE(processor().capacity(), memory.total);
}

}  // namespace
}  // namespace obverse
