"""Bytes read as numbers of another size: which shape, strides and offset come out, and what is refused."""

import itertools

import pytest

import rushlight

SHAPES = [(), (0,), (1,), (4,), (8,), (0, 4), (2, 0), (0, 3), (2, 6), (3, 4), (1, 8), (2, 1), (2, 3, 4)]
MOVES = {
    "whole": lambda x: x,
    "transposed": lambda x: x.mT if x.dim() > 1 else x,
    "narrow": lambda x: x[..., : x.shape[-1] // 2] if x.dim() else x,
    "end": lambda x: x[..., x.shape[-1] // 2 :] if x.dim() else x,
    "odd": lambda x: x[..., 1:] if x.dim() else x,
    "every other": lambda x: x[..., ::2] if x.dim() else x,
    "rows": lambda x: x[::2] if x.dim() else x,
    "expanded": lambda x: x[None].expand(2, *x.shape),
}
KINDS = ["uint8", "int16", "float32", "float64", "complex64"]


def outcome(library, shape, move, old, new):
    x = MOVES[move](library.ones(shape, dtype=getattr(library, old)))
    try:
        seen = x.view(dtype=getattr(library, new))
    except RuntimeError as error:
        return str(error).splitlines()[0]
    # NumPy forgets where an array without elements lies
    return (tuple(seen.shape), seen.stride(), seen.storage_offset()) if seen.numel() else tuple(seen.shape)


@pytest.mark.parametrize("move", MOVES)
def test_another_dtype_of_the_same_bytes(pytorch, move):
    for shape, old, new in itertools.product(SHAPES, KINDS, KINDS):
        if move != "whole" and not MOVES[move](rushlight.ones(shape)).numel():
            continue
        case = shape, move, old, new
        assert outcome(rushlight, *case) == outcome(pytorch, *case), case


def test_a_tensor_without_numbers_has_no_address(torch):
    parameter = torch.nn.Parameter(torch.empty(2, 2, device="meta"))
    assert parameter.data_ptr() == parameter.untyped_storage().data_ptr() == 0
