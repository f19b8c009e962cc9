"""The version of rushlight: the only place that says it. Those of GPU libraries are None, as there are none."""

__version__ = "0.1.0"
cuda = hip = rocm = xpu = None
debug = False
