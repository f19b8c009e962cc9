"""Every operator inside transforms that are called often: a replay gives what the call gives, but for last digits."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.capture.often import OftenCalled
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.func import grad, vmap
from rushlight.testing import declared

lazy_modules.load_all()
TRIED = [name for name, op in sorted(OPS.items()) if op.samples is not None]
SAMPLES = 3

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """The threads that run the tests do not count."""
    monkeypatch.setattr("rushlight.capture.often.is_single_threaded", lambda: True)


class Text:
    """Writes a function of tensors that does nothing but call the operator of a case: all of it can be watched."""

    def __init__(self, case, variables):
        self.names = {"op": case.op.function, "torch": torch}
        self.fresh = iter(range(len(case.tensors)))
        self.variables, self.case = variables, case
        self.inputs = ", ".join([f"t{number}" for number in variables])
        positional = [self.write(value) for value in case.arguments]
        named = [f"{name}={self.write(value)}" for name, value in case.keywords.items()]
        self.call = f"op({', '.join(positional + named)})"

    def write(self, value):
        """Returns the text of an argument: a variable, a tensor that is the same at each call, or another object."""
        if isinstance(value, Tensor):
            number = next(self.fresh)
            return f"t{number}" if number in self.variables else self.named(self.case.tensors[number].detach())
        if type(value) in (list, tuple) and any(True for _ in declared.tensors_in(value)):
            return f"({''.join([f'{self.write(each)}, ' for each in value])})"
        return self.named(value)

    def named(self, value):
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def function(self, *lines):
        """Returns the function that has these lines after the call, whose result is `r`."""
        text = "\n    ".join([f"def function({self.inputs}):", f"r = {self.call}", *lines])
        exec(compile(text, "<case>", "exec"), self.names)
        return self.names["function"]


def gradients(case):
    """Returns a transform of the operator, and its arguments: gradients for all that have one."""
    variables = [number for number, tensor in enumerate(case.tensors) if tensor.requires_grad]
    text = Text(case, variables)
    results = case.op.function(*case.arguments, **case.keywords)
    several = isinstance(results, (tuple, list))
    parts = {f"r[{at}]": each for at, each in enumerate(results)} if several else {"r": results}
    wanted = [part for part, each in parts.items() if isinstance(each, Tensor) and each.requires_grad]
    loss = " + ".join([f"({part} * {part}).abs().sum()" for part in wanted])
    function = text.function(f"return {loss or 'r'}")
    return grad(function, argnums=tuple(range(len(variables)))), [case.tensors[number].detach() for number in variables]


def batch(case):
    """Returns the operator for a batch of samples, and its arguments."""
    text = Text(case, range(len(case.tensors)))
    return vmap(text.function("return r")), [torch.stack([each.detach(), each.detach()]) for each in case.tensors]


def arrays(results):
    """Returns the arrays of some results."""
    return [each.resolve_conj().resolve_neg()._array for each in torch.utils._pytree.tree_leaves(results)]


def alike(one, other):
    """Whether two arrays have one layout, and elements that are equal but for last digits."""
    if (one.dtype, one.shape, one.strides) != (other.dtype, other.shape, other.strides):
        return False
    if one.dtype.kind not in "fc":
        return np.array_equal(one, other)
    tolerance = 1000 * np.finfo(one.dtype).eps
    return np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)


def replays(function, args):
    """Calls a function as it is written, and again and again; returns how often it was replayed."""
    torch.manual_seed(0)
    try:
        expected = arrays(function(*args))
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, NotImplementedError):
        return 0  # no derivative, or no batch
    often = OftenCalled(function)
    before = int(often.replays[0])
    for _ in range(4):
        torch.manual_seed(0)
        results = arrays(often.front.call(tuple(args), {}))
        assert all(map(alike, results, expected))
    return int(often.replays[0]) - before


@pytest.mark.parametrize("name", TRIED)
def test_a_replay_gives_what_the_call_gives(name):
    for case in list(declared.cases(OPS[name]))[:SAMPLES]:
        if any(tensor.requires_grad for tensor in case.tensors):
            replays(*gradients(case))
        if case.tensors and all(type(each._array) is np.ndarray for each in case.tensors):
            replays(*batch(case))


@pytest.mark.parametrize("transform", [gradients, batch])
def test_most_calls_are_replayed(transform):
    names = ["mul", "exp", "mm", "softmax", "tanh", "sigmoid", "cumsum", "logsumexp", "where", "maximum"]
    cases = [
        next(case for case in declared.cases(OPS[name]) if any(tensor.requires_grad for tensor in case.tensors))
        for name in names
    ]
    assert all(replays(*transform(case)) == 3 for case in cases)
