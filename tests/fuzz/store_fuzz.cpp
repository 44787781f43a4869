// Stores of studies: edits by SQL (store_edits.h), or an input that is an SQLite file itself. Then all that `study
// status`, `study export` and `report` make of a store.
#include <unistd.h>

#include <fstream>

#include <obverse/study.h>

#include "input.h"
#include "report/report.h"
#include "report/study.h"
#include "report/study_page.h"
#include "store_edits.h"
#include "study/store.h"

namespace {

using namespace obverse;

void show(const std::string& path) {
  fuzz::refused_or_done([&] { study_status(path); });
  fuzz::refused_or_done([&] {
    const Findings findings = findings_of(Store(path, Store::Access::read));
    cells_csv(findings);
    comparisons_csv(findings);
    json_text(findings_json(findings));
    findings_markdown(findings, "study/");
    figure_files(findings);
    study_text(findings, {.unicode = true, .columns = 80});
    page_html(study_page(findings));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = cat("/dev/shm/obverse-fuzz-", getpid(), ".db");
  const std::string bytes = fuzz::text_of(data, size);
  if (bytes.starts_with("SQLite format 3")) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  } else {
    fuzz::write_store(path);
    fuzz::edit_store(path, {data, size});
  }
  show(path);
  unlink(path.c_str());
  return 0;
}
