"""Several GPUs, the current one, and what a GPU tells of itself: with simulated GPUs, under rushlight alone.

The texts of errors are PyTorch's.
"""

import copy
import gc
import pickle
import threading

import pytest

import rushlight as torch

pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")


@pytest.fixture
def two():
    gc.collect()  # tensors of other tests, which would be collected in the middle of one that counts memory
    with torch.cuda.simulate(devices=2):
        yield torch.cuda


def test_there_are_as_many_as_asked_for():
    assert torch.cuda.device_count() == 0
    with torch.cuda.simulate(devices=3):
        assert torch.cuda.device_count() == 3
        with torch.cuda.simulate():  # what is there stays
            assert torch.cuda.device_count() == 3
        with torch.cuda.simulate(devices=1):
            assert torch.cuda.device_count() == 1
        assert torch.cuda.device_count() == 3
    assert torch.cuda.device_count() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"devices": 0}, "devices is a number from 1 to 64, not 0"),
        ({"memory": "much"}, "memory is a size like"),
        ({"memory": 0}, "memory is a size like"),
        ({"memory": True}, "memory is a size like"),
        ({"memory": -5}, "memory is a size like"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_simulated(arguments, message):
    with pytest.raises(ValueError, match=message):
        torch.cuda.simulate(**arguments)
    assert not torch.cuda.is_available()


@pytest.mark.parametrize(
    ("memory", "size"), [("1GB", 2**30), ("1.5 MiB", 3 * 2**19), (4096, 4096), ("2K", 2048), ("7B", 7)]
)
def test_a_size_of_memory_in_bytes_or_as_text(memory, size):
    with torch.cuda.simulate(memory=memory):
        assert torch.cuda.get_device_properties().total_memory == torch.cuda.mem_get_info()[1] == size


def test_tensors_stay_on_their_device(two):
    x = torch.arange(6.0, device="cuda:1").reshape(2, 3).requires_grad_()
    results = [x * 2, x.sum(), x @ x.T, x[0], torch.cat([x, x]), torch.zeros_like(x), x.new_ones(2), x.half() + 1]
    assert {result.device for result in results} == {torch.device("cuda:1")}
    (x * x).sum().backward()
    assert x.grad.device == x.device and x.grad.tolist() == [[0, 2, 4], [6, 8, 10]]
    assert copy.deepcopy(x).device == x.detach().clone().device == x.device
    assert repr(x.detach()[0, :1]) == "tensor([0.], device='cuda:1')"


def test_a_copy_between_devices_is_a_copy_and_keeps_the_history(two):
    x = torch.ones(3, device="cuda:0", requires_grad=True)
    y = x.to("cuda:1")
    y.detach()[0] = 9
    assert y.device.index == 1 and x.tolist() == [1, 1, 1]
    (y * 3).sum().backward()
    assert x.grad.device == x.device and x.grad.tolist() == [3, 3, 3]
    z = torch.zeros(3, device="cuda:1")
    z.copy_(x.detach())
    assert z.tolist() == [1, 1, 1] and z.device.index == 1


@pytest.mark.parametrize(
    "use", ["x + y", "x @ y", "torch.cat([x, y])", "torch.stack([x, y])", "x.add_(y)", "torch.where(x > 0, x, y)"]
)
def test_devices_do_not_mix(two, use):
    x, y = torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")
    with pytest.raises(RuntimeError) as caught:
        eval(use, {"torch": torch, "x": x, "y": y})
    words = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!"
    assert str(caught.value) == words
    assert x.tolist() == [1, 1]


def test_the_current_device_is_what_no_index_means(two):
    assert two.current_device() == 0
    with two.device(1):
        assert torch.ones(1, device="cuda").device.index == torch.ones(1).cuda().device.index == 1
        assert two.current_device() == torch.accelerator.current_device_index() == 1
        with two.device(-1), two.device(0):
            assert two.current_device() == 0
        assert two.current_device() == 1
    assert torch.ones(1).cuda().device.index == 0
    with two.device_of(torch.ones(1, device="cuda:1")):
        assert two.current_device() == 1
    with two.device_of(torch.ones(1)):
        assert two.current_device() == 0
    two.set_device("cuda:1")
    assert two.current_device() == 1
    two.set_device(-1)
    assert two.current_device() == 1
    two.set_device(torch.device("cuda", 0))
    assert two.current_device() == 0


def test_each_thread_has_its_own_current_device(two):
    seen = []
    with two.device(1):
        thread = threading.Thread(target=lambda: seen.append(two.current_device()))
        thread.start()
        thread.join()
    assert seen == [0]


@pytest.mark.parametrize(
    ("use", "error", "first_line"),
    [
        ("torch.ones(1, device='cuda:2')", torch.AcceleratorError, "CUDA error: invalid device ordinal"),
        ("torch.ones(1).to('cuda:7')", torch.AcceleratorError, "CUDA error: invalid device ordinal"),
        ("torch.cuda.set_device(2)", torch.AcceleratorError, "CUDA error: invalid device ordinal"),
        ("torch.cuda.device(2).__enter__()", torch.AcceleratorError, "CUDA error: invalid device ordinal"),
        ("torch.cuda.synchronize(2)", torch.AcceleratorError, "CUDA error: invalid device ordinal"),
        ("torch.cuda.get_device_properties(2)", AssertionError, "Invalid device id"),
        ("torch.cuda.get_device_name(-1)", AssertionError, "Invalid device id"),
        ("torch.cuda.can_device_access_peer(0, 5)", AssertionError, "Invalid peer device id"),
        ("torch.cuda.can_device_access_peer(5, 0)", AssertionError, "Invalid device id"),
        ("torch.cuda.set_device('cpu')", ValueError, "Expected a cuda device, but got: cpu"),
        (
            "torch.cuda.set_device('cuda')",
            ValueError,
            "Expected a torch.device with a specified index or an integer, but got:cuda",
        ),
    ],
)
def test_a_device_that_is_not_there(two, use, error, first_line):
    with pytest.raises(error) as caught:
        eval(use, {"torch": torch})
    assert str(caught.value).splitlines()[0] == first_line
    assert two.current_device() == 0


def test_what_a_device_tells_of_itself(two):
    first, second = two.get_device_properties(0), two.get_device_properties("cuda:1")
    assert first.name == two.get_device_name(0) == "simulated on the CPU"
    assert (first.major, first.minor) == two.get_device_capability(1) == (0, 0)
    assert first.multi_processor_count >= 1 and first.total_memory > 0 and first.warp_size == 32
    assert first.uuid != second.uuid
    text = repr(second)
    assert text.startswith("_CudaDeviceProperties(name='simulated on the CPU', major=0, minor=0, total_memory=")
    assert f"multi_processor_count={first.multi_processor_count}, uuid={second.uuid}, pci_bus_id=1" in text
    assert two.can_device_access_peer(0, 1) and not two.can_device_access_peer(1, 1)


def test_a_device_that_is_gone_leaves_its_tensors(two):
    x = torch.ones(3, device="cuda:1")
    before = two.memory_allocated(1)
    with torch.cuda.simulate(devices=2):
        assert two.memory_allocated(1) == before
    assert (x + 1).tolist() == [2, 2, 2]


@pytest.mark.parametrize("cast", ["half", "double", "bfloat16", "int", "bool", "float"])
@pytest.mark.parametrize(
    "view",
    ["x[None][None]", "x.reshape(1, 2, 8).permute(2, 0, 1)", "x.expand(2, 2, 4, 4)", "x.reshape(2, 2, 4)[:, 1:]"],
)
def test_a_cast_of_a_view_stays_on_its_device(two, view, cast):
    x = torch.rand(4, 4, device="cuda:1")
    y = getattr(eval(view, {"x": x}), cast)()
    assert y.device == x.device and y.cpu().dtype is y.dtype
    assert torch.equal(y.cpu(), getattr(eval(view, {"x": x.cpu()}), cast)())


def test_a_pickle_goes_back_to_its_device(two):
    x = torch.arange(6.0, device="cuda:1").reshape(2, 3).t().requires_grad_()
    before = two.memory_allocated(1)
    y = pickle.loads(pickle.dumps(x))  # noqa: S301
    assert y.device == x.device and y.stride() == x.stride() and y.requires_grad and torch.equal(x, y)
    assert two.memory_allocated(1) == before + 512
    z = copy.deepcopy(x)
    assert z.device == x.device and two.memory_allocated(1) == before + 1024
    data = pickle.dumps(x)
    with torch.cuda.simulate(devices=1), pytest.raises(torch.AcceleratorError, match="invalid device ordinal"):
        pickle.loads(data)  # noqa: S301
