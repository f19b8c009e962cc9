"""How long the first use of a kernel takes: LLVM's time is proportional to the code.

Time depends on the load of the machine; the number of instructions after the passes does not. With O2's passes each
took 0.13 to 0.21 ms of CPU time, from text to object code; with explicit vectors 0.07 ms, without scalar loops 0.05 ms,
in formulas up to 0.13 ms, in tiles 0.04 ms. At the limits below a first use took up to 100 ms, with
explicit vectors 70, that of a formula 25, on a machine with 512-bit vectors, which have the longest code.
"""

import math

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight._generated.lazy_names import MODULE_OF
from rushlight.declarations import library
from rushlight.declarations.declare import OPS
from rushlight.kernels import (
    attention,
    batch_norm,
    batch_norm_columns,
    bit_shift,
    column_sum,
    concat,
    conv,
    conv_filter_grad,
    copies,
    ctc,
    depthwise,
    depthwise_planes,
    distances,
    extremes,
    gather,
    gemm_tile,
    grid_sample,
    group_norm,
    group_norm_columns,
    histogram,
    index_add,
    integer_division,
    loops,
    matmul,
    pad,
    pooling,
    random_fill,
    recurrent,
    reduce,
    reduce_calls,
    rejection,
    resample,
    scan,
    scatter,
    searchsorted,
    sort,
    winograd,
)
from rushlight.lower import elementwise, inner_loop, ir, llvm, pool, row_formulas, row_nest, row_nest_short, trace
from rushlight.lower.llvm import BARE, COLD, LIGHT, TILES, UNROLLED, host
from rushlight.lower.native import bfloat16, float32, float64, int64, module, uint8, uint32, uint64

MOST = {(): 260, LIGHT: 600, BARE: 1200, UNROLLED: 1400}
MOST_OF_TILES = 520  # four unrolled steps of the sum: 8 ms
MOST_OF_FORMULAS, MOST_NOT_OPTIMISED = 250, 400  # in one precision; 20 to 35 of them are a loop over rows, 1 ms
# With the code that joins their parts, and that gathers strided lines: 23 to 30 ms. Without masks, also with
# the code that writes some lanes of a vector, 28 instructions for each type.
MOST_OF_REDUCTIONS = 330 if host().masks else 330 + 28
MOST_OF_MOVEMENT = 440  # 10 to 30 ms

KERNELS = {
    "numbers where a mask is true": (copies.fill_all, uint32),
    "places among sorted numbers": (searchsorted.BEFORE, int64, float32),
    "positions that are looked at": (scatter.check_indices, int64),
    "attention": (attention.attend,),
    "attention with a bias": (attention.attention,),
    "the gradient of attention": (attention.attention_gradients,),
    "max pooling": (pooling.max_pool,),  # of windows at edges, and of inner ones with and without indices
    "bits moved to the left": (bit_shift.LEFT, uint8),
    "batch norm": (batch_norm.batch_normalized, float32),
    "the gradient of batch norm": (batch_norm.batch_normalized_gradients, float32),
    "batch norm of columns": (batch_norm_columns.columns_normalized, float32),
    "the gradient of batch norm of columns": (batch_norm_columns.columns_normalized_gradients, float32),
    "group norm": (group_norm.group_normalized, float32),
    "the gradient of group norm": (group_norm.group_normalized_gradients, float32),
    "group norm of columns": (group_norm_columns.group_columns_normalized, float32),
    "the gradient of group norm of columns": (group_norm_columns.group_columns_gradients, float32),
    "LSTM": (recurrent.lstm,),
    "the gradient of an LSTM": (recurrent.lstm_backward,),
    "GRU": (recurrent.gru,),
    "the gradient of a GRU": (recurrent.gru_backward,),
    "the gradient of an Elman network": (recurrent.rnn_backward,),
    "a product": (matmul.multiply,),
    "Winograd's convolution": (winograd.CONVOLVE[0],),
    "Winograd's convolution of short rows": (winograd.CONVOLVE[1],),
    "the gradient of its kernel": (winograd.CONVOLVE_WEIGHT[0],),
    "the gradient of its kernel, short rows": (winograd.CONVOLVE_WEIGHT[1],),
    "any convolution": (conv.convolve,),
    "the gradient of its kernel, any": (conv.convolve_weight,),
    "the gradient of two filters": (conv_filter_grad.dots.plain,),
    "the gradient of one filter": (conv_filter_grad.dots_of_one.plain,),
    "depthwise convolution of channels that come last": (depthwise.convolve,),
    "depthwise convolution of channels that come first": (depthwise_planes.convolve,),
    "the gradient of its kernel, channel by channel": (depthwise.convolve_weight,),
    "copies of blocks": (copies.in_blocks, uint32),
    "copies of blocks of bytes": (copies.in_blocks, uint8),
    "copies of blocks past the caches": (copies.in_blocks_past_caches, uint64),
    "what is behind all ufuncs": (loops.run,),
    "memory that is not contiguous": (loops.in_blocks.plain,),
}
REDUCTIONS = {
    "sums of lines": (reduce.REDUCTIONS["sum"][0], float32, float32),
    "sums of columns": (reduce.REDUCTIONS["sum"][1], float32, float32),
    "squares of short rows": (reduce.REDUCTIONS["squares"][reduce_calls.SHORT], float32, float32),
    "squares of lines": (reduce.REDUCTIONS["squares"][0], float64, float64),
    "largest of columns": (reduce.REDUCTIONS["amax"][1], float32, bfloat16),
    "sums over rows": (column_sum.feature_sums, float32, float32),
    "positions that are not zero": (histogram.store_all, uint8),
    "positions of extremes in lines": (extremes.EXTREMES[True][0], float32),
    "positions of extremes in columns": (extremes.EXTREMES[True][1], float32),
}
MOVEMENT = {
    "the gradient of max pooling": (pooling.max_pool_input,),
    "cumulative sums of lines": (scan.KERNELS["running_sum"][0][0], float32, float32, float64),
    "cumulative sums of columns": (scan.KERNELS["running_sum"][0][1], float32, float32, float64),
    "cumulative sums of many lines": (scan.KERNELS["running_sum"][1],),
    "copies of rows": (copies.all_rows, uint32),
    "running extremes": (scan.all_largest, float32),
    "sorting": (sort.sort_lines, float32, uint32),
    "gather": (gather.gather_all, uint32, int64),
    "rows of a table": (gather.take_all, uint32, int64),
    "what is added by an index": (gather.add_all, float32, int64),
    "slices that are added": (index_add.add_all_slices, float32, int64),
    "what is combined by an index": (scatter.COMBINED["amax"], float32, int64),
    "what is enclosed": (pad.enclose, uint32),
    "slices that are combined": (index_add.COMBINED["amax"], float32, int64),
    "slices that are written": (index_add.write_all_slices, uint32, int64),
    "maps dimension by dimension": (resample.map_rows, float32),
    "histogram": (histogram.count_in_bins, float32),
    "runs of equal numbers": (histogram.join_runs, int64),
    "Poisson numbers": (rejection.poisson_all,),
    "paths of labels": (ctc.all_prefixes,),
    "normal numbers in float64": (random_fill.all_wide_groups,),
    "pairs of normal numbers in float64": (random_fill.all_pairs,),
    "gamma numbers": (rejection.gamma_all, float32),
    "binomial numbers": (rejection.binomial_all, float32),
    "quotients of whole numbers": (integer_division.KERNELS["floor_divide"], int64),
    "what quotients of whole numbers leave": (integer_division.KERNELS["fmod"], int64),
    "distances": (distances.KERNELS[2], float32),
    "distances by the largest difference": (distances.KERNELS[math.inf], float32),
    "slopes of distances by the largest difference": (distances.SLOPES[math.inf], float32),
    "what is above a diagonal": (distances.all_above, uint32),
    "recurrences along lines": (scan.all_recurring_lines, float32),
    "recurrences along columns": (scan.all_recurring_columns, float32),
    "casts of rows that lie apart": (copies.cast_all_rows, bfloat16, float32),
    "max pooling of quarters": (pooling.max_pool_two_by_two,),
    "many arrays one behind the other": (concat.join,),
    "casts": (copies.cast_all, bfloat16, float32),
    "triangles": (copies.triangle_all, uint32),
    "the best few": (sort.best_of_all, float64, uint64),
    "what is written by an index": (gather.scatter_all, uint64, int64),
    "rows that are added": (index_add.add_to_row_parts, float64),
    "sums of rows of a table": (index_add.add_all_scaled, float32),
    "maps of the last dimension": (resample.map_elements, float64),
    "maps of images whose channels come last": (resample.map_images, float32),
    "max pooling of boxes": (pooling.max_of_boxes,),
    "totals of parts": (scan.total_parts, float64, float32),
    "random words": (random_fill.blocks_after,),
    "normal numbers": (random_fill.all_groups,),
    "uniform numbers": (random_fill.all_uniforms,),
    "permutations": (random_fill.shuffle,),
    "images read between pixels": (grid_sample.sample_all,),
    "the gradient of layer norm": (column_sum.feature_gradients, float32, float32),
}
OF_TWO = ("atan2", "floor_divide", "fmod", "hypot", "logaddexp", "power", "remainder", "xlogy")
MOST_OF_ROWS = 280  # 15 to 25 ms
MOST_OF_SHORT_ROWS = 450  # compiled faster: most of them move one element to or from its lane, of 16 at most
OVER_ROWS = {
    "softmax": ("element",),
    "log_softmax": ("element",),
    "logsumexp": ("element",),
    "layer_normalized": ("element", "number", "number", "place", "place"),
    "normalized_gradient": ("element", "element", "row", "row", "number", "place"),
}
FORMULAS = sorted({x.__name__ for x in trace.ELEMENTARY} - {"polygamma"} | set(OF_TWO))


def instructions(text, passes) -> int:
    """Returns the number of instructions after the passes."""
    functions = host().optimised(text, passes).functions
    return sum(
        len(list(block.instructions))
        for function in functions
        if not any(b"optnone" in attribute for attribute in function.attributes)
        for block in function.blocks
    )


@pytest.mark.parametrize("name", [*KERNELS, *REDUCTIONS])
def test_a_first_use_is_short(name):
    kernel, *types = (KERNELS | REDUCTIONS)[name]
    most = MOST_OF_REDUCTIONS if name in REDUCTIONS else MOST[kernel.passes]
    assert instructions(kernel.written(tuple(types)).text, kernel.passes) < most


def test_the_code_of_the_thread_pool_is_short():
    together = module([pool.parallel_for, pool.worker, pool.wake, pool.wait], {}, called=True)
    assert instructions(together.text, COLD) < MOST_NOT_OPTIMISED


@pytest.mark.parametrize("name", MOVEMENT)
def test_data_movement_kernels_are_short(name):
    kernel, *types = MOVEMENT[name]
    assert kernel.passes == LIGHT
    assert instructions(kernel.written(tuple(types)).text, kernel.passes) < MOST_OF_MOVEMENT


@pytest.mark.parametrize("symbol", gemm_tile.TILES_BY_NAME)
def test_tiles_that_all_layers_call_are_short(symbol):
    assert instructions(gemm_tile.text(symbol), TILES) < MOST_OF_TILES


@pytest.mark.skipif(not host().fit, reason="there are no kernels for this machine")
@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_short(name, type):
    arguments = [elementwise.Argument(x, elementwise.ARRAY) for x in ("a", "b")[: 1 + (name in OF_TWO)]]
    plan, _ = elementwise.planned(elementwise.function_of(name), arguments, type)
    assert instructions(inner_loop.module(plan.operands, plan.computed, set()), llvm.FORMULA) < MOST_OF_FORMULAS


@pytest.mark.parametrize("type", ["float", "double"])
def test_calls_of_formulas_are_not_inlined(type):
    """The derivative of mvlgamma in three dimensions is three calls of one digamma kernel."""
    library.load(MODULE_OF["mvlgamma"])
    formula = elementwise.derivatives_of(OPS["mvlgamma"], ["input"])
    arguments = [elementwise.Argument(x, elementwise.ARRAY) for x in ("g", "input")]
    elementwise.planned(formula, [*arguments, elementwise.Argument("p", elementwise.FIXED, 1)], type)
    with pytest.raises(ir.Untraceable, match="a formula of .* steps"):
        elementwise.planned(formula, [*arguments, elementwise.Argument("p", elementwise.FIXED, 3)], type)


@pytest.mark.skipif(not host().fit, reason="there are no kernels for this machine")
def test_unused_precisions_are_not_compiled(monkeypatch):
    made, compiled = [], inner_loop.compiled
    monkeypatch.setattr(inner_loop, "compiled", lambda *args: made.append(args[1][0].type) or compiled(*args))
    log_of_sum = elementwise.Kernels("logaddexp", elementwise.function_of("logaddexp")).of_arrays(("a", "b"))
    assert not made
    for dtype, type in ((np.float32, "float"), (np.float64, "double")):
        made.clear()
        x = np.linspace(-3, 3, 700).reshape(7, 100).astype(dtype)
        np.testing.assert_allclose(log_of_sum(x, x), x + np.log(2).astype(dtype), rtol=1e-6)
        log_of_sum(np.tile(x, (9, 1)), x[0])
        assert made == [type]


@pytest.mark.skipif(not host().fit, reason="there are no kernels for this machine")
@pytest.mark.parametrize("type", ["float", "double"])
@pytest.mark.parametrize("name", OVER_ROWS)
def test_formulas_over_rows_are_short_with_both_kinds_of_stores(name, type):
    made = ir.Trace()
    operands = {made.operand(number, type): kind for number, kind in enumerate(OVER_ROWS[name])}
    nest = row_nest.Nest(operands, getattr(row_formulas, name)(*operands))
    assert instructions(row_nest.module(nest), llvm.FORMULA) < MOST_OF_ROWS
    assert instructions(row_nest_short.module(nest), llvm.FORMULA) < MOST_OF_SHORT_ROWS
