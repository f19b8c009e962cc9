"""Kernels of restricted Python, and which functions of the array language they stand in for."""
