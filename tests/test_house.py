"""Layout of the package: file names are unique, and no file is too long.

`make lint` holds which room imports which.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "gramian"
FILES = sorted(PACKAGE.glob("**/*.py"))
MOST_LINES = 400


def test_file_names_are_unique():
    counts = Counter(path.name for path in FILES if path.name != "__init__.py")
    assert not {name: count for name, count in counts.items() if count > 1}


def test_no_file_has_more_than_400_lines():
    lengths = {
        str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in FILES
    }
    assert not {name: length for name, length in lengths.items() if length > MOST_LINES}


def test_the_root_holds_public_modules_and_rooms_only():
    files = {path.stem for path in PACKAGE.glob("*.py")}
    assert files == {"__init__", "__main__", "demo", "exceptions", "results"}
