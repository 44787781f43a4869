// A report page: one HTML file that needs nothing else, opens from disk, and runs no script but its own.
#pragma once

#include <string>
#include <vector>

namespace obverse {

/// A part of a page with a heading of its own.
struct PageSection {
  std::string id;     ///< for links; letters, digits and hyphens
  std::string title;  ///< text
  std::string html;   ///< markup made by us
};

/// What page_html dresses. Titles are text, the rest is markup made by us.
struct Page {
  std::string title;
  std::string subtitle;
  std::string lead;  ///< what was asked, the answer, how sure
  std::vector<PageSection> sections;
  std::string footer;
};

/// The whole file: head, style, script, the list of sections, the sections.
std::string page_html(const Page& page);

}  // namespace obverse
