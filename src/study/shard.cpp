#include "study/shard.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kMostShards = 1000000;

std::optional<std::size_t> variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : number_in<std::size_t>(text);
}

/// A rank from 0 and the number of ranks, as a launcher gives them; nothing where it does not.
std::optional<Shard> ranks(const char* rank, const char* count) {
  const auto number = variable(rank);
  const auto all = variable(count);
  if (!number || !all || *number >= *all) return std::nullopt;
  return Shard{*number + 1, *all};
}

/// The tasks of a Slurm array, whose numbers may begin anywhere and leave some out at equal steps.
std::optional<Shard> array_task() {
  const auto id = variable("SLURM_ARRAY_TASK_ID");
  const auto count = variable("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  const std::size_t least = variable("SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::size_t step = std::max<std::size_t>(1, variable("SLURM_ARRAY_TASK_STEP").value_or(1));
  if (*id < least || (*id - least) % step != 0 || (*id - least) / step >= *count) {
    throw Error(Fault::usage, cat("shard auto: expected the tasks of a Slurm array to be evenly spaced, found task ",
                                  *id, " of ", *count, " that begin at ", least, "; give --shard NUMBER/COUNT"));
  }
  return Shard{(*id - least) / step + 1, *count};
}

Shard shard_of_environment() {
  std::optional<Shard> task = ranks("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  if (!task) task = ranks("PMI_RANK", "PMI_SIZE");
  if (!task) task = ranks("SLURM_PROCID", "SLURM_STEP_NUM_TASKS");  // the second is set by srun alone
  const std::optional<Shard> array = array_task();
  if (!task && !array) {
    throw Error(Fault::usage,
                "shard auto: expected to be started by srun, a Slurm array or mpirun, found none of "
                "OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_STEP_NUM_TASKS and SLURM_ARRAY_TASK_ID in the environment; give "
                "--shard NUMBER/COUNT");
  }
  if (!array) return *task;
  if (!task) return *array;
  return {(array->number - 1) * task->count + task->number, array->count * task->count};
}

}  // namespace

Shard shard_named(std::string_view text) {
  if (text.empty()) return {};
  if (text == "auto") return shard_of_environment();
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = number_in<std::size_t>(text.substr(0, slash));
    const auto count = number_in<std::size_t>(text.substr(slash + 1));
    if (number && count && *number >= 1 && *number <= *count && *count <= kMostShards) return {*number, *count};
  }
  throw Error(Fault::usage, cat("shard: expected NUMBER/COUNT with 1 <= NUMBER <= COUNT <= ", with_commas(kMostShards),
                                ", such as 3/16, or auto; found '", excerpt(std::string(text)), "'"));
}

std::vector<char> units_of_shard(std::span<const Unit> units, const Shard& shard) {
  const auto training = [&](std::size_t u) -> const std::string& {
    return units[u].training ? units[*units[u].training].key : units[u].key;
  };
  std::map<std::string, double> work;  // of a training with its evaluations
  std::vector<std::string> keys;       // in the order of the units
  for (std::size_t u = 0; u < units.size(); ++u) {
    const auto [entry, is_new] = work.try_emplace(training(u), 0);
    if (is_new) keys.push_back(training(u));
    entry->second += units[u].work;
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const std::string& a, const std::string& b) { return work[a] > work[b]; });
  std::map<std::string, std::size_t> place;
  for (const std::string& key : keys) place.emplace(key, place.size());
  std::vector<char> is_in(units.size());
  for (std::size_t u = 0; u < units.size(); ++u) {
    is_in[u] = place[training(u)] % shard.count == shard.number - 1 ? 1 : 0;
  }
  return is_in;
}

std::string store_of_shard(const std::string& store, const Shard& shard) {
  if (shard.count == 1) return store;
  const std::filesystem::path path(store);
  std::filesystem::path name = path.stem();
  name += cat(".", shard.number, "-of-", shard.count);
  name += path.extension();
  return (path.parent_path() / name).string();
}

}  // namespace obverse
