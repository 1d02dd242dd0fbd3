"""From options to an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gramian
from gramian.cli._errors import USAGE, CommandError
from gramian.cli._options import FamilyName, MethodOptions


def make_estimator(algorithm: str, method: MethodOptions, verbose: int = 0) -> Any:
    """Make the estimator.

    Parameters
    ----------
    algorithm : str
        "gfs", "gfa", "gfr", "gca" or "manifold".
    method : MethodOptions
        Its parameters.
    verbose : int, default=0
        Whether it shows a progress bar.
    """
    if algorithm == "manifold":
        return _make_manifold(method, verbose)
    eliminates = algorithm in ("gfa", "gca")
    backward = eliminates and method.backward
    family = method.family or (
        FamilyName.polynomial if algorithm == "gfa" else FamilyName.multilinear
    )
    parameters: dict[str, Any] = {
        "family": family.value,
        "degree": method.degree,
        "alpha": 0.0 if method.alpha is None else method.alpha,
        "validation_fraction": method.validation,
        "random_state": method.seed,
        "verbose": verbose,
    }
    if method.threshold is not None:
        parameters["threshold"] = method.threshold
    if eliminates:
        parameters |= {"backward": backward, "prove": method.prove}
    if algorithm == "gfa":
        parameters["laws"] = backward and method.laws
    if method.relative:
        if algorithm == "gfr":
            raise CommandError(
                "--relative is not for gfr, which finds its own directions: leave it out, or "
                "choose gca",
                USAGE,
            )
        parameters["relative"] = True
    criterion = method.criterion or ("gain" if method.given else None)
    if criterion is not None:
        parameters["criterion"] = str(criterion)
    _refuse_misfits(algorithm, method, backward=backward)
    estimators: dict[str, Callable[..., Any]] = {
        "gfs": gramian.GFS,
        "gfa": gramian.GFA,
        "gfr": gramian.GFR,
        "gca": gramian.GCA,
    }
    return estimators[algorithm](method.n, **parameters)


def _make_manifold(method: MethodOptions, verbose: int) -> gramian.PolynomialManifold:
    """Make the estimator of curved codes, which has no thresholds."""
    _refuse_misfits("manifold", method, backward=False)
    if method.threshold is not None or method.relative:
        raise CommandError(
            "--threshold and --relative are not for manifold, which keeps as many codes as -n says",
            USAGE,
        )
    if isinstance(method.n, float):
        raise CommandError(
            f"-n {method.n:g} is a share of the variance, and manifold takes a number of codes: "
            "say for example -n 2",
            USAGE,
        )
    family = method.family or FamilyName.polynomial
    if family in (FamilyName.indicator, FamilyName.auto):
        raise CommandError(
            f"--family {family} is not for manifold, whose functions need derivatives: say "
            "polynomial, multilinear, hermite, legendre or fourier",
            USAGE,
        )
    return gramian.PolynomialManifold(
        2 if method.n is None else method.n,
        family=family.value,
        degree=method.degree,
        alpha=method.alpha,
        n_rounds="auto" if "auto" in (method.degree, method.alpha) else 5,
        validation_fraction=method.validation,
        random_state=method.seed,
        verbose=verbose,
    )


ALGORITHMS = {
    "--prove": "gfa or gca",
    "--forward": "gfa or gca",
    "--criterion": "gfs",
    "--given": "gfs",
    "--directions": "gfr",
}
"""The algorithms that options are for, besides gfa."""


def _refuse_misfits(algorithm: str, method: MethodOptions, *, backward: bool) -> None:
    """Refuse options that do not belong together."""
    is_share = backward or method.relative
    if is_share and method.threshold is not None and not 0 < method.threshold < 1:
        raise CommandError(
            f"--threshold {method.threshold:g} is no share of a variance: give a number between 0 "
            "and 1, such as 0.001 for R² ≥ 0.999",
            USAGE,
        )
    for name, given, fits in (
        ("--keep", method.keep, algorithm == "gfa" and backward),
        ("--prefer", method.prefer, algorithm == "gfa" and backward),
        ("--prove", method.prove, backward),
        ("--forward", not method.backward, algorithm in ("gfa", "gca")),
        ("--criterion", method.criterion, algorithm == "gfs"),
        ("--given", method.given, algorithm == "gfs"),
        ("--directions", method.directions, algorithm == "gfr"),
    ):
        if given and not fits:
            algorithms = ALGORITHMS.get(name, "gfa")
            backwards = ", without --forward" if name in ("--keep", "--prefer", "--prove") else ""
            raise CommandError(f"{name} is for -a {algorithms}{backwards}", USAGE)
