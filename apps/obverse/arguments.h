// Arguments that several verbs share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <obverse/compare.h>
#include <obverse/dataset.h>
#include <obverse/evaluation.h>
#include <obverse/options.h>
#include <obverse/report.h>

#include "options/value.h"
#include "support/outputs.h"

namespace obverse {

/// A data file and how to read it, as it was typed.
struct DataArguments {
  std::string path;
  std::vector<Setting> typed;

  /// How to read it by the settings of a config file and what was typed, with the target as the task has it and
  /// --max-memory heeded.
  ReadOptions resolved(std::span<const Setting> config, Task task) const;
};

/// DATA, and every option of reading.
void add_data_arguments(CLI::App& app, DataArguments& arguments);

/// Test rows beside the data.
struct TestArguments {
  std::string path;    ///< empty: none were given
  std::string labels;  ///< empty: where the data has its labels
};

/// --test, with the given help, and --test-labels.
void add_test_arguments(CLI::App& app, TestArguments& arguments, const std::string& help);

/// The test rows, read as the data was; nothing where none were given.
std::optional<Dataset> read_test(const TestArguments& arguments, ReadOptions how, const Dataset& like);

/// Throws when DATA was not given; `example` shows how.
void require_data(const DataArguments& arguments, const std::string& example);

/// The options of the engine as they were typed, and the config file.
struct EngineArguments {
  std::vector<Setting> typed;
  std::string config;

  /// What the config file says; nothing without one. It may be a pipe: read it once.
  std::vector<Setting> config_settings() const;

  // Each sets the bound on memory too, where there is one.
  SelectOptions resolved(std::span<const Setting> settings = {}, Effort effort = Effort::normal) const;
  EvaluateOptions resolved_evaluation(std::span<const Setting> settings) const;
  CompareOptions resolved_comparison(std::span<const Setting> settings) const;
};

/// Throws Error where a feature is to be kept and its column to be left out.
void require_apart(const ReadOptions& read, const SelectOptions& select);

/// Every option of the engine, common ones in one help group, the rest in a second.
void add_engine_arguments(CLI::App& app, EngineArguments& arguments);
/// The options of an evaluation, then those of the selection inside it.
void add_evaluation_arguments(CLI::App& app, EngineArguments& arguments);
/// The options of a comparison, then those of the training inside it.
void add_comparison_arguments(CLI::App& app, EngineArguments& arguments);
/// The option of that name alone.
void add_engine_argument(CLI::App& app, EngineArguments& arguments, const std::string& name);

/// --report-data, for verbs that write a page of a selection.
void add_report_data(CLI::App& app, ReportData& report_data);

/// An option that takes a file or a folder is refused with an empty name, which a variable of a shell may hold by
/// mistake.
void refuse_empty_names(CLI::App& app);

/// The files that these name, and the config file with its settings.
Inputs inputs_of(const DataArguments& data, const EngineArguments& engine, std::span<const Setting> settings = {},
                 const TestArguments& test = {});

/// Settings as they would be typed for a shell, each with a blank before it: " --target churn -k 5".
std::string typed_text(std::span<const Setting> settings);

/// One line for a fault of the command line, with the nearest option for an unknown one.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace obverse
