"""The version of rushlight: the only place that says it. Those of GPU libraries are None, as there are none."""

__version__ = "0.1.0"
TORCH_VERSION = f"2.13.0+rushlight.{__version__}"  # what programs find as that of torch
cuda = hip = rocm = xpu = None
debug = False
