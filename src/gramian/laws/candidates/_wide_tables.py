"""Candidate laws in wide tables: sums and products of a few columns out of many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws.candidates._null_space import without_common_factor
from gramian.laws.candidates._printed_sums import ROWS_PER_COLUMN
from gramian.laws.candidates._search_context import SMALL_TABLE, WIDEST, Candidate, SearchContext
from gramian.laws.candidates._shortest_sum import Sum, shortest_sum
from gramian.laws.candidates._sums_and_powers import NO_CONSTANT, power_law
from gramian.laws.forms import ONE, Law, Monomial, Values
from gramian.laws.judge import refit_law

PRODUCT_ROWS = 500
"""About the number of rows in which products of two columns are compared with columns."""
RELATED = 0.3
"""A product is fitted to a column only if their absolute correlation exceeds this."""
PAIRS = 3
"""For each column, at most this many products of two columns are fitted."""
FOLLOWS = 0.9
"""A column is fitted only if the other columns explain more than this share of its variance."""
FOLLOWS_IN_FEW_ROWS = 0.3
"""Value of `FOLLOWS` for exact sums in few rows: each of four terms may explain little alone."""
SUM_RESIDUAL = 0.03
"""A sum is a candidate if its residual is below this share of the standard deviation."""
MAX_SUM_TERMS = 4
"""Largest number of terms of a sum, and of factors of a product."""
NONZERO_SHARE = 0.5
"""Products are searched in rows without zeros, which must be at least this share of the rows."""
COPIED = 1e-9
"""A unit column is a copy of another column if its residual on the other is at most this."""
NEAR_HALF = 0.1
"""Largest difference of a noisy exponent from a multiple of 1/2."""
NOISY_EXPONENT_ERROR = 0.01
"""Least tolerance for replacing a noisy exponent by a fraction; large residuals increase it."""


def printed_products(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which a column is a product of powers of others, up to the rounding of numbers.

    Each law is yielded once with each of its columns as target.
    """
    found = _sparse_products(context.few, context.distinct)
    laws = (refit_law(law, context.train) for law in found)
    return _for_any_column(laws, 5.0 * len(context.distinct) ** 4)


def printed_sums_in_few_rows(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which a column is a sum of a few others, if rows are few for so many columns.

    With more rows, `printed_sums` fits all columns at once. Each law is yielded once with each of
    its columns as target.
    """
    columns = context.distinct
    if context.train.n_rows < ROWS_PER_COLUMN * len(columns) and len(columns) <= WIDEST:
        found = _sparse_sums(context.train, columns, FOLLOWS_IN_FEW_ROWS)
        yield from _for_any_column(found, float(len(columns)) ** MAX_SUM_TERMS)


def printed_products_with_sums(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which a column is a product plus other columns, up to the rounding of numbers.

    Each law is yielded once with each of its columns as target.
    """
    laws = _products_with_sums(context.few, context.distinct)
    return _for_any_column(laws, 5.0 * len(context.distinct) ** 4)


def _for_any_column(laws: Iterable[Law], n_tried: float) -> Iterator[Candidate]:
    for law in laws:
        for column in law.columns:
            yield Candidate(law, n_tried, column)


def wide_products(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which a column is a product of two columns plus other columns.

    Columns that accepted laws compute are left out. Tables of few columns are not searched.
    """
    free = context.free
    if SMALL_TABLE < len(free) <= WIDEST:
        for law in _products_with_sums(context.few, free):
            yield Candidate(refit_law(law, context.train), float(len(free)) ** 4)


def noisy_products(context: SearchContext) -> Iterator[Candidate]:
    """Yield noisy laws in which a column is a product of powers of other columns.

    Only columns that no accepted law computes take part.
    """
    free = context.free
    for law in _sparse_products(context.few, free):
        yield Candidate(refit_law(law, context.train), 5.0 * len(free) ** 3)


def noisy_powers(context: SearchContext) -> Iterator[Candidate]:
    """Yield noisy laws in which a column is a product of powers of all columns that matter to it.

    Logarithms are fitted with weights |y|: noise that is added to y spoils those of small values.
    """
    values = context.few
    traits = values.traits
    columns = [i for i in context.free if traits[i].positive and traits[i].n_levels is None]
    if values.n_rows < ROWS_PER_COLUMN * len(columns):
        return
    for target in context.free:
        y = np.abs(values.of((target, "x")))
        rows = values.take(y > 0)
        y = y[y > 0]
        others = [(i, "x") for i in columns if i != target]
        logs = [np.ones(len(y)), *(np.log(rows.of(each)) for each in others)]
        weighted = np.column_stack(logs) * y[:, np.newaxis]
        if not np.isfinite(weighted).all():  # a positive cell that is scaled to zero
            continue
        slopes = np.linalg.lstsq(weighted, y * np.log(y), rcond=None)[0][1:]
        halves = np.rint(2 * slopes) / 2
        if not halves.any() or np.abs(slopes - halves).max() > NEAR_HALF:
            continue
        law = power_law(values, [(target, "x"), *others], np.append(-1.0, halves))
        if law is not None:
            yield Candidate(refit_law(law, context.train), 5.0 * len(columns) ** 3)


def noisy_sums(context: SearchContext) -> Iterator[Candidate]:
    """Yield noisy laws in which a column is a sum of multiples of other columns.

    Only columns that no accepted law computes take part.
    """
    free = context.free
    for law in _sparse_sums(context.few, free):
        yield Candidate(refit_law(law, context.train), float(len(free)) ** 3)


def _sparse_sums(values: Values, columns: Sequence[int], follows: float = FOLLOWS) -> Iterator[Law]:
    """Yield laws in which a column is the sum of a few other columns, with noise."""
    monomials: list[Monomial] = [(((i, "x"), 1),) for i in columns]
    matrix = values.matrix(monomials)
    for k in _explained(matrix, follows):
        found = shortest_sum(*_split(matrix, k), max_terms=MAX_SUM_TERMS)
        spread = float(np.std(matrix[:, k]) / np.sqrt(np.mean(matrix[:, k] ** 2)))
        if found is not None and found.left < SUM_RESIDUAL * spread:
            found = _without_zero_constant(found, matrix[:, k])
            yield found.law(monomials[k], [ONE, *monomials[:k], *monomials[k + 1 :]])


def _without_zero_constant(found: Sum, target: Array) -> Sum:
    """Remove the constant, which is function 0, from a sum if it is only a rounding error."""
    pairs = [*zip(found.members, found.coefficients.tolist(), strict=True)]
    least = NO_CONSTANT * float(np.abs(target).max())
    members, coefficients = zip(*((i, c) for i, c in pairs if i or abs(c) > least), strict=True)
    return replace(found, members=members, coefficients=np.array(coefficients))


def _sparse_products(values: Values, columns: Sequence[int]) -> Iterator[Law]:
    """Yield laws in which a column is a product of powers of a few other columns, with noise."""
    columns = [i for i in columns if values.traits[i].n_levels != 2]
    columns, rows = _mostly_nonzero(values, columns)
    if len(columns) < 2:
        return
    values = values.take(rows)
    matrix = np.log(np.abs(np.column_stack([values.of((i, "x")) for i in columns])))
    varying = np.ptp(matrix, axis=0) > 0
    columns = [i for i, flag in zip(columns, varying, strict=True) if flag]
    matrix = matrix[:, varying]
    variables = [(i, "x") for i in columns]
    for k in _explained(matrix):
        found = shortest_sum(*_split(matrix, k), max_terms=MAX_SUM_TERMS)
        if found is None:
            continue
        others = np.zeros(len(columns))  # the constant, and all columns but one
        others[list(found.members)] = found.coefficients
        exponents = np.insert(others[1:], k, -1.0)
        law = power_law(values, variables, exponents, max(NOISY_EXPONENT_ERROR, 3 * found.left))
        if law is not None:
            yield law


def _mostly_nonzero(values: Values, columns: Sequence[int]) -> tuple[list[int], IntArray]:
    """Choose columns for logarithms; return them, and the rows in which none of them is zero.

    A column with zeros, such as the current of a machine that is sometimes switched off, is chosen
    if at least `NONZERO_SHARE` of the rows remain. Columns with few zeros are chosen first.
    """
    zero = values.x[:, columns] == 0
    chosen, rows = [], np.ones(values.n_rows, dtype=np.bool_)
    for place in np.argsort(zero.sum(axis=0), kind="stable").tolist():
        left = rows & ~zero[:, place]
        if left.sum() >= NONZERO_SHARE * values.n_rows:
            chosen.append(place)
            rows = left
    return [columns[place] for place in sorted(chosen)], np.flatnonzero(rows)


def _split(matrix: Array, k: int) -> tuple[Array, Array, list[float]]:
    """Return the arguments of `shortest_sum` that fit column k by all other columns.

    The arguments are: a constant with all other columns, column k, and the costs of the terms.
    """
    others = np.column_stack([np.ones(len(matrix)), np.delete(matrix, k, axis=1)])
    return others, matrix[:, k], [np.log(2 + others.shape[1])] * others.shape[1]


def _explained(matrix: Array, follows: float = FOLLOWS) -> list[int]:
    """Return indices of the columns that other columns explain well, best explained first.

    The other columns explain more than the share `follows` of the variance. If rows are few, this
    share is estimated by three times the share that the best column explains.
    """
    n, d = matrix.shape
    centred = matrix - matrix.mean(axis=0)
    size = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(size > 0, size, 1.0)
    gram = unit.T @ unit
    if n > 3 * d:
        inverse = np.linalg.pinv(gram, hermitian=True, rcond=1e-13)
        left = 1 / np.maximum(np.diag(inverse), 1.0)
    else:
        np.fill_diagonal(gram, 0.0)
        left = 1 - 3 * (gram**2).max(axis=0)
    order = np.argsort(left)
    return [int(k) for k in order if left[k] < 1 - follows and size[k] > 0]


def _products_with_sums(values: Values, columns: Sequence[int]) -> Iterator[Law]:
    """Yield laws in which a column is a product or ratio of two columns, plus other columns.

    The correlations of all columns with all products of two columns are computed as matrix
    products, with n_rows · n_columns³ operations.
    """
    if len(columns) < 2:
        return
    step = max(1, values.n_rows // PRODUCT_ROWS)
    x = values.x[::step][:, columns] / values.scale[columns]
    centred = x - x.mean(axis=0)
    plain_unit = centred / np.linalg.norm(centred, axis=0)
    # If y = large column + product, the product correlates only with a residual of y: use both.
    unit = np.hstack([plain_unit, _residuals(plain_unit)]).astype(np.float32)
    n = len(columns)
    best: list[list[tuple[float, int, int, int]]] = [[] for _ in columns]
    for i, column in enumerate(columns):
        traits = values.traits[column]
        for power in (1, -1) if traits.never_zero else (1,):
            # x_j x_i for j ≥ i, and x_j / x_i for all j
            first = i if power > 0 else 0
            products = x[:, first:] * x[:, i : i + 1] ** power
            products -= products.mean(axis=0)
            norms = np.linalg.norm(products, axis=0)
            norms[norms == 0] = 1.0
            related = np.abs((products / norms).astype(np.float32).T @ unit)
            if traits.n_levels is not None:
                related[i - first] = 0.0  # squares of a column with few levels obey trivial laws
            rows = np.arange(len(related))
            related[rows, rows + first] = 0.0
            related[rows, rows + first + n] = 0.0
            related[:, [i, i + n]] = 0.0
            top = np.argmax(related, axis=0)
            for k in np.flatnonzero(related.max(axis=0) > RELATED).tolist():
                best[k % n].append((float(related[top[k], k]), i, int(top[k]) + first, power))
    linear: list[Monomial] = [(((i, "x"), 1),) for i in columns]
    plain = values.matrix(linear)
    for k, pairs in enumerate(best):
        for _, i, j, power in sorted(pairs, reverse=True)[:PAIRS]:
            extra = _product(columns[i], columns[j], power)
            matrix, target, costs = _split(plain, k)
            matrix = np.column_stack([matrix, values.product(extra)])
            found = shortest_sum(matrix, target, [*costs, costs[0]], max_terms=MAX_SUM_TERMS)
            if found is None or len(matrix[0]) - 1 not in found.members:
                continue
            names = [ONE, *linear[:k], *linear[k + 1 :], extra]
            yield without_common_factor(found.law(linear[k], names))


def _residuals(unit: Array) -> Array:
    """Return the residual of each column on its most correlated column, scaled to norm 1.

    Copies of another column get the residual zero.
    """
    gram = unit.T @ unit
    np.fill_diagonal(gram, 0.0)
    nearest = np.argmax(np.abs(gram), axis=0)
    slopes = gram[nearest, np.arange(len(gram))]
    rest = unit - unit[:, nearest] * slopes
    norms = np.linalg.norm(rest, axis=0)
    found: Array = rest / np.where(norms > COPIED, norms, np.inf)
    return found


def _product(i: int, j: int, power: int) -> Monomial:
    if i == j:
        return (((i, "x"), 2),)
    return tuple(sorted([((i, "x"), power), ((j, "x"), 1)]))
