"""Feature extraction and selection that see nonlinear redundancy."""

from gramian import exceptions, families
from gramian._gca import GCA
from gramian._gfa import GFA
from gramian._gfr import GFR
from gramian._gfs import GFS
from gramian._uffs import UFFS

__version__ = "0.1.0.dev0"
__all__ = ["GCA", "GFA", "GFR", "GFS", "UFFS", "exceptions", "families"]
