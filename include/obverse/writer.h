// Results as files. Every file is written under a temporary name and renamed when it is whole.
#pragma once

#include <string>

#include <obverse/dataset.h>
#include <obverse/ranking.h>
#include <obverse/selector.h>

namespace obverse {

/// rank, feature number, name, score, selection frequency: one line for each feature, best first.
void write_ranking(const Selection& selection, const std::string& path);

/// Reads what write_ranking wrote: feature names, best first.
std::vector<std::string> read_ranking(const std::string& path);

/// The whole selection as JSON: options, models, the choice, agreement, timings.
std::string selection_json(const Selection& selection);

/// The given features and the target, in the format of the name's ending: .csv, .tsv, .npz, .svm (each but .npz also
/// .gz).
void write_dataset(const Dataset& data, std::span<const std::size_t> features, const std::string& path);

}  // namespace obverse
