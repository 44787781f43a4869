#include "page/document.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace obverse {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

std::string blocks_html(const std::vector<Block>& blocks) {
  std::string out;
  std::string heading;  // waits for what is below it: a legend of the section stands above the first one
  bool has_legend = false;
  const Overloaded html{[](const Words& words) { return paragraph(words.text); },
                        [&](const Heading& one) {
                          heading = heading_html(one.text);
                          return std::string();
                        },
                        [](const ReportTable& table) { return table.rows.empty() ? std::string() : table_html(table); },
                        [&](const FigureRow& row) {
                          if (!row.legend.empty() && !has_legend) out += legend_html(row.legend);
                          has_legend = has_legend || !row.legend.empty();
                          return row.figures.size() == 1 ? figure_html(row.figures.front()) : figures_html(row.figures);
                        },
                        [](const Markup& markup) { return markup.html; }};
  for (const Block& block : blocks) {
    const std::string text = std::visit(html, block);
    if (text.empty()) continue;
    out += std::exchange(heading, {}) + text;
  }
  return out;
}

/// All figures of a row, under their legend.
Drawing row_drawing(const FigureRow& row) {
  std::vector<Drawing> drawings;
  for (const PageFigure& figure : row.figures) drawings.push_back(figure.drawing);
  Drawing out = arranged(row.title, drawings, row.columns);
  if (row.legend.empty()) return out;
  return arranged(row.title, {legend_drawing(row.legend, std::fmax(out.width, 320)), out}, 1);
}

std::string row_markdown(const FigureRow& row, const std::string& prefix) {
  if (row.page_only) return {};
  const std::string image = fmt::format("![{}]({}{}.svg)\n\n", markdown_text(row.title), prefix, row.name);
  const std::string caption = row.figures.size() == 1 ? row.figures.front().caption : std::string();
  return caption.empty() ? image : image + markdown_text(caption) + "\n\n";
}

std::string blocks_markdown(const std::vector<Block>& blocks, const std::string& prefix) {
  std::string out;
  std::string heading;  // waits for something below it
  const Overloaded markdown{
      [](const Words& words) { return words.text.empty() ? std::string() : markdown_text(words.text) + "\n\n"; },
      [&](const Heading& one) {
        heading = fmt::format("### {}\n\n", markdown_text(one.text));
        return std::string();
      },
      [](const ReportTable& table) { return table.rows.empty() ? std::string() : table_markdown(table) + "\n"; },
      [&](const FigureRow& row) { return row_markdown(row, prefix); }, [](const Markup&) { return std::string(); }};
  for (const Block& block : blocks) {
    const std::string text = std::visit(markdown, block);
    if (text.empty()) continue;
    out += std::exchange(heading, {}) + text;
  }
  return out;
}

bool is_for_a_page(const Block& block) {
  const auto* const row = std::get_if<FigureRow>(&block);
  return std::holds_alternative<Markup>(block) || (row != nullptr && row->page_only);
}

bool is_shown(const Block& block) {
  const auto* const table = std::get_if<ReportTable>(&block);
  const bool has_rows = table != nullptr && !table->rows.empty();
  return has_rows || (std::holds_alternative<FigureRow>(block) && !is_for_a_page(block));
}

}  // namespace

std::vector<PageSection> page_sections(const std::vector<Section>& sections) {
  std::vector<PageSection> out;
  for (const Section& section : sections) {
    if (!section.blocks.empty()) out.push_back({section.id, section.title, blocks_html(section.blocks)});
  }
  return out;
}

std::string sections_markdown(const std::vector<Section>& sections, const std::string& figure_prefix) {
  std::string out;
  for (const Section& section : sections) {
    const auto& blocks = section.blocks;
    const bool page_only = std::any_of(blocks.begin(), blocks.end(), is_for_a_page) &&
                           std::none_of(blocks.begin(), blocks.end(), is_shown);
    if (blocks.empty() || page_only) continue;
    out += fmt::format("## {}\n\n{}", markdown_text(section.title), blocks_markdown(blocks, figure_prefix));
  }
  return out;
}

std::vector<FigureFile> figure_files(const std::vector<Section>& sections) {
  std::vector<FigureFile> out;
  for (const Section& section : sections) {
    for (const Block& block : section.blocks) {
      const auto* const row = std::get_if<FigureRow>(&block);
      if (row == nullptr || row->page_only) continue;
      out.push_back({row->name + ".svg", standalone_svg(row_drawing(*row))});
    }
  }
  return out;
}

}  // namespace obverse
