"""`torch._dynamo.exc`: errors of captures.

Compiled functions raise `Unsupported` with `fullgraph=True`, `InvalidBackend`, `BackendCompilerFailed`,
`RecompileError` and `FailOnRecompileLimitHit`, as in PyTorch. The others are there for programs that catch them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class TorchDynamoException(RuntimeError):
    """Base class of PyTorch's capture errors."""


class InternalTorchDynamoError(TorchDynamoException):
    """An internal error of the capture."""


class RestartAnalysis(TorchDynamoException):
    """A capture that begins again."""


class SkipFrame(TorchDynamoException):
    """A function that is not captured."""


class TorchRuntimeError(TorchDynamoException):
    """An operator that fails during a capture."""


class InvalidBackend(TorchDynamoException):
    """The name of a backend that is not known."""

    def __init__(self, name: str | None = None):
        super().__init__(
            f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends."
            if name is not None
            else ""
        )


class ResetRequired(TorchDynamoException):
    """Settings that changed between two captures."""


class ShortenTraceback(TorchDynamoException):
    """An error whose traceback ends at the compiled function."""


class BackendCompilerFailed(ShortenTraceback):
    """A backend that raised an error, which is `inner_exception`."""

    def __init__(self, backend_fn: Callable, inner_exception: Exception, *more: Any):
        self.backend_name = getattr(backend_fn, "__name__", "?")
        self.inner_exception = inner_exception
        super().__init__(f"backend={self.backend_name!r} raised:\n{type(inner_exception).__name__}: {inner_exception}")


class Unsupported(TorchDynamoException):
    """A construct that cannot be captured, with `fullgraph=True`."""


class UserError(TorchDynamoException):
    """A wrong use of the capture."""


class UserErrorType:
    """Kinds of `UserError`."""

    DYNAMIC_CONTROL_FLOW = "dynamic_control_flow"
    ANTI_PATTERN = "anti_pattern"
    STANDARD_LIBRARY = "standard_library"
    CONSTRAINT_VIOLATION = "constraint_violation"
    DYNAMIC_DIM = "dynamic_dim"
    INVALID_INPUT = "invalid_input"
    INVALID_OUTPUT = "invalid_output"


class RecompileError(TorchDynamoException):
    """A call that needs another program, where the setting `error_on_recompile` or the stance forbids it."""


class CondOpArgsMismatchError(TorchDynamoException):
    """Branches of `torch.cond` whose results differ."""


class UncapturedHigherOrderOpError(TorchDynamoException):
    """An operator that takes functions, and cannot be captured."""


class ObservedException(TorchDynamoException):
    """An error of the program during a capture."""


class FailOnRecompileLimitHit(Exception):
    """More programs of one function than its limit, where the setting `fail_on_recompile_limit_hit` forbids it."""
