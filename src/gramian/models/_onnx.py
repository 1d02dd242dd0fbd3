"""Export of `transform` to ONNX, for runtimes without Python."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

import gramian
from gramian._support.writing import replacing
from gramian.estimators import UFFS, Estimator
from gramian.fitting import AnyModel, FittedManifold, FittedModel, FittedNorms, Project
from gramian.models._onnx_graph import OnnxGraph
from gramian.models._onnx_surface import encode

OPSET = 13
"""Version of the ONNX operators: old enough for any runtime in use."""
IR_VERSION = 8
"""Version of the ONNX file format that belongs to `OPSET`."""


def to_onnx(
    estimator: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    dtype: Literal["float32", "float64"] = "float32",
) -> Any:
    """Export `transform` of a fitted estimator to ONNX.

    GFR and GCA become a subtraction and a matrix product; GFS, GFA and UFFS become a choice of
    columns. PolynomialManifold with the family "polynomial" or "multilinear" becomes a loop: the
    search for the nearest point, with the steps of `transform`, for all rows at once. The graph
    takes "X" of shape (n, n_features) and returns "Z".

    Parameters
    ----------
    estimator : GFR, GCA, GFS, GFA, UFFS or PolynomialManifold
        The estimator.
    path : path, optional
        The file to write. An existing file is replaced when the new one is complete.
    dtype : {"float32", "float64"}, default="float32"
        The type of numbers that the graph takes and returns.

    Returns
    -------
    model : onnx.ModelProto
        The graph. If columns have names, the names are in its metadata as JSON.

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
    if not isinstance(estimator, Estimator | UFFS):
        raise TypeError(f"to_onnx is for the estimators of gramian; got {type(estimator)}.")
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype must be 'float32' or 'float64'; got {dtype!r}.")
    check_is_fitted(estimator)
    graph = OnnxGraph(dtype)
    n_out, helper = _encode(estimator.model_, graph), graph.helper
    whole = helper.make_graph(
        graph.nodes,
        type(estimator).__name__,
        [helper.make_tensor_value_info("X", graph.kind, ["n", int(estimator.n_features_in_)])],
        [helper.make_tensor_value_info("Z", graph.kind, ["n", n_out])],
        graph.constants,
    )
    model = helper.make_model(
        whole,
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


def _encode(model: AnyModel, graph: OnnxGraph) -> int:
    """Add the operations from "X" to "Z", and return the number of columns of "Z"."""
    if isinstance(model, FittedManifold):
        return encode(graph, model)
    assert isinstance(model, FittedModel | FittedNorms)
    if isinstance(model, FittedModel) and isinstance(model.encoder, Project):
        centred = graph("Sub", "X", graph.constant(model.mean, "mean"))
        graph("MatMul", centred, graph.constant(model.encoder.axes.T, "directions"), out="Z")
        return len(model.encoder.axes)
    columns = np.flatnonzero(model.support)
    graph("Gather", "X", graph.constant(columns, "columns"), out="Z", axis=1)
    return len(columns)
