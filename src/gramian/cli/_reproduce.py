"""``gramian reproduce``: the paper's tables and figures."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from gramian.cli._errors import DATA, INTERRUPTED, USAGE, CommandError, guarded, say

if TYPE_CHECKING:
    from gramian.experiments import Experiment, Size


def fail(sentence: str, code: int = USAGE) -> NoReturn:
    """Leave with a sentence."""
    raise CommandError(sentence, code)


@guarded
def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments, or 'all'.", show_default=False)
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", metavar="", help="List the experiments.")
    ] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick", metavar="", help="As many repeats as stated in the page, or few."
        ),
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with the paper's data sets.", envvar="GRAMIAN_DATA"),
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder for pages, tables and figures.")] = Path(
        "results"
    ),
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder for finished cells; the user's cache folder by default."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 0,
    cached: Annotated[
        bool,
        typer.Option("--cached", metavar="", help="Compute nothing: pages of the finished cells."),
    ] = False,
) -> None:
    """Compute tables and figures of the paper again, and write a page for each.

    Finished cells are kept: the same command goes on where it was interrupted.
    """
    from rich.console import Console

    from gramian.cli._progress import Display
    from gramian.experiments import (
        NothingToShowError,
        experiments,
        run,
        write_results,
        write_summary,
    )
    from gramian.experiments._cache import default_cache

    known = experiments()
    if show_list:
        print_list(known)
        return
    chosen = choose(names or [], known)
    if find_spec("matplotlib") is None:
        fail('the figures need matplotlib: pip install "gramian[experiments]"')
    check_folders(data, output)
    cells = cache or default_cache()
    size: Size = "full" if full else "quick"
    console = Console(stderr=True)
    empty = []
    for experiment in chosen:
        try:
            with Display(experiment, console) as display:
                results = run(
                    experiment,
                    size,
                    seed=seed,
                    jobs=jobs,
                    data=data,
                    cache=cells,
                    compute=not cached,
                    report=display.show,
                )
            page = write_results(experiment, results, output)[0]
        except NothingToShowError as error:
            say(f"{experiment.name} has no result: {error}")
            empty.append(experiment.name)
        except KeyboardInterrupt:
            fail(
                f"interrupted; finished cells are kept in {cells}, and the same command goes on "
                "from there",
                INTERRUPTED,
            )
        else:
            typer.echo(page)
    if len(empty) < len(chosen):
        typer.echo(write_summary(known, output))
    if empty:
        fail(
            f"no result for {', '.join(empty)}; where data are missing, name their folder with "
            "--data or in the environment variable GRAMIAN_DATA",
            DATA,
        )


def print_list(known: dict[str, Experiment]) -> None:
    """Print the experiments with their titles."""
    width = max(map(len, known))
    for name, experiment in known.items():
        typer.echo(f"{name:<{width}}  {experiment.title}")


def choose(names: list[str], known: dict[str, Experiment]) -> list[Experiment]:
    """Return the experiments with these names, each once, in the order of the paper."""
    if not names:
        fail("name one or more experiments, or 'all'; --list shows them")
    unknown = [name for name in names if name != "all" and name not in known]
    if unknown:
        fail(f"there is no experiment {unknown[0]!r}; there are {', '.join(known)}")
    return [each for name, each in known.items() if "all" in names or name in names]


def check_folders(data: Path | None, output: Path) -> None:
    """Leave with a sentence if a folder is of no use."""
    if data is not None and not data.is_dir():
        fail(f"the data folder {data} does not exist; --data names the folder with the data sets")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"the output folder {output} cannot be made: {error.strerror}")
    if not os.access(output, os.W_OK):
        fail(f"the output folder {output} cannot be written to")
