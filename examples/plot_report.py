"""
A page about a fit
==================

``gramian.report`` writes what a fit has to say into one HTML file that opens anywhere, without a
network: which columns to keep, which to drop and by which formula, how much is left, and what to
be careful about. The file is for people who will not run Python. The command ``gramian report``
writes such a page about a file of data.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gramian import GFA, report
from gramian.plots import ResidualVarianceDisplay, SelectionOrderDisplay

# %%
# The log of an electric drive: five columns are measured, and three were computed from them when
# the log was written. All readings have errors of 0.3 %.

rng = np.random.default_rng(0)
low, high = [100, 1, 0, 0.5, 2], [400, 60, 40, 8, 9]
measured = ["voltage", "current", "temperature", "hours", "vibration"]
log = pd.DataFrame(rng.uniform(low, high, (800, 5)), columns=measured)
log["power"] = log.voltage * log.current / 1000
log["energy"] = log.power * log.hours / 50
log["heat"] = 0.002 * log.current**2 + 0.01 * log.temperature
log *= 1 + 0.003 * rng.standard_normal(log.shape)

gfa = GFA(threshold=0.01, family="polynomial", degree=3, priority=measured).fit(log)
print(gfa.explain(log))

# %%
# The page
# --------
#
# One line writes it.

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "drive.html"
page = report(gfa, log, path, title="Log of an electric drive")
print(f"{page.stat().st_size / 1e6:.1f} MB, most of it the script for the charts")

# %%
# Here is its beginning as a browser shows it. Where these lines find no browser, they draw two of
# its charts with Matplotlib.


def photograph(page, browser):
    """Return a picture of the top of a page."""
    picture = page.with_suffix(".png")
    command = [browser, "--headless", "--no-sandbox", "--hide-scrollbars"]
    command += ["--window-size=1000,1250", f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return plt.imread(picture)


browser = shutil.which("chromium") or shutil.which("google-chrome")
if browser:
    figure = plt.figure(figsize=(8, 10))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.imshow(photograph(page, browser))
    ax.axis("off")
else:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    ResidualVarianceDisplay.from_estimator(gfa, log, ax=axes[0])
    SelectionOrderDisplay.from_estimator(gfa, ax=axes[1])
plt.show()
folder.cleanup()
