"""Shared helpers: array types, BLAS, threads, words and numbers, whole files."""
