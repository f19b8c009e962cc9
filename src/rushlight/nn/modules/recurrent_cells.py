"""Single steps of recurrent networks, for programs with their own loop over time."""

from __future__ import annotations

from rushlight._generated import functions
from rushlight.core.annotations import Device, Dtype
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.filled import empty, zeros

from .module import Module, pair
from .recurrent import reset_evenly


class RNNCellBase(Module):
    """Base of the cells: two weights and two biases, drawn uniformly within `1 / sqrt(hidden_size)` of 0."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((gates, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((gates, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(gates, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias is True else f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def reset_parameters(self) -> None:
        """Draws all parameters again."""
        reset_evenly(self)

    def _step(self, function, input, hx):
        """Makes one step of a function of one state, for a batch or a single input."""
        check_rank(self, "input", input)
        if hx is not None:
            check_rank(self, "hidden", hx)
        if input.dim() == 2:
            return self._call(function, input, self._zeros(input) if hx is None else hx)
        input = input.unsqueeze(0)
        return self._call(function, input, self._zeros(input) if hx is None else hx.unsqueeze(0)).squeeze(0)

    def _call(self, function, input, hx):
        weights = pair(self, "_parameters", "weight_ih", "weight_hh")
        return function(input, hx, *weights, *pair(self, "_parameters", "bias_ih", "bias_hh"))

    def _zeros(self, input):
        return zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)


def check_rank(cell, name, value) -> None:
    """Raises ValueError unless the value has one or two dimensions."""
    if value.dim() not in (1, 2):
        raise ValueError(f"{type(cell).__name__}: Expected {name} to be 1D or 2D, got {value.dim()}D instead")


class RNNCell(RNNCellBase):
    """One step of an Elman network: (batch, input_size) and (batch, hidden_size) to the next state.

    >>> import rushlight as torch
    >>> torch.nn.RNNCell(4, 3)(torch.zeros(2, 4)).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        function = functions.rnn_tanh_cell if self.nonlinearity == "tanh" else functions.rnn_relu_cell
        return self._step(function, input, hx)


class LSTMCell(RNNCellBase):
    """One step of long short-term memory: (batch, input_size) and the pair of states to the next pair.

    >>> import rushlight as torch
    >>> hidden, cell = torch.nn.LSTMCell(4, 3)(torch.zeros(2, 4))
    >>> hidden.shape, cell.shape
    (torch.Size([2, 3]), torch.Size([2, 3]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Device = None, dtype: Dtype | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        check_rank(self, "input", input)
        for index, state in enumerate(() if hx is None else hx):
            check_rank(self, f"hx[{index}]", state)
        if isinstance(hx, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        if input.dim() == 2:
            return self._call(functions.lstm_cell, input, (self._zeros(input),) * 2 if hx is None else hx)
        input = input.unsqueeze(0)
        states = (self._zeros(input),) * 2 if hx is None else (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        hidden, cell = self._call(functions.lstm_cell, input, states)
        return hidden.squeeze(0), cell.squeeze(0)


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit: (batch, input_size) and (batch, hidden_size) to the next state."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Device = None, dtype: Dtype | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step(functions.gru_cell, input, hx)
