"""The published sdist and wheel hold the library only, and work alone.

As pip does without a wheel: an sdist is made from the checkout, a wheel from the sdist alone, and
the wheel is installed where nothing else of the project can be found.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import gramian

pytest.importorskip("hatchling", reason="hatchling, which makes wheels, is not installed")
pytest.importorskip("pip", reason="pip, which installs wheels, is not installed")

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "gramian"
NAME = f"gramian-{gramian.__version__}"
DEPENDENCIES = {"numpy", "scipy", "scikit-learn", "threadpoolctl"}


def build(kind: str, source: Path, target: Path) -> Path:
    """Build an sdist or a wheel of a source tree."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=300)
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an unpacked sdist."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", ROOT, folder / "built")) as archive:
        archive.extractall(folder, filter="data")
    return folder / NAME


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel made from the sdist."""
    return build("wheel", unpacked, tmp_path_factory.mktemp("wheel") / "built")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the wheel is installed, alone."""
    folder = tmp_path_factory.mktemp("installed")
    options = ["--quiet", "--no-deps", "--no-index", "--target", str(folder), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options], check=True, timeout=300)
    return folder


def files_in(folder: Path) -> set[str]:
    """Return the paths of all files in a folder, except compiled ones."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_files_of_the_package_and_its_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    held = {name.removeprefix("gramian/") for name in names if name.startswith("gramian/")}
    assert held == files_in(PACKAGE)
    others = {name.partition("/")[0] for name in names if not name.startswith("gramian/")}
    assert others == {f"{NAME}.dist-info"}
    assert f"{NAME}.dist-info/licenses/LICENSE" in names


def test_the_wheel_holds_types_and_report_files_but_no_paper_code(
    wheel: Path,
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert "gramian/py.typed" in names
    assert "gramian/reports/templates/report.html" in names
    assert {"gramian/reports/assets/report.js", "gramian/reports/assets/report.css"} <= names
    parts = {part for name in names for part in name.split("/")}
    assert not parts & {"paper", "gramian_paper", "experiments", "baselines", "published", "tests"}


def test_the_wheel_needs_four_packages_and_has_no_extra_for_the_paper(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"{NAME}.dist-info/METADATA").decode()
    described = HeaderParser().parsestr(text)
    needed = {
        requirement.partition(">")[0]
        for requirement in described.get_all("Requires-Dist", [])
        if "extra ==" not in requirement
    }
    assert needed == DEPENDENCIES
    extras = set(described.get_all("Provides-Extra", []))
    assert {"cli", "report", "figures"} <= extras
    assert not extras & {"paper", "experiments", "baselines", "skmatter"}


def test_the_sdist_holds_library_tests_documentation_and_examples_but_not_the_paper(
    unpacked: Path,
) -> None:
    assert files_in(unpacked / "src") == files_in(ROOT / "src")
    assert {path.name for path in unpacked.iterdir() if path.is_dir()} == {
        "src",
        "tests",
        "docs",
        "examples",
        "tools",
    }
    names = files_in(unpacked)
    assert {"pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "Makefile"} <= names
    assert {"tests/oracle.py", "docs/conf.py", "docs/results/index.md"} <= names
    made = ("docs/_build/", "docs/gallery/", "docs/reference/generated/", "docs/reference/command/")
    assert not [name for name in names if name.startswith(made)]


def alone(installed: Path, program: str) -> str:
    """Run a program that can import only the wheel and its dependencies."""
    specs = [importlib.util.find_spec(name) for name in ("numpy", "scipy", "sklearn", "joblib")]
    dependencies = {str(Path(spec.origin).parents[1]) for spec in specs if spec and spec.origin}
    paths = [str(installed), *sorted(dependencies)]
    # -S: no .pth file adds the checkout to the path.
    command = [sys.executable, "-I", "-S", "-W", "error", "-c"]
    prepared = f"import sys\nsys.path[:0] = {paths!r}\n{program}"
    done = subprocess.run([*command, prepared], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_alone_has_all_public_names_and_fits(installed: Path) -> None:
    program = """
import importlib.util, json
import numpy as np
import gramian

public = [getattr(gramian, name) for name in gramian.__all__]
a, b = np.random.default_rng(0).standard_normal((2, 200))
X = np.column_stack([3 * a, 2 * b, a * b])
selected = gramian.GFS(threshold=1e-6, degree=2).fit(X).selected_features_
paper = importlib.util.find_spec("gramian_paper") is not None
print(json.dumps([gramian.__file__, gramian.__version__, len(public), selected.tolist(), paper]))
"""
    where, version, n_public, selected, paper = json.loads(alone(installed, program))
    assert Path(where).parent == installed / "gramian"
    assert version == gramian.__version__
    assert n_public == len(gramian.__all__)
    assert selected == [0, 1]
    assert not paper


def test_the_wheel_alone_runs_the_demonstration(installed: Path) -> None:
    program = "import runpy\nrunpy.run_module('gramian.demo', run_name='__main__')"
    assert "REDUNDANT COLUMNS" in alone(installed, program)
