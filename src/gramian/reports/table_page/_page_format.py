"""Formats of the page about a table, and the ending of a path that tells the format."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Literal, get_args

PageFormat = Literal["html", "md", "json"]
ENDINGS: dict[str, PageFormat] = {
    ".html": "html",
    ".htm": "html",
    ".md": "md",
    ".markdown": "md",
    ".json": "json",
}


def page_format(path: str | os.PathLike[str], given: str | None) -> PageFormat:
    """Return the format of a page: the given one, else that of the ending of the path, else HTML.

    Parameters
    ----------
    path : path
        The file to write.
    given : str or None
        "html", "md" or "json"; None if the ending of the path decides.
    """
    if given is None:
        return ENDINGS.get(PurePath(path).suffix.lower(), "html")
    formats: dict[str, PageFormat] = {each: each for each in get_args(PageFormat)}
    if given not in formats:
        raise ValueError(f"format must be one of {', '.join(formats)}; got {given!r}.")
    return formats[given]
