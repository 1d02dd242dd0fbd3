"""Stages of the search for laws among numbers: all generators in order, simple laws first.

To add a new kind of law among numbers, write a generator in this package and list it here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from gramian.laws.candidates._catalogue import (
    functions_of_one_column,
    logarithms_of_two_columns,
    products_of_two_columns,
)
from gramian.laws.candidates._column_pairs import exact_pairs, noisy_pairs
from gramian.laws.candidates._explicit_laws import explicit_laws
from gramian.laws.candidates._function_sets import angle_laws, logarithm_laws, polynomial_laws
from gramian.laws.candidates._laws_with_exceptions import laws_with_exceptions
from gramian.laws.candidates._printed_sums import printed_sums, printed_sums_of_squares
from gramian.laws.candidates._products_with_exceptions import products_with_exceptions
from gramian.laws.candidates._rewritings import combined_sums, rewritings
from gramian.laws.candidates._search_context import Generator
from gramian.laws.candidates._small_sets import small_sets
from gramian.laws.candidates._step_functions import (
    other_steps,
    steps_with_exceptions,
    whole_number_steps,
)
from gramian.laws.candidates._sums_and_powers import power_laws, sums
from gramian.laws.candidates._trimmed_rows import laws_in_trimmed_rows
from gramian.laws.candidates._wide_tables import (
    noisy_powers,
    noisy_products,
    noisy_sums,
    printed_products,
    printed_products_with_sums,
    printed_sums_in_few_rows,
    wide_products,
)


class Stage(NamedTuple):
    """A step of the search: generators, and the way in which their candidates are judged.

    "exact" judges each candidate at once, and allows only the error `EXACT_ERROR`. "printed" allows
    errors from the rounding of the numbers in the table: first of one column, then of all columns.
    "mostly" allows rows that break the law, because a cell is wrong. "noisy" judges all candidates
    by the tolerance, accepts the law with the shortest description, and then generates new
    candidates.
    """

    name: str
    """Name of the stage in reports of progress."""
    generators: tuple[Generator, ...]
    judged: Literal["exact", "printed", "mostly", "shortest", "noisy"] = "exact"


_FIRST = (
    Stage("step functions", (whole_number_steps,)),
    Stage("pairs", (exact_pairs,)),
    Stage("sums", (sums,)),
    Stage("power laws", (power_laws,)),
)
_PRINTED: tuple[Generator, ...] = (
    functions_of_one_column,
    # Ratios come before sums of logarithms: if both hold, the ratio is the simpler law.
    products_of_two_columns,
    printed_sums,
    printed_sums_of_squares,
    logarithms_of_two_columns,
)
_PRINTED_AMONG_MANY: tuple[Generator, ...] = (
    printed_sums_in_few_rows,
    printed_products,
    printed_products_with_sums,
)
_OTHER_STEPS = Stage("other step functions", (other_steps,))
SIMPLE_STAGES = (*_FIRST, Stage("printed digits", _PRINTED, "printed"), _OTHER_STEPS)
"""Stages of a short search: sums, products of powers, steps, functions of one or two columns."""
ALL_STAGES = (
    *_FIRST,
    Stage("printed digits", (*_PRINTED, *_PRINTED_AMONG_MANY), "printed"),
    _OTHER_STEPS,
    Stage(
        "laws with exceptions",
        (laws_with_exceptions, products_with_exceptions, steps_with_exceptions),
        "mostly",
    ),
    Stage("small sets", (small_sets,)),
    Stage("products and sums", (wide_products,)),
    Stage("polynomials", (polynomial_laws,)),
    Stage("logarithms", (logarithm_laws,)),
    Stage("angles", (angle_laws,)),
    Stage("rows without wrong cells", (laws_in_trimmed_rows,), "mostly"),
    Stage("other ways to write laws", (rewritings,), "shortest"),
    Stage("sums of laws", (combined_sums,), "shortest"),
    Stage(
        "laws with noise",
        (noisy_pairs, noisy_products, noisy_powers, noisy_sums, wide_products, explicit_laws),
        "noisy",
    ),
)
"""Stages of the full search, which also finds polynomials, logarithms, angles and noisy laws."""
