// A comparison as text, JSON and a page.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <obverse/compare.h>

#include "page/page.h"
#include "report/findings_tables.h"

namespace obverse {

/// Where the data came from, for those who want to do it again; empty where it is not known.
struct ComparisonOrigin {
  std::string path = {};
  std::string format = {};
  std::string test_path = {};
  std::string command = {};       ///< as it would be typed
  std::string next_command = {};  ///< that selects by the recommended method, as it would be typed
  std::size_t peak_memory = 0;    ///< bytes; 0 where it is not known
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

/// The features of the recommended method: how many of its runs and how many of the other methods select each. Empty
/// where nothing is recommended.
ReportTable features_table(const Comparison& comparison);

/// What that table shows, and what its columns count.
std::string features_words(const Comparison& comparison);

/// The features that most other methods select and the recommended one does not; empty where there are none.
std::string missed_words(const Comparison& comparison);

/// The comparison as a tree; a number that is not defined becomes null.
nlohmann::ordered_json comparison_tree(const Comparison& comparison, const ComparisonOrigin& origin);

/// The report: which method to use and why, then everything that was measured. Needs nothing but what `compare` found;
/// the origin is shown where it is known.
Page comparison_page(const Comparison& comparison, const ComparisonOrigin& origin = {});

}  // namespace obverse
