"""The array language over NumPy: the initial contents of the table `xp`.

Names follow the array API; longer functions are in the other files of this folder. `np` functions dispatch on the type
of their arguments, so this file also serves the simulated device, whose arrays are a subclass of NumPy's.
"""

from __future__ import annotations

from operator import add as plus  # for scalars, which NumPy returns for 0-d arrays: ten times as fast as NumPy's

import numpy as np

from rushlight.arrays import concat, elementwise, indexing, reduce, strided
from rushlight.arrays.elementwise import narrowed
from rushlight.core.dtype import BOOL, BY_NUMPY
from rushlight.core.formats import in_format
from rushlight.core.tables import enter, enter_later, primitive, xp

# NumPy's functions that have a name of the array language, and the reductions of its ufuncs.
NUMPY = (
    "abs acos acosh add arange argsort ascontiguousarray asin asinh atan atan2 atanh bitwise_and bitwise_or "
    "bitwise_xor broadcast_to ceil concatenate conj copy copysign cos cosh divide equal exp exp2 expand_dims expm1 "
    "eye floor fmax fmin frexp full_like gcd greater greater_equal hypot invert isfinite isinf isnan lcm left_shift "
    "less less_equal log log1p log2 log10 logaddexp2 logical_and logical_not logical_or logical_xor matmul maximum "
    "minimum moveaxis multiply negative nextafter not_equal ones_like put_along_axis reshape right_shift signbit "
    "sin sinc sinh split sqrt squeeze stack subtract take_along_axis tan tanh transpose trunc where zeros_like"
)
REDUCTIONS = {"sum": np.add, "amin": np.minimum, "amax": np.maximum, "any": np.logical_or, "all": np.logical_and}
# Functions of this package, by file.
NAMES = {
    concat: "along_diagonal block_diagonal cat check_matrices diagonal_matrices flipped overwritten rolled rotated "
    "stack_along tiled tril triu",
    elementwise: "add_into add_multiple angle clip clip_to_numbers cross element elu factor_for fitting floor_divide "
    "fmod from_parts heaviside isclose largest_in ldexp leaky_relu lerp limit log1p_of_complex log_sigmoid logaddexp "
    "logit nan_to_num narrowed polar power remainder round_to sigmoid sign softplus subtract_multiple "
    "truncated_divide xlogy",
    indexing: "check_range index_select indexed masked_select nonzero scalar_name search take",
    reduce: "add_up is_between log_softmax logsumexp mean product softmax spread total total_of_any total_of_numbers "
    "vector_norm xor_of_bits",
    strided: "add_windows as_complex as_real diagonal drop_dims expand locations new_dim part_of_zeros permute "
    "regather select sliced split_evenly split_with_sizes strided swapaxes t unbind view view_dtype windows "
    "write_flat",
}
# Rarely used kernels, by file: imported on first use.
LATER = {
    "ctc": "alignment_gradient alignment_loss prefixes",
    "attention": "attention attention_gradients",
    "unfold": "blocks_as_columns columns_as_blocks",
    "convolution": "convolve convolve_input convolve_weight",
    "counting": "repeated bincount counts_between counts_in_grid even_counts even_edges histogram",
    "distances": "above_diagonal distance_backward distances filled_above_diagonal",
    "fractional": "fractional_max_pool",
    "grouped_mm": "grouped_product",
    "fourier": "fourier fourier_from_half fourier_half scaled_pairs",
    "inplace_scatter": "fill_where index_add_into index_copy_into index_fill_into index_put_into masked_scatter_into "
    "put_into scatter_add_into scatter_into scatter_reduce_into",
    "lapack": "cholesky cholesky_inverse geqrf householder_product lu ormqr permutations qr",
    "ldl": "ldl ldl_solve",
    "nll": "margin_losses margin_backward multilabel_margin_losses negative_log_likelihood placed smoothed_likelihood "
    "spread_over_classes spread_smoothly",
    "layouts": "by_channel in_planes laid_out_as of_channels regrouped",
    "embedding": "bag_factors bag_of_each bag_sums bag_winners embedding_again ones_at rows_of",
    "matrix_functions": "matrix_exponential pseudo_inverse rank",
    "normalization": "batch_normalized batch_normalized_gradients fixed_normalized fixed_normalized_gradients "
    "group_normalized group_normalized_gradients channel_sum layer_normalized layer_normalized_gradients moments "
    "normalized normalized_gradient weight_gradient",
    "padding": "constant_pad own_pad own_pad_input",
    "pooling": "adaptive_avg_pool adaptive_avg_pool_input adaptive_max_pool avg_pool avg_pool_input gather_windows "
    "max_pool max_pool_input max_pool_values spread_windows take_pooled",
    "quantile_backward": "dirichlet_grad gamma_grad",
    "recurrent": "gru gru_backward lstm lstm_backward rnn rnn_backward",
    "resampling": "resampled resampled_bytes resampled_input",
    "sampling": "affine_points grid_sampled grid_spread",
    "segments": "segments_reduced",
    "polynomials": "chebyshev hermite_h hermite_he laguerre legendre shifted_chebyshev",
    "solving": "cofactor_changes cofactors determinant inverse least_squares log_determinant solve solve_triangular",
    "special": "airy_ai digamma entr erf erfc erfcx erfinv gammainc gammaincc i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e lgamma "
    "log_ndtr multigamma ndtri normal_distribution polygamma gelu_derivative spherical_bessel_j0 xlog1py y0 y1 zeta",
    "index_checks": "check_copied check_filled check_gather check_index check_reducible check_scatter check_vector",
    "index_put": "index_reduce index_write masked_scatter masked_source placed_at put_flat put_indices scatter_value",
    "scan": "recurrence running_extreme running_logsumexp running_product running_sum shifted",
    "scatter": "add_scaled_rows embedding_gradient gather index_add scatter sum_of_rows with_rows_added",
    "sort": "argmax argmin different extreme isin median median_of_all mode order ranked sort top unique unique_runs",
    "gemm_half": "half_product",
    "integer_matmul": "integer_product",
    "sparse_products": "entry_products sparse_matmul",
    "spectra": "eig eigh eigvals eigvalsh lobpcg svd svdvals",
}


@primitive
def astype(array, dtype):
    """Converts an array to a dtype, unless it has it already; complex values silently lose the imaginary part."""
    if array.dtype == dtype:
        return array
    target = BY_NUMPY[np.dtype(dtype)]
    if array.dtype.kind in "cW" and not target.is_complex and target.category != BOOL:  # complex32 is of kind W
        array = array.real if array.dtype.kind == "c" else array.astype(np.complex64).real
    if 0 in array.strides:
        array = in_format(array, None)
    return narrowed(array, target.numpy)


@primitive
def dot(input, other):
    """The product of two vectors, or of a matrix and either; the method is faster than the function."""
    return input.dot(other) if type(input) is np.ndarray else np.matmul(input, other)


FUNCTIONS = {
    "plus": plus,
    **{name: getattr(np, name) for name in NUMPY.split()},
    **{name: ufunc.reduce for name, ufunc in REDUCTIONS.items()},
    **{name: getattr(module, name) for module, names in NAMES.items() for name in names.split()},
    "astype": astype,
    "dot": dot,
}
enter(xp, FUNCTIONS)
enter_later(xp, {name: f"rushlight.arrays.{file}" for file, names in LATER.items() for name in names.split()})
