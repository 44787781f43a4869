// The command: one verb after another, and faults turned into exit codes.
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <obverse/error.h>
#include <obverse/version.h>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "memory_bound.h"
#include "stop.h"
#include "support/text.h"
#include "terminal.h"

namespace {

constexpr int kExitFault = 2;     // usage, input, output, stopped, device: the user can act
constexpr int kExitInternal = 1;  // ours

/// One line, whatever stood in the file that the message quotes.
int fail(int code, const std::string& message) {
  fmt::print(stderr, "obverse: {}\n", obverse::printable(message));
  return code;
}

/// Libraries and threads that go without memory say so in words of their own.
int fail_by_memory(const std::string& what) {
  return fail(kExitFault, fmt::format("{} ({})", obverse::memory_message(), what));
}

void describe_command(CLI::App& app) {
  obverse::set_help_style(app);
  app.set_version_flag("--version", fmt::format("obverse {}", obverse::kVersion), "the version")->group("Other");
  obverse::add_select(app);
  obverse::add_evaluate(app);
  obverse::add_compare(app);
  obverse::add_study(app);
  obverse::add_transform(app);
  obverse::add_report(app);
  obverse::add_info(app);
  obverse::add_options(app);
  obverse::add_demo(app);
  obverse::add_generate(app);
  obverse::finish_help(app,
                       "  obverse demo                                    see it work on data that it makes itself\n"
                       "  obverse select data.csv --target churn -k 20    the 20 columns that tell most about churn\n"
                       "  obverse select --help                           all there is to say about it\n");
}

int run(int argc, char** argv) {
  CLI::App app("Obverse finds the features of a data set that carry the information about its classes.", "obverse");
  describe_command(app);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) obverse::print(app.help());
    return 0;
  } catch (const CLI::CallForHelp&) {
    obverse::print(obverse::verb_of(app).help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    obverse::print(fmt::format("{}\n", version.what()));
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(kExitFault, obverse::usage_message(app, error));
  }
}

}  // namespace

int main(int argc, char** argv) {
  obverse::install_stop_handlers();
  try {
    return run(argc, argv);
  } catch (const obverse::Error& error) {
    if (error.fault() == obverse::Fault::internal && obverse::memory_bound() > 0) return fail_by_memory(error.what());
    return fail(error.fault() == obverse::Fault::internal ? kExitInternal : kExitFault, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kExitFault, obverse::memory_message());
  } catch (const std::exception& error) {
    if (obverse::memory_bound() > 0) return fail_by_memory(error.what());
    return fail(kExitInternal, fmt::format("internal fault: {}", error.what()));
  }
}
