"""Linear equations, inverses, determinants and norms: what they promise, and what singular matrices do to them."""

import math

import pytest

DTYPES = ["float32", "float64", "complex64", "complex128"]
SINGULAR_INVERSE = (
    "The diagonal element 2 is zero, the inversion could not be completed because the input matrix is singular."
)
SINGULAR_SOLVE = "The solver failed because the input matrix is singular."


def matrix(torch, *shape, dtype="float64"):
    """Random numbers."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(shape, generator=generator, dtype=getattr(torch, dtype))


def invertible(torch, *shape, dtype="float64"):
    """Random square matrices that are far from singular ones."""
    return matrix(torch, *shape, dtype=dtype) + 4 * torch.eye(shape[-1], dtype=getattr(torch, dtype))


def same(torch, found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def some_singular(torch):
    """An invertible matrix next to one that is not."""
    return torch.stack([torch.eye(2), torch.tensor([[1.0, 2.0], [2.0, 4.0]])])


# ---- what solutions are


@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions_solve_their_equations(torch, dtype):
    A, B = invertible(torch, 2, 1, 3, 3, dtype=dtype), matrix(torch, 4, 3, 2, dtype=dtype)
    same(torch, A @ torch.linalg.solve(A, B), B.expand(2, 4, 3, 2))
    same(torch, torch.linalg.solve(A, B.mT, left=False) @ A, B.mT.expand(2, 4, 2, 3))
    same(torch, A @ torch.linalg.inv(A), torch.eye(3, dtype=A.dtype).expand(2, 1, 3, 3))
    vectors = matrix(torch, 2, 1, 3, dtype=dtype)
    same(torch, (A @ torch.linalg.solve(A, vectors).unsqueeze(-1)).squeeze(-1), vectors)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unitriangular", [True, False])
def test_one_triangle_is_solved_with(torch, dtype, upper, unitriangular):
    A, B = invertible(torch, 3, 3, dtype=dtype), matrix(torch, 2, 3, 2, dtype=dtype)
    half = A.triu() if upper else A.tril()
    if unitriangular:
        half = half - torch.diag(half.diagonal()) + torch.eye(3, dtype=A.dtype)
    options = {"upper": upper, "unitriangular": unitriangular}
    same(torch, half @ torch.linalg.solve_triangular(A, B, **options), B)
    same(torch, torch.linalg.solve_triangular(A, B.mT, left=False, **options) @ half, B.mT)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("batch", [(), (1,), (1, 1)], ids=str)
def test_one_triangle_is_solved_with_for_a_whole_batch(torch, batch, left):
    A, B = invertible(torch, *batch, 3, 3).tril(), matrix(torch, 5, 2, 4, 3)
    B = B.mT if left else B
    result = torch.linalg.solve_triangular(A, B, upper=False, left=left)
    assert result.shape == B.shape
    same(torch, A @ result if left else result @ A, B)


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_solve_for_their_matrix(torch, dtype):
    A, B = invertible(torch, 2, 3, 3, dtype=dtype), matrix(torch, 2, 3, 2, dtype=dtype)
    factors = torch.linalg.lu_factor(A)
    same(torch, A @ torch.linalg.lu_solve(*factors, B), B)
    same(torch, A.mH @ torch.linalg.lu_solve(*factors, B, adjoint=True), B)
    same(torch, torch.linalg.lu_solve(*factors, B.mT, left=False) @ A, B.mT)
    same(torch, torch.linalg.lu_solve(*factors, B.mT, left=False, adjoint=True) @ A.mH, B.mT)
    positive = A @ A.mH
    L = torch.linalg.cholesky(positive)
    same(torch, positive @ torch.cholesky_solve(B, L), B)
    same(torch, positive @ torch.cholesky_solve(B, L.mH, upper=True), B)


# PyTorch's forward mode uses torch.jit.script, and warns of that.
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_gradient_of_a_factor_in_one_half_is_that_of_differences(torch, dtype, upper):
    L = torch.linalg.cholesky(invertible(torch, 2, 3, 3, dtype=dtype) @ invertible(torch, 2, 3, 3, dtype=dtype).mH)
    L, B = L.mH if upper else L, matrix(torch, 4, 1, 3, 2, dtype=dtype)

    def solve(B, L):
        return torch.cholesky_solve(B, L.triu() if upper else L.tril(), upper=upper)

    operands = [each.detach().clone().requires_grad_() for each in (B, L)]
    assert torch.autograd.gradcheck(solve, operands, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(solve, operands)


def test_the_gradient_of_a_factor_is_that_of_all_its_elements(torch):
    L = torch.tensor([[2.0, 0.0], [1.0, 1.0]], requires_grad=True)
    torch.cholesky_solve(torch.tensor([[1.0], [2.0]]), L).sum().backward()
    same(torch, L.grad, torch.tensor([[0.25, 0.25], [-1.0, -1.5]]))


def test_equations_in_several_dimensions(torch):
    A, B = matrix(torch, 2, 3, 6), matrix(torch, 2, 3)
    same(torch, torch.tensordot(A, torch.linalg.tensorsolve(A, B), 1), B)
    same(torch, torch.tensordot(torch.linalg.tensorinv(A, ind=2), B, 2), torch.linalg.tensorsolve(A, B))


# ---- where there is no solution


@pytest.mark.parametrize(
    ("name", "words"),
    [("inv", f"linalg.inv: (Batch element 1): {SINGULAR_INVERSE}"), ("solve", f"torch.linalg.solve: {SINGULAR_SOLVE}")],
)
def test_a_singular_matrix_is_named(torch, name, words):
    matrices = some_singular(torch)
    arguments = (matrices,) if name == "inv" else (matrices[1], torch.ones(2))
    with pytest.raises(torch.linalg.LinAlgError) as caught:
        getattr(torch.linalg, name)(*arguments)
    assert str(caught.value).partition("\n")[0] == words
    assert isinstance(caught.value, RuntimeError)


def test_singular_matrices_are_counted_not_refused_if_asked(torch):
    matrices = some_singular(torch)
    inverse, info = torch.linalg.inv_ex(matrices)
    assert info.tolist() == [0, 2] and info.dtype is torch.int32
    same(torch, inverse[0], torch.eye(2))
    result, info = torch.linalg.solve_ex(matrices, torch.ones(2, 1))
    assert info.tolist() == [0, 2]
    same(torch, result[0], torch.ones(2, 1))
    for name, arguments in (("inv_ex", (matrices,)), ("solve_ex", (matrices, torch.ones(2, 1)))):
        with pytest.raises(torch.linalg.LinAlgError):
            getattr(torch.linalg, name)(*arguments, check_errors=True)


def test_a_zero_on_the_diagonal_of_a_triangle_divides(torch):
    result = torch.linalg.solve_triangular(torch.tensor([[0.0]]), torch.tensor([[1.0, 0.0]]), upper=True)
    assert result[0, 0].item() == math.inf and math.isnan(result[0, 1].item())


def test_pivots_that_are_none_are_refused(torch):
    pivots = torch.tensor([1, 3], dtype=torch.int32)
    with pytest.raises(RuntimeError, match="smaller or equal to LU.size"):
        torch.linalg.lu_solve(torch.eye(2), pivots, torch.ones(2, 1))
    with pytest.raises(RuntimeError, match="greater or equal to 1"):
        torch.linalg.lu_solve(torch.eye(2), pivots - 1, torch.ones(2, 1))


# ---- least squares


@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_error_of_least_squares_is_orthogonal_to_the_columns(torch, driver, dtype):
    A, B = matrix(torch, 2, 5, 3, dtype=dtype), matrix(torch, 2, 5, 2, dtype=dtype)
    result = torch.linalg.lstsq(A, B, driver=driver)
    error = A @ result.solution - B
    same(torch, A.mH @ error, torch.zeros(2, 3, 2, dtype=A.dtype))
    if driver != "gelsy":
        same(torch, result.residuals, error.abs().square().sum(-2))
    if driver != "gels":
        assert result.rank.tolist() == [3, 3]
    if driver in ("gelsd", "gelss"):
        same(torch, result.singular_values, torch.linalg.svdvals(A))


@pytest.mark.parametrize("driver", ["gelsy", "gelsd", "gelss"])
def test_the_shortest_of_many_solutions_is_that_of_the_pseudo_inverse(torch, driver):
    A, b = torch.tensor([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]], dtype=torch.float64), matrix(torch, 3)
    result = torch.linalg.lstsq(A, b, driver=driver)
    same(torch, result.solution, torch.linalg.pinv(A) @ b)
    assert result.rank.item() == 1 and result.residuals.shape == (0,)


def test_the_driver_for_full_rank_says_where_it_is_not(torch):
    with pytest.raises(torch.linalg.LinAlgError, match=r"does not have full rank \(error code: 2\)"):
        torch.linalg.lstsq(torch.tensor([[1.0, 0.0]] * 3), torch.ones(3, 1), driver="gels")


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 2), (2, 4)])
def test_pseudo_inverses_invert_what_can_be(torch, dtype, shape):
    A = matrix(torch, *shape, dtype=dtype)
    X = torch.linalg.pinv(A)
    same(torch, A @ X @ A, A)
    same(torch, X @ A @ X, X)
    same(torch, (A @ X).mH, A @ X)
    hermitian = A @ A.mH
    same(torch, torch.linalg.pinv(hermitian.tril(), rtol=1e-4, hermitian=True), torch.linalg.pinv(hermitian, rtol=1e-4))


def test_each_tolerance_has_a_result(torch):
    A = torch.diag(torch.tensor([4.0, 2.0, 1.0]))
    assert torch.linalg.matrix_rank(A.expand(4, 3, 3), rtol=torch.tensor([0.0, 0.3, 0.6, 1.0])).tolist() == [3, 2, 1, 0]
    assert torch.linalg.matrix_rank(A.expand(2, 3, 3), torch.tensor([1.0, 3.0])).tolist() == [2, 1]
    assert torch.linalg.pinv(A, rcond=torch.tensor([0.3, 0.6])).diagonal(0, 1, 2).tolist() == [
        [0.25, 0.5, 0.0],
        [0.25, 0.0, 0.0],
    ]
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.linalg.matrix_rank(A, tol=1.0, rtol=1.0)


# ---- determinants


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_determinant_changes_by_cofactors_also_where_it_is_zero(torch, dtype, rank):
    A = (matrix(torch, 3, rank, dtype=dtype) @ matrix(torch, rank, 3, dtype=dtype)).requires_grad_()
    (result,) = torch.autograd.grad(torch.linalg.det(A), A, torch.ones((), dtype=A.dtype))
    same(torch, result, cofactors(torch, A.detach()).conj())


def cofactors(torch, A):
    """The determinants of what is left of a matrix without a row and a column, with alternating signs."""
    rows = [
        [
            (-1) ** (i + j) * torch.linalg.det(A[[k for k in range(3) if k != i]][:, [k for k in range(3) if k != j]])
            for j in range(3)
        ]
        for i in range(3)
    ]
    return torch.stack([torch.stack(row) for row in rows])


def test_logarithms_of_determinants(torch):
    A = invertible(torch, 2, 3, 3)
    sign, size = torch.linalg.slogdet(A)
    same(torch, sign * size.exp(), torch.linalg.det(A))
    assert torch.linalg.slogdet(torch.zeros(2, 2)).logabsdet.item() == -math.inf
    assert math.isnan(torch.logdet(-torch.eye(3)).item())
    assert torch.linalg.det(torch.ones(2, 0, 0)).tolist() == [1.0, 1.0]


# ---- powers, exponentials, norms


def test_powers_are_repeated_products(torch):
    A = invertible(torch, 2, 2)
    same(torch, torch.linalg.matrix_power(A, 5), A @ A @ A @ A @ A)
    same(torch, torch.linalg.matrix_power(A, -3), torch.linalg.inv(A @ A @ A))
    same(torch, torch.linalg.matrix_power(A, 0), torch.eye(2, dtype=A.dtype))
    assert torch.linalg.matrix_power(A, 1).data_ptr() != A.data_ptr()


def test_the_exponential_of_a_rotation_turns(torch):
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    expected = torch.tensor([[math.cos(2), -math.sin(2)], [math.sin(2), math.cos(2)]])
    same(torch, torch.linalg.matrix_exp(2 * turn), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_exponentials_of_small_and_large_matrices_of_a_batch(torch, dtype, size):
    scales = torch.tensor([0, 1e-3, 0.3, 1, 2, 7, 15]).reshape(-1, 1, 1)
    A = matrix(torch, 7, size, size, dtype=dtype) * scales / size
    exact = torch.eye(size, dtype=torch.complex128).repeat(7, 1, 1)
    term = exact.clone()
    for power in range(1, 20):
        term = term @ A.to(exact.dtype) / 64 / power
        exact += term
    exact = torch.linalg.matrix_power(exact, 64)
    sizes = torch.linalg.matrix_norm(exact)
    errors = torch.linalg.matrix_norm(torch.matrix_exp(A) - exact) / sizes
    single = A.dtype in (torch.float32, torch.complex64)
    assert (errors < (1e-5 if single else 1e-11)).all()
    if torch.__name__ == "rushlight" and single and size > 1:  # computed in double precision, and rounded once
        assert (errors < 6e-8).all()
    torch.testing.assert_close(torch.matrix_exp(A[4]), torch.matrix_exp(A)[4])
    torch.testing.assert_close(torch.matrix_exp(A.mT), torch.matrix_exp(A).mT)


def test_an_exponential_of_many_rows_in_float32(torch):
    A = matrix(torch, 400, 400)
    expected = torch.matrix_exp(A)
    result = torch.matrix_exp(A.float())
    assert torch.linalg.norm(result - expected) < 1e-4 * torch.linalg.norm(expected)


def test_an_exponential_of_what_is_not_finite_is_nan(torch):
    for number in (math.inf, math.nan):
        A = torch.tensor([[number, 0.0], [0.0, 0.0]])
        result = torch.matrix_exp(torch.stack([A, torch.zeros(2, 2)]))
        assert result[0].isnan().all() and torch.equal(result[1], torch.eye(2))


@pytest.mark.parametrize("p", [None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf])
def test_condition_numbers_are_products_of_norms(torch, p):
    A = invertible(torch, 3, 3)
    norm = 2 if p is None else p
    expected = torch.linalg.matrix_norm(A, norm) * torch.linalg.matrix_norm(torch.linalg.inv(A), norm)
    same(torch, torch.linalg.cond(A, p), expected)


def test_a_singular_matrix_has_no_condition(torch):
    assert torch.linalg.cond(some_singular(torch), 1).tolist() == [1.0, math.inf]
    assert math.isnan(torch.linalg.cond(torch.zeros(2, 2)).item())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((2, 3, 4), 2), "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D."),
        (((2, 3), 2, (0, 1, 1)), "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1, 1]"),
        (((2, 3), 3), "linalg.matrix_norm: Order 3 not supported."),
        (((2, 3), "fro", 0), "linalg.matrix_norm: dim must be a 2-tuple. Got 0"),
        (((2, 3), 1, (1, -1)), "linalg.matrix_norm: dims must be different. Got (1, 1)"),
    ],
)
def test_norms_that_are_none(torch, arguments, words):
    shape, *rest = arguments
    with pytest.raises(RuntimeError) as caught:
        torch.linalg.norm(torch.ones(shape), *rest)
    assert str(caught.value).partition("\n")[0] == words


@pytest.mark.parametrize(
    ("name", "shapes", "words"),
    [
        ("inv", [(3,)], "linalg.inv: The input tensor A must have at least 2 dimensions."),
        ("det", [(2, 3)], "linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices"),
        (
            "solve",
            [(2, 2), (3, 1)],
            "linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)",
        ),
        ("lstsq", [(4, 2), (3,)], "torch.linalg.lstsq: input.size(-2) should match other.size(-1)"),
        (
            "pinv",
            [(3,)],
            "linalg.pinv(Float{[3]}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble "
            "types",
        ),
    ],
)
def test_shapes_that_do_not_fit(torch, name, shapes, words):
    with pytest.raises(RuntimeError) as caught:
        getattr(torch.linalg, name)(*map(torch.ones, shapes))
    assert str(caught.value).partition("\n")[0] == words


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "matrix_exp", "matrix_norm", "pinv", "matrix_rank"])
def test_integers_are_refused(torch, name):
    with pytest.raises(RuntimeError):
        getattr(torch.linalg, name)(torch.ones(2, 2, dtype=torch.int64))


def test_shapes_are_known_without_numbers(torch):
    A, B = torch.ones(2, 3, 3, device="meta"), torch.ones(3, 4, device="meta")
    assert torch.linalg.solve_triangular(A, B, upper=True).shape == (2, 3, 4)
    assert torch.linalg.inv_ex(A).info.shape == (2,)
    assert torch.linalg.slogdet(A).logabsdet.shape == (2,)
    assert torch.linalg.solve_ex(A, B).result.shape == (2, 3, 4)


# ---- cross products


@pytest.mark.parametrize("dtype", [*DTYPES, "int64"])
def test_cross_products_along_any_dimension(torch, dtype):
    """Orthogonal to both, of the length of the area between them; and in memory in the order of their dimensions."""
    a, b = (torch.arange(7 * 3 * 5).reshape(7, 3, 5), torch.arange(3 * 5).reshape(1, 3, 5).flip(1) - 3)
    a, b = a.to(getattr(torch, dtype)), b.to(getattr(torch, dtype))
    result = torch.linalg.cross(a, b, dim=1)
    assert result.is_contiguous() and result.shape == a.shape
    assert (result * a).sum(1).abs().max() == 0 == (result * b).sum(1).abs().max()
    areas = (a * a).sum(1) * (b * b).sum(1) - (a * b).sum(1) ** 2
    torch.testing.assert_close((result * result).sum(1), areas)
    for dim in (0, 2, -1, -3):
        turned = torch.linalg.cross(a.movedim(1, dim), b.movedim(1, dim), dim=dim)
        assert torch.equal(turned.movedim(dim, 1), result)
    assert torch.linalg.cross(a[:0], b, dim=1).shape == (0, 3, 5)
