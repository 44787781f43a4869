// A stream hands out batches of rows. Each is a struct whose children are the columns, with an offset of its own that
// adds to theirs. Sizes of buffers are no part of the interface: what can be checked is that lengths, offsets and
// indices fit each other.
#include "arrow_stream.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <obverse/error.h>

#include "arrow_type.h"
#include "support/text.h"
#include "time_text.h"

namespace obverse {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Fault::input, cat("X: the Arrow stream ", what)); }

/// Released when the last owner lets go of it.
template <class T>
std::shared_ptr<T> owned() {
  return {new T{}, [](T* held) {
            if (held->release != nullptr) held->release(held);
            delete held;
          }};
}

// ---- Values ----

/// Some rows of a column: `rows` of the array from `first` on.
struct Part {
  const ArrowArray* array = nullptr;
  std::size_t first = 0;
  std::size_t rows = 0;
};

const void* buffer(const Part& part, std::int64_t index, const std::string& where) {
  if (part.array->n_buffers <= index || part.array->buffers == nullptr) {
    refuse(cat("is damaged: ", where, " has ", part.array->n_buffers, " buffers, expected more"));
  }
  const void* found = part.array->buffers[index];
  if (found == nullptr && part.rows > 0) refuse(cat("is damaged: ", where, " has a buffer that is not there"));
  return found;
}

/// Bits: 1 where a value is there; none: all are.
const std::uint8_t* present_bits(const Part& part) {
  if (part.array->null_count == 0 || part.array->n_buffers < 1 || part.array->buffers == nullptr) return nullptr;
  return static_cast<const std::uint8_t*>(part.array->buffers[0]);
}

NumberChunk chunk_of(const Part& part, const ArrowType& type, const std::string& where) {
  return {.type = type.number,
          .values = buffer(part, 1, where),
          .first = part.first,
          .step = static_cast<std::ptrdiff_t>(byte_size(type.number)),
          .rows = part.rows,
          .per_one = type.per_one,
          .present = present_bits(part),
          .missing = nullptr};
}

template <class T>
T loaded(const void* base, std::size_t index) {
  T value{};
  std::memcpy(&value, static_cast<const std::byte*>(base) + index * sizeof(T), sizeof value);
  return value;
}

bool is_there(const std::uint8_t* present, std::size_t i) { return present == nullptr || bit_at(present, i); }

/// Texts between offsets that never fall.
template <class Offset>
class OffsetTexts {
 public:
  OffsetTexts(const Part& part, const std::string& where) : offsets_(buffer(part, 1, where)), where_(where) {
    if (part.rows == 0) return;
    const Offset last = loaded<Offset>(offsets_, part.first + part.rows);
    if (last > 0) text_ = static_cast<const char*>(buffer(part, 2, where));
  }
  std::string_view operator()(std::size_t i) const {
    const Offset begin = loaded<Offset>(offsets_, i);
    const Offset end = loaded<Offset>(offsets_, i + 1);
    if (begin < 0 || end < begin || (end > 0 && text_ == nullptr)) {
      refuse(cat("is damaged: ", where_, " has texts that end before they begin"));
    }
    return begin == end ? std::string_view() : std::string_view(text_ + begin, static_cast<std::size_t>(end - begin));
  }

 private:
  const void* offsets_;
  const char* text_ = nullptr;
  const std::string& where_;
};

/// Texts of up to 12 bytes lie in their views; of longer ones a view says in which of several buffers they are.
class ViewedTexts {
 public:
  ViewedTexts(const Part& part, const std::string& where) : part_(part), where_(where), views_(buffer(part, 1, where)) {
    buffers_ = part.array->n_buffers - 3;  // presence, views, and the sizes of the others
    if (buffers_ > 0) sizes_ = part.array->buffers[part.array->n_buffers - 1];
  }
  std::string_view operator()(std::size_t i) const {
    const std::byte* view = static_cast<const std::byte*>(views_) + 16 * i;
    const auto length = loaded<std::int32_t>(view, 0);
    if (length < 0) refuse(cat("is damaged: ", where_, " has a text of ", length, " bytes"));
    const auto size = static_cast<std::size_t>(length);
    if (length <= 12) return {reinterpret_cast<const char*>(view) + 4, size};
    const auto index = loaded<std::int32_t>(view, 2);
    const auto begin = loaded<std::int32_t>(view, 3);
    if (index < 0 || index >= buffers_ || sizes_ == nullptr || begin < 0) return refuse_place();
    const auto bytes = loaded<std::int64_t>(sizes_, static_cast<std::size_t>(index));
    if (std::int64_t{begin} + length > bytes) return refuse_place();
    const auto* text = static_cast<const char*>(part_.array->buffers[2 + index]);
    return text == nullptr ? refuse_place() : std::string_view(text + begin, size);
  }

 private:
  std::string_view refuse_place() const { refuse(cat("is damaged: ", where_, " has a text outside of its buffers")); }

  const Part& part_;
  const std::string& where_;
  const void* views_;
  const void* sizes_ = nullptr;
  std::int64_t buffers_ = 0;
};

template <class Texts>
void add_texts(const Part& part, const Texts& text, LabelCollector& out) {
  const std::uint8_t* present = present_bits(part);
  for (std::size_t i = part.first; i < part.first + part.rows; ++i) out.add(is_there(present, i) ? text(i) : "");
}

// ---- Columns ----

/// A column of all batches.
class StreamColumn {
 public:
  StreamColumn(const ArrowSchema& schema, std::string where) : where_(std::move(where)) {
    if (schema.format == nullptr) refuse(cat("is damaged: ", where_, " has no type"));
    type_ = arrow_type(schema.format);
    if (schema.dictionary == nullptr) return;
    if (type_.form != ArrowType::Form::number || schema.dictionary->dictionary != nullptr) {
      refuse(cat("is damaged: ", where_, " has a dictionary of no known form"));
    }
    dictionary_ = std::make_unique<StreamColumn>(*schema.dictionary, "the dictionary of " + where_);
  }

  void add(const ArrowArray* array, std::size_t first, std::size_t rows) {
    if (array == nullptr || array->length < 0 || array->offset < 0 ||
        static_cast<std::size_t>(array->length) < first + rows) {
      refuse(
          cat("is damaged: ", where_, " has ", array == nullptr ? 0 : array->length, " rows, expected ", first + rows));
    }
    const Part part{array, first + static_cast<std::size_t>(array->offset), rows};
    rows_ += rows;
    if (dictionary_) return add_codes(part);
    switch (type_.form) {
      case ArrowType::Form::number:
      case ArrowType::Form::boolean:
        chunks_.push_back(chunk_of(part, type_, where_));
        break;
      case ArrowType::Form::text:
        if (type_.views) {
          add_texts(part, ViewedTexts(part, where_), texts_);
        } else if (type_.large) {
          add_texts(part, OffsetTexts<std::int64_t>(part, where_), texts_);
        } else {
          add_texts(part, OffsetTexts<std::int32_t>(part, where_), texts_);
        }
        break;
      case ArrowType::Form::time:
        add_times(part);
        break;
      default:
        break;
    }
  }

  void finish(FrameTable& table) {
    if (dictionary_ && dictionary_->type_.form == ArrowType::Form::unusable) {
      return table.add_unusable(rows_, cat("it holds ", dictionary_->type_.what, ", which are no feature"));
    }
    if (dictionary_) return table.add_texts(texts_.take(), true);
    switch (type_.form) {
      case ArrowType::Form::none:
        return table.add_unusable(rows_, "no value is there");
      case ArrowType::Form::number:
      case ArrowType::Form::boolean:
        return table.add_numbers(std::move(chunks_), type_.form == ArrowType::Form::boolean);
      case ArrowType::Form::text:
        return table.add_texts(texts_.take(), false);
      case ArrowType::Form::time:
        return table.add_times(std::move(times_), type_.per_second);
      default:
        return table.add_unusable(rows_, cat("it holds ", type_.what, ", which are no feature"));
    }
  }

 private:
  void add_times(const Part& part) {
    const void* values = buffer(part, 1, where_);
    const std::uint8_t* present = present_bits(part);
    for (std::size_t i = part.first; i < part.first + part.rows; ++i) {
      if (!is_there(present, i)) {
        times_.push_back(kNoTime);
      } else if (type_.number == ElementType::int32) {
        times_.push_back(std::int64_t{loaded<std::int32_t>(values, i)} * type_.seconds);
      } else {
        times_.push_back(loaded<std::int64_t>(values, i));
      }
    }
  }

  /// Numbers of texts of a dictionary, which other batches may have another one of.
  void add_codes(const Part& part) {
    const ArrowArray* dictionary = part.array->dictionary;
    if (dictionary_->type_.form == ArrowType::Form::unusable) return;
    if (dictionary == nullptr || dictionary->length < 0) refuse(cat("is damaged: ", where_, " lacks its dictionary"));
    StreamColumn words = dictionary_->emptied();
    words.add(dictionary, 0, static_cast<std::size_t>(dictionary->length));
    FrameTable held;
    words.finish(held);
    const LabelColumn known = held.take_texts();
    const NumberChunk codes = chunk_of(part, type_, where_);
    const std::uint8_t* present = present_bits(part);
    for (std::size_t i = part.first; i < part.first + part.rows; ++i) {
      if (!is_there(present, i)) {
        texts_.add("");
        continue;
      }
      const std::int64_t code = code_at(codes.values, i);
      if (code < 0 || code >= dictionary->length) {
        refuse(cat("is damaged: ", where_, " has the number ", code, " of a dictionary of ", dictionary->length));
      }
      const auto place = static_cast<std::size_t>(code);
      texts_.add(known.codes.empty() ? "" : known.texts[known.codes[place]]);
    }
  }

  std::int64_t code_at(const void* values, std::size_t i) const {
    switch (type_.number) {
      case ElementType::int8:
        return loaded<std::int8_t>(values, i);
      case ElementType::uint8:
        return loaded<std::uint8_t>(values, i);
      case ElementType::int16:
        return loaded<std::int16_t>(values, i);
      case ElementType::uint16:
        return loaded<std::uint16_t>(values, i);
      case ElementType::int32:
        return loaded<std::int32_t>(values, i);
      case ElementType::uint32:
        return loaded<std::uint32_t>(values, i);
      case ElementType::int64:
        return loaded<std::int64_t>(values, i);
      case ElementType::uint64:
        return static_cast<std::int64_t>(loaded<std::uint64_t>(values, i));
      default:
        refuse(cat("is damaged: ", where_, " has a dictionary without whole numbers"));
    }
  }

  /// One of the same type without rows.
  StreamColumn emptied() const { return StreamColumn(type_, where_); }
  StreamColumn(const ArrowType& type, std::string where) : where_(std::move(where)), type_(type) {}

  std::string where_;
  ArrowType type_;
  std::unique_ptr<StreamColumn> dictionary_;
  std::size_t rows_ = 0;
  std::vector<NumberChunk> chunks_;
  LabelCollector texts_;
  std::vector<std::int64_t> times_;
};

/// Calls into the library that made the stream.
void require_success(int fault, ArrowArrayStream& stream) {
  if (fault == 0) return;
  const char* text = stream.get_last_error != nullptr ? stream.get_last_error(&stream) : nullptr;
  refuse(cat("ended with a fault: ", text != nullptr ? valid_utf8(text) : std::strerror(fault)));
}

}  // namespace

std::vector<std::string> add_stream(ArrowArrayStream& given, FrameTable& table) {
  if (given.release == nullptr || given.get_schema == nullptr || given.get_next == nullptr) {
    refuse("has been read already; give one that is new");
  }
  const auto stream = owned<ArrowArrayStream>();
  *stream = given;
  given.release = nullptr;
  const auto schema = owned<ArrowSchema>();
  require_success(stream->get_schema(stream.get(), schema.get()), *stream);
  if (schema->release == nullptr || schema->format == nullptr) refuse("is damaged: it has no schema");
  if (std::string_view(schema->format) != "+s") {
    refuse(cat("holds one column of format '", excerpt(schema->format), "'; expected a table: columns with names"));
  }
  if (schema->n_children < 0 || (schema->n_children > 0 && schema->children == nullptr)) {
    refuse("is damaged: its schema has no columns where there should be some");
  }
  std::vector<std::string> names;
  std::vector<StreamColumn> columns;
  for (const ArrowSchema* child : std::span(schema->children, static_cast<std::size_t>(schema->n_children))) {
    if (child == nullptr) refuse("is damaged: a column has no schema");
    names.push_back(child->name != nullptr ? valid_utf8(child->name) : "");
    columns.emplace_back(*child, cat("column '", excerpt(names.back()), "'"));
  }
  for (std::size_t done = 0;;) {
    const auto batch = owned<ArrowArray>();
    require_success(stream->get_next(stream.get(), batch.get()), *stream);
    if (batch->release == nullptr) break;
    if (batch->length < 0 || batch->offset < 0 || batch->n_children != schema->n_children ||
        (batch->n_children > 0 && batch->children == nullptr)) {
      refuse(cat("is damaged: a batch of ", batch->length, " rows has ", batch->n_children, " columns, expected ",
                 schema->n_children));
    }
    const auto first = static_cast<std::size_t>(batch->offset);
    const auto rows = static_cast<std::size_t>(batch->length);
    const std::uint8_t* present = present_bits({.array = batch.get(), .first = 0, .rows = rows});
    for (std::size_t r = first; present != nullptr && r < first + rows; ++r) {
      if (!is_there(present, r)) refuse(cat("has no values at all in row ", done + r - first + 1));
    }
    done += rows;
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].add(batch->children[c], first, rows);
    table.keep(batch);
  }
  for (StreamColumn& column : columns) column.finish(table);
  return names;
}

}  // namespace obverse
