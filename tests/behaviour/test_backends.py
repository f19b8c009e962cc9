"""The switches of `torch.backends` that programs set at their start; no number depends on them on a CPU."""

import importlib

import pytest


@pytest.fixture(autouse=True)
def as_it_was(torch):
    cudnn = torch.backends.cudnn
    with cudnn.flags(cudnn.enabled, cudnn.benchmark, None, cudnn.deterministic, cudnn.allow_tf32):
        yield
    torch.set_float32_matmul_precision("highest")


def test_the_first_lines_of_a_training_script(torch):
    cudnn = importlib.import_module(f"{torch.__name__}.backends.cudnn")
    assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32) == (True, False, False, True)
    cudnn.deterministic = True
    torch.backends.cudnn.benchmark = True
    assert (torch.backends.cudnn.deterministic, cudnn.benchmark) == (True, True)
    assert not (cudnn.is_available() or torch.backends.mps.is_available() or torch.backends.mps.is_built())
    assert cudnn.version() is None
    assert not torch.backends.cuda.is_built()
    assert torch.backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "DEFAULT")


def test_what_a_switch_refuses(torch):
    with pytest.raises(RuntimeError, match="^set_benchmark_cudnn expects a bool, but got int$"):
        torch.backends.cudnn.benchmark = 3
    with pytest.raises(RuntimeError, match="^set_enabled_cudnn expects a bool, but got str$"):
        torch.backends.cudnn.enabled = "yes"
    assert (torch.backends.cudnn.benchmark, torch.backends.cudnn.enabled) == (False, True)


def test_switches_for_a_block(torch):
    cudnn = torch.backends.cudnn
    with pytest.raises(KeyError), cudnn.flags(enabled=False, deterministic=True):
        assert (cudnn.enabled, cudnn.deterministic) == (False, True)
        raise KeyError
    assert (cudnn.enabled, cudnn.deterministic) == (True, False)


def test_tf32_is_a_spelling_of_the_precision_of_products(torch):
    matmul = torch.backends.cuda.matmul
    assert matmul.allow_tf32 is False
    matmul.allow_tf32 = True
    assert torch.get_float32_matmul_precision() == "high"
    torch.set_float32_matmul_precision("highest")
    assert matmul.allow_tf32 is False
    with pytest.raises(AttributeError, match="^Unknown attribute allow_tf64$"):
        matmul.allow_tf64 = True


@pytest.mark.filterwarnings("ignore:TF32 acceleration on top of oneDNN")
def test_switches_of_mkldnn_for_a_block(torch):
    mkldnn = torch.backends.mkldnn
    assert (mkldnn.enabled, mkldnn.deterministic) == (True, False)
    with pytest.raises(KeyError), mkldnn.flags(deterministic=True):
        assert (mkldnn.enabled, mkldnn.deterministic) == (False, True)
        raise KeyError
    assert (mkldnn.enabled, mkldnn.deterministic) == (True, False)
    with mkldnn.flags(enabled=None, deterministic=None):
        assert (mkldnn.enabled, mkldnn.deterministic) == (True, False)
    with pytest.raises(RuntimeError, match="^set_enabled_mkldnn expects a bool, but got int$"):
        mkldnn.enabled = 3
