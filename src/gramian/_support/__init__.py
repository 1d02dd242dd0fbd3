"""Helpers for all rooms: array types, BLAS, threads, numbers in words, files written whole.

Each module stands alone. Open `words.py` first, which writes the numbers of all messages.
"""
