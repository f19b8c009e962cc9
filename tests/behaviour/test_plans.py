"""The plan table: which calls have a plan, that it is made once, and what `explain_plan` shows of it."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.tables import xp
from rushlight.dispatch.plan import PLANS

WITH_PLANS = {
    "two dtypes": lambda x: x + x.double(),
    "half precision": lambda x: x.half() * 2,
    "integers": lambda x: x.long().exp(),
    "NumPy number": lambda x: torch.sub(x, np.float64(2)),
    "conjugates": lambda x: x.to(torch.complex64).conj() * x.to(torch.complex64),
    "several dtypes": lambda x: torch.where(x > 1, x.half(), x),
}


@pytest.mark.parametrize("call", WITH_PLANS.values(), ids=WITH_PLANS)
def test_calls_of_one_signature_have_one_plan(call):
    call(torch.arange(3.0))
    PLANS.clear()
    call(torch.arange(3.0))
    made = dict(PLANS)
    assert any(made.values())
    call(torch.arange(5.0))
    assert made == PLANS


def test_sizes_have_plans_of_their_own():
    PLANS.clear()
    small, large = torch.ones(3), torch.ones(1 << 16)
    small + small.double()
    made = len(PLANS)
    large + large.double()
    assert len(PLANS) > made


def test_an_argument_beside_the_operands_may_refuse_a_plan_and_the_next_call_has_it():
    x = torch.ones(3).half()
    assert torch.add(x, x, alpha=2).tolist() == [3, 3, 3]
    assert torch.add(x, x).tolist() == [2, 2, 2]
    assert torch.explain_plan("add", x, x).facts["path"] == "planned"
    assert torch.explain_plan("add", x, x, alpha=2).facts["path"] == "general"


def test_the_default_dtype_is_read_at_each_call():
    x = torch.arange(3)
    assert x.exp().dtype is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert x.exp().dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_planned_results_of_inference_mode_are_inference_tensors():
    x = torch.ones(3)
    with torch.inference_mode():
        assert (x + x.double()).is_inference() and x.half().exp().is_inference()
        assert torch.softmax(x.half(), 0).is_inference()
    assert not (x + x.double()).is_inference()


def shown(op, *arguments, **keywords):
    return torch.explain_plan(op, *arguments, **keywords).facts


def test_the_path_of_a_call():
    x = torch.ones(3)
    assert shown(torch.add, x, x)["path"] == "fast"
    assert shown(torch.add, x, x.double())["path"] == "planned"
    assert shown("add", x.to("meta"), x.to("meta"))["path"] == "general"


def test_the_steps_of_a_plan():
    x = torch.ones(3)
    half = shown("exp", x.half())
    assert half["steps"] == ["take input as torch.float32", "compute forward.exp", "round to torch.float16"]
    number = shown(torch.mul, x, np.float32(2))
    assert number["steps"] == ["convert other to a Python number"] and "`fast.multiply`" in number["functions"][0]


def test_the_destination_and_the_recording_of_a_call():
    x = torch.ones(3, requires_grad=True)
    y, out = torch.ones(3), torch.empty(3)
    assert shown("add", y, y, out=out)["destination"] == "out="
    assert shown(torch.Tensor.add_, y, y)["destination"] == "the first argument, in place"
    assert shown(torch.unsqueeze, y, 0)["destination"] == "the memory of an argument: a view"
    assert shown(torch.add, x, y)["recording"] == "AddBackward0" and shown(torch.add, y, y)["recording"] == "none"
    assert y.tolist() == [2, 2, 2]


def test_nothing_is_observed_after_an_explanation_even_of_a_failure():
    before = dict(vars(xp))
    with pytest.raises(RuntimeError):
        torch.explain_plan("add", torch.ones(2), torch.ones(3))
    assert dict(vars(xp)) == before


@pytest.mark.parametrize("op", [np.add, "no such op", print, 3])
def test_what_is_no_op_is_refused(op):
    with pytest.raises(TypeError, match="expected a declared function"):
        torch.explain_plan(op, torch.ones(2))
