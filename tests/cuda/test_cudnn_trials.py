"""`torch.backends.cudnn.benchmark`: plans are tried at the first call of a kind, and the quickest is kept."""

import pytest

import rushlight as torch
from rushlight.arrays.cuda.cudnn.trials import LIMIT, REPEATS
from rushlight.arrays.cuda.fake.namespace import cupy

F = torch.nn.functional
TRIED = (1 + REPEATS) * 3  # the stand-in has four plans for each graph, one of which cannot be built


@pytest.fixture
def benchmark():
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):
        yield


def convolved():
    x, w = torch.ones(1, 2, 5, 5, device="cuda"), torch.ones(2, 2, 3, 3, device="cuda")
    assert torch.equal(F.conv2d(x, w).cpu(), torch.full((1, 2, 3, 3), 18.0))


@pytest.mark.parametrize("quick", [0, 2, 3])
def test_the_quickest_plan_is_kept(counts, benchmark, quick):
    counts.seconds = [0.0 if number == quick else 0.02 for number in range(4)]
    for _ in range(3):
        convolved()
    assert counts.built == 1 and len(counts.kernels) == TRIED + 3 and counts.kernels[-3:] == 3 * [quick]


def test_without_it_the_first_plan_is_taken(counts):
    counts.seconds = [0.02, 0, 0, 0]
    convolved()
    assert counts.kernels == [0]
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):  # another graph
        convolved()
    convolved()
    assert counts.built == 2 and counts.kernels[-1] == 0 and counts.kernels[-2] != 0


@pytest.mark.parametrize(("limit", "tried"), [(1, 0), (2, 2), (0, 3), (None, 3)])
def test_as_many_plans_are_tried_as_the_switch_says(counts, benchmark, limit, tried, monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "benchmark_limit", limit)
    convolved()
    assert len(counts.kernels) == tried * (1 + REPEATS) + 1
    assert LIMIT == 10


def test_avoided_kernels_are_not_tried(counts, graphs):
    with torch.backends.cudnn.flags(enabled=True, benchmark=True, allow_tf32=False):
        convolved()
    assert 0 not in counts.kernels and len(counts.kernels) == TRIED - (1 + REPEATS) + 1


def test_running_statistics_are_updated_once(counts, benchmark):
    x = torch.randn(2, 3, 4, 4)
    norms = [torch.nn.BatchNorm2d(3).to(device) for device in ("cuda", "cpu")]
    for _ in range(2):
        results = [norm(x.to(norm.weight.device)) for norm in norms]
        for one, other in ([norm.running_mean for norm in norms], [norm.running_var for norm in norms], results):
            assert torch.allclose(one.cpu(), other, atol=1e-5)
    assert counts.executed == (TRIED + 2) * ["batchnorm"]


def test_a_plan_that_needs_more_memory_than_there_is_is_no_candidate(counts, graphs, benchmark, monkeypatch):
    class Small:
        """A CuPy without room for large workspaces."""

        def __getattr__(self, name):
            return getattr(cupy, name)

        def empty(self, shape, dtype):
            if shape == counts.TOO_LARGE:
                raise cupy.cuda.memory.OutOfMemoryError(shape, 0)
            return cupy.empty(shape, dtype)

    monkeypatch.setattr(graphs, "cupy", Small())
    counts.seconds, counts.full = [0.02, 0, 0.01, 0], {3}
    convolved()
    assert counts.kernels == 4 * [0] + 5 * [2]
