"""Writing of the page about a fit: it collects the content, and writes the page."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import singledispatch
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.utils.validation import check_is_fitted

import gramian
from gramian._support.extras import require
from gramian._support.words import counted
from gramian._support.writing import replacing
from gramian.estimators import UFFS, Estimator, PolynomialManifold, unbroken_percent
from gramian.fitting import FittedManifold, FittedModel
from gramian.formulas import number, r_squared
from gramian.laws import Comparison
from gramian.models import Preprocessing
from gramian.reports import _page
from gramian.reports.fit_page._code import code_for
from gramian.reports.fit_page._column_cards import Column, describe_columns
from gramian.reports.fit_page._curves import Curves, label_of, trace
from gramian.reports.fit_page._direction_maps import (
    ShownDirections,
    directions,
    image_shape_of,
    of_weights,
)
from gramian.reports.fit_page._level_laws_section import beside_entries
from gramian.reports.fit_page._redundancy_drawing import draw_graph
from gramian.reports.fit_page._remarks import caution_entries, most_serious_first, of_any_fit
from gramian.reports.fit_page._report_rows import SAMPLE_ROWS, SEED, ReportRows, gather
from gramian.reports.fit_page._selection_tables import MAX_ROWS, how, in_words, shown_selection
from gramian.reports.fit_page._surface_page import draw_map, local, rounds
from gramian.reports.fit_page._svg import charts
from gramian.reports.fit_page._uffs_page import norm_cautions, norm_curves, norm_entries

MAX_CHIPS = 14
"""Largest number of kept columns that are named at the top of the page."""


def write_fit_page(
    estimator: Estimator[Any] | UFFS,
    X: Any,
    path: str | os.PathLike[str],
    *,
    preprocessing: Preprocessing | None = None,
    title: str | None = None,
    command: str | None = None,
    image_shape: tuple[int, int] | None = None,
    comparison: Comparison | None = None,
) -> Path:
    """Write the page about a fit; `gramian.report` explains the parameters.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    X : array-like, files or Dask collection
        The rows of the fit, or similar rows.
    path : path
        The file to write.
    preprocessing : Preprocessing, optional
        Steps that turn a table into the numbers that the estimator takes.
    title : str, optional
        The title of the page.
    command : str, optional
        The shell command that made the page.
    image_shape : pair of int, optional
        Height and width of images, if the columns are pixels.
    comparison : Comparison, optional
        The table compared with an older one.
    """
    check_is_fitted(estimator)
    require("jinja2", "A report")
    if image_shape is not None and int(np.prod(image_shape)) != estimator.n_features_in_:
        raise ValueError(
            f"image_shape={image_shape} has {np.prod(image_shape)} pixels, but there are "
            f"{estimator.n_features_in_} columns."
        )
    data = gather(estimator, X, preprocessing)
    beside = beside_entries(data.preprocessing)
    shape = image_shape or image_shape_of(data.names)
    template, content = _content(estimator, data, shape)
    text = _page.render(
        template,
        {
            **content,
            "beside": beside,
            "comparison": comparison,
            "title": title
            or f"Redundancy among {counted(data.n_columns + beside.n_columns, 'column')}",
            "command": command,
            "code": code_for(estimator, X, preprocessing, image_shape),
        },
    )
    with replacing(path) as stream:
        stream.write(text.encode("utf-8"))
    return Path(path)


@singledispatch
def _content(
    estimator: Any, data: ReportRows, image_shape: tuple[int, int] | None
) -> tuple[str, dict[str, Any]]:
    """Return the name of the template of a page, and the values of the template's variables.

    This function makes the page about GFR, GCA, GFS and GFA. Functions that are registered below
    make the pages about PolynomialManifold and UFFS.
    """
    model: FittedModel = estimator.model_
    columns = describe_columns(data)
    curves = trace(model, data)
    selection = shown_selection(estimator, data)
    heat = directions(model, data, image_shape)
    n_kept, more = counted(len(selection.kept), "feature"), []
    if curves.n_pca is not None:
        more.append(f"PCA needs {counted(curves.n_pca, 'component')} to leave as little")
    label = label_of(curves, f"With {n_kept} of {model.algorithm} it", *more)
    return "report.html", {
        **_common(estimator, data, columns, curves, heat, label),
        **_about_model(model),
        "axis": "direction",
        "step": "feature",
        "kept_names": {each.name for each in selection.kept} if model.selects else None,
        "selection": selection,
        "how": how(model),
        "longest_bar": max([each.explains for each in selection.kept], default=0.0) or 1.0,
        "chips": selection.kept[:MAX_CHIPS],
        "n_more": max(0, len(selection.kept) - MAX_CHIPS),
        "graph": draw_graph(selection),
        "cautions": caution_entries(estimator, data, columns, curves, selection),
        "in_words": in_words,
    }


@_content.register
def _(
    estimator: PolynomialManifold, data: ReportRows, image_shape: tuple[int, int] | None
) -> tuple[str, dict[str, Any]]:
    model: FittedManifold = estimator.model_
    columns = describe_columns(data)
    curves, flat = rounds(model, data)
    heat = of_weights(model.components, model.kept_names, data, image_shape)
    label = label_of(
        curves, f"With {counted(len(model.components), 'code')} of {model.algorithm} it"
    )
    told = of_any_fit(model, data, columns, curves, "Fit with degree='auto'")
    return "surface.html", {
        **_common(estimator, data, columns, curves, heat, label),
        **_about_model(model),
        "axis": "code",
        "step": "round",
        "kept_names": None,
        "flat": flat,
        "map": draw_map(model, data, image_shape),
        "cautions": most_serious_first([*told, local(model)]),
    }


@_content.register
def _(
    estimator: UFFS, data: ReportRows, image_shape: tuple[int, int] | None
) -> tuple[str, dict[str, Any]]:
    columns = describe_columns(data)
    curves = norm_curves(estimator, data)
    kept, dropped = norm_entries(estimator, data)
    return "uffs.html", {
        **_common(estimator, data, columns, curves, None, label_of(curves, "It")),
        "family": f"Multilinear({estimator.degree})",
        "scaled": False,
        "step": "column",
        "kept_names": {each.name for each in kept},
        "kept": kept,
        "dropped": dropped,
        "relative": estimator.relative,
        "max_chips": MAX_CHIPS,
        "n_fitted_rows": estimator.n_samples_,
        "n_functions": int(estimator.n_functions_.sum()),
        "cautions": most_serious_first(norm_cautions(estimator, data, columns)),
    }


def _about_model(model: FittedModel | FittedManifold) -> dict[str, Any]:
    """Return the template variables that describe a fitted model: its family and its scaling."""
    return {"model": model, "family": model.family, "scaled": model.scale is not None}


def _common(
    estimator: Any,
    data: ReportRows,
    columns: list[Column],
    curves: Curves,
    heat: ShownDirections | None,
    label: str,
) -> dict[str, Any]:
    """Return the template variables that all pages use: data, charts, versions, number formats.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : ReportRows
        The rows that the report is about.
    columns : list of Column
        Statistics of each column.
    curves : Curves
        Residual variances of the fit.
    heat : ShownDirections or None
        The directions that the page shows.
    label : str
        Description of the charts for screen readers.
    """
    return {
        "algorithm": type(estimator).__name__,
        "data": data,
        "columns": columns[:MAX_ROWS],
        "n_constant": sum(each.constant for each in columns),
        "n_nearly": sum(each.nearly_constant for each in columns),
        "n_heavy": sum(each.heavy for each in columns),
        "n_missing": sum(each.missing for each in columns),
        "spread": _spread([each.deviation for each in columns if not each.constant]),
        "sample_rows": SAMPLE_ROWS,
        "seed": SEED,
        "curves": curves,
        "drawn": charts(curves, label),
        "max_rows": MAX_ROWS,
        "heat": heat,
        "charts": _charts(curves, heat),
        "versions": {
            "gramian": gramian.__version__,
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "random_state": str(getattr(estimator, "random_state", None)),
        "date": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        "share": unbroken_percent,
        "number": number,
        "r_squared": r_squared,
        "counted": counted,
    }


def _charts(curves: Curves, heat: Any) -> dict[str, Any]:
    """Return the numbers that the script of the page shows where the reader points."""
    return {
        "counts": curves.counts,
        "axis": curves.axis,
        "views": [asdict(view) for view in curves.views],
        "heat": None
        if heat is None or heat.image_shape is not None
        else {
            "directions": [each.name for each in heat.shown],
            "columns": heat.columns,
            "weights": heat.weights,
        },
    }


def _spread(deviations: Sequence[float]) -> str | None:
    """Return the largest standard deviation divided by the smallest, as text.

    Return None if there are no deviations.
    """
    if not deviations:
        return None
    ratio = max(deviations) / min(deviations)
    return f"{float(f'{ratio:.3g}'):,.0f}" if 100 <= ratio < 1e9 else number(ratio, 3)
