// Code to copy.
#pragma once

#include <string>
#include <vector>

namespace obverse {

/// Lines of code; page.js adds a button that copies them. `name` is what it copies: "the command".
std::string code_html(const std::string& name, const std::vector<std::string>& lines);

}  // namespace obverse
