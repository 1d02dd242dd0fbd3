"""Load by other processes, which makes measured times unreliable. Linux only."""

from __future__ import annotations

import os
import time
from pathlib import Path

STAT = Path("/proc/stat")
SHARE = 0.1
"""Largest share of one processor that other processes may use."""
PATIENCE = float(os.environ.get("GRAMIAN_PATIENCE", "90"))
"""Seconds after which a measurement starts in any case."""


def others() -> float:
    """Return the seconds that processors have spent on other processes."""
    if not STAT.exists():
        return 0.0
    user, nice, system, _, _, irq, softirq, steal = map(
        int, STAT.read_text(encoding="utf-8").split()[1:9]
    )
    busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return busy - time.process_time()


def wait() -> None:
    """Return once other processes are quiet for a second, or after `PATIENCE` seconds."""
    end = time.monotonic() + PATIENCE
    in_a_row = 0
    while in_a_row < 2 and time.monotonic() < end:
        before = others()
        time.sleep(0.5)
        in_a_row = in_a_row + 1 if others() - before <= 0.04 + SHARE / 2 else 0
