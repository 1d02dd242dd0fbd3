"""Transforms of files into files, and scores of files."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from source_cases import (
    ALGORITHMS,
    BUDGET,
    FRAME,
    INDICES,
    NAMES,
    SOURCES,
    TABLE,
    X,
    estimator,
    write_parquet,
    write_parts,
)
from support import read_csv

from gramian import GFR, GFS, UFFS
from gramian.exceptions import FormatError

EACH = pytest.mark.parametrize("index", INDICES, ids=[each[0].__name__ for each in ALGORITHMS])
READERS = {
    ".parquet": pd.read_parquet,
    ".feather": pd.read_feather,
    ".arrow": pd.read_feather,
    ".csv": read_csv,
    ".npy": lambda path: pd.DataFrame(np.load(path)),
}


@EACH
@pytest.mark.parametrize("ending", READERS)
def test_a_file_is_written_block_by_block(tmp_path, index, ending):
    fitted = estimator(ALGORITHMS[index]).fit(FRAME)
    paths = write_parts(tmp_path)
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / f"z{ending}"
    assert fitted.transform(paths, output=str(target)) == target
    found = READERS[ending](target)
    np.testing.assert_allclose(found, fitted.transform(FRAME), atol=1e-12)
    if ending != ".npy":
        assert found.columns.tolist() == fitted.get_feature_names_out().tolist()
    assert list(target.parent.iterdir()) == [target]


@EACH
@pytest.mark.parametrize("ending", READERS)
def test_a_transformed_file_is_reconstructed_block_by_block(tmp_path, index, ending):
    fitted = estimator(ALGORITHMS[index]).fit(FRAME)
    kept = fitted.transform(write_parts(tmp_path), output=tmp_path / f"z{ending}")
    path = fitted.inverse_transform(kept, output=tmp_path / f"x{ending}")
    found = READERS[ending](path)
    expected = fitted.inverse_transform(fitted.transform(FRAME))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    if ending != ".npy":
        assert found.columns.tolist() == NAMES
    np.testing.assert_array_equal(fitted.inverse_transform(kept), found)


def test_a_reconstructed_file_has_names_even_if_the_fit_had_none(tmp_path):
    fitted = GFR(3, alpha=0).fit(X)
    kept = fitted.transform(write_parquet(tmp_path), output=tmp_path / "z.csv")
    found = pd.read_csv(fitted.inverse_transform(kept, output=tmp_path / "x.csv", linear=True))
    assert found.columns.tolist() == [f"x{i}" for i in range(8)]
    expected = fitted.inverse_transform(fitted.transform(X), linear=True)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("source", SOURCES)
def test_all_sources_are_transformed(tmp_path, source):
    fitted = GFR(3, alpha=0).fit(X)
    data = SOURCES[source](tmp_path)
    if source == "memmap":  # a memory map is an array
        found = fitted.transform(data)
    else:
        found = np.load(fitted.transform(data, output=tmp_path / "z.npy"))
    np.testing.assert_allclose(found, fitted.transform(X), atol=1e-12)


def test_columns_are_taken_by_name(tmp_path):
    fitted = GFS(3, alpha=0, criterion="variance").fit(FRAME)
    other = TABLE.select(NAMES[::-1]).append_column("more", pa.array(np.zeros(len(X))))
    path = fitted.transform(write_parquet(tmp_path, other), output=tmp_path / "z.npy")
    np.testing.assert_array_equal(np.load(path), fitted.transform(FRAME))


def test_a_missing_column_is_named(tmp_path):
    fitted = GFS(3, alpha=0, criterion="variance").fit(FRAME)
    path = write_parquet(tmp_path, TABLE.drop_columns("e"))
    with pytest.raises(ValueError, match=r"table\.parquet lacks the column 'e', which the fit had"):
        fitted.transform(path, output=tmp_path / "z.npy")


def test_a_table_of_another_width_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", X[:, :5])
    with pytest.raises(ValueError, match=r"x\.npy has 5 columns, and 8 are needed"):
        GFR(2, alpha=0).fit(X).transform(tmp_path / "x.npy", output=tmp_path / "z.npy")


def test_an_output_must_be_of_a_known_kind(tmp_path):
    path = write_parquet(tmp_path)
    fitted = GFR(2, alpha=0).fit(FRAME)
    with pytest.raises(FormatError, match=r"z\.xlsx is not clear .* one of \.csv"):
        fitted.transform(path, output=tmp_path / "z.xlsx")
    with pytest.raises(FormatError, match=r"z\.npy\.gz: only CSV and TSV files"):
        fitted.transform(path, output=tmp_path / "z.npy.gz")


ESTIMATORS = [each[0] for each in ALGORITHMS]


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("source", ["npy", "Parquet", "CSV", "several npy"])
def test_a_path_is_transformed_to_an_array_unless_an_output_file_is_named(tmp_path, kind, source):
    data = SOURCES[source](tmp_path)
    rows = kind(2).fit_transform(data)
    assert isinstance(rows, np.ndarray)
    fitted = kind(2).fit(data)
    np.testing.assert_array_equal(rows, fitted.transform(data))
    np.testing.assert_allclose(rows, fitted.transform(X if "npy" in source else FRAME), atol=1e-12)
    path = kind(2).fit_transform(data, output=tmp_path / "z.npy")
    assert path == tmp_path / "z.npy"
    np.testing.assert_array_equal(np.load(path), rows)
    np.testing.assert_allclose(
        fitted.inverse_transform(path), fitted.inverse_transform(rows), atol=1e-12
    )


@pytest.mark.parametrize("source", ["npy", "Parquet", "CSV", "several npy"])
def test_uffs_names_the_estimator_that_takes_files(tmp_path, source):
    data = SOURCES[source](tmp_path)
    with pytest.raises(TypeError, match=r"table in memory.*use GFS"):
        UFFS(degree=2).fit(data)
    with pytest.raises(TypeError, match=r"table in memory.*use GFS"):
        UFFS(degree=2).fit(X).transform(data)


def test_a_file_without_rows_is_transformed_to_no_rows(tmp_path):
    np.save(tmp_path / "none.npy", X[:0])
    assert GFR(2, alpha=0).fit(X).transform(tmp_path / "none.npy").shape == (0, 2)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_metadata_routing_does_not_request_data(kind):
    for method in ("transform", "inverse_transform"):
        requests = getattr(kind().get_metadata_routing(), method).requests
        assert "Z" not in requests


def test_a_transform_can_overwrite_its_input_file(tmp_path):
    path = write_parquet(tmp_path)
    fitted = GFS(3, alpha=0, criterion="variance").fit(FRAME)
    fitted.transform(path, output=path)
    np.testing.assert_array_equal(pd.read_parquet(path), fitted.transform(FRAME))


@EACH
@pytest.mark.parametrize("source", ["Parquet", "several npy", "CSV"])
def test_files_and_arrays_have_equal_scores(tmp_path, index, source):
    fitted = estimator(ALGORITHMS[index]).fit(X)
    data = SOURCES[source](tmp_path)
    assert fitted.score(data) == pytest.approx(fitted.score(X), abs=1e-12)
    np.testing.assert_allclose(
        fitted.reconstruction_error(data), fitted.reconstruction_error(X), atol=1e-10
    )


def test_a_fit_to_files_transforms_arrays(tmp_path):
    fitted = GFR(3, memory_budget=BUDGET, alpha=0).fit(write_parquet(tmp_path))
    expected = GFR(3, alpha=0).fit(FRAME)
    np.testing.assert_allclose(fitted.transform(FRAME), expected.transform(FRAME), atol=1e-7)
    again = fitted.inverse_transform(fitted.transform(FRAME))
    np.testing.assert_allclose(
        again, expected.inverse_transform(expected.transform(FRAME)), atol=1e-6
    )
