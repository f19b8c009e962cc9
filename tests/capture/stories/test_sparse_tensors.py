"""Sparse tensors in compiled functions: a replay is for tensors of the same layout, dimensions and history."""

import rushlight as torch
from rushlight import nn

EYE = torch.tensor([[0, 1, 2], [0, 1, 2]])


def layouts(compile):
    f = compile(lambda x, matrix: (x * (2 if matrix.is_sparse else 3 if matrix.is_sparse_csr else 5), matrix.layout))
    dense = torch.eye(3)
    coo, csr, csc = dense.to_sparse(), dense.to_sparse_csr(), dense.to_sparse_csc()
    return [(result[0], str(result[1])) for result in (f(torch.ones(1), x) for x in (coo, coo, csr, dense, csc, coo))]


def dimensions(compile):
    f = compile(lambda x, matrix: x * matrix.sparse_dim() * 10 + matrix.dense_dim())
    dense = torch.ones(2, 3, 4)
    return [f(torch.ones(1), dense.to_sparse(*count)) for count in ((), (), (1,), (2,), ())]


def coalesced_ones(compile):
    f = compile(lambda x, matrix: x * (2 if matrix.is_coalesced() else 3) * matrix._nnz())
    twice = torch.sparse_coo_tensor([[0, 0], [0, 0]], [1.0, 2.0], (3, 3))
    eye = torch.eye(3).to_sparse()
    return [f(torch.ones(1), each) for each in (eye, eye, twice, twice.coalesce(), eye)]


def histories(compile):
    weights = [nn.Parameter(torch.ones(3)) for _ in range(2)]

    def f(matrix):
        for each in weights:
            each.grad = None
        torch.sparse.sum(matrix * 2).backward()
        return [each.grad is None for each in weights]

    f = compile(f)
    return [f(torch.sparse_coo_tensor(EYE, weights[at] * 1, (3, 3))) for at in (0, 0, 1, 0)]


def gradients_of_sparse_leaves(compile):
    one, other = [torch.sparse_coo_tensor(EYE, torch.ones(3), (3, 3)).requires_grad_() for _ in range(2)]

    def f(x):
        torch.sparse.mm(one, x).sum().backward()
        return x * (2 if one.grad is not None else 3) * (5 if other.grad is not None else 7)

    other.grad = torch.eye(3).to_sparse()
    f = compile(f)
    first = [f(torch.ones(3, 2)), f(torch.ones(3, 2))]
    other.grad = None
    return [*first, f(torch.ones(3, 2)), f(torch.ones(3, 2))]


def test_sparse_tensors(agree, story):
    agree(story)
