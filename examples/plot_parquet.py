"""
A file larger than the memory budget
====================================

A fit needs only sums over rows. So the rows can stay in a file: ``fit`` takes the path of a Parquet
file, reads it block by block, once for every direction, and stays within ``memory_budget``. The
result is that of a fit in memory, up to rounding.

The file of this example is small, so that the page is built quickly; the budget is smaller than the
file.
"""

import tempfile
import time
import tracemalloc
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from gramian import GFR

# %%
# A file of 200,000 rows
# ----------------------
#
# Thirty columns are mixtures of five variables and of their products, with noise. They are written
# in blocks; the whole table is never in memory.

rng = np.random.default_rng(0)
mixture = rng.standard_normal((15, 30))
i, j = np.triu_indices(5, k=1)


def block(n_rows):
    """Return rows as a table with names."""
    z = rng.standard_normal((n_rows, 5))
    values = np.hstack([z, z[:, i] * z[:, j]]) @ mixture
    values += 0.3 * rng.standard_normal(values.shape)
    return pa.table({f"c{k}": column for k, column in enumerate(values.T)})


folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "table.parquet"
first = block(10_000)
with pq.ParquetWriter(path, first.schema) as writer:
    writer.write_table(first)
    for _ in range(19):
        writer.write_table(block(10_000))
print(f"{pq.read_metadata(path).num_rows:,} rows in {path.stat().st_size:,} bytes")

# %%
# Four fits
# ---------
#
# One fit uses the table in memory, and three fits use the file, with less and less memory. The
# budget is for the rows; the sums need additional memory, which does not grow with the number of
# rows. We measure the peak size of all NumPy arrays, without the buffers in which PyArrow decodes
# the file.

MIB = 2**20
budgets = {"in memory": None, "32 MiB": 32 * MIB, "8 MiB": 8 * MIB, "2 MiB": 2 * MIB}
fits, peaks, seconds = {}, {}, {}
for name, budget in budgets.items():
    tracemalloc.start()
    begin = time.perf_counter()
    X = path if budget else pd.read_parquet(path)
    fits[name] = GFR(8, memory_budget=budget).fit(X)
    seconds[name] = time.perf_counter() - begin
    peaks[name] = tracemalloc.get_traced_memory()[1] / MIB
    tracemalloc.stop()

# %%
# Compare the results:

reference = fits["in memory"]
for name, fit in fits.items():
    difference = np.abs(fit.components_ - reference.components_).max()
    print(f"{name:>9}: directions differ by {difference:.0e}, {seconds[name]:.1f} s")

# %%
# The residuals are equal, and the arrays are smaller. The disadvantage: the file is read and
# decoded again in every step.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for (name, fit), style in zip(fits.items(), ["-", "s", "o", "."], strict=True):
    share = fit.total_residual_variance_ / fit.total_residual_variance_[0]
    axes[0].plot(share, style, ms=5 if style == "." else 12, mfc="none", label=name)
axes[0].set(xlabel="number of directions", ylabel="share of variance left")
axes[0].yaxis.set_major_formatter("{x:.0%}")
axes[0].legend(frameon=False)
bars = axes[1].bar(peaks.keys(), peaks.values(), color=["C0", "C1", "C2", "C3"])
axes[1].bar_label(
    bars, [f"{peaks[name]:.0f} MiB\n{seconds[name]:.1f} s" for name in fits]
)
axes[1].set(xlabel="memory_budget", ylabel="largest size of arrays, MiB")
axes[1].margins(y=0.2)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Other methods
# -------------
#
# Other methods also take the path. With ``output``, ``transform`` writes a file instead of
# returning an array.

fit = fits["8 MiB"]
reduced = fit.transform(path, output=path.with_name("reduced.parquet"))
print(pq.read_schema(reduced).names)
print(f"{fit.score(path):.3f} of the variance of all rows is explained")
folder.cleanup()
