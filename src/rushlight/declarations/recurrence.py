"""One recurrent layer in one direction: Elman network, long short-term memory, gated recurrent unit.

Each layer is one primitive, so that the product with the whole sequence, and each gradient of a weight, is one matrix
product. Sequences are packed: rows are the first step of each sequence, then the second, ...; `times` are the rows of
each step. The derivative goes back through time. It uses what `forward` kept; if it is differentiated again
(`create_graph=True`) `..._recomputed` computes that again from the inputs, by operations that have derivatives.
https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import BOOL, INTEGER
from rushlight.core.tensor import Tensor
from rushlight.declarations.batches import fronts, into_channels, out_of_channels
from rushlight.declarations.checks.recurrence import check_products, check_rnn_dtype
from rushlight.declarations.declare import face, op
from rushlight.declarations.dtype_rules import is_complex, refusal, unimplemented
from rushlight.declarations.orders import is_last_order_on_cpu

# ---- sequences


def time_steps(sizes, reverse) -> list[slice]:
    """Returns the rows of each time step, `sizes` long, in the order of computation."""
    times = [slice(start, stop) for start, stop in pairwise(accumulate(sizes, initial=0))]
    return times[::-1] if reverse else times


def states_before(F, states, initial, times):
    """Returns the state before each step: the state after the previous step, or the initial one."""
    count = initial.shape[0]
    if times and states.shape[0] == count * len(times):  # all sequences are of one length
        shifted = (states[count:], initial) if times[0].start else (initial, states[: len(states) - count])
        return F.cat(list(shifted))
    pairs, last = [], slice(0, 0)
    for rows in times:
        count = rows.stop - rows.start
        begun = min(count, last.stop - last.start)
        pairs.append((states[last.start : last.start + begun], initial[begun:count]))
        last = rows
    return F.cat([part for pair in in_row_order(pairs, times) for part in pair if part.shape[0]] or [initial[:0]])


def in_row_order(steps: list, times) -> list:
    """Returns values of steps, in the order of computation, in the order of rows."""
    return steps[::-1] if times[0].start else steps


def replace_first(F, states, now):
    """Returns `states` with the first rows replaced by those of one step; sequences that ended keep theirs."""
    count = now.shape[0]
    return now if count == states.shape[0] else F.cat([now, states[count:]])


def split_gates(value, count: int) -> list:
    """Returns `count` equal parts of a matrix, side by side."""
    size = value.shape[-1] // count
    return [value[:, at * size : (at + 1) * size] for at in range(count)]


def interleaved(F, b, **operands) -> list:
    """Returns sequences or states of a batch as those of one: each row of a sample beside those of the others."""
    return [into_channels(F, value, value.shape[1], 0) for value in fronts(F, b, **operands)]


NO_PRODUCTS_OF_BOOLS = {BOOL: unimplemented("addmm_impl_cpu_")}
NO_INTEGERS = {INTEGER: refusal("result type Float can't be cast to the desired output type Long")}

# ---- gradients that the three kinds of layer share


class Gradients(NamedTuple):
    """The gradients from which the derivatives follow; rows are steps."""

    gates: Any  # of the product of inputs and weight_ih
    recalled: Any  # of the product of states and weight_hh
    begun: Any  # the states before the steps
    hidden: Any
    cell: Any = None
    output: Any = None  # of the outputs, and the states that weight_hr projects to them
    projected: Any = None


def input_gradient(F, common, weight_ih):
    """The gradient of the sequence."""
    return F.mm(common.gates, F.conj(weight_ih))


def weight_ih_gradient(F, common, input):
    """The gradient of the weight of the inputs."""
    return F.mm(F.t(common.gates), F.conj(input))


def weight_hh_gradient(F, common):
    """The gradient of the weight of the states."""
    return F.mm(F.t(common.recalled), common.begun)


def bias_ih_gradient(F, common):
    """The gradient of the bias of the inputs."""
    return F.sum(common.gates, 0)


def bias_hh_gradient(F, common):
    """The gradient of the bias of the states."""
    return F.sum(common.recalled, 0)


def hidden_gradient(F, common):
    """The gradient of the initial states."""
    return common.hidden


def conjugated(F, *values):
    """Returns the conjugates of complex values; real ones as they are."""
    return [each if each is None else F.conj(each) for each in values] if is_complex(values[0]) else values


def sum_of_biases(one, other):
    """Returns the sum of two biases; either may be None."""
    return one if other is None else other if one is None else one + other


# ---- long short-term memory


@op(internal=True, no_promotion=True)
class lstm_layer:
    """Outputs and last states of an LSTM in one direction; also gates and cells, for the derivative.

    Each step, with x, the state (h', c') before it and the four blocks of W, R and b (`lstm_step`):

        i, f, o = sigmoid(W x + R h' + b),  g = tanh(W x + R h' + b)
        c = f c' + i g
        h = P (o tanh(c)), P = weight_hr or the identity
    """

    returns = "output, last_hidden, last_cell, gates, cells"

    def forward(
        xp, input: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None, bias_hh: Tensor | None,
        weight_hr: Tensor | None, hidden: Tensor, cell: Tensor, sizes, reverse,
    ):  # fmt: skip
        check_products(input, weight_ih, hidden, weight_hh, bias_ih, bias_hh)
        bias, times = sum_of_biases(bias_ih, bias_hh), time_steps(sizes, reverse)
        return xp.lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times)

    def shape(input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse):
        shapes = (hidden.shape[1], None, None, weight_ih.shape[0], cell.shape[1])
        steps = [MetaArray((input.shape[0], size), input.dtype) for size in shapes if size is not None]
        return steps[0], *(MetaArray(each.shape, each.dtype) for each in (hidden, cell)), *steps[1:]

    def common(
        F, g_output, g_last_hidden, g_last_cell, input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden,
        cell, output, gates, cells, sizes, reverse,
    ):  # fmt: skip
        times = time_steps(sizes, reverse)
        is_last = is_last_order_on_cpu(
            output, g_output, g_last_hidden, g_last_cell, input, weight_ih, weight_hh, weight_hr
        )
        if not is_last:
            bias = sum_of_biases(bias_ih, bias_hh)
            output, gates, cells = lstm_recomputed(F, input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times)
        begun = states_before(F, output, hidden, times), states_before(F, cells, cell, times)
        weight_hh, weight_hr, gates, cells, *begun = conjugated(F, weight_hh, weight_hr, gates, cells, *begun)
        args = g_output, g_last_hidden, g_last_cell, weight_hh, weight_hr, gates, cells, begun[1], times
        back = F.lstm_backward(*args) if is_last else lstm_gradients(F, *args)
        to_gates, to_hidden, to_cell, to_outputs = back
        projected = None if weight_hr is None else split_gates(gates, 4)[3] * F.tanh(cells)
        return Gradients(to_gates, to_gates, begun[0], to_hidden, to_cell, to_outputs, projected)

    d_input, d_weight_ih, d_weight_hh, d_bias_ih, d_bias_hh, d_hidden = (
        input_gradient, weight_ih_gradient, weight_hh_gradient, bias_ih_gradient, bias_hh_gradient, hidden_gradient
    )  # fmt: skip

    def d_weight_hr(F, common):
        return F.mm(F.t(common.output), common.projected)

    def d_cell(F, common):
        return common.cell

    def batch(F, b, input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse):
        if not b.batched <= {"input", "hidden", "cell"}:
            return NotImplemented
        input, hidden, cell = interleaved(F, b, input=input, hidden=hidden, cell=cell)
        sizes = [count * b.size for count in sizes]
        results = F.lstm_layer(input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse)
        return [out_of_channels(F, each, each.shape[0] // b.size, 0, b.size) for each in results]


face(lstm_layer, refuses=NO_PRODUCTS_OF_BOOLS | NO_INTEGERS)


def lstm_step(F, sums, cell, weight_hr):
    """Returns h, c and the gates of one step, from `sums` = W x + R h' + b and c' = `cell`."""
    i, f, g, o = split_gates(sums, 4)
    i, f, g, o = F.sigmoid(i), F.sigmoid(f), F.tanh(g), F.sigmoid(o)
    c = f * cell + i * g
    h = o * F.tanh(c)
    return h if weight_hr is None else F.mm(h, F.t(weight_hr)), c, F.cat((i, f, g, o), 1)


def lstm_recomputed(F, input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times):
    """Returns what `forward` kept of each step, with a graph."""
    from_input = F.linear(input, weight_ih, bias)
    outputs, gates, cells = [], [], []
    for rows in times:
        count = rows.stop - rows.start
        sums = from_input[rows] + F.mm(hidden[:count], F.t(weight_hh))
        h, c, activated = lstm_step(F, sums, cell[:count], weight_hr)
        outputs.append(h)
        cells.append(c)
        gates.append(activated)
        hidden, cell = replace_first(F, hidden, h), replace_first(F, cell, c)
    return [F.cat(in_row_order(steps, times)) for steps in (outputs, gates, cells)]


def lstm_gradients(F, g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times):
    """Returns the gradients back through time, at the gates before activation, at h and c before all, and at outputs.

    For each step, last first: c = f c' + i g and h = o tanh(c), with c' = `begun`. Here d_x is the gradient of x, for
    gates that of the sum under sigmoid or tanh: sigmoid' = s (1 - s), tanh' = 1 - t^2.
    """
    to_gates, to_outputs = [], []
    for rows in reversed(times):
        count = rows.stop - rows.start
        i, f, g, o = split_gates(gates[rows], 4)
        t, c = F.tanh(cells[rows]), begun[rows]
        d_output = g_hidden[:count] + g_output[rows]
        d_h = d_output if weight_hr is None else F.mm(d_output, weight_hr)
        d_c = g_cell[:count] + d_h * o * (1 - t * t)
        d_i, d_f, d_g, d_o = d_c * g * i * (1 - i), d_c * c * f * (1 - f), d_c * i * (1 - g * g), d_h * t * o * (1 - o)
        to_gates.append(F.cat([d_i, d_f, d_g, d_o], 1))
        to_outputs.append(d_output)
        g_hidden, g_cell = replace_first(F, g_hidden, F.mm(to_gates[-1], weight_hh)), replace_first(F, g_cell, d_c * f)
    to_gates, to_outputs = (F.cat(in_row_order(steps, times[::-1])) for steps in (to_gates, to_outputs))
    return to_gates, g_hidden, g_cell, to_outputs


@op(internal=True)
class lstm_backward:
    """`lstm_gradients` on raw arrays, by a kernel."""

    returns = "to_gates, to_hidden, to_cell, to_outputs"

    def forward(
        xp, g_output: Tensor, g_hidden: Tensor, g_cell: Tensor, weight_hh: Tensor, weight_hr: Tensor | None,
        gates: Tensor, cells: Tensor, begun: Tensor, times,
    ):  # fmt: skip
        return xp.lstm_backward(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times)


# ---- gated recurrent units


@op(internal=True, no_promotion=True)
class gru_layer:
    """Outputs and last states of a GRU in one direction; also gates and `recalled`, for the derivative.

    Each step, with x, the state h' before it and the three blocks of W, R, b and d (`gru_step`):

        r, z = sigmoid(W x + b + R h' + d)
        n = tanh(W x + b + r * recalled), recalled = R h' + d
        h = n + z (h' - n)
    """

    returns = "output, last_hidden, gates, recalled"

    def forward(
        xp, input: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None, bias_hh: Tensor | None,
        hidden: Tensor, sizes, reverse,
    ):  # fmt: skip
        check_products(input, weight_ih, hidden, weight_hh, bias_ih, bias_hh)
        return xp.gru(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, time_steps(sizes, reverse))

    def shape(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
        output, gates, recalled = (
            MetaArray((input.shape[0], size), input.dtype)
            for size in (hidden.shape[1], weight_ih.shape[0], hidden.shape[1])
        )
        return output, MetaArray(hidden.shape, hidden.dtype), gates, recalled

    def common(
        F, g_output, g_last_hidden, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, output, gates, recalled,
        sizes, reverse,
    ):  # fmt: skip
        times = time_steps(sizes, reverse)
        is_last = is_last_order_on_cpu(output, g_output, g_last_hidden, input, weight_ih, weight_hh)
        if not is_last:
            output, gates, recalled = gru_recomputed(F, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times)
        states = states_before(F, output, hidden, times)
        gates, recalled, weight_hh, states = conjugated(F, gates, recalled, weight_hh, states)
        args = g_output, g_last_hidden, weight_hh, gates, recalled, states, times
        back = F.gru_backward(*args) if is_last else gru_gradients(F, *args)
        to_input_sums, to_hidden_sums, to_hidden = back
        return Gradients(to_input_sums, to_hidden_sums, states, to_hidden)

    d_input, d_weight_ih, d_weight_hh, d_bias_ih, d_bias_hh, d_hidden = (
        input_gradient, weight_ih_gradient, weight_hh_gradient, bias_ih_gradient, bias_hh_gradient, hidden_gradient
    )  # fmt: skip

    def batch(F, b, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
        if not b.batched <= {"input", "hidden"}:
            return NotImplemented
        input, hidden = interleaved(F, b, input=input, hidden=hidden)
        sizes = [count * b.size for count in sizes]
        results = F.gru_layer(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse)
        return [out_of_channels(F, each, each.shape[0] // b.size, 0, b.size) for each in results]


face(gru_layer, refuses=NO_PRODUCTS_OF_BOOLS | NO_INTEGERS)


def gru_step(F, input_sums, hidden_sums, hidden):
    """Returns h, the gates and `recalled` of one step, from W x + b, R h' + d and h' = `hidden`."""
    (x_r, x_z, x_n), (h_r, h_z, recalled) = split_gates(input_sums, 3), split_gates(hidden_sums, 3)
    r, z = F.sigmoid(x_r + h_r), F.sigmoid(x_z + h_z)
    n = F.tanh(x_n + r * recalled)
    return n + z * (hidden - n), F.cat([r, z, n], 1), recalled


def gru_recomputed(F, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times):
    """Returns what `forward` kept of each step, with a graph."""
    from_input = F.linear(input, weight_ih, bias_ih)
    outputs, gates, kept = [], [], []
    for rows in times:
        h = hidden[: rows.stop - rows.start]
        h, activated, recalled = gru_step(F, from_input[rows], F.linear(h, weight_hh, bias_hh), h)
        outputs.append(h)
        gates.append(activated)
        kept.append(recalled)
        hidden = replace_first(F, hidden, h)
    return [F.cat(in_row_order(steps, times)) for steps in (outputs, gates, kept)]


def gru_gradients(F, g_output, g_hidden, weight_hh, gates, recalled, states, times):
    """Returns the gradients back through time, at W x + b, at R h' + d, and at h before all steps.

    For each step, last first: h = (1 - z) n + z h', n = tanh(x_n + r * recalled), with h' = `states`. Here d_x is the
    gradient of x, for gates that of the sum under sigmoid or tanh.
    """
    to_input_sums, to_hidden_sums = [], []
    for rows in reversed(times):
        r, z, n = split_gates(gates[rows], 3)
        d_h = g_hidden[: rows.stop - rows.start] + g_output[rows]
        d_n = d_h * (1 - z) * (1 - n * n)
        d_r, d_z = d_n * recalled[rows] * r * (1 - r), d_h * (states[rows] - n) * z * (1 - z)
        to_input_sums.append(F.cat([d_r, d_z, d_n], 1))
        to_hidden_sums.append(F.cat([d_r, d_z, d_n * r], 1))
        g_hidden = replace_first(F, g_hidden, d_h * z + F.mm(to_hidden_sums[-1], weight_hh))
    return *(F.cat(in_row_order(steps, times[::-1])) for steps in (to_input_sums, to_hidden_sums)), g_hidden


@op(internal=True)
class gru_backward:
    """`gru_gradients` on raw arrays, by a kernel."""

    returns = "to_input_sums, to_hidden_sums, to_hidden"

    def forward(
        xp, g_output: Tensor, g_hidden: Tensor, weight_hh: Tensor, gates: Tensor, recalled: Tensor, states: Tensor,
        times,
    ):  # fmt: skip
        return xp.gru_backward(g_output, g_hidden, weight_hh, gates, recalled, states, times)


# ---- Elman networks


@op(internal=True, no_promotion=True)
class rnn_layer:
    """Outputs and last states of an Elman network in one direction.

    Each step, with x and the state h' before it (`rnn_step`): h = tanh(W x + R h' + b), or relu of that.
    """

    returns = "output, last_hidden"

    def forward(
        xp, relu, input: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None, bias_hh: Tensor | None,
        hidden: Tensor, sizes, reverse,
    ):  # fmt: skip
        check_products(input, weight_ih, hidden, weight_hh, bias_ih, bias_hh)
        check_rnn_dtype(relu, input)
        bias, times = sum_of_biases(bias_ih, bias_hh), time_steps(sizes, reverse)
        return xp.rnn(input, weight_ih, weight_hh, bias, hidden, relu, times)

    def shape(relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
        steps = MetaArray((input.shape[0], hidden.shape[1]), input.dtype)
        return steps, MetaArray(hidden.shape, hidden.dtype)

    def common(
        F, g_output, g_last_hidden, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, relu, output, sizes, reverse
    ):
        times = time_steps(sizes, reverse)
        is_last = is_last_order_on_cpu(output, g_output, g_last_hidden, input, weight_ih, weight_hh)
        if not is_last:
            bias = sum_of_biases(bias_ih, bias_hh)
            output = rnn_recomputed(F, input, weight_ih, weight_hh, bias, hidden, relu, times)
        states = states_before(F, output, hidden, times)
        kept, weight_hh, states = conjugated(F, output, weight_hh, states)
        args = g_output, g_last_hidden, weight_hh, kept, relu, times
        to_gates, to_hidden = F.rnn_backward(*args) if is_last else rnn_gradients(F, *args)
        return Gradients(to_gates, to_gates, states, to_hidden)

    d_input, d_weight_ih, d_weight_hh, d_bias_ih, d_bias_hh, d_hidden = (
        input_gradient, weight_ih_gradient, weight_hh_gradient, bias_ih_gradient, bias_hh_gradient, hidden_gradient
    )  # fmt: skip

    def batch(F, b, relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
        if not b.batched <= {"input", "hidden"}:
            return NotImplemented
        input, hidden = interleaved(F, b, input=input, hidden=hidden)
        sizes = [count * b.size for count in sizes]
        results = F.rnn_layer(relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse)
        return [out_of_channels(F, each, each.shape[0] // b.size, 0, b.size) for each in results]


face(rnn_layer, refuses=NO_PRODUCTS_OF_BOOLS)


def rnn_step(F, sums, relu):
    """Returns h of one step, from `sums` = W x + R h' + b."""
    return F.relu(sums) if relu else F.tanh(sums)


def rnn_recomputed(F, input, weight_ih, weight_hh, bias, hidden, relu, times):
    """Returns the outputs of `forward`, with a graph."""
    from_input, outputs = F.linear(input, weight_ih, bias), []
    for rows in times:
        h = rnn_step(F, from_input[rows] + F.mm(hidden[: rows.stop - rows.start], F.t(weight_hh)), relu)
        outputs.append(h)
        hidden = replace_first(F, hidden, h)
    return F.cat(in_row_order(outputs, times))


def rnn_gradients(F, g_output, g_hidden, weight_hh, output, relu, times):
    """Returns the gradients back through time, at W x + R h' + b and at h before all steps."""
    to_gates = []
    for rows in reversed(times):
        d_h, h = g_hidden[: rows.stop - rows.start] + g_output[rows], output[rows]
        to_gates.append(F.choose(h <= 0, 0, d_h) if relu else d_h * (1 - h * h))
        g_hidden = replace_first(F, g_hidden, F.mm(to_gates[-1], weight_hh))
    return F.cat(in_row_order(to_gates, times[::-1])), g_hidden


@op(internal=True)
class rnn_backward:
    """`rnn_gradients` on raw arrays, by a kernel."""

    returns = "to_gates, to_hidden"

    def forward(xp, g_output: Tensor, g_hidden: Tensor, weight_hh: Tensor, output: Tensor, relu, times):
        return xp.rnn_backward(g_output, g_hidden, weight_hh, output, relu, times)
