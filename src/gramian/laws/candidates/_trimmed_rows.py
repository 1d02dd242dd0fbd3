"""Candidate laws of the rows that remain after rows with wrong cells are trimmed.

A smooth function of the other columns, fitted by least absolute deviations and then to the rows
near it, gives a column well enough to show the rows that do not belong: rows with a wrong cell. The
generators of exact laws then search in the other rows, as in a table without wrong cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from gramian._support.blas import second_moments
from gramian._support.time_limit import check_time
from gramian._support.types import Array
from gramian.laws.candidates._explicit_laws import explicit_laws
from gramian.laws.candidates._function_sets import angle_laws, logarithm_laws, polynomial_laws
from gramian.laws.candidates._search_context import (
    SMALL_TABLE,
    Candidate,
    Generator,
    SearchContext,
)
from gramian.laws.candidates._small_sets import small_sets
from gramian.laws.candidates._sums_and_powers import power_laws, sums
from gramian.laws.candidates._wide_tables import printed_products_with_sums, wide_products
from gramian.laws.columns import traits_of
from gramian.laws.forms import Values
from gramian.laws.judge import LEAST_SHARE, has_factor, rows_that_hold

GENERATORS = (
    sums,
    power_laws,
    small_sets,
    wide_products,
    printed_products_with_sums,
    polynomial_laws,
    logarithm_laws,
    angle_laws,
)
"""Generators of exact laws that search the trimmed rows, in the order of the stages."""
SCREENED_ROWS = 600
"""Number of rows in which columns are found that the other columns explain."""
CLIPPED = 0.05
"""Share of the values at each end of a column that are moved to the nearest other value."""
UNEXPLAINED = 0.7
"""Share of a clipped column that others leave unexplained at most, if rows are to be trimmed."""
MOST_EQUAL = 0.4
"""Largest share of equal values of a column for which rows are trimmed."""
MOST_COLUMNS = 2
"""Number of columns for which rows are trimmed, the best explained columns first."""
DEGREES = (2, 3, 4)
"""Degrees of the polynomials that are tried as smooth functions."""
MOST_FUNCTIONS = 6
"""A smooth function has at most one coefficient for this many rows."""
FITTED_ROWS = 1_500
"""A smooth function is fitted to this many rows, or more if it has many coefficients."""
SEARCHED_ROWS = 3_000
"""About the number of rows without suspicious cells in which exact laws are searched."""
REWEIGHTINGS = 12
"""Number of weighted least squares that approximate least absolute deviations."""
CONCENTRATIONS = 6
"""Number of fits to the rows near the fit before."""
NEAR = 4.0
"""Largest residual of a row near the fit, in robust standard deviations."""
FAR = 15.0
"""Smallest residual of a row with a wrong cell that is clearly wrong."""
LARGEST_SIGMA = 0.1
"""Largest deviation from a smooth function, in robust units, if an exact law is behind it."""
FEWEST_FAR = 0.04
"""Smallest share of the trimmed rows that are clearly wrong."""
FARTHEST = 1e30
"""Largest value in robust units; products of values beyond it would overflow."""
DRAWS = 3
"""Number of draws of fewer rows, if not all rows with a wrong cell are trimmed."""
DRAWN = 0.4
"""Share of the rows in a draw."""
RIDGE = 1e-11


def laws_in_trimmed_rows(context: SearchContext) -> Iterator[Candidate]:
    """Yield exact laws of the rows without suspicious cells, for the best explained columns."""
    values, free = context.train, context.free
    if len(free) < 2 or len(context.varying) > SMALL_TABLE:
        return
    for target in _explained(values, free)[:MOST_COLUMNS]:
        check_time()
        suspicious = suspicious_rows(values, target, [i for i in free if i != target])
        if suspicious is None:
            continue
        clean = np.flatnonzero(~suspicious)
        clean = clean[:: max(1, len(clean) // SEARCHED_ROWS)]
        for k, rows in enumerate(_draws(clean)):
            inner = _context_of(context, rows)
            generators = GENERATORS if k else (*GENERATORS, explicit_laws)
            found = [*_that_most_rows_obey(inner, generators, values)]
            yield from found
            if found:
                return


def _that_most_rows_obey(
    inner: SearchContext, generators: Sequence[Generator], values: Values
) -> Iterator[Candidate]:
    """Yield the laws of the first generator with laws that most of all rows obey.

    Parameters
    ----------
    inner : SearchContext
        The rows in which laws are searched.
    generators : sequence of Generator
        The generators of laws.
    values : Values
        All rows.
    """
    for generator in generators:
        found = False
        for candidate in generator(inner):
            holds = rows_that_hold(candidate.law, values, None)
            if holds.mean() >= LEAST_SHARE and not has_factor(candidate.law):
                found = True
                yield candidate
        if found:
            return


def _draws(rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Yield all rows, then draws of fewer rows, of which some may have no wrong cell."""
    yield rows
    rng = np.random.default_rng(0)
    for _ in range(DRAWS):
        yield np.sort(rng.choice(rows, int(DRAWN * len(rows)), replace=False))


def _context_of(context: SearchContext, rows: NDArray[np.intp]) -> SearchContext:
    """Return the context of a search in some rows, with the traits that columns have there."""
    x, scale = context.train.x[rows], context.train.scale
    traits = [
        replace(traits_of(column), scale=each.scale)
        for column, each in zip(x.T, context.traits, strict=True)
    ]
    values = Values(np.asfortranarray(x), scale, traits)
    inner = SearchContext(values, values, values, (), context.settled)
    for law in context.laws:
        inner.add(law)
    inner.start_stage()
    return inner


def _explained(values: Values, columns: Sequence[int]) -> list[int]:
    """Return the columns that quadratic functions of the others explain, best explained first.

    Wrong cells cannot hide a law of clipped columns. Columns of which most values are equal are not
    returned: any function that gives this value is near most rows.
    """
    step = max(1, values.n_rows // SCREENED_ROWS)
    x = values.x[::step, columns]
    varies = (x == np.median(x, axis=0)).mean(axis=0) <= MOST_EQUAL
    clipped = np.clip(x, *np.quantile(x, [CLIPPED, 1 - CLIPPED], axis=0))
    positive = (clipped > 0).all(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(positive, np.log(clipped), clipped)
    left = np.minimum(*(_unexplained(each) for each in (clipped, logs)))
    return [columns[k] for k in np.argsort(left).tolist() if left[k] < UNEXPLAINED and varies[k]]


def _unexplained(x: Array) -> Array:
    """Return the share of each column that quadratic functions of the others do not explain.

    The inverse of the block of the inverse Gram matrix that belongs to the functions of column j is
    the covariance of these functions after all other functions are subtracted.
    """
    z = (x - x.mean(axis=0)) / np.where(x.std(axis=0) > 0, x.std(axis=0), 1.0)
    powers = [*((k,) for k in range(z.shape[1])), *_products(z.shape[1], 2)]
    functions = np.column_stack([z[:, each].prod(axis=1) for each in powers])
    n_rows, n_functions = functions.shape
    if n_rows <= 2 * n_functions:
        return np.ones(z.shape[1])
    functions -= functions.mean(axis=0)
    size = np.linalg.norm(functions, axis=0)
    functions /= np.where(size > 0, size, 1.0)
    inverse = np.linalg.inv(functions.T @ functions + RIDGE * np.eye(n_functions))
    left = np.empty(z.shape[1])
    for k in range(z.shape[1]):
        own = [i for i, each in enumerate(powers) if k in each]  # column k itself comes first
        left[k] = np.linalg.inv(inverse[np.ix_(own, own)])[0, 0]
    return np.asarray(left * n_rows / (n_rows - n_functions))


def _products(n_columns: int, degree: int) -> Iterator[tuple[int, ...]]:
    return combinations_with_replacement(range(n_columns), degree)


def suspicious_rows(values: Values, target: int, others: Sequence[int]) -> NDArray[np.bool_] | None:
    """Return a mask of the rows far from a smooth function of other columns.

    The function is the best of polynomials of some degrees of the columns or their logarithms,
    for the column or its logarithm. The result is None if few rows are clearly far, or
    if most rows are not near.

    Parameters
    ----------
    values : Values
        The rows.
    target : int
        The column that the function gives.
    others : sequence of int
        The columns of the function.
    """
    best, mask = np.inf, None
    for y in _with_logarithm(values.x[:, target]):
        for inputs in _with_logarithms(values.x[:, others]):
            n_functions = 0
            for degree in DEGREES:
                functions = _polynomials(inputs, degree)
                if functions.shape[1] == n_functions:
                    break  # too many functions of this degree
                n_functions = functions.shape[1]
                residuals, sigma = _robust_residuals(functions, y)
                missed = np.abs(residuals)
                if sigma < best:
                    trimmed = missed > NEAR * sigma
                    far = missed > FAR * sigma
                    best = sigma
                    wrong = far.sum() >= max(FEWEST_FAR * trimmed.sum(), 2)
                    believed = wrong and sigma <= LARGEST_SIGMA
                    mask = trimmed if believed and trimmed.mean() <= 1 - LEAST_SHARE else None
    return mask


def _with_logarithm(y: Array) -> Iterator[Array]:
    """Yield a column, and the logarithm of its size if most signs agree, in robust units."""
    yield _in_robust_units(y[:, np.newaxis])[:, 0]
    y = y * np.sign(np.median(y))
    positive = y > 0
    if positive.mean() >= LEAST_SHARE:
        least = np.log(y[positive].min()) - 1.0
        logs = np.full(len(y), least)
        logs[positive] = np.log(y[positive])
        yield _in_robust_units(logs[:, np.newaxis])[:, 0]


def _with_logarithms(x: Array) -> Iterator[Array]:
    """Yield columns, and then columns with logarithms of the positive columns, in robust units."""
    plain = _in_robust_units(x)
    yield plain
    positive = (x > 0).all(axis=0)
    if positive.any():
        logs = plain.copy()
        logs[:, positive] = _in_robust_units(np.log(x[:, positive]))
        yield logs


def _in_robust_units(x: Array) -> Array:
    """Return columns with median 0 and median absolute value 1/2.

    If most values of a column are equal, its largest absolute value is 1.
    """
    centred = x - np.median(x, axis=0)
    missed = np.abs(centred)
    size = 2 * np.median(missed, axis=0)
    size = np.where(size > 0, size, missed.max(axis=0))
    return np.clip(centred / np.where(size > 0, size, 1.0), -FARTHEST, FARTHEST)


def _polynomials(x: Array, degree: int) -> Array:
    """Return products of up to `degree` columns; of lower degree if they are too many.

    Products that are zero in all rows are left out.
    """
    found = [np.ones(len(x))]
    for power in range(1, degree + 1):
        new = [x[:, each].prod(axis=1) for each in _products(x.shape[1], power)]
        if MOST_FUNCTIONS * (len(found) + len(new)) > len(x):
            break
        found += new
    functions = np.column_stack(found)
    size = np.linalg.norm(functions, axis=0)
    return np.asarray(functions[:, size > 0] / size[size > 0])


def _robust_residuals(functions: Array, y: Array) -> tuple[Array, float]:
    """Return the residuals of a fit to most rows, and their robust standard deviation.

    The function is fitted to some of the rows if these are enough.
    """
    n_rows, n_functions = functions.shape
    most = max(FITTED_ROWS, MOST_FUNCTIONS * n_functions)
    if n_rows > most:
        some = np.linspace(0, n_rows - 1, most).astype(np.intp)
        coefficients, sigma = _robust_fit(functions[some], y[some])
    else:
        coefficients, sigma = _robust_fit(functions, y)
    return y - functions @ coefficients, sigma


def _robust_fit(functions: Array, y: Array) -> tuple[Array, float]:
    """Return the coefficients of a fit to most rows, and the robust deviation of its residuals."""
    n_rows, n_functions = functions.shape
    least = 1e-13 * float(np.abs(y).max())
    weights = np.ones(n_rows)
    residuals = y
    for _ in range(REWEIGHTINGS):
        residuals = y - functions @ _solve(functions, y, weights)
        missed = np.abs(residuals)
        weights = 1 / np.maximum(missed, max(0.3 * float(np.median(missed)), least))
    sigma, coefficients = 0.0, np.zeros(n_functions)
    for _ in range(CONCENTRATIONS):
        spread = float(np.median(np.abs(residuals)))
        sigma = 1.4826 * spread * n_rows / (n_rows - n_functions) + least
        near = np.abs(residuals) <= NEAR * sigma
        coefficients = _solve(functions, y, near.astype(np.float64))
        residuals = y - functions @ coefficients
    return coefficients, sigma


def _solve(functions: Array, y: Array, weights: Array) -> Array:
    """Return the coefficients of weighted least squares."""
    roots = np.sqrt(weights)
    weighted, values = functions * roots[:, np.newaxis], y * roots
    gram = second_moments(weighted)
    gram[np.diag_indices_from(gram)] *= 1 + RIDGE
    try:
        factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return np.asarray(np.linalg.lstsq(weighted, values, rcond=None)[0])
    return np.asarray(cho_solve(factor, values @ weighted, check_finite=False))
