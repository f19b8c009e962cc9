"""The version of rushlight: its only definition. Versions of GPU libraries are None."""

__version__ = "0.1.0"
TORCH_VERSION = f"2.13.0+rushlight.{__version__}"  # `torch.__version__`
cuda = hip = rocm = xpu = None
debug = False
