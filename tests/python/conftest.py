"""What several files of tests use."""

import os
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("OMP_NUM_THREADS", "2")


@pytest.fixture(scope="session")
def command():
    """The command line program of the same tree."""
    path = os.environ.get("OBVERSE_COMMAND", "")
    if not Path(path).is_file():
        pytest.skip("OBVERSE_COMMAND does not say where the command is")
    return path


@pytest.fixture(scope="session")
def puzzle():
    """X (400, 20) and y: x3 and x7 tell the class, the others nothing."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 20)).astype(np.float32)
    y = (X[:, 3] + X[:, 7] > 0).astype(int)
    return X, y


#: Options for a fit that takes a few hundredths of a second.
QUICK = {"method": "cfm", "gamma": 1, "epochs": 20, "mask_learning_rate": 0.01, "resample": "off"}
