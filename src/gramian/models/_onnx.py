"""Export of the method `transform` of a fitted estimator to ONNX, to run it without Python."""

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
from gramian.fitting import AnyModel, FittedManifold, KeptDirections, SteppedModel
from gramian.models._onnx_graph import OnnxGraph
from gramian.models._onnx_surface import encode

OPSET = 13
"""Version of the ONNX operators in exported graphs: old enough for every ONNX runtime in use."""
IR_VERSION = 8
"""Version of the ONNX file format in exported graphs; it must go with `OPSET`."""


def to_onnx(
    estimator: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    dtype: Literal["float32", "float64"] = "float32",
) -> Any:
    """Export the method `transform` of a fitted estimator as an ONNX graph.

    The graph has one input "X" of shape (n, n_features) and one output "Z", the result of
    `transform`. For GFR and GCA it has a subtraction and a matrix product; for GFS, GFA and UFFS it
    takes some of the columns. For PolynomialManifold with the family "polynomial" or "multilinear"
    it has a loop that searches for the nearest point of each row, with the same steps as
    `transform`.

    Parameters
    ----------
    estimator : GFR, GCA, GFS, GFA, UFFS or PolynomialManifold
        The fitted estimator.
    path : path, optional
        Path of the file to write. An existing file is replaced only after the new file is complete.
    dtype : {"float32", "float64"}, default="float32"
        Type of the numbers in the input and in the output of the graph.

    Returns
    -------
    model : onnx.ModelProto
        The graph. If the columns have names, its metadata contain the names as JSON.

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
    """Add the operations that compute the output "Z" from the input "X" of a graph.

    Return the number of columns of "Z".
    """
    if isinstance(model, FittedManifold):
        return encode(graph, model)
    assert isinstance(model, SteppedModel)
    kept = model.kept
    if isinstance(kept, KeptDirections):
        centred = graph("Sub", "X", graph.constant(model.mean, "mean"))
        graph("MatMul", centred, graph.constant(kept.axes.T, "directions"), out="Z")
        return len(kept.axes)
    columns = np.sort(kept.chosen)
    graph("Gather", "X", graph.constant(columns, "columns"), out="Z", axis=1)
    return len(columns)
