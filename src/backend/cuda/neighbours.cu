// Exact nearest rows. A block takes 64 test rows through one part of the training rows, a tile of 128 rows at a time;
// each warp has 8 of the test rows, each thread 8 x 4 of the sums
//   sum[a,b] = sum over d of (a[d] - b[d])^2
// in registers. Of every test row and part the nearest rows stand in a sorted list, and the lists of the parts are then
// merged into one. No sum is below zero, so that its bits as a whole number, the key, rank it; rows come in ascending
// order, so that an equal key goes behind those of the list.
#include "backend/cuda/neighbours.cuh"

#include <algorithm>
#include <limits>

#include "backend/cuda/runtime.cuh"

namespace obverse::cuda {

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr unsigned kWarps = 8;
constexpr unsigned kThreads = kWarps * kLanes;
constexpr unsigned kRowsOfWarp = 8;  // test rows
constexpr unsigned kRowsOfLane = 4;  // training rows
constexpr unsigned kTestTile = kWarps * kRowsOfWarp;
constexpr unsigned kTrainTile = kLanes * kRowsOfLane;
constexpr unsigned kDepth = 16;    // values of a row in shared memory at once
constexpr unsigned kResident = 2;  // blocks on a multiprocessor: one computes while the other loads or merges
constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t kMostTestRows = 16384;               // at once: blocks enough to fill a large device
constexpr std::size_t kTrainBytes = std::size_t{1} << 30;  // of training rows at once
constexpr std::size_t kTestBytes = std::size_t{1} << 30;   // of test rows and their lists at once

/// Behind every distance.
template <class Key>
constexpr Key kNone = std::numeric_limits<Key>::max();

/// Every step rounds as on the processor, where nothing is fused.
struct Floats {
  using Value = float;
  using Sum = double;
  using Key = unsigned long long;
  static __device__ Sum add(Sum sum, Sum a, Sum b) {
    const double difference = __dsub_rn(a, b);
    return __dadd_rn(sum, __dmul_rn(difference, difference));
  }
  static __device__ Key key(Sum sum) { return static_cast<Key>(__double_as_longlong(sum)); }
};

/// Four features in a value.
struct Bytes {
  using Value = std::uint32_t;
  using Sum = std::uint32_t;
  using Key = std::uint32_t;
  static __device__ Sum add(Sum sum, Sum a, Sum b) {
    const std::uint32_t differences = __vabsdiffu4(a, b);
    return __dp4a(differences, differences, sum);
  }
  static __device__ Key key(Sum sum) { return sum; }
};

/// Some rows on the device, (count, width).
template <class Value>
struct Rows {
  const Value* values;
  std::uint32_t first;  // number of the first of them
  std::uint32_t count;
};

/// Of one test row: keys ascending, kNone where no row is known yet.
template <class Key>
struct List {
  Key* keys;            // (length)
  std::uint32_t* rows;  // (length)
  unsigned length;

  __device__ List at(std::size_t i) const { return {keys + i * length, rows + i * length, length}; }
  __device__ Key limit() const { return keys[length - 1]; }
  __device__ void clear() const {
    for (unsigned i = threadIdx.x % kLanes; i < length; i += kLanes) keys[i] = kNone<Key>;
    __syncwarp();
  }
};

/// A warp puts one key of each lane that `passes` in its place; equal keys ascend with the lanes.
template <class Key>
__device__ void insert(const List<Key>& list, Key key, std::uint32_t row, bool passes) {
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned passing = __ballot_sync(kAllLanes, passes);
  unsigned place = 0;
  for (unsigned rest = passing; rest != 0; rest &= rest - 1) {
    const unsigned other = __ffs(rest) - 1;
    const Key its = __shfl_sync(kAllLanes, key, other);
    if (its < key || (its == key && other < lane)) ++place;
  }
  // From the end: what is behind a new key moves by the number of such keys, at most into the 32 places above, which
  // have been read.
  for (unsigned base = (list.length - 1) / kLanes * kLanes;; base -= kLanes) {
    const unsigned i = base + lane;
    const bool inside = i < list.length;
    const Key listed = inside ? list.keys[i] : kNone<Key>;
    const std::uint32_t listed_row = inside ? list.rows[i] : kNoRow;
    unsigned shift = 0;
    for (unsigned rest = passing; rest != 0; rest &= rest - 1) {
      const unsigned other = __ffs(rest) - 1;
      const Key its = __shfl_sync(kAllLanes, key, other);
      const unsigned before = __popc(__ballot_sync(kAllLanes, inside && listed <= its));
      if (lane == other) place += before;
      if (its < listed) ++shift;
    }
    __syncwarp();
    if (shift != 0 && i + shift < list.length) {
      list.keys[i + shift] = listed;
      list.rows[i + shift] = listed_row;
    }
    if (base == 0) break;
    if (!__any_sync(kAllLanes, inside && shift != 0)) {  // nor does anything below move
      place += base;
      break;
    }
  }
  __syncwarp();
  if (passes && place < list.length) {
    list.keys[place] = key;
    list.rows[place] = row;
  }
  __syncwarp();
}

/// Shared memory of a block; rows are padded so that threads of a warp store into different banks.
template <class Kind>
struct Tiles {
  typename Kind::Sum test[kDepth][kTestTile + 16 / sizeof(typename Kind::Sum)];
  typename Kind::Sum train[kDepth][kTrainTile + 1];
  typename Kind::Key keys[kTestTile][kTrainTile];  // of test rows that found something; a lane reads what it wrote
  typename Kind::Key limits[kTestTile];            // the last key of each list
};

/// tile[k, r] = values[r, k]; zeros behind the last row. Threads of half a warp read values side by side.
template <unsigned kRows, class Value, class Tile>
__device__ void load(const Value* values, std::size_t rows, std::size_t width, unsigned depth, Tile& tile) {
  const unsigned k = threadIdx.x % kDepth;
  if (k >= depth) return;
#pragma unroll
  for (unsigned i = 0; i < kRows / (kThreads / kDepth); ++i) {
    const unsigned r = threadIdx.x / kDepth + i * (kThreads / kDepth);
    tile[k][r] = r < rows ? values[r * width + k] : Value{0};
  }
}

/// lists: (test rows, parts). Grid: (tiles of test rows, parts).
template <class Kind>
__global__ void __launch_bounds__(kThreads, kResident)
    nearest_in_parts(Rows<typename Kind::Value> train, Rows<typename Kind::Value> test, std::size_t width,
                     std::uint32_t part_rows, bool leave_own_out, List<typename Kind::Key> lists) {
  using Key = typename Kind::Key;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& tiles = *reinterpret_cast<Tiles<Kind>*>(memory);
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned first_of_warp = threadIdx.x / kLanes * kRowsOfWarp;
  const std::uint32_t first_test = blockIdx.x * kTestTile;
  const std::uint32_t begin = blockIdx.y * part_rows;
  const std::uint32_t end = min(begin + part_rows, train.count);
  const auto list_of = [&](unsigned r) { return lists.at(std::size_t{first_test + r} * gridDim.y + blockIdx.y); };

#pragma unroll 1
  for (unsigned i = 0; i < kRowsOfWarp; ++i) {
    const unsigned r = first_of_warp + i;
    const bool there = first_test + r < test.count;
    if (there) list_of(r).clear();
    if (lane == 0) tiles.limits[r] = there ? kNone<Key> : 0;  // nothing is nearer than 0
  }
  __syncwarp();

  for (std::uint32_t tile = begin; tile < end; tile += kTrainTile) {
    typename Kind::Sum sums[kRowsOfWarp][kRowsOfLane] = {};
    for (std::size_t d = 0; d < width; d += kDepth) {
      const auto depth = static_cast<unsigned>(min(std::size_t{kDepth}, width - d));
      __syncthreads();
      load<kTestTile>(test.values + first_test * width + d, test.count - first_test, width, depth, tiles.test);
      load<kTrainTile>(train.values + tile * width + d, train.count - tile, width, depth, tiles.train);
      __syncthreads();
      for (unsigned k = 0; k < depth; ++k) {
        typename Kind::Sum a[kRowsOfWarp];
        typename Kind::Sum b[kRowsOfLane];
#pragma unroll
        for (unsigned i = 0; i < kRowsOfWarp; ++i) a[i] = tiles.test[k][first_of_warp + i];
#pragma unroll
        for (unsigned j = 0; j < kRowsOfLane; ++j) b[j] = tiles.train[k][j * kLanes + lane];
#pragma unroll
        for (unsigned i = 0; i < kRowsOfWarp; ++i) {
#pragma unroll
          for (unsigned j = 0; j < kRowsOfLane; ++j) sums[i][j] = Kind::add(sums[i][j], a[i], b[j]);
        }
      }
    }

    unsigned found = 0;  // a bit for each test row of the warp
#pragma unroll
    for (unsigned i = 0; i < kRowsOfWarp; ++i) {
      const Key limit = tiles.limits[first_of_warp + i];
      bool nearer = false;
#pragma unroll
      for (unsigned j = 0; j < kRowsOfLane; ++j) nearer |= Kind::key(sums[i][j]) < limit;
      if (!__any_sync(kAllLanes, nearer)) continue;
      found |= 1U << i;
#pragma unroll
      for (unsigned j = 0; j < kRowsOfLane; ++j) {
        tiles.keys[first_of_warp + i][j * kLanes + lane] = Kind::key(sums[i][j]);
      }
    }

    for (; found != 0; found &= found - 1) {
      const unsigned r = first_of_warp + __ffs(found) - 1;
      const std::uint32_t own = leave_own_out ? test.first + first_test + r : kNoRow;
      for (unsigned j = 0; j < kTrainTile; j += kLanes) {
        const std::uint32_t row = train.first + tile + j + lane;
        const Key key = tiles.keys[r][j + lane];
        const bool passes = tile + j + lane < end && row != own && key < tiles.limits[r];
        if (!__any_sync(kAllLanes, passes)) continue;
        const auto list = list_of(r);
        insert(list, key, row, passes);
        if (lane == 0) tiles.limits[r] = list.limit();
        __syncwarp();
      }
    }
  }
}

/// nearest: (test rows), of training rows before these; parts: (test rows, parts). A warp for each test row.
template <class Key>
__global__ void merge_parts(List<Key> parts, std::size_t part_count, std::size_t test_rows, bool first,
                            List<Key> nearest) {
  const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kLanes;
  if (r >= test_rows) return;
  const List<Key> list = nearest.at(r);
  if (first) list.clear();
  for (std::size_t part = 0; part < part_count; ++part) {
    const List<Key> from = parts.at(r * part_count + part);
    for (unsigned base = 0; base < from.length; base += kLanes) {
      const unsigned i = base + threadIdx.x % kLanes;
      const Key key = i < from.length ? from.keys[i] : kNone<Key>;
      const bool passes = key < list.limit();
      if (!__any_sync(kAllLanes, passes)) break;
      insert(list, key, i < from.length ? from.rows[i] : kNoRow, passes);
    }
  }
}

std::size_t ceil_div(std::size_t count, std::size_t size) { return (count + size - 1) / size; }
unsigned blocks_of(std::size_t count, std::size_t size) { return static_cast<unsigned>(ceil_div(count, size)); }

/// The most rows within `bytes`, a multiple of `tile`, at least one tile and no more than hold all `rows`.
std::size_t rows_at_once(std::size_t rows, std::size_t bytes, std::size_t row_bytes, std::size_t tile) {
  return std::clamp<std::size_t>(bytes / row_bytes / tile, 1, ceil_div(rows, tile)) * tile;
}

/// How many rows are a part, so that the blocks, which run `slots` at a time, take the least time together. A part
/// costs its tiles and, to fill its lists, about as much as some more of them.
std::size_t rows_of_part(std::size_t train_rows, std::size_t test_rows, std::size_t neighbours, std::size_t slots) {
  const std::size_t tiles = ceil_div(train_rows, kTrainTile);
  const std::size_t test_tiles = ceil_div(test_rows, kTestTile);
  const std::size_t filling = 2 + neighbours / 16;
  std::size_t best = tiles;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t parts = 1; parts <= std::min(tiles, 4 * slots); ++parts) {
    const std::size_t part_tiles = ceil_div(tiles, parts);
    const std::size_t time = ceil_div(test_tiles * ceil_div(tiles, part_tiles), slots) * (part_tiles + filling);
    if (time >= least) continue;
    least = time;
    best = part_tiles;
  }
  return best * kTrainTile;
}

std::size_t slots_of(int device) {
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "asking for its size");
  return kResident * static_cast<std::size_t>(multiprocessors);
}

/// Memory of the device for `count` lists.
template <class Key>
struct Lists {
  Lists(std::size_t count, std::size_t length) : keys(count * length), rows(count * length), length(length) {}
  List<Key> get() const { return {keys.get(), rows.get(), static_cast<unsigned>(length)}; }
  Array<Key> keys;
  Array<std::uint32_t> rows;
  std::size_t length;
};

/// Rows of the host, a few of them at a time on the device.
template <class Value>
class Window {
 public:
  /// all: (rows, width) values of the host
  Window(const void* all, std::size_t rows, std::size_t width, std::size_t at_once)
      : all_(static_cast<const std::byte*>(all)), rows_(rows), width_(width), memory_(at_once * width) {}

  Rows<Value> show(std::size_t first, std::size_t count) {
    count = std::min(count, rows_ - first);
    const std::size_t row_bytes = width_ * sizeof(Value);
    if (first != first_ || count != count_) {
      check(cudaMemcpy(memory_.get(), all_ + first * row_bytes, count * row_bytes, cudaMemcpyHostToDevice),
            "copying rows to the device");
    }
    first_ = first;
    count_ = count;
    return {memory_.get(), static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
  }

 private:
  const std::byte* all_;
  std::size_t rows_;
  std::size_t width_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  Array<Value> memory_;
};

struct SearchOptions {
  std::size_t neighbours;
  bool leave_own_out;
  int device;
};

/// train, test: (rows, width) values of the host.
template <class Kind>
std::vector<std::uint32_t> nearest_rows(const void* train, std::size_t train_rows, const void* test,
                                        std::size_t test_rows, std::size_t width, const SearchOptions& search) {
  using Value = typename Kind::Value;
  using Key = typename Kind::Key;
  if (test_rows == 0) return {};
  check(cudaSetDevice(search.device), "choosing the device");
  check(cudaFuncSetAttribute(nearest_in_parts<Kind>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Tiles<Kind>)),
        "asking for shared memory");

  const std::size_t k = search.neighbours;
  const std::size_t train_step = rows_at_once(train_rows, kTrainBytes, width * sizeof(Value), kTrainTile);
  const std::size_t part_rows =
      rows_of_part(std::min(train_step, train_rows), std::min(kMostTestRows, test_rows), k, slots_of(search.device));
  const std::size_t length = std::min(k, part_rows);
  const std::size_t most_parts = ceil_div(train_step, part_rows);
  const std::size_t test_row_bytes =
      width * sizeof(Value) + (most_parts * length + k) * (sizeof(Key) + sizeof(std::uint32_t));
  const std::size_t test_step = rows_at_once(std::min(kMostTestRows, test_rows), kTestBytes, test_row_bytes, kTestTile);

  Window<Value> train_window(train, train_rows, width, train_step);
  Window<Value> test_window(test, test_rows, width, test_step);
  const Lists<Key> of_parts(test_step * most_parts, length);
  const Lists<Key> nearest(test_step, k);
  std::vector<std::uint32_t> found(test_rows * k);
  for (std::size_t t = 0; t < test_rows; t += test_step) {
    const Rows<Value> test_part = test_window.show(t, test_step);
    for (std::size_t b = 0; b < train_rows; b += train_step) {
      const Rows<Value> train_part = train_window.show(b, train_step);
      const dim3 grid(blocks_of(test_part.count, kTestTile), blocks_of(train_part.count, part_rows));
      nearest_in_parts<Kind><<<grid, kThreads, sizeof(Tiles<Kind>)>>>(
          train_part, test_part, width, static_cast<std::uint32_t>(part_rows), search.leave_own_out, of_parts.get());
      check(cudaGetLastError(), "searching neighbours");
      merge_parts<Key><<<blocks_of(test_part.count, kWarps), kThreads>>>(of_parts.get(), grid.y, test_part.count,
                                                                         b == 0, nearest.get());
      check(cudaGetLastError(), "merging neighbours");
    }
    check(cudaMemcpy(found.data() + t * k, nearest.rows.get(), test_part.count * k * sizeof(std::uint32_t),
                     cudaMemcpyDeviceToHost),
          "copying neighbours from the device");
  }
  return found;
}

// Up to so many features sums of squares of bytes fit 32 bits.
constexpr std::size_t kMostByteFeatures = 65536;

// `unit`: host values of a row that are one of the device's; zeros fill the last one up.
template <class Kind, class HostValue>
std::vector<std::uint32_t> nearest_rows(const RowSearch& search, std::size_t unit, int device, Team& team) {
  const std::size_t width = ceil_div(search.train.features(), unit);
  const std::vector<HostValue> train = search.train.copy_all<HostValue>(width * unit, team);
  std::vector<HostValue> other;
  if (!search.leave_own_out) other = search.test.copy_all<HostValue>(width * unit, team);
  const std::vector<HostValue>& test = search.leave_own_out ? train : other;
  return nearest_rows<Kind>(train.data(), search.train.rows(), test.data(), search.test.rows(), width,
                            {search.neighbours, search.leave_own_out, device});
}

}  // namespace

std::vector<std::uint32_t> nearest_rows(const RowSearch& search, int device, Team& team) {
  return search.bytes && search.train.features() <= kMostByteFeatures
             ? nearest_rows<Bytes, std::uint8_t>(search, 4, device, team)
             : nearest_rows<Floats, float>(search, 1, device, team);
}

}  // namespace obverse::cuda
