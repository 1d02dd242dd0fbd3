"""A small writer of ONNX graphs: operations are calls, and values are names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from gramian._support.extras import require


class OnnxGraph:
    """A graph that grows with every call.

    Parameters
    ----------
    dtype : {"float32", "float64"} or dtype
        The type of numbers.
    parent : OnnxGraph, optional
        The graph around this one, if it is repeated there.
    """

    def __init__(self, dtype: DTypeLike, parent: OnnxGraph | None = None) -> None:
        self.helper: Any = require("onnx.helper", "Export")
        self._from_array: Any = require("onnx.numpy_helper", "Export").from_array
        self.dtype = np.dtype(dtype)
        self.kind: int = self.helper.np_dtype_to_tensor_dtype(self.dtype)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._numbers: count[int] = count() if parent is None else parent._numbers
        self._parent = parent

    def name(self) -> str:
        """Return a name that nothing has yet."""
        return f"v{next(self._numbers)}"

    def constant(self, values: Any, name: str | None = None) -> str:
        """Add a constant: indices stay integers, all other numbers get the type of the graph."""
        if self._parent is not None:  # values outside of a loop are seen inside
            return self._parent.constant(values, name)
        values, name = np.asarray(values), name or self.name()
        kinds = {"i": np.int64, "u": np.int64, "b": np.bool_}
        values = values.astype(kinds.get(values.dtype.kind, self.dtype))
        self.constants.append(self._from_array(values, name))
        return name

    def __call__(self, operation: str, *inputs: Any, out: str | None = None, **options: Any) -> str:
        """Add an operation with one result, and return its name.

        Inputs are names of values; numbers and arrays become constants.
        """
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        out = out or self.name()
        self.nodes.append(self.helper.make_node(operation, names, [out], **options))
        return out

    def ones(self, like: str) -> str:
        """Return ones in the shape of other values."""
        value = self.helper.make_tensor("", self.kind, [1], [1.0])
        return self("ConstantOfShape", self("Shape", like), value=value)

    def take(self, values: str, indices: Any, axis: int) -> str:
        """Take some of the values along an axis."""
        return self("Gather", values, np.asarray(indices, np.int64), axis=axis)

    def total(self, values: str, axis: int) -> str:
        """Sum over an axis."""
        return self("ReduceSum", values, np.array([axis]), keepdims=0)

    def squares(self, values: str) -> str:
        """Return the sum of squares of each row."""
        return self.total(self("Mul", values, values), 1)

    def column(self, values: str, axis: int = 1) -> str:
        """Give values another axis of length one."""
        return self("Unsqueeze", values, np.array([axis]))

    def repeat(
        self,
        body: OnnxGraph,
        most: int,
        states: Sequence[str],
        first: Sequence[str],
        then: Sequence[str],
        go_on: str,
    ) -> list[str]:
        """Repeat a graph as long as it says so, and return the last values of its states.

        Parameters
        ----------
        body : OnnxGraph
            The graph, made with this one as parent.
        most : int
            How often at most.
        states : sequence of str
            The names of the states inside.
        first : sequence of str
            Where their first values are, outside.
        then : sequence of str
            Where their next values are, inside.
        go_on : str
            Whether to go on, a truth value inside.
        """
        helper, value = self.helper, self.helper.make_tensor_value_info
        integer = helper.np_dtype_to_tensor_dtype(np.dtype(np.int64))
        truth = helper.np_dtype_to_tensor_dtype(np.dtype(bool))
        turn, before = value(body.name(), integer, []), value(body.name(), truth, [])
        inside = helper.make_graph(
            body.nodes,
            "body",
            [turn, before, *(value(name, self.kind, None) for name in states)],
            [value(go_on, truth, []), *(value(name, self.kind, None) for name in then)],
        )
        results = [self.name() for _ in states]
        begin = [self.constant(np.array(most)), self.constant(np.array(True)), *first]
        self.nodes.append(helper.make_node("Loop", begin, results, body=inside))
        return results
