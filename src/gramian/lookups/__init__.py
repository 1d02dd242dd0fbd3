"""Lookups: columns that follow from the levels of others."""

from gramian.lookups._cells import Cells, cells_of
from gramian.lookups._coding import Coder, Levels
from gramian.lookups._date import ComposedDate
from gramian.lookups._evidence import Count
from gramian.lookups._keys import Key
from gramian.lookups._lookup import Lookup
from gramian.lookups._search import Found, LookupSearch
from gramian.lookups._slopes import Slopes
from gramian.lookups._stored import LevelLaw, agreement, is_level_law, level_law
from gramian.lookups._tally import Tally

__all__ = [
    "Cells",
    "Coder",
    "ComposedDate",
    "Count",
    "Found",
    "Key",
    "LevelLaw",
    "Levels",
    "Lookup",
    "LookupSearch",
    "Slopes",
    "Tally",
    "agreement",
    "cells_of",
    "is_level_law",
    "level_law",
]
