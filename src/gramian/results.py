"""Results that estimators return or keep: costs, gaps, eliminations, paths and stability.

Estimators make these objects; users only read them.
"""

from gramian.core.elimination import Selection
from gramian.estimators import Path, Stability
from gramian.fitting import Cost, Gaps

__all__ = ["Cost", "Gaps", "Path", "Selection", "Stability"]
