"""Tables, fits and pages that the tests of the report share."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gramian import report

HOSTILE = [
    "<script>alert(1)</script>",
    "<b>x</b>",
    "<img src=x onerror=alert(1)>",
    "</script><!-- \u2028",
    "\"quoted\" & 'so'",
    "%{x} {{ 7 * 7 }}",
]
"""Names with a special meaning for a browser or a template."""
SECTIONS = ["answer", "keep", "number", "drop", "directions", "data", "cautions", "again"]


def power_table(n: int = 300, **more: Any) -> pd.DataFrame:
    """Return three independent columns, and three functions of them."""
    rng = np.random.default_rng(0)
    voltage, current, heat = rng.uniform([[1], [2], [0]], [[4], [6], [2]], (3, n))
    columns = {"voltage": voltage, "current": current, "heat": heat}
    columns["power"] = 0.1 * voltage * current
    columns["volts"] = 0.5 * voltage + 1
    columns["loss"] = 0.01 * current * heat + rng.normal(0, 0.0001, n)
    return pd.DataFrame(columns | more)


def hostile_table(n: int = 200) -> pd.DataFrame:
    """Columns of `power_table` with names that look like HTML or templates."""
    return power_table(n).set_axis(HOSTILE, axis=1)


def wide_table(n: int = 400, d: int = 300) -> np.ndarray:
    """Return many columns that are sums of a few hidden ones."""
    rng = np.random.default_rng(1)
    z = rng.standard_normal((n, 6))
    sums = z @ rng.standard_normal((6, d - 6)) / 10
    return np.column_stack([3 * z, sums + 0.01 * rng.standard_normal(sums.shape)])


class Page(HTMLParser):
    """Parsed page: tags, text, scripts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.size = path.stat().st_size
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._inside = ""
        self.feed(self.source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag if tag in ("script", "style") else ""
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [each["id"] for _, each in self.tags if each.get("id")]

    @property
    def charts(self) -> Any:
        return json.loads(self.scripts[0])

    @property
    def headings(self) -> list[int]:
        return [int(tag[1]) for tag, _ in self.tags if re.fullmatch("h[1-6]", tag)]


def code_of(page: Page) -> str:
    """Return the Python code on a page."""
    start = page.source.index('id="python"')
    found = re.search(r"<code>(.*?)</code>", page.source[start:], re.DOTALL)
    assert found is not None
    text = found.group(1)
    for entity, sign in (("&#34;", '"'), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, sign)
    return text.replace("&amp;", "&")


def browser_path() -> str | None:
    """Return the path of Chromium; None if it is not installed."""
    names = ["chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if (path := shutil.which(name))), None)


def page_of(tmp_path, estimator, X, **options):
    """Return the page about a fit."""
    return Page(report(estimator, X, tmp_path / "report.html", **options))
