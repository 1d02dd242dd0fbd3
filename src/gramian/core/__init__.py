"""The mathematics: rows, sums over rows, the pursuit and its searches.

Open the folder `pursuit` first; `_tolerances.py` holds tolerances that several folders share.
"""
