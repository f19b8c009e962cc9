"""Pinned memory is CuPy's, page-locked, and copies from it are queued: on the fake CuPy, which counts its bytes."""

import gc

import numpy as np
import pytest

import rushlight as torch
from rushlight.arrays.cuda.fake import pinned
from rushlight.arrays.cuda.fake.namespace import cupy
from rushlight.arrays.cuda.fake.runtime import CUDARuntimeError
from rushlight.core.device import WAITS
from rushlight.utils.data import DataLoader

MAKE = {
    "pin_memory": lambda: torch.arange(6.0).reshape(2, 3).pin_memory(),
    "transposed": lambda: torch.arange(6.0).reshape(3, 2).t().pin_memory(),
    "conjugate": lambda: torch.tensor([1 + 2j]).conj().pin_memory(),
    "empty": lambda: torch.empty(2, 3, pin_memory=True),
    "strided": lambda: torch.empty_strided((2, 3), (4, 1), pin_memory=True),
    "like": lambda: torch.zeros_like(torch.ones(2), pin_memory=True),
    "no elements": lambda: torch.ones(0, 3).pin_memory(),
    "a number": lambda: torch.tensor(2.0).pin_memory(),
    "storage": lambda: torch.ones(3).untyped_storage().pin_memory(),
    "batch": lambda: next(iter(DataLoader(torch.ones(4, 2), batch_size=2, pin_memory=True))),
}


def is_locked(x):
    return pinned.is_memory_pinned(x.data_ptr())


@pytest.mark.parametrize("kind", MAKE)
def test_what_says_that_it_is_pinned_is_page_locked(device, kind):
    before = pinned.bytes_in_use()
    x = MAKE[kind]()
    assert x.is_pinned() and pinned.bytes_in_use() > before
    assert is_locked(x) or not x.nbytes
    del x
    gc.collect()
    assert pinned.bytes_in_use() == before


def test_values_strides_and_gradients_are_kept(device):
    x = torch.arange(6.0).reshape(3, 2).t().requires_grad_()
    y = x.pin_memory()
    assert torch.equal(x, y) and x.stride() == y.stride() and is_locked(y) and not is_locked(x)
    y.sum().backward()
    assert torch.equal(x.grad, torch.ones(2, 3))
    assert torch.equal(torch.tensor([1 + 2j]).conj().pin_memory(), torch.tensor([1 - 2j]))
    assert not is_locked(y.clone()) and not y.clone().is_pinned()


@pytest.mark.parametrize("copy", ["x.to('cuda', non_blocking=True)", "x.cuda(non_blocking=True)", "y.copy_(x, True)"])
@pytest.mark.parametrize("kind", ["pinned", "ordinary"])
def test_a_copy_of_pinned_memory_is_queued_if_it_is_asked_for(device, copy, kind):
    x, y, side = torch.ones(3), torch.zeros(3, device="cuda"), torch.cuda.Stream()
    x = x.pin_memory() if kind == "pinned" else x
    with torch.cuda.stream(side):
        y = eval(copy, {"x": x, "y": y})
    x.fill_(5)  # a program that does so before the stream has come to the copy changes what is copied
    side.synchronize()
    assert y.tolist() == ([5, 5, 5] if kind == "pinned" else [1, 1, 1])


COPIES = ["x.to('cuda')", "x.cuda()", "y.copy_(x)", "y[x]", "torch.as_tensor(x, device='cuda')"]


@pytest.mark.parametrize("copy", COPIES)
def test_the_program_waits_for_other_copies_of_pinned_memory(device, copy):
    x, y, side = torch.ones(3, dtype=torch.int64).pin_memory(), torch.arange(3, device="cuda"), torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = eval(copy, {"x": x, "y": y, "torch": torch})
    x.fill_(2)
    side.synchronize()
    assert y.tolist() == [1, 1, 1]


def test_memory_that_is_being_copied_is_kept(device):
    gc.collect()
    side, before = torch.cuda.Stream(), pinned.bytes_in_use()
    with torch.cuda.stream(side):
        y = torch.ones(1000).pin_memory().to("cuda", non_blocking=True)
    gc.collect()
    assert pinned.bytes_in_use() == before + 4096 and not side.query()
    side.synchronize()
    gc.collect()
    assert pinned.bytes_in_use() == before and y.sum().item() == 1000


# ---- copies to the CPU

FETCHES = {
    "to": lambda x: x.to("cpu", non_blocking=True),
    "to another tensor's": lambda x: x.to(torch.ones(1), non_blocking=True),
    "to another dtype": lambda x: x.to("cpu", torch.float64, non_blocking=True),
    "channels last": lambda x: x.to("cpu", non_blocking=True, memory_format=torch.channels_last),
    "copy_": lambda x: torch.zeros(x.shape, pin_memory=True).copy_(x, non_blocking=True),
    "copy_ of another dtype": lambda x: torch.zeros(x.shape, dtype=torch.int32, pin_memory=True).copy_(x, True),
    "copy_ to a view": lambda x: torch.zeros(3, *x.shape, pin_memory=True)[1].copy_(x, non_blocking=True),
    "copy_ of fewer": lambda x: torch.zeros(x.shape, pin_memory=True).copy_(x[0], non_blocking=True),
    "copy_ to a transposed one": lambda x: torch.zeros(x.mT.shape, pin_memory=True).mT.copy_(x, non_blocking=True),
}


@pytest.mark.parametrize("name", FETCHES)
def test_a_copy_to_pinned_memory_of_the_cpu_is_queued(device, name):
    x, side = torch.arange(16.0).reshape(1, 4, 2, 2), torch.cuda.Stream()
    expected = FETCHES[name](x)
    x, waits = x.cuda(), []
    WAITS.listeners.append(waits.append)
    try:
        with torch.cuda.stream(side):
            y = FETCHES[name](x)
            version = y._version
    finally:
        WAITS.listeners.remove(waits.append)
    assert not waits and not side.query() and y.is_cpu and y.is_pinned() and is_locked(y)
    assert not torch.equal(y, expected)
    side.synchronize()
    assert torch.equal(y, expected) and y.dtype is expected.dtype and y.stride() == expected.stride()
    assert version == expected._version


@pytest.mark.parametrize("wait", ["event", "stream", "device"])
def test_what_waits_makes_a_copy_visible(device, wait):
    x, side = torch.ones(3, device="cuda"), torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = (x + 1).to("cpu", non_blocking=True)
        event = side.record_event()
        x.mul_(5)  # after the copy
    {"event": event, "stream": side, "device": torch.cuda}[wait].synchronize()
    assert y.tolist() == [2, 2, 2]


def test_a_copy_waits_for_what_its_stream_waits_for(device):
    x, one, other = torch.ones(3, device="cuda"), torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(one):
        x = x * 3
    other.wait_stream(one)
    with torch.cuda.stream(other):
        y = x.to("cpu", non_blocking=True)
    other.synchronize()
    assert y.tolist() == [3, 3, 3]


REFUSED = {
    "ordinary memory": lambda x: torch.empty(3, 2).copy_(x, non_blocking=True),
    "memory in pieces": lambda x: torch.empty(3, 4, pin_memory=True)[:, ::2].copy_(x, non_blocking=True),
    "a gradient": lambda x: torch.empty(3, 2, pin_memory=True).copy_(x.clone().requires_grad_(), non_blocking=True),
    "nothing asked for": lambda x: torch.empty(3, 2, pin_memory=True).copy_(x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_program_waits_for_other_copies(device, name):
    x, side = torch.arange(6.0).reshape(3, 2).cuda(), torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = REFUSED[name](x * 2)
    assert torch.equal(y.detach(), torch.arange(0.0, 12, 2).reshape(3, 2))


def test_gradients_flow_through_a_queued_copy(device):
    x = torch.arange(3.0).cuda().requires_grad_()
    y = (x * 2).to("cpu", non_blocking=True)
    torch.cuda.synchronize()
    y.sum().backward()
    assert x.grad.tolist() == [2, 2, 2] and x.grad.is_cuda


def test_a_cast_is_warned_of_once(device):
    x = torch.tensor([1 + 2j]).cuda()
    with pytest.warns(UserWarning, match="discards the imaginary part") as warned:
        y = x.to("cpu", torch.float32, non_blocking=True)
    assert len(warned) == 1 and warned[0].filename == __file__
    torch.cuda.synchronize()
    assert y.tolist() == [1]


def test_memory_that_is_being_filled_is_kept(device):
    gc.collect()
    torch.cuda.synchronize()
    side, before = torch.cuda.Stream(), pinned.bytes_in_use()
    with torch.cuda.stream(side):
        torch.ones(1000, device="cuda").to("cpu", non_blocking=True)
    gc.collect()
    assert pinned.bytes_in_use() == before + 4096
    torch.cuda.synchronize()
    assert pinned.bytes_in_use() == before


def test_the_fake_keeps_no_memory_of_the_cpu():
    target = np.ndarray(3, np.float64, pinned.alloc_pinned_memory(24))
    with cupy.cuda.Stream(non_blocking=True) as side:
        cupy.ones(3).get(out=target, blocking=False)
    del target
    with pytest.raises(CUDARuntimeError, match="illegal memory access"):
        side.synchronize()
    with pytest.raises(RuntimeError, match="non-contiguous"):
        cupy.ones(3).get(out=np.ones(6)[::2])


@pytest.mark.parametrize(
    "copy", [lambda x: x.to("cpu", non_blocking=True), lambda x: torch.zeros(3).pin_memory().copy_(x, True)]
)
def test_a_copy_goes_by_the_stream_of_its_device(copy):
    with torch.cuda.simulate(devices=2):
        x, side = torch.ones(3, device="cuda:1"), torch.cuda.Stream("cuda:1")
        with torch.cuda.stream(side), torch.cuda.device(0):
            y = copy(x)
            assert torch.cuda.current_device() == 0
        assert not side.query() and y.tolist() != [1, 1, 1]
        side.synchronize()
        assert y.tolist() == [1, 1, 1]


def test_an_empty_tensor_and_a_number_are_copied(device):
    for x in (torch.ones(0, 3), torch.tensor(2.0), torch.tensor([1 + 2j]).conj()):
        y = x.cuda().to("cpu", non_blocking=True)
        torch.cuda.synchronize()
        assert torch.equal(x, y) and y.is_pinned()


def test_the_fake_has_the_names_of_cupy():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    assert callable(cupy.cuda.alloc_pinned_memory) and callable(cupy.cuda.pinned_memory.is_memory_pinned)
