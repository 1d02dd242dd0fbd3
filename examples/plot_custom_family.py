"""
Your own functions: the hour of the day
=======================================

The sun's height over the day is a wave, not a parabola. If you know the kind of function that
relates the columns, a family of these functions finds redundancy that polynomials miss, with fewer
functions. :class:`gramian.families.Custom` takes any functions, each with its number of variables.
"""

import matplotlib.pyplot as plt
import numpy as np

from gramian import GFS
from gramian.families import Custom, Fourier

# %%
# A weather station logs the hour, the cloud cover, and four columns that follow from these two: the
# height of the sun in clear sky, radiation, temperature, and wind that rises in the afternoon. All
# columns are measured with errors.

rng = np.random.default_rng(0)
names = ["hour", "cloud", "height", "radiation", "temperature", "wind"]


def log(n):
    """Return n rows of the log, at any time of the day."""
    hour, cloud = rng.uniform(0, 24, n), rng.uniform(0, 1, n)
    angle = 2 * np.pi * hour / 24
    height = 1 - np.cos(angle)
    radiation = height * (1 - 0.8 * cloud)
    temperature = 12 + 3 * np.cos(angle - 3.9) * (1 - 0.7 * cloud)
    wind = 3 + np.cos(angle - 4.4) + 0.3 * np.sin(2 * angle)
    rows = np.column_stack([hour, 10 * cloud, height, radiation, temperature, wind])
    return rows + rng.normal(0, [0, 0.05, 0.02, 0.02, 0.1, 0.05], rows.shape)


train, test = log(600), log(600)

# %%
# A family for daily waves
# ------------------------
#
# The variables of a family have mean 0 and variance 1. Hours that are uniform over the day have a
# standard deviation of 24 / √12, so that the scaled day has length √12. A wave of any phase is the
# sum of a sine and a cosine; clouds multiply it. Functions of two variables get the variables in
# the order of their choice; with ``any_order=True`` they are evaluated in both orders.

FREQUENCY = 2 * np.pi / np.sqrt(12)


def sine(z):
    """Return a wave with one period a day."""
    return np.sin(FREQUENCY * z)


def cosine(z):
    """Return a wave with one period a day, a quarter of a day earlier than `sine`."""
    return np.cos(FREQUENCY * z)


def damped_sine(z, other):
    """Return the wave of `sine` times another variable."""
    return np.sin(FREQUENCY * z) * other


def damped_cosine(z, other):
    """Return the wave of `cosine` times another variable."""
    return np.cos(FREQUENCY * z) * other


daily = Custom(
    [(sine, 1), (cosine, 1), (damped_sine, 2), (damped_cosine, 2)], any_order=True
)

# %%
# Two columns shall represent all six. We measure how well the other four are reconstructed on new
# rows, and with how many functions. The built-in Fourier family has waves of the same length, of
# both variables.

estimators = {
    "linear": GFS(2, degree=1),
    "polynomials, degree 2": GFS(2, family="polynomial", degree=2),
    "polynomials, degree 4": GFS(2, family="polynomial", degree=4),
    "Fourier, degree 2": GFS(2, family=Fourier(2, frequency=FREQUENCY)),
    "daily waves": GFS(2, family=daily),
}
filled, r2 = {}, {}
for name, gfs in estimators.items():
    gfs.fit(train)
    filled[name] = gfs.inverse_transform(gfs.transform(test))
    r2[name] = 1 - np.var(test - filled[name], axis=0) / np.var(test, axis=0)
    kept = " and ".join(names[i] for i in gfs.selected_features_)
    mean = r2[name][~gfs.support_].mean()
    n_functions = gfs.n_functions_.sum()
    print(f"{name:22} {n_functions:3} functions of {kept}: mean R² {mean:.3f}")

# %%
# Column by column, over the day, with R² on new rows:

figure, axes = plt.subplots(2, 2, figsize=(8.4, 5.6), sharex=True, layout="constrained")
hour = test[:, 0]
for ax, column in zip(axes.flat, range(2, 6), strict=True):
    ax.plot(hour, test[:, column], ".", ms=8, color="0.8", label="measured")
    for name, style in [("polynomials, degree 2", "C1."), ("daily waves", "C0.")]:
        label = f"{name}: {r2[name][column]:.2f}"
        ax.plot(hour, filled[name][:, column], style, ms=3, label=label)
    ax.set(title=names[column], xticks=range(0, 25, 6))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small", markerscale=2, handletextpad=0.1)
for ax in axes[1]:
    ax.set_xlabel("hour")
plt.show()

# %%
# The wind has a second wave, of half a day, that this family does not contain. A fit explains only
# functions of the family; the residual of a column shows what is missing.
