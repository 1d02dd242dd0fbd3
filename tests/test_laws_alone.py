"""Laws stand alone: importing them loads no scikit-learn and nothing that fits."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import gramian.laws
for name in sorted(sys.modules):
    print(name)
"""
ABOVE = ("fitting", "estimators", "explanations", "families", "models")


def test_importing_laws_loads_nothing_that_fits():
    loaded = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "gramian.laws" in loaded
    above = ("sklearn", *(f"gramian.{room}" for room in ABOVE))
    assert not [name for name in loaded if name.startswith(above)]
