"""Stage 10: collectives of one rank by NCCL, which find wrong names, types, streams and ends of communicators."""

from __future__ import annotations

import socket

import rushlight as torch
import rushlight.distributed as dist
from rushlight.core.device import BACKENDS

DTYPES = (torch.bool, torch.uint8, torch.int64, torch.bfloat16, torch.float32, torch.complex64)


def run(stage, options) -> None:
    gpu = BACKENDS.by_kind["cuda"]
    if not dist.is_available() or not (gpu.load_nccl and gpu.load_nccl()):
        stage.skip("there is no NCCL, or no MPI")
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    dist.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)
    for dtype in DTYPES:
        with stage.checking(f"collectives of {dtype}"):
            collectives(torch.tensor([1, 0, 1], device="cuda").to(dtype))
    with stage.checking("a sum of what another stream computes"):
        on_a_stream()
    with stage.checking("a message to itself"):
        x, came = torch.ones(1 << 20, device="cuda"), torch.zeros(1 << 20, device="cuda")
        dist.all_to_all_single(came, x)
        assert torch.equal(came, x)
    with stage.checking("the end"):
        dist.destroy_process_group()


def collectives(x: torch.Tensor) -> None:
    expected = x.cpu()
    dist.all_reduce(x)
    dist.broadcast(x, 0)
    dist.reduce(x, 0, dist.ReduceOp.MAX if not x.is_complex() else dist.ReduceOp.AVG)
    dist.all_gather(gathered := [torch.zeros_like(x)], x)
    dist.reduce_scatter(scattered := torch.zeros_like(x), [x])
    for each in (x, *gathered, scattered):
        assert torch.equal(each.cpu(), expected), each


def on_a_stream() -> None:
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        x = torch.ones(1 << 24, device="cuda")
        for _ in range(20):
            x = x * 2 - 1
        work = dist.all_reduce(x, async_op=True)
        work.wait()
        total = x.sum()
    side.synchronize()
    assert total.item() == 1 << 24
