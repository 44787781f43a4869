"""Feature selection by a mask and its complement.

>>> from obverse import FeatureSelector            # doctest: +SKIP
>>> FeatureSelector(k=20).fit_transform(X, y)      # doctest: +SKIP

Names are loaded when they are first used: `import obverse` alone costs next to nothing.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._engine import __version__
    from .comparison import Comparison, compare
    from .evaluation import Evaluation, evaluate
    from .evidence import Agreement, Control, Curve, Score, Stability, StandIn, Verdict
    from .report import Report
    from .selector import FeatureSelector

__all__ = ["Agreement", "Comparison", "Control", "Curve", "Evaluation", "FeatureSelector", "Report", "Score", "Stability",
           "StandIn", "Verdict", "__version__", "compare", "evaluate"]

_HOME = {
    "FeatureSelector": "selector",
    "evaluate": "evaluation",
    "Evaluation": "evaluation",
    "compare": "comparison",
    "Comparison": "comparison",
    "Report": "report",
    "Agreement": "evidence",
    "Control": "evidence",
    "Curve": "evidence",
    "Score": "evidence",
    "Stability": "evidence",
    "StandIn": "evidence",
    "Verdict": "evidence",
    "__version__": "_engine",
}
_MODULES = ("comparison", "evaluation", "evidence", "report", "selector", "torch")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return _import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
