#include "page/code.h"

#include <fmt/format.h>

#include "page/html.h"
#include "support/text.h"

namespace obverse {

std::string code_html(const std::string& name, const std::vector<std::string>& lines) {
  std::vector<std::string> safe;
  for (const std::string& line : lines) safe.push_back(escaped(line));
  return fmt::format("<div class=\"code\" data-name=\"{}\"><pre><code>{}</code></pre></div>\n", escaped(name),
                     join(safe, "\n"));
}

}  // namespace obverse
