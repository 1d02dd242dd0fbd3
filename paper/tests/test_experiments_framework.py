"""Framework of all experiments: cells, cache, verdicts, pages and the summary."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gramian_paper.experiments import (
    Entry,
    Experiment,
    NothingToShowError,
    Outcome,
    Picture,
    Results,
    Table,
    Task,
    experiments,
    run,
    write_results,
    write_summary,
)
from gramian_paper.experiments._cache import Cache, write_file
from gramian_paper.experiments._page import count_verdicts, csv_text, load_results, page_text
from gramian_paper.experiments._summary import summary_text

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def squares(task):
    if task.params["n"] == 13:
        raise FileNotFoundError("thirteen is not in the folder")
    return {"square": np.int64(task.params["n"] ** 2), "random": task.rng().random()}


def show(results):
    published = {1: 1, 2: 5, 3: 8, 13: 169}
    entries = []
    for n, paper in published.items():
        values = results.get(n=n)
        entries.append(
            Entry(values and values["square"], paper, noise=0.5, better="higher", reason="sums")
        )
    columns = [str(n) for n in published]
    return [
        "Squares of numbers.",
        Table("Squares", "number", columns, {"square": entries}, "tab:squares"),
        Picture("line", "A line.", lambda figure: figure.subplots().plot([0, 1])),
    ]


def toy(*numbers, **changes):
    experiment = Experiment(
        name="toy",
        title="Squares",
        source="a table",
        protocol="Numbers are squared.",
        cells=lambda size: [{"n": n} for n in (numbers or (1, 2, 3))],
        run=squares,
        page=show,
        reasons={"sums": "the paper adds where we multiply."},
    )
    return replace(experiment, **changes)


@pytest.mark.parametrize(
    ("entry", "verdict"),
    [
        (Entry(1.0), None),
        (Entry(None, 1.0), "not run"),
        (Entry(1.1, 1.0, noise=0.1), "reproduced"),
        (Entry(1.2, 1.0, noise=0.1, better="higher"), "bettered"),
        (Entry(0.8, 1.0, noise=0.1, better="higher"), "missed"),
        (Entry(0.8, 1.0, noise=0.1, better="lower"), "bettered"),
        (Entry(1.2, 1.0, noise=0.1), "missed"),
    ],
)
def test_a_verdict_weighs_the_difference_against_noise_and_direction(entry, verdict):
    assert entry.verdict == verdict


def test_a_cell_is_computed_once_and_then_read_from_the_cache(tmp_path):
    calls = []

    def counted(task):
        calls.append(task.params["n"])
        return squares(task)

    first = run(toy(run=counted), cache=tmp_path)
    second = run(toy(run=counted), cache=tmp_path)
    assert calls == [1, 2, 3]
    assert first == second
    assert [outcome.values["square"] for outcome in first.outcomes] == [1, 4, 9]


def test_an_interrupted_run_resumes_where_it_stopped(tmp_path):
    calls = []

    def interrupted(task):
        calls.append(task.params["n"])
        if len(calls) == 3:
            raise KeyboardInterrupt
        return squares(task)

    with pytest.raises(KeyboardInterrupt):
        run(toy(run=interrupted), cache=tmp_path)
    results = run(toy(run=interrupted), cache=tmp_path)
    assert calls == [1, 2, 3, 3]
    uninterrupted = run(toy(), cache=tmp_path / "fresh")
    assert [each.values for each in results.outcomes] == [
        each.values for each in uninterrupted.outcomes
    ]


def test_each_seed_and_version_has_its_own_cells(tmp_path):
    def drawn(experiment, seed):
        results = run(experiment, seed=seed, cache=tmp_path)
        return [outcome.values["random"] for outcome in results.outcomes]

    first = drawn(toy(), 0)
    assert drawn(toy(), 0) == first
    assert not set(first) & set(drawn(toy(), 1))
    assert len(list(tmp_path.rglob("*.json"))) == 6
    run(toy(version=2), cache=tmp_path)
    assert len(list(tmp_path.rglob("*.json"))) == 9


def test_random_numbers_depend_only_on_parameters_and_repeat():
    a, b = Task("toy", {"x": 1, "y": 2}), Task("toy", {"y": 2, "x": 1})
    assert a.rng(3).random() == b.rng(3).random()
    assert a.rng(3).random() != a.rng(4).random()
    assert a.integer_seed() != Task("toy", {"x": 1, "y": 3}).integer_seed()


def test_several_processes_give_equal_results_in_equal_order(tmp_path):
    # Other processes must be able to import the function.
    experiment = experiments()["appendix-example"]
    cells = [{"rows": 50, "repeats": 2}, {"rows": 60, "repeats": 2}, {"rows": 70, "repeats": 2}]
    results = [
        run(replace(experiment, cells=lambda size: cells), jobs=jobs, cache=tmp_path / str(jobs))
        for jobs in (1, 2)
    ]
    for one, two in zip(*(each.outcomes for each in results), strict=True):
        assert one.params == two.params
        assert np.allclose(one.values["share_left"], two.values["share_left"])


def test_progress_counts_every_cell_and_estimates_the_time_left(tmp_path):
    seen = []
    run(toy(), cache=tmp_path, report=seen.append)
    assert [progress.done for progress in seen] == [1, 2, 3]
    assert seen[0].seconds_left > 0
    assert seen[-1].seconds_left == 0
    run(toy(1, 2, 3, 4), cache=tmp_path, report=seen.append)
    assert [progress.cached for progress in seen[3:]] == [True, True, True, False]


def test_a_cell_without_data_is_shown_as_missing_and_tried_again(tmp_path):
    results = run(toy(1, 13), cache=tmp_path / "cache")
    text = page_text(toy(), results)
    assert "- n=13: thirteen is not in the folder" in text
    assert count_verdicts(toy(), results)["not run"] == 3
    assert len(list((tmp_path / "cache").rglob("*.json"))) == 1


def test_a_page_can_be_made_from_the_cells_computed_so_far(tmp_path):
    run(toy(1, 2), cache=tmp_path)
    results = run(toy(1, 2, 3), cache=tmp_path, compute=False)
    assert [outcome.values and outcome.values["square"] for outcome in results.outcomes] == [
        1,
        4,
        None,
    ]
    assert "- n=3: not computed yet" in page_text(toy(), results)


def test_a_run_in_which_every_cell_fails_raises_the_first_message(tmp_path):
    with pytest.raises(NothingToShowError, match="thirteen is not in the folder"):
        run(toy(13), cache=tmp_path)


def test_a_mistake_in_an_experiment_is_not_taken_for_missing_data(tmp_path):
    def wrong(task):
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        run(toy(run=wrong), cache=tmp_path)


def test_values_other_than_plain_numbers_are_refused(tmp_path):
    with pytest.raises(TypeError, match="plain numbers"):
        run(toy(run=lambda task: {"a": object()}), cache=tmp_path)


def test_the_page_has_papers_value_ours_and_the_difference(tmp_path):
    results = run(toy(), cache=tmp_path / "cache")
    paths = write_results(toy(), results, tmp_path)
    text = (tmp_path / "toy.md").read_text(encoding="utf-8")
    assert "| square | paper | 1 | 5 | 8 | 169 |" in text
    assert "|  | ours | 1 | 4 | 9 | n/a |" in text
    assert "|  | difference | +0 | -1 ✗ | +1 ▲ | n/a |" in text
    assert "**Of 4 published numbers: 1 reproduced, 1 bettered, 1 missed, 1 not run.**" in text
    assert "- 1 missed: the paper adds where we multiply." in text
    assert "Seed: 0." in text
    assert "numpy " in text
    assert "![A line.](images/toy-line.svg)" in text
    assert {path.name for path in paths} == {"toy.md", "toy.csv", "toy.json", "toy-line.svg"}
    assert (tmp_path / "images" / "toy-line.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_the_page_is_made_from_the_written_cells_alone(tmp_path):
    results = run(toy(), cache=tmp_path / "cache")
    write_results(toy(), results, tmp_path)
    assert page_text(toy(), load_results(tmp_path / "toy.json")) == (tmp_path / "toy.md").read_text(
        encoding="utf-8"
    )


def test_the_table_of_numbers_has_a_line_for_each_entry(tmp_path):
    lines = list(csv.DictReader(io.StringIO(csv_text(toy(), run(toy(), cache=tmp_path)))))
    assert [line["verdict"] for line in lines] == ["reproduced", "missed", "bettered", "not run"]
    assert lines[1]["difference"] == "-1"
    assert lines[3]["ours"] == ""


def test_the_summary_counts_verdicts_and_gives_reasons(tmp_path):
    write_results(toy(), run(toy(), cache=tmp_path / "cache"), tmp_path)
    other = toy(name="other", title="Cubes")
    text = write_summary({"toy": toy(), "other": other}, tmp_path).read_text(encoding="utf-8")
    assert "**Of 4 published numbers, 1 were reproduced, 1 were bettered, 1 were missed" in text
    assert "| [Squares](toy.md) | a table | quick | 1 | 1 | 1 | 1 |" in text
    assert "| Cubes | a table | no run |" in text
    assert "- [toy](toy.md), 1: the paper adds where we multiply." in text


def test_a_row_must_have_as_many_entries_as_columns():
    with pytest.raises(ValueError, match="the row 'a' has 1 entries for 2 columns"):
        Table("t", "", ["x", "y"], {"a": [Entry(1)]})


def test_a_lookup_that_matches_two_cells_is_an_error(tmp_path):
    results = run(toy(), cache=tmp_path)
    assert results.get(n=7) is None
    with pytest.raises(LookupError, match="name more of them"):
        results.get()


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file"
    write_file(path, "old")
    with pytest.raises(TypeError):
        write_file(path, 3)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_truncated_cell_is_not_read_from_the_cache(tmp_path):
    assert Cache(tmp_path).load(toy(), {"n": 1}, 0) is None


def test_experiments_are_described_and_their_cells_distinct():
    for name, experiment in experiments().items():
        assert experiment.name == name
        assert experiment.title
        assert experiment.protocol.strip()
        for size in ("quick", "full"):
            keys = [experiment.key(params, 0) for params in experiment.cells(size)]
            assert len(set(keys)) == len(keys) > 0
            assert all(experiment.cost(params) > 0 for params in experiment.cells(size))


@pytest.mark.parametrize("name", experiments())
def test_a_page_can_be_made_if_all_cells_are_missing(name):
    experiment = experiments()[name]
    outcomes = [Outcome(params, missing="no data") for params in experiment.cells("full")]
    text = page_text(experiment, Results("full", 0, outcomes))
    assert text.startswith(f"# {experiment.title}")
    assert "no data" in text


@pytest.mark.parametrize("name", experiments())
def test_the_committed_page_matches_its_cells(name):
    cells = RESULTS / f"{name}.json"
    if not cells.exists():
        pytest.skip(f"{name} has no committed results")
    results = load_results(cells)
    experiment = experiments()[name]
    assert page_text(experiment, results) == (RESULTS / f"{name}.md").read_text(encoding="utf-8")
    assert csv_text(experiment, results) == (RESULTS / f"{name}.csv").read_text(encoding="utf-8")


def test_the_committed_summary_matches_the_cells():
    if not (RESULTS / "README.md").exists():
        pytest.skip("no summary is committed")
    expected = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert summary_text(experiments(), RESULTS) == expected
