"""Python's errors of None on a line with a `.grad`: which tensor's it is, why it is None, and what to write."""

import warnings

import pytest

import rushlight as torch


@pytest.fixture
def explained(tmp_path):
    """The explanation of the exception that ends a program."""

    def run(text):
        file = tmp_path / "train.py"
        file.write_text("import rushlight as torch\n" + text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch's about `.grad` of what is not a leaf
            try:
                exec(compile(file.read_text(), str(file), "exec"), {"__name__": "train"})
            except (AttributeError, TypeError) as error:
                return str(torch.explain(error))
        raise AssertionError("the program did not fail")

    return run


NONE_GRAD = {
    "overwritten": (
        "w = torch.ones(2, requires_grad=True)\nfor _ in range(3):\n    (w**2).sum().backward()\n"
        "    w = w - 0.1 * w.grad\n",
        ["`w.grad` is None: train.py:5 (`w = w - 0.1 * w.grad`) assigns a new tensor to `w`", "    w -= 0.1 * w.grad"],
    ),
    "result": (
        "x = torch.ones(3, requires_grad=True)\nh = x * 2\nh.sum().backward()\nprint(h.grad.norm())\n",
        ["`h.grad` is None: `h` is not a leaf, mul() at train.py:3 (`h = x * 2`)", "Cure: h.retain_grad()"],
    ),
    "attribute": (
        "class Model:\n    def __init__(self):\n        self.w = torch.ones(2)\n    def norm(self):\n"
        "        return self.w.grad.norm()\nModel().norm()\n",
        ["`self.w.grad` is None: `self.w` does not require grad.", "self.w.requires_grad_()"],
    ),
    "scaled": (
        "w = torch.randn(3, requires_grad=True) * 0.1\nw.sum().backward()\nwith torch.no_grad():\n"
        "    w -= 0.1 * w.grad\n",
        ["Cure: w = (torch.randn(3) * 0.1).requires_grad_()"],
    ),
    "first": (
        "w = torch.zeros(2, requires_grad=True)\nw.grad.zero_()\n",
        ["no backward() has been called", "Cure: w.grad = None"],
    ),
    "cleared": (
        "net = torch.nn.Linear(2, 1)\nloss = net(torch.ones(2)).sum()\nloss.backward()\nnet.zero_grad()\n"
        "print(torch.cat([p.grad for p in net.parameters()]))\n",
        ["the gradient of `net.weight`", "net.zero_grad() at line 5 set it to None"],
    ),
    "unused": (
        "net = torch.nn.ModuleList([torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)])\n"
        "loss = net[0](torch.ones(2)).sum()\nloss.backward()\n"
        "for name, p in net.named_parameters():\n    print(f'{name} {p.grad.norm():.2f}')\n",
        ["the gradient of `net.1.weight`: `loss` was not computed from `net.1.weight`"],
    ),
    "passed": (
        "def show(g):\n    return g.norm()\nw = torch.ones(2, requires_grad=True)\nshow(w.grad)\n",
        ["`w.grad` is None: backward() has not been called."],
    ),
    "variable": (
        "w = torch.ones(2, requires_grad=True)\ng = w.grad\nw - 0.1 * g\n",
        ["`w.grad` is None: backward() has not been called."],
    ),
    "iterated": ("w = torch.ones(2, requires_grad=True)\nfor g in w.grad:\n    pass\n", ["`w.grad` is None"]),
    "unpacked": ("w = torch.ones(2, requires_grad=True)\na, b = w.grad\n", ["`w.grad` is None"]),
    "a function of ours": ("w = torch.ones(2, requires_grad=True)\ntorch.norm(w.grad)\n", ["`w.grad` is None"]),
    "a function of NumPy": (
        "import numpy as np\nw = torch.ones(2, requires_grad=True)\nnp.linalg.norm(w.grad)\n",
        ["`w.grad` is None"],
    ),
    "all at once": (
        "ws = [torch.ones(2, requires_grad=True)]\nfor _ in range(2):\n    sum((w * w).sum() for w in ws).backward()\n"
        "    ws = [w - 0.1 * w.grad for w in ws]\n",
        ["for w in ws:", "    w -= 0.1 * w.grad"],
    ),
    "a function that returns the new value": (
        "def update(p):\n    return p - 0.1 * p.grad\nw = torch.ones(2, requires_grad=True)\nfor _ in range(2):\n"
        "    (w * w).sum().backward()\n    w = update(w)\n",
        ["train.py:3 (`return p - 0.1 * p.grad`) returns a new tensor for `p`", "p -= 0.1 * p.grad"],
    ),
    "two at once": (
        "a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\nfor _ in range(2):\n"
        "    (a * b).sum().backward()\n    a, b = a - 0.1 * a.grad, b - 0.1 * b.grad\n",
        ["a -= 0.1 * a.grad"],
    ),
    "a part": (
        "w = torch.ones(2, requires_grad=True)\nw.sum().backward()\nprint(w[0].grad + 1)\n",
        ["`w[0]` is a new tensor", "Cure: w.grad[0]"],
    ),
}


@pytest.mark.parametrize("name", NONE_GRAD)
def test_it_is_reported_which_grad_is_none_and_why(explained, name):
    program, said = NONE_GRAD[name]
    reported = explained(program)
    for each in said:
        assert each in reported


@pytest.mark.parametrize(
    "program",
    [
        "def f(): pass\nf().norm()\n",
        "None + 1\n",
        "w = torch.ones(2, requires_grad=True)\nx = w.grad if w is None else torch.ones(2)\nx + None\n",
        "w = torch.ones(2, requires_grad=True)\ng = w.grad\ng = torch.ones(2)\ng + None\n",
        "w = torch.ones(2, requires_grad=True)\nw.sum().backward()\nw.grad.absent_method(None)\n",
        "w = torch.ones(2, requires_grad=True)\ng = w.grad\ng = {}.get('x')\ng.norm()\n",
        "class A:\n    grad = None\nA().grad.norm()\n",
        "w = torch.ones(2, requires_grad=True)\ndef f(grad, size):\n    return size + None\nf(w.grad, 1)\n",
    ],
)
def test_another_none_is_left_to_python(explained, program):
    assert ".grad` is None" not in explained(program)
