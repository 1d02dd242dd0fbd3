"""Plots, in scikit-learn's convention for displays.

A display holds what is to be drawn and draws it: ``Display.from_estimator(...)`` makes one and
draws it, `plot` draws it again, perhaps on axes of your own, and the axes and the figure are then
its attributes `ax_` and `figure_`. Matplotlib is needed for drawing, and networkx for the graph of
redundancies: ``pip install "gramian[figures]"``.

Colours are those of Okabe and Ito, or of maps that people with colour blindness can read.
"""

from __future__ import annotations

from gramian.plots._components import ComponentsDisplay
from gramian.plots._parity import ParityDisplay
from gramian.plots._pixel_map import PixelMapDisplay
from gramian.plots._redundancy_graph import RedundancyGraphDisplay
from gramian.plots._residual_variance import ResidualVarianceDisplay
from gramian.plots._selection_order import SelectionOrderDisplay

__all__ = [
    "ComponentsDisplay",
    "ParityDisplay",
    "PixelMapDisplay",
    "RedundancyGraphDisplay",
    "ResidualVarianceDisplay",
    "SelectionOrderDisplay",
]
