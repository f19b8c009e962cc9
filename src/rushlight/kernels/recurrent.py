"""LSTM, GRU and Elman layers, forward and backward. float32.

Parallel over sequences of the batch: a job takes some of them through all steps. Rows are steps of sequences, packed as
in `arrays.recurrent`: step `t`, in processing order, has `counts[t]` rows from `starts[t]` on. Weights are packed in
panels (columns / COLUMNS, depth, COLUMNS), the last zero-padded. With few sequences nearly all time is spent reading
the weight at each step: it is not packed, and each job takes some of its rows.
"""

from rushlight.kernels.elementary import sigmoid, tanh
from rushlight.kernels.gemm import few_rows
from rushlight.kernels.gemm_packing import pack_turned
from rushlight.kernels.gemm_shapes import WORTH
from rushlight.kernels.gemm_tile import COLUMNS, ROWS, tile_product
from rushlight.kernels.vectors import LANES, load_some, select, store_some
from rushlight.lower.language import offset
from rushlight.lower.native import boolean, float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for


@native
def multiply(
    a: pointer(float32), panels: pointer(float32), out: pointer(float32), rows: int64, depth: int64, columns: int64,
    add: boolean,
):  # fmt: skip
    """Computes out (rows, columns) = or += a (rows, depth) times the matrix in panels."""
    for column in range(0, columns, COLUMNS):
        for row in range(0, rows, ROWS):
            tile_product(
                depth, offset(a, row * depth), depth, 1, offset(panels, column * depth), COLUMNS,
                offset(out, row * columns + column), columns, rows - row, columns - column, add,
            )  # fmt: skip


@native
def multiply_few(
    states: pointer(float32), weight: pointer(float32), out: pointer(float32), rows: int64, size: int64,
    columns: int64, add: boolean,
):  # fmt: skip
    """Computes out (rows, columns) = or += states (rows, size) times a transposed weight; parallel over the weight's
    rows.
    """
    vectors = (columns + LANES - 1) // LANES
    grain = max(1, WORTH // (rows * size * LANES))
    parallel_for(multiply_lines, vectors, grain, states, weight, out, rows, size, columns, add)


@native
def multiply_lines(
    states: pointer(float32), weight: pointer(float32), out: pointer(float32), rows: int64, size: int64,
    columns: int64, add: boolean, first: int64, last: int64,
):  # fmt: skip
    before, right = pointer(float32)(0), min(columns, last * LANES)
    if add:
        before = out
    few_rows(states, size, weight, size, before, columns, out, columns, rows, size, first * LANES, right)


# ---- forward


@native
def activate(gates: pointer(float32), bias: pointer(float32), at: int64, size: int64):
    gate, bias = offset(gates, at), offset(bias, at)
    for j in range(0, size, LANES):
        some = size - j
        store_some(gate, j, sigmoid(load_some(gate, j, 0, some) + load_some(bias, j, 0, some)), some)


@native
def activate_plain(gates: pointer(float32), bias: pointer(float32), at: int64, size: int64):
    gate, bias = offset(gates, at), offset(bias, at)
    for j in range(0, size, LANES):
        some = size - j
        store_some(gate, j, tanh(load_some(gate, j, 0, some) + load_some(bias, j, 0, some)), some)


@native
def update_state(
    i: pointer(float32), hidden: pointer(float32), cell: pointer(float32), output: pointer(float32),
    cells: pointer(float32), size: int64,
):  # fmt: skip
    f, g, o = offset(i, size), offset(i, 2 * size), offset(i, 3 * size)
    for j in range(0, size, LANES):
        some = size - j
        kept = load_some(f, j, 0, some) * load_some(cell, j, 0, some)
        c = kept + load_some(i, j, 0, some) * load_some(g, j, 0, some)
        h = load_some(o, j, 0, some) * tanh(c)
        store_some(cell, j, c, some)
        store_some(cells, j, c, some)
        store_some(hidden, j, h, some)
        store_some(output, j, h, some)


@native(bare=True)
def lstm(
    gates: pointer(float32), weight: pointer(float32), panels: pointer(float32), bias: pointer(float32),
    hidden: pointer(float32), cell: pointer(float32), output: pointer(float32), cells: pointer(float32),
    starts: pointer(int64), counts: pointer(int64), steps: int64, batch: int64, size: int64,
):  # fmt: skip
    """Computes an LSTM; `gates` begins as the inputs' part and ends as the activated gates of all steps.

    `panels` is workspace for the transposed weight.
    """
    pack_turned(weight, size, panels, size, size, 4 * size, COLUMNS)
    parallel_for(
        lstm_rows, batch, ROWS, gates, panels, bias, hidden, cell, output, cells, starts, counts, steps, size
    )  # fmt: skip


@native
def lstm_rows(
    gates: pointer(float32), panels: pointer(float32), bias: pointer(float32), hidden: pointer(float32),
    cell: pointer(float32), output: pointer(float32), cells: pointer(float32), starts: pointer(int64),
    counts: pointer(int64), steps: int64, size: int64, first: int64, last: int64,
):  # fmt: skip
    for time in range(steps):
        stop, now = min(last, counts[time]), starts[time]
        if stop > first:
            step_gates = offset(gates, (now + first) * 4 * size)
            multiply(offset(hidden, first * size), panels, step_gates, stop - first, size, 4 * size, True)
            lstm_rows_once(gates, bias, hidden, cell, output, cells, now, size, first, stop)


@native
def lstm_rows_once(
    gates: pointer(float32), bias: pointer(float32), hidden: pointer(float32), cell: pointer(float32),
    output: pointer(float32), cells: pointer(float32), now: int64, size: int64, first: int64, last: int64,
):  # fmt: skip
    """Computes the rows of one step: the gates i, f, g, o in place, then c = f c + i g and h = o tanh(c)."""
    for row in range(first, last):
        at, state = (now + row) * size, row * size
        row_gates = offset(gates, 4 * at)
        # Not in order: if a gate ends within a vector, loads of its neighbour would wait for its last store.
        activate(row_gates, bias, 0, size)
        activate_plain(row_gates, bias, 2 * size, size)
        activate(row_gates, bias, size, size)
        activate(row_gates, bias, 3 * size, size)
        update_state(row_gates, offset(hidden, state), offset(cell, state), offset(output, at), offset(cells, at), size)


@native(bare=True)
def lstm_of_few(
    gates: pointer(float32), weight: pointer(float32), bias: pointer(float32), hidden: pointer(float32),
    cell: pointer(float32), output: pointer(float32), cells: pointer(float32), starts: pointer(int64),
    counts: pointer(int64), steps: int64, size: int64, known: boolean,
):  # fmt: skip
    """Computes an LSTM of few sequences, or one step of any; `known` if `gates` includes the states' part."""
    for time in range(steps):
        now, rows = starts[time], counts[time]
        if not known:
            multiply_few(hidden, weight, offset(gates, now * 4 * size), rows, size, 4 * size, True)
        parallel_for(lstm_rows_once, rows, ROWS, gates, bias, hidden, cell, output, cells, now, size)


# ---- backward


@native
def lstm_row_backward(
    gates: pointer(float32), cells: pointer(float32), begun: pointer(float32), of_output: pointer(float32),
    of_hidden: pointer(float32), of_cell: pointer(float32), slopes: pointer(float32), size: int64,
):  # fmt: skip
    """Computes one row: the gradients of the gates before activation; `of_cell` becomes that of the previous step."""
    i, f, g, o = gates, offset(gates, size), offset(gates, 2 * size), offset(gates, 3 * size)
    of_i, of_f, of_g = slopes, offset(slopes, size), offset(slopes, 2 * size)
    of_o = offset(slopes, 3 * size)
    lstm_gates_backward(i, f, g, o, cells, begun, of_output, of_hidden, of_cell, of_i, of_f, of_g, of_o, size)


@native
def lstm_gates_backward(
    i: pointer(float32), f: pointer(float32), g: pointer(float32), o: pointer(float32), cells: pointer(float32),
    begun: pointer(float32), of_output: pointer(float32), of_hidden: pointer(float32), of_cell: pointer(float32),
    of_i: pointer(float32), of_f: pointer(float32), of_g: pointer(float32), of_o: pointer(float32), size: int64,
):  # fmt: skip
    for j in range(0, size, LANES):
        some = size - j
        i_now, f_now, g_now = load_some(i, j, 0, some), load_some(f, j, 0, some), load_some(g, j, 0, some)
        o_now, t = load_some(o, j, 0, some), tanh(load_some(cells, j, 0, some))
        pull = load_some(of_output, j, 0, some) + load_some(of_hidden, j, 0, some)
        c = load_some(of_cell, j, 0, some) + pull * o_now * (1.0 - t * t)
        store_some(of_i, j, c * g_now * i_now * (1.0 - i_now), some)
        store_some(of_f, j, c * load_some(begun, j, 0, some) * f_now * (1.0 - f_now), some)
        store_some(of_g, j, c * i_now * (1.0 - g_now * g_now), some)
        store_some(of_o, j, pull * t * o_now * (1.0 - o_now), some)
        store_some(of_cell, j, c * f_now, some)


@native(bare=True)
def lstm_backward(
    gates: pointer(float32), cells: pointer(float32), begun: pointer(float32), panels: pointer(float32),
    of_output: pointer(float32), of_hidden: pointer(float32), of_cell: pointer(float32), slopes: pointer(float32),
    starts: pointer(int64), counts: pointer(int64), steps: int64, batch: int64, size: int64,
):  # fmt: skip
    """Backpropagates through time; `of_hidden` and `of_cell` end as the gradients of the initial states."""
    parallel_for(
        backward_rows, batch, ROWS, gates, cells, begun, panels, of_output, of_hidden, of_cell, slopes, starts, counts,
        steps, size,
    )  # fmt: skip


@native
def backward_rows(
    gates: pointer(float32), cells: pointer(float32), begun: pointer(float32), panels: pointer(float32),
    of_output: pointer(float32), of_hidden: pointer(float32), of_cell: pointer(float32), slopes: pointer(float32),
    starts: pointer(int64), counts: pointer(int64), steps: int64, size: int64, first: int64, last: int64,
):  # fmt: skip
    for time in range(steps - 1, -1, -1):
        rows = min(last, counts[time]) - first
        if rows > 0:
            now = starts[time] + first
            for row in range(rows):
                lstm_row_backward(
                    offset(gates, (now + row) * 4 * size), offset(cells, (now + row) * size),
                    offset(begun, (now + row) * size), offset(of_output, (now + row) * size),
                    offset(of_hidden, (first + row) * size), offset(of_cell, (first + row) * size),
                    offset(slopes, (now + row) * 4 * size), size,
                )  # fmt: skip
            gate_grad = offset(slopes, now * 4 * size)
            multiply(gate_grad, panels, offset(of_hidden, first * size), rows, 4 * size, size, False)


# ---- gated recurrent units


@native(bare=True)
def gru(
    gates: pointer(float32), weight: pointer(float32), panels: pointer(float32), bias: pointer(float32),
    hidden: pointer(float32), output: pointer(float32), recalled: pointer(float32), own: pointer(float32),
    starts: pointer(int64), counts: pointer(int64), steps: int64, batch: int64, size: int64,
):  # fmt: skip
    """Computes a GRU; `gates` begins as the inputs' part and ends as the activated gates r, z, n of all steps.

    `panels` is workspace for the transposed weight, `own` (batch, 3 size) for the states' part. `bias` holds those of
    r, z and n, then that of the states' part of n.
    """
    pack_turned(weight, size, panels, size, size, 3 * size, COLUMNS)
    parallel_for(
        gru_rows, batch, ROWS, gates, panels, bias, hidden, output, recalled, own, starts, counts, steps, size
    )  # fmt: skip


@native
def gru_rows(
    gates: pointer(float32), panels: pointer(float32), bias: pointer(float32), hidden: pointer(float32),
    output: pointer(float32), recalled: pointer(float32), own: pointer(float32), starts: pointer(int64),
    counts: pointer(int64), steps: int64, size: int64, first: int64, last: int64,
):  # fmt: skip
    for time in range(steps):
        stop, state_part = min(last, counts[time]), offset(own, first * 3 * size)
        if stop > first:
            multiply(offset(hidden, first * size), panels, state_part, stop - first, size, 3 * size, False)
            gru_rows_once(gates, own, bias, hidden, output, recalled, starts[time], size, first, stop)


@native
def gru_rows_once(
    gates: pointer(float32), own: pointer(float32), bias: pointer(float32), hidden: pointer(float32),
    output: pointer(float32), recalled: pointer(float32), now: int64, size: int64, first: int64, last: int64,
):  # fmt: skip
    for row in range(first, last):
        at = (now + row) * size
        gru_step(
            offset(gates, 3 * at), offset(own, row * 3 * size), bias, offset(hidden, row * size), offset(output, at),
            offset(recalled, at), size,
        )  # fmt: skip


@native(bare=True)
def gru_of_few(
    gates: pointer(float32), weight: pointer(float32), bias: pointer(float32), hidden: pointer(float32),
    output: pointer(float32), recalled: pointer(float32), own: pointer(float32), starts: pointer(int64),
    counts: pointer(int64), steps: int64, size: int64, known: boolean,
):  # fmt: skip
    """Computes a GRU of few sequences, or one step of any; `known` if `own` holds the states' part."""
    for time in range(steps):
        now, rows = starts[time], counts[time]
        if not known:
            multiply_few(hidden, weight, own, rows, size, 3 * size, False)
        parallel_for(gru_rows_once, rows, ROWS, gates, own, bias, hidden, output, recalled, now, size)


@native
def gru_step(
    gates: pointer(float32), own: pointer(float32), bias: pointer(float32), hidden: pointer(float32),
    output: pointer(float32), recalled: pointer(float32), size: int64,
):  # fmt: skip
    """Computes one row: r and z, then n = tanh(x + r own) and h = n + z (h - n)."""
    for gate in range(2):
        activate_sum(offset(gates, gate * size), offset(own, gate * size), offset(bias, gate * size), size)
    n, own_n, bias_n, bias_own = (
        offset(gates, 2 * size),
        offset(own, 2 * size),
        offset(bias, 2 * size),
        offset(bias, 3 * size),
    )
    gru_update(gates, offset(gates, size), n, own_n, bias_n, bias_own, hidden, output, recalled, size)


@native
def activate_sum(gate: pointer(float32), own: pointer(float32), bias: pointer(float32), size: int64):
    for j in range(0, size, LANES):
        some = size - j
        total = load_some(gate, j, 0, some) + load_some(own, j, 0, some)
        store_some(gate, j, sigmoid(total + load_some(bias, j, 0, some)), some)


@native
def gru_update(
    r: pointer(float32), z: pointer(float32), n: pointer(float32), own: pointer(float32), bias: pointer(float32),
    bias_own: pointer(float32), hidden: pointer(float32), output: pointer(float32), recalled: pointer(float32),
    size: int64,
):  # fmt: skip
    for j in range(0, size, LANES):
        some = size - j
        state_part = load_some(own, j, 0, some) + load_some(bias_own, j, 0, some)
        sum = load_some(n, j, 0, some) + load_some(bias, j, 0, some)
        new = tanh(sum + load_some(r, j, 0, some) * state_part)
        h = new + load_some(z, j, 0, some) * (load_some(hidden, j, 0, some) - new)
        store_some(recalled, j, state_part, some)
        store_some(n, j, new, some)
        store_some(hidden, j, h, some)
        store_some(output, j, h, some)


@native(bare=True)
def gru_backward(
    gates: pointer(float32), recalled: pointer(float32), states: pointer(float32), panels: pointer(float32),
    of_output: pointer(float32), of_hidden: pointer(float32), input_grad: pointer(float32),
    state_grad: pointer(float32), starts: pointer(int64), counts: pointer(int64), steps: int64, batch: int64,
    size: int64,
):  # fmt: skip
    """Backpropagates through time; `states` are those at the start of each step; `of_hidden` ends as the initial
    states' gradient.
    """
    parallel_for(
        gru_backward_rows, batch, ROWS, gates, recalled, states, panels, of_output, of_hidden, input_grad, state_grad,
        starts, counts, steps, size,
    )  # fmt: skip


@native
def gru_backward_rows(
    gates: pointer(float32), recalled: pointer(float32), states: pointer(float32), panels: pointer(float32),
    of_output: pointer(float32), of_hidden: pointer(float32), input_grad: pointer(float32),
    state_grads: pointer(float32), starts: pointer(int64), counts: pointer(int64), steps: int64, size: int64,
    first: int64, last: int64,
):  # fmt: skip
    for time in range(steps - 1, -1, -1):
        rows = min(last, counts[time]) - first
        if rows > 0:
            now = starts[time] + first
            for row in range(rows):
                at = (now + row) * size
                of_r, own_r = offset(input_grad, 3 * at), offset(state_grads, 3 * at)
                gru_row_backward(
                    offset(gates, 3 * at), offset(gates, 3 * at + size), offset(gates, 3 * at + 2 * size),
                    offset(recalled, at), offset(states, at), offset(of_output, at),
                    offset(of_hidden, (first + row) * size), of_r, offset(of_r, size), offset(of_r, 2 * size), own_r,
                    offset(own_r, size), offset(own_r, 2 * size), size,
                )  # fmt: skip
            state_grad = offset(state_grads, now * 3 * size)
            multiply(state_grad, panels, offset(of_hidden, first * size), rows, 3 * size, size, True)


@native
def gru_row_backward(
    r: pointer(float32), z: pointer(float32), n: pointer(float32), recalled: pointer(float32),
    states: pointer(float32), of_output: pointer(float32), of_hidden: pointer(float32), of_r: pointer(float32),
    of_z: pointer(float32), of_n: pointer(float32), own_r: pointer(float32), own_z: pointer(float32),
    own_n: pointer(float32), size: int64,
):  # fmt: skip
    """Computes one row: gradients of both parts of the gates; `of_hidden` is passed on through z."""
    for j in range(0, size, LANES):
        some = size - j
        r_now, z_now, n_now = load_some(r, j, 0, some), load_some(z, j, 0, some), load_some(n, j, 0, some)
        pull = load_some(of_output, j, 0, some) + load_some(of_hidden, j, 0, some)
        to_n = pull * (1.0 - z_now) * (1.0 - n_now * n_now)
        to_r = to_n * load_some(recalled, j, 0, some) * r_now * (1.0 - r_now)
        to_z = pull * (load_some(states, j, 0, some) - n_now) * z_now * (1.0 - z_now)
        store_some(of_r, j, to_r, some)
        store_some(own_r, j, to_r, some)
        store_some(of_z, j, to_z, some)
        store_some(own_z, j, to_z, some)
        store_some(of_n, j, to_n, some)
        store_some(own_n, j, to_n * r_now, some)
        store_some(of_hidden, j, pull * z_now, some)


# ---- Elman networks


@native(bare=True)
def rnn_backward(
    output: pointer(float32), panels: pointer(float32), of_output: pointer(float32), of_hidden: pointer(float32),
    slopes: pointer(float32), relu: boolean, starts: pointer(int64), counts: pointer(int64), steps: int64,
    batch: int64, size: int64,
):  # fmt: skip
    """Backpropagates through time; `of_hidden` ends as the initial states' gradient."""
    parallel_for(
        rnn_backward_rows, batch, ROWS, output, panels, of_output, of_hidden, slopes, relu, starts, counts, steps, size
    )  # fmt: skip


@native
def rnn_backward_rows(
    output: pointer(float32), panels: pointer(float32), of_output: pointer(float32), of_hidden: pointer(float32),
    slopes: pointer(float32), relu: boolean, starts: pointer(int64), counts: pointer(int64), steps: int64, size: int64,
    first: int64, last: int64,
):  # fmt: skip
    for time in range(steps - 1, -1, -1):
        rows = min(last, counts[time]) - first
        if rows > 0:
            at, state = (starts[time] + first) * size, offset(of_hidden, first * size)
            rnn_rows_backward(offset(output, at), offset(of_output, at), state, offset(slopes, at), relu, rows * size)
            multiply(offset(slopes, at), panels, state, rows, size, size, False)


@native
def rnn_rows_backward(
    output: pointer(float32), of_output: pointer(float32), of_hidden: pointer(float32), slopes: pointer(float32),
    relu: boolean, count: int64,
):  # fmt: skip
    for j in range(0, count, LANES):
        some = count - j
        value, total = (
            load_some(output, j, 0, some),
            load_some(of_output, j, 0, some) + load_some(of_hidden, j, 0, some),
        )
        if relu:
            store_some(slopes, j, select(value <= 0.0, 0.0, total), some)
        else:
            store_some(slopes, j, total * (1.0 - value * value), some)
