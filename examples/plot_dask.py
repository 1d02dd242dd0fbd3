"""
Dask arrays and data frames
===========================

``fit`` takes a Dask array or data frame. Every step is a sum over the partitions, computed where
the partitions are: in threads, as in this example, or on the workers of a cluster, with the same
code. The result of ``transform`` is lazy, too.
"""

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from gramian import GFR

# %%
# The table has half a million rows, which are computed only on demand: three variables, the product
# of the first two, and the square of the third, rotated into ten columns with a little noise.

rng = da.random.default_rng(0)
z = rng.uniform(-1, 1, (500_000, 3), chunks=(50_000, 3))
relations = da.stack([3 * z[:, 0] * z[:, 1], 2 * z[:, 2] ** 2], axis=1)
variables = da.concatenate([z * np.array([3.0, 2.5, 2.0]), relations], axis=1)
rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((10, 10)))[0]
X = variables.rechunk({1: -1}) @ rotation[:5]
X = X + 0.05 * rng.standard_normal(X.shape, chunks=X.chunks)
X

# %%
# The fit reads all partitions once at the start, and once for every direction.

gfr = GFR(3, family="polynomial", degree=2).fit(X)
print(f"{gfr.n_samples_:,} rows in {X.npartitions} partitions")
left = 1 - gfr.explained_variance_ratio_.sum()
print(f"three directions leave {left:.2%} of the variance")

# %%
# These rows fit into memory, so that we can compare:

in_memory = GFR(3, family="polynomial", degree=2).fit(X.compute())
difference = np.abs(gfr.components_ - in_memory.components_).max()
print(f"the directions differ by at most {difference:.0e}")

# %%
# Lazy results
# ------------
#
# Coordinates, reconstruction and errors of rows are Dask arrays; nothing has been computed yet.

Z = gfr.transform(X)
X_back = gfr.inverse_transform(Z)
Z

# %%
# Histograms are small, so that one computation over all rows is enough: a histogram of the last
# direction against the square, which was not kept, and histograms of the distances between rows and
# their reconstructions, by the functions of the fit and by linear functions.

edges = [np.linspace(-2.3, 2.3, 93), np.linspace(-1, 3, 81)]
square = X @ rotation[4]
counts, _, _ = da.histogram2d(Z[:, 2], square, bins=edges)
sizes = np.linspace(0, 3.6, 121)
errors = {
    "polynomials": X - X_back,
    "linear functions": X - gfr.inverse_transform(Z, linear=True),
}
distances = [da.sqrt((each**2).sum(axis=1)) for each in errors.values()]
histograms = [da.histogram(each, bins=sizes)[0] for each in distances]
counts, *histograms = dask.compute(counts, *histograms)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
image = axes[0].pcolormesh(*edges, np.where(counts, counts, np.nan).T, cmap="viridis")
figure.colorbar(image, ax=axes[0], label="rows")
axes[0].set(xlabel="last direction", ylabel="square")
for name, histogram in zip(errors, histograms, strict=True):
    axes[1].stairs(histogram, sizes, fill=True, alpha=0.6, label=name)
axes[1].set(xlabel="distance of a row from its reconstruction", yscale="log")
axes[1].legend(frameon=False)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
