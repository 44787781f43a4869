// obverse options: every option with its default and what it takes.
#include <memory>

#include "commands.h"
#include "help.h"
#include "options/table.h"
#include "terminal.h"

namespace obverse {
namespace {

struct OptionsArguments {
  bool markdown = false;
  bool recipes = false;
};

void run_options(const OptionsArguments& arguments) {
  if (arguments.markdown) {
    print(options_markdown());
  } else {
    print(arguments.recipes ? recipes_text() : options_text());
  }
}

}  // namespace

void add_options(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("options", "list every option with its default and what it takes");
  const auto arguments = std::make_shared<OptionsArguments>();
  CLI::Option* markdown = verb.add_flag("--markdown", arguments->markdown, "as the page docs/options.md");
  verb.add_flag("--recipes", arguments->recipes, "the recipes and efforts only")->excludes(markdown);
  finish_help(verb, "");
  verb.callback([arguments] { run_options(*arguments); });
}

}  // namespace obverse
