"""The array language over NumPy. Names are the array API's; functions of several lines live in the files beside it.

`np` functions dispatch on the type of their arguments, so this file also serves the simulated device, whose arrays are
a subclass of NumPy's.
"""

from __future__ import annotations

import importlib
from operator import add as plus  # of scalars, which NumPy gives for 0-d arrays, ten times as quick as its own

import numpy as np
from numpy import (
    abs,
    acos,
    acosh,
    add,
    arange,
    argsort,
    ascontiguousarray,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    broadcast_to,
    ceil,
    concatenate,
    conj,
    copy,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    exp2,
    expand_dims,
    expm1,
    eye,
    floor,
    fmax,
    fmin,
    frexp,
    full_like,
    gcd,
    greater,
    greater_equal,
    hypot,
    invert,
    isfinite,
    isinf,
    isnan,
    lcm,
    left_shift,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp2,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    matmul,
    maximum,
    minimum,
    moveaxis,
    multiply,
    negative,
    nextafter,
    not_equal,
    ones_like,
    put_along_axis,
    reshape,
    right_shift,
    signbit,
    sin,
    sinc,
    sinh,
    split,
    sqrt,
    squeeze,
    stack,
    subtract,
    take_along_axis,
    tan,
    tanh,
    transpose,
    trunc,
    where,
    zeros_like,
)

from rushlight.arrays.concat import (
    along_diagonal,
    block_diagonal,
    cat,
    check_matrices,
    diagonal_matrices,
    flipped,
    overwritten,
    rolled,
    stack_along,
    tiled,
    tril,
    triu,
    turned,
)
from rushlight.arrays.elementwise import (
    add_multiple,
    angle,
    clip,
    clip_to_numbers,
    cross,
    element,
    elu,
    factor_for,
    fitting,
    floor_divide,
    fmod,
    from_parts,
    heaviside,
    isclose,
    largest_in,
    ldexp,
    leaky_relu,
    lerp,
    limit,
    log1p_of_complex,
    log_sigmoid,
    logaddexp,
    logit,
    nan_to_num,
    narrowed,
    polar,
    power,
    remainder,
    round_to,
    sigmoid,
    sign,
    softplus,
    subtract_multiple,
    truncated_divide,
    xlogy,
)
from rushlight.arrays.index_checks import (
    check_copied,
    check_filled,
    check_gather,
    check_index,
    check_reducible,
    check_scatter,
    check_vector,
)
from rushlight.arrays.index_put import (
    index_reduce,
    index_write,
    masked_scatter,
    masked_source,
    placed_at,
    put_flat,
    put_indices,
    scatter_value,
)
from rushlight.arrays.indexing import (
    check_range,
    index_select,
    indexed,
    masked_select,
    nonzero,
    scalar_name,
    search,
    take,
)
from rushlight.arrays.reduce import (
    add_up,
    is_between,
    log_softmax,
    logsumexp,
    mean,
    product,
    softmax,
    spread,
    total,
    total_of_any,
    total_of_numbers,
    vector_norm,
    xor_of_bits,
)
from rushlight.arrays.scan import recurrence, running_extreme, running_logsumexp, running_product, running_sum, shifted
from rushlight.arrays.scatter import embedding_gradient, gather, index_add, scatter
from rushlight.arrays.sort import (
    argmax,
    argmin,
    different,
    extreme,
    isin,
    median,
    median_of_all,
    mode,
    order,
    ranked,
    sort,
    top,
    unique,
    unique_runs,
)
from rushlight.arrays.strided import (
    add_windows,
    as_complex,
    as_real,
    diagonal,
    drop_dims,
    expand,
    locations,
    new_dim,
    part_of_zeros,
    permute,
    regather,
    select,
    sliced,
    split_evenly,
    split_with_sizes,
    strided,
    swapaxes,
    t,
    unbind,
    view,
    view_dtype,
    windows,
    write_places,
)
from rushlight.core.dtype import BOOL, BY_NUMPY
from rushlight.core.formats import in_format

# Kernels that few programs need, by file: imported when one of them is first asked for.
LATER = {
    "ctc": ("alignment_gradient", "alignment_loss"),
    "attention": ("attention", "attention_gradients"),
    "unfold": ("blocks_as_columns", "columns_as_blocks"),
    "convolution": ("convolve", "convolve_input", "convolve_weight"),
    "counting": ("bincount", "even_counts", "even_edges", "histogram"),
    "distances": ("above_diagonal", "distance_backward", "distances", "filled_above_diagonal"),
    "fractional": ("fractional_max_pool",),
    "grouped_mm": ("grouped_product",),
    "fourier": ("fourier", "fourier_from_half", "fourier_half", "scaled_pairs"),
    "lapack": (
        "cholesky",
        "cholesky_inverse",
        "geqrf",
        "householder_product",
        "lu",
        "ormqr",
        "permutations",
        "qr",
    ),
    "ldl": ("ldl", "ldl_solve"),
    "nll": (
        "margin_losses",
        "margin_backward",
        "multilabel_margin_losses",
        "negative_log_likelihood",
        "smoothed_likelihood",
        "spread_over_classes",
        "spread_smoothly",
    ),
    "layouts": ("by_channel", "in_planes", "laid_out_as", "of_channels", "regrouped"),
    "embedding": ("bag_factors", "bag_of_each", "bag_sums", "bag_winners", "embedding_again", "ones_at", "rows_of"),
    "matrix_functions": ("matrix_exponential", "pseudo_inverse", "rank"),
    "normalization": (
        "batch_normalized",
        "batch_normalized_gradients",
        "fixed_normalized",
        "fixed_normalized_gradients",
        "group_normalized",
        "group_normalized_gradients",
        "channel_sum",
        "layer_normalized",
        "layer_normalized_gradients",
        "moments",
        "normalized",
        "normalized_gradient",
        "weight_gradient",
    ),
    "padding": ("constant_pad", "own_pad", "own_pad_input"),
    "pooling": (
        "adaptive_avg_pool",
        "adaptive_avg_pool_input",
        "adaptive_max_pool",
        "avg_pool",
        "avg_pool_input",
        "max_pool",
        "max_pool_input",
        "max_pool_values",
        "take_pooled",
    ),
    "quantile_backward": ("dirichlet_grad", "gamma_grad"),
    "recurrent": ("gru", "gru_backward", "lstm", "lstm_backward", "rnn", "rnn_backward"),
    "resampling": ("resampled", "resampled_bytes", "resampled_input"),
    "sampling": ("affine_points", "grid_sampled", "grid_spread"),
    "polynomials": ("chebyshev", "hermite_h", "hermite_he", "laguerre", "legendre", "shifted_chebyshev"),
    "solving": (
        "cofactor_changes",
        "cofactors",
        "determinant",
        "inverse",
        "least_squares",
        "log_determinant",
        "solve",
        "solve_triangular",
    ),
    "special": (
        "airy_ai",
        "digamma",
        "entr",
        "erf",
        "erfc",
        "erfcx",
        "erfinv",
        "gammainc",
        "gammaincc",
        "i0",
        "i0e",
        "i1",
        "i1e",
        "j0",
        "j1",
        "k0",
        "k0e",
        "k1",
        "k1e",
        "lgamma",
        "log_ndtr",
        "multigamma",
        "ndtri",
        "normal_distribution",
        "polygamma",
        "gelu_derivative",
        "spherical_bessel_j0",
        "xlog1py",
        "y0",
        "y1",
        "zeta",
    ),
    "gemm_half": ("half_product",),
    "integer_matmul": ("whole_product",),
    "spectra": ("eig", "eigh", "eigvals", "eigvalsh", "lobpcg", "svd", "svdvals"),
}
FILES = {name: file for file, names in LATER.items() for name in names}

sum = np.add.reduce
amin = np.minimum.reduce
amax = np.maximum.reduce
any = np.logical_or.reduce
all = np.logical_and.reduce


def astype(array, dtype):
    """The array in another dtype, itself if it has it already; complex numbers lose their imaginary part silently."""
    if array.dtype == dtype:
        return array
    kind = BY_NUMPY[np.dtype(dtype)]
    if array.dtype.kind in "cW" and not kind.is_complex and kind.category != BOOL:  # complex32 is of kind W
        array = array.real if array.dtype.kind == "c" else array.astype(np.complex64).real
    if 0 in array.strides:
        array = in_format(array, None)
    return narrowed(array, kind.numpy)


def dot(input, other):
    """The product of two vectors, or of a matrix and either: for these the method is quicker than the function."""
    return input.dot(other) if type(input) is np.ndarray else np.matmul(input, other)


def __getattr__(name: str):
    if name not in FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"rushlight.arrays.{FILES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *FILES})
