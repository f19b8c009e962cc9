"""Pinned memory is CuPy's, page-locked, and copies from it are queued: on the fake CuPy, which counts its bytes."""

import gc

import pytest

import rushlight as torch
from rushlight.arrays.cuda.fake import pinned
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


def test_the_fake_has_the_names_of_cupy():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    assert callable(cupy.cuda.alloc_pinned_memory) and callable(cupy.cuda.pinned_memory.is_memory_pinned)
