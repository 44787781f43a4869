// Cutting text into blocks.
#include "readers/blocks.h"

#include <algorithm>
#include <thread>

#include <obverse/error.h>

namespace obverse {
namespace {

/// Text and numbers of a block stay in the second-level cache.
constexpr std::size_t kBlockBytes = std::size_t{512} << 10;
constexpr std::size_t kLongestRecord = std::size_t{1} << 30;

}  // namespace

std::string_view BlockSource::next(std::vector<char>& buffer) {
  std::size_t size = rest_.size();
  std::size_t wanted = std::max(kBlockBytes, size);
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
      throw Error(Fault::input, cat(bytes_.path(), ": a line is longer than ", kLongestRecord >> 20,
                                    " MiB, or a quote never closes; is this a text file?"));
    }
    wanted *= 2;
    buffer.resize(wanted + kTextPadding);
  }
  if (ended_) end = size;
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
