// How far a running study is: its units and cells, how its comparisons stand, and how long the rest will take.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <obverse/study.h>

#include "study/state.h"

namespace obverse {

class StudyMeter {
 public:
  /// The state has to outlive the meter.
  StudyMeter(const StudyState& state, std::size_t threads)
      : state_(state), threads_(threads), cells_(state.plan.evaluate.classifiers) {}

  /// A unit is done: its time counts and, of an evaluation, its results.
  void finish(const Unit& unit, const UnitRecord& record, const std::vector<Result>& rows);

  /// `share` gives how much of a unit is done, from 0 to 1, and nothing for one that cannot be worked on here.
  StudyProgress read(const std::function<std::optional<double>(std::size_t)>& share);

 private:
  struct Pace {
    double work = 0;
    double seconds = 0;  ///< of one thread
  };

  double seconds_for(const Unit& unit) const;
  std::size_t planned_cells(const Unit& unit) const;
  void compare();

  const StudyState& state_;
  std::size_t threads_;
  std::map<std::pair<Unit::Kind, std::size_t>, Pace> pace_;  ///< by kind and set
  ResultCells cells_;
  bool changed_ = false;  ///< since the comparisons were made
  std::size_t cells_done_ = 0;
  std::vector<RunningComparison> comparisons_;
};

}  // namespace obverse
