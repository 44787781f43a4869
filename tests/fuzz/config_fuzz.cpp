// Config files: options in TOML, resolved for every command and echoed as JSON.
#include "input.h"
#include "options/json.h"
#include "options/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace obverse;
  std::vector<Setting> config;
  fuzz::refused_or_done([&] { config = read_config(fuzz::file_of(fuzz::text_of(data, size))); });
  fuzz::refused_or_done([&] { read_options(config, {}); });
  fuzz::refused_or_done([&] {
    const SelectOptions options = select_options(config, {});
    check_options(options);
    options_json(options).dump();
  });
  fuzz::refused_or_done([&] {
    const EvaluateOptions options = evaluate_options(config, {});
    check_options(options);
    options_json(options).dump();
  });
  fuzz::refused_or_done([&] {
    const CompareOptions options = compare_options(config, {});
    check_options(options);
    options_json(options).dump();
  });
  return 0;
}
