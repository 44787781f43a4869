#include "writers/npz.h"

#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>

#include <fmt/format.h>

#include <obverse/error.h>

#include "support/file.h"
#include "support/text.h"

namespace obverse {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

/// Bytes of one item: the number behind the kind, times four for characters.
std::size_t item_bytes(const std::string& type) { return std::stoul(type.substr(2)) * (type[1] == 'U' ? 4 : 1); }

/// Magic, version 1.0, and a header padded so that the values begin at a multiple of 64 bytes.
std::string npy_header(const NpyArray& array) {
  std::string shape;
  for (const std::size_t extent : array.shape) shape += fmt::format("{},", extent);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", array.type, shape);
  const std::size_t fixed = 10;
  text.append(63 - (fixed + text.size()) % 64, ' ');
  text += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(text.size() & 0xFFU);
  out += static_cast<char>(text.size() >> 8U);
  return out + text;
}

/// An array as a stream: libzip reads it from here, once for each pass it makes.
struct Stream {
  const NpyArray* array;
  std::string pending;
  std::size_t used = 0;   ///< bytes of `pending` already read
  std::size_t entry = 0;  ///< next along the first axis
  zip_error_t error{};

  std::size_t bytes() const {
    return std::accumulate(array->shape.begin(), array->shape.end(), item_bytes(array->type), std::multiplies<>{}) +
           npy_header(*array).size();
  }

  void open() {
    pending = npy_header(*array);
    used = entry = 0;
  }

  std::size_t read(char* out, std::size_t wanted) {
    std::size_t given = 0;
    while (given < wanted) {
      if (used == pending.size()) {
        if (entry == array->shape[0]) break;
        pending.clear();
        used = 0;
        array->append_entry(entry++, pending);
      }
      const std::size_t part = std::min(wanted - given, pending.size() - used);
      std::memcpy(out + given, pending.data() + used, part);
      given += part;
      used += part;
    }
    return given;
  }
};

zip_int64_t serve_checked(Stream& stream, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  switch (command) {
    case ZIP_SOURCE_OPEN:
      stream.open();
      return 0;
    case ZIP_SOURCE_READ:
      return static_cast<zip_int64_t>(stream.read(static_cast<char*>(data), length));
    case ZIP_SOURCE_STAT: {
      auto* info = static_cast<zip_stat_t*>(data);
      zip_stat_init(info);
      info->size = stream.bytes();
      info->valid = ZIP_STAT_SIZE;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&stream.error, data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
      return 0;
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_READABLE;
    default:
      zip_error_set(&stream.error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

/// libzip is C: no exception may pass through it.
zip_int64_t serve(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& stream = *static_cast<Stream*>(user);
  try {
    return serve_checked(stream, data, length, command);
  } catch (...) {
    zip_error_set(&stream.error, ZIP_ER_MEMORY, 0);
    return -1;
  }
}

/// The open file that the archive goes to.
struct Sink {
  int descriptor;
  zip_error_t error{};

  zip_int64_t fail() {
    zip_error_set(&error, ZIP_ER_WRITE, errno);
    return -1;
  }

  zip_int64_t write(const char* bytes, zip_uint64_t count) {
    for (zip_uint64_t done = 0; done < count;) {
      const ssize_t written = ::write(descriptor, bytes + done, count - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return fail();
      done += static_cast<zip_uint64_t>(written);
    }
    return static_cast<zip_int64_t>(count);
  }

  zip_int64_t tell() {
    const off_t place = lseek(descriptor, 0, SEEK_CUR);
    return place < 0 ? fail() : static_cast<zip_int64_t>(place);
  }

  zip_int64_t seek(void* data, zip_uint64_t length) {
    const auto* place = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &error);
    if (place == nullptr) return -1;
    return lseek(descriptor, static_cast<off_t>(place->offset), place->whence) < 0 ? fail() : 0;
  }
};

zip_int64_t take(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& sink = *static_cast<Sink*>(user);
  switch (command) {
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_OPEN:
    case ZIP_SOURCE_READ:  // a new archive: there is nothing in it
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
      return 0;
    case ZIP_SOURCE_WRITE:
      return sink.write(static_cast<const char*>(data), length);
    case ZIP_SOURCE_TELL:
    case ZIP_SOURCE_TELL_WRITE:
      return sink.tell();
    case ZIP_SOURCE_SEEK:
    case ZIP_SOURCE_SEEK_WRITE:
      return sink.seek(data, length);
    case ZIP_SOURCE_STAT: {
      auto* info = static_cast<zip_stat_t*>(data);
      zip_stat_init(info);
      info->size = 0;
      info->valid = ZIP_STAT_SIZE;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&sink.error, data, length);
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_WRITABLE;
    default:
      zip_error_set(&sink.error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

[[noreturn]] void fail(const zip_error_t* error, const std::string& path) {
  if (zip_error_code_zip(error) == ZIP_ER_MEMORY) throw std::bad_alloc();
  if (zip_error_system_type(error) == ZIP_ET_SYS) throw_output_error(path, zip_error_code_system(error));
  throw Error(Fault::output,
              cat("cannot write '", printable(path), "': ", zip_error_strerror(const_cast<zip_error_t*>(error))));
}

void add(zip_t* archive, Stream& stream, const std::string& path) {
  zip_source_t* source = zip_source_function(archive, &serve, &stream);
  if (source == nullptr) fail(zip_get_error(archive), path);
  const zip_int64_t index =
      zip_file_add(archive, (stream.array->name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE);
  if (index < 0) {
    zip_source_free(source);
    fail(zip_get_error(archive), path);
  }
  const auto place = static_cast<zip_uint64_t>(index);
  zip_set_file_compression(archive, place, ZIP_CM_STORE, 0);
  constexpr zip_uint16_t kFirstDay = 0x21;  // 1980-01-01, as NumPy writes it
  zip_file_set_dostime(archive, place, 0, kFirstDay, 0);
}

}  // namespace

NpyArray text_array(std::string name, const std::vector<std::string>& texts) {
  auto points = std::make_shared<std::vector<std::u32string>>();
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, points->emplace_back(code_points(text)).size());
  return {.name = std::move(name),
          .type = fmt::format("<U{}", longest),
          .shape = {texts.size()},
          .append_entry = [points, longest](std::size_t i, std::string& out) {
            std::u32string text = (*points)[i];
            text.resize(longest);
            out.append(reinterpret_cast<const char*>(text.data()), longest * sizeof(char32_t));
          }};
}

void write_npz(const std::vector<NpyArray>& arrays, const AtomicFile& file) {
  const std::string& path = file.path();
  Sink sink{.descriptor = file.descriptor()};
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(&take, &sink, &error);
  if (source == nullptr) fail(&error, path);
  zip_t* archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (archive == nullptr) {
    zip_source_free(source);
    fail(&error, path);
  }
  std::unique_ptr<zip_t, decltype(&zip_discard)> guard(archive, &zip_discard);
  std::vector<Stream> streams;
  streams.reserve(arrays.size());
  for (const NpyArray& array : arrays) streams.push_back({.array = &array, .pending = {}});
  for (Stream& stream : streams) add(archive, stream, path);
  if (zip_close(archive) != 0) fail(zip_get_error(archive), path);
  (void)guard.release();  // zip_close has freed it
}

}  // namespace obverse
