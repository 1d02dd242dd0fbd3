"""
Number of components of a curved surface
========================================

PCA counts the dimensions of the smallest *flat* space that contains the data. A curved surface has
fewer dimensions than that space. :class:`gramian.GCA` takes principal components in the order of
their variance, and drops those that are functions of the kept ones.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from gramian import GCA

rng = np.random.default_rng(0)


def surface(n_samples, n_latent, n_columns=30, noise=0.02):
    """Return rows on a surface: latent variables and products of neighbours, rotated."""
    latent = rng.uniform(-1, 1, (n_samples, n_latent)) * np.linspace(3.4, 2.6, n_latent)
    products = 0.3 * latent[:, 1:] * latent[:, :-1]
    flat = np.hstack([latent, products])
    rotation = np.linalg.qr(rng.standard_normal((n_columns, n_columns)))[0]
    X = flat @ rotation[: flat.shape[1]]
    return X + noise * rng.standard_normal(X.shape)


# %%
# Two variables
# -------------
#
# The data are a saddle, rotated into thirty columns, with a little noise in each. PCA finds three
# components with more variance than noise. GCA finds that the third is a function of the first two,
# and ``explain`` prints the function. Directions of pure noise do not follow from others. The
# published algorithm drops them, since its threshold is a variance.

saddle = surface(1000, 2)
gca = GCA(threshold=0.05, family="polynomial", backward=False).fit(saddle)
print(f"kept: {gca.component_indices_}")
print(gca.explain(features=["pc2"], max_terms=1))

# %%
# Up to eight variables
# ---------------------
#
# With m latent variables there are m - 1 products. We count the components with more variance than
# the threshold, and the components that GCA keeps. Principal directions mix latent variables of
# similar variance, and a product of mixtures contains squares. The default family, "multilinear",
# has no squares, and keeps components that "polynomial" drops.

latents = np.arange(2, 9)
counts = {"PCA": [], "GCA, multilinear": [], "GCA, polynomial": []}
for n_latent in latents:
    X = surface(2000, int(n_latent))
    counts["PCA"].append(np.sum(PCA().fit(X).explained_variance_ > 0.05))
    for family in ("multilinear", "polynomial"):
        gca = GCA(threshold=0.05, family=family, backward=False).fit(X)
        counts[f"GCA, {family}"].append(gca.n_components_)

figure = plt.figure(figsize=(9.4, 4.2), layout="constrained")
ax = figure.add_subplot(1, 2, 1, projection="3d")
components = PCA(3).fit_transform(saddle)
ax.scatter(*components.T, c=components[:, 2], s=8, cmap="coolwarm")
ax.set(xlabel="component 0", ylabel="component 1", zlabel="component 2")
ax.set(xticklabels=[], yticklabels=[], zticklabels=[])
ax.view_init(22, -60)
ax.set_box_aspect(None, zoom=0.85)
ax = figure.add_subplot(1, 2, 2)
ax.plot(latents, latents, color="0.85", lw=8, label="latent variables")
for (name, each), style in zip(counts.items(), ["C1s--", "C2^:", "C0o-"], strict=True):
    ax.plot(latents, each, style, label=name)
ax.set(xlabel="latent variables", ylabel="components", ylim=(0, None))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# The threshold
# -------------
#
# The threshold has to lie between the variance of the noise and that of the signal. For the saddle
# this range is wide. Below the variance of the noise, 0.0004, GCA keeps components of pure noise.

thresholds = np.logspace(-4, 1, 51)
gca = GCA(10, family="polynomial", backward=False)
kept = [gca.set_params(threshold=each).fit(saddle).n_components_ for each in thresholds]
figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
ax.axhline(2, color="0.85", lw=8, label="latent variables")
ax.step(thresholds, kept, where="mid", label="kept by GCA, at most 10")
ax.axvline(0.02**2, color="C3", ls=":", label="variance of the noise")
ax.set(xscale="log", xlabel="threshold", ylabel="components", ylim=(0, 10.5))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
