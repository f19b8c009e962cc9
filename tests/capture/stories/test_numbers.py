"""Numbers that a run reads of tensors: whatever they decide is decided anew at each call."""

# ruff: noqa: UP031, UP032, B008, B905, C408, C405, C401, C416, C417  it matters how a story is written

import functools
import math
import operator

import numpy as np
import pytest

import rushlight as torch

PAIRS = ((2.0, 1.0), (1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (1.0, 2.0), (-4.0, 0.5))


def pairs():
    return [(torch.tensor(a), torch.tensor(b)) for a, b in PAIRS]


def ordered(a, b):
    numbers = [a.item(), b.item()]
    numbers.sort()
    return numbers


def removed(a, b):
    numbers = [1.0, 2.0, 3.0]
    if a.item() in numbers:
        numbers.remove(a.item())
    return numbers


def in_loop(a, b):
    total = 0.0
    for number in (a.item(), b.item()):
        total += number
    return total


def counted(a, b):
    n = 0
    while n < a.item():
        n += 1
    return n


def actual(a, b):
    return {1.0: "one", 2.0: "two"}.get(a.item(), "none")


def at_key(a, b):
    return {a.item(): "a", b.item(): "b"}


def unpacked(a, b):
    first, *rest = [a.item(), b.item(), 5.0]
    return first, rest


TABLE = {1.0: "one", 2.0: "two", 3.0: "three", -4.0: "minus four"}
FUNCTIONS = {
    "sum of a generator": lambda a, b: sum(x.item() for x in (a, b)),
    "largest of a generator": lambda a, b: max(x.item() for x in (a, b)),
    "sorted generator": lambda a, b: sorted(x.item() for x in (a, b)),
    "fsum": lambda a, b: math.fsum(x.item() for x in (a, b)),
    "any": lambda a, b: (any(x.item() > 1.5 for x in (a, b)), all(x.item() > 1.5 for x in (a, b))),
    "any of tensors": lambda a, b: (any(x > 1.5 for x in (a, b)), all([x > 1.5 for x in (a, b)])),
    "map": lambda a, b: list(map(float, (a, b))),
    "map of int": lambda a, b: list(map(int, (a, b))),
    "filter": lambda a, b: list(filter(lambda v: v > 1.5, [a.item(), b.item()])),
    "reduce": lambda a, b: functools.reduce(operator.add, [a.item(), b.item()]),
    "reduce with a lambda": lambda a, b: functools.reduce(lambda x, y: x + y, [a.item(), b.item()]),
    "percent": lambda a, b: "%s" % a.item(),
    "percent of a tuple": lambda a, b: "%.2f %.2f" % (a.item(), b.item()),
    "percent of a dict": lambda a, b: "%(a).2f" % {"a": a.item()},
    "percent of a tensor": lambda a, b: "%s" % (a,),
    "format": lambda a, b: "{:.1f}".format(a.item()),
    "format by name": lambda a, b: "{a:.1f}".format(a=a.item()),
    "format of a tensor": lambda a, b: "{}".format(a),
    "f-string": lambda a, b: f"{a.item():.3f}",
    "f-string of a list": lambda a, b: f"{[a.item()]}",
    "f-string of a tensor": lambda a, b: f"{a}",
    "str": lambda a, b: str(a.item()) + repr(b.item()),
    "str of a list": lambda a, b: str([a.item(), b.item()]),
    "str of a tensor": lambda a, b: str(a),
    "str of a list of tensors": lambda a, b: str([a]),
    "join": lambda a, b: ",".join([str(x.item()) for x in (a, b)]),
    "tuples compared": lambda a, b: (a.item(), 1) < (b.item(), 1),
    "lists equal": lambda a, b: [a.item()] == [b.item()],
    "dicts equal": lambda a, b: {"a": a.item()} == {"a": b.item()},
    "in a list": lambda a, b: (a.item() in [1.0, 2.0], a.item() not in (3.0,)),
    "in a list of such": lambda a, b: 2.0 in [a.item(), b.item()],
    "in a dict": lambda a, b: a.item() in TABLE,
    "in a set": lambda a, b: a.item() in {1.0, 2.0},
    "index": lambda a, b: [2.0, 1.0, 3.0, -4.0].index(a.item()),
    "count": lambda a, b: [a.item(), b.item()].count(2.0),
    "item of a dict": lambda a, b: TABLE[a.item()],
    "get": actual,
    "set": lambda a, b: len({a.item(), b.item()}),
    "set made": lambda a, b: {x.item() for x in (a, b)},
    "set of a list": lambda a, b: len(set([a.item(), b.item()])),
    "key of a dict": at_key,
    "dict of pairs": lambda a, b: dict([(a.item(), 1), (b.item(), 2)]),
    "dict comprehension": lambda a, b: {x.item(): 0 for x in (a, b)},
    "fromkeys": lambda a, b: len(dict.fromkeys([a.item(), b.item()])),
    "sort": ordered,
    "remove": removed,
    "loop": in_loop,
    "while": counted,
    "unpacked": unpacked,
    "chained": lambda a, b: -1 < a.item() < 2.5,
    "or": lambda a, b: (a.item() > 1.5) or b.item(),
    "and": lambda a, b: (a.item() - 3) and b.item(),
    "not": lambda a, b: not (a.item() - 3),
    "largest": lambda a, b: max(a.item(), b.item()),
    "largest by key": lambda a, b: max([a, b], key=lambda v: v.item()).item(),
    "smallest by key": lambda a, b: min([0, 1], key=lambda n: (a, b)[n].item()),
    "sorted by key": lambda a, b: sorted([0, 1], key=[a.item(), b.item()].__getitem__),
    "sorted with a lambda": lambda a, b: sorted([0, 1], key=lambda n: (a, b)[n].item()),
    "round": lambda a, b: round(a.item() + 0.123, 2),
    "int": lambda a, b: int(a.item()) + 1,
    "int of a tensor": lambda a, b: [0] * int(a * a),
    "range": lambda a, b: list(range(int(abs(a)))),
    "math": lambda a, b: math.sqrt(abs(a.item())),
    "hypot": lambda a, b: math.hypot(a.item(), b.item()),
    "is integer": lambda a, b: (a.item() / 2).is_integer(),
    "hex": lambda a, b: a.item().hex(),
    "method with argument": lambda a, b: (2.0).__add__(a.item()),
    "isinstance": lambda a, b: isinstance(a.item(), float),
    "tolist": lambda a, b: sum(torch.stack([a, b]).tolist()),
    "tolist in a loop": lambda a, b: [x > 1.5 for x in torch.stack([a, b]).tolist()],
    "numpy": lambda a, b: float(a.numpy()) + 1,
    "numpy item": lambda a, b: a.numpy().item() > 1.5,
    "numpy scalar": lambda a, b: float(torch.stack([a, b]).numpy()[0]),
    "numpy scalar compared": lambda a, b: bool(torch.stack([a, b]).numpy()[0] > 1.5),
    "numpy scalar decides": lambda a, b: 1 if torch.stack([a, b]).numpy()[0] > 1.5 else 2,
    "numpy sum": lambda a, b: sum(torch.stack([a, b]).numpy()),
    "numpy max": lambda a, b: max(torch.stack([a, b]).numpy().tolist()),
    "numpy argmax": lambda a, b: [10, 20][np.argmax(torch.stack([a, b]).numpy())],
    "numpy mean": lambda a, b: float(np.mean(torch.stack([a, b]).numpy())),
    "argmax": lambda a, b: [10, 20][torch.stack([a, b]).argmax()],
    "index of a string": lambda a, b: "abcdefghi"[(a * a).long() % 5],
    "slice": lambda a, b: [1, 2, 3, 4][: int(b.item())],
    "equal": lambda a, b: torch.equal(a, b),
    "allclose": lambda a, b: 1 if torch.allclose(a, b) else 2,
    "is nonzero": lambda a, b: bool((a - 2.0).count_nonzero()),
    "bool": lambda a, b: (bool(a - 2), 1 if a - 2 else 0),
    "eq": lambda a, b: a == b,
    "eq decides": lambda a, b: "same" if a == b else "other",
    "ternary": lambda a, b: a if a > b else b,
    "zip": lambda a, b: [x for x, k in zip([1, 2], [a.item() > 1.5, b.item() > 1.5]) if k],
    "enumerate": lambda a, b: [n for n, x in enumerate([a, b]) if x > 1.5],
    "number to tensor": lambda a, b: torch.tensor([a.item(), b.item()]) * 2,
    "number to op": lambda a, b: torch.full((2,), a.item()) + b.item(),
    "shape": lambda a, b: torch.zeros(int(b.item() + 1)),
    "complex": lambda a, b: complex(a.item(), b.item()),
    "divmod": lambda a, b: divmod(a.item(), b.item()),
    "pow": lambda a, b: pow(abs(a.item()), b.item()),
    "default": lambda a, b: (lambda x=a.item(): x)(),
    "closure": lambda a, b: (lambda x: (lambda: x + 1)())(a.item()),
    "keywords": lambda a, b: dict(x=a.item(), y=b.item()),
    "star": lambda a, b: max(*[a.item(), b.item()]),
    "string of parts": lambda a, b: "".join(map(str, [a.item(), b.item()])),
    "hash": lambda a, b: hash(a.item()) == hash(b.item()),
    "as integer ratio": lambda a, b: a.item().as_integer_ratio(),
    "frozenset": lambda a, b: frozenset([a.item(), b.item()]),
    "accumulated": lambda a, b: [sum([a.item(), b.item()][:n]) for n in (1, 2)],
    "identity": lambda a, b: a.item() is None,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_number_of_a_tensor_is_read_at_each_call(agree, attempt, name):
    def story(compile):
        f = compile(FUNCTIONS[name])
        return [attempt(f, a, b) for a, b in pairs()]

    agree(story)


BESIDE = {
    "fill": lambda x, n: x.clone().fill_(n),
    "full": lambda x, n: torch.full((2, 3), n, dtype=x.dtype) == x,
    "full like": lambda x, n: torch.full_like(x, n),
    "masked fill": lambda x, n: x.masked_fill(x == 0, n),
    "where": lambda x, n: torch.where(x > 0, x, n),
    "where first": lambda x, n: torch.where(x > 0, n, x),
    "clamp": lambda x, n: x.clamp(min=n),
    "compared": lambda x, n: torch.stack([x == n, x > n, x <= n]),
    "added": lambda x, n: x + n,
    "multiplied": lambda x, n: x * n,
    "filled rows": lambda x, n: x.index_fill(0, torch.tensor([0]), n),
}
DTYPES = (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32,
    torch.float64,
)  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numbers_beside_tensors_of_every_dtype(agree, attempt, name, dtype):
    """A number of another kind, or out of range, does what it does as written."""

    def story(compile):
        seen = []
        for number in (6, -2, 0, 1, 300, 2.7, -0.5, 1e10, True, False):
            f = compile(lambda x, n=number: BESIDE[name](x, n))
            seen += [attempt(f, (torch.arange(6).reshape(2, 3) % 3).to(dtype)) for _ in range(2)]
        return seen

    agree(story)
