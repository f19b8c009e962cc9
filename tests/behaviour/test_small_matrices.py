"""Many small matrices: a batch of them has the factors and solutions that each has, without a call for each."""

import numpy as np
import pytest

from rushlight.arrays import lapack, small_matrices, solving

DTYPES = ["float32", "float64", "complex64", "complex128"]
MANY = 320  # so many that small ones are not left to NumPy's loops in C either
LOOKED_AT = 40
SHAPES = [(1, 1), (3, 3), (4, 2), (2, 4), (9, 9)]


def drawn(torch, *shape, dtype="float64", spread=1):
    """Random numbers."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=getattr(torch, dtype)) * spread


def square(torch, size, dtype):
    """Square matrices that are far from singular ones, and whose triangles are."""
    return drawn(torch, MANY, size, size, dtype=dtype, spread=0.2) + torch.eye(size, dtype=getattr(torch, dtype))


def positive(A):
    """Hermitian positive-definite matrices, made of any."""
    return A @ A.mH + identity(A)


def identity(A):
    """The identity matrix, to be added."""
    return (A[0] * 0).diagonal_scatter(A.new_ones(A.shape[-1]))


@pytest.fixture
def same_as_alone(torch, monkeypatch):
    """A function that asserts that results of a batch are those of its matrices, computed without a call for each."""

    def refuse(name, letter):
        raise AssertionError(f"LAPACK's {name} was called for each matrix")

    def compare(function, *stacks):
        alone = [function(*matrices) for matrices in zip(*(stack[:LOOKED_AT] for stack in stacks), strict=True)]
        with monkeypatch.context() as patched:
            for module in (lapack, solving):
                patched.setattr(module, "routine", refuse)
            together = function(*stacks)
        if isinstance(together, torch.Tensor):
            together, alone = (together,), [(each,) for each in alone]
        tolerance = 1e-3 if stacks[0].dtype in (torch.float32, torch.complex64) else 1e-9
        for result, *expected in zip(together, *alone, strict=True):
            torch.testing.assert_close(result[:LOOKED_AT], torch.stack(expected), rtol=tolerance, atol=tolerance)

    return compare


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rows_are_exchanged_as_for_one(torch, same_as_alone, shape, dtype):
    A = drawn(torch, MANY, *shape, dtype=dtype)
    same_as_alone(torch.linalg.lu_factor_ex, A)
    same_as_alone(torch.linalg.lu, A)
    same_as_alone(lambda A: torch.linalg.lu_factor_ex(A.mT), A)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_first_of_the_largest_is_the_pivot(torch, same_as_alone, dtype):
    numbers = [1, -1, 0, 1] if dtype == "float64" else [3 + 4j, 7, -5 - 1j, 0, 4 - 3j]
    positions = torch.randint(len(numbers), (MANY, 4, 1), generator=torch.Generator().manual_seed(0))
    A = torch.tensor(numbers, dtype=getattr(torch, dtype))[positions]
    A[3] = 0
    factors = torch.linalg.lu_factor_ex(A)
    assert factors.pivots.unique().tolist() == [1, 2, 3, 4]
    assert (factors.info > 0).any() and (factors.info == 0).any()
    same_as_alone(lambda A: torch.linalg.lu_factor_ex(A)[1:], A)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 3, 9])
@pytest.mark.parametrize("left", [True, False])
def test_triangles_and_factors_solve(torch, same_as_alone, size, dtype, left):
    A, B = square(torch, size, dtype), drawn(torch, MANY, size, 2, dtype=dtype)
    B = B if left else B.mT
    for upper in (True, False):
        for unit in (True, False):
            options = {"upper": upper, "left": left, "unitriangular": unit}
            same_as_alone(lambda A, B, options=options: torch.linalg.solve_triangular(A, B, **options), A, B)
    for adjoint in (True, False):
        same_as_alone(
            lambda A, B, adjoint=adjoint: torch.linalg.lu_solve(
                *torch.linalg.lu_factor_ex(A)[:2], B, left=left, adjoint=adjoint
            ),
            A,
            B,
        )
    same_as_alone(lambda A, B: torch.linalg.solve_ex(A, B, left=left), A, B)
    same_as_alone(torch.linalg.inv_ex, A)


def test_one_right_side_for_a_batch_and_one_matrix_for_many(torch):
    A, B = square(torch, 3, "float64"), drawn(torch, 3, 2)
    for upper in (True, False):
        triangle = A.triu() if upper else A.tril()
        result = torch.linalg.solve_triangular(A, B, upper=upper)
        torch.testing.assert_close(triangle @ result, B.expand(MANY, 3, 2))
    torch.testing.assert_close(A @ torch.linalg.solve(A, B), B.expand(MANY, 3, 2))
    A = A.reshape(MANY // 4, 1, 4, 3, 3).expand(-1, 2, -1, -1, -1)
    torch.testing.assert_close(A @ torch.linalg.solve(A, B), B.expand(*A.shape[:-2], 3, 2))


@pytest.mark.parametrize("size", [2, 9])
def test_singular_matrices_in_a_batch_are_named(torch, same_as_alone, size):
    A = square(torch, size, "float64")
    A[7, 1] = A[7, 0]
    A[9] = 0
    A[9, 0, 0] = 1
    same_as_alone(lambda A: torch.linalg.lu_factor_ex(A)[1:], A)
    same_as_alone(lambda A: torch.linalg.solve_ex(A, A)[1], A)
    same_as_alone(lambda A: torch.linalg.inv_ex(A)[1], A)
    with pytest.raises(torch.linalg.LinAlgError, match=r"\(Batch element 7\)"):
        torch.linalg.inv(A)
    triangle = A[:40].triu()
    triangle[:20, 1, 1] = 0
    result = torch.linalg.solve_triangular(triangle, torch.ones(40, size, 1, dtype=A.dtype), upper=True)
    assert (~result[:20].isfinite()).any(-2).all() and result[20:].isfinite().all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 3, 9])
@pytest.mark.parametrize("upper", [True, False])
def test_positive_definite_matrices(torch, same_as_alone, size, dtype, upper):
    A = positive(drawn(torch, MANY, size, size, dtype=dtype))
    half = A.triu() if upper else A.tril()
    same_as_alone(lambda A: torch.linalg.cholesky_ex(A, upper=upper), half)
    L = torch.linalg.cholesky(half, upper=upper)
    same_as_alone(lambda L: torch.cholesky_inverse(L, upper), L)
    same_as_alone(lambda B, L: torch.cholesky_solve(B, L, upper), A, L)


def test_a_matrix_that_is_not_positive_definite_is_named(torch):
    A = positive(drawn(torch, MANY, 3, 3))
    A[5, 1, 1] = -1
    assert torch.linalg.cholesky_ex(A).info.nonzero().tolist() == [[5]]
    A[5, 1, 1] = torch.nan
    assert torch.linalg.cholesky_ex(A).info[5] == 2
    L = torch.eye(3).repeat(MANY, 1, 1)
    L[8, 1, 1] = 0
    with pytest.raises(RuntimeError, match=r"\(Batch element 8\): The diagonal element 2 is zero"):
        torch.cholesky_inverse(L)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 2), (2, 4), (8, 5)], ids=str)
def test_orthonormal_columns(torch, same_as_alone, shape, dtype):
    A = drawn(torch, MANY, *shape, dtype=dtype)
    A[0], A[1, 1:], A[2, :, 0] = 0, 0, 0  # zeros need no reflection
    same_as_alone(torch.geqrf, A)
    same_as_alone(torch.linalg.qr, A)
    same_as_alone(lambda A: torch.linalg.qr(A, "complete"), A)
    same_as_alone(lambda A: torch.linalg.qr(A.mT), A[3:])
    for scale in (1e30, 1e-30):  # whose squares are inf and 0
        Q, R = torch.linalg.qr(A * scale)
        torch.testing.assert_close(Q @ R / scale, A)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 2), (2, 4)], ids=str)
@pytest.mark.parametrize("driver", ["gels", "gelsy"])
def test_the_shortest_solutions_with_the_shortest_errors(torch, same_as_alone, driver, shape, dtype):
    A, B = drawn(torch, MANY, *shape, dtype=dtype), drawn(torch, MANY, shape[0], 2, dtype=dtype)
    A = A + 2 * torch.eye(*shape, dtype=A.dtype)
    same_as_alone(lambda A, B: torch.linalg.lstsq(A, B, driver=driver)[:1], A, B)
    result = torch.linalg.lstsq(A, B, driver=driver)
    assert result.rank.tolist() == ([] if driver == "gels" else [min(shape)] * MANY)
    torch.testing.assert_close(A.mH @ (A @ result.solution), A.mH @ B, rtol=1e-3, atol=1e-3)


def test_ranks_in_a_batch(torch):
    A, B = drawn(torch, MANY, 3, 3) + 3 * torch.eye(3, dtype=torch.float64), drawn(torch, MANY, 3, 1)
    A[3, 2] = A[3, 1]
    A[4] = 0
    A[5] = torch.diag(torch.tensor([1.0, 1e-3, 1e-6]))
    solution, _, rank, _ = torch.linalg.lstsq(A, B)
    assert rank[:7].tolist() == [3, 3, 3, 2, 0, 3, 3]
    torch.testing.assert_close(solution, torch.linalg.pinv(A) @ B)
    assert torch.linalg.lstsq(A, B, rcond=1e-5).rank[:7].tolist() == [3, 3, 3, 2, 0, 2, 3]
    A[4, 0, 0] = 1
    with pytest.raises(torch.linalg.LinAlgError, match=r"\(Batch element 4\)"):
        torch.linalg.lstsq(A, B, driver="gels")
    assert torch.linalg.lstsq(A, B[..., :0]).solution.shape == (MANY, 3, 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 2), (9, 9)], ids=str)
def test_products_of_reflections(torch, same_as_alone, shape, dtype):
    packed, tau = torch.geqrf(drawn(torch, MANY, *shape, dtype=dtype))
    same_as_alone(torch.linalg.householder_product, packed, tau)
    other = drawn(torch, MANY, shape[0], 2, dtype=dtype)
    for transpose in (True, False):
        same_as_alone(lambda *args, transpose=transpose: torch.ormqr(*args, True, transpose), packed, tau, other)
        same_as_alone(lambda *args, transpose=transpose: torch.ormqr(*args, False, transpose), packed, tau, other.mT)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients_of_a_batch(torch, dtype):
    A, B = square(torch, 2, dtype)[:8].requires_grad_(), drawn(torch, 8, 2, 1, dtype=dtype).requires_grad_()
    tau = drawn(torch, 8, 2, dtype=dtype).requires_grad_()
    for function, inputs in (
        (lambda A, B: torch.linalg.solve_triangular(A, B, upper=True), (A, B)),
        (lambda A: torch.linalg.lu_factor(A)[0], (A,)),
        (lambda A: torch.cholesky_inverse(torch.linalg.cholesky(positive(A))), (A,)),
        (torch.linalg.householder_product, (A, tau)),
        (lambda B: torch.ormqr(A.detach(), tau.detach(), B), (B,)),
    ):
        assert torch.autograd.gradcheck(function, inputs)


@pytest.mark.parametrize(
    ("place", "name", "function"),
    [
        (small_matrices, "substitute", lambda torch, A, B: torch.linalg.solve_triangular(A, B, upper=True)),
        (small_matrices, "substitute", lambda torch, A, B: torch.linalg.solve(A, B)),
        (np.linalg, "svd", lambda torch, A, B: torch.linalg.lstsq(A, B).solution),
    ],
    ids=["solve_triangular", "solve", "lstsq"],
)
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_both_gradients_come_of_one_solution(torch, monkeypatch, place, name, function):
    A, B = square(torch, 3, "float64").requires_grad_(), drawn(torch, MANY, 3, 1).requires_grad_()
    result = function(torch, A, B)
    compute, calls = getattr(place, name), []
    monkeypatch.setattr(place, name, lambda *arguments: calls.append(name) or compute(*arguments))
    result.sum().backward()
    assert calls == [name]
