"""The pursuit: the one loop, its choosers, and its decoder."""
