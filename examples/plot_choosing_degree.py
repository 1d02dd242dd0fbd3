"""
Choosing degree and shrinkage on held-out rows
==============================================

A higher degree has more functions, and explains more of the rows of the fit. Whether it explains
more of other rows has to be measured. This example shows three ways: a path over degrees, a curve
over the penalty ``alpha``, and ``"auto"``, which lets held-out rows choose both.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from gramian import GFR

X = load_digits().data / 16
X_train, X_test = train_test_split(X, random_state=0)

# %%
# A path over degrees
# -------------------
#
# ``path`` fits each family to three quarters of the training rows, and evaluates it after every
# direction on the last quarter.

path = GFR(12, validation_fraction=0.25).path(X_train, degrees=(1, 2, 3, 4))

figure, axes = plt.subplots(1, 2, figsize=(8.8, 3.8), sharey=True, layout="constrained")
for fit, marker in zip(path.estimators, "os^D", strict=True):
    seen = fit.total_residual_variance_ / fit.total_residual_variance_[0]
    axes[0].plot(seen, marker=marker, ms=5)
    axes[1].plot(path.shares(fit), marker=marker, ms=5, label=str(fit.family_))
axes[0].set(title="rows of the fit", ylabel="share of variance left", ylim=(0, 1.02))
axes[1].set(title="rows held out")
axes[0].yaxis.set_major_formatter("{x:.0%}")
axes[1].legend(frameon=False)
for ax in axes:
    ax.set_xlabel("number of directions")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="0.9")
plt.show()

# %%
# Only the right side, with held-out rows, shows which degree is too high. The best degree depends
# on the number of directions:

for n in (4, 6, 8, 10, 12):
    print(f"{n:2} directions: {path.best(n).family_}")

# %%
# A curve over alpha
# ------------------
#
# Instead of a lower degree, shrinkage can be used. ``alpha`` is a ridge penalty on all functions
# except the directions themselves: 0 is least squares, infinity is PCA.

alphas = [0, 0.001, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]
fits = [GFR(12, degree=3, alpha=alpha).fit(X_train) for alpha in alphas]
automatic = GFR(12, degree=3, alpha="auto").fit(X_train)

# %%
# ``"auto"`` does not use the test rows: it holds out a tenth of the training rows, chooses
# ``alpha`` on them, and then fits all training rows.

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for rows, name, marker in [(X_train, "training rows", "s"), (X_test, "test rows", "o")]:
    ax.plot(alphas, [fit.score(rows) for fit in fits], marker=marker, label=name)
ax.plot(automatic.alpha_, automatic.score(X_test), "C3*", ms=16, label='alpha="auto"')
linear = GFR(12, degree=1).fit(X_train).score(X_test)
ax.axhline(linear, color="0.5", ls=":", label="PCA, test rows")
ax.set_xscale("symlog", linthresh=0.001)
ax.set_xlim(left=0)
ax.set(xlabel="alpha", ylabel="share of variance explained, degree 3")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc=(0.03, 0.12))
plt.show()

# %%
# Degree and alpha together
# -------------------------
#
# We compare ``degree="auto"`` and ``alpha="auto"`` with the best of these settings on the test
# rows. (In practice test rows must not choose.)

both = GFR(12, degree="auto", alpha="auto").fit(X_train)
candidates = [(degree, alpha) for degree in (1, 2, 3) for alpha in alphas]
scores = [GFR(12, degree=d, alpha=a).fit(X_train).score(X_test) for d, a in candidates]
best = candidates[int(np.argmax(scores))]
print(f"auto: {both.family_}, alpha {both.alpha_}, explains {both.score(X_test):.3f}")
print(f"best: degree {best[0]}, alpha {best[1]}, explains {max(scores):.3f}")
# sphinx_gallery_thumbnail_number = 2
