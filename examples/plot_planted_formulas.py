"""
Planted formulas, recovered under noise
=======================================

``explain`` should find the formulas that generated the data, not other formulas that fit. Generated
data test this. :func:`gramian.datasets.make_planted_redundancy` draws independent columns, appends
products of two of them, adds noise, shuffles, and returns the true formulas.
"""

import matplotlib.pyplot as plt
import numpy as np

from gramian import GFA
from gramian.datasets import make_planted_redundancy

# %%
# One table
# ---------
#
# The table has five independent columns with variances from 1 to 3, and four products. Each product
# is scaled to half the variance of its smaller factor, and gets noise of variance 0.1.

SHAPE = {"n_features": 9, "n_informative": 5, "variances": (1.0, 3.0), "ratio": 0.5}
X, truth = make_planted_redundancy(300, noise=0.1, random_state=0, **SHAPE)
for product in truth.products:
    factors = " · ".join(f"x{i}" for i in product.factors)
    print(f"planted: x{product.column} = {product.coefficient:.4f} · {factors}")

# %%
# A column is redundant if its residual variance is at most that of the noise, which is known in
# this example. The published algorithm takes this variance as its threshold.

gfa = GFA(threshold=truth.threshold, backward=False).fit(X)
print(gfa.explain())

# %%
# Many tables
# -----------
#
# There are two kinds of error. A planted column may be kept, so that it has no formula. Or it may
# be dropped with a wrong formula, that is, with any term other than the planted product and a
# constant. Noise and the number of rows vary, with six tables each.


def rates(n, noise, seed):
    """Return three shares of the planted columns, in the order of the curves below."""
    X, truth = make_planted_redundancy(n, noise=noise, random_state=seed, **SHAPE)
    variances = X.var(axis=0)
    found = {
        each.index: [set(term.columns) for term in each.terms if term.factors]
        for each in GFA(threshold=truth.threshold, backward=False).fit(X).explain()
    }
    shares = []
    for each in truth.products:
        is_right = found.get(each.column) == [{f"x{i}" for i in each.factors}]
        is_small = variances[each.column] < variances[list(each.factors)].min()
        shares.append((is_right, each.column in found, is_small))
    return np.mean(shares, axis=0)


noises = np.array([0.01, 0.2, 0.4, 0.7, 1.0])
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for n, colour in [(60, "C1"), (600, "C0")]:
    tables = [[rates(n, noise, seed) for noise in noises] for seed in range(6)]
    recovered, redundant, small = np.mean(tables, axis=0).T
    ax.plot(noises, recovered, "o-", color=colour, label=f"formula recovered, {n} rows")
    ax.plot(noises, redundant, "x:", color=colour, label=f"found redundant, {n} rows")
ax.plot(
    noises,
    small,
    "--",
    color="0.7",
    lw=5,
    zorder=0,
    label="varies less than its factors",
)
ax.set(xlabel="variance of the noise", ylabel="share of the planted columns")
ax.set_ylim(0, 1.03)
ax.yaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower left", fontsize="small")
plt.show()

# %%
# The published GFA chooses columns by decreasing variance, and noise adds variance. The grey line
# is the share of planted columns that still vary less than their factors, with 600 rows. If a
# planted column varies more, a factor would have to be computed from the product, which no
# polynomial does: the order of columns sets the limit, not the search for formulas.
