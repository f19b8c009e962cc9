"""Every public idea once, in seconds, without any other library: what to run after each change."""

import copy
import io
import math
import pickle

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn, optim
from rushlight.utils.checkpoint import checkpoint


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# --- tensors ------------------------------------------------------------------------------------------------------


def test_making_tensors():
    assert torch.tensor([[1, 2], [3, 4]]).dtype is torch.int64 and torch.tensor(1.5).dtype is torch.float32
    assert torch.zeros(2, 3).shape == (2, 3) and torch.full((2,), 7).tolist() == [7, 7]
    assert torch.arange(3).tolist() == [0, 1, 2] and torch.linspace(0, 1, 3).tolist() == [0, 0.5, 1]
    assert torch.eye(2).tolist() == [[1, 0], [0, 1]]
    assert torch.FloatTensor([1, 2]).dtype is torch.float32


def test_random_streams_begin_anew_with_the_seed():
    first = torch.rand(2), torch.randn(2), torch.randint(10, (2,)), torch.randperm(5)
    torch.manual_seed(0)
    again = torch.rand(2), torch.randn(2), torch.randint(10, (2,)), torch.randperm(5)
    assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))


def test_arithmetic_broadcasts_and_promotes():
    x = torch.tensor([[1.0], [2.0]]) + torch.tensor([10, 20])
    assert x.tolist() == [[11, 21], [12, 22]] and x.dtype is torch.float32
    assert (torch.tensor([1, 2]) / 2).tolist() == [0.5, 1.0] and (torch.tensor(3) // 2).item() == 1
    assert (torch.tensor([1, 2]) + 0.5).dtype is torch.float32
    assert (2 ** torch.tensor(3.0)).item() == 8 and (-torch.tensor(1)).item() == -1


def test_comparing():
    x = torch.tensor([1.0, 2.0, 3.0])
    assert (x > 1).tolist() == [False, True, True] and bool((x == x).all()) and torch.allclose(x, x + 1e-9)
    assert torch.where(x > 1, x, torch.zeros(3)).tolist() == [0, 2, 3]


def test_pointwise_mathematics():
    x = torch.tensor(0.5)
    for name in ("exp", "log", "sin", "tanh", "sqrt"):
        assert getattr(x, name)().item() == pytest.approx(getattr(math, name)(0.5))
    assert x.sigmoid().item() == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert torch.clamp(torch.tensor([-1.0, 2.0]), 0, 1).tolist() == [0, 1]


def test_reducing():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.sum().item() == 10 and x.mean(0).tolist() == [2, 3] and x.prod().item() == 24
    assert x.max(dim=1).values.tolist() == [2, 4] and x.argmax().item() == 3
    assert x.var().item() == pytest.approx(5 / 3) and x.norm().item() == pytest.approx(math.sqrt(30))
    assert x.softmax(1).sum(1).tolist() == pytest.approx([1, 1]) and x.cumsum(0).tolist() == [[1, 2], [4, 6]]


def test_shapes():
    x = torch.arange(6)
    assert x.view(2, 3).t().shape == (3, 2) and x.reshape(3, -1).shape == (3, 2)
    assert x[None].squeeze().shape == (6,) and x.view(1, 6).expand(4, 6).shape == (4, 6)
    assert torch.cat([x, x]).numel() == 12 and torch.stack([x, x]).shape == (2, 6)
    assert [len(part) for part in x.split(4)] == [4, 2]


def test_indexing_and_writing():
    x = torch.arange(12.0).view(3, 4)
    assert (
        x[1, 2].item() == 6
        and x[:, 1:3].shape == (3, 2)
        and x[[0, 2]].shape == (2, 4)
        and x[x > 9].tolist() == [10, 11]
    )
    x[0] = -1
    x[x < 0] = 5
    assert x[0].tolist() == [5, 5, 5, 5]
    assert x.gather(1, torch.tensor([[3], [2], [1]])).flatten().tolist() == [5, 6, 9]


def test_sorting():
    x = torch.tensor([3.0, 1.0, 2.0])
    assert x.sort().values.tolist() == [1, 2, 3] and x.topk(2).indices.tolist() == [0, 2]
    assert torch.unique(torch.tensor([2, 1, 2])).tolist() == [1, 2]


def test_matrices():
    a, b = torch.arange(4.0).view(2, 2), torch.ones(2, 2)
    assert (a @ b).tolist() == [[1, 1], [5, 5]] and torch.dot(a[0], b[0]).item() == 1
    assert torch.einsum("ij,jk->ik", a, b).tolist() == [[1, 1], [5, 5]]


def test_memory_is_shared_with_numpy_views_and_detached_tensors():
    array = np.zeros(3, np.float32)
    x = torch.from_numpy(array)
    x[1:].add_(1)
    x.detach()[0] = 7
    assert array.tolist() == [7, 1, 1] and x.numpy() is not None and x._version == 2


def test_dtypes_devices_and_conversions():
    x = torch.ones(2)
    assert x.double().dtype is torch.float64 and x.to(torch.bfloat16).float().tolist() == [1, 1]
    assert x.to("meta").shape == (2,) and x.cpu() is x
    assert torch.view_as_real(torch.tensor([1 + 2j])).tolist() == [[1, 2]]
    with torch.cuda.simulate():
        assert (x.cuda() * 2).device.type == "cuda" and (x.cuda() * 2).cpu().tolist() == [2, 2]


def test_printing_copying_and_pickling():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert repr(x) == "tensor([1., 2.], requires_grad=True)"
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert other is not x and other.tolist() == x.tolist() and other.requires_grad


# --- autograd -----------------------------------------------------------------------------------------------------


def test_a_gradient():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == [2, 4] and y.grad_fn.name() == "SumBackward0" and x.is_leaf


def test_gradients_accumulate_and_graphs_are_freed():
    x = torch.tensor(1.0, requires_grad=True)
    y = x.exp()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == pytest.approx(2 * math.e)
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        y.backward()


def test_derivatives_of_derivatives():
    x = torch.tensor(2.0, requires_grad=True)
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (12, 12)
    assert torch.autograd.gradcheck(torch.tanh, x.detach().double().requires_grad_())


def test_modes():
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        assert not (x * 2).requires_grad
    with torch.inference_mode():
        assert (x * 2).is_inference()
    assert not x.detach().requires_grad


def test_a_stale_value_is_refused():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.sum().backward()


def test_writing_through_a_view():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    y[1:].mul_(5)
    y.sum().backward()
    assert x.grad.tolist() == [1, 5, 5]


def test_hooks_and_retained_gradients():
    x = torch.ones(1, requires_grad=True)
    y = x * 3
    y.retain_grad()
    handle = x.register_hook(lambda gradient: gradient * 10)
    (y * 2).sum().backward()
    handle.remove()
    assert y.grad.item() == 2 and x.grad.item() == 60


def test_a_custom_function():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            ctx.save_for_backward(value)
            return value * 2

        @staticmethod
        def backward(ctx, gradient):
            assert ctx.saved_tensors[0].item() == 1
            return gradient * 2

    x = torch.ones(1, requires_grad=True)
    Double.apply(x).backward()
    assert x.grad.item() == 2


def test_saved_tensor_hooks_and_checkpoints():
    x = torch.ones(1, requires_grad=True)
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: packed.append(1) or tensor, lambda tensor: tensor):
        y = x.exp()
    y.backward()
    checkpoint(lambda value: value.exp().exp(), x, use_reentrant=False).backward()
    assert packed == [1] and x.grad.item() == pytest.approx(math.e + math.exp(math.e + 1))


def test_anomaly_mode_names_the_node():
    x = torch.zeros(1, requires_grad=True)
    with pytest.warns(UserWarning), torch.autograd.detect_anomaly():
        y = x.sqrt() * 0
        with pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan values in its 0th output"):
            y.backward()


# --- networks -----------------------------------------------------------------------------------------------------


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.dropout = nn.Dropout(0.1)
        self.linear = nn.Linear(4 * 3 * 3, 3)

    def forward(self, images):  # (batch, 1, 8, 8)
        maps = nn.functional.max_pool2d(self.norm(self.convolution(images)).relu(), 2)
        return self.linear(self.dropout(maps.flatten(1)))


@pytest.mark.parametrize("kind", [optim.SGD, optim.Adam, optim.AdamW], ids=lambda kind: kind.__name__)
def test_training_a_network(kind):
    network = Network()
    optimizer = kind(network.parameters(), lr=0.05)
    images, labels = torch.randn(12, 1, 8, 8), torch.arange(12) % 3
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_the_state_of_a_network_can_be_carried_over():
    first, second = Network().eval(), Network().eval()
    images = torch.randn(2, 1, 8, 8)
    assert not torch.equal(first(images), second(images))
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(images), second(images))


def test_embedding_layer_norm_and_sequential():
    network = nn.Sequential(nn.Embedding(10, 6), nn.LayerNorm(6), nn.Linear(6, 2), nn.GELU())
    network(torch.tensor([[1, 2], [3, 4]])).sum().backward()
    assert all(parameter.grad is not None for parameter in network.parameters())


def test_losses_are_zero_for_the_right_answer():
    answer = torch.tensor([0.2, 0.9])
    for loss in (nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss()):
        assert loss(answer, answer).item() == 0
    assert nn.BCELoss()(torch.tensor([0.0, 1.0]), torch.tensor([0.0, 1.0])).item() == 0
    assert nn.NLLLoss()(torch.tensor([[0.0, -9.0]]), torch.tensor([0])).item() == 0


# --- the rest -----------------------------------------------------------------------------------------------------


def test_comparing_in_tests():
    torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-7)
    with pytest.raises(AssertionError, match="^Tensor-likes are not close!"):
        torch.testing.assert_close(torch.ones(2), torch.zeros(2))
    assert torch.testing.make_tensor(2, dtype=torch.int8, device="cpu").dtype is torch.int8


def test_an_error_says_what_pytorch_says_and_then_why():
    with pytest.raises(RuntimeError, match=r"^Can't call numpy\(\) on Tensor that requires grad") as failure:
        torch.ones(1, requires_grad=True).numpy()
    assert failure.value.__notes__
    with pytest.raises(AttributeError, match="^module 'torch' has no attribute 'no_such_name'"):
        torch.no_such_name  # noqa: B018


def test_pickles_of_networks_go_through_files():
    stream = io.BytesIO()
    pickle.dump(Network().state_dict(), stream)
    stream.seek(0)
    assert pickle.load(stream).keys() == Network().state_dict().keys()
