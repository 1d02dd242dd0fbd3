"""Scripts of the gallery, read but not run: building the documentation runs them."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
TITLE = re.compile(r"\n(?P<title>.+)\n(?P<line>=+)\n\n(?P<text>.+)", re.DOTALL)

pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="a checkout has examples")
scripts = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)


def test_all_scripts_of_the_gallery_begin_with_plot_and_an_introduction_exists():
    assert len(SCRIPTS) >= 12
    assert all(path.name.startswith("plot_") for path in SCRIPTS)
    assert "=======" in (EXAMPLES / "GALLERY_HEADER.rst").read_text(encoding="utf-8")


@scripts
def test_a_script_begins_with_a_title_and_a_text(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")), clean=False)
    match = TITLE.fullmatch(docstring)
    assert match is not None
    assert len(match["line"]) == len(match["title"])
    assert len(match["text"].split()) > 30


@scripts
def test_a_script_is_divided_by_text_and_shows_a_figure(path):
    source = path.read_text(encoding="utf-8")
    assert source.count("\n# %%\n") >= 3
    assert "\nplt.show()\n" in source
    assert len(source.splitlines()) <= 120


@scripts
def test_a_script_uses_public_names_that_exist(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] == "gramian":
            module = importlib.import_module(node.module)
            for alias in node.names:
                assert alias.name in module.__all__
                assert hasattr(module, alias.name)


@scripts
def test_a_script_downloads_nothing(path):
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"\bfetch_|\burllib\b|\brequests\b|download=True|https?://", source)
