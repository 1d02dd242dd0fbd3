"""Lookups: columns that follow from the levels of others."""

from gramian.lookups._cells import Cells, cells_of
from gramian.lookups._coding import Coder, Levels
from gramian.lookups._date import ComposedDate
from gramian.lookups._evidence import Count
from gramian.lookups._keys import Key
from gramian.lookups._lookup import Lookup
from gramian.lookups._search import BelievedLookup, LookupSearch
from gramian.lookups._slopes import Slopes
from gramian.lookups._stored import LevelLaw, agreement, is_level_law, level_law
from gramian.lookups._tally import LookupTally

__all__ = [
    "BelievedLookup",
    "Cells",
    "Coder",
    "ComposedDate",
    "Count",
    "Key",
    "LevelLaw",
    "Levels",
    "Lookup",
    "LookupSearch",
    "LookupTally",
    "Slopes",
    "agreement",
    "cells_of",
    "is_level_law",
    "level_law",
]
