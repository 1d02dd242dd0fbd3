"""
Digits from a few numbers: GFR against PCA
==========================================

PCA keeps a few directions of a table and reconstructs the columns by a *linear* map.
:class:`gramian.GFR` also keeps a few directions, but reconstructs the columns by functions of them,
here polynomials of degree 2, and chooses each direction by the residual variance. This example
compares the images that both reconstruct from the same number of values.

The images are scikit-learn's handwritten digits, 8 × 8 pixels. A quarter of them are test images;
all results below are for test images.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from gramian import GFR

X, y = load_digits(return_X_y=True)
X_train, X_test, _, y_test = train_test_split(X / 16, y, random_state=0)

# %%
# Ten numbers an image
# --------------------
#
# Both are fitted with ten directions. Ten numbers, their squares and their products are 65
# functions; with ``alpha="auto"``, rows held out of the training rows choose the shrinkage.

pca = PCA(10).fit(X_train)
gfr = GFR(10, family="polynomial", degree=2, alpha="auto").fit(X_train)


def reconstruct(model, rows):
    """Return the reconstructions of rows by a model."""
    return model.inverse_transform(model.transform(rows))


# %%
# The first test image of each digit, and its reconstructions:

first = [np.flatnonzero(y_test == digit)[0] for digit in range(10)]
rows = {
    "original": X_test[first],
    "PCA": reconstruct(pca, X_test[first]),
    "GFR": reconstruct(gfr, X_test[first]),
}
figure, axes = plt.subplots(3, 10, figsize=(9, 3.1), layout="constrained")
for line, (name, images) in zip(axes, rows.items(), strict=True):
    for ax, image in zip(line, images, strict=True):
        ax.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
    line[0].set_ylabel(name, fontsize=12)
plt.show()

# %%
# The share of the variance that is lost, image by image: GFR loses less for most images, not for
# all.


def errors(model):
    """Return the squared error of each test image."""
    return ((X_test - reconstruct(model, X_test)) ** 2).sum(axis=1)


variance = ((X_test - X_train.mean(axis=0)) ** 2).sum()
print(f"PCA loses {errors(pca).sum() / variance:.1%} of the variance of new images")
print(f"GFR loses {errors(gfr).sum() / variance:.1%}")
print(f"GFR loses less of {np.mean(errors(gfr) < errors(pca)):.0%} of the images")

# %%
# Any number of directions
# ------------------------
#
# ``score`` is the share of variance that is reconstructed. With ``degree=1``, GFR is PCA; its
# default functions are products of two distinct directions, without squares.

numbers = np.arange(2, 25, 2)
estimators = {
    "PCA": GFR(degree=1),
    "GFR, products": GFR(alpha="auto"),
    "GFR, products and squares": GFR(family="polynomial", alpha="auto"),
}
left = {}
for name, estimator in estimators.items():
    fits = (estimator.set_params(n_components=int(n)).fit(X_train) for n in numbers)
    left[name] = np.array([1 - fit.score(X_test) for fit in fits])

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for (name, each), marker in zip(left.items(), "so^", strict=True):
    ax.plot(numbers, each, marker=marker, label=name)
ax.set(xlabel="number of directions", ylabel="share of variance lost", ylim=(0, 1))
ax.yaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
ax.grid(axis="y", color="0.9")
ax.legend(frameon=False)
plt.show()

# %%
# We count how many directions of PCA equal ten of GFR, and find the largest gain:

for name in ("GFR, products", "GFR, products and squares"):
    enough = numbers[left["PCA"] <= left[name][numbers == 10]][0]
    gain = left["PCA"] - left[name]
    most = numbers[gain.argmax()]
    print(f"{name}: 10 directions are worth {enough} of PCA;")
    print(f"the gain is largest with {most}, {gain.max():.1%} of the variance")

# %%
# Very few directions have few functions, and with many directions PCA also reconstructs nearly all
# of the variance.
