"""Laws as tests of other tables: broken rows, wrong cells, columns that differ, stored laws."""

import json
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from invoice_cases import N, invoices

import gramian
from gramian.exceptions import LawsFileError
from gramian.laws import Checks, compare, load_checks


@pytest.fixture(scope="module")
def found():
    return gramian.relations(invoices(0))


def test_the_table_itself_and_tomorrows_table_obey_the_laws(found):
    assert len(found) >= 7
    for table in (invoices(0), invoices(1), invoices(2, 40)):
        result = found.check(table)
        assert result.ok
        assert not len(result.rows)
        assert not result.drift
        assert all(each.n_tested == len(table) for each in result.laws)


DAMAGES = {
    # column: the wrong value, the column that is named, the value that the laws give
    "gross": (1e6, "gross", True),
    "net": (0.01, "net", True),
    "vat": (-5.0, "vat", True),
    "city": ("Bonn", "city", False),
    "code": ("B1", None, False),
    "due": (pd.Timestamp("2031-01-01"), None, False),
    "cost": (1e4, None, False),
    "charged": (77.7, None, False),
}


@pytest.mark.parametrize("column", DAMAGES)
def test_a_wrong_cell_breaks_its_laws_and_is_named(found, column):
    wrong, named, given = DAMAGES[column]
    table = invoices(1)
    right = table.loc[17, column]
    table.loc[17, column] = wrong
    result = found.check(table)
    assert not result.ok
    assert result.rows.tolist() == [17]
    (cell,) = result.cells
    assert column in cell.likely
    assert cell.laws
    assert {each.law for each in result.laws if not each.holds} == {*cell.laws}
    if given:
        assert cell.column == named
        assert cell.found == wrong
        assert cell.expected == right
        assert cell.mends
    assert cell.column == named
    if named is None:
        assert len(cell.likely) > 1


def test_counts_are_those_of_an_oracle_that_knows_the_damage(found):
    table, rng = invoices(3), np.random.default_rng(0)
    rows = {
        name: np.sort(rng.choice(N, 30, replace=False)) for name in ("gross", "city", "charged")
    }
    table.loc[rows["gross"], "gross"] += 1
    table.loc[rows["city"], "city"] = "Bonn"
    table.loc[rows["charged"], "charged"] += 0.1
    result = found.check(table)
    assert result.rows.tolist() == sorted({*np.concatenate([*rows.values()]).tolist()})
    by_column = {each.column: each.rows.tolist() for each in result.laws if each.n_broken}
    assert by_column == {name: each.tolist() for name, each in rows.items()}


def test_missing_cells_and_unknown_levels_are_no_breach(found):
    table = invoices(1)
    for i, name in enumerate(("net", "code", "city", "day", "product", "size")):
        table.loc[i, name] = None
    table.loc[9, "code"] = "X9"
    result = found.check(table)
    assert result.ok
    assert not len(result.rows)
    assert [each.kind for each in result.drift] == ["levels"]
    assert "X9" in result.drift[0].text
    lookup = next(each for each in result.laws if each.column == "city")
    assert lookup.n_unknown == 1
    assert lookup.n_tested == N - 3


def test_an_infinite_cell_breaks_its_laws(found):
    table = invoices(1)
    table.loc[3, "gross"] = np.inf
    table.loc[4, "net"] = -np.inf
    assert found.check(table).rows.tolist() == [3, 4]


def test_a_law_with_exceptions_keeps_its_share():
    table = invoices(0, 2_000)
    table.loc[np.arange(0, 2_000, 100), "gross"] += 3
    found = gramian.relations(table)
    law = next(each for each in found if each.n_exceptions)
    assert law.n_exceptions == 20
    result = found.check(table)
    assert result.ok
    assert result.rows.tolist() == list(range(0, 2_000, 100))
    more = invoices(5, 2_000)
    more.loc[np.arange(0, 2_000, 50), "gross"] += 3
    assert not found.check(more).ok
    assert found.checks.check(more, allow=0.02).ok
    assert not found.checks.check(invoices(5, 2_000).assign(gross=1.0), allow=0.5).ok


def test_noise_is_allowed_and_more_is_not():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(1, 5, (2, 2_000))
    table = {"x": x[:1_000], "y": y[:1_000]}
    table["z"] = 3 * table["x"] * table["y"] + 0.05 * rng.standard_normal(1_000)
    found = gramian.relations(table)
    assert any(each.typical_error for each in found)
    other = {"x": x[1_000:], "y": y[1_000:]}
    other["z"] = 3 * other["x"] * other["y"] + 0.05 * rng.standard_normal(1_000)
    assert found.check(other).ok
    other["z"][7] += 2
    assert found.check(other).rows.tolist() == [7]


def test_an_equation_that_gives_no_column_is_tested():
    angle = np.random.default_rng(0).uniform(0, 6.28, 400)
    found = gramian.relations(np.column_stack([np.cos(angle), np.sin(angle)]), ["x", "y"])
    table = {"x": np.cos(angle), "y": np.sin(angle)}
    table["y"][11] += 0.01
    result = found.check(table)
    assert result.rows.tolist() == [11]
    assert result.laws[0].column is None
    assert {*result.cells[0].likely} == {"x", "y"}


def test_a_series_is_the_same_in_pieces(monkeypatch):
    from gramian.laws.columns import _coded_table

    sold = np.random.default_rng(0).integers(10, 99, 900).astype(float)
    table = {"sold": sold, "week": np.convolve(sold, np.ones(7))[:900], "total": np.cumsum(sold)}
    table["week"][:6] = np.nan
    found = gramian.relations(table)
    assert {each.gives for each in found} >= {"week", "total"}
    damaged = {name: column.copy() for name, column in table.items()}
    damaged["week"][[70, 500]] += 1
    damaged["total"][300] -= 2
    assert found.check(damaged).rows.tolist() == [70, 300, 500]
    monkeypatch.setattr(_coded_table, "BLOCK_ROWS", 64)
    assert found.check(table).ok
    assert found.check(damaged).rows.tolist() == [70, 300, 500]


def test_pieces_files_and_frames_give_one_answer(found, tmp_path, monkeypatch):
    from gramian.laws.columns import _coded_table

    table = invoices(1)
    table.loc[[5, 300], "gross"] += 1
    table.loc[[6, 301], "city"] = "Bonn"
    whole = found.check(table).to_json()
    table.to_parquet(tmp_path / "table.parquet")
    assert found.check(tmp_path / "table.parquet").to_json() == whole
    monkeypatch.setattr(_coded_table, "BLOCK_ROWS", 50)
    assert found.check(table).to_json() == whole


def test_a_table_without_names_goes_by_position():
    x = np.random.default_rng(0).uniform(1, 2, (300, 2)).round(3)
    X = np.column_stack([x, x.sum(axis=1).round(3)])
    found = gramian.relations(X, ["a", "b", "sum"])
    X[4, 2] += 1
    assert found.check(X).rows.tolist() == [4]


def test_a_law_that_most_rows_break_has_changed_and_repairs_nothing(found):
    table = invoices(1)
    table["vat"] = (0.2 * table["net"]).round(2)
    table["gross"] = (table["net"] + table["vat"]).round(2)
    table.loc[5, "gross"] += 1
    result = found.check(table)
    (law,) = (each for each in result.laws if each.changed)
    assert str(law).startswith("vat = 0.19 · net: broken in 600 of 600 rows")
    assert str(law).endswith("; the law may have changed")
    assert not any(each.mends for each in result.cells)
    gross, vat, net = table.loc[5, ["gross", "vat", "net"]].round(2)
    assert str(result).splitlines()[-3:] == [
        "600 rows break a law (rows count from 0):",
        f"row 5: vat (the laws give {gross - net:.2f}) or gross ({net + vat:.2f}) is wrong",
        "and 599 more rows",
    ]
    table.loc[5, "gross"] -= 1
    assert str(found.check(table)).endswith("600 rows break only laws that may have changed.")
    few = found.check(table.iloc[:3])
    assert not any(each.changed for each in few.laws)


def test_stored_laws_check_as_before(found, tmp_path):
    path = tmp_path / "laws.json"
    path.write_text(found.checks.text(), encoding="utf-8")
    again = load_checks(path)
    assert again.to_json() == found.checks.to_json()
    table = invoices(1)
    table.loc[5, ["gross", "cost"]] += 1
    assert again.check(table).to_json() == found.check(table).to_json()


def test_people_may_delete_a_law_and_change_a_tolerance(found):
    document = json.loads(found.checks.text())
    table = invoices(1)
    table.loc[5, "gross"] += 0.5
    assert not Checks.from_json(document).check(table).ok
    for each in document["laws"]:
        if each["law"].startswith("gross"):
            each["tolerance"] = 1.0
    assert Checks.from_json(document).check(table).ok
    del document["laws"][1:]
    assert len(Checks.from_json(document)) == 1


NONSENSE = {
    "no object": ([], "a JSON object"),
    "another format": ({"format": "x"}, "a JSON object"),
    "a newer version": ({"format": "gramian laws", "version": 2}, "version 2"),
    "too few keys": ({"format": "gramian laws", "version": 1}, "the keys"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused(name):
    document, said = NONSENSE[name]
    with pytest.raises(LawsFileError, match=said):
        Checks.from_json(document)


EDITS = {
    "a negative tolerance": (("laws", 0, "tolerance"), -1, "law 1: 'tolerance'"),
    "a text for a number": (("laws", 1, "relative_tolerance"), "big", "law 2: 'relative"),
    "a share above 1": (("laws", 0, "allowed_share"), 2, "law 1: 'allowed_share'"),
    "no form": (("laws", 0, "form"), None, "law 1: "),
    "code in a form": (("laws", 0, "form"), {"terms": "__import__('os')"}, "law 1: "),
    "a type": (("columns", 0, "type"), "money", "column 1: the type"),
    "a name": (("columns", 0, "name"), 7, "column 1: the name"),
    "a number of rows": (("n_rows",), -3, "n_rows"),
    "laws": (("laws",), {}, '"laws" must be a list'),
    "infinity": (("laws", 0, "tolerance"), float("inf"), "law 1: 'tolerance'"),
    "a large number": (("laws", 0, "tolerance"), 10**400, "law 1: 'tolerance'"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_into_nonsense_is_refused_with_its_place(found, name):
    path, value, said = EDITS[name]
    document = json.loads(found.checks.text())
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(LawsFileError, match=said):
        Checks.from_json(document)


def test_hostile_names_come_through():
    names = ['a "b"', "c\nd", "=1+1", "Σ; DROP", ""]
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 9, (300, 4)).round(2)
    table = dict(zip(names, [*x.T, x.sum(axis=1).round(2)], strict=True))
    found = gramian.relations(table)
    table[""][8] += 1
    result = Checks.from_json(json.loads(found.checks.text())).check(table)
    assert result.rows.tolist() == [8]
    assert json.loads(json.dumps(result.to_json()))["n_broken"] == 1


def test_two_tables_are_compared(found):
    before, now = invoices(0), invoices(1)
    now["vat"] = (0.07 * now["net"]).round(2)
    now["gross"] = (now["net"] + now["vat"]).round(2)
    now = now.drop(columns="size")
    result = compare(before, now)
    assert not result.ok
    assert any(each.law == "vat = 0.07 · net" for each in result.new)
    assert any(each.law == "vat = 0.19 · net" and each.n_broken for each in result.broken)
    assert any(each.law == "gross = net + vat" for each in result.holding)
    text = str(result)
    assert "Column size is missing." in text
    assert "vat = 0.07 · net" in text
    same = compare(before, invoices(2))
    assert same.ok
    assert not same.new


def test_results_are_shown(found):
    table = invoices(1)
    table.loc[[5, 6], "gross"] += 1
    result = found.check(table)
    assert "gross = net + vat" in result._repr_html_()
    assert repr(result).startswith("<check of ")
    frame = result.to_frame()
    assert frame["row"].tolist() == [5, 6]
    assert frame["column"].tolist() == ["gross", "gross"]
    assert list(found.check(invoices(1)).to_frame().columns) == list(frame.columns)


def test_shares_outside_their_range_are_refused(found):
    with pytest.raises(ValueError, match="allow must be a share"):
        found.checks.check(invoices(1), allow=2)


def test_the_schema_describes_the_file_of_laws(found):
    jsonschema = pytest.importorskip("jsonschema")
    path = Path(__file__).parents[1] / "docs" / "laws.schema.json"
    validator = jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    validator.check_schema(validator.schema)
    sold = np.random.default_rng(0).integers(10, 99, 300).astype(float)
    week = np.convolve(sold, np.ones(7))[:300]
    week[:6] = np.nan
    angle = np.random.default_rng(0).uniform(0, 6.28, 300)
    circle = {"x": np.cos(angle), "y": np.sin(angle)}
    for each in (found, gramian.relations({"sold": sold, "week": week}), gramian.relations(circle)):
        assert len(each)
        validator.validate(each.checks.to_json())
    for path, value, _ in EDITS.values():
        document = found.checks.to_json()
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        assert value == float("inf") or value == 10**400 or not validator.is_valid(document)


def _converted(n_rows, seed):
    rng = np.random.default_rng(seed)
    km, m2 = rng.uniform(10, 1200, n_rows).round(0), rng.uniform(20, 300, n_rows).round(0)
    feet = (m2 * 10.763910417).round(0)
    return {"km": km, "miles": (km / 1.609344).round(1), "m2": m2, "feet": feet}


@pytest.mark.parametrize("n_rows", [12, 30, 60, 400])
@pytest.mark.parametrize("seed", range(3))
def test_a_coefficient_that_few_rows_determine_flags_no_row_of_another_day(n_rows, seed):
    found = gramian.relations(_converted(n_rows, seed))
    assert len(found) == 2
    tomorrow = _converted(1000, seed + 100)
    assert found.check(tomorrow).ok
    tomorrow["km"][7] += 2
    assert found.check(tomorrow).rows.tolist() == [7]


def test_a_lookup_both_ways_is_tested_both_ways_in_spite_of_exceptions():
    rng = np.random.default_rng(0)
    city = rng.choice([*"ABCD"], 400)
    land = np.array([{"A": "w", "B": "x", "C": "y", "D": "z"}[each] for each in city], dtype="U4")
    table = pd.DataFrame({"city": city, "land": land})
    table.loc[50, "land"] = "?"
    found = gramian.relations(table)
    assert str(found) == "land and city follow from each other (4 levels)  (399 of 400 rows)"
    result = found.check(pd.DataFrame({"city": [*"ABQD"] * 50, "land": [*"wxyz"] * 50}))
    assert result.rows.tolist() == list(range(2, 200, 4))  # an unknown city of a known land


@pytest.mark.parametrize("half_up", [True, False])
def test_a_mended_cell_is_rounded_as_its_column_is(half_up, tmp_path):
    rng = np.random.default_rng(0)
    units, count = rng.integers(1, 900, 600), rng.integers(1, 99, 600)
    value = (0.005 * units * count).round(2)
    if half_up:
        exact = [Decimal(int(each)) * 5 / 1000 for each in units * count]
        value = np.array([float(each.quantize(Decimal("0.01"), ROUND_HALF_UP)) for each in exact])
    table = {"units": units, "count": count, "value": value}
    found = gramian.relations(table)
    (tmp_path / "laws.json").write_text(found.checks.text(), encoding="utf-8")
    stored = load_checks(tmp_path / "laws.json")
    tie = next(i for i, each in enumerate(units * count) if each % 4 == 1)
    (cell,) = stored.check(table | {"value": np.where(np.arange(600) == tie, 9e4, value)}).cells
    assert (cell.row, cell.column, cell.expected) == (tie, "value", value[tie])


def test_a_cell_that_may_obey_another_rule_is_not_mended():
    rng = np.random.default_rng(0)
    count, price = rng.integers(1, 60, 400), rng.uniform(1, 90, 400).round(2)
    amount = (count * price).round(2)
    table = pd.DataFrame({"count": count, "price": price, "charge": amount, "double": 2 * amount})
    found = gramian.relations(table)
    table.loc[7, "charge"] = 1e5
    assert [each.mends for each in found.check(table).cells] == [True]
    table.loc[[8, 9], "charge"] = 1e5
    cells = found.check(table).cells
    assert [each.column for each in cells] == ["charge"] * 3
    assert not any(each.mends for each in cells)  # a charge that is repeated may be right


def test_a_law_with_many_exceptions_mends_no_cell():
    rng = np.random.default_rng(0)
    count, price = rng.integers(1, 60, 400), rng.uniform(1, 90, 400).round(2)
    table = {"count": count, "price": price, "charge": np.maximum((count * price).round(2), 200)}
    found = gramian.relations(table)
    assert found[0].n_exceptions > 40
    assert not any(each.mends for each in found.check(table).cells)


@pytest.mark.parametrize("wrong", ["12O", np.inf])
def test_a_cell_that_is_no_finite_number_is_the_wrong_one(wrong):
    rng = np.random.default_rng(0)
    a, b = rng.integers(1, 90, (2, 400))
    table = pd.DataFrame({"a": a, "b": b, "product": a * b})
    found = gramian.relations(table)
    damaged = table.astype({"a": object})
    damaged.loc[5, "a"] = wrong
    (cell,) = found.check(damaged).cells
    assert (cell.row, cell.column, cell.expected) == (5, "a", a[5])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda form: form["parts"][0].__setitem__(0, 10**400), "law 1: The parts"),
        (lambda form: form["parts"][0].__setitem__(0, True), "law 1: The parts"),
    ],
)
def test_a_number_that_is_none_is_refused(change, said, tmp_path):
    x, y = np.random.default_rng(0).integers(1, 900, (2, 300))
    document = gramian.relations({"x": x, "y": y, "most": np.maximum(x, y)}).checks.to_json()
    change(document["laws"][0]["form"])
    path = tmp_path / "laws.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(LawsFileError, match=said):
        load_checks(path)


def test_a_file_of_laws_may_begin_with_a_byte_order_mark(found, tmp_path):
    path = tmp_path / "laws.json"
    path.write_text(found.checks.text(), encoding="utf-8-sig")
    assert load_checks(path).to_json() == found.checks.to_json()


def test_a_term_below_must_not_vanish():
    x, y = np.random.default_rng(0).integers(1, 900, (2, 300))
    document = gramian.relations({"x": x, "y": y, "product": x * y}).checks.to_json()
    document["laws"][0]["form"]["below"][0]["coefficient"] = 0
    with pytest.raises(LawsFileError, match="law 1: A coefficient of the terms below must not be"):
        Checks.from_json(document)
