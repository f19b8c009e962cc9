"""Calls that few programs make: the same result, or the same error, as in PyTorch."""

import copy
import warnings

import numpy as np
import pytest

import rushlight as ours

theirs = pytest.importorskip("torch")

CALLS = """
torch.normal(torch.tensor(0.0), 1, (10,))  torch.normal(0.0, torch.tensor(1.0), (3,))
torch.normal(torch.tensor(0.0), -1, (10,))  torch.normal(torch.tensor([0.0, 1.0]), 1, (10,))
torch.empty_strided((0, 2, 0), (12, 4, 1))  torch.zeros(0, 3).new_empty_strided((0, 3), (1, 1))
torch.empty_strided((0, 2), (5, 7))  torch.empty_strided((2, 3), (0, 0))  torch.empty_strided((), ())
F.fractional_max_pool2d(x2, (1,), (3, 3))  F.fractional_max_pool2d(x2, (2, 2), (3,))
F.fractional_max_pool2d(x2, 2, output_size=3)  F.fractional_max_pool3d(x3, (1, 1), (3, 3, 3))
F.fractional_max_pool3d(x3, (2, 2, 2), (3, 3))  F.fractional_max_pool3d(x3, 2, 3)
gradient(torch.nn.AdaptiveAvgPool1d(5), torch.ones(0, 10))
gradient(torch.nn.AdaptiveAvgPool2d(5), torch.ones(0, 9, 9))
gradient(torch.nn.AdaptiveAvgPool3d(5), torch.ones(0, 9, 9, 9))  F.adaptive_max_pool2d(torch.ones(0, 9, 9), 5)
gradient(torch.nn.AdaptiveMaxPool2d(5), torch.ones(0, 9, 9))
gradient(torch.nn.AdaptiveAvgPool2d(0), torch.ones(1, 3, 9, 9))
F.adaptive_max_pool2d(torch.ones(2, 0, 9, 9), 5)  F.adaptive_max_pool3d(torch.ones(0, 9, 9, 9), 5)
torch.ones(2, dtype=torch.uint8).add_(torch.ones(2).to_sparse())  torch.ones(2).mul_(torch.ones(2).to_sparse())
torch.ones(2).add_(torch.ones(2, dtype=torch.float64).to_sparse())
torch.ones(2, dtype=torch.int).mul_(torch.ones(2).to_sparse())
torch.ones(2, dtype=torch.int).sub_(torch.ones(2).to_sparse())
torch.empty(0, 3)[torch.tensor([0])]  torch.empty(0, 3)[torch.tensor([0]), 0]  torch.empty(2, 0)[:, torch.tensor([0])]
torch.empty(0, 2, 3)[torch.tensor([0]), torch.tensor([1])]  torch.empty(0, 3)[torch.tensor([], dtype=torch.long)]
torch.zeros_like(x2, dtype=torch.float64)  torch.empty_like(x2.transpose(1, 3), dtype=torch.int)
torch.ones_like(x2.expand(4, 2, 7, 7), dtype=torch.half)  torch.zeros_like(x2[..., ::2], device="meta")
torch.zeros_like(x2.to(memory_format=torch.channels_last), dtype=torch.float64)
torch.zeros_like(torch.zeros(3, 1, 2).transpose(0, 1), dtype=torch.int)
torch.tensor([[], [1]])  torch.tensor([[[]], [[1], [2]]], dtype=torch.int8)  torch.tensor([[1], [1, 2]])
torch.add(torch.ones(2, dtype=torch.int), torch.ones(2, dtype=torch.int), alpha=1j)
torch.add(torch.ones(2), torch.ones(2), alpha=1j)  torch.sub(torch.ones(2), torch.ones(2, dtype=torch.int), alpha=1j)
""".split("\n")
CALLS = [call for line in CALLS for call in line.split("  ") if call]


def outcome(torch, call):
    """Shape, strides, dtype and layout of a result, or the type of an error and its first line."""

    def gradient(function, x):
        x.requires_grad_()
        function(x).sum().backward()
        return x.grad

    names = {"torch": torch, "F": torch.nn.functional, "gradient": gradient}
    names |= {"x2": torch.ones(1, 2, 7, 7), "x3": torch.ones(1, 2, 7, 7, 7)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(call, names)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            return type(error).__name__, str(error).split("\n")[0].partition(" - got")[0]
    return tuple(result.shape), result.stride(), str(result.dtype).rpartition(".")[2]


@pytest.mark.parametrize("call", CALLS)
def test_the_outcome_is_that_of_pytorch(call):
    assert outcome(ours, call) == outcome(theirs, call)


@pytest.mark.parametrize("torch", [ours, theirs])
def test_hooks_of_a_leaf_see_what_hooks_before_them_have_done(torch):
    def half_more(tensor):
        tensor.grad.add_(0.5)

    leaf = torch.rand(3, requires_grad=True)
    node = leaf.view_as(leaf).grad_fn.next_functions[0][0]
    leaf.register_hook(lambda gradient: gradient - 2)
    node.register_prehook(lambda gradients: (gradients[0] / 5,))
    leaf.register_post_accumulate_grad_hook(half_more)
    seen = []
    node.register_hook(lambda inputs, outputs: seen.append(outputs[0].mul(10).tolist()))
    leaf.sum().backward()
    assert seen[0] == pytest.approx([3.0, 3.0, 3.0])


LAID_OUT = {
    "windows": lambda: np.lib.stride_tricks.sliding_window_view(np.arange(5.0), 3),
    "gaps": lambda: np.lib.stride_tricks.as_strided(np.arange(12.0), (3, 2), (32, 8)),
    "turned with gaps": lambda: np.lib.stride_tricks.as_strided(np.arange(12.0), (2, 3), (8, 32)),
    "repeated": lambda: np.broadcast_to(np.arange(3.0), (2, 3)),
    "repeated with gaps": lambda: np.lib.stride_tricks.as_strided(np.arange(12.0)[2:], (2, 2), (0, 24)),
}


@pytest.mark.parametrize("name", LAID_OUT)
def test_memory_that_numpy_has_laid_out_is_saved_and_copied(name, tmp_path):
    results = []
    for torch in (ours, theirs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of arrays that are not writable
            tensor = torch.from_numpy(LAID_OUT[name]())
        torch.save(tensor, tmp_path / "tensor.pt")
        loaded, copied = torch.load(tmp_path / "tensor.pt"), copy.deepcopy(tensor)
        assert torch.equal(loaded, tensor) and torch.equal(copied, tensor)
        results.append((tensor.untyped_storage().nbytes(), loaded.stride(), copied.stride(), loaded.tolist()))
    assert results[0] == results[1]
