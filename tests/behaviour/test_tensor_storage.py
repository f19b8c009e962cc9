"""Memory under a tensor: `set_`, `resize_`, `copy_`, storages, and what happens to the tensors that shared it."""

import numpy as np
import pytest


def test_set_takes_over_memory(torch):
    x, y = torch.zeros(2), torch.arange(3.0)
    assert x.set_(y) is x
    y[0] = 9
    assert x.tolist() == [9, 1, 2]
    assert x.data_ptr() == y.data_ptr()


def test_set_with_a_window(torch):
    source = torch.arange(6.0)
    x = torch.zeros(0)
    x.set_(source.untyped_storage(), 1, (2, 2), (2, 1))
    assert x.tolist() == [[1, 2], [3, 4]]
    assert (x.storage_offset(), x.stride()) == (1, (2, 1))
    x[0, 0] = 7
    assert source[1] == 7
    x.set_(source, 4, (2,))
    assert x.tolist() == [4, 5]


def test_set_to_nothing(torch):
    x = torch.zeros(2)
    assert x.set_().shape == (0,)


def test_set_refuses_another_dtype(torch):
    x = torch.zeros(2)
    with pytest.raises(RuntimeError, match="^Could not set tensor of type long int to a tensor of type float"):
        x.set_(torch.arange(3))
    assert x.tolist() == [0, 0]


@pytest.mark.parametrize(("sizes", "values"), [((2, 2), [[0, 1], [2, 3]]), ((3,), [0, 1, 2]), ((2, 0), [[], []])])
def test_resize_to_fewer_elements_keeps_the_first(torch, sizes, values):
    x = torch.arange(6.0)
    assert x.resize_(sizes) is x
    assert x.tolist() == values
    assert x.resize_(6).tolist() == [0, 1, 2, 3, 4, 5]


def test_resize_to_more_elements_keeps_those_there_are(torch):
    x = torch.arange(3.0)
    x.resize_(2, 4)
    assert x.shape == (2, 4)
    assert x.flatten()[:3].tolist() == [0, 1, 2]
    x.resize_as_(torch.ones(3, 1))
    assert x.shape == (3, 1)


def test_what_is_expanded_shares_memory_in_any_order_of_dimensions(torch):
    x = torch.arange(12.0).view(2, 2, 3).permute(0, 2, 1) + 1
    wide = x.expand(4, 2, 3, 2)
    assert wide.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert wide.untyped_storage().nbytes() == 48
    x[1, 0, 0] = 50
    assert wide[3, 1, 0, 0] == 50


def test_resize_to_its_own_size_leaves_a_tensor_as_it_is(torch):
    for x in (torch.arange(12.0).view(3, 4).t(), torch.arange(12.0)[::2], torch.zeros(1).expand(3), torch.zeros(())):
        reported = x.stride(), x.tolist(), x._version
        assert x.resize_(x.shape) is x
        assert x.resize_as_(torch.zeros(x.shape)) is x
        assert (x.stride(), x.tolist(), x._version) == reported
    x = torch.arange(12.0).view(3, 4).t()
    assert x.resize_(4, 3, memory_format=torch.contiguous_format).stride() == (3, 1)
    assert x.flatten().tolist() == list(range(12))


def test_resize_refuses_a_tensor_that_requires_grad(torch):
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="^cannot resize variables that require grad$"):
        x.resize_(3)
    assert x.tolist() == [1, 1]


def test_resize_refuses_to_grow_borrowed_memory(torch):
    with pytest.raises(RuntimeError, match="^Trying to resize storage that is not resizable"):
        torch.from_numpy(np.arange(6.0)).resize_(20)


# PyTorch has changed the shape by the time it refuses, and the tensor then reads memory that is not its own.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_a_refused_resize_changes_nothing(torch):
    x = torch.from_numpy(np.arange(6.0))
    with pytest.raises(RuntimeError):
        x.resize_(20)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_untyped_storage(torch):
    x = torch.tensor([1, 2], dtype=torch.int16)
    storage = x.untyped_storage()
    assert storage.nbytes() == len(storage) == 4
    assert list(storage) == [1, 0, 2, 0]
    assert storage.data_ptr() == x.data_ptr()
    storage[0] = 7
    assert x.tolist() == [7, 2]


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")  # PyTorch says so once per process, or more often
def test_typed_storage(torch):
    storage = torch.arange(6.0)[2:].storage()
    assert storage.tolist() == [0, 1, 2, 3, 4, 5]
    assert storage.size() == len(storage) == 6


def test_copy_converts_and_broadcasts(torch):
    x = torch.zeros(2, 3, dtype=torch.int64)
    assert x.copy_(torch.tensor([1.9, -2.9, 3.0])) is x
    assert x.tolist() == [[1, -2, 3], [1, -2, 3]]
    x.t().copy_(torch.tensor([[1, 2], [3, 4], [5, 6]]))
    assert x.tolist() == [[1, 3, 5], [2, 4, 6]]
    assert x._version == 2


def test_memory_outlives_the_tensor_that_made_it(torch):
    row = torch.arange(6.0).reshape(2, 3)[1]
    array = torch.arange(3.0).numpy()
    assert row.tolist() == [3, 4, 5]
    assert array.tolist() == [0, 1, 2]
