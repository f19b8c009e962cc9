"""Random tensors: the values that PyTorch draws for the same seed.

A draw takes random words from a generator, by default `default_generator`; `arrays/mt19937` turns them into values. https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from importlib import import_module

import numpy as np
from numpy.lib.stride_tricks import as_strided

import rushlight._generated.functions as F
from rushlight.arrays import mt19937
from rushlight.arrays.draws import draw_of, in_memory_order
from rushlight.arrays.size_limits import LIMIT, check_copy_fits, check_size_fits, refused
from rushlight.core import dtype as dtypes
from rushlight.core.convertible import is_integer
from rushlight.core.device import CPU, DEFAULT, as_device, host
from rushlight.core.dtype import DEFAULTS
from rushlight.core.formats import PRESERVE
from rushlight.core.generator import default_generator
from rushlight.core.numbers import python_number
from rushlight.core.shape_queries import STRIDED, check_layout
from rushlight.core.strides import laid_out_like, preserving
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import ENTERED
from rushlight.create.construction import check_options, dtype_for, from_array, from_draw, make_or_fill, resize_out
from rushlight.create.filled import check_tensor, empty, empty_like
from rushlight.create.overrides import offer
from rushlight.create.random_inplace import (
    FLOAT32,
    NORMAL,
    NUMBERS,
    UNIFORM,
    bernoulli_,
    check_real,
    check_supported,
    drawing,
    normal_,
    random_,
    real_number,
    stream_of,
    uniform_,
)
from rushlight.create.randomness import with_history, without_derivative
from rushlight.create.sizes import check_sequence, parse_size, size_tuple
from rushlight.declarations.dtype_rules import unimplemented
from rushlight.declarations.promote import as_dtype
from rushlight.declarations.shapes import as_int, broadcast
from rushlight.dispatch.message import no_form, type_name
from rushlight.dispatch.methods import as_method
from rushlight.dispatch.out import prepare, ready
from rushlight.dispatch.override import ABSENT, OBSERVERS

KERNELS = {mt19937.uniform: UNIFORM, mt19937.normal: NORMAL}

COUNT = 1 << 24  # up to so many elements, free memory is not checked
INT64 = dtypes.int64.numpy
MOST_CATEGORIES = 2**24  # PyTorch counts them in float32


def _is_meta(device) -> bool:
    return as_device(device).type == "meta"


def rand(
    *sizes, size=None, generator=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False,
    pin_memory=False,
) -> Tensor:  # fmt: skip
    """Returns uniform values in [0, 1).

    >>> import rushlight as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(0))
    tensor([0.4963, 0.7682])
    """
    if (OBSERVERS or pin_memory) and (result := offer(rand, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("rand", layout)
    return _drawn(
        "rand", mt19937.uniform, parse_size("rand", sizes, size), generator, out, dtype, device, requires_grad
    )


def randn(
    *sizes, size=None, generator=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False,
    pin_memory=False,
) -> Tensor:  # fmt: skip
    """Returns normal values of mean 0 and variance 1.

    >>> import rushlight as torch
    >>> torch.randn(2, generator=torch.Generator().manual_seed(0))
    tensor([ 1.5410, -0.2934])
    """
    if (OBSERVERS or pin_memory) and (result := offer(randn, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("randn", layout)
    return _drawn(
        "randn", mt19937.normal, parse_size("randn", sizes, size), generator, out, dtype, device, requires_grad
    )


def _drawn(name, draw, size, generator, out, dtype, device, requires_grad) -> Tensor:
    if dtype is None and device is None and out is None and not requires_grad and DEFAULT.get() is CPU:
        stream = default_generator if generator is None else stream_of(generator)
        try:
            return wrap(draw(stream, size, DEFAULTS.floating.numpy))
        except (MemoryError, ValueError) as error:
            raise refused(error, size, DEFAULTS.floating.numpy.itemsize) from None
    check_options(name, requires_grad, out)
    dtype = dtype_for(name, dtype, out, DEFAULTS.floating)
    check_supported(KERNELS[draw], dtype)
    if out is not None:
        fill = uniform_ if draw is mt19937.uniform else normal_
        return _drawn_into(out, name, size, device, requires_grad, fill, generator=generator)
    device = as_device(device)
    if device.type == "meta":
        return empty(size, dtype=dtype, device=device, requires_grad=requires_grad)
    check_size_fits(size, dtype.itemsize)
    draw = drawing(draw, generator, device)
    if device.type == "cpu" and not requires_grad:
        return wrap(draw(size, dtype.numpy))
    return from_draw(lambda: draw(size, dtype.numpy), device, requires_grad)


def _drawn_into(out, name, size, device, requires_grad, fill, *args, generator) -> Tensor:
    """Resizes `out` and fills it by the method `fill`, in the order of its memory."""
    resize_out(name, out, size, device)
    fill(out, *args, generator=generator)
    return out._require_grad() if requires_grad else out


def randint(
    low=0, high=None, size=None, *, generator=None, out=None, dtype=None, layout=STRIDED, device=None,
    requires_grad=False, pin_memory=False,
) -> Tensor:  # fmt: skip
    """Returns integers from `low` (0 if only one bound is given) up to but not including `high`.

    >>> import rushlight as torch
    >>> torch.randint(10, (3,), generator=torch.Generator().manual_seed(0))
    tensor([4, 9, 3])
    """
    if (OBSERVERS or pin_memory) and (result := offer(randint, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("randint", layout)
    if size is high is None:
        raise no_form("randint", (low,))
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    elif not (is_integer(low) and is_integer(high) and _is_size(size)):
        raise no_form("randint", (low, high, size))
    size = size_tuple("randint", check_sequence("randint", size, " (position 2)"))
    low, high = _bounds("randint", low, high)
    check_size_fits(size, INT64.itemsize)
    if dtype is None and device is None and out is None and not requires_grad and DEFAULT.get() is CPU:
        return wrap(mt19937.integers(stream_of(generator), size, INT64, low, high))
    dtype = dtype_for("randint", dtype, out, dtypes.int64)
    check_real(dtype)
    if out is not None:
        return _drawn_into(out, "randint", size, device, requires_grad, random_, low, high, generator=generator)
    device = as_device(device)
    draw = drawing(mt19937.integers, generator, device)
    return from_draw(lambda: draw(size, dtype.numpy, low, high), device, requires_grad)


def _bounds(name: str, low, high) -> tuple[int, int]:
    """Returns the bounds as integers. Raises RuntimeError if the range is empty."""
    low, high = _bound(name, low), _bound(name, high)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return low, high


def _is_size(value) -> bool:
    return isinstance(value, (tuple, list)) and all([type(x) is int or is_integer(x) for x in value])


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
    """Returns the integers from 0 to n - 1 in random order."""
    if (OBSERVERS or pin_memory) and (result := offer(randperm, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("randperm", layout)
    if type(n) is int and COUNT < n < LIMIT:
        check_size_fits((n,), INT64.itemsize)
    if (
        dtype is device is out is None
        and type(n) is int
        and 0 <= n < LIMIT
        and not requires_grad
        and DEFAULT.get() is CPU
    ):
        return wrap(mt19937.permutation(stream_of(generator), n, INT64))
    (n,) = size_tuple("randperm", (as_int("randperm", "n", n, " (position 1)"),))
    dtype = dtype_for("randperm", dtype, out, dtypes.int64)
    if not _is_meta(device):
        check_supported("randperm", dtype, (dtypes.INTEGER, dtypes.FLOAT))
        _check_range_of(n, dtype)
    place = as_device(device) if out is None else out.device
    array = drawing(mt19937.permutation, generator, place)(n, dtype.numpy)
    return make_or_fill("randperm", array, out=out, device=device, requires_grad=requires_grad)


LARGEST_N = {
    dtypes.float16: (2**11 + 1, "2049"), dtypes.float32: (2**24 + 1, "2^24+1"), dtypes.float64: (2**53 + 1, "2^53+1"),
}  # fmt: skip


def _check_range_of(n: int, dtype) -> None:
    """Raises RuntimeError if a dtype cannot represent all integers below n."""
    largest, shown = LARGEST_N.get(dtype, (n, ""))
    if n > largest:
        raise RuntimeError(f"n cannot be greater than {shown} for {dtypes.SCALAR_NAMES[dtype]} type.")
    if dtype.category == dtypes.INTEGER and n - 1 > np.iinfo(dtype.numpy).max:
        raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")


def _like(function, draw, kernel: str):
    def of_input(
        input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
        memory_format=None,
    ):  # fmt: skip
        if (OBSERVERS or ENTERED or pin_memory) and (result := offer(of_input, locals())) is not ABSENT:
            return result
        if layout is not None:
            check_layout(of_input.__name__, layout)
        check_tensor(of_input.__name__, input)
        array = input._array
        check_copy_fits(array)
        if dtype is None is device is memory_format and type(array) is np.ndarray and not requires_grad:
            if (dtype := array.dtype) is not FLOAT32:
                check_supported(kernel, input.dtype)
            return wrap(preserving(draw(input, stream_of(generator), dtype), array))
        if input._carrier is not None:
            options = {"generator": generator, "dtype": dtype, "device": device, "requires_grad": requires_grad}
            return import_module("rushlight.sparse.tensor").call(of_input.__name__, (input,), options)
        device = input.device if device is None else device
        dtype = as_dtype(of_input.__name__, dtype) or input.dtype
        if _is_meta(device):
            return empty(input.shape, dtype=dtype, device=device, requires_grad=requires_grad)
        check_supported(kernel, dtype)
        input = _in_format(input, memory_format)
        stream, layout = stream_of(generator, as_device(device)), _on_cpu(input)
        return from_draw(lambda: preserving(draw(layout, stream, dtype.numpy), host(layout)), device, requires_grad)

    of_input.__name__ = of_input.__qualname__ = f"{function.__name__}_like"
    of_input.__doc__ = f"`{function.__name__}` in the shape and dtype and on the device of `input`."
    return of_input


def _in_format(input, memory_format):
    """Returns a tensor with the layout of the result: `input`, or an uninitialized one in `memory_format`."""
    return input if memory_format in (None, PRESERVE) else empty_like(input, memory_format=memory_format)


def _on_cpu(input):
    """Returns a tensor with the layout of `input` on the CPU, whose elements are not read."""
    if type(input._array) is np.ndarray:
        return input
    sample = np.empty(1, input.dtype.numpy)
    return wrap(as_strided(sample, tuple(input.shape), [step * sample.itemsize for step in input.stride()]))


def _laid_out(input, dtype):
    """Returns an array with the layout of the result: that of `input`, without gaps."""
    array = host(input)
    return array if array.flags.c_contiguous else laid_out_like(array, dtype)


def _uniform_like(input, stream, dtype):
    draw = draw_of(stream, mt19937.uniform)
    return in_memory_order(lambda shape: draw(stream, shape, dtype), _laid_out(input, dtype))


def _normal_like(input, stream, dtype):
    draw, layout = draw_of(stream, mt19937.normal), _laid_out(input, dtype)
    in_turn = not layout.flags.c_contiguous  # then PyTorch fills element by element, not in blocks
    return in_memory_order(lambda shape: draw(stream, shape, dtype, in_turn=in_turn), layout)


rand_like, randn_like = _like(rand, _uniform_like, UNIFORM), _like(randn, _normal_like, NORMAL)


def randint_like(
    input, low=0, high=None, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
    pin_memory=False, memory_format=None,
) -> Tensor:  # fmt: skip
    """`randint` in the shape and dtype and on the device of `input`."""
    if (OBSERVERS or ENTERED or pin_memory) and (result := offer(randint_like, locals())) is not ABSENT:
        return result
    if layout is not None:
        check_layout("randint_like", layout)
    if not isinstance(input, Tensor):
        raise no_form("randint_like", (input, low) if high is None else (input, low, high))
    check_copy_fits(input._array)
    low, high = _bounds("randint_like", *((0, low) if high is None else (low, high)))
    device = input.device if device is None else device
    dtype = as_dtype("randint_like", dtype) or input.dtype
    check_real(dtype)
    if _is_meta(device):
        return empty(input.shape, dtype=dtype, device=device, requires_grad=requires_grad)
    input = _in_format(input, memory_format)
    stream = stream_of(generator, as_device(device))
    layout = _laid_out(_on_cpu(input), dtype.numpy)

    def draw(shape):
        return draw_of(stream, mt19937.integers)(stream, shape, dtype.numpy, low, high)

    return from_draw(lambda: preserving(in_memory_order(draw, layout), layout), device, requires_grad)


def normal(
    mean, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False,
    pin_memory=False,
) -> Tensor:  # fmt: skip
    """Returns normal values with a mean and a standard deviation for each element, or for all elements of a size.

    Raises RuntimeError if a standard deviation is negative.
    """
    if (OBSERVERS or pin_memory) and (result := offer(normal, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("normal", layout)
    mean, std = python_number(mean), python_number(std)
    if size is not None:
        mean, std = (each.item() if _is_number(each) else each for each in (mean, std))
    scalars = isinstance(mean, NUMBERS) and isinstance(std, NUMBERS)
    if not scalars and not (isinstance(mean, (Tensor, *NUMBERS)) and isinstance(std, (Tensor, *NUMBERS))):
        raise no_form("normal", (mean, std) if size is None else (mean, std, size))
    if size is None and scalars:
        raise no_form("normal", (mean, std))
    if size is not None and not (scalars and _is_size(size)):
        raise no_form("normal", (mean, std, size))
    if isinstance(std, Tensor):
        if std.numel() and bool((std < 0).any()):
            raise RuntimeError("normal expects all elements of std >= 0.0")
    elif not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if scalars:
        dtype = dtype_for("normal", dtype, out, DEFAULTS.floating)
        check_supported(NORMAL, dtype)
        size = size_tuple("normal", check_sequence("normal", size))
        check_size_fits(size, dtype.itemsize)
        if out is not None:
            return _drawn_into(out, "normal", size, device, requires_grad, normal_, mean, std, generator=generator)
        device = as_device(device)
        draw = drawing(mt19937.normal, generator, device)
        return from_draw(lambda: draw(size, dtype.numpy, mean, std), device, requires_grad)
    return _normal_around(mean, std, generator, out)


def _is_number(value) -> bool:
    """Whether an argument is a tensor that PyTorch takes for a number."""
    return isinstance(value, Tensor) and not (value.ndim or value.requires_grad)


def _normal_around(mean, std, generator, out) -> Tensor:
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    check_supported(NORMAL, tensors[0].dtype)
    shape = broadcast([x.shape for x in tensors])
    spread = std if not isinstance(std, Tensor) else 1.0
    if out is not None:
        return _normal_into(out, mean, std, shape, generator)
    dtype = tensors[0].dtype
    check_size_fits(shape, dtype.itemsize)
    place = tensors[0].device
    draw = drawing(mt19937.normal, generator, place)
    standard = from_draw(lambda: draw(shape, dtype.numpy, 0.0, spread), place)
    drawn = ((standard * std).to(dtype) if isinstance(std, Tensor) else standard).add(mean).to(dtype).detach()
    name = "normal" if len(tensors) == 2 else "normal around" if tensors[0] is mean else "normal within"
    return with_history(tensors, drawn, name)


def _normal_into(out: Tensor, mean, std, shape: tuple, generator) -> Tensor:
    """Fills `out`, in the order of its memory.

    With a scalar deviation `out` may have more dimensions than the means, as in PyTorch.
    """
    check_options("normal", False, out)
    if not isinstance(std, Tensor) and out.numel():
        shape = broadcast([shape, out.shape])
    check_supported(NORMAL, out.dtype)
    ready(out, "normal", shape, [x for x in (mean, std) if isinstance(x, Tensor)])
    if isinstance(std, Tensor):
        return normal_(out, generator=generator).mul_(std).add_(mean)
    return normal_(out, 0.0, std, generator=generator).add_(mean)


def bernoulli(input, p=None, *, generator=None, out=None) -> Tensor:
    """Returns ones with the probabilities in `input`, or `p` for all elements, and zeros."""
    if OBSERVERS and (result := offer(bernoulli, locals())) is not ABSENT:
        return result
    check_tensor("bernoulli", input)
    array = input._array
    check_copy_fits(array)
    if p is out is None and array.dtype is FLOAT32 and type(array) is np.ndarray and not input.requires_grad:
        return wrap(mt19937.bernoulli(stream_of(generator), array.shape, FLOAT32, array))
    if isinstance(p, Tensor) and not _is_number(p):
        raise no_form("bernoulli", (input, p))
    if p is None and input.dtype.category != dtypes.FLOAT:
        raise unimplemented(f"bernoulli_tensor_cpu_{'self' if input.is_complex() else 'p'}_")(input.dtype)
    if out is not None:
        check_options("bernoulli", False, out)
        prepare(out, "bernoulli", tuple(input.shape), operands=(input,))
        return bernoulli_(out, input if p is None else p, generator=generator)
    if input.is_meta:
        return with_history([input], empty_like(input), "bernoulli")
    probability = host(input) if p is None else real_number("bernoulli", "p", 2, p)
    draw = drawing(mt19937.bernoulli, generator, input.device)
    values = from_array(draw(tuple(input.shape), input.dtype.numpy, probability), device=input.device)
    if p is None:
        return with_history([input], values, "bernoulli")
    return without_derivative([input], values, "bernoulli")


def multinomial(input, num_samples, replacement=False, *, generator=None, out=None) -> Tensor:
    """Returns indices drawn with the weights in the last dimension of `input`."""
    if OBSERVERS and (result := offer(multinomial, locals())) is not ABSENT:
        return result
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
    check_size_fits((*input.shape[:-1], num_samples), INT64.itemsize)
    if input.is_meta:
        return empty((*input.shape[:-1], num_samples), dtype=dtypes.int64, device=input.device)
    array = drawing(mt19937.multinomial, generator, input.device)(host(input), num_samples, replacement)
    return make_or_fill("multinomial", array, out=out, device=input.device)


def poisson(input, generator=None) -> Tensor:
    """Returns Poisson values with the rates in `input`."""
    if OBSERVERS and (result := offer(poisson, locals())) is not ABSENT:
        return result
    check_tensor("poisson", input)
    check_supported("poisson_cpu", input.dtype, (dtypes.FLOAT,))
    check_copy_fits(input._array)
    values = from_array(mt19937.poisson(stream_of(generator, input.device), host(input)), device=input.device)
    return with_history([input], values, "poisson")


def binomial(count, prob, generator=None) -> Tensor:
    """Returns binomial values with the given counts and probabilities."""
    if OBSERVERS and (result := offer(binomial, locals())) is not ABSENT:
        return result
    _check_binomial(count, prob)
    shared_count, shared_prob = F.broadcast_tensors(count.detach(), prob.detach())
    check_copy_fits(shared_count._array)
    stream = stream_of(generator, count.device)
    values = from_array(mt19937.binomial(stream, host(shared_count), host(shared_prob)), device=count.device)
    return without_derivative([count, prob], values, "binomial")


def _check_binomial(count, prob) -> None:
    for position, (name, x) in enumerate((("count", count), ("prob", prob)), 1):
        if not isinstance(x, Tensor):
            raise TypeError(f"binomial(): argument '{name}' (position {position}) must be Tensor, not {type_name(x)}")
    for name, x in (("count", count), ("prob", prob)):
        if not x.is_floating_point():
            dtype = dtypes.SCALAR_NAMES[x.dtype]
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {dtype}")
    broadcast([count.shape, prob.shape])
    if count.dtype is not prob.dtype:
        theirs, ours = dtypes.SCALAR_NAMES[prob.dtype], dtypes.SCALAR_NAMES[count.dtype]
        raise RuntimeError(f"Found dtype {theirs} but expected {ours}")
    if count.dtype not in (dtypes.float32, dtypes.float64):
        raise unimplemented("binomial_cpu")(count.dtype)


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for function in (as_method(bernoulli), as_method(multinomial)):
        setattr(Tensor, function.__name__, function)
