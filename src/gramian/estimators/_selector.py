"""Selector, the base class of GFS and GFA: the output is a subset of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from gramian._support.given_data import as_given
from gramian._support.types import Array, IntArray
from gramian.core.pursuit import GivenDirections, make_decoder
from gramian.core.rows import is_dask
from gramian.estimators._estimator import Data
from gramian.estimators._pursuit_estimator import COUNT, PursuitEstimator
from gramian.estimators._stability import Stability, of_selections
from gramian.fitting import (
    FittedModel,
    GreedySearch,
    KeptColumns,
    Output,
    Problem,
    RedundancySearch,
    Request,
    check_rows,
    run,
    source_of,
)

Columns = Sequence[str | int]
"""Columns by name or index."""


class Selector(SelectorMixin, PursuitEstimator):
    """Base class of GFS and GFA: the output is a subset of the columns."""

    _count_name = "n_features_to_select"
    _scales_columns = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        "n_features_to_select": [*COUNT, None],
        "relative": ["boolean"],
    }
    support_: NDArray[np.bool_]
    selected_features_: IntArray

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        kept = model.kept
        assert isinstance(kept, KeptColumns)
        selection = {"selected_features_": kept.chosen, "support_": kept.support}
        return {**super()._attributes(model), **selection}

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Data, *, output: Output = None) -> Any:
        """Take the selected columns of X, in the order in which X has them.

        Missing values stay missing.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.
        output : path, optional
            A file to write, in the format of its ending, in place of an array.

        Returns
        -------
        X_selected : array of shape (n_samples, n_selected_features)
            The selected columns. For a Dask collection, a lazy array; with `output`, the path of
            the written file.
        """
        check_is_fitted(self)
        X = as_given(X)
        if output is None and is_dask(X) and hasattr(X, "columns"):
            names = self.get_feature_names_out().tolist()
            if {*names} <= {*X.columns}:
                return X[names]
            if X.shape[1] == len(self.support_):
                return X.iloc[:, np.flatnonzero(self.support_)]
        if output is None and not is_dask(X) and source_of(X) is None:
            check_rows(self, X, gaps=True)  # scikit-learn's transform accepts infinite values
            return super().transform(X)
        support = self.support_
        return self._encode_data(X, lambda table: table[:, support], output)

    def inverse_transform(
        self,
        X: Data,
        *,
        linear: bool = False,
        extrapolate: bool = False,
        output: Output = None,
    ) -> Any:
        """Fill in the features that were not selected.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_selected_features), files or a Dask collection
            The selected features, in the order of `transform`.
        linear : bool, default=False
            True for linear regression on the selected features, in place of the functions of the
            family.
        extrapolate : bool, default=False
            True to use the functions for all rows. By default, rows far from those of the fit are
            reconstructed linearly, because polynomials grow without bound there.
        output : path, optional
            A file to write, in the format of its ending, in place of an array.

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
            All features, the selected ones as given; in float32 if X is. In a row in which a
            selected feature is missing, the features that depend on it are missing, too: use
            :class:`GramianImputer` first to fill the selected features. For a Dask collection, a
            lazy array; with `output`, the path of the written file.
        """
        check_is_fitted(self)
        model, support = self.model_, self.support_
        chosen = model.kept.chosen
        place = np.searchsorted(np.flatnonzero(support), chosen)

        def fill(table: Array) -> Array:
            raw = table[:, place]
            z = raw - model.mean[chosen]
            filled = model.decode(z, linear=linear, extrapolate=extrapolate, raw=raw)
            filled = filled.astype(table.dtype, copy=False)
            filled[:, support] = table
            return filled

        return self._decode_data(X, fill, output)

    def _compare(self, others: Sequence[Self]) -> Stability:
        return of_selections(self.support_, [each.support_ for each in others])


def select_columns(
    problem: Problem,
    request: Request,
    chooser: type[GivenDirections],
    *,
    tells_redundant: bool,
) -> FittedModel:
    """Choose columns one by one, and return the fitted model.

    Parameters
    ----------
    problem : Problem
        The prepared data.
    request : Request
        The parameters of the fit.
    chooser : type of chooser
        The rule that chooses the next column.
    tells_redundant : bool
        True if columns that do not meet the threshold are called redundant.
    """
    centring, unit = problem.centring, problem.unit
    scale, varies = centring.scale, centring.varies
    pursued = run(
        problem,
        request,
        problem.rows,
        chooser(
            np.where(varies, unit**2, 0.0),
            varies,
            request.threshold,
            request.relative,
            len(request.alphas),
            request.prescribed,
            problem.order,
        ),
        problem.watch(unit, len(request.alphas)),
    )
    chosen = np.array(pursued.chooser.chosen, dtype=np.intp)
    variances = np.where(varies, scale**2, 0.0)
    return FittedModel(
        algorithm=request.algorithm,
        names=problem.names,
        mean=centring.mean,
        scale=problem.scale,
        kept=KeptColumns(chosen, len(scale)),
        search=RedundancySearch(pursued.chooser.redundant) if tells_redundant else GreedySearch(),
        family=request.family,
        record=pursued.record(problem),
        decoder=make_decoder(
            pursued.orthogonalizer, scale[chosen], scale, variances, pursued.effective_n_rows
        ),
        variances=variances,
    )


def indices(
    columns: Columns, names: Sequence[str] | None, n_columns: int, parameter: str
) -> list[int]:
    """Return the indices of columns that are given by name or index.

    Parameters
    ----------
    columns : sequence of str or int
        The columns.
    names : sequence of str or None
        The names of all columns; None if the table has no names.
    n_columns : int
        The number of all columns.
    parameter : str
        The parameter that holds the columns, for messages.
    """
    found = []
    for column in columns:
        if isinstance(column, str):
            if names is None:
                raise ValueError(
                    f"{parameter} names {column!r}, and X has no names: give indices, or X as a "
                    "data frame."
                )
            if column not in names:
                close = get_close_matches(column, names, 1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise ValueError(f"{parameter} names {column!r}, and X has no such column.{hint}")
            found.append(list(names).index(column))
        elif isinstance(column, Integral) and -n_columns <= column < n_columns:
            found.append(int(column) % n_columns)
        else:
            raise ValueError(
                f"{parameter} must hold names of columns or indices from 0 to {n_columns - 1}; got "
                f"{column!r}."
            )
    if len({*found}) < len(found):
        raise ValueError(f"{parameter} names a column twice.")
    return found
