"""The command in its own process: pipes, a terminal, Ctrl-C, and start-up."""

import json
import os
import signal
import subprocess
import sys
import time
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from cli_cases import folder, gramian, measurements, read_csv, start  # noqa: F401

from gramian import GFS

FEATURES = ("-x", "key,label")
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has other pipes and signals")


@POSIX
def test_commands_can_be_joined_by_pipes(folder):  # noqa: F811
    program = f"{sys.executable} -m gramian"
    gramian("select", "data.csv", *FEATURES, "-n", "3", "-m", "model.gram", cwd=folder)
    done = subprocess.run(
        f"gzip -c new.csv | {program} apply model.gram - --id key "
        f"| {program} reconstruct model.gram - --id key -o all.csv",
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert done.stderr == "gramian: wrote all.csv: 25 rows, 8 columns\n"
    found = read_csv(folder / "all.csv", dtype={"key": str})
    assert found["key"].tolist() == measurements(25, seed=1)["key"].tolist()


def test_standard_output_holds_only_the_table(folder):  # noqa: F811
    done = gramian("select", "data.csv", *FEATURES, "-n", "2", "--same-unit", "-o", "-", cwd=folder)
    assert done.stdout.splitlines()[0] == "voltage,height"
    assert len(done.stdout.splitlines()) == 61
    assert "2 kept, " in done.stderr


@POSIX
def test_a_table_reader_that_closes_the_pipe_early_causes_no_error(folder):  # noqa: F811
    measurements(50_000).to_csv(folder / "long.csv", index=False)
    process = start("select", "long.csv", *FEATURES, "-n", "2", "-q", "-o", "-", cwd=folder)
    assert process.stdout.readline() == "power,perimeter\n"
    process.stdout.close()
    errors = process.stderr.read()
    assert process.wait(timeout=60) == 141
    process.stderr.close()
    assert errors == ""


@POSIX
def test_a_listing_reader_that_closes_the_pipe_early_causes_no_error(folder):  # noqa: F811
    wide = pd.DataFrame(np.zeros((2, 3000)), columns=[f"column{i}" for i in range(3000)])
    wide.to_csv(folder / "wide.csv", index=False)
    process = start("inspect", "wide.csv", cwd=folder)
    assert process.stdout.readline() == "wide.csv: csv, 2 rows, 3,000 columns\n"
    process.stdout.close()
    errors = process.stderr.read()
    assert process.wait(timeout=60) == 141
    process.stderr.close()
    assert errors == ""


@POSIX
def test_an_interrupted_fit_changes_no_file(folder):  # noqa: F811
    (folder / "kept.csv").write_text("as it was", encoding="utf-8")
    before = {path.name for path in folder.iterdir()}
    with BytesIO() as stream:
        np.save(stream, np.random.default_rng(0).standard_normal((30_000, 60)))
        data = stream.getvalue()
    process = start(
        "select", "-", "-n", "50", "--degree", "3", "-o", "kept.csv", "-m", "model.gram",
        cwd=folder, stdin=subprocess.PIPE, text=False, OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )  # fmt: skip
    process.stdin.write(data)
    process.stdin.close()
    process.stdin = None
    time.sleep(2)
    assert process.poll() is None  # the fit takes minutes
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == b""
    assert errors == b"gramian: interrupted; no file is left half-written\n"
    assert {path.name for path in folder.iterdir()} == before
    assert (folder / "kept.csv").read_text(encoding="utf-8") == "as it was"


@POSIX
def test_an_interrupted_apply_changes_no_file(folder):  # noqa: F811
    GFS(1).fit(measurements()[["voltage", "height"]]).save(folder / "model.gram")
    (folder / "kept.csv").write_text("as it was", encoding="utf-8")
    before = {path.name for path in folder.iterdir()}
    process = start("apply", "model.gram", "-", "-o", "kept.csv", cwd=folder, stdin=subprocess.PIPE)
    process.stdin.write("voltage,height\n" + 100_000 * "1,2\n")  # more than a pipe holds
    process.stdin.flush()  # the command has begun to read, and waits for more rows
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == ""
    assert errors == "gramian: interrupted; no file is left half-written\n"
    assert {path.name for path in folder.iterdir()} == before
    assert (folder / "kept.csv").read_text(encoding="utf-8") == "as it was"


# A terminal


@pytest.fixture
def terminal(folder):  # noqa: F811
    """Return a function that runs the command on a terminal and returns the terminal's text."""
    pexpect = pytest.importorskip("pexpect")
    if os.name == "nt":
        pytest.skip("pexpect has no terminal on Windows")

    def show(*arguments, columns=100):
        child = pexpect.spawn(
            sys.executable, ["-m", "gramian", *arguments], cwd=str(folder), timeout=60,
            dimensions=(40, columns), encoding="utf-8",
            env={**os.environ, "TERM": "xterm-256color"},
        )  # fmt: skip
        child.expect(pexpect.EOF)
        child.close()
        return child.exitstatus, child.before

    return show


def test_a_terminal_shows_a_table_with_lines_and_bold_heads(terminal, folder):  # noqa: F811
    code, shown = terminal("select", "data.csv", *FEATURES, "-n", "3", "-o", "kept.csv")
    assert code == 0
    assert "───" in shown
    assert "\x1b[1m" in shown
    assert "voltage" in shown
    assert (folder / "kept.csv").exists()


def test_a_long_fit_shows_its_progress_on_a_terminal(terminal, folder):  # noqa: F811
    np.save(folder / "long.npy", np.random.default_rng(0).standard_normal((6000, 30)))
    fast = ("--degree", "3", "-m", "m.gram", "--criterion", "variance")
    code, shown = terminal("select", "long.npy", "-n", "20", *fast)
    assert code == 0
    assert "GFS" in shown
    assert "left" in shown
    code, shown = terminal("select", "long.npy", "-n", "12", *fast, "-q")
    assert shown.strip() == ""


def test_binary_data_are_not_written_to_a_terminal(terminal):
    code, shown = terminal(
        "select", "data.csv", *FEATURES, "-n", "3", "-o", "-", "--output-format", "parquet"
    )
    assert code == 2
    assert "a terminal cannot show parquet" in " ".join(shown.split())


def test_markup_in_a_name_is_text_on_a_terminal(terminal, folder):  # noqa: F811
    x = np.random.default_rng(0).standard_normal((50, 2))
    pd.DataFrame(x, columns=["[red]x[/red]", "\x1b[31my"]).to_csv(folder / "in.csv", index=False)
    code, shown = terminal("select", "in.csv", "-n", "2")
    assert code == 0
    assert "[red]x[/red]" in shown
    assert "\x1b[31m" not in shown


# Start


def test_help_imports_no_numeric_library(tmp_path):
    program = (
        "import sys\n"
        "from gramian.cli._app import app\n"
        "app(['select', '--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'pandas'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_shell_completes_commands_and_values_of_options(tmp_path):
    for words, expected in [
        ("gramian sel", {"select"}),
        ("gramian select --family h", {"hermite"}),
        ("gramian extract --algorithm ", {"gfr", "gca", "manifold"}),
    ]:
        place = str(len(words.split(" ")) - 1)
        environment = {"COMP_WORDS": words, "COMP_CWORD": place}
        done = gramian(cwd=tmp_path, _GRAMIAN_COMPLETE="complete_bash", **environment)
        assert set(done.stdout.split()) == expected, done.stderr


def test_characters_that_a_terminal_cannot_encode_are_escaped(folder):  # noqa: F811
    options = ("-x", "key,label", "-t", "0.001", "--relative")
    done = gramian("select", "data.csv", *options, cwd=folder, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "power = 0.001 \\xb7 voltage \\xb7 current" in done.stdout


def test_the_demonstration_runs(tmp_path):
    done = gramian("demo", cwd=tmp_path, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    assert "REDUNDANT COLUMNS" in done.stdout


def test_the_version_is_printed(tmp_path):
    import gramian as package

    assert gramian("--version", cwd=tmp_path).stdout.strip() == package.__version__


def test_without_typer_the_error_names_the_extra(tmp_path):
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(name='typer')", encoding="utf-8")
    done = gramian("--help", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 3
    assert 'pip install "gramian[cli]"' in done.stderr


def test_without_pyarrow_the_error_names_the_extra(folder):  # noqa: F811
    (folder / "pyarrow.py").write_text(
        "raise ModuleNotFoundError(name='pyarrow')", encoding="utf-8"
    )
    done = gramian("select", "data.csv", cwd=folder, PYTHONPATH=str(folder))
    assert done.returncode == 3
    assert 'pip install "gramian[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_the_json_of_a_process_is_one_document(folder):  # noqa: F811
    done = gramian("inspect", "data.csv", "--json", cwd=folder)
    assert json.loads(done.stdout)["rows"] == 60


def test_commands_without_a_fit_do_not_import_scikit_learn(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n" + "".join(f"{i},{2 * i}\n" for i in range(40)))
    program = (
        "import sys\nfrom gramian.cli import main\ntry:\n    main()\nfinally:\n"
        "    print({*sys.modules} & {'sklearn', 'sympy'})"
    )
    for command in (["relations", "table.csv"], ["compare", "table.csv", "table.csv"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.endswith("set()\n")
