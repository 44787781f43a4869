#include "report/control.h"

#include <cmath>

#include <fmt/format.h>

#include <obverse/error.h>

#include "page/html.h"
#include "support/text.h"

namespace obverse {
namespace {

/// 75 of 100 halves of the rows.
std::string halves_text(const Control& control) {
  return fmt::format("{} of {} halves of the rows",
                     std::lround(control.threshold * static_cast<double>(control.halves)), control.halves);
}

std::string answer_text(const Control& control, std::size_t accepted) {
  if (accepted == 0) return fmt::format("No feature passes: none is selected by at least {}.", halves_text(control));
  return fmt::format("{} {}: selected by at least {}.", count_text(accepted, "feature"),
                     accepted == 1 ? "passes" : "pass", halves_text(control));
}

std::string expected_text(const Control& control) {
  return fmt::format("At most {:.2g} false {} expected (pfer = {:g}).", control.bound,
                     control.bound == 1 ? "feature is" : "features are", control.pfer);
}

std::string copies_text(const Control& control) {
  const std::size_t copies = control.copies_accepted;
  return copies == 0 ? "No permuted copy of a feature passes."
                     : fmt::format("{} of the features {}.",
                                   copies == 1 ? "1 permuted copy" : with_commas(copies) + " permuted copies",
                                   copies == 1 ? "passes" : "pass");
}

}  // namespace

std::string control_text(const Control& control, std::size_t accepted) {
  return cat(answer_text(control, accepted), " ", expected_text(control), " ", copies_text(control));
}

bool is_controlled(const SelectionView& view) { return view.evidence && view.evidence->control; }

std::string no_feature_notice(const Control& control) {
  return fmt::format("<p class=\"notice\"><strong>No feature passes:</strong> {}. {}</p>\n",
                     escaped("none is selected by at least " + halves_text(control)), escaped(copies_text(control)));
}

std::vector<Block> control_blocks(const SelectionView& view) {
  if (!is_controlled(view)) return {};
  const Control& control = *view.evidence->control;
  std::vector<Block> out{Words{control_text(control, view.k)}};
  out.push_back(Words{fmt::format(
      "Each half selected {} out of {} and as many permuted copies, which say nothing about the target. Features that "
      "can take each other's place count as one: {} in all. The bound is that of Shah and Samworth (2013).",
      count_text(control.selected, "column"), count_text(view.names.size(), "feature"),
      with_commas(control.clusters))});
  ReportTable table{.name = "control", .columns = {{"Feature"}, {"Selected by", true}}};
  for (std::size_t rank = 0; rank < view.k; ++rank) {
    const std::size_t feature = view.order[rank];
    const double share = control.frequency[feature];
    table.rows.push_back({{excerpt(view.names[feature], 60)}, {fmt::format("{:.0f} %", 100 * share), share}});
  }
  out.push_back(std::move(table));
  return out;
}

}  // namespace obverse
