"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.core.numbers import ARRAY_NUMBERS as numbers
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import sys
from functools import partial
from rushlight.dispatch.books import later

library.load()
F = sys.modules[__name__]
__getattr__ = partial(later, F)

xp_above_diagonal = xp.above_diagonal
xp_abs = xp.abs
xp_acos = xp.acos
xp_acosh = xp.acosh
xp_add = xp.add
xp_add_multiple = xp.add_multiple
xp_add_windows = xp.add_windows
xp_along_diagonal = xp.along_diagonal
xp_angle = xp.angle
xp_as_complex = xp.as_complex
xp_as_real = xp.as_real
xp_asin = xp.asin
xp_asinh = xp.asinh
xp_atan = xp.atan
xp_atan2 = xp.atan2
xp_atanh = xp.atanh
xp_bitwise_and = xp.bitwise_and
xp_bitwise_or = xp.bitwise_or
xp_bitwise_xor = xp.bitwise_xor
xp_block_diagonal = xp.block_diagonal
xp_cat = xp.cat
xp_ceil = xp.ceil
xp_clip = xp.clip
xp_clip_to_numbers = xp.clip_to_numbers
xp_conj = xp.conj
xp_copy = xp.copy
xp_copysign = xp.copysign
xp_cos = xp.cos
xp_cosh = xp.cosh
xp_diagonal = xp.diagonal
xp_diagonal_matrices = xp.diagonal_matrices
xp_distance_slopes = xp.distance_slopes
xp_divide = xp.divide
xp_drop_dims = xp.drop_dims
xp_element = xp.element
xp_equal = xp.equal
xp_exp = xp.exp
xp_exp2 = xp.exp2
xp_expand = xp.expand
xp_expm1 = xp.expm1
xp_factor_for = xp.factor_for
xp_filled_above_diagonal = xp.filled_above_diagonal
xp_fitting = xp.fitting
xp_flipped = xp.flipped
xp_floor = xp.floor
xp_floor_divide = xp.floor_divide
xp_fmax = xp.fmax
xp_fmin = xp.fmin
xp_fmod = xp.fmod
xp_full_like = xp.full_like
xp_gcd = xp.gcd
xp_greater = xp.greater
xp_greater_equal = xp.greater_equal
xp_heaviside = xp.heaviside
xp_hypot = xp.hypot
xp_indexed = xp.indexed
xp_invert = xp.invert
xp_isclose = xp.isclose
xp_isfinite = xp.isfinite
xp_isinf = xp.isinf
xp_isnan = xp.isnan
xp_lcm = xp.lcm
xp_ldexp = xp.ldexp
xp_left_shift = xp.left_shift
xp_lerp = xp.lerp
xp_less = xp.less
xp_less_equal = xp.less_equal
xp_log = xp.log
xp_log10 = xp.log10
xp_log1p = xp.log1p
xp_log1p_of_complex = xp.log1p_of_complex
xp_log2 = xp.log2
xp_logaddexp = xp.logaddexp
xp_logaddexp2 = xp.logaddexp2
xp_logical_and = xp.logical_and
xp_logical_not = xp.logical_not
xp_logical_or = xp.logical_or
xp_logical_xor = xp.logical_xor
xp_maximum = xp.maximum
xp_minimum = xp.minimum
xp_multiply = xp.multiply
xp_nan_to_num = xp.nan_to_num
xp_negative = xp.negative
xp_new_dim = xp.new_dim
xp_nextafter = xp.nextafter
xp_nonzero = xp.nonzero
xp_not_equal = xp.not_equal
xp_overwritten = xp.overwritten
xp_part_of_zeros = xp.part_of_zeros
xp_permute = xp.permute
xp_placed_at = xp.placed_at
xp_power = xp.power
xp_remainder = xp.remainder
xp_right_shift = xp.right_shift
xp_rolled = xp.rolled
xp_round_to = xp.round_to
xp_select = xp.select
xp_sigmoid = xp.sigmoid
xp_sign = xp.sign
xp_signbit = xp.signbit
xp_sin = xp.sin
xp_sinc = xp.sinc
xp_sinh = xp.sinh
xp_sliced = xp.sliced
xp_split_evenly = xp.split_evenly
xp_split_with_sizes = xp.split_with_sizes
xp_sqrt = xp.sqrt
xp_stack_along = xp.stack_along
xp_subtract = xp.subtract
xp_subtract_multiple = xp.subtract_multiple
xp_swapaxes = xp.swapaxes
xp_t = xp.t
xp_tan = xp.tan
xp_tanh = xp.tanh
xp_trunc = xp.trunc
xp_truncated_divide = xp.truncated_divide
xp_turned = xp.turned
xp_unbind = xp.unbind
xp_view = xp.view
xp_view_dtype = xp.view_dtype
xp_where = xp.where
xp_windows = xp.windows
xp_xlogy = xp.xlogy
xp_zeros_like = xp.zeros_like
forward_H = OPS['H'].forward
forward_T = OPS['T'].forward
forward__neg_view = OPS['_neg_view'].forward
forward_abs = OPS['abs'].forward
forward_abs_ = OPS['abs_'].forward
forward_addbmm = OPS['addbmm'].forward
forward_addmm = OPS['addmm'].forward
forward_addmv = OPS['addmv'].forward
forward_addr = OPS['addr'].forward
forward_adjoint = OPS['adjoint'].forward
forward_affine = OPS['affine'].forward
forward_all = OPS['all'].forward
forward_allclose = OPS['allclose'].forward
forward_amax = OPS['amax'].forward
forward_amin = OPS['amin'].forward
forward_aminmax = OPS['aminmax'].forward
forward_any = OPS['any'].forward
forward_argmax = OPS['argmax'].forward
forward_argmin = OPS['argmin'].forward
forward_argwhere = OPS['argwhere'].forward
forward_as_strided = OPS['as_strided'].forward
forward_as_strided_from = OPS['as_strided_from'].forward
forward_atleast_1d = OPS['atleast_1d'].forward
forward_atleast_2d = OPS['atleast_2d'].forward
forward_atleast_3d = OPS['atleast_3d'].forward
forward_backwards = OPS['backwards'].forward
forward_baddbmm = OPS['baddbmm'].forward
forward_bilinear = OPS['bilinear'].forward
forward_block_diag = OPS['block_diag'].forward
forward_bmm = OPS['bmm'].forward
forward_broadcast_shapes = OPS['broadcast_shapes'].forward
forward_broadcast_tensors = OPS['broadcast_tensors'].forward
forward_broadcast_to = OPS['broadcast_to'].forward
forward_bucketize = OPS['bucketize'].forward
forward_cartesian_prod = OPS['cartesian_prod'].forward
forward_cast = OPS['cast'].forward
forward_cat = OPS['cat'].forward
forward_cdist = OPS['cdist'].forward
forward_chain_matmul = OPS['chain_matmul'].forward
forward_chunk = OPS['chunk'].forward
forward_clamp = OPS['clamp'].forward
forward_clamp_ = OPS['clamp_'].forward
forward_clone = OPS['clone'].forward
forward_column_stack = OPS['column_stack'].forward
forward_combinations = OPS['combinations'].forward
forward_complex = OPS['complex'].forward
forward_complex_copy = OPS['complex_copy'].forward
forward_concatenate = OPS['concatenate'].forward
forward_conj = OPS['conj'].forward
forward_conj_physical = OPS['conj_physical'].forward
forward_conjugate = OPS['conjugate'].forward
forward_contains = OPS['contains'].forward
forward_cosine_similarity = OPS['cosine_similarity'].forward
forward_count_nonzero = OPS['count_nonzero'].forward
forward_count_nonzero_variadic = OPS['count_nonzero_variadic'].forward
forward_cross = OPS['cross'].forward
forward_deg2rad = OPS['deg2rad'].forward
forward_delitem = OPS['delitem'].forward
forward_diag = OPS['diag'].forward
forward_diagflat = OPS['diagflat'].forward
forward_dist = OPS['dist'].forward
forward_div = OPS['div'].forward
forward_divide_into = OPS['divide_into'].forward
forward_dot = OPS['dot'].forward
forward_dsplit = OPS['dsplit'].forward
forward_dsplit_variadic = OPS['dsplit_variadic'].forward
forward_dstack = OPS['dstack'].forward
forward_einsum = OPS['einsum'].forward
forward_equal = OPS['equal'].forward
forward_expand_as = OPS['expand_as'].forward
forward_expand_variadic = OPS['expand_variadic'].forward
forward_fill = OPS['fill'].forward
forward_fill_mask_with_tensor = OPS['fill_mask_with_tensor'].forward
forward_fill_with_tensor = OPS['fill_with_tensor'].forward
forward_fit = OPS['fit'].forward
forward_flatten = OPS['flatten'].forward
forward_flip_variadic = OPS['flip_variadic'].forward
forward_fliplr = OPS['fliplr'].forward
forward_flipped_product = OPS['flipped_product'].forward
forward_flipud = OPS['flipud'].forward
forward_float_power = OPS['float_power'].forward
forward_float_power_ = OPS['float_power_'].forward
forward_floor_divide_into = OPS['floor_divide_into'].forward
forward_frexp = OPS['frexp'].forward
forward_gather = OPS['gather'].forward
forward_getitem = OPS['getitem'].forward
forward_growth_of_power = OPS['growth_of_power'].forward
forward_hash_tensor = OPS['hash_tensor'].forward
forward_heaviside = OPS['heaviside'].forward
forward_hsplit = OPS['hsplit'].forward
forward_hsplit_variadic = OPS['hsplit_variadic'].forward
forward_hstack = OPS['hstack'].forward
forward_imag = OPS['imag'].forward
forward_index_put = OPS['index_put'].forward
forward_index_select = OPS['index_select'].forward
forward_inner = OPS['inner'].forward
forward_invert = OPS['invert'].forward
forward_is_between = OPS['is_between'].forward
forward_isclose = OPS['isclose'].forward
forward_isneginf = OPS['isneginf'].forward
forward_isposinf = OPS['isposinf'].forward
forward_iterate = OPS['iterate'].forward
forward_kron = OPS['kron'].forward
forward_left_shift_by = OPS['left_shift_by'].forward
forward_lerp = OPS['lerp'].forward
forward_linalg_cross = OPS['linalg_cross'].forward
forward_linalg_multi_dot = OPS['linalg_multi_dot'].forward
forward_linalg_vecdot = OPS['linalg_vecdot'].forward
forward_linalg_vector_norm = OPS['linalg_vector_norm'].forward
forward_linear = OPS['linear'].forward
forward_linear_of_rows = OPS['linear_of_rows'].forward
forward_log_softmax = OPS['log_softmax'].forward
forward_logit = OPS['logit'].forward
forward_logsumexp = OPS['logsumexp'].forward
forward_mH = OPS['mH'].forward
forward_mT = OPS['mT'].forward
forward_masked_fill = OPS['masked_fill'].forward
forward_masked_select = OPS['masked_select'].forward
forward_matmul = OPS['matmul'].forward
forward_matmul_into = OPS['matmul_into'].forward
forward_max = OPS['max'].forward
forward_max_all = OPS['max_all'].forward
forward_max_dim = OPS['max_dim'].forward
forward_mean = OPS['mean'].forward
forward_meshgrid = OPS['meshgrid'].forward
forward_min = OPS['min'].forward
forward_min_all = OPS['min_all'].forward
forward_min_and_max = OPS['min_and_max'].forward
forward_min_dim = OPS['min_dim'].forward
forward_mm = OPS['mm'].forward
forward_movedim = OPS['movedim'].forward
forward_mv = OPS['mv'].forward
forward_nanmean = OPS['nanmean'].forward
forward_nansum = OPS['nansum'].forward
forward_narrow = OPS['narrow'].forward
forward_nonzero = OPS['nonzero'].forward
forward_nonzero_static = OPS['nonzero_static'].forward
forward_norm = OPS['norm'].forward
forward_norm_except_dim = OPS['norm_except_dim'].forward
forward_norm_of_rows = OPS['norm_of_rows'].forward
forward_norm_of_tensor = OPS['norm_of_tensor'].forward
forward_normalize = OPS['normalize'].forward
forward_outer = OPS['outer'].forward
forward_pairwise_distance = OPS['pairwise_distance'].forward
forward_pdist = OPS['pdist'].forward
forward_permute_variadic = OPS['permute_variadic'].forward
forward_placed = OPS['placed'].forward
forward_polar = OPS['polar'].forward
forward_positive = OPS['positive'].forward
forward_power_of = OPS['power_of'].forward
forward_present = OPS['present'].forward
forward_prod = OPS['prod'].forward
forward_product_with_vector = OPS['product_with_vector'].forward
forward_products_of_others = OPS['products_of_others'].forward
forward_put_indices = OPS['put_indices'].forward
forward_rad2deg = OPS['rad2deg'].forward
forward_ravel = OPS['ravel'].forward
forward_real = OPS['real'].forward
forward_remainder_into = OPS['remainder_into'].forward
forward_renorm = OPS['renorm'].forward
forward_repeat = OPS['repeat'].forward
forward_repeat_interleave = OPS['repeat_interleave'].forward
forward_repeat_variadic = OPS['repeat_variadic'].forward
forward_reshape = OPS['reshape'].forward
forward_reshape_as = OPS['reshape_as'].forward
forward_reshape_variadic = OPS['reshape_variadic'].forward
forward_resolve_conj = OPS['resolve_conj'].forward
forward_resolve_neg = OPS['resolve_neg'].forward
forward_right_shift_by = OPS['right_shift_by'].forward
forward_search = OPS['search'].forward
forward_searchsorted = OPS['searchsorted'].forward
forward_setitem = OPS['setitem'].forward
forward_slope_of_power = OPS['slope_of_power'].forward
forward_softmax = OPS['softmax'].forward
forward_softmin = OPS['softmin'].forward
forward_split = OPS['split'].forward
forward_split_of_size = OPS['split_of_size'].forward
forward_square = OPS['square'].forward
forward_squeeze_variadic = OPS['squeeze_variadic'].forward
forward_squeeze_variadic_ = OPS['squeeze_variadic_'].forward
forward_stack = OPS['stack'].forward
forward_strided_copy = OPS['strided_copy'].forward
forward_strided_transpose = OPS['strided_transpose'].forward
forward_sum = OPS['sum'].forward
forward_sum_to_size = OPS['sum_to_size'].forward
forward_sum_to_size_of = OPS['sum_to_size_of'].forward
forward_swapaxes = OPS['swapaxes'].forward
forward_take = OPS['take'].forward
forward_take_along_dim = OPS['take_along_dim'].forward
forward_tensor_split = OPS['tensor_split'].forward
forward_tensordot = OPS['tensordot'].forward
forward_tile = OPS['tile'].forward
forward_tile_variadic = OPS['tile_variadic'].forward
forward_to_copy = OPS['to_copy'].forward
forward_trace = OPS['trace'].forward
forward_tril = OPS['tril'].forward
forward_tril_indices = OPS['tril_indices'].forward
forward_triu = OPS['triu'].forward
forward_triu_indices = OPS['triu_indices'].forward
forward_unflatten = OPS['unflatten'].forward
forward_unravel_index = OPS['unravel_index'].forward
forward_vdot = OPS['vdot'].forward
forward_view_as = OPS['view_as'].forward
forward_view_variadic = OPS['view_variadic'].forward
forward_vsplit = OPS['vsplit'].forward
forward_vsplit_variadic = OPS['vsplit_variadic'].forward
forward_vstack = OPS['vstack'].forward
forward_where = OPS['where'].forward
forward_where_of_input = OPS['where_of_input'].forward
forward_write_view = OPS['write_view'].forward
forward_zero_ = OPS['zero_'].forward
forward_zeros_of = OPS['zeros_of'].forward


def H(input):
    return forward_H(F, input)


def T(input):
    return forward_T(F, input)


def _neg_view(input):
    return forward__neg_view(xp, input)


def above_diagonal(input):
    return xp_above_diagonal(input)


def abs(input):
    return forward_abs(F, input)


def abs_(input):
    return forward_abs_(F, input)


def acos(input):
    return xp_acos(input)


def acosh(input):
    return xp_acosh(input)


def add(input, other, *, alpha=1):
    return xp_add(input, other) if alpha == 1 else xp_add_multiple(input, other, alpha)


def add_windows(input, shape, dimension, step):
    return xp_add_windows(input, shape, dimension, step)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return forward_addbmm(xp, input, batch1, batch2, beta=beta, alpha=alpha)


def addcdiv(input, tensor1, tensor2, *, value=1):
    return input + xp_factor_for(input, value) * tensor1 / tensor2


def addcmul(input, tensor1, tensor2, *, value=1):
    return input + xp_factor_for(input, value) * tensor1 * tensor2


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    return forward_addmm(F, input, mat1, mat2, beta=beta, alpha=alpha)


def addmv(input, mat, vec, *, beta=1, alpha=1):
    return forward_addmv(xp, input, mat, vec, beta=beta, alpha=alpha)


def addr(input, vec1, vec2, *, beta=1, alpha=1):
    return forward_addr(xp, input, vec1, vec2, beta=beta, alpha=alpha)


def adjoint(input):
    return forward_adjoint(F, input)


def affine(input, mat1, mat2, *, beta=1, alpha=1, flipped=True):
    return forward_affine(xp, input, mat1, mat2, beta=beta, alpha=alpha, flipped=flipped)


def all(input, dim=None, keepdim=False):
    return forward_all(xp, input, dim, keepdim)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return forward_allclose(F, input, other, rtol, atol, equal_nan)


def amax(input, dim=(), keepdim=False):
    return forward_amax(xp, input, dim, keepdim)


def amin(input, dim=(), keepdim=False):
    return forward_amin(xp, input, dim, keepdim)


def aminmax(input, *, dim=None, keepdim=False, out=None):
    return forward_aminmax(F, input, dim=dim, keepdim=keepdim, out=out)


def angle(input):
    return xp_angle(input)


def any(input, dim=None, keepdim=False):
    return forward_any(xp, input, dim, keepdim)


def are_close(input, other, rtol, atol, equal_nan):
    return xp_isclose(input, other, rtol, atol, equal_nan)


def argmax(input, dim=None, keepdim=False):
    return forward_argmax(xp, input, dim, keepdim)


def argmin(input, dim=None, keepdim=False):
    return forward_argmin(xp, input, dim, keepdim)


def argwhere(input):
    return forward_argwhere(F, input)


def as_strided(input, size, stride, storage_offset=None):
    return forward_as_strided(F, input, size, stride, storage_offset)


def as_strided_from(input, size, stride, offset, strides):
    return forward_as_strided_from(xp, input, size, stride, offset, strides)


def asin(input):
    return xp_asin(input)


def asinh(input):
    return xp_asinh(input)


def atan(input):
    return xp_atan(input)


def atan2(input, other):
    return xp_atan2(input, other)


def atanh(input):
    return xp_atanh(input)


def atleast_1d(*tensors):
    return forward_atleast_1d(F, *tensors)


def atleast_2d(*tensors):
    return forward_atleast_2d(F, *tensors)


def atleast_3d(*tensors):
    return forward_atleast_3d(F, *tensors)


def backwards(input):
    return forward_backwards(F, input)


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return forward_baddbmm(xp, input, batch1, batch2, beta=beta, alpha=alpha)


def bilinear(input1, input2, weight, bias=None):
    return forward_bilinear(F, input1, input2, weight, bias)


def bitwise_and(input, other):
    return xp_bitwise_and(input, other)


def bitwise_left_shift(input, other):
    return xp_left_shift(input, other)


def bitwise_not(input):
    return xp_invert(input)


def bitwise_or(input, other):
    return xp_bitwise_or(input, other)


def bitwise_right_shift(input, other):
    return xp_right_shift(input, other)


def bitwise_xor(input, other):
    return xp_bitwise_xor(input, other)


def block_diag(*tensors):
    return forward_block_diag(F, *tensors)


def blocks(tensors):
    return xp_block_diagonal(tensors)


def bmm(input, mat2):
    return forward_bmm(xp, input, mat2)


def broadcast_shapes(*shapes):
    return forward_broadcast_shapes(F, *shapes)


def broadcast_tensors(*tensors):
    return forward_broadcast_tensors(F, *tensors)


def broadcast_to(input, size):
    return forward_broadcast_to(F, input, size)


def bucketize(input, boundaries, *, out_int32=False, right=False):
    return forward_bucketize(F, input, boundaries, out_int32=out_int32, right=right)


def cartesian_prod(*tensors):
    return forward_cartesian_prod(F, *tensors)


def cast(input, kind):
    return forward_cast(F, input, kind)


def cat(tensors, dim=0):
    return forward_cat(F, tensors, dim)


def cdist(x1, x2, p=2.0, compute_mode=None):
    return forward_cdist(xp, x1, x2, p, compute_mode)


def ceil(input):
    return xp_ceil(input)


def chain_matmul(*matrices, out=None):
    return forward_chain_matmul(F, *matrices, out=out)


def choose(condition, input, other):
    return xp_where(condition, input, other)


def chunk(input, chunks, dim=0):
    return forward_chunk(F, input, chunks, dim)


def clamp(input, min=None, max=None):
    return forward_clamp(F, input, min, max)


def clamp_(input, min=None, max=None):
    return forward_clamp_(F, input, min, max)


def clamp_max(input, max):
    return xp_minimum(input, max)


def clamp_min(input, min):
    return xp_maximum(input, min)


def clamp_to_numbers(input, min, max):
    return xp_clip_to_numbers(input, min, max)


def clamp_to_tensors(input, min, max):
    return xp_clip(input, min, max)


def clone(input, *, memory_format=None):
    return forward_clone(xp, input, memory_format=memory_format)


def column_stack(tensors):
    return forward_column_stack(F, tensors)


def combinations(input, r=2, with_replacement=False):
    return forward_combinations(F, input, r, with_replacement)


def complex(real, imag):
    return forward_complex(xp, real, imag)


def complex_copy(input):
    return forward_complex_copy(F, input)


def concatenate(tensors, dim=0):
    return forward_concatenate(F, tensors, dim)


def conj(input):
    return forward_conj(F, input)


def conj_physical(input):
    return forward_conj_physical(F, input)


def conjugate(input):
    return forward_conjugate(xp, input)


def conjugate_in_memory(input):
    return xp_conj(input)


def contains(input, element):
    return forward_contains(F, input, element)


def copy_values(input, src):
    return xp_overwritten(input, src)


def copysign(input, other):
    return xp_copysign(input, other)


def cos(input):
    return xp_cos(input)


def cosh(input):
    return xp_cosh(input)


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    return forward_cosine_similarity(F, x1, x2, dim, eps)


def count_nonzero(input, dim=None):
    return forward_count_nonzero(xp, input, dim)


def count_nonzero_variadic(input, dim=None, *more, axis=None):
    return forward_count_nonzero_variadic(F, input, dim, *more, axis=axis)


def cross(input, other, dim=None):
    return forward_cross(F, input, other, dim)


def deg2rad(input):
    return forward_deg2rad(xp, input)


def delitem(input, index):
    return forward_delitem(F, input, index)


def diag(input, diagonal=0):
    return forward_diag(F, input, diagonal)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    return xp_diagonal_matrices(input, offset, dim1, dim2)


def diagflat(input, offset=0):
    return forward_diagflat(F, input, offset)


def diagonal(input, offset=0, dim1=0, dim2=1):
    return xp_diagonal(input, offset, dim1, dim2)


def dist(input, other, p=2):
    return forward_dist(xp, input, other, p)


def distance_slopes(grad, x1, x2, distances, order):
    return xp_distance_slopes(grad, x1, x2, distances, order)


def div(input, other, *, rounding_mode=None):
    return forward_div(F, input, other, rounding_mode=rounding_mode)


def divide_into(input, other):
    return forward_divide_into(F, input, other)


def dot(input, tensor):
    return forward_dot(xp, input, tensor)


def dsplit(input, indices_or_sections):
    return forward_dsplit(F, input, indices_or_sections)


def dsplit_variadic(input, split_size_or_sections=None, *more, sections=None, indices=None):
    return forward_dsplit_variadic(F, input, split_size_or_sections, *more, sections=sections, indices=indices)


def dstack(tensors):
    return forward_dstack(F, tensors)


def einsum(equation, *operands):
    return forward_einsum(F, equation, *operands)


def eq(input, other):
    return xp_equal(input, other)


def equal(input, other):
    return forward_equal(F, input, other)


def exp(input):
    return xp_exp(input)


def exp2(input):
    return xp_exp2(input)


def expand(input, size):
    return xp_expand(input, size)


def expand_as(input, other):
    return forward_expand_as(F, input, other)


def expand_variadic(input, *sizes, size=None, implicit=False):
    return forward_expand_variadic(F, input, *sizes, size=size, implicit=implicit)


def expm1(input):
    return xp_expm1(input)


def fill(input, value):
    return forward_fill(F, input, value)


def fill_mask_with_number(input, mask, value):
    return xp_where(mask, xp_element(value, input.dtype), input)


def fill_mask_with_tensor(input, mask, value):
    return forward_fill_mask_with_tensor(xp, input, mask, value)


def fill_with_number(input, value):
    return xp_full_like(input, xp_fitting(value, input.dtype, input.size))


def fill_with_tensor(input, value):
    return forward_fill_with_tensor(xp, input, value)


def filled_above_diagonal(input, size):
    return xp_filled_above_diagonal(input, size)


def fit(input, shape, kind):
    return forward_fit(F, input, shape, kind)


def flatten(input, start_dim=0, end_dim=-1):
    return forward_flatten(F, input, start_dim, end_dim)


def flip(input, dims):
    return xp_flipped(input, dims)


def flip_variadic(input, dims, *more):
    return forward_flip_variadic(F, input, dims, *more)


def fliplr(input):
    return forward_fliplr(F, input)


def flipped_product(mat1, mat2, input=None):
    return forward_flipped_product(xp, mat1, mat2, input)


def flipud(input):
    return forward_flipud(F, input)


def float_power(input, exponent):
    return forward_float_power(F, input, exponent)


def float_power_(input, exponent):
    return forward_float_power_(F, input, exponent)


def floor(input):
    return xp_floor(input)


def floor_divide(input, other):
    return xp_floor_divide(input, other)


def floor_divide_into(input, other):
    return forward_floor_divide_into(F, input, other)


def fmax(input, other):
    return xp_fmax(input, other)


def fmin(input, other):
    return xp_fmin(input, other)


def fmod(input, other):
    return xp_fmod(input, other)


def frac(input):
    return input - xp_trunc(input)


def frexp(input):
    return forward_frexp(xp, input)


def gather(input, dim, index, *, sparse_grad=False):
    return forward_gather(xp, input, dim, index, sparse_grad=sparse_grad)


def gcd(input, other):
    return xp_gcd(input, other)


def ge(input, other):
    return xp_greater_equal(input, other)


def getitem(input, index):
    return forward_getitem(F, input, index)


def getitem_view(input, index):
    return input[index]


def growth_of_power(input, exponent, out):
    return forward_growth_of_power(F, input, exponent, out)


def gt(input, other):
    return xp_greater(input, other)


def hash_tensor(input, dim=(), *, keepdim=False, mode=0):
    return forward_hash_tensor(xp, input, dim, keepdim=keepdim, mode=mode)


def heaviside(input, values):
    return forward_heaviside(F, input, values)


def hsplit(input, indices_or_sections):
    return forward_hsplit(F, input, indices_or_sections)


def hsplit_variadic(input, split_size_or_sections=None, *more, sections=None, indices=None):
    return forward_hsplit_variadic(F, input, split_size_or_sections, *more, sections=sections, indices=indices)


def hstack(tensors):
    return forward_hstack(F, tensors)


def hypot(input, other):
    return xp_hypot(input, other)


def imag(input):
    return forward_imag(F, input)


def index(input, indices):
    return xp_indexed(input, indices)


def index_put(input, indices, values, accumulate=False):
    return forward_index_put(F, input, indices, values, accumulate)


def index_select(input, dim, index):
    return forward_index_select(xp, input, dim, index)


def inner(input, other):
    return forward_inner(F, input, other)


def invert(input):
    return forward_invert(F, input)


def is_between(input, low, high):
    return forward_is_between(F, input, low, high)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return forward_isclose(F, input, other, rtol, atol, equal_nan)


def isfinite(input):
    return xp_isfinite(input)


def isinf(input):
    return xp_isinf(input)


def isnan(input):
    return xp_isnan(input)


def isneginf(input):
    return forward_isneginf(xp, input)


def isposinf(input):
    return forward_isposinf(xp, input)


def isreal(input):
    return xp_equal(input.imag, 0)


def iterate(input):
    return forward_iterate(F, input)


def joined(tensors, dim=0):
    return xp_cat(tensors, dim)


def kron(input, other):
    return forward_kron(F, input, other)


def lcm(input, other):
    return xp_lcm(input, other)


def ldexp(input, other):
    return xp_ldexp(input, other)


def le(input, other):
    return xp_less_equal(input, other)


def left_shift_by(input, other):
    return forward_left_shift_by(F, input, other)


def lerp(input, end, weight):
    return forward_lerp(F, input, end, weight)


def lerp_by_number(input, end, weight):
    return xp_lerp(input, end, xp_factor_for(input, weight))


def lerp_by_tensor(input, end, weight):
    return xp_lerp(input, end, weight)


def linalg_cross(input, other, *, dim=-1):
    return forward_linalg_cross(xp, input, other, dim=dim)


def linalg_multi_dot(tensors):
    return forward_linalg_multi_dot(F, tensors)


def linalg_vecdot(x, y, *, dim=-1):
    return forward_linalg_vecdot(F, x, y, dim=dim)


def linalg_vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None):
    return forward_linalg_vector_norm(xp, input, ord, dim, keepdim, dtype=dtype)


def linear(input, weight, bias=None):
    return forward_linear(F, input, weight, bias)


def linear_of_rows(input, weight, bias):
    return forward_linear_of_rows(F, input, weight, bias)


def log(input):
    return xp_log(input)


def log10(input):
    return xp_log10(input)


def log1p(input):
    return xp_log1p(input) if input.dtype.kind != 'c' else xp_log1p_of_complex(input)


def log2(input):
    return xp_log2(input)


def log_softmax(input, dim, dtype=None):
    return forward_log_softmax(xp, input, dim, dtype)


def logaddexp(input, other):
    return xp_logaddexp(input, other)


def logaddexp2(input, other):
    return xp_logaddexp2(input, other)


def logical_and(input, other):
    return xp_logical_and(input, other)


def logical_not(input):
    return xp_logical_not(input)


def logical_or(input, other):
    return xp_logical_or(input, other)


def logical_xor(input, other):
    return xp_logical_xor(input, other)


def logit(input, eps=None):
    return forward_logit(xp, input, eps)


def logsumexp(input, dim, keepdim=False):
    return forward_logsumexp(xp, input, dim, keepdim)


def lt(input, other):
    return xp_less(input, other)


def mH(input):
    return forward_mH(F, input)


def mT(input):
    return forward_mT(F, input)


def masked_fill(input, mask, value):
    return forward_masked_fill(F, input, mask, value)


def masked_select(input, mask):
    return forward_masked_select(xp, input, mask)


def matmul(input, other):
    return forward_matmul(F, input, other)


def matmul_into(input, other):
    return forward_matmul_into(F, input, other)


def max(input, dim=None, keepdim=False, *, other=None):
    return forward_max(F, input, dim, keepdim, other=other)


def max_all(input):
    return forward_max_all(xp, input)


def max_dim(input, dim, keepdim=False):
    return forward_max_dim(xp, input, dim, keepdim)


def maximum(input, other):
    return xp_maximum(input, other)


def mean(input, dim=None, keepdim=False, *, dtype=None):
    return forward_mean(xp, input, dim, keepdim, dtype=dtype)


def meshgrid(*tensors, indexing=None):
    return forward_meshgrid(F, *tensors, indexing=indexing)


def min(input, dim=None, keepdim=False, *, other=None):
    return forward_min(F, input, dim, keepdim, other=other)


def min_all(input):
    return forward_min_all(xp, input)


def min_and_max(input, dim, keepdim):
    return forward_min_and_max(xp, input, dim, keepdim)


def min_dim(input, dim, keepdim=False):
    return forward_min_dim(xp, input, dim, keepdim)


def minimum(input, other):
    return xp_minimum(input, other)


def mm(input, mat2):
    return forward_mm(xp, input, mat2)


def modulus(input):
    return xp_abs(input)


def movedim(input, source, destination):
    return forward_movedim(F, input, source, destination)


def mul(input, other):
    return xp_multiply(input, other)


def mv(input, vec):
    return forward_mv(xp, input, vec)


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    return xp_nan_to_num(input, nan, posinf, neginf)


def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    return forward_nanmean(F, input, dim, keepdim, dtype=dtype)


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    return forward_nansum(xp, input, dim, keepdim, dtype=dtype)


def narrow(input, dim, start, length):
    return forward_narrow(F, input, dim, start, length)


def ne(input, other):
    return xp_not_equal(input, other)


def neg(input):
    return xp_negative(input)


def new_zeros_of(input, shape):
    return xp_zeros_like(input, shape=shape)


def nextafter(input, other):
    return xp_nextafter(input, other)


def nonzero(input, *, as_tuple=False):
    return forward_nonzero(F, input, as_tuple=as_tuple)


def nonzero_rows(input):
    return xp_nonzero(input)


def nonzero_static(input, *, size, fill_value=-1):
    return forward_nonzero_static(F, input, size=size, fill_value=fill_value)


def norm(input, p='fro', dim=None, keepdim=False, out=None, dtype=None):
    return forward_norm(F, input, p, dim, keepdim, out, dtype)


def norm_except_dim(v, pow=2, dim=0):
    return forward_norm_except_dim(F, v, pow, dim)


def norm_of_rows(input, p, keepdim):
    return forward_norm_of_rows(xp, input, p, keepdim)


def norm_of_tensor(input, p='fro', dim=None, keepdim=False, dtype=None):
    return forward_norm_of_tensor(F, input, p, dim, keepdim, dtype)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return forward_normalize(F, input, p, dim, eps)


def on_diagonal(input, shape):
    return xp_along_diagonal(input, shape)


def only_row(input):
    return input[0]


def outer(input, vec2):
    return forward_outer(F, input, vec2)


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    return forward_pairwise_distance(F, x1, x2, p, eps, keepdim)


def pdist(input, p=2.0):
    return forward_pdist(xp, input, p)


def permute(input, dims):
    return xp_permute(input, dims)


def permute_variadic(input, *order, dims=None):
    return forward_permute_variadic(F, input, *order, dims=dims)


def placed(input, shape, path):
    return forward_placed(xp, input, shape, path)


def placed_at(input, shape, indices):
    return xp_placed_at(input, shape, indices)


def polar(abs, angle):
    return forward_polar(xp, abs, angle)


def positive(input):
    return forward_positive(F, input)


def pow(input, exponent):
    return xp_power(input, exponent)


def power_of(input, other):
    return forward_power_of(F, input, other)


def present(node, g):
    return forward_present(F, node, g)


def prod(input, dim=None, keepdim=False, *, dtype=None):
    return forward_prod(xp, input, dim, keepdim, dtype=dtype)


def product_with_vector(input, other):
    return forward_product_with_vector(F, input, other)


def products_of_others(input, dim):
    return forward_products_of_others(F, input, dim)


def put_indices(input, indices, values, accumulate=False):
    return forward_put_indices(xp, input, indices, values, accumulate)


def putitem(input, shape, index):
    return xp_part_of_zeros(input, shape, index)


def rad2deg(input):
    return forward_rad2deg(xp, input)


def raised(input, least):
    return xp_maximum(input, xp_element(least, input.dtype))


def ravel(input):
    return forward_ravel(F, input)


def real(input):
    return forward_real(F, input)


def reciprocal(input):
    return xp_divide(1, input)


def remainder(input, other):
    return xp_remainder(input, other)


def remainder_into(input, other):
    return forward_remainder_into(F, input, other)


def renorm(input, p, dim, maxnorm):
    return forward_renorm(xp, input, p, dim, maxnorm)


def repeat(input, repeats):
    return forward_repeat(xp, input, repeats)


def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    return forward_repeat_interleave(F, input, repeats, dim, output_size=output_size)


def repeat_variadic(input, *counts, repeats=None):
    return forward_repeat_variadic(F, input, *counts, repeats=repeats)


def reshape(input, shape):
    return forward_reshape(F, input, shape)


def reshape_as(input, other):
    return forward_reshape_as(F, input, other)


def reshape_variadic(input, *sizes, shape=None):
    return forward_reshape_variadic(F, input, *sizes, shape=shape)


def resolve_conj(input):
    return forward_resolve_conj(F, input)


def resolve_neg(input):
    return forward_resolve_neg(F, input)


def right_shift_by(input, other):
    return forward_right_shift_by(F, input, other)


def roll(input, shifts, dims=()):
    return xp_rolled(input, shifts, () if dims is None else dims)


def rot90(input, k=1, dims=(0, 1)):
    return xp_turned(input, k, dims)


def round(input, *, decimals=0):
    return xp_round_to(input, decimals)


def rounded_divide(input, other, rounding_mode):
    return xp_floor_divide(input, other) if rounding_mode == 'floor' else xp_truncated_divide(input, other)


def rsqrt(input):
    return numbers[input.dtype][1] / xp_sqrt(input)


def rsub(input, other, *, alpha=1):
    return xp_subtract(other, input) if alpha == 1 else xp_subtract_multiple(other, input, alpha)


def search(sorted_sequence, values, right=False, kind=None):
    return forward_search(xp, sorted_sequence, values, right, kind)


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    return forward_searchsorted(F, sorted_sequence, input, out_int32=out_int32, right=right, side=side, sorter=sorter)


def select(input, dim, index):
    return xp_select(input, dim, index)


def setitem(input, index, value):
    return forward_setitem(F, input, index, value)


def sgn(input):
    return xp_sign(input)


def sigmoid(input):
    return xp_sigmoid(input)


def sign(input):
    return xp_sign(input)


def signbit(input):
    return xp_signbit(input)


def sin(input):
    return xp_sin(input)


def sinc(input):
    return xp_sinc(input)


def sinh(input):
    return xp_sinh(input)


def slice_view(input, dim, start, end, step):
    return xp_sliced(input, dim, start, end, step)


def slope_of_power(input, exponent):
    return forward_slope_of_power(F, input, exponent)


def softmax(input, dim, dtype=None):
    return forward_softmax(xp, input, dim, dtype)


def softmin(input, dim, dtype=None):
    return forward_softmin(F, input, dim, dtype)


def split(tensor, split_size_or_sections, dim=0):
    return forward_split(F, tensor, split_size_or_sections, dim)


def split_evenly(input, split_size, dim=0):
    return xp_split_evenly(input, split_size, dim)


def split_of_size(tensor, split_size, dim=0):
    return forward_split_of_size(F, tensor, split_size, dim)


def split_with_sizes(input, split_sizes, dim=0):
    return xp_split_with_sizes(input, split_sizes, dim)


def sqrt(input):
    return xp_sqrt(input)


def square(input):
    return forward_square(F, input)


def squeeze(input, dim=None):
    return xp_drop_dims(input, dim)


def squeeze_variadic(input, dim=None, *more, axis=None):
    return forward_squeeze_variadic(F, input, dim, *more, axis=axis)


def squeeze_variadic_(input, dim=None, *more, axis=None):
    return forward_squeeze_variadic_(F, input, dim, *more, axis=axis)


def stack(tensors, dim=0):
    return forward_stack(F, tensors, dim)


def stacked(tensors, dim=0):
    return xp_stack_along(tensors, dim)


def step(input, values):
    return xp_heaviside(input, values)


def stepped_by(input, other):
    return xp_copy(input)


def strided_copy(input, size, stride, offset, strides):
    return forward_strided_copy(xp, input, size, stride, offset, strides)


def strided_transpose(input, shape, size, stride, offset, strides):
    return forward_strided_transpose(xp, input, shape, size, stride, offset, strides)


def sub(input, other, *, alpha=1):
    return xp_subtract(input, other) if alpha == 1 else xp_subtract_multiple(input, other, alpha)


def sum(input, dim=None, keepdim=False, *, dtype=None):
    return forward_sum(xp, input, dim, keepdim, dtype=dtype)


def sum_to_size(input, *lengths, size=None):
    return forward_sum_to_size(F, input, *lengths, size=size)


def sum_to_size_of(input, shape):
    return forward_sum_to_size_of(xp, input, shape)


def swapaxes(input, axis0, axis1):
    return forward_swapaxes(F, input, axis0, axis1)


def t(input):
    return xp_t(input)


def take(input, index):
    return forward_take(xp, input, index)


def take_along_dim(input, indices, dim=None):
    return forward_take_along_dim(F, input, indices, dim)


def tan(input):
    return xp_tan(input)


def tanh(input):
    return xp_tanh(input)


def tensor_split(input, indices_or_sections, dim=0):
    return forward_tensor_split(F, input, indices_or_sections, dim)


def tensordot(a, b, dims=2):
    return forward_tensordot(F, a, b, dims)


def tile(input, dims):
    return forward_tile(F, input, dims)


def tile_variadic(input, dims, *more):
    return forward_tile_variadic(F, input, dims, *more)


def to_copy(input, kind=None, place=None):
    return forward_to_copy(xp, input, kind, place)


def trace(input):
    return forward_trace(xp, input)


def transpose(input, dim0, dim1):
    return xp_swapaxes(input, dim0, dim1)


def tril(input, diagonal=0):
    return forward_tril(xp, input, diagonal)


def tril_indices(row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    return forward_tril_indices(F, row, col, offset, dtype=dtype, device=device, layout=layout, requires_grad=requires_grad, pin_memory=pin_memory)


def triu(input, diagonal=0):
    return forward_triu(xp, input, diagonal)


def triu_indices(row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    return forward_triu_indices(F, row, col, offset, dtype=dtype, device=device, layout=layout, requires_grad=requires_grad, pin_memory=pin_memory)


def true_divide(input, other):
    return xp_divide(input, other)


def trunc(input):
    return xp_trunc(input)


def unbind(input, dim=0):
    return xp_unbind(input, dim)


def unflatten(input, dim, sizes):
    return forward_unflatten(F, input, dim, sizes)


def unravel_index(indices, shape):
    return forward_unravel_index(F, indices, shape)


def unsafe_view(input, size):
    return input.reshape(size)


def unsqueeze(input, dim):
    return xp_new_dim(input, dim)


def vdot(input, other):
    return forward_vdot(xp, input, other)


def view(input, size):
    return xp_view(input, size)


def view_as(input, other):
    return forward_view_as(F, input, other)


def view_as_complex(input):
    return xp_as_complex(input)


def view_as_real(input):
    return xp_as_real(input)


def view_dtype(input, kind):
    return xp_view_dtype(input, kind)


def view_variadic(input, *sizes, size=None, dtype=None):
    return forward_view_variadic(F, input, *sizes, size=size, dtype=dtype)


def vsplit(input, indices_or_sections):
    return forward_vsplit(F, input, indices_or_sections)


def vsplit_variadic(input, split_size_or_sections=None, *more, sections=None, indices=None):
    return forward_vsplit_variadic(F, input, split_size_or_sections, *more, sections=sections, indices=indices)


def vstack(tensors):
    return forward_vstack(F, tensors)


def where(condition, input=None, other=None):
    return forward_where(F, condition, input, other)


def where_of_input(input, condition, other):
    return forward_where_of_input(F, input, condition, other)


def windows(input, dimension, size, step):
    return xp_windows(input, dimension, size, step)


def write_view(base, value, path):
    return forward_write_view(xp, base, value, path)


def xlogy(input, other):
    return xp_xlogy(input, other)


def zero_(input):
    return forward_zero_(F, input)


def zeroed(input):
    return xp_zeros_like(input)


def zeros_of(input):
    return forward_zeros_of(F, input)
