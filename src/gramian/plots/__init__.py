"""Plots, in scikit-learn's convention for displays.

A display holds data and draws them. ``Display.from_estimator(...)`` makes a display and draws it;
`plot` draws it again, on new axes or on given axes. The attributes `ax_` and `figure_` are the axes
and the figure. Displays need Matplotlib: ``pip install "gramian[figures]"``.

People with colour blindness can read the colours (Okabe and Ito) and colour maps. Each display has
a file; open `_residual_variance.py` first.
"""

from __future__ import annotations

from gramian.plots._components import ComponentsDisplay
from gramian.plots._parity import ParityDisplay
from gramian.plots._pixel_map import PixelMapDisplay
from gramian.plots._residual_variance import ResidualVarianceDisplay
from gramian.plots._selection_order import SelectionOrderDisplay

__all__ = [
    "ComponentsDisplay",
    "ParityDisplay",
    "PixelMapDisplay",
    "ResidualVarianceDisplay",
    "SelectionOrderDisplay",
]
