#include "study/meter.h"

#include <algorithm>

#include "downstream/classifiers.h"

namespace obverse {

void StudyMeter::finish(const Unit& unit, const UnitRecord& record, const std::vector<Result>& rows) {
  Pace& pace = pace_[{unit.kind, unit.set}];
  pace.work += unit.work;
  pace.seconds += record.seconds * static_cast<double>(record.threads);
  add_cells(state_, unit, rows, cells_);
  changed_ = changed_ || !rows.empty();
}

/// Seconds of one thread for so much work, by what is done: of this kind and set, else of the kind.
double StudyMeter::seconds_for(const Unit& unit) const {
  Pace whole;
  for (const auto& [key, pace] : pace_) {
    if (key.first != unit.kind) continue;
    if (key.second == unit.set && pace.work > 0) return unit.work * pace.seconds / pace.work;
    whole.work += pace.work;
    whole.seconds += pace.seconds;
  }
  return whole.work > 0 ? unit.work * whole.seconds / whole.work : 0;
}

/// Each is counted with its first run.
std::size_t StudyMeter::planned_cells(const Unit& unit) const {
  if (unit.kind == Unit::Kind::training || unit.run > 0) return 0;
  const SetFinding& set = state_.sets[unit.set].set;
  const std::vector<StudySize> sizes = study_sizes(state_.plan, set.features);
  const auto of_unit =
      std::count_if(sizes.begin(), sizes.end(), [&](const StudySize& size) { return size.k == unit.k; });
  return static_cast<std::size_t>(of_unit) * classifiers_for(set.task, state_.plan.evaluate.classifiers).size();
}

StudyProgress StudyMeter::read(const std::function<std::optional<double>(std::size_t)>& share) {
  StudyProgress now;
  double seconds_done = 0;
  double seconds_left = 0;
  bool known = true;
  for (std::size_t u = 0; u < state_.units.size(); ++u) {
    const std::optional<double> done = share(u);
    if (!done) continue;
    const Unit& unit = state_.units[u];
    const double seconds = seconds_for(unit);
    known = known && seconds > 0;
    seconds_done += *done * seconds;
    seconds_left += (1 - *done) * seconds;
    ++now.units;
    now.units_done += *done >= 1 ? 1 : 0;
    now.cells += planned_cells(unit);
  }
  const double seconds = seconds_done + seconds_left;
  now.done = seconds > 0 && known
                 ? seconds_done / seconds
                 : static_cast<double>(now.units_done) / static_cast<double>(std::max<std::size_t>(1, now.units));
  if (known) now.seconds_left = seconds_left / static_cast<double>(threads_);
  if (changed_) compare();
  now.cells_done = cells_done_;
  now.comparisons = comparisons_;
  return now;
}

void StudyMeter::compare() {
  const std::vector<CellFinding> cells = cells_.cells();
  const auto& methods = state_.plan.methods;
  cells_done_ = static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [&](const CellFinding& cell) {
    return static_cast<int>(cell.runs.size()) == methods[cell.method].runs;
  }));
  comparisons_.clear();
  for (const ComparisonFinding& one : compare_methods(state_, cells)) {
    comparisons_.push_back({one.title, methods[one.first].name, methods[one.second].name, one.first_mean,
                            one.second_mean, one.won, one.cells.size()});
  }
  changed_ = false;
}

}  // namespace obverse
