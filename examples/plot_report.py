"""
A page about a fit
==================

``gramian.report`` writes the results of a fit into one HTML file that needs no network: the columns
to keep, the columns to drop with their formulas, the residual variance, and cautions. The file is
for people who do not use Python. The command ``gramian report DATA -a gfa`` writes such a page for
a data file. Without ``-a`` the page is about the table and its laws.
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
# The data are the log of an electric drive: five columns are measured, and three were computed from
# them when the log was written. All readings have errors of 0.3 %.

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
# One line writes the page.

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "drive.html"
page = report(gfa, log, path, title="Log of an electric drive")
print(f"{page.stat().st_size / 1e6:.1f} MB, most of it the script for the charts")

# %%
# The figure shows the beginning of the page in a browser. Without a browser, this code draws two of
# the charts with Matplotlib.


def photograph(page, browser):
    """Return an image of the top of a page."""
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
