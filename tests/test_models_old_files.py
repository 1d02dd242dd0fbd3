"""Model files of earlier versions: they load, and give the numbers that were recorded."""

from __future__ import annotations

import numpy as np
import pytest
from model_cases import unpack
from old_models import COMMANDS, FITS, FOLDER, results, tables

from gramian import models


@pytest.mark.parametrize("name", [*FITS, *COMMANDS])
def test_an_old_file_gives_the_numbers_that_were_recorded(name):
    model = models.read(FOLDER / f"{name}.gram")
    found = results(model, tables(name))
    with np.load(FOLDER / f"{name}.npz") as recorded:
        assert set(found) == set(recorded)
        for each, values in recorded.items():
            if values.dtype.kind == "f":
                scale = np.nanmax(np.abs(values), initial=1.0)
                np.testing.assert_allclose(found[each], values, rtol=0, atol=1e-11 * scale)
            else:
                np.testing.assert_array_equal(found[each], values)


@pytest.mark.parametrize("name", ["gfr", "gca", "gfs", "gfa_laws", "uffs", "manifold"])
def test_an_old_file_can_be_written_again(name, tmp_path):
    old = models.read(FOLDER / f"{name}.gram")
    models.save(old.estimator, tmp_path / "again.gram")
    old_members, members = unpack(FOLDER / f"{name}.gram"), unpack(tmp_path / "again.gram")
    assert set(old_members) == set(members)
    assert all(each == members[part] for part, each in old_members.items() if part != "model.json")


def test_every_file_that_is_kept_is_small_and_tested():
    kept = {path.stem for path in FOLDER.glob("*.npz")}
    assert kept == {*FITS, *COMMANDS}
    assert all(path.stat().st_size < 20_000 for path in FOLDER.iterdir() if path.is_file())
