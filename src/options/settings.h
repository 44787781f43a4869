// From what a user gave, in a config file and on the command line, to the options of a run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <obverse/options.h>

#include "options/value.h"

namespace obverse {

/// Every name that a setting may have: effort, recipe, then the select and train options.
std::vector<std::string> setting_names();

/// The settings of a TOML file of `name = value` lines. An unknown name is an Error with the nearest known one.
std::vector<Setting> read_config(const std::string& path);

/// Whether a method looks at the option of that name: a baseline at none that is for training networks.
bool takes(std::string_view method, std::string_view name);

/// Starts from the effort and its recipes (or those asked for), then applies the config file and the command line, so
/// that what was typed wins. Training options apply to every recipe. Throws for k and rho given in one place, and for
/// a training option given for a method that trains no network.
SelectOptions resolve(std::span<const Setting> config, std::span<const Setting> command_line,
                      Effort effort = Effort::normal);

/// Checks what a program set against the bounds that hold for a user.
void check_options(const SelectOptions& options);

}  // namespace obverse
