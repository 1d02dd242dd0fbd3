import os

# To compile umap-learn's functions takes longer than to interpret them on data of a test's size.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
