"""Memory that an in-place call reads and writes: refused in PyTorch's words, or written as there, and half never."""

import pytest

import rushlight

REFUSED = [
    "x.index_fill_(0, i, 1)", "x.index_fill_(0, i[:2], 1)", "x.index_add_(0, i, y)", "x.index_add_(0, y, i)",
    "x.index_copy_(0, i, y)", "x.scatter_(0, i, y)", "x.scatter_(0, y, i)", "x.scatter_(0, i, 1)", "x.put_(i, y)",
    "x.index_put_((i,), y)", "x.index_put_((y,), i)", "x.index_put_((i,), y, accumulate=True)",
    "x.index_put_([y], x[1])", "x.index_put_((i[:2],), y[:2])", "x[i] = y", "x[y] = i", "x[y] = i[1]", "x.add_(x[1])",
    "x.index_reduce_(0, y, i, 'amax')", "x.scatter_add_(0, i, y)",
]  # fmt: skip
TAKEN = [
    "x.fill_(x[1])", "x.fill_(x[0])", "x.view(2, 2).fill_(x[3])", "x.index_fill_(0, y[:2], x[1])",
    "x.masked_fill_(mask, x[1])", "x[mask] = x[1]", "x[mask] = x[3]", "x[:] = x[1]", "mask.masked_fill_(mask, False)",
    "x[y[:2]] = x[y[1:3]]", "x.index_fill_(0, i.clone(), 1)", "x.index_put_((y,), x.clone())",
]  # fmt: skip


def after(torch, text, kind="int64"):
    """What a statement leaves behind, with its error."""
    x = torch.tensor([0, 1, 2, 3], dtype=getattr(torch, kind))
    y, mask = torch.tensor([3, 2, 1, 0]), torch.tensor([True, False, True, True])
    try:
        exec(text, {"x": x, "i": x, "y": y, "mask": mask})
    except RuntimeError as error:
        return str(error).splitlines()[0], x.tolist()
    return x.tolist(), mask.tolist()


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text, pytorch):
    assert after(rushlight, text) == after(pytorch, text)
    assert after(rushlight, text)[0].startswith("unsupported operation: some elements of the input tensor and")


@pytest.mark.parametrize("text", TAKEN)
@pytest.mark.parametrize("kind", ["int64", "float32", "float16"])
def test_taken(text, kind, pytorch):
    if "i.clone" not in text or kind == "int64":
        assert after(rushlight, text, kind) == after(pytorch, text, kind)


@pytest.mark.parametrize("text", ["h.fill_(h[1])", "h.masked_fill_(mask, h[1])", "h[mask] = h[1]", "h[:] = h[1]"])
def test_the_gradient_is_that_of_the_element(text, pytorch):
    results = []
    for torch in (rushlight, pytorch):
        leaf = torch.arange(4.0).requires_grad_()
        h = leaf * 1
        exec(text, {"h": h, "mask": torch.tensor([True, False, True, True])})
        (h * torch.arange(1.0, 5)).sum().backward()
        results.append(leaf.grad.tolist())
    assert results[0] == results[1]
