"""Registry of all experiments."""

from __future__ import annotations

import importlib

from gramian_paper.experiments._experiment import Experiment

MODULES = (
    "_gfr_residual_variance",
    "_gfr_kernel_pca",
    "_extraction_accuracy",
    "_gfr_synthetic",
    "_gca_success",
    "_gfs_counts",
    "_gfs_accuracy",
    "_uffs",
    "_gfa_success",
    "_appendix_example",
    "_complexity",
)
"""The modules, each with an `EXPERIMENT`, in the order of the paper."""


def experiments() -> dict[str, Experiment]:
    """Return all experiments by name, in the order of the paper.

    Returns
    -------
    experiments : dict of str to Experiment
        The experiments.

    Examples
    --------
    >>> from gramian_paper.experiments import experiments
    >>> "appendix-example" in experiments()
    True
    """
    modules = [importlib.import_module(f"{__package__}.{module}") for module in MODULES]
    return {module.EXPERIMENT.name: module.EXPERIMENT for module in modules}
