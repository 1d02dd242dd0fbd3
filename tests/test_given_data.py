"""Decimals are numbers, masked cells are missing cells, and record batches have names."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import gramian
from gramian import GFA, GFR, UFFS, GramianImputer
from gramian._support.given_data import as_given


def products(n_rows=300):
    """Return an array whose last column is the product of the first two, and a mask of cells."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n_rows, 3))
    mask = np.zeros((n_rows, 4), dtype=bool)
    mask[::7, 1] = mask[::11, 3] = True
    return np.column_stack([x, x[:, 0] * x[:, 1]]), mask


def masked_products():
    """Return the table of `products` with masked cells, and the same table with NaN."""
    x, mask = products()
    return np.ma.array(np.where(mask, -9999.0, x), mask=mask), np.where(mask, np.nan, x)


def decimals():
    """Return a frame of decimals with gaps, in which z is the sum of x and y."""
    rng = np.random.default_rng(0)
    x, y = ([Decimal(int(i)) / 100 for i in rng.integers(1, 999, 80)] for _ in range(2))
    frame = pd.DataFrame({"x": x, "y": y, "z": [a + b for a, b in zip(x, y, strict=True)]})
    frame.loc[3, "x"], frame.loc[3, "z"] = None, Decimal("NaN")
    return frame


def test_decimals_are_numbers():
    frame = decimals()
    assert [str(law) for law in gramian.relations(frame)] == ["z = x + y"]
    assert [str(law) for law in gramian.relations(frame.to_dict("list"))] == ["z = x + y"]
    assert gramian.select(frame).kept == ["x", "y"]
    steps = gramian.models.Preprocessing.learn(frame, ["x", "z"], impute="mean")
    assert steps.apply(frame).dtype == np.float64


@pytest.mark.parametrize(
    "answer",
    [
        lambda X: GFA().fit(X).redundant_features_,
        lambda X: GFR(2).fit(X).transform(X),
        lambda X: GFA().fit(products()[0]).reconstruction_error(X),
        lambda X: GFA().fit(products()[0], validation_data=X).redundant_features_,
        lambda X: UFFS(2).fit(X).transform(X),
        lambda X: GFA().fit(products()[0]).inverse_transform(X[:, :3]),
        lambda X: GramianImputer().fit(X).transform(X),
        lambda X: str(gramian.relations(X)),
        lambda X: str(gramian.relations({f"c{i}": X[:, i] for i in range(4)})),
        lambda X: str(gramian.select(X)),
        lambda X: str(gramian.select({f"c{i}": X[:, i] for i in range(4)})),
        lambda X: gramian.select(X).transform(X),
        lambda X: (
            gramian.models.Preprocessing.learn(
                {f"c{i}": X[:, i] for i in range(4)}, ["c1"], impute="mean"
            ).impute
        ),
    ],
)
def test_masked_cells_are_missing_cells(answer):
    masked, missing = masked_products()
    np.testing.assert_array_equal(answer(masked), answer(missing))


def test_masked_cells_of_every_type_are_missing():
    days = np.ma.array(np.array(["2024-01-05"] * 2, "datetime64[D]"), mask=[0, 1])
    assert np.isnat(as_given(days)).tolist() == [False, True]
    assert as_given(np.ma.array(["a", "b"], mask=[1, 0])).tolist() == [None, "b"]
    assert np.isnan(as_given(np.ma.array([1, 2], mask=[0, 1]))).tolist() == [False, True]
    assert as_given(np.ma.array([1, 2])).tolist() == [1, 2]


def test_a_record_batch_has_names():
    x, _ = products()
    batch = pa.RecordBatch.from_arrays([pa.array(each) for each in x.T], names=[*"abcd"])
    gfa = GFA().fit(batch)
    assert gfa.feature_names_in_.tolist() == [*"abcd"]
    assert gfa.get_feature_names_out().tolist() == [*"abc"]
    np.testing.assert_array_equal(gfa.transform(batch), x[:, :3])
    assert gramian.select(batch).kept == [*"abc"]
    assert str(gramian.relations(batch)[0]) == "d = a · b"
    weighted = batch.append_column("w", pa.array(np.ones(len(x))))
    assert GFA().fit(weighted, sample_weight="w").feature_names_in_.tolist() == [*"abcd"]
