"""Programs for a GPU as users write them, on simulated GPUs: they give the numbers of the CPU. rushlight alone."""

import io
import os
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.utils.data import DataLoader, TensorDataset

pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")
F = torch.nn.functional
nn = torch.nn


@pytest.fixture(autouse=True)
def device():
    torch.manual_seed(0)
    with torch.cuda.simulate(devices=2):
        yield


def network():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))


class Prefetcher:
    """Copies the next batch on a stream of its own while the current one is computed."""

    def __init__(self, loader):
        self.loader, self.stream = iter(loader), torch.cuda.Stream()
        self.fetch()

    def fetch(self):
        batch = next(self.loader, None)
        if batch is None:
            self.next = None
            return
        assert all(x.is_pinned() for x in batch)
        with torch.cuda.stream(self.stream):
            self.next = [x.to("cuda", non_blocking=True) for x in batch]

    def __iter__(self):
        while self.next is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
            batch = self.next
            for x in batch:
                x.record_stream(torch.cuda.current_stream())
            self.fetch()
            yield batch


@pytest.mark.parametrize("workers", [0, 1])
def test_a_training_loop_with_pinned_batches_and_a_prefetching_stream(workers):
    x, y = torch.randn(20, 6), torch.randint(3, (20,))
    losses = {}
    for kind in ("cpu", "cuda"):
        model = network().to(kind)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        loader = DataLoader(TensorDataset(x, y), batch_size=5, pin_memory=kind == "cuda", num_workers=workers)
        total = torch.zeros((), device=kind)  # read once, after the loop
        torch.cuda.set_sync_debug_mode("error" if kind == "cuda" else "default")
        try:
            for inputs, targets in Prefetcher(loader) if kind == "cuda" else loader:
                optimizer.zero_grad(set_to_none=True)
                loss = F.cross_entropy(model(inputs), targets)
                loss.backward()
                optimizer.step()
                total += loss.detach()
        finally:
            torch.cuda.set_sync_debug_mode("default")
        losses[kind] = total.item()
    assert losses["cuda"] == pytest.approx(losses["cpu"], rel=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_mixed_precision_with_a_scaler(dtype):
    kind = getattr(torch, dtype)
    x, y = torch.randn(8, 6, device="cuda"), torch.randint(3, (8,), device="cuda")
    model = network().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", init_scale=2.0**10, enabled=kind is torch.float16)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=kind):
            output = model(x)
            assert output.dtype is kind
            loss = F.cross_entropy(output, y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    assert losses[-1] < losses[0] and all(p.dtype is torch.float32 for p in model.parameters())
    assert scaler.get_scale() == (1024.0 if kind is torch.float16 else 1.0)


def test_a_step_with_an_infinite_gradient_is_skipped_and_the_scale_halved():
    weight = torch.ones(2, device="cuda", requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cuda", init_scale=4.0)
    scaler.scale((weight * torch.tensor([1.0, float("inf")], device="cuda")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [1, 1] and scaler.get_scale() == 2.0


class InTwoParts(nn.Module):
    """A model whose halves are on two devices."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8).to("cuda:0"), nn.Linear(8, 3).to("cuda:1")

    def forward(self, x):
        return self.second(self.first(x.to("cuda:0")).relu().to("cuda:1"))


def test_a_model_over_two_devices():
    torch.manual_seed(1)
    model = InTwoParts()
    torch.manual_seed(1)
    plain = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    x, y = torch.randn(4, 6), torch.randint(3, (4,))
    for each, target in ((model, y.to("cuda:1")), (plain, y)):
        optimizer = torch.optim.Adam(each.parameters(), lr=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.cross_entropy(each(x), target)
            loss.backward()
            nn.utils.clip_grad_norm_(each.parameters(), 0.5)
            optimizer.step()
    assert {p.device.index for p in model.parameters()} == {0, 1}
    assert all(p.grad.device == p.device for p in model.parameters())
    for one, other in zip(model.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(one.cpu(), other)
    with pytest.raises(RuntimeError, match="at least two devices, cuda:1 and cuda:0") as caught:
        model.second(model.first(x.cuda()))
    assert caught.value.__notes__[0].startswith("On cuda:1: input (3,), mat2 (3, 8). On cuda:0: mat1 (4, 8).")


def test_a_checkpoint_goes_where_map_location_says():
    model = network().to("cuda:1")
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 6, device="cuda:1")).sum().backward()
    optimizer.step()
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)

    def loaded(**keywords):
        file.seek(0)
        return torch.load(file, **keywords)["model"]["0.weight"]

    assert loaded().device == torch.device("cuda", 1)
    assert loaded(map_location="cpu").is_cpu
    assert loaded(map_location={"cuda:1": "cuda:0"}).device.index == 0
    assert loaded(map_location=torch.device("cuda:0")).device.index == 0
    assert loaded(map_location=lambda storage, location: storage.cuda(0)).device.index == 0
    with torch.cuda.simulate(devices=1):
        with pytest.raises(RuntimeError, match=r"CUDA device 1 but torch.cuda.device_count\(\) is 1. Please use"):
            loaded()
    restored = network().cuda()
    restored.load_state_dict({name: value.cpu() for name, value in model.state_dict().items()})
    assert torch.equal(restored[0].weight.cpu(), model[0].weight.cpu())


def test_data_parallel_over_two_devices():
    model, x = network().cuda(), torch.randn(8, 6, device="cuda")
    parallel = nn.DataParallel(model)
    assert parallel.device_ids == [0, 1]
    output = parallel(x)
    assert output.device.index == 0
    torch.testing.assert_close(output, model(x))
    output.sum().backward()
    gradients = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x).sum().backward()
    for one, other in zip(gradients, model.parameters(), strict=True):
        torch.testing.assert_close(one, other.grad)


def test_work_is_timed_by_events():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    x = torch.randn(200, 200, device="cuda")
    start.record()
    for _ in range(5):
        x = (x @ x).tanh()
    end.record()
    torch.cuda.synchronize()
    assert 0 < start.elapsed_time(end) < 60_000


def test_peaks_of_a_step_are_measured(without_collector):
    model, x = network().cuda(), torch.randn(512, 6, device="cuda")
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    with torch.no_grad():
        model(x)
    without = torch.cuda.max_memory_allocated() - before
    torch.cuda.reset_peak_memory_stats()
    model(x).sum().backward()
    with_graph = torch.cuda.max_memory_allocated() - before
    assert 512 * 16 * 4 <= without < with_graph
    model.zero_grad()
    assert torch.cuda.memory_allocated() == before


@pytest.mark.parametrize(("variable", "count"), [("1", "1"), ("3", "3"), ("0", "0"), ("", "0")])
def test_the_variable_says_how_many_gpus_there_are(variable, count):
    program = "import rushlight as torch; print(torch.cuda.device_count())"
    finished = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "RUSHLIGHT_SIMULATE_CUDA": variable}, capture_output=True,
        text=True, timeout=60, check=True,
    )  # fmt: skip
    assert finished.stdout.strip() == count


@pytest.mark.parametrize("batch", [4, 64])
def test_running_statistics_behind_a_convolution(batch):
    x, states = torch.randn(batch, 3, 20, 20), []
    for kind in ("cpu", "cuda"):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.BatchNorm2d(16)).to(kind)
        for _ in range(2):
            model(x.to(kind))
        states.append(model.state_dict())
    for name, value in states[0].items():
        torch.testing.assert_close(states[1][name].cpu(), value)
