"""
A circle is one angle
=====================

A closed curve has one dimension, and no linear feature can tell its points apart: whichever way it
is projected, two points fall on each other. :class:`gramian.PolynomialManifold` describes a row by
the nearest point of a curve. With sines and cosines of one code for its columns, the curve closes.
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
# The same number of codes, one, with three kinds of functions. A polynomial has two ends. It bends
# around as far as its degree lets it, and leaves a gap.

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
# The code is the angle, up to where it begins and which way round it goes.

figure, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
axes.scatter(angle, models["Fourier, degree 2"].transform(rows), s=6)
axes.set(xlabel="angle", ylabel="code")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Rows off the curve
# ------------------
#
# The distance from the curve tells rows that do not belong to it. Here all of them lie in the
# middle of the data, where every column has ordinary values.

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
