"""torch.autograd.functional: Jacobians, Hessians and their products with vectors."""

import pytest

# PyTorch's forward mode uses torch.jit.script, and warns of that.
QUIETLY = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
PRODUCTS = ["vjp", "jvp", "vhp", "hvp"]


def numbers(torch, *shape):
    return torch.linspace(0.5, 2, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


def two_outputs(x, y):
    return x**2 * y.sum(), (x[:, None] * y).sum(0)


def cubic(x, y):
    return (x**3).sum() * (y**2).sum()


def test_jacobian_has_the_shapes_of_output_and_input(torch):
    x = numbers(torch, 2, 3)
    result = torch.autograd.functional.jacobian(lambda x: x.sum(1) ** 2, x)
    expected = torch.zeros(2, 2, 3, dtype=torch.float64)
    for row in range(2):
        expected[row, row] = 2 * x[row].sum()
    assert result.shape == (2, 2, 3)
    assert torch.allclose(result, expected)
    assert not result.requires_grad


def test_jacobian_of_a_tuple_by_a_tuple(torch):
    x, y = numbers(torch, 2), numbers(torch, 3)
    (xx, xy), (yx, yy) = torch.autograd.functional.jacobian(two_outputs, (x, y))
    assert torch.allclose(xx, torch.diag(2 * x * y.sum()))
    assert torch.allclose(xy, (x**2)[:, None].expand(2, 3))
    assert torch.allclose(yx, y[:, None].expand(3, 2))
    assert torch.allclose(yy, torch.eye(3, dtype=torch.float64) * x.sum())


def test_jacobian_of_one_output_by_a_tuple_is_a_tuple(torch):
    result = torch.autograd.functional.jacobian(lambda x, y: x * y, (numbers(torch, 2), numbers(torch, 2)))
    assert type(result) is tuple
    assert [each.shape for each in result] == [(2, 2), (2, 2)]


@QUIETLY
@pytest.mark.parametrize("options", [{"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}])
def test_jacobian_is_the_same_however_it_is_made(torch, options):
    inputs = numbers(torch, 2), numbers(torch, 3)
    expected = torch.autograd.functional.jacobian(two_outputs, inputs)
    result = torch.autograd.functional.jacobian(two_outputs, inputs, **options)
    for row, expected_row in zip(result, expected, strict=True):
        for each, other in zip(row, expected_row, strict=True):
            assert torch.allclose(each, other)


def test_hessian_has_blocks(torch):
    x, y = numbers(torch, 2), numbers(torch, 3)
    (xx, xy), (yx, yy) = torch.autograd.functional.hessian(cubic, (x, y))
    assert torch.allclose(xx, torch.diag(6 * x * (y**2).sum()))
    assert torch.allclose(xy, (3 * x**2)[:, None] * 2 * y)
    assert torch.allclose(yx, xy.T)
    assert torch.allclose(yy, 2 * torch.eye(3, dtype=torch.float64) * (x**3).sum())


@QUIETLY
@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_hessian_of_one_input_is_a_tensor(torch, strategy):
    x = numbers(torch, 3)
    result = torch.autograd.functional.hessian(
        lambda x: (x**3).sum(), x, vectorize=True, outer_jacobian_strategy=strategy
    )
    assert torch.allclose(result, torch.diag(6 * x))


def test_hessian_has_no_history_unless_asked_for(torch):
    assert not torch.autograd.functional.hessian(lambda x: (x**3).sum(), numbers(torch, 3)).requires_grad


def test_products_are_those_with_the_matrices(torch):
    functional = torch.autograd.functional
    x, v, u = numbers(torch, 3), numbers(torch, 3) - 1, numbers(torch, 2) - 1
    matrix = numbers(torch, 2, 3)

    def vector(x):
        return matrix @ x.exp()

    jacobian = functional.jacobian(vector, x)
    hessian = functional.hessian(lambda x: vector(x).prod(), x)
    outputs, result = functional.vjp(vector, x, u)
    assert torch.allclose(outputs, vector(x))
    assert torch.allclose(result, u @ jacobian)
    assert torch.allclose(functional.jvp(vector, x, v)[1], jacobian @ v)
    assert torch.allclose(functional.vhp(lambda x: vector(x).prod(), x, v)[1], v @ hessian)
    assert torch.allclose(functional.hvp(lambda x: vector(x).prod(), x, v)[1], hessian @ v)


@pytest.mark.parametrize("name", PRODUCTS)
def test_tuples_come_back_as_tuples(torch, name):
    x, y = numbers(torch, 2), numbers(torch, 3)
    v = torch.tensor(2.0, dtype=torch.float64) if name == "vjp" else (x, y)
    outputs, result = getattr(torch.autograd.functional, name)(cubic, (x, y), v)
    assert outputs.shape == ()
    if name == "jvp":
        assert result.shape == ()
    else:
        assert [each.shape for each in result] == [(2,), (3,)]


@pytest.mark.parametrize("name", PRODUCTS)
def test_v_may_be_left_out_for_one_element(torch, name):
    x = torch.tensor([2.0])
    outputs, result = getattr(torch.autograd.functional, name)(lambda x: x**3, x)
    assert outputs.item() == 8
    assert result.item() == 12


@pytest.mark.parametrize("name", ["jacobian", "hessian", *PRODUCTS])
def test_what_does_not_depend_is_zero(torch, name):
    x, y = torch.ones(1), torch.ones(1)
    inputs = ((x, y),) if name in ("jacobian", "hessian") else ((x, y), torch.ones(1) if name == "vjp" else (x, y))
    result = getattr(torch.autograd.functional, name)(lambda x, y: (x * 2).sum().reshape(1), *inputs)
    if name in PRODUCTS:
        result = result[1]
    assert {"jacobian": lambda: result[1], "hessian": lambda: result[1][1], "jvp": lambda: result - 2}.get(
        name, lambda: result[1]
    )().item() == 0


@pytest.mark.parametrize("name", ["jacobian", "hessian", *PRODUCTS])
def test_results_can_be_differentiated_if_asked_for(torch, name):
    x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    args = (x,) if name in ("jacobian", "hessian") else (x, torch.ones(1, dtype=torch.float64))
    result = getattr(torch.autograd.functional, name)(lambda x: x**4, *args, create_graph=True)
    result = result[1] if name in PRODUCTS else result
    order = 1 if name in ("jacobian", "vjp", "jvp") else 2
    assert result.item() == {1: 32, 2: 48}[order]
    (slope,) = torch.autograd.grad(result.sum(), x)
    assert slope.item() == {1: 48, 2: 48}[order]
    plain = getattr(torch.autograd.functional, name)(lambda x: x**4, *args)
    assert not (plain[1] if name in PRODUCTS else plain).requires_grad


def test_they_work_under_no_grad_and_leave_no_gradients(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        assert torch.equal(torch.autograd.functional.jacobian(lambda x: x**2, x), torch.diag(2 * x))
        assert torch.equal(torch.autograd.functional.jvp(lambda x: x**2, x, x)[1], 2 * x**2)
    assert x.grad is None


def test_a_tensor_that_the_function_holds_is_not_its_argument(torch):
    x = torch.tensor([3.0], requires_grad=True)
    assert torch.autograd.functional.jacobian(lambda y: x * y, x).item() == 3


def test_an_empty_output_has_an_empty_product(torch):
    x = torch.ones(2)
    outputs, result = torch.autograd.functional.vjp(lambda x: x[:0], x, torch.ones(0))
    assert outputs.shape == (0,)
    assert torch.equal(result, torch.zeros(2))


def linear(x):
    return (x * 2).sum()


def apart(x):
    return x.detach().sum()


def constant(x, y):
    return x.sum()


REFUSALS = {
    "inputs": (lambda f, t: f.vjp(linear, 3), TypeError, "The inputs given to vjp must be either a Tensor or a tuple"),
    "tuple": (lambda f, t: f.jvp(linear, (3,)), TypeError, "but the value at index 0 has type <class 'int'>"),
    "outputs": (
        lambda f, t: f.jacobian(lambda x: 3, t.ones(2)),
        TypeError,
        "The outputs of the user-provided function given to jacobian must be either a Tensor or a tuple of Tensors",
    ),
    "vjp without v": (
        lambda f, t: f.vjp(lambda x: x * 2, t.ones(2)),
        RuntimeError,
        "The vector v can only be None if the user-provided function returns a single Tensor with a single element",
    ),
    "jvp without v": (
        lambda f, t: f.jvp(linear, t.ones(2)),
        RuntimeError,
        "The vector v can only be None if the input to the user-provided function is a single Tensor with a single",
    ),
    "hvp without v": (
        lambda f, t: f.hvp(linear, t.ones(2)),
        RuntimeError,
        "The vector v can only be None if the input",
    ),
    "length of v": (
        lambda f, t: f.jvp(constant, (t.ones(2), t.ones(2)), (t.ones(2),)),
        RuntimeError,
        "v is a tuple of invalid length: should be 2 but got 1.",
    ),
    "one v": (
        lambda f, t: f.jvp(linear, t.ones(2), (t.ones(2), t.ones(2))),
        RuntimeError,
        "The given v should contain a single Tensor.",
    ),
    "size of v": (
        lambda f, t: f.jvp(linear, t.ones(2), t.ones(3)),
        RuntimeError,
        r"v has invalid size: should be torch.Size\(\[2\]\) but got torch.Size\(\[3\]\).",
    ),
    "hessian of many": (
        lambda f, t: f.hessian(lambda x: x * 2, t.ones(2)),
        RuntimeError,
        "The Tensor returned by the function given to hessian should contain a single element",
    ),
    "vhp of a tuple": (
        lambda f, t: f.vhp(lambda x: (x.sum(), x.sum()), t.ones(2), t.ones(2)),
        RuntimeError,
        "The function given to vhp should return a single Tensor",
    ),
    "strategy": (
        lambda f, t: f.jacobian(linear, t.ones(2), strategy="sideways"),
        AssertionError,
        'Expected strategy to be either "forward-mode" or "reverse-mode"',
    ),
    "forward with graph": (
        lambda f, t: f.jacobian(linear, t.ones(2), create_graph=True, strategy="forward-mode"),
        NotImplementedError,
        '`create_graph=True` and `strategy="forward-mode"` are not supported together',
    ),
    "forward alone": (
        lambda f, t: f.jacobian(linear, t.ones(2), strategy="forward-mode"),
        NotImplementedError,
        "implemented for `vectorize=True`",
    ),
    "strict and vectorized": (
        lambda f, t: f.jacobian(linear, t.ones(2), strict=True, vectorize=True),
        RuntimeError,
        "`strict=True` and `vectorized=True` are not supported together",
    ),
    "strict output": (
        lambda f, t: f.vjp(apart, t.ones(2), strict=True),
        RuntimeError,
        "Output 0 of the user-provided function does not require gradients",
    ),
    "strict vjp": (
        lambda f, t: f.vjp(constant, (t.ones(2), t.ones(2)), strict=True),
        RuntimeError,
        "The output of the user-provided function is independent of input 1. This is not allowed in strict mode",
    ),
    "strict jvp": (
        lambda f, t: f.jvp(constant, (t.ones(2), t.ones(2)), (t.ones(2), t.ones(2)), strict=True),
        RuntimeError,
        "The output of the user-provided function is independent of input 1",
    ),
    "strict jacobian": (
        lambda f, t: f.jacobian(constant, (t.ones(2), t.ones(2)), strict=True),
        RuntimeError,
        "Output 0 of the user-provided function is independent of input 1",
    ),
    "strict graph": (
        lambda f, t: f.jacobian(linear, t.ones(2, requires_grad=True), create_graph=True, strict=True),
        RuntimeError,
        "The jacobian of the user-provided function is independent of input 0. This is not allowed in strict mode when",
    ),
    "strict vhp": (
        lambda f, t: f.vhp(linear, t.ones(2), t.ones(2), strict=True),
        RuntimeError,
        "found that the jacobian of the user-provided function with respect to input 0 is independent of the input",
    ),
    "strict hessian": (
        lambda f, t: f.hessian(linear, t.ones(2), strict=True),
        RuntimeError,
        "found that the jacobian of the user-provided function with respect to input 0 is independent of the input",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(torch, case):
    call, error, message = REFUSALS[case]
    with pytest.raises(error, match=message):
        call(torch.autograd.functional, torch)
