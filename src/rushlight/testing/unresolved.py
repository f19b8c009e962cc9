"""Checks operators on lazy conjugates and negatives: results must match those of the materialized values.

Each check takes a `Case` and replaces its tensors by lazy views of the same values, whose memory holds the conjugates
(complex tensors) or negatives (others). An operator that reads the memory directly fails.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial

from rushlight.core.dtype import BOOL, can_cast
from rushlight.core.lazy_conj_neg import beneath, marks_of
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty_like
from rushlight.testing.comparison import assert_close
from rushlight.testing.declared import (
    Case,
    flat,
    is_differentiable,
    is_smooth,
    random_weights,
    replaced,
    second_gradients,
    tensors_in,
    vector_jacobian,
)
from rushlight.testing.oracle import FUNCTIONAL, counterpart, to_torch

REFUSALS = (RuntimeError, TypeError, ValueError, LookupError, ArithmeticError)


def unresolved(tensor: Tensor) -> Tensor:
    """Returns a lazy view with a tensor's values; unsigned tensors are returned as they are."""
    if tensor.is_complex():
        return tensor.conj_physical().conj()
    if tensor.dtype.category == BOOL or not tensor.is_signed():
        return tensor
    return (-tensor)._neg_view()


def each_way(case: Case) -> list[Case]:
    """Yields the case, and its complex version if the operator accepts complex inputs."""
    if not case.arrays():
        return [case]
    complex_case = case.turned_complex()
    return [case] if isinstance(outcome(complex_case, detached(complex_case)), tuple) else [case, complex_case]


def detached(case: Case) -> list[Tensor]:
    """Returns the tensors of a case, detached."""
    return [tensor.detach() for tensor in case.tensors]


def outcome(case: Case, tensors, function: Callable | None = None):
    """Returns the results of a call, or the type and message of its error."""
    return attempted(lambda: case.results(tensors, function))


def attempted(function: Callable):
    """Returns a function's result, or the type and message of its error."""
    try:
        return function()
    except REFUSALS as error:
        return type(error), str(error)


def check_value(case: Case) -> None:
    """Checks the function and the method on lazy views."""
    for form in each_way(case):
        tensors = detached(form)
        expected = outcome(form, tensors)
        _same(form, outcome(form, map(unresolved, tensors)), expected, "of what is unresolved")
        if form.op.method and form.arguments and isinstance(form.arguments[0], Tensor):
            method = getattr(Tensor, form.op.method)
            method = method.fget if isinstance(method, property) else method
            _same(form, outcome(form, map(unresolved, tensors), method), expected, "as a method")


def check_gradients(case: Case) -> None:
    """Checks first and second gradients through lazy views."""
    for form in each_way(case):
        if not is_differentiable(form):
            continue
        points, weights = form.arrays(), random_weights(form)
        outer = [form.random_like(point) for point in points]
        through = _composed(form)
        plainly, seen = (attempted(partial(vector_jacobian, one, points, weights)) for one in (form, through))
        _same(form, seen, plainly, "the gradient")
        plainly, seen = (attempted(partial(second_gradients, one, points, weights, outer)) for one in (form, through))
        _same(form, seen, plainly, "the second gradient")


def check_marks(case: Case, torch) -> None:
    """Checks that results are lazy where PyTorch's are."""
    if case.op.spaces == (FUNCTIONAL,):
        return  # these have another order of arguments in PyTorch
    for form in each_way(case):
        tensors = detached(form)
        arguments, keywords = to_torch(form.filled(tensors), torch)
        for view, theirs in ((_itself, _itself), (unresolved, partial(_unresolved_there, torch))):
            function = partial(counterpart(form.op, torch), *_each(arguments, theirs), **_each(keywords, theirs))
            expected, actual = attempted(lambda: flat(function())), outcome(form, list(map(view, tensors)))  # noqa: B023
            if isinstance(expected, tuple) or isinstance(actual, tuple):
                continue
            if _marks(actual) != _marks(expected):
                raise AssertionError(f"{form}: {_marks(actual)} where PyTorch has {_marks(expected)}")


def _itself(tensor):
    return tensor


def _unresolved_there(torch, value):
    """Returns the same lazy view of a PyTorch tensor."""
    if value.is_complex():
        return value.conj_physical().conj()
    return value if value.dtype is torch.bool or not value.dtype.is_signed else (-value)._neg_view()


def _each(value, change: Callable):
    """Maps PyTorch's tensors in a nested structure."""
    if hasattr(value, "is_conj"):
        return change(value)
    if isinstance(value, (tuple, list)):
        return type(value)([_each(one, change) for one in value])
    return {name: _each(one, change) for name, one in value.items()} if isinstance(value, dict) else value


def _marks(results) -> list:
    """Returns, for each result that is a tensor, whether it is a lazy conjugate and a lazy negative."""
    return [(result.is_conj(), result.is_neg()) for result in results if hasattr(result, "is_conj")]


def _composed(case: Case) -> Case:
    """Returns the same call on views of its arguments."""
    function, composed = case.op.function, copy(case.op)

    def of_views(*arguments, **keywords):
        views = map(unresolved, list(tensors_in((arguments, keywords))))
        results = function(*replaced(arguments, views), **replaced(keywords, views))
        # Through a view, so that the gradient arrives lazy
        return [x.conj().conj_physical() if is_smooth(x) else x for x in flat(results)]

    composed.function = of_views
    return Case(composed, case.number, (*case.arguments, case.keywords))


def check_inplace(case: Case) -> None:
    """Checks in-place writes through lazy views: the values seen through the view, and the function's gradient."""
    op = case.op
    if not op.inplace or op.inplace_reshapes or not case.arguments or not isinstance(case.arguments[0], Tensor):
        return
    for form in each_way(case):
        tensors = detached(form)
        expected = outcome(form, tensors)
        if isinstance(expected, tuple) or not _fits(tensors[0], expected[0]):
            continue
        views = list(map(unresolved, tensors))
        marks = marks_of(views[0]._array)
        (returned,) = form.results(views, op.inplace_function)
        if returned is not views[0] or marks_of(returned._array) != marks:
            raise AssertionError(f"{form}: {op.name}_ does not leave the view what it was")
        _same(form, [returned], [expected[0].to(returned.dtype)], f"{op.name}_")
        if is_differentiable(form) and expected[0].dtype is tensors[0].dtype:
            written = copy(op)
            written.function = lambda first, *rest, **named: op.inplace_function(first.clone(), *rest, **named)
            like = Case(written, form.number, (*form.arguments, form.keywords))
            points, weights = form.arrays(), random_weights(form)
            gradients = vector_jacobian(_composed_inplace(form), points, weights)
            _same(form, gradients, vector_jacobian(like, points, weights), f"the gradient of {op.name}_")


def _composed_inplace(case: Case) -> Case:
    composed = copy(case.op)
    composed.function = case.op.inplace_function
    return _composed(Case(composed, case.number, (*case.arguments, case.keywords)))


def _fits(first: Tensor, result) -> bool:
    return first.shape == result.shape and can_cast(result.dtype, first.dtype)


def check_out(case: Case) -> None:
    """Checks that a lazy `out=` shows the result."""
    if not case.op.out:
        return
    for form in each_way(case):
        expected = outcome(form, detached(form))
        if isinstance(expected, tuple) or (form.op.refuses_several and len(expected) > 1):
            continue
        targets = [unresolved(empty_like(result).zero_()) for result in expected]
        marks = [marks_of(target._array) for target in targets]
        out = targets[0] if len(targets) == 1 and not form.op.multi_output else tuple(targets)
        function = form.op.function
        form.results(map(unresolved, detached(form)), lambda *args, **named: function(*args, **named, out=out))  # noqa: B023
        _same(form, targets, expected, "out=")
        if [marks_of(target._array) for target in targets] != marks:
            raise AssertionError(f"{form}: out= has changed what its target is")


def _same(case: Case, actual, expected, what: str) -> None:
    if isinstance(actual, tuple) or isinstance(expected, tuple):
        if actual != expected:
            raise AssertionError(f"{case}: {what}: {actual} where the plain call gives {expected}")
        return
    if any(beneath(getattr(x, "_array", x)).dtype.metadata for x in actual if hasattr(x, "dtype")):
        raise AssertionError(f"{case}: {what}: the mark of a dtype has come through")
    assert_close(
        [_shown(x) for x in actual],
        [_shown(x) for x in expected],
        rtol=1e-12,
        atol=1e-12,
        equal_nan=True,
        msg=lambda message: f"{case}: {what}\n{message}",
    )


def _shown(value):
    return value.detach().clone() if is_smooth(value) else value
