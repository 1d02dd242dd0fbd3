"""Baselines compared with direct calls of the packages that they wrap or reimplement."""

import sys

import numpy as np
import pytest
from sklearn.decomposition import PCA

from gramian_paper.baselines import (
    MCFS,
    NDFS,
    UDFS,
    FisherScore,
    LaplacianScore,
    TraceRatio,
    available,
    extractor,
    ranks_read_as_columns,
    selector,
)
from gramian_paper.baselines._graph import neighbour_graph
from gramian_paper.baselines._mcfs import embedding

SEEDS = range(4)


def draw(seed, n=70, d=9):
    """Return columns of different variances around three centres, and the centre of each row."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, d)) * rng.uniform(0.3, 2, d)
    return X + rng.standard_normal((3, d))[y], y


@pytest.mark.parametrize("seed", SEEDS)
class TestSkfeature:
    """The variant "skfeature" selects the same columns as the package scikit-feature."""

    def test_mcfs(self, seed):
        package = pytest.importorskip("skfeature.function.sparse_learning_based.MCFS")
        X, _ = draw(seed)
        direct = package.mcfs(X.copy(), n_selected_features=4, mode="index")
        np.testing.assert_array_equal(MCFS(4).fit(X).selected_features_, direct[:4])

    def test_ndfs(self, seed):
        package = pytest.importorskip("skfeature.function.sparse_learning_based.NDFS")
        X, _ = draw(seed)
        # The package draws from NumPy's global state, and has no seed of its own.
        np.random.seed(seed)  # noqa: NPY002
        direct = package.ndfs(X.copy(), n_clusters=3, mode="index")
        made = NDFS(9, n_clusters=3, random_state=seed).fit(X)
        np.testing.assert_array_equal(made.selected_features_, direct)

    def test_udfs(self, seed):
        package = pytest.importorskip("skfeature.function.sparse_learning_based.UDFS")
        X, _ = draw(seed)
        # With fewer neighbours than columns M is singular, and rounding errors decide.
        direct = package.udfs(X.copy(), n_clusters=3, gamma=0.2, k=12, mode="index")
        made = UDFS(9, n_clusters=3, gamma=0.2, n_neighbors=12).fit(X)
        np.testing.assert_array_equal(made.selected_features_, direct)

    def test_laplacian_score(self, seed):
        package = pytest.importorskip("skfeature.function.similarity_based.lap_score")
        X, _ = draw(seed)
        direct = package.lap_score(X.copy(), mode="index")
        np.testing.assert_array_equal(LaplacianScore(9).fit(X).selected_features_, direct)

    def test_laplacian_score_as_published_given_the_euclidean_graph(self, seed):
        package = pytest.importorskip("skfeature.function.similarity_based.lap_score")
        graph = pytest.importorskip("skfeature.utility.construct_W")
        X, _ = draw(seed)
        W = graph.construct_W(X, metric="euclidean", k=5)
        direct = package.lap_score(X, W=W, mode="index")
        made = LaplacianScore(9, variant="published").fit(X)
        np.testing.assert_array_equal(made.selected_features_, direct)

    def test_fisher_score(self, seed):
        package = pytest.importorskip("skfeature.function.similarity_based.fisher_score")
        X, y = draw(seed)
        direct = package.fisher_score(X.copy(), y, mode="index")
        np.testing.assert_array_equal(FisherScore(9).fit(X, y).selected_features_, direct)

    def test_trace_ratio(self, seed):
        package = pytest.importorskip("skfeature.function.similarity_based.trace_ratio")
        X, y = draw(seed)
        direct = package.trace_ratio(X.copy(), y, mode="index")
        np.testing.assert_array_equal(TraceRatio(9).fit(X, y).selected_features_, direct)

    def test_default_output_holds_ranks_read_as_columns(self, seed):
        trace_ratio = pytest.importorskip("skfeature.function.similarity_based.trace_ratio")
        fisher_score = pytest.importorskip("skfeature.function.similarity_based.fisher_score")
        X, y = draw(seed)
        for made, direct in [
            (TraceRatio(9), trace_ratio.trace_ratio(X.copy(), y)),
            (FisherScore(9), fisher_score.fisher_score(X.copy(), y)),
        ]:
            columns = ranks_read_as_columns(made.fit(X, y).selected_features_, 9)
            np.testing.assert_array_equal(columns, direct)

    def test_trace_ratio_of_a_given_number_is_the_fisher_score(self, seed):
        package = pytest.importorskip("skfeature.function.similarity_based.trace_ratio")
        X, y = draw(seed)
        direct = package.trace_ratio(X.copy(), y, n_selected_features=4, mode="index")
        assert set(direct) == set(FisherScore(4).fit(X, y).selected_features_)

    def test_mcfs_as_published_regresses_on_the_same_eigenvectors(self, seed):
        package = pytest.importorskip("skfeature.function.sparse_learning_based.MCFS")
        graph = pytest.importorskip("skfeature.utility.construct_W")
        X, _ = draw(seed)
        W = graph.construct_W(X, metric="euclidean", k=5)
        raw = package.mcfs(X, W=W, n_selected_features=4, n_clusters=3, mode="raw")
        made = MCFS(4, variant="published", n_clusters=3, random_state=0).fit(X)
        expected = np.argsort(-np.abs(raw).max(axis=1))[:4]
        np.testing.assert_array_equal(made.selected_features_, expected)


def test_the_embedding_solves_the_eigenproblem_of_the_graph():
    X, _ = draw(0)
    W = neighbour_graph(X, 6)
    Y = embedding(W, 3, random_state=0)
    D = np.asarray(W.sum(axis=1)).ravel()
    LY = D[:, None] * Y - W @ Y
    values = np.sum(Y * LY, axis=0) / np.sum(Y * D[:, None] * Y, axis=0)
    np.testing.assert_allclose(LY, values * D[:, None] * Y, atol=1e-10)
    scale = 1 / np.sqrt(D)
    every = np.linalg.eigvalsh(np.eye(70) - scale[:, None] * W.toarray() * scale)
    np.testing.assert_allclose(values, every[1:4], atol=1e-10)


@pytest.mark.parametrize("n_rows", [90, 12])  # 90 rows: iterative solver; 12 rows: dense solver
def test_the_embedding_of_a_disconnected_graph_separates_its_components(n_rows):
    parts = np.repeat([0, 1, 2], n_rows // 3)
    X = np.random.default_rng(0).standard_normal((n_rows, 2)) + 100 * parts[:, None]
    W = neighbour_graph(X, 4)
    Y = embedding(W, 2, random_state=0)
    D = np.asarray(W.sum(axis=1)).ravel()
    np.testing.assert_allclose(D @ Y, 0, atol=1e-10)  # orthogonal to the trivial solution
    for part in range(3):
        np.testing.assert_allclose(np.ptp(Y[parts == part], axis=0), 0, atol=1e-10)
    assert np.linalg.matrix_rank(Y, tol=1e-6) == 2


def test_the_packages_graph_has_5_neighbours_only():
    pytest.importorskip("skfeature")
    with pytest.raises(ValueError, match="n_neighbors=7 needs variant='published'"):
        MCFS(2, n_neighbors=7).fit(draw(0)[0])


def test_umap_equals_umap_learn():
    if not available("umap"):
        pytest.skip("umap-learn is not installed")
    X, _ = draw(0)
    options = {"n_neighbors": 10, "min_dist": 0.3, "n_epochs": 10}
    made = extractor("umap", 2, random_state=3, **options)
    direct = sys.modules["umap"].UMAP(n_components=2, random_state=3, n_jobs=1, **options)
    np.testing.assert_array_equal(made.fit_transform(X), direct.fit_transform(X))
    assert (extractor("umap", 2).n_neighbors, extractor("umap", 2).min_dist) == (15, 0.1)


def test_fastcan_equals_the_package_with_principal_components_as_labels():
    fastcan = pytest.importorskip("fastcan")
    X, _ = draw(0)
    direct = fastcan.FastCan(4, verbose=0).fit(X, PCA(4).fit_transform(X))
    np.testing.assert_array_equal(selector("fastcan", 4).fit(X).selected_features_, direct.indices_)


@pytest.mark.parametrize(("name", "own"), [("CUR", "cur"), ("FPS", "fps")])
def test_cur_and_fps_equal_scikit_matter(name, own):
    package = pytest.importorskip("skmatter.feature_selection")
    X, _ = draw(0)
    direct = getattr(package, name)(n_to_select=4, random_state=0).fit(X)
    made = selector(own, 4, random_state=0).fit(X)
    np.testing.assert_array_equal(made.selected_features_, direct.selected_idx_)


def test_a_first_column_out_of_range_is_an_error():
    pytest.importorskip("skmatter")
    with pytest.raises(ValueError, match="initialize=9, but X has 9 features"):
        selector("fps", 2, initialize=9).fit(draw(0)[0])
