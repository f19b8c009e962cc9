"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident

import numpy as np

import rushlight._generated.raw as raw
import rushlight.arrays.cpu as xp
from rushlight.core.dtype import bool as bool_, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.clock import tick
from rushlight.core.graph import SEVERAL, Node, Output, Saving, show_saved
from rushlight.core.history import edge_of
from rushlight.core.maker import maker_of
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.noting import ENTRY, NOTING, NOWHERE, PROGRAM, frame_at, outside
from rushlight.core.ignoring import IGNORED, reset_errors, set_errors
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.size import Size
from rushlight.core.storage import InferenceStorage, new_storage
from rushlight.core.strides import pointwise
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.autocast import autocasted, uncast
from rushlight.dispatch.general import accepted, explain_arguments, general
from rushlight.dispatch.in_place_numbers import EASY
from rushlight.dispatch.inplace import write
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import into, written_to
from rushlight.declarations import library
from rushlight.declarations.declare import OPS
from rushlight.declarations.normalize import Statistics

import rushlight._generated.functions as F

library.load('layers')

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
INT64, BOOL, INT32 = int64.numpy, bool_.numpy, int32.numpy
UINT8, INT8, INT16 = uint8.numpy, int8.numpy, int16.numpy
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
ONE, ROWS = 1, SEQUENCES | {Size}
WHOLE, WHOLE_OR_NONE = frozenset((int,)), frozenset((int, type(None)))
ORDINARY = PLAIN_TYPES | SEQUENCES  # what is given in a row, and answers no calls
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_alignment_loss = xp.alignment_loss
xp_arange = xp.arange
xp_astype = xp.astype
xp_attention = xp.attention
xp_attention_slopes = xp.attention_slopes
xp_bag_factors = xp.bag_factors
xp_bag_of_each = xp.bag_of_each
xp_bag_sums = xp.bag_sums
xp_bag_winners = xp.bag_winners
xp_channel_sum = xp.channel_sum
xp_embedding_again = xp.embedding_again
xp_embedding_gradient = xp.embedding_gradient
xp_grid_spread = xp.grid_spread
xp_grouped_product = xp.grouped_product
xp_gru_slopes = xp.gru_slopes
xp_lstm_slopes = xp.lstm_slopes
xp_ones_at = xp.ones_at
xp_reshape = xp.reshape
xp_rnn_slopes = xp.rnn_slopes
xp_spread_over_classes = xp.spread_over_classes
xp_spread_smoothly = xp.spread_smoothly

OP__grouped_mm = OPS['_grouped_mm']
composite__grouped_mm = OP__grouped_mm.forward
OP_adaptive_avg_pool = OPS['adaptive_avg_pool']
forward_adaptive_avg_pool = OP_adaptive_avg_pool.forward
derivative_adaptive_avg_pool_input = OP_adaptive_avg_pool.derivatives['input']
OP_adaptive_avg_pool1d = OPS['adaptive_avg_pool1d']
composite_adaptive_avg_pool1d = OP_adaptive_avg_pool1d.forward
OP_adaptive_avg_pool2d = OPS['adaptive_avg_pool2d']
composite_adaptive_avg_pool2d = OP_adaptive_avg_pool2d.forward
OP_adaptive_avg_pool3d = OPS['adaptive_avg_pool3d']
composite_adaptive_avg_pool3d = OP_adaptive_avg_pool3d.forward
OP_adaptive_avg_spread = OPS['adaptive_avg_spread']
forward_adaptive_avg_spread = OP_adaptive_avg_spread.forward
OP_adaptive_max_pool = OPS['adaptive_max_pool']
forward_adaptive_max_pool = OP_adaptive_max_pool.forward
derivative_adaptive_max_pool_input = OP_adaptive_max_pool.derivatives['input']
OP_adaptive_max_pool1d = OPS['adaptive_max_pool1d']
composite_adaptive_max_pool1d = OP_adaptive_max_pool1d.forward
OP_adaptive_max_pool2d = OPS['adaptive_max_pool2d']
composite_adaptive_max_pool2d = OP_adaptive_max_pool2d.forward
OP_adaptive_max_pool3d = OPS['adaptive_max_pool3d']
composite_adaptive_max_pool3d = OP_adaptive_max_pool3d.forward
OP_affine_grid = OPS['affine_grid']
forward_affine_grid = OP_affine_grid.forward
OP_affine_grid_generator = OPS['affine_grid_generator']
composite_affine_grid_generator = OP_affine_grid_generator.forward
OP_affine_grid_transposed = OPS['affine_grid_transposed']
forward_affine_grid_transposed = OP_affine_grid_transposed.forward
OP_alignment = OPS['alignment']
OP_alignment_slopes = OPS['alignment_slopes']
forward_alignment_slopes = OP_alignment_slopes.forward
derivative_alignment_slopes_grad = OP_alignment_slopes.derivatives['grad']
derivative_alignment_slopes_log_probs = OP_alignment_slopes.derivatives['log_probs']
OP_alpha_dropout = OPS['alpha_dropout']
composite_alpha_dropout = OP_alpha_dropout.forward
OP_arange_of = OPS['arange_of']
OP_attention = OPS['attention']
common_attention = OP_attention.common
OP_attention_slopes = OPS['attention_slopes']
OP_avg_pool = OPS['avg_pool']
forward_avg_pool = OP_avg_pool.forward
OP_avg_pool1d = OPS['avg_pool1d']
composite_avg_pool1d = OP_avg_pool1d.forward
OP_avg_pool2d = OPS['avg_pool2d']
composite_avg_pool2d = OP_avg_pool2d.forward
OP_avg_pool3d = OPS['avg_pool3d']
composite_avg_pool3d = OP_avg_pool3d.forward
OP_avg_spread = OPS['avg_spread']
forward_avg_spread = OP_avg_spread.forward
OP_bag_factors = OPS['bag_factors']
OP_bag_of_each = OPS['bag_of_each']
OP_bag_sums = OPS['bag_sums']
derivative_bag_sums_weight = OP_bag_sums.derivatives['weight']
OP_bag_winners = OPS['bag_winners']
OP_bags_of_embeddings = OPS['bags_of_embeddings']
composite_bags_of_embeddings = OP_bags_of_embeddings.forward
OP_batch_norm = OPS['batch_norm']
composite_batch_norm = OP_batch_norm.forward
OP_batch_norm_slopes = OPS['batch_norm_slopes']
forward_batch_norm_slopes = OP_batch_norm_slopes.forward
OP_binary_cross_entropy = OPS['binary_cross_entropy']
composite_binary_cross_entropy = OP_binary_cross_entropy.forward
OP_binary_cross_entropy_with_logits = OPS['binary_cross_entropy_with_logits']
composite_binary_cross_entropy_with_logits = OP_binary_cross_entropy_with_logits.forward
OP_blocks_as_columns = OPS['blocks_as_columns']
forward_blocks_as_columns = OP_blocks_as_columns.forward
OP_channel_shuffle = OPS['channel_shuffle']
forward_channel_shuffle = OP_channel_shuffle.forward
OP_channel_sum = OPS['channel_sum']
OP_circular_pad = OPS['circular_pad']
forward_circular_pad = OP_circular_pad.forward
OP_columns_as_blocks = OPS['columns_as_blocks']
forward_columns_as_blocks = OP_columns_as_blocks.forward
OP_constant_pad_nd = OPS['constant_pad_nd']
forward_constant_pad_nd = OP_constant_pad_nd.forward
derivative_constant_pad_nd_input = OP_constant_pad_nd.derivatives['input']
OP_conv1d = OPS['conv1d']
composite_conv1d = OP_conv1d.forward
OP_conv2d = OPS['conv2d']
composite_conv2d = OP_conv2d.forward
OP_conv3d = OPS['conv3d']
composite_conv3d = OP_conv3d.forward
OP_conv_tbc = OPS['conv_tbc']
composite_conv_tbc = OP_conv_tbc.forward
OP_conv_transpose1d = OPS['conv_transpose1d']
composite_conv_transpose1d = OP_conv_transpose1d.forward
OP_conv_transpose2d = OPS['conv_transpose2d']
composite_conv_transpose2d = OP_conv_transpose2d.forward
OP_conv_transpose3d = OPS['conv_transpose3d']
composite_conv_transpose3d = OP_conv_transpose3d.forward
OP_convolution = OPS['convolution']
composite_convolution = OP_convolution.forward
OP_convolution_input = OPS['convolution_input']
forward_convolution_input = OP_convolution_input.forward
OP_convolution_weight = OPS['convolution_weight']
forward_convolution_weight = OP_convolution_weight.forward
OP_convolve = OPS['convolve']
forward_convolve = OP_convolve.forward
derivative_convolve_input = OP_convolve.derivatives['input']
derivative_convolve_weight = OP_convolve.derivatives['weight']
OP_cosine_embedding_loss = OPS['cosine_embedding_loss']
composite_cosine_embedding_loss = OP_cosine_embedding_loss.forward
OP_cross_entropy = OPS['cross_entropy']
composite_cross_entropy = OP_cross_entropy.forward
OP_cross_map_lrn = OPS['cross_map_lrn']
composite_cross_map_lrn = OP_cross_map_lrn.forward
OP_ctc_loss = OPS['ctc_loss']
composite_ctc_loss = OP_ctc_loss.forward
OP_drawn = OPS['drawn']
OP_dropout = OPS['dropout']
composite_dropout = OP_dropout.forward
OP_dropout_mask = OPS['dropout_mask']
forward_dropout_mask = OP_dropout_mask.forward
OP_embedding = OPS['embedding']
forward_embedding = OP_embedding.forward
OP_embedding_again = OPS['embedding_again']
OP_embedding_bag = OPS['embedding_bag']
composite_embedding_bag = OP_embedding_bag.forward
OP_embedding_gradient = OPS['embedding_gradient']
OP_embedding_renorm_ = OPS['embedding_renorm_']
composite_embedding_renorm_ = OP_embedding_renorm_.forward
OP_feature_alpha_dropout = OPS['feature_alpha_dropout']
composite_feature_alpha_dropout = OP_feature_alpha_dropout.forward
OP_feature_dropout = OPS['feature_dropout']
composite_feature_dropout = OP_feature_dropout.forward
OP_fold = OPS['fold']
composite_fold = OP_fold.forward
OP_fractional_max_pool2d = OPS['fractional_max_pool2d']
composite_fractional_max_pool2d = OP_fractional_max_pool2d.forward
OP_fractional_max_pool3d = OPS['fractional_max_pool3d']
composite_fractional_max_pool3d = OP_fractional_max_pool3d.forward
OP_fractional_pool = OPS['fractional_pool']
forward_fractional_pool = OP_fractional_pool.forward
OP_grid_sampled = OPS['grid_sampled']
forward_grid_sampled = OP_grid_sampled.forward
derivative_grid_sampled_grid = OP_grid_sampled.derivatives['grid']
OP_grid_sampler = OPS['grid_sampler']
composite_grid_sampler = OP_grid_sampler.forward
OP_grid_sampler_2d = OPS['grid_sampler_2d']
composite_grid_sampler_2d = OP_grid_sampler_2d.forward
OP_grid_sampler_3d = OPS['grid_sampler_3d']
composite_grid_sampler_3d = OP_grid_sampler_3d.forward
OP_grid_spread = OPS['grid_spread']
derivative_grid_spread_grid = OP_grid_spread.derivatives['grid']
OP_group_norm = OPS['group_norm']
composite_group_norm = OP_group_norm.forward
OP_group_norm_slopes = OPS['group_norm_slopes']
forward_group_norm_slopes = OP_group_norm_slopes.forward
OP_grouped_mm = OPS['grouped_mm']
composite_grouped_mm = OP_grouped_mm.forward
OP_grouped_product = OPS['grouped_product']
OP_gru = OPS['gru']
composite_gru = OP_gru.forward
OP_gru_cell = OPS['gru_cell']
composite_gru_cell = OP_gru_cell.forward
OP_gru_layer = OPS['gru_layer']
forward_gru_layer = OP_gru_layer.forward
common_gru_layer = OP_gru_layer.common
OP_gru_slopes = OPS['gru_slopes']
OP_hinge_embedding_loss = OPS['hinge_embedding_loss']
composite_hinge_embedding_loss = OP_hinge_embedding_loss.forward
OP_huber_loss = OPS['huber_loss']
forward_huber_loss = OP_huber_loss.forward
derivative_huber_loss_input = OP_huber_loss.derivatives['input']
derivative_huber_loss_target = OP_huber_loss.derivatives['target']
OP_improbability = OPS['improbability']
forward_improbability = OP_improbability.forward
OP_instance_norm = OPS['instance_norm']
composite_instance_norm = OP_instance_norm.forward
OP_interpolate = OPS['interpolate']
composite_interpolate = OP_interpolate.forward
OP_inverse_deviation = OPS['inverse_deviation']
derivative_inverse_deviation_input = OP_inverse_deviation.derivatives['input']
OP_kept_mask = OPS['kept_mask']
forward_kept_mask = OP_kept_mask.forward
OP_kl_div = OPS['kl_div']
composite_kl_div = OP_kl_div.forward
OP_l1_loss = OPS['l1_loss']
composite_l1_loss = OP_l1_loss.forward
OP_layer_norm = OPS['layer_norm']
composite_layer_norm = OP_layer_norm.forward
OP_layer_norm_slopes = OPS['layer_norm_slopes']
forward_layer_norm_slopes = OP_layer_norm_slopes.forward
OP_linear_cross_entropy = OPS['linear_cross_entropy']
composite_linear_cross_entropy = OP_linear_cross_entropy.forward
OP_local_response_norm = OPS['local_response_norm']
composite_local_response_norm = OP_local_response_norm.forward
OP_logistic_improbability = OPS['logistic_improbability']
kernel_logistic_improbability = raw.logistic_improbability
OP_logistic_loss = OPS['logistic_loss']
forward_logistic_loss = OP_logistic_loss.forward
derivative_logistic_loss_input = OP_logistic_loss.derivatives['input']
derivative_logistic_loss_target = OP_logistic_loss.derivatives['target']
OP_lp_pool1d = OPS['lp_pool1d']
composite_lp_pool1d = OP_lp_pool1d.forward
OP_lp_pool2d = OPS['lp_pool2d']
composite_lp_pool2d = OP_lp_pool2d.forward
OP_lp_pool3d = OPS['lp_pool3d']
composite_lp_pool3d = OP_lp_pool3d.forward
OP_lstm = OPS['lstm']
composite_lstm = OP_lstm.forward
OP_lstm_cell = OPS['lstm_cell']
composite_lstm_cell = OP_lstm_cell.forward
OP_lstm_layer = OPS['lstm_layer']
forward_lstm_layer = OP_lstm_layer.forward
common_lstm_layer = OP_lstm_layer.common
OP_lstm_slopes = OPS['lstm_slopes']
OP_margin_losses = OPS['margin_losses']
forward_margin_losses = OP_margin_losses.forward
derivative_margin_losses_input = OP_margin_losses.derivatives['input']
OP_margin_ranking_loss = OPS['margin_ranking_loss']
composite_margin_ranking_loss = OP_margin_ranking_loss.forward
OP_margin_slopes = OPS['margin_slopes']
forward_margin_slopes = OP_margin_slopes.forward
derivative_margin_slopes_input = OP_margin_slopes.derivatives['input']
OP_max_pool = OPS['max_pool']
forward_max_pool = OP_max_pool.forward
OP_max_pool1d = OPS['max_pool1d']
composite_max_pool1d = OP_max_pool1d.forward
OP_max_pool1d_with_indices = OPS['max_pool1d_with_indices']
composite_max_pool1d_with_indices = OP_max_pool1d_with_indices.forward
OP_max_pool2d = OPS['max_pool2d']
composite_max_pool2d = OP_max_pool2d.forward
OP_max_pool2d_with_indices = OPS['max_pool2d_with_indices']
composite_max_pool2d_with_indices = OP_max_pool2d_with_indices.forward
OP_max_pool3d = OPS['max_pool3d']
composite_max_pool3d = OP_max_pool3d.forward
OP_max_pool3d_with_indices = OPS['max_pool3d_with_indices']
composite_max_pool3d_with_indices = OP_max_pool3d_with_indices.forward
OP_max_pool_values = OPS['max_pool_values']
forward_max_pool_values = OP_max_pool_values.forward
derivative_max_pool_values_input = OP_max_pool_values.derivatives['input']
OP_max_unpool = OPS['max_unpool']
forward_max_unpool = OP_max_unpool.forward
OP_max_unpool1d = OPS['max_unpool1d']
composite_max_unpool1d = OP_max_unpool1d.forward
OP_max_unpool2d = OPS['max_unpool2d']
composite_max_unpool2d = OP_max_unpool2d.forward
OP_max_unpool3d = OPS['max_unpool3d']
composite_max_unpool3d = OP_max_unpool3d.forward
OP_mse_loss = OPS['mse_loss']
forward_mse_loss = OP_mse_loss.forward
derivative_mse_loss_input = OP_mse_loss.derivatives['input']
derivative_mse_loss_target = OP_mse_loss.derivatives['target']
OP_multi_margin_loss = OPS['multi_margin_loss']
composite_multi_margin_loss = OP_multi_margin_loss.forward
OP_multilabel_margin = OPS['multilabel_margin']
forward_multilabel_margin = OP_multilabel_margin.forward
derivative_multilabel_margin_input = OP_multilabel_margin.derivatives['input']
OP_multilabel_margin_loss = OPS['multilabel_margin_loss']
composite_multilabel_margin_loss = OP_multilabel_margin_loss.forward
OP_multilabel_slopes = OPS['multilabel_slopes']
forward_multilabel_slopes = OP_multilabel_slopes.forward
OP_native_batch_norm = OPS['native_batch_norm']
composite_native_batch_norm = OP_native_batch_norm.forward
OP_native_batch_normalization = OPS['native_batch_normalization']
forward_native_batch_normalization = OP_native_batch_normalization.forward
common_native_batch_normalization = OP_native_batch_normalization.common
derivative_native_batch_normalization_input = OP_native_batch_normalization.derivatives['input']
derivative_native_batch_normalization_weight = OP_native_batch_normalization.derivatives['weight']
OP_native_channel_shuffle = OPS['native_channel_shuffle']
composite_native_channel_shuffle = OP_native_channel_shuffle.forward
OP_native_group_norm = OPS['native_group_norm']
composite_native_group_norm = OP_native_group_norm.forward
OP_native_group_normalization = OPS['native_group_normalization']
forward_native_group_normalization = OP_native_group_normalization.forward
common_native_group_normalization = OP_native_group_normalization.common
derivative_native_group_normalization_input = OP_native_group_normalization.derivatives['input']
derivative_native_group_normalization_weight = OP_native_group_normalization.derivatives['weight']
OP_native_layer_norm = OPS['native_layer_norm']
composite_native_layer_norm = OP_native_layer_norm.forward
OP_native_layer_normalization = OPS['native_layer_normalization']
forward_native_layer_normalization = OP_native_layer_normalization.forward
common_native_layer_normalization = OP_native_layer_normalization.common
derivative_native_layer_normalization_input = OP_native_layer_normalization.derivatives['input']
derivative_native_layer_normalization_weight = OP_native_layer_normalization.derivatives['weight']
OP_negative_log_likelihood = OPS['negative_log_likelihood']
forward_negative_log_likelihood = OP_negative_log_likelihood.forward
OP_nll_loss = OPS['nll_loss']
composite_nll_loss = OP_nll_loss.forward
OP_normalized = OPS['normalized']
forward_normalized = OP_normalized.forward
OP_normalized_gradient = OPS['normalized_gradient']
forward_normalized_gradient = OP_normalized_gradient.forward
derivative_normalized_gradient_input = OP_normalized_gradient.derivatives['input']
OP_normalized_weight = OPS['normalized_weight']
forward_normalized_weight = OP_normalized_weight.forward
derivative_normalized_weight_grad = OP_normalized_weight.derivatives['grad']
derivative_normalized_weight_input = OP_normalized_weight.derivatives['input']
OP_one_hot = OPS['one_hot']
composite_one_hot = OP_one_hot.forward
OP_ones_at = OPS['ones_at']
OP_pad = OPS['pad']
composite_pad = OP_pad.forward
OP_padding_transposed = OPS['padding_transposed']
forward_padding_transposed = OP_padding_transposed.forward
derivative_padding_transposed_grad = OP_padding_transposed.derivatives['grad']
OP_pixel_shuffle = OPS['pixel_shuffle']
forward_pixel_shuffle = OP_pixel_shuffle.forward
OP_pixel_unshuffle = OPS['pixel_unshuffle']
forward_pixel_unshuffle = OP_pixel_unshuffle.forward
OP_poisson_nll_loss = OPS['poisson_nll_loss']
composite_poisson_nll_loss = OP_poisson_nll_loss.forward
OP_put_pooled = OPS['put_pooled']
forward_put_pooled = OP_put_pooled.forward
OP_reflection_pad = OPS['reflection_pad']
forward_reflection_pad = OP_reflection_pad.forward
OP_replication_pad = OPS['replication_pad']
forward_replication_pad = OP_replication_pad.forward
OP_resample = OPS['resample']
forward_resample = OP_resample.forward
OP_resample_transposed = OPS['resample_transposed']
forward_resample_transposed = OP_resample_transposed.forward
OP_rms_norm = OPS['rms_norm']
composite_rms_norm = OP_rms_norm.forward
OP_rnn_layer = OPS['rnn_layer']
forward_rnn_layer = OP_rnn_layer.forward
common_rnn_layer = OP_rnn_layer.common
OP_rnn_relu = OPS['rnn_relu']
composite_rnn_relu = OP_rnn_relu.forward
OP_rnn_relu_cell = OPS['rnn_relu_cell']
composite_rnn_relu_cell = OP_rnn_relu_cell.forward
OP_rnn_slopes = OPS['rnn_slopes']
OP_rnn_tanh = OPS['rnn_tanh']
composite_rnn_tanh = OP_rnn_tanh.forward
OP_rnn_tanh_cell = OPS['rnn_tanh_cell']
composite_rnn_tanh_cell = OP_rnn_tanh_cell.forward
OP_rounded_off = OPS['rounded_off']
forward_rounded_off = OP_rounded_off.forward
OP_safe_softmax = OPS['safe_softmax']
forward_safe_softmax = OP_safe_softmax.forward
derivative_safe_softmax_input = OP_safe_softmax.derivatives['input']
OP_scaled_dot_product_attention = OPS['scaled_dot_product_attention']
composite_scaled_dot_product_attention = OP_scaled_dot_product_attention.forward
OP_sliding_blocks = OPS['sliding_blocks']
composite_sliding_blocks = OP_sliding_blocks.forward
OP_slope_of_improbability = OPS['slope_of_improbability']
composite_slope_of_improbability = OP_slope_of_improbability.forward
OP_slope_of_logistic = OPS['slope_of_logistic']
composite_slope_of_logistic = OP_slope_of_logistic.forward
OP_slope_of_margin = OPS['slope_of_margin']
composite_slope_of_margin = OP_slope_of_margin.forward
OP_slope_of_rounded = OPS['slope_of_rounded']
composite_slope_of_rounded = OP_slope_of_rounded.forward
OP_slope_of_square = OPS['slope_of_square']
composite_slope_of_square = OP_slope_of_square.forward
OP_smooth_absolute = OPS['smooth_absolute']
forward_smooth_absolute = OP_smooth_absolute.forward
derivative_smooth_absolute_input = OP_smooth_absolute.derivatives['input']
derivative_smooth_absolute_target = OP_smooth_absolute.derivatives['target']
OP_smooth_l1_loss = OPS['smooth_l1_loss']
composite_smooth_l1_loss = OP_smooth_l1_loss.forward
OP_smoothed_likelihood = OPS['smoothed_likelihood']
forward_smoothed_likelihood = OP_smoothed_likelihood.forward
OP_soft_margin = OPS['soft_margin']
forward_soft_margin = OP_soft_margin.forward
derivative_soft_margin_input = OP_soft_margin.derivatives['input']
OP_soft_margin_loss = OPS['soft_margin_loss']
composite_soft_margin_loss = OP_soft_margin_loss.forward
OP_softened_margin = OPS['softened_margin']
kernel_softened_margin = raw.softened_margin
OP_spread_over_classes = OPS['spread_over_classes']
OP_spread_smoothly = OPS['spread_smoothly']
OP_squared_difference = OPS['squared_difference']
forward_squared_difference = OP_squared_difference.forward
OP_take_pooled = OPS['take_pooled']
forward_take_pooled = OP_take_pooled.forward
OP_torch_batch_norm = OPS['torch_batch_norm']
composite_torch_batch_norm = OP_torch_batch_norm.forward
OP_torch_instance_norm = OPS['torch_instance_norm']
composite_torch_instance_norm = OP_torch_instance_norm.forward
OP_upsample = OPS['upsample']
composite_upsample = OP_upsample.forward
OP_upsample_bilinear = OPS['upsample_bilinear']
composite_upsample_bilinear = OP_upsample_bilinear.forward
OP_upsample_nearest = OPS['upsample_nearest']
composite_upsample_nearest = OP_upsample_nearest.forward
OP_weighted_binary_cross_entropy = OPS['weighted_binary_cross_entropy']
forward_weighted_binary_cross_entropy = OP_weighted_binary_cross_entropy.forward
derivative_weighted_binary_cross_entropy_input = OP_weighted_binary_cross_entropy.derivatives['input']
derivative_weighted_binary_cross_entropy_target = OP_weighted_binary_cross_entropy.derivatives['target']


def _grouped_mm(input, mat2, offs=None, bias=None, out_dtype=None):
    """The operator behind `nn.functional.grouped_mm`, all of whose arguments may be given by position."""
    if type(input) not in PLAIN_TYPES or type(mat2) not in PLAIN_TYPES or offs is not None and (type(offs) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES):
        input, mat2, offs, bias, out_dtype = accepted(OP__grouped_mm, (input, mat2, offs, bias, out_dtype))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(mat2) not in PLAIN_TYPES and hasattr(mat2, '__torch_function__') or offs is not None and type(offs) not in PLAIN_TYPES and hasattr(offs, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP__grouped_mm, (input, mat2, offs, bias, out_dtype), dict())) is not ABSENT:
            return _taken
    try:
        return composite__grouped_mm(F, input, mat2, offs, bias, out_dtype)
    except Exception:
        explain_arguments(OP__grouped_mm, (input, mat2, offs, bias, out_dtype))
        raise


OP__grouped_mm.function = _grouped_mm


def adaptive_avg_pool_backward(F, node, saved, g, edges):
    input_shape, output_size = node.params
    return (derivative_adaptive_avg_pool_input(F, g, input_shape, output_size),)


class AdaptiveAvgPool2DBackward0(Node):
    op = OPS['adaptive_avg_pool']
    saves = ()
    parameters = ('input_shape', 'output_size')
    backward = staticmethod(adaptive_avg_pool_backward)
    backward_complex = staticmethod(adaptive_avg_pool_backward)


new_AdaptiveAvgPool2DBackward0 = maker_of(AdaptiveAvgPool2DBackward0)


class AdaptiveAvgPool3DBackward0(Node):
    op = OPS['adaptive_avg_pool']
    saves = ()
    parameters = ('input_shape', 'output_size')
    backward = staticmethod(adaptive_avg_pool_backward)
    backward_complex = staticmethod(adaptive_avg_pool_backward)


new_AdaptiveAvgPool3DBackward0 = maker_of(AdaptiveAvgPool3DBackward0)


OP_adaptive_avg_pool.nodes = (AdaptiveAvgPool2DBackward0, AdaptiveAvgPool3DBackward0)


OP_adaptive_avg_pool.select_node = lambda input, output_size: AdaptiveAvgPool2DBackward0 if len(output_size) == 2 else AdaptiveAvgPool3DBackward0


def adaptive_avg_pool(input, output_size):
    """The mean of each of `output_size` even boxes."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_adaptive_avg_pool(xp, input_array, output_size)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_AdaptiveAvgPool2DBackward0 if len(output_size) == 2 else new_AdaptiveAvgPool3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], output_size)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_adaptive_avg_pool, (input, output_size))


OP_adaptive_avg_pool.function = adaptive_avg_pool


def adaptive_avg_pool1d(input, output_size):
    """The mean of each of `output_size` windows of the last dimension."""
    if type(input) not in PLAIN_TYPES or not isinstance(output_size, (tuple, list)) and type(output_size) is not int or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF):
        input, output_size = accepted(OP_adaptive_avg_pool1d, (input, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_adaptive_avg_pool1d, (input, output_size), dict())) is not ABSENT:
            return _taken
    try:
        if type(output_size) in ROWS and not WHOLE.issuperset(map(type, output_size)):
            input, output_size = accepted(OP_adaptive_avg_pool1d, (input, output_size))
        return composite_adaptive_avg_pool1d(F, input, output_size)
    except Exception:
        explain_arguments(OP_adaptive_avg_pool1d, (input, output_size))
        raise


OP_adaptive_avg_pool1d.function = adaptive_avg_pool1d


def adaptive_avg_pool2d(input, output_size):
    """The mean of each of `output_size` windows of the last two dimensions."""
    if type(input) not in PLAIN_TYPES or not isinstance(output_size, (tuple, list)) and type(output_size) is not int and not isinstance(output_size, (tuple, list)) or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF):
        input, output_size = accepted(OP_adaptive_avg_pool2d, (input, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_adaptive_avg_pool2d, (input, output_size), dict())) is not ABSENT:
            return _taken
    try:
        if type(output_size) in ROWS and not WHOLE_OR_NONE.issuperset(map(type, output_size)):
            input, output_size = accepted(OP_adaptive_avg_pool2d, (input, output_size))
        return composite_adaptive_avg_pool2d(F, input, output_size)
    except Exception:
        explain_arguments(OP_adaptive_avg_pool2d, (input, output_size))
        raise


OP_adaptive_avg_pool2d.function = adaptive_avg_pool2d


def adaptive_avg_pool3d(input, output_size):
    """The mean of each of `output_size` windows of the last three dimensions."""
    if type(input) not in PLAIN_TYPES or not isinstance(output_size, (tuple, list)) and type(output_size) is not int and not isinstance(output_size, (tuple, list)) or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF):
        input, output_size = accepted(OP_adaptive_avg_pool3d, (input, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_adaptive_avg_pool3d, (input, output_size), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_adaptive_avg_pool3d, composite_adaptive_avg_pool3d, F, (input, output_size), dict())
    try:
        if type(output_size) in ROWS and not WHOLE_OR_NONE.issuperset(map(type, output_size)):
            input, output_size = accepted(OP_adaptive_avg_pool3d, (input, output_size))
        return composite_adaptive_avg_pool3d(F, input, output_size)
    except Exception:
        explain_arguments(OP_adaptive_avg_pool3d, (input, output_size))
        raise


OP_adaptive_avg_pool3d.function = adaptive_avg_pool3d


def adaptive_avg_spread_backward(F, node, saved, g, edges):
    output_size, = node.params
    return (F.adaptive_avg_pool(g, output_size),)


class AdaptiveAvgSpreadBackward0(Node):
    op = OPS['adaptive_avg_spread']
    saves = ()
    parameters = ('output_size',)
    backward = staticmethod(adaptive_avg_spread_backward)
    backward_complex = staticmethod(adaptive_avg_spread_backward)


new_AdaptiveAvgSpreadBackward0 = maker_of(AdaptiveAvgSpreadBackward0)


OP_adaptive_avg_spread.nodes = (AdaptiveAvgSpreadBackward0,)


OP_adaptive_avg_spread.select_node = lambda grad, shape, output_size: AdaptiveAvgSpreadBackward0


def adaptive_avg_spread(grad, shape, output_size):
    """The transpose of `adaptive_avg_pool`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES):
        grad_array = grad._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_adaptive_avg_spread(xp, grad_array, shape, output_size)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (grad_edge := grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)) is not None:
                    _node = new_AdaptiveAvgSpreadBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge,)
                    _node.saved = ()
                    _node.params = (output_size,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_adaptive_avg_spread, (grad, shape, output_size))


OP_adaptive_avg_spread.function = adaptive_avg_spread


def adaptive_max_pool_backward(F, node, saved, g, edges):
    indices, = saved
    input_shape, output_size = node.params
    return (derivative_adaptive_max_pool_input(F, g, indices, input_shape, output_size),)


class AdaptiveMaxPool2DBackward0(Saving):
    op = OPS['adaptive_max_pool']
    saves = ('indices',)
    parameters = ('input_shape', 'output_size')
    backward = staticmethod(adaptive_max_pool_backward)
    backward_complex = staticmethod(adaptive_max_pool_backward)


new_AdaptiveMaxPool2DBackward0 = maker_of(AdaptiveMaxPool2DBackward0)


class AdaptiveMaxPool3DBackward0(Saving):
    op = OPS['adaptive_max_pool']
    saves = ('indices',)
    parameters = ('input_shape', 'output_size')
    backward = staticmethod(adaptive_max_pool_backward)
    backward_complex = staticmethod(adaptive_max_pool_backward)


new_AdaptiveMaxPool3DBackward0 = maker_of(AdaptiveMaxPool3DBackward0)


OP_adaptive_max_pool.nodes = (AdaptiveMaxPool2DBackward0, AdaptiveMaxPool3DBackward0)


OP_adaptive_max_pool.select_node = lambda input, output_size: AdaptiveMaxPool2DBackward0 if len(output_size) == 2 else AdaptiveMaxPool3DBackward0


def adaptive_max_pool(input, output_size):
    """The largest element of each of `output_size` even boxes, and its position."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _out, _indices = forward_adaptive_max_pool(xp, input_array, output_size)
            except Exception:
                pass
            else:
                if type(_out) is not ndarray and isinstance(_out, np.generic):
                    _out = as_array(_out)
                _out_tensor = new_tensor(None)
                _out_tensor._array = _out
                _out_tensor._alike = None
                _out_tensor._base = None
                _out_tensor._generation = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _out_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_AdaptiveMaxPool2DBackward0 if len(output_size) == 2 else new_AdaptiveMaxPool3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], output_size)
                    _node.metas = None
                    _node.special = False
                    _out_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _out_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _out_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return (_out_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_adaptive_max_pool, (input, output_size))


OP_adaptive_max_pool.function = adaptive_max_pool


def adaptive_max_pool1d(input, output_size):
    """The largest element of each of `output_size` windows of the last dimension, and its position."""
    if type(input) not in PLAIN_TYPES or not isinstance(output_size, (tuple, list)) and type(output_size) is not int or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF):
        input, output_size = accepted(OP_adaptive_max_pool1d, (input, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_adaptive_max_pool1d, (input, output_size), dict())) is not ABSENT:
            return _taken
    try:
        if type(output_size) in ROWS and not WHOLE.issuperset(map(type, output_size)):
            input, output_size = accepted(OP_adaptive_max_pool1d, (input, output_size))
        return composite_adaptive_max_pool1d(F, input, output_size)
    except Exception:
        explain_arguments(OP_adaptive_max_pool1d, (input, output_size))
        raise


OP_adaptive_max_pool1d.function = adaptive_max_pool1d


def adaptive_max_pool2d(input, output_size):
    """The largest element of each of `output_size` windows of the last two dimensions, and its position."""
    if type(input) not in PLAIN_TYPES or not isinstance(output_size, (tuple, list)) and type(output_size) is not int and not isinstance(output_size, (tuple, list)) or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF):
        input, output_size = accepted(OP_adaptive_max_pool2d, (input, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_adaptive_max_pool2d, (input, output_size), dict())) is not ABSENT:
            return _taken
    try:
        if type(output_size) in ROWS and not WHOLE_OR_NONE.issuperset(map(type, output_size)):
            input, output_size = accepted(OP_adaptive_max_pool2d, (input, output_size))
        return composite_adaptive_max_pool2d(F, input, output_size)
    except Exception:
        explain_arguments(OP_adaptive_max_pool2d, (input, output_size))
        raise


OP_adaptive_max_pool2d.function = adaptive_max_pool2d


def adaptive_max_pool3d(input, output_size):
    """The largest element of each of `output_size` windows of the last three dimensions, and its position."""
    if type(input) not in PLAIN_TYPES or not isinstance(output_size, (tuple, list)) and type(output_size) is not int and not isinstance(output_size, (tuple, list)) or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF):
        input, output_size = accepted(OP_adaptive_max_pool3d, (input, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_adaptive_max_pool3d, (input, output_size), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_adaptive_max_pool3d, composite_adaptive_max_pool3d, F, (input, output_size), dict())
    try:
        if type(output_size) in ROWS and not WHOLE_OR_NONE.issuperset(map(type, output_size)):
            input, output_size = accepted(OP_adaptive_max_pool3d, (input, output_size))
        return composite_adaptive_max_pool3d(F, input, output_size)
    except Exception:
        explain_arguments(OP_adaptive_max_pool3d, (input, output_size))
        raise


OP_adaptive_max_pool3d.function = adaptive_max_pool3d


def affine_grid_backward(F, node, saved, g, edges):
    size, align_corners = node.params
    return (F.affine_grid_transposed(g, size, align_corners),)


class AffineGridGeneratorBackward0(Node):
    op = OPS['affine_grid']
    saves = ()
    parameters = ('size', 'align_corners')
    backward = staticmethod(affine_grid_backward)
    backward_complex = staticmethod(affine_grid_backward)


new_AffineGridGeneratorBackward0 = maker_of(AffineGridGeneratorBackward0)


OP_affine_grid.nodes = (AffineGridGeneratorBackward0,)


OP_affine_grid.select_node = lambda theta, size, align_corners: AffineGridGeneratorBackward0


def affine_grid(theta, size, align_corners):
    """`affine_grid_generator`, of arguments that go together."""
    if (type(theta) is Tensor or type(theta) in PLAIN_TYPES):
        theta_array = theta._array
        _mode = get_mode()
        if ((_dtype := theta_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_affine_grid(xp, theta_array, size, align_corners)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (theta_edge := theta._edge if (_base := theta._base) is None or theta._generation == _base._generation else edge_of(theta)) is not None:
                    _node = new_AffineGridGeneratorBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (theta_edge,)
                    _node.saved = ()
                    _node.params = (size, align_corners)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_affine_grid, (theta, size, align_corners))


OP_affine_grid.function = affine_grid


def affine_grid_generator(theta, size, align_corners):
    """The points that the maps `theta` (N, rank, rank + 1) make of an even grid over `size` (N, C, *points)."""
    if type(theta) not in PLAIN_TYPES or not isinstance(size, (tuple, list)) or align_corners is not False and align_corners is not True:
        theta, size, align_corners = accepted(OP_affine_grid_generator, (theta, size, align_corners))
    if type(get_mode()) is Modes and get_mode().function_modes or type(theta) not in PLAIN_TYPES and hasattr(theta, '__torch_function__'):
        if (_taken := taken_over(OP_affine_grid_generator, (theta, size, align_corners), dict())) is not ABSENT:
            return _taken
    try:
        if type(size) in ROWS and not WHOLE.issuperset(map(type, size)):
            theta, size, align_corners = accepted(OP_affine_grid_generator, (theta, size, align_corners))
        return composite_affine_grid_generator(F, theta, size, align_corners)
    except Exception:
        explain_arguments(OP_affine_grid_generator, (theta, size, align_corners))
        raise


OP_affine_grid_generator.function = affine_grid_generator


def affine_grid_transposed_backward(F, node, saved, g, edges):
    size, align_corners = node.params
    return (F.affine_grid(g, size, align_corners),)


class AffineGridTransposedBackward0(Node):
    op = OPS['affine_grid_transposed']
    saves = ()
    parameters = ('size', 'align_corners')
    backward = staticmethod(affine_grid_transposed_backward)
    backward_complex = staticmethod(affine_grid_transposed_backward)


new_AffineGridTransposedBackward0 = maker_of(AffineGridTransposedBackward0)


OP_affine_grid_transposed.nodes = (AffineGridTransposedBackward0,)


OP_affine_grid_transposed.select_node = lambda grad, size, align_corners: AffineGridTransposedBackward0


def affine_grid_transposed(grad, size, align_corners):
    """The transpose of `affine_grid`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES):
        grad_array = grad._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_affine_grid_transposed(xp, grad_array, size, align_corners)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (grad_edge := grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)) is not None:
                    _node = new_AffineGridTransposedBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge,)
                    _node.saved = ()
                    _node.params = (size, align_corners)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_affine_grid_transposed, (grad, size, align_corners))


OP_affine_grid_transposed.function = affine_grid_transposed


def alignment_backward(F, node, saved, g, edges):
    log_probs, out = saved
    targets, lengths, target_lengths, blank, zero_infinity = node.params
    return (F.alignment_slopes(g, log_probs, out, targets, lengths, target_lengths, blank, zero_infinity),)


class CtcLossBackward0(Saving):
    op = OPS['alignment']
    saves = ('log_probs', 'out')
    parameters = ('targets', 'lengths', 'target_lengths', 'blank', 'zero_infinity')
    backward = staticmethod(alignment_backward)
    backward_complex = staticmethod(alignment_backward)


new_CtcLossBackward0 = maker_of(CtcLossBackward0)


OP_alignment.nodes = (CtcLossBackward0,)


OP_alignment.select_node = lambda log_probs, targets, lengths, target_lengths, blank, zero_infinity: CtcLossBackward0


def alignment(log_probs, targets, lengths, target_lengths, blank, zero_infinity):
    """Minus the log-probability of each sequence of labels, over all its alignments with the input."""
    if (type(log_probs) is Tensor or type(log_probs) in PLAIN_TYPES):
        log_probs_array = log_probs._array
        _mode = get_mode()
        if ((_dtype := log_probs_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_alignment_loss(log_probs_array, targets, lengths, target_lengths, blank)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (log_probs_edge := log_probs._edge if (_base := log_probs._base) is None or log_probs._generation == _base._generation else edge_of(log_probs)) is not None:
                    _node = new_CtcLossBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (log_probs_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (log_probs_array, _result)
                    if (log_probs_storage := log_probs._store) is None:
                        log_probs_storage = log_probs._store = new_storage(None)
                        log_probs_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (log_probs_storage, out_storage)
                    _node.versions = (log_probs_storage.version, 0)
                    _node.params = (targets, lengths, target_lengths, blank, zero_infinity)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_alignment, (log_probs, targets, lengths, target_lengths, blank, zero_infinity))


OP_alignment.function = alignment


def alignment_slopes_backward(F, node, saved, g, edges):
    grad_edge, log_probs_edge = edges
    return (None if grad_edge is None else derivative_alignment_slopes_grad(F, g), None if log_probs_edge is None else derivative_alignment_slopes_log_probs(F, g))


class AlignmentSlopesBackward0(Node):
    op = OPS['alignment_slopes']
    saves = ()
    parameters = ()
    backward = staticmethod(alignment_slopes_backward)
    backward_complex = staticmethod(alignment_slopes_backward)


new_AlignmentSlopesBackward0 = maker_of(AlignmentSlopesBackward0)


OP_alignment_slopes.nodes = (AlignmentSlopesBackward0,)


OP_alignment_slopes.select_node = lambda grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity: AlignmentSlopesBackward0


def alignment_slopes(grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity):
    """The derivative of `alignment`, which PyTorch gives at the scores whose log softmax `log_probs` must be."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(log_probs) is Tensor or type(log_probs) in PLAIN_TYPES) and (type(losses) is Tensor or type(losses) in PLAIN_TYPES):
        grad_array = grad._array
        log_probs_array = log_probs._array
        losses_array = losses._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is log_probs_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_alignment_slopes(xp, grad_array, log_probs_array, losses_array, targets, lengths, target_lengths, blank, zero_infinity)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    grad_edge = grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)
                    log_probs_edge = log_probs._edge if (_base := log_probs._base) is None or log_probs._generation == _base._generation else edge_of(log_probs)
                if _mode and (grad_edge is not None or log_probs_edge is not None):
                    _node = new_AlignmentSlopesBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge, log_probs_edge)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_alignment_slopes, (grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity))


OP_alignment_slopes.function = alignment_slopes


def alpha_dropout(input, p, train):
    """Dropout that keeps mean and variance under `selu`."""
    if type(input) not in PLAIN_TYPES or type(p) is not float and type(p) is not int or train is not False and train is not True:
        input, p, train = accepted(OP_alpha_dropout, (input, p, train))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_alpha_dropout, (input, p, train), dict())) is not ABSENT:
            return _taken
    try:
        return composite_alpha_dropout(F, input, p, train)
    except Exception:
        explain_arguments(OP_alpha_dropout, (input, p, train))
        raise


def alpha_dropout_(input, p, train):
    """In-place version of `alpha_dropout`."""
    return write(alpha_dropout, input, (p, train), {}, OP_alpha_dropout)


OP_alpha_dropout.inplace_function = alpha_dropout_


OP_alpha_dropout.function = alpha_dropout


def arange_of(input, count, step):
    """`count` multiples of a step in the dtype of `input`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_astype(xp_arange(count) * step, input_array.dtype)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_arange_of, (input, count, step))


OP_arange_of.function = arange_of


def attention_backward(F, node, saved, g, edges):
    query, key, value, bias, weights = saved
    is_causal, scale = node.params
    common = common_attention(F, g, query, key, value, bias, weights, is_causal, scale)
    query_edge, key_edge, value_edge = edges
    return (None if query_edge is None else common[0], None if key_edge is None else common[1], None if value_edge is None else common[2])


class ScaledDotProductFlashAttentionForCpuBackward0(Saving):
    op = OPS['attention']
    saves = ('query', 'key', 'value', 'bias', 'weights')
    parameters = ('is_causal', 'scale')
    backward = staticmethod(attention_backward)
    backward_complex = staticmethod(attention_backward)


new_ScaledDotProductFlashAttentionForCpuBackward0 = maker_of(ScaledDotProductFlashAttentionForCpuBackward0)


OP_attention.nodes = (ScaledDotProductFlashAttentionForCpuBackward0,)


OP_attention.select_node = lambda query, key, value, bias, is_causal, scale: ScaledDotProductFlashAttentionForCpuBackward0


def attention(query, key, value, bias, is_causal, scale):
    """softmax(query key^T * scale + bias) value, and the weights of the values."""
    if (type(query) is Tensor or type(query) in PLAIN_TYPES) and (type(key) is Tensor or type(key) in PLAIN_TYPES) and (type(value) is Tensor or type(value) in PLAIN_TYPES) and (bias is None or type(bias) in PLAIN_TYPES):
        query_array = query._array
        key_array = key._array
        value_array = value._array
        bias_array = None if bias is None else bias._array
        _mode = get_mode()
        if ((_dtype := query_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is key_array.dtype and _dtype is value_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _out, _weights = xp_attention(query_array, key_array, value_array, bias_array, is_causal, scale)
            except Exception:
                pass
            else:
                if type(_out) is not ndarray and isinstance(_out, np.generic):
                    _out = as_array(_out)
                _out_tensor = new_tensor(None)
                _out_tensor._array = _out
                _out_tensor._alike = None
                _out_tensor._base = None
                _out_tensor._generation = None
                if type(_weights) is not ndarray and isinstance(_weights, np.generic):
                    _weights = as_array(_weights)
                _weights_tensor = new_tensor(None)
                _weights_tensor._array = _weights
                _weights_tensor._alike = None
                _weights_tensor._base = None
                _weights_tensor._generation = None
                _out_tensor._store = None
                _weights_tensor._store = None
                if _mode:
                    query_edge = query._edge if (_base := query._base) is None or query._generation == _base._generation else edge_of(query)
                    key_edge = key._edge if (_base := key._base) is None or key._generation == _base._generation else edge_of(key)
                    value_edge = value._edge if (_base := value._base) is None or value._generation == _base._generation else edge_of(value)
                if _mode and (query_edge is not None or key_edge is not None or value_edge is not None):
                    _node = new_ScaledDotProductFlashAttentionForCpuBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (query_edge, key_edge, value_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (query_array, key_array, value_array, bias_array, _weights)
                    if (query_storage := query._store) is None:
                        query_storage = query._store = new_storage(None)
                        query_storage.version = 0
                    if (key_storage := key._store) is None:
                        key_storage = key._store = new_storage(None)
                        key_storage.version = 0
                    if (value_storage := value._store) is None:
                        value_storage = value._store = new_storage(None)
                        value_storage.version = 0
                    bias_storage = None if bias is None else bias._store or bias._storage
                    _weights_tensor._store = weights_storage = new_storage(None)
                    weights_storage.version = 0
                    _node.storages = (query_storage, key_storage, value_storage, bias_storage, weights_storage)
                    _node.versions = (query_storage.version, key_storage.version, value_storage.version, 0 if bias_storage is None else bias_storage.version, 0)
                    _node.params = (is_causal, scale)
                    _node.metas = None
                    _node.special = False
                    _out_tensor._edge = _node
                    _weights_tensor._edge = None
                else:
                    _out_tensor._edge = None
                    _weights_tensor._edge = None
                    if _mode is INFERENCE:
                        _out_tensor._store = InferenceStorage()
                        _weights_tensor._store = InferenceStorage()
                return (_out_tensor, _weights_tensor)
            finally:
                reset_errors(_token)
    return general(OP_attention, (query, key, value, bias, is_causal, scale))


OP_attention.function = attention


def attention_slopes(grad, query, key, value, weights, is_causal, scale):
    """The three gradients of `attention`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(query) is Tensor or type(query) in PLAIN_TYPES) and (type(key) is Tensor or type(key) in PLAIN_TYPES) and (type(value) is Tensor or type(value) in PLAIN_TYPES) and (type(weights) is Tensor or type(weights) in PLAIN_TYPES):
        grad_array = grad._array
        query_array = query._array
        key_array = key._array
        value_array = value._array
        weights_array = weights._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is query_array.dtype and _dtype is key_array.dtype and _dtype is value_array.dtype and _dtype is weights_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _to_query, _to_key, _to_value = xp_attention_slopes(grad_array, query_array, key_array, value_array, weights_array, is_causal, scale)
            except Exception:
                pass
            else:
                if type(_to_query) is not ndarray and isinstance(_to_query, np.generic):
                    _to_query = as_array(_to_query)
                _to_query_tensor = new_tensor(None)
                _to_query_tensor._array = _to_query
                _to_query_tensor._alike = None
                _to_query_tensor._base = None
                _to_query_tensor._generation = None
                if type(_to_key) is not ndarray and isinstance(_to_key, np.generic):
                    _to_key = as_array(_to_key)
                _to_key_tensor = new_tensor(None)
                _to_key_tensor._array = _to_key
                _to_key_tensor._alike = None
                _to_key_tensor._base = None
                _to_key_tensor._generation = None
                if type(_to_value) is not ndarray and isinstance(_to_value, np.generic):
                    _to_value = as_array(_to_value)
                _to_value_tensor = new_tensor(None)
                _to_value_tensor._array = _to_value
                _to_value_tensor._alike = None
                _to_value_tensor._base = None
                _to_value_tensor._generation = None
                _to_query_tensor._store = None
                _to_key_tensor._store = None
                _to_value_tensor._store = None
                _to_query_tensor._edge = None
                _to_key_tensor._edge = None
                _to_value_tensor._edge = None
                if _mode is INFERENCE:
                    _to_query_tensor._store = InferenceStorage()
                    _to_key_tensor._store = InferenceStorage()
                    _to_value_tensor._store = InferenceStorage()
                return (_to_query_tensor, _to_key_tensor, _to_value_tensor)
            finally:
                reset_errors(_token)
    return general(OP_attention_slopes, (grad, query, key, value, weights, is_causal, scale))


OP_attention_slopes.function = attention_slopes


def avg_pool_backward(F, node, saved, g, edges):
    input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override = node.params
    return (F.avg_spread(g, input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override),)


class AvgPool2DBackward0(Node):
    op = OPS['avg_pool']
    saves = ()
    parameters = ('input_shape', 'kernel_size', 'stride', 'padding', 'ceil_mode', 'count_include_pad', 'divisor_override')
    backward = staticmethod(avg_pool_backward)
    backward_complex = staticmethod(avg_pool_backward)


new_AvgPool2DBackward0 = maker_of(AvgPool2DBackward0)


class AvgPool3DBackward0(Node):
    op = OPS['avg_pool']
    saves = ()
    parameters = ('input_shape', 'kernel_size', 'stride', 'padding', 'ceil_mode', 'count_include_pad', 'divisor_override')
    backward = staticmethod(avg_pool_backward)
    backward_complex = staticmethod(avg_pool_backward)


new_AvgPool3DBackward0 = maker_of(AvgPool3DBackward0)


OP_avg_pool.nodes = (AvgPool2DBackward0, AvgPool3DBackward0)


OP_avg_pool.select_node = lambda input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: AvgPool2DBackward0 if len(kernel_size) == 2 else AvgPool3DBackward0


def avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The mean of each window."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_avg_pool(xp, input_array, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_AvgPool2DBackward0 if len(kernel_size) == 2 else new_AvgPool3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_avg_pool, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))


OP_avg_pool.function = avg_pool


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of the last dimension; padding counts as zeros unless `count_include_pad` is False."""
    if type(kernel_size) is not int and type(kernel_size) is not tuple and type(kernel_size) is not list and type(kernel_size) is not Size or stride is not None and (type(stride) is not int and type(stride) is not tuple and type(stride) is not list and type(stride) is not Size) or type(padding) is not int and type(padding) is not tuple and type(padding) is not list and type(padding) is not Size or ceil_mode is not False and ceil_mode is not True or count_include_pad is not False and count_include_pad is not True:
        input, kernel_size, stride, padding, ceil_mode, count_include_pad = accepted(OP_avg_pool1d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad))
    if type(kernel_size) is type(padding) is int and (stride is None or type(stride) is int) and type(input) in PLAIN_TYPES and not input.requires_grad and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            divisor_override = None
            kernel_size = (kernel_size, )
            padding = (padding, )
            stride = kernel_size if stride is None else (stride, )
            _token = set_errors(IGNORED)
            try:
                _result = forward_avg_pool(xp, input_array, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_AvgPool2DBackward0 if len(kernel_size) == 2 else new_AvgPool3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_avg_pool1d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)):
            input, kernel_size, stride, padding, ceil_mode, count_include_pad = accepted(OP_avg_pool1d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad))
        return composite_avg_pool1d(F, input, kernel_size, stride, padding, ceil_mode, count_include_pad)
    except Exception:
        explain_arguments(OP_avg_pool1d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad))
        raise


OP_avg_pool1d.function = avg_pool1d


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None, *, out=None):
    """The mean of each window of the last two dimensions; padding counts as zeros unless not `count_include_pad`."""
    if type(kernel_size) is not int and type(kernel_size) is not tuple and type(kernel_size) is not list and type(kernel_size) is not Size or stride is not None and (type(stride) is not int and type(stride) is not tuple and type(stride) is not list and type(stride) is not Size) or type(padding) is not int and type(padding) is not tuple and type(padding) is not list and type(padding) is not Size or ceil_mode is not False and ceil_mode is not True or count_include_pad is not False and count_include_pad is not True or divisor_override is not None and (type(divisor_override) is not int or divisor_override > 0x3FFFFFFF or divisor_override < -0x3FFFFFFF):
        input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override = accepted(OP_avg_pool2d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
    if type(kernel_size) is type(padding) is int and (stride is None or type(stride) is int) and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            kernel_size = (kernel_size, kernel_size, )
            padding = (padding, padding, )
            stride = kernel_size if stride is None else (stride, stride, )
            _token = set_errors(IGNORED)
            try:
                _result = forward_avg_pool(xp, input_array, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
                if out is not None:
                    return written_to(out, _result, OP_avg_pool2d, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_AvgPool2DBackward0 if len(kernel_size) == 2 else new_AvgPool3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_avg_pool2d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'avg_pool2d', composite_avg_pool2d(F, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), OP_avg_pool2d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)):
            input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override = accepted(OP_avg_pool2d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
        return composite_avg_pool2d(F, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    except Exception:
        explain_arguments(OP_avg_pool2d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
        raise


OP_avg_pool2d.function = avg_pool2d


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None, *, out=None):
    """The mean of each window of the last three dimensions; padding counts as zeros unless not `count_include_pad`."""
    if type(input) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or ceil_mode is not False and ceil_mode is not True or count_include_pad is not False and count_include_pad is not True or divisor_override is not None and (type(divisor_override) is not int or divisor_override > 0x3FFFFFFF or divisor_override < -0x3FFFFFFF):
        input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override = accepted(OP_avg_pool3d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_avg_pool3d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_avg_pool3d, composite_avg_pool3d, F, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), dict())
    if out is not None:
        return into(out, 'avg_pool3d', uncast(composite_avg_pool3d, F, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), OP_avg_pool3d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)):
            input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override = accepted(OP_avg_pool3d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
        return composite_avg_pool3d(F, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    except Exception:
        explain_arguments(OP_avg_pool3d, (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
        raise


OP_avg_pool3d.function = avg_pool3d


def avg_spread_backward(F, node, saved, g, edges):
    kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override = node.params
    return (F.avg_pool(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override),)


class AvgSpreadBackward0(Node):
    op = OPS['avg_spread']
    saves = ()
    parameters = ('kernel_size', 'stride', 'padding', 'ceil_mode', 'count_include_pad', 'divisor_override')
    backward = staticmethod(avg_spread_backward)
    backward_complex = staticmethod(avg_spread_backward)


new_AvgSpreadBackward0 = maker_of(AvgSpreadBackward0)


OP_avg_spread.nodes = (AvgSpreadBackward0,)


OP_avg_spread.select_node = lambda grad, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: AvgSpreadBackward0


def avg_spread(grad, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The transpose of `avg_pool`: each element of `grad` spread evenly over its window in a tensor of `shape`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES):
        grad_array = grad._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_avg_spread(xp, grad_array, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (grad_edge := grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)) is not None:
                    _node = new_AvgSpreadBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge,)
                    _node.saved = ()
                    _node.params = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_avg_spread, (grad, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))


OP_avg_spread.function = avg_spread


def bag_factors(indices, bags, padding, count, mean, kind):
    """What the rows of each bag are multiplied by before they are added up."""
    if (type(indices) is Tensor or type(indices) in PLAIN_TYPES) and (type(bags) is Tensor or type(bags) in PLAIN_TYPES):
        indices_array = indices._array
        bags_array = bags._array
        _mode = get_mode()
        if type(indices_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_bag_factors(indices_array, bags_array, padding, count, mean, kind)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_bag_factors, (indices, bags, padding, count, mean, kind))


OP_bag_factors.function = bag_factors


def bag_of_each(offsets, length, count):
    """The number of the bag that each of `length` rows is in."""
    if (type(offsets) is Tensor or type(offsets) in PLAIN_TYPES):
        offsets_array = offsets._array
        _mode = get_mode()
        if type(offsets_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_bag_of_each(offsets_array, length, count)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_bag_of_each, (offsets, length, count))


OP_bag_of_each.function = bag_of_each


def bag_sums_backward(F, node, saved, g, edges):
    weight, factors, indices, bags = saved
    weight_shape, padding_idx, scale_grad_by_freq = node.params
    weight_edge, factors_edge = edges
    return (None if weight_edge is None else derivative_bag_sums_weight(F, g, weight_shape, factors, indices, bags, padding_idx, scale_grad_by_freq), None if factors_edge is None else F.sum(F.embedding(g, bags) * F.embedding(weight, indices), 1))


class EmbeddingBagBackward0(Saving):
    op = OPS['bag_sums']
    saves = ('weight', 'factors', 'indices', 'bags')
    parameters = ('weight_shape', 'padding_idx', 'scale_grad_by_freq')
    backward = staticmethod(bag_sums_backward)
    backward_complex = staticmethod(bag_sums_backward)


new_EmbeddingBagBackward0 = maker_of(EmbeddingBagBackward0)


OP_bag_sums.nodes = (EmbeddingBagBackward0,)


OP_bag_sums.select_node = lambda weight, factors, indices, bags, count, padding_idx, scale_grad_by_freq: EmbeddingBagBackward0


def bag_sums(weight, factors, indices, bags, count, padding_idx, scale_grad_by_freq):
    """The sums of the rows `indices` of a table, times their factors, over each of `count` bags."""
    if (type(weight) is Tensor or type(weight) in PLAIN_TYPES) and (type(factors) is Tensor or type(factors) in PLAIN_TYPES) and (type(indices) is Tensor or type(indices) in PLAIN_TYPES) and (type(bags) is Tensor or type(bags) in PLAIN_TYPES):
        weight_array = weight._array
        factors_array = factors._array
        indices_array = indices._array
        bags_array = bags._array
        _mode = get_mode()
        if ((_dtype := weight_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is factors_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_bag_sums(weight_array, factors_array, indices_array, bags_array, count)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    weight_edge = weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight)
                    factors_edge = factors._edge if (_base := factors._base) is None or factors._generation == _base._generation else edge_of(factors)
                if _mode and (weight_edge is not None or factors_edge is not None):
                    _node = new_EmbeddingBagBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (weight_edge, factors_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if factors_edge is None else weight_array, None if weight_edge is None else factors_array, indices_array, bags_array)
                    if (weight_storage := weight._store) is None:
                        weight_storage = weight._store = new_storage(None)
                        weight_storage.version = 0
                    if (factors_storage := factors._store) is None:
                        factors_storage = factors._store = new_storage(None)
                        factors_storage.version = 0
                    if (indices_storage := indices._store) is None:
                        indices_storage = indices._store = new_storage(None)
                        indices_storage.version = 0
                    if (bags_storage := bags._store) is None:
                        bags_storage = bags._store = new_storage(None)
                        bags_storage.version = 0
                    _node.storages = (weight_storage, factors_storage, indices_storage, bags_storage)
                    _node.versions = (weight_storage.version, factors_storage.version, indices_storage.version, bags_storage.version)
                    _node.params = (weight_array.shape if weight._alike is None else weight._alike[0], padding_idx, scale_grad_by_freq)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_bag_sums, (weight, factors, indices, bags, count, padding_idx, scale_grad_by_freq))


OP_bag_sums.function = bag_sums


def bag_winners(weight, indices, bags, counted, count):
    """For each bag and column the row of the table with the largest element, -1 for an empty bag."""
    if (type(weight) is Tensor or type(weight) in PLAIN_TYPES) and (type(indices) is Tensor or type(indices) in PLAIN_TYPES) and (type(bags) is Tensor or type(bags) in PLAIN_TYPES) and (type(counted) is Tensor or type(counted) in PLAIN_TYPES):
        weight_array = weight._array
        indices_array = indices._array
        bags_array = bags._array
        counted_array = counted._array
        _mode = get_mode()
        if type(weight_array) is ndarray and weight_array.dtype in EASY and type(indices_array) is ndarray and indices_array.dtype in EASY and type(bags_array) is ndarray and bags_array.dtype in EASY and type(counted_array) is ndarray and counted_array.dtype in EASY and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_bag_winners(weight_array, indices_array, bags_array, counted_array, count)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_bag_winners, (weight, indices, bags, counted, count))


OP_bag_winners.function = bag_winners


def bags_of_embeddings(input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """`torch.nn.functional.embedding_bag`: sums, means or maxima of bags of rows of a table.

    A bag is a row of a 2-D `input`, or begins at each of `offsets` in a 1-D one."""
    return composite_bags_of_embeddings(F, input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)


OP_bags_of_embeddings.function = bags_of_embeddings


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """Each channel less its mean, over its deviation: of the batch in training, the running ones otherwise."""
    if training is not False and training is not True or type(momentum) is not float and type(momentum) is not int or type(eps) is not float and type(eps) is not int:
        input, running_mean, running_var, weight, bias, training, momentum, eps = accepted(OP_batch_norm, (input, running_mean, running_var, weight, bias, training, momentum, eps))
    if type(running_mean) is type(running_var) is Tensor and momentum is not None and running_mean._edge is running_mean._base is running_var._edge is running_var._base is None and (type(input) is Tensor or type(input) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES) and (bias is None or type(bias) in PLAIN_TYPES) and (running_mean is None or type(running_mean) in PLAIN_TYPES) and (running_var is None or type(running_var) in PLAIN_TYPES):
        input_array = input._array
        weight_array = None if weight is None else weight._array
        bias_array = None if bias is None else bias._array
        running_mean_array = None if running_mean is None else running_mean._array
        running_var_array = None if running_var is None else running_var._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (weight is None or _dtype is weight_array.dtype) and (bias is None or _dtype is bias_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            statistics = Statistics()
            _token = set_errors(IGNORED)
            try:
                _result = forward_native_batch_normalization(xp, input_array, weight_array, bias_array, running_mean_array, running_var_array, training, momentum, eps, statistics)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_edge = None if weight is None else (weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight))
                    bias_edge = None if bias is None else (bias._edge if (_base := bias._base) is None or bias._generation == _base._generation else edge_of(bias))
                if _mode and (input_edge is not None or weight_edge is not None or bias_edge is not None):
                    _node = new_NativeBatchNormBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_edge, bias_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (input_storage, weight_storage)
                    _node.versions = (input_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (training, statistics)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or running_mean is not None and type(running_mean) not in PLAIN_TYPES and hasattr(running_mean, '__torch_function__') or running_var is not None and type(running_var) not in PLAIN_TYPES and hasattr(running_var, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_batch_norm, (input, running_mean, running_var, weight, bias, training, momentum, eps), dict())) is not ABSENT:
            return _taken
    try:
        return composite_batch_norm(F, input, running_mean, running_var, weight, bias, training, momentum, eps)
    except Exception:
        explain_arguments(OP_batch_norm, (input, running_mean, running_var, weight, bias, training, momentum, eps))
        raise


OP_batch_norm.function = batch_norm


def batch_norm_slopes(grad, input, weight, mean, scale, training):
    """All three gradients of batch norm, which have most of their sums in common."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(input) is Tensor or type(input) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES):
        grad_array = grad._array
        input_array = input._array
        weight_array = None if weight is None else weight._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is input_array.dtype and (weight is None or _dtype is weight_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _to_input, _to_weight, _to_bias = forward_batch_norm_slopes(xp, grad_array, input_array, weight_array, mean, scale, training)
            except Exception:
                pass
            else:
                if type(_to_input) is not ndarray and isinstance(_to_input, np.generic):
                    _to_input = as_array(_to_input)
                _to_input_tensor = new_tensor(None)
                _to_input_tensor._array = _to_input
                _to_input_tensor._alike = None
                _to_input_tensor._base = None
                _to_input_tensor._generation = None
                if type(_to_weight) is not ndarray and isinstance(_to_weight, np.generic):
                    _to_weight = as_array(_to_weight)
                _to_weight_tensor = new_tensor(None)
                _to_weight_tensor._array = _to_weight
                _to_weight_tensor._alike = None
                _to_weight_tensor._base = None
                _to_weight_tensor._generation = None
                if type(_to_bias) is not ndarray and isinstance(_to_bias, np.generic):
                    _to_bias = as_array(_to_bias)
                _to_bias_tensor = new_tensor(None)
                _to_bias_tensor._array = _to_bias
                _to_bias_tensor._alike = None
                _to_bias_tensor._base = None
                _to_bias_tensor._generation = None
                _to_input_tensor._store = None
                _to_weight_tensor._store = None
                _to_bias_tensor._store = None
                _to_input_tensor._edge = None
                _to_weight_tensor._edge = None
                _to_bias_tensor._edge = None
                if _mode is INFERENCE:
                    _to_input_tensor._store = InferenceStorage()
                    _to_weight_tensor._store = InferenceStorage()
                    _to_bias_tensor._store = InferenceStorage()
                return (_to_input_tensor, _to_weight_tensor, _to_bias_tensor)
            finally:
                reset_errors(_token)
    return general(OP_batch_norm_slopes, (grad, input, weight, mean, scale, training))


OP_batch_norm_slopes.function = batch_norm_slopes


def binary_cross_entropy(input, target, weight=None, reduction='mean'):
    """-(y log x + (1 - y) log(1 - x)) of probabilities x."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or weight is not None and (type(weight) not in PLAIN_TYPES):
        input, target, weight, reduction = accepted(OP_binary_cross_entropy, (input, target, weight, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_binary_cross_entropy, (input, target, weight, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_binary_cross_entropy, composite_binary_cross_entropy, F, (input, target, weight, reduction), dict())
    try:
        return composite_binary_cross_entropy(F, input, target, weight, reduction)
    except Exception:
        explain_arguments(OP_binary_cross_entropy, (input, target, weight, reduction))
        raise


OP_binary_cross_entropy.function = binary_cross_entropy


def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    """`binary_cross_entropy` of sigmoid(input), computed without overflow; its dtype is that of `target`."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or weight is not None and (type(weight) not in PLAIN_TYPES) or pos_weight is not None and (type(pos_weight) not in PLAIN_TYPES):
        input, target, weight, pos_weight, reduction = accepted(OP_binary_cross_entropy_with_logits, (input, target, weight, pos_weight, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or pos_weight is not None and type(pos_weight) not in PLAIN_TYPES and hasattr(pos_weight, '__torch_function__'):
        if (_taken := taken_over(OP_binary_cross_entropy_with_logits, (input, target, weight, pos_weight, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_binary_cross_entropy_with_logits, composite_binary_cross_entropy_with_logits, F, (input, target, weight, pos_weight, reduction), dict())
    try:
        return composite_binary_cross_entropy_with_logits(F, input, target, weight, pos_weight, reduction)
    except Exception:
        explain_arguments(OP_binary_cross_entropy_with_logits, (input, target, weight, pos_weight, reduction))
        raise


OP_binary_cross_entropy_with_logits.function = binary_cross_entropy_with_logits


def blocks_as_columns_backward(F, node, saved, g, edges):
    input_shape, kernel_size, dilation, padding, stride = node.params
    return (F.columns_as_blocks(g, tuple(input_shape[2:]), kernel_size, dilation, padding, stride),)


class Im2ColBackward0(Node):
    op = OPS['blocks_as_columns']
    saves = ()
    parameters = ('input_shape', 'kernel_size', 'dilation', 'padding', 'stride')
    backward = staticmethod(blocks_as_columns_backward)
    backward_complex = staticmethod(blocks_as_columns_backward)


new_Im2ColBackward0 = maker_of(Im2ColBackward0)


OP_blocks_as_columns.nodes = (Im2ColBackward0,)


OP_blocks_as_columns.select_node = lambda input, kernel_size, dilation, padding, stride: Im2ColBackward0


def blocks_as_columns(input, kernel_size, dilation, padding, stride):
    """The blocks of (N, C, H, W) under a sliding kernel, each as a column: (N, C * taps, blocks)."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_blocks_as_columns(xp, input_array, kernel_size, dilation, padding, stride)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_Im2ColBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], kernel_size, dilation, padding, stride)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_blocks_as_columns, (input, kernel_size, dilation, padding, stride))


OP_blocks_as_columns.function = blocks_as_columns


def channel_shuffle_backward(F, node, saved, g, edges):
    input_shape, groups = node.params
    return (F.channel_shuffle(g, input_shape[1] // groups),)


class ChannelShuffleBackward0(Node):
    op = OPS['channel_shuffle']
    saves = ()
    parameters = ('input_shape', 'groups')
    backward = staticmethod(channel_shuffle_backward)
    backward_complex = staticmethod(channel_shuffle_backward)


new_ChannelShuffleBackward0 = maker_of(ChannelShuffleBackward0)


OP_channel_shuffle.nodes = (ChannelShuffleBackward0,)


OP_channel_shuffle.select_node = lambda input, groups: ChannelShuffleBackward0


def channel_shuffle(input, groups):
    """The channels of (N, C, ...) dealt out: the first of every one of `groups`, then the second, and so on."""
    if type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF:
        input, groups = accepted(OP_channel_shuffle, (input, groups))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_channel_shuffle(xp, input_array, groups)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ChannelShuffleBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], groups)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_channel_shuffle, (input, groups))


OP_channel_shuffle.function = channel_shuffle


def channel_sum_backward(F, node, saved, g, edges):
    input_shape, = node.params
    return (F.expand(F.reshape(g, (1, -1, *[1] * (len(input_shape) - 2))), input_shape),)


class ChannelSumBackward0(Node):
    op = OPS['channel_sum']
    saves = ()
    parameters = ('input_shape',)
    backward = staticmethod(channel_sum_backward)
    backward_complex = staticmethod(channel_sum_backward)


new_ChannelSumBackward0 = maker_of(ChannelSumBackward0)


OP_channel_sum.nodes = (ChannelSumBackward0,)


OP_channel_sum.select_node = lambda input: ChannelSumBackward0


def channel_sum(input):
    """The sum over all dimensions but the second, that of the channels."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_channel_sum(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ChannelSumBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0],)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_channel_sum, (input,))


OP_channel_sum.function = channel_sum


def circular_pad_backward(F, node, saved, g, edges):
    input_shape, padding = node.params
    return (F.padding_transposed(g, input_shape, padding, 'circular'),)


class PadCircularBackward0(Node):
    op = OPS['circular_pad']
    saves = ()
    parameters = ('input_shape', 'padding')
    backward = staticmethod(circular_pad_backward)
    backward_complex = staticmethod(circular_pad_backward)


new_PadCircularBackward0 = maker_of(PadCircularBackward0)


OP_circular_pad.nodes = (PadCircularBackward0,)


OP_circular_pad.select_node = lambda input, padding: PadCircularBackward0


def circular_pad(input, padding):
    """`input` continued by its other end."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_circular_pad(xp, input_array, padding)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_PadCircularBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], padding)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_circular_pad, (input, padding))


OP_circular_pad.function = circular_pad


def columns_as_blocks_backward(F, node, saved, g, edges):
    kernel_size, dilation, padding, stride = node.params
    return (F.blocks_as_columns(g, kernel_size, dilation, padding, stride),)


class Col2ImBackward0(Node):
    op = OPS['columns_as_blocks']
    saves = ()
    parameters = ('kernel_size', 'dilation', 'padding', 'stride')
    backward = staticmethod(columns_as_blocks_backward)
    backward_complex = staticmethod(columns_as_blocks_backward)


new_Col2ImBackward0 = maker_of(Col2ImBackward0)


OP_columns_as_blocks.nodes = (Col2ImBackward0,)


OP_columns_as_blocks.select_node = lambda input, output_size, kernel_size, dilation, padding, stride: Col2ImBackward0


def columns_as_blocks(input, output_size, kernel_size, dilation, padding, stride):
    """The transpose of `blocks_as_columns`: blocks added where they lie in an image of `output_size`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_columns_as_blocks(xp, input_array, output_size, kernel_size, dilation, padding, stride)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_Col2ImBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (kernel_size, dilation, padding, stride)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_columns_as_blocks, (input, output_size, kernel_size, dilation, padding, stride))


OP_columns_as_blocks.function = columns_as_blocks


def constant_pad_nd_backward(F, node, saved, g, edges):
    pad, = node.params
    return (derivative_constant_pad_nd_input(F, g, pad),)


class ConstantPadNdBackward0(Node):
    op = OPS['constant_pad_nd']
    saves = ()
    parameters = ('pad',)
    backward = staticmethod(constant_pad_nd_backward)
    backward_complex = staticmethod(constant_pad_nd_backward)


new_ConstantPadNdBackward0 = maker_of(ConstantPadNdBackward0)


OP_constant_pad_nd.nodes = (ConstantPadNdBackward0,)


OP_constant_pad_nd.select_node = lambda input, pad, value: ConstantPadNdBackward0


def constant_pad_nd(input, pad, value=0):
    """`input` between `value`s: `pad` says how many before and after the last dimension, then the one before it..."""
    if type(pad) is not tuple and type(pad) is not list and type(pad) is not Size or type(value) is not int and type(value) is not float:
        input, pad, value = accepted(OP_constant_pad_nd, (input, pad, value))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_constant_pad_nd(xp, input_array, pad, value)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ConstantPadNdBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (pad,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_constant_pad_nd, (input, pad, value))


OP_constant_pad_nd.function = constant_pad_nd


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Slides `weight` (out, channels / groups, kernel) over `input` (batch, channels, length)."""
    if type(input) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or bias is not None and (type(bias) not in PLAIN_TYPES) or not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF) or not isinstance(padding, (tuple, list)) and type(padding) is not int and type(padding) is not str or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF:
        input, weight, bias, stride, padding, dilation, groups = accepted(OP_conv1d, (input, weight, bias, stride, padding, dilation, groups))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_conv1d, (input, weight, bias, stride, padding, dilation, groups), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_conv1d, composite_conv1d, F, (input, weight, bias, stride, padding, dilation, groups), dict())
    try:
        return composite_conv1d(F, input, weight, bias, stride, padding, dilation, groups)
    except Exception:
        explain_arguments(OP_conv1d, (input, weight, bias, stride, padding, dilation, groups))
        raise


OP_conv1d.function = conv1d


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Slides `weight` (out, channels / groups, *kernel) over `input` (batch, channels, height, width)."""
    if type(input) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or bias is not None and (type(bias) not in PLAIN_TYPES) or not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF) or not isinstance(padding, (tuple, list)) and type(padding) is not int and type(padding) is not str or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF:
        input, weight, bias, stride, padding, dilation, groups = accepted(OP_conv2d, (input, weight, bias, stride, padding, dilation, groups))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_conv2d, (input, weight, bias, stride, padding, dilation, groups), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_conv2d, composite_conv2d, F, (input, weight, bias, stride, padding, dilation, groups), dict())
    try:
        return composite_conv2d(F, input, weight, bias, stride, padding, dilation, groups)
    except Exception:
        explain_arguments(OP_conv2d, (input, weight, bias, stride, padding, dilation, groups))
        raise


OP_conv2d.function = conv2d


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Slides `weight` (out, channels / groups, *kernel) over `input` (batch, channels, depth, height, width)."""
    if type(input) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or bias is not None and (type(bias) not in PLAIN_TYPES) or not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF) or not isinstance(padding, (tuple, list)) and type(padding) is not int and type(padding) is not str or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF:
        input, weight, bias, stride, padding, dilation, groups = accepted(OP_conv3d, (input, weight, bias, stride, padding, dilation, groups))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_conv3d, (input, weight, bias, stride, padding, dilation, groups), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_conv3d, composite_conv3d, F, (input, weight, bias, stride, padding, dilation, groups), dict())
    try:
        return composite_conv3d(F, input, weight, bias, stride, padding, dilation, groups)
    except Exception:
        explain_arguments(OP_conv3d, (input, weight, bias, stride, padding, dilation, groups))
        raise


OP_conv3d.function = conv3d


def conv_tbc(input, weight, bias, pad=0):
    """`conv1d` of (time, batch, channels) with `weight` (kernel, channels, out)."""
    if type(input) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or type(bias) not in PLAIN_TYPES or type(pad) is not int or pad > 0x3FFFFFFF or pad < -0x3FFFFFFF:
        input, weight, bias, pad = accepted(OP_conv_tbc, (input, weight, bias, pad))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_conv_tbc, (input, weight, bias, pad), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_conv_tbc, composite_conv_tbc, F, (input, weight, bias, pad), dict())
    try:
        return composite_conv_tbc(F, input, weight, bias, pad)
    except Exception:
        explain_arguments(OP_conv_tbc, (input, weight, bias, pad))
        raise


OP_conv_tbc.function = conv_tbc


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transpose of `conv1d` in its input, for `weight` (channels, out / groups, kernel)."""
    if type(input) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or bias is not None and (type(bias) not in PLAIN_TYPES) or not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(output_padding, (tuple, list)) and type(output_padding) is not int or type(output_padding) is int and (output_padding > 0x3FFFFFFF or output_padding < -0x3FFFFFFF) or type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF):
        input, weight, bias, stride, padding, output_padding, groups, dilation = accepted(OP_conv_transpose1d, (input, weight, bias, stride, padding, output_padding, groups, dilation))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_conv_transpose1d, (input, weight, bias, stride, padding, output_padding, groups, dilation), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_conv_transpose1d, composite_conv_transpose1d, F, (input, weight, bias, stride, padding, output_padding, groups, dilation), dict())
    try:
        return composite_conv_transpose1d(F, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except Exception:
        explain_arguments(OP_conv_transpose1d, (input, weight, bias, stride, padding, output_padding, groups, dilation))
        raise


OP_conv_transpose1d.function = conv_transpose1d


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transpose of `conv2d` in its input, for `weight` (channels, out / groups, *kernel)."""
    if type(input) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or bias is not None and (type(bias) not in PLAIN_TYPES) or not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(output_padding, (tuple, list)) and type(output_padding) is not int or type(output_padding) is int and (output_padding > 0x3FFFFFFF or output_padding < -0x3FFFFFFF) or type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF):
        input, weight, bias, stride, padding, output_padding, groups, dilation = accepted(OP_conv_transpose2d, (input, weight, bias, stride, padding, output_padding, groups, dilation))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_conv_transpose2d, (input, weight, bias, stride, padding, output_padding, groups, dilation), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_conv_transpose2d, composite_conv_transpose2d, F, (input, weight, bias, stride, padding, output_padding, groups, dilation), dict())
    try:
        return composite_conv_transpose2d(F, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except Exception:
        explain_arguments(OP_conv_transpose2d, (input, weight, bias, stride, padding, output_padding, groups, dilation))
        raise


OP_conv_transpose2d.function = conv_transpose2d


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transpose of `conv3d` in its input, for `weight` (channels, out / groups, *kernel)."""
    if type(input) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or bias is not None and (type(bias) not in PLAIN_TYPES) or not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(output_padding, (tuple, list)) and type(output_padding) is not int or type(output_padding) is int and (output_padding > 0x3FFFFFFF or output_padding < -0x3FFFFFFF) or type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF):
        input, weight, bias, stride, padding, output_padding, groups, dilation = accepted(OP_conv_transpose3d, (input, weight, bias, stride, padding, output_padding, groups, dilation))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_conv_transpose3d, (input, weight, bias, stride, padding, output_padding, groups, dilation), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_conv_transpose3d, composite_conv_transpose3d, F, (input, weight, bias, stride, padding, output_padding, groups, dilation), dict())
    try:
        return composite_conv_transpose3d(F, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except Exception:
        explain_arguments(OP_conv_transpose3d, (input, weight, bias, stride, padding, output_padding, groups, dilation))
        raise


OP_conv_transpose3d.function = conv_transpose3d


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """`weight` slid over `input` (batch, channels, *size), or with `transposed` the reverse, and `bias` added."""
    if type(input) not in PLAIN_TYPES or type(weight) not in PLAIN_TYPES or bias is not None and (type(bias) not in PLAIN_TYPES) or not isinstance(stride, (tuple, list)) or not isinstance(padding, (tuple, list)) or not isinstance(dilation, (tuple, list)) or transposed is not False and transposed is not True or not isinstance(output_padding, (tuple, list)) or type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF:
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups = accepted(OP_convolution, (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_convolution, (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups), dict())) is not ABSENT:
            return _taken
    try:
        if type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)) or type(output_padding) in ROWS and not WHOLE.issuperset(map(type, output_padding)):
            input, weight, bias, stride, padding, dilation, transposed, output_padding, groups = accepted(OP_convolution, (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups))
        return composite_convolution(F, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    except Exception:
        explain_arguments(OP_convolution, (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups))
        raise


OP_convolution.function = convolution


def convolution_input_backward(F, node, saved, g, edges):
    grad, weight = saved
    stride, padding, dilation, groups, weight_shape = node.params
    grad_edge, weight_edge = edges
    return (None if grad_edge is None else F.convolve(g, weight, None, stride, padding, dilation, False, (0,), groups), None if weight_edge is None else F.convolution_weight(grad, g, weight_shape, stride, padding, dilation, groups))


def convolution_input_backward_complex(F, node, saved, g, edges):
    grad, weight = saved
    stride, padding, dilation, groups, weight_shape = node.params
    grad_edge, weight_edge = edges
    return (None if grad_edge is None else F.convolve(g, F.conj(weight), None, stride, padding, dilation, False, (0,), groups), None if weight_edge is None else F.convolution_weight(F.conj(grad), g, weight_shape, stride, padding, dilation, groups))


class ConvolutionInputBackward0(Saving):
    op = OPS['convolution_input']
    saves = ('grad', 'weight')
    parameters = ('stride', 'padding', 'dilation', 'groups', 'weight_shape')
    backward = staticmethod(convolution_input_backward)
    backward_complex = staticmethod(convolution_input_backward_complex)


new_ConvolutionInputBackward0 = maker_of(ConvolutionInputBackward0)


OP_convolution_input.nodes = (ConvolutionInputBackward0,)


OP_convolution_input.select_node = lambda grad, weight, shape, stride, padding, dilation, groups: ConvolutionInputBackward0


def convolution_input(grad, weight, shape, stride, padding, dilation, groups):
    """The transpose of `convolve` in its input: `grad` spread back over `shape`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(weight) is Tensor or type(weight) in PLAIN_TYPES):
        grad_array = grad._array
        weight_array = weight._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is weight_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_convolution_input(xp, grad_array, weight_array, shape, stride, padding, dilation, groups)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    grad_edge = grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)
                    weight_edge = weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight)
                if _mode and (grad_edge is not None or weight_edge is not None):
                    _node = new_ConvolutionInputBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge, weight_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if weight_edge is None else grad_array, None if grad_edge is None else weight_array)
                    if (grad_storage := grad._store) is None:
                        grad_storage = grad._store = new_storage(None)
                        grad_storage.version = 0
                    if (weight_storage := weight._store) is None:
                        weight_storage = weight._store = new_storage(None)
                        weight_storage.version = 0
                    _node.storages = (grad_storage, weight_storage)
                    _node.versions = (grad_storage.version, weight_storage.version)
                    _node.params = (stride, padding, dilation, groups, weight_array.shape if weight._alike is None else weight._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_convolution_input, (grad, weight, shape, stride, padding, dilation, groups))


OP_convolution_input.function = convolution_input


def convolution_weight_backward(F, node, saved, g, edges):
    grad, input = saved
    stride, padding, dilation, groups, input_shape = node.params
    grad_edge, input_edge = edges
    return (None if grad_edge is None else F.convolve(input, g, None, stride, padding, dilation, False, (0,), groups), None if input_edge is None else F.convolution_input(grad, g, input_shape, stride, padding, dilation, groups))


def convolution_weight_backward_complex(F, node, saved, g, edges):
    grad, input = saved
    stride, padding, dilation, groups, input_shape = node.params
    grad_edge, input_edge = edges
    return (None if grad_edge is None else F.convolve(F.conj(input), g, None, stride, padding, dilation, False, (0,), groups), None if input_edge is None else F.convolution_input(F.conj(grad), g, input_shape, stride, padding, dilation, groups))


class ConvolutionWeightBackward0(Saving):
    op = OPS['convolution_weight']
    saves = ('grad', 'input')
    parameters = ('stride', 'padding', 'dilation', 'groups', 'input_shape')
    backward = staticmethod(convolution_weight_backward)
    backward_complex = staticmethod(convolution_weight_backward_complex)


new_ConvolutionWeightBackward0 = maker_of(ConvolutionWeightBackward0)


OP_convolution_weight.nodes = (ConvolutionWeightBackward0,)


OP_convolution_weight.select_node = lambda grad, input, shape, stride, padding, dilation, groups: ConvolutionWeightBackward0


def convolution_weight(grad, input, shape, stride, padding, dilation, groups):
    """The transpose of `convolve` in its weight: what each tap of a kernel of `shape` saw, weighed by `grad`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        grad_array = grad._array
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is input_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_convolution_weight(xp, grad_array, input_array, shape, stride, padding, dilation, groups)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    grad_edge = grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                if _mode and (grad_edge is not None or input_edge is not None):
                    _node = new_ConvolutionWeightBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge, input_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if input_edge is None else grad_array, None if grad_edge is None else input_array)
                    if (grad_storage := grad._store) is None:
                        grad_storage = grad._store = new_storage(None)
                        grad_storage.version = 0
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (grad_storage, input_storage)
                    _node.versions = (grad_storage.version, input_storage.version)
                    _node.params = (stride, padding, dilation, groups, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_convolution_weight, (grad, input, shape, stride, padding, dilation, groups))


OP_convolution_weight.function = convolution_weight


def convolve_backward(F, node, saved, g, edges):
    input, weight = saved
    input_shape, stride, padding, dilation, transposed, groups, weight_shape, output_padding = node.params
    input_edge, weight_edge, bias_edge = edges
    return (None if input_edge is None else derivative_convolve_input(F, g, weight, input_shape, stride, padding, dilation, transposed, groups), None if weight_edge is None else derivative_convolve_weight(F, g, input, weight_shape, stride, padding, dilation, transposed, output_padding, groups), None if bias_edge is None else F.channel_sum(g))


class ConvolutionBackward0(Saving):
    op = OPS['convolve']
    saves = ('input', 'weight')
    parameters = ('input_shape', 'stride', 'padding', 'dilation', 'transposed', 'groups', 'weight_shape', 'output_padding')
    backward = staticmethod(convolve_backward)
    backward_complex = staticmethod(convolve_backward)


new_ConvolutionBackward0 = maker_of(ConvolutionBackward0)


OP_convolve.nodes = (ConvolutionBackward0,)


OP_convolve.select_node = lambda input, weight, bias, stride, padding, dilation, transposed, output_padding, groups: ConvolutionBackward0


def convolve(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """`weight` slid over `input`, or with `transposed` the reverse, and `bias` added to every channel."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(weight) is Tensor or type(weight) in PLAIN_TYPES) and (bias is None or type(bias) in PLAIN_TYPES):
        input_array = input._array
        weight_array = weight._array
        bias_array = None if bias is None else bias._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is weight_array.dtype and (bias is None or _dtype is bias_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_convolve(xp, input_array, weight_array, bias_array, stride, padding, dilation, transposed, output_padding, groups)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_edge = weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight)
                    bias_edge = None if bias is None else (bias._edge if (_base := bias._base) is None or bias._generation == _base._generation else edge_of(bias))
                if _mode and (input_edge is not None or weight_edge is not None or bias_edge is not None):
                    _node = new_ConvolutionBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_edge, bias_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if weight_edge is None else input_array, None if input_edge is None else weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (weight_storage := weight._store) is None:
                        weight_storage = weight._store = new_storage(None)
                        weight_storage.version = 0
                    _node.storages = (input_storage, weight_storage)
                    _node.versions = (input_storage.version, weight_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], stride, padding, dilation, transposed, groups, weight_array.shape if weight._alike is None else weight._alike[0], output_padding)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_convolve, (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups))


OP_convolve.function = convolve


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    if type(input1) not in PLAIN_TYPES or type(input2) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or type(margin) is not float and type(margin) is not int:
        input1, input2, target, margin, reduction = accepted(OP_cosine_embedding_loss, (input1, input2, target, margin, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input1) not in PLAIN_TYPES and hasattr(input1, '__torch_function__') or type(input2) not in PLAIN_TYPES and hasattr(input2, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_cosine_embedding_loss, (input1, input2, target, margin, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_cosine_embedding_loss, composite_cosine_embedding_loss, F, (input1, input2, target, margin, reduction), dict())
    try:
        return composite_cosine_embedding_loss(F, input1, input2, target, margin, reduction)
    except Exception:
        explain_arguments(OP_cosine_embedding_loss, (input1, input2, target, margin, reduction))
        raise


OP_cosine_embedding_loss.function = cosine_embedding_loss


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0):
    """The negative log-likelihood of the softmax of scores, against classes or probabilities of classes."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or weight is not None and (type(weight) not in PLAIN_TYPES) or type(ignore_index) is not int or ignore_index > 0x3FFFFFFF or ignore_index < -0x3FFFFFFF or type(label_smoothing) is not float and type(label_smoothing) is not int:
        input, target, weight, ignore_index, reduction, label_smoothing = accepted(OP_cross_entropy, (input, target, weight, ignore_index, reduction, label_smoothing))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_cross_entropy, (input, target, weight, ignore_index, reduction, label_smoothing), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_cross_entropy, composite_cross_entropy, F, (input, target, weight, ignore_index, reduction, label_smoothing), dict())
    try:
        return composite_cross_entropy(F, input, target, weight, ignore_index, reduction, label_smoothing)
    except Exception:
        explain_arguments(OP_cross_entropy, (input, target, weight, ignore_index, reduction, label_smoothing))
        raise


OP_cross_entropy.function = cross_entropy


def cross_map_lrn(input, size, alpha=0.0001, beta=0.75, k=1.0):
    """`local_response_norm` of Torch 7: `alpha / size` times the sum over a window that ends where the channels do.

    As in PyTorch the window never leaves the first channel behind, and has one channel less where `size` is even."""
    return composite_cross_map_lrn(F, input, size, alpha, beta, k)


OP_cross_map_lrn.function = cross_map_lrn


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    """The loss of connectionist temporal classification (Graves et al., 2006).

    `log_probs` is (T, N, C) or (T, C), `targets` (N, S), or all sequences one after the other; "mean" divides each loss
    by the length of its target first."""
    if type(log_probs) not in PLAIN_TYPES or type(targets) not in PLAIN_TYPES or not isinstance(input_lengths, (tuple, list)) and type(input_lengths) not in PLAIN_TYPES or not isinstance(target_lengths, (tuple, list)) and type(target_lengths) not in PLAIN_TYPES or type(blank) is not int or blank > 0x3FFFFFFF or blank < -0x3FFFFFFF or type(reduction) is not int or reduction > 0x3FFFFFFF or reduction < -0x3FFFFFFF or zero_infinity is not False and zero_infinity is not True:
        log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity = accepted(OP_ctc_loss, (log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity))
    if type(get_mode()) is Modes and get_mode().function_modes or type(log_probs) not in PLAIN_TYPES and hasattr(log_probs, '__torch_function__') or type(targets) not in PLAIN_TYPES and hasattr(targets, '__torch_function__') or type(input_lengths) not in PLAIN_TYPES and hasattr(input_lengths, '__torch_function__') or type(target_lengths) not in PLAIN_TYPES and hasattr(target_lengths, '__torch_function__'):
        if (_taken := taken_over(OP_ctc_loss, (log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_ctc_loss, composite_ctc_loss, F, (log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity), dict())
    try:
        if type(input_lengths) in ROWS and not WHOLE.issuperset(map(type, input_lengths)) or type(target_lengths) in ROWS and not WHOLE.issuperset(map(type, target_lengths)):
            log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity = accepted(OP_ctc_loss, (log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity))
        return composite_ctc_loss(F, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
    except Exception:
        explain_arguments(OP_ctc_loss, (log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity))
        raise


OP_ctc_loss.function = ctc_loss


def drawn_backward(F, node, saved, g, edges):
    parameters_shapes, = node.params
    return [F.new_zeros_of(g, each) for each in parameters_shapes]


class BernoulliBackward0(Node):
    op = OPS['drawn']
    saves = ()
    parameters = ('parameters_shapes',)
    backward = staticmethod(drawn_backward)
    backward_complex = staticmethod(drawn_backward)


new_BernoulliBackward0 = maker_of(BernoulliBackward0)


class PoissonBackward0(Node):
    op = OPS['drawn']
    saves = ()
    parameters = ('parameters_shapes',)
    backward = staticmethod(drawn_backward)
    backward_complex = staticmethod(drawn_backward)


new_PoissonBackward0 = maker_of(PoissonBackward0)


class NormalBackward1(Node):
    op = OPS['drawn']
    saves = ()
    parameters = ('parameters_shapes',)
    backward = staticmethod(drawn_backward)
    backward_complex = staticmethod(drawn_backward)


new_NormalBackward1 = maker_of(NormalBackward1)


class NormalBackward2(Node):
    op = OPS['drawn']
    saves = ()
    parameters = ('parameters_shapes',)
    backward = staticmethod(drawn_backward)
    backward_complex = staticmethod(drawn_backward)


new_NormalBackward2 = maker_of(NormalBackward2)


class NormalBackward3(Node):
    op = OPS['drawn']
    saves = ()
    parameters = ('parameters_shapes',)
    backward = staticmethod(drawn_backward)
    backward_complex = staticmethod(drawn_backward)


new_NormalBackward3 = maker_of(NormalBackward3)


OP_drawn.nodes = (BernoulliBackward0, PoissonBackward0, NormalBackward1, NormalBackward2, NormalBackward3)


OP_drawn.select_node = lambda parameters, values, distribution: {'bernoulli': BernoulliBackward0, 'poisson': PoissonBackward0, 'normal around': NormalBackward1, 'normal within': NormalBackward2, 'normal': NormalBackward3}[distribution]


def drawn(parameters, values, distribution):
    """A copy of `values`, drawn from a distribution with the parameters given."""
    return general(OP_drawn, (parameters, values, distribution))


OP_drawn.function = drawn


def dropout(input, p, train):
    """In training zeroes each element with probability `p` and multiplies the others by 1 / (1 - p)."""
    if type(input) not in PLAIN_TYPES or type(p) is not float and type(p) is not int or train is not False and train is not True:
        input, p, train = accepted(OP_dropout, (input, p, train))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_dropout, (input, p, train), dict())) is not ABSENT:
            return _taken
    try:
        return composite_dropout(F, input, p, train)
    except Exception:
        explain_arguments(OP_dropout, (input, p, train))
        raise


def dropout_(input, p, train):
    """In-place version of `dropout`."""
    return write(dropout, input, (p, train), {}, OP_dropout)


OP_dropout.inplace_function = dropout_


OP_dropout.function = dropout


def dropout_mask(input, p, by_channel):
    """0 with probability `p`, else 1 / (1 - p): for every element of `input`, or for every channel of each example."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_dropout_mask(xp, input_array, p, by_channel)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_dropout_mask, (input, p, by_channel))


OP_dropout_mask.function = dropout_mask


def embedding_backward(F, node, saved, g, edges):
    indices, = saved
    weight_shape, padding_idx, scale_grad_by_freq = node.params
    return (F.embedding_gradient(g, indices, weight_shape[0], padding_idx, scale_grad_by_freq),)


class EmbeddingBackward0(Saving):
    op = OPS['embedding']
    saves = ('indices',)
    parameters = ('weight_shape', 'padding_idx', 'scale_grad_by_freq')
    backward = staticmethod(embedding_backward)
    backward_complex = staticmethod(embedding_backward)


new_EmbeddingBackward0 = maker_of(EmbeddingBackward0)


OP_embedding.nodes = (EmbeddingBackward0,)


OP_embedding.select_node = lambda weight, indices, padding_idx, scale_grad_by_freq, sparse: EmbeddingBackward0


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """The rows of `weight` that `indices` name. The row `padding_idx` gets no gradient; `sparse` is without effect."""
    if type(padding_idx) is not int or padding_idx > 0x3FFFFFFF or padding_idx < -0x3FFFFFFF or scale_grad_by_freq is not False and scale_grad_by_freq is not True or sparse is not False and sparse is not True:
        weight, indices, padding_idx, scale_grad_by_freq, sparse = accepted(OP_embedding, (weight, indices, padding_idx, scale_grad_by_freq, sparse))
    if (type(weight) is Tensor or type(weight) in PLAIN_TYPES) and (type(indices) is Tensor or type(indices) in PLAIN_TYPES):
        weight_array = weight._array
        indices_array = indices._array
        _mode = get_mode()
        if type(weight_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_embedding(xp, weight_array, indices_array, padding_idx, scale_grad_by_freq, sparse)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (weight_edge := weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight)) is not None:
                    _node = new_EmbeddingBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (weight_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (indices_array,)
                    if (indices_storage := indices._store) is None:
                        indices_storage = indices._store = new_storage(None)
                        indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (indices_storage.version,)
                    _node.params = (weight_array.shape if weight._alike is None else weight._alike[0], padding_idx, scale_grad_by_freq)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_embedding, (weight, indices, padding_idx, scale_grad_by_freq, sparse))


OP_embedding.function = embedding


def embedding_again_backward(F, node, saved, g, edges):
    indices, = saved
    input_shape, padding_idx, scale_grad_by_freq = node.params
    return (F.embedding_gradient(g, indices, input_shape[0], padding_idx, scale_grad_by_freq),)


class EmbeddingAgainBackward0(Saving):
    op = OPS['embedding_again']
    saves = ('indices',)
    parameters = ('input_shape', 'padding_idx', 'scale_grad_by_freq')
    backward = staticmethod(embedding_again_backward)
    backward_complex = staticmethod(embedding_again_backward)


new_EmbeddingAgainBackward0 = maker_of(EmbeddingAgainBackward0)


OP_embedding_again.nodes = (EmbeddingAgainBackward0,)


OP_embedding_again.select_node = lambda input, indices, padding_idx, scale_grad_by_freq: EmbeddingAgainBackward0


def embedding_again(input, indices, padding_idx, scale_grad_by_freq):
    """The transpose of `embedding_gradient`: rows looked up, `padding_idx` as zeros, over how often they occur."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(indices) is Tensor or type(indices) in PLAIN_TYPES):
        input_array = input._array
        indices_array = indices._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_embedding_again(input_array, indices_array, padding_idx, scale_grad_by_freq)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_EmbeddingAgainBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (indices_array,)
                    if (indices_storage := indices._store) is None:
                        indices_storage = indices._store = new_storage(None)
                        indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (indices_storage.version,)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], padding_idx, scale_grad_by_freq)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_embedding_again, (input, indices, padding_idx, scale_grad_by_freq))


OP_embedding_again.function = embedding_again


def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """(sums, means or maxima of the rows of each bag; the bag of each row; the sizes of the bags; where maxima stood).

    A bag begins at each of `offsets`; `mode` is 0 for sums, 1 for means, 2 for maxima. Rows `padding_idx` do not count."""
    if type(weight) not in PLAIN_TYPES or type(indices) not in PLAIN_TYPES or type(offsets) not in PLAIN_TYPES or scale_grad_by_freq is not False and scale_grad_by_freq is not True or type(mode) is not int or mode > 0x3FFFFFFF or mode < -0x3FFFFFFF or sparse is not False and sparse is not True or per_sample_weights is not None and (type(per_sample_weights) not in PLAIN_TYPES) or include_last_offset is not False and include_last_offset is not True or padding_idx is not None and (type(padding_idx) is not int or padding_idx > 0x3FFFFFFF or padding_idx < -0x3FFFFFFF):
        weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx = accepted(OP_embedding_bag, (weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx))
    if type(get_mode()) is Modes and get_mode().function_modes or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or type(indices) not in PLAIN_TYPES and hasattr(indices, '__torch_function__') or type(offsets) not in PLAIN_TYPES and hasattr(offsets, '__torch_function__') or per_sample_weights is not None and type(per_sample_weights) not in PLAIN_TYPES and hasattr(per_sample_weights, '__torch_function__'):
        if (_taken := taken_over(OP_embedding_bag, (weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx), dict())) is not ABSENT:
            return _taken
    try:
        return composite_embedding_bag(F, weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)
    except Exception:
        explain_arguments(OP_embedding_bag, (weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx))
        raise


OP_embedding_bag.function = embedding_bag


def embedding_gradient_backward(F, node, saved, g, edges):
    indices, = saved
    padding_idx, scale_grad_by_freq = node.params
    return (F.embedding_again(g, indices, padding_idx, scale_grad_by_freq),)


class EmbeddingDenseBackward0(Saving):
    op = OPS['embedding_gradient']
    saves = ('indices',)
    parameters = ('padding_idx', 'scale_grad_by_freq')
    backward = staticmethod(embedding_gradient_backward)
    backward_complex = staticmethod(embedding_gradient_backward)


new_EmbeddingDenseBackward0 = maker_of(EmbeddingDenseBackward0)


OP_embedding_gradient.nodes = (EmbeddingDenseBackward0,)


OP_embedding_gradient.select_node = lambda input, indices, rows, padding_idx, scale_grad_by_freq: EmbeddingDenseBackward0


def embedding_gradient(input, indices, rows, padding_idx, scale_grad_by_freq):
    """The transpose of `embedding`: rows are added where they were looked up."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(indices) is Tensor or type(indices) in PLAIN_TYPES):
        input_array = input._array
        indices_array = indices._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_embedding_gradient(input_array, indices_array, rows, padding_idx, scale_grad_by_freq)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_EmbeddingDenseBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (indices_array,)
                    if (indices_storage := indices._store) is None:
                        indices_storage = indices._store = new_storage(None)
                        indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (indices_storage.version,)
                    _node.params = (padding_idx, scale_grad_by_freq)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_embedding_gradient, (input, indices, rows, padding_idx, scale_grad_by_freq))


OP_embedding_gradient.function = embedding_gradient


def embedding_renorm_(input, indices, max_norm, norm_type):
    """Shortens the rows of a table that are looked up to a norm of `max_norm` at most, in place."""
    if type(input) not in PLAIN_TYPES or type(indices) not in PLAIN_TYPES or type(max_norm) is not float and type(max_norm) is not int or type(norm_type) is not float and type(norm_type) is not int:
        input, indices, max_norm, norm_type = accepted(OP_embedding_renorm_, (input, indices, max_norm, norm_type))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(indices) not in PLAIN_TYPES and hasattr(indices, '__torch_function__'):
        if (_taken := taken_over(OP_embedding_renorm_, (input, indices, max_norm, norm_type), dict())) is not ABSENT:
            return _taken
    try:
        return composite_embedding_renorm_(F, input, indices, max_norm, norm_type)
    except Exception:
        explain_arguments(OP_embedding_renorm_, (input, indices, max_norm, norm_type))
        raise


OP_embedding_renorm_.function = embedding_renorm_


def feature_alpha_dropout(input, p, train):
    """Alpha dropout of whole channels."""
    if type(input) not in PLAIN_TYPES or type(p) is not float and type(p) is not int or train is not False and train is not True:
        input, p, train = accepted(OP_feature_alpha_dropout, (input, p, train))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_feature_alpha_dropout, (input, p, train), dict())) is not ABSENT:
            return _taken
    try:
        return composite_feature_alpha_dropout(F, input, p, train)
    except Exception:
        explain_arguments(OP_feature_alpha_dropout, (input, p, train))
        raise


def feature_alpha_dropout_(input, p, train):
    """In-place version of `feature_alpha_dropout`."""
    return write(feature_alpha_dropout, input, (p, train), {}, OP_feature_alpha_dropout)


OP_feature_alpha_dropout.inplace_function = feature_alpha_dropout_


OP_feature_alpha_dropout.function = feature_alpha_dropout


def feature_dropout(input, p, train):
    """Dropout of whole channels."""
    if type(input) not in PLAIN_TYPES or type(p) is not float and type(p) is not int or train is not False and train is not True:
        input, p, train = accepted(OP_feature_dropout, (input, p, train))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_feature_dropout, (input, p, train), dict())) is not ABSENT:
            return _taken
    try:
        return composite_feature_dropout(F, input, p, train)
    except Exception:
        explain_arguments(OP_feature_dropout, (input, p, train))
        raise


def feature_dropout_(input, p, train):
    """In-place version of `feature_dropout`."""
    return write(feature_dropout, input, (p, train), {}, OP_feature_dropout)


OP_feature_dropout.inplace_function = feature_dropout_


OP_feature_dropout.function = feature_dropout


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The transpose of `nn.functional.unfold`: columns added up where their blocks lie in images of `output_size`.

    (N, C * taps, blocks) or (C * taps, blocks) becomes (N, C, *output_size) or (C, *output_size). Raises
    RuntimeError if there are not as many columns as blocks."""
    if type(input) not in PLAIN_TYPES or not isinstance(output_size, (tuple, list)) and type(output_size) is not int or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF) or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF):
        input, output_size, kernel_size, dilation, padding, stride = accepted(OP_fold, (input, output_size, kernel_size, dilation, padding, stride))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fold, (input, output_size, kernel_size, dilation, padding, stride), dict())) is not ABSENT:
            return _taken
    try:
        if type(output_size) in ROWS and not WHOLE.issuperset(map(type, output_size)) or type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)):
            input, output_size, kernel_size, dilation, padding, stride = accepted(OP_fold, (input, output_size, kernel_size, dilation, padding, stride))
        return composite_fold(F, input, output_size, kernel_size, dilation, padding, stride)
    except Exception:
        explain_arguments(OP_fold, (input, output_size, kernel_size, dilation, padding, stride))
        raise


OP_fold.function = fold


def fractional_max_pool2d(input, kernel_size, output_size, random_samples):
    """The largest element of each of `output_size` windows at random steps, and its position."""
    if type(get_mode()) is Modes:
        return autocasted(OP_fractional_max_pool2d, composite_fractional_max_pool2d, F, (input, kernel_size, output_size, random_samples), dict())
    return composite_fractional_max_pool2d(F, input, kernel_size, output_size, random_samples)


OP_fractional_max_pool2d.function = fractional_max_pool2d


def fractional_max_pool3d(input, kernel_size, output_size, random_samples):
    """The largest element of each of `output_size` windows at random steps, and its position."""
    if type(get_mode()) is Modes:
        return autocasted(OP_fractional_max_pool3d, composite_fractional_max_pool3d, F, (input, kernel_size, output_size, random_samples), dict())
    return composite_fractional_max_pool3d(F, input, kernel_size, output_size, random_samples)


OP_fractional_max_pool3d.function = fractional_max_pool3d


def fractional_pool_backward(F, node, saved, g, edges):
    indices, = saved
    input_shape, kernel_size = node.params
    return (F.put_pooled(g, indices, input_shape, len(kernel_size)),)


class FractionalMaxPool2DBackward0(Saving):
    op = OPS['fractional_pool']
    saves = ('indices',)
    parameters = ('input_shape', 'kernel_size')
    backward = staticmethod(fractional_pool_backward)
    backward_complex = staticmethod(fractional_pool_backward)


new_FractionalMaxPool2DBackward0 = maker_of(FractionalMaxPool2DBackward0)


class FractionalMaxPool3DBackward0(Saving):
    op = OPS['fractional_pool']
    saves = ('indices',)
    parameters = ('input_shape', 'kernel_size')
    backward = staticmethod(fractional_pool_backward)
    backward_complex = staticmethod(fractional_pool_backward)


new_FractionalMaxPool3DBackward0 = maker_of(FractionalMaxPool3DBackward0)


OP_fractional_pool.nodes = (FractionalMaxPool2DBackward0, FractionalMaxPool3DBackward0)


OP_fractional_pool.select_node = lambda input, kernel_size, output_size, samples: FractionalMaxPool2DBackward0 if len(kernel_size) == 2 else FractionalMaxPool3DBackward0


def fractional_pool(input, kernel_size, output_size, samples):
    """The largest element of each of `output_size` windows, and its position; `samples` say where windows begin."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(samples) is Tensor or type(samples) in PLAIN_TYPES):
        input_array = input._array
        samples_array = samples._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _out, _indices = forward_fractional_pool(xp, input_array, kernel_size, output_size, samples_array)
            except Exception:
                pass
            else:
                if type(_out) is not ndarray and isinstance(_out, np.generic):
                    _out = as_array(_out)
                _out_tensor = new_tensor(None)
                _out_tensor._array = _out
                _out_tensor._alike = None
                _out_tensor._base = None
                _out_tensor._generation = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _out_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_FractionalMaxPool2DBackward0 if len(kernel_size) == 2 else new_FractionalMaxPool3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], kernel_size)
                    _node.metas = None
                    _node.special = False
                    _out_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _out_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _out_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return (_out_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_fractional_pool, (input, kernel_size, output_size, samples))


OP_fractional_pool.function = fractional_pool


def grid_sampled_backward(F, node, saved, g, edges):
    input, grid = saved
    input_shape, mode, padding, align_corners, orders = node.params
    input_edge, grid_edge = edges
    return (None if input_edge is None else F.grid_spread(g, grid, input_shape, mode, padding, align_corners, orders), None if grid_edge is None else derivative_grid_sampled_grid(F, g, input, grid, mode, padding, align_corners, orders))


class GridSampler2DBackward0(Saving):
    op = OPS['grid_sampled']
    saves = ('input', 'grid')
    parameters = ('input_shape', 'mode', 'padding', 'align_corners', 'orders')
    backward = staticmethod(grid_sampled_backward)
    backward_complex = staticmethod(grid_sampled_backward)


new_GridSampler2DBackward0 = maker_of(GridSampler2DBackward0)


class GridSampler3DBackward0(Saving):
    op = OPS['grid_sampled']
    saves = ('input', 'grid')
    parameters = ('input_shape', 'mode', 'padding', 'align_corners', 'orders')
    backward = staticmethod(grid_sampled_backward)
    backward_complex = staticmethod(grid_sampled_backward)


new_GridSampler3DBackward0 = maker_of(GridSampler3DBackward0)


OP_grid_sampled.nodes = (GridSampler2DBackward0, GridSampler3DBackward0)


OP_grid_sampled.select_node = lambda input, grid, mode, padding, align_corners, orders: GridSampler2DBackward0 if input.ndim == 4 else GridSampler3DBackward0


def grid_sampled(input, grid, mode, padding, align_corners, orders):
    """`input` (N, C, *size) at the points of `grid` (N, *points, rank), differentiated `orders` times by each place."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(grid) is Tensor or type(grid) in PLAIN_TYPES):
        input_array = input._array
        grid_array = grid._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is grid_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_grid_sampled(xp, input_array, grid_array, mode, padding, align_corners, orders)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    grid_edge = grid._edge if (_base := grid._base) is None or grid._generation == _base._generation else edge_of(grid)
                if _mode and (input_edge is not None or grid_edge is not None):
                    _node = (new_GridSampler2DBackward0 if input.ndim == 4 else new_GridSampler3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, grid_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if grid_edge is None else input_array, grid_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (grid_storage := grid._store) is None:
                        grid_storage = grid._store = new_storage(None)
                        grid_storage.version = 0
                    _node.storages = (input_storage, grid_storage)
                    _node.versions = (input_storage.version, grid_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], mode, padding, align_corners, orders)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_grid_sampled, (input, grid, mode, padding, align_corners, orders))


OP_grid_sampled.function = grid_sampled


def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """`grid_sampler_2d` or `grid_sampler_3d`, as the input's rank has it."""
    if type(input) not in PLAIN_TYPES or type(grid) not in PLAIN_TYPES or type(interpolation_mode) is not int or interpolation_mode > 0x3FFFFFFF or interpolation_mode < -0x3FFFFFFF or type(padding_mode) is not int or padding_mode > 0x3FFFFFFF or padding_mode < -0x3FFFFFFF or align_corners is not False and align_corners is not True:
        input, grid, interpolation_mode, padding_mode, align_corners = accepted(OP_grid_sampler, (input, grid, interpolation_mode, padding_mode, align_corners))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(grid) not in PLAIN_TYPES and hasattr(grid, '__torch_function__'):
        if (_taken := taken_over(OP_grid_sampler, (input, grid, interpolation_mode, padding_mode, align_corners), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_grid_sampler, composite_grid_sampler, F, (input, grid, interpolation_mode, padding_mode, align_corners), dict())
    try:
        return composite_grid_sampler(F, input, grid, interpolation_mode, padding_mode, align_corners)
    except Exception:
        explain_arguments(OP_grid_sampler, (input, grid, interpolation_mode, padding_mode, align_corners))
        raise


OP_grid_sampler.function = grid_sampler


def grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners):
    """`input` (N, C, H, W) at the points of `grid` (N, *points, 2); `grid_sample` with modes and paddings by number."""
    if type(input) not in PLAIN_TYPES or type(grid) not in PLAIN_TYPES or type(interpolation_mode) is not int or interpolation_mode > 0x3FFFFFFF or interpolation_mode < -0x3FFFFFFF or type(padding_mode) is not int or padding_mode > 0x3FFFFFFF or padding_mode < -0x3FFFFFFF or align_corners is not False and align_corners is not True:
        input, grid, interpolation_mode, padding_mode, align_corners = accepted(OP_grid_sampler_2d, (input, grid, interpolation_mode, padding_mode, align_corners))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(grid) not in PLAIN_TYPES and hasattr(grid, '__torch_function__'):
        if (_taken := taken_over(OP_grid_sampler_2d, (input, grid, interpolation_mode, padding_mode, align_corners), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_grid_sampler_2d, composite_grid_sampler_2d, F, (input, grid, interpolation_mode, padding_mode, align_corners), dict())
    try:
        return composite_grid_sampler_2d(F, input, grid, interpolation_mode, padding_mode, align_corners)
    except Exception:
        explain_arguments(OP_grid_sampler_2d, (input, grid, interpolation_mode, padding_mode, align_corners))
        raise


OP_grid_sampler_2d.function = grid_sampler_2d


def grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners):
    """`input` (N, C, D, H, W) at the points of `grid` (N, *points, 3), with modes and paddings by number."""
    if type(input) not in PLAIN_TYPES or type(grid) not in PLAIN_TYPES or type(interpolation_mode) is not int or interpolation_mode > 0x3FFFFFFF or interpolation_mode < -0x3FFFFFFF or type(padding_mode) is not int or padding_mode > 0x3FFFFFFF or padding_mode < -0x3FFFFFFF or align_corners is not False and align_corners is not True:
        input, grid, interpolation_mode, padding_mode, align_corners = accepted(OP_grid_sampler_3d, (input, grid, interpolation_mode, padding_mode, align_corners))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(grid) not in PLAIN_TYPES and hasattr(grid, '__torch_function__'):
        if (_taken := taken_over(OP_grid_sampler_3d, (input, grid, interpolation_mode, padding_mode, align_corners), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_grid_sampler_3d, composite_grid_sampler_3d, F, (input, grid, interpolation_mode, padding_mode, align_corners), dict())
    try:
        return composite_grid_sampler_3d(F, input, grid, interpolation_mode, padding_mode, align_corners)
    except Exception:
        explain_arguments(OP_grid_sampler_3d, (input, grid, interpolation_mode, padding_mode, align_corners))
        raise


OP_grid_sampler_3d.function = grid_sampler_3d


def grid_spread_backward(F, node, saved, g, edges):
    grad, grid = saved
    mode, padding, align_corners, orders = node.params
    grad_edge, grid_edge = edges
    return (None if grad_edge is None else F.grid_sampled(g, grid, mode, padding, align_corners, orders), None if grid_edge is None else derivative_grid_spread_grid(F, g, grad, grid, mode, padding, align_corners, orders))


class GridSampler2DBackwardBackward0(Saving):
    op = OPS['grid_spread']
    saves = ('grad', 'grid')
    parameters = ('mode', 'padding', 'align_corners', 'orders')
    backward = staticmethod(grid_spread_backward)
    backward_complex = staticmethod(grid_spread_backward)


new_GridSampler2DBackwardBackward0 = maker_of(GridSampler2DBackwardBackward0)


class GridSampler3DBackwardBackward0(Saving):
    op = OPS['grid_spread']
    saves = ('grad', 'grid')
    parameters = ('mode', 'padding', 'align_corners', 'orders')
    backward = staticmethod(grid_spread_backward)
    backward_complex = staticmethod(grid_spread_backward)


new_GridSampler3DBackwardBackward0 = maker_of(GridSampler3DBackwardBackward0)


OP_grid_spread.nodes = (GridSampler2DBackwardBackward0, GridSampler3DBackwardBackward0)


OP_grid_spread.select_node = lambda grad, grid, shape, mode, padding, align_corners, orders: GridSampler2DBackwardBackward0 if len(shape) == 4 else GridSampler3DBackwardBackward0


def grid_spread(grad, grid, shape, mode, padding, align_corners, orders):
    """The transpose of `grid_sampled`: `grad` (N, C, *points) brought back to an image of `shape`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(grid) is Tensor or type(grid) in PLAIN_TYPES):
        grad_array = grad._array
        grid_array = grid._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is grid_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_grid_spread(grad_array, grid_array, shape, mode, padding, align_corners, orders)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    grad_edge = grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)
                    grid_edge = grid._edge if (_base := grid._base) is None or grid._generation == _base._generation else edge_of(grid)
                if _mode and (grad_edge is not None or grid_edge is not None):
                    _node = (new_GridSampler2DBackwardBackward0 if len(shape) == 4 else new_GridSampler3DBackwardBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge, grid_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if grid_edge is None else grad_array, grid_array)
                    if (grad_storage := grad._store) is None:
                        grad_storage = grad._store = new_storage(None)
                        grad_storage.version = 0
                    if (grid_storage := grid._store) is None:
                        grid_storage = grid._store = new_storage(None)
                        grid_storage.version = 0
                    _node.storages = (grad_storage, grid_storage)
                    _node.versions = (grad_storage.version, grid_storage.version)
                    _node.params = (mode, padding, align_corners, orders)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_grid_spread, (grad, grid, shape, mode, padding, align_corners, orders))


OP_grid_spread.function = grid_spread


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    """Each group of channels less its mean, over its deviation."""
    if type(input) not in PLAIN_TYPES or type(num_groups) is not int or num_groups > 0x3FFFFFFF or num_groups < -0x3FFFFFFF or weight is not None and (type(weight) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES) or type(eps) is not float and type(eps) is not int or cudnn_enabled is not False and cudnn_enabled is not True:
        input, num_groups, weight, bias, eps, cudnn_enabled = accepted(OP_group_norm, (input, num_groups, weight, bias, eps, cudnn_enabled))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_group_norm, (input, num_groups, weight, bias, eps, cudnn_enabled), dict())) is not ABSENT:
            return _taken
    try:
        return composite_group_norm(F, input, num_groups, weight, bias, eps, cudnn_enabled)
    except Exception:
        explain_arguments(OP_group_norm, (input, num_groups, weight, bias, eps, cudnn_enabled))
        raise


OP_group_norm.function = group_norm


def group_norm_slopes(grad, input, num_groups, weight, mean, scale):
    """All three gradients of group norm, which have most of their sums in common."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(input) is Tensor or type(input) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES):
        grad_array = grad._array
        input_array = input._array
        weight_array = None if weight is None else weight._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is input_array.dtype and (weight is None or _dtype is weight_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _to_input, _to_weight, _to_bias = forward_group_norm_slopes(xp, grad_array, input_array, num_groups, weight_array, mean, scale)
            except Exception:
                pass
            else:
                if type(_to_input) is not ndarray and isinstance(_to_input, np.generic):
                    _to_input = as_array(_to_input)
                _to_input_tensor = new_tensor(None)
                _to_input_tensor._array = _to_input
                _to_input_tensor._alike = None
                _to_input_tensor._base = None
                _to_input_tensor._generation = None
                if type(_to_weight) is not ndarray and isinstance(_to_weight, np.generic):
                    _to_weight = as_array(_to_weight)
                _to_weight_tensor = new_tensor(None)
                _to_weight_tensor._array = _to_weight
                _to_weight_tensor._alike = None
                _to_weight_tensor._base = None
                _to_weight_tensor._generation = None
                if type(_to_bias) is not ndarray and isinstance(_to_bias, np.generic):
                    _to_bias = as_array(_to_bias)
                _to_bias_tensor = new_tensor(None)
                _to_bias_tensor._array = _to_bias
                _to_bias_tensor._alike = None
                _to_bias_tensor._base = None
                _to_bias_tensor._generation = None
                _to_input_tensor._store = None
                _to_weight_tensor._store = None
                _to_bias_tensor._store = None
                _to_input_tensor._edge = None
                _to_weight_tensor._edge = None
                _to_bias_tensor._edge = None
                if _mode is INFERENCE:
                    _to_input_tensor._store = InferenceStorage()
                    _to_weight_tensor._store = InferenceStorage()
                    _to_bias_tensor._store = InferenceStorage()
                return (_to_input_tensor, _to_weight_tensor, _to_bias_tensor)
            finally:
                reset_errors(_token)
    return general(OP_group_norm_slopes, (grad, input, num_groups, weight, mean, scale))


OP_group_norm_slopes.function = group_norm_slopes


def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    """`mat_a @ mat_b`, group by group: each row of a 2-D `mat_a` times the matrix of its group in a 3-D `mat_b`.

    `offs`, of int32, says where in the rows the groups end. It may be the columns of a 2-D `mat_b` that belong to
    groups, or what is summed over where both are 2-D; two batches need no `offs`."""
    if type(mat_a) not in PLAIN_TYPES or type(mat_b) not in PLAIN_TYPES or offs is not None and (type(offs) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES):
        mat_a, mat_b, offs, bias, out_dtype = accepted(OP_grouped_mm, (mat_a, mat_b, offs, bias, out_dtype))
    if type(get_mode()) is Modes and get_mode().function_modes or type(mat_a) not in PLAIN_TYPES and hasattr(mat_a, '__torch_function__') or type(mat_b) not in PLAIN_TYPES and hasattr(mat_b, '__torch_function__') or offs is not None and type(offs) not in PLAIN_TYPES and hasattr(offs, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_grouped_mm, (mat_a, mat_b), dict(offs=offs, bias=bias, out_dtype=out_dtype))) is not ABSENT:
            return _taken
    try:
        return composite_grouped_mm(F, mat_a, mat_b, offs=offs, bias=bias, out_dtype=out_dtype)
    except Exception:
        explain_arguments(OP_grouped_mm, (mat_a, mat_b, offs, bias, out_dtype))
        raise


OP_grouped_mm.function = grouped_mm


def grouped_product_backward(F, node, saved, g, edges):
    mat_a, mat_b, offs = saved
    mat_a_edge, mat_b_edge = edges
    return (None if mat_a_edge is None else F.grouped_product(g, F.transpose(mat_b, -2, -1), offs), None if mat_b_edge is None else F.grouped_product(F.transpose(mat_a, -2, -1), g, offs))


class GroupedMmBackward0(Saving):
    op = OPS['grouped_product']
    saves = ('mat_a', 'mat_b', 'offs')
    parameters = ()
    backward = staticmethod(grouped_product_backward)
    backward_complex = staticmethod(grouped_product_backward)


new_GroupedMmBackward0 = maker_of(GroupedMmBackward0)


OP_grouped_product.nodes = (GroupedMmBackward0,)


OP_grouped_product.select_node = lambda mat_a, mat_b, offs: GroupedMmBackward0


def grouped_product(mat_a, mat_b, offs):
    """`mat_a @ mat_b`, group by group; `offs` says where the groups end."""
    if (type(mat_a) is Tensor or type(mat_a) in PLAIN_TYPES) and (type(mat_b) is Tensor or type(mat_b) in PLAIN_TYPES) and (offs is None or type(offs) in PLAIN_TYPES):
        mat_a_array = mat_a._array
        mat_b_array = mat_b._array
        offs_array = None if offs is None else offs._array
        _mode = get_mode()
        if ((_dtype := mat_a_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is mat_b_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_grouped_product(mat_a_array, mat_b_array, offs_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    mat_a_edge = mat_a._edge if (_base := mat_a._base) is None or mat_a._generation == _base._generation else edge_of(mat_a)
                    mat_b_edge = mat_b._edge if (_base := mat_b._base) is None or mat_b._generation == _base._generation else edge_of(mat_b)
                if _mode and (mat_a_edge is not None or mat_b_edge is not None):
                    _node = new_GroupedMmBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (mat_a_edge, mat_b_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if mat_b_edge is None else mat_a_array, None if mat_a_edge is None else mat_b_array, offs_array)
                    if (mat_a_storage := mat_a._store) is None:
                        mat_a_storage = mat_a._store = new_storage(None)
                        mat_a_storage.version = 0
                    if (mat_b_storage := mat_b._store) is None:
                        mat_b_storage = mat_b._store = new_storage(None)
                        mat_b_storage.version = 0
                    offs_storage = None if offs is None else offs._store or offs._storage
                    _node.storages = (mat_a_storage, mat_b_storage, offs_storage)
                    _node.versions = (mat_a_storage.version, mat_b_storage.version, 0 if offs_storage is None else offs_storage.version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_grouped_product, (mat_a, mat_b, offs))


OP_grouped_product.function = grouped_product


def gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """Gated recurrent units (Cho et al., 2014): outputs and last states. Arguments as those of `lstm`."""
    if type(input) not in PLAIN_TYPES or type(hx) not in PLAIN_TYPES or not isinstance(params, (tuple, list)) and type(params) not in PLAIN_TYPES or has_biases is not False and has_biases is not True and not isinstance(has_biases, (tuple, list)) or type(num_layers) is not int and num_layers is not False and num_layers is not True or type(num_layers) is int and (num_layers > 0x3FFFFFFF or num_layers < -0x3FFFFFFF) or type(dropout) is not float and type(dropout) is not int and type(dropout) is not int or type(dropout) is int and (dropout > 0x3FFFFFFF or dropout < -0x3FFFFFFF) or train is not False and train is not True and type(train) is not float and type(train) is not int or bidirectional is not False and bidirectional is not True or batch_first is not False and batch_first is not True:
        input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = accepted(OP_gru, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(hx) not in PLAIN_TYPES and hasattr(hx, '__torch_function__') or type(params) in SEQUENCES and not ORDINARY.issuperset(map(type, params)) or type(params) not in PLAIN_TYPES and hasattr(params, '__torch_function__') or type(has_biases) in SEQUENCES and not ORDINARY.issuperset(map(type, has_biases)):
        if (_taken := taken_over(OP_gru, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_gru, composite_gru, F, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), dict())
    try:
        return composite_gru(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    except Exception:
        explain_arguments(OP_gru, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first))
        raise


OP_gru.function = gru


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """The state after one step of a gated recurrent unit."""
    if type(input) not in PLAIN_TYPES or type(hx) not in PLAIN_TYPES or type(w_ih) not in PLAIN_TYPES or type(w_hh) not in PLAIN_TYPES or b_ih is not None and (type(b_ih) not in PLAIN_TYPES) or b_hh is not None and (type(b_hh) not in PLAIN_TYPES):
        input, hx, w_ih, w_hh, b_ih, b_hh = accepted(OP_gru_cell, (input, hx, w_ih, w_hh, b_ih, b_hh))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(hx) not in PLAIN_TYPES and hasattr(hx, '__torch_function__') or type(w_ih) not in PLAIN_TYPES and hasattr(w_ih, '__torch_function__') or type(w_hh) not in PLAIN_TYPES and hasattr(w_hh, '__torch_function__') or b_ih is not None and type(b_ih) not in PLAIN_TYPES and hasattr(b_ih, '__torch_function__') or b_hh is not None and type(b_hh) not in PLAIN_TYPES and hasattr(b_hh, '__torch_function__'):
        if (_taken := taken_over(OP_gru_cell, (input, hx, w_ih, w_hh, b_ih, b_hh), dict())) is not ABSENT:
            return _taken
    try:
        return composite_gru_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)
    except Exception:
        explain_arguments(OP_gru_cell, (input, hx, w_ih, w_hh, b_ih, b_hh))
        raise


OP_gru_cell.function = gru_cell


def gru_layer_backward(F, node, saved, g, edges):
    input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, output, gates, recalled = saved
    sizes, reverse = node.params
    g_output, g_last_hidden = F.present(node, g)
    common = common_gru_layer(F, g_output, g_last_hidden, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, output, gates, recalled, sizes, reverse)
    input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, hidden_edge = edges
    return (None if input_edge is None else F.mm(common.gates, weight_ih), None if weight_ih_edge is None else F.mm(F.t(common.gates), input), None if weight_hh_edge is None else F.mm(F.t(common.recalled), common.begun), None if bias_ih_edge is None else F.sum(common.gates, 0), None if bias_hh_edge is None else F.sum(common.recalled, 0), None if hidden_edge is None else common.hidden)


def gru_layer_backward_complex(F, node, saved, g, edges):
    input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, output, gates, recalled = saved
    sizes, reverse = node.params
    g_output, g_last_hidden = F.present(node, g)
    common = common_gru_layer(F, g_output, g_last_hidden, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, output, gates, recalled, sizes, reverse)
    input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, hidden_edge = edges
    return (None if input_edge is None else F.mm(common.gates, F.conj(weight_ih)), None if weight_ih_edge is None else F.mm(F.t(common.gates), F.conj(input)), None if weight_hh_edge is None else F.mm(F.t(common.recalled), common.begun), None if bias_ih_edge is None else F.sum(common.gates, 0), None if bias_hh_edge is None else F.sum(common.recalled, 0), None if hidden_edge is None else common.hidden)


class GruLayerBackward0(Saving):
    op = OPS['gru_layer']
    saves = ('input', 'weight_ih', 'weight_hh', 'bias_ih', 'bias_hh', 'hidden', 'output', 'gates', 'recalled')
    parameters = ('sizes', 'reverse')
    backward = staticmethod(gru_layer_backward)
    backward_complex = staticmethod(gru_layer_backward_complex)


new_GruLayerBackward0 = maker_of(GruLayerBackward0)


OP_gru_layer.nodes = (GruLayerBackward0,)


OP_gru_layer.select_node = lambda input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse: GruLayerBackward0


def gru_layer(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
    """Outputs and last states of a layer in one direction; beside them what its derivative needs."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(weight_ih) is Tensor or type(weight_ih) in PLAIN_TYPES) and (type(weight_hh) is Tensor or type(weight_hh) in PLAIN_TYPES) and (bias_ih is None or type(bias_ih) in PLAIN_TYPES) and (bias_hh is None or type(bias_hh) in PLAIN_TYPES) and (type(hidden) is Tensor or type(hidden) in PLAIN_TYPES):
        input_array = input._array
        weight_ih_array = weight_ih._array
        weight_hh_array = weight_hh._array
        bias_ih_array = None if bias_ih is None else bias_ih._array
        bias_hh_array = None if bias_hh is None else bias_hh._array
        hidden_array = hidden._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is weight_ih_array.dtype and _dtype is weight_hh_array.dtype and (bias_ih is None or _dtype is bias_ih_array.dtype) and (bias_hh is None or _dtype is bias_hh_array.dtype) and _dtype is hidden_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _output, _last_hidden, _gates, _recalled = forward_gru_layer(xp, input_array, weight_ih_array, weight_hh_array, bias_ih_array, bias_hh_array, hidden_array, sizes, reverse)
            except Exception:
                pass
            else:
                if type(_output) is not ndarray and isinstance(_output, np.generic):
                    _output = as_array(_output)
                _output_tensor = new_tensor(None)
                _output_tensor._array = _output
                _output_tensor._alike = None
                _output_tensor._base = None
                _output_tensor._generation = None
                if type(_last_hidden) is not ndarray and isinstance(_last_hidden, np.generic):
                    _last_hidden = as_array(_last_hidden)
                _last_hidden_tensor = new_tensor(None)
                _last_hidden_tensor._array = _last_hidden
                _last_hidden_tensor._alike = None
                _last_hidden_tensor._base = None
                _last_hidden_tensor._generation = None
                if type(_gates) is not ndarray and isinstance(_gates, np.generic):
                    _gates = as_array(_gates)
                _gates_tensor = new_tensor(None)
                _gates_tensor._array = _gates
                _gates_tensor._alike = None
                _gates_tensor._base = None
                _gates_tensor._generation = None
                if type(_recalled) is not ndarray and isinstance(_recalled, np.generic):
                    _recalled = as_array(_recalled)
                _recalled_tensor = new_tensor(None)
                _recalled_tensor._array = _recalled
                _recalled_tensor._alike = None
                _recalled_tensor._base = None
                _recalled_tensor._generation = None
                _output_tensor._store = None
                _last_hidden_tensor._store = None
                _gates_tensor._store = None
                _recalled_tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_ih_edge = weight_ih._edge if (_base := weight_ih._base) is None or weight_ih._generation == _base._generation else edge_of(weight_ih)
                    weight_hh_edge = weight_hh._edge if (_base := weight_hh._base) is None or weight_hh._generation == _base._generation else edge_of(weight_hh)
                    bias_ih_edge = None if bias_ih is None else (bias_ih._edge if (_base := bias_ih._base) is None or bias_ih._generation == _base._generation else edge_of(bias_ih))
                    bias_hh_edge = None if bias_hh is None else (bias_hh._edge if (_base := bias_hh._base) is None or bias_hh._generation == _base._generation else edge_of(bias_hh))
                    hidden_edge = hidden._edge if (_base := hidden._base) is None or hidden._generation == _base._generation else edge_of(hidden)
                if _mode and (input_edge is not None or weight_ih_edge is not None or weight_hh_edge is not None or bias_ih_edge is not None or bias_hh_edge is not None or hidden_edge is not None):
                    _node = new_GruLayerBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, hidden_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, weight_ih_array, weight_hh_array, bias_ih_array, bias_hh_array, hidden_array, _output, _gates, _recalled)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (weight_ih_storage := weight_ih._store) is None:
                        weight_ih_storage = weight_ih._store = new_storage(None)
                        weight_ih_storage.version = 0
                    if (weight_hh_storage := weight_hh._store) is None:
                        weight_hh_storage = weight_hh._store = new_storage(None)
                        weight_hh_storage.version = 0
                    bias_ih_storage = None if bias_ih is None else bias_ih._store or bias_ih._storage
                    bias_hh_storage = None if bias_hh is None else bias_hh._store or bias_hh._storage
                    if (hidden_storage := hidden._store) is None:
                        hidden_storage = hidden._store = new_storage(None)
                        hidden_storage.version = 0
                    _output_tensor._store = output_storage = new_storage(None)
                    output_storage.version = 0
                    _gates_tensor._store = gates_storage = new_storage(None)
                    gates_storage.version = 0
                    _recalled_tensor._store = recalled_storage = new_storage(None)
                    recalled_storage.version = 0
                    _node.storages = (input_storage, weight_ih_storage, weight_hh_storage, bias_ih_storage, bias_hh_storage, hidden_storage, output_storage, gates_storage, recalled_storage)
                    _node.versions = (input_storage.version, weight_ih_storage.version, weight_hh_storage.version, 0 if bias_ih_storage is None else bias_ih_storage.version, 0 if bias_hh_storage is None else bias_hh_storage.version, hidden_storage.version, 0, 0, 0)
                    _node.params = (sizes, reverse)
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_output.shape, _output.dtype), (_last_hidden.shape, _last_hidden.dtype))
                    _output_tensor._edge = Output(_node, 0)
                    _last_hidden_tensor._edge = Output(_node, 1)
                    _gates_tensor._edge = None
                    _recalled_tensor._edge = None
                else:
                    _output_tensor._edge = None
                    _last_hidden_tensor._edge = None
                    _gates_tensor._edge = None
                    _recalled_tensor._edge = None
                    if _mode is INFERENCE:
                        _output_tensor._store = InferenceStorage()
                        _last_hidden_tensor._store = InferenceStorage()
                        _gates_tensor._store = InferenceStorage()
                        _recalled_tensor._store = InferenceStorage()
                return (_output_tensor, _last_hidden_tensor, _gates_tensor, _recalled_tensor)
            finally:
                reset_errors(_token)
    return general(OP_gru_layer, (input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse))


OP_gru_layer.function = gru_layer


def gru_slopes(g_output, g_hidden, weight_hh, gates, recalled, states, times):
    """`gru_slopes_of`, as the kernel does it."""
    if (type(g_output) is Tensor or type(g_output) in PLAIN_TYPES) and (type(g_hidden) is Tensor or type(g_hidden) in PLAIN_TYPES) and (type(weight_hh) is Tensor or type(weight_hh) in PLAIN_TYPES) and (type(gates) is Tensor or type(gates) in PLAIN_TYPES) and (type(recalled) is Tensor or type(recalled) in PLAIN_TYPES) and (type(states) is Tensor or type(states) in PLAIN_TYPES):
        g_output_array = g_output._array
        g_hidden_array = g_hidden._array
        weight_hh_array = weight_hh._array
        gates_array = gates._array
        recalled_array = recalled._array
        states_array = states._array
        _mode = get_mode()
        if ((_dtype := g_output_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is g_hidden_array.dtype and _dtype is weight_hh_array.dtype and _dtype is gates_array.dtype and _dtype is recalled_array.dtype and _dtype is states_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _given, _own, _first_hidden = xp_gru_slopes(g_output_array, g_hidden_array, weight_hh_array, gates_array, recalled_array, states_array, times)
            except Exception:
                pass
            else:
                if type(_given) is not ndarray and isinstance(_given, np.generic):
                    _given = as_array(_given)
                _given_tensor = new_tensor(None)
                _given_tensor._array = _given
                _given_tensor._alike = None
                _given_tensor._base = None
                _given_tensor._generation = None
                if type(_own) is not ndarray and isinstance(_own, np.generic):
                    _own = as_array(_own)
                _own_tensor = new_tensor(None)
                _own_tensor._array = _own
                _own_tensor._alike = None
                _own_tensor._base = None
                _own_tensor._generation = None
                if type(_first_hidden) is not ndarray and isinstance(_first_hidden, np.generic):
                    _first_hidden = as_array(_first_hidden)
                _first_hidden_tensor = new_tensor(None)
                _first_hidden_tensor._array = _first_hidden
                _first_hidden_tensor._alike = None
                _first_hidden_tensor._base = None
                _first_hidden_tensor._generation = None
                _given_tensor._store = None
                _own_tensor._store = None
                _first_hidden_tensor._store = None
                _given_tensor._edge = None
                _own_tensor._edge = None
                _first_hidden_tensor._edge = None
                if _mode is INFERENCE:
                    _given_tensor._store = InferenceStorage()
                    _own_tensor._store = InferenceStorage()
                    _first_hidden_tensor._store = InferenceStorage()
                return (_given_tensor, _own_tensor, _first_hidden_tensor)
            finally:
                reset_errors(_token)
    return general(OP_gru_slopes, (g_output, g_hidden, weight_hh, gates, recalled, states, times))


OP_gru_slopes.function = gru_slopes


def hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """`input` where the target is 1, max(0, margin - input) where it is -1."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or type(margin) is not float and type(margin) is not int:
        input, target, margin, reduction = accepted(OP_hinge_embedding_loss, (input, target, margin, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_hinge_embedding_loss, (input, target, margin, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_hinge_embedding_loss, composite_hinge_embedding_loss, F, (input, target, margin, reduction), dict())
    try:
        return composite_hinge_embedding_loss(F, input, target, margin, reduction)
    except Exception:
        explain_arguments(OP_hinge_embedding_loss, (input, target, margin, reduction))
        raise


OP_hinge_embedding_loss.function = hinge_embedding_loss


def huber_loss_backward(F, node, saved, g, edges):
    input, target = saved
    input_shape, input_dtype, target_shape, reduction, delta, target_dtype = node.params
    input_edge, target_edge = edges
    return (None if input_edge is None else derivative_huber_loss_input(F, g, input, target, input_shape, input_dtype, target_shape, reduction, delta), None if target_edge is None else derivative_huber_loss_target(F, g, input, target, input_shape, target_shape, target_dtype, reduction, delta))


class HuberLossBackward0(Saving):
    op = OPS['huber_loss']
    saves = ('input', 'target')
    parameters = ('input_shape', 'input_dtype', 'target_shape', 'reduction', 'delta', 'target_dtype')
    backward = staticmethod(huber_loss_backward)
    backward_complex = staticmethod(huber_loss_backward)


new_HuberLossBackward0 = maker_of(HuberLossBackward0)


OP_huber_loss.nodes = (HuberLossBackward0,)


OP_huber_loss.select_node = lambda input, target, reduction, delta: HuberLossBackward0


def huber_loss(input, target, reduction='mean', delta=1.0):
    """Half the squared difference d below `delta`, `delta * (abs(d) - delta / 2)` above (Huber 1964)."""
    if type(delta) is not float and type(delta) is not int:
        input, target, reduction, delta = accepted(OP_huber_loss, (input, target, reduction, delta))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is target_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_huber_loss(xp, input_array, target_array, reduction, delta)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_HuberLossBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], input_array.dtype if input._alike is None else input._alike[1], target_array.shape if target._alike is None else target._alike[0], reduction, delta, target_array.dtype if target._alike is None else target._alike[1])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_huber_loss, (input, target, reduction, delta))


OP_huber_loss.function = huber_loss


def improbability_backward(F, node, saved, g, edges):
    input, target = saved
    input_edge, target_edge = edges
    return (None if input_edge is None else F.slope_of_improbability(input, target, g), None if target_edge is None else g * (F.clamp(F.log1p(-input), -100) - F.clamp(F.log(input), -100)))


class ImprobabilityBackward0(Saving):
    op = OPS['improbability']
    saves = ('input', 'target')
    parameters = ()
    backward = staticmethod(improbability_backward)
    backward_complex = staticmethod(improbability_backward)


new_ImprobabilityBackward0 = maker_of(ImprobabilityBackward0)


OP_improbability.nodes = (ImprobabilityBackward0,)


OP_improbability.select_node = lambda input, target: ImprobabilityBackward0


def improbability(input, target):
    """-(y log x + (1 - y) log(1 - x)), the logarithms no lower than -100."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if (_alike := input._alike) is not target._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is target_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_improbability(xp, input_array, target_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, target_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_ImprobabilityBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, None if input_edge is None else target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == target_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                            input._alike = target._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (target_array.shape, target_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_improbability, (input, target))


OP_improbability.function = improbability


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05):
    """Each channel of each example less its mean, over its deviation."""
    if type(input) not in PLAIN_TYPES or running_mean is not None and (type(running_mean) not in PLAIN_TYPES) or running_var is not None and (type(running_var) not in PLAIN_TYPES) or weight is not None and (type(weight) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES) or use_input_stats is not False and use_input_stats is not True or type(momentum) is not float and type(momentum) is not int or type(eps) is not float and type(eps) is not int:
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps = accepted(OP_instance_norm, (input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or running_mean is not None and type(running_mean) not in PLAIN_TYPES and hasattr(running_mean, '__torch_function__') or running_var is not None and type(running_var) not in PLAIN_TYPES and hasattr(running_var, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_instance_norm, (input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps), dict())) is not ABSENT:
            return _taken
    try:
        return composite_instance_norm(F, input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)
    except Exception:
        explain_arguments(OP_instance_norm, (input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps))
        raise


OP_instance_norm.function = instance_norm


def interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, antialias=False):
    """`input` (N, C, *d) resampled to `size`, or to `scale_factor` times its size.

    `mode`: nearest, nearest-exact, area for any d; linear, bilinear and bicubic, trilinear for one, two, three
    dimensions."""
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_interpolate, (input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias), dict())) is not ABSENT:
            return _taken
    try:
        return composite_interpolate(F, input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
    except Exception:
        explain_arguments(OP_interpolate, (input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias))
        raise


OP_interpolate.function = interpolate


def inverse_deviation_backward(F, node, saved, g, edges):
    input, = saved
    mean, scale, layout = node.params
    return (derivative_inverse_deviation_input(F, g, input, mean, scale, layout),)


class InverseDeviationBackward0(Saving):
    op = OPS['inverse_deviation']
    saves = ('input',)
    parameters = ('mean', 'scale', 'layout')
    backward = staticmethod(inverse_deviation_backward)
    backward_complex = staticmethod(inverse_deviation_backward)


new_InverseDeviationBackward0 = maker_of(InverseDeviationBackward0)


OP_inverse_deviation.nodes = (InverseDeviationBackward0,)


OP_inverse_deviation.select_node = lambda input, mean, scale, layout: InverseDeviationBackward0


def inverse_deviation(input, mean, scale, layout):
    """The scale as a function of `input`: (1, channels, 1)."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_reshape(scale, (1, -1, 1))
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_InverseDeviationBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
                    _node.params = (mean, scale, layout)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_inverse_deviation, (input, mean, scale, layout))


OP_inverse_deviation.function = inverse_deviation


def kept_mask(input, p, by_channel):
    """1 with probability `p`, else 0: for every element of `input`, or for every channel of each example."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_kept_mask(xp, input_array, p, by_channel)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_kept_mask, (input, p, by_channel))


OP_kept_mask.function = kept_mask


def kl_div(input, target, reduction=0, *, log_target=False):
    """target (log target - input): the divergence of Kullback and Leibler, `input` being log-probabilities."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or log_target is not False and log_target is not True:
        input, target, reduction, log_target = accepted(OP_kl_div, (input, target, reduction, log_target))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_kl_div, (input, target, reduction), dict(log_target=log_target))) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_kl_div, composite_kl_div, F, (input, target, reduction), dict(log_target=log_target))
    try:
        return composite_kl_div(F, input, target, reduction, log_target=log_target)
    except Exception:
        explain_arguments(OP_kl_div, (input, target, reduction, log_target))
        raise


OP_kl_div.function = kl_div


def l1_loss(input, target, reduction='mean'):
    """The absolute difference."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES:
        input, target, reduction = accepted(OP_l1_loss, (input, target, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_l1_loss, (input, target, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_l1_loss, composite_l1_loss, F, (input, target, reduction), dict())
    try:
        return composite_l1_loss(F, input, target, reduction)
    except Exception:
        explain_arguments(OP_l1_loss, (input, target, reduction))
        raise


OP_l1_loss.function = l1_loss


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    """The last dimensions less their mean, over their deviation."""
    if type(normalized_shape) is not tuple and type(normalized_shape) is not list and type(normalized_shape) is not Size or type(eps) is not float and type(eps) is not int or cudnn_enable is not False and cudnn_enable is not True:
        input, normalized_shape, weight, bias, eps, cudnn_enable = accepted(OP_layer_norm, (input, normalized_shape, weight, bias, eps, cudnn_enable))
    if type(normalized_shape) is not list and len(normalized_shape) == 1 and type(normalized_shape[0]) is int and (type(input) is Tensor or type(input) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES) and (bias is None or type(bias) in PLAIN_TYPES):
        input_array = input._array
        weight_array = None if weight is None else weight._array
        bias_array = None if bias is None else bias._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (weight is None or _dtype is weight_array.dtype) and (bias is None or _dtype is bias_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            statistics = Statistics()
            _token = set_errors(IGNORED)
            try:
                _result = forward_native_layer_normalization(xp, input_array, normalized_shape, weight_array, bias_array, eps, statistics)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_edge = None if weight is None else (weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight))
                    bias_edge = None if bias is None else (bias._edge if (_base := bias._base) is None or bias._generation == _base._generation else edge_of(bias))
                if _mode and (input_edge is not None or weight_edge is not None or bias_edge is not None):
                    _node = new_NativeLayerNormBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_edge, bias_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (input_storage, weight_storage)
                    _node.versions = (input_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (normalized_shape, statistics)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_layer_norm, (input, normalized_shape, weight, bias, eps, cudnn_enable), dict())) is not ABSENT:
            return _taken
    try:
        if type(normalized_shape) in ROWS and not WHOLE.issuperset(map(type, normalized_shape)):
            input, normalized_shape, weight, bias, eps, cudnn_enable = accepted(OP_layer_norm, (input, normalized_shape, weight, bias, eps, cudnn_enable))
        return composite_layer_norm(F, input, normalized_shape, weight, bias, eps, cudnn_enable)
    except Exception:
        explain_arguments(OP_layer_norm, (input, normalized_shape, weight, bias, eps, cudnn_enable))
        raise


OP_layer_norm.function = layer_norm


def layer_norm_slopes(grad, input, weight, mean, scale):
    """All three gradients of layer norm, which have the normalized rows in common."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(weight) is Tensor or type(weight) in PLAIN_TYPES):
        grad_array = grad._array
        input_array = input._array
        weight_array = weight._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is input_array.dtype and _dtype is weight_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _to_input, _to_weight, _to_bias = forward_layer_norm_slopes(xp, grad_array, input_array, weight_array, mean, scale)
            except Exception:
                pass
            else:
                if type(_to_input) is not ndarray and isinstance(_to_input, np.generic):
                    _to_input = as_array(_to_input)
                _to_input_tensor = new_tensor(None)
                _to_input_tensor._array = _to_input
                _to_input_tensor._alike = None
                _to_input_tensor._base = None
                _to_input_tensor._generation = None
                if type(_to_weight) is not ndarray and isinstance(_to_weight, np.generic):
                    _to_weight = as_array(_to_weight)
                _to_weight_tensor = new_tensor(None)
                _to_weight_tensor._array = _to_weight
                _to_weight_tensor._alike = None
                _to_weight_tensor._base = None
                _to_weight_tensor._generation = None
                if type(_to_bias) is not ndarray and isinstance(_to_bias, np.generic):
                    _to_bias = as_array(_to_bias)
                _to_bias_tensor = new_tensor(None)
                _to_bias_tensor._array = _to_bias
                _to_bias_tensor._alike = None
                _to_bias_tensor._base = None
                _to_bias_tensor._generation = None
                _to_input_tensor._store = None
                _to_weight_tensor._store = None
                _to_bias_tensor._store = None
                _to_input_tensor._edge = None
                _to_weight_tensor._edge = None
                _to_bias_tensor._edge = None
                if _mode is INFERENCE:
                    _to_input_tensor._store = InferenceStorage()
                    _to_weight_tensor._store = InferenceStorage()
                    _to_bias_tensor._store = InferenceStorage()
                return (_to_input_tensor, _to_weight_tensor, _to_bias_tensor)
            finally:
                reset_errors(_token)
    return general(OP_layer_norm_slopes, (grad, input, weight, mean, scale))


OP_layer_norm_slopes.function = layer_norm_slopes


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', ignore_index=None, label_smoothing=0.0, options=None):
    """`cross_entropy` of `linear(input, linear_weight, linear_bias)`; `options` to save memory change nothing here."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or weight is not None and (type(weight) not in PLAIN_TYPES) or type(label_smoothing) is not float and type(label_smoothing) is not int:
        input, linear_weight, target, linear_bias, weight, reduction, ignore_index, label_smoothing, options = accepted(OP_linear_cross_entropy, (input, linear_weight, target, linear_bias, weight, reduction, ignore_index, label_smoothing, options))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_linear_cross_entropy, (input, linear_weight, target), dict(linear_bias=linear_bias, weight=weight, reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing, options=options))) is not ABSENT:
            return _taken
    try:
        return composite_linear_cross_entropy(F, input, linear_weight, target, linear_bias=linear_bias, weight=weight, reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing, options=options)
    except Exception:
        explain_arguments(OP_linear_cross_entropy, (input, linear_weight, target, linear_bias, weight, reduction, ignore_index, label_smoothing, options))
        raise


OP_linear_cross_entropy.function = linear_cross_entropy


def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    """Each element over `(k + alpha * mean of squares of `size` neighbouring channels) ** beta` (Krizhevsky, 2012)."""
    if type(input) not in PLAIN_TYPES or type(size) is not int or size > 0x3FFFFFFF or size < -0x3FFFFFFF or type(alpha) is not float and type(alpha) is not int or type(beta) is not float and type(beta) is not int or type(k) is not float and type(k) is not int:
        input, size, alpha, beta, k = accepted(OP_local_response_norm, (input, size, alpha, beta, k))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_local_response_norm, (input, size, alpha, beta, k), dict())) is not ABSENT:
            return _taken
    try:
        return composite_local_response_norm(F, input, size, alpha, beta, k)
    except Exception:
        explain_arguments(OP_local_response_norm, (input, size, alpha, beta, k))
        raise


OP_local_response_norm.function = local_response_norm


def logistic_improbability_backward(F, node, saved, g, edges):
    input, target = saved
    input_edge, target_edge = edges
    return (None if input_edge is None else F.slope_of_logistic(input, target, None, g), None if target_edge is None else -g * input)


class LogisticImprobabilityBackward0(Saving):
    op = OPS['logistic_improbability']
    saves = ('input', 'target')
    parameters = ()
    backward = staticmethod(logistic_improbability_backward)
    backward_complex = staticmethod(logistic_improbability_backward)


new_LogisticImprobabilityBackward0 = maker_of(LogisticImprobabilityBackward0)


OP_logistic_improbability.nodes = (LogisticImprobabilityBackward0,)


OP_logistic_improbability.select_node = lambda input, target: LogisticImprobabilityBackward0


def logistic_improbability(input, target):
    """`improbability` of sigmoid(input), stable for every input."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if (_alike := input._alike) is not target._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is target_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_logistic_improbability(input_array, target_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, target_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_LogisticImprobabilityBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, None if input_edge is None else target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == target_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                            input._alike = target._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (target_array.shape, target_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_logistic_improbability, (input, target))


OP_logistic_improbability.function = logistic_improbability


def logistic_loss_backward(F, node, saved, g, edges):
    input, target, weight, pos_weight = saved
    input_shape, input_dtype, reduction, target_shape, target_dtype = node.params
    input_edge, target_edge = edges
    return (None if input_edge is None else derivative_logistic_loss_input(F, g, input, target, weight, pos_weight, input_shape, input_dtype, reduction), None if target_edge is None else derivative_logistic_loss_target(F, g, input, weight, pos_weight, input_shape, target_shape, target_dtype, reduction))


class BinaryCrossEntropyWithLogitsBackward0(Saving):
    op = OPS['logistic_loss']
    saves = ('input', 'target', 'weight', 'pos_weight')
    parameters = ('input_shape', 'input_dtype', 'reduction', 'target_shape', 'target_dtype')
    backward = staticmethod(logistic_loss_backward)
    backward_complex = staticmethod(logistic_loss_backward)


new_BinaryCrossEntropyWithLogitsBackward0 = maker_of(BinaryCrossEntropyWithLogitsBackward0)


OP_logistic_loss.nodes = (BinaryCrossEntropyWithLogitsBackward0,)


OP_logistic_loss.select_node = lambda input, target, weight, pos_weight, reduction: BinaryCrossEntropyWithLogitsBackward0


def logistic_loss(input, target, weight, pos_weight, reduction):
    """`binary_cross_entropy` of sigmoid(input): (1 - y) x - (1 + (p - 1) y) log sigmoid(x), weighted and reduced."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES) and (pos_weight is None or type(pos_weight) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        weight_array = None if weight is None else weight._array
        pos_weight_array = None if pos_weight is None else pos_weight._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is target_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_logistic_loss(xp, input_array, target_array, weight_array, pos_weight_array, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_BinaryCrossEntropyWithLogitsBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, None if input_edge is None else target_array, weight_array, pos_weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    pos_weight_storage = None if pos_weight is None else pos_weight._store or pos_weight._storage
                    _node.storages = (input_storage, target_storage, weight_storage, pos_weight_storage)
                    _node.versions = (input_storage.version, target_storage.version, 0 if weight_storage is None else weight_storage.version, 0 if pos_weight_storage is None else pos_weight_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], input_array.dtype if input._alike is None else input._alike[1], reduction, target_array.shape if target._alike is None else target._alike[0], target_array.dtype if target._alike is None else target._alike[1])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_logistic_loss, (input, target, weight, pos_weight, reduction))


OP_logistic_loss.function = logistic_loss


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last dimension."""
    if type(input) not in PLAIN_TYPES or type(norm_type) is not float and type(norm_type) is not int or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or ceil_mode is not False and ceil_mode is not True:
        input, norm_type, kernel_size, stride, ceil_mode = accepted(OP_lp_pool1d, (input, norm_type, kernel_size, stride, ceil_mode))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_lp_pool1d, (input, norm_type, kernel_size, stride, ceil_mode), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)):
            input, norm_type, kernel_size, stride, ceil_mode = accepted(OP_lp_pool1d, (input, norm_type, kernel_size, stride, ceil_mode))
        return composite_lp_pool1d(F, input, norm_type, kernel_size, stride, ceil_mode)
    except Exception:
        explain_arguments(OP_lp_pool1d, (input, norm_type, kernel_size, stride, ceil_mode))
        raise


OP_lp_pool1d.function = lp_pool1d


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last two dimensions."""
    if type(input) not in PLAIN_TYPES or type(norm_type) is not float and type(norm_type) is not int or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or ceil_mode is not False and ceil_mode is not True:
        input, norm_type, kernel_size, stride, ceil_mode = accepted(OP_lp_pool2d, (input, norm_type, kernel_size, stride, ceil_mode))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_lp_pool2d, (input, norm_type, kernel_size, stride, ceil_mode), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)):
            input, norm_type, kernel_size, stride, ceil_mode = accepted(OP_lp_pool2d, (input, norm_type, kernel_size, stride, ceil_mode))
        return composite_lp_pool2d(F, input, norm_type, kernel_size, stride, ceil_mode)
    except Exception:
        explain_arguments(OP_lp_pool2d, (input, norm_type, kernel_size, stride, ceil_mode))
        raise


OP_lp_pool2d.function = lp_pool2d


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last three dimensions."""
    if type(input) not in PLAIN_TYPES or type(norm_type) is not float and type(norm_type) is not int or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or ceil_mode is not False and ceil_mode is not True:
        input, norm_type, kernel_size, stride, ceil_mode = accepted(OP_lp_pool3d, (input, norm_type, kernel_size, stride, ceil_mode))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_lp_pool3d, (input, norm_type, kernel_size, stride, ceil_mode), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)):
            input, norm_type, kernel_size, stride, ceil_mode = accepted(OP_lp_pool3d, (input, norm_type, kernel_size, stride, ceil_mode))
        return composite_lp_pool3d(F, input, norm_type, kernel_size, stride, ceil_mode)
    except Exception:
        explain_arguments(OP_lp_pool3d, (input, norm_type, kernel_size, stride, ceil_mode))
        raise


OP_lp_pool3d.function = lp_pool3d


def lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): outputs, last hidden states, last cell states.

    `params` are weight_ih, weight_hh, bias_ih, bias_hh, and weight_hr where there is a projection, of each layer in
    each direction. Packed sequences are given as `lstm(data, batch_sizes, hx, ...)`."""
    if type(input) not in PLAIN_TYPES or not isinstance(hx, (tuple, list)) and type(hx) not in PLAIN_TYPES or not isinstance(params, (tuple, list)) or has_biases is not False and has_biases is not True and not isinstance(has_biases, (tuple, list)) or type(num_layers) is not int and num_layers is not False and num_layers is not True or type(num_layers) is int and (num_layers > 0x3FFFFFFF or num_layers < -0x3FFFFFFF) or type(dropout) is not float and type(dropout) is not int and type(dropout) is not int or type(dropout) is int and (dropout > 0x3FFFFFFF or dropout < -0x3FFFFFFF) or train is not False and train is not True and type(train) is not float and type(train) is not int or bidirectional is not False and bidirectional is not True or batch_first is not False and batch_first is not True:
        input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = accepted(OP_lstm, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(hx) in SEQUENCES and not ORDINARY.issuperset(map(type, hx)) or type(hx) not in PLAIN_TYPES and hasattr(hx, '__torch_function__') or type(params) in SEQUENCES and not ORDINARY.issuperset(map(type, params)) or type(has_biases) in SEQUENCES and not ORDINARY.issuperset(map(type, has_biases)):
        if (_taken := taken_over(OP_lstm, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_lstm, composite_lstm, F, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), dict())
    try:
        return composite_lstm(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    except Exception:
        explain_arguments(OP_lstm, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first))
        raise


OP_lstm.function = lstm


def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """The hidden and the cell state after one step of long short-term memory; `hx` is both before it."""
    if type(input) not in PLAIN_TYPES or not isinstance(hx, (tuple, list)) or type(w_ih) not in PLAIN_TYPES or type(w_hh) not in PLAIN_TYPES or b_ih is not None and (type(b_ih) not in PLAIN_TYPES) or b_hh is not None and (type(b_hh) not in PLAIN_TYPES):
        input, hx, w_ih, w_hh, b_ih, b_hh = accepted(OP_lstm_cell, (input, hx, w_ih, w_hh, b_ih, b_hh))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(hx) in SEQUENCES and not ORDINARY.issuperset(map(type, hx)) or type(w_ih) not in PLAIN_TYPES and hasattr(w_ih, '__torch_function__') or type(w_hh) not in PLAIN_TYPES and hasattr(w_hh, '__torch_function__') or b_ih is not None and type(b_ih) not in PLAIN_TYPES and hasattr(b_ih, '__torch_function__') or b_hh is not None and type(b_hh) not in PLAIN_TYPES and hasattr(b_hh, '__torch_function__'):
        if (_taken := taken_over(OP_lstm_cell, (input, hx, w_ih, w_hh, b_ih, b_hh), dict())) is not ABSENT:
            return _taken
    try:
        return composite_lstm_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)
    except Exception:
        explain_arguments(OP_lstm_cell, (input, hx, w_ih, w_hh, b_ih, b_hh))
        raise


OP_lstm_cell.function = lstm_cell


def lstm_layer_backward(F, node, saved, g, edges):
    input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, output, gates, cells = saved
    sizes, reverse = node.params
    g_output, g_last_hidden, g_last_cell = F.present(node, g)
    common = common_lstm_layer(F, g_output, g_last_hidden, g_last_cell, input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, output, gates, cells, sizes, reverse)
    input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, weight_hr_edge, hidden_edge, cell_edge = edges
    return (None if input_edge is None else F.mm(common.gates, weight_ih), None if weight_ih_edge is None else F.mm(F.t(common.gates), input), None if weight_hh_edge is None else F.mm(F.t(common.recalled), common.begun), None if bias_ih_edge is None else F.sum(common.gates, 0), None if bias_hh_edge is None else F.sum(common.recalled, 0), None if weight_hr_edge is None else F.mm(F.t(common.output), common.exposed), None if hidden_edge is None else common.hidden, None if cell_edge is None else common.cell)


def lstm_layer_backward_complex(F, node, saved, g, edges):
    input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, output, gates, cells = saved
    sizes, reverse = node.params
    g_output, g_last_hidden, g_last_cell = F.present(node, g)
    common = common_lstm_layer(F, g_output, g_last_hidden, g_last_cell, input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, output, gates, cells, sizes, reverse)
    input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, weight_hr_edge, hidden_edge, cell_edge = edges
    return (None if input_edge is None else F.mm(common.gates, F.conj(weight_ih)), None if weight_ih_edge is None else F.mm(F.t(common.gates), F.conj(input)), None if weight_hh_edge is None else F.mm(F.t(common.recalled), common.begun), None if bias_ih_edge is None else F.sum(common.gates, 0), None if bias_hh_edge is None else F.sum(common.recalled, 0), None if weight_hr_edge is None else F.mm(F.t(common.output), common.exposed), None if hidden_edge is None else common.hidden, None if cell_edge is None else common.cell)


class LstmLayerBackward0(Saving):
    op = OPS['lstm_layer']
    saves = ('input', 'weight_ih', 'weight_hh', 'bias_ih', 'bias_hh', 'weight_hr', 'hidden', 'cell', 'output', 'gates', 'cells')
    parameters = ('sizes', 'reverse')
    backward = staticmethod(lstm_layer_backward)
    backward_complex = staticmethod(lstm_layer_backward_complex)


new_LstmLayerBackward0 = maker_of(LstmLayerBackward0)


OP_lstm_layer.nodes = (LstmLayerBackward0,)


OP_lstm_layer.select_node = lambda input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse: LstmLayerBackward0


def lstm_layer(input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse):
    """Outputs and last states of a layer in one direction; beside them what its derivative needs."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(weight_ih) is Tensor or type(weight_ih) in PLAIN_TYPES) and (type(weight_hh) is Tensor or type(weight_hh) in PLAIN_TYPES) and (bias_ih is None or type(bias_ih) in PLAIN_TYPES) and (bias_hh is None or type(bias_hh) in PLAIN_TYPES) and (weight_hr is None or type(weight_hr) in PLAIN_TYPES) and (type(hidden) is Tensor or type(hidden) in PLAIN_TYPES) and (type(cell) is Tensor or type(cell) in PLAIN_TYPES):
        input_array = input._array
        weight_ih_array = weight_ih._array
        weight_hh_array = weight_hh._array
        bias_ih_array = None if bias_ih is None else bias_ih._array
        bias_hh_array = None if bias_hh is None else bias_hh._array
        weight_hr_array = None if weight_hr is None else weight_hr._array
        hidden_array = hidden._array
        cell_array = cell._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is weight_ih_array.dtype and _dtype is weight_hh_array.dtype and (bias_ih is None or _dtype is bias_ih_array.dtype) and (bias_hh is None or _dtype is bias_hh_array.dtype) and (weight_hr is None or _dtype is weight_hr_array.dtype) and _dtype is hidden_array.dtype and _dtype is cell_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _output, _last_hidden, _last_cell, _gates, _cells = forward_lstm_layer(xp, input_array, weight_ih_array, weight_hh_array, bias_ih_array, bias_hh_array, weight_hr_array, hidden_array, cell_array, sizes, reverse)
            except Exception:
                pass
            else:
                if type(_output) is not ndarray and isinstance(_output, np.generic):
                    _output = as_array(_output)
                _output_tensor = new_tensor(None)
                _output_tensor._array = _output
                _output_tensor._alike = None
                _output_tensor._base = None
                _output_tensor._generation = None
                if type(_last_hidden) is not ndarray and isinstance(_last_hidden, np.generic):
                    _last_hidden = as_array(_last_hidden)
                _last_hidden_tensor = new_tensor(None)
                _last_hidden_tensor._array = _last_hidden
                _last_hidden_tensor._alike = None
                _last_hidden_tensor._base = None
                _last_hidden_tensor._generation = None
                if type(_last_cell) is not ndarray and isinstance(_last_cell, np.generic):
                    _last_cell = as_array(_last_cell)
                _last_cell_tensor = new_tensor(None)
                _last_cell_tensor._array = _last_cell
                _last_cell_tensor._alike = None
                _last_cell_tensor._base = None
                _last_cell_tensor._generation = None
                if type(_gates) is not ndarray and isinstance(_gates, np.generic):
                    _gates = as_array(_gates)
                _gates_tensor = new_tensor(None)
                _gates_tensor._array = _gates
                _gates_tensor._alike = None
                _gates_tensor._base = None
                _gates_tensor._generation = None
                if type(_cells) is not ndarray and isinstance(_cells, np.generic):
                    _cells = as_array(_cells)
                _cells_tensor = new_tensor(None)
                _cells_tensor._array = _cells
                _cells_tensor._alike = None
                _cells_tensor._base = None
                _cells_tensor._generation = None
                _output_tensor._store = None
                _last_hidden_tensor._store = None
                _last_cell_tensor._store = None
                _gates_tensor._store = None
                _cells_tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_ih_edge = weight_ih._edge if (_base := weight_ih._base) is None or weight_ih._generation == _base._generation else edge_of(weight_ih)
                    weight_hh_edge = weight_hh._edge if (_base := weight_hh._base) is None or weight_hh._generation == _base._generation else edge_of(weight_hh)
                    bias_ih_edge = None if bias_ih is None else (bias_ih._edge if (_base := bias_ih._base) is None or bias_ih._generation == _base._generation else edge_of(bias_ih))
                    bias_hh_edge = None if bias_hh is None else (bias_hh._edge if (_base := bias_hh._base) is None or bias_hh._generation == _base._generation else edge_of(bias_hh))
                    weight_hr_edge = None if weight_hr is None else (weight_hr._edge if (_base := weight_hr._base) is None or weight_hr._generation == _base._generation else edge_of(weight_hr))
                    hidden_edge = hidden._edge if (_base := hidden._base) is None or hidden._generation == _base._generation else edge_of(hidden)
                    cell_edge = cell._edge if (_base := cell._base) is None or cell._generation == _base._generation else edge_of(cell)
                if _mode and (input_edge is not None or weight_ih_edge is not None or weight_hh_edge is not None or bias_ih_edge is not None or bias_hh_edge is not None or weight_hr_edge is not None or hidden_edge is not None or cell_edge is not None):
                    _node = new_LstmLayerBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, weight_hr_edge, hidden_edge, cell_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, weight_ih_array, weight_hh_array, bias_ih_array, bias_hh_array, weight_hr_array, hidden_array, cell_array, _output, _gates, _cells)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (weight_ih_storage := weight_ih._store) is None:
                        weight_ih_storage = weight_ih._store = new_storage(None)
                        weight_ih_storage.version = 0
                    if (weight_hh_storage := weight_hh._store) is None:
                        weight_hh_storage = weight_hh._store = new_storage(None)
                        weight_hh_storage.version = 0
                    bias_ih_storage = None if bias_ih is None else bias_ih._store or bias_ih._storage
                    bias_hh_storage = None if bias_hh is None else bias_hh._store or bias_hh._storage
                    weight_hr_storage = None if weight_hr is None else weight_hr._store or weight_hr._storage
                    if (hidden_storage := hidden._store) is None:
                        hidden_storage = hidden._store = new_storage(None)
                        hidden_storage.version = 0
                    if (cell_storage := cell._store) is None:
                        cell_storage = cell._store = new_storage(None)
                        cell_storage.version = 0
                    _output_tensor._store = output_storage = new_storage(None)
                    output_storage.version = 0
                    _gates_tensor._store = gates_storage = new_storage(None)
                    gates_storage.version = 0
                    _cells_tensor._store = cells_storage = new_storage(None)
                    cells_storage.version = 0
                    _node.storages = (input_storage, weight_ih_storage, weight_hh_storage, bias_ih_storage, bias_hh_storage, weight_hr_storage, hidden_storage, cell_storage, output_storage, gates_storage, cells_storage)
                    _node.versions = (input_storage.version, weight_ih_storage.version, weight_hh_storage.version, 0 if bias_ih_storage is None else bias_ih_storage.version, 0 if bias_hh_storage is None else bias_hh_storage.version, 0 if weight_hr_storage is None else weight_hr_storage.version, hidden_storage.version, cell_storage.version, 0, 0, 0)
                    _node.params = (sizes, reverse)
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 3
                    _node.result_metas = ((_output.shape, _output.dtype), (_last_hidden.shape, _last_hidden.dtype), (_last_cell.shape, _last_cell.dtype))
                    _output_tensor._edge = Output(_node, 0)
                    _last_hidden_tensor._edge = Output(_node, 1)
                    _last_cell_tensor._edge = Output(_node, 2)
                    _gates_tensor._edge = None
                    _cells_tensor._edge = None
                else:
                    _output_tensor._edge = None
                    _last_hidden_tensor._edge = None
                    _last_cell_tensor._edge = None
                    _gates_tensor._edge = None
                    _cells_tensor._edge = None
                    if _mode is INFERENCE:
                        _output_tensor._store = InferenceStorage()
                        _last_hidden_tensor._store = InferenceStorage()
                        _last_cell_tensor._store = InferenceStorage()
                        _gates_tensor._store = InferenceStorage()
                        _cells_tensor._store = InferenceStorage()
                return (_output_tensor, _last_hidden_tensor, _last_cell_tensor, _gates_tensor, _cells_tensor)
            finally:
                reset_errors(_token)
    return general(OP_lstm_layer, (input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse))


OP_lstm_layer.function = lstm_layer


def lstm_slopes(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times):
    """`lstm_slopes_of`, as the kernel does it."""
    if (type(g_output) is Tensor or type(g_output) in PLAIN_TYPES) and (type(g_hidden) is Tensor or type(g_hidden) in PLAIN_TYPES) and (type(g_cell) is Tensor or type(g_cell) in PLAIN_TYPES) and (type(weight_hh) is Tensor or type(weight_hh) in PLAIN_TYPES) and (weight_hr is None or type(weight_hr) in PLAIN_TYPES) and (type(gates) is Tensor or type(gates) in PLAIN_TYPES) and (type(cells) is Tensor or type(cells) in PLAIN_TYPES) and (type(begun) is Tensor or type(begun) in PLAIN_TYPES):
        g_output_array = g_output._array
        g_hidden_array = g_hidden._array
        g_cell_array = g_cell._array
        weight_hh_array = weight_hh._array
        weight_hr_array = None if weight_hr is None else weight_hr._array
        gates_array = gates._array
        cells_array = cells._array
        begun_array = begun._array
        _mode = get_mode()
        if ((_dtype := g_output_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is g_hidden_array.dtype and _dtype is g_cell_array.dtype and _dtype is weight_hh_array.dtype and (weight_hr is None or _dtype is weight_hr_array.dtype) and _dtype is gates_array.dtype and _dtype is cells_array.dtype and _dtype is begun_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _slopes, _first_hidden, _first_cell, _pulls = xp_lstm_slopes(g_output_array, g_hidden_array, g_cell_array, weight_hh_array, weight_hr_array, gates_array, cells_array, begun_array, times)
            except Exception:
                pass
            else:
                if type(_slopes) is not ndarray and isinstance(_slopes, np.generic):
                    _slopes = as_array(_slopes)
                _slopes_tensor = new_tensor(None)
                _slopes_tensor._array = _slopes
                _slopes_tensor._alike = None
                _slopes_tensor._base = None
                _slopes_tensor._generation = None
                if type(_first_hidden) is not ndarray and isinstance(_first_hidden, np.generic):
                    _first_hidden = as_array(_first_hidden)
                _first_hidden_tensor = new_tensor(None)
                _first_hidden_tensor._array = _first_hidden
                _first_hidden_tensor._alike = None
                _first_hidden_tensor._base = None
                _first_hidden_tensor._generation = None
                if type(_first_cell) is not ndarray and isinstance(_first_cell, np.generic):
                    _first_cell = as_array(_first_cell)
                _first_cell_tensor = new_tensor(None)
                _first_cell_tensor._array = _first_cell
                _first_cell_tensor._alike = None
                _first_cell_tensor._base = None
                _first_cell_tensor._generation = None
                if type(_pulls) is not ndarray and isinstance(_pulls, np.generic):
                    _pulls = as_array(_pulls)
                _pulls_tensor = new_tensor(None)
                _pulls_tensor._array = _pulls
                _pulls_tensor._alike = None
                _pulls_tensor._base = None
                _pulls_tensor._generation = None
                _slopes_tensor._store = None
                _first_hidden_tensor._store = None
                _first_cell_tensor._store = None
                _pulls_tensor._store = None
                _slopes_tensor._edge = None
                _first_hidden_tensor._edge = None
                _first_cell_tensor._edge = None
                _pulls_tensor._edge = None
                if _mode is INFERENCE:
                    _slopes_tensor._store = InferenceStorage()
                    _first_hidden_tensor._store = InferenceStorage()
                    _first_cell_tensor._store = InferenceStorage()
                    _pulls_tensor._store = InferenceStorage()
                return (_slopes_tensor, _first_hidden_tensor, _first_cell_tensor, _pulls_tensor)
            finally:
                reset_errors(_token)
    return general(OP_lstm_slopes, (g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times))


OP_lstm_slopes.function = lstm_slopes


def margin_losses_backward(F, node, saved, g, edges):
    input, target, weight = saved
    p, margin, input_shape, reduction = node.params
    return (derivative_margin_losses_input(F, g, input, target, weight, p, margin, input_shape, reduction),)


class MultiMarginLossBackward0(Saving):
    op = OPS['margin_losses']
    saves = ('input', 'target', 'weight')
    parameters = ('p', 'margin', 'input_shape', 'reduction')
    backward = staticmethod(margin_losses_backward)
    backward_complex = staticmethod(margin_losses_backward)


new_MultiMarginLossBackward0 = maker_of(MultiMarginLossBackward0)


OP_margin_losses.nodes = (MultiMarginLossBackward0,)


OP_margin_losses.select_node = lambda input, target, weight, p, margin, reduction: MultiMarginLossBackward0


def margin_losses(input, target, weight, p, margin, reduction):
    """How far the scores of other classes come within `margin` of the target's, to a power, reduced."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        weight_array = None if weight is None else weight._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_margin_losses(xp, input_array, target_array, weight_array, p, margin, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MultiMarginLossBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array, weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (input_storage, target_storage, weight_storage)
                    _node.versions = (input_storage.version, target_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (p, margin, input_array.shape if input._alike is None else input._alike[0], reduction)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_margin_losses, (input, target, weight, p, margin, reduction))


OP_margin_losses.function = margin_losses


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """max(0, -target (input1 - input2) + margin)."""
    if type(input1) not in PLAIN_TYPES or type(input2) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or type(margin) is not float and type(margin) is not int:
        input1, input2, target, margin, reduction = accepted(OP_margin_ranking_loss, (input1, input2, target, margin, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input1) not in PLAIN_TYPES and hasattr(input1, '__torch_function__') or type(input2) not in PLAIN_TYPES and hasattr(input2, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_margin_ranking_loss, (input1, input2, target, margin, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_margin_ranking_loss, composite_margin_ranking_loss, F, (input1, input2, target, margin, reduction), dict())
    try:
        return composite_margin_ranking_loss(F, input1, input2, target, margin, reduction)
    except Exception:
        explain_arguments(OP_margin_ranking_loss, (input1, input2, target, margin, reduction))
        raise


OP_margin_ranking_loss.function = margin_ranking_loss


def margin_slopes_backward(F, node, saved, g, edges):
    input, target, weight = saved
    p, margin = node.params
    return (derivative_margin_slopes_input(F, g, input, target, weight, p, margin),)


class MarginSlopesBackward0(Saving):
    op = OPS['margin_slopes']
    saves = ('input', 'target', 'weight')
    parameters = ('p', 'margin')
    backward = staticmethod(margin_slopes_backward)
    backward_complex = staticmethod(margin_slopes_backward)


new_MarginSlopesBackward0 = maker_of(MarginSlopesBackward0)


OP_margin_slopes.nodes = (MarginSlopesBackward0,)


OP_margin_slopes.select_node = lambda input, target, weight, p, margin: MarginSlopesBackward0


def margin_slopes(input, target, weight, p, margin):
    """The derivative of the sum of each row's `margin_losses`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        weight_array = None if weight is None else weight._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_margin_slopes(xp, input_array, target_array, weight_array, p, margin)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MarginSlopesBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array, weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (input_storage, target_storage, weight_storage)
                    _node.versions = (input_storage.version, target_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (p, margin)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_margin_slopes, (input, target, weight, p, margin))


OP_margin_slopes.function = margin_slopes


def max_pool_backward(F, node, saved, g, edges):
    indices, = saved
    input_shape, kernel_size = node.params
    return (F.put_pooled(g, indices, input_shape, len(kernel_size)),)


class MaxPool2DWithIndicesBackward0(Saving):
    op = OPS['max_pool']
    saves = ('indices',)
    parameters = ('input_shape', 'kernel_size')
    backward = staticmethod(max_pool_backward)
    backward_complex = staticmethod(max_pool_backward)


new_MaxPool2DWithIndicesBackward0 = maker_of(MaxPool2DWithIndicesBackward0)


class MaxPool3DWithIndicesBackward0(Saving):
    op = OPS['max_pool']
    saves = ('indices',)
    parameters = ('input_shape', 'kernel_size')
    backward = staticmethod(max_pool_backward)
    backward_complex = staticmethod(max_pool_backward)


new_MaxPool3DWithIndicesBackward0 = maker_of(MaxPool3DWithIndicesBackward0)


OP_max_pool.nodes = (MaxPool2DWithIndicesBackward0, MaxPool3DWithIndicesBackward0)


OP_max_pool.select_node = lambda input, kernel_size, stride, padding, dilation, ceil_mode: MaxPool2DWithIndicesBackward0 if len(kernel_size) == 2 else MaxPool3DWithIndicesBackward0


def max_pool(input, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window, and its position."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _out, _indices = forward_max_pool(xp, input_array, kernel_size, stride, padding, dilation, ceil_mode)
            except Exception:
                pass
            else:
                if type(_out) is not ndarray and isinstance(_out, np.generic):
                    _out = as_array(_out)
                _out_tensor = new_tensor(None)
                _out_tensor._array = _out
                _out_tensor._alike = None
                _out_tensor._base = None
                _out_tensor._generation = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _out_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_MaxPool2DWithIndicesBackward0 if len(kernel_size) == 2 else new_MaxPool3DWithIndicesBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], kernel_size)
                    _node.metas = None
                    _node.special = False
                    _out_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _out_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _out_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return (_out_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_max_pool, (input, kernel_size, stride, padding, dilation, ceil_mode))


OP_max_pool.function = max_pool


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last dimension."""
    if type(kernel_size) is not int and type(kernel_size) is not tuple and type(kernel_size) is not list and type(kernel_size) is not Size or stride is not None and (type(stride) is not int and type(stride) is not tuple and type(stride) is not list and type(stride) is not Size) or type(padding) is not int and type(padding) is not tuple and type(padding) is not list and type(padding) is not Size or type(dilation) is not int and type(dilation) is not tuple and type(dilation) is not list and type(dilation) is not Size or ceil_mode is not False and ceil_mode is not True:
        input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool1d, (input, kernel_size, stride, padding, dilation, ceil_mode))
    if type(kernel_size) is type(padding) is int and (stride is None or type(stride) is int) and type(dilation) is int and 2 * padding <= kernel_size and type(input) in PLAIN_TYPES and not input.requires_grad and input._array.dtype.kind == 'f' and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            dilation = (dilation, )
            kernel_size = (kernel_size, )
            padding = (padding, )
            stride = kernel_size if stride is None else (stride, )
            _token = set_errors(IGNORED)
            try:
                _result = forward_max_pool_values(xp, input_array, kernel_size, stride, padding, dilation, ceil_mode)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MaxPoolValuesBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
                    _node.params = (kernel_size, stride, padding, dilation, ceil_mode)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_max_pool1d, (input, kernel_size, stride, padding, dilation, ceil_mode), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)):
            input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool1d, (input, kernel_size, stride, padding, dilation, ceil_mode))
        return composite_max_pool1d(F, input, kernel_size, stride, padding, dilation, ceil_mode)
    except Exception:
        explain_arguments(OP_max_pool1d, (input, kernel_size, stride, padding, dilation, ceil_mode))
        raise


OP_max_pool1d.function = max_pool1d


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last dimension, and its position."""
    if type(input) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or ceil_mode is not False and ceil_mode is not True:
        input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool1d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_max_pool1d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)):
            input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool1d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
        return composite_max_pool1d_with_indices(F, input, kernel_size, stride, padding, dilation, ceil_mode)
    except Exception:
        explain_arguments(OP_max_pool1d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
        raise


OP_max_pool1d_with_indices.function = max_pool1d_with_indices


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last two dimensions."""
    if type(kernel_size) is not int and type(kernel_size) is not tuple and type(kernel_size) is not list and type(kernel_size) is not Size or stride is not None and (type(stride) is not int and type(stride) is not tuple and type(stride) is not list and type(stride) is not Size) or type(padding) is not int and type(padding) is not tuple and type(padding) is not list and type(padding) is not Size or type(dilation) is not int and type(dilation) is not tuple and type(dilation) is not list and type(dilation) is not Size or ceil_mode is not False and ceil_mode is not True:
        input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool2d, (input, kernel_size, stride, padding, dilation, ceil_mode))
    if type(kernel_size) is type(padding) is int and (stride is None or type(stride) is int) and type(dilation) is int and type(input) in PLAIN_TYPES and not input.requires_grad and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            dilation = (dilation, dilation, )
            kernel_size = (kernel_size, kernel_size, )
            padding = (padding, padding, )
            stride = kernel_size if stride is None else (stride, stride, )
            _token = set_errors(IGNORED)
            try:
                _result = forward_max_pool_values(xp, input_array, kernel_size, stride, padding, dilation, ceil_mode)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MaxPoolValuesBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
                    _node.params = (kernel_size, stride, padding, dilation, ceil_mode)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_max_pool2d, (input, kernel_size, stride, padding, dilation, ceil_mode), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)):
            input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool2d, (input, kernel_size, stride, padding, dilation, ceil_mode))
        return composite_max_pool2d(F, input, kernel_size, stride, padding, dilation, ceil_mode)
    except Exception:
        explain_arguments(OP_max_pool2d, (input, kernel_size, stride, padding, dilation, ceil_mode))
        raise


OP_max_pool2d.function = max_pool2d


def max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last two dimensions, and its position."""
    if type(input) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or ceil_mode is not False and ceil_mode is not True:
        input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool2d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_max_pool2d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)):
            input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool2d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
        return composite_max_pool2d_with_indices(F, input, kernel_size, stride, padding, dilation, ceil_mode)
    except Exception:
        explain_arguments(OP_max_pool2d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
        raise


OP_max_pool2d_with_indices.function = max_pool2d_with_indices


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last three dimensions."""
    if type(input) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or ceil_mode is not False and ceil_mode is not True:
        input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool3d, (input, kernel_size, stride, padding, dilation, ceil_mode))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_max_pool3d, (input, kernel_size, stride, padding, dilation, ceil_mode), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_max_pool3d, composite_max_pool3d, F, (input, kernel_size, stride, padding, dilation, ceil_mode), dict())
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)):
            input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool3d, (input, kernel_size, stride, padding, dilation, ceil_mode))
        return composite_max_pool3d(F, input, kernel_size, stride, padding, dilation, ceil_mode)
    except Exception:
        explain_arguments(OP_max_pool3d, (input, kernel_size, stride, padding, dilation, ceil_mode))
        raise


OP_max_pool3d.function = max_pool3d


def max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last three dimensions, and its position."""
    if type(input) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or ceil_mode is not False and ceil_mode is not True:
        input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool3d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_max_pool3d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)):
            input, kernel_size, stride, padding, dilation, ceil_mode = accepted(OP_max_pool3d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
        return composite_max_pool3d_with_indices(F, input, kernel_size, stride, padding, dilation, ceil_mode)
    except Exception:
        explain_arguments(OP_max_pool3d_with_indices, (input, kernel_size, stride, padding, dilation, ceil_mode))
        raise


OP_max_pool3d_with_indices.function = max_pool3d_with_indices


def max_pool_values_backward(F, node, saved, g, edges):
    input, = saved
    kernel_size, stride, padding, dilation, ceil_mode = node.params
    return (derivative_max_pool_values_input(F, g, input, kernel_size, stride, padding, dilation, ceil_mode),)


class MaxPoolValuesBackward0(Saving):
    op = OPS['max_pool_values']
    saves = ('input',)
    parameters = ('kernel_size', 'stride', 'padding', 'dilation', 'ceil_mode')
    backward = staticmethod(max_pool_values_backward)
    backward_complex = staticmethod(max_pool_values_backward)


new_MaxPoolValuesBackward0 = maker_of(MaxPoolValuesBackward0)


OP_max_pool_values.nodes = (MaxPoolValuesBackward0,)


OP_max_pool_values.select_node = lambda input, kernel_size, stride, padding, dilation, ceil_mode: MaxPoolValuesBackward0


def max_pool_values(input, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window, where nobody asks for its position: no gradient is wanted."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_max_pool_values(xp, input_array, kernel_size, stride, padding, dilation, ceil_mode)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MaxPoolValuesBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
                    _node.params = (kernel_size, stride, padding, dilation, ceil_mode)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_max_pool_values, (input, kernel_size, stride, padding, dilation, ceil_mode))


OP_max_pool_values.function = max_pool_values


def max_unpool_backward(F, node, saved, g, edges):
    indices, = saved
    output_size, = node.params
    return (F.take_pooled(g, indices, len(output_size)),)


class MaxUnpool2DBackward0(Saving):
    op = OPS['max_unpool']
    saves = ('indices',)
    parameters = ('output_size',)
    backward = staticmethod(max_unpool_backward)
    backward_complex = staticmethod(max_unpool_backward)


new_MaxUnpool2DBackward0 = maker_of(MaxUnpool2DBackward0)


class MaxUnpool3DBackward0(Saving):
    op = OPS['max_unpool']
    saves = ('indices',)
    parameters = ('output_size',)
    backward = staticmethod(max_unpool_backward)
    backward_complex = staticmethod(max_unpool_backward)


new_MaxUnpool3DBackward0 = maker_of(MaxUnpool3DBackward0)


OP_max_unpool.nodes = (MaxUnpool2DBackward0, MaxUnpool3DBackward0)


OP_max_unpool.select_node = lambda input, indices, output_size: MaxUnpool2DBackward0 if len(output_size) == 2 else MaxUnpool3DBackward0


def max_unpool(input, indices, output_size):
    """Zeros of `output_size` with each element of `input` at its position, which pooling has found."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(indices) is Tensor or type(indices) in PLAIN_TYPES):
        input_array = input._array
        indices_array = indices._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_max_unpool(xp, input_array, indices_array, output_size)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_MaxUnpool2DBackward0 if len(output_size) == 2 else new_MaxUnpool3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (indices_array,)
                    if (indices_storage := indices._store) is None:
                        indices_storage = indices._store = new_storage(None)
                        indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (indices_storage.version,)
                    _node.params = (output_size,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_max_unpool, (input, indices, output_size))


OP_max_unpool.function = max_unpool


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool1d` had found them."""
    if type(input) not in PLAIN_TYPES or type(indices) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or output_size is not None and (not isinstance(output_size, (tuple, list)) and type(output_size) is not int or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF)):
        input, indices, kernel_size, stride, padding, output_size = accepted(OP_max_unpool1d, (input, indices, kernel_size, stride, padding, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(indices) not in PLAIN_TYPES and hasattr(indices, '__torch_function__'):
        if (_taken := taken_over(OP_max_unpool1d, (input, indices, kernel_size, stride, padding, output_size), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(output_size) in ROWS and not WHOLE.issuperset(map(type, output_size)):
            input, indices, kernel_size, stride, padding, output_size = accepted(OP_max_unpool1d, (input, indices, kernel_size, stride, padding, output_size))
        return composite_max_unpool1d(F, input, indices, kernel_size, stride, padding, output_size)
    except Exception:
        explain_arguments(OP_max_unpool1d, (input, indices, kernel_size, stride, padding, output_size))
        raise


OP_max_unpool1d.function = max_unpool1d


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool2d` had found them."""
    if type(input) not in PLAIN_TYPES or type(indices) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or output_size is not None and (not isinstance(output_size, (tuple, list)) and type(output_size) is not int or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF)):
        input, indices, kernel_size, stride, padding, output_size = accepted(OP_max_unpool2d, (input, indices, kernel_size, stride, padding, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(indices) not in PLAIN_TYPES and hasattr(indices, '__torch_function__'):
        if (_taken := taken_over(OP_max_unpool2d, (input, indices, kernel_size, stride, padding, output_size), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_max_unpool2d, composite_max_unpool2d, F, (input, indices, kernel_size, stride, padding, output_size), dict())
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(output_size) in ROWS and not WHOLE.issuperset(map(type, output_size)):
            input, indices, kernel_size, stride, padding, output_size = accepted(OP_max_unpool2d, (input, indices, kernel_size, stride, padding, output_size))
        return composite_max_unpool2d(F, input, indices, kernel_size, stride, padding, output_size)
    except Exception:
        explain_arguments(OP_max_unpool2d, (input, indices, kernel_size, stride, padding, output_size))
        raise


OP_max_unpool2d.function = max_unpool2d


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool3d` had found them."""
    if type(input) not in PLAIN_TYPES or type(indices) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or stride is not None and (not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF)) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or output_size is not None and (not isinstance(output_size, (tuple, list)) and type(output_size) is not int or type(output_size) is int and (output_size > 0x3FFFFFFF or output_size < -0x3FFFFFFF)):
        input, indices, kernel_size, stride, padding, output_size = accepted(OP_max_unpool3d, (input, indices, kernel_size, stride, padding, output_size))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(indices) not in PLAIN_TYPES and hasattr(indices, '__torch_function__'):
        if (_taken := taken_over(OP_max_unpool3d, (input, indices, kernel_size, stride, padding, output_size), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_max_unpool3d, composite_max_unpool3d, F, (input, indices, kernel_size, stride, padding, output_size), dict())
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(output_size) in ROWS and not WHOLE.issuperset(map(type, output_size)):
            input, indices, kernel_size, stride, padding, output_size = accepted(OP_max_unpool3d, (input, indices, kernel_size, stride, padding, output_size))
        return composite_max_unpool3d(F, input, indices, kernel_size, stride, padding, output_size)
    except Exception:
        explain_arguments(OP_max_unpool3d, (input, indices, kernel_size, stride, padding, output_size))
        raise


OP_max_unpool3d.function = max_unpool3d


def mse_loss_backward(F, node, saved, g, edges):
    input, target = saved
    input_shape, input_dtype, target_shape, reduction, target_dtype = node.params
    input_edge, target_edge = edges
    return (None if input_edge is None else derivative_mse_loss_input(F, g, input, target, input_shape, input_dtype, target_shape, reduction), None if target_edge is None else derivative_mse_loss_target(F, g, input, target, input_shape, target_shape, target_dtype, reduction))


class MseLossBackward0(Saving):
    op = OPS['mse_loss']
    saves = ('input', 'target')
    parameters = ('input_shape', 'input_dtype', 'target_shape', 'reduction', 'target_dtype')
    backward = staticmethod(mse_loss_backward)
    backward_complex = staticmethod(mse_loss_backward)


new_MseLossBackward0 = maker_of(MseLossBackward0)


OP_mse_loss.nodes = (MseLossBackward0,)


OP_mse_loss.select_node = lambda input, target, reduction: MseLossBackward0


def mse_loss(input, target, reduction='mean'):
    """The squared difference."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is target_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_mse_loss(xp, input_array, target_array, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_MseLossBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], input_array.dtype if input._alike is None else input._alike[1], target_array.shape if target._alike is None else target._alike[0], reduction, target_array.dtype if target._alike is None else target._alike[1])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_mse_loss, (input, target, reduction))


OP_mse_loss.function = mse_loss


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction='mean'):
    """The sum over other classes of max(0, margin - score of the target + score) ** p, over the number of classes."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or type(p) is not int and type(p) is not float or type(margin) is not float and type(margin) is not int or weight is not None and (type(weight) not in PLAIN_TYPES):
        input, target, p, margin, weight, reduction = accepted(OP_multi_margin_loss, (input, target, p, margin, weight, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_multi_margin_loss, (input, target, p, margin, weight, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_multi_margin_loss, composite_multi_margin_loss, F, (input, target, p, margin, weight, reduction), dict())
    try:
        return composite_multi_margin_loss(F, input, target, p, margin, weight, reduction)
    except Exception:
        explain_arguments(OP_multi_margin_loss, (input, target, p, margin, weight, reduction))
        raise


OP_multi_margin_loss.function = multi_margin_loss


def multilabel_margin_backward(F, node, saved, g, edges):
    input, target = saved
    input_shape, reduction = node.params
    return (derivative_multilabel_margin_input(F, g, input, target, input_shape, reduction),)


class MultilabelMarginLossBackward0(Saving):
    op = OPS['multilabel_margin']
    saves = ('input', 'target')
    parameters = ('input_shape', 'reduction')
    backward = staticmethod(multilabel_margin_backward)
    backward_complex = staticmethod(multilabel_margin_backward)


new_MultilabelMarginLossBackward0 = maker_of(MultilabelMarginLossBackward0)


OP_multilabel_margin.nodes = (MultilabelMarginLossBackward0,)


OP_multilabel_margin.select_node = lambda input, target, reduction: MultilabelMarginLossBackward0


def multilabel_margin(input, target, reduction):
    """How far the scores of other classes come within 1 of each target's, reduced."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_multilabel_margin(xp, input_array, target_array, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MultilabelMarginLossBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], reduction)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_multilabel_margin, (input, target, reduction))


OP_multilabel_margin.function = multilabel_margin


def multilabel_margin_loss(input, target, reduction='mean'):
    """The sum over targets and other classes of max(0, 1 - target's score + other's), over the number of classes."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES:
        input, target, reduction = accepted(OP_multilabel_margin_loss, (input, target, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_multilabel_margin_loss, (input, target, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_multilabel_margin_loss, composite_multilabel_margin_loss, F, (input, target, reduction), dict())
    try:
        return composite_multilabel_margin_loss(F, input, target, reduction)
    except Exception:
        explain_arguments(OP_multilabel_margin_loss, (input, target, reduction))
        raise


OP_multilabel_margin_loss.function = multilabel_margin_loss


def multilabel_slopes(input, target):
    """The derivative of the sum of each row's `multilabel_margin`: constant between kinks."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if type(input_array) is ndarray and input_array.dtype in EASY and type(target_array) is ndarray and target_array.dtype in EASY and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_multilabel_slopes(xp, input_array, target_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_multilabel_slopes, (input, target))


OP_multilabel_slopes.function = multilabel_slopes


def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, *, out=None):
    """`batch_norm`, with the means and inverse deviations of the channels; none outside training."""
    if type(input) not in PLAIN_TYPES or weight is not None and (type(weight) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES) or running_mean is not None and (type(running_mean) not in PLAIN_TYPES) or running_var is not None and (type(running_var) not in PLAIN_TYPES) or training is not False and training is not True or type(momentum) is not float and type(momentum) is not int or type(eps) is not float and type(eps) is not int:
        input, weight, bias, running_mean, running_var, training, momentum, eps = accepted(OP_native_batch_norm, (input, weight, bias, running_mean, running_var, training, momentum, eps))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__') or running_mean is not None and type(running_mean) not in PLAIN_TYPES and hasattr(running_mean, '__torch_function__') or running_var is not None and type(running_var) not in PLAIN_TYPES and hasattr(running_var, '__torch_function__'):
        if (_taken := taken_over(OP_native_batch_norm, (input, weight, bias, running_mean, running_var, training, momentum, eps), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'native_batch_norm', composite_native_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps), OP_native_batch_norm, (input, weight, bias, running_mean, running_var, training, momentum, eps))
    try:
        return composite_native_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps)
    except Exception:
        explain_arguments(OP_native_batch_norm, (input, weight, bias, running_mean, running_var, training, momentum, eps))
        raise


OP_native_batch_norm.function = native_batch_norm


def native_batch_normalization_backward(F, node, saved, g, edges):
    input, weight = saved
    training, statistics = node.params
    common = common_native_batch_normalization(F, g, input, weight, training, statistics)
    input_edge, weight_edge, bias_edge = edges
    return (None if input_edge is None else derivative_native_batch_normalization_input(F, g, input, weight, training, statistics, common), None if weight_edge is None else derivative_native_batch_normalization_weight(F, g, input, training, statistics, common), None if bias_edge is None else F.channel_sum(g) if common is None else common[2])


class NativeBatchNormBackward0(Saving):
    op = OPS['native_batch_normalization']
    saves = ('input', 'weight')
    parameters = ('training', 'statistics')
    backward = staticmethod(native_batch_normalization_backward)
    backward_complex = staticmethod(native_batch_normalization_backward)


new_NativeBatchNormBackward0 = maker_of(NativeBatchNormBackward0)


OP_native_batch_normalization.nodes = (NativeBatchNormBackward0,)


OP_native_batch_normalization.select_node = lambda input, weight, bias, running_mean, running_var, training, momentum, eps, statistics: NativeBatchNormBackward0


def native_batch_normalization(input, weight, bias, running_mean, running_var, training, momentum, eps, statistics):
    """Each channel less its mean, over its deviation; in training the running statistics move towards the batch's."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES) and (bias is None or type(bias) in PLAIN_TYPES) and (running_mean is None or type(running_mean) in PLAIN_TYPES) and (running_var is None or type(running_var) in PLAIN_TYPES):
        input_array = input._array
        weight_array = None if weight is None else weight._array
        bias_array = None if bias is None else bias._array
        running_mean_array = None if running_mean is None else running_mean._array
        running_var_array = None if running_var is None else running_var._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (weight is None or _dtype is weight_array.dtype) and (bias is None or _dtype is bias_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_native_batch_normalization(xp, input_array, weight_array, bias_array, running_mean_array, running_var_array, training, momentum, eps, statistics)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_edge = None if weight is None else (weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight))
                    bias_edge = None if bias is None else (bias._edge if (_base := bias._base) is None or bias._generation == _base._generation else edge_of(bias))
                if _mode and (input_edge is not None or weight_edge is not None or bias_edge is not None):
                    _node = new_NativeBatchNormBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_edge, bias_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (input_storage, weight_storage)
                    _node.versions = (input_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (training, statistics)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_native_batch_normalization, (input, weight, bias, running_mean, running_var, training, momentum, eps, statistics))


OP_native_batch_normalization.function = native_batch_normalization


def native_channel_shuffle(input, groups):
    """`channel_shuffle`, by the name of its kernel."""
    if type(input) not in PLAIN_TYPES or type(groups) is not int or groups > 0x3FFFFFFF or groups < -0x3FFFFFFF:
        input, groups = accepted(OP_native_channel_shuffle, (input, groups))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_native_channel_shuffle, (input, groups), dict())) is not ABSENT:
            return _taken
    try:
        return composite_native_channel_shuffle(F, input, groups)
    except Exception:
        explain_arguments(OP_native_channel_shuffle, (input, groups))
        raise


OP_native_channel_shuffle.function = native_channel_shuffle


def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """`group_norm`, with the means and inverse deviations of the groups, which here have gradients, as in PyTorch."""
    if type(input) not in PLAIN_TYPES or weight is not None and (type(weight) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES) or type(N) is not int or N > 0x3FFFFFFF or N < -0x3FFFFFFF or type(C) is not int or C > 0x3FFFFFFF or C < -0x3FFFFFFF or type(HxW) is not int or HxW > 0x3FFFFFFF or HxW < -0x3FFFFFFF or type(group) is not int or group > 0x3FFFFFFF or group < -0x3FFFFFFF or type(eps) is not float and type(eps) is not int:
        input, weight, bias, N, C, HxW, group, eps = accepted(OP_native_group_norm, (input, weight, bias, N, C, HxW, group, eps))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_native_group_norm, (input, weight, bias, N, C, HxW, group, eps), dict())) is not ABSENT:
            return _taken
    try:
        return composite_native_group_norm(F, input, weight, bias, N, C, HxW, group, eps)
    except Exception:
        explain_arguments(OP_native_group_norm, (input, weight, bias, N, C, HxW, group, eps))
        raise


OP_native_group_norm.function = native_group_norm


def native_group_normalization_backward(F, node, saved, g, edges):
    input, weight = saved
    num_groups, statistics = node.params
    common = common_native_group_normalization(F, g, input, num_groups, weight, statistics)
    input_edge, weight_edge, bias_edge = edges
    return (None if input_edge is None else derivative_native_group_normalization_input(F, g, input, num_groups, weight, statistics, common), None if weight_edge is None else derivative_native_group_normalization_weight(F, g, input, num_groups, statistics, common), None if bias_edge is None else F.channel_sum(g) if common is None else common[2])


class NativeGroupNormBackward0(Saving):
    op = OPS['native_group_normalization']
    saves = ('input', 'weight')
    parameters = ('num_groups', 'statistics')
    backward = staticmethod(native_group_normalization_backward)
    backward_complex = staticmethod(native_group_normalization_backward)


new_NativeGroupNormBackward0 = maker_of(NativeGroupNormBackward0)


OP_native_group_normalization.nodes = (NativeGroupNormBackward0,)


OP_native_group_normalization.select_node = lambda input, num_groups, weight, bias, eps, statistics: NativeGroupNormBackward0


def native_group_normalization(input, num_groups, weight, bias, eps, statistics):
    """Each group of channels less its mean, over its deviation."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES) and (bias is None or type(bias) in PLAIN_TYPES):
        input_array = input._array
        weight_array = None if weight is None else weight._array
        bias_array = None if bias is None else bias._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (weight is None or _dtype is weight_array.dtype) and (bias is None or _dtype is bias_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_native_group_normalization(xp, input_array, num_groups, weight_array, bias_array, eps, statistics)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_edge = None if weight is None else (weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight))
                    bias_edge = None if bias is None else (bias._edge if (_base := bias._base) is None or bias._generation == _base._generation else edge_of(bias))
                if _mode and (input_edge is not None or weight_edge is not None or bias_edge is not None):
                    _node = new_NativeGroupNormBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_edge, bias_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (input_storage, weight_storage)
                    _node.versions = (input_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (num_groups, statistics)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_native_group_normalization, (input, num_groups, weight, bias, eps, statistics))


OP_native_group_normalization.function = native_group_normalization


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """`layer_norm`, with the means and inverse deviations of the rows."""
    if type(input) not in PLAIN_TYPES or not isinstance(normalized_shape, (tuple, list)) or weight is not None and (type(weight) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES) or type(eps) is not float and type(eps) is not int:
        input, normalized_shape, weight, bias, eps = accepted(OP_native_layer_norm, (input, normalized_shape, weight, bias, eps))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__'):
        if (_taken := taken_over(OP_native_layer_norm, (input, normalized_shape, weight, bias, eps), dict())) is not ABSENT:
            return _taken
    try:
        if type(normalized_shape) in ROWS and not WHOLE.issuperset(map(type, normalized_shape)):
            input, normalized_shape, weight, bias, eps = accepted(OP_native_layer_norm, (input, normalized_shape, weight, bias, eps))
        return composite_native_layer_norm(F, input, normalized_shape, weight, bias, eps)
    except Exception:
        explain_arguments(OP_native_layer_norm, (input, normalized_shape, weight, bias, eps))
        raise


OP_native_layer_norm.function = native_layer_norm


def native_layer_normalization_backward(F, node, saved, g, edges):
    input, weight = saved
    normalized_shape, statistics = node.params
    common = common_native_layer_normalization(F, g, input, normalized_shape, weight, statistics)
    input_edge, weight_edge, bias_edge = edges
    return (None if input_edge is None else derivative_native_layer_normalization_input(F, g, input, normalized_shape, weight, statistics, common), None if weight_edge is None else derivative_native_layer_normalization_weight(F, g, input, normalized_shape, statistics, common), None if bias_edge is None else F.sum_to_size_of(g, normalized_shape) if common is None else common[2])


class NativeLayerNormBackward0(Saving):
    op = OPS['native_layer_normalization']
    saves = ('input', 'weight')
    parameters = ('normalized_shape', 'statistics')
    backward = staticmethod(native_layer_normalization_backward)
    backward_complex = staticmethod(native_layer_normalization_backward)


new_NativeLayerNormBackward0 = maker_of(NativeLayerNormBackward0)


OP_native_layer_normalization.nodes = (NativeLayerNormBackward0,)


OP_native_layer_normalization.select_node = lambda input, normalized_shape, weight, bias, eps, statistics: NativeLayerNormBackward0


def native_layer_normalization(input, normalized_shape, weight, bias, eps, statistics):
    """The last dimensions less their mean, over their deviation."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES) and (bias is None or type(bias) in PLAIN_TYPES):
        input_array = input._array
        weight_array = None if weight is None else weight._array
        bias_array = None if bias is None else bias._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (weight is None or _dtype is weight_array.dtype) and (bias is None or _dtype is bias_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_native_layer_normalization(xp, input_array, normalized_shape, weight_array, bias_array, eps, statistics)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_edge = None if weight is None else (weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight))
                    bias_edge = None if bias is None else (bias._edge if (_base := bias._base) is None or bias._generation == _base._generation else edge_of(bias))
                if _mode and (input_edge is not None or weight_edge is not None or bias_edge is not None):
                    _node = new_NativeLayerNormBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_edge, bias_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (input_storage, weight_storage)
                    _node.versions = (input_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (normalized_shape, statistics)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_native_layer_normalization, (input, normalized_shape, weight, bias, eps, statistics))


OP_native_layer_normalization.function = native_layer_normalization


def negative_log_likelihood_backward(F, node, saved, g, edges):
    target, weight = saved
    input_shape, ignore_index, reduction = node.params
    return (F.spread_over_classes(g, target, weight, input_shape, ignore_index, reduction),)


class NllLoss2DBackward0(Saving):
    op = OPS['negative_log_likelihood']
    saves = ('target', 'weight')
    parameters = ('input_shape', 'ignore_index', 'reduction')
    backward = staticmethod(negative_log_likelihood_backward)
    backward_complex = staticmethod(negative_log_likelihood_backward)


new_NllLoss2DBackward0 = maker_of(NllLoss2DBackward0)


class NllLossBackward0(Saving):
    op = OPS['negative_log_likelihood']
    saves = ('target', 'weight')
    parameters = ('input_shape', 'ignore_index', 'reduction')
    backward = staticmethod(negative_log_likelihood_backward)
    backward_complex = staticmethod(negative_log_likelihood_backward)


new_NllLossBackward0 = maker_of(NllLossBackward0)


OP_negative_log_likelihood.nodes = (NllLoss2DBackward0, NllLossBackward0)


OP_negative_log_likelihood.select_node = lambda input, target, weight, ignore_index, reduction: NllLoss2DBackward0 if input.ndim == 4 else NllLossBackward0


def negative_log_likelihood(input, target, weight, ignore_index, reduction):
    """Minus the score of the class that `target` names, weighted; `ignore_index` counts nothing."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        weight_array = None if weight is None else weight._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_negative_log_likelihood(xp, input_array, target_array, weight_array, ignore_index, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_NllLoss2DBackward0 if input.ndim == 4 else new_NllLossBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (target_array, weight_array)
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (target_storage, weight_storage)
                    _node.versions = (target_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], ignore_index, reduction)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_negative_log_likelihood, (input, target, weight, ignore_index, reduction))


OP_negative_log_likelihood.function = negative_log_likelihood


def nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean'):
    """Minus the log-probability of the right class, for `input` (N, C, ...) or (C,) and classes (N, ...) or ()."""
    if type(ignore_index) is not int or ignore_index > 0x3FFFFFFF or ignore_index < -0x3FFFFFFF:
        input, target, weight, ignore_index, reduction = accepted(OP_nll_loss, (input, target, weight, ignore_index, reduction))
    if type(input) in PLAIN_TYPES and input._array.ndim == 2 and type(target) in PLAIN_TYPES and target._array.shape == input._array.shape[:1] and type(ignore_index) is int and (weight is None or type(weight) in PLAIN_TYPES and weight._array.dtype is input._array.dtype and not weight.requires_grad) and (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        weight_array = None if weight is None else weight._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_negative_log_likelihood(xp, input_array, target_array, weight_array, ignore_index, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_NllLoss2DBackward0 if input.ndim == 4 else new_NllLossBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (target_array, weight_array)
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (target_storage, weight_storage)
                    _node.versions = (target_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], ignore_index, reduction)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_nll_loss, (input, target, weight, ignore_index, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_nll_loss, composite_nll_loss, F, (input, target, weight, ignore_index, reduction), dict())
    try:
        return composite_nll_loss(F, input, target, weight, ignore_index, reduction)
    except Exception:
        explain_arguments(OP_nll_loss, (input, target, weight, ignore_index, reduction))
        raise


OP_nll_loss.function = nll_loss


def normalized_backward(F, node, saved, g, edges):
    input, = saved
    mean, scale, layout = node.params
    return (F.normalized_gradient(g, input, mean, scale, layout),)


class NormalizedBackward0(Saving):
    op = OPS['normalized']
    saves = ('input',)
    parameters = ('mean', 'scale', 'layout')
    backward = staticmethod(normalized_backward)
    backward_complex = staticmethod(normalized_backward)


new_NormalizedBackward0 = maker_of(NormalizedBackward0)


OP_normalized.nodes = (NormalizedBackward0,)


OP_normalized.select_node = lambda input, mean, scale, layout: NormalizedBackward0


def normalized(input, mean, scale, layout):
    """`(input - mean) * scale` in a layout, where mean and scale are those of `input`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_normalized(xp, input_array, mean, scale, layout)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_NormalizedBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
                    _node.params = (mean, scale, layout)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_normalized, (input, mean, scale, layout))


OP_normalized.function = normalized


def normalized_gradient_backward(F, node, saved, g, edges):
    grad, input = saved
    mean, scale, layout = node.params
    grad_edge, input_edge = edges
    return (None if grad_edge is None else F.normalized_gradient(g, input, mean, scale, layout), None if input_edge is None else derivative_normalized_gradient_input(F, g, grad, input, mean, scale, layout))


class NormalizedGradientBackward0(Saving):
    op = OPS['normalized_gradient']
    saves = ('grad', 'input')
    parameters = ('mean', 'scale', 'layout')
    backward = staticmethod(normalized_gradient_backward)
    backward_complex = staticmethod(normalized_gradient_backward)


new_NormalizedGradientBackward0 = maker_of(NormalizedGradientBackward0)


OP_normalized_gradient.nodes = (NormalizedGradientBackward0,)


OP_normalized_gradient.select_node = lambda grad, input, mean, scale, layout: NormalizedGradientBackward0


def normalized_gradient(grad, input, mean, scale, layout):
    """The derivative of `normalized` at `input`, applied to `grad`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        grad_array = grad._array
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is input_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_normalized_gradient(xp, grad_array, input_array, mean, scale, layout)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    grad_edge = grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                if _mode and (grad_edge is not None or input_edge is not None):
                    _node = new_NormalizedGradientBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge, input_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if input_edge is None else grad_array, input_array)
                    if (grad_storage := grad._store) is None:
                        grad_storage = grad._store = new_storage(None)
                        grad_storage.version = 0
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (grad_storage, input_storage)
                    _node.versions = (grad_storage.version, input_storage.version)
                    _node.params = (mean, scale, layout)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_normalized_gradient, (grad, input, mean, scale, layout))


OP_normalized_gradient.function = normalized_gradient


def normalized_weight_backward(F, node, saved, g, edges):
    grad, input = saved
    mean, scale, layout, per_feature = node.params
    grad_edge, input_edge = edges
    return (None if grad_edge is None else derivative_normalized_weight_grad(F, g, input, mean, scale, layout, per_feature), None if input_edge is None else derivative_normalized_weight_input(F, g, grad, input, mean, scale, layout, per_feature))


class NormalizedWeightBackward0(Saving):
    op = OPS['normalized_weight']
    saves = ('grad', 'input')
    parameters = ('mean', 'scale', 'layout', 'per_feature')
    backward = staticmethod(normalized_weight_backward)
    backward_complex = staticmethod(normalized_weight_backward)


new_NormalizedWeightBackward0 = maker_of(NormalizedWeightBackward0)


OP_normalized_weight.nodes = (NormalizedWeightBackward0,)


OP_normalized_weight.select_node = lambda grad, input, mean, scale, layout, per_feature: NormalizedWeightBackward0


def normalized_weight(grad, input, mean, scale, layout, per_feature):
    """The sums of `grad` times the normalized `input`, per channel or per feature: the gradient of a weight."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        grad_array = grad._array
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is input_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_normalized_weight(xp, grad_array, input_array, mean, scale, layout, per_feature)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    grad_edge = grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                if _mode and (grad_edge is not None or input_edge is not None):
                    _node = new_NormalizedWeightBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge, input_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if input_edge is None else grad_array, input_array)
                    if (grad_storage := grad._store) is None:
                        grad_storage = grad._store = new_storage(None)
                        grad_storage.version = 0
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (grad_storage, input_storage)
                    _node.versions = (grad_storage.version, input_storage.version)
                    _node.params = (mean, scale, layout, per_feature)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_normalized_weight, (grad, input, mean, scale, layout, per_feature))


OP_normalized_weight.function = normalized_weight


def one_hot(tensor, num_classes=-1):
    """A 1 in the place that each whole number names, in a new last dimension.

    Raises RuntimeError for negative numbers, or numbers beyond `num_classes`."""
    if type(tensor) not in PLAIN_TYPES or type(num_classes) is not int or num_classes > 0x3FFFFFFF or num_classes < -0x3FFFFFFF:
        tensor, num_classes = accepted(OP_one_hot, (tensor, num_classes))
    if type(get_mode()) is Modes and get_mode().function_modes or type(tensor) not in PLAIN_TYPES and hasattr(tensor, '__torch_function__'):
        if (_taken := taken_over(OP_one_hot, (tensor, num_classes), dict())) is not ABSENT:
            return _taken
    try:
        return composite_one_hot(F, tensor, num_classes)
    except Exception:
        explain_arguments(OP_one_hot, (tensor, num_classes))
        raise


OP_one_hot.function = one_hot


def ones_at(places, count):
    """A 1 in the place that each whole number names, among `count` zeros."""
    if (type(places) is Tensor or type(places) in PLAIN_TYPES):
        places_array = places._array
        _mode = get_mode()
        if type(places_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_ones_at(places_array, count)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_ones_at, (places, count))


OP_ones_at.function = ones_at


def pad(input, pad, mode='constant', value=None):
    """`input` padded by `pad` = (before, after) of the last dimension, then of the one before it, and so on."""
    if type(input) not in PLAIN_TYPES or not isinstance(pad, (tuple, list)) or type(mode) is not str or value is not None and (type(value) is not float and type(value) is not int):
        input, pad, mode, value = accepted(OP_pad, (input, pad, mode, value))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_pad, (input, pad, mode, value), dict())) is not ABSENT:
            return _taken
    try:
        if type(pad) in ROWS and not WHOLE.issuperset(map(type, pad)):
            input, pad, mode, value = accepted(OP_pad, (input, pad, mode, value))
        return composite_pad(F, input, pad, mode, value)
    except Exception:
        explain_arguments(OP_pad, (input, pad, mode, value))
        raise


OP_pad.function = pad


def padding_transposed_backward(F, node, saved, g, edges):
    padding, mode = node.params
    return (derivative_padding_transposed_grad(F, g, padding, mode),)


class PaddingTransposedBackward0(Node):
    op = OPS['padding_transposed']
    saves = ()
    parameters = ('padding', 'mode')
    backward = staticmethod(padding_transposed_backward)
    backward_complex = staticmethod(padding_transposed_backward)


new_PaddingTransposedBackward0 = maker_of(PaddingTransposedBackward0)


OP_padding_transposed.nodes = (PaddingTransposedBackward0,)


OP_padding_transposed.select_node = lambda grad, shape, padding, mode: PaddingTransposedBackward0


def padding_transposed(grad, shape, padding, mode):
    """The transpose of a padding: each element of `grad` added to where it came from in a tensor of `shape`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES):
        grad_array = grad._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_padding_transposed(xp, grad_array, shape, padding, mode)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (grad_edge := grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)) is not None:
                    _node = new_PaddingTransposedBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge,)
                    _node.saved = ()
                    _node.params = (padding, mode)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_padding_transposed, (grad, shape, padding, mode))


OP_padding_transposed.function = padding_transposed


def pixel_shuffle_backward(F, node, saved, g, edges):
    upscale_factor, = node.params
    return (F.pixel_unshuffle(g, upscale_factor),)


class PixelShuffleBackward0(Node):
    op = OPS['pixel_shuffle']
    saves = ()
    parameters = ('upscale_factor',)
    backward = staticmethod(pixel_shuffle_backward)
    backward_complex = staticmethod(pixel_shuffle_backward)


new_PixelShuffleBackward0 = maker_of(PixelShuffleBackward0)


OP_pixel_shuffle.nodes = (PixelShuffleBackward0,)


OP_pixel_shuffle.select_node = lambda input, upscale_factor: PixelShuffleBackward0


def pixel_shuffle(input, upscale_factor):
    """(..., C * r * r, H, W) as (..., C, H * r, W * r), with `upscale_factor` for r."""
    if type(upscale_factor) is not int or upscale_factor > 0x3FFFFFFF or upscale_factor < -0x3FFFFFFF:
        input, upscale_factor = accepted(OP_pixel_shuffle, (input, upscale_factor))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_pixel_shuffle(xp, input_array, upscale_factor)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_PixelShuffleBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (upscale_factor,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_pixel_shuffle, (input, upscale_factor))


OP_pixel_shuffle.function = pixel_shuffle


def pixel_unshuffle_backward(F, node, saved, g, edges):
    downscale_factor, = node.params
    return (F.pixel_shuffle(g, downscale_factor),)


class PixelUnshuffleBackward0(Node):
    op = OPS['pixel_unshuffle']
    saves = ()
    parameters = ('downscale_factor',)
    backward = staticmethod(pixel_unshuffle_backward)
    backward_complex = staticmethod(pixel_unshuffle_backward)


new_PixelUnshuffleBackward0 = maker_of(PixelUnshuffleBackward0)


OP_pixel_unshuffle.nodes = (PixelUnshuffleBackward0,)


OP_pixel_unshuffle.select_node = lambda input, downscale_factor: PixelUnshuffleBackward0


def pixel_unshuffle(input, downscale_factor):
    """(..., C, H * r, W * r) as (..., C * r * r, H, W), with `downscale_factor` for r."""
    if type(downscale_factor) is not int or downscale_factor > 0x3FFFFFFF or downscale_factor < -0x3FFFFFFF:
        input, downscale_factor = accepted(OP_pixel_unshuffle, (input, downscale_factor))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_pixel_unshuffle(xp, input_array, downscale_factor)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_PixelUnshuffleBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (downscale_factor,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_pixel_unshuffle, (input, downscale_factor))


OP_pixel_unshuffle.function = pixel_unshuffle


def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """exp(input) - target * input, or input - target log(input); `full` adds Stirling's formula for log(target!)."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or log_input is not False and log_input is not True or full is not False and full is not True or type(eps) is not float and type(eps) is not int:
        input, target, log_input, full, eps, reduction = accepted(OP_poisson_nll_loss, (input, target, log_input, full, eps, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_poisson_nll_loss, (input, target, log_input, full, eps, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_poisson_nll_loss, composite_poisson_nll_loss, F, (input, target, log_input, full, eps, reduction), dict())
    try:
        return composite_poisson_nll_loss(F, input, target, log_input, full, eps, reduction)
    except Exception:
        explain_arguments(OP_poisson_nll_loss, (input, target, log_input, full, eps, reduction))
        raise


OP_poisson_nll_loss.function = poisson_nll_loss


def put_pooled_backward(F, node, saved, g, edges):
    indices, = saved
    dims, = node.params
    return (F.take_pooled(g, indices, dims),)


class PutPooledBackward0(Saving):
    op = OPS['put_pooled']
    saves = ('indices',)
    parameters = ('dims',)
    backward = staticmethod(put_pooled_backward)
    backward_complex = staticmethod(put_pooled_backward)


new_PutPooledBackward0 = maker_of(PutPooledBackward0)


OP_put_pooled.nodes = (PutPooledBackward0,)


OP_put_pooled.select_node = lambda grad, indices, shape, dims: PutPooledBackward0


def put_pooled(grad, indices, shape, dims):
    """Each element of `grad` added at its position in zeros of `shape`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(indices) is Tensor or type(indices) in PLAIN_TYPES):
        grad_array = grad._array
        indices_array = indices._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_put_pooled(xp, grad_array, indices_array, shape, dims)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (grad_edge := grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)) is not None:
                    _node = new_PutPooledBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (indices_array,)
                    if (indices_storage := indices._store) is None:
                        indices_storage = indices._store = new_storage(None)
                        indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (indices_storage.version,)
                    _node.params = (dims,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_put_pooled, (grad, indices, shape, dims))


OP_put_pooled.function = put_pooled


def reflection_pad_backward(F, node, saved, g, edges):
    input_shape, padding = node.params
    return (F.padding_transposed(g, input_shape, padding, 'reflect'),)


class ReflectionPad1DBackward0(Node):
    op = OPS['reflection_pad']
    saves = ()
    parameters = ('input_shape', 'padding')
    backward = staticmethod(reflection_pad_backward)
    backward_complex = staticmethod(reflection_pad_backward)


new_ReflectionPad1DBackward0 = maker_of(ReflectionPad1DBackward0)


class ReflectionPad2DBackward0(Node):
    op = OPS['reflection_pad']
    saves = ()
    parameters = ('input_shape', 'padding')
    backward = staticmethod(reflection_pad_backward)
    backward_complex = staticmethod(reflection_pad_backward)


new_ReflectionPad2DBackward0 = maker_of(ReflectionPad2DBackward0)


class ReflectionPad3DBackward0(Node):
    op = OPS['reflection_pad']
    saves = ()
    parameters = ('input_shape', 'padding')
    backward = staticmethod(reflection_pad_backward)
    backward_complex = staticmethod(reflection_pad_backward)


new_ReflectionPad3DBackward0 = maker_of(ReflectionPad3DBackward0)


OP_reflection_pad.nodes = (ReflectionPad1DBackward0, ReflectionPad2DBackward0, ReflectionPad3DBackward0)


OP_reflection_pad.select_node = lambda input, padding: ReflectionPad1DBackward0 if len(padding) == 2 else ReflectionPad2DBackward0 if len(padding) == 4 else ReflectionPad3DBackward0


def reflection_pad(input, padding):
    """`input` continued by its mirror image, the edge not repeated."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_reflection_pad(xp, input_array, padding)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_ReflectionPad1DBackward0 if len(padding) == 2 else new_ReflectionPad2DBackward0 if len(padding) == 4 else new_ReflectionPad3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], padding)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_reflection_pad, (input, padding))


OP_reflection_pad.function = reflection_pad


def replication_pad_backward(F, node, saved, g, edges):
    input_shape, padding = node.params
    return (F.padding_transposed(g, input_shape, padding, 'replicate'),)


class ReplicationPad1DBackward0(Node):
    op = OPS['replication_pad']
    saves = ()
    parameters = ('input_shape', 'padding')
    backward = staticmethod(replication_pad_backward)
    backward_complex = staticmethod(replication_pad_backward)


new_ReplicationPad1DBackward0 = maker_of(ReplicationPad1DBackward0)


class ReplicationPad2DBackward0(Node):
    op = OPS['replication_pad']
    saves = ()
    parameters = ('input_shape', 'padding')
    backward = staticmethod(replication_pad_backward)
    backward_complex = staticmethod(replication_pad_backward)


new_ReplicationPad2DBackward0 = maker_of(ReplicationPad2DBackward0)


class ReplicationPad3DBackward0(Node):
    op = OPS['replication_pad']
    saves = ()
    parameters = ('input_shape', 'padding')
    backward = staticmethod(replication_pad_backward)
    backward_complex = staticmethod(replication_pad_backward)


new_ReplicationPad3DBackward0 = maker_of(ReplicationPad3DBackward0)


OP_replication_pad.nodes = (ReplicationPad1DBackward0, ReplicationPad2DBackward0, ReplicationPad3DBackward0)


OP_replication_pad.select_node = lambda input, padding: ReplicationPad1DBackward0 if len(padding) == 2 else ReplicationPad2DBackward0 if len(padding) == 4 else ReplicationPad3DBackward0


def replication_pad(input, padding):
    """`input` continued by its last elements."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_replication_pad(xp, input_array, padding)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_ReplicationPad1DBackward0 if len(padding) == 2 else new_ReplicationPad2DBackward0 if len(padding) == 4 else new_ReplicationPad3DBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], padding)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_replication_pad, (input, padding))


OP_replication_pad.function = replication_pad


def resample_backward(F, node, saved, g, edges):
    input_shape, size, kind, align_corners, factors = node.params
    return (F.resample_transposed(g, input_shape, size, kind, align_corners, factors),)


class UpsampleNearest1DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleNearest1DBackward0 = maker_of(UpsampleNearest1DBackward0)


class UpsampleNearest2DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleNearest2DBackward0 = maker_of(UpsampleNearest2DBackward0)


class UpsampleNearest3DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleNearest3DBackward0 = maker_of(UpsampleNearest3DBackward0)


class UpsampleNearestExact1DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleNearestExact1DBackward0 = maker_of(UpsampleNearestExact1DBackward0)


class UpsampleNearestExact2DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleNearestExact2DBackward0 = maker_of(UpsampleNearestExact2DBackward0)


class UpsampleNearestExact3DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleNearestExact3DBackward0 = maker_of(UpsampleNearestExact3DBackward0)


class UpsampleLinear1DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleLinear1DBackward0 = maker_of(UpsampleLinear1DBackward0)


class UpsampleBicubic2DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleBicubic2DBackward0 = maker_of(UpsampleBicubic2DBackward0)


class UpsampleBilinear2DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleBilinear2DBackward0 = maker_of(UpsampleBilinear2DBackward0)


class UpsampleTrilinear3DBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleTrilinear3DBackward0 = maker_of(UpsampleTrilinear3DBackward0)


class UpsampleBilinear2DAaBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleBilinear2DAaBackward0 = maker_of(UpsampleBilinear2DAaBackward0)


class UpsampleBicubic2DAaBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleBicubic2DAaBackward0 = maker_of(UpsampleBicubic2DAaBackward0)


class UpsampleLanczos2DAaBackward0(Node):
    op = OPS['resample']
    saves = ()
    parameters = ('input_shape', 'size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_backward)
    backward_complex = staticmethod(resample_backward)


new_UpsampleLanczos2DAaBackward0 = maker_of(UpsampleLanczos2DAaBackward0)


OP_resample.nodes = (UpsampleNearest1DBackward0, UpsampleNearest2DBackward0, UpsampleNearest3DBackward0, UpsampleNearestExact1DBackward0, UpsampleNearestExact2DBackward0, UpsampleNearestExact3DBackward0, UpsampleLinear1DBackward0, UpsampleBicubic2DBackward0, UpsampleBilinear2DBackward0, UpsampleTrilinear3DBackward0, UpsampleBilinear2DAaBackward0, UpsampleBicubic2DAaBackward0, UpsampleLanczos2DAaBackward0)


OP_resample.select_node = lambda input, size, kind, align_corners, factors: (UpsampleNearest1DBackward0 if len(size) == 1 else UpsampleNearest2DBackward0 if len(size) == 2 else UpsampleNearest3DBackward0) if kind == 'nearest' else (UpsampleNearestExact1DBackward0 if len(size) == 1 else UpsampleNearestExact2DBackward0 if len(size) == 2 else UpsampleNearestExact3DBackward0) if kind == 'nearest-exact' else (UpsampleLinear1DBackward0 if len(size) == 1 else UpsampleBilinear2DBackward0 if len(size) == 2 else UpsampleTrilinear3DBackward0) if kind == 'linear' else UpsampleBicubic2DBackward0 if kind == 'cubic' else UpsampleBilinear2DAaBackward0 if kind == 'wide-linear' else UpsampleBicubic2DAaBackward0 if kind == 'wide-cubic' else UpsampleLanczos2DAaBackward0


def resample(input, size, kind, align_corners, factors):
    """`input` (N, C, ...) at `size` new positions, by the kernel `kind`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_resample(xp, input_array, size, kind, align_corners, factors)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = ((new_UpsampleNearest1DBackward0 if len(size) == 1 else new_UpsampleNearest2DBackward0 if len(size) == 2 else new_UpsampleNearest3DBackward0) if kind == 'nearest' else (new_UpsampleNearestExact1DBackward0 if len(size) == 1 else new_UpsampleNearestExact2DBackward0 if len(size) == 2 else new_UpsampleNearestExact3DBackward0) if kind == 'nearest-exact' else (new_UpsampleLinear1DBackward0 if len(size) == 1 else new_UpsampleBilinear2DBackward0 if len(size) == 2 else new_UpsampleTrilinear3DBackward0) if kind == 'linear' else new_UpsampleBicubic2DBackward0 if kind == 'cubic' else new_UpsampleBilinear2DAaBackward0 if kind == 'wide-linear' else new_UpsampleBicubic2DAaBackward0 if kind == 'wide-cubic' else new_UpsampleLanczos2DAaBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], size, kind, align_corners, factors)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_resample, (input, size, kind, align_corners, factors))


OP_resample.function = resample


def resample_transposed_backward(F, node, saved, g, edges):
    size, kind, align_corners, factors = node.params
    return (F.resample(g, size, kind, align_corners, factors),)


class ResampleTransposedBackward0(Node):
    op = OPS['resample_transposed']
    saves = ()
    parameters = ('size', 'kind', 'align_corners', 'factors')
    backward = staticmethod(resample_transposed_backward)
    backward_complex = staticmethod(resample_transposed_backward)


new_ResampleTransposedBackward0 = maker_of(ResampleTransposedBackward0)


OP_resample_transposed.nodes = (ResampleTransposedBackward0,)


OP_resample_transposed.select_node = lambda grad, shape, size, kind, align_corners, factors: ResampleTransposedBackward0


def resample_transposed(grad, shape, size, kind, align_corners, factors):
    """The transpose of `resample`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES):
        grad_array = grad._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_resample_transposed(xp, grad_array, shape, size, kind, align_corners, factors)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (grad_edge := grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)) is not None:
                    _node = new_ResampleTransposedBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge,)
                    _node.saved = ()
                    _node.params = (size, kind, align_corners, factors)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_resample_transposed, (grad, shape, size, kind, align_corners, factors))


OP_resample_transposed.function = resample_transposed


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """The last dimensions over the root of their mean square (Zhang and Sennrich, 2019)."""
    if type(input) not in PLAIN_TYPES or not isinstance(normalized_shape, (tuple, list)) or weight is not None and (type(weight) not in PLAIN_TYPES) or eps is not None and (type(eps) is not float and type(eps) is not int):
        input, normalized_shape, weight, eps = accepted(OP_rms_norm, (input, normalized_shape, weight, eps))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_rms_norm, (input, normalized_shape, weight, eps), dict())) is not ABSENT:
            return _taken
    try:
        if type(normalized_shape) in ROWS and not WHOLE.issuperset(map(type, normalized_shape)):
            input, normalized_shape, weight, eps = accepted(OP_rms_norm, (input, normalized_shape, weight, eps))
        return composite_rms_norm(F, input, normalized_shape, weight, eps)
    except Exception:
        explain_arguments(OP_rms_norm, (input, normalized_shape, weight, eps))
        raise


OP_rms_norm.function = rms_norm


def rnn_layer_backward(F, node, saved, g, edges):
    input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, output = saved
    relu, sizes, reverse = node.params
    g_output, g_last_hidden = F.present(node, g)
    common = common_rnn_layer(F, g_output, g_last_hidden, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, relu, output, sizes, reverse)
    input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, hidden_edge = edges
    return (None if input_edge is None else F.mm(common.gates, weight_ih), None if weight_ih_edge is None else F.mm(F.t(common.gates), input), None if weight_hh_edge is None else F.mm(F.t(common.recalled), common.begun), None if bias_ih_edge is None else F.sum(common.gates, 0), None if bias_hh_edge is None else F.sum(common.recalled, 0), None if hidden_edge is None else common.hidden)


def rnn_layer_backward_complex(F, node, saved, g, edges):
    input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, output = saved
    relu, sizes, reverse = node.params
    g_output, g_last_hidden = F.present(node, g)
    common = common_rnn_layer(F, g_output, g_last_hidden, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, relu, output, sizes, reverse)
    input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, hidden_edge = edges
    return (None if input_edge is None else F.mm(common.gates, F.conj(weight_ih)), None if weight_ih_edge is None else F.mm(F.t(common.gates), F.conj(input)), None if weight_hh_edge is None else F.mm(F.t(common.recalled), common.begun), None if bias_ih_edge is None else F.sum(common.gates, 0), None if bias_hh_edge is None else F.sum(common.recalled, 0), None if hidden_edge is None else common.hidden)


class RnnLayerBackward0(Saving):
    op = OPS['rnn_layer']
    saves = ('input', 'weight_ih', 'weight_hh', 'bias_ih', 'bias_hh', 'hidden', 'output')
    parameters = ('relu', 'sizes', 'reverse')
    backward = staticmethod(rnn_layer_backward)
    backward_complex = staticmethod(rnn_layer_backward_complex)


new_RnnLayerBackward0 = maker_of(RnnLayerBackward0)


OP_rnn_layer.nodes = (RnnLayerBackward0,)


OP_rnn_layer.select_node = lambda relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse: RnnLayerBackward0


def rnn_layer(relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
    """Outputs and last states of a layer in one direction: the tanh, or the rectifier, of a linear map of both."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(weight_ih) is Tensor or type(weight_ih) in PLAIN_TYPES) and (type(weight_hh) is Tensor or type(weight_hh) in PLAIN_TYPES) and (bias_ih is None or type(bias_ih) in PLAIN_TYPES) and (bias_hh is None or type(bias_hh) in PLAIN_TYPES) and (type(hidden) is Tensor or type(hidden) in PLAIN_TYPES):
        input_array = input._array
        weight_ih_array = weight_ih._array
        weight_hh_array = weight_hh._array
        bias_ih_array = None if bias_ih is None else bias_ih._array
        bias_hh_array = None if bias_hh is None else bias_hh._array
        hidden_array = hidden._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is weight_ih_array.dtype and _dtype is weight_hh_array.dtype and (bias_ih is None or _dtype is bias_ih_array.dtype) and (bias_hh is None or _dtype is bias_hh_array.dtype) and _dtype is hidden_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _output, _last_hidden = forward_rnn_layer(xp, relu, input_array, weight_ih_array, weight_hh_array, bias_ih_array, bias_hh_array, hidden_array, sizes, reverse)
            except Exception:
                pass
            else:
                if type(_output) is not ndarray and isinstance(_output, np.generic):
                    _output = as_array(_output)
                _output_tensor = new_tensor(None)
                _output_tensor._array = _output
                _output_tensor._alike = None
                _output_tensor._base = None
                _output_tensor._generation = None
                if type(_last_hidden) is not ndarray and isinstance(_last_hidden, np.generic):
                    _last_hidden = as_array(_last_hidden)
                _last_hidden_tensor = new_tensor(None)
                _last_hidden_tensor._array = _last_hidden
                _last_hidden_tensor._alike = None
                _last_hidden_tensor._base = None
                _last_hidden_tensor._generation = None
                _output_tensor._store = None
                _last_hidden_tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_ih_edge = weight_ih._edge if (_base := weight_ih._base) is None or weight_ih._generation == _base._generation else edge_of(weight_ih)
                    weight_hh_edge = weight_hh._edge if (_base := weight_hh._base) is None or weight_hh._generation == _base._generation else edge_of(weight_hh)
                    bias_ih_edge = None if bias_ih is None else (bias_ih._edge if (_base := bias_ih._base) is None or bias_ih._generation == _base._generation else edge_of(bias_ih))
                    bias_hh_edge = None if bias_hh is None else (bias_hh._edge if (_base := bias_hh._base) is None or bias_hh._generation == _base._generation else edge_of(bias_hh))
                    hidden_edge = hidden._edge if (_base := hidden._base) is None or hidden._generation == _base._generation else edge_of(hidden)
                if _mode and (input_edge is not None or weight_ih_edge is not None or weight_hh_edge is not None or bias_ih_edge is not None or bias_hh_edge is not None or hidden_edge is not None):
                    _node = new_RnnLayerBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_ih_edge, weight_hh_edge, bias_ih_edge, bias_hh_edge, hidden_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, weight_ih_array, weight_hh_array, bias_ih_array, bias_hh_array, hidden_array, _output)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (weight_ih_storage := weight_ih._store) is None:
                        weight_ih_storage = weight_ih._store = new_storage(None)
                        weight_ih_storage.version = 0
                    if (weight_hh_storage := weight_hh._store) is None:
                        weight_hh_storage = weight_hh._store = new_storage(None)
                        weight_hh_storage.version = 0
                    bias_ih_storage = None if bias_ih is None else bias_ih._store or bias_ih._storage
                    bias_hh_storage = None if bias_hh is None else bias_hh._store or bias_hh._storage
                    if (hidden_storage := hidden._store) is None:
                        hidden_storage = hidden._store = new_storage(None)
                        hidden_storage.version = 0
                    _output_tensor._store = output_storage = new_storage(None)
                    output_storage.version = 0
                    _node.storages = (input_storage, weight_ih_storage, weight_hh_storage, bias_ih_storage, bias_hh_storage, hidden_storage, output_storage)
                    _node.versions = (input_storage.version, weight_ih_storage.version, weight_hh_storage.version, 0 if bias_ih_storage is None else bias_ih_storage.version, 0 if bias_hh_storage is None else bias_hh_storage.version, hidden_storage.version, 0)
                    _node.params = (relu, sizes, reverse)
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_output.shape, _output.dtype), (_last_hidden.shape, _last_hidden.dtype))
                    _output_tensor._edge = Output(_node, 0)
                    _last_hidden_tensor._edge = Output(_node, 1)
                else:
                    _output_tensor._edge = None
                    _last_hidden_tensor._edge = None
                    if _mode is INFERENCE:
                        _output_tensor._store = InferenceStorage()
                        _last_hidden_tensor._store = InferenceStorage()
                return (_output_tensor, _last_hidden_tensor)
            finally:
                reset_errors(_token)
    return general(OP_rnn_layer, (relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse))


OP_rnn_layer.function = rnn_layer


def rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """An Elman network with rectifiers: outputs and last states. Arguments as those of `lstm`."""
    if type(input) not in PLAIN_TYPES or type(hx) not in PLAIN_TYPES or not isinstance(params, (tuple, list)) and type(params) not in PLAIN_TYPES or has_biases is not False and has_biases is not True and not isinstance(has_biases, (tuple, list)) or type(num_layers) is not int and num_layers is not False and num_layers is not True or type(num_layers) is int and (num_layers > 0x3FFFFFFF or num_layers < -0x3FFFFFFF) or type(dropout) is not float and type(dropout) is not int and type(dropout) is not int or type(dropout) is int and (dropout > 0x3FFFFFFF or dropout < -0x3FFFFFFF) or train is not False and train is not True and type(train) is not float and type(train) is not int or bidirectional is not False and bidirectional is not True or batch_first is not False and batch_first is not True:
        input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = accepted(OP_rnn_relu, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(hx) not in PLAIN_TYPES and hasattr(hx, '__torch_function__') or type(params) in SEQUENCES and not ORDINARY.issuperset(map(type, params)) or type(params) not in PLAIN_TYPES and hasattr(params, '__torch_function__') or type(has_biases) in SEQUENCES and not ORDINARY.issuperset(map(type, has_biases)):
        if (_taken := taken_over(OP_rnn_relu, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_rnn_relu, composite_rnn_relu, F, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), dict())
    try:
        return composite_rnn_relu(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    except Exception:
        explain_arguments(OP_rnn_relu, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first))
        raise


OP_rnn_relu.function = rnn_relu


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """The state after one step of an Elman network with a rectifier."""
    if type(input) not in PLAIN_TYPES or type(hx) not in PLAIN_TYPES or type(w_ih) not in PLAIN_TYPES or type(w_hh) not in PLAIN_TYPES or b_ih is not None and (type(b_ih) not in PLAIN_TYPES) or b_hh is not None and (type(b_hh) not in PLAIN_TYPES):
        input, hx, w_ih, w_hh, b_ih, b_hh = accepted(OP_rnn_relu_cell, (input, hx, w_ih, w_hh, b_ih, b_hh))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(hx) not in PLAIN_TYPES and hasattr(hx, '__torch_function__') or type(w_ih) not in PLAIN_TYPES and hasattr(w_ih, '__torch_function__') or type(w_hh) not in PLAIN_TYPES and hasattr(w_hh, '__torch_function__') or b_ih is not None and type(b_ih) not in PLAIN_TYPES and hasattr(b_ih, '__torch_function__') or b_hh is not None and type(b_hh) not in PLAIN_TYPES and hasattr(b_hh, '__torch_function__'):
        if (_taken := taken_over(OP_rnn_relu_cell, (input, hx, w_ih, w_hh, b_ih, b_hh), dict())) is not ABSENT:
            return _taken
    try:
        return composite_rnn_relu_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)
    except Exception:
        explain_arguments(OP_rnn_relu_cell, (input, hx, w_ih, w_hh, b_ih, b_hh))
        raise


OP_rnn_relu_cell.function = rnn_relu_cell


def rnn_slopes(g_output, g_hidden, weight_hh, output, relu, times):
    """`rnn_slopes_of`, as the kernel does it."""
    if (type(g_output) is Tensor or type(g_output) in PLAIN_TYPES) and (type(g_hidden) is Tensor or type(g_hidden) in PLAIN_TYPES) and (type(weight_hh) is Tensor or type(weight_hh) in PLAIN_TYPES) and (type(output) is Tensor or type(output) in PLAIN_TYPES):
        g_output_array = g_output._array
        g_hidden_array = g_hidden._array
        weight_hh_array = weight_hh._array
        output_array = output._array
        _mode = get_mode()
        if ((_dtype := g_output_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is g_hidden_array.dtype and _dtype is weight_hh_array.dtype and _dtype is output_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _slopes, _first_hidden = xp_rnn_slopes(g_output_array, g_hidden_array, weight_hh_array, output_array, relu, times)
            except Exception:
                pass
            else:
                if type(_slopes) is not ndarray and isinstance(_slopes, np.generic):
                    _slopes = as_array(_slopes)
                _slopes_tensor = new_tensor(None)
                _slopes_tensor._array = _slopes
                _slopes_tensor._alike = None
                _slopes_tensor._base = None
                _slopes_tensor._generation = None
                if type(_first_hidden) is not ndarray and isinstance(_first_hidden, np.generic):
                    _first_hidden = as_array(_first_hidden)
                _first_hidden_tensor = new_tensor(None)
                _first_hidden_tensor._array = _first_hidden
                _first_hidden_tensor._alike = None
                _first_hidden_tensor._base = None
                _first_hidden_tensor._generation = None
                _slopes_tensor._store = None
                _first_hidden_tensor._store = None
                _slopes_tensor._edge = None
                _first_hidden_tensor._edge = None
                if _mode is INFERENCE:
                    _slopes_tensor._store = InferenceStorage()
                    _first_hidden_tensor._store = InferenceStorage()
                return (_slopes_tensor, _first_hidden_tensor)
            finally:
                reset_errors(_token)
    return general(OP_rnn_slopes, (g_output, g_hidden, weight_hh, output, relu, times))


OP_rnn_slopes.function = rnn_slopes


def rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """An Elman network (Elman, 1990): outputs and last states. Arguments as those of `lstm`."""
    if type(input) not in PLAIN_TYPES or type(hx) not in PLAIN_TYPES or not isinstance(params, (tuple, list)) and type(params) not in PLAIN_TYPES or has_biases is not False and has_biases is not True and not isinstance(has_biases, (tuple, list)) or type(num_layers) is not int and num_layers is not False and num_layers is not True or type(num_layers) is int and (num_layers > 0x3FFFFFFF or num_layers < -0x3FFFFFFF) or type(dropout) is not float and type(dropout) is not int and type(dropout) is not int or type(dropout) is int and (dropout > 0x3FFFFFFF or dropout < -0x3FFFFFFF) or train is not False and train is not True and type(train) is not float and type(train) is not int or bidirectional is not False and bidirectional is not True or batch_first is not False and batch_first is not True:
        input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = accepted(OP_rnn_tanh, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(hx) not in PLAIN_TYPES and hasattr(hx, '__torch_function__') or type(params) in SEQUENCES and not ORDINARY.issuperset(map(type, params)) or type(params) not in PLAIN_TYPES and hasattr(params, '__torch_function__') or type(has_biases) in SEQUENCES and not ORDINARY.issuperset(map(type, has_biases)):
        if (_taken := taken_over(OP_rnn_tanh, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_rnn_tanh, composite_rnn_tanh, F, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), dict())
    try:
        return composite_rnn_tanh(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    except Exception:
        explain_arguments(OP_rnn_tanh, (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first))
        raise


OP_rnn_tanh.function = rnn_tanh


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """The state after one step of an Elman network."""
    if type(input) not in PLAIN_TYPES or type(hx) not in PLAIN_TYPES or type(w_ih) not in PLAIN_TYPES or type(w_hh) not in PLAIN_TYPES or b_ih is not None and (type(b_ih) not in PLAIN_TYPES) or b_hh is not None and (type(b_hh) not in PLAIN_TYPES):
        input, hx, w_ih, w_hh, b_ih, b_hh = accepted(OP_rnn_tanh_cell, (input, hx, w_ih, w_hh, b_ih, b_hh))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(hx) not in PLAIN_TYPES and hasattr(hx, '__torch_function__') or type(w_ih) not in PLAIN_TYPES and hasattr(w_ih, '__torch_function__') or type(w_hh) not in PLAIN_TYPES and hasattr(w_hh, '__torch_function__') or b_ih is not None and type(b_ih) not in PLAIN_TYPES and hasattr(b_ih, '__torch_function__') or b_hh is not None and type(b_hh) not in PLAIN_TYPES and hasattr(b_hh, '__torch_function__'):
        if (_taken := taken_over(OP_rnn_tanh_cell, (input, hx, w_ih, w_hh, b_ih, b_hh), dict())) is not ABSENT:
            return _taken
    try:
        return composite_rnn_tanh_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)
    except Exception:
        explain_arguments(OP_rnn_tanh_cell, (input, hx, w_ih, w_hh, b_ih, b_hh))
        raise


OP_rnn_tanh_cell.function = rnn_tanh_cell


def rounded_off_backward(F, node, saved, g, edges):
    input, target = saved
    within, factor = node.params
    input_edge, target_edge = edges
    return (None if input_edge is None else F.slope_of_rounded(input, target, g, within, factor), None if target_edge is None else F.slope_of_rounded(target, input, g, within, factor))


class RoundedOffBackward0(Saving):
    op = OPS['rounded_off']
    saves = ('input', 'target')
    parameters = ('within', 'factor')
    backward = staticmethod(rounded_off_backward)
    backward_complex = staticmethod(rounded_off_backward)


new_RoundedOffBackward0 = maker_of(RoundedOffBackward0)


OP_rounded_off.nodes = (RoundedOffBackward0,)


OP_rounded_off.select_node = lambda input, target, within, factor: RoundedOffBackward0


def rounded_off(input, target, within, factor):
    """The absolute difference, a parabola `within` of zero; times `factor`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if (_alike := input._alike) is not target._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is target_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_rounded_off(xp, input_array, target_array, within, factor)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, target_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_RoundedOffBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = (within, factor)
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == target_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                            input._alike = target._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (target_array.shape, target_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_rounded_off, (input, target, within, factor))


OP_rounded_off.function = rounded_off


def safe_softmax_backward(F, node, saved, g, edges):
    out, = saved
    dim, = node.params
    return (derivative_safe_softmax_input(F, g, out, dim),)


class SafeSoftmaxBackward0(Saving):
    op = OPS['safe_softmax']
    saves = ('out',)
    parameters = ('dim',)
    backward = staticmethod(safe_softmax_backward)
    backward_complex = staticmethod(safe_softmax_backward)


new_SafeSoftmaxBackward0 = maker_of(SafeSoftmaxBackward0)


OP_safe_softmax.nodes = (SafeSoftmaxBackward0,)


OP_safe_softmax.select_node = lambda input, dim: SafeSoftmaxBackward0


def safe_softmax(input, dim):
    """The softmax along `dim`; where every score is minus infinity, zeros in the place of nan."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_safe_softmax(xp, input_array, dim)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SafeSoftmaxBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_result,)
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (out_storage,)
                    _node.versions = (0,)
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_safe_softmax, (input, dim))


OP_safe_softmax.function = safe_softmax


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """softmax(query key^T * scale + attn_mask) value for queries (..., L, E), keys (..., S, E), values (..., S, Ev).

    A mask of bools says which keys count. `is_causal`: no query sees the keys after it. `enable_gqa`: several heads of
    queries share one of keys and values."""
    if type(query) not in PLAIN_TYPES or type(key) not in PLAIN_TYPES or type(value) not in PLAIN_TYPES or attn_mask is not None and (type(attn_mask) not in PLAIN_TYPES) or type(dropout_p) is not float and type(dropout_p) is not int or is_causal is not False and is_causal is not True or scale is not None and (type(scale) is not float and type(scale) is not int) or enable_gqa is not False and enable_gqa is not True:
        query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa = accepted(OP_scaled_dot_product_attention, (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa))
    if type(get_mode()) is Modes and get_mode().function_modes or type(query) not in PLAIN_TYPES and hasattr(query, '__torch_function__') or type(key) not in PLAIN_TYPES and hasattr(key, '__torch_function__') or type(value) not in PLAIN_TYPES and hasattr(value, '__torch_function__') or attn_mask is not None and type(attn_mask) not in PLAIN_TYPES and hasattr(attn_mask, '__torch_function__'):
        if (_taken := taken_over(OP_scaled_dot_product_attention, (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_scaled_dot_product_attention, composite_scaled_dot_product_attention, F, (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa), dict())
    try:
        return composite_scaled_dot_product_attention(F, query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    except Exception:
        explain_arguments(OP_scaled_dot_product_attention, (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa))
        raise


OP_scaled_dot_product_attention.function = scaled_dot_product_attention


def sliding_blocks(input, kernel_size, dilation=1, padding=0, stride=1):
    """`nn.functional.unfold`: the blocks of (N, C, H, W) or (C, H, W) under a sliding kernel, each as a column."""
    if type(input) not in PLAIN_TYPES or not isinstance(kernel_size, (tuple, list)) and type(kernel_size) is not int or type(kernel_size) is int and (kernel_size > 0x3FFFFFFF or kernel_size < -0x3FFFFFFF) or not isinstance(dilation, (tuple, list)) and type(dilation) is not int or type(dilation) is int and (dilation > 0x3FFFFFFF or dilation < -0x3FFFFFFF) or not isinstance(padding, (tuple, list)) and type(padding) is not int or type(padding) is int and (padding > 0x3FFFFFFF or padding < -0x3FFFFFFF) or not isinstance(stride, (tuple, list)) and type(stride) is not int or type(stride) is int and (stride > 0x3FFFFFFF or stride < -0x3FFFFFFF):
        input, kernel_size, dilation, padding, stride = accepted(OP_sliding_blocks, (input, kernel_size, dilation, padding, stride))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_sliding_blocks, (input, kernel_size, dilation, padding, stride), dict())) is not ABSENT:
            return _taken
    try:
        if type(kernel_size) in ROWS and not WHOLE.issuperset(map(type, kernel_size)) or type(dilation) in ROWS and not WHOLE.issuperset(map(type, dilation)) or type(padding) in ROWS and not WHOLE.issuperset(map(type, padding)) or type(stride) in ROWS and not WHOLE.issuperset(map(type, stride)):
            input, kernel_size, dilation, padding, stride = accepted(OP_sliding_blocks, (input, kernel_size, dilation, padding, stride))
        return composite_sliding_blocks(F, input, kernel_size, dilation, padding, stride)
    except Exception:
        explain_arguments(OP_sliding_blocks, (input, kernel_size, dilation, padding, stride))
        raise


OP_sliding_blocks.function = sliding_blocks


def slope_of_improbability(input, target, g):
    """The slope of `improbability`, times `g`."""
    return composite_slope_of_improbability(F, input, target, g)


OP_slope_of_improbability.function = slope_of_improbability


def slope_of_logistic(input, target, pos_weight, g):
    """The slope of `logistic_loss`, times `g`."""
    return composite_slope_of_logistic(F, input, target, pos_weight, g)


OP_slope_of_logistic.function = slope_of_logistic


def slope_of_margin(input, target, g):
    """The slope of `softened_margin`, times `g`."""
    return composite_slope_of_margin(F, input, target, g)


OP_slope_of_margin.function = slope_of_margin


def slope_of_rounded(input, target, g, within, factor):
    """The slope of `rounded_off`, times `g`."""
    return composite_slope_of_rounded(F, input, target, g, within, factor)


OP_slope_of_rounded.function = slope_of_rounded


def slope_of_square(input, target, g):
    """The slope of the squared difference, times `g`."""
    return composite_slope_of_square(F, input, target, g)


OP_slope_of_square.function = slope_of_square


def smooth_absolute_backward(F, node, saved, g, edges):
    input, target = saved
    input_shape, input_dtype, target_shape, reduction, beta, target_dtype = node.params
    input_edge, target_edge = edges
    return (None if input_edge is None else derivative_smooth_absolute_input(F, g, input, target, input_shape, input_dtype, target_shape, reduction, beta), None if target_edge is None else derivative_smooth_absolute_target(F, g, input, target, input_shape, target_shape, target_dtype, reduction, beta))


class SmoothL1LossBackward0(Saving):
    op = OPS['smooth_absolute']
    saves = ('input', 'target')
    parameters = ('input_shape', 'input_dtype', 'target_shape', 'reduction', 'beta', 'target_dtype')
    backward = staticmethod(smooth_absolute_backward)
    backward_complex = staticmethod(smooth_absolute_backward)


new_SmoothL1LossBackward0 = maker_of(SmoothL1LossBackward0)


OP_smooth_absolute.nodes = (SmoothL1LossBackward0,)


OP_smooth_absolute.select_node = lambda input, target, reduction, beta: SmoothL1LossBackward0


def smooth_absolute(input, target, reduction, beta):
    """The absolute difference, rounded off within `beta`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is target_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_smooth_absolute(xp, input_array, target_array, reduction, beta)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_SmoothL1LossBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], input_array.dtype if input._alike is None else input._alike[1], target_array.shape if target._alike is None else target._alike[0], reduction, beta, target_array.dtype if target._alike is None else target._alike[1])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_smooth_absolute, (input, target, reduction, beta))


OP_smooth_absolute.function = smooth_absolute


def smooth_l1_loss(input, target, reduction='mean', beta=1.0):
    """The squared difference over 2 beta below `beta`, the absolute difference less beta / 2 above (Girshick 2015)."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES or type(beta) is not float and type(beta) is not int:
        input, target, reduction, beta = accepted(OP_smooth_l1_loss, (input, target, reduction, beta))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_smooth_l1_loss, (input, target, reduction, beta), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_smooth_l1_loss, composite_smooth_l1_loss, F, (input, target, reduction, beta), dict())
    try:
        return composite_smooth_l1_loss(F, input, target, reduction, beta)
    except Exception:
        explain_arguments(OP_smooth_l1_loss, (input, target, reduction, beta))
        raise


OP_smooth_l1_loss.function = smooth_l1_loss


def smoothed_likelihood_backward(F, node, saved, g, edges):
    target, = saved
    input_shape, ignore_index, smoothing, reduction = node.params
    return (F.spread_smoothly(g, target, input_shape, ignore_index, smoothing, reduction),)


class SmoothedLikelihoodBackward0(Saving):
    op = OPS['smoothed_likelihood']
    saves = ('target',)
    parameters = ('input_shape', 'ignore_index', 'smoothing', 'reduction')
    backward = staticmethod(smoothed_likelihood_backward)
    backward_complex = staticmethod(smoothed_likelihood_backward)


new_SmoothedLikelihoodBackward0 = maker_of(SmoothedLikelihoodBackward0)


OP_smoothed_likelihood.nodes = (SmoothedLikelihoodBackward0,)


OP_smoothed_likelihood.select_node = lambda input, target, ignore_index, smoothing, reduction: SmoothedLikelihoodBackward0


def smoothed_likelihood(input, target, ignore_index, smoothing, reduction):
    """The negative log-likelihood of rows of scores, with a share of each target for all classes alike."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_smoothed_likelihood(xp, input_array, target_array, ignore_index, smoothing, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SmoothedLikelihoodBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (target_array,)
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (target_storage,)
                    _node.versions = (target_storage.version,)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], ignore_index, smoothing, reduction)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_smoothed_likelihood, (input, target, ignore_index, smoothing, reduction))


OP_smoothed_likelihood.function = smoothed_likelihood


def soft_margin_backward(F, node, saved, g, edges):
    input, target = saved
    input_shape, input_dtype, reduction = node.params
    return (derivative_soft_margin_input(F, g, input, target, input_shape, input_dtype, reduction),)


class SoftMarginLossBackward0(Saving):
    op = OPS['soft_margin']
    saves = ('input', 'target')
    parameters = ('input_shape', 'input_dtype', 'reduction')
    backward = staticmethod(soft_margin_backward)
    backward_complex = staticmethod(soft_margin_backward)


new_SoftMarginLossBackward0 = maker_of(SoftMarginLossBackward0)


OP_soft_margin.nodes = (SoftMarginLossBackward0,)


OP_soft_margin.select_node = lambda input, target, reduction: SoftMarginLossBackward0


def soft_margin(input, target, reduction):
    """log(1 + exp(-target * input))."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_soft_margin(xp, input_array, target_array, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SoftMarginLossBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], input_array.dtype if input._alike is None else input._alike[1], reduction)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_soft_margin, (input, target, reduction))


OP_soft_margin.function = soft_margin


def soft_margin_loss(input, target, reduction='mean'):
    """log(1 + exp(-target * input))."""
    if type(input) not in PLAIN_TYPES or type(target) not in PLAIN_TYPES:
        input, target, reduction = accepted(OP_soft_margin_loss, (input, target, reduction))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(target) not in PLAIN_TYPES and hasattr(target, '__torch_function__'):
        if (_taken := taken_over(OP_soft_margin_loss, (input, target, reduction), dict())) is not ABSENT:
            return _taken
    if type(get_mode()) is Modes:
        return autocasted(OP_soft_margin_loss, composite_soft_margin_loss, F, (input, target, reduction), dict())
    try:
        return composite_soft_margin_loss(F, input, target, reduction)
    except Exception:
        explain_arguments(OP_soft_margin_loss, (input, target, reduction))
        raise


OP_soft_margin_loss.function = soft_margin_loss


def softened_margin_backward(F, node, saved, g, edges):
    input, target = saved
    input_edge, target_edge = edges
    return (None if input_edge is None else F.slope_of_margin(input, target, g), None if target_edge is None else F.slope_of_margin(target, input, g))


class SoftenedMarginBackward0(Saving):
    op = OPS['softened_margin']
    saves = ('input', 'target')
    parameters = ()
    backward = staticmethod(softened_margin_backward)
    backward_complex = staticmethod(softened_margin_backward)


new_SoftenedMarginBackward0 = maker_of(SoftenedMarginBackward0)


OP_softened_margin.nodes = (SoftenedMarginBackward0,)


OP_softened_margin.select_node = lambda input, target: SoftenedMarginBackward0


def softened_margin(input, target):
    """log(1 + exp(-target * input))."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if (_alike := input._alike) is not target._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is target_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_softened_margin(input_array, target_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, target_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_SoftenedMarginBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == target_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                            input._alike = target._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (target_array.shape, target_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_softened_margin, (input, target))


OP_softened_margin.function = softened_margin


def spread_over_classes_backward(F, node, saved, g, edges):
    target, weight = saved
    ignore_index, reduction = node.params
    return (F.negative_log_likelihood(g, target, weight, ignore_index, reduction),)


class SpreadOverClassesBackward0(Saving):
    op = OPS['spread_over_classes']
    saves = ('target', 'weight')
    parameters = ('ignore_index', 'reduction')
    backward = staticmethod(spread_over_classes_backward)
    backward_complex = staticmethod(spread_over_classes_backward)


new_SpreadOverClassesBackward0 = maker_of(SpreadOverClassesBackward0)


OP_spread_over_classes.nodes = (SpreadOverClassesBackward0,)


OP_spread_over_classes.select_node = lambda grad, target, weight, shape, ignore_index, reduction: SpreadOverClassesBackward0


def spread_over_classes(grad, target, weight, shape, ignore_index, reduction):
    """The transpose of `negative_log_likelihood`: each loss's gradient goes to the place of its class."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES):
        grad_array = grad._array
        target_array = target._array
        weight_array = None if weight is None else weight._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_spread_over_classes(grad_array, target_array, weight_array, shape, ignore_index, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (grad_edge := grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)) is not None:
                    _node = new_SpreadOverClassesBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (target_array, weight_array)
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (target_storage, weight_storage)
                    _node.versions = (target_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (ignore_index, reduction)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_spread_over_classes, (grad, target, weight, shape, ignore_index, reduction))


OP_spread_over_classes.function = spread_over_classes


def spread_smoothly_backward(F, node, saved, g, edges):
    target, = saved
    ignore_index, smoothing, reduction = node.params
    return (F.smoothed_likelihood(g, target, ignore_index, smoothing, reduction),)


class SpreadSmoothlyBackward0(Saving):
    op = OPS['spread_smoothly']
    saves = ('target',)
    parameters = ('ignore_index', 'smoothing', 'reduction')
    backward = staticmethod(spread_smoothly_backward)
    backward_complex = staticmethod(spread_smoothly_backward)


new_SpreadSmoothlyBackward0 = maker_of(SpreadSmoothlyBackward0)


OP_spread_smoothly.nodes = (SpreadSmoothlyBackward0,)


OP_spread_smoothly.select_node = lambda grad, target, shape, ignore_index, smoothing, reduction: SpreadSmoothlyBackward0


def spread_smoothly(grad, target, shape, ignore_index, smoothing, reduction):
    """The transpose of `smoothed_likelihood`."""
    if (type(grad) is Tensor or type(grad) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        grad_array = grad._array
        target_array = target._array
        _mode = get_mode()
        if ((_dtype := grad_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_spread_smoothly(grad_array, target_array, shape, ignore_index, smoothing, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (grad_edge := grad._edge if (_base := grad._base) is None or grad._generation == _base._generation else edge_of(grad)) is not None:
                    _node = new_SpreadSmoothlyBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (grad_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (target_array,)
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (target_storage,)
                    _node.versions = (target_storage.version,)
                    _node.params = (ignore_index, smoothing, reduction)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_spread_smoothly, (grad, target, shape, ignore_index, smoothing, reduction))


OP_spread_smoothly.function = spread_smoothly


def squared_difference_backward(F, node, saved, g, edges):
    input, target = saved
    input_edge, target_edge = edges
    return (None if input_edge is None else F.slope_of_square(input, target, g), None if target_edge is None else F.slope_of_square(target, input, g))


class SquaredDifferenceBackward0(Saving):
    op = OPS['squared_difference']
    saves = ('input', 'target')
    parameters = ()
    backward = staticmethod(squared_difference_backward)
    backward_complex = staticmethod(squared_difference_backward)


new_SquaredDifferenceBackward0 = maker_of(SquaredDifferenceBackward0)


OP_squared_difference.nodes = (SquaredDifferenceBackward0,)


OP_squared_difference.select_node = lambda input, target: SquaredDifferenceBackward0


def squared_difference(input, target):
    """The squared difference."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        _mode = get_mode()
        if (_alike := input._alike) is not target._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is target_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_squared_difference(xp, input_array, target_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, target_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_SquaredDifferenceBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, target_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    _node.storages = (input_storage, target_storage)
                    _node.versions = (input_storage.version, target_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == target_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and target_array.flags.c_contiguous):
                            input._alike = target._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (target_array.shape, target_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_squared_difference, (input, target))


OP_squared_difference.function = squared_difference


def take_pooled_backward(F, node, saved, g, edges):
    indices, = saved
    input_shape, dims = node.params
    return (F.put_pooled(g, indices, input_shape, dims),)


class TakePooledBackward0(Saving):
    op = OPS['take_pooled']
    saves = ('indices',)
    parameters = ('input_shape', 'dims')
    backward = staticmethod(take_pooled_backward)
    backward_complex = staticmethod(take_pooled_backward)


new_TakePooledBackward0 = maker_of(TakePooledBackward0)


OP_take_pooled.nodes = (TakePooledBackward0,)


OP_take_pooled.select_node = lambda input, indices, dims: TakePooledBackward0


def take_pooled(input, indices, dims):
    """The elements of `input` at positions in its last `dims` dimensions."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(indices) is Tensor or type(indices) in PLAIN_TYPES):
        input_array = input._array
        indices_array = indices._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_take_pooled(xp, input_array, indices_array, dims)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_TakePooledBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (indices_array,)
                    if (indices_storage := indices._store) is None:
                        indices_storage = indices._store = new_storage(None)
                        indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (indices_storage.version,)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], dims)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_take_pooled, (input, indices, dims))


OP_take_pooled.function = take_pooled


def torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    """`nn.functional.batch_norm` with its arguments in another order; `cudnn_enabled` changes nothing."""
    if type(input) not in PLAIN_TYPES or weight is not None and (type(weight) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES) or running_mean is not None and (type(running_mean) not in PLAIN_TYPES) or running_var is not None and (type(running_var) not in PLAIN_TYPES) or training is not False and training is not True or type(momentum) is not float and type(momentum) is not int or type(eps) is not float and type(eps) is not int or cudnn_enabled is not False and cudnn_enabled is not True:
        input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled = accepted(OP_torch_batch_norm, (input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__') or running_mean is not None and type(running_mean) not in PLAIN_TYPES and hasattr(running_mean, '__torch_function__') or running_var is not None and type(running_var) not in PLAIN_TYPES and hasattr(running_var, '__torch_function__'):
        if (_taken := taken_over(OP_torch_batch_norm, (input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled), dict())) is not ABSENT:
            return _taken
    try:
        return composite_torch_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)
    except Exception:
        explain_arguments(OP_torch_batch_norm, (input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled))
        raise


OP_torch_batch_norm.function = torch_batch_norm


def torch_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    """`nn.functional.instance_norm` with its arguments in another order; `cudnn_enabled` changes nothing."""
    if type(input) not in PLAIN_TYPES or weight is not None and (type(weight) not in PLAIN_TYPES) or bias is not None and (type(bias) not in PLAIN_TYPES) or running_mean is not None and (type(running_mean) not in PLAIN_TYPES) or running_var is not None and (type(running_var) not in PLAIN_TYPES) or type(momentum) is not float and type(momentum) is not int or type(eps) is not float and type(eps) is not int or cudnn_enabled is not False and cudnn_enabled is not True:
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled = accepted(OP_torch_instance_norm, (input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__') or bias is not None and type(bias) not in PLAIN_TYPES and hasattr(bias, '__torch_function__') or running_mean is not None and type(running_mean) not in PLAIN_TYPES and hasattr(running_mean, '__torch_function__') or running_var is not None and type(running_var) not in PLAIN_TYPES and hasattr(running_var, '__torch_function__'):
        if (_taken := taken_over(OP_torch_instance_norm, (input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled), dict())) is not ABSENT:
            return _taken
    try:
        return composite_torch_instance_norm(F, input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)
    except Exception:
        explain_arguments(OP_torch_instance_norm, (input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled))
        raise


OP_torch_instance_norm.function = torch_instance_norm


def upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None):
    """`interpolate` under its old name."""
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_upsample, (input, size, scale_factor, mode, align_corners), dict())) is not ABSENT:
            return _taken
    try:
        return composite_upsample(F, input, size, scale_factor, mode, align_corners)
    except Exception:
        explain_arguments(OP_upsample, (input, size, scale_factor, mode, align_corners))
        raise


OP_upsample.function = upsample


def upsample_bilinear(input, size=None, scale_factor=None):
    """`interpolate` with mode bilinear and aligned corners, under its old name."""
    if type(input) not in PLAIN_TYPES or size is not None and (not isinstance(size, (tuple, list)) and type(size) is not int or type(size) is int and (size > 0x3FFFFFFF or size < -0x3FFFFFFF)):
        input, size, scale_factor = accepted(OP_upsample_bilinear, (input, size, scale_factor))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_upsample_bilinear, (input, size, scale_factor), dict())) is not ABSENT:
            return _taken
    try:
        if type(size) in ROWS and not WHOLE.issuperset(map(type, size)):
            input, size, scale_factor = accepted(OP_upsample_bilinear, (input, size, scale_factor))
        return composite_upsample_bilinear(F, input, size, scale_factor)
    except Exception:
        explain_arguments(OP_upsample_bilinear, (input, size, scale_factor))
        raise


OP_upsample_bilinear.function = upsample_bilinear


def upsample_nearest(input, size=None, scale_factor=None):
    """`interpolate` with the nearest neighbours, under its old name."""
    if type(input) not in PLAIN_TYPES or size is not None and (not isinstance(size, (tuple, list)) and type(size) is not int or type(size) is int and (size > 0x3FFFFFFF or size < -0x3FFFFFFF)):
        input, size, scale_factor = accepted(OP_upsample_nearest, (input, size, scale_factor))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_upsample_nearest, (input, size, scale_factor), dict())) is not ABSENT:
            return _taken
    try:
        if type(size) in ROWS and not WHOLE.issuperset(map(type, size)):
            input, size, scale_factor = accepted(OP_upsample_nearest, (input, size, scale_factor))
        return composite_upsample_nearest(F, input, size, scale_factor)
    except Exception:
        explain_arguments(OP_upsample_nearest, (input, size, scale_factor))
        raise


OP_upsample_nearest.function = upsample_nearest


def weighted_binary_cross_entropy_backward(F, node, saved, g, edges):
    input, target, weight = saved
    input_shape, input_dtype, reduction, target_shape, target_dtype = node.params
    input_edge, target_edge = edges
    return (None if input_edge is None else derivative_weighted_binary_cross_entropy_input(F, g, input, target, weight, input_shape, input_dtype, reduction), None if target_edge is None else derivative_weighted_binary_cross_entropy_target(F, g, input, weight, input_shape, target_shape, target_dtype, reduction))


class BinaryCrossEntropyBackward0(Saving):
    op = OPS['weighted_binary_cross_entropy']
    saves = ('input', 'target', 'weight')
    parameters = ('input_shape', 'input_dtype', 'reduction', 'target_shape', 'target_dtype')
    backward = staticmethod(weighted_binary_cross_entropy_backward)
    backward_complex = staticmethod(weighted_binary_cross_entropy_backward)


new_BinaryCrossEntropyBackward0 = maker_of(BinaryCrossEntropyBackward0)


OP_weighted_binary_cross_entropy.nodes = (BinaryCrossEntropyBackward0,)


OP_weighted_binary_cross_entropy.select_node = lambda input, target, weight, reduction: BinaryCrossEntropyBackward0


def weighted_binary_cross_entropy(input, target, weight, reduction):
    """-(y log x + (1 - y) log(1 - x)), the logarithms no lower than -100, weighted and reduced."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(target) is Tensor or type(target) in PLAIN_TYPES) and (weight is None or type(weight) in PLAIN_TYPES):
        input_array = input._array
        target_array = target._array
        weight_array = None if weight is None else weight._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is target_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_weighted_binary_cross_entropy(xp, input_array, target_array, weight_array, reduction)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    target_edge = target._edge if (_base := target._base) is None or target._generation == _base._generation else edge_of(target)
                if _mode and (input_edge is not None or target_edge is not None):
                    _node = new_BinaryCrossEntropyBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, target_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, None if input_edge is None else target_array, weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (target_storage := target._store) is None:
                        target_storage = target._store = new_storage(None)
                        target_storage.version = 0
                    weight_storage = None if weight is None else weight._store or weight._storage
                    _node.storages = (input_storage, target_storage, weight_storage)
                    _node.versions = (input_storage.version, target_storage.version, 0 if weight_storage is None else weight_storage.version)
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], input_array.dtype if input._alike is None else input._alike[1], reduction, target_array.shape if target._alike is None else target._alike[0], target_array.dtype if target._alike is None else target._alike[1])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_weighted_binary_cross_entropy, (input, target, weight, reduction))


OP_weighted_binary_cross_entropy.function = weighted_binary_cross_entropy


show_saved(('align_corners', 'bags', 'beta', 'bias', 'bias_hh', 'bias_ih', 'blank', 'ceil_mode', 'cell', 'cells', 'count_include_pad', 'delta', 'dilation', 'dim', 'dims', 'divisor_override', 'downscale_factor', 'factor', 'factors', 'gates', 'grid', 'groups', 'hidden', 'ignore_index', 'indices', 'input', 'input_dtype', 'input_shape', 'is_causal', 'kernel_size', 'key', 'kind', 'layout', 'lengths', 'margin', 'mat_b', 'mean', 'mode', 'normalized_shape', 'num_groups', 'offs', 'orders', 'output', 'output_padding', 'output_size', 'p', 'pad', 'padding', 'padding_idx', 'parameters_shapes', 'per_feature', 'pos_weight', 'recalled', 'reduction', 'result', 'reverse', 'scale', 'scale_grad_by_freq', 'self', 'self_sym_sizes', 'size', 'sizes', 'smoothing', 'statistics', 'stride', 'target', 'target_dtype', 'target_lengths', 'target_shape', 'targets', 'training', 'transposed', 'upscale_factor', 'value', 'weight', 'weight_hh', 'weight_hr', 'weight_ih', 'weight_shape', 'weights', 'within', 'zero_infinity'))
