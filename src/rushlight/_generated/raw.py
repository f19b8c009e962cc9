"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

import sys

import rushlight.arrays.cpu as xp
from rushlight.ops import library
from rushlight.ops.declare import OPS

library.load()
F = sys.modules[__name__]

forward_add = OPS['add'].forward
forward_cast = OPS['cast'].forward
forward_clone = OPS['clone'].forward
forward_conj = OPS['conj'].forward
forward_copy_values = OPS['copy_values'].forward
forward_eq = OPS['eq'].forward
forward_exp = OPS['exp'].forward
forward_expand = OPS['expand'].forward
forward_fit = OPS['fit'].forward
forward_log = OPS['log'].forward
forward_mm = OPS['mm'].forward
forward_mul = OPS['mul'].forward
forward_neg = OPS['neg'].forward
forward_new_zeros_of = OPS['new_zeros_of'].forward
forward_reshape = OPS['reshape'].forward
forward_rsub = OPS['rsub'].forward
forward_square = OPS['square'].forward
forward_sub = OPS['sub'].forward
forward_sum = OPS['sum'].forward
forward_sum_to_size_of = OPS['sum_to_size_of'].forward
forward_t = OPS['t'].forward
forward_tanh = OPS['tanh'].forward
forward_to_copy = OPS['to_copy'].forward
forward_transpose = OPS['transpose'].forward
forward_true_divide = OPS['true_divide'].forward
forward_view = OPS['view'].forward
forward_write_view = OPS['write_view'].forward
forward_zeros_of = OPS['zeros_of'].forward


def add(input, other, *, alpha=1):
    return forward_add(xp, input, other, alpha=alpha)


def cast(input, kind):
    return forward_cast(F, input, kind)


def clone(input, *, memory_format=None):
    return forward_clone(xp, input, memory_format=memory_format)


def conj(input):
    return forward_conj(xp, input)


def copy_values(input, src):
    return forward_copy_values(xp, input, src)


def eq(input, other):
    return forward_eq(xp, input, other)


def exp(input):
    return forward_exp(xp, input)


def expand(input, size):
    return forward_expand(xp, input, size)


def fit(input, shape, kind):
    return forward_fit(F, input, shape, kind)


def log(input):
    return forward_log(xp, input)


def mm(input, mat2):
    return forward_mm(xp, input, mat2)


def mul(input, other):
    return forward_mul(xp, input, other)


def neg(input):
    return forward_neg(xp, input)


def new_zeros_of(input, shape):
    return forward_new_zeros_of(xp, input, shape)


def reshape(input, shape):
    return forward_reshape(F, input, shape)


def rsub(input, other, *, alpha=1):
    return forward_rsub(xp, input, other, alpha=alpha)


def square(input):
    return forward_square(F, input)


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


def view(input, size):
    return forward_view(xp, input, size)


def write_view(base, value, path):
    return forward_write_view(xp, base, value, path)


def zeros_of(input):
    return forward_zeros_of(F, input)
