"""Preprocessing: steps from a table to numbers, and their place in model files."""

from __future__ import annotations

from statistics import mean, median

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from model_cases import edit, fit, replace_array, unpack

from gramian import GFR, GFS, models
from gramian.models import Preprocessing


def frame():
    return pd.DataFrame(
        {
            "size": [1.0, np.nan, 3.0, 8.0],
            "colour": ["red", "blue", None, "red"],
            "count": [1, 2, 3, 4],
            "constant": [5.0] * 4,
        }
    )


COLUMNS = ["count", "size", "colour", "constant"]


def learned(**options):
    return Preprocessing.learn(frame(), COLUMNS, **{"encode": True, "impute": "mean", **options})


# Application


def test_columns_are_found_by_name_in_any_order():
    steps = learned()
    expected = steps.apply(frame())
    np.testing.assert_array_equal(
        expected, [[1, 1, 1, 5], [2, 4, 0, 5], [3, 3, 1, 5], [4, 8, 1, 5]]
    )
    shuffled = frame()[["constant", "colour", "size", "count"]].assign(more="x")
    np.testing.assert_array_equal(steps.apply(shuffled), expected)


def test_every_kind_of_table_gives_the_same_numbers():
    steps, expected = learned(), learned().apply(frame())
    table = frame()
    plain = {name: [None if pd.isna(v) else v for v in table[name]] for name in table}
    for other in (
        plain,
        pl.DataFrame(plain),
        pa.table(plain),
        table.convert_dtypes(),
        table.astype({"colour": "category"}),
        table.astype(object),
    ):
        np.testing.assert_array_equal(steps.apply(other), expected)


@pytest.mark.parametrize(("impute", "expected"), [("mean", 4.0), ("median", 3.0)])
def test_missing_values_are_filled_in_as_in_the_fit(impute, expected):
    other = pd.DataFrame({"size": [None], "colour": [None], "count": [1], "constant": [1.0]})
    assert learned(impute=impute).apply(other).tolist() == [[1.0, expected, 1.0, 1.0]]


def test_rows_with_missing_values_are_dropped_if_asked_for():
    steps = learned(impute="drop-rows")
    values, keeps = steps.apply_and_keep(frame())
    assert keeps.tolist() == [True, False, False, True]
    np.testing.assert_array_equal(values, [[1, 1, 1, 5], [4, 8, 1, 5]])
    assert learned().apply_and_keep(frame())[1].all()


@pytest.mark.parametrize("options", [{}, {"impute": "drop-rows"}])
def test_a_table_without_rows_gives_no_rows(options):
    values, keeps = learned(**options).apply_and_keep(frame()[:0])
    assert values.shape == (0, 4)
    assert keeps.shape == (0,)


NAMES = st.sampled_from(["a", "b", "nan", "", "None", "1", "\N{GREEK SMALL LETTER ALPHA}"])
GAPS = st.none() | st.just(np.nan)


@given(
    rows=st.lists(
        st.tuples(NAMES | GAPS, st.integers(-5, 5).map(float) | GAPS), min_size=1, max_size=12
    ),
    impute=st.sampled_from(["mean", "median"]),
)
def test_numbers_equal_those_computed_by_hand(rows, impute):
    """Reference: codes are positions in the sorted set, gaps are filled by `statistics`."""
    texts, numbers = ([None if v != v else v for v in column] for column in zip(*rows, strict=True))
    known = sorted({text for text in texts if text is not None})
    present = [number for number in numbers if number is not None]
    assume(known and present)
    counts = [texts.count(text) for text in known]
    number = mean(present) if impute == "mean" else median(present)
    expected = [
        [
            counts.index(max(counts)) if text is None else known.index(text),
            number if value is None else value,
        ]
        for text, value in zip(texts, numbers, strict=True)
    ]
    table = {"text": [text for text, _ in rows], "number": [value for _, value in rows]}
    steps = Preprocessing.learn(table, ["text", "number"], encode=True, impute=impute)
    assert list(steps.categories["text"]) == known
    np.testing.assert_allclose(steps.apply(table), expected, rtol=1e-12, atol=1e-12)


def test_booleans_equal_numbers_and_text_of_integers_equals_integers():
    table = pd.DataFrame({"yes": [True, False, True], "code": ["1", "2", "1"]})
    steps = Preprocessing.learn(table, ["yes", "code"], encode=True)
    again = pd.DataFrame({"yes": [1, 0, 1], "code": [1, 2, 1]})
    np.testing.assert_array_equal(steps.apply(again), steps.apply(table))


# Refusals


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="size"), "Column 'size' is not in the table, whose columns"),
        (lambda t: pd.concat([t, t[["size"]]], axis=1), "'size' occurs more than once"),
        (lambda t: t.assign(colour="green"), "'colour' contains 'green', which is not among"),
        (lambda t: t.assign(size=["1", "x", 2, 3]), "'size' contains 'x', but the model takes"),
        (lambda t: t.assign(size=["1", "4", 2, 3]), "'size' contains '1', but the model takes"),
        (lambda t: t.assign(size=np.inf), "'size' contains infinity"),
        (lambda t: t.assign(size=pd.Timestamp("2020")), "'size' contains dates"),
        (lambda t: t.assign(size=1j), "'size' contains complex"),
    ],
)
def test_unsuitable_tables_are_refused_with_the_name_of_the_column(change, message):
    with pytest.raises(ValueError, match=message):
        learned().apply(change(frame()))


def test_missing_values_are_refused_with_the_column_if_the_fit_had_none():
    steps = Preprocessing(["size", "count"])
    with pytest.raises(ValueError, match="Column 'size' has missing values"):
        steps.apply(frame())


def test_tables_without_names_are_refused():
    for table in (np.ones((2, 4)), 3):
        with pytest.raises(TypeError, match="A table with names"):
            learned().apply(table)
    with pytest.raises(ValueError, match="different lengths"):
        Preprocessing(["a", "b"]).apply({"a": [1], "b": [1, 2]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encode": False}, "Column 'colour' contains text"),
        ({"impute": "zero"}, "impute must be"),
    ],
)
def test_learn_refuses_text_without_encode_and_unknown_options(options, message):
    with pytest.raises(ValueError, match=message):
        learned(**options)


def test_learn_refuses_columns_without_values():
    table = pd.DataFrame({"a": [np.nan, np.nan], "b": [1, 2]})
    with pytest.raises(ValueError, match="'a' has no value in any row"):
        Preprocessing.learn(table, ["a", "b"], impute="mean")
    with pytest.raises(ValueError, match="'b' has no value in any row"):
        Preprocessing.learn(table[:0], ["b"], impute="mean")
    with pytest.raises(ValueError, match="'c' contains infinity"):
        Preprocessing.learn({"c": [np.inf, 1.0]}, ["c"])
    assert len(Preprocessing.learn(table, ["a", "b"], impute="drop-rows").apply(table)) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": []}, "one or more different names"),
        ({"columns": ["a", "a"]}, "one or more different names"),
        ({"missing": "ignore"}, "missing must be"),
        ({"missing": "fill"}, "impute is required"),
        ({"impute": np.zeros(2)}, "impute is required"),
        ({"missing": "fill", "impute": np.ones(3)}, "finite number for each"),
        ({"missing": "fill", "impute": np.full(2, np.nan)}, "finite number for each"),
        ({"missing": "fill", "impute": np.ones(2), "categories": {"a": ["x"]}}, "impute of 'a'"),
        ({"missing": "fill", "impute": -np.ones(2), "categories": {"a": ["x"]}}, "impute of 'a'"),
        ({"categories": {"c": ["x"]}}, "categories: 'c' must be one of columns"),
        ({"categories": {"a": ["x", "x"]}}, "categories: 'a' must .* distinct"),
    ],
)
def test_steps_that_contradict_each_other_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Preprocessing(**{"columns": ["a", "b"], **options})


# In a model file


@pytest.mark.parametrize("options", [{}, {"impute": "median"}, {"impute": "drop-rows"}])
def test_the_model_file_holds_the_preprocessing(options, tmp_path):
    steps = learned(**options)
    prepared = pd.DataFrame(steps.apply(frame()), columns=COLUMNS)
    models.save(fit(GFR(1, alpha=0), prepared), tmp_path / "model.gram", preprocessing=steps)
    model = models.read(tmp_path / "model.gram")
    np.testing.assert_array_equal(model.preprocessing.apply(frame()), prepared)
    for one, other in zip(
        model.preprocessing.apply_and_keep(frame()), steps.apply_and_keep(frame()), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    with pytest.warns(UserWarning, match="holds preprocessing"):
        models.load(tmp_path / "model.gram")


def test_the_model_file_holds_ids_and_targets(tmp_path):
    steps = Preprocessing(["count"], ids=["key", "id"], targets=["label"])
    models.save(
        fit(GFS(1, alpha=0, criterion="variance"), frame()[["count"]]),
        tmp_path / "model.gram",
        preprocessing=steps,
    )
    again = models.read(tmp_path / "model.gram").preprocessing
    assert (list(again.ids), list(again.targets)) == (["key", "id"], ["label"])
    for ids, targets in ((["count"], []), (["a"], ["a"]), (["a", "a"], [])):
        with pytest.raises(ValueError, match="must have different names"):
            Preprocessing(["count"], ids=ids, targets=targets)


def test_preprocessing_of_some_columns_equals_that_of_all():
    for options in ({}, {"impute": "median"}, {"impute": "drop-rows"}):
        steps = learned(**options)
        part = steps.only(["colour", "count"])
        whole = frame().dropna() if "impute" in options else frame()
        np.testing.assert_array_equal(part.apply(whole), steps.apply(whole)[:, [2, 0]])
    with pytest.raises(ValueError, match="Column 'more' is not among"):
        learned().only(["size", "more"])


def test_preprocessing_of_other_columns_is_refused_by_save(tmp_path):
    prepared = pd.DataFrame(learned().apply(frame()), columns=COLUMNS)
    fitted = fit(GFS(1, alpha=0, criterion="variance"), prepared)
    for steps in (Preprocessing(["a"]), Preprocessing(COLUMNS[::-1])):
        with pytest.raises(ValueError, match="other columns than"):
            models.save(fitted, tmp_path / "model.gram", preprocessing=steps)


def test_damaged_preprocessing_is_refused(tmp_path):
    good, bad = tmp_path / "good.gram", tmp_path / "bad.gram"
    steps = learned()
    models.save(fit(GFR(1, alpha=0), steps.apply(frame())), good, preprocessing=steps)
    assert "preprocessing.impute.npy" in unpack(good)
    for change, message in [
        (lambda p: p["columns"].append("more"), "finite number for each"),
        (lambda p: p.update(missing="x"), "missing must be"),
        (lambda p: p.update(missing="refuse"), "impute is required with missing='fill'"),
        (lambda p: p.update(missing=[]), "missing must be"),
        (lambda p: p["categories"].update(colour="red"), "names of its preprocessing"),
        (lambda p: p["categories"].update(colour=[1]), "names of its preprocessing"),
        (lambda p: p["categories"].update(more=["x"]), "categories: 'more' must be"),
        (lambda p: p["categories"].update(colour=["x"]), "impute of 'colour'"),
    ]:
        edit(bad, lambda d, change=change: change(d["preprocessing"]), good)
        with pytest.raises(models.ModelFileError, match=message):
            models.read(bad)
    replace_array(bad, "preprocessing.impute", np.full(4, 9.0), good)
    with pytest.raises(models.ModelFileError, match="impute of 'colour'"):
        models.read(bad)
