// Selections, results and data as files. A file is written in two steps, so that several can appear together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <obverse/dataset.h>
#include <obverse/results.h>
#include <obverse/selector.h>

#include "support/file.h"

namespace obverse {

/// The text of ranking.csv.
std::string ranking_csv(const Selection& selection);

/// The text of curve.csv: the base rate as 0 features, every size, and all features. Without evidence its first line.
std::string curve_csv(const Evidence* evidence, std::size_t selected);

/// The numbers of features that `ranking_path` names, for the data of `data_path`. A name that the data lack is an
/// Error with the nearest ones; a name that comes twice is one too.
std::vector<std::size_t> features_named(const Dataset& data, std::span<const std::string> names,
                                        const std::string& data_path, const std::string& ranking_path);

/// The selection as a tree; a number that is not finite becomes null.
nlohmann::ordered_json selection_tree(const Selection& selection);

/// What a report shows of the data: target, task, classes, how the first features are distributed, and of pictures
/// their shape and a few examples.
nlohmann::ordered_json shown_data(const Selection& selection, const Dataset& data);

/// The selection with what a report shows of the data.
nlohmann::ordered_json selection_tree(const Selection& selection, const nlohmann::ordered_json& shown);
nlohmann::ordered_json selection_tree(const Selection& selection, const Dataset& data);

/// Takes out of the tree of a selection what holds values of the data: examples, distributions and with them the names
/// of classes.
void leave_out_values(nlohmann::ordered_json& tree);

/// Each as the shortest decimal number that reads back as the same float32; those beyond float32, as variances may be,
/// with all of their digits. One that is not finite becomes null.
nlohmann::ordered_json short_numbers(std::span<const float> values);
nlohmann::ordered_json short_numbers(std::span<const double> values);

/// Features are numbered from 1 outside of the program.
nlohmann::ordered_json numbers_from_one(std::span<const std::size_t> features);

/// The text of results.csv: a line for each value. Runs and folds count from 1. It holds no times: the same experiment
/// gives the same bytes.
std::string results_csv(const Results& results);

/// Throws unless the ending of the name is one that write_dataset knows and the data fits it.
void check_dataset_format(const Dataset& data, const std::string& path);

/// The data set in the format of the file's ending; the caller publishes the file.
void write_dataset(const Dataset& data, std::span<const std::size_t> features, AtomicFile& file);

}  // namespace obverse
