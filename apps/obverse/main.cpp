// The command: one verb after another, and faults turned into exit codes.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <obverse/error.h>
#include <obverse/version.h>

#include "arguments.h"
#include "backend/host.h"
#include "commands.h"
#include "help.h"
#include "memory_bound.h"
#include "stop.h"
#include "support/text.h"
#include "terminal.h"

namespace {

constexpr int kExitFault = 2;     // usage, input, output, stopped, device: the user can act
constexpr int kExitInternal = 1;  // ours

constexpr std::string_view kNoMemory =
    "obverse: not enough memory; try fewer models (--effort quick, --seeds 1) or fewer columns\n";
constexpr std::string_view kBroken = "obverse: internal fault: an error where none can be handled\n";

/// One line, whatever stood in the file that the message quotes.
int fail(int code, const std::string& message) {
  obverse::print_error(obverse::cat("obverse: ", obverse::printable(message), "\n"));
  return code;
}

int fail_without_memory() {
  obverse::print_error(kNoMemory);
  return kExitFault;
}

/// The end for what is thrown where nothing can catch it, such as in a library that is being loaded.
[[noreturn]] void end_at_once() {
  const std::exception_ptr thrown = std::current_exception();
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    _exit(fail_without_memory());
  } catch (...) {
  }
  obverse::print_error(kBroken);
  _exit(kExitInternal);
}

/// CUDA's runtime, which starts before `main`, writes through the null pointer of a failed allocation.
void end_without_memory(int signal, siginfo_t* info, void*) {
  constexpr std::uintptr_t kLowest = std::uintptr_t{1} << 20;  // no object lies there
  if (reinterpret_cast<std::uintptr_t>(info->si_addr) < kLowest) _exit(fail_without_memory());
  ::signal(signal, SIG_DFL);
}

/// The loader calls it before the initialisers of any library.
void set_end() {
  std::set_terminate(&end_at_once);
  struct sigaction action {};
  action.sa_sigaction = end_without_memory;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const kSetEnd)() = &set_end;

/// Libraries and threads that go without memory say so in words of their own.
int fail_by_memory(const std::string& what) {
  return fail(kExitFault, obverse::cat(obverse::memory_message(), " (", what, ")"));
}

void describe_command(CLI::App& app) {
  obverse::set_help_style(app);
  app.set_version_flag("--version", fmt::format("obverse {} ({})", obverse::kVersion, obverse::host::arithmetic_text()),
                       "the version, and the instructions in use")
      ->group("Other");
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
  obverse::refuse_empty_names(app);
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
  std::signal(SIGSEGV, SIG_DFL);  // from here on such a fault is ours
  obverse::keep_standard_descriptors();
  obverse::install_stop_handlers();
  try {
    try {
      const int code = run(argc, argv);
      if (code == 0) obverse::check_printed();
      return code;
    } catch (const obverse::Error& error) {
      if (error.fault() == obverse::Fault::internal && obverse::memory_bound() > 0) return fail_by_memory(error.what());
      return fail(error.fault() == obverse::Fault::internal ? kExitInternal : kExitFault, error.what());
    } catch (const std::bad_alloc&) {
      return fail(kExitFault, obverse::memory_message());
    } catch (const std::exception& error) {
      if (obverse::memory_bound() > 0) return fail_by_memory(error.what());
      return fail(kExitInternal, obverse::cat("internal fault: ", error.what()));
    }
  } catch (...) {  // no memory for the message
    return fail_without_memory();
  }
}
