"""Shared by tests of the command: ways to run the command, and tables to run it on."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from support import read_csv  # noqa: F401

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")


def start(*arguments, cwd, stdin=None, text=True, **environment):
    """Start the command without the user's own data folder and caches."""
    env = {key: value for key, value in os.environ.items() if key != "GRAMIAN_DATA"}
    env |= {"XDG_CACHE_HOME": str(cwd / "cache"), **environment}
    return subprocess.Popen(
        [sys.executable, "-m", "gramian", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=text,
        cwd=cwd,
        env=env,
    )


def gramian(*arguments, cwd, **environment):
    """Run the command in a process; return its exit code, standard output and standard error."""
    process = start(*arguments, cwd=cwd, **environment)
    output, errors = process.communicate(timeout=100)
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


def run(*arguments, data=None):
    """Run the command in this process, in the current folder, with bytes on standard input."""
    from typer.testing import CliRunner

    from gramian.cli._app import app

    arguments = [str(each) for each in arguments]
    done = CliRunner().invoke(app, arguments, input=data, prog_name="gramian")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception  # a user would see a traceback
    return done


def succeed(*arguments, data=None):
    """Run the command, check that it succeeds, and show its messages if it fails."""
    done = run(*arguments, data=data)
    assert done.exit_code == 0, done.stderr
    return done


def measurements(n_rows=60, seed=0):
    """Return a table of four measurements, three columns made of them, a name and a label."""
    rng = np.random.default_rng(seed)
    voltage, current = rng.uniform(12, 400, n_rows), rng.uniform(2, 60, n_rows)
    width, height = rng.uniform(20, 120, n_rows), rng.uniform(20, 200, n_rows)
    return pd.DataFrame(
        {
            "key": [f"{i:04d}" for i in range(n_rows)],
            "voltage": voltage,
            "current": current,
            "width": width,
            "height": height,
            "power": voltage * current / 1e3,
            "area": width * height / 1e4,
            "perimeter": 2 * (width + height) / 100,
            "label": rng.choice(["yes", "no"], n_rows),
        }
    )


"""Function that reads numbers exactly; older versions of pandas need an option for this."""

MEASURED = ["voltage", "current", "width", "height"]
MADE = ["power", "area", "perimeter"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with data.csv, and new.csv with other rows of the same kind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAMIAN_DEBUG", raising=False)
    measurements().to_csv("data.csv", index=False)
    measurements(25, seed=1).to_csv("new.csv", index=False)
    return tmp_path
