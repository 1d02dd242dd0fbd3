"""``python -m gramian_paper``: compute tables and figures of the paper again."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from gramian_paper.experiments import (
    Experiment,
    NothingToShowError,
    Progress,
    experiments,
    run,
    write_results,
    write_summary,
)
from gramian_paper.experiments._cache import default_cache
from gramian_paper.experiments._page import cell_name, duration, reuse

PROGRAM = "gramian_paper"
DATA, INTERRUPTED = 1, 130
"""Exit codes: no result because data are missing, and Ctrl-C; a wrong command exits with 2."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        The arguments after the command; None for those of the process.

    Examples
    --------
    >>> from gramian_paper.__main__ import main
    >>> main(["--list"])  # doctest: +ELLIPSIS
    gfr-residual-variance  ...
    """
    parser = make_parser()
    options = parser.parse_args(arguments)
    known = experiments()
    if options.list:
        width = max(map(len, known))
        for name, experiment in known.items():
            print(f"{name:<{width}}  {experiment.title}")
        return
    unknown = [name for name in options.names if name != "all" and name not in known]
    if not options.names:
        parser.error("name one or more experiments, or 'all'; --list shows them")
    if unknown:
        parser.error(f"there is no experiment {unknown[0]!r}; there are {', '.join(known)}")
    problem = problem_of_folders(options.data, options.output, options.reuse)
    if problem:
        parser.error(problem)
    every = "all" in options.names
    chosen = [each for name, each in known.items() if every or name in options.names]
    empty = [each.name for each in chosen if not reproduce(each, options)]
    if len(empty) < len(chosen):
        print(write_summary(known, options.output))
    if empty:
        leave(
            f"no result for {', '.join(empty)}; where data are missing, name their folder with "
            "--data or in the environment variable GRAMIAN_DATA",
            DATA,
        )


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Compute tables and figures of the paper again, and write a page for each. "
        "Finished cells are kept: an interrupted command resumes.",
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="experiments, or 'all'")
    add("--list", action="store_true", help="list the experiments")
    size = parser.add_mutually_exclusive_group()
    for name, words in [("quick", "few repeats (the default)"), ("full", "as the pages state")]:
        text = f"how many repeats: {words}"
        size.add_argument(f"--{name}", dest="size", action="store_const", const=name, help=text)
    parser.set_defaults(size="quick")
    add("--jobs", type=positive, default=1, metavar="N", help="number of processes")
    folder = os.environ.get("GRAMIAN_DATA")
    add(
        "--data",
        type=Path,
        default=Path(folder) if folder else None,
        metavar="FOLDER",
        help="the paper's data sets; by default the folder that GRAMIAN_DATA names",
    )
    add("--output", type=Path, default=Path("results"), metavar="FOLDER", help="for the pages")
    add(
        "--cache",
        type=Path,
        default=default_cache(),
        metavar="FOLDER",
        help="for finished cells; by default in the user's cache folder",
    )
    add(
        "--reuse",
        type=Path,
        metavar="FOLDER",
        help="take the cells that the JSON files of these pages hold, and compute the others",
    )
    add("--seed", type=int, default=0, metavar="N", help="seed of all random numbers")
    add("--cached", action="store_true", help="compute nothing: pages of the finished cells")
    return parser


def positive(text: str) -> int:
    """Return a number that is at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def problem_of_folders(data: Path | None, output: Path, reused: Path | None) -> str:
    """Return why a folder cannot be used, or an empty text."""
    if reused is not None and not reused.is_dir():
        return f"the folder {reused} does not exist; --reuse names one with pages and JSON files"
    if data is not None and not data.is_dir():
        return f"the data folder {data} does not exist; --data names the folder with the data sets"
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"the output folder {output} cannot be made: {error.strerror}"
    if not os.access(output, os.W_OK):
        return f"the output folder {output} cannot be written to"
    return ""


def reproduce(experiment: Experiment, options: argparse.Namespace) -> bool:
    """Run an experiment and write its page; return True if there was a result."""

    def report(progress: Progress) -> None:
        if not progress.cached:
            print(line_of(experiment, progress), file=sys.stderr, flush=True)

    if options.reuse is not None:
        reuse(experiment, options.reuse, options.cache)
    try:
        results = run(
            experiment,
            options.size,
            seed=options.seed,
            jobs=options.jobs,
            data=options.data,
            cache=options.cache,
            compute=not options.cached,
            report=report,
        )
        page = write_results(experiment, results, options.output)[0]
    except NothingToShowError as error:
        print(f"{PROGRAM}: {experiment.name} has no result: {error}", file=sys.stderr)
        return False
    except KeyboardInterrupt:
        leave(
            f"interrupted; finished cells are kept in {options.cache}, and the same command goes "
            "on from there",
            INTERRUPTED,
        )
    print(page, flush=True)
    return True


def line_of(experiment: Experiment, progress: Progress) -> str:
    """Print a line about a finished cell and the remaining time."""
    outcome = progress.outcome
    took = outcome.missing or f"{outcome.seconds:.1f} s"
    left = f", about {duration(progress.seconds_left)} left" if progress.seconds_left else ""
    count = f"[{progress.done}/{progress.total}]"
    return f"{count} {experiment.name} {cell_name(outcome)}: {took}{left}"


def leave(sentence: str, code: int) -> NoReturn:
    """Print a sentence and exit with a code."""
    print(f"{PROGRAM}: {sentence}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
