"""Charts of residual variances as SVG images; a script only chooses which of them is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Literal

from gramian._support.words import small_percent
from gramian.formulas import number
from gramian.reports.fit_page._curves import Chart, Curves

WIDTH, HEIGHT = 720, 340
"""Size of the chart, in SVG units."""
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 48
"""Margins between the edges of the chart and its axes, in SVG units."""
LEAST = 1e-15
"""Smallest value that a logarithmic axis shows; smaller values are rounding errors."""
MOST_DECADES = 8
"""Largest number of ticks of a logarithmic axis, apart from the first."""
Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class DrawnChart:
    """One chart as an SVG image, of which the page shows one at a time."""

    view: int
    """Position of the chart in `Curves.views`."""
    scale: Scale
    svg: str


def charts(curves: Curves, label: str) -> list[DrawnChart]:
    """Draw all charts of a fit, each with a linear and with a logarithmic vertical axis.

    Parameters
    ----------
    curves : Curves
        The charts of the fit.
    label : str
        Description of the charts for screen readers.
    """
    scales: tuple[Scale, Scale] = ("linear", "log")
    return [
        DrawnChart(i, scale, _chart(view, curves, _Axis.of(view, scale), label))
        for i, view in enumerate(curves.views)
        for scale in scales
    ]


@dataclass(frozen=True)
class _Axis:
    """Vertical axis of a chart."""

    scale: Scale
    low: float
    high: float
    ticks: list[float]
    is_share: bool

    @classmethod
    def of(cls, view: Chart, scale: Scale) -> _Axis:
        """Return the axis that shows the values of a chart."""
        every = [v for curve in view.curves for v in curve.values if v is not None]
        marks = [] if view.mark is None else [view.mark]
        if scale == "linear":
            # A fit may begin far below other curves: these are cut above it.
            own = [v for c in view.curves if c.key == "fit" for v in c.values[:1] if v is not None]
            high = min([max(every, default=1.0), *(1.5 * v for v in own if v > 0)]) or 1.0
            step = _round_step(high, 5)
            ticks = [i * step for i in range(int(high / step * (1 + 1e-9)) + 1)]
            return cls(scale, 0.0, high, ticks, view.is_share)
        shown = [v for v in (*every, *marks) if v > LEAST] or [1.0]
        low, high = math.floor(math.log10(min(shown))), math.ceil(math.log10(max(shown)))
        high = max(high, low + 1)
        step = max(1, math.ceil((high - low) / MOST_DECADES))
        ticks = [10.0**i for i in range(low, high + 1, step)]
        return cls(scale, 10.0**low, 10.0**high, ticks, view.is_share)

    def place(self, value: float) -> float:
        """Return the vertical place of a value, in SVG units from the top."""
        if self.scale == "linear":
            share = min(value, self.high) / self.high
        else:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)

    def text(self, value: float) -> str:
        """Return the label of a tick."""
        if not self.is_share:
            return number(value, 2)
        return small_percent(value)


def _chart(view: Chart, curves: Curves, axis: _Axis, label: str) -> str:
    """Draw one chart; return the SVG text.

    Parameters
    ----------
    view : Chart
        The curves.
    curves : Curves
        All charts of the fit, for the numbers of features.
    axis : _Axis
        The vertical axis.
    label : str
        Description for screen readers.
    """
    last = max(curves.counts[-1], 1)

    def x(count: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * count / last

    parts = [
        f'<path class="grid" d="M{LEFT} {axis.place(value):.1f}H{WIDTH - RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{axis.place(value) + 4:.1f}" text-anchor="end">'
        f"{axis.text(value)}</text>"
        for value in axis.ticks
    ]
    parts += [
        f'<text class="tick" x="{x(i):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
        f"{i}</text>"
        for i in range(0, last + 1, int(max(_round_step(last, 10), 1)))
    ]
    parts.append(
        f'<text class="tick" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" '
        f'text-anchor="middle">{escape(curves.axis)}</text>'
    )
    if view.mark is not None and view.mark > 0:
        height = axis.place(view.mark)
        parts.append(f'<path class="mark" d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(
            f'<text class="tick marked" x="{LEFT + 6}" y="{height - 5:.1f}">'
            f"{escape(view.mark_label)}</text>"
        )
    for curve in view.curves:
        for piece in _pieces(curves.counts, curve.values, axis):
            points = " ".join(f"{x(n):.1f},{axis.place(value):.1f}" for n, value in piece)
            parts.append(f'<polyline class="curve {curve.key}" points="{points}"/>')
    parts.append(f'<path class="cursor" d="M0 {TOP}V{HEIGHT - BOTTOM}" visibility="hidden"/>')
    return (
        f'<svg class="chart" role="img" aria-label="{escape(label)}" data-left="{LEFT}" '
        f'data-right="{WIDTH - RIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
    )


def _pieces(
    counts: list[int], values: list[float | None], axis: _Axis
) -> list[list[tuple[int, float]]]:
    """Return the connected pieces of a curve: a missing value interrupts it.

    A value of zero has no place on a logarithmic axis.
    """
    pieces: list[list[tuple[int, float]]] = [[]]
    for n, value in zip(counts, values, strict=True):
        if value is not None and (axis.scale == "linear" or value > LEAST):
            pieces[-1].append((n, value))
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if piece]


def _round_step(last: float, most: int) -> float:
    """Return the distance between ticks on an axis from 0 to `last`, for at most `most` ticks.

    The distance is 1, 2 or 5 times a power of ten.
    """
    rough = last / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= rough * (1 - 1e-9))
