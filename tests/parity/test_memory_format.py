"""Memory formats: results, and gradients of leaves, have PyTorch's strides, however the images lie that go in."""

import itertools

import numpy as np
import pytest

import rushlight
from rushlight.declarations.declare import NOTHING, OPS, TENSOR

LAST = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
SHAPES = {
    "images": (2, 3, 4, 6),
    "one image": (1, 3, 4, 6),
    "one channel": (2, 1, 4, 6),
    "one pixel": (2, 3, 1, 1),
    "one row": (1, 3, 1, 6),
    "volumes": (2, 3, 4, 2, 6),
    "one volume": (1, 3, 4, 2, 6),
}


def ordered(torch, shape, order):
    """Numbers between 0 and 1 whose dimensions lie in that order, the outermost first."""
    memory = np.random.default_rng(0).random([shape[dim] for dim in order]) * 0.8 + 0.1
    return torch.from_numpy(memory.astype(np.float32)).permute(*np.argsort(order).tolist())


def last(torch, shape):
    return ordered(torch, shape, LAST[len(shape)])


def plain(torch, shape):
    return ordered(torch, shape, range(len(shape)))


LAYOUTS = {
    "contiguous": plain,
    "channels last": last,
    "permuted": lambda torch, shape: ordered(torch, shape, (1, 0, 3, 2, *range(4, len(shape)))),
    "reversed": lambda torch, shape: ordered(torch, shape, range(len(shape))[::-1]),
    "channel expanded": lambda torch, shape: plain(torch, (shape[0], 1, *shape[2:])).expand(shape),
    "batch expanded": lambda torch, shape: last(torch, (1, *shape[1:])).expand(shape),
    "every other column": lambda torch, shape: plain(torch, (*shape[:-1], 2 * shape[-1]))[..., ::2],
    "every other channel": lambda torch, shape: last(torch, (shape[0], 2 * shape[1], *shape[2:]))[:, ::2],
    "half of the columns": lambda torch, shape: last(torch, (*shape[:-1], 2 * shape[-1]))[..., : shape[-1]],
    "one of several": lambda torch, shape: last(torch, (2, *shape[1:]))[0][None].expand(shape),
}
PAIRS = [
    ("channels last", "contiguous"),
    ("contiguous", "channels last"),
    ("channels last", "channels last"),
    ("permuted", "channels last"),
    ("channels last", "channel expanded"),
    ("channel expanded", "channels last"),
    ("every other column", "channels last"),
    ("every other channel", "contiguous"),
    ("contiguous", "reversed"),
    ("batch expanded", "contiguous"),
]


def of(torch):
    return torch.nn.functional


def of_images(name, **named):
    """A function of `nn.functional` for images, and its sister for volumes."""
    return lambda torch, x: getattr(torch.nn.functional, name.replace("2d", f"{x.ndim - 2}d"))(x, **named)


def interpolated(mode, of_volumes=None, **named):
    """`interpolate` to twice the size, unless it is named; a mode that there is of images only leaves volumes alone."""

    def call(torch, x):
        kind = mode if x.ndim == 4 else of_volumes
        settings = named or {"scale_factor": 2}
        return x * 1 if kind is None else torch.nn.functional.interpolate(x, mode=kind, **settings)

    return call


LAYERS = {
    "max_pool": of_images("max_pool2d", kernel_size=2, stride=1, padding=1),
    "avg_pool": of_images("avg_pool2d", kernel_size=2, stride=1, padding=1),
    "adaptive_avg_pool": of_images("adaptive_avg_pool2d", output_size=2),
    "adaptive_avg_pool to one": of_images("adaptive_avg_pool2d", output_size=1),
    "adaptive_max_pool": of_images("adaptive_max_pool2d", output_size=2),
    "adaptive_max_pool to one": of_images("adaptive_max_pool2d", output_size=1),
    "nearest": interpolated("nearest", "nearest"),
    "nearest-exact": interpolated("nearest-exact", "nearest-exact"),
    "area": interpolated("area", "area", size=3),
    "linear": interpolated("bilinear", "trilinear"),
    "linear, the same size": interpolated("bilinear", "trilinear", scale_factor=1),
    "linear, antialias": interpolated("bilinear", size=(3, 3), antialias=True),
    "cubic": interpolated("bicubic"),
    "cubic, antialias": interpolated("bicubic", size=(3, 3), antialias=True),
    "constant": lambda torch, x: torch.nn.functional.pad(x, (1, 1, 1, 0)),
    "replicate": lambda torch, x: torch.nn.functional.pad(x, (1, 1) * (x.ndim - 2), mode="replicate"),
    "group_norm": lambda torch, x: torch.nn.functional.group_norm(x, 1),
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x, x.shape[1:]),
    "dropout": lambda torch, x: torch.nn.functional.dropout(x),
    "softmax": lambda torch, x: x.softmax(1),
    "prelu": lambda torch, x: torch.nn.functional.prelu(x, torch.ones(x.shape[1])),
    "unpool": lambda torch, x: getattr(torch.nn.functional, f"max_unpool{x.ndim - 2}d")(
        *getattr(torch.nn.functional, f"max_pool{x.ndim - 2}d")(x, 1, return_indices=True), 1
    ),
    "two channels": lambda torch, x: torch.cat([x, x.clone()], 1),
    "sum": lambda torch, x: x.sum(1, keepdim=True),
    "mean": lambda torch, x: x.mean((2, 3), keepdim=True),
    "amax": lambda torch, x: x.amax(1, keepdim=True),
    "times a factor a channel": lambda torch, x: x * x[:1, :, :1, :1],
    "times one channel": lambda torch, x: x * x[:, :1],
    "times a number": lambda torch, x: x * 2.5,
    "masked": lambda torch, x: x.masked_fill(x > 0.5, 0.0),
    "chosen": lambda torch, x: torch.where(x > 0.5, x, 0.0),
    "bounded": lambda torch, x: x.clamp(0.2, 0.6),
    "logsigmoid": lambda torch, x: torch.nn.functional.logsigmoid(x),
    "half precision": lambda torch, x: x.half(),
    "float64": lambda torch, x: x.double(),
    "to channels last": lambda torch, x: x.to(memory_format=named_last(torch, x)),
    "contiguous in channels last": lambda torch, x: x.contiguous(memory_format=named_last(torch, x)),
    "cloned in channels last": lambda torch, x: x.clone(memory_format=named_last(torch, x)),
    "to contiguous": lambda torch, x: x.to(memory_format=torch.contiguous_format),
}
IMAGES_ONLY = {
    "conv2d": lambda torch, x: of(torch).conv2d(x, plain(torch, (5, x.shape[1], 3, 3)), padding=1),
    "conv2d, weight last": lambda torch, x: of(torch).conv2d(x, last(torch, (5, x.shape[1], 3, 3)), padding=1),
    "depthwise": lambda torch, x: torch.nn.functional.conv2d(
        x, plain(torch, (x.shape[1], 1, 3, 3)), padding=1, groups=x.shape[1]
    ),
    "conv_transpose2d": lambda torch, x: of(torch).conv_transpose2d(x, plain(torch, (x.shape[1], 5, 3, 3)), stride=2),
    "reflect": lambda torch, x: torch.nn.functional.pad(x, (0, 0, 1, 0), mode="reflect") if x.shape[2] > 1 else x * 1,
    "circular": lambda torch, x: torch.nn.functional.pad(x, (1, 1, 1, 1), mode="circular"),
    "pixel_shuffle": lambda torch, x: torch.nn.functional.pixel_shuffle(x.repeat(1, 4, 1, 1), 2),
    "grid_sample": lambda torch, x: torch.nn.functional.grid_sample(
        x, torch.zeros(x.shape[0], 3, 3, 2), align_corners=False
    ),
}  # fmt: skip


def named_last(torch, x):
    return torch.channels_last if x.ndim == 4 else torch.channels_last_3d


def kinds(operands: int) -> list[str]:
    """The public operators that are computed element by element of so many tensors, and need nothing else."""
    return sorted(each.name for each in OPS.values() if is_of(each, operands))


def is_of(op, operands: int) -> bool:
    if op.kind != "elementwise" or op.view or "torch" not in op.spaces:
        return False
    needed = [each for each in op.arguments if each.default is NOTHING or each.role == TENSOR]
    return [each.role for each in needed] == [TENSOR] * operands


COMPOSED = {"rsub", "ldexp"}  # PyTorch makes them of other operators, with the operands in another order


def strides_of(tensor) -> tuple:
    """The shape and the strides, where a dimension has more than one element."""
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    return shape, tuple(step for length, step in zip(shape, strides, strict=True) if length != 1)


def found(torch, function, *operands) -> list:
    """How the result and the gradients of the operands lie, which are leaves."""
    leaves = [each.detach().requires_grad_() for each in operands]
    result = function(torch, *leaves)
    lying = [strides_of(result)]
    if result.requires_grad:
        try:
            (result.abs() if result.is_complex() else result).sum().backward()
        except RuntimeError:
            return [*lying, "refused"]
        lying += [strides_of(each.grad) for each in leaves if each.grad is not None]
    return lying


def alike(pytorch, function, layouts, shape):
    ours = found(rushlight, function, *[LAYOUTS[each](rushlight, shape) for each in layouts])
    assert ours == found(pytorch, function, *[LAYOUTS[each](pytorch, shape) for each in layouts])


def refuses(function, *arguments) -> bool:
    try:
        function(*arguments)
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_images_lie_so_to_begin_with(shape, pytorch):
    for layout in LAYOUTS.values():
        assert strides_of(layout(rushlight, shape)) == strides_of(layout(pytorch, shape))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_layers(shape, layout, pytorch):
    for name, layer in (LAYERS | IMAGES_ONLY if len(shape) == 4 else LAYERS).items():
        if name == "prelu" and layout == "one of several" and shape[0] == 1:
            continue
        try:
            alike(pytorch, layer, [layout], shape)
        except AssertionError as error:
            error.add_note(name)
            raise


@pytest.mark.parametrize("name", kinds(1))
def test_elementwise(name, pytorch):
    def function(torch, x):
        return getattr(torch, name)(x)

    if not hasattr(pytorch, name) or refuses(function, pytorch, pytorch.ones(2)):
        pytest.skip("not of one tensor of floats in PyTorch")
    for shape in SHAPES.values():
        for layout in LAYOUTS:
            alike(pytorch, function, [layout], shape)


@pytest.mark.parametrize("name", [each for each in kinds(2) if each not in COMPOSED])
def test_elementwise_of_two(name, pytorch):
    """The first operand that has an order of dimensions decides, unless all lie alike."""

    def function(torch, x, y):
        return getattr(torch, name)(x, y)

    if not hasattr(pytorch, name) or refuses(function, pytorch, pytorch.ones(2), pytorch.ones(2)):
        pytest.skip("not of two tensors of floats in PyTorch")
    for shape in SHAPES.values():
        for layouts in PAIRS:
            alike(pytorch, function, layouts, shape)
            if name != "pow":
                alike(pytorch, lambda torch, x, y: function(torch, x[:1, :, :1, :1], y), layouts, shape)
            if name not in ("complex", "polar"):
                alike(pytorch, lambda torch, x, y: function(torch, x, y.double()), layouts, shape)


# A copy of the input is changed in part, or put in order: it lies as a copy does.
CHANGED = {
    "sort": lambda torch, x: x.sort(0)[0],
    "indices of sort": lambda torch, x: x.sort(-1)[1],
    "argsort": lambda torch, x: x.argsort(0, descending=True),
    "msort": lambda torch, x: x.msort(),
    "index_fill": lambda torch, x: x.index_fill(0, torch.tensor([0]), 2.0),
    "index_fill of a tensor": lambda torch, x: x.index_fill(-1, torch.tensor([0]), torch.tensor(2.0)),
    "index_put": lambda torch, x: x.index_put((torch.tensor([0]),), x[:1]),
    "index_put, accumulate": lambda torch, x: x.index_put((torch.tensor([0, 0]),), x[:1], accumulate=True),
    "put": lambda torch, x: x.put(torch.tensor([1]), torch.ones(1)),
}
LIKE = {
    "clone": lambda torch, x: x.clone(),
    "to": lambda torch, x: x.to(torch.float64),
    "copy": lambda torch, x: x.to(torch.float32, copy=True),
    "int": lambda torch, x: x.int(),
    "zeros_like": lambda torch, x: torch.zeros_like(x),
    "empty_like": lambda torch, x: torch.empty_like(x, dtype=torch.int8),
    "full_like": lambda torch, x: torch.full_like(x, 2.0),
    "rand_like": lambda torch, x: torch.rand_like(x),
    **CHANGED,
}


@pytest.mark.parametrize("name", LIKE)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_formats_are_preserved(shape, name, pytorch):
    """Without gaps or overlaps, stride by stride, those of dimensions of size 1 too."""
    for layout in ("channels last", "permuted", "reversed", "batch expanded", "every other channel"):
        ours, theirs = (LIKE[name](torch, LAYOUTS[layout](torch, shape)) for torch in (rushlight, pytorch))
        assert ours.stride() == theirs.stride(), layout


def test_what_the_report_says(pytorch):
    for torch in (rushlight, pytorch):
        x = torch.rand(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)[0][None]
        assert x.stride() == (3, 1, 15, 3)
        assert x.double().stride() == (3, 1, 15, 3)
        assert x.is_contiguous(memory_format=torch.channels_last)
        pooled = torch.nn.AdaptiveAvgPool2d(1)(torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last))
        assert pooled.stride() == (3, 1, 3, 3)


RESIZED = [
    ((2, 3, 4, 5), {}),
    ((2, 3, 4, 5), {"memory_format": "channels_last"}),
    ((2, 3, 4, 2, 5), {"memory_format": "channels_last_3d"}),
    ((2, 3, 4, 5), {"memory_format": "contiguous_format"}),
]


@pytest.mark.parametrize(("size", "named"), RESIZED)
def test_resized_in_a_format(size, named, pytorch):
    for before in ((0,), size, (2,)):
        strides = []
        for torch in (rushlight, pytorch):
            formats = {key: getattr(torch, each) for key, each in named.items()}
            x = torch.empty(before)
            image = last(torch, size)
            strides.append([x.resize_(size, **formats).stride(), image.resize_(size, **formats).stride()])
            strides[-1] += [torch.empty(before).resize_as_(image, **formats).stride()]
            strides[-1] += [torch.empty(before).resize_as_(image, memory_format=torch.preserve_format).stride()]
        assert strides[0] == strides[1]


@pytest.mark.parametrize(
    "call",
    [
        lambda torch: torch.empty(0).resize_(2, 3, memory_format=torch.channels_last),
        lambda torch: torch.empty(0).resize_(2, 3, memory_format=torch.preserve_format),
        lambda torch: torch.empty(2, 3, memory_format=torch.preserve_format),
        lambda torch: torch.empty(0).resize_(2**40, 2**22),
        lambda torch: torch.ones(2, 3).contiguous(memory_format=torch.channels_last),
    ],
)
def test_formats_that_do_not_fit(call, pytorch):
    messages = []
    for torch in (rushlight, pytorch):
        with pytest.raises(RuntimeError) as caught:
            call(torch)
        messages.append(str(caught.value).splitlines()[0])
    assert messages[0] == messages[1]


STRIDED = {
    "dense": lambda torch: torch.ones(4, 3, 2),
    "every other": lambda torch: torch.ones(4, 3, 2)[:, :, ::2],
    "gaps": lambda torch: torch.empty_strided((4, 3, 2), (10, 3, 1)).fill_(1.0),
    "expanded": lambda torch: torch.empty_strided((4, 3, 2), (10, 0, 3)).fill_(1.0),
    "overlapping": lambda torch: torch.empty_strided((4, 3, 2), (10, 1, 2)).fill_(1.0),
    "equal strides": lambda torch: torch.empty_strided((4, 2, 3), (10, 3, 3)).fill_(1.0),
    "no strides": lambda torch: torch.empty_strided((4, 1, 1, 2), (10, 0, 0, 2)).fill_(1.0),
    "ones": lambda torch: torch.ones(1, 1, 4, 12)[:, :, :, ::2],
    "matrix": lambda torch: torch.empty_strided((3, 4), (9, 2)).fill_(1.0),
}
FROM_ONE = {
    "exp": lambda torch, x: torch.exp(x),
    "clone": lambda torch, x: x.clone(),
    "double": lambda torch, x: x.double(),
    "zeros_like": lambda torch, x: torch.zeros_like(x),
    "full_like": lambda torch, x: torch.full_like(x, 7),
    "rand_like": lambda torch, x: torch.rand_like(x),
    "randn_like": lambda torch, x: torch.randn_like(x),
    "randint_like": lambda torch, x: torch.randint_like(x, 10),
    "eq": lambda torch, x: torch.eq(x, x),
    "add a row": lambda torch, x: torch.add(torch.ones(x.shape[-1]), x),
    "exp, out=": lambda torch, x: torch.exp(x, out=torch.empty(0)),
    "eq, out=": lambda torch, x: torch.eq(x, x, out=torch.empty(0, dtype=torch.bool)),
    "add a row, out=": lambda torch, x: torch.add(x, torch.ones(x.shape[-1]), out=torch.empty(0)),
    **CHANGED,
}


@pytest.mark.parametrize("name", FROM_ONE)
@pytest.mark.parametrize("layout", STRIDED)
def test_every_order_of_dimensions(layout, name, pytorch):
    for order in itertools.permutations(range(STRIDED[layout](rushlight).ndim)):
        ours, theirs = (FROM_ONE[name](torch, STRIDED[layout](torch).permute(order)) for torch in (rushlight, pytorch))
        assert ours.stride() == theirs.stride(), order


@pytest.mark.parametrize("name", ["zeros_like", "empty_like", "rand_like", "randn_like", "randint_like"])
def test_a_format_may_be_asked_for(name, pytorch):
    more = (9,) if name == "randint_like" else ()
    for asked in ("channels_last", "contiguous_format", "preserve_format"):
        results = []
        for torch in (rushlight, pytorch):
            torch.manual_seed(1)
            made = getattr(torch, name)(last(torch, (2, 3, 4, 5)), *more, memory_format=getattr(torch, asked))
            results.append((made.stride(), made.tolist() if "rand" in name else None))
        assert results[0] == results[1]
