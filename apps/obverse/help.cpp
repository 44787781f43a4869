#include "help.h"

#include <cctype>
#include <memory>

#include <fmt/format.h>

#include "support/text.h"
#include "terminal.h"

namespace obverse {
namespace {

constexpr std::size_t kColumn = 32;  ///< where explanations begin
constexpr std::size_t kWidth = 100;

/// `left`, then `text` in a column of its own; on the next line where `left` is long.
std::string two_columns(const std::string& left, const std::string& text) {
  std::string out = "  " + left;
  if (out.size() + 2 > kColumn)
    out += "\n" + std::string(kColumn, ' ');
  else
    out += std::string(kColumn - out.size(), ' ');
  const std::string body = filled(text, {.unicode = false, .columns = kWidth - kColumn});
  for (const char c : body.substr(0, body.size() - 1)) {
    out += c;
    if (c == '\n') out.append(kColumn, ' ');
  }
  return out + "\n";
}

/// A long list of words goes on in the next line, after a bar.
std::string broken_at_bars(std::string left) {
  constexpr std::string_view kIndent = "\n      ";
  for (std::size_t begin = 0; left.size() - begin + 2 > kWidth;) {
    const std::size_t bar = left.rfind('|', begin + kWidth - 3);
    if (bar == std::string::npos || bar < begin + kIndent.size()) break;
    left.insert(bar + 1, kIndent);
    begin = bar + 2;
  }
  return left;
}

std::vector<const CLI::Option*> positionals(const CLI::App* app) {
  return app->get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string option_text(const CLI::Option* option, bool positional) {
  std::string left = option->get_name(positional, true);
  for (std::size_t at = left.find(','); at != std::string::npos; at = left.find(',', at + 2)) left.insert(at + 1, " ");
  if (!positional && option->get_type_size() != 0) left += " " + option->get_type_name();
  std::string text = option->get_description();
  if (!option->get_default_str().empty()) text += fmt::format(" [{}]", option->get_default_str());
  return two_columns(broken_at_bars(left), text);
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string description = app->get_description();
    description[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(description[0])));
    std::string out = description + (description.ends_with('.') ? "\n\n" : ".\n\n") + usage(app) + verbs(app);
    for (const std::string& group : app->get_groups()) out += options(app, group);
    return app->get_footer().empty() ? out : out + "\n" + app->get_footer();
  }

 private:
  static std::string usage(const CLI::App* app) {
    if (app->get_parent() == nullptr) return "Usage: obverse COMMAND [options]\n";
    std::string line = "Usage: " + command_of(*app);
    std::string explained;
    for (const CLI::Option* option : positionals(app)) {
      line += " " + option->get_name(true, false);
      explained += option_text(option, true);
    }
    return line + " [options]\n" + (explained.empty() ? "" : "\n" + explained);
  }

  static std::string verbs(const CLI::App* app) {
    std::string out;
    for (const CLI::App* verb : app->get_subcommands({})) out += two_columns(verb->get_name(), verb->get_description());
    return out.empty() ? out : "\nCommands:\n" + out;
  }

  static std::string options(const CLI::App* app, const std::string& group) {
    std::string out;
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group() == group && option->nonpositional()) out += option_text(option, false);
    }
    return out.empty() ? out : "\n" + group + ":\n" + out;
  }
};

}  // namespace

const CLI::App& verb_of(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : verb_of(*verbs.front());
}

std::string command_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : command_of(*verb.get_parent()) + " " + verb.get_name();
}

void set_help_style(CLI::App& app) { app.formatter(std::make_shared<HelpFormatter>()); }

void finish_help(CLI::App& app, const std::string& examples) {
  app.set_help_flag();
  app.set_help_flag("-h,--help", "this page")->group("Other");
  if (!examples.empty()) app.footer("Examples:\n" + examples);
}

}  // namespace obverse
