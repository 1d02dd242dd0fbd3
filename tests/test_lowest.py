"""Lowest tested versions of dependencies equal those that pyproject.toml declares."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOL = ROOT / "tools" / "lowest.py"

pytestmark = pytest.mark.skipif(
    not TOOL.exists(), reason="the tools come with a clone of the repository only"
)


@pytest.fixture
def lower_bounds():
    return runpy.run_path(str(TOOL))["lower_bounds"]


def project(*requirements: str) -> str:
    return (
        '[project]\nname = "gramian"\ndependencies = ["numpy>=1.26"]\n'
        f"[project.optional-dependencies]\nextra = {list(requirements)}\n"
    )


def test_lower_bounds_are_read_from_dependencies_and_extras(lower_bounds):
    found = lower_bounds(project("dask[array,dataframe]>=2025.4", "gramian[cli]", "numpy>=1.26"))
    assert found == {"numpy": "1.26", "dask": "2025.4"}


@pytest.mark.parametrize(
    ("requirement", "problem"),
    [
        ("scipy", "'scipy' states no lower bound"),
        ("scipy==1.12", "states no lower bound"),
        ("numpy>=2.0", "numpy has two lower bounds, 1.26 and 2.0"),
    ],
)
def test_a_missing_or_second_bound_is_refused(lower_bounds, requirement, problem):
    with pytest.raises(SystemExit, match=problem):
        lower_bounds(project(requirement))


def test_every_dependency_of_gramian_has_a_lower_bound(lower_bounds):
    document = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = lower_bounds(document)
    for requirement in tomllib.loads(document)["project"]["dependencies"]:
        assert f"{requirement.partition('>=')[0]}>={found[requirement.partition('>=')[0]]}" == (
            requirement
        )
