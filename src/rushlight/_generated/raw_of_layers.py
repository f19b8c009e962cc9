"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.core.numbers import ARRAY_NUMBERS as numbers
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.raw as F

library.load('layers')

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
xp_copy = xp.copy
xp_embedding_again = xp.embedding_again
xp_embedding_gradient = xp.embedding_gradient
xp_exp = xp.exp
xp_grid_spread = xp.grid_spread
xp_grouped_product = xp.grouped_product
xp_gru_slopes = xp.gru_slopes
xp_log1p = xp.log1p
xp_log_sigmoid = xp.log_sigmoid
xp_lstm_slopes = xp.lstm_slopes
xp_ones_at = xp.ones_at
xp_reshape = xp.reshape
xp_rnn_slopes = xp.rnn_slopes
xp_spread_over_classes = xp.spread_over_classes
xp_spread_smoothly = xp.spread_smoothly
forward__grouped_mm = OPS['_grouped_mm'].forward
forward_adaptive_avg_pool = OPS['adaptive_avg_pool'].forward
forward_adaptive_avg_pool1d = OPS['adaptive_avg_pool1d'].forward
forward_adaptive_avg_pool2d = OPS['adaptive_avg_pool2d'].forward
forward_adaptive_avg_pool3d = OPS['adaptive_avg_pool3d'].forward
forward_adaptive_avg_spread = OPS['adaptive_avg_spread'].forward
forward_adaptive_max_pool = OPS['adaptive_max_pool'].forward
forward_adaptive_max_pool1d = OPS['adaptive_max_pool1d'].forward
forward_adaptive_max_pool2d = OPS['adaptive_max_pool2d'].forward
forward_adaptive_max_pool3d = OPS['adaptive_max_pool3d'].forward
forward_affine_grid = OPS['affine_grid'].forward
forward_affine_grid_generator = OPS['affine_grid_generator'].forward
forward_affine_grid_transposed = OPS['affine_grid_transposed'].forward
forward_alignment_slopes = OPS['alignment_slopes'].forward
forward_alpha_dropout = OPS['alpha_dropout'].forward
forward_avg_pool = OPS['avg_pool'].forward
forward_avg_pool1d = OPS['avg_pool1d'].forward
forward_avg_pool2d = OPS['avg_pool2d'].forward
forward_avg_pool3d = OPS['avg_pool3d'].forward
forward_avg_spread = OPS['avg_spread'].forward
forward_bags_of_embeddings = OPS['bags_of_embeddings'].forward
forward_batch_norm = OPS['batch_norm'].forward
forward_batch_norm_slopes = OPS['batch_norm_slopes'].forward
forward_binary_cross_entropy = OPS['binary_cross_entropy'].forward
forward_binary_cross_entropy_with_logits = OPS['binary_cross_entropy_with_logits'].forward
forward_blocks_as_columns = OPS['blocks_as_columns'].forward
forward_channel_shuffle = OPS['channel_shuffle'].forward
forward_circular_pad = OPS['circular_pad'].forward
forward_columns_as_blocks = OPS['columns_as_blocks'].forward
forward_constant_pad_nd = OPS['constant_pad_nd'].forward
forward_conv1d = OPS['conv1d'].forward
forward_conv2d = OPS['conv2d'].forward
forward_conv3d = OPS['conv3d'].forward
forward_conv_tbc = OPS['conv_tbc'].forward
forward_conv_transpose1d = OPS['conv_transpose1d'].forward
forward_conv_transpose2d = OPS['conv_transpose2d'].forward
forward_conv_transpose3d = OPS['conv_transpose3d'].forward
forward_convolution = OPS['convolution'].forward
forward_convolution_input = OPS['convolution_input'].forward
forward_convolution_weight = OPS['convolution_weight'].forward
forward_convolve = OPS['convolve'].forward
forward_cosine_embedding_loss = OPS['cosine_embedding_loss'].forward
forward_cross_entropy = OPS['cross_entropy'].forward
forward_cross_map_lrn = OPS['cross_map_lrn'].forward
forward_ctc_loss = OPS['ctc_loss'].forward
forward_dropout = OPS['dropout'].forward
forward_dropout_mask = OPS['dropout_mask'].forward
forward_embedding = OPS['embedding'].forward
forward_embedding_bag = OPS['embedding_bag'].forward
forward_embedding_renorm_ = OPS['embedding_renorm_'].forward
forward_feature_alpha_dropout = OPS['feature_alpha_dropout'].forward
forward_feature_dropout = OPS['feature_dropout'].forward
forward_fold = OPS['fold'].forward
forward_fractional_max_pool2d = OPS['fractional_max_pool2d'].forward
forward_fractional_max_pool3d = OPS['fractional_max_pool3d'].forward
forward_fractional_pool = OPS['fractional_pool'].forward
forward_grid_sampled = OPS['grid_sampled'].forward
forward_grid_sampler = OPS['grid_sampler'].forward
forward_grid_sampler_2d = OPS['grid_sampler_2d'].forward
forward_grid_sampler_3d = OPS['grid_sampler_3d'].forward
forward_group_norm = OPS['group_norm'].forward
forward_group_norm_slopes = OPS['group_norm_slopes'].forward
forward_grouped_mm = OPS['grouped_mm'].forward
forward_gru = OPS['gru'].forward
forward_gru_cell = OPS['gru_cell'].forward
forward_gru_layer = OPS['gru_layer'].forward
forward_hinge_embedding_loss = OPS['hinge_embedding_loss'].forward
forward_huber_loss = OPS['huber_loss'].forward
forward_improbability = OPS['improbability'].forward
forward_instance_norm = OPS['instance_norm'].forward
forward_interpolate = OPS['interpolate'].forward
forward_kept_mask = OPS['kept_mask'].forward
forward_kl_div = OPS['kl_div'].forward
forward_l1_loss = OPS['l1_loss'].forward
forward_layer_norm = OPS['layer_norm'].forward
forward_layer_norm_slopes = OPS['layer_norm_slopes'].forward
forward_linear_cross_entropy = OPS['linear_cross_entropy'].forward
forward_local_response_norm = OPS['local_response_norm'].forward
forward_logistic_loss = OPS['logistic_loss'].forward
forward_lp_pool1d = OPS['lp_pool1d'].forward
forward_lp_pool2d = OPS['lp_pool2d'].forward
forward_lp_pool3d = OPS['lp_pool3d'].forward
forward_lstm = OPS['lstm'].forward
forward_lstm_cell = OPS['lstm_cell'].forward
forward_lstm_layer = OPS['lstm_layer'].forward
forward_margin_losses = OPS['margin_losses'].forward
forward_margin_ranking_loss = OPS['margin_ranking_loss'].forward
forward_margin_slopes = OPS['margin_slopes'].forward
forward_max_pool = OPS['max_pool'].forward
forward_max_pool1d = OPS['max_pool1d'].forward
forward_max_pool1d_with_indices = OPS['max_pool1d_with_indices'].forward
forward_max_pool2d = OPS['max_pool2d'].forward
forward_max_pool2d_with_indices = OPS['max_pool2d_with_indices'].forward
forward_max_pool3d = OPS['max_pool3d'].forward
forward_max_pool3d_with_indices = OPS['max_pool3d_with_indices'].forward
forward_max_pool_values = OPS['max_pool_values'].forward
forward_max_unpool = OPS['max_unpool'].forward
forward_max_unpool1d = OPS['max_unpool1d'].forward
forward_max_unpool2d = OPS['max_unpool2d'].forward
forward_max_unpool3d = OPS['max_unpool3d'].forward
forward_mse_loss = OPS['mse_loss'].forward
forward_multi_margin_loss = OPS['multi_margin_loss'].forward
forward_multilabel_margin = OPS['multilabel_margin'].forward
forward_multilabel_margin_loss = OPS['multilabel_margin_loss'].forward
forward_multilabel_slopes = OPS['multilabel_slopes'].forward
forward_native_batch_norm = OPS['native_batch_norm'].forward
forward_native_batch_normalization = OPS['native_batch_normalization'].forward
forward_native_channel_shuffle = OPS['native_channel_shuffle'].forward
forward_native_group_norm = OPS['native_group_norm'].forward
forward_native_group_normalization = OPS['native_group_normalization'].forward
forward_native_layer_norm = OPS['native_layer_norm'].forward
forward_native_layer_normalization = OPS['native_layer_normalization'].forward
forward_negative_log_likelihood = OPS['negative_log_likelihood'].forward
forward_nll_loss = OPS['nll_loss'].forward
forward_normalized = OPS['normalized'].forward
forward_normalized_gradient = OPS['normalized_gradient'].forward
forward_normalized_weight = OPS['normalized_weight'].forward
forward_one_hot = OPS['one_hot'].forward
forward_pad = OPS['pad'].forward
forward_padding_transposed = OPS['padding_transposed'].forward
forward_pixel_shuffle = OPS['pixel_shuffle'].forward
forward_pixel_unshuffle = OPS['pixel_unshuffle'].forward
forward_poisson_nll_loss = OPS['poisson_nll_loss'].forward
forward_put_pooled = OPS['put_pooled'].forward
forward_reflection_pad = OPS['reflection_pad'].forward
forward_replication_pad = OPS['replication_pad'].forward
forward_resample = OPS['resample'].forward
forward_resample_transposed = OPS['resample_transposed'].forward
forward_rms_norm = OPS['rms_norm'].forward
forward_rnn_layer = OPS['rnn_layer'].forward
forward_rnn_relu = OPS['rnn_relu'].forward
forward_rnn_relu_cell = OPS['rnn_relu_cell'].forward
forward_rnn_tanh = OPS['rnn_tanh'].forward
forward_rnn_tanh_cell = OPS['rnn_tanh_cell'].forward
forward_rounded_off = OPS['rounded_off'].forward
forward_safe_softmax = OPS['safe_softmax'].forward
forward_scaled_dot_product_attention = OPS['scaled_dot_product_attention'].forward
forward_sliding_blocks = OPS['sliding_blocks'].forward
forward_slope_of_improbability = OPS['slope_of_improbability'].forward
forward_slope_of_logistic = OPS['slope_of_logistic'].forward
forward_slope_of_margin = OPS['slope_of_margin'].forward
forward_slope_of_rounded = OPS['slope_of_rounded'].forward
forward_slope_of_square = OPS['slope_of_square'].forward
forward_smooth_absolute = OPS['smooth_absolute'].forward
forward_smooth_l1_loss = OPS['smooth_l1_loss'].forward
forward_smoothed_likelihood = OPS['smoothed_likelihood'].forward
forward_soft_margin = OPS['soft_margin'].forward
forward_soft_margin_loss = OPS['soft_margin_loss'].forward
forward_squared_difference = OPS['squared_difference'].forward
forward_take_pooled = OPS['take_pooled'].forward
forward_torch_batch_norm = OPS['torch_batch_norm'].forward
forward_torch_instance_norm = OPS['torch_instance_norm'].forward
forward_upsample = OPS['upsample'].forward
forward_upsample_bilinear = OPS['upsample_bilinear'].forward
forward_upsample_nearest = OPS['upsample_nearest'].forward
forward_weighted_binary_cross_entropy = OPS['weighted_binary_cross_entropy'].forward


def _grouped_mm(input, mat2, offs=None, bias=None, out_dtype=None):
    return forward__grouped_mm(F, input, mat2, offs, bias, out_dtype)


def adaptive_avg_pool(input, output_size):
    return forward_adaptive_avg_pool(xp, input, output_size)


def adaptive_avg_pool1d(input, output_size):
    return forward_adaptive_avg_pool1d(F, input, output_size)


def adaptive_avg_pool2d(input, output_size):
    return forward_adaptive_avg_pool2d(F, input, output_size)


def adaptive_avg_pool3d(input, output_size):
    return forward_adaptive_avg_pool3d(F, input, output_size)


def adaptive_avg_spread(grad, shape, output_size):
    return forward_adaptive_avg_spread(xp, grad, shape, output_size)


def adaptive_max_pool(input, output_size):
    return forward_adaptive_max_pool(xp, input, output_size)


def adaptive_max_pool1d(input, output_size):
    return forward_adaptive_max_pool1d(F, input, output_size)


def adaptive_max_pool2d(input, output_size):
    return forward_adaptive_max_pool2d(F, input, output_size)


def adaptive_max_pool3d(input, output_size):
    return forward_adaptive_max_pool3d(F, input, output_size)


def affine_grid(theta, size, align_corners):
    return forward_affine_grid(xp, theta, size, align_corners)


def affine_grid_generator(theta, size, align_corners):
    return forward_affine_grid_generator(F, theta, size, align_corners)


def affine_grid_transposed(grad, size, align_corners):
    return forward_affine_grid_transposed(xp, grad, size, align_corners)


def alignment(log_probs, targets, lengths, target_lengths, blank, zero_infinity):
    return xp_alignment_loss(log_probs, targets, lengths, target_lengths, blank)


def alignment_slopes(grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity):
    return forward_alignment_slopes(xp, grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity)


def alpha_dropout(input, p, train):
    return forward_alpha_dropout(F, input, p, train)


def arange_of(input, count, step):
    return xp_astype(xp_arange(count) * step, input.dtype)


def attention(query, key, value, bias, is_causal, scale):
    return xp_attention(query, key, value, bias, is_causal, scale)


def attention_slopes(grad, query, key, value, weights, is_causal, scale):
    return xp_attention_slopes(grad, query, key, value, weights, is_causal, scale)


def avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    return forward_avg_pool(xp, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    return forward_avg_pool1d(F, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return forward_avg_pool2d(F, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return forward_avg_pool3d(F, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_spread(grad, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    return forward_avg_spread(xp, grad, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def bag_factors(indices, bags, padding, count, mean, kind):
    return xp_bag_factors(indices, bags, padding, count, mean, kind)


def bag_of_each(offsets, length, count):
    return xp_bag_of_each(offsets, length, count)


def bag_sums(weight, factors, indices, bags, count, padding_idx, scale_grad_by_freq):
    return xp_bag_sums(weight, factors, indices, bags, count)


def bag_winners(weight, indices, bags, counted, count):
    return xp_bag_winners(weight, indices, bags, counted, count)


def bags_of_embeddings(input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    return forward_bags_of_embeddings(F, input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    return forward_batch_norm(F, input, running_mean, running_var, weight, bias, training, momentum, eps)


def batch_norm_slopes(grad, input, weight, mean, scale, training):
    return forward_batch_norm_slopes(xp, grad, input, weight, mean, scale, training)


def binary_cross_entropy(input, target, weight=None, reduction='mean'):
    return forward_binary_cross_entropy(F, input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    return forward_binary_cross_entropy_with_logits(F, input, target, weight, pos_weight, reduction)


def blocks_as_columns(input, kernel_size, dilation, padding, stride):
    return forward_blocks_as_columns(xp, input, kernel_size, dilation, padding, stride)


def channel_shuffle(input, groups):
    return forward_channel_shuffle(xp, input, groups)


def channel_sum(input):
    return xp_channel_sum(input)


def circular_pad(input, padding):
    return forward_circular_pad(xp, input, padding)


def columns_as_blocks(input, output_size, kernel_size, dilation, padding, stride):
    return forward_columns_as_blocks(xp, input, output_size, kernel_size, dilation, padding, stride)


def constant_pad_nd(input, pad, value=0):
    return forward_constant_pad_nd(xp, input, pad, value)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return forward_conv1d(F, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return forward_conv2d(F, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return forward_conv3d(F, input, weight, bias, stride, padding, dilation, groups)


def conv_tbc(input, weight, bias, pad=0):
    return forward_conv_tbc(F, input, weight, bias, pad)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return forward_conv_transpose1d(F, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return forward_conv_transpose2d(F, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return forward_conv_transpose3d(F, input, weight, bias, stride, padding, output_padding, groups, dilation)


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    return forward_convolution(F, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def convolution_input(grad, weight, shape, stride, padding, dilation, groups):
    return forward_convolution_input(xp, grad, weight, shape, stride, padding, dilation, groups)


def convolution_weight(grad, input, shape, stride, padding, dilation, groups):
    return forward_convolution_weight(xp, grad, input, shape, stride, padding, dilation, groups)


def convolve(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    return forward_convolve(xp, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    return forward_cosine_embedding_loss(F, input1, input2, target, margin, reduction)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0):
    return forward_cross_entropy(F, input, target, weight, ignore_index, reduction, label_smoothing)


def cross_map_lrn(input, size, alpha=0.0001, beta=0.75, k=1.0):
    return forward_cross_map_lrn(F, input, size, alpha, beta, k)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    return forward_ctc_loss(F, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)


def drawn(parameters, values, distribution):
    return xp_copy(values)


def dropout(input, p, train):
    return forward_dropout(F, input, p, train)


def dropout_mask(input, p, by_channel):
    return forward_dropout_mask(xp, input, p, by_channel)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return forward_embedding(xp, weight, indices, padding_idx, scale_grad_by_freq, sparse)


def embedding_again(input, indices, padding_idx, scale_grad_by_freq):
    return xp_embedding_again(input, indices, padding_idx, scale_grad_by_freq)


def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    return forward_embedding_bag(F, weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)


def embedding_gradient(input, indices, rows, padding_idx, scale_grad_by_freq):
    return xp_embedding_gradient(input, indices, rows, padding_idx, scale_grad_by_freq)


def embedding_renorm_(input, indices, max_norm, norm_type):
    return forward_embedding_renorm_(F, input, indices, max_norm, norm_type)


def feature_alpha_dropout(input, p, train):
    return forward_feature_alpha_dropout(F, input, p, train)


def feature_dropout(input, p, train):
    return forward_feature_dropout(F, input, p, train)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    return forward_fold(F, input, output_size, kernel_size, dilation, padding, stride)


def fractional_max_pool2d(input, kernel_size, output_size, random_samples):
    return forward_fractional_max_pool2d(F, input, kernel_size, output_size, random_samples)


def fractional_max_pool3d(input, kernel_size, output_size, random_samples):
    return forward_fractional_max_pool3d(F, input, kernel_size, output_size, random_samples)


def fractional_pool(input, kernel_size, output_size, samples):
    return forward_fractional_pool(xp, input, kernel_size, output_size, samples)


def grid_sampled(input, grid, mode, padding, align_corners, orders):
    return forward_grid_sampled(xp, input, grid, mode, padding, align_corners, orders)


def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    return forward_grid_sampler(F, input, grid, interpolation_mode, padding_mode, align_corners)


def grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners):
    return forward_grid_sampler_2d(F, input, grid, interpolation_mode, padding_mode, align_corners)


def grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners):
    return forward_grid_sampler_3d(F, input, grid, interpolation_mode, padding_mode, align_corners)


def grid_spread(grad, grid, shape, mode, padding, align_corners, orders):
    return xp_grid_spread(grad, grid, shape, mode, padding, align_corners, orders)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    return forward_group_norm(F, input, num_groups, weight, bias, eps, cudnn_enabled)


def group_norm_slopes(grad, input, num_groups, weight, mean, scale):
    return forward_group_norm_slopes(xp, grad, input, num_groups, weight, mean, scale)


def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    return forward_grouped_mm(F, mat_a, mat_b, offs=offs, bias=bias, out_dtype=out_dtype)


def grouped_product(mat_a, mat_b, offs):
    return xp_grouped_product(mat_a, mat_b, offs)


def gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return forward_gru(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return forward_gru_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)


def gru_layer(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
    return forward_gru_layer(xp, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse)


def gru_slopes(g_output, g_hidden, weight_hh, gates, recalled, states, times):
    return xp_gru_slopes(g_output, g_hidden, weight_hh, gates, recalled, states, times)


def hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    return forward_hinge_embedding_loss(F, input, target, margin, reduction)


def huber_loss(input, target, reduction='mean', delta=1.0):
    return forward_huber_loss(xp, input, target, reduction, delta)


def improbability(input, target):
    return forward_improbability(xp, input, target)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05):
    return forward_instance_norm(F, input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, antialias=False):
    return forward_interpolate(F, input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


def inverse_deviation(input, mean, scale, layout):
    return xp_reshape(scale, (1, -1, 1))


def kept_mask(input, p, by_channel):
    return forward_kept_mask(xp, input, p, by_channel)


def kl_div(input, target, reduction=0, *, log_target=False):
    return forward_kl_div(F, input, target, reduction, log_target=log_target)


def l1_loss(input, target, reduction='mean'):
    return forward_l1_loss(F, input, target, reduction)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    return forward_layer_norm(F, input, normalized_shape, weight, bias, eps, cudnn_enable)


def layer_norm_slopes(grad, input, weight, mean, scale):
    return forward_layer_norm_slopes(xp, grad, input, weight, mean, scale)


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', ignore_index=None, label_smoothing=0.0, options=None):
    return forward_linear_cross_entropy(F, input, linear_weight, target, linear_bias=linear_bias, weight=weight, reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing, options=options)


def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    return forward_local_response_norm(F, input, size, alpha, beta, k)


def logistic_improbability(input, target):
    return (numbers[input.dtype][1] - target) * input - xp_log_sigmoid(input)


def logistic_loss(input, target, weight, pos_weight, reduction):
    return forward_logistic_loss(xp, input, target, weight, pos_weight, reduction)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return forward_lp_pool1d(F, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return forward_lp_pool2d(F, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return forward_lp_pool3d(F, input, norm_type, kernel_size, stride, ceil_mode)


def lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return forward_lstm(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return forward_lstm_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)


def lstm_layer(input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse):
    return forward_lstm_layer(xp, input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse)


def lstm_slopes(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times):
    return xp_lstm_slopes(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times)


def margin_losses(input, target, weight, p, margin, reduction):
    return forward_margin_losses(xp, input, target, weight, p, margin, reduction)


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    return forward_margin_ranking_loss(F, input1, input2, target, margin, reduction)


def margin_slopes(input, target, weight, p, margin):
    return forward_margin_slopes(xp, input, target, weight, p, margin)


def max_pool(input, kernel_size, stride, padding, dilation, ceil_mode):
    return forward_max_pool(xp, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return forward_max_pool1d(F, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return forward_max_pool1d_with_indices(F, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return forward_max_pool2d(F, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return forward_max_pool2d_with_indices(F, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return forward_max_pool3d(F, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return forward_max_pool3d_with_indices(F, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool_values(input, kernel_size, stride, padding, dilation, ceil_mode):
    return forward_max_pool_values(xp, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_unpool(input, indices, output_size):
    return forward_max_unpool(xp, input, indices, output_size)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return forward_max_unpool1d(F, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return forward_max_unpool2d(F, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return forward_max_unpool3d(F, input, indices, kernel_size, stride, padding, output_size)


def mse_loss(input, target, reduction='mean'):
    return forward_mse_loss(xp, input, target, reduction)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction='mean'):
    return forward_multi_margin_loss(F, input, target, p, margin, weight, reduction)


def multilabel_margin(input, target, reduction):
    return forward_multilabel_margin(xp, input, target, reduction)


def multilabel_margin_loss(input, target, reduction='mean'):
    return forward_multilabel_margin_loss(F, input, target, reduction)


def multilabel_slopes(input, target):
    return forward_multilabel_slopes(xp, input, target)


def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    return forward_native_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps)


def native_batch_normalization(input, weight, bias, running_mean, running_var, training, momentum, eps, statistics):
    return forward_native_batch_normalization(xp, input, weight, bias, running_mean, running_var, training, momentum, eps, statistics)


def native_channel_shuffle(input, groups):
    return forward_native_channel_shuffle(F, input, groups)


def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    return forward_native_group_norm(F, input, weight, bias, N, C, HxW, group, eps)


def native_group_normalization(input, num_groups, weight, bias, eps, statistics):
    return forward_native_group_normalization(xp, input, num_groups, weight, bias, eps, statistics)


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    return forward_native_layer_norm(F, input, normalized_shape, weight, bias, eps)


def native_layer_normalization(input, normalized_shape, weight, bias, eps, statistics):
    return forward_native_layer_normalization(xp, input, normalized_shape, weight, bias, eps, statistics)


def negative_log_likelihood(input, target, weight, ignore_index, reduction):
    return forward_negative_log_likelihood(xp, input, target, weight, ignore_index, reduction)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean'):
    return forward_nll_loss(F, input, target, weight, ignore_index, reduction)


def normalized(input, mean, scale, layout):
    return forward_normalized(xp, input, mean, scale, layout)


def normalized_gradient(grad, input, mean, scale, layout):
    return forward_normalized_gradient(xp, grad, input, mean, scale, layout)


def normalized_weight(grad, input, mean, scale, layout, per_feature):
    return forward_normalized_weight(xp, grad, input, mean, scale, layout, per_feature)


def one_hot(tensor, num_classes=-1):
    return forward_one_hot(F, tensor, num_classes)


def ones_at(places, count):
    return xp_ones_at(places, count)


def pad(input, pad, mode='constant', value=None):
    return forward_pad(F, input, pad, mode, value)


def padding_transposed(grad, shape, padding, mode):
    return forward_padding_transposed(xp, grad, shape, padding, mode)


def pixel_shuffle(input, upscale_factor):
    return forward_pixel_shuffle(xp, input, upscale_factor)


def pixel_unshuffle(input, downscale_factor):
    return forward_pixel_unshuffle(xp, input, downscale_factor)


def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    return forward_poisson_nll_loss(F, input, target, log_input, full, eps, reduction)


def put_pooled(grad, indices, shape, dims):
    return forward_put_pooled(xp, grad, indices, shape, dims)


def reflection_pad(input, padding):
    return forward_reflection_pad(xp, input, padding)


def replication_pad(input, padding):
    return forward_replication_pad(xp, input, padding)


def resample(input, size, kind, align_corners, factors):
    return forward_resample(xp, input, size, kind, align_corners, factors)


def resample_transposed(grad, shape, size, kind, align_corners, factors):
    return forward_resample_transposed(xp, grad, shape, size, kind, align_corners, factors)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    return forward_rms_norm(F, input, normalized_shape, weight, eps)


def rnn_layer(relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
    return forward_rnn_layer(xp, relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse)


def rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return forward_rnn_relu(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return forward_rnn_relu_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)


def rnn_slopes(g_output, g_hidden, weight_hh, output, relu, times):
    return xp_rnn_slopes(g_output, g_hidden, weight_hh, output, relu, times)


def rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return forward_rnn_tanh(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return forward_rnn_tanh_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)


def rounded_off(input, target, within, factor):
    return forward_rounded_off(xp, input, target, within, factor)


def safe_softmax(input, dim):
    return forward_safe_softmax(xp, input, dim)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    return forward_scaled_dot_product_attention(F, query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def sliding_blocks(input, kernel_size, dilation=1, padding=0, stride=1):
    return forward_sliding_blocks(F, input, kernel_size, dilation, padding, stride)


def slope_of_improbability(input, target, g):
    return forward_slope_of_improbability(F, input, target, g)


def slope_of_logistic(input, target, pos_weight, g):
    return forward_slope_of_logistic(F, input, target, pos_weight, g)


def slope_of_margin(input, target, g):
    return forward_slope_of_margin(F, input, target, g)


def slope_of_rounded(input, target, g, within, factor):
    return forward_slope_of_rounded(F, input, target, g, within, factor)


def slope_of_square(input, target, g):
    return forward_slope_of_square(F, input, target, g)


def smooth_absolute(input, target, reduction, beta):
    return forward_smooth_absolute(xp, input, target, reduction, beta)


def smooth_l1_loss(input, target, reduction='mean', beta=1.0):
    return forward_smooth_l1_loss(F, input, target, reduction, beta)


def smoothed_likelihood(input, target, ignore_index, smoothing, reduction):
    return forward_smoothed_likelihood(xp, input, target, ignore_index, smoothing, reduction)


def soft_margin(input, target, reduction):
    return forward_soft_margin(xp, input, target, reduction)


def soft_margin_loss(input, target, reduction='mean'):
    return forward_soft_margin_loss(F, input, target, reduction)


def softened_margin(input, target):
    return xp_log1p(xp_exp(-(target * input)))


def spread_over_classes(grad, target, weight, shape, ignore_index, reduction):
    return xp_spread_over_classes(grad, target, weight, shape, ignore_index, reduction)


def spread_smoothly(grad, target, shape, ignore_index, smoothing, reduction):
    return xp_spread_smoothly(grad, target, shape, ignore_index, smoothing, reduction)


def squared_difference(input, target):
    return forward_squared_difference(xp, input, target)


def take_pooled(input, indices, dims):
    return forward_take_pooled(xp, input, indices, dims)


def torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    return forward_torch_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)


def torch_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    return forward_torch_instance_norm(F, input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)


def upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None):
    return forward_upsample(F, input, size, scale_factor, mode, align_corners)


def upsample_bilinear(input, size=None, scale_factor=None):
    return forward_upsample_bilinear(F, input, size, scale_factor)


def upsample_nearest(input, size=None, scale_factor=None):
    return forward_upsample_nearest(F, input, size, scale_factor)


def weighted_binary_cross_entropy(input, target, weight, reduction):
    return forward_weighted_binary_cross_entropy(xp, input, target, weight, reduction)
