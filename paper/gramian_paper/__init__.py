"""The experiments of the paper, computed again with gramian; see README.md beside this package."""
