"""
Redundant columns as formulas
=============================

Thirty columns describe the cell nuclei of a breast tumour: mean, standard error and worst value of
ten measurements. These are not independent: radius, perimeter and area are among the ten.
:class:`gramian.GFA` drops the columns that functions of others explain, and ``explain`` returns the
formulas, in the columns' own units.

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
# The published GFA chooses columns by decreasing variance, and this order decides which of two
# related columns is kept: the area is a polynomial of the radius, but the radius is a root of the
# area, which is not a polynomial. So radii should vary more than the columns that they explain. We
# choose the units accordingly: areas in thousands, perimeters in tens.

table = table.assign(
    **{name: table[name] / 1000 for name in table if "area" in name},
    **{name: table[name] / 10 for name in table if "perimeter" in name},
)
train, test = train_test_split(table, random_state=0)

# %%
# Redundant columns
# -----------------
#
# A column is redundant here if polynomials of degree 2 in the kept columns leave less than 5 % of
# its variance. There are many polynomials and few rows, so that a result for the rows of the fit
# may not hold for new rows. The published algorithm uses the rows of the fit. The default uses rows
# left out of the fit. For each fit we count the dropped columns that are explained to 95 % on the
# test rows.

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
# Some formulas are geometry. The mean area is nearly the square of the mean radius, with a factor
# close to π, in units of thousands. The error of a radius is that of a perimeter, rescaled. Columns
# whose formula explains less than 95 % would need more terms.
#
# Two formulas on new rows
# ------------------------

figure, axes = plt.subplots(1, 2, figsize=(8.4, 4), layout="constrained")
for ax, name in zip(axes, ["mean area", "radius error"], strict=True):
    ParityDisplay.from_formula(explanation[name], test, name, ax=ax)
plt.show()

# %%
# Graph of redundancies
# ---------------------
#
# ``graph`` has an arrow from each column of a formula to the column that the formula computes. Its
# weight is the share of R² that is lost without the source. A report draws these arrows:
# ``gramian.report(gfa, train, "report.html")``.

for edge in sorted(explanation.graph.edges, key=lambda edge: -edge.weight)[:10]:
    print(f"{edge.source} → {edge.target}: {edge.weight:.3f}")
