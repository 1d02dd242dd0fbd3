"""Export of what `transform` does to ONNX, for runtimes without Python."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

import gramian
from gramian._base import PursuitEstimator
from gramian._model import Project
from gramian._writing import replacing

OPSET = 13
"""Old enough for any runtime in use; it has all that is needed."""
IR_VERSION = 8


def to_onnx(
    estimator: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    dtype: Literal["float32", "float64"] = "float32",
) -> Any:
    """Export `transform` of a fitted estimator to ONNX.

    GFR and GCA become a subtraction and a matrix product, GFS, GFA and UFFS a choice of columns.
    The graph takes "X" of shape (n, n_features) and returns "Z".

    Parameters
    ----------
    estimator : GFR, GCA, GFS, GFA or UFFS
        The estimator.
    path : path, optional
        The file to write; an old one is replaced when the new one is complete.
    dtype : {"float32", "float64"}, default="float32"
        The type of numbers that the graph takes and returns.

    Returns
    -------
    model : onnx.ModelProto
        The graph; names of columns, if there are any, are in its metadata as JSON.

    Raises
    ------
    ImportError
        If the package onnx is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFR
    >>> from gramian.models import to_onnx
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> model = to_onnx(GFR(2).fit(X))
    >>> [node.op_type for node in model.graph.node]
    ['Sub', 'MatMul']
    """
    try:
        helper: Any = importlib.import_module("onnx.helper")
    except ImportError as error:
        raise ImportError('Export needs the package onnx: pip install "gramian[onnx]".') from error
    if not isinstance(estimator, PursuitEstimator):
        raise TypeError(f"to_onnx is for the estimators of gramian; got {type(estimator)}.")
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype must be 'float32' or 'float64'; got {dtype!r}.")
    check_is_fitted(estimator)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    def constant(name: str, values: np.ndarray[Any, Any], type_: int) -> Any:
        raw = np.ascontiguousarray(values).tobytes()
        return helper.make_tensor(name, type_, values.shape, raw, raw=True)

    encoder = estimator.model_.encoder
    if isinstance(encoder, Project):
        n_out = len(encoder.axes)
        weights = [
            constant("mean", estimator.mean_.astype(dtype), kind),
            constant("directions", encoder.axes.T.astype(dtype), kind),
        ]
        nodes = [
            helper.make_node("Sub", ["X", "mean"], ["centred"]),
            helper.make_node("MatMul", ["centred", "directions"], ["Z"]),
        ]
    else:
        columns = np.flatnonzero(estimator.get_support()).astype(np.int64)
        n_out = len(columns)
        index = helper.np_dtype_to_tensor_dtype(np.dtype(np.int64))
        weights = [constant("columns", columns, index)]
        nodes = [helper.make_node("Gather", ["X", "columns"], ["Z"], axis=1)]
    graph = helper.make_graph(
        nodes,
        type(estimator).__name__,
        [helper.make_tensor_value_info("X", kind, ["n", int(estimator.n_features_in_)])],
        [helper.make_tensor_value_info("Z", kind, ["n", n_out])],
        weights,
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="gramian",
        producer_version=gramian.__version__,
    )
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        outputs = estimator.get_feature_names_out()
        helper.set_model_props(
            model,
            {
                "feature_names_in": json.dumps([str(name) for name in names]),
                "feature_names_out": json.dumps([str(name) for name in outputs]),
            },
        )
    if path is not None:
        with replacing(Path(path)) as stream:
            stream.write(model.SerializeToString())
    return model
