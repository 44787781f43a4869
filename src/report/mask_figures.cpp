// Figures of trained masks.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "mask/softmax.h"
#include "report/findings_figures.h"
#include "writers/csv.h"

namespace obverse {
namespace {

/// From 0 for the least score to 1 for the largest; infinite scores are the largest.
std::vector<double> normalised(const std::vector<float>& scores) {
  Range range;
  for (const float score : scores) range.add(score);
  std::vector<double> out;
  for (const float score : scores) {
    const double share = range.high > range.low ? (score - range.low) / (range.high - range.low) : 0.5;
    out.push_back(std::isnan(score) ? kNoValue : std::clamp(share, 0.0, 1.0));
  }
  return out;
}

/// 1 for the first k of an order of D features, 0 for the others.
std::vector<double> selected(std::span<const std::size_t> order, std::size_t k, std::size_t features) {
  std::vector<double> out(features, 0);
  for (const std::size_t feature : order.first(std::min(k, order.size()))) out[feature] = 1;
  return out;
}

/// Mask and complements of scores, each times the number of features, so that 1 is an even share; in the order of the
/// mask, the largest first.
struct Designs {
  std::vector<double> mask;
  std::vector<double> opposite;   ///< softmax(-z)
  std::vector<double> remainder;  ///< (1-m)/N
};

Designs designs_of(const std::vector<float>& scores) {
  const auto features = static_cast<double>(scores.size());
  const std::vector<double> mask = softmax(scores, 1);
  const std::vector<double> opposite = softmax(scores, -1);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  Designs out;
  for (const std::size_t feature : order) {
    out.mask.push_back(features * mask[feature]);
    out.opposite.push_back(features * opposite[feature]);
    out.remainder.push_back(1 - mask[feature]);
  }
  return out;
}

/// Ranks whose values a CSV holds: all of few, evenly spaced ones of many.
std::vector<std::size_t> sampled_ranks(std::size_t features) {
  constexpr std::size_t kMost = 200;
  std::vector<std::size_t> ranks;
  const std::size_t count = std::min(features, kMost);
  for (std::size_t i = 0; i < count; ++i) ranks.push_back(count < 2 ? 0 : i * (features - 1) / (count - 1));
  return ranks;
}

}  // namespace

std::vector<const MaskFinding*> masks_of(const FindingsView& view, std::size_t set) {
  std::vector<const MaskFinding*> out;
  for (const MaskFinding& mask : view.findings().masks) {
    if (mask.set == set) out.push_back(&mask);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const MaskFinding* a, const MaskFinding* b) { return a->method < b->method; });
  return out;
}

bool has_design(const MaskFinding& mask) {
  return mask.mask && !mask.complement.empty() && mask.initial_scores.size() == mask.scores.size();
}

PageFigure masks_figure(const FindingsView& view, std::size_t set) {
  const SetFinding& found = view.set(set);
  const ImageShape shape = found.image_shape.value_or(ImageShape{});
  const std::size_t k = view.shown_k(set);
  std::vector<Drawing> parts;
  std::string csv = "method,row,column,score,rank\n";
  for (const MaskFinding* const mask : masks_of(view, set)) {
    const std::string& title = view.method(mask->method).title;
    parts.push_back(pixel_picture({.caption = title,
                                   .height = shape.height,
                                   .width = shape.width,
                                   .values = normalised(mask->scores),
                                   .palette = Palette::blue_to_red}));
    parts.push_back(pixel_picture({.caption = fmt::format("the best {}", k),
                                   .height = shape.height,
                                   .width = shape.width,
                                   .values = selected(mask->order, k, found.features),
                                   .palette = Palette::chosen}));
    for (std::size_t rank = 0; rank < std::min(k, mask->order.size()); ++rank) {
      const std::size_t pixel = mask->order[rank];
      csv += csv_line(view.method(mask->method).name, pixel / shape.width, pixel % shape.width, mask->scores[pixel],
                      rank + 1);
    }
  }
  return {.name = "masks-" + view.set_key(set),
          .caption = fmt::format("{}: the scores of one model of each method, from blue (least) to red (largest), and "
                                 "the {} pixels it selects.",
                                 found.title, k),
          .drawing = arranged(fmt::format("Masks on {}", found.title), parts, 6),
          .csv = std::move(csv)};
}

PageFigure examples_figure(const FindingsView& view, const MaskFinding& mask) {
  const SetFinding& set = view.set(mask.set);
  const ImageShape shape = set.image_shape.value_or(ImageShape{});
  const std::size_t k = view.shown_k(mask.set);
  const std::vector<double> kept = selected(mask.order, k, set.features);
  const std::size_t columns = std::min<std::size_t>(10, std::max<std::size_t>(1, set.examples.size()));
  std::vector<Drawing> parts;
  std::string csv = "class,row,column,value\n";
  for (std::size_t from = 0; from < set.examples.size(); from += columns) {
    const std::size_t end = std::min(from + columns, set.examples.size());
    for (const bool whole : {true, false}) {
      for (std::size_t i = from; i < end; ++i) {
        PixelPicture picture{.caption = whole && i < set.class_names.size() ? set.class_names[i] : std::string(),
                             .height = shape.height,
                             .width = shape.width};
        for (std::size_t pixel = 0; pixel < std::min(set.examples[i].size(), kept.size()); ++pixel) {
          const bool shown = whole || kept[pixel] > 0;
          picture.values.push_back(shown ? set.examples[i][pixel] / 255.0 : kNoValue);
        }
        parts.push_back(pixel_picture(picture, 64));
      }
      // An unfinished row is filled, so that the next one starts at the left.
      for (std::size_t i = end; i < from + columns; ++i)
        parts.push_back({.title = {}, .width = 64, .height = 0, .body = {}});
    }
    for (std::size_t i = from; i < end; ++i) {
      const std::string label = i < set.class_names.size() ? set.class_names[i] : std::to_string(i);
      for (const std::size_t pixel : std::span(mask.order).first(std::min(k, mask.order.size()))) {
        if (pixel >= set.examples[i].size()) continue;
        csv += csv_line(label, pixel / shape.width, pixel % shape.width, set.examples[i][pixel]);
      }
    }
  }
  return {.name = fmt::format("examples-{}-{}", view.set_key(mask.set), view.method_key(mask.method)),
          .caption = fmt::format("{}: an example of each class, whole and with only the {} pixels that {} selects.",
                                 set.title, k, view.method(mask.method).title),
          .drawing = arranged(fmt::format("Examples of {}", set.title), parts, columns),
          .csv = std::move(csv)};
}

std::vector<SeriesLook> design_looks() {
  return {{"mask", "m = softmax(z)", 0}, {"opposite", "softmax(−z)", 1}, {"remainder", "(1−m)/N", 2}};
}

std::vector<PageFigure> design_figures(const FindingsView& view, const MaskFinding& mask) {
  const std::array<Designs, 2> designs{designs_of(mask.initial_scores), designs_of(mask.scores)};
  Range range;
  for (const Designs& one : designs) {
    for (const auto* values : {&one.mask, &one.opposite, &one.remainder}) {
      for (const double value : *values) range.add(std::fmax(value, 1e-4));
    }
  }
  const std::vector<SeriesLook> looks = design_looks();
  std::vector<PageFigure> out;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const Designs& one = designs[i];
    ValueChart chart{.title = fmt::format("{}: {}, {}", i == 0 ? "Before" : "After", view.set(mask.set).title,
                                          view.method(mask.method).title),
                     .x_title = "features by their rank in the mask",
                     .y_title = "value times D",
                     .series = {{looks[0], one.mask}, {looks[1], one.opposite}, {looks[2], one.remainder}},
                     .logarithmic = true,
                     .low = range.low / 1.3,
                     .high = range.high * 1.3};
    std::string csv = "rank,mask,opposite,remainder\n";
    for (const std::size_t rank : sampled_ranks(one.mask.size())) {
      csv += csv_line(rank + 1, one.mask[rank], one.opposite[rank], one.remainder[rank]);
    }
    out.push_back(
        {.name = fmt::format("designs-{}-{}-{}", view.set_key(mask.set), view.method_key(mask.method),
                             i == 0 ? "before" : "after"),
         .caption = fmt::format("{}; the model is trained with {}.", i == 0 ? "Before training" : "After training",
                                mask.complement == "remainder" ? "(1−m)/N" : "softmax(−z)"),
         .drawing = value_chart(chart),
         .csv = std::move(csv)});
  }
  return out;
}

}  // namespace obverse
