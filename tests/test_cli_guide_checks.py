"""The examples of the guide page "Check tomorrow's table" do what the page says."""

import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_cases import succeed

GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "checks.md"
BROKEN, FAILED = 1, 1


def example(language, containing):
    """Return the block of the page in a language that has a text."""
    blocks = re.findall(
        rf"^```{language}\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    (found,) = (each for each in blocks if containing in each)
    return found


def orders(seed, n=300):
    rng = np.random.default_rng(seed)
    price, quantity = rng.uniform(1, 99, n).round(2), rng.integers(1, 20, n)
    net = (price * quantity).round(2)
    return pd.DataFrame({"price": price, "quantity": quantity, "net": net, "vat": 0.19 * net})


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Write laws and a good and a wrong table; return a function that runs a line in a shell."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    orders(0).to_csv("old.csv", index=False)
    succeed("relations", "old.csv", "-o", "laws.json")
    shutil.copy("laws.json", "data/laws.json")
    orders(1).to_csv("good.csv", index=False)
    wrong = orders(1)
    wrong.loc[7, "net"] += 100
    wrong.to_csv("wrong.csv", index=False)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return lambda line: subprocess.run(
        ["sh", "-c", line.replace("/data/", "data/")],
        env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


needs_shell = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")


@needs_shell
def test_cron_mails_what_breaks_and_nothing_else(data):
    line = example("text", "* * *").split(maxsplit=5)[5]
    shutil.copy("good.csv", "data/today.csv")
    done = data(line)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    shutil.copy("wrong.csv", "data/today.csv")
    done = data(line)
    assert "row 7: net is" in done.stdout
    assert len(Path("data/broken.csv").read_text(encoding="utf-8").splitlines()) == 2
    os.remove("data/today.csv")
    assert "there is no file data/today.csv" in data(line).stdout


@needs_shell
def test_a_job_of_github_actions_fails_with_a_report(data):
    yaml = pytest.importorskip("yaml")
    install, check = (step["run"] for step in yaml.safe_load(example("yaml", "run")))
    assert install == 'pip install "gramian[cli]"'
    shutil.copy("good.csv", "data/orders.csv")
    assert data(check).returncode == 0
    shutil.copy("wrong.csv", "data/orders.csv")
    assert data(check).returncode == BROKEN
    assert 'failures="2"' in Path("laws.xml").read_text(encoding="utf-8")


@needs_shell
def test_a_task_of_airflow_fails(data, monkeypatch):
    name = "airflow.providers.standard.operators.bash"
    for i in range(1, 6):
        part = ".".join(name.split(".")[:i])
        monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
    sys.modules[name].BashOperator = types.SimpleNamespace
    names = {}
    exec(example("python", "airflow"), names)
    command = names["laws_hold"].bash_command.replace("{{ ds }}", "2026-01-31")
    shutil.copy("good.csv", "data/2026-01-31.csv")
    assert data(command).returncode == 0
    shutil.copy("wrong.csv", "data/2026-01-31.csv")
    assert data(command).returncode == BROKEN
    assert Path("data/broken_2026-01-31.csv").exists()


@needs_shell
def test_a_test_of_pytest_names_what_is_wrong(data):
    Path("test_orders.py").write_text(example("python", "assert_laws"), encoding="utf-8")
    command = f"{sys.executable} -m pytest -q -p no:cacheprovider test_orders.py"
    shutil.copy("good.csv", "data/orders.csv")
    assert data(command).returncode == 0
    shutil.copy("wrong.csv", "data/orders.csv")
    done = data(command)
    assert done.returncode == FAILED
    assert "row 7: net is" in done.stdout


def test_the_script_for_dbt_writes_tests_of_the_model(data):
    Path("tests").mkdir()
    exec(example("python", "to_dbt"), {})
    written = sorted(each.name for each in Path("tests").iterdir())
    assert written == ["orders_law_1.sql", "orders_law_2.sql", "orders_laws.yml"]
    assert "{{ ref('orders') }}" in Path("tests/orders_law_1.sql").read_text(encoding="utf-8")
