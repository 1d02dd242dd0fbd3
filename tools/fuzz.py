"""Coverage-guided fuzzing of the readers of model files and of tables in text files.

    python tools/fuzz.py models --minutes 6
    python tools/fuzz.py tables --minutes 6
    python tools/fuzz.py tables .fuzz/tables/crash-0123abcd    # that input again

`make fuzz` runs this script; it needs atheris. Inputs that reach new lines of code are kept in the
folder .fuzz, and the next run begins with them.

Every file must be read, or refused by a documented error, in bounded time and memory, and without
warnings of NumPy. The first input that fails is kept in .fuzz, too, and ends the run: it becomes a
test.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import random
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import atheris

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # models to begin with, and how to meddle with them

with atheris.instrument_imports(include=["gramian.models", "gramian.tables", "gramian.core.rows"]):
    import numpy as np
    from cli_cases import run
    from model_cases import discrete, fit, npy, pack, table, unpack
    from test_models_mutations import meddle, originals, use

    import gramian.tables._table
    from gramian import GFA, GFS, models
    from gramian.exceptions import NumericalWarning, OverfittingWarning, UnitsWarning

SECONDS, MEGABYTES, LONGEST = 30, 3000, 2**16
"""Limits of seconds, memory and length of one file."""
NPY_HEADER = len(npy(np.empty(0)))
REFUSED = (ValueError, FloatingPointError)
"""Documented errors: of files and tables, and of products beyond float64."""
ENDINGS = ("csv", "tsv", "csv.gz", "csv.zst")
TEXTS = (
    "a,b,c\n1,2,3\n2,3.5,-1e3\n4,0,7\n0,1,1\n",
    "a;b\n1;2\n;nan\nNA;3\n",
    'x\ty z\t"q"\n1\t2\t"3"\n4\t5\t"6"\n',
    "day,colour,n\n2024-01-01,red,1\n2024-02-29 12:30:00,blue,\n2023-12-31,red,3\n,,2\n",
    "a,b\r\n1,inf\r\n2,1e400\r\n",
    '\ufeffk,"l\nm",true\n1,"=1+1",true\n2,"a,b",false\n',
    "1 2\n3 4\n",
    "0x1f,12:30:00,1_000,1.\n1,2,3,4\n",
)


class Models:
    """Model files: whole files, or good files with another document or other arrays.

    The first byte of an input chooses the model, the second one of these three kinds.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "fuzzed.gram"
        gfa = fit(GFA(family="indicator", laws=True), discrete()), None
        gfs = fit(GFS(2, family="polynomial"), table()), None
        self._files, self._members = [], []
        for fitted, steps in (*originals().values(), gfa, gfs):
            models.save(fitted, self._path, preprocessing=steps)
            self._files.append(self._path.read_bytes())
            self._members.append(unpack(self._path))

    def seeds(self) -> Iterator[bytes]:
        """Yield inputs to begin with."""
        for number, (file, members) in enumerate(zip(self._files, self._members, strict=True)):
            arrays = [each[NPY_HEADER:] for name, each in members.items() if name != "model.json"]
            for kind, content in enumerate((file, members["model.json"], b"".join(arrays))):
                yield bytes([number, kind]) + content

    def mutate(self, data: bytes, max_size: int, seed: int) -> bytes:
        """Change a value of a document, or random bytes."""
        rng = np.random.default_rng(seed)
        if len(data) > 2 and data[1] % 3 == 1 and rng.random() < 0.7:
            try:
                document = json.loads(data[2:])
                meddle(document, rng)
                changed = data[:2] + json.dumps(document).encode()
            except (ValueError, TypeError, RecursionError):
                pass
            else:
                return changed[:max_size]
        return data[:2] + atheris.Mutate(data[2:] or b"{}", max_size - 2)

    def __call__(self, data: bytes) -> None:
        """Read a model, and apply it if reading succeeds."""
        if len(data) < 2:
            return
        number, kind, content = data[0] % len(self._files), data[1] % 3, data[2:]
        if kind == 0:
            self._path.write_bytes(content)
        else:
            pack(self._path, self._with(number, kind, content))
        try:
            model = models.read(self._path)
        except models.ModelFileError:
            return
        use(model.estimator)
        with np.errstate(all="ignore"):
            model.estimator._repr_html_()
            models.save(model.estimator, self._path, preprocessing=model.preprocessing)
            models.read(self._path)

    def _with(self, number: int, kind: int, content: bytes) -> dict[str, bytes]:
        members = copy.copy(self._members[number])
        if kind == 1:
            members["model.json"] = content
            return members
        for name in [each for each in members if each != "model.json"]:
            size = len(members[name]) - NPY_HEADER
            part, content = content[:size].ljust(size, b"\0"), content[size:]
            members[name] = members[name][:NPY_HEADER] + part
        return members


class Tables:
    """Text files; the first byte of an input chooses the file ending and the reader."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._words = sorted({word for text in TEXTS for word in text.split(",")})

    def seeds(self) -> Iterator[bytes]:
        """Yield inputs to begin with."""
        for text in TEXTS:
            for first in (0, 1, 2, 4):
                yield bytes([first]) + text.encode()
        yield bytes([3]) + gzip.compress(TEXTS[0].encode(), mtime=0)

    def mutate(self, data: bytes, max_size: int, seed: int) -> bytes:
        """Insert a word at a random place, or change random bytes."""
        rng = random.Random(seed)
        if rng.random() < 0.3:
            place = rng.randrange(len(data) + 1)
            word = rng.choice([*self._words, ",", "\n", "\r", '"', ";", "\t", "1e308", "-0", "\0"])
            return (data[:place] + word.encode() + data[place:])[:max_size]
        return bytes(atheris.Mutate(data, max_size))

    def __call__(self, data: bytes) -> None:
        """Read a table at once and in pieces, by an estimator or by the command."""
        if not data:
            return
        kind, content = data[0], data[1:]
        path = self._folder / f"fuzzed.{ENDINGS[kind % 4]}"
        path.write_bytes(gzip.compress(content, 1, mtime=0) if kind % 4 == 2 else content)
        if kind & 4:
            output = self._folder / "out.csv"
            run("select", path, "--encode", "--impute", "mean", "-q", "-o", output)
            return
        at_once = self._fit(path)
        with patch.object(gramian.tables._table, "MEMORY_PART", 2**60):  # nothing fits in memory
            in_pieces = self._fit(path)
        assert (at_once is None) == (in_pieces is None), (at_once, in_pieces)
        if at_once is not None and in_pieces is not None:
            np.testing.assert_allclose(in_pieces, at_once, rtol=1e-6, err_msg="a budget matters")

    def _fit(self, path: Path) -> Any:
        """Return the means and the largest variance, or None if the table is refused."""
        try:
            # Only tables in memory are trimmed.
            fitted = GFS(1, criterion="variance", alpha=0.0, robust=False).fit(path)
        except REFUSED:
            return None
        return [*fitted.mean_, fitted.residual_variance_[0]]


TARGETS: dict[str, Any] = {"models": Models, "tables": Tables}


def main() -> None:
    """Fuzz for some minutes, or run given files again."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("files", nargs="*", type=Path, help="inputs to try again, and nothing else")
    parser.add_argument("--minutes", type=float, default=6.0, help="how long (default: 6)")
    given = parser.parse_args()
    # Documented warnings of a fit are no failures; all other warnings are.
    warnings.simplefilter("error")
    for each in (OverfittingWarning, NumericalWarning, UnitsWarning):
        warnings.simplefilter("ignore", each)
    warnings.filterwarnings("ignore", "No features were selected", UserWarning)
    folder = ROOT / ".fuzz" / given.target
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    target = TARGETS[given.target](folder)
    for file in given.files:
        target(file.read_bytes())
    if given.files:
        return
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = {
        "artifact_prefix": f"{folder}/",
        "max_total_time": round(60 * given.minutes),
        "max_len": LONGEST,
        "timeout": SECONDS,
        "rss_limit_mb": MEGABYTES,
    }
    arguments = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], target, custom_mutator=target.mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
