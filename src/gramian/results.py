"""What fits report: what they cost, how they dropped columns and filled gaps, how stable they are.

Estimators make these objects; there is no need to make one yourself.
"""

from gramian.core.elimination import Selection
from gramian.estimators._path import Path
from gramian.estimators._stability import Stability
from gramian.fitting._cost import Cost
from gramian.fitting._gaps import Gaps

__all__ = ["Cost", "Gaps", "Path", "Selection", "Stability"]
