"""What programs say before they compute: which version, which device, which kernels."""

import importlib
import pickle
import sys

import pytest


def test_a_version_is_compared_as_a_version(torch):
    version = torch.__version__
    assert version.startswith("2.13.") and isinstance(version, str)
    assert version >= "2.9" and version > "2.0.0" and not version < "1.13"
    assert version >= (2, 4) and version >= (2, 13) and version < (3,)
    assert (version > "parrot") == (str(version) > "parrot")
    assert hash(version) == hash(str(version))
    kind = importlib.import_module(f"{torch.__name__}.torch_version").TorchVersion
    assert isinstance(version, kind)
    assert kind("1.10.0a") == "1.10.0a" and kind("1.10.0a") < "1.10.0" < kind("1.10.0.post1")
    assert kind("2.13") == "2.13.0" and kind("2.13.0+cpu") > "2.13.0"
    assert pickle.loads(pickle.dumps(version)) == version


def test_the_device_of_the_tutorials(torch):
    accelerator = torch.accelerator
    assert (accelerator.current_accelerator().type if accelerator.is_available() else "cpu") == "cpu"
    assert accelerator.current_accelerator() is None and accelerator.device_count() == 0
    for call in (accelerator.synchronize, accelerator.current_device_index, accelerator.empty_cache):
        with pytest.raises(RuntimeError, match=r"^Cannot access accelerator device when none is available\.$"):
            call()
    for call in (accelerator.set_device_index, accelerator.memory_allocated):
        with pytest.raises(RuntimeError, match=r"^Cannot access accelerator device when none is available\.$"):
            call(0)


def test_the_simulated_gpu_is_an_accelerator():
    torch = importlib.import_module("rushlight")
    with torch.cuda.simulate():
        assert torch.accelerator.is_available() and torch.accelerator.device_count() == torch.cuda.device_count()
        assert torch.accelerator.current_accelerator() == torch.device("cuda")
        torch.accelerator.set_device_index(0)
        torch.accelerator.synchronize()
        torch.accelerator.empty_cache()
        assert torch.accelerator.current_device_index() == 0
        assert torch.accelerator.memory_allocated() == torch.cuda.memory_allocated()
        assert torch.accelerator.max_memory_allocated() == torch.cuda.max_memory_allocated()
        assert torch.accelerator.memory_reserved() == torch.cuda.memory_reserved()
        assert torch.accelerator.max_memory_reserved() == torch.cuda.max_memory_reserved()


def test_no_gpu_of_another_kind(torch):
    assert not torch.xpu.is_available() and not torch.xpu.is_initialized() and torch.xpu.device_count() == 0
    state = torch.get_rng_state()
    torch.xpu.manual_seed(1), torch.xpu.manual_seed_all(1), torch.xpu.empty_cache()
    assert torch.equal(state, torch.get_rng_state())


def switches_of(torch):
    cuda = torch.backends.cuda
    return cuda.flash_sdp_enabled(), cuda.math_sdp_enabled(), cuda.mem_efficient_sdp_enabled(), cuda.cudnn_sdp_enabled()


def test_kernels_of_attention_are_chosen_for_a_block(torch):
    attention = importlib.import_module(f"{torch.__name__}.nn.attention")
    backend, sdpa_kernel = attention.SDPBackend, attention.sdpa_kernel
    x = torch.arange(24.0).reshape(1, 2, 3, 4) / 24
    expected = torch.nn.functional.scaled_dot_product_attention(x, x, x)
    for chosen, switches in [
        (backend.MATH, (False, True, False, False)),
        ([backend.FLASH_ATTENTION, backend.MATH], (True, True, False, False)),
    ]:
        with sdpa_kernel(chosen):
            assert switches_of(torch) == switches
            torch.testing.assert_close(torch.nn.functional.scaled_dot_product_attention(x, x, x), expected)
        assert switches_of(torch) == (True,) * 4
    with pytest.raises(KeyError), sdpa_kernel([backend.CUDNN_ATTENTION, backend.EFFICIENT_ATTENTION]):
        assert switches_of(torch) == (False, False, True, True)
        raise KeyError
    assert switches_of(torch) == (True,) * 4
    with pytest.raises(AssertionError, match=r"^Backend must be an instance of SDPBackend or a list .*, got int$"):
        with sdpa_kernel(3):
            pass
    assert torch.nn.attention is attention and (str(backend.MATH), int(backend.ERROR)) == ("SDPBackend.MATH", -1)


def test_kernels_of_attention_are_switched_off_for_good(torch):
    cuda = torch.backends.cuda
    cuda.enable_flash_sdp(False), cuda.enable_cudnn_sdp(False), cuda.enable_mem_efficient_sdp(False)
    assert switches_of(torch) == (False, True, False, False)
    cuda.enable_flash_sdp(True), cuda.enable_cudnn_sdp(True), cuda.enable_mem_efficient_sdp(True)
    cuda.enable_math_sdp(True)
    assert switches_of(torch) == (True,) * 4 and not cuda.is_flash_attention_available()
    with pytest.raises(RuntimeError, match=r"^set_sdp_use_math expects a bool, but got int$"):
        cuda.enable_math_sdp(3)


def test_the_older_choice_of_kernels_is_deprecated(torch):
    with pytest.warns(FutureWarning, match=r"^`torch\.backends\.cuda\.sdp_kernel\(\)` is deprecated\."):
        chosen = torch.backends.cuda.sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=False)
    with chosen:
        assert switches_of(torch) == (True, True, False, True)


def test_an_assertion_of_torch(torch):
    torch._assert(True, "never said")
    with pytest.raises(AssertionError, match="^two rows$"):
        torch._assert(torch.ones(2).shape[0] == 3, "two rows")


@pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")
def test_marks_for_the_older_compiler(torch, tmp_path, monkeypatch):
    (tmp_path / "marked.py").write_text(
        # The compiler reads a file.
        "def gated(x, y):\n    return x.sigmoid() * y\n\n\ndef plain(x):\n    return x + 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "marked", raising=False)
    marked = importlib.import_module("marked")
    x = torch.zeros(2)
    assert torch.jit.script(marked.gated)(x, x + 1).tolist() == [0.5, 0.5]
    assert torch.jit.script(torch.nn.Linear(1, 1))(torch.ones(1)).shape == (1,)
    for mark in (torch.jit.ignore, torch.jit.unused, torch.jit.export, torch.jit.script_if_tracing):
        assert mark(marked.plain)(x).tolist() == [1.0, 1.0]
    assert torch.jit.ignore(drop=False)(marked.plain)(x).tolist() == [1.0, 1.0]
    assert not torch.jit.is_scripting() and not torch.jit.is_tracing()
    assert torch.jit.annotate(int, 3) == 3 and torch.jit.Final[int] is not None
    with pytest.raises(RuntimeError, match=r"^Argument to @torch\.jit\.ignore must be a bool or a function but got 3$"):
        torch.jit.ignore(3)


def test_what_scripts_a_function_is_deprecated(torch):
    with pytest.warns(DeprecationWarning, match=r"^`torch\.jit\.script` is deprecated\."):
        torch.jit.script(torch.nn.ReLU())
