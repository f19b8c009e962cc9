"""The dtypes to which autocast casts the arguments of operators, on the CPU and on a GPU: PyTorch's lists.

https://docs.pytorch.org/docs/stable/amp.html#autocast-op-reference. Operators in no list run in the dtypes
of their arguments. `cat` and `stack`, which PyTorch lists, promote by themselves.
"""

from __future__ import annotations

LOWER_PRECISION = frozenset((
    "addbmm", "addmm", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "linalg_vecdot", "linear", "matmul", "mm", "prelu",
    "scaled_dot_product_attention",
    # have kernels of their own in PyTorch, or call `linear`
    "lstm", "rnn_relu", "rnn_tanh",
    # called by `linear`, `addmm` and `matmul`
    "affine", "linear_of_rows", "product_with_vector",
))  # fmt: skip

FLOAT32 = frozenset((
    "adaptive_avg_pool3d", "adaptive_max_pool3d", "avg_pool3d", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cdist", "cholesky", "cholesky_inverse", "cholesky_solve",
    "cosine_embedding_loss", "cross_entropy", "ctc_loss", "fft_fft", "fft_fft2", "fft_fftn", "fft_hfft", "fft_ifft",
    "fft_ifft2", "fft_ifftn", "fft_ihfft", "fft_irfft", "fft_irfft2", "fft_irfftn", "fft_rfft", "fft_rfft2",
    "fft_rfftn", "fractional_max_pool2d", "fractional_max_pool3d", "geqrf", "grid_sampler", "grid_sampler_2d",
    "grid_sampler_3d", "hinge_embedding_loss", "huber_loss", "inverse", "kl_div", "l1_loss", "linalg_cholesky",
    "linalg_cholesky_ex", "linalg_cond", "linalg_eig", "linalg_eigh", "linalg_eigvals", "linalg_eigvalsh",
    "linalg_householder_product", "linalg_inv", "linalg_inv_ex", "linalg_lstsq", "linalg_matrix_rank", "linalg_qr",
    "linalg_solve", "linalg_svd", "linalg_svdvals", "linalg_tensorinv", "linalg_tensorsolve",
    "lu_solve", "margin_ranking_loss", "max_pool3d", "max_unpool2d", "max_unpool3d", "mse_loss", "multi_margin_loss",
    "multilabel_margin_loss", "nanquantile", "nll_loss", "orgqr", "ormqr", "pinverse", "poisson_nll_loss", "polar",
    "prod", "qr", "quantile", "reflection_pad", "replication_pad", "smooth_l1_loss", "soft_margin_loss", "stft", "svd",
    "trace", "triangular_solve", "view_as_complex",
    # calls `linear` in PyTorch
    "gru",
))  # fmt: skip

WIDEST = frozenset(("index_copy",))

# Not listed, but these call listed operators.
AS_GIVEN = frozenset(("bilinear",))

# The composites among them have casts of their own in the generated code.
LISTED = LOWER_PRECISION | FLOAT32 | WIDEST | AS_GIVEN

# On a GPU. What PyTorch lists and is a composite here (`einsum`, `norm`, `tensordot`) is cast by its parts.
LOWER_PRECISION_GPU = LOWER_PRECISION | {"addmv", "addr", "gru", "mv"}
FLOAT32_GPU = frozenset((
    "acos", "asin", "binary_cross_entropy_with_logits", "cdist", "cosh", "cosine_embedding_loss", "cross_entropy",
    "cumprod", "cumsum", "dist", "erfinv", "exp", "expm1", "group_norm", "hinge_embedding_loss", "huber_loss",
    "kl_div", "l1_loss", "layer_norm", "linalg_vector_norm", "log", "log10", "log1p", "log2", "log_softmax",
    "logsumexp", "margin_ranking_loss", "mse_loss", "multi_margin_loss", "multilabel_margin_loss",
    "native_group_normalization", "native_layer_normalization", "nll_loss", "norm_of_rows", "pdist",
    "poisson_nll_loss", "pow", "prod", "reciprocal", "renorm", "rsqrt", "sinh", "smooth_l1_loss", "soft_margin_loss",
    "softmax", "softplus", "sum", "tan", "triplet_margin_loss",
))  # fmt: skip
WIDEST_GPU = frozenset((
    "addcdiv", "addcmul", "atan2", "dot", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "linalg_cross",
    "put_indices", "scatter_add", "vdot",
))  # fmt: skip
REFUSED_GPU = frozenset(("binary_cross_entropy",))


class Lists:
    """The operators of one kind of device, by what becomes of their arguments."""

    def __init__(self, lower: frozenset[str], float32: frozenset[str], widest: frozenset[str]):
        self.lower, self.float32, self.widest = lower, float32, widest

    def __contains__(self, name: object) -> bool:
        return name in self.lower or name in self.float32 or name in self.widest


ON_CPU, ON_GPU = Lists(LOWER_PRECISION, FLOAT32, WIDEST), Lists(LOWER_PRECISION_GPU, FLOAT32_GPU, WIDEST_GPU)
CAST = LOWER_PRECISION | FLOAT32 | WIDEST | LOWER_PRECISION_GPU | FLOAT32_GPU | WIDEST_GPU | REFUSED_GPU

# Composites whose operators cast, so that the composites need not.
BY_PARTS = frozenset(("addmm", "linear", "matmul"))
