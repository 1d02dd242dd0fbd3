"""Page of results, made from the JSON file and never edited by hand."""

# ruff: noqa: RUF001
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scaling import NAMES, TERMS

OURS, THEIRS = "from gramian import GFR", "from sklearn.decomposition import PCA"
"""Timed import statements; `import gramian` alone loads almost nothing."""

PAGE = """\
<!-- Made by make bench ARGS="--output docs/benchmarks.json"; edit benchmarks/report.py. -->

# Benchmarks

Time and memory of fits, measured {date} in one run of {minutes:.0f} minutes: `make bench`. Compare
the ratios; seconds are those of this machine: {cpu}, {cores} cores, {blas_threads} threads of
{blas}, Python {python}, {versions}.{made_up}

## Targets

{targets}

## Measurements

{table}

Method:

- Each row is a separate process, and *peak* is the peak memory of this process, including libraries
  and data. The time is the best of five fits that take less than a second each, of two fits up to
  half a minute, or that of a single longer fit. Fits that other processes disturbed are repeated,
  up to three times; if the last one is disturbed, it is kept.
- The data are standardized, except the 30 made-up features. *Directions* is the number of
  directions at which gramian reaches the threshold; all other methods on the same data get that
  number. *Functions* include the constant.
- **One-pass, one-at-a-time** is `benchmarks/literal.py`, the paper's pseudo-code in NumPy: for each
  function a loop over the functions before it, all rows at once. It updates the residual of the
  data by each new function, while the paper recomputes it from all functions in every step. So it
  is faster than the paper's text, and two to five times faster than **the authors' scripts**. The
  times of the authors' scripts were measured once, on a machine of this kind, and are not part of
  this run; they set the targets above. **The oracle** (`tests/oracle.py`) recomputes the residual,
  and subtracts twice. The oracle is slow, so that it and gramian are timed over fewer directions.
- **KernelPCA** has a polynomial kernel of the same degree, with scikit-learn's default eigensolver
  (*auto*, here a dense solver) and with the randomized eigensolver, which is faster and
  approximate. The ratio of a transform is for all rows.
- **fastcan** also selects features greedily by linear dependence, but by another criterion: the
  correlation with given targets, here the leading principal components, as its authors suggest for
  data without labels. GFS at degree 1 chooses the feature of which linear regression on the chosen
  features leaves most. Number of features, data and purpose are equal, the selected features are
  not.
- **UFFS** is timed twice: one function at a time, and on gramian's own engine. The second ratio is
  due to the algorithm: GFS orthogonalizes only the functions of the selected features. The data are
  one draw, while the paper averages over 1000.
- **The bare matrix product** is that of two 4000×4000 matrices in float64, by NumPy. The counted
  operations of the plain path are two for each entry of E[gfᵀ] and E[gXᵀ] and each row, and |F|³/3
  for the Cholesky factor; the evaluation of functions, eigenvectors and all other operations are
  not counted.
- **Imports** are timed in fresh interpreters, in turns; the median of seven. `import gramian` alone
  takes almost no time, since modules are imported on first use.
"""

SCALING = """
## Cost model

![Seconds of a fit against rows, functions and columns](images/scaling.svg)

GFR on normally distributed data, {rows:,} rows, {columns} columns, 40 directions at degree 2 (821
functions) and 18 at degree 3 (988 functions), with one of these numbers varied. `"auto"` uses the
cheaper of the two solvers in every step. The exponents are fitted to the upper half of each curve:

{exponents}

A second thread helps only from about a thousand functions on. Time with one thread divided by time
with {threads}:

{gains}

### Prediction of the time

With N rows, d columns, m directions and |F| functions (m(m+1)/2 at degree 2, about m³/6 at degree
3), a fit takes about the sum of the terms below. The coefficients are nanoseconds per
multiplication with {threads} threads, fitted to the curves above. The curves alone do not separate
the terms: without a constraint the coefficient of the Gram products would be zero. So no matrix
product may be faster than the bare product, {bare:.3g} ns, except those that shared moments save. A
coefficient of that size is this bound, not a measurement. Use the sum for interpolation; its
division into terms is uncertain. A dash means zero.

{models}

The largest term of that model at the upper end of each curve, with its share:

{shares}

- **Gram products, N·|F|²/2,** are the largest term for large |F|, by their count. In the measured
  range they are not: time grows with |F| to a power of 1.2 to 1.5, not 2.
- **Passes over values, N·|F|·m,** are all operations of a step on the values of all functions so
  far, including evaluation. Values are kept if they fit in 1 GiB, and otherwise evaluated again.
- Shared moments (`"moments"`) need fewer sums than the Gram matrix has entries: a third at degree
  2, a tenth at degree 3, a thirty-fifth at degree 4, by their count for large m. In the
  measurements they save little below a thousand functions.
- **E[fX], N·|F|·d,** is the largest term if there are about as many columns as functions, or more.
- **Cholesky, |F|³/6,** does not depend on the rows; with the rows of these curves there are too few
  functions to show it.
- **The covariance, N·d²/2,** is computed once. The **eigenvectors, m·d²,** are too small to show;
  on COIL-20, with fewer rows and 1,024 columns, a profile shows them at about a third of the fit.
- Memory is N·d numbers for the data, N·d for the centred copy, 1 GiB at most for values of
  functions, and up to |F|² numbers for the Cholesky factor and the newest rows of the Gram matrix.
"""


@dataclass(frozen=True)
class Target:
    """A target: at least or at most some value."""

    name: str
    value: Callable[[dict[str, Any]], float]
    bound: float
    at_least: bool
    unit: str = "×"

    def line(self, rows: dict[str, Any]) -> str:
        """Return the line of the target in the table."""
        sign = "≥" if self.at_least else "≤"
        start = f"| {self.name} | {sign} {self.bound:g}{self.unit} |"
        try:
            value = self.value(rows)
        except (KeyError, TypeError):
            return f"{start} – | not measured |"
        met = value >= self.bound if self.at_least else value <= self.bound
        return f"{start} {value:.3g}{self.unit} | {'met' if met else '**missed**'} |"


def _ratio(key: str) -> Callable[[dict[str, Any]], float]:
    return lambda rows: rows[key]["ratio"]


def _kernel(key: str, what: str) -> Callable[[dict[str, Any]], float]:
    return lambda rows: min(rows[f"{key} {solver}"][what] for solver in ("auto", "randomized"))


def _share(rows: dict[str, Any]) -> float:
    plain, product = rows["plain"], rows["product"]
    rate = plain["flops"] / plain["seconds"]
    return float(100 * rate / (product["flops"] / product["seconds"]))


def _large(degree: int, seconds: float, gigabytes: float, until: str) -> list[Target]:
    key, name = f"MNIST {degree}", f"MNIST, degree {degree}, {until}"
    return [
        Target(f"{name}: time", lambda rows: rows[key]["seconds"], seconds, False, " s"),
        Target(
            f"{name}: memory", lambda rows: rows[key]["megabytes"] / 1024, gigabytes, False, " GB"
        ),
    ]


def _faster(data: str, degree: int, until: str, authors: float, bound: float) -> list[Target]:
    key, name = f"{data} {degree}", f"GFR, {data}, degree {degree} to {until}"
    return [
        Target(
            f"{name}: faster than one-pass, one-at-a-time Gram-Schmidt",
            _ratio(f"{key} literal"),
            bound,
            True,
        ),
        Target(
            f"{name}: faster than the authors' scripts, {authors:g} s, not in this run",
            lambda rows: authors / rows[f"{key} GFR"]["seconds"],
            bound,
            True,
        ),
    ]


TARGETS = [
    *_faster("COIL-20", 2, ".01", 33.5, 20),
    *_faster("COIL-20", 3, ".01", 36.2, 30),
    *_faster("USPS", 2, ".1", 79, 40),
    *_faster("USPS", 3, ".1", 323, 100),
    Target("GFS, degree 3: faster than UFFS one at a time", _ratio("literal UFFS"), 22, True),
    *_large(2, 20, 2, "to 0.2"),
    *_large(3, 75, 4, "to 0.2"),
    *_large(4, 300, 8, "28 directions"),
    Target("plain path, USPS, degree 3: share of the matrix product", _share, 60, True, " %"),
    *(
        Target(f"{what} faster than KernelPCA's, USPS, degree {degree}", value, bound, True)
        for degree in (2, 3)
        for what, value, bound in (
            ("fit", _kernel(f"USPS {degree} KernelPCA", "ratio"), 1),
            ("transform", _kernel(f"USPS {degree} KernelPCA", "transform_ratio"), 50),
        )
    ),
    Target(
        "import, against scikit-learn's decomposition",
        lambda rows: rows["imports"][OURS] / rows["imports"][THEIRS],
        1.2,
        False,
    ),
]


def targets(content: dict[str, Any]) -> str:
    """Return the table of targets; KernelPCA counts with the faster of two eigensolvers."""
    rows = {row["key"]: row for row in content["rows"]}
    if content.get("imports"):
        rows["imports"] = content["imports"]
    lines = [target.line(rows) for target in TARGETS]
    return "\n".join(["| job | target | measured | |", "|---|--:|--:|---|", *lines])


def _cell(value: float | None, form: str = ".3g", unit: str = "") -> str:
    return "" if value is None else f"{value:{form}}{unit}"


def measurements(content: dict[str, Any]) -> str:
    """Return the table of all measurements."""
    lines = [
        "| data | method | directions | functions | fit, s | × gramian | transform, s | × gramian "
        "| peak, MB | |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    lines += [
        f"| {row['job']} | {row['method']} | {_cell(row['n_components'], 'd')} "
        f"| {_cell(row['n_functions'], ',d')} | {row['seconds']:.3g} | {_cell(row['ratio'])} "
        f"| {_cell(row['transform_seconds'], '.2g')} | {_cell(row['transform_ratio'])} "
        f"| {row['megabytes']:,.0f} | {row['note'] or row['solver'] or ''} |"
        for row in content["rows"]
    ]
    for statement, seconds in (content.get("imports") or {}).items():
        ratio = seconds / content["imports"][OURS]
        lines.append(f"| imports | `{statement}` | | | {seconds:.2f} | {ratio:.2g} | | | | |")
    return "\n".join(lines)


def _grid(rows: dict[str, dict[str, str]], columns: dict[str, str]) -> str:
    table = [["solver, degree", *columns.values()], ["---", *("--:" for _ in columns)]]
    for name, row in rows.items():
        table.append([name.replace(" ", ", "), *(row.get(column, "") for column in columns)])
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table]
    return "\n".join(lines)


def scaling_section(result: dict[str, Any]) -> str:
    """Return the section on scaling."""
    powers = {
        key: {sweep: f"{NAMES[sweep]}^{value:.2f}" for sweep, value in row.items()}
        for key, row in result["exponents"].items()
    }
    models, shares = {}, {}
    for key, model in result["models"].items():
        cells = {k: f"{v:.3g}" if v > 0 else "–" for k, v in model["nanoseconds"].items()}
        models[key] = {**cells, "error": f"{100 * model['median_error']:.0f} %"}
        shares[key] = {}
        for sweep, parts in model["shares"].items():
            top = max(parts, key=lambda name: parts[name])
            shares[key][sweep] = f"{TERMS[top].split(',')[0]} {100 * parts[top]:.0f} %"
    sweeps = {sweep: f"{sweep}, {name}" for sweep, name in NAMES.items()}
    gains = [
        f"- `{solver}`, degree {degree}, {int(functions):,} functions: {gain:.2f}×"
        for (solver, degree, functions), gain in (
            (key.split(), gain) for key, gain in result["gains"].items()
        )
    ]
    base = next(point for point in result["points"] if point["sweep"] == "functions")
    return SCALING.format(
        rows=base["rows"],
        columns=base["columns"],
        threads=result["threads"],
        bare=1e9 * result["bare"],
        exponents=_grid(powers, sweeps),
        gains="\n".join(gains) or "(not measured)",
        models=_grid(models, {**TERMS, "error": "median error"}),
        shares=_grid(shares, sweeps),
    )


def tables(content: dict[str, Any]) -> str:
    """Return the tables to print."""
    parts = [targets(content), measurements(content)] if content["rows"] else []
    if content.get("scaling"):
        parts.append(scaling_section(content["scaling"]))
    return "\n\n".join(parts)


def page(content: dict[str, Any]) -> str:
    """Return the whole page."""
    made_up = ""
    if content["made_up"]:
        made_up = f" Made-up data of the same shape stand in for {', '.join(content['made_up'])}."
    text = PAGE.format(
        **content["machine"],
        date=content["date"],
        minutes=content["minutes"],
        versions=", ".join(f"{name} {number}" for name, number in content["versions"].items()),
        made_up=made_up,
        targets=targets(content),
        table=measurements(content),
    )
    return text + (scaling_section(content["scaling"]) if content.get("scaling") else "")
