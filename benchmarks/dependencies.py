"""Planted functional dependencies, found by gramian and by Desbordante.

    python benchmarks/dependencies.py --output docs/dependencies.json

measures the methods whose packages are installed, keeps the results of other methods in the file,
and writes the page beside it. So Desbordante may be in a separate environment.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

N_TABLES = 20
N_ROWS = 1000
WRONG = (0, 5)
"""Numbers of wrong cells in each dependent column; wrong cells come from other rows."""
Dependency = tuple[frozenset[str], str]
"""Causes, and the column that follows from them."""
PLANTED: list[Dependency] = [
    (frozenset({"zip"}), "city"),
    (frozenset({"city"}), "canton"),
    (frozenset({"product"}), "price"),
    (frozenset({"price"}), "product"),
    (frozenset({"colour", "size"}), "pack"),
    (frozenset({"pack"}), "colour"),
    (frozenset({"pack"}), "size"),
]
PAGE = """\
<!-- Made by benchmarks/dependencies.py --output docs/dependencies.json; edit the script. -->

# Functional dependencies, measured

{n} tables of {rows} rows and nine columns: zip code → city → canton; product and price, which
determine each other; colour and size, which determine a pack, and the pack determines both; and an
independent measurement. In half of the tables {wrong} cells of city, canton, price and pack each
are wrong. *Found* counts the planted dependencies that follow from the result of a method, of
{planted} in each table; *others* counts returned dependencies that do not follow from the planted
ones. Means over tables; {date}.

{table}

Desbordante's algorithms answer another question: which dependencies hold, exactly or except for a
share of pairs of rows. In a table of {rows} rows many dependencies hold because few rows agree in
three columns, or because every row has another measurement. gramian requires evidence: rows of the
same level that agree although they need not. See [lookups](guide/categorical.md).
"""


def table(seed: int, wrong: int) -> pd.DataFrame:
    """Make a table."""
    rng = np.random.default_rng(seed)
    place, product = rng.integers(0, 40, N_ROWS), rng.integers(0, 25, N_ROWS)
    colour, size = rng.choice(list("rgb"), N_ROWS), rng.choice(list("SML"), N_ROWS)
    frame = pd.DataFrame(
        {
            "zip": [f"z{i}" for i in place],
            "city": [f"c{i // 3}" for i in place],
            "canton": [f"k{i // 9}" for i in place],
            "product": [f"p{i}" for i in product],
            "price": (rng.permutation(99)[:25] / 7)[product],
            "colour": colour,
            "size": size,
            "pack": [f"{one}{other}" for one, other in zip(colour, size, strict=True)],
            "measure": rng.standard_normal(N_ROWS).round(3),
        }
    )
    for name in ("city", "canton", "price", "pack"):
        rows, others = rng.permutation(N_ROWS)[: 2 * wrong].reshape(2, wrong)
        frame.loc[rows, name] = frame.loc[others, name].to_numpy()
    return frame


def follows(one: Dependency, known: Iterable[Dependency]) -> bool:
    """Return True if a dependency follows from known ones (Armstrong's axioms)."""
    causes, effect = one
    reached, before, known = set(causes), -1, list(known)
    while len(reached) > before:
        before = len(reached)
        reached |= {target for given, target in known if given <= reached}
    return effect in reached


def by_gramian(frame: pd.DataFrame) -> list[Dependency]:
    """Return the dependencies that gramian's laws state."""
    import gramian

    found: list[Dependency] = []
    for law in gramian.relations(frame):
        if law.kind == "lookup":
            lookups = [each for each in (law.lookup, law.inverse) if each is not None]
            found += [(frozenset(each.columns), each.column) for each in lookups]
        else:
            found += [(frozenset(law.columns) - {name}, name) for name in law.columns]
    return found


def by_desbordante(error: float | None) -> Callable[[pd.DataFrame], list[Dependency]]:
    """Return a search for dependencies that hold, exactly or except for a share of row pairs."""

    def search(frame: pd.DataFrame) -> list[Dependency]:
        import desbordante

        if error is None:
            algorithm, options = desbordante.fd.algorithms.HyFD(), {}
        else:
            algorithm, options = desbordante.afd.algorithms.Tane(), {"error": error}
        algorithm.load_data(table=frame)
        algorithm.execute(**options)
        names = list(frame.columns)
        pairs = [each.to_index_tuple() for each in algorithm.get_fds()]
        return [(frozenset(names[i] for i in given), names[target]) for given, target in pairs]

    return search


METHODS: dict[str, tuple[str, Callable[[pd.DataFrame], list[Dependency]]]] = {
    "gramian.relations": ("gramian", by_gramian),
    "Desbordante, HyFD": ("desbordante", by_desbordante(None)),
    "Desbordante, Tane, error 0.01": ("desbordante", by_desbordante(0.01)),
    "Desbordante, Tane, error 0.001": ("desbordante", by_desbordante(0.001)),
}


def measure(search: Callable[[pd.DataFrame], list[Dependency]], wrong: int) -> dict[str, float]:
    """Search all tables, and return mean counts and seconds."""
    found, others, start = [], [], time.process_time()
    for seed in range(N_TABLES):
        given = search(table(seed, wrong))
        found.append(sum(follows(each, given) for each in PLANTED))
        others.append(sum(not follows(each, PLANTED) for each in given))
    return {
        "found": float(np.mean(found)),
        "others": float(np.mean(others)),
        "seconds": (time.process_time() - start) / N_TABLES,
    }


def page(content: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "|  | found | others | found, with errors | others, with errors | seconds |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, results in content["methods"].items():
        clean, wrong = (results[str(each)] for each in WRONG)
        cells = [clean["found"], clean["others"], wrong["found"], wrong["others"]]
        numbers = " | ".join(f"{cell:.1f}" for cell in cells)
        lines.append(f"| {name} | {numbers} | {clean['seconds']:.2f} |")
    return PAGE.format(
        n=2 * N_TABLES,
        rows=f"{N_ROWS:,}",
        wrong=WRONG[1],
        planted=len(PLANTED),
        date=content["date"],
        table="\n".join(lines),
    )


def main() -> None:
    """Measure, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="a .json file; the page is written beside it")
    options = parser.parse_args()
    methods: dict[str, Any] = {}
    if options.output and options.output.exists():
        methods = json.loads(options.output.read_text(encoding="utf-8"))["methods"]
    for name, (package, search) in METHODS.items():
        if find_spec(package) is not None:
            methods[name] = {str(wrong): measure(search, wrong) for wrong in WRONG}
    ordered = {name: methods[name] for name in METHODS if name in methods}
    content = {"date": time.strftime("%Y-%m-%d"), "methods": ordered}
    print(page(content))
    if options.output:
        options.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        options.output.with_suffix(".md").write_text(page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
