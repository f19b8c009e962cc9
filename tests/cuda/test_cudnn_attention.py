"""Attention by cuDNN, which here is a stand-in: values and gradients are the CPU's; which calls it gets."""

import contextlib
import math

import pytest

import rushlight as torch
from rushlight.core.device import BACKENDS
from rushlight.nn.attention import SDPBackend, sdpa_kernel

from . import fake_cudnn

F = torch.nn.functional
ERRORS = {torch.float16: 5e-3, torch.bfloat16: 5e-2}
BOTH = ["sdpa", "sdpa_backward"]


def some(shape, dtype=torch.float16, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def leaves(dtype, heads=4, groups=4, length=5, keys=6, size=8):
    """Queries, keys and values, stored as (batch, length, heads, size)."""
    shapes = (2, length, heads, size), (2, keys, groups, size), (2, keys, groups, size)
    return [some(shape, dtype, seed).transpose(1, 2) for seed, shape in enumerate(shapes)]


def computed(device, tensors, mask=None, **options):
    """The result and the gradients of queries, keys and values."""
    tensors = [each.to(device).requires_grad_() for each in tensors]
    result = F.scaled_dot_product_attention(*tensors, None if mask is None else mask.to(device), **options)
    weight = some(result.shape, seed=9).to(device)
    return [result.detach(), *torch.autograd.grad((result * weight).float().sum(), tensors)]


def compare(got, expected, error):
    for one, other in zip(got, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert torch.allclose(one.cpu().double(), other.double(), rtol=error, atol=error)


def are_stored_by_length(tensors):
    """Whether arrays (batch, heads, length, size) are stored as (batch, length, heads, size), as on the CPU."""
    return all(each.transpose(1, 2).is_contiguous() for each in tensors)


SEEN = torch.rand(2, 4, 5, 6, generator=torch.Generator().manual_seed(1)) > 0.5
BLIND = SEEN.clone()
BLIND[0, 1, 2], BLIND[1, :, 4] = False, False
CALLS = {
    "plain": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.3},
    "added scores": {"mask": some((2, 4, 5, 6), seed=4)},
    "shared added scores": {"mask": some((5, 6), seed=4)},
    "mask": {"mask": SEEN},
    "mask of keys": {"mask": torch.tensor([True] * 4 + [False] * 2).expand(2, 1, 1, 6)},
    "rows without a key": {"mask": BLIND},
    "rows of minus infinity": {"mask": torch.where(BLIND, 0.5, -math.inf)},
}


@pytest.mark.parametrize("dtype", ERRORS)
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_results_and_gradients_are_those_of_the_cpu(counts, call, dtype):
    call = dict(call)
    if call.get("mask") is not None and call["mask"].dtype is not torch.bool:
        call["mask"] = call["mask"].to(dtype)
    got, expected = (computed(device, leaves(dtype), **call) for device in ("cuda", "cpu"))
    compare(got, expected, ERRORS[dtype])
    assert counts.executed == BOTH and are_stored_by_length(got)


@pytest.mark.parametrize("call", [{}, {"is_causal": True}, {"mask": SEEN}], ids=["plain", "causal", "mask"])
@pytest.mark.parametrize("groups", [1, 2])
def test_heads_may_share_keys_and_values(counts, groups, call):
    tensors = leaves(torch.float16, groups=groups)
    got, expected = (computed(device, tensors, enable_gqa=True, **call) for device in ("cuda", "cpu"))
    compare(got, expected, 5e-3)
    assert counts.executed == BOTH and are_stored_by_length(got)


def test_operands_may_be_parts_of_one_array(counts):
    packed = some((2, 5, 3, 4, 8))  # (batch, length, one of three, heads, size)
    results = []
    for device in ("cuda", "cpu"):
        leaf = packed.to(device).requires_grad_()
        result = F.scaled_dot_product_attention(*leaf.permute(2, 0, 3, 1, 4).unbind())
        results.append([result.detach(), *torch.autograd.grad(result.float().pow(2).sum(), leaf)])
    compare(*results, 5e-3)
    assert counts.executed == BOTH


def test_addresses_and_steps_that_cudnn_does_not_take_are_copied(counts):
    wide = some((2, 4, 5, 9))  # rows begin at multiples of 18 bytes, and here at the second element
    got, expected = (F.scaled_dot_product_attention(*[wide.to(device)[..., 1:]] * 3) for device in ("cuda", "cpu"))
    compare([got], [expected], 5e-3)
    flat = some(2 * 4 * 5 * 8 + 1)
    views = [flat.to(device)[1:].reshape(2, 4, 5, 8) for device in ("cuda", "cpu")]
    compare(*[[F.scaled_dot_product_attention(each, each, each)] for each in views], 5e-3)
    assert counts.executed == ["sdpa", "sdpa"]


OTHERS = {
    "float32": (leaves(torch.float32), {}),
    "a size that is no multiple of 8": (leaves(torch.float16, size=6), {}),
    "one key": (leaves(torch.float16, keys=1), {}),
    "three dimensions": ([each[:, 0] for each in leaves(torch.float16)], {}),
    "scores in float32": (leaves(torch.float16), {"mask": some((5, 6), torch.float32)}),
}


@pytest.mark.parametrize(("tensors", "call"), OTHERS.values(), ids=list(OTHERS))
def test_other_calls_are_left_to_the_formulas(counts, tensors, call):
    got, expected = (computed(device, tensors, **call) for device in ("cuda", "cpu"))
    compare(got, expected, 5e-3)
    assert counts.executed == []


def test_added_scores_may_have_a_gradient(counts):
    results = []
    for device in ("cuda", "cpu"):
        mask = some((5, 6), seed=4).to(device).requires_grad_()
        result = F.scaled_dot_product_attention(*[each.to(device) for each in leaves(torch.float16)], mask)
        results.append(torch.autograd.grad(result.float().sum(), mask))
    compare(*results, 5e-3)
    assert counts.executed == []


def test_gradients_without_a_kernel_of_cudnn(counts):
    tensors = leaves(torch.float16, groups=2, size=136)
    got, expected = (computed(device, tensors, SEEN, enable_gqa=True) for device in ("cuda", "cpu"))
    compare(got, expected, 2e-2)
    assert counts.executed == ["sdpa"]


@pytest.mark.parametrize("groups", [2, 4])
def test_second_derivatives(counts, groups):
    twice = []
    for device in ("cuda", "cpu"):
        tensors = [each.to(device).requires_grad_() for each in leaves(torch.float16, groups=groups)]
        result = F.scaled_dot_product_attention(*tensors, is_causal=True, enable_gqa=True)
        first = torch.autograd.grad(result.float().pow(2).sum(), tensors, create_graph=True)
        twice.append(torch.autograd.grad(sum(each.float().pow(2).sum() for each in first), tensors))
    compare(*twice, 5e-2)
    assert counts.executed == BOTH  # one for the values of the second pass, the first one is formulas


def test_vmap_and_tangents_are_left_to_the_formulas(counts):
    results = []
    for device in ("cuda", "cpu"):
        tensors = [each.to(device) for each in leaves(torch.float16)]
        attend = F.scaled_dot_product_attention
        mapped = torch.func.vmap(attend, 2, 2)(*[each.unsqueeze(0) for each in tensors])
        value, tangent = torch.func.jvp(attend, tuple(tensors), tuple(tensors))
        results.append([mapped, value, tangent])
    compare(*results, 1e-2)
    assert counts.executed == []


def test_dropout_is_left_to_the_formulas(counts):
    tensors = [each.to("cuda") for each in leaves(torch.float16)]
    assert F.scaled_dot_product_attention(*tensors, dropout_p=0.5).isfinite().all()
    assert counts.executed == []


def test_half_precision_without_cudnn(device):
    tensors = leaves(torch.float16, groups=2)
    got, expected = (computed(place, tensors, SEEN, enable_gqa=True) for place in ("cuda", "cpu"))
    compare(got, expected, 5e-3)


@pytest.mark.parametrize(
    ("kernels", "executed"),
    [
        (SDPBackend.CUDNN_ATTENTION, BOTH),
        (SDPBackend.MATH, []),
        (SDPBackend.FLASH_ATTENTION, BOTH),  # cuDNN's is the fused kernel there is
        ([SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION], BOTH),
        ([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH], []),
        ([SDPBackend.CUDNN_ATTENTION, SDPBackend.MATH], BOTH),
        ([], []),
    ],
)
def test_a_context_chooses_the_kernel(counts, kernels, executed):
    with sdpa_kernel(kernels):
        computed("cuda", leaves(torch.float16))
    assert counts.executed == executed


def test_switches_choose_the_kernel(counts):
    switches = torch.backends.cuda
    tensors = [each.to("cuda") for each in leaves(torch.float16)]
    for enabled in (False, True):
        switches.enable_cudnn_sdp(enabled)
        F.scaled_dot_product_attention(*tensors)
        assert counts.executed == ["sdpa"] * enabled
    with sdpa_kernel([]):
        for enable in (switches.enable_flash_sdp, switches.enable_mem_efficient_sdp, switches.enable_math_sdp):
            enable(True)
            F.scaled_dot_product_attention(*tensors)
    assert counts.executed == 3 * ["sdpa"]  # not where the formulas are enabled and cuDNN is not
    with torch.backends.cudnn.flags(enabled=False):
        F.scaled_dot_product_attention(*tensors)
    assert counts.executed == 3 * ["sdpa"]


def test_whether_cudnn_takes_a_call(counts, monkeypatch):
    cuda = torch.backends.cuda
    narrow, wide = (
        cuda.SDPAParams(*leaves(dtype), None, 0.0, False, False) for dtype in (torch.float16, torch.float32)
    )
    there = cuda.SDPAParams(*[each.to("cuda") for each in leaves(torch.float16)], None, 0.0, False, False)
    odd = cuda.SDPAParams(*[each.to("cuda") for each in leaves(torch.float16, size=6)], None, 0.0, False, False)
    assert not cuda.can_use_cudnn_attention(there)  # a simulated GPU has none
    monkeypatch.setattr(BACKENDS.by_kind["cuda"], "cudnn", fake_cudnn)
    assert [cuda.can_use_cudnn_attention(each) for each in (there, odd, narrow, wide)] == [True, False, False, False]
    with sdpa_kernel(SDPBackend.MATH):
        assert not cuda.can_use_cudnn_attention(there)
    there.dropout = 0.1
    assert not cuda.can_use_cudnn_attention(there) and not cuda.can_use_flash_attention(there)


def test_a_switch_between_forward_and_backward(counts):
    tensors = [each.to("cuda").requires_grad_() for each in leaves(torch.float16)]
    loss = F.scaled_dot_product_attention(*tensors, is_causal=True).float().pow(2).sum()
    with torch.backends.cudnn.flags(enabled=False):
        got = torch.autograd.grad(loss, tensors)
    assert counts.executed == ["sdpa"]
    again = [each.detach().cpu().requires_grad_() for each in tensors]
    loss = F.scaled_dot_product_attention(*again, is_causal=True).float().pow(2).sum()
    compare(got, torch.autograd.grad(loss, again), 1e-2)


@contextlib.contextmanager
def deterministic_algorithms():
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize(
    "wanted", [lambda: torch.backends.cudnn.flags(enabled=True, deterministic=True), deterministic_algorithms]
)
def test_deterministic_kernels(counts, graphs, wanted):
    with wanted():
        computed("cuda", leaves(torch.float16))
    (backward,) = [call for call, *_ in graphs.here.plans if call.operator == "sdpa_backward"]
    assert dict(backward.settings)["use_deterministic_algorithm"] is True


def test_a_captured_step(counts):
    fixed = [each.to("cuda").requires_grad_() for each in leaves(torch.float16)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = F.scaled_dot_product_attention(*fixed, is_causal=True)
        gradients = torch.autograd.grad(result.float().pow(2).sum(), fixed)
    tensors = [(each * 2).requires_grad_() for each in leaves(torch.float16)]
    with torch.no_grad():
        for each, values in zip(fixed, tensors, strict=True):
            each.copy_(values)
    graph.replay()
    expected = F.scaled_dot_product_attention(*tensors, is_causal=True)
    wanted = torch.autograd.grad(expected.float().pow(2).sum(), tensors)
    compare([result.detach(), *gradients], [expected.detach(), *wanted], 2e-2)
    assert counts.executed == BOTH + BOTH
