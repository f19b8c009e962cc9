"""Optimizers' updates of many parameters in one launch, run on the host: the bits of their steps by NumPy."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower.elementwise import FIXED, NUMBER, Argument
from rushlight.lower.nvptx.lockstep import HostGpu
from rushlight.lower.nvptx.many import PIECE, GpuUpdates
from rushlight.optim import SGD, Adam, AdamW
from rushlight.optim.arithmetic import Arrays
from rushlight.optim.kernels import Verbs

GPU = HostGpu()
SIZES = (1, 0, 31, 33, 1024, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5)
COMMON = {"maximize": False, "weight_decay": 0.1}
ADAM = {**COMMON, "beta1": 0.9, "beta2": 0.99, "eps": 1e-8}
MOMENTUM = {**COMMON, "dampening": 0.1, "nesterov": True, "momentum": 0.9, "first": False}
RATES = {"step_size": 0.01, "root_of_correction": 0.3, "lr": 0.01}
# An optimizer, its options that stay, scalars that change, its state, and how many arrays of its state are not used.
CASES = {
    "sgd": (SGD, MOMENTUM, {"lr": 0.1}, ("buf",), 0),
    "adam": (Adam, {**ADAM, "decoupled_weight_decay": False, "amsgrad": False}, RATES, ("mean", "square"), 1),
    "adamw": (AdamW, {**ADAM, "decoupled_weight_decay": True, "amsgrad": True}, RATES, ("mean", "square", "max"), 0),
}


def updated(cls, verbs, options, arrays, absent):
    """Returns the new parameter and state by an optimizer's formula."""
    results = cls._update(None, verbs, SimpleNamespace(**options), *arrays, *[None] * absent)
    return [x for x in results if x is not None]


def tensors(count, dtype):
    generator = np.random.default_rng(0)
    return [[generator.random(size).astype(dtype) for _ in range(count)] for size in SIZES]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_an_update_of_many_parameters_has_the_bits_of_one_by_one(case, dtype):
    cls, kept, changing, state, absent = CASES[case]
    arrays = ("param", "gradient", *state)
    numbers = [Argument(name, FIXED, value) for name, value in kept.items()]
    numbers += [Argument(name, NUMBER) for name in changing]

    def formula(values):
        options = {name: values[name] for name in (*kept, *changing)}
        return updated(cls, Verbs, options, [values[name] for name in arrays], absent)

    update = GpuUpdates(GPU, formula, arrays, numbers, ("param", *state), dtype)
    ours, theirs = tensors(len(arrays), dtype), tensors(len(arrays), dtype)
    for step in range(2):
        scalars = {name: value / (step + 1) for name, value in changing.items()}
        update(ours, scalars)
        for each in theirs:
            results = updated(cls, Arrays, {**kept, **scalars}, each, absent)
            each[0], each[2:] = results[0], results[1:]
    for one, other in zip(ours, theirs, strict=True):
        for got, expected in zip(one, other, strict=True):
            np.testing.assert_array_equal(got, expected)
            assert got.dtype == dtype


def test_the_table_is_made_again_only_where_an_array_has_moved():
    update = GpuUpdates(GPU, lambda v: [v["p"] - v["g"] * v["lr"]], ("p", "g"), [Argument("lr", NUMBER)], ("p",), "f4")
    rows = [[np.ones(5, np.float32), np.ones(5, np.float32)]]
    update(rows, {"lr": 0.5})
    table = update.table
    update(rows, {"lr": 0.25})
    assert update.table is table
    rows[0][1] = np.full(5, 2, np.float32)
    update(rows, {"lr": 0.5})
    assert update.table is not table
    np.testing.assert_array_equal(rows[0][0], np.full(5, -0.75, np.float32))


def test_arrays_that_do_not_fit_are_refused():
    update = GpuUpdates(GPU, lambda v: [v["p"] - v["g"]], ("p", "g"), [], ("p",), np.float32)
    x = np.ones(6, np.float32)
    for other in (np.ones(5, np.float32), np.ones(6), np.ones(12, np.float32)[::2]):
        with pytest.raises(ValueError, match="contiguous arrays of one dtype"):
            update([[x, other]], {})
    update([], {})
    np.testing.assert_array_equal(x, np.ones(6))
