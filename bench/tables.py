"""How good the selected columns of real tables are: Obverse on the file as it is, scikit-learn behind the usual pipeline.

    python bench/tables.py --obverse build/release/obverse --bench build/bench/bench_csv [--data DIR] [--folds 5] [--tables adult,german] [--jobs 2]

Tables with words, missing values and dates, split into the same folds for all: grouped or forward in time where the rows ask for it. For
3, 5 and 8 columns `obverse evaluate` selects on the training part, with every option at its default, and refits RF, ERT and kNN.
Peers select as many original columns on pandas, SimpleImputer (median, most frequent) and OneHotEncoder: by the importance of a
random forest, and by recursive elimination with a linear model (logistic or ridge, one column at a time by its largest weight);
each adds up what its encoded columns get. Then scikit-learn's RF, ERT and kNN are fitted on the encoded selected columns.
Values are accuracy, or R2 of quantities. `mean_ours` and `mean_best_peer` are means over tables, sizes and classifiers, the latter of the
better peer. `polars_ratio`: the time in which polars reads adult over ours, `_gz` gzipped, `_large` 31 copies. Ends with one line of JSON.
"""

import argparse
import gzip
import json
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

SIZES = (3, 5, 8)
# file, target (from 0; -1 the last), quantity, how rows belong together
TABLES = {"adult": ("adult.csv.gz", -1, False, None), "auto-imports": ("auto-imports.csv", -1, True, None),
          "breast-cancer": ("breast-cancer.csv", -1, False, None), "german": ("german.csv", -1, False, None),
          "horse-colic": ("horse-colic.csv", 23, False, ("groups", 2)),
          "beijing-pm25": ("beijing-pm25.csv.gz", "pm2.5", True, ("time", "No")),
          "sonar": ("sonar.csv", -1, False, None)}
MISSING = ["?", "NA", "nan", ""]
MOST_ROWS = 10000  # of a table: peers would take too long


def load(data, name):
    file, target, quantity, rows = TABLES[name]
    header = 0 if name == "beijing-pm25" else None
    frame = pd.read_csv(data / "tables" / file, header=header, na_values=MISSING, skipinitialspace=True)
    frame.columns = [str(c) if header == 0 else f"c{c + 1}" for c in frame.columns]
    target = target if isinstance(target, str) else frame.columns[target]
    frame = frame[frame[target].notna()].reset_index(drop=True)
    key = rows and (rows[1] if isinstance(rows[1], str) else frame.columns[rows[1]])
    if len(frame) > MOST_ROWS:
        kept = np.sort(np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS])
        frame = frame.iloc[kept].reset_index(drop=True)
    return frame, target, quantity, rows and rows[0], key


def splits(frame, target, quantity, how, key, folds):
    if how == "groups":
        return GroupKFold(folds).split(frame, groups=frame[key])
    if how == "time":
        return TimeSeriesSplit(folds).split(frame)
    if quantity:
        return KFold(folds, shuffle=True, random_state=0).split(frame)
    return StratifiedKFold(folds, shuffle=True, random_state=0).split(frame, frame[target])


def ours(command, train, test, target, quantity, how, key):
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / part for part in ("train.csv", "test.csv")]
        for path, part in zip(paths, (train, test)):
            part.to_csv(path, index=False)
        words = [command, "evaluate", paths[0], "--test", paths[1], "--target", target, "--header", "yes", "-k",
                 ",".join(map(str, SIZES)), "--classifiers", "rf,ert,knn", "--repeats", "1", "--threads", "1", "--json",
                 "--task", "regression" if quantity else "classification"]
        words += ["--row-groups" if how == "groups" else "--time", key] if how else []
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    metric = "r2" if quantity else "accuracy"
    return {(row["k"], row["classifier"]): row["metrics"][metric]["mean"]
            for row in json.loads(done.stdout)["rows"] if row["features"] == "selected"}


def encoder(X):
    numbers = [c for c in X if pd.api.types.is_numeric_dtype(X[c])]
    words = [c for c in X if c not in numbers]
    return ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        ("words", make_pipeline(SimpleImputer(strategy="most_frequent"),
                                OneHotEncoder(handle_unknown="ignore", sparse_output=False)), words)],
        verbose_feature_names_out=False)


def column_scores(X, fitted, weights):
    """Of the original columns, by the sum over the encoded ones."""
    names = fitted.get_feature_names_out()
    sums = dict.fromkeys(X.columns, 0.0)
    for name, weight in zip(names, weights):
        sums[name if name in sums else max((c for c in X.columns if name.startswith(c + "_")), key=len)] += weight
    return sums


def by_forest(X, y, quantity):
    encode = encoder(X).fit(X)
    forest = (RandomForestRegressor if quantity else RandomForestClassifier)(200, random_state=0)
    scores = column_scores(X, encode, forest.fit(encode.transform(X), y).feature_importances_)
    return sorted(X.columns, key=lambda c: -scores[c])


def by_elimination(X, y, quantity):
    left, gone = list(X.columns), []
    while len(left) > 1:
        encode = encoder(X[left]).fit(X[left])
        model = Ridge() if quantity else LogisticRegression(max_iter=300)
        weights = np.abs(np.atleast_2d(model.fit(encode.transform(X[left]), y).coef_)).max(axis=0)
        scores = column_scores(X[left], encode, weights)
        gone.append(min(left, key=scores.get))
        left.remove(gone[-1])
    return left + gone[::-1]


def peer(order, train, test, target, quantity):
    models = ({"rf": RandomForestRegressor(100, random_state=0), "ert": ExtraTreesRegressor(100, random_state=0),
               "knn": KNeighborsRegressor(5)} if quantity else
              {"rf": RandomForestClassifier(100, random_state=0), "ert": ExtraTreesClassifier(100, random_state=0),
               "knn": KNeighborsClassifier(5)})
    found = {}
    for k in SIZES:
        columns = order[:k]
        encode = encoder(train[columns]).fit(train[columns])
        for name, model in models.items():
            model.fit(encode.transform(train[columns]), train[target])
            found[k, name] = model.score(encode.transform(test[columns]), test[target])
    return found


def run_fold(command, name, number, parts, table):
    frame, target, quantity, how, key = table
    train, test = (frame.iloc[rows] for rows in parts)
    X = train.drop(columns=[target] + ([key] if key else []))
    X = X[[c for c in X if X[c].notna().any()]]
    if not quantity:  # classes of one training row cannot be learned by anyone
        counts = train[target].value_counts()
        known = counts[counts >= 2].index
        train, test = train[train[target].isin(known)], test[test[target].isin(known)]
        X = X.loc[train.index]
    row = {"ours": ours(command, train, test, target, quantity, how, key),
           "forest": peer(by_forest(X, train[target], quantity), train, test, target, quantity),
           "elimination": peer(by_elimination(X, train[target], quantity), train, test, target, quantity)}
    means = {who: float(np.mean(list(values.values()))) for who, values in row.items()}
    print(f"{name:14} fold {number}: " + ", ".join(f"{who} {100 * mean:.1f}" for who, mean in means.items()), flush=True)
    return name, means


def reading(bench, data):
    """Seconds of polars over ours for adult: gzipped, unpacked, and 31 times one behind the other. Each reads the same file, which is in
    the page cache, several times in one process, and its best time counts."""
    try:
        import polars
    except ImportError:
        return {}
    text = gzip.open(data / "tables/adult.csv.gz").read().strip() + b"\n"
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        files = {"polars_ratio_gz": data / "tables/adult.csv.gz"}
        for name, copies in (("polars_ratio", 1), ("polars_ratio_large", 31)):
            files[name] = Path(folder) / f"{name}.csv"
            files[name].write_bytes(text * copies)
        for name, path in files.items():
            repeats = 5 if name == "polars_ratio_large" else 15
            done = subprocess.run([bench, "read", path, "-1", str(repeats)], capture_output=True, check=True)
            theirs = []
            for _ in range(repeats):
                begin = time.perf_counter()
                polars.read_csv(path, has_header=False, null_values=MISSING)
                theirs.append(time.perf_counter() - begin)
            ratios[name] = min(theirs) / json.loads(done.stdout)["seconds"]
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obverse", required=True)
    parser.add_argument("--bench", required=True, help="bench_csv")
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tables", default=",".join(TABLES))
    given = parser.parse_args()
    with ThreadPoolExecutor(given.jobs) as pool:
        work = []
        for name in given.tables.split(","):
            table = load(given.data, name)
            work += [pool.submit(run_fold, given.obverse, name, number, parts, table)
                     for number, parts in enumerate(splits(*table, given.folds))]
        rows = [one.result() for one in work]
    tables = {name: {who: float(np.mean([means[who] for table, means in rows if table == name])) for who in rows[0][1]}
              for name in given.tables.split(",")}
    means = {who: float(np.mean([table[who] for table in tables.values()])) for who in rows[0][1]}
    print(json.dumps({"mean_ours": means["ours"], "mean_best_peer": max(means["forest"], means["elimination"]),
                      "tables": tables, **reading(given.bench, given.data)}))


if __name__ == "__main__":
    main()
