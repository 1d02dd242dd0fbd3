"""
A closed curve described by one angle
=====================================

A closed curve has one dimension, but no linear feature separates all its points: every projection
maps two points to one value. :class:`gramian.PolynomialManifold` describes a row by the nearest
point of a curve. With sines and cosines of one code, the curve can close.
"""

import matplotlib.pyplot as plt
import numpy as np

from gramian import PolynomialManifold

rng = np.random.default_rng(0)
angle = rng.uniform(-np.pi, np.pi, 600)
rows = np.column_stack([np.cos(angle), 0.8 * np.sin(angle), 0.4 * np.sin(2 * angle)])
rows += 0.04 * rng.standard_normal(rows.shape)

# %%
# Three curves
# ------------
#
# We fit curves with one code and three kinds of functions. A polynomial curve has two ends. It
# bends as far as its degree allows, and leaves a gap.

models = {
    "PCA (degree 1)": PolynomialManifold(1, degree=1),
    "polynomial, degree 4": PolynomialManifold(1, degree=4, n_rounds=10),
    "Fourier, degree 2": PolynomialManifold(1, family="fourier", degree=2),
}
figure = plt.figure(figsize=(10, 3.4), layout="constrained")
for number, (name, model) in enumerate(models.items(), start=1):
    codes = model.fit_transform(rows)[:, 0]
    steps = np.linspace(codes.min(), codes.max(), 400)[:, np.newaxis]
    axes = figure.add_subplot(1, 3, number, projection="3d")
    axes.scatter(*rows.T, c=codes, cmap="twilight", s=6)
    axes.plot(*model.inverse_transform(steps).T, color="C3", lw=2)
    axes.set(xticklabels=[], yticklabels=[], zticklabels=[])
    axes.set_title(
        f"{name}\n{100 * (1 - model.score(rows)):.1f} % of the variance left"
    )
plt.show()

# %%
# The angle
# ---------
#
# The code is the angle, up to its origin and orientation.

figure, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
axes.scatter(angle, models["Fourier, degree 2"].transform(rows), s=6)
axes.set(xlabel="angle", ylabel="code")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Rows off the curve
# ------------------
#
# The distance from the curve identifies rows that do not belong to it. In this example these rows
# lie in the middle of the data, where every column has ordinary values.

strangers = 0.3 * rng.standard_normal((200, 3))
model = models["Fourier, degree 2"]
figure, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
for name, each in (("rows of the curve", rows), ("others", strangers)):
    axes.hist(
        np.sqrt(model.reconstruction_error(each)),
        40,
        label=name,
        alpha=0.7,
        density=True,
    )
axes.set(xlabel="distance from the curve", yticks=[])
axes.legend(frameon=False)
axes.spines[["top", "right", "left"]].set_visible(False)
plt.show()
