// What is known of columns before their cells are: what the user says, and what the other data are.
#include <algorithm>
#include <optional>

#include <obverse/error.h>

#include "readers/columns.h"
#include "readers/table_column.h"
#include "support/text.h"

namespace obverse {
namespace {

/// --as COLUMN=KIND.
void ask_for_kinds(const Request& request, const CsvLayout& layout, const std::string& path,
                   std::vector<TableColumn>& columns) {
  for (const std::string& one : request.options.as) {
    const std::size_t mark = one.rfind('=');
    const std::string kind = mark == std::string::npos ? "" : one.substr(mark + 1);
    const auto kinds = names(ColumnKind{});
    const auto it = std::find(kinds.begin(), kinds.end(), kind);
    if (it == kinds.end()) {
      throw Error(Fault::usage,
                  cat("as: expected COLUMN=KIND, with a kind of ", join(kinds), ", found '", excerpt(one), "'"));
    }
    const std::string_view name = std::string_view(one).substr(0, mark);
    if (request.like != nullptr && !find_column(layout.names, name)) continue;
    TableColumn& column = columns[expect_column(layout.names, name, path, "column")];
    column.reading.kind = static_cast<ColumnKind>(it - kinds.begin());
    column.asked = true;
  }
}

/// Those of the data that the file is read like, by name, or by position where the file has no names.
void take_known_kinds(const Dataset& like, const CsvLayout& layout, const ColumnPlan& plan,
                      std::vector<TableColumn>& columns) {
  const FeatureLayout& known = like.layout();
  const NameIndex index(like.column_names());
  const bool by_place = !layout.header && plan.names.size() == like.column_names().size();
  for (TableColumn& column : columns) {
    if (!column.is_feature()) continue;
    const auto place = static_cast<std::size_t>(column.place);
    std::optional<std::size_t> feature = index.find(plan.names[place]);
    if (!feature && by_place) feature = place;
    if (!feature) continue;
    column.known = true;
    column.complete = !known.is_table();
    column.reading.kind = known.is_table() ? known.kinds[*feature] : ColumnKind::number;
    if (!known.is_table()) continue;
    for (const std::string& text : known.levels[*feature]) column.first.number(text, 0);
  }
}

}  // namespace

std::vector<TableColumn> columns_of(const Request& request, const CsvLayout& layout, const ColumnPlan& plan,
                                    const std::string& path) {
  std::vector<TableColumn> columns(layout.names.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    columns[c].name = layout.names[c];
    columns[c].place = plan.place[c];
  }
  ask_for_kinds(request, layout, path, columns);
  if (request.like != nullptr) take_known_kinds(*request.like, layout, plan, columns);
  return columns;
}

}  // namespace obverse
