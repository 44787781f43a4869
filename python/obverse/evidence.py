"""What repeating a selection on parts of the rows says about it, as plain objects with arrays.

They are attributes of a fitted `FeatureSelector`, unless it was told ``resample="off"``. Scores are in the unit of the metric:
a share of right answers, or of variance explained.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Score:
    """A score on held-out rows, with its 95 % interval."""

    score: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Curve:
    """Held-out score against the number of features: one entry of each array for each k that was tried, ascending."""

    k: np.ndarray  #: numbers of features
    score: np.ndarray  #: with the k best features
    low: np.ndarray  #: 95 % interval of it
    high: np.ndarray
    random: np.ndarray  #: with k random features
    all: Score  #: with all features
    base_rate: float  #: without any feature: the majority class, or the mean
    metric: str  #: accuracy, balanced_accuracy, r2, ...
    classifier: str  #: fitted on the features: ert, knn, ...
    folds: int  #: 1: one held-out part
    rows: int  #: held out, in all folds together


@dataclass(frozen=True)
class Verdict:
    """Whether the features say anything about the target."""

    signal: bool  #: p_value is below 0.05
    p_value: float  #: how often permuted targets of held-out rows score as well
    score: float  #: at the selected k
    low: float  #: 95 % interval of it
    high: float
    base_rate: float


@dataclass(frozen=True)
class Stability:
    """Agreement of selections from disjoint halves of the rows (Nogueira's index): 1 identical, 0 as random."""

    value: float
    low: float  #: 95 % interval
    high: float
    pairs: int  #: of halves


@dataclass(frozen=True, eq=False)
class Control:
    """How error control decided which features are accepted."""

    pfer: float  #: expected number of false features that was asked for
    bound: float  #: on the expected number of false features
    selected: int  #: columns that each half of the rows selects
    threshold: float  #: share of the halves that select an accepted feature, or more
    halves: int
    clusters: int  #: of interchangeable features, each counted once; most have one feature
    copies_accepted: int  #: permuted copies that pass: an estimate of the false features
    frequency: np.ndarray  #: (n_features,) share of the halves that select a feature or another of its cluster


@dataclass(frozen=True)
class StandIn:
    """A feature that could take the place of a selected one."""

    feature: int  #: its number, from 0
    similarity: float  #: 0.85 to 1: rank correlation without its sign, or shared information of codes
    equal: bool  #: the same values in all rows


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of the models of one sweep, which share their rows: it says nothing about other rows."""

    stability: float  #: Nogueira's index
    jaccard: float  #: mean over pairs of models
    frequency: np.ndarray  #: (n_features,) share of the models that select a feature
    models: int
