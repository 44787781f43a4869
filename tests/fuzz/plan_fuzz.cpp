// Plans of studies in TOML. Lines `#set KEY=VALUE` stand for `--set` on the command line.
#include <vector>

#include "input.h"
#include "study/plan.h"
#include "study/units.h"
#include "support/json.h"

namespace {

std::vector<std::string> settings_in(const std::string& text) {
  constexpr std::string_view kMark = "#set ";
  std::vector<std::string> settings;
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at)) {
    at += kMark.size();
    settings.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return settings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace obverse;
  const std::string text = fuzz::text_of(data, size);
  const std::vector<std::string> settings = settings_in(text);
  fuzz::refused_or_done([&] {
    const PlanText found = find_plan(fuzz::file_of(text), settings);
    const Plan plan = parse_plan(found);
    plan_json(plan).dump();
    settings_of(found);
    first_difference(plan_json(plan), plan_json(smoke(plan)));
    distinct_sizes(plan, 10);
  });
  return 0;
}
