"""Summary of a fitted estimator in a notebook, below scikit-learn's diagram."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from gramian._support.words import counted, cut, percent
from gramian.estimators._warning_texts import warning_of
from gramian.fitting import AnyModel

MAX_NAMES = 12
"""Largest number of columns that are named; the others are counted."""
MAX_NAME = 60
"""Largest length of a name."""
SPACE = "\N{NO-BREAK SPACE}"
STYLE = (
    "<style>"
    ".gramian-fit{font:13px/1.5 system-ui,sans-serif;max-width:46em;margin:.6em 0;"
    "padding:.6em .9em;border:1px solid rgba(128,128,128,.35);border-radius:6px;color:inherit}"
    ".gramian-fit p{margin:.15em 0}"
    ".gramian-fit ol{list-style:none;margin:.4em 0 0;padding:0;display:flex;flex-wrap:wrap;"
    "gap:.3em}"
    ".gramian-fit li{padding:0 .5em;border-radius:1em;background:rgba(128,128,128,.16);"
    "overflow-wrap:anywhere}"
    ".gramian-fit svg{vertical-align:middle;margin-right:.8em}"
    ".gramian-fit .gramian-warning{border-left:3px solid #d55e00;padding-left:.6em;margin-top:.5em}"
    "</style>"
)


class FittedSummary:
    """Mixin that adds a summary of the fit below scikit-learn's diagram."""

    def _repr_html_inner(self) -> str:
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(self)) + summary(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:  # scikit-learn's configuration can forbid it
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def summary(estimator: Any) -> str:
    """Return a fit in a few lines of HTML; an empty text if the estimator is not fitted.

    Parameters
    ----------
    estimator : estimator
        The estimator.
    """
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return ""
    model: AnyModel = estimator.model_
    left = model.left
    curve = sparkline(
        left.tolist(), f"Share of the variance left: it falls to {unbroken_percent(left[-1])}"
    )
    n_functions = counted(model.n_functions - 1, "function")
    facts = f"{n_functions} on {counted(model.n_rows, 'row')}. {model.ending}"
    if model.explains:
        facts = f"{_explained(model)}. {facts}"
    texts = [warning_of(caution)[1] for caution in model.cautions]
    notes = "".join(f'<p class="gramian-warning">{escape(text)}</p>' for text in texts)
    return (
        f'{STYLE}<div class="gramian-fit"><p>{curve}<strong>{escape(_kept(model))}</strong></p>'
        f"<p>{escape(facts)}</p>{_names(model)}{notes}</div>"
    )


def unbroken_percent(value: float) -> str:
    """Return a share as a percentage in HTML, in which no line break can occur."""
    return percent(value).replace(" ", SPACE)


def _explained(model: AnyModel) -> str:
    text = f"{unbroken_percent(1 - model.left[-1])} of the variance explained"
    held_out = model.held_out_left
    return (
        text if held_out is None else f"{text}, {unbroken_percent(1 - held_out)} on held-out rows"
    )


def _kept(model: AnyModel) -> str:
    n, n_columns = len(model.kept_names), counted(model.n_columns, "column")
    if model.selects:
        return f"{n:,} of {n_columns} kept, in this order"
    return f"{counted(n, model.thing)} in place of {n_columns}"


def _names(model: AnyModel) -> str:
    """Return an HTML list of the selected columns; an empty text for directions."""
    if not model.selects:
        return ""
    names = [cut(name, MAX_NAME) for name in model.kept_names]
    more = len(names) - MAX_NAMES
    items = "".join(f"<li><bdi>{escape(name)}</bdi></li>" for name in names[:MAX_NAMES])
    return f"<ol>{items}{f'<li>and {more:,} more</li>' if more > 0 else ''}</ol>"


def sparkline(values: Sequence[float], label: str, width: int = 150, height: int = 36) -> str:
    """Return a small SVG chart of shares that fall from step to step, in the colour of the text.

    Parameters
    ----------
    values : sequence of float
        Shares, from 0 to 1.
    label : str
        The text for screen readers.
    width, height : int
        Size in pixels.
    """
    n = max(len(values) - 1, 1)
    points = [
        (2 + (width - 4) * i / n, 2 + (height - 4) * (1 - min(max(value, 0.0), 1.0)))
        for i, value in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    base = height - 1.5
    return (
        f'<svg role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">'
        f'<path d="M2 {base}H{width - 2}" stroke="currentColor" stroke-opacity=".25"/>'
        f'<polyline points="{line}" fill="none" stroke="currentColor" stroke-width="1.5" '
        'stroke-linejoin="round"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="currentColor"/></svg>'
    )
