// obverse study: many sets x methods x runs x k x classifiers by a plan, into a store that outlives interruptions.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/study.h>

#include "backend/device.h"
#include "commands.h"
#include "help.h"
#include "memory_bound.h"
#include "options/value.h"
#include "report/study.h"
#include "stop.h"
#include "study/findings.h"
#include "study/plan.h"
#include "study/sets.h"
#include "study/store.h"
#include "study_display.h"
#include "support/clock.h"
#include "support/json.h"
#include "support/outputs.h"
#include "support/text.h"
#include "terminal.h"
#include "writers/writers.h"

namespace obverse {
namespace {

struct StudyArguments {
  StudyOptions options;
  std::string threads;
  std::string max_memory;
  std::string device;
  bool list = false;
  std::string show;
};

std::string sets_text(const StudyStatus& status) {
  std::size_t width = 0;
  for (const StudyStatus::Set& set : status.sets) width = std::max(width, display_width(printable(set.name)));
  std::string out;
  for (const StudyStatus::Set& set : status.sets) {
    const std::string name = printable(set.name);
    out += fmt::format("  {}{}  ", name, std::string(width - display_width(name), ' '));
    out += set.missing.empty() ? fmt::format("{} of {} units done\n", set.done, set.units)
                               : fmt::format("left out: {}\n", printable(set.missing));
  }
  return out;
}

std::string status_text(const StudyStatus& status) {
  std::string out = fmt::format("Plan {}: {}\n", printable(status.plan), printable(status.title));
  out += sets_text(status);
  out += fmt::format("{} of {} units done, {} left; {} of one thread spent.\n", status.units_done, status.units,
                     status.units - status.units_done, duration_text(status.thread_seconds));
  if (status.workers > 0) {
    out += fmt::format("{} process{} at work on it now.\n", status.workers, status.workers == 1 ? " is" : "es are");
  }
  if (status.other_units > 0) {
    out += fmt::format("{} results of earlier plans, data or versions are in the store and not counted.\n",
                       status.other_units);
  }
  return out;
}

void print_plans() {
  for (const BuiltInPlan& plan : built_in_plans()) print(fmt::format("{:<10}{}\n", plan.name, plan.purpose));
  print("A plan of your own is a TOML file; `obverse study --show paper` is one to begin with.\n");
}

/// The store must be none of the files that the study reads.
void require_other_store(const StudyOptions& options) {
  Inputs inputs;
  if (std::filesystem::exists(options.plan)) inputs.file(options.plan);
  for (const std::string& file : data_files(parse_plan(find_plan(options.plan, options.settings)), options.data))
    inputs.file(file);
  Outputs(inputs).store("--store", study_store(options));
}

void run_plan(const StudyArguments& arguments) {
  if (arguments.list) return print_plans();
  if (!arguments.show.empty()) return print(find_plan(arguments.show).text);
  if (arguments.options.plan.empty()) {
    throw Error(Fault::usage, "expected a plan: obverse study paper --data DIR --store results.db; --list shows plans");
  }
  if (arguments.options.store.empty()) {
    throw Error(Fault::usage, cat("expected --store, the file that keeps the results: obverse study ",
                                  printable(arguments.options.plan), " --store results.db"));
  }
  StudyOptions options = arguments.options;
  assign({.name = "threads", .text = arguments.threads, .where = "--threads"}, options.threads,
         between(1, 1024).or_word("auto"));
  std::uint64_t max_memory = 0;
  assign({.name = "max_memory", .text = arguments.max_memory, .where = "--max-memory"}, max_memory,
         memory_size().or_word("none"));
  bound_memory(max_memory);
  assign({.name = "device", .text = arguments.device, .where = "--device"}, options.device, one_of(device_words()));
  require_other_store(options);
  std::vector<std::string> notes;
  settle_device(options.device, notes);
  for (const std::string& note : notes) print(filled("Note: " + note, output_style()));
  const auto began = Clock::now();
  const StopInOrder guard;
  StudyStatus status;
  {
    StudyDisplay view;
    status = run_study(options, [&](const StudyProgress& progress) {
      view.show(progress);
      return !stop_asked();
    });
  }
  const std::string took =
      fmt::format("Took {} and at most {} of memory.", duration_text(seconds_since(began)), byte_text(peak_memory()));
  const std::string store = study_store(options);
  if (store != options.store) {
    print(filled(fmt::format("The results of this shard are in {}. When all shards are done, `obverse study merge` "
                             "puts them into one store. {}",
                             printable(store), took),
                 output_style()));
    return;
  }
  print(status_text(status) + "\n" + study_text(findings_of(Store(store, Store::Access::read)), output_style()));
  print(fmt::format("{} `obverse report {}` shows what was found.\n", took, printable(store)));
}

void add_status(CLI::App& study) {
  CLI::App& verb = *study.add_subcommand("status", "show what is done and left of a study");
  const auto store = std::make_shared<std::string>();
  verb.add_option("STORE", *store, "the file that `obverse study` keeps the results in")->required();
  finish_help(verb, "  obverse study status results.db\n");
  verb.callback([store] { print(status_text(study_status(*store))); });
}

struct MergeArguments {
  std::string out;
  std::vector<std::string> stores;
};

void run_merge(const MergeArguments& arguments) {
  Inputs inputs;
  for (const std::string& store : arguments.stores) inputs.store(store);
  Outputs(inputs).store("OUT", arguments.out);
  const MergedStudy merged = merge_studies(arguments.out, arguments.stores);
  print(
      filled(fmt::format("Merged {} into {}: {} added, {} of {} units done. `obverse report {}` shows what was found.",
                         count_text(arguments.stores.size(), "store"), printable(arguments.out),
                         count_text(merged.added, "unit"), merged.units_done, merged.units, printable(arguments.out)),
             output_style()));
}

void add_merge(CLI::App& study) {
  CLI::App& verb = *study.add_subcommand("merge", "put the results of several stores, such as shards, into one");
  const auto arguments = std::make_shared<MergeArguments>();
  verb.add_option("OUT", arguments->out, "the store for all results; made where there is none")->required();
  verb.add_option("STORE", arguments->stores, "stores of the same plan, data and version, in any order")->required();
  finish_help(verb, "  obverse study merge paper.db paper.*-of-16.db\n");
  verb.callback([arguments] { run_merge(*arguments); });
}

struct ExportArguments {
  std::string store;
  std::string folder;
  std::string markdown;
};

/// Tables, everything as JSON, and a page of documentation with its figures in a folder of its name beside it.
void run_export(const ExportArguments& arguments) {
  if (arguments.folder.empty() && arguments.markdown.empty()) {
    throw Error(Fault::usage, "expected where to: -o DIR for CSV and JSON, --markdown FILE.md for a page with figures");
  }
  const std::filesystem::path page(arguments.markdown);
  const std::string figure_folder = (page.parent_path() / page.stem()).string();
  Outputs outputs(Inputs().store(arguments.store));
  outputs.folder("-o", arguments.folder, {"results.csv", "cells.csv", "comparisons.csv", "study.json"});
  outputs.file("--markdown", arguments.markdown);
  if (!arguments.markdown.empty()) outputs.any_in_folder("--markdown", figure_folder);
  const StopInOrder guard;
  const Findings findings = findings_of(Store(arguments.store, Store::Access::read));
  FileGroup group(outputs);
  std::vector<std::string> written;
  const auto add = [&](const std::string& path, const std::string& text) {
    written.push_back(path);
    group.add(path).write(text);
  };
  if (!arguments.folder.empty()) {
    group.make_folder(arguments.folder);
    add(arguments.folder + "/results.csv", results_csv(findings.results));
    add(arguments.folder + "/cells.csv", cells_csv(findings));
    add(arguments.folder + "/comparisons.csv", comparisons_csv(findings));
    add(arguments.folder + "/study.json", json_text(findings_json(findings)));
  }
  if (!arguments.markdown.empty()) {
    add(arguments.markdown, findings_markdown(findings, page.stem().string() + "/"));
    group.make_folder(figure_folder);
    const std::vector<FigureFile> figures = figure_files(findings);
    for (const FigureFile& figure : figures) group.add(figure_folder + "/" + figure.name).write(figure.svg);
    written.push_back(cat(figures.size(), " figures in ", figure_folder));
  }
  check_stop();
  group.commit();
  print(filled(fmt::format("Wrote {}.", printable(join(written))), output_style()));
}

void add_export(CLI::App& study) {
  CLI::App& verb = *study.add_subcommand("export", "write what a study found as CSV, JSON and Markdown");
  const auto arguments = std::make_shared<ExportArguments>();
  verb.add_option("STORE", arguments->store, "the file that `obverse study` keeps the results in")->required();
  verb.add_option("-o,--output", arguments->folder, "folder for results.csv, cells.csv, comparisons.csv and study.json")
      ->type_name("DIR")
      ->group("Output");
  verb.add_option("--markdown", arguments->markdown, "a page with tables, its figures as SVG in a folder beside it")
      ->type_name("FILE.md")
      ->group("Output");
  finish_help(verb, "  obverse study export paper.db -o results --markdown paper.md\n");
  verb.callback([arguments] { run_export(*arguments); });
}

}  // namespace

void add_study(CLI::App& app) {
  CLI::App& verb =
      *app.add_subcommand("study", "run many sets, methods, runs and sizes by a plan, and keep the results");
  const auto arguments = std::make_shared<StudyArguments>();
  arguments->options.plan.clear();
  verb.add_option("PLAN", arguments->options.plan, "a plan of the program (see --list) or a TOML file");
  verb.add_option("--data", arguments->options.data, "folder of the data; sets that are not in it are left out")
      ->type_name("DIR")
      ->default_str(".")
      ->group("Data");
  verb.add_option("--store", arguments->options.store, "SQLite file for the results; the same command goes on with it")
      ->type_name("FILE")
      ->group("Output");
  verb.add_flag("--update", arguments->options.update,
                "take a changed plan, changed data or another version over: what still applies is kept")
      ->group("Output");
  verb.add_flag("--smoke", arguments->options.smoke, "few rows, runs and epochs: does it all work, in about a minute?")
      ->group("Study");
  verb.add_option("--set", arguments->options.settings,
                  "another value for a key of the whole plan, or an option for all its methods: runs=3, precision=bf16")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group("Study");
  verb.add_option("--threads", arguments->threads, "threads; the results do not depend on it")
      ->type_name("N|auto")
      ->default_val("auto")
      ->group("Study");
  verb.add_option("--device", arguments->device,
                  "for networks and neighbours of all units; everything else runs on the processor")
      ->type_name(join(device_words(), "|"))
      ->default_val("cpu")
      ->group("Study");
  verb.add_option(
          "--shard", arguments->options.shard,
          "one part of the study, into a store of its own: 3/16, or auto for the rank of srun, a Slurm array or "
          "mpirun")
      ->type_name("N/COUNT|auto")
      ->group("Study");
  verb.add_option("--max-memory", arguments->max_memory, "most memory that the process may take")
      ->type_name("SIZE|none")
      ->default_val("none")
      ->group("Study");
  verb.add_flag("--list", arguments->list, "the plans of the program")->group("Study");
  verb.add_option("--show", arguments->show, "print a plan of the program, to make your own of")
      ->type_name("PLAN")
      ->group("Study");
  add_status(verb);
  add_merge(verb);
  add_export(verb);
  finish_help(verb,
              "  obverse study paper --data data --store paper.db\n"
              "  obverse study paper --data data --store paper.db --set precision=bf16\n"
              "  obverse study mine.toml --data data --store mine.db --smoke\n"
              "  obverse study paper --data data --store paper.db --shard 3/16\n"
              "  obverse study merge paper.db paper.*-of-16.db\n"
              "  obverse study status paper.db\n"
              "  obverse study export paper.db -o results\n");
  verb.callback([arguments, &verb] {
    if (verb.get_subcommands().empty()) run_plan(*arguments);
  });
}

}  // namespace obverse
