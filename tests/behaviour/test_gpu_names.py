"""What programs and packages ask of GPUs before they take the CPU, and what the simulated GPU answers."""

import importlib
import time

import pytest

NONE = "^Torch not compiled with CUDA enabled$"


def only_rushlight(test):
    return pytest.mark.parametrize("torch", ["rushlight"], indirect=True)(test)


@pytest.fixture
def cuda(torch):
    with torch.cuda.simulate():
        yield torch.cuda


@pytest.fixture
def no_gpu(torch):
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize(
    "call",
    [
        "current_device()", "get_device_name()", "get_device_capability()", "get_device_properties(0)",
        "current_stream()", "default_stream()", "mem_get_info()", "ipc_collect()", "synchronize()", "get_rng_state()",
        "initial_seed()", "init()", "_lazy_init()", "can_device_access_peer(0, 1)", "get_per_process_memory_fraction()",
        "set_per_process_memory_fraction(0.5)",
    ],
)  # fmt: skip
def test_without_a_gpu_what_needs_one_says_so(torch, call):
    with pytest.raises(AssertionError, match=NONE):
        eval(f"torch.cuda.{call}", {"torch": torch})


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("device_count()", 0), ("is_initialized()", False), ("is_bf16_supported()", False),
        ("is_tf32_supported()", False), ("get_arch_list()", []), ("get_gencode_flags()", ""), ("memory_stats()", {}),
        ("memory_allocated(0)", 0), ("max_memory_allocated()", 0), ("memory_reserved()", 0), ("empty_cache()", None),
        ("get_rng_state_all()", []), ("set_rng_state_all([])", None), ("seed_all()", None), ("manual_seed(1)", None),
        ("_is_compiled()", False), ("_is_in_bad_fork()", False), ("has_half", True), ("has_magma", False),
        ("default_generators", ()), ("set_device(-1)", None), ("_utils._get_device_index('cuda:1')", 1),
        ("_utils._get_device_index(3)", 3), ("_utils._get_device_index(None, optional=True)", None),
        ("_utils._get_device_index('cpu', True, True)", -1), ("memory_stats_as_nested_dict()", {}),
    ],
)  # fmt: skip
def test_without_a_gpu_questions_are_answered(torch, call, answer):
    assert eval(f"torch.cuda.{call}", {"torch": torch}) == answer


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("cuda.Stream()", RuntimeError, "^torch.cuda.Stream requires CUDA support"),
        ("cuda.Event(enable_timing=True)", RuntimeError, "^Tried to instantiate dummy base class Event"),
        ("cuda.CUDAGraph()", RuntimeError, "^Tried to instantiate dummy base class CUDAGraph"),
        ("cuda.graph_pool_handle()", RuntimeError, "^Tried to instantiate dummy base class _graph_pool_handle"),
        ("cuda.device(0).__enter__()", RuntimeError, "^PyTorch was compiled without CUDA support"),
        ("cuda.nvtx.range_push('step')", RuntimeError, "^NVTX functions not installed"),
        ("cuda.FloatTensor(2)", TypeError, "^type torch.cuda.FloatTensor not available. Torch not compiled with CUDA"),
        ("cuda._utils._get_device_index('cpu')", ValueError, "^Expected a cuda device, but got: cpu$"),
        ("cuda._utils._get_device_index('cuda')", ValueError, "^Expected a torch.device with a specified index or an"),
        ("xpu.current_device()", AssertionError, "^Torch not compiled with XPU enabled$"),
        ("xpu.synchronize()", AssertionError, "^Torch not compiled with XPU enabled$"),
        ("xpu.set_device(0)", AssertionError, "^Torch not compiled with XPU enabled$"),
        ("mps.synchronize()", RuntimeError, r"^Cannot execute deviceSynchronize\(\) without MPS backend"),
        ("mps.empty_cache()", RuntimeError, r"^Cannot execute emptyCache\(\) without MPS backend"),
        ("mps.seed()", RuntimeError, r"^Cannot execute getDefaultGenerator\(\) without MPS backend"),
    ],
)
def test_without_a_gpu_nothing_of_one_can_be_made(torch, call, error, message):
    with pytest.raises(error, match=message):
        eval(f"torch.{call}", {"torch": torch})


@pytest.mark.usefixtures("no_gpu")
def test_a_block_without_a_gpu_runs_on_the_cpu(torch):
    x = torch.ones(2)
    with torch.cuda.device(-1), torch.cuda.device_of(x), torch.cuda.stream(None):
        assert (x * 2).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("xpu.is_available()", False), ("xpu.device_count()", 0), ("xpu.memory_allocated()", 0),
        ("xpu.is_bf16_supported()", False), ("xpu.get_rng_state_all()", []), ("xpu.manual_seed_all(3)", None),
        ("xpu.empty_cache()", None), ("xpu.memory_stats()", {}), ("mps.is_available()", False),
        ("mps.device_count()", 0), ("mps.manual_seed(3)", None), ("mtia.is_available()", False),
        ("mtia.device_count()", 0), ("mtia.is_initialized()", False), ("mtia.memory_allocated()", 0),
    ],
)  # fmt: skip
def test_there_are_no_other_accelerators(torch, call, answer):
    assert eval(f"torch.{call}", {"torch": torch}) == answer


@only_rushlight
@pytest.mark.parametrize("module", ["cuda", "xpu"])
def test_nothing_is_being_captured(torch, module):
    """PyTorch's build for the CPU raises; its builds for GPUs answer so."""
    assert getattr(torch, module).is_current_stream_capturing() is False


def test_errors_of_gpus_can_be_caught(torch):
    assert issubclass(torch.OutOfMemoryError, RuntimeError) and issubclass(torch.AcceleratorError, RuntimeError)
    assert torch.cuda.OutOfMemoryError is torch.OutOfMemoryError
    assert repr(torch.OutOfMemoryError) == "<class 'torch.OutOfMemoryError'>"


def test_types_of_tensors_on_a_gpu_can_be_asked_for(torch):
    x = torch.ones(2)
    assert isinstance(x, torch.FloatTensor) and not isinstance(x, torch.cuda.FloatTensor)
    assert repr(torch.cuda.ByteTensor) == "<class 'torch.cuda.ByteTensor'>"


@pytest.mark.parametrize(
    "name", "is_sparse is_sparse_csr is_ipu is_maia is_mps is_mtia is_vulkan is_xla is_xpu is_quantized".split()
)
def test_a_tensor_is_dense_and_on_the_cpu(torch, name):
    assert getattr(torch.ones(2), name) is False


def test_a_dense_tensor_is_dense(torch):
    x = torch.ones(2, requires_grad=True)
    assert x.to_dense() is x
    y = x.to_dense(torch.float64)
    y.sum().backward()
    assert (y.dtype, x.grad.tolist()) == (torch.float64, [1, 1])
    assert x.to_dense(masked_grad=False) is x


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("streams", "Stream Event ExternalStream"),
        ("memory", "mem_get_info memory_stats max_memory_allocated reset_peak_memory_stats empty_cache"),
        ("random", "get_rng_state get_rng_state_all set_rng_state manual_seed manual_seed_all seed_all initial_seed"),
        ("graphs", "CUDAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables"),
        ("nvtx", "range range_push range_pop mark"),
    ],
)
def test_they_can_be_imported_from_their_modules(torch, module, names):
    result = importlib.import_module(f"{torch.__name__}.cuda.{module}")
    for name in names.split():
        assert getattr(result, name) is getattr(torch.cuda, name, getattr(result, name))


# ---- the simulated GPU


@only_rushlight
def test_the_simulated_gpu_tells_what_it_is(torch, cuda):
    properties = cuda.get_device_properties(0)
    free, total = cuda.mem_get_info()
    assert 0 < free <= total == properties.total_memory
    assert cuda.get_device_capability() == (properties.major, properties.minor) == (0, 0)
    assert properties.name == cuda.get_device_name()


@only_rushlight
def test_work_on_the_simulated_gpu_can_be_timed(torch, cuda):
    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    with pytest.raises(ValueError, match="recorded"):
        start.elapsed_time(end)
    start.record()
    time.sleep(0.01)
    end.record()
    cuda.synchronize()
    assert 10 <= start.elapsed_time(end) < 10_000


@only_rushlight
def test_streams_of_the_simulated_gpu_are_chosen_for_a_block(torch, cuda):
    side, first = cuda.Stream(), cuda.current_stream()
    assert first == cuda.default_stream() != side
    with cuda.stream(side):
        assert cuda.current_stream() == side
        y = torch.ones(2, device="cuda") * 2
    cuda.current_stream().wait_stream(side)
    assert cuda.current_stream() == first and side.query() and y.tolist() == [2, 2]
    with cuda.stream(side):
        z = y + 1
    event = side.record_event()
    assert not event.query() and not side.query()
    event.synchronize()
    assert event.query() and side.query() and z.tolist() == [3, 3]


@only_rushlight
def test_the_state_of_the_simulated_gpus_generator(torch, cuda):
    state = cuda.get_rng_state()
    first = torch.rand(3, device="cuda").tolist()
    cuda.set_rng_state_all([state])
    assert torch.rand(3, device="cuda").tolist() == first


@only_rushlight
def test_typed_tensors_of_the_simulated_gpu(torch, cuda):
    x = cuda.DoubleTensor([1, 2])
    assert x.is_cuda and isinstance(x, cuda.DoubleTensor) and not isinstance(x, torch.DoubleTensor)
    assert torch.ones(2).type(cuda.FloatTensor).is_cuda and not x.type(torch.FloatTensor).is_cuda
    assert torch.ones(2).type("torch.cuda.HalfTensor").type() == "torch.cuda.HalfTensor"
    assert x.type(torch.float32).is_cuda  # a dtype leaves it where it is
