"""Captured work of a GPU: replays give the numbers of running the code. With simulated GPUs, under rushlight alone.

A GPU does nothing during a capture, so that memory is as before at its end.
"""

import copy
import re
import threading

import pytest

import rushlight as torch

pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")
F = torch.nn.functional


@pytest.fixture(autouse=True)
def device():
    torch.manual_seed(0)
    with torch.cuda.simulate():
        yield


def captured(run):
    """The graph of a function, and what the function returned."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = run()
    return graph, result


OPERATIONS = [
    "x * 2 + 1", "x.exp().sum()", "x @ x.t()", "F.softmax(x, 1)", "x.half() * 2", "x.bfloat16() + x", "x[1:] - x[:-1]",
    "torch.cat([x, x.flip(0)])", "x.to(torch.float64).log1p()", "torch.where(x > 0, x, -x)", "x.sort(1).values",
    "x.cumsum(0)", "x.t().contiguous()", "F.layer_norm(x, (3,))", "x.max(1).indices", "x.clone().add_(x).mul_(2)",
    "x.new_zeros(4, 3).copy_(x)", "torch.add(x, 1, out=torch.empty(4, 3, device='cuda'))", "torch.stack(x.unbind(1))",
    "x.var(0)", "F.conv1d(x.reshape(1, 4, 3), torch.ones(2, 4, 1, device='cuda'))", "x.masked_fill(x > 0, 0.0)",
    "torch.einsum('ij,kj->ik', x, x)", "x.view(-1).index_add(0, torch.arange(2, device='cuda'), x[0, :2])",
    "x.norm()", "F.gelu(x)", "x.conj().abs()", "torch.linalg.inv(x[:3] + 4 * torch.eye(3, device='cuda'))",
]  # fmt: skip


@pytest.mark.parametrize("expression", OPERATIONS)
def test_a_replay_computes_what_running_the_code_would(expression):
    def run():
        return eval(expression, {"torch": torch, "F": F, "x": x})

    x = torch.randn(4, 3, device="cuda").abs()
    graph, result = captured(run)
    for _ in range(3):
        x.copy_(torch.randn(4, 3).abs())
        graph.replay()
        assert torch.equal(result, run())


def test_nothing_happens_during_a_capture():
    x, y = torch.zeros(2, device="cuda"), torch.arange(3.0, device="cuda")
    state = torch.cuda.get_rng_state()

    def run():
        x.add_(1)
        y[1:] = 7
        return torch.rand(2, device="cuda")

    graph, _ = captured(run)
    assert x.tolist() == [0, 0] and y.tolist() == [0, 1, 2]
    assert torch.equal(torch.cuda.get_rng_state(), state)
    graph.replay()
    graph.replay()
    assert x.tolist() == [2, 2] and y.tolist() == [0, 7, 7]


@pytest.mark.parametrize(
    "draw",
    [
        "torch.rand(100, device='cuda')", "torch.randn_like(x)", "x.clone().normal_()", "F.dropout(x, 0.5)",
        "torch.randint(10, (100,), device='cuda')", "x.clone().bernoulli_(0.5)", "torch.rand_like(x)",
        "torch.empty(100, device='cuda').uniform_(1, 2)",
    ],
)  # fmt: skip
def test_each_replay_draws_new_numbers_and_a_seed_repeats_them(draw):
    x = torch.ones(100, device="cuda")
    graph, result = captured(lambda: eval(draw, {"torch": torch, "F": F, "x": x}))
    runs = []
    for _ in range(2):
        torch.cuda.manual_seed(3)
        for _ in range(2):
            graph.replay()
            runs.append(result.cpu())
    assert not torch.equal(runs[0], runs[1])
    assert torch.equal(runs[0], runs[2]) and torch.equal(runs[1], runs[3])


def test_memory_that_a_capture_clears_is_cleared_in_each_replay():
    x = torch.ones(3, device="cuda")

    def run():
        total = torch.zeros(3, device="cuda")
        total += x
        total += x
        return total

    graph, total = captured(run)
    for _ in range(3):
        graph.replay()
        assert total.tolist() == [2, 2, 2]


def network():
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Tanh(), torch.nn.Linear(8, 2)
    ).cuda()


OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01},
    "Adam": {"lr": 0.01, "capturable": True},
    "AdamW": {"lr": 0.01, "capturable": True},
    "RMSprop": {"lr": 0.01, "capturable": True},
    "Adagrad": {"lr": 0.01},
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_captured_training_step_trains_as_the_loop_does(name):
    """The example of PyTorch's notes on CUDA graphs: warm up on a side stream, capture a step, replay it."""
    data = [(torch.randn(5, 4), torch.randn(5, 2)) for _ in range(8)]

    def train(model, optimizer, batches):
        for x, y in batches:
            optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
        return loss.item()

    plain = network()
    by_loop = getattr(torch.optim, name)(plain.parameters(), **OPTIMIZERS[name])
    train(plain, by_loop, data[:3])
    expected = train(plain, by_loop, data[3:])

    model = network()
    optimizer = getattr(torch.optim, name)(model.parameters(), **OPTIMIZERS[name])
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        train(model, optimizer, data[:3])
    torch.cuda.current_stream().wait_stream(side)
    static_x, static_y = torch.zeros(5, 4, device="cuda"), torch.zeros(5, 2, device="cuda")
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        loss = F.mse_loss(model(static_x), static_y)
        loss.backward()
        optimizer.step()
    for x, y in data[3:]:
        static_x.copy_(x)
        static_y.copy_(y)
        graph.replay()
    assert loss.item() == expected
    for one, other in zip(plain.state_dict().items(), model.state_dict().items(), strict=True):
        assert one[0] == other[0] and torch.equal(one[1], other[1])


def test_gradients_that_are_there_are_added_to_in_place():
    x = torch.ones(2, device="cuda", requires_grad=True)
    x.sum().backward()
    gradient = x.grad
    graph, _ = captured(lambda: (x * 3).sum().backward())
    assert x.grad is gradient and gradient.tolist() == [1, 1]
    graph.replay()
    graph.replay()
    assert gradient.tolist() == [7, 7]


def test_an_optimizer_that_is_not_capturable_says_so():
    model = torch.nn.Linear(2, 1).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2, device="cuda")).sum().backward()
    with pytest.raises(RuntimeError, match="^Attempting CUDA graph capture of step\\(\\) for an instance of Adam but"):
        captured(optimizer.step)


@pytest.mark.parametrize(
    "use",
    [
        "x.sum().item()", "x.cpu()", "x.tolist()", "print(x)", "bool(x.any())", "float(x[0])", "x.to('cpu')",
        "x[x > 0]", "torch.cuda.synchronize()", "torch.cuda.current_stream().synchronize()",
        "x.nonzero()", "torch.ones(2).cuda()",
        "x.masked_select(x > 0)", "x.unique()",
        "torch.cuda.Event().synchronize()", "x.copy_(torch.ones(3))",
        "x.cpu().numpy()", "torch.accelerator.synchronize()",
    ],
)  # fmt: skip
def test_what_waits_is_not_permitted(use):
    x = torch.ones(3, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(torch.AcceleratorError) as caught:
        with torch.cuda.graph(graph):
            exec(use, {"torch": torch, "x": x})
    first, second = str(caught.value.__context__), str(caught.value)
    assert first.startswith("CUDA error: operation not permitted when stream is capturing\n")
    assert second.startswith("CUDA error: operation failed due to a previous error during capture\n")
    assert re.search(r"Read it after replay\(\)|depends on values", caught.value.__context__.__notes__[0])
    assert not torch.cuda.is_current_stream_capturing() and x.sum().item() == 3
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()


def test_copies_that_do_not_wait_are_captured():
    source, target = torch.ones(3).pin_memory(), torch.zeros(3).pin_memory()

    def run():
        x = source.to("cuda", non_blocking=True)
        y = x * 2
        target.copy_(y, non_blocking=True)
        return y

    graph, y = captured(run)
    source.fill_(5)
    graph.replay()
    assert y.tolist() == target.tolist() == [10, 10, 10]


def test_it_captures_on_a_stream_of_its_own():
    assert not torch.cuda.is_current_stream_capturing()
    with pytest.raises(RuntimeError, match="^CUDA graphs must be captured on a non-default stream"):
        torch.cuda.CUDAGraph().capture_begin()
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()
    with torch.cuda.graph(graph, stream=(side := torch.cuda.Stream())):
        assert torch.cuda.is_current_stream_capturing() and torch.cuda.current_stream() == side
    with pytest.raises(RuntimeError, match="already owns a captured graph"):
        with torch.cuda.graph(graph):
            pass
    graph.reset()
    with torch.cuda.graph(graph, pool=torch.cuda.graph_pool_handle()):
        pass
    assert graph.pool()[1] > 0


def test_a_graph_keeps_the_memory_that_it_works_on():
    xs = [torch.ones(3, device="cuda")]
    graph, y = captured(lambda: (xs[0] + 1) * 2)
    xs.clear()
    graph.replay()
    assert y.tolist() == [4, 4, 4]


def test_the_private_pool_of_a_graph():
    x = torch.ones(100, device="cuda")
    graph, _ = captured(lambda: x * 2)
    segments = torch.cuda.memory_snapshot(graph.pool())
    assert [segment["allocated_size"] for segment in segments] == [512]


def test_torch_accelerator_captures_too():
    x = torch.zeros(2, device="cuda")
    graph = torch.accelerator.Graph()
    with torch.Stream(), graph:
        x += 1
    graph.replay()
    graph.replay()
    assert x.tolist() == [2, 2]


def test_a_module_whose_work_is_graphed_is_a_replacement_in_the_loop():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)).cuda()
    plain = copy.deepcopy(model)
    graphed = torch.cuda.make_graphed_callables(model, (torch.randn(5, 3, device="cuda", requires_grad=True),))
    assert graphed is model
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (model, plain)]
    for _ in range(4):
        x = torch.randn(5, 3, device="cuda", requires_grad=True)
        y = x.detach().clone().requires_grad_()
        for optimizer in optimizers:
            optimizer.zero_grad()
        one, other = graphed(x).pow(2).sum(), plain(y).pow(2).sum()
        one.backward()
        other.backward()
        assert torch.equal(one, other) and torch.equal(x.grad, y.grad)
        assert all(torch.equal(p.grad, q.grad) for p, q in zip(model.parameters(), plain.parameters(), strict=True))
        for optimizer in optimizers:
            optimizer.step()
    graphed.eval()  # another mode than the captured one: the module runs as it was
    assert graphed(torch.ones(1, 3, device="cuda")).shape == (1, 2)


def test_functions_that_return_several_tensors_in_containers():
    samples = torch.ones(2, device="cuda"), torch.ones(2, device="cuda", requires_grad=True)
    first, second = torch.cuda.make_graphed_callables(
        (lambda a, b: {"sum": a + b, "rest": [a * b]}, lambda a, b: a - b), (samples, samples)
    )
    a, b = torch.full((2,), 3.0, device="cuda"), torch.full((2,), 4.0, device="cuda", requires_grad=True)
    result = first(a, b)
    assert result["sum"].tolist() == [7, 7] and result["rest"][0].tolist() == [12, 12]
    assert second(a, b).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        ("model.register_forward_hook(print)", "Modules must not have hooks registered at the time they are passed."),
        ("args = (1,)", "sample_args for each callable must contain only Tensors"),
        ("model.register_buffer('b', torch.ones(1, device='cuda', requires_grad=True))", "only parameters may be trai"),
    ],
)
def test_what_cannot_be_graphed_is_refused(prepare, message):
    names = {"torch": torch, "model": torch.nn.Linear(2, 2).cuda(), "args": (torch.ones(1, 2, device="cuda"),)}
    exec(prepare, names)
    with pytest.raises(AssertionError, match=message):
        torch.cuda.make_graphed_callables(names["model"], names["args"])
    with torch.autocast("cuda"), pytest.raises(RuntimeError, match="does not support the autocast caching"):
        torch.cuda.make_graphed_callables(names["model"], names["args"])


def test_random_programs_replay_as_they_run():
    """Programs of random operations in place and out of place on three tensors: replayed, against run."""
    operations = [
        lambda t, i, j: t[i].add_(t[j]), lambda t, i, j: t[i].mul_(0.5), lambda t, i, j: t[i].copy_(t[j].tanh()),
        lambda t, i, j: t[i][1:].sub_(t[j][:-1]), lambda t, i, j: t[i].t().add_(1), lambda t, i, j: t[i].clamp_(-2, 2),
        lambda t, i, j: torch.maximum(t[i], t[j], out=t[i]), lambda t, i, j: t[i].masked_fill_(t[j] > 0, 0.25),
        lambda t, i, j: t[i].__setitem__(slice(0, 2), t[j][1:3]), lambda t, i, j: t[i].zero_().add_(t[j] @ t[j]),
    ]  # fmt: skip
    generator = torch.Generator().manual_seed(5)
    for _ in range(60):
        program = [
            (operations[k], i, j)
            for k, i, j in torch.stack(
                [torch.randint(n, (6,), generator=generator) for n in (len(operations), 3, 3)], 1
            ).tolist()
            if i != j
        ]

        def run(tensors, program=program):
            for operation, i, j in program:
                operation(tensors, i, j)

        start = [torch.randn(4, 4, generator=generator).cuda() for _ in range(3)]
        plain, static = [x.clone() for x in start], [x.clone() for x in start]
        graph, _ = captured(lambda static=static, run=run: run(static))
        assert all(torch.equal(x, y) for x, y in zip(start, static, strict=True))
        for _ in range(2):
            run(plain)
            graph.replay()
            assert all(torch.equal(x, y) for x, y in zip(plain, static, strict=True))


def test_work_of_another_thread_is_not_captured():
    x = torch.zeros(2, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        thread = threading.Thread(target=lambda: (torch.ones(2, device="cuda") * 2, torch.cuda.synchronize()))
        thread.start()
        thread.join()
        x.add_(1)
    assert len(graph._capture.steps) == 2  # the sum, and its way into x


def test_gradients_of_lazy_conjugates_are_computed_again():
    z = torch.tensor([1 + 2j, 3 - 1j]).cuda().requires_grad_()

    def gradient():
        return torch.autograd.grad(z.conj().abs().sum(), [z])[0]

    graph, result = captured(gradient)
    with torch.no_grad():
        z.mul_(1j)
    graph.replay()
    assert torch.equal(result, gradient())


@pytest.mark.parametrize("training", [True, False])
def test_statistics_of_normalization_are_on_the_gpu_and_computed_again(training):
    x, mean, var = torch.randn(4, 3).cuda(), torch.zeros(3).cuda(), torch.ones(3).cuda()

    def normalized():
        return [
            *torch.native_batch_norm(x, None, None, mean, var, training, 0.0, 1e-5),
            *torch.native_layer_norm(x, (3,), None, None, 1e-5),
        ]

    graph, result = captured(normalized)
    x.mul_(2)
    graph.replay()
    assert all(each.is_cuda for each in result)
    assert all(torch.equal(one, other) for one, other in zip(result, normalized(), strict=True))
