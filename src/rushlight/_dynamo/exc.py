"""`torch._dynamo.exc`: the errors of captures, which programs catch. A function that runs as written raises its own."""

from __future__ import annotations


class TorchDynamoException(RuntimeError):
    """What PyTorch raises of a capture."""


class InternalTorchDynamoError(TorchDynamoException):
    """A fault of the capture itself."""


class Unsupported(TorchDynamoException):
    """Something in the program that cannot be captured."""


class UserError(TorchDynamoException):
    """A wrong use of the capture."""


class RecompileError(TorchDynamoException):
    """One capture more than was allowed."""
