"""Dropped columns come back right in rows with missing cells, from which the fit did not learn."""

import numpy as np
import pandas as pd

import gramian


def test_a_year_that_is_the_row_number_only_in_complete_rows_is_kept():
    rng = np.random.default_rng(0)
    year = np.r_[np.arange(1880, 2015), np.arange(1751, 1880)]
    anomaly = np.where(np.arange(len(year)) < 135, rng.normal(size=len(year)).round(2), np.nan)
    table = pd.DataFrame({"rownames": np.arange(1, len(year) + 1), "year": year, "t": anomaly})
    table["carbon"] = rng.uniform(3, 9000, len(year)).round()
    selection = gramian.select(table)
    again = selection.reconstruct(selection.transform(table))
    np.testing.assert_allclose(again["year"].astype(float), year, atol=1)
    np.testing.assert_allclose(again["rownames"].astype(float), table.rownames, atol=1)
