"""Section of the page about directions: the weights of all columns, as a heat map or as images.

A direction is a weighted sum of columns.
"""

from __future__ import annotations

import base64
import math
import re
import struct
import warnings
import zlib
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.estimators import GFR
from gramian.exceptions import OverfittingWarning, TrimmedRowsWarning, UnitsWarning
from gramian.fitting import FittedModel, KeptDirections
from gramian.reports.fit_page._report_rows import ReportRows
from gramian.reports.fit_page._selection_tables import loadings

MAX_DIRECTIONS = 24
"""Largest number of directions that the page shows."""
MAX_COLUMNS = 80
"""Largest number of columns in a heat map; the columns with the largest weights are shown."""
COMPANION_DIRECTIONS = 8
"""Number of directions in a companion fit: a fit of GFR for the page about a selection of columns,
which has no directions of its own."""
COMPANION_ROWS = 5000
"""Largest number of rows in a companion fit."""
POSITIVE, NEGATIVE = (0, 114, 178), (213, 94, 0)
"""Colours (red, green, blue) of weights above and below zero: blue and vermilion of the palette by
Okabe and Ito, which people with colour blindness can tell apart."""
PIXEL = re.compile(r"(?:pixel|pix|px)[ _-]?(\d+)(?:[ _x-](\d+))?", re.IGNORECASE)
"""Pattern of column names that are pixels: "pixel12" (index in the image) or "pixel_3_4" (row and
column in the image)."""


@dataclass(frozen=True)
class DirectionEntry:
    """One direction on the page."""

    name: str
    about: str
    """Columns with the largest weights in the direction, as text."""
    image: str | None
    """Weights as an image (data URL), if the columns are pixels."""


@dataclass(frozen=True)
class ShownDirections:
    """All directions on the page: those of the fit itself, or those of a companion fit of GFR."""

    shown: list[DirectionEntry]
    n_hidden: int
    """Number of directions that the page does not show."""
    columns: list[str]
    """Names of the columns in the heat map."""
    weights: list[list[float]]
    """Weights in the heat map: one list for each direction, with one weight for each column."""
    strip: str
    """Heat map as an image (data URL), for print and for browsers without scripts."""
    companion: str | None
    """Description of the companion fit; None if the directions are of the fit itself."""
    image_shape: tuple[int, int] | None
    """Height and width of images, if the columns are pixels; None for a heat map."""


def directions(
    model: FittedModel, data: ReportRows, image_shape: tuple[int, int] | None
) -> ShownDirections | None:
    """Return the directions that the page shows.

    If the fit is a selection of columns, it has no directions: a companion fit of GFR finds some.

    Parameters
    ----------
    model : FittedModel
        The fitted model.
    data : ReportRows
        The rows that the report is about.
    image_shape : pair of int, or None
        Height and width of images, if the columns are pixels.
    """
    companion = None
    if model.selects:
        model, companion = _companion(model, data)
    assert isinstance(model.kept, KeptDirections)
    return of_weights(model.kept.directions, model.kept_names, data, image_shape, companion)


def of_weights(
    weights: Array,
    names: list[str],
    data: ReportRows,
    image_shape: tuple[int, int] | None,
    companion: str | None = None,
) -> ShownDirections | None:
    """Turn directions into the form that the page shows; return None without directions.

    Parameters
    ----------
    weights : array of shape (n_directions, n_columns)
        The weight of each column in each direction.
    names : list of str
        The names of the directions.
    data : ReportRows
        The rows that the report is about; their column names are used.
    image_shape : pair of int, or None
        Height and width of images, if the columns are pixels.
    companion : str, optional
        Description of the companion fit, if the directions are not of the fit itself.
    """
    components = weights[:MAX_DIRECTIONS]
    if not len(components):
        return None
    heaviest = np.argsort(-np.abs(components).max(axis=0), kind="stable")[:MAX_COLUMNS]
    chosen = np.sort(heaviest)
    shown = components[:, chosen]
    return ShownDirections(
        [
            DirectionEntry(
                name,
                loadings(row, data.names, 5),
                None if image_shape is None else picture(row.reshape(image_shape)),
            )
            for name, row in zip(names, components, strict=False)
        ],
        len(names) - len(components),
        [data.names[i] for i in chosen],
        [[float(f"{weight:.3g}") for weight in row] for row in shown.tolist()],
        picture(shown),
        companion,
        image_shape,
    )


def _companion(model: FittedModel, data: ReportRows) -> tuple[FittedModel, str]:
    """Fit GFR with the family of a selection of columns; return this fit and its description."""
    rows = data.sample[:COMPANION_ROWS]
    gfr = GFR(
        min(COMPANION_DIRECTIONS, data.n_columns, max(1, len(rows) // 4)),
        family=model.family,
        degree=None,
        alpha=model.record.alpha,
        scale=model.scale is not None,
        max_functions=max(1, len(rows) // 4),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverfittingWarning)
        for category in (UnitsWarning, TrimmedRowsWarning):  # cautions on the page say it
            warnings.simplefilter("ignore", category)
        gfr.fit(rows)
    return gfr.model_, f"GFR with the family {model.family} on {len(rows):,} of these rows"


def image_shape_of(names: list[str]) -> tuple[int, int] | None:
    """Return height and width of the image if all columns are named as pixels, row by row.

    Return None if they are not.

    Parameters
    ----------
    names : list of str
        The names of the columns.
    """
    found = [PIXEL.fullmatch(name) for name in names]
    if len(names) < 4 or not all(found):
        return None
    places = [match.groups() for match in found if match is not None]
    if all(column is not None for _, column in places):
        pairs = [(int(row), int(column)) for row, column in places]
        (top, left), (bottom, right) = pairs[0], pairs[-1]
        width = max(right - left + 1, 1)
        reading = [(top + i // width, left + i % width) for i in range(len(pairs))]
        return (bottom - top + 1, width) if pairs == reading else None
    side = math.isqrt(len(names))
    return (side, side) if side * side == len(names) else None


def picture(values: Array) -> str:
    """Draw numbers as a PNG image: blue above zero, vermilion below; return it as a data URL.

    Values near zero are transparent, so that the image suits light and dark pages.

    Parameters
    ----------
    values : array of shape (height, width)
        One number for each pixel.
    """
    height, width = values.shape
    largest = float(np.abs(values).max()) or 1.0
    pixels = np.empty((height, width, 4), dtype=np.uint8)
    pixels[..., :3] = np.where((values >= 0)[..., np.newaxis], POSITIVE, NEGATIVE)
    pixels[..., 3] = np.round(255 * np.abs(values) / largest)
    lines = np.concatenate(
        [np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, -1)], axis=1
    )

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    png = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(lines.tobytes(), 9))
        + chunk(b"IEND", b"")
    )
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")
