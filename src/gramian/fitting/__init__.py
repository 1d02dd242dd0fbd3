"""From data and parameters to a fitted model."""
