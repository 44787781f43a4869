"""Reports: one HTML page that needs nothing else, in a file, in a browser or in a notebook."""

from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from . import _engine


class Report:
    """A page to show: the answer, how sure it is, and everything that led to it.

    Comes from `FeatureSelector.report_` and `Comparison.report`, or from the text of a selection.json that the command
    wrote: `Report(Path("result/selection.json").read_text())`. In a notebook it shows itself.
    """

    def __init__(self, selection: str | _engine.Selection | None = None, *, html: str | None = None) -> None:
        if (selection is None) == (html is None):
            raise TypeError("Report() takes the text of a selection.json, or html")
        self._selection = selection
        self._html = html

    @property
    def html(self) -> str:
        """The whole page."""
        if self._html is None:
            found = self._found()
            self._html = _engine.selection_html(found) if isinstance(found, str) else found.to_html()
        return self._html

    def data(self) -> dict[str, Any]:
        """What selection.json holds, as the command would write it; only for a selection."""
        found = self._found()
        return dict(json.loads(found) if isinstance(found, str) else found.data())

    def to_json(self) -> str:
        """The text of selection.json, as the command would write it; only for a selection."""
        found = self._found()
        return found if isinstance(found, str) else found.to_json()

    def _found(self) -> str | _engine.Selection:
        if self._selection is None:
            raise ValueError("this report is of a comparison; Comparison.data() holds its numbers")
        return self._selection

    def _part(self, name: str) -> Any:
        """One entry of `data()`."""
        found = self._found()
        return json.loads(found)[name] if isinstance(found, str) else found.part(name)

    def without_values(self) -> Report:
        """The same without values of the data, to share: no distributions, example pictures or names of classes; names of
        features stay. Only for a selection."""
        return Report(_engine.without_values(self.to_json()))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page; the file appears whole or not at all."""
        return write_text(path, self.html)

    def _repr_html_(self, height: int = 720) -> str:
        # Links within the page lead into it, and not to the notebook.
        page = html.escape(self.html.replace("<head>", '<head><base href="about:srcdoc">', 1), quote=True)
        return (f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-popups allow-downloads" '
                f'style="width:100%;height:{height}px;border:1px solid #8884;border-radius:6px"></iframe>')

    def __repr__(self) -> str:
        return f"<obverse.Report of a {'selection' if self._html is None or self._selection else 'comparison'}>"

    def __getstate__(self) -> dict[str, Any]:
        if self._selection is None:
            return {"_selection": None, "_html": self._html}
        return {"_selection": self.to_json(), "_html": None}


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Under a temporary name beside the place first, then renamed."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target.parent} is no folder: {target.name} cannot be written there")
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file")
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    return target
