"""`torch.compile`: accepts PyTorch's calls; programs run as written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

from rushlight.compiler import check

from .module import HOOKS, Module

__all__ = ["OptimizedModule", "compile"]

F = TypeVar("F", bound=Callable[..., Any])
# Attributes of the wrapper itself, not of the module.
OWN = {*HOOKS, "_orig_mod", "_is_full_backward_hook"}


class OptimizedModule(Module):
    """The result of `torch.compile` for a module: a wrapper that shares its attributes, mode and members.

    Parameter names begin with `_orig_mod.`, as in checkpoints of PyTorch's compiled modules.
    """

    def __init__(self, mod: Module) -> None:
        super().__init__()
        super().__setattr__("_orig_mod", mod)

    @property
    def training(self) -> bool:  # type: ignore[override]
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        if "_modules" in self.__dict__:  # `Module.__init__` sets it before the module exists
            self._orig_mod.training = mode

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return super().__getattr__(name)
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in OWN:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __len__(self) -> int:
        return len(self._orig_mod)


@overload
def compile(
    model: F,
    *, fullgraph: bool = False, dynamic: bool | None = None, backend: str | Callable | None = None,
    mode: str | None = None, options: dict[str, Any] | None = None, name: str | None = None, disable: bool = False,
    recompile_limit: int | None = None, isolate_recompiles: bool = False, shapes_spec: Any = None,
) -> F: ...  # fmt: skip
@overload
def compile(
    model: None = None,
    *, fullgraph: bool = False, dynamic: bool | None = None, backend: str | Callable | None = None,
    mode: str | None = None, options: dict[str, Any] | None = None, name: str | None = None, disable: bool = False,
    recompile_limit: int | None = None, isolate_recompiles: bool = False, shapes_spec: Any = None,
) -> Callable[[F], F]: ...  # fmt: skip
def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """Returns the function itself, or a wrapper of a module: both run as written. Without a model, a decorator.

    Elementwise formulas, products, convolutions and row operations run as machine code for large arrays, with or
    without this call; operations are not fused. Raises `RuntimeError` for an unknown mode or backend, and
    `NotImplementedError` for a custom backend.
    https://docs.pytorch.org/docs/stable/generated/torch.compile.html

    >>> import rushlight as torch
    >>> @torch.compile
    ... def energy(x):
    ...     return (x * x).sum()
    >>> energy(torch.ones(3))
    tensor(3.)
    """
    check(backend, mode, options)
    if model is None:
        return partial(compile, disable=disable)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return model if disable or not isinstance(model, Module) else OptimizedModule(model)


def compile_in_place(self: Module, *args: Any, **kwargs: Any) -> None:
    """Compiles this module's `forward`, as `torch.compile` does: it runs as written."""
    compile(self.forward, *args, **kwargs)


Module.compile = compile_in_place
