"""Every kernel of an elementwise declaration against the declaration itself, computed by NumPy."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight
from rushlight.core.policy import LARGE
from rushlight.core.tables import raw, xp
from rushlight.declarations.checks.arithmetic import no_derivative
from rushlight.declarations.declare import OPERANDS, OPS
from rushlight.dispatch import lazy_modules
from rushlight.lower import elementwise, trace
from rushlight.lower.elementwise import Kernels
from rushlight.testing.declared import cases

lazy_modules.load_all()

# NaN, both infinities, both zeros, a denormal number, kinks at integers, values that overflow when squared or raised.
POINTS = [
    np.nan,
    np.inf,
    -np.inf,
    0.0,
    -0.0,
    1e-40,
    1e-10,
    *range(-7, 8),
    0.3,
    -0.3,
    2.5,
    -2.5,
    60.5,
    -60.5,
    1e30,
    -1e30,
]
ELEMENTWISE = [op for _, op in sorted(OPS.items()) if op.pointwise and op.samples and op.function]
PRECISIONS = {np.float32: 2e-6, np.float64: 1e-13}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, from the declarations on raw arrays


def operands(op, case, dtype):
    """Arguments by name from a sample, with an array of points for each floating tensor."""
    result, axis = {}, 0
    for number, x in enumerate(op.arguments):
        value = case.keywords.get(x.name, x.default)
        if number < len(case.arguments):
            value = case.arguments[number]
        if x.role in OPERANDS and hasattr(value, "_array"):
            value = value._array
            if value.dtype.kind == "f":
                shape = [1, 1, 1]
                shape[axis], axis = len(POINTS), axis + 1
                value = np.array(POINTS, dtype).reshape(shape)
            elif value.dtype == bool:
                value = np.arange(len(POINTS)) % 3 == 0
        elif x.role in OPERANDS and isinstance(value, int | float):
            value = np.asarray(value, dtype)  # as the generated functions pass them
        result[x.name] = value
    return result


def assert_same(got, expected, dtype, context):
    """Asserts equality up to rounding; where the declaration overflows in between, the kernel may too."""
    got, expected = np.asarray(got), np.broadcast_to(np.asarray(expected), got.shape)
    if expected.dtype == bool:
        assert got.dtype == bool and (got == expected).all(), context
        return
    assert got.dtype == dtype, context
    np.testing.assert_allclose(got, expected, rtol=PRECISIONS[dtype], atol=PRECISIONS[dtype], err_msg=str(context))


@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_results_and_derivatives_are_those_of_the_declaration(op):
    built_in = elementwise.built_in(trace.formula_of(op).__code__.co_names)
    forward = Kernels(op.name, elementwise.result_of(op), built_in)
    for case in cases(op):
        for dtype in PRECISIONS:
            values = operands(op, case, dtype)
            positional = [values[argument.name] for argument in op.arguments if not argument.keyword_only]
            keywords = {argument.name: values[argument.name] for argument in op.arguments if argument.keyword_only}
            result = forward.run(values, np.dtype(dtype))
            if result is None:
                continue
            expected = op.forward(raw if op.composite else xp, *positional, **keywords)
            assert_same(result[0], expected, dtype, (case, dtype))
            known = {**values, "out": expected, "g": np.full(np.shape(expected), 0.75, dtype)}
            names = [
                derivative
                for derivative in op.derivatives
                if np.ndim(values[derivative]) and op.derivatives[derivative] is not no_derivative
            ]
            backward = Kernels(f"{op.name}_backward", elementwise.derivatives_of(op, names), built_in)
            asked = {name for x in names for name in op.asks[x]}
            known = {name: value for name, value in known.items() if name in asked}
            derivatives = backward.run(known, np.dtype(dtype)) if names and expected.dtype == dtype else None
            for name, slope in zip(names, derivatives or (), strict=bool(derivatives)):
                function = op.derivatives[name]
                wanted = function(raw, *(known[ask] for ask in op.asks[name]))
                assert_same(slope, wanted, dtype, (case, name, dtype))


def test_most_elementwise_declarations_have_kernels():
    """Counts declarations without a kernel, so that losing one is noticed."""

    def has_kernel(op):
        values = operands(op, cases(op)[0], np.float32)
        return Kernels(op.name, elementwise.result_of(op)).run(values, np.dtype(np.float32)) is not None

    assert sum(has_kernel(op) for op in ELEMENTWISE if cases(op)) >= 76


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_an_invalid_bound_raises_at_every_size(dtype):
    """The kernel of softshrink is compiled per number, so that PyTorch's check runs for each."""
    kernels = Kernels("softshrink", elementwise.result_of(OPS["softshrink"]))
    values = {"input": np.array(POINTS, dtype), "lambd": 0.5}
    assert kernels.run(values, np.dtype(dtype)) is not None
    for size in (3, LARGE):
        x = rushlight.tensor(np.ones(size, dtype))
        rushlight.nn.functional.softshrink(x, 0.3)
        for number in (-0.5, float("nan"), 1e39 if dtype is np.float32 else float("inf")):
            with pytest.raises(RuntimeError, match="lambda must be in range"):
                rushlight.nn.functional.softshrink(x, number)


def test_a_formula_may_compare_a_number_with_1():
    """All other numbers share a kernel; any other inspection compiles one per number."""
    x, asked = np.arange(5.0), []

    def formula(args):
        asked.append(args["factor"])
        return [args["x"] if args["factor"] == 1 else args["x"] * args["factor"]]

    kernels = Kernels("times", formula)
    for factor in (2, 0.5, -0.0, 1e300, float("inf"), 1, 1.0, 3.0):
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(kernels.run({"x": x, "factor": factor}, x.dtype)[0], x * factor)
    assert len(asked) == 3  # a number that may be 1, one that may not, and 1
    limited = Kernels("limited", lambda args: [args["x"] * (args["factor"] if args["factor"] != 2 else 7)])
    assert [limited.run({"x": x, "factor": array}, x.dtype)[0][1] for array in (2, 3, 1)] == [7, 3, 1]
    between = Kernels("between", lambda args: [args["x"] + (1 if args["a"] == args["b"] else 2)])
    assert [between.run({"x": x, "a": a, "b": 3.0}, x.dtype)[0][0] for a in (3.0, 4.0)] == [1, 2]
