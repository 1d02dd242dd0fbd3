"""Model files: fitted estimators and their preprocessing, written without pickle."""

from gramian.exceptions import ModelFileError
from gramian.models._beside import TYPES as TYPES
from gramian.models._beside import Beside
from gramian.models._model_files import Model, load, read, save
from gramian.models._onnx import to_onnx
from gramian.models._preprocessing import Impute as Impute
from gramian.models._preprocessing import Preprocessing
from gramian.models._preprocessing import is_numeric as is_numeric
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
