// The figures of a study, each made once, for the page and for files.
#pragma once

#include <string>
#include <vector>

#include "report/page_parts.h"
#include "report/study_view.h"

namespace obverse {

using StudyFigure = PageFigure;

/// Accuracy against rho, one figure for each classifier, with the same y axis for all of a set.
std::vector<StudyFigure> accuracy_figures(const StudyView& view, std::size_t set);

/// Every cell of a comparison, coloured by who wins and by how much. The colours of all comparisons mean the same.
StudyFigure wins_figure(const StudyView& view, std::size_t comparison);

/// Mean accuracy of each method on a set over all rho and classifiers, with the deviation over the seeds.
StudyFigure means_figure(const StudyView& view, std::size_t set);

/// Scores and selected pixels of each method on a set of pictures.
StudyFigure masks_figure(const StudyView& view, std::size_t set);

/// A picture of each class, whole and with the pixels only that a model selects.
StudyFigure examples_figure(const StudyView& view, const MaskFinding& mask);

/// The values of mask and complement before and after training, by the rank of the feature, for both designs of the
/// complement: two figures with the same y axis. For models of a mask with scores from before the training.
std::vector<StudyFigure> design_figures(const StudyView& view, const MaskFinding& mask);

/// What the choice of gamma went by, with those that the most seeds chose framed.
StudyFigure gamma_figure(const StudyView& view, const GammaFinding& gamma);

/// How the agreement of the seeds is measured.
enum class Stability { jaccard, nogueira };

/// Agreement of the seeds against k.
StudyFigure stability_figure(const StudyView& view, std::size_t set, Stability kind);

/// The share of the seeds that select a feature, the most frequent first.
StudyFigure frequency_figure(const StudyView& view, std::size_t set);

/// Time to select, of each method on a set.
StudyFigure cost_figure(const StudyView& view, std::size_t set);

/// Whether anything was found of the set that the figure would show.
bool has_accuracy(const StudyView& view, std::size_t set);
bool has_stability(const StudyView& view, std::size_t set);
bool has_costs(const StudyView& view, std::size_t set);
/// The models of a set whose scores are known, in the order of the methods.
std::vector<const MaskFinding*> masks_of(const StudyView& view, std::size_t set);
/// Whether design_figures can be made of it.
bool has_design(const MaskFinding& mask);

}  // namespace obverse
