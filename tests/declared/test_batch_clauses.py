"""Every `batch` clause, and every rule of a kind, on the samples of its declaration, against a loop over the batch."""

import re
from pathlib import Path

import numpy as np
import pytest

import rushlight
from rushlight._generated import functions as F
from rushlight.declarations.declare import OPERANDS, OPS
from rushlight.dispatch import lazy_modules
from rushlight.dispatch.planned import called
from rushlight.testing.comparison import assert_close
from rushlight.testing.declared import cases, flat, replaced, tensors_in
from rushlight.transforms.batch_rules import rule_of
from rushlight.transforms.batching import DYNAMIC
from rushlight.transforms.levels import batch_level, batched, unbatched

lazy_modules.load_all()

pytestmark = pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta")
SIZE = 3
PRIMITIVES = sorted(name for name, op in OPS.items() if not op.composite)
AT_ONCE = [name for name in PRIMITIVES if OPS[name].batch is not None or rule_of(OPS[name]) is not None]
# Operators that are computed for one sample after the other, and the public ones that call them.
LOOPED = {
    "few_eigenpairs": "lobpcg",
    "grouped_product": "nn.functional.grouped_mm",
    "histc": "histc",
    "histogram_in_edges": "histogram",
    "histogram_in_ranges": "histogramdd",
    "masked_select": "masked_select",
    "repeated_positions": "repeat_interleave",
    "segments_reduced": "segment_reduce",
}
# Operators that a vmap refuses or draws for, and the derivatives that recorded passes take instead of formulas.
BY_OTHERS = """
    dropout_mask kept_mask nonzero_rows random_directions unique_elements attention_gradients
    batch_norm_backward group_norm_backward gru_backward layer_norm_backward lstm_backward
    rnn_backward
""".split()


def several(tensor):
    """A batch of variations of a tensor, all of which an operator accepts that accepts the tensor."""
    array = np.asarray(tensor.detach()._array)
    if array.dtype.kind in "fc":
        return rushlight.tensor(np.stack([array * factor for factor in (1.0, 0.9, 0.75)]))
    return rushlight.tensor(np.stack([np.roll(array, shift) for shift in range(SIZE)]))


def arguments_of(case):
    """The arguments of a sample in the order of the operator, with defaults."""
    arguments = list(case.op.arguments)
    values = dict(zip([each.name for each in arguments], case.arguments, strict=False))
    values.update(case.keywords)
    return [values.get(each.name, each.default) for each in arguments]


def tensors_of(op, arguments):
    """The operands among the arguments."""
    return [
        tensor.detach()
        for each, value in zip(op.arguments, arguments, strict=True)
        if each.role in OPERANDS
        for tensor in tensors_in(value)
    ]


def with_tensors(op, arguments, tensors):
    """The arguments with other operands."""
    fresh = iter(tensors)
    pairs = zip(op.arguments, arguments, strict=True)
    return [replaced(value, fresh) if each.role in OPERANDS else value for each, value in pairs]


def choices(count: int):
    """Which of the tensors are batched: each alone, then all."""
    alone = [frozenset((place,)) for place in range(count)]
    return alone if count == 1 else [*alone, frozenset(range(count))]


def computed(op, arguments):
    return flat(called(op, arguments))


def check(case, chosen):
    op, arguments = case.op, arguments_of(case)
    tensors = tensors_of(op, arguments)
    batches = {place: several(tensors[place]) for place in chosen}
    loop = []
    for i in range(SIZE):
        sample = [batches[place][i] if place in chosen else tensor for place, tensor in enumerate(tensors)]
        loop.append(computed(op, with_tensors(op, arguments, sample)))
    with batch_level(SIZE) as level:
        traced = [
            batched(level, batches[place], 0) if place in chosen else tensor for place, tensor in enumerate(tensors)
        ]
        results = [unbatched(level, each, 0) for each in computed(op, with_tensors(op, arguments, traced))]
    for result, parts in zip(results, zip(*loop, strict=True), strict=True):
        expected = F.stack(list(parts))
        assert result.shape == expected.shape
        assert result.dtype is expected.dtype
        assert_close(result, expected, equal_nan=True)


@pytest.mark.parametrize("name", [name for name in AT_ONCE if name not in DYNAMIC])
def test_a_batch_computes_what_the_loop_does(name):
    for case in cases(OPS[name]):
        for chosen in choices(len(tensors_of(OPS[name], arguments_of(case)))):
            try:
                check(case, chosen)
            except Exception as error:
                error.add_note(f"found with {case}, of which the tensors {sorted(chosen)} are batched")
                raise


def test_all_other_operators_are_known():
    assert [name for name in PRIMITIVES if name not in AT_ONCE] == sorted([*LOOPED, *BY_OTHERS])


def test_the_page_of_operators_says_which_are_looped():
    page = (Path(__file__).parents[2] / "docs" / "operators.md").read_text()
    sentence = page.partition("one sample after the other, with a warning:")[2].partition("\n\n")[0]
    assert sorted(re.findall("`(.*?)`", sentence)) == sorted(set(LOOPED.values()))
