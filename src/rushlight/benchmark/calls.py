"""Single calls on tiny tensors, which show the overhead of each call.

They are not in the table: `python -m rushlight bench --only 'single calls'` runs them.
"""

from __future__ import annotations

import operator
from functools import partial

from rushlight.benchmark.case import Case, Floor, Step


def matrix(torch):
    """A 4 x 4 matrix whose sums need no rounding."""
    return torch.arange(16.0).reshape(4, 4) / 4 - 1.125


def mask(torch):
    return matrix(torch) > 0


def layers(torch):
    return torch.nn.functional


def whole(torch):
    return torch.arange(4)


def stepped(torch, optimizer: str) -> Step:
    """An optimizer step over four small parameters."""
    parameters = [torch.ones(8, 8, requires_grad=True) for _ in range(4)]
    for parameter in parameters:
        parameter.grad = torch.ones(8, 8)
    return getattr(torch.optim, optimizer)(parameters, lr=0.01).step


def assigned(torch) -> Step:
    parameter = torch.ones(4, requires_grad=True)
    return partial(setattr, parameter, "grad", torch.ones(4))


def quiet(torch) -> Step:
    def step():
        with torch.no_grad():
            return torch.is_grad_enabled()

    return step


CALLS = {
    # numbers and dtypes
    "x_times_2": lambda t: partial(operator.mul, matrix(t), 2),
    "x_plus_float": lambda t: partial(operator.add, matrix(t), 1.5),
    "x_over_float": lambda t: partial(operator.truediv, matrix(t), 2.5),
    "x_squared": lambda t: partial(operator.pow, matrix(t), 2),
    "x_over_0": lambda t: partial(operator.gt, matrix(t), 0),
    "int_plus_1": lambda t: partial(operator.add, whole(t), 1),
    "int_plus_int": lambda t: partial(operator.add, whole(t), whole(t)),
    "int_equals_int": lambda t: partial(operator.eq, whole(t), whole(t)),
    "float_times_mask": lambda t: partial(operator.mul, matrix(t), mask(t)),
    "float_times_int": lambda t: partial(operator.mul, matrix(t), whole(t)),
    "mask_and_mask": lambda t: partial(operator.and_, mask(t), mask(t)),
    "mask_sum": lambda t: mask(t).sum,
    "where_number": lambda t: partial(t.where, mask(t), matrix(t), 0.0),
    "where_tensors": lambda t: partial(t.where, mask(t), matrix(t), matrix(t)),
    "masked_fill": lambda t: partial(matrix(t).masked_fill, mask(t), 0.0),
    "clamp": lambda t: partial(matrix(t).clamp, -0.5, 0.5),
    "in_place_add": lambda t: partial(matrix(t).mul_, t.ones(4, 4)),
    # views and elements
    "row": lambda t: partial(operator.getitem, matrix(t), 1),
    "column": lambda t: partial(operator.getitem, matrix(t), (slice(None), 1)),
    "last_column": lambda t: partial(operator.getitem, matrix(t), (..., 0)),
    "rows_1_to_3": lambda t: partial(operator.getitem, matrix(t), slice(1, 3)),
    "rows_by_index": lambda t: partial(operator.getitem, matrix(t), t.tensor([1, 2])),
    "by_mask": lambda t: partial(operator.getitem, matrix(t), mask(t)),
    "write_element": lambda t: partial(operator.setitem, matrix(t), (1, 2), 0.0),
    "write_row": lambda t: partial(operator.setitem, matrix(t), 1, t.ones(4)),
    "reshape": lambda t: partial(matrix(t).reshape, 16),
    "reshape_by_copy": lambda t: partial(matrix(t).t().reshape, 16),
    "view": lambda t: partial(matrix(t).view, -1, 2),
    "transpose": lambda t: partial(matrix(t).transpose, 0, 1),
    "permute": lambda t: partial(matrix(t).permute, 1, 0),
    "unsqueeze": lambda t: partial(matrix(t).unsqueeze, 0),
    "split": lambda t: partial(matrix(t).split, 2, dim=1),
    "chunk": lambda t: partial(matrix(t).chunk, 2, dim=1),
    "cat": lambda t: partial(t.cat, [matrix(t), matrix(t)], dim=1),
    "cat_int": lambda t: partial(t.cat, [whole(t), whole(t)]),
    "stack": lambda t: partial(t.stack, [matrix(t), matrix(t)]),
    "detach": lambda t: matrix(t).detach,
    "clone": lambda t: matrix(t).clone,
    # reductions
    "sum": lambda t: matrix(t).sum,
    "sum_of_dim": lambda t: partial(matrix(t).sum, 1),
    "mean": lambda t: matrix(t).mean,
    "largest": lambda t: matrix(t).max,
    "largest_of_dim": lambda t: partial(matrix(t).argmax, -1, keepdim=True),
    "norm": lambda t: matrix(t).norm,
    "softmax_of_4": lambda t: partial(matrix(t).softmax, -1),
    # products and layers
    "matrix_product": lambda t: partial(operator.matmul, matrix(t), matrix(t)),
    "batched_product": lambda t: partial(operator.matmul, t.ones(1, 2, 4, 4), t.ones(1, 2, 4, 4)),
    "linear": lambda t: partial(layers(t).linear, matrix(t), matrix(t), t.ones(4)),
    "linear_3d": lambda t: partial(layers(t).linear, t.ones(2, 4, 4), matrix(t), t.ones(4)),
    "mse_loss": lambda t: partial(layers(t).mse_loss, matrix(t), t.ones(4, 4)),
    "entropy": lambda t: partial(layers(t).cross_entropy, matrix(t), whole(t)),
    "normed": lambda t: partial(layers(t).layer_norm, matrix(t), (4,), t.ones(4), t.ones(4)),
    "gelu_of_16": lambda t: partial(layers(t).gelu, matrix(t)),
    "embedded": lambda t: partial(layers(t).embedding, t.tensor([1, 2]), matrix(t)),
    # ---- construction and queries
    "zeros": lambda t: partial(t.zeros, 4, 4),
    "arange": lambda t: partial(t.arange, 4),
    "tensor_of_number": lambda t: partial(t.tensor, 1.0),
    "tensor_of_list": lambda t: partial(t.tensor, [1.0, 2.0]),
    "to_number": lambda t: partial(float, t.tensor(1.5)),
    "to_list": lambda t: whole(t).tolist,
    "to_numpy": lambda t: matrix(t).numpy,
    "size": lambda t: partial(matrix(t).size, 0),
    "quiet": quiet,
    "assign_grad": assigned,
    "adam_of_4": lambda t: stepped(t, "Adam"),
    "sgd_of_4": lambda t: stepped(t, "SGD"),
}

CASES = [
    Case(name, program, f"A single call: {name.replace('_', ' ')}", None, Floor(calls=1))
    for name, program in CALLS.items()
]
