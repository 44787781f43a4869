// results.csv: one line for each value of an experiment.
#include "options/value.h"
#include "writers/csv.h"
#include "writers/writers.h"

namespace obverse {

std::string results_csv(const Results& results) {
  std::string out = "set,method,run,fold,features,k,classifier,metric,value\n";
  for (const Result& row : results.rows) {
    out += csv_line(row.set, row.method, row.run + 1, row.fold + 1, written(row.features, {}), row.k, row.classifier,
                    row.metric, row.value);
  }
  return out;
}

}  // namespace obverse
