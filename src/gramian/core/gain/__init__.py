"""Sets of columns that explain most of all columns: gains, exchanges, the best set of each size.

Open `_beam.py` first, whose `search` runs the searches; `_column_search.py` holds one search.
"""

from gramian.core.gain._beam import search
from gramian.core.gain._best_sets import BestSets, GainRequest
from gramian.core.gain._candidates import KEPT_BYTES
