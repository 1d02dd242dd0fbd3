"""Progress of long fits, on terminals and elsewhere."""

import os
import pty
import re
import subprocess
import sys
import threading

import pytest
from source_cases import AgainAndAgain, X
from support import STEPWISE, make

from gramian import GFR
from gramian._support.words import duration
from gramian.estimators._pursuit_plan import family_of, limits_of
from gramian.fitting._progress_bar import Bar

FIT = """
import sys
import numpy as np
from gramian import GFR
X = np.random.default_rng(0).standard_normal((2000, 12)) * np.linspace(1, 2, 12)
GFR({count}, degree=2, verbose={verbose}).fit(X)
print("done")
"""


def in_terminal(count, verbose):
    """Fit with a terminal as standard error; return the terminal's text and the printed text."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160", "NO_COLOR": "1"}
    child = subprocess.Popen(
        [sys.executable, "-c", FIT.format(count=count, verbose=verbose)],
        stdout=subprocess.PIPE,
        stderr=slave,
        env=environment,
    )
    os.close(slave)
    shown = []

    def read():
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # on Linux this error means that the other end is closed
                return
            if not part:
                return
            shown.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    printed = child.communicate(timeout=60)[0]
    reader.join()
    os.close(master)
    assert child.returncode == 0, b"".join(shown).decode()
    return b"".join(shown).decode(), printed.decode()


@pytest.mark.parametrize("estimator", STEPWISE)
def test_a_fit_is_silent_by_default(estimator, capfd):
    make(estimator, 2).fit(X)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("estimator", STEPWISE)
def test_a_bar_is_shown_on_terminals_only(estimator, capfd):
    make(estimator, 2, verbose=1).fit(X)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("data", [X, AgainAndAgain()], ids=["array", "stream"])
@pytest.mark.parametrize("estimator", STEPWISE)
def test_verbose_2_prints_one_line_for_each_step(estimator, data, capfd):
    fitted = make(estimator, 3, verbose=2).fit(data)
    out, err = capfd.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert len(lines) == len(fitted.n_functions_)
    for step, line in enumerate(lines, start=1):
        variance = f"{fitted.residual_variance_[step]:.4g}"
        n_functions = 1 + fitted.n_functions_[:step].sum()
        assert re.fullmatch(
            rf"\[{estimator.__name__}\] step {step}: residual variance {re.escape(variance)}, "
            rf"[\d.]+ % explained, {n_functions} functions, [\d.]+ s",
            line,
        )


def test_a_terminal_shows_a_bar_with_variance_functions_and_time_left():
    shown, printed = in_terminal(count=8, verbose=1)
    assert printed == "done\n"
    assert "GFR" in shown
    assert re.search(r"residual variance [\d.]+, [\d.]+ % explained, \d+ functions", shown)
    assert re.search(r"about \d+ s left", shown)
    assert "━" in shown


def test_without_a_number_of_steps_the_bar_does_not_guess_the_time():
    shown, printed = in_terminal(count=0.9, verbose=1)
    assert printed == "done\n"
    assert re.search(r"residual variance [\d.]+", shown)
    assert "left" not in shown


def test_a_fit_on_a_terminal_is_silent_by_default():
    assert in_terminal(count=4, verbose=0) == ("", "done\n")


def test_without_rich_the_bar_says_what_to_install(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(ImportError, match=r'verbose=2.*pip install "gramian\[progress\]"'):
        GFR(2, verbose=1, alpha=0).fit(X)


def test_without_rich_a_fit_elsewhere_than_on_a_terminal_works(monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    GFR(2, verbose=2, alpha=0).fit(X)
    GFR(2, verbose=1, alpha=0).fit(X)
    assert capfd.readouterr().out.count("\n") == 2


def test_the_bar_moves_in_proportion_to_the_work_of_a_step():
    gfr = GFR(5, alpha=0)
    bar = Bar("GFR", family_of(gfr), limits_of(gfr))
    assert bar._costs == sorted(bar._costs)
    assert len(bar._costs) == 5


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.04 s"), (0.4, "0.4 s"), (89, "89 s"), (90, "2 min"), (5400, "1.5 h")],
)
def test_durations_are_written_in_short_form(seconds, text):
    assert duration(seconds) == text
