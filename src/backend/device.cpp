// The list of devices.
#include "backend/device.h"

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <obverse/error.h>

#include "backend/cpu/device.h"
#include "support/text.h"
#if defined(OBVERSE_HAS_CUDA)
#include "backend/cuda/device.h"
#endif

namespace obverse {
namespace {

/// Makes the device of a number, counted from 0; throws Error where it cannot be used.
using OpenDevice = std::unique_ptr<Device>(int number);

struct DeviceKind {
  std::string_view word;
  std::string_view numbered;  // the word with a number behind it; empty: there is only one
  OpenDevice* open;           // none: not in this build
  std::string_view missing;   // what to say then
};

#if defined(OBVERSE_HAS_CUDA)
constexpr OpenDevice* kOpenCuda = cuda::open_device;
#else
constexpr OpenDevice* kOpenCuda = nullptr;
#endif

/// The processor, then the others in the order in which `auto` tries them.
constexpr std::array kKinds{
    DeviceKind{"cpu", "", cpu::open_device, ""},
    DeviceKind{"cuda", "cuda:N", kOpenCuda,
               "this build has no CUDA; configure with -DOBVERSE_CUDA=ON where nvcc is, or use --device cpu"},
};

const Device& opened(const DeviceKind& kind, int number) {
  static std::mutex mutex;
  static std::map<std::pair<std::string_view, int>, std::unique_ptr<Device>> devices;
  if (kind.open == nullptr) throw Error(Fault::device, std::string(kind.missing));
  const std::lock_guard lock(mutex);
  std::unique_ptr<Device>& device = devices[{kind.word, number}];
  if (device == nullptr) device = kind.open(number);
  return *device;
}

/// The number in a word for a device of this kind.
std::optional<int> number_in_word(const DeviceKind& kind, std::string_view word) {
  if (word == kind.word) return 0;
  if (kind.numbered.empty()) return std::nullopt;
  const std::string_view before = kind.numbered.substr(0, kind.numbered.size() - 1);
  if (!word.starts_with(before)) return std::nullopt;
  // Without a sign, and never too large for an int.
  return number_in<std::uint16_t>(word.substr(before.size()));
}

struct AutomaticDevice {
  const Device& device;
  std::string reason;  // a sentence
};

const AutomaticDevice& automatic_device() {
  static const AutomaticDevice choice = []() -> AutomaticDevice {
    std::string lack;
    for (const DeviceKind& kind : kKinds) {
      if (&kind == kKinds.data()) continue;
      try {
        const Device& device = opened(kind, 0);
        return {device, cat("device auto: there is a ", device.title(),
                            ", and it trains the networks and finds the neighbours")};
      } catch (const Error& error) {
        const std::string_view message = error.what();
        if (lack.empty()) lack = message.substr(0, message.find(';'));
      }
    }
    return {processor(), cat("device auto: the processor does all the work, as no GPU can be used (", lack, ")")};
  }();
  return choice;
}

}  // namespace

std::span<const std::string_view> device_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all;
    for (const DeviceKind& kind : kKinds) {
      all.push_back(kind.word);
      if (!kind.numbered.empty()) all.push_back(kind.numbered);
    }
    all.emplace_back("auto");
    return all;
  }();
  return words;
}

const Device& device_named(std::string_view word) {
  if (word == "auto") return automatic_device().device;
  for (const DeviceKind& kind : kKinds) {
    if (const auto number = number_in_word(kind, word)) return opened(kind, *number);
  }
  const auto words = device_words();
  throw Error(Fault::usage, cat("device: expected ", join(words.first(words.size() - 1)), " or ", words.back(),
                                "; found '", printable(word), "'"));
}

const Device& processor() { return opened(kKinds.front(), 0); }

void settle_device(std::string& word, std::vector<std::string>& notes) {
  if (word != "auto") return;
  word = automatic_device().device.name();
  notes.push_back(automatic_device().reason);
}

}  // namespace obverse
