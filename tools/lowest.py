"""Print the lowest version of every package that pyproject.toml claims to work with.

    python tools/lowest.py > constraints.txt
    python -m pip install --editable '.[dev]' --constraint constraints.txt

`make test-oldest` runs the tests with these versions.
"""

from __future__ import annotations

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path

TOOLS = {"lint", "docs", "bench", "skmatter", "exports"}
"""Extras that the library does not import: pip chooses their versions."""
BOUND = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,-]+\])?>=(?P<version>[\w.]+)")


def lower_bounds(document: str) -> dict[str, str]:
    """Return the lowest versions by the names of the packages.

    Parameters
    ----------
    document : str
        The contents of pyproject.toml.
    """
    project = tomllib.loads(document)["project"]
    extras = project["optional-dependencies"]
    wanted = [project["dependencies"], *(extras[key] for key in extras if key not in TOOLS)]
    found: dict[str, str] = {}
    for requirement in chain.from_iterable(wanted):
        if requirement.startswith(f"{project['name']}["):
            continue  # several extras under one name
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            raise SystemExit(
                f"pyproject.toml: {requirement!r} states no lower bound, as in name>=1.2"
            )
        name, version = bound["name"], bound["version"]
        if found.setdefault(name, version) != version:
            raise SystemExit(
                f"pyproject.toml: {name} has two lower bounds, {found[name]} and {version}"
            )
    return found


if __name__ == "__main__":
    page = Path(__file__).parent.parent / "pyproject.toml"
    for name, version in sorted(lower_bounds(page.read_text(encoding="utf-8")).items()):
        sys.stdout.write(f"{name}=={version}\n")
