"""`torch.compiler`: what programs ask of compiled functions, and the arguments of `torch.compile`.

The folder `capture` compiles; it is imported at the first call of a compiled function.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable
from functools import partial, wraps
from importlib import import_module
from typing import Any

import numpy as np

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
BACKENDS = ("inductor", "eager", "aot_eager", "cudagraphs", "openxla", "tvm")


REGISTERED: dict[str, Callable] = {}  # backends of the program, by name
DEBUGGERS = frozenset(("eager", "aot_eager"))  # left out of the list by PyTorch
OWN_OPTIONS = frozenset(("fuse", "kernels", "trial", "wait"))  # beside those of torch._inductor.config
DEFAULTS: dict[str, Any] = {"backend": "inductor"}
VARYING_LIMIT = 64  # programs of a function whose sizes vary, by `dynamic=True` or marks of tensors
VARYING_MARKS = ("_dynamo_dynamic_indices", "_dynamo_weak_dynamic_indices")


class FirstUse:
    """What is to be done when `torch.compile` is first used."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []
        self.is_over = False

    def then(self, do: Callable[[], None]) -> None:
        """Calls a function then; now, if that is over."""
        do() if self.is_over else self.waiting.append(do)

    def __call__(self) -> None:
        """Says that it is used."""
        self.is_over = True
        while self.waiting:
            self.waiting.pop()()


first_use = FirstUse()


def check(backend: Any, mode: str | None, options: dict[str, Any] | None, dynamic: bool | None = None) -> None:
    """Raises for arguments that `torch.compile` refuses."""
    if dynamic is not None and not isinstance(dynamic, bool):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    check_backend(backend)
    if options and backend in (None, "inductor"):
        check_options(options)


def check_backend(backend: Any) -> None:
    """Raises for the name of a backend that is not known."""
    if backend is not None and not callable(backend) and backend not in BACKENDS and backend not in REGISTERED:
        raise noted(
            import_module("rushlight._dynamo.exc").InvalidBackend(backend),
            f"The known names: {', '.join([*BACKENDS, *REGISTERED])}.",
        )


def check_options(options: dict[str, Any]) -> None:
    """Raises for options that are not known, or of another type than their default."""
    settings = import_module("rushlight._inductor.settings").SETTINGS
    for name, value in options.items():
        name = name.replace("-", "_")
        if name in OWN_OPTIONS:
            continue
        if name not in settings:
            raise RuntimeError(f"Unexpected optimization option {name}, known options are {list(settings)}")
        default = settings[name]
        if default is not None and not isinstance(value, type(default)) or type(default) is bool is not type(value):
            raise RuntimeError(
                f"Unexpected type of attr {name}, got {type(value).__name__} should be {type(default).__name__}"
            )


def set_default_backend(backend: str | Callable | None) -> None:
    """Sets the backend of functions that are compiled without one; None is "inductor".

    >>> import rushlight as torch
    >>> torch.compiler.set_default_backend("eager")
    >>> torch.compiler.get_default_backend()
    'eager'
    >>> torch.compiler.set_default_backend(None)
    """
    check_backend(backend)
    DEFAULTS["backend"] = backend or "inductor"


def get_default_backend() -> str | Callable:
    """Returns the backend of functions that are compiled without one."""
    return DEFAULTS["backend"]


def is_switched_off() -> bool:
    """Whether the environment switches compiling off."""
    return any([os.environ.get(name) == "1" for name in ("TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE")])


def captured(name: str) -> Any:
    """Returns a module of `capture`."""
    return import_module(f"rushlight.capture.{name}")


def is_loaded() -> bool:
    """Whether any function was compiled."""
    return "rushlight.capture.compiled" in sys.modules


def disable(fn: Callable | None = None, recursive: bool = True, *, reason: str | None = None) -> Callable:
    """Returns a function that is called as written, also inside a compiled one; without `fn`, a decorator."""
    if fn is None:
        return partial(disable, recursive=recursive, reason=reason)
    module = sys.modules.get("rushlight.nn.modules.compiled")
    if module is not None and isinstance(fn, module.Module):
        return module.OptimizedModule(fn, {"disable": True})
    if not callable(fn):
        raise AssertionError("fn must be callable")
    if isinstance(fn, type):
        return fn

    @wraps(fn)
    def aside(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    vars(aside).update(
        _torchdynamo_disable=True, _torchdynamo_disable_msg=reason, _torchdynamo_disable_recursive=recursive,
        _torchdynamo_orig_callable=fn,
    )  # fmt: skip
    return aside


def allow_in_graph(fn: Any) -> Any:
    """Marks a function, or a list of functions, that has no effects: a compiled function calls it without watching."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    ALLOWED.add(fn)
    return fn


def assume_constant_result(fn: Callable) -> Callable:
    """Marks a function whose result is the same at each call: it is not called in a replay."""
    CONSTANT.add(fn)
    fn._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return fn


ALLOWED: set = set()
CONSTANT: set = set()


def is_compiling() -> bool:
    """Whether a call of a compiled function is being watched."""
    return is_loaded() and bool(captured("compiled").WATCHING)


def is_dynamo_compiling() -> bool:
    """The same: nothing else captures."""
    return is_compiling()


def is_exporting() -> bool:
    """Returns False: no program is being exported."""
    return False


def reset() -> None:
    """Forgets all programs of compiled functions, and what was counted."""
    if is_loaded():
        for compiled in list(captured("compiled").COMPILED):
            compiled.reset()
        captured("report").reset()


def report() -> dict[str, int]:
    """Counts since the last `reset`: programs, runs that could not be replayed, programs made because an earlier one
    did not fit, replays, and calls that were watched.

    >>> import rushlight as torch
    >>> torch.compiler.reset()
    >>> double = torch.compile(lambda x: x * 2)
    >>> for _ in range(3):
    ...     y = double(torch.ones(2))
    >>> torch.compiler.report()
    {'graphs': 1, 'graph_breaks': 0, 'recompiles': 0, 'recorded': 1, 'replays': 2}
    """
    return captured("report").report()


def explain(f: Callable, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """Returns a function that calls `f` and says how it is compiled: programs, breaks with their lines, guards.

    >>> import rushlight as torch
    >>> print(torch.compiler.explain(lambda x: x * 2)(torch.ones(2)))  # doctest: +ELLIPSIS
    1 program, 0 breaks
    ...
    """
    explained = captured("explain").explained
    if extra_args or extra_kwargs:
        return explained(f, extra_args, extra_kwargs)
    return lambda *args, **kwargs: explained(f, args, kwargs)


def list_backends(exclude_tags: Iterable[str] | None = ("debug", "experimental")) -> list[str]:
    """Returns the names of backends; with empty `exclude_tags` also those for debugging."""
    return sorted([*REGISTERED, *[name for name in BACKENDS if not exclude_tags or name not in DEBUGGERS]])


class set_stance:
    """Sets how compiled functions behave: for the whole process, in a `with` block, or in a decorated function.

    "force_eager" runs them as written, "eager_on_recompile" runs them as written where no program fits, and
    "fail_on_recompile" raises RuntimeError there. `force_backend` is used in the place of the backend that functions
    ask for. Raises RuntimeError for other names, and for a backend with another stance than "default".

    >>> import rushlight as torch
    >>> with torch.compiler.set_stance("force_eager"):
    ...     y = torch.compile(lambda x: x + 1)(torch.zeros(1))
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        current = captured("stance")
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")
        if stance not in current.NAMES:
            raise RuntimeError(f"invalid torch.compile stance {stance!r}, expected one of {', '.join(current.NAMES)}")
        self.current = current.STANCE
        self.before = (self.current.name, self.current.backend)
        self.after = (stance, force_backend)
        self.set(self.after)

    def set(self, stance: tuple) -> None:
        """Sets the name and the backend."""
        self.current.name, self.current.backend = stance

    def __enter__(self) -> None:
        self.set(self.after)

    def __exit__(self, *error: Any) -> None:
        self.set(self.before)

    def __call__(self, fn: Callable) -> Callable:
        self.set(self.before)

        @wraps(fn)
        def staged(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.after[0], force_backend=self.after[1]):
                return fn(*args, **kwargs)

        return staged


def substitute_in_graph(
    original_fn: Callable, *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[Callable], Callable]:
    """Returns a decorator of a function that does what `original_fn` does, in Python. Here both run as they are.

    Raises TypeError if one is no function, or their parameters differ.
    """
    if not callable(original_fn) or isinstance(original_fn, type):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")

    def decorated(traceable: Callable) -> Callable:
        if not callable(traceable):
            raise TypeError(f"@substitute_in_graph(...) expects a function but got {type(traceable)!r}")
        if not skip_signature_check:
            first, second = [parameters(each) for each in (original_fn, traceable)]
            if are_unlike(first, second):
                raise TypeError(f"Signature mismatch between {original_fn} and {traceable}: {first} != {second}")

        @wraps(original_fn)
        def substituted(*args: Any, **kwargs: Any) -> Any:
            return original_fn(*args, **kwargs)

        return substituted

    return decorated


def parameters(function: Callable) -> inspect.Signature | None:
    """Returns the parameters of a function, None if they are not known."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def names_and_defaults(signature: inspect.Signature) -> tuple[list[str], set[str], dict[str, Any]]:
    """Returns the names of parameters by position, of the others, and all defaults, without `*args` and `**kwargs`.

    Whether a function of C takes a parameter only by position makes no difference.
    """
    named = [each for each in signature.parameters.values() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    others = {each.name for each in named if each.kind is each.KEYWORD_ONLY}
    defaults = {each.name: each.default for each in named}
    return [each.name for each in named if each.name not in others], others, defaults


def are_unlike(first: inspect.Signature | None, second: inspect.Signature | None) -> bool:
    """Whether both signatures are known and name parameters, and not the same."""
    if first is None or second is None:
        return False
    one, other = names_and_defaults(first), names_and_defaults(second)
    return bool(one[2] and other[2]) and one != other


def nested_compile_region(fn: Callable | None = None, **options: Any) -> Callable:
    """Marks a function that is captured once for all of its calls in PyTorch; here it is one like others."""
    return partial(nested_compile_region, **options) if fn is None else fn


def save_cache_artifacts() -> None:
    """Returns None: kernels are kept on disk, in the folder that `RUSHLIGHT_CACHE` names, and need no archive."""


def load_cache_artifacts(serialized_artifacts: bytes) -> None:
    """Returns None: there are no archives of kernels."""


def set_enable_guard_collectives(enabled: bool) -> bool:
    """Returns False, the setting before: there is one process."""
    return False


def cudagraph_mark_step_begin() -> None:
    """Marks the start of an iteration for CUDA graphs; there are none on the CPU."""


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries: list) -> list[bool]:
    """Returns True for each entry: no guard is left out here, whatever a program asks."""
    return [True for _ in guard_entries]


def keep_tensor_guards_unsafe(guard_entries: list, keep_parameters: bool = False) -> list[bool]:
    """Returns True for each entry: no guard is left out here, whatever a program asks."""
    return [True for _ in guard_entries]


skip_guard_on_all_nn_modules_unsafe = keep_portable_guards_unsafe = skip_guard_on_inbuilt_nn_modules_unsafe
skip_guard_on_globals_unsafe = skip_all_guards_unsafe = skip_guard_on_inbuilt_nn_modules_unsafe


def wrap_numpy(fn: Callable) -> Callable:
    """Returns a function of tensors for one of NumPy arrays.

    >>> import numpy as np
    >>> import rushlight as torch
    >>> torch.compiler.wrap_numpy(np.cumsum)(torch.ones(3))
    tensor([1., 2., 3.])
    """
    tree = import_module("rushlight.utils._pytree")
    tensors = import_module("rushlight.create.from_data")

    @wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree.tree_map_only(Tensor, lambda tensor: tensor.numpy(), (args, kwargs))
        return tree.tree_map_only(np.ndarray, tensors.from_numpy, fn(*args, **kwargs))

    return wrapped
