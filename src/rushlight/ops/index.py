"""Reading at positions: `x[index]`, and the functions that take positions or a mask.

An index of integers, slices, `...` and None is one view. Index arrays come second: they read a copy of that view, as
`index` does, whose gradient adds up what was read twice.
"""

from __future__ import annotations

import warnings
from operator import index as as_integer

import numpy as np

from rushlight.core.device import moved
from rushlight.core.dtype import C_NAMES, SCALAR_NAMES
from rushlight.core.dtype import int32 as INT32
from rushlight.core.dtype import int64 as INT64
from rushlight.core.tensor import PLAIN_TYPES, Tensor, wrap
from rushlight.ops.declare import composite, linear, op
from rushlight.ops.kinds import raw_dtype
from rushlight.ops.shapes import broadcast, wrapped

ALL = slice(None)
BOUND = frozenset((int, type(None)))

# ---- x[index] without index arrays: one view


@linear(view=True, spaces=())
class getitem_view:
    """The part that a tuple of integers, slices and Nones selects; it ends in `...`, so that the result is an array."""

    def forward(xp, input: Tensor, index):
        return input[index]

    def d_input(F, g, input_shape, index):
        return F.putitem(g, input_shape, index)

    node = "AliasBackward0 if len(index) == 1 else SelectBackward0 if isinstance(index[-2], int) else SliceBackward0"
    samples = lambda r: [
        (r(4, 3), (1, ...)), (r(4, 3), (slice(0, 4, 2), None, -1, ...)), (r(3), (...,)), (r(3, 2), (slice(1, 1), ...)),
    ]  # fmt: skip


@linear(spaces=(), exact=True, out=False)
class putitem:
    """Zeros of `shape` with `input` in the part that an index selects."""

    def forward(xp, input: Tensor, shape, index):
        out = xp.zeros_like(input, shape=shape)
        out[index] = input
        return out

    def d_input(F, g, index):
        return F.getitem_view(g, index)

    node = "SelectBackwardBackward0 if len(index) > 1 and isinstance(index[-2], int) else SliceBackwardBackward0"
    samples = lambda r: [(r(3), (4, 3), (1, ...)), (r(2, 1), (4, 3), (slice(0, 4, 2), None, -1, ...))]


@composite()
def select(F, input, dim, index):
    """The slice at position `index` along `dim`."""
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = wrapped(dim, input.ndim), as_integer(index)
    length = input.shape[dim]
    if not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return F.getitem_view(input, (ALL,) * dim + (index, ...))


@composite()
def narrow(F, input, dim, start, length):
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
    return F.getitem_view(input, (ALL,) * dim + (slice(start, start + length), ...))


@composite(spaces=(), method="__getitem__")
def getitem(F, input, index):
    """`input[index]`: a view for integers, slices, `...` and None; a copy for index arrays, lists and masks."""
    simple = _simple(input, index)
    if simple is not None:
        try:
            return F.getitem_view(input, simple) if type(simple) is tuple else F.unsqueeze(input, simple)
        except IndexError:
            pass  # what follows meets the error again and explains it
    if type(index) in PLAIN_TYPES and input.ndim:
        positions = index._array
        if positions.ndim and positions.dtype == np.int64 and type(positions) is type(input._array):
            return F.index(input, (positions.copy() if input.requires_grad else positions,))
    view, indices = located(F, input, index)
    return view if indices is None else F.index(view, indices)


@composite(spaces=(), method="__iter__")
def iterate(F, input):
    """An iterator over the slices along the first dimension."""
    if not input.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(F.unbind(input, 0))


def _simple(input, index) -> tuple | int | None:
    """The index of a view, or where a dimension is added, for the common cases without a step; they are fast ones."""
    kind = type(index)
    if kind is int:
        return (index, ...)
    if kind is slice:
        return (index, ...) if index.step is None and type(index.start) in BOUND and type(index.stop) in BOUND else None
    if index is None:
        return 0
    return _simple_tuple(input.ndim, index) if kind is tuple else None


def _simple_tuple(rank: int, index: tuple) -> tuple | int | None:
    others = 0  # what stands for no dimension: `...` and None
    for item in index:
        kind = type(item)
        if kind is slice:
            if item.step is not None or type(item.start) not in BOUND or type(item.stop) not in BOUND:
                return None
        elif item is None or item is Ellipsis:
            others += 1
        elif kind is not int:
            return None
    if len(index) - others > rank:
        return None
    return _without_dots(rank, index) if others else _trimmed(index)


def _without_dots(rank: int, index: tuple) -> tuple | int | None:
    """An index with one `...` or one None, the `...` written as whole dimensions."""
    if Ellipsis in index:
        at = index.index(Ellipsis)
        added = index.count(None)
        index = (*index[:at], *(ALL,) * (rank - len(index) + 1 + added), *index[at + 1 :])
        if Ellipsis in index:
            return None
    if None not in index:
        return _trimmed(index)
    at = index.index(None)
    return at if all(each == ALL for each in (*index[:at], *index[at + 1 :])) else None


def _trimmed(index: tuple) -> tuple:
    """An index without whole dimensions at the end."""
    end = len(index)
    while end and index[end - 1] == ALL:
        end -= 1
    return (*index[:end], ...)


# ---- what an index means


def located(F, input, index) -> tuple:
    """The view that the basic part of an index selects, and the index arrays to apply to it, None if there are none."""
    items = _items(index)
    if not input.ndim and type(index) is not tuple and len(items) == 1:
        _check_zero_dims(items[0])
    _check_count(input, items)
    places = Places(input)
    for item in items:
        places.add(item, input.ndim - sum(map(_dims, items)))
    indices = tuple(places.indices[: _last(places.indices)])
    view = _viewed(F, input, places.basic, whole=bool(indices))
    for at, mask in places.masks:
        _check_mask(view, at, mask)
    return view, indices or None


def _last(indices: list) -> int:
    """How many index arrays there are, without whole dimensions at the end."""
    return max((at + 1 for at, each in enumerate(indices) if each is not None), default=0)


def _check_zero_dims(item) -> None:
    if isinstance(item, slice):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if isinstance(item, int) and not isinstance(item, bool):
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )


def _items(index) -> list:
    """The index as a list of one item per dimension, index array, `...` or None."""
    if isinstance(index, tuple):
        return list(map(_item, index))
    if isinstance(index, list) and len(index) < 32 and any(map(_makes_a_tuple, index)):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; "
            "use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
            "x[torch.tensor(seq)], which will result either in an error or a different result",
            UserWarning,
            stacklevel=6,
        )
        return list(map(_item, index))
    return [_item(index)]


def _makes_a_tuple(item) -> bool:
    return item is None or item is Ellipsis or isinstance(item, (Tensor, slice, list, tuple, str, range))


def _item(item):
    """An item with sequences made arrays, and single integers integers."""
    if type(item) in BOUND or type(item) in (slice, bool) or item is Ellipsis:
        return item
    if isinstance(item, Tensor):
        item = item._array
        if item.dtype.kind not in "biu" or item.dtype in (np.uint16, np.uint32, np.uint64):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if item.dtype in (np.int8, np.int16) and item.ndim:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    elif isinstance(item, (list, tuple, range, np.ndarray)):
        item = _array(item)
    elif hasattr(type(item), "__index__"):
        return as_integer(item)
    elif isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    else:
        name = f"{type(item).__module__}.".removeprefix("builtins.") + type(item).__name__
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{name})"
        )
    if item.ndim == 0:
        return int(item) if item.dtype.kind == "i" else bool(item)
    return item


def _array(sequence):
    """A sequence of positions, or of truth values, as an array."""
    array = np.asarray(sequence if isinstance(sequence, np.ndarray) else _numbers(sequence))
    if array.dtype.kind not in "biuf":
        raise TypeError(f"new(): invalid data type '{array.dtype.name}'")
    return array if array.dtype in (np.bool_, np.uint8) else array.astype(np.int64, copy=False)


def _numbers(sequence):
    if isinstance(sequence, Tensor):
        return sequence.tolist()
    return list(map(_numbers, sequence)) if isinstance(sequence, (list, tuple, range)) else sequence


def _dims(item) -> int:
    """How many dimensions of the input an item stands for."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if hasattr(item, "ndim") and item.dtype in (np.bool_, np.uint8) else 1


def _check_count(input, items) -> None:
    if sum(map(_dims, items)) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim}")


def _check_mask(view, at: int, mask) -> None:
    shape = tuple(view.shape)
    for dim, length in enumerate(mask.shape):
        if length != shape[at + dim]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {dim} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {at + dim}"
            )


class Places:
    """Sorts the items of an index into a basic index and the index arrays for the view that it gives."""

    def __init__(self, input):
        self.own = input._array
        self.device = input.device
        self.keeps = input.requires_grad  # positions are kept for backward, so later writes to them must not show
        self.basic: list = []
        self.indices: list = []
        self.masks: list = []

    def add(self, item, rest: int) -> None:
        """Takes the next item; `...` stands for `rest` dimensions."""
        if item is Ellipsis:
            self._extend([ALL] * rest, [None] * rest)
        elif item is None:
            self._extend([None], [None])
        elif isinstance(item, bool):
            self._extend([None], [np.zeros(1 if item else 0, np.int64)])
        elif isinstance(item, slice):
            self._extend([_plain(item)], [None])
        elif isinstance(item, int):
            self._extend([item], [])
        else:
            self.add_array(item)

    def _extend(self, basic: list, indices: list) -> None:
        self.basic += basic
        self.indices += indices

    def add_array(self, array) -> None:
        """Takes an array of positions, or a mask, which stands for the positions where it holds."""
        if array.dtype == np.uint8:
            warnings.warn(
                "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                UserWarning,
                stacklevel=7,
            )
            array = array != 0
        if array.dtype == np.bool_:
            self.masks.append((len(self.indices), array))
            self._extend([ALL] * array.ndim, list(map(self._placed, array.nonzero())))
        else:
            self._extend([ALL], [self._placed(array.astype(np.int64, copy=self.keeps))])

    def _placed(self, array):
        return array if type(array) is type(self.own) else moved(array, self.device)


def _plain(item: slice) -> slice:
    """A slice of whole numbers with a step that PyTorch takes."""
    bounds = [each if type(each) in BOUND else _bound(each) for each in (item.start, item.stop, item.step)]
    step = bounds[2]
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step is not None and step < 0:
        error = ValueError("step must be greater than zero")
        error.add_note("Views cannot run backwards: tensor.flip(dim) gives a reversed copy.")
        raise error
    return slice(*bounds)


def _bound(value) -> int:
    if not hasattr(type(value), "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return as_integer(value)


def _viewed(F, input, basic: list, *, whole: bool):
    """The view for a basic index; where it selects everything, `input` itself if that will do as a whole."""
    basic = basic[: max((at + 1 for at, each in enumerate(basic) if each != ALL), default=0)]
    kept = max((at + 1 for at, each in enumerate(basic) if each is not None), default=0)
    added = len(basic) - kept
    basic = basic[:kept]
    if any(each != ALL for each in basic) or not (whole or added):
        try:
            input = F.getitem_view(input, (*basic, ...))
        except IndexError as error:
            raise _out_of_bounds(input, basic, error) from None
    for _ in range(added):
        input = F.unsqueeze(input, kept - sum(isinstance(each, int) for each in basic))
    return input


def _out_of_bounds(input, basic: list, error) -> Exception:
    for dim, item in enumerate(each for each in basic if each is not None):
        if isinstance(item, int) and not -(2**63) <= item < 2**63:
            return ValueError("Overflow when unpacking long long")
        if isinstance(item, int) and not -input.shape[dim] <= item < input.shape[dim]:
            return IndexError(f"index {item} is out of bounds for dimension {dim} with size {input.shape[dim]}")
    return error


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
    if index is False or _written(F, input, index, value):
        return
    view, indices = located(F, input, index)
    value = _value(input, value)
    if indices is None:
        _check_overlap(view, value)
        view.copy_(_stretched(F, value, tuple(view.shape)))
        return
    if _is_single(value) and raw_dtype(value) != raw_dtype(view) and _is_masked(index):
        value = value.to(view.dtype)
    F.put_indices_(view, indices, _without_ones(F, value))


@composite(spaces=(), method="__delitem__")
def delitem(F, input, index):
    """Always a TypeError: elements can be written, not removed."""
    raise TypeError("Tensor does not support deleting items")


def _written(F, input, index, value) -> bool:
    """Whether NumPy did the whole: no gradient is involved, and the value needs no conversion."""
    if type(input) not in PLAIN_TYPES:
        return False
    simple = _simple(input, index)
    if type(value) is Tensor and value._base is not None and _is_own_part(F, input, simple, value):
        input._storage.version += 1  # `x[index] += y` has written already, and stores what it wrote
        return True
    array = input._array
    if input._edge is not None or input._base is not None or input._storage.inference or type(array) is not np.ndarray:
        return False
    key = simple if type(simple) is tuple else _positions(index)
    found = _raw_value(input, value)
    if key is None or found is None:
        return False
    try:
        array[key] = found
    except (IndexError, ValueError, OverflowError):
        return False  # the long way explains
    input._storage.version += 1
    return True


def _is_own_part(F, input, simple, value) -> bool:
    """Whether a value is the view of `input` that the index selects."""
    base = input if input._base is None else input._base
    return value._base is base and value._path == (*input._path, (F.getitem_view, (simple,)))


def _positions(index):
    """The array of an index tensor that means the same to NumPy."""
    if type(index) not in PLAIN_TYPES:
        return None
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
    target = kind.numpy
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
    if not (_is_dense(target._array) and _is_dense(source._array)) or not np.may_share_memory(target._array, source._array):
        return
    if target.data_ptr() == source.data_ptr() and target._array.strides == source._array.strides:
        return
    raise RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )


def _is_dense(array) -> bool:
    return array.flags.forc


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


@composite(inplace=True, out=False)
def index_put(F, input, indices, values, accumulate=False):
    """`input` with `values` at the places that index tensors or masks name, one per dimension."""
    if isinstance(indices, Tensor) or not isinstance(indices, (tuple, list)):
        raise TypeError(
            f"index_put(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}"
        )
    for at, each in enumerate(indices):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {at} in argument 0, but got {type(each).__name__}")
    return F.put_indices(input, _index_arrays(input, indices), values, accumulate)


def _index_arrays(input, indices) -> tuple:
    """Index tensors as arrays: masks become positions, 0-d ones stay as they are."""
    places = Places(input)
    for each in indices:
        array = each._array
        if array.dtype.kind not in "biu" or array.dtype not in (np.bool_, np.uint8, np.int32, np.int64):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        places.add_array(array)
    for at, mask in places.masks:
        _check_mask(input, at, mask)
    if len(places.indices) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim} (got {len(places.indices)})")
    return tuple(places.indices)


# ---- along a dimension


def check_index(name: str, index, words: str = "int32/int64 for index") -> None:
    """Raises RuntimeError if a raw array does not hold positions."""
    if index.dtype not in (np.int32, np.int64):
        raise RuntimeError(f"{name}(): Expected dtype {words}")


@linear(exact=True)
class gather:
    """The elements that `index` names along `dim`: `out[i][j] = input[index[i][j]][j]` for `dim=0`."""

    def forward(xp, input: Tensor, dim, index: Constant, *, sparse_grad=False):
        if index.size == 0:
            return xp.zeros_like(input, shape=index.shape)
        check_index("gather", index)
        xp.check_gather(input, dim, index)
        return xp.gather(input, dim, index)

    def d_input(F, g, input_shape, dim, index):
        return F.scatter_add(F.new_zeros_of(g, input_shape), dim, index, g)

    samples = lambda r: [
        (r(3, 4), 0, r.integers(3, 2, 4)), (r(3, 4), -1, r.integers(4, 2, 2)), (r(), 0, r.integers(1)),
        (r(5), 0, r.integers(5, 0)), (r(2, 3, 4), 1, r.integers(3, 2, 1, 3)),
    ]  # fmt: skip


@composite(out=True)
def take_along_dim(F, input, indices, dim=None):
    """The elements that `indices`, broadcast to `input`, names along `dim`; in the flattened tensor if `dim` is None."""
    if raw_dtype(indices) != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {SCALAR_NAMES[indices.dtype]}"
        )
    if dim is None:
        input, indices, dim = F.reshape(input, (-1,)), F.reshape(indices, (-1,)), 0
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = wrapped(dim, input.ndim)
    if not input.ndim:
        return F.gather(input, dim, indices)
    indices = F.remainder(indices, input.shape[dim]) if input.shape[dim] else indices
    ours, theirs = list(input.shape), list(indices.shape)
    rest = broadcast([[*each[:dim], 1, *each[dim + 1 :]] for each in (ours, theirs)])
    shapes = [(*rest[:dim], each[dim], *rest[dim + 1 :]) for each in (ours, theirs)]
    input, indices = (
        each if tuple(each.shape) == shape else F.expand(each, shape)
        for each, shape in zip((input, indices), shapes, strict=True)
    )
    return F.gather(input, dim, indices)


@linear(exact=True)
class index_select:
    """The slices along `dim` at the positions that a vector names."""

    def forward(xp, input: Tensor, dim, index: Constant):
        check_index("index_select", index, "int32 or int64 for index")
        return xp.index_select(input, dim, index)

    def d_input(F, g, input_shape, dim, index):
        return F.index_add(F.new_zeros_of(g, input_shape), dim, index, g)

    samples = lambda r: [
        (r(3, 4), 0, r.integers(3, 5)), (r(3, 4), -1, r.integers(4)), (r(), 0, r.integers(1, 1)), (r(3), 0, r.integers(3, 0)),
    ]  # fmt: skip


@linear(exact=True)
class take:
    """The elements at positions in the flattened `input`, in the shape of `index`."""

    def forward(xp, input: Tensor, index: Constant):
        if index.dtype != np.int64:
            raise RuntimeError(f"take(): Expected a long tensor for index, but got {xp.scalar_name(index)}")
        if not input.size and index.size:
            raise IndexError("take(): tried to take from an empty tensor")
        return xp.take(input, index)

    def d_input(F, g, input_shape, index):
        return F.put(F.new_zeros_of(g, input_shape), index, g, True)

    samples = lambda r: [(r(3, 4), r.integers(12, 2, 3)), (r(3), r.integers(3, 5) - 3), (r(), r.integers(1)), (r(3), r.integers(3, 0))]


# ---- masks


@linear(exact=True)
class masked_select:
    """The elements at which `mask` holds, in one dimension."""

    shape = "data_dependent"

    def forward(xp, input: Tensor, mask: Constant):
        if mask.dtype != np.bool_:
            raise RuntimeError("masked_select: expected BoolTensor for mask")
        broadcast((input.shape, mask.shape))
        return xp.masked_select(input, mask)

    def d_input(F, g, input_shape, mask):
        shape = broadcast((input_shape, mask.shape))
        return F.fit(F.masked_scatter(F.new_zeros_of(g, shape), mask, g), input_shape, raw_dtype(g))

    samples = lambda r: [
        (r(3, 4), r.booleans(3, 4)), (r(3, 4), r.booleans(4)), (r(3, 1), r.booleans(2, 1, 4)), (r(), r.booleans()),
    ]  # fmt: skip


@op(method=None, spaces=())
class nonzero_rows:
    """The positions of the elements that are not zero, one row each."""

    shape = "data_dependent"

    def forward(xp, input: Constant):
        return xp.nonzero(input)

    samples = lambda r: [(r.booleans(3, 4),), (r.integers(2, 5),), (r.booleans(),), (r.booleans(0, 2),)]


@composite(out=True)
def nonzero(F, input, *, as_tuple=False):
    """The positions of the elements that are not zero: one row each, or with `as_tuple` one vector per dimension."""
    if not as_tuple:
        return F.nonzero_rows(input)
    return F.unbind(F.nonzero_rows(input if input.ndim else F.unsqueeze(input, 0)), 1)


@composite()
def argwhere(F, input):
    """The positions of the elements that are not zero, one row each."""
    return F.nonzero_rows(input)


@composite(out=True)
def nonzero_static(F, input, *, size, fill_value=-1):
    """The first `size` positions of elements that are not zero; rows of `fill_value` where there are fewer."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = F.nonzero_rows(input)._array
    rows = np.full((size, found.shape[1]), fill_value, np.int64)
    rows[: len(found)] = found[:size]
    return wrap(rows)


# ---- sorted boundaries


@op(method=None, spaces=())
class search:
    """Where each value would go among sorted ones, by rows along the last dimension."""

    def forward(xp, sorted_sequence: Constant, values: Constant, right=False, kind=None):
        for each in (sorted_sequence, values):
            if each.dtype.kind in "bc":
                raise NotImplementedError(f"\"searchsorted_out_cpu\" not implemented for '{xp.scalar_name(each)}'")
        return xp.search(sorted_sequence, values, right, kind)


@composite(out=True, method=None)
def searchsorted(F, sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """The positions at which the values of `input` keep `sorted_sequence` sorted: before equal ones, or after with `right`."""
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    values = input if isinstance(input, Tensor) else wrap(np.asarray(input, None if type(input) is float else np.int64))
    _check_search(sorted_sequence, values)
    if sorter is not None:
        _check_sorter(sorted_sequence, sorter)
        sorted_sequence = F.gather(sorted_sequence, -1, sorter)
    return F.search(sorted_sequence, values, right or side == "right", np.dtype(np.int32 if out_int32 else np.int64))


def _check_search(boundaries, values) -> None:
    if boundaries.ndim == 0:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension")
    if values.ndim == 0 and boundaries.ndim != 1:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({boundaries.ndim}) and input value's dim(0) numel(1)"
        )
    if boundaries.ndim != 1 and tuple(boundaries.shape[:-1]) != tuple(values.shape[:-1]):
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(boundaries.shape)} and input "
            f"value tensor {list(values.shape)}"
        )


def _check_sorter(boundaries, sorter) -> None:
    if sorter.shape != boundaries.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(boundaries.shape)}and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype is not INT64:
        raise RuntimeError(
            f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {SCALAR_NAMES[sorter.dtype]}"
        )
    if sorter.numel() and not 0 <= int(sorter._array.min()) <= int(sorter._array.max()) < boundaries.shape[-1]:
        raise RuntimeError("torch.searchsorted(): sorter index out of range")


@composite(out=True, method=None)
def bucketize(F, input, boundaries, *, out_int32=False, right=False):
    """The bucket between `boundaries` that each value falls into."""
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return F.searchsorted(boundaries, input, out_int32=out_int32, right=right)


# ---- positions as such


@composite(method=None)
def tril_indices(F, row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    """The positions of the lower triangle of a matrix: a row of row numbers over a row of column numbers."""
    return _triangle(np.tril_indices, "tril_indices", row, col, offset, dtype, device)


@composite(method=None)
def triu_indices(F, row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    """The positions of the upper triangle of a matrix: a row of row numbers over a row of column numbers."""
    return _triangle(np.triu_indices, "triu_indices", row, col, offset, dtype, device)


def _triangle(positions, name: str, row: int, col: int, offset: int, dtype, device):
    if row < 0 or col < 0:
        which, value = ("row", row) if row < 0 else ("col", col)
        raise RuntimeError(f"{which} must be non-negative, got{value}")
    kind = dtype or INT64
    if kind not in (INT64, INT32):
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_NAMES[kind]}'")
    found = wrap(np.stack(positions(row, offset, col)).astype(kind.numpy))
    return found if device is None else found.to(device)
