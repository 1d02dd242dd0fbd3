"""Blocks of a page besides text: tables of comparisons, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Verdict: TypeAlias = Literal["reproduced", "bettered", "missed", "not run"]
ROUNDING = 1e-9
"""Largest difference of equal decimal numbers by their binary representation."""


@dataclass(frozen=True)
class Entry:
    """A number of ours, and the published one where there is any.

    Parameters
    ----------
    ours : float or None
        Our number; None where it could not be computed.
    paper : float or None
        The published number.
    noise : float
        The published number is reproduced when ours differs by no more than this.
    better : {"higher", "lower"} or None
        Which numbers are better; None where any difference beyond the noise is a miss.
    reason : str
        The key of the experiment's reason if the number is missed or not run.

    Examples
    --------
    >>> from gramian_paper.experiments import Entry
    >>> Entry(97.05, 97.02, noise=0.2, better="higher").verdict
    'reproduced'
    >>> Entry(23, 36, better="lower").verdict
    'bettered'
    """

    ours: float | None
    paper: float | None = None
    noise: float = 0.0
    better: Literal["higher", "lower"] | None = None
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Our number minus the paper's; None if either is unknown."""
        return None if self.ours is None or self.paper is None else self.ours - self.paper

    @property
    def verdict(self) -> Verdict | None:
        """Verdict on the published number; None if there is none."""
        if self.paper is None:
            return None
        difference = self.difference
        if difference is None:
            return "not run"
        if abs(difference) <= self.noise + ROUNDING:
            return "reproduced"
        return "bettered" if self.better == ("higher" if difference > 0 else "lower") else "missed"


@dataclass(frozen=True)
class Table:
    """A table of numbers.

    Parameters
    ----------
    title : str
        What is above the table.
    corner : str
        The heading of the column of row names.
    columns : sequence of str
        The headings of the other columns.
    rows : mapping of str to sequence of Entry or None
        The entries of every row, one a column; None leaves a gap.
    source : str
        The label of the table in the paper; empty for what is beyond it.
    digits : int
        Decimals shown.

    Examples
    --------
    >>> from gramian_paper.experiments import Entry, Table
    >>> table = Table("Features selected", "data", ["ε = 0.1"], {"USPS": [Entry(61, paper=61)]})
    >>> table.rows["USPS"][0].verdict
    'reproduced'
    """

    title: str
    corner: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[Entry | None]]
    source: str = ""
    digits: int = 0

    def __post_init__(self) -> None:
        for name, entries in self.rows.items():
            if len(entries) != len(self.columns):
                raise ValueError(
                    f"{self.title}: the row {name!r} has {len(entries)} entries for "
                    f"{len(self.columns)} columns"
                )


@dataclass(frozen=True)
class Picture:
    """A figure, drawn when its file is written.

    Parameters
    ----------
    name : str
        Completes the file's name: ``images/EXPERIMENT-NAME.svg``.
    caption : str
        Says in words what is to be seen; also the alternative text.
    draw : callable
        ``draw(figure)`` draws on an empty matplotlib figure with constrained layout.
    size : (float, float)
        Width and height in inches.

    Examples
    --------
    >>> from gramian_paper.experiments import Picture
    >>> def draw(figure):
    ...     figure.subplots().plot([0, 1], [0, 1])
    >>> Picture("line", "A straight line.", draw).size
    (7.0, 3.5)
    """

    name: str
    caption: str
    draw: Callable[[Figure], None]
    size: tuple[float, float] = (7.0, 3.5)


Block: TypeAlias = str | Table | Picture
