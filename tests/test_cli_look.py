"""Output of commands: text for people, JSON for programs, and dry runs."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_cases import MADE, MEASURED, folder, measurements, run, succeed  # noqa: F401

from gramian import GFS

pytestmark = pytest.mark.usefixtures("folder")
GFS_ON_RAW = ["-a", "gfs", "-t", "0.001", "--relative", "--same-unit", "--alpha", "0"]
SELECT = ["select", "data.csv", "-x", "key,label", *GFS_ON_RAW]
HOSTILE = [
    "<script>alert(1)</script>",
    "line\nbreak",
    "a,b",
    'quo"te',
    "[red]x[/red]",
    "größe °C",
    "\x1b[31mred",
    "--option",
    " ",
]


def test_a_selection_is_shown_with_order_shares_and_formulas():
    lines = succeed(*SELECT).stdout.splitlines()
    assert lines[0] == "data.csv: 60 rows, 9 columns: 4 kept, 3 dropped, 2 left out"
    assert lines[1].split() == ["column", "explained"]
    assert [line.split()[1] for line in lines[2:6]] == ["voltage", "height", "width", "current"]
    shares = [float(line.split()[2]) for line in lines[2:6]]
    assert shares == sorted(shares)
    assert lines[6] == (
        "explained: share of the variance of 7 columns that functions of each column and those "
        "above it give (GFS, Multilinear(2), columns not scaled)"
    )
    assert lines[7].startswith("First to give up: current, without which")
    assert lines[8] == "Dropped:"
    assert lines[9] == "  power = 0.001 · voltage · current (R² 1)"
    assert lines[10] == "  area = 0.0001 · width · height (R² 1)"
    assert lines[11] == "  perimeter = 0.02 · height + 0.02 · width (linear, R² 1)"


def test_residuals_of_held_out_rows_have_their_own_columns():
    options = ["-x", "key,label", "-n", "2", "--validation", "0.25", "--alpha", "0"]
    lines = succeed("extract", "data.csv", *options).stdout.splitlines()
    assert lines[0] == "data.csv: 60 rows, 9 columns: 2 components of 7 columns, 2 left out"
    assert lines[1].split() == [
        "component", "explained", "held", "out", "residual", "variance", "held", "out"
    ]  # fmt: skip
    assert [line.split()[1] for line in lines[2:4]] == ["gfr0", "gfr1"]
    assert lines[4].endswith("columns scaled to variance 1, 15 of 60 rows held out)")


def test_a_long_list_of_dropped_columns_is_shortened():
    x = np.random.default_rng(0).standard_normal((200, 3))
    pd.DataFrame(np.hstack([x] * 6)).to_csv("in.csv", index=False)
    done = succeed("select", "in.csv", "--no-header", "-n", "3")
    assert done.stdout.splitlines()[-1] == (
        "  and 5 more: write a model with -m, then gramian explain MODEL in.csv"
    )


def test_the_command_for_more_formulas_works_for_a_model_without_moments():
    x = np.random.default_rng(0).standard_normal((600, 26))
    table = pd.DataFrame(np.hstack([x, x[:, :12] + x[:, 1:13]])).add_prefix("c")
    table.to_csv("in.csv", index=False)
    options = ["-a", "gfs", "-n", "26", "--alpha", "0", "--model", "wide.gram"]
    lines = succeed("select", "in.csv", *options).stdout.splitlines()
    said = "  and 2 more, see "
    command = next(line for line in lines if line.startswith(said)).removeprefix(said)
    assert command == "gramian explain wide.gram in.csv"
    assert "too many functions" in run("explain", "wide.gram").stderr
    assert len(succeed(*command.split()[1:]).stdout.splitlines()) == 12


def value_of(formula, table):
    """Evaluate a printed formula."""
    python = re.sub("([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", r" ** \1", formula)
    python = python.translate(str.maketrans("·\N{MINUS SIGN}⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "*--0123456789"))
    return eval(python, {each: table[each] for each in table})


def test_formulas_of_a_standardized_fit_are_in_the_units_of_the_table():
    options = ["-x", "key,label", "-a", "gfs", "-t", "0.001", "--relative", "-m", "model.gram"]
    succeed("select", "data.csv", *options, "--alpha", "0", "-q")
    lines = succeed("explain", "model.gram").stdout.splitlines()
    table = measurements()
    assert len(lines) >= 1
    for line in lines:
        name, formula = re.fullmatch(r"(\w+) = (.*) \(.*\)", line).groups()
        if "partial" not in line:
            np.testing.assert_allclose(table[name], value_of(formula, table), rtol=0.2)
    if "power" not in "".join(lines):
        pytest.fail("power was to be dropped")


def test_explain_gives_formulas_as_text_and_json():
    succeed(*SELECT, "-m", "model.gram", "-q")
    text = succeed("explain", "model.gram").stdout.splitlines()
    assert text[0] == "power = 0.001 · voltage · current (R² 1)"
    tested = succeed("explain", "model.gram", "new.csv").stdout.splitlines()
    assert tested[0] == "power = 0.001 · voltage · current (R² 1, on new.csv 1)"
    document = json.loads(succeed("explain", "model.gram", "new.csv", "--json").stdout)
    assert document["kept"] == ["voltage", "height", "width", "current"]
    assert [each["feature"] for each in document["formulas"]] == MADE
    assert document["formulas"][0]["formula"] == "0.001 · voltage · current"
    assert document["formulas"][0]["validation_r2"] == pytest.approx(1)


def test_formulas_of_standardized_components_give_columns_in_the_units_of_the_table():
    options = ["-x", "key,label", "-n", "4", "--standardize", "-m", "model.gram", "-q"]
    succeed("extract", "data.csv", *options, "-o", "z.csv")
    done = succeed("explain", "model.gram", "data.csv", "--max-terms", "20", "--json")
    components, table = pd.read_csv("z.csv"), measurements()
    formulas = json.loads(done.stdout)["formulas"]
    assert [each["feature"] for each in formulas] == [*MEASURED, *MADE]
    for each in formulas:
        name = each["feature"]
        left = np.mean((table[name] - value_of(each["formula"], components)) ** 2)
        assert 1 - left / table[name].var(ddof=0) == pytest.approx(each["r2"], abs=0.01)
        assert each["r2"] > 0.8


def test_explain_asks_for_rows_if_the_model_file_has_no_moments():
    GFS(2).fit(measurements()[[*MEASURED, *MADE]]).save("model.gram", moments=False)
    done = run("explain", "model.gram")
    assert done.exit_code == 2
    assert "name rows as well, as in gramian explain model.gram data.csv" in done.stderr
    assert len(succeed("explain", "model.gram", "new.csv").stdout.splitlines()) == 5


def test_explain_says_if_no_column_was_dropped():
    succeed("select", "data.csv", "-c", "voltage,width", "-n", "2", "-m", "model.gram", "-q")
    assert succeed("explain", "model.gram").stdout == "No column was dropped: all were kept.\n"


# inspect


def test_a_table_is_inspected():
    table = measurements().assign(constant=5, gaps=[np.nan] * 20 + [1.5] * 40)
    table.to_csv("in.csv", index=False)
    lines = succeed("inspect", "in.csv").stdout.splitlines()
    assert lines[0] == "in.csv: csv, 60 rows, 11 columns"
    words = {line.split()[0]: line.split()[1:] for line in lines[2:]}
    assert words["constant"] == ["int64", "5", "5", "constant"]
    assert words["gaps"] == ["double", "20", "1.5", "1.5"]
    assert words["label"] == ["string", "2", "values"]
    document = json.loads(succeed("inspect", "in.csv", "--json").stdout)
    assert document["rows"] == 60
    columns = {each["name"]: each for each in document["columns"]}
    assert columns["constant"]["constant"] is True
    assert columns["gaps"]["constant"] is False
    assert columns["gaps"]["missing"] == 20
    assert columns["voltage"]["max"] == pytest.approx(table["voltage"].max())
    assert columns["label"]["categories"] == 2


def test_a_model_is_inspected():
    succeed("select", "data.csv", "--id", "key", "--encode", "--impute", "mean", "--standardize",
            "-n", "3", "-m", "model.gram", "-q")  # fmt: skip
    text = succeed("inspect", "model.gram").stdout
    facts = dict(re.split(r"  +", line, maxsplit=1) for line in text.splitlines()[1:])
    assert facts["estimator"] == "GFS(n_features_to_select=3, scale=True)"
    assert facts["fitted to"] == "60 rows, 8 columns"
    assert facts["missing values"] == "are filled in"
    assert facts["units"] == "standardized in the fit"
    assert facts["passes through"] == "key"
    assert facts["categories of"] == "label"
    assert facts["keeps"].startswith("3 columns: ")
    document = json.loads(succeed("inspect", "model.gram", "--json").stdout)
    assert document["categories"] == {"label": ["no", "yes"]}
    assert document["ids"] == ["key"]
    assert document["parameters"] == {"n_features_to_select": 3, "scale": True}
    assert document["standardized"] is True
    assert len(document["kept"]) == 3
    assert len(document["residual_variance"]) == 4


# JSON, quiet, warnings, dry runs


def test_json_is_the_only_thing_on_standard_output():
    done = succeed(*SELECT, "-o", "kept.csv", "-m", "model.gram", "--json")
    document = json.loads(done.stdout)
    assert done.stderr == ""
    assert document["files"] == {"output": "kept.csv", "model": "model.gram"}
    assert document["kept"] == ["voltage", "height", "width", "current"]
    assert len(document["residual_variance"]) == 5
    assert document["functions"] == 11
    assert document["seconds"] > 0


def test_quiet_prints_nothing():
    done = succeed(*SELECT, "-o", "kept.csv", "-m", "model.gram", "--quiet")
    assert done.output == ""
    done = succeed("apply", "model.gram", "new.csv", "-o", "out.csv", "-q")
    assert done.output == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-n", "7", "--degree", "3", "--alpha", "0"], "functions span all 20 rows"),
        (["-n", "4", "--alpha", "0"], "11 functions were fitted to 20 rows"),
    ],
)
def test_warnings_are_single_lines_that_name_options_of_the_command(options, words):
    x = np.random.default_rng(0).standard_normal((20, 7))
    np.save("few.npy", x)
    done = succeed("select", "few.npy", *options)
    lines = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(lines) == 1
    assert words in lines[0]
    assert "--alpha auto" in lines[0]
    assert "OverfittingWarning" not in done.stderr
    done = succeed("select", "few.npy", *options, "--json")
    assert words in json.loads(done.stdout)["warnings"][0]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_dry_run_tells_the_cost_and_writes_nothing(ending):
    if ending == "parquet":
        measurements().to_parquet("data.parquet")
    before = {path.name for path in Path().iterdir()}
    arguments = ["select", f"data.{ending}", "-x", "key,label", "-o", "k.csv", "-m", "m.gram"]
    arguments += ["--family", "multilinear"]
    lines = succeed(*arguments, "--dry-run").stdout.splitlines()
    assert lines[1].split() == ["kept", "functions", "memory", "time"]
    assert [line.split()[:2] for line in lines[2:]] == [["2", "4"], ["5", "16"], ["7", "29"]]
    document = json.loads(succeed(*arguments, "--dry-run", "-n", "3", "--json").stdout)
    assert [each["n_functions"] for each in document["costs"]] == [7]
    assert {path.name for path in Path().iterdir()} == before


def test_a_dry_run_of_a_wide_table_stops_counting_at_50000_functions():
    np.save("wide.npy", np.zeros((10, 2000)))
    lines = succeed("select", "wide.npy", "--degree", "auto", "--dry-run").stdout.splitlines()
    assert [int(line.split()[0]) for line in lines[2:]] == [2, 5, 10, 20]
    done = run("select", "wide.npy", "--degree", "4", "-n", "500", "--dry-run")
    assert done.exit_code == 3
    assert "more than 50,000 functions" in done.stderr


# Names that mean something to a shell, a terminal or a page


def test_hostile_names_are_shown_and_stored_unchanged():
    x = np.random.default_rng(0).standard_normal((80, len(HOSTILE)))
    x[:, 1] = 0.1 * x[:, 2] * x[:, 4]
    pd.DataFrame(x, columns=HOSTILE).to_csv("in.csv", index=False)
    arguments = ["select", "in.csv", "-t", "1e-6", "-o", "kept.csv", "-m", "model.gram"]
    done = succeed(*arguments)
    assert "\x1b" not in done.output
    for text in ("<script>alert(1)</script>", "[red]x[/red]", "a,b", "größe °C", r"\x1b[31mred"):
        assert text in done.stdout
    kept = [name for name in HOSTILE if name != "line\nbreak"]
    assert pd.read_csv("kept.csv").columns.tolist() == kept
    for command in (["inspect", "in.csv"], ["inspect", "model.gram"], ["explain", "model.gram"]):
        assert "\x1b" not in succeed(*command).stdout
    document = json.loads(succeed("explain", "model.gram", "--json").stdout)
    assert [each["feature"] for each in document["formulas"]] == ["line\nbreak"]
    succeed("apply", "model.gram", "in.csv", "-o", "again.csv")
    assert Path("again.csv").read_bytes() == Path("kept.csv").read_bytes()
    done = succeed("select", "in.csv", "-c", "a,b", "-c", "[[]red*", "-n", "1", "--json")
    document = json.loads(done.stdout)
    assert sorted([*document["kept"], *document["dropped"]]) == ["[red]x[/red]", "a,b"]


def test_a_hostile_name_in_an_error_cannot_steer_the_terminal():
    pd.DataFrame({"\x1b[31m\nred": ["a", "b"]}).to_csv("in.csv", index=False)
    done = run("select", "in.csv")
    assert done.exit_code == 3
    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


# report


def test_a_report_is_written_with_its_model():
    pytest.importorskip("jinja2")
    options = ["--id", "key", "--target", "label", "-n", "4", "--title", "My <title>"]
    done = succeed("report", "data.csv", *options, "-m", "model.gram", "--json")
    document = json.loads(done.stdout)
    assert document["files"] == {"output": "report.html", "model": "model.gram"}
    page = Path("report.html").read_text(encoding="utf-8")
    assert "My &lt;title&gt;" in page
    assert "<title>My <title>" not in page
    assert "voltage" in page
    succeed("apply", "model.gram", "new.csv", "-o", "out.csv")


def test_a_report_without_its_packages_names_the_extra_to_install(monkeypatch):
    monkeypatch.setattr("gramian.cli._report_command.find_spec", lambda name: None)
    done = run("report", "data.csv", "-x", "key,label")
    assert done.exit_code == 3
    assert 'the report needs jinja2: pip install "gramian[report]"' in done.stderr
    assert not Path("report.html").exists()


# Help


@pytest.mark.parametrize(
    "command",
    [
        *("", "select", "extract", "apply", "reconstruct", "explain", "relations", "report"),
        *("inspect", "demo"),
    ],
)
def test_every_command_has_a_help_that_fits_a_terminal(command):
    done = succeed(*command.split(), "--help")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout == succeed(*command.split(), "-h").stdout


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


@pytest.mark.parametrize(
    "command", ["select", "extract", "report", "apply", "reconstruct", "check"]
)
def test_the_help_shows_few_options_and_the_whole_help_all(command):
    short, whole = succeed(command, "--help").stdout, succeed(command, "--help-all").stdout
    assert max(map(len, whole.splitlines())) <= 80
    assert options_in(short) < options_in(whole)
    often = short.count("│ --") + short.count("│               -n")
    assert often <= 14  # with --help and --help-all
    assert "--help-all" in short


def test_options_that_the_short_help_leaves_out_are_options_still():
    assert "--standardize" not in succeed("select", "--help").stdout
    succeed("select", "data.csv", "--standardize")


def test_the_short_help_names_options_that_exist():
    from typer.main import get_command

    from gramian.cli._app import COMMANDS, app

    for run_it, _, _, often in COMMANDS:
        names = {each.name for each in get_command(app).commands[run_it.__name__].params}
        assert set(often.split()) <= names


def test_the_families_of_the_command_are_those_of_the_library():
    from gramian.cli._options import FamilyName
    from gramian.families import BY_NAME

    assert set(FamilyName) == {*BY_NAME, "auto"}
