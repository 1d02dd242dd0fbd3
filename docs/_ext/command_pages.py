"""Pages of the command ``gramian``, written from its own help when the site is built."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer
from sphinx.application import Sphinx

from gramian.cli._app import app as command_line

FOLDER = Path("reference", "command")


def pages(command: Any, context: typer.Context) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page of a command and of its subcommands."""
    name = context.command_path
    below = getattr(command, "commands", {})
    visible = {key: sub for key, sub in below.items() if not sub.hidden}
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [*heading(name, "="), *help_text(command.help)]
    lines += [".. code-block:: text", "", f"   {name} {usage}", ""]
    for title, subs in by_panel(visible, visible.values(), "Commands").items():
        lines += heading(title, "-")
        for key, sub in subs.items():
            summary = escaped(sub.get_short_help_str(limit=200))
            lines += [f":doc:`{name} {key} <{page_of(f'{name} {key}')}>`", f"   {summary}", ""]
    records = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            records[record] = parameter
    for title, group in by_panel(records, records.values(), "Options").items():
        lines += [*heading(title, "-"), *definitions(group)]
    lines += help_text(command.epilog)
    if visible:
        lines += [".. toctree::", "   :hidden:", ""]
        lines += [f"   {page_of(f'{name} {key}')}" for key in visible] + [""]
    yield page_of(name), "\n".join(lines)
    for key, sub in visible.items():
        yield from pages(sub, typer.Context(sub, info_name=key, parent=context))


def by_panel(keys: Iterable[Any], things: Iterable[Any], default: str) -> dict[str, dict[Any, Any]]:
    """Group commands or parameters as the help on a terminal does."""
    panels: dict[str, dict[Any, Any]] = {}
    for key, thing in zip(keys, things, strict=True):
        is_argument = hasattr(thing, "opts") and not thing.opts[0].startswith("-")
        title = thing.rich_help_panel or ("Arguments" if is_argument else default)
        panels.setdefault(title if isinstance(title, str) else default, {})[key] = thing
    return panels


def heading(title: str, line: str) -> list[str]:
    """Return a title with its underline."""
    return [title, line * len(title), ""]


def page_of(name: str) -> str:
    """Return the name of the page of a command."""
    return name.replace(" ", "-")


def help_text(text: str | None) -> list[str]:
    r"""Return help as lines of reStructuredText; \\b marks a paragraph whose lines stay."""
    lines: list[str] = []
    for paragraph in filter(None, inspect.cleandoc(text or "").split("\n\n")):
        if paragraph.startswith("\b"):
            lines += [".. code-block:: text", "", *indented(paragraph.lstrip("\b\n")), ""]
        else:
            lines += [escaped(paragraph), ""]
    return lines


def definitions(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a definition list of parameters: names and descriptions."""
    for names, description in records:
        yield f"``{names}``"
        yield from indented(escaped(description) or "See above.")
        yield ""


def indented(text: str) -> list[str]:
    """Return the lines of a text, three characters further in."""
    return [f"   {line}" for line in text.splitlines()]


def escaped(text: str) -> str:
    """Return a text with reStructuredText characters escaped and `names` as code."""
    text = re.sub(r"\[/?(?:bold|dim|italic|cyan|green|yellow|red)\]", "", text)
    parts = re.split(r"`+([^`]+)`+", text)
    return "".join(
        f"``{part}``" if i % 2 else re.sub(r"([\\*_|])", r"\\\1", part)
        for i, part in enumerate(parts)
    )


def write_pages(app: Sphinx) -> None:
    """Write the pages that changed, and remove pages of commands that no longer exist."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    command = typer.main.get_command(command_line)
    context = typer.Context(command, info_name="gramian")
    written = set()
    for name, text in pages(command, context):
        path = folder / f"{name}.rst"
        written.add(path)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in set(folder.glob("*.rst")) - written:
        path.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect `write_pages`, so that pages exist before Sphinx reads its sources."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
