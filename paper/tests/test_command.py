"""The command ``python -m gramian_paper``, run as a user runs it."""

import json
import os
import signal
import subprocess
import sys

import pytest


def start(*arguments, cwd):
    """Start the command without the user's own data folder and caches."""
    env = {key: value for key, value in os.environ.items() if key != "GRAMIAN_DATA"}
    return subprocess.Popen(
        [sys.executable, "-m", "gramian_paper", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=env | {"XDG_CACHE_HOME": str(cwd / "cache")},
    )


def command(*arguments, cwd):
    """Run the command in a process; return its exit code, standard output and standard error."""
    process = start(*arguments, cwd=cwd)
    output, errors = process.communicate(timeout=600)
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


def test_the_list_names_all_experiments(tmp_path):
    done = command("--list", cwd=tmp_path)
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert {"gfr-residual-variance", "gca-success", "appendix-example", "complexity"} <= set(names)
    assert len(names) == 11


def test_an_experiment_leaves_page_table_cells_and_summary(tmp_path):
    done = command("appendix-example", "--output", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {
        "appendix-example.md",
        "appendix-example.csv",
        "appendix-example.json",
        "README.md",
    }
    assert done.stdout.split() == ["out/appendix-example.md", "out/README.md"]
    assert "[1/1] appendix-example" in done.stderr
    cells = json.loads((tmp_path / "out" / "appendix-example.json").read_text(encoding="utf-8"))[
        "cells"
    ]
    assert cells[0]["seconds"] > 0
    assert "(appendix-example.md)" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")

    again = command("appendix-example", "--output", "again", cwd=tmp_path)
    assert "[1/1]" not in again.stderr  # the cell came from the cache
    for name in written:
        assert (tmp_path / "again" / name).read_text(encoding="utf-8") == (
            tmp_path / "out" / name
        ).read_text(encoding="utf-8")


def test_cells_of_earlier_pages_are_reused_and_missing_ones_computed(tmp_path):
    command("complexity", "--output", "old", cwd=tmp_path)
    path = tmp_path / "old" / "complexity.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["cells"][0]["seconds"] = 77.0  # a mark that shows reuse
    content["cells"][1]["values"] = None
    path.write_text(json.dumps(content), encoding="utf-8")

    again = ("complexity", "--reuse", "old", "--output", "new", "--cache", "another")
    done = command(*again, cwd=tmp_path)
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("[12/12] complexity")
    cells = json.loads((tmp_path / "new" / "complexity.json").read_text(encoding="utf-8"))["cells"]
    assert cells[0]["seconds"] == 77
    assert cells[1]["values"] is not None

    path.write_text(json.dumps({**content, "version": content["version"] - 1}), encoding="utf-8")
    done = command(*again[:-1], "a third", cwd=tmp_path)
    assert done.stderr.count("\n") == 12


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for other processes")
def test_an_interrupted_command_says_so_and_resumes_next_time(tmp_path):
    process = start("complexity", cwd=tmp_path)
    assert "[1/12]" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=600)[1]
    assert process.returncode == 130
    assert "interrupted; finished cells are kept in" in errors
    assert "Traceback" not in errors
    kept = len(list((tmp_path / "cache").rglob("*.json")))
    assert 1 <= kept < 12
    again = command("complexity", cwd=tmp_path)
    assert again.returncode == 0
    assert again.stderr.startswith(f"[{kept + 1}/12]")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name one or more experiments"),
        (["no-such"], "there is no experiment 'no-such'; there are gfr-residual"),
        (["all", "--data", "nowhere"], "the data folder nowhere does not exist"),
        (["complexity", "--reuse", "nowhere"], "the folder nowhere does not exist; --reuse names"),
        (["complexity", "--output", "file"], "the output folder file cannot be made"),
    ],
)
def test_a_users_mistake_gets_a_sentence_and_no_traceback(tmp_path, arguments, sentence):
    (tmp_path / "file").touch()
    done = command(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists() or not any((tmp_path / "results").iterdir())


def test_missing_data_are_refused_with_the_option_that_names_the_folder(tmp_path):
    (tmp_path / "empty").mkdir()
    done = command("gfr-residual-variance", "--data", "empty", cwd=tmp_path)
    assert done.returncode == 1
    assert "empty does not hold a file named usps.npz" in done.stderr
    assert "--data" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "results").iterdir())


def test_a_count_of_processes_below_one_is_refused(tmp_path):
    done = command("complexity", "--jobs", "0", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
