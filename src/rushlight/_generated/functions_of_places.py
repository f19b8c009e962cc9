"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident

import numpy as np

import rushlight._generated.raw as raw
import rushlight.arrays.cpu as xp
import rushlight.arrays.overwriting as overwriting
from rushlight.core.dtype import bool as bool_, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.clock import tick
from rushlight.core.graph import Node, Saving, show_saved
from rushlight.core.history import edge_of
from rushlight.core.maker import maker_of
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.noting import ENTRY, NOTING, NOWHERE, PROGRAM, frame_at, outside
from rushlight.core.ignoring import IGNORED, reset_errors, set_errors
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.size import Size
from rushlight.core.storage import InferenceStorage, new_storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.autocast import uncast
from rushlight.dispatch.calls import renamed
from rushlight.dispatch.general import accepted, explain_arguments, general
from rushlight.dispatch.in_place_formulas import PLACES, computed_into, placed_into
from rushlight.dispatch.inplace import write
from rushlight.dispatch.methods import documented, show_arguments
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import into, written_to
from rushlight.declarations import library
from rushlight.declarations.declare import NOTHING, OPS
from rushlight.declarations.promote import as_dtype

import rushlight._generated.functions as F

library.load('places')

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
INT64, BOOL, INT32 = int64.numpy, bool_.numpy, int32.numpy
UINT8, INT8, INT16 = uint8.numpy, int8.numpy, int16.numpy
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
ONE, ROWS = 1, SEQUENCES | {Size}
WHOLE, WHOLE_OR_NONE = frozenset((int,)), frozenset((int, type(None)))
OPERANDS = PLAIN_TYPES | {bool, int, float, complex, type(None)}
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_copy = xp.copy
xp_diagonal = xp.diagonal
xp_masked_source = xp.masked_source

OP_alias_copy = OPS['alias_copy']
composite_alias_copy = OP_alias_copy.forward
OP_as_strided_copy = OPS['as_strided_copy']
composite_as_strided_copy = OP_as_strided_copy.forward
OP_as_strided_scatter = OPS['as_strided_scatter']
composite_as_strided_scatter = OP_as_strided_scatter.forward
OP_detach_copy = OPS['detach_copy']
composite_detach_copy = OP_detach_copy.forward
OP_diagonal_copy = OPS['diagonal_copy']
OP_diagonal_scatter = OPS['diagonal_scatter']
composite_diagonal_scatter = OP_diagonal_scatter.forward
OP_differentiated_once = OPS['differentiated_once']
derivative_differentiated_once_input = OP_differentiated_once.derivatives['input']
OP_expand_copy = OPS['expand_copy']
composite_expand_copy = OP_expand_copy.forward
OP_index_add = OPS['index_add']
forward_index_add = OP_index_add.forward
derivative_index_add_source = OP_index_add.derivatives['source']
OP_index_copy = OPS['index_copy']
forward_index_copy = OP_index_copy.forward
OP_index_fill = OPS['index_fill']
composite_index_fill = OP_index_fill.forward
OP_index_fill_number = OPS['index_fill_number']
forward_index_fill_number = OP_index_fill_number.forward
OP_index_fill_tensor = OPS['index_fill_tensor']
forward_index_fill_tensor = OP_index_fill_tensor.forward
OP_index_reduce = OPS['index_reduce']
forward_index_reduce = OP_index_reduce.forward
derivative_index_reduce_input = OP_index_reduce.derivatives['input']
derivative_index_reduce_source = OP_index_reduce.derivatives['source']
OP_masked_scatter = OPS['masked_scatter']
forward_masked_scatter = OP_masked_scatter.forward
derivative_masked_scatter_input = OP_masked_scatter.derivatives['input']
OP_masked_source = OPS['masked_source']
OP_narrow_copy = OPS['narrow_copy']
composite_narrow_copy = OP_narrow_copy.forward
OP_permute_copy = OPS['permute_copy']
composite_permute_copy = OP_permute_copy.forward
OP_put = OPS['put']
forward_put = OP_put.forward
OP_rewritten = OPS['rewritten']
forward_rewritten = OP_rewritten.forward
derivative_rewritten_src = OP_rewritten.derivatives['src']
OP_scatter = OPS['scatter']
composite_scatter = OP_scatter.forward
OP_scatter_add = OPS['scatter_add']
forward_scatter_add = OP_scatter_add.forward
derivative_scatter_add_src = OP_scatter_add.derivatives['src']
OP_scatter_reduce = OPS['scatter_reduce']
forward_scatter_reduce = OP_scatter_reduce.forward
derivative_scatter_reduce_input = OP_scatter_reduce.derivatives['input']
derivative_scatter_reduce_src = OP_scatter_reduce.derivatives['src']
OP_scatter_source = OPS['scatter_source']
forward_scatter_source = OP_scatter_source.forward
derivative_scatter_source_src = OP_scatter_source.derivatives['src']
OP_scatter_value = OPS['scatter_value']
forward_scatter_value = OP_scatter_value.forward
OP_select_copy = OPS['select_copy']
composite_select_copy = OP_select_copy.forward
OP_select_scatter = OPS['select_scatter']
composite_select_scatter = OP_select_scatter.forward
OP_slice_copy = OPS['slice_copy']
composite_slice_copy = OP_slice_copy.forward
OP_slice_scatter = OPS['slice_scatter']
composite_slice_scatter = OP_slice_scatter.forward
OP_split_copy = OPS['split_copy']
composite_split_copy = OP_split_copy.forward
OP_split_with_sizes_copy = OPS['split_with_sizes_copy']
composite_split_with_sizes_copy = OP_split_with_sizes_copy.forward
OP_squeeze_copy = OPS['squeeze_copy']
composite_squeeze_copy = OP_squeeze_copy.forward
OP_t_copy = OPS['t_copy']
composite_t_copy = OP_t_copy.forward
OP_transpose_copy = OPS['transpose_copy']
composite_transpose_copy = OP_transpose_copy.forward
OP_unbind_copy = OPS['unbind_copy']
composite_unbind_copy = OP_unbind_copy.forward
OP_unfold_copy = OPS['unfold_copy']
composite_unfold_copy = OP_unfold_copy.forward
OP_unsafe_chunk = OPS['unsafe_chunk']
composite_unsafe_chunk = OP_unsafe_chunk.forward
OP_unsafe_split = OPS['unsafe_split']
derivative_unsafe_split_input = OP_unsafe_split.derivatives['input']
OP_unsafe_split_with_sizes = OPS['unsafe_split_with_sizes']
derivative_unsafe_split_with_sizes_input = OP_unsafe_split_with_sizes.derivatives['input']
OP_unsqueeze_copy = OPS['unsqueeze_copy']
composite_unsqueeze_copy = OP_unsqueeze_copy.forward
OP_view_as_complex_copy = OPS['view_as_complex_copy']
composite_view_as_complex_copy = OP_view_as_complex_copy.forward
OP_view_as_real_copy = OPS['view_as_real_copy']
composite_view_as_real_copy = OP_view_as_real_copy.forward
OP_view_copy = OPS['view_copy']
composite_view_copy = OP_view_copy.forward


def alias_copy(input, *, out=None):
    """A copy of `input`."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_alias_copy, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_alias_copy, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'alias_copy', composite_alias_copy(F, input), OP_alias_copy, (input,))
    try:
        return composite_alias_copy(F, input)
    except Exception:
        explain_arguments(OP_alias_copy, (input,))
        raise


OP_alias_copy.function = alias_copy


def as_strided_copy(input, size, stride, storage_offset=None, *, out=None):
    """A copy of what `as_strided` shows."""
    if type(input) not in PLAIN_TYPES or not isinstance(size, (tuple, list)) or not isinstance(stride, (tuple, list)) or storage_offset is not None and (type(storage_offset) is not int or storage_offset > 0x3FFFFFFF or storage_offset < -0x3FFFFFFF):
        input, size, stride, storage_offset = accepted(OP_as_strided_copy, (input, size, stride, storage_offset))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_as_strided_copy, (input, size, stride, storage_offset), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'as_strided_copy', composite_as_strided_copy(F, input, size, stride, storage_offset), OP_as_strided_copy, (input, size, stride, storage_offset))
    try:
        if type(size) in ROWS and not WHOLE.issuperset(map(type, size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)):
            input, size, stride, storage_offset = accepted(OP_as_strided_copy, (input, size, stride, storage_offset))
        return composite_as_strided_copy(F, input, size, stride, storage_offset)
    except Exception:
        explain_arguments(OP_as_strided_copy, (input, size, stride, storage_offset))
        raise


OP_as_strided_copy.function = as_strided_copy


def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy of `input` with `src` as what `as_strided` shows of it."""
    if type(src) not in PLAIN_TYPES or not isinstance(size, (tuple, list)) or not isinstance(stride, (tuple, list)) or storage_offset is not None and (type(storage_offset) is not int or storage_offset > 0x3FFFFFFF or storage_offset < -0x3FFFFFFF):
        input, src, size, stride, storage_offset = accepted(OP_as_strided_scatter, (input, src, size, stride, storage_offset))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(src) not in PLAIN_TYPES and hasattr(src, '__torch_function__'):
        if (_taken := taken_over(OP_as_strided_scatter, (input, src, size, stride, storage_offset), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_as_strided_scatter, (input, src, size, stride, storage_offset))
    try:
        if type(size) in ROWS and not WHOLE.issuperset(map(type, size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)):
            input, src, size, stride, storage_offset = accepted(OP_as_strided_scatter, (input, src, size, stride, storage_offset))
        return composite_as_strided_scatter(F, input, src, size, stride, storage_offset)
    except Exception:
        explain_arguments(OP_as_strided_scatter, (input, src, size, stride, storage_offset))
        raise


OP_as_strided_scatter.function = as_strided_scatter


def detach_copy(input, *, out=None):
    """A copy of `input` without its history."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_detach_copy, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_detach_copy, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'detach_copy', composite_detach_copy(F, input), OP_detach_copy, (input,))
    try:
        return composite_detach_copy(F, input)
    except Exception:
        explain_arguments(OP_detach_copy, (input,))
        raise


OP_detach_copy.function = detach_copy


def diagonal_copy_backward(F, node, saved, g, edges):
    input_shape, offset, dim1, dim2 = node.params
    return (F.placed(g, input_shape, ((F.diagonal, (offset, dim1, dim2)),)),)


class DiagonalBackward0_copy(Node):
    op = OPS['diagonal_copy']
    saves = ()
    parameters = ('input_shape', 'offset', 'dim1', 'dim2')
    backward = staticmethod(diagonal_copy_backward)
    backward_complex = staticmethod(diagonal_copy_backward)


new_DiagonalBackward0_copy = maker_of(DiagonalBackward0_copy)


OP_diagonal_copy.nodes = (DiagonalBackward0_copy,)


OP_diagonal_copy.select_node = lambda input, offset, dim1, dim2: DiagonalBackward0_copy


def diagonal_copy(input, offset=0, dim1=0, dim2=1, *, out=None):
    """A copy of the diagonals of the matrices in two dimensions, as a last dimension."""
    if type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF or type(dim1) is not int or type(dim2) is not int:
        input, offset, dim1, dim2 = accepted(OP_diagonal_copy, (input, offset, dim1, dim2))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_copy(xp_diagonal(input_array, offset, dim1, dim2), 'C')
                if out is not None:
                    return written_to(out, _result, OP_diagonal_copy, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_DiagonalBackward0_copy(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], offset, dim1, dim2)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_diagonal_copy, (input, offset, dim1, dim2), out)


OP_diagonal_copy.function = diagonal_copy


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy of `input` with `src` as its diagonals."""
    if type(src) not in PLAIN_TYPES or type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF or type(dim1) is not int or type(dim2) is not int:
        input, src, offset, dim1, dim2 = accepted(OP_diagonal_scatter, (input, src, offset, dim1, dim2))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(src) not in PLAIN_TYPES and hasattr(src, '__torch_function__'):
        if (_taken := taken_over(OP_diagonal_scatter, (input, src, offset, dim1, dim2), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_diagonal_scatter, (input, src, offset, dim1, dim2))
    try:
        return composite_diagonal_scatter(F, input, src, offset, dim1, dim2)
    except Exception:
        explain_arguments(OP_diagonal_scatter, (input, src, offset, dim1, dim2))
        raise


OP_diagonal_scatter.function = diagonal_scatter


def differentiated_once_backward(F, node, saved, g, edges):
    several, = saved
    refusal, = node.params
    return (derivative_differentiated_once_input(F, g, several, refusal),)


class DifferentiatedOnceBackward0(Saving):
    op = OPS['differentiated_once']
    saves = ('several',)
    parameters = ('refusal',)
    backward = staticmethod(differentiated_once_backward)
    backward_complex = staticmethod(differentiated_once_backward)


new_DifferentiatedOnceBackward0 = maker_of(DifferentiatedOnceBackward0)


OP_differentiated_once.nodes = (DifferentiatedOnceBackward0,)


OP_differentiated_once.select_node = lambda input, several, refusal: DifferentiatedOnceBackward0


def differentiated_once(input, several, refusal):
    """A gradient whose own gradient is refused, in the words of `refusal`, if any of `several` is true."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(several) is Tensor or type(several) in PLAIN_TYPES):
        input_array = input._array
        several_array = several._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_copy(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_DifferentiatedOnceBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (several_array,)
                    if (several_storage := several._store) is None:
                        several_storage = several._store = new_storage(None)
                        several_storage.version = 0
                    _node.storages = (several_storage,)
                    _node.versions = (several_storage.version,)
                    _node.params = (refusal,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_differentiated_once, (input, several, refusal))


OP_differentiated_once.function = differentiated_once


def expand_copy(input, size, *, implicit=False, out=None):
    """A copy of `input` expanded to `size`."""
    if type(input) not in PLAIN_TYPES or not isinstance(size, (tuple, list)) or implicit is not False and implicit is not True:
        input, size, implicit = accepted(OP_expand_copy, (input, size, implicit))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_expand_copy, (input, size), dict(implicit=implicit), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'expand_copy', composite_expand_copy(F, input, size, implicit=implicit), OP_expand_copy, (input, size, implicit))
    try:
        if type(size) in ROWS and not WHOLE.issuperset(map(type, size)):
            input, size, implicit = accepted(OP_expand_copy, (input, size, implicit))
        return composite_expand_copy(F, input, size, implicit=implicit)
    except Exception:
        explain_arguments(OP_expand_copy, (input, size, implicit))
        raise


OP_expand_copy.function = expand_copy


def index_add_backward(F, node, saved, g, edges):
    index, = saved
    dim, source_shape, alpha = node.params
    input_edge, source_edge = edges
    return (None if input_edge is None else g, None if source_edge is None else derivative_index_add_source(F, g, dim, index, source_shape, alpha))


class IndexAddBackward0(Saving):
    op = OPS['index_add']
    saves = ('index',)
    parameters = ('dim', 'source_shape', 'alpha')
    backward = staticmethod(index_add_backward)
    backward_complex = staticmethod(index_add_backward)


new_IndexAddBackward0 = maker_of(IndexAddBackward0)


OP_index_add.nodes = (IndexAddBackward0,)


OP_index_add.select_node = lambda input, dim, index, source, alpha: IndexAddBackward0


def index_add(input, dim=NOTHING, index=NOTHING, source=NOTHING, *, alpha=1, out=None, **named):
    """`input` with `alpha * source` added to the slices along `dim` that a vector names."""
    if named or source is NOTHING:
        return renamed(OP_index_add, index_add, {'input': input, 'dim': dim, 'index': index, 'source': source, 'alpha': alpha, 'out': out}, named)
    if type(dim) is not int or type(alpha) is not int and type(alpha) is not float:
        input, dim, index, source, alpha = accepted(OP_index_add, (input, dim, index, source, alpha))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(source) is Tensor or type(source) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_index_add(xp, input_array, dim, index_array, source_array, alpha=alpha)
                if out is not None:
                    return written_to(out, _result, OP_index_add, input, index, source)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    source_edge = source._edge if (_base := source._base) is None or source._generation == _base._generation else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_IndexAddBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if source_edge is None else index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (dim, source_array.shape if source._alike is None else source._alike[0], alpha)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_index_add, (input, dim, index, source, alpha), out)


def index_add_(input, dim=NOTHING, index=NOTHING, source=NOTHING, *, alpha=1, **named):
    """In-place version of `index_add`."""
    if named or source is NOTHING:
        return renamed(OP_index_add, index_add_, {'input': input, 'dim': dim, 'index': index, 'source': source, 'alpha': alpha}, named)
    if placed_into(overwriting.index_add_into, index_add, input, dim, index, source, alpha):
        return input
    return write(index_add, input, (dim, index, source), {'alpha': alpha}, OP_index_add)


OP_index_add.inplace_function = index_add_


OP_index_add.function = index_add


def index_copy_backward(F, node, saved, g, edges):
    index, = saved
    dim, source_shape = node.params
    input_edge, source_edge = edges
    return (None if input_edge is None else F.index_fill_number(g, dim, index, 0), None if source_edge is None else F.reshape(F.index_select(g, dim, index), source_shape))


class IndexCopyBackward0(Saving):
    op = OPS['index_copy']
    saves = ('index',)
    parameters = ('dim', 'source_shape')
    backward = staticmethod(index_copy_backward)
    backward_complex = staticmethod(index_copy_backward)


new_IndexCopyBackward0 = maker_of(IndexCopyBackward0)


OP_index_copy.nodes = (IndexCopyBackward0,)


OP_index_copy.select_node = lambda input, dim, index, source: IndexCopyBackward0


def index_copy(input, dim=NOTHING, index=NOTHING, source=NOTHING, *, out=None, **named):
    """`input` with the slices along `dim` that a vector names replaced by those of `source`."""
    if named or dim is NOTHING or index is NOTHING or source is NOTHING:
        return renamed(OP_index_copy, index_copy, {'input': input, 'dim': dim, 'index': index, 'source': source, 'out': out}, named)
    if type(dim) is not int:
        input, dim, index, source = accepted(OP_index_copy, (input, dim, index, source))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(source) is Tensor or type(source) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_index_copy(xp, input_array, dim, index_array, source_array)
                if out is not None:
                    return written_to(out, _result, OP_index_copy, input, index, source)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    source_edge = source._edge if (_base := source._base) is None or source._generation == _base._generation else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_IndexCopyBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (dim, source_array.shape if source._alike is None else source._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_index_copy, (input, dim, index, source), out)


def index_copy_(input, dim=NOTHING, index=NOTHING, source=NOTHING, **named):
    """In-place version of `index_copy`."""
    if named or dim is NOTHING or index is NOTHING or source is NOTHING:
        return renamed(OP_index_copy, index_copy_, {'input': input, 'dim': dim, 'index': index, 'source': source}, named)
    if placed_into(overwriting.index_copy_into, index_copy, input, dim, index, source):
        return input
    return uncast(write, index_copy, input, (dim, index, source), {}, OP_index_copy)


OP_index_copy.inplace_function = index_copy_


OP_index_copy.function = index_copy


def index_fill(input, dim=NOTHING, index=NOTHING, value=NOTHING, **named):
    """`input` with a value, a number or a 0-d tensor, in the slices along `dim` that a vector names."""
    if named or value is NOTHING:
        return renamed(OP_index_fill, index_fill, {'input': input, 'dim': dim, 'index': index, 'value': value}, named)
    if type(dim) is not int or type(index) not in PLAIN_TYPES:
        input, dim, index, value = accepted(OP_index_fill, (input, dim, index, value))
    if type(value) not in OPERANDS:
        input, dim, index, value = accepted(OP_index_fill, (input, dim, index, value))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(index) not in PLAIN_TYPES and hasattr(index, '__torch_function__') or type(value) not in PLAIN_TYPES and hasattr(value, '__torch_function__'):
        if (_taken := taken_over(OP_index_fill, (input, dim, index, value), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_index_fill, (input, dim, index, value))
    try:
        return composite_index_fill(F, input, dim, index, value)
    except Exception:
        explain_arguments(OP_index_fill, (input, dim, index, value))
        raise


def index_fill_(input, dim=NOTHING, index=NOTHING, value=NOTHING, **named):
    """In-place version of `index_fill`."""
    if named or value is NOTHING:
        return renamed(OP_index_fill, index_fill_, {'input': input, 'dim': dim, 'index': index, 'value': value}, named)
    if placed_into(overwriting.index_fill_into, index_fill, input, dim, index, value):
        return input
    return write(index_fill, input, (dim, index, value), {}, OP_index_fill)


OP_index_fill.inplace_function = index_fill_


OP_index_fill.function = index_fill


def index_fill_number_backward(F, node, saved, g, edges):
    index, = saved
    dim, = node.params
    return (F.index_fill_number(g, dim, index, 0),)


class IndexFillBackward0(Saving):
    op = OPS['index_fill_number']
    saves = ('index',)
    parameters = ('dim',)
    backward = staticmethod(index_fill_number_backward)
    backward_complex = staticmethod(index_fill_number_backward)


new_IndexFillBackward0 = maker_of(IndexFillBackward0)


OP_index_fill_number.nodes = (IndexFillBackward0,)


OP_index_fill_number.select_node = lambda input, dim, index, value: IndexFillBackward0


def index_fill_number(input, dim, index, value):
    """`input` with a number in the slices along `dim` that a vector names."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_index_fill_number(xp, input_array, dim, index_array, value)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_IndexFillBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_index_fill_number, (input, dim, index, value))


OP_index_fill_number.function = index_fill_number


def index_fill_tensor_backward(F, node, saved, g, edges):
    index, = saved
    dim, = node.params
    input_edge, value_edge = edges
    return (None if input_edge is None else F.index_fill_number(g, dim, index, 0), None if value_edge is None else F.sum(g * F.index_fill_number(F.zeros_of(g), dim, index, 1)))


class IndexFillBackward1(Saving):
    op = OPS['index_fill_tensor']
    saves = ('index',)
    parameters = ('dim',)
    backward = staticmethod(index_fill_tensor_backward)
    backward_complex = staticmethod(index_fill_tensor_backward)


new_IndexFillBackward1 = maker_of(IndexFillBackward1)


OP_index_fill_tensor.nodes = (IndexFillBackward1,)


OP_index_fill_tensor.select_node = lambda input, dim, index, value: IndexFillBackward1


def index_fill_tensor(input, dim, index, value):
    """`input` with the one element of `value` in the slices along `dim` that a vector names."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(value) is Tensor or type(value) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        value_array = value._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is value_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_index_fill_tensor(xp, input_array, dim, index_array, value_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    value_edge = value._edge if (_base := value._base) is None or value._generation == _base._generation else edge_of(value)
                if _mode and (input_edge is not None or value_edge is not None):
                    _node = new_IndexFillBackward1(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, value_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_index_fill_tensor, (input, dim, index, value))


OP_index_fill_tensor.function = index_fill_tensor


def index_reduce_backward(F, node, saved, g, edges):
    input, index, source, out = saved
    dim, reduce, include_self = node.params
    input_edge, source_edge = edges
    return (None if input_edge is None else derivative_index_reduce_input(F, g, input, dim, index, source, out, reduce, include_self), None if source_edge is None else derivative_index_reduce_source(F, g, input, dim, index, source, out, reduce, include_self))


class IndexReduceBackward0(Saving):
    op = OPS['index_reduce']
    saves = ('input', 'index', 'source', 'out')
    parameters = ('dim', 'reduce', 'include_self')
    backward = staticmethod(index_reduce_backward)
    backward_complex = staticmethod(index_reduce_backward)


new_IndexReduceBackward0 = maker_of(IndexReduceBackward0)


OP_index_reduce.nodes = (IndexReduceBackward0,)


OP_index_reduce.select_node = lambda input, dim, index, source, reduce, include_self: IndexReduceBackward0


def index_reduce(input, dim=NOTHING, index=NOTHING, source=NOTHING, reduce=NOTHING, *, include_self=True, out=None, **named):
    """`input` with slices of `source` reduced into those that a vector names: by "prod", "mean", "amax" or "amin"."""
    if named or reduce is NOTHING:
        return renamed(OP_index_reduce, index_reduce, {'input': input, 'dim': dim, 'index': index, 'source': source, 'reduce': reduce, 'include_self': include_self, 'out': out}, named)
    if type(dim) is not int or include_self is not False and include_self is not True:
        input, dim, index, source, reduce, include_self = accepted(OP_index_reduce, (input, dim, index, source, reduce, include_self))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(source) is Tensor or type(source) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_index_reduce(xp, input_array, dim, index_array, source_array, reduce, include_self=include_self)
                if out is not None:
                    return written_to(out, _result, OP_index_reduce, input, index, source)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    source_edge = source._edge if (_base := source._base) is None or source._generation == _base._generation else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_IndexReduceBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, index_array, source_array, _result)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    if (source_storage := source._store) is None:
                        source_storage = source._store = new_storage(None)
                        source_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (input_storage, index_storage, source_storage, out_storage)
                    _node.versions = (input_storage.version, index_storage.version, source_storage.version, 0)
                    _node.params = (dim, reduce, include_self)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_index_reduce, (input, dim, index, source, reduce, include_self), out)


def index_reduce_(input, dim=NOTHING, index=NOTHING, source=NOTHING, reduce=NOTHING, *, include_self=True, **named):
    """In-place version of `index_reduce`."""
    if named or reduce is NOTHING:
        return renamed(OP_index_reduce, index_reduce_, {'input': input, 'dim': dim, 'index': index, 'source': source, 'reduce': reduce, 'include_self': include_self}, named)
    if type(index) in PLAIN_TYPES and type(source) in PLAIN_TYPES and computed_into(raw.index_reduce, index_reduce, PLACES, input, dim, index, source, reduce, include_self=include_self):
        return input
    return write(index_reduce, input, (dim, index, source, reduce), {'include_self': include_self}, OP_index_reduce)


OP_index_reduce.inplace_function = index_reduce_


OP_index_reduce.function = index_reduce


def masked_scatter_backward(F, node, saved, g, edges):
    mask, = saved
    input_shape, source_shape = node.params
    input_edge, source_edge = edges
    return (None if input_edge is None else derivative_masked_scatter_input(F, g, input_shape, mask), None if source_edge is None else F.masked_source(g, mask, source_shape))


class MaskedScatterBackward0(Saving):
    op = OPS['masked_scatter']
    saves = ('mask',)
    parameters = ('input_shape', 'source_shape')
    backward = staticmethod(masked_scatter_backward)
    backward_complex = staticmethod(masked_scatter_backward)


new_MaskedScatterBackward0 = maker_of(MaskedScatterBackward0)


OP_masked_scatter.nodes = (MaskedScatterBackward0,)


OP_masked_scatter.select_node = lambda input, mask, source: MaskedScatterBackward0


def masked_scatter(input, mask=NOTHING, source=NOTHING, **named):
    """`input` with the first elements of `source`, in order, where `mask` holds."""
    if named or mask is NOTHING or source is NOTHING:
        return renamed(OP_masked_scatter, masked_scatter, {'input': input, 'mask': mask, 'source': source}, named)
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(mask) is Tensor or type(mask) in PLAIN_TYPES) and (type(source) is Tensor or type(source) in PLAIN_TYPES):
        input_array = input._array
        mask_array = mask._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_masked_scatter(xp, input_array, mask_array, source_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    source_edge = source._edge if (_base := source._base) is None or source._generation == _base._generation else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_MaskedScatterBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (mask_array,)
                    if (mask_storage := mask._store) is None:
                        mask_storage = mask._store = new_storage(None)
                        mask_storage.version = 0
                    _node.storages = (mask_storage,)
                    _node.versions = (mask_storage.version,)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], source_array.shape if source._alike is None else source._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_masked_scatter, (input, mask, source))


def masked_scatter_(input, mask=NOTHING, source=NOTHING, **named):
    """In-place version of `masked_scatter`."""
    if named or mask is NOTHING or source is NOTHING:
        return renamed(OP_masked_scatter, masked_scatter_, {'input': input, 'mask': mask, 'source': source}, named)
    if placed_into(overwriting.masked_scatter_into, masked_scatter, input, mask, source):
        return input
    return write(masked_scatter, input, (mask, source), {}, OP_masked_scatter)


OP_masked_scatter.inplace_function = masked_scatter_


OP_masked_scatter.function = masked_scatter


def masked_source_backward(F, node, saved, g, edges):
    mask, = saved
    input_shape, = node.params
    return (F.masked_scatter(F.new_zeros_of(g, input_shape), mask, g),)


class MaskedScatterBackwardBackward0(Saving):
    op = OPS['masked_source']
    saves = ('mask',)
    parameters = ('input_shape',)
    backward = staticmethod(masked_source_backward)
    backward_complex = staticmethod(masked_source_backward)


new_MaskedScatterBackwardBackward0 = maker_of(MaskedScatterBackwardBackward0)


OP_masked_source.nodes = (MaskedScatterBackwardBackward0,)


OP_masked_source.select_node = lambda input, mask, shape: MaskedScatterBackwardBackward0


def masked_source(input, mask, shape):
    """What `mask` selects, in front of zeros that fill `shape`: the transpose of `masked_scatter` for its source."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(mask) is Tensor or type(mask) in PLAIN_TYPES):
        input_array = input._array
        mask_array = mask._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_masked_source(input_array, mask_array, shape)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MaskedScatterBackwardBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (mask_array,)
                    if (mask_storage := mask._store) is None:
                        mask_storage = mask._store = new_storage(None)
                        mask_storage.version = 0
                    _node.storages = (mask_storage,)
                    _node.versions = (mask_storage.version,)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0],)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_masked_source, (input, mask, shape))


OP_masked_source.function = masked_source


def narrow_copy(input, dim=NOTHING, start=NOTHING, length=NOTHING, *, out=None, **named):
    """A copy of the `length` slices from `start` on along `dim`."""
    if named or dim is NOTHING or start is NOTHING or length is NOTHING:
        return renamed(OP_narrow_copy, narrow_copy, {'input': input, 'dim': dim, 'start': start, 'length': length, 'out': out}, named)
    if type(dim) is not int or type(start) is not int or start > 0x3FFFFFFF or start < -0x3FFFFFFF or type(length) is not int or length > 0x3FFFFFFF or length < -0x3FFFFFFF:
        input, dim, start, length = accepted(OP_narrow_copy, (input, dim, start, length))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_narrow_copy, (input, dim, start, length), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_narrow_copy, (input, dim, start, length))
    if out is not None:
        return into(out, 'narrow_copy', composite_narrow_copy(F, input, dim, start, length), OP_narrow_copy, (input, dim, start, length))
    try:
        return composite_narrow_copy(F, input, dim, start, length)
    except Exception:
        explain_arguments(OP_narrow_copy, (input, dim, start, length))
        raise


OP_narrow_copy.function = narrow_copy


def permute_copy(input, dims, *, out=None):
    """A copy of `input` with its dimensions in another order."""
    if type(input) not in PLAIN_TYPES or type(dims) is not tuple and type(dims) is not list and type(dims) is not Size:
        input, dims = accepted(OP_permute_copy, (input, dims))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_permute_copy, (input, dims), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'permute_copy', composite_permute_copy(F, input, dims), OP_permute_copy, (input, dims))
    try:
        return composite_permute_copy(F, input, dims)
    except Exception:
        explain_arguments(OP_permute_copy, (input, dims))
        raise


OP_permute_copy.function = permute_copy


def put_backward(F, node, saved, g, edges):
    index, = saved
    accumulate, source_shape = node.params
    input_edge, source_edge = edges
    return (None if input_edge is None else g if accumulate else F.put(g, index, F.new_zeros_of(g, tuple(index.shape))), None if source_edge is None else F.reshape(F.take(g, index), source_shape))


class PutBackward0(Saving):
    op = OPS['put']
    saves = ('index',)
    parameters = ('accumulate', 'source_shape')
    backward = staticmethod(put_backward)
    backward_complex = staticmethod(put_backward)


new_PutBackward0 = maker_of(PutBackward0)


OP_put.nodes = (PutBackward0,)


OP_put.select_node = lambda input, index, source, accumulate: PutBackward0


def put(input, index, source, accumulate=False):
    """`input` with `source` written to positions in the flattened tensor; added there with `accumulate`."""
    if accumulate is not False and accumulate is not True:
        input, index, source, accumulate = accepted(OP_put, (input, index, source, accumulate))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(source) is Tensor or type(source) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_put(xp, input_array, index_array, source_array, accumulate)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    source_edge = source._edge if (_base := source._base) is None or source._generation == _base._generation else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_PutBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (accumulate, source_array.shape if source._alike is None else source._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_put, (input, index, source, accumulate))


def put_(input, index, source, accumulate=False):
    """In-place version of `put`."""
    if placed_into(overwriting.put_into, put, input, index, source, accumulate):
        return input
    return write(put, input, (index, source, accumulate), {}, OP_put)


OP_put.inplace_function = put_


OP_put.function = put


def rewritten_backward(F, node, saved, g, edges):
    src_shape, path, view = node.params
    input_edge, src_edge = edges
    return (None if input_edge is None else F.rewritten(g, F.new_zeros_of(g, src_shape), path, view), None if src_edge is None else derivative_rewritten_src(F, g, path))


class SelectScatterBackward0(Node):
    op = OPS['rewritten']
    saves = ()
    parameters = ('src_shape', 'path', 'view')
    backward = staticmethod(rewritten_backward)
    backward_complex = staticmethod(rewritten_backward)


new_SelectScatterBackward0 = maker_of(SelectScatterBackward0)


class SliceScatterBackward0(Node):
    op = OPS['rewritten']
    saves = ()
    parameters = ('src_shape', 'path', 'view')
    backward = staticmethod(rewritten_backward)
    backward_complex = staticmethod(rewritten_backward)


new_SliceScatterBackward0 = maker_of(SliceScatterBackward0)


class DiagonalScatterBackward0(Node):
    op = OPS['rewritten']
    saves = ()
    parameters = ('src_shape', 'path', 'view')
    backward = staticmethod(rewritten_backward)
    backward_complex = staticmethod(rewritten_backward)


new_DiagonalScatterBackward0 = maker_of(DiagonalScatterBackward0)


class AsStridedScatterBackward0(Node):
    op = OPS['rewritten']
    saves = ()
    parameters = ('src_shape', 'path', 'view')
    backward = staticmethod(rewritten_backward)
    backward_complex = staticmethod(rewritten_backward)


new_AsStridedScatterBackward0 = maker_of(AsStridedScatterBackward0)


OP_rewritten.nodes = (SelectScatterBackward0, SliceScatterBackward0, DiagonalScatterBackward0, AsStridedScatterBackward0)


OP_rewritten.select_node = lambda input, src, path, view: SelectScatterBackward0 if view == 'select' else SliceScatterBackward0 if view == 'slice' else DiagonalScatterBackward0 if view == 'diagonal' else AsStridedScatterBackward0


def rewritten(input, src, path, view):
    """A copy of `input` with the part that `path` leads to replaced by `src`; `view` is the name of the last step."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(src) is Tensor or type(src) in PLAIN_TYPES):
        input_array = input._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_rewritten(xp, input_array, src_array, path, view)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    src_edge = src._edge if (_base := src._base) is None or src._generation == _base._generation else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = (new_SelectScatterBackward0 if view == 'select' else new_SliceScatterBackward0 if view == 'slice' else new_DiagonalScatterBackward0 if view == 'diagonal' else new_AsStridedScatterBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, src_edge)
                    _node.saved = ()
                    _node.params = (src_array.shape if src._alike is None else src._alike[0], path, view)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_rewritten, (input, src, path, view))


OP_rewritten.function = rewritten


def scatter(input, dim=NOTHING, index=NOTHING, src=None, *, value=None, reduce=None, out=None, **named):
    """`input` with `src`, or a number, written to the places that `index` names: `out[index[i][j]][j] = src[i][j]` for
    `dim=0`; with `reduce` "add" or "multiply" it is combined with what is there."""
    if named or index is NOTHING:
        return renamed(OP_scatter, scatter, {'input': input, 'dim': dim, 'index': index, 'src': src, 'value': value, 'reduce': reduce, 'out': out}, named)
    if type(dim) is not int or value is not None and (type(value) is not int and type(value) is not float):
        input, dim, index, src, value, reduce = accepted(OP_scatter, (input, dim, index, src, value, reduce))
    if value is None and reduce is None and type(src) in PLAIN_TYPES and (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(src) is Tensor or type(src) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_scatter_source(xp, input_array, dim, index_array, src_array)
                if out is not None:
                    return written_to(out, _result, OP_scatter, input, index, src)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    src_edge = src._edge if (_base := src._base) is None or src._generation == _base._generation else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new_ScatterBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, src_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (dim, src_array.shape if src._alike is None else src._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    if type(src) not in OPERANDS:
        input, dim, index, src, value, reduce = accepted(OP_scatter, (input, dim, index, src, value, reduce))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(index) not in PLAIN_TYPES and hasattr(index, '__torch_function__') or src is not None and type(src) not in PLAIN_TYPES and hasattr(src, '__torch_function__'):
        if (_taken := taken_over(OP_scatter, (input, dim, index, src), dict(value=value, reduce=reduce), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_scatter, (input, dim, index, src, value, reduce))
    if out is not None:
        return into(out, 'scatter', composite_scatter(F, input, dim, index, src, value=value, reduce=reduce), OP_scatter, (input, dim, index, src, value, reduce))
    try:
        return composite_scatter(F, input, dim, index, src, value=value, reduce=reduce)
    except Exception:
        explain_arguments(OP_scatter, (input, dim, index, src, value, reduce))
        raise


def scatter_(input, dim=NOTHING, index=NOTHING, src=None, *, value=None, reduce=None, **named):
    """In-place version of `scatter`."""
    if named or index is NOTHING:
        return renamed(OP_scatter, scatter_, {'input': input, 'dim': dim, 'index': index, 'src': src, 'value': value, 'reduce': reduce}, named)
    if placed_into(overwriting.scatter_into, scatter, input, dim, index, src, value, reduce):
        return input
    return write(scatter, input, (dim, index, src), {'value': value, 'reduce': reduce}, OP_scatter)


OP_scatter.inplace_function = scatter_


OP_scatter.function = scatter


def scatter_add_backward(F, node, saved, g, edges):
    index, = saved
    dim, src_shape = node.params
    input_edge, src_edge = edges
    return (None if input_edge is None else g, None if src_edge is None else derivative_scatter_add_src(F, g, dim, index, src_shape))


class ScatterAddBackward0(Saving):
    op = OPS['scatter_add']
    saves = ('index',)
    parameters = ('dim', 'src_shape')
    backward = staticmethod(scatter_add_backward)
    backward_complex = staticmethod(scatter_add_backward)


new_ScatterAddBackward0 = maker_of(ScatterAddBackward0)


OP_scatter_add.nodes = (ScatterAddBackward0,)


OP_scatter_add.select_node = lambda input, dim, index, src: ScatterAddBackward0


def scatter_add(input, dim=NOTHING, index=NOTHING, src=NOTHING, *, out=None, **named):
    """`input` with `src` added at the places that `index` names along `dim`."""
    if named or src is NOTHING:
        return renamed(OP_scatter_add, scatter_add, {'input': input, 'dim': dim, 'index': index, 'src': src, 'out': out}, named)
    if type(dim) is not int:
        input, dim, index, src = accepted(OP_scatter_add, (input, dim, index, src))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(src) is Tensor or type(src) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_scatter_add(xp, input_array, dim, index_array, src_array)
                if out is not None:
                    return written_to(out, _result, OP_scatter_add, input, index, src)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    src_edge = src._edge if (_base := src._base) is None or src._generation == _base._generation else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new_ScatterAddBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, src_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if src_edge is None else index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (dim, src_array.shape if src._alike is None else src._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_scatter_add, (input, dim, index, src), out)


def scatter_add_(input, dim=NOTHING, index=NOTHING, src=NOTHING, **named):
    """In-place version of `scatter_add`."""
    if named or src is NOTHING:
        return renamed(OP_scatter_add, scatter_add_, {'input': input, 'dim': dim, 'index': index, 'src': src}, named)
    if placed_into(overwriting.scatter_add_into, scatter_add, input, dim, index, src):
        return input
    return write(scatter_add, input, (dim, index, src), {}, OP_scatter_add)


OP_scatter_add.inplace_function = scatter_add_


OP_scatter_add.function = scatter_add


def scatter_reduce_backward(F, node, saved, g, edges):
    input, index, src, out = saved
    dim, reduce, include_self, src_shape = node.params
    input_edge, src_edge = edges
    return (None if input_edge is None else derivative_scatter_reduce_input(F, g, input, dim, index, src, out, reduce, include_self), None if src_edge is None else derivative_scatter_reduce_src(F, g, input, dim, index, src, out, reduce, include_self, src_shape))


class ScatterReduceBackward0(Saving):
    op = OPS['scatter_reduce']
    saves = ('input', 'index', 'src', 'out')
    parameters = ('dim', 'reduce', 'include_self', 'src_shape')
    backward = staticmethod(scatter_reduce_backward)
    backward_complex = staticmethod(scatter_reduce_backward)


new_ScatterReduceBackward0 = maker_of(ScatterReduceBackward0)


OP_scatter_reduce.nodes = (ScatterReduceBackward0,)


OP_scatter_reduce.select_node = lambda input, dim, index, src, reduce, include_self: ScatterReduceBackward0


def scatter_reduce(input, dim=NOTHING, index=NOTHING, src=NOTHING, reduce=NOTHING, *, include_self=True, out=None, **named):
    """`input` with `src` reduced into the places that `index` names: by "sum", "prod", "mean", "amax" or "amin"."""
    if named or reduce is NOTHING:
        return renamed(OP_scatter_reduce, scatter_reduce, {'input': input, 'dim': dim, 'index': index, 'src': src, 'reduce': reduce, 'include_self': include_self, 'out': out}, named)
    if type(dim) is not int or include_self is not False and include_self is not True:
        input, dim, index, src, reduce, include_self = accepted(OP_scatter_reduce, (input, dim, index, src, reduce, include_self))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(src) is Tensor or type(src) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_scatter_reduce(xp, input_array, dim, index_array, src_array, reduce, include_self=include_self)
                if out is not None:
                    return written_to(out, _result, OP_scatter_reduce, input, index, src)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    src_edge = src._edge if (_base := src._base) is None or src._generation == _base._generation else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new_ScatterReduceBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, src_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, index_array, src_array, _result)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    if (src_storage := src._store) is None:
                        src_storage = src._store = new_storage(None)
                        src_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (input_storage, index_storage, src_storage, out_storage)
                    _node.versions = (input_storage.version, index_storage.version, src_storage.version, 0)
                    _node.params = (dim, reduce, include_self, src_array.shape if src._alike is None else src._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_scatter_reduce, (input, dim, index, src, reduce, include_self), out)


def scatter_reduce_(input, dim=NOTHING, index=NOTHING, src=NOTHING, reduce=NOTHING, *, include_self=True, **named):
    """In-place version of `scatter_reduce`."""
    if named or reduce is NOTHING:
        return renamed(OP_scatter_reduce, scatter_reduce_, {'input': input, 'dim': dim, 'index': index, 'src': src, 'reduce': reduce, 'include_self': include_self}, named)
    if placed_into(overwriting.scatter_reduce_into, scatter_reduce, input, dim, index, src, reduce, include_self):
        return input
    return write(scatter_reduce, input, (dim, index, src, reduce), {'include_self': include_self}, OP_scatter_reduce)


OP_scatter_reduce.inplace_function = scatter_reduce_


OP_scatter_reduce.function = scatter_reduce


def scatter_source_backward(F, node, saved, g, edges):
    index, = saved
    dim, src_shape = node.params
    input_edge, src_edge = edges
    return (None if input_edge is None else F.scatter_value(g, dim, index, 0), None if src_edge is None else derivative_scatter_source_src(F, g, dim, index, src_shape))


class ScatterBackward0(Saving):
    op = OPS['scatter_source']
    saves = ('index',)
    parameters = ('dim', 'src_shape')
    backward = staticmethod(scatter_source_backward)
    backward_complex = staticmethod(scatter_source_backward)


new_ScatterBackward0 = maker_of(ScatterBackward0)


OP_scatter_source.nodes = (ScatterBackward0,)


OP_scatter_source.select_node = lambda input, dim, index, src: ScatterBackward0


def scatter_source(input, dim, index, src):
    """`input` with `src` written to the places that `index` names along `dim`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES) and (type(src) is Tensor or type(src) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_scatter_source(xp, input_array, dim, index_array, src_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    src_edge = src._edge if (_base := src._base) is None or src._generation == _base._generation else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new_ScatterBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, src_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (dim, src_array.shape if src._alike is None else src._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_scatter_source, (input, dim, index, src))


OP_scatter_source.function = scatter_source


def scatter_value_backward(F, node, saved, g, edges):
    index, = saved
    dim, = node.params
    return (F.scatter_value(g, dim, index, 0),)


class ScatterBackward1(Saving):
    op = OPS['scatter_value']
    saves = ('index',)
    parameters = ('dim',)
    backward = staticmethod(scatter_value_backward)
    backward_complex = staticmethod(scatter_value_backward)


new_ScatterBackward1 = maker_of(ScatterBackward1)


OP_scatter_value.nodes = (ScatterBackward1,)


OP_scatter_value.select_node = lambda input, dim, index, value: ScatterBackward1


def scatter_value(input, dim, index, value):
    """`input` with a number written to the places that `index` names along `dim`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(index) is Tensor or type(index) in PLAIN_TYPES):
        input_array = input._array
        index_array = index._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_scatter_value(xp, input_array, dim, index_array, value)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ScatterBackward1(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (index_array,)
                    if (index_storage := index._store) is None:
                        index_storage = index._store = new_storage(None)
                        index_storage.version = 0
                    _node.storages = (index_storage,)
                    _node.versions = (index_storage.version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_scatter_value, (input, dim, index, value))


OP_scatter_value.function = scatter_value


def select_copy(input, dim=NOTHING, index=NOTHING, *, out=None, **named):
    """A copy of the slice at position `index` along `dim`."""
    if named or index is NOTHING:
        return renamed(OP_select_copy, select_copy, {'input': input, 'dim': dim, 'index': index, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or type(dim) is not int or type(index) is not int or index > 0x3FFFFFFF or index < -0x3FFFFFFF:
        input, dim, index = accepted(OP_select_copy, (input, dim, index))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_select_copy, (input, dim, index), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'select_copy', composite_select_copy(F, input, dim, index), OP_select_copy, (input, dim, index))
    try:
        return composite_select_copy(F, input, dim, index)
    except Exception:
        explain_arguments(OP_select_copy, (input, dim, index))
        raise


OP_select_copy.function = select_copy


def select_scatter(input, src=NOTHING, dim=NOTHING, index=NOTHING, **named):
    """A copy of `input` with `src` as its slice at position `index` along `dim`."""
    if named or index is NOTHING:
        return renamed(OP_select_scatter, select_scatter, {'input': input, 'src': src, 'dim': dim, 'index': index}, named)
    if type(src) not in PLAIN_TYPES or type(dim) is not int or type(index) is not int or index > 0x3FFFFFFF or index < -0x3FFFFFFF:
        input, src, dim, index = accepted(OP_select_scatter, (input, src, dim, index))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(src) not in PLAIN_TYPES and hasattr(src, '__torch_function__'):
        if (_taken := taken_over(OP_select_scatter, (input, src, dim, index), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_select_scatter, (input, src, dim, index))
    try:
        return composite_select_scatter(F, input, src, dim, index)
    except Exception:
        explain_arguments(OP_select_scatter, (input, src, dim, index))
        raise


OP_select_scatter.function = select_scatter


def slice_copy(input, dim=0, start=None, end=None, step=1, *, out=None, **named):
    """A copy of the slices from `start` to `end` along `dim`."""
    if named:
        return renamed(OP_slice_copy, slice_copy, {'input': input, 'dim': dim, 'start': start, 'end': end, 'step': step, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or type(dim) is not int or start is not None and (type(start) is not int or start > 0x3FFFFFFF or start < -0x3FFFFFFF) or end is not None and (type(end) is not int or end > 0x3FFFFFFF or end < -0x3FFFFFFF) or type(step) is not int or step > 0x3FFFFFFF or step < -0x3FFFFFFF:
        input, dim, start, end, step = accepted(OP_slice_copy, (input, dim, start, end, step))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_slice_copy, (input, dim, start, end, step), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'slice_copy', composite_slice_copy(F, input, dim, start, end, step), OP_slice_copy, (input, dim, start, end, step))
    try:
        return composite_slice_copy(F, input, dim, start, end, step)
    except Exception:
        explain_arguments(OP_slice_copy, (input, dim, start, end, step))
        raise


OP_slice_copy.function = slice_copy


def slice_scatter(input, src=NOTHING, dim=0, start=None, end=None, step=1, *, out=None, **named):
    """A copy of `input` with `src` as its slices from `start` to `end` along `dim`."""
    if named or src is NOTHING:
        return renamed(OP_slice_scatter, slice_scatter, {'input': input, 'src': src, 'dim': dim, 'start': start, 'end': end, 'step': step, 'out': out}, named)
    if type(src) not in PLAIN_TYPES or type(dim) is not int or start is not None and (type(start) is not int or start > 0x3FFFFFFF or start < -0x3FFFFFFF) or end is not None and (type(end) is not int or end > 0x3FFFFFFF or end < -0x3FFFFFFF) or type(step) is not int or step > 0x3FFFFFFF or step < -0x3FFFFFFF:
        input, src, dim, start, end, step = accepted(OP_slice_scatter, (input, src, dim, start, end, step))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(src) not in PLAIN_TYPES and hasattr(src, '__torch_function__'):
        if (_taken := taken_over(OP_slice_scatter, (input, src, dim, start, end, step), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_slice_scatter, (input, src, dim, start, end, step))
    if out is not None:
        return into(out, 'slice_scatter', composite_slice_scatter(F, input, src, dim, start, end, step), OP_slice_scatter, (input, src, dim, start, end, step))
    try:
        return composite_slice_scatter(F, input, src, dim, start, end, step)
    except Exception:
        explain_arguments(OP_slice_scatter, (input, src, dim, start, end, step))
        raise


OP_slice_scatter.function = slice_scatter


def split_copy(input, split_size=NOTHING, dim=0, *, out=None, **named):
    """Copies of parts of one size along `dim`."""
    if named or split_size is NOTHING:
        return renamed(OP_split_copy, split_copy, {'input': input, 'split_size': split_size, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or type(split_size) is not int or split_size > 0x3FFFFFFF or split_size < -0x3FFFFFFF or type(dim) is not int:
        input, split_size, dim = accepted(OP_split_copy, (input, split_size, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_split_copy, (input, split_size, dim), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'split_copy', composite_split_copy(F, input, split_size, dim), OP_split_copy, (input, split_size, dim))
    try:
        return composite_split_copy(F, input, split_size, dim)
    except Exception:
        explain_arguments(OP_split_copy, (input, split_size, dim))
        raise


OP_split_copy.function = split_copy


def split_with_sizes_copy(input, split_sizes=NOTHING, dim=0, *, out=None, **named):
    """Copies of the parts of the given sizes along `dim`."""
    if named or split_sizes is NOTHING:
        return renamed(OP_split_with_sizes_copy, split_with_sizes_copy, {'input': input, 'split_sizes': split_sizes, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or not isinstance(split_sizes, (tuple, list)) or type(dim) is not int:
        input, split_sizes, dim = accepted(OP_split_with_sizes_copy, (input, split_sizes, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_split_with_sizes_copy, (input, split_sizes, dim), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'split_with_sizes_copy', composite_split_with_sizes_copy(F, input, split_sizes, dim), OP_split_with_sizes_copy, (input, split_sizes, dim))
    try:
        if type(split_sizes) in ROWS and not WHOLE.issuperset(map(type, split_sizes)):
            input, split_sizes, dim = accepted(OP_split_with_sizes_copy, (input, split_sizes, dim))
        return composite_split_with_sizes_copy(F, input, split_sizes, dim)
    except Exception:
        explain_arguments(OP_split_with_sizes_copy, (input, split_sizes, dim))
        raise


OP_split_with_sizes_copy.function = split_with_sizes_copy


def squeeze_copy(input, dim=None, *, out=None, **named):
    """A copy of `input` without its dimensions of size 1."""
    if named:
        return renamed(OP_squeeze_copy, squeeze_copy, {'input': input, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size):
        input, dim = accepted(OP_squeeze_copy, (input, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_squeeze_copy, (input, dim), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'squeeze_copy', composite_squeeze_copy(F, input, dim), OP_squeeze_copy, (input, dim))
    try:
        return composite_squeeze_copy(F, input, dim)
    except Exception:
        explain_arguments(OP_squeeze_copy, (input, dim))
        raise


OP_squeeze_copy.function = squeeze_copy


def t_copy(input, *, out=None):
    """A copy of a matrix transposed."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_t_copy, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_t_copy, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 't_copy', composite_t_copy(F, input), OP_t_copy, (input,))
    try:
        return composite_t_copy(F, input)
    except Exception:
        explain_arguments(OP_t_copy, (input,))
        raise


OP_t_copy.function = t_copy


def transpose_copy(input, dim0, dim1, *, out=None):
    """A copy of `input` with two dimensions swapped."""
    if type(input) not in PLAIN_TYPES or type(dim0) is not int or type(dim1) is not int:
        input, dim0, dim1 = accepted(OP_transpose_copy, (input, dim0, dim1))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_transpose_copy, (input, dim0, dim1), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'transpose_copy', composite_transpose_copy(F, input, dim0, dim1), OP_transpose_copy, (input, dim0, dim1))
    try:
        return composite_transpose_copy(F, input, dim0, dim1)
    except Exception:
        explain_arguments(OP_transpose_copy, (input, dim0, dim1))
        raise


OP_transpose_copy.function = transpose_copy


def unbind_copy(input, dim=0, *, out=None, **named):
    """Copies of the slices along `dim`."""
    if named:
        return renamed(OP_unbind_copy, unbind_copy, {'input': input, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or type(dim) is not int:
        input, dim = accepted(OP_unbind_copy, (input, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_unbind_copy, (input, dim), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'unbind_copy', composite_unbind_copy(F, input, dim), OP_unbind_copy, (input, dim))
    try:
        return composite_unbind_copy(F, input, dim)
    except Exception:
        explain_arguments(OP_unbind_copy, (input, dim))
        raise


OP_unbind_copy.function = unbind_copy


def unfold_copy(input, dimension, size, step, *, out=None):
    """A copy of every window of `size` along `dimension`."""
    if type(input) not in PLAIN_TYPES or type(dimension) is not int or type(size) is not int or size > 0x3FFFFFFF or size < -0x3FFFFFFF or type(step) is not int or step > 0x3FFFFFFF or step < -0x3FFFFFFF:
        input, dimension, size, step = accepted(OP_unfold_copy, (input, dimension, size, step))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_unfold_copy, (input, dimension, size, step), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'unfold_copy', composite_unfold_copy(F, input, dimension, size, step), OP_unfold_copy, (input, dimension, size, step))
    try:
        return composite_unfold_copy(F, input, dimension, size, step)
    except Exception:
        explain_arguments(OP_unfold_copy, (input, dimension, size, step))
        raise


OP_unfold_copy.function = unfold_copy


def unsafe_chunk(input, chunks=NOTHING, dim=0, **named):
    """At most `chunks` parts along `dim`, which the caller promises not to write to."""
    if named or chunks is NOTHING:
        return renamed(OP_unsafe_chunk, unsafe_chunk, {'input': input, 'chunks': chunks, 'dim': dim}, named)
    if type(chunks) is not int or chunks > 0x3FFFFFFF or chunks < -0x3FFFFFFF or type(dim) is not int:
        input, chunks, dim = accepted(OP_unsafe_chunk, (input, chunks, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_unsafe_chunk, (input, chunks, dim), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_unsafe_chunk, (input, chunks, dim))
    try:
        return composite_unsafe_chunk(F, input, chunks, dim)
    except Exception:
        explain_arguments(OP_unsafe_chunk, (input, chunks, dim))
        raise


OP_unsafe_chunk.function = unsafe_chunk


def unsafe_split_backward(F, node, saved, g, edges):
    input_shape, split_size, dim = node.params
    return (derivative_unsafe_split_input(F, g, input_shape, split_size, dim),)


class UnsafeSplitBackward0(Node):
    op = OPS['unsafe_split']
    saves = ()
    parameters = ('input_shape', 'split_size', 'dim')
    backward = staticmethod(unsafe_split_backward)
    backward_complex = staticmethod(unsafe_split_backward)


new_UnsafeSplitBackward0 = maker_of(UnsafeSplitBackward0)


OP_unsafe_split.nodes = (UnsafeSplitBackward0,)


OP_unsafe_split.select_node = lambda input, split_size, dim: UnsafeSplitBackward0


def unsafe_split(input=NOTHING, split_size=NOTHING, dim=0, **named):
    """Parts of one size along `dim`, which the caller promises not to write to."""
    if named or input is NOTHING or split_size is NOTHING:
        return renamed(OP_unsafe_split, unsafe_split, {'input': input, 'split_size': split_size, 'dim': dim}, named)
    if type(split_size) is not int or split_size > 0x3FFFFFFF or split_size < -0x3FFFFFFF or type(dim) is not int:
        input, split_size, dim = accepted(OP_unsafe_split, (input, split_size, dim))
    return general(OP_unsafe_split, (input, split_size, dim))


unsafe_split = documented(OP_unsafe_split, unsafe_split)


OP_unsafe_split.function = unsafe_split


def unsafe_split_with_sizes_backward(F, node, saved, g, edges):
    input_shape, split_sizes, dim = node.params
    return (derivative_unsafe_split_with_sizes_input(F, g, input_shape, split_sizes, dim),)


class UnsafeSplitWithSizesBackward0(Node):
    op = OPS['unsafe_split_with_sizes']
    saves = ()
    parameters = ('input_shape', 'split_sizes', 'dim')
    backward = staticmethod(unsafe_split_with_sizes_backward)
    backward_complex = staticmethod(unsafe_split_with_sizes_backward)


new_UnsafeSplitWithSizesBackward0 = maker_of(UnsafeSplitWithSizesBackward0)


OP_unsafe_split_with_sizes.nodes = (UnsafeSplitWithSizesBackward0,)


OP_unsafe_split_with_sizes.select_node = lambda input, split_sizes, dim: UnsafeSplitWithSizesBackward0


def unsafe_split_with_sizes(input, split_sizes=NOTHING, dim=0, **named):
    """Parts of the given sizes along `dim`, which the caller promises not to write to."""
    if named or split_sizes is NOTHING:
        return renamed(OP_unsafe_split_with_sizes, unsafe_split_with_sizes, {'input': input, 'split_sizes': split_sizes, 'dim': dim}, named)
    if not isinstance(split_sizes, (tuple, list)) or type(dim) is not int:
        input, split_sizes, dim = accepted(OP_unsafe_split_with_sizes, (input, split_sizes, dim))
    return general(OP_unsafe_split_with_sizes, (input, split_sizes, dim))


OP_unsafe_split_with_sizes.function = unsafe_split_with_sizes


def unsqueeze_copy(input, dim=NOTHING, *, out=None, **named):
    """A copy of `input` with a dimension of size 1 at `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_unsqueeze_copy, unsqueeze_copy, {'input': input, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or type(dim) is not int:
        input, dim = accepted(OP_unsqueeze_copy, (input, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_unsqueeze_copy, (input, dim), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'unsqueeze_copy', composite_unsqueeze_copy(F, input, dim), OP_unsqueeze_copy, (input, dim))
    try:
        return composite_unsqueeze_copy(F, input, dim)
    except Exception:
        explain_arguments(OP_unsqueeze_copy, (input, dim))
        raise


OP_unsqueeze_copy.function = unsqueeze_copy


def view_as_complex_copy(input, *, out=None):
    """Pairs of real numbers as complex ones, in memory of their own."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_view_as_complex_copy, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_view_as_complex_copy, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'view_as_complex_copy', composite_view_as_complex_copy(F, input), OP_view_as_complex_copy, (input,))
    try:
        return composite_view_as_complex_copy(F, input)
    except Exception:
        explain_arguments(OP_view_as_complex_copy, (input,))
        raise


OP_view_as_complex_copy.function = view_as_complex_copy


def view_as_real_copy(input, *, out=None):
    """Complex numbers as pairs of real ones, in memory of their own."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_view_as_real_copy, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_view_as_real_copy, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'view_as_real_copy', composite_view_as_real_copy(F, input), OP_view_as_real_copy, (input,))
    try:
        return composite_view_as_real_copy(F, input)
    except Exception:
        explain_arguments(OP_view_as_real_copy, (input,))
        raise


OP_view_as_real_copy.function = view_as_real_copy


def view_copy(input, size=None, dtype=None, *, out=None):
    """A copy of `input` in another shape or dtype."""
    if type(input) not in PLAIN_TYPES or size is not None and (not isinstance(size, (tuple, list))):
        input, size, dtype = accepted(OP_view_copy, (input, size, dtype))
    if type(dtype) is type:
        dtype = as_dtype('view_copy', dtype)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_view_copy, (input, size, dtype), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'view_copy', composite_view_copy(F, input, size, dtype), OP_view_copy, (input, size, dtype))
    try:
        if type(size) in ROWS and not WHOLE.issuperset(map(type, size)):
            input, size, dtype = accepted(OP_view_copy, (input, size, dtype))
        return composite_view_copy(F, input, size, dtype)
    except Exception:
        explain_arguments(OP_view_copy, (input, size, dtype))
        raise


OP_view_copy.function = view_copy


show_saved(('accumulate', 'alpha', 'dim', 'dim1', 'dim2', 'include_self', 'index', 'mask', 'offset', 'path', 'reduce', 'refusal', 'result', 'self', 'self_sym_sizes', 'several', 'source', 'source_shape', 'split_size', 'split_sizes', 'src', 'src_shape', 'view'))


show_arguments(index_add, index_add_, index_copy, index_copy_, index_fill, index_fill_, index_reduce, index_reduce_, masked_scatter, masked_scatter_, narrow_copy, scatter, scatter_, scatter_add, scatter_add_, scatter_reduce, scatter_reduce_, select_copy, select_scatter, slice_copy, slice_scatter, split_copy, split_with_sizes_copy, squeeze_copy, unbind_copy, unsafe_chunk, unsafe_split, unsafe_split_with_sizes, unsqueeze_copy)
