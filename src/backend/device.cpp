#include "backend/device.h"

#include <cstdint>

#include <obverse/error.h>

#include "backend/cpu/processor.h"
#include "backend/ops.h"
#include "support/text.h"

namespace obverse {
namespace {

struct DeviceChoice {
  std::string word;    // cuda or cpu
  std::string reason;  // a sentence
};

const DeviceChoice& automatic_device() {
  static const DeviceChoice choice = []() -> DeviceChoice {
    try {
      require_cuda(0);
      return {"cuda", "device auto: there is a GPU, and it trains the networks and finds the neighbours"};
    } catch (const Error& error) {
      const std::string_view message = error.what();
      return {"cpu", cat("device auto: the processor does all the work, as no GPU can be used (",
                         message.substr(0, message.find(';')), ")")};
    }
  }();
  return choice;
}

}  // namespace

int device_number(std::string_view word) {
  constexpr std::string_view kNumbered = "cuda:";
  if (word == "cpu") return -1;
  if (word == "cuda") return 0;
  if (word == "auto") return device_number(automatic_device().word);
  if (word.starts_with(kNumbered)) {
    // Without a sign, and never too large for an int.
    if (const auto number = number_in<std::uint16_t>(word.substr(kNumbered.size()))) return *number;
  }
  throw Error(Fault::usage, cat("device: expected cpu, cuda, cuda:N or auto; found '", printable(word), "'"));
}

int usable_device(std::string_view word) {
  const int device = device_number(word);
  if (device >= 0) require_cuda(device);
  return device;
}

void settle_device(std::string& word, std::vector<std::string>& notes) {
  if (word != "auto") return;
  word = automatic_device().word;
  notes.push_back(automatic_device().reason);
}

Precision precision_on(int device, Precision asked) {
  if (asked != Precision::automatic) return asked;
  return device >= 0 || cpu::arithmetic().prefers_bf16 ? Precision::bf16 : Precision::f32;
}

}  // namespace obverse
