// What the findings say, in numbers as they are written and in sentences that pages, documentation and terminals share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings_view.h"

namespace obverse {

/// The title of a comparison, or the titles of its methods where it has none.
std::string comparison_title(const FindingsView& view, const ComparisonFinding& comparison);
std::string classifier_title(std::string_view classifier);  ///< RF
/// The sizes that were asked for: 2.5 for a share of 0.025, or the number of features.
std::vector<std::string> size_texts(const Findings& findings);
std::string size_title(const Findings& findings);  ///< what a row of sizes is called
std::string rho_text(double rho);                  ///< 2.5 for 0.025
std::string p_text(double p);                      ///< 0.031, < 0.001

/// The place of a cell: ρ = 2.5 % (k = 20), or k = 20 where sizes are counts.
std::string place_text(const Findings& findings, double rho, std::size_t k);
std::string classifier_words(std::string_view classifier);  ///< Random forest

/// CFM wins 97 of 105 cells against FM, ties 1 and loses 7.
std::string answer_text(const FindingsView& view, const ComparisonFinding& comparison);
/// The means of both over their cells, as a sentence to follow another; empty without cells.
std::string means_text(const ComparisonFinding& comparison);
/// How many of the wins and losses a test confirms.
std::string certainty_text(const FindingsView& view, const ComparisonFinding& comparison);
/// What was asked, in a sentence.
std::string question_text(const FindingsView& view);
/// What holds for all counts: of which cells they speak, sets that are missing, units that are not done yet, and what a
/// count does not say.
std::vector<std::string> note_texts(const FindingsView& view);
/// Where and by how much the first method loses; empty where it does not.
std::string losses_text(const FindingsView& view, const ComparisonFinding& comparison);
/// In how many cells the first method varies less between seeds.
std::string steadiness_text(const FindingsView& view, const ComparisonFinding& comparison);

}  // namespace obverse
