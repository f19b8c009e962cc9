"""Random programs over a few tensors, run by both libraries: after each step everything that can be seen is compared.

Numbers are small multiples of a half, so that the order of additions does not matter. What `docs/what-differs.md` lists
is no step here: transcendental functions, strides of mixed operands, the order of ties, dtypes that are refused of some
elements and not of none, numbers with a history in tensors that can have none; nor are writes to places of expanded
tensors, which PyTorch has deprecated, and several to one place, of which any may be the last.
"""

import operator
import random
import warnings

import numpy as np
import pytest

import rushlight

SHAPES = [(), (3,), (1, 3), (2, 3), (3, 2), (2, 1, 3), (0, 3), (40, 60), (5, 1000)]  # on the last, machine code works
KINDS = ["float32", "float32", "float64", "int64", "int32", "bool", "float16", "complex64"]
LAYOUTS = {
    "plain": lambda x: x,
    "turned": lambda x: x.permute(tuple(range(x.ndim))[::-1]),
    "every other": lambda x: x[..., ::2] if x.ndim else x,
    "a row": lambda x: x[-1] if x.ndim and len(x) else x,
    "expanded": lambda x: x[..., :1].expand(x.shape) if x.ndim else x,
}


def done(_) -> None:
    """What a write gives."""


def takes(x, y=None) -> bool:
    """Whether a tensor is written to by the rules: no place is there twice, and it can have the history of `y`."""
    if 0 in steps_that_matter(x):
        return False
    return y is None or not y.requires_grad or (y.is_complex(), True) == (x.is_complex(), is_differentiable(x))


def is_differentiable(x) -> bool:
    return x.is_floating_point() or x.is_complex()


def some(*tensors) -> bool:
    """Whether there are elements, without which PyTorch does not ask for a kernel, nor look at positions."""
    return all(x.numel() for x in tensors)


def memory(x) -> int:
    return x.untyped_storage().data_ptr()


def share(x, y) -> bool:
    """Whether what is written may be read by the same step; PyTorch does not look into memory with gaps."""
    return some(x, y) and memory(x) == memory(y)


def written_places(x, n: int, y) -> None:
    """Two places that are there, or one."""
    if takes(x, y) and x.ndim and n < len(x) and some(x):
        x[[0, n] if n else [0]] = y


# A step is a function of the library, two tensors and a small number; what is written in place gives nothing.
STEPS = {
    "add": lambda t, x, y, n: x + y,
    "add a number": lambda t, x, y, n: x + n,
    "add in part": lambda t, x, y, n: t.add(x, y, alpha=n),
    "sub": lambda t, x, y, n: x - y,
    "mul": lambda t, x, y, n: x * y,
    "mul a half": lambda t, x, y, n: 0.5 * x,
    "div": lambda t, x, y, n: x / 2,
    "floor": lambda t, x, y, n: t.floor_divide(x, 2),
    "neg": lambda t, x, y, n: -x,
    "abs": lambda t, x, y, n: None if x.is_complex() else x.abs(),
    "maximum": lambda t, x, y, n: t.maximum(x, y),
    "clamp": lambda t, x, y, n: x.clamp(-n, n),
    "clamp_min": lambda t, x, y, n: x.clamp_min(n),
    "relu": lambda t, x, y, n: t.relu(x),
    "leaky_relu": lambda t, x, y, n: t.nn.functional.leaky_relu(x, 0.5),
    "lt": lambda t, x, y, n: x < y,
    "eq": lambda t, x, y, n: x == n,
    "where": lambda t, x, y, n: t.where(x > 0, y, n),
    "masked_fill": lambda t, x, y, n: x.masked_fill(y > 0, n).contiguous(),
    "masked_select": lambda t, x, y, n: x.masked_select(y > 0),
    "nonzero": lambda t, x, y, n: x.nonzero(),
    "unique": lambda t, x, y, n: x.unique(),
    "sum": lambda t, x, y, n: x.sum(),
    "sum of a dim": lambda t, x, y, n: x.sum(-1, keepdim=bool(n)),
    "mean of a dim": lambda t, x, y, n: x.sum(n) / 4,
    "amax": lambda t, x, y, n: x.amax(n) if some(x) else None,
    "max": lambda t, x, y, n: x.max(),
    "any": lambda t, x, y, n: x.any(n),
    "cumsum": lambda t, x, y, n: x.cumsum(n),
    "prod of signs": lambda t, x, y, n: x.sign().prod(n),
    "cat": lambda t, x, y, n: t.cat([x, y], n),
    "stack": lambda t, x, y, n: t.stack([x, y], n),
    "flip": lambda t, x, y, n: x.flip(n),
    "roll": lambda t, x, y, n: x.roll(1, n),
    "tril": lambda t, x, y, n: x.tril(n),
    "matmul": lambda t, x, y, n: x @ y,
    "its own product": lambda t, x, y, n: x @ x.mT if some(x) else None,
    "linear": lambda t, x, y, n: t.nn.functional.linear(x, y) if some(x, y) else None,
    "index_select": lambda t, x, y, n: x.index_select(n, t.tensor([0, 0])),
    "gather": lambda t, x, y, n: x.clone().gather(-1, (y > 0).long()),
    "scatter_add": lambda t, x, y, n: x.scatter_add(-1, (x.detach() > 0).long(), x),
    "index_add": lambda t, x, y, n: x.index_add(0, t.tensor([0]), y[:1]) if some(x, y) else None,
    "sorted": lambda t, x, y, n: x.sort(dim=n, stable=True)[0].contiguous(),
    "searchsorted": lambda t, x, y, n: (
        t.searchsorted(x.flatten().sort()[0], y) if some(x, y) and not y.is_complex() else None
    ),
    "view": lambda t, x, y, n: x.view(-1),
    "reshape": lambda t, x, y, n: x.reshape(-1),
    "as integers": lambda t, x, y, n: x.view(t.int32) if some(x) and x.shape[-1:] != (1,) else None,
    "turn": lambda t, x, y, n: x.transpose(0, n),
    "row": lambda t, x, y, n: x[n],
    "rows": lambda t, x, y, n: x[n:],
    "places": lambda t, x, y, n: x[[0, n, 0]] if some(x) else None,
    "last": lambda t, x, y, n: x[..., -1],
    "mask": lambda t, x, y, n: x[x > 0],
    "unsqueeze": lambda t, x, y, n: x.unsqueeze(n),
    "expand": lambda t, x, y, n: x.expand(2, *x.shape),
    "diagonal": lambda t, x, y, n: x.diagonal(),
    "double": lambda t, x, y, n: x.double(),
    "to whole numbers": lambda t, x, y, n: x.long(),
    "clone": lambda t, x, y, n: x.clone(),
    "detach": lambda t, x, y, n: x.detach(),
    "mse_loss": lambda t, x, y, n: t.nn.functional.mse_loss(x, y, reduction="none"),
    "l1_loss": lambda t, x, y, n: (
        None if x.is_complex() or y.is_complex() else t.nn.functional.l1_loss(x, y, reduction="sum")
    ),
    "add_": lambda t, x, y, n: done(x.add_(y)) if x is y or not share(x, y) else None,
    "mul_ a number": lambda t, x, y, n: done(x.mul_(n)),
    "copy_": lambda t, x, y, n: done(x.copy_(y)) if takes(x, y) else None,
    "fill_": lambda t, x, y, n: done(x.fill_(n)),
    "zero_": lambda t, x, y, n: done(x.zero_()),
    "clamp_": lambda t, x, y, n: done(x.clamp_(0, n)),
    "relu_": lambda t, x, y, n: done(x.relu_()),
    "write a row": lambda t, x, y, n: operator.setitem(x, n, y) if takes(x, y) else None,
    "write rows": lambda t, x, y, n: operator.setitem(x, slice(n, None), y) if takes(x, y) else None,
    "write all": lambda t, x, y, n: operator.setitem(x, slice(None), y) if takes(x, y) else None,
    "write a row over all": lambda t, x, y, n: (
        operator.setitem(x, slice(None), x[n]) if takes(x) and x.numel() > 1 else None
    ),
    "write places": lambda t, x, y, n: written_places(x, n, y),
    "write a mask": lambda t, x, y, n: operator.setitem(x, x > 0, n) if takes(x) else None,
    "add to rows": lambda t, x, y, n: operator.setitem(x, slice(n, None), x[n:].add_(n)) if takes(x) else None,
}


def made(torch, shape, kind, layout, seed, recorded):
    numbers = np.random.default_rng(seed).integers(-4, 5, shape) * 0.5
    if kind == "complex64":
        numbers = numbers + 1j * np.random.default_rng(seed + 1).integers(-2, 3, shape)
    x = LAYOUTS[layout](torch.tensor(numbers, dtype=getattr(torch, kind))).detach()
    return x.requires_grad_() if recorded and (x.is_floating_point() or x.is_complex()) else x


def outcome(step, torch, pool, i, j, n):
    """What a step gives, or its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return step(torch, pool[i % len(pool)], pool[j % len(pool)], n)
    except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError) as error:
        return error


def steps_that_matter(x):
    return [step for step, length in zip(x.stride(), x.shape, strict=True) if length > 1] if x.numel() else []


def compare(ours, theirs, when):
    assert str(ours.dtype) == str(theirs.dtype), when
    assert tuple(ours.shape) == tuple(theirs.shape), when
    assert ours.requires_grad == theirs.requires_grad, when
    compare_numbers(ours, theirs, when)


def compare_numbers(ours, theirs, when):
    plain = (each.detach().resolve_conj().resolve_neg() for each in (ours, theirs.clone()))
    if "complex32" in str(ours.dtype):  # which NumPy has not
        plain = ([each.real.numpy(), each.imag.numpy()] for each in plain)
    result, expected = map(np.asarray, plain)
    exact = {"float32": 1e-6, "complex64": 1e-6, "float64": 1e-14, "float16": 2e-3}.get(str(expected.dtype), 0)
    np.testing.assert_allclose(result, expected, rtol=exact, atol=exact * 64, err_msg=str(when))


def sharing(pool):
    """Which tensors look at the same memory."""
    addresses = [memory(x) if x.numel() else -at for at, x in enumerate(pool, 1)]
    return [addresses.index(each) for each in addresses]


def compare_gradients(ours, theirs, when):
    """The gradients that one backward pass brings to every leaf."""
    results = []
    for torch, pool in ((rushlight, ours), (pytest.importorskip("torch"), theirs)):
        reached = [x for x in pool if x.requires_grad and not x.is_leaf]
        total = sum(((x.real if x.is_complex() else x).double().square().sum() for x in reached[-3:]), torch.zeros(()))
        try:
            if reached:
                total.backward()
        except (RuntimeError, NotImplementedError) as error:
            results.append(type(error))
        else:
            results.append([x.grad for x in pool if x.requires_grad and x.is_leaf])
    if results[1] is NotImplementedError:
        return  # PyTorch computes little with complex32
    assert isinstance(results[0], list) == isinstance(results[1], list), (when, results)
    if isinstance(results[0], list):
        assert len(results[0]) == len(results[1]), when
        for one, other in zip(*results, strict=True):
            assert (one is None) == (other is None), when
            if other is not None and bool((other.abs() < 1e6).all()):
                assert str(one.dtype) == str(other.dtype), when
                np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-3, atol=1e-2, err_msg=str(when))


def play(pytorch, tensors, program):
    pools = [made(rushlight, *each) for each in tensors], [made(pytorch, *each) for each in tensors]
    reported = list(tensors)
    for name, i, j, n in program:
        reported.append((name, i % len(pools[0]), j % len(pools[0]), n))
        before = [[x._version for x in pool] for pool in pools]
        results = [outcome(STEPS[name], *each, i, j, n) for each in zip((rushlight, pytorch), pools, strict=True)]
        failed = [isinstance(each, Exception) for each in results]
        if any(failed):
            assert all(failed), (reported, results)  # of several reasons to refuse, either may come first
            continue
        for ours, theirs in zip(*pools, strict=True):
            compare(ours, theirs, reported)
        changes = [
            [x._version - old for x, old in zip(*each, strict=True) if x.numel()]
            for each in zip(pools, before, strict=True)
        ]
        assert changes[0] == changes[1], reported
        if results[1] is not None:
            compare(*results, reported)
            if results[1].numel() < 20_000:
                for pool, result in zip(pools, results, strict=True):
                    pool.append(result)
                assert sharing(pools[0]) == sharing(pools[1]), reported
                bases = [each._base for each in results]
                if None not in bases and steps_that_matter(bases[0]) == steps_that_matter(bases[1]):
                    assert steps_that_matter(results[0]) == steps_that_matter(results[1]), reported
    compare_gradients(*pools, reported)


def drawn(seed: int) -> tuple[list, list]:
    """Tensors and steps; a seed is all that there is to a program, for PyTorch is asked before it could be shrunk."""
    draw = random.Random(seed)
    tensors = [
        (draw.choice(SHAPES), draw.choice(KINDS), draw.choice(list(LAYOUTS)), draw.randrange(10), draw.random() < 0.5)
        for _ in range(draw.choice((2, 3)))
    ]
    steps = [
        (draw.choice(list(STEPS)), draw.randrange(8), draw.randrange(8), draw.randrange(3))
        for _ in range(draw.randrange(3, 9))
    ]
    return tensors, steps


def run(seeds):
    pytorch = pytest.importorskip("torch")
    for seed in seeds:
        play(pytorch, *drawn(seed))


def test_random_programs_beside_pytorch():
    run(range(120))


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_many_more_random_programs_beside_pytorch():
    run(range(120, 20_000))
