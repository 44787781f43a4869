// A comparison as text, CSV and JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <obverse/compare.h>

#include "report/findings_tables.h"
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

/// What was compared as a study of one set, with the methods that could rank the data in the order of their means, and
/// every mask with its complement held against the mask alone. The cost of a method is the time of one selection.
Findings findings_of(const Comparison& comparison);

/// Which rows were learned from and which were tested on, in words.
std::string rows_text(const Comparison& comparison);

/// The summary of the findings, with all features at the end; the recommended method is strong.
ReportTable methods_table(const Comparison& comparison);

/// What the numbers of the table stand for.
std::string table_words(const Comparison& comparison);

/// The text of comparison.csv: a line for each method, run, k and classifier, in the order that was asked for. It holds
/// no times: the same comparison gives the same bytes.
std::string comparison_csv(const Comparison& comparison);

/// The comparison as a tree; a number that is not defined becomes null.
nlohmann::ordered_json comparison_tree(const Comparison& comparison, const ComparisonOrigin& origin);

}  // namespace obverse
