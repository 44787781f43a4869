#include "report/selection_repeat.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <obverse/error.h>

#include "options/table.h"
#include "page/code.h"
#include "support/text.h"

namespace obverse {
namespace {

/// \x41, \u2028 or \U0001f600.
std::string python_escape(std::uint32_t point) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const int digits = point < 0x100 ? 2 : point < 0x10000 ? 4 : 8;
  std::string out{'\\', digits == 2 ? 'x' : digits == 4 ? 'u' : 'U'};
  for (int digit = digits - 1; digit >= 0; --digit) out += kHex[(point >> (4 * digit)) & 15U];
  return out;
}

/// A string of Python, on one line and in quotes; a byte that is no UTF-8 becomes U+FFFD.
std::string in_python(const std::string& text) {
  // Letters of every alphabet stay as they are unless something else has to be escaped.
  const bool plain = printable(text) == text;
  std::string out = "'";
  if (plain) {
    for (const char c : text) out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    return out + "'";
  }
  for (const char32_t point : code_points(text)) {
    if (point == U'\'' || point == U'\\') out += '\\';
    if (point >= 0x20 && point < 0x7F) {
      out += static_cast<char>(point);
    } else {
      out += python_escape(point);
    }
  }
  return out + "'";
}

/// What was given to an option; empty where nothing was.
std::string asked(const SelectionView& view, std::string_view name) {
  const auto found =
      std::find_if(view.request->begin(), view.request->end(), [&](const auto& one) { return one.name == name; });
  return found == view.request->end() ? std::string() : found->text;
}

/// A word behind a flag that begins with a hyphen could pass for another flag, unless it is a number.
std::string flag_and_value(const std::string& flag, const std::string& text) {
  const bool confusing = text.starts_with('-') && !number_in<double>(text) && flag.starts_with("--");
  return cat(flag, confusing ? "=" : " ", in_shell(text));
}

/// As a literal where it is a number, else in quotes.
std::string python_scalar(std::string_view text) {
  if (const auto whole = number_in<std::int64_t>(text)) return std::to_string(*whole);
  if (const auto whole = number_in<std::uint64_t>(text)) return std::to_string(*whole);
  if (const auto number = number_in<double>(text); number && std::isfinite(*number)) return fmt::format("{}", *number);
  return in_python(std::string(text));
}

std::string python_value(const OptionRow& row, const std::string& text) {
  if (row.value.empty()) return text == "true" ? "True" : "False";
  const bool numbers = row.value.starts_with("N") || row.value.starts_with("X");
  const bool list = row.value.find(",...") != std::string::npos;
  if (!list) return numbers || row.value.starts_with("COLUMN") ? python_scalar(text) : in_python(text);
  std::vector<std::string> items;
  for (const std::string& item : split_text(text, ',')) items.push_back(python_scalar(trimmed(item)));
  return items.size() == 1 ? items.front() : cat("[", join(items), "]");
}

/// {'gyro': ['gyro_1', 'gyro_2']}
std::string groups_in_python(const SelectionView& view) {
  std::vector<std::string> groups;
  for (std::size_t f = 0; f < view.columns.size(); ++f) {
    if (view.columns[f].empty()) continue;
    std::vector<std::string> columns;
    for (const std::string& column : view.columns[f]) columns.push_back(in_python(column));
    groups.push_back(cat(in_python(view.names[f]), ": [", join(columns), "]"));
  }
  return cat("{", join(groups), "}");
}

/// How columns are read: kinds={'zip': 'category'}, missing='drop-rows', column_groups={'gyro': ['gyro_1', 'gyro_2']}.
std::vector<std::string> reading_keywords(const SelectionView& view) {
  std::vector<std::string> keywords;
  std::vector<std::string> kinds;
  if (const std::string as = asked(view, "as"); !as.empty()) {
    for (const std::string& one : split_text(as, ',')) {
      const std::size_t mark = std::min(one.rfind('='), one.size());
      kinds.push_back(cat(in_python(std::string(trimmed(one.substr(0, mark)))), ": ",
                          in_python(one.substr(std::min(mark + 1, one.size())))));
    }
    keywords.push_back(cat("kinds={", join(kinds), "}"));
  }
  if (const std::string missing = asked(view, "missing"); !missing.empty()) {
    keywords.push_back(cat("missing=", in_python(missing)));
  }
  if (!view.columns.empty()) keywords.push_back(cat("column_groups=", groups_in_python(view)));
  return keywords;
}

/// The names of features that are kept: Python counts columns from 0, the command features from 1.
std::string kept_in_python(const SelectionView& view) {
  std::vector<std::string> names;
  for (const auto& name : view.options.value("keep", nlohmann::ordered_json::array())) {
    names.push_back(in_python(name.get<std::string>()));
  }
  return cat("[", join(names), "]");
}

/// FeatureSelector(...), on one line or an option a line.
std::vector<std::string> selector_lines(const SelectionView& view) {
  constexpr std::size_t kLine = 88;
  std::vector<std::string> keywords;
  for (const auto& rows : {select_rows(), train_rows()}) {
    for (const OptionRow& row : rows) {
      const std::string text = asked(view, row.name);
      if (text.empty()) continue;
      keywords.push_back(cat(row.name, "=", row.name == "keep" ? kept_in_python(view) : python_value(row, text)));
    }
  }
  for (std::string& keyword : reading_keywords(view)) keywords.push_back(std::move(keyword));
  if (view.image) keywords.push_back(fmt::format("image_shape=({}, {})", view.image->height, view.image->width));
  const std::string line = cat("selector = FeatureSelector(", join(keywords), ")");
  if (line.size() <= kLine) return {line};
  std::vector<std::string> lines{"selector = FeatureSelector("};
  for (const std::string& keyword : keywords) lines.push_back(cat("    ", keyword, ","));
  lines.emplace_back(")");
  return lines;
}

// ---- Reading the file ----

/// Options that name columns about the rows, and the arguments of fit for them.
constexpr std::array<std::array<std::string_view, 2>, 3> kRoles{
    {{"weights", "sample_weight"}, {"row_groups", "groups"}, {"time", "time"}}};

bool has_header(const SelectionView& view) { return view.format.find("no header") == std::string::npos; }

bool is_text_table(const SelectionView& view) {
  return view.format.starts_with("CSV") || view.format.starts_with("TSV");
}

/// The argument of read_csv for the separator that the format names; nothing for a comma.
std::string separator_argument(const SelectionView& view) {
  constexpr std::array<std::array<std::string_view, 2>, 4> kKnown{{{"semicolon separated", "';'"},
                                                                   {"tab separated", "'\\t'"},
                                                                   {"bar separated", "'|'"},
                                                                   {"space separated", "r'\\s+'"}}};
  for (const auto& [words, literal] : kKnown) {
    if (view.format.find(words) != std::string::npos) return cat(", sep=", literal);
  }
  const std::size_t quote = view.format.find('\'');
  return quote == std::string::npos ? std::string() : cat(", sep=", in_python(view.format.substr(quote + 1, 1)));
}

/// A column of the frame: by its name, or by its place where it was given by a number or the file names none.
std::string column(const SelectionView& view, const std::string& text) {
  const bool numbered = !has_header(view) && text.starts_with('c');
  const auto place = number_in<int>(numbered ? std::string_view(text).substr(1) : std::string_view(text));
  const bool is_name = has_header(view) && (text == view.target ||
                                            std::find(view.names.begin(), view.names.end(), text) != view.names.end());
  if (!place || *place == 0 || is_name) return in_python(text);
  return cat("data.columns[", *place > 0 ? *place - 1 : *place, "]");
}

std::vector<std::string> columns(const SelectionView& view, const std::string& list) {
  std::vector<std::string> out;
  for (const std::string& name : split_text(list, ',')) out.push_back(column(view, std::string(trimmed(name))));
  return out;
}

/// The lines that make X and y of a table of text, and the arguments of fit.
struct Reading {
  std::vector<std::string> imports;
  std::vector<std::string> lines;
  std::string fit;  ///< between the parentheses
};

Reading text_table(const SelectionView& view) {
  Reading out{.imports = {"import pandas as pd"}, .lines = {}, .fit = "X"};
  std::vector<std::string> missing;
  if (const std::string na = asked(view, "na"); !na.empty()) {
    for (const std::string& word : split_text(na, ',')) missing.push_back(in_python(std::string(trimmed(word))));
  }
  out.lines.push_back(cat("data = pd.read_csv(", in_python(view.path), separator_argument(view),
                          has_header(view) ? "" : ", header=None",
                          missing.empty() ? "" : cat(", na_values=[", join(missing), "]"), ")"));
  std::vector<std::string> others;  // columns that are no features
  const std::string targets = asked(view, "targets");
  if (!targets.empty()) {
    others = columns(view, targets);
    out.lines.push_back(cat("y = data[[", join(others), "]]"));
  } else if (const std::string target = has_header(view) ? view.target : asked(view, "target");
             !target.empty() && asked(view, "labels").empty()) {
    others = {column(view, target)};
    out.lines.push_back(cat("y = data[", others.front(), "]"));
  }
  std::string more;
  for (const auto& [option, keyword] : kRoles) {
    const std::string name = asked(view, option);
    if (name.empty()) continue;
    others.push_back(column(view, name));
    more += cat(", ", keyword, "=data[", others.back(), "]");
  }
  if (const std::string drop = asked(view, "drop"); !drop.empty()) {
    for (const std::string& name : columns(view, drop)) others.push_back(name);
  }
  out.lines.push_back(others.empty() ? "X = data" : cat("X = data.drop(columns=[", join(others), "])"));
  if (const std::string labels = asked(view, "labels"); !labels.empty()) {
    out.lines.push_back(cat("y = pd.read_csv(", in_python(labels), ", header=None)[0]"));
  }
  if (view.task != Task::reconstruction) out.fit += ", y";
  out.fit += more;
  return out;
}

/// Of files whose parts the page does not know, the reader knows which of them are X and y.
Reading other_file(const SelectionView& view) {
  constexpr std::array<std::array<std::string_view, 3>, 5> kLoaders{
      {{"NPY", "import numpy as np", "np.load"},
       {"NPZ", "import numpy as np", "np.load"},
       {"MAT", "import scipy.io", "scipy.io.loadmat"},
       {"ARFF", "import scipy.io.arff", "scipy.io.arff.loadarff"},
       {"LIBSVM", "from sklearn.datasets import load_svmlight_file", "load_svmlight_file"}}};
  const bool told = view.task != Task::reconstruction;
  Reading out{.imports = {}, .lines = {}, .fit = told ? "X, y" : "X"};
  const std::string path = in_python(view.path);
  const auto loader = std::find_if(kLoaders.begin(), kLoaders.end(),
                                   [&](const auto& known) { return view.format.starts_with(known[0]); });
  if (loader != kLoaders.end()) {
    out.imports.emplace_back((*loader)[1]);
    const bool pair = (*loader)[0] == "LIBSVM";
    out.lines.push_back(cat(pair ? "X, y = " : "data = ", (*loader)[2], "(", path, ")"));
    if (pair) return out;
  }
  out.lines.push_back(cat(told ? "X, y = ..., ...  # " : "X = ...  # ", count_text(view.names.size(), "feature"),
                          told ? " and the target of " : " of ", loader != kLoaders.end() ? "data" : path));
  return out;
}

/// X and y that somebody had in memory.
Reading in_memory(const SelectionView& view) {
  Reading out{.imports = {}, .lines = {}, .fit = view.task == Task::reconstruction ? "X" : "X, y"};
  for (const auto& [option, keyword] : kRoles) {
    if (!asked(view, option).empty()) out.fit += cat(", ", keyword, "=", keyword);
  }
  return out;
}

}  // namespace

std::string select_command(const SelectionView& view) {
  const bool like_option = view.path.starts_with('-') && view.path != "-";  // which is standard input
  std::string out = cat("obverse select ", in_shell(like_option ? "./" + view.path : view.path));
  const auto add = [&](const std::string& name, const std::string& flag, bool takes_value) {
    const std::string text = asked(view, name);
    if (text.empty() || (!takes_value && text != "true")) return;
    out += " " + (takes_value ? flag_and_value(flag, text) : flag);
  };
  for (const OptionRow& row : read_rows()) add(row.name, row.flag, true);
  add("test", "--test", true);
  add("test_labels", "--test-labels", true);
  for (const auto& rows : {select_rows(), train_rows()}) {
    for (const OptionRow& row : rows) add(row.name, row.flag, !row.value.empty());
  }
  return out;
}

std::vector<std::string> python_lines(const SelectionView& view) {
  const Reading reading = view.path.empty()     ? in_memory(view)
                          : is_text_table(view) ? text_table(view)
                                                : other_file(view);
  std::vector<std::string> lines = reading.imports;
  lines.insert(lines.end(), {"from obverse import FeatureSelector", ""});
  lines.insert(lines.end(), reading.lines.begin(), reading.lines.end());
  for (std::string& line : selector_lines(view)) lines.push_back(std::move(line));
  lines.push_back(cat("selector.fit(", reading.fit, ")"));
  return lines;
}

std::vector<Block> repeat_blocks(const SelectionView& view) {
  if (!view.request) return {};
  std::string html = paragraph(
      "With the same data and version of Obverse, on the same machine, this gives the same "
      "selection.");
  if (!view.path.empty()) {
    html += heading_html("On the command line") + code_html("the command", {select_command(view)});
  }
  return {Markup{html + heading_html("In Python") + code_html("the lines of Python", python_lines(view))}};
}

}  // namespace obverse
