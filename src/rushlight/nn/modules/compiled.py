"""`torch.compile`: functions and modules whose calls are replayed as programs (`capture`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from importlib import import_module
from typing import Any, TypeVar, overload

from rushlight.compiler import DEFAULTS, REGISTERED, VARYING_LIMIT, check, first_use, is_switched_off

from .module import HOOKS, Module

__all__ = ["OptimizedModule", "compile"]

F = TypeVar("F", bound=Callable[..., Any])
# Attributes of the wrapper itself, not of the module.
OWN = {*HOOKS, "_orig_mod", "_is_full_backward_hook", "_compile_options", "_compiled_call"}


class OptimizedModule(Module):
    """The result of `torch.compile` for a module: a wrapper that shares its attributes, mode and members.

    Parameter names begin with `_orig_mod.`, as in checkpoints of PyTorch's compiled modules.
    """

    def __init__(self, mod: Module, compile_options: dict[str, Any] | None = None) -> None:
        super().__init__()
        super().__setattr__("_orig_mod", mod)
        super().__setattr__("_compile_options", compile_options or {})
        super().__setattr__("_compiled_call", None)

    @property
    def training(self) -> bool:  # type: ignore[override]
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        if "_modules" in self.__dict__:  # `Module.__init__` sets it before the module exists
            self._orig_mod.training = mode

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        call = self.__dict__["_compiled_call"]
        if self._compile_options.get("disable"):
            return self._orig_mod(*args, **kwargs)
        if call is None:
            call = compiled_function(self._orig_mod, **self._compile_options)
            super().__setattr__("_compiled_call", call)
        return call(*args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled_call": None}  # a copy compiles its own module

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
        if not hasattr(type(self._orig_mod), "__len__"):
            raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")
        return len(self._orig_mod)  # type: ignore[arg-type]

    def __getitem__(self, index: Any) -> Any:
        return self._orig_mod[index]  # type: ignore[index]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    @property
    def _torchdynamo_orig_callable(self) -> Module:
        return self._orig_mod


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
    """Returns a function that computes what `model` computes, by programs; of a module an `OptimizedModule`.

    A call is watched once. The next ones that meet its guards run no Python of the function: a program of machine code
    computes their tensors. Calls that cannot be replayed run as written, with equal results. Without `model`, returns
    a decorator. Arguments as in PyTorch: `fullgraph` raises `torch._dynamo.exc.Unsupported` for a call that cannot be
    replayed; `backend` is a name or a function of a `torch.fx.GraphModule` and example inputs. Each size has a program
    of its own: with `dynamic=True` there may be 64, in place of 8. `mode` changes nothing. Raises `RuntimeError` for an
    unknown mode or backend.
    https://docs.pytorch.org/docs/stable/generated/torch.compile.html

    >>> import rushlight as torch
    >>> @torch.compile
    ... def energy(x):
    ...     return (x * x).sum()
    >>> [energy(torch.full((3,), value)).item() for value in (1.0, 2.0, 3.0)]
    [3.0, 12.0, 27.0]
    """
    backend = DEFAULTS["backend"] if backend is None else backend
    backend = REGISTERED.get(backend, backend) if isinstance(backend, str) else backend
    check(backend, mode, options, dynamic)
    first_use()
    if model is None:
        return partial(
            decorated, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, name=name,
            disable=disable, recompile_limit=recompile_limit,
        )  # fmt: skip
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if disable or is_switched_off():
        return model
    limit = VARYING_LIMIT if dynamic and recompile_limit is None else recompile_limit
    settings = {"fullgraph": fullgraph, "backend": backend, "options": options, "limit": limit}
    if callable(backend):
        settings["options"] = {name: value for name, value in (("mode", mode), ("options", options)) if value}
    if isinstance(model, type):
        model.__call__ = compiled_function(model.__call__, **settings)  # type: ignore[operator, method-assign]
        return model
    model = getattr(model, "_torchdynamo_orig_callable", model)
    return OptimizedModule(model, settings) if isinstance(model, Module) else compiled_function(model, **settings)


def decorated(model: Any, **settings: Any) -> Any:
    """The decorator that `torch.compile` returns without a function."""
    if model is None:
        raise RuntimeError("Model can't be None")
    return compile(model, **settings)


def compiled_function(function: Any, **settings: Any) -> Any:
    """Returns a function whose calls are watched and replayed."""
    compiled = import_module("rushlight.capture.compiled").CompiledFunction(function, **settings)
    call = compiled.call()
    if not isinstance(function, Module):
        call = wraps(function)(call)
    vars(call).update(
        _torchdynamo_orig_callable=function, _torchdynamo_inline=function, _is_torch_compile=True,
        _rushlight_compiled=compiled, get_compiler_config=lambda: None,
    )  # fmt: skip
    return call


class CompiledForward:
    """The `forward` of a module that was compiled in place. Copies and pickles of the module do without."""

    def __init__(self, module: Module, settings: dict[str, Any]):
        self.module, self.settings = module, settings
        self.call: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.call is None:
            self.call = compiled_function(type(self.module).forward.__get__(self.module), **self.settings)
        return self.call(*args, **kwargs)


def compile_in_place(self: Module, *args: Any, **kwargs: Any) -> None:
    """Compiles the calls of this module; arguments as those of `torch.compile`. State and its names stay the same."""
    if args:
        raise TypeError(f"compile() takes 1 positional argument but {1 + len(args)} were given")
    made = compile(type(self).forward.__get__(self), **kwargs)
    if (compiled := getattr(made, "_rushlight_compiled", None)) is not None:
        settings = {"fullgraph": compiled.fullgraph, "limit": compiled.limit}
        self.__dict__["forward"] = CompiledForward(self, {**settings, **compiled.asked})


def compiled_call(self: Module) -> CompiledForward | None:
    """What runs in the place of `forward` after `compile()`, None before."""
    forward = self.__dict__.get("forward")
    return forward if type(forward) is CompiledForward else None


def drop_compiled_call(self: Module, value: None) -> None:
    """Makes calls run `forward` as it is written again, by `module._compiled_call_impl = None`."""
    if value is None and compiled_call(self) is not None:
        del self.__dict__["forward"]


def without_compiled_call(self: Module) -> dict[str, Any]:
    """Returns the state of a module for copies and pickles: as before `compile()`."""
    state = self.__dict__.copy()
    if type(state.get("forward")) is CompiledForward:
        del state["forward"]
    return state


Module.compile = compile_in_place
Module._compiled_call_impl = property(compiled_call, drop_compiled_call)  # type: ignore[attr-defined]
Module.__getstate__ = without_compiled_call  # type: ignore[assignment]
