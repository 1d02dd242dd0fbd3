"""Formulas: sums of products of powers and functions of columns."""
