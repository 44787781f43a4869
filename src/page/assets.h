// The style and the script of every page, as the build found them in page.css and page.js.
#pragma once

#include <string_view>

namespace obverse {

extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kPageJsSha256;  ///< of kPageJs, 64 hexadecimal digits

}  // namespace obverse
