"""Streams, events, pinned memory and the generators of GPUs: with simulated GPUs, under rushlight alone."""

import threading
import time
import warnings

import pytest

import rushlight as torch
from rushlight.utils.checkpoint import checkpoint

pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")
cuda = torch.cuda


@pytest.fixture(autouse=True)
def device():
    with cuda.simulate(devices=2):
        yield


# ---- streams and events


def test_a_stream_is_chosen_for_a_block_and_a_device():
    first, side = cuda.current_stream(), cuda.Stream()
    assert first == cuda.default_stream() != side
    with cuda.stream(side):
        assert cuda.current_stream() == side == torch.accelerator.current_stream()
        with cuda.stream(cuda.Stream(device=1)) as nothing:
            assert nothing is None and cuda.current_device() == 1
            assert cuda.current_stream(0) == side
        assert cuda.current_device() == 0 and cuda.current_stream() == side
    assert cuda.current_stream() == first
    with side:
        assert cuda.current_stream() == side
    cuda.set_stream(side)
    cuda.set_stream(None)
    assert cuda.current_stream() == side
    cuda.set_stream(first)
    seen = []
    with cuda.stream(side):
        thread = threading.Thread(target=lambda: seen.append(cuda.current_stream()))
        thread.start()
        thread.join()
    assert seen == [first]


def test_what_a_stream_says_of_itself():
    side = cuda.Stream(device="cuda:1", priority=-5)
    assert side.device == torch.device("cuda", 1) and side.device_index == 1 and side.priority == -1
    assert cuda.Stream.priority_range() == (0, -1) and cuda.default_stream().cuda_stream == 0
    assert repr(side) == f"<torch.cuda.Stream device=cuda:1 cuda_stream={side.cuda_stream:#x}>" != repr(cuda.Stream())
    assert isinstance(side, torch.Stream) and side.__cuda_stream__() == (0, side.cuda_stream)
    assert side != torch.Stream("cuda:1") and {side: 1}[side] == 1
    assert cuda.ExternalStream(0x123).cuda_stream == cuda.get_stream_from_external(0x123).cuda_stream == 0x123
    assert torch.Stream().device.type == "cuda" and torch.Stream("cpu").device.type == "cpu"
    assert side.query() and side.synchronize() is None


def test_streams_wait_for_one_another():
    side, x = cuda.Stream(), torch.ones(3, device="cuda")
    side.wait_stream(cuda.current_stream())
    with cuda.stream(side):
        y = x * 2
        y.record_stream(side)
        event = side.record_event()
    cuda.current_stream().wait_event(event)
    event.wait()
    assert event.query() and y.sum().item() == 6
    with pytest.raises(RuntimeError, match="unknown parameter type"):
        y.record_stream(3)
    with pytest.raises(NotImplementedError, match="^Could not run 'aten::record_stream' with arguments from the 'CPU'"):
        torch.ones(2).record_stream(side)


def test_a_wait_that_is_missing_shows_as_a_wrong_number():
    side, x = cuda.Stream(), torch.ones(3, device="cuda")
    with cuda.stream(side):
        y = x * 2
    with pytest.warns(UserWarning, match="^The default stream reads a tensor that <torch.cuda.Stream .* has not comp"):
        assert y.sum().item() != 6
    cuda.current_stream().wait_stream(side)
    assert y.sum().item() == 6


@pytest.mark.parametrize("read", ["y.sum()", "y.cpu()", "x.copy_(y)", "y.tolist()", "x.add_(y)", "y.t()[0, 0].item()"])
def test_a_read_without_a_wait_is_warned_of_and_one_with_a_wait_is_not(read):
    first, second = cuda.Stream(), cuda.Stream()
    for waits in ("nothing", "event", "synchronize", "a third stream"):
        x = torch.ones(3, 3, device="cuda")
        with cuda.stream(first):
            y = x * 2
            event = first.record_event()
        if waits == "event":
            second.wait_event(event)
        elif waits == "synchronize":
            cuda.synchronize()
        elif waits == "a third stream":
            third = cuda.Stream()
            third.wait_stream(first)
            second.wait_stream(third)
        with warnings.catch_warnings(record=True) as warned, cuda.stream(second):
            warnings.simplefilter("always")
            eval(read, {"x": x, "y": y})
        assert bool(warned) == (waits == "nothing"), waits
        cuda.synchronize()


def test_work_of_a_stream_that_nobody_keeps_is_done():
    with cuda.stream(cuda.Stream()):
        y = torch.ones(3, device="cuda") * 2
    cuda.synchronize()
    assert y.sum().item() == 6


def test_a_device_that_ends_inside_a_block_ends_it_well():
    simulation = cuda.simulate(devices=3)
    with cuda.stream(cuda.Stream(device=2)):
        simulation.__exit__()
        assert cuda.device_count() == 2 and cuda.current_device() == 0
    assert (torch.ones(2, device="cuda") + 1).tolist() == [2, 2]


def test_each_device_has_streams_of_its_own():
    x, y = (torch.ones(3, device=f"cuda:{index}") for index in range(2))
    side = cuda.Stream(device=1)
    with cuda.stream(side):
        a, b = x * 2, y * 3  # on the default stream of the first device, and on the stream of the second
    assert a.tolist() == [2, 2, 2] and not side.query()
    cuda.synchronize(0)
    assert not side.query()
    cuda.synchronize(1)
    assert side.query() and b.tolist() == [3, 3, 3]


def test_a_loop_that_asks_for_an_event_ends():
    side = cuda.Stream()
    with cuda.stream(side):
        x = torch.ones(3, device="cuda") * 2
        event = side.record_event()
    asked = 0
    while not event.query():
        asked += 1
    assert asked > 0 and side.query() and x.tolist() == [2, 2, 2]


def test_events_are_asked_for_times_after_they_happened():
    start, end = (cuda.Event(enable_timing=True) for _ in range(2))
    with cuda.stream(cuda.Stream()):
        start.record()
        end.record()
    with pytest.raises(torch.AcceleratorError, match="^CUDA error: device not ready"):
        start.elapsed_time(end)
    end.synchronize()
    assert start.elapsed_time(end) >= 0


def test_events_measure_milliseconds():
    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    assert repr(start) == "<torch.cuda.Event uninitialized>" and start.device is None
    with pytest.raises(ValueError, match=r"^Both events must be recorded before calculating elapsed time\.$"):
        start.elapsed_time(end)
    start.record()
    time.sleep(0.02)
    end.record(cuda.current_stream())
    end.synchronize()
    assert 20 <= start.elapsed_time(end) < 20_000 and end.elapsed_time(start) < 0
    assert repr(end).startswith("<torch.cuda.Event 0x") and start.device == torch.device("cuda", 0)
    plain = cuda.Event()
    plain.record()
    for pair in ((plain, end), (start, plain)):
        with pytest.raises(ValueError, match=r"^Both events must be created with argument 'enable_timing=True'\.$"):
            pair[0].elapsed_time(pair[1])
    with pytest.raises(RuntimeError, match="does not match recording stream's device"):
        start.record(cuda.Stream(device=1))


def test_events_of_torch():
    start, end = torch.Event("cuda", enable_timing=True), torch.Event("cuda", enable_timing=True)
    start.record()
    end.record()
    assert start.elapsed_time(end) >= 0 and end.device.type == "cuda"
    with pytest.raises(RuntimeError, match="cpu backend doesn't support events"):
        torch.Event("cpu").record()


# ---- waiting


@pytest.mark.parametrize(
    "use",
    ["x.item()", "x.cpu()", "x.tolist()", "bool(x)", "print(x)", "x.to('cpu')", "y.cuda()", "x.numpy(force=True)"],
)
def test_lines_that_wait_can_be_found(use):
    x, y = torch.ones((), device="cuda"), torch.ones(3)
    cuda.set_sync_debug_mode("error")
    try:
        assert cuda.get_sync_debug_mode() == 2
        with pytest.raises(RuntimeError, match="^called a synchronizing CUDA operation"):
            eval(use, {"x": x, "y": y})
        x + 1  # does not
        cuda.synchronize()  # is called in order to wait
        y.pin_memory().to("cuda", non_blocking=True)
        x.to("cpu", non_blocking=True)
        cuda.set_sync_debug_mode("warn")
        with pytest.warns(UserWarning, match="called a synchronizing CUDA operation"):
            eval(use, {"x": x, "y": y})
    finally:
        cuda.set_sync_debug_mode(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        eval(use, {"x": x, "y": y})
    with pytest.raises(RuntimeError, match="invalid value of debug_mode"):
        cuda.set_sync_debug_mode("loud")


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"])
@pytest.mark.parametrize("options", [{}, {"dtype": torch.float64}], ids=["same", "dtype"])
def test_a_tensor_like_another_keeps_its_layout_without_waiting(name, options):
    for view in (lambda x: x, lambda x: x.transpose(0, 2), lambda x: x[:, ::2], lambda x: x[:1].expand(4, 3, 2)):
        x = view(torch.ones(2, 3, 2, device="cuda"))
        cuda.set_sync_debug_mode("error")
        try:
            made = getattr(torch, name)(x, **options)
        finally:
            cuda.set_sync_debug_mode(0)
        expected = getattr(torch, name)(view(torch.ones(2, 3, 2)), **options)
        assert made.is_cuda and made.stride() == expected.stride() and made.dtype is expected.dtype


# ---- pinned memory


@pytest.mark.parametrize(
    "make",
    [
        "torch.ones(3).pin_memory()", "torch.zeros(3, pin_memory=True)", "torch.empty(2, pin_memory=True)",
        "torch.tensor([1.0], pin_memory=True)", "torch.rand(2, pin_memory=True)", "torch.arange(3, pin_memory=True)",
        "torch.zeros_like(torch.ones(2), pin_memory=True)", "torch.ones(2).new_full((2,), 3, pin_memory=True)",
        "torch.full((2,), 1.0, pin_memory=True)", "torch.eye(2, pin_memory=True)",
        "torch.ones(1).new_tensor([2.0], pin_memory=True)", "torch.ones(2).new_zeros(2, pin_memory=True)",
        "torch.randint(3, (2,), pin_memory=True)", "torch.randn_like(torch.ones(2), pin_memory=True)",
    ],
)  # fmt: skip
def test_pinned_memory_is_of_the_cpu_and_says_so(make):
    x = eval(make, {"torch": torch})
    assert x.is_pinned() and x.device.type == "cpu" and x[1:].is_pinned() and x.view(-1).is_pinned()
    assert x.pin_memory() is x and not x.clone().is_pinned() and not (x + 1).is_pinned()
    y = x.to("cuda", non_blocking=True)
    assert torch.equal(y.cpu(), x) and not y.is_pinned()


def test_storages_are_pinned_too():
    storage = torch.ones(3).untyped_storage()
    pinned = storage.pin_memory()
    assert pinned is not storage and pinned.is_pinned() and not storage.is_pinned() and pinned.pin_memory() is pinned
    assert pinned.tolist() == storage.tolist() and torch.ones(3).pin_memory().untyped_storage().is_pinned()
    with pytest.raises(TypeError, match="only CPU memory can be pinned"):
        torch.ones(1, device="cuda").untyped_storage().pin_memory()


def test_pinning_copies():
    x = torch.ones(2, requires_grad=True)
    y = x.pin_memory()
    y.detach().zero_()
    assert x.tolist() == [1, 1] and not x.is_pinned()


@pytest.mark.parametrize("use", ["x.pin_memory()", "torch.ones(2, device='cuda', pin_memory=True)"])
def test_only_memory_of_the_cpu_is_pinned(use):
    with pytest.raises(RuntimeError, match="nly dense CPU tensors can be pinned"):
        eval(use, {"torch": torch, "x": torch.ones(2, device="cuda")})


# ---- random numbers


def test_every_device_has_its_own_generator():
    torch.manual_seed(7)
    ours, theirs = torch.rand(3), [torch.rand(3, device=f"cuda:{index}").cpu() for index in range(2)]
    torch.manual_seed(7)
    on_gpu = torch.rand(3, device="cuda")  # draws nothing from the CPU's
    assert torch.equal(torch.rand(3), ours) and torch.equal(on_gpu.cpu(), theirs[0])
    cuda.manual_seed_all(3)
    assert [generator.initial_seed() for generator in cuda.default_generators] == [3, 3]
    with cuda.device(1):
        cuda.manual_seed(4)
        assert cuda.initial_seed() == 4
    assert cuda.initial_seed() == 3
    cuda.seed_all()
    assert cuda.default_generators[0].initial_seed() == cuda.default_generators[1].initial_seed() != 3


DRAWS = [
    "torch.rand(3, device='cuda')", "torch.randn(2, 2, device='cuda')", "torch.randint(9, (5,), device='cuda')",
    "torch.randperm(9, device='cuda')", "torch.rand_like(x)", "torch.bernoulli(x / 2)", "x.clone().normal_()",
    "torch.multinomial(x, 2)", "torch.poisson(x)", "torch.nn.functional.dropout(x)", "torch.normal(x, 1.0)",
    "x.clone().exponential_()", "torch.distributions.Gamma(x, x).sample()",
    "torch.nn.functional.rrelu(-x, training=True)",
    "torch.nn.Linear(3, 3, device='cuda').weight.detach()",
]  # fmt: skip


@pytest.mark.parametrize("draw", DRAWS)
def test_draws_for_a_gpu_come_from_its_generator_and_no_other(draw):
    x = torch.ones(5, device="cuda")
    cpu, second, state = torch.get_rng_state(), cuda.get_rng_state(1), cuda.get_rng_state()
    first = eval(draw, {"torch": torch, "x": x})
    assert first.is_cuda and torch.equal(torch.get_rng_state(), cpu) and torch.equal(cuda.get_rng_state(1), second)
    assert not torch.equal(cuda.get_rng_state(), state)
    cuda.set_rng_state(state)
    assert torch.equal(eval(draw, {"torch": torch, "x": x}), first)


def test_a_generator_of_a_gpu():
    generator = torch.Generator("cuda:1").manual_seed(3)
    assert generator.device == torch.device("cuda", 1)
    x = torch.rand(2, device="cuda:1", generator=generator)
    assert torch.equal(x, torch.rand(2, device="cuda:1", generator=generator.manual_seed(3)))
    for use in ("torch.rand(2, device='cuda', generator=torch.Generator())", "x.normal_(generator=torch.Generator())"):
        with pytest.raises(RuntimeError, match="^Expected a 'cuda' device type for generator but found 'cpu'"):
            eval(use, {"torch": torch, "x": x})
    with pytest.raises(RuntimeError, match="^Expected a 'cpu' device type for generator but found 'cuda'"):
        torch.ones(2).normal_(generator=generator)


def test_states_of_all_devices():
    states = cuda.get_rng_state_all()
    first = [torch.rand(2, device=f"cuda:{index}").cpu() for index in range(2)]
    cuda.set_rng_state_all(states)
    again = [torch.rand(2, device=f"cuda:{index}").cpu() for index in range(2)]
    assert all(map(torch.equal, first, again)) and len(states) == 2


def test_a_block_with_its_own_random_numbers():
    states = torch.get_rng_state(), *cuda.get_rng_state_all()
    with torch.random.fork_rng(devices=[0, "cuda:1"]):
        torch.rand(1), torch.rand(1, device="cuda"), torch.rand(1, device="cuda:1")
    assert all(map(torch.equal, states, (torch.get_rng_state(), *cuda.get_rng_state_all())))
    with torch.random.fork_rng(devices=[1]):
        torch.rand(1, device="cuda:0")
    assert not torch.equal(states[1], cuda.get_rng_state(0))
    with pytest.warns(UserWarning, match="^CUDA reports that you have 2 available devices"):
        with torch.random.fork_rng():
            pass


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_drops_the_same_elements_again(reentrant):
    x = torch.ones(200, device="cuda", requires_grad=True)
    y = checkpoint(lambda x: torch.nn.functional.dropout(x * 2), x, use_reentrant=reentrant)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())
