"""Names of blocks for profilers, and copies between GPUs: with simulated GPUs, under rushlight alone."""

import pytest

import rushlight as torch
from rushlight.cuda import comm

pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")
nvtx = torch.cuda.nvtx


@pytest.fixture(autouse=True)
def device():
    with torch.cuda.simulate(devices=2):
        yield


def test_blocks_with_names_are_in_the_profile():
    with torch.profiler.profile() as profile:
        with nvtx.range("step {}", 3):
            assert nvtx.range_push("forward") == 1
            torch.ones(3, device="cuda") * 2
            assert nvtx.range_pop() == 1
        nvtx.mark("a moment")
        number = nvtx.range_start("long")
        nvtx.range_end(number)
        nvtx.range_end(number)
    names = {event.key for event in profile.key_averages()}
    assert {"step 3", "forward", "a moment", "long"} <= names
    assert nvtx.range_pop() == -2


def test_tensors_are_sent_to_all_devices_and_summed():
    x = torch.arange(4.0, device="cuda:0")
    copies = comm.broadcast(x, [0, 1])
    assert [copy.device.index for copy in copies] == [0, 1] and torch.equal(copies[1].cpu(), x.cpu())
    total = comm.reduce_add(copies, 1)
    assert total.device.index == 1 and total.tolist() == [0, 2, 4, 6]
    out = [torch.empty(4, device="cuda:1"), torch.empty(4, device="cuda:0")]
    assert comm.broadcast(x, out=out)[0] is out[0] and out[0].tolist() == [0, 1, 2, 3]
    assert [[t.device.index for t in row] for row in comm.broadcast_coalesced([x, x + 1], [1, 0])] == [[1, 1], [0, 0]]
    sums = comm.reduce_add_coalesced([[x, x + 1], [copies[1], copies[1]]], 0)
    assert [s.tolist() for s in sums] == [[0, 2, 4, 6], [1, 3, 5, 7]]


def test_a_tensor_is_split_over_devices_and_put_together():
    x = torch.arange(5.0, device="cuda:0")
    parts = comm.scatter(x, [0, 1], [2, 3])
    assert [(part.device.index, part.tolist()) for part in parts] == [(0, [0, 1]), (1, [2, 3, 4])]
    whole = comm.gather(parts, 0, "cpu")
    assert whole.is_cpu and torch.equal(whole, x.cpu()) and comm.gather(parts, 0, 1).device.index == 1
    assert comm.gather(parts, out=torch.empty(5)).tolist() == [0, 1, 2, 3, 4]
    out = [torch.empty(1, device="cuda:1"), torch.empty(4, device="cuda:1")]
    assert comm.scatter(x, out=out)[1].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        ("comm.broadcast(x)", RuntimeError, "^Exactly one of 'devices' and 'out' must be specified"),
        ("comm.scatter(x, [0, 1], [1, 1])", RuntimeError, "^given chunk sizes don't sum up to the tensor's size"),
        ("comm.scatter(x, [0], out=[x])", RuntimeError, "^'devices' must not be specified when 'out' is specified"),
        ("comm.gather([x], 0, 1, out=x)", RuntimeError, "^'destination' must not be specified when 'out' is specified"),
        ("comm.reduce_add([x.cpu(), x])", AssertionError, "^reduce_add expects all inputs to be on GPUs"),
        ("comm.reduce_add([x, x[:2].to('cuda:1')])", ValueError, "^input 1 has invalid size: got 2, but expected 3"),
        ("comm.reduce_add([x, x], 1)", RuntimeError, "^reduce_add expects destination to be on the same GPU with one"),
    ],
)
def test_what_does_not_fit_is_refused(use, error, message):
    with pytest.raises(error, match=message):
        eval(use, {"comm": comm, "x": torch.ones(3, device="cuda:0")})


@pytest.mark.parametrize(
    "name", ["temperature", "utilization", "power_draw", "clock_rate", "memory_usage", "device_memory_used"]
)
def test_sensors_are_not_simulated(name):
    with pytest.raises(ModuleNotFoundError, match="^nvidia-ml-py does not seem to be installed"):
        getattr(torch.cuda, name)()


def test_the_runtime_answers_what_it_can():
    runtime = torch.cuda.cudart()
    assert runtime.cudaMemGetInfo(0) == torch.cuda.mem_get_info(0)
    torch.cuda.check_error(0)
    with pytest.raises(torch.cuda.CudaError, match=r"^out of memory \(2\)$"):
        torch.cuda.check_error(2)
    with torch.cuda.profiler.profile():
        pass
    assert torch.cuda.current_blas_handle() == 0 and torch.cuda.get_allocator_backend() == "native"
    with pytest.raises(RuntimeError, match="The memory of a simulated GPU has one allocator"):
        torch.cuda.CUDAPluggableAllocator("a.so", "alloc", "free")


def test_switches_of_libraries():
    cuda = torch.backends.cuda
    cache = cuda.cufft_plan_cache
    assert cache.size == 0 and cache[1].max_size == 4096
    cache[1].max_size = 5
    cache.clear()
    assert cache[1].max_size == 5 and cache.max_size == 4096
    with pytest.raises(RuntimeError, match="expected 0 <= device index < 2, but got device with index 2"):
        cache[2]
    with pytest.raises(RuntimeError, match="compiled with cuSOLVER"):
        cuda.preferred_linalg_library("cusolver")


def test_torch_accelerator_is_the_gpu():
    accelerator = torch.accelerator
    assert accelerator.current_accelerator() == torch.device("cuda") and accelerator.device_count() == 2
    with accelerator.device_index(1):
        assert accelerator.current_device_index() == accelerator.current_device_idx() == 1
        assert torch.cuda.current_device() == 1
        x = torch.ones(200, device=accelerator.current_accelerator())
        assert x.device.index == 1 and accelerator.memory_allocated() == torch.cuda.memory_allocated(1) >= 1024
    with accelerator.device_index(None):
        assert accelerator.current_device_index() == 0
    accelerator.set_device_index("cuda:1")
    assert torch.cuda.current_device() == 1
    accelerator.set_device_idx(0)
    stream = torch.Stream()
    accelerator.set_stream(stream)
    assert accelerator.current_stream() == stream
    accelerator.set_stream(torch.cuda.default_stream())
    assert accelerator.get_memory_info(1) == torch.cuda.mem_get_info(1)
    assert accelerator.memory_stats(1) == torch.cuda.memory_stats(1)
    accelerator.reset_peak_memory_stats(1)
    assert accelerator.max_memory_allocated(1) == accelerator.memory_allocated("cuda:1")
    assert torch.float16 in accelerator.get_device_capability()["supported_dtypes"]
    with pytest.raises(ValueError, match="doesn't match the current accelerator"):
        accelerator.memory_allocated("cpu")
