"""Devices: their names, the default one for new tensors, and the device of a raw array."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from threading import local
from typing import Any, Self

import numpy as np

from rushlight.core.errors import noted, type_name
from rushlight.core.lazy_conj_neg import beneath, plain
from rushlight.core.read_only import ReadOnly, set_attribute

KINDS = ("cpu", "cuda", "meta")
# Device types that PyTorch accepts and no rushlight tensor can be on.
FOREIGN_KINDS = (
    "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan", "mps",
    "hpu", "mtia", "privateuseone",
)  # fmt: skip
PATTERN = re.compile(r"([a-z_]+)(?::(0|[1-9][0-9]*))?\Z")


class device(ReadOnly):
    """A device: `device("cpu")`, `device("cuda", 0)`, `device("meta")`; also a context that makes it the default.

    Raises RuntimeError for a name that PyTorch does not accept.

    >>> device("cuda:1").index, device("cpu") == device("cpu")
    (1, True)
    """

    __slots__ = ("_tokens", "index", "type")
    _tokens: Any
    type: str
    index: int | None
    __module__ = "torch"

    def __init__(self, type: device | str | int, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index  # type: ignore[assignment]
        elif isinstance(type, int):
            type, index = "cuda", type  # type: ignore[assignment]
        elif not isinstance(type, str):
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({type_name(type)}), but expected one of:"
            )
        else:
            type, index = _parsed(type, index)
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        set_attribute(self, "type", type)
        set_attribute(self, "index", index)
        set_attribute(self, "_tokens", None)

    def __repr__(self) -> str:
        number = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{number})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self):
        return (as_device, (str(self),))

    def __enter__(self) -> Self:
        self._set(_tokens=(set_default(self), self._tokens))
        return self

    def __exit__(self, *exception: object) -> None:
        token, before = self._tokens
        self._set(_tokens=before)
        DEFAULT.reset(token)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def on_device(*arguments, **keywords):
            with device(self):
                return function(*arguments, **keywords)

        return on_device


def _parsed(text: str, index: int | None) -> tuple[str, int | None]:
    match = PATTERN.match(text)
    if match is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    kind, number = match.groups()
    if kind not in KINDS and kind not in FOREIGN_KINDS:
        known = ", ".join(FOREIGN_KINDS).replace("mps,", "mps, meta,")
        raise RuntimeError(f"Expected one of cpu, cuda, {known} device type at start of device string: {kind}")
    if number is not None and index is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
    return kind, int(number) if number is not None else index


CPU = device("cpu")
META = device("meta")
DEFAULT: ContextVar[device] = ContextVar("rushlight.default_device", default=CPU)
ELSEWHERE: list[device] = []  # has an item as soon as new tensors were to be on another device than the CPU


def set_default(place: device) -> Token:
    """Sets the device of new tensors."""
    if place != CPU and not ELSEWHERE:
        ELSEWHERE.append(place)
    return DEFAULT.set(place)


class Backend:
    """What a device provides: its raw array type, an array language, and copies to and from the CPU.

    `adopt` converts the result of a kernel to a raw array of the backend, without copying.
    """

    has_strides = False  # whether its arrays are laid out in memory as NumPy's are; those of the CPU are NumPy's

    def __init__(self, kind: str, array_type: type, language, *, from_cpu, to_cpu, adopt, place: device):
        self.kind = kind
        self.array_type = array_type
        self.language = language
        self.from_cpu = from_cpu
        self.to_cpu = to_cpu
        self.adopt = adopt
        self.place = place

    generator_kind: Any = None  # the class of its generators
    generator: Any = None  # draws the random numbers of tensors on the device; None: the default generator does
    run: Callable[[Any, Any], list] | None = None  # computes a call and returns its tensors; None: nothing but that
    devices: Any = ()  # all devices of a type that has several
    formulas: Any = None  # our kernels for a GPU, where there are some
    memory: Any = None  # counts what is allocated, where the device has memory of its own

    def write(self, target, values) -> None:
        """Writes numbers of the CPU over the elements of an array."""
        target[...] = values

    def device_of(self, array) -> device:
        return self.place

    def formula(self, op) -> Callable[..., Any]:
        """Returns the function that computes an operator, of the array language and the operands."""
        return op.forward

    def at(self, index: int | None) -> Backend:
        """Returns the backend of one of several devices of this type, by default the current one."""
        return self


class Backends:
    """The registered backends, by device type and by raw array type."""

    def __init__(self):
        self.by_kind: dict[str, Backend] = {}
        self.by_array: dict[type, Backend] = {}

    def register(self, backend: Backend) -> None:
        self.by_kind[backend.kind] = backend
        self.by_array[backend.array_type] = backend

    def of(self, array) -> Backend:
        try:
            return self.by_array[type(array)]
        except KeyError:
            return self.by_array[type(beneath(array))]

    def on(self, place: device) -> Backend:
        backend = self.by_kind.get(place.type)
        if backend is None:
            raise _missing(place)
        return backend.at(place.index)


class Waits(local):
    """Called whenever the program waits for a device.

    Each thread has its own listeners, called with the kind of the wait; one may raise to refuse it: "item" reads a
    value, "copy" copies to the CPU, "send" to the device, "synchronize" is called in order to wait.
    """

    def __init__(self) -> None:
        self.listeners: list[Callable[[str], None]] = []
        self.silent = False  # during copies that do not wait
        self.queued = False  # during copies that the program has asked to be queued: `non_blocking=True`
        self.target: Callable[[Any], np.ndarray] | None = None  # makes what a queued copy to the CPU fills

    def begin(self, kind: str) -> None:
        """Says that the program waits now."""
        if self.listeners and not self.silent:
            for listener in [*self.listeners]:  # one may remove itself
                listener(kind)

    @contextmanager
    def without(self, queued: bool = False, target: Callable[[Any], np.ndarray] | None = None) -> Iterator[None]:
        """Copies in the block do not wait; the first one to the CPU fills what `target` makes for an array."""
        before = self.silent, self.queued, self.target
        self.silent, self.queued, self.target = True, queued, target
        try:
            yield
        finally:
            self.silent, self.queued, self.target = before


BACKENDS = Backends()
WAITS = Waits()
# The captures under way of work on GPUs, innermost last: see `torch.cuda.graph`. The last one is called for what is no
# operator, too: a write to memory, a draw, a step of an optimizer.
CAPTURING: list[Any] = []
FIRST_CUDA = device("cuda", 0)


def is_on_gpu(array) -> bool:
    """Whether a raw array is on a GPU, real or simulated."""
    return type(array) is not np.ndarray and getattr(BACKENDS.by_array.get(type(array)), "kind", "cpu") == "cuda"


def beside(array: np.ndarray, other):
    """Returns an array of the CPU where another raw array is, if that is on a GPU."""
    return BACKENDS.of(other).from_cpu(array, FIRST_CUDA) if is_on_gpu(other) else array


def moved(array, place: device, like=None):
    """Copies a raw array to a device. It is where the array `like` is, if its own class need not tell."""
    target = BACKENDS.on(place)
    if isinstance(array, np.generic):  # NumPy returns scalars for results without dimensions
        return target.from_cpu(np.asarray(array), place)
    source = BACKENDS.of(array if like is None else like)
    if source.devices and target.devices:
        return target.from_cpu(plain(array), place)  # from one GPU to another; the program does not wait
    copied = target.from_cpu(source.to_cpu(plain(array)), place)
    if CAPTURING and source.kind == "cpu" and target.kind == "cuda":
        CAPTURING[-1].moved(copied, array)
    return copied


def _missing(place: device) -> Exception:
    if place.type == "cuda":
        return noted(
            AssertionError("Torch not compiled with CUDA enabled"),
            "There is no GPU here. To learn or test device code without one, set RUSHLIGHT_SIMULATE_CUDA=1 or call "
            "rushlight.cuda.simulate(); to run on the CPU, leave the device out or write device='cpu'.",
        )
    return noted(NotImplementedError(f"rushlight has no '{place.type}' device."), "There are 'cpu', 'cuda' and 'meta'.")


def as_device(place) -> device:
    """Returns the device for a device, a string, an index, or None: the current default."""
    if place is None:
        return DEFAULT.get()
    if type(place) is str and place == "cpu":
        return CPU
    return place if type(place) is device else device(place)


def resolved(place) -> device:
    """Returns a device with its index, if the type has numbered devices."""
    place = as_device(place)
    if place.type != "cuda" or place.index is not None:
        return place
    backend = BACKENDS.by_kind.get("cuda")
    return FIRST_CUDA if backend is None else backend.at(None).place


def host(tensor) -> np.ndarray:
    """Returns the raw array of a tensor in the CPU's memory: the same if it is there already, else a copy."""
    array = tensor._array
    return array if type(array) is np.ndarray else BACKENDS.of(array).to_cpu(plain(array))
