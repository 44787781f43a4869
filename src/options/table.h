// The options as tables to read: on a terminal, and as docs/options.md.
#pragma once

#include <string>
#include <vector>

namespace obverse {

/// One option as a user meets it.
struct OptionRow {
  std::string name;     ///< as in config files and JSON: batch_size
  std::string flag;     ///< as on the command line: --batch-size, or -k
  std::string value;    ///< what stands behind the flag: N|auto; empty: nothing, the flag itself says yes
  std::string initial;  ///< the default
  std::string allowed;  ///< in words
  std::string help;
};

/// The options of reading a data file.
std::vector<OptionRow> read_rows();

/// `effort`, `recipe`, then the options of a selection.
std::vector<OptionRow> select_rows();
/// The options of a recipe, with the defaults of the `default` one.
std::vector<OptionRow> train_rows();

/// The options of an evaluation.
std::vector<OptionRow> evaluation_rows();

/// The options of a comparison.
std::vector<OptionRow> comparison_rows();

/// What each recipe changes, and what each effort trains.
std::string recipes_text();
/// Every option with its default, what it takes and what it is for.
std::string options_text();
/// The page docs/options.md.
std::string options_markdown();

}  // namespace obverse
