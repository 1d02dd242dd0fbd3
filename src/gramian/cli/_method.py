"""From options to an estimator."""

from __future__ import annotations

from typing import Any

import gramian
from gramian.cli._errors import UsageError
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
    usual = FamilyName.polynomial if algorithm == "gfa" else FamilyName.multilinear
    parameters: dict[str, Any] = {
        "family": (method.family or usual).value,
        "degree": method.degree,
        "alpha": method.alpha,
        "validation_fraction": method.validation,
        "random_state": method.seed,
        "verbose": verbose,
    }
    if method.threshold is not None:
        parameters["threshold"] = method.threshold
    if algorithm in ("gfa", "gca"):
        parameters |= {"backward": method.backward, "prove": method.prove}
    if algorithm == "gfa":
        parameters["laws"] = method.backward and method.laws
    if method.relative:
        if algorithm == "gfr":
            raise UsageError(
                "--relative is not for gfr, which finds its own directions: leave it out, or "
                "choose gca"
            )
        parameters["relative"] = True
    criterion = method.criterion or ("gain" if method.given else None)
    if criterion is not None:
        parameters["criterion"] = str(criterion)
    _refuse_misfits(algorithm, method)
    return getattr(gramian, algorithm.upper())(method.n, **parameters)


def _make_manifold(method: MethodOptions, verbose: int) -> gramian.PolynomialManifold:
    """Make the estimator of curved codes, which has no thresholds."""
    _refuse_misfits("manifold", method)
    if method.threshold is not None or method.relative:
        raise UsageError(
            "--threshold and --relative are not for manifold, which keeps as many codes as -n says"
        )
    if isinstance(method.n, float):
        raise UsageError(
            f"-n {method.n:g} is a share of the variance, and manifold takes a number of codes: "
            "say for example -n 2"
        )
    family = method.family or FamilyName.polynomial
    if family in (FamilyName.indicator, FamilyName.auto):
        raise UsageError(
            f"--family {family} is not for manifold, whose functions need derivatives: say "
            "polynomial, multilinear, hermite, legendre or fourier"
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


def _refuse_misfits(algorithm: str, method: MethodOptions) -> None:
    """Refuse options that do not belong together."""
    eliminates = algorithm in ("gfa", "gca")
    backward = eliminates and method.backward
    is_share = backward or method.relative
    if is_share and method.threshold is not None and not 0 < method.threshold < 1:
        raise UsageError(
            f"--threshold {method.threshold:g} is no share of a variance: give a number between 0 "
            "and 1, such as 0.001 for R² ≥ 0.999"
        )
    for name, given, fits, algorithms in (
        ("--keep", method.keep, algorithm == "gfa" and backward, "gfa, without --forward"),
        ("--prefer", method.prefer, algorithm == "gfa" and backward, "gfa, without --forward"),
        ("--prove", method.prove, backward, "gfa or gca, without --forward"),
        ("--forward", not method.backward, eliminates, "gfa or gca"),
        ("--criterion", method.criterion, algorithm == "gfs", "gfs"),
        ("--given", method.given, algorithm == "gfs", "gfs"),
        ("--directions", method.directions, algorithm == "gfr", "gfr"),
    ):
        if given and not fits:
            raise UsageError(f"{name} is for -a {algorithms}")
