"""Time gramian against the literal algorithms, scikit-learn and fastcan: ``make bench``.

Every job runs in a separate process with the same data. Compare ratios, since times depend on the
machine. ``--output docs/benchmarks.json`` also writes the page beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import jobs
import report
import scaling
import suite

PACKAGES = ("gramian", "numpy", "scipy", "scikit-learn", "fastcan")


def machine() -> dict[str, Any]:
    """Return a description of the machine."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [
            line
            for line in info.read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ]
        cpu = models[0].split(":")[1].strip() if models else cpu
    threads, blas = jobs.in_child(blas_of_gramian)
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "blas": blas,
        "blas_threads": threads,
        "system": platform.system(),
        "python": platform.python_version(),
    }


def blas_of_gramian() -> tuple[int, str]:
    """Return the number of threads of matrix products, and the BLAS libraries."""
    import scipy.linalg.blas  # noqa: F401
    from threadpoolctl import threadpool_info

    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    if not pools:
        return 1, "unknown"
    names = {f"{pool['internal_api']} {pool['version']}" for pool in pools}
    return max(pool["num_threads"] for pool in pools), ", ".join(sorted(names))


def bare_multiplication() -> float:
    """Return the time of a multiplication in a bare matrix product."""
    outcome = jobs.measure(jobs.Job("product", "tiny"))
    return 2 * outcome.seconds / outcome.flops


def versions() -> dict[str, str]:
    """Return the versions of the installed packages."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run the requested jobs and return the content of the page."""
    start = time.perf_counter()
    content: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions(),
        "made_up": [name for name in jobs.FILES if not jobs.is_real(name)],
        "rows": [],
    }
    if options.only != "scaling":
        content["imports"] = suite.imports()
        for row in suite.all_rows(options.quick, options.long):
            content["rows"].append(row.as_dict())
            print(f"  {row.job}: {row.method}: {row.outcome.seconds:.3g} s", file=sys.stderr)
    if options.only == "scaling" or not (options.quick or options.only):
        threads = content["machine"]["blas_threads"]
        points = scaling.measure_all(threads)
        content["scaling"] = scaling.summarize(points, threads, bare_multiplication())
    content["minutes"] = (time.perf_counter() - start) / 60
    return content


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="gramian's own rows only")
    parser.add_argument("--long", action="store_true", help="also measure MNIST at degree 4")
    parser.add_argument("--only", choices=["table", "scaling"], help="one of the two parts")
    parser.add_argument("--threads", type=int, help="threads of the matrix products")
    parser.add_argument("--output", type=Path, help="write this .json file, and the page beside it")
    parser.add_argument(
        "--page", action="store_true", help="measure nothing; write the page from the .json file"
    )
    options = parser.parse_args()
    if options.threads:
        os.environ.update(dict.fromkeys(jobs.VARIABLES, str(options.threads)))

    path = options.output.with_suffix(".json") if options.output else None
    if options.page:
        if path is None:
            parser.error("--page needs --output")
        content = json.loads(path.read_text(encoding="utf-8"))
    else:
        content = measure(options)
    if path is not None:
        if options.only and path.exists():  # keep the other part
            content = {
                **json.loads(path.read_text(encoding="utf-8")),
                **{k: v for k, v in content.items() if v},
            }
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        path.with_suffix(".md").write_text(report.page(content), encoding="utf-8")
        if "scaling" in content:
            points = [scaling.Point(**point) for point in content["scaling"]["points"]]
            image = path.parent / "images" / "scaling.svg"
            scaling.draw(points, image, content["scaling"]["threads"])
    print(report.tables(content))


if __name__ == "__main__":
    main()
