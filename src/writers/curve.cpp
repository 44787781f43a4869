// curve.csv: score against the number of features.
#include "writers/csv.h"
#include "writers/writers.h"

namespace obverse {

std::string curve_csv(const Evidence* evidence, std::size_t selected) {
  std::string csv = "k,metric,score,low,high,random,selected\n";
  if (evidence == nullptr) return csv;
  const Curve& curve = evidence->curve;
  csv += csv_line(0, curve.metric, curve.base_rate, "", "", "", 0);
  for (const CurvePoint& point : curve.points) {
    csv +=
        csv_line(point.k, curve.metric, point.score, point.low, point.high, point.random, point.k == selected ? 1 : 0);
  }
  if (curve.points.back().k == curve.all.k) return csv;
  return csv + csv_line(curve.all.k, curve.metric, curve.all.score, curve.all.low, curve.all.high, "", 0);
}

}  // namespace obverse
