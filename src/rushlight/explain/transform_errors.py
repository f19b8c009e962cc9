"""The common errors inside transforms: a part of the table in `errors.py`."""

from __future__ import annotations

from rushlight.explain.error_kind import Kind, kinds_in

VMAP_BRANCH = Kind(
    "vmap-branch",
    "if on a sample of vmap",
    RuntimeError,
    r"vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow",
    "Under vmap a function runs once for all samples, and some of them would take one branch and some the other. "
    "Compute both and choose with torch.where, or put each branch into a function and use torch.cond.",
    """
    def flip(x):
        return x if x.sum() > 0 else -x

    torch.vmap(flip)(torch.ones(3, 2))
    """,
    """
    def flip(x):
        return torch.where(x.sum() > 0, x, -x)

    torch.vmap(flip)(torch.ones(3, 2))
    """,
)
VMAP_ITEM = Kind(
    "vmap-item",
    "item() of a sample of vmap",
    RuntimeError,
    r"vmap: It looks like you're calling \.item\(\) on a Tensor",
    "Under vmap a tensor stands for all samples, and there is no one number to return. Compute with the tensor.",
    """
    def shift(x):
        return x - x.max().item()

    torch.vmap(shift)(torch.ones(3, 2))
    """,
    """
    def shift(x):
        return x - x.max()

    torch.vmap(shift)(torch.ones(3, 2))
    """,
)
VMAP_WRITE = Kind(
    "vmap-write",
    "A sample of vmap written to a shared tensor",
    RuntimeError,
    r"vmap: inplace arithmetic\(self, \*extra_args\) is not possible",
    "A tensor that the function makes without its inputs exists once, and the samples have different values to write. "
    "Make it from a sample: x.new_zeros() in place of torch.zeros().",
    """
    def padded(x):
        out = torch.zeros(3)
        out[:2] = x
        return out

    torch.vmap(padded)(torch.ones(4, 2))
    """,
    """
    def padded(x):
        out = x.new_zeros(3)
        out[:2] = x
        return out

    torch.vmap(padded)(torch.ones(4, 2))
    """,
)
VMAP_RANDOM = Kind(
    "vmap-random",
    "Random numbers under vmap",
    RuntimeError,
    r"vmap: called random operation while in randomness error mode",
    'It is not clear whether each sample should get numbers of its own. randomness="different" says so, and '
    'randomness="same" draws once for all samples.',
    """
    def noisy(x):
        return x + torch.randn(2)

    torch.vmap(noisy)(torch.ones(3, 2))
    """,
    """
    def noisy(x):
        return x + torch.randn(2)

    torch.vmap(noisy, randomness="different")(torch.ones(3, 2))
    """,
)
VMAP_SIZES = Kind(
    "vmap-sizes",
    "Inputs of vmap with different numbers of samples",
    ValueError,
    r"vmap: Expected all tensors to have the same size in the mapped dimension",
    "vmap takes every input apart along dimension 0, unless `in_dims` says otherwise. An input that all samples share "
    "has None there.",
    """
    weights, x = torch.ones(2), torch.ones(3, 2)
    torch.vmap(torch.dot)(weights, x)
    """,
    """
    weights, x = torch.ones(2), torch.ones(3, 2)
    torch.vmap(torch.dot, in_dims=(None, 0))(weights, x)
    """,
)

INSIDE_TRANSFORMS = kinds_in(vars())
