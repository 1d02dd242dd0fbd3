"""Changes to docstrings so that they are valid reStructuredText."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

FIELD = re.compile(r"^[*\w, ]+ : .*")
TRAILING_UNDERSCORE = re.compile(r"(?<=\w)_(?=[,)\s]|$)")
PLUMBING = re.compile(r"set_\w+_request|get_metadata_routing")
ROLE = re.compile(r":(?:term|class|func|mod|meth):`~?([^`<]*?)(?:\s*<[^>]*>)?`")


def prepare(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Change the lines of a docstring before numpydoc reads them.

    In types, as in "of shape (n_components_,)", a name that ends in an underscore is not a
    reference. Docstrings inherited from scikit-learn refer to scikit-learn's site: paragraphs that
    link to its guide are removed, and names become text. Methods for metadata routing, which all
    estimators of scikit-learn have, keep only their first sentence.
    """
    inherited = str(getattr(obj, "__module__", "")).startswith("sklearn.")
    for i, line in enumerate(lines):
        if FIELD.match(line):
            field, types = line.split(" : ", 1)
            lines[i] = f"{field} : " + TRAILING_UNDERSCORE.sub(r"\\_", types)
    if PLUMBING.fullmatch(name.rpartition(".")[2]):
        lines[1:] = [""]
    if inherited:
        paragraphs = "\n".join(lines).split("\n\n")
        kept = "\n\n".join(each for each in paragraphs if ":ref:`" not in each)
        lines[:] = ROLE.sub(r"\1", kept).split("\n")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect `prepare` with a priority before numpydoc's, which is 500."""
    app.connect("autodoc-process-docstring", prepare, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
