"""The benchmark runs on small data, and its page agrees with the JSON. Nothing is timed."""

import itertools
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    yield
    for name in [path.stem for path in BENCHMARKS.glob("*.py")]:
        sys.modules.pop(name, None)


@pytest.fixture(autouse=True)
def without_waiting(importable, monkeypatch):
    import quiet

    monkeypatch.setattr(quiet, "wait", lambda: None)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("GFR", {"degree": 2, "threshold": 0.1}),
        ("literal GFR", {"degree": 2, "n_components": 3}),
        ("oracle GFR", {"degree": 2, "n_components": 3}),
        ("PCA", {"n_components": 3}),
        ("KernelPCA", {"n_components": 3, "degree": 2}),
        ("GFS", {"degree": 2, "threshold": 0.1}),
        ("UFFS", {"degree": 2, "threshold": 0.1, "relative": False}),
        ("literal UFFS", {"degree": 2}),
        ("product", {"n": 50}),
    ],
)
def test_every_method_runs_on_small_data(method, options):
    import jobs

    outcome = jobs.run(jobs.Job(method, "tiny", options))
    assert outcome.seconds > 0
    assert outcome.megabytes > 0
    if "n_components" in options:
        assert outcome.n_components == 3


def test_a_job_runs_in_a_process_of_its_own_with_the_threads_asked_for(monkeypatch):
    import jobs

    monkeypatch.setenv("GRAMIAN_PATIENCE", "0")  # whatever else the machine does
    job = jobs.Job("GFR", "tiny", {"degree": 2, "n_components": 2}, threads=1)
    assert jobs.measure(job).n_components == 2
    assert jobs.in_child(os.getenv, "OPENBLAS_NUM_THREADS", threads=1) == "1"


def test_the_page_of_reconstructions_is_the_one_that_its_numbers_make():
    import reconstruction

    numbers = BENCHMARKS.parent / "docs" / "reconstruction.json"
    content = json.loads(numbers.read_text(encoding="utf-8"))
    assert reconstruction.page(content) == numbers.with_suffix(".md").read_text(encoding="utf-8")


def test_the_page_of_order_free_selection_is_the_one_that_its_numbers_make():
    import order_free

    numbers = BENCHMARKS.parent / "docs" / "order_free.json"
    content = json.loads(numbers.read_text(encoding="utf-8"))
    assert order_free.page(content) == numbers.with_suffix(".md").read_text(encoding="utf-8")


def test_the_page_of_few_columns_is_the_one_that_its_numbers_make():
    import columns

    numbers = BENCHMARKS.parent / "docs" / "columns.json"
    content = json.loads(numbers.read_text(encoding="utf-8"))
    assert columns.page(content) == numbers.with_suffix(".md").read_text(encoding="utf-8")


def test_a_dropped_column_counts_as_found_if_a_law_of_its_own_is_left_for_it():
    import selection_truth

    laws = [{"a", "b"}, {"b", "c"}]
    assert selection_truth.assigned(["b", "a"], laws) == 2
    assert selection_truth.assigned(["b", "a", "d"], laws) == 2
    assert selection_truth.assigned(["d"], laws) == 0


def test_equations_of_known_redundancies_are_read_and_checked():
    import selection_truth

    names = ["p q", "r", "s"]
    x = np.random.default_rng(0).uniform(1, 2, (50, 2))
    X = np.column_stack([x, 3 * np.log(x[:, 0] * x[:, 1])])
    law = "s = log(`p q` * r)"
    assert selection_truth.columns_of(law, names) == {"p q", "r", "s"}
    assert selection_truth.holds(law, names, X) < 1e-12
    assert selection_truth.holds("s = r", names, X) > 0.1
    assert all(" = " in law for laws in selection_truth.known().values() for law in laws)


def test_the_literal_algorithms_find_what_the_library_finds():
    import jobs
    import literal
    import suite

    from gramian import GFR, UFFS

    X = jobs.load("tiny")
    directions = literal.gfr(X, degree=2, n_components=3)
    note = suite.agreement(GFR(3, degree=2, alpha=0).fit(X).components_, directions)
    assert note.startswith("same directions, ")
    X = jobs.selection_data(0)[:, :8]
    norms = UFFS(degree=3, relative=False).fit(X).fourier_norms_
    np.testing.assert_allclose(literal.uffs(X, degree=3), norms, rtol=1e-8)


def test_directions_that_part_are_said_to():
    import suite

    ours = np.eye(4)[:3]
    theirs = np.eye(4)[[0, 1, 3]]
    assert suite.agreement(ours, -ours).startswith("same directions, ")
    assert "first 2 directions are the same" in suite.agreement(ours, theirs)


def test_the_selection_data_have_fifteen_products_of_other_features():
    import jobs

    X = jobs.selection_data(1)
    assert X.shape == (1000, 30)
    row = X[:3]  # three rows tell products from chance
    products = [
        row[:, chosen].prod(axis=1)
        for size in (2, 3)
        for chosen in itertools.combinations(range(30), size)
    ]
    is_product = [np.isclose(products, column, rtol=1e-12).all(axis=1).any() for column in row.T]
    assert sum(is_product) == 15


def test_operations_are_counted_entry_by_entry():
    import jobs

    from gramian import GFR

    X = np.random.default_rng(0).standard_normal((3000, 4))
    fitted = GFR(3, degree=2, solver="gram", alpha=0).fit(X)  # 1, then 2, then 3 functions
    entries = 1 * (1 + 1) + 2 * (2 + 2) + 3 * (4 + 3)
    assert jobs.operations(fitted, 3000, 4) == 2 * 3000 * (entries + 6 * 4) + 7**3 / 3


def test_exponents_and_the_cost_model_recover_a_known_law():
    import scaling

    points = [
        scaling.Point(sweep, "gram", 2, 2, n, d, m, f, 1e-9 * n * f**2 / 2)
        for sweep, n, d, m, f in [
            *(("rows", n, 100, 40, 821) for n in (5000, 10000, 20000)),
            *(("functions", 20000, 100, m, 1 + m * (m + 1) // 2) for m in (20, 40, 80)),
            *(("columns", 20000, d, 40, 821) for d in (50, 100, 200)),
        ]
    ]
    summary = scaling.summarize(points, threads=2, bare=0.0)
    exponents = summary["exponents"]["gram 2"]
    assert exponents == pytest.approx({"rows": 1, "functions": 2, "columns": 0}, abs=1e-6)
    assert summary["models"]["gram 2"]["nanoseconds"]["products"] == pytest.approx(1, rel=1e-6)


def test_the_page_has_every_target_and_every_row(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    import jobs
    import report
    import run
    import scaling
    import suite

    monkeypatch.setattr(suite, "measure", jobs.run)  # in this process
    monkeypatch.setattr(
        suite, "all_rows", lambda quick, long: suite.reduction("tiny", 2, 0.1, quick)
    )
    monkeypatch.setattr(suite, "imports", lambda: {report.OURS: 1.1, report.THEIRS: 1.0})
    monkeypatch.setattr(run, "machine", lambda: MACHINE)
    monkeypatch.setattr(run, "bare_multiplication", lambda: 1e-11)
    monkeypatch.setattr(scaling, "in_child", lambda f, *args, threads: f(*args))
    monkeypatch.setattr(scaling, "ROWS", 300)
    monkeypatch.setattr(scaling, "COLUMNS", 6)
    monkeypatch.setattr(scaling, "DIRECTIONS", {2: 4, 3: 4})
    small = {2: [4, 5, 6], 3: [4, 5, 6]}
    sweeps = {"rows": {2: [200, 400], 3: [200, 400]}, "functions": small, "columns": small}
    measure_all = scaling.measure_all
    monkeypatch.setattr(scaling, "measure_all", lambda threads: measure_all(threads, sweeps))
    (tmp_path / "images").mkdir()
    output = tmp_path / "benchmarks.json"
    monkeypatch.setattr(sys, "argv", ["run.py", "--output", str(output)])
    run.main()

    content = json.loads(output.read_text(encoding="utf-8"))
    page = output.with_suffix(".md").read_text(encoding="utf-8")
    assert page == report.page(content)
    assert all(f"| {target.name} |" in page for target in report.TARGETS)
    assert all(f"| {row['job']} | {row['method']} |" in page for row in content["rows"])
    assert "| import, against scikit-learn's decomposition | ≤ 1.2× | 1.1× | met |" in page  # noqa: RUF001
    assert (tmp_path / "images" / "scaling.svg").stat().st_size > 1000

    monkeypatch.setattr(sys, "argv", ["run.py", "--output", str(output), "--page"])
    output.with_suffix(".md").unlink()
    run.main()
    assert output.with_suffix(".md").read_text(encoding="utf-8") == page


MACHINE = {
    "cpu": "some",
    "cores": 2,
    "blas": "some",
    "blas_threads": 2,
    "system": "some",
    "python": "3",
}


def test_accuracy_is_measured_against_extended_precision(monkeypatch):
    import accuracy

    rng = np.random.default_rng(0)
    near = rng.standard_normal((300, 1)) + 1e-5 * rng.standard_normal((300, 4))
    case = accuracy.Case("near copies", near, accuracy.Multilinear(1), 3)
    condition, results = accuracy.measure(case)
    assert 1e5 < condition < 1e6
    published, qr, single, gram = results
    assert qr.loss < 1e-14 < gram.loss < 1e-10 < published.loss
    assert (qr.n_functions, single.n_functions, gram.n_functions) == (4, 2, 4)
    assert max(qr.error, gram.error) < 1e-12 < single.error
    lines = accuracy.table({"near copies": [(condition, results)]}).splitlines()
    assert len(lines) == 2 + 4
    assert accuracy._admission.MAX_PASSES > 1
