// The verbs of the command. Each adds itself to the command line, with a body that runs when it was asked for.
#pragma once

#include <CLI/CLI.hpp>

namespace obverse {

void add_select(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_compare(CLI::App& app);
void add_study(CLI::App& app);
void add_transform(CLI::App& app);
void add_report(CLI::App& app);
void add_info(CLI::App& app);
void add_options(CLI::App& app);
void add_demo(CLI::App& app);
void add_generate(CLI::App& app);

}  // namespace obverse
