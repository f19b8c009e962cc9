"""Explanations: `rushlight.explain(x)` describes a tensor, module, graph or exception in words, with a repair.

The package can be called like a function.
https://docs.python.org/3/reference/datamodel.html#customizing-module-attribute-access
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType, ModuleType
from typing import Any

from rushlight.core.graph import Leaf, Node
from rushlight.core.tensor import Tensor
from rushlight.explain.backward_product import explain_product
from rushlight.explain.failures import explain_failure
from rushlight.explain.graph import names_in
from rushlight.explain.inside_transforms import explain_inside, is_inside
from rushlight.explain.missing_gradient import why_no_grad as _why_no_grad
from rushlight.explain.modules import explain_module, explain_optimizer
from rushlight.explain.nan import explain_nan as _explain_nan
from rushlight.explain.nodes import explain_node
from rushlight.explain.plans import explain_plan as _explain_plan
from rushlight.explain.recording import lines
from rushlight.explain.result import Explanation
from rushlight.explain.summary import summary_of_module, summary_of_tensor
from rushlight.explain.tensors import explain_tensor
from rushlight.nn.modules.module import Module
from rushlight.optim.optimizer import Optimizer

__all__ = ["Explanation", "explain", "explain_backward", "explain_nan", "explain_plan", "lines", "why_no_grad"]


class LastFailure:
    """Default argument of `explain`: the last exception."""

    def __repr__(self) -> str:
        return "the last exception"


LAST_FAILURE: Any = LastFailure()


def explain(x: Any = LAST_FAILURE, *, names: Mapping[str, Any] | None = None, summary: bool = False) -> Explanation:
    """Describes a tensor, module, optimizer, graph node, process group or exception in sentences, with code to write.

    Without an argument it describes the exception being handled, or the last one shown at the prompt. `names` maps
    names to objects; the default is the caller's variables. `str()` of the result is the text, `facts` is the same as a
    dict. `summary` describes a tensor or module in one line. Raises TypeError for other types.

    >>> import rushlight as torch
    >>> w = torch.ones(3, requires_grad=True)
    >>> loss = (w * w).sum()
    >>> torch.explain(loss).facts["backward"]["leaves"]
    ['`w`']
    >>> print(torch.explain(w.detach(), names={"w": w}))
    This is a tensor of shape (3,), torch.float32, on cpu.
      leaf      It is a leaf that does not require grad: autograd treats it as a constant.
      memory    `w` shares the memory and not the graph: a write to one changes both, and backward() checks for it.
      backward  backward() would raise: the tensor has no graph.
      grad      `.grad` is None: it does not require grad.
      to write  To get gradients for it: `x.requires_grad_()` before it is used.
    >>> torch.explain(torch.tensor([1.0, 2.0, float("nan")]), summary=True)
    3, torch.float32, on cpu, 12 bytes; from 1 to 2, mean 1.5, standard deviation 0.5; 1 NaN; gradient: none, it does \
not require grad
    """
    called = variables_of(sys._getframe(1)) if names is None else names
    if x is LAST_FAILURE:
        x = sys.exc_info()[1] or getattr(sys, "last_value", None)
    if isinstance(x, Tensor):
        if summary:
            return summary_of_tensor(x, called)
        return explain_inside(x, called) if is_inside(x) else explain_tensor(x, called)
    if isinstance(x, Module):
        return (summary_of_module if summary else explain_module)(x, called)
    if summary:
        raise TypeError(f"explain(): there is a summary of tensors and modules, not of {type(x).__name__}")
    if isinstance(x, Optimizer):
        return explain_optimizer(x, called)
    if isinstance(x, Leaf):
        return explain_tensor(x.variable, called)
    if isinstance(x, Node):
        return explain_node(x, called)
    if isinstance(x, BaseException):
        return explain_failure(x)
    if hasattr(type(x), "_explained_"):  # a process group: its module is imported with torch.distributed only
        return explain_itself(x)
    raise TypeError(
        f"explain(): expected a tensor, module, optimizer, node of a graph or exception, not {type(x).__name__}"
    )


def explain_itself(x: Any) -> Explanation:
    """Returns the explanation that an object gives of itself."""
    title, facts, parts = x._explained_()
    explanation = Explanation(title, facts)
    for heading, sentences in parts:
        explanation.say(heading, *sentences)
    return explanation


def why_no_grad(parameter: Tensor, loss: Tensor) -> Explanation:
    """Explains why `parameter` gets no gradient from `loss`: the line that cut the graph, and the repair.

    >>> import rushlight as torch
    >>> w = torch.ones(3, requires_grad=True)
    >>> with torch.explain.lines():
    ...     seen = w.detach()
    ...     loss = (seen * torch.ones(3, requires_grad=True)).sum()
    >>> torch.why_no_grad(w, loss).facts["source"]
    'seen = w.detach()'
    """
    return _why_no_grad(parameter, loss, variables_of(sys._getframe(1)))


def explain_nan(loss: Tensor) -> Explanation:
    """Finds the step where NaN or infinity first appears, forward or backward: line, element and operands.

    Call it before backward(): it runs backward itself, and leaves every `.grad` unchanged.

    >>> import rushlight as torch
    >>> x = torch.tensor([0.0, 4.0], requires_grad=True)
    >>> torch.explain_nan(x.sqrt().sum()).facts["op"]
    'sqrt'
    """
    return _explain_nan(loss, variables_of(sys._getframe(1)))


def explain_plan(op: Any, *args: Any, **kwargs: Any) -> Explanation:
    """Runs one call of a function, a method or a named op, and explains how it ran.

    The path is "fast" (the generated function computes), "planned" (a plan of its dtypes does) or "general" (the
    declaration is interpreted). In-place functions write. Raises what the call raises, and TypeError if `op` is no op.

    >>> import rushlight as torch
    >>> x = torch.ones(3, dtype=torch.float16, requires_grad=True)
    >>> plan = torch.explain_plan(torch.mul, x, torch.arange(3.0))
    >>> plan.facts["path"], plan.facts["steps"], plan.facts["recording"]
    ('planned', ['take input, other as torch.float32', 'compute forward.mul'], 'MulBackward0')
    """
    return _explain_plan(op, args, kwargs)


def explain_backward(y: Tensor, gradient: Tensor | None = None) -> None:
    """Prints the product that `y.backward(gradient)` computes: all elements for small tensors, norms for large ones.

    Accumulates nothing and keeps the graph.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = x * x
    >>> torch.explain_backward(y, torch.tensor([1.0, 10.0]))
    `y.backward(gradient)` with y of shape (2,):
      gradient  v = [1, 10]
      x.grad          d/d x[0]  d/d x[1]  |   v
                y[0]         2         0  |   1
                y[1]         0         4  |  10
                x.grad[0] = v[0]*dy[0]/dx[0] + v[1]*dy[1]/dx[0]
                          = 1*2 + 10*0 = 2
                x.grad[1] = v[0]*dy[0]/dx[1] + v[1]*dy[1]/dx[1]
                          = 1*0 + 10*4 = 40
    """
    print(explain_product(y, gradient, variables_of(sys._getframe(1))))


def variables_of(frame: FrameType) -> dict[str, Any]:
    """Returns the tensors, arrays and modules among a frame's variables, by name."""
    return names_in({**frame.f_globals, **frame.f_locals})


class Explaining(ModuleType):
    """A callable module, so that both `rushlight.explain(x)` and `import rushlight.explain.graph` work."""

    def __call__(
        self, x: Any = LAST_FAILURE, *, names: Mapping[str, Any] | None = None, summary: bool = False
    ) -> Explanation:
        return explain(x, names=variables_of(sys._getframe(1)) if names is None else names, summary=summary)


sys.modules[__name__].__class__ = Explaining
