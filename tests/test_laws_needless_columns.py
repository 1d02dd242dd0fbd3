"""Laws name no more columns than they need, and wrong cells have other digits than right ones."""

import numpy as np
import pandas as pd
import pytest

import gramian


def uniform(rng, low, high, decimals, n=500):
    return rng.uniform(low, high, n).round(decimals)


@pytest.mark.parametrize("seed", range(4))
def test_wrong_cells_with_more_decimals_hide_no_law(seed):
    rng = np.random.default_rng(seed)
    a, b, c = (uniform(rng, 1, 20, 2) for _ in range(3))
    ratio, root = (a * b / c).round(2), np.sqrt(a * b).round(2)
    wrong = rng.random(500) < 0.03
    ratio[wrong] *= 1.5  # most have a third decimal now
    root[rng.random(500) < 0.03] += 7
    table = {"a": a, "b": b, "c": c, "ratio": ratio, "root": root}
    laws = {str(law).split("  (")[0] for law in gramian.relations(pd.DataFrame(table))}
    assert laws == {"ratio = a · b / c", "root = √a · √b"}


@pytest.mark.parametrize("seed", range(4))
def test_a_noisy_column_does_not_fill_the_rounding_of_a_product(seed):
    # power / volt gives amp to the last digit, with or without (noisy - 3.03 volt) / volt
    rng = np.random.default_rng(seed)
    volt, amp = uniform(rng, 200, 240, 1), uniform(rng, 0, 16, 2)
    table = {"volt": volt, "amp": amp, "power": (volt * amp).round(1)}
    table["noisy"] = 3 * volt + 7 + rng.normal(0, 0.3, 500)
    found = gramian.relations(pd.DataFrame(table))
    assert str(found[0]) == "power = volt · amp"
    assert [law.gives for law in found] == ["power", "noisy"]
    assert {*found[1].columns} == {"volt", "noisy"}


def test_times_that_were_added_up_are_twelfths_of_a_year():
    time = 1749 + np.cumsum(np.full(2820, 0.0833333333333345)) - 0.0833333333333345
    table = pd.DataFrame({"month": np.arange(1.0, 2821), "time": np.round(time, 11)})
    assert str(gramian.relations(table)[0]) == "time = 1/12 · month + 1748.916667"
