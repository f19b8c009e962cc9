"""`torch.utils.checkpoint`: frees what a function saves for backward, and recomputes it in backward.

Without reentrance (`use_reentrant=False`), saved-tensor hooks do this:

    forward      a saved tensor ──pack──▶ Holder(number)      the tensor is freed
    backward     Holder(number) ──unpack──▶ a tensor          saved as `number` when the function runs again

The recomputation may stop once every saved tensor is available. There is one recomputation per backward and frame, and
each value is returned once, so that its memory is freed after use. With reentrance, the whole function is one node,
whose backward runs the function in grad mode and then its own backward.
https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import Any

from rushlight.autograd.function import Function
from rushlight.autograd.function_node import Kept
from rushlight.autograd.grad_mode import enable_grad
from rushlight.autograd.gradients import backward
from rushlight.autograd.graph import saved_tensors_hooks
from rushlight.autograd.nesting import NESTING
from rushlight.autograd.saved_hooks import StopRecomputation
from rushlight.core.autocast import Autocast, Casts
from rushlight.core.device import BACKENDS, device
from rushlight.core.generator import generator_on
from rushlight.core.modes import change, current
from rushlight.core.origin import PACKAGE, call_site
from rushlight.core.tensor import Tensor
from rushlight.dispatch import autocast
from rushlight.random import fork_rng, generators_of_gpus, states_of_generators
from rushlight.utils._selective_checkpoint import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)

__all__ = [
    "SAC_IGNORED_OPS", "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "GraphExecGroup",
    "SelectiveCheckpointContext", "check_backward_validity", "checkpoint", "checkpoint_sequential",
    "create_selective_checkpoint_contexts", "detach_variable", "get_device_states", "noop_context_fn",
    "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states",
]  # fmt: skip

# The settings of the contexts below; None: the arguments of the call decide.
EARLY_STOP: ContextVar[bool | None] = ContextVar("rushlight.checkpoint.early_stop", default=None)
DEBUG: ContextVar[bool | None] = ContextVar("rushlight.checkpoint.debug", default=None)
GROUP: ContextVar[GraphExecGroup | None] = ContextVar("rushlight.checkpoint.group", default=None)

RECOMMENDATION = (
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, you can pass "
    "use_reentrant=True. Refer to docs for more details on the differences between the two variants."
)


class CheckpointError(RuntimeError):
    """The function behaved differently when it was recomputed."""

    __module__ = "torch.utils.checkpoint"


def noop_context_fn() -> tuple:
    """Returns two contexts that do nothing: the default `context_fn`."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Runs `function(*args, **kwargs)` without storing what it saves for backward, and recomputes it in backward.

    With the keyword `preserve_rng_state=False` the second run draws other random numbers. `context_fn` returns two
    contexts, for the first and the second run. Raises CheckpointError in backward if the second run saves other tensors
    than the first.

    >>> import rushlight as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> torch.utils.checkpoint.checkpoint(lambda x: x.exp() * x, x, use_reentrant=False).backward()
    >>> x.grad
    tensor(22.1672)
    """
    if use_reentrant is None:
        _warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch "
            f"2.9, calling checkpoint without use_reentrant will raise an exception. {RECOMMENDATION}"
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        _refuse_keywords(kwargs)
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    frame, contexts = _frame(function, kwargs, preserve, context_fn, determinism_check, debug, early_stop)
    if not current().grad:
        return function(*args, **kwargs)
    frame.save_inputs(args)
    with saved_tensors_hooks(frame.pack, frame.unpack), contexts[0]:
        result = function(*args, **kwargs)
        frame.forward_completed = True
        return result
    raise RuntimeError(
        "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during the "
        "checkpointed forward. This is not supported because checkpoint cannot return a value for a failed forward."
    )


def _frame(function, keywords: dict, preserve: bool, context_fn, check: str, debug: bool, early_stop: bool) -> tuple:
    """Returns the frame of a call, and the contexts of its two runs."""
    if check not in METADATA:
        raise ValueError(f"determinism_check should be one of {list(METADATA)}, but got {check}")
    logs = None
    if debug if DEBUG.get() is None else DEBUG.get():
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        logs = OperationLog(), OperationLog()
    contexts = logs or context_fn()
    state = states_of_generators() if preserve else None
    again = partial(_run_again, function, keywords, contexts[1], state, _lasting(autocast.state()))
    stops = EARLY_STOP.get()
    return Frame(again, early_stop if stops is None else stops, METADATA[check], logs), contexts


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Runs functions one after the other, in `segments` parts; all but the last are checkpointed.

    `functions` is a list, or a Sequential.
    """
    if use_reentrant is None:
        _warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. "
            f"In version 2.9 we will raise an exception if use_reentrant is not passed. {RECOMMENDATION}"
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    _refuse_keywords(kwargs)
    functions = list(functions.children() if hasattr(functions, "children") else functions)
    size, done = len(functions) // segments, 0
    for done in range(size, size * segments, size):
        part = partial(_run_all, functions[done - size : done])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _run_all(functions[done:], input)


def _run_all(functions, input):
    for function in functions:
        input = function(input)
    return input


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def _refuse_keywords(keywords: dict) -> None:
    if keywords:
        raise ValueError(f"Unexpected keyword arguments: {','.join(keywords)}")


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Overrides `early_stop` of the checkpoints made inside: whether recomputation stops as soon as possible."""
    token = EARLY_STOP.set(enable)
    try:
        yield
    finally:
        EARLY_STOP.reset(token)


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Overrides `debug` of the checkpoints made inside unless None: whether errors list the operations."""
    token = DEBUG.set(enabled)
    try:
        yield
    finally:
        DEBUG.reset(token)


class GraphExecGroup:
    """Backward passes in this block recompute each checkpoint once, not once per pass.

    The passes must not need the same saved values.
    """

    __module__ = "torch.utils.checkpoint"

    def __enter__(self):
        if GROUP.get() is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {GROUP.get()}")
        GROUP.set(self)
        return self

    def __exit__(self, *exception: Any) -> None:
        GROUP.set(None)


# ---- without reentrance


def _metadata_of(tensor: Tensor) -> dict:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


# Properties that must be equal in both runs, by the name of the check.
METADATA = {"default": _metadata_of, "none": lambda tensor: None}


class Holder:
    """The placeholder of a saved tensor in the graph; `number` counts the tensors that the function saved."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int):
        self.number = number


class Recomputation:
    """The tensors saved by one recomputation: their number, and those not yet returned."""

    def __init__(self):
        self.count = 0
        self.values: dict[int, Tensor] = {}


class Frame:
    """One checkpointed call: its inputs, and the recomputation of what it saved."""

    def __init__(self, run_again: Callable, early_stop: bool, metadata_of: Callable, logs):
        self.run_again = run_again
        self.early_stop = early_stop
        self.metadata_of = metadata_of
        self.logs = logs
        self.arguments: list = []
        self.holders: list[weakref.ref] = []
        self.metadata: list = []
        self.recomputations: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # by backward pass
        self.forward_completed = False
        self.ignores_mismatch = False

    def save_inputs(self, arguments: tuple) -> None:
        """Saves the arguments as a node does: in-place changes are detected, and outer checkpoints free them."""
        hooks = current().saved_hooks
        self.arguments = [
            Kept(argument, None, hooks) if isinstance(argument, Tensor) else argument for argument in arguments
        ]

    def pack(self, tensor: Tensor) -> Holder:
        """Registers a saved tensor, without keeping it."""
        holder = Holder(len(self.holders))
        self.holders.append(weakref.ref(holder))
        self.metadata.append(self.metadata_of(tensor))
        return holder

    def unpack(self, holder: Holder) -> Tensor:
        """Returns the tensor again. Raises CheckpointError if the second run behaved differently."""
        try:
            return self._given_out(self._recomputed(), holder.number)
        except CheckpointError as error:
            if self.logs is None:
                raise
            raise _with_logs(*self.logs) from error

    def _given_out(self, recomputation: Recomputation, number: int) -> Tensor:
        if number not in recomputation.values:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If "
                "you are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open "
                "an issue with details on your use case."
            )
        return recomputation.values.pop(number)

    def _recomputed(self) -> Recomputation:
        """Returns the recomputation of this backward pass; outside of a pass, a new one each time."""
        owner = GROUP.get() or (NESTING.tasks[-1] if NESTING.tasks else None)
        if owner is None:
            return self._recompute()
        if owner not in self.recomputations:
            self.recomputations[owner] = self._recompute()
        return self.recomputations[owner]

    def _recompute(self) -> Recomputation:
        recomputation = Recomputation()
        arguments = [argument.restored(None) if isinstance(argument, Kept) else argument for argument in self.arguments]
        try:
            with saved_tensors_hooks(partial(self._keep, recomputation), _unchanged), enable_grad():
                self.run_again(arguments)
        except StopRecomputation:
            pass
        if not self.ignores_mismatch:
            self._compare(recomputation)
        return recomputation

    def _keep(self, recomputation: Recomputation, tensor: Tensor) -> Tensor:
        """Saves a tensor in the second run, for the graph of the first."""
        tensor = tensor.detach() if tensor.requires_grad else tensor
        number = recomputation.count
        recomputation.count += 1
        if number >= len(self.holders):
            if self.forward_completed:
                raise _with_tip(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                    "forward pass."
                )
            # A backward inside the function needs a tensor before the first run has finished.
            self.ignores_mismatch = True
            return tensor
        if self.holders[number]() is not None:
            recomputation.values[number] = tensor
        if self.early_stop and recomputation.count == len(self.holders):
            raise StopRecomputation
        return tensor

    def _compare(self, recomputation: Recomputation) -> None:
        if recomputation.count != len(self.holders):
            raise _with_tip(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.holders)}\nNumber of tensors "
                f"saved during recomputation: {recomputation.count}."
            )
        different = ""
        for number, value in recomputation.values.items():
            saved, again = self.metadata[number], self.metadata_of(value)
            if saved != again:
                different += f"tensor at position {number}:\nsaved metadata: {saved}\nrecomputed metadata: {again}\n"
        if different:
            raise _with_tip(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{different}."
            )


def _unchanged(tensor: Tensor) -> Tensor:
    return tensor


def _run_again(function: Callable, keywords: dict, context, state, region: Autocast, arguments: list) -> None:
    """Runs the function again, with the autocast state of the first run, and its random state if that was preserved."""
    with fork_rng(range(len(generators_of_gpus())), enabled=state is not None), _under(region):
        for generator, drawn in state or ():
            generator.set_state(drawn)
        with context:
            function(*arguments, **keywords)


def _lasting(region: Autocast) -> Autocast:
    """Returns the part of an autocast region to store: its casts of weights would live as long as the graph."""
    return region if region.casts is None else region._replace(casts=Casts())


@contextmanager
def _under(region: Autocast) -> Iterator[None]:
    outside = autocast.state()
    autocast.set_state(_lasting(region))
    try:
        yield
    finally:
        autocast.set_state(outside)


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """Returns the GPUs of tensor arguments, and the state of the generator of each.

    >>> get_device_states("no tensor")
    ([], [])
    """
    devices = [arg.get_device() for arg in args if isinstance(arg, Tensor) and arg.is_cuda]
    return devices, [generator_on(device("cuda", index)).get_state() for index in devices]


def set_device_states(devices: Iterable[int], states: Iterable[Tensor], *, device_type: str | None = None) -> None:
    """Sets the generators of devices to states from `get_device_states`; by default of GPUs."""
    name = "cuda" if device_type is None else device_type
    for number, state in zip(devices, states, strict=False) if name != "meta" else ():
        BACKENDS.on(device(name, number))  # raises if there is none
        generator_on(device(name, number)).set_state(state)


def _with_tip(message: str) -> CheckpointError:
    error = CheckpointError(message)
    error.add_note(
        "Both runs of the function must do the same. Look for code that depends on a global variable, a counter, the "
        "grad mode or other random numbers. checkpoint(..., debug=True) lists the operations of both runs."
    )
    return error


class OperationLog:
    """A context that records every operation inside, with the user's lines that led to it."""

    def __init__(self):
        self.operations: list[str] = []
        self.traces: list[str] = []

    def __enter__(self):
        change(function_modes=(*current().function_modes, self))

    def __exit__(self, *exception):
        change(function_modes=tuple(mode for mode in current().function_modes if mode is not self))

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        result = function(*arguments, **(keywords or {}))
        self.operations.append(f"{function.__name__}({', '.join(map(_shown, arguments))}) -> {_shown(result)}")
        self.traces.append("".join(line for line in call_site() if PACKAGE not in line))
        return result


def _shown(value) -> str:
    if not isinstance(value, Tensor):
        return repr(value)
    return f"{value.dtype.name}{list(value.shape)}"


def _with_logs(first: OperationLog, second: OperationLog) -> CheckpointError:
    parts = [
        "An error happened while unpacking tensors; dumping logs of latest computation\nbecause you passed "
        "`debug=True` to `torch.utils.checkpoint.checkpoint()`."
    ]
    for log, words in ((first, "the original forward"), (second, "the recomputation")):
        lines = (f"{operation}\n{trace}" for operation, trace in zip(log.operations, log.traces, strict=True))
        parts.append(f"Operations of {words}, and where they were called:\n\n" + "\n".join(lines))
    for log, words in ((first, "the original forward"), (second, "the recomputation")):
        parts.append(f"Operations of {words}, in order:\n\n" + "\n".join(log.operations))
    return CheckpointError("\n\n".join(parts))


# ---- with reentrance


def check_backward_validity(inputs: Any) -> None:
    """Warns if no input requires grad: with reentrance, weights inside then get no gradient either."""
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def detach_variable(inputs: tuple) -> tuple:
    """Returns the inputs as leaves on the same memory that require grad if the inputs do."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(x.detach()._require_grad(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs)


class CheckpointFunction(Function):
    """The whole function as one node, whose backward runs it again and then its backward."""

    __module__ = "torch.utils.checkpoint"

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state, *args: Any):
        """Runs the function without recording."""
        check_backward_validity(args)
        state = states_of_generators() if preserve_rng_state else None
        ctx.again = partial(_backward_again, run_function, state, _lasting(autocast.state()))
        ctx.arguments = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.save_for_backward(*(arg for arg in args if isinstance(arg, Tensor)))
        ctx.positions = [position for position, arg in enumerate(args) if isinstance(arg, Tensor)]
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *gradients):
        """Returns the gradients of the inputs; those of the weights inside are accumulated."""
        if any(task.targets is not None for task in NESTING.tasks):
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        arguments = list(ctx.arguments)
        for position, tensor in zip(ctx.positions, ctx.saved_tensors, strict=True):
            arguments[position] = tensor
        inputs = detach_variable(tuple(arguments))
        ctx.again(inputs, gradients)
        return (None, None, *(x.grad if isinstance(x, Tensor) else None for x in inputs))


def _backward_again(function: Callable, state, region: Autocast, inputs: tuple, gradients: tuple) -> None:
    results = []

    def run(*arguments):
        results.append(function(*arguments))

    with enable_grad():
        _run_again(run, {}, nullcontext(), state, region, list(inputs))
    outputs = results[0] if isinstance(results[0], tuple) else (results[0],)
    pairs = [
        (output, gradient)
        for output, gradient in zip(outputs, gradients, strict=True)
        if isinstance(output, Tensor) and output.requires_grad
    ]
    if not pairs:
        raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
    tracked, weights = zip(*pairs, strict=True)
    backward(list(tracked), list(weights))
