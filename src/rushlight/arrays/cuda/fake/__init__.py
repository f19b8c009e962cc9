"""A fake CuPy: its names, signatures, limits and refusals, over NumPy's numbers in memory of its own.

`namespace.py` makes it of `names.txt`, which was recorded from CuPy. What runs on it runs on CuPy, and what CuPy
refuses it refuses, in the same words.
"""
