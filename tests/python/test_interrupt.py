"""Ctrl-C, progress, and what happens when they meet the engine."""

import signal
import subprocess
import sys
import time

import pytest
from conftest import QUICK

from obverse import FeatureSelector, _engine
from obverse._data import Columns, prepare

LONG = """
import sys, numpy as np
from obverse import FeatureSelector, evaluate
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 200)).astype(np.float32)
y = (X[:, 0] > 0).astype(int)
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(FeatureSelector(k=2, method="anova").fit(X, y).get_support(indices=True)[0])
"""


@pytest.mark.parametrize("work", ["FeatureSelector(k=2, epochs=100000).fit(X, y)",
                                  "evaluate(X, y, k=2, epochs=100000)",
                                  "FeatureSelector(k=2, method='relieff').fit(np.tile(X, (10, 1)), np.tile(y, 10))"])
def test_control_c_stops_and_python_goes_on(work):
    child = subprocess.Popen([sys.executable, "-c", LONG.format(work=work)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out.splitlines() == ["interrupted", "0"] and child.returncode == 0


def test_what_a_progress_callback_raises_comes_out(puzzle):
    class Enough(Exception):
        pass

    def progress(stage, done):
        raise Enough("enough")

    data = prepare(Columns(), *puzzle, "auto").data
    for settings in ([], [("method", "ert", "text")]):
        with pytest.raises(Enough, match="enough"):
            _engine.select(data, settings, [], [], [], progress)


def test_bar_of_tqdm(puzzle, capsys):
    pytest.importorskip("tqdm")
    FeatureSelector(k=2, verbose=True, **QUICK).fit(*puzzle)
    shown = capsys.readouterr().err
    assert "100%" in shown and "done" in shown


def test_without_tqdm(puzzle, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    FeatureSelector(k=2, verbose=True, epochs=100, gamma=1).fit(*puzzle)
    assert "%" in capsys.readouterr().err


def test_silent_by_default(puzzle, capsys):
    FeatureSelector(k=2, **QUICK).fit(*puzzle)
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err == ""
