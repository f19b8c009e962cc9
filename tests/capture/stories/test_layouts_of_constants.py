"""What does not depend on the inputs of a program is copied at each replay, with its strides."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F

MADE = [
    torch.full_like,
    lambda x, value: torch.zeros_like(x),
    lambda x, value: torch.ones_like(x),
    lambda x, value: x * value,
]
LAYOUTS = {
    "inner of one": lambda x: x[:, None].transpose(0, 2),
    "outer of one": lambda x: x.t()[None],
    "channels last": lambda x: x.reshape(1, 2, 3, 1).contiguous(memory_format=torch.channels_last),
    "permuted": lambda x: x.reshape(1, 2, 3).permute(2, 0, 1),
}


@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("made", MADE)
def test_strides_of_filled_tensors(made, layout, draws):
    def f(x, y):
        z = torch.maximum(x, y)
        result = made(z, 2)
        return (result, F.dropout(z, 0.5)) if draws else (result, z)

    x = LAYOUTS[layout](torch.arange(6.0).reshape(2, 3))
    y, compiled = x.clone() / 2, torch.compile(f, options={"trial": False})
    wanted = [(each.shape, each.stride()) for each in f(x, y)]
    for _ in range(3):
        assert [(each.shape, each.stride()) for each in compiled(x, y)] == wanted
