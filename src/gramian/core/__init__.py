"""The mathematics: rows, sums over rows, the pursuit and its searches."""
