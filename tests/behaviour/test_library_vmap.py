"""Operators of a program under vmap: by the rule that is registered for batches, or one sample after the other."""

import importlib
import uuid
import warnings

import numpy as np
import pytest


@pytest.fixture
def square(torch):
    """An operator that reads its elements through NumPy, as a kernel outside of the package does."""
    library = importlib.import_module(f"{torch.__name__}.library")

    def kernel(x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.asarray(x.numpy() ** 2))

    return library.custom_op(f"of_tests::square_{uuid.uuid4().hex}", kernel, mutates_args=())


@pytest.fixture
def x(torch):
    return torch.arange(6.0).reshape(3, 2)


def test_without_a_rule_it_is_called_for_each_sample(torch, square, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.vmap(square)(x).tolist() == (x * x).tolist()
        assert torch.vmap(torch.vmap(square))(x).tolist() == (x * x).tolist()
        assert torch.vmap(square, in_dims=1)(x).tolist() == (x * x).T.tolist()


def test_a_registered_rule_gets_the_whole_batch(torch, square, x):
    sizes = []

    @square.register_vmap
    def rule(info, in_dims, values):
        sizes.append(info.batch_size)
        return square(values), in_dims[0]

    assert torch.vmap(square)(x).tolist() == (x * x).tolist()
    assert sizes == [3]


def test_what_all_samples_share_is_computed_once(torch, square, x):
    calls = []

    @square.register_vmap
    def rule(info, in_dims, values):
        calls.append(in_dims)
        return square(values), in_dims[0]

    assert torch.vmap(lambda row: square(torch.full((2,), 3.0)) + row)(x).tolist() == (x + 9).tolist()
    assert calls == []


def test_a_gradient_inside_is_refused(torch, square, x):
    square.register_autograd(
        lambda ctx, g: 2 * g * ctx.saved_tensors[0],
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    with pytest.raises(RuntimeError, match="must override the setup_context staticmethod"):
        torch.vmap(torch.func.grad(lambda row: square(row).sum()))(x)
