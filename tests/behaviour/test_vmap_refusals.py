"""What vmap refuses, with PyTorch's messages: numbers of samples, shapes that differ, writes to what samples share."""

import copy

import pytest

ITEM = r"vmap: It looks like you're calling .item\(\) on a Tensor"
BRANCH = "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow"
POINTER = "Cannot access data pointer of Tensor that doesn't have storage"
SHAPE = "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. "

NUMBERS = [
    (ITEM, lambda t, x: x.sum().item()),
    (ITEM, lambda t, x: x.item()),
    (ITEM, lambda t, x: float(x.sum())),
    (ITEM, lambda t, x: range(x.sum().long())),
    (ITEM, lambda t, x: f"{x.sum():.2f}"),
    (ITEM, lambda t, x: 1 in x),
    (ITEM, lambda t, x: t.arange(x.sum())),
    (BRANCH, lambda t, x: 1 if x.sum() > 0 else 2),
    (BRANCH, lambda t, x: bool(x > 0)),
    (BRANCH, lambda t, x: x.sum().is_nonzero()),
    (POINTER, lambda t, x: x.numpy()),
    (POINTER, lambda t, x: x.tolist()),
    (POINTER, lambda t, x: x.data_ptr()),
    ("Batching rule not implemented for aten::equal", lambda t, x: t.equal(x, x)),
    ("vmap over torch.allclose isn't supported yet", lambda t, x: t.allclose(x, x)),
    ("accessing `data` under vmap transform is not allowed", lambda t, x: x.data),
]
SHAPES = [
    (SHAPE.format("nonzero"), lambda t, x: x.nonzero()),
    (SHAPE.format("_unique2"), lambda t, x: t.unique(x)),
    (SHAPE.format("unique_dim"), lambda t, x: t.unique(x, dim=0)),
    (SHAPE.format("unique_consecutive"), lambda t, x: t.unique_consecutive(x)),
    ("Attempted to vmap over `mask` in torch.masked_select", lambda t, x: t.masked_select(x, x > 1)),
    ("Attempting to batch over indexing with a boolean mask", lambda t, x: x[x > 1]),
    ("please provide an explicit positive num_classes", lambda t, x: t.nn.functional.one_hot(x.long())),
]
ARITHMETIC = r"vmap: inplace arithmetic\(self, \*extra_args\) is not possible .* in a vmap"
WRITES = [
    (r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]", lambda z, x: z.add_(x)),
    (ARITHMETIC, lambda z, x: z.mul_(x)),
    (ARITHMETIC, lambda z, x: z.copy_(x)),
    (ARITHMETIC, lambda z, x: z.masked_fill_(x > 1, 0)),
    (ARITHMETIC, lambda z, x: z.__setitem__(0, x[0])),
    (r"vmap: fill_\(self, \*extra_args\) is not possible .* in a vmap", lambda z, x: z.fill_(x[0])),
    (r"vmap: aten::pow_\(self, \*extra_args\) is not possible .* at level 1", lambda z, x: z.pow_(x)),
    (r"vmap: aten::lerp_\(self, \*extra_args\) is not possible .* at level 1", lambda z, x: z.lerp_(x, 0.5)),
]


def values(torch):
    return torch.tensor([[1.0, 0.0, 2.0], [3.0, 4.0, 1.0]])


@pytest.mark.parametrize("message, function", NUMBERS + SHAPES)
def test_samples_have_no_numbers_and_one_shape(torch, message, function):
    with pytest.raises(RuntimeError, match=message):
        torch.vmap(lambda x: function(torch, x))(values(torch))


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("message, write", WRITES)
def test_a_shared_tensor_takes_no_values_that_differ(torch, message, write):
    shared = torch.ones(3)
    with pytest.raises(RuntimeError, match=message):
        torch.vmap(lambda x: write(shared, x))(values(torch))
    assert torch.equal(shared, torch.ones(3))


def test_a_sample_has_no_storage(torch):
    for function in (lambda x: x.untyped_storage(), copy.deepcopy):
        with pytest.raises(NotImplementedError, match="Cannot access storage of BatchedTensorImpl"):
            torch.vmap(function)(values(torch))


def test_out_is_refused(torch):
    with pytest.raises(RuntimeError, match="Batching rule not implemented for aten::add.out; the fallback path"):
        torch.vmap(lambda x: torch.add(x, x, out=torch.empty(3)))(values(torch))


def test_what_all_samples_share_can_be_read_and_written(torch):
    shared = torch.ones(3)

    def function(x):
        assert shared.sum().item() == 3
        if shared.sum() > 2:
            x = x + torch.from_numpy(shared.numpy())
        torch.add(shared, 1, out=torch.empty(3))
        return x + shared.data

    assert torch.equal(torch.vmap(function)(values(torch)), values(torch) + 2)


def test_as_strided_stays_within_its_sample(torch):
    assert torch.vmap(lambda x: x.as_strided((2, 2), (1, 1)))(values(torch)).shape == (2, 2, 2)
    for size, stride, offset in (((4,), (1,), 0), ((2,), (1,), 2), ((2,), (1,), 4)):
        with pytest.raises(RuntimeError, match="can access memory outside of `tensor`"):
            torch.vmap(lambda x, layout=(size, stride, offset): x.as_strided(*layout))(values(torch))


def test_singular_samples_are_refused_like_singular_matrices(torch):
    with pytest.raises(torch.linalg.LinAlgError, match=r"linalg.inv: \(Batch element 1\): The diagonal element 1"):
        torch.vmap(torch.linalg.inv)(torch.stack([torch.eye(2), torch.zeros(2, 2)]))


def test_samples_print_with_their_level(torch):
    shown = []
    torch.vmap(lambda x: (shown.append(repr(x)), x)[1])(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert shown == ["BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1., 2.],\n            [3., 4.]])\n)"]


def test_a_batch_is_not_written_to_out(torch):
    calls = [
        lambda x: torch.abs(x, out=torch.zeros(3)),
        lambda x: torch.abs(torch.ones(3), out=x),
        lambda x: torch.add(x, 1, out=x),
    ]
    for call in calls:
        x = torch.zeros(2, 3)
        with pytest.raises(RuntimeError, match=r"^Batching rule not implemented for aten::\w+.out; the fallback path"):
            torch.vmap(call)(x)
        assert x.tolist() == [[0.0] * 3] * 2
