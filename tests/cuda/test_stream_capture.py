"""Captured graphs of a GPU's own, by CuPy's capture of streams: on the fake CuPy in the driver's place."""

import copy
import gc

import pytest

import rushlight as torch
from rushlight.arrays.cuda.fake import namespace
from rushlight.arrays.cuda.fake.graphs import CAPTURES
from rushlight.cuda._stream_capture import POOLS, StreamCapture

F = torch.nn.functional
cupy = namespace.cupy


@pytest.fixture(autouse=True)
def gpu(machine):
    torch.manual_seed(0)
    yield
    assert not CAPTURES


def captured(run):
    """The graph of a function, and what the function returned."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = run()
    assert isinstance(graph._capture, StreamCapture)
    return graph, result


OPERATIONS = [
    "x * 2 + 1", "x.exp().sum()", "x @ x.t()", "F.softmax(x, 1)", "x.half() * 2", "x[1:] - x[:-1]", "F.gelu(x)",
    "torch.cat([x, x.flip(0)])", "torch.where(x > 0, x, -x)", "x.sort(1).values", "torch.stack(x.unbind(1))",
    "x.cumsum(0)", "x.t().contiguous()", "F.layer_norm(x, (3,))", "x.max(1).indices", "x.clone().add_(x).mul_(2)",
    "x.new_zeros(4, 3).copy_(x)", "torch.add(x, 1, out=torch.empty(4, 3, device='cuda'))", "x.conj().abs()",
    "x.masked_fill(x > 0, 0.0)", "torch.einsum('ij,kj->ik', x, x)", "x.norm()", "x[[2, 0]]", "x.index_select(1, i)",
    "F.conv1d(x.reshape(1, 4, 3), torch.ones(2, 4, 1, device='cuda'))", "torch.zeros(3, device='cuda').add_(x[0])",
    "x.view(-1).index_add(0, torch.arange(2, device='cuda'), x[0, :2])", "F.embedding(i, x)", "x.half() * 2",
]  # fmt: skip


@pytest.mark.parametrize("expression", OPERATIONS)
def test_a_replay_computes_what_running_the_code_would(expression):
    def run():
        return eval(expression, {"torch": torch, "F": F, "x": x, "i": i})

    x, i = torch.randn(4, 3, device="cuda").abs(), torch.tensor([2, 0], device="cuda")
    run()
    before = x.tolist()
    graph, result = captured(run)
    assert x.tolist() == before  # nothing is computed during a capture
    for _ in range(3):
        x.copy_(torch.randn(4, 3).abs())
        graph.replay()
        assert torch.equal(result, run())


@pytest.mark.parametrize("scale", [1.0, 1e-25, 1e30])
@pytest.mark.parametrize("expression", ["x.var(0)", "x.std()", "torch.std_mean(x, 1)[0]", "x.double().var(1)"])
def test_variances_are_captured_in_every_range(expression, scale):
    x = torch.randn(4, 3, device="cuda")
    graph, result = captured(lambda: eval(expression, {"torch": torch, "x": x}))
    for factor in (1.0, scale, 1.0):
        x.copy_(torch.randn(4, 3) * factor)
        graph.replay()
        assert torch.equal(result, eval(expression, {"torch": torch, "x": x}))


def test_work_without_draws_is_one_graph():
    x = torch.randn(4, 3, device="cuda")
    graph, _ = captured(lambda: F.gelu(x @ x.t()).sum() * 2)
    assert len(graph._capture.pieces) == len(graph._capture.steps) == 1
    graph.instantiate()
    graph, _ = captured(lambda: F.dropout(x) * 2)
    assert len(graph._capture.pieces) == 2 and len(graph._capture.steps) == 3


DRAWS = [
    "torch.rand(100, device='cuda')", "torch.randn_like(x)", "x.clone().normal_()", "F.dropout(x, 0.5)",
    "torch.randint(10, (100,), device='cuda')", "x.clone().bernoulli_(0.5)", "F.dropout(x * 2, 0.1) + 1",
]  # fmt: skip


@pytest.mark.parametrize("draw", DRAWS)
def test_each_replay_draws_new_numbers_and_a_seed_repeats_them(draw):
    x = torch.ones(100, device="cuda")
    state = torch.cuda.get_rng_state()
    graph, result = captured(lambda: eval(draw, {"torch": torch, "F": F, "x": x}))
    assert torch.equal(torch.cuda.get_rng_state(), state)
    runs = []
    for _ in range(2):
        torch.cuda.manual_seed(3)
        for _ in range(2):
            graph.replay()
            runs.append(result.cpu())
    torch.cuda.manual_seed(3)
    assert torch.equal(runs[0], eval(draw, {"torch": torch, "F": F, "x": x}).cpu())
    assert not torch.equal(runs[0], runs[1])
    assert torch.equal(runs[0], runs[2]) and torch.equal(runs[1], runs[3])


OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01},
    "AdamW": {"lr": 0.01, "capturable": True},
    "RMSprop": {"lr": 0.01, "capturable": True},
}


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_captured_training_step_trains_as_the_loop_does(name, warm):
    data = [(torch.randn(5, 4), torch.randint(2, (5,))) for _ in range(8)]
    first = 3 if warm else 0

    def network():
        torch.manual_seed(1)
        layers = torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.GELU(), torch.nn.Dropout(0.1)
        return torch.nn.Sequential(*layers, torch.nn.LayerNorm(8), torch.nn.Linear(8, 2)).cuda()

    def train(model, optimizer, batches):
        loss = None
        for x, y in batches:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
        return loss

    plain = network()
    by_loop = getattr(torch.optim, name)(plain.parameters(), **OPTIMIZERS[name])
    expected = train(plain, by_loop, data).item()

    model = network()
    optimizer = getattr(torch.optim, name)(model.parameters(), **OPTIMIZERS[name])
    train(model, optimizer, data[:first])
    static_x, static_y = torch.zeros(5, 4, device="cuda"), torch.zeros(5, dtype=torch.int64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        loss = F.cross_entropy(model(static_x), static_y)
        loss.backward()
        optimizer.step()
    for x, y in data[first:]:
        static_x.copy_(x)
        static_y.copy_(y)
        graph.replay()
    assert loss.item() == pytest.approx(expected, rel=1e-6)
    for one, other in zip(plain.state_dict().items(), model.state_dict().items(), strict=True):
        assert one[0] == other[0]
        torch.testing.assert_close(one[1], other[1])


def test_modules_and_functions_are_graphed():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)).cuda()
    plain = copy.deepcopy(model)
    graphed = torch.cuda.make_graphed_callables(model, (torch.randn(5, 3, device="cuda", requires_grad=True),))
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (model, plain)]
    for _ in range(4):
        x = torch.randn(5, 3, device="cuda", requires_grad=True)
        y = x.detach().clone().requires_grad_()
        for optimizer in optimizers:
            optimizer.zero_grad()
        one, other = graphed(x).pow(2).sum(), plain(y).pow(2).sum()
        one.backward()
        other.backward()
        torch.testing.assert_close(one, other)
        torch.testing.assert_close(x.grad, y.grad)
        for optimizer in optimizers:
            optimizer.step()


WAITS = [
    "x.sum().item()", "x.cpu()", "x.tolist()", "bool(x.any())", "x.to('cpu')", "x.to('cpu', non_blocking=True)",
    "torch.cuda.synchronize()", "torch.cuda.current_stream().synchronize()", "x.nonzero()", "torch.ones(2).cuda()",
    "x.masked_select(x > 0)", "x.unique()", "x.copy_(torch.ones(3))",
    "torch.cuda.current_stream().query()", "torch.optim.SGD([x], 1.0).step(lambda: x.sum())",
]  # fmt: skip


@pytest.mark.parametrize("use", WAITS)
def test_what_waits_is_not_permitted(use):
    x = torch.ones(3, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError) as caught:
        with torch.cuda.graph(graph):
            exec(use, {"torch": torch, "x": x})
    if "step" in use:
        assert "a step with a closure cannot be captured" in str(caught.value)
        return
    assert str(caught.value).startswith("CUDA error: operation failed due to a previous error during capture\n")
    assert "operation not permitted when stream is capturing" in str(caught.value.__context__)
    assert not torch.cuda.is_current_stream_capturing() and x.sum().item() == 3
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()


def test_pinned_memory_is_copied_again_at_each_replay():
    source = torch.ones(3).pin_memory()
    graph, y = captured(lambda: source.to("cuda", non_blocking=True) * 2)
    for value in (5, 6):
        source.fill_(value)
        graph.replay()
        assert y.tolist() == [2 * value] * 3


def test_numbers_that_the_program_forgets_are_kept():
    xs = [torch.ones(3, device="cuda")]
    graph, y = captured(lambda: (xs[0] + torch.tensor([1.0, 2.0, 3.0], device="cuda")) * 2)
    xs.clear()
    gc.collect()
    graph.replay()
    assert y.tolist() == [4, 6, 8]


def test_memory_comes_from_a_pool_that_lives_as_long_as_the_graph():
    x = torch.ones(1000, device="cuda")
    graph, y = captured(lambda: x * 2 + 1)
    pool = POOLS[graph.pool()].memory
    assert pool.used_bytes() >= 4096 and torch.cuda.memory_snapshot(graph.pool())
    other = torch.cuda.CUDAGraph()
    with torch.cuda.graph(other, pool=graph.pool()):
        z = y + 1
    assert POOLS[graph.pool()].memory is pool
    handle = graph.pool()
    del y, z
    graph.replay()
    other.replay()
    graph.reset()
    gc.collect()
    assert handle in POOLS
    other.reset()
    gc.collect()
    assert handle not in POOLS


def test_streams_that_the_captured_one_waits_for_are_captured_too():
    x, side = torch.ones(3, device="cuda"), torch.cuda.Stream()

    def run():
        y = x * 2
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            z = y + 1
        torch.cuda.current_stream().wait_stream(side)
        return z * y

    graph, result = captured(run)
    x.fill_(2)
    graph.replay()
    assert result.tolist() == [20, 20, 20]


def test_a_replay_on_another_stream_and_in_another_capture():
    x, side = torch.ones(3, device="cuda"), torch.cuda.Stream()
    graph, _ = captured(lambda: x.add_(1))
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        graph.replay()
        assert not side.query()
    torch.cuda.current_stream().wait_stream(side)
    assert x.tolist() == [2, 2, 2]
    outer, _ = captured(lambda: (x.mul_(2), graph.replay(), x.mul_(3)))
    outer.replay()
    assert x.tolist() == [15, 15, 15]


CHECKED = {
    "F.embedding(i, x)": "index out of range in self",
    "x.index_select(0, i)": "index is out of bounds for dimension 0 with size 4",
    "F.cross_entropy(x, i)": "Target is out of bounds",
}


@pytest.mark.parametrize("use", CHECKED)
def test_an_index_that_is_out_of_range_in_a_replay_raises_at_the_next_wait(use):
    x, i = torch.randn(4, 3, device="cuda"), torch.tensor([2, 0, 1, 1], device="cuda")
    graph, result = captured(lambda: eval(use, {"F": F, "x": x, "i": i}))
    graph.replay()
    right = result.tolist()
    i.copy_(torch.tensor([2, 0, 7, 1]))
    graph.replay()
    graph.replay()
    with pytest.raises(IndexError, match=CHECKED[use]):
        torch.cuda.synchronize()
    i.copy_(torch.tensor([2, 0, 1, 1]))
    graph.replay()
    assert result.tolist() == right


# ---- the fake: what CuPy and CUDA refuse


def stream():
    return cupy.cuda.Stream(non_blocking=True)


def test_a_captured_graph_of_the_fake_computes_when_it_is_launched():
    side, x = stream(), cupy.zeros(3)
    pool = cupy.cuda.MemoryPool()
    with side, cupy.cuda.using_allocator(pool.malloc):
        side.begin_capture()
        assert side.is_capturing()
        x += 1
        y = x * 2
        graph = side.end_capture()
    assert x.tolist() == [0, 0, 0]
    for _ in range(2):
        graph.upload(side)
        graph.launch(side)
    side.synchronize()
    assert x.tolist() == [2, 2, 2] and y.tolist() == [4, 4, 4]
    del pool, y
    with pytest.raises(cupy.cuda.runtime.CUDARuntimeError, match="^cudaErrorIllegalAddress"):
        graph.launch(side)


REFUSED = {
    "side.synchronize()": "cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing",
    "side.done": "cudaErrorStreamCaptureUnsupported",
    "x.get()": "cudaErrorStreamCaptureUnsupported",
    "float(x[0])": "cudaErrorStreamCaptureUnsupported",
    "cupy.cuda.Device().synchronize()": "cudaErrorStreamCaptureUnsupported",
    "x + 1": "cudaErrorStreamCaptureUnsupported",  # memory of the usual pool
    "cupy.asarray(numpy.ones(2))": "cudaErrorCapturedEvent",
    "side.record().synchronize()": "cudaErrorCapturedEvent: operation not permitted on an event last recorded in a",
    "side.record().done": "cudaErrorCapturedEvent",
    "side.wait_event(before)": "cudaErrorStreamCaptureIsolation: dependency created on uncaptured work in another",
    "side.begin_capture()": "cudaErrorIllegalState",
}


@pytest.mark.parametrize("use", REFUSED)
def test_what_a_captured_stream_refuses(use):
    import numpy

    side, x = stream(), cupy.ones(3)
    before = cupy.cuda.Stream.null.record()
    with side:
        side.begin_capture()
        with pytest.raises(cupy.cuda.runtime.CUDARuntimeError, match=f"^{REFUSED[use]}"):
            eval(use, {"side": side, "x": x, "cupy": cupy, "numpy": numpy, "before": before})
        with pytest.raises(
            cupy.cuda.runtime.CUDARuntimeError, match="^cudaErrorStreamCaptureInvalidated: operation fai"
        ):
            side.end_capture()
    assert not side.is_capturing()


def test_captures_begin_and_end_as_cuda_asks():
    with pytest.raises(RuntimeError, match=r"^cannot capture on the default \(legacy\) stream"):
        cupy.cuda.Stream.null.begin_capture()
    with pytest.raises(NotImplementedError, match="must be created via stream capture"):
        cupy.cuda.Graph()
    one, other = stream(), stream()
    one.begin_capture()
    other.wait_event(one.record())
    other.launch_host_func(print, "never")
    with pytest.raises(
        cupy.cuda.runtime.CUDARuntimeError, match="^cudaErrorStreamCaptureUnjoined: capturing stream has"
    ):
        one.end_capture()
    assert not other.is_capturing()


LINALG = {
    "inv_ex": lambda x: torch.linalg.inv_ex(x).inverse,
    "inv": torch.linalg.inv,
    "lu": lambda x: torch.linalg.lu(x.flip(0))[0],
    "cholesky": lambda x: torch.linalg.cholesky(x @ x.mT),
    "inv_ex of several": lambda x: torch.linalg.inv_ex(torch.stack([x, 2 * x])).inverse,
    "solve_ex": lambda x: torch.linalg.solve_ex(x, torch.ones_like(x)).result,
    "cholesky_ex": lambda x: torch.linalg.cholesky_ex(x @ x.mT).L,
    "solve_triangular": lambda x: torch.linalg.solve_triangular(x, x.mT, upper=True),
    "slogdet": lambda x: torch.linalg.slogdet(x).logabsdet,
    "lu_factor_ex": lambda x: torch.linalg.lu_factor_ex(x).LU,
}


@pytest.mark.parametrize("name", LINALG)
def test_linear_algebra_is_captured(name):
    first = torch.eye(3) + torch.arange(9.0).reshape(3, 3) / 10
    x = first.cuda()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = LINALG[name](x)
    for scale in (1, 3):
        x.copy_(scale * first)
        graph.replay()
        torch.testing.assert_close(result.cpu(), LINALG[name](scale * first))


SINGULAR = {
    "inv": (torch.linalg.inv, "linalg.inv: The diagonal element n is zero"),
    "cholesky": (torch.linalg.cholesky, "leading minor of order n is not positive-definite"),
    "torch.cholesky_inverse": (torch.cholesky_inverse, "cholesky_inverse: The diagonal element n is zero"),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_a_replay_on_a_singular_matrix_is_an_error_at_the_next_wait(name):
    function, words = SINGULAR[name]
    x = torch.eye(3, device="cuda")
    graph, result = captured(lambda: function(x))
    x.mul_(2)
    graph.replay()
    torch.cuda.synchronize()
    torch.testing.assert_close(result, function(x))
    x.zero_()
    graph.replay()
    with pytest.raises(torch.linalg.LinAlgError, match=words):
        torch.cuda.synchronize()
    torch.cuda.synchronize()  # says it once
