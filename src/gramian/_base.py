"""What all estimators share: parameters, the fit around the pursuit, fitted attributes."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import _check_sample_weight, validate_data

from gramian._choosers import Chooser
from gramian._cost import Cost, estimate
from gramian._pursuit import Limits, Trace, pursue
from gramian._types import Array
from gramian.exceptions import (
    IllConditionedError,
    NumericalWarning,
    OverfittingWarning,
    SaturationWarning,
)
from gramian.families import BY_NAME, Family, by_name
from gramian.orthogonalize import QR, Gram, Orthogonalizer
from gramian.rows import ArrayRows, Centring, centre

QR_ROWS = 5000
"""Up to so many rows, `solver="auto"` is `"qr"`."""
QR_BYTES = 2**32
"""The size of orthonormal functions up to which `"auto"` falls back on `"qr"`."""
MAX_LOSS = 1e-8
"""The loss of orthogonality at which `"auto"` leaves `"gram"`, and anything else warns."""
DEFAULT_EXPLAINED = 0.95
"""The share of variance that GFR and GFS explain when nothing else is asked for."""

Solver = Literal["auto", "qr", "gram", "moments"]
C = TypeVar("C", bound=Chooser)
COUNT = [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither")]


class PursuitEstimator(BaseEstimator):
    """Parameters and fitted attributes of every algorithm."""

    _count_name: ClassVar[str]
    _default_explained: ClassVar[bool] = False
    """Whether, with neither a count nor a threshold, a share of the variance is explained."""
    _covariance: ClassVar[bool] = False
    """Whether the algorithm works with a residual covariance, or with variances only."""
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Interval(Real, 0, None, closed="left"), None],
        "family": [StrOptions(set(BY_NAME)), Family],
        "degree": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions(set(get_args(Solver)))],
        "max_functions": [Interval(Integral, 1, None, closed="left"), None],
        "verbose": ["verbose"],
    }

    threshold: float | None
    family: str | Family
    degree: int | None
    solver: Solver
    max_functions: int | None
    verbose: int

    def _centre(
        self, X: ArrayLike, sample_weight: ArrayLike | None, scale: Literal["column", "table"]
    ) -> tuple[ArrayRows, Centring]:
        """Check parameters and data, and centre and scale the columns."""
        self._validate_params()
        self._family().rules()  # complains of wrong parameters
        table: Array = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        count = getattr(self, self._count_name)
        if isinstance(count, Integral) and count > table.shape[1]:
            raise ValueError(
                f"{self._count_name}={count} is more than the {table.shape[1]} features of X; "
                f"give at most {table.shape[1]}."
            )
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, table, dtype=np.float64, ensure_non_negative=True
            )
            if np.count_nonzero(weights) < 2:
                raise ValueError("sample_weight must be positive for at least two samples.")
        rows, centring = centre(table, weights, scale)
        self.mean_ = centring.mean
        return rows, centring

    def _limits(self) -> Limits:
        count: float | None = getattr(self, self._count_name)
        if count is None and self._default_explained and self.threshold is None:
            count = DEFAULT_EXPLAINED
        is_number = isinstance(count, Integral)
        return Limits(
            n_steps=int(count) if count is not None and is_number else None,
            explained=float(count) if count is not None and not is_number else None,
            max_functions=self.max_functions,
        )

    def _family(self) -> Family:
        if isinstance(self.family, Family):
            return self.family
        return by_name(self.family, self.degree)

    def estimate_cost(self, X: ArrayLike, n_steps: int | None = None) -> Cost:
        """Estimate what a fit would take, without fitting.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data, of which only the shape matters.
        n_steps : int, optional
            The number of directions or features; by default the number asked for, where one is.

        Returns
        -------
        cost : Cost
            The number of functions, bytes of memory and seconds.

        Examples
        --------
        >>> import numpy as np
        >>> from gramian import GFR
        >>> GFR(20, degree=3).estimate_cost(np.empty((10_000, 100))).n_functions
        1351
        """
        self._validate_params()
        n_rows, n_columns = np.shape(X)
        count = getattr(self, self._count_name) if n_steps is None else n_steps
        if not isinstance(count, Integral):
            raise ValueError(
                f"How many steps a fit takes is not known ahead where {self._count_name} is no "
                "number: give n_steps, for example the largest number you would accept."
            )
        return estimate(
            self._family(),
            n_rows,
            min(n_rows, n_columns) if self._covariance else n_columns,
            int(count),
            solver="qr" if self._takes_qr(n_rows) else self.solver,
            covariance=self._covariance,
        )

    def _pursue(
        self, rows: ArrayRows, make_chooser: Callable[[], C], limits: Limits
    ) -> tuple[C, Trace, Orthogonalizer]:
        """Run the pursuit with the solver asked for, or the one that suits the data."""
        family = self._family()
        if self._takes_qr(rows.n_rows):
            return self._run(rows, make_chooser, QR(rows, family), limits)
        if self.solver != "auto":
            gram = Gram(rows, family, moments=self.solver == "moments")
            return self._run(rows, make_chooser, gram, limits)
        gram = Gram(rows, family, max_loss=MAX_LOSS)
        try:
            return self._run(rows, make_chooser, gram, limits)
        except IllConditionedError:
            fits = 2 * gram.n_functions * rows.n_rows * 8 <= QR_BYTES
            exact = QR(rows, family) if fits else Gram(rows, family)
            return self._run(rows, make_chooser, exact, limits)

    def _takes_qr(self, n_rows: int) -> bool:
        return self.solver == "qr" or (self.solver == "auto" and n_rows <= QR_ROWS)

    def _run(
        self,
        rows: ArrayRows,
        make_chooser: Callable[[], C],
        orthogonalizer: Orthogonalizer,
        limits: Limits,
    ) -> tuple[C, Trace, Orthogonalizer]:
        chooser = make_chooser()
        callback = _Reporter(type(self).__name__) if self.verbose else None
        trace = pursue(chooser, orthogonalizer, limits, callback)
        return chooser, trace, orthogonalizer

    def _record(self, trace: Trace, n_rows: int, *orthogonalizers: Orthogonalizer) -> None:
        """Set the attributes that all algorithms have, and warn of what the user should know."""
        self.residual_variance_ = np.array(trace.largest)
        self.total_residual_variance_ = total = np.array(trace.total)
        self.explained_variance_ratio_ = -np.diff(total) / (total[0] or 1.0)
        self.n_functions_ = np.array(trace.n_kept, dtype=np.intp)
        self.n_dropped_functions_ = np.array(trace.n_dropped, dtype=np.intp)
        self.stop_reason_ = trace.stop_reason
        self.solver_ = orthogonalizers[0].name
        self.orthogonality_loss_ = max(each.orthogonality_loss for each in orthogonalizers)

        n_functions = max(each.n_functions for each in orthogonalizers)
        if trace.stop_reason == "saturated":
            warnings.warn(
                f"After {len(trace.n_kept)} steps the functions span all {n_rows} samples: every "
                "residual is zero, whatever the data, and the fit stopped. Use a lower degree, "
                "fewer directions, or more samples.",
                SaturationWarning,
                stacklevel=_outside(),
            )
        elif 2 * n_functions > n_rows:
            warnings.warn(
                f"{n_functions} functions were fitted to {n_rows} samples. Above half as many "
                "functions as samples, residual variances measured on the same samples are far "
                "too small. Use a lower degree, fewer directions, or more samples.",
                OverfittingWarning,
                stacklevel=_outside(),
            )
        if self.orthogonality_loss_ > MAX_LOSS:
            warnings.warn(
                "The functions are close to linearly dependent, and solver='gram' may be off by a "
                f"relative {self.orthogonality_loss_:.0e} in what it reports. Use solver='qr' if "
                "the data fit in memory, or a better conditioned family such as 'hermite'.",
                NumericalWarning,
                stacklevel=_outside(),
            )


def _outside() -> int:
    """Return the stack level of the nearest caller outside the package, for its warnings."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("gramian."):
        level, frame = level + 1, frame.f_back
    return level


class _Reporter:
    """Prints a line a step."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start = time.perf_counter()

    def __call__(self, trace: Trace) -> None:
        print(
            f"[{self._name}] step {len(trace.n_kept)}: residual variance {trace.largest[-1]:.4g}, "
            f"{trace.explained:.2%} explained, {1 + sum(trace.n_kept)} functions, "
            f"{time.perf_counter() - self._start:.1f} s"
        )
