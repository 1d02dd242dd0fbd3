"""Page about a curved surface: a map of the surface, and how well it predicts each column.

A code is a coordinate on the surface. The map shows the first two codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import convolve

from gramian._support.types import Array
from gramian._support.words import percent
from gramian.fitting import FittedManifold
from gramian.reports.fit_page._curves import Chart, Curve, Curves, at, explained, principal, shares
from gramian.reports.fit_page._direction_maps import picture
from gramian.reports.fit_page._remarks import CautionEntry
from gramian.reports.fit_page._report_rows import ReportRows

CELLS = 25
"""Number of places (grid points) along each side of the map."""
IMAGES = 11
"""Number of places (grid points) along each side of the map if each place is drawn as an image."""
MAX_TILES = 12
"""Largest number of columns for which the page draws a map."""
ROWS = 5000
"""Largest number of rows for which codes are computed."""
REACH = 0.01
"""Share of the codes that lie outside the map, below its lower end and above its upper end."""


@dataclass(frozen=True)
class Tile:
    """Map of one column: an image of its values on the surface."""

    name: str
    image: str
    """Image as a data URL: blue above the mean of the column, orange below."""
    low: float
    """Smallest value of the column on the map."""
    high: float
    """Largest value of the column on the map."""


@dataclass(frozen=True)
class Follows:
    """Accuracy with which a column is computed from the codes (coordinates on the surface)."""

    name: str
    r2: float | None
    """Share of the variance of the column that the codes explain; None for a constant column."""
    misses: float
    """Root mean squared error, in the units of the column."""


@dataclass(frozen=True)
class Map:
    """Map of the surface: the values of columns at a grid of codes.

    Codes are coordinates on the surface.
    """

    low: float
    """Smallest code on the map, for both codes."""
    high: float
    """Largest code on the map, for both codes."""
    width: int
    """Number of places from left to right (first code)."""
    height: int
    """Number of places from bottom to top (second code); 1 if there is only one code."""
    tiles: list[Tile]
    """Maps of single columns; empty if the columns are pixels."""
    montage: str | None
    """One image (data URL) with the images at all places, if the columns are pixels; else None."""
    rows: str
    """Image (data URL) of the number of rows near each place."""
    follows: list[Follows]
    """Accuracy of each column."""
    n_rows: int
    """Number of rows from which `rows` and `follows` are computed."""


def draw_map(model: FittedManifold, data: ReportRows, image_shape: tuple[int, int] | None) -> Map:
    """Draw the map of a surface: the values of columns at a grid of codes.

    Codes are coordinates on the surface.

    Parameters
    ----------
    model : FittedManifold
        The fitted surface.
    data : ReportRows
        The rows that the report is about.
    image_shape : pair of int, or None
        Height and width of images, if the columns are pixels.
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
    """Count the rows near each place of the map: in its own cell and in the neighbouring cells.

    Return an array of shape (n_high, len(steps)); the largest second code is in the first row.
    Codes are coordinates on the surface.

    Parameters
    ----------
    codes : array of shape (n_rows, 1 or 2)
        The first code of each row, or its first two codes.
    steps : array
        Codes of the places along one side of the map, in increasing order.
    n_high : int
        Number of places along the second code; 1 if there is only one code.
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
    """Yield the maps of the columns that vary most on the map, compared with their deviation.

    Parameters
    ----------
    values : array
        The values of the columns at the places of the map.
    known : array
        The number of rows near each place; places without rows are empty.
    sample : array of shape (n_rows, n_columns)
        Rows, for the deviations of the columns.
    mean : array of shape (n_columns,)
        The means of the columns.
    names : list of str
        The names of the columns.
    """
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
    """Return one large image, in which the images of all places are next to each other.

    There is a gap of one pixel between images. Places without rows are empty (0).
    """
    shown = np.where(known.ravel()[:, np.newaxis] > 0, values, 0.0)
    cells = np.pad(shown.reshape(-1, *shape), ((0, 0), (0, 1), (0, 1)))
    height, width = known.shape
    rows = cells.reshape(height, width, *cells.shape[1:])
    return rows.transpose(0, 2, 1, 3).reshape(height * cells.shape[1], width * cells.shape[2])


def _follows(sample: Array, points: Array, names: list[str]) -> list[Follows]:
    """Compare rows with their nearest points on the surface; return the accuracy of each column."""
    left = np.mean((sample - points) ** 2, axis=0)
    variances = sample.var(axis=0)
    return [
        Follows(name, 1 - one / whole if whole > 0 else None, one**0.5)
        for name, one, whole in zip(names, left.tolist(), variances.tolist(), strict=True)
    ]


def rounds(model: FittedManifold, data: ReportRows) -> tuple[Curves, float]:
    """Return the chart of the residual variance after each round of the fit.

    Return also the share of the variance that PCA explains with as many components as codes.

    Parameters
    ----------
    model : FittedManifold
        The fitted surface.
    data : ReportRows
        The rows that the report is about.
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
    """Return a note that the fit is a local optimum: a better surface may exist."""
    return CautionEntry(
        "A surface near where the fit began",
        f"{model.algorithm} begins with linear codes, and fits surface and codes in turn while the "
        "error falls. Another surface may fit better. Where the surface comes back to itself, the "
        "nearest point may be elsewhere on the surface.",
        "Compare with other degrees and families, and trust errors of held-out rows.",
        serious=False,
    )
