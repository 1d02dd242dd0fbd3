"""Tables in files and on a cluster: throughput, growth with the rows, memory.

``python benchmarks/scale.py --output docs/scale.json`` also writes the page beside it. Every fit
runs in a separate process. The tables are written block by block to a temporary folder, up to 6 GB
at a time, and removed; ``--quick`` uses tables a hundred times smaller.
"""

# ruff: noqa: RUF001
from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import quiet
import run

SMALL_BUDGET = 2**26
BLOCK = 100_000
BUSY = 0.1
"""Largest share of a processor that other processes may use; above it the page has a caveat."""
PACKAGES = ("pyarrow", "dask", "distributed")
PAGE = """\
<!-- Made by python benchmarks/scale.py --output docs/scale.json; edit benchmarks/scale.py. -->

# Files and clusters, measured

GFR at degree 2 on normally distributed columns in Parquet files (row groups of 100,000 rows), on
{cpu}, {cores} cores; {date}, {versions}. Each fit is a separate process, and times are those of
`fit` alone. [large_data.md](large_data.md) extrapolates to larger tables.

{caveat}## Targets

{targets}

## Throughput: a file against an array

{n_rows} rows × {n_columns} columns. *Rows per second* are rows of the table times passes over it
(one at the start, and one for each step) divided by the seconds of the fit. *Kept*: the rows take
less than half of the memory budget; they are read twice and then kept in memory. *Streamed*: the
file is read in every step.

{throughput}

## Workers

The table above as a Dask array of the file's row groups, on a local cluster of processes with one
thread each.

{workers}

## Growth with the number of rows

{growth_columns} columns, {growth_steps} directions, a budget of 64 MiB: every step reads the file.

{growth}

{fixed}

## Memory

{memory}
"""


@dataclass(frozen=True)
class Sizes:
    """Sizes of the tables."""

    throughput: int = 1_000_000
    growth: tuple[int, ...] = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
    memory: int = 5_000_000
    steps: tuple[int, ...] = (10, 40)


QUICK = Sizes(20_000, (20_000, 40_000, 80_000), 50_000, (3, 6))
N_COLUMNS = 50
MEMORY_COLUMNS = 60
GROWTH_STEPS = 5


def write(path: Path, n_rows: int, n_columns: int) -> None:
    """Write a table to a Parquet file, block by block."""
    import pyarrow as pa
    import pyarrow.parquet

    n_bytes = 8 * n_rows * n_columns
    if shutil.disk_usage(path.parent).free < 2 * n_bytes:
        raise SystemExit(f"{path.parent} has no room for {n_bytes / 1e9:.1f} GB; set TMPDIR.")
    rng = np.random.default_rng(0)
    schema = pa.schema([(f"x{i}", pa.float64()) for i in range(n_columns)])
    scale = np.linspace(1, 3, n_columns)
    with pyarrow.parquet.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for start in range(0, n_rows, BLOCK):
            x = rng.standard_normal((min(BLOCK, n_rows - start), n_columns)) * scale
            writer.write_table(pa.table(list(np.ascontiguousarray(x.T)), schema=schema))


def peak() -> int:
    """Return the peak memory of this process in bytes, without that of its parent."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text(encoding="utf-8"))
    return 1024 * int(found[1]) if found else 0


def fit(path: str, kind: str, n_steps: int, budget: int | None, workers: int = 0) -> dict[str, Any]:
    """Fit once, in this process, and return time, memory and number of rows."""
    from gramian import GFR

    gfr = GFR(n_steps, memory_budget=budget, alpha=0)
    if kind == "dask":
        return _fit_on_cluster(gfr, path, workers)
    data: Any = path
    if kind == "array":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        data = np.column_stack([column.to_numpy() for column in table.columns])
        del table
    else:
        import pyarrow.dataset
        import pyarrow.parquet  # keeps imports out of the measured time
    start = time.perf_counter()
    gfr.fit(data)
    return {"seconds": time.perf_counter() - start, "peak": peak(), "n_rows": gfr.n_samples_}


def _fit_on_cluster(gfr: Any, path: str, workers: int) -> dict[str, Any]:
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as cluster,
        Client(cluster),
    ):
        data = dd.read_parquet(path, split_row_groups=True).to_dask_array().persist()
        data.compute_chunk_sizes()
        start = time.perf_counter()
        gfr.fit(data)
        return {"seconds": time.perf_counter() - start, "peak": 0, "n_rows": gfr.n_samples_}


def in_child(**job: Any) -> dict[str, Any]:
    """Fit in another process."""
    arguments = [sys.executable, __file__, "--job", json.dumps(job)]
    environment = dict(os.environ, PYTHONWARNINGS="ignore")
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{job} failed:\n{done.stderr}")
    outcome: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {job}: {outcome['seconds']:.3g} s", file=sys.stderr)
    return {**{key: value for key, value in job.items() if key != "path"}, **outcome}


def measure(sizes: Sizes) -> dict[str, Any]:
    """Run all measurements, and record how busy the machine is."""
    if sizes is not QUICK:
        quiet.wait()
    start, before = time.perf_counter(), _others()
    content: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": run.machine(),
        "versions": {**run.versions(), **_versions()},
        "sizes": asdict(sizes),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write(path, sizes.throughput, N_COLUMNS)
        n_bytes = 8 * sizes.throughput * N_COLUMNS
        streamed, kept = max(2**20, n_bytes // 6), 3 * n_bytes
        content["throughput"] = [
            in_child(path=str(path), kind=kind, n_steps=n_steps, budget=budget)
            for n_steps in sizes.steps
            for kind, budget in (("array", None), ("kept", kept), ("streamed", streamed))
        ]
        content["workers"] = [
            in_child(path=str(path), kind="dask", n_steps=n, budget=None, workers=workers)
            for n in sizes.steps
            for workers in (1, 2)
        ]
        content["growth"] = []
        for n_rows in sizes.growth:
            write(path, n_rows, N_COLUMNS)
            content["growth"].append(
                in_child(path=str(path), kind="growth", n_steps=GROWTH_STEPS, budget=SMALL_BUDGET)
            )
        write(path, sizes.memory, MEMORY_COLUMNS)
        content["memory"] = in_child(
            path=str(path), kind="memory", n_steps=GROWTH_STEPS, budget=None
        )
    content["others"] = (_others() - before) / (time.perf_counter() - start)
    return content


def _others() -> float:
    """Return the seconds that processors have spent on neither this process nor its children."""
    times = os.times()
    return quiet.others() - times.children_user - times.children_system


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in PACKAGES}


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _find(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    return next(row for row in rows if all(row[key] == value for key, value in wanted.items()))


def page(content: dict[str, Any]) -> str:
    """Return the page."""
    throughput, workers, growth = content["throughput"], content["workers"], content["growth"]
    steps = content["sizes"]["steps"]
    per_row = [each["seconds"] / each["n_rows"] for each in growth]
    off = max(abs(value / per_row[-1] - 1) for value in per_row)
    rest = max(abs(value / per_row[-1] - 1) for value in per_row[1:])
    fixed = growth[0]["seconds"] - growth[0]["n_rows"] * per_row[-1]
    memory = content["memory"]
    speeds = []
    for n in steps:
        base = _find(throughput, kind="array", n_steps=n)["seconds"]
        for kind in ("array", "kept", "streamed"):
            each = _find(throughput, kind=kind, n_steps=n)
            rate = each["n_rows"] * (1 + n) / each["seconds"]
            cells = [f"{n} directions, {kind}", f"{each['seconds']:.3g}", f"{rate:,.0f}"]
            speeds.append([*cells, f"{base / each['seconds']:.0%}", f"{each['peak'] / 1e6:,.0f}"])
    ratios = {
        n: _find(workers, n_steps=n, workers=1)["seconds"]
        / _find(workers, n_steps=n, workers=2)["seconds"]
        for n in steps
    }
    last = steps[-1]
    array = _find(throughput, kind="array", n_steps=last)["seconds"]
    shares = {
        kind: array / _find(throughput, kind=kind, n_steps=last)["seconds"]
        for kind in ("kept", "streamed")
    }
    goals = [
        *(
            [f"speed of a file, {kind}, {last} directions", "≥ 50 %", f"{share:.0%}", share >= 0.5]
            for kind, share in shares.items()
        ),
        ["time per row, against the largest table", "≤ 10 %", f"{off:.0%}", off <= 0.1],
        [
            f"peak memory, {memory['n_rows']:,} × {MEMORY_COLUMNS}",
            "< 2 GB",
            f"{memory['peak'] / 1e9:.2f} GB",
            memory["peak"] < 2e9,
        ],
    ]
    caveat = ""
    if content["others"] > BUSY:
        caveat = (
            f"**Other processes kept {content['others']:.1f} of the processors busy on average: "
            "do not rely on the times below.** Memory does not depend on that.\n\n"
        )
    return PAGE.format(
        cpu=content["machine"]["cpu"],
        cores=content["machine"]["cores"],
        date=content["date"],
        versions=", ".join(f"{name} {number}" for name, number in content["versions"].items()),
        caveat=caveat,
        targets=table(
            ["", "target", "measured", ""],
            [[*goal[:3], "met" if goal[3] else "**missed**"] for goal in goals],
        ),
        n_rows=f"{throughput[0]['n_rows']:,}",
        n_columns=N_COLUMNS,
        throughput=table(["", "seconds", "rows per second", "of the array", "peak, MB"], speeds),
        workers=table(
            ["", "1 worker, s", "2 workers, s", "ratio"],
            [
                [
                    f"{n} directions",
                    *(
                        f"{_find(workers, n_steps=n, workers=count)['seconds']:.3g}"
                        for count in (1, 2)
                    ),
                    f"{ratio:.2f}×",
                ]
                for n, ratio in ratios.items()
            ],
        ),
        growth_columns=N_COLUMNS,
        growth_steps=GROWTH_STEPS,
        growth=table(
            ["rows", "seconds", "microseconds a row and pass", "peak, MB"],
            [
                [
                    f"{each['n_rows']:,}",
                    f"{each['seconds']:.3g}",
                    f"{1e6 * value / (1 + GROWTH_STEPS):.2f}",
                    f"{each['peak'] / 1e6:,.0f}",
                ]
                for each, value in zip(growth, per_row, strict=True)
            ],
        ),
        fixed=(
            f"The fit of the smallest table takes {growth[0]['seconds']:.2f} s, which is "
            f"{fixed:.2f} s more than its share of the time of the largest table: this part does "
            f"not grow with the rows. All other times are within {rest:.0%} of proportional."
        ),
        memory=(
            f"{memory['n_rows']:,} rows × {MEMORY_COLUMNS} columns, "
            f"{8 * memory['n_rows'] * MEMORY_COLUMNS / 1e9:.1f} GB, with the default budget of "
            f"1 GiB: the peak memory of the process was **{memory['peak'] / 1e9:.2f} GB**, "
            f"including libraries, in {memory['seconds']:.0f} s for {GROWTH_STEPS} directions."
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="write this .json file, and the page beside it")
    parser.add_argument("--quick", action="store_true", help="small tables, for a test run")
    parser.add_argument("--page", action="store_true", help="only write the page again")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(fit(**json.loads(options.job))))
        return
    if options.page:
        if options.output is None:
            parser.error("--page needs --output")
        content = json.loads(options.output.read_text(encoding="utf-8"))
    else:
        content = measure(QUICK if options.quick else Sizes())
    if options.output is None:
        print(page(content))
        return
    options.output.write_text(
        json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    options.output.with_suffix(".md").write_text(page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
