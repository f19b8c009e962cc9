"""The table of common errors: meaning, a program that raises it, and the repaired program.

The pages about errors are generated from this table, and the tests run every program: the failing one raises an error
that matches the pattern, in PyTorch as well, and the repaired one runs.
"""

from __future__ import annotations

from rushlight.explain.error_kind import Kind, kinds_in
from rushlight.explain.transform_errors import INSIDE_TRANSFORMS


def kind_of(error: BaseException, note: str = "") -> Kind | None:
    """Returns the kind of an exception with a note. None if no kind matches."""
    kinds = [kind for kind in KINDS if kind.matches(error)]
    by_note = next((x for x in kinds if x.when and x.when in note), None)
    return by_note or next((x for x in kinds if not x.when), None)


SECOND_BACKWARD = Kind(
    "second-backward",
    "Backward a second time",
    RuntimeError,
    r"Trying to backward through the graph a second time",
    "backward() frees the values that the graph has saved, so it can run through each graph once. Add two losses that "
    "share a part of the graph, and call backward() once.",
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
    "A state that brings its graph along",
    RuntimeError,
    r"Trying to backward through the graph a second time",
    "A hidden state or a running average of the last pass of a loop brings its graph into the next pass, and "
    "backward() has freed that graph. detach() the state. retain_graph=True would hide the error and keep the graph of "
    "every pass in memory.",
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
    "An operation saved a tensor for backward, and the tensor was changed in place before backward() needed it. "
    "Compute a new tensor instead of the in-place change, or change a clone().",
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
    "step() changes the parameters in place. backward() of a loss that was computed with the old values needs them: "
    "call it before step(), or compute the loss again.",
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
    "A loss without a graph",
    RuntimeError,
    r"element 0 of tensors does not require grad and does not have a grad_fn",
    "No tensor that requires grad leads to the loss, or the graph was cut: by detach(), .data, .item() or numpy(), by "
    "no_grad, or by an operation with an integer result. loss.requires_grad_() hides the error and trains nothing.",
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
    "A loss made of integers",
    RuntimeError,
    r"element 0 of tensors does not require grad and does not have a grad_fn",
    "argmax, comparisons and casts to integers have no derivative. Compute the loss from the scores, and use argmax "
    "for the accuracy only.",
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
NONE_GRAD = Kind(
    "none-grad",
    "A .grad that is None",
    AttributeError,
    r"'NoneType' object has no attribute",
    "backward() stores gradients in leaves that require grad. `.grad` is None before backward() and after zero_grad(), "
    "of a result, and of a tensor that the loss does not depend on. An update like w = w - lr * w.grad makes a new "
    "tensor: update in place, under no_grad.",
    """
    net = torch.nn.Linear(2, 1)
    net(torch.ones(2)).sum().backward()
    net.zero_grad()
    net.weight.grad.norm()
    """,
    """
    net = torch.nn.Linear(2, 1)
    net(torch.ones(2)).sum().backward()
    net.weight.grad.norm()
    net.zero_grad()
    """,
    when=".grad` is None",
)
NOT_SCALAR = Kind(
    "not-a-scalar",
    "backward() on more than one element",
    RuntimeError,
    r"grad can be implicitly created only for scalar outputs",
    "backward() needs a tensor with one element. Reduce the tensor first, or pass the weight of each element as a "
    "gradient of the tensor's shape.",
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
    "NumPy arrays have no gradients. detach() gives a tensor without the graph; its array shares the tensor's memory.",
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
    "Autograd cannot record an in-place change of a leaf. An update is not part of the loss: do it under no_grad.",
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
    "The first matrix must have as many columns as the second has rows. In a model it is mostly a Linear whose "
    "in_features is not the last dimension of its input.",
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
    "NumPy's arrays are float64 by default, parameters are float32, and matrix products do not convert dtypes. Convert "
    "the data once, where it is loaded.",
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
    "cross_entropy takes class indices of dtype int64. Floating point targets are probabilities, and have the shape of "
    "the scores.",
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
    "An Embedding(n, size) has the rows 0 to n - 1, and an index is larger. Count tokens from 0, and give the table "
    "one row for each, the padding included.",
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
    "With scores of shape (batch, classes), targets are indices from 0 to classes - 1. Subtract 1 from labels "
    "that begin with 1, or give the last layer one more output.",
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
    "The graph of the output does not contain the tensor that grad() was given: it was not used, or it is a copy of "
    "the one that was used. allow_unused=True returns None for it.",
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
    "Integers that should require grad",
    RuntimeError,
    r"[Oo]nly Tensors of floating point (and complex )?dtype can require gradients",
    "Integers have no gradients. Use a floating point dtype.",
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
    "item() returns the value of a tensor with one element. Reduce the tensor first, or call tolist().",
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
    "A comparison of tensors returns a tensor. Call all() or any() on it.",
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
    "view() on a tensor that is not contiguous",
    RuntimeError,
    r"view size is not compatible with input tensor's size and stride",
    "view() never copies, and after transpose() or permute() the elements are not in the order that it needs. "
    "reshape() copies if it must.",
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
    "A result requires grad if an operand does. detach() returns the same values without the graph.",
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
    "An argument of a wrong type",
    TypeError,
    r"\w+\(\): argument '\w+'.* must be ",
    "The message names the argument, what it must be and what was given. Not every function takes numbers beside "
    "tensors: arithmetic does, comparisons do, maximum() and others take tensors only. True is not an int.",
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
    "Arguments that fit no signature",
    TypeError,
    r"\w+\(\) received an invalid combination of arguments",
    "The function has several signatures, like max() of one tensor, along a dimension, or of two tensors, and none "
    "fits the arguments. The message lists the arguments and the signatures.",
    """
    x = torch.tensor([-1.0, 2.0])
    torch.max(x, 0.5)
    """,
    """
    x = torch.tensor([-1.0, 2.0])
    torch.clamp(x, min=0.5)
    """,
)

KINDS = (*kinds_in(vars()), *INSIDE_TRANSFORMS)
