"""No function of NumPy, and no operator, reads or writes what is unresolved by mistake."""

import ctypes
import operator

import numpy as np
import pytest

from rushlight.core.lazy_conj_neg import Unresolved, beneath, plain

MEMORY = np.array([[1 + 2j, 3], [4j, 5]])
# They ask for a type or a layout, or print what the class says of itself.
OF_NO_NUMBERS = {
    "bmat",
    "can_cast",
    "info",
    "isfortran",
    "isscalar",
    "issubdtype",
    "iterable",
    "printoptions",
    "promote_types",
}
SPACES = {"numpy": np, "linalg": np.linalg, "fft": np.fft}
FUNCTIONS = [
    pytest.param(getattr(space, name), id=f"{label}.{name}")
    for label, space in SPACES.items()
    for name in sorted(vars(space))
    if not name.startswith("_")
    and callable(getattr(space, name))
    and not isinstance(getattr(space, name), type)
    and name not in OF_NO_NUMBERS | {"copyto", "test"}
]
REFUSALS = (TypeError, ValueError, AttributeError, LookupError, OSError, SyntaxError)


def conjugate():
    return Unresolved(MEMORY.copy(), True, False)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_numpy_refuses_it(function):
    for arguments in ((conjugate(),), (conjugate(), conjugate()), (conjugate(), MEMORY), (conjugate(), 1)):
        with pytest.raises(REFUSALS):
            function(*arguments)


UFUNCS = [each for each in FUNCTIONS if isinstance(each.values[0], np.ufunc)]


@pytest.mark.parametrize("ufunc", UFUNCS)
def test_universal_functions_refuse_it_on_either_side_and_as_a_target(ufunc):
    operands = [MEMORY] * ufunc.nin
    with pytest.raises(TypeError):
        ufunc(*operands[1:], conjugate())
    with pytest.raises(TypeError):
        ufunc(*operands, out=(conjugate(),) * ufunc.nout)


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "pow", "matmul", "eq", "ne", "lt", "ge", "and_", "iadd", "imul"]
)
def test_operators_refuse_it(name):
    compute = getattr(operator, name)
    for one, other in (
        (conjugate(), conjugate()),
        (conjugate(), MEMORY),
        (conjugate(), 2),
        (MEMORY.copy(), conjugate()),
    ):
        with pytest.raises(TypeError):
            compute(one, other)


@pytest.mark.parametrize(
    "use",
    [
        bool, len, list, iter, float, complex, operator.neg, abs, memoryview, ctypes.c_void_p,
        lambda array: array[0], lambda array: array.sum(), lambda array: array.real, lambda array: array.data,
        lambda array: array.ctypes, lambda array: array.astype(complex), lambda array: array.T,
        lambda array: MEMORY.copy().__setitem__(..., array), lambda array: np.ndarray((4,), complex, array),
        lambda array: array in [MEMORY],
    ],
)  # fmt: skip
def test_so_do_python_and_the_attributes_of_arrays(use):
    with pytest.raises((TypeError, AttributeError)):
        use(conjugate())


def test_what_may_be_done_with_it():
    array = conjugate()
    assert np.array_equal(plain(array), MEMORY.conj())
    assert np.array_equal(beneath(array), MEMORY)
    array[0] = 7j
    np.copyto(array, np.array([[9j, 9j], [1, 1]]))
    assert beneath(array).tolist() == [[-9j, -9j], [1, 1]]
    target = np.zeros((2, 2), complex)
    np.copyto(target, array)
    assert target.tolist() == [[9j, 9j], [1, 1]]
    assert (array.shape, array.ndim, array.size, array.nbytes) == ((2, 2), 2, 4, 64)
