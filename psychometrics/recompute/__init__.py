"""Compute the numbers of an export again, from its own tables, with the formulas of this library."""
