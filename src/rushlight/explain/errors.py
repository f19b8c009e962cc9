"""The errors that people meet: what each means, a program that raises it, and the program repaired.

The pages about errors are written from this table, and the tests run every program of it: the failing one raises the
error that the pattern describes, in PyTorch as well, and the repaired one runs.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Kind(NamedTuple):
    """One error: how it is recognised, what it means, and two short programs."""

    name: str
    title: str
    type: type[Exception]
    pattern: str  # matches the beginning of the first line
    meaning: str
    failing: str  # `torch` is imported; the last line raises
    repaired: str
    when: str = ""  # what the note says where several kinds have the same first line, and lines are recorded

    def matches(self, error: BaseException) -> bool:
        return isinstance(error, self.type) and re.match(self.pattern, str(error)) is not None


def kind_of(error: BaseException, told: str = "") -> Kind | None:
    """The kind of an exception, of which `told` is known besides; None if it is not one of these."""
    found = [each for each in KINDS if each.matches(error)]
    return next((each for each in found if each.when and each.when in told), found[0] if found else None)


SECOND_BACKWARD = Kind(
    "second-backward",
    "Backward a second time",
    RuntimeError,
    r"Trying to backward through the graph a second time",
    "backward() frees what the steps of the graph had kept, so each graph can be gone through once. Two losses that "
    "share steps are added and go through together.",
    """
    w = torch.ones(3, requires_grad=True)
    shared = w * w
    first, second = shared.sum(), (shared * 2).sum()
    first.backward()
    second.backward()
    """,
    """
    w = torch.ones(3, requires_grad=True)
    shared = w * w
    first, second = shared.sum(), (shared * 2).sum()
    (first + second).backward()
    """,
)
CARRIED_OVER = Kind(
    "carried-over",
    "A state that is carried over with its history",
    RuntimeError,
    r"Trying to backward through the graph a second time",
    "A hidden state or a running average that goes from one step of a loop into the next takes its graph along, and "
    "that graph has been freed. Cut it where it is carried over. retain_graph=True would silence the error and keep "
    "every earlier step in memory.",
    """
    w = torch.ones(3, 3, requires_grad=True)
    h = torch.zeros(3)
    for step in range(2):
        h = torch.tanh(w @ h)
        h.sum().backward()
    """,
    """
    w = torch.ones(3, 3, requires_grad=True)
    h = torch.zeros(3)
    for step in range(2):
        h = torch.tanh(w @ h.detach())
        h.sum().backward()
    """,
    when="which was computed before that call",
)
MODIFIED_IN_PLACE = Kind(
    "modified-in-place",
    "A value that backward needs was overwritten",
    RuntimeError,
    r"one of the variables needed for gradient computation has been modified by an inplace operation",
    "A step kept a tensor to compute its derivative, and the memory of that tensor was written to before backward() "
    "came there. Write the change so that it makes a new tensor, or change a clone().",
    """
    a = torch.ones(3, requires_grad=True)
    b = a.exp()
    b += 1
    b.sum().backward()
    """,
    """
    a = torch.ones(3, requires_grad=True)
    b = a.exp()
    b = b + 1
    b.sum().backward()
    """,
)
STEP_BEFORE_BACKWARD = Kind(
    "step-before-backward",
    "The optimizer's step before the last backward",
    RuntimeError,
    r"one of the variables needed for gradient computation has been modified by an inplace operation",
    "step() changes the parameters in place. A loss that was computed with the old ones can no longer go back: call "
    "backward() for it before step(), or compute it again.",
    """
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    out = net(torch.ones(2))
    first, second = out.sum(), (out * out).sum()
    first.backward(retain_graph=True)
    optimizer.step()
    second.backward()
    """,
    """
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    out = net(torch.ones(2))
    first, second = out.sum(), (out * out).sum()
    first.backward(retain_graph=True)
    second.backward()
    optimizer.step()
    """,
    when="the optimizer's step()",
)
NO_GRAD_FN = Kind(
    "no-grad-fn",
    "A loss without history",
    RuntimeError,
    r"element 0 of tensors does not require grad and does not have a grad_fn",
    "Nothing on the way to the loss required grad, or the way was cut: by detach(), .data, .item() or numpy(), by "
    "no_grad, or by a step that gives whole numbers. loss.requires_grad_() silences the error and trains nothing.",
    """
    net = torch.nn.Linear(3, 1)
    prediction = net(torch.ones(4, 3)).detach()
    loss = ((prediction - 1) ** 2).mean()
    loss.backward()
    """,
    """
    net = torch.nn.Linear(3, 1)
    prediction = net(torch.ones(4, 3))
    loss = ((prediction - 1) ** 2).mean()
    loss.backward()
    """,
)
NOT_DIFFERENTIABLE = Kind(
    "not-differentiable",
    "A loss made of whole numbers",
    RuntimeError,
    r"element 0 of tensors does not require grad and does not have a grad_fn",
    "argmax, comparisons and casts to whole numbers have no slope: a small change of their operand changes nothing. "
    "Compute the loss from the scores, and use argmax for the accuracy only.",
    """
    scores = torch.nn.Linear(3, 4)(torch.ones(5, 3))
    wrong = (scores.argmax(1) != torch.tensor([0, 1, 2, 3, 0])).float().mean()
    wrong.backward()
    """,
    """
    scores = torch.nn.Linear(3, 4)(torch.ones(5, 3))
    loss = torch.nn.functional.cross_entropy(scores, torch.tensor([0, 1, 2, 3, 0]))
    loss.backward()
    """,
    when="integers and booleans have no gradients",
)
NOT_SCALAR = Kind(
    "not-a-scalar",
    "backward() on more than one number",
    RuntimeError,
    r"grad can be implicitly created only for scalar outputs",
    "backward() computes the gradient of one number. Reduce the tensor first, or say what each element weighs by "
    "passing a gradient of the tensor's shape.",
    """
    x = torch.ones(32, requires_grad=True)
    y = x * 2
    y.backward()
    """,
    """
    x = torch.ones(32, requires_grad=True)
    y = x * 2
    y.mean().backward()
    """,
)
NUMPY_OF_TRACKED = Kind(
    "numpy-of-tracked",
    "numpy() on a tensor that requires grad",
    RuntimeError,
    r"Can't call numpy\(\) on Tensor that requires grad",
    "NumPy does not record what happens to an array, so gradients would be lost without a word. detach() says that "
    "this is meant; the array still shares the tensor's memory.",
    """
    x = torch.ones(3, requires_grad=True)
    values = (x * 2).numpy()
    """,
    """
    x = torch.ones(3, requires_grad=True)
    values = (x * 2).detach().numpy()
    """,
)
LEAF_IN_PLACE = Kind(
    "leaf-in-place",
    "A parameter changed in place",
    RuntimeError,
    r"a (view of a )?leaf Variable that requires grad is being used in an in-place operation",
    "The old value of a leaf would be gone, and its gradient would belong to nothing. An update is no part of what is "
    "differentiated: do it where nothing is recorded.",
    """
    w = torch.ones(3, requires_grad=True)
    (w * w).sum().backward()
    w -= 0.1 * w.grad
    """,
    """
    w = torch.ones(3, requires_grad=True)
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    """,
)
MATMUL_SHAPES = Kind(
    "matmul-shapes",
    "Matrices that do not fit",
    RuntimeError,
    r"mat1 and mat2 shapes cannot be multiplied",
    "The columns of the first matrix must be as many as the rows of the second. In a model it is mostly a Linear whose "
    "in_features is not the last dimension of what comes in.",
    """
    net = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    net(torch.ones(8, 3))
    """,
    """
    net = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2))
    net(torch.ones(8, 3))
    """,
)
BROADCAST = Kind(
    "broadcast",
    "Shapes that do not broadcast",
    RuntimeError,
    r"The size of tensor a \(\d+\) must match the size of tensor b \(\d+\) at non-singleton dimension",
    "Shapes are aligned from the right; two sizes fit if they are equal or one of them is 1. unsqueeze puts a 1 where "
    "it is wanted.",
    """
    rows, weights = torch.ones(4, 3), torch.ones(4)
    rows * weights
    """,
    """
    rows, weights = torch.ones(4, 3), torch.ones(4)
    rows * weights.unsqueeze(1)
    """,
)
DTYPES = Kind(
    "dtypes",
    "float64 meets float32",
    RuntimeError,
    r"(mat1 and mat2 must have the same dtype|expected m1 and m2 to have the same dtype)",
    "NumPy's numbers are float64 unless told otherwise, parameters are float32, and products of matrices do not "
    "convert. Convert the data once, where it comes in.",
    """
    import numpy as np
    data = torch.from_numpy(np.ones((8, 3)))
    torch.nn.Linear(3, 1)(data)
    """,
    """
    import numpy as np
    data = torch.from_numpy(np.ones((8, 3))).float()
    torch.nn.Linear(3, 1)(data)
    """,
)
TARGET_DTYPE = Kind(
    "target-dtype",
    "Targets that are not int64",
    RuntimeError,
    r"expected target dtype to be Long or Byte",
    "cross_entropy reads class numbers, of dtype int64. Targets of float are probabilities, and have the shape of the "
    "scores.",
    """
    scores, target = torch.ones(2, 3), torch.tensor([0, 2], dtype=torch.int32)
    torch.nn.functional.cross_entropy(scores, target)
    """,
    """
    scores, target = torch.ones(2, 3), torch.tensor([0, 2], dtype=torch.int32)
    torch.nn.functional.cross_entropy(scores, target.long())
    """,
)
INDEX = Kind(
    "index-out-of-range",
    "An index beyond the table",
    IndexError,
    r"index out of range in self",
    "An Embedding(n, size) has the rows 0 to n - 1. A token, a class or an id is larger: count them from 0, and give "
    "the table one row for each, the padding included.",
    """
    table = torch.nn.Embedding(3, 2)
    table(torch.tensor([0, 3]))
    """,
    """
    table = torch.nn.Embedding(4, 2)
    table(torch.tensor([0, 3]))
    """,
)
TARGET = Kind(
    "target-out-of-bounds",
    "A class that the scores do not have",
    IndexError,
    r"Target \d+ is out of bounds",
    "With scores of shape (batch, classes), targets are numbers from 0 to classes - 1. Labels that begin with 1 are "
    "moved down by one, or the last layer gets one output more.",
    """
    scores, labels = torch.ones(2, 3), torch.tensor([1, 3])
    torch.nn.functional.cross_entropy(scores, labels)
    """,
    """
    scores, labels = torch.ones(2, 3), torch.tensor([1, 3])
    torch.nn.functional.cross_entropy(scores, labels - 1)
    """,
)
UNUSED = Kind(
    "unused-input",
    "A tensor that the result does not depend on",
    RuntimeError,
    r"(One of the differentiated Tensors|The differentiated Tensor at index \d+) appears to not have been used",
    "grad() was asked for the gradient by a tensor that is not in the graph: another object with the same numbers, or "
    "one that was not used. allow_unused=True gives None for it.",
    """
    x = torch.ones(3, requires_grad=True)
    other = torch.ones(3, requires_grad=True)
    torch.autograd.grad((x * 2).sum(), other)
    """,
    """
    x = torch.ones(3, requires_grad=True)
    other = torch.ones(3, requires_grad=True)
    torch.autograd.grad((x * other).sum(), other)
    """,
)
INTEGERS = Kind(
    "integer-grad",
    "Whole numbers that should require grad",
    RuntimeError,
    r"[Oo]nly Tensors of floating point (and complex )?dtype can require gradients",
    "A gradient says what a small change does, and a whole number has no small change. Make it a float.",
    """
    x = torch.tensor([1, 2, 3], requires_grad=True)
    """,
    """
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    """,
)
ITEM = Kind(
    "item-of-many",
    "item() on more than one element",
    RuntimeError,
    r"a Tensor with \d+ elements cannot be converted to Scalar",
    "item() takes one number out. Reduce first, or take the list of all with tolist().",
    """
    losses = torch.tensor([0.5, 0.25])
    losses.item()
    """,
    """
    losses = torch.tensor([0.5, 0.25])
    losses.mean().item()
    """,
)
AMBIGUOUS = Kind(
    "ambiguous-truth",
    "if on a tensor of several elements",
    RuntimeError,
    r"Boolean value of Tensor with more than one value is ambiguous",
    "A comparison of tensors gives a tensor. Say whether all of it must be true, or any of it.",
    """
    x = torch.tensor([1.0, -1.0])
    if x > 0:
        x = x.sqrt()
    """,
    """
    x = torch.tensor([1.0, -1.0])
    if (x > 0).all():
        x = x.sqrt()
    """,
)
VIEW_OF_STRIDES = Kind(
    "view-of-strides",
    "view() on memory that is out of order",
    RuntimeError,
    r"view size is not compatible with input tensor's size and stride",
    "view() never copies, and after transpose() or permute() the elements do not lie in the order that it needs. "
    "reshape() copies where it must.",
    """
    x = torch.arange(6).view(2, 3).t()
    x.view(6)
    """,
    """
    x = torch.arange(6).view(2, 3).t()
    x.reshape(6)
    """,
)
CHANGED_RESULT = Kind(
    "requires-grad-of-a-result",
    "requires_grad = False on a result",
    RuntimeError,
    r"you can only change requires_grad flags of leaf variables",
    "A result requires grad because of what it was made of. detach() gives the same numbers without the history.",
    """
    w = torch.ones(3, requires_grad=True)
    y = w * 2
    y.requires_grad = False
    """,
    """
    w = torch.ones(3, requires_grad=True)
    y = (w * 2).detach()
    """,
)
WRONG_KIND = Kind(
    "wrong-kind",
    "An argument of a wrong kind",
    TypeError,
    r"\w+\(\): argument '\w+'.* must be ",
    "The message names the argument, what it must be and what was given. Not every function takes numbers beside "
    "tensors: arithmetic does, comparisons do, maximum() and others take tensors only. True is no whole number.",
    """
    x = torch.tensor([-1.0, 2.0])
    torch.maximum(x, 0)
    """,
    """
    x = torch.tensor([-1.0, 2.0])
    torch.maximum(x, torch.tensor(0.0))
    """,
)
NO_FORM = Kind(
    "no-form",
    "Arguments that no form of a function takes",
    TypeError,
    r"\w+\(\) received an invalid combination of arguments",
    "A function of several forms, as max() of all, along a dimension, or of two tensors, took none of them for what "
    "was given. The message lists what was given and what is taken.",
    """
    x = torch.tensor([-1.0, 2.0])
    torch.max(x, 0.5)
    """,
    """
    x = torch.tensor([-1.0, 2.0])
    torch.clamp(x, min=0.5)
    """,
)

KINDS: tuple[Kind, ...] = tuple(each for each in list(vars().values()) if isinstance(each, Kind))
