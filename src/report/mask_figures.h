// Figures of trained masks: what they score, what they select, and their complements.
#pragma once

#include <vector>

#include "report/findings_view.h"
#include "report/page_parts.h"

namespace obverse {

/// The models of a set whose scores are known, in the order of the methods.
std::vector<const MaskFinding*> masks_of(const FindingsView& view, std::size_t set);

/// Scores and selected pixels of each method on a set of pictures.
PageFigure masks_figure(const FindingsView& view, std::size_t set);

/// A picture of each class, whole and with the pixels only that a model selects.
PageFigure examples_figure(const FindingsView& view, const MaskFinding& mask);

/// Whether design_figures can be made of it: a mask with a complement and scores from before the training.
bool has_design(const MaskFinding& mask);

/// The values of mask and complement before and after training, by the rank of the feature, for both designs of the
/// complement: two figures with the same y axis.
std::vector<PageFigure> design_figures(const FindingsView& view, const MaskFinding& mask);
/// Of design_figures.
std::vector<SeriesLook> design_looks();

}  // namespace obverse
