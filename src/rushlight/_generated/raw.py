"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

import sys

import rushlight.arrays.cpu as xp
from rushlight.ops import library
from rushlight.ops.declare import OPS

library.load()
F = sys.modules[__name__]

forward_H = OPS['H'].forward
forward_T = OPS['T'].forward
forward_add = OPS['add'].forward
forward_add_windows = OPS['add_windows'].forward
forward_adjoint = OPS['adjoint'].forward
forward_as_strided = OPS['as_strided'].forward
forward_as_strided_from = OPS['as_strided_from'].forward
forward_atleast_1d = OPS['atleast_1d'].forward
forward_atleast_2d = OPS['atleast_2d'].forward
forward_atleast_3d = OPS['atleast_3d'].forward
forward_broadcast_shapes = OPS['broadcast_shapes'].forward
forward_broadcast_tensors = OPS['broadcast_tensors'].forward
forward_broadcast_to = OPS['broadcast_to'].forward
forward_cast = OPS['cast'].forward
forward_clone = OPS['clone'].forward
forward_conj = OPS['conj'].forward
forward_copy_values = OPS['copy_values'].forward
forward_diagonal = OPS['diagonal'].forward
forward_eq = OPS['eq'].forward
forward_exp = OPS['exp'].forward
forward_expand = OPS['expand'].forward
forward_expand_as = OPS['expand_as'].forward
forward_expand_variadic = OPS['expand_variadic'].forward
forward_fit = OPS['fit'].forward
forward_flatten = OPS['flatten'].forward
forward_imag = OPS['imag'].forward
forward_log = OPS['log'].forward
forward_mH = OPS['mH'].forward
forward_mT = OPS['mT'].forward
forward_mm = OPS['mm'].forward
forward_movedim = OPS['movedim'].forward
forward_mul = OPS['mul'].forward
forward_neg = OPS['neg'].forward
forward_new_zeros_of = OPS['new_zeros_of'].forward
forward_permute = OPS['permute'].forward
forward_permute_variadic = OPS['permute_variadic'].forward
forward_placed = OPS['placed'].forward
forward_ravel = OPS['ravel'].forward
forward_real = OPS['real'].forward
forward_reshape = OPS['reshape'].forward
forward_reshape_as = OPS['reshape_as'].forward
forward_reshape_variadic = OPS['reshape_variadic'].forward
forward_rsub = OPS['rsub'].forward
forward_square = OPS['square'].forward
forward_squeeze = OPS['squeeze'].forward
forward_strided_copy = OPS['strided_copy'].forward
forward_strided_transpose = OPS['strided_transpose'].forward
forward_sub = OPS['sub'].forward
forward_sum = OPS['sum'].forward
forward_sum_to_size_of = OPS['sum_to_size_of'].forward
forward_t = OPS['t'].forward
forward_tanh = OPS['tanh'].forward
forward_to_copy = OPS['to_copy'].forward
forward_transpose = OPS['transpose'].forward
forward_true_divide = OPS['true_divide'].forward
forward_unflatten = OPS['unflatten'].forward
forward_unsafe_view = OPS['unsafe_view'].forward
forward_unsqueeze = OPS['unsqueeze'].forward
forward_view = OPS['view'].forward
forward_view_as = OPS['view_as'].forward
forward_view_as_complex = OPS['view_as_complex'].forward
forward_view_as_real = OPS['view_as_real'].forward
forward_view_dtype = OPS['view_dtype'].forward
forward_view_variadic = OPS['view_variadic'].forward
forward_windows = OPS['windows'].forward
forward_write_view = OPS['write_view'].forward
forward_zeros_of = OPS['zeros_of'].forward


def H(input):
    return forward_H(F, input)


def T(input):
    return forward_T(F, input)


def add(input, other, *, alpha=1):
    return forward_add(xp, input, other, alpha=alpha)


def add_windows(input, shape, dimension, step):
    return forward_add_windows(xp, input, shape, dimension, step)


def adjoint(input):
    return forward_adjoint(F, input)


def as_strided(input, size, stride, storage_offset=None):
    return forward_as_strided(F, input, size, stride, storage_offset)


def as_strided_from(input, size, stride, offset, strides):
    return forward_as_strided_from(xp, input, size, stride, offset, strides)


def atleast_1d(*tensors):
    return forward_atleast_1d(F, *tensors)


def atleast_2d(*tensors):
    return forward_atleast_2d(F, *tensors)


def atleast_3d(*tensors):
    return forward_atleast_3d(F, *tensors)


def broadcast_shapes(*shapes):
    return forward_broadcast_shapes(F, *shapes)


def broadcast_tensors(*tensors):
    return forward_broadcast_tensors(F, *tensors)


def broadcast_to(input, size):
    return forward_broadcast_to(F, input, size)


def cast(input, kind):
    return forward_cast(F, input, kind)


def clone(input, *, memory_format=None):
    return forward_clone(xp, input, memory_format=memory_format)


def conj(input):
    return forward_conj(xp, input)


def copy_values(input, src):
    return forward_copy_values(xp, input, src)


def diagonal(input, offset=0, dim1=0, dim2=1):
    return forward_diagonal(xp, input, offset, dim1, dim2)


def eq(input, other):
    return forward_eq(xp, input, other)


def exp(input):
    return forward_exp(xp, input)


def expand(input, size):
    return forward_expand(xp, input, size)


def expand_as(input, other):
    return forward_expand_as(F, input, other)


def expand_variadic(input, *size, implicit=False):
    return forward_expand_variadic(F, input, *size, implicit=implicit)


def fit(input, shape, kind):
    return forward_fit(F, input, shape, kind)


def flatten(input, start_dim=0, end_dim=-1):
    return forward_flatten(F, input, start_dim, end_dim)


def imag(input):
    return forward_imag(F, input)


def log(input):
    return forward_log(xp, input)


def mH(input):
    return forward_mH(F, input)


def mT(input):
    return forward_mT(F, input)


def mm(input, mat2):
    return forward_mm(xp, input, mat2)


def movedim(input, source, destination):
    return forward_movedim(F, input, source, destination)


def mul(input, other):
    return forward_mul(xp, input, other)


def neg(input):
    return forward_neg(xp, input)


def new_zeros_of(input, shape):
    return forward_new_zeros_of(xp, input, shape)


def permute(input, dims):
    return forward_permute(xp, input, dims)


def permute_variadic(input, *dims):
    return forward_permute_variadic(F, input, *dims)


def placed(input, shape, path):
    return forward_placed(xp, input, shape, path)


def ravel(input):
    return forward_ravel(F, input)


def real(input):
    return forward_real(F, input)


def reshape(input, shape):
    return forward_reshape(F, input, shape)


def reshape_as(input, other):
    return forward_reshape_as(F, input, other)


def reshape_variadic(input, *shape):
    return forward_reshape_variadic(F, input, *shape)


def rsub(input, other, *, alpha=1):
    return forward_rsub(xp, input, other, alpha=alpha)


def square(input):
    return forward_square(F, input)


def squeeze(input, dim=None):
    return forward_squeeze(xp, input, dim)


def strided_copy(input, size, stride, offset, strides):
    return forward_strided_copy(xp, input, size, stride, offset, strides)


def strided_transpose(input, shape, size, stride, offset, strides):
    return forward_strided_transpose(xp, input, shape, size, stride, offset, strides)


def sub(input, other, *, alpha=1):
    return forward_sub(xp, input, other, alpha=alpha)


def sum(input, dim=None, keepdim=False, *, dtype=None):
    return forward_sum(xp, input, dim, keepdim, dtype=dtype)


def sum_to_size_of(input, shape):
    return forward_sum_to_size_of(xp, input, shape)


def t(input):
    return forward_t(xp, input)


def tanh(input):
    return forward_tanh(xp, input)


def to_copy(input, kind=None, place=None):
    return forward_to_copy(xp, input, kind, place)


def transpose(input, dim0, dim1):
    return forward_transpose(xp, input, dim0, dim1)


def true_divide(input, other):
    return forward_true_divide(xp, input, other)


def unflatten(input, dim, sizes):
    return forward_unflatten(F, input, dim, sizes)


def unsafe_view(input, size):
    return forward_unsafe_view(xp, input, size)


def unsqueeze(input, dim):
    return forward_unsqueeze(xp, input, dim)


def view(input, size):
    return forward_view(xp, input, size)


def view_as(input, other):
    return forward_view_as(F, input, other)


def view_as_complex(input):
    return forward_view_as_complex(xp, input)


def view_as_real(input):
    return forward_view_as_real(xp, input)


def view_dtype(input, kind):
    return forward_view_dtype(xp, input, kind)


def view_variadic(input, *shape, dtype=None):
    return forward_view_variadic(F, input, *shape, dtype=dtype)


def windows(input, dimension, size, step):
    return forward_windows(xp, input, dimension, size, step)


def write_view(base, value, path):
    return forward_write_view(xp, base, value, path)


def zeros_of(input):
    return forward_zeros_of(F, input)
