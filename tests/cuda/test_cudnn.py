"""Convolutions by cuDNN, which here is a fake: what it is called with, and that results and gradients are the CPU's."""

import importlib.util
from threading import Thread

import pytest

import rushlight as torch
from rushlight.core.device import BACKENDS

from . import fake_cudnn
from .fake_cudnn.operators import OPERATORS

F = torch.nn.functional
CALLS = {
    "1d": (F.conv1d, (2, 4, 9), (6, 2, 3), {"stride": 2, "padding": 1, "groups": 2}),
    "2d": (F.conv2d, (2, 3, 8, 7), (4, 3, 3, 2), {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)}),
    "3d": (F.conv3d, (1, 2, 4, 5, 3), (3, 2, 2, 2, 2), {}),
    "transposed 1d": (F.conv_transpose1d, (2, 4, 5), (4, 3, 3), {"stride": 2, "output_padding": 1}),
    "transposed 2d": (F.conv_transpose2d, (2, 4, 5, 4), (4, 2, 3, 3), {"stride": 2, "padding": 1, "groups": 2}),
    "padded by a stride": (F.conv_transpose2d, (1, 2, 3, 3), (2, 2, 2, 2), {"dilation": 2, "output_padding": 1}),
}


def computed(device, call, shapes, options, dtype, layout=torch.contiguous_format):
    function, *_ = call
    generator = torch.Generator().manual_seed(4)
    leaves = [torch.randn(shape, generator=generator).to(device, dtype) for shape in shapes]
    if layout is torch.channels_last:
        leaves = [each.to(memory_format=layout) if each.ndim == 4 else each for each in leaves]
    leaves = [each.requires_grad_() for each in leaves]
    result = function(*leaves, **options)
    weight = torch.randn(result.shape, generator=torch.Generator().manual_seed(5)).to(device, dtype)
    gradients = torch.autograd.grad((result * weight).sum(), leaves)
    return [result.detach(), *gradients]


def compare(first, second, dtype):
    error = {torch.float64: 1e-12, torch.float32: 2e-5, torch.float16: 2e-2, torch.bfloat16: 0.2}[dtype]
    for one, other in zip(first, second, strict=True):
        assert (one.shape, one.stride(), one.dtype) == (other.shape, other.stride(), other.dtype)
        assert torch.allclose(one.cpu().double(), other.double(), rtol=error, atol=error)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_results_and_gradients_are_those_of_the_cpu(counts, call, dtype):
    _, image, weight, options = call
    channels = weight[1] * options.get("groups", 1) if call[0].__name__.startswith("conv_tr") else weight[0]
    shapes = image, weight, (channels,)
    compare(computed("cuda", call, shapes, options, dtype), computed("cpu", call, shapes, options, dtype), dtype)
    if not (dtype is torch.float64 and len(image) == 5):  # has no kernel in the fake
        assert counts.executed.count("conv_wgrad") == 1 and len(counts.executed) >= 2


def test_channels_last_is_kept(counts):
    call = CALLS["2d"]
    shapes = call[1], call[2], (4,)
    got, expected = (
        computed(device, call, shapes, call[3], torch.float32, torch.channels_last) for device in ("cuda", "cpu")
    )
    compare(got, expected, torch.float32)
    assert got[0].is_contiguous(memory_format=torch.channels_last) and len(counts.executed) == 3


def test_a_graph_is_built_once_for_its_kind_of_call(counts):
    x, w = torch.ones(2, 3, 6, 6, device="cuda"), torch.ones(4, 3, 3, 3, device="cuda")
    for _ in range(3):
        F.conv2d(x, w)
    assert (counts.built, len(counts.executed)) == (1, 3)
    F.conv2d(x[:, :, ::2], w)  # another shape, and not dense
    assert (counts.built, len(counts.executed)) == (2, 4)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_views_that_begin_at_other_addresses_are_copied(counts, layout):
    images = torch.arange(3 * 3 * 5 * 5.0).reshape(3, 3, 5, 5).to(memory_format=layout)
    weights = torch.arange(2 * 3 * 3 * 3 + 1.0)
    got, expected = (
        F.conv2d(images.to(device)[1:], weights.to(device)[1:].reshape(2, 3, 3, 3)) for device in ("cuda", "cpu")
    )
    compare([got], [expected], torch.float32)
    assert len(counts.executed) == 1


def test_the_plan_that_was_not_used_for_the_longest_time_goes_first(counts, graphs):
    graphs.most = 2
    w = torch.ones(2, 2, 3, 3, device="cuda")
    images = [torch.ones(1, 2, size, size, device="cuda") for size in (4, 5, 6)]
    for number, built in ((0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (1, 4)):
        F.conv2d(images[number], w)
        assert (counts.built, len(graphs.here.plans)) == (built, min(built, 2))


def test_that_there_is_no_kernel_is_kept_too(counts):
    x, w = (torch.ones(1, 1, 2, 2, 2, device="cuda", dtype=torch.float64) for _ in range(2))
    assert [F.conv3d(x, w).item() for _ in range(3)] == [8, 8, 8]
    assert (counts.described, counts.built) == (1, 0)


def test_threads_share_neither_handles_nor_plans(counts):
    x, w = torch.ones(1, 2, 5, 5, device="cuda"), torch.ones(2, 2, 3, 3, device="cuda")
    for thread in [Thread(target=lambda: [F.conv2d(x, w) for _ in range(2)]) for _ in range(2)]:
        thread.start()
        thread.join()
    assert (counts.handles, counts.built, len(counts.executed)) == (2, 2, 4)


def test_second_derivatives(counts):
    x = torch.randn(1, 2, 5, 5, device="cuda", dtype=torch.float64, requires_grad=True)
    w = torch.randn(3, 2, 3, 3, device="cuda", dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(F.conv2d, (x, w))
    assert {"conv_fprop", "conv_dgrad", "conv_wgrad"} == set(counts.executed)


def test_gradients_by_differences_on_a_gpu():
    with torch.cuda.simulate():
        x = torch.randn(3, device="cuda", dtype=torch.complex128, requires_grad=True)
        assert torch.autograd.gradcheck(lambda x: (x * x).sin(), x) and torch.autograd.gradgradcheck(torch.exp, x)


def test_switches_choose_kernels(counts):
    x, w = torch.ones(1, 2, 5, 5, device="cuda"), torch.ones(2, 2, 3, 3, device="cuda")
    notes = fake_cudnn.numerical_note
    F.conv2d(x, w)
    assert counts.deselected == []
    with torch.backends.cudnn.flags(enabled=True, deterministic=True, allow_tf32=False):
        F.conv2d(x, w)
    assert counts.deselected == [notes.TENSOR_CORE, notes.NONDETERMINISTIC]
    torch.use_deterministic_algorithms(True)
    try:
        F.conv2d(x, w)
    finally:
        torch.use_deterministic_algorithms(False)
    assert counts.deselected[2:] == [notes.NONDETERMINISTIC]
    before = len(counts.executed)
    with torch.backends.cudnn.flags(enabled=False):
        F.conv2d(x, w)
    assert len(counts.executed) == before


def test_a_stream_gets_the_work(counts):
    side = torch.cuda.Stream()
    x, w = torch.ones(1, 2, 5, 5, device="cuda"), torch.ones(2, 2, 3, 3, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # the fake compares the handle's stream with the current one
        result = F.conv2d(x, w) + 1
    torch.cuda.current_stream().wait_stream(side)
    assert result.sum().item() == 2 * 9 * 19


def test_the_switches_know_whether_it_is_there(counts, monkeypatch):
    cudnn = torch.backends.cudnn
    x = torch.ones(2, device="cuda")
    assert (cudnn.is_available(), cudnn.version(), cudnn.is_acceptable(x)) == (False, None, False)
    monkeypatch.setattr(BACKENDS.by_kind["cuda"], "cudnn", fake_cudnn)
    assert (cudnn.is_available(), cudnn.version()) == (True, 91002)
    assert [cudnn.is_acceptable(each) for each in (x, x.cpu(), x.long())] == [True, False, False]


def test_empty_and_complex_tensors_are_left_to_the_language(counts):
    w = torch.ones(2, 2, 3, 3, device="cuda")
    assert F.conv2d(torch.ones(0, 2, 5, 5, device="cuda"), w).shape == (0, 2, 3, 3)
    whole = torch.ones(1, 2, 5, 5, device="cuda", dtype=torch.complex64)
    assert F.conv2d(whole, w.to(torch.complex64)).sum().item() == 2 * 9 * 18
    assert counts.executed == []


@pytest.mark.skipif(importlib.util.find_spec("cudnn") is None, reason="NVIDIA's cudnn frontend is not installed")
def test_the_fake_has_the_names_of_the_frontend():
    import cudnn

    for name in ("create_handle", "set_stream", "pygraph", "cudnnGraphNotSupportedError"):
        assert hasattr(cudnn, name)
    for kind in ("data_type", "heur_mode", "numerical_note"):
        assert {each.name for each in getattr(fake_cudnn, kind)} <= set(dir(getattr(cudnn, kind)))
    for name in (*vars(fake_cudnn.pygraph), *OPERATORS):
        assert name.startswith("_") or hasattr(cudnn.pygraph, name)


@pytest.mark.skipif(importlib.util.find_spec("cudnn") is None, reason="NVIDIA's cudnn frontend is not installed")
@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_the_fake_has_the_keywords_of_the_frontend(operator):
    import cudnn

    signature = getattr(cudnn._pybind_module.backend_graph, operator.name).__doc__
    for name in (*operator.operands, *operator.settings):
        assert f" {name}: " in signature.partition("Overloaded")[0]
