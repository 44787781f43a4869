// TOML files as settings. The only place that reads them.
#pragma once

#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "options/value.h"

namespace obverse {

/// Parses TOML; a fault is an Error with `source` (a path or a name) and the line, and so are keys of very many parts
/// and values nested very deep.
toml::table parse_toml(std::string_view text, const std::string& source);

/// "run.toml:3: "; "run.toml: " for a key that was never in a text.
std::string place_of(const std::string& source, const toml::key& key);

/// A number, a text, a truth value, or a list of numbers or texts. `where` is for messages.
Setting setting_of(std::string_view name, const toml::node& node, std::string where);

}  // namespace obverse
