"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

import sys

import rushlight.arrays.cpu as xp
from rushlight.core.numbers import ArrayNumbers
from rushlight.ops import library
from rushlight.ops.declare import OPS

library.load()
F = sys.modules[__name__]
numbers = ArrayNumbers()

forward_H = OPS['H'].forward
forward_T = OPS['T'].forward
forward_above_diagonal = OPS['above_diagonal'].forward
forward_abs = OPS['abs'].forward
forward_abs_ = OPS['abs_'].forward
forward_acos = OPS['acos'].forward
forward_acosh = OPS['acosh'].forward
forward_adaptive_avg_pool = OPS['adaptive_avg_pool'].forward
forward_adaptive_avg_pool1d = OPS['adaptive_avg_pool1d'].forward
forward_adaptive_avg_pool2d = OPS['adaptive_avg_pool2d'].forward
forward_adaptive_avg_pool3d = OPS['adaptive_avg_pool3d'].forward
forward_adaptive_avg_spread = OPS['adaptive_avg_spread'].forward
forward_adaptive_max_pool = OPS['adaptive_max_pool'].forward
forward_adaptive_max_pool1d = OPS['adaptive_max_pool1d'].forward
forward_adaptive_max_pool2d = OPS['adaptive_max_pool2d'].forward
forward_adaptive_max_pool3d = OPS['adaptive_max_pool3d'].forward
forward_add = OPS['add'].forward
forward_add_windows = OPS['add_windows'].forward
forward_addbmm = OPS['addbmm'].forward
forward_addcdiv = OPS['addcdiv'].forward
forward_addcmul = OPS['addcmul'].forward
forward_addmm = OPS['addmm'].forward
forward_addmv = OPS['addmv'].forward
forward_addr = OPS['addr'].forward
forward_adjoint = OPS['adjoint'].forward
forward_affine = OPS['affine'].forward
forward_alias_copy = OPS['alias_copy'].forward
forward_alignment = OPS['alignment'].forward
forward_alignment_slopes = OPS['alignment_slopes'].forward
forward_all = OPS['all'].forward
forward_allclose = OPS['allclose'].forward
forward_alpha_dropout = OPS['alpha_dropout'].forward
forward_amax = OPS['amax'].forward
forward_amin = OPS['amin'].forward
forward_aminmax = OPS['aminmax'].forward
forward_angle = OPS['angle'].forward
forward_any = OPS['any'].forward
forward_arange_of = OPS['arange_of'].forward
forward_are_close = OPS['are_close'].forward
forward_argmax = OPS['argmax'].forward
forward_argmin = OPS['argmin'].forward
forward_argsort = OPS['argsort'].forward
forward_argwhere = OPS['argwhere'].forward
forward_as_strided = OPS['as_strided'].forward
forward_as_strided_copy = OPS['as_strided_copy'].forward
forward_as_strided_from = OPS['as_strided_from'].forward
forward_as_strided_scatter = OPS['as_strided_scatter'].forward
forward_asin = OPS['asin'].forward
forward_asinh = OPS['asinh'].forward
forward_atan = OPS['atan'].forward
forward_atan2 = OPS['atan2'].forward
forward_atanh = OPS['atanh'].forward
forward_atleast_1d = OPS['atleast_1d'].forward
forward_atleast_2d = OPS['atleast_2d'].forward
forward_atleast_3d = OPS['atleast_3d'].forward
forward_avg_pool = OPS['avg_pool'].forward
forward_avg_pool1d = OPS['avg_pool1d'].forward
forward_avg_pool2d = OPS['avg_pool2d'].forward
forward_avg_pool3d = OPS['avg_pool3d'].forward
forward_avg_spread = OPS['avg_spread'].forward
forward_backwards = OPS['backwards'].forward
forward_baddbmm = OPS['baddbmm'].forward
forward_bag_of_each = OPS['bag_of_each'].forward
forward_bag_sums = OPS['bag_sums'].forward
forward_bag_winners = OPS['bag_winners'].forward
forward_bags_of_embeddings = OPS['bags_of_embeddings'].forward
forward_batch_norm = OPS['batch_norm'].forward
forward_bilinear = OPS['bilinear'].forward
forward_binary_cross_entropy = OPS['binary_cross_entropy'].forward
forward_binary_cross_entropy_with_logits = OPS['binary_cross_entropy_with_logits'].forward
forward_bincount = OPS['bincount'].forward
forward_bitwise_and = OPS['bitwise_and'].forward
forward_bitwise_left_shift = OPS['bitwise_left_shift'].forward
forward_bitwise_not = OPS['bitwise_not'].forward
forward_bitwise_or = OPS['bitwise_or'].forward
forward_bitwise_right_shift = OPS['bitwise_right_shift'].forward
forward_bitwise_xor = OPS['bitwise_xor'].forward
forward_block_diag = OPS['block_diag'].forward
forward_blocks = OPS['blocks'].forward
forward_bmm = OPS['bmm'].forward
forward_broadcast_shapes = OPS['broadcast_shapes'].forward
forward_broadcast_tensors = OPS['broadcast_tensors'].forward
forward_broadcast_to = OPS['broadcast_to'].forward
forward_bucketize = OPS['bucketize'].forward
forward_cartesian_prod = OPS['cartesian_prod'].forward
forward_cast = OPS['cast'].forward
forward_cat = OPS['cat'].forward
forward_cdist = OPS['cdist'].forward
forward_ceil = OPS['ceil'].forward
forward_celu = OPS['celu'].forward
forward_chain_matmul = OPS['chain_matmul'].forward
forward_channel_sum = OPS['channel_sum'].forward
forward_choose = OPS['choose'].forward
forward_chunk = OPS['chunk'].forward
forward_circular_pad = OPS['circular_pad'].forward
forward_clamp = OPS['clamp'].forward
forward_clamp_ = OPS['clamp_'].forward
forward_clamp_max = OPS['clamp_max'].forward
forward_clamp_min = OPS['clamp_min'].forward
forward_clamp_to_numbers = OPS['clamp_to_numbers'].forward
forward_clamp_to_tensors = OPS['clamp_to_tensors'].forward
forward_clone = OPS['clone'].forward
forward_column_stack = OPS['column_stack'].forward
forward_combinations = OPS['combinations'].forward
forward_complex = OPS['complex'].forward
forward_complex_copy = OPS['complex_copy'].forward
forward_conj = OPS['conj'].forward
forward_conj_physical = OPS['conj_physical'].forward
forward_conjugate = OPS['conjugate'].forward
forward_conjugate_in_memory = OPS['conjugate_in_memory'].forward
forward_constant_pad_nd = OPS['constant_pad_nd'].forward
forward_contains = OPS['contains'].forward
forward_conv1d = OPS['conv1d'].forward
forward_conv2d = OPS['conv2d'].forward
forward_conv3d = OPS['conv3d'].forward
forward_conv_transpose1d = OPS['conv_transpose1d'].forward
forward_conv_transpose2d = OPS['conv_transpose2d'].forward
forward_conv_transpose3d = OPS['conv_transpose3d'].forward
forward_convolution = OPS['convolution'].forward
forward_convolution_input = OPS['convolution_input'].forward
forward_convolution_weight = OPS['convolution_weight'].forward
forward_convolve = OPS['convolve'].forward
forward_copy_values = OPS['copy_values'].forward
forward_copysign = OPS['copysign'].forward
forward_corrcoef = OPS['corrcoef'].forward
forward_cos = OPS['cos'].forward
forward_cosh = OPS['cosh'].forward
forward_cosine_embedding_loss = OPS['cosine_embedding_loss'].forward
forward_cosine_similarity = OPS['cosine_similarity'].forward
forward_count_nonzero = OPS['count_nonzero'].forward
forward_cov = OPS['cov'].forward
forward_cross = OPS['cross'].forward
forward_cross_entropy = OPS['cross_entropy'].forward
forward_ctc_loss = OPS['ctc_loss'].forward
forward_cummax = OPS['cummax'].forward
forward_cummin = OPS['cummin'].forward
forward_cumprod = OPS['cumprod'].forward
forward_cumsum = OPS['cumsum'].forward
forward_cumulative_trapezoid = OPS['cumulative_trapezoid'].forward
forward_deg2rad = OPS['deg2rad'].forward
forward_delitem = OPS['delitem'].forward
forward_diag = OPS['diag'].forward
forward_diag_embed = OPS['diag_embed'].forward
forward_diagflat = OPS['diagflat'].forward
forward_diagonal = OPS['diagonal'].forward
forward_diagonal_copy = OPS['diagonal_copy'].forward
forward_diagonal_scatter = OPS['diagonal_scatter'].forward
forward_diff = OPS['diff'].forward
forward_digamma = OPS['digamma'].forward
forward_digamma_derivative = OPS['digamma_derivative'].forward
forward_dist = OPS['dist'].forward
forward_div = OPS['div'].forward
forward_divide_into = OPS['divide_into'].forward
forward_dot = OPS['dot'].forward
forward_dropout = OPS['dropout'].forward
forward_dropout_mask = OPS['dropout_mask'].forward
forward_dsplit = OPS['dsplit'].forward
forward_dsplit_variadic = OPS['dsplit_variadic'].forward
forward_dstack = OPS['dstack'].forward
forward_einsum = OPS['einsum'].forward
forward_elu = OPS['elu'].forward
forward_embedding = OPS['embedding'].forward
forward_embedding_again = OPS['embedding_again'].forward
forward_embedding_bag = OPS['embedding_bag'].forward
forward_embedding_gradient = OPS['embedding_gradient'].forward
forward_embedding_renorm_ = OPS['embedding_renorm_'].forward
forward_eq = OPS['eq'].forward
forward_equal = OPS['equal'].forward
forward_erf = OPS['erf'].forward
forward_erfc = OPS['erfc'].forward
forward_erfinv = OPS['erfinv'].forward
forward_exp = OPS['exp'].forward
forward_exp2 = OPS['exp2'].forward
forward_expand = OPS['expand'].forward
forward_expand_as = OPS['expand_as'].forward
forward_expand_copy = OPS['expand_copy'].forward
forward_expand_variadic = OPS['expand_variadic'].forward
forward_expm1 = OPS['expm1'].forward
forward_feature_alpha_dropout = OPS['feature_alpha_dropout'].forward
forward_feature_dropout = OPS['feature_dropout'].forward
forward_fill = OPS['fill'].forward
forward_fill_mask_with_number = OPS['fill_mask_with_number'].forward
forward_fill_mask_with_tensor = OPS['fill_mask_with_tensor'].forward
forward_fill_with_number = OPS['fill_with_number'].forward
forward_fill_with_tensor = OPS['fill_with_tensor'].forward
forward_filled_above_diagonal = OPS['filled_above_diagonal'].forward
forward_fit = OPS['fit'].forward
forward_flatten = OPS['flatten'].forward
forward_flip = OPS['flip'].forward
forward_flip_variadic = OPS['flip_variadic'].forward
forward_fliplr = OPS['fliplr'].forward
forward_flipud = OPS['flipud'].forward
forward_float_power = OPS['float_power'].forward
forward_float_power_ = OPS['float_power_'].forward
forward_floor = OPS['floor'].forward
forward_floor_divide = OPS['floor_divide'].forward
forward_floor_divide_into = OPS['floor_divide_into'].forward
forward_fmax = OPS['fmax'].forward
forward_fmin = OPS['fmin'].forward
forward_fmod = OPS['fmod'].forward
forward_frac = OPS['frac'].forward
forward_frexp = OPS['frexp'].forward
forward_gather = OPS['gather'].forward
forward_gcd = OPS['gcd'].forward
forward_ge = OPS['ge'].forward
forward_gelu = OPS['gelu'].forward
forward_getitem = OPS['getitem'].forward
forward_getitem_view = OPS['getitem_view'].forward
forward_glu = OPS['glu'].forward
forward_gradient = OPS['gradient'].forward
forward_group_norm = OPS['group_norm'].forward
forward_growth_of_power = OPS['growth_of_power'].forward
forward_gru = OPS['gru'].forward
forward_gru_cell = OPS['gru_cell'].forward
forward_gru_layer = OPS['gru_layer'].forward
forward_gt = OPS['gt'].forward
forward_hardshrink = OPS['hardshrink'].forward
forward_hardsigmoid = OPS['hardsigmoid'].forward
forward_hardswish = OPS['hardswish'].forward
forward_hardtanh = OPS['hardtanh'].forward
forward_heaviside = OPS['heaviside'].forward
forward_hinge_embedding_loss = OPS['hinge_embedding_loss'].forward
forward_histc = OPS['histc'].forward
forward_histogram = OPS['histogram'].forward
forward_histogram_in_edges = OPS['histogram_in_edges'].forward
forward_histogram_in_ranges = OPS['histogram_in_ranges'].forward
forward_histogramdd = OPS['histogramdd'].forward
forward_hsplit = OPS['hsplit'].forward
forward_hsplit_variadic = OPS['hsplit_variadic'].forward
forward_hstack = OPS['hstack'].forward
forward_huber_loss = OPS['huber_loss'].forward
forward_hypot = OPS['hypot'].forward
forward_i0 = OPS['i0'].forward
forward_i0e = OPS['i0e'].forward
forward_i1 = OPS['i1'].forward
forward_i1e = OPS['i1e'].forward
forward_igamma = OPS['igamma'].forward
forward_igammac = OPS['igammac'].forward
forward_imag = OPS['imag'].forward
forward_index = OPS['index'].forward
forward_index_add = OPS['index_add'].forward
forward_index_copy = OPS['index_copy'].forward
forward_index_fill = OPS['index_fill'].forward
forward_index_fill_number = OPS['index_fill_number'].forward
forward_index_fill_tensor = OPS['index_fill_tensor'].forward
forward_index_put = OPS['index_put'].forward
forward_index_reduce = OPS['index_reduce'].forward
forward_index_select = OPS['index_select'].forward
forward_inner = OPS['inner'].forward
forward_instance_norm = OPS['instance_norm'].forward
forward_interpolate = OPS['interpolate'].forward
forward_inverse_deviation = OPS['inverse_deviation'].forward
forward_invert = OPS['invert'].forward
forward_is_between = OPS['is_between'].forward
forward_isclose = OPS['isclose'].forward
forward_isfinite = OPS['isfinite'].forward
forward_isin = OPS['isin'].forward
forward_isinf = OPS['isinf'].forward
forward_isnan = OPS['isnan'].forward
forward_isneginf = OPS['isneginf'].forward
forward_isposinf = OPS['isposinf'].forward
forward_isreal = OPS['isreal'].forward
forward_iterate = OPS['iterate'].forward
forward_joined = OPS['joined'].forward
forward_kept_mask = OPS['kept_mask'].forward
forward_kl_div = OPS['kl_div'].forward
forward_kron = OPS['kron'].forward
forward_kthvalue = OPS['kthvalue'].forward
forward_l1_loss = OPS['l1_loss'].forward
forward_layer_norm = OPS['layer_norm'].forward
forward_lcm = OPS['lcm'].forward
forward_ldexp = OPS['ldexp'].forward
forward_le = OPS['le'].forward
forward_leaky_relu = OPS['leaky_relu'].forward
forward_left_shift_by = OPS['left_shift_by'].forward
forward_lerp = OPS['lerp'].forward
forward_lerp_by_number = OPS['lerp_by_number'].forward
forward_lerp_by_tensor = OPS['lerp_by_tensor'].forward
forward_lgamma = OPS['lgamma'].forward
forward_linalg_cross = OPS['linalg_cross'].forward
forward_linalg_multi_dot = OPS['linalg_multi_dot'].forward
forward_linalg_vecdot = OPS['linalg_vecdot'].forward
forward_linalg_vector_norm = OPS['linalg_vector_norm'].forward
forward_linear = OPS['linear'].forward
forward_linear_cross_entropy = OPS['linear_cross_entropy'].forward
forward_local_response_norm = OPS['local_response_norm'].forward
forward_log = OPS['log'].forward
forward_log10 = OPS['log10'].forward
forward_log1p = OPS['log1p'].forward
forward_log2 = OPS['log2'].forward
forward_log_softmax = OPS['log_softmax'].forward
forward_logaddexp = OPS['logaddexp'].forward
forward_logaddexp2 = OPS['logaddexp2'].forward
forward_logcumsumexp = OPS['logcumsumexp'].forward
forward_logical_and = OPS['logical_and'].forward
forward_logical_not = OPS['logical_not'].forward
forward_logical_or = OPS['logical_or'].forward
forward_logical_xor = OPS['logical_xor'].forward
forward_logistic_loss = OPS['logistic_loss'].forward
forward_logit = OPS['logit'].forward
forward_logsigmoid = OPS['logsigmoid'].forward
forward_logsumexp = OPS['logsumexp'].forward
forward_lp_pool1d = OPS['lp_pool1d'].forward
forward_lp_pool2d = OPS['lp_pool2d'].forward
forward_lp_pool3d = OPS['lp_pool3d'].forward
forward_lstm = OPS['lstm'].forward
forward_lstm_cell = OPS['lstm_cell'].forward
forward_lstm_layer = OPS['lstm_layer'].forward
forward_lt = OPS['lt'].forward
forward_mH = OPS['mH'].forward
forward_mT = OPS['mT'].forward
forward_margin_losses = OPS['margin_losses'].forward
forward_margin_ranking_loss = OPS['margin_ranking_loss'].forward
forward_margin_slopes = OPS['margin_slopes'].forward
forward_masked_fill = OPS['masked_fill'].forward
forward_masked_scatter = OPS['masked_scatter'].forward
forward_masked_select = OPS['masked_select'].forward
forward_masked_source = OPS['masked_source'].forward
forward_matmul = OPS['matmul'].forward
forward_matmul_into = OPS['matmul_into'].forward
forward_max = OPS['max'].forward
forward_max_all = OPS['max_all'].forward
forward_max_dim = OPS['max_dim'].forward
forward_max_pool = OPS['max_pool'].forward
forward_max_pool1d = OPS['max_pool1d'].forward
forward_max_pool1d_with_indices = OPS['max_pool1d_with_indices'].forward
forward_max_pool2d = OPS['max_pool2d'].forward
forward_max_pool2d_with_indices = OPS['max_pool2d_with_indices'].forward
forward_max_pool3d = OPS['max_pool3d'].forward
forward_max_pool3d_with_indices = OPS['max_pool3d_with_indices'].forward
forward_max_unpool = OPS['max_unpool'].forward
forward_max_unpool1d = OPS['max_unpool1d'].forward
forward_max_unpool2d = OPS['max_unpool2d'].forward
forward_max_unpool3d = OPS['max_unpool3d'].forward
forward_maximum = OPS['maximum'].forward
forward_mean = OPS['mean'].forward
forward_median = OPS['median'].forward
forward_median_all = OPS['median_all'].forward
forward_median_dim = OPS['median_dim'].forward
forward_meshgrid = OPS['meshgrid'].forward
forward_min = OPS['min'].forward
forward_min_all = OPS['min_all'].forward
forward_min_and_max = OPS['min_and_max'].forward
forward_min_dim = OPS['min_dim'].forward
forward_minimum = OPS['minimum'].forward
forward_mish = OPS['mish'].forward
forward_mm = OPS['mm'].forward
forward_mode = OPS['mode'].forward
forward_modulus = OPS['modulus'].forward
forward_movedim = OPS['movedim'].forward
forward_mse_loss = OPS['mse_loss'].forward
forward_msort = OPS['msort'].forward
forward_mul = OPS['mul'].forward
forward_multi_margin_loss = OPS['multi_margin_loss'].forward
forward_multilabel_margin = OPS['multilabel_margin'].forward
forward_multilabel_margin_loss = OPS['multilabel_margin_loss'].forward
forward_multilabel_slopes = OPS['multilabel_slopes'].forward
forward_mv = OPS['mv'].forward
forward_mvlgamma = OPS['mvlgamma'].forward
forward_nan_to_num = OPS['nan_to_num'].forward
forward_nanmean = OPS['nanmean'].forward
forward_nanmedian = OPS['nanmedian'].forward
forward_nanmedian_all = OPS['nanmedian_all'].forward
forward_nanmedian_dim = OPS['nanmedian_dim'].forward
forward_nanquantile = OPS['nanquantile'].forward
forward_nansum = OPS['nansum'].forward
forward_narrow = OPS['narrow'].forward
forward_narrow_copy = OPS['narrow_copy'].forward
forward_native_batch_norm = OPS['native_batch_norm'].forward
forward_native_batch_normalization = OPS['native_batch_normalization'].forward
forward_native_group_norm = OPS['native_group_norm'].forward
forward_native_group_normalization = OPS['native_group_normalization'].forward
forward_native_layer_norm = OPS['native_layer_norm'].forward
forward_native_layer_normalization = OPS['native_layer_normalization'].forward
forward_ne = OPS['ne'].forward
forward_neg = OPS['neg'].forward
forward_negative_log_likelihood = OPS['negative_log_likelihood'].forward
forward_new_zeros_of = OPS['new_zeros_of'].forward
forward_nextafter = OPS['nextafter'].forward
forward_nll_loss = OPS['nll_loss'].forward
forward_nonzero = OPS['nonzero'].forward
forward_nonzero_rows = OPS['nonzero_rows'].forward
forward_nonzero_static = OPS['nonzero_static'].forward
forward_norm = OPS['norm'].forward
forward_norm_of_rows = OPS['norm_of_rows'].forward
forward_norm_of_tensor = OPS['norm_of_tensor'].forward
forward_normalize = OPS['normalize'].forward
forward_normalized = OPS['normalized'].forward
forward_normalized_gradient = OPS['normalized_gradient'].forward
forward_normalized_weight = OPS['normalized_weight'].forward
forward_on_diagonal = OPS['on_diagonal'].forward
forward_one_hot = OPS['one_hot'].forward
forward_only_row = OPS['only_row'].forward
forward_outer = OPS['outer'].forward
forward_pad = OPS['pad'].forward
forward_padding_transposed = OPS['padding_transposed'].forward
forward_pairwise_distance = OPS['pairwise_distance'].forward
forward_pdist = OPS['pdist'].forward
forward_permute = OPS['permute'].forward
forward_permute_copy = OPS['permute_copy'].forward
forward_permute_variadic = OPS['permute_variadic'].forward
forward_placed = OPS['placed'].forward
forward_placed_at = OPS['placed_at'].forward
forward_poisson_nll_loss = OPS['poisson_nll_loss'].forward
forward_polar = OPS['polar'].forward
forward_polygamma = OPS['polygamma'].forward
forward_positive = OPS['positive'].forward
forward_pow = OPS['pow'].forward
forward_power_of = OPS['power_of'].forward
forward_prelu = OPS['prelu'].forward
forward_prelu_kernel = OPS['prelu_kernel'].forward
forward_present = OPS['present'].forward
forward_prod = OPS['prod'].forward
forward_products_of_others = OPS['products_of_others'].forward
forward_put = OPS['put'].forward
forward_put_indices = OPS['put_indices'].forward
forward_put_pooled = OPS['put_pooled'].forward
forward_putitem = OPS['putitem'].forward
forward_quantile = OPS['quantile'].forward
forward_rad2deg = OPS['rad2deg'].forward
forward_ravel = OPS['ravel'].forward
forward_real = OPS['real'].forward
forward_reciprocal = OPS['reciprocal'].forward
forward_recurrence = OPS['recurrence'].forward
forward_reflection_pad = OPS['reflection_pad'].forward
forward_relu = OPS['relu'].forward
forward_relu6 = OPS['relu6'].forward
forward_remainder = OPS['remainder'].forward
forward_remainder_into = OPS['remainder_into'].forward
forward_renorm = OPS['renorm'].forward
forward_repeat = OPS['repeat'].forward
forward_repeat_interleave = OPS['repeat_interleave'].forward
forward_repeat_variadic = OPS['repeat_variadic'].forward
forward_replication_pad = OPS['replication_pad'].forward
forward_resample = OPS['resample'].forward
forward_resample_transposed = OPS['resample_transposed'].forward
forward_reshape = OPS['reshape'].forward
forward_reshape_as = OPS['reshape_as'].forward
forward_reshape_variadic = OPS['reshape_variadic'].forward
forward_resolve_conj = OPS['resolve_conj'].forward
forward_resolve_neg = OPS['resolve_neg'].forward
forward_rewritten = OPS['rewritten'].forward
forward_right_shift_by = OPS['right_shift_by'].forward
forward_rms_norm = OPS['rms_norm'].forward
forward_rnn_layer = OPS['rnn_layer'].forward
forward_rnn_relu = OPS['rnn_relu'].forward
forward_rnn_relu_cell = OPS['rnn_relu_cell'].forward
forward_rnn_tanh = OPS['rnn_tanh'].forward
forward_rnn_tanh_cell = OPS['rnn_tanh_cell'].forward
forward_roll = OPS['roll'].forward
forward_rot90 = OPS['rot90'].forward
forward_round = OPS['round'].forward
forward_rounded_divide = OPS['rounded_divide'].forward
forward_rrelu = OPS['rrelu'].forward
forward_rrelu_with_noise = OPS['rrelu_with_noise'].forward
forward_rsqrt = OPS['rsqrt'].forward
forward_rsub = OPS['rsub'].forward
forward_safe_softmax = OPS['safe_softmax'].forward
forward_scaled_dot_product_attention = OPS['scaled_dot_product_attention'].forward
forward_scatter = OPS['scatter'].forward
forward_scatter_add = OPS['scatter_add'].forward
forward_scatter_reduce = OPS['scatter_reduce'].forward
forward_scatter_source = OPS['scatter_source'].forward
forward_scatter_value = OPS['scatter_value'].forward
forward_search = OPS['search'].forward
forward_searchsorted = OPS['searchsorted'].forward
forward_select = OPS['select'].forward
forward_select_copy = OPS['select_copy'].forward
forward_select_scatter = OPS['select_scatter'].forward
forward_selu = OPS['selu'].forward
forward_setitem = OPS['setitem'].forward
forward_sgn = OPS['sgn'].forward
forward_shifted = OPS['shifted'].forward
forward_sigmoid = OPS['sigmoid'].forward
forward_sign = OPS['sign'].forward
forward_signbit = OPS['signbit'].forward
forward_silu = OPS['silu'].forward
forward_sin = OPS['sin'].forward
forward_sinc = OPS['sinc'].forward
forward_sinh = OPS['sinh'].forward
forward_slice_copy = OPS['slice_copy'].forward
forward_slice_scatter = OPS['slice_scatter'].forward
forward_slice_view = OPS['slice_view'].forward
forward_slope_of_power = OPS['slope_of_power'].forward
forward_smooth_absolute = OPS['smooth_absolute'].forward
forward_smooth_l1_loss = OPS['smooth_l1_loss'].forward
forward_soft_margin = OPS['soft_margin'].forward
forward_soft_margin_loss = OPS['soft_margin_loss'].forward
forward_softmax = OPS['softmax'].forward
forward_softmin = OPS['softmin'].forward
forward_softplus = OPS['softplus'].forward
forward_softshrink = OPS['softshrink'].forward
forward_softsign = OPS['softsign'].forward
forward_sort = OPS['sort'].forward
forward_split = OPS['split'].forward
forward_split_copy = OPS['split_copy'].forward
forward_split_evenly = OPS['split_evenly'].forward
forward_split_of_size = OPS['split_of_size'].forward
forward_split_with_sizes = OPS['split_with_sizes'].forward
forward_split_with_sizes_copy = OPS['split_with_sizes_copy'].forward
forward_spread_over_classes = OPS['spread_over_classes'].forward
forward_sqrt = OPS['sqrt'].forward
forward_square = OPS['square'].forward
forward_squeeze = OPS['squeeze'].forward
forward_squeeze_copy = OPS['squeeze_copy'].forward
forward_stack = OPS['stack'].forward
forward_stacked = OPS['stacked'].forward
forward_std = OPS['std'].forward
forward_std_mean = OPS['std_mean'].forward
forward_step = OPS['step'].forward
forward_strided_copy = OPS['strided_copy'].forward
forward_strided_transpose = OPS['strided_transpose'].forward
forward_sub = OPS['sub'].forward
forward_sum = OPS['sum'].forward
forward_sum_to_size = OPS['sum_to_size'].forward
forward_sum_to_size_of = OPS['sum_to_size_of'].forward
forward_t = OPS['t'].forward
forward_t_copy = OPS['t_copy'].forward
forward_take = OPS['take'].forward
forward_take_along_dim = OPS['take_along_dim'].forward
forward_take_pooled = OPS['take_pooled'].forward
forward_tan = OPS['tan'].forward
forward_tanh = OPS['tanh'].forward
forward_tanhshrink = OPS['tanhshrink'].forward
forward_tensor_split = OPS['tensor_split'].forward
forward_tensordot = OPS['tensordot'].forward
forward_threshold = OPS['threshold'].forward
forward_tile = OPS['tile'].forward
forward_tile_variadic = OPS['tile_variadic'].forward
forward_to_copy = OPS['to_copy'].forward
forward_topk = OPS['topk'].forward
forward_trace = OPS['trace'].forward
forward_transpose = OPS['transpose'].forward
forward_transpose_copy = OPS['transpose_copy'].forward
forward_trapezoid = OPS['trapezoid'].forward
forward_tril = OPS['tril'].forward
forward_tril_indices = OPS['tril_indices'].forward
forward_triu = OPS['triu'].forward
forward_triu_indices = OPS['triu_indices'].forward
forward_true_divide = OPS['true_divide'].forward
forward_trunc = OPS['trunc'].forward
forward_unbind = OPS['unbind'].forward
forward_unbind_copy = OPS['unbind_copy'].forward
forward_unflatten = OPS['unflatten'].forward
forward_unfold_copy = OPS['unfold_copy'].forward
forward_unique = OPS['unique'].forward
forward_unique_consecutive = OPS['unique_consecutive'].forward
forward_unique_runs = OPS['unique_runs'].forward
forward_unique_with_places = OPS['unique_with_places'].forward
forward_unravel_index = OPS['unravel_index'].forward
forward_unsafe_chunk = OPS['unsafe_chunk'].forward
forward_unsafe_split = OPS['unsafe_split'].forward
forward_unsafe_split_with_sizes = OPS['unsafe_split_with_sizes'].forward
forward_unsafe_view = OPS['unsafe_view'].forward
forward_unsqueeze = OPS['unsqueeze'].forward
forward_unsqueeze_copy = OPS['unsqueeze_copy'].forward
forward_upsample = OPS['upsample'].forward
forward_upsample_bilinear = OPS['upsample_bilinear'].forward
forward_upsample_nearest = OPS['upsample_nearest'].forward
forward_var = OPS['var'].forward
forward_var_mean = OPS['var_mean'].forward
forward_vdot = OPS['vdot'].forward
forward_view = OPS['view'].forward
forward_view_as = OPS['view_as'].forward
forward_view_as_complex = OPS['view_as_complex'].forward
forward_view_as_complex_copy = OPS['view_as_complex_copy'].forward
forward_view_as_real = OPS['view_as_real'].forward
forward_view_as_real_copy = OPS['view_as_real_copy'].forward
forward_view_copy = OPS['view_copy'].forward
forward_view_dtype = OPS['view_dtype'].forward
forward_view_variadic = OPS['view_variadic'].forward
forward_vsplit = OPS['vsplit'].forward
forward_vsplit_variadic = OPS['vsplit_variadic'].forward
forward_vstack = OPS['vstack'].forward
forward_weighted_binary_cross_entropy = OPS['weighted_binary_cross_entropy'].forward
forward_where = OPS['where'].forward
forward_where_of_input = OPS['where_of_input'].forward
forward_windows = OPS['windows'].forward
forward_write_view = OPS['write_view'].forward
forward_xlogy = OPS['xlogy'].forward
forward_zero_ = OPS['zero_'].forward
forward_zeroed = OPS['zeroed'].forward
forward_zeros_of = OPS['zeros_of'].forward


def H(input):
    return forward_H(F, input)


def T(input):
    return forward_T(F, input)


def above_diagonal(input):
    return forward_above_diagonal(xp, input)


def abs(input):
    return forward_abs(F, input)


def abs_(input):
    return forward_abs_(F, input)


def acos(input):
    return forward_acos(xp, input)


def acosh(input):
    return forward_acosh(xp, input)


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


def add(input, other, *, alpha=1):
    return forward_add(xp, input, other, alpha=alpha)


def add_windows(input, shape, dimension, step):
    return forward_add_windows(xp, input, shape, dimension, step)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return forward_addbmm(xp, input, batch1, batch2, beta=beta, alpha=alpha)


def addcdiv(input, tensor1, tensor2, *, value=1):
    return forward_addcdiv(xp, input, tensor1, tensor2, value=value)


def addcmul(input, tensor1, tensor2, *, value=1):
    return forward_addcmul(xp, input, tensor1, tensor2, value=value)


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


def alias_copy(input):
    return forward_alias_copy(F, input)


def alignment(log_probs, targets, lengths, target_lengths, blank, zero_infinity):
    return forward_alignment(xp, log_probs, targets, lengths, target_lengths, blank, zero_infinity)


def alignment_slopes(grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity):
    return forward_alignment_slopes(xp, grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity)


def all(input, dim=None, keepdim=False):
    return forward_all(xp, input, dim, keepdim)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return forward_allclose(F, input, other, rtol, atol, equal_nan)


def alpha_dropout(input, p, train):
    return forward_alpha_dropout(F, input, p, train)


def amax(input, dim=(), keepdim=False):
    return forward_amax(xp, input, dim, keepdim)


def amin(input, dim=(), keepdim=False):
    return forward_amin(xp, input, dim, keepdim)


def aminmax(input, *, dim=None, keepdim=False, out=None):
    return forward_aminmax(F, input, dim=dim, keepdim=keepdim, out=out)


def angle(input):
    return forward_angle(xp, input)


def any(input, dim=None, keepdim=False):
    return forward_any(xp, input, dim, keepdim)


def arange_of(input, count, step):
    return forward_arange_of(xp, input, count, step)


def are_close(input, other, rtol, atol, equal_nan):
    return forward_are_close(xp, input, other, rtol, atol, equal_nan)


def argmax(input, dim=None, keepdim=False):
    return forward_argmax(xp, input, dim, keepdim)


def argmin(input, dim=None, keepdim=False):
    return forward_argmin(xp, input, dim, keepdim)


def argsort(input, dim=-1, descending=False, *, stable=False):
    return forward_argsort(xp, input, dim, descending, stable=stable)


def argwhere(input):
    return forward_argwhere(F, input)


def as_strided(input, size, stride, storage_offset=None):
    return forward_as_strided(F, input, size, stride, storage_offset)


def as_strided_copy(input, size, stride, storage_offset=None):
    return forward_as_strided_copy(F, input, size, stride, storage_offset)


def as_strided_from(input, size, stride, offset, strides):
    return forward_as_strided_from(xp, input, size, stride, offset, strides)


def as_strided_scatter(input, src, size, stride, storage_offset=None):
    return forward_as_strided_scatter(F, input, src, size, stride, storage_offset)


def asin(input):
    return forward_asin(xp, input)


def asinh(input):
    return forward_asinh(xp, input)


def atan(input):
    return forward_atan(xp, input)


def atan2(input, other):
    return forward_atan2(xp, input, other)


def atanh(input):
    return forward_atanh(xp, input)


def atleast_1d(*tensors):
    return forward_atleast_1d(F, *tensors)


def atleast_2d(*tensors):
    return forward_atleast_2d(F, *tensors)


def atleast_3d(*tensors):
    return forward_atleast_3d(F, *tensors)


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


def backwards(input):
    return forward_backwards(F, input)


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return forward_baddbmm(xp, input, batch1, batch2, beta=beta, alpha=alpha)


def bag_of_each(offsets, length, count):
    return forward_bag_of_each(xp, offsets, length, count)


def bag_sums(weight, factors, indices, bags, count, padding_idx, scale_grad_by_freq):
    return forward_bag_sums(xp, weight, factors, indices, bags, count, padding_idx, scale_grad_by_freq)


def bag_winners(weight, indices, bags, counted, count):
    return forward_bag_winners(xp, weight, indices, bags, counted, count)


def bags_of_embeddings(input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    return forward_bags_of_embeddings(F, input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    return forward_batch_norm(F, input, running_mean, running_var, weight, bias, training, momentum, eps)


def bilinear(input1, input2, weight, bias=None):
    return forward_bilinear(F, input1, input2, weight, bias)


def binary_cross_entropy(input, target, weight=None, reduction='mean'):
    return forward_binary_cross_entropy(F, input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction='mean'):
    return forward_binary_cross_entropy_with_logits(F, input, target, weight, pos_weight, reduction)


def bincount(input, weights=None, minlength=0):
    return forward_bincount(xp, input, weights, minlength)


def bitwise_and(input, other):
    return forward_bitwise_and(xp, input, other)


def bitwise_left_shift(input, other):
    return forward_bitwise_left_shift(xp, input, other)


def bitwise_not(input):
    return forward_bitwise_not(xp, input)


def bitwise_or(input, other):
    return forward_bitwise_or(xp, input, other)


def bitwise_right_shift(input, other):
    return forward_bitwise_right_shift(xp, input, other)


def bitwise_xor(input, other):
    return forward_bitwise_xor(xp, input, other)


def block_diag(*tensors):
    return forward_block_diag(F, *tensors)


def blocks(tensors):
    return forward_blocks(xp, tensors)


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
    return forward_ceil(xp, input)


def celu(input, alpha=1.0):
    return forward_celu(xp, input, alpha)


def chain_matmul(*matrices, out=None):
    return forward_chain_matmul(F, *matrices, out=out)


def channel_sum(input):
    return forward_channel_sum(xp, input)


def choose(condition, input, other):
    return forward_choose(xp, condition, input, other)


def chunk(input, chunks, dim=0):
    return forward_chunk(F, input, chunks, dim)


def circular_pad(input, padding):
    return forward_circular_pad(xp, input, padding)


def clamp(input, min=None, max=None):
    return forward_clamp(F, input, min, max)


def clamp_(input, min=None, max=None):
    return forward_clamp_(F, input, min, max)


def clamp_max(input, max):
    return forward_clamp_max(xp, input, max)


def clamp_min(input, min):
    return forward_clamp_min(xp, input, min)


def clamp_to_numbers(input, min, max):
    return forward_clamp_to_numbers(xp, input, min, max)


def clamp_to_tensors(input, min, max):
    return forward_clamp_to_tensors(xp, input, min, max)


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


def conj(input):
    return forward_conj(F, input)


def conj_physical(input):
    return forward_conj_physical(F, input)


def conjugate(input):
    return forward_conjugate(xp, input)


def conjugate_in_memory(input):
    return forward_conjugate_in_memory(xp, input)


def constant_pad_nd(input, pad, value=0):
    return forward_constant_pad_nd(xp, input, pad, value)


def contains(input, element):
    return forward_contains(F, input, element)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return forward_conv1d(F, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return forward_conv2d(F, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return forward_conv3d(F, input, weight, bias, stride, padding, dilation, groups)


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


def copy_values(input, src):
    return forward_copy_values(xp, input, src)


def copysign(input, other):
    return forward_copysign(xp, input, other)


def corrcoef(input):
    return forward_corrcoef(F, input)


def cos(input):
    return forward_cos(xp, input)


def cosh(input):
    return forward_cosh(xp, input)


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean'):
    return forward_cosine_embedding_loss(F, input1, input2, target, margin, reduction)


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    return forward_cosine_similarity(F, x1, x2, dim, eps)


def count_nonzero(input, dim=None):
    return forward_count_nonzero(xp, input, dim)


def cov(input, *, correction=1, fweights=None, aweights=None):
    return forward_cov(F, input, correction=correction, fweights=fweights, aweights=aweights)


def cross(input, other, dim=None):
    return forward_cross(F, input, other, dim)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0):
    return forward_cross_entropy(F, input, target, weight, ignore_index, reduction, label_smoothing)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False):
    return forward_ctc_loss(F, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)


def cummax(input, dim):
    return forward_cummax(xp, input, dim)


def cummin(input, dim):
    return forward_cummin(xp, input, dim)


def cumprod(input, dim, *, dtype=None):
    return forward_cumprod(xp, input, dim, dtype=dtype)


def cumsum(input, dim, *, dtype=None):
    return forward_cumsum(xp, input, dim, dtype=dtype)


def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    return forward_cumulative_trapezoid(F, y, x, dx=dx, dim=dim)


def deg2rad(input):
    return forward_deg2rad(xp, input)


def delitem(input, index):
    return forward_delitem(F, input, index)


def diag(input, diagonal=0):
    return forward_diag(F, input, diagonal)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    return forward_diag_embed(xp, input, offset, dim1, dim2)


def diagflat(input, offset=0):
    return forward_diagflat(F, input, offset)


def diagonal(input, offset=0, dim1=0, dim2=1):
    return forward_diagonal(xp, input, offset, dim1, dim2)


def diagonal_copy(input, offset=0, dim1=0, dim2=1):
    return forward_diagonal_copy(xp, input, offset, dim1, dim2)


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    return forward_diagonal_scatter(F, input, src, offset, dim1, dim2)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    return forward_diff(F, input, n, dim, prepend, append)


def digamma(input):
    return forward_digamma(xp, input)


def digamma_derivative(input, n):
    return forward_digamma_derivative(xp, input, n)


def dist(input, other, p=2):
    return forward_dist(xp, input, other, p)


def div(input, other, *, rounding_mode=None):
    return forward_div(F, input, other, rounding_mode=rounding_mode)


def divide_into(input, other):
    return forward_divide_into(F, input, other)


def dot(input, tensor):
    return forward_dot(xp, input, tensor)


def dropout(input, p, train):
    return forward_dropout(F, input, p, train)


def dropout_mask(input, p, by_channel):
    return forward_dropout_mask(xp, input, p, by_channel)


def dsplit(input, indices_or_sections):
    return forward_dsplit(F, input, indices_or_sections)


def dsplit_variadic(input, *indices_or_sections):
    return forward_dsplit_variadic(F, input, *indices_or_sections)


def dstack(tensors):
    return forward_dstack(F, tensors)


def einsum(equation, *operands):
    return forward_einsum(F, equation, *operands)


def elu(input, alpha=1.0, scale=1.0, input_scale=1.0):
    return forward_elu(xp, input, alpha, scale, input_scale)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return forward_embedding(xp, weight, indices, padding_idx, scale_grad_by_freq, sparse)


def embedding_again(input, indices, padding_idx, scale_grad_by_freq):
    return forward_embedding_again(xp, input, indices, padding_idx, scale_grad_by_freq)


def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    return forward_embedding_bag(F, weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)


def embedding_gradient(input, indices, rows, padding_idx, scale_grad_by_freq):
    return forward_embedding_gradient(xp, input, indices, rows, padding_idx, scale_grad_by_freq)


def embedding_renorm_(input, indices, max_norm, norm_type):
    return forward_embedding_renorm_(F, input, indices, max_norm, norm_type)


def eq(input, other):
    return forward_eq(xp, input, other)


def equal(input, other):
    return forward_equal(F, input, other)


def erf(input):
    return forward_erf(xp, input)


def erfc(input):
    return forward_erfc(xp, input)


def erfinv(input):
    return forward_erfinv(xp, input)


def exp(input):
    return forward_exp(xp, input)


def exp2(input):
    return forward_exp2(xp, input)


def expand(input, size):
    return forward_expand(xp, input, size)


def expand_as(input, other):
    return forward_expand_as(F, input, other)


def expand_copy(input, size, *, implicit=False):
    return forward_expand_copy(F, input, size, implicit=implicit)


def expand_variadic(input, *sizes, size=None, implicit=False):
    return forward_expand_variadic(F, input, *sizes, size=size, implicit=implicit)


def expm1(input):
    return forward_expm1(xp, input)


def feature_alpha_dropout(input, p, train):
    return forward_feature_alpha_dropout(F, input, p, train)


def feature_dropout(input, p, train):
    return forward_feature_dropout(F, input, p, train)


def fill(input, value):
    return forward_fill(F, input, value)


def fill_mask_with_number(input, mask, value):
    return forward_fill_mask_with_number(xp, input, mask, value)


def fill_mask_with_tensor(input, mask, value):
    return forward_fill_mask_with_tensor(xp, input, mask, value)


def fill_with_number(input, value):
    return forward_fill_with_number(xp, input, value)


def fill_with_tensor(input, value):
    return forward_fill_with_tensor(xp, input, value)


def filled_above_diagonal(input, size):
    return forward_filled_above_diagonal(xp, input, size)


def fit(input, shape, kind):
    return forward_fit(F, input, shape, kind)


def flatten(input, start_dim=0, end_dim=-1):
    return forward_flatten(F, input, start_dim, end_dim)


def flip(input, dims):
    return forward_flip(xp, input, dims)


def flip_variadic(input, *places, dims=None):
    return forward_flip_variadic(F, input, *places, dims=dims)


def fliplr(input):
    return forward_fliplr(F, input)


def flipud(input):
    return forward_flipud(F, input)


def float_power(input, exponent):
    return forward_float_power(F, input, exponent)


def float_power_(input, exponent):
    return forward_float_power_(F, input, exponent)


def floor(input):
    return forward_floor(xp, input)


def floor_divide(input, other):
    return forward_floor_divide(xp, input, other)


def floor_divide_into(input, other):
    return forward_floor_divide_into(F, input, other)


def fmax(input, other):
    return forward_fmax(xp, input, other)


def fmin(input, other):
    return forward_fmin(xp, input, other)


def fmod(input, other):
    return forward_fmod(xp, input, other)


def frac(input):
    return forward_frac(xp, input)


def frexp(input):
    return forward_frexp(xp, input)


def gather(input, dim, index, *, sparse_grad=False):
    return forward_gather(xp, input, dim, index, sparse_grad=sparse_grad)


def gcd(input, other):
    return forward_gcd(xp, input, other)


def ge(input, other):
    return forward_ge(xp, input, other)


def gelu(input, *, approximate='none'):
    return forward_gelu(xp, input, approximate=approximate)


def getitem(input, index):
    return forward_getitem(F, input, index)


def getitem_view(input, index):
    return forward_getitem_view(xp, input, index)


def glu(input, dim=-1):
    return forward_glu(xp, input, dim)


def gradient(input, *, spacing=None, dim=None, edge_order=1):
    return forward_gradient(F, input, spacing=spacing, dim=dim, edge_order=edge_order)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    return forward_group_norm(F, input, num_groups, weight, bias, eps, cudnn_enabled)


def growth_of_power(input, exponent, out):
    return forward_growth_of_power(F, input, exponent, out)


def gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False):
    return forward_gru(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return forward_gru_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)


def gru_layer(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
    return forward_gru_layer(xp, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse)


def gt(input, other):
    return forward_gt(xp, input, other)


def hardshrink(input, lambd=0.5):
    return forward_hardshrink(xp, input, lambd)


def hardsigmoid(input):
    return forward_hardsigmoid(xp, input)


def hardswish(input):
    return forward_hardswish(xp, input)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    return forward_hardtanh(xp, input, min_val, max_val)


def heaviside(input, values):
    return forward_heaviside(F, input, values)


def hinge_embedding_loss(input, target, margin=1.0, reduction='mean'):
    return forward_hinge_embedding_loss(F, input, target, margin, reduction)


def histc(input, bins=100, min=0, max=0):
    return forward_histc(xp, input, bins, min, max)


def histogram(input, bins=100, *, range=None, weight=None, density=False):
    return forward_histogram(F, input, bins, range=range, weight=weight, density=density)


def histogram_in_edges(input, weight, edges, density):
    return forward_histogram_in_edges(xp, input, weight, edges, density)


def histogram_in_ranges(input, weight, bins, range, density):
    return forward_histogram_in_ranges(xp, input, weight, bins, range, density)


def histogramdd(input, bins, *, range=None, weight=None, density=False):
    return forward_histogramdd(F, input, bins, range=range, weight=weight, density=density)


def hsplit(input, indices_or_sections):
    return forward_hsplit(F, input, indices_or_sections)


def hsplit_variadic(input, *indices_or_sections):
    return forward_hsplit_variadic(F, input, *indices_or_sections)


def hstack(tensors):
    return forward_hstack(F, tensors)


def huber_loss(input, target, reduction='mean', delta=1.0):
    return forward_huber_loss(xp, input, target, reduction, delta)


def hypot(input, other):
    return forward_hypot(xp, input, other)


def i0(input):
    return forward_i0(xp, input)


def i0e(input):
    return forward_i0e(xp, input)


def i1(input):
    return forward_i1(xp, input)


def i1e(input):
    return forward_i1e(xp, input)


def igamma(input, other):
    return forward_igamma(xp, input, other)


def igammac(input, other):
    return forward_igammac(xp, input, other)


def imag(input):
    return forward_imag(F, input)


def index(input, indices):
    return forward_index(xp, input, indices)


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


def index_put(input, indices, values, accumulate=False):
    return forward_index_put(F, input, indices, values, accumulate)


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    return forward_index_reduce(xp, input, dim, index, source, reduce, include_self=include_self)


def index_select(input, dim, index):
    return forward_index_select(xp, input, dim, index)


def inner(input, other):
    return forward_inner(F, input, other)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05):
    return forward_instance_norm(F, input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, antialias=False):
    return forward_interpolate(F, input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


def inverse_deviation(input, mean, scale, layout):
    return forward_inverse_deviation(xp, input, mean, scale, layout)


def invert(input):
    return forward_invert(F, input)


def is_between(input, low, high):
    return forward_is_between(F, input, low, high)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return forward_isclose(F, input, other, rtol, atol, equal_nan)


def isfinite(input):
    return forward_isfinite(xp, input)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    return forward_isin(xp, elements, test_elements, assume_unique=assume_unique, invert=invert)


def isinf(input):
    return forward_isinf(xp, input)


def isnan(input):
    return forward_isnan(xp, input)


def isneginf(input):
    return forward_isneginf(xp, input)


def isposinf(input):
    return forward_isposinf(xp, input)


def isreal(input):
    return forward_isreal(xp, input)


def iterate(input):
    return forward_iterate(F, input)


def joined(tensors, dim=0):
    return forward_joined(xp, tensors, dim)


def kept_mask(input, p, by_channel):
    return forward_kept_mask(xp, input, p, by_channel)


def kl_div(input, target, reduction='mean', *, log_target=False):
    return forward_kl_div(F, input, target, reduction, log_target=log_target)


def kron(input, other):
    return forward_kron(F, input, other)


def kthvalue(input, k, dim=-1, keepdim=False):
    return forward_kthvalue(xp, input, k, dim, keepdim)


def l1_loss(input, target, reduction='mean'):
    return forward_l1_loss(F, input, target, reduction)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    return forward_layer_norm(F, input, normalized_shape, weight, bias, eps, cudnn_enable)


def lcm(input, other):
    return forward_lcm(xp, input, other)


def ldexp(input, other):
    return forward_ldexp(xp, input, other)


def le(input, other):
    return forward_le(xp, input, other)


def leaky_relu(input, negative_slope=0.01):
    return forward_leaky_relu(xp, input, negative_slope)


def left_shift_by(input, other):
    return forward_left_shift_by(F, input, other)


def lerp(input, end, weight):
    return forward_lerp(F, input, end, weight)


def lerp_by_number(input, end, weight):
    return forward_lerp_by_number(xp, input, end, weight)


def lerp_by_tensor(input, end, weight):
    return forward_lerp_by_tensor(xp, input, end, weight)


def lgamma(input):
    return forward_lgamma(xp, input)


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


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', ignore_index=None, label_smoothing=0.0, options=None):
    return forward_linear_cross_entropy(F, input, linear_weight, target, linear_bias=linear_bias, weight=weight, reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing, options=options)


def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    return forward_local_response_norm(F, input, size, alpha, beta, k)


def log(input):
    return forward_log(xp, input)


def log10(input):
    return forward_log10(xp, input)


def log1p(input):
    return forward_log1p(xp, input)


def log2(input):
    return forward_log2(xp, input)


def log_softmax(input, dim, dtype=None):
    return forward_log_softmax(xp, input, dim, dtype)


def logaddexp(input, other):
    return forward_logaddexp(xp, input, other)


def logaddexp2(input, other):
    return forward_logaddexp2(xp, input, other)


def logcumsumexp(input, dim):
    return forward_logcumsumexp(xp, input, dim)


def logical_and(input, other):
    return forward_logical_and(xp, input, other)


def logical_not(input):
    return forward_logical_not(xp, input)


def logical_or(input, other):
    return forward_logical_or(xp, input, other)


def logical_xor(input, other):
    return forward_logical_xor(xp, input, other)


def logistic_loss(input, target, weight, pos_weight, reduction):
    return forward_logistic_loss(xp, input, target, weight, pos_weight, reduction)


def logit(input, eps=None):
    return forward_logit(xp, input, eps)


def logsigmoid(input):
    return forward_logsigmoid(xp, input)


def logsumexp(input, dim, keepdim=False):
    return forward_logsumexp(xp, input, dim, keepdim)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return forward_lp_pool1d(F, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return forward_lp_pool2d(F, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return forward_lp_pool3d(F, input, norm_type, kernel_size, stride, ceil_mode)


def lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False):
    return forward_lstm(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return forward_lstm_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)


def lstm_layer(input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse):
    return forward_lstm_layer(xp, input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse)


def lt(input, other):
    return forward_lt(xp, input, other)


def mH(input):
    return forward_mH(F, input)


def mT(input):
    return forward_mT(F, input)


def margin_losses(input, target, weight, p, margin, reduction):
    return forward_margin_losses(xp, input, target, weight, p, margin, reduction)


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction='mean'):
    return forward_margin_ranking_loss(F, input1, input2, target, margin, reduction)


def margin_slopes(input, target, weight, p, margin):
    return forward_margin_slopes(xp, input, target, weight, p, margin)


def masked_fill(input, mask, value):
    return forward_masked_fill(F, input, mask, value)


def masked_scatter(input, mask, source):
    return forward_masked_scatter(xp, input, mask, source)


def masked_select(input, mask):
    return forward_masked_select(xp, input, mask)


def masked_source(input, mask, shape):
    return forward_masked_source(xp, input, mask, shape)


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


def max_unpool(input, indices, output_size):
    return forward_max_unpool(xp, input, indices, output_size)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return forward_max_unpool1d(F, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return forward_max_unpool2d(F, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return forward_max_unpool3d(F, input, indices, kernel_size, stride, padding, output_size)


def maximum(input, other):
    return forward_maximum(xp, input, other)


def mean(input, dim=None, keepdim=False, *, dtype=None):
    return forward_mean(xp, input, dim, keepdim, dtype=dtype)


def median(input, dim=None, keepdim=False):
    return forward_median(F, input, dim, keepdim)


def median_all(input):
    return forward_median_all(xp, input)


def median_dim(input, dim, keepdim=False):
    return forward_median_dim(xp, input, dim, keepdim)


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
    return forward_minimum(xp, input, other)


def mish(input):
    return forward_mish(xp, input)


def mm(input, mat2):
    return forward_mm(xp, input, mat2)


def mode(input, dim=-1, keepdim=False):
    return forward_mode(xp, input, dim, keepdim)


def modulus(input):
    return forward_modulus(xp, input)


def movedim(input, source, destination):
    return forward_movedim(F, input, source, destination)


def mse_loss(input, target, reduction='mean'):
    return forward_mse_loss(xp, input, target, reduction)


def msort(input):
    return forward_msort(F, input)


def mul(input, other):
    return forward_mul(xp, input, other)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction='mean'):
    return forward_multi_margin_loss(F, input, target, p, margin, weight, reduction)


def multilabel_margin(input, target, reduction):
    return forward_multilabel_margin(xp, input, target, reduction)


def multilabel_margin_loss(input, target, reduction='mean'):
    return forward_multilabel_margin_loss(F, input, target, reduction)


def multilabel_slopes(input, target):
    return forward_multilabel_slopes(xp, input, target)


def mv(input, vec):
    return forward_mv(xp, input, vec)


def mvlgamma(input, p):
    return forward_mvlgamma(xp, input, p)


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    return forward_nan_to_num(xp, input, nan, posinf, neginf)


def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    return forward_nanmean(F, input, dim, keepdim, dtype=dtype)


def nanmedian(input, dim=None, keepdim=False):
    return forward_nanmedian(F, input, dim, keepdim)


def nanmedian_all(input):
    return forward_nanmedian_all(xp, input)


def nanmedian_dim(input, dim, keepdim=False):
    return forward_nanmedian_dim(xp, input, dim, keepdim)


def nanquantile(input, q, dim=None, keepdim=False, *, interpolation='linear'):
    return forward_nanquantile(F, input, q, dim, keepdim, interpolation=interpolation)


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    return forward_nansum(xp, input, dim, keepdim, dtype=dtype)


def narrow(input, dim, start, length):
    return forward_narrow(F, input, dim, start, length)


def narrow_copy(input, dim, start, length):
    return forward_narrow_copy(F, input, dim, start, length)


def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    return forward_native_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps)


def native_batch_normalization(input, weight, bias, running_mean, running_var, training, momentum, eps, statistics):
    return forward_native_batch_normalization(xp, input, weight, bias, running_mean, running_var, training, momentum, eps, statistics)


def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    return forward_native_group_norm(F, input, weight, bias, N, C, HxW, group, eps)


def native_group_normalization(input, num_groups, weight, bias, eps, statistics):
    return forward_native_group_normalization(xp, input, num_groups, weight, bias, eps, statistics)


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    return forward_native_layer_norm(F, input, normalized_shape, weight, bias, eps)


def native_layer_normalization(input, normalized_shape, weight, bias, eps, statistics):
    return forward_native_layer_normalization(xp, input, normalized_shape, weight, bias, eps, statistics)


def ne(input, other):
    return forward_ne(xp, input, other)


def neg(input):
    return forward_neg(xp, input)


def negative_log_likelihood(input, target, weight, ignore_index, reduction):
    return forward_negative_log_likelihood(xp, input, target, weight, ignore_index, reduction)


def new_zeros_of(input, shape):
    return forward_new_zeros_of(xp, input, shape)


def nextafter(input, other):
    return forward_nextafter(xp, input, other)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean'):
    return forward_nll_loss(F, input, target, weight, ignore_index, reduction)


def nonzero(input, *, as_tuple=False):
    return forward_nonzero(F, input, as_tuple=as_tuple)


def nonzero_rows(input):
    return forward_nonzero_rows(xp, input)


def nonzero_static(input, *, size, fill_value=-1):
    return forward_nonzero_static(F, input, size=size, fill_value=fill_value)


def norm(input, p='fro', dim=None, keepdim=False, out=None, dtype=None):
    return forward_norm(F, input, p, dim, keepdim, out, dtype)


def norm_of_rows(input, p, keepdim):
    return forward_norm_of_rows(xp, input, p, keepdim)


def norm_of_tensor(input, p='fro', dim=None, keepdim=False, dtype=None):
    return forward_norm_of_tensor(F, input, p, dim, keepdim, dtype)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return forward_normalize(F, input, p, dim, eps)


def normalized(input, mean, scale, layout):
    return forward_normalized(xp, input, mean, scale, layout)


def normalized_gradient(grad, input, mean, scale, layout):
    return forward_normalized_gradient(xp, grad, input, mean, scale, layout)


def normalized_weight(grad, input, mean, scale, layout, per_feature):
    return forward_normalized_weight(xp, grad, input, mean, scale, layout, per_feature)


def on_diagonal(input, shape):
    return forward_on_diagonal(xp, input, shape)


def one_hot(tensor, num_classes=-1):
    return forward_one_hot(F, tensor, num_classes)


def only_row(input):
    return forward_only_row(xp, input)


def outer(input, vec2):
    return forward_outer(F, input, vec2)


def pad(input, pad, mode='constant', value=None):
    return forward_pad(F, input, pad, mode, value)


def padding_transposed(grad, shape, padding, mode):
    return forward_padding_transposed(xp, grad, shape, padding, mode)


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    return forward_pairwise_distance(F, x1, x2, p, eps, keepdim)


def pdist(input, p=2.0):
    return forward_pdist(xp, input, p)


def permute(input, dims):
    return forward_permute(xp, input, dims)


def permute_copy(input, dims):
    return forward_permute_copy(F, input, dims)


def permute_variadic(input, *order, dims=None):
    return forward_permute_variadic(F, input, *order, dims=dims)


def placed(input, shape, path):
    return forward_placed(xp, input, shape, path)


def placed_at(input, shape, indices):
    return forward_placed_at(xp, input, shape, indices)


def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    return forward_poisson_nll_loss(F, input, target, log_input, full, eps, reduction)


def polar(abs, angle):
    return forward_polar(xp, abs, angle)


def polygamma(n, input):
    return forward_polygamma(F, n, input)


def positive(input):
    return forward_positive(F, input)


def pow(input, exponent):
    return forward_pow(xp, input, exponent)


def power_of(input, other):
    return forward_power_of(F, input, other)


def prelu(input, weight):
    return forward_prelu(F, input, weight)


def prelu_kernel(input, weight):
    return forward_prelu_kernel(xp, input, weight)


def present(node, g):
    return forward_present(F, node, g)


def prod(input, dim=None, keepdim=False, *, dtype=None):
    return forward_prod(xp, input, dim, keepdim, dtype=dtype)


def products_of_others(input, dim):
    return forward_products_of_others(F, input, dim)


def put(input, index, source, accumulate=False):
    return forward_put(xp, input, index, source, accumulate)


def put_indices(input, indices, values, accumulate=False):
    return forward_put_indices(xp, input, indices, values, accumulate)


def put_pooled(grad, indices, shape, dims):
    return forward_put_pooled(xp, grad, indices, shape, dims)


def putitem(input, shape, index):
    return forward_putitem(xp, input, shape, index)


def quantile(input, q, dim=None, keepdim=False, *, interpolation='linear'):
    return forward_quantile(F, input, q, dim, keepdim, interpolation=interpolation)


def rad2deg(input):
    return forward_rad2deg(xp, input)


def ravel(input):
    return forward_ravel(F, input)


def real(input):
    return forward_real(F, input)


def reciprocal(input):
    return forward_reciprocal(xp, input)


def recurrence(input, factor, dim, backwards=False):
    return forward_recurrence(xp, input, factor, dim, backwards)


def reflection_pad(input, padding):
    return forward_reflection_pad(xp, input, padding)


def relu(input):
    return forward_relu(xp, input)


def relu6(input):
    return forward_relu6(F, input)


def remainder(input, other):
    return forward_remainder(xp, input, other)


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


def replication_pad(input, padding):
    return forward_replication_pad(xp, input, padding)


def resample(input, size, kind, align_corners, factors):
    return forward_resample(xp, input, size, kind, align_corners, factors)


def resample_transposed(grad, shape, size, kind, align_corners, factors):
    return forward_resample_transposed(xp, grad, shape, size, kind, align_corners, factors)


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


def rewritten(input, src, path, view):
    return forward_rewritten(xp, input, src, path, view)


def right_shift_by(input, other):
    return forward_right_shift_by(F, input, other)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    return forward_rms_norm(F, input, normalized_shape, weight, eps)


def rnn_layer(relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
    return forward_rnn_layer(xp, relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse)


def rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False):
    return forward_rnn_relu(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return forward_rnn_relu_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)


def rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False):
    return forward_rnn_tanh(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return forward_rnn_tanh_cell(F, input, hx, w_ih, w_hh, b_ih, b_hh)


def roll(input, shifts, dims=()):
    return forward_roll(xp, input, shifts, dims)


def rot90(input, k=1, dims=(0, 1)):
    return forward_rot90(xp, input, k, dims)


def round(input, *, decimals=0):
    return forward_round(xp, input, decimals=decimals)


def rounded_divide(input, other, rounding_mode):
    return forward_rounded_divide(xp, input, other, rounding_mode)


def rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    return forward_rrelu(F, input, lower, upper, training, generator)


def rrelu_with_noise(input, noise, lower, upper, training):
    return forward_rrelu_with_noise(xp, input, noise, lower, upper, training)


def rsqrt(input):
    return forward_rsqrt(xp, input)


def rsub(input, other, *, alpha=1):
    return forward_rsub(xp, input, other, alpha=alpha)


def safe_softmax(input, dim):
    return forward_safe_softmax(xp, input, dim)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    return forward_scaled_dot_product_attention(F, query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


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


def search(sorted_sequence, values, right=False, kind=None):
    return forward_search(xp, sorted_sequence, values, right, kind)


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    return forward_searchsorted(F, sorted_sequence, input, out_int32=out_int32, right=right, side=side, sorter=sorter)


def select(input, dim, index):
    return forward_select(xp, input, dim, index)


def select_copy(input, dim, index):
    return forward_select_copy(F, input, dim, index)


def select_scatter(input, src, dim, index):
    return forward_select_scatter(F, input, src, dim, index)


def selu(input):
    return forward_selu(F, input)


def setitem(input, index, value):
    return forward_setitem(F, input, index, value)


def sgn(input):
    return forward_sgn(xp, input)


def shifted(input, dim, step, fill):
    return forward_shifted(xp, input, dim, step, fill)


def sigmoid(input):
    return forward_sigmoid(xp, input)


def sign(input):
    return forward_sign(xp, input)


def signbit(input):
    return forward_signbit(xp, input)


def silu(input):
    return forward_silu(xp, input)


def sin(input):
    return forward_sin(xp, input)


def sinc(input):
    return forward_sinc(xp, input)


def sinh(input):
    return forward_sinh(xp, input)


def slice_copy(input, dim=0, start=None, end=None, step=1):
    return forward_slice_copy(F, input, dim, start, end, step)


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    return forward_slice_scatter(F, input, src, dim, start, end, step)


def slice_view(input, dim, start, end, step):
    return forward_slice_view(xp, input, dim, start, end, step)


def slope_of_power(input, exponent):
    return forward_slope_of_power(F, input, exponent)


def smooth_absolute(input, target, reduction, beta):
    return forward_smooth_absolute(xp, input, target, reduction, beta)


def smooth_l1_loss(input, target, reduction='mean', beta=1.0):
    return forward_smooth_l1_loss(F, input, target, reduction, beta)


def soft_margin(input, target, reduction):
    return forward_soft_margin(xp, input, target, reduction)


def soft_margin_loss(input, target, reduction='mean'):
    return forward_soft_margin_loss(F, input, target, reduction)


def softmax(input, dim, dtype=None):
    return forward_softmax(xp, input, dim, dtype)


def softmin(input, dim, dtype=None):
    return forward_softmin(F, input, dim, dtype)


def softplus(input, beta=1.0, threshold=20.0):
    return forward_softplus(xp, input, beta, threshold)


def softshrink(input, lambd=0.5):
    return forward_softshrink(xp, input, lambd)


def softsign(input):
    return forward_softsign(F, input)


def sort(input, dim=-1, descending=False, *, stable=None):
    return forward_sort(xp, input, dim, descending, stable=stable)


def split(tensor, split_size_or_sections, dim=0):
    return forward_split(F, tensor, split_size_or_sections, dim)


def split_copy(input, split_size, dim=0):
    return forward_split_copy(F, input, split_size, dim)


def split_evenly(input, split_size, dim=0):
    return forward_split_evenly(xp, input, split_size, dim)


def split_of_size(tensor, split_size, dim=0):
    return forward_split_of_size(F, tensor, split_size, dim)


def split_with_sizes(input, split_sizes, dim=0):
    return forward_split_with_sizes(xp, input, split_sizes, dim)


def split_with_sizes_copy(input, split_sizes, dim=0):
    return forward_split_with_sizes_copy(F, input, split_sizes, dim)


def spread_over_classes(grad, target, weight, shape, ignore_index, reduction):
    return forward_spread_over_classes(xp, grad, target, weight, shape, ignore_index, reduction)


def sqrt(input):
    return forward_sqrt(xp, input)


def square(input):
    return forward_square(F, input)


def squeeze(input, dim=None):
    return forward_squeeze(xp, input, dim)


def squeeze_copy(input, dim=None):
    return forward_squeeze_copy(F, input, dim)


def stack(tensors, dim=0):
    return forward_stack(F, tensors, dim)


def stacked(tensors, dim=0):
    return forward_stacked(xp, tensors, dim)


def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return forward_std(xp, input, dim, unbiased, keepdim, correction=correction)


def std_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return forward_std_mean(xp, input, dim, unbiased, keepdim, correction=correction)


def step(input, values):
    return forward_step(xp, input, values)


def strided_copy(input, size, stride, offset, strides):
    return forward_strided_copy(xp, input, size, stride, offset, strides)


def strided_transpose(input, shape, size, stride, offset, strides):
    return forward_strided_transpose(xp, input, shape, size, stride, offset, strides)


def sub(input, other, *, alpha=1):
    return forward_sub(xp, input, other, alpha=alpha)


def sum(input, dim=None, keepdim=False, *, dtype=None):
    return forward_sum(xp, input, dim, keepdim, dtype=dtype)


def sum_to_size(input, *size):
    return forward_sum_to_size(F, input, *size)


def sum_to_size_of(input, shape):
    return forward_sum_to_size_of(xp, input, shape)


def t(input):
    return forward_t(xp, input)


def t_copy(input):
    return forward_t_copy(F, input)


def take(input, index):
    return forward_take(xp, input, index)


def take_along_dim(input, indices, dim=None):
    return forward_take_along_dim(F, input, indices, dim)


def take_pooled(input, indices, dims):
    return forward_take_pooled(xp, input, indices, dims)


def tan(input):
    return forward_tan(xp, input)


def tanh(input):
    return forward_tanh(xp, input)


def tanhshrink(input):
    return forward_tanhshrink(F, input)


def tensor_split(input, indices_or_sections, dim=0):
    return forward_tensor_split(F, input, indices_or_sections, dim)


def tensordot(a, b, dims=2):
    return forward_tensordot(F, a, b, dims)


def threshold(input, threshold, value):
    return forward_threshold(xp, input, threshold, value)


def tile(input, dims):
    return forward_tile(F, input, dims)


def tile_variadic(input, *counts, dims=None):
    return forward_tile_variadic(F, input, *counts, dims=dims)


def to_copy(input, kind=None, place=None):
    return forward_to_copy(xp, input, kind, place)


def topk(input, k, dim=-1, largest=True, sorted=True):
    return forward_topk(xp, input, k, dim, largest, sorted)


def trace(input):
    return forward_trace(xp, input)


def transpose(input, dim0, dim1):
    return forward_transpose(xp, input, dim0, dim1)


def transpose_copy(input, dim0, dim1):
    return forward_transpose_copy(F, input, dim0, dim1)


def trapezoid(y, x=None, *, dx=1, dim=-1):
    return forward_trapezoid(F, y, x, dx=dx, dim=dim)


def tril(input, diagonal=0):
    return forward_tril(xp, input, diagonal)


def tril_indices(row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    return forward_tril_indices(F, row, col, offset, dtype=dtype, device=device, layout=layout, requires_grad=requires_grad, pin_memory=pin_memory)


def triu(input, diagonal=0):
    return forward_triu(xp, input, diagonal)


def triu_indices(row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    return forward_triu_indices(F, row, col, offset, dtype=dtype, device=device, layout=layout, requires_grad=requires_grad, pin_memory=pin_memory)


def true_divide(input, other):
    return forward_true_divide(xp, input, other)


def trunc(input):
    return forward_trunc(xp, input)


def unbind(input, dim=0):
    return forward_unbind(xp, input, dim)


def unbind_copy(input, dim=0):
    return forward_unbind_copy(F, input, dim)


def unflatten(input, dim, sizes):
    return forward_unflatten(F, input, dim, sizes)


def unfold_copy(input, dimension, size, step):
    return forward_unfold_copy(F, input, dimension, size, step)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    return forward_unique(F, input, sorted, return_inverse, return_counts, dim)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    return forward_unique_consecutive(F, input, return_inverse, return_counts, dim)


def unique_runs(input, dim=None):
    return forward_unique_runs(xp, input, dim)


def unique_with_places(input, dim=None):
    return forward_unique_with_places(xp, input, dim)


def unravel_index(indices, shape):
    return forward_unravel_index(F, indices, shape)


def unsafe_chunk(input, chunks, dim=0):
    return forward_unsafe_chunk(F, input, chunks, dim)


def unsafe_split(tensor, split_size, dim=0):
    return forward_unsafe_split(xp, tensor, split_size, dim)


def unsafe_split_with_sizes(input, split_sizes, dim=0):
    return forward_unsafe_split_with_sizes(xp, input, split_sizes, dim)


def unsafe_view(input, size):
    return forward_unsafe_view(xp, input, size)


def unsqueeze(input, dim):
    return forward_unsqueeze(xp, input, dim)


def unsqueeze_copy(input, dim):
    return forward_unsqueeze_copy(F, input, dim)


def upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None):
    return forward_upsample(F, input, size, scale_factor, mode, align_corners)


def upsample_bilinear(input, size=None, scale_factor=None):
    return forward_upsample_bilinear(F, input, size, scale_factor)


def upsample_nearest(input, size=None, scale_factor=None):
    return forward_upsample_nearest(F, input, size, scale_factor)


def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return forward_var(xp, input, dim, unbiased, keepdim, correction=correction)


def var_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return forward_var_mean(xp, input, dim, unbiased, keepdim, correction=correction)


def vdot(input, other):
    return forward_vdot(xp, input, other)


def view(input, size):
    return forward_view(xp, input, size)


def view_as(input, other):
    return forward_view_as(F, input, other)


def view_as_complex(input):
    return forward_view_as_complex(xp, input)


def view_as_complex_copy(input):
    return forward_view_as_complex_copy(F, input)


def view_as_real(input):
    return forward_view_as_real(xp, input)


def view_as_real_copy(input):
    return forward_view_as_real_copy(F, input)


def view_copy(input, size=None, dtype=None):
    return forward_view_copy(F, input, size, dtype)


def view_dtype(input, kind):
    return forward_view_dtype(xp, input, kind)


def view_variadic(input, *sizes, size=None, dtype=None):
    return forward_view_variadic(F, input, *sizes, size=size, dtype=dtype)


def vsplit(input, indices_or_sections):
    return forward_vsplit(F, input, indices_or_sections)


def vsplit_variadic(input, *indices_or_sections):
    return forward_vsplit_variadic(F, input, *indices_or_sections)


def vstack(tensors):
    return forward_vstack(F, tensors)


def weighted_binary_cross_entropy(input, target, weight, reduction):
    return forward_weighted_binary_cross_entropy(xp, input, target, weight, reduction)


def where(condition, input=None, other=None):
    return forward_where(F, condition, input, other)


def where_of_input(input, condition, other):
    return forward_where_of_input(F, input, condition, other)


def windows(input, dimension, size, step):
    return forward_windows(xp, input, dimension, size, step)


def write_view(base, value, path):
    return forward_write_view(xp, base, value, path)


def xlogy(input, other):
    return forward_xlogy(xp, input, other)


def zero_(input):
    return forward_zero_(F, input)


def zeroed(input):
    return forward_zeroed(xp, input)


def zeros_of(input):
    return forward_zeros_of(F, input)
