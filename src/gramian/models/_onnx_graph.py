"""Builder of ONNX graphs: calling the graph adds an operation, and names stand for values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from gramian._support.extras import require


class OnnxGraph:
    """ONNX graph under construction: each call adds one operation.

    Methods take the names of values (arrays that the graph will compute) and return the name of
    their result.

    Parameters
    ----------
    dtype : {"float32", "float64"} or dtype
        Type of all numbers in the graph that are not integers.
    parent : OnnxGraph, optional
        If this graph is the body of a loop, the graph that contains the loop.
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
        """Return a new name, which no value of this graph or of its parent has."""
        return f"v{next(self._numbers)}"

    def constant(self, values: Any, name: str | None = None) -> str:
        """Add a constant array, and return its name.

        Integers become int64, truth values bool, and floats the type of the graph.
        """
        if self._parent is not None:  # the body of a loop can use values of its parent graph
            return self._parent.constant(values, name)
        values, name = np.asarray(values), name or self.name()
        kinds = {"i": np.int64, "u": np.int64, "b": np.bool_}
        values = values.astype(kinds.get(values.dtype.kind, self.dtype))
        self.constants.append(self._from_array(values, name))
        return name

    def __call__(self, operation: str, *inputs: Any, out: str | None = None, **options: Any) -> str:
        """Add an operation with one result, and return the name of the result.

        An input is the name of a value, or a number or array, which is added as a constant.
        """
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        out = out or self.name()
        self.nodes.append(self.helper.make_node(operation, names, [out], **options))
        return out

    def ones(self, like: str) -> str:
        """Add an array of ones with the shape of the value `like`; return its name."""
        value = self.helper.make_tensor("", self.kind, [1], [1.0])
        return self("ConstantOfShape", self("Shape", like), value=value)

    def take(self, values: str, indices: Any, axis: int) -> str:
        """Add the selection of entries of `values` by indices along an axis; return its name."""
        return self("Gather", values, np.asarray(indices, np.int64), axis=axis)

    def total(self, values: str, axis: int) -> str:
        """Add the sum of `values` along an axis; return its name."""
        return self("ReduceSum", values, np.array([axis]), keepdims=0)

    def squares(self, values: str) -> str:
        """Add the sum of squares of each row of `values`; return its name."""
        return self.total(self("Mul", values, values), 1)

    def column(self, values: str, axis: int = 1) -> str:
        """Add `values` with a new axis of length one; return the name of the result."""
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
        """Add a loop that runs the graph `body` again and again, until its value `go_on` is false.

        The states are values that one run of the body takes from the run before. Return the names
        of the states after the last run.

        Parameters
        ----------
        body : OnnxGraph
            The graph to repeat, made with this graph as its parent.
        most : int
            Largest number of runs.
        states : sequence of str
            Names of the states at the beginning of a run, as the body uses them.
        first : sequence of str
            Names of the values in this graph with which the states begin.
        then : sequence of str
            Names of the values that the body computes as the new states.
        go_on : str
            Name of a truth value that the body computes: True if the body shall run again.
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
