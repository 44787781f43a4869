// The figures of findings, each made once, for pages and for files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "page/parts.h"
#include "report/findings_view.h"

namespace obverse {

/// Results against the number of features, a figure for each of the classifiers, or under an empty name for their mean;
/// all with the same y axis. A line for each of the methods.
std::vector<PageFigure> accuracy_figures(const FindingsView& view, std::size_t set,
                                         const std::vector<std::string>& classifiers,
                                         std::span<const std::size_t> methods);

/// Every cell of a comparison, coloured by who wins and by how much. The colours of all comparisons mean the same.
PageFigure wins_figure(const FindingsView& view, std::size_t comparison);

/// What the choice of gamma went by, with those that the most runs chose framed.
PageFigure gamma_figure(const FindingsView& view, const GammaFinding& gamma);

/// How the agreement of the runs is measured.
enum class StabilityIndex { jaccard, nogueira };

/// Agreement of the runs against k.
PageFigure stability_figure(const FindingsView& view, std::size_t set, StabilityIndex kind);

/// Mean result against the time to select. Methods of one kind look alike; one may be marked with a ring.
PageFigure time_figure(const FindingsView& view, std::size_t set, std::size_t marked = kNoMethod);
/// The kinds of methods, where they are known; a legend of time_figure.
std::vector<SeriesLook> kind_looks(const FindingsView& view);

// Of trained masks: what they score, what they select, and their complements.

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
