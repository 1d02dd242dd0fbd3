"""
Sensor placement: pixels that represent an image
================================================

Sensors are expensive, and many fields are smooth, so that a few measurements at well-chosen places
determine the field. In this example a field is an 8 × 8 image of a handwritten digit, a sensor is a
pixel, and :class:`gramian.GFS` chooses the pixels whose functions explain most of all pixels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from gramian import GFS
from gramian.plots import PixelMapDisplay

X = load_digits().data / 16
train, test = train_test_split(X, random_state=0)

# %%
# Three ways to place sensors
# ---------------------------
#
# All pixels have the same unit, so they are not standardized. The first placement is GFS with
# products of two sensors, the second GFS with linear functions, and the third takes the pixels with
# the largest variance.

N = 16
gfs = GFS(N, alpha="auto").fit(train)
placements = {
    "GFS, degree 2": gfs.selected_features_,
    "GFS, linear": GFS(N, degree=1).fit(train).selected_features_,
    "largest variance": np.argsort(-train.var(axis=0))[:N],
}
figure, axes = plt.subplots(1, 3, figsize=(9, 3.3), layout="constrained")
for ax, (name, pixels) in zip(axes, placements.items(), strict=True):
    display = PixelMapDisplay(pixels, (8, 8), background=train.mean(axis=0))
    display.plot(ax, colorbar=False)
    ax.set_title(name)
plt.show()

# %%
# Reconstructed images
# --------------------
#
# ``inverse_transform`` fills in all pixels. The figure shows the first ten test images, their 16
# measured pixels, and the reconstructed images.

shown = test[:10]
measured = np.full_like(shown, np.nan)
measured[:, gfs.support_] = gfs.transform(shown)
filled = gfs.inverse_transform(gfs.transform(shown))
figure, axes = plt.subplots(3, 10, figsize=(9, 3.1), layout="constrained")
lines = {"image": shown, "sensors": measured, "filled in": filled}
for line, (name, images) in zip(axes, lines.items(), strict=True):
    for ax, image in zip(line, images, strict=True):
        ax.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[], facecolor="#cfe3f0")
    line[0].set_ylabel(name)
plt.show()

# %%
# One decoder for all placements
# ------------------------------
#
# To separate the effect of the places from that of the functions, each placement gets the same two
# decoders: linear regression, and regression with products of two, with shrinkage.


def left(pixels, degree):
    """Return the share of the test images' variance that a decoder leaves."""
    products = PolynomialFeatures(degree, interaction_only=True, include_bias=False)
    decoder = make_pipeline(StandardScaler(), products, RidgeCV(np.logspace(-2, 3, 6)))
    errors = test - decoder.fit(train[:, pixels], train).predict(test[:, pixels])
    return np.sum(errors**2) / np.sum((test - train.mean(axis=0)) ** 2)


numbers = [4, 8, 12, 16, 20]
orders = {
    "GFS, degree 2": GFS(20, alpha="auto").fit(train).selected_features_,
    "GFS, linear": GFS(20, degree=1).fit(train).selected_features_,
    "largest variance": np.argsort(-train.var(axis=0)),
}
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for (name, order), colour in zip(orders.items(), ["C0", "C1", "0.5"], strict=True):
    losses = {degree: [left(order[:n], degree) for n in numbers] for degree in (1, 2)}
    ax.plot(numbers, losses[2], "o-", color=colour, label=name)
    ax.plot(numbers, losses[1], "s:", color=colour)
    linear, products = losses[1][3], losses[2][3]
    print(f"{name}, {N} sensors: {linear:.1%} lost, {products:.1%} with products")
ax.plot([], [], "s:", color="k", label="linear decoder")
ax.set(xlabel="number of sensors", ylabel="share of variance lost")
ax.set_ylim(bottom=0)
ax.yaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
ax.grid(axis="y", color="0.9")
ax.legend(frameon=False)
plt.show()

# %%
# Both placements by GFS are better than the pixels with the largest variance, many of which are
# redundant. The two GFS placements differ little: products of measurements help to reconstruct an
# image, but hardly to choose the places.
