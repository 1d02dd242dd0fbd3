"""Messages about a table: facts, and options that Python and the command spell differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Spelling = Callable[[str, str], str]
"""Writes an option with its value: from ("degree", "3") to "degree=3" or "--degree 3"."""
OPTIONS = (
    *("algorithm", "alpha", "backward", "columns", "criterion", "degree", "directions", "encode"),
    *("exclude", "family", "given", "header", "id", "keep", "n", "prefer", "prove", "relative"),
    *("target", "threshold", "validation"),
)
"""Options that messages name."""
FUNCTIONS = ("relations", "select")
"""Public functions that messages name; each is also a command."""
ANY = "..."
"""The value of an option in a message that does not say which value to give."""
CautionKind = Literal["saturated", "overfitted", "ill-conditioned", "header", "numbers as text"]


def in_python(option: str, value: str) -> str:
    """Write an option as a keyword argument.

    Parameters
    ----------
    option : str
        The name of the option, or of a function.
    value : str
        The value, ANY, or an empty text for the name alone.
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
    """Fill in a template.

    Parameters
    ----------
    template : str
        A text with the names of facts and options in braces; the value of an option stands
        behind a colon, as in ``{degree:3}``.
    facts : mapping from str to object
        The facts.
    spelling : callable
        Writes an option.
    """
    options = {name: _Option(name, spelling) for name in (*OPTIONS, *FUNCTIONS)}
    return template.format(**options, **facts)


@dataclass(frozen=True)
class _Option:
    """An option that `str.format` writes with its value."""

    name: str
    spelling: Spelling

    def __format__(self, value: str) -> str:
        return self.spelling(self.name, value)


class RefusalError(ValueError):
    """A table or an option that cannot be used.

    Parameters
    ----------
    template : str
        The message, as `worded` takes it, without a full stop.
    **facts
        The facts that the template names.
    """

    def __init__(self, template: str, **facts: Any) -> None:
        self.template = template
        self.facts = facts
        text = worded(template, facts).removesuffix(".")
        first = text.partition(" ")[0]
        plain = first.isalpha() and first not in OPTIONS  # not the name of a file or an option
        super().__init__(f"{text[0].upper() if plain else text[0]}{text[1:]}.")

    def worded(self, spelling: Spelling) -> str:
        """Return the message with options spelled in another way.

        Parameters
        ----------
        spelling : callable
            Writes an option.
        """
        return worded(self.template, self.facts, spelling)


class UnusableTableError(RefusalError):
    """A table, or a model for this table, that cannot be used."""


class OptionError(RefusalError):
    """Options that contradict each other, or name what the table does not have."""


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
}
"""What each kind of caution says."""


@dataclass(frozen=True)
class TableCaution:
    """A fact about a selection that may make its result misleading.

    Attributes
    ----------
    kind : {"saturated", "overfitted", "ill-conditioned", "header", "numbers as text"}
        "saturated": the functions span all rows, and every residual is zero. "overfitted": the
        functions number more than half of the rows. "ill-conditioned": rounding errors may show
        in residual variances. "header": the first row of a text file was taken for names of
        columns, and all of these names are numbers. "numbers as text": a column has few cells
        that are no numbers, and all its cells were encoded as categories.
    facts : mapping from str to object
        The numbers and names that belong to the kind.
    remedy : str
        The remedy, empty if there is none; parameters of :func:`gramian.select` are in braces.

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
        """Return the caution in words, without a full stop.

        Parameters
        ----------
        spelling : callable
            Writes an option, given its name and value.
        """
        parts = [CAUTIONS[self.kind], *([self.remedy] if self.remedy else [])]
        return worded(". ".join(parts), self.facts, spelling)

    def __str__(self) -> str:
        return f"{self.worded(in_python)}."
