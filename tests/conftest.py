import os

import pytest

# To compile umap-learn's functions takes longer than to interpret them on data of a test's size.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

# So that their assertions, too, say what they compared.
pytest.register_assert_rewrite(
    "contract_cases",
    "elimination_cases",
    "input_cases",
    "oracle_cases",
    "plot_cases",
    "property_cases",
    "reconstruction_cases",
    "report_cases",
    "source_cases",
    "support",
)
