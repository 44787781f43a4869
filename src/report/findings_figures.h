// The figures of findings, each made once, for pages and for files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/findings_view.h"
#include "report/page_parts.h"

namespace obverse {

/// Results against the number of features, a figure for each of the classifiers, or under an empty name for their mean;
/// all with the same y axis. A line for each of the methods.
std::vector<PageFigure> accuracy_figures(const FindingsView& view, std::size_t set,
                                         const std::vector<std::string>& classifiers,
                                         std::span<const std::size_t> methods);

/// Every cell of a comparison, coloured by who wins and by how much. The colours of all comparisons mean the same.
PageFigure wins_figure(const FindingsView& view, std::size_t comparison);

/// Mean result of each method on a set over all sizes and classifiers, with the deviation over the runs.
PageFigure means_figure(const FindingsView& view, std::size_t set);

/// What the choice of gamma went by, with those that the most runs chose framed.
PageFigure gamma_figure(const FindingsView& view, const GammaFinding& gamma);

/// How the agreement of the runs is measured.
enum class Stability { jaccard, nogueira };

/// Agreement of the runs against k.
PageFigure stability_figure(const FindingsView& view, std::size_t set, Stability kind);

/// The share of the runs that select a feature, the most frequent first.
PageFigure frequency_figure(const FindingsView& view, std::size_t set);

/// Mean result against the time to select. Methods of one kind look alike; one may be marked with a ring.
PageFigure time_figure(const FindingsView& view, std::size_t set, std::size_t marked = kNoMethod);
/// The kinds of methods, where they are known; a legend of time_figure.
std::vector<SeriesLook> kind_looks(const FindingsView& view);

/// Whether anything was found of the set that the figure would show.
bool has_accuracy(const FindingsView& view, std::size_t set);
bool has_stability(const FindingsView& view, std::size_t set);
bool has_costs(const FindingsView& view, std::size_t set);

}  // namespace obverse
