"""Forms of laws: laws among numbers, lookups, slopes and dates, and how they are stored as JSON.

Open `_column_law.py` first, the base class of all forms, then `_law.py`.
"""

from gramian.laws.forms._allowed_error import NO_ERROR, SAME_NUMBER, AllowedError
from gramian.laws.forms._balance import Balance
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._composed_date import ComposedDate
from gramian.laws.forms._computation import computed_in_turn
from gramian.laws.forms._dependency import Dependency
from gramian.laws.forms._extreme import Extreme
from gramian.laws.forms._guarded import Guarded
from gramian.laws.forms._law import (
    ONE,
    Law,
    Monomial,
    Values,
    Variable,
    columns_of,
    comparison,
    multiplied,
    plain_power,
)
from gramian.laws.forms._law_check import LawCheck, Outcome, is_missing
from gramian.laws.forms._law_documents import agreement, law_from_json
from gramian.laws.forms._law_formula import LawFormula
from gramian.laws.forms._law_terms import PlainFunction, RawTerm, terms_of
from gramian.laws.forms._law_writer import (
    COEFFICIENT_DIGITS,
    ROUND_DIGITS,
    Equation,
    LawWriter,
    as_written,
    has_common_factor,
    is_round,
    reference_term,
)
from gramian.laws.forms._lookup import Lookup
from gramian.laws.forms._relation import Relation, in_order, kind_of
from gramian.laws.forms._rounded_result import rounding_of_result
from gramian.laws.forms._series import Series, SeriesKind, computed_series
from gramian.laws.forms._slope_law import LevelLaw, SlopeLaw
from gramian.laws.forms._slopes import Slopes
from gramian.laws.forms._solution import Solution
