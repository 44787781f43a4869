// Gzipped files. An input that begins as gzip is read as it is; any other is compressed first, so that what lies behind
// the inflater is reached without a valid checksum.
#include <zlib.h>

#include "read_ways.h"

namespace {

std::string gzipped(const std::uint8_t* data, std::size_t size) {
  z_stream state{};
  deflateInit2(&state, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, size), '\0');
  state.next_in = const_cast<Bytef*>(data);
  state.avail_in = static_cast<uInt>(size);
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool compressed = size >= 2 && data[0] == 0x1F && data[1] == 0x8B;
  obverse::fuzz::read_ways(compressed ? obverse::fuzz::text_of(data, size) : gzipped(data, size),
                           {{.target_required = false}, {.labels = "self"}});
  return 0;
}
