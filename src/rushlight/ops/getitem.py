"""Reading and writing by `x[index]`.

An index of integers, slices, `...` and None is one view. Index arrays come second: they read a copy of that view, as
`index` does, whose gradient adds up what was read twice; or they write to it in place.
"""

from __future__ import annotations

import sys
from numbers import Number
from operator import index as as_integer

import numpy as np

from rushlight.arrays.index_items import ALL, MASKS, Selection, check_mask, checked, is_plain, truth
from rushlight.arrays.index_items import simple as simple_index
from rushlight.arrays.indexing import FEW, places_of
from rushlight.core.device import moved
from rushlight.core.dtype import C_NAMES, SCALAR_NAMES
from rushlight.core.noting import NOTING, note_write
from rushlight.core.storage import address
from rushlight.core.tensor import PLAIN_TYPES, Tensor, wrap
from rushlight.core.unresolved import Unresolved, beneath, marks_of
from rushlight.ops.declare import OPS, Direct, composite, linear, op
from rushlight.ops.kinds import raw_dtype
from rushlight.ops.shapes import wrapped

# Where a slice ends that has no end, as PyTorch writes it.
END = sys.maxsize

# ---- x[index] without index arrays: views


@linear(view=True)
class select:
    """The slice at position `index` along `dim`."""

    def forward(xp, input: Tensor, dim, index: int):
        return xp.select(input, dim, index)

    def d_input(F, g, input_shape, dim, index):
        return F.putitem(g, input_shape, (ALL,) * wrapped(dim, len(input_shape)) + (index, ...))

    samples = lambda r: [(r(4, 3), 0, 1), (r(4, 3), -1, -1), (r(3), 0, 2)]


@linear(view=True, spaces=())
class slice_view:
    """Every `step`-th slice from `start` up to `end` along `dim`."""

    def forward(xp, input: Tensor, dim, start, end, step):
        return xp.sliced(input, dim, start, end, step)

    def d_input(F, g, input_shape, dim, start, end, step):
        return F.putitem(g, input_shape, (ALL,) * dim + (slice(start, end, step), ...))

    node = "SliceBackward0"
    samples = lambda r: [(r(4, 3), 0, 1, 4, 2), (r(4, 3), 1, 0, END, 1), (r(3, 2), 0, 1, 1, 1), (r(4), 0, -3, -1, 1)]


@linear(view=True, spaces=())
class getitem_view:
    """The part that a tuple of integers, slices and Nones selects; it ends in `...`, so that the result is an array."""

    def forward(xp, input: Tensor, index):
        return input[index]

    def d_input(F, g, input_shape, index):
        return F.putitem(g, input_shape, index)

    node = "AliasBackward0"
    samples = lambda r: [
        (r(4, 3), (1, ...)), (r(4, 3), (slice(0, 4, 2), None, -1, ...)), (r(3), (...,)), (r(3, 2), (slice(1, 1), ...)),
    ]  # fmt: skip


@linear(spaces=(), exact=True, out=False)
class putitem:
    """Zeros of `shape` with `input` in the part that an index selects."""

    def forward(xp, input: Tensor, shape, index):
        return xp.part_of_zeros(input, shape, index)

    def d_input(F, g, index):
        return F.getitem_view(g, index)

    node = "SelectBackwardBackward0 if len(index) > 1 and isinstance(index[-2], int) else SliceBackwardBackward0"
    samples = lambda r: [(r(3), (4, 3), (1, ...)), (r(2, 1), (4, 3), (slice(0, 4, 2), None, -1, ...))]


@composite(
    samples=lambda r: [(r(4, 3), 0, 1, 2), (r(4, 3), -1, 0, 3), (r(3), 0, 3, 0)], method_names={"dim": "dimension"}
)
def narrow(F, input, dim, start: Tensor | int, length):
    """The `length` slices from `start` on along `dim`."""
    if not input.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start.ndim or raw_dtype(start).kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    dim, start, length = wrapped(dim, input.ndim), as_integer(start), as_integer(length)
    size = input.shape[dim]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [-{size}, {size}], but got {start})")
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return F.slice_view(input, dim, start, start + length, 1)


def step_of(index) -> tuple:
    """The view operation that `x[index]` is, as (function, arguments), for a number or a slice."""
    if type(index) is int:
        return OPS["select"].function, (0, index)
    return OPS["slice_view"].function, (0, index.start or 0, END if index.stop is None else index.stop, 1)


Tensor._step_of = staticmethod(step_of)


@composite(
    spaces=(),
    method="__getitem__",
    direct=(
        Direct("type(index) is int", "select", {"dim": "0"}, "input_array[_key := (index, ...)]", step="_key"),
        Direct(
            "type(index) is slice and index.step is None and type(start := index.start) in BOUND "
            "and type(end := index.stop) in BOUND",
            "slice_view",
            {"dim": "0", "start": "start or 0", "end": f"{END} if end is None else end", "step": "1"},
            "input_array[index]",
            step="(index, ...)",
        ),
    ),
    samples=lambda r: [
        (r(4, 3), 1),
        (r(4, 3), (slice(None), 2)),
        (r(4, 3), (slice(1, 4, 2), None)),
        (r(4, 3), ...),
        (r(4, 3), r.integers(4, 2)),
        (r(4, 3), r.booleans(4, 3)),
        (r(4, 3), (r.integers(4, 2), r.integers(3, 2, 1))),
    ],
)
def getitem(F, input, index):
    """`input[index]`: views for integers, slices, `...` and None; a copy for index arrays, lists and masks."""
    kind = type(index)
    try:
        if kind is int:
            return F.select(input, 0, index)
        if kind is slice and is_plain(index):
            return F.slice_view(input, 0, index.start or 0, END if index.stop is None else index.stop, 1)
        basic = simple_index(input.ndim, index)
        if basic is not None:
            return viewed(F, input, basic)
    except IndexError:
        pass  # what follows meets the error again and explains it
    positions = _positions(index) if type(index) in PLAIN_TYPES else None
    if positions is not None and type(input._array) is np.ndarray and input.ndim:
        if positions.dtype == np.int64:
            return F.index(input, (positions.copy() if input.requires_grad else positions,))
        if positions.shape == input._array.shape:
            return F.index(input, tuple(places_of(positions)) if positions.size >= FEW else positions.nonzero())
    view, indices = located(F, input, index)
    return view if indices is None else F.index(view, indices)


def viewed(F, input, index: tuple):
    """The view of a basic index that ends in `...`: step by step where the steps are recorded, else at once."""
    if len(index) > 2 and not input.requires_grad and None not in index:
        return F.getitem_view(input, index)
    dim, start = 0, input
    for item in index[:-1]:
        if item is None:
            input, dim = F.unsqueeze(input, dim), dim + 1
        elif type(item) is int:
            input = F.select(input, dim, item)
        else:
            if item != ALL or len(index) == 2:
                input = F.slice_view(
                    input, dim, item.start or 0, END if item.stop is None else item.stop, item.step or 1
                )
            dim += 1
    return F.getitem_view(input, index) if input is start else input


@composite(spaces=(), method="__reversed__", samples=lambda r: [(r(3, 2),), (r(),)])
def backwards(F, input):
    """A copy with the order along the first dimension reversed."""
    return F.flip(input, (0,)) if input.ndim else input


@composite(spaces=(), method="__contains__", samples=lambda r: [(r(2, 3), 0.5), (r.integers(2, 4), 1)])
def contains(F, input, element):
    """Whether any element equals `element`, a number or a tensor that broadcasts."""
    if not isinstance(element, (Tensor, Number)):
        error = RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )
        error.add_note("A tensor holds numbers only.")
        raise error
    return bool(F.any(F.eq(input, element)))


@composite(spaces=(), method="__iter__")
def iterate(F, input):
    """An iterator over the slices along the first dimension."""
    if not input.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(F.unbind(input, 0))


def located(F, input, index) -> tuple:
    """The view that the basic part of an index selects, and the index arrays to apply to it, None if there are none."""
    selection = Selection(input.ndim, index, copies=input.requires_grad)
    view = _viewed(F, input, selection)
    selection.check_masks(tuple(view.shape))
    return view, _placed(input, selection.indices) or None


def _viewed(F, input, selection):
    """The view of a basic index; `input` itself where something else follows that selects from all of it."""
    if selection.indices and not any(each != ALL for each in selection.basic):
        return input
    try:
        return viewed(F, input, (*selection.basic, ...))
    except IndexError:
        raise selection.out_of_bounds(tuple(input.shape)) from None


def _placed(input, indices) -> tuple:
    """Index arrays on the device of what they index."""
    kind = type(beneath(input._array))
    return tuple(each if each is None or type(each) is kind else moved(each, input.device) for each in indices)


# ---- index arrays


@linear(spaces=(), exact=True, out=False)
class index:
    """What index arrays select, with None for a whole dimension; NumPy's rules say where the new dimensions go."""

    def forward(xp, input: Tensor, indices):
        return xp.take_indices(input, indices)

    def d_input(F, g, input_shape, indices):
        return F.placed_at(g, input_shape, indices)

    samples = lambda r: [
        (r(4, 3), (np.array([0, 0, 2]),)), (r(4, 3), (None, np.array([[0], [-1]]))),
        (r(4, 3, 2), (np.array([0, 0]), None, np.array([1, 1]))), (r(4, 3), (np.array([1, 1]), np.array([[2], [0]]))),
    ]  # fmt: skip


@linear(spaces=(), out=False)
class placed_at:
    """Zeros of `shape` with `input` added where index arrays say: the transpose of `index`."""

    def forward(xp, input: Tensor, shape, indices):
        return xp.placed_at(input, shape, indices)

    def d_input(F, g, indices):
        return F.index(g, indices)

    node = "IndexBackwardBackward0"
    samples = lambda r: [(r(3, 3), (4, 3), (np.array([0, 0, 2]),)), (r(4, 2, 1), (4, 3), (None, np.array([[0], [-1]])))]


# ---- x[index] = value


@composite(spaces=(), method="__setitem__")
def setitem(F, input, index, value):
    """`input[index] = value`: writes through the view that the index selects, or to the places that its arrays name."""
    basic = simple_index(input.ndim, index) if type(input) in PLAIN_TYPES else None
    if index is False or (type(input) in PLAIN_TYPES and _written(input, index, basic, value)):
        return
    view, indices = _target(F, input, index, basic)
    value = _value(input, value)
    if indices is None:
        _check_overlap(view, value)
        view.copy_(_stretched(F, value, tuple(view.shape)))
        return
    if _is_single(value) and raw_dtype(value) != raw_dtype(view) and _is_masked(index):
        value = value.to(view.dtype)
    F.put_indices_(view, indices, _without_ones(F, value))


def _target(F, input, index, basic) -> tuple:
    """The view to write to, and the index arrays that name places in it, None if there are none."""
    if basic is not None:
        try:
            return (F.getitem_view(input, basic) if len(basic) > 1 else input), None
        except IndexError:
            pass  # what follows meets the error again and explains it
    return located(F, input, index)


@composite(spaces=(), method="__delitem__")
def delitem(F, input, index):
    """Always a TypeError: elements can be written, not removed."""
    raise TypeError("Tensor does not support deleting items")


def _written(input, index, basic, value) -> bool:
    """Whether NumPy did the whole: no gradient is involved, and the value needs no conversion."""
    array = input._array
    if basic is not None and _is_own_part(input, basic, value):
        return _count(input)  # `x[index] += y` has written already, and stores what it wrote
    if input._edge is not None or input._storage.inference or type(array) is not np.ndarray:
        return False
    if input._base is not None and not _is_plain_memory(input):
        return False
    key = basic if basic is not None else _positions(index) if type(index) in PLAIN_TYPES else None
    found = _raw_value(input, value)
    if key is None or found is None:
        return False
    try:
        array[key] = found
    except (IndexError, ValueError, OverflowError, TypeError):
        return False  # the long way explains, or resolves the value
    return _count(input)


def _count(input) -> bool:
    input._storage.written()
    if NOTING:
        note_write(input._storage, 4, None)
    return True


def _is_plain_memory(view) -> bool:
    """Whether a view may be written to without a look at its base: no history, and no element is there twice."""
    return view._array.flags.c_contiguous and view._creation is None and not view.requires_grad


def _is_own_part(input, basic: tuple, value) -> bool:
    """Whether a value is the very view of `input` that it is assigned to."""
    base = input if input._base is None else input._base
    if type(value) is not Tensor or value._base is not base:
        return False
    try:
        whole, own = input._array, value._array
        if type(whole) is Unresolved or type(own) is Unresolved:
            if marks_of(whole) != marks_of(own):
                return False
            whole, own = beneath(whole), beneath(own)
        part = whole[basic]
    except IndexError:
        return False
    if part.shape != own.shape or part.strides != own.strides or part.dtype != own.dtype:
        return False
    return address(part) == address(own)


def _positions(index):
    """The array of an index tensor that means the same to NumPy."""
    array = index._array
    return array if array.ndim and type(array) is np.ndarray and array.dtype in (np.int64, np.bool_) else None


def _raw_value(input, value):
    """What NumPy can write as it is: an array of the same dtype elsewhere in memory, or a number that surely fits."""
    array, kind = input._array, type(value)
    if kind in FITTING:
        return value if array.dtype.kind in FITTING[kind] and array.itemsize >= 4 and -LARGE < value < LARGE else None
    if kind not in PLAIN_TYPES or value._edge is not None or value._storage.rewritten:
        return None
    return value._array if value._storage is not input._storage and value._array.dtype is array.dtype else None


# The kinds of NumPy dtypes that hold a Python number of a type, up to a size that every wide floating dtype holds.
FITTING = {float: "fc", int: "fciu", bool: "fciu"}
LARGE = 3e38


def _value(input, value):
    """What is assigned, as a tensor."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray):
        return wrap(value if value.dtype == raw_dtype(input) or not value.ndim else value.astype(raw_dtype(input)))
    if isinstance(value, (bool, int, float, complex, np.generic)):
        array = np.asarray(number_in(value.item() if isinstance(value, np.generic) else value, input.dtype))
        return wrap(array if type(input._array) is np.ndarray else moved(array, input.device))
    raise TypeError(f"can't assign a {type(value).__name__} to a torch.{SCALAR_NAMES[input.dtype]}Tensor")


def number_in(number, kind):
    """A Python number as an array of a dtype. Raises RuntimeError in PyTorch's words if the dtype cannot hold it."""
    target = getattr(kind, "numpy", kind)  # of a tensor, or of a raw array
    if target.kind == "b":
        return np.asarray(bool(number))
    fits = not isinstance(number, complex) or target.kind == "c" or number.imag == 0
    if isinstance(number, complex) and target.kind != "c":
        number = number.real
    if fits and target.kind in "iu":
        limits = np.iinfo(target)
        fits = number == number and abs(number) != float("inf")
        low = limits.min if target.kind == "i" else -limits.max
        fits = fits and low <= number <= limits.max
        number = int(number) if fits else number
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[kind]} without overflow")
    return np.asarray(number).astype(target)


def _is_single(value) -> bool:
    return value.ndim == 0 or value.numel() == 1


def _is_masked(index) -> bool:
    return isinstance(index, Tensor) and raw_dtype(index).kind == "b"


def _without_ones(F, value):
    """A value without leading dimensions of size 1."""
    shape = tuple(value.shape)
    extra = next((at for at, length in enumerate(shape) if length != 1), len(shape))
    return F.view(value, shape[extra:]) if extra else value


def _stretched(F, value, shape: tuple):
    """A value with the leading ones that it has too many dropped, expanded to a shape that is not its own."""
    if value.ndim == 0 or tuple(value.shape) == shape:
        return value
    value = _without_ones(F, value)
    return value if value.ndim == 0 or tuple(value.shape) == shape else F.expand(value, shape)


def _check_overlap(target, source) -> None:
    """Memory may not be read while it is written to, unless it is the very same elements."""
    if source._storage is not target._storage or source._array.size == 0 or target._array.size == 0:
        return
    read, written = beneath(source._array), beneath(target._array)
    if not (written.flags.forc and read.flags.forc) or not np.may_share_memory(written, read):
        return
    if target.data_ptr() == source.data_ptr() and written.strides == read.strides:
        return
    raise RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )


@op(spaces=(), exact=True, out=False, inplace=True)
class put_indices:
    """`input` with what index arrays select replaced by `values`, or with `accumulate` increased by them."""

    def forward(xp, input: Tensor, indices, values: Tensor, accumulate=False):
        if input.dtype != values.dtype:
            raise RuntimeError(
                "Index put requires the source and destination dtypes match, got "
                f"{xp.scalar_name(input)} for the destination and {xp.scalar_name(values)} for the source."
            )
        return xp.put_indices(input, indices, values, accumulate)

    def d_input(F, g, indices, accumulate):
        return g if accumulate else F.put_indices(g, indices, F.new_zeros_of(g, ()))

    def d_values(F, g, values_shape, indices):
        return F.fit(F.index(g, indices), values_shape, raw_dtype(g))

    node = "IndexPutBackward0"
    samples = lambda r: [
        (r(4, 3), (np.array([0, 2]),), r(2, 3)), (r(4, 3), (np.array([0, 0]),), r(3), True),
        (r(4, 3), (None, np.array([1, -1])), r(4, 1)), (r(4, 3), (np.array([0, 1]), np.array([0, 2])), r()),
    ]  # fmt: skip


@composite(
    inplace=True,
    out=False,
    samples=lambda r: [
        (r(3, 4), (r.integers(3, 2), r.integers(4, 2)), r(2)),
        (r(3, 4), (r.integers(3, 5),), r(5, 4), True),
        (r(4), (r.booleans(4),), r()),
    ],
)
def index_put(F, input, indices: Tensors, values, accumulate=False):
    """`input` with `values` at the places that index tensors or masks name, one per dimension."""
    return F.put_indices(input, _index_arrays(input, indices), values, accumulate)


def _index_arrays(input, indices) -> tuple:
    """Index tensors as arrays; masks become positions."""
    found: list = []
    for each in indices:
        array = checked(each._array)
        if array.dtype in MASKS:
            check_mask(tuple(input.shape), len(found), array)
            found += truth(array).nonzero()
        else:
            found.append(array.astype(np.int64))
    if len(found) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim} (got {len(found)})")
    return _placed(input, found)
