"""`torch._dynamo.exc`: errors of captures, for programs that catch them. Functions here raise only their own errors."""

from __future__ import annotations


class TorchDynamoException(RuntimeError):
    """Base class of PyTorch's capture errors."""


class InternalTorchDynamoError(TorchDynamoException):
    """An internal error of the capture."""


class Unsupported(TorchDynamoException):
    """A construct that cannot be captured."""


class UserError(TorchDynamoException):
    """A wrong use of the capture."""


class RecompileError(TorchDynamoException):
    """Too many captures."""
