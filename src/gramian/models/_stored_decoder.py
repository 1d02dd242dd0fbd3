"""Conversion of a decoder to the arrays of a model file, and back.

A file does not store the functions of the decoder: the reader makes them again from the family.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.core.pursuit import Decoder, Reach
from gramian.exceptions import ModelFileError
from gramian.families import Block, Calls, Family, Products
from gramian.models._archive import AnyArray
from gramian.models._schema import check_indices

MAX_MOMENTS_BYTES = 2**20
"""Default limit in bytes of the moments in a file: larger moments need ``moments=True``."""
MAX_PRODUCTS = 2**20
"""Largest number of products of variables that the reader forms in one step, at about 100 bytes of
memory per product. A file that needs more is refused."""
MAX_PRODUCTS_IN_ALL = 2**22
"""Largest number of products of variables that the reader forms in all steps together."""
STORED_ROUNDING = 1e-6
"""Relative rounding error that is accepted when moments and residual variances of a file are
checked."""


def to_arrays(decoder: Decoder, *, moments: bool | None) -> dict[str, AnyArray]:
    """Return those arrays of a decoder that are not simply attributes of it, by name.

    They are the indices of the kept functions and of the explained columns, the moments, and the
    levels (distinct values) of indicators.

    Parameters
    ----------
    decoder : Decoder
        The decoder of a fitted model.
    moments : bool or None
        True to include the moments, False to leave them out; None to include them if they take
        at most `MAX_MOMENTS_BYTES`.
    """
    arrays: dict[str, AnyArray] = {
        "decoder.kept": np.concatenate([*decoder.kept, np.empty(0, dtype=np.intp)]).astype(np.intp),
    }
    if decoder.moments is not None and moments is not False:
        gram, with_x = decoder.moments
        if moments or gram.nbytes + with_x.nbytes <= MAX_MOMENTS_BYTES:
            arrays |= {"decoder.gram": gram, "decoder.with_x": with_x}
    levels = [each for each in map(_levels_of, decoder.blocks) if each is not None]
    if levels:
        arrays["decoder.levels"] = np.concatenate(levels)
        arrays["decoder.n_levels"] = np.array([len(each) for each in levels], dtype=np.intp)
    if decoder.reach is not None:
        arrays["decoder.explained"] = decoder.explained
    return arrays


def _levels_of(block: Block) -> Array | None:
    """Return the levels (distinct values) of the variable that a block of functions belongs to.

    Return None if the block has no indicator functions.
    """
    for basis in block.bases:
        evaluate = getattr(basis, "evaluate", None)
        if isinstance(evaluate, partial):  # only bases of indicators have arguments of their own
            (middles,) = evaluate.args
            upper = np.array([key[1] for key in basis.keys[1:]], dtype=np.float64)  # type: ignore[index]
            return np.append(_lowest_level(middles, upper), upper)
    return None


def _lowest_level(middles: Array, upper: Array) -> float:
    """Compute the lowest distinct value of a variable, which indicator functions do not store.

    `middles` are the means of neighbouring values, and `upper` all values but the lowest. The
    result is the float for which the mean of it and `upper[0]` is exactly `middles[0]`.
    """
    if not len(middles):
        return 0.0
    guess = 2 * middles[0] - upper[0]
    nearby = (guess, np.nextafter(guess, -np.inf), np.nextafter(guess, np.inf))
    return float(next((x for x in nearby if (upper[0] + x) / 2 == middles[0]), guess))


def from_arrays(
    arrays: Mapping[str, AnyArray], family: Family, n_kept: IntArray, n_dropped: IntArray
) -> Decoder:
    """Make a decoder from the arrays of a file.

    Parameters
    ----------
    arrays : mapping from str to array
        All arrays of the file; their shapes are already checked.
    family : Family
        Family of the functions of the fit.
    n_kept, n_dropped : arrays of shape (n_steps,)
        Number of functions that each step of the fit added to the basis, and number that it
        dropped.
    """
    coefficients, kept = arrays["decoder.coefficients"], arrays["decoder.kept"]
    units = arrays["decoder.units"]
    if max(n_kept.max(initial=0), n_dropped.max(initial=0)) > MAX_PRODUCTS:
        raise ModelFileError("A step has more functions than a model file can hold.")
    if int(n_kept.sum()) != len(kept) or len(coefficients) != len(kept) + 1:
        raise ModelFileError("Its numbers of functions contradict each other.")
    if (units <= 0).any():
        raise ModelFileError("A standard deviation is not positive.")
    parts = np.split(kept, np.cumsum(n_kept)[:-1]) if len(n_kept) else []
    blocks: list[Block] = []
    for j, block in enumerate(grow(family, len(units), _split_levels(arrays))):
        if block.n_functions != n_kept[j] + n_dropped[j]:
            raise ModelFileError(
                f"The family has {block.n_functions} functions at step {j + 1}, but the file has "
                f"{n_kept[j] + n_dropped[j]}."
            )
        check_indices("decoder.kept", parts[j], block.n_functions, increasing=True)
        blocks.append(block)
    moments = None
    if "decoder.gram" in arrays:
        moments = arrays["decoder.gram"], arrays["decoder.with_x"]
        _check_moments(moments[0])
    explained = arrays.get("decoder.explained", np.empty(0, dtype=np.intp)).astype(np.intp)
    check_indices("decoder.explained", explained, coefficients.shape[1], increasing=True)
    return Decoder(
        tuple(blocks),
        tuple(parts),
        coefficients,
        arrays["decoder.linear"],
        units,
        moments,
        explained,
        _reach_of(arrays, coefficients.shape[1]),
    )


def _reach_of(arrays: Mapping[str, AnyArray], n_columns: int) -> Reach | None:
    """Return the ranges of functions over the rows of the fit; None if the file has no ranges.

    Early versions wrote no ranges: their decoders use the functions for all rows.
    """
    if "decoder.low" not in arrays:
        return None
    reach = Reach(
        arrays["decoder.low"],
        arrays["decoder.high"],
        arrays["decoder.watched"].astype(np.intp),
        arrays["decoder.part_low"],
        arrays["decoder.part_high"],
    )
    check_indices("decoder.watched", reach.columns, n_columns, increasing=True)
    if (reach.low > reach.high).any() or (reach.part_low > reach.part_high).any():
        raise ModelFileError("A range of its functions is empty.")
    return reach


def _check_moments(gram: Array) -> None:
    """Raise ModelFileError if a matrix cannot be the second moments of functions.

    The first function must be the constant 1, and |E[fg]| must be at most √(E[f²] E[g²]).
    """
    deviations = np.sqrt(np.maximum(gram.diagonal(), 0.0))
    with np.errstate(over="ignore"):
        bound = (1 + STORED_ROUNDING) * np.multiply.outer(deviations, deviations)
    if (
        abs(gram[0, 0] - 1) > STORED_ROUNDING
        or not deviations.all()
        or (np.abs(gram) > bound).any()
    ):
        raise ModelFileError("Its moments are damaged.")


def _split_levels(arrays: Mapping[str, AnyArray]) -> list[Array] | None:
    """Return the levels (distinct values) of each variable; None if the file has no levels."""
    if "decoder.levels" not in arrays:
        return None
    levels, n_levels = arrays["decoder.levels"], arrays["decoder.n_levels"]
    too_many = n_levels.max(initial=0) > len(levels)
    if n_levels.min(initial=1) < 1 or too_many or int(n_levels.sum()) != len(levels):
        raise ModelFileError("The numbers of its levels contradict each other.")
    parts = np.split(levels, np.cumsum(n_levels)[:-1]) if len(n_levels) else []
    if any((np.diff(part) <= 0).any() for part in parts):
        raise ModelFileError("The levels of a variable are not in increasing order.")
    return parts


def grow(family: Family, n: int, levels: list[Array] | None = None) -> Iterator[Block]:
    """Yield for each variable the block of functions that the fit added with the variable.

    Raise ModelFileError if a block has too many functions.

    Parameters
    ----------
    family : Family
        Family of the functions.
    n : int
        Number of variables.
    levels : list of array, optional
        Levels (distinct values) of each variable; needed for families with indicators.
    """
    expansion, rules = family.expand(), family.rules()
    in_all = 0
    for j in range(n):

        def levels_of(limit: int, j: int = j) -> Array:
            """Return the levels of the newest variable, as they were stored."""
            if levels is None:
                raise ModelFileError("It lacks the levels of its variables.")
            return levels[j]

        try:
            n_products = sum(_count(rule, expansion.n_store, j, levels_of) for rule in rules)
            in_all += n_products
            if n_products > MAX_PRODUCTS or in_all > MAX_PRODUCTS_IN_ALL:
                raise ModelFileError("It has more functions than a model file can hold.")
            block = expansion.grow(levels_of)
        except ModelFileError:
            raise
        except ValueError as error:
            raise ModelFileError(str(error)[:300]) from error
        yield block


def _count(rule: Products | Calls, n_store: int, newest: int, levels_of: Any) -> int:
    """Return the number of functions that a rule of the family forms with a new variable.

    Parameters
    ----------
    rule : Products or Calls
        The rule.
    n_store : int
        The number of earlier functions that may be factors.
    newest : int
        The index of the new variable.
    levels_of : callable
        Returns the distinct values of the variable.
    """
    if isinstance(rule, Products):
        return n_store * len(rule.basis(levels_of).keys)
    return sum(
        math.comb(newest, arity - 1) * (math.factorial(arity) if rule.any_order else 1)
        for _, arity in rule.functions
    )
