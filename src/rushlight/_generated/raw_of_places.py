"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.raw as F

library.load('places')

xp_copy = xp.copy
xp_diagonal = xp.diagonal
xp_masked_source = xp.masked_source
xp_split_evenly = xp.split_evenly
xp_split_with_sizes = xp.split_with_sizes
forward_alias_copy = OPS['alias_copy'].forward
forward_as_strided_copy = OPS['as_strided_copy'].forward
forward_as_strided_scatter = OPS['as_strided_scatter'].forward
forward_detach_copy = OPS['detach_copy'].forward
forward_diagonal_scatter = OPS['diagonal_scatter'].forward
forward_expand_copy = OPS['expand_copy'].forward
forward_index_add = OPS['index_add'].forward
forward_index_copy = OPS['index_copy'].forward
forward_index_fill = OPS['index_fill'].forward
forward_index_fill_number = OPS['index_fill_number'].forward
forward_index_fill_tensor = OPS['index_fill_tensor'].forward
forward_index_reduce = OPS['index_reduce'].forward
forward_masked_scatter = OPS['masked_scatter'].forward
forward_narrow_copy = OPS['narrow_copy'].forward
forward_permute_copy = OPS['permute_copy'].forward
forward_put = OPS['put'].forward
forward_rewritten = OPS['rewritten'].forward
forward_scatter = OPS['scatter'].forward
forward_scatter_add = OPS['scatter_add'].forward
forward_scatter_reduce = OPS['scatter_reduce'].forward
forward_scatter_source = OPS['scatter_source'].forward
forward_scatter_value = OPS['scatter_value'].forward
forward_select_copy = OPS['select_copy'].forward
forward_select_scatter = OPS['select_scatter'].forward
forward_slice_copy = OPS['slice_copy'].forward
forward_slice_scatter = OPS['slice_scatter'].forward
forward_split_copy = OPS['split_copy'].forward
forward_split_with_sizes_copy = OPS['split_with_sizes_copy'].forward
forward_squeeze_copy = OPS['squeeze_copy'].forward
forward_t_copy = OPS['t_copy'].forward
forward_transpose_copy = OPS['transpose_copy'].forward
forward_unbind_copy = OPS['unbind_copy'].forward
forward_unfold_copy = OPS['unfold_copy'].forward
forward_unsafe_chunk = OPS['unsafe_chunk'].forward
forward_unsqueeze_copy = OPS['unsqueeze_copy'].forward
forward_view_as_complex_copy = OPS['view_as_complex_copy'].forward
forward_view_as_real_copy = OPS['view_as_real_copy'].forward
forward_view_copy = OPS['view_copy'].forward


def alias_copy(input):
    return forward_alias_copy(F, input)


def as_strided_copy(input, size, stride, storage_offset=None):
    return forward_as_strided_copy(F, input, size, stride, storage_offset)


def as_strided_scatter(input, src, size, stride, storage_offset=None):
    return forward_as_strided_scatter(F, input, src, size, stride, storage_offset)


def detach_copy(input):
    return forward_detach_copy(F, input)


def diagonal_copy(input, offset=0, dim1=0, dim2=1):
    return xp_copy(xp_diagonal(input, offset, dim1, dim2), 'C')


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    return forward_diagonal_scatter(F, input, src, offset, dim1, dim2)


def differentiated_once(input, several, refusal):
    return xp_copy(input)


def expand_copy(input, size, *, implicit=False):
    return forward_expand_copy(F, input, size, implicit=implicit)


def index_add(input, dim, index, source, *, alpha=1):
    return forward_index_add(xp, input, dim, index, source, alpha=alpha)


def index_copy(input, dim, index, source):
    return forward_index_copy(xp, input, dim, index, source)


def index_fill(input, dim, index, value):
    return forward_index_fill(F, input, dim, index, value)


def index_fill_number(input, dim, index, value):
    return forward_index_fill_number(xp, input, dim, index, value)


def index_fill_tensor(input, dim, index, value):
    return forward_index_fill_tensor(xp, input, dim, index, value)


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    return forward_index_reduce(xp, input, dim, index, source, reduce, include_self=include_self)


def masked_scatter(input, mask, source):
    return forward_masked_scatter(xp, input, mask, source)


def masked_source(input, mask, shape):
    return xp_masked_source(input, mask, shape)


def narrow_copy(input, dim, start, length):
    return forward_narrow_copy(F, input, dim, start, length)


def permute_copy(input, dims):
    return forward_permute_copy(F, input, dims)


def put(input, index, source, accumulate=False):
    return forward_put(xp, input, index, source, accumulate)


def rewritten(input, src, path, view):
    return forward_rewritten(xp, input, src, path, view)


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    return forward_scatter(F, input, dim, index, src, value=value, reduce=reduce)


def scatter_add(input, dim, index, src):
    return forward_scatter_add(xp, input, dim, index, src)


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    return forward_scatter_reduce(xp, input, dim, index, src, reduce, include_self=include_self)


def scatter_source(input, dim, index, src):
    return forward_scatter_source(xp, input, dim, index, src)


def scatter_value(input, dim, index, value):
    return forward_scatter_value(xp, input, dim, index, value)


def select_copy(input, dim, index):
    return forward_select_copy(F, input, dim, index)


def select_scatter(input, src, dim, index):
    return forward_select_scatter(F, input, src, dim, index)


def slice_copy(input, dim=0, start=None, end=None, step=1):
    return forward_slice_copy(F, input, dim, start, end, step)


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    return forward_slice_scatter(F, input, src, dim, start, end, step)


def split_copy(input, split_size, dim=0):
    return forward_split_copy(F, input, split_size, dim)


def split_with_sizes_copy(input, split_sizes, dim=0):
    return forward_split_with_sizes_copy(F, input, split_sizes, dim)


def squeeze_copy(input, dim=None):
    return forward_squeeze_copy(F, input, dim)


def t_copy(input):
    return forward_t_copy(F, input)


def transpose_copy(input, dim0, dim1):
    return forward_transpose_copy(F, input, dim0, dim1)


def unbind_copy(input, dim=0):
    return forward_unbind_copy(F, input, dim)


def unfold_copy(input, dimension, size, step):
    return forward_unfold_copy(F, input, dimension, size, step)


def unsafe_chunk(input, chunks, dim=0):
    return forward_unsafe_chunk(F, input, chunks, dim)


def unsafe_split(input, split_size, dim=0):
    return xp_split_evenly(input, split_size, dim)


def unsafe_split_with_sizes(input, split_sizes, dim=0):
    return xp_split_with_sizes(input, split_sizes, dim)


def unsqueeze_copy(input, dim):
    return forward_unsqueeze_copy(F, input, dim)


def view_as_complex_copy(input):
    return forward_view_as_complex_copy(F, input)


def view_as_real_copy(input):
    return forward_view_as_real_copy(F, input)


def view_copy(input, size=None, dtype=None):
    return forward_view_copy(F, input, size, dtype)
