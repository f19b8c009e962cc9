"""A machine with NVIDIA's driver and CuPy, which here is the fake: its GPUs are there without a simulation."""

import sys
from types import SimpleNamespace

import pytest

import rushlight as torch
from rushlight import cuda
from rushlight.arrays.cuda.fake import namespace, runtime
from rushlight.core.device import BACKENDS
from rushlight.lower import llvm


def test_a_program_finds_the_gpus_of_the_machine(machine, capsys):
    assert torch.cuda.is_available() and torch.cuda.device_count() == 2 and len(torch.cuda.default_generators) == 2
    model = torch.nn.Linear(3, 2).to("cuda:1")
    optimizer = torch.optim.Adam(model.parameters())
    before = model.weight.cpu().clone()
    model(torch.ones(4, 3, device="cuda:1")).square().mean().backward()
    optimizer.step()
    assert model.weight.device == torch.device("cuda", 1) and not torch.equal(model.weight.cpu(), before)
    assert capsys.readouterr().err == ""  # nothing is announced
    have = [backend.formulas is not None for backend in machine.DEVICES]
    assert have == [llvm.is_available()] * 2 and ("pow" in machine.DEVICES[1].formulas.known or not have[1])


def test_a_simulation_hides_the_gpus_of_the_machine_for_a_block(machine):
    actual = BACKENDS.by_kind["cuda"]
    x = torch.ones(3, device="cuda")
    with torch.cuda.simulate(devices=1):
        assert torch.cuda.device_count() == 1 and BACKENDS.by_kind["cuda"] is not actual
        assert torch.ones(2, device="cuda").tolist() == [1, 1]
    assert BACKENDS.by_kind["cuda"] is actual and torch.cuda.device_count() == 2
    assert (x + 1).tolist() == [2, 2, 2] and len(torch.cuda.default_generators) == 2


def test_a_driver_without_a_gpu(machine, monkeypatch):
    machine.DEVICES.set_count(0)

    def no_device():
        raise runtime.CUDARuntimeError(100)

    monkeypatch.setattr(runtime, "getDeviceCount", no_device)
    cuda.begin()
    assert not torch.cuda.is_available() and torch.cuda.default_generators == ()


def test_the_environment_can_switch_the_gpus_off(machine, monkeypatch):
    machine.DEVICES.set_count(0)
    monkeypatch.setenv("RUSHLIGHT_SIMULATE_CUDA", "0")
    cuda.begin()
    assert not torch.cuda.is_available()


def test_a_machine_without_a_driver_has_none():
    assert not cuda.has_driver() or torch.cuda.is_available()


def test_full_memory_raises_in_the_words_of_pytorch(machine, monkeypatch):
    held = torch.ones(1000, 1000, device="cuda")

    def full(*arguments):
        raise namespace.cupy.cuda.memory.OutOfMemoryError(3 << 30, 4 << 30)

    words = r"CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of"
    with monkeypatch.context() as patches:
        patches.setattr(machine.DEVICES[0], "_run", full)
        with pytest.raises(torch.OutOfMemoryError, match=words) as caught:
            held + held
        assert any("held" in note for note in caught.value.__notes__)  # the tensor that holds the memory
    with monkeypatch.context() as patches:
        patches.setattr("rushlight.arrays.cuda.device.sent", full)
        with pytest.raises(torch.OutOfMemoryError, match=words):
            torch.ones(3).cuda()
    assert torch.cuda.memory_stats()["num_ooms"] >= 2 and (held + held).sum().item() == 2e6


@pytest.mark.parametrize("available", [True, False])
def test_nccl_is_loaded_when_it_is_asked_for_and_may_be_missing(machine, monkeypatch, available):
    library = SimpleNamespace(available=available)
    monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", library)
    assert machine.DEVICES[1].load_nccl() is (library if available else None)


def test_what_torch_cuda_nccl_says_of_the_library(machine, monkeypatch):
    nccl = torch.cuda.nccl
    x, y = (torch.ones(2, 3, device=f"cuda:{index}") for index in range(2))
    library = SimpleNamespace(available=True, get_version=lambda: 22803, get_unique_id=lambda: b"n" * 128)
    with monkeypatch.context() as patches:
        patches.setitem(sys.modules, "cupy.cuda.nccl", library)
        assert nccl.version() == (2, 28, 3) and nccl.unique_id() == b"n" * 128
        assert nccl.is_available([x, y]) and nccl.is_available([])
        for tensors in ([x, x], [x, torch.ones(2)], [x, y.t()]):
            assert not nccl.is_available(tensors)
    monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", SimpleNamespace(available=False))
    with pytest.warns(UserWarning, match="^PyTorch is not compiled with NCCL support$"):
        assert not nccl.is_available([x, y])
    for name in ("version", "unique_id"):
        with pytest.raises(AttributeError, match=f"^module 'torch._C' has no attribute '_nccl_{name}'$"):
            getattr(nccl, name)()
