"""Model files that are refused: damaged, hostile, or of another version."""

from __future__ import annotations

import os
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from model_cases import bounded_work, edit, fit, npy, pack, replace_array, table, unpack

import gramian
from gramian import GCA, GFR, GFS, UFFS, models
from gramian.families import Indicator, Multilinear
from gramian.models._stored_estimators import to_data_and_arrays

X = table()


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "good.gram"
    models.save(fit(GFS(3, alpha=0, criterion="variance"), X), path)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "bad.gram"


def assert_refused(path, match):
    """Check that a file is refused with one sentence, little work and little memory."""
    with bounded_work(), pytest.raises(models.ModelFileError, match=match) as caught:
        models.load(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 1000
    tracemalloc.start()  # separate from the count of calls, because tracemalloc makes calls
    try:
        with pytest.raises(models.ModelFileError):
            models.load(path)
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()


# The container


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "too short"),
        (b"PK", "too short"),
        (b"PK\x05\x06" + bytes(18), "not a model file"),
        (b"a,b\n1,2\n" * 100, "not a model file"),
        (b"PK\x03\x04" + bytes(1000), "end is missing"),
        (b"\x80\x04\x95" + bytes(100), "not a model file"),
    ],
)
def test_a_file_that_is_not_a_zip_archive_is_refused(content, message, path):
    path.write_bytes(content)
    assert_refused(path, message)


def test_a_truncated_file_is_refused_wherever_it_ends(source, path):
    content = source.read_bytes()
    for end in range(0, len(content), 37):
        path.write_bytes(content[:end])
        with pytest.raises(models.ModelFileError):
            models.load(path)
    path.write_bytes(content + b"\0")
    assert_refused(path, "end is missing")


def test_folders_pipes_and_missing_paths_are_refused(tmp_path):
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert_refused(tmp_path / "pipe", "not a file")
    assert_refused(tmp_path, "not a file")
    with pytest.raises(FileNotFoundError):
        models.load(tmp_path / "none.gram")


def test_missing_extra_and_repeated_members_are_refused(source, path):
    members = unpack(source)
    for name in members:
        pack(path, {key: value for key, value in members.items() if key != name})
        assert_refused(path, f"lacks .*{name}")
    assert_refused(pack(path, {**members, "more.npy": npy(np.zeros(2))}), "has a part 'more.npy'")
    assert_refused(pack(path, [*members.items(), ("mean_.npy", b"")]), "same name")
    assert_refused(pack(path, [*members.items(), ("model.json", b"{}")]), "same name")


@pytest.mark.parametrize(
    "name", ["../mean_.npy", "/etc/passwd", "a/b.npy", "C:\\x", "ä.npy", "x" * 99]
)
def test_paths_in_names_are_refused(name, source, path):
    assert_refused(pack(path, {**unpack(source), name: b"x"}), "a name that is not allowed")


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressed_members_are_refused_and_not_unpacked(compression, source, path):
    members = {**unpack(source), "mean_.npy": npy(np.zeros(2_000_000))}
    assert_refused(pack(path, members, compression), "compressed, which is not allowed")


def test_wrong_sizes_in_headers_are_refused(source, path):
    content = bytearray(source.read_bytes())
    place = content.index(b"PK\x01\x02")
    content[place + 20 : place + 28] = struct.pack("<2L", 2**31 - 2, 2**31 - 2)
    path.write_bytes(content)
    assert_refused(path, "larger than the file|damaged")


def test_a_list_of_many_members_is_refused(source, path):
    many = {f"a{i}.npy": b"" for i in range(50_000)}
    assert_refused(pack(path, {**unpack(source), **many}), "list of its parts")


def test_a_huge_file_is_refused(path):
    with path.open("wb") as stream:
        stream.truncate(2**31)  # a sparse file takes no space on the disk
    assert_refused(path, "bytes; .* are allowed")


# The document


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "document is damaged"),
        (b"[]", "not a JSON object"),
        (b"\xff\xfe", "document is damaged"),
        (b'{"a": 1, "a": 2}', "has a key twice"),
        (b'{"a": NaN}', "NaN where a number"),
        (b'{"a": -Infinity}', "Infinity where a number"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "document is damaged"),
        (b'{"a": ' + b"[" * 1_000_000, "nested too deeply"),
        (b'{"a":' * 300_000, "nested too deeply"),
        (b"[" + b"{}," * 1_000_000 + b"{}]", "not a JSON object"),
        (b" " * (2**22 + 1), "bytes; 4194304 are allowed"),
        (b"{}", "list of arrays"),
        (b'{"arrays": {}}', "its list of arrays says otherwise"),
    ],
)
def test_an_invalid_document_is_refused(text, message, source, path):
    assert_refused(pack(path, {**unpack(source), "model.json": text}), message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="other"), "not a model file of gramian"),
        (lambda d: d.update(format_version=2, gramian_version="9.1"), "'9.1' in format 2.*update"),
        (lambda d: d.update(format_version="1"), "version is missing or damaged"),
        (lambda d: d.update(format_version=0), "version is missing or damaged"),
        (lambda d: d.update(format_version=True), "version is missing or damaged"),
        (lambda d: d.pop("gramian_version"), "version is missing or damaged"),
        (lambda d: d.update(estimator="PCA"), "estimator is unknown to this version: 'PCA'"),
        (lambda d: d.update(estimator=["GFS"]), "estimator is unknown"),
        (lambda d: d.update(estimator="GFR"), "does not belong|lacks"),
        (lambda d: d.update(n_features=0), "number of its features"),
        (lambda d: d.update(n_features=7.0), "number of its features"),
        (lambda d: d.update(n_features=10**30), "does not fit the other arrays"),
        (lambda d: d.update(feature_names=["a"]), "names of its 7 columns"),
        (lambda d: d.update(feature_names=[1] * 7), "names of its 7 columns"),
        (lambda d: d.update(feature_names=["\ud800"] * 7), "names of its 7 columns"),
        (lambda d: d.update(parameters=[]), "has parameters that GFS"),
        (lambda d: d["parameters"].update(new=1), "has parameters that GFS"),
        (lambda d: d["parameters"].update(checkpoint="/etc"), "has parameters that GFS"),
        (lambda d: d["parameters"].update(alpha=-1.0), "alpha.* must be"),
        (lambda d: d["parameters"].update(alpha=[[]]), "parameter 'alpha' is damaged"),
        (lambda d: d["parameters"].update(solver="x" * 10**6), "solver.* must be"),
        (lambda d: d["parameters"].update(random_state=-1), "random_state.* must be"),
        (lambda d: d["parameters"].update(n_features_to_select=10**40), "is damaged"),
        (lambda d: d["parameters"].update(family="__import__('os')"), "family.* must be"),
        (lambda d: d["parameters"].update(family={"array": "basis"}), "family is unknown"),
        (lambda d: d["fitted"].pop("alpha_"), "description of the fit"),
        (lambda d: d["fitted"].update(alpha_="0"), "alpha_ is damaged"),
        (lambda d: d["fitted"].update(alpha_=-0.5), "alpha_ is damaged"),
        (lambda d: d["fitted"].update(n_samples_=0), "n_samples_ is damaged"),
        (lambda d: d["fitted"].update(stop_reason_=["x"]), "unknown to this version"),
        (lambda d: d["fitted"].update(solver_="magic"), "unknown to this version"),
        (lambda d: d["fitted"].update(orthogonality_loss_=None), "orthogonality_loss_"),
        (lambda d: d["fitted"].update(asked=None), "asked of the fit"),
        (lambda d: d["fitted"]["asked"].pop("relative"), "asked of the fit"),
        (lambda d: d["fitted"]["asked"].update(relative=1), "asked of the fit"),
        (lambda d: d["fitted"]["asked"].update(threshold=-1.0), "asked of the fit"),
        (lambda d: d["fitted"]["asked"].update(explained="all"), "asked of the fit"),
        (lambda d: d["arrays"]["mean_"].update(shape=[8]), "does not fit the other"),
        (lambda d: d["arrays"]["mean_"].update(shape=[2**40]), "shape of the array"),
        (lambda d: d["arrays"]["mean_"].update(shape=[-7]), "shape of the array"),
        (lambda d: d["arrays"]["mean_"].update(shape=[7, 1, 1]), "dtype or shape"),
        (lambda d: d["arrays"]["mean_"].update(dtype="|O"), "dtype or shape"),
        (lambda d: d["arrays"]["mean_"].update(dtype="<i8"), "does not fit the other"),
        (lambda d: d["arrays"].update(mean_=None), "entry of the array"),
        (lambda d: d.update(arrays=[]), "list of arrays"),
        (lambda d: d.update(preprocessing={}), "preprocessing is damaged"),
        (lambda d: d.update(preprocessing=[1]), "preprocessing is damaged"),
        (
            lambda d: d.update(preprocessing={"columns": 3, "missing": [], "categories": {}}),
            "names of its preprocessing",
        ),
        (
            lambda d: d.update(
                preprocessing={"columns": ["a"], "missing": "refuse", "categories": {}}
            ),
            "other columns than",
        ),
    ],
)
def test_a_document_with_wrong_values_is_refused(change, message, source, path):
    assert_refused(edit(path, change, source), message)


@pytest.mark.parametrize(
    ("family", "message"),
    [
        ("multilinear", "family is unknown"),
        ({"class": "Odd", "parameters": {}}, "unknown to this version: 'Odd'"),
        ({"class": ["Multilinear"], "parameters": {}}, "family is unknown"),
        ({"class": "Multilinear"}, "family is unknown"),
        ({"class": "Multilinear", "parameters": {"degree": 0}}, "must be a positive integer"),
        ({"class": "Multilinear", "parameters": {"degree": True}}, "out of range"),
        ({"class": "Multilinear", "parameters": {"degree": 10**9}}, "out of range"),
        ({"class": "Multilinear", "parameters": {"power": 1}}, "unknown to this version"),
        ({"class": "Multilinear", "parameters": {"degree": 1}}, "1 functions at step 2"),
        ({"class": "Polynomial", "parameters": {"degree": 10**9}}, "out of range"),
        ({"class": "Fourier", "parameters": {"frequency": -1.0}}, "positive number"),
        ({"class": "Indicator", "parameters": {}}, "lacks the levels"),
        ({"class": "Union", "members": []}, "no members"),
        ({"class": "Union", "members": [{"class": "Hermite", "parameters": {}}] * 99}, "too many"),
        ({"class": "Custom", "functions": [["system", 1]], "any_order": False}, "'system': ..."),
        ({"class": "Custom", "functions": [["system", 10**9]], "any_order": False}, "damaged"),
        ({"class": "Custom", "functions": [["os.system", 1]], "any_order": False}, "damaged"),
    ],
)
def test_invalid_families_are_refused(family, message, source, path):
    assert_refused(edit(path, lambda d: d["fitted"].update(family_=family), source), message)


def test_deeply_nested_unions_are_refused(source, path):
    family = {"class": "Hermite", "parameters": {}}
    for _ in range(10):
        family = {"class": "Union", "members": [family] * 2}
    assert_refused(edit(path, lambda d: d["fitted"].update(family_=family), source), "unknown")


# The arrays


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("mean_", np.full(7, np.nan), "'mean_' contains NaN"),
        ("mean_", np.full(7, np.inf), "'mean_' contains NaN or infinity"),
        ("alpha_path_", np.full(3, np.nan), "'alpha_path_' contains NaN"),
        ("alpha_path_", np.full(3, -np.inf), "'alpha_path_' contains NaN"),
        ("mean_", np.zeros(8), "does not fit"),
        ("mean_", np.zeros((7, 1)), "does not fit"),
        ("mean_", np.zeros(7, dtype=np.int64), "does not fit"),
        ("mean_", np.zeros(7, dtype=">f8"), "dtype or shape"),
        ("mean_", np.array([object()] * 7), "dtype or shape"),
        ("mean_", np.zeros(7, dtype=[("a", "<f8")]), "dtype or shape"),
        ("selected_features_", np.array([0, 1, 7]), "not among 0 to 6"),
        ("selected_features_", np.array([0, 1, -1]), "not among 0 to 6"),
        ("selected_features_", np.array([0, 1, 1]), "twice"),
        ("selected_features_", np.arange(4), "does not fit"),
        ("n_functions_", np.array([1, 2, -3]), "negative"),
        ("n_functions_", np.array([1, 2, 4]), "contradict"),
        ("n_functions_", np.array([2**62, 2**62, 2**62]), "more functions"),
        ("n_dropped_functions_", np.array([0, 0, 5]), "functions at step 3"),
        ("decoder.kept", np.array([0, 0, 1, 0, 1, 3]), "'decoder.kept'"),
        ("decoder.kept", np.array([0, 0, 1, 2, 1, 0]), "increasing"),
        ("decoder.units", np.zeros(3), "not positive"),
        ("decoder.linear", np.zeros((7, 3)), "does not fit"),
        ("decoder.gram", np.zeros((7, 6)), "does not fit"),
        ("decoder.levels", np.zeros(3), "levels without"),
        ("preprocessing.impute", np.zeros(7), "does not describe"),
        ("basis", np.eye(7), "does not belong"),
    ],
)
def test_arrays_with_wrong_content_are_refused(name, array, message, source, path):
    assert_refused(replace_array(path, name, array, source), message)


def test_incomplete_moments_are_refused(source, path):
    members = unpack(source)
    del members["decoder.gram.npy"]
    pack(path, members)
    assert_refused(edit(path, lambda d: d["arrays"].pop("decoder.gram")), "moments are missing")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        npy(np.arange(7.0)).replace(b"(7,)", b"(9,)"),
        npy(np.arange(7.0)).replace(b"'<f8'", b"'|O8'"),
        npy(np.arange(7.0)).replace(b"False", b"1/0  "),
        npy(np.arange(7.0)).replace(b"(7,)", b"-(7)"),
        npy(np.arange(7.0))[:-1],
        npy(np.arange(7.0)) + b"\0",
        npy(np.arange(7.0)).replace(b"NUMPY\x01", b"NUMPY\x02"),
        npy(np.arange(7.0)).replace(b"NUMPY\x01\x00v\x00", b"NUMPY\x01\x00\xff\xff"),
        npy(np.array([{}] * 7)),
    ],
)
def test_arrays_in_another_form_are_refused(content, source, path):
    assert_refused(pack(path, {**unpack(source), "mean_.npy": content}), "'mean_'|'mean_.npy'")


def test_a_family_of_too_many_functions_is_refused(tmp_path, path):
    source = tmp_path / "good.gram"
    wide = np.random.default_rng(0).standard_normal((300, 60))
    models.save(fit(GFS(40, degree=1, alpha=0, criterion="variance"), wide), source)

    def all_products(document):
        document["fitted"]["family_"] = {"class": "Multilinear", "parameters": {"degree": None}}

    assert_refused(edit(path, all_products, source), "functions at step 2")
    edit(path, all_products, source)
    replace_array(path, "n_dropped_functions_", 2 ** np.arange(40) - 1)
    assert_refused(path, "more functions than a model file can hold")

    def many_atoms(document):
        member = {"class": "Polynomial", "parameters": {"degree": 1000}}
        document["fitted"]["family_"] = {"class": "Union", "members": [member] * 32}

    assert_refused(edit(path, many_atoms, source), "functions at step|can hold")


def test_invalid_levels_are_refused(tmp_path, path):
    source = tmp_path / "good.gram"
    values = np.random.default_rng(0).integers(0, 3, (100, 3)) * 1.0
    models.save(
        fit(GFS(2, family=Indicator(2) + Multilinear(2), alpha=0, criterion="variance"), values),
        source,
    )
    for name, array, message in [
        ("decoder.levels", np.array([0, 1, 2, 2, 1, 0.0]), "not in increasing order"),
        ("decoder.levels", np.array([0, 1, 2.0]), "contradict"),
        ("decoder.n_levels", np.array([4, 2]), "functions at step|increasing"),
        ("decoder.n_levels", np.array([6, 0]), "contradict"),
        ("decoder.n_levels", np.array([2**62, 2**62]), "contradict"),
    ]:
        assert_refused(replace_array(path, name, array, source), message)


def test_a_basis_that_the_parameters_contradict_is_refused(tmp_path, path):
    source = tmp_path / "good.gram"
    models.save(fit(GCA(basis=np.eye(7), backward=False, alpha=0), X), source)
    assert_refused(edit(path, lambda d: d["parameters"].update(basis="pca"), source), "basis")
    for name in ("component_indices_", "redundant_indices_"):
        replace_array(path, name, np.array([0, 1, 99]), source)
        with pytest.raises(models.ModelFileError):
            models.load(path)


def test_a_feature_that_is_both_chosen_and_redundant_is_refused(tmp_path, path):
    source = tmp_path / "good.gram"
    fitted = fit(GCA(threshold=1e-2, backward=False, alpha=0), X)
    models.save(fitted, source)
    assert len(fitted.redundant_indices_)
    replace_array(path, "redundant_indices_", np.sort(fitted.component_indices_), source)
    assert_refused(path, "in common")


def test_a_scale_that_takes_directions_out_of_range_is_refused(tmp_path, path):
    """Reading the file also gives no warning of NumPy."""
    models.save(fit(GFR(2, scale=True, alpha=0), X), tmp_path / "scaled.gram")
    scale = np.ones(X.shape[1])
    scale[0] = 5e-324
    replace_array(path, "scale_", scale, tmp_path / "scaled.gram")
    assert_refused(path, "too small")


@pytest.mark.parametrize("total", [[1e-320, 1e300, 0], [1.0, 2.0, 0.5], [1.0, -0.5, 0.0]])
def test_impossible_residual_variances_are_refused(total, tmp_path, path):
    models.save(fit(GFR(2, alpha=0), X), tmp_path / "good.gram")
    replace_array(path, "total_residual_variance_", np.array(total), tmp_path / "good.gram")
    assert_refused(path, "residual variance is negative, or larger")


def test_moments_near_the_largest_float_are_read_without_a_warning(source, path):
    gram = models.read(source).estimator.model_.decoder.moments[0].copy()
    gram[-1, -1] = np.finfo(np.float64).max
    replace_array(path, "decoder.gram", gram, source)
    models.read(path)


def test_invalid_arrays_of_uffs_are_refused(tmp_path, path):
    source = tmp_path / "good.gram"
    models.save(fit(UFFS(degree=2), X), source)
    for name, array, message in [
        ("selected_features_", np.arange(8), "more steps"),
        ("n_functions_", np.full(7, -1), "negative|fit"),
        ("fourier_norms_", np.zeros(3), "does not fit"),
    ]:
        assert_refused(replace_array(path, name, array, source), message)


# Files and later versions


def test_a_parameter_missing_in_a_file_has_its_default(source, path):
    edit(path, lambda d: d["parameters"].pop("tol"), source)
    assert models.load(path).tol == 1e-4


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers overflow
@pytest.mark.parametrize("name", ["mean_", "decoder.units", "decoder.with_x"])
def test_a_model_with_numbers_beyond_float64_is_not_explained(name, path):
    X = np.random.default_rng(0).uniform(1, 5, (100, 3))
    fitted = GFS(2, family="polynomial", degree=2, alpha=0).fit(X)
    _, arrays = to_data_and_arrays(fitted, moments=True)
    models.save(fitted, path, moments=True)
    replace_array(path, name, 1e200 * arrays[name])
    with pytest.raises(ValueError, match="cannot be explained"):
        gramian.explain(models.load(path))
