"""Thousands of damaged files: each raises ModelFileError, or holds a model that works."""

from __future__ import annotations

import copy
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from model_cases import bounded_work, discrete, fit, npy, pack, table, unpack

from gramian import GCA, GFR, GFS, UFFS, PolynomialManifold, models
from gramian.families import Fourier, Indicator, Multilinear

resource = pytest.importorskip("resource", reason="Windows does not tell the peak of memory")
VALUES = [
    None, True, False, 0, 1, -1, 2, 7, 1000, 2**31, 2**63, 10**100, 0.0, 0.5, -1.0, 1e-300, 1e300,
    "", "a", "auto", "pca", "Multilinear", "inf", "../x", "\x00", "x" * 10_000, [], {}, [[]], [0],
    [1, 2], {"float": "inf"}, {"array": "basis"}, {"class": "Multilinear", "parameters": {}},
    {"class": "Polynomial", "parameters": {"degree": 999}}, ["a"] * 1000,
]  # fmt: skip
N_FLIPS = 300
N_EDITS = 400
N_SWAPS = 80


def originals():
    frame = pd.DataFrame(discrete(), columns=list("abcd"))
    steps = models.Preprocessing.learn(frame, list("abcd"), impute="mean")
    prepared = pd.DataFrame(steps.apply(frame), columns=list("abcd"))
    family = Indicator(2) + Multilinear(2)
    return {
        "GFS": (
            fit(GFS(2, family=family, scale=True, alpha=0, criterion="variance"), prepared),
            steps,
        ),
        "GFR": (fit(GFR(2, family=Fourier(1), scale=True, alpha=0), table()), None),
        "GCA": (fit(GCA(2, basis=np.eye(7), backward=False, alpha=0), table()), None),
        "UFFS": (fit(UFFS(degree=2), table()), None),
        "PolynomialManifold": (fit(PolynomialManifold(2, scale=True), table()), None),
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, (fitted, steps) in originals().items():
        models.save(fitted, folder / f"{name}.gram", preprocessing=steps)
    return folder


class Reader:
    """Read a damaged file, and check that no other error than ModelFileError occurs."""

    def __init__(self, path):
        self.path = path
        self.refused = self.read = 0
        self._memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def __call__(self):
        with bounded_work():
            try:
                model = models.read(self.path)
            except models.ModelFileError:
                self.refused += 1
            else:
                self.read += 1
                use(model.estimator)

    def finish(self):
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - self._memory
        assert grown < 200_000  # kilobytes
        return self.refused, self.read


def use(estimator):
    """Check that an accepted file holds an estimator that works, even if its numbers are odd."""
    repr(estimator)
    rows = np.ones((2, estimator.n_features_in_))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            Z = estimator.transform(rows)
        except ValueError as error:  # the mean may have any value
            if "too far from the others" not in str(error):
                raise
            return
        if Z.size and np.isfinite(Z).all() and hasattr(estimator, "inverse_transform"):
            assert estimator.inverse_transform(Z).shape == rows.shape


@pytest.mark.parametrize("name", originals())
def test_files_with_flipped_bits_are_refused_or_valid(name, files, tmp_path):
    rng = np.random.default_rng(0)
    content = (files / f"{name}.gram").read_bytes()
    reader = Reader(tmp_path / "bad.gram")
    for i in range(N_FLIPS):
        damaged = np.frombuffer(content, dtype=np.uint8).copy()
        # The directory at the end is small, and most errors are possible there.
        low = len(damaged) - 2500 if i % 2 else 0
        places = rng.integers(low, len(damaged), rng.integers(1, 4))
        damaged[places] ^= (1 << rng.integers(0, 8, len(places))).astype(np.uint8)
        reader.path.write_bytes(damaged.tobytes())
        reader()
    refused, _ = reader.finish()
    assert refused > N_FLIPS / 2


@pytest.mark.parametrize("name", originals())
def test_truncated_and_joined_files_are_refused_or_valid(name, files, tmp_path):
    rng = np.random.default_rng(1)
    content = (files / f"{name}.gram").read_bytes()
    reader = Reader(tmp_path / "bad.gram")
    for _ in range(N_SWAPS):
        start, stop = np.sort(rng.integers(0, len(content), 2))
        for damaged in (
            content[:stop],
            content[start:],
            content[:start] + content[stop:],
            content[:stop] + content[start:],
            content[:start] + rng.bytes(stop - start) + content[stop:],
        ):
            reader.path.write_bytes(damaged)
            reader()
    refused, _ = reader.finish()
    assert refused > 4 * N_SWAPS


@pytest.mark.parametrize("name", originals())
def test_documents_with_changed_values_are_refused_or_valid(name, files, tmp_path):
    rng = np.random.default_rng(2)
    members = unpack(files / f"{name}.gram")
    document = json.loads(members["model.json"])
    reader = Reader(tmp_path / "bad.gram")
    for _ in range(N_EDITS):
        changed = copy.deepcopy(document)
        for _ in range(rng.integers(1, 3)):
            meddle(changed, rng)
        pack(reader.path, {**members, "model.json": json.dumps(changed).encode()})
        reader()
    refused, read = reader.finish()
    assert refused > N_EDITS / 3
    assert read > 0


def meddle(document, rng):
    """Change, remove or add a value somewhere in a document."""
    place = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = keys[rng.integers(len(keys))]
        if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.8:
            place = place[key]
            continue
        what = rng.random()
        if what < 0.15:
            del place[key]
        elif what < 0.25 and isinstance(place, dict):
            place[keys[rng.integers(len(keys))]] = copy.deepcopy(place[key])
        else:
            place[key] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])
        return


@pytest.mark.parametrize("name", originals())
def test_arrays_with_changed_content_are_refused_or_valid(name, files, tmp_path):
    rng = np.random.default_rng(3)
    members = unpack(files / f"{name}.gram")
    names = [each for each in members if each != "model.json"]
    reader = Reader(tmp_path / "bad.gram")
    for _ in range(N_SWAPS):
        changed = dict(members)
        one, other = rng.choice(names, 2, replace=False)
        what = rng.integers(4)
        if what == 0:
            changed[one], changed[other] = members[other], members[one]
        elif what == 1:
            changed[one] = npy(strange_array(rng))
            announce(changed, one, strange_array(rng))
        elif what == 2:
            array = strange_array(rng)
            changed[one] = npy(array)
            announce(changed, one, array)
        else:  # equal shape, other numbers
            content = bytearray(members[one])
            content[128:] = strange_bytes(rng, len(content) - 128)
            changed[one] = bytes(content)
        pack(reader.path, changed)
        reader()
    refused, _ = reader.finish()
    assert refused > N_SWAPS / 2


def strange_array(rng):
    shape = tuple(rng.choice([0, 1, 2, 3, 4, 7, 100], rng.integers(1, 3)))
    values = rng.choice([0, 1, 2, -1, 2**40], shape)
    return values.astype(np.float64) if rng.random() < 0.5 else values


def strange_bytes(rng, n):
    if rng.random() < 0.5:
        return rng.bytes(n)
    value = rng.choice([0.0, 1.0, -1.0, 1e308, 5e-324])
    kind = np.float64 if rng.random() < 0.5 else np.int64
    return np.full(n // 8, np.clip(value, -(2**62), 2**62), dtype=kind).tobytes()


def announce(members, name, array):
    document = json.loads(members["model.json"])
    document["arrays"][name.removesuffix(".npy")] = {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
    }
    members["model.json"] = json.dumps(document).encode()
