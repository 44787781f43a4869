// selection.json as `report` reads it, up to the text of the page.
#include "input.h"
#include "page/page.h"
#include "report/selection.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace obverse;
  fuzz::refused_or_done([&] {
    page_html(selection_page(parsed_selection(fuzz::text_of(data, size), "selection.json"), "selection.json"));
  });
  return 0;
}
