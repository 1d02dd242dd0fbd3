"""Model files: fitted estimators and their preprocessing, written without pickle.

Open `_model_files.py` first, which holds the functions `save` and `load`.
"""

from gramian.exceptions import ModelFileError
from gramian.models._beside import Beside
from gramian.models._model_files import Model, load, read, save
from gramian.models._onnx import to_onnx
from gramian.models._preprocessing import Impute, Missing, Preprocessing
from gramian.models._table_columns import (
    ColumnValues,
    about_columns,
    check_numbers,
    columns_of,
    is_numeric,
    labels_of,
)
from gramian.tables import Clock

__all__ = [
    "Beside",
    "Clock",
    "Model",
    "ModelFileError",
    "Preprocessing",
    "load",
    "read",
    "save",
    "to_onnx",
]
