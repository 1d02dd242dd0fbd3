"""Model files: store fitted estimators and their preprocessing without pickle, and read them."""

from gramian.exceptions import ModelFileError
from gramian.models._beside import TYPES as TYPES
from gramian.models._beside import Beside
from gramian.models._model_files import Model, load, read, save
from gramian.models._onnx import to_onnx
from gramian.models._preprocessing import Impute as Impute
from gramian.models._preprocessing import Missing as Missing
from gramian.models._preprocessing import Preprocessing
from gramian.models._table_columns import ColumnValues as ColumnValues
from gramian.models._table_columns import about_columns as about_columns
from gramian.models._table_columns import check_numbers as check_numbers
from gramian.models._table_columns import columns_of as columns_of
from gramian.models._table_columns import is_numeric as is_numeric
from gramian.models._table_columns import labels_of as labels_of
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
