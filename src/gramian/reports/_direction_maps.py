"""Directions: which columns they are made of, as a heat map or as images."""

from __future__ import annotations

import base64
import math
import re
import struct
import warnings
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.estimators import GFR
from gramian.exceptions import OverfittingWarning, UnitsWarning
from gramian.families import Family
from gramian.fitting import FittedModel
from gramian.reports._report_rows import ReportRows
from gramian.reports._selection_tables import loadings

MAX_DIRECTIONS = 24
MAX_COLUMNS = 80
"""The largest number of columns in a heat map: those with the largest weights."""
COMPANION_DIRECTIONS = 8
"""The number of directions that are found in addition to a selection of columns."""
COMPANION_ROWS = 5000
POSITIVE, NEGATIVE = (0, 114, 178), (213, 94, 0)
"""Okabe and Ito's blue and vermilion."""
PIXEL = re.compile(r"(?:pixel|pix|px)[ _-]?(\d+)(?:[ _x-](\d+))?", re.IGNORECASE)


@dataclass(frozen=True)
class DirectionEntry:
    """A direction in words, and as an image where columns are pixels."""

    name: str
    about: str
    image: str | None


@dataclass(frozen=True)
class ShownDirections:
    """The directions of the fit, or of a second fit to the same rows."""

    shown: list[DirectionEntry]
    n_hidden: int
    columns: list[str]
    """The names of the columns in the heat map."""
    weights: list[list[float]]
    """By direction, then by column."""
    strip: str
    """The same as an image."""
    companion: str | None
    """How they were found, if not by the fit itself."""
    image_shape: tuple[int, int] | None


def directions(
    estimator: Any, data: ReportRows, image_shape: tuple[int, int] | None
) -> ShownDirections | None:
    """Collect the directions of a fit.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : ReportRows
        The rows.
    image_shape : pair of int, or None
        Height and width, if the columns are pixels.
    """
    model: FittedModel = estimator.model_
    if model.directions is None:
        return companion_directions(
            model.family,
            data,
            image_shape,
            alpha=model.record.alpha,
            scale=model.scale is not None,
        )
    return of_weights(model.directions, model.kept_names, data, image_shape)


def of_weights(
    weights: Array,
    names: list[str],
    data: ReportRows,
    image_shape: tuple[int, int] | None,
    companion: str | None = None,
) -> ShownDirections | None:
    """Show how much columns weigh.

    Parameters
    ----------
    weights : array of shape (n_directions, n_columns)
        The weights.
    names : list of str
        The names of the directions.
    data : ReportRows
        The rows.
    image_shape : pair of int, or None
        Height and width, if the columns are pixels.
    companion : str, optional
        How the directions were found, if not by the fit itself.
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


def companion_directions(
    family: Family,
    data: ReportRows,
    image_shape: tuple[int, int] | None,
    *,
    alpha: float = 0.0,
    scale: bool = False,
) -> ShownDirections | None:
    """Fit GFR to the rows of a selection, and show its directions.

    Parameters
    ----------
    family : Family
        The family of the selection.
    data : ReportRows
        The rows.
    image_shape : pair of int, or None
        Height and width, if the columns are pixels.
    alpha, scale : float, bool
        The penalty and the scaling of the selection.
    """
    rows = data.sample[:COMPANION_ROWS]
    gfr = GFR(
        min(COMPANION_DIRECTIONS, data.n_columns, max(1, len(rows) // 4)),
        family=family,
        degree=None,
        alpha=alpha,
        scale=scale,
        max_functions=max(1, len(rows) // 4),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverfittingWarning)
        warnings.simplefilter("ignore", UnitsWarning)  # the selection warns of units itself
        gfr.fit(rows)
    companion = f"GFR with the family {family} on {len(rows):,} of these rows"
    return of_weights(gfr.components_, gfr.model_.kept_names, data, image_shape, companion)


def image_shape_of(names: list[str]) -> tuple[int, int] | None:
    """Return height and width if columns have names of pixels, in the order of reading.

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
    """Return a PNG as a data address: blue above zero, vermilion below, nothing at zero.

    Values near zero are transparent, so that the picture fits light and dark pages.

    Parameters
    ----------
    values : array of shape (height, width)
        The values.
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
