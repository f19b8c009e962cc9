"""Sparse tensors that do not fit together, or cannot be made: each call does what it does in PyTorch."""

import warnings

import pytest

import rushlight

START = "a = torch.tensor([[1.0, 0, 2], [0, 3, 0]]).to_sparse(); z = torch.tensor(3.0).to_sparse(); "
HYBRID = (
    "h = torch.arange(1.0, 9).reshape(2, 2, 2).to_sparse(1); k = torch.arange(1.0, 5).reshape(2, 1, 2).to_sparse(1); "
)
TWICE = "u = torch.sparse_coo_tensor([[0, 0]], [0.1, 0.2], (2,)); "

CALLS = [
    *(
        START + call
        for call in (
            "(a * z).to_dense()", "(z * a).to_dense()", "(z * z).to_dense()", "a * torch.ones(1, 3).to_sparse()",
            "a * torch.ones(3).to_sparse()", "a * torch.ones(4, 3).to_sparse()", "a.permute(dims=(1, 0)).to_dense()",
            "torch.permute(a, dims=(1, 0)).to_dense()", "a.permute(1, 0).to_dense()", "a.permute((0,))",
            "torch.zeros(2, 4) + a", "torch.zeros(3) - a", "torch.zeros(2, 1).add_(a)", "torch.zeros(2, 3, 4) + a",
            "torch.zeros(2, 2) + a.to_sparse_csr()", "a.norm(dim=0)", "a.norm(dim=(0, 0))", "a.norm(dim=2)",
            "a.norm(dim=(0, 1))", "a.norm(dim=())", "a.norm(keepdim=True)", "a.norm(p='other')", "a.norm(p=3)",
            "a.norm(dtype=torch.float64)", "a.norm(p=2, dtype=torch.float64)",
            "torch.cat([a, torch.ones(3, 3).to_sparse()], 1)", "torch.cat([a, torch.ones(2, 3, 1).to_sparse()])",
            "torch.cat([a, torch.ones(2, 3)])", "torch.cat([a, a], 1).to_dense()",
        )
    ),
    *(
        HYBRID + call
        for call in (
            "(h * k).to_dense()", "(k * h).to_dense()", "h * torch.ones(2, 3, 2).to_sparse(1)",
            "torch.cat([h, h.to_dense().to_sparse(2)])",
        )
    ),
    *(
        TWICE + f"u.{name}_().to_dense()"
        for name in (
            "abs", "asin", "erf", "floor", "log1p", "nan_to_num", "neg", "relu", "sign", "sqrt", "absolute",
            "conj_physical",
        )
    ),
    "torch.sparse_coo_tensor([[5, 4]] * 4, torch.ones(2), (100001,) * 4)",
    "torch.sparse_coo_tensor(size=(2**40, 2**40))",
    "torch.sparse_coo_tensor(torch.empty(3, 0).long(), torch.empty(0), (2**32, 2**32, 0))",
]  # fmt: skip


def answer(library, call):
    *before, last = call.split("; ")
    names = {"torch": library}
    exec("; ".join(before), names)
    try:
        result = eval(last, names)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        return type(error), str(error).splitlines()[0]
    return tuple(result.shape), str(result.dtype), result.tolist()


@pytest.mark.parametrize("call", CALLS)
def test_call(call, pytorch):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse")
        ours, theirs = answer(rushlight, call), answer(pytorch, call)
    assert ours[:2] == theirs[:2]
    if len(ours) == 3:
        assert ours[2] == (theirs[2] if isinstance(theirs[2], list) else pytest.approx(theirs[2], rel=1e-6))
