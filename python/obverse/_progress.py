"""How far the engine is, as a bar of tqdm where that is installed, in a notebook too."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Callable[[str, float], None] | None]:
    """Gives what the engine calls with a stage and the share of it that is done; nothing where no bar is wanted."""
    if not wanted:
        yield None
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of text
            from tqdm.auto import tqdm
    except ImportError:
        yield from _plain()
        return
    with tqdm(total=100, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}") as bar:

        def show(stage: str, done: float) -> None:
            bar.set_description_str(stage, refresh=False)
            bar.n = round(100 * done, 1)
            bar.refresh()

        yield show
        show("done", 1)


def _plain() -> Iterator[Callable[[str, float], None]]:
    def show(stage: str, done: float) -> None:
        print(f"\r{stage} {100 * done:3.0f} %   ", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print(file=sys.stderr)
