"""Every question that a program can ask of a tensor, asked in replays with tensors that answer differently."""

import warnings

import pytest

import rushlight as torch
from rushlight.core.tensor import Tensor

ANSWERS = (bool, int, float, str, tuple, type(None), torch.dtype, torch.device, torch.layout)
CHANGE = frozenset(
    "backward cuda data_ptr numpy share_memory_ pin_memory".split()
)  # no questions; an address is always new


def tensors():
    """Tensors of one shape or nearly so, each with something that the others have not."""
    rows, counted, hooked = torch.ones(4, 3), torch.ones(2, 3), torch.ones(2, 3, requires_grad=True)
    leaf, with_gradient = [torch.ones(2, 3, requires_grad=True) for _ in range(2)]
    with_gradient.sum().backward()
    counted.add_(1)
    hooked.register_hook(lambda gradient: gradient)
    retained = leaf * 1
    retained.retain_grad()
    named = torch.ones(2, 3)
    named.tag = 5
    with torch.inference_mode():
        made_in_inference = torch.ones(2, 3)
    complex_ones = torch.ones(2, 3, dtype=torch.complex64)
    return {
        "plain": torch.ones(2, 3), "made in inference": made_in_inference, "offset": rows[2:], "view": rows[:2],
        "leaf": leaf, "with gradient": with_gradient, "result": leaf * 1, "retained": retained, "hooked": hooked,
        "detached": leaf.detach(), "written": counted, "shared": torch.ones(2, 3).share_memory_(),
        "transposed": torch.ones(3, 2).t(), "double": torch.ones(2, 3, dtype=torch.float64), "complex": complex_ones,
        "conjugate": complex_ones.conj(), "negative": complex_ones.conj().imag, "empty": torch.ones(0, 3),
        "parameter": torch.nn.Parameter(torch.ones(2, 3)), "expanded": torch.ones(1, 3).expand(2, 3), "named": named,
    }  # fmt: skip


def is_answer(value):
    return isinstance(value, ANSWERS) and not isinstance(value, Tensor) and "tensor(" not in repr(value)


def questions():
    """Attributes and methods without arguments whose value is a number, a name or a tuple."""
    x = torch.ones(2, 3)
    for name in sorted(set(dir(Tensor)) - CHANGE):
        if name.startswith("_") and name != "_version":
            continue
        try:
            value = getattr(x, name)
            if is_answer(value):
                yield name, lambda each, name=name: getattr(each, name)
            elif callable(value) and is_answer(value()):
                yield f"{name}()", lambda each, name=name: getattr(each, name)()
        except (TypeError, RuntimeError, AttributeError, NotImplementedError, ValueError):  # needs arguments
            continue
    yield "torch.is_inference", torch.is_inference
    yield "has an attribute", lambda each: hasattr(each, "tag")
    yield "is a parameter", lambda each: isinstance(each, torch.nn.Parameter)
    yield "attributes", lambda each: len(each.__dict__)
    yield "bytes", lambda each: each.untyped_storage().nbytes()
    yield "has a gradient", lambda each: each.grad is None


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of names that are deprecated
    QUESTIONS = dict(questions())


def test_there_are_questions():
    assert len(QUESTIONS) > 50
    assert {"is_inference()", "storage_offset()", "is_leaf", "stride()", "_version"} <= QUESTIONS.keys()


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_not_kept_for_another_tensor(name):
    ask, y = QUESTIONS[name], torch.ones(1)

    def f(x):
        return ask(x), y * 2 if ask(x) else y * 3

    compiled = torch.compile(f, options={"trial": False})
    some = tensors()
    for label in (*some, *reversed(some)):
        try:
            wanted = f(some[label])
        except Exception:  # noqa: BLE001  a tensor of this kind cannot answer
            continue
        for _ in range(2):
            actual = compiled(some[label])
            assert (actual[0], actual[1].item()) == (wanted[0], wanted[1].item()), label
