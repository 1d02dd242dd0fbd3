"""Charts of residual variances as SVG images, for print and for browsers without scripts."""

from __future__ import annotations

import math
from html import escape

from gramian._support.words import percent
from gramian.reports._curves import Curves

WIDTH, HEIGHT = 720, 340
"""Size of the chart, in SVG units."""
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 48
"""Margins between the edges of the chart and its axes, in SVG units."""


def chart(curves: Curves, label: str) -> str:
    """Draw the residual share of the total variance after each feature; return the SVG text.

    Parameters
    ----------
    curves : Curves
        The charts of a fit; only the chart of the total variance is drawn.
    label : str
        Description of the chart for screen readers.
    """
    view, last = curves.total, max(curves.counts[-1], 1)
    highest = max(
        (value for curve in view.curves for value in curve.values if value is not None), default=1.0
    )
    top = min(highest, 1.2) or 1.0

    def x(count: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * count / last

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(value, top) / top)

    parts = []
    for i in range(6):
        value = i / 5 * (1.0 if top >= 1 else top)
        parts.append(
            f'<path class="grid" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>'
            f'<text class="tick" x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">'
            f"{percent(value)}</text>"
        )
    step = _round_step(last)
    parts += [
        f'<text class="tick" x="{x(i):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
        f"{i}</text>"
        for i in range(0, last + 1, step)
    ]
    parts.append(
        f'<text class="tick" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" '
        f'text-anchor="middle">{escape(curves.axis)}</text>'
    )
    if view.mark is not None:
        parts.append(f'<path class="mark" d="M{LEFT} {y(view.mark):.1f}H{WIDTH - RIGHT}"/>')
    for curve in view.curves:
        points = " ".join(
            f"{x(n):.1f},{y(value):.1f}"
            for n, value in zip(curves.counts, curve.values, strict=True)
            if value is not None
        )
        parts.append(f'<polyline class="curve {curve.key}" points="{points}"/>')
    return (
        f'<svg class="chart" role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
    )


def _round_step(last: int) -> int:
    """Return the distance between ticks on an axis from 0 to `last`, for at most about ten ticks.

    The distance is 1, 2 or 5 times a power of ten.
    """
    rough = max(last / 10, 1)
    power = 10 ** math.floor(math.log10(rough))
    return next(int(factor * power) for factor in (1, 2, 5, 10) if factor * power >= rough)
