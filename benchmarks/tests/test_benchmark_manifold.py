"""The comparison of curved codes runs in parts, on small data, and resumes."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1]
FAST = ["PCA", "quadratic manifold, alternated", "**PolynomialManifold, all chosen**"]


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import manifold
    import manifold_data

    data = manifold_data.digits()
    small = replace(
        data,
        train=data.train[:200],
        train_labels=data.train_labels[:200],
        test=data.test[:100],
        test_labels=data.test_labels[:100],
    )
    monkeypatch.setitem(manifold.TABLES, "digits", (lambda: small, (2, 3)))
    yield manifold
    for path in BENCHMARKS.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_a_run_measures_what_is_missing_and_writes_the_page(benchmark, tmp_path):
    output = tmp_path / "manifold.json"
    common = ["--output", str(output), "--tables", "digits"]
    benchmark.main([*common, "--methods", "PCA", "--sizes", "2"])
    first = json.loads(output.read_text(encoding="utf-8"))["rows"]
    assert [(row["method"], row["n"]) for row in first] == [("PCA", 2)]
    benchmark.main([*common, "--methods", *FAST])
    content = json.loads(output.read_text(encoding="utf-8"))
    rows = {(row["method"], row["n"]): row for row in content["rows"]}
    assert content["rows"][0] == first[0]
    assert set(rows) == {(method, n) for method in FAST for n in (2, 3)}
    for n in (2, 3):
        assert rows[FAST[1], n]["lost"] < rows["PCA", n]["lost"] < 1
        assert 0 < rows[FAST[2], n]["neighbours"] <= 1
    page = output.with_suffix(".md").read_text(encoding="utf-8")
    assert page == benchmark.page(content)
    assert f"{100 * rows['PCA', 2]['lost']:.2f}" in page


def test_pictures_are_drawn_of_tables_that_are_images(benchmark, tmp_path, monkeypatch):
    monkeypatch.setitem(benchmark.SHOWN, "digits", 2)
    for method in set(benchmark.METHODS) - {"PCA"}:
        monkeypatch.setitem(benchmark.METHODS, method, lambda data, k: None)
    output = tmp_path / "manifold.json"
    benchmark.main(["--output", str(output), "--tables", "digits", "--pictures", "--sizes", "2"])
    for name in ("manifold_digits.png", "manifold_digits_time.png", "manifold_grid.png"):
        assert (tmp_path / "images" / name).stat().st_size > 1000
    assert "images/manifold_grid.png" in output.with_suffix(".md").read_text(encoding="utf-8")


def test_kernel_pca_is_tuned_until_the_best_is_inside(benchmark):
    import manifold_methods

    data = benchmark.TABLES["digits"][0]()
    found = manifold_methods.kernel_pca(data, 2)
    assert found.points.shape == data.test.shape
    assert manifold_methods.lost(data.test, found.points) < 1
    assert np.isfinite(found.train).all()
