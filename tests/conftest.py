import os

import pytest

os.environ["GRAMIAN_TIME_LIMIT"] = "none"  # results of commands do not depend on the clock

# Failed assertions in these modules show the compared values.
pytest.register_assert_rewrite(
    "contract_cases",
    "elimination_cases",
    "gain_cases",
    "input_cases",
    "oracle_cases",
    "plot_cases",
    "property_cases",
    "reconstruction_cases",
    "report_cases",
    "source_cases",
    "support",
    "table_page_cases",
)
