"""Finder of formulas for the columns (or directions) that a fit did not keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.linalg import lstsq

from gramian._support.types import Array, IntArray
from gramian.core.rows import CONSTANT
from gramian.explanations._coordinates import SHARE_FLOOR, Coordinates, SparseFit
from gramian.explanations._dictionary import Dictionary, TermProduct, add_up, term
from gramian.explanations._redundancies import DUPLICATE, PARTIAL, Redundancy, RedundancyKind
from gramian.explanations._subject import Subject
from gramian.explanations._target_moments import Moments, mix, of_targets
from gramian.explanations._term_search import EXACT_SHARE, Shape, SupportSearch, exact_sum, shapes
from gramian.fitting import FittedModel
from gramian.formulas import DIGITS, MAX_DIGITS, Formula

CONSTANT_COLUMN = 1e-12
"""A column is constant if its standard deviation is at most this share of its mean."""
NO_TERM = 1e-12
"""A term is removed as a rounding error if it is at most this share of the column's deviation."""
HeldOutResidual = Callable[[Moments, Coordinates], float]
"""Function (held-out fold, other folds) → mean square residual in the held-out fold.

It fits a formula to the other folds, and evaluates it on the held-out fold.
"""


class FormulaFinder:
    """Finds the formula of each target, a column or direction that the fit did not keep."""

    def __init__(
        self,
        model: FittedModel,
        subject: Subject,
        dictionary: Dictionary,
        coordinates: Coordinates,
        folds: Sequence[Moments],
        max_terms: int | None,
        min_gain: float,
    ) -> None:
        # coefficients of the functions with which the fit itself computes the targets
        self._combinations = of_targets(model.decoder.coefficients, subject.axes, subject.targets)
        self._alpha = model.record.alpha
        self._subject = subject
        self._dictionary = dictionary
        self._coordinates = coordinates
        self._folds = folds
        self._whole = mix(folds) if folds else None
        self._others = [
            Coordinates(mix([*folds[:i], *folds[i + 1 :]]), dictionary, subject.target_means)
            for i in range(len(folds))
        ]
        self._no_variance = 0.0 if subject.axes is None else CONSTANT * model.variances.max()
        self._max_terms = max_terms
        # a more complex formula must reduce the logarithm of the residual by this per added term
        self._penalty = -math.log1p(-min_gain)
        if not folds:
            # penalty of the extended BIC for n rows and m candidates
            n, m = model.record.n_rows, len(dictionary.candidates) + 1
            self._penalty = max(self._penalty, (math.log(n) + 2 * math.log(m)) / n)
        self._linear = np.array(
            [i for i, each in enumerate(dictionary.candidates) if each.is_linear], dtype=np.intp
        )
        self._searches: dict[int, SupportSearch] = {}
        single = [
            (next(iter(each.expansion)), i)
            for i, each in enumerate(dictionary.candidates)
            if len(each.expansion) == 1
        ]
        self._deviations = {product: float(coordinates.sizes[i]) for product, i in single}
        rms = np.linalg.norm(coordinates.candidates, axis=0)
        self._rms = {(): 1.0, **{product: float(rms[i]) for product, i in single}}

    def redundancy(self, target: int) -> Redundancy:
        """Find the formula of a column (or direction); return it with R² and its columns."""
        self._searches.clear()
        coordinates = self._coordinates
        mean, variance = self._mean_and_variance(target)
        if self._is_constant(mean, variance):
            return self._constant(target, mean, variance)
        full, full_left, linear_left = self._left_by_fits(target)
        if self._max_terms is None:
            left, parts = full_left, self._all_parts(full, mean, math.sqrt(variance))
            left_of_others = partial(self._left_by_all, target)
            losses = self._losses(target, coordinates.usable)
        else:
            shape = self._choose(target)
            fit = self._search(coordinates, target).fit(shape)
            assert fit is not None  # `_choose` returns only shapes for which a formula exists
            left, parts = fit.error, self._parts_of(fit)
            whole = exact_sum(coordinates, target)
            if whole is not None and (
                left > EXACT_SHARE * variance or len(whole.support) < len(parts)
            ):
                left = linear_left = whole.error
                parts = self._parts_of_sum(whole)
                left_of_others = partial(self._left_by_sum, target, whole.support)
                losses = self._losses_of_sum(target, whole)
            else:
                left_of_others = partial(self._left_by_shape, target, shape)
                losses = self._losses(target, fit.support)
        r2 = 1 - left / variance
        expression = self._formula(parts, variance, left)
        return Redundancy(
            feature=self._subject.target_names[target],
            index=int(self._subject.targets[target]),
            expression=expression,
            kind=_kind(expression, r2),
            r2=r2,
            validation_r2=self._validate(target, left_of_others),
            residual_std=math.sqrt(left),
            linear_r2=1 - linear_left / variance,
            full_r2=1 - full_left / variance,
            sources={self._subject.names[j]: loss / variance for j, loss in losses.items()},
        )

    def without_formula(self, target: int) -> Redundancy:
        """Return R² of all functions for a column (or direction) whose formula is not searched."""
        mean, variance = self._mean_and_variance(target)
        if self._is_constant(mean, variance):
            return self._constant(target, mean, variance)
        _, full_left, linear_left = self._left_by_fits(target)
        return replace(
            self._constant(target, mean, variance),
            kind="partial",
            r2=0.0,
            linear_r2=1 - linear_left / variance,
            full_r2=1 - full_left / variance,
        )

    def _mean_and_variance(self, target: int) -> tuple[float, float]:
        return (
            float(self._subject.target_means[target]),
            float(self._coordinates.variances[target]),
        )

    def _is_constant(self, mean: float, variance: float) -> bool:
        return variance <= max((CONSTANT_COLUMN * abs(mean)) ** 2, self._no_variance)

    def _left_by_fits(self, target: int) -> tuple[Array, float, float]:
        """Return the coefficients of all functions, and what they and linear ones leave."""
        coordinates = self._coordinates
        full = self._combinations[:, target]
        linear = np.intersect1d(self._linear, coordinates.usable)
        linear_left = coordinates.fit(target, linear, constant=True).error
        return full, coordinates.moments.left_by(full, target), linear_left

    def _constant(self, target: int, mean: float, variance: float) -> Redundancy:
        return Redundancy(
            feature=self._subject.target_names[target],
            index=int(self._subject.targets[target]),
            expression=self._formula({(): mean} if mean else {}, 0.0, 0.0),
            kind="constant",
            r2=1.0,
            validation_r2=None,
            residual_std=math.sqrt(variance),
            linear_r2=1.0,
            full_r2=1.0,
            sources={},
        )

    # Choice of the terms

    def _search(self, coordinates: Coordinates, target: int) -> SupportSearch:
        assert self._max_terms is not None
        key = id(coordinates)
        if key not in self._searches:
            self._searches[key] = SupportSearch(coordinates, target, self._linear, self._max_terms)
        return self._searches[key]

    def _choose(self, target: int) -> Shape:
        """Return the shape of a formula with the smallest rating.

        The rating is log(residual share) + penalty · complexity.
        """
        assert self._max_terms is not None
        variance = float(self._coordinates.variances[target])

        def weigh(shape: Shape) -> float:
            share = max(self._left(target, shape) / variance, SHARE_FLOOR)
            return math.log(share) + self._penalty * shape.complexity

        return min(shapes(self._max_terms), key=weigh)

    def _left(self, target: int, shape: Shape) -> float:
        """Return the mean square residual of the best formula with a given shape.

        It is measured on held-out rows if rows were given, else on the rows of the fit. It is
        infinite if there are fewer candidate terms than the shape has terms.
        """
        fit = self._search(self._coordinates, target).fit(shape)
        if fit is None:
            return math.inf
        if not self._folds:
            return fit.error
        return self._held_out(partial(self._left_by_shape, target, shape))

    def _held_out(self, left: HeldOutResidual) -> float:
        """Return the mean square residual over all parts of the rows, each held out once.

        `left` returns the residual of one part.
        """
        pairs = zip(self._folds, self._others, strict=True)
        total = sum(fold.size * left(fold, others) for fold, others in pairs)
        return total / sum(fold.size for fold in self._folds)

    def _validate(self, target: int, left: HeldOutResidual) -> float | None:
        """Return R² on held-out rows; None if no rows were given or the target is constant.

        `left` returns the residual of a part of the rows that is held out.
        """
        variance = 0.0 if self._whole is None else float(self._whole.variances[target])
        return 1 - self._held_out(left) / variance if variance > 0 else None

    def _left_by_shape(
        self, target: int, shape: Shape, fold: Moments, others: Coordinates
    ) -> float:
        fit = self._search(others, target).fit(shape)
        return math.inf if fit is None else fold.left_by(others.combination(fit, target), target)

    def _left_by_all(self, target: int, fold: Moments, others: Coordinates) -> float:
        return fold.left_by(self._full(others, target), target)

    def _left_by_sum(
        self, target: int, variables: IntArray, fold: Moments, others: Coordinates
    ) -> float:
        held_out = Coordinates(fold, self._dictionary, self._subject.target_means)
        return held_out.left_by_variables(others.fit_variables(target, variables), target)

    # Formula with all functions of the fit (`max_terms` is None)

    def _full(self, coordinates: Coordinates, target: int) -> Array:
        """Return the coefficients of all functions of the fit, fitted to other rows.

        Parameters
        ----------
        coordinates : Coordinates
            The functions and the columns to explain, for these rows.
        target : int
            The index of the column to explain.
        """
        moments = coordinates.moments
        norms = np.sqrt(moments.gram.diagonal())
        norms[norms == 0] = 1.0
        gram = moments.gram / np.outer(norms, norms)
        free = np.append(0, 1 + self._linear) if np.isinf(self._alpha) else np.arange(len(gram))
        if np.isfinite(self._alpha):
            penalties = np.full(len(gram), self._alpha)
            penalties[0] = penalties[1 + self._linear] = 0.0
            gram = gram + np.diag(penalties)
        right = (moments.with_targets[:, target] / norms)[free]
        combination = np.zeros(len(gram))
        combination[free] = lstsq(gram[np.ix_(free, free)], right, check_finite=False)[0]
        return combination / norms

    def _all_parts(
        self, combination: Array, mean: float, deviation: float
    ) -> dict[TermProduct, float]:
        """Write a sum of all functions of the fit in raw columns; return product → coefficient.

        Parameters
        ----------
        combination : array of shape (n_functions,)
            The coefficients of the functions.
        mean, deviation : float
            The mean and the standard deviation of the column that the sum predicts.
        """
        dictionary = self._dictionary
        expansions = [dictionary.expand(function) for function in dictionary.functions]
        expanded = zip(combination.tolist(), expansions, strict=True)
        return {
            product: value
            for product, value in add_up([(mean, {(): 1.0}), *expanded]).items()
            if abs(value) * self._rms.get(product, np.inf) > NO_TERM * deviation
        }

    # Conversion of a fit to a formula

    def _parts_of(self, fit: SparseFit) -> dict[TermProduct, float]:
        expansions = [self._dictionary.candidates[i].expansion for i in fit.support]
        coefficients = fit.coefficients.tolist()
        return add_up([(fit.constant, {(): 1.0}), *zip(coefficients, expansions, strict=True)])

    def _parts_of_sum(self, whole: SparseFit) -> dict[TermProduct, float]:
        means = self._subject.variable_means[whole.support]
        pairs = zip(whole.support.tolist(), whole.coefficients.tolist(), strict=True)
        parts: dict[TermProduct, float] = {(((j,), 1),): c for j, c in pairs}
        parts[()] = whole.constant - float(means @ whole.coefficients)
        return parts

    def _formula(self, parts: Mapping[TermProduct, float], variance: float, left: float) -> Formula:
        names, place = self._subject.names, self._subject.place
        accuracy = max(2e-3 * math.sqrt(variance), 0.1 * math.sqrt(left))

        def size(product: TermProduct) -> float:
            return abs(parts[product]) * self._deviations.get(product, 0.0)

        order = sorted((product for product in parts if product), key=size, reverse=True)
        if abs(parts.get((), 0.0)) > NO_TERM * math.sqrt(variance):
            order.append(())
        digits = []
        for product in order:
            rms = abs(parts[product]) * self._rms.get(product, 1.0)
            # rounding changes a number by up to half a unit of its last digit
            needed = math.ceil(math.log10(5 * rms / accuracy)) if rms and accuracy else DIGITS
            digits.append(min(max(DIGITS, needed), MAX_DIGITS))
        return Formula(
            tuple(term(parts[product], product, names, place) for product in order),
            tuple(name for _, name in sorted(zip(place, names, strict=True))),
            tuple(digits),
        )

    # Increase of the residual without each variable

    def _losses(self, target: int, support: IntArray) -> dict[int, float]:
        """Return for each variable the increase of the residual if its terms are removed.

        Parameters
        ----------
        target : int
            The index of the column to explain.
        support : array of int
            The indices of the terms of its formula.
        """
        candidates = self._dictionary.candidates
        whole = self._coordinates.fit(target, support, constant=True).error
        used = frozenset[int]().union(*(candidates[i].variables for i in support))
        losses = {}
        for j in sorted(used, key=lambda variable: self._subject.place[variable]):
            rest = support[[j not in candidates[i].variables for i in support]]
            without = self._coordinates.fit(target, rest, constant=True).error
            losses[j] = max(without - whole, 0.0)
        return losses

    def _losses_of_sum(self, target: int, whole: SparseFit) -> dict[int, float]:
        losses = {}
        for j in whole.support.tolist():
            rest = whole.support[whole.support != j]
            without = self._coordinates.fit_variables(target, rest).error
            losses[j] = max(without - whole.error, 0.0)
        return losses


def _kind(formula: Formula, r2: float) -> RedundancyKind:
    terms = [each for each in formula.terms if each.factors]
    if r2 < PARTIAL:
        return "partial"
    if not all(each.is_linear for each in terms):
        return "nonlinear"
    return "duplicate" if len(terms) == 1 and r2 >= DUPLICATE else "linear"
