"""`x += y` and similar operators with every kind of right operand: values, reflected methods, errors.

Arrays are not among them: `x += array` is on the page "what differs".
"""

import operator
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import rushlight

SIGNS = "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift".split()


class Reflecting:
    """Has a method of its own for a tensor on the left."""


for sign in SIGNS:
    setattr(Reflecting, f"__r{sign[1:]}__", lambda self, left, sign=sign: f"reflected {sign}")


class Bare:
    pass


class Seeing:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return f"sees {func.__name__}"


OPERANDS = {
    "an object with a reflected method": lambda torch: Reflecting(),
    "an object without": lambda torch: Bare(),
    "a class that sees calls": lambda torch: Seeing(),
    "a text": lambda torch: "a",
    "None": lambda torch: None,
    "a list": lambda torch: [1, 2],
    "a tuple": lambda torch: (1, 2),
    "a fraction": lambda torch: Fraction(1, 2),
    "a decimal number": lambda torch: Decimal(2),
    "NumPy's number": lambda torch: np.float32(2),
    "NumPy's integer": lambda torch: np.int64(2),
    "a bool": lambda torch: True,
    "an integer": lambda torch: 2,
    "a number": lambda torch: 2.5,
    "a complex number": lambda torch: 2j,
    "a tensor of integers": lambda torch: torch.tensor([1, 2]),
    "a tensor": lambda torch: torch.tensor([1.0, 2.0]),
    "a tensor of another shape": lambda torch: torch.ones(3),
}
# Right operands of which the words of the error are NumPy's in PyTorch.
WORDS_OF_NUMPY = {(sign, "NumPy's number") for sign in SIGNS[-5:]}


def outcome(torch, sign, name, values):
    """What a statement gives, whether it is the tensor, and what the tensor has afterwards."""
    tensor = torch.tensor(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = getattr(operator, sign)(tensor, OPERANDS[name](torch))
        except Exception as error:
            words = None if (sign, name) in WORDS_OF_NUMPY else str(error).splitlines()[0]
            return None if words is None else type(error), words, tensor.tolist()
    shown = (result.tolist(), str(result.dtype)) if isinstance(result, torch.Tensor) else result
    return shown, result is tensor, tensor.tolist()


@pytest.mark.parametrize("values", [[5.0, 3.0], [5, 3]], ids=["floats", "integers"])
@pytest.mark.parametrize("name", OPERANDS)
def test_every_operator(name, values, pytorch):
    for sign in SIGNS:
        ours, theirs = (outcome(torch, sign, name, values) for torch in (rushlight, pytorch))
        assert ours == theirs or str(ours).replace("rushlight", "torch") == str(theirs), sign


class Scaled:
    """A quantity of a program's own, which takes part in arithmetic with tensors."""

    def __init__(self, tensor, scale):
        self.tensor, self.scale = tensor, scale

    def __radd__(self, left):
        return Scaled(left + self.tensor * self.scale, 1)


def test_a_quantity_on_the_right_decides_what_the_sum_is():
    total = tensor = rushlight.ones(2)
    total += Scaled(rushlight.ones(2), 3)
    assert isinstance(total, Scaled) and total.tensor.tolist() == [4, 4] and tensor.tolist() == [1, 1]


def test_shapes_beside_other_things(pytorch):
    cases = [
        lambda torch, s: s + torch.ones(2), lambda torch, s: s + [1], lambda torch, s: s + None, lambda torch, s: s + 1,
        lambda torch, s: s + np.ones(2), lambda torch, s: s * 2.0, lambda torch, s: 2.0 * s, lambda torch, s: s * "a",
        lambda torch, s: s * None, lambda torch, s: s * 2, lambda torch, s: 2 * s, lambda torch, s: s * np.int64(2),
        lambda torch, s: (1,) + s, lambda torch, s: s + (1,), lambda torch, s: torch.tensor(2) * s,
        lambda torch, s: s * torch.tensor(2),
    ]  # fmt: skip
    for case in cases:
        results = []
        for torch in (rushlight, pytorch):
            try:
                result = case(torch, torch.Size([1, 2]))
                results.append((type(result).__name__, repr(result)))
            except Exception as error:
                results.append((type(error), str(error).splitlines()[0]))
        assert results[0] == results[1]
