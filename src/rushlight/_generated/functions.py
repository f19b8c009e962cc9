"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident
from builtins import all as all_of, any as any_of

import numpy as np

import rushlight._generated.raw as raw
import rushlight.arrays.cpu as xp
from rushlight.core.dtype import bool as bool_, float32, float64, int64
from rushlight.core.clock import tick
from rushlight.core.graph import Node, Output, maker_of, show_saved
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.noting import ENTRY, NOTING, PROGRAM, frame_at, outside
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.storage import InferenceStorage, Storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, edge_of, new
from rushlight.dispatch.autocast import autocasted, uncast
from rushlight.dispatch.calls import renamed, reordered
from rushlight.dispatch.errors_of_numpy import IGNORED, reset_errors, set_errors
from rushlight.dispatch.general import composed, explain_arguments, general, into, operated
from rushlight.dispatch.inplace import reshape_in_place, write
from rushlight.dispatch.methods import Operators, documented
from rushlight.dispatch.parts import give_outputs, parts_of
from rushlight.ops import library
from rushlight.ops.declare import NOTHING, OPS

import sys
from functools import partial
from rushlight.dispatch.books import later

library.load()
F = sys.modules[__name__]
__getattr__ = partial(later, F)

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64, INT64, BOOL = float32.numpy, float64.numpy, int64.numpy, bool_.numpy
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
NUMBERS_32, NUMBERS_64, INTEGERS = raw.numbers[FLOAT32], raw.numbers[FLOAT64], raw.numbers[INT64]
SMALL = range(-(2**31), 2**31)  # numbers of which no one asks whether they fit
BOUND = (int, type(None))
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_above_diagonal = xp.above_diagonal
xp_abs = xp.abs
xp_acos = xp.acos
xp_acosh = xp.acosh
xp_add = xp.add
xp_add_windows = xp.add_windows
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
xp_divide = xp.divide
xp_drop_dims = xp.drop_dims
xp_element = xp.element
xp_equal = xp.equal
xp_exp = xp.exp
xp_exp2 = xp.exp2
xp_expand = xp.expand
xp_expm1 = xp.expm1
xp_eye = xp.eye
xp_filled_above_diagonal = xp.filled_above_diagonal
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
xp_invert = xp.invert
xp_isclose = xp.isclose
xp_isfinite = xp.isfinite
xp_isin = xp.isin
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
xp_log2 = xp.log2
xp_log_sigmoid = xp.log_sigmoid
xp_logaddexp = xp.logaddexp
xp_logaddexp2 = xp.logaddexp2
xp_logical_and = xp.logical_and
xp_logical_not = xp.logical_not
xp_logical_or = xp.logical_or
xp_logical_xor = xp.logical_xor
xp_logit = xp.logit
xp_masked_source = xp.masked_source
xp_maximum = xp.maximum
xp_minimum = xp.minimum
xp_multiply = xp.multiply
xp_nan_to_num = xp.nan_to_num
xp_negative = xp.negative
xp_new_dim = xp.new_dim
xp_nextafter = xp.nextafter
xp_not_equal = xp.not_equal
xp_overwritten = xp.overwritten
xp_part_of_zeros = xp.part_of_zeros
xp_permute = xp.permute
xp_placed_at = xp.placed_at
xp_power = xp.power
xp_remainder = xp.remainder
xp_reshape = xp.reshape
xp_right_shift = xp.right_shift
xp_rolled = xp.rolled
xp_round_to = xp.round_to
xp_scaled = xp.scaled
xp_select = xp.select
xp_sigmoid = xp.sigmoid
xp_sign = xp.sign
xp_signbit = xp.signbit
xp_sin = xp.sin
xp_sinc = xp.sinc
xp_sinh = xp.sinh
xp_sliced = xp.sliced
xp_softplus = xp.softplus
xp_split_evenly = xp.split_evenly
xp_split_with_sizes = xp.split_with_sizes
xp_sqrt = xp.sqrt
xp_stack_along = xp.stack_along
xp_subtract = xp.subtract
xp_swapaxes = xp.swapaxes
xp_t = xp.t
xp_take_indices = xp.take_indices
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

OP_H = OPS['H']
composite_H = OP_H.forward
OP_T = OPS['T']
composite_T = OP_T.forward
OP__neg_view = OPS['_neg_view']
forward__neg_view = OP__neg_view.forward
OP_above_diagonal = OPS['above_diagonal']
OP_abs = OPS['abs']
composite_abs = OP_abs.forward
OP_abs_ = OPS['abs_']
composite_abs_ = OP_abs_.forward
OP_acos = OPS['acos']
OP_acosh = OPS['acosh']
derivative_acosh_input = OP_acosh.derivatives['input']
OP_add = OPS['add']
OP_add_windows = OPS['add_windows']
OP_addbmm = OPS['addbmm']
forward_addbmm = OP_addbmm.forward
derivative_addbmm_input = OP_addbmm.derivatives['input']
derivative_addbmm_batch1 = OP_addbmm.derivatives['batch1']
derivative_addbmm_batch2 = OP_addbmm.derivatives['batch2']
OP_addcdiv = OPS['addcdiv']
kernel_addcdiv = raw.addcdiv
OP_addcmul = OPS['addcmul']
kernel_addcmul = raw.addcmul
OP_addmm = OPS['addmm']
composite_addmm = OP_addmm.forward
OP_addmv = OPS['addmv']
forward_addmv = OP_addmv.forward
derivative_addmv_input = OP_addmv.derivatives['input']
derivative_addmv_mat = OP_addmv.derivatives['mat']
derivative_addmv_vec = OP_addmv.derivatives['vec']
OP_addr = OPS['addr']
forward_addr = OP_addr.forward
derivative_addr_input = OP_addr.derivatives['input']
derivative_addr_vec1 = OP_addr.derivatives['vec1']
derivative_addr_vec2 = OP_addr.derivatives['vec2']
OP_adjoint = OPS['adjoint']
composite_adjoint = OP_adjoint.forward
OP_affine = OPS['affine']
forward_affine = OP_affine.forward
derivative_affine_input = OP_affine.derivatives['input']
derivative_affine_mat1 = OP_affine.derivatives['mat1']
derivative_affine_mat2 = OP_affine.derivatives['mat2']
OP_alias_copy = OPS['alias_copy']
composite_alias_copy = OP_alias_copy.forward
OP_all = OPS['all']
forward_all = OP_all.forward
OP_allclose = OPS['allclose']
composite_allclose = OP_allclose.forward
OP_amax = OPS['amax']
forward_amax = OP_amax.forward
derivative_amax_input = OP_amax.derivatives['input']
OP_amin = OPS['amin']
forward_amin = OP_amin.forward
derivative_amin_input = OP_amin.derivatives['input']
OP_aminmax = OPS['aminmax']
composite_aminmax = OP_aminmax.forward
OP_angle = OPS['angle']
derivative_angle_input = OP_angle.derivatives['input']
OP_any = OPS['any']
forward_any = OP_any.forward
OP_are_close = OPS['are_close']
OP_argmax = OPS['argmax']
forward_argmax = OP_argmax.forward
OP_argmin = OPS['argmin']
forward_argmin = OP_argmin.forward
OP_argsort = OPS['argsort']
forward_argsort = OP_argsort.forward
OP_argwhere = OPS['argwhere']
composite_argwhere = OP_argwhere.forward
OP_as_strided = OPS['as_strided']
composite_as_strided = OP_as_strided.forward
OP_as_strided_copy = OPS['as_strided_copy']
composite_as_strided_copy = OP_as_strided_copy.forward
OP_as_strided_from = OPS['as_strided_from']
forward_as_strided_from = OP_as_strided_from.forward
OP_as_strided_scatter = OPS['as_strided_scatter']
composite_as_strided_scatter = OP_as_strided_scatter.forward
OP_asin = OPS['asin']
OP_asinh = OPS['asinh']
OP_atan = OPS['atan']
OP_atan2 = OPS['atan2']
derivative_atan2_input = OP_atan2.derivatives['input']
derivative_atan2_other = OP_atan2.derivatives['other']
OP_atanh = OPS['atanh']
OP_atleast_1d = OPS['atleast_1d']
composite_atleast_1d = OP_atleast_1d.forward
OP_atleast_2d = OPS['atleast_2d']
composite_atleast_2d = OP_atleast_2d.forward
OP_atleast_3d = OPS['atleast_3d']
composite_atleast_3d = OP_atleast_3d.forward
OP_backwards = OPS['backwards']
composite_backwards = OP_backwards.forward
OP_baddbmm = OPS['baddbmm']
forward_baddbmm = OP_baddbmm.forward
derivative_baddbmm_input = OP_baddbmm.derivatives['input']
derivative_baddbmm_batch1 = OP_baddbmm.derivatives['batch1']
derivative_baddbmm_batch2 = OP_baddbmm.derivatives['batch2']
OP_bilinear = OPS['bilinear']
composite_bilinear = OP_bilinear.forward
OP_bincount = OPS['bincount']
OP_bitwise_and = OPS['bitwise_and']
OP_bitwise_left_shift = OPS['bitwise_left_shift']
OP_bitwise_not = OPS['bitwise_not']
OP_bitwise_or = OPS['bitwise_or']
OP_bitwise_right_shift = OPS['bitwise_right_shift']
OP_bitwise_xor = OPS['bitwise_xor']
OP_block_diag = OPS['block_diag']
composite_block_diag = OP_block_diag.forward
OP_blocks = OPS['blocks']
derivative_blocks_tensors = OP_blocks.derivatives['tensors']
OP_bmm = OPS['bmm']
forward_bmm = OP_bmm.forward
OP_broadcast_shapes = OPS['broadcast_shapes']
composite_broadcast_shapes = OP_broadcast_shapes.forward
OP_broadcast_tensors = OPS['broadcast_tensors']
composite_broadcast_tensors = OP_broadcast_tensors.forward
OP_broadcast_to = OPS['broadcast_to']
composite_broadcast_to = OP_broadcast_to.forward
OP_bucketize = OPS['bucketize']
composite_bucketize = OP_bucketize.forward
OP_cartesian_prod = OPS['cartesian_prod']
composite_cartesian_prod = OP_cartesian_prod.forward
OP_cast = OPS['cast']
composite_cast = OP_cast.forward
OP_cat = OPS['cat']
composite_cat = OP_cat.forward
OP_cdist = OPS['cdist']
forward_cdist = OP_cdist.forward
derivative_cdist_x1 = OP_cdist.derivatives['x1']
derivative_cdist_x2 = OP_cdist.derivatives['x2']
OP_ceil = OPS['ceil']
OP_celu = OPS['celu']
forward_celu = OP_celu.forward
OP_chain_matmul = OPS['chain_matmul']
composite_chain_matmul = OP_chain_matmul.forward
OP_choose = OPS['choose']
OP_chunk = OPS['chunk']
composite_chunk = OP_chunk.forward
OP_clamp = OPS['clamp']
composite_clamp = OP_clamp.forward
OP_clamp_ = OPS['clamp_']
composite_clamp_ = OP_clamp_.forward
OP_clamp_max = OPS['clamp_max']
OP_clamp_min = OPS['clamp_min']
OP_clamp_to_numbers = OPS['clamp_to_numbers']
OP_clamp_to_tensors = OPS['clamp_to_tensors']
derivative_clamp_to_tensors_min = OP_clamp_to_tensors.derivatives['min']
derivative_clamp_to_tensors_max = OP_clamp_to_tensors.derivatives['max']
OP_clone = OPS['clone']
forward_clone = OP_clone.forward
OP_column_stack = OPS['column_stack']
composite_column_stack = OP_column_stack.forward
OP_combinations = OPS['combinations']
composite_combinations = OP_combinations.forward
OP_complex = OPS['complex']
forward_complex = OP_complex.forward
OP_complex_copy = OPS['complex_copy']
composite_complex_copy = OP_complex_copy.forward
OP_concatenate = OPS['concatenate']
composite_concatenate = OP_concatenate.forward
OP_conj = OPS['conj']
composite_conj = OP_conj.forward
OP_conj_physical = OPS['conj_physical']
composite_conj_physical = OP_conj_physical.forward
OP_conjugate = OPS['conjugate']
forward_conjugate = OP_conjugate.forward
derivative_conjugate_input = OP_conjugate.derivatives['input']
OP_conjugate_in_memory = OPS['conjugate_in_memory']
OP_contains = OPS['contains']
composite_contains = OP_contains.forward
OP_copy_values = OPS['copy_values']
OP_copysign = OPS['copysign']
OP_corrcoef = OPS['corrcoef']
composite_corrcoef = OP_corrcoef.forward
OP_cos = OPS['cos']
OP_cosh = OPS['cosh']
OP_cosine_similarity = OPS['cosine_similarity']
composite_cosine_similarity = OP_cosine_similarity.forward
OP_count_nonzero = OPS['count_nonzero']
forward_count_nonzero = OP_count_nonzero.forward
OP_cov = OPS['cov']
composite_cov = OP_cov.forward
OP_cross = OPS['cross']
composite_cross = OP_cross.forward
OP_cummax = OPS['cummax']
forward_cummax = OP_cummax.forward
derivative_cummax_input = OP_cummax.derivatives['input']
OP_cummin = OPS['cummin']
forward_cummin = OP_cummin.forward
derivative_cummin_input = OP_cummin.derivatives['input']
OP_cumprod = OPS['cumprod']
forward_cumprod = OP_cumprod.forward
derivative_cumprod_input = OP_cumprod.derivatives['input']
OP_cumsum = OPS['cumsum']
forward_cumsum = OP_cumsum.forward
OP_cumulative_trapezoid = OPS['cumulative_trapezoid']
composite_cumulative_trapezoid = OP_cumulative_trapezoid.forward
OP_deg2rad = OPS['deg2rad']
forward_deg2rad = OP_deg2rad.forward
derivative_deg2rad_input = OP_deg2rad.derivatives['input']
OP_delitem = OPS['delitem']
composite_delitem = OP_delitem.forward
OP_detach_copy = OPS['detach_copy']
composite_detach_copy = OP_detach_copy.forward
OP_diag = OPS['diag']
composite_diag = OP_diag.forward
OP_diag_embed = OPS['diag_embed']
OP_diagflat = OPS['diagflat']
composite_diagflat = OP_diagflat.forward
OP_diagonal = OPS['diagonal']
OP_diagonal_copy = OPS['diagonal_copy']
OP_diagonal_scatter = OPS['diagonal_scatter']
composite_diagonal_scatter = OP_diagonal_scatter.forward
OP_diff = OPS['diff']
composite_diff = OP_diff.forward
OP_dist = OPS['dist']
forward_dist = OP_dist.forward
derivative_dist_input = OP_dist.derivatives['input']
derivative_dist_other = OP_dist.derivatives['other']
OP_div = OPS['div']
composite_div = OP_div.forward
OP_divide_into = OPS['divide_into']
composite_divide_into = OP_divide_into.forward
OP_dot = OPS['dot']
forward_dot = OP_dot.forward
OP_dsplit = OPS['dsplit']
composite_dsplit = OP_dsplit.forward
OP_dsplit_variadic = OPS['dsplit_variadic']
composite_dsplit_variadic = OP_dsplit_variadic.forward
OP_dstack = OPS['dstack']
composite_dstack = OP_dstack.forward
OP_einsum = OPS['einsum']
composite_einsum = OP_einsum.forward
OP_elu = OPS['elu']
kernel_elu = raw.elu
derivative_elu_input = OP_elu.derivatives['input']
OP_eq = OPS['eq']
OP_equal = OPS['equal']
composite_equal = OP_equal.forward
OP_exp = OPS['exp']
OP_exp2 = OPS['exp2']
derivative_exp2_input = OP_exp2.derivatives['input']
OP_expand = OPS['expand']
OP_expand_as = OPS['expand_as']
composite_expand_as = OP_expand_as.forward
OP_expand_copy = OPS['expand_copy']
composite_expand_copy = OP_expand_copy.forward
OP_expand_variadic = OPS['expand_variadic']
composite_expand_variadic = OP_expand_variadic.forward
OP_expm1 = OPS['expm1']
OP_fill = OPS['fill']
composite_fill = OP_fill.forward
OP_fill_mask_with_number = OPS['fill_mask_with_number']
OP_fill_mask_with_tensor = OPS['fill_mask_with_tensor']
forward_fill_mask_with_tensor = OP_fill_mask_with_tensor.forward
OP_fill_with_number = OPS['fill_with_number']
OP_fill_with_tensor = OPS['fill_with_tensor']
forward_fill_with_tensor = OP_fill_with_tensor.forward
OP_filled_above_diagonal = OPS['filled_above_diagonal']
OP_fit = OPS['fit']
composite_fit = OP_fit.forward
OP_flatten = OPS['flatten']
composite_flatten = OP_flatten.forward
OP_flip = OPS['flip']
OP_flip_variadic = OPS['flip_variadic']
composite_flip_variadic = OP_flip_variadic.forward
OP_fliplr = OPS['fliplr']
composite_fliplr = OP_fliplr.forward
OP_flipud = OPS['flipud']
composite_flipud = OP_flipud.forward
OP_float_power = OPS['float_power']
composite_float_power = OP_float_power.forward
OP_float_power_ = OPS['float_power_']
composite_float_power_ = OP_float_power_.forward
OP_floor = OPS['floor']
OP_floor_divide = OPS['floor_divide']
derivative_floor_divide_input = OP_floor_divide.derivatives['input']
derivative_floor_divide_other = OP_floor_divide.derivatives['other']
OP_floor_divide_into = OPS['floor_divide_into']
composite_floor_divide_into = OP_floor_divide_into.forward
OP_fmax = OPS['fmax']
OP_fmin = OPS['fmin']
OP_fmod = OPS['fmod']
OP_frac = OPS['frac']
kernel_frac = raw.frac
OP_frexp = OPS['frexp']
forward_frexp = OP_frexp.forward
OP_gather = OPS['gather']
forward_gather = OP_gather.forward
OP_gcd = OPS['gcd']
OP_ge = OPS['ge']
OP_gelu = OPS['gelu']
forward_gelu = OP_gelu.forward
derivative_gelu_input = OP_gelu.derivatives['input']
OP_getitem = OPS['getitem']
composite_getitem = OP_getitem.forward
OP_getitem_view = OPS['getitem_view']
OP_glu = OPS['glu']
forward_glu = OP_glu.forward
derivative_glu_input = OP_glu.derivatives['input']
OP_gradient = OPS['gradient']
composite_gradient = OP_gradient.forward
OP_growth_of_power = OPS['growth_of_power']
composite_growth_of_power = OP_growth_of_power.forward
OP_gt = OPS['gt']
OP_hardshrink = OPS['hardshrink']
kernel_hardshrink = raw.hardshrink
OP_hardsigmoid = OPS['hardsigmoid']
kernel_hardsigmoid = raw.hardsigmoid
OP_hardswish = OPS['hardswish']
kernel_hardswish = raw.hardswish
OP_hardtanh = OPS['hardtanh']
forward_hardtanh = OP_hardtanh.forward
OP_hash_tensor = OPS['hash_tensor']
forward_hash_tensor = OP_hash_tensor.forward
OP_heaviside = OPS['heaviside']
composite_heaviside = OP_heaviside.forward
OP_histc = OPS['histc']
forward_histc = OP_histc.forward
OP_histogram = OPS['histogram']
composite_histogram = OP_histogram.forward
OP_histogram_in_edges = OPS['histogram_in_edges']
OP_histogram_in_ranges = OPS['histogram_in_ranges']
OP_histogramdd = OPS['histogramdd']
composite_histogramdd = OP_histogramdd.forward
OP_hsplit = OPS['hsplit']
composite_hsplit = OP_hsplit.forward
OP_hsplit_variadic = OPS['hsplit_variadic']
composite_hsplit_variadic = OP_hsplit_variadic.forward
OP_hstack = OPS['hstack']
composite_hstack = OP_hstack.forward
OP_hypot = OPS['hypot']
OP_imag = OPS['imag']
composite_imag = OP_imag.forward
OP_index = OPS['index']
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
OP_index_put = OPS['index_put']
composite_index_put = OP_index_put.forward
OP_index_reduce = OPS['index_reduce']
forward_index_reduce = OP_index_reduce.forward
derivative_index_reduce_input = OP_index_reduce.derivatives['input']
derivative_index_reduce_source = OP_index_reduce.derivatives['source']
OP_index_select = OPS['index_select']
forward_index_select = OP_index_select.forward
OP_inner = OPS['inner']
composite_inner = OP_inner.forward
OP_invert = OPS['invert']
composite_invert = OP_invert.forward
OP_is_between = OPS['is_between']
composite_is_between = OP_is_between.forward
OP_isclose = OPS['isclose']
composite_isclose = OP_isclose.forward
OP_isfinite = OPS['isfinite']
OP_isin = OPS['isin']
OP_isinf = OPS['isinf']
OP_isnan = OPS['isnan']
OP_isneginf = OPS['isneginf']
forward_isneginf = OP_isneginf.forward
OP_isposinf = OPS['isposinf']
forward_isposinf = OP_isposinf.forward
OP_isreal = OPS['isreal']
OP_iterate = OPS['iterate']
composite_iterate = OP_iterate.forward
OP_joined = OPS['joined']
derivative_joined_tensors = OP_joined.derivatives['tensors']
OP_kron = OPS['kron']
composite_kron = OP_kron.forward
OP_kthvalue = OPS['kthvalue']
forward_kthvalue = OP_kthvalue.forward
derivative_kthvalue_input = OP_kthvalue.derivatives['input']
OP_lcm = OPS['lcm']
OP_ldexp = OPS['ldexp']
derivative_ldexp_other = OP_ldexp.derivatives['other']
OP_le = OPS['le']
OP_leaky_relu = OPS['leaky_relu']
kernel_leaky_relu = raw.leaky_relu
OP_left_shift_by = OPS['left_shift_by']
composite_left_shift_by = OP_left_shift_by.forward
OP_lerp = OPS['lerp']
composite_lerp = OP_lerp.forward
OP_lerp_by_number = OPS['lerp_by_number']
OP_lerp_by_tensor = OPS['lerp_by_tensor']
OP_linalg_cross = OPS['linalg_cross']
forward_linalg_cross = OP_linalg_cross.forward
OP_linalg_multi_dot = OPS['linalg_multi_dot']
composite_linalg_multi_dot = OP_linalg_multi_dot.forward
OP_linalg_vecdot = OPS['linalg_vecdot']
composite_linalg_vecdot = OP_linalg_vecdot.forward
OP_linalg_vector_norm = OPS['linalg_vector_norm']
forward_linalg_vector_norm = OP_linalg_vector_norm.forward
derivative_linalg_vector_norm_input = OP_linalg_vector_norm.derivatives['input']
OP_linear = OPS['linear']
composite_linear = OP_linear.forward
OP_linear_of_rows = OPS['linear_of_rows']
composite_linear_of_rows = OP_linear_of_rows.forward
OP_log = OPS['log']
OP_log10 = OPS['log10']
derivative_log10_input = OP_log10.derivatives['input']
OP_log1p = OPS['log1p']
OP_log2 = OPS['log2']
derivative_log2_input = OP_log2.derivatives['input']
OP_log_softmax = OPS['log_softmax']
forward_log_softmax = OP_log_softmax.forward
OP_logaddexp = OPS['logaddexp']
OP_logaddexp2 = OPS['logaddexp2']
OP_logcumsumexp = OPS['logcumsumexp']
forward_logcumsumexp = OP_logcumsumexp.forward
derivative_logcumsumexp_input = OP_logcumsumexp.derivatives['input']
OP_logical_and = OPS['logical_and']
OP_logical_not = OPS['logical_not']
OP_logical_or = OPS['logical_or']
OP_logical_xor = OPS['logical_xor']
OP_logit = OPS['logit']
derivative_logit_input = OP_logit.derivatives['input']
OP_logsigmoid = OPS['logsigmoid']
OP_logsumexp = OPS['logsumexp']
forward_logsumexp = OP_logsumexp.forward
derivative_logsumexp_input = OP_logsumexp.derivatives['input']
OP_lt = OPS['lt']
OP_mH = OPS['mH']
composite_mH = OP_mH.forward
OP_mT = OPS['mT']
composite_mT = OP_mT.forward
OP_masked_fill = OPS['masked_fill']
composite_masked_fill = OP_masked_fill.forward
OP_masked_scatter = OPS['masked_scatter']
forward_masked_scatter = OP_masked_scatter.forward
derivative_masked_scatter_input = OP_masked_scatter.derivatives['input']
OP_masked_select = OPS['masked_select']
forward_masked_select = OP_masked_select.forward
derivative_masked_select_input = OP_masked_select.derivatives['input']
OP_masked_source = OPS['masked_source']
OP_matmul = OPS['matmul']
composite_matmul = OP_matmul.forward
OP_matmul_into = OPS['matmul_into']
composite_matmul_into = OP_matmul_into.forward
OP_max = OPS['max']
composite_max = OP_max.forward
OP_max_all = OPS['max_all']
forward_max_all = OP_max_all.forward
derivative_max_all_input = OP_max_all.derivatives['input']
OP_max_dim = OPS['max_dim']
forward_max_dim = OP_max_dim.forward
derivative_max_dim_input = OP_max_dim.derivatives['input']
OP_maximum = OPS['maximum']
OP_mean = OPS['mean']
forward_mean = OP_mean.forward
derivative_mean_input = OP_mean.derivatives['input']
OP_median = OPS['median']
composite_median = OP_median.forward
OP_median_all = OPS['median_all']
forward_median_all = OP_median_all.forward
derivative_median_all_input = OP_median_all.derivatives['input']
OP_median_dim = OPS['median_dim']
forward_median_dim = OP_median_dim.forward
derivative_median_dim_input = OP_median_dim.derivatives['input']
OP_meshgrid = OPS['meshgrid']
composite_meshgrid = OP_meshgrid.forward
OP_min = OPS['min']
composite_min = OP_min.forward
OP_min_all = OPS['min_all']
forward_min_all = OP_min_all.forward
derivative_min_all_input = OP_min_all.derivatives['input']
OP_min_and_max = OPS['min_and_max']
forward_min_and_max = OP_min_and_max.forward
derivative_min_and_max_input = OP_min_and_max.derivatives['input']
OP_min_dim = OPS['min_dim']
forward_min_dim = OP_min_dim.forward
derivative_min_dim_input = OP_min_dim.derivatives['input']
OP_minimum = OPS['minimum']
OP_mish = OPS['mish']
kernel_mish = raw.mish
derivative_mish_input = OP_mish.derivatives['input']
OP_mm = OPS['mm']
forward_mm = OP_mm.forward
OP_mode = OPS['mode']
forward_mode = OP_mode.forward
derivative_mode_input = OP_mode.derivatives['input']
OP_modulus = OPS['modulus']
OP_movedim = OPS['movedim']
composite_movedim = OP_movedim.forward
OP_msort = OPS['msort']
composite_msort = OP_msort.forward
OP_mul = OPS['mul']
OP_mv = OPS['mv']
forward_mv = OP_mv.forward
OP_nan_to_num = OPS['nan_to_num']
OP_nanmean = OPS['nanmean']
composite_nanmean = OP_nanmean.forward
OP_nanmedian = OPS['nanmedian']
composite_nanmedian = OP_nanmedian.forward
OP_nanmedian_all = OPS['nanmedian_all']
forward_nanmedian_all = OP_nanmedian_all.forward
derivative_nanmedian_all_input = OP_nanmedian_all.derivatives['input']
OP_nanmedian_dim = OPS['nanmedian_dim']
forward_nanmedian_dim = OP_nanmedian_dim.forward
derivative_nanmedian_dim_input = OP_nanmedian_dim.derivatives['input']
OP_nanquantile = OPS['nanquantile']
composite_nanquantile = OP_nanquantile.forward
OP_nansum = OPS['nansum']
forward_nansum = OP_nansum.forward
derivative_nansum_input = OP_nansum.derivatives['input']
OP_narrow = OPS['narrow']
composite_narrow = OP_narrow.forward
OP_narrow_copy = OPS['narrow_copy']
composite_narrow_copy = OP_narrow_copy.forward
OP_ne = OPS['ne']
OP_neg = OPS['neg']
OP_new_zeros_of = OPS['new_zeros_of']
OP_nextafter = OPS['nextafter']
OP_nonzero = OPS['nonzero']
composite_nonzero = OP_nonzero.forward
OP_nonzero_rows = OPS['nonzero_rows']
OP_nonzero_static = OPS['nonzero_static']
composite_nonzero_static = OP_nonzero_static.forward
OP_norm = OPS['norm']
composite_norm = OP_norm.forward
OP_norm_except_dim = OPS['norm_except_dim']
composite_norm_except_dim = OP_norm_except_dim.forward
OP_norm_of_rows = OPS['norm_of_rows']
forward_norm_of_rows = OP_norm_of_rows.forward
derivative_norm_of_rows_input = OP_norm_of_rows.derivatives['input']
OP_norm_of_tensor = OPS['norm_of_tensor']
composite_norm_of_tensor = OP_norm_of_tensor.forward
OP_normalize = OPS['normalize']
composite_normalize = OP_normalize.forward
OP_on_diagonal = OPS['on_diagonal']
OP_only_row = OPS['only_row']
OP_outer = OPS['outer']
composite_outer = OP_outer.forward
OP_pairwise_distance = OPS['pairwise_distance']
composite_pairwise_distance = OP_pairwise_distance.forward
OP_pdist = OPS['pdist']
forward_pdist = OP_pdist.forward
derivative_pdist_input = OP_pdist.derivatives['input']
OP_permute = OPS['permute']
derivative_permute_input = OP_permute.derivatives['input']
OP_permute_copy = OPS['permute_copy']
composite_permute_copy = OP_permute_copy.forward
OP_permute_variadic = OPS['permute_variadic']
composite_permute_variadic = OP_permute_variadic.forward
OP_placed = OPS['placed']
forward_placed = OP_placed.forward
derivative_placed_input = OP_placed.derivatives['input']
OP_placed_at = OPS['placed_at']
OP_polar = OPS['polar']
forward_polar = OP_polar.forward
derivative_polar_abs = OP_polar.derivatives['abs']
derivative_polar_angle = OP_polar.derivatives['angle']
OP_positive = OPS['positive']
composite_positive = OP_positive.forward
OP_pow = OPS['pow']
OP_power_of = OPS['power_of']
composite_power_of = OP_power_of.forward
OP_prelu = OPS['prelu']
composite_prelu = OP_prelu.forward
OP_prelu_kernel = OPS['prelu_kernel']
kernel_prelu_kernel = raw.prelu_kernel
OP_present = OPS['present']
composite_present = OP_present.forward
OP_prod = OPS['prod']
forward_prod = OP_prod.forward
derivative_prod_input = OP_prod.derivatives['input']
OP_product_with_vector = OPS['product_with_vector']
composite_product_with_vector = OP_product_with_vector.forward
OP_products_of_others = OPS['products_of_others']
composite_products_of_others = OP_products_of_others.forward
OP_put = OPS['put']
forward_put = OP_put.forward
OP_put_indices = OPS['put_indices']
forward_put_indices = OP_put_indices.forward
derivative_put_indices_values = OP_put_indices.derivatives['values']
OP_putitem = OPS['putitem']
OP_quantile = OPS['quantile']
composite_quantile = OP_quantile.forward
OP_rad2deg = OPS['rad2deg']
forward_rad2deg = OP_rad2deg.forward
derivative_rad2deg_input = OP_rad2deg.derivatives['input']
OP_ravel = OPS['ravel']
composite_ravel = OP_ravel.forward
OP_real = OPS['real']
composite_real = OP_real.forward
OP_reciprocal = OPS['reciprocal']
OP_recurrence = OPS['recurrence']
forward_recurrence = OP_recurrence.forward
derivative_recurrence_factor = OP_recurrence.derivatives['factor']
OP_relu = OPS['relu']
OP_relu6 = OPS['relu6']
composite_relu6 = OP_relu6.forward
OP_remainder = OPS['remainder']
OP_remainder_into = OPS['remainder_into']
composite_remainder_into = OP_remainder_into.forward
OP_renorm = OPS['renorm']
forward_renorm = OP_renorm.forward
derivative_renorm_input = OP_renorm.derivatives['input']
OP_repeat = OPS['repeat']
forward_repeat = OP_repeat.forward
derivative_repeat_input = OP_repeat.derivatives['input']
OP_repeat_interleave = OPS['repeat_interleave']
composite_repeat_interleave = OP_repeat_interleave.forward
OP_repeat_variadic = OPS['repeat_variadic']
composite_repeat_variadic = OP_repeat_variadic.forward
OP_reshape = OPS['reshape']
composite_reshape = OP_reshape.forward
OP_reshape_as = OPS['reshape_as']
composite_reshape_as = OP_reshape_as.forward
OP_reshape_variadic = OPS['reshape_variadic']
composite_reshape_variadic = OP_reshape_variadic.forward
OP_resolve_conj = OPS['resolve_conj']
composite_resolve_conj = OP_resolve_conj.forward
OP_resolve_neg = OPS['resolve_neg']
composite_resolve_neg = OP_resolve_neg.forward
OP_rewritten = OPS['rewritten']
forward_rewritten = OP_rewritten.forward
derivative_rewritten_src = OP_rewritten.derivatives['src']
OP_right_shift_by = OPS['right_shift_by']
composite_right_shift_by = OP_right_shift_by.forward
OP_roll = OPS['roll']
derivative_roll_input = OP_roll.derivatives['input']
OP_rot90 = OPS['rot90']
OP_round = OPS['round']
OP_rounded_divide = OPS['rounded_divide']
OP_rrelu = OPS['rrelu']
composite_rrelu = OP_rrelu.forward
OP_rrelu_with_noise = OPS['rrelu_with_noise']
kernel_rrelu_with_noise = raw.rrelu_with_noise
OP_rsqrt = OPS['rsqrt']
kernel_rsqrt = raw.rsqrt
OP_rsub = OPS['rsub']
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
OP_search = OPS['search']
OP_searchsorted = OPS['searchsorted']
composite_searchsorted = OP_searchsorted.forward
OP_select = OPS['select']
derivative_select_input = OP_select.derivatives['input']
OP_select_copy = OPS['select_copy']
composite_select_copy = OP_select_copy.forward
OP_select_scatter = OPS['select_scatter']
composite_select_scatter = OP_select_scatter.forward
OP_selu = OPS['selu']
composite_selu = OP_selu.forward
OP_setitem = OPS['setitem']
composite_setitem = OP_setitem.forward
OP_sgn = OPS['sgn']
derivative_sgn_input = OP_sgn.derivatives['input']
OP_shifted = OPS['shifted']
forward_shifted = OP_shifted.forward
OP_sigmoid = OPS['sigmoid']
OP_sign = OPS['sign']
OP_signbit = OPS['signbit']
OP_silu = OPS['silu']
kernel_silu = raw.silu
derivative_silu_input = OP_silu.derivatives['input']
OP_sin = OPS['sin']
OP_sinc = OPS['sinc']
derivative_sinc_input = OP_sinc.derivatives['input']
OP_sinh = OPS['sinh']
OP_slice_copy = OPS['slice_copy']
composite_slice_copy = OP_slice_copy.forward
OP_slice_scatter = OPS['slice_scatter']
composite_slice_scatter = OP_slice_scatter.forward
OP_slice_view = OPS['slice_view']
derivative_slice_view_input = OP_slice_view.derivatives['input']
OP_slope_of_power = OPS['slope_of_power']
composite_slope_of_power = OP_slope_of_power.forward
OP_softmax = OPS['softmax']
forward_softmax = OP_softmax.forward
OP_softmin = OPS['softmin']
composite_softmin = OP_softmin.forward
OP_softplus = OPS['softplus']
derivative_softplus_input = OP_softplus.derivatives['input']
OP_softshrink = OPS['softshrink']
forward_softshrink = OP_softshrink.forward
OP_softsign = OPS['softsign']
composite_softsign = OP_softsign.forward
OP_sort = OPS['sort']
forward_sort = OP_sort.forward
derivative_sort_input = OP_sort.derivatives['input']
OP_split = OPS['split']
composite_split = OP_split.forward
OP_split_copy = OPS['split_copy']
composite_split_copy = OP_split_copy.forward
OP_split_evenly = OPS['split_evenly']
derivative_split_evenly_input = OP_split_evenly.derivatives['input']
OP_split_of_size = OPS['split_of_size']
composite_split_of_size = OP_split_of_size.forward
OP_split_with_sizes = OPS['split_with_sizes']
derivative_split_with_sizes_input = OP_split_with_sizes.derivatives['input']
OP_split_with_sizes_copy = OPS['split_with_sizes_copy']
composite_split_with_sizes_copy = OP_split_with_sizes_copy.forward
OP_sqrt = OPS['sqrt']
OP_square = OPS['square']
composite_square = OP_square.forward
OP_squeeze = OPS['squeeze']
OP_squeeze_copy = OPS['squeeze_copy']
composite_squeeze_copy = OP_squeeze_copy.forward
OP_stack = OPS['stack']
composite_stack = OP_stack.forward
OP_stacked = OPS['stacked']
OP_std = OPS['std']
forward_std = OP_std.forward
derivative_std_input = OP_std.derivatives['input']
OP_std_mean = OPS['std_mean']
forward_std_mean = OP_std_mean.forward
derivative_std_mean_input = OP_std_mean.derivatives['input']
OP_step = OPS['step']
derivative_step_input = OP_step.derivatives['input']
derivative_step_values = OP_step.derivatives['values']
OP_strided_copy = OPS['strided_copy']
forward_strided_copy = OP_strided_copy.forward
OP_strided_transpose = OPS['strided_transpose']
forward_strided_transpose = OP_strided_transpose.forward
OP_sub = OPS['sub']
OP_sum = OPS['sum']
forward_sum = OP_sum.forward
derivative_sum_input = OP_sum.derivatives['input']
OP_sum_to_size = OPS['sum_to_size']
composite_sum_to_size = OP_sum_to_size.forward
OP_sum_to_size_of = OPS['sum_to_size_of']
forward_sum_to_size_of = OP_sum_to_size_of.forward
OP_swapaxes = OPS['swapaxes']
composite_swapaxes = OP_swapaxes.forward
OP_t = OPS['t']
OP_t_copy = OPS['t_copy']
composite_t_copy = OP_t_copy.forward
OP_take = OPS['take']
forward_take = OP_take.forward
OP_take_along_dim = OPS['take_along_dim']
composite_take_along_dim = OP_take_along_dim.forward
OP_tan = OPS['tan']
OP_tanh = OPS['tanh']
OP_tanhshrink = OPS['tanhshrink']
composite_tanhshrink = OP_tanhshrink.forward
OP_tensor_split = OPS['tensor_split']
composite_tensor_split = OP_tensor_split.forward
OP_tensordot = OPS['tensordot']
composite_tensordot = OP_tensordot.forward
OP_threshold = OPS['threshold']
kernel_threshold = raw.threshold
OP_tile = OPS['tile']
composite_tile = OP_tile.forward
OP_tile_variadic = OPS['tile_variadic']
composite_tile_variadic = OP_tile_variadic.forward
OP_to_copy = OPS['to_copy']
forward_to_copy = OP_to_copy.forward
OP_topk = OPS['topk']
forward_topk = OP_topk.forward
derivative_topk_input = OP_topk.derivatives['input']
OP_trace = OPS['trace']
forward_trace = OP_trace.forward
OP_transpose = OPS['transpose']
OP_transpose_copy = OPS['transpose_copy']
composite_transpose_copy = OP_transpose_copy.forward
OP_trapezoid = OPS['trapezoid']
composite_trapezoid = OP_trapezoid.forward
OP_tril = OPS['tril']
forward_tril = OP_tril.forward
OP_tril_indices = OPS['tril_indices']
composite_tril_indices = OP_tril_indices.forward
OP_triu = OPS['triu']
forward_triu = OP_triu.forward
OP_triu_indices = OPS['triu_indices']
composite_triu_indices = OP_triu_indices.forward
OP_true_divide = OPS['true_divide']
OP_trunc = OPS['trunc']
OP_unbind = OPS['unbind']
derivative_unbind_input = OP_unbind.derivatives['input']
OP_unbind_copy = OPS['unbind_copy']
composite_unbind_copy = OP_unbind_copy.forward
OP_unflatten = OPS['unflatten']
composite_unflatten = OP_unflatten.forward
OP_unfold_copy = OPS['unfold_copy']
composite_unfold_copy = OP_unfold_copy.forward
OP_unique = OPS['unique']
composite_unique = OP_unique.forward
OP_unique_consecutive = OPS['unique_consecutive']
composite_unique_consecutive = OP_unique_consecutive.forward
OP_unique_runs = OPS['unique_runs']
OP_unique_with_places = OPS['unique_with_places']
OP_unravel_index = OPS['unravel_index']
composite_unravel_index = OP_unravel_index.forward
OP_unsafe_chunk = OPS['unsafe_chunk']
composite_unsafe_chunk = OP_unsafe_chunk.forward
OP_unsafe_split = OPS['unsafe_split']
derivative_unsafe_split_input = OP_unsafe_split.derivatives['input']
OP_unsafe_split_with_sizes = OPS['unsafe_split_with_sizes']
derivative_unsafe_split_with_sizes_input = OP_unsafe_split_with_sizes.derivatives['input']
OP_unsafe_view = OPS['unsafe_view']
OP_unsqueeze = OPS['unsqueeze']
OP_unsqueeze_copy = OPS['unsqueeze_copy']
composite_unsqueeze_copy = OP_unsqueeze_copy.forward
OP_var = OPS['var']
forward_var = OP_var.forward
derivative_var_input = OP_var.derivatives['input']
OP_var_mean = OPS['var_mean']
forward_var_mean = OP_var_mean.forward
derivative_var_mean_input = OP_var_mean.derivatives['input']
OP_vdot = OPS['vdot']
forward_vdot = OP_vdot.forward
OP_view = OPS['view']
OP_view_as = OPS['view_as']
composite_view_as = OP_view_as.forward
OP_view_as_complex = OPS['view_as_complex']
OP_view_as_complex_copy = OPS['view_as_complex_copy']
composite_view_as_complex_copy = OP_view_as_complex_copy.forward
OP_view_as_real = OPS['view_as_real']
OP_view_as_real_copy = OPS['view_as_real_copy']
composite_view_as_real_copy = OP_view_as_real_copy.forward
OP_view_copy = OPS['view_copy']
composite_view_copy = OP_view_copy.forward
OP_view_dtype = OPS['view_dtype']
OP_view_variadic = OPS['view_variadic']
composite_view_variadic = OP_view_variadic.forward
OP_vsplit = OPS['vsplit']
composite_vsplit = OP_vsplit.forward
OP_vsplit_variadic = OPS['vsplit_variadic']
composite_vsplit_variadic = OP_vsplit_variadic.forward
OP_vstack = OPS['vstack']
composite_vstack = OP_vstack.forward
OP_where = OPS['where']
composite_where = OP_where.forward
OP_where_of_input = OPS['where_of_input']
composite_where_of_input = OP_where_of_input.forward
OP_windows = OPS['windows']
OP_write_view = OPS['write_view']
forward_write_view = OP_write_view.forward
derivative_write_view_value = OP_write_view.derivatives['value']
OP_xlogy = OPS['xlogy']
OP_zero_ = OPS['zero_']
composite_zero_ = OP_zero_.forward
OP_zeroed = OPS['zeroed']
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


def _neg_view_backward(F, node, saved, g):
    return (F.neg(g),)


class NegViewBackward0(Node):
    op = OPS['_neg_view']
    saves = ()
    parameters = ()
    backward = staticmethod(_neg_view_backward)
    backward_complex = staticmethod(_neg_view_backward)


new_NegViewBackward0 = maker_of(NegViewBackward0)


OP__neg_view.nodes = (NegViewBackward0,)


OP__neg_view.select_node = lambda input: NegViewBackward0


def _neg_view(input):
    """The negative of `input`: a view, of which nothing is computed until it is read."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward__neg_view(xp, input_array)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (_neg_view, ())
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, _neg_view, ())
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_NegViewBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP__neg_view, (input,))


OP__neg_view.function = _neg_view


def above_diagonal_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.filled_above_diagonal(g, input_shape[0]),)


class AboveDiagonalBackward0(Node):
    op = OPS['above_diagonal']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(above_diagonal_backward)
    backward_complex = staticmethod(above_diagonal_backward)


new_AboveDiagonalBackward0 = maker_of(AboveDiagonalBackward0)


OP_above_diagonal.nodes = (AboveDiagonalBackward0,)


OP_above_diagonal.select_node = lambda input: AboveDiagonalBackward0


def above_diagonal(input):
    """The elements of a square matrix above its diagonal, row by row."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_above_diagonal(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AboveDiagonalBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_above_diagonal, (input,))


OP_above_diagonal.function = above_diagonal


def abs(input, *, out=None):
    """The absolute value of `input`, whose derivative at 0 is 0."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_abs, composite_abs, F, (input,), dict())
        explain_arguments(OP_abs, (input,))
    if out is not None:
        return into(out, 'abs', composite_abs(F, input), OP_abs, (input,))
    try:
        return composite_abs(F, input)
    except Exception:
        explain_arguments(OP_abs, (input,))
        raise


OP_abs.function = abs


def abs_(input):
    """Replaces the elements of `input` by their absolute values, which those of complex numbers cannot be."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_abs_, composite_abs_, F, (input,), dict())
        explain_arguments(OP_abs_, (input,))
    try:
        return composite_abs_(F, input)
    except Exception:
        explain_arguments(OP_abs_, (input,))
        raise


OP_abs_.function = abs_


def acos_backward(F, node, saved, g):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g * -F.rsqrt(numbers[1] - input * input),)


def acos_backward_complex(F, node, saved, g):
    input, = saved
    return (g * -F.conj(F.rsqrt(1 - input * input)),)


class AcosBackward0(Node):
    op = OPS['acos']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(acos_backward)
    backward_complex = staticmethod(acos_backward_complex)


new_AcosBackward0 = maker_of(AcosBackward0)


OP_acos.nodes = (AcosBackward0,)


OP_acos.select_node = lambda input: AcosBackward0


def acos(input, *, out=None):
    """The angle whose cosine is `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_acos(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AcosBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_acos, (input,), out)


def acos_(input):
    """In-place version of `acos`."""
    return write(acos, input, (), {}, OP_acos)


OP_acos.inplace_function = acos_


OP_acos.function = acos


def acosh_backward(F, node, saved, g):
    input, = saved
    return (derivative_acosh_input(F, g, input),)


class AcoshBackward0(Node):
    op = OPS['acosh']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(acosh_backward)
    backward_complex = staticmethod(acosh_backward)


new_AcoshBackward0 = maker_of(AcoshBackward0)


OP_acosh.nodes = (AcoshBackward0,)


OP_acosh.select_node = lambda input: AcoshBackward0


def acosh(input, *, out=None):
    """The positive number whose hyperbolic cosine is `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_acosh(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AcoshBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_acosh, (input,), out)


def acosh_(input):
    """In-place version of `acosh`."""
    return write(acosh, input, (), {}, OP_acosh)


OP_acosh.inplace_function = acosh_


OP_acosh.function = acosh


def add_backward(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g, None if other_edge is None else g if alpha == 1 else g * alpha)


def add_backward_complex(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g, None if other_edge is None else g if alpha == 1 else g * F.conj(alpha))


class AddBackward0(Node):
    op = OPS['add']
    saves = ()
    parameters = ('alpha',)
    backward = staticmethod(add_backward)
    backward_complex = staticmethod(add_backward_complex)


new_AddBackward0 = maker_of(AddBackward0)


OP_add.nodes = (AddBackward0,)


OP_add.select_node = lambda input, other, alpha: AddBackward0


def add(input, other, *between, alpha=1, out=None):
    """`input + alpha * other`, element by element."""
    if between:
        return reordered(OP_add, add, (input, other, *between), {'alpha': alpha, 'out': out})
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_add(input_array, other_array) if alpha == 1 else xp_add(input_array, xp_scaled(other_array, alpha))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_AddBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = (alpha,)
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            try:
                _result = xp_add(input_array, _number) if alpha == 1 else xp_add(input_array, xp_scaled(_number, alpha))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AddBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = (alpha,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_add, (input, other, alpha), out)


def operator_add(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_add(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_AddBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = (1,)
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_add(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AddBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = (1,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Tensor.add, input, other)


def add_(input, other, *between, alpha=1):
    """In-place version of `add`."""
    if between:
        return reordered(OP_add, add_, (input, other, *between), {'alpha': alpha})
    return write(add, input, (other,), {'alpha': alpha}, OP_add)


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


new_UnfoldBackwardBackward0 = maker_of(UnfoldBackwardBackward0)


OP_add_windows.nodes = (UnfoldBackwardBackward0,)


OP_add_windows.select_node = lambda input, shape, dimension, step: UnfoldBackwardBackward0


def add_windows(input, shape, dimension, step):
    """The sum of windows, each where it was taken from: the transpose of `windows`."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_add_windows(input_array, shape, dimension, step)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_UnfoldBackwardBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, dimension, step)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_add_windows, (input, shape, dimension, step))


OP_add_windows.function = add_windows


def addbmm_backward(F, node, saved, g):
    batch1, batch2 = saved
    input_shape, input_dtype, beta, batch1_shape, alpha = node.params
    input_edge, batch1_edge, batch2_edge = node.edges
    return (None if input_edge is None else derivative_addbmm_input(F, g, input_shape, input_dtype, beta), None if batch1_edge is None else derivative_addbmm_batch1(F, g, batch1_shape, batch2, alpha), None if batch2_edge is None else derivative_addbmm_batch2(F, g, batch1_shape, batch1, alpha))


class AddbmmBackward0(Node):
    op = OPS['addbmm']
    saves = ('batch1', 'batch2')
    parameters = ('input_shape', 'input_dtype', 'beta', 'batch1_shape', 'alpha')
    backward = staticmethod(addbmm_backward)
    backward_complex = staticmethod(addbmm_backward)


new_AddbmmBackward0 = maker_of(AddbmmBackward0)


OP_addbmm.nodes = (AddbmmBackward0,)


OP_addbmm.select_node = lambda input, batch1, batch2, beta, alpha: AddbmmBackward0


def addbmm(input, batch1, batch2, *between, beta=1, alpha=1, out=None):
    """`beta * input` and `alpha` times the sum of the products of the matrices of two batches."""
    if between:
        return reordered(OP_addbmm, addbmm, (input, batch1, batch2, *between), {'beta': beta, 'alpha': alpha, 'out': out})
    if out is None and type(input) in PLAIN_TYPES and type(batch1) in PLAIN_TYPES and type(batch2) in PLAIN_TYPES:
        input_array = input._array
        batch1_array = batch1._array
        batch2_array = batch2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is batch1_array.dtype and _dtype is batch2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_addbmm(xp, input_array, batch1_array, batch2_array, beta=beta, alpha=alpha)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                batch1_edge = batch1._edge if batch1._base is None else edge_of(batch1)
                batch2_edge = batch2._edge if batch2._base is None else edge_of(batch2)
                if _mode and (input_edge is not None or batch1_edge is not None or batch2_edge is not None):
                    _node = new_AddbmmBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, batch1_edge, batch2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if batch2_edge is None else batch1_array, None if batch1_edge is None else batch2_array)
                    _node.storages = _storages = (batch1._storage, batch2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (input_array.shape, input_array.dtype, beta, batch1_array.shape, alpha)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_addbmm, (input, batch1, batch2, beta, alpha), out)


def addbmm_(input, batch1, batch2, *between, beta=1, alpha=1):
    """In-place version of `addbmm`."""
    if between:
        return reordered(OP_addbmm, addbmm_, (input, batch1, batch2, *between), {'beta': beta, 'alpha': alpha})
    return uncast(write, addbmm, input, (batch1, batch2), {'beta': beta, 'alpha': alpha}, OP_addbmm)


OP_addbmm.inplace_function = addbmm_


OP_addbmm.function = addbmm


def addcdiv_backward(F, node, saved, g):
    tensor1, tensor2 = saved
    value, = node.params
    input_edge, tensor1_edge, tensor2_edge = node.edges
    return (None if input_edge is None else g, None if tensor1_edge is None else g * (value / tensor2), None if tensor2_edge is None else -g * (value * tensor1 / (tensor2 * tensor2)))


def addcdiv_backward_complex(F, node, saved, g):
    tensor1, tensor2 = saved
    value, = node.params
    input_edge, tensor1_edge, tensor2_edge = node.edges
    return (None if input_edge is None else g, None if tensor1_edge is None else g * F.conj(value / tensor2), None if tensor2_edge is None else -g * F.conj(value * tensor1 / (tensor2 * tensor2)))


class AddcdivBackward0(Node):
    op = OPS['addcdiv']
    saves = ('tensor1', 'tensor2')
    parameters = ('value',)
    backward = staticmethod(addcdiv_backward)
    backward_complex = staticmethod(addcdiv_backward_complex)


new_AddcdivBackward0 = maker_of(AddcdivBackward0)


OP_addcdiv.nodes = (AddcdivBackward0,)


OP_addcdiv.select_node = lambda input, tensor1, tensor2, value: AddcdivBackward0


def addcdiv(input, tensor1, tensor2, *between, value=1, out=None):
    """`input + value * tensor1 / tensor2`."""
    if between:
        return reordered(OP_addcdiv, addcdiv, (input, tensor1, tensor2, *between), {'value': value, 'out': out})
    if out is None and type(input) in PLAIN_TYPES and type(tensor1) in PLAIN_TYPES and type(tensor2) in PLAIN_TYPES:
        input_array = input._array
        tensor1_array = tensor1._array
        tensor2_array = tensor2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is tensor1_array.dtype and _dtype is tensor2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_addcdiv(input_array, tensor1_array, tensor2_array, value)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                tensor1_edge = tensor1._edge if tensor1._base is None else edge_of(tensor1)
                tensor2_edge = tensor2._edge if tensor2._base is None else edge_of(tensor2)
                if _mode and (input_edge is not None or tensor1_edge is not None or tensor2_edge is not None):
                    _node = new_AddcdivBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, tensor1_edge, tensor2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if tensor2_edge is None else tensor1_array, None if tensor1_edge is None and tensor2_edge is None else tensor2_array)
                    _node.storages = _storages = (tensor1._storage, tensor2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (value,)
                    _node.metas = None if input_array.shape == tensor1_array.shape and input_array.shape == tensor2_array.shape else ((input_array.shape, input_array.dtype), (tensor1_array.shape, tensor1_array.dtype), (tensor2_array.shape, tensor2_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_addcdiv, (input, tensor1, tensor2, value), out)


def addcdiv_(input, tensor1, tensor2, *between, value=1):
    """In-place version of `addcdiv`."""
    if between:
        return reordered(OP_addcdiv, addcdiv_, (input, tensor1, tensor2, *between), {'value': value})
    return write(addcdiv, input, (tensor1, tensor2), {'value': value}, OP_addcdiv)


OP_addcdiv.inplace_function = addcdiv_


OP_addcdiv.function = addcdiv


def addcmul_backward(F, node, saved, g):
    tensor1, tensor2 = saved
    value, = node.params
    input_edge, tensor1_edge, tensor2_edge = node.edges
    return (None if input_edge is None else g, None if tensor1_edge is None else g * (tensor2 * value), None if tensor2_edge is None else g * (tensor1 * value))


def addcmul_backward_complex(F, node, saved, g):
    tensor1, tensor2 = saved
    value, = node.params
    input_edge, tensor1_edge, tensor2_edge = node.edges
    return (None if input_edge is None else g, None if tensor1_edge is None else g * F.conj(tensor2 * value), None if tensor2_edge is None else g * F.conj(tensor1 * value))


class AddcmulBackward0(Node):
    op = OPS['addcmul']
    saves = ('tensor1', 'tensor2')
    parameters = ('value',)
    backward = staticmethod(addcmul_backward)
    backward_complex = staticmethod(addcmul_backward_complex)


new_AddcmulBackward0 = maker_of(AddcmulBackward0)


OP_addcmul.nodes = (AddcmulBackward0,)


OP_addcmul.select_node = lambda input, tensor1, tensor2, value: AddcmulBackward0


def addcmul(input, tensor1, tensor2, *between, value=1, out=None):
    """`input + value * tensor1 * tensor2`."""
    if between:
        return reordered(OP_addcmul, addcmul, (input, tensor1, tensor2, *between), {'value': value, 'out': out})
    if out is None and type(input) in PLAIN_TYPES and type(tensor1) in PLAIN_TYPES and type(tensor2) in PLAIN_TYPES:
        input_array = input._array
        tensor1_array = tensor1._array
        tensor2_array = tensor2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is tensor1_array.dtype and _dtype is tensor2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_addcmul(input_array, tensor1_array, tensor2_array, value)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                tensor1_edge = tensor1._edge if tensor1._base is None else edge_of(tensor1)
                tensor2_edge = tensor2._edge if tensor2._base is None else edge_of(tensor2)
                if _mode and (input_edge is not None or tensor1_edge is not None or tensor2_edge is not None):
                    _node = new_AddcmulBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, tensor1_edge, tensor2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if tensor2_edge is None else tensor1_array, None if tensor1_edge is None else tensor2_array)
                    _node.storages = _storages = (tensor1._storage, tensor2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (value,)
                    _node.metas = None if input_array.shape == tensor1_array.shape and input_array.shape == tensor2_array.shape else ((input_array.shape, input_array.dtype), (tensor1_array.shape, tensor1_array.dtype), (tensor2_array.shape, tensor2_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_addcmul, (input, tensor1, tensor2, value), out)


def addcmul_(input, tensor1, tensor2, *between, value=1):
    """In-place version of `addcmul`."""
    if between:
        return reordered(OP_addcmul, addcmul_, (input, tensor1, tensor2, *between), {'value': value})
    return write(addcmul, input, (tensor1, tensor2), {'value': value}, OP_addcmul)


OP_addcmul.inplace_function = addcmul_


OP_addcmul.function = addcmul


def addmm(input, mat1, mat2, *between, beta=1, alpha=1, out=None):
    """`beta * input + alpha * (mat1 @ mat2)`."""
    if between:
        return reordered(OP_addmm, addmm, (input, mat1, mat2, *between), {'beta': beta, 'alpha': alpha, 'out': out})
    if type(mat1) not in PLAIN_TYPES or type(mat2) not in PLAIN_TYPES:
        explain_arguments(OP_addmm, (input, mat1, mat2, beta, alpha))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_addmm, composite_addmm, F, (input, mat1, mat2), dict(beta=beta, alpha=alpha))
        explain_arguments(OP_addmm, (input, mat1, mat2, beta, alpha))
    if out is not None:
        return into(out, 'addmm', uncast(composite_addmm, F, input, mat1, mat2, beta=beta, alpha=alpha), OP_addmm, (input, mat1, mat2, beta, alpha))
    try:
        return composite_addmm(F, input, mat1, mat2, beta=beta, alpha=alpha)
    except Exception:
        explain_arguments(OP_addmm, (input, mat1, mat2, beta, alpha))
        raise


def addmm_(input, mat1, mat2, *between, beta=1, alpha=1):
    """In-place version of `addmm`."""
    if between:
        return reordered(OP_addmm, addmm_, (input, mat1, mat2, *between), {'beta': beta, 'alpha': alpha})
    return uncast(write, addmm, input, (mat1, mat2), {'beta': beta, 'alpha': alpha}, OP_addmm)


OP_addmm.inplace_function = addmm_


OP_addmm.function = addmm


def addmv_backward(F, node, saved, g):
    mat, vec = saved
    input_shape, input_dtype, beta, alpha = node.params
    input_edge, mat_edge, vec_edge = node.edges
    return (None if input_edge is None else derivative_addmv_input(F, g, input_shape, input_dtype, beta), None if mat_edge is None else derivative_addmv_mat(F, g, vec, alpha), None if vec_edge is None else derivative_addmv_vec(F, g, mat, alpha))


class AddmvBackward0(Node):
    op = OPS['addmv']
    saves = ('mat', 'vec')
    parameters = ('input_shape', 'input_dtype', 'beta', 'alpha')
    backward = staticmethod(addmv_backward)
    backward_complex = staticmethod(addmv_backward)


new_AddmvBackward0 = maker_of(AddmvBackward0)


OP_addmv.nodes = (AddmvBackward0,)


OP_addmv.select_node = lambda input, mat, vec, beta, alpha: AddmvBackward0


def addmv(input, mat, vec, *between, beta=1, alpha=1, out=None):
    """`beta * input + alpha * (mat @ vec)`."""
    if between:
        return reordered(OP_addmv, addmv, (input, mat, vec, *between), {'beta': beta, 'alpha': alpha, 'out': out})
    if out is None and type(input) in PLAIN_TYPES and type(mat) in PLAIN_TYPES and type(vec) in PLAIN_TYPES:
        input_array = input._array
        mat_array = mat._array
        vec_array = vec._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is mat_array.dtype and _dtype is vec_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_addmv(xp, input_array, mat_array, vec_array, beta=beta, alpha=alpha)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                mat_edge = mat._edge if mat._base is None else edge_of(mat)
                vec_edge = vec._edge if vec._base is None else edge_of(vec)
                if _mode and (input_edge is not None or mat_edge is not None or vec_edge is not None):
                    _node = new_AddmvBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, mat_edge, vec_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if vec_edge is None else mat_array, None if mat_edge is None else vec_array)
                    _node.storages = _storages = (mat._storage, vec._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (input_array.shape, input_array.dtype, beta, alpha)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_addmv, (input, mat, vec, beta, alpha), out)


def addmv_(input, mat, vec, *between, beta=1, alpha=1):
    """In-place version of `addmv`."""
    if between:
        return reordered(OP_addmv, addmv_, (input, mat, vec, *between), {'beta': beta, 'alpha': alpha})
    return write(addmv, input, (mat, vec), {'beta': beta, 'alpha': alpha}, OP_addmv)


OP_addmv.inplace_function = addmv_


OP_addmv.function = addmv


def addr_backward(F, node, saved, g):
    vec1, vec2 = saved
    input_shape, input_dtype, beta, alpha = node.params
    input_edge, vec1_edge, vec2_edge = node.edges
    return (None if input_edge is None else derivative_addr_input(F, g, input_shape, input_dtype, beta), None if vec1_edge is None else derivative_addr_vec1(F, g, vec2, alpha), None if vec2_edge is None else derivative_addr_vec2(F, g, vec1, alpha))


class AddrBackward0(Node):
    op = OPS['addr']
    saves = ('vec1', 'vec2')
    parameters = ('input_shape', 'input_dtype', 'beta', 'alpha')
    backward = staticmethod(addr_backward)
    backward_complex = staticmethod(addr_backward)


new_AddrBackward0 = maker_of(AddrBackward0)


OP_addr.nodes = (AddrBackward0,)


OP_addr.select_node = lambda input, vec1, vec2, beta, alpha: AddrBackward0


def addr(input, vec1, vec2, *between, beta=1, alpha=1, out=None):
    """`beta * input + alpha * outer(vec1, vec2)`."""
    if between:
        return reordered(OP_addr, addr, (input, vec1, vec2, *between), {'beta': beta, 'alpha': alpha, 'out': out})
    if out is None and type(input) in PLAIN_TYPES and type(vec1) in PLAIN_TYPES and type(vec2) in PLAIN_TYPES:
        input_array = input._array
        vec1_array = vec1._array
        vec2_array = vec2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is vec1_array.dtype and _dtype is vec2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_addr(xp, input_array, vec1_array, vec2_array, beta=beta, alpha=alpha)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                vec1_edge = vec1._edge if vec1._base is None else edge_of(vec1)
                vec2_edge = vec2._edge if vec2._base is None else edge_of(vec2)
                if _mode and (input_edge is not None or vec1_edge is not None or vec2_edge is not None):
                    _node = new_AddrBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, vec1_edge, vec2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if vec2_edge is None else vec1_array, None if vec1_edge is None else vec2_array)
                    _node.storages = _storages = (vec1._storage, vec2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (input_array.shape, input_array.dtype, beta, alpha)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_addr, (input, vec1, vec2, beta, alpha), out)


def addr_(input, vec1, vec2, *between, beta=1, alpha=1):
    """In-place version of `addr`."""
    if between:
        return reordered(OP_addr, addr_, (input, vec1, vec2, *between), {'beta': beta, 'alpha': alpha})
    return write(addr, input, (vec1, vec2), {'beta': beta, 'alpha': alpha}, OP_addr)


OP_addr.inplace_function = addr_


OP_addr.function = addr


def adjoint(input):
    """The matrices in the last two dimensions, transposed and conjugated."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_adjoint, composite_adjoint, F, (input,), dict())
        explain_arguments(OP_adjoint, (input,))
    try:
        return composite_adjoint(F, input)
    except Exception:
        explain_arguments(OP_adjoint, (input,))
        raise


OP_adjoint.function = adjoint


def affine_backward(F, node, saved, g):
    mat1, mat2 = saved
    input_shape, input_dtype, beta, alpha, flipped = node.params
    input_edge, mat1_edge, mat2_edge = node.edges
    return (None if input_edge is None else derivative_affine_input(F, g, input_shape, input_dtype, beta), None if mat1_edge is None else derivative_affine_mat1(F, g, mat2, alpha, flipped), None if mat2_edge is None else derivative_affine_mat2(F, g, mat1, alpha, flipped))


class AddmmBackward0(Node):
    op = OPS['affine']
    saves = ('mat1', 'mat2')
    parameters = ('input_shape', 'input_dtype', 'beta', 'alpha', 'flipped')
    backward = staticmethod(affine_backward)
    backward_complex = staticmethod(affine_backward)


new_AddmmBackward0 = maker_of(AddmmBackward0)


OP_affine.nodes = (AddmmBackward0,)


OP_affine.select_node = lambda input, mat1, mat2, beta, alpha, flipped: AddmmBackward0


def affine(input, mat1, mat2, *, beta=1, alpha=1, flipped=True):
    """`beta * input + alpha * (mat1 @ mat2)`, the product with the transpose of `mat2` if it is `flipped`."""
    if type(input) in PLAIN_TYPES and type(mat1) in PLAIN_TYPES and type(mat2) in PLAIN_TYPES:
        input_array = input._array
        mat1_array = mat1._array
        mat2_array = mat2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is mat1_array.dtype and _dtype is mat2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_affine(xp, input_array, mat1_array, mat2_array, beta=beta, alpha=alpha, flipped=flipped)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                mat1_edge = mat1._edge if mat1._base is None else edge_of(mat1)
                mat2_edge = mat2._edge if mat2._base is None else edge_of(mat2)
                if _mode and (input_edge is not None or mat1_edge is not None or mat2_edge is not None):
                    _node = new_AddmmBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, mat1_edge, mat2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if mat2_edge is None else mat1_array, None if mat1_edge is None else mat2_array)
                    _node.storages = _storages = (mat1._storage, mat2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (input_array.shape, input_array.dtype, beta, alpha, flipped)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_affine, (input, mat1, mat2, beta, alpha, flipped))


OP_affine.function = affine


def alias_copy(input, *, out=None):
    """A copy of `input`."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_alias_copy, (input,))
    if out is not None:
        return into(out, 'alias_copy', composite_alias_copy(F, input), OP_alias_copy, (input,))
    try:
        return composite_alias_copy(F, input)
    except Exception:
        explain_arguments(OP_alias_copy, (input,))
        raise


OP_alias_copy.function = alias_copy


def all(input, dim=None, keepdim=False, *, out=None, **named):
    """Whether all elements along `dim` are true; all that there are if `dim` is None."""
    if named:
        return renamed(OP_all, all, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_all, (input, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_all(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_all, (input, dim, keepdim), out)


OP_all.function = all


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close, by `isclose`."""
    if type(other) not in PLAIN_TYPES or type(rtol) is not float and type(rtol) is not int or type(atol) is not float and type(atol) is not int or equal_nan is not False and equal_nan is not True:
        explain_arguments(OP_allclose, (input, other, rtol, atol, equal_nan))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_allclose, composite_allclose, F, (input, other, rtol, atol, equal_nan), dict())
        explain_arguments(OP_allclose, (input, other, rtol, atol, equal_nan))
    try:
        return composite_allclose(F, input, other, rtol, atol, equal_nan)
    except Exception:
        explain_arguments(OP_allclose, (input, other, rtol, atol, equal_nan))
        raise


OP_allclose.function = allclose


def amax_backward(F, node, saved, g):
    input, out = saved
    dim, input_shape = node.params
    return (derivative_amax_input(F, g, input, out, dim, input_shape),)


class AmaxBackward0(Node):
    op = OPS['amax']
    saves = ('input', 'out')
    parameters = ('dim', 'input_shape')
    backward = staticmethod(amax_backward)
    backward_complex = staticmethod(amax_backward)


new_AmaxBackward0 = maker_of(AmaxBackward0)


OP_amax.nodes = (AmaxBackward0,)


OP_amax.select_node = lambda input, dim, keepdim: AmaxBackward0


def amax(input, dim=(), keepdim=False, *, out=None, **named):
    """The largest elements along `dim`; of all of them if `dim` is empty."""
    if named:
        return renamed(OP_amax, amax, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is True or dim is False or keepdim is not False and keepdim is not True:
        explain_arguments(OP_amax, (input, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_amax(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AmaxBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_amax, (input, dim, keepdim), out)


OP_amax.function = amax


def amin_backward(F, node, saved, g):
    input, out = saved
    dim, input_shape = node.params
    return (derivative_amin_input(F, g, input, out, dim, input_shape),)


class AminBackward0(Node):
    op = OPS['amin']
    saves = ('input', 'out')
    parameters = ('dim', 'input_shape')
    backward = staticmethod(amin_backward)
    backward_complex = staticmethod(amin_backward)


new_AminBackward0 = maker_of(AminBackward0)


OP_amin.nodes = (AminBackward0,)


OP_amin.select_node = lambda input, dim, keepdim: AminBackward0


def amin(input, dim=(), keepdim=False, *, out=None, **named):
    """The smallest elements along `dim`; of all of them if `dim` is empty."""
    if named:
        return renamed(OP_amin, amin, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is True or dim is False or keepdim is not False and keepdim is not True:
        explain_arguments(OP_amin, (input, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_amin(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AminBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_amin, (input, dim, keepdim), out)


OP_amin.function = amin


def aminmax(input, *, dim=None, keepdim=False, out=None, **named):
    """The smallest and the largest elements along `dim`; of all of them if `dim` is None."""
    if named:
        return renamed(OP_aminmax, aminmax, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_aminmax, (input, dim, keepdim, out))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_aminmax, composite_aminmax, F, (input,), dict(dim=dim, keepdim=keepdim, out=out))
        explain_arguments(OP_aminmax, (input, dim, keepdim, out))
    try:
        return composite_aminmax(F, input, dim=dim, keepdim=keepdim, out=out)
    except Exception:
        explain_arguments(OP_aminmax, (input, dim, keepdim, out))
        raise


OP_aminmax.function = aminmax


def angle_backward(F, node, saved, g):
    input, = saved
    return (derivative_angle_input(F, g, input),)


class AngleBackward0(Node):
    op = OPS['angle']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(angle_backward)
    backward_complex = staticmethod(angle_backward)


new_AngleBackward0 = maker_of(AngleBackward0)


OP_angle.nodes = (AngleBackward0,)


OP_angle.select_node = lambda input: AngleBackward0


def angle(input, *, out=None):
    """The angle of `input` in the complex plane: for real numbers 0 or pi."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_angle(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AngleBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_angle, (input,), out)


OP_angle.function = angle


def any(input, dim=None, keepdim=False, *, out=None, **named):
    """Whether any element along `dim` is true; any at all if `dim` is None."""
    if named:
        return renamed(OP_any, any, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_any, (input, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_any(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_any, (input, dim, keepdim), out)


OP_any.function = any


def are_close(input, other, rtol, atol, equal_nan):
    """Whether `|input - other| <= atol + rtol * |other|`, element by element; infinities are close to themselves."""
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_isclose(input_array, other_array, rtol, atol, equal_nan)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_are_close, (input, other, rtol, atol, equal_nan))


OP_are_close.function = are_close


def argmax(input, dim=None, keepdim=False, *, out=None, **named):
    """The index of the largest element along `dim`, the first of several; among all elements if `dim` is None."""
    if named:
        return renamed(OP_argmax, argmax, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_argmax, (input, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_argmax(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_argmax, (input, dim, keepdim), out)


OP_argmax.function = argmax


def argmin(input, dim=None, keepdim=False, *, out=None, **named):
    """The index of the smallest element along `dim`, the first of several; among all elements if `dim` is None."""
    if named:
        return renamed(OP_argmin, argmin, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_argmin, (input, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_argmin(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_argmin, (input, dim, keepdim), out)


OP_argmin.function = argmin


def argsort(input, dim=-1, descending=False, *, stable=False, **named):
    """The indices that put the elements in order along `dim`."""
    if named:
        return renamed(OP_argsort, argsort, {'input': input, 'dim': dim, 'descending': descending, 'stable': stable}, named)
    if dim is True or dim is False or descending is not False and descending is not True or stable is not False and stable is not True:
        explain_arguments(OP_argsort, (input, dim, descending, stable))
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_argsort(xp, input_array, dim, descending, stable=stable)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_argsort, (input, dim, descending, stable))


OP_argsort.function = argsort


def argwhere(input):
    """The positions of the elements that are not zero, one row each."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_argwhere, composite_argwhere, F, (input,), dict())
        explain_arguments(OP_argwhere, (input,))
    try:
        return composite_argwhere(F, input)
    except Exception:
        explain_arguments(OP_argwhere, (input,))
        raise


OP_argwhere.function = argwhere


def as_strided(input, size, stride, storage_offset=None):
    """The memory of `input` with another size, stride and offset, all in elements; gradients reach `input`'s part."""
    if not isinstance(size, (tuple, list)) or not isinstance(stride, (tuple, list)) or storage_offset is not None and (type(storage_offset) is not int or storage_offset > 0x3FFFFFFF or storage_offset < -0x3FFFFFFF):
        explain_arguments(OP_as_strided, (input, size, stride, storage_offset))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_as_strided, composite_as_strided, F, (input, size, stride, storage_offset), dict())
        explain_arguments(OP_as_strided, (input, size, stride, storage_offset))
    try:
        return composite_as_strided(F, input, size, stride, storage_offset)
    except Exception:
        explain_arguments(OP_as_strided, (input, size, stride, storage_offset))
        raise




def as_strided_(input, size, stride, storage_offset=None):
    """In-place version of `as_strided`."""
    return reshape_in_place(as_strided, input, (size, stride, storage_offset), None, OP_as_strided)


OP_as_strided.inplace_function = as_strided_


OP_as_strided.function = as_strided


def as_strided_copy(input, size, stride, storage_offset=None, *, out=None):
    """A copy of what `as_strided` shows."""
    if type(input) not in PLAIN_TYPES or not isinstance(size, (tuple, list)) or not isinstance(stride, (tuple, list)) or storage_offset is not None and (type(storage_offset) is not int or storage_offset > 0x3FFFFFFF or storage_offset < -0x3FFFFFFF):
        explain_arguments(OP_as_strided_copy, (input, size, stride, storage_offset))
    if out is not None:
        return into(out, 'as_strided_copy', composite_as_strided_copy(F, input, size, stride, storage_offset), OP_as_strided_copy, (input, size, stride, storage_offset))
    try:
        return composite_as_strided_copy(F, input, size, stride, storage_offset)
    except Exception:
        explain_arguments(OP_as_strided_copy, (input, size, stride, storage_offset))
        raise


OP_as_strided_copy.function = as_strided_copy


def as_strided_from_backward(F, node, saved, g):
    input_shape, size, stride, offset, strides = node.params
    return (F.strided_transpose(g, input_shape, size, stride, offset, strides),)


class AsStridedBackward0(Node):
    op = OPS['as_strided_from']
    saves = ()
    parameters = ('input_shape', 'size', 'stride', 'offset', 'strides')
    backward = staticmethod(as_strided_from_backward)
    backward_complex = staticmethod(as_strided_from_backward)


new_AsStridedBackward0 = maker_of(AsStridedBackward0)


OP_as_strided_from.nodes = (AsStridedBackward0,)


OP_as_strided_from.select_node = lambda input, size, stride, offset, strides: AsStridedBackward0


def as_strided_from(input, size, stride, offset, strides):
    """The memory around `input`, which has `strides`, with another size and stride, `offset` elements further on."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_as_strided_from(xp, input_array, size, stride, offset, strides)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (as_strided_from, (size, stride, offset, strides))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, as_strided_from, (size, stride, offset, strides))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_AsStridedBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, size, stride, offset, strides)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_as_strided_from, (input, size, stride, offset, strides))


OP_as_strided_from.function = as_strided_from


def as_strided_scatter(input, src, size, stride, storage_offset=None, *, out=None):
    """A copy of `input` with `src` as what `as_strided` shows of it."""
    if type(src) not in PLAIN_TYPES or not isinstance(size, (tuple, list)) or not isinstance(stride, (tuple, list)) or storage_offset is not None and (type(storage_offset) is not int or storage_offset > 0x3FFFFFFF or storage_offset < -0x3FFFFFFF):
        explain_arguments(OP_as_strided_scatter, (input, src, size, stride, storage_offset))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_as_strided_scatter, composite_as_strided_scatter, F, (input, src, size, stride, storage_offset), dict())
        explain_arguments(OP_as_strided_scatter, (input, src, size, stride, storage_offset))
    if out is not None:
        return into(out, 'as_strided_scatter', composite_as_strided_scatter(F, input, src, size, stride, storage_offset), OP_as_strided_scatter, (input, src, size, stride, storage_offset))
    try:
        return composite_as_strided_scatter(F, input, src, size, stride, storage_offset)
    except Exception:
        explain_arguments(OP_as_strided_scatter, (input, src, size, stride, storage_offset))
        raise


OP_as_strided_scatter.function = as_strided_scatter


def asin_backward(F, node, saved, g):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g * F.rsqrt(numbers[1] - input * input),)


def asin_backward_complex(F, node, saved, g):
    input, = saved
    return (g * F.conj(F.rsqrt(1 - input * input)),)


class AsinBackward0(Node):
    op = OPS['asin']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(asin_backward)
    backward_complex = staticmethod(asin_backward_complex)


new_AsinBackward0 = maker_of(AsinBackward0)


OP_asin.nodes = (AsinBackward0,)


OP_asin.select_node = lambda input: AsinBackward0


def asin(input, *, out=None):
    """The angle whose sine is `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_asin(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AsinBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_asin, (input,), out)


def asin_(input):
    """In-place version of `asin`."""
    return write(asin, input, (), {}, OP_asin)


OP_asin.inplace_function = asin_


OP_asin.function = asin


def asinh_backward(F, node, saved, g):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g * F.rsqrt(input * input + numbers[1]),)


def asinh_backward_complex(F, node, saved, g):
    input, = saved
    return (g * F.conj(F.rsqrt(input * input + 1)),)


class AsinhBackward0(Node):
    op = OPS['asinh']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(asinh_backward)
    backward_complex = staticmethod(asinh_backward_complex)


new_AsinhBackward0 = maker_of(AsinhBackward0)


OP_asinh.nodes = (AsinhBackward0,)


OP_asinh.select_node = lambda input: AsinhBackward0


def asinh(input, *, out=None):
    """The number whose hyperbolic sine is `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_asinh(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AsinhBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_asinh, (input,), out)


def asinh_(input):
    """In-place version of `asinh`."""
    return write(asinh, input, (), {}, OP_asinh)


OP_asinh.inplace_function = asinh_


OP_asinh.function = asinh


def atan_backward(F, node, saved, g):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g / (input * input + numbers[1]),)


def atan_backward_complex(F, node, saved, g):
    input, = saved
    return (g / F.conj(input * input + 1),)


class AtanBackward0(Node):
    op = OPS['atan']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(atan_backward)
    backward_complex = staticmethod(atan_backward_complex)


new_AtanBackward0 = maker_of(AtanBackward0)


OP_atan.nodes = (AtanBackward0,)


OP_atan.select_node = lambda input: AtanBackward0


def atan(input, *, out=None):
    """The angle whose tangent is `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_atan(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AtanBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_atan, (input,), out)


def atan_(input):
    """In-place version of `atan`."""
    return write(atan, input, (), {}, OP_atan)


OP_atan.inplace_function = atan_


OP_atan.function = atan


def atan2_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else derivative_atan2_input(F, g, input, other), None if other_edge is None else derivative_atan2_other(F, g, input, other))


class Atan2Backward0(Node):
    op = OPS['atan2']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(atan2_backward)
    backward_complex = staticmethod(atan2_backward)


new_Atan2Backward0 = maker_of(Atan2Backward0)


OP_atan2.nodes = (Atan2Backward0,)


OP_atan2.select_node = lambda input, other: Atan2Backward0


def atan2(input, other, *, out=None):
    """The angle of the point (`other`, `input`), from -pi to pi; its derivatives at the origin are 0."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_atan2(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_Atan2Backward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_atan2, (input, other), out)


def atan2_(input, other):
    """In-place version of `atan2`."""
    return write(atan2, input, (other,), {}, OP_atan2)


OP_atan2.inplace_function = atan2_


OP_atan2.function = atan2


def atanh_backward(F, node, saved, g):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g / (numbers[1] - input * input),)


def atanh_backward_complex(F, node, saved, g):
    input, = saved
    return (g / F.conj(1 - input * input),)


class AtanhBackward0(Node):
    op = OPS['atanh']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(atanh_backward)
    backward_complex = staticmethod(atanh_backward_complex)


new_AtanhBackward0 = maker_of(AtanhBackward0)


OP_atanh.nodes = (AtanhBackward0,)


OP_atanh.select_node = lambda input: AtanhBackward0


def atanh(input, *, out=None):
    """The number whose hyperbolic tangent is `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_atanh(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AtanhBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_atanh, (input,), out)


def atanh_(input):
    """In-place version of `atanh`."""
    return write(atanh, input, (), {}, OP_atanh)


OP_atanh.inplace_function = atanh_


OP_atanh.function = atanh


def atleast_1d(*tensors):
    """The tensors with at least one dimension."""
    try:
        return composite_atleast_1d(F, *tensors)
    except Exception:
        explain_arguments(OP_atleast_1d, (*tensors,))
        raise


OP_atleast_1d.function = atleast_1d


def atleast_2d(*tensors):
    """The tensors with at least two dimensions, new ones in front."""
    try:
        return composite_atleast_2d(F, *tensors)
    except Exception:
        explain_arguments(OP_atleast_2d, (*tensors,))
        raise


OP_atleast_2d.function = atleast_2d


def atleast_3d(*tensors):
    """The tensors with at least three dimensions: vectors go to the middle, matrices get a last one."""
    try:
        return composite_atleast_3d(F, *tensors)
    except Exception:
        explain_arguments(OP_atleast_3d, (*tensors,))
        raise


OP_atleast_3d.function = atleast_3d


def backwards(input):
    """A copy with the order along the first dimension reversed."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_backwards, composite_backwards, F, (input,), dict())
        explain_arguments(OP_backwards, (input,))
    try:
        return composite_backwards(F, input)
    except Exception:
        explain_arguments(OP_backwards, (input,))
        raise


OP_backwards.function = backwards


def baddbmm_backward(F, node, saved, g):
    batch1, batch2 = saved
    input_shape, input_dtype, beta, alpha = node.params
    input_edge, batch1_edge, batch2_edge = node.edges
    return (None if input_edge is None else derivative_baddbmm_input(F, g, input_shape, input_dtype, beta), None if batch1_edge is None else derivative_baddbmm_batch1(F, g, batch2, alpha), None if batch2_edge is None else derivative_baddbmm_batch2(F, g, batch1, alpha))


class BaddbmmBackward0(Node):
    op = OPS['baddbmm']
    saves = ('batch1', 'batch2')
    parameters = ('input_shape', 'input_dtype', 'beta', 'alpha')
    backward = staticmethod(baddbmm_backward)
    backward_complex = staticmethod(baddbmm_backward)


new_BaddbmmBackward0 = maker_of(BaddbmmBackward0)


OP_baddbmm.nodes = (BaddbmmBackward0,)


OP_baddbmm.select_node = lambda input, batch1, batch2, beta, alpha: BaddbmmBackward0


def baddbmm(input, batch1, batch2, *between, beta=1, alpha=1, out=None):
    """`beta * input + alpha * (batch1 @ batch2)`, matrix by matrix."""
    if between:
        return reordered(OP_baddbmm, baddbmm, (input, batch1, batch2, *between), {'beta': beta, 'alpha': alpha, 'out': out})
    if out is None and type(input) in PLAIN_TYPES and type(batch1) in PLAIN_TYPES and type(batch2) in PLAIN_TYPES:
        input_array = input._array
        batch1_array = batch1._array
        batch2_array = batch2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is batch1_array.dtype and _dtype is batch2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_baddbmm(xp, input_array, batch1_array, batch2_array, beta=beta, alpha=alpha)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                batch1_edge = batch1._edge if batch1._base is None else edge_of(batch1)
                batch2_edge = batch2._edge if batch2._base is None else edge_of(batch2)
                if _mode and (input_edge is not None or batch1_edge is not None or batch2_edge is not None):
                    _node = new_BaddbmmBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, batch1_edge, batch2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if batch2_edge is None else batch1_array, None if batch1_edge is None else batch2_array)
                    _node.storages = _storages = (batch1._storage, batch2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (input_array.shape, input_array.dtype, beta, alpha)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_baddbmm, (input, batch1, batch2, beta, alpha), out)


def baddbmm_(input, batch1, batch2, *between, beta=1, alpha=1):
    """In-place version of `baddbmm`."""
    if between:
        return reordered(OP_baddbmm, baddbmm_, (input, batch1, batch2, *between), {'beta': beta, 'alpha': alpha})
    return uncast(write, baddbmm, input, (batch1, batch2), {'beta': beta, 'alpha': alpha}, OP_baddbmm)


OP_baddbmm.inplace_function = baddbmm_


OP_baddbmm.function = baddbmm


def bilinear(input1, input2, weight, bias=None):
    """`input1 @ weight[k] @ input2 + bias[k]` for all k: (..., one) and (..., two) features to (..., out_features)."""
    if type(input1) not in PLAIN_TYPES or type(input2) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or bias is not None and (type(bias) not in PLAIN_TYPES):
        explain_arguments(OP_bilinear, (input1, input2, weight, bias))
    if type(get_mode()) is Modes:
        return autocasted(OP_bilinear, composite_bilinear, F, (input1, input2, weight, bias), dict())
    try:
        return composite_bilinear(F, input1, input2, weight, bias)
    except Exception:
        explain_arguments(OP_bilinear, (input1, input2, weight, bias))
        raise


OP_bilinear.function = bilinear


def bincount(input, weights=None, minlength=0):
    """How often each whole number occurs, or the sum of the weights where it does; at least `minlength` numbers."""
    if type(minlength) is not int or minlength > 0x3FFFFFFF or minlength < -0x3FFFFFFF:
        explain_arguments(OP_bincount, (input, weights, minlength))
    return general(OP_bincount, (input, weights, minlength))


OP_bincount.function = bincount


def bitwise_and(input, other, *, out=None):
    """The bits that are set in both."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_bitwise_and(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_bitwise_and(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_bitwise_and, (input, other), out)


def operator_bitwise_and(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_bitwise_and(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_bitwise_and(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Operators.bitwise_and, input, other)


def bitwise_and_(input, other):
    """In-place version of `bitwise_and`."""
    return write(bitwise_and, input, (other,), {}, OP_bitwise_and)


OP_bitwise_and.inplace_function = bitwise_and_


OP_bitwise_and.function = bitwise_and


def bitwise_left_shift(input, other, *, out=None):
    """The bits moved left by `other` places."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_left_shift(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_left_shift(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_bitwise_left_shift, (input, other), out)


def operator_bitwise_left_shift(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_left_shift(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_left_shift(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Operators.bitwise_left_shift, input, other)


def bitwise_left_shift_(input, other):
    """In-place version of `bitwise_left_shift`."""
    return write(bitwise_left_shift, input, (other,), {}, OP_bitwise_left_shift)


OP_bitwise_left_shift.inplace_function = bitwise_left_shift_


OP_bitwise_left_shift.function = bitwise_left_shift


def bitwise_not(input, *, out=None):
    """The bits that are not set; of truth values, the other one."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_invert(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_bitwise_not, (input,), out)


def bitwise_not_(input):
    """In-place version of `bitwise_not`."""
    return write(bitwise_not, input, (), {}, OP_bitwise_not)


OP_bitwise_not.inplace_function = bitwise_not_


OP_bitwise_not.function = bitwise_not


def bitwise_or(input, other, *, out=None):
    """The bits that are set in either."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_bitwise_or(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_bitwise_or(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_bitwise_or, (input, other), out)


def operator_bitwise_or(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_bitwise_or(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_bitwise_or(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Operators.bitwise_or, input, other)


def bitwise_or_(input, other):
    """In-place version of `bitwise_or`."""
    return write(bitwise_or, input, (other,), {}, OP_bitwise_or)


OP_bitwise_or.inplace_function = bitwise_or_


OP_bitwise_or.function = bitwise_or


def bitwise_right_shift(input, other, *, out=None):
    """The bits moved right by `other` places."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_right_shift(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_right_shift(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_bitwise_right_shift, (input, other), out)


def operator_bitwise_right_shift(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_right_shift(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_right_shift(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Operators.bitwise_right_shift, input, other)


def bitwise_right_shift_(input, other):
    """In-place version of `bitwise_right_shift`."""
    return write(bitwise_right_shift, input, (other,), {}, OP_bitwise_right_shift)


OP_bitwise_right_shift.inplace_function = bitwise_right_shift_


OP_bitwise_right_shift.function = bitwise_right_shift


def bitwise_xor(input, other, *, out=None):
    """The bits that are set in exactly one."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_bitwise_xor(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_bitwise_xor(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_bitwise_xor, (input, other), out)


def operator_bitwise_xor(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_bitwise_xor(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_bitwise_xor(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Operators.bitwise_xor, input, other)


def bitwise_xor_(input, other):
    """In-place version of `bitwise_xor`."""
    return write(bitwise_xor, input, (other,), {}, OP_bitwise_xor)


OP_bitwise_xor.inplace_function = bitwise_xor_


OP_bitwise_xor.function = bitwise_xor


def block_diag(*tensors):
    """A matrix with the tensors, at most matrices, on its diagonal and zeros elsewhere."""
    try:
        return composite_block_diag(F, *tensors)
    except Exception:
        explain_arguments(OP_block_diag, (*tensors,))
        raise


OP_block_diag.function = block_diag


def blocks_backward(F, node, saved, g):
    tensors_shapes, = node.params
    return derivative_blocks_tensors(F, g, tensors_shapes)


class BlockDiagBackward0(Node):
    op = OPS['blocks']
    saves = ()
    parameters = ('tensors_shapes',)
    backward = staticmethod(blocks_backward)
    backward_complex = staticmethod(blocks_backward)


new_BlockDiagBackward0 = maker_of(BlockDiagBackward0)


OP_blocks.nodes = (BlockDiagBackward0,)


OP_blocks.select_node = lambda tensors: BlockDiagBackward0


def blocks(tensors):
    """A matrix with the tensors, at most matrices, on its diagonal."""
    if type(tensors) in SEQUENCES:
        _arrays = [each._array for each in tensors if type(each) in PLAIN_TYPES]
        _mode = get_mode()
        if len(_arrays) == len(tensors) > 0 and ((_dtype := _arrays[0].dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and all_of([each.dtype is _dtype for each in _arrays]) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_block_diagonal(_arrays)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _edges = tuple([each._edge if each._base is None else edge_of(each) for each in tensors])
                if _mode and any_of([each is not None for each in _edges]):
                    _node = new_BlockDiagBackward0()
                    _node.created = tick()
                    _node.edges, _node.saved, _node.metas, _node.special = _edges, (), None, False
                    _node.params = (tuple([each.shape for each in _arrays]),)
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_blocks, (tensors,))


OP_blocks.function = blocks


def bmm_backward(F, node, saved, g):
    input, mat2 = saved
    input_edge, mat2_edge = node.edges
    return (None if input_edge is None else F.bmm(g, F.transpose(mat2, 1, 2)), None if mat2_edge is None else F.bmm(F.transpose(input, 1, 2), g))


def bmm_backward_complex(F, node, saved, g):
    input, mat2 = saved
    input_edge, mat2_edge = node.edges
    return (None if input_edge is None else F.bmm(g, F.conj(F.transpose(mat2, 1, 2))), None if mat2_edge is None else F.bmm(F.conj(F.transpose(input, 1, 2)), g))


class BmmBackward0(Node):
    op = OPS['bmm']
    saves = ('input', 'mat2')
    parameters = ()
    backward = staticmethod(bmm_backward)
    backward_complex = staticmethod(bmm_backward_complex)


new_BmmBackward0 = maker_of(BmmBackward0)


OP_bmm.nodes = (BmmBackward0,)


OP_bmm.select_node = lambda input, mat2: BmmBackward0


def bmm(input, mat2, *, out=None):
    """The products of the matrices of two batches."""
    if out is None and type(input) in PLAIN_TYPES and type(mat2) in PLAIN_TYPES:
        input_array = input._array
        mat2_array = mat2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is mat2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_bmm(xp, input_array, mat2_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                mat2_edge = mat2._edge if mat2._base is None else edge_of(mat2)
                if _mode and (input_edge is not None or mat2_edge is not None):
                    _node = new_BmmBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, mat2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if mat2_edge is None else input_array, None if input_edge is None else mat2_array)
                    _node.storages = _storages = (input._storage, mat2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_bmm, (input, mat2), out)


OP_bmm.function = bmm


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to; an integer stands for a shape of one dimension."""
    try:
        return composite_broadcast_shapes(F, *shapes)
    except Exception:
        explain_arguments(OP_broadcast_shapes, (*shapes,))
        raise


OP_broadcast_shapes.function = broadcast_shapes


def broadcast_tensors(*tensors):
    """The tensors expanded to their common shape."""
    try:
        return composite_broadcast_tensors(F, *tensors)
    except Exception:
        explain_arguments(OP_broadcast_tensors, (*tensors,))
        raise


OP_broadcast_tensors.function = broadcast_tensors


def broadcast_to(input, size=NOTHING, **named):
    """`input` expanded to `size`."""
    if named or size is NOTHING:
        return renamed(OP_broadcast_to, broadcast_to, {'input': input, 'size': size}, named)
    if not isinstance(size, (tuple, list)) and type(size) is not int or type(size) is int and (size > 0x3FFFFFFF or size < -0x3FFFFFFF):
        explain_arguments(OP_broadcast_to, (input, size))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_broadcast_to, composite_broadcast_to, F, (input, size), dict())
        explain_arguments(OP_broadcast_to, (input, size))
    try:
        return composite_broadcast_to(F, input, size)
    except Exception:
        explain_arguments(OP_broadcast_to, (input, size))
        raise


broadcast_to = documented(OP_broadcast_to, broadcast_to)


OP_broadcast_to.function = broadcast_to


def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """The bucket between `boundaries` that each value falls into."""
    if type(boundaries) not in PLAIN_TYPES or out_int32 is not False and out_int32 is not True or right is not False and right is not True:
        explain_arguments(OP_bucketize, (input, boundaries, out_int32, right))
    if out is not None:
        return into(out, 'bucketize', composite_bucketize(F, input, boundaries, out_int32=out_int32, right=right), OP_bucketize, (input, boundaries, out_int32, right))
    try:
        return composite_bucketize(F, input, boundaries, out_int32=out_int32, right=right)
    except Exception:
        explain_arguments(OP_bucketize, (input, boundaries, out_int32, right))
        raise


OP_bucketize.function = bucketize


def cartesian_prod(*tensors):
    """Every choice of one element from each vector, one row each."""
    try:
        return composite_cartesian_prod(F, *tensors)
    except Exception:
        explain_arguments(OP_cartesian_prod, (*tensors,))
        raise


OP_cartesian_prod.function = cartesian_prod


def cast(input, kind):
    """`input` in another NumPy dtype; itself if it has it already."""
    return composite_cast(F, input, kind)


OP_cast.function = cast


def cat(tensors, dim=0, *, out=None, **named):
    """The tensors one behind the other along `dim`. Their other sizes must agree; dtypes are promoted."""
    if named:
        return renamed(OP_cat, cat, {'tensors': tensors, 'dim': dim, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_cat, (tensors, dim))
    if out is not None:
        return into(out, 'cat', composite_cat(F, tensors, dim), OP_cat, (tensors, dim))
    try:
        return composite_cat(F, tensors, dim)
    except Exception:
        explain_arguments(OP_cat, (tensors, dim))
        raise


OP_cat.function = cat


def cdist_backward(F, node, saved, g):
    x1, x2, out = saved
    p, x1_shape, x2_shape = node.params
    x1_edge, x2_edge = node.edges
    return (None if x1_edge is None else derivative_cdist_x1(F, g, x1, x2, out, p, x1_shape), None if x2_edge is None else derivative_cdist_x2(F, g, x1, x2, out, p, x2_shape))


class CdistBackward0(Node):
    op = OPS['cdist']
    saves = ('x1', 'x2', 'out')
    parameters = ('p', 'x1_shape', 'x2_shape')
    backward = staticmethod(cdist_backward)
    backward_complex = staticmethod(cdist_backward)


new_CdistBackward0 = maker_of(CdistBackward0)


OP_cdist.nodes = (CdistBackward0,)


OP_cdist.select_node = lambda x1, x2, p, compute_mode: CdistBackward0


def cdist(x1, x2, p=2.0, compute_mode=None):
    """The `p`-norm distances of every row of `x1` from every row of `x2`."""
    if type(x1) in PLAIN_TYPES and type(x2) in PLAIN_TYPES:
        x1_array = x1._array
        x2_array = x2._array
        _mode = get_mode()
        if ((_dtype := x1_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is x2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_cdist(xp, x1_array, x2_array, p, compute_mode)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                x1_edge = x1._edge if x1._base is None else edge_of(x1)
                x2_edge = x2._edge if x2._base is None else edge_of(x2)
                if _mode and (x1_edge is not None or x2_edge is not None):
                    _node = new_CdistBackward0()
                    _node.created = tick()
                    _node.edges = (x1_edge, x2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (x1_array, x2_array, _result)
                    _node.storages = _storages = (x1._storage, x2._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version)
                    _node.params = (p, x1_array.shape, x2_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cdist, (x1, x2, p, compute_mode))


OP_cdist.function = cdist


def ceil_backward(F, node, saved, g):
    return (F.zeros_of(g),)


class CeilBackward0(Node):
    op = OPS['ceil']
    saves = ()
    parameters = ()
    backward = staticmethod(ceil_backward)
    backward_complex = staticmethod(ceil_backward)


new_CeilBackward0 = maker_of(CeilBackward0)


OP_ceil.nodes = (CeilBackward0,)


OP_ceil.select_node = lambda input: CeilBackward0


def ceil(input, *, out=None):
    """The smallest whole number that is not below `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_ceil(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CeilBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_ceil, (input,), out)


def ceil_(input):
    """In-place version of `ceil`."""
    return write(ceil, input, (), {}, OP_ceil)


OP_ceil.inplace_function = ceil_


OP_ceil.function = ceil


def celu_backward(F, node, saved, g):
    input, = saved
    alpha, = node.params
    return (g * F.choose(input > 0, 1, F.exp(F.clamp_max(input, 0) / alpha)),)


class CeluBackward0(Node):
    op = OPS['celu']
    saves = ('input',)
    parameters = ('alpha',)
    backward = staticmethod(celu_backward)
    backward_complex = staticmethod(celu_backward)


new_CeluBackward0 = maker_of(CeluBackward0)


OP_celu.nodes = (CeluBackward0,)


OP_celu.select_node = lambda input, alpha: CeluBackward0


def celu(input, alpha=1.0):
    """`input` where it is positive, otherwise `alpha * (exp(input / alpha) - 1)`."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_celu(xp, input_array, alpha)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CeluBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (alpha,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_celu, (input, alpha))


def celu_(input, alpha=1.0):
    """In-place version of `celu`."""
    return write(celu, input, (alpha,), {}, OP_celu)


OP_celu.inplace_function = celu_


OP_celu.function = celu


def chain_matmul(*matrices, out=None):
    """The product of matrices in the order that takes the fewest multiplications. Deprecated: `linalg.multi_dot`."""
    try:
        return composite_chain_matmul(F, *matrices, out=out)
    except Exception:
        explain_arguments(OP_chain_matmul, (*matrices, out))
        raise


OP_chain_matmul.function = chain_matmul


def choose_backward(F, node, saved, g):
    condition, = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.choose(condition, g, 0), None if other_edge is None else F.choose(condition, 0, g))


class WhereBackward0(Node):
    op = OPS['choose']
    saves = ('condition',)
    parameters = ()
    backward = staticmethod(choose_backward)
    backward_complex = staticmethod(choose_backward)


new_WhereBackward0 = maker_of(WhereBackward0)


OP_choose.nodes = (WhereBackward0,)


OP_choose.select_node = lambda condition, input, other: WhereBackward0


def choose(condition, input, other):
    """`input` where `condition` is true, `other` elsewhere."""
    if type(condition) in PLAIN_TYPES and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        condition_array = condition._array
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_where(condition_array, input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_WhereBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (condition_array,)
                    _node.storages = _storages = (condition._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None if (input_array.shape == _result.shape) and (other_array.shape == _result.shape) else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES and type(condition) in PLAIN_TYPES:
        input_array = input._array
        condition_array = condition._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            try:
                _result = xp_where(condition_array, input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_WhereBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (condition_array,)
                    _node.storages = _storages = (condition._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None if (input_array.shape == _result.shape) else ((input_array.shape, input_array.dtype), None)
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(input) in NUMBERS and type(other) in PLAIN_TYPES and type(condition) in PLAIN_TYPES:
        other_array = other._array
        condition_array = condition._array
        _mode = get_mode()
        if ((_dtype := other_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[input]
            try:
                _result = xp_where(condition_array, _number, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and other_edge is not None:
                    _node = new_WhereBackward0()
                    _node.created = tick()
                    _node.edges = (None, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (condition_array,)
                    _node.storages = _storages = (condition._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None if (other_array.shape == _result.shape) else (None, (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_choose, (condition, input, other))


OP_choose.function = choose


def chunk(input, chunks=NOTHING, dim=0, **named):
    """At most `chunks` parts along `dim`, of one size but for the last."""
    if named or chunks is NOTHING:
        return renamed(OP_chunk, chunk, {'input': input, 'chunks': chunks, 'dim': dim}, named)
    if type(chunks) is not int or chunks > 0x3FFFFFFF or chunks < -0x3FFFFFFF or dim is True or dim is False:
        explain_arguments(OP_chunk, (input, chunks, dim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_chunk, composite_chunk, F, (input, chunks, dim), dict())
        explain_arguments(OP_chunk, (input, chunks, dim))
    try:
        return composite_chunk(F, input, chunks, dim)
    except Exception:
        explain_arguments(OP_chunk, (input, chunks, dim))
        raise


OP_chunk.function = chunk


def clamp(input, min=None, max=None, *, out=None):
    """`input` kept between `min` and `max`, which are two numbers or two tensors; either may be left out."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_clamp, composite_clamp, F, (input, min, max), dict())
        explain_arguments(OP_clamp, (input, min, max))
    if out is not None:
        return into(out, 'clamp', composite_clamp(F, input, min, max), OP_clamp, (input, min, max))
    try:
        return composite_clamp(F, input, min, max)
    except Exception:
        explain_arguments(OP_clamp, (input, min, max))
        raise


OP_clamp.function = clamp


def clamp_(input, min=None, max=None):
    """Moves the elements of `input` to between `min` and `max`."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_clamp_, composite_clamp_, F, (input, min, max), dict())
        explain_arguments(OP_clamp_, (input, min, max))
    try:
        return composite_clamp_(F, input, min, max)
    except Exception:
        explain_arguments(OP_clamp_, (input, min, max))
        raise


OP_clamp_.function = clamp_


def clamp_max_backward(F, node, saved, g):
    input, max = saved
    input_edge, max_edge = node.edges
    return (None if input_edge is None else F.where(input <= max, g, 0), None if max_edge is None else F.where(input > max, g, 0))


class ClampMaxBackward0(Node):
    op = OPS['clamp_max']
    saves = ('input', 'max')
    parameters = ()
    backward = staticmethod(clamp_max_backward)
    backward_complex = staticmethod(clamp_max_backward)


new_ClampMaxBackward0 = maker_of(ClampMaxBackward0)


class ClampMaxBackward1(Node):
    op = OPS['clamp_max']
    saves = ('input', 'max')
    parameters = ()
    backward = staticmethod(clamp_max_backward)
    backward_complex = staticmethod(clamp_max_backward)


new_ClampMaxBackward1 = maker_of(ClampMaxBackward1)


OP_clamp_max.nodes = (ClampMaxBackward0, ClampMaxBackward1)


OP_clamp_max.select_node = lambda input, max: ClampMaxBackward0 if isinstance(max, (int, float)) else ClampMaxBackward1


def clamp_max(input, max, *, out=None):
    """`input` where it is at most `max`, otherwise `max`."""
    if out is None and type(input) in PLAIN_TYPES and type(max) in PLAIN_TYPES:
        input_array = input._array
        max_array = max._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is max_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_minimum(input_array, max_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                max_edge = max._edge if max._base is None else edge_of(max)
                if _mode and (input_edge is not None or max_edge is not None):
                    _node = (new_ClampMaxBackward0 if isinstance(max, (int, float)) else new_ClampMaxBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, max_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, max_array)
                    _node.storages = _storages = (input._storage, max._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == max_array.shape else ((input_array.shape, input_array.dtype), (max_array.shape, max_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(max) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(max) is int and max in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[max]
            try:
                _result = xp_minimum(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_ClampMaxBackward0 if isinstance(max, (int, float)) else new_ClampMaxBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _number)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_clamp_max, (input, max), out)


def clamp_max_(input, max):
    """In-place version of `clamp_max`."""
    return write(clamp_max, input, (max,), {}, OP_clamp_max)


OP_clamp_max.inplace_function = clamp_max_


OP_clamp_max.function = clamp_max


def clamp_min_backward(F, node, saved, g):
    input, min = saved
    input_edge, min_edge = node.edges
    return (None if input_edge is None else F.where(input >= min, g, 0), None if min_edge is None else F.where(input < min, g, 0))


class ClampMinBackward0(Node):
    op = OPS['clamp_min']
    saves = ('input', 'min')
    parameters = ()
    backward = staticmethod(clamp_min_backward)
    backward_complex = staticmethod(clamp_min_backward)


new_ClampMinBackward0 = maker_of(ClampMinBackward0)


class ClampMinBackward1(Node):
    op = OPS['clamp_min']
    saves = ('input', 'min')
    parameters = ()
    backward = staticmethod(clamp_min_backward)
    backward_complex = staticmethod(clamp_min_backward)


new_ClampMinBackward1 = maker_of(ClampMinBackward1)


OP_clamp_min.nodes = (ClampMinBackward0, ClampMinBackward1)


OP_clamp_min.select_node = lambda input, min: ClampMinBackward0 if isinstance(min, (int, float)) else ClampMinBackward1


def clamp_min(input, min, *, out=None):
    """`input` where it is at least `min`, otherwise `min`."""
    if out is None and type(input) in PLAIN_TYPES and type(min) in PLAIN_TYPES:
        input_array = input._array
        min_array = min._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is min_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_maximum(input_array, min_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                min_edge = min._edge if min._base is None else edge_of(min)
                if _mode and (input_edge is not None or min_edge is not None):
                    _node = (new_ClampMinBackward0 if isinstance(min, (int, float)) else new_ClampMinBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, min_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, min_array)
                    _node.storages = _storages = (input._storage, min._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == min_array.shape else ((input_array.shape, input_array.dtype), (min_array.shape, min_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(min) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(min) is int and min in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[min]
            try:
                _result = xp_maximum(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_ClampMinBackward0 if isinstance(min, (int, float)) else new_ClampMinBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _number)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_clamp_min, (input, min), out)


def clamp_min_(input, min):
    """In-place version of `clamp_min`."""
    return write(clamp_min, input, (min,), {}, OP_clamp_min)


OP_clamp_min.inplace_function = clamp_min_


OP_clamp_min.function = clamp_min


def clamp_to_numbers_backward(F, node, saved, g):
    input, = saved
    min, max = node.params
    return (F.where(F.is_between(input, min, max), g, 0),)


class ClampBackward1(Node):
    op = OPS['clamp_to_numbers']
    saves = ('input',)
    parameters = ('min', 'max')
    backward = staticmethod(clamp_to_numbers_backward)
    backward_complex = staticmethod(clamp_to_numbers_backward)


new_ClampBackward1 = maker_of(ClampBackward1)


OP_clamp_to_numbers.nodes = (ClampBackward1,)


OP_clamp_to_numbers.select_node = lambda input, min, max: ClampBackward1


def clamp_to_numbers(input, min, max):
    """`input` kept between two numbers, either of which may be None."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_clip_to_numbers(input_array, min, max)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ClampBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (min, max)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_clamp_to_numbers, (input, min, max))


def clamp_to_numbers_(input, min, max):
    """In-place version of `clamp_to_numbers`."""
    return write(clamp_to_numbers, input, (min, max), {}, OP_clamp_to_numbers)


OP_clamp_to_numbers.inplace_function = clamp_to_numbers_


OP_clamp_to_numbers.function = clamp_to_numbers


def clamp_to_tensors_backward(F, node, saved, g):
    input, min, max = saved
    input_edge, min_edge, max_edge = node.edges
    return (None if input_edge is None else F.where(F.is_between(input, min, max), g, 0), None if min_edge is None else derivative_clamp_to_tensors_min(F, g, input, min, max), None if max_edge is None else derivative_clamp_to_tensors_max(F, g, input, min, max))


class ClampBackward0(Node):
    op = OPS['clamp_to_tensors']
    saves = ('input', 'min', 'max')
    parameters = ()
    backward = staticmethod(clamp_to_tensors_backward)
    backward_complex = staticmethod(clamp_to_tensors_backward)


new_ClampBackward0 = maker_of(ClampBackward0)


OP_clamp_to_tensors.nodes = (ClampBackward0,)


OP_clamp_to_tensors.select_node = lambda input, min, max: ClampBackward0


def clamp_to_tensors(input, min, max):
    """`input` kept between two tensors, either of which may be None; where they cross, `max` wins."""
    if type(input) in PLAIN_TYPES and (min is None or type(min) in PLAIN_TYPES) and (max is None or type(max) in PLAIN_TYPES):
        input_array = input._array
        min_array = None if min is None else min._array
        max_array = None if max is None else max._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (min is None or _dtype is min_array.dtype) and (max is None or _dtype is max_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_clip(input_array, min_array, max_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                min_edge = None if min is None else (min._edge if min._base is None else edge_of(min))
                max_edge = None if max is None else (max._edge if max._base is None else edge_of(max))
                if _mode and (input_edge is not None or min_edge is not None or max_edge is not None):
                    _node = new_ClampBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, min_edge, max_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, min_array, max_array)
                    _node.storages = _storages = (input._storage, None if min is None else min._storage, None if max is None else max._storage)
                    _node.versions = (_storages[0].version, 0 if _storages[1] is None else _storages[1].version, 0 if _storages[2] is None else _storages[2].version)
                    _node.params = ()
                    _node.metas = None if (input_array.shape == _result.shape) and (min is None or min_array.shape == _result.shape) and (max is None or max_array.shape == _result.shape) else ((input_array.shape, input_array.dtype), None if min is None else (min_array.shape, min_array.dtype), None if max is None else (max_array.shape, max_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_clamp_to_tensors, (input, min, max))


def clamp_to_tensors_(input, min, max):
    """In-place version of `clamp_to_tensors`."""
    return write(clamp_to_tensors, input, (min, max), {}, OP_clamp_to_tensors)


OP_clamp_to_tensors.inplace_function = clamp_to_tensors_


OP_clamp_to_tensors.function = clamp_to_tensors


def clone_backward(F, node, saved, g):
    return (g,)


class CloneBackward0(Node):
    op = OPS['clone']
    saves = ()
    parameters = ()
    backward = staticmethod(clone_backward)
    backward_complex = staticmethod(clone_backward)


new_CloneBackward0 = maker_of(CloneBackward0)


OP_clone.nodes = (CloneBackward0,)


OP_clone.select_node = lambda input, memory_format: CloneBackward0


def clone(input, *, memory_format=None):
    """A copy in memory of its own."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_clone(xp, input_array, memory_format=memory_format)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CloneBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_clone, (input, memory_format))


OP_clone.function = clone


def column_stack(tensors, *, out=None):
    """The tensors side by side; vectors become columns."""
    if out is not None:
        return into(out, 'column_stack', composite_column_stack(F, tensors), OP_column_stack, (tensors,))
    try:
        return composite_column_stack(F, tensors)
    except Exception:
        explain_arguments(OP_column_stack, (tensors,))
        raise


OP_column_stack.function = column_stack


def combinations(input, r=2, with_replacement=False):
    """Every choice of `r` elements of a vector, in their order, one row each."""
    if type(r) is not int or r > 0x3FFFFFFF or r < -0x3FFFFFFF or with_replacement is not False and with_replacement is not True:
        explain_arguments(OP_combinations, (input, r, with_replacement))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_combinations, composite_combinations, F, (input, r, with_replacement), dict())
        explain_arguments(OP_combinations, (input, r, with_replacement))
    try:
        return composite_combinations(F, input, r, with_replacement)
    except Exception:
        explain_arguments(OP_combinations, (input, r, with_replacement))
        raise


OP_combinations.function = combinations


def complex_backward(F, node, saved, g):
    real_edge, imag_edge = node.edges
    return (None if real_edge is None else F.real(g), None if imag_edge is None else F.imag(g))


class ComplexBackward0(Node):
    op = OPS['complex']
    saves = ()
    parameters = ()
    backward = staticmethod(complex_backward)
    backward_complex = staticmethod(complex_backward)


new_ComplexBackward0 = maker_of(ComplexBackward0)


OP_complex.nodes = (ComplexBackward0,)


OP_complex.select_node = lambda real, imag: ComplexBackward0


def complex(real, imag, *, out=None):
    """`real + i imag`."""
    if out is None and type(real) in PLAIN_TYPES and type(imag) in PLAIN_TYPES:
        real_array = real._array
        imag_array = imag._array
        _mode = get_mode()
        if ((_dtype := real_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is imag_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_complex(xp, real_array, imag_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                real_edge = real._edge if real._base is None else edge_of(real)
                imag_edge = imag._edge if imag._base is None else edge_of(imag)
                if _mode and (real_edge is not None or imag_edge is not None):
                    _node = new_ComplexBackward0()
                    _node.created = tick()
                    _node.edges = (real_edge, imag_edge)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None if real_array.shape == imag_array.shape else ((real_array.shape, real_array.dtype), (imag_array.shape, imag_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_complex, (real, imag), out)


OP_complex.function = complex


def complex_copy(input):
    """Pairs of real numbers as complex ones, however they lie."""
    return composite_complex_copy(F, input)


OP_complex_copy.function = complex_copy


def concatenate(tensors, dim=0, out=None, **named):
    """`cat` by NumPy's name."""
    if named:
        return renamed(OP_concatenate, concatenate, {'tensors': tensors, 'dim': dim, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_concatenate, (tensors, dim))
    if out is not None:
        return into(out, 'concatenate', composite_concatenate(F, tensors, dim), OP_concatenate, (tensors, dim))
    try:
        return composite_concatenate(F, tensors, dim)
    except Exception:
        explain_arguments(OP_concatenate, (tensors, dim))
        raise


concatenate = documented(OP_concatenate, concatenate)


OP_concatenate.function = concatenate


def conj(input):
    """The complex conjugate of `input`, a view; the input itself where it is real."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_conj, composite_conj, F, (input,), dict())
    try:
        return composite_conj(F, input)
    except Exception:
        explain_arguments(OP_conj, (input,))
        raise


OP_conj.function = conj


def conj_physical(input, *, out=None):
    """The complex conjugate of `input` in memory of its own; the input itself where it is real."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_conj_physical, composite_conj_physical, F, (input,), dict())
        explain_arguments(OP_conj_physical, (input,))
    if out is not None:
        return into(out, 'conj_physical', composite_conj_physical(F, input), OP_conj_physical, (input,))
    try:
        return composite_conj_physical(F, input)
    except Exception:
        explain_arguments(OP_conj_physical, (input,))
        raise


def conj_physical_(input):
    """In-place version of `conj_physical`."""
    return write(conj_physical, input, (), {}, OP_conj_physical)


OP_conj_physical.inplace_function = conj_physical_


OP_conj_physical.function = conj_physical


def conjugate_backward(F, node, saved, g):
    return (derivative_conjugate_input(F, g),)


class ConjBackward0(Node):
    op = OPS['conjugate']
    saves = ()
    parameters = ()
    backward = staticmethod(conjugate_backward)
    backward_complex = staticmethod(conjugate_backward)


new_ConjBackward0 = maker_of(ConjBackward0)


OP_conjugate.nodes = (ConjBackward0,)


OP_conjugate.select_node = lambda input: ConjBackward0


def conjugate(input):
    """The complex conjugate of a complex `input`: a view, of which nothing is computed until it is read."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_conjugate(xp, input_array)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (conjugate, ())
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, conjugate, ())
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_ConjBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_conjugate, (input,))


OP_conjugate.function = conjugate


def conjugate_in_memory_backward(F, node, saved, g):
    return (g,)


def conjugate_in_memory_backward_complex(F, node, saved, g):
    return (F.conj(g),)


class ConjPhysicalBackward0(Node):
    op = OPS['conjugate_in_memory']
    saves = ()
    parameters = ()
    backward = staticmethod(conjugate_in_memory_backward)
    backward_complex = staticmethod(conjugate_in_memory_backward_complex)


new_ConjPhysicalBackward0 = maker_of(ConjPhysicalBackward0)


OP_conjugate_in_memory.nodes = (ConjPhysicalBackward0,)


OP_conjugate_in_memory.select_node = lambda input: ConjPhysicalBackward0


def conjugate_in_memory(input, *, out=None):
    """The complex conjugate of a complex `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_conj(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ConjPhysicalBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_conjugate_in_memory, (input,), out)


OP_conjugate_in_memory.function = conjugate_in_memory


def contains(input, element):
    """Whether any element equals `element`, a number or a tensor that broadcasts."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_contains, composite_contains, F, (input, element), dict())
        explain_arguments(OP_contains, (input, element))
    try:
        return composite_contains(F, input, element)
    except Exception:
        explain_arguments(OP_contains, (input, element))
        raise


OP_contains.function = contains


def copy_values_backward(F, node, saved, g):
    src_shape, src_dtype = node.params
    input_edge, src_edge = node.edges
    return (None if input_edge is None else F.zeros_of(g), None if src_edge is None else F.fit(g, src_shape, src_dtype))


class CopyBackwards(Node):
    op = OPS['copy_values']
    saves = ()
    parameters = ('src_shape', 'src_dtype')
    backward = staticmethod(copy_values_backward)
    backward_complex = staticmethod(copy_values_backward)


new_CopyBackwards = maker_of(CopyBackwards)


OP_copy_values.nodes = (CopyBackwards,)


OP_copy_values.select_node = lambda input, src: CopyBackwards


def copy_values(input, src):
    """`src` in the shape and dtype of `input`: what `input.copy_(src)` leaves."""
    if type(input) in PLAIN_TYPES and type(src) in PLAIN_TYPES:
        input_array = input._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_overwritten(input_array, src_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                src_edge = src._edge if src._base is None else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new_CopyBackwards()
                    _node.created = tick()
                    _node.edges = (input_edge, src_edge)
                    _node.saved = ()
                    _node.params = (src_array.shape, src_array.dtype)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_copy_values, (input, src))


OP_copy_values.function = copy_values


def copysign_backward(F, node, saved, g):
    input, out = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g * F.where(input == 0, 0, out / input), None if other_edge is None else F.zeros_of(g))


class CopysignBackward1(Node):
    op = OPS['copysign']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(copysign_backward)
    backward_complex = staticmethod(copysign_backward)


new_CopysignBackward1 = maker_of(CopysignBackward1)


class CopysignBackward0(Node):
    op = OPS['copysign']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(copysign_backward)
    backward_complex = staticmethod(copysign_backward)


new_CopysignBackward0 = maker_of(CopysignBackward0)


OP_copysign.nodes = (CopysignBackward1, CopysignBackward0)


OP_copysign.select_node = lambda input, other: CopysignBackward1 if isinstance(other, (int, float)) else CopysignBackward0


def copysign(input, other, *, out=None):
    """The absolute value of `input` with the sign of `other`."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_copysign(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = (new_CopysignBackward1 if isinstance(other, (int, float)) else new_CopysignBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if input_edge is None else input_array, None if input_edge is None else _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_copysign(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_CopysignBackward1 if isinstance(other, (int, float)) else new_CopysignBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_copysign, (input, other), out)


def copysign_(input, other):
    """In-place version of `copysign`."""
    return write(copysign, input, (other,), {}, OP_copysign)


OP_copysign.inplace_function = copysign_


OP_copysign.function = copysign


def corrcoef(input):
    """Pearson's correlation coefficients of the rows of a matrix."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_corrcoef, composite_corrcoef, F, (input,), dict())
        explain_arguments(OP_corrcoef, (input,))
    try:
        return composite_corrcoef(F, input)
    except Exception:
        explain_arguments(OP_corrcoef, (input,))
        raise


OP_corrcoef.function = corrcoef


def cos_backward(F, node, saved, g):
    input, = saved
    return (g * -F.sin(input),)


def cos_backward_complex(F, node, saved, g):
    input, = saved
    return (g * -F.conj(F.sin(input)),)


class CosBackward0(Node):
    op = OPS['cos']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(cos_backward)
    backward_complex = staticmethod(cos_backward_complex)


new_CosBackward0 = maker_of(CosBackward0)


OP_cos.nodes = (CosBackward0,)


OP_cos.select_node = lambda input: CosBackward0


def cos(input, *, out=None):
    """The cosine of `input`, in radians."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_cos(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CosBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cos, (input,), out)


def cos_(input):
    """In-place version of `cos`."""
    return write(cos, input, (), {}, OP_cos)


OP_cos.inplace_function = cos_


OP_cos.function = cos


def cosh_backward(F, node, saved, g):
    input, = saved
    return (g * F.sinh(input),)


def cosh_backward_complex(F, node, saved, g):
    input, = saved
    return (g * F.conj(F.sinh(input)),)


class CoshBackward0(Node):
    op = OPS['cosh']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(cosh_backward)
    backward_complex = staticmethod(cosh_backward_complex)


new_CoshBackward0 = maker_of(CoshBackward0)


OP_cosh.nodes = (CoshBackward0,)


OP_cosh.select_node = lambda input: CoshBackward0


def cosh(input, *, out=None):
    """The hyperbolic cosine of `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_cosh(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CoshBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cosh, (input,), out)


def cosh_(input):
    """In-place version of `cosh`."""
    return write(cosh, input, (), {}, OP_cosh)


OP_cosh.inplace_function = cosh_


OP_cosh.function = cosh


def cosine_similarity(x1, x2=NOTHING, dim=1, eps=1e-08, **named):
    """The cosine of the angle between vectors along `dim`; neither norm counts as less than `eps`."""
    if named or x2 is NOTHING:
        return renamed(OP_cosine_similarity, cosine_similarity, {'x1': x1, 'x2': x2, 'dim': dim, 'eps': eps}, named)
    if type(x1) not in PLAIN_TYPES or type(x2) not in PLAIN_TYPES or dim is True or dim is False or type(eps) is not float and type(eps) is not int:
        explain_arguments(OP_cosine_similarity, (x1, x2, dim, eps))
    try:
        return composite_cosine_similarity(F, x1, x2, dim, eps)
    except Exception:
        explain_arguments(OP_cosine_similarity, (x1, x2, dim, eps))
        raise


OP_cosine_similarity.function = cosine_similarity


def count_nonzero(input, dim=None, **named):
    """The number of elements along `dim` that are not zero."""
    if named:
        return renamed(OP_count_nonzero, count_nonzero, {'input': input, 'dim': dim}, named)
    if dim is not None and (dim is True or dim is False):
        explain_arguments(OP_count_nonzero, (input, dim))
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_count_nonzero(xp, input_array, dim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_count_nonzero, (input, dim))


OP_count_nonzero.function = count_nonzero


def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariances of the rows of a matrix, whose columns are observations, counted and weighed as asked for."""
    if type(correction) is not int or correction > 0x3FFFFFFF or correction < -0x3FFFFFFF or fweights is not None and (type(fweights) not in PLAIN_TYPES) or aweights is not None and (type(aweights) not in PLAIN_TYPES):
        explain_arguments(OP_cov, (input, correction, fweights, aweights))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_cov, composite_cov, F, (input,), dict(correction=correction, fweights=fweights, aweights=aweights))
        explain_arguments(OP_cov, (input, correction, fweights, aweights))
    try:
        return composite_cov(F, input, correction=correction, fweights=fweights, aweights=aweights)
    except Exception:
        explain_arguments(OP_cov, (input, correction, fweights, aweights))
        raise


OP_cov.function = cov


def cross(input, other=NOTHING, dim=None, *, out=None, **named):
    """The cross products of the vectors along `dim`; without it along the first of size 3, which is deprecated."""
    if named or other is NOTHING:
        return renamed(OP_cross, cross, {'input': input, 'other': other, 'dim': dim, 'out': out}, named)
    if type(other) not in PLAIN_TYPES or dim is not None and (dim is True or dim is False):
        explain_arguments(OP_cross, (input, other, dim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_cross, composite_cross, F, (input, other, dim), dict())
        explain_arguments(OP_cross, (input, other, dim))
    if out is not None:
        return into(out, 'cross', composite_cross(F, input, other, dim), OP_cross, (input, other, dim))
    try:
        return composite_cross(F, input, other, dim)
    except Exception:
        explain_arguments(OP_cross, (input, other, dim))
        raise


OP_cross.function = cross


def cummax_backward(F, node, saved, g):
    indices, = saved
    dim, input_shape = node.params
    g_values = g
    return (derivative_cummax_input(F, g_values, indices, dim, input_shape),)


class CummaxBackward0(Node):
    op = OPS['cummax']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(cummax_backward)
    backward_complex = staticmethod(cummax_backward)


new_CummaxBackward0 = maker_of(CummaxBackward0)


OP_cummax.nodes = (CummaxBackward0,)


OP_cummax.select_node = lambda input, dim: CummaxBackward0


def cummax(input, dim=NOTHING, *, out=None, **named):
    """The largest of all elements up to each along `dim`, and their indices: the last of several."""
    if named or dim is NOTHING:
        return renamed(OP_cummax, cummax, {'input': input, 'dim': dim, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_cummax, (input, dim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_cummax(xp, input_array, dim)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CummaxBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_cummax.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_cummax, (input, dim), out)


OP_cummax.function = cummax


def cummin_backward(F, node, saved, g):
    indices, = saved
    dim, input_shape = node.params
    g_values = g
    return (derivative_cummin_input(F, g_values, indices, dim, input_shape),)


class CumminBackward0(Node):
    op = OPS['cummin']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(cummin_backward)
    backward_complex = staticmethod(cummin_backward)


new_CumminBackward0 = maker_of(CumminBackward0)


OP_cummin.nodes = (CumminBackward0,)


OP_cummin.select_node = lambda input, dim: CumminBackward0


def cummin(input, dim=NOTHING, *, out=None, **named):
    """The smallest of all elements up to each along `dim`, and their indices: the last of several."""
    if named or dim is NOTHING:
        return renamed(OP_cummin, cummin, {'input': input, 'dim': dim, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_cummin, (input, dim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_cummin(xp, input_array, dim)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CumminBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_cummin.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_cummin, (input, dim), out)


OP_cummin.function = cummin


def cumprod_backward(F, node, saved, g):
    input, out = saved
    dim, = node.params
    return (derivative_cumprod_input(F, g, input, out, dim),)


class CumprodBackward0(Node):
    op = OPS['cumprod']
    saves = ('input', 'out')
    parameters = ('dim',)
    backward = staticmethod(cumprod_backward)
    backward_complex = staticmethod(cumprod_backward)


new_CumprodBackward0 = maker_of(CumprodBackward0)


OP_cumprod.nodes = (CumprodBackward0,)


OP_cumprod.select_node = lambda input, dim, dtype: CumprodBackward0


def cumprod(input, dim=NOTHING, *, dtype=None, out=None, **named):
    """The product of all elements up to each, along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_cumprod, cumprod, {'input': input, 'dim': dim, 'dtype': dtype, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_cumprod, (input, dim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_cumprod(xp, input_array, dim, dtype=dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CumprodBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cumprod, (input, dim, dtype), out)


def cumprod_(input, dim=NOTHING, *, dtype=None, **named):
    """In-place version of `cumprod`."""
    if named or dim is NOTHING:
        return renamed(OP_cumprod, cumprod_, {'input': input, 'dim': dim, 'dtype': dtype}, named)
    return write(cumprod, input, (dim,), {'dtype': dtype}, OP_cumprod)


OP_cumprod.inplace_function = cumprod_


OP_cumprod.function = cumprod


def cumsum_backward(F, node, saved, g):
    dim, = node.params
    return (F.flip(F.cumsum(F.flip(g, (dim,)), dim), (dim,)),)


class CumsumBackward0(Node):
    op = OPS['cumsum']
    saves = ()
    parameters = ('dim',)
    backward = staticmethod(cumsum_backward)
    backward_complex = staticmethod(cumsum_backward)


new_CumsumBackward0 = maker_of(CumsumBackward0)


OP_cumsum.nodes = (CumsumBackward0,)


OP_cumsum.select_node = lambda input, dim, dtype: CumsumBackward0


def cumsum(input, dim=NOTHING, *, dtype=None, out=None, **named):
    """The sum of all elements up to each, along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_cumsum, cumsum, {'input': input, 'dim': dim, 'dtype': dtype, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_cumsum, (input, dim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_cumsum(xp, input_array, dim, dtype=dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_CumsumBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cumsum, (input, dim, dtype), out)


def cumsum_(input, dim=NOTHING, *, dtype=None, **named):
    """In-place version of `cumsum`."""
    if named or dim is NOTHING:
        return renamed(OP_cumsum, cumsum_, {'input': input, 'dim': dim, 'dtype': dtype}, named)
    return write(cumsum, input, (dim,), {'dtype': dtype}, OP_cumsum)


OP_cumsum.inplace_function = cumsum_


OP_cumsum.function = cumsum


def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1, **named):
    """The integrals up to each point but the first, by the trapezoidal rule: `trapezoid` of each beginning."""
    if named:
        return renamed(OP_cumulative_trapezoid, cumulative_trapezoid, {'y': y, 'x': x, 'dx': dx, 'dim': dim}, named)
    if type(y) not in PLAIN_TYPES or x is not None and (type(x) not in PLAIN_TYPES) or dim is True or dim is False:
        explain_arguments(OP_cumulative_trapezoid, (y, x, dx, dim))
    try:
        return composite_cumulative_trapezoid(F, y, x, dx=dx, dim=dim)
    except Exception:
        explain_arguments(OP_cumulative_trapezoid, (y, x, dx, dim))
        raise


OP_cumulative_trapezoid.function = cumulative_trapezoid


def deg2rad_backward(F, node, saved, g):
    return (derivative_deg2rad_input(F, g),)


class Deg2RadBackward0(Node):
    op = OPS['deg2rad']
    saves = ()
    parameters = ()
    backward = staticmethod(deg2rad_backward)
    backward_complex = staticmethod(deg2rad_backward)


new_Deg2RadBackward0 = maker_of(Deg2RadBackward0)


OP_deg2rad.nodes = (Deg2RadBackward0,)


OP_deg2rad.select_node = lambda input: Deg2RadBackward0


def deg2rad(input, *, out=None):
    """Degrees in radians."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_deg2rad(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_Deg2RadBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_deg2rad, (input,), out)


def deg2rad_(input):
    """In-place version of `deg2rad`."""
    return write(deg2rad, input, (), {}, OP_deg2rad)


OP_deg2rad.inplace_function = deg2rad_


OP_deg2rad.function = deg2rad


def delitem(input, index):
    """Always a TypeError: elements can be written, not removed."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_delitem, composite_delitem, F, (input, index), dict())
        explain_arguments(OP_delitem, (input, index))
    try:
        return composite_delitem(F, input, index)
    except Exception:
        explain_arguments(OP_delitem, (input, index))
        raise


OP_delitem.function = delitem


def detach_copy(input, *, out=None):
    """A copy of `input` without its history."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_detach_copy, (input,))
    if out is not None:
        return into(out, 'detach_copy', composite_detach_copy(F, input), OP_detach_copy, (input,))
    try:
        return composite_detach_copy(F, input)
    except Exception:
        explain_arguments(OP_detach_copy, (input,))
        raise


OP_detach_copy.function = detach_copy


def diag(input, diagonal=0, *, out=None):
    """A matrix with a vector on a diagonal, or a copy of the diagonal of a matrix."""
    if type(diagonal) is not int or diagonal > 0x3FFFFFFF or diagonal < -0x3FFFFFFF:
        explain_arguments(OP_diag, (input, diagonal))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_diag, composite_diag, F, (input, diagonal), dict())
        explain_arguments(OP_diag, (input, diagonal))
    if out is not None:
        return into(out, 'diag', composite_diag(F, input, diagonal), OP_diag, (input, diagonal))
    try:
        return composite_diag(F, input, diagonal)
    except Exception:
        explain_arguments(OP_diag, (input, diagonal))
        raise


OP_diag.function = diag


def diag_embed_backward(F, node, saved, g):
    offset, dim1, dim2 = node.params
    return (F.diagonal(g, offset, dim1, dim2),)


class DiagEmbedBackward0(Node):
    op = OPS['diag_embed']
    saves = ()
    parameters = ('offset', 'dim1', 'dim2')
    backward = staticmethod(diag_embed_backward)
    backward_complex = staticmethod(diag_embed_backward)


new_DiagEmbedBackward0 = maker_of(DiagEmbedBackward0)


OP_diag_embed.nodes = (DiagEmbedBackward0,)


OP_diag_embed.select_node = lambda input, offset, dim1, dim2: DiagEmbedBackward0


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices of zeros, in two new dimensions, with the last dimension of `input` on a diagonal."""
    if type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF or dim1 is True or dim1 is False or dim2 is True or dim2 is False:
        explain_arguments(OP_diag_embed, (input, offset, dim1, dim2))
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_diagonal_matrices(input_array, offset, dim1, dim2)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_DiagEmbedBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (offset, dim1, dim2)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_diag_embed, (input, offset, dim1, dim2))


OP_diag_embed.function = diag_embed


def diagflat(input, offset=0):
    """A matrix with all the elements of `input` on a diagonal."""
    if type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF:
        explain_arguments(OP_diagflat, (input, offset))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_diagflat, composite_diagflat, F, (input, offset), dict())
        explain_arguments(OP_diagflat, (input, offset))
    try:
        return composite_diagflat(F, input, offset)
    except Exception:
        explain_arguments(OP_diagflat, (input, offset))
        raise


OP_diagflat.function = diagflat


def diagonal_backward(F, node, saved, g):
    input_shape, offset, dim1, dim2 = node.params
    return (F.placed(g, input_shape, ((F.diagonal, (offset, dim1, dim2)),)),)


class DiagonalBackward0(Node):
    op = OPS['diagonal']
    saves = ()
    parameters = ('input_shape', 'offset', 'dim1', 'dim2')
    backward = staticmethod(diagonal_backward)
    backward_complex = staticmethod(diagonal_backward)


new_DiagonalBackward0 = maker_of(DiagonalBackward0)


OP_diagonal.nodes = (DiagonalBackward0,)


OP_diagonal.select_node = lambda input, offset, dim1, dim2: DiagonalBackward0


def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonals of the matrices in two dimensions, as a last dimension."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_diagonal(input_array, offset, dim1, dim2)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (diagonal, (offset, dim1, dim2))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, diagonal, (offset, dim1, dim2))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_DiagonalBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, offset, dim1, dim2)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_diagonal, (input, offset, dim1, dim2))


OP_diagonal.function = diagonal


def diagonal_copy_backward(F, node, saved, g):
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
    if type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF or dim1 is True or dim1 is False or dim2 is True or dim2 is False:
        explain_arguments(OP_diagonal_copy, (input, offset, dim1, dim2))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_copy(xp_diagonal(input_array, offset, dim1, dim2))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_DiagonalBackward0_copy()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, offset, dim1, dim2)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_diagonal_copy, (input, offset, dim1, dim2), out)


OP_diagonal_copy.function = diagonal_copy


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1, *, out=None):
    """A copy of `input` with `src` as its diagonals."""
    if type(src) not in PLAIN_TYPES or type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF or dim1 is True or dim1 is False or dim2 is True or dim2 is False:
        explain_arguments(OP_diagonal_scatter, (input, src, offset, dim1, dim2))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_diagonal_scatter, composite_diagonal_scatter, F, (input, src, offset, dim1, dim2), dict())
        explain_arguments(OP_diagonal_scatter, (input, src, offset, dim1, dim2))
    if out is not None:
        return into(out, 'diagonal_scatter', composite_diagonal_scatter(F, input, src, offset, dim1, dim2), OP_diagonal_scatter, (input, src, offset, dim1, dim2))
    try:
        return composite_diagonal_scatter(F, input, src, offset, dim1, dim2)
    except Exception:
        explain_arguments(OP_diagonal_scatter, (input, src, offset, dim1, dim2))
        raise


OP_diagonal_scatter.function = diagonal_scatter


def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None, **named):
    """The `n`-th differences of neighbours along `dim`, of `input` with `prepend` before and `append` after it."""
    if named:
        return renamed(OP_diff, diff, {'input': input, 'n': n, 'dim': dim, 'prepend': prepend, 'append': append, 'out': out}, named)
    if type(n) is not int or n > 0x3FFFFFFF or n < -0x3FFFFFFF or dim is True or dim is False or prepend is not None and (type(prepend) not in PLAIN_TYPES) or append is not None and (type(append) not in PLAIN_TYPES):
        explain_arguments(OP_diff, (input, n, dim, prepend, append))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_diff, composite_diff, F, (input, n, dim, prepend, append), dict())
        explain_arguments(OP_diff, (input, n, dim, prepend, append))
    if out is not None:
        return into(out, 'diff', composite_diff(F, input, n, dim, prepend, append), OP_diff, (input, n, dim, prepend, append))
    try:
        return composite_diff(F, input, n, dim, prepend, append)
    except Exception:
        explain_arguments(OP_diff, (input, n, dim, prepend, append))
        raise


OP_diff.function = diff


def dist_backward(F, node, saved, g):
    input, other, out = saved
    p, input_shape, other_shape = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else derivative_dist_input(F, g, input, other, out, p, input_shape), None if other_edge is None else derivative_dist_other(F, g, input, other, out, p, other_shape))


class DistBackward0(Node):
    op = OPS['dist']
    saves = ('input', 'other', 'out')
    parameters = ('p', 'input_shape', 'other_shape')
    backward = staticmethod(dist_backward)
    backward_complex = staticmethod(dist_backward)


new_DistBackward0 = maker_of(DistBackward0)


OP_dist.nodes = (DistBackward0,)


OP_dist.select_node = lambda input, other, p: DistBackward0


def dist(input, other, p=2):
    """The `p`-norm of `input - other`."""
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_dist(xp, input_array, other_array, p)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_DistBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array, _result)
                    _node.storages = _storages = (input._storage, other._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version)
                    _node.params = (p, input_array.shape, other_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_dist, (input, other, p))


OP_dist.function = dist


def div(input, other, *, rounding_mode=None, out=None):
    """`input / other`, element by element; `rounding_mode` "floor" or "trunc" rounds the quotient."""
    if rounding_mode is not None and (type(rounding_mode) is not str):
        explain_arguments(OP_div, (input, other, rounding_mode))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_div, composite_div, F, (input, other), dict(rounding_mode=rounding_mode))
    if out is not None:
        return into(out, 'div', composite_div(F, input, other, rounding_mode=rounding_mode), OP_div, (input, other, rounding_mode))
    try:
        return composite_div(F, input, other, rounding_mode=rounding_mode)
    except Exception:
        explain_arguments(OP_div, (input, other, rounding_mode))
        raise


def div_(input, other, *, rounding_mode=None):
    """In-place version of `div`."""
    return write(div, input, (other,), {'rounding_mode': rounding_mode}, OP_div)


OP_div.inplace_function = div_


OP_div.function = div


def divide_into(input, other):
    """`other / input`."""
    return composite_divide_into(F, input, other)


def operator_divide_into(input, other):
    return operated(Operators.divide_into, input, other)


OP_divide_into.function = divide_into


def dot_backward(F, node, saved, g):
    input, tensor = saved
    input_edge, tensor_edge = node.edges
    return (None if input_edge is None else g * tensor, None if tensor_edge is None else g * input)


def dot_backward_complex(F, node, saved, g):
    input, tensor = saved
    input_edge, tensor_edge = node.edges
    return (None if input_edge is None else g * F.conj(tensor), None if tensor_edge is None else g * F.conj(input))


class DotBackward0(Node):
    op = OPS['dot']
    saves = ('input', 'tensor')
    parameters = ()
    backward = staticmethod(dot_backward)
    backward_complex = staticmethod(dot_backward_complex)


new_DotBackward0 = maker_of(DotBackward0)


OP_dot.nodes = (DotBackward0,)


OP_dot.select_node = lambda input, tensor: DotBackward0


def dot(input, tensor, *, out=None):
    """The sum of the products of the elements of two vectors."""
    if out is None and type(input) in PLAIN_TYPES and type(tensor) in PLAIN_TYPES:
        input_array = input._array
        tensor_array = tensor._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is tensor_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_dot(xp, input_array, tensor_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                tensor_edge = tensor._edge if tensor._base is None else edge_of(tensor)
                if _mode and (input_edge is not None or tensor_edge is not None):
                    _node = new_DotBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, tensor_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if tensor_edge is None else input_array, None if input_edge is None else tensor_array)
                    _node.storages = _storages = (input._storage, tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_dot, (input, tensor), out)


OP_dot.function = dot


def dsplit(input, indices_or_sections):
    """Parts behind each other: along the third dimension."""
    if type(input) not in PLAIN_TYPES or type(indices_or_sections) is not int and not isinstance(indices_or_sections, (tuple, list)) or type(indices_or_sections) is int and (indices_or_sections > 0x3FFFFFFF or indices_or_sections < -0x3FFFFFFF):
        explain_arguments(OP_dsplit, (input, indices_or_sections))
    try:
        return composite_dsplit(F, input, indices_or_sections)
    except Exception:
        explain_arguments(OP_dsplit, (input, indices_or_sections))
        raise


OP_dsplit.function = dsplit


def dsplit_variadic(input, split_size_or_sections=None, *more, sections=None, indices=None):
    """Parts behind each other: along the third dimension."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_dsplit_variadic, composite_dsplit_variadic, F, (input, split_size_or_sections, *more), dict(sections=sections, indices=indices))
        explain_arguments(OP_dsplit_variadic, (input, split_size_or_sections, *more, sections, indices))
    try:
        return composite_dsplit_variadic(F, input, split_size_or_sections, *more, sections=sections, indices=indices)
    except Exception:
        explain_arguments(OP_dsplit_variadic, (input, split_size_or_sections, *more, sections, indices))
        raise


OP_dsplit_variadic.function = dsplit_variadic


def dstack(tensors, *, out=None):
    """The tensors, of at least three dimensions, behind each other along the third."""
    if out is not None:
        return into(out, 'dstack', composite_dstack(F, tensors), OP_dstack, (tensors,))
    try:
        return composite_dstack(F, tensors)
    except Exception:
        explain_arguments(OP_dstack, (tensors,))
        raise


OP_dstack.function = dstack


def einsum(equation, *operands):
    """Products of operands, summed over every label that the result does not carry: Einstein's summation convention."""
    if type(equation) is not str:
        explain_arguments(OP_einsum, (equation, *operands))
    try:
        return composite_einsum(F, equation, *operands)
    except Exception:
        explain_arguments(OP_einsum, (equation, *operands))
        raise


OP_einsum.function = einsum


def elu_backward(F, node, saved, g):
    input, = saved
    alpha, scale, input_scale = node.params
    return (derivative_elu_input(F, g, input, alpha, scale, input_scale),)


class EluBackward0(Node):
    op = OPS['elu']
    saves = ('input',)
    parameters = ('alpha', 'scale', 'input_scale')
    backward = staticmethod(elu_backward)
    backward_complex = staticmethod(elu_backward)


new_EluBackward0 = maker_of(EluBackward0)


OP_elu.nodes = (EluBackward0,)


OP_elu.select_node = lambda input, alpha, scale, input_scale: EluBackward0


def elu(input, alpha=1.0, scale=1.0, input_scale=1.0, *, out=None):
    """`scale * input` where it is positive, otherwise `scale * alpha * (exp(input_scale * input) - 1)`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_elu(input_array, alpha, scale, input_scale)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_EluBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (alpha, scale, input_scale)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_elu, (input, alpha, scale, input_scale), out)


def elu_(input, alpha=1.0, scale=1.0, input_scale=1.0):
    """In-place version of `elu`."""
    return write(elu, input, (alpha, scale, input_scale), {}, OP_elu)


OP_elu.inplace_function = elu_


OP_elu.function = elu


def eq(input, other, *, out=None):
    """Whether `input == other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_equal(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_eq, (input, other), out)


def operator_eq(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_equal(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Operators.eq, input, other)


def eq_(input, other):
    """In-place version of `eq`."""
    return write(eq, input, (other,), {}, OP_eq)


OP_eq.inplace_function = eq_


OP_eq.function = eq


def equal(input, other):
    """Whether two tensors have the same shape and the same elements."""
    if type(other) not in PLAIN_TYPES:
        explain_arguments(OP_equal, (input, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_equal, composite_equal, F, (input, other), dict())
        explain_arguments(OP_equal, (input, other))
    try:
        return composite_equal(F, input, other)
    except Exception:
        explain_arguments(OP_equal, (input, other))
        raise


OP_equal.function = equal


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


new_ExpBackward0 = maker_of(ExpBackward0)


OP_exp.nodes = (ExpBackward0,)


OP_exp.select_node = lambda input: ExpBackward0


def exp(input, *, out=None):
    """e to the power `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_exp(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ExpBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_exp, (input,), out)


def exp_(input):
    """In-place version of `exp`."""
    return write(exp, input, (), {}, OP_exp)


OP_exp.inplace_function = exp_


OP_exp.function = exp


def exp2_backward(F, node, saved, g):
    out, = saved
    return (derivative_exp2_input(F, g, out),)


class Exp2Backward0(Node):
    op = OPS['exp2']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(exp2_backward)
    backward_complex = staticmethod(exp2_backward)


new_Exp2Backward0 = maker_of(Exp2Backward0)


OP_exp2.nodes = (Exp2Backward0,)


OP_exp2.select_node = lambda input: Exp2Backward0


def exp2(input, *, out=None):
    """2 to the power `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_exp2(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_Exp2Backward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_exp2, (input,), out)


def exp2_(input):
    """In-place version of `exp2`."""
    return write(exp2, input, (), {}, OP_exp2)


OP_exp2.inplace_function = exp2_


OP_exp2.function = exp2


def expand_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.sum_to_size_of(g, input_shape),)


class ExpandBackward0(Node):
    op = OPS['expand']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(expand_backward)
    backward_complex = staticmethod(expand_backward)


new_ExpandBackward0 = maker_of(ExpandBackward0)


OP_expand.nodes = (ExpandBackward0,)


OP_expand.select_node = lambda input, size: ExpandBackward0


def expand(input, size):
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_expand(input_array, size)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (expand, (size,))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, expand, (size,))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_ExpandBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_expand, (input, size))


OP_expand.function = expand


def expand_as(input, other):
    """`input` expanded to the shape of `other`."""
    if type(other) not in PLAIN_TYPES:
        explain_arguments(OP_expand_as, (input, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_expand_as, composite_expand_as, F, (input, other), dict())
        explain_arguments(OP_expand_as, (input, other))
    try:
        return composite_expand_as(F, input, other)
    except Exception:
        explain_arguments(OP_expand_as, (input, other))
        raise


OP_expand_as.function = expand_as


def expand_copy(input, size, *, implicit=False, out=None):
    """A copy of `input` expanded to `size`."""
    if type(input) not in PLAIN_TYPES or not isinstance(size, (tuple, list)) or implicit is not False and implicit is not True:
        explain_arguments(OP_expand_copy, (input, size, implicit))
    if out is not None:
        return into(out, 'expand_copy', composite_expand_copy(F, input, size, implicit=implicit), OP_expand_copy, (input, size, implicit))
    try:
        return composite_expand_copy(F, input, size, implicit=implicit)
    except Exception:
        explain_arguments(OP_expand_copy, (input, size, implicit))
        raise


OP_expand_copy.function = expand_copy


def expand_variadic(input, *sizes, size=None, implicit=False):
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""
    if size is not None and (not isinstance(size, (tuple, list))) or implicit is not False and implicit is not True:
        explain_arguments(OP_expand_variadic, (input, *sizes, size, implicit))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_expand_variadic, composite_expand_variadic, F, (input, *sizes), dict(size=size, implicit=implicit))
        explain_arguments(OP_expand_variadic, (input, *sizes, size, implicit))
    try:
        return composite_expand_variadic(F, input, *sizes, size=size, implicit=implicit)
    except Exception:
        explain_arguments(OP_expand_variadic, (input, *sizes, size, implicit))
        raise


OP_expand_variadic.function = expand_variadic


def expm1_backward(F, node, saved, g):
    out, = saved
    numbers = F.numbers[g.dtype]
    return (g * (out + numbers[1]),)


def expm1_backward_complex(F, node, saved, g):
    out, = saved
    return (g * F.conj(out + 1),)


class Expm1Backward0(Node):
    op = OPS['expm1']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(expm1_backward)
    backward_complex = staticmethod(expm1_backward_complex)


new_Expm1Backward0 = maker_of(Expm1Backward0)


OP_expm1.nodes = (Expm1Backward0,)


OP_expm1.select_node = lambda input: Expm1Backward0


def expm1(input, *, out=None):
    """`exp(input) - 1`, exact near 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_expm1(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_Expm1Backward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_expm1, (input,), out)


def expm1_(input):
    """In-place version of `expm1`."""
    return write(expm1, input, (), {}, OP_expm1)


OP_expm1.inplace_function = expm1_


OP_expm1.function = expm1


def fill(input, value):
    """A tensor like `input`, every element `value`: a number or a tensor without dimensions."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_fill, composite_fill, F, (input, value), dict())
        explain_arguments(OP_fill, (input, value))
    try:
        return composite_fill(F, input, value)
    except Exception:
        explain_arguments(OP_fill, (input, value))
        raise


def fill_(input, value):
    """In-place version of `fill`."""
    return write(fill, input, (value,), {}, OP_fill)


OP_fill.inplace_function = fill_


OP_fill.function = fill


def fill_mask_with_number_backward(F, node, saved, g):
    mask, = saved
    return (F.choose(mask, 0, g),)


class MaskedFillBackward0(Node):
    op = OPS['fill_mask_with_number']
    saves = ('mask',)
    parameters = ()
    backward = staticmethod(fill_mask_with_number_backward)
    backward_complex = staticmethod(fill_mask_with_number_backward)


new_MaskedFillBackward0 = maker_of(MaskedFillBackward0)


OP_fill_mask_with_number.nodes = (MaskedFillBackward0,)


OP_fill_mask_with_number.select_node = lambda input, mask, value: MaskedFillBackward0


def fill_mask_with_number(input, mask, value):
    """`input` with a number wherever `mask` is true."""
    if type(input) in PLAIN_TYPES and type(mask) in PLAIN_TYPES:
        input_array = input._array
        mask_array = mask._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_where(mask_array, xp_element(value, input_array.dtype), input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MaskedFillBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (mask_array,)
                    _node.storages = _storages = (mask._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None if (input_array.shape == _result.shape) else ((input_array.shape, input_array.dtype),)
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_fill_mask_with_number, (input, mask, value))


OP_fill_mask_with_number.function = fill_mask_with_number


def fill_mask_with_tensor_backward(F, node, saved, g):
    mask, = saved
    input_edge, value_edge = node.edges
    return (None if input_edge is None else F.choose(mask, 0, g), None if value_edge is None else F.choose(mask, g, 0))


class MaskedFillBackward1(Node):
    op = OPS['fill_mask_with_tensor']
    saves = ('mask',)
    parameters = ()
    backward = staticmethod(fill_mask_with_tensor_backward)
    backward_complex = staticmethod(fill_mask_with_tensor_backward)


new_MaskedFillBackward1 = maker_of(MaskedFillBackward1)


OP_fill_mask_with_tensor.nodes = (MaskedFillBackward1,)


OP_fill_mask_with_tensor.select_node = lambda input, mask, value: MaskedFillBackward1


def fill_mask_with_tensor(input, mask, value):
    """`input` with the one element of `value` wherever `mask` is true."""
    if type(input) in PLAIN_TYPES and type(mask) in PLAIN_TYPES and type(value) in PLAIN_TYPES:
        input_array = input._array
        mask_array = mask._array
        value_array = value._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is value_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_fill_mask_with_tensor(xp, input_array, mask_array, value_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                value_edge = value._edge if value._base is None else edge_of(value)
                if _mode and (input_edge is not None or value_edge is not None):
                    _node = new_MaskedFillBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge, value_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (mask_array,)
                    _node.storages = _storages = (mask._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None if (input_array.shape == _result.shape) and (value_array.shape == _result.shape) else ((input_array.shape, input_array.dtype), (value_array.shape, value_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(value) in NUMBERS and type(input) in PLAIN_TYPES and type(mask) in PLAIN_TYPES:
        input_array = input._array
        mask_array = mask._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[value]
            try:
                _result = forward_fill_mask_with_tensor(xp, input_array, mask_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MaskedFillBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (mask_array,)
                    _node.storages = _storages = (mask._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None if (input_array.shape == _result.shape) else ((input_array.shape, input_array.dtype), None)
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(input) in NUMBERS and type(value) in PLAIN_TYPES and type(mask) in PLAIN_TYPES:
        value_array = value._array
        mask_array = mask._array
        _mode = get_mode()
        if ((_dtype := value_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[input]
            try:
                _result = forward_fill_mask_with_tensor(xp, _number, mask_array, value_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                value_edge = value._edge if value._base is None else edge_of(value)
                if _mode and value_edge is not None:
                    _node = new_MaskedFillBackward1()
                    _node.created = tick()
                    _node.edges = (None, value_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (mask_array,)
                    _node.storages = _storages = (mask._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None if (value_array.shape == _result.shape) else (None, (value_array.shape, value_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_fill_mask_with_tensor, (input, mask, value))


OP_fill_mask_with_tensor.function = fill_mask_with_tensor


def fill_with_number_backward(F, node, saved, g):
    return (F.zeros_of(g),)


class FillBackward0(Node):
    op = OPS['fill_with_number']
    saves = ()
    parameters = ()
    backward = staticmethod(fill_with_number_backward)
    backward_complex = staticmethod(fill_with_number_backward)


new_FillBackward0 = maker_of(FillBackward0)


OP_fill_with_number.nodes = (FillBackward0,)


OP_fill_with_number.select_node = lambda input, value: FillBackward0


def fill_with_number(input, value):
    """A tensor like `input`, every element a number."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_full_like(input_array, xp_element(value, input_array.dtype))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FillBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_fill_with_number, (input, value))


OP_fill_with_number.function = fill_with_number


def fill_with_tensor_backward(F, node, saved, g):
    input_edge, value_edge = node.edges
    return (None if input_edge is None else F.zeros_of(g), None if value_edge is None else g)


class FillBackward1(Node):
    op = OPS['fill_with_tensor']
    saves = ()
    parameters = ()
    backward = staticmethod(fill_with_tensor_backward)
    backward_complex = staticmethod(fill_with_tensor_backward)


new_FillBackward1 = maker_of(FillBackward1)


OP_fill_with_tensor.nodes = (FillBackward1,)


OP_fill_with_tensor.select_node = lambda input, value: FillBackward1


def fill_with_tensor(input, value):
    """A tensor like `input`, every element that of `value`."""
    if type(input) in PLAIN_TYPES and type(value) in PLAIN_TYPES:
        input_array = input._array
        value_array = value._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is value_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_fill_with_tensor(xp, input_array, value_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                value_edge = value._edge if value._base is None else edge_of(value)
                if _mode and (input_edge is not None or value_edge is not None):
                    _node = new_FillBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge, value_edge)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None if input_array.shape == value_array.shape else ((input_array.shape, input_array.dtype), (value_array.shape, value_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(value) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[value]
            try:
                _result = forward_fill_with_tensor(xp, input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FillBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_fill_with_tensor, (input, value))


OP_fill_with_tensor.function = fill_with_tensor


def filled_above_diagonal_backward(F, node, saved, g):
    return (F.above_diagonal(g),)


class FilledAboveDiagonalBackward0(Node):
    op = OPS['filled_above_diagonal']
    saves = ()
    parameters = ()
    backward = staticmethod(filled_above_diagonal_backward)
    backward_complex = staticmethod(filled_above_diagonal_backward)


new_FilledAboveDiagonalBackward0 = maker_of(FilledAboveDiagonalBackward0)


OP_filled_above_diagonal.nodes = (FilledAboveDiagonalBackward0,)


OP_filled_above_diagonal.select_node = lambda input, size: FilledAboveDiagonalBackward0


def filled_above_diagonal(input, size):
    """A square matrix with the elements of `input` above its diagonal, row by row, and zeros elsewhere."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_filled_above_diagonal(input_array, size)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FilledAboveDiagonalBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_filled_above_diagonal, (input, size))


OP_filled_above_diagonal.function = filled_above_diagonal


def fit(input, shape, kind):
    """A gradient summed and cast to the shape and dtype of what it is the gradient of."""
    return composite_fit(F, input, shape, kind)


OP_fit.function = fit


def flatten(input, start_dim=0, end_dim=-1):
    """`input` with the dimensions from `start_dim` to `end_dim` made one; itself if that is one already."""
    if start_dim is True or start_dim is False or end_dim is True or end_dim is False:
        explain_arguments(OP_flatten, (input, start_dim, end_dim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_flatten, composite_flatten, F, (input, start_dim, end_dim), dict())
        explain_arguments(OP_flatten, (input, start_dim, end_dim))
    try:
        return composite_flatten(F, input, start_dim, end_dim)
    except Exception:
        explain_arguments(OP_flatten, (input, start_dim, end_dim))
        raise


OP_flatten.function = flatten


def flip_backward(F, node, saved, g):
    dims, = node.params
    return (F.flip(g, dims),)


class FlipBackward0(Node):
    op = OPS['flip']
    saves = ()
    parameters = ('dims',)
    backward = staticmethod(flip_backward)
    backward_complex = staticmethod(flip_backward)


new_FlipBackward0 = maker_of(FlipBackward0)


OP_flip.nodes = (FlipBackward0,)


OP_flip.select_node = lambda input, dims: FlipBackward0


def flip(input, dims):
    """`input` with the order along some dimensions reversed."""
    if dims is True or dims is False:
        explain_arguments(OP_flip, (input, dims))
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_flipped(input_array, dims)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FlipBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dims,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_flip, (input, dims))


OP_flip.function = flip


def flip_variadic(input, dims, *more):
    """`input` with the order along some dimensions reversed."""
    if dims is True or dims is False:
        explain_arguments(OP_flip_variadic, (input, dims, *more))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_flip_variadic, composite_flip_variadic, F, (input, dims, *more), dict())
        explain_arguments(OP_flip_variadic, (input, dims, *more))
    try:
        return composite_flip_variadic(F, input, dims, *more)
    except Exception:
        explain_arguments(OP_flip_variadic, (input, dims, *more))
        raise


OP_flip_variadic.function = flip_variadic


def fliplr(input):
    """`input` with the order along the second dimension reversed."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_fliplr, composite_fliplr, F, (input,), dict())
        explain_arguments(OP_fliplr, (input,))
    try:
        return composite_fliplr(F, input)
    except Exception:
        explain_arguments(OP_fliplr, (input,))
        raise


OP_fliplr.function = fliplr


def flipud(input):
    """`input` with the order along the first dimension reversed."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_flipud, composite_flipud, F, (input,), dict())
        explain_arguments(OP_flipud, (input,))
    try:
        return composite_flipud(F, input)
    except Exception:
        explain_arguments(OP_flipud, (input,))
        raise


OP_flipud.function = flipud


def float_power(input, exponent, *, out=None):
    """`input` to the power `exponent`, in double precision."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_float_power, composite_float_power, F, (input, exponent), dict())
    if out is not None:
        return into(out, 'float_power', composite_float_power(F, input, exponent), OP_float_power, (input, exponent))
    try:
        return composite_float_power(F, input, exponent)
    except Exception:
        explain_arguments(OP_float_power, (input, exponent))
        raise


OP_float_power.function = float_power


def float_power_(input, exponent):
    """Writes `input` to the power `exponent`, which has to be in double precision already."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_float_power_, composite_float_power_, F, (input, exponent), dict())
        explain_arguments(OP_float_power_, (input, exponent))
    try:
        return composite_float_power_(F, input, exponent)
    except Exception:
        explain_arguments(OP_float_power_, (input, exponent))
        raise


OP_float_power_.function = float_power_


def floor_backward(F, node, saved, g):
    return (F.zeros_of(g),)


class FloorBackward0(Node):
    op = OPS['floor']
    saves = ()
    parameters = ()
    backward = staticmethod(floor_backward)
    backward_complex = staticmethod(floor_backward)


new_FloorBackward0 = maker_of(FloorBackward0)


OP_floor.nodes = (FloorBackward0,)


OP_floor.select_node = lambda input: FloorBackward0


def floor(input, *, out=None):
    """The largest whole number that is not above `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_floor(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FloorBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_floor, (input,), out)


def floor_(input):
    """In-place version of `floor`."""
    return write(floor, input, (), {}, OP_floor)


OP_floor.inplace_function = floor_


OP_floor.function = floor


def floor_divide_backward(F, node, saved, g):
    input_edge, other_edge = node.edges
    return (None if input_edge is None else derivative_floor_divide_input(F, g), None if other_edge is None else derivative_floor_divide_other(F, g))


class FloorDivideBackward0(Node):
    op = OPS['floor_divide']
    saves = ()
    parameters = ()
    backward = staticmethod(floor_divide_backward)
    backward_complex = staticmethod(floor_divide_backward)


new_FloorDivideBackward0 = maker_of(FloorDivideBackward0)


OP_floor_divide.nodes = (FloorDivideBackward0,)


OP_floor_divide.select_node = lambda input, other: FloorDivideBackward0


def floor_divide(input, other=NOTHING, *, out=None, **named):
    """`input / other` rounded down, element by element; it has no derivative."""
    if named or other is NOTHING:
        return renamed(OP_floor_divide, floor_divide, {'input': input, 'other': other, 'out': out}, named)
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_floor_divide(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_FloorDivideBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_floor_divide(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FloorDivideBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_floor_divide, (input, other), out)


def operator_floor_divide(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_floor_divide(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_FloorDivideBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_floor_divide(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FloorDivideBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return operated(Operators.floor_divide, input, other)


def floor_divide_(input, other=NOTHING, **named):
    """In-place version of `floor_divide`."""
    if named or other is NOTHING:
        return renamed(OP_floor_divide, floor_divide_, {'input': input, 'other': other}, named)
    return write(floor_divide, input, (other,), {}, OP_floor_divide)


OP_floor_divide.inplace_function = floor_divide_


OP_floor_divide.function = floor_divide


def floor_divide_into(input, other):
    """`other // input`."""
    return composite_floor_divide_into(F, input, other)


def operator_floor_divide_into(input, other):
    return operated(Operators.floor_divide_into, input, other)


OP_floor_divide_into.function = floor_divide_into


def fmax_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.where((input >= other) | F.isnan(other), g, 0), None if other_edge is None else F.where((input >= other) | F.isnan(other), 0, g))


class FmaxBackward0(Node):
    op = OPS['fmax']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(fmax_backward)
    backward_complex = staticmethod(fmax_backward)


new_FmaxBackward0 = maker_of(FmaxBackward0)


OP_fmax.nodes = (FmaxBackward0,)


OP_fmax.select_node = lambda input, other: FmaxBackward0


def fmax(input, other, *, out=None):
    """The larger of `input` and `other`, the other one where one is nan; of equal ones `input` has the gradient."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_fmax(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_FmaxBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_fmax, (input, other), out)


OP_fmax.function = fmax


def fmin_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.where((input <= other) | F.isnan(other), g, 0), None if other_edge is None else F.where((input <= other) | F.isnan(other), 0, g))


class FminBackward0(Node):
    op = OPS['fmin']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(fmin_backward)
    backward_complex = staticmethod(fmin_backward)


new_FminBackward0 = maker_of(FminBackward0)


OP_fmin.nodes = (FminBackward0,)


OP_fmin.select_node = lambda input, other: FminBackward0


def fmin(input, other, *, out=None):
    """The smaller of `input` and `other`, the other one where one is nan; of equal ones `input` has the gradient."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_fmin(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_FminBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_fmin, (input, other), out)


OP_fmin.function = fmin


def fmod_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g, None if other_edge is None else -g * F.rounded_divide(input, other, 'trunc'))


class FmodBackward0(Node):
    op = OPS['fmod']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(fmod_backward)
    backward_complex = staticmethod(fmod_backward)


new_FmodBackward0 = maker_of(FmodBackward0)


class FmodBackward1(Node):
    op = OPS['fmod']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(fmod_backward)
    backward_complex = staticmethod(fmod_backward)


new_FmodBackward1 = maker_of(FmodBackward1)


OP_fmod.nodes = (FmodBackward0, FmodBackward1)


OP_fmod.select_node = lambda input, other: FmodBackward0 if isinstance(other, (int, float)) else FmodBackward1


def fmod(input, other=NOTHING, *, out=None, **named):
    """What is left of `input` when it is divided by `other`, with the sign of `input`."""
    if named or other is NOTHING:
        return renamed(OP_fmod, fmod, {'input': input, 'other': other, 'out': out}, named)
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_fmod(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = (new_FmodBackward0 if isinstance(other, (int, float)) else new_FmodBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, None if other_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_fmod(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_FmodBackward0 if isinstance(other, (int, float)) else new_FmodBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None, None)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_fmod, (input, other), out)


def fmod_(input, other=NOTHING, **named):
    """In-place version of `fmod`."""
    if named or other is NOTHING:
        return renamed(OP_fmod, fmod_, {'input': input, 'other': other}, named)
    return write(fmod, input, (other,), {}, OP_fmod)


OP_fmod.inplace_function = fmod_


OP_fmod.function = fmod


def frac_backward(F, node, saved, g):
    return (g,)


class FracBackward0(Node):
    op = OPS['frac']
    saves = ()
    parameters = ()
    backward = staticmethod(frac_backward)
    backward_complex = staticmethod(frac_backward)


new_FracBackward0 = maker_of(FracBackward0)


OP_frac.nodes = (FracBackward0,)


OP_frac.select_node = lambda input: FracBackward0


def frac(input, *, out=None):
    """The fraction of `input`, with its sign."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_frac(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FracBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_frac, (input,), out)


def frac_(input):
    """In-place version of `frac`."""
    return write(frac, input, (), {}, OP_frac)


OP_frac.inplace_function = frac_


OP_frac.function = frac


def frexp_backward(F, node, saved, g):
    exponent, = saved
    input_shape, input_dtype = node.params
    g_mantissa = g
    return (F.fit(g_mantissa / F.exp2(exponent), input_shape, input_dtype),)


class FrexpBackward0(Node):
    op = OPS['frexp']
    saves = ('exponent',)
    parameters = ('input_shape', 'input_dtype')
    backward = staticmethod(frexp_backward)
    backward_complex = staticmethod(frexp_backward)


new_FrexpBackward0 = maker_of(FrexpBackward0)


OP_frexp.nodes = (FrexpBackward0,)


OP_frexp.select_node = lambda input: FrexpBackward0


def frexp(input, *, out=None):
    """`input` as `mantissa * 2 ** exponent`, where the mantissa is between 1/2 and 1."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _mantissa, _exponent = forward_frexp(xp, input_array)
            except Exception:
                pass
            else:
                if type(_mantissa) is not ndarray and isinstance(_mantissa, np.generic):
                    _mantissa = as_array(_mantissa)
                _mantissa_tensor = new(Tensor)
                _mantissa_tensor._array = _mantissa
                _mantissa_tensor._base = None
                if type(_exponent) is not ndarray and isinstance(_exponent, np.generic):
                    _exponent = as_array(_exponent)
                _exponent_tensor = new(Tensor)
                _exponent_tensor._array = _exponent
                _exponent_tensor._base = None
                _exponent_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_FrexpBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_exponent,)
                    _node.storages = _storages = (_exponent_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (input_array.shape, input_array.dtype)
                    _node.metas = None
                    _node.special = False
                    _mantissa_tensor._edge = _node
                else:
                    _mantissa_tensor._edge = None
                    _exponent_tensor._edge = None
                    if _mode is INFERENCE:
                        _mantissa_tensor._storage = InferenceStorage()
                        _exponent_tensor._storage = InferenceStorage()
                return OP_frexp.returned(_mantissa_tensor, _exponent_tensor)
            finally:
                reset_errors(_token)
    return general(OP_frexp, (input,), out)


OP_frexp.function = frexp


def gather_backward(F, node, saved, g):
    index, = saved
    input_shape, dim = node.params
    return (F.scatter_add(F.new_zeros_of(g, input_shape), dim, index, g),)


class GatherBackward0(Node):
    op = OPS['gather']
    saves = ('index',)
    parameters = ('input_shape', 'dim')
    backward = staticmethod(gather_backward)
    backward_complex = staticmethod(gather_backward)


new_GatherBackward0 = maker_of(GatherBackward0)


OP_gather.nodes = (GatherBackward0,)


OP_gather.select_node = lambda input, dim, index, sparse_grad: GatherBackward0


def gather(input, dim=NOTHING, index=NOTHING, *, sparse_grad=False, out=None, **named):
    """The elements that `index` names along `dim`: `out[i][j] = input[index[i][j]][j]` for `dim=0`."""
    if named or index is NOTHING:
        return renamed(OP_gather, gather, {'input': input, 'dim': dim, 'index': index, 'sparse_grad': sparse_grad, 'out': out}, named)
    if dim is True or dim is False or sparse_grad is not False and sparse_grad is not True:
        explain_arguments(OP_gather, (input, dim, index, sparse_grad))
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_gather(xp, input_array, dim, index_array, sparse_grad=sparse_grad)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_GatherBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (input_array.shape, dim)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_gather, (input, dim, index, sparse_grad), out)


OP_gather.function = gather


def gcd(input, other, *, out=None):
    """The greatest common divisor of whole numbers."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_gcd(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_gcd, (input, other), out)


def gcd_(input, other):
    """In-place version of `gcd`."""
    return write(gcd, input, (other,), {}, OP_gcd)


OP_gcd.inplace_function = gcd_


OP_gcd.function = gcd


def ge(input, other, *, out=None):
    """Whether `input >= other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_greater_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_greater_equal(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_ge, (input, other), out)


def operator_ge(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_greater_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_greater_equal(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Tensor.ge, input, other)


def ge_(input, other):
    """In-place version of `ge`."""
    return write(ge, input, (other,), {}, OP_ge)


OP_ge.inplace_function = ge_


OP_ge.function = ge


def gelu_backward(F, node, saved, g):
    input, = saved
    approximate, = node.params
    return (derivative_gelu_input(F, g, input, approximate),)


class GeluBackward0(Node):
    op = OPS['gelu']
    saves = ('input',)
    parameters = ('approximate',)
    backward = staticmethod(gelu_backward)
    backward_complex = staticmethod(gelu_backward)


new_GeluBackward0 = maker_of(GeluBackward0)


OP_gelu.nodes = (GeluBackward0,)


OP_gelu.select_node = lambda input, approximate: GeluBackward0


def gelu(input, *, approximate='none', out=None):
    """`input` times the normal distribution function at `input`; `approximate="tanh"` computes that with tanh."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_gelu(xp, input_array, approximate=approximate)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_GeluBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (approximate,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_gelu, (input, approximate), out)


def gelu_(input, *, approximate='none'):
    """In-place version of `gelu`."""
    return write(gelu, input, (), {'approximate': approximate}, OP_gelu)


OP_gelu.inplace_function = gelu_


OP_gelu.function = gelu


def getitem(input, index):
    """`input[index]`: views for integers, slices, `...` and None; a copy for index arrays, lists and masks."""
    if type(index) is int and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = input_array[index, ...]
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (select, (0, index))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, select, (0, index))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_SelectBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, 0, index)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    if type(index) is slice and index.step is None and type(start := index.start) in BOUND and type(end := index.stop) in BOUND and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            end = 9223372036854775807 if end is None else end
            start = start or 0
            try:
                _result = input_array[index]
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (slice_view, (0, start, end, 1))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, slice_view, (0, start, end, 1))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_SliceBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, 0, start, end, 1)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_getitem, composite_getitem, F, (input, index), dict())
        explain_arguments(OP_getitem, (input, index))
    try:
        return composite_getitem(F, input, index)
    except Exception:
        explain_arguments(OP_getitem, (input, index))
        raise


OP_getitem.function = getitem


def getitem_view_backward(F, node, saved, g):
    input_shape, index = node.params
    return (F.putitem(g, input_shape, index),)


class AliasBackward0(Node):
    op = OPS['getitem_view']
    saves = ()
    parameters = ('input_shape', 'index')
    backward = staticmethod(getitem_view_backward)
    backward_complex = staticmethod(getitem_view_backward)


new_AliasBackward0 = maker_of(AliasBackward0)


OP_getitem_view.nodes = (AliasBackward0,)


OP_getitem_view.select_node = lambda input, index: AliasBackward0


def getitem_view(input, index):
    """The part that a tuple of integers, slices and Nones selects; it ends in `...`, so that the result is an array."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = input_array[index]
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (getitem_view, (index,))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, getitem_view, (index,))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_AliasBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, index)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_getitem_view, (input, index))


OP_getitem_view.function = getitem_view


def glu_backward(F, node, saved, g):
    input, = saved
    dim, = node.params
    return (derivative_glu_input(F, g, input, dim),)


class GluBackward0(Node):
    op = OPS['glu']
    saves = ('input',)
    parameters = ('dim',)
    backward = staticmethod(glu_backward)
    backward_complex = staticmethod(glu_backward)


new_GluBackward0 = maker_of(GluBackward0)


OP_glu.nodes = (GluBackward0,)


OP_glu.select_node = lambda input, dim: GluBackward0


def glu(input, dim=-1, *, out=None):
    """The first half of `input` along `dim` times the sigmoid of the second."""
    if dim is True or dim is False:
        explain_arguments(OP_glu, (input, dim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_glu(xp, input_array, dim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_GluBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_glu, (input, dim), out)


OP_glu.function = glu


def gradient(input, *, spacing=None, dim=None, edge_order=1, **named):
    """The derivatives along `dim` of a function known at points `spacing` apart, or at those coordinates."""
    if named:
        return renamed(OP_gradient, gradient, {'input': input, 'spacing': spacing, 'dim': dim, 'edge_order': edge_order}, named)
    if type(input) not in PLAIN_TYPES or dim is not None and (dim is True or dim is False) or type(edge_order) is not int or edge_order > 0x3FFFFFFF or edge_order < -0x3FFFFFFF:
        explain_arguments(OP_gradient, (input, spacing, dim, edge_order))
    try:
        return composite_gradient(F, input, spacing=spacing, dim=dim, edge_order=edge_order)
    except Exception:
        explain_arguments(OP_gradient, (input, spacing, dim, edge_order))
        raise


OP_gradient.function = gradient


def growth_of_power(input, exponent, out):
    """The derivative of `input ** exponent` by `exponent`: 0 where a 0 stays 0."""
    return composite_growth_of_power(F, input, exponent, out)


OP_growth_of_power.function = growth_of_power


def gt(input, other, *, out=None):
    """Whether `input > other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_greater(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_greater(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_gt, (input, other), out)


def operator_gt(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_greater(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_greater(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Tensor.gt, input, other)


def gt_(input, other):
    """In-place version of `gt`."""
    return write(gt, input, (other,), {}, OP_gt)


OP_gt.inplace_function = gt_


OP_gt.function = gt


def hardshrink_backward(F, node, saved, g):
    input, = saved
    lambd, = node.params
    return (F.choose((input >= -lambd) & (input <= lambd), 0, g),)


class HardshrinkBackward0(Node):
    op = OPS['hardshrink']
    saves = ('input',)
    parameters = ('lambd',)
    backward = staticmethod(hardshrink_backward)
    backward_complex = staticmethod(hardshrink_backward)


new_HardshrinkBackward0 = maker_of(HardshrinkBackward0)


OP_hardshrink.nodes = (HardshrinkBackward0,)


OP_hardshrink.select_node = lambda input, lambd: HardshrinkBackward0


def hardshrink(input, lambd=0.5, *, out=None):
    """`input`, and 0 where that is between `-lambd` and `lambd`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_hardshrink(input_array, lambd)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_HardshrinkBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (lambd,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_hardshrink, (input, lambd), out)


OP_hardshrink.function = hardshrink


def hardsigmoid_backward(F, node, saved, g):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (F.choose((input > -3) & (input < 3), g / numbers[6], 0),)


def hardsigmoid_backward_complex(F, node, saved, g):
    input, = saved
    return (F.choose((input > -3) & (input < 3), g / 6, 0),)


class HardsigmoidBackward0(Node):
    op = OPS['hardsigmoid']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(hardsigmoid_backward)
    backward_complex = staticmethod(hardsigmoid_backward_complex)


new_HardsigmoidBackward0 = maker_of(HardsigmoidBackward0)


OP_hardsigmoid.nodes = (HardsigmoidBackward0,)


OP_hardsigmoid.select_node = lambda input: HardsigmoidBackward0


def hardsigmoid(input, *, out=None):
    """`input / 6 + 1 / 2` kept between 0 and 1."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_hardsigmoid(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_HardsigmoidBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_hardsigmoid, (input,), out)


def hardsigmoid_(input):
    """In-place version of `hardsigmoid`."""
    return write(hardsigmoid, input, (), {}, OP_hardsigmoid)


OP_hardsigmoid.inplace_function = hardsigmoid_


OP_hardsigmoid.function = hardsigmoid


def hardswish_backward(F, node, saved, g):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g * F.choose(input <= -3, 0, F.choose(input < 3, input / numbers[3] + numbers[0.5], 1)),)


def hardswish_backward_complex(F, node, saved, g):
    input, = saved
    return (g * F.choose(input <= -3, 0, F.choose(input < 3, input / 3 + 0.5, 1)),)


class HardswishBackward0(Node):
    op = OPS['hardswish']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(hardswish_backward)
    backward_complex = staticmethod(hardswish_backward_complex)


new_HardswishBackward0 = maker_of(HardswishBackward0)


OP_hardswish.nodes = (HardswishBackward0,)


OP_hardswish.select_node = lambda input: HardswishBackward0


def hardswish(input, *, out=None):
    """`input * hardsigmoid(input)`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_hardswish(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_HardswishBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_hardswish, (input,), out)


def hardswish_(input):
    """In-place version of `hardswish`."""
    return write(hardswish, input, (), {}, OP_hardswish)


OP_hardswish.inplace_function = hardswish_


OP_hardswish.function = hardswish


def hardtanh_backward(F, node, saved, g):
    input, = saved
    min_val, max_val = node.params
    return (F.choose((input <= min_val) | (input >= max_val), 0, g),)


class HardtanhBackward0(Node):
    op = OPS['hardtanh']
    saves = ('input',)
    parameters = ('min_val', 'max_val')
    backward = staticmethod(hardtanh_backward)
    backward_complex = staticmethod(hardtanh_backward)


new_HardtanhBackward0 = maker_of(HardtanhBackward0)


OP_hardtanh.nodes = (HardtanhBackward0,)


OP_hardtanh.select_node = lambda input, min_val, max_val: HardtanhBackward0


def hardtanh(input, min_val=-1.0, max_val=1.0, *, out=None):
    """`input` kept between `min_val` and `max_val`; there the derivative is 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_hardtanh(xp, input_array, min_val, max_val)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_HardtanhBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (min_val, max_val)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_hardtanh, (input, min_val, max_val), out)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """In-place version of `hardtanh`."""
    return write(hardtanh, input, (min_val, max_val), {}, OP_hardtanh)


OP_hardtanh.inplace_function = hardtanh_


OP_hardtanh.function = hardtanh


def hash_tensor(input, dim=(), *, keepdim=False, mode=0, out=None, **named):
    """The exclusive or of the bits of all elements, or of those along `dim`, each as a 64-bit float or integer."""
    if named:
        return renamed(OP_hash_tensor, hash_tensor, {'input': input, 'dim': dim, 'keepdim': keepdim, 'mode': mode, 'out': out}, named)
    if dim is True or dim is False or keepdim is not False and keepdim is not True or type(mode) is not int or mode > 0x3FFFFFFF or mode < -0x3FFFFFFF:
        explain_arguments(OP_hash_tensor, (input, dim, keepdim, mode))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_hash_tensor(xp, input_array, dim, keepdim=keepdim, mode=mode)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_hash_tensor, (input, dim, keepdim, mode), out)


OP_hash_tensor.function = hash_tensor


def heaviside(input, values, *, out=None):
    """0 where `input` is negative, 1 where it is positive, `values` where it is 0; it has no derivative."""
    if type(values) not in PLAIN_TYPES:
        explain_arguments(OP_heaviside, (input, values))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_heaviside, composite_heaviside, F, (input, values), dict())
        explain_arguments(OP_heaviside, (input, values))
    if out is not None:
        return into(out, 'heaviside', composite_heaviside(F, input, values), OP_heaviside, (input, values))
    try:
        return composite_heaviside(F, input, values)
    except Exception:
        explain_arguments(OP_heaviside, (input, values))
        raise


def heaviside_(input, values):
    """In-place version of `heaviside`."""
    return write(heaviside, input, (values,), {}, OP_heaviside)


OP_heaviside.inplace_function = heaviside_


OP_heaviside.function = heaviside


def histc(input, bins=100, min=0, max=0, *, out=None):
    """How many elements fall into each of `bins` of one width from `min` to `max`; from end to end if both are 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_histc(xp, input_array, bins, min, max)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_histc, (input, bins, min, max), out)


OP_histc.function = histc


def histogram(input, bins=100, *, range=None, weight=None, density=False, out=None):
    """How many elements, or how much of their `weight`, falls between the limits `bins`, or into so many even bins."""
    if type(bins) not in PLAIN_TYPES and type(bins) is not int or type(bins) is int and (bins > 0x3FFFFFFF or bins < -0x3FFFFFFF) or range is not None and (not isinstance(range, (tuple, list))) or weight is not None and (type(weight) not in PLAIN_TYPES) or density is not False and density is not True:
        explain_arguments(OP_histogram, (input, bins, range, weight, density))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_histogram, composite_histogram, F, (input, bins), dict(range=range, weight=weight, density=density))
        explain_arguments(OP_histogram, (input, bins, range, weight, density))
    if out is not None:
        return into(out, 'histogram', composite_histogram(F, input, bins, range=range, weight=weight, density=density), OP_histogram, (input, bins, range, weight, density))
    try:
        return composite_histogram(F, input, bins, range=range, weight=weight, density=density)
    except Exception:
        explain_arguments(OP_histogram, (input, bins, range, weight, density))
        raise


OP_histogram.function = histogram


def histogram_in_edges(input, weight, edges, density):
    """The histogram of points over a grid of bins with given limits."""
    return general(OP_histogram_in_edges, (input, weight, edges, density))


OP_histogram_in_edges.function = histogram_in_edges


def histogram_in_ranges(input, weight, bins, range, density):
    """The histogram of points over a grid of even bins, and the limits of the bins in each dimension."""
    return general(OP_histogram_in_ranges, (input, weight, bins, range, density))


OP_histogram_in_ranges.function = histogram_in_ranges


def histogramdd(input, bins, *, range=None, weight=None, density=False):
    """The histogram of points, the rows of `input`, over a grid of bins: their number or limits in each dimension."""
    if type(input) not in PLAIN_TYPES or range is not None and (not isinstance(range, (tuple, list))) or weight is not None and (type(weight) not in PLAIN_TYPES) or density is not False and density is not True:
        explain_arguments(OP_histogramdd, (input, bins, range, weight, density))
    try:
        return composite_histogramdd(F, input, bins, range=range, weight=weight, density=density)
    except Exception:
        explain_arguments(OP_histogramdd, (input, bins, range, weight, density))
        raise


OP_histogramdd.function = histogramdd


def hsplit(input, indices_or_sections):
    """Parts side by side: along the first dimension of a vector, else the second."""
    if type(input) not in PLAIN_TYPES or type(indices_or_sections) is not int and not isinstance(indices_or_sections, (tuple, list)) or type(indices_or_sections) is int and (indices_or_sections > 0x3FFFFFFF or indices_or_sections < -0x3FFFFFFF):
        explain_arguments(OP_hsplit, (input, indices_or_sections))
    try:
        return composite_hsplit(F, input, indices_or_sections)
    except Exception:
        explain_arguments(OP_hsplit, (input, indices_or_sections))
        raise


OP_hsplit.function = hsplit


def hsplit_variadic(input, split_size_or_sections=None, *more, sections=None, indices=None):
    """Parts side by side: along the first dimension of a vector, else the second."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_hsplit_variadic, composite_hsplit_variadic, F, (input, split_size_or_sections, *more), dict(sections=sections, indices=indices))
        explain_arguments(OP_hsplit_variadic, (input, split_size_or_sections, *more, sections, indices))
    try:
        return composite_hsplit_variadic(F, input, split_size_or_sections, *more, sections=sections, indices=indices)
    except Exception:
        explain_arguments(OP_hsplit_variadic, (input, split_size_or_sections, *more, sections, indices))
        raise


OP_hsplit_variadic.function = hsplit_variadic


def hstack(tensors, *, out=None):
    """The tensors side by side: along the first dimension if they are vectors, else the second."""
    if out is not None:
        return into(out, 'hstack', composite_hstack(F, tensors), OP_hstack, (tensors,))
    try:
        return composite_hstack(F, tensors)
    except Exception:
        explain_arguments(OP_hstack, (tensors,))
        raise


OP_hstack.function = hstack


def hypot_backward(F, node, saved, g):
    input, other, out = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g * (input / out), None if other_edge is None else g * (other / out))


class HypotBackward0(Node):
    op = OPS['hypot']
    saves = ('input', 'other', 'out')
    parameters = ()
    backward = staticmethod(hypot_backward)
    backward_complex = staticmethod(hypot_backward)


new_HypotBackward0 = maker_of(HypotBackward0)


OP_hypot.nodes = (HypotBackward0,)


OP_hypot.select_node = lambda input, other: HypotBackward0


def hypot(input, other, *, out=None):
    """`sqrt(input^2 + other^2)`, without overflow on the way."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_hypot(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_HypotBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if input_edge is None else input_array, None if other_edge is None else other_array, _result)
                    _node.storages = _storages = (input._storage, other._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_hypot, (input, other), out)


def hypot_(input, other):
    """In-place version of `hypot`."""
    return write(hypot, input, (other,), {}, OP_hypot)


OP_hypot.inplace_function = hypot_


OP_hypot.function = hypot


def imag(input):
    """The imaginary parts, a view. Raises RuntimeError where `input` is real."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_imag, (input,))
    try:
        return composite_imag(F, input)
    except Exception:
        explain_arguments(OP_imag, (input,))
        raise


OP_imag.function = imag


def index_backward(F, node, saved, g):
    input_shape, indices = node.params
    return (F.placed_at(g, input_shape, indices),)


class IndexBackward0(Node):
    op = OPS['index']
    saves = ()
    parameters = ('input_shape', 'indices')
    backward = staticmethod(index_backward)
    backward_complex = staticmethod(index_backward)


new_IndexBackward0 = maker_of(IndexBackward0)


OP_index.nodes = (IndexBackward0,)


OP_index.select_node = lambda input, indices: IndexBackward0


def index(input, indices):
    """What index arrays select, with None for a whole dimension; NumPy's rules say where the new dimensions go."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_take_indices(input_array, indices)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_IndexBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, indices)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_index, (input, indices))


OP_index.function = index


def index_add_backward(F, node, saved, g):
    index, = saved
    dim, source_shape, alpha = node.params
    input_edge, source_edge = node.edges
    return (None if input_edge is None else g, None if source_edge is None else derivative_index_add_source(F, g, dim, index, source_shape, alpha))


class IndexAddBackward0(Node):
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
    if dim is True or dim is False:
        explain_arguments(OP_index_add, (input, dim, index, source, alpha))
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES and type(source) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_index_add(xp, input_array, dim, index_array, source_array, alpha=alpha)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                source_edge = source._edge if source._base is None else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_IndexAddBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if source_edge is None else index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, source_array.shape, alpha)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_index_add, (input, dim, index, source, alpha), out)


def index_add_(input, dim=NOTHING, index=NOTHING, source=NOTHING, *, alpha=1, **named):
    """In-place version of `index_add`."""
    if named or source is NOTHING:
        return renamed(OP_index_add, index_add_, {'input': input, 'dim': dim, 'index': index, 'source': source, 'alpha': alpha}, named)
    return write(index_add, input, (dim, index, source), {'alpha': alpha}, OP_index_add)


OP_index_add.inplace_function = index_add_


OP_index_add.function = index_add


def index_copy_backward(F, node, saved, g):
    index, = saved
    dim, source_shape = node.params
    input_edge, source_edge = node.edges
    return (None if input_edge is None else F.index_fill_number(g, dim, index, 0), None if source_edge is None else F.reshape(F.index_select(g, dim, index), source_shape))


class IndexCopyBackward0(Node):
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
    if dim is True or dim is False:
        explain_arguments(OP_index_copy, (input, dim, index, source))
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES and type(source) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_index_copy(xp, input_array, dim, index_array, source_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                source_edge = source._edge if source._base is None else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_IndexCopyBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, source_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_index_copy, (input, dim, index, source), out)


def index_copy_(input, dim=NOTHING, index=NOTHING, source=NOTHING, **named):
    """In-place version of `index_copy`."""
    if named or dim is NOTHING or index is NOTHING or source is NOTHING:
        return renamed(OP_index_copy, index_copy_, {'input': input, 'dim': dim, 'index': index, 'source': source}, named)
    return uncast(write, index_copy, input, (dim, index, source), {}, OP_index_copy)


OP_index_copy.inplace_function = index_copy_


OP_index_copy.function = index_copy


def index_fill(input, dim=NOTHING, index=NOTHING, value=NOTHING, **named):
    """`input` with a value, a number or a 0-d tensor, in the slices along `dim` that a vector names."""
    if named or value is NOTHING:
        return renamed(OP_index_fill, index_fill, {'input': input, 'dim': dim, 'index': index, 'value': value}, named)
    if dim is True or dim is False or type(index) not in PLAIN_TYPES:
        explain_arguments(OP_index_fill, (input, dim, index, value))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_index_fill, composite_index_fill, F, (input, dim, index, value), dict())
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
    return write(index_fill, input, (dim, index, value), {}, OP_index_fill)


OP_index_fill.inplace_function = index_fill_


OP_index_fill.function = index_fill


def index_fill_number_backward(F, node, saved, g):
    index, = saved
    dim, = node.params
    return (F.index_fill_number(g, dim, index, 0),)


class IndexFillBackward0(Node):
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
    if type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES:
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
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_IndexFillBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_index_fill_number, (input, dim, index, value))


OP_index_fill_number.function = index_fill_number


def index_fill_tensor_backward(F, node, saved, g):
    index, = saved
    dim, = node.params
    input_edge, value_edge = node.edges
    return (None if input_edge is None else F.index_fill_number(g, dim, index, 0), None if value_edge is None else F.sum(g * F.index_fill_number(F.zeros_of(g), dim, index, 1)))


class IndexFillBackward1(Node):
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
    if type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES and type(value) in PLAIN_TYPES:
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
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                value_edge = value._edge if value._base is None else edge_of(value)
                if _mode and (input_edge is not None or value_edge is not None):
                    _node = new_IndexFillBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge, value_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_index_fill_tensor, (input, dim, index, value))


OP_index_fill_tensor.function = index_fill_tensor


def index_put(input, indices, values, accumulate=False):
    """`input` with `values` at the places that index tensors or masks name, one per dimension."""
    if type(values) not in PLAIN_TYPES or accumulate is not False and accumulate is not True:
        explain_arguments(OP_index_put, (input, indices, values, accumulate))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_index_put, composite_index_put, F, (input, indices, values, accumulate), dict())
        explain_arguments(OP_index_put, (input, indices, values, accumulate))
    try:
        return composite_index_put(F, input, indices, values, accumulate)
    except Exception:
        explain_arguments(OP_index_put, (input, indices, values, accumulate))
        raise


def index_put_(input, indices, values, accumulate=False):
    """In-place version of `index_put`."""
    return write(index_put, input, (indices, values, accumulate), {}, OP_index_put)


OP_index_put.inplace_function = index_put_


OP_index_put.function = index_put


def index_reduce_backward(F, node, saved, g):
    input, index, source, out = saved
    dim, reduce, include_self = node.params
    input_edge, source_edge = node.edges
    return (None if input_edge is None else derivative_index_reduce_input(F, g, input, dim, index, source, out, reduce, include_self), None if source_edge is None else derivative_index_reduce_source(F, g, input, dim, index, source, out, reduce, include_self))


class IndexReduceBackward0(Node):
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
    if dim is True or dim is False or include_self is not False and include_self is not True:
        explain_arguments(OP_index_reduce, (input, dim, index, source, reduce, include_self))
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES and type(source) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_index_reduce(xp, input_array, dim, index_array, source_array, reduce, include_self=include_self)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                source_edge = source._edge if source._base is None else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_IndexReduceBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, index_array, source_array, _result)
                    _node.storages = _storages = (input._storage, index._storage, source._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version, _storages[3].version)
                    _node.params = (dim, reduce, include_self)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_index_reduce, (input, dim, index, source, reduce, include_self), out)


def index_reduce_(input, dim=NOTHING, index=NOTHING, source=NOTHING, reduce=NOTHING, *, include_self=True, **named):
    """In-place version of `index_reduce`."""
    if named or reduce is NOTHING:
        return renamed(OP_index_reduce, index_reduce_, {'input': input, 'dim': dim, 'index': index, 'source': source, 'reduce': reduce, 'include_self': include_self}, named)
    return write(index_reduce, input, (dim, index, source, reduce), {'include_self': include_self}, OP_index_reduce)


OP_index_reduce.inplace_function = index_reduce_


OP_index_reduce.function = index_reduce


def index_select_backward(F, node, saved, g):
    index, = saved
    input_shape, dim = node.params
    return (F.index_add(F.new_zeros_of(g, input_shape), dim, index, g),)


class IndexSelectBackward0(Node):
    op = OPS['index_select']
    saves = ('index',)
    parameters = ('input_shape', 'dim')
    backward = staticmethod(index_select_backward)
    backward_complex = staticmethod(index_select_backward)


new_IndexSelectBackward0 = maker_of(IndexSelectBackward0)


OP_index_select.nodes = (IndexSelectBackward0,)


OP_index_select.select_node = lambda input, dim, index: IndexSelectBackward0


def index_select(input, dim=NOTHING, index=NOTHING, *, out=None, **named):
    """The slices along `dim` at the positions that a vector names."""
    if named or index is NOTHING:
        return renamed(OP_index_select, index_select, {'input': input, 'dim': dim, 'index': index, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_index_select, (input, dim, index))
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_index_select(xp, input_array, dim, index_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_IndexSelectBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (input_array.shape, dim)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_index_select, (input, dim, index), out)


OP_index_select.function = index_select


def inner(input, other, *, out=None):
    """The sums of products along the last dimension of both; plain products where one has no dimensions."""
    if type(other) not in PLAIN_TYPES:
        explain_arguments(OP_inner, (input, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_inner, composite_inner, F, (input, other), dict())
        explain_arguments(OP_inner, (input, other))
    if out is not None:
        return into(out, 'inner', composite_inner(F, input, other), OP_inner, (input, other))
    try:
        return composite_inner(F, input, other)
    except Exception:
        explain_arguments(OP_inner, (input, other))
        raise


OP_inner.function = inner


def invert(input):
    """`bitwise_not` as the operator `~`."""
    return composite_invert(F, input)


def operator_invert(input):
    return Operators.invert(input)


OP_invert.function = invert


def is_between(input, low, high):
    """Whether the elements are within bounds that may be None."""
    return composite_is_between(F, input, low, high)


OP_is_between.function = is_between


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether `|input - other| <= atol + rtol * |other|`, element by element; infinities are close to themselves."""
    if type(other) not in PLAIN_TYPES or type(rtol) is not float and type(rtol) is not int or type(atol) is not float and type(atol) is not int or equal_nan is not False and equal_nan is not True:
        explain_arguments(OP_isclose, (input, other, rtol, atol, equal_nan))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_isclose, composite_isclose, F, (input, other, rtol, atol, equal_nan), dict())
        explain_arguments(OP_isclose, (input, other, rtol, atol, equal_nan))
    try:
        return composite_isclose(F, input, other, rtol, atol, equal_nan)
    except Exception:
        explain_arguments(OP_isclose, (input, other, rtol, atol, equal_nan))
        raise


OP_isclose.function = isclose


def isfinite(input):
    """Whether an element is neither infinite nor nan."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_isfinite(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_isfinite, (input,))


OP_isfinite.function = isfinite


def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None):
    """Whether each element occurs among the test elements."""
    if assume_unique is not False and assume_unique is not True or invert is not False and invert is not True:
        explain_arguments(OP_isin, (elements, test_elements, assume_unique, invert))
    if out is None and type(elements) in PLAIN_TYPES and type(test_elements) in PLAIN_TYPES:
        elements_array = elements._array
        test_elements_array = test_elements._array
        _mode = get_mode()
        if ((_dtype := elements_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is test_elements_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_isin(elements_array, test_elements_array, assume_unique, invert)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_isin, (elements, test_elements, assume_unique, invert), out)


OP_isin.function = isin


def isinf(input):
    """Whether an element is infinite."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_isinf(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_isinf, (input,))


OP_isinf.function = isinf


def isnan(input):
    """Whether an element is nan."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_isnan(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_isnan, (input,))


OP_isnan.function = isnan


def isneginf(input, *, out=None):
    """Whether an element is minus infinity."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_isneginf(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_isneginf, (input,), out)


OP_isneginf.function = isneginf


def isposinf(input, *, out=None):
    """Whether an element is plus infinity."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_isposinf(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_isposinf, (input,), out)


OP_isposinf.function = isposinf


def isreal(input):
    """Whether an element has no imaginary part."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_equal(input_array.imag, 0, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_isreal, (input,))


OP_isreal.function = isreal


def iterate(input):
    """An iterator over the slices along the first dimension."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_iterate, composite_iterate, F, (input,), dict())
        explain_arguments(OP_iterate, (input,))
    try:
        return composite_iterate(F, input)
    except Exception:
        explain_arguments(OP_iterate, (input,))
        raise


OP_iterate.function = iterate


def joined_backward(F, node, saved, g):
    tensors_shapes, dim = node.params
    return derivative_joined_tensors(F, g, tensors_shapes, dim)


class CatBackward0(Node):
    op = OPS['joined']
    saves = ()
    parameters = ('tensors_shapes', 'dim')
    backward = staticmethod(joined_backward)
    backward_complex = staticmethod(joined_backward)


new_CatBackward0 = maker_of(CatBackward0)


OP_joined.nodes = (CatBackward0,)


OP_joined.select_node = lambda tensors, dim: CatBackward0


def joined(tensors, dim=0):
    """Tensors one behind the other along `dim`; empty vectors count for nothing."""
    if type(tensors) in SEQUENCES:
        _arrays = [each._array for each in tensors if type(each) in PLAIN_TYPES]
        _mode = get_mode()
        if len(_arrays) == len(tensors) > 0 and ((_dtype := _arrays[0].dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and all_of([each.dtype is _dtype for each in _arrays]) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_cat(_arrays, dim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _edges = tuple([each._edge if each._base is None else edge_of(each) for each in tensors])
                if _mode and any_of([each is not None for each in _edges]):
                    _node = new_CatBackward0()
                    _node.created = tick()
                    _node.edges, _node.saved, _node.metas, _node.special = _edges, (), None, False
                    _node.params = (tuple([each.shape for each in _arrays]), dim)
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_joined, (tensors, dim))


OP_joined.function = joined


def kron(input, other, *, out=None):
    """Each element of `input` times the whole of `other`, side by side: the Kronecker product."""
    if type(other) not in PLAIN_TYPES:
        explain_arguments(OP_kron, (input, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_kron, composite_kron, F, (input, other), dict())
        explain_arguments(OP_kron, (input, other))
    if out is not None:
        return into(out, 'kron', composite_kron(F, input, other), OP_kron, (input, other))
    try:
        return composite_kron(F, input, other)
    except Exception:
        explain_arguments(OP_kron, (input, other))
        raise


OP_kron.function = kron


def kthvalue_backward(F, node, saved, g):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_kthvalue_input(F, g_values, indices, dim, keepdim, input_shape),)


class KthvalueBackward0(Node):
    op = OPS['kthvalue']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(kthvalue_backward)
    backward_complex = staticmethod(kthvalue_backward)


new_KthvalueBackward0 = maker_of(KthvalueBackward0)


OP_kthvalue.nodes = (KthvalueBackward0,)


OP_kthvalue.select_node = lambda input, k, dim, keepdim: KthvalueBackward0


def kthvalue(input, k=NOTHING, dim=-1, keepdim=False, *, out=None, **named):
    """The `k`-th smallest elements along `dim`, and their indices."""
    if named or k is NOTHING:
        return renamed(OP_kthvalue, kthvalue, {'input': input, 'k': k, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if type(k) is not int or k > 0x3FFFFFFF or k < -0x3FFFFFFF or dim is True or dim is False or keepdim is not False and keepdim is not True:
        explain_arguments(OP_kthvalue, (input, k, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_kthvalue(xp, input_array, k, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_KthvalueBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, keepdim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_kthvalue.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_kthvalue, (input, k, dim, keepdim), out)


OP_kthvalue.function = kthvalue


def lcm(input, other, *, out=None):
    """The least common multiple of whole numbers."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_lcm(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_lcm, (input, other), out)


def lcm_(input, other):
    """In-place version of `lcm`."""
    return write(lcm, input, (other,), {}, OP_lcm)


OP_lcm.inplace_function = lcm_


OP_lcm.function = lcm


def ldexp_backward(F, node, saved, g):
    other, out = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g * F.exp2(other), None if other_edge is None else derivative_ldexp_other(F, g, out))


def ldexp_backward_complex(F, node, saved, g):
    other, out = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g * F.conj(F.exp2(other)), None if other_edge is None else derivative_ldexp_other(F, g, out))


class LdexpBackward0(Node):
    op = OPS['ldexp']
    saves = ('other', 'out')
    parameters = ()
    backward = staticmethod(ldexp_backward)
    backward_complex = staticmethod(ldexp_backward_complex)


new_LdexpBackward0 = maker_of(LdexpBackward0)


OP_ldexp.nodes = (LdexpBackward0,)


OP_ldexp.select_node = lambda input, other: LdexpBackward0


def ldexp(input, other, *, out=None):
    """`input * 2 ** other`."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_ldexp(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_LdexpBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if input_edge is None else other_array, None if other_edge is None else _result)
                    _node.storages = _storages = (other._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_ldexp, (input, other), out)


def ldexp_(input, other):
    """In-place version of `ldexp`."""
    return write(ldexp, input, (other,), {}, OP_ldexp)


OP_ldexp.inplace_function = ldexp_


OP_ldexp.function = ldexp


def le(input, other, *, out=None):
    """Whether `input <= other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_less_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_less_equal(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_le, (input, other), out)


def operator_le(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_less_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_less_equal(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Tensor.le, input, other)


def le_(input, other):
    """In-place version of `le`."""
    return write(le, input, (other,), {}, OP_le)


OP_le.inplace_function = le_


OP_le.function = le


def leaky_relu_backward(F, node, saved, g):
    input, = saved
    negative_slope, = node.params
    return (F.choose(input > 0, g, g * negative_slope),)


class LeakyReluBackward0(Node):
    op = OPS['leaky_relu']
    saves = ('input',)
    parameters = ('negative_slope',)
    backward = staticmethod(leaky_relu_backward)
    backward_complex = staticmethod(leaky_relu_backward)


new_LeakyReluBackward0 = maker_of(LeakyReluBackward0)


OP_leaky_relu.nodes = (LeakyReluBackward0,)


OP_leaky_relu.select_node = lambda input, negative_slope: LeakyReluBackward0


def leaky_relu(input, negative_slope=0.01, *, out=None):
    """`input` where it is positive, otherwise `negative_slope * input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_leaky_relu(input_array, negative_slope)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LeakyReluBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (negative_slope,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_leaky_relu, (input, negative_slope), out)


def leaky_relu_(input, negative_slope=0.01):
    """In-place version of `leaky_relu`."""
    return write(leaky_relu, input, (negative_slope,), {}, OP_leaky_relu)


OP_leaky_relu.inplace_function = leaky_relu_


OP_leaky_relu.function = leaky_relu


def left_shift_by(input, other):
    """`other << input`."""
    return composite_left_shift_by(F, input, other)


def operator_left_shift_by(input, other):
    return operated(Operators.left_shift_by, input, other)


OP_left_shift_by.function = left_shift_by


def lerp(input, end, weight, *, out=None):
    """The point `weight` of the way from `input` to `end`; all must be of one floating-point dtype."""
    if type(end) not in PLAIN_TYPES:
        explain_arguments(OP_lerp, (input, end, weight))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_lerp, composite_lerp, F, (input, end, weight), dict())
        explain_arguments(OP_lerp, (input, end, weight))
    if out is not None:
        return into(out, 'lerp', composite_lerp(F, input, end, weight), OP_lerp, (input, end, weight))
    try:
        return composite_lerp(F, input, end, weight)
    except Exception:
        explain_arguments(OP_lerp, (input, end, weight))
        raise


def lerp_(input, end, weight):
    """In-place version of `lerp`."""
    return write(lerp, input, (end, weight), {}, OP_lerp)


OP_lerp.inplace_function = lerp_


OP_lerp.function = lerp


def lerp_by_number_backward(F, node, saved, g):
    weight, = node.params
    input_edge, end_edge = node.edges
    return (None if input_edge is None else g * (1 - weight), None if end_edge is None else g * weight)


def lerp_by_number_backward_complex(F, node, saved, g):
    weight, = node.params
    input_edge, end_edge = node.edges
    return (None if input_edge is None else g * F.conj(1 - weight), None if end_edge is None else g * F.conj(weight))


class LerpBackward0(Node):
    op = OPS['lerp_by_number']
    saves = ()
    parameters = ('weight',)
    backward = staticmethod(lerp_by_number_backward)
    backward_complex = staticmethod(lerp_by_number_backward_complex)


new_LerpBackward0 = maker_of(LerpBackward0)


OP_lerp_by_number.nodes = (LerpBackward0,)


OP_lerp_by_number.select_node = lambda input, end, weight: LerpBackward0


def lerp_by_number(input, end, weight):
    """The point `weight` of the way from `input` to `end`."""
    if type(input) in PLAIN_TYPES and type(end) in PLAIN_TYPES:
        input_array = input._array
        end_array = end._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is end_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_lerp(input_array, end_array, weight)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                end_edge = end._edge if end._base is None else edge_of(end)
                if _mode and (input_edge is not None or end_edge is not None):
                    _node = new_LerpBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, end_edge)
                    _node.saved = ()
                    _node.params = (weight,)
                    _node.metas = None if input_array.shape == end_array.shape else ((input_array.shape, input_array.dtype), (end_array.shape, end_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(end) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[end]
            _token = set_errors(IGNORED)
            try:
                _result = xp_lerp(input_array, _number, weight)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LerpBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = (weight,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_lerp_by_number, (input, end, weight))


OP_lerp_by_number.function = lerp_by_number


def lerp_by_tensor_backward(F, node, saved, g):
    input, end, weight = saved
    input_edge, end_edge, weight_edge = node.edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else g * (numbers[1] - weight), None if end_edge is None else g * weight, None if weight_edge is None else g * (end - input))


def lerp_by_tensor_backward_complex(F, node, saved, g):
    input, end, weight = saved
    input_edge, end_edge, weight_edge = node.edges
    return (None if input_edge is None else g * F.conj(1 - weight), None if end_edge is None else g * F.conj(weight), None if weight_edge is None else g * F.conj(end - input))


class LerpBackward1(Node):
    op = OPS['lerp_by_tensor']
    saves = ('input', 'end', 'weight')
    parameters = ()
    backward = staticmethod(lerp_by_tensor_backward)
    backward_complex = staticmethod(lerp_by_tensor_backward_complex)


new_LerpBackward1 = maker_of(LerpBackward1)


OP_lerp_by_tensor.nodes = (LerpBackward1,)


OP_lerp_by_tensor.select_node = lambda input, end, weight: LerpBackward1


def lerp_by_tensor(input, end, weight):
    """The point `weight` of the way from `input` to `end`."""
    if type(input) in PLAIN_TYPES and type(end) in PLAIN_TYPES and type(weight) in PLAIN_TYPES:
        input_array = input._array
        end_array = end._array
        weight_array = weight._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is end_array.dtype and _dtype is weight_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_lerp(input_array, end_array, weight_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                end_edge = end._edge if end._base is None else edge_of(end)
                weight_edge = weight._edge if weight._base is None else edge_of(weight)
                if _mode and (input_edge is not None or end_edge is not None or weight_edge is not None):
                    _node = new_LerpBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge, end_edge, weight_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if weight_edge is None else input_array, None if weight_edge is None else end_array, None if input_edge is None and end_edge is None else weight_array)
                    _node.storages = _storages = (input._storage, end._storage, weight._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == end_array.shape and input_array.shape == weight_array.shape else ((input_array.shape, input_array.dtype), (end_array.shape, end_array.dtype), (weight_array.shape, weight_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_lerp_by_tensor, (input, end, weight))


OP_lerp_by_tensor.function = lerp_by_tensor


def linalg_cross_backward(F, node, saved, g):
    input, other = saved
    input_shape, input_dtype, dim, other_shape, other_dtype = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.fit(F.linalg_cross(other, g, dim=dim), input_shape, input_dtype), None if other_edge is None else F.fit(F.linalg_cross(g, input, dim=dim), other_shape, other_dtype))


def linalg_cross_backward_complex(F, node, saved, g):
    input, other = saved
    input_shape, input_dtype, dim, other_shape, other_dtype = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.fit(F.linalg_cross(F.conj(other), g, dim=dim), input_shape, input_dtype), None if other_edge is None else F.fit(F.linalg_cross(g, F.conj(input), dim=dim), other_shape, other_dtype))


class LinalgCrossBackward0(Node):
    op = OPS['linalg_cross']
    saves = ('input', 'other')
    parameters = ('input_shape', 'input_dtype', 'dim', 'other_shape', 'other_dtype')
    backward = staticmethod(linalg_cross_backward)
    backward_complex = staticmethod(linalg_cross_backward_complex)


new_LinalgCrossBackward0 = maker_of(LinalgCrossBackward0)


OP_linalg_cross.nodes = (LinalgCrossBackward0,)


OP_linalg_cross.select_node = lambda input, other, dim: LinalgCrossBackward0


def linalg_cross(input, other=NOTHING, *, dim=-1, out=None, **named):
    """The cross products of the vectors of three elements along `dim`."""
    if named or other is NOTHING:
        return renamed(OP_linalg_cross, linalg_cross, {'input': input, 'other': other, 'dim': dim, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_linalg_cross, (input, other, dim))
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_linalg_cross(xp, input_array, other_array, dim=dim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_LinalgCrossBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, None if input_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (input_array.shape, input_array.dtype, dim, other_array.shape, other_array.dtype)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_linalg_cross, (input, other, dim), out)


OP_linalg_cross.function = linalg_cross


def linalg_multi_dot(tensors, *, out=None):
    """The product of matrices in the order that takes the fewest multiplications; the ends may be vectors."""
    if out is not None:
        return into(out, 'linalg_multi_dot', composite_linalg_multi_dot(F, tensors), OP_linalg_multi_dot, (tensors,))
    try:
        return composite_linalg_multi_dot(F, tensors)
    except Exception:
        explain_arguments(OP_linalg_multi_dot, (tensors,))
        raise


OP_linalg_multi_dot.function = linalg_multi_dot


def linalg_vecdot(x, y=NOTHING, *, dim=-1, out=None, **named):
    """The sums of conj(x) * y along `dim`, the other dimensions broadcast."""
    if named or y is NOTHING:
        return renamed(OP_linalg_vecdot, linalg_vecdot, {'x': x, 'y': y, 'dim': dim, 'out': out}, named)
    if type(x) not in PLAIN_TYPES or type(y) not in PLAIN_TYPES or dim is True or dim is False:
        explain_arguments(OP_linalg_vecdot, (x, y, dim))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_vecdot, composite_linalg_vecdot, F, (x, y), dict(dim=dim))
    if out is not None:
        return into(out, 'linalg_vecdot', uncast(composite_linalg_vecdot, F, x, y, dim=dim), OP_linalg_vecdot, (x, y, dim))
    try:
        return composite_linalg_vecdot(F, x, y, dim=dim)
    except Exception:
        explain_arguments(OP_linalg_vecdot, (x, y, dim))
        raise


OP_linalg_vecdot.function = linalg_vecdot


def linalg_vector_norm_backward(F, node, saved, g):
    input, out = saved
    ord, dim, input_shape = node.params
    return (derivative_linalg_vector_norm_input(F, g, input, out, ord, dim, input_shape),)


class LinalgVectorNormBackward0(Node):
    op = OPS['linalg_vector_norm']
    saves = ('input', 'out')
    parameters = ('ord', 'dim', 'input_shape')
    backward = staticmethod(linalg_vector_norm_backward)
    backward_complex = staticmethod(linalg_vector_norm_backward)


new_LinalgVectorNormBackward0 = maker_of(LinalgVectorNormBackward0)


OP_linalg_vector_norm.nodes = (LinalgVectorNormBackward0,)


OP_linalg_vector_norm.select_node = lambda input, ord, dim, keepdim, dtype: LinalgVectorNormBackward0


def linalg_vector_norm(input=NOTHING, ord=2, dim=None, keepdim=False, *, dtype=None, out=None, **named):
    """The norm of the elements along `dim` as a vector; of all of them if `dim` is None."""
    if named or input is NOTHING:
        return renamed(OP_linalg_vector_norm, linalg_vector_norm, {'input': input, 'ord': ord, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_linalg_vector_norm, (input, ord, dim, keepdim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_linalg_vector_norm(xp, input_array, ord, dim, keepdim, dtype=dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LinalgVectorNormBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (ord, dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_linalg_vector_norm, (input, ord, dim, keepdim, dtype), out)


linalg_vector_norm = documented(OP_linalg_vector_norm, linalg_vector_norm)


OP_linalg_vector_norm.function = linalg_vector_norm


def linear(input, weight, bias=None, *, out=None):
    """`input @ weight.T + bias`, for `input` (..., in_features), `weight` (out_features, in_features) and `bias`."""
    if out is None and type(input) is Tensor and input._array.ndim == 2 and type(bias) in PLAIN_TYPES and type(input) in PLAIN_TYPES and type(weight) in PLAIN_TYPES:
        bias_array = bias._array
        input_array = input._array
        weight_array = weight._array
        _mode = get_mode()
        if ((_dtype := bias_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is input_array.dtype and _dtype is weight_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_affine(xp, bias_array, input_array, weight_array, beta=1, alpha=1, flipped=True)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                bias_edge = bias._edge if bias._base is None else edge_of(bias)
                input_edge = input._edge if input._base is None else edge_of(input)
                weight_edge = weight._edge if weight._base is None else edge_of(weight)
                if _mode and (bias_edge is not None or input_edge is not None or weight_edge is not None):
                    _node = new_AddmmBackward0()
                    _node.created = tick()
                    _node.edges = (bias_edge, input_edge, weight_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if weight_edge is None else input_array, None if input_edge is None else weight_array)
                    _node.storages = _storages = (input._storage, weight._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (bias_array.shape, bias_array.dtype, 1, 1, True)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if out is not None:
        return into(out, 'linear', uncast(composite_linear, F, input, weight, bias), OP_linear, (input, weight, bias))
    try:
        return composite_linear(F, input, weight, bias)
    except Exception:
        explain_arguments(OP_linear, (input, weight, bias))
        raise


OP_linear.function = linear


def linear_of_rows(input, weight, bias):
    """`linear` where the rows of `input` do not lie one after the other: a product, and a sum."""
    if type(get_mode()) is Modes:
        return autocasted(OP_linear_of_rows, composite_linear_of_rows, F, (input, weight, bias), dict())
    return composite_linear_of_rows(F, input, weight, bias)


OP_linear_of_rows.function = linear_of_rows


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


new_LogBackward0 = maker_of(LogBackward0)


OP_log.nodes = (LogBackward0,)


OP_log.select_node = lambda input: LogBackward0


def log(input, *, out=None):
    """The natural logarithm of `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_log(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LogBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_log, (input,), out)


def log_(input):
    """In-place version of `log`."""
    return write(log, input, (), {}, OP_log)


OP_log.inplace_function = log_


OP_log.function = log


def log10_backward(F, node, saved, g):
    input, = saved
    return (derivative_log10_input(F, g, input),)


class Log10Backward0(Node):
    op = OPS['log10']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(log10_backward)
    backward_complex = staticmethod(log10_backward)


new_Log10Backward0 = maker_of(Log10Backward0)


OP_log10.nodes = (Log10Backward0,)


OP_log10.select_node = lambda input: Log10Backward0


def log10(input, *, out=None):
    """The logarithm of `input` to the base 10."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_log10(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_Log10Backward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_log10, (input,), out)


def log10_(input):
    """In-place version of `log10`."""
    return write(log10, input, (), {}, OP_log10)


OP_log10.inplace_function = log10_


OP_log10.function = log10


def log1p_backward(F, node, saved, g):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g / (input + numbers[1]),)


def log1p_backward_complex(F, node, saved, g):
    input, = saved
    return (g / F.conj(input + 1),)


class Log1PBackward0(Node):
    op = OPS['log1p']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(log1p_backward)
    backward_complex = staticmethod(log1p_backward_complex)


new_Log1PBackward0 = maker_of(Log1PBackward0)


OP_log1p.nodes = (Log1PBackward0,)


OP_log1p.select_node = lambda input: Log1PBackward0


def log1p(input, *, out=None):
    """`log(1 + input)`, exact near 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_log1p(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_Log1PBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_log1p, (input,), out)


def log1p_(input):
    """In-place version of `log1p`."""
    return write(log1p, input, (), {}, OP_log1p)


OP_log1p.inplace_function = log1p_


OP_log1p.function = log1p


def log2_backward(F, node, saved, g):
    input, = saved
    return (derivative_log2_input(F, g, input),)


class Log2Backward0(Node):
    op = OPS['log2']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(log2_backward)
    backward_complex = staticmethod(log2_backward)


new_Log2Backward0 = maker_of(Log2Backward0)


OP_log2.nodes = (Log2Backward0,)


OP_log2.select_node = lambda input: Log2Backward0


def log2(input, *, out=None):
    """The logarithm of `input` to the base 2."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_log2(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_Log2Backward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_log2, (input,), out)


def log2_(input):
    """In-place version of `log2`."""
    return write(log2, input, (), {}, OP_log2)


OP_log2.inplace_function = log2_


OP_log2.function = log2


def log_softmax_backward(F, node, saved, g):
    out, = saved
    dim, = node.params
    return (g - F.exp(out) * F.sum(g, dim, True),)


class LogSoftmaxBackward0(Node):
    op = OPS['log_softmax']
    saves = ('out',)
    parameters = ('dim',)
    backward = staticmethod(log_softmax_backward)
    backward_complex = staticmethod(log_softmax_backward)


new_LogSoftmaxBackward0 = maker_of(LogSoftmaxBackward0)


OP_log_softmax.nodes = (LogSoftmaxBackward0,)


OP_log_softmax.select_node = lambda input, dim, dtype: LogSoftmaxBackward0


def log_softmax(input, dim=NOTHING, dtype=None, *, out=None, **named):
    """The logarithm of the softmax along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_log_softmax, log_softmax, {'input': input, 'dim': dim, 'dtype': dtype, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_log_softmax, (input, dim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_log_softmax(xp, input_array, dim, dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LogSoftmaxBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_log_softmax, (input, dim, dtype), out)


OP_log_softmax.function = log_softmax


def logaddexp_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else g / (numbers[1] + F.exp(other - input)), None if other_edge is None else g / (numbers[1] + F.exp(input - other)))


def logaddexp_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g / F.conj(1 + F.exp(other - input)), None if other_edge is None else g / F.conj(1 + F.exp(input - other)))


class LogaddexpBackward0(Node):
    op = OPS['logaddexp']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(logaddexp_backward)
    backward_complex = staticmethod(logaddexp_backward_complex)


new_LogaddexpBackward0 = maker_of(LogaddexpBackward0)


OP_logaddexp.nodes = (LogaddexpBackward0,)


OP_logaddexp.select_node = lambda input, other: LogaddexpBackward0


def logaddexp(input, other, *, out=None):
    """`log(exp(input) + exp(other))`, without overflow on the way."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_logaddexp(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_LogaddexpBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_logaddexp, (input, other), out)


OP_logaddexp.function = logaddexp


def logaddexp2_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else g / (numbers[1] + F.exp2(other - input)), None if other_edge is None else g / (numbers[1] + F.exp2(input - other)))


def logaddexp2_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g / (1 + F.exp2(other - input)), None if other_edge is None else g / (1 + F.exp2(input - other)))


class Logaddexp2Backward0(Node):
    op = OPS['logaddexp2']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(logaddexp2_backward)
    backward_complex = staticmethod(logaddexp2_backward_complex)


new_Logaddexp2Backward0 = maker_of(Logaddexp2Backward0)


OP_logaddexp2.nodes = (Logaddexp2Backward0,)


OP_logaddexp2.select_node = lambda input, other: Logaddexp2Backward0


def logaddexp2(input, other, *, out=None):
    """`log2(2^input + 2^other)`, without overflow on the way."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_logaddexp2(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_Logaddexp2Backward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_logaddexp2, (input, other), out)


OP_logaddexp2.function = logaddexp2


def logcumsumexp_backward(F, node, saved, g):
    input, out = saved
    dim, = node.params
    return (derivative_logcumsumexp_input(F, g, input, out, dim),)


class LogcumsumexpBackward0(Node):
    op = OPS['logcumsumexp']
    saves = ('input', 'out')
    parameters = ('dim',)
    backward = staticmethod(logcumsumexp_backward)
    backward_complex = staticmethod(logcumsumexp_backward)


new_LogcumsumexpBackward0 = maker_of(LogcumsumexpBackward0)


OP_logcumsumexp.nodes = (LogcumsumexpBackward0,)


OP_logcumsumexp.select_node = lambda input, dim: LogcumsumexpBackward0


def logcumsumexp(input, dim=NOTHING, *, out=None, **named):
    """The logarithm of the sum of the exponentials of all elements up to each, along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_logcumsumexp, logcumsumexp, {'input': input, 'dim': dim, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_logcumsumexp, (input, dim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_logcumsumexp(xp, input_array, dim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LogcumsumexpBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_logcumsumexp, (input, dim), out)


OP_logcumsumexp.function = logcumsumexp


def logical_and(input, other, *, out=None):
    """Whether both are nonzero."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_logical_and(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_logical_and, (input, other), out)


def logical_and_(input, other):
    """In-place version of `logical_and`."""
    return write(logical_and, input, (other,), {}, OP_logical_and)


OP_logical_and.inplace_function = logical_and_


OP_logical_and.function = logical_and


def logical_not(input, *, out=None):
    """Whether `input` is zero."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_logical_not(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_logical_not, (input,), out)


def logical_not_(input):
    """In-place version of `logical_not`."""
    return write(logical_not, input, (), {}, OP_logical_not)


OP_logical_not.inplace_function = logical_not_


OP_logical_not.function = logical_not


def logical_or(input, other, *, out=None):
    """Whether either is nonzero."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_logical_or(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_logical_or, (input, other), out)


def logical_or_(input, other):
    """In-place version of `logical_or`."""
    return write(logical_or, input, (other,), {}, OP_logical_or)


OP_logical_or.inplace_function = logical_or_


OP_logical_or.function = logical_or


def logical_xor(input, other, *, out=None):
    """Whether exactly one is nonzero."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_logical_xor(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_logical_xor, (input, other), out)


def logical_xor_(input, other):
    """In-place version of `logical_xor`."""
    return write(logical_xor, input, (other,), {}, OP_logical_xor)


OP_logical_xor.inplace_function = logical_xor_


OP_logical_xor.function = logical_xor


def logit_backward(F, node, saved, g):
    input, = saved
    input_dtype, eps = node.params
    return (derivative_logit_input(F, g, input, input_dtype, eps),)


class LogitBackward0(Node):
    op = OPS['logit']
    saves = ('input',)
    parameters = ('input_dtype', 'eps')
    backward = staticmethod(logit_backward)
    backward_complex = staticmethod(logit_backward)


new_LogitBackward0 = maker_of(LogitBackward0)


OP_logit.nodes = (LogitBackward0,)


OP_logit.select_node = lambda input, eps: LogitBackward0


def logit(input, eps=None, *, out=None):
    """`log(input / (1 - input))`, the inverse of `sigmoid`; with `eps`, of the input kept so far away from 0 and 1."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_logit(input_array, eps)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LogitBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (input_array.dtype, eps)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_logit, (input, eps), out)


def logit_(input, eps=None):
    """In-place version of `logit`."""
    return write(logit, input, (eps,), {}, OP_logit)


OP_logit.inplace_function = logit_


OP_logit.function = logit


def logsigmoid_backward(F, node, saved, g):
    input, = saved
    return (g * F.sigmoid(-input),)


class LogSigmoidBackward0(Node):
    op = OPS['logsigmoid']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(logsigmoid_backward)
    backward_complex = staticmethod(logsigmoid_backward)


new_LogSigmoidBackward0 = maker_of(LogSigmoidBackward0)


OP_logsigmoid.nodes = (LogSigmoidBackward0,)


OP_logsigmoid.select_node = lambda input: LogSigmoidBackward0


def logsigmoid(input, *, out=None):
    """`log(sigmoid(input))`, exact where the sigmoid vanishes."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_log_sigmoid(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LogSigmoidBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_logsigmoid, (input,), out)


OP_logsigmoid.function = logsigmoid


def logsumexp_backward(F, node, saved, g):
    input, out = saved
    dim, input_shape = node.params
    return (derivative_logsumexp_input(F, g, input, out, dim, input_shape),)


class LogsumexpBackward0(Node):
    op = OPS['logsumexp']
    saves = ('input', 'out')
    parameters = ('dim', 'input_shape')
    backward = staticmethod(logsumexp_backward)
    backward_complex = staticmethod(logsumexp_backward)


new_LogsumexpBackward0 = maker_of(LogsumexpBackward0)


OP_logsumexp.nodes = (LogsumexpBackward0,)


OP_logsumexp.select_node = lambda input, dim, keepdim: LogsumexpBackward0


def logsumexp(input, dim=NOTHING, keepdim=False, *, out=None, **named):
    """The logarithm of the sum of the exponentials along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_logsumexp, logsumexp, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is True or dim is False or keepdim is not False and keepdim is not True:
        explain_arguments(OP_logsumexp, (input, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_logsumexp(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_LogsumexpBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_logsumexp, (input, dim, keepdim), out)


OP_logsumexp.function = logsumexp


def lt(input, other, *, out=None):
    """Whether `input < other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_less(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_less(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_lt, (input, other), out)


def operator_lt(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_less(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_less(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Tensor.lt, input, other)


def lt_(input, other):
    """In-place version of `lt`."""
    return write(lt, input, (other,), {}, OP_lt)


OP_lt.inplace_function = lt_


OP_lt.function = lt


def mH(input):
    """The matrices in the last two dimensions, transposed and conjugated: a property."""
    return composite_mH(F, input)


OP_mH.function = mH


def mT(input):
    """The matrices in the last two dimensions, transposed: a property."""
    return composite_mT(F, input)


OP_mT.function = mT


def masked_fill(input, mask, value):
    """`input` with `value`, a number or a tensor of one element, wherever `mask` is true."""
    if type(mask) not in PLAIN_TYPES:
        explain_arguments(OP_masked_fill, (input, mask, value))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_masked_fill, composite_masked_fill, F, (input, mask, value), dict())
        explain_arguments(OP_masked_fill, (input, mask, value))
    try:
        return composite_masked_fill(F, input, mask, value)
    except Exception:
        explain_arguments(OP_masked_fill, (input, mask, value))
        raise


def masked_fill_(input, mask, value):
    """In-place version of `masked_fill`."""
    return write(masked_fill, input, (mask, value), {}, OP_masked_fill)


OP_masked_fill.inplace_function = masked_fill_


OP_masked_fill.function = masked_fill


def masked_scatter_backward(F, node, saved, g):
    mask, = saved
    input_shape, source_shape = node.params
    input_edge, source_edge = node.edges
    return (None if input_edge is None else derivative_masked_scatter_input(F, g, input_shape, mask), None if source_edge is None else F.masked_source(g, mask, source_shape))


class MaskedScatterBackward0(Node):
    op = OPS['masked_scatter']
    saves = ('mask',)
    parameters = ('input_shape', 'source_shape')
    backward = staticmethod(masked_scatter_backward)
    backward_complex = staticmethod(masked_scatter_backward)


new_MaskedScatterBackward0 = maker_of(MaskedScatterBackward0)


OP_masked_scatter.nodes = (MaskedScatterBackward0,)


OP_masked_scatter.select_node = lambda input, mask, source: MaskedScatterBackward0


def masked_scatter(input, mask, source):
    """`input` with the first elements of `source`, in order, where `mask` holds."""
    if type(input) in PLAIN_TYPES and type(mask) in PLAIN_TYPES and type(source) in PLAIN_TYPES:
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
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                source_edge = source._edge if source._base is None else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_MaskedScatterBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (mask_array,)
                    _node.storages = _storages = (mask._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (input_array.shape, source_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_masked_scatter, (input, mask, source))


def masked_scatter_(input, mask, source):
    """In-place version of `masked_scatter`."""
    return write(masked_scatter, input, (mask, source), {}, OP_masked_scatter)


OP_masked_scatter.inplace_function = masked_scatter_


OP_masked_scatter.function = masked_scatter


def masked_select_backward(F, node, saved, g):
    mask, = saved
    input_shape, = node.params
    return (derivative_masked_select_input(F, g, input_shape, mask),)


class MaskedSelectBackward0(Node):
    op = OPS['masked_select']
    saves = ('mask',)
    parameters = ('input_shape',)
    backward = staticmethod(masked_select_backward)
    backward_complex = staticmethod(masked_select_backward)


new_MaskedSelectBackward0 = maker_of(MaskedSelectBackward0)


OP_masked_select.nodes = (MaskedSelectBackward0,)


OP_masked_select.select_node = lambda input, mask: MaskedSelectBackward0


def masked_select(input, mask, *, out=None):
    """The elements at which `mask` holds, in one dimension."""
    if out is None and type(input) in PLAIN_TYPES and type(mask) in PLAIN_TYPES:
        input_array = input._array
        mask_array = mask._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_masked_select(xp, input_array, mask_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MaskedSelectBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (mask_array,)
                    _node.storages = _storages = (mask._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_masked_select, (input, mask), out)


OP_masked_select.function = masked_select


def masked_source_backward(F, node, saved, g):
    mask, = saved
    input_shape, = node.params
    return (F.masked_scatter(F.new_zeros_of(g, input_shape), mask, g),)


class MaskedScatterBackwardBackward0(Node):
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
    if type(input) in PLAIN_TYPES and type(mask) in PLAIN_TYPES:
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
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MaskedScatterBackwardBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (mask_array,)
                    _node.storages = _storages = (mask._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_masked_source, (input, mask, shape))


OP_masked_source.function = masked_source


def matmul(input, other, *, out=None):
    """The product of vectors, matrices, or batches of matrices, of which all but the last two dimensions broadcast."""
    if type(other) not in PLAIN_TYPES:
        explain_arguments(OP_matmul, (input, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_matmul, composite_matmul, F, (input, other), dict())
        explain_arguments(OP_matmul, (input, other))
    if out is not None:
        return into(out, 'matmul', uncast(composite_matmul, F, input, other), OP_matmul, (input, other))
    try:
        return composite_matmul(F, input, other)
    except Exception:
        explain_arguments(OP_matmul, (input, other))
        raise


def operator_matmul(input, other):
    return operated(Tensor.matmul, input, other)


OP_matmul.function = matmul


def matmul_into(input, other):
    """`other @ input`."""
    return composite_matmul_into(F, input, other)


def operator_matmul_into(input, other):
    return operated(Operators.matmul_into, input, other)


OP_matmul_into.function = matmul_into


def max(input, dim=None, keepdim=False, *, other=None, out=None, **named):
    """The largest element; with `dim` the largest along it, and their indices; with `other` the larger of two."""
    if named:
        return renamed(OP_max, max, {'input': input, 'dim': dim, 'keepdim': keepdim, 'other': other, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True or other is not None and (type(other) not in PLAIN_TYPES):
        explain_arguments(OP_max, (input, dim, keepdim, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_max, composite_max, F, (input, dim, keepdim), dict(other=other))
        explain_arguments(OP_max, (input, dim, keepdim, other))
    if out is not None:
        return into(out, 'max', composite_max(F, input, dim, keepdim, other=other), OP_max, (input, dim, keepdim, other))
    try:
        return composite_max(F, input, dim, keepdim, other=other)
    except Exception:
        explain_arguments(OP_max, (input, dim, keepdim, other))
        raise


OP_max.function = max


def max_all_backward(F, node, saved, g):
    input, out = saved
    return (derivative_max_all_input(F, g, input, out),)


class MaxBackward1(Node):
    op = OPS['max_all']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(max_all_backward)
    backward_complex = staticmethod(max_all_backward)


new_MaxBackward1 = maker_of(MaxBackward1)


OP_max_all.nodes = (MaxBackward1,)


OP_max_all.select_node = lambda input: MaxBackward1


def max_all(input, *, out=None):
    """The largest of all elements."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_max_all(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MaxBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_max_all, (input,), out)


OP_max_all.function = max_all


def max_dim_backward(F, node, saved, g):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_max_dim_input(F, g_values, indices, dim, keepdim, input_shape),)


class MaxBackward0(Node):
    op = OPS['max_dim']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(max_dim_backward)
    backward_complex = staticmethod(max_dim_backward)


new_MaxBackward0 = maker_of(MaxBackward0)


OP_max_dim.nodes = (MaxBackward0,)


OP_max_dim.select_node = lambda input, dim, keepdim: MaxBackward0


def max_dim(input, dim, keepdim=False, *, out=None):
    """The largest elements along `dim`, and their indices."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_max_dim(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MaxBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, keepdim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_max_dim.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_max_dim, (input, dim, keepdim), out)


OP_max_dim.function = max_dim


def maximum_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else F.where(input < other, 0, F.where(input == other, g / numbers[2], g)), None if other_edge is None else F.where(input > other, 0, F.where(input == other, g / numbers[2], g)))


def maximum_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.where(input < other, 0, F.where(input == other, g / 2, g)), None if other_edge is None else F.where(input > other, 0, F.where(input == other, g / 2, g)))


class MaximumBackward0(Node):
    op = OPS['maximum']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(maximum_backward)
    backward_complex = staticmethod(maximum_backward_complex)


new_MaximumBackward0 = maker_of(MaximumBackward0)


OP_maximum.nodes = (MaximumBackward0,)


OP_maximum.select_node = lambda input, other: MaximumBackward0


def maximum(input, other, *, out=None):
    """The larger of `input` and `other`, nan if either is; equal ones share the gradient."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_maximum(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_MaximumBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_maximum, (input, other), out)


OP_maximum.function = maximum


def mean_backward(F, node, saved, g):
    input_shape, dim = node.params
    return (derivative_mean_input(F, g, input_shape, dim),)


class MeanBackward0(Node):
    op = OPS['mean']
    saves = ()
    parameters = ('input_shape', 'dim')
    backward = staticmethod(mean_backward)
    backward_complex = staticmethod(mean_backward)


new_MeanBackward0 = maker_of(MeanBackward0)


class MeanBackward1(Node):
    op = OPS['mean']
    saves = ()
    parameters = ('input_shape', 'dim')
    backward = staticmethod(mean_backward)
    backward_complex = staticmethod(mean_backward)


new_MeanBackward1 = maker_of(MeanBackward1)


OP_mean.nodes = (MeanBackward0, MeanBackward1)


OP_mean.select_node = lambda input, dim, keepdim, dtype: MeanBackward0 if dim is None else MeanBackward1


def mean(input, dim=None, keepdim=False, *, dtype=None, out=None, **named):
    """The arithmetic mean of the elements along `dim`; of all of them if `dim` is None."""
    if named:
        return renamed(OP_mean, mean, {'input': input, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_mean, (input, dim, keepdim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_mean(xp, input_array, dim, keepdim, dtype=dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_MeanBackward0 if dim is None else new_MeanBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, dim)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_mean, (input, dim, keepdim, dtype), out)


OP_mean.function = mean


def median(input, dim=None, keepdim=False, *, out=None, **named):
    """The median element, the lower of two; with `dim` the medians along it, and their indices."""
    if named:
        return renamed(OP_median, median, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_median, (input, dim, keepdim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_median, composite_median, F, (input, dim, keepdim), dict())
        explain_arguments(OP_median, (input, dim, keepdim))
    if out is not None:
        return into(out, 'median', composite_median(F, input, dim, keepdim), OP_median, (input, dim, keepdim))
    try:
        return composite_median(F, input, dim, keepdim)
    except Exception:
        explain_arguments(OP_median, (input, dim, keepdim))
        raise


OP_median.function = median


def median_all_backward(F, node, saved, g):
    input, out = saved
    return (derivative_median_all_input(F, g, input, out),)


class MedianBackward0(Node):
    op = OPS['median_all']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(median_all_backward)
    backward_complex = staticmethod(median_all_backward)


new_MedianBackward0 = maker_of(MedianBackward0)


OP_median_all.nodes = (MedianBackward0,)


OP_median_all.select_node = lambda input: MedianBackward0


def median_all(input, *, out=None):
    """The median of all elements, the lower of two; NaN if any is NaN."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_median_all(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MedianBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_median_all, (input,), out)


OP_median_all.function = median_all


def median_dim_backward(F, node, saved, g):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_median_dim_input(F, g_values, indices, dim, keepdim, input_shape),)


class MedianBackward1(Node):
    op = OPS['median_dim']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(median_dim_backward)
    backward_complex = staticmethod(median_dim_backward)


new_MedianBackward1 = maker_of(MedianBackward1)


OP_median_dim.nodes = (MedianBackward1,)


OP_median_dim.select_node = lambda input, dim, keepdim: MedianBackward1


def median_dim(input, dim, keepdim=False, *, out=None):
    """The medians along `dim`, the lower of two, and their indices; NaN where any is NaN."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_median_dim(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MedianBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, keepdim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_median_dim.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_median_dim, (input, dim, keepdim), out)


OP_median_dim.function = median_dim


def meshgrid(*tensors, indexing=None):
    """The vectors expanded to the grid that they span, one dimension each; with "xy" the first two change places."""
    if indexing is not None and (type(indexing) is not str):
        explain_arguments(OP_meshgrid, (*tensors, indexing))
    try:
        return composite_meshgrid(F, *tensors, indexing=indexing)
    except Exception:
        explain_arguments(OP_meshgrid, (*tensors, indexing))
        raise


OP_meshgrid.function = meshgrid


def min(input, dim=None, keepdim=False, *, other=None, out=None, **named):
    """The smallest element; with `dim` the smallest along it, and their indices; with `other` the smaller of two."""
    if named:
        return renamed(OP_min, min, {'input': input, 'dim': dim, 'keepdim': keepdim, 'other': other, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True or other is not None and (type(other) not in PLAIN_TYPES):
        explain_arguments(OP_min, (input, dim, keepdim, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_min, composite_min, F, (input, dim, keepdim), dict(other=other))
        explain_arguments(OP_min, (input, dim, keepdim, other))
    if out is not None:
        return into(out, 'min', composite_min(F, input, dim, keepdim, other=other), OP_min, (input, dim, keepdim, other))
    try:
        return composite_min(F, input, dim, keepdim, other=other)
    except Exception:
        explain_arguments(OP_min, (input, dim, keepdim, other))
        raise


OP_min.function = min


def min_all_backward(F, node, saved, g):
    input, out = saved
    return (derivative_min_all_input(F, g, input, out),)


class MinBackward1(Node):
    op = OPS['min_all']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(min_all_backward)
    backward_complex = staticmethod(min_all_backward)


new_MinBackward1 = maker_of(MinBackward1)


OP_min_all.nodes = (MinBackward1,)


OP_min_all.select_node = lambda input: MinBackward1


def min_all(input, *, out=None):
    """The smallest of all elements."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_min_all(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MinBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_min_all, (input,), out)


OP_min_all.function = min_all


def min_and_max_backward(F, node, saved, g):
    input, min, max = saved
    dim, input_shape = node.params
    g_min, g_max = F.present(node, g)
    return (derivative_min_and_max_input(F, g_min, g_max, input, min, max, dim, input_shape),)


class AminmaxBackward0(Node):
    op = OPS['min_and_max']
    saves = ('input', 'min', 'max')
    parameters = ('dim', 'input_shape')
    backward = staticmethod(min_and_max_backward)
    backward_complex = staticmethod(min_and_max_backward)


new_AminmaxBackward0 = maker_of(AminmaxBackward0)


OP_min_and_max.nodes = (AminmaxBackward0,)


OP_min_and_max.select_node = lambda input, dim, keepdim: AminmaxBackward0


def min_and_max(input, dim, keepdim, *, out=None):
    """The smallest and the largest elements along `dim`; of all of them if `dim` is None."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _min, _max = forward_min_and_max(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_min) is not ndarray and isinstance(_min, np.generic):
                    _min = as_array(_min)
                _min_tensor = new(Tensor)
                _min_tensor._array = _min
                _min_tensor._base = None
                if type(_max) is not ndarray and isinstance(_max, np.generic):
                    _max = as_array(_max)
                _max_tensor = new(Tensor)
                _max_tensor._array = _max
                _max_tensor._base = None
                _min_tensor._storage = Storage()
                _max_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AminmaxBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _min, _max)
                    _node.storages = _storages = (input._storage, _min_tensor._storage, _max_tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = True
                    _node.outputs = 2
                    _node.result_metas = ((_min.shape, _min.dtype), (_max.shape, _max.dtype))
                    _min_tensor._edge = Output(_node, 0)
                    _max_tensor._edge = Output(_node, 1)
                else:
                    _min_tensor._edge = None
                    _max_tensor._edge = None
                    if _mode is INFERENCE:
                        _min_tensor._storage = InferenceStorage()
                        _max_tensor._storage = InferenceStorage()
                return OP_min_and_max.returned(_min_tensor, _max_tensor)
            finally:
                reset_errors(_token)
    return general(OP_min_and_max, (input, dim, keepdim), out)


OP_min_and_max.function = min_and_max


def min_dim_backward(F, node, saved, g):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_min_dim_input(F, g_values, indices, dim, keepdim, input_shape),)


class MinBackward0(Node):
    op = OPS['min_dim']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(min_dim_backward)
    backward_complex = staticmethod(min_dim_backward)


new_MinBackward0 = maker_of(MinBackward0)


OP_min_dim.nodes = (MinBackward0,)


OP_min_dim.select_node = lambda input, dim, keepdim: MinBackward0


def min_dim(input, dim, keepdim=False, *, out=None):
    """The smallest elements along `dim`, and their indices."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_min_dim(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MinBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, keepdim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_min_dim.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_min_dim, (input, dim, keepdim), out)


OP_min_dim.function = min_dim


def minimum_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else F.where(input > other, 0, F.where(input == other, g / numbers[2], g)), None if other_edge is None else F.where(input < other, 0, F.where(input == other, g / numbers[2], g)))


def minimum_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.where(input > other, 0, F.where(input == other, g / 2, g)), None if other_edge is None else F.where(input < other, 0, F.where(input == other, g / 2, g)))


class MinimumBackward0(Node):
    op = OPS['minimum']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(minimum_backward)
    backward_complex = staticmethod(minimum_backward_complex)


new_MinimumBackward0 = maker_of(MinimumBackward0)


OP_minimum.nodes = (MinimumBackward0,)


OP_minimum.select_node = lambda input, other: MinimumBackward0


def minimum(input, other, *, out=None):
    """The smaller of `input` and `other`, nan if either is; equal ones share the gradient."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_minimum(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_MinimumBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_minimum, (input, other), out)


OP_minimum.function = minimum


def mish_backward(F, node, saved, g):
    input, = saved
    return (derivative_mish_input(F, g, input),)


class MishBackward0(Node):
    op = OPS['mish']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(mish_backward)
    backward_complex = staticmethod(mish_backward)


new_MishBackward0 = maker_of(MishBackward0)


OP_mish.nodes = (MishBackward0,)


OP_mish.select_node = lambda input: MishBackward0


def mish(input, *, out=None):
    """`input * tanh(softplus(input))`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_mish(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MishBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_mish, (input,), out)


def mish_(input):
    """In-place version of `mish`."""
    return write(mish, input, (), {}, OP_mish)


OP_mish.inplace_function = mish_


OP_mish.function = mish


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


new_MmBackward0 = maker_of(MmBackward0)


OP_mm.nodes = (MmBackward0,)


OP_mm.select_node = lambda input, mat2: MmBackward0


def mm(input, mat2, *, out=None):
    """The product of two matrices."""
    if out is None and type(input) in PLAIN_TYPES and type(mat2) in PLAIN_TYPES:
        input_array = input._array
        mat2_array = mat2._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is mat2_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_mm(xp, input_array, mat2_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                mat2_edge = mat2._edge if mat2._base is None else edge_of(mat2)
                if _mode and (input_edge is not None or mat2_edge is not None):
                    _node = new_MmBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, mat2_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if mat2_edge is None else input_array, None if input_edge is None else mat2_array)
                    _node.storages = _storages = (input._storage, mat2._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_mm, (input, mat2), out)


OP_mm.function = mm


def mode_backward(F, node, saved, g):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_mode_input(F, g_values, indices, dim, keepdim, input_shape),)


class ModeBackward0(Node):
    op = OPS['mode']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(mode_backward)
    backward_complex = staticmethod(mode_backward)


new_ModeBackward0 = maker_of(ModeBackward0)


OP_mode.nodes = (ModeBackward0,)


OP_mode.select_node = lambda input, dim, keepdim: ModeBackward0


def mode(input, dim=-1, keepdim=False, *, out=None, **named):
    """The most frequent elements along `dim`, the smallest of several, and the indices where they come last."""
    if named:
        return renamed(OP_mode, mode, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is True or dim is False or keepdim is not False and keepdim is not True:
        explain_arguments(OP_mode, (input, dim, keepdim))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_mode(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ModeBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, keepdim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_mode.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_mode, (input, dim, keepdim), out)


OP_mode.function = mode


def modulus_backward(F, node, saved, g):
    input, = saved
    return (g * F.sgn(input),)


class AbsBackward0(Node):
    op = OPS['modulus']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(modulus_backward)
    backward_complex = staticmethod(modulus_backward)


new_AbsBackward0 = maker_of(AbsBackward0)


OP_modulus.nodes = (AbsBackward0,)


OP_modulus.select_node = lambda input: AbsBackward0


def modulus(input):
    """The absolute value of `input`, whose derivative at 0 is 0."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_abs(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AbsBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_modulus, (input,))


def operator_modulus(input):
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_abs(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AbsBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return Tensor.abs(input)


def modulus_(input):
    """In-place version of `modulus`."""
    return write(modulus, input, (), {}, OP_modulus)


OP_modulus.inplace_function = modulus_


OP_modulus.function = modulus


def movedim(input, source, destination):
    """`input` with some dimensions moved to other positions, the rest in their order."""
    if not isinstance(source, (tuple, list)) and type(source) is not int or type(source) is int and (source > 0x3FFFFFFF or source < -0x3FFFFFFF) or not isinstance(destination, (tuple, list)) and type(destination) is not int or type(destination) is int and (destination > 0x3FFFFFFF or destination < -0x3FFFFFFF):
        explain_arguments(OP_movedim, (input, source, destination))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_movedim, composite_movedim, F, (input, source, destination), dict())
        explain_arguments(OP_movedim, (input, source, destination))
    try:
        return composite_movedim(F, input, source, destination)
    except Exception:
        explain_arguments(OP_movedim, (input, source, destination))
        raise


OP_movedim.function = movedim


def msort(input, *, out=None):
    """The elements in order along the first dimension."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_msort, composite_msort, F, (input,), dict())
        explain_arguments(OP_msort, (input,))
    if out is not None:
        return into(out, 'msort', composite_msort(F, input), OP_msort, (input,))
    try:
        return composite_msort(F, input)
    except Exception:
        explain_arguments(OP_msort, (input,))
        raise


OP_msort.function = msort


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


new_MulBackward0 = maker_of(MulBackward0)


OP_mul.nodes = (MulBackward0,)


OP_mul.select_node = lambda input, other: MulBackward0


def mul(input, other, *, out=None):
    """`input * other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_multiply(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_MulBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, None if input_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_multiply(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MulBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None, _number)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_mul, (input, other), out)


def operator_mul(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_multiply(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_MulBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, None if input_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_multiply(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_MulBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None, _number)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Tensor.mul, input, other)


def mul_(input, other):
    """In-place version of `mul`."""
    return write(mul, input, (other,), {}, OP_mul)


OP_mul.inplace_function = mul_


OP_mul.function = mul


def mv_backward(F, node, saved, g):
    input, vec = saved
    input_edge, vec_edge = node.edges
    return (None if input_edge is None else F.unsqueeze(g, 1) * vec, None if vec_edge is None else F.mv(F.t(input), g))


def mv_backward_complex(F, node, saved, g):
    input, vec = saved
    input_edge, vec_edge = node.edges
    return (None if input_edge is None else F.unsqueeze(g, 1) * F.conj(vec), None if vec_edge is None else F.mv(F.conj(F.t(input)), g))


class MvBackward0(Node):
    op = OPS['mv']
    saves = ('input', 'vec')
    parameters = ()
    backward = staticmethod(mv_backward)
    backward_complex = staticmethod(mv_backward_complex)


new_MvBackward0 = maker_of(MvBackward0)


OP_mv.nodes = (MvBackward0,)


OP_mv.select_node = lambda input, vec: MvBackward0


def mv(input, vec, *, out=None):
    """The product of a matrix and a vector."""
    if out is None and type(input) in PLAIN_TYPES and type(vec) in PLAIN_TYPES:
        input_array = input._array
        vec_array = vec._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is vec_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_mv(xp, input_array, vec_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                vec_edge = vec._edge if vec._base is None else edge_of(vec)
                if _mode and (input_edge is not None or vec_edge is not None):
                    _node = new_MvBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, vec_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if vec_edge is None else input_array, None if input_edge is None else vec_array)
                    _node.storages = _storages = (input._storage, vec._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_mv, (input, vec), out)


OP_mv.function = mv


def nan_to_num_backward(F, node, saved, g):
    input, = saved
    return (g * F.isfinite(input),)


class NanToNumBackward0(Node):
    op = OPS['nan_to_num']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(nan_to_num_backward)
    backward_complex = staticmethod(nan_to_num_backward)


new_NanToNumBackward0 = maker_of(NanToNumBackward0)


OP_nan_to_num.nodes = (NanToNumBackward0,)


OP_nan_to_num.select_node = lambda input, nan, posinf, neginf: NanToNumBackward0


def nan_to_num(input, nan=None, posinf=None, neginf=None, *, out=None):
    """`input` with 0 for nan and the limits of the dtype for the infinities, unless others are given."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_nan_to_num(input_array, nan, posinf, neginf)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_NanToNumBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_nan_to_num, (input, nan, posinf, neginf), out)


def nan_to_num_(input, nan=None, posinf=None, neginf=None):
    """In-place version of `nan_to_num`."""
    return write(nan_to_num, input, (nan, posinf, neginf), {}, OP_nan_to_num)


OP_nan_to_num.inplace_function = nan_to_num_


OP_nan_to_num.function = nan_to_num


def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None, **named):
    """The arithmetic mean of the elements along `dim` that are not NaN."""
    if named:
        return renamed(OP_nanmean, nanmean, {'input': input, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_nanmean, (input, dim, keepdim, dtype))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_nanmean, composite_nanmean, F, (input, dim, keepdim), dict(dtype=dtype))
        explain_arguments(OP_nanmean, (input, dim, keepdim, dtype))
    if out is not None:
        return into(out, 'nanmean', composite_nanmean(F, input, dim, keepdim, dtype=dtype), OP_nanmean, (input, dim, keepdim, dtype))
    try:
        return composite_nanmean(F, input, dim, keepdim, dtype=dtype)
    except Exception:
        explain_arguments(OP_nanmean, (input, dim, keepdim, dtype))
        raise


OP_nanmean.function = nanmean


def nanmedian(input, dim=None, keepdim=False, *, out=None, **named):
    """The median of what is not NaN, the lower of two; with `dim` the medians along it, and their indices."""
    if named:
        return renamed(OP_nanmedian, nanmedian, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_nanmedian, (input, dim, keepdim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_nanmedian, composite_nanmedian, F, (input, dim, keepdim), dict())
        explain_arguments(OP_nanmedian, (input, dim, keepdim))
    if out is not None:
        return into(out, 'nanmedian', composite_nanmedian(F, input, dim, keepdim), OP_nanmedian, (input, dim, keepdim))
    try:
        return composite_nanmedian(F, input, dim, keepdim)
    except Exception:
        explain_arguments(OP_nanmedian, (input, dim, keepdim))
        raise


OP_nanmedian.function = nanmedian


def nanmedian_all_backward(F, node, saved, g):
    input, out = saved
    return (derivative_nanmedian_all_input(F, g, input, out),)


class NanmedianBackward0(Node):
    op = OPS['nanmedian_all']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(nanmedian_all_backward)
    backward_complex = staticmethod(nanmedian_all_backward)


new_NanmedianBackward0 = maker_of(NanmedianBackward0)


OP_nanmedian_all.nodes = (NanmedianBackward0,)


OP_nanmedian_all.select_node = lambda input: NanmedianBackward0


def nanmedian_all(input, *, out=None):
    """The median of all elements that are not NaN, the lower of two."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_nanmedian_all(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_NanmedianBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_nanmedian_all, (input,), out)


OP_nanmedian_all.function = nanmedian_all


def nanmedian_dim_backward(F, node, saved, g):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_nanmedian_dim_input(F, g_values, indices, dim, keepdim, input_shape),)


class NanmedianBackward1(Node):
    op = OPS['nanmedian_dim']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(nanmedian_dim_backward)
    backward_complex = staticmethod(nanmedian_dim_backward)


new_NanmedianBackward1 = maker_of(NanmedianBackward1)


OP_nanmedian_dim.nodes = (NanmedianBackward1,)


OP_nanmedian_dim.select_node = lambda input, dim, keepdim: NanmedianBackward1


def nanmedian_dim(input, dim, keepdim=False, *, out=None):
    """The medians along `dim` of what is not NaN, the lower of two, and their indices."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_nanmedian_dim(xp, input_array, dim, keepdim)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_NanmedianBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, keepdim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_nanmedian_dim.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_nanmedian_dim, (input, dim, keepdim), out)


OP_nanmedian_dim.function = nanmedian_dim


def nanquantile(input, q=NOTHING, dim=None, keepdim=False, *, interpolation='linear', out=None, **named):
    """The values below which fractions `q` of those elements along `dim` lie that are not NaN."""
    if named or q is NOTHING:
        return renamed(OP_nanquantile, nanquantile, {'input': input, 'q': q, 'dim': dim, 'keepdim': keepdim, 'interpolation': interpolation, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True or type(interpolation) is not str:
        explain_arguments(OP_nanquantile, (input, q, dim, keepdim, interpolation))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_nanquantile, composite_nanquantile, F, (input, q, dim, keepdim), dict(interpolation=interpolation))
        explain_arguments(OP_nanquantile, (input, q, dim, keepdim, interpolation))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_nanquantile, composite_nanquantile, F, (input, q, dim, keepdim), dict(interpolation=interpolation))
    if out is not None:
        return into(out, 'nanquantile', uncast(composite_nanquantile, F, input, q, dim, keepdim, interpolation=interpolation), OP_nanquantile, (input, q, dim, keepdim, interpolation))
    try:
        return composite_nanquantile(F, input, q, dim, keepdim, interpolation=interpolation)
    except Exception:
        explain_arguments(OP_nanquantile, (input, q, dim, keepdim, interpolation))
        raise


OP_nanquantile.function = nanquantile


def nansum_backward(F, node, saved, g):
    input, = saved
    dim, input_shape = node.params
    return (derivative_nansum_input(F, g, input, dim, input_shape),)


class NansumBackward0(Node):
    op = OPS['nansum']
    saves = ('input',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(nansum_backward)
    backward_complex = staticmethod(nansum_backward)


new_NansumBackward0 = maker_of(NansumBackward0)


OP_nansum.nodes = (NansumBackward0,)


OP_nansum.select_node = lambda input, dim, keepdim, dtype: NansumBackward0


def nansum(input, dim=None, keepdim=False, *, dtype=None, out=None, **named):
    """The sum of the elements along `dim` that are not NaN."""
    if named:
        return renamed(OP_nansum, nansum, {'input': input, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_nansum, (input, dim, keepdim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_nansum(xp, input_array, dim, keepdim, dtype=dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_NansumBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_nansum, (input, dim, keepdim, dtype), out)


OP_nansum.function = nansum


def narrow(input, dim=NOTHING, start=NOTHING, length=NOTHING, **named):
    """The `length` slices from `start` on along `dim`."""
    if named or dim is NOTHING or start is NOTHING or length is NOTHING:
        return renamed(OP_narrow, narrow, {'input': input, 'dim': dim, 'start': start, 'length': length}, named)
    if dim is True or dim is False or type(start) not in PLAIN_TYPES and type(start) is not int or type(start) is int and (start > 0x3FFFFFFF or start < -0x3FFFFFFF) or type(length) is not int or length > 0x3FFFFFFF or length < -0x3FFFFFFF:
        explain_arguments(OP_narrow, (input, dim, start, length))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_narrow, composite_narrow, F, (input, dim, start, length), dict())
        explain_arguments(OP_narrow, (input, dim, start, length))
    try:
        return composite_narrow(F, input, dim, start, length)
    except Exception:
        explain_arguments(OP_narrow, (input, dim, start, length))
        raise


OP_narrow.function = narrow


def narrow_copy(input, dim=NOTHING, start=NOTHING, length=NOTHING, *, out=None, **named):
    """A copy of the `length` slices from `start` on along `dim`."""
    if named or dim is NOTHING or start is NOTHING or length is NOTHING:
        return renamed(OP_narrow_copy, narrow_copy, {'input': input, 'dim': dim, 'start': start, 'length': length, 'out': out}, named)
    if dim is True or dim is False or type(start) is not int or start > 0x3FFFFFFF or start < -0x3FFFFFFF or type(length) is not int or length > 0x3FFFFFFF or length < -0x3FFFFFFF:
        explain_arguments(OP_narrow_copy, (input, dim, start, length))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_narrow_copy, composite_narrow_copy, F, (input, dim, start, length), dict())
        explain_arguments(OP_narrow_copy, (input, dim, start, length))
    if out is not None:
        return into(out, 'narrow_copy', composite_narrow_copy(F, input, dim, start, length), OP_narrow_copy, (input, dim, start, length))
    try:
        return composite_narrow_copy(F, input, dim, start, length)
    except Exception:
        explain_arguments(OP_narrow_copy, (input, dim, start, length))
        raise


OP_narrow_copy.function = narrow_copy


def ne(input, other, *, out=None):
    """Whether `input != other`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_not_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_not_equal(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_ne, (input, other), out)


def operator_ne(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_not_equal(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_not_equal(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Tensor.ne, input, other)


def ne_(input, other):
    """In-place version of `ne`."""
    return write(ne, input, (other,), {}, OP_ne)


OP_ne.inplace_function = ne_


OP_ne.function = ne


def neg_backward(F, node, saved, g):
    return (-g,)


class NegBackward0(Node):
    op = OPS['neg']
    saves = ()
    parameters = ()
    backward = staticmethod(neg_backward)
    backward_complex = staticmethod(neg_backward)


new_NegBackward0 = maker_of(NegBackward0)


OP_neg.nodes = (NegBackward0,)


OP_neg.select_node = lambda input: NegBackward0


def neg(input, *, out=None):
    """`-input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_negative(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_NegBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_neg, (input,), out)


def operator_neg(input):
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_negative(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_NegBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return Tensor.neg(input)


def neg_(input):
    """In-place version of `neg`."""
    return write(neg, input, (), {}, OP_neg)


OP_neg.inplace_function = neg_


OP_neg.function = neg


def new_zeros_of(input, shape):
    """Zeros of a shape, of the dtype and on the device of `input`."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_zeros_like(input_array, shape=shape)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_new_zeros_of, (input, shape))


OP_new_zeros_of.function = new_zeros_of


def nextafter_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.where(input != other, g, 0), None if other_edge is None else F.zeros_of(g))


class NextafterBackward0(Node):
    op = OPS['nextafter']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(nextafter_backward)
    backward_complex = staticmethod(nextafter_backward)


new_NextafterBackward0 = maker_of(NextafterBackward0)


OP_nextafter.nodes = (NextafterBackward0,)


OP_nextafter.select_node = lambda input, other: NextafterBackward0


def nextafter(input, other, *, out=None):
    """The next floating-point number after `input` towards `other`."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_nextafter(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_NextafterBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if input_edge is None else input_array, None if input_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_nextafter, (input, other), out)


def nextafter_(input, other):
    """In-place version of `nextafter`."""
    return write(nextafter, input, (other,), {}, OP_nextafter)


OP_nextafter.inplace_function = nextafter_


OP_nextafter.function = nextafter


def nonzero(input, *, as_tuple=False, out=None):
    """The positions of the elements that are not zero: one row each, or with `as_tuple` one vector per dimension."""
    if as_tuple is not False and as_tuple is not True:
        explain_arguments(OP_nonzero, (input, as_tuple))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_nonzero, composite_nonzero, F, (input,), dict(as_tuple=as_tuple))
        explain_arguments(OP_nonzero, (input, as_tuple))
    if out is not None:
        return into(out, 'nonzero', composite_nonzero(F, input, as_tuple=as_tuple), OP_nonzero, (input, as_tuple))
    try:
        return composite_nonzero(F, input, as_tuple=as_tuple)
    except Exception:
        explain_arguments(OP_nonzero, (input, as_tuple))
        raise


OP_nonzero.function = nonzero


def nonzero_rows(input, *, out=None):
    """The positions of the elements that are not zero, one row each."""
    return general(OP_nonzero_rows, (input,), out)


OP_nonzero_rows.function = nonzero_rows


def nonzero_static(input, *, size, fill_value=-1, out=None):
    """The first `size` positions of elements that are not zero; rows of `fill_value` where there are fewer."""
    if type(size) is not int or size > 0x3FFFFFFF or size < -0x3FFFFFFF or type(fill_value) is not int or fill_value > 0x3FFFFFFF or fill_value < -0x3FFFFFFF:
        explain_arguments(OP_nonzero_static, (input, size, fill_value))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_nonzero_static, composite_nonzero_static, F, (input,), dict(size=size, fill_value=fill_value))
        explain_arguments(OP_nonzero_static, (input, size, fill_value))
    if out is not None:
        return into(out, 'nonzero_static', composite_nonzero_static(F, input, size=size, fill_value=fill_value), OP_nonzero_static, (input, size, fill_value))
    try:
        return composite_nonzero_static(F, input, size=size, fill_value=fill_value)
    except Exception:
        explain_arguments(OP_nonzero_static, (input, size, fill_value))
        raise


OP_nonzero_static.function = nonzero_static


def norm(input, p='fro', dim=None, keepdim=False, out=None, dtype=None, **named):
    """The norm of all elements, or along `dim`: "fro", "nuc" (of a matrix), or the order of a vector norm."""
    if named:
        return renamed(OP_norm, norm, {'input': input, 'p': p, 'dim': dim, 'keepdim': keepdim, 'out': out, 'dtype': dtype}, named)
    if type(input) not in PLAIN_TYPES or dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_norm, (input, p, dim, keepdim, out, dtype))
    try:
        return composite_norm(F, input, p, dim, keepdim, out, dtype)
    except Exception:
        explain_arguments(OP_norm, (input, p, dim, keepdim, out, dtype))
        raise


OP_norm.function = norm


def norm_except_dim(v, pow=2, dim=0, **named):
    """The `pow`-norm along all dimensions but `dim`, which are kept; of all of it, 0-d, for -1."""
    if named:
        return renamed(OP_norm_except_dim, norm_except_dim, {'v': v, 'pow': pow, 'dim': dim}, named)
    if type(v) not in PLAIN_TYPES or type(pow) is not int or pow > 0x3FFFFFFF or pow < -0x3FFFFFFF or dim is True or dim is False:
        explain_arguments(OP_norm_except_dim, (v, pow, dim))
    try:
        return composite_norm_except_dim(F, v, pow, dim)
    except Exception:
        explain_arguments(OP_norm_except_dim, (v, pow, dim))
        raise


OP_norm_except_dim.function = norm_except_dim


def norm_of_rows_backward(F, node, saved, g):
    input, out = saved
    p, input_shape = node.params
    return (derivative_norm_of_rows_input(F, g, input, out, p, input_shape),)


class NormBackward1(Node):
    op = OPS['norm_of_rows']
    saves = ('input', 'out')
    parameters = ('p', 'input_shape')
    backward = staticmethod(norm_of_rows_backward)
    backward_complex = staticmethod(norm_of_rows_backward)


new_NormBackward1 = maker_of(NormBackward1)


OP_norm_of_rows.nodes = (NormBackward1,)


OP_norm_of_rows.select_node = lambda input, p, keepdim: NormBackward1


def norm_of_rows(input, p, keepdim):
    """The `p`-norm along the last dimension."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_norm_of_rows(xp, input_array, p, keepdim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_NormBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (p, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_norm_of_rows, (input, p, keepdim))


OP_norm_of_rows.function = norm_of_rows


def norm_of_tensor(input, p='fro', dim=None, keepdim=False, dtype=None):
    """The norm of all elements, or along `dim`: "fro", "nuc" (of a matrix), or the order of a vector norm."""
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_norm_of_tensor, (input, p, dim, keepdim, dtype))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_norm_of_tensor, composite_norm_of_tensor, F, (input, p, dim, keepdim, dtype), dict())
        explain_arguments(OP_norm_of_tensor, (input, p, dim, keepdim, dtype))
    try:
        return composite_norm_of_tensor(F, input, p, dim, keepdim, dtype)
    except Exception:
        explain_arguments(OP_norm_of_tensor, (input, p, dim, keepdim, dtype))
        raise


OP_norm_of_tensor.function = norm_of_tensor


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """`input` divided by its norm along `dim`, or by `eps` where that is larger."""
    if out is not None:
        return into(out, 'normalize', composite_normalize(F, input, p, dim, eps), OP_normalize, (input, p, dim, eps))
    try:
        return composite_normalize(F, input, p, dim, eps)
    except Exception:
        explain_arguments(OP_normalize, (input, p, dim, eps))
        raise


OP_normalize.function = normalize


def on_diagonal_backward(F, node, saved, g):
    return (F.trace(g),)


class OnDiagonalBackward0(Node):
    op = OPS['on_diagonal']
    saves = ()
    parameters = ()
    backward = staticmethod(on_diagonal_backward)
    backward_complex = staticmethod(on_diagonal_backward)


new_OnDiagonalBackward0 = maker_of(OnDiagonalBackward0)


OP_on_diagonal.nodes = (OnDiagonalBackward0,)


OP_on_diagonal.select_node = lambda input, shape: OnDiagonalBackward0


def on_diagonal(input, shape):
    """A matrix of a shape with `input`, which has no dimensions, all along its diagonal."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_multiply(input_array, xp_eye(*shape, dtype=input_array.dtype), out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_OnDiagonalBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_on_diagonal, (input, shape))


OP_on_diagonal.function = on_diagonal


def only_row_backward(F, node, saved, g):
    return (F.unsqueeze(g, 0),)


class SqueezeBackward4(Node):
    op = OPS['only_row']
    saves = ()
    parameters = ()
    backward = staticmethod(only_row_backward)
    backward_complex = staticmethod(only_row_backward)


new_SqueezeBackward4 = maker_of(SqueezeBackward4)


OP_only_row.nodes = (SqueezeBackward4,)


OP_only_row.select_node = lambda input: SqueezeBackward4


def only_row(input):
    """The one row of a fresh matrix, whose memory it takes over."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = input_array[0]
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SqueezeBackward4()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_only_row, (input,))


OP_only_row.function = only_row


def outer(input, vec2, *, out=None):
    """Every product of an element of `input` and one of `vec2`, both vectors."""
    if type(vec2) not in PLAIN_TYPES:
        explain_arguments(OP_outer, (input, vec2))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_outer, composite_outer, F, (input, vec2), dict())
        explain_arguments(OP_outer, (input, vec2))
    if out is not None:
        return into(out, 'outer', composite_outer(F, input, vec2), OP_outer, (input, vec2))
    try:
        return composite_outer(F, input, vec2)
    except Exception:
        explain_arguments(OP_outer, (input, vec2))
        raise


OP_outer.function = outer


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    """The `p`-norm of `x1 - x2 + eps` along the last dimension."""
    if type(x1) not in PLAIN_TYPES or type(x2) not in PLAIN_TYPES or type(p) is not float and type(p) is not int or type(eps) is not float and type(eps) is not int or keepdim is not False and keepdim is not True:
        explain_arguments(OP_pairwise_distance, (x1, x2, p, eps, keepdim))
    try:
        return composite_pairwise_distance(F, x1, x2, p, eps, keepdim)
    except Exception:
        explain_arguments(OP_pairwise_distance, (x1, x2, p, eps, keepdim))
        raise


OP_pairwise_distance.function = pairwise_distance


def pdist_backward(F, node, saved, g):
    input, out = saved
    p, input_shape = node.params
    return (derivative_pdist_input(F, g, input, out, p, input_shape),)


class PdistBackward0(Node):
    op = OPS['pdist']
    saves = ('input', 'out')
    parameters = ('p', 'input_shape')
    backward = staticmethod(pdist_backward)
    backward_complex = staticmethod(pdist_backward)


new_PdistBackward0 = maker_of(PdistBackward0)


OP_pdist.nodes = (PdistBackward0,)


OP_pdist.select_node = lambda input, p: PdistBackward0


def pdist(input, p=2.0):
    """The `p`-norm distances of the rows of a matrix from each other, each pair once."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_pdist(xp, input_array, p)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_PdistBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (p, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_pdist, (input, p))


OP_pdist.function = pdist


def permute_backward(F, node, saved, g):
    dims, = node.params
    return (derivative_permute_input(F, g, dims),)


class PermuteBackward0(Node):
    op = OPS['permute']
    saves = ()
    parameters = ('dims',)
    backward = staticmethod(permute_backward)
    backward_complex = staticmethod(permute_backward)


new_PermuteBackward0 = maker_of(PermuteBackward0)


OP_permute.nodes = (PermuteBackward0,)


OP_permute.select_node = lambda input, dims: PermuteBackward0


def permute(input, dims):
    """`input` with its dimensions in another order."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_permute(input_array, dims)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (permute, (dims,))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, permute, (dims,))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_PermuteBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dims,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_permute, (input, dims))


OP_permute.function = permute


def permute_copy(input, dims, *, out=None):
    """A copy of `input` with its dimensions in another order."""
    if type(input) not in PLAIN_TYPES or dims is True or dims is False:
        explain_arguments(OP_permute_copy, (input, dims))
    if out is not None:
        return into(out, 'permute_copy', composite_permute_copy(F, input, dims), OP_permute_copy, (input, dims))
    try:
        return composite_permute_copy(F, input, dims)
    except Exception:
        explain_arguments(OP_permute_copy, (input, dims))
        raise


OP_permute_copy.function = permute_copy


def permute_variadic(input, *order, dims=None):
    """`input` with its dimensions in another order."""
    if dims is not None and (dims is True or dims is False):
        explain_arguments(OP_permute_variadic, (input, *order, dims))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_permute_variadic, composite_permute_variadic, F, (input, *order), dict(dims=dims))
        explain_arguments(OP_permute_variadic, (input, *order, dims))
    try:
        return composite_permute_variadic(F, input, *order, dims=dims)
    except Exception:
        explain_arguments(OP_permute_variadic, (input, *order, dims))
        raise


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


new_PlacedBackward0 = maker_of(PlacedBackward0)


OP_placed.nodes = (PlacedBackward0,)


OP_placed.select_node = lambda input, shape, path: PlacedBackward0


def placed(input, shape, path):
    """Zeros of `shape` with `input` in the part that `path` leads to: the transpose of a view."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_placed(xp, input_array, shape, path)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_PlacedBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (path,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_placed, (input, shape, path))


OP_placed.function = placed


def placed_at_backward(F, node, saved, g):
    indices, = node.params
    return (F.index(g, indices),)


class IndexBackwardBackward0(Node):
    op = OPS['placed_at']
    saves = ()
    parameters = ('indices',)
    backward = staticmethod(placed_at_backward)
    backward_complex = staticmethod(placed_at_backward)


new_IndexBackwardBackward0 = maker_of(IndexBackwardBackward0)


OP_placed_at.nodes = (IndexBackwardBackward0,)


OP_placed_at.select_node = lambda input, shape, indices: IndexBackwardBackward0


def placed_at(input, shape, indices):
    """Zeros of `shape` with `input` added where index arrays say: the transpose of `index`."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_placed_at(input_array, shape, indices)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_IndexBackwardBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (indices,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_placed_at, (input, shape, indices))


OP_placed_at.function = placed_at


def polar_backward(F, node, saved, g):
    out, = saved
    abs_edge, angle_edge = node.edges
    return (None if abs_edge is None else derivative_polar_abs(F, g, out), None if angle_edge is None else derivative_polar_angle(F, g, out))


class PolarBackward0(Node):
    op = OPS['polar']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(polar_backward)
    backward_complex = staticmethod(polar_backward)


new_PolarBackward0 = maker_of(PolarBackward0)


OP_polar.nodes = (PolarBackward0,)


OP_polar.select_node = lambda abs, angle: PolarBackward0


def polar(abs, angle, *, out=None):
    """The complex number of absolute value `abs` and angle `angle`."""
    if out is None and type(abs) in PLAIN_TYPES and type(angle) in PLAIN_TYPES:
        abs_array = abs._array
        angle_array = angle._array
        _mode = get_mode()
        if ((_dtype := abs_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is angle_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_polar(xp, abs_array, angle_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                abs_edge = abs._edge if abs._base is None else edge_of(abs)
                angle_edge = angle._edge if angle._base is None else edge_of(angle)
                if _mode and (abs_edge is not None or angle_edge is not None):
                    _node = new_PolarBackward0()
                    _node.created = tick()
                    _node.edges = (abs_edge, angle_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None if abs_array.shape == angle_array.shape else ((abs_array.shape, abs_array.dtype), (angle_array.shape, angle_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_polar, (abs, angle), out)


OP_polar.function = polar


def positive(input):
    """The input itself."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_positive, composite_positive, F, (input,), dict())
        explain_arguments(OP_positive, (input,))
    try:
        return composite_positive(F, input)
    except Exception:
        explain_arguments(OP_positive, (input,))
        raise


def operator_positive(input):
    return Tensor.positive(input)


OP_positive.function = positive


def pow_backward(F, node, saved, g):
    input, exponent, out = saved
    input_edge, exponent_edge = node.edges
    return (None if input_edge is None else g * F.slope_of_power(input, exponent), None if exponent_edge is None else g * F.growth_of_power(input, exponent, out))


def pow_backward_complex(F, node, saved, g):
    input, exponent, out = saved
    input_edge, exponent_edge = node.edges
    return (None if input_edge is None else g * F.conj(F.slope_of_power(input, exponent)), None if exponent_edge is None else g * F.conj(F.growth_of_power(input, exponent, out)))


class PowBackward0(Node):
    op = OPS['pow']
    saves = ('input', 'exponent', 'out')
    parameters = ()
    backward = staticmethod(pow_backward)
    backward_complex = staticmethod(pow_backward_complex)


new_PowBackward0 = maker_of(PowBackward0)


class PowBackward2(Node):
    op = OPS['pow']
    saves = ('input', 'exponent', 'out')
    parameters = ()
    backward = staticmethod(pow_backward)
    backward_complex = staticmethod(pow_backward_complex)


new_PowBackward2 = maker_of(PowBackward2)


class PowBackward1(Node):
    op = OPS['pow']
    saves = ('input', 'exponent', 'out')
    parameters = ()
    backward = staticmethod(pow_backward)
    backward_complex = staticmethod(pow_backward_complex)


new_PowBackward1 = maker_of(PowBackward1)


OP_pow.nodes = (PowBackward0, PowBackward2, PowBackward1)


OP_pow.select_node = lambda input, exponent: PowBackward0 if isinstance(exponent, (int, float)) else PowBackward2 if isinstance(input, (int, float)) else PowBackward1


def pow(input, exponent, *, out=None):
    """`input` to the power `exponent`, element by element; either may be a number."""
    if out is None and type(input) in PLAIN_TYPES and type(exponent) in PLAIN_TYPES:
        input_array = input._array
        exponent_array = exponent._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is exponent_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_power(input_array, exponent_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                exponent_edge = exponent._edge if exponent._base is None else edge_of(exponent)
                if _mode and (input_edge is not None or exponent_edge is not None):
                    _node = (new_PowBackward0 if isinstance(exponent, (int, float)) else new_PowBackward2 if isinstance(input, (int, float)) else new_PowBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, exponent_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, exponent_array, None if exponent_edge is None else _result)
                    _node.storages = _storages = (input._storage, exponent._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == exponent_array.shape else ((input_array.shape, input_array.dtype), (exponent_array.shape, exponent_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(exponent) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[exponent]
            _token = set_errors(IGNORED)
            try:
                _result = xp_power(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_PowBackward0 if isinstance(exponent, (int, float)) else new_PowBackward2 if isinstance(input, (int, float)) else new_PowBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _number, None)
                    _node.storages = _storages = (input._storage, None, _tensor._storage)
                    _node.versions = (_storages[0].version, 0, _storages[2].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_pow, (input, exponent), out)


def operator_pow(input, exponent):
    if type(input) in PLAIN_TYPES and type(exponent) in PLAIN_TYPES:
        input_array = input._array
        exponent_array = exponent._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is exponent_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_power(input_array, exponent_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                exponent_edge = exponent._edge if exponent._base is None else edge_of(exponent)
                if _mode and (input_edge is not None or exponent_edge is not None):
                    _node = (new_PowBackward0 if isinstance(exponent, (int, float)) else new_PowBackward2 if isinstance(input, (int, float)) else new_PowBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, exponent_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, exponent_array, None if exponent_edge is None else _result)
                    _node.storages = _storages = (input._storage, exponent._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == exponent_array.shape else ((input_array.shape, input_array.dtype), (exponent_array.shape, exponent_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(exponent) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[exponent]
            _token = set_errors(IGNORED)
            try:
                _result = xp_power(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_PowBackward0 if isinstance(exponent, (int, float)) else new_PowBackward2 if isinstance(input, (int, float)) else new_PowBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _number, None)
                    _node.storages = _storages = (input._storage, None, _tensor._storage)
                    _node.versions = (_storages[0].version, 0, _storages[2].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return operated(Operators.pow, input, exponent)


def pow_(input, exponent):
    """In-place version of `pow`."""
    return write(pow, input, (exponent,), {}, OP_pow)


OP_pow.inplace_function = pow_


OP_pow.function = pow


def power_of(input, other):
    """`other ** input`."""
    return composite_power_of(F, input, other)


def operator_power_of(input, other):
    return operated(Operators.power_of, input, other)


OP_power_of.function = power_of


def prelu(input, weight):
    """`input` where it is positive, otherwise `weight * input`; one weight for all, or one for each channel."""
    if type(weight) not in PLAIN_TYPES:
        explain_arguments(OP_prelu, (input, weight))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_prelu, composite_prelu, F, (input, weight), dict())
        explain_arguments(OP_prelu, (input, weight))
    if type(get_mode()) is Modes:
        return autocasted(OP_prelu, composite_prelu, F, (input, weight), dict())
    try:
        return composite_prelu(F, input, weight)
    except Exception:
        explain_arguments(OP_prelu, (input, weight))
        raise


OP_prelu.function = prelu


def prelu_kernel_backward(F, node, saved, g):
    input, weight = saved
    input_edge, weight_edge = node.edges
    return (None if input_edge is None else F.choose(input > 0, g, weight * g), None if weight_edge is None else F.choose(input > 0, 0, input * g))


class PreluKernelBackward0(Node):
    op = OPS['prelu_kernel']
    saves = ('input', 'weight')
    parameters = ()
    backward = staticmethod(prelu_kernel_backward)
    backward_complex = staticmethod(prelu_kernel_backward)


new_PreluKernelBackward0 = maker_of(PreluKernelBackward0)


OP_prelu_kernel.nodes = (PreluKernelBackward0,)


OP_prelu_kernel.select_node = lambda input, weight: PreluKernelBackward0


def prelu_kernel(input, weight):
    """`input` where it is positive, otherwise `weight * input`."""
    if type(input) in PLAIN_TYPES and type(weight) in PLAIN_TYPES:
        input_array = input._array
        weight_array = weight._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is weight_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_prelu_kernel(input_array, weight_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                weight_edge = weight._edge if weight._base is None else edge_of(weight)
                if _mode and (input_edge is not None or weight_edge is not None):
                    _node = new_PreluKernelBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, weight_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, None if input_edge is None else weight_array)
                    _node.storages = _storages = (input._storage, weight._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == weight_array.shape else ((input_array.shape, input_array.dtype), (weight_array.shape, weight_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(weight) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[weight]
            _token = set_errors(IGNORED)
            try:
                _result = kernel_prelu_kernel(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_PreluKernelBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _number)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_prelu_kernel, (input, weight))


OP_prelu_kernel.function = prelu_kernel


def present(node, g):
    """The gradients of all results of a node; zeros for a result that nothing was made of."""
    return composite_present(F, node, g)


OP_present.function = present


def prod_backward(F, node, saved, g):
    input, out = saved
    input_shape, dim = node.params
    return (derivative_prod_input(F, g, input, out, input_shape, dim),)


class ProdBackward0(Node):
    op = OPS['prod']
    saves = ('input', 'out')
    parameters = ('input_shape', 'dim')
    backward = staticmethod(prod_backward)
    backward_complex = staticmethod(prod_backward)


new_ProdBackward0 = maker_of(ProdBackward0)


class ProdBackward1(Node):
    op = OPS['prod']
    saves = ('input', 'out')
    parameters = ('input_shape', 'dim')
    backward = staticmethod(prod_backward)
    backward_complex = staticmethod(prod_backward)


new_ProdBackward1 = maker_of(ProdBackward1)


OP_prod.nodes = (ProdBackward0, ProdBackward1)


OP_prod.select_node = lambda input, dim, keepdim, dtype: ProdBackward0 if dim is None else ProdBackward1


def prod(input, dim=None, keepdim=False, *, dtype=None, out=None, **named):
    """The product of the elements along `dim`; of all of them if `dim` is None."""
    if named:
        return renamed(OP_prod, prod, {'input': input, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_prod, (input, dim, keepdim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_prod(xp, input_array, dim, keepdim, dtype=dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_ProdBackward0 if dim is None else new_ProdBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (input_array.shape, dim)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_prod, (input, dim, keepdim, dtype), out)


OP_prod.function = prod


def product_with_vector(input, other):
    """A vector or a matrix times a vector, in `matmul`: autocast knows that, but not `dot` or `mv`."""
    if type(get_mode()) is Modes:
        return autocasted(OP_product_with_vector, composite_product_with_vector, F, (input, other), dict())
    return composite_product_with_vector(F, input, other)


OP_product_with_vector.function = product_with_vector


def products_of_others(input, dim):
    """For each element the product of all others along `dim`; without a division, since elements may be zero."""
    return composite_products_of_others(F, input, dim)


OP_products_of_others.function = products_of_others


def put_backward(F, node, saved, g):
    index, = saved
    accumulate, source_shape = node.params
    input_edge, source_edge = node.edges
    return (None if input_edge is None else g if accumulate else F.put(g, index, F.new_zeros_of(g, tuple(index.shape))), None if source_edge is None else F.reshape(F.take(g, index), source_shape))


class PutBackward0(Node):
    op = OPS['put']
    saves = ('index',)
    parameters = ('accumulate', 'source_shape')
    backward = staticmethod(put_backward)
    backward_complex = staticmethod(put_backward)


new_PutBackward0 = maker_of(PutBackward0)


OP_put.nodes = (PutBackward0,)


OP_put.select_node = lambda input, index, source, accumulate: PutBackward0


def put(input, index, source, accumulate=False, *, out=None):
    """`input` with `source` written to positions in the flattened tensor; added there with `accumulate`."""
    if accumulate is not False and accumulate is not True:
        explain_arguments(OP_put, (input, index, source, accumulate))
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES and type(source) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        source_array = source._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is source_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_put(xp, input_array, index_array, source_array, accumulate)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                source_edge = source._edge if source._base is None else edge_of(source)
                if _mode and (input_edge is not None or source_edge is not None):
                    _node = new_PutBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, source_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (accumulate, source_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_put, (input, index, source, accumulate), out)


def put_(input, index, source, accumulate=False):
    """In-place version of `put`."""
    return write(put, input, (index, source, accumulate), {}, OP_put)


OP_put.inplace_function = put_


OP_put.function = put


def put_indices_backward(F, node, saved, g):
    indices, accumulate, values_shape = node.params
    input_edge, values_edge = node.edges
    return (None if input_edge is None else g if accumulate else F.put_indices(g, indices, F.new_zeros_of(g, ())), None if values_edge is None else derivative_put_indices_values(F, g, values_shape, indices))


class IndexPutBackward0(Node):
    op = OPS['put_indices']
    saves = ()
    parameters = ('indices', 'accumulate', 'values_shape')
    backward = staticmethod(put_indices_backward)
    backward_complex = staticmethod(put_indices_backward)


new_IndexPutBackward0 = maker_of(IndexPutBackward0)


OP_put_indices.nodes = (IndexPutBackward0,)


OP_put_indices.select_node = lambda input, indices, values, accumulate: IndexPutBackward0


def put_indices(input, indices, values, accumulate=False):
    """`input` with what index arrays select replaced by `values`, or with `accumulate` increased by them."""
    if type(input) in PLAIN_TYPES and type(values) in PLAIN_TYPES:
        input_array = input._array
        values_array = values._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is values_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_put_indices(xp, input_array, indices, values_array, accumulate)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                values_edge = values._edge if values._base is None else edge_of(values)
                if _mode and (input_edge is not None or values_edge is not None):
                    _node = new_IndexPutBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, values_edge)
                    _node.saved = ()
                    _node.params = (indices, accumulate, values_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_put_indices, (input, indices, values, accumulate))


def put_indices_(input, indices, values, accumulate=False):
    """In-place version of `put_indices`."""
    return write(put_indices, input, (indices, values, accumulate), {}, OP_put_indices)


OP_put_indices.inplace_function = put_indices_


OP_put_indices.function = put_indices


def putitem_backward(F, node, saved, g):
    index, = node.params
    return (F.getitem_view(g, index),)


class SelectBackwardBackward0(Node):
    op = OPS['putitem']
    saves = ()
    parameters = ('index',)
    backward = staticmethod(putitem_backward)
    backward_complex = staticmethod(putitem_backward)


new_SelectBackwardBackward0 = maker_of(SelectBackwardBackward0)


class SliceBackwardBackward0(Node):
    op = OPS['putitem']
    saves = ()
    parameters = ('index',)
    backward = staticmethod(putitem_backward)
    backward_complex = staticmethod(putitem_backward)


new_SliceBackwardBackward0 = maker_of(SliceBackwardBackward0)


OP_putitem.nodes = (SelectBackwardBackward0, SliceBackwardBackward0)


OP_putitem.select_node = lambda input, shape, index: SelectBackwardBackward0 if len(index) > 1 and isinstance(index[-2], int) else SliceBackwardBackward0


def putitem(input, shape, index):
    """Zeros of `shape` with `input` in the part that an index selects."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_part_of_zeros(input_array, shape, index)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_SelectBackwardBackward0 if len(index) > 1 and isinstance(index[-2], int) else new_SliceBackwardBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (index,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_putitem, (input, shape, index))


OP_putitem.function = putitem


def quantile(input, q=NOTHING, dim=None, keepdim=False, *, interpolation='linear', out=None, **named):
    """The values below which fractions `q` of the elements along `dim` lie; NaN if one is NaN."""
    if named or q is NOTHING:
        return renamed(OP_quantile, quantile, {'input': input, 'q': q, 'dim': dim, 'keepdim': keepdim, 'interpolation': interpolation, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True or type(interpolation) is not str:
        explain_arguments(OP_quantile, (input, q, dim, keepdim, interpolation))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_quantile, composite_quantile, F, (input, q, dim, keepdim), dict(interpolation=interpolation))
        explain_arguments(OP_quantile, (input, q, dim, keepdim, interpolation))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_quantile, composite_quantile, F, (input, q, dim, keepdim), dict(interpolation=interpolation))
    if out is not None:
        return into(out, 'quantile', uncast(composite_quantile, F, input, q, dim, keepdim, interpolation=interpolation), OP_quantile, (input, q, dim, keepdim, interpolation))
    try:
        return composite_quantile(F, input, q, dim, keepdim, interpolation=interpolation)
    except Exception:
        explain_arguments(OP_quantile, (input, q, dim, keepdim, interpolation))
        raise


OP_quantile.function = quantile


def rad2deg_backward(F, node, saved, g):
    return (derivative_rad2deg_input(F, g),)


class Rad2DegBackward0(Node):
    op = OPS['rad2deg']
    saves = ()
    parameters = ()
    backward = staticmethod(rad2deg_backward)
    backward_complex = staticmethod(rad2deg_backward)


new_Rad2DegBackward0 = maker_of(Rad2DegBackward0)


OP_rad2deg.nodes = (Rad2DegBackward0,)


OP_rad2deg.select_node = lambda input: Rad2DegBackward0


def rad2deg(input, *, out=None):
    """Radians in degrees."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_rad2deg(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_Rad2DegBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_rad2deg, (input,), out)


def rad2deg_(input):
    """In-place version of `rad2deg`."""
    return write(rad2deg, input, (), {}, OP_rad2deg)


OP_rad2deg.inplace_function = rad2deg_


OP_rad2deg.function = rad2deg


def ravel(input):
    """`input` in one dimension."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_ravel, composite_ravel, F, (input,), dict())
        explain_arguments(OP_ravel, (input,))
    try:
        return composite_ravel(F, input)
    except Exception:
        explain_arguments(OP_ravel, (input,))
        raise


OP_ravel.function = ravel


def real(input):
    """The real parts, a view; `input` itself where it is real."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_real, (input,))
    try:
        return composite_real(F, input)
    except Exception:
        explain_arguments(OP_real, (input,))
        raise


OP_real.function = real


def reciprocal_backward(F, node, saved, g):
    out, = saved
    return (-g * (out * out),)


def reciprocal_backward_complex(F, node, saved, g):
    out, = saved
    return (-g * F.conj(out * out),)


class ReciprocalBackward0(Node):
    op = OPS['reciprocal']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(reciprocal_backward)
    backward_complex = staticmethod(reciprocal_backward_complex)


new_ReciprocalBackward0 = maker_of(ReciprocalBackward0)


OP_reciprocal.nodes = (ReciprocalBackward0,)


OP_reciprocal.select_node = lambda input: ReciprocalBackward0


def reciprocal(input, *, out=None):
    """`1 / input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(1, input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ReciprocalBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_reciprocal, (input,), out)


def reciprocal_(input):
    """In-place version of `reciprocal`."""
    return write(reciprocal, input, (), {}, OP_reciprocal)


OP_reciprocal.inplace_function = reciprocal_


OP_reciprocal.function = reciprocal


def recurrence_backward(F, node, saved, g):
    factor, out = saved
    dim, backwards = node.params
    input_edge, factor_edge = node.edges
    return (None if input_edge is None else F.recurrence(g, F.shifted(factor, dim, 1 if backwards else -1, 0), dim, not backwards), None if factor_edge is None else derivative_recurrence_factor(F, g, factor, out, dim, backwards))


def recurrence_backward_complex(F, node, saved, g):
    factor, out = saved
    dim, backwards = node.params
    input_edge, factor_edge = node.edges
    return (None if input_edge is None else F.recurrence(g, F.conj(F.shifted(factor, dim, 1 if backwards else -1, 0)), dim, not backwards), None if factor_edge is None else derivative_recurrence_factor(F, g, factor, out, dim, backwards))


class RecurrenceBackward0(Node):
    op = OPS['recurrence']
    saves = ('factor', 'out')
    parameters = ('dim', 'backwards')
    backward = staticmethod(recurrence_backward)
    backward_complex = staticmethod(recurrence_backward_complex)


new_RecurrenceBackward0 = maker_of(RecurrenceBackward0)


OP_recurrence.nodes = (RecurrenceBackward0,)


OP_recurrence.select_node = lambda input, factor, dim, backwards: RecurrenceBackward0


def recurrence(input, factor, dim, backwards=False):
    """`out[i] = input[i] + factor[i] * out[i - 1]` along `dim`; with `out[i + 1]` instead if it runs `backwards`."""
    if type(input) in PLAIN_TYPES and type(factor) in PLAIN_TYPES:
        input_array = input._array
        factor_array = factor._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is factor_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_recurrence(xp, input_array, factor_array, dim, backwards)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                factor_edge = factor._edge if factor._base is None else edge_of(factor)
                if _mode and (input_edge is not None or factor_edge is not None):
                    _node = new_RecurrenceBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, factor_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (factor_array, None if factor_edge is None else _result)
                    _node.storages = _storages = (factor._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (dim, backwards)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_recurrence, (input, factor, dim, backwards))


OP_recurrence.function = recurrence


def relu_backward(F, node, saved, g):
    out, = saved
    return (F.choose(out <= 0, 0, g),)


class ReluBackward0(Node):
    op = OPS['relu']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(relu_backward)
    backward_complex = staticmethod(relu_backward)


new_ReluBackward0 = maker_of(ReluBackward0)


OP_relu.nodes = (ReluBackward0,)


OP_relu.select_node = lambda input: ReluBackward0


def relu(input, *, out=None):
    """`input` where it is positive, otherwise 0; the derivative at 0 is 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_maximum(input_array, 0, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ReluBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_relu, (input,), out)


def relu_(input):
    """In-place version of `relu`."""
    return write(relu, input, (), {}, OP_relu)


OP_relu.inplace_function = relu_


OP_relu.function = relu


def relu6(input):
    """`input` kept between 0 and 6."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_relu6, (input,))
    try:
        return composite_relu6(F, input)
    except Exception:
        explain_arguments(OP_relu6, (input,))
        raise


def relu6_(input):
    """In-place version of `relu6`."""
    return write(relu6, input, (), {}, OP_relu6)


OP_relu6.inplace_function = relu6_


OP_relu6.function = relu6


def remainder_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g, None if other_edge is None else -g * F.rounded_divide(input, other, 'floor'))


class RemainderBackward0(Node):
    op = OPS['remainder']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(remainder_backward)
    backward_complex = staticmethod(remainder_backward)


new_RemainderBackward0 = maker_of(RemainderBackward0)


class RemainderBackward1(Node):
    op = OPS['remainder']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(remainder_backward)
    backward_complex = staticmethod(remainder_backward)


new_RemainderBackward1 = maker_of(RemainderBackward1)


OP_remainder.nodes = (RemainderBackward0, RemainderBackward1)


OP_remainder.select_node = lambda input, other: RemainderBackward0 if isinstance(other, (int, float)) else RemainderBackward1


def remainder(input, other=NOTHING, *, out=None, **named):
    """What is left of `input` when it is divided by `other`, with the sign of `other`."""
    if named or other is NOTHING:
        return renamed(OP_remainder, remainder, {'input': input, 'other': other, 'out': out}, named)
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_remainder(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = (new_RemainderBackward0 if isinstance(other, (int, float)) else new_RemainderBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, None if other_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_remainder(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_RemainderBackward0 if isinstance(other, (int, float)) else new_RemainderBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None, None)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_remainder, (input, other), out)


def operator_remainder(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_remainder(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = (new_RemainderBackward0 if isinstance(other, (int, float)) else new_RemainderBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, None if other_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_remainder(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_RemainderBackward0 if isinstance(other, (int, float)) else new_RemainderBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None, None)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return operated(Tensor.remainder, input, other)


def remainder_(input, other=NOTHING, **named):
    """In-place version of `remainder`."""
    if named or other is NOTHING:
        return renamed(OP_remainder, remainder_, {'input': input, 'other': other}, named)
    return write(remainder, input, (other,), {}, OP_remainder)


OP_remainder.inplace_function = remainder_


OP_remainder.function = remainder


def remainder_into(input, other):
    """`other % input`."""
    return composite_remainder_into(F, input, other)


def operator_remainder_into(input, other):
    return operated(Operators.remainder_into, input, other)


OP_remainder_into.function = remainder_into


def renorm_backward(F, node, saved, g):
    input, = saved
    p, dim, maxnorm, input_shape = node.params
    return (derivative_renorm_input(F, g, input, p, dim, maxnorm, input_shape),)


class RenormBackward0(Node):
    op = OPS['renorm']
    saves = ('input',)
    parameters = ('p', 'dim', 'maxnorm', 'input_shape')
    backward = staticmethod(renorm_backward)
    backward_complex = staticmethod(renorm_backward)


new_RenormBackward0 = maker_of(RenormBackward0)


OP_renorm.nodes = (RenormBackward0,)


OP_renorm.select_node = lambda input, p, dim, maxnorm: RenormBackward0


def renorm(input, p=NOTHING, dim=NOTHING, maxnorm=NOTHING, *, out=None, **named):
    """`input` with its slices along `dim` scaled down where their norm exceeds `maxnorm`."""
    if named or maxnorm is NOTHING:
        return renamed(OP_renorm, renorm, {'input': input, 'p': p, 'dim': dim, 'maxnorm': maxnorm, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_renorm, (input, p, dim, maxnorm))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_renorm(xp, input_array, p, dim, maxnorm)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_RenormBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (p, dim, maxnorm, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_renorm, (input, p, dim, maxnorm), out)


def renorm_(input, p=NOTHING, dim=NOTHING, maxnorm=NOTHING, **named):
    """In-place version of `renorm`."""
    if named or maxnorm is NOTHING:
        return renamed(OP_renorm, renorm_, {'input': input, 'p': p, 'dim': dim, 'maxnorm': maxnorm}, named)
    return write(renorm, input, (p, dim, maxnorm), {}, OP_renorm)


OP_renorm.inplace_function = renorm_


OP_renorm.function = renorm


def repeat_backward(F, node, saved, g):
    input_shape, repeats = node.params
    return (derivative_repeat_input(F, g, input_shape, repeats),)


class RepeatBackward0(Node):
    op = OPS['repeat']
    saves = ()
    parameters = ('input_shape', 'repeats')
    backward = staticmethod(repeat_backward)
    backward_complex = staticmethod(repeat_backward)


new_RepeatBackward0 = maker_of(RepeatBackward0)


OP_repeat.nodes = (RepeatBackward0,)


OP_repeat.select_node = lambda input, repeats: RepeatBackward0


def repeat(input, repeats):
    """`input` so many times along each dimension; further numbers in front make new dimensions."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_repeat(xp, input_array, repeats)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_RepeatBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, repeats)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_repeat, (input, repeats))


OP_repeat.function = repeat


def repeat_interleave(input, repeats=None, dim=None, *, output_size=None, **named):
    """Every element, or slice along `dim`, `repeats` times in a row; of counts alone, the positions to repeat by."""
    if named:
        return renamed(OP_repeat_interleave, repeat_interleave, {'input': input, 'repeats': repeats, 'dim': dim, 'output_size': output_size}, named)
    if repeats is not None and (type(repeats) not in PLAIN_TYPES and type(repeats) is not int or type(repeats) is int and (repeats > 0x3FFFFFFF or repeats < -0x3FFFFFFF)) or dim is not None and (dim is True or dim is False) or output_size is not None and (type(output_size) is not int or output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF):
        explain_arguments(OP_repeat_interleave, (input, repeats, dim, output_size))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_repeat_interleave, composite_repeat_interleave, F, (input, repeats, dim), dict(output_size=output_size))
    try:
        return composite_repeat_interleave(F, input, repeats, dim, output_size=output_size)
    except Exception:
        explain_arguments(OP_repeat_interleave, (input, repeats, dim, output_size))
        raise


OP_repeat_interleave.function = repeat_interleave


def repeat_variadic(input, *counts, repeats=None):
    """`input` so many times along each dimension."""
    if repeats is not None and (not isinstance(repeats, (tuple, list))):
        explain_arguments(OP_repeat_variadic, (input, *counts, repeats))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_repeat_variadic, composite_repeat_variadic, F, (input, *counts), dict(repeats=repeats))
        explain_arguments(OP_repeat_variadic, (input, *counts, repeats))
    try:
        return composite_repeat_variadic(F, input, *counts, repeats=repeats)
    except Exception:
        explain_arguments(OP_repeat_variadic, (input, *counts, repeats))
        raise


OP_repeat_variadic.function = repeat_variadic


def reshape(input, shape):
    """`input` in another shape: a view where that is possible, else a copy."""
    if type(input) not in PLAIN_TYPES or not isinstance(shape, (tuple, list)):
        explain_arguments(OP_reshape, (input, shape))
    try:
        return composite_reshape(F, input, shape)
    except Exception:
        explain_arguments(OP_reshape, (input, shape))
        raise


OP_reshape.function = reshape


def reshape_as(input, other):
    """`input` in the shape of `other`."""
    if type(other) not in PLAIN_TYPES:
        explain_arguments(OP_reshape_as, (input, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_reshape_as, composite_reshape_as, F, (input, other), dict())
        explain_arguments(OP_reshape_as, (input, other))
    try:
        return composite_reshape_as(F, input, other)
    except Exception:
        explain_arguments(OP_reshape_as, (input, other))
        raise


OP_reshape_as.function = reshape_as


def reshape_variadic(input, *sizes, shape=None):
    """`input` in another shape: a view where that is possible, else a copy."""
    if shape is not None and (not isinstance(shape, (tuple, list))):
        explain_arguments(OP_reshape_variadic, (input, *sizes, shape))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_reshape_variadic, composite_reshape_variadic, F, (input, *sizes), dict(shape=shape))
        explain_arguments(OP_reshape_variadic, (input, *sizes, shape))
    try:
        return composite_reshape_variadic(F, input, *sizes, shape=shape)
    except Exception:
        explain_arguments(OP_reshape_variadic, (input, *sizes, shape))
        raise


OP_reshape_variadic.function = reshape_variadic


def resolve_conj(input):
    """The input itself, unless it is a conjugate that is not computed yet: then its numbers in memory of their own."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_resolve_conj, composite_resolve_conj, F, (input,), dict())
        explain_arguments(OP_resolve_conj, (input,))
    try:
        return composite_resolve_conj(F, input)
    except Exception:
        explain_arguments(OP_resolve_conj, (input,))
        raise


OP_resolve_conj.function = resolve_conj


def resolve_neg(input):
    """The input itself, unless it is a negative that is not computed yet: then its numbers in memory of their own."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_resolve_neg, composite_resolve_neg, F, (input,), dict())
        explain_arguments(OP_resolve_neg, (input,))
    try:
        return composite_resolve_neg(F, input)
    except Exception:
        explain_arguments(OP_resolve_neg, (input,))
        raise


OP_resolve_neg.function = resolve_neg


def rewritten_backward(F, node, saved, g):
    src_shape, path, view = node.params
    input_edge, src_edge = node.edges
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
    if type(input) in PLAIN_TYPES and type(src) in PLAIN_TYPES:
        input_array = input._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_rewritten(xp, input_array, src_array, path, view)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                src_edge = src._edge if src._base is None else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = (new_SelectScatterBackward0 if view == 'select' else new_SliceScatterBackward0 if view == 'slice' else new_DiagonalScatterBackward0 if view == 'diagonal' else new_AsStridedScatterBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, src_edge)
                    _node.saved = ()
                    _node.params = (src_array.shape, path, view)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_rewritten, (input, src, path, view))


OP_rewritten.function = rewritten


def right_shift_by(input, other):
    """`other >> input`."""
    return composite_right_shift_by(F, input, other)


def operator_right_shift_by(input, other):
    return operated(Operators.right_shift_by, input, other)


OP_right_shift_by.function = right_shift_by


def roll_backward(F, node, saved, g):
    shifts, dims = node.params
    return (derivative_roll_input(F, g, shifts, dims),)


class RollBackward0(Node):
    op = OPS['roll']
    saves = ()
    parameters = ('shifts', 'dims')
    backward = staticmethod(roll_backward)
    backward_complex = staticmethod(roll_backward)


new_RollBackward0 = maker_of(RollBackward0)


OP_roll.nodes = (RollBackward0,)


OP_roll.select_node = lambda input, shifts, dims: RollBackward0


def roll(input, shifts, dims=()):
    """`input` shifted along some dimensions, what leaves at one end coming in at the other; flattened if no `dims`."""
    if shifts is True or shifts is False or dims is True or dims is False:
        explain_arguments(OP_roll, (input, shifts, dims))
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_rolled(input_array, shifts, dims)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_RollBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (shifts, dims)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_roll, (input, shifts, dims))


OP_roll.function = roll


def rot90_backward(F, node, saved, g):
    k, dims = node.params
    return (F.rot90(g, -k, dims),)


class Rot90Backward0(Node):
    op = OPS['rot90']
    saves = ()
    parameters = ('k', 'dims')
    backward = staticmethod(rot90_backward)
    backward_complex = staticmethod(rot90_backward)


new_Rot90Backward0 = maker_of(Rot90Backward0)


OP_rot90.nodes = (Rot90Backward0,)


OP_rot90.select_node = lambda input, k, dims: Rot90Backward0


def rot90(input, k=1, dims=(0, 1)):
    """`input` turned by `k` quarters in the plane of two dimensions, from the first towards the second."""
    if type(k) is not int or k > 0x3FFFFFFF or k < -0x3FFFFFFF or dims is True or dims is False:
        explain_arguments(OP_rot90, (input, k, dims))
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_turned(input_array, k, dims)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_Rot90Backward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (k, dims)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_rot90, (input, k, dims))


OP_rot90.function = rot90


def round_backward(F, node, saved, g):
    return (F.zeros_of(g),)


class RoundBackward1(Node):
    op = OPS['round']
    saves = ()
    parameters = ()
    backward = staticmethod(round_backward)
    backward_complex = staticmethod(round_backward)


new_RoundBackward1 = maker_of(RoundBackward1)


class RoundBackward0(Node):
    op = OPS['round']
    saves = ()
    parameters = ()
    backward = staticmethod(round_backward)
    backward_complex = staticmethod(round_backward)


new_RoundBackward0 = maker_of(RoundBackward0)


OP_round.nodes = (RoundBackward1, RoundBackward0)


OP_round.select_node = lambda input, decimals: RoundBackward1 if decimals else RoundBackward0


def round(input, *, decimals=0, out=None):
    """The nearest number with `decimals` digits after the point, the even one of two that are equally near."""
    if type(decimals) is not int or decimals > 0x3FFFFFFF or decimals < -0x3FFFFFFF:
        explain_arguments(OP_round, (input, decimals))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_round_to(input_array, decimals)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_RoundBackward1 if decimals else new_RoundBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_round, (input, decimals), out)


def round_(input, *, decimals=0):
    """In-place version of `round`."""
    return write(round, input, (), {'decimals': decimals}, OP_round)


OP_round.inplace_function = round_


OP_round.function = round


def rounded_divide_backward(F, node, saved, g):
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.zeros_of(g), None if other_edge is None else F.zeros_of(g))


class DivBackward2(Node):
    op = OPS['rounded_divide']
    saves = ()
    parameters = ()
    backward = staticmethod(rounded_divide_backward)
    backward_complex = staticmethod(rounded_divide_backward)


new_DivBackward2 = maker_of(DivBackward2)


OP_rounded_divide.nodes = (DivBackward2,)


OP_rounded_divide.select_node = lambda input, other, rounding_mode: DivBackward2


def rounded_divide(input, other, rounding_mode):
    """`input / other`, rounded down ("floor") or towards zero ("trunc")."""
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_floor_divide(input_array, other_array) if rounding_mode == 'floor' else xp_truncated_divide(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_DivBackward2()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_floor_divide(input_array, _number) if rounding_mode == 'floor' else xp_truncated_divide(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_DivBackward2()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_rounded_divide, (input, other, rounding_mode))


OP_rounded_divide.function = rounded_divide


def rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    """`input` where it is positive, otherwise times a number drawn from between the bounds, or their mean."""
    if type(input) not in PLAIN_TYPES or training is not False and training is not True:
        explain_arguments(OP_rrelu, (input, lower, upper, training, generator))
    try:
        return composite_rrelu(F, input, lower, upper, training, generator)
    except Exception:
        explain_arguments(OP_rrelu, (input, lower, upper, training, generator))
        raise


def rrelu_(input, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    """In-place version of `rrelu`."""
    return write(rrelu, input, (lower, upper, training, generator), {}, OP_rrelu)


OP_rrelu.inplace_function = rrelu_


OP_rrelu.function = rrelu


def rrelu_with_noise_backward(F, node, saved, g):
    input, noise = saved
    lower, upper, training = node.params
    return (F.choose(input > 0, g, g * (noise if training else (lower + upper) / 2)),)


class RreluWithNoiseBackward0(Node):
    op = OPS['rrelu_with_noise']
    saves = ('input', 'noise')
    parameters = ('lower', 'upper', 'training')
    backward = staticmethod(rrelu_with_noise_backward)
    backward_complex = staticmethod(rrelu_with_noise_backward)


new_RreluWithNoiseBackward0 = maker_of(RreluWithNoiseBackward0)


OP_rrelu_with_noise.nodes = (RreluWithNoiseBackward0,)


OP_rrelu_with_noise.select_node = lambda input, noise, lower, upper, training: RreluWithNoiseBackward0


def rrelu_with_noise(input, noise, lower, upper, training):
    """`input` where it is positive, otherwise times `noise` in training and times the mean of the bounds elsewhere."""
    if type(input) in PLAIN_TYPES and (noise is None or type(noise) in PLAIN_TYPES):
        input_array = input._array
        noise_array = None if noise is None else noise._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_rrelu_with_noise(input_array, noise_array, lower, upper, training)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_RreluWithNoiseBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, noise_array)
                    _node.storages = _storages = (input._storage, None if noise is None else noise._storage)
                    _node.versions = (_storages[0].version, 0 if _storages[1] is None else _storages[1].version)
                    _node.params = (lower, upper, training)
                    _node.metas = None if (input_array.shape == _result.shape) else ((input_array.shape, input_array.dtype),)
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_rrelu_with_noise, (input, noise, lower, upper, training))


def rrelu_with_noise_(input, noise, lower, upper, training):
    """In-place version of `rrelu_with_noise`."""
    return write(rrelu_with_noise, input, (noise, lower, upper, training), {}, OP_rrelu_with_noise)


OP_rrelu_with_noise.inplace_function = rrelu_with_noise_


OP_rrelu_with_noise.function = rrelu_with_noise


def rsqrt_backward(F, node, saved, g):
    out, = saved
    return (-0.5 * g * (out * out * out),)


def rsqrt_backward_complex(F, node, saved, g):
    out, = saved
    return (-0.5 * g * F.conj(out * out * out),)


class RsqrtBackward0(Node):
    op = OPS['rsqrt']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(rsqrt_backward)
    backward_complex = staticmethod(rsqrt_backward_complex)


new_RsqrtBackward0 = maker_of(RsqrtBackward0)


OP_rsqrt.nodes = (RsqrtBackward0,)


OP_rsqrt.select_node = lambda input: RsqrtBackward0


def rsqrt(input, *, out=None):
    """`1 / sqrt(input)`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_rsqrt(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_RsqrtBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_rsqrt, (input,), out)


def rsqrt_(input):
    """In-place version of `rsqrt`."""
    return write(rsqrt, input, (), {}, OP_rsqrt)


OP_rsqrt.inplace_function = rsqrt_


OP_rsqrt.function = rsqrt


def rsub_backward(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else -g if alpha == 1 else g * -alpha, None if other_edge is None else g)


def rsub_backward_complex(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else -g if alpha == 1 else g * -F.conj(alpha), None if other_edge is None else g)


class RsubBackward1(Node):
    op = OPS['rsub']
    saves = ()
    parameters = ('alpha',)
    backward = staticmethod(rsub_backward)
    backward_complex = staticmethod(rsub_backward_complex)


new_RsubBackward1 = maker_of(RsubBackward1)


class RsubBackward0(Node):
    op = OPS['rsub']
    saves = ()
    parameters = ('alpha',)
    backward = staticmethod(rsub_backward)
    backward_complex = staticmethod(rsub_backward_complex)


new_RsubBackward0 = maker_of(RsubBackward0)


OP_rsub.nodes = (RsubBackward1, RsubBackward0)


OP_rsub.select_node = lambda input, other, alpha: RsubBackward1 if isinstance(other, (int, float)) else RsubBackward0


def rsub(input, other, *, alpha=1, out=None):
    """`other - alpha * input`, element by element."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_subtract(other_array, input_array) if alpha == 1 else xp_subtract(other_array, xp_scaled(input_array, alpha))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = (new_RsubBackward1 if isinstance(other, (int, float)) else new_RsubBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = (alpha,)
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            try:
                _result = xp_subtract(_number, input_array) if alpha == 1 else xp_subtract(_number, xp_scaled(input_array, alpha))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_RsubBackward1 if isinstance(other, (int, float)) else new_RsubBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = (alpha,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_rsub, (input, other, alpha), out)


def operator_rsub(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_subtract(other_array, input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = (new_RsubBackward1 if isinstance(other, (int, float)) else new_RsubBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = (1,)
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_subtract(_number, input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_RsubBackward1 if isinstance(other, (int, float)) else new_RsubBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = (1,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Operators.rsub, input, other)


OP_rsub.function = rsub


def scatter(input, dim=NOTHING, index=NOTHING, src=None, *, value=None, reduce=None, out=None, **named):
    """`input` with `src`, or a number, written to the places that `index` names: `out[index[i][j]][j] = src[i][j]` for
    `dim=0`; with `reduce` "add" or "multiply" it is combined with what is there."""
    if named or index is NOTHING:
        return renamed(OP_scatter, scatter, {'input': input, 'dim': dim, 'index': index, 'src': src, 'value': value, 'reduce': reduce, 'out': out}, named)
    if dim is True or dim is False or type(index) not in PLAIN_TYPES or reduce is not None and (type(reduce) is not str):
        explain_arguments(OP_scatter, (input, dim, index, src, value, reduce))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_scatter, composite_scatter, F, (input, dim, index, src), dict(value=value, reduce=reduce))
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
    return write(scatter, input, (dim, index, src), {'value': value, 'reduce': reduce}, OP_scatter)


OP_scatter.inplace_function = scatter_


OP_scatter.function = scatter


def scatter_add_backward(F, node, saved, g):
    index, = saved
    dim, src_shape = node.params
    input_edge, src_edge = node.edges
    return (None if input_edge is None else g, None if src_edge is None else derivative_scatter_add_src(F, g, dim, index, src_shape))


class ScatterAddBackward0(Node):
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
    if dim is True or dim is False:
        explain_arguments(OP_scatter_add, (input, dim, index, src))
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES and type(src) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_scatter_add(xp, input_array, dim, index_array, src_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                src_edge = src._edge if src._base is None else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new_ScatterAddBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, src_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if src_edge is None else index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, src_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_scatter_add, (input, dim, index, src), out)


def scatter_add_(input, dim=NOTHING, index=NOTHING, src=NOTHING, **named):
    """In-place version of `scatter_add`."""
    if named or src is NOTHING:
        return renamed(OP_scatter_add, scatter_add_, {'input': input, 'dim': dim, 'index': index, 'src': src}, named)
    return write(scatter_add, input, (dim, index, src), {}, OP_scatter_add)


OP_scatter_add.inplace_function = scatter_add_


OP_scatter_add.function = scatter_add


def scatter_reduce_backward(F, node, saved, g):
    input, index, src, out = saved
    dim, reduce, include_self = node.params
    input_edge, src_edge = node.edges
    return (None if input_edge is None else derivative_scatter_reduce_input(F, g, input, dim, index, src, out, reduce, include_self), None if src_edge is None else derivative_scatter_reduce_src(F, g, input, dim, index, src, out, reduce, include_self))


class ScatterReduceBackward0(Node):
    op = OPS['scatter_reduce']
    saves = ('input', 'index', 'src', 'out')
    parameters = ('dim', 'reduce', 'include_self')
    backward = staticmethod(scatter_reduce_backward)
    backward_complex = staticmethod(scatter_reduce_backward)


new_ScatterReduceBackward0 = maker_of(ScatterReduceBackward0)


OP_scatter_reduce.nodes = (ScatterReduceBackward0,)


OP_scatter_reduce.select_node = lambda input, dim, index, src, reduce, include_self: ScatterReduceBackward0


def scatter_reduce(input, dim=NOTHING, index=NOTHING, src=NOTHING, reduce=NOTHING, *, include_self=True, out=None, **named):
    """`input` with `src` reduced into the places that `index` names: by "sum", "prod", "mean", "amax" or "amin"."""
    if named or reduce is NOTHING:
        return renamed(OP_scatter_reduce, scatter_reduce, {'input': input, 'dim': dim, 'index': index, 'src': src, 'reduce': reduce, 'include_self': include_self, 'out': out}, named)
    if dim is True or dim is False or include_self is not False and include_self is not True:
        explain_arguments(OP_scatter_reduce, (input, dim, index, src, reduce, include_self))
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES and type(src) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        src_array = src._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is src_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_scatter_reduce(xp, input_array, dim, index_array, src_array, reduce, include_self=include_self)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                src_edge = src._edge if src._base is None else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new_ScatterReduceBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, src_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, index_array, src_array, _result)
                    _node.storages = _storages = (input._storage, index._storage, src._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version, _storages[2].version, _storages[3].version)
                    _node.params = (dim, reduce, include_self)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_scatter_reduce, (input, dim, index, src, reduce, include_self), out)


def scatter_reduce_(input, dim=NOTHING, index=NOTHING, src=NOTHING, reduce=NOTHING, *, include_self=True, **named):
    """In-place version of `scatter_reduce`."""
    if named or reduce is NOTHING:
        return renamed(OP_scatter_reduce, scatter_reduce_, {'input': input, 'dim': dim, 'index': index, 'src': src, 'reduce': reduce, 'include_self': include_self}, named)
    return write(scatter_reduce, input, (dim, index, src, reduce), {'include_self': include_self}, OP_scatter_reduce)


OP_scatter_reduce.inplace_function = scatter_reduce_


OP_scatter_reduce.function = scatter_reduce


def scatter_source_backward(F, node, saved, g):
    index, = saved
    dim, src_shape = node.params
    input_edge, src_edge = node.edges
    return (None if input_edge is None else F.scatter_value(g, dim, index, 0), None if src_edge is None else derivative_scatter_source_src(F, g, dim, index, src_shape))


class ScatterBackward0(Node):
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
    if type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES and type(src) in PLAIN_TYPES:
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
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                src_edge = src._edge if src._base is None else edge_of(src)
                if _mode and (input_edge is not None or src_edge is not None):
                    _node = new_ScatterBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, src_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, src_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_scatter_source, (input, dim, index, src))


OP_scatter_source.function = scatter_source


def scatter_value_backward(F, node, saved, g):
    index, = saved
    dim, = node.params
    return (F.scatter_value(g, dim, index, 0),)


class ScatterBackward1(Node):
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
    if type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES:
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
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ScatterBackward1()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_scatter_value, (input, dim, index, value))


OP_scatter_value.function = scatter_value


def search(sorted_sequence, values, right=False, kind=None, *, out=None):
    """Where each value would go among sorted ones, by rows along the last dimension."""
    return general(OP_search, (sorted_sequence, values, right, kind), out)


OP_search.function = search


def searchsorted(sorted_sequence, input=NOTHING, *, out_int32=False, right=False, side=None, sorter=None, out=None, **named):
    """Where the values of `input` keep `sorted_sequence` sorted: before equal ones, or after them with `right`."""
    if named or input is NOTHING:
        return renamed(OP_searchsorted, searchsorted, {'sorted_sequence': sorted_sequence, 'input': input, 'out_int32': out_int32, 'right': right, 'side': side, 'sorter': sorter, 'out': out}, named)
    if type(sorted_sequence) not in PLAIN_TYPES or out_int32 is not False and out_int32 is not True or right is not False and right is not True or side is not None and (type(side) is not str) or sorter is not None and (type(sorter) not in PLAIN_TYPES):
        explain_arguments(OP_searchsorted, (sorted_sequence, input, out_int32, right, side, sorter))
    if out is not None:
        return into(out, 'searchsorted', composite_searchsorted(F, sorted_sequence, input, out_int32=out_int32, right=right, side=side, sorter=sorter), OP_searchsorted, (sorted_sequence, input, out_int32, right, side, sorter))
    try:
        return composite_searchsorted(F, sorted_sequence, input, out_int32=out_int32, right=right, side=side, sorter=sorter)
    except Exception:
        explain_arguments(OP_searchsorted, (sorted_sequence, input, out_int32, right, side, sorter))
        raise


searchsorted = documented(OP_searchsorted, searchsorted)


OP_searchsorted.function = searchsorted


def select_backward(F, node, saved, g):
    input_shape, dim, index = node.params
    return (derivative_select_input(F, g, input_shape, dim, index),)


class SelectBackward0(Node):
    op = OPS['select']
    saves = ()
    parameters = ('input_shape', 'dim', 'index')
    backward = staticmethod(select_backward)
    backward_complex = staticmethod(select_backward)


new_SelectBackward0 = maker_of(SelectBackward0)


OP_select.nodes = (SelectBackward0,)


OP_select.select_node = lambda input, dim, index: SelectBackward0


def select(input, dim=NOTHING, index=NOTHING, **named):
    """The slice at position `index` along `dim`."""
    if named or index is NOTHING:
        return renamed(OP_select, select, {'input': input, 'dim': dim, 'index': index}, named)
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_select(input_array, dim, index)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (select, (dim, index))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, select, (dim, index))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_SelectBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, dim, index)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_select, (input, dim, index))


OP_select.function = select


def select_copy(input, dim=NOTHING, index=NOTHING, *, out=None, **named):
    """A copy of the slice at position `index` along `dim`."""
    if named or index is NOTHING:
        return renamed(OP_select_copy, select_copy, {'input': input, 'dim': dim, 'index': index, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or dim is True or dim is False or type(index) is not int or index > 0x3FFFFFFF or index < -0x3FFFFFFF:
        explain_arguments(OP_select_copy, (input, dim, index))
    if out is not None:
        return into(out, 'select_copy', composite_select_copy(F, input, dim, index), OP_select_copy, (input, dim, index))
    try:
        return composite_select_copy(F, input, dim, index)
    except Exception:
        explain_arguments(OP_select_copy, (input, dim, index))
        raise


OP_select_copy.function = select_copy


def select_scatter(input, src=NOTHING, dim=NOTHING, index=NOTHING, *, out=None, **named):
    """A copy of `input` with `src` as its slice at position `index` along `dim`."""
    if named or index is NOTHING:
        return renamed(OP_select_scatter, select_scatter, {'input': input, 'src': src, 'dim': dim, 'index': index, 'out': out}, named)
    if type(src) not in PLAIN_TYPES or dim is True or dim is False or type(index) is not int or index > 0x3FFFFFFF or index < -0x3FFFFFFF:
        explain_arguments(OP_select_scatter, (input, src, dim, index))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_select_scatter, composite_select_scatter, F, (input, src, dim, index), dict())
        explain_arguments(OP_select_scatter, (input, src, dim, index))
    if out is not None:
        return into(out, 'select_scatter', composite_select_scatter(F, input, src, dim, index), OP_select_scatter, (input, src, dim, index))
    try:
        return composite_select_scatter(F, input, src, dim, index)
    except Exception:
        explain_arguments(OP_select_scatter, (input, src, dim, index))
        raise


OP_select_scatter.function = select_scatter


def selu(input):
    """`elu` with the scales at which activations keep mean 0 and variance 1."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_selu, (input,))
    try:
        return composite_selu(F, input)
    except Exception:
        explain_arguments(OP_selu, (input,))
        raise


def selu_(input):
    """In-place version of `selu`."""
    return write(selu, input, (), {}, OP_selu)


OP_selu.inplace_function = selu_


OP_selu.function = selu


def setitem(input, index, value):
    """`input[index] = value`: writes through the view that the index selects, or to the places that its arrays name."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_setitem, composite_setitem, F, (input, index, value), dict())
        explain_arguments(OP_setitem, (input, index, value))
    try:
        return composite_setitem(F, input, index, value)
    except Exception:
        explain_arguments(OP_setitem, (input, index, value))
        raise


OP_setitem.function = setitem


def sgn_backward(F, node, saved, g):
    input, out = saved
    return (derivative_sgn_input(F, g, input, out),)


class SgnBackward0(Node):
    op = OPS['sgn']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(sgn_backward)
    backward_complex = staticmethod(sgn_backward)


new_SgnBackward0 = maker_of(SgnBackward0)


OP_sgn.nodes = (SgnBackward0,)


OP_sgn.select_node = lambda input: SgnBackward0


def sgn(input, *, out=None):
    """`sign`, and for complex numbers their direction `input / |input|`, 0 at 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_sign(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SgnBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sgn, (input,), out)


def sgn_(input):
    """In-place version of `sgn`."""
    return write(sgn, input, (), {}, OP_sgn)


OP_sgn.inplace_function = sgn_


OP_sgn.function = sgn


def shifted_backward(F, node, saved, g):
    dim, step = node.params
    return (F.shifted(g, dim, -step, 0),)


class ShiftedBackward0(Node):
    op = OPS['shifted']
    saves = ()
    parameters = ('dim', 'step')
    backward = staticmethod(shifted_backward)
    backward_complex = staticmethod(shifted_backward)


new_ShiftedBackward0 = maker_of(ShiftedBackward0)


OP_shifted.nodes = (ShiftedBackward0,)


OP_shifted.select_node = lambda input, dim, step, fill: ShiftedBackward0


def shifted(input, dim, step, fill):
    """The elements `step` places further along `dim`, with `fill` in the places that become free."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_shifted(xp, input_array, dim, step, fill)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ShiftedBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim, step)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_shifted, (input, dim, step, fill))


OP_shifted.function = shifted


def sigmoid_backward(F, node, saved, g):
    out, = saved
    numbers = F.numbers[g.dtype]
    return (g * ((numbers[1] - out) * out),)


def sigmoid_backward_complex(F, node, saved, g):
    out, = saved
    return (g * F.conj((1 - out) * out),)


class SigmoidBackward0(Node):
    op = OPS['sigmoid']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(sigmoid_backward)
    backward_complex = staticmethod(sigmoid_backward_complex)


new_SigmoidBackward0 = maker_of(SigmoidBackward0)


OP_sigmoid.nodes = (SigmoidBackward0,)


OP_sigmoid.select_node = lambda input: SigmoidBackward0


def sigmoid(input, *, out=None):
    """`1 / (1 + exp(-input))`, the logistic function."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_sigmoid(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SigmoidBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sigmoid, (input,), out)


def sigmoid_(input):
    """In-place version of `sigmoid`."""
    return write(sigmoid, input, (), {}, OP_sigmoid)


OP_sigmoid.inplace_function = sigmoid_


OP_sigmoid.function = sigmoid


def sign_backward(F, node, saved, g):
    return (F.zeros_of(g),)


class SignBackward0(Node):
    op = OPS['sign']
    saves = ()
    parameters = ()
    backward = staticmethod(sign_backward)
    backward_complex = staticmethod(sign_backward)


new_SignBackward0 = maker_of(SignBackward0)


OP_sign.nodes = (SignBackward0,)


OP_sign.select_node = lambda input: SignBackward0


def sign(input, *, out=None):
    """-1, 0 or 1, as `input` is negative, zero or positive."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_sign(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SignBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sign, (input,), out)


def sign_(input):
    """In-place version of `sign`."""
    return write(sign, input, (), {}, OP_sign)


OP_sign.inplace_function = sign_


OP_sign.function = sign


def signbit(input, *, out=None):
    """Whether the sign of `input` is minus, that of -0.0 included."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_signbit(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_signbit, (input,), out)


OP_signbit.function = signbit


def silu_backward(F, node, saved, g):
    input, = saved
    return (derivative_silu_input(F, g, input),)


class SiluBackward0(Node):
    op = OPS['silu']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(silu_backward)
    backward_complex = staticmethod(silu_backward)


new_SiluBackward0 = maker_of(SiluBackward0)


OP_silu.nodes = (SiluBackward0,)


OP_silu.select_node = lambda input: SiluBackward0


def silu(input, *, out=None):
    """`input * sigmoid(input)`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_silu(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SiluBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_silu, (input,), out)


def silu_(input):
    """In-place version of `silu`."""
    return write(silu, input, (), {}, OP_silu)


OP_silu.inplace_function = silu_


OP_silu.function = silu


def sin_backward(F, node, saved, g):
    input, = saved
    return (g * F.cos(input),)


def sin_backward_complex(F, node, saved, g):
    input, = saved
    return (g * F.conj(F.cos(input)),)


class SinBackward0(Node):
    op = OPS['sin']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(sin_backward)
    backward_complex = staticmethod(sin_backward_complex)


new_SinBackward0 = maker_of(SinBackward0)


OP_sin.nodes = (SinBackward0,)


OP_sin.select_node = lambda input: SinBackward0


def sin(input, *, out=None):
    """The sine of `input`, in radians."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_sin(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SinBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sin, (input,), out)


def sin_(input):
    """In-place version of `sin`."""
    return write(sin, input, (), {}, OP_sin)


OP_sin.inplace_function = sin_


OP_sin.function = sin


def sinc_backward(F, node, saved, g):
    input, = saved
    return (derivative_sinc_input(F, g, input),)


class SincBackward0(Node):
    op = OPS['sinc']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(sinc_backward)
    backward_complex = staticmethod(sinc_backward)


new_SincBackward0 = maker_of(SincBackward0)


OP_sinc.nodes = (SincBackward0,)


OP_sinc.select_node = lambda input: SincBackward0


def sinc(input, *, out=None):
    """`sin(pi input) / (pi input)`, 1 at 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_sinc(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SincBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sinc, (input,), out)


def sinc_(input):
    """In-place version of `sinc`."""
    return write(sinc, input, (), {}, OP_sinc)


OP_sinc.inplace_function = sinc_


OP_sinc.function = sinc


def sinh_backward(F, node, saved, g):
    input, = saved
    return (g * F.cosh(input),)


def sinh_backward_complex(F, node, saved, g):
    input, = saved
    return (g * F.conj(F.cosh(input)),)


class SinhBackward0(Node):
    op = OPS['sinh']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(sinh_backward)
    backward_complex = staticmethod(sinh_backward_complex)


new_SinhBackward0 = maker_of(SinhBackward0)


OP_sinh.nodes = (SinhBackward0,)


OP_sinh.select_node = lambda input: SinhBackward0


def sinh(input, *, out=None):
    """The hyperbolic sine of `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_sinh(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SinhBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sinh, (input,), out)


def sinh_(input):
    """In-place version of `sinh`."""
    return write(sinh, input, (), {}, OP_sinh)


OP_sinh.inplace_function = sinh_


OP_sinh.function = sinh


def slice_copy(input, dim=0, start=None, end=None, step=1, *, out=None, **named):
    """A copy of the slices from `start` to `end` along `dim`."""
    if named:
        return renamed(OP_slice_copy, slice_copy, {'input': input, 'dim': dim, 'start': start, 'end': end, 'step': step, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or dim is True or dim is False or type(step) is not int or step > 0x3FFFFFFF or step < -0x3FFFFFFF:
        explain_arguments(OP_slice_copy, (input, dim, start, end, step))
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
    if type(src) not in PLAIN_TYPES or dim is True or dim is False or start is not None and (type(start) is not int or start > 0x3FFFFFFF or start < -0x3FFFFFFF) or type(step) is not int or step > 0x3FFFFFFF or step < -0x3FFFFFFF:
        explain_arguments(OP_slice_scatter, (input, src, dim, start, end, step))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_slice_scatter, composite_slice_scatter, F, (input, src, dim, start, end, step), dict())
        explain_arguments(OP_slice_scatter, (input, src, dim, start, end, step))
    if out is not None:
        return into(out, 'slice_scatter', composite_slice_scatter(F, input, src, dim, start, end, step), OP_slice_scatter, (input, src, dim, start, end, step))
    try:
        return composite_slice_scatter(F, input, src, dim, start, end, step)
    except Exception:
        explain_arguments(OP_slice_scatter, (input, src, dim, start, end, step))
        raise


OP_slice_scatter.function = slice_scatter


def slice_view_backward(F, node, saved, g):
    input_shape, dim, start, end, step = node.params
    return (derivative_slice_view_input(F, g, input_shape, dim, start, end, step),)


class SliceBackward0(Node):
    op = OPS['slice_view']
    saves = ()
    parameters = ('input_shape', 'dim', 'start', 'end', 'step')
    backward = staticmethod(slice_view_backward)
    backward_complex = staticmethod(slice_view_backward)


new_SliceBackward0 = maker_of(SliceBackward0)


OP_slice_view.nodes = (SliceBackward0,)


OP_slice_view.select_node = lambda input, dim, start, end, step: SliceBackward0


def slice_view(input, dim, start, end, step):
    """Every `step`-th slice from `start` up to `end` along `dim`."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_sliced(input_array, dim, start, end, step)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (slice_view, (dim, start, end, step))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, slice_view, (dim, start, end, step))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_SliceBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, dim, start, end, step)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_slice_view, (input, dim, start, end, step))


OP_slice_view.function = slice_view


def slope_of_power(input, exponent):
    """The derivative of `input ** exponent` by `input`: 0 wherever the exponent is, even at 0."""
    return composite_slope_of_power(F, input, exponent)


OP_slope_of_power.function = slope_of_power


def softmax_backward(F, node, saved, g):
    out, = saved
    dim, = node.params
    return (out * (g - F.sum(g * out, dim, True)),)


class SoftmaxBackward0(Node):
    op = OPS['softmax']
    saves = ('out',)
    parameters = ('dim',)
    backward = staticmethod(softmax_backward)
    backward_complex = staticmethod(softmax_backward)


new_SoftmaxBackward0 = maker_of(SoftmaxBackward0)


OP_softmax.nodes = (SoftmaxBackward0,)


OP_softmax.select_node = lambda input, dim, dtype: SoftmaxBackward0


def softmax(input, dim=NOTHING, dtype=None, *, out=None, **named):
    """`exp(input)` divided by its sum along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_softmax, softmax, {'input': input, 'dim': dim, 'dtype': dtype, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_softmax, (input, dim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_softmax(xp, input_array, dim, dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SoftmaxBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_softmax, (input, dim, dtype), out)


OP_softmax.function = softmax


def softmin(input, dim, dtype=None):
    """The softmax of `-input` along `dim`."""
    if type(input) not in PLAIN_TYPES or dim is True or dim is False:
        explain_arguments(OP_softmin, (input, dim, dtype))
    try:
        return composite_softmin(F, input, dim, dtype)
    except Exception:
        explain_arguments(OP_softmin, (input, dim, dtype))
        raise


OP_softmin.function = softmin


def softplus_backward(F, node, saved, g):
    input, = saved
    beta, threshold = node.params
    return (derivative_softplus_input(F, g, input, beta, threshold),)


class SoftplusBackward0(Node):
    op = OPS['softplus']
    saves = ('input',)
    parameters = ('beta', 'threshold')
    backward = staticmethod(softplus_backward)
    backward_complex = staticmethod(softplus_backward)


new_SoftplusBackward0 = maker_of(SoftplusBackward0)


OP_softplus.nodes = (SoftplusBackward0,)


OP_softplus.select_node = lambda input, beta, threshold: SoftplusBackward0


def softplus(input, beta=1.0, threshold=20.0, *, out=None):
    """`log(1 + exp(beta * input)) / beta`; where `beta * input` is above `threshold`, the input itself."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_softplus(input_array, beta, threshold)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SoftplusBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (beta, threshold)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_softplus, (input, beta, threshold), out)


def softplus_(input, beta=1.0, threshold=20.0):
    """In-place version of `softplus`."""
    return write(softplus, input, (beta, threshold), {}, OP_softplus)


OP_softplus.inplace_function = softplus_


OP_softplus.function = softplus


def softshrink_backward(F, node, saved, g):
    input, = saved
    lambd, = node.params
    return (F.choose((input >= -lambd) & (input <= lambd), 0, g),)


class SoftshrinkBackward0(Node):
    op = OPS['softshrink']
    saves = ('input',)
    parameters = ('lambd',)
    backward = staticmethod(softshrink_backward)
    backward_complex = staticmethod(softshrink_backward)


new_SoftshrinkBackward0 = maker_of(SoftshrinkBackward0)


OP_softshrink.nodes = (SoftshrinkBackward0,)


OP_softshrink.select_node = lambda input, lambd: SoftshrinkBackward0


def softshrink(input, lambd=0.5, *, out=None):
    """`input` moved towards 0 by `lambd`, and 0 where it is nearer than that."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_softshrink(xp, input_array, lambd)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SoftshrinkBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (lambd,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_softshrink, (input, lambd), out)


OP_softshrink.function = softshrink


def softsign(input):
    """`input / (1 + |input|)`."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_softsign, (input,))
    try:
        return composite_softsign(F, input)
    except Exception:
        explain_arguments(OP_softsign, (input,))
        raise


OP_softsign.function = softsign


def sort_backward(F, node, saved, g):
    indices, = saved
    dim, input_shape = node.params
    g_values = g
    return (derivative_sort_input(F, g_values, indices, dim, input_shape),)


class SortBackward0(Node):
    op = OPS['sort']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(sort_backward)
    backward_complex = staticmethod(sort_backward)


new_SortBackward0 = maker_of(SortBackward0)


class SortBackward1(Node):
    op = OPS['sort']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(sort_backward)
    backward_complex = staticmethod(sort_backward)


new_SortBackward1 = maker_of(SortBackward1)


OP_sort.nodes = (SortBackward0, SortBackward1)


OP_sort.select_node = lambda input, dim, descending, stable: SortBackward0 if stable is None else SortBackward1


def sort(input, dim=-1, descending=False, *, stable=None, out=None, **named):
    """The elements in order along `dim`, and where each came from."""
    if named:
        return renamed(OP_sort, sort, {'input': input, 'dim': dim, 'descending': descending, 'stable': stable, 'out': out}, named)
    if dim is True or dim is False or descending is not False and descending is not True or stable is not None and (stable is not False and stable is not True):
        explain_arguments(OP_sort, (input, dim, descending, stable))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_sort(xp, input_array, dim, descending, stable=stable)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_SortBackward0 if stable is None else new_SortBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_sort.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_sort, (input, dim, descending, stable), out)


OP_sort.function = sort


def split(tensor, split_size_or_sections=NOTHING, dim=0, **named):
    """Parts along `dim`: of one size, the last of which may be smaller, or of the sizes in a list."""
    if named or split_size_or_sections is NOTHING:
        return renamed(OP_split, split, {'tensor': tensor, 'split_size_or_sections': split_size_or_sections, 'dim': dim}, named)
    if dim is True or dim is False:
        explain_arguments(OP_split, (tensor, split_size_or_sections, dim))
    try:
        return composite_split(F, tensor, split_size_or_sections, dim)
    except Exception:
        explain_arguments(OP_split, (tensor, split_size_or_sections, dim))
        raise


OP_split.function = split


def split_copy(input, split_size=NOTHING, dim=0, *, out=None, **named):
    """Copies of parts of one size along `dim`."""
    if named or split_size is NOTHING:
        return renamed(OP_split_copy, split_copy, {'input': input, 'split_size': split_size, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or type(split_size) is not int or split_size > 0x3FFFFFFF or split_size < -0x3FFFFFFF or dim is True or dim is False:
        explain_arguments(OP_split_copy, (input, split_size, dim))
    if out is not None:
        return into(out, 'split_copy', composite_split_copy(F, input, split_size, dim), OP_split_copy, (input, split_size, dim))
    try:
        return composite_split_copy(F, input, split_size, dim)
    except Exception:
        explain_arguments(OP_split_copy, (input, split_size, dim))
        raise


OP_split_copy.function = split_copy


def split_evenly_backward(F, node, saved, g):
    input_shape, split_size, dim = node.params
    return (derivative_split_evenly_input(F, g, input_shape, split_size, dim),)


class SplitBackward0(Node):
    op = OPS['split_evenly']
    saves = ()
    parameters = ('input_shape', 'split_size', 'dim')
    backward = staticmethod(split_evenly_backward)
    backward_complex = staticmethod(split_evenly_backward)


new_SplitBackward0 = maker_of(SplitBackward0)


OP_split_evenly.nodes = (SplitBackward0,)


OP_split_evenly.select_node = lambda input, split_size, dim: SplitBackward0


def split_evenly(input, split_size, dim=0):
    """Parts of `split_size` slices along `dim`; the last one may be smaller."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if _mode is True or _mode is False or _mode is INFERENCE:
            try:
                _arrays = xp_split_evenly(input_array, split_size, dim)
            except Exception:
                pass
            else:
                _parts = parts_of(input, _arrays, (split_evenly, (split_size, dim)), _mode)
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SplitBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, split_size, dim)
                    _node.metas = None
                    _node.special = False
                    give_outputs(_node, _parts)
                return _parts
    return general(OP_split_evenly, (input, split_size, dim))


OP_split_evenly.function = split_evenly


def split_of_size(tensor, split_size, dim=0):
    """Parts along `dim`: of one size, the last of which may be smaller, or of the sizes in a list."""
    if dim is True or dim is False:
        explain_arguments(OP_split_of_size, (tensor, split_size, dim))
    if type(tensor) not in PLAIN_TYPES:
        if hasattr(tensor, '__torch_function__'):
            return composed(OP_split_of_size, composite_split_of_size, F, (tensor, split_size, dim), dict())
    try:
        return composite_split_of_size(F, tensor, split_size, dim)
    except Exception:
        explain_arguments(OP_split_of_size, (tensor, split_size, dim))
        raise


OP_split_of_size.function = split_of_size


def split_with_sizes_backward(F, node, saved, g):
    input_shape, split_sizes, dim = node.params
    return (derivative_split_with_sizes_input(F, g, input_shape, split_sizes, dim),)


class SplitWithSizesBackward0(Node):
    op = OPS['split_with_sizes']
    saves = ()
    parameters = ('input_shape', 'split_sizes', 'dim')
    backward = staticmethod(split_with_sizes_backward)
    backward_complex = staticmethod(split_with_sizes_backward)


new_SplitWithSizesBackward0 = maker_of(SplitWithSizesBackward0)


OP_split_with_sizes.nodes = (SplitWithSizesBackward0,)


OP_split_with_sizes.select_node = lambda input, split_sizes, dim: SplitWithSizesBackward0


def split_with_sizes(input, split_sizes=NOTHING, dim=0, **named):
    """Parts of the given sizes along `dim`."""
    if named or split_sizes is NOTHING:
        return renamed(OP_split_with_sizes, split_with_sizes, {'input': input, 'split_sizes': split_sizes, 'dim': dim}, named)
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if _mode is True or _mode is False or _mode is INFERENCE:
            try:
                _arrays = xp_split_with_sizes(input_array, split_sizes, dim)
            except Exception:
                pass
            else:
                _parts = parts_of(input, _arrays, (split_with_sizes, (split_sizes, dim)), _mode)
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SplitWithSizesBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, split_sizes, dim)
                    _node.metas = None
                    _node.special = False
                    give_outputs(_node, _parts)
                return _parts
    return general(OP_split_with_sizes, (input, split_sizes, dim))


OP_split_with_sizes.function = split_with_sizes


def split_with_sizes_copy(input, split_sizes=NOTHING, dim=0, *, out=None, **named):
    """Copies of the parts of the given sizes along `dim`."""
    if named or split_sizes is NOTHING:
        return renamed(OP_split_with_sizes_copy, split_with_sizes_copy, {'input': input, 'split_sizes': split_sizes, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or not isinstance(split_sizes, (tuple, list)) or dim is True or dim is False:
        explain_arguments(OP_split_with_sizes_copy, (input, split_sizes, dim))
    if out is not None:
        return into(out, 'split_with_sizes_copy', composite_split_with_sizes_copy(F, input, split_sizes, dim), OP_split_with_sizes_copy, (input, split_sizes, dim))
    try:
        return composite_split_with_sizes_copy(F, input, split_sizes, dim)
    except Exception:
        explain_arguments(OP_split_with_sizes_copy, (input, split_sizes, dim))
        raise


OP_split_with_sizes_copy.function = split_with_sizes_copy


def sqrt_backward(F, node, saved, g):
    out, = saved
    numbers = F.numbers[g.dtype]
    return (g / (numbers[2] * out),)


def sqrt_backward_complex(F, node, saved, g):
    out, = saved
    return (g / (2 * F.conj(out)),)


class SqrtBackward0(Node):
    op = OPS['sqrt']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(sqrt_backward)
    backward_complex = staticmethod(sqrt_backward_complex)


new_SqrtBackward0 = maker_of(SqrtBackward0)


OP_sqrt.nodes = (SqrtBackward0,)


OP_sqrt.select_node = lambda input: SqrtBackward0


def sqrt(input, *, out=None):
    """The square root of `input`, of infinite slope at 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_sqrt(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SqrtBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sqrt, (input,), out)


def sqrt_(input):
    """In-place version of `sqrt`."""
    return write(sqrt, input, (), {}, OP_sqrt)


OP_sqrt.inplace_function = sqrt_


OP_sqrt.function = sqrt


def square(input, *, out=None):
    """`input * input`."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_square, composite_square, F, (input,), dict())
        explain_arguments(OP_square, (input,))
    if out is not None:
        return into(out, 'square', composite_square(F, input), OP_square, (input,))
    try:
        return composite_square(F, input)
    except Exception:
        explain_arguments(OP_square, (input,))
        raise


def square_(input):
    """In-place version of `square`."""
    return write(square, input, (), {}, OP_square)


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


new_SqueezeBackward0 = maker_of(SqueezeBackward0)


class SqueezeBackward1(Node):
    op = OPS['squeeze']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(squeeze_backward)
    backward_complex = staticmethod(squeeze_backward)


new_SqueezeBackward1 = maker_of(SqueezeBackward1)


class SqueezeBackward2(Node):
    op = OPS['squeeze']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(squeeze_backward)
    backward_complex = staticmethod(squeeze_backward)


new_SqueezeBackward2 = maker_of(SqueezeBackward2)


OP_squeeze.nodes = (SqueezeBackward0, SqueezeBackward1, SqueezeBackward2)


OP_squeeze.select_node = lambda input, dim: SqueezeBackward0 if dim is None else SqueezeBackward1 if isinstance(dim, int) else SqueezeBackward2


def squeeze(input, dim=None, **named):
    """`input` without its dimensions of size 1: all of them, or those that `dim` names."""
    if named:
        return renamed(OP_squeeze, squeeze, {'input': input, 'dim': dim}, named)
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_drop_dims(input_array, dim)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (squeeze, (dim,))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, squeeze, (dim,))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = (new_SqueezeBackward0 if dim is None else new_SqueezeBackward1 if isinstance(dim, int) else new_SqueezeBackward2)()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_squeeze, (input, dim))


class squeeze_SqueezeBackward3(SqueezeBackward0):
    """Recorded in place."""


squeeze_SqueezeBackward3.__name__ = 'SqueezeBackward3'

class squeeze_SqueezeBackward5(SqueezeBackward0):
    """Recorded in place."""


squeeze_SqueezeBackward5.__name__ = 'SqueezeBackward5'

class squeeze_SqueezeBackward4(SqueezeBackward0):
    """Recorded in place."""


squeeze_SqueezeBackward4.__name__ = 'SqueezeBackward4'

def squeeze_(input, dim=None, **named):
    """In-place version of `squeeze`."""
    if named:
        return renamed(OP_squeeze, squeeze_, {'input': input, 'dim': dim}, named)
    return reshape_in_place(squeeze, input, (dim,), squeeze_SqueezeBackward3 if dim is None else squeeze_SqueezeBackward5 if isinstance(dim, tuple) else squeeze_SqueezeBackward4, OP_squeeze)


OP_squeeze.inplace_function = squeeze_


OP_squeeze.function = squeeze


def squeeze_copy(input, dim=None, *, out=None, **named):
    """A copy of `input` without its dimensions of size 1."""
    if named:
        return renamed(OP_squeeze_copy, squeeze_copy, {'input': input, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or dim is not None and (dim is True or dim is False):
        explain_arguments(OP_squeeze_copy, (input, dim))
    if out is not None:
        return into(out, 'squeeze_copy', composite_squeeze_copy(F, input, dim), OP_squeeze_copy, (input, dim))
    try:
        return composite_squeeze_copy(F, input, dim)
    except Exception:
        explain_arguments(OP_squeeze_copy, (input, dim))
        raise


OP_squeeze_copy.function = squeeze_copy


def stack(tensors, dim=0, *, out=None, **named):
    """The tensors, all of one shape, beside each other along a new dimension."""
    if named:
        return renamed(OP_stack, stack, {'tensors': tensors, 'dim': dim, 'out': out}, named)
    if dim is True or dim is False:
        explain_arguments(OP_stack, (tensors, dim))
    if out is not None:
        return into(out, 'stack', composite_stack(F, tensors, dim), OP_stack, (tensors, dim))
    try:
        return composite_stack(F, tensors, dim)
    except Exception:
        explain_arguments(OP_stack, (tensors, dim))
        raise


OP_stack.function = stack


def stacked_backward(F, node, saved, g):
    dim, = node.params
    return F.unbind(g, dim)


class StackBackward0(Node):
    op = OPS['stacked']
    saves = ()
    parameters = ('dim',)
    backward = staticmethod(stacked_backward)
    backward_complex = staticmethod(stacked_backward)


new_StackBackward0 = maker_of(StackBackward0)


OP_stacked.nodes = (StackBackward0,)


OP_stacked.select_node = lambda tensors, dim: StackBackward0


def stacked(tensors, dim=0):
    """Tensors of one shape beside each other along a new dimension."""
    if type(tensors) in SEQUENCES:
        _arrays = [each._array for each in tensors if type(each) in PLAIN_TYPES]
        _mode = get_mode()
        if len(_arrays) == len(tensors) > 0 and ((_dtype := _arrays[0].dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and all_of([each.dtype is _dtype for each in _arrays]) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_stack_along(_arrays, dim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _edges = tuple([each._edge if each._base is None else edge_of(each) for each in tensors])
                if _mode and any_of([each is not None for each in _edges]):
                    _node = new_StackBackward0()
                    _node.created = tick()
                    _node.edges, _node.saved, _node.metas, _node.special = _edges, (), None, False
                    _node.params = (dim,)
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_stacked, (tensors, dim))


OP_stacked.function = stacked


def std_backward(F, node, saved, g):
    input, out = saved
    dim, unbiased, correction, input_shape = node.params
    return (derivative_std_input(F, g, input, out, dim, unbiased, correction, input_shape),)


class StdBackward0(Node):
    op = OPS['std']
    saves = ('input', 'out')
    parameters = ('dim', 'unbiased', 'correction', 'input_shape')
    backward = staticmethod(std_backward)
    backward_complex = staticmethod(std_backward)


new_StdBackward0 = maker_of(StdBackward0)


OP_std.nodes = (StdBackward0,)


OP_std.select_node = lambda input, dim, unbiased, keepdim, correction: StdBackward0


def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, **named):
    """The standard deviation along `dim`: the square root of `var`."""
    if named:
        return renamed(OP_std, std, {'input': input, 'dim': dim, 'unbiased': unbiased, 'keepdim': keepdim, 'correction': correction, 'out': out}, named)
    if unbiased is not False and unbiased is not True or keepdim is not False and keepdim is not True:
        explain_arguments(OP_std, (input, dim, unbiased, keepdim, correction))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_std(xp, input_array, dim, unbiased, keepdim, correction=correction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_StdBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (dim, unbiased, correction, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_std, (input, dim, unbiased, keepdim, correction), out)


OP_std.function = std


def std_mean_backward(F, node, saved, g):
    input, std = saved
    dim, unbiased, correction, input_shape = node.params
    g_std, g_mean = F.present(node, g)
    return (derivative_std_mean_input(F, g_std, g_mean, input, std, dim, unbiased, correction, input_shape),)


class StdMeanBackward0(Node):
    op = OPS['std_mean']
    saves = ('input', 'std')
    parameters = ('dim', 'unbiased', 'correction', 'input_shape')
    backward = staticmethod(std_mean_backward)
    backward_complex = staticmethod(std_mean_backward)


new_StdMeanBackward0 = maker_of(StdMeanBackward0)


OP_std_mean.nodes = (StdMeanBackward0,)


OP_std_mean.select_node = lambda input, dim, unbiased, keepdim, correction: StdMeanBackward0


def std_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, **named):
    """The standard deviation and the mean along `dim`."""
    if named:
        return renamed(OP_std_mean, std_mean, {'input': input, 'dim': dim, 'unbiased': unbiased, 'keepdim': keepdim, 'correction': correction, 'out': out}, named)
    if unbiased is not False and unbiased is not True or keepdim is not False and keepdim is not True:
        explain_arguments(OP_std_mean, (input, dim, unbiased, keepdim, correction))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _std, _mean = forward_std_mean(xp, input_array, dim, unbiased, keepdim, correction=correction)
            except Exception:
                pass
            else:
                if type(_std) is not ndarray and isinstance(_std, np.generic):
                    _std = as_array(_std)
                _std_tensor = new(Tensor)
                _std_tensor._array = _std
                _std_tensor._base = None
                if type(_mean) is not ndarray and isinstance(_mean, np.generic):
                    _mean = as_array(_mean)
                _mean_tensor = new(Tensor)
                _mean_tensor._array = _mean
                _mean_tensor._base = None
                _std_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_StdMeanBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _std)
                    _node.storages = _storages = (input._storage, _std_tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = (dim, unbiased, correction, input_array.shape)
                    _node.metas = None
                    _node.special = True
                    _node.outputs = 2
                    _node.result_metas = ((_std.shape, _std.dtype), (_mean.shape, _mean.dtype))
                    _std_tensor._edge = Output(_node, 0)
                    _mean_tensor._edge = Output(_node, 1)
                else:
                    _std_tensor._edge = None
                    _mean_tensor._edge = None
                    if _mode is INFERENCE:
                        _std_tensor._storage = InferenceStorage()
                        _mean_tensor._storage = InferenceStorage()
                return (_std_tensor, _mean_tensor)
            finally:
                reset_errors(_token)
    return general(OP_std_mean, (input, dim, unbiased, keepdim, correction), out)


OP_std_mean.function = std_mean


def step_backward(F, node, saved, g):
    input_edge, values_edge = node.edges
    return (None if input_edge is None else derivative_step_input(F, g), None if values_edge is None else derivative_step_values(F, g))


class StepBackward0(Node):
    op = OPS['step']
    saves = ()
    parameters = ()
    backward = staticmethod(step_backward)
    backward_complex = staticmethod(step_backward)


new_StepBackward0 = maker_of(StepBackward0)


OP_step.nodes = (StepBackward0,)


OP_step.select_node = lambda input, values: StepBackward0


def step(input, values):
    """0 where `input` is negative, 1 where it is positive, `values` where it is 0; it has no derivative."""
    if type(input) in PLAIN_TYPES and type(values) in PLAIN_TYPES:
        input_array = input._array
        values_array = values._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is values_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_heaviside(input_array, values_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                values_edge = values._edge if values._base is None else edge_of(values)
                if _mode and (input_edge is not None or values_edge is not None):
                    _node = new_StepBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, values_edge)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None if input_array.shape == values_array.shape else ((input_array.shape, input_array.dtype), (values_array.shape, values_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_step, (input, values))


OP_step.function = step


def strided_copy_backward(F, node, saved, g):
    input_shape, size, stride, offset, strides = node.params
    return (F.strided_transpose(g, input_shape, size, stride, offset, strides),)


class StridedCopyBackward0(Node):
    op = OPS['strided_copy']
    saves = ()
    parameters = ('input_shape', 'size', 'stride', 'offset', 'strides')
    backward = staticmethod(strided_copy_backward)
    backward_complex = staticmethod(strided_copy_backward)


new_StridedCopyBackward0 = maker_of(StridedCopyBackward0)


OP_strided_copy.nodes = (StridedCopyBackward0,)


OP_strided_copy.select_node = lambda input, size, stride, offset, strides: StridedCopyBackward0


def strided_copy(input, size, stride, offset, strides):
    """What `as_strided_from` reads, where the elements of `input` no longer lie in the strides that it had."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_strided_copy(xp, input_array, size, stride, offset, strides)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_StridedCopyBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, size, stride, offset, strides)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
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


new_AsStridedBackwardBackward0 = maker_of(AsStridedBackwardBackward0)


OP_strided_transpose.nodes = (AsStridedBackwardBackward0,)


OP_strided_transpose.select_node = lambda input, shape, size, stride, offset, strides: AsStridedBackwardBackward0


def strided_transpose(input, shape, size, stride, offset, strides):
    """The transpose of `strided_copy`: elements in one place are added, places that it read twice share."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_strided_transpose(xp, input_array, shape, size, stride, offset, strides)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_AsStridedBackwardBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (size, stride, offset, strides)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_strided_transpose, (input, shape, size, stride, offset, strides))


OP_strided_transpose.function = strided_transpose


def sub_backward(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g, None if other_edge is None else -g if alpha == 1 else g * -alpha)


def sub_backward_complex(F, node, saved, g):
    alpha, = node.params
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g, None if other_edge is None else -g if alpha == 1 else g * -F.conj(alpha))


class SubBackward0(Node):
    op = OPS['sub']
    saves = ()
    parameters = ('alpha',)
    backward = staticmethod(sub_backward)
    backward_complex = staticmethod(sub_backward_complex)


new_SubBackward0 = maker_of(SubBackward0)


OP_sub.nodes = (SubBackward0,)


OP_sub.select_node = lambda input, other, alpha: SubBackward0


def sub(input, other, *between, alpha=1, out=None):
    """`input - alpha * other`, element by element."""
    if between:
        return reordered(OP_sub, sub, (input, other, *between), {'alpha': alpha, 'out': out})
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_subtract(input_array, other_array) if alpha == 1 else xp_subtract(input_array, xp_scaled(other_array, alpha))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_SubBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = (alpha,)
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            try:
                _result = xp_subtract(input_array, _number) if alpha == 1 else xp_subtract(input_array, xp_scaled(_number, alpha))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SubBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = (alpha,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_sub, (input, other, alpha), out)


def operator_sub(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_subtract(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_SubBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = (1,)
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or (_dtype is INT64 and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else INTEGERS)[other]
            try:
                _result = xp_subtract(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SubBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = (1,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return operated(Tensor.sub, input, other)


def sub_(input, other, *between, alpha=1):
    """In-place version of `sub`."""
    if between:
        return reordered(OP_sub, sub_, (input, other, *between), {'alpha': alpha})
    return write(sub, input, (other,), {'alpha': alpha}, OP_sub)


OP_sub.inplace_function = sub_


OP_sub.function = sub


def sum_backward(F, node, saved, g):
    input_shape, dim, keepdim = node.params
    return (derivative_sum_input(F, g, input_shape, dim, keepdim),)


class SumBackward0(Node):
    op = OPS['sum']
    saves = ()
    parameters = ('input_shape', 'dim', 'keepdim')
    backward = staticmethod(sum_backward)
    backward_complex = staticmethod(sum_backward)


new_SumBackward0 = maker_of(SumBackward0)


class SumBackward1(Node):
    op = OPS['sum']
    saves = ()
    parameters = ('input_shape', 'dim', 'keepdim')
    backward = staticmethod(sum_backward)
    backward_complex = staticmethod(sum_backward)


new_SumBackward1 = maker_of(SumBackward1)


OP_sum.nodes = (SumBackward0, SumBackward1)


OP_sum.select_node = lambda input, dim, keepdim, dtype: SumBackward0 if dim is None else SumBackward1


def sum(input, dim=None, keepdim=False, *, dtype=None, out=None, **named):
    """The sum of the elements along `dim`; of all of them if `dim` is None."""
    if named:
        return renamed(OP_sum, sum, {'input': input, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if dim is not None and (dim is True or dim is False) or keepdim is not False and keepdim is not True:
        explain_arguments(OP_sum, (input, dim, keepdim, dtype))
    if out is None and dtype is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_sum(xp, input_array, dim, keepdim, dtype=dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_SumBackward0 if dim is None else new_SumBackward1)()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, dim, keepdim)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sum, (input, dim, keepdim, dtype), out)


OP_sum.function = sum


def sum_to_size(input, *lengths, size=None):
    """The sum over the dimensions along which the shape `size` would have to be expanded."""
    if size is not None and (not isinstance(size, (tuple, list))):
        explain_arguments(OP_sum_to_size, (input, *lengths, size))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_sum_to_size, composite_sum_to_size, F, (input, *lengths), dict(size=size))
        explain_arguments(OP_sum_to_size, (input, *lengths, size))
    try:
        return composite_sum_to_size(F, input, *lengths, size=size)
    except Exception:
        explain_arguments(OP_sum_to_size, (input, *lengths, size))
        raise


OP_sum_to_size.function = sum_to_size


def sum_to_size_of_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.expand(g, input_shape),)


class SumToSizeOfBackward0(Node):
    op = OPS['sum_to_size_of']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(sum_to_size_of_backward)
    backward_complex = staticmethod(sum_to_size_of_backward)


new_SumToSizeOfBackward0 = maker_of(SumToSizeOfBackward0)


OP_sum_to_size_of.nodes = (SumToSizeOfBackward0,)


OP_sum_to_size_of.select_node = lambda input, shape: SumToSizeOfBackward0


def sum_to_size_of(input, shape):
    """The sum over the dimensions along which `shape` would have to be expanded."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_sum_to_size_of(xp, input_array, shape)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_SumToSizeOfBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_sum_to_size_of, (input, shape))


OP_sum_to_size_of.function = sum_to_size_of


def swapaxes(input, axis0, axis1):
    """`input` with two dimensions swapped: `transpose` by NumPy's name."""
    if axis0 is True or axis0 is False or axis1 is True or axis1 is False:
        explain_arguments(OP_swapaxes, (input, axis0, axis1))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_swapaxes, composite_swapaxes, F, (input, axis0, axis1), dict())
        explain_arguments(OP_swapaxes, (input, axis0, axis1))
    try:
        return composite_swapaxes(F, input, axis0, axis1)
    except Exception:
        explain_arguments(OP_swapaxes, (input, axis0, axis1))
        raise




def swapaxes_(input, axis0, axis1):
    """In-place version of `swapaxes`."""
    return reshape_in_place(swapaxes, input, (axis0, axis1), None, OP_swapaxes)


OP_swapaxes.inplace_function = swapaxes_


OP_swapaxes.function = swapaxes


def t_backward(F, node, saved, g):
    return (F.t(g),)


class TBackward0(Node):
    op = OPS['t']
    saves = ()
    parameters = ()
    backward = staticmethod(t_backward)
    backward_complex = staticmethod(t_backward)


new_TBackward0 = maker_of(TBackward0)


OP_t.nodes = (TBackward0,)


OP_t.select_node = lambda input: TBackward0


def t(input):
    """A matrix transposed; fewer dimensions are left as they are."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_t(input_array)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (t, ())
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, t, ())
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_TBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_t, (input,))


class t_TBackward1(TBackward0):
    """Recorded in place."""


t_TBackward1.__name__ = 'TBackward1'

def t_(input):
    """In-place version of `t`."""
    return reshape_in_place(t, input, (), t_TBackward1, OP_t)


OP_t.inplace_function = t_


OP_t.function = t


def t_copy(input, *, out=None):
    """A copy of a matrix transposed."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_t_copy, (input,))
    if out is not None:
        return into(out, 't_copy', composite_t_copy(F, input), OP_t_copy, (input,))
    try:
        return composite_t_copy(F, input)
    except Exception:
        explain_arguments(OP_t_copy, (input,))
        raise


OP_t_copy.function = t_copy


def take_backward(F, node, saved, g):
    index, = saved
    input_shape, = node.params
    return (F.put(F.new_zeros_of(g, input_shape), index, g, True),)


class TakeBackward0(Node):
    op = OPS['take']
    saves = ('index',)
    parameters = ('input_shape',)
    backward = staticmethod(take_backward)
    backward_complex = staticmethod(take_backward)


new_TakeBackward0 = maker_of(TakeBackward0)


OP_take.nodes = (TakeBackward0,)


OP_take.select_node = lambda input, index: TakeBackward0


def take(input, index=NOTHING, *, out=None, **named):
    """The elements at positions in the flattened `input`, in the shape of `index`."""
    if named or index is NOTHING:
        return renamed(OP_take, take, {'input': input, 'index': index, 'out': out}, named)
    if out is None and type(input) in PLAIN_TYPES and type(index) in PLAIN_TYPES:
        input_array = input._array
        index_array = index._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_take(xp, input_array, index_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_TakeBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (index_array,)
                    _node.storages = _storages = (index._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_take, (input, index), out)


OP_take.function = take


def take_along_dim(input, indices=NOTHING, dim=None, *, out=None, **named):
    """The elements that `indices`, broadcast to `input`, names along `dim`; in the flattened tensor without `dim`."""
    if named or indices is NOTHING:
        return renamed(OP_take_along_dim, take_along_dim, {'input': input, 'indices': indices, 'dim': dim, 'out': out}, named)
    if type(indices) not in PLAIN_TYPES or dim is not None and (dim is True or dim is False):
        explain_arguments(OP_take_along_dim, (input, indices, dim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_take_along_dim, composite_take_along_dim, F, (input, indices, dim), dict())
        explain_arguments(OP_take_along_dim, (input, indices, dim))
    if out is not None:
        return into(out, 'take_along_dim', composite_take_along_dim(F, input, indices, dim), OP_take_along_dim, (input, indices, dim))
    try:
        return composite_take_along_dim(F, input, indices, dim)
    except Exception:
        explain_arguments(OP_take_along_dim, (input, indices, dim))
        raise


OP_take_along_dim.function = take_along_dim


def tan_backward(F, node, saved, g):
    out, = saved
    numbers = F.numbers[g.dtype]
    return (g * (numbers[1] + out * out),)


def tan_backward_complex(F, node, saved, g):
    out, = saved
    return (g * F.conj(1 + out * out),)


class TanBackward0(Node):
    op = OPS['tan']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(tan_backward)
    backward_complex = staticmethod(tan_backward_complex)


new_TanBackward0 = maker_of(TanBackward0)


OP_tan.nodes = (TanBackward0,)


OP_tan.select_node = lambda input: TanBackward0


def tan(input, *, out=None):
    """The tangent of `input`, in radians."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_tan(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_TanBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_tan, (input,), out)


def tan_(input):
    """In-place version of `tan`."""
    return write(tan, input, (), {}, OP_tan)


OP_tan.inplace_function = tan_


OP_tan.function = tan


def tanh_backward(F, node, saved, g):
    out, = saved
    numbers = F.numbers[g.dtype]
    return (g * (numbers[1] - out * out),)


def tanh_backward_complex(F, node, saved, g):
    out, = saved
    return (g * F.conj(1 - out * out),)


class TanhBackward0(Node):
    op = OPS['tanh']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(tanh_backward)
    backward_complex = staticmethod(tanh_backward_complex)


new_TanhBackward0 = maker_of(TanhBackward0)


OP_tanh.nodes = (TanhBackward0,)


OP_tanh.select_node = lambda input: TanhBackward0


def tanh(input, *, out=None):
    """The hyperbolic tangent of `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_tanh(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_TanhBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_tanh, (input,), out)


def tanh_(input):
    """In-place version of `tanh`."""
    return write(tanh, input, (), {}, OP_tanh)


OP_tanh.inplace_function = tanh_


OP_tanh.function = tanh


def tanhshrink(input):
    """`input - tanh(input)`."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_tanhshrink, (input,))
    try:
        return composite_tanhshrink(F, input)
    except Exception:
        explain_arguments(OP_tanhshrink, (input,))
        raise


OP_tanhshrink.function = tanhshrink


def tensor_split(input, indices_or_sections=NOTHING, dim=0, **named):
    """Parts along `dim`: so many of almost the same size, or cut at the given positions."""
    if named or indices_or_sections is NOTHING:
        return renamed(OP_tensor_split, tensor_split, {'input': input, 'indices_or_sections': indices_or_sections, 'dim': dim}, named)
    if type(indices_or_sections) is not int and not isinstance(indices_or_sections, (tuple, list)) and type(indices_or_sections) not in PLAIN_TYPES or type(indices_or_sections) is int and (indices_or_sections > 0x3FFFFFFF or indices_or_sections < -0x3FFFFFFF) or dim is True or dim is False:
        explain_arguments(OP_tensor_split, (input, indices_or_sections, dim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_tensor_split, composite_tensor_split, F, (input, indices_or_sections, dim), dict())
        explain_arguments(OP_tensor_split, (input, indices_or_sections, dim))
    try:
        return composite_tensor_split(F, input, indices_or_sections, dim)
    except Exception:
        explain_arguments(OP_tensor_split, (input, indices_or_sections, dim))
        raise


OP_tensor_split.function = tensor_split


def tensordot(a, b, dims=2, out=None):
    """The sums of products along `dims`: the last of `a` with the first of `b`, or those of two lists."""
    if out is not None:
        return into(out, 'tensordot', composite_tensordot(F, a, b, dims), OP_tensordot, (a, b, dims))
    try:
        return composite_tensordot(F, a, b, dims)
    except Exception:
        explain_arguments(OP_tensordot, (a, b, dims))
        raise


OP_tensordot.function = tensordot


def threshold_backward(F, node, saved, g):
    input, = saved
    threshold, = node.params
    return (F.choose(input <= threshold, 0, g),)


class ThresholdBackward0(Node):
    op = OPS['threshold']
    saves = ('input',)
    parameters = ('threshold',)
    backward = staticmethod(threshold_backward)
    backward_complex = staticmethod(threshold_backward)


new_ThresholdBackward0 = maker_of(ThresholdBackward0)


OP_threshold.nodes = (ThresholdBackward0,)


OP_threshold.select_node = lambda input, threshold, value: ThresholdBackward0


def threshold(input, threshold, value, *, out=None):
    """`input` where it is above `threshold`, otherwise `value`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_threshold(input_array, threshold, value)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ThresholdBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (threshold,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_threshold, (input, threshold, value), out)


def threshold_(input, threshold, value):
    """In-place version of `threshold`."""
    return write(OP_threshold.function, input, (threshold, value), {}, OP_threshold)


OP_threshold.inplace_function = threshold_


OP_threshold.function = threshold


def tile(input, dims):
    """`input` so many times along each of the last dimensions."""
    if type(input) not in PLAIN_TYPES or dims is True or dims is False:
        explain_arguments(OP_tile, (input, dims))
    try:
        return composite_tile(F, input, dims)
    except Exception:
        explain_arguments(OP_tile, (input, dims))
        raise


OP_tile.function = tile


def tile_variadic(input, dims, *more):
    """`input` so many times along each of the last dimensions."""
    if dims is True or dims is False:
        explain_arguments(OP_tile_variadic, (input, dims, *more))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_tile_variadic, composite_tile_variadic, F, (input, dims, *more), dict())
        explain_arguments(OP_tile_variadic, (input, dims, *more))
    try:
        return composite_tile_variadic(F, input, dims, *more)
    except Exception:
        explain_arguments(OP_tile_variadic, (input, dims, *more))
        raise


OP_tile_variadic.function = tile_variadic


def to_copy_backward(F, node, saved, g):
    input_dtype, input_device = node.params
    return (F.to_copy(g, input_dtype, input_device),)


class ToCopyBackward0(Node):
    op = OPS['to_copy']
    saves = ()
    parameters = ('input_dtype', 'input_device')
    backward = staticmethod(to_copy_backward)
    backward_complex = staticmethod(to_copy_backward)


new_ToCopyBackward0 = maker_of(ToCopyBackward0)


OP_to_copy.nodes = (ToCopyBackward0,)


OP_to_copy.select_node = lambda input, kind, place: ToCopyBackward0


def to_copy(input, kind=None, place=None):
    """A copy of `input` in another dtype, on another device, or both; None keeps either."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_to_copy(xp, input_array, kind, place)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ToCopyBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.dtype, input.device)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_to_copy, (input, kind, place))


OP_to_copy.function = to_copy


def topk_backward(F, node, saved, g):
    indices, = saved
    dim, input_shape = node.params
    g_values = g
    return (derivative_topk_input(F, g_values, indices, dim, input_shape),)


class TopkBackward0(Node):
    op = OPS['topk']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(topk_backward)
    backward_complex = staticmethod(topk_backward)


new_TopkBackward0 = maker_of(TopkBackward0)


OP_topk.nodes = (TopkBackward0,)


OP_topk.select_node = lambda input, k, dim, largest, sorted: TopkBackward0


def topk(input, k=NOTHING, dim=-1, largest=True, sorted=True, *, out=None, **named):
    """The `k` largest elements along `dim`, or the `k` smallest, best first, and their indices."""
    if named or k is NOTHING:
        return renamed(OP_topk, topk, {'input': input, 'k': k, 'dim': dim, 'largest': largest, 'sorted': sorted, 'out': out}, named)
    if type(k) is not int or k > 0x3FFFFFFF or k < -0x3FFFFFFF or dim is True or dim is False or largest is not False and largest is not True or sorted is not False and sorted is not True:
        explain_arguments(OP_topk, (input, k, dim, largest, sorted))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_topk(xp, input_array, k, dim, largest, sorted)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new(Tensor)
                _values_tensor._array = _values
                _values_tensor._base = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new(Tensor)
                _indices_tensor._array = _indices
                _indices_tensor._base = None
                _indices_tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_TopkBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (_indices,)
                    _node.storages = _storages = (_indices_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._storage = InferenceStorage()
                        _indices_tensor._storage = InferenceStorage()
                return OP_topk.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_topk, (input, k, dim, largest, sorted), out)


OP_topk.function = topk


def trace_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.on_diagonal(g, input_shape),)


class TraceBackward0(Node):
    op = OPS['trace']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(trace_backward)
    backward_complex = staticmethod(trace_backward)


new_TraceBackward0 = maker_of(TraceBackward0)


OP_trace.nodes = (TraceBackward0,)


OP_trace.select_node = lambda input: TraceBackward0


def trace(input):
    """The sum of the elements on the diagonal of a matrix."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_trace(xp, input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_TraceBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_trace, (input,))


OP_trace.function = trace


def transpose_backward(F, node, saved, g):
    dim0, dim1 = node.params
    return (F.transpose(g, dim0, dim1),)


class TransposeBackward0(Node):
    op = OPS['transpose']
    saves = ()
    parameters = ('dim0', 'dim1')
    backward = staticmethod(transpose_backward)
    backward_complex = staticmethod(transpose_backward)


new_TransposeBackward0 = maker_of(TransposeBackward0)


OP_transpose.nodes = (TransposeBackward0,)


OP_transpose.select_node = lambda input, dim0, dim1: TransposeBackward0


def transpose(input, dim0, dim1):
    """`input` with two dimensions swapped."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_swapaxes(input_array, dim0, dim1)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (transpose, (dim0, dim1))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, transpose, (dim0, dim1))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_TransposeBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim0, dim1)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_transpose, (input, dim0, dim1))


class transpose_TransposeBackward1(TransposeBackward0):
    """Recorded in place."""


transpose_TransposeBackward1.__name__ = 'TransposeBackward1'

def transpose_(input, dim0, dim1):
    """In-place version of `transpose`."""
    return reshape_in_place(transpose, input, (dim0, dim1), transpose_TransposeBackward1, OP_transpose)


OP_transpose.inplace_function = transpose_


OP_transpose.function = transpose


def transpose_copy(input, dim0, dim1, *, out=None):
    """A copy of `input` with two dimensions swapped."""
    if type(input) not in PLAIN_TYPES or dim0 is True or dim0 is False or dim1 is True or dim1 is False:
        explain_arguments(OP_transpose_copy, (input, dim0, dim1))
    if out is not None:
        return into(out, 'transpose_copy', composite_transpose_copy(F, input, dim0, dim1), OP_transpose_copy, (input, dim0, dim1))
    try:
        return composite_transpose_copy(F, input, dim0, dim1)
    except Exception:
        explain_arguments(OP_transpose_copy, (input, dim0, dim1))
        raise


OP_transpose_copy.function = transpose_copy


def trapezoid(y, x=None, *, dx=1, dim=-1, **named):
    """The integral along `dim` of a function known at points `x`, or `dx` apart, by the trapezoidal rule."""
    if named:
        return renamed(OP_trapezoid, trapezoid, {'y': y, 'x': x, 'dx': dx, 'dim': dim}, named)
    if type(y) not in PLAIN_TYPES or x is not None and (type(x) not in PLAIN_TYPES) or dim is True or dim is False:
        explain_arguments(OP_trapezoid, (y, x, dx, dim))
    try:
        return composite_trapezoid(F, y, x, dx=dx, dim=dim)
    except Exception:
        explain_arguments(OP_trapezoid, (y, x, dx, dim))
        raise


OP_trapezoid.function = trapezoid


def tril_backward(F, node, saved, g):
    diagonal, = node.params
    return (F.tril(g, diagonal),)


class TrilBackward0(Node):
    op = OPS['tril']
    saves = ()
    parameters = ('diagonal',)
    backward = staticmethod(tril_backward)
    backward_complex = staticmethod(tril_backward)


new_TrilBackward0 = maker_of(TrilBackward0)


OP_tril.nodes = (TrilBackward0,)


OP_tril.select_node = lambda input, diagonal: TrilBackward0


def tril(input, diagonal=0, *, out=None):
    """The lower triangles of matrices, up to a diagonal; zeros above."""
    if type(diagonal) is not int or diagonal > 0x3FFFFFFF or diagonal < -0x3FFFFFFF:
        explain_arguments(OP_tril, (input, diagonal))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_tril(xp, input_array, diagonal)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_TrilBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (diagonal,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_tril, (input, diagonal), out)


def tril_(input, diagonal=0):
    """In-place version of `tril`."""
    return write(tril, input, (diagonal,), {}, OP_tril)


OP_tril.inplace_function = tril_


OP_tril.function = tril


def tril_indices(row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    """The positions of the lower triangle of a matrix: a row of row numbers over a row of column numbers."""
    if type(row) is not int or row > 0x3FFFFFFF or row < -0x3FFFFFFF or type(col) is not int or col > 0x3FFFFFFF or col < -0x3FFFFFFF or type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF or requires_grad is not False and requires_grad is not True or pin_memory is not False and pin_memory is not True:
        explain_arguments(OP_tril_indices, (row, col, offset, dtype, device, layout, requires_grad, pin_memory))
    try:
        return composite_tril_indices(F, row, col, offset, dtype=dtype, device=device, layout=layout, requires_grad=requires_grad, pin_memory=pin_memory)
    except Exception:
        explain_arguments(OP_tril_indices, (row, col, offset, dtype, device, layout, requires_grad, pin_memory))
        raise


OP_tril_indices.function = tril_indices


def triu_backward(F, node, saved, g):
    diagonal, = node.params
    return (F.triu(g, diagonal),)


class TriuBackward0(Node):
    op = OPS['triu']
    saves = ()
    parameters = ('diagonal',)
    backward = staticmethod(triu_backward)
    backward_complex = staticmethod(triu_backward)


new_TriuBackward0 = maker_of(TriuBackward0)


OP_triu.nodes = (TriuBackward0,)


OP_triu.select_node = lambda input, diagonal: TriuBackward0


def triu(input, diagonal=0, *, out=None):
    """The upper triangles of matrices, from a diagonal on; zeros below."""
    if type(diagonal) is not int or diagonal > 0x3FFFFFFF or diagonal < -0x3FFFFFFF:
        explain_arguments(OP_triu, (input, diagonal))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_triu(xp, input_array, diagonal)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_TriuBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (diagonal,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_triu, (input, diagonal), out)


def triu_(input, diagonal=0):
    """In-place version of `triu`."""
    return write(triu, input, (diagonal,), {}, OP_triu)


OP_triu.inplace_function = triu_


OP_triu.function = triu


def triu_indices(row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    """The positions of the upper triangle of a matrix: a row of row numbers over a row of column numbers."""
    if type(row) is not int or row > 0x3FFFFFFF or row < -0x3FFFFFFF or type(col) is not int or col > 0x3FFFFFFF or col < -0x3FFFFFFF or type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF or requires_grad is not False and requires_grad is not True or pin_memory is not False and pin_memory is not True:
        explain_arguments(OP_triu_indices, (row, col, offset, dtype, device, layout, requires_grad, pin_memory))
    try:
        return composite_triu_indices(F, row, col, offset, dtype=dtype, device=device, layout=layout, requires_grad=requires_grad, pin_memory=pin_memory)
    except Exception:
        explain_arguments(OP_triu_indices, (row, col, offset, dtype, device, layout, requires_grad, pin_memory))
        raise


OP_triu_indices.function = triu_indices


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


new_DivBackward0 = maker_of(DivBackward0)


OP_true_divide.nodes = (DivBackward0,)


OP_true_divide.select_node = lambda input, other: DivBackward0


def true_divide(input=NOTHING, other=NOTHING, *, out=None, **named):
    """`input / other`, element by element; whole numbers give fractions."""
    if named or input is NOTHING or other is NOTHING:
        return renamed(OP_true_divide, true_divide, {'input': input, 'other': other, 'out': out}, named)
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_DivBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_DivBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None, _number)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_true_divide, (input, other), out)


true_divide = documented(OP_true_divide, true_divide)


def operator_true_divide(input, other):
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(input_array, other_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_DivBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_divide(input_array, _number, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_DivBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None, _number)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return operated(Tensor.div, input, other)


def true_divide_(input=NOTHING, other=NOTHING, **named):
    """In-place version of `true_divide`."""
    if named or input is NOTHING or other is NOTHING:
        return renamed(OP_true_divide, true_divide_, {'input': input, 'other': other}, named)
    return write(true_divide, input, (other,), {}, OP_true_divide)


OP_true_divide.inplace_function = true_divide_


OP_true_divide.function = true_divide


def trunc_backward(F, node, saved, g):
    return (F.zeros_of(g),)


class TruncBackward0(Node):
    op = OPS['trunc']
    saves = ()
    parameters = ()
    backward = staticmethod(trunc_backward)
    backward_complex = staticmethod(trunc_backward)


new_TruncBackward0 = maker_of(TruncBackward0)


OP_trunc.nodes = (TruncBackward0,)


OP_trunc.select_node = lambda input: TruncBackward0


def trunc(input, *, out=None):
    """`input` without its fraction."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_trunc(input_array, out=...)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_TruncBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_trunc, (input,), out)


def trunc_(input):
    """In-place version of `trunc`."""
    return write(trunc, input, (), {}, OP_trunc)


OP_trunc.inplace_function = trunc_


OP_trunc.function = trunc


def unbind_backward(F, node, saved, g):
    input_shape, dim = node.params
    return (derivative_unbind_input(F, g, input_shape, dim),)


class UnbindBackward0(Node):
    op = OPS['unbind']
    saves = ()
    parameters = ('input_shape', 'dim')
    backward = staticmethod(unbind_backward)
    backward_complex = staticmethod(unbind_backward)


new_UnbindBackward0 = maker_of(UnbindBackward0)


OP_unbind.nodes = (UnbindBackward0,)


OP_unbind.select_node = lambda input, dim: UnbindBackward0


def unbind(input, dim=0, **named):
    """The slices along `dim`, without that dimension."""
    if named:
        return renamed(OP_unbind, unbind, {'input': input, 'dim': dim}, named)
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if _mode is True or _mode is False or _mode is INFERENCE:
            try:
                _arrays = xp_unbind(input_array, dim)
            except Exception:
                pass
            else:
                _parts = parts_of(input, _arrays, (unbind, (dim,)), _mode)
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_UnbindBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, dim)
                    _node.metas = None
                    _node.special = False
                    give_outputs(_node, _parts)
                return _parts
    return general(OP_unbind, (input, dim))


OP_unbind.function = unbind


def unbind_copy(input, dim=0, *, out=None, **named):
    """Copies of the slices along `dim`."""
    if named:
        return renamed(OP_unbind_copy, unbind_copy, {'input': input, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or dim is True or dim is False:
        explain_arguments(OP_unbind_copy, (input, dim))
    if out is not None:
        return into(out, 'unbind_copy', composite_unbind_copy(F, input, dim), OP_unbind_copy, (input, dim))
    try:
        return composite_unbind_copy(F, input, dim)
    except Exception:
        explain_arguments(OP_unbind_copy, (input, dim))
        raise


OP_unbind_copy.function = unbind_copy


def unflatten(input, dim=NOTHING, sizes=NOTHING, **named):
    """`input` with dimension `dim` split into several; one of the `sizes` may be -1."""
    if named or sizes is NOTHING:
        return renamed(OP_unflatten, unflatten, {'input': input, 'dim': dim, 'sizes': sizes}, named)
    if dim is True or dim is False or not isinstance(sizes, (tuple, list)):
        explain_arguments(OP_unflatten, (input, dim, sizes))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_unflatten, composite_unflatten, F, (input, dim, sizes), dict())
        explain_arguments(OP_unflatten, (input, dim, sizes))
    try:
        return composite_unflatten(F, input, dim, sizes)
    except Exception:
        explain_arguments(OP_unflatten, (input, dim, sizes))
        raise


OP_unflatten.function = unflatten


def unfold_copy(input, dimension, size, step, *, out=None):
    """A copy of every window of `size` along `dimension`."""
    if type(input) not in PLAIN_TYPES or dimension is True or dimension is False or type(size) is not int or size > 0x3FFFFFFF or size < -0x3FFFFFFF or type(step) is not int or step > 0x3FFFFFFF or step < -0x3FFFFFFF:
        explain_arguments(OP_unfold_copy, (input, dimension, size, step))
    if out is not None:
        return into(out, 'unfold_copy', composite_unfold_copy(F, input, dimension, size, step), OP_unfold_copy, (input, dimension, size, step))
    try:
        return composite_unfold_copy(F, input, dimension, size, step)
    except Exception:
        explain_arguments(OP_unfold_copy, (input, dimension, size, step))
        raise


OP_unfold_copy.function = unfold_copy


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None, **named):
    """The different elements, or slices along `dim`; on request where each went, and how often each occurs."""
    if named:
        return renamed(OP_unique, unique, {'input': input, 'sorted': sorted, 'return_inverse': return_inverse, 'return_counts': return_counts, 'dim': dim}, named)
    if sorted is not False and sorted is not True or return_inverse is not False and return_inverse is not True or return_counts is not False and return_counts is not True or dim is not None and (dim is True or dim is False):
        explain_arguments(OP_unique, (input, sorted, return_inverse, return_counts, dim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_unique, composite_unique, F, (input, sorted, return_inverse, return_counts, dim), dict())
        explain_arguments(OP_unique, (input, sorted, return_inverse, return_counts, dim))
    try:
        return composite_unique(F, input, sorted, return_inverse, return_counts, dim)
    except Exception:
        explain_arguments(OP_unique, (input, sorted, return_inverse, return_counts, dim))
        raise


OP_unique.function = unique


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None, **named):
    """The elements, or slices along `dim`, without repetitions of a neighbour."""
    if named:
        return renamed(OP_unique_consecutive, unique_consecutive, {'input': input, 'return_inverse': return_inverse, 'return_counts': return_counts, 'dim': dim}, named)
    if return_inverse is not False and return_inverse is not True or return_counts is not False and return_counts is not True or dim is not None and (dim is True or dim is False):
        explain_arguments(OP_unique_consecutive, (input, return_inverse, return_counts, dim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_unique_consecutive, composite_unique_consecutive, F, (input, return_inverse, return_counts, dim), dict())
        explain_arguments(OP_unique_consecutive, (input, return_inverse, return_counts, dim))
    try:
        return composite_unique_consecutive(F, input, return_inverse, return_counts, dim)
    except Exception:
        explain_arguments(OP_unique_consecutive, (input, return_inverse, return_counts, dim))
        raise


OP_unique_consecutive.function = unique_consecutive


def unique_runs(input, dim=None):
    """The elements without repetitions of a neighbour, where each element went, and how long each run was."""
    return general(OP_unique_runs, (input, dim))


OP_unique_runs.function = unique_runs


def unique_with_places(input, dim=None):
    """The different elements, sorted, where each element of the input went, and how often each occurs."""
    return general(OP_unique_with_places, (input, dim))


OP_unique_with_places.function = unique_with_places


def unravel_index(indices, shape):
    """The coordinates, one tensor per dimension of `shape`, of positions in a flattened tensor."""
    if type(indices) not in PLAIN_TYPES or not isinstance(shape, (tuple, list)) and type(shape) is not int or type(shape) is int and (shape > 0x3FFFFFFF or shape < -0x3FFFFFFF):
        explain_arguments(OP_unravel_index, (indices, shape))
    try:
        return composite_unravel_index(F, indices, shape)
    except Exception:
        explain_arguments(OP_unravel_index, (indices, shape))
        raise


OP_unravel_index.function = unravel_index


def unsafe_chunk(input, chunks=NOTHING, dim=0, **named):
    """At most `chunks` parts along `dim`, which the caller promises not to write to."""
    if named or chunks is NOTHING:
        return renamed(OP_unsafe_chunk, unsafe_chunk, {'input': input, 'chunks': chunks, 'dim': dim}, named)
    if type(chunks) is not int or chunks > 0x3FFFFFFF or chunks < -0x3FFFFFFF or dim is True or dim is False:
        explain_arguments(OP_unsafe_chunk, (input, chunks, dim))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_unsafe_chunk, composite_unsafe_chunk, F, (input, chunks, dim), dict())
        explain_arguments(OP_unsafe_chunk, (input, chunks, dim))
    try:
        return composite_unsafe_chunk(F, input, chunks, dim)
    except Exception:
        explain_arguments(OP_unsafe_chunk, (input, chunks, dim))
        raise


OP_unsafe_chunk.function = unsafe_chunk


def unsafe_split_backward(F, node, saved, g):
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
    if type(split_size) is not int or split_size > 0x3FFFFFFF or split_size < -0x3FFFFFFF or dim is True or dim is False:
        explain_arguments(OP_unsafe_split, (input, split_size, dim))
    return general(OP_unsafe_split, (input, split_size, dim))


unsafe_split = documented(OP_unsafe_split, unsafe_split)


OP_unsafe_split.function = unsafe_split


def unsafe_split_with_sizes_backward(F, node, saved, g):
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
    if not isinstance(split_sizes, (tuple, list)) or dim is True or dim is False:
        explain_arguments(OP_unsafe_split_with_sizes, (input, split_sizes, dim))
    return general(OP_unsafe_split_with_sizes, (input, split_sizes, dim))


OP_unsafe_split_with_sizes.function = unsafe_split_with_sizes


def unsafe_view_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.reshape(g, input_shape),)


class UnsafeViewBackward0(Node):
    op = OPS['unsafe_view']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(unsafe_view_backward)
    backward_complex = staticmethod(unsafe_view_backward)


new_UnsafeViewBackward0 = maker_of(UnsafeViewBackward0)


OP_unsafe_view.nodes = (UnsafeViewBackward0,)


OP_unsafe_view.select_node = lambda input, size: UnsafeViewBackward0


def unsafe_view(input, size):
    """A fresh copy in another shape, which takes its memory over: not a view as far as in-place is concerned."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_reshape(input_array, size)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_UnsafeViewBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
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


new_UnsqueezeBackward0 = maker_of(UnsqueezeBackward0)


OP_unsqueeze.nodes = (UnsqueezeBackward0,)


OP_unsqueeze.select_node = lambda input, dim: UnsqueezeBackward0


def unsqueeze(input, dim=NOTHING, **named):
    """`input` with a dimension of size 1 at `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_unsqueeze, unsqueeze, {'input': input, 'dim': dim}, named)
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_new_dim(input_array, dim)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (unsqueeze, (dim,))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, unsqueeze, (dim,))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_UnsqueezeBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_unsqueeze, (input, dim))


class unsqueeze_UnsqueezeBackward1(UnsqueezeBackward0):
    """Recorded in place."""


unsqueeze_UnsqueezeBackward1.__name__ = 'UnsqueezeBackward1'

def unsqueeze_(input, dim=NOTHING, **named):
    """In-place version of `unsqueeze`."""
    if named or dim is NOTHING:
        return renamed(OP_unsqueeze, unsqueeze_, {'input': input, 'dim': dim}, named)
    return reshape_in_place(unsqueeze, input, (dim,), unsqueeze_UnsqueezeBackward1, OP_unsqueeze)


OP_unsqueeze.inplace_function = unsqueeze_


OP_unsqueeze.function = unsqueeze


def unsqueeze_copy(input, dim=NOTHING, *, out=None, **named):
    """A copy of `input` with a dimension of size 1 at `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_unsqueeze_copy, unsqueeze_copy, {'input': input, 'dim': dim, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or dim is True or dim is False:
        explain_arguments(OP_unsqueeze_copy, (input, dim))
    if out is not None:
        return into(out, 'unsqueeze_copy', composite_unsqueeze_copy(F, input, dim), OP_unsqueeze_copy, (input, dim))
    try:
        return composite_unsqueeze_copy(F, input, dim)
    except Exception:
        explain_arguments(OP_unsqueeze_copy, (input, dim))
        raise


OP_unsqueeze_copy.function = unsqueeze_copy


def var_backward(F, node, saved, g):
    input, = saved
    dim, unbiased, correction, input_shape = node.params
    return (derivative_var_input(F, g, input, dim, unbiased, correction, input_shape),)


class VarBackward0(Node):
    op = OPS['var']
    saves = ('input',)
    parameters = ('dim', 'unbiased', 'correction', 'input_shape')
    backward = staticmethod(var_backward)
    backward_complex = staticmethod(var_backward)


new_VarBackward0 = maker_of(VarBackward0)


OP_var.nodes = (VarBackward0,)


OP_var.select_node = lambda input, dim, unbiased, keepdim, correction: VarBackward0


def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, **named):
    """The variance along `dim`: the squared distances from the mean, over their number less `correction`."""
    if named:
        return renamed(OP_var, var, {'input': input, 'dim': dim, 'unbiased': unbiased, 'keepdim': keepdim, 'correction': correction, 'out': out}, named)
    if unbiased is not False and unbiased is not True or keepdim is not False and keepdim is not True:
        explain_arguments(OP_var, (input, dim, unbiased, keepdim, correction))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_var(xp, input_array, dim, unbiased, keepdim, correction=correction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_VarBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, unbiased, correction, input_array.shape)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_var, (input, dim, unbiased, keepdim, correction), out)


OP_var.function = var


def var_mean_backward(F, node, saved, g):
    input, = saved
    dim, unbiased, correction, input_shape = node.params
    g_var, g_mean = F.present(node, g)
    return (derivative_var_mean_input(F, g_var, g_mean, input, dim, unbiased, correction, input_shape),)


class VarMeanBackward0(Node):
    op = OPS['var_mean']
    saves = ('input',)
    parameters = ('dim', 'unbiased', 'correction', 'input_shape')
    backward = staticmethod(var_mean_backward)
    backward_complex = staticmethod(var_mean_backward)


new_VarMeanBackward0 = maker_of(VarMeanBackward0)


OP_var_mean.nodes = (VarMeanBackward0,)


OP_var_mean.select_node = lambda input, dim, unbiased, keepdim, correction: VarMeanBackward0


def var_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, **named):
    """The variance and the mean along `dim`."""
    if named:
        return renamed(OP_var_mean, var_mean, {'input': input, 'dim': dim, 'unbiased': unbiased, 'keepdim': keepdim, 'correction': correction, 'out': out}, named)
    if unbiased is not False and unbiased is not True or keepdim is not False and keepdim is not True:
        explain_arguments(OP_var_mean, (input, dim, unbiased, keepdim, correction))
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _var, _mean = forward_var_mean(xp, input_array, dim, unbiased, keepdim, correction=correction)
            except Exception:
                pass
            else:
                if type(_var) is not ndarray and isinstance(_var, np.generic):
                    _var = as_array(_var)
                _var_tensor = new(Tensor)
                _var_tensor._array = _var
                _var_tensor._base = None
                if type(_mean) is not ndarray and isinstance(_mean, np.generic):
                    _mean = as_array(_mean)
                _mean_tensor = new(Tensor)
                _mean_tensor._array = _mean
                _mean_tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_VarMeanBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (dim, unbiased, correction, input_array.shape)
                    _node.metas = None
                    _node.special = True
                    _node.outputs = 2
                    _node.result_metas = ((_var.shape, _var.dtype), (_mean.shape, _mean.dtype))
                    _var_tensor._edge = Output(_node, 0)
                    _mean_tensor._edge = Output(_node, 1)
                else:
                    _var_tensor._edge = None
                    _mean_tensor._edge = None
                    if _mode is INFERENCE:
                        _var_tensor._storage = InferenceStorage()
                        _mean_tensor._storage = InferenceStorage()
                return (_var_tensor, _mean_tensor)
            finally:
                reset_errors(_token)
    return general(OP_var_mean, (input, dim, unbiased, keepdim, correction), out)


OP_var_mean.function = var_mean


def vdot_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else g * other, None if other_edge is None else g * input)


def vdot_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.conj(g) * other, None if other_edge is None else g * input)


class VdotBackward0(Node):
    op = OPS['vdot']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(vdot_backward)
    backward_complex = staticmethod(vdot_backward_complex)


new_VdotBackward0 = maker_of(VdotBackward0)


OP_vdot.nodes = (VdotBackward0,)


OP_vdot.select_node = lambda input, other: VdotBackward0


def vdot(input, other, *, out=None):
    """`dot` of the conjugate of `input`."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_vdot(xp, input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_VdotBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (None if other_edge is None else input_array, None if input_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_vdot, (input, other), out)


OP_vdot.function = vdot


def view_backward(F, node, saved, g):
    input_shape, = node.params
    return (F.reshape(g, input_shape),)


class ViewBackward0(Node):
    op = OPS['view']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(view_backward)
    backward_complex = staticmethod(view_backward)


new_ViewBackward0 = maker_of(ViewBackward0)


OP_view.nodes = (ViewBackward0,)


OP_view.select_node = lambda input, size: ViewBackward0


def view(input, size):
    """The same memory in another shape."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_view(input_array, size)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (view, (size,))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, view, (size,))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_ViewBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_view, (input, size))


OP_view.function = view


def view_as(input, other):
    """`input` seen in the shape of `other`."""
    if type(other) not in PLAIN_TYPES:
        explain_arguments(OP_view_as, (input, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_view_as, composite_view_as, F, (input, other), dict())
        explain_arguments(OP_view_as, (input, other))
    try:
        return composite_view_as(F, input, other)
    except Exception:
        explain_arguments(OP_view_as, (input, other))
        raise


OP_view_as.function = view_as


def view_as_complex_backward(F, node, saved, g):
    return (F.view_as_real(F.resolve_conj(g)),)


class ViewAsComplexBackward0(Node):
    op = OPS['view_as_complex']
    saves = ()
    parameters = ()
    backward = staticmethod(view_as_complex_backward)
    backward_complex = staticmethod(view_as_complex_backward)


new_ViewAsComplexBackward0 = maker_of(ViewAsComplexBackward0)


OP_view_as_complex.nodes = (ViewAsComplexBackward0,)


OP_view_as_complex.select_node = lambda input: ViewAsComplexBackward0


def view_as_complex(input):
    """Pairs of real numbers, the last dimension, as complex ones."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_as_complex(input_array)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (view_as_complex, ())
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, view_as_complex, ())
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_ViewAsComplexBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_view_as_complex, (input,))


OP_view_as_complex.function = view_as_complex


def view_as_complex_copy(input, *, out=None):
    """Pairs of real numbers as complex ones, in memory of their own."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_view_as_complex_copy, (input,))
    if out is not None:
        return into(out, 'view_as_complex_copy', composite_view_as_complex_copy(F, input), OP_view_as_complex_copy, (input,))
    try:
        return composite_view_as_complex_copy(F, input)
    except Exception:
        explain_arguments(OP_view_as_complex_copy, (input,))
        raise


OP_view_as_complex_copy.function = view_as_complex_copy


def view_as_real_backward(F, node, saved, g):
    return (F.complex_copy(g),)


class ViewAsRealBackward0(Node):
    op = OPS['view_as_real']
    saves = ()
    parameters = ()
    backward = staticmethod(view_as_real_backward)
    backward_complex = staticmethod(view_as_real_backward)


new_ViewAsRealBackward0 = maker_of(ViewAsRealBackward0)


OP_view_as_real.nodes = (ViewAsRealBackward0,)


OP_view_as_real.select_node = lambda input: ViewAsRealBackward0


def view_as_real(input):
    """Complex numbers as pairs of real ones, in a last dimension."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_as_real(input_array)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (view_as_real, ())
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, view_as_real, ())
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_ViewAsRealBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                return _tensor
    return general(OP_view_as_real, (input,))


OP_view_as_real.function = view_as_real


def view_as_real_copy(input, *, out=None):
    """Complex numbers as pairs of real ones, in memory of their own."""
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_view_as_real_copy, (input,))
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
        explain_arguments(OP_view_copy, (input, size, dtype))
    if out is not None:
        return into(out, 'view_copy', composite_view_copy(F, input, size, dtype), OP_view_copy, (input, size, dtype))
    try:
        return composite_view_copy(F, input, size, dtype)
    except Exception:
        explain_arguments(OP_view_copy, (input, size, dtype))
        raise


OP_view_copy.function = view_copy


def view_dtype(input, kind):
    """The same memory read as another dtype."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_view_dtype(input_array, kind)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (view_dtype, (kind,))
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, view_dtype, (kind,))
                    edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                _tensor._edge = None
                return _tensor
    return general(OP_view_dtype, (input, kind))


OP_view_dtype.function = view_dtype


def view_variadic(input, *sizes, size=None, dtype=None):
    """The same memory in another shape or as another dtype. Raises RuntimeError where only a copy could be so."""
    if size is not None and (not isinstance(size, (tuple, list))):
        explain_arguments(OP_view_variadic, (input, *sizes, size, dtype))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_view_variadic, composite_view_variadic, F, (input, *sizes), dict(size=size, dtype=dtype))
        explain_arguments(OP_view_variadic, (input, *sizes, size, dtype))
    try:
        return composite_view_variadic(F, input, *sizes, size=size, dtype=dtype)
    except Exception:
        explain_arguments(OP_view_variadic, (input, *sizes, size, dtype))
        raise


OP_view_variadic.function = view_variadic


def vsplit(input, indices_or_sections):
    """Parts below each other: along the first dimension of at least a matrix."""
    if type(input) not in PLAIN_TYPES or type(indices_or_sections) is not int and not isinstance(indices_or_sections, (tuple, list)) or type(indices_or_sections) is int and (indices_or_sections > 0x3FFFFFFF or indices_or_sections < -0x3FFFFFFF):
        explain_arguments(OP_vsplit, (input, indices_or_sections))
    try:
        return composite_vsplit(F, input, indices_or_sections)
    except Exception:
        explain_arguments(OP_vsplit, (input, indices_or_sections))
        raise


OP_vsplit.function = vsplit


def vsplit_variadic(input, split_size_or_sections=None, *more, sections=None, indices=None):
    """Parts below each other: along the first dimension of at least a matrix."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_vsplit_variadic, composite_vsplit_variadic, F, (input, split_size_or_sections, *more), dict(sections=sections, indices=indices))
        explain_arguments(OP_vsplit_variadic, (input, split_size_or_sections, *more, sections, indices))
    try:
        return composite_vsplit_variadic(F, input, split_size_or_sections, *more, sections=sections, indices=indices)
    except Exception:
        explain_arguments(OP_vsplit_variadic, (input, split_size_or_sections, *more, sections, indices))
        raise


OP_vsplit_variadic.function = vsplit_variadic


def vstack(tensors, *, out=None):
    """The tensors, at least matrices, below each other."""
    if out is not None:
        return into(out, 'vstack', composite_vstack(F, tensors), OP_vstack, (tensors,))
    try:
        return composite_vstack(F, tensors)
    except Exception:
        explain_arguments(OP_vstack, (tensors,))
        raise


OP_vstack.function = vstack


def where(condition, input=None, other=None, *, out=None):
    """`input` where `condition` is true, `other` elsewhere; with `condition` alone, the positions where it is true."""
    if type(condition) not in PLAIN_TYPES:
        explain_arguments(OP_where, (condition, input, other))
    if out is not None:
        return into(out, 'where', composite_where(F, condition, input, other), OP_where, (condition, input, other))
    try:
        return composite_where(F, condition, input, other)
    except Exception:
        explain_arguments(OP_where, (condition, input, other))
        raise


OP_where.function = where


def where_of_input(input, condition, other):
    """`input` where `condition` is true, `other` elsewhere."""
    if type(condition) not in PLAIN_TYPES:
        explain_arguments(OP_where_of_input, (input, condition, other))
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_where_of_input, composite_where_of_input, F, (input, condition, other), dict())
        explain_arguments(OP_where_of_input, (input, condition, other))
    try:
        return composite_where_of_input(F, input, condition, other)
    except Exception:
        explain_arguments(OP_where_of_input, (input, condition, other))
        raise


OP_where_of_input.function = where_of_input


def windows_backward(F, node, saved, g):
    input_shape, dimension, step = node.params
    return (F.add_windows(g, input_shape, dimension, step),)


class UnfoldBackward0(Node):
    op = OPS['windows']
    saves = ()
    parameters = ('input_shape', 'dimension', 'step')
    backward = staticmethod(windows_backward)
    backward_complex = staticmethod(windows_backward)


new_UnfoldBackward0 = maker_of(UnfoldBackward0)


OP_windows.nodes = (UnfoldBackward0,)


OP_windows.select_node = lambda input, dimension, size, step: UnfoldBackward0


def windows(input, dimension, size, step):
    """Every window of `size` along `dimension`, `step` apart, as a last dimension."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_windows(input_array, dimension, size, step)
            except Exception:
                pass
            else:
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (windows, (dimension, size, step))
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    _tensor._base = _base
                    _tensor._steps = (*input._steps, windows, (dimension, size, step))
                    input_edge = edge_of(input)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if not _mode:
                    _tensor._creation = "no_grad" if _mode is False else "inference"
                if _mode and input_edge is not None:
                    _node = new_UnfoldBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape, dimension, step)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
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


new_CopySlices = maker_of(CopySlices)


OP_write_view.nodes = (CopySlices,)


OP_write_view.select_node = lambda base, value, path: CopySlices


def write_view(base, value, path):
    """`base` with the part that `path` leads to replaced by `value`."""
    if type(base) in PLAIN_TYPES and type(value) in PLAIN_TYPES:
        base_array = base._array
        value_array = value._array
        _mode = get_mode()
        if ((_dtype := base_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL) and _dtype is value_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_write_view(xp, base_array, value_array, path)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                base_edge = base._edge if base._base is None else edge_of(base)
                value_edge = value._edge if value._base is None else edge_of(value)
                if _mode and (base_edge is not None or value_edge is not None):
                    _node = new_CopySlices()
                    _node.created = tick()
                    _node.edges = (base_edge, value_edge)
                    _node.saved = ()
                    _node.params = (value_array.shape, path)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_write_view, (base, value, path))


OP_write_view.function = write_view


def xlogy_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else F.where((input == 0) & (other <= 0), 0, F.xlogy(g, other)), None if other_edge is None else g * (input / other))


class XlogyBackward2(Node):
    op = OPS['xlogy']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(xlogy_backward)
    backward_complex = staticmethod(xlogy_backward)


new_XlogyBackward2 = maker_of(XlogyBackward2)


class XlogyBackward1(Node):
    op = OPS['xlogy']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(xlogy_backward)
    backward_complex = staticmethod(xlogy_backward)


new_XlogyBackward1 = maker_of(XlogyBackward1)


class XlogyBackward0(Node):
    op = OPS['xlogy']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(xlogy_backward)
    backward_complex = staticmethod(xlogy_backward)


new_XlogyBackward0 = maker_of(XlogyBackward0)


OP_xlogy.nodes = (XlogyBackward2, XlogyBackward1, XlogyBackward0)


OP_xlogy.select_node = lambda input, other: XlogyBackward2 if isinstance(other, (int, float)) else XlogyBackward1 if isinstance(input, (int, float)) else XlogyBackward0


def xlogy(input, other, *, out=None):
    """`input * log(other)`, and 0 where `input` is 0."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_xlogy(input_array, other_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = (new_XlogyBackward2 if isinstance(other, (int, float)) else new_XlogyBackward1 if isinstance(input, (int, float)) else new_XlogyBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _node.params = ()
                    _node.metas = None if input_array.shape == other_array.shape else ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_xlogy(input_array, _number)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = (new_XlogyBackward2 if isinstance(other, (int, float)) else new_XlogyBackward1 if isinstance(input, (int, float)) else new_XlogyBackward0)()
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                _code = (_frame := frame_at(1)).f_code
                                _place = (_code, _frame.f_lasti) if _code.co_filename in PROGRAM else outside(_frame)
                            except ValueError:
                                pass
                        _node._place = _place
                    _node.saved = (input_array, _number)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_xlogy, (input, other), out)


def xlogy_(input, other):
    """In-place version of `xlogy`."""
    return write(xlogy, input, (other,), {}, OP_xlogy)


OP_xlogy.inplace_function = xlogy_


OP_xlogy.function = xlogy


def zero_(input):
    """Writes 0 to every element."""
    if type(input) not in PLAIN_TYPES:
        if hasattr(input, '__torch_function__'):
            return composed(OP_zero_, composite_zero_, F, (input,), dict())
        explain_arguments(OP_zero_, (input,))
    try:
        return composite_zero_(F, input)
    except Exception:
        explain_arguments(OP_zero_, (input,))
        raise


OP_zero_.function = zero_


def zeroed_backward(F, node, saved, g):
    return (F.zeros_of(g),)


class ZeroBackward0(Node):
    op = OPS['zeroed']
    saves = ()
    parameters = ()
    backward = staticmethod(zeroed_backward)
    backward_complex = staticmethod(zeroed_backward)


new_ZeroBackward0 = maker_of(ZeroBackward0)


OP_zeroed.nodes = (ZeroBackward0,)


OP_zeroed.select_node = lambda input: ZeroBackward0


def zeroed(input):
    """A tensor like `input`, every element 0."""
    if type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_zeros_like(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._base = None
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new_ZeroBackward0()
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._storage = InferenceStorage()
                return _tensor
    return general(OP_zeroed, (input,))


def zeroed_(input):
    """In-place version of `zeroed`."""
    return write(zeroed, input, (), {}, OP_zeroed)


OP_zeroed.inplace_function = zeroed_


OP_zeroed.function = zeroed


def zeros_of(input):
    """Zeros like `input`."""
    return composite_zeros_of(F, input)


OP_zeros_of.function = zeros_of


show_saved(('accumulate', 'alpha', 'approximate', 'backwards', 'batch1', 'batch1_shape', 'batch2', 'beta', 'correction', 'diagonal', 'dim', 'dim0', 'dim1', 'dim2', 'dimension', 'dims', 'end', 'eps', 'exponent', 'factor', 'flipped', 'include_self', 'index', 'indices', 'input_device', 'input_dtype', 'input_scale', 'k', 'keepdim', 'lambd', 'lower', 'mask', 'mat', 'mat1', 'mat2', 'max', 'max_val', 'maxnorm', 'min', 'min_val', 'negative_slope', 'noise', 'offset', 'ord', 'other', 'other_dtype', 'other_shape', 'p', 'path', 'reduce', 'repeats', 'result', 'scale', 'self', 'self_sym_sizes', 'shifts', 'size', 'source', 'source_shape', 'split_size', 'split_sizes', 'src', 'src_dtype', 'src_shape', 'start', 'std', 'step', 'stride', 'strides', 'tensor', 'tensor1', 'tensor2', 'tensors_shapes', 'threshold', 'training', 'unbiased', 'upper', 'value', 'value_shape', 'values_shape', 'vec', 'vec1', 'vec2', 'view', 'weight', 'x2', 'x2_shape'))
