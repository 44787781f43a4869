// Tables that come through the Arrow C stream interface, from whatever library made them.
//   https://arrow.apache.org/docs/format/CStreamInterface.html
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frame_table.h"

namespace obverse {

// The three structs of the interface, as its specification lays them out.
extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

/// Adds the columns of a stream, which is read to its end and released, and returns their names. Numbers stay where
/// they are; the table keeps them alive.
std::vector<std::string> add_stream(ArrowArrayStream& stream, FrameTable& table);

}  // namespace obverse
