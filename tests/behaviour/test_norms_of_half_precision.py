"""Norms of half precision are computed in float32: weights and biases too, beside which no kernel takes the input.

In evaluation the input alone comes as it is: what is done to it is one formula, whose kernel converts.
"""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.tables import entered, xp

F = torch.nn.functional
WAYS = {
    "batch": lambda x, w, b: F.batch_norm(x, w.detach(), w.detach() ** 2, w, b, training=True),
    "fixed": lambda x, w, b: F.batch_norm(x, w.detach(), w.detach() ** 2, w, b),
    "group": lambda x, w, b: F.group_norm(x, 3, w, b),
}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_what_computes_norms_is_given_one_dtype(way, dtype, monkeypatch):
    seen = []
    for name in (f"{way}_normalized", f"{way}_normalized_gradients"):
        kept = entered(xp, name)

        def noting(*given, kept=kept):
            seen.append([each.dtype for each in given if isinstance(each, np.ndarray)])
            return kept(*given)

        monkeypatch.setattr(xp, name, noting)
    x, w, b = torch.randn(4, 6, 5, requires_grad=True), torch.rand(6, requires_grad=True), torch.rand(6)
    WAYS[way](x.to(dtype), w.to(dtype), b.to(dtype)).sum().backward()
    assert len(seen) == 2
    if way == "fixed":
        assert seen[0].pop(0).itemsize == 2
    assert {each for kinds in seen for each in kinds} == {np.dtype(np.float32)}
    assert x.grad.dtype == w.grad.dtype == torch.float32


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_wide_parameters_of_group_norm_have_wide_gradients(torch, dtype):
    torch.manual_seed(0)
    layer = torch.nn.GroupNorm(2, 8)
    wide = torch.nn.GroupNorm(2, 8)
    x = torch.randn(2, 8, 4, 4).to(getattr(torch, dtype))
    grad = torch.randn(2, 8, 4, 4).to(x.dtype)
    layer(x).backward(grad)
    wide(x.float()).backward(grad.float())
    for name in ("weight", "bias"):
        result, wanted = getattr(layer, name).grad, getattr(wide, name).grad
        assert result.dtype == torch.float32
        torch.testing.assert_close(result, wanted, rtol=1e-5, atol=1e-5)
