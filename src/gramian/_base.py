"""What all estimators share: parameters, the fit around the pursuit, fitted attributes."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from gramian._choosers import Chooser
from gramian._cost import Cost, estimate
from gramian._html import FittedSummary
from gramian._preparation import Preparation, Problem, RandomState
from gramian._progress import report_for
from gramian._pursuit import Limits, Trace, pursue
from gramian._validation import HeldOut
from gramian.exceptions import (
    NumericalWarning,
    OverfittingWarning,
    SaturationWarning,
)
from gramian.families import BY_NAME, Family, by_name
from gramian.orthogonalize import QR, Gram, Orthogonalizer
from gramian.rows import (
    ArrayRows,
    Ledger,
    RecordedRows,
    Rows,
)

QR_ROWS = 5000
"""Up to so many rows, `solver="auto"` is `"qr"`."""
MAX_LOSS = 1e-6
"""The loss of orthogonality that is warned of."""
DEFAULT_EXPLAINED = 0.95
"""The share of variance that GFR and GFS explain when nothing else is asked for."""

AUTO_ALPHAS = (0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, np.inf)
"""The penalties among which `alpha="auto"` chooses."""

Solver = Literal["auto", "qr", "gram", "moments"]
C = TypeVar("C", bound=Chooser)
COUNT = [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither")]


@dataclass(frozen=True)
class Fit(Generic[C]):
    """A finished pursuit."""

    chooser: C
    trace: Trace
    orthogonalizer: Orthogonalizer
    held_out: HeldOut | None


class PursuitEstimator(FittedSummary, Preparation):
    """Parameters and fitted attributes of every algorithm."""

    _count_name: ClassVar[str]
    _default_explained: ClassVar[bool] = False
    """Whether, with neither a count nor a threshold, a share of the variance is explained."""
    _covariance: ClassVar[bool] = False
    """Whether the algorithm works with a residual covariance, or with variances only."""
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Interval(Real, 0, None, closed="left"), None],
        "family": [StrOptions({*BY_NAME, "auto"}), Family],
        "degree": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "solver": [StrOptions(set(get_args(Solver)))],
        "alpha": [Interval(Real, 0, np.inf, closed="both"), StrOptions({"auto"})],
        "validation_fraction": [Interval(RealNotInt, 0, 1, closed="neither"), None],
        "early_stopping": ["boolean"],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "memory_budget": [Interval(Integral, 2**20, None, closed="left"), None],
        "checkpoint": [str, os.PathLike, None],
        "max_functions": [Interval(Integral, 1, None, closed="left"), None],
        "verbose": ["verbose"],
    }

    threshold: float | None
    family: str | Family
    degree: int | Literal["auto"] | None
    solver: Solver
    max_functions: int | None
    verbose: int
    # What follows is not for UFFS, which has these values once and for all.
    alpha: float | Literal["auto"] = 0.0
    validation_fraction: float | None = None
    early_stopping: bool = False
    n_iter_no_change: int = 5
    tol: float = 1e-4
    random_state: RandomState = 0
    memory_budget: int | None = None
    checkpoint: str | os.PathLike[str] | None = None

    def _limits(self, repeated: Sequence[int] | None = None) -> Limits:
        """Return when the pursuit ends; one that makes choices again, when these are made."""
        if repeated is not None:
            return Limits(n_steps=len(repeated))
        count: float | None = getattr(self, self._count_name)
        if count is None and self._default_explained and self.threshold is None:
            count = DEFAULT_EXPLAINED
        is_number = isinstance(count, Integral)
        return Limits(
            n_steps=int(count) if count is not None and is_number else None,
            explained=float(count) if count is not None and not is_number else None,
            max_functions=self.max_functions,
            patience=self.n_iter_no_change if self.early_stopping else None,
            tolerance=self.tol,
        )

    @property
    def _remedy(self) -> str:
        """What else helps against too many functions, where it is a parameter and not in use."""
        return "" if vars(self).get("alpha", "auto") == "auto" else "alpha='auto', "

    @property
    def _alphas(self) -> tuple[float, ...]:
        return AUTO_ALPHAS if self.alpha == "auto" else (float(self.alpha),)

    def _family(self) -> Family:
        if isinstance(self.family, Family):
            return deepcopy(self.family)  # its parameters can change after the fit
        if self.degree == "auto" or self.family == "auto":
            raise ValueError("Which family 'auto' is, a fit finds out. Give family and degree.")
        return by_name(self.family, self.degree)

    def estimate_cost(self, X: ArrayLike, n_steps: int | None = None) -> Cost:
        """Estimate what a fit would take, without fitting.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or files that know their shape
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
        n_rows, n_columns = self._shape(X)
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
            n_penalties=len(self._alphas),
        )

    def save(self, path: str | os.PathLike[str], *, moments: bool | None = None) -> None:
        """Write the fitted estimator to a file, which `gramian.load` reads.

        The file has numbers and names in it, and neither training rows nor a program.

        Parameters
        ----------
        path : path
            The file; by convention its name ends in .gram.
        moments : bool, optional
            Whether the moments of the functions go along, without which explanations need rows; by
            default if they take no more than 1 MB.

        See Also
        --------
        gramian.models.save : The same, with preprocessing.
        """
        from gramian.models import save  # which imports the estimators

        save(self, path, moments=moments)

    def _pursue(
        self,
        problem: Problem,
        make_chooser: Callable[[int], C],
        limits: Limits,
        make_held_out: Callable[[int], HeldOut | None] = lambda n_penalties: None,
    ) -> Fit[C]:
        """Run the pursuit with the solver asked for, or the one that suits the data."""
        rows, family, alphas = problem.rows, self._family(), self._alphas

        def run(orthogonalizer: Orthogonalizer) -> Fit[C]:
            chooser, held_out = make_chooser(len(alphas)), make_held_out(len(alphas))
            name = type(self).__name__
            with report_for(int(self.verbose), name, family, limits) as report:
                trace = pursue(chooser, orthogonalizer, limits, held_out, report)
            return Fit(chooser, trace, orthogonalizer, held_out)

        if isinstance(rows, ArrayRows) and self._takes_qr(rows.n_rows) and not self.checkpoint:
            return run(QR(rows, family))
        if self.solver == "qr":
            raise ValueError(
                "solver='qr' needs all rows in memory, and no checkpoint. Use solver='gram'."
            )
        if self.checkpoint is not None:
            rows = RecordedRows(rows, Ledger(self.checkpoint, self._description(problem)))
        moments = None if self.solver == "auto" else self.solver == "moments"
        return run(Gram(rows, family, alphas=alphas, moments=moments))

    def _description(self, problem: Problem) -> dict[str, Any]:
        """Describe a fit for its checkpoint: all that the sums depend on."""
        parameters = {
            name: repr(value)
            for name, value in self.get_params(deep=False).items()
            if name not in ("verbose", "checkpoint", "memory_budget")
        }
        return {
            "estimator": type(self).__name__,
            "parameters": parameters,
            "n_rows": problem.rows.n_rows,
            "n_columns": problem.rows.n_columns,
            "repeated": None if problem.repeated is None else list(problem.repeated),
            # in units of the scale, so that what is zero but for rounding errors stays so
            "mean": (problem.centring.mean / problem.centring.scale).tolist(),
            "scale": problem.centring.scale.tolist(),
            # comes last: if anything else differs too, that tells more
            "the checksum of the rows": problem.centring.checksum,
        }

    def _takes_qr(self, n_rows: int) -> bool:
        if self.solver == "qr" and self.alpha != 0:
            raise ValueError(
                f"solver='qr' knows no shrinkage, and alpha={self.alpha!r}. Use solver='auto'."
            )
        return self.alpha == 0 and (
            self.solver == "qr" or (self.solver == "auto" and n_rows <= QR_ROWS)
        )

    def _record_fit(self, rows: Rows, fit: Fit[Any]) -> None:
        """Set the attributes that are not a matter of the algorithm."""
        trace = fit.trace
        total = np.array(trace.total)
        freedom = np.array(trace.degrees_of_freedom) / rows.effective_n_rows
        self.gcv_total_residual_variance_ = np.full(len(total), np.inf)
        np.divide(
            total, (1 - freedom) ** 2, out=self.gcv_total_residual_variance_, where=freedom < 1
        )
        self.family_ = self._family()
        self.alpha_path_ = np.array(trace.alpha)
        self.alpha_ = trace.alpha[-1] if trace.alpha else self._alphas[0]
        for name in ("validation_residual_variance_", "validation_total_residual_variance_"):
            if hasattr(self, name):
                delattr(self, name)  # of an earlier fit
        if fit.held_out is not None:
            self.validation_residual_variance_ = np.array(fit.held_out.largest)
            self.validation_total_residual_variance_ = np.array(fit.held_out.total)
        self._record(trace, rows.n_rows, [fit.orthogonalizer])

    def _record(self, trace: Trace, n_rows: int, orthogonalizers: Sequence[Orthogonalizer]) -> None:
        """Set the attributes that UFFS has, too."""
        self.n_samples_ = n_rows
        self.degrees_of_freedom_ = np.array(trace.degrees_of_freedom)
        self.residual_variance_ = np.array(trace.largest)
        self.total_residual_variance_ = total = np.array(trace.total)
        self.explained_variance_ratio_ = -np.diff(total) / (total[0] or 1.0)
        self.n_functions_ = np.array(trace.n_kept, dtype=np.intp)
        self.n_dropped_functions_ = np.array(trace.n_dropped, dtype=np.intp)
        self.stop_reason_ = trace.stop_reason
        self.solver_ = orthogonalizers[0].name
        self.orthogonality_loss_ = max(each.orthogonality_loss for each in orthogonalizers)

    def _warn(self) -> None:
        """Warn of what the user should know about the fit."""
        n_functions = self.degrees_of_freedom_.max()
        if self.stop_reason_ == "saturated":
            warnings.warn(
                f"After {len(self.n_functions_)} steps the functions span all {self.n_samples_} "
                "samples: every residual is zero, whatever the data, and the fit stopped. Use "
                f"{self._remedy}a lower degree, fewer directions, or more samples.",
                SaturationWarning,
                stacklevel=_outside(),
            )
        elif 2 * n_functions > self.n_samples_:
            warnings.warn(
                f"{n_functions:.0f} functions were fitted to {self.n_samples_} samples. Above half "
                "as many functions as samples, residual variances measured on the same samples are "
                f"far too small. Use {self._remedy}a lower degree, fewer directions, or more "
                "samples.",
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
