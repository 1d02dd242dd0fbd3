"""The pursuit: the one loop of all algorithms, its choosers, and its decoder.

Open `_pursuit.py` first, which holds the loop.
"""

from gramian.core._tolerances import TIE
from gramian.core.pursuit._choosers import (
    Chooser,
    GivenDirections,
    GivenOrder,
    LargestOriginal,
    LargestResidual,
    TopEigenvector,
)
from gramian.core.pursuit._decoder import BLOCK_BYTES, MAX_MOMENTS, Decoder, make_decoder
from gramian.core.pursuit._eigen import orient
from gramian.core.pursuit._pursuit import Limits, StopReason, Trace, joined_traces, pursue
from gramian.core.pursuit._reach import Reach, watched_columns
from gramian.core.pursuit._validation import (
    HeldOut,
    equals,
    largest_of_columns,
    largest_of_directions,
    least,
)
