"""Rows of a table with one column replaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray


class Replaced(Mapping[str, NDArray[Any]]):
    """Rows of a table with one column replaced."""

    def __init__(self, rows: Mapping[str, Any], name: str, values: NDArray[Any]) -> None:
        self._rows, self._name, self._values = rows, name, values

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._values if name == self._name else self._rows[name]

    def __iter__(self) -> Any:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
