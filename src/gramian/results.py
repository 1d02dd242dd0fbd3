"""What fits report: what they cost, how they dropped columns and filled gaps, how stable they are.

Estimators make these objects; there is no need to make one yourself.
"""

from gramian.core.elimination import Selection
from gramian.estimators import Path, Stability
from gramian.fitting import Cost, Gaps

__all__ = ["Cost", "Gaps", "Path", "Selection", "Stability"]
