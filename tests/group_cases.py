"""Shared by tests of groups: tables in which rows of a patient resemble each other."""

import numpy as np


def patients(seed, n_patients=30, n_rows=20, n_columns=9, noise=1e-3):
    """Return attributes of patients, measured several times with noise, and the patients.

    Rows are in random order, and no two rows are equal: nothing in the table tells that rows belong
    together.
    """
    rng = np.random.default_rng(seed)
    attributes = rng.standard_normal((n_patients, n_columns))
    patient = rng.permutation(np.repeat(np.arange(n_patients), n_rows))
    table = attributes[patient] + noise * rng.standard_normal((len(patient), n_columns))
    return table, patient
