"""`torch._dynamo`: the older names of `torch.compiler`, and marks of tensors, which are attributes as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from rushlight._dynamo import config as config
from rushlight._dynamo import eval_frame as eval_frame
from rushlight._dynamo import exc as exc
from rushlight._dynamo import utils as utils
from rushlight._dynamo.eval_frame import OptimizedModule as OptimizedModule
from rushlight.compiler import ALLOWED, BACKENDS, REGISTERED, VARYING_MARKS, captured
from rushlight.compiler import allow_in_graph as allow_in_graph
from rushlight.compiler import assume_constant_result as assume_constant_result
from rushlight.compiler import disable as disable
from rushlight.compiler import explain as explain
from rushlight.compiler import is_compiling as is_compiling
from rushlight.compiler import list_backends as list_backends
from rushlight.compiler import reset as reset
from rushlight.compiler import set_stance as set_stance
from rushlight.compiler import substitute_in_graph as substitute_in_graph
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.nn.modules.compiled import compile


def graph_break(msg: str = "") -> None:
    """Ends what is captured, in PyTorch; here the call is replayed with the others.

    Raises `torch._dynamo.exc.Unsupported` inside a function that is compiled with `fullgraph=True`.
    """
    if is_compiling() and captured("compiled").WATCHING[0].fullgraph:
        raise noted(exc.Unsupported("Call to `torch._dynamo.graph_break()`"), f"User-supplied reason: {msg}")


def register_backend(compiler_fn: Callable | None = None, name: str | None = None, tags: Iterable[str] = ()) -> Any:
    """Registers a backend of `torch.compile` under a name, by default that of the function.

    >>> import rushlight as torch
    >>> def printing(graph, inputs):
    ...     print(len(graph.graph.nodes), "nodes")
    ...     return graph.forward
    >>> _ = torch._dynamo.register_backend(printing)
    >>> torch.compile(lambda x: x + 1, backend="printing")(torch.zeros(1))
    3 nodes
    tensor([1.])
    """
    if compiler_fn is None:
        return partial(register_backend, name=name, tags=tags)
    REGISTERED[name or compiler_fn.__name__] = compiler_fn
    return compiler_fn


def lookup_backend(compiler_fn: str | Callable) -> Callable:
    """Returns the function of a backend. Raises `torch._dynamo.exc.InvalidBackend` for unknown names."""
    if callable(compiler_fn):
        return compiler_fn
    if compiler_fn in REGISTERED:
        return REGISTERED[compiler_fn]
    if compiler_fn not in BACKENDS:
        raise exc.InvalidBackend(compiler_fn)

    def built_in(gm: Any, fake_tensor_inputs: list, **options: Any) -> Callable:
        return gm.forward

    built_in.__name__ = compiler_fn
    return built_in


def optimize(backend: str | Callable = "inductor", *, nopython: bool = False, **settings: Any) -> Callable:
    """Returns a decorator that compiles, as `torch.compile` does; `nopython` is `fullgraph`."""
    known_settings = {name: settings[name] for name in ("dynamic", "disable", "recompile_limit") if name in settings}
    return compile(backend=backend, fullgraph=nopython, **known_settings)


def optimize_assert(backend: str | Callable, **settings: Any) -> Callable:
    """Returns a decorator that compiles with `fullgraph=True`."""
    return optimize(backend, nopython=True, **settings)


def run(fn: Callable | None = None) -> Callable:
    """Returns a function that is replayed where a program fits, and runs as written elsewhere."""
    return set_stance("eager_on_recompile")(fn) if fn is not None else run


def disallow_in_graph(fn: Any) -> Any:
    """Takes back `allow_in_graph` of a function, or a list of functions: their code is watched as that of others."""
    if isinstance(fn, (list, tuple)):
        return [disallow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("disallow_in_graph expects a callable")
    ALLOWED.discard(fn)
    return fn


def forbid_in_graph(fn: Any) -> Any:
    """Marks a function, or a list of functions: a compiled function that calls one raises AssertionError."""
    if isinstance(fn, (list, tuple)):
        return [forbid_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("forbid_in_graph applies only to callables")
    fn._dynamo_forbidden = True
    return fn


def patch_dynamo_config(*args: Any, **kwargs: Any) -> Any:
    """Changes settings of `torch._dynamo.config` in a `with` block or a decorated function."""
    return config.patch(*args, **kwargs)  # type: ignore[attr-defined]


def is_dynamo_supported() -> bool:
    """Returns True."""
    return True


def mark_static_address(t: Tensor, guard: bool = False) -> None:
    """Marks a tensor whose memory address stays the same.

    >>> import rushlight as torch
    >>> buffer = torch.zeros(2)
    >>> torch._dynamo.mark_static_address(buffer)
    >>> buffer._dynamo_static_input_type
    'unguarded'
    """
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t)}")
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"


def mark_static(t: Tensor, index: int | Iterable[int] | None = None) -> None:
    """Marks dimensions, all by default, as constant."""
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static expects a tensor/nn.Module class but received {type(t)}")
    mark(t, "_dynamo_static_indices", range(t.ndim) if index is None else index)


def mark_dynamic(
    t: Tensor,
    index: int | Iterable[int],
    *,
    hint_override: int | None = None,
    min: int | None = None,
    max: int | None = None,
    specialize_on: list | None = None,
) -> None:
    """Marks dimensions as varying between calls: a compiled function that gets the tensor may have 64 programs.

    The other arguments tune a capture, and have no effect.
    """
    mark(t, VARYING_MARKS[0], index)


def maybe_mark_dynamic(t: Tensor, index: int | Iterable[int]) -> None:
    """Marks dimensions as possibly varying between calls, with the same effect."""
    mark(t, VARYING_MARKS[1], index)


def mark(t: Tensor, name: str, index: int | Iterable[int]) -> None:
    marked = {index} if isinstance(index, int) else set(index)
    setattr(t, name, getattr(t, name, set()) | marked)
    t._has_dynamo_dim_marking = True
