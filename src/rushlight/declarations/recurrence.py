"""One recurrent layer in one direction: Elman network, long short-term memory, gated recurrent unit.

Each is one primitive, so that the product with the whole sequence is one, and so is each weight's gradient. The
derivative goes back through time: on raw arrays with what `forward` has kept; on tensors, where it may be
differentiated again, with what `..._again` finds anew from the inputs by operations that have derivatives.
https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import BOOL, INTEGER
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks.recurrence import check_products, check_rnn_dtype
from rushlight.declarations.declare import face, op
from rushlight.declarations.dtype_rules import is_complex, refusal, unimplemented

# ---- sequences


def in_time(sizes, reverse) -> list[slice]:
    """The rows of each time step, of which there are `sizes`, in the order in which they are taken."""
    times = [slice(start, stop) for start, stop in pairwise(accumulate(sizes, initial=0))]
    return times[::-1] if reverse else times


def before(F, states, initial, times):
    """The state that each step began with: the one after the step before it, or the initial one."""
    count = initial.shape[0]
    if times and states.shape[0] == count * len(times):  # all sequences are of one length
        shifted = (states[count:], initial) if times[0].start else (initial, states[: len(states) - count])
        return F.cat(list(shifted))
    found, last = [], slice(0, 0)
    for rows in times:
        count = rows.stop - rows.start
        begun = min(count, last.stop - last.start)
        found.append((states[last.start : last.start + begun], initial[begun:count]))
        last = rows
    return F.cat([each for pair in in_rows(found, times) for each in pair if each.shape[0]] or [initial[:0]])


def in_rows(found: list, times) -> list:
    """What was found in the order of time, in the order of the rows."""
    return found[::-1] if times[0].start else found


def updated(F, states, now):
    """States of which the first ones are those of a time step now."""
    count = now.shape[0]
    return now if count == states.shape[0] else F.cat([now, states[count:]])


def parts(value, count: int) -> list:
    """A tensor cut into equal parts along its last dimension."""
    size = value.shape[-1] // count
    return [value[:, at * size : (at + 1) * size] for at in range(count)]


NO_PRODUCTS_OF_BOOLS = {BOOL: unimplemented("addmm_impl_cpu_")}
NO_WHOLE_NUMBERS = {INTEGER: refusal("result type Float can't be cast to the desired output type Long")}

# ---- what the three kinds of layer have in common


class Pull(NamedTuple):
    """The gradients that the derivatives are made of; rows are steps."""

    gates: Any  # at what the inputs gave to the gates
    recalled: Any  # at what the states gave to them
    begun: Any  # the states that the steps began with
    hidden: Any
    cell: Any = None
    output: Any = None  # at the outputs, and what was projected onto them
    exposed: Any = None


def of_input(F, common, weight_ih):
    """The gradient of the sequence."""
    return F.mm(common.gates, F.conj(weight_ih))


def of_weight_ih(F, common, input):
    """The gradient of the weight of the inputs."""
    return F.mm(F.t(common.gates), F.conj(input))


def of_weight_hh(F, common):
    """The gradient of the weight of the states."""
    return F.mm(F.t(common.recalled), common.begun)


def of_bias_ih(F, common):
    """The gradient of the bias of the inputs."""
    return F.sum(common.gates, 0)


def of_bias_hh(F, common):
    """The gradient of the bias of the states."""
    return F.sum(common.recalled, 0)


def of_hidden(F, common):
    """The gradient of the initial states."""
    return common.hidden


def conjugated(F, *values):
    """What derivatives are taken with: of complex numbers the conjugates."""
    return [each if each is None else F.conj(each) for each in values] if is_complex(values[0]) else values


def both(one, other):
    """The sum of two biases, neither of which need be there."""
    return one if other is None else other if one is None else one + other


# ---- long short-term memory


@op(internal=True, no_promotion=True)
class lstm_layer:
    """Outputs and last states of a layer in one direction; beside them what its derivative needs."""

    returns = "output, last_hidden, last_cell, gates, cells"

    def forward(
        xp, input: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None, bias_hh: Tensor | None,
        weight_hr: Tensor | None, hidden: Tensor, cell: Tensor, sizes, reverse,
    ):  # fmt: skip
        check_products(input, weight_ih, hidden, weight_hh, bias_ih, bias_hh)
        bias, times = both(bias_ih, bias_hh), in_time(sizes, reverse)
        return xp.lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times)

    def shape(input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden, cell, sizes, reverse):
        shapes = (hidden.shape[1], None, None, weight_ih.shape[0], cell.shape[1])
        steps = [MetaArray((input.shape[0], size), input.dtype) for size in shapes if size is not None]
        return steps[0], *(MetaArray(each.shape, each.dtype) for each in (hidden, cell)), *steps[1:]

    def common(
        F, g_output, g_last_hidden, g_last_cell, input, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, hidden,
        cell, output, gates, cells, sizes, reverse,
    ):  # fmt: skip
        times = in_time(sizes, reverse)
        if isinstance(output, Tensor):
            kept = input, weight_ih, weight_hh, both(bias_ih, bias_hh), weight_hr, hidden, cell, times
            output, gates, cells = lstm_again(F, *kept)
        begun = before(F, output, hidden, times), before(F, cells, cell, times)
        weight_hh, weight_hr, gates, cells, *begun = conjugated(F, weight_hh, weight_hr, gates, cells, *begun)
        given = g_output, g_last_hidden, g_last_cell, weight_hh, weight_hr, gates, cells, begun[1], times
        found = lstm_gradients(F, *given) if isinstance(output, Tensor) else F.lstm_backward(*given)
        slopes, g_hidden, g_cell, g_output = found
        exposed = None if weight_hr is None else parts(gates, 4)[3] * F.tanh(cells)
        return Pull(slopes, slopes, begun[0], g_hidden, g_cell, g_output, exposed)

    d_input, d_weight_ih, d_weight_hh, d_bias_ih, d_bias_hh, d_hidden = (
        of_input, of_weight_ih, of_weight_hh, of_bias_ih, of_bias_hh, of_hidden
    )  # fmt: skip

    def d_weight_hr(F, common):
        return F.mm(F.t(common.output), common.exposed)

    def d_cell(F, common):
        return common.cell


face(lstm_layer, refuses=NO_PRODUCTS_OF_BOOLS | NO_WHOLE_NUMBERS)


def lstm_again(F, input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times):
    """What `forward` returned of each step, with a graph."""
    given = F.linear(input, weight_ih, bias)
    outputs, gates, cells = [], [], []
    for rows in times:
        count = rows.stop - rows.start
        i, f, g, o = parts(given[rows] + F.mm(hidden[:count], F.t(weight_hh)), 4)
        now = F.sigmoid(i), F.sigmoid(f), F.tanh(g), F.sigmoid(o)
        cells.append(now[1] * cell[:count] + now[0] * now[2])
        gates.append(F.cat(now, 1))
        exposed = now[3] * F.tanh(cells[-1])
        outputs.append(exposed if weight_hr is None else F.mm(exposed, F.t(weight_hr)))
        hidden, cell = updated(F, hidden, outputs[-1]), updated(F, cell, cells[-1])
    return [F.cat(in_rows(each, times)) for each in (outputs, gates, cells)]


def lstm_gradients(F, g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times):
    """Back through time: c = f c' + i g, h = o tanh(c), for each step with the state c' that it began with."""
    slopes, pulls = [], []
    for rows in reversed(times):
        count = rows.stop - rows.start
        i, f, g, o = parts(gates[rows], 4)
        t, c = F.tanh(cells[rows]), begun[rows]
        pulls.append(g_hidden[:count] + g_output[rows])
        of_h = pulls[-1] if weight_hr is None else F.mm(pulls[-1], weight_hr)
        of_c = g_cell[:count] + of_h * o * (1 - t * t)
        of_i, of_f, of_g = of_c * g * i * (1 - i), of_c * c * f * (1 - f), of_c * i * (1 - g * g)
        slopes.append(F.cat([of_i, of_f, of_g, of_h * t * o * (1 - o)], 1))
        g_hidden, g_cell = updated(F, g_hidden, F.mm(slopes[-1], weight_hh)), updated(F, g_cell, of_c * f)
    slopes, pulls = (F.cat(in_rows(each, times[::-1])) for each in (slopes, pulls))
    return slopes, g_hidden, g_cell, pulls


@op(internal=True)
class lstm_backward:
    """`lstm_gradients`, as the kernel does it."""

    returns = "slopes, first_hidden, first_cell, pulls"

    def forward(
        xp, g_output: Tensor, g_hidden: Tensor, g_cell: Tensor, weight_hh: Tensor, weight_hr: Tensor | None,
        gates: Tensor, cells: Tensor, begun: Tensor, times,
    ):  # fmt: skip
        return xp.lstm_backward(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times)


# ---- gated recurrent units


@op(internal=True, no_promotion=True)
class gru_layer:
    """Outputs and last states of a layer in one direction; beside them what its derivative needs."""

    returns = "output, last_hidden, gates, recalled"

    def forward(
        xp, input: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None, bias_hh: Tensor | None,
        hidden: Tensor, sizes, reverse,
    ):  # fmt: skip
        check_products(input, weight_ih, hidden, weight_hh, bias_ih, bias_hh)
        return xp.gru(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, in_time(sizes, reverse))

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
        times = in_time(sizes, reverse)
        if isinstance(output, Tensor):
            output, gates, recalled = gru_again(F, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times)
        states = before(F, output, hidden, times)
        gates, recalled, weight_hh, states = conjugated(F, gates, recalled, weight_hh, states)
        kept = g_output, g_last_hidden, weight_hh, gates, recalled, states, times
        found = gru_gradients(F, *kept) if isinstance(output, Tensor) else F.gru_backward(*kept)
        return Pull(*found[:2], states, found[2])

    d_input, d_weight_ih, d_weight_hh, d_bias_ih, d_bias_hh, d_hidden = (
        of_input, of_weight_ih, of_weight_hh, of_bias_ih, of_bias_hh, of_hidden
    )  # fmt: skip


face(gru_layer, refuses=NO_PRODUCTS_OF_BOOLS | NO_WHOLE_NUMBERS)


def gru_again(F, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times):
    """What `forward` returned of each step, with a graph."""
    given = F.linear(input, weight_ih, bias_ih)
    outputs, gates, recalled = [], [], []
    for rows in times:
        h = hidden[: rows.stop - rows.start]
        own = parts(F.linear(h, weight_hh, bias_hh), 3)
        of_r, of_z, of_n = parts(given[rows], 3)
        r, z = F.sigmoid(of_r + own[0]), F.sigmoid(of_z + own[1])
        n = F.tanh(of_n + r * own[2])
        outputs.append(n + z * (h - n))
        gates.append(F.cat([r, z, n], 1))
        recalled.append(own[2])
        hidden = updated(F, hidden, outputs[-1])
    return [F.cat(in_rows(each, times)) for each in (outputs, gates, recalled)]


def gru_gradients(F, g_output, g_hidden, weight_hh, gates, recalled, states, times):
    """Back through time: h = (1 - z) n + z h', n = tanh(x + r own), for each step with its first state h'."""
    given, own = [], []
    for rows in reversed(times):
        r, z, n = parts(gates[rows], 3)
        pull = g_hidden[: rows.stop - rows.start] + g_output[rows]
        of_n = pull * (1 - z) * (1 - n * n)
        of_r, of_z = of_n * recalled[rows] * r * (1 - r), pull * (states[rows] - n) * z * (1 - z)
        given.append(F.cat([of_r, of_z, of_n], 1))
        own.append(F.cat([of_r, of_z, of_n * r], 1))
        g_hidden = updated(F, g_hidden, pull * z + F.mm(own[-1], weight_hh))
    return *(F.cat(in_rows(each, times[::-1])) for each in (given, own)), g_hidden


@op(internal=True)
class gru_backward:
    """`gru_gradients`, as the kernel does it."""

    returns = "given, own, first_hidden"

    def forward(
        xp, g_output: Tensor, g_hidden: Tensor, weight_hh: Tensor, gates: Tensor, recalled: Tensor, states: Tensor,
        times,
    ):  # fmt: skip
        return xp.gru_backward(g_output, g_hidden, weight_hh, gates, recalled, states, times)


# ---- Elman networks


@op(internal=True, no_promotion=True)
class rnn_layer:
    """Outputs and last states of a layer in one direction: the tanh, or the rectifier, of a linear map of both."""

    returns = "output, last_hidden"

    def forward(
        xp, relu, input: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None, bias_hh: Tensor | None,
        hidden: Tensor, sizes, reverse,
    ):  # fmt: skip
        check_products(input, weight_ih, hidden, weight_hh, bias_ih, bias_hh)
        check_rnn_dtype(relu, input)
        return xp.rnn(input, weight_ih, weight_hh, both(bias_ih, bias_hh), hidden, relu, in_time(sizes, reverse))

    def shape(relu, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, sizes, reverse):
        steps = MetaArray((input.shape[0], hidden.shape[1]), input.dtype)
        return steps, MetaArray(hidden.shape, hidden.dtype)

    def common(
        F, g_output, g_last_hidden, input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, relu, output, sizes, reverse
    ):
        times = in_time(sizes, reverse)
        if isinstance(output, Tensor):
            output = rnn_again(F, input, weight_ih, weight_hh, both(bias_ih, bias_hh), hidden, relu, times)
        states = before(F, output, hidden, times)
        kept, weight_hh, states = conjugated(F, output, weight_hh, states)
        given = g_output, g_last_hidden, weight_hh, kept, relu, times
        slopes, g_hidden = rnn_gradients(F, *given) if isinstance(output, Tensor) else F.rnn_backward(*given)
        return Pull(slopes, slopes, states, g_hidden)

    d_input, d_weight_ih, d_weight_hh, d_bias_ih, d_bias_hh, d_hidden = (
        of_input, of_weight_ih, of_weight_hh, of_bias_ih, of_bias_hh, of_hidden
    )  # fmt: skip


face(rnn_layer, refuses=NO_PRODUCTS_OF_BOOLS)


def rnn_again(F, input, weight_ih, weight_hh, bias, hidden, relu, times):
    """What `forward` returned of each step, with a graph."""
    given, outputs = F.linear(input, weight_ih, bias), []
    for rows in times:
        now = given[rows] + F.mm(hidden[: rows.stop - rows.start], F.t(weight_hh))
        outputs.append(F.relu(now) if relu else F.tanh(now))
        hidden = updated(F, hidden, outputs[-1])
    return F.cat(in_rows(outputs, times))


def rnn_gradients(F, g_output, g_hidden, weight_hh, output, relu, times):
    """Back through time."""
    slopes = []
    for rows in reversed(times):
        pull, h = g_hidden[: rows.stop - rows.start] + g_output[rows], output[rows]
        slopes.append(F.choose(h <= 0, 0, pull) if relu else pull * (1 - h * h))
        g_hidden = updated(F, g_hidden, F.mm(slopes[-1], weight_hh))
    return F.cat(in_rows(slopes, times[::-1])), g_hidden


@op(internal=True)
class rnn_backward:
    """`rnn_gradients`, as the kernel does it."""

    returns = "slopes, first_hidden"

    def forward(xp, g_output: Tensor, g_hidden: Tensor, weight_hh: Tensor, output: Tensor, relu, times):
        return xp.rnn_backward(g_output, g_hidden, weight_hh, output, relu, times)
