// obverse report: what a selection or a study found, as one HTML file.
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/report.h>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "report/selection.h"
#include "report/study.h"
#include "stop.h"
#include "study/findings.h"
#include "study/store.h"
#include "support/file.h"
#include "support/outputs.h"
#include "support/text.h"
#include "terminal.h"
#include "writers/writers.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSelectionBytes = std::size_t{1} << 32;
constexpr std::string_view kReport = "report.html";

struct ReportArguments {
  std::string source;
  std::string output;
  ReportData report_data = ReportData::shown;
};

/// The file that was meant: a folder stands for the selection in it.
std::string source_file(const std::string& source) {
  return fs::is_directory(source) ? (fs::path(source) / "selection.json").string() : source;
}

bool is_store(const std::string& path) {
  constexpr std::string_view kBegins = "SQLite format 3";
  std::string bytes(kBegins.size(), '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes == kBegins;
}

/// A folder counts with every file in it except an earlier report.html.
Inputs inputs_of(const std::string& source) {
  Inputs inputs;
  if (fs::is_directory(source)) return inputs.folder(source, kReport);
  return is_store(source) ? inputs.store(source) : inputs.file(source);
}

/// The page of what the file holds, which is known by its content.
Page page_of(const std::string& path, ReportData report_data) {
  if (is_store(path)) {
    if (report_data == ReportData::shown) return study_page(findings_of(Store(path, Store::Access::read)));
    throw Error(Fault::usage, cat("--report-data none: expected a selection, found the store of a study, ", path,
                                  ", whose page shows examples of pictures; leave it out"));
  }
  nlohmann::ordered_json tree = parsed_selection(read_text_file(path, kSelectionBytes), path);
  if (report_data == ReportData::none) leave_out_values(tree);
  return selection_page(tree, path);
}

void run_report(const ReportArguments& arguments) {
  if (arguments.source.empty()) {
    throw Error(Fault::usage,
                "expected a selection or the store of a study, for example: obverse report result -o report.html");
  }
  const std::string source = source_file(arguments.source);
  const std::string output =
      arguments.output.empty() ? (fs::path(source).parent_path() / kReport).string() : arguments.output;
  Outputs outputs(inputs_of(arguments.source));
  outputs.file("-o", output);
  const StopInOrder guard;
  const std::string html = page_html(page_of(source, arguments.report_data));
  FileGroup group(outputs);
  group.add(output).write(html);
  check_stop();
  group.commit();
  print(fmt::format("Wrote {}, {}. Open it in a browser.\n", printable(output), byte_text(html.size())));
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("report", "write what a selection or a study found as one HTML page");
  const auto arguments = std::make_shared<ReportArguments>();
  verb.add_option("SOURCE", arguments->source,
                  "selection.json of `obverse select -o` or the folder that holds it, or the store of a study")
      ->type_name("")
      ->group("Data");
  verb.add_option("-o,--output", arguments->output, "file to write; report.html beside the source if not given")
      ->type_name("FILE")
      ->group("Output");
  add_report_data(verb, arguments->report_data);
  finish_help(verb,
              "  obverse report result\n"
              "  obverse report result/selection.json -o churn.html\n"
              "  obverse report result --report-data none -o public.html\n"
              "  obverse report paper.db -o paper.html\n");
  verb.callback([arguments] { run_report(*arguments); });
}

}  // namespace obverse
