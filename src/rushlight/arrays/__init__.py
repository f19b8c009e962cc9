"""The array language: the same names on every backend, raw arrays in and out."""
