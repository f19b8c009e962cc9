"""Networks of recurrent layers, and single steps of them: `torch.lstm`, `torch.gru_cell`, ...

A network is layers on top of each other, each in one direction or in both.
https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

from functools import partial

from rushlight.declarations.checks.recurrent import check_lstm_states, check_rank, refuse_cell
from rushlight.declarations.declare import composite, face
from rushlight.declarations.shapes import length

# ---- networks


class Network:
    """The arguments of one of PyTorch's two calls: (input, hx, params, ...) or (data, batch_sizes, hx, params, ...)."""

    def __init__(self, F, name, arguments):
        self.packed = not isinstance(arguments[3], (bool, int))
        input, *rest = arguments
        batch_sizes = rest.pop(0) if self.packed else None
        hx, self.params, self.biased, self.layers, self.p, self.train, bidirectional, *rest = rest
        if type(self.layers) is bool or type(self.train) is not bool:
            raise TypeError("a number of layers is no truth, and a truth no number")  # PyTorch's message is made for it
        self.states = list(hx) if name == "lstm" else [hx]
        self.directions = 1 + bool(bidirectional)
        self.batch_first = bool(rest and rest[0])
        if name == "lstm" and len(self.states) != 2:
            raise RuntimeError("lstm expects two hidden states")
        self.data, self.sizes = self._cut(input, batch_sizes.tolist()) if self.packed else self._as_packed(F, input)
        self._check()

    def _cut(self, data, sizes):
        """Returns packed sequences without the rows after the last step."""
        end = 0
        for size in sizes:
            if end + size > length(data, 0):
                raise RuntimeError(f"start ({end}) + length ({size}) exceeds dimension size ({data.shape[0]}).")
            end += size
        return (data if end == data.shape[0] else data[:end]), sizes

    def _as_packed(self, F, input):
        check_rank(input, 3)
        input = F.transpose(input, 0, 1) if self.batch_first else input
        time, batch, size = input.shape
        return F.reshape(input, (time * batch, size)), [batch] * time

    def _check(self):
        if not self.sizes:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        count = self.layers * self.directions
        for each in self.states:
            if self.directions == 2 and each.shape[0] % 2:
                raise RuntimeError("Odd number of params or hiddens given to a bidirectional RNN")
            if each.shape[0] != count:
                raise RuntimeError("Expected more hidden states in stacked_rnn")
            check_rank(each, 3)
        if len(self.params) % self.weights:
            raise RuntimeError("got an incorrect number of RNN parameters")
        if len(self.params) != count * self.weights:
            raise RuntimeError("Expected more weights in stacked_rnn")
        for each in self.states:
            if each.shape[1] != self.sizes[0]:
                raise RuntimeError(
                    f"output with shape {list(each.shape[1:])} doesn't match the broadcast shape "
                    f"{[self.sizes[0], each.shape[2]]}"
                )

    @property
    def weights(self) -> int:
        """How many parameters a layer has in one direction."""
        projected = len(self.states) == 2 and self.states[0].shape[2] != self.states[1].shape[2]
        return (4 if self.biased else 2) + projected

    def run(self, F, layer):
        """Outputs and last states, where `layer` runs one layer in one direction."""
        data, last = self.data, []
        for at in range(0, self.layers * self.directions, self.directions):
            ways = [
                layer(data, *self._parameters(k), *(each[k] for each in self.states), tuple(self.sizes), k > at)
                for k in range(at, at + self.directions)
            ]
            last += [each[1 : 1 + len(self.states)] for each in ways]
            data = ways[0][0] if len(ways) == 1 else F.cat([each[0] for each in ways], 1)
            if self.p and self.train and at + self.directions < self.layers * self.directions:
                data = F.dropout(data, self.p, True)
        return self._as_given(F, data), *(F.stack(each) for each in zip(*last, strict=True))

    def _parameters(self, number: int) -> list:
        """Two weights, two biases or None, and for long short-term memory the projection or None."""
        own = list(self.params[number * self.weights : (number + 1) * self.weights])
        if not self.biased:
            own[2:2] = [None, None]
        return own if len(self.states) == 1 or len(own) == 5 else [*own, None]

    def _as_given(self, F, data):
        if self.packed:
            return data
        output = F.view(data, (len(self.sizes), self.sizes[0], data.shape[1]))
        return F.transpose(output, 0, 1) if self.batch_first else output


def lstm_samples(r):
    """A plain network, and a packed one with everything that there is to choose."""
    weights = lambda size, hidden, out: [r(4 * hidden, size), r(4 * hidden, out), r(4 * hidden), r(4 * hidden)]
    projected = lambda: [r(8, 2), r(8, 1), r(1, 2)]
    return [
        (r(3, 2, 2), [r(1, 2, 3), r(1, 2, 3)], weights(2, 3, 3), True, 1, 0.0, False, False, False),
        (r(2, 3, 1), [r(2, 2, 2), r(2, 2, 2)], weights(1, 2, 2) + weights(2, 2, 2), True, 2, 0.0, True, False, True),
        (r(4, 2), r.packed(2, 1, 1), [r(4, 2, 1), r(4, 2, 2)],
         [each for _ in range(4) for each in projected()], False, 2, 0.0, False, True),
    ]  # fmt: skip


def samples_of(gates: int):
    """A plain network, and a packed one in both directions without biases."""
    return lambda r: [
        (r(3, 2, 2), r(1, 2, 3), [r(gates * 3, 2), r(gates * 3, 3), r(gates * 3), r(gates * 3)],
         True, 1, 0.0, False, False, False),
        (r(3, 2), r.packed(2, 1), r(4, 2, 2), [r(gates * 2, size) for size in (2, 2, 2, 2, 4, 2, 4, 2)],
         False, 2, 0.0, False, True),
    ]  # fmt: skip


def forms(states: str) -> tuple:
    """The kinds of arguments: of sequences of one length, and of packed ones, `(data, batch_sizes, hx, ...)`."""
    rest = f"{states}, Tensors, bool, int, float, bool, bool"
    return f"Tensor, {rest}, bool", f"Tensor, Tensor, {rest}"


@composite(samples=lstm_samples)
def lstm(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): outputs, last hidden states, last cell states.

    `params` are weight_ih, weight_hh, bias_ih, bias_hh, and weight_hr where there is a projection, of each layer in
    each direction. Packed sequences are given as `lstm(data, batch_sizes, hx, ...)`.
    """
    given = input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first
    return Network(F, "lstm", given).run(F, F.lstm_layer)


face(lstm, method=None, forms=forms("Tensors"))


@composite(samples=samples_of(3))
def gru(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """Gated recurrent units (Cho et al., 2014): outputs and last states. Arguments as those of `lstm`."""
    given = input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first
    return Network(F, "gru", given).run(F, F.gru_layer)


face(gru, method=None, forms=forms("Tensor"))


@composite(samples=samples_of(1))
def rnn_tanh(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """An Elman network (Elman, 1990): outputs and last states. Arguments as those of `lstm`."""
    given = input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first
    return Network(F, "rnn_tanh", given).run(F, partial(F.rnn_layer, False))


face(rnn_tanh, method=None, forms=forms("Tensor"))


@composite(samples=samples_of(1))
def rnn_relu(F, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """An Elman network with rectifiers: outputs and last states. Arguments as those of `lstm`."""
    given = input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first
    return Network(F, "rnn_relu", given).run(F, partial(F.rnn_layer, True))


face(rnn_relu, method=None, forms=forms("Tensor"))


# ---- single steps


CELL = lambda gates: (
    lambda r: [
        (r(2, 4), r(2, 3), r(gates * 3, 4), r(gates * 3, 3), r(gates * 3), r(gates * 3)),
        (r(2, 4), r(2, 3), r(gates * 3, 4), r(gates * 3, 3)),
    ]
)


@composite(
    samples=lambda r: [
        (r(2, 4), [r(2, 3), r(2, 3)], r(12, 4), r(12, 3), r(12), r(12)),
        (r(2, 4), [r(2, 3), r(2, 3)], r(12, 4), r(12, 3)),
    ]
)
def lstm_cell(F, input, hx: Tensors, w_ih, w_hh, b_ih=None, b_hh=None):
    """The hidden and the cell state after one step of long short-term memory; `hx` is both before it."""
    check_lstm_states(hx)
    if not check_cell(input, hx, w_ih, w_hh, 4, b_ih, b_hh):
        i, f, g, o = F.chunk(F.linear(input, w_ih, b_ih) + F.linear(hx[0], w_hh, b_hh), 4, 1)
        cell = F.sigmoid(f) * hx[1] + F.sigmoid(i) * F.tanh(g)
        return F.sigmoid(o) * F.tanh(cell), cell
    return F.lstm_layer(input, w_ih, w_hh, b_ih, b_hh, None, *hx, (input.shape[0],), False)[1:3]


face(lstm_cell, method=None)


@composite(samples=CELL(3))
def gru_cell(F, input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """The state after one step of a gated recurrent unit."""
    if not check_cell(input, [hx], w_ih, w_hh, 3, b_ih, b_hh):
        reset, update, new = F.chunk(F.linear(input, w_ih, b_ih), 3, 1)
        seen = F.chunk(F.linear(hx, w_hh, b_hh), 3, 1)
        new = F.tanh(new + F.sigmoid(reset + seen[0]) * seen[2])
        return (hx - new) * F.sigmoid(update + seen[1]) + new
    return F.gru_layer(input, w_ih, w_hh, b_ih, b_hh, hx, (input.shape[0],), False)[1]


face(gru_cell, method=None)


@composite(samples=CELL(1))
def rnn_tanh_cell(F, input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """The state after one step of an Elman network."""
    check_cell(input, [hx], w_ih, w_hh, 1)
    return F.tanh(F.linear(input, w_ih, b_ih) + F.linear(hx, w_hh, b_hh))


face(rnn_tanh_cell, method=None)


@composite(samples=CELL(1))
def rnn_relu_cell(F, input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """The state after one step of an Elman network with a rectifier."""
    check_cell(input, [hx], w_ih, w_hh, 1)
    return F.relu(F.linear(input, w_ih, b_ih) + F.linear(hx, w_hh, b_hh))


face(rnn_relu_cell, method=None)


def check_cell(input, states, w_ih, w_hh, gates: int, *biases) -> bool:
    """Whether dtypes and biases are as usual, and not for `linear` to judge; raises unless shapes belong together."""
    arrays = [getattr(each, "_array", each) for each in (input, w_ih, w_hh, *states)]
    if not belong(*arrays, gates=gates):
        refuse_cell(input, states, w_ih, w_hh, gates)
    added = [getattr(each, "_array", each) for each in biases if each is not None]
    alike = all([each.dtype == arrays[0].dtype for each in (*arrays, *added)])
    return alike and all([each.shape == arrays[1].shape[:1] for each in added])


def belong(input, w_ih, w_hh, *states, gates: int) -> bool:
    """Whether the arrays of a step are matrices that belong together; what is wrong with others is said one by one."""
    if not input.ndim == w_ih.ndim == w_hh.ndim == 2:
        return False
    (batch, width), (rows, taken), (height, size) = input.shape, w_ih.shape, w_hh.shape
    if width != taken or rows != gates * size or gates == 1 and height != rows:
        return False
    return all([each.shape == (batch, size) for each in states])
