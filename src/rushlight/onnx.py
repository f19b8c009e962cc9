"""`torch.onnx`: whether a model is being written as an ONNX file. It is not: there is nothing here that writes one.

https://docs.pytorch.org/docs/stable/onnx.html
"""

__all__ = ["is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """Whether the program runs to be written as an ONNX file: never. Models ask, to leave out what ONNX lacks."""
    return False
