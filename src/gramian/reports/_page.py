"""Rendering of a page: from a template to one HTML text that needs no other files."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

from gramian._support.extras import require

SOURCES = (
    "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'"
)
"""Content security policy of the page: the browser must not load anything from elsewhere."""
QUOTED = re.compile("`((?:[^`]|``)+)`")
"""Pattern of a name or a word in backquotes."""


def render(
    template: str,
    content: dict[str, Any],
    styles: Sequence[str] = ("report.css",),
    script: str = "report.js",
) -> str:
    """Fill in a template, and return the HTML text of the page.

    Parameters
    ----------
    template : str
        Name of the template file in the folder `templates`.
    content : dict
        Value of each variable in the template, by name.
    styles : sequence of str, default=("report.css",)
        Names of the style sheets in the folder `assets`.
    script : str, default="report.js"
        Name of the script in the folder `assets`.
    """
    jinja2 = require("jinja2", "A report")
    program = _asset(script)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gramian.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = code
    # Only this script may run, even if the name of a column contains a script.
    allowed = f"'sha256-{_fingerprint(program)}'"
    text: str = environment.get_template(template).render(
        **content,
        style=jinja2.utils.markupsafe.Markup("".join(map(_asset, styles))),
        script=jinja2.utils.markupsafe.Markup(program),
        sources=f"{SOURCES}; script-src {allowed}",
    )
    return text


def code(text: str) -> Any:
    """Return a text as HTML in which names and words in backquotes are in code elements.

    Parameters
    ----------
    text : str
        Plain text, such as a formula.
    """
    markup = require("jinja2", "A report").utils.markupsafe
    escaped = str(markup.escape(text))

    def element(found: re.Match[str]) -> str:
        return f"<code>{found[1].replace('``', '`')}</code>"

    return markup.Markup(QUOTED.sub(element, escaped))


def _asset(name: str) -> str:
    return resources.files("gramian.reports").joinpath("assets", name).read_text(encoding="utf-8")


def _fingerprint(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
