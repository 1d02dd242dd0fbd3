"""True laws are not replaced by laws that nearly say the same."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian import GFA


def laws(table):
    return {str(law) for law in gramian.relations(pd.DataFrame(table))}


@pytest.mark.parametrize("rate", [0.05, 0.125, 0.19, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_a_gross_amount_is_net_plus_tax_also_if_the_tax_is_a_simple_part_of_it(rate, seed):
    # A tax of 20 % is one sixth of the gross amount, to the cent. But a sixth does not give it.
    rng = np.random.default_rng(seed)
    net = rng.uniform(5, 900, 300).round(2)
    vat = (net * rate + 1e-9).round(2)
    found = laws({"net": net, "vat": vat, "gross": (net + vat).round(2)})
    assert found == {f"vat = {rate} · net", "gross = net + vat"}


@pytest.mark.parametrize("wrong", [0, 5])
@pytest.mark.parametrize("seed", range(3))
def test_overtime_is_no_exception_of_a_product(seed, wrong):
    rng = np.random.default_rng(seed)
    hourly = rng.choice([14.2, 16.85, 19.4, 22.15, 27.9, 33.3, 41.05], 500)
    hours = np.round(rng.uniform(60, 180, 500) * 4) / 4
    overtime = np.maximum(hours - 160, 0)
    gross = (hourly * (hours + overtime / 2) + 1e-9).round(2)
    gross[7 : 7 + 90 * wrong : 90] += 37.15
    table = {"hourly": hourly, "hours": hours, "overtime": overtime, "gross": gross.round(2)}
    law = "gross = hourly · hours + 0.5 · hourly · overtime"
    found = {each.split("  (")[0] for each in laws(table)}
    assert law in found
    assert not any(each.endswith("= hourly · hours") for each in found)


@pytest.mark.parametrize("seed", range(4))
def test_a_month_is_that_of_its_date_and_not_nearly_that_of_another(seed):
    rng = np.random.default_rng(seed)
    counted = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 900), unit="D")
    due = counted + pd.Timedelta(days=90)
    table = {"counted": counted, "due": due, "month": counted.month}
    assert laws(table) == {"due = counted + 90", "month = the month of counted"}


@pytest.mark.parametrize("decimals", [None, 4, 3, 2, 1])
def test_a_product_of_rounded_numbers_is_dropped_as_one_of_numbers_with_all_digits(decimals):
    rng = np.random.default_rng(0)
    voltage, current, other = rng.uniform([100, 1, 0], [400, 60, 40], (500, 3)).T
    table = pd.DataFrame({"U": voltage, "I": current, "T": other, "P": voltage * current / 1000})
    if decimals is not None:
        table = table.round(decimals)
    assert GFA().fit(table).redundant_features_.tolist() == [3]
    (law,) = gramian.relations(table)
    assert str(law).split("  (")[0] == "P = 0.001 · U · I"


def test_a_column_of_which_a_law_misses_a_cell_by_far_is_kept():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(1, 5, (2, 20_000)).round(2)
    table = pd.DataFrame({"x": x, "y": y, "z": (x * y).round(4)})
    table.loc[12_345, "z"] += 1.0  # in few of the samples of the search
    assert len(GFA().fit(table).redundant_features_) == 0


def test_a_rate_of_states_does_not_tell_their_region():
    rng = np.random.default_rng(0)
    rate = rng.choice(np.arange(30, 100, 2) / 10, 2000)
    region = (rate * 10 % 7 < 2).astype(float)  # each rate belongs to one region
    assert not laws({"rate": rate, "northeast": region, "x": rng.normal(size=2000)})


def test_age_and_weight_of_a_patient_tell_no_more_than_the_patient():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(100), 10)
    table = {"patient": [f"P{i:03d}" for i in patient]}
    for name, low, high in (("age", 30, 80), ("weight", 50, 110)):
        table[name] = rng.integers(low, high, 100)[patient]
    smoke = rng.choice(["never", "former", "current"], 100)[patient]
    smoke[rng.choice(1000, 12, replace=False)] = "unknown"
    found = laws(table | {"smoke": smoke, "dose": rng.normal(size=1000)})
    assert not any("age and weight" in each for each in found)
    assert any(each.startswith("smoke follows from patient") for each in found)


def test_the_number_of_a_row_is_no_sum_of_multiples_that_are_no_whole_numbers():
    day, time = np.repeat([0, 29, 58], 6), np.tile(np.arange(6), 3)
    table = {"row": np.arange(1.0, 19), "day": day, "time": time}
    table["sample"] = table["row"] + np.round(12 / 29 * day) - 40 * time
    assert not any("row" in each and "day" in each for each in laws(table))


def test_a_threshold_with_exceptions_is_a_round_number():
    rng = np.random.default_rng(0)
    longitude = rng.uniform(-72.8, -72.5, 400).round(4)
    code = np.where(longitude <= -72.6555, 1062, 1060)
    code[rng.choice(400, 12, replace=False)] = 1061
    table = {"longitude": longitude, "code": code, "x": rng.normal(size=400)}
    assert not any("72.65" in each for each in laws(table))
