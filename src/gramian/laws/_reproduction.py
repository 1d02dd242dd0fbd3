"""Reproduction check: laws must give the columns that they replace, in every row.

A law is found in a sample of rows, and judged by its largest term. Before a column is dropped, its
law is computed from the kept columns in all rows. The result must be the column, after rounding to
the digits with which the column is written in the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.laws._relation_collection import Relations
from gramian.laws.columns import CodedTable, allowed_error, open_coded_table, sample_of
from gramian.laws.forms import ColumnLaw


def reproducible(
    found: Relations, X: Any, keep: Sequence[str], prefer: Sequence[str]
) -> tuple[dict[str, ColumnLaw], list[str]]:
    """Return the columns to drop with their laws, and the columns that must be kept.

    The laws are those of `Relations.redundant`. A column of which a law misses at least one cell
    must be kept; the choice is then made again.

    Parameters
    ----------
    found : Relations
        The laws of the table.
    X : object
        The table, of any kind that `relations` accepts.
    keep, prefer : sequence of str
        The parameters of `Relations.redundant`.
    """
    table = open_coded_table(X, found.feature_names)
    kept, sample = [*keep], np.empty((0, 0))
    while laws := found.redundant(kept, prefer):
        if not sample.size:
            sample = sample_of(table, 0).rows
        missed = _missed(laws, table, sample)
        if not missed:
            break
        kept += missed
    return laws, kept


def _missed(laws: Mapping[str, ColumnLaw], table: CodedTable, sample: Array) -> list[str]:
    """Return the columns that their law does not give in at least one cell.

    Parameters
    ----------
    laws : mapping from str to ColumnLaw
        The laws, by the column that they compute, in the order of computation.
    table : CodedTable
        All rows of the table.
    sample : array
        Some rows, from which the digits of the columns are found.
    """
    place = {name: i for i, name in enumerate(table.names)}
    allowed = {name: allowed_error(sample[:, place[name]]) for name in laws}
    wrong: dict[str, None] = {}
    for block in table.blocks():
        known = {name: block[:, i] for name, i in place.items()}
        for name, law in laws.items():
            cells = block[:, place[name]]
            with np.errstate(all="ignore"):
                found = np.broadcast_to(np.asarray(law(known), dtype=np.float64), len(block))
                missed = ~(np.abs(found - cells) <= allowed[name](cells))
            if (missed & ~np.isnan(cells)).any():
                wrong[name] = None
            known[name] = found
    return [*wrong]
