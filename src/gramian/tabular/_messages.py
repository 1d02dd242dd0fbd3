"""Error messages and cautions about tables, for Python and for the command line.

A message is a template. Option names in it are written as Python arguments or as command options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Spelling = Callable[[str, str], str]
"""Function that writes an option and its value as text: from ("degree", "3") to "degree=3" for
Python, or to "--degree 3" for the command."""
OPTIONS = (
    *("algorithm", "alpha", "backward", "columns", "criterion", "decimal", "degree", "directions"),
    *(
        "encode",
        "exceptions",
        "exclude",
        "family",
        "given",
        "groups",
        "header",
        "id",
        "keep",
        "n",
        "prefer",
        "prove",
        "relative",
    ),
    *("target", "threshold", "validation", "delimiter", "impute", "laws", "memory_budget"),
    *("random_state", "standardize", "time_limit", "verbose"),
)
"""Names of the options that can occur in templates of messages."""
FUNCTIONS = ("relations", "select")
"""Names of the public functions that can occur in templates of messages; each is also a command."""
ANY = "..."
"""Value of an option in a template if the user has to choose the value."""
CautionKind = Literal[
    "saturated",
    "overfitted",
    "ill-conditioned",
    "header",
    "numbers as text",
    "1,234",
    "stray",
    "text of numbers",
    "needless",
    "exceptions",
    "lost",
    "trimmed",
    "time limit",
]
"""Kinds of cautions; `TableCaution` explains them."""


def in_python(option: str, value: str) -> str:
    """Return an option as a Python keyword argument, such as "degree=3".

    Parameters
    ----------
    option : str
        Name of an option, or of a public function, which becomes "gramian.select".
    value : str
        Value of the option, or `ANY`; an empty text returns the name alone.
    """
    if option in FUNCTIONS:
        return f"gramian.{option}"
    if not value:
        return option
    if value == ANY:
        return f"{option}=[...]"
    plain = value in ("True", "False") or value.replace(".", "").isdigit() or value[0] in "'\""
    return f"{option}={value if plain else repr(value)}"


def worded(template: str, facts: Mapping[str, Any], spelling: Spelling = in_python) -> str:
    """Return the text of a message: the template with facts and options filled in.

    Parameters
    ----------
    template : str
        Text with the names of facts and options in braces; the value of an option follows a
        colon, as in ``{degree:3}``.
    facts : mapping from str to object
        Values of the facts, by name.
    spelling : callable
        Function that writes an option and its value as text.
    """
    options = {name: _Option(name, spelling) for name in (*OPTIONS, *FUNCTIONS)}
    return template.format(**options, **facts)


@dataclass(frozen=True)
class _Option:
    """An option in a template: `str.format` calls its `__format__` with the option's value."""

    name: str
    spelling: Spelling

    def __format__(self, value: str) -> str:
        return self.spelling(self.name, value)


class RefusalError(ValueError):
    """Error: a table or an option cannot be used.

    Parameters
    ----------
    template : str
        Template of the message, as in `worded`, without a full stop at the end.
    **facts
        Values of the facts that the template names.
    """

    def __init__(self, template: str, **facts: Any) -> None:
        self.template = template
        self.facts = facts
        text = worded(template, facts).removesuffix(".")
        first = text.partition(" ")[0]
        plain = first.isalpha() and first not in OPTIONS  # not the name of a file or an option
        super().__init__(f"{text[0].upper() if plain else text[0]}{text[1:]}.")

    def worded(self, spelling: Spelling) -> str:
        """Return the message with its options written by `spelling`.

        Parameters
        ----------
        spelling : callable
            Function that writes an option and its value as text.
        """
        return worded(self.template, self.facts, spelling)


class UnusableTableError(RefusalError):
    """Error: a table cannot be used, or a model cannot be applied to it."""


class OptionError(RefusalError):
    """Error: options contradict each other, or name columns that the table does not have."""


CAUTIONS: Mapping[CautionKind, str] = {
    "saturated": "after {n_steps} steps the functions span all {n_rows} rows, so that nothing is "
    "left, whatever the data",
    "overfitted": "{n_functions:.0f} functions were fitted to {n_rows} rows: residual variances on "
    "the same rows are far too small",
    "ill-conditioned": "the functions are close to linearly dependent, and residual variances may "
    "be off by a relative {loss:.0e}",
    "header": "the first row of {table} was taken for names: if it holds numbers like the others, "
    "say {header:False}",
    "numbers as text": "column {column!r} holds numbers except {words}, and is still encoded as "
    "{n_categories:,} categories",
    "1,234": "column {column!r} is read as text, because it is not clear whether {examples}: say "
    "{decimal}",
    "stray": "{n_numbers:,} of {n_cells:,} cells of {column!r} are numbers; row {row}, counted "
    "from 0, is {cell!r}: the column is treated as text",
    "text of numbers": "all {n_cells:,} cells of {column!r} are text with a number: the column is "
    "treated as text",
    "needless": "{law}, and is kept only because a selection needs a column of numbers or dates",
    "exceptions": "{column} would follow from {law} but for {n_exceptions:,} of {n_rows:,} rows, "
    "and is kept unless {exceptions:{share}} allows such rows",
    "lost": "{column} is {law} but for {n_exceptions:,} of {n_rows:,} rows, whose cells do not "
    "come back",
    "trimmed": "{n_trimmed:,} of {n_rows:,} rows lie far from the others, would decide the fit, "
    "and took no part in it: among them {rows}, counted from 0",
    "time limit": "the time limit stopped the search for laws: there may be more",
}
"""Template of the message for each kind of caution."""


@dataclass(frozen=True)
class TableCaution:
    """A fact about a selection that may make its result misleading.

    Attributes
    ----------
    kind : str
        "saturated": the functions can fit any values in so few rows, so that every residual is
        zero. "overfitted": there are more functions than half the number of rows.
        "ill-conditioned": rounding errors may be visible in residual variances. "header": the
        first row of a text file was read as names of columns, but all these names are numbers.
        "numbers as text": most categories of an encoded text column are numbers. "1,234": a text
        column may be numbers with separated thousands, or numbers with a decimal comma.
        "stray": nearly all cells of a text column are numbers. "text of numbers": all are, in a
        table that is no text file. "needless": a column follows from text, but no other column of
        numbers is left. "exceptions": a law would compute a kept column, except in some rows.
        "lost": a law computes a dropped column, except in some rows, as the user allows.
        "trimmed": rows far from the others, probably with wrong cells, took no part in the fit.
        "time limit": the search for laws was stopped, and more columns may follow from others.
    facts : mapping from str to object
        Numbers and names for the message; their keys depend on `kind`.
    remedy : str
        Advice for the user; empty if there is none. Parameters of :func:`gramian.select` are in
        braces.

    Examples
    --------
    >>> from gramian.tabular import TableCaution
    >>> facts = {"n_functions": 70, "n_rows": 100}
    >>> print(TableCaution("overfitted", facts, "Use a lower {degree}"))
    70 functions were fitted to 100 rows: residual variances on the same rows are far too small.
    Use a lower degree.
    """

    kind: CautionKind
    facts: Mapping[str, Any] = field(default_factory=dict)
    remedy: str = ""

    def worded(self, spelling: Spelling) -> str:
        """Return the message of the caution and its remedy, without a full stop at the end.

        Parameters
        ----------
        spelling : callable
            Function that writes an option and its value as text.
        """
        parts = [CAUTIONS[self.kind], *([self.remedy] if self.remedy else [])]
        return worded(". ".join(parts), self.facts, spelling)

    def __str__(self) -> str:
        return f"{self.worded(in_python)}."
