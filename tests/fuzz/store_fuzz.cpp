// Stores of studies: one byte for what is made of the store (by `study status`, `study export` or `report`), then edits
// by SQL (store_edits.h). An input that is an SQLite file is opened as it is.
#include <unistd.h>

#include <algorithm>
#include <span>

#include <obverse/study.h>

#include "input.h"
#include "report/study.h"
#include "store_edits.h"
#include "study/findings.h"
#include "study/store.h"
#include "support/json.h"

namespace {

using namespace obverse;

/// A file in memory that goes away with the process.
struct File {
  std::string path = cat("/dev/shm/obverse-fuzz-", getpid(), ".db");
  ~File() { unlink(path.c_str()); }
};

/// Several views in one execution would be slow; which one is up to the input.
void show(const std::string& path, unsigned view) {
  fuzz::refused_or_done([&] {
    if (view % 6 == 0) {
      study_status(path);
      return;
    }
    const Findings findings = findings_of(Store(path, Store::Access::read));
    switch (view % 6) {
      case 1:
        cells_csv(findings);
        comparisons_csv(findings);
        json_text(findings_json(findings));
        break;
      case 2:
        findings_markdown(findings, "study/");
        break;
      case 3:
        figure_files(findings);
        break;
      case 4:
        study_text(findings, {.unicode = true, .columns = 80});
        break;
      default:
        page_html(study_page(findings));
        break;
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const File file;
  const std::string& path = file.path;
  const std::span input(data, size);
  const std::string bytes = fuzz::text_of(data, size);
  if (bytes.starts_with("SQLite format 3")) {
    fuzz::write_store(path, bytes);
  } else {
    fuzz::write_store(path, fuzz::small_store());
    fuzz::edit_store(path, input.subspan(std::min<std::size_t>(1, size)));
  }
  show(path, size == 0 ? 0 : data[0]);
  return 0;
}
