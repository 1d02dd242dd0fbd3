"""Writer of ONNX graphs: operations are calls, and values are names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from gramian._support.extras import require


class OnnxGraph:
    """ONNX graph that grows by one operation with every call.

    Parameters
    ----------
    dtype : {"float32", "float64"} or dtype
        Type of the numbers.
    parent : OnnxGraph, optional
        The graph that repeats this one, if this one is the body of a loop.
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
        """Return a name that no value has yet."""
        return f"v{next(self._numbers)}"

    def constant(self, values: Any, name: str | None = None) -> str:
        """Add a constant: integers become int64, floats get the type of the graph."""
        if self._parent is not None:  # the body of a loop sees values of the graph around it
            return self._parent.constant(values, name)
        values, name = np.asarray(values), name or self.name()
        kinds = {"i": np.int64, "u": np.int64, "b": np.bool_}
        values = values.astype(kinds.get(values.dtype.kind, self.dtype))
        self.constants.append(self._from_array(values, name))
        return name

    def __call__(self, operation: str, *inputs: Any, out: str | None = None, **options: Any) -> str:
        """Add an operation with one result, and return the name of the result.

        Inputs are names of values, or numbers and arrays, which become constants.
        """
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        out = out or self.name()
        self.nodes.append(self.helper.make_node(operation, names, [out], **options))
        return out

    def ones(self, like: str) -> str:
        """Return ones in the shape of the values `like`."""
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
        """Insert an axis of length one."""
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
        """Repeat a graph until a truth value in it is false; return the last values of its states.

        Parameters
        ----------
        body : OnnxGraph
            The graph, made with this one as parent.
        most : int
            Largest number of repetitions.
        states : sequence of str
            Names of the states in the body.
        first : sequence of str
            Names of the first values of the states, in this graph.
        then : sequence of str
            Names of the next values of the states, in the body.
        go_on : str
            Name of the truth value in the body: True to repeat the body again.
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
