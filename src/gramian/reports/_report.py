"""Public function `report`: it writes the page about a table, or the page about a fit."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from gramian._support.extras import require
from gramian._support.time_limit import time_limited
from gramian._support.writing import check_target
from gramian.estimators import UFFS, Estimator
from gramian.laws import Comparison
from gramian.models import Preprocessing
from gramian.reports.fit_page import write_fit_page
from gramian.reports.table_page import PageWishes, page_format, write_table_page
from gramian.tabular import as_table

Names = str | Iterable[str] | None


def report(
    subject: Any,
    X: Any = None,
    path: str | os.PathLike[str] = "report.html",
    *,
    format: Literal["html", "md", "json"] | None = None,
    title: str | None = None,
    command: str | None = None,
    against: Any = None,
    keep: Names = None,
    columns: Names = None,
    exclude: Names = None,
    groups: Any = None,
    delimiter: str | None = None,
    header: bool = True,
    decimal: Literal[".", ","] | None = None,
    preprocessing: Preprocessing | None = None,
    image_shape: tuple[int, int] | None = None,
    comparison: Comparison | None = None,
    time_limit: float | None = None,
) -> Path:
    """Write a page about a table: its laws, the rows that break them, the columns that can go.

    With a fitted estimator as `subject`, the page is about the fit: the columns to keep, formulas
    of the columns to drop, and cautions. Either page is one file that loads no other files.

    Parameters
    ----------
    subject : data frame, Arrow table, mapping of columns, array, path, or fitted estimator
        The table; or a fitted GFR, GCA, GFS, GFA, UFFS or PolynomialManifold.
    X : array-like of shape (n_samples, n_features), files or a Dask collection, optional
        For an estimator: the rows of the fit, or similar rows. From files and Dask collections, and
        for slow computations, 20,000 rows are drawn at random with a fixed seed.
    path : path, default="report.html"
        The file to write. An existing file is replaced only when the new page is complete.
    format : {"html", "md", "json"}, optional
        For a table: the format of the page. By default the ending of `path` tells it, and other
        endings are HTML.
    title : str, optional
        The title of the page.
    command : str, optional
        The shell command that made the page; the page shows it, so that readers can repeat it.
    against : table, optional
        For a table: an older table, whose laws are compared with those of this one.
    keep : str or iterable of str, optional
        For a table: columns that are never among those that can go. In all options, columns are
        names or patterns such as ``"pixel*"``.
    columns, exclude : str or iterable of str, optional
        For a table: columns to use (by default all), and columns to leave out.
    groups : str or array-like of shape (n_rows,), optional
        For a table: the parameter of `gramian.relations`.
    delimiter : str, optional
        For a table: character that separates the values in a text file.
    header : bool, default=True
        For a table: True if the first line of a text file has the names of the columns.
    decimal : {".", ","}, optional
        For a table: sign before the fraction of numbers in a text file.
    preprocessing : Preprocessing, optional
        For an estimator: steps that turn a table into the numbers that the estimator takes. X is
        then a table with column names, or a function that returns the pieces of such a table as
        PyArrow tables.
    image_shape : pair of int, optional
        For an estimator: height and width of images, if the columns are pixels, row by row. Columns
        with names such as pixel_0_0 or pixel1 are recognized as pixels without this parameter.
    comparison : Comparison, optional
        For an estimator: the table compared with an older one by `gramian.laws.compare`.
    time_limit : float, optional
        Seconds after which no more laws and formulas are searched: the page shows those that were
        found.

    Returns
    -------
    path : Path
        The path of the written file.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> table["gross"][7] += 10
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = gramian.report(table, path=os.path.join(folder, "report.md"))
    ...     print(page.read_text(encoding="utf-8").splitlines()[8])
    1 of 200 rows breaks a law.
    """
    check_target(path)
    of_table = {
        "format": format, "against": against, "keep": keep, "columns": columns, "exclude": exclude,
        "groups": groups, "delimiter": delimiter, "decimal": decimal,
    }  # fmt: skip
    if not isinstance(subject, Estimator | UFFS):
        if X is not None:
            raise TypeError(
                "A report about rows X is about a fitted GFR, GCA, GFS, GFA, UFFS or "
                f"PolynomialManifold; got {type(subject).__name__}. In a report about a table, "
                "path= names the file to write."
            )
        given = {name: value for name, value in of_table.items() if value is not None}
        if not header:
            given["header"] = False
        with time_limited(time_limit):
            return _of_table(subject, path, given, title, command)
    unused = [name for name, value in of_table.items() if value is not None]
    if unused:
        raise TypeError(f"{unused[0]}= is for a report about a table, and this is about a fit.")
    if X is None:
        raise TypeError("A report about a fit needs the rows of the fit: report(estimator, X).")
    with time_limited(time_limit):
        return write_fit_page(
            subject,
            X,
            path,
            preprocessing=preprocessing,
            title=title,
            command=command,
            image_shape=image_shape,
            comparison=comparison,
        )


def _of_table(
    subject: Any,
    path: str | os.PathLike[str],
    given: dict[str, Any],
    title: str | None,
    command: str | None,
) -> Path:
    """Write the page about a table; `given` are the options of the user for it."""
    require("pyarrow", "A report about a table")
    format = page_format(path, given.get("format"))
    files = _files(subject)
    _refuse_inputs(path, [*files, *_files(given.get("against"))])
    reading = {name: given[name] for name in ("delimiter", "header", "decimal") if name in given}
    against = given.get("against")
    shown = {name: value for name, value in given.items() if name not in ("format", "against")}
    if title is not None:
        shown["title"] = title
    write_table_page(
        as_table(subject, **reading),
        path,
        format,
        PageWishes(*(given.get(name) for name in ("columns", "exclude", "keep", "groups"))),
        older=None if against is None else as_table(against, **reading),
        title=title,
        command=command,
        source=files[0] if len(files) == 1 else files or None,
        options=shown,
    )
    return Path(path)


def _files(subject: Any) -> list[str]:
    """Return the paths of a table in files; none for a table in memory."""
    given = subject if isinstance(subject, list | tuple) else [subject]
    if all(isinstance(each, str | os.PathLike) for each in given):
        return [os.fspath(each) for each in given]
    return []


def _refuse_inputs(path: str | os.PathLike[str], files: list[str]) -> None:
    """Raise ValueError if the page would be written over a file that is read."""
    if os.path.realpath(path) in map(os.path.realpath, files):
        raise ValueError(f"{os.fspath(path)} is the table itself: name another file with path=.")
