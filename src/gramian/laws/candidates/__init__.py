"""Generators of candidate laws, one signature each; the judge decides which laws are believed.

Generators of laws among numbers take a `SearchContext`, generators of level laws a `LevelContext`.
"""

from gramian.laws.candidates._catalogue import (
    functions_of_one_column,
    logarithms_of_two_columns,
    products_of_two_columns,
)
from gramian.laws.candidates._column_pairs import exact_pairs, noisy_pairs
from gramian.laws.candidates._date_search import composed_dates
from gramian.laws.candidates._explicit_laws import explicit_laws
from gramian.laws.candidates._function_sets import angle_laws, logarithm_laws, polynomial_laws
from gramian.laws.candidates._level_context import LevelCandidate, LevelContext
from gramian.laws.candidates._lookup_search import BelievedLookup, lookups_by_level
from gramian.laws.candidates._printed_sums import printed_sums
from gramian.laws.candidates._search_context import SMALL_TABLE, Candidate, Generator, SearchContext
from gramian.laws.candidates._slope_search import BelievedSlopes, fewest_slopes, slopes_by_level
from gramian.laws.candidates._small_sets import small_sets
from gramian.laws.candidates._step_functions import other_steps, whole_number_steps
from gramian.laws.candidates._sums_and_powers import power_laws, sums
from gramian.laws.candidates._wide_tables import (
    noisy_products,
    noisy_sums,
    printed_products,
    printed_products_with_sums,
    wide_products,
)

__all__ = [
    "SMALL_TABLE",
    "BelievedLookup",
    "BelievedSlopes",
    "Candidate",
    "Generator",
    "LevelCandidate",
    "LevelContext",
    "SearchContext",
    "angle_laws",
    "composed_dates",
    "exact_pairs",
    "explicit_laws",
    "fewest_slopes",
    "functions_of_one_column",
    "logarithm_laws",
    "logarithms_of_two_columns",
    "lookups_by_level",
    "noisy_pairs",
    "noisy_products",
    "noisy_sums",
    "other_steps",
    "polynomial_laws",
    "power_laws",
    "printed_products",
    "printed_products_with_sums",
    "printed_sums",
    "products_of_two_columns",
    "slopes_by_level",
    "small_sets",
    "sums",
    "whole_number_steps",
    "wide_products",
]
