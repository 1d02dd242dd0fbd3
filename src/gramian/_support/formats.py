"""Names of file formats: the command's help lists them without loading NumPy."""

from __future__ import annotations

from enum import StrEnum

Format = StrEnum("Format", "csv tsv parquet feather npy npz")
"""Formats of tables."""
