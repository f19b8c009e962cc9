"""Recurrent networks: several layers, one or both directions, padded or packed sequences."""

from __future__ import annotations

import math
import numbers
import warnings
import weakref
from typing import TYPE_CHECKING, Any

from rushlight._generated import functions
from rushlight.core.annotations import Device, Dtype
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.filled import empty, zeros
from rushlight.dispatch import autocast

from .. import init
from ..utils.rnn import PackedSequence
from .module import Module

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
FUNCTIONS = {
    "LSTM": functions.lstm, "GRU": functions.gru, "RNN_TANH": functions.rnn_tanh, "RNN_RELU": functions.rnn_relu
}  # fmt: skip
ONLY_LSTM = "proj_size argument is only supported for LSTM, not RNN or GRU"


class RNNBase(Module):
    """Base of `RNN`, `LSTM` and `GRU`: parameters of all layers, and the handling of sequences.

    Parameters are drawn uniformly within `1 / sqrt(hidden_size)` of 0.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        check_dropout(dropout, num_layers)
        self._check_arguments()
        self._flat_weight_refs: list[weakref.ref | None] = []
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for direction in range(self._directions):
                self._add_weights(layer, direction, device, dtype)
        self._init_flat_weights()
        self.reset_parameters()

    def _check_arguments(self):
        for name, expected in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, expected):
                raise TypeError(f"{name} should be of type {expected.__name__}, got: {type(value).__name__}")
            if expected is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _add_weights(self, layer, direction, device, dtype):
        gates, out = GATES[self.mode] * self.hidden_size, self._output_size
        shapes = {"weight_ih": (gates, self._directions * out if layer else self.input_size), "weight_hh": (gates, out)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        ending = f"_l{layer}" + ("_reverse" if direction else "")
        for name, shape in shapes.items():
            self.register_parameter(name + ending, Parameter(empty(shape, device=device, dtype=dtype)))
        self._all_weights.append([name + ending for name in shapes])
        self._flat_weights_names += self._all_weights[-1]

    @property
    def _directions(self):
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self):
        """The size of a hidden state, which is the input size of the next layer."""
        return self.proj_size or self.hidden_size

    def _init_flat_weights(self):
        """Lists the current parameters; `forward` uses the list."""
        self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._flat_weight_refs = [None if weight is None else weakref.ref(weight) for weight in self._flat_weights]

    def _update_flat_weights(self):
        """Updates the list if an attribute is another tensor: `functional_call` replaces parameters without notice."""
        for reference, name in zip(self._flat_weight_refs, self._flat_weights_names, strict=True):
            weight = getattr(self, name, None)
            if weight is not None and reference is not None and reference() is not weight:
                self._init_flat_weights()
                return

    def __setattr__(self, name: str, value: Any) -> None:
        names = self.__dict__.get("_flat_weights_names", ())
        if name in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(name)] = value
        super().__setattr__(name, value)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self._init_flat_weights()
        return self

    def __getstate__(self):
        self._update_flat_weights()
        return {name: value for name, value in super().__getstate__().items() if name != "_flat_weight_refs"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("proj_size", 0)
        if "_flat_weights_names" not in self.__dict__:
            self._flat_weights_names = [name for names in self._all_weights for name in names]
        self._init_flat_weights()

    def _replicate_for_data_parallel(self):
        replica = super()._replicate_for_data_parallel()
        replica._flat_weights = list(replica._flat_weights)
        replica._flat_weights_names = list(replica._flat_weights_names)
        return replica

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """Returns the parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Does nothing: only cuDNN needs the parameters in contiguous memory."""

    def reset_parameters(self) -> None:
        """Draws all parameters again."""
        reset_evenly(self)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raises if dtype, rank or size of the input do not fit the parameters."""
        expected = self._flat_weights[0].dtype
        if input.dtype != expected and not autocast.state().enabled:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({expected}). Convert input: "
                f"input.to({expected}), or convert model: model.to({input.dtype})"
            )
        rank = 3 if batch_sizes is None else 2
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """Returns the shape of hidden states: (layers * directions, batch, size)."""
        return (self.num_layers * self._directions, self._batch(input, batch_sizes), self._output_size)

    def _batch(self, input, batch_sizes):
        return input.size(0 if self.batch_first else 1) if batch_sizes is None else int(batch_sizes[0])

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raises RuntimeError for states of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises if the input or the states do not fit the parameters."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Permutes the sequences of the batch in the states."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _zero_state(self, input, batch_sizes):
        shape = self.get_expected_hidden_size(input, batch_sizes)
        return zeros(shape, dtype=input.dtype, device=input.device)

    def _check_state_rank(self, hx, batched):
        rank = 3 if batched else 2
        if hx.dim() != rank:
            kind = "batched" if batched else "unbatched"
            raise RuntimeError(f"For {kind} {rank}-D input, hx should also be {rank}-D but got {hx.dim()}-D tensor")

    def _each_state(self, hx, change):
        """Applies `change` to every state: one here, two in `LSTM`."""
        return change(hx)

    def _run(self, input, batch_sizes, hx):
        sizes = () if batch_sizes is None else (batch_sizes,)
        weights = self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
        layout = (self.batch_first,) if batch_sizes is None else ()
        output, *hidden = FUNCTIONS[self.mode](input, *sizes, hx, self._flat_weights, *weights, *layout)
        return output, hidden[0] if len(hidden) == 1 else tuple(hidden)

    def _forward(self, input, hx):
        """Runs the network on (time, batch, size), (time, size) or packed input; a state of None is zeros."""
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            name = type(self).__name__ if self.mode in ("LSTM", "GRU") else "RNN"
            words = "D tensor instead" if name == "RNN" else "D instead"
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}{words}")
        batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        input = input if batched else input.unsqueeze(batch_dim)
        if hx is None:
            hx = self._zero_state(input, None)
        else:
            self._check_state_rank(hx, batched)
            hx = hx if batched else self._each_state(hx, lambda state: state.unsqueeze(1))
        self.check_forward_args(input, hx, None)
        output, hidden = self._run(input, None, hx)
        if batched:
            return output, hidden
        return output.squeeze(batch_dim), self._each_state(hidden, lambda state: state.squeeze(1))

    def _forward_packed(self, sequence, hx):
        data, batch_sizes, order, undo = sequence
        hx = self._zero_state(data, batch_sizes) if hx is None else self.permute_hidden(hx, order)
        self.check_forward_args(data, hx, batch_sizes)
        output, hidden = self._run(data, batch_sizes, hx)
        return PackedSequence(output, batch_sizes, order, undo), self.permute_hidden(hidden, undo)

    def extra_repr(self) -> str:
        defaults = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False
        }  # fmt: skip
        chosen = [f"{name}={getattr(self, name)}" for name, usual in defaults.items() if getattr(self, name) != usual]
        return ", ".join([str(self.input_size), str(self.hidden_size), *chosen])


def check_dropout(dropout, num_layers):
    """Raises ValueError unless `dropout` is a probability; warns of dropout that has no effect."""
    if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=3,
        )


def reset_evenly(module) -> None:
    """Draws the parameters uniformly within one over the square root of the hidden size."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNN(RNNBase):
    """Elman network: `tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)`, or `relu` instead of `tanh`.

    Arguments: `input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
    bidirectional=False, device=None, dtype=None`. Called with a sequence (time, batch, input_size), (time, input_size)
    or a `PackedSequence`, and with the initial state; returns the outputs and the last state.

    >>> import rushlight as torch
    >>> output, state = torch.nn.RNN(4, 3)(torch.zeros(5, 2, 4))
    >>> output.shape, state.shape
    (torch.Size([5, 2, 3]), torch.Size([1, 2, 3]))
    """

    if TYPE_CHECKING:  # below, the remaining arguments are passed to the base

        def __init__(
            self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", bias: bool = True,
            batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Device = None,
            dtype: Dtype | None = None,
        ) -> None: ...  # fmt: skip

    else:

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            if "proj_size" in kwargs:
                raise ValueError(ONLY_LSTM)
            if len(args) > 3:
                nonlinearity, args = args[3], (*args[:3], *args[4:])
            else:
                nonlinearity = kwargs.pop("nonlinearity", "tanh")
            if nonlinearity not in ("tanh", "relu"):
                raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
            super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
            self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._forward(input, hx)


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997).

    Arguments: `input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
    proj_size=0, device=None, dtype=None`. Called with a sequence (time, batch, input_size), (time, input_size) or a
    `PackedSequence`, and with the initial hidden and cell states; returns the outputs and the pair of last states. With
    `proj_size` outputs and hidden states are projected to that size (Sak et al., 2014).

    >>> import rushlight as torch
    >>> output, (hidden, cell) = torch.nn.LSTM(4, 3, num_layers=2)(torch.zeros(5, 2, 4))
    >>> output.shape, cell.shape
    (torch.Size([5, 2, 3]), torch.Size([2, 2, 3]))
    """

    if TYPE_CHECKING:  # below, the remaining arguments are passed to the base

        def __init__(
            self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
            dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Device = None,
            dtype: Dtype | None = None,
        ) -> None: ...  # fmt: skip

    else:

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """Returns the shape of cell states: (layers * directions, batch, hidden_size)."""
        return (self.num_layers * self._directions, self._batch(input, batch_sizes), self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises if the input or the states do not fit the parameters."""
        self.check_input(input, batch_sizes)
        expected = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        for number in (0, 1):
            self.check_hidden_size(hidden[number], expected[number], f"Expected hidden[{number}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Permutes the sequences of the batch in the states."""
        return hx if permutation is None else tuple(state.index_select(1, permutation) for state in hx)

    def _zero_state(self, input, batch_sizes):
        cell = zeros(self.get_expected_cell_size(input, batch_sizes), dtype=input.dtype, device=input.device)
        return super()._zero_state(input, batch_sizes), cell

    def _check_state_rank(self, hx, batched):
        rank = 3 if batched else 2
        if hx[0].dim() != rank or hx[1].dim() != rank:
            kind = "batched" if batched else "unbatched"
            raise RuntimeError(
                f"For {kind} {rank}-D input, hx and cx should also be {rank}-D but got ({hx[0].dim()}-D, "
                f"{hx[1].dim()}-D) tensors"
            )

    def _each_state(self, hx, change):
        return change(hx[0]), change(hx[1])

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._forward(input, hx)


class GRU(RNNBase):
    """Gated recurrent units (Cho et al., 2014), with the reset gate after the product with the state.

    Arguments: `input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
    device=None, dtype=None`. Called with a sequence (time, batch, input_size), (time, input_size) or a
    `PackedSequence`, and with the initial state; returns the outputs and the last state.

    >>> import rushlight as torch
    >>> output, state = torch.nn.GRU(4, 3, bidirectional=True)(torch.zeros(5, 2, 4))
    >>> output.shape, state.shape
    (torch.Size([5, 2, 6]), torch.Size([2, 2, 3]))
    """

    if TYPE_CHECKING:  # below, the remaining arguments are passed to the base

        def __init__(
            self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
            batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Device = None,
            dtype: Dtype | None = None,
        ) -> None: ...  # fmt: skip

    else:

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            if "proj_size" in kwargs:
                raise ValueError(ONLY_LSTM)
            super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._forward(input, hx)
