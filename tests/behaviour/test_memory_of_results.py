"""How results are laid out, and that they have their own memory; each test also runs under PyTorch."""

import pytest

KINDS = {
    "in order": lambda x: x,
    "turned": lambda x: x.t(),
    "every second column": lambda x: x[:, ::2],
}
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


@kinds
@pytest.mark.parametrize("side", [6, 200])
def test_what_is_flipped_lies_as_it_did(torch, kind, side):
    x = torch.arange(side * side, dtype=torch.float32).reshape(side, side)
    for _ in range(3):
        given = kind(x)
        steps = (1, side) if given.stride(0) == 1 else (given.shape[1], 1)
        for dims in ((0,), (1,), (0, 1), ()):
            result = given.flip(dims)
            assert result.stride() == steps
            assert result.tolist() == given.contiguous().flip(dims).tolist()


@kinds
@pytest.mark.parametrize("quarters", [-1, 0, 1, 2, 3, 5])
@pytest.mark.parametrize("side", [6, 200])
def test_quarters_are_flipped_and_turned(torch, kind, quarters, side):
    x = torch.arange(side * side, dtype=torch.float32).reshape(side, side)
    for _ in range(3):
        given = kind(x)
        flips = {0: (), 1: (1,), 2: (0, 1), 3: (0,)}[quarters % 4]
        expected = given.flip(flips) if quarters % 4 else given.clone(memory_format=torch.contiguous_format)
        expected = expected.t() if quarters % 2 else expected
        result = torch.rot90(given, quarters)
        assert result.stride() == expected.stride() and torch.equal(result, expected)
        assert result.data_ptr() != given.data_ptr()


def test_flipped_dimensions_keep_their_order(torch):
    for size in (3, 40):
        x = torch.arange(6 * size**3).reshape(size, 2 * size, 3 * size).permute(2, 0, 1)
        assert x.flip(0).stride() == x.stride()
        assert torch.rot90(x, 1, (2, 0)).stride() == x.stride()[::-1]


@pytest.mark.parametrize("shape", [(7,), (6, 11), (60, 110), (3, 70, 80), (300_000,)], ids=str)
def test_positions_lie_dimension_by_dimension(torch, shape):
    x = torch.arange(torch.ones(shape).numel()).reshape(shape) % 3
    for _ in range(3):
        result, columns = x.nonzero(), x.nonzero(as_tuple=True)
        count = int((x != 0).sum())
        assert result.shape == (count, len(shape))
        assert result.stride(0) == 1 and (len(shape) == 1 or result.stride(1) == count)
        assert all(each.stride() == (1,) for each in columns)
        assert torch.equal(torch.stack(columns, 1), result)
        assert torch.equal(x[columns], x[x != 0])


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("side", [4, 200])
def test_padding_by_nothing_is_a_copy(torch, mode, side):
    x = torch.arange(3.0 * side * side).reshape(1, 3, side, side)
    for _ in range(3):
        result = torch.nn.functional.pad(x, (0, 0, 0, 0), mode=mode)
        assert result.data_ptr() != x.data_ptr() and torch.equal(result, x)
        result.zero_()
        assert x[0, 0, 0, 1] == 1


@pytest.mark.parametrize("size", [2, 90])
@pytest.mark.parametrize(("kernel", "padding"), [((2, 1), (1, 0)), ((1, 2), 0), (1, 0)], ids=str)
def test_blocks_are_columns_of_their_own(torch, kernel, padding, size):
    """A write to one is not seen in another, though they overlap in the image."""
    images = torch.arange(float(size * size)).reshape(1, 1, size, size)
    columns = torch.nn.functional.unfold(images, kernel, padding=padding)
    assert columns.is_contiguous()
    before, positions = columns.tolist(), columns.numel()
    columns.view(-1)[positions // 2] = -1.0
    assert sum(one != other for one, other in zip(sum(before[0], []), columns.view(-1).tolist(), strict=True)) == 1
    assert torch.equal(images, torch.arange(float(size * size)).reshape(1, 1, size, size))
