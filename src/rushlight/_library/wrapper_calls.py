"""`__torch_dispatch__`: calls of operators on wrappers, tensors whose class computes them, and calls that modes see.

A wrapper's raw array is a `WrapperArray`, which has no elements. Calls with one come to the general path, where the
level below all transforms takes them: it gives the class the operator of aten, with nothing recorded inside, and the
call records its result as any other does. Its node keeps tensors instead of arrays, and computes gradients with
operators, which the class gets in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rushlight._library.calls import overload_of
from rushlight._library.first_wrapper import disabled
from rushlight._library.overloads import OpOverload, find_packet
from rushlight._library.own_operators import own_overload, refuse_settings
from rushlight._library.wrapper_parts import PARTS
from rushlight.arrays import meta
from rushlight.autograd.saved_values import stale_error
from rushlight.core.device import BACKENDS, CPU, Backend
from rushlight.core.graph import node_of
from rushlight.core.history import check_history
from rushlight.core.modes import MODE, Modes, change, current
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor, alias
from rushlight.core.traced import CLASSES, ENTERED, WrapperArray
from rushlight.dispatch.interpreter import Call, mark_view
from rushlight.dispatch.override import ABSENT, insert_before_bases, written
from rushlight.dispatch.traced_call import TracedCall

# Functions written by hand whose calls a class gets: those that make a tensor like another one.
OFFERED = frozenset(
    "detach zeros_like ones_like empty_like full_like rand_like randn_like randint_like new_empty new_zeros new_ones "
    "new_full new_empty_strided".split()
)
FILLED = (np.ones_like, np.zeros_like, np.empty_like)
# Functions with another name than their operator of aten.
RENAMED = {"_get_data": "detach", "detached": "detach", "zeroed_": "zero_"}


def dispatches(kind: type) -> bool:
    """Whether a class has a `__torch_dispatch__` of its own."""
    method = getattr(kind, "__torch_dispatch__", disabled)
    return method is not disabled and method is not None


def watch_calls() -> None:
    """Makes the general path look for wrappers from now on."""
    if not ENTERED:
        ENTERED.append(True)


# ---- finding wrappers


def owner_of(tensor: Tensor) -> Tensor:
    """Returns the wrapper whose array a saved tensor has; the tensor itself if it has no such array."""
    array: Any = tensor._array
    has_owner = type(array) is WrapperArray
    if not has_owner or type(tensor) is not Tensor:
        return tensor
    owner = array.owner()
    if owner is None:
        raise RuntimeError("the wrapper that this tensor shares its array with no longer exists")
    return owner


def with_owners(value: Any) -> Any:
    """Returns an argument as a class gets it, in lists and tuples too."""
    if isinstance(value, Tensor):
        return owner_of(value)
    return type(value)(map(with_owners, value)) if type(value) in (list, tuple) else value


def flat(values: Any) -> Iterator[Any]:
    for value in values:
        if type(value) in (list, tuple):
            yield from flat(value)
        else:
            yield value


def takers_of(args: tuple, kwargs: dict) -> list:
    """Returns the wrappers among the arguments, one of each class, subclasses before their bases."""
    takers: list = []
    for value in flat((*args, *kwargs.values())):
        if isinstance(value, Tensor) and type(value._array) is WrapperArray and dispatches(type(value)):
            insert_before_bases(takers, value)
    return takers


# ---- giving calls away


def handled(function: OpOverload, args: tuple, kwargs: dict, modes: Modes) -> Any:
    """Returns the result of the innermost mode, or of a class, for a call of an operator.

    Raises TypeError if all return NotImplemented.
    """
    types = tuple(map(type, takers_of(args, kwargs)))
    token = change(grad=False, dispatch_modes=modes.dispatch_modes[:-1])
    try:
        for handler in (*modes.dispatch_modes[-1:], *types):
            result = handler.__torch_dispatch__(function, types, args, kwargs)
            if result is not NotImplemented:
                return result
    finally:
        MODE.reset(token)
    listed = [f"  - mode object {mode}\n" for mode in modes.dispatch_modes[-1:]]
    listed += [f"  - tensor subclass {kind}\n" for kind in types]
    raise TypeError(
        f"Multiple dispatch failed for 'torch._ops.{function}'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:\n\n{''.join(listed)}\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def caller(modes: Modes) -> Callable[..., Any]:
    """Returns a function that gives an operator of aten, by its name there, to the innermost mode or to a class."""

    def call(name: str, *args: Any, **kwargs: Any) -> Any:
        packet, _, overload = name.partition(".")
        function = getattr(find_packet(f"aten::{packet}"), overload or "default")
        args = with_owners(args)
        if modes.dispatch_modes or takers_of(args, kwargs):
            return handled(function, args, kwargs, modes)
        token = change(grad=False)
        try:
            return function(*args, **kwargs)
        finally:
            MODE.reset(token)

    return call


def run(call: Call, modes: Modes) -> list:
    """Returns the tensors that a class or mode computes for a call: the `run` of the backend of wrappers."""
    parts = PARTS.get(call.op.name)
    result = NotImplemented if parts is None else parts(caller(modes), *call.values.values())
    if result is NotImplemented:
        args, kwargs = written(call.op, call.arguments, None)
        function, args, kwargs = overload_of(call.op.function, args, kwargs, False)
        if not isinstance(function, OpOverload):
            refuse_settings(call.op, call.values)
            function, args, kwargs = own_overload(call.op), tuple(call.values.values()), {}
        args = with_owners(args)
        result = handled(function, args, {name: with_owners(value) for name, value in kwargs.items()}, modes)
    results = list(result) if call.op.multi_output or len(call.op.results) > 1 else [result]
    if call.op.view:
        for each in results:
            if isinstance(each, Tensor) and each._base is not None:
                keep_view(call, each, modes)
    return results


def keep_view(call: Call, result: Tensor, modes: Modes) -> None:
    """Marks a view that a mode took where nothing is recorded as one that the program took."""
    result._creation = None
    rest = tuple([call.values[argument.name] for argument in call.op.arguments[1:]])
    mark_view(result, call.tensors[0], (call.op.function, rest), modes)


def offer(function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """Returns what a class or mode makes of a call of a function written by hand, or of one in place; else ABSENT."""
    name = getattr(function, "__name__", "")
    name = RENAMED.get(name, name)
    in_place = name.endswith("_") and not name.startswith("_")
    modes = current()
    if not (in_place or name in OFFERED) or not (modes.dispatch_modes or takers_of(args, kwargs)):
        return ABSENT
    if in_place and modes.grad and any([isinstance(x, Tensor) and x.requires_grad for x in flat(args)]):
        check_history(args[0], recorded=True)
        return ABSENT  # it computes a result with its history, and copies it: see `write`
    kwargs = dict(kwargs)
    wanted = kwargs.pop("requires_grad", False)  # no argument of an operator of aten
    if name in RENAMED.values():
        overload: Any = find_packet(f"aten::{name}").default
    else:
        overload, args, kwargs = overload_of(function, args, kwargs, in_place)
    if not isinstance(overload, OpOverload):
        return ABSENT
    args = with_owners(args)
    result = handled(overload, args, kwargs, modes)
    if in_place:
        args[0]._storage.written()
        return args[0]
    return result.requires_grad_() if wanted else result


def write(tensor: Tensor, source: Tensor, name: str) -> None:
    """Gives the class of a wrapper the copy of a result into it."""
    handled(find_packet("aten::copy_").default, with_owners((tensor, source)), {}, current())


def item(array: Any) -> Any:
    """Returns what the class of a wrapper says that its only element is."""
    if array.size != 1:
        raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
    return caller(current())("_local_scalar_dense", array.owner())


def filled(array: Any, function: Callable[..., Any], keywords: dict) -> Tensor:
    """Returns the tensor that a class makes like a wrapper. Raises TypeError for other functions of NumPy."""
    name = function.__name__
    if function not in FILLED or keywords.get("shape") is not None:
        raise TypeError(f"{name} would read the elements of a tensor whose class computes its operators")
    return caller(current())(name, array.owner())


def text(array: Any) -> str:
    """Returns how a wrapper prints whose class has no `__repr__`: without elements."""
    return f"{type(array.owner()).__name__}(..., size={tuple(array.shape)})"


def elements(array: WrapperArray) -> Any:
    """Raises RuntimeError: there are no elements that NumPy could have."""
    raise RuntimeError(".numpy() is not supported for tensor subclasses.")


# ---- recording


class Held:
    """A saved tensor of a node, and the version of its memory."""

    def __init__(self, tensor: Tensor, node: Any):
        self.storage = tensor._storage
        self.version = self.storage.version
        edge = tensor._edge
        if edge is None or node_of(edge) is not node:
            self.tensor = owner_of(tensor)
        elif type(tensor._array) is WrapperArray:
            self.tensor = owner_of(tensor).detach()  # without the node, which would refer to itself
        else:
            self.tensor = alias(tensor)

    def unpacked(self) -> Tensor:
        """Returns the tensor. Raises RuntimeError if it was written to since."""
        if self.storage.version != self.version:
            raise stale_error(self.tensor._array, self.tensor._edge, self.storage.version, self.version)
        return self.tensor


def kept(tensor: Tensor) -> Tensor:
    """Returns what a hook of the program has unpacked; a wrapper lives as long as its array, which backward uses."""
    array: Any = getattr(tensor, "_array", None)
    is_wrapper = type(array) is WrapperArray
    if is_wrapper:
        array.owner = lambda: tensor
    return tensor


class WrapperCall(TracedCall):
    """A call that a class or a mode computes."""

    def _fill(self, node: Any, tensors: list, modes: Modes) -> None:
        self.work = self.rounded = None
        self.arrays = {key: x._array if isinstance(x, Tensor) else x for key, x in self.values.items()}
        hooks: tuple[Any, Any] = (lambda tensor: Held(tensor, node)), Held.unpacked
        if modes.saved_hooks:
            pack, unpack = modes.saved_hooks[-1]
            hooks = (lambda tensor: pack(Held(tensor, node).tensor)), (lambda value: kept(unpack(value)))
        Call._fill(self, node, tensors, modes._replace(saved_hooks=(hooks,)))


class WrapperBackend(Backend):
    """What calls ask of the backend of wrappers; the device is the one that their class named."""

    def device_of(self, array: WrapperArray) -> Any:
        return array.place


def attach() -> None:
    """Makes the level of classes run calls; called when this module is imported."""
    backend = WrapperBackend(
        "traced", WrapperArray, xp, from_cpu=meta.to_cpu, to_cpu=elements, adopt=meta.adopt, place=CPU
    )
    backend.run = run
    BACKENDS.by_array[WrapperArray] = backend
    setattr(WrapperArray, "text", text)  # noqa: B010
    CLASSES.call_type, CLASSES.offer, CLASSES.write = WrapperCall, offer, write
    CLASSES.element, CLASSES.filled = item, filled


attach()
