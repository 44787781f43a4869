// Reads a data file and says how fast and in how much memory, as one line of JSON. csv_peers.py calls it, each time as
// a fresh process, and other readers beside it; tables.py has it read a table several times.
//   bench_csv write FILE MEGABYTES             100 columns of floats with 6 or 7 digits and a label column, from a
//   fixed seed bench_csv read FILE [TARGET [REPEATS]]     the best of the repeats
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "support/random.h"

namespace {

constexpr std::size_t kColumns = 100;

void write_file(const std::string& path, std::size_t megabytes) {
  std::ofstream out(path, std::ios::binary);
  for (std::size_t c = 0; c < kColumns; ++c) out << "x" << c + 1 << ",";
  out << "label\n";
  std::string line;
  std::size_t written = 0;
  for (std::uint64_t row = 0; written < megabytes * 1000 * 1000; ++row) {
    obverse::RandomStream random(7, obverse::Purpose::generation, row);
    line.clear();
    for (std::size_t c = 0; c < kColumns; ++c) {
      std::array<char, 32> text{};
      const int digits = 6 + static_cast<int>(random.below(2));
      const auto end =
          std::to_chars(text.data(), text.data() + text.size(), random.normal(), std::chars_format::general, digits);
      line.append(text.data(), end.ptr).push_back(',');
    }
    line.append(std::to_string(random.below(10))).push_back('\n');
    out << line;
    written += line.size();
  }
  if (!out.flush()) throw obverse::Error(obverse::Fault::output, obverse::cat(path, ": cannot be written"));
}

/// Of this program alone: getrusage would count what the process was before it became this one.
std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

/// Reads the file and lowers `seconds` to what that took.
obverse::Dataset timed(const std::string& path, const std::string& target, double& seconds) {
  const auto start = std::chrono::steady_clock::now();
  obverse::Dataset data = obverse::read(path, {.target = target});
  seconds = std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return data;
}

void read_file(const std::string& path, const std::string& target, std::size_t repeats) {
  double seconds = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < repeats; ++i) timed(path, target, seconds);
  const obverse::Dataset data = timed(path, target, seconds);
  const std::size_t peak = peak_bytes();
  const auto& matrix = std::get<obverse::DenseMatrix<float>>(data.storage());
  double sum = 0;
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (const float value : matrix.row(r)) sum += std::isnan(value) ? 0 : static_cast<double>(value);
  }
  std::printf(
      "{\"seconds\": %.4f, \"rows\": %zu, \"features\": %zu, \"sum\": %.6f, \"peak_bytes\": %zu, "
      "\"matrix_bytes\": %zu}\n",
      seconds, data.rows(), data.features(), sum, peak, data.rows() * data.features() * sizeof(float));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string verb = argc > 2 ? argv[1] : "";
  if (verb == "write" && argc == 4) {
    write_file(argv[2], std::stoul(argv[3]));
  } else if (verb == "read" && argc <= 5) {
    read_file(argv[2], argc > 3 ? argv[3] : "label", argc > 4 ? std::stoul(argv[4]) : 1);
  } else {
    std::cerr << "usage: bench_csv write FILE MEGABYTES | bench_csv read FILE [TARGET [REPEATS]]\n";
    return 2;
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
