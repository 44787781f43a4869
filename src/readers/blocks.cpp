// Cutting text into blocks.
#include "readers/blocks.h"

#include <algorithm>
#include <thread>

#include <obverse/error.h>

namespace obverse {
namespace {

/// Text and numbers of a block stay in the second-level cache.
constexpr std::size_t kBlockBytes = std::size_t{512} << 10;

}  // namespace

void refuse_long_record(const std::string& path, std::size_t line, bool open_quote) {
  throw Error(
      Fault::input,
      open_quote
          ? cat(path, ":", line, ": a quote opens in the record that begins here and does not close within ",
                kLongestRecord >> 20, " MiB; remove the stray quote, or close it")
          : cat(path, ":", line, ": expected a line of at most ", kLongestRecord >> 20,
                " MiB, found a longer one; are newlines missing, or is a quote left open? Save a table this wide as "
                "NPZ or LIBSVM"));
}

std::string_view BlockSource::next(std::vector<char>& buffer) {
  std::size_t size = rest_.size();
  // A byte more than there can be shows the end at once.
  const auto block = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, bytes_.most_bytes() + 1));
  std::size_t wanted = std::max(block, size);
  if (buffer.size() < wanted + kTextPadding) buffer.resize(wanted + kTextPadding);
  std::copy(rest_.begin(), rest_.end(), buffer.begin());
  std::size_t end = 0;
  while (!ended_ && end == 0) {
    const std::size_t got = bytes_.read(std::span(buffer).subspan(size, wanted - size));
    ended_ = got < wanted - size;
    size += got;
    end = last_end_({buffer.data(), size});
    if (end > 0 || ended_) break;
    if (wanted >= kLongestRecord) {
      const std::string_view record(buffer.data(), size);
      refuse_long_record(bytes_.path(), lines_ + 1, last_line_end(record) > 0);
    }
    wanted *= 2;
    buffer.resize(wanted + kTextPadding);
  }
  if (ended_) end = size;
  lines_ +=
      static_cast<std::size_t>(std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  rest_.assign(buffer.begin() + static_cast<std::ptrdiff_t>(end), buffer.begin() + static_cast<std::ptrdiff_t>(size));
  std::fill_n(buffer.begin() + static_cast<std::ptrdiff_t>(end), kTextPadding, '\0');
  return {buffer.data(), end};
}

std::size_t last_line_end(std::string_view text) {
  const std::size_t at = text.rfind('\n');
  return at == std::string_view::npos ? 0 : at + 1;
}

unsigned BlockSource::useful_threads() const {
  constexpr unsigned kMost = 16;
  const std::uint64_t blocks = bytes_.most_bytes() / kBlockBytes + 1;
  const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
  return static_cast<unsigned>(std::min<std::uint64_t>(cores, blocks));
}

}  // namespace obverse
