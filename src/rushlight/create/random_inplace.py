"""Methods that fill a tensor with random numbers: `uniform_`, `normal_`, `random_` and the like."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.arrays import mt19937
from rushlight.arrays.draws import draw_of, in_memory_order
from rushlight.arrays.elementwise import largest
from rushlight.core import dtype as dtypes
from rushlight.core.device import CPU, device, host
from rushlight.core.errors import noted
from rushlight.core.generator import Generator, default_generator, generator_on
from rushlight.core.modes import recording
from rushlight.core.numbers import python_number
from rushlight.core.policy import LARGE
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import ENTERED, STACK, BatchedArray, drawing_level
from rushlight.create.construction import from_draw
from rushlight.create.randomness import filling, filling_by
from rushlight.declarations.dtype_rules import unimplemented
from rushlight.declarations.shapes import as_int
from rushlight.dispatch import destination, inplace
from rushlight.dispatch.message import no_form, type_name
from rushlight.dispatch.methods import as_method

# PyTorch's names of the kernels, for the errors of dtypes that they do not support.
UNIFORM, NORMAL = "check_uniform_bounds", "normal_kernel_cpu"
FLOAT32 = dtypes.float32.numpy
NUMBERS = (int, float, np.number, np.bool_)


def stream_of(generator, place: device = CPU):
    """Returns the generator that draws for tensors on a device: the given one, or the device's own if it is None."""
    if generator is None:
        return default_generator if place is CPU else generator_on(place)
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type_name(generator)}")
    if place.type != generator.device.type and place.type != "meta":
        raise noted(
            RuntimeError(f"Expected a '{place.type}' device type for generator but found '{generator.device.type}'"),
            f"Make it where the tensor is: torch.Generator('{place.type}').",
        )
    return generator


def drawing(draw, generator, place: device = CPU):
    """Returns what draws numbers of a shape and a dtype from the generator of a call; `draw` is of `mt19937`."""
    stream = stream_of(generator, place)
    return partial(draw_of(stream, draw), stream)


def check_supported(kernel: str, dtype, categories: tuple = (dtypes.FLOAT, dtypes.COMPLEX)) -> None:
    """Raises if the kernel that PyTorch calls `kernel` does not support a dtype."""
    if dtype.category not in categories:
        raise unimplemented(kernel)(dtype)


def check_real(dtype) -> None:
    """Raises for a complex dtype, which has no order."""
    if dtype.category == dtypes.COMPLEX:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")


def real_number(name: str, argument: str, position: int, value) -> Any:
    """Returns an argument as a Python number. Raises TypeError if it is not a real one."""
    if type(value) is float or type(value) is int:
        return value
    if isinstance(value, Tensor) and not (value.dim() or value.is_complex() or value.requires_grad):
        return value.item()
    if not isinstance(value, NUMBERS) or isinstance(value, np.complexfloating):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be float, not {type_name(value)}")
    return python_number(value)


def _not_continuous(name: str, dtype_name: str) -> RuntimeError:
    """Returns the error for a continuous distribution in an integer tensor."""
    words = f"{name} distribution is a continuous probability distribution. dtype must be a floating point but you"
    return RuntimeError(f"{words} specified {dtype_name}")


def _filled(tensor: Tensor, generator, draw, *args, distribution: str, parameters: tuple = ()) -> Tensor:
    """Fills a tensor with the values of `draw(stream, shape, dtype, *args)`.

    Its history gets the distribution and `parameters`, the tensors among `args` that require grad.
    """
    if ENTERED and (level := drawing_level()) is not None:
        values = filling(level, tensor, lambda fresh: _filled(fresh, generator, draw, *args, distribution=distribution))
        return _replaced(tensor, values)
    on_cpu = type(tensor._array) is np.ndarray
    stream = default_generator if generator is None and on_cpu else stream_of(generator, tensor.device)
    if stream is not default_generator:
        draw = draw_of(stream, draw)
    array = destination.writable(tensor)
    if array is not None and array.size < LARGE and array.flags.c_contiguous and not parameters:
        array[...] = draw(stream, array.shape, array.dtype, *args)
        storage = tensor._store or tensor._storage
        storage.written()
        if NOTING:
            note_write(storage, 2, F.copy_values)
        return tensor
    if tensor.is_meta:
        return tensor
    array = tensor._array

    def fill():
        return in_memory_order(lambda shape, *args: draw(stream, shape, array.dtype, *args), array, *args)

    values = wrap(fill()) if on_cpu else from_draw(fill, tensor.device)
    if STACK.get() or not recording() or not (tensor.requires_grad or parameters):
        return _replaced(tensor, values)

    def drawn(tensor, values):
        return F.drawn([tensor, *parameters], values, distribution)

    return inplace.write(drawn, tensor, (values,), {})


def _replaced(tensor: Tensor, values: Tensor) -> Tensor:
    """Overwrites all elements."""
    if destination.ufunc_in_place(destination.copy_array, F.copy_values, destination.EASY, tensor, values):
        return tensor
    return inplace.write(F.copy_values, tensor, (values,), {})


def uniform_(self, from_=0.0, to=1.0, *, generator=None) -> Tensor:
    """Fills the tensor with uniform values in [from, to)."""
    if not type(from_) is type(to) is float:
        from_, to = real_number("uniform_", "from", 1, from_), real_number("uniform_", "to", 2, to)
    if self._array.dtype is not FLOAT32:
        check_supported(UNIFORM, self.dtype)
    if not -BOUND < from_ <= to < BOUND:
        _check_range(self.dtype, from_, to)
    return _filled(self, generator, mt19937.uniform, from_, to, distribution="uniform_")


BOUND = 1e4  # less than half of the range of every float dtype


def _check_range(dtype, low: float, high: float) -> None:
    """Raises RuntimeError if the bounds of a uniform distribution are out of the range of a dtype."""
    limit = largest(dtype.numpy)
    for name, bound in (("from", low), ("to", high)):
        if not -limit <= bound <= limit:
            raise RuntimeError(f"{name} is out of bounds for {dtypes.C_NAMES[dtype]}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > limit:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{dtypes.SCALAR_NAMES[dtype]}>::max(), but found "
            f"to={high:g} and from={low:g} which result in to-from to exceed the limit"
        )


def is_drawn_once(array) -> bool:
    """Whether the samples of a batch get one draw, which is made in memory of its own."""
    return type(array) is BatchedArray and array.level.randomness == "same"


def normal_(self, mean=0.0, std=1.0, *, generator=None) -> Tensor:
    """Fills the tensor with normal values."""
    if not type(mean) is type(std) is float:
        mean, std = real_number("normal_", "mean", 1, mean), real_number("normal_", "std", 2, std)
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    array = self._array
    if array.dtype is not FLOAT32:
        check_supported(NORMAL, self.dtype)
    in_turn = array.size >= 16 and not array.flags.c_contiguous and not is_drawn_once(array)
    return _filled(self, generator, mt19937.normal, mean, std, in_turn, distribution="normal_")


def random_(self, from_=..., to=..., *, generator=None) -> Tensor:
    """Fills the tensor with integers in [from, to), in [0, to) if one bound is given, or in the range of its dtype.

    >>> import rushlight as torch
    >>> torch.zeros(3).random_(4, 5)
    tensor([4., 4., 4.])
    """
    if from_ is ... and to is ...:
        check_supported("random_kernel_cpu", self.dtype, (dtypes.BOOL, dtypes.INTEGER, dtypes.FLOAT))
        return _filled(self, generator, mt19937.all_integers, distribution="random_")
    check_real(self.dtype)
    low, high = _limits(from_, to)
    requested = high
    if high is None:
        high = 2**63 if low == -(2**63) else mt19937.above_all(self._array.dtype)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    distribution = "random_ below" if to is ... else "random_ between"
    result = _filled(self, generator, mt19937.integers, low, high, distribution=distribution)
    _warn_of_precision(self.dtype, low, requested)
    return result


PRECISIONS = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}


def _warn_of_precision(dtype, low: int, high: int | None) -> None:
    """Warns if a floating dtype cannot represent all integers between the bounds."""
    digits = PRECISIONS.get(dtype)
    if digits is None:
        return
    for name, limit in (("from", low), ("to - 1", None if high is None else high - 1)):
        if limit is not None and not -(1 << digits) <= limit <= 1 << digits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{dtypes.C_NAMES.get(dtype, dtype.name)} can support discrete uniform distribution only within this "
                "range. This warning will become an error in version 1.7 release, please fix the code in advance",
                UserWarning,
                stacklevel=4,
            )


def _limits(from_, to) -> tuple[int, int | None]:
    """Returns the bounds of `random_`: one alone is the upper one. Raises TypeError if one is no integer."""
    bounds = [bound for bound in (from_, to) if bound is not ...]
    low, high = bounds if len(bounds) == 2 else (0, bounds[0])
    no_end = high is None and len(bounds) == 2
    try:
        return as_int("random_", "from", low), None if no_end else as_int("random_", "to", high)
    except TypeError:
        raise no_form("random_", bounds) from None


def bernoulli_(self, p=0.5, *, generator=None) -> Tensor:
    """Fills the tensor with ones, with the probability `p` (a number or a tensor that broadcasts), and zeros."""
    if isinstance(p, Tensor):
        if ENTERED and (level := drawing_level()) is not None:
            return _replaced(self, filling_by(level, self, p.detach(), partial(bernoulli_, generator=generator)))
        probabilities, parameters = host(F.expand(p.detach(), self.shape)), (p,) if p.requires_grad else ()
        draw = mt19937.bernoulli
        return _filled(self, generator, draw, probabilities, distribution="bernoulli_ each", parameters=parameters)
    p = real_number("bernoulli_", "p", 1, p)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    check_supported("bernoulli_scalar_cpu_", self.dtype, (dtypes.BOOL, dtypes.INTEGER, dtypes.FLOAT))
    return _filled(self, generator, mt19937.bernoulli, p, distribution="bernoulli_")


def exponential_(self, lambd=1, *, generator=None) -> Tensor:
    """Fills the tensor with exponential values of rate `lambd`."""
    lambd = real_number("exponential_", "lambd", 1, lambd)
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    if not self.is_floating_point():
        raise _not_continuous("Exponential", dtypes.SCALAR_NAMES[self.dtype])
    return _filled(self, generator, mt19937.exponential, lambd, distribution="exponential_")


def geometric_(self, p, *, generator=None) -> Tensor:
    """Fills the tensor with the number of trials until the first success of probability `p`."""
    p = real_number("geometric_", "p", 1, p)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    check_supported("geometric_cpu", self.dtype, (dtypes.INTEGER, dtypes.FLOAT))
    return _filled(self, generator, mt19937.geometric, p, distribution="geometric_")


def cauchy_(self, median=0, sigma=1, *, generator=None) -> Tensor:
    """Fills the tensor with Cauchy values."""
    median, sigma = real_number("cauchy_", "median", 1, median), real_number("cauchy_", "sigma", 2, sigma)
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    if not self.is_floating_point():
        raise _not_continuous("Cauchy", dtypes.C_NAMES.get(self.dtype, self.dtype.name))
    return _filled(self, generator, mt19937.cauchy, median, sigma, distribution="cauchy_")


def log_normal_(self, mean=1, std=2, *, generator=None) -> Tensor:
    """Fills the tensor with values whose logarithm is normal."""
    mean, std = real_number("log_normal_", "mean", 1, mean), real_number("log_normal_", "std", 2, std)
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    check_supported("log_normal_cpu", self.dtype, (dtypes.FLOAT,))
    return _filled(self, generator, mt19937.log_normal, mean, std, distribution="log_normal_")


METHODS = (
    as_method(uniform_), normal_, as_method(random_), bernoulli_, exponential_, geometric_, cauchy_, log_normal_,
)  # fmt: skip


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for function in METHODS:
        setattr(Tensor, function.__name__, function)
