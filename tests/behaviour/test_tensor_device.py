"""Devices: their names, tensors without numbers on `meta`, and the simulated GPU."""

import os
import subprocess
import sys

import numpy as np
import pytest

# PyTorch has no simulated GPU, so what needs one runs under rushlight alone; the texts are PyTorch's own.
only_rushlight = pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
# The simulated GPU announces itself once per process.
pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")


@pytest.fixture
def cuda(torch):
    """The simulated GPU, switched on for one test."""
    with torch.cuda.simulate():
        yield torch.device("cuda", 0)


@pytest.mark.parametrize(
    ("arguments", "kind", "index", "text"),
    [
        ("'cpu'", "cpu", None, "cpu"),
        ("'cpu:0'", "cpu", 0, "cpu:0"),
        ("'cuda'", "cuda", None, "cuda"),
        ("'cuda:1'", "cuda", 1, "cuda:1"),
        ("'cuda', 1", "cuda", 1, "cuda:1"),
        ("type='cuda', index=0", "cuda", 0, "cuda:0"),
        ("'meta'", "meta", None, "meta"),
        ("torch.device('cuda:2')", "cuda", 2, "cuda:2"),
    ],
)
def test_device(torch, arguments, kind, index, text):
    device = eval(f"torch.device({arguments})", {"torch": torch})
    assert (device.type, device.index, str(device)) == (kind, index, text)
    assert repr(device) == (f"device(type='{kind}')" if index is None else f"device(type='{kind}', index={index})")
    assert device == torch.device(text)
    assert hash(device) == hash(torch.device(text))
    assert device != torch.device("cuda:7")


@pytest.mark.parametrize(
    "expression", ["torch.device('foo')", "torch.ones(1, device='foo')", "torch.ones(1).to('foo')"]
)
def test_unknown_devices(torch, expression):
    with pytest.raises(RuntimeError, match="^Expected one of cpu, cuda, .* device type at start of device string: foo"):
        eval(expression, {"torch": torch})


def test_a_cpu_tensor(torch):
    x = torch.ones(2, device="cpu")
    assert x.device == torch.device("cpu")
    assert x.device.type == "cpu"
    assert (x.is_cuda, x.is_meta, x.get_device()) == (False, False, -1)
    assert x.layout is torch.strided
    assert x.to(x.device) is x


def test_meta_tensors_know_everything_but_their_numbers(torch):
    x = torch.zeros(2, 3, device="meta", dtype=torch.float16)
    assert (x.shape, x.stride(), x.dtype, x.is_meta) == ((2, 3), (3, 1), torch.float16, True)
    assert x.device == torch.device("meta")
    assert (x + 1).shape == (2, 3)
    assert (x @ torch.zeros(3, 4, device="meta", dtype=torch.float16)).shape == (2, 4)
    assert x.sum(0).shape == (3,)
    assert x.float().var(0).shape == x.float().std(0).shape == (3,)
    assert x.t().stride() == (1, 3)
    assert x[:, 1:].shape == (2, 2)
    assert x.float().dtype is torch.float32
    assert torch.ones(2).to("meta").is_meta
    assert torch.empty_like(torch.ones(4), device="meta").shape == (4,)
    assert repr(x) == "tensor(..., device='meta', size=(2, 3), dtype=torch.float16)"


def test_meta_tensors_are_large_for_free(torch):
    huge = torch.empty(10**6, 10**6, device="meta")
    assert (huge @ huge).numel() == 10**12


@pytest.mark.parametrize(
    ("expression", "error", "first_line"),
    [
        ("x.tolist()", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("x.cpu()", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("x.to('cpu')", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("x[0, 0].item()", RuntimeError, "Tensor.item() cannot be called on meta tensors"),
        ("bool(x[0, 0])", RuntimeError, "Tensor.item() cannot be called on meta tensors"),
        (
            "x.numpy()",
            TypeError,
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
        ),
        ("x + torch.ones(3)", RuntimeError, "Tensor on device cpu is not on the expected device meta!"),
    ],
)
def test_meta_tensors_refuse_what_needs_numbers(torch, expression, error, first_line):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch, "x": torch.zeros(2, 3, device="meta")})
    assert str(caught.value).splitlines()[0] == first_line


def test_meta_takes_part_in_autograd(torch):
    x = torch.ones(2, 3, device="meta", requires_grad=True)
    y = (x * 2).sum()
    assert y.grad_fn.name() == "SumBackward0"
    y.backward()
    assert (x.grad.is_meta, x.grad.shape) == (True, (2, 3))


def test_no_gpu(torch):
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    assert torch.cuda.device_count() == 0
    assert (torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated(), torch.cuda.memory_reserved()) == (0, 0, 0)
    assert torch.cuda.is_bf16_supported() is False
    for use in [lambda: torch.ones(1).cuda(), lambda: torch.ones(1).to("cuda"), lambda: torch.ones(1, device="cuda")]:
        with pytest.raises(AssertionError, match="^Torch not compiled with CUDA enabled"):
            use()


@only_rushlight
def test_the_simulated_gpu_is_there_only_while_asked_for(torch):
    assert not torch.cuda.is_available()
    with torch.cuda.simulate():
        assert torch.cuda.is_available()
        assert torch.cuda.device_count() >= 1
        assert torch.cuda.current_device() == 0
    assert not torch.cuda.is_available()


def printed_and_announced(program, **environment):
    """The output of a program, and what it wrote to the error stream."""
    inherited = {name: value for name, value in os.environ.items() if name != "RUSHLIGHT_SIMULATE_CUDA"}
    finished = subprocess.run(
        [sys.executable, "-c", "import rushlight as torch\n" + program],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return finished.stdout.split(), finished.stderr


@only_rushlight
def test_the_simulated_gpu_for_a_whole_program(torch):
    use = "print(torch.ones(1).cuda().device, torch.cuda.is_available())\n"
    by_call, announced = printed_and_announced("torch.cuda.simulate()\n" + use)
    assert by_call == ["cuda:0", "True"]
    assert "simulat" in announced.lower()
    by_variable, announced = printed_and_announced(use, RUSHLIGHT_SIMULATE_CUDA="1")
    assert by_variable == ["cuda:0", "True"]
    assert "simulat" in announced.lower()
    _, announced_once = printed_and_announced(use * 5, RUSHLIGHT_SIMULATE_CUDA="1")
    assert announced_once == announced
    assert printed_and_announced("print(torch.cuda.is_available())") == (["False"], "")


@only_rushlight
def test_moving_copies(torch, cuda):
    x = torch.arange(3.0)
    y = x.cuda()
    assert (y.is_cuda, y.device, y.get_device()) == (True, cuda, 0)
    x[0] = 9
    assert y.cpu().tolist() == [0, 1, 2]
    back = y.cpu()
    back[1] = 9
    assert y.tolist() == [0, 1, 2]
    assert y.cuda() is y.to("cuda") is y.to("cuda:0") is y.to(cuda) is y
    assert x.cpu() is x
    assert y.to("cpu", torch.int64).dtype is torch.int64
    assert torch.zeros(1).to(y).is_cuda


@only_rushlight
def test_results_stay_on_the_device(torch, cuda):
    x = torch.ones(2, 3, device="cuda")
    for result in [x + 1, 2 * x, x.sum(), x[0], x.t() @ x, x.exp(), x > 0, torch.zeros_like(x), x.new_ones(1)]:
        assert result.device == cuda
    for result in [torch.where(x > 0, 1.0, 0.0), (x > 0).any(), x.argmax(), x[:, 0], x.view(-1), torch.cat([x, x])]:
        assert result.device == cuda
    assert torch.randn(2, device=cuda).is_cuda
    assert (x + torch.tensor(2.0)).device == cuda  # a 0-d tensor of the CPU may join in
    x[0] = torch.zeros(3)  # and so may a value that is copied in
    assert x.cpu().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert repr(torch.ones(1, device="cuda")) == "tensor([1.], device='cuda:0')"
    assert x.type() == "torch.cuda.FloatTensor"


@only_rushlight
@pytest.mark.parametrize(
    ("expression", "error", "start"),
    [
        ("x + torch.ones(3)", RuntimeError, "Expected all tensors to be on the same device"),
        ("torch.cat([x, torch.ones(3)])", RuntimeError, "Expected all tensors to be on the same device"),
        ("x @ torch.ones(3)", RuntimeError, "Expected all tensors to be on the same device"),
        ("x.add_(torch.ones(3))", RuntimeError, "Expected all tensors to be on the same device"),
        (
            "x.numpy()",
            TypeError,
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor",
        ),
        ("np.asarray(x)", TypeError, "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy"),
    ],
)
def test_the_simulated_gpu_refuses(torch, cuda, expression, error, start):
    x = torch.ones(3, device="cuda")
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch, "np": np, "x": x})
    assert str(caught.value).startswith(start)
    assert x.tolist() == [1, 1, 1]


@only_rushlight
def test_gradients_cross_devices(torch, cuda):
    x = torch.ones(3, requires_grad=True)
    y = x.cuda()
    assert y.grad_fn.name() == "ToCopyBackward0"
    (y * 2).sum().backward()
    assert (x.grad.device, x.grad.tolist()) == (torch.device("cpu"), [2, 2, 2])
    w = torch.ones(3, device=cuda, requires_grad=True)
    w.cpu().sum().backward()
    assert w.grad.device == cuda


@only_rushlight
def test_a_bias_is_added_once(torch, cuda):
    x, weight, bias = torch.ones(1, 2, 5), torch.ones(3, 2, 2), torch.tensor([10.0, 20.0, 30.0])
    for dtype in (torch.float32, torch.float64, torch.float16):
        arguments = [each.to(dtype) for each in (x, weight, bias)]
        there = torch.conv1d(*[each.to(cuda) for each in arguments])
        assert torch.equal(there.cpu(), torch.conv1d(*arguments))


@only_rushlight
def test_modules_move(torch, cuda):
    model = torch.nn.Linear(3, 2)
    weight = model.weight
    assert model.to("cuda") is model
    assert model.weight is weight
    assert (model.weight.device, model.bias.device, model(torch.ones(1, 3).cuda()).device) == (cuda, cuda, cuda)
    assert model.cpu().weight.device == torch.device("cpu")


@only_rushlight
def test_pinned_memory_with_a_gpu(torch, cuda):
    x = torch.ones(2).pin_memory()
    assert x.device == torch.device("cpu")
    assert x.cuda(non_blocking=True).tolist() == [1, 1]


@only_rushlight
def test_a_default_device(torch, cuda):
    with torch.device("cuda"):
        assert torch.ones(1).is_cuda
        assert torch.tensor([1.0]).is_cuda
    assert not torch.ones(1).is_cuda


def test_a_default_device_that_is_there(torch):
    with torch.device("meta"):
        assert torch.ones(2).is_meta
    assert not torch.ones(2).is_meta


@pytest.mark.parametrize("counts", [(2,), (2, 1), (0, 3), (3, 1, 2), ()])
def test_repeating_without_memory_has_the_shape_of_repeating_with_it(torch, counts):
    for x in (torch.ones(3), torch.ones(2, 3).t(), torch.ones(1, 0), torch.ones(())):
        if len(counts) < x.dim():
            continue
        repeated, hollow = x.repeat(counts), x.to("meta").repeat(counts)
        assert hollow.is_meta
        assert (hollow.shape, hollow.stride()) == (repeated.shape, repeated.stride())


@pytest.mark.parametrize("arguments", [(-1,), ("cpu", -1), ("cuda", -2)])
def test_an_index_is_not_negative(torch, arguments):
    with pytest.raises(RuntimeError, match="Device index must not be negative"):
        torch.device(*arguments)
