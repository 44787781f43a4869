// A comparison as text, CSV and JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <obverse/compare.h>

#include "report/study_tables.h"
#include "report/text.h"

namespace obverse {

/// Where the data came from, for those who want to do it again; empty where it is not known.
struct ComparisonOrigin {
  std::string path = {};
  std::string format = {};
  std::string test_path = {};
  std::string command = {};     ///< as it would be typed
  std::size_t peak_memory = 0;  ///< bytes; 0 where it is not known
};

/// 2.7 ms, 0.42 s, 2 min 05 s.
std::string short_duration(double seconds);

/// Which rows were learned from and which were tested on, in words.
std::string rows_text(const Comparison& comparison);

/// Methods by their mean, with the deviation of the runs, the mean of each classifier and the time to select; all
/// features at the end.
ReportTable methods_table(const Comparison& comparison);

/// What the numbers of the table stand for.
std::string table_words(const Comparison& comparison);

/// The text of comparison.csv: a line for each method, run, k and classifier, in the order that was asked for. It holds
/// no times: the same comparison gives the same bytes.
std::string comparison_csv(const Comparison& comparison);

/// The comparison as a tree; a number that is not defined becomes null.
nlohmann::ordered_json comparison_tree(const Comparison& comparison, const ComparisonOrigin& origin);

}  // namespace obverse
