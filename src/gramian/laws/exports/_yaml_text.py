"""YAML: the few kinds of entries that exported files need, with any text."""

from __future__ import annotations

import json
from typing import Any


def yaml_text(document: Any, depth: int = 0) -> str:
    """Return dictionaries, lists, texts and numbers as YAML.

    Parameters
    ----------
    document : dict, list, str, int or float
        What to write; dictionaries and lists are not empty.
    depth : int, default=0
        The number of blanks before each line.
    """
    margin = " " * depth
    if isinstance(document, dict):
        return "".join(f"{margin}{key}:{_value(value, depth)}" for key, value in document.items())
    lines = []
    for each in document:
        inner = (
            yaml_text(each, depth + 2) if isinstance(each, dict) else f"{margin}  {_scalar(each)}\n"
        )
        lines.append(f"{margin}- {inner[depth + 2 :]}")
    return "".join(lines)


def _value(value: Any, depth: int) -> str:
    if isinstance(value, (dict, list)):
        return "\n" + yaml_text(value, depth + 2)
    if isinstance(value, str) and "\n" in value and _is_plain(value):
        lines = "\n".join(f"{' ' * (depth + 2)}{line}".rstrip(" ") for line in value.split("\n"))
        return f" |-\n{lines}\n"
    return f" {_scalar(value)}\n"


def _is_plain(text: str) -> bool:
    """Return True if a text of several lines comes back from a block as it is."""
    lines = text.split("\n")
    printable = all(line.isprintable() and line == line.rstrip() for line in lines)
    return printable and not text.startswith((" ", "\n")) and not text.endswith("\n")


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    return "".join(
        letter if letter.isprintable() or letter == "\n" else _escaped(letter)
        for letter in json.dumps(value, ensure_ascii=False)
    )


def _escaped(letter: str) -> str:
    return f"\\U{ord(letter):08x}" if ord(letter) > 0xFFFF else f"\\u{ord(letter):04x}"
