"""All baselines by name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import MappingProxyType
from typing import Any

from sklearn.decomposition import PCA, FastICA, KernelPCA

from gramian_paper.baselines._autoencoder import Autoencoder
from gramian_paper.baselines._filters import CorrelationFilter, VarianceRanking
from gramian_paper.baselines._lpp import LPP
from gramian_paper.baselines._mcfs import MCFS
from gramian_paper.baselines._ndfs import NDFS
from gramian_paper.baselines._packages import installed, load
from gramian_paper.baselines._scores import FisherScore, LaplacianScore, TraceRatio
from gramian_paper.baselines._udfs import UDFS
from gramian_paper.baselines._wrapped import CURRanking, FastCanRanking, FPSRanking, UFFSRanking


@dataclass(frozen=True)
class Baseline:
    """Description of a baseline.

    Examples
    --------
    >>> from gramian_paper.baselines import SELECTORS
    >>> baseline = SELECTORS["laplacian-score"]
    >>> baseline.title, baseline.supervised
    ('Laplacian score', False)
    """

    title: str
    """Name in a table."""
    reference: str
    """Authors and year."""
    make: Callable[..., Any]
    """Function that makes an unfitted estimator from a count and options."""
    supervised: bool = False
    """True if `fit` needs labels."""
    random: bool = False
    """True if it has a `random_state`."""
    varied: tuple[str, ...] = ()
    """Options that the paper varies in its box plots."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """The paper's settings that differ from the defaults of `make`."""
    module: str | None = None
    """Package that is imported on use."""


def _umap(n_components: int, *, random_state: Any = None, **options: Any) -> Any:
    if random_state is not None:
        # With a seed umap-learn computes in one thread, and warns unless n_jobs=1.
        options.setdefault("n_jobs", 1)
    with warnings.catch_warnings():
        # umap-learn warns that its neural variant, which is not used, needs TensorFlow.
        warnings.filterwarnings("ignore", "Tensorflow not installed", ImportWarning)
        package = load("umap", "umap-learn")
    return package.UMAP(n_components=n_components, random_state=random_state, **options)


EXTRACTORS: Mapping[str, Baseline] = MappingProxyType(
    {
        "pca": Baseline("PCA", "Pearson, 1901", PCA, random=True),
        "kernel-pca": Baseline(
            "Kernel PCA",
            "Schölkopf, Smola and Müller, 1998",
            KernelPCA,
            random=True,
            # The degree of the functions with which GFR is compared; gamma = 1/n_features and
            # coef0 = 1 are scikit-learn's. On data in [0, 1], not standardized, these give the
            # paper's accuracies on COIL-20 and USPS.
            defaults={"kernel": "poly", "degree": 4},
        ),
        "fast-ica": Baseline("FastICA", "Hyvärinen and Oja, 2000", FastICA, random=True),
        "umap": Baseline(
            "UMAP",
            "McInnes, Healy and Melville, 2018",
            _umap,
            random=True,
            varied=("min_dist", "n_neighbors"),
            module="umap",
        ),
        "lpp": Baseline("LPP", "He and Niyogi, 2003", LPP),
        "autoencoder": Baseline(
            "Autoencoder",
            "Hinton and Salakhutdinov, 2006",
            Autoencoder,
            random=True,
            varied=("hidden_layer_sizes", "epochs"),
        ),
    }
)
"""The extractors by name."""

SELECTORS: Mapping[str, Baseline] = MappingProxyType(
    {
        "mcfs": Baseline(
            "MCFS",
            "Cai, Zhang and He, 2010",
            MCFS,
            random=True,
            module="skfeature",
        ),
        "ndfs": Baseline("NDFS", "Li, Yang, Liu, Zhou and Lu, 2012", NDFS, random=True),
        "udfs": Baseline("UDFS", "Yang, Shen, Ma, Huang and Zhou, 2011", UDFS),
        "laplacian-score": Baseline("Laplacian score", "He, Cai and Niyogi, 2005", LaplacianScore),
        "trace-ratio": Baseline(
            "Trace ratio", "Nie, Xiang, Jia, Zhang and Yan, 2008", TraceRatio, supervised=True
        ),
        "fisher-score": Baseline(
            "Fisher score", "Duda, Hart and Stork, 2001", FisherScore, supervised=True
        ),
        "uffs": Baseline("UFFS", "Heidari, Sreedharan, Shamir and Szpankowski, 2022", UFFSRanking),
        "fastcan": Baseline(
            "fastcan",
            "Zhang and Lang, 2022",
            FastCanRanking,
            module="fastcan",
        ),
        "cur": Baseline(
            "CUR",
            "Imbalzano et al., 2018",
            CURRanking,
            random=True,
            module="skmatter",
        ),
        "fps": Baseline(
            "FPS",
            "Imbalzano et al., 2018",
            FPSRanking,
            random=True,
            module="skmatter",
        ),
        "variance": Baseline("Variance", "common practice", VarianceRanking),
        "correlation": Baseline("Correlation filter", "common practice", CorrelationFilter),
    }
)
"""The selectors by name."""


def extractor(name: str, n_components: int, *, random_state: Any = None, **options: Any) -> Any:
    """Make an extractor, with the paper's settings unless told otherwise.

    Parameters
    ----------
    name : str
        One of :data:`EXTRACTORS`.
    n_components : int
        The number of features to extract.
    random_state : int, RandomState or None, default=None
        The seed; extractors that are not random have no use for it.
    **options : Any
        Further parameters of the extractor.

    Returns
    -------
    extractor : estimator
        An unfitted scikit-learn transformer.

    Examples
    --------
    >>> from gramian_paper.baselines import extractor
    >>> extractor("kernel-pca", 3)
    KernelPCA(degree=4, kernel='poly', n_components=3)
    """
    return _make("extractor", EXTRACTORS, name, "n_components", n_components, random_state, options)


def selector(name: str, n_features: int, *, random_state: Any = None, **options: Any) -> Any:
    """Make a selector, with the paper's settings unless told otherwise.

    Parameters
    ----------
    name : str
        One of :data:`SELECTORS`.
    n_features : int
        The number of features to select.
    random_state : int, RandomState or None, default=None
        The seed; selectors that are not random have no use for it.
    **options : Any
        Further parameters of the selector.

    Returns
    -------
    selector : estimator
        An unfitted scikit-learn selector, with labels in `fit` if it is supervised.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import selector
    >>> X = np.random.default_rng(0).standard_normal((50, 3)) * [1, 3, 2]
    >>> selector("variance", 2).fit(X).get_support()
    array([False,  True,  True])
    """
    return _make("selector", SELECTORS, name, "n_features", n_features, random_state, options)


def available(name: str) -> bool:
    """Return True if all packages of a baseline are installed.

    Parameters
    ----------
    name : str
        One of :data:`EXTRACTORS` or :data:`SELECTORS`.

    Returns
    -------
    available : bool
        True if the baseline can be used with its defaults.

    Examples
    --------
    >>> from gramian_paper.baselines import available
    >>> available("pca")
    True
    """
    baseline = _find("baseline", {**EXTRACTORS, **SELECTORS}, name)
    return baseline.module is None or installed(baseline.module)


def _find(kind: str, known: Mapping[str, Baseline], name: str) -> Baseline:
    if name not in known:
        raise ValueError(f"There is no {kind} {name!r}; there are {', '.join(known)}.")
    return known[name]


def _make(
    kind: str,
    known: Mapping[str, Baseline],
    name: str,
    count_name: str,
    count: int,
    random_state: Any,
    options: dict[str, Any],
) -> Any:
    baseline = _find(kind, known, name)
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
        raise ValueError(f"{count_name} must be a positive integer, not {count!r}.")
    if baseline.random:
        options = {"random_state": random_state, **options}
    return baseline.make(count, **{**baseline.defaults, **options})
