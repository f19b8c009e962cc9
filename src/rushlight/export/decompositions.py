"""Operators of an exported program replaced by others, as `ExportedProgram.run_decompositions` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rushlight._ops import ops
from rushlight.core.tensor import Tensor
from rushlight.export.exported_program import ExportedProgram
from rushlight.export.programs import exported
from rushlight.utils._pytree import tree_flatten

aten = ops.aten


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    flipped = aten.permute.default(weight, [1, 0])
    if input.ndim == 2:
        return aten.mm.default(input, flipped) if bias is None else aten.addmm.default(bias, input, flipped)
    result = aten.matmul.default(input, flipped)
    return result if bias is None else aten.add.Tensor(result, bias)


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    order = list(range(self.ndim))
    if order:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return aten.permute.default(self, order)


def t(self: Tensor) -> Tensor:
    return aten.permute.default(self, list(range(self.ndim))[::-1])


def layer_norm(
    input: Tensor, normalized_shape: list[int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5, cudnn_enable: bool = True,
) -> Tensor:  # fmt: skip
    return aten.native_layer_norm.default(input, list(normalized_shape), weight, bias, eps)[0]


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    return input if not train else aten.native_dropout.default(input, p, train)[0]


def convolution(rank: int) -> Callable[..., Tensor]:
    """Returns the function of a convolution over some dimensions."""

    def decomposed_convolution(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        settings = [[each] * rank if isinstance(each, int) else list(each) for each in (stride, padding, dilation)]
        settings = [each * rank if len(each) == 1 else each for each in settings]
        return aten.convolution.default(input, weight, bias, *settings, False, [0] * rank, groups)

    return decomposed_convolution


def default_decompositions() -> dict[Any, Callable]:
    """Returns a new table, {overload: function}, for operators that are not in PyTorch's core set.

    It has those that we have a decomposition of.

    >>> import rushlight as torch
    >>> torch.ops.aten.linear.default in torch.export.default_decompositions()
    True
    """
    return {
        aten.linear.default: linear, aten.transpose.int: transpose, aten.t.default: t, aten.dropout.default: dropout,
        aten.layer_norm.default: layer_norm, aten.conv1d.default: convolution(1), aten.conv2d.default: convolution(2),
        aten.conv3d.default: convolution(3),
    }  # fmt: skip


def decomposed(program: ExportedProgram, table: Mapping[Any, Callable] | None) -> ExportedProgram:
    """Returns the program with the operators of a table replaced; it is recorded anew."""
    if program.example_inputs is None:
        raise RuntimeError("run_decompositions: the program was saved without its example inputs")
    chosen = default_decompositions() if table is None else dict(table)
    module = program.module(check_guards=False)
    leaves, in_spec = tree_flatten(program.example_inputs)
    names = [name for name, _, _ in program._checks]
    return exported(module, leaves, in_spec, program.dynamic_dims(), names, chosen)
