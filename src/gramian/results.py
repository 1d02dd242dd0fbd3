"""What fits report: what they cost, how they dropped columns and filled gaps, how stable they are.

Estimators make these objects; there is no need to make one yourself.
"""

from gramian._cost import Cost
from gramian._missing import Gaps
from gramian._path import Path
from gramian._stability import Stability
from gramian.elimination import Selection

__all__ = ["Cost", "Gaps", "Path", "Selection", "Stability"]
