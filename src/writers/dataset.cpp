// A reduced data set as a file, in the format that its name ends in.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include <obverse/error.h>
#include <obverse/writer.h>

#include "support/text.h"
#include "writers/csv.h"
#include "writers/npz.h"
#include "writers/writers.h"

namespace obverse {
namespace {

enum class Format { csv, tsv, svm, npz };

struct Ending {
  Format format;
  bool gzip;
};

Ending ending_of(const std::string& path) {
  std::string_view name = path;
  const bool gzip = name.ends_with(".gz");
  if (gzip) name.remove_suffix(3);
  if (name.ends_with(".csv")) return {Format::csv, gzip};
  if (name.ends_with(".tsv")) return {Format::tsv, gzip};
  if (name.ends_with(".svm")) return {Format::svm, gzip};
  if (name.ends_with(".npz") && !gzip) return {Format::npz, false};
  throw Error(Fault::usage, cat("cannot tell the format of '", printable(path),
                                "'; expected a name ending in .csv, .tsv, .svm (each also .gz) or .npz"));
}

/// Text on its way to a file, through gzip where asked.
class TextSink {
 public:
  TextSink(AtomicFile& file, bool gzip) : file_(file) {
    if (!gzip) return;
    zip_.emplace();
    constexpr int kGzip = 16;
    const int code = deflateInit2(&*zip_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY);
    if (code != Z_OK) throw Error(Fault::internal, "zlib could not start");
  }
  ~TextSink() {
    if (zip_) deflateEnd(&*zip_);
  }
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  void write(std::string_view text) {
    if (zip_) {
      deflate_all(text, Z_NO_FLUSH);
    } else {
      file_.write(text);
    }
  }
  void finish() {
    if (zip_) deflate_all({}, Z_FINISH);
  }

 private:
  void deflate_all(std::string_view text, int flush) {
    std::array<char, 1 << 16> block{};
    zip_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    zip_->avail_in = static_cast<uInt>(text.size());
    do {
      zip_->next_out = reinterpret_cast<Bytef*>(block.data());
      zip_->avail_out = block.size();
      deflate(&*zip_, flush);
      file_.write({block.data(), block.size() - zip_->avail_out});
    } while (zip_->avail_out == 0);
  }

  AtomicFile& file_;
  std::optional<z_stream> zip_;
};

/// A name for the target column that no other column has.
std::string target_name(const Dataset& data, std::span<const std::size_t> columns) {
  std::string name = data.target_name().empty() ? "target" : data.target_name();
  const auto taken = [&](std::size_t c) { return data.column_names()[c] == name; };
  while (std::any_of(columns.begin(), columns.end(), taken)) name += '_';
  return name;
}

/// Calls line(row, values, text) for each row; what it appends to `text` is written.
template <class Line>
void write_rows(const Dataset& data, std::span<const std::size_t> columns, TextSink& sink, Line line) {
  constexpr std::size_t kBlock = 1 << 16;
  std::vector<float> values(columns.size());
  std::string text;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    data.copy_columns(row, columns, values.data());
    line(row, values, text);
    if (text.size() < kBlock) continue;
    sink.write(text);
    text.clear();
  }
  sink.write(text);
}

/// (columns) the texts of a column of a table by number, as fields; none for numbers, and for data that are no table.
std::vector<std::vector<std::string>> level_fields(const Dataset& data, std::span<const std::size_t> columns,
                                                   char separator) {
  std::vector<std::vector<std::string>> fields;
  if (!data.is_table()) return fields;
  for (const std::size_t c : columns) {
    fields.emplace_back();
    for (const std::string& level : data.layout().levels[c]) fields.back().push_back(csv_field(level, separator));
  }
  return fields;
}

/// A value of a table as it was read; nothing for a missing one.
void append_value(std::string& text, float value, const std::vector<std::string>& levels) {
  if (std::isnan(value)) return;
  if (levels.empty()) {
    append_number(text, value);
  } else {
    text += levels[static_cast<std::size_t>(value)];
  }
}

void write_table(const Dataset& data, std::span<const std::size_t> columns, TextSink& sink, char separator) {
  const auto is_column = [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](std::size_t c) { return data.column_names()[c] == name; });
  };
  std::vector<std::string> fields;
  for (const std::size_t c : columns) fields.push_back(csv_field(data.column_names()[c], separator));
  if (data.has_labels()) fields.push_back(csv_field(target_name(data, columns), separator));
  if (data.has_outputs()) {
    for (std::string name : data.output_names()) {
      while (is_column(name)) name += '_';
      fields.push_back(csv_field(name, separator));
    }
  }
  sink.write(join(fields, std::string(1, separator)) + "\n");
  std::vector<std::string> classes;
  for (const std::string& name : data.class_names()) classes.push_back(csv_field(name, separator));
  const std::vector<std::vector<std::string>> levels = level_fields(data, columns, separator);
  write_rows(data, columns, sink, [&](std::size_t row, const std::vector<float>& values, std::string& text) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!levels.empty()) {
        append_value(text, values[i], levels[i]);
      } else {
        append_number(text, values[i]);
      }
      text += separator;
    }
    if (data.has_labels()) {
      text += classes[static_cast<std::size_t>(data.label(row))];
    } else {
      if (data.has_outputs()) {
        for (const float value : data.outputs(row)) {
          append_number(text, value);
          text += separator;
        }
      }
      text.pop_back();
    }
    text += '\n';
  });
}

std::optional<double> as_number(const std::string& text) {
  const auto value = number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Columns are numbered from 1; zeros are left out.
void write_svm(const Dataset& data, std::span<const std::size_t> columns, TextSink& sink) {
  write_rows(data, columns, sink, [&](std::size_t row, const std::vector<float>& values, std::string& text) {
    if (data.has_outputs()) {
      append_number(text, data.outputs(row)[0]);
    } else {
      text += data.has_labels() ? data.class_names()[static_cast<std::size_t>(data.label(row))] : "0";
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0) continue;
      text += cat(' ', i + 1, ':');
      append_number(text, values[i]);
    }
    text += '\n';
  });
}

NpyArray values_array(const Dataset& data, std::span<const std::size_t> columns) {
  const bool bytes = std::holds_alternative<DenseMatrix<std::uint8_t>>(data.storage());
  const auto append = [&data, columns, bytes](std::size_t row, std::string& out) {
    std::vector<float> values(columns.size());
    data.copy_columns(row, columns, values.data());
    if (bytes) {
      for (const float value : values) out += static_cast<char>(static_cast<std::uint8_t>(value));
    } else {
      out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    }
  };
  return {.name = "X", .type = bytes ? "|u1" : "<f4", .shape = {data.rows(), columns.size()}, .append_entry = append};
}

/// Whole numbers where the class names are such, texts otherwise.
NpyArray labels_array(const Dataset& data) {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : data.class_names()) {
    if (const auto value = number_in<std::int64_t>(name)) numbers.push_back(*value);
  }
  if (numbers.size() == data.classes()) {
    return {.name = "y",
            .type = "<i8",
            .shape = {data.rows()},
            .append_entry = [&data, numbers](std::size_t row, std::string& out) {
              const std::int64_t value = numbers[static_cast<std::size_t>(data.label(row))];
              out.append(reinterpret_cast<const char*>(&value), sizeof value);
            }};
  }
  NpyArray classes = text_array("y", data.class_names());
  classes.shape = {data.rows()};
  classes.append_entry = [&data, name = std::move(classes.append_entry)](std::size_t row, std::string& out) {
    name(static_cast<std::size_t>(data.label(row)), out);
  };
  return classes;
}

/// (rows), or (rows, outputs) where there are several.
NpyArray outputs_array(const Dataset& data) {
  std::vector<std::size_t> shape{data.rows()};
  if (data.output_names().size() > 1) shape.push_back(data.output_names().size());
  return {.name = "y", .type = "<f4", .shape = shape, .append_entry = [&data](std::size_t row, std::string& out) {
            const auto values = data.outputs(row);
            out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
          }};
}

void write_archive(const Dataset& data, std::span<const std::size_t> columns, const AtomicFile& file) {
  if (file.is_direct()) {
    throw Error(Fault::output, cat("cannot write '", printable(file.path()),
                                   "': an .npz needs a file, found a device "
                                   "or a pipe"));
  }
  std::vector<std::string> names;
  for (const std::size_t c : columns) names.push_back(data.column_names()[c]);
  std::vector<NpyArray> arrays{values_array(data, columns), text_array("feature_names", names)};
  if (data.has_labels()) arrays.insert(arrays.begin() + 1, labels_array(data));
  if (data.has_outputs()) arrays.insert(arrays.begin() + 1, outputs_array(data));
  write_npz(arrays, file);
}

}  // namespace

void check_dataset_format(const Dataset& data, const std::string& path) {
  const Format format = ending_of(path).format;
  if (data.is_table() && (format == Format::npz || format == Format::svm)) {
    throw Error(Fault::usage, cat("cannot write '", printable(path), "': ", format == Format::npz ? ".npz" : ".svm",
                                  " files take numbers, found a table with words or missing values; .csv and .tsv "
                                  "keep them"));
  }
  if (format != Format::svm) return;
  if (data.has_outputs() && data.output_names().size() > 1) {
    throw Error(Fault::usage, cat("cannot write '", printable(path), "': .svm files take one target, found ",
                                  data.output_names().size(), "; .csv, .tsv and .npz keep all"));
  }
  for (const std::string& name : data.class_names()) {
    if (as_number(name)) continue;
    throw Error(Fault::usage,
                cat("cannot write '", printable(path), "': .svm files take classes that are numbers, found '",
                    printable(name), "'; .csv, .tsv and .npz keep names"));
  }
}

void write_dataset(const Dataset& data, std::span<const std::size_t> features, AtomicFile& file) {
  check_dataset_format(data, file.path());
  const std::vector<std::size_t> columns = data.columns_of(features);
  const auto [format, gzip] = ending_of(file.path());
  if (format == Format::npz) {
    write_archive(data, columns, file);
    return;
  }
  TextSink sink(file, gzip);
  if (format == Format::svm) {
    write_svm(data, columns, sink);
  } else {
    write_table(data, columns, sink, format == Format::csv ? ',' : '\t');
  }
  sink.finish();
}

void write_dataset(const Dataset& data, std::span<const std::size_t> features, const std::string& path) {
  check_dataset_format(data, path);
  write_file(path, [&](AtomicFile& file) { write_dataset(data, features, file); });
}

}  // namespace obverse
