"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor


def attach() -> None:
    """Gives Tensor its operators; called once by the package root."""
    Tensor.add = F.add
    Tensor.add_ = F.add_
    Tensor.__add__ = F.operator_add
    Tensor.__iadd__ = F.add_
    Tensor.__radd__ = F.operator_add
    Tensor.adjoint = F.adjoint
    Tensor.as_strided = F.as_strided
    Tensor.broadcast_to = F.broadcast_to
    Tensor.clone = F.clone
    Tensor.conj = F.conj
    Tensor.conj_ = F.conj_
    Tensor.diagonal = F.diagonal
    Tensor.eq = F.eq
    Tensor.eq_ = F.eq_
    Tensor.__eq__ = F.operator_eq
    Tensor.__ieq__ = F.eq_
    Tensor.exp = F.exp
    Tensor.exp_ = F.exp_
    Tensor.expand_as = F.expand_as
    Tensor.expand = F.expand_variadic
    Tensor.flatten = F.flatten
    Tensor.log = F.log
    Tensor.log_ = F.log_
    Tensor.mm = F.mm
    Tensor.movedim = F.movedim
    Tensor.moveaxis = F.movedim
    Tensor.mul = F.mul
    Tensor.mul_ = F.mul_
    Tensor.multiply = F.mul
    Tensor.multiply_ = F.mul_
    Tensor.__mul__ = F.operator_mul
    Tensor.__imul__ = F.mul_
    Tensor.__rmul__ = F.operator_mul
    Tensor.neg = F.neg
    Tensor.neg_ = F.neg_
    Tensor.negative = F.neg
    Tensor.negative_ = F.neg_
    Tensor.__neg__ = F.operator_neg
    Tensor.permute = F.permute_variadic
    Tensor.ravel = F.ravel
    Tensor.reshape_as = F.reshape_as
    Tensor.reshape = F.reshape_variadic
    Tensor.__rsub__ = F.operator_rsub
    Tensor.square = F.square
    Tensor.square_ = F.square_
    Tensor.squeeze = F.squeeze
    Tensor.sub = F.sub
    Tensor.sub_ = F.sub_
    Tensor.subtract = F.sub
    Tensor.subtract_ = F.sub_
    Tensor.__sub__ = F.operator_sub
    Tensor.__isub__ = F.sub_
    Tensor.sum = F.sum
    Tensor.t = F.t
    Tensor.tanh = F.tanh
    Tensor.tanh_ = F.tanh_
    Tensor.transpose = F.transpose
    Tensor.swapaxes = F.transpose
    Tensor.swapdims = F.transpose
    Tensor.true_divide = F.true_divide
    Tensor.true_divide_ = F.true_divide_
    Tensor.__truediv__ = F.operator_true_divide
    Tensor.__itruediv__ = F.true_divide_
    Tensor.unflatten = F.unflatten
    Tensor.unsqueeze = F.unsqueeze
    Tensor.view_as = F.view_as
    Tensor.view = F.view_variadic
    Tensor.unfold = F.windows
