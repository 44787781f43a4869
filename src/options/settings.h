// From what a user gave, in a config file and on the command line, to the options of a run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/compare.h>
#include <obverse/evaluation.h>
#include <obverse/options.h>

#include "options/value.h"

namespace obverse {

/// Every name that a setting of reading a data file may have.
std::vector<std::string> read_setting_names();
/// Every name that a setting of a selection may have: effort, recipe, then the select and train options.
std::vector<std::string> setting_names();
/// Those of them that only an answer has, and not the selections inside an evaluation, a comparison or a study: what is
/// made of parts of the rows.
std::span<const std::string_view> answer_setting_names();
/// The same for an evaluation, without those of its selection. Both have k and rho, here each a list.
std::vector<std::string> evaluation_setting_names();
/// The same for a comparison.
std::vector<std::string> comparison_setting_names();

/// The settings of a TOML file of `name = value` lines. An unknown name is an Error with the nearest known one.
std::vector<Setting> read_config(const std::string& path);

/// What was asked of reading and selecting, each option once: what is typed wins over the file. Values that are the
/// defaults anyway are left out, unless an effort or a recipe was asked for too: these have other defaults.
std::vector<Setting> asked_settings(std::span<const Setting> config, std::span<const Setting> command_line);

/// Whether a method looks at the option of that name: a baseline at none that is for training networks.
bool takes(std::string_view method, std::string_view name);

/// How the data are read; other settings are passed over. What is typed wins, and answers for the file what to predict
/// and what splits go by.
ReadOptions read_options(std::span<const Setting> config, std::span<const Setting> command_line);

/// Starts from the effort and its recipes (or those asked for), then applies the config file and the command line, so
/// that what was typed wins. A config file may hold options of reading, of an evaluation or of a comparison too.
/// Training options apply to every recipe. Throws for k and rho given in one place, and for a training option given for
/// a method that trains no network.
SelectOptions select_options(std::span<const Setting> config, std::span<const Setting> command_line,
                             Effort effort = Effort::normal);

/// The options of an evaluation and of the selection inside it; k and rho are for the evaluation alone.
EvaluateOptions evaluate_options(std::span<const Setting> config, std::span<const Setting> command_line);

/// The options of a comparison and of the training inside it. A method or a complement of a config file are for other
/// commands: a comparison has its own list.
CompareOptions compare_options(std::span<const Setting> config, std::span<const Setting> command_line);

/// The settings with which `select` repeats what a comparison did by one of its methods for k features, on all rows:
/// what was given for reading, these two, and what was given for selecting, as far as the method looks at it.
std::vector<Setting> selection_settings(std::string_view method, std::size_t k, std::span<const Setting> config,
                                        std::span<const Setting> command_line);

/// Checks what a program set against the bounds that hold for a user.
void check_options(const SelectOptions& options);
void check_options(const EvaluateOptions& options);
void check_options(const CompareOptions& options);

}  // namespace obverse
