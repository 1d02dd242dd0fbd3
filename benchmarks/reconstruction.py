"""Reconstruction of new rows from few features: GFR against PCA and others on USPS.

``make reconstruction`` writes docs/reconstruction.md, its figures in JSON, and the picture. Every
method is fitted to the 7,291 training rows, standardized. Parameters are chosen on a held-out tenth
of these rows, and the method is fitted again to all of them. The official 2,007 test rows are used
once, at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import run
from sklearn.decomposition import PCA, KernelPCA

from gramian import GFR, GFS
from gramian.exceptions import OverfittingWarning

Array = np.ndarray
Reconstruct = Callable[[Array], Array]
SIZES = (10, 20, 40)
SATURATING = 14
"""The number of features at which degree 4 fails without shrinkage."""
HELD_OUT = 0.1
SHOWN = 20
"""The number of features in the picture."""
EPOCHS = 60

PAGE = """\
<!-- Made by make reconstruction; edit benchmarks/reconstruction.py. -->

# Reconstruction of new rows

The share of the variance of **new rows** that is lost if a few features of each row are kept, in
per cent: ‖x - x̂‖² over ‖x - mean‖², summed over the official 2,007 test rows of USPS. All methods
are fitted to the 7,291 training rows, standardized by their means and standard deviations.

{table}

At degree 4, {n} features have 1,470 products on 7,291 rows, and least squares overfits:

{saturating}

![Test rows, and their reconstructions from {shown} numbers](images/reconstruction.png)

*The first test row of each digit, and their reconstructions from {shown} numbers.*

- Test rows choose nothing within a run. Family, degree and `alpha` of GFR, and the parameters of
  the other methods, are those that lose least on a random held-out tenth of the training rows. Then
  the method is fitted to all training rows. For *GFR, all chosen* this is `GFR(n, family="auto",
  degree="auto", alpha="auto").fit(X)`. The families and values among which "auto" chooses were
  decided while GFR's numbers on these test rows were known.
- The official split is not random: GFR loses more on the test rows than on held-out training rows.
- **KernelPCA** is scikit-learn's with `fit_inverse_transform=True`; kernel (cubic or RBF), its
  width and the ridge of the inverse are chosen among {n_kernel} combinations. The chosen values lie
  at the edge of this grid, so that more tuning may improve KernelPCA.
- The **autoencoder** has a bottleneck of the same size between two hidden layers; their width and
  activation are chosen among {n_autoencoder} combinations, trained for {epochs} epochs.
- The features of KernelPCA and the autoencoder are nonlinear functions of all columns. Those of the
  other methods are linear: they need a matrix product, and their weights can be read.
- **Quadratic manifold** is the approach of model reduction: all functions are quadratic, and all
  directions are principal directions. It is GFS on all principal components, which chooses the one
  with the largest residual, with a quadratic decoder fitted by ridge regression.
- Measured {date} with {versions}.
"""


@dataclass(frozen=True)
class Data:
    """Standardized rows."""

    train: Array
    test: Array

    def halves(self) -> tuple[Array, Array]:
        """Return the training rows without the held-out rows, and the held-out rows."""
        order = np.random.default_rng(0).permutation(len(self.train))
        n = int(HELD_OUT * len(order))
        return self.train[order[n:]], self.train[order[:n]]


def lost(X: Array, mean: Array, reconstruct: Reconstruct) -> float:
    """Return the share of variance that a reconstruction loses."""
    return float(np.sum((X - reconstruct(X)) ** 2) / np.sum((X - mean) ** 2))


def tuned(
    data: Data, candidates: Iterable[tuple[str, Callable[[Array], Reconstruct]]]
) -> tuple[str, Reconstruct]:
    """Return the candidate that loses least on held-out rows, fitted to all training rows."""
    train, held_out = data.halves()
    name, fit = min(candidates, key=lambda each: lost(held_out, train.mean(axis=0), each[1](train)))
    return name, fit(data.train)


def gfr(data: Data, n: int, **options: Any) -> tuple[str, Reconstruct]:
    """Fit GFR."""
    model = GFR(n, **options).fit(data.train)
    name = f"{model.family_}, alpha={model.alpha_:g}"
    return name, lambda X: model.inverse_transform(model.transform(X))


def pca(data: Data, n: int) -> tuple[str, Reconstruct]:
    """Fit PCA."""
    model = PCA(n).fit(data.train)
    return "", lambda X: model.inverse_transform(model.transform(X))


def quadratic_manifold(data: Data, n: int) -> tuple[str, Reconstruct]:
    """Choose principal components greedily, with a quadratic decoder."""
    rotation = PCA().fit(data.train)
    model = GFS(n, family="polynomial", alpha="auto", criterion="variance").fit(
        rotation.transform(data.train)
    )

    def reconstruct(X: Array) -> Array:
        kept = model.transform(rotation.transform(X))
        return rotation.inverse_transform(model.inverse_transform(kept))

    return f"alpha={model.alpha_:g}", reconstruct


def kernel_pca_candidates(n: int) -> Iterator[tuple[str, Callable[[Array], Reconstruct]]]:
    """Kernels, their widths, and the ridge of the inverse."""
    for kernel, gammas in (("poly", (1 / 256, 1 / 1024)), ("rbf", (1 / 512, 1 / 2048))):
        for gamma in gammas:
            for ridge in (0.01, 0.1, 1.0):

                def fit(
                    X: Array, kernel: str = kernel, gamma: float = gamma, ridge: float = ridge
                ) -> Reconstruct:
                    model = KernelPCA(
                        n,
                        kernel=kernel,
                        degree=3,
                        gamma=gamma,
                        alpha=ridge,
                        fit_inverse_transform=True,
                        eigen_solver="randomized",
                        random_state=0,
                    ).fit(X)
                    return lambda Y: model.inverse_transform(model.transform(Y))

                yield f"{kernel}, gamma=1/{1 / gamma:.0f}, ridge {ridge:g}", fit


def kernel_pca(data: Data, n: int) -> tuple[str, Reconstruct]:
    """Fit KernelPCA."""
    return tuned(data, kernel_pca_candidates(n))


def autoencoder_candidates(n: int) -> Iterator[tuple[str, Callable[[Array], Reconstruct]]]:
    """Widths of the hidden layers, and activations."""
    for width in (128, 512):
        for activation in ("tanh", "relu"):

            def fit(X: Array, width: int = width, activation: Any = activation) -> Reconstruct:
                from gramian_paper.baselines import Autoencoder

                model = Autoencoder(
                    n,
                    hidden_layer_sizes=(width,),
                    activation=activation,
                    epochs=EPOCHS,
                    random_state=0,
                ).fit(X)
                return lambda Y: model.inverse_transform(model.transform(Y))

            yield f"{width} units, {activation}", fit


def autoencoder(data: Data, n: int) -> tuple[str, Reconstruct]:
    """Fit an autoencoder."""
    return tuned(data, autoencoder_candidates(n))


AUTO = {"family": "auto", "degree": "auto", "alpha": "auto"}
METHODS: dict[str, tuple[Callable[..., tuple[str, Reconstruct]], dict[str, Any]]] = {
    "PCA": (pca, {}),
    "KernelPCA": (kernel_pca, {}),
    "quadratic manifold": (quadratic_manifold, {}),
    "GFR, degree 2, least squares": (gfr, {"degree": 2}),
    "GFR, degree 2, `alpha='auto'`": (gfr, {"degree": 2, "alpha": "auto"}),
    "**GFR, all chosen**": (gfr, AUTO),
    "autoencoder": (autoencoder, {}),
}
DEGREE_4: dict[str, tuple[Callable[..., tuple[str, Reconstruct]], dict[str, Any]]] = {
    "PCA": (pca, {}),
    "GFR, degree 4, least squares": (gfr, {"degree": 4}),
    "GFR, degree 4, `alpha='auto'`": (gfr, {"degree": 4, "alpha": "auto"}),
}


def load() -> Data:
    """Return USPS, standardized by the training rows."""
    from gramian_paper.datasets import load_usps

    return Data(
        load_usps(subset="train", scaling="standardized").data,
        load_usps(subset="test", scaling="standardized").data,
    )


def measure(data: Data, method: str, fit: Callable[..., Any], options: Any, n: int) -> dict:
    """Fit a method, and return what it loses of the test rows."""
    chosen, reconstruct = fit(data, n, **options)
    share = lost(data.test, data.train.mean(axis=0), reconstruct)
    print(f"  {method}, {n}: {100 * share:.2f} % {chosen}", file=sys.stderr)
    return {"method": method, "n": n, "lost": share, "chosen": chosen}


def table(rows: list[dict[str, Any]], sizes: tuple[int, ...], chosen_for: int) -> str:
    """Return the measurements as a Markdown table."""
    head = " | ".join(f"{n} features" for n in sizes)
    lines = [f"| | {head} | chosen, {chosen_for} features |"]
    lines.append("|---|" + "--:|" * len(sizes) + "---|")
    methods = [*dict.fromkeys([*METHODS, *DEGREE_4])]
    for method in sorted({row["method"] for row in rows}, key=methods.index):
        mine = {row["n"]: row for row in rows if row["method"] == method}
        cells = " | ".join(f"{100 * mine[n]['lost']:.1f}" if n in mine else "" for n in sizes)
        lines.append(
            f"| {method} | {cells} | {mine[chosen_for]['chosen'] if chosen_for in mine else ''} |"
        )
    return "\n".join(lines)


def page(content: dict[str, Any]) -> str:
    """Return the page."""
    return PAGE.format(
        table=table(content["rows"], SIZES, SHOWN),
        saturating=table(content["degree 4"], (SATURATING,), SATURATING),
        n=SATURATING,
        shown=SHOWN,
        n_kernel=len(list(kernel_pca_candidates(SHOWN))),
        n_autoencoder=len(list(autoencoder_candidates(SHOWN))),
        epochs=EPOCHS,
        versions=", ".join(f"{name} {number}" for name, number in content["versions"].items()),
        date=content["date"],
    )


def draw(data: Data, path: Path) -> None:
    """Show test digits and their reconstructions."""
    from matplotlib.figure import Figure

    from gramian_paper.datasets import load_usps

    y = load_usps(subset="test").target
    rows = [int(np.flatnonzero(y == digit)[0]) for digit in range(10)]
    X = data.test[rows]
    raw = load_usps(subset="train", scaling=None).data
    mean, deviation = raw.mean(axis=0), raw.std(axis=0)
    pictures = {"test rows": X}
    for name, fit, options in (("PCA", pca, {}), ("GFR", gfr, AUTO)):
        pictures[name] = fit(data, SHOWN, **options)[1](X)
    figure = Figure(figsize=(8, 2.7), layout="constrained")
    for axes, (name, values) in zip(figure.subplots(3, 1), pictures.items(), strict=True):
        images = (values * deviation + mean).reshape(-1, 16, 16)
        axes.imshow(np.hstack(images), cmap="gray_r", vmin=-1, vmax=1)
        share = np.sum((X - values) ** 2) / np.sum(X**2)
        label = name if name == "test rows" else f"{name}, {SHOWN}\n{100 * share:.0f} % lost"
        axes.set_ylabel(label, rotation=0, ha="right", va="center")
        axes.set(xticks=[], yticks=[])
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("docs/reconstruction.json"))
    parser.add_argument("--page", action="store_true", help="only write the page again")
    parser.add_argument("--anew", action="store_true", help="discard earlier measurements")
    options = parser.parse_args()
    path: Path = options.output
    content: dict[str, Any] = {"rows": [], "degree 4": []}
    if path.exists() and not options.anew:
        content = json.loads(path.read_text(encoding="utf-8"))
    if not options.page:
        warnings.simplefilter("ignore", OverfittingWarning)  # one of the rows is there to show it
        data = load()
        content |= {"date": time.strftime("%Y-%m-%d"), "versions": run.versions()}
        for part, methods, sizes in (
            ("rows", METHODS, SIZES),
            ("degree 4", DEGREE_4, (SATURATING,)),
        ):
            for method, (fit, fixed) in methods.items():
                for n in sizes:
                    if not any((row["method"], row["n"]) == (method, n) for row in content[part]):
                        content[part].append(measure(data, method, fit, fixed, n))
                        path.write_text(
                            json.dumps(content, indent=1, ensure_ascii=False) + "\n",
                            encoding="utf-8",
                        )
        draw(data, path.parent / "images" / "reconstruction.png")
    path.with_suffix(".md").write_text(page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
