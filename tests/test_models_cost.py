"""Time and memory of a loaded model: bounded by its content, whatever its file declares."""

import tracemalloc

import numpy as np
import pytest
from model_cases import edit, fit, replace_array

import gramian
from gramian import GFS, models
from gramian.core.pursuit import Decoder
from gramian.families import Custom, Fourier, Multilinear, Polynomial, Union

N_VARIABLES = 17


def declared(document):
    document["fitted"]["family_"] = {"class": "Multilinear", "parameters": {"degree": None}}


def test_dropped_functions_need_no_memory(tmp_path):
    wide = np.random.default_rng(0).standard_normal((300, N_VARIABLES + 1))
    linear = fit(GFS(N_VARIABLES, degree=1, alpha=0, criterion="variance"), wide)
    models.save(linear, tmp_path / "good.gram", moments=False)
    path = edit(tmp_path / "large.gram", declared, tmp_path / "good.gram")
    replace_array(path, "n_dropped_functions_", 2 ** np.arange(N_VARIABLES) - 1)
    assert path.stat().st_size < 20_000
    loaded = gramian.load(path)
    assert loaded.n_dropped_functions_[-1] == 2 ** (N_VARIABLES - 1) - 1
    rows = np.random.default_rng(1).standard_normal((5000, N_VARIABLES))
    tracemalloc.start()
    found = loaded.inverse_transform(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**28 < 8 * len(rows) * 2 ** (N_VARIABLES - 1)
    np.testing.assert_allclose(found, linear.inverse_transform(rows), rtol=0, atol=1e-12)


def test_dropped_atoms_need_little_memory():
    x = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    fitted = fit(
        GFS(
            1,
            family=Fourier(20_000, max_variables=1),
            max_functions=None,
            alpha=0,
            criterion="variance",
        ),
        x,
    )
    rows = np.random.default_rng(1).uniform(-1, 1, (1000, 1))
    tracemalloc.start()
    fitted.inverse_transform(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**28 < 8 * len(rows) * 40_000


def evaluate(blocks, wanted, z):
    store, found = [np.ones(z.shape[1])], []
    for j, (block, some) in enumerate(zip(blocks, wanted, strict=True), start=1):
        if block.n_functions:
            values = block.evaluate(np.array(store), z[:j])
            store += list(values[block.stored])
            found += list(values[some])
    return np.array(found)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize(
    "family",
    [
        Multilinear(3),
        Multilinear(None),
        Polynomial(4),
        Fourier(2),
        Custom([(np.tanh, 1), (np.arctan2, 2)]),
        Union([Multilinear(2), Custom([(np.abs, 1)]), Polynomial(3, max_variables=1)]),
    ],
    ids=repr,
)
def test_pruning_unneeded_functions_does_not_change_the_others(family, share):
    rng = np.random.default_rng(0)
    expansion = family.expand()
    blocks = [expansion.grow(lambda limit: np.empty(0)) for _ in range(5)]
    wanted = [np.flatnonzero(rng.random(block.n_functions) < share) for block in blocks]
    z = rng.standard_normal((5, 30))
    n_wanted = sum(map(len, wanted))
    coefficients, linear = np.zeros((1 + n_wanted, 1)), np.zeros((5, 1))
    decoder = Decoder(
        tuple(blocks), tuple(wanted), coefficients, linear, np.ones(5), None, np.arange(0)
    )
    smaller, places = decoder._pruned
    np.testing.assert_array_equal(evaluate(smaller, places, z), evaluate(blocks, wanted, z))
    n_smaller = sum(block.n_functions for block in smaller)
    assert n_wanted <= n_smaller <= 5 * n_wanted
