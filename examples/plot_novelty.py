"""
Rows that break a relation
==========================

A motor's power is voltage times current, and its winding is warmer than the air by an amount that
grows with the square of the current. If a meter drifts, each of its values is still ordinary, but
does not fit the other columns. :class:`gramian.GFR` learns from good rows how columns follow from
each other, and ``reconstruction_error`` is large for rows that break these relations.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.preprocessing import StandardScaler

from gramian import GFR

rng = np.random.default_rng(0)


def measure(n, drift=1.0, hot=0.0):
    """Return n rows of a motor's log, with a drifting power meter or on hot days."""
    voltage = rng.normal(230, 8, n)
    current = rng.uniform(2, 30, n)
    air = rng.normal(20, 5, n) + hot
    power = drift * voltage * current / 1000
    winding = air + 0.05 * current**2
    rows = np.column_stack([voltage, current, air, power, winding])
    return rows + rng.normal(0, [0.5, 0.05, 0.2, 0.02, 0.3], rows.shape)


train = measure(1000)
scaler = StandardScaler().fit(train)

# %%
# Four detectors are fitted to good rows only. Three numbers determine a row, so PCA and GFR keep
# three directions; GFR reconstructs the columns by polynomials of degree 2.

X = scaler.transform(train)
gfr = GFR(3, family="polynomial", degree=2).fit(X)
pca = PCA(3).fit(X)
forest = IsolationForest(random_state=0).fit(X)


def pca_error(rows):
    """Return the squared error of the reconstruction by PCA."""
    return ((rows - pca.inverse_transform(pca.transform(rows))) ** 2).sum(axis=1)


detectors = {
    "GFR": gfr.reconstruction_error,
    "PCA": pca_error,
    "isolation forest": lambda rows: -forest.score_samples(rows),
    "largest |z|": lambda rows: np.abs(rows).max(axis=1),
}

# %%
# Two kinds of novelty
# --------------------
#
# The test rows are 1,000 good rows and 200 rows of a new kind. In the first test, the power meter
# reads 4 % too little. In the second test, the meters are correct, but the air is 12 degrees
# hotter.

good = measure(1000)
kinds = {
    "power meter 4 % low": measure(200, drift=0.96),
    "hot days": measure(200, hot=12.0),
}
is_new = np.r_[np.zeros(1000), np.ones(200)]

figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), sharey=True, layout="constrained")
for ax, (kind, new) in zip(axes, kinds.items(), strict=True):
    rows = scaler.transform(np.vstack([good, new]))
    for (name, detector), style in zip(
        detectors.items(), ["-", "--", "-.", ":"], strict=True
    ):
        scores = detector(rows)
        label = f"{name}, area {roc_auc_score(is_new, scores):.2f}"
        ax.plot(*roc_curve(is_new, scores)[:2], ls=style, lw=2, label=label)
    ax.plot([0, 1], [0, 1], color="0.8", lw=1, zorder=0)
    ax.set(title=kind, xlabel="share of good rows flagged")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small", loc="lower right")
axes[0].set_ylabel("share of new rows flagged")
plt.show()

# %%
# The reconstruction error does not measure how unusual a row is. It finds rows that break the
# relations between columns, even if their values are ordinary, and it does not find rows that are
# unusual but consistent, which two of the other detectors find.
#
# Smallest drift that is found
# ----------------------------

drifts = np.array([0.5, 1, 2, 3, 4, 6, 8, 10]) / 100
areas = {name: [] for name in detectors}
for drift in drifts:
    rows = scaler.transform(np.vstack([good, measure(200, drift=1 - drift)]))
    for name, detector in detectors.items():
        areas[name].append(roc_auc_score(is_new, detector(rows)))

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for (name, each), marker in zip(areas.items(), "os^D", strict=True):
    ax.plot(drifts, each, marker=marker, label=name)
ax.set(xlabel="drift of the power meter", ylabel="area under the ROC curve")
ax.xaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
ax.grid(axis="y", color="0.9")
ax.legend(frameon=False)
plt.show()
# sphinx_gallery_thumbnail_number = 2
