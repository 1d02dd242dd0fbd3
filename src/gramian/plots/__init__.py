"""Plots, in scikit-learn's convention for displays.

A display is an object that stores the data of a plot and draws them. The class method
``from_estimator`` makes a display and draws it; the method `plot` draws it again, on new axes or on
the axes `ax`. The attributes `ax_` and `figure_` are the axes and the figure that were drawn on.
Displays need Matplotlib: ``pip install "gramian[figures]"``.

Colours are those of Okabe and Ito, or colour maps that people with colour blindness can read.
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
