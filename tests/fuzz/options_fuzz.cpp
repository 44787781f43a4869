// The words of a command line, one on each line of the input: the verb, then its arguments. They go through the parser
// of the command, and what it takes is resolved into options.
#include "arguments.h"
#include "help.h"
#include "input.h"
#include "options/json.h"
#include "options/settings.h"
#include "support/text.h"

namespace {

using namespace obverse;

/// A verb with all options of one kind; parsed again and again.
class Verb {
 public:
  explicit Verb(void (*add)(CLI::App&, EngineArguments&)) {
    set_help_style(app_);
    add_data_arguments(app_, data_);
    add_test_arguments(app_, test_, "a file");
    add(app_, engine_);
    finish_help(app_, "  obverse verb\n");
  }

  /// What was typed for the engine; an Error for a word that the parser refuses, or that does not say how to read.
  const EngineArguments& parse(const std::vector<std::string>& words) {
    engine_.typed.clear();
    data_.typed.clear();
    try {
      app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
    } catch (const CLI::Success&) {
      app_.help();
    } catch (const CLI::ParseError& error) {
      throw Error(Fault::usage, usage_message(app_, error));
    }
    engine_.config.clear();  // config files have a target of their own
    read_options({}, data_.typed);
    return engine_;
  }

 private:
  CLI::App app_{"a verb", "verb"};
  DataArguments data_;
  TestArguments test_;
  EngineArguments engine_;
};

template <class Options>
void echo(const Options& options) {
  check_options(options);
  options_json(options).dump();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Verb select(add_engine_arguments);
  static Verb evaluate(add_evaluation_arguments);
  static Verb compare(add_comparison_arguments);
  std::vector<std::string> words = split_text(fuzz::text_of(data, size), '\n');
  const std::string verb = words.front();
  words.erase(words.begin());
  fuzz::refused_or_done([&] {
    if (verb == "evaluate") {
      echo(evaluate.parse(words).resolved_evaluation({}));
    } else if (verb == "compare") {
      echo(compare.parse(words).resolved_comparison({}));
    } else {
      echo(select.parse(words).resolved());
    }
  });
  return 0;
}
