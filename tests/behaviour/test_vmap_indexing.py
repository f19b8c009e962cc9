"""vmap over index tensors: x[index], x[index] = value and index_put, with another index for each sample."""

import pytest

import rushlight

INDEX = rushlight.tensor([[0, 2], [1, 1]])
READS = {
    "one": lambda x, i: x[i],
    "second dimension": lambda x, i: x[:, i],
    "two": lambda x, i: x[i, i],
    "parted": lambda x, i: x[i, None, i],
    "beside a number": lambda x, i: x[0, i],
    "beside a slice": lambda x, i: x[i, 1:3],
    "from the end": lambda x, i: x[i - 3],
    "no dimensions": lambda x, i: x[i[0]],
    "beside a shared one": lambda x, i: x[i, rushlight.tensor([3, 0])],
    "many dimensions": lambda x, i: x[i.reshape(2, 1), i],
}
WRITES = {
    "a number": lambda x, i, v: write(x, i, 1.0),
    "rows": lambda x, i, v: write(x, i, v),
    "columns": lambda x, i, v: write(x, (slice(None), i), v.T[:3]),
    "beside a slice": lambda x, i, v: write(x, (i, slice(1, 3)), v[:, :2]),
    "no dimensions": lambda x, i, v: write(x, i[0], v[0]),
    "where a mask holds": lambda x, i, v: write(x, x > 5, -1.0),
    "index_put": lambda x, i, v: x.index_put((i,), v),
    "added": lambda x, i, v: x.index_put((i, i), v[:, 0], accumulate=True),
    "in place": lambda x, i, v: x.clone().index_put_((i,), v),
    "to itself": lambda x, i, v: write(x, 0, x[0] + v[1]),
}


def write(x, index, value):
    x = x.clone()
    x[index] = value
    return x


def values(*shape):
    return rushlight.arange(float(rushlight.Size(shape).numel()), dtype=rushlight.float64).reshape(shape)


def looped(function, *batches):
    return rushlight.stack([function(*each) for each in zip(*batches, strict=True)])


@pytest.mark.parametrize("name", READS)
def test_each_sample_reads_at_its_index(name):
    x = values(2, 3, 4)
    assert rushlight.equal(rushlight.vmap(READS[name])(x, INDEX), looped(READS[name], x, INDEX))


@pytest.mark.parametrize("name", READS)
def test_gradients_of_reading_add_up(name):
    gradient = rushlight.func.grad(lambda x, i: (READS[name](x, i) ** 2).sum())
    x = values(2, 3, 4)
    assert rushlight.allclose(rushlight.vmap(gradient)(x, INDEX), looped(gradient, x, INDEX))


def test_a_shared_tensor_is_read_at_all_indices():
    x = values(3, 4)
    assert rushlight.equal(rushlight.vmap(lambda i: x[i])(INDEX), x[INDEX])


@pytest.mark.parametrize("name", WRITES)
def test_each_sample_is_written_to_at_its_index(name):
    x, v = values(2, 3, 4), values(2, 2, 4) + 100
    index = rushlight.tensor([[0, 2], [1, 0]])
    assert rushlight.equal(rushlight.vmap(WRITES[name])(x, index, v), looped(WRITES[name], x, index, v))


def test_a_shared_tensor_is_not_written_to_by_samples():
    x = values(3, 4)
    with pytest.raises(RuntimeError, match="vmap"):
        rushlight.vmap(lambda i: x.__setitem__(i, 1.0))(INDEX)


def test_an_index_out_of_range_in_one_sample_is_refused():
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        rushlight.vmap(lambda x, i: x[i])(values(2, 3, 4), rushlight.tensor([[0, 1], [0, 3]]))


def test_a_mask_of_each_sample_selects_no_shape(torch):
    with pytest.raises(RuntimeError, match="dynamic shape"):
        torch.vmap(lambda x: x[x > 1])(torch.ones(2, 3))
