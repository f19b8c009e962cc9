"""Stage 6: random programs on several streams, whose only order is their events, against the same programs on one."""

from __future__ import annotations

import random

import rushlight as torch

STREAMS, BUFFERS, STEPS = 3, 5, 12


def run(stage, options) -> None:
    count = 50 if options.quick else 1000
    for seed in stage.each(range(count)):
        with stage.checking(f"program {seed}"):
            assert on_streams(seed) == on_one(seed)
    with stage.checking("a copy that does not block"):
        copy_does_not_block()
    with stage.checking("an event that is waited for"):
        event_is_waited_for()
    with stage.checking("memory that another stream uses"):
        another_stream_uses_it()
    with stage.checking("graphs"):
        graph_is_replayed(torch.cuda.CUDAGraph())


def plan(seed: int) -> list[tuple[int, str, int, int]]:
    """Returns the steps of a program: a stream, an operation, the buffer that it writes and one that it reads."""
    draw = random.Random(seed)
    names = ("add", "mul", "sin", "copy", "matmul")
    return [(draw.randrange(STREAMS), draw.choice(names), draw.randrange(BUFFERS), draw.randrange(BUFFERS))
            for _ in range(STEPS)]  # fmt: skip


def apply(name: str, target, source) -> None:
    if name == "add":
        target.add_(source)
    elif name == "mul":
        target.mul_(source.clamp(-2, 2))
    elif name == "sin":
        target.copy_(source.sin())
    elif name == "copy":
        target.copy_(source)
    else:
        target.copy_(source @ source.t() * 0.01)


def buffers() -> list:
    return [torch.linspace(-1, number + 1, 64).reshape(8, 8).cuda() for number in range(BUFFERS)]


def on_one(seed: int) -> list:
    values = buffers()
    for _, name, target, source in plan(seed):
        apply(name, values[target], values[source])
    return [x.cpu().tolist() for x in values]


def on_streams(seed: int) -> list:
    """Runs the steps on their streams; each waits for the last steps that wrote or read its buffers."""
    values, streams = buffers(), [torch.cuda.Stream() for _ in range(STREAMS)]
    torch.cuda.synchronize()
    touched: list[list] = [[] for _ in range(BUFFERS)]  # the events of steps that used a buffer
    for number, name, target, source in plan(seed):
        stream = streams[number]
        for event in touched[target] + touched[source]:
            stream.wait_event(event)
        with torch.cuda.stream(stream):
            apply(name, values[target], values[source])
            done = torch.cuda.Event()
            done.record(stream)
        touched[target] = [done]
        touched[source].append(done)
    torch.cuda.synchronize()
    return [x.cpu().tolist() for x in values]


def copy_does_not_block() -> None:
    source = torch.arange(1000.0).pin_memory()
    there = source.to("cuda", non_blocking=True)
    back = (there * 2).to("cpu", non_blocking=True)
    torch.cuda.synchronize()
    assert torch.equal(back, source * 2)


def event_is_waited_for() -> None:
    stream, x = torch.cuda.Stream(), torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(20):
            x += 1
        done = torch.cuda.Event()
        done.record()
    done.synchronize()
    assert done.query() and x.sum().item() == 20_000


def another_stream_uses_it() -> None:
    """A block that is freed while another stream reads it is not given away before that is done."""
    stream, x = torch.cuda.Stream(), torch.full((1 << 20,), 3.0, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        total = x
        for _ in range(10):
            total = total + x
        x.record_stream(stream)
    del x
    torch.full((1 << 20,), 7.0, device="cuda")
    torch.cuda.synchronize()
    assert total[-1].item() == 33 and total.min().item() == 33


def graph_is_replayed(graph) -> None:
    x = torch.zeros(100, device="cuda")
    for _ in range(2):  # kernels are loaded before the capture
        y = (x * 2 + 1).sum()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        y = (x * 2 + 1).sum()
    for number in range(3):
        x.fill_(number)
        graph.replay()
        torch.cuda.synchronize()
        assert y.item() == 100 * (2 * number + 1)
