"""Parameters of gramian.select are checked by their own names; dates in text are dates."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cli_cases import folder, run, succeed  # noqa: F401

import gramian
from gramian import GFR, GFS
from gramian.tables import dates_in_text

pytestmark = pytest.mark.usefixtures("folder")
TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 4)), columns=[*"abcd"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"columns": []}, "columns names no column"),
        ({"columns": ""}, "columns='' matches no column"),
        ({"n": True}, "n must be a number of columns, or a share .* got True"),
        ({"n": 0}, "^n must be an int in the range .* got 0"),
        ({"n": 2.0}, "^n must be an int"),
        ({"validation": 2}, "^validation must be a float in the range .* got 2"),
        ({"standardize": "yes"}, "^standardize must be True or False; got 'yes'"),
        ({"encode": 1}, "^encode must be True or False"),
        ({"laws": None}, "^laws must be True or False"),
        ({"relative": "x"}, "^relative must be True or False"),
        ({"header": 0}, "^header must be True or False"),
        ({"threshold": "small"}, "^threshold must be a number; got 'small'"),
        ({"threshold": -1.0, "n": 2}, "^threshold must be a float in the range"),
        ({"alpha": -1}, "^alpha must be a float"),
        ({"degree": 0}, "^degree must be an int"),
        ({"criterion": "best"}, "^criterion must be"),
        ({"memory_budget": "1GB"}, "^memory_budget must be an int"),
        ({"random_state": "a"}, "^random_state must be"),
        ({"impute": "keep"}, "^impute must be among .* got 'keep'"),
        ({"decimal": ";"}, "^decimal must be among"),
        ({"delimiter": "::"}, "^delimiter must be one character"),
    ],
)
def test_errors_name_the_parameters_of_select(given, said):
    with pytest.raises(ValueError, match=said) as caught:
        gramian.select(TABLE, **given)
    for other in ("n_features_to_select", "validation_fraction", "scale", "GFA", "GFS"):
        assert other not in str(caught.value)


def test_a_count_beyond_the_columns_of_numbers_is_named():
    table = TABLE.assign(word=["one", "two"] * 25)
    with pytest.raises(ValueError, match="n=5 is more than the 4 columns of numbers and dates"):
        gramian.select(table, n=5)


def test_the_command_uses_all_columns_by_default():
    TABLE.to_csv("in.csv", index=False)
    assert "4 columns" in succeed("select", "in.csv").stdout
    assert run("select", "in.csv", "--columns", "").exit_code == 2


# NaN in files


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_nan_is_never_written_as_text(ending):
    x = TABLE.to_numpy(copy=True)
    x[3] = np.nan
    pd.DataFrame(x, columns=[*"abcd"]).to_csv("in.csv", index=False)
    pa.parquet.write_table(pa.table(dict(zip("abcd", x.T, strict=True))), "in.parquet")
    outputs = [
        lambda name: GFR(2).fit(x).transform(x, output=name),
        lambda name: GFS(2).fit(x).transform("in.csv", output=name),
        lambda name: GFS(2).fit(x).inverse_transform(x[:, :2], output=name),
        lambda name: succeed("extract", "in.csv", "-n", "2", "-q", "-o", name),
        lambda name: succeed("select", "in.parquet", "-q", "-o", name),
    ]
    sign = "\t" if ending == "tsv" else ","
    for write in outputs:
        write(f"out.{ending}")
        found = pd.read_csv(f"out.{ending}", sep=sign, keep_default_na=False, dtype=str)
        assert (found.iloc[3] == "").all()
        assert not found.isin(["nan", "NaN"]).any(axis=None)


def test_components_of_rows_without_values_are_missing_in_parquet_files():
    x = TABLE.to_numpy(copy=True)
    x[3] = np.nan
    pd.DataFrame(x).to_csv("in.csv", index=False)
    succeed("extract", "in.csv", "-n", "2", "-q", "-o", "out.parquet")
    assert pa.parquet.read_table("out.parquet").column(0).null_count == 1


# Dates that are text in a data frame


def log():
    """Return a frame of times as text, their days as text, and their hours."""
    time = pd.Series(pd.date_range("2020-01-01", periods=300, freq="7h"))
    return pd.DataFrame(
        {
            "time": time.astype(str),
            "day": time.dt.strftime("%Y-%m-%d"),
            "hour": time.dt.hour,
            "x": np.random.default_rng(0).normal(size=300),
        }
    )


def test_a_frame_of_read_csv_gives_the_answer_of_the_file():
    log().to_csv("in.csv", index=False)
    frame = pd.read_csv("in.csv")
    of_file, of_frame = gramian.select("in.csv"), gramian.select(frame)
    assert of_frame.kept == of_file.kept
    assert {name: str(each) for name, each in of_frame.dropped.items()} == {
        name: str(each) for name, each in of_file.dropped.items()
    }
    assert str(gramian.relations(frame)) == str(gramian.relations("in.csv"))


def test_dates_in_text_stay_text():
    frame = log()
    selection = gramian.select(frame, keep="time")
    kept = selection.transform(frame)
    pd.testing.assert_frame_equal(kept, frame[selection.kept])
    again = selection.reconstruct(kept)
    pd.testing.assert_frame_equal(again, frame, check_dtype=False)
    arrow = pa.Table.from_pandas(frame)
    assert gramian.select(arrow).transform(arrow).equals(arrow.select(selection.kept))
    columns = {name: frame[name].to_numpy() for name in frame}
    found = gramian.select(columns).transform(columns)
    assert found["time"].tolist() == frame["time"].tolist()


def test_a_day_in_text_that_follows_from_another_column_comes_back_as_text():
    days = pd.date_range("2020-01-01", periods=20).strftime("%Y-%m-%d")
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 20, 400)
    frame = pd.DataFrame(
        {"code": [f"c{i}" for i in codes], "day": days[codes], "x": rng.normal(size=400)}
    )
    selection = gramian.select(frame, keep="code")
    assert "day" in selection.dropped
    selection.save("model.gram")
    for each in (selection, gramian.tabular.load("model.gram")):
        again = each.reconstruct(selection.transform(frame))
        assert again["day"].tolist() == frame["day"].tolist()


@pytest.mark.parametrize(
    ("cells", "dates"),
    [
        (["2024-01-05", None], ["2024-01-05", "NaT"]),
        (
            ["2024-01-05 10:00", "2024-01-06T10:00:01.5"],
            ["2024-01-05T10:00", "2024-01-06T10:00:01.5"],
        ),
        (["2024-01-05T10:00:00+01:00", float("nan")], ["2024-01-05T10:00", "NaT"]),
        (["2024-01-05", "soon"], None),
        (["2024-02-30"], None),
        (["2024-01-05", 3.0], None),
        ([None, None], None),
        (["20240105"], None),
    ],
)
def test_text_is_dates_if_all_cells_are(cells, dates):
    found = dates_in_text(cells)
    if dates is None:
        assert found is None
    else:
        np.testing.assert_array_equal(found, np.array(dates, dtype="datetime64[us]"))
