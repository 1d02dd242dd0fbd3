"""Page about a curved surface: a map, and R² of each column given the codes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import convolve

from gramian._support.types import Array
from gramian._support.words import percent
from gramian.fitting import FittedManifold
from gramian.reports._curves import Chart, Curve, Curves, at, explained, principal, shares
from gramian.reports._direction_maps import picture
from gramian.reports._remarks import CautionEntry
from gramian.reports._report_rows import ReportRows

CELLS = 25
"""Number of places of the map in each direction."""
IMAGES = 11
"""Number of places of the map in each direction if each place is an image."""
MAX_TILES = 12
"""Largest number of columns that are drawn on the map."""
ROWS = 5000
"""Largest number of rows whose codes are computed."""
REACH = 0.01
"""Share of the rows that is beyond the map, on either side."""


@dataclass(frozen=True)
class Tile:
    """A column on the map."""

    name: str
    image: str
    low: float
    high: float


@dataclass(frozen=True)
class Follows:
    """R² of a column, given the codes."""

    name: str
    r2: float | None
    """None if the column does not vary."""
    misses: float
    """Root mean squared error."""


@dataclass(frozen=True)
class Map:
    """Values of the surface at a grid of codes."""

    low: float
    high: float
    width: int
    height: int
    tiles: list[Tile]
    montage: str | None
    """Images of all places, if columns are pixels."""
    rows: str
    """Image of the number of rows at each place."""
    follows: list[Follows]
    n_rows: int


def draw_map(model: FittedManifold, data: ReportRows, image_shape: tuple[int, int] | None) -> Map:
    """Draw the values of the surface at a grid of codes.

    Parameters
    ----------
    model : FittedManifold
        The surface.
    data : ReportRows
        The rows.
    image_shape : pair of int, or None
        Height and width, if the columns are pixels.
    """
    sample = data.sample[:ROWS].astype(np.float64, copy=False)
    codes = model.encode(sample)
    n_cells = CELLS if image_shape is None else IMAGES
    low = float(max(-3.0, np.quantile(codes[:, :2], REACH)))
    high = float(min(3.0, np.quantile(codes[:, :2], 1 - REACH)))
    n_high = n_cells if codes.shape[1] > 1 else 1
    steps = np.linspace(low, high, n_cells)
    places = np.zeros((n_high * n_cells, codes.shape[1]))
    places[:, 0] = np.tile(steps, n_high)
    if n_high > 1:
        places[:, 1] = np.repeat(steps[::-1], n_cells)
    known = count_around(codes[:, :2], steps, n_high)
    values = model.decode(places)
    tiles: list[Tile] = []
    montage = None
    if image_shape is None:
        tiles = list(_tiles(values, known, sample, model.mean, data.names))
    else:
        montage = picture(_montage(values.clip(sample.min(), sample.max()), known, image_shape))
    return Map(
        low,
        high,
        n_cells,
        n_high,
        tiles,
        montage,
        picture(known.astype(np.float64)),
        _follows(sample, model.decode(codes), data.names),
        len(sample),
    )


def count_around(codes: Array, steps: Array, n_high: int) -> Array:
    """Count the rows in the cell of each place and in the neighbouring cells.

    Parameters
    ----------
    codes : array of shape (n_rows, 1 or 2)
        Codes of the rows.
    steps : array
        Places of each code, in increasing order.
    n_high : int
        Number of places of the second code; 1 if there is one code only.
    """
    half = (steps[1] - steps[0]) / 2 if len(steps) > 1 and steps[1] > steps[0] else 0.5
    edges = np.append(steps - half, steps[-1] + half)
    if n_high == 1:
        counts = np.histogram(codes[:, 0], edges)[0][np.newaxis]
    else:
        counts = np.histogram2d(codes[:, 1], codes[:, 0], [edges, edges])[0][::-1]
    found: Array = convolve(counts, np.ones((3, 3)), mode="constant")
    return found


def _tiles(
    values: Array, known: Array, sample: Array, mean: Array, names: list[str]
) -> Iterator[Tile]:
    """Yield the columns that vary most on the map, in units of their standard deviation."""
    inside = known.ravel() > 0
    deviations = sample.std(axis=0)
    varying = np.where(deviations > 0, deviations, np.inf)
    spread = values[inside].std(axis=0) / varying
    for i in np.argsort(-spread, kind="stable")[:MAX_TILES]:
        column = np.where(inside, values[:, i] - mean[i], 0.0)
        there = values[inside, i]
        image = picture(column.reshape(known.shape))
        yield Tile(names[i], image, float(there.min()), float(there.max()))


def _montage(values: Array, known: Array, shape: tuple[int, int]) -> Array:
    """Put the images of all places side by side, with a gap between images."""
    shown = np.where(known.ravel()[:, np.newaxis] > 0, values, 0.0)
    cells = np.pad(shown.reshape(-1, *shape), ((0, 0), (0, 1), (0, 1)))
    height, width = known.shape
    rows = cells.reshape(height, width, *cells.shape[1:])
    return rows.transpose(0, 2, 1, 3).reshape(height * cells.shape[1], width * cells.shape[2])


def _follows(sample: Array, points: Array, names: list[str]) -> list[Follows]:
    left = np.mean((sample - points) ** 2, axis=0)
    variances = sample.var(axis=0)
    return [
        Follows(name, 1 - one / whole if whole > 0 else None, one**0.5)
        for name, one, whole in zip(names, left.tolist(), variances.tolist(), strict=True)
    ]


def rounds(model: FittedManifold, data: ReportRows) -> tuple[Curves, float]:
    """Return the curves of all rounds, and the share that PCA explains with as many components.

    Parameters
    ----------
    model : FittedManifold
        The surface.
    data : ReportRows
        The rows.
    """
    _, pca, n_pca = principal(model, data)
    total, held_out = model.left, model.validation_total
    counts = np.arange(max(len(total), 0 if held_out is None else len(held_out)))
    curves = [Curve("fit", f"{model.algorithm}, rows of the fit", at(counts, total))]
    if held_out is not None:
        curves.append(Curve("held-out", "held-out rows", at(counts, shares(held_out))))
    flat = float(pca[min(len(model.components), len(pca) - 1)])
    view = Chart(
        "Total variance",
        "share of the variance left",
        curves,
        mark=flat,
        mark_label=f"PCA: {percent(flat)} left",
        is_share=True,
    )
    return Curves([view], counts.tolist(), "round", n_pca, *explained(model), None), 1 - flat


def local(model: FittedManifold) -> CautionEntry:
    """Return the caution that a better surface may exist."""
    return CautionEntry(
        "A surface near where the fit began",
        f"{model.algorithm} begins with linear codes, and fits surface and codes in turn while the "
        "error falls. Another surface may fit better. Where the surface comes back to itself, the "
        "nearest point may be elsewhere on the surface.",
        "Compare with other degrees and families, and trust errors of held-out rows.",
        serious=False,
    )
