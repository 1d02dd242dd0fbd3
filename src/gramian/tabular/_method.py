"""Options of the algorithm for a table, and the estimator that is made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from gramian.estimators import GCA, GFA, GFR, GFS, PolynomialManifold
from gramian.tabular._column_roles import Names
from gramian.tabular._direction_weights import DirectionWeights
from gramian.tabular._messages import OptionError

ESTIMATORS = {"gfs": GFS, "gfa": GFA, "gfr": GFR, "gca": GCA}
"""From the name of an algorithm to its estimator; "manifold" is made by `_make_manifold`."""
SELECTORS = ("gfa", "gfs")
"""Algorithms that select columns; all others extract components."""
ELIMINATING = ("gfa", "gca")
"""Algorithms that can start with all columns and drop those that other columns explain."""
Family = Literal["multilinear", "polynomial", "hermite", "legendre", "fourier", "indicator", "auto"]
"""Names of the families of functions that a user can choose."""


@dataclass(frozen=True)
class Method:
    """The user's options for the algorithm; `gramian.select` explains most of them."""

    n: float | None = None
    threshold: float | None = None
    relative: bool = False
    backward: bool = True
    keep: Names = None
    prefer: Names = None
    laws: bool = True
    exceptions: float = 0.0
    prove: bool = False
    degree: int | Literal["auto"] = 2
    family: Family | None = None
    alpha: float | Literal["auto"] = "auto"
    validation: float | None = None
    criterion: str | None = None
    given: Names = None
    directions: DirectionWeights | str | None = None
    """Weights of the first directions, for "gfr"; the path of their file before it is read."""
    seed: int | None = 0
    """Seed of the random choice of held-out rows."""

    @property
    def algorithm(self) -> str:
        """Default algorithm: "gfs" if `n`, `criterion` or `given` is set, otherwise "gfa".

        These options ask for a few informative columns, which is what GFS selects.
        """
        few = self.n is not None or self.criterion is not None or self.given
        return "gfs" if few else "gfa"


def make_estimator(algorithm: str, method: Method, **more: Any) -> Any:
    """Make the estimator of an algorithm, not fitted; raise OptionError if options do not suit it.

    Parameters
    ----------
    algorithm : str
        "gfs", "gfa", "gfr", "gca" or "manifold".
    method : Method
        The user's options.
    **more
        Other parameters of the estimator.
    """
    if algorithm == "manifold":
        return _make_manifold(method, **more)
    parameters: dict[str, Any] = {
        "degree": method.degree,
        "alpha": method.alpha,
        "validation_fraction": method.validation,
        "random_state": method.seed,
        **more,
    }
    if method.family is not None:
        parameters["family"] = method.family
    if algorithm == "gfa" and not method.laws:
        parameters["laws"] = False
    if algorithm == "gfa" and method.exceptions:
        parameters["exceptions"] = method.exceptions
    if method.threshold is not None:
        parameters["threshold"] = method.threshold
    if algorithm in ELIMINATING:
        parameters |= {"backward": method.backward, "prove": method.prove}
    if method.relative:
        if algorithm == "gfr":
            raise OptionError(
                "{relative:True} is not for gfr, which finds its own directions: leave it out, or "
                "choose gca"
            )
        parameters["relative"] = True
    criterion = method.criterion or ("gain" if method.given else None)
    if criterion is not None:
        parameters["criterion"] = criterion
    _refuse_misfits(algorithm, method)
    return ESTIMATORS[algorithm](method.n, **parameters)


def _make_manifold(method: Method, **more: Any) -> PolynomialManifold:
    """Make a PolynomialManifold; raise OptionError for options that it does not have."""
    _refuse_misfits("manifold", method)
    if method.threshold is not None or method.relative:
        raise OptionError(
            "{threshold} and {relative} are not for manifold, which keeps as many codes as {n} says"
        )
    if isinstance(method.n, float):
        raise OptionError(
            "{n:{share:g}} is a share of the variance, and manifold takes a number of codes: say "
            "for example {n:2}",
            share=method.n,
        )
    family = method.family or "polynomial"
    if family in ("indicator", "auto"):
        raise OptionError(
            "{family:{wanted}} is not for manifold, whose functions need derivatives: say "
            "polynomial, multilinear, hermite, legendre or fourier",
            wanted=family,
        )
    return PolynomialManifold(
        2 if method.n is None else method.n,
        family=family,
        degree=method.degree,
        alpha=method.alpha,
        n_rounds="auto" if "auto" in (method.degree, method.alpha) else 5,
        validation_fraction=method.validation,
        random_state=method.seed,
        **more,
    )


def _refuse_misfits(algorithm: str, method: Method) -> None:
    """Raise OptionError for options that do not suit the algorithm or each other."""
    eliminates = algorithm in ELIMINATING
    backward = eliminates and method.backward
    is_share = backward or method.relative
    if is_share and method.threshold is not None and not 0 < method.threshold < 1:
        raise OptionError(
            "{threshold:{given_threshold:g}} is no share of a variance: give a number between 0 "
            "and 1, such as 0.001 for R² ≥ 0.999",
            given_threshold=method.threshold,
        )
    of_gfa = "{algorithm:gfa}, without {backward:False}"
    of_both = "{algorithm:gfa} or gca, without {backward:False}"
    for option, given, fits, algorithms in (
        ("{keep}", method.keep, algorithm == "gfa" and backward, of_gfa),
        ("{prefer}", method.prefer, algorithm == "gfa" and backward, of_gfa),
        ("{exceptions}", method.exceptions, algorithm == "gfa" and backward, of_gfa),
        ("{prove:True}", method.prove, backward, of_both),
        ("{backward:False}", not method.backward, eliminates, "{algorithm:gfa} or gca"),
        ("{criterion}", method.criterion, algorithm == "gfs", "{algorithm:gfs}"),
        ("{given}", method.given, algorithm == "gfs", "{algorithm:gfs}"),
        ("{directions}", method.directions, algorithm == "gfr", "{algorithm:gfr}"),
    ):
        if given and not fits:
            raise OptionError(f"{option} is for {algorithms}")
