// The one bound on what a file may make a reader allocate, and its message.
#include "readers/budget.h"

#include <algorithm>
#include <limits>

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {

namespace {

/// What a file of this size may take where the user has not said.
std::uint64_t usual_bound(std::uint64_t file_bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / ReadBudget::kBytesForEach;
  return std::max(ReadBudget::kFloor, std::min(file_bytes, kMost) * ReadBudget::kBytesForEach);
}

}  // namespace

ReadBudget::ReadBudget(std::string path, std::uint64_t file_bytes, std::uint64_t max_memory)
    : path_(std::move(path)),
      file_bytes_(file_bytes),
      bound_(max_memory > 0 ? max_memory : usual_bound(file_bytes)),
      asked_(max_memory > 0) {}

void ReadBudget::take(std::uint64_t items, std::uint64_t item_bytes, std::string_view what) {
  if (item_bytes != 0 && items > (bound_ - taken_) / item_bytes) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t asked = items > kMost / item_bytes ? kMost : items * item_bytes;
    refuse(what, asked > kMost - taken_ ? kMost : asked + taken_);
  }
  taken_ += items * item_bytes;
}

void ReadBudget::check_inflated(std::uint64_t bytes, std::uint64_t packed) const {
  if (bytes > std::max(usual_bound(packed), asked_ ? bound_ : 0)) refuse("its inflated contents", bytes);
}

void ReadBudget::refuse(std::string_view what, std::uint64_t bytes) const {
  const std::string size = byte_text(bytes);
  if (asked_) {
    throw Error(Fault::input,
                cat(path_, ": reading ", what, " needs ", size, " of memory, more than --max-memory ", "allows"));
  }
  throw Error(Fault::input, cat(path_, ": reading ", what, " needs ", size, " of memory, more than a file of ",
                                byte_text(file_bytes_), " may take (", byte_text(bound_),
                                "); is it damaged? If the data is real, allow more, such as --max-memory 8G"));
}

}  // namespace obverse
