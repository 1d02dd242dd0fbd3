"""Relations: the laws that tie the columns of a table.

Open `_table_relations.py` first, which holds the function `relations`; then `_law_search.py`.
"""

# `candidates` proposes laws, `judge` accepts or rejects them, and `forms` prints, evaluates and
# stores laws. `candidates/_stages.py` lists the generators of laws among numbers.

from gramian.laws._any_law import AnyLaw, names_units, solutions
from gramian.laws._assert_laws import assert_laws
from gramian.laws._comparison import Comparison, compare
from gramian.laws._cover import computable
from gramian.laws._known_laws import KnownLaws, knowing, known_or_found
from gramian.laws._relation_collection import Relations
from gramian.laws._reproduction import (
    PrintedColumn,
    best_rounding,
    first_missed,
    printed_columns,
    reproducible,
)
from gramian.laws._table_relations import (
    TooFewValuesError,
    clocks_of_table,
    laws_of_mixed,
    relations,
    simple_laws,
)
from gramian.laws.checks import (
    BrokenRow,
    CheckResult,
    Checks,
    Drift,
    LawOutcome,
    SuspectCell,
    load_checks,
)
from gramian.laws.columns import ColumnFacts, Key, Rounding
from gramian.laws.forms import (
    AllowedError,
    Balance,
    ColumnLaw,
    ComposedDate,
    Dependency,
    Equation,
    Extreme,
    Guarded,
    LawCheck,
    LawFormula,
    Lookup,
    Outcome,
    Relation,
    Series,
    SlopeLaw,
    Slopes,
    Solution,
    agreement,
    computed_in_turn,
    law_from_json,
)

__all__ = [
    "AllowedError",
    "Balance",
    "BrokenRow",
    "CheckResult",
    "Checks",
    "ColumnFacts",
    "ColumnLaw",
    "Comparison",
    "ComposedDate",
    "Dependency",
    "Drift",
    "Equation",
    "Extreme",
    "Guarded",
    "Key",
    "LawCheck",
    "LawFormula",
    "LawOutcome",
    "Lookup",
    "Outcome",
    "Relation",
    "Relations",
    "Rounding",
    "Series",
    "SlopeLaw",
    "Slopes",
    "Solution",
    "SuspectCell",
    "assert_laws",
    "compare",
    "load_checks",
    "relations",
]
