"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

from rushlight._generated.functions import _neg_view as _neg_view
from rushlight._generated.functions import abs as abs
from rushlight._generated.functions import abs_ as abs_
from rushlight._generated.functions import acos as acos
from rushlight._generated.functions import acos_ as acos_
from rushlight._generated.functions import acosh as acosh
from rushlight._generated.functions import acosh_ as acosh_
from rushlight._generated.functions import add as add
from rushlight._generated.functions import add_ as add_
from rushlight._generated.functions import addbmm as addbmm
from rushlight._generated.functions import addbmm_ as addbmm_
from rushlight._generated.functions import addcdiv as addcdiv
from rushlight._generated.functions import addcdiv_ as addcdiv_
from rushlight._generated.functions import addcmul as addcmul
from rushlight._generated.functions import addcmul_ as addcmul_
from rushlight._generated.functions import addmm as addmm
from rushlight._generated.functions import addmm_ as addmm_
from rushlight._generated.functions import addmv as addmv
from rushlight._generated.functions import addmv_ as addmv_
from rushlight._generated.functions import addr as addr
from rushlight._generated.functions import addr_ as addr_
from rushlight._generated.functions import adjoint as adjoint
from rushlight._generated.functions import alias_copy as alias_copy
from rushlight._generated.functions import all as all
from rushlight._generated.functions import allclose as allclose
from rushlight._generated.functions import amax as amax
from rushlight._generated.functions import amin as amin
from rushlight._generated.functions import aminmax as aminmax
from rushlight._generated.functions import angle as angle
from rushlight._generated.functions import any as any
from rushlight._generated.functions import argmax as argmax
from rushlight._generated.functions import argmin as argmin
from rushlight._generated.functions import argsort as argsort
from rushlight._generated.functions import argwhere as argwhere
from rushlight._generated.functions import as_strided as as_strided
from rushlight._generated.functions import as_strided_ as as_strided_
from rushlight._generated.functions import as_strided_copy as as_strided_copy
from rushlight._generated.functions import as_strided_scatter as as_strided_scatter
from rushlight._generated.functions import asin as asin
from rushlight._generated.functions import asin_ as asin_
from rushlight._generated.functions import asinh as asinh
from rushlight._generated.functions import asinh_ as asinh_
from rushlight._generated.functions import atan as atan
from rushlight._generated.functions import atan2 as atan2
from rushlight._generated.functions import atan2_ as atan2_
from rushlight._generated.functions import atan_ as atan_
from rushlight._generated.functions import atanh as atanh
from rushlight._generated.functions import atanh_ as atanh_
from rushlight._generated.functions import atleast_1d as atleast_1d
from rushlight._generated.functions import atleast_2d as atleast_2d
from rushlight._generated.functions import atleast_3d as atleast_3d
from rushlight._generated.functions import baddbmm as baddbmm
from rushlight._generated.functions import baddbmm_ as baddbmm_
from rushlight._generated.functions import bilinear as bilinear
from rushlight._generated.functions import bincount as bincount
from rushlight._generated.functions import bitwise_and as bitwise_and
from rushlight._generated.functions import bitwise_and_ as bitwise_and_
from rushlight._generated.functions import bitwise_left_shift as bitwise_left_shift
from rushlight._generated.functions import bitwise_left_shift_ as bitwise_left_shift_
from rushlight._generated.functions import bitwise_not as bitwise_not
from rushlight._generated.functions import bitwise_not_ as bitwise_not_
from rushlight._generated.functions import bitwise_or as bitwise_or
from rushlight._generated.functions import bitwise_or_ as bitwise_or_
from rushlight._generated.functions import bitwise_right_shift as bitwise_right_shift
from rushlight._generated.functions import bitwise_right_shift_ as bitwise_right_shift_
from rushlight._generated.functions import bitwise_xor as bitwise_xor
from rushlight._generated.functions import bitwise_xor_ as bitwise_xor_
from rushlight._generated.functions import block_diag as block_diag
from rushlight._generated.functions import bmm as bmm
from rushlight._generated.functions import broadcast_shapes as broadcast_shapes
from rushlight._generated.functions import broadcast_tensors as broadcast_tensors
from rushlight._generated.functions import broadcast_to as broadcast_to
from rushlight._generated.functions import bucketize as bucketize
from rushlight._generated.functions import cartesian_prod as cartesian_prod
from rushlight._generated.functions import cat as cat
from rushlight._generated.functions import cdist as cdist
from rushlight._generated.functions import ceil as ceil
from rushlight._generated.functions import ceil_ as ceil_
from rushlight._generated.functions import celu as celu
from rushlight._generated.functions import celu_ as celu_
from rushlight._generated.functions import chain_matmul as chain_matmul
from rushlight._generated.functions import chunk as chunk
from rushlight._generated.functions import clamp as clamp
from rushlight._generated.functions import clamp_ as clamp_
from rushlight._generated.functions import clamp_max as clamp_max
from rushlight._generated.functions import clamp_max_ as clamp_max_
from rushlight._generated.functions import clamp_min as clamp_min
from rushlight._generated.functions import clamp_min_ as clamp_min_
from rushlight._generated.functions import clone as clone
from rushlight._generated.functions import column_stack as column_stack
from rushlight._generated.functions import combinations as combinations
from rushlight._generated.functions import complex as complex
from rushlight._generated.functions import concatenate as concatenate
from rushlight._generated.functions import conj as conj
from rushlight._generated.functions import conj_physical as conj_physical
from rushlight._generated.functions import conj_physical_ as conj_physical_
from rushlight._generated.functions import copysign as copysign
from rushlight._generated.functions import copysign_ as copysign_
from rushlight._generated.functions import corrcoef as corrcoef
from rushlight._generated.functions import cos as cos
from rushlight._generated.functions import cos_ as cos_
from rushlight._generated.functions import cosh as cosh
from rushlight._generated.functions import cosh_ as cosh_
from rushlight._generated.functions import cosine_similarity as cosine_similarity
from rushlight._generated.functions import count_nonzero as count_nonzero
from rushlight._generated.functions import cov as cov
from rushlight._generated.functions import cross as cross
from rushlight._generated.functions import cummax as cummax
from rushlight._generated.functions import cummin as cummin
from rushlight._generated.functions import cumprod as cumprod
from rushlight._generated.functions import cumprod_ as cumprod_
from rushlight._generated.functions import cumsum as cumsum
from rushlight._generated.functions import cumsum_ as cumsum_
from rushlight._generated.functions import cumulative_trapezoid as cumulative_trapezoid
from rushlight._generated.functions import deg2rad as deg2rad
from rushlight._generated.functions import deg2rad_ as deg2rad_
from rushlight._generated.functions import detach_copy as detach_copy
from rushlight._generated.functions import diag as diag
from rushlight._generated.functions import diag_embed as diag_embed
from rushlight._generated.functions import diagflat as diagflat
from rushlight._generated.functions import diagonal as diagonal
from rushlight._generated.functions import diagonal_copy as diagonal_copy
from rushlight._generated.functions import diagonal_scatter as diagonal_scatter
from rushlight._generated.functions import diff as diff
from rushlight._generated.functions import dist as dist
from rushlight._generated.functions import div as div
from rushlight._generated.functions import div_ as div_
from rushlight._generated.functions import dot as dot
from rushlight._generated.functions import dsplit as dsplit
from rushlight._generated.functions import dstack as dstack
from rushlight._generated.functions import einsum as einsum
from rushlight._generated.functions import eq as eq
from rushlight._generated.functions import eq_ as eq_
from rushlight._generated.functions import equal as equal
from rushlight._generated.functions import exp as exp
from rushlight._generated.functions import exp2 as exp2
from rushlight._generated.functions import exp2_ as exp2_
from rushlight._generated.functions import exp_ as exp_
from rushlight._generated.functions import expand_copy as expand_copy
from rushlight._generated.functions import expm1 as expm1
from rushlight._generated.functions import expm1_ as expm1_
from rushlight._generated.functions import fill as fill
from rushlight._generated.functions import fill_ as fill_
from rushlight._generated.functions import flatten as flatten
from rushlight._generated.functions import flip as flip
from rushlight._generated.functions import fliplr as fliplr
from rushlight._generated.functions import flipud as flipud
from rushlight._generated.functions import float_power as float_power
from rushlight._generated.functions import floor as floor
from rushlight._generated.functions import floor_ as floor_
from rushlight._generated.functions import floor_divide as floor_divide
from rushlight._generated.functions import floor_divide_ as floor_divide_
from rushlight._generated.functions import fmax as fmax
from rushlight._generated.functions import fmin as fmin
from rushlight._generated.functions import fmod as fmod
from rushlight._generated.functions import fmod_ as fmod_
from rushlight._generated.functions import frac as frac
from rushlight._generated.functions import frac_ as frac_
from rushlight._generated.functions import frexp as frexp
from rushlight._generated.functions import gather as gather
from rushlight._generated.functions import gcd as gcd
from rushlight._generated.functions import gcd_ as gcd_
from rushlight._generated.functions import ge as ge
from rushlight._generated.functions import ge_ as ge_
from rushlight._generated.functions import gradient as gradient
from rushlight._generated.functions import gt as gt
from rushlight._generated.functions import gt_ as gt_
from rushlight._generated.functions import hardshrink as hardshrink
from rushlight._generated.functions import hash_tensor as hash_tensor
from rushlight._generated.functions import heaviside as heaviside
from rushlight._generated.functions import heaviside_ as heaviside_
from rushlight._generated.functions import histc as histc
from rushlight._generated.functions import histogram as histogram
from rushlight._generated.functions import histogramdd as histogramdd
from rushlight._generated.functions import hsplit as hsplit
from rushlight._generated.functions import hstack as hstack
from rushlight._generated.functions import hypot as hypot
from rushlight._generated.functions import hypot_ as hypot_
from rushlight._generated.functions import imag as imag
from rushlight._generated.functions import index_add as index_add
from rushlight._generated.functions import index_add_ as index_add_
from rushlight._generated.functions import index_copy as index_copy
from rushlight._generated.functions import index_copy_ as index_copy_
from rushlight._generated.functions import index_fill as index_fill
from rushlight._generated.functions import index_fill_ as index_fill_
from rushlight._generated.functions import index_put as index_put
from rushlight._generated.functions import index_put_ as index_put_
from rushlight._generated.functions import index_reduce as index_reduce
from rushlight._generated.functions import index_reduce_ as index_reduce_
from rushlight._generated.functions import index_select as index_select
from rushlight._generated.functions import inner as inner
from rushlight._generated.functions import isclose as isclose
from rushlight._generated.functions import isfinite as isfinite
from rushlight._generated.functions import isin as isin
from rushlight._generated.functions import isinf as isinf
from rushlight._generated.functions import isnan as isnan
from rushlight._generated.functions import isneginf as isneginf
from rushlight._generated.functions import isposinf as isposinf
from rushlight._generated.functions import isreal as isreal
from rushlight._generated.functions import kron as kron
from rushlight._generated.functions import kthvalue as kthvalue
from rushlight._generated.functions import lcm as lcm
from rushlight._generated.functions import lcm_ as lcm_
from rushlight._generated.functions import ldexp as ldexp
from rushlight._generated.functions import ldexp_ as ldexp_
from rushlight._generated.functions import le as le
from rushlight._generated.functions import le_ as le_
from rushlight._generated.functions import lerp as lerp
from rushlight._generated.functions import lerp_ as lerp_
from rushlight._generated.functions import log as log
from rushlight._generated.functions import log10 as log10
from rushlight._generated.functions import log10_ as log10_
from rushlight._generated.functions import log1p as log1p
from rushlight._generated.functions import log1p_ as log1p_
from rushlight._generated.functions import log2 as log2
from rushlight._generated.functions import log2_ as log2_
from rushlight._generated.functions import log_ as log_
from rushlight._generated.functions import log_softmax as log_softmax
from rushlight._generated.functions import logaddexp as logaddexp
from rushlight._generated.functions import logaddexp2 as logaddexp2
from rushlight._generated.functions import logcumsumexp as logcumsumexp
from rushlight._generated.functions import logical_and as logical_and
from rushlight._generated.functions import logical_and_ as logical_and_
from rushlight._generated.functions import logical_not as logical_not
from rushlight._generated.functions import logical_not_ as logical_not_
from rushlight._generated.functions import logical_or as logical_or
from rushlight._generated.functions import logical_or_ as logical_or_
from rushlight._generated.functions import logical_xor as logical_xor
from rushlight._generated.functions import logical_xor_ as logical_xor_
from rushlight._generated.functions import logit as logit
from rushlight._generated.functions import logit_ as logit_
from rushlight._generated.functions import logsumexp as logsumexp
from rushlight._generated.functions import lt as lt
from rushlight._generated.functions import lt_ as lt_
from rushlight._generated.functions import masked_fill as masked_fill
from rushlight._generated.functions import masked_fill_ as masked_fill_
from rushlight._generated.functions import masked_scatter as masked_scatter
from rushlight._generated.functions import masked_scatter_ as masked_scatter_
from rushlight._generated.functions import masked_select as masked_select
from rushlight._generated.functions import matmul as matmul
from rushlight._generated.functions import max as max
from rushlight._generated.functions import maximum as maximum
from rushlight._generated.functions import mean as mean
from rushlight._generated.functions import median as median
from rushlight._generated.functions import meshgrid as meshgrid
from rushlight._generated.functions import min as min
from rushlight._generated.functions import minimum as minimum
from rushlight._generated.functions import mm as mm
from rushlight._generated.functions import mode as mode
from rushlight._generated.functions import movedim as movedim
from rushlight._generated.functions import msort as msort
from rushlight._generated.functions import mul as mul
from rushlight._generated.functions import mul_ as mul_
from rushlight._generated.functions import mv as mv
from rushlight._generated.functions import nan_to_num as nan_to_num
from rushlight._generated.functions import nan_to_num_ as nan_to_num_
from rushlight._generated.functions import nanmean as nanmean
from rushlight._generated.functions import nanmedian as nanmedian
from rushlight._generated.functions import nanquantile as nanquantile
from rushlight._generated.functions import nansum as nansum
from rushlight._generated.functions import narrow as narrow
from rushlight._generated.functions import narrow_copy as narrow_copy
from rushlight._generated.functions import ne as ne
from rushlight._generated.functions import ne_ as ne_
from rushlight._generated.functions import neg as neg
from rushlight._generated.functions import neg_ as neg_
from rushlight._generated.functions import nextafter as nextafter
from rushlight._generated.functions import nextafter_ as nextafter_
from rushlight._generated.functions import nonzero as nonzero
from rushlight._generated.functions import nonzero_static as nonzero_static
from rushlight._generated.functions import norm as norm
from rushlight._generated.functions import norm_except_dim as norm_except_dim
from rushlight._generated.functions import outer as outer
from rushlight._generated.functions import pairwise_distance as pairwise_distance
from rushlight._generated.functions import pdist as pdist
from rushlight._generated.functions import permute as permute
from rushlight._generated.functions import permute_copy as permute_copy
from rushlight._generated.functions import polar as polar
from rushlight._generated.functions import positive as positive
from rushlight._generated.functions import pow as pow
from rushlight._generated.functions import pow_ as pow_
from rushlight._generated.functions import prelu as prelu
from rushlight._generated.functions import prod as prod
from rushlight._generated.functions import put as put
from rushlight._generated.functions import put_ as put_
from rushlight._generated.functions import quantile as quantile
from rushlight._generated.functions import rad2deg as rad2deg
from rushlight._generated.functions import rad2deg_ as rad2deg_
from rushlight._generated.functions import ravel as ravel
from rushlight._generated.functions import real as real
from rushlight._generated.functions import reciprocal as reciprocal
from rushlight._generated.functions import reciprocal_ as reciprocal_
from rushlight._generated.functions import relu as relu
from rushlight._generated.functions import relu_ as relu_
from rushlight._generated.functions import remainder as remainder
from rushlight._generated.functions import remainder_ as remainder_
from rushlight._generated.functions import renorm as renorm
from rushlight._generated.functions import renorm_ as renorm_
from rushlight._generated.functions import repeat_interleave as repeat_interleave
from rushlight._generated.functions import reshape as reshape
from rushlight._generated.functions import resolve_conj as resolve_conj
from rushlight._generated.functions import resolve_neg as resolve_neg
from rushlight._generated.functions import roll as roll
from rushlight._generated.functions import rot90 as rot90
from rushlight._generated.functions import round as round
from rushlight._generated.functions import round_ as round_
from rushlight._generated.functions import rrelu as rrelu
from rushlight._generated.functions import rrelu_ as rrelu_
from rushlight._generated.functions import rsqrt as rsqrt
from rushlight._generated.functions import rsqrt_ as rsqrt_
from rushlight._generated.functions import rsub as rsub
from rushlight._generated.functions import scatter as scatter
from rushlight._generated.functions import scatter_ as scatter_
from rushlight._generated.functions import scatter_add as scatter_add
from rushlight._generated.functions import scatter_add_ as scatter_add_
from rushlight._generated.functions import scatter_reduce as scatter_reduce
from rushlight._generated.functions import scatter_reduce_ as scatter_reduce_
from rushlight._generated.functions import searchsorted as searchsorted
from rushlight._generated.functions import select as select
from rushlight._generated.functions import select_copy as select_copy
from rushlight._generated.functions import select_scatter as select_scatter
from rushlight._generated.functions import selu as selu
from rushlight._generated.functions import selu_ as selu_
from rushlight._generated.functions import sgn as sgn
from rushlight._generated.functions import sgn_ as sgn_
from rushlight._generated.functions import sigmoid as sigmoid
from rushlight._generated.functions import sigmoid_ as sigmoid_
from rushlight._generated.functions import sign as sign
from rushlight._generated.functions import sign_ as sign_
from rushlight._generated.functions import signbit as signbit
from rushlight._generated.functions import sin as sin
from rushlight._generated.functions import sin_ as sin_
from rushlight._generated.functions import sinc as sinc
from rushlight._generated.functions import sinc_ as sinc_
from rushlight._generated.functions import sinh as sinh
from rushlight._generated.functions import sinh_ as sinh_
from rushlight._generated.functions import slice_copy as slice_copy
from rushlight._generated.functions import slice_scatter as slice_scatter
from rushlight._generated.functions import softmax as softmax
from rushlight._generated.functions import sort as sort
from rushlight._generated.functions import split as split
from rushlight._generated.functions import split_copy as split_copy
from rushlight._generated.functions import split_with_sizes as split_with_sizes
from rushlight._generated.functions import split_with_sizes_copy as split_with_sizes_copy
from rushlight._generated.functions import sqrt as sqrt
from rushlight._generated.functions import sqrt_ as sqrt_
from rushlight._generated.functions import square as square
from rushlight._generated.functions import square_ as square_
from rushlight._generated.functions import squeeze as squeeze
from rushlight._generated.functions import squeeze_ as squeeze_
from rushlight._generated.functions import squeeze_copy as squeeze_copy
from rushlight._generated.functions import stack as stack
from rushlight._generated.functions import std as std
from rushlight._generated.functions import std_mean as std_mean
from rushlight._generated.functions import sub as sub
from rushlight._generated.functions import sub_ as sub_
from rushlight._generated.functions import sum as sum
from rushlight._generated.functions import swapaxes as swapaxes
from rushlight._generated.functions import swapaxes_ as swapaxes_
from rushlight._generated.functions import t as t
from rushlight._generated.functions import t_ as t_
from rushlight._generated.functions import t_copy as t_copy
from rushlight._generated.functions import take as take
from rushlight._generated.functions import take_along_dim as take_along_dim
from rushlight._generated.functions import tan as tan
from rushlight._generated.functions import tan_ as tan_
from rushlight._generated.functions import tanh as tanh
from rushlight._generated.functions import tanh_ as tanh_
from rushlight._generated.functions import tensor_split as tensor_split
from rushlight._generated.functions import tensordot as tensordot
from rushlight._generated.functions import threshold as threshold
from rushlight._generated.functions import threshold_ as threshold_
from rushlight._generated.functions import tile as tile
from rushlight._generated.functions import topk as topk
from rushlight._generated.functions import trace as trace
from rushlight._generated.functions import transpose as transpose
from rushlight._generated.functions import transpose_ as transpose_
from rushlight._generated.functions import transpose_copy as transpose_copy
from rushlight._generated.functions import trapezoid as trapezoid
from rushlight._generated.functions import tril as tril
from rushlight._generated.functions import tril_ as tril_
from rushlight._generated.functions import tril_indices as tril_indices
from rushlight._generated.functions import triu as triu
from rushlight._generated.functions import triu_ as triu_
from rushlight._generated.functions import triu_indices as triu_indices
from rushlight._generated.functions import true_divide as true_divide
from rushlight._generated.functions import true_divide_ as true_divide_
from rushlight._generated.functions import trunc as trunc
from rushlight._generated.functions import trunc_ as trunc_
from rushlight._generated.functions import unbind as unbind
from rushlight._generated.functions import unbind_copy as unbind_copy
from rushlight._generated.functions import unflatten as unflatten
from rushlight._generated.functions import unfold_copy as unfold_copy
from rushlight._generated.functions import unique as unique
from rushlight._generated.functions import unique_consecutive as unique_consecutive
from rushlight._generated.functions import unravel_index as unravel_index
from rushlight._generated.functions import unsafe_chunk as unsafe_chunk
from rushlight._generated.functions import unsafe_split as unsafe_split
from rushlight._generated.functions import unsafe_split_with_sizes as unsafe_split_with_sizes
from rushlight._generated.functions import unsqueeze as unsqueeze
from rushlight._generated.functions import unsqueeze_ as unsqueeze_
from rushlight._generated.functions import unsqueeze_copy as unsqueeze_copy
from rushlight._generated.functions import var as var
from rushlight._generated.functions import var_mean as var_mean
from rushlight._generated.functions import vdot as vdot
from rushlight._generated.functions import view_as_complex as view_as_complex
from rushlight._generated.functions import view_as_complex_copy as view_as_complex_copy
from rushlight._generated.functions import view_as_real as view_as_real
from rushlight._generated.functions import view_as_real_copy as view_as_real_copy
from rushlight._generated.functions import view_copy as view_copy
from rushlight._generated.functions import vsplit as vsplit
from rushlight._generated.functions import vstack as vstack
from rushlight._generated.functions import where as where
from rushlight._generated.functions import xlogy as xlogy
from rushlight._generated.functions import xlogy_ as xlogy_
from rushlight._generated.functions import zero_ as zero_

LATER = {
    'absolute': 'abs',
    'absolute_': 'abs_',
    'adaptive_avg_pool1d': 'adaptive_avg_pool1d',
    'adaptive_max_pool1d': 'adaptive_max_pool1d',
    'affine_grid_generator': 'affine_grid_generator',
    'alpha_dropout': 'alpha_dropout',
    'alpha_dropout_': 'alpha_dropout_',
    'arccos': 'acos',
    'arccos_': 'acos_',
    'arccosh': 'acosh',
    'arccosh_': 'acosh_',
    'arcsin': 'asin',
    'arcsin_': 'asin_',
    'arcsinh': 'asinh',
    'arcsinh_': 'asinh_',
    'arctan': 'atan',
    'arctan2': 'atan2',
    'arctan2_': 'atan2_',
    'arctan_': 'atan_',
    'arctanh': 'atanh',
    'arctanh_': 'atanh_',
    'avg_pool1d': 'avg_pool1d',
    'batch_norm': 'torch_batch_norm',
    'binary_cross_entropy_with_logits': 'binary_cross_entropy_with_logits',
    'channel_shuffle': 'channel_shuffle',
    'cholesky': 'cholesky',
    'cholesky_inverse': 'cholesky_inverse',
    'cholesky_solve': 'cholesky_solve',
    'clip': 'clamp',
    'clip_': 'clamp_',
    'concat': 'cat',
    'constant_pad_nd': 'constant_pad_nd',
    'conv1d': 'conv1d',
    'conv2d': 'conv2d',
    'conv3d': 'conv3d',
    'conv_tbc': 'conv_tbc',
    'conv_transpose1d': 'conv_transpose1d',
    'conv_transpose2d': 'conv_transpose2d',
    'conv_transpose3d': 'conv_transpose3d',
    'convolution': 'convolution',
    'cosine_embedding_loss': 'cosine_embedding_loss',
    'ctc_loss': 'ctc_loss',
    'det': 'det',
    'digamma': 'digamma',
    'digamma_': 'digamma_',
    'divide': 'div',
    'divide_': 'div_',
    'dropout': 'dropout',
    'dropout_': 'dropout_',
    'embedding': 'embedding',
    'embedding_bag': 'embedding_bag',
    'embedding_renorm_': 'embedding_renorm_',
    'erf': 'erf',
    'erf_': 'erf_',
    'erfc': 'erfc',
    'erfc_': 'erfc_',
    'erfinv': 'erfinv',
    'erfinv_': 'erfinv_',
    'feature_alpha_dropout': 'feature_alpha_dropout',
    'feature_alpha_dropout_': 'feature_alpha_dropout_',
    'feature_dropout': 'feature_dropout',
    'feature_dropout_': 'feature_dropout_',
    'fix': 'trunc',
    'fix_': 'trunc_',
    'geqrf': 'geqrf',
    'ger': 'outer',
    'greater': 'gt',
    'greater_': 'gt_',
    'greater_equal': 'ge',
    'greater_equal_': 'ge_',
    'grid_sampler': 'grid_sampler',
    'grid_sampler_2d': 'grid_sampler_2d',
    'grid_sampler_3d': 'grid_sampler_3d',
    'group_norm': 'group_norm',
    'gru': 'gru',
    'gru_cell': 'gru_cell',
    'hinge_embedding_loss': 'hinge_embedding_loss',
    'i0': 'i0',
    'i0_': 'i0_',
    'igamma': 'igamma',
    'igamma_': 'igamma_',
    'igammac': 'igammac',
    'igammac_': 'igammac_',
    'instance_norm': 'torch_instance_norm',
    'inverse': 'inverse',
    'istft': 'istft',
    'kl_div': 'kl_div',
    'layer_norm': 'layer_norm',
    'less': 'lt',
    'less_': 'lt_',
    'less_equal': 'le',
    'less_equal_': 'le_',
    'lgamma': 'lgamma',
    'lgamma_': 'lgamma_',
    'lobpcg': 'lobpcg',
    'logdet': 'logdet',
    'lstm': 'lstm',
    'lstm_cell': 'lstm_cell',
    'lu': 'lu',
    'lu_solve': 'lu_solve',
    'lu_unpack': 'lu_unpack',
    'margin_ranking_loss': 'margin_ranking_loss',
    'matrix_exp': 'matrix_exp',
    'matrix_power': 'matrix_power',
    'max_pool1d': 'max_pool1d',
    'max_pool1d_with_indices': 'max_pool1d_with_indices',
    'max_pool2d': 'max_pool2d',
    'max_pool3d': 'max_pool3d',
    'moveaxis': 'movedim',
    'multiply': 'mul',
    'multiply_': 'mul_',
    'mvlgamma': 'mvlgamma',
    'mvlgamma_': 'mvlgamma_',
    'native_batch_norm': 'native_batch_norm',
    'native_channel_shuffle': 'native_channel_shuffle',
    'native_group_norm': 'native_group_norm',
    'native_layer_norm': 'native_layer_norm',
    'negative': 'neg',
    'negative_': 'neg_',
    'not_equal': 'ne',
    'not_equal_': 'ne_',
    'orgqr': 'orgqr',
    'ormqr': 'ormqr',
    'pca_lowrank': 'pca_lowrank',
    'pinverse': 'pinverse',
    'pixel_shuffle': 'pixel_shuffle',
    'pixel_unshuffle': 'pixel_unshuffle',
    'poisson_nll_loss': 'poisson_nll_loss',
    'polygamma': 'polygamma',
    'qr': 'qr',
    'rms_norm': 'rms_norm',
    'rnn_relu': 'rnn_relu',
    'rnn_relu_cell': 'rnn_relu_cell',
    'rnn_tanh': 'rnn_tanh',
    'rnn_tanh_cell': 'rnn_tanh_cell',
    'row_stack': 'vstack',
    'slogdet': 'slogdet',
    'stft': 'stft',
    'subtract': 'sub',
    'subtract_': 'sub_',
    'svd': 'svd',
    'svd_lowrank': 'svd_lowrank',
    'swapdims': 'transpose',
    'swapdims_': 'transpose_',
    'trapz': 'trapezoid',
    'triangular_solve': 'triangular_solve',
    'vander': 'vander',
}

__all__ = ['_neg_view', 'abs', 'abs_', 'acos', 'acos_', 'acosh', 'acosh_', 'add', 'add_', 'addbmm', 'addbmm_', 'addcdiv', 'addcdiv_', 'addcmul', 'addcmul_', 'addmm', 'addmm_', 'addmv', 'addmv_', 'addr', 'addr_', 'adjoint', 'alias_copy', 'all', 'allclose', 'amax', 'amin', 'aminmax', 'angle', 'any', 'argmax', 'argmin', 'argsort', 'argwhere', 'as_strided', 'as_strided_', 'as_strided_copy', 'as_strided_scatter', 'asin', 'asin_', 'asinh', 'asinh_', 'atan', 'atan2', 'atan2_', 'atan_', 'atanh', 'atanh_', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'baddbmm', 'baddbmm_', 'bilinear', 'bincount', 'bitwise_and', 'bitwise_and_', 'bitwise_left_shift', 'bitwise_left_shift_', 'bitwise_not', 'bitwise_not_', 'bitwise_or', 'bitwise_or_', 'bitwise_right_shift', 'bitwise_right_shift_', 'bitwise_xor', 'bitwise_xor_', 'block_diag', 'bmm', 'broadcast_shapes', 'broadcast_tensors', 'broadcast_to', 'bucketize', 'cartesian_prod', 'cat', 'cdist', 'ceil', 'ceil_', 'celu', 'celu_', 'chain_matmul', 'chunk', 'clamp', 'clamp_', 'clamp_max', 'clamp_max_', 'clamp_min', 'clamp_min_', 'clone', 'column_stack', 'combinations', 'complex', 'concatenate', 'conj', 'conj_physical', 'conj_physical_', 'copysign', 'copysign_', 'corrcoef', 'cos', 'cos_', 'cosh', 'cosh_', 'cosine_similarity', 'count_nonzero', 'cov', 'cross', 'cummax', 'cummin', 'cumprod', 'cumprod_', 'cumsum', 'cumsum_', 'cumulative_trapezoid', 'deg2rad', 'deg2rad_', 'detach_copy', 'diag', 'diag_embed', 'diagflat', 'diagonal', 'diagonal_copy', 'diagonal_scatter', 'diff', 'dist', 'div', 'div_', 'dot', 'dsplit', 'dstack', 'einsum', 'eq', 'eq_', 'equal', 'exp', 'exp2', 'exp2_', 'exp_', 'expand_copy', 'expm1', 'expm1_', 'fill', 'fill_', 'flatten', 'flip', 'fliplr', 'flipud', 'float_power', 'floor', 'floor_', 'floor_divide', 'floor_divide_', 'fmax', 'fmin', 'fmod', 'fmod_', 'frac', 'frac_', 'frexp', 'gather', 'gcd', 'gcd_', 'ge', 'ge_', 'gradient', 'gt', 'gt_', 'hardshrink', 'hash_tensor', 'heaviside', 'heaviside_', 'histc', 'histogram', 'histogramdd', 'hsplit', 'hstack', 'hypot', 'hypot_', 'imag', 'index_add', 'index_add_', 'index_copy', 'index_copy_', 'index_fill', 'index_fill_', 'index_put', 'index_put_', 'index_reduce', 'index_reduce_', 'index_select', 'inner', 'isclose', 'isfinite', 'isin', 'isinf', 'isnan', 'isneginf', 'isposinf', 'isreal', 'kron', 'kthvalue', 'lcm', 'lcm_', 'ldexp', 'ldexp_', 'le', 'le_', 'lerp', 'lerp_', 'log', 'log10', 'log10_', 'log1p', 'log1p_', 'log2', 'log2_', 'log_', 'log_softmax', 'logaddexp', 'logaddexp2', 'logcumsumexp', 'logical_and', 'logical_and_', 'logical_not', 'logical_not_', 'logical_or', 'logical_or_', 'logical_xor', 'logical_xor_', 'logit', 'logit_', 'logsumexp', 'lt', 'lt_', 'masked_fill', 'masked_fill_', 'masked_scatter', 'masked_scatter_', 'masked_select', 'matmul', 'max', 'maximum', 'mean', 'median', 'meshgrid', 'min', 'minimum', 'mm', 'mode', 'movedim', 'msort', 'mul', 'mul_', 'mv', 'nan_to_num', 'nan_to_num_', 'nanmean', 'nanmedian', 'nanquantile', 'nansum', 'narrow', 'narrow_copy', 'ne', 'ne_', 'neg', 'neg_', 'nextafter', 'nextafter_', 'nonzero', 'nonzero_static', 'norm', 'norm_except_dim', 'outer', 'pairwise_distance', 'pdist', 'permute', 'permute_copy', 'polar', 'positive', 'pow', 'pow_', 'prelu', 'prod', 'put', 'put_', 'quantile', 'rad2deg', 'rad2deg_', 'ravel', 'real', 'reciprocal', 'reciprocal_', 'relu', 'relu_', 'remainder', 'remainder_', 'renorm', 'renorm_', 'repeat_interleave', 'reshape', 'resolve_conj', 'resolve_neg', 'roll', 'rot90', 'round', 'round_', 'rrelu', 'rrelu_', 'rsqrt', 'rsqrt_', 'rsub', 'scatter', 'scatter_', 'scatter_add', 'scatter_add_', 'scatter_reduce', 'scatter_reduce_', 'searchsorted', 'select', 'select_copy', 'select_scatter', 'selu', 'selu_', 'sgn', 'sgn_', 'sigmoid', 'sigmoid_', 'sign', 'sign_', 'signbit', 'sin', 'sin_', 'sinc', 'sinc_', 'sinh', 'sinh_', 'slice_copy', 'slice_scatter', 'softmax', 'sort', 'split', 'split_copy', 'split_with_sizes', 'split_with_sizes_copy', 'sqrt', 'sqrt_', 'square', 'square_', 'squeeze', 'squeeze_', 'squeeze_copy', 'stack', 'std', 'std_mean', 'sub', 'sub_', 'sum', 'swapaxes', 'swapaxes_', 't', 't_', 't_copy', 'take', 'take_along_dim', 'tan', 'tan_', 'tanh', 'tanh_', 'tensor_split', 'tensordot', 'threshold', 'threshold_', 'tile', 'topk', 'trace', 'transpose', 'transpose_', 'transpose_copy', 'trapezoid', 'tril', 'tril_', 'tril_indices', 'triu', 'triu_', 'triu_indices', 'true_divide', 'true_divide_', 'trunc', 'trunc_', 'unbind', 'unbind_copy', 'unflatten', 'unfold_copy', 'unique', 'unique_consecutive', 'unravel_index', 'unsafe_chunk', 'unsafe_split', 'unsafe_split_with_sizes', 'unsqueeze', 'unsqueeze_', 'unsqueeze_copy', 'var', 'var_mean', 'vdot', 'view_as_complex', 'view_as_complex_copy', 'view_as_real', 'view_as_real_copy', 'view_copy', 'vsplit', 'vstack', 'where', 'xlogy', 'xlogy_', 'zero_']
