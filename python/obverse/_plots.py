"""Pictures of a selection, by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .selector import FeatureSelector

_SELECTED, _OTHER, _FRAME = "#2f6fde", "#b9c2cf", "#f2711c"
_SHADES = ("#f3f5f8", _SELECTED, "#0a2358")  # of a mask, from nothing to the largest score
_LONGEST_NAME = 36  # characters
_LITTLE = 0.005  # of the largest score: a bar too short to be seen


def plot(selector: FeatureSelector, kind: str, ax: Any, top: int) -> Any:
    """One of the pictures into `ax`, or all there is into a figure of their own."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot() needs matplotlib: pip install matplotlib; to_html() works without it") from error
    if int(top) < 1:
        raise ValueError(f"top: expected a whole number of at least 1, found {top!r}")
    pictures = {"scores": _scores, "stability": _stability, "curve": _curve, "mask": _mask}
    if kind == "auto":
        if ax is not None:
            raise ValueError("kind='auto' makes its own figure; with ax, say which picture: scores, stability, curve or "
                             "mask")
        return _everything(selector, pyplot, int(top))
    if kind not in pictures:
        raise ValueError(f"kind: expected auto, scores, stability, curve or mask, found {kind!r}")
    ax = pyplot.gca() if ax is None else ax
    pictures[kind](selector, ax, min(int(top), len(selector._features)))
    return ax


def _everything(selector: FeatureSelector, pyplot: Any, top: int) -> Any:
    """Scores and stability beside each other, in the same lines under the same names, the curve, the mask of pictures."""
    shown = _worth_showing(selector, min(top, len(selector._features)))
    longest = max(map(len, _best(selector, shown)[1]))
    widths = {"scores": 4.0 + 0.08 * longest, "stability": 3.2}
    if selector.curve_ is not None:
        widths["curve"] = 4.8
    if selector.image_shape is not None:
        widths["mask"] = 5.4
    height = max(1.5 + 0.22 * shown, 4.6 if "mask" in widths else 3.4 if "curve" in widths else 2.4)
    figure, axes = pyplot.subplots(1, len(widths), figsize=(sum(widths.values()), height), layout="constrained",
                                   squeeze=False, width_ratios=list(widths.values()))
    places = dict(zip(widths, axes[0], strict=True))
    _scores(selector, places["scores"], shown)
    _stability(selector, places["stability"], shown)
    places["stability"].tick_params(labelleft=False)
    if "curve" in places:
        _curve(selector, places["curve"], shown)
    if "mask" in places:
        _mask(selector, places["mask"], shown)
    return figure


def _worth_showing(selector: FeatureSelector, top: int) -> int:
    """So many of the first `top` features that no line behind the selected ones is empty to the end."""
    order = _order(selector)[:top]
    sizes = np.abs(selector.scores_[order])
    seen = (sizes > _LITTLE * sizes.max()) | (_frequency(selector)[order] > 0) | (selector.ranking_[order] <= selector.k_)
    return int(np.flatnonzero(seen)[-1]) + 1


def _frequency(selector: FeatureSelector) -> np.ndarray:
    """Share of the resamples that select a feature; of the models where nothing was repeated."""
    return selector.agreement_.frequency if selector.frequency_ is None else selector.frequency_


def _order(selector: FeatureSelector) -> np.ndarray:
    """The column of each feature, the best feature first; of a group of columns the first."""
    return np.asarray(selector._features[np.argsort(selector.ranking_[selector._features], kind="stable")])


def _best(selector: FeatureSelector, top: int) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Feature numbers, names, and which are selected, the best first."""
    order = _order(selector)[:top]
    names = dict(zip(selector._features, selector.report_._part("data")["features"], strict=True))
    labels = [_label(names[i]) for i in order]
    return order, labels, selector.ranking_[order] <= selector.k_


def _label(name: str) -> str:
    """In one line that leaves room for the bars; a dollar sign would begin a formula."""
    name = " ".join(name.split())
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME - 13]}\N{HORIZONTAL ELLIPSIS}{name[-12:]}"
    return name.replace("$", r"\$")


def _bars(ax: Any, labels: list[str], values: np.ndarray, selected: np.ndarray) -> None:
    places = np.arange(len(labels))
    for shown, colour, name in ((selected, _SELECTED, "selected"), (~selected, _OTHER, "not selected")):
        if shown.any():
            ax.barh(places[shown], values[shown], color=colour, label=name)
    ax.set_yticks(places, labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)  # the best on top
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="#8883", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _scores(selector: FeatureSelector, ax: Any, top: int) -> None:
    order, labels, selected = _best(selector, top)
    _bars(ax, labels, selector.scores_[order], selected)
    if not selected.all():
        ax.legend(loc="lower right", edgecolor="none", framealpha=0.9)
    cut = f", the first {top} shown" if top < selector.k_ else ""
    ax.set_title(f"{selector.k_} of {len(selector._features)} features selected{cut}")
    ax.set_xlabel("score")


def _stability(selector: FeatureSelector, ax: Any, top: int) -> None:
    order, labels, selected = _best(selector, top)
    _bars(ax, labels, 100 * _frequency(selector)[order], selected)
    ax.set_xlim(0, 100)
    if selector.frequency_ is not None:
        ax.set_title(f"stability {selector.stability_.value:.2f}" if selector.stability_ else "stability unknown")
        ax.set_xlabel("% of the resamples that select it")
        return
    models = selector.agreement_.models  # one model agrees with itself, which says nothing
    ax.set_title(f"agreement of models {selector.agreement_.stability:.2f}" if models > 1 else "one model only")
    ax.set_xlabel(f"% of the {models} models that select it" if models > 1 else "% of the models that select it")


def _curve(selector: FeatureSelector, ax: Any, top: int) -> None:
    """Score against k with its interval, between random features, all features and the base rate."""
    curve, verdict = selector.curve_, selector.verdict_
    if curve is None or verdict is None:
        raise ValueError("the curve needs resample=\"on\", given to FeatureSelector")
    ax.fill_between(curve.k, curve.low, curve.high, color=_SELECTED, alpha=0.15, linewidth=0)
    ax.plot(curve.k, curve.score, color=_SELECTED, marker="o", markersize=3, label="selected")
    ax.plot(curve.k, curve.random, color=_OTHER, label="random")
    ax.axhline(curve.all.score, color="#0a2358", linewidth=1, linestyle="--", label="all features")
    ax.axhline(curve.base_rate, color="#888", linewidth=1, linestyle=":", label="base rate")
    ax.axvline(selector.k_, color=_FRAME, linewidth=1)
    if curve.k[-1] > 20 * curve.k[0]:
        ax.set_xscale("log")
    ax.set_title(f"{selector.k_} features: {verdict.score:.3f}")
    ax.set_xlabel("number of features")
    ax.set_ylabel(f"held-out {curve.metric.replace('_', ' ')}")
    ax.legend(loc="lower right", edgecolor="none", framealpha=0.9)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _mask(selector: FeatureSelector, ax: Any, top: int) -> None:
    if selector.image_shape is None:
        raise ValueError("a picture of the mask needs image_shape=(height, width), given to FeatureSelector")
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    height, width = selector.image_shape
    image = ax.imshow(selector.scores_.reshape(height, width), cmap=LinearSegmentedColormap.from_list("mask", _SHADES))
    rows, columns = np.divmod(np.flatnonzero(selector.get_support()), width)
    frames = [Rectangle((column - 0.5, row - 0.5), 1, 1) for row, column in zip(rows, columns, strict=True)]
    ax.add_collection(PatchCollection(frames, facecolors="none", edgecolors=_FRAME,
                                      linewidths=float(np.clip(20 / max(height, width), 0.5, 2)), clip_on=False))
    ax.set_title(f"mask, the {selector.k_} selected pixels framed")
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_color("#8886")
    bar = ax.figure.colorbar(image, cax=ax.inset_axes([1.03, 0, 0.04, 1]), label="score")  # as high as the picture
    bar.outline.set_visible(False)
