"""Random tables, estimators, options, sources and faults, all compared with the pseudo-code.

    python tools/soak --minutes 30        # tables with the seeds 0, 1, 2, ...
    python tools/soak --seed 1234         # that table again, check by check

`make soak` runs this script. A seed gives the same case in every run, so that a failure can be
repeated and becomes a test. The exit code is 1 if any check failed.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # the pseudo-code lives there

import dask  # noqa: E402
import numpy as np  # noqa: E402
from cases import Case, draw_case  # noqa: E402
from checks import draw_checks, truth_of  # noqa: E402
from ranks import UndecidedError  # noqa: E402
from tables import Table, draw_table  # noqa: E402

from gramian.exceptions import NumericalWarning, OverfittingWarning, UnitsWarning  # noqa: E402


class Tally:
    """Counts of checks, and the failures."""

    def __init__(self) -> None:
        self.n_tables = 0
        self.n_undecided = 0
        self.n_comparisons: Counter[str] = Counter()
        self.failures: list[tuple[int, str, str]] = []

    def summary(self, seconds: float) -> str:
        """Return the summary to print at the end."""
        kinds = ", ".join(f"{n} {name}" for name, n in sorted(self.n_comparisons.items()))
        lines = [
            f"{self.n_tables} tables in {seconds / 60:.1f} minutes, {self.n_undecided} of them "
            "undecided by the pseudo-code",
            f"{sum(self.n_comparisons.values())} comparisons: {kinds}",
            f"{len(self.failures)} failures",
            *(f"  --seed {seed}: {name}: {text}" for seed, name, text in self.failures),
        ]
        return "\n".join(lines)


def soak(seed: int, tally: Tally, *, verbose: bool) -> None:
    """Draw a table and an estimator, and run all checks of this seed."""
    rng = np.random.default_rng(seed)
    table = draw_table(rng)
    case = draw_case(rng, table)
    if case.asks_held_out_rows:
        table = table.hold_apart()
    tally.n_tables += 1
    if verbose:
        print(f"{seed}: {table}; {case}", flush=True)
    with tempfile.TemporaryDirectory(prefix="gramian-soak-") as folder:
        try:
            truth = truth_of(case, table)
        except UndecidedError:
            tally.n_undecided += 1
            return
        except Exception:
            note_failure(seed, "truth", table, case, tally, verbose=verbose)
            return
        for number, check in enumerate(draw_checks(rng, case, table, truth)):
            place = Path(folder) / str(number)
            place.mkdir()
            try:
                check.make(place)
            except UndecidedError:  # of columns in another order, or rounded to float32
                continue
            except Exception:
                note_failure(seed, check.name, table, case, tally, verbose=verbose)
            tally.n_comparisons[check.name.partition(",")[0]] += 1


def note_failure(
    seed: int, name: str, table: Table, case: Case, tally: Tally, *, verbose: bool
) -> None:
    """Record a failure, and print it at once."""
    error = sys.exc_info()[1]
    text = f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"
    tally.failures.append((seed, name, text))
    shown = traceback.format_exc() if verbose else text
    print(f"FAILED --seed {seed}: {name}: {table}; {case}\n{shown}", flush=True)


def main() -> int:
    """Run for some minutes, or one seed."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (default: 30)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--seed", type=int, help="this seed only, in detail")
    given = parser.parse_args()
    # Documented warnings of a fit are no failures; all other warnings are.
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", OverfittingWarning)
    warnings.simplefilter("ignore", NumericalWarning)
    warnings.simplefilter("ignore", UnitsWarning)
    warnings.filterwarnings("ignore", "No features were selected", UserWarning)
    tally, start = Tally(), time.monotonic()
    with dask.config.set(scheduler="threads"):
        if given.seed is not None:
            soak(given.seed, tally, verbose=True)
        else:
            for seed in itertools.count(given.first):
                if time.monotonic() - start > 60 * given.minutes:
                    break
                soak(seed, tally, verbose=False)
    print(tally.summary(time.monotonic() - start))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
