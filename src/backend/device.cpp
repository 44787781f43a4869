#include "backend/device.h"

#include <cstdint>

#include <obverse/error.h>

#include "backend/ops.h"
#include "support/text.h"

namespace obverse {

int device_number(std::string_view word) {
  constexpr std::string_view kNumbered = "cuda:";
  if (word == "cpu") return -1;
  if (word == "cuda") return 0;
  if (word.starts_with(kNumbered)) {
    // Without a sign, and never too large for an int.
    if (const auto number = number_in<std::uint16_t>(word.substr(kNumbered.size()))) return *number;
  }
  throw Error(Fault::usage,
              cat("device: expected cpu, cuda or cuda:N, the number of a GPU from 0; found '", printable(word), "'"));
}

int usable_device(std::string_view word) {
  const int device = device_number(word);
  if (device >= 0) require_cuda(device);
  return device;
}

void require_device(const SelectOptions& options) {
  const int device = usable_device(options.device);
  if (device >= 0 || !trains_networks(options.method)) return;
  for (const Recipe& recipe : options.recipes) require_precision(recipe.train.precision);
}

}  // namespace obverse
