"""Which pixels tell digits apart: scikit-learn's digits of 8 x 8 pixels.

    python digits.py [FOLDER]

Selects 12 pixels from training rows, and asks 5 nearest neighbours for the others, once with these pixels and once with all.
Writes digits.png, the mask as a picture, and digits.html, the report. Needs matplotlib; takes some seconds.
"""

import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("agg")
from sklearn.datasets import load_digits
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from obverse import FeatureSelector

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
warnings.simplefilter("ignore")  # some pixels at the edge are never written on, and both selectors say so

selector = FeatureSelector(k=12, image_shape=(8, 8)).fit(X_train, y_train)


def accuracy(columns):
    neighbours = KNeighborsClassifier().fit(X_train[:, columns], y_train)
    return 100 * neighbours.score(X_test[:, columns], y_test)


for name, columns in {
    "all 64 pixels": slice(None),
    "12 by Obverse": selector.get_support(),
    "12 by SelectKBest": SelectKBest(k=12).fit(X_train, y_train).get_support(),
}.items():
    print(f"{name:<18} {accuracy(columns):.1f} % of {len(y_test)} test rows")
print("Selected pixels:")
for row in selector.get_support().reshape(8, 8):
    print("   ", "".join("##" if pixel else " ." for pixel in row))

selector.plot(top=20).savefig(folder / "digits.png", dpi=80)
selector.to_html(folder / "digits.html")
print(f"Wrote {folder / 'digits.png'} and {folder / 'digits.html'}.")
