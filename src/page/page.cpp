#include "page/page.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "page/assets.h"
#include "page/html.h"
#include "support/text.h"

namespace obverse {
namespace {

/// The name by which a browser knows the script: it runs that one and no other, whatever a page may hold.
std::string script_hash() {
  std::array<std::uint8_t, 32> hash{};
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const char* const digits = kPageJsSha256.data() + 2 * i;
    std::from_chars(digits, digits + 2, hash[i], 16);
  }
  return "sha256-" + base64(hash);
}

std::string head(const Page& page) {
  return fmt::format(
      "<!doctype html>\n"
      "<html lang=\"en\">\n"
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Obverse\">\n"
      "<title>{}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<style>\n{}</style>\n"
      "<script>{}</script>\n"
      "</head>\n",
      script_hash(), escaped(page.title), kPageCss, kPageJs);
}

}  // namespace

std::string page_html(const Page& page) {
  std::string out = head(page);
  const auto add = [&out](fmt::string_view format, const auto&... parts) {
    fmt::vformat_to(std::back_inserter(out), format, fmt::make_format_args(parts...));
  };
  out +=
      "<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
      "<header class=\"masthead\">\n<p class=\"brand\">Obverse</p>\n<nav aria-label=\"Sections\">\n<ul>\n";
  for (const PageSection& section : page.sections) {
    add("<li><a href=\"#{}\">{}</a></li>\n", section.id, escaped(section.title));
  }
  out += "</ul>\n</nav>\n</header>\n<main id=\"content\">\n<div class=\"lead\">\n";
  add("<h1>{}</h1>\n", escaped(page.title));
  if (!page.subtitle.empty()) add("<p class=\"subtitle\">{}</p>\n", escaped(page.subtitle));
  add("{}\n</div>\n", page.lead);
  for (const PageSection& section : page.sections) {
    add("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}\n</section>\n",
        section.id, escaped(section.title), section.html);
  }
  add("</main>\n<footer>{}</footer>\n</body>\n</html>\n", page.footer);
  return out;
}

}  // namespace obverse
