"""The device `cuda`: the array language once more, over CuPy or over the fake CuPy that has its names and limits."""
