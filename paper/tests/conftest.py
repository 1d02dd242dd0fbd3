import os

# On small data umap-learn runs faster interpreted than compiled.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
