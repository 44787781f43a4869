#include <obverse/results.h>

#include <limits>

namespace obverse {
namespace {

struct Sum {
  double sum = 0;
  std::size_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double mean() const {
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
  }
};

}  // namespace

bool ResultFilter::takes(const Result& row) const {
  return method.value_or(row.method) == row.method && k.value_or(row.k) == row.k &&
         classifier.value_or(row.classifier) == row.classifier;
}

double Results::mean(const ResultFilter& filter) const {
  Sum all;
  for (const Result& row : rows) {
    if (filter.takes(row)) all.add(row.value);
  }
  return all.mean();
}

std::vector<double> Results::run_means(const ResultFilter& filter) const {
  std::vector<Sum> runs;
  for (const Result& row : rows) {
    if (!filter.takes(row)) continue;
    const auto run = static_cast<std::size_t>(row.run);
    if (run >= runs.size()) runs.resize(run + 1);
    runs[run].add(row.value);
  }
  std::vector<double> means;
  for (const Sum& run : runs) means.push_back(run.mean());
  return means;
}

}  // namespace obverse
