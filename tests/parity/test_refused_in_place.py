"""What in-place methods say of a shape that they cannot have, and of a factor that is no number: PyTorch's words."""

import pytest

import rushlight

CALLS = [
    "ones(3).addmm_(m, w)", "ones(2, 1).addmm_(m, w)", "ones(1, 3).addmm_(m, w)", "ones(1).addmv_(m, v)",
    "ones(()).addmv_(m, v)", "ones(3).baddbmm_(m[None], w[None])", "ones(1, 2, 1).baddbmm_(m[None], w[None])",
    "ones(2).add_(ones(3, 2))", "ones(2).lerp_(ones(3, 2), 0.5)", "ones(2).addcmul_(ones(3, 2), ones(2))",
    "m.addmm_(m, w, beta='x')", "m.addmm_(m, w, alpha=None)", "m.addmm_(m, w, beta=v)",
    "torch.addmm(m, m, w, beta='x')",
    "v.addmv_(w, v, beta='x')", "w.addr_(v, v, alpha='x')", "m.addbmm_(m[None], w[None], beta='x')",
    "m[None].baddbmm_(m[None], w[None], beta='x')", "v.add_(v, alpha='x')", "v.sub_(v, alpha=[])", "v.add_('x')",
    "v.addcmul_(v, v, value='x')", "v.addcdiv_(v, v, value='x')",
    "v.index_add_(0, torch.tensor([0]), ones(1), alpha='x')",
]  # fmt: skip


def refused(torch, text):
    names = {"torch": torch, "ones": torch.ones, "m": torch.ones(2, 3), "w": torch.ones(3, 3), "v": torch.ones(3)}
    with pytest.raises((RuntimeError, TypeError)) as raised:
        eval(text, names)
    return raised.type, str(raised.value).splitlines()[0]


@pytest.mark.parametrize("text", CALLS)
def test_words(text, pytorch):
    assert refused(rushlight, text) == refused(pytorch, text)


@pytest.mark.parametrize(
    "call", ["t_()", "squeeze_()", "unsqueeze_(0)", "transpose_(0, 1)", "swapaxes_(0, 1)", "mul_(2)"]
)
def test_inference_tensors_keep_their_shape_too(call, pytorch):
    results = []
    for torch in (rushlight, pytorch):
        with torch.inference_mode():
            x = torch.ones(2, 3) * 1
            eval(f"x.{call}", {"x": x + 0})  # within the mode it may be
        with pytest.raises(RuntimeError) as raised:
            eval(f"x.{call}", {"x": x})
        results.append(str(raised.value).splitlines()[0])
    assert results[0] == results[1]
