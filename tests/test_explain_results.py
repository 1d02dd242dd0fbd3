"""Explanations as text, LaTeX, SymPy and tables, with column names of any kind."""
# ruff: noqa: RUF001  # minus signs, as they are printed

import dataclasses
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from explain_cases import explained_by, measurements
from matplotlib.mathtext import MathTextParser

from gramian import GFA, GFR, GFS
from gramian.explanations import Formula, Term, explain
from gramian.families import Custom, Fourier, Indicator, Polynomial
from gramian.families._products import ProductFamily, _Functions
from gramian.formulas._notation import latex_number, number, r_squared

RNG = np.random.default_rng(0)
BASE = measurements()


def parse_latex(text):
    """Parse and lay out as in a figure, without the LaTeX commands that matplotlib lacks."""
    for unknown in [r"\#", r"\&", "`"]:
        text = text.replace(unknown, "")
    return MathTextParser("path").parse(f"${text}$")


def planted():
    others = pd.DataFrame(
        {
            "product": 2 * BASE.a * BASE.b,
            "sum": 1e4 * BASE.a - BASE.c + 5,
            "copy": -3 * BASE.c + 1,
        }
    )
    fitted, table, _ = explained_by(BASE, others)
    return fitted, table


# Numbers


@pytest.mark.parametrize(
    ("value", "text", "latex"),
    [
        (0.0001, "0.0001", "0.0001"),
        (0.00001, "10⁻⁵", "10^{-5}"),
        (1.23456e-7, "1.235 · 10⁻⁷", r"1.235 \cdot 10^{-7}"),
        (2.0, "2", "2"),
        (0.99999, "1", "1"),
        (123456.0, "123500", "123500"),
        (-2.5e9, "−2.5 · 10⁹", r"-2.5 \cdot 10^{9}"),
        (9.9999e-6, "10⁻⁵", "10^{-5}"),
        (1 / 3, "0.3333", "0.3333"),
        (0.0, "0", "0"),
    ],
)
def test_numbers_have_four_significant_digits(value, text, latex):
    assert number(value) == text
    assert latex_number(value) == latex


def test_more_digits_are_printed_where_rounding_would_show():
    base = pd.DataFrame({"x": 1e5 + RNG.standard_normal(200)})
    fitted, table, _ = explained_by(base, pd.DataFrame({"y": base.x / 3 + base.x**2 / 7}))
    (found,) = explain(fitted)
    rounded = [
        Term(float(f"{term.coefficient:.{digits - 1}e}"), term.factors)
        for term, digits in zip(found.terms, found.expression.digits, strict=True)
    ]
    printed = Formula(tuple(rounded), ("x",))
    assert np.abs(printed(table) - found(table)).max() < 0.01 * table["y"].std()


def test_r2_is_never_rounded_up_to_one():
    assert r_squared(1.0) == "1"
    assert r_squared(0.99996) == ">0.9999"
    assert r_squared(0.99994) == "0.9999"
    assert r_squared(-0.25) == "−0.2500"
    assert r_squared(-1e-17) == "0.0000"


# Text


def test_an_explanation_has_one_sentence_for_each_column():
    table = pd.DataFrame({"a": RNG.standard_normal(100), "b": RNG.uniform(1, 2, 100)})
    table["ab"] = 0.1 * table.a * table.b
    table["twice"] = 0.2 * table.a
    table["both"] = 0.1 * table.a - 0.1 * table.b + 4
    table["seven"] = 7.0
    explanation = explain(
        GFA(threshold=1e-3, relative=True, backward=False, alpha=0).fit(table), table
    )
    assert str(explanation).splitlines() == [
        "ab = 0.1 · a · b (R² 1, held out 1)",
        "twice = 0.2 · a (duplicate, R² 1, held out 1)",
        "both = 0.1 · a − 0.1 · b + 4 (linear, R² 1, held out 1)",
        "seven = 7 (constant)",
    ]
    assert [each.kind for each in explanation] == ["nonlinear", "duplicate", "linear", "constant"]
    assert str(explain(GFA(threshold=None, backward=False, alpha=0).fit(table[["a", "b"]]))) == (
        "No column is explained by others."
    )
    assert str(explanation.kept[0]).startswith("a was chosen as number 1: 100 % of its variance")


def test_signs_and_exponents_are_written_as_in_print():
    terms = (Term(-1.0, {"x": 2}), Term(-2.5, {"x": 1, "y": 12}), Term(3.0, {}))
    formula = Formula(terms, ("x", "y"))
    assert str(formula) == "−x² − 2.5 · x · y¹² + 3"
    assert formula.latex() == r"-\mathrm{x}^{2} - 2.5 \, \mathrm{x} \, \mathrm{y}^{12} + 3"
    assert str(Formula((), ())) == Formula((), ()).latex() == "0"


HOSTILE = [
    "mean radius",
    "a_b%c#d&e",
    "{x}^2$",
    "\\frac{1}{0}",
    "a + b",
    "x²",
    "`tick`",
    "new\nline",
    "",
    "3",
    "温度 °C",
    "<script>alert(1)</script>",
    "sin(x)",
    " blank ",
    "~'\"",
    "lambda",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_column_name_survives_text_latex_sympy_and_html(name):
    sympy = pytest.importorskip("sympy")
    base = pd.DataFrame({name: RNG.uniform(1, 2, 100), "other": RNG.uniform(3, 5, 100)})
    planted = pd.DataFrame({f"{name}!": 2 * base[name] * base["other"]})
    fitted, table, _ = explained_by(base, planted)
    explanation = explain(fitted)
    (found,) = explanation
    assert found.feature == f"{name}!"
    assert dict(found.terms[0].factors) == {name: 1, "other": 1}
    np.testing.assert_allclose(found(table), table[f"{name}!"])
    parse_latex(found.latex())
    equation = found.sympy()
    assert equation.free_symbols == {sympy.Symbol(each) for each in (name, "other", f"{name}!")}
    assert "\n" not in str(found)
    assert "<script>" not in explanation._repr_html_()


def test_names_that_look_like_operations_are_quoted():
    formula = Formula((Term(2.0, {"a + b": 2, "mean radius": 1}),), ("a + b", "mean radius"))
    assert str(formula) == "2 · `a + b`² · mean radius"


@pytest.mark.filterwarnings("ignore::gramian.exceptions.UnitsWarning")
def test_columns_of_the_same_name_are_told_apart_by_their_index():
    base = measurements(100).to_numpy()
    fitted = GFS(3, alpha=0, criterion="variance").fit(
        np.column_stack([base, 1e-13 * base[:, 0] * base[:, 1]])
    )
    # accepted by older versions of scikit-learn
    fitted._become(dataclasses.replace(fitted.model_, names=("x", "x", "y", "z")))
    (found,) = explain(fitted)
    assert dict(found.terms[0].factors) == {"x #0": 1, "x #1": 1}


def test_columns_without_names_are_numbered():
    (found,) = explain(
        GFA(2, threshold=None, backward=False, alpha=0).fit(
            BASE.assign(c=1e-9 * BASE.a * BASE.b).to_numpy()
        )
    )
    assert found.feature == "x2"
    assert set(found.sources) == {"x0", "x1"}


# Objects


def test_tables_hold_a_row_for_each_column():
    fitted, table = planted()
    explanation = explain(fitted, table)
    frame = explanation.to_frame()
    assert frame["feature"].tolist() == ["product", "sum", "copy"]
    assert frame["kind"].tolist() == ["nonlinear", "linear", "duplicate"]
    assert (frame["r2"] > 1 - 1e-9).all()
    assert (frame["validation_r2"] > 1 - 1e-9).all()
    assert frame["formula"].tolist() == [each.formula for each in explanation]
    html = explanation._repr_html_()
    assert html.count("<tr>") == 4
    assert "a · b" in html


def test_redundancies_are_found_by_position_slice_or_name():
    explanation = explain(planted()[0])
    assert len(explanation) == 3
    assert explanation["sum"] is explanation[1]
    assert [each.feature for each in explanation[1:]] == ["sum", "copy"]
    assert explanation[-1].feature == "copy"
    with pytest.raises(KeyError, match="'a' was kept"):
        explanation["a"]
    with pytest.raises(KeyError, match="not among"):
        explanation["nothing"]
    assert repr(explanation) == "<Explanation of 3 columns by 3>"


def test_a_redundancy_takes_arrays_mappings_and_data_frames():
    fitted, table = planted()
    found = explain(fitted)["product"]
    expected = found(table)
    np.testing.assert_allclose(expected, table["product"])
    kept = fitted.transform(table)
    for given in [
        kept,
        dict(table.items()),
        pl.from_pandas(table),
        fitted.set_output(transform="pandas").transform(table),
        kept.tolist(),
    ]:
        np.testing.assert_array_equal(found(given), expected)
    one = found({"a": table["a"].iloc[0], "b": table["b"].iloc[0]})
    assert float(one) == pytest.approx(expected[0])
    with pytest.raises(ValueError, match="takes the 3 kept columns"):
        found(kept[:, :2])


def test_explanations_can_be_pickled():
    fitted, table = planted()
    explanation = explain(fitted, table)
    copy = pickle.loads(pickle.dumps(explanation))
    assert str(copy) == str(explanation)
    np.testing.assert_array_equal(copy[0](table), explanation[0](table))


# LaTeX and SymPy of all families


def shifted_sine(z):
    return np.sin(z + 0.3)


DISCRETE = pd.DataFrame(RNG.integers(0, 3, (300, 2)) * [2.0, 5.0] + 1, columns=["u_1", "v"])
FAMILIES = {
    "polynomial": (BASE, Polynomial(3)),
    "fourier": (BASE, Fourier(2, frequency=1.5)),
    "custom": (BASE, Custom([(np.abs, 1), (np.hypot, 2), (shifted_sine, 1)])),
    "indicator": (DISCRETE, Indicator(2)),
    "union": (BASE, Polynomial(2) + Fourier(1)),
}


def of_family(name):
    base, family = FAMILIES[name]
    scaled = (base - base.mean()) / base.std(ddof=0)
    first, second = scaled.iloc[:, 0], scaled.iloc[:, 1]
    y = {
        "fourier": np.sin(1.5 * first) * np.cos(1.5 * second) + 2,
        "custom": np.hypot(first, second) - 3 * np.abs(first),
        "indicator": ((base.iloc[:, 0] == 3.0) & (base.iloc[:, 1] == 11.0)) * 2.0 - 1,
        "union": first * second + np.sin(first),
        "polynomial": base.iloc[:, 0] ** 3,
    }[name]
    return explained_by(base, pd.DataFrame({"y": y}), family=family, degree=None)


TEXTS = {
    "fourier": "sin(1.5 · (a − 0.0002963)/(9.951 · 10⁻⁵)) · cos(1.5 · (b − 2.002 · 10⁷)/941900)",
    "custom": " · hypot((b − 2.002 · 10⁷)/941900, (a − 0.0002963)/(9.951 · 10⁻⁵))",
    "indicator": "· [u_1 = 3] · [v = 11]",
    "union": "sin((a − 0.0002963)/",
    "polynomial": "· a³",
}


@pytest.mark.parametrize("name", FAMILIES)
def test_formulas_of_every_family_can_be_written_as_text_latex_and_sympy(name):
    sympy = pytest.importorskip("sympy")
    fitted, table, _ = of_family(name)
    (found,) = explain(fitted)
    assert found.r2 > 1 - 1e-9
    assert found.kind == "nonlinear"
    assert TEXTS[name] in found.formula
    np.testing.assert_allclose(found(table), table["y"], atol=1e-6 * table["y"].std())
    parse_latex(found.latex())
    equation = found.sympy()
    assert equation.lhs == sympy.Symbol("y")
    names = sorted(map(str, equation.rhs.free_symbols))
    known = [{"hypot": np.hypot, "absolute": np.abs, "shifted_sine": shifted_sine}, "numpy"]
    function = sympy.lambdify(sympy.symbols(names), equation.rhs, known)
    values = function(*(table[each].to_numpy() for each in names))
    np.testing.assert_allclose(values, found(table), atol=1e-9 * table["y"].std())


@pytest.mark.parametrize("name", FAMILIES)
def test_sympy_reads_its_own_output(name):
    sympy = pytest.importorskip("sympy")
    expression = explain(of_family(name)[0])[0].expression.sympy()
    assert sympy.sympify(sympy.srepr(expression)) == expression


class Exponentials(ProductFamily):
    """A user-defined family whose functions have their own keys."""

    degree = max_variables = 2

    def __init__(self):
        pass

    def _basis(self):
        return _Functions((("z",), ("exp", 1)), (1, 1), self._values)

    def _values(self, z):
        return np.vstack([z, np.exp(z)])


def test_unknown_functions_are_named_by_their_key():
    pytest.importorskip("sympy")
    base = pd.DataFrame(RNG.uniform(1, 2, (300, 2)), columns=["u", "v"])
    scaled = (base - base.mean()) / base.std(ddof=0)
    planted = pd.DataFrame({"y": np.exp(scaled.u) * scaled.v})
    fitted, table, unit = explained_by(base, planted, family=Exponentials(), degree=None)
    (found,) = explain(fitted)
    assert len(found.terms) == 1
    assert found.terms[0].coefficient == pytest.approx(unit)
    assert "exp1((u − 1." in found.formula
    assert "· (v − 1." in found.formula
    np.testing.assert_allclose(found(table), table["y"], atol=1e-9 * unit)
    parse_latex(found.latex())
    assert {str(each) for each in found.sympy().free_symbols} == {"u", "v", "y"}


def test_formulas_of_directions_subtract_no_mean():
    a = RNG.uniform(-2, 2, 300)
    table = np.column_stack([5 * a, np.sin(3 * a / a.std())])
    fitted = GFR(1, family=Fourier(3), alpha=0).fit(table)
    found = explain(fitted)["x1"]
    assert "sin(3 · gfr0/" in found.formula
    assert found.r2 > 0.9
    parse_latex(found.latex())


def test_columns_with_a_negative_mean_are_shifted_by_a_sum():
    base = pd.DataFrame({"x": RNG.uniform(-3, -2, 200)})
    scaled = (base.x - base.x.mean()) / base.x.std(ddof=0)
    fitted, _, _ = explained_by(
        base, pd.DataFrame({"y": np.sin(scaled)}), family=Fourier(1), degree=None
    )
    (found,) = explain(fitted)
    assert "sin((x + 2." in found.formula
    assert r"\sin\left(\frac{\mathrm{x} + 2." in found.latex()


@pytest.mark.parametrize(
    ("package", "use", "words"),
    [
        ("sympy", lambda found: found.sympy(), r"gramian\[sympy\]"),
        ("pandas", lambda found: found.to_frame(), "pip install pandas"),
    ],
)
def test_a_missing_package_is_named(monkeypatch, package, use, words):
    explanation = explain(planted()[0])
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=words):
        use(explanation)


def test_two_functions_of_the_same_name_are_told_apart():
    family = Custom([(lambda z: np.abs(z), 1), (lambda z: np.sin(z), 1)])
    base = pd.DataFrame({"x": RNG.standard_normal(200)})
    scaled = (base.x - base.x.mean()) / base.x.std(ddof=0)
    planted = pd.DataFrame({"y": np.abs(scaled) + 2 * np.sin(scaled)})
    fitted, table, unit = explained_by(base, planted, family=family, degree=None)
    (found,) = explain(fitted)
    coefficients = sorted(term.coefficient for term in found.terms)
    np.testing.assert_allclose(coefficients, [unit, 2 * unit])
    np.testing.assert_allclose(found(table), table["y"], atol=1e-9 * unit)


def test_all_equations_can_be_written_in_latex_and_sympy():
    pytest.importorskip("sympy")
    explanation = explain(planted()[0])
    text = explanation.latex()
    assert text.startswith("\\begin{aligned}\n\\mathrm{product} &= ")
    assert text.count("&=") == 3
    assert [str(each.lhs) for each in explanation.sympy()] == ["product", "sum", "copy"]
