"""The summary of all experiments, made from the JSON files in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from gramian_paper.experiments._blocks import Verdict
from gramian_paper.experiments._cache import write_file
from gramian_paper.experiments._experiment import Experiment, Results
from gramian_paper.experiments._page import (
    VERDICTS,
    count_verdicts,
    duration,
    load_results,
    reasons_for,
)


def write_summary(experiments: Mapping[str, Experiment], folder: Path) -> Path:
    """Write ``README.md``, the verdicts on the published numbers.

    Parameters
    ----------
    experiments : mapping of str to Experiment
        All experiments, by name.
    folder : Path
        The folder with their JSON files; experiments without one are listed as not run.

    Returns
    -------
    path : Path
        The summary.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gramian_paper.experiments import Experiment, run, write_results, write_summary
    >>> experiment = Experiment(
    ...     name="squares", title="Squares", source="no table", protocol="Two numbers are squared.",
    ...     cells=lambda size: [{"n": 2}, {"n": 3}],
    ...     run=lambda task: {"square": task.params["n"] ** 2},
    ...     page=lambda results: ["Squared."],
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run(experiment, cache=Path(folder) / "cells")
    ...     paths = write_results(experiment, results, Path(folder))
    ...     path = write_summary({"squares": experiment}, Path(folder))
    >>> path.name
    'README.md'
    """
    path = folder / "README.md"
    write_file(path, summary_text(experiments, folder))
    return path


def summary_text(experiments: Mapping[str, Experiment], folder: Path) -> str:
    """Return the summary in Markdown."""
    there = {
        name: load_results(folder / f"{name}.json")
        for name in experiments
        if (folder / f"{name}.json").exists()
    }
    counts = {name: count_verdicts(experiments[name], results) for name, results in there.items()}
    total: Counter[Verdict] = sum(counts.values(), Counter())
    said = ", ".join(f"{total[verdict]} were {verdict}" for verdict in VERDICTS if total[verdict])
    parts = [
        "# The paper, reproduced",
        "<!-- Made by `make reproduce`; not to be edited. -->",
        "Every table and figure of the experiments in B. Yaghooti, N. Raviv and B. Sinopoli, "
        '"Gram-Schmidt Methods for Unsupervised Feature Extraction and Selection" (2025), computed '
        "again. A published number is *reproduced* if ours differs by at most the noise that the "
        "experiment's page states, *bettered* if ours is better by more than the noise, and "
        "*missed* otherwise.",
        f"**Of {total.total()} published numbers, {said}.**" if total else "",
        overview(experiments, there, counts),
    ]
    for verdict in ("missed", "not run"):
        if total[verdict]:
            parts.append(f"## {verdict.capitalize()}")
            parts.append(reason_list(experiments, there, verdict))
    return "\n\n".join(part for part in parts if part) + "\n"


def overview(
    experiments: Mapping[str, Experiment],
    there: Mapping[str, Results],
    counts: Mapping[str, Counter[Verdict]],
) -> str:
    """Return the table with one line for each experiment."""
    head = ["experiment", "of the paper", "size", *VERDICTS, "time"]
    lines = [head, ["---"] * 3 + ["---:"] * (len(VERDICTS) + 1)]
    for name, experiment in experiments.items():
        if name not in there:
            lines.append([experiment.title, experiment.source, "no run"] + [""] * 5)
            continue
        seconds = sum(outcome.seconds for outcome in there[name].outcomes)
        lines.append(
            [
                f"[{experiment.title}]({name}.md)",
                experiment.source,
                there[name].size,
                *(str(counts[name][verdict]) for verdict in VERDICTS),
                duration(seconds),
            ]
        )
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def reason_list(
    experiments: Mapping[str, Experiment], there: Mapping[str, Results], verdict: Verdict
) -> str:
    """Return the reasons for all published numbers of a verdict."""
    return "\n".join(
        f"- [{name}]({name}.md), {count}: {reason}"
        for name, results in there.items()
        for reason, count in reasons_for(experiments[name], results, verdict).items()
    )
