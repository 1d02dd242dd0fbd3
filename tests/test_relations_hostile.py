"""Search for laws in difficult tables, and in files and Dask collections."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_cases import planted, table_of

import gramian
from gramian.laws.candidates import _sums_and_powers
from gramian.laws.columns import _table_sample


def texts(x, names=None, **options):
    return [str(each) for each in gramian.relations(x, names, **options)]


def test_constant_columns_have_laws_of_their_value():
    x = np.column_stack([np.full(50, 3.0), np.zeros(50), np.arange(50.0) ** 1.3])
    assert texts(x, ["three", "zero", "x"]) == ["three = 3", "zero = 0"]
    law = gramian.relations(x)[0]
    np.testing.assert_allclose(law.imbalance(x), 0)
    np.testing.assert_allclose(law.imbalance({"x0": [6.0]}), 0.5)


def test_a_table_of_constant_columns_has_no_other_laws():
    x = np.tile([3.0, 0.0], (50, 1))
    assert texts(x, ["three", "zero"]) == ["three = 3", "zero = 0"]
    assert not gramian.GFA(laws=True, family="multilinear").fit(x).support_.any()


def test_laws_with_coefficients_beyond_floating_point_are_not_listed():
    z = np.random.default_rng(0).uniform(1, 2, (60, 2))
    x = np.column_stack([z, 3 * z[:, 0] * z[:, 1], z[:, 1] ** 2 * 1e-320])
    assert texts(x) == ["x2 = 3 · x0 · x1"]
    assert gramian.GFA(laws=True, family="multilinear").fit(x).redundant_features_.tolist() == [2]


@pytest.mark.parametrize("exponent", [-150, 150])
def test_values_of_any_size_have_laws(exponent):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 5, (2, 200))
    unit = 10.0**exponent
    assert texts(np.column_stack([a * unit, b, 2 * a * b * unit]), ["a", "b", "y"]) == [
        "y = 2 · a · b"
    ]
    assert texts(np.column_stack([a * unit, b * unit, (a + b) * unit]), ["a", "b", "y"]) == [
        "y = a + b"
    ]


def test_each_copy_of_a_column_has_one_law():
    x = np.random.default_rng(0).standard_normal((100, 1))
    assert len(gramian.relations(np.repeat(x, 4, axis=1))) == 3


def test_polynomials_that_vanish_on_few_levels_are_no_laws():
    rng = np.random.default_rng(0)
    x = np.column_stack(
        [rng.integers(0, 2, 300), rng.integers(0, 3, 300), rng.integers(1997, 2001, 300)]
    )
    assert texts(x) == []


def test_nearly_constant_independent_columns_have_no_law():
    rng = np.random.default_rng(0)
    assert texts(1e6 + rng.standard_normal((300, 4))) == []


def test_functions_of_one_column_on_a_narrow_range_are_no_law():
    rng = np.random.default_rng(0)
    assert texts(np.column_stack([rng.uniform(10, 10.1, 300), rng.uniform(5, 5.01, 300)])) == []


def test_a_multiple_of_a_law_is_not_listed():
    columns, law = planted(0)["product"]
    x, names = table_of(columns)
    assert texts(x, names) == [law]


@pytest.mark.parametrize("n_rows", [6, 8, 12, 20])
def test_few_rows_of_independent_columns_have_no_law(n_rows):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        assert texts(rng.uniform(1, 5, (n_rows, 6))) == []


def test_numbers_rounded_to_single_precision_still_have_their_laws():
    rng = np.random.default_rng(0)
    wage = rng.uniform(3, 20, 400).astype(np.float32)
    x = np.column_stack([wage, np.log(wage), wage * np.float32(2.2046)])
    laws = gramian.relations(x, ["wage", "lwage", "other"])
    assert [len(each.columns) for each in laws] == [2, 2]
    assert {name for each in laws for name in each.columns} == {"wage", "lwage", "other"}
    assert all(each.validation_error < 1e-6 for each in laws)


def test_rows_with_missing_values_take_no_part():
    columns, law = planted(0)["product"]
    x, names = table_of(columns)
    x[::7, 0] = np.nan
    x = np.column_stack([x, np.full(len(x), np.nan)])
    relations = gramian.relations(x, [*names, "empty"])
    assert [str(each) for each in relations] == [law]
    assert "empty" in relations.notes[0]
    assert np.isnan(relations[0].imbalance(x)[::7]).all()


def test_bad_tables_get_an_error_that_says_what_is_wrong():
    x = np.random.default_rng(0).standard_normal((20, 3))
    infinite = x.copy()
    infinite[4, 1] = np.inf
    with pytest.raises(ValueError, match="'b' has an infinite value in row 4"):
        gramian.relations(infinite, ["a", "b", "c"])
    with pytest.raises(ValueError, match="2 names, and the table has 3"):
        gramian.relations(x, ["a", "b"])
    with pytest.raises(ValueError, match="More than one column is called 'a'"):
        gramian.relations(x, ["a", "a", "c"])
    with pytest.raises(ValueError, match="rows and columns"):
        gramian.relations(x[:, 0])
    with pytest.raises(ValueError, match="at least 6"):
        gramian.relations(x[:4])
    with pytest.raises(ValueError, match="no rows"):
        gramian.relations(x[:0])
    with pytest.raises(ValueError, match="tolerance"):
        gramian.relations(x, tolerance=2)
    with pytest.raises(ValueError, match="time_limit"):
        gramian.relations(x, time_limit=0)


def test_a_column_of_names_is_set_aside():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": np.arange(10.0), "name": list("abcdefghij")})
    found = gramian.relations(frame)
    assert len(found) == 0
    assert any("'name'" in note and "label of its own" in note for note in found.notes)


def test_the_time_limit_returns_what_was_found():
    columns, _ = planted(0)["product"]
    x, names = table_of(columns)
    relations = gramian.relations(x, names, time_limit=1e-9)
    assert not relations.complete
    assert "time limit" in str(relations)


def test_an_interrupt_ends_the_search_at_once(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_sums_and_powers, "null_vectors", interrupt)
    with pytest.raises(KeyboardInterrupt):
        gramian.relations(np.random.default_rng(0).standard_normal((50, 3)))


def test_progress_names_the_stages(capsys):
    gramian.relations(np.random.default_rng(0).standard_normal((50, 3)), verbose=1)
    assert "sums" in capsys.readouterr().err


def sources(folder, x, names):
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    frame = pd.DataFrame(x, columns=names)
    frame.to_csv(folder / "table.csv", index=False)
    frame.to_parquet(folder / "table.parquet")
    np.save(folder / "table.npy", x)
    yield frame
    yield pa.table(frame)
    yield str(folder / "table.csv")
    yield folder / "table.parquet"
    yield lambda: (frame.iloc[i : i + 17] for i in range(0, len(frame), 17))
    dask = pytest.importorskip("dask.dataframe")
    yield dask.from_pandas(frame, npartitions=3)


@pytest.mark.parametrize("sample_rows", [100, 8_000])
def test_arrays_files_and_dask_have_equal_laws(tmp_path, monkeypatch, sample_rows):
    monkeypatch.setattr(_table_sample, "SAMPLE_ROWS", sample_rows)
    columns, _ = planted(0)["product and sum"]
    x, names = table_of(columns)
    expected = gramian.relations(x, names).table
    assert len(expected) == 1
    for source in sources(tmp_path, x, names):
        found = gramian.relations(source)
        assert found.feature_names == tuple(names)
        for law, other in zip(found.table, expected, strict=True):
            assert law["law"] == other["law"]
            assert law["validation_error"] == pytest.approx(other["validation_error"], abs=1e-15)


def test_a_law_of_a_sample_is_refuted_by_all_rows(monkeypatch):
    monkeypatch.setattr(_table_sample, "SAMPLE_ROWS", 200)
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 5, (2, 5_000))
    y = a * b
    sampled = _table_sample.sample_of(
        _table_sample.open_coded_table(np.column_stack([a, b, y]), None), 0
    ).rows
    other = ~np.isin(a, sampled[:, 0])
    y[other] = rng.uniform(1, 25, other.sum())
    assert texts(np.column_stack([a, b, y])) == []


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), block=st.integers(1, 400))
def test_the_sample_does_not_depend_on_blocks(seed, block):
    x = np.random.default_rng(seed).standard_normal((300, 2))
    limit, _table_sample.SAMPLE_ROWS = _table_sample.SAMPLE_ROWS, 50
    try:
        whole = _table_sample.sample_of(_table_sample.open_coded_table(x, None), 0)
        pieces = lambda: (x[i : i + block] for i in range(0, 300, block))  # noqa: E731
        parts = _table_sample.sample_of(_table_sample.open_coded_table(pieces, None), 0)
    finally:
        _table_sample.SAMPLE_ROWS = limit
    np.testing.assert_array_equal(whole.rows, parts.rows)


def test_wide_tables_have_their_laws():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 5, (600, 40))
    y = np.column_stack(
        [
            x[:, 0] * x[:, 1],
            x[:, 2] / x[:, 3],
            x[:, 4] + 2 * x[:, 5] - x[:, 6],
            np.hypot(x[:, 7], x[:, 8]),
            x[:, 9] * x[:, 10] + 3 * x[:, 11],
            x[:, 12] ** 1.5,
        ]
    )
    laws = gramian.relations(np.column_stack([x, y]))
    expected = [{0, 1, 40}, {2, 3, 41}, {4, 5, 6, 42}, {7, 8, 43}, {9, 10, 11, 44}, {12, 45}]
    found = sorted(sorted(int(name[1:]) for name in each.columns) for each in laws)
    assert found == sorted(sorted(each) for each in expected)
    assert all(each.exact for each in laws)


def test_a_column_that_varies_in_a_single_row_hides_no_law():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 5, (2, 40))
    for row in range(40):  # in some of the rows that are searched it is constant
        table = np.column_stack([a, b, a + b, np.eye(40)[row]])
        assert texts(table) == ["x2 = x0 + x1"]


@pytest.mark.parametrize("tiny", [5e-324, 1e-310])
def test_a_cell_whose_inverse_overflows_hides_no_law(tiny):
    a, b = np.random.default_rng(0).uniform(1, 9, (2, 60)).round(2)
    a[3] = tiny
    found = gramian.relations({"a": a, "b": b, "c": (a * b).round(6)})
    assert {"a", "b", "c"} in [{*each.columns} for each in found]


@pytest.mark.parametrize("power", [(305, -305), (-310, -310)])
def test_laws_of_numbers_at_the_ends_of_float64_are_stored(power):
    x, y = np.random.default_rng(0).uniform(1, 9, (2, 120)).round(2)
    table = {"a": x * 10.0 ** power[0], "b": y * 10.0 ** power[1], "c": np.full(120, 1e308)}
    with np.errstate(all="ignore"):
        found = gramian.relations(table)
    assert "c = 10³⁰⁸" in map(str, found)
    json.dumps([check.to_json() for check in found.checks], allow_nan=False)
