#include "report/page.h"

#include <iterator>

#include <fmt/format.h>

#include "report/html.h"

namespace obverse {

std::string page_html(const Page& page) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n</head>\n<body>\n",
      escaped(page.title));
  fmt::format_to(std::back_inserter(out),
                 "<main id=\"content\">\n<div class=\"lead\">\n<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n{}\n</div>\n",
                 escaped(page.title), escaped(page.subtitle), page.lead);
  for (const PageSection& section : page.sections) {
    fmt::format_to(
        std::back_inserter(out),
        "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}\n</section>\n",
        section.id, escaped(section.title), section.html);
  }
  fmt::format_to(std::back_inserter(out), "</main>\n<footer>{}</footer>\n</body>\n</html>\n", page.footer);
  return out;
}

}  // namespace obverse
