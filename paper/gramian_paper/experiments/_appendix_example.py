"""The example of the paper's appendix: GFR's three directions, and kernel PCA's 56 coefficients."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import PolynomialFeatures

from gramian import GFR
from gramian_paper._types import Array
from gramian_paper.datasets import make_appendix_example
from gramian_paper.experiments._blocks import Block, Entry, Table
from gramian_paper.experiments._experiment import Experiment, Params, Results, Size, Task, Values
from gramian_paper.experiments._published import published

NAME = "appendix-example"
GFR_TABLE, KERNEL_TABLE = "tab:gfr_coeffs", "tab:kpca_coeffs"
COLUMNS = ("first", "second", "third")
REPEATS: dict[Size, int] = {"quick": 20, "full": 200}

PROTOCOL = f"""
10,000 rows of five features: X1, X2, X3 normal with variances 0.9, 0.8 and 0.7, X4 = X1 X3 and X5 =
X1 X2². GFR extracts three directions with all polynomials of degree up to 3. Kernel PCA is, as in
the paper's table, PCA of the 56 centred monomials of degree up to 3 without weights (a polynomial
kernel would weight them). The paper shows one draw of the data. Our number is the mean of
{REPEATS["full"]} draws ({REPEATS["quick"]} in a quick run), with the signs of directions that agree
with the paper's. **Noise:** three times the standard deviation of the coefficient between draws.
"""

REASONS = {
    "tail": "a coefficient of the paper's one draw lies more than three standard deviations from "
    "the mean of ours. The coefficients depend on moments of order up to 18 of normal variables, "
    "which have heavy tails, so that a few differences among 183 are expected."
}


def cells(size: Size) -> list[Params]:
    """Return the one cell."""
    return [{"rows": 10_000, "repeats": REPEATS[size]}]


def run(task: Task) -> Values:
    """Return mean and standard deviation of the coefficients, and the residual shares."""
    paper = published(NAME)
    names, targets = [], {}
    for table in (GFR_TABLE, KERNEL_TABLE):
        names.append(list(paper[table]))
        targets[table] = np.array(list(paper[table].values())).T
    drawn: dict[str, list[Array]] = {GFR_TABLE: [], KERNEL_TABLE: []}
    left = []
    for repeat in range(task.params["repeats"]):
        X, _ = make_appendix_example(task.params["rows"], random_state=task.integer_seed(repeat))
        gfr = GFR(3, family="polynomial", degree=3, alpha=0).fit(X)
        monomials = PolynomialFeatures(3)
        pca = PCA(3).fit(monomials.fit_transform(X))
        drawn[GFR_TABLE].append(with_signs(gfr.components_, targets[GFR_TABLE]))
        drawn[KERNEL_TABLE].append(with_signs(pca.components_, targets[KERNEL_TABLE]))
        left.append(gfr.total_residual_variance_ / gfr.total_residual_variance_[0])
    shown = monomials.get_feature_names_out([f"x{i}" for i in range(1, 6)])
    if [name.replace(" ", "*") for name in shown] != names[1]:
        raise AssertionError("the monomials are not in the order of the paper's table")
    values: Values = {"share_left": np.mean(left, axis=0)}
    for table, draws in drawn.items():
        values[table] = {"mean": np.mean(draws, axis=0), "deviation": np.std(draws, axis=0, ddof=1)}
    return values


def with_signs(directions: Array, targets: Array) -> Array:
    """Return directions with the signs of the target directions."""
    signs = np.sign(np.sum(directions * targets, axis=1, keepdims=True))
    return np.where(signs == 0, 1, signs) * directions


def page(results: Results) -> list[Block]:
    """Return both tables of the paper."""
    values = results.outcomes[0].values
    blocks: list[Block] = []
    if values is not None:
        left = ", ".join(f"{share:.1%}" for share in values["share_left"][1:])
        blocks.append(
            "GFR's three directions are linear in the five features, and polynomials of degree 3 "
            f"of the first one, two and three leave {left} of the total variance. Kernel PCA's "
            "first three features are polynomials themselves, with 55 coefficients each, and are "
            "dominated by the products of highest degree, whose variance is largest."
        )
    for table, title in (
        (GFR_TABLE, "GFR: coefficients of the extracted features"),
        (KERNEL_TABLE, "Kernel PCA: coefficients on the 56 monomials"),
    ):
        rows = {}
        for i, (name, numbers) in enumerate(published(NAME)[table].items()):
            rows[pretty(name)] = [
                entry(values, table, j, i, number) for j, number in enumerate(numbers)
            ]
        blocks.append(Table(title, "", COLUMNS, rows, table, digits=4))
    return blocks


def entry(values: Values | None, table: str, direction: int, feature: int, paper: float) -> Entry:
    """Return a coefficient beside the published one."""
    if values is None:
        return Entry(None, paper)
    mean, deviation = (values[table][key][direction][feature] for key in ("mean", "deviation"))
    return Entry(mean, paper, noise=3 * deviation, reason="tail")


def pretty(name: str) -> str:
    """Return a monomial as the page shows it.

    Examples
    --------
    >>> pretty("x1^2*x4")
    'X1² X4'
    """
    return name.replace("^2", "²").replace("^3", "³").replace("*", " ").replace("x", "X")


EXPERIMENT = Experiment(
    name=NAME,
    title="GFR's directions beside kernel PCA's coefficients",
    source="the example of the appendix on kernel PCA",
    protocol=PROTOCOL,
    cells=cells,
    run=run,
    page=page,
    reasons=REASONS,
)
