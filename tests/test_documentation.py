"""The reference is complete, every public object has an example, and pages agree with the code."""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

import gramian

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "reference"
MODULES = [
    "gramian",
    *(f"gramian.{name}" for name in gramian.__all__ if inspect.ismodule(getattr(gramian, name))),
]

pytestmark = pytest.mark.skipif(
    not REFERENCE.exists(), reason="the documentation comes with a clone of the repository only"
)


def public_objects() -> dict[str, object]:
    """Return all public objects except modules, by full name."""
    found = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.ismodule(value):
                found[f"{module_name}.{name}"] = value
    return found


PUBLIC = public_objects()
DOCUMENTED = {
    name: value
    for name, value in PUBLIC.items()
    if inspect.isclass(value) or inspect.isroutine(value)
}
"""Public classes and functions, which must have a docstring; types and tables have none."""


def listed_in_reference() -> set[str]:
    """Return the full names of all objects that the reference pages list."""
    names = set()
    for page in REFERENCE.glob("*.rst"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.split()[-1]
            elif line.startswith(".. py:type:: ") or re.fullmatch(r"   ~?[\w.]+", line):
                name = line.split()[-1].removeprefix("~")
                names.add(name if name.startswith("gramian.") else f"{module}.{name}")
    return names


LISTED = listed_in_reference()


def described_in(value: object) -> dict[str, str]:
    """Return the names that the sections of a docstring describe, with their types."""
    found = {}
    for line in (inspect.getdoc(value) or "").splitlines():
        # "name : type", "one, two : types", or names alone, as in "columns, encode"
        if (match := re.fullmatch(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : (.+))?", line)) is not None:
            found |= {name.strip(" *"): match[2] or "" for name in match[1].split(",")}
    return found


def members_of(cls: type) -> dict[str, Callable[..., Any]]:
    """Return the functions of a class's public methods and properties that gramian defines."""
    found = {}
    for name, value in inspect.getmembers_static(cls):
        for wrapped in ("fget", "func", "__func__"):
            value = getattr(value, wrapped, value)
        public = not name.startswith("_") or name == "__call__"
        if public and inspect.isfunction(value) and value.__module__.startswith("gramian."):
            found[name] = value
    return found


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_public_class_and_function_has_an_example_that_is_run(name: str) -> None:
    docstring = inspect.getdoc(DOCUMENTED[name]) or ""
    assert re.search(r"^Examples\n-+\n", docstring, re.MULTILINE), f"{name} has no Examples"
    assert ">>> " in docstring.partition("Examples\n")[2]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_object_is_in_the_reference(name: str) -> None:
    # An object with two names is documented under one of them.
    assert name in LISTED or any(
        PUBLIC[name] is PUBLIC[other] for other in LISTED & PUBLIC.keys()
    ), f"{name} is in no page of docs/reference"


def test_the_reference_lists_nothing_that_does_not_exist() -> None:
    assert PUBLIC.keys() >= LISTED


CALLABLE = {
    f"{name}.{member}".rstrip("."): function
    for name, value in DOCUMENTED.items()
    for member, function in (members_of(value) if inspect.isclass(value) else {"": value}).items()
}
"""Public functions and methods that gramian defines; scikit-learn documents its own."""
DATA = {name: value for name, value in DOCUMENTED.items() if is_dataclass(value)}


@pytest.mark.parametrize("name", CALLABLE)
def test_every_parameter_of_a_public_function_or_method_is_described(name: str) -> None:
    parameters = {*inspect.signature(CALLABLE[name]).parameters} - {"self", "cls"}
    missing = parameters - described_in(CALLABLE[name]).keys()
    assert not missing, f"{name} does not say what {sorted(missing)} is"


@pytest.mark.parametrize("name", DATA)
def test_help_describes_every_field_of_a_public_class(name: str) -> None:
    names = {each.name for each in fields(DATA[name]) if not each.name.startswith("_")}
    missing = names - described_in(DATA[name]).keys()
    assert not missing, f"{name} does not say what {sorted(missing)} is"


APART = {"model_", "expand", "rules"}
"""Members that only estimators use, according to their docstrings: their classes are private."""
CLASSES = {
    name
    for path in Path(gramian.__file__).parent.rglob("*.py")
    for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}
"""The names of all classes of the library."""
KNOWN = {name.rpartition(".")[2] for name in DOCUMENTED}


def private_in(text: str, module: str) -> set[str]:
    """Return the private classes of gramian that a type annotation of a module refers to."""
    found = set()
    for word in re.findall(r"(?<![\w.])[A-Z]\w+", text):
        known = getattr(importlib.import_module(module), word, None)
        if known is None:  # a docstring, or an import for the type checker only
            found |= {word} & CLASSES - KNOWN
        for each in [known, *get_args(known)]:  # a class, or a union with a name
            if inspect.isclass(each) and each.__module__.startswith("gramian"):
                found |= {each.__name__} - KNOWN
    return found


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_class_in_a_public_annotation_is_public(name: str) -> None:
    value = DOCUMENTED[name]
    owners, members = (value.__mro__, members_of(value)) if inspect.isclass(value) else ((), {})
    private = set()
    for owner in owners:
        for attribute, hint in inspect.get_annotations(owner).items():
            if not attribute.startswith("_") and attribute not in APART:
                private |= private_in(str(hint), owner.__module__)
    for each in [value, *(members[member] for member in {*members} - APART)]:
        types = [*described_in(each).values()]
        if inspect.isfunction(each):
            types.append(str(inspect.get_annotations(each).get("return")))
        private |= private_in(" ".join(types), each.__module__)
    assert not private, f"{name} leads to {sorted(private)}, which no public module has"


def test_the_map_of_the_code_names_every_room_and_nothing_that_is_gone() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", text.partition("## Where things are")[2]))
    package = ROOT / "src" / "gramian"
    modules = {path.name for path in package.glob("*.py")}
    places = [*package.glob("*/__init__.py"), *package.glob("core/*/__init__.py")]
    rooms = {f"{path.parent.name}/" for path in places}
    assert modules | rooms <= named, f"not in the map: {sorted((modules | rooms) - named)}"
    folders = [package, package / "core", ROOT, ROOT / "docs", ROOT / "tests"]
    missing = {name for name in named if not any((each / name).exists() for each in folders)}
    assert not missing, f"in the map, but not there: {sorted(missing)}"


def test_the_version_is_written_in_one_place_and_read_from_there() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in document["project"]
    assert document["project"]["dynamic"] == ["version"]
    source = (ROOT / document["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE) == [gramian.__version__]


def test_citations_have_the_version_of_the_package_and_one_doi() -> None:
    names = ("CITATION.cff", "docs/citing.md", "README.md")
    citation, page, readme = [(ROOT / name).read_text(encoding="utf-8") for name in names]
    assert f"\nversion: {gramian.__version__}\n" in citation
    assert f"version = {{{gramian.__version__}}}" in page
    doi = re.search(r"doi: (\S+)", citation)
    assert doi is not None
    assert doi[1] in page
    assert doi[1] in readme
