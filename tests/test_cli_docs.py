"""The guide to the command shows what the command prints."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cli_cases import folder, run  # noqa: F401

GUIDE = Path(__file__).parent.parent / "docs" / "command_line.md"


def blocks(language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def examples():
    """Return pairs of a command and its output, in the order of the page."""
    pairs = []
    for block in blocks("console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                pairs.append((line[2:], []))
            else:
                pairs[-1][1].append(line)
    return pairs


@pytest.mark.skipif(not GUIDE.exists(), reason="the guide is not part of an installed package")
def test_every_example_prints_the_output_on_the_page(folder):  # noqa: F811
    pytest.importorskip("jinja2")
    (program,) = blocks("python")
    subprocess.run([sys.executable, "-c", program], check=True, cwd=folder)
    assert len(examples()) > 8
    for command, expected in examples():
        if "|" in command or not command.startswith("gramian "):
            env = {
                **os.environ,
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            }
            command = command.replace("gramian ", f"{sys.executable} -m gramian ")
            printed = subprocess.check_output(command, shell=True, text=True, env=env)
        else:
            printed = run(*shlex.split(command)[1:]).output
        assert printed.splitlines() == expected
