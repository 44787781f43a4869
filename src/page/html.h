// Text made safe for the places of an HTML page.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace obverse {

/// For the content of an element or a quoted attribute. Control characters and bytes that are no UTF-8 are made
/// visible, as \n or \xff.
std::string escaped(std::string_view text);

/// JSON for the inside of a script element: '<' as \u003c, bytes that are no UTF-8 replaced.
std::string script_json(const nlohmann::ordered_json& tree);

/// CSV for the inside of a script element: '<' as \u003c, which page.js turns back, bytes that are no UTF-8 replaced.
std::string script_csv(std::string_view csv);

}  // namespace obverse
