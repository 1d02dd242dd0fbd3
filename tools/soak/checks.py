"""Checks of every case: all forms of a table agree, and faults give errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import cases
import numpy as np
import oracle
import pandas as pd
import pytest
from forms import CHANGES, FORMS, Blocks, Form, give, parts_of
from ranks import UndecidedError
from sklearn.base import clone
from tables import Rng, Table
from threadpoolctl import threadpool_limits

import gramian
from gramian.core.elimination import _left_out_check

DECODED = 1e-6
"""Largest difference of decoded and reported residuals, as a share of the total variance."""


@dataclass(frozen=True)
class Check:
    """One comparison: its name, and the function that runs it in an empty folder."""

    name: str
    make: Callable[[Path], None]


def fit(case: cases.Case, form: Form, **params: Any) -> Any:
    """Fit a clone of the case's estimator to a table in some form."""
    estimator = clone(case.estimator).set_params(**params)
    if case.takes_files:
        estimator.set_params(memory_budget=form.budget)
        by_columns = getattr(estimator, "solver", None) == "qr"
        if by_columns and (params or not isinstance(form.data, np.ndarray)):
            estimator.set_params(solver="gram")  # which needs neither memory nor one go
    apart = {} if form.apart is None else {"validation_data": form.apart}
    return estimator.fit(form.data, sample_weight=form.sample_weight, **apart)


def truth_of(case: cases.Case, table: Table) -> cases.Truth:
    """Return the truth: by the pseudo-code, or if there is none by two fits to the array."""
    if case.algorithm is not None:
        return case.truth(table)
    case.refuse_borders(table)
    given = Form(table.x, table.weights, apart=table.apart)
    changed = replace(given, data=cases.nearby(table.x))
    fitted = fit(case, given)
    if isinstance(fitted, gramian.GCA) and cases.is_border(fitted.model_.variances):
        raise UndecidedError  # filled gaps may make directions nearly flat
    truth, nearby = (cases.truth_of_fit(each) for each in (fitted, fit(case, changed)))
    if not cases.same_path(truth, nearby):
        raise UndecidedError
    shift = np.abs(truth.total - nearby.total).max() / (truth.variance or 1.0)
    if 100 * shift > cases.WIDEST:
        raise UndecidedError
    # One solver counts functions that are nearly redundant, and the other does not.
    if hasattr(case.estimator, "solver"):
        by_sums = cases.truth_of_fit(fit(case, given, solver="gram"))
        if truth.counts != by_sums.counts:
            raise UndecidedError
    # Rows that depend on each other are left out together in memory only, as the guide says.
    if getattr(case.estimator, "backward", False):
        with patch.object(_left_out_check, "groups_of", return_value=[]):
            one_by_one = cases.truth_of_fit(fit(case, given))
        if not cases.same_path(truth, one_by_one):
            raise UndecidedError
    return replace(truth, tolerance=max(truth.tolerance, 100 * shift))


def compare(fitted: Any, truth: cases.Truth) -> None:
    """Raise an AssertionError that names the differences from the truth."""
    found = cases.truth_of_fit(fitted)
    solver, reason = (getattr(fitted, name, "none") for name in ("solver_", "stop_reason_"))
    where = f"solver {solver}, stopped by {reason}"
    close = {"rtol": 0, "err_msg": where}
    if found.choices.shape != truth.choices.shape:
        raise AssertionError(f"chose {found.choices}, not {truth.choices}; {where}")
    np.testing.assert_allclose(found.choices, truth.choices, atol=truth.tolerance, **close)
    if isinstance(fitted, gramian.UFFS):
        return
    atol = truth.tolerance * truth.variance
    np.testing.assert_allclose(found.residual, truth.residual, atol=atol, **close)
    np.testing.assert_allclose(found.total, truth.total, atol=atol, **close)
    assert found.counts == truth.counts, f"counts {found.counts}, not {truth.counts}; {where}"
    assert found.penalties == truth.penalties, f"penalties {found.penalties}; {where}"


def draw_checks(rng: Rng, case: cases.Case, table: Table, truth: cases.Truth) -> Iterator[Check]:
    """Yield the fit to the array, other forms of the table, and a fault."""
    forms = [form for form in FORMS if case.takes(form)]
    yield Check("array", partial(check_array, case, table, truth))
    for _ in range(2):
        form, change = str(rng.choice(forms)), str(rng.choice(list(CHANGES)))
        threads = int(rng.integers(1, 3))
        name = ", ".join(filter(None, [form, change, f"{threads} threads"]))
        yield Check(name, partial(check_form, rng, case, table, truth, form, change, threads))
    if case.minds_no_units:
        yield Check("other units", partial(check_units, rng, case, table, truth))
    if rng.random() < 0.3 and len(table.x) >= 10:
        yield Check("missing values", partial(check_gaps, rng, case, table, str(rng.choice(forms))))
    faults = list(FAULTS) if case.takes_files else ["infinite value"]
    if not case.takes_checkpoints:
        faults = [fault for fault in faults if fault in ("infinite value", "file cut short")]
    fault = str(rng.choice(faults))
    yield Check(fault, partial(FAULTS[fault], rng, case, table, truth))


def check_array(case: cases.Case, table: Table, truth: cases.Truth, folder: Path) -> None:
    """Fit in memory; decode; write the fit to a file and read it."""
    fitted = fit(case, Form(table.x, table.weights, apart=table.apart))
    compare(fitted, truth)
    if case.can_be_saved:
        fitted.save(folder / "fit.gram")
        again = gramian.load(folder / "fit.gram")
        np.testing.assert_array_equal(again.transform(table.x), fitted.transform(table.x))
    if case.takes_files and fitted.alpha == 0:
        left = _decoding_error(fitted, table)
        atol = max(DECODED, truth.tolerance) * truth.variance
        if case.searches_laws:  # a law may compute what functions leave
            left = max(left, truth.total[-1])
        np.testing.assert_allclose(left, truth.total[-1], rtol=0, atol=atol, err_msg="decoded")


def _decoding_error(fitted: Any, table: Table) -> float:
    """Return the mean squared residual of the decoder on the rows of the fit."""
    x, w = oracle.centred(table.x, table.weights)
    rows = table.x if table.weights is None else table.x[table.weights > 0]
    rest = rows - fitted.inverse_transform(fitted.transform(rows))
    if fitted.scale:
        deviation = np.sqrt(w @ x**2)
        rest = rest[:, deviation > 0] / deviation[deviation > 0]
    return float(np.sum(w @ rest**2))


def check_form(
    rng: Rng,
    case: cases.Case,
    table: Table,
    truth: cases.Truth,
    form: str,
    change: str,
    n_threads: int,
    folder: Path,
) -> None:
    """Fit to the table in another form."""
    changed = CHANGES[change](rng, table)
    if not changed.same_truth:
        truth = truth_of(case, changed.table)
    given = changed.table
    if not form.startswith("csv"):  # text has as many digits as float32 needs, and is read as more
        given = replace(given, x=given.x.astype(changed.dtype))
    with threadpool_limits(n_threads, user_api="blas"):
        compare(fit(case, give(form, rng, given, folder)), truth)


def check_units(rng: Rng, case: cases.Case, table: Table, truth: cases.Truth, folder: Path) -> None:
    """Change units and order of columns, and check that the same names are kept."""
    n_columns = table.x.shape[1]
    order = rng.permutation(n_columns)
    frame = pd.DataFrame(table.x, columns=[f"x{i:02}" for i in range(n_columns)])
    other = (frame * 10 ** rng.uniform(-3, 3, n_columns)).iloc[:, order]
    mine, theirs = (
        sorted(fit(case, Form(given, table.weights)).get_feature_names_out())
        for given in (frame, other)
    )
    assert mine == theirs, f"kept {mine}, and in other units {theirs}"


def check_gaps(rng: Rng, case: cases.Case, table: Table, form: str, folder: Path) -> None:
    """Remove cells: the fit uses complete rows if there are enough, else it fills gaps.

    Laws are judged by all rows, and drop no column whose gaps would be filled: there the truth is
    the fit to the array with gaps.
    """
    gone = rng.random(table.x.shape) < 10 ** rng.uniform(-3, -0.7)
    gone[:2] = False  # every column has a value
    gone[_row_that_counts(rng, table), int(rng.integers(table.x.shape[1]))] = True
    holed = replace(table, x=np.where(gone, np.nan, table.x))
    fitted = fit(case, Form(holed.x, holed.weights, apart=holed.apart))
    if fitted.gaps_.n_filled or case.searches_laws:
        truth = truth_of(replace(case, algorithm=None), holed)
    else:
        complete = ~gone.any(axis=1)
        weights = None if table.weights is None else table.weights[complete]
        truth = truth_of(case, replace(table, x=table.x[complete], weights=weights))
    compare(fitted, truth)
    if form != "sparse":
        compare(fit(case, give(form, rng, holed, folder)), truth)


# Faults


def check_interrupted(
    rng: Rng, case: cases.Case, table: Table, truth: cases.Truth, folder: Path
) -> None:
    """Interrupt the source during a fit: the fit resumes from its checkpoint."""
    parts = parts_of(rng, table)
    source = Blocks(parts, fail_at=int(rng.integers(0, 5 * len(parts))))
    form = replace(give("blocks", rng, table, folder), data=source, budget=2**20)
    try:
        fitted = fit(case, form, checkpoint=folder / "sums")
    except ConnectionError:
        source.fail_at = None
        fitted = fit(case, form, checkpoint=folder / "sums")
    compare(fitted, truth)
    undisturbed = fit(case, replace(form, data=Blocks(parts)))
    for name in ("residual_variance_", "total_residual_variance_", "n_functions_"):
        np.testing.assert_array_equal(getattr(fitted, name), getattr(undisturbed, name), name)


def check_stale(rng: Rng, case: cases.Case, table: Table, truth: cases.Truth, folder: Path) -> None:
    """Use the checkpoint of another, similar table: the fit refuses it."""
    form = str(rng.choice(["array", "npy", "parquet", "blocks", "dask"]))
    fit(case, give(form, rng, table, folder), checkpoint=folder / "sums")
    x = table.x.copy()
    row = _row_that_counts(rng, table)
    column = int(rng.integers(x.shape[1]))
    x[row, column] += 1e-6 * (np.abs(x[:, column]).max() + x.std(axis=0).max())
    other = give(form, rng, replace(table, x=x), folder)
    _refused(case, other, "checkpoint", checkpoint=folder / "sums")


def check_infinite(
    rng: Rng, case: cases.Case, table: Table, truth: cases.Truth, folder: Path
) -> None:
    """Make a value infinite: the fit refuses it, and names its place in a file."""
    x = table.x.copy()
    row, column = _row_that_counts(rng, table), int(rng.integers(x.shape[1]))
    x[row, column] = rng.choice([np.inf, -np.inf])
    form = str(rng.choice([form for form in FORMS if case.takes(form)]))
    given = give(form, rng, replace(table, x=x), folder)
    place = f"row {row}" if given.path is not None else "in"  # contains infinity
    _refused(case, given, place)


def check_cut(rng: Rng, case: cases.Case, table: Table, truth: cases.Truth, folder: Path) -> None:
    """Truncate a file: the error names the file."""
    form = str(rng.choice(["npy", "parquet", "csv.gz"]))
    given = give(form, rng, table, folder)
    assert given.path is not None
    content = given.path.read_bytes()
    given.path.write_bytes(content[: rng.integers(0, len(content))])
    _refused(case, given, given.path.name)


def _row_that_counts(rng: Rng, table: Table) -> int:
    """Return a row whose weight is not zero."""
    weights = np.ones(len(table.x)) if table.weights is None else table.weights
    return int(rng.choice(np.flatnonzero(weights)))


def _refused(case: cases.Case, form: Form, text: str, **params: Any) -> None:
    """Check that a fit raises a ValueError with a given text."""
    with pytest.raises(ValueError, match=re.escape(text)):
        fit(case, form, **params)


FAULTS = {
    "interrupted": check_interrupted,
    "checkpoint of other data": check_stale,
    "infinite value": check_infinite,
    "file cut short": check_cut,
}
