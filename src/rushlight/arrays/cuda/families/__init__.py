"""Functions of the array language for which CuPy needs other calls than NumPy, by the file whose ones they replace."""
