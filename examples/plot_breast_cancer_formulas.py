"""
Redundant columns as formulas
=============================

Thirty columns describe the cell nuclei of a breast tumour: mean, standard error and worst value of
ten measurements. Nobody would call them independent, as radius, perimeter and area are among the
ten. :class:`gramian.GFA` drops the columns that functions of others explain, and ``explain`` says
by which formula, in the columns' own units.

The data come with scikit-learn. A quarter of the rows is set aside to test the formulas.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from gramian import GFA
from gramian.plots import ParityDisplay

table = load_breast_cancer(as_frame=True).data

# %%
# GFA takes columns by decreasing variance, and which of two related columns is kept depends on
# that order: a square is a polynomial of the radius, but a root is no polynomial of the area. So
# radii should vary more than the columns that are to be explained by them. Units do that: areas
# are now in thousands, perimeters in tens.

table = table.assign(
    **{name: table[name] / 1000 for name in table if "area" in name},
    **{name: table[name] / 10 for name in table if "perimeter" in name},
)
train, test = train_test_split(table, random_state=0)

# %%
# Which columns are redundant?
# ----------------------------
#
# Those of which polynomials of degree 2 in the columns kept leave less than 5 %. There are many
# polynomials and few rows, and what holds of the rows of the fit need not hold of others. The
# published algorithm goes by the rows of the fit. By default rows are left out to decide. Of the
# columns that each fit drops, how many are explained to 95 % on the test rows?

published = {"backward": False, "relative": True, "alpha": 0}
fits = {
    "linear": GFA(degree=1, threshold=0.05),
    "polynomials, as published": GFA(family="polynomial", threshold=0.05, **published),
    "polynomials": GFA(family="polynomial", threshold=0.05),
}
for name, gfa in fits.items():
    filled = gfa.fit(train).inverse_transform(gfa.transform(test))
    left = ((test - filled) ** 2).mean() / test.var()
    held = np.sum(left.iloc[gfa.redundant_features_] < 0.05)
    print(f"{name}: {len(gfa.redundant_features_)} dropped, {held} of them rightly")

# %%
# Formulas
# --------
#
# The training rows are given to ``explain`` again so that cross-validation decides on the number of
# terms. The last column of the table below is R² on the test rows.

explanation = fits["polynomials"].explain(train)
frame = explanation.to_frame()[["feature", "formula", "linear_r2", "r2"]]
frame["test r2"] = [each.score(test, test[each.feature]) for each in explanation]
frame = frame.sort_values("test r2", ascending=False)
frame.style.format(precision=3).hide(axis="index")

# %%
# Some of it is geometry. The mean area is nearly the square of the mean radius, and the factor is
# close to π, in units of thousands. The error of a radius is that of a perimeter, rescaled.
# Where the formula explains less than 95 %, it takes more than a few terms.
#
# Two formulas on new rows
# ------------------------

figure, axes = plt.subplots(1, 2, figsize=(8.4, 4), layout="constrained")
for ax, name in zip(axes, ["mean area", "radius error"], strict=True):
    ParityDisplay.from_formula(explanation[name], test, name, ax=ax)
plt.show()

# %%
# Who determines whom
# -------------------
#
# ``graph`` has an arrow from each column of a formula to the column that the formula computes. Its
# weight is the share of R² that is lost without the source. A report draws these arrows:
# ``gramian.report(gfa, train, "report.html")``.

for edge in sorted(explanation.graph.edges, key=lambda edge: -edge.weight)[:10]:
    print(f"{edge.source} → {edge.target}: {edge.weight:.3f}")
