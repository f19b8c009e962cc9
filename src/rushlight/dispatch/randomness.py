"""Random tensors: PyTorch's numbers from PyTorch's seed.

A draw takes its words from a generator, the default one unless another is given. The numbers themselves are made in
`arrays/mt19937`. https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.arrays import mt19937
from rushlight.arrays.draws import in_memory_order
from rushlight.arrays.elementwise import largest
from rushlight.arrays.room import LIMIT, check_room, refused
from rushlight.core import dtype as dtypes
from rushlight.core.convertible import is_whole
from rushlight.core.device import CPU, DEFAULT, as_device, host
from rushlight.core.dtype import DEFAULTS
from rushlight.core.formats import PRESERVE
from rushlight.core.generator import Generator, default_generator
from rushlight.core.numbers import python_number
from rushlight.core.shape_queries import STRIDED, check_layout
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.strides import laid_out_like, preserving
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.dtype_rules import unimplemented
from rushlight.declarations.promote import as_dtype
from rushlight.declarations.shapes import as_int, broadcast
from rushlight.dispatch import in_place_numbers, inplace
from rushlight.dispatch.create import check_tensor, empty, empty_like
from rushlight.dispatch.making import (
    check_made,
    kind_of,
    lengths,
    made,
    made_in,
    prepared,
    sequence_size,
    size_of,
)
from rushlight.dispatch.message import no_form, type_name
from rushlight.dispatch.methods import as_method
from rushlight.dispatch.out import prepare, ready

# What PyTorch calls the kernels, in the message for dtypes that they do not make.
UNIFORM, NORMAL = "check_uniform_bounds", "normal_kernel_cpu"
KERNELS = {mt19937.uniform: UNIFORM, mt19937.normal: NORMAL}

COUNT = 1 << 24  # numbers for which there is room without a second thought
INT64, FLOAT32 = dtypes.int64.numpy, dtypes.float32.numpy
NUMBERS = (int, float, np.number, np.bool_)
MOST_CATEGORIES = 2**24  # PyTorch counts them in float32


def _stream(generator):
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type_name(generator)}")
    return generator


def _check_kind(kernel: str, kind, categories: tuple = (dtypes.FLOAT, dtypes.COMPLEX)) -> None:
    """Raises for a dtype that a kernel, by PyTorch's name, was never written for."""
    if kind.category not in categories:
        raise unimplemented(kernel)(kind)


def _is_meta(device) -> bool:
    return as_device(device).type == "meta"


def rand(
    *sizes, size=None, generator=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False,
    pin_memory=False,
) -> Tensor:  # fmt: skip
    """Uniform numbers in [0, 1).

    >>> import rushlight as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(0))
    tensor([0.4963, 0.7682])
    """
    if layout is not STRIDED:
        check_layout("rand", layout)
    return _drawn("rand", mt19937.uniform, size_of("rand", sizes, size), generator, out, dtype, device, requires_grad)


def randn(
    *sizes, size=None, generator=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False,
    pin_memory=False,
) -> Tensor:  # fmt: skip
    """Normal numbers of mean 0 and variance 1.

    >>> import rushlight as torch
    >>> torch.randn(2, generator=torch.Generator().manual_seed(0))
    tensor([ 1.5410, -0.2934])
    """
    if layout is not STRIDED:
        check_layout("randn", layout)
    return _drawn("randn", mt19937.normal, size_of("randn", sizes, size), generator, out, dtype, device, requires_grad)


def _drawn(name, draw, size, generator, out, dtype, device, requires_grad) -> Tensor:
    if dtype is None and device is None and out is None and not requires_grad and DEFAULT.get() is CPU:
        stream = default_generator if generator is None else _stream(generator)
        try:
            return wrap(draw(stream, size, DEFAULTS.floating.numpy))
        except (MemoryError, ValueError) as error:
            raise refused(error, size, DEFAULTS.floating.numpy.itemsize) from None
    check_made(name, requires_grad, out)
    kind = kind_of(name, dtype, out, DEFAULTS.floating)
    _check_kind(KERNELS[draw], kind)
    if out is not None:
        fill = uniform_ if draw is mt19937.uniform else normal_
        return _drawn_into(out, name, size, device, requires_grad, fill, generator=generator)
    place = as_device(device)
    if place.type == "meta":
        return empty(size, dtype=kind, device=place, requires_grad=requires_grad)
    check_room(size, kind.itemsize)
    array = draw(_stream(generator), size, kind.numpy)
    if place.type == "cpu" and not requires_grad:
        return wrap(array)
    return made(array, device=place, requires_grad=requires_grad)


def _drawn_into(out, name, size, device, requires_grad, fill, *given, generator) -> Tensor:
    """`out` in a size, filled by a method: in the order of its memory."""
    prepared(name, out, size, device)
    fill(out, *given, generator=generator)
    return out.requires_grad_() if requires_grad else out


def randint(
    low=0,
    high=None,
    size=None,
    *,
    generator=None,
    out=None,
    dtype=None,
    layout=STRIDED,
    device=None,
    requires_grad=False,
    pin_memory=False,
) -> Tensor:
    """Whole numbers from `low` (0 if only one bound is given) up to `high`, which is left out.

    >>> import rushlight as torch
    >>> torch.randint(10, (3,), generator=torch.Generator().manual_seed(0))
    tensor([4, 9, 3])
    """
    if layout is not STRIDED:
        check_layout("randint", layout)
    if size is high is None:
        raise no_form("randint", (low,))
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    elif not (is_whole(low) and is_whole(high) and _is_size(size)):
        raise no_form("randint", (low, high, size))
    size = lengths("randint", sequence_size("randint", size, " (position 2)"))
    low, high = _bounds("randint", low, high)
    check_room(size, INT64.itemsize)
    if dtype is None and device is None and out is None and not requires_grad and DEFAULT.get() is CPU:
        return wrap(mt19937.integers(_stream(generator), size, INT64, low, high))
    kind = kind_of("randint", dtype, out, dtypes.int64)
    _check_real(kind)
    if out is not None:
        return _drawn_into(out, "randint", size, device, requires_grad, random_, low, high, generator=generator)
    array = mt19937.integers(_stream(generator), size, kind.numpy, low, high)
    return made(array, device=device, requires_grad=requires_grad)


def _check_real(kind) -> None:
    """Raises for a complex dtype, which has no numbers between bounds."""
    if kind.category == dtypes.COMPLEX:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")


def _bounds(name: str, low, high) -> tuple[int, int]:
    """The limits of whole numbers to draw. Raises RuntimeError where there is none between them."""
    low, high = _bound(name, low), _bound(name, high)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return low, high


def _is_size(value) -> bool:
    if not isinstance(value, (tuple, list)):
        return False
    for each in value:
        if type(each) is not int and not is_whole(each):
            return False
    return True


def _bound(name: str, value) -> int:
    if type(value) is int:
        if not -LIMIT <= value < LIMIT:
            raise ValueError("Overflow when unpacking long long")
        return value
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}(): argument 'high' (position 1) must be int, not {type_name(value)}")
    return int(value)


def randperm(
    n, *, generator=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """The numbers from 0 to n - 1 in random order."""
    if layout is not STRIDED:
        check_layout("randperm", layout)
    if type(n) is int and COUNT < n < LIMIT:
        check_room((n,), INT64.itemsize)
    if (
        dtype is device is out is None
        and type(n) is int
        and 0 <= n < LIMIT
        and not requires_grad
        and DEFAULT.get() is CPU
    ):
        return wrap(mt19937.permutation(_stream(generator), n, INT64))
    (n,) = lengths("randperm", (as_int("randperm", "n", n, " (position 1)"),))
    kind = kind_of("randperm", dtype, out, dtypes.int64)
    if not _is_meta(device):
        _check_kind("randperm", kind, (dtypes.INTEGER, dtypes.FLOAT))
        _check_numbered(n, kind)
    array = mt19937.permutation(_stream(generator), n, kind.numpy)
    return made_in("randperm", array, out=out, device=device, requires_grad=requires_grad)


MOST_NUMBERED = {
    dtypes.float16: (2**11 + 1, "2049"), dtypes.float32: (2**24 + 1, "2^24+1"), dtypes.float64: (2**53 + 1, "2^53+1"),
}  # fmt: skip


def _check_numbered(n: int, kind) -> None:
    """Raises RuntimeError for a dtype that cannot hold all numbers below n."""
    most, words = MOST_NUMBERED.get(kind, (n, ""))
    if n > most:
        raise RuntimeError(f"n cannot be greater than {words} for {dtypes.SCALAR_NAMES[kind]} type.")
    if kind.category == dtypes.INTEGER and n - 1 > np.iinfo(kind.numpy).max:
        raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow")


def _like(function, draw, kernel: str):
    def of_input(
        input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
        memory_format=None,
    ):  # fmt: skip
        if layout is not None:
            check_layout(of_input.__name__, layout)
        check_tensor(of_input.__name__, input)
        array = input._array
        if dtype is None is device is memory_format and type(array) is np.ndarray and not requires_grad:
            if (kind := array.dtype) is not FLOAT32:
                _check_kind(kernel, input.dtype)
            return wrap(preserving(draw(input, _stream(generator), kind), array))
        place = input.device if device is None else device
        kind = as_dtype(of_input.__name__, dtype) or input.dtype
        if _is_meta(place):
            return empty(input.shape, dtype=kind, device=place, requires_grad=requires_grad)
        _check_kind(kernel, kind)
        input = _in_format(input, memory_format)
        array = preserving(draw(input, _stream(generator), kind.numpy), host(input))
        return made(array, device=place, requires_grad=requires_grad)

    of_input.__name__ = of_input.__qualname__ = f"{function.__name__}_like"
    of_input.__doc__ = f"`{function.__name__}` in the shape and dtype and on the device of `input`."
    return of_input


def _in_format(input, memory_format):
    """What lies as the numbers are to lie: `input` itself, unless another memory format is asked for."""
    return input if memory_format in (None, PRESERVE) else empty_like(input, memory_format=memory_format)


def _laid_out(input, kind):
    """An array in the layout that the numbers get: that of `input`, without its gaps."""
    array = host(input)
    return array if array.flags.c_contiguous else laid_out_like(array, kind)


def _uniform_like(input, stream, kind):
    layout = _laid_out(input, kind)
    if layout.flags.c_contiguous:
        return mt19937.uniform(stream, layout.shape, kind)
    return in_memory_order(lambda shape: mt19937.uniform(stream, shape, kind), layout)


def _normal_like(input, stream, kind):
    layout = _laid_out(input, kind)
    # A contiguous result is filled in blocks, any other number by number
    if layout.flags.c_contiguous:
        return mt19937.normal(stream, layout.shape, kind)
    return in_memory_order(lambda shape: mt19937.normal(stream, shape, kind, in_turn=True), layout)


rand_like, randn_like = _like(rand, _uniform_like, UNIFORM), _like(randn, _normal_like, NORMAL)


def randint_like(
    input, low=0, high=None, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
    pin_memory=False, memory_format=None,
) -> Tensor:  # fmt: skip
    """`randint` in the shape and dtype and on the device of `input`."""
    if layout is not None:
        check_layout("randint_like", layout)
    if not isinstance(input, Tensor):
        raise no_form("randint_like", (input, low) if high is None else (input, low, high))
    low, high = _bounds("randint_like", *((0, low) if high is None else (low, high)))
    place = input.device if device is None else device
    kind = as_dtype("randint_like", dtype) or input.dtype
    _check_real(kind)
    if _is_meta(place):
        return empty(input.shape, dtype=kind, device=place, requires_grad=requires_grad)
    input = _in_format(input, memory_format)
    stream = _stream(generator)
    layout = _laid_out(input, kind.numpy)
    array = in_memory_order(lambda shape: mt19937.integers(stream, shape, kind.numpy, low, high), layout)
    return made(preserving(array, host(input)), device=place, requires_grad=requires_grad)


def normal(
    mean, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False,
    pin_memory=False,
) -> Tensor:  # fmt: skip
    """Normal numbers with a mean and a standard deviation for each element, or for all of a size.

    Raises RuntimeError if a standard deviation is negative.
    """
    if layout is not STRIDED:
        check_layout("normal", layout)
    mean, std = python_number(mean), python_number(std)
    alike = isinstance(mean, NUMBERS) and isinstance(std, NUMBERS)
    if not alike and not (isinstance(mean, (Tensor, *NUMBERS)) and isinstance(std, (Tensor, *NUMBERS))):
        raise no_form("normal", (mean, std) if size is None else (mean, std, size))
    if size is None and alike:
        raise no_form("normal", (mean, std))
    if size is not None and not (alike and _is_size(size)):
        raise no_form("normal", (mean, std, size))
    if isinstance(std, Tensor):
        if std.numel() and bool((std < 0).any()):
            raise RuntimeError("normal expects all elements of std >= 0.0")
    elif not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if alike:
        kind = kind_of("normal", dtype, out, DEFAULTS.floating)
        _check_kind(NORMAL, kind)
        size = lengths("normal", sequence_size("normal", size))
        check_room(size, kind.itemsize)
        if out is not None:
            return _drawn_into(out, "normal", size, device, requires_grad, normal_, mean, std, generator=generator)
        array = mt19937.normal(_stream(generator), size, kind.numpy, mean, std)
        return made(array, device=device, requires_grad=requires_grad)
    return _normal_around(mean, std, generator, out)


def _normal_around(mean, std, generator, out) -> Tensor:
    tensors = [each for each in (mean, std) if isinstance(each, Tensor)]
    _check_kind(NORMAL, tensors[0].dtype)
    shape = broadcast([each.shape for each in tensors])
    spread = std if not isinstance(std, Tensor) else 1.0
    if out is not None:
        return _normal_into(out, mean, std, shape, generator)
    kind = tensors[0].dtype
    standard = made(mt19937.normal(_stream(generator), shape, kind.numpy, 0.0, spread))
    drawn = ((standard * std).to(kind) if isinstance(std, Tensor) else standard).add(mean).to(kind).detach()
    name = "normal" if len(tensors) == 2 else "normal around" if tensors[0] is mean else "normal within"
    return _following(tensors, drawn, name)


def _normal_into(out: Tensor, mean, std, shape: tuple, generator) -> Tensor:
    """The same in the memory of `out`, in the order of which the numbers are drawn.

    Around means of one deviation it may have more dimensions than those, as in PyTorch.
    """
    check_made("normal", False, out)
    if not isinstance(std, Tensor) and out.numel():
        shape = broadcast([shape, out.shape])
    _check_kind(NORMAL, out.dtype)
    ready(out, "normal", shape, [each for each in (mean, std) if isinstance(each, Tensor)])
    if isinstance(std, Tensor):
        return normal_(out, generator=generator).mul_(std).add_(mean)
    return normal_(out, 0.0, std, generator=generator).add_(mean)


def bernoulli(input, p=None, *, generator=None, out=None) -> Tensor:
    """1 with the probability that the element of `input` states, or `p` for all, else 0."""
    check_tensor("bernoulli", input)
    array = input._array
    if p is out is None and array.dtype is FLOAT32 and type(array) is np.ndarray and not input.requires_grad:
        return wrap(mt19937.bernoulli(_stream(generator), array.shape, FLOAT32, array))
    if p is None and input.dtype.category != dtypes.FLOAT:
        raise unimplemented(f"bernoulli_tensor_cpu_{'self' if input.is_complex() else 'p'}_")(input.dtype)
    if out is not None:
        check_made("bernoulli", False, out)
        prepare(out, "bernoulli", tuple(input.shape), operands=(input,))
        return bernoulli_(out, input if p is None else p, generator=generator)
    probability = host(input) if p is None else _real("bernoulli", "p", 2, p)
    array = mt19937.bernoulli(_stream(generator), tuple(input.shape), input._array.dtype, probability)
    return _following([input], made(array, device=input.device), "bernoulli")


def _following(parameters: list, values, distribution: str) -> Tensor:
    """What was drawn with the numbers of `parameters`, in whose history it belongs."""
    return F.drawn(parameters, values, distribution) if any([each.requires_grad for each in parameters]) else values


def multinomial(input, num_samples, replacement=False, *, generator=None, out=None) -> Tensor:
    """Indices drawn with the weights in the last dimension of `input`."""
    check_tensor("multinomial", input)
    num_samples = as_int("multinomial", "num_samples", num_samples, " (position 2)")
    if not isinstance(replacement, bool):
        words = f"argument 'replacement' (position 3) must be bool, not {type_name(replacement)}"
        raise TypeError(f"multinomial(): {words}")
    if not 1 <= input.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not input.is_floating_point():
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {dtypes.SCALAR_NAMES[input.dtype]}"
        )
    if not replacement and num_samples > input.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if input.shape[-1] > MOST_CATEGORIES:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {dtypes.SCALAR_NAMES[out.dtype]}")
    check_room((*input.shape[:-1], num_samples), INT64.itemsize)
    array = mt19937.multinomial(_stream(generator), host(input), num_samples, replacement)
    return made_in("multinomial", array, out=out, device=input.device)


def poisson(input, generator=None) -> Tensor:
    """Poisson numbers with the rates in `input`."""
    check_tensor("poisson", input)
    _check_kind("poisson_cpu", input.dtype, (dtypes.FLOAT,))
    values = made(mt19937.poisson(_stream(generator), host(input)), device=input.device)
    return _following([input], values, "poisson")


def binomial(count, prob, generator=None) -> Tensor:
    """Binomial numbers with the counts and probabilities of the elements."""
    for name, each in (("count", count), ("prob", prob)):
        if not each.is_floating_point():
            kind = dtypes.SCALAR_NAMES[each.dtype]
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {kind}")
    count, prob = F.broadcast_tensors(count, prob)
    return made(mt19937.binomial(_stream(generator), host(count.detach()), host(prob.detach())), device=count.device)


# ---- in place


def _real(name: str, argument: str, position: int, value) -> Any:
    """A number that an argument must be. Raises TypeError in PyTorch's words."""
    if type(value) is float or type(value) is int:
        return value
    if isinstance(value, Tensor) and not value.dim() and not value.is_complex():
        return value.item()
    if not isinstance(value, NUMBERS) or isinstance(value, np.complexfloating):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be float, not {type_name(value)}")
    return python_number(value)


def _not_continuous(name: str, kind: str) -> RuntimeError:
    """A continuous distribution in the place of whole numbers."""
    words = f"{name} distribution is a continuous probability distribution. dtype must be a floating point but you"
    return RuntimeError(f"{words} specified {kind}")


def _filled(tensor: Tensor, generator, draw, *given) -> Tensor:
    """Fills a tensor with what `draw(stream, shape, dtype, *given)` gives, in the tensor's dtype."""
    stream = default_generator if generator is None else _stream(generator)
    array = in_place_numbers.free_array(tensor)
    if array is not None and array.flags.c_contiguous:
        array[...] = draw(stream, array.shape, array.dtype, *given)
        storage = tensor._store or tensor._storage
        storage.written()
        if NOTING:
            note_write(storage, 2, F.copy_values)
        return tensor
    if tensor.is_meta:
        return tensor
    array = tensor._array
    drawn = in_memory_order(lambda shape, *given: draw(stream, shape, array.dtype, *given), array, *given)
    return _replaced(tensor, wrap(drawn) if type(array) is np.ndarray else made(drawn, device=tensor.device))


def _replaced(tensor: Tensor, values: Tensor) -> Tensor:
    """Writes others in the place of all elements."""
    if in_place_numbers.written_by(in_place_numbers.replaced, F.copy_values, in_place_numbers.EASY, tensor, values):
        return tensor
    return inplace.write(F.copy_values, tensor, (values,), {})


def uniform_(self, from_=0.0, to=1.0, *, generator=None) -> Tensor:
    """Fills the tensor with uniform numbers in [from, to)."""
    if not type(from_) is type(to) is float:
        from_, to = _real("uniform_", "from", 1, from_), _real("uniform_", "to", 2, to)
    if self._array.dtype is not FLOAT32:
        _check_kind(UNIFORM, self.dtype)
    if not -BOUND < from_ <= to < BOUND:
        _check_range(self.dtype, from_, to)
    return _filled(self, generator, mt19937.uniform, from_, to)


BOUND = 1e4  # half of what the narrowest float holds


def _check_range(kind, low: float, high: float) -> None:
    """Raises unless uniform numbers of a dtype can lie between two bounds."""
    limit = largest(kind.numpy)
    for name, bound in (("from", low), ("to", high)):
        if not -limit <= bound <= limit:
            raise RuntimeError(f"{name} is out of bounds for {dtypes.C_NAMES[kind]}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > limit:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{dtypes.SCALAR_NAMES[kind]}>::max(), but found "
            f"to={high:g} and from={low:g} which result in to-from to exceed the limit"
        )


def normal_(self, mean=0.0, std=1.0, *, generator=None) -> Tensor:
    """Fills the tensor with normal numbers."""
    if not type(mean) is type(std) is float:
        mean, std = _real("normal_", "mean", 1, mean), _real("normal_", "std", 2, std)
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    array = self._array
    if array.dtype is not FLOAT32:
        _check_kind(NORMAL, self.dtype)
    in_turn = array.size >= 16 and not array.flags.c_contiguous
    return _filled(self, generator, mt19937.normal, mean, std, in_turn)


def random_(self, from_=..., to=..., *, generator=None) -> Tensor:
    """Fills the tensor with whole numbers in [from, to), in [0, to) if one is given, or over the range of its dtype.

    >>> import rushlight as torch
    >>> torch.zeros(3).random_(4, 5)
    tensor([4., 4., 4.])
    """
    if from_ is ... and to is ...:
        _check_kind("random_kernel_cpu", self.dtype, (dtypes.BOOL, dtypes.INTEGER, dtypes.FLOAT))
        return _filled(self, generator, mt19937.all_integers)
    _check_real(self.dtype)
    low, high = _limits(from_, to)
    given = high
    if high is None:
        high = 2**63 if low == -(2**63) else mt19937.above_all(self._array.dtype)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    filled = _filled(self, generator, mt19937.integers, low, high)
    _warn_of_precision(self.dtype, low, given)
    return filled


PRECISIONS = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}


def _warn_of_precision(kind, low: int, high: int | None) -> None:
    """Warns of limits between which a floating dtype has not all whole numbers."""
    digits = PRECISIONS.get(kind)
    if digits is None:
        return
    for name, limit in (("from", low), ("to - 1", None if high is None else high - 1)):
        if limit is not None and not -(1 << digits) <= limit <= 1 << digits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{dtypes.C_NAMES.get(kind, kind.name)} can support discrete uniform distribution only within this "
                "range. This warning will become an error in version 1.7 release, please fix the code in advance",
                UserWarning,
                stacklevel=4,
            )


def _limits(from_, to) -> tuple[int, int | None]:
    """The limits of `random_`, of which one alone is the upper one. Raises TypeError for what is no whole number."""
    given = [each for each in (from_, to) if each is not ...]
    low, high = given if len(given) == 2 else (0, given[0])
    no_end = high is None and len(given) == 2
    try:
        return as_int("random_", "from", low), None if no_end else as_int("random_", "to", high)
    except TypeError:
        raise no_form("random_", given) from None


def bernoulli_(self, p=0.5, *, generator=None) -> Tensor:
    """Fills the tensor with ones, with the probability `p` (a number, or a tensor that broadcasts), and zeros."""
    if isinstance(p, Tensor):
        return _filled(self, generator, mt19937.bernoulli, host(F.expand(p.detach(), self.shape)))
    p = _real("bernoulli_", "p", 1, p)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    _check_kind("bernoulli_scalar_cpu_", self.dtype, (dtypes.BOOL, dtypes.INTEGER, dtypes.FLOAT))
    return _filled(self, generator, mt19937.bernoulli, p)


def exponential_(self, lambd=1, *, generator=None) -> Tensor:
    """Fills the tensor with exponential numbers of rate `lambd`."""
    lambd = _real("exponential_", "lambd", 1, lambd)
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    if not self.is_floating_point():
        raise _not_continuous("Exponential", dtypes.SCALAR_NAMES[self.dtype])
    return _filled(self, generator, mt19937.exponential, lambd)


def geometric_(self, p, *, generator=None) -> Tensor:
    """Fills the tensor with the number of trials until the first success of probability `p`."""
    p = _real("geometric_", "p", 1, p)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    _check_kind("geometric_cpu", self.dtype, (dtypes.INTEGER, dtypes.FLOAT))
    return _filled(self, generator, mt19937.geometric, p)


def cauchy_(self, median=0, sigma=1, *, generator=None) -> Tensor:
    """Fills the tensor with Cauchy numbers."""
    median, sigma = _real("cauchy_", "median", 1, median), _real("cauchy_", "sigma", 2, sigma)
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    if not self.is_floating_point():
        raise _not_continuous("Cauchy", dtypes.C_NAMES.get(self.dtype, self.dtype.name))
    return _filled(self, generator, mt19937.cauchy, median, sigma)


def log_normal_(self, mean=1, std=2, *, generator=None) -> Tensor:
    """Fills the tensor with numbers whose logarithm is normal."""
    mean, std = _real("log_normal_", "mean", 1, mean), _real("log_normal_", "std", 2, std)
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    _check_kind("log_normal_cpu", self.dtype, (dtypes.FLOAT,))
    return _filled(self, generator, mt19937.log_normal, mean, std)


METHODS = (
    as_method(uniform_), normal_, as_method(random_), bernoulli_, exponential_, geometric_, cauchy_, log_normal_,
    as_method(bernoulli), as_method(multinomial),
)  # fmt: skip


def attach() -> None:
    """Gives Tensor its random methods; called once by the package root."""
    for function in METHODS:
        setattr(Tensor, function.__name__, function)
