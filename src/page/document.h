// A report as sections of words, tables and figures, written once and shown as a page or as Markdown.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "page/page.h"
#include "page/parts.h"
#include "page/table.h"

namespace obverse {

struct Words {
  std::string text;
};

struct Heading {
  std::string text;
};

/// Figures beside each other. On a page each can be saved; in Markdown they are one file under their legend.
struct FigureRow {
  std::string name;   ///< of the file: accuracy-mnist
  std::string title;  ///< what the file shows
  std::vector<PageFigure> figures;
  std::vector<SeriesLook> legend = {};  ///< on a page above the first row of the section that has one
  std::size_t columns = 3;              ///< of the file
  bool page_only = false;
};

/// What only a page shows.
struct Markup {
  std::string html;
};

/// Words, headings and tables without rows are passed over where they are empty.
using Block = std::variant<Words, Heading, ReportTable, FigureRow, Markup>;

struct Section {
  std::string id;     ///< for links; letters, digits and hyphens
  std::string title;  ///< text
  std::vector<Block> blocks;
};

/// Sections without blocks are left out, as in Markdown those whose tables and figures are all for a page only.
std::vector<PageSection> page_sections(const std::vector<Section>& sections);
/// `figure_prefix` stands before the names of the figures' files.
std::string sections_markdown(const std::vector<Section>& sections, const std::string& figure_prefix);

/// A figure that stands alone.
struct FigureFile {
  std::string name;  ///< accuracy-mnist.svg
  std::string svg;
};
/// Those that sections_markdown names.
std::vector<FigureFile> figure_files(const std::vector<Section>& sections);

}  // namespace obverse
