"""Writing by `x[index] = value`: through the view that the index selects, or at its index arrays."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import meta
from rushlight.arrays.elementwise import element
from rushlight.arrays.index_items import MASKS, check_mask, checked, mask_indices
from rushlight.arrays.index_items import simple as simple_index
from rushlight.core.device import moved
from rushlight.core.dtype import REDUCED_NUMPY, SCALAR_NAMES
from rushlight.core.errors import noted, type_name
from rushlight.core.graph import Leaf
from rushlight.core.lazy_conj_neg import Unresolved, beneath, marks_of
from rushlight.core.modes import MODE
from rushlight.core.numbers import python_number
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.storage import address
from rushlight.core.tables import xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor, wrap
from rushlight.core.traced import TRACED
from rushlight.declarations.batches import aligned, front
from rushlight.declarations.checks.setitem import check_mask_is_bool, not_a_mask, one_memory, refuse_own
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype
from rushlight.declarations.getitem import (
    comes_first,
    indexed_rank,
    indices_of,
    located,
    on_the_device_of,
    positions_in,
)
from rushlight.declarations.traced_index import Rows, TracedIndex, filled_where, has_traced, without_levels


@composite
def setitem(F, input, index, value):
    """`input[index] = value`: writes through the view that the index selects, or at its index arrays."""
    basic = simple_index(input.ndim, index) if type(input) in PLAIN_TYPES else None
    if has_traced(index) and has_traced(index := without_levels(index)):
        write_traced(F, input, index, _value(input, value))
        return
    if index is False or (type(input) in PLAIN_TYPES and _written(input, index, basic, value)):
        return
    view, indices = _target(F, input, index, basic)
    for each in index if indices is not None and type(index) is tuple else (index,):
        if isinstance(each, Tensor) and _shares(input, each) and raw_dtype(each) not in MASKS:
            refuse_own(input, each)
    value = _value(input, value)
    if indices is None:
        value = _stretched(F, value, tuple(view.shape))
        view.copy_(_apart(F, view, value) if value._storage is view._storage else value)
        return
    if _is_single(value) and (mask := _only_mask(index)) is not None:
        check_mask_is_bool(mask)
        value = value.to(view.dtype) if raw_dtype(value) != raw_dtype(view) else value
        value = F.clone(value) if value._storage is view._storage else value  # which is read before
    F.put_indices_(view, indices, _without_ones(F, value))


face(setitem, spaces=(), method="__setitem__")


def write_traced(F, input, index, value):
    """`input[index] = value` for an index with tensors that differ between the samples of a vmap."""
    if isinstance(index, Tensor) and _only_mask(index) is not None and _is_single(value):
        input.copy_(filled_where(F, input, index, F.cast(value, raw_dtype(input))))
        return
    traced = TracedIndex(F, index)
    view, indices = located(F, input, traced.shown, reads=False)
    if (arrays := traced.arrays_of(indices)) is not None:
        F.put_indices_(view, arrays, _without_ones(F, value))
        return
    rows = Rows(F, view, traced.tensors_of(indices))
    view.copy_(rows.written(F.cast(_without_ones(F, value), raw_dtype(input)), False))


def _target(F, input, index, basic) -> tuple:
    """Returns the view to write to, and the index arrays into it, None if there are none."""
    if basic is not None:
        try:
            return (F.getitem_view(input, basic) if len(basic) > 1 else input), None
        except IndexError:
            pass  # the code below meets the error again and explains it
    indices = indices_of(input, index)
    return located(F, input, index, reads=False) if indices is None else (input, indices)


@composite
def delitem(F, input, index):
    """Always a TypeError: elements can be written, not removed."""
    raise TypeError("Tensor does not support deleting items")


face(delitem, spaces=(), method="__delitem__")


def _written(input, index, basic, value) -> bool:
    """Whether NumPy did the whole: no gradient is involved, and the value needs no conversion."""
    array = input._array
    if basic is not None and _is_own_part(input, basic, value):
        return not _is_leaf(input) and _count(input)  # `x[index] += y` has written already, and assigns the result
    if input._edge is not None or input._storage.inference or type(array) is not np.ndarray:
        return False
    if input._base is not None and not _is_plain_memory(input):
        return False
    key = basic if basic is not None else _key_of(input, index)
    result = _raw_value(input, value)
    if key is None or result is None or (type(result) is np.ndarray and 0 in array.strides):  # which may be expanded
        return False
    try:
        if basic is None and type(key) is np.ndarray and (type(result) is not np.ndarray or not result.ndim):
            xp.fill_where(array, key, result)
        elif basic is None or type(result) is not np.ndarray or result.size < MANY:
            array[key] = result
        else:
            xp.overwrite(array[key], result)
    except (IndexError, ValueError, OverflowError, TypeError):
        return False  # the general path explains, or resolves the value
    return _count(input)


def _key_of(input, index):
    """Index tensors, alone or among slices, or a list of integers, as NumPy takes them; None if NumPy may take it
    for something else."""
    if type(index) in PLAIN_TYPES:
        return None if _shares(input, index) else positions_in(index)
    if type(index) is list:
        return index if index and all([type(each) is int for each in index]) else None
    key: list = []
    for each in index if type(index) is tuple else ():
        if type(each) in PLAIN_TYPES:
            positions = positions_in(each)
            if positions is None or _shares(input, each):
                return None
            key.append(positions)
        elif type(each) is slice and (each.step is None or each.step > 0):
            key.append(each)
        else:
            return None
    return tuple(key) or None


def _shares(input, index) -> bool:
    """Whether an index may look into the memory that is written to."""
    return index is input or (index._store is not None and index._store is input._storage)


def _count(input) -> bool:
    input._storage.written()
    if NOTING:
        note_write(input._storage, 4, None)
    return True


def _is_leaf(input) -> bool:
    """Whether a write may be refused for the history that begins here, or where the view looks."""
    edge = input._edge
    above = edge if input._base is None else input._base._edge
    return edge is not None and (above is None or type(above) is Leaf or type(edge) is Leaf) and MODE.get() is not False


def _is_plain_memory(view) -> bool:
    """Whether a view may be written to without a look at its base: no history, and no element is there twice."""
    return view._array.flags.c_contiguous and view._creation is None and not view.requires_grad


def _is_own_part(input, basic: tuple, value) -> bool:
    """Whether a value is the very view of `input` that it is assigned to."""
    base = input if input._base is None else input._base
    if type(input._array) in TRACED or type(value) is not Tensor or (value._base is not base and value is not base):
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


def _raw_value(input, value):
    """Returns a value NumPy can write: an array of the dtype that shares no memory, or a number that fits; or None."""
    array, kind = input._array, type(value)
    if kind in FITTING:
        return value if array.dtype.kind in FITTING[kind] and array.itemsize >= 4 and -LARGE < value < LARGE else None
    if kind not in PLAIN_TYPES or value._edge is not None or value._storage.rewritten:
        return None
    return value._array if value._storage is not input._storage and value._array.dtype is array.dtype else None


# The kinds of NumPy dtypes that hold a Python number of a type, up to a size that every wide floating dtype holds.
FITTING = {float: "fc", int: "fciu", bool: "fciu"}
LARGE = 3e38
MANY = 1 << 15  # elements from which checking the strides pays off
LARGEST_HALF = 65504


def _value(input, value):
    """Returns the assigned value as a tensor."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float, complex, np.integer)):
        array = number_in(python_number(value), raw_dtype(input))
        return wrap(array if type(input._array) is np.ndarray else moved(array, input.device))
    words = f"can't assign a {type_name(value)} to a torch.{SCALAR_NAMES[input.dtype]}Tensor"
    if isinstance(value, np.ndarray):
        if value.dtype == raw_dtype(input) or not value.ndim:
            return wrap(value)
        raise noted(TypeError(words), "Make it a tensor first: torch.from_numpy(array).")
    repair = "Of NumPy's numbers, whole ones, float64 and complex128 are taken; write value.item() for others."
    raise noted(TypeError(words), repair) if isinstance(value, np.generic) else TypeError(words)


def number_in(number, kind):
    """A Python number as an array of a dtype. Raises in PyTorch's words if the dtype cannot hold it."""
    if type(number) is int and not -(2**63) <= number < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if kind in REDUCED_NUMPY and abs(number) > LARGEST_HALF:  # these are converted from a double, and none is too large
        with np.errstate(over="ignore"):
            return element(number, np.float64).astype(kind)
    return element(number, kind)


def _is_single(value) -> bool:
    return value.ndim == 0 or value.numel() == 1


def _only_mask(index):
    """Returns the mask of an index that is one mask, else None: PyTorch fills these in place."""
    if isinstance(index, Tensor):
        return index if raw_dtype(index) in MASKS and index.dim() else None
    named = [each for each in index if not isinstance(each, BASIC)] if type(index) is tuple else ()
    return _only_mask(named[0]) if len(named) == 1 and isinstance(named[0], Tensor) else None


BASIC = (slice, int, type(None), type(...))


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


def _apart(F, target, source):
    """Returns a value that shares memory with its target: the same or repeated elements. Raises for other overlap.

    PyTorch checks the memory of the expanded value, unless it has gaps or overlapping elements.
    """
    source = F.expand(source, tuple(target.shape)) if source.ndim == 0 else source
    if type(target._array) in TRACED:
        return F.clone(source)
    read, written = beneath(source._array), beneath(target._array)
    if not (written.flags.forc and read.flags.forc) or not np.may_share_memory(written, read):
        return source
    if target.data_ptr() == source.data_ptr() and _steps(written) == _steps(read):
        is_alike = source.is_conj() == target.is_conj() and source.is_neg() == target.is_neg()
        return target if is_alike else source
    raise one_memory()


def _steps(array) -> list:
    """The strides that lead somewhere."""
    return [step for step, length in zip(array.strides, array.shape, strict=True) if length > 1]


@op(exact=True, freed_arguments=("indices",))
class put_indices:
    """`input` with what index arrays select replaced by `values`, or with `accumulate` increased by them."""

    def forward(xp, input: Tensor, indices, values: Tensor, accumulate=False):
        if input.dtype != values.dtype:
            xp.put_indices(input, indices, xp.astype(values, input.dtype), accumulate)  # PyTorch checks shapes first
            raise RuntimeError(
                "Index put requires the source and destination dtypes match, got "
                f"{xp.scalar_name(input)} for the destination and {xp.scalar_name(values)} for the source."
            )
        return xp.preserving(xp.put_indices(input, indices, values, accumulate), input)

    def shape(input, indices, values, accumulate=False):
        return meta.MetaArray(input.shape, input.dtype)

    def d_input(F, g, indices, accumulate):
        return g if accumulate else F.put_indices(g, indices, F.new_zeros_of(g, ()))

    def d_values(F, g, values_shape, indices):
        return F.fit(F.index(g, indices) if indices else g, values_shape, raw_dtype(g))

    def batch(F, b, input, indices, values, accumulate):
        input = front(F, b, "input", input)
        if not indices:
            return F.put_indices(input, (), aligned(F, b, input.ndim - 1, "values", values), accumulate)
        rank = len(input.shape) - 1 - sum([each is not None for each in indices]) + indexed_rank(indices)
        values = aligned(F, b, rank, "values", values)
        if comes_first(indices) and "values" in b.batched:
            values = F.movedim(values, 0, indexed_rank(indices))
        elif comes_first(indices) and values.ndim > rank - indexed_rank(indices):
            values = F.unsqueeze(values, values.ndim - (rank - indexed_rank(indices)))
        return F.put_indices(input, (None, *indices), values, accumulate)

    samples = lambda r: [
        (r(4, 3), (np.array([0, 2]),), r(2, 3)), (r(4, 3), (np.array([0, 0]),), r(3), True),
        (r(4, 3), (None, np.array([1, -1])), r(4, 1)), (r(4, 3), (np.array([0, 1]), np.array([0, 2])), r()),
    ]  # fmt: skip


face(put_indices, spaces=(), out=False, overlap="first", inplace=True, node="IndexPutBackward0")


@composite(
    samples=lambda r: [
        (r(3, 4), (r.integers(3, 2), r.integers(4, 2)), r(2)),
        (r(3, 4), (r.integers(3, 5),), r(5, 4), True),
        (r(4), (r.booleans(4),), r()),
    ]
)
def index_put(F, input, indices: Tensors, values, accumulate=False):
    """`input` with `values` at index tensors or masks, one per dimension."""
    if not accumulate and len(indices) == 1 and values.numel() == 1 and raw_dtype(indices[0]) in MASKS:
        values = _filling(F, input, indices[0], values)
    indices = without_levels(indices)
    if has_traced(indices):
        return put_traced(F, input, indices, values, accumulate)
    return F.put_indices(input, _index_arrays(input, indices), values, accumulate)


face(index_put, out=False, overlap="first", inplace=True, inplace_by_index=True)


def put_traced(F, input, indices, values, accumulate):
    """`index_put` with index tensors that differ between the samples of a vmap."""
    if len(indices) == 1 and not accumulate and _is_single(values) and raw_dtype(indices[0]) in MASKS:
        return filled_where(F, input, indices[0], values)
    traced = TracedIndex(F, tuple(indices))
    arrays = _index_arrays(input, traced.shown)
    if (known := traced.arrays_of(arrays)) is not None:
        return F.put_indices(input, known, values, accumulate)
    return Rows(F, input, traced.tensors_of(arrays)).written(values, accumulate)


def _filling(F, input, mask, value):
    """The one value that a mask is filled with, which may be of any dtype that holds it."""
    if raw_dtype(mask).kind != "b":
        raise not_a_mask(mask)
    if value.dtype is not input.dtype and value.is_cpu:
        element(value.item(), raw_dtype(input))  # which may refuse it
    return F.reshape(value.to(input.dtype), ())


def _index_arrays(input, indices) -> tuple:
    """Index tensors as arrays; masks become positions."""
    found: list = []
    if len(indices) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim} (got {len(indices)})")
    for each in indices:
        array = checked(each._array)
        if array.dtype in MASKS and not array.ndim:
            found += [] if array else [np.zeros(0, np.int64)]  # all of the tensor, or none of it
        elif array.dtype in MASKS:
            check_mask(tuple(input.shape), len(found), array)
            found += mask_indices(array)
        else:
            found.append(array.astype(np.int64))
    if len(found) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim} (got {len(found)})")
    return on_the_device_of(input, found)
