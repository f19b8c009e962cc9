"""Autocast: casts the arguments of operators on the general path; the switches of a region.

Inside a region the mode is a `Modes` record, so fast paths pass their calls to the general path.
https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from rushlight.core.autocast import DEFAULTS, OFF, Autocast
from rushlight.core.device import as_device
from rushlight.core.dtype import dtype as Dtype
from rushlight.core.dtype import float32, float64
from rushlight.core.graph import Leaf
from rushlight.core.modes import MODE, change, current
from rushlight.core.tensor import Tensor
from rushlight.declarations.autocast import AS_GIVEN, CAST, LISTED, ON_CPU, ON_GPU, REFUSED_GPU, Lists
from rushlight.dispatch.message import type_name

UNSAFE = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\nMany models use a sigmoid "
    "layer right before the binary cross entropy layer.\nIn this case, combine the two layers using "
    "torch.nn.functional.binary_cross_entropy_with_logits\nor torch.nn.BCEWithLogitsLoss.  "
    "binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast."
)


def cast_arguments(op, arguments: tuple, modes) -> tuple:
    """Returns the arguments in the dtype that autocast uses for an operator."""
    state = modes.autocast
    if not state.enabled or op.name not in CAST:
        return arguments
    lists = lists_for(arguments)
    if lists is ON_GPU and op.name in REFUSED_GPU and "cuda" in state.enabled:
        raise RuntimeError(UNSAFE)
    return Cast(op.name, lists, state, modes).each(arguments) if op.name in lists else arguments


def lists_for(arguments: tuple) -> Lists:
    """Returns the lists for the device of the first tensor among arguments."""
    for value in arguments:
        first = value[0] if type(value) in (list, tuple) and value else value
        if isinstance(first, Tensor):
            return ON_GPU if first.is_cuda else ON_CPU
    return ON_CPU


class Cast:
    """Casts the tensors of one call: floating-point ones, except float64, on devices where autocast is on."""

    def __init__(self, name: str, lists: Lists, state: Autocast, modes):
        self.name, self.lists, self.state, self.modes = name, lists, state, modes
        self.dtype = float32

    def each(self, arguments: tuple) -> tuple:
        if self.name in self.lists.widest:
            dtypes = {value.dtype for value in arguments if self._is_eligible(value)}
            self.dtype = dtypes.pop() if len(dtypes) == 1 else float32
        return tuple(map(self._cast, arguments))

    def _is_eligible(self, value) -> bool:
        return (
            isinstance(value, Tensor)
            and value.dtype.is_floating_point
            and value.dtype is not float64
            and value.device.type in self.state.enabled
        )

    def _cast(self, value):
        if type(value) in (list, tuple):
            return type(value)(map(self._cast, value))
        if not self._is_eligible(value):
            return value
        if self.name not in self.lists.lower:
            return value.to(self.dtype)
        return self._lowered(value, self.state.dtype(value.device.type))

    def _lowered(self, tensor, dtype):
        """Casts a tensor to lower precision; a float32 leaf, probably a weight, once per region."""
        casts = self.state.casts
        is_weight = tensor.dtype is float32 and isinstance(tensor._edge, Leaf) and tensor._base is None
        if casts is None or not self.state.caching or not self.modes.grad or not is_weight:
            return tensor.to(dtype)
        cached, cast = casts.get((id(tensor), dtype), (None, None))
        if cached is None:
            cast = tensor.to(dtype)
            casts[id(tensor), dtype] = tensor, cast  # keeps the tensor alive, so that its id is not reused
        return cast


def autocasted(op, function, language, arguments: tuple, keywords: dict):
    """Runs a composite on cast arguments, without casts inside."""
    modes = current()
    if modes.autocast is None or not modes.autocast.enabled or op.name not in LISTED:
        return function(language, *arguments, **keywords)
    if op.name not in AS_GIVEN and op.name not in lists_for(arguments) and op.name not in REFUSED_GPU:
        return function(language, *arguments, **keywords)  # its parts are cast
    arguments = cast_arguments(op, arguments, modes)
    named = dict(zip(keywords, cast_arguments(op, tuple(keywords.values()), modes), strict=True))
    return uncast(function, language, *arguments, **named)


def uncast(function, *arguments, **keywords):
    """Calls a function without autocast, which does not apply to in-place calls and calls with `out=`."""
    if current().autocast is None:
        return function(*arguments, **keywords)
    token = change(autocast=None)
    try:
        return function(*arguments, **keywords)
    finally:
        MODE.reset(token)


# ---- switches


def state() -> Autocast:
    """Returns the current state."""
    return current().autocast or OFF


def set_state(changed: Autocast) -> None:
    """Sets the state; the default state is stored as None."""
    change(autocast=None if changed == OFF else changed)


def device_type_of(device_type, function: str) -> str:
    """Returns a device type that has autocast. Raises RuntimeError for another."""
    if not isinstance(device_type, str):
        raise TypeError(f"{function}(): argument 'device_type' (position 1) must be str, not {type_name(device_type)}")
    name = as_device(device_type).type
    if name not in DEFAULTS:
        raise RuntimeError("unsupported scalarType")
    return name


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Returns whether autocast is on for a device type, by default the GPU."""
    return device_type_of(device_type, "is_autocast_enabled") in state().enabled


def set_autocast_enabled(device_type, enabled=None) -> None:
    """Switches autocast on or off for a device type, by default the GPU."""
    if isinstance(device_type, bool) and enabled is None:
        device_type, enabled = "cuda", device_type
    if not isinstance(enabled, bool):
        wrong = device_type if enabled is None else enabled
        raise TypeError(f"set_autocast_enabled(): argument 'enabled' must be bool, not {type_name(wrong)}")
    set_state(state().with_enabled(device_type_of(device_type, "set_autocast_enabled"), enabled))


def get_autocast_dtype(device_type: str):
    """Returns the dtype of autocast on a device type."""
    return state().dtype(device_type_of(device_type, "get_autocast_dtype"))


def set_autocast_dtype(device_type: str, dtype) -> None:
    """Sets the dtype of autocast on a device type."""
    name = device_type_of(device_type, "set_autocast_dtype")
    if not isinstance(dtype, Dtype):
        raise TypeError(
            f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type_name(dtype)}"
        )
    set_state(state().with_dtype(name, dtype))


def is_autocast_cache_enabled() -> bool:
    """Returns whether autocast caches casts of weights until its region ends."""
    return state().caching


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets whether autocast caches casts of weights until its region ends."""
    set_state(state()._replace(caching=enabled))


def clear_autocast_cache() -> None:
    """Clears the cached casts of weights."""
    casts = state().casts
    if casts is not None:
        casts.clear()
