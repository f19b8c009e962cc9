"""Hooks on saved tensors inside transforms, which PyTorch refuses: derivatives of every order are those without."""

import pytest

import rushlight as torch

HOOKS = {
    "save_on_cpu": torch.autograd.graph.save_on_cpu,
    "the tensor itself": lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x),
}


@pytest.mark.parametrize("hooks", HOOKS.values(), ids=HOOKS)
@pytest.mark.parametrize("transform", [torch.func.hessian, torch.func.grad, torch.func.jacfwd])
def test_derivatives(transform, hooks):
    x = torch.tensor([0.5, -1.0, 2.0])

    def function(x):
        return (x.sin() * x.exp()).sum()

    with hooks():
        result = transform(function)(x)
    assert result.tolist() == transform(function)(x).tolist()
