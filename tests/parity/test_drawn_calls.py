"""Calls drawn at random next to PyTorch's: unusual shapes, dimensions and layouts.

Each seed is one call of an operator and its gradients. Sizes reach beyond those from which on machine code takes over,
so that the ways of few and of many numbers are both there. Every family draws the first of its seeds always, and all of
them with `-m "nightly or not nightly"`.
"""

import numpy as np
import pytest

import rushlight

theirs = pytest.importorskip("torch", reason="compares with PyTorch")

LIBRARIES = theirs, rushlight
TOLERANCE = {"float32": 1e-4, "float64": 1e-10}


def seeds(count: int) -> list:
    """So many, of which the first two fifths are for every run."""
    always = 2 * count // 5
    return [*range(always), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(always, count))]


SEEDS = seeds(40)


class Draws:
    """What a seed gives: sizes, dtypes, numbers, and views of a tensor."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.dtype = self.one_of("float32", "float32", "float64")

    def one_of(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def between(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def shape(self, dims: int) -> tuple[int, ...]:
        """So many dimensions of 300 to 300,000 numbers in all, in any order; sometimes all of them in one."""
        left, result, alone = self.one_of(300, 5000, 200_000, 300_000), [], self.one_of(True, *[False] * 5)
        for _ in range(dims - 1):
            result.append(1 if alone else int(np.exp(self.rng.random() * np.log(left))))
            left = max(1, left // result[-1])
        return tuple(int(each) for each in self.rng.permutation([*result, left]))

    def numbers(self, *shape: int):
        """All different, and some ulps apart from each other at least."""
        count = int(np.prod(shape))
        return ((self.rng.permutation(count) - count / 2) * (8.0 / max(count, 1))).reshape(shape)

    def view(self, dims: int):
        """A function that gives a view of a tensor: as it is, turned, with gaps, cut, or reversed."""
        dim, order = self.between(0, dims - 1), [int(each) for each in self.rng.permutation(dims)]
        before = (slice(None),) * dim
        return self.one_of(
            lambda x: x,
            lambda x: x.permute(order),
            lambda x: x[(*before, slice(None, None, 2))],
            lambda x: x[(*before, slice(1, None))] if x.shape[dim] > 1 else x,
            lambda x: x.flip(dim),
        )


def compared(function, inputs, dtype):
    """Calls a function of tensors in either library, goes backward from what it gives, and compares all of that."""
    results = []
    for library in LIBRARIES:
        tensors = [library.tensor(each).to(getattr(library, dtype)).requires_grad_() for each in inputs]
        result = function(library, *tensors)
        derivatives = np.cos(np.arange(result.numel()) * 0.7).reshape(tuple(result.shape))
        if result.requires_grad:
            result.backward(library.tensor(derivatives).to(result.dtype))
        results.append([result.detach().numpy(), *(None if x.grad is None else x.grad.numpy() for x in tensors)])
    for expected, result in zip(*results, strict=True):
        assert (expected is None) == (result is None)
        if expected is not None:
            assert result.shape == expected.shape
            scale = np.abs(expected).max(initial=0, where=np.isfinite(expected)) + 1
            np.testing.assert_allclose(result, expected, rtol=0, atol=TOLERANCE[dtype] * scale)


REDUCING = ("sum", "mean", "amax", "amin", "var", "std", "logsumexp", "norm", "nansum")
ALONG = (
    "softmax", "log_softmax", "cumsum", "logcumsumexp", "max", "min", "median", "kthvalue", "topk", "sort", "diff",
    "roll", "argmax", "cummax", "prod", "cumprod",
)  # fmt: skip
MOVING = (
    "index_select",
    "gather",
    "scatter",
    "scatter_add",
    "index_add",
    "index_copy",
    "masked_select",
    "cat",
    "stack",
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", REDUCING)
def test_reductions_over_some_dimensions(name, seed):
    draws = Draws(seed)
    shape = draws.shape(draws.between(1, 5))
    dims = [int(each) for each in draws.rng.permutation(len(shape))[: draws.between(1, len(shape))]]
    view, keepdim = draws.view(len(shape)), draws.one_of(True, False)

    def function(library, x):
        call = library.linalg.vector_norm if name == "norm" else getattr(library, name)
        return call(view(x), dim=dims if len(dims) > 1 else dims[0], keepdim=keepdim)

    if name in ("var", "std") and np.prod([shape[each] for each in dims]) < 5:
        return  # nothing is left of so few, or of a cut of them
    compared(function, [draws.numbers(*shape)], draws.dtype)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ALONG)
def test_functions_along_a_dimension(name, seed):
    draws = Draws(seed)
    shape = draws.shape(draws.between(1, 4))
    view, dim, share = draws.view(len(shape)), draws.between(0, len(shape) - 1), draws.rng.random()

    def function(library, x):
        x = view(x)
        some = max(1, int(share * x.shape[dim]))
        args = {"kthvalue": (some,), "topk": (some,), "roll": (some,)}.get(name, ())
        if name == "diff":
            return library.diff(x, dim=dim)
        result = getattr(library, name)(x / 8 if "prod" in name else x, *args, dim)
        return result if isinstance(result, library.Tensor) else result[0]

    # The gradients of running sums and products of float32 lose digits in PyTorch that are kept here.
    compared(function, [draws.numbers(*shape)], "float64" if "cum" in name else draws.dtype)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["cumsum", "logcumsumexp"])
def test_running_sums_of_float32(name, seed):
    draws = Draws(seed)
    shape = draws.shape(draws.between(1, 4))
    view, dim = draws.view(len(shape)), draws.between(0, len(shape) - 1)
    numbers, result = draws.numbers(*shape).astype(np.float32), []
    for library in LIBRARIES:
        result.append(getattr(library, name)(view(library.tensor(numbers)), dim).numpy())
    np.testing.assert_allclose(result[1], result[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MOVING)
def test_numbers_that_are_moved(name, seed):
    draws = Draws(seed)
    shape = draws.shape(draws.between(1, 4))
    view, dim, count = draws.view(len(shape)), draws.between(0, len(shape) - 1), draws.between(1, 40)

    def function(library, x):
        x, rng = view(x), np.random.default_rng(seed)
        length, sizes = x.shape[dim], list(x.shape)
        positions, sizes[dim] = library.tensor(rng.integers(0, length, count)), count
        own = library.tensor(np.argsort(rng.random(x.shape), dim))
        match name:
            case "index_select":
                return library.index_select(x, dim, positions)
            case "gather":
                return library.gather(x, dim, library.tensor(rng.integers(0, length, sizes)))
            case "scatter" | "scatter_add":
                return getattr(library, name)(x, dim, own, x * 2)
            case "index_add":
                return library.index_add(x, dim, positions, library.ones(sizes, dtype=x.dtype), alpha=0.5)
            case "index_copy":
                several = library.tensor(rng.permutation(length)[:count])
                return library.index_copy(x, dim, several, x.narrow(dim, 0, len(several)))
            case "masked_select":
                return library.masked_select(x, own > length // 3)
            case "cat":
                return library.cat([x, x.narrow(dim, 0, (length + 1) // 2), x * 3], dim)
        return library.stack([x, x * 2, x], dim)

    compared(function, [draws.numbers(*shape)], draws.dtype)


@pytest.mark.parametrize("seed", seeds(120))
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_equations_of_products(dtype, seed):
    """Operands without dimensions and labels of size 1 among them; sums of integers are wider than products."""
    draws, letters, most = Draws(seed), "abcde", 4 if dtype == "float64" else 2
    sizes = {each: draws.one_of(1, 2, 3, 9) for each in letters}
    terms = ["".join(draws.one_of(*letters) for _ in range(draws.between(0, 3))) for _ in range(draws.between(1, most))]
    used = draws.rng.permutation(sorted(set("".join(terms))))
    equation = ",".join(terms) + draws.one_of("", "->" + "".join(used[: draws.between(0, len(used))]))
    arrays = [draws.numbers(*[sizes[each] for each in term]).round(2 if dtype == "float64" else 0) for term in terms]
    if dtype == "float64":
        return compared(lambda library, *tensors: library.einsum(equation, *tensors), arrays, dtype)
    try:
        expected = theirs.einsum(equation, *[theirs.tensor(each).to(theirs.int32) for each in arrays])
    except RuntimeError:  # it has made a factor wider than another
        return
    result = rushlight.einsum(equation, *[rushlight.tensor(each).to(rushlight.int32) for each in arrays])
    assert str(result.dtype) == str(expected.dtype)
    assert result.tolist() == expected.tolist()


NORMALIZED = ("layer_norm", "rms_norm", "group_norm", "batch_norm", "fixed_batch_norm", "instance_norm", "normalize")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NORMALIZED)
def test_normalizations(name, seed):
    draws = Draws(seed)
    shape = list(draws.shape(draws.between(3, 5)))
    groups, last, dim, order = draws.between(1, 3), draws.between(1, 2), draws.between(0, 2), draws.between(1, 3)
    shape[1] = shape[1] * groups if name == "group_norm" else shape[1]
    if name == "batch_norm" and np.prod(shape) < 16 * shape[1]:
        return  # the variance of so few elements may be undefined
    if np.prod(shape[2:]) < 16 and name in ("group_norm", "instance_norm"):
        return
    last = last if np.prod(shape[-last:]) > 8 else len(shape)
    of_channels = name not in ("layer_norm", "rms_norm", "normalize")
    weights = (shape[1],) if of_channels else tuple(shape[-last:])
    view = draws.one_of(lambda x: x, lambda x: x.transpose(0, -1).contiguous().transpose(0, -1), lambda x: x.flip(0))
    if "batch" in name and 1 in shape[2:]:
        return  # PyTorch's gradient is wrong where channels come last and there is one row or column

    def function(library, x, weight, bias):
        x, calls = view(x), library.nn.functional
        mean, variance = weight.detach() * 0.1, weight.detach().abs() + 0.5
        match name:
            case "layer_norm":
                return calls.layer_norm(x, weights, weight, bias)
            case "rms_norm":
                return calls.rms_norm(x, weights, weight, 1e-5) + bias
            case "group_norm":
                return calls.group_norm(x, groups, weight, bias)
            case "batch_norm":
                return calls.batch_norm(x, mean, variance, weight, bias, True, 0.3)
            case "fixed_batch_norm":
                return calls.batch_norm(x, mean, variance, weight, bias)
            case "instance_norm":
                return calls.instance_norm(x, None, None, weight, bias)
        return calls.normalize(x, order, dim) * weight + bias

    compared(function, [draws.numbers(*shape), draws.numbers(*weights), draws.numbers(*weights)], "float64")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "mode", ["linear", "bicubic", "area", "nearest-exact", "reflect", "replicate", "circular", "grid"]
)
def test_images_that_are_resampled_and_padded(mode, seed):
    draws = Draws(seed)
    dims = 2 if mode in ("bicubic", "grid") else draws.between(1, 3)
    size = [draws.between(2, (300, 40, 9)[dims - 1]) for _ in range(dims)]
    new = [draws.between(1, 60) if dims < 3 else draws.between(1, 12) for _ in size]
    aligned, batch, channels = draws.one_of(True, False), draws.one_of(1, 3), draws.one_of(1, 4, 17)
    pads = [draws.between(-1, 1) if draws.one_of(True, False) else draws.between(0, size[-1 - i // 2] - 1)
            for i in range(2 * dims)]  # fmt: skip
    ways = draws.one_of("bilinear", "nearest", "bicubic"), draws.one_of("zeros", "border", "reflection")
    if mode == "circular" and min(size) < 3:
        return  # where all is cut off PyTorch reads what lies beside it
    view = draws.one_of(lambda x: x, lambda x: x.transpose(1, -1).contiguous().transpose(1, -1), lambda x: x.flip(0))

    def function(library, x, grid):
        calls, x = library.nn.functional, view(x)
        if mode == "grid":
            return calls.grid_sample(x, grid, *ways, aligned)
        if mode in ("reflect", "replicate", "circular"):
            return calls.pad(x, pads, mode)
        if mode == "linear":
            return calls.interpolate(x, new, mode=("linear", "bilinear", "trilinear")[dims - 1], align_corners=aligned)
        return calls.interpolate(x, new, mode=mode, **({"align_corners": aligned} if mode == "bicubic" else {}))

    inputs = (batch, channels, *size), (batch, *new, 2)
    compared(function, [draws.numbers(*inputs[0]), draws.rng.uniform(-1.3, 1.3, inputs[1])], "float64")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mask", ["none", "causal", "true", "added"])
def test_attention(mask, seed):
    draws = Draws(seed)
    lead, heads = draws.one_of((), (2,), (3, 1)), draws.one_of(1, 4, 6)
    shared = draws.one_of(1, heads) if heads > 1 and draws.one_of(True, False) else heads
    queries, keys = draws.one_of(1, 5, 64, 130), draws.one_of(2, 33, 129)
    width, depth = draws.one_of(1, 8, 64), draws.one_of(1, 8, 64)
    shape = draws.one_of((queries, keys), (1, keys), (*lead, heads, queries, keys))
    seen = draws.rng.random(shape) < 0.7

    def function(library, query, key, value, bias):
        given = {"true": library.tensor(seen), "added": bias}.get(mask)
        call = library.nn.functional.scaled_dot_product_attention
        return call(query, key, value, given, is_causal=mask == "causal", enable_gqa=shared != heads)

    shapes = (*lead, heads, queries, width), (*lead, shared, keys, width), (*lead, shared, keys, depth), shape
    if mask == "true" and not seen.any(-1).all():
        return  # a query that sees nothing is nan or 0, depending on which of PyTorch's kernels is asked
    compared(function, [draws.rng.standard_normal(each) for each in shapes], "float64")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses_of_classes(reduction, seed):
    draws = Draws(seed)
    classes, rows, more = (
        draws.one_of(1, 2, 10, 33, 257),
        draws.one_of(1, 33, 257, 4097),
        draws.one_of((), (5,), (3, 4)),
    )
    rows = rows if rows * classes * np.prod(more, dtype=int) < 300_000 else 3
    wanted, ignored = draws.rng.integers(0, classes, (rows, *more)), draws.one_of(-100, 0, classes - 1)
    wanted[draws.rng.random(wanted.shape) < 0.2] = ignored
    wanted.reshape(-1)[0] = classes // 2
    smoothing, weighed = draws.one_of(0.0, 0.1), draws.one_of(True, False)
    if ignored == classes // 2 or (reduction == "mean" and (wanted == ignored).all()):
        return  # the mean of nothing

    def function(library, scores, weight):
        weight = weight.detach().abs() + 0.1 if weighed else None
        return library.nn.functional.cross_entropy(
            scores, library.tensor(wanted), weight, ignore_index=ignored, reduction=reduction, label_smoothing=smoothing
        )

    compared(function, [draws.numbers(rows, classes, *more), draws.numbers(classes)], draws.dtype)


@pytest.mark.parametrize("seed", seeds(80))
@pytest.mark.parametrize("write", [False, True])
def test_elements_that_are_named(write, seed):
    """Read or written by slices, numbers, positions, a mask and new dimensions, all in one index."""
    draws, index = Draws(seed), []
    shape = draws.shape(draws.between(1, 4))
    order, count = [int(each) for each in draws.rng.permutation(len(shape))], draws.between(1, 9)
    for length in [shape[each] for each in order]:
        match draws.one_of("all", "step", "number", "positions", "mask", "new"):
            case "all":
                index.append(slice(None))
            case "step":
                index.append(slice(draws.between(0, length - 1), None, draws.between(1, 3)))
            case "number":
                index.append(draws.between(-length, length - 1))
            case "positions":
                index.append(draws.rng.integers(-length, length, count))
            case "mask":
                index.append(draws.rng.permutation(length) < min(count, length))
            case "new":
                index += [None, slice(None)]
    named = [int(each.sum()) if each.dtype == bool else len(each) for each in index if isinstance(each, np.ndarray)]
    if len({1, *named}) > 2:
        return  # which do not go together

    def function(library, x, y):
        x = x.permute(order)
        key = tuple([library.tensor(each) if isinstance(each, np.ndarray) else each for each in index])
        if not write:
            return x[key] * y
        x = x * 1
        x[key] = y
        return x

    compared(function, [draws.numbers(*shape), draws.numbers(1)], "float64")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_windows_that_are_pooled(kind, seed):
    draws = Draws(seed)
    dims = draws.between(1, 3)
    kernel, stride, apart = ([draws.between(1, most) for _ in range(dims)] for most in (4, 4, 2))
    padding = [draws.between(0, each // 2) for each in kernel]
    most = (400, 40, 12)[dims - 1]
    size = [(taps - 1) * step + draws.between(1, most) for taps, step in zip(kernel, apart, strict=True)]
    batch, channels, ceil = draws.one_of(1, 2, 33), draws.one_of(1, 3, 17), draws.one_of(True, False)

    def function(library, x):
        call = getattr(library.nn.functional, f"{kind}_pool{dims}d")
        return call(x, kernel, stride, padding, *([apart, ceil] if kind == "max" else [ceil]))

    compared(function, [draws.numbers(batch, channels, *size)], draws.dtype)


@pytest.mark.parametrize("seed", seeds(80))
@pytest.mark.parametrize("transposed", [False, True])
def test_convolutions(transposed, seed):
    draws = Draws(seed)
    dims, groups, batch = draws.between(1, 3), draws.one_of(1, 1, 2, 4, 16), draws.one_of(1, 2, 33)
    kernel, stride, apart = ([draws.between(1, most) for _ in range(dims)] for most in (5, 3, 2))
    padding = [draws.between(0, (taps - 1) * step) for taps, step in zip(kernel, apart, strict=True)]
    most = (900, 30, 9)[dims - 1]
    size = [(taps - 1) * step + draws.between(1, most) for taps, step in zip(kernel, apart, strict=True)]
    size[-1] += draws.one_of(0, 32, 64) if dims > 1 else 0
    channels, filters = (1, draws.one_of(1, 2)) if groups == 16 else (draws.one_of(1, 3, 8), draws.one_of(1, 4, 16))
    weight = (groups * channels, filters, *kernel) if transposed else (groups * filters, channels, *kernel)

    def function(library, x, weight, bias):
        if transposed:
            call = getattr(library.nn.functional, f"conv_transpose{dims}d")
            return call(x, weight, bias, stride, padding, 0, groups, apart)
        return getattr(library.nn.functional, f"conv{dims}d")(x, weight, bias, stride, padding, apart, groups)

    if transposed and any(
        (length - 1) * step - 2 * pad + (taps - 1) * each + 1 <= 0
        for length, step, pad, taps, each in zip(size, stride, padding, kernel, apart, strict=True)
    ):
        return  # there is no place left
    inputs = (batch, groups * channels, *size), weight, (groups * filters,)
    compared(function, [draws.numbers(*each) for each in inputs], draws.dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_the_nearest_place(dims, mode, dtype):
    """Where a place falls between two, the last digit decides: PyTorch computes it in float32 for images and bytes."""
    for old, new in [(6, 74), (14, 46), (29, 47), (22, 31), (9, 58), (24, 37)]:
        results = []
        for library in LIBRARIES:
            x = library.arange(old).to(getattr(library, dtype)).reshape(1, 1, *[1] * (dims - 1), old)
            results.append(library.nn.functional.interpolate(x, size=[1] * (dims - 1) + [new], mode=mode).tolist())
        assert results[0] == results[1], (old, new)


def gradient_of(library, function, *inputs):
    """The gradients of the sum of a function's results."""
    inputs = [each.requires_grad_() for each in inputs]
    result = function(*inputs)
    return library.autograd.grad(result, inputs, library.ones_like(result))


FOUND = {
    "roll without dimensions": lambda t: t.roll(t.arange(6).reshape(2, 3), 2, None),
    "roll of one element": lambda t: t.roll(t.tensor(5), 2, None),
    "gradient of a product of real parts": lambda t: gradient_of(
        t, lambda x: x.prod(0, dtype=t.float64), t.tensor([[1 + 2j, 2 - 1j], [3 + 1j, 0.5 + 1j]])
    ),
    "one image in either order": lambda t: [
        t.ones(shape).is_contiguous(memory_format=t.channels_last)
        for shape in [
            (1, 1, 1, 26),
            (1, 17, 1, 1),
            (2, 1, 3, 4),
            (1, 2, 3, 4),
            (2, 3, 1, 1),
            (0, 3, 2, 2),
            (2, 0, 3, 3),
        ]
    ],
    "nothing divided by zero": lambda t: t.zeros(3, 0, dtype=t.uint8) // t.zeros(3, 1, dtype=t.int64),
    "something divided by zero": lambda t: t.zeros(3, 1, dtype=t.uint8) // t.zeros(3, 1, dtype=t.int64),
    "remainders of two half precisions": lambda t: gradient_of(
        t, t.fmod, t.tensor([5.0, -7.5], dtype=t.bfloat16), t.tensor([2.0, 3.0], dtype=t.float16)
    ),
    "a number to a complex power": lambda t: gradient_of(t, lambda x, y: (x**y).real, t.tensor(2.0), t.tensor(1 + 1j))[
        0
    ].round(decimals=5),
    "no image unpooled": lambda t: t.nn.functional.max_unpool2d(
        t.ones(0, 3, 2, 2), t.zeros(0, 3, 2, 2, dtype=t.int64), 2
    ),
    "areas under nothing": lambda t: [
        t.cumulative_trapezoid(t.ones(0)),
        t.cumulative_trapezoid(t.ones(0, 2), dim=0),
        t.cumulative_trapezoid(t.ones(7, 1, 0, dtype=t.int64), dim=2),
        t.cumulative_trapezoid(t.ones(0), t.ones(0)),
    ],
    "more cut off than there is": lambda t: t.nn.functional.pad(t.ones(1, 1), [4, -2]),
    "more cut off than there is, of masks": lambda t: t.nn.functional.pad(t.ones(1, 9, 2, dtype=t.bool), [2, -3]),
    "nothing continued by nothing": lambda t: t.nn.functional.pad(t.ones(4, 0), [0, 0], mode="circular"),
    "all cut off": lambda t: t.nn.functional.pad(t.ones(4, 3), [-1, -2], mode="circular"),
    "softmax of whole numbers": lambda t: t.softmax(t.ones(3, 4, dtype=t.int32), 0),
    "softmax of whole numbers along rows": lambda t: t.log_softmax(t.ones(3, 4, dtype=t.int32), -1),
    "unflatten without dimensions": lambda t: t.ones(()).unflatten(0, [1, 1]),
    "norm of nothing": lambda t: t.linalg.vector_norm(t.ones(3, 0), -1, -1),
    "largest of nothing": lambda t: t.ones(0, 4).amax([-2]),
    "largest of nothing along one": lambda t: t.ones(0, 4).max(-2),
    "a batch of nothing": lambda t: gradient_of(
        t,
        lambda x, w, b: t.nn.functional.batch_norm(x, None, None, w, b, True),
        *(t.ones(each) for each in [(33, 2, 0), (2,), (2,)]),
    ),
}


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("call", FOUND.values(), ids=FOUND)
def test_calls_that_drawing_has_found(call):
    """A result to the last digit, or the type and the first line of an error."""
    outcomes = []
    for library in LIBRARIES:
        try:
            result = call(library)
            result = result if isinstance(result, (list, tuple)) else [result]
            outcomes.append(
                [
                    [str(each.dtype), each.shape, each.tolist()] if isinstance(each, library.Tensor) else each
                    for each in result
                ]
            )
        except (RuntimeError, IndexError) as error:
            outcomes.append((type(error).__name__, str(error).splitlines()[0]))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gradients_of_wide_weights_beside_half_precision(dtype, training):
    """They are as exact as the weights, not as the images."""
    result, rng = [], np.random.default_rng(0)
    numbers = [rng.standard_normal(shape).round(2) for shape in [(33, 5, 7), (5,), (5,), (5,)]]
    for library in LIBRARIES:
        x = library.tensor(numbers[0]).to(getattr(library, dtype))
        weight, bias, mean = (library.tensor(each, dtype=library.float32) for each in numbers[1:])
        leaves = weight.requires_grad_(), bias.requires_grad_()
        y = library.nn.functional.batch_norm(x, mean, mean.abs() + 1, *leaves, training)
        grads = library.autograd.grad(y, leaves, x)
        result.append([each.numpy() for each in grads])
    for expected, ours in zip(*result, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=2e-5, atol=1e-4)
