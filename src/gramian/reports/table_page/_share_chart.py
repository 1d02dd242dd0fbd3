"""Small chart as an SVG image: shares explained by few columns, and by components of PCA."""

from __future__ import annotations

from collections.abc import Sequence

from gramian.reports.table_page._few_columns import FewColumns

WIDTH, HEIGHT = 360, 170
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 10, 34
"""Size of the chart and its margins, in SVG units."""


def share_chart(few: FewColumns) -> str:
    """Draw the chart.

    Parameters
    ----------
    few : FewColumns
        The shares.
    """
    n = len(few.by_columns)

    def x(count: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * count / n

    def y(share: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - max(share, 0.0))

    def curve(name: str, shares: Sequence[float]) -> str:
        points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate([0.0, *shares]))
        return f'<polyline class="curve {name}" points="{points}"/>'

    grid = "".join(
        f'<path class="grid" d="M{LEFT} {y(share):.1f}H{WIDTH - RIGHT}"/><text class="tick" '
        f'x="{LEFT - 5}" y="{y(share) + 4:.1f}" text-anchor="end">{100 * share:.0f} %</text>'
        for share in (0.0, 0.5, 1.0)
    )
    ticks = "".join(
        f'<text class="tick" x="{x(i):.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">'
        f"{i}</text>"
        for i in range(n + 1)
    )
    label = (
        f'<text class="tick" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 4}" '
        'text-anchor="middle">number of columns or components</text>'
    )
    curves = curve("pca", few.by_components) + curve("fit", few.by_columns)
    return (
        f'<svg class="shares" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Shares of the '
        f'variance explained; the table beside has the numbers">{grid}{ticks}{label}{curves}</svg>'
    )
