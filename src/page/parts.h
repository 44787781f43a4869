// The parts that pages are made of, each written once. Texts are escaped; markup comes out.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "page/chart.h"
#include "support/text.h"

namespace obverse {

/// A drawing with the numbers behind it; page.js lets the reader save both.
struct PageFigure {
  std::string name;     ///< of the file it is saved to
  std::string caption;  ///< text
  Drawing drawing;
  std::string csv;  ///< the numbers that are drawn
};

/// Nothing for no text.
std::string paragraph(const std::string& text);
std::string heading_html(const std::string& text);

std::string figure_html(const PageFigure& figure);
/// Figures beside each other, as many as the page is wide enough for.
std::string figures_html(const std::vector<PageFigure>& figures);
/// Buttons that switch the series of their section on and off.
std::string legend_html(const std::vector<SeriesLook>& series);

/// A number that matters, with what it is above it and what to make of it below; for a list of class `facts`.
std::string fact(const std::string& term, const std::string& value, const std::string& details);

/// A list of names and values.
class Pairs {
 public:
  void add(const std::string& name, const std::string& value);
  void add(const std::string& name, std::size_t count) { add(name, with_commas(count)); }
  /// Passes over what is not known: empty, or 0.
  void add_known(const std::string& name, const std::string& value);
  void add_known(const std::string& name, std::size_t count);
  std::string html() const { return "<dl class=\"pairs\">\n" + html_ + "</dl>"; }

 private:
  std::string html_;
};

/// Things to know about a result.
std::string notes_html(const std::vector<std::string>& notes);

/// Every value of an object by its name; members that are lists of objects follow as tables, an object a column.
std::string options_html(const nlohmann::ordered_json& options);

/// What stands below a page.
std::string footer_html(const std::string& version);

}  // namespace obverse
