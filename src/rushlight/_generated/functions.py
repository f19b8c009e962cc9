"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

import sys

import numpy as np

import rushlight._generated.raw as raw
import rushlight.arrays.cpu as xp
from rushlight.core.dtype import float32, float64
from rushlight.core.graph import Node, Output, tick
from rushlight.core.modes import MODE
from rushlight.core.storage import Storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, edge_of, new
from rushlight.dispatch.errors_of_numpy import IGNORED, reset_errors, set_errors
from rushlight.dispatch.general import composed, general, into, operated
from rushlight.dispatch.inplace import write
from rushlight.ops import library
from rushlight.ops.declare import OPS

library.load()
F = sys.modules[__name__]
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
NUMBERS = frozenset((float, int))
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_add = xp.add
xp_add_windows = xp.add_windows
xp_as_complex = xp.as_complex
xp_as_real = xp.as_real
xp_astype = xp.astype
xp_broadcast_to = xp.broadcast_to
xp_conj = xp.conj
xp_copy = xp.copy
xp_diagonal = xp.diagonal
xp_divide = xp.divide
xp_drop_dims = xp.drop_dims
xp_equal = xp.equal
xp_exp = xp.exp
xp_expand = xp.expand
xp_log = xp.log
xp_multiply = xp.multiply
xp_negative = xp.negative
xp_new_dim = xp.new_dim
xp_permute = xp.permute
xp_subtract = xp.subtract
xp_swapaxes = xp.swapaxes
xp_t = xp.t
xp_tanh = xp.tanh
xp_view = xp.view
xp_view_dtype = xp.view_dtype
xp_windows = xp.windows
xp_zeros_like = xp.zeros_like

OP_H = OPS['H']
composite_H = OP_H.forward
OP_T = OPS['T']
composite_T = OP_T.forward
OP_add = OPS['add']
OP_add_windows = OPS['add_windows']
OP_adjoint = OPS['adjoint']
composite_adjoint = OP_adjoint.forward
OP_as_strided = OPS['as_strided']
composite_as_strided = OP_as_strided.forward
OP_as_strided_from = OPS['as_strided_from']
forward_as_strided_from = OP_as_strided_from.forward
OP_atleast_1d = OPS['atleast_1d']
composite_atleast_1d = OP_atleast_1d.forward
OP_atleast_2d = OPS['atleast_2d']
composite_atleast_2d = OP_atleast_2d.forward
OP_atleast_3d = OPS['atleast_3d']
composite_atleast_3d = OP_atleast_3d.forward
OP_broadcast_shapes = OPS['broadcast_shapes']
composite_broadcast_shapes = OP_broadcast_shapes.forward
OP_broadcast_tensors = OPS['broadcast_tensors']
composite_broadcast_tensors = OP_broadcast_tensors.forward
OP_broadcast_to = OPS['broadcast_to']
composite_broadcast_to = OP_broadcast_to.forward
OP_cast = OPS['cast']
composite_cast = OP_cast.forward
OP_clone = OPS['clone']
forward_clone = OP_clone.forward
OP_conj = OPS['conj']
OP_copy_values = OPS['copy_values']
OP_diagonal = OPS['diagonal']
OP_eq = OPS['eq']
OP_exp = OPS['exp']
OP_expand = OPS['expand']
OP_expand_as = OPS['expand_as']
composite_expand_as = OP_expand_as.forward
OP_expand_variadic = OPS['expand_variadic']
composite_expand_variadic = OP_expand_variadic.forward
OP_fit = OPS['fit']
composite_fit = OP_fit.forward
OP_flatten = OPS['flatten']
composite_flatten = OP_flatten.forward
OP_imag = OPS['imag']
composite_imag = OP_imag.forward
OP_log = OPS['log']
OP_mH = OPS['mH']
composite_mH = OP_mH.forward
OP_mT = OPS['mT']
composite_mT = OP_mT.forward
OP_mm = OPS['mm']
forward_mm = OP_mm.forward
OP_movedim = OPS['movedim']
composite_movedim = OP_movedim.forward
OP_mul = OPS['mul']
OP_neg = OPS['neg']
OP_new_zeros_of = OPS['new_zeros_of']
OP_permute = OPS['permute']
derivative_permute_input = OP_permute.derivatives['input']
OP_permute_variadic = OPS['permute_variadic']
composite_permute_variadic = OP_permute_variadic.forward
OP_placed = OPS['placed']
forward_placed = OP_placed.forward
derivative_placed_input = OP_placed.derivatives['input']
OP_ravel = OPS['ravel']
composite_ravel = OP_ravel.forward
OP_real = OPS['real']
composite_real = OP_real.forward
OP_reshape = OPS['reshape']
composite_reshape = OP_reshape.forward
OP_reshape_as = OPS['reshape_as']
composite_reshape_as = OP_reshape_as.forward
OP_reshape_variadic = OPS['reshape_variadic']
composite_reshape_variadic = OP_reshape_variadic.forward
OP_rsub = OPS['rsub']
OP_square = OPS['square']
composite_square = OP_square.forward
OP_squeeze = OPS['squeeze']
OP_strided_copy = OPS['strided_copy']
forward_strided_copy = OP_strided_copy.forward
OP_strided_transpose = OPS['strided_transpose']
forward_strided_transpose = OP_strided_transpose.forward
OP_sub = OPS['sub']
OP_sum = OPS['sum']
forward_sum = OP_sum.forward
derivative_sum_input = OP_sum.derivatives['input']
OP_sum_to_size_of = OPS['sum_to_size_of']
forward_sum_to_size_of = OP_sum_to_size_of.forward
OP_t = OPS['t']
forward_t = OP_t.forward
OP_tanh = OPS['tanh']
OP_to_copy = OPS['to_copy']
forward_to_copy = OP_to_copy.forward
OP_transpose = OPS['transpose']
OP_true_divide = OPS['true_divide']
OP_unflatten = OPS['unflatten']
composite_unflatten = OP_unflatten.forward
OP_unsafe_view = OPS['unsafe_view']
OP_unsqueeze = OPS['unsqueeze']
OP_view = OPS['view']
OP_view_as = OPS['view_as']
composite_view_as = OP_view_as.forward
OP_view_as_complex = OPS['view_as_complex']
OP_view_as_real = OPS['view_as_real']
derivative_view_as_real_input = OP_view_as_real.derivatives['input']
OP_view_dtype = OPS['view_dtype']
OP_view_variadic = OPS['view_variadic']
composite_view_variadic = OP_view_variadic.forward
OP_windows = OPS['windows']
OP_write_view = OPS['write_view']
forward_write_view = OP_write_view.forward
derivative_write_view_value = OP_write_view.derivatives['value']
OP_zeros_of = OPS['zeros_of']
composite_zeros_of = OP_zeros_of.forward


def H(input):
    """A matrix transposed and conjugated: a property."""
    return composite_H(F, input)


OP_H.function = H


def T(input):
    """`input` with all its dimensions in reverse order: a property."""
    return composite_T(F, input)


OP_T.function = T


def add_backward(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g, None if other_edge is None else g if alpha == 1 else g * alpha)


class AddBackward0(Node):
    op = OPS['add']
    saves = ()
    parameters = ('alpha',)
    backward = staticmethod(add_backward)
    backward_complex = staticmethod(add_backward)


OP_add.nodes = (AddBackward0,)


OP_add.select_node = lambda input, other, alpha: AddBackward0


def add(input, other, *, alpha=1, out=None):
    """`input + alpha * other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_add(input_array, other_array) if alpha == 1 else xp_add(input_array, xp_multiply(other_array, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(AddBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.params = (alpha,)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_add(input_array, other) if alpha == 1 else xp_add(input_array, xp_multiply(other, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(AddBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.params = (alpha,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_add, (input, other, alpha), out)


def operator_add(input, other):
    alpha = 1
    out = None
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_add(input_array, other_array) if alpha == 1 else xp_add(input_array, xp_multiply(other_array, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(AddBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.params = (alpha,)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_add(input_array, other) if alpha == 1 else xp_add(input_array, xp_multiply(other, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(AddBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.params = (alpha,)
                    _tensor._edge = _node
                return _tensor
    return operated(add, input, other)


def add_(input, other, *, alpha=1):
    """In-place version of `add`."""
    return write(add, input, (other,), {'alpha': alpha})


OP_add.inplace_function = add_


OP_add.function = add


def add_windows_backward(F, node, saved, g):
    input_shape, dimension, step = node.params
    return (F.windows(g, dimension, input_shape[-1], step),)


class UnfoldBackwardBackward0(Node):
    op = OPS['add_windows']
    saves = ()
    parameters = ('input_shape', 'dimension', 'step')
    backward = staticmethod(add_windows_backward)
    backward_complex = staticmethod(add_windows_backward)


OP_add_windows.nodes = (UnfoldBackwardBackward0,)


OP_add_windows.select_node = lambda input, shape, dimension, step: UnfoldBackwardBackward0


def add_windows(input, shape, dimension, step):
    """The sum of windows, each where it was taken from: the transpose of `windows`."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = xp_add_windows(input_array, shape, dimension, step)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(UnfoldBackwardBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape, dimension, step)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_add_windows, (input, shape, dimension, step))


OP_add_windows.function = add_windows


def adjoint(input):
    """The matrices in the last two dimensions, transposed and conjugated."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_adjoint, composite_adjoint, F, (input,), dict())
    return composite_adjoint(F, input)


OP_adjoint.function = adjoint


def as_strided(input, size, stride, storage_offset=None):
    """The memory of `input` seen with another size, stride and offset, all in elements; gradients reach `input`'s part."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_as_strided, composite_as_strided, F, (input, size, stride, storage_offset), dict())
    return composite_as_strided(F, input, size, stride, storage_offset)


OP_as_strided.function = as_strided


def as_strided_from_backward(F, node, saved, g):
    input_shape, size, stride, offset, strides = node.params
    return (F.strided_transpose(g, input_shape, size, stride, offset, strides),)


class AsStridedBackward0(Node):
    op = OPS['as_strided_from']
    saves = ()
    parameters = ('input_shape', 'size', 'stride', 'offset', 'strides')
    backward = staticmethod(as_strided_from_backward)
    backward_complex = staticmethod(as_strided_from_backward)


OP_as_strided_from.nodes = (AsStridedBackward0,)


OP_as_strided_from.select_node = lambda input, size, stride, offset, strides: AsStridedBackward0


def as_strided_from(input, size, stride, offset, strides):
    """The memory around `input`, whose strides are `strides`, with another size and stride, `offset` elements further on."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = forward_as_strided_from(xp, input_array, size, stride, offset, strides)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((as_strided_from, (size, stride, offset, strides)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (as_strided_from, (size, stride, offset, strides)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(AsStridedBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape, size, stride, offset, strides)
                    _tensor._edge = _node
                return _tensor
    return general(OP_as_strided_from, (input, size, stride, offset, strides))


OP_as_strided_from.function = as_strided_from


def atleast_1d(*tensors):
    """The tensors with at least one dimension."""
    return composite_atleast_1d(F, *tensors)


OP_atleast_1d.function = atleast_1d


def atleast_2d(*tensors):
    """The tensors with at least two dimensions, new ones in front."""
    return composite_atleast_2d(F, *tensors)


OP_atleast_2d.function = atleast_2d


def atleast_3d(*tensors):
    """The tensors with at least three dimensions: vectors go to the middle, matrices get a last one."""
    return composite_atleast_3d(F, *tensors)


OP_atleast_3d.function = atleast_3d


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to; an integer stands for a shape of one dimension."""
    return composite_broadcast_shapes(F, *shapes)


OP_broadcast_shapes.function = broadcast_shapes


def broadcast_tensors(*tensors):
    """The tensors expanded to their common shape."""
    return composite_broadcast_tensors(F, *tensors)


OP_broadcast_tensors.function = broadcast_tensors


def broadcast_to(input, size):
    """`input` expanded to `size`."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_broadcast_to, composite_broadcast_to, F, (input, size), dict())
    return composite_broadcast_to(F, input, size)


OP_broadcast_to.function = broadcast_to


def cast(input, kind):
    """`input` in another NumPy dtype; itself if it has it already."""
    return composite_cast(F, input, kind)


OP_cast.function = cast


def clone_backward(F, node, saved, g):
    return (g,)


class CloneBackward0(Node):
    op = OPS['clone']
    saves = ()
    parameters = ()
    backward = staticmethod(clone_backward)
    backward_complex = staticmethod(clone_backward)


OP_clone.nodes = (CloneBackward0,)


OP_clone.select_node = lambda input, memory_format: CloneBackward0


def clone(input, *, memory_format=None):
    """A copy in memory of its own."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = forward_clone(xp, input_array, memory_format=memory_format)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(CloneBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_clone, (input, memory_format))


OP_clone.function = clone


def conj_backward(F, node, saved, g):
    return (g,)


def conj_backward_complex(F, node, saved, g):
    return (F.conj(g),)


class ConjBackward0(Node):
    op = OPS['conj']
    saves = ()
    parameters = ()
    backward = staticmethod(conj_backward)
    backward_complex = staticmethod(conj_backward_complex)


OP_conj.nodes = (ConjBackward0,)


OP_conj.select_node = lambda input: ConjBackward0


def conj(input, *, out=None):
    """The complex conjugate of `input`; the input itself where it is real."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = xp_conj(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ConjBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_conj, (input,), out)


def conj_(input):
    """In-place version of `conj`."""
    return write(conj, input, (), {})


OP_conj.inplace_function = conj_


OP_conj.function = conj


def copy_values_backward(F, node, saved, g):
    input_edge, src_edge = node.edges
    return (None if input_edge is None else F.zeros_of(g), None if src_edge is None else g)


class CopyBackwards(Node):
    op = OPS['copy_values']
    saves = ()
    parameters = ()
    backward = staticmethod(copy_values_backward)
    backward_complex = staticmethod(copy_values_backward)


OP_copy_values.nodes = (CopyBackwards,)


OP_copy_values.select_node = lambda input, src: CopyBackwards


def copy_values(input, src):
    """`src` in the shape and dtype of `input`: what `input.copy_(src)` leaves."""
    if type(input) in PLAIN_TYPES and type(src) in PLAIN_TYPES:
        input_array = input._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is src_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_copy(xp_broadcast_to(xp_astype(src_array, input_array.dtype), input_array.shape))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                src_edge = src._edge if not src._storage.rewritten else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new(CopyBackwards)
                    _node.created = tick()
                    _node.edges = (input_edge, src_edge)
                    _tensor._edge = _node
                return _tensor
    return general(OP_copy_values, (input, src))


OP_copy_values.function = copy_values


def diagonal_backward(F, node, saved, g):
    input_shape, offset, dim1, dim2 = node.params
    return (F.placed(g, input_shape, ((F.diagonal, (offset, dim1, dim2)),)),)


class DiagonalBackward0(Node):
    op = OPS['diagonal']
    saves = ()
    parameters = ('input_shape', 'offset', 'dim1', 'dim2')
    backward = staticmethod(diagonal_backward)
    backward_complex = staticmethod(diagonal_backward)


OP_diagonal.nodes = (DiagonalBackward0,)


OP_diagonal.select_node = lambda input, offset, dim1, dim2: DiagonalBackward0


def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonals of the matrices in two dimensions, as a last dimension."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_diagonal(input_array, offset, dim1, dim2)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((diagonal, (offset, dim1, dim2)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (diagonal, (offset, dim1, dim2)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(DiagonalBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape, offset, dim1, dim2)
                    _tensor._edge = _node
                return _tensor
    return general(OP_diagonal, (input, offset, dim1, dim2))


OP_diagonal.function = diagonal


def eq(input, other, *, out=None):
    """Whether `input == other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_equal(input_array, other, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                return _tensor
    return general(OP_eq, (input, other), out)


def operator_eq(input, other):
    out = None
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_equal(input_array, other, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                return _tensor
    return operated(eq, input, other)


def eq_(input, other):
    """In-place version of `eq`."""
    return write(eq, input, (other,), {})


OP_eq.inplace_function = eq_


OP_eq.function = eq


def exp_backward(F, node, saved, g):
    out, = saved
    return (g * out,)


def exp_backward_complex(F, node, saved, g):
    out, = saved
    return (g * F.conj(out),)


class ExpBackward0(Node):
    op = OPS['exp']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(exp_backward)
    backward_complex = staticmethod(exp_backward_complex)


OP_exp.nodes = (ExpBackward0,)


OP_exp.select_node = lambda input: ExpBackward0


def exp(input, *, out=None):
    """e to the power `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = xp_exp(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ExpBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_exp, (input,), out)


def exp_(input):
    """In-place version of `exp`."""
    return write(exp, input, (), {})


OP_exp.inplace_function = exp_


OP_exp.function = exp


def expand_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.sum_to_size_of(g, input_shape),)


class ExpandBackward0(Node):
    op = OPS['expand']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(expand_backward)
    backward_complex = staticmethod(expand_backward)


OP_expand.nodes = (ExpandBackward0,)


OP_expand.select_node = lambda input, size: ExpandBackward0


def expand(input, size):
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_expand(input_array, size)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((expand, (size,)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (expand, (size,)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ExpandBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_expand, (input, size))


OP_expand.function = expand


def expand_as(input, other):
    """`input` expanded to the shape of `other`."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_expand_as, composite_expand_as, F, (input, other), dict())
    return composite_expand_as(F, input, other)


OP_expand_as.function = expand_as


def expand_variadic(input, *size, implicit=False):
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_expand_variadic, composite_expand_variadic, F, (input, *size), dict(implicit=implicit))
    return composite_expand_variadic(F, input, *size, implicit=implicit)


OP_expand_variadic.function = expand_variadic


def fit(input, shape, kind):
    """A gradient summed and cast to the shape and dtype of what it is the gradient of."""
    return composite_fit(F, input, shape, kind)


OP_fit.function = fit


def flatten(input, start_dim=0, end_dim=-1):
    """`input` with the dimensions from `start_dim` to `end_dim` made one; itself if that is one already."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_flatten, composite_flatten, F, (input, start_dim, end_dim), dict())
    return composite_flatten(F, input, start_dim, end_dim)


OP_flatten.function = flatten


def imag(input):
    """The imaginary parts, a view. Raises RuntimeError where `input` is real."""
    return composite_imag(F, input)


OP_imag.function = imag


def log_backward(F, node, saved, g):
    input, = saved
    return (g / input,)


def log_backward_complex(F, node, saved, g):
    input, = saved
    return (g / F.conj(input),)


class LogBackward0(Node):
    op = OPS['log']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(log_backward)
    backward_complex = staticmethod(log_backward_complex)


OP_log.nodes = (LogBackward0,)


OP_log.select_node = lambda input: LogBackward0


def log(input, *, out=None):
    """The natural logarithm of `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = xp_log(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(LogBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_log, (input,), out)


def log_(input):
    """In-place version of `log`."""
    return write(log, input, (), {})


OP_log.inplace_function = log_


OP_log.function = log


def mH(input):
    """The matrices in the last two dimensions, transposed and conjugated: a property."""
    return composite_mH(F, input)


OP_mH.function = mH


def mT(input):
    """The matrices in the last two dimensions, transposed: a property."""
    return composite_mT(F, input)


OP_mT.function = mT


def mm_backward(F, node, saved, g):
    input, mat2 = saved
    input_edge, mat2_edge = node.edges
    return (None if input_edge is None else F.mm(g, F.t(mat2)), None if mat2_edge is None else F.mm(F.t(input), g))


def mm_backward_complex(F, node, saved, g):
    input, mat2 = saved
    input_edge, mat2_edge = node.edges
    return (None if input_edge is None else F.mm(g, F.conj(F.t(mat2))), None if mat2_edge is None else F.mm(F.conj(F.t(input)), g))


class MmBackward0(Node):
    op = OPS['mm']
    saves = ('input', 'mat2')
    parameters = ()
    backward = staticmethod(mm_backward)
    backward_complex = staticmethod(mm_backward_complex)


OP_mm.nodes = (MmBackward0,)


OP_mm.select_node = lambda input, mat2: MmBackward0


def mm(input, mat2, *, out=None):
    """The product of two matrices."""
    if out is None and type(input) in PLAIN_TYPES and type(mat2) in PLAIN_TYPES:
        input_array = input._array
        mat2_array = mat2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is mat2_array.dtype and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = forward_mm(xp, input_array, mat2_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                mat2_edge = mat2._edge if not mat2._storage.rewritten else edge_of(mat2)
                if _mode and (input_edge is not None or mat2_edge is not None):
                    _node = new(MmBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, mat2_edge)
                    _node.saved = (None if mat2_edge is None else input_array, None if input_edge is None else mat2_array)
                    _node.storages = _storages = (input._storage, mat2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_mm, (input, mat2), out)


OP_mm.function = mm


def movedim(input, source, destination):
    """`input` with some dimensions moved to other positions, the rest in their order."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_movedim, composite_movedim, F, (input, source, destination), dict())
    return composite_movedim(F, input, source, destination)


OP_movedim.function = movedim


def mul_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g * other, None if other_edge is None else g * input)


def mul_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g * F.conj(other), None if other_edge is None else g * F.conj(input))


class MulBackward0(Node):
    op = OPS['mul']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(mul_backward)
    backward_complex = staticmethod(mul_backward_complex)


OP_mul.nodes = (MulBackward0,)


OP_mul.select_node = lambda input, other: MulBackward0


def mul(input, other, *, out=None):
    """`input * other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_multiply(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(MulBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = (None if other_edge is None else input_array, None if input_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_multiply(input_array, other, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(MulBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = (None, other)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _tensor._edge = _node
                return _tensor
    return general(OP_mul, (input, other), out)


def operator_mul(input, other):
    out = None
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_multiply(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(MulBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = (None if other_edge is None else input_array, None if input_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_multiply(input_array, other, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(MulBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = (None, other)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _tensor._edge = _node
                return _tensor
    return operated(mul, input, other)


def mul_(input, other):
    """In-place version of `mul`."""
    return write(mul, input, (other,), {})


OP_mul.inplace_function = mul_


OP_mul.function = mul


def neg_backward(F, node, saved, g):
    return (-g,)


class NegBackward0(Node):
    op = OPS['neg']
    saves = ()
    parameters = ()
    backward = staticmethod(neg_backward)
    backward_complex = staticmethod(neg_backward)


OP_neg.nodes = (NegBackward0,)


OP_neg.select_node = lambda input: NegBackward0


def neg(input, *, out=None):
    """`-input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_negative(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(NegBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_neg, (input,), out)


def operator_neg(input):
    out = None
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_negative(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(NegBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _tensor._edge = _node
                return _tensor
    return neg(input)


def neg_(input):
    """In-place version of `neg`."""
    return write(neg, input, (), {})


OP_neg.inplace_function = neg_


OP_neg.function = neg


def new_zeros_of(input, shape):
    """Zeros of a shape, of the dtype and on the device of `input`."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_zeros_like(input_array, shape=shape)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                return _tensor
    return general(OP_new_zeros_of, (input, shape))


OP_new_zeros_of.function = new_zeros_of


def permute_backward(F, node, saved, g):
    dims, = node.params
    return (derivative_permute_input(F, g, dims),)


class PermuteBackward0(Node):
    op = OPS['permute']
    saves = ()
    parameters = ('dims',)
    backward = staticmethod(permute_backward)
    backward_complex = staticmethod(permute_backward)


OP_permute.nodes = (PermuteBackward0,)


OP_permute.select_node = lambda input, dims: PermuteBackward0


def permute(input, dims):
    """`input` with its dimensions in another order."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_permute(input_array, dims)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((permute, (dims,)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (permute, (dims,)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(PermuteBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (dims,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_permute, (input, dims))


OP_permute.function = permute


def permute_variadic(input, *dims):
    """`input` with its dimensions in another order."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_permute_variadic, composite_permute_variadic, F, (input, *dims), dict())
    return composite_permute_variadic(F, input, *dims)


OP_permute_variadic.function = permute_variadic


def placed_backward(F, node, saved, g):
    path, = node.params
    return (derivative_placed_input(F, g, path),)


class PlacedBackward0(Node):
    op = OPS['placed']
    saves = ()
    parameters = ('path',)
    backward = staticmethod(placed_backward)
    backward_complex = staticmethod(placed_backward)


OP_placed.nodes = (PlacedBackward0,)


OP_placed.select_node = lambda input, shape, path: PlacedBackward0


def placed(input, shape, path):
    """Zeros of `shape` with `input` in the part that `path` leads to: the transpose of a view."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = forward_placed(xp, input_array, shape, path)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(PlacedBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (path,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_placed, (input, shape, path))


OP_placed.function = placed


def ravel(input):
    """`input` in one dimension."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_ravel, composite_ravel, F, (input,), dict())
    return composite_ravel(F, input)


OP_ravel.function = ravel


def real(input):
    """The real parts, a view; `input` itself where it is real."""
    return composite_real(F, input)


OP_real.function = real


def reshape(input, shape):
    """`input` in another shape: a view where that is possible, else a copy."""
    return composite_reshape(F, input, shape)


OP_reshape.function = reshape


def reshape_as(input, other):
    """`input` in the shape of `other`."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_reshape_as, composite_reshape_as, F, (input, other), dict())
    return composite_reshape_as(F, input, other)


OP_reshape_as.function = reshape_as


def reshape_variadic(input, *shape):
    """`input` in another shape: a view where that is possible, else a copy."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_reshape_variadic, composite_reshape_variadic, F, (input, *shape), dict())
    return composite_reshape_variadic(F, input, *shape)


OP_reshape_variadic.function = reshape_variadic


def rsub_backward(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else -g if alpha == 1 else g * -alpha, None if other_edge is None else g)


class RsubBackward1(Node):
    op = OPS['rsub']
    saves = ()
    parameters = ('alpha',)
    backward = staticmethod(rsub_backward)
    backward_complex = staticmethod(rsub_backward)


OP_rsub.nodes = (RsubBackward1,)


OP_rsub.select_node = lambda input, other, alpha: RsubBackward1


def rsub(input, other, *, alpha=1, out=None):
    """`other - alpha * input`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_subtract(other_array, input_array) if alpha == 1 else xp_subtract(other_array, xp_multiply(input_array, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(RsubBackward1)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.params = (alpha,)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_subtract(other, input_array) if alpha == 1 else xp_subtract(other, xp_multiply(input_array, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(RsubBackward1)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.params = (alpha,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_rsub, (input, other, alpha), out)


def operator_rsub(input, other):
    alpha = 1
    out = None
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_subtract(other_array, input_array) if alpha == 1 else xp_subtract(other_array, xp_multiply(input_array, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(RsubBackward1)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.params = (alpha,)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_subtract(other, input_array) if alpha == 1 else xp_subtract(other, xp_multiply(input_array, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(RsubBackward1)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.params = (alpha,)
                    _tensor._edge = _node
                return _tensor
    return operated(rsub, input, other)


def rsub_(input, other, *, alpha=1):
    """In-place version of `rsub`."""
    return write(rsub, input, (other,), {'alpha': alpha})


OP_rsub.inplace_function = rsub_


OP_rsub.function = rsub


def square(input):
    """`input * input`."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_square, composite_square, F, (input,), dict())
    return composite_square(F, input)


def square_(input):
    """In-place version of `square`."""
    return write(square, input, (), {})


OP_square.inplace_function = square_


OP_square.function = square


def squeeze_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.view(g, input_shape),)


class SqueezeBackward0(Node):
    op = OPS['squeeze']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(squeeze_backward)
    backward_complex = staticmethod(squeeze_backward)


class SqueezeBackward1(Node):
    op = OPS['squeeze']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(squeeze_backward)
    backward_complex = staticmethod(squeeze_backward)


class SqueezeBackward2(Node):
    op = OPS['squeeze']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(squeeze_backward)
    backward_complex = staticmethod(squeeze_backward)


OP_squeeze.nodes = (SqueezeBackward0, SqueezeBackward1, SqueezeBackward2)


OP_squeeze.select_node = lambda input, dim: SqueezeBackward0 if dim is None else SqueezeBackward1 if isinstance(dim, int) else SqueezeBackward2


def squeeze(input, dim=None):
    """`input` without its dimensions of size 1: all of them, or those that `dim` names."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_drop_dims(input_array, dim)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((squeeze, (dim,)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (squeeze, (dim,)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(SqueezeBackward0 if dim is None else SqueezeBackward1 if isinstance(dim, int) else SqueezeBackward2)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_squeeze, (input, dim))


OP_squeeze.function = squeeze


def strided_copy_backward(F, node, saved, g):
    input_shape, size, stride, offset, strides = node.params
    return (F.strided_transpose(g, input_shape, size, stride, offset, strides),)


class StridedCopyBackward0(Node):
    op = OPS['strided_copy']
    saves = ()
    parameters = ('input_shape', 'size', 'stride', 'offset', 'strides')
    backward = staticmethod(strided_copy_backward)
    backward_complex = staticmethod(strided_copy_backward)


OP_strided_copy.nodes = (StridedCopyBackward0,)


OP_strided_copy.select_node = lambda input, size, stride, offset, strides: StridedCopyBackward0


def strided_copy(input, size, stride, offset, strides):
    """What `as_strided_from` reads, where the elements of `input` no longer lie in the strides that it had."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = forward_strided_copy(xp, input_array, size, stride, offset, strides)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(StridedCopyBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape, size, stride, offset, strides)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_strided_copy, (input, size, stride, offset, strides))


OP_strided_copy.function = strided_copy


def strided_transpose_backward(F, node, saved, g):
    size, stride, offset, strides = node.params
    return (F.strided_copy(g, size, stride, offset, strides),)


class AsStridedBackwardBackward0(Node):
    op = OPS['strided_transpose']
    saves = ()
    parameters = ('size', 'stride', 'offset', 'strides')
    backward = staticmethod(strided_transpose_backward)
    backward_complex = staticmethod(strided_transpose_backward)


OP_strided_transpose.nodes = (AsStridedBackwardBackward0,)


OP_strided_transpose.select_node = lambda input, shape, size, stride, offset, strides: AsStridedBackwardBackward0


def strided_transpose(input, shape, size, stride, offset, strides):
    """The transpose of `strided_copy`: elements in one place are added, places that `input` had twice are shared out."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = forward_strided_transpose(xp, input_array, shape, size, stride, offset, strides)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(AsStridedBackwardBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (size, stride, offset, strides)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_strided_transpose, (input, shape, size, stride, offset, strides))


OP_strided_transpose.function = strided_transpose


def sub_backward(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g, None if other_edge is None else -g if alpha == 1 else g * -alpha)


class SubBackward0(Node):
    op = OPS['sub']
    saves = ()
    parameters = ('alpha',)
    backward = staticmethod(sub_backward)
    backward_complex = staticmethod(sub_backward)


OP_sub.nodes = (SubBackward0,)


OP_sub.select_node = lambda input, other, alpha: SubBackward0


def sub(input, other, *, alpha=1, out=None):
    """`input - alpha * other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_subtract(input_array, other_array) if alpha == 1 else xp_subtract(input_array, xp_multiply(other_array, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(SubBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.params = (alpha,)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_subtract(input_array, other) if alpha == 1 else xp_subtract(input_array, xp_multiply(other, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(SubBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.params = (alpha,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_sub, (input, other, alpha), out)


def operator_sub(input, other):
    alpha = 1
    out = None
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            try:
                _result = xp_subtract(input_array, other_array) if alpha == 1 else xp_subtract(input_array, xp_multiply(other_array, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(SubBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.params = (alpha,)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_subtract(input_array, other) if alpha == 1 else xp_subtract(input_array, xp_multiply(other, alpha))
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(SubBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.params = (alpha,)
                    _tensor._edge = _node
                return _tensor
    return operated(sub, input, other)


def sub_(input, other, *, alpha=1):
    """In-place version of `sub`."""
    return write(sub, input, (other,), {'alpha': alpha})


OP_sub.inplace_function = sub_


OP_sub.function = sub


def sum_backward(F, node, saved, g):
    input_shape, dim = node.params
    return (derivative_sum_input(F, g, input_shape, dim),)


class SumBackward0(Node):
    op = OPS['sum']
    saves = ()
    parameters = ('input_shape', 'dim')
    backward = staticmethod(sum_backward)
    backward_complex = staticmethod(sum_backward)


class SumBackward1(Node):
    op = OPS['sum']
    saves = ()
    parameters = ('input_shape', 'dim')
    backward = staticmethod(sum_backward)
    backward_complex = staticmethod(sum_backward)


OP_sum.nodes = (SumBackward0, SumBackward1)


OP_sum.select_node = lambda input, dim, keepdim, dtype: SumBackward0 if dim is None else SumBackward1


def sum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum of the elements along `dim`; of all of them if `dim` is None."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = forward_sum(xp, input_array, dim, keepdim, dtype=dtype)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(SumBackward0 if dim is None else SumBackward1)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape, dim)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sum, (input, dim, keepdim, dtype), out)


OP_sum.function = sum


def sum_to_size_of_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.expand(g, input_shape),)


class SumToSizeOfBackward0(Node):
    op = OPS['sum_to_size_of']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(sum_to_size_of_backward)
    backward_complex = staticmethod(sum_to_size_of_backward)


OP_sum_to_size_of.nodes = (SumToSizeOfBackward0,)


OP_sum_to_size_of.select_node = lambda input, shape: SumToSizeOfBackward0


def sum_to_size_of(input, shape):
    """The sum over the dimensions along which `shape` would have to be expanded."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = forward_sum_to_size_of(xp, input_array, shape)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(SumToSizeOfBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape,)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sum_to_size_of, (input, shape))


OP_sum_to_size_of.function = sum_to_size_of


def t_backward(F, node, saved, g):
    return (F.t(g),)


class TBackward0(Node):
    op = OPS['t']
    saves = ()
    parameters = ()
    backward = staticmethod(t_backward)
    backward_complex = staticmethod(t_backward)


OP_t.nodes = (TBackward0,)


OP_t.select_node = lambda input: TBackward0


def t(input):
    """A matrix transposed; fewer dimensions are left as they are."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_t(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((t, ()),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (t, ()))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(TBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_t, (input,))


OP_t.function = t


def tanh_backward(F, node, saved, g):
    out, = saved
    return (g * (1 - out * out),)


def tanh_backward_complex(F, node, saved, g):
    out, = saved
    return (g * F.conj(1 - out * out),)


class TanhBackward0(Node):
    op = OPS['tanh']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(tanh_backward)
    backward_complex = staticmethod(tanh_backward_complex)


OP_tanh.nodes = (TanhBackward0,)


OP_tanh.select_node = lambda input: TanhBackward0


def tanh(input, *, out=None):
    """The hyperbolic tangent of `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            try:
                _result = xp_tanh(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(TanhBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_tanh, (input,), out)


def tanh_(input):
    """In-place version of `tanh`."""
    return write(tanh, input, (), {})


OP_tanh.inplace_function = tanh_


OP_tanh.function = tanh


def to_copy_backward(F, node, saved, g):
    input_dtype, input_device = node.params
    return (F.to_copy(g, input_dtype, input_device),)


class ToCopyBackward0(Node):
    op = OPS['to_copy']
    saves = ()
    parameters = ('input_dtype', 'input_device')
    backward = staticmethod(to_copy_backward)
    backward_complex = staticmethod(to_copy_backward)


OP_to_copy.nodes = (ToCopyBackward0,)


OP_to_copy.select_node = lambda input, kind, place: ToCopyBackward0


def to_copy(input, kind=None, place=None):
    """A copy of `input` in another dtype, on another device, or both; None keeps either."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = forward_to_copy(xp, input_array, kind, place)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ToCopyBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.dtype, input.device)
                    _tensor._edge = _node
                return _tensor
    return general(OP_to_copy, (input, kind, place))


OP_to_copy.function = to_copy


def transpose_backward(F, node, saved, g):
    dim0, dim1 = node.params
    return (F.transpose(g, dim0, dim1),)


class TransposeBackward0(Node):
    op = OPS['transpose']
    saves = ()
    parameters = ('dim0', 'dim1')
    backward = staticmethod(transpose_backward)
    backward_complex = staticmethod(transpose_backward)


OP_transpose.nodes = (TransposeBackward0,)


OP_transpose.select_node = lambda input, dim0, dim1: TransposeBackward0


def transpose(input, dim0, dim1):
    """`input` with two dimensions swapped."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_swapaxes(input_array, dim0, dim1)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((transpose, (dim0, dim1)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (transpose, (dim0, dim1)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(TransposeBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (dim0, dim1)
                    _tensor._edge = _node
                return _tensor
    return general(OP_transpose, (input, dim0, dim1))


OP_transpose.function = transpose


def true_divide_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g / other, None if other_edge is None else -g * (input / other / other))


def true_divide_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g / F.conj(other), None if other_edge is None else -g * F.conj(input / other / other))


class DivBackward0(Node):
    op = OPS['true_divide']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(true_divide_backward)
    backward_complex = staticmethod(true_divide_backward_complex)


OP_true_divide.nodes = (DivBackward0,)


OP_true_divide.select_node = lambda input, other: DivBackward0


def true_divide(input, other, *, out=None):
    """`input / other`, element by element; whole numbers give fractions."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(DivBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = (None if other_edge is None else input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(input_array, other, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(DivBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = (None, other)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_true_divide, (input, other), out)


def operator_true_divide(input, other):
    out = None
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                other_edge = other._edge if not other._storage.rewritten else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(DivBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = (None if other_edge is None else input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, _dtype), (other_array.shape, _dtype))
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(input_array, other, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(DivBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = (None, other)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return operated(true_divide, input, other)


def true_divide_(input, other):
    """In-place version of `true_divide`."""
    return write(true_divide, input, (other,), {})


OP_true_divide.inplace_function = true_divide_


OP_true_divide.function = true_divide


def unflatten(input, dim, sizes):
    """`input` with dimension `dim` split into several; one of the `sizes` may be -1."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_unflatten, composite_unflatten, F, (input, dim, sizes), dict())
    return composite_unflatten(F, input, dim, sizes)


OP_unflatten.function = unflatten


def unsafe_view_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.reshape(g, input_shape),)


class UnsafeViewBackward0(Node):
    op = OPS['unsafe_view']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(unsafe_view_backward)
    backward_complex = staticmethod(unsafe_view_backward)


OP_unsafe_view.nodes = (UnsafeViewBackward0,)


OP_unsafe_view.select_node = lambda input, size: UnsafeViewBackward0


def unsafe_view(input, size):
    """A fresh copy in another shape, which takes its memory over: not a view as far as in-place is concerned."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_view(input_array, size)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(UnsafeViewBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_unsafe_view, (input, size))


OP_unsafe_view.function = unsafe_view


def unsqueeze_backward(F, node, saved, g):
    dim, = node.params
    return (F.squeeze(g, dim),)


class UnsqueezeBackward0(Node):
    op = OPS['unsqueeze']
    saves = ()
    parameters = ('dim',)
    backward = staticmethod(unsqueeze_backward)
    backward_complex = staticmethod(unsqueeze_backward)


OP_unsqueeze.nodes = (UnsqueezeBackward0,)


OP_unsqueeze.select_node = lambda input, dim: UnsqueezeBackward0


def unsqueeze(input, dim):
    """`input` with a dimension of size 1 at `dim`."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_new_dim(input_array, dim)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((unsqueeze, (dim,)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (unsqueeze, (dim,)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(UnsqueezeBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (dim,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_unsqueeze, (input, dim))


OP_unsqueeze.function = unsqueeze


def view_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.reshape(g, input_shape),)


class ViewBackward0(Node):
    op = OPS['view']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(view_backward)
    backward_complex = staticmethod(view_backward)


OP_view.nodes = (ViewBackward0,)


OP_view.select_node = lambda input, size: ViewBackward0


def view(input, size):
    """The same memory in another shape."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_view(input_array, size)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((view, (size,)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (view, (size,)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ViewBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_view, (input, size))


OP_view.function = view


def view_as(input, other):
    """`input` seen in the shape of `other`."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_view_as, composite_view_as, F, (input, other), dict())
    return composite_view_as(F, input, other)


OP_view_as.function = view_as


def view_as_complex_backward(F, node, saved, g):
    return (F.view_as_real(g),)


class ViewAsComplexBackward0(Node):
    op = OPS['view_as_complex']
    saves = ()
    parameters = ()
    backward = staticmethod(view_as_complex_backward)
    backward_complex = staticmethod(view_as_complex_backward)


OP_view_as_complex.nodes = (ViewAsComplexBackward0,)


OP_view_as_complex.select_node = lambda input: ViewAsComplexBackward0


def view_as_complex(input):
    """Pairs of real numbers, the last dimension, as complex ones."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_as_complex(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((view_as_complex, ()),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (view_as_complex, ()))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ViewAsComplexBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_view_as_complex, (input,))


OP_view_as_complex.function = view_as_complex


def view_as_real_backward(F, node, saved, g):
    return (derivative_view_as_real_input(F, g),)


class ViewAsRealBackward0(Node):
    op = OPS['view_as_real']
    saves = ()
    parameters = ()
    backward = staticmethod(view_as_real_backward)
    backward_complex = staticmethod(view_as_real_backward)


OP_view_as_real.nodes = (ViewAsRealBackward0,)


OP_view_as_real.select_node = lambda input: ViewAsRealBackward0


def view_as_real(input):
    """Complex numbers as pairs of real ones, in a last dimension."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_as_real(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((view_as_real, ()),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (view_as_real, ()))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ViewAsRealBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _tensor._edge = _node
                return _tensor
    return general(OP_view_as_real, (input,))


OP_view_as_real.function = view_as_real


def view_dtype(input, kind):
    """The same memory read as another dtype."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_view_dtype(input_array, kind)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((view_dtype, (kind,)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (view_dtype, (kind,)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                return _tensor
    return general(OP_view_dtype, (input, kind))


OP_view_dtype.function = view_dtype


def view_variadic(input, *shape, dtype=None):
    """The same memory in another shape or as another dtype. Raises RuntimeError where only a copy could be so."""
    if type(input) not in PLAIN_TYPES and isinstance(input, Tensor):
        return composed(OP_view_variadic, composite_view_variadic, F, (input, *shape), dict(dtype=dtype))
    return composite_view_variadic(F, input, *shape, dtype=dtype)


OP_view_variadic.function = view_variadic


def windows_backward(F, node, saved, g):
    input_shape, dimension, step = node.params
    return (F.add_windows(g, input_shape, dimension, step),)


class UnfoldBackward0(Node):
    op = OPS['windows']
    saves = ()
    parameters = ('input_shape', 'dimension', 'step')
    backward = staticmethod(windows_backward)
    backward_complex = staticmethod(windows_backward)


OP_windows.nodes = (UnfoldBackward0,)


OP_windows.select_node = lambda input, dimension, size, step: UnfoldBackward0


def windows(input, dimension, size, step):
    """Every window of `size` along `dimension`, `step` apart, as a last dimension."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False):
            try:
                _result = xp_windows(input_array, dimension, size, step)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = _base = input
                    _tensor._path = ((windows, (dimension, size, step)),)
                else:
                    _tensor._base = _base
                    _tensor._path = (*input._path, (windows, (dimension, size, step)))
                    if input._creation is not None:
                        _tensor._creation = input._creation
                if not _mode:
                    _tensor._creation = "no_grad"
                if _base._generation:
                    edge_of(input)
                    _tensor._generation = _base._generation
                input_edge = input._edge if not input._storage.rewritten else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(UnfoldBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.params = (input_array.shape, dimension, step)
                    _tensor._edge = _node
                return _tensor
    return general(OP_windows, (input, dimension, size, step))


OP_windows.function = windows


def write_view_backward(F, node, saved, g):
    value_shape, path = node.params
    base_edge, value_edge = node.edges
    return (None if base_edge is None else F.write_view(g, F.new_zeros_of(g, value_shape), path), None if value_edge is None else derivative_write_view_value(F, g, path))


class CopySlices(Node):
    op = OPS['write_view']
    saves = ()
    parameters = ('value_shape', 'path')
    backward = staticmethod(write_view_backward)
    backward_complex = staticmethod(write_view_backward)


OP_write_view.nodes = (CopySlices,)


OP_write_view.select_node = lambda base, value, path: CopySlices


def write_view(base, value, path):
    """`base` with the part that `path` leads to replaced by `value`."""
    if type(base) in PLAIN_TYPES and type(value) in PLAIN_TYPES:
        base_array = base._array
        value_array = value._array
        _mode = get_mode()
        if ((_dtype := base_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is value_array.dtype and (_mode is True or _mode is False):
            _token = set_errors(IGNORED)
            try:
                _result = forward_write_view(xp, base_array, value_array, path)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                base_edge = base._edge if not base._storage.rewritten else edge_of(base)
                value_edge = value._edge if not value._storage.rewritten else edge_of(value)
                if _mode and (base_edge is not None or value_edge is not None):
                    _node = new(CopySlices)
                    _node.created = tick()
                    _node.edges = (base_edge, value_edge)
                    _node.params = (value_array.shape, path)
                    _tensor._edge = _node
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_write_view, (base, value, path))


OP_write_view.function = write_view


def zeros_of(input):
    """Zeros like `input`."""
    return composite_zeros_of(F, input)


OP_zeros_of.function = zeros_of
