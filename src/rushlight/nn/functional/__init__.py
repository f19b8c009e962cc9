"""`torch.nn.functional`: the operations of layers on tensors, with PyTorch's arguments and checks.

The mathematics is in the ops. This package handles arguments that choose between two ops (`inplace`, `return_indices`,
`size_average`), PyTorch's early checks, and functions that PyTorch composes in Python.
"""

# Functions that are the op itself.
from rushlight._generated.functions import (
    adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, avg_pool1d, avg_pool2d, avg_pool3d, bilinear, celu_,
    channel_shuffle, conv1d, conv2d, conv3d, conv_tbc, conv_transpose1d, conv_transpose2d, conv_transpose3d,
    cosine_similarity, elu_, fold, gelu, grouped_mm, hardshrink, hardtanh_, instance_norm, interpolate, leaky_relu_,
    linear, linear_cross_entropy, local_response_norm, logsigmoid, lp_pool1d, lp_pool2d, lp_pool3d, max_unpool1d,
    max_unpool2d, max_unpool3d, native_channel_shuffle, normalize, one_hot, pad, pairwise_distance, pdist,
    pixel_shuffle, pixel_unshuffle, prelu, relu_, rms_norm, rrelu_, scaled_dot_product_attention, selu_,
    softplus, softshrink, softsign, tanhshrink, threshold_, upsample, upsample_bilinear, upsample_nearest,
)  # fmt: skip
from rushlight._generated.functions import sliding_blocks as unfold

# Functions with a wrapper.
from rushlight.dispatch.torch_function import (  # for `torch.nn.functional.has_torch_function`, which packages import
    handle_torch_function as handle_torch_function,
)
from rushlight.dispatch.torch_function import has_torch_function as has_torch_function
from rushlight.dispatch.torch_function import has_torch_function_unary as has_torch_function_unary
from rushlight.dispatch.torch_function import has_torch_function_variadic as has_torch_function_variadic

from .activations import (
    celu, elu, glu, gumbel_softmax, hardsigmoid, hardswish, hardtanh, leaky_relu, log_softmax, mish, relu, relu6, rrelu,
    selu, sigmoid, silu, softmax, softmin, tanh, threshold,
)  # fmt: skip
from .attention import multi_head_attention_forward
from .dropouts import (
    alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout,
)  # fmt: skip
from .embeddings import embedding, embedding_bag
from .images import affine_grid, grid_sample
from .losses import (
    binary_cross_entropy, binary_cross_entropy_with_logits, cosine_embedding_loss, cross_entropy, ctc_loss,
    gaussian_nll_loss, hinge_embedding_loss, huber_loss, kl_div, l1_loss, margin_ranking_loss, mse_loss,
    multi_margin_loss, multilabel_margin_loss, multilabel_soft_margin_loss, nll_loss, poisson_nll_loss, smooth_l1_loss,
    soft_margin_loss, triplet_margin_loss, triplet_margin_with_distance_loss,
)  # fmt: skip
from .normalization import (
    batch_norm, group_norm, layer_norm,
)  # fmt: skip
from .pooling import (
    adaptive_max_pool1d, adaptive_max_pool1d_with_indices, adaptive_max_pool2d, adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d, adaptive_max_pool3d_with_indices, fractional_max_pool2d, fractional_max_pool2d_with_indices,
    fractional_max_pool3d, fractional_max_pool3d_with_indices, max_pool1d, max_pool1d_with_indices, max_pool2d,
    max_pool2d_with_indices, max_pool3d, max_pool3d_with_indices,
)  # fmt: skip
