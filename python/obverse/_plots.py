"""Pictures of a selection, by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .selector import FeatureSelector

_SELECTED, _OTHER = "#2f6fde", "#b9c2cf"


def plot(selector: FeatureSelector, kind: str, ax: Any, top: int) -> Any:
    """One of the pictures into `ax`, or all there is into a figure of their own."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot() needs matplotlib: pip install matplotlib; to_html() works without it") from error
    if int(top) < 1:
        raise ValueError(f"top: expected a whole number of at least 1, found {top!r}")
    pictures = {"scores": _scores, "stability": _stability, "mask": _mask}
    if kind == "auto":
        if ax is not None:
            raise ValueError("kind='auto' draws a figure of its own; with ax, say which picture: scores, stability or mask")
        drawn = [name for name in pictures if name != "mask" or selector.image_shape is not None]
        shown = min(int(top), selector.n_features_in_)
        figure, axes = pyplot.subplots(1, len(drawn), figsize=(4.8 * len(drawn), 1.6 + 0.22 * max(shown, 10)),
                                       layout="constrained", squeeze=False)
        for name, place in zip(drawn, axes[0], strict=True):
            pictures[name](selector, place, shown)
        return figure
    if kind not in pictures:
        raise ValueError(f"kind: expected auto, scores, stability or mask, found {kind!r}")
    ax = pyplot.gca() if ax is None else ax
    pictures[kind](selector, ax, min(int(top), selector.n_features_in_))
    return ax


def _best(selector: FeatureSelector, top: int) -> tuple[np.ndarray, list[str], list[str]]:
    """Feature numbers, names and colours, the best first."""
    order = np.argsort(selector.ranking_, kind="stable")[:top]
    names = getattr(selector, "feature_names_in_", None)
    labels = [f"x{i}" if names is None else str(names[i]) for i in order]
    # A dollar sign would begin a formula.
    return order, [label.replace("$", r"\$") for label in labels], [
        _SELECTED if selector.ranking_[i] <= selector.k_ else _OTHER for i in order]


def _bars(ax: Any, labels: list[str], values: np.ndarray, colours: list[str]) -> None:
    places = np.arange(len(labels))
    ax.barh(places, values, color=colours)
    ax.set_yticks(places, labels)
    ax.invert_yaxis()
    ax.margins(y=0.01)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _scores(selector: FeatureSelector, ax: Any, top: int) -> None:
    order, labels, colours = _best(selector, top)
    _bars(ax, labels, selector.scores_[order], colours)
    ax.set_title(f"{selector.k_} of {selector.n_features_in_} features selected")
    ax.set_xlabel("score")


def _stability(selector: FeatureSelector, ax: Any, top: int) -> None:
    order, labels, colours = _best(selector, top)
    _bars(ax, labels, 100 * selector.frequency_[order], colours)
    ax.set_xlim(0, 100)
    ax.set_title(f"stability {selector.stability_:.2f}")
    ax.set_xlabel("% of the models that select it")


def _mask(selector: FeatureSelector, ax: Any, top: int) -> None:
    if selector.image_shape is None:
        raise ValueError("a picture of the mask needs image_shape=(height, width), given to FeatureSelector")
    height, width = selector.image_shape
    image = ax.imshow(selector.scores_.reshape(height, width), cmap="magma")
    rows, columns = np.divmod(np.flatnonzero(selector.get_support()), width)
    ax.scatter(columns, rows, s=max(2.0, 900.0 / max(height, width)), facecolors="none", edgecolors="#7fd4ff", linewidths=0.8)
    ax.set_title(f"mask, the {selector.k_} selected pixels circled")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
