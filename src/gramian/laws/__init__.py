"""Relations: the laws that tie the columns of a table."""

from gramian.explanations import LawFormula
from gramian.laws._collection import Relations
from gramian.laws._dependency import Dependency
from gramian.laws._forms import Equation
from gramian.laws._relation import Relation
from gramian.laws._relations import TooFewValuesError as TooFewValuesError
from gramian.laws._relations import relations
from gramian.laws._slope_law import SlopeLaw
from gramian.laws._solution import Solution
from gramian.lookups import ComposedDate, Key, Lookup, Slopes

__all__ = [
    "ComposedDate",
    "Dependency",
    "Equation",
    "Key",
    "LawFormula",
    "Lookup",
    "Relation",
    "Relations",
    "SlopeLaw",
    "Slopes",
    "Solution",
    "relations",
]
