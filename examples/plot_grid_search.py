"""
A pipeline with grid search
===========================

The estimators are scikit-learn transformers, so that the accuracy of a classifier can choose the
number of features and the degree. In this example a nearest-neighbour classifier of handwritten
digits uses only a few features, extracted by :class:`gramian.GFR` or PCA, or selected among the
pixels by :class:`gramian.GFS`. The features are made without labels.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from gramian import GFR, GFS

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# The grid replaces two steps of the pipeline, and each candidate has its own parameters.
# Standardization is part of the search: all pixels have the same unit, and standardization gives
# pixels at the border, which rarely have ink, the same variance as the others.

pipeline = Pipeline(
    [
        ("scale", StandardScaler()),
        ("reduce", GFR()),
        ("classify", KNeighborsClassifier()),
    ]
)
scale = [StandardScaler(), "passthrough"]
numbers = [2, 4, 6, 8, 10, 12]
grid = [
    {"scale": scale, "reduce": [PCA()], "reduce__n_components": numbers},
    {
        "scale": scale,
        "reduce": [GFR(degree=2), GFR(degree=3)],
        "reduce__n_components": numbers,
    },
    {
        "scale": scale,
        "reduce": [GFS(degree=1), GFS(degree=2), GFS(degree=3)],
        "reduce__n_features_to_select": numbers,
    },
]
search = GridSearchCV(pipeline, grid, cv=3).fit(X_train, y_train)
search

# %%
# The best parameters, and their accuracy on the test rows:

print(search.best_params_)
print(
    f"cross-validation {search.best_score_:.3f}, test {search.score(X_test, y_test):.3f}"
)

# %%
# The whole grid
# --------------
#
# Solid lines are for raw pixels, dotted lines for standardized pixels.

results = pd.DataFrame(search.cv_results_["params"])
results["accuracy"] = search.cv_results_["mean_test_score"]
results["method"] = [
    type(each).__name__ + (f", degree {each.degree}" if hasattr(each, "degree") else "")
    for each in results["reduce"]
]
results["pixels"] = [
    "raw" if each == "passthrough" else "standardized" for each in results["scale"]
]

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
methods = [
    ["PCA", "GFR, degree 2", "GFR, degree 3"],
    [f"GFS, degree {d}" for d in (1, 2, 3)],
]
for ax, names, title in zip(
    axes, methods, ["directions", "selected pixels"], strict=True
):
    for name, colour in zip(names, ["C1", "C0", "C2"], strict=True):
        for pixels, style in [("raw", "o-"), ("standardized", ".:")]:
            rows = results[(results["method"] == name) & (results["pixels"] == pixels)]
            label = name if pixels == "raw" else None
            ax.plot(numbers, rows["accuracy"], style, color=colour, label=label)
    ax.set(title=title, xlabel="number of features", xticks=numbers)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")
axes[0].set_ylabel("accuracy, cross-validated")
plt.show()

# %%
# The effect of standardization, averaged over the numbers of features:

results.pivot_table("accuracy", "method", "pixels").round(3)

# %%
# For comparison, the standard deviation of an accuracy over the folds:

print(round(search.cv_results_["std_test_score"].mean(), 3))

# %%
# GFR explains more of the pixels' variance than PCA with the same number of features; another page
# of this gallery shows how much. A classifier does not always gain from that. In this example it
# gains with standardized pixels, but not with raw pixels, which are better for all methods. A
# search over the whole pipeline finds this out.
