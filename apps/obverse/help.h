// How help looks.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace obverse {

/// Options in two columns, wrapped, with their defaults. For the program, before its verbs are added.
void set_help_style(CLI::App& app);

/// The deepest verb that was given.
const CLI::App& verb_of(const CLI::App& app);

/// As it is typed: obverse study status.
std::string command_of(const CLI::App& verb);

/// Puts --help at the end of the page, and examples below it. For a verb, after its options.
void finish_help(CLI::App& app, const std::string& examples);

}  // namespace obverse
