"""Careless and hostile use of the command: odd files, odd streams, signals, damaged models."""

import io
import os
import re
import signal
import subprocess
import sys
import time
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
from cli_cases import folder, measurements, read_csv, run, start, succeed  # noqa: F401

pytestmark = pytest.mark.usefixtures("folder")
NUMBERS = ["voltage", "current", "width", "height", "power"]


def numbers(n_rows=60):
    return measurements(n_rows)[NUMBERS]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("option", ["--id", "--target"])
def test_no_output_has_two_columns_with_equal_names(option, ending, folder):  # noqa: F811
    measurements().rename(columns={"key": "gfr0"}).drop(columns="label").to_csv("in.csv")
    done = run("extract", "in.csv", option, "gfr0", "-n", "2", "-o", f"out.{ending}")
    if done.exit_code == 0:
        import pyarrow.csv
        import pyarrow.parquet

        read = pyarrow.csv.read_csv if ending == "csv" else pyarrow.parquet.read_table
        names = read(f"out.{ending}").column_names
        assert len(set(names)) == len(names), names
    else:
        assert "gfr0" in done.stderr
        assert not (folder / f"out.{ending}").exists()


def test_reconstruct_needs_little_memory_when_many_columns_come_from_few():
    rng = np.random.default_rng(0)
    np.save("wide.npy", rng.normal(size=(300, 3)) @ rng.normal(size=(3, 300)))
    np.save("long.npy", rng.normal(size=(60_000, 3)))
    succeed("extract", "wide.npy", "-n", "3", "-m", "m.gram", "-q")
    tracemalloc.start()
    try:
        succeed("reconstruct", "m.gram", "long.npy", "-o", "out.npy", "--memory-budget", "64MiB")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.load("out.npy", mmap_mode="r").shape == (60_000, 300)
    assert peak < 2**27, f"{peak / 2**20:.0f} MiB for an output of 137 MiB"


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_arrays_of_the_other_byte_order_are_read(ending):
    table = numbers().to_numpy()[:, :4]
    (np.save if ending == "npy" else np.savez)(f"in.{ending}", table.astype(">f8"))
    succeed("select", f"in.{ending}", "-n", "4", "-o", "out.csv", "-q")
    np.testing.assert_array_equal(read_csv("out.csv"), table)


def test_the_message_on_text_among_numbers_shows_the_text():
    numbers().to_csv("in.csv", index=False)
    succeed("select", "in.csv", "-n", "4", "-m", "m.gram", "-q")
    table = numbers(5).astype(object)
    table.loc[3, "voltage"] = "broken"
    table.to_csv("other.csv", index=False)
    done = run("apply", "m.gram", "other.csv", "-o", "out.csv")
    assert done.exit_code == 3
    assert "'voltage'" in done.stderr
    assert "'broken'" in done.stderr


def test_encoding_a_numeric_column_with_a_stray_word_names_the_column():
    table = numbers().astype(object)
    table.loc[3, "voltage"] = "broken"
    table.to_csv("in.csv", index=False)
    done = run("select", "in.csv", "--encode", "-n", "3", "-o", "out.csv")
    assert "'voltage'" in done.stderr


def test_categories_that_look_like_dates_are_recognized_by_apply():
    table = numbers().assign(day=["2024-01-01", "2024-01-02", "never"] * 20)
    table.to_csv("in.csv", index=False)
    succeed("select", "in.csv", "--encode", "-n", "6", "-m", "m.gram", "-q")
    table[table.day != "never"].to_csv("other.csv", index=False)
    succeed("apply", "m.gram", "other.csv", "-o", "out.csv", "-q")
    assert set(read_csv("out.csv").day) == {"2024-01-01", "2024-01-02"}


def test_explain_refuses_a_model_without_moments(folder):  # noqa: F811
    numbers().to_csv("in.csv", index=False)
    succeed("extract", "in.csv", "-n", "2", "-m", "m.gram", "-q")
    with zipfile.ZipFile("m.gram") as old, zipfile.ZipFile("zero.gram", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "decoder.gram.npy":
                stream = io.BytesIO()
                np.save(stream, 0 * np.load(io.BytesIO(content)))
                content = stream.getvalue()
            new.writestr(name, content)
    done = run("explain", "zero.gram")
    assert done.exit_code == 3
    assert "zero.gram" in done.stderr


def test_a_report_on_constant_columns_claims_no_functions(folder):  # noqa: F811
    pytest.importorskip("jinja2")
    pd.DataFrame({"a": [1.0] * 20, "b": [2.0] * 20}).to_csv("in.csv", index=False)
    done = run("report", "in.csv", "-o", "out.html")
    if done.exit_code == 0:
        text = (folder / "out.html").read_text(encoding="utf-8")
        assert "their functions" not in text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="streams are closed by a POSIX shell")
@pytest.mark.parametrize(
    "command",
    ["select data.csv -x key,label -n 2 --json >&-", "select - <&-", "--help >/dev/full"],
)
def test_streams_that_are_closed_or_full_give_no_traceback(command, folder):  # noqa: F811
    if "/dev/full" in command and not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    done = subprocess.run(
        f'"{sys.executable}" -m gramian {command}', shell=True, stderr=subprocess.PIPE, text=True
    )
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_ended_by_a_signal_leaves_no_file(name, folder):  # noqa: F811
    np.save("in.npy", np.random.default_rng(0).normal(size=(500_000, 4)))
    np.save("few.npy", np.load("in.npy", mmap_mode="r")[:100])
    succeed("select", "few.npy", "-n", "4", "-m", "m.gram", "-q")
    process = start("apply", "m.gram", "in.npy", "-o", "out.csv", "-q", cwd=folder)
    while process.poll() is None and not list(folder.glob(".out.csv*")):
        time.sleep(0.005)
    process.send_signal(getattr(signal, name))
    process.communicate(timeout=30)
    assert process.returncode != 0
    assert not list(folder.glob("*out.csv*")) + list(folder.glob(".out.csv*"))


def test_printed_tables_do_not_truncate_numbers_and_names_in_a_pipe(folder):  # noqa: F811
    table = pd.DataFrame({"key": np.arange(30) + 9_007_199_254_740_993, "kind": ["u", "v"] * 15})
    table["kind"] = table["kind"].astype("category")
    table.to_parquet("in.parquet")
    found = succeed("inspect", "in.parquet").stdout
    assert found.count("9.007e+15") == 2, found
    numbers().rename(columns={"voltage": "v" * 75}).to_csv("in.csv", index=False)
    found = succeed("select", "in.csv", "-c", "v*", "-n", "1").stdout
    assert re.search("v{75} +100 %", found), found


def test_imputing_leaves_integers_and_booleans_unchanged():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "large": 2**53 + 1 + 2 * np.arange(41) ** 2,
            "flag": rng.integers(0, 2, 41) > 0,
            "x": rng.normal(size=41),
        }
    )
    table.loc[3, "x"] = np.nan
    table.to_parquet("in.parquet")
    succeed("select", "in.parquet", "--impute", "median", "-n", "2", "-o", "out.parquet", "-q")
    found = pd.read_parquet("out.parquet")
    pd.testing.assert_frame_equal(found[["large", "flag"]], table[["large", "flag"]])


def test_a_named_pipe_is_read_like_standard_input(folder):  # noqa: F811
    numbers().to_csv("in.csv", index=False)
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m gramian select <(cat in.csv) -n 2 -o out.csv -q'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(read_csv("out.csv")) == 60


def test_an_output_that_is_a_symbolic_link_stays_a_link(folder):  # noqa: F811
    numbers().to_csv("in.csv", index=False)
    (folder / "link.csv").symlink_to("real.csv")
    succeed("select", "in.csv", "-n", "2", "-o", "link.csv", "-q")
    assert (folder / "link.csv").is_symlink()
    assert len(read_csv("real.csv")) == 60


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        "select in.csv -n 2 -o /dev/full --output-format csv",
        "select in.csv -n 2 -o /dev/full --output-format parquet",
        "select in.csv -n 2 -m /dev/full",
        "report in.csv -o /dev/full",
        "report in.csv -o page.html -m /dev/full",
    ],
)
def test_an_output_on_a_full_disk_is_named(command):
    numbers().to_csv("in.csv", index=False)
    done = run(*command.split())
    assert done.exit_code == 2
    assert "gramian: /dev/full cannot be written: No space left on device" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of file sizes")
@pytest.mark.parametrize(
    ("command", "name"),
    [("report data.csv -q -o", "page.html"), ("select data.csv -q -m", "model.gram")],
)
def test_a_file_that_becomes_too_large_is_named_and_not_left(command, name, folder):  # noqa: F811
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); "
        "from gramian.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, *command.split(), name], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == f"gramian: {name} cannot be written: File too large\n"
    assert not any(name in each.name for each in folder.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "command",
    ["inspect data.csv", "select data.csv -x key,label -n 2 --json", "relations data.csv"],
)
def test_standard_output_that_is_full_is_named(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gramian", *command.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == "gramian: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize("ending", ["parquet", "feather", "csv.zst", "csv.gz", "csv", "npy"])
def test_a_table_with_a_damaged_row_gives_one_sentence_and_no_file(ending, folder):  # noqa: F811
    numbers().to_csv("in.csv", index=False)
    succeed("select", "in.csv", "-n", "4", "-m", "m.gram", "-q")
    lines = numbers(20_000).to_csv(index=False).splitlines()
    lines[19_000] = "1,x,2,3,4"
    (folder / "bad.csv").write_text("\n".join(lines))
    options = ["-o", f"out.{ending}", "--memory-budget", "1MiB"]
    process = start("reconstruct", "m.gram", "bad.csv", *options, cwd=folder)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 3
    assert said.startswith("gramian: bad.csv cannot be read as csv")
    assert said.count("\n") == 1, said
    assert not [*folder.glob("out.*"), *folder.glob(".out.*")]


def test_bytes_that_are_not_utf_8_are_reported():
    with open("in.csv", "wb") as stream:
        stream.write("a,b\n1,Käse\n2,Brot\n".encode("latin-1"))
    done = run("select", "in.csv", "--encode")
    assert done.exit_code == 3
    assert "'b' holds bytes that are not UTF-8 text" in done.stderr


def test_text_is_quoted_if_necessary():
    words = ["plain", "with, comma", 'with "quotes"', "two\nlines", "", "  spaces "] * 10
    numbers().assign(word=words).to_csv("in.csv", index=False)
    succeed("select", "in.csv", "--id", "word", "-n", "2", "-o", "out.csv", "-q")
    assert read_csv("out.csv", keep_default_na=False).word.tolist() == words
    numbers().assign(word="plain").to_csv("in.csv", index=False)
    succeed("select", "in.csv", "--id", "word", "-n", "2", "-o", "out.tsv", "-q")
    with open("out.tsv") as stream:
        assert '"' not in stream.read()
