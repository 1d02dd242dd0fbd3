"""Held-out rows of files and streams."""

import numpy as np
import pandas as pd
import pytest
from source_cases import (
    ALGORITHMS,
    BUDGET,
    DASK_SOURCES,
    INDICES,
    NAMES,
    SOURCES,
    TABLE,
    X,
    assert_same,
    estimator,
    make_table,
    write_parquet,
)

from gramian import GFR, GFS
from gramian.fitting import _held_out_rows as preparation

EACH = pytest.mark.parametrize("index", INDICES, ids=[each[0].__name__ for each in ALGORITHMS])
NEW = make_table(500, seed=7)
DATA = {
    "Parquet": write_parquet,
    "CSV": SOURCES["CSV"],
    "Dask array": lambda folder: DASK_SOURCES["array"](),
    "Dask data frame": lambda folder: DASK_SOURCES["data frame"](),
}
EVERYWHERE = pytest.mark.parametrize("data", DATA)


@EACH
@EVERYWHERE
def test_validation_data_choose_the_penalty_as_in_memory(tmp_path, data, index):
    options = {"alpha": "auto", "count": 4, "threshold": None}
    new = NEW if data == "Dask array" else pd.DataFrame(NEW, columns=NAMES)
    fitted = estimator(ALGORITHMS[index], **options)
    fitted.fit(DATA[data](tmp_path), validation_data=new)
    expected = estimator(ALGORITHMS[index], **options).fit(X, validation_data=NEW)
    assert_same(fitted, expected)
    np.testing.assert_array_equal(fitted.alpha_path_, expected.alpha_path_)
    np.testing.assert_allclose(
        fitted.validation_total_residual_variance_,
        expected.validation_total_residual_variance_,
        rtol=1e-8,
    )


@EVERYWHERE
def test_a_share_of_the_rows_can_be_held_out(tmp_path, data):
    fitted = GFR(3, validation_fraction=0.2, memory_budget=BUDGET, alpha=0).fit(
        DATA[data](tmp_path)
    )
    n_held_out = len(X) - fitted.n_samples_
    assert abs(n_held_out - 600) < 5 * np.sqrt(600 * 0.8)
    expected = GFR(3, validation_fraction=0.2, alpha=0).fit(X)  # another seed holds out other rows
    np.testing.assert_allclose(
        fitted.validation_total_residual_variance_,
        expected.validation_total_residual_variance_,
        rtol=0.2,
    )


@EVERYWHERE
def test_a_penalty_found_on_held_out_rows_is_used_for_all_rows(tmp_path, data):
    fitted = GFR(3, alpha="auto", memory_budget=BUDGET).fit(DATA[data](tmp_path))
    assert fitted.n_samples_ == len(X)
    assert_same(fitted, GFR(3, alpha=fitted.alpha_).fit(X))


@EVERYWHERE
def test_held_out_rows_stop_a_fit(tmp_path, data):
    fitted = GFS(
        8,
        early_stopping=True,
        n_iter_no_change=1,
        tol=0.05,
        memory_budget=BUDGET,
        alpha=0,
        criterion="variance",
    )
    fitted.fit(DATA[data](tmp_path))
    assert fitted.stop_reason_ == "early_stopping"
    assert len(fitted.selected_features_) < 8


@pytest.mark.parametrize("data", ["CSV", "Dask data frame"])
def test_few_rows_are_held_out_of_a_table_of_unknown_length(tmp_path, data, monkeypatch):
    monkeypatch.setattr(preparation, "MAX_HELD_OUT", 40)
    fitted = GFR(3, validation_fraction=0.5, memory_budget=BUDGET, alpha=0).fit(
        DATA[data](tmp_path)
    )
    assert 20 <= len(X) - fitted.n_samples_ <= 80
    # Rows that are released from the held-out part take part in the fit.
    np.testing.assert_allclose(fitted.mean_, X.mean(axis=0), atol=0.2)
    np.testing.assert_allclose(fitted.components_, GFR(3, alpha=0).fit(X).components_, atol=0.1)


def test_a_family_can_be_chosen_from_files(tmp_path):
    path = write_parquet(tmp_path, TABLE)
    fitted = GFS(
        3, family="auto", degree="auto", memory_budget=BUDGET, alpha=0, criterion="variance"
    ).fit(path)
    expected = GFS(3, family="auto", degree="auto", alpha=0, criterion="variance").fit(X)
    assert fitted.family_ == expected.family_
    np.testing.assert_array_equal(fitted.selected_features_, expected.selected_features_)


@pytest.mark.parametrize("weight", [np.inf, np.nan, -1.0])
def test_weights_in_blocks_must_be_finite_and_not_negative(weight):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=[*"abc"])
    table["w"] = np.where(np.arange(60) == 42, weight, 1.0)
    with pytest.raises(ValueError, match=rf"row 42 of .* is {weight}; weights must be finite"):
        GFR(1, alpha=0).fit(lambda: iter([table[:30], table[30:]]), sample_weight="w")
