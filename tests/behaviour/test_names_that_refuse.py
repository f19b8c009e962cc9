"""Names that packages import and that do not do here what they do in PyTorch: each says so when it is used."""

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    "used",
    [
        lambda: torch.autograd.profiler.emit_itt().__enter__(),
        lambda: torch.profiler.profile().export_memory_timeline("memory.json"),
    ],
)
def test_it_raises_what_names_it(used):
    with pytest.raises(NotImplementedError) as caught:
        used()
    assert caught.value.__notes__


def test_the_answers_are_no():
    from rushlight._subclasses.fake_tensor import is_fake
    from rushlight.fx.experimental.proxy_tensor import get_proxy_mode

    assert not is_fake(torch.ones(1, device="meta"))
    assert get_proxy_mode() is None


def test_sizes_are_tensors_for_an_export():
    x = torch.ones(2, 3)
    shape = torch.onnx.operators.shape_as_tensor(x)
    assert shape.tolist() == [2, 3]
    assert torch.onnx.operators.reshape_from_tensor_shape(x, shape.flip(0)).shape == (3, 2)


def test_lists_that_broadcast_have_a_type():
    from rushlight.jit.annotations import BroadcastingList2

    assert repr(BroadcastingList2) == "torch.jit.annotations.BroadcastingList2"
    assert int in BroadcastingList2[int].__args__


def test_functions_are_compiled_for_the_cpu():
    from rushlight._dynamo.utils import is_compile_supported

    assert is_compile_supported("cpu")
    assert not is_compile_supported("cuda")
