"""Few features instead of all: breast cancer, in a pipeline under cross-validation.

    python breast_cancer.py [FOLDER]

Each fold selects from its own training rows, so that the test rows have no part in it. The same pipeline with scikit-learn's
SelectKBest, and with all features, stands beside it. Writes breast_cancer.png. Needs matplotlib; takes some seconds.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from obverse import FeatureSelector

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
folds = StratifiedKFold(4, shuffle=True, random_state=0)


def accuracy(*selection):
    """Mean and deviation over the folds, in %."""
    scores = cross_val_score(make_pipeline(*selection, StandardScaler(), LogisticRegression()), X, y, cv=folds)
    return 100 * scores.mean(), 100 * scores.std()


every, spread = accuracy()
print(f"all {X.shape[1]} features       {every:.1f} +- {spread:.1f} %")
sizes = [3, 8]
methods = {
    "Obverse": lambda k: FeatureSelector(k=k, effort="quick"),
    "SelectKBest": lambda k: SelectKBest(k=k),
}
results = {name: [accuracy(selector(k)) for k in sizes] for name, selector in methods.items()}
for i, k in enumerate(sizes):
    for name, values in results.items():
        print(f"{k} by {name:<16} {values[i][0]:.1f} +- {values[i][1]:.1f} %")

selector = FeatureSelector(k=8, effort="quick").fit(X, y)
print("From all rows:", ", ".join(X.columns[selector.ranking_.argsort()][:8]))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
selector.plot("scores", ax=left, top=15)
for place, (name, values) in enumerate(results.items()):
    means, deviations = zip(*values)
    right.errorbar([i + 0.1 * place - 0.05 for i in range(len(sizes))], means, deviations, fmt="o", capsize=4, label=name)
right.axhline(every, color="grey", linestyle="--", label="all features")
right.set_xticks(range(len(sizes)), [f"{k} features" for k in sizes])
right.set_xlim(-0.5, len(sizes) - 0.5)
right.set_ylabel("accuracy in %, mean and deviation of 4 folds")
right.legend(loc="lower right")
figure.savefig(folder / "breast_cancer.png", dpi=100)
print(f"Wrote {folder / 'breast_cancer.png'}.")
