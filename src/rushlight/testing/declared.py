"""Checks of a declaration on each of its samples, without other libraries.

Each check takes a `Case` and raises AssertionError, or returns if the declaration does not promise the property: an
operator without gradient has no derivative to check. Complex functions are checked as real functions of twice as many
variables: <a, b> is the real part of the sum of conj(a) * b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy

import numpy as np

from rushlight.autograd.gradients import grad
from rushlight.core.dtype import can_cast
from rushlight.core.graph import Output
from rushlight.core.lazy_conj_neg import beneath, plain
from rushlight.core.modes import MODE, change
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.declare import CONSTANT, OPTIONAL_CONSTANT, Op
from rushlight.random import manual_seed
from rushlight.testing.comparison import assert_close
from rushlight.testing.draw import Draw

EPS = 1e-6  # step of finite differences
TOLERANCE = 1e-6  # of a derivative
KINK = 1e-3  # difference of one-sided slopes at a point without derivative


class Case:
    """One sample of a declaration: the arguments of a call, whose tensors can be replaced."""

    def __init__(self, op: Op, number: int, sample: tuple):
        self.op, self.number = op, number
        named = bool(sample) and isinstance(sample[-1], dict)
        self.arguments = tuple(sample[:-1] if named else sample)
        self.keywords = dict(sample[-1]) if named else {}
        self.tensors: list[Tensor] = list(tensors_in((self.arguments, self.keywords)))
        self.generator = np.random.default_rng(number)

    def __repr__(self):
        shown = ", ".join(map(_shown, (*self.arguments, *self.keywords.values())))
        return f"{self.op.name}, sample {self.number}: ({shown})"

    def filled(self, tensors) -> tuple[tuple, dict]:
        """Returns the arguments with the sample's tensors replaced."""
        fresh = iter(tensors)
        return replaced(self.arguments, fresh), replaced(self.keywords, fresh)

    def results(self, tensors, function: Callable | None = None) -> list:
        """Returns the results of the operator, or of another function, for other tensors."""
        arguments, keywords = self.filled(tensors)
        manual_seed(0)
        return flat((function or self.op.function)(*arguments, **keywords))

    def with_leaves(self, leaves) -> list[Tensor]:
        """Returns all tensors, with those that require grad replaced."""
        fresh = iter(leaves)
        return [next(fresh) if tensor.requires_grad else tensor.detach() for tensor in self.tensors]

    def leaves(self) -> list[Tensor]:
        """Returns new leaves on the memory of the tensors that require grad."""
        return [tensor.detach().requires_grad_() for tensor in self.tensors if tensor.requires_grad]

    def arrays(self) -> list:
        """Returns the arrays of the tensors that require grad."""
        return [plain(tensor._array) for tensor in self.tensors if tensor.requires_grad]

    def random_like(self, array):
        """Returns normal random values in the shape and dtype of an array."""
        drawn = self.generator.standard_normal(array.shape)
        if array.dtype.kind == "c":
            drawn = drawn + 1j * self.generator.standard_normal(array.shape)
        return np.asarray(drawn, array.dtype)

    def on_its_domain(self) -> Case:
        """Returns the same call on inputs that the declaration maps into the operator's domain.

        The Cholesky factor of a symmetric matrix, say, reads one half of it. Its derivative is along symmetric
        matrices; differences along others do not agree with it.
        """
        function, domain = self.op.function, self.op.domain
        if domain is None:
            return self
        composed = copy(self.op)
        composed.function = lambda first, *rest, **named: function(domain(first, *rest, **named), *rest, **named)
        return Case(composed, self.number, (*self.arguments, self.keywords))

    def turned_complex(self) -> Case:
        """Returns the same call with complex inputs."""
        turned = self.with_leaves(
            wrap(np.asarray(array + 1j * self.generator.standard_normal(array.shape))).requires_grad_()
            for array in self.arrays()
        )
        arguments, keywords = self.filled(turned)
        return Case(self.op, self.number, (*arguments, keywords))


def cases(op: Op) -> list[Case]:
    """Returns the samples of a declaration; always the same."""
    if op.samples is None:
        return []
    return [Case(op, number, sample) for number, sample in enumerate(op.samples(Draw(op.name)))]


def tensors_in(value) -> Iterator[Tensor]:
    """Yields the tensors in nested tuples, lists and dictionaries, in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


def replaced(value, fresh: Iterator):
    """Returns the same nested structure with other tensors."""
    if isinstance(value, Tensor):
        return next(fresh)
    if isinstance(value, (tuple, list)):
        return type(value)([replaced(x, fresh) for x in value])
    if isinstance(value, dict):
        return {name: replaced(value, fresh) for name, value in value.items()}
    return value


def flat(result) -> list:
    """Returns one or several results as a list."""
    if isinstance(result, (tuple, list)):
        return [x for part in result for x in flat(part)]
    return [result]


def _shown(value) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}"
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, list) else repr(value)


def is_smooth(value) -> bool:
    """Whether a result is a floating point or complex tensor."""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


# ---- derivatives


def inner(first, second) -> float:
    """Returns the inner product of two lists of arrays."""
    return sum(float(np.vdot(a, b).real) for a, b in zip(first, second, strict=True))


def check_first_derivative(case: Case) -> None:
    """Compares the vector-Jacobian product with differences of <v, f(x)> along a random direction."""
    case = case.on_its_domain()
    if not is_differentiable(case):
        return
    points = case.arrays()
    weights = random_weights(case)
    directions = [case.random_like(point) for point in points]

    def product(arrays) -> float:
        return inner(weights, [plain(value._array) for value in _values(case, arrays)])

    computed = inner(directions, vector_jacobian(case, points, weights))
    _compare(case, "the first derivative", computed, difference_quotients(product, points, directions))


def check_second_derivative(case: Case) -> None:
    """Compares second gradients with differences of <w, vector-Jacobian product>.

    The direction covers the inputs and the vector.
    """
    case = case.on_its_domain()
    if not is_differentiable(case):
        return
    points = case.arrays()
    weights = random_weights(case)
    outer = [case.random_like(point) for point in points]
    directions = [case.random_like(point) for point in (*points, *weights)]
    count = len(points)

    def product(arrays) -> float:
        return inner(outer, vector_jacobian(case, arrays[:count], arrays[count:]))

    computed = inner(directions, second_gradients(case, points, weights, outer))
    _compare(case, "the second derivative", computed, difference_quotients(product, [*points, *weights], directions))


def check_graph_of_gradients(case: Case) -> None:
    """Checks that gradients are the same with and without create_graph."""
    if not is_differentiable(case):
        return
    points = case.arrays()
    weights = random_weights(case)
    leaves, pairs = _recorded(case, points, [wrap(weight).requires_grad_() for weight in weights])
    if not pairs:
        return
    outputs, vectors = zip(*pairs, strict=True)
    recorded = grad(outputs, leaves, vectors, create_graph=True, allow_unused=True)
    _same(case, _arrays(recorded, points), vector_jacobian(case, points, weights), "gradients with a graph")


def is_differentiable(case: Case) -> bool:
    """Whether there are inputs to vary, and a result with a graph."""
    results = case.results(case.with_leaves(case.leaves()))
    moved = any(array.size for array in case.arrays())
    return moved and any(isinstance(result, Tensor) and result.requires_grad for result in results)


def random_weights(case: Case) -> list:
    """Returns a random weight for each differentiable result."""
    return [case.random_like(beneath(value._array)) for value in _values(case, case.arrays())]


def _values(case: Case, arrays) -> list[Tensor]:
    """Returns the differentiable results at other points, without a graph."""
    token = change(grad=False)
    try:
        return [result for result in case.results(case.with_leaves(map(wrap, arrays))) if is_smooth(result)]
    finally:
        MODE.reset(token)


def _recorded(case: Case, arrays, weights) -> tuple[list, list]:
    """Returns leaves at some points, and the differentiable results with their weights."""
    leaves = [wrap(array).requires_grad_() for array in arrays]
    smooth = [result for result in case.results(case.with_leaves(leaves)) if is_smooth(result)]
    pairs = [(value, weight) for value, weight in zip(smooth, weights, strict=True) if value.requires_grad]
    return leaves, pairs


def vector_jacobian(case: Case, points, weights) -> list:
    """Returns the gradients of <weights, f> by one backward; zeros where there is none."""
    leaves, pairs = _recorded(case, points, map(wrap, weights))
    if not pairs:
        return [np.zeros_like(point) for point in points]
    outputs, vectors = zip(*pairs, strict=True)
    return _arrays(grad(outputs, leaves, vectors, allow_unused=True), points)


def second_gradients(case: Case, points, weights, outer) -> list:
    """Returns the gradients of <outer, vector-Jacobian product> with respect to points and weights."""
    vectors = [wrap(weight).requires_grad_() for weight in weights]
    leaves, pairs = _recorded(case, points, vectors)
    variables, shapes = [*leaves, *vectors], [*points, *weights]
    if not pairs:
        return [np.zeros_like(shape) for shape in shapes]
    outputs, used = zip(*pairs, strict=True)
    first = grad(outputs, leaves, used, create_graph=True, allow_unused=True)
    again = [
        (value, wrap(weight))
        for value, weight in zip(first, outer, strict=True)
        if value is not None and value.requires_grad
    ]
    if not again:
        return [np.zeros_like(shape) for shape in shapes]
    outputs, used = zip(*again, strict=True)
    return _arrays(grad(outputs, variables, used, allow_unused=True), shapes)


def _arrays(gradients, like) -> list:
    pairs = zip(gradients, like, strict=True)
    return [np.zeros_like(array) if value is None else plain(value._array) for value, array in pairs]


def difference_quotients(function: Callable, points, directions) -> list[float]:
    """Returns difference quotients along a direction: on both sides, with a full and a half step."""

    def value(step: float) -> float:
        return function([np.asarray(point + step * along) for point, along in zip(points, directions, strict=True)])

    here = value(0.0)
    return [(value(step) - here) / step for step in (EPS, -EPS, EPS / 2, -EPS / 2)]


def _compare(case: Case, what: str, computed: float, measured: list[float]) -> None:
    if max(measured) - min(measured) > KINK * (1 + max(map(abs, measured))):
        return  # a kink or a jump: only PyTorch defines the answer there
    expected = (measured[0] + measured[1]) / 2
    if not abs(computed - expected) <= TOLERANCE * (1 + abs(computed) + abs(expected)):
        raise AssertionError(f"{case}: {what} is {computed:.9g}, differences say {expected:.9g}")


# ---- variants


def check_method(case: Case) -> None:
    """Checks that the method of Tensor, under each of its names, does what the function does."""
    if not case.op.method or not case.arguments or not isinstance(case.arguments[0], Tensor):
        return
    tensors = [tensor.detach() for tensor in case.tensors]
    for name in (case.op.method, *case.op.aliases):
        method = getattr(Tensor, name, None)
        if method is None:
            raise AssertionError(f"{case}: there is no method {name}")
        method = method.fget if isinstance(method, property) else method
        _same(case, case.results(tensors, method), case.results(tensors), f"method {name}")


def check_inplace(case: Case) -> None:
    """Checks that the in-place variant returns its tensor, with the function's value and gradients."""
    op = case.op
    if not op.inplace or not case.arguments or not isinstance(case.arguments[0], Tensor):
        return
    expected = case.results([tensor.detach() for tensor in case.tensors])[0]
    first = case.arguments[0]
    if not can_cast(expected.dtype, first.dtype):
        return
    if expected.shape != first.shape and not op.inplace_reshapes:
        _check_refused(case)
        return
    leaves = case.leaves()
    tensors = case.with_leaves(leaves)
    written = tensors[0] = tensors[0].clone()
    (returned,) = case.results(tensors, op.inplace_function)
    if returned is not written:
        raise AssertionError(f"{case}: {op.name}_ does not return the tensor that it was called on")
    _same(case, [returned.detach()], [expected.to(first.dtype)], f"{op.name}_")
    if returned.requires_grad:
        weight = wrap(case.random_like(returned._array))
        points = case.arrays()
        gradients = _arrays(grad(returned, leaves, weight, allow_unused=True), points)
        (result,) = case.results(case.with_leaves(leaves))
        like = grad(result, leaves, weight, allow_unused=True) if result.requires_grad else [None] * len(leaves)
        _same(case, gradients, _arrays(like, points), f"the gradient of {op.name}_")


def _check_refused(case: Case) -> None:
    """Checks that a result that does not fit is refused before anything is written."""
    tensors = [tensor.detach().clone() for tensor in case.tensors]
    before = tensors[0]._array.copy()
    try:
        case.results(tensors, case.op.inplace_function)
    except RuntimeError:
        np.testing.assert_array_equal(tensors[0]._array, before)
    else:
        raise AssertionError(f"{case}: {case.op.name}_ wrote a result of another shape")


def check_out(case: Case) -> None:
    """Checks that `out=` writes the results to the given tensors, and returns them."""
    if not case.op.out:
        return
    tensors = [tensor.detach() for tensor in case.tensors]
    expected = case.results(tensors)
    targets = [wrap(np.zeros_like(plain(x._array))) for x in expected]
    out = targets[0] if len(targets) == 1 and not case.op.multi_output else tuple(targets)
    results = case.results(tensors, lambda *arguments, **keywords: case.op.function(*arguments, **keywords, out=out))
    if any(one is not other for one, other in zip(results, targets, strict=True)):
        raise AssertionError(f"{case}: with out= something else than out is returned")
    _same(case, results, expected, "out=")


def _same(case: Case, actual, expected, what: str) -> None:
    assert_close(list(actual), list(expected), rtol=1e-12, atol=1e-12, equal_nan=True, msg=_named(case, what))


def _named(case: Case, what: str = "") -> Callable:
    return lambda message: f"{case}: {what}\n{message}"


# ---- memory


def check_purity(case: Case) -> None:
    """Checks that no input is written to."""
    arrays = [tensor._array.copy(order="K") for tensor in case.tensors]
    for array in arrays:
        array.flags.writeable = False
    case.results(map(wrap, arrays))


def check_sharing(case: Case) -> None:
    """Checks that views share their input's memory, and other results do not."""
    if case.op.composite:
        return
    tensors = [tensor.detach() for tensor in case.tensors]
    for result in case.results(tensors):
        shared = any(np.shares_memory(beneath(result._array), tensor._array) for tensor in tensors)
        if shared != case.op.view and result._array.size:
            words = "a view that does not share" if case.op.view else "no view, and shares"
            raise AssertionError(f"{case}: {words} the memory of its input")


def check_layout(case: Case) -> None:
    """Checks that the memory layout of inputs makes no difference."""
    if case.op.view:
        return
    tensors = [tensor.detach() for tensor in case.tensors]
    expected = case.results([wrap(tensor._array.copy("C")) for tensor in tensors])
    for others in (tensors, [_spaced(tensor) for tensor in tensors]):
        _same(case, case.results(others), expected, "other strides")


def _spaced(tensor: Tensor) -> Tensor:
    """Returns the same values with gaps between them, and the last dimension outermost."""
    array = tensor._array
    if not array.ndim:
        return tensor
    wide = np.zeros((2 * array.shape[-1], *array.shape[:-1]), array.dtype)
    spaced = np.moveaxis(wide[::2], 0, -1)
    spaced[...] = array
    return wrap(spaced)


def check_saved(case: Case) -> None:
    """Checks that a node saves exactly the arrays that the needed derivatives use."""
    if case.op.composite:
        return
    _check_saved(case, case.leaves())
    for wanted in range(len(case.arrays())):
        leaves = [leaf if number == wanted else leaf.detach() for number, leaf in enumerate(case.leaves())]
        _check_saved(case, leaves)


def _check_saved(case: Case, leaves: list[Tensor]) -> None:
    op = case.op
    tensors = case.with_leaves(leaves)
    results = case.results(tensors)
    edge = next((result._edge for result in results if isinstance(result, Tensor) and result._edge is not None), None)
    if edge is None:
        return
    node = edge.node if isinstance(edge, Output) else edge
    needed = {name for names in _asked_of(case, tensors, node).values() for name in names}
    inputs = [tensor._array for tensor in tensors]
    outputs = [result._array for result in results if isinstance(result, Tensor)]
    numbers = {
        argument.name for argument, value in zip(op.arguments, case.arguments, strict=False) if np.isscalar(value)
    }
    for name, kept in zip(type(node).saves, node.saved, strict=True):
        if name in numbers or not isinstance(kept, np.ndarray):
            continue
        if name not in needed:
            raise AssertionError(f"{case}: keeps {name}, which no derivative that is wanted asks for")
        if not any(kept is output for output in (outputs if name in op.results else inputs)):
            raise AssertionError(f"{case}: keeps a copy of {name} in place of the array itself")
    constants = {argument.name for argument in op.arguments if argument.role in (CONSTANT, OPTIONAL_CONSTANT)}
    for name, kept in zip(type(node).parameters, node.params, strict=True):
        if name not in constants and any(kept is input_ for input_ in inputs):
            raise AssertionError(f"{case}: keeps the array {name} among its parameters")


def _asked_of(case: Case, tensors, node) -> dict:
    """Returns the names that the derivatives of the needed inputs use."""
    names = [argument.name for argument in case.op.arguments if argument.name in case.op.derivatives]
    if len(names) != len(node.edges):
        return case.op.asks
    return {name: case.op.asks[name] for name, edge in zip(names, node.edges, strict=True) if edge is not None}
