"""Exports: laws in the languages of other programs, such as SQL and plain Python.

Open `_expressions.py` first, the tree of what a law computes; `_law_expressions.py` makes it from
each form of law, and there is one writer for each language.
"""

from gramian.laws.exports._data_contract import data_contract
from gramian.laws.exports._dbt_tests import dbt_files
from gramian.laws.exports._great_expectations import expectation_suite
from gramian.laws.exports._pandera_schema import Backend, pandera_schema
from gramian.laws.exports._pytest_file import pytest_file
from gramian.laws.exports._python_module import python_module
from gramian.laws.exports._rounded_columns import rounded_as_columns
from gramian.laws.exports._sql_checks import LawQuery, checks_as_sql, law_queries
from gramian.laws.exports._sql_columns import ColumnKind, columns_as_sql
from gramian.laws.exports._sql_dialects import Dialect
from gramian.laws.exports._yaml_text import yaml_text
