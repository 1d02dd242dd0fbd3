"""Columns by name, weights and outputs have one meaning in every container of data."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cli_cases import run
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted
from source_cases import BUDGET, FRAME, NAMES, X

from gramian import GCA, GFA, GFR, GFS, UFFS, PolynomialManifold
from gramian.exceptions import FormatError

WEIGHTS = np.random.default_rng(3).uniform(0.5, 2, len(X))
WEIGHTED = FRAME.assign(w=WEIGHTS)
KINDS = [GFR(2, alpha=0), GFS(2, alpha=0, criterion="variance"), PolynomialManifold(1, degree=2)]
IDS = [type(each).__name__ for each in KINDS]


def dask_of(table):
    return pytest.importorskip("dask.dataframe").from_pandas(table, npartitions=3)


def blocks(*tables):
    """Return a function that yields the tables on each pass."""
    return lambda: iter(tables)


ARROW = {"data frames": lambda frame: frame, "Arrow tables": pa.Table.from_pandas}


@pytest.mark.parametrize("make", ARROW.values(), ids=ARROW)
def test_blocks_are_aligned_by_name(make):
    turned = blocks(make(FRAME[:100]), make(FRAME[100:].iloc[:, ::-1]))
    fitted = GFR(2, alpha=0, memory_budget=BUDGET).fit(turned)
    expected = GFR(2, alpha=0).fit(FRAME)
    np.testing.assert_allclose(fitted.mean_, expected.mean_, atol=1e-12)
    np.testing.assert_allclose(fitted.transform(turned), fitted.transform(FRAME), atol=1e-12)
    assert fitted.score(turned) == pytest.approx(expected.score(FRAME), abs=1e-9)


def test_blocks_that_carry_weights_are_aligned_by_name():
    turned = blocks(WEIGHTED[:100], WEIGHTED[100:].iloc[:, ::-1])
    fitted = GFR(2, alpha=0, memory_budget=BUDGET).fit(turned, sample_weight="w")
    expected = GFR(2, alpha=0).fit(FRAME, sample_weight=WEIGHTS)
    np.testing.assert_allclose(fitted.mean_, expected.mean_, atol=1e-12)
    np.testing.assert_allclose(fitted.residual_variance_, expected.residual_variance_, rtol=1e-6)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            FRAME[100:].rename(columns={NAMES[0]: "other"}),
            f"row 100 .* lacks the column '{NAMES[0]}'",
        ),
        (FRAME[100:].assign(more=1.0), "row 100 .* has more columns"),
        (X[100:], "some blocks have names of columns, and some have none"),
    ],
)
def test_blocks_of_other_columns_are_refused(second, message):
    with pytest.raises(ValueError, match=message):
        GFR(2, alpha=0, memory_budget=BUDGET).fit(blocks(FRAME[:100], second))


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_weights_count_in_scores_of_any_data(kind, tmp_path):
    fitted = kind.fit(FRAME)
    expected = fitted.score(FRAME, sample_weight=WEIGHTS)
    assert expected != pytest.approx(fitted.score(FRAME), abs=1e-6)
    WEIGHTED.to_parquet(tmp_path / "t.parquet")
    collection = dask_of(WEIGHTED)
    scores = [
        fitted.score(WEIGHTED, sample_weight="w"),
        fitted.score(tmp_path / "t.parquet", sample_weight="w"),
        fitted.score(collection, sample_weight="w"),
        fitted.score(collection[NAMES], sample_weight=WEIGHTS),
        fitted.score(collection[NAMES], sample_weight=collection["w"]),
        fitted.score(blocks(WEIGHTED), sample_weight="w"),
    ]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)
    with pytest.raises(ValueError, match=r"shape == \(3,\)"):
        fitted.score(collection[NAMES], sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match="no column 'v' to take weights from"):
        fitted.score(WEIGHTED, sample_weight="v")


def test_a_fit_without_names_takes_weights_by_name(tmp_path):
    fitted = GFR(2, alpha=0).fit(X)
    WEIGHTED.to_parquet(tmp_path / "t.parquet")
    expected = fitted.score(X, sample_weight=WEIGHTS)
    for data in (tmp_path / "t.parquet", blocks(WEIGHTED)):
        assert fitted.score(data, sample_weight="w") == pytest.approx(expected)


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_a_column_of_weights_is_not_transformed(kind, tmp_path):
    WEIGHTED.to_csv(tmp_path / "t.csv", index=False)
    expected = kind.fit(FRAME, sample_weight=WEIGHTS).transform(FRAME)
    for data in (WEIGHTED, pa.Table.from_pandas(WEIGHTED), dask_of(WEIGHTED), tmp_path / "t.csv"):
        found = np.asarray(kind.fit_transform(data, sample_weight="w"))
        np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_inverse_transform_takes_columns_of_the_code_by_name(kind, tmp_path):
    fitted = kind.fit(FRAME)
    kept = pd.DataFrame(np.asarray(fitted.transform(FRAME)), columns=fitted.get_feature_names_out())
    expected = fitted.inverse_transform(kept.to_numpy())
    turned = kept.assign(extra=0.0).iloc[:, ::-1]
    turned.to_parquet(tmp_path / "z.parquet")
    for data in (turned, pa.Table.from_pandas(turned), tmp_path / "z.parquet", dask_of(turned)):
        np.testing.assert_allclose(fitted.inverse_transform(data), expected, atol=1e-12)
    if kept.shape[1] > 1:  # with one column and no known name, columns go by position
        with pytest.raises(ValueError, match=f"lacks the column '{kept.columns[-1]}'"):
            fitted.inverse_transform(kept.iloc[:, :-1].assign(extra=0.0))
    numbered = kept.set_axis(range(kept.shape[1]), axis=1)  # no names: by position
    np.testing.assert_array_equal(fitted.inverse_transform(numbered), expected)


FORMS = {
    "array": lambda folder: X,
    "data frame": lambda folder: FRAME,
    "sparse matrix": lambda folder: csr_array(X),
    "array on disk": lambda folder: np.load(folder / "x.npy", mmap_mode="r"),
    "Dask": lambda folder: dask_of(FRAME),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS[:2], ids=IDS[:2])
def test_an_output_is_written_for_every_kind_of_data(kind, form, tmp_path):
    np.save(tmp_path / "x.npy", X)
    data = FORMS[form](tmp_path)
    rows = FRAME if form in ("data frame", "Dask") else X
    fitted = kind.fit(rows)
    expected = fitted.transform(rows)
    for name, call in {
        "z.csv": lambda path: fitted.transform(data, output=path),
        "z.npy": lambda path: fitted.transform(data, output=path),
        "f.parquet": lambda path: kind.fit_transform(data, output=path),
    }.items():
        path = tmp_path / name
        assert call(path) == path
        np.testing.assert_allclose(_read(path), expected, atol=1e-9)
    back = fitted.inverse_transform(np.load(tmp_path / "z.npy"), output=tmp_path / "back.npy")
    np.testing.assert_allclose(
        np.load(back), fitted.inverse_transform(np.load(tmp_path / "z.npy")), atol=1e-12
    )


def _read(path):
    if path.suffix == ".npy":
        return np.load(path)
    return (pd.read_csv if path.suffix == ".csv" else pd.read_parquet)(path)


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_an_impossible_output_is_refused_before_the_fit(kind, tmp_path):
    fitted = kind.fit(X)
    unfitted = type(kind)(**kind.get_params())
    for path, error in (
        (tmp_path / "no" / "z.csv", FileNotFoundError),
        (tmp_path / "z.xyz", FormatError),
    ):
        for call in (unfitted.fit_transform, fitted.transform):
            with pytest.raises(error):
                call(X, output=path)
    assert not hasattr(unfitted, "model_")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_read_is_not_written_into(tmp_path):
    folder = tmp_path / "table"
    folder.mkdir()
    for part, rows in enumerate((FRAME[:100], FRAME[100:])):
        rows.to_parquet(folder / f"{part}.parquet")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    fitted = GFR(2, alpha=0).fit(FRAME)
    for name in ("0.parquet", "new.parquet"):
        with pytest.raises(ValueError, match="whose Parquet files are read"):
            fitted.transform(folder, output=folder / name)
        done = run("select", str(folder), "-o", str(folder / name))
        assert done.exit_code == 2
        assert "write the file elsewhere" in " ".join(done.stderr.split())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    fitted.transform(folder, output=folder / "z.npy")  # a file that is no part of the table
    with pytest.raises(ValueError, match="with other tables"):
        fitted.transform(folder)


@pytest.mark.parametrize("method", ["score", "reconstruction_error"])
def test_a_file_without_rows_has_no_score(method, tmp_path):
    FRAME[:0].to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"t\.csv has no rows"):
        getattr(GFR(2, alpha=0).fit(FRAME), method)(tmp_path / "t.csv")


SATURATED = {
    "GFR": GFR(5, alpha=0),
    "GFS": GFS(5, alpha=0, criterion="variance"),
    "GFA": GFA(backward=False, alpha=0),
    "GCA": GCA(backward=False, alpha=0),
    "UFFS": UFFS(),
    "PolynomialManifold": PolynomialManifold(3, degree=3, alpha=0.1, n_rounds=1),
}


@pytest.mark.parametrize("name", SATURATED)
def test_a_warning_raised_as_an_error_leaves_the_fit_unchanged(name):
    estimator, rng = SATURATED[name], np.random.default_rng(0)
    few = rng.standard_normal((12, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh = type(estimator)(**estimator.get_params())
        with pytest.raises(UserWarning):
            fresh.fit(few)
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(fresh)


def test_blocks_with_repeated_column_names_are_refused():
    twice = WEIGHTED.set_axis(["a", "a", *WEIGHTED.columns[2:]], axis=1)
    for weight in ("w", None):
        with pytest.raises(ValueError, match="two of its columns have the same name"):
            GFR(2, alpha=0).fit(blocks(twice), sample_weight=weight)


def test_missing_values_of_pandas_are_recognized_in_blocks_and_partitions():
    table = FRAME.astype("Float64")
    table.iloc[3, 1] = pd.NA
    for data in (table, blocks(table), dask_of(table)):
        fitted = GFR(2, alpha=0).fit(data)
        assert (fitted.gaps_.n_rows, fitted.gaps_.n_complete) == (len(FRAME), len(FRAME) - 1)


@pytest.mark.parametrize("kind", KINDS[:2], ids=IDS[:2])
def test_partitions_without_rows_are_transformed(kind, tmp_path):
    fitted = kind.fit(FRAME)
    collection = dask_of(FRAME)
    few = collection[collection["a"] > FRAME["a"].quantile(0.995)]
    rows = FRAME[FRAME["a"] > FRAME["a"].quantile(0.995)]
    expected = fitted.transform(rows)
    np.testing.assert_allclose(fitted.transform(few).compute(), expected, atol=1e-12)
    path = fitted.transform(few, output=tmp_path / "z.npy")
    np.testing.assert_allclose(np.load(path), expected, atol=1e-12)
    assert fitted.score(few) == pytest.approx(fitted.score(rows))
    assert fitted.inverse_transform(fitted.transform(few)).compute().shape == rows.shape


def test_a_selection_of_dask_frames_goes_by_position_if_the_fit_had_no_names():
    fitted = KINDS[1].fit(X)
    expected = fitted.transform(X)
    for labels in (NAMES, range(len(NAMES))):
        found = fitted.transform(dask_of(FRAME.set_axis(labels, axis=1))).compute()
        np.testing.assert_array_equal(found, expected)


def test_an_output_file_together_with_set_output_is_refused(tmp_path):
    fitted = GFR(2, alpha=0).fit(X).set_output(transform="pandas")
    with pytest.raises(ValueError, match="set_output asks for pandas"):
        fitted.transform(X, output=tmp_path / "z.csv")
    fresh = GFR(2, alpha=0).set_output(transform="pandas")
    with pytest.raises(ValueError, match="set_output asks for pandas"):
        fresh.fit_transform(X, output=tmp_path / "z.csv")
    assert not hasattr(fresh, "model_")
    assert not list(tmp_path.iterdir())


def test_codes_with_other_names_are_taken_by_position(tmp_path):
    fitted = GFR(2, alpha=0).fit(FRAME)
    kept = fitted.transform(FRAME)
    named = pd.DataFrame(kept, columns=["first", "second"])
    named.to_csv(tmp_path / "z.csv", index=False)
    for data in (named, tmp_path / "z.csv"):
        np.testing.assert_allclose(
            fitted.inverse_transform(data), fitted.inverse_transform(kept), atol=1e-12
        )


def test_a_folder_is_read_with_its_subfolders(tmp_path):
    (tmp_path / "table" / "day1.parquet").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    FRAME[:50].to_parquet(tmp_path / "table" / "day1.parquet" / "part.parquet")
    FRAME[50:].to_parquet(tmp_path / "elsewhere" / "part.parquet")
    (tmp_path / "table" / "_SUCCESS").touch()
    (tmp_path / "table" / "notes.txt").write_text("not a table", encoding="utf-8")
    (tmp_path / "table" / "day2").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "table" / "day2" / "back").symlink_to(tmp_path / "table")
    found = GFR(2, alpha=0).fit(tmp_path / "table")
    assert found.n_samples_ == len(FRAME)
