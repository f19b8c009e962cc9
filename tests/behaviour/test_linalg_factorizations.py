"""Factorizations of matrices: what they promise, their derivatives where vectors are free, and what they refuse."""

import pickle

import pytest

from rushlight.arrays import ldl

DTYPES = ["float64", "complex128"]
SHAPES = [(4, 4), (5, 3), (3, 5), (2, 3, 4), (0, 3), (3, 0), (2, 0, 0)]


def matrix(torch, shape, dtype="float64"):
    """A random matrix that requires grad."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(shape, generator=generator, dtype=getattr(torch, dtype)).requires_grad_()


def positive(A):
    """A Hermitian positive-definite matrix, made of any."""
    return A @ A.mH + 1


def same(torch, found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)


# ---- what the factors are


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_make_the_matrix_again(torch, shape, dtype):
    A = matrix(torch, shape, dtype).detach()
    U, S, Vh = torch.linalg.svd(A, full_matrices=False)
    same(torch, U * S.unsqueeze(-2) @ Vh, A)
    Q, R = torch.linalg.qr(A)
    same(torch, Q @ R, A)
    same(torch, R, R.triu())
    P, L, U = torch.linalg.lu(A)
    same(torch, P @ L @ U, A)
    P, L, U = torch.lu_unpack(*torch.linalg.lu_factor_ex(A)[:2])
    same(torch, P @ L @ U, A)
    same(torch, torch.linalg.svdvals(A), S)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_full_factors_are_square_and_orthonormal(torch, shape, dtype):
    A = matrix(torch, shape, dtype).detach()
    rows, columns = shape[-2:]
    U, _, Vh = torch.linalg.svd(A)
    Q, _ = torch.linalg.qr(A, mode="complete")
    for each, size in ((U, rows), (Vh, columns), (Q, rows)):
        same(torch, each.mH @ each, torch.eye(size, dtype=A.dtype).expand(*shape[:-2], size, size))


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_of_square_matrices(torch, dtype):
    A = positive(matrix(torch, (2, 3, 3), dtype).detach())
    L = torch.linalg.cholesky(A)
    same(torch, L @ L.mH, A)
    same(torch, torch.linalg.cholesky(A, upper=True), L.mH)
    same(torch, torch.cholesky_inverse(L) @ A, torch.eye(3, dtype=A.dtype).expand(2, 3, 3))
    values, vectors = torch.linalg.eigh(A)
    same(torch, A @ vectors, vectors * values.unsqueeze(-2))
    same(torch, torch.linalg.eigvalsh(A), values)
    values, vectors = torch.linalg.eig(A)
    same(torch, A.to(vectors.dtype) @ vectors, vectors * values.unsqueeze(-2))
    assert torch.linalg.eigvals(A).is_complex()
    B = matrix(torch, (2, 3, 2), dtype).detach()
    factors = torch.linalg.ldl_factor(A, hermitian=True)
    same(torch, A @ torch.linalg.ldl_solve(*factors, B, hermitian=True), B)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hermitian", [True, False])
def test_systems_of_indefinite_matrices(torch, dtype, hermitian):
    A = matrix(torch, (20, 5, 5), dtype).detach()
    A = A + (A.mH if hermitian else A.mT)
    B = matrix(torch, (5, 2), dtype).detach()
    LD, pivots = torch.linalg.ldl_factor(A, hermitian=hermitian)
    assert (pivots < 0).any() and (pivots > 0).any()
    same(torch, A @ torch.linalg.ldl_solve(LD, pivots, B, hermitian=hermitian), B.expand(20, 5, 2))
    none = torch.linalg.ldl_solve(torch.zeros(1, 1), torch.tensor([1]).int(), torch.ones(1, 1))
    assert none.tolist() == [[torch.inf]]


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_a_batch_of_factors_is_solved_with_at_once(torch, monkeypatch):
    A = matrix(torch, (50, 4, 4)).detach()
    A, B = A + A.mT, matrix(torch, (50, 4, 2)).detach()
    LD, pivots = torch.linalg.ldl_factor(A)
    exchange, calls = ldl.exchange, []
    monkeypatch.setattr(ldl, "exchange", lambda *arguments: calls.append(1) or exchange(*arguments))
    same(torch, A @ torch.linalg.ldl_solve(LD, pivots, B), B)
    assert 4 <= len(calls) <= 16  # as many as for one matrix, at most two for each row there and back


def test_only_one_triangle_is_looked_at(torch):
    A = positive(matrix(torch, (3, 3)).detach())
    for name in ("cholesky", "eigvalsh"):
        function = getattr(torch.linalg, name)
        same(torch, function(A.tril()), function(A))
    same(torch, torch.linalg.cholesky(A.triu(), upper=True), torch.linalg.cholesky(A, upper=True))
    same(torch, torch.linalg.eigvalsh(A.triu(), UPLO="U"), torch.linalg.eigvalsh(A))


@pytest.mark.parametrize("dtype", DTYPES)
def test_reflections_make_q(torch, dtype):
    A = matrix(torch, (5, 3), dtype).detach()
    packed, tau = torch.geqrf(A)
    Q = torch.linalg.householder_product(packed, tau)
    same(torch, Q @ packed[:3].triu(), A)
    full, _ = torch.linalg.qr(A, "complete")
    for left in (True, False):
        for transpose in (True, False):
            other = matrix(torch, (5, 5), dtype).detach()
            factor = full.mH if transpose else full
            expected = factor @ other if left else other @ factor
            same(torch, torch.ormqr(packed, tau, other, left, transpose), expected)


def test_results_have_names(torch):
    A = positive(matrix(torch, (3, 3)).detach())
    result = torch.linalg.svd(A)
    assert result.U is result[0] and result.S is result[1] and result.Vh is result[2]
    assert type(torch.linalg.eigh(A)).__name__ == "linalg_eigh"
    assert type(torch.svd(A)).__name__ == "svd"
    LU, pivots, info = torch.linalg.lu_factor_ex(A)
    assert (pivots.dtype, info.dtype, info.shape) == (torch.int32, torch.int32, ())


def test_nothing_is_computed_for_meta_tensors(torch):
    A = torch.empty(2, 5, 3, device="meta")
    assert [tuple(each.shape) for each in torch.linalg.svd(A)] == [(2, 5, 5), (2, 3), (2, 3, 3)]
    assert [tuple(each.shape) for each in torch.linalg.qr(A, "complete")] == [(2, 5, 5), (2, 5, 3)]
    assert [tuple(each.shape) for each in torch.linalg.lu(A)] == [(2, 5, 5), (2, 5, 3), (2, 3, 3)]
    square = torch.empty(4, 4, device="meta", dtype=torch.float64)
    values, vectors = torch.linalg.eig(square)
    assert (values.dtype, tuple(values.shape), tuple(vectors.shape)) == (torch.complex128, (4,), (4, 4))
    assert torch.linalg.cholesky(square).device.type == "meta"


# ---- derivatives

# Functions of what is determined: the signs of real vectors, and the phases of complex ones, are not.
INVARIANT = {
    "svd": lambda torch, A: [S.square() * (U @ Vh).abs().sum() for U, S, Vh in [torch.linalg.svd(A, False)]],
    "svd, full": lambda torch, A: [U[..., : S.shape[-1]].abs() for U, S, _ in [torch.linalg.svd(A)]],
    "svd, V": lambda torch, A: [torch.svd(A).V.abs()],
    "svdvals": lambda torch, A: [torch.linalg.svdvals(A)],
    "eigh": lambda torch, A: [values * vectors.abs() for values, vectors in [torch.linalg.eigh(A @ A.mH)]],
    "eigh, upper": lambda torch, A: [torch.linalg.eigh(A @ A.mH, "U")[1].abs()],
    "eig": lambda torch, A: [values * vectors.abs() for values, vectors in [torch.linalg.eig(positive(A))]],
    "eigvals": lambda torch, A: [torch.linalg.eigvals(positive(A))],
    "cholesky": lambda torch, A: [torch.linalg.cholesky(positive(A)), torch.linalg.cholesky(positive(A), upper=True)],
    "qr": lambda torch, A: torch.linalg.qr(A),
    "lu": lambda torch, A: torch.linalg.lu(A)[1:],
    "lu_factor": lambda torch, A: torch.linalg.lu_factor_ex(A)[:1],
    "householder_product": lambda torch, A: [torch.linalg.householder_product(A.tril(-1)[..., :2], A[..., 0, :2])],
}
OF_ANY_SHAPE = [name for name in INVARIANT if name[:2] in ("sv", "qr", "lu")]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "shape"),
    [(name, (3, 3)) for name in INVARIANT] + [(name, shape) for name in OF_ANY_SHAPE for shape in ((4, 2), (2, 3))],
)
def test_first_and_second_derivatives(torch, name, shape, dtype):
    A = matrix(torch, shape, dtype)

    def function(A):
        return tuple(INVARIANT[name](torch, A))

    assert torch.autograd.gradcheck(function, (A,))
    assert torch.autograd.gradgradcheck(function, (A,), atol=1e-4)


def test_values_have_a_derivative_where_two_are_equal_and_vectors_have_none(torch):
    A = torch.eye(3, dtype=torch.float64, requires_grad=True)
    for name in ("svdvals", "eigvalsh"):
        values = getattr(torch.linalg, name)(A)
        (result,) = torch.autograd.grad(values.sum(), A)
        same(torch, result, torch.eye(3, dtype=torch.float64))
    S = torch.linalg.svd(A).S
    same(torch, torch.autograd.grad(S.sum(), A)[0], torch.eye(3, dtype=torch.float64))
    U = torch.linalg.svd(A).U
    assert not torch.autograd.grad(U[0, 1], A)[0].isfinite().all()


@pytest.mark.parametrize("name", ["svd", "eigh", "eig"])
def test_a_loss_of_the_phase_of_complex_vectors_is_refused(torch, name):
    A = matrix(torch, (3, 3), "complex128")
    vectors = getattr(torch.linalg, name)(A)[0 if name == "svd" else 1]
    with pytest.raises(RuntimeError, match=r"specified up to multiplication by e\^\{i phi\}"):
        vectors.real.sum().backward()


def test_what_has_no_derivative(torch):
    A = matrix(torch, (4, 2))
    with pytest.raises(RuntimeError, match="depends on Q, which is not computed when mode='r'"):
        torch.linalg.qr(A, "r").R.sum().backward()
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete' and nrows > ncols"):
        torch.linalg.qr(A, "complete").R.sum().backward()
    with pytest.raises(NotImplementedError, match="the derivative for 'geqrf' is not implemented"):
        torch.geqrf(A).a.sum().backward()
    with pytest.raises(RuntimeError, match="derivative for aten::linalg_ldl_factor_ex is not implemented"):
        torch.linalg.ldl_factor(A @ A.mT).LD.sum().backward()


def test_nodes_have_pytorchs_names(torch):
    A = positive(matrix(torch, (3, 3)))
    results = {
        "LinalgSvdBackward0": torch.linalg.svdvals(A),
        "LinalgEighBackward0": torch.linalg.eigvalsh(A),
        "LinalgEigBackward0": torch.linalg.eigvals(A),
        "LinalgQrBackward0": torch.linalg.qr(A).R,
        "LinalgCholeskyExBackward0": torch.linalg.cholesky(A),
        "LinalgLuFactorExBackward0": torch.linalg.lu_factor(A).LU,
        "LuUnpackBackward0": torch.lu_unpack(*torch.linalg.lu_factor(A)).L,
    }
    assert {name: each.grad_fn.name() for name, each in results.items()} == {name: name for name in results}
    assert torch.linalg.lu(A).P.grad_fn is None
    assert not torch.linalg.cholesky_ex(A).info.requires_grad


# ---- refusals


def test_linalg_error_is_a_runtime_error(torch):
    assert issubclass(torch.linalg.LinAlgError, RuntimeError)
    assert torch.linalg.LinAlgError.__name__ == "_LinAlgError"
    copy = pickle.loads(pickle.dumps(torch.linalg.LinAlgError("words")))
    assert (type(copy), str(copy)) == (torch.linalg.LinAlgError, "words")
    A = torch.stack([torch.eye(2), torch.tensor([[1.0, 2.0], [2.0, 1.0]])])
    with pytest.raises(torch.linalg.LinAlgError, match=r"linalg.cholesky: \(Batch element 1\): .* order 2 is not pos"):
        torch.linalg.cholesky(A)
    with pytest.raises(torch.linalg.LinAlgError, match="linalg.cholesky: The factorization .* order 2 is not positive"):
        torch.linalg.cholesky(A[1])
    assert torch.linalg.cholesky_ex(A).info.tolist() == [0, 2]
    with pytest.raises(torch.linalg.LinAlgError, match=r"linalg.cholesky_ex: \(Batch element 1\)"):
        torch.linalg.cholesky_ex(A, check_errors=True)
    with pytest.raises(torch.linalg.LinAlgError, match="cholesky_inverse: The diagonal element 2 is zero"):
        torch.cholesky_inverse(torch.diag(torch.tensor([1.0, 0.0])))


def test_a_zero_pivot_is_reported_and_refused_on_request(torch):
    A = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    assert torch.linalg.lu_factor_ex(A).info.item() == 2
    with pytest.raises(RuntimeError, match=r"torch.linalg.lu_factor: U\[2,2\] is zero"):
        torch.linalg.lu_factor(A)
    assert torch.linalg.ldl_factor_ex(torch.zeros(2, 2)).info.item() == 1


def test_numbers_that_are_not_finite(torch):
    A = torch.full((2, 2), torch.nan)
    with pytest.raises(torch.linalg.LinAlgError, match="the input matrix contained non-finite values"):
        torch.linalg.svd(A)
    with pytest.raises(torch.linalg.LinAlgError, match="order 1 is not positive-definite"):
        torch.linalg.cholesky(A)
    with pytest.raises(RuntimeError, match="torch.linalg.eig: input tensor should not contain infs or NaNs"):
        torch.linalg.eig(A)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda torch: torch.linalg.cholesky(torch.ones(2, 3)),
            "linalg.cholesky: A must be batches of square matrices",
        ),
        (lambda torch: torch.linalg.svd(torch.ones(3)), "linalg.svd: The input tensor A must have at least 2"),
        (lambda torch: torch.linalg.qr(torch.ones(2, 2).long()), "linalg.qr: Expected a floating point or complex"),
        (lambda torch: torch.linalg.qr(torch.ones(2, 2), "full"), "qr received unrecognized mode 'full'"),
        (
            lambda torch: torch.linalg.eigh(torch.ones(2, 2), "up"),
            "Expected UPLO argument to be 'L' or 'U', but got up",
        ),
        (lambda torch: torch.linalg.lu(torch.ones(2, 2), pivot=False), "LU without pivoting is not implemented on the"),
        (lambda torch: torch.linalg.svd(torch.ones(2, 2), driver="gesvd"), "keyword argument `driver=` is only supp"),
        (
            lambda torch: torch.lu_unpack(torch.ones(2, 2), torch.tensor([1, 9]).int()),
            "pivots passed to lu_unpack must",
        ),
        (lambda torch: torch.ormqr(torch.ones(3, 2), torch.ones(2), torch.ones(2, 2)), "other.shape\\[-2\\] must be"),
        (lambda torch: torch.linalg.householder_product(torch.ones(2, 3), torch.ones(2)), "greater than or equal to"),
    ],
)
def test_what_is_refused(torch, call, words):
    with pytest.raises(RuntimeError, match=words):
        call(torch)


def test_half_precision_is_refused(torch):
    for name in ("svd", "qr", "cholesky", "eigh", "lu"):
        with pytest.raises(NotImplementedError, match="not implemented for 'Half'"):
            getattr(torch.linalg, name)(torch.eye(2).half())


@pytest.mark.parametrize("name", ["cholesky", "qr", "lu"])
def test_what_is_deprecated_says_so(torch, name):
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match=f"torch.{name} is deprecated in favor of torch.linalg"):
            getattr(torch, name)(torch.eye(2))
    finally:
        torch.set_warn_always(False)


# ---- a few of many


@pytest.mark.parametrize("shape", [(20, 8), (8, 20), (2, 9, 7)])
def test_few_singular_values_are_enough_for_a_matrix_of_low_rank(torch, shape):
    A = matrix(torch, (*shape[:-1], 3)).detach() @ matrix(torch, (*shape[:-2], 3, shape[-1])).detach()
    U, S, V = torch.svd_lowrank(A, q=4)
    same(torch, U * S.unsqueeze(-2) @ V.mT, A)
    U, S, V = torch.pca_lowrank(A, q=4)
    same(torch, U * S.unsqueeze(-2) @ V.mT, A - A.mean(-2, keepdim=True))
    with pytest.raises(ValueError, match="must be non-negative integer and not greater than min"):
        torch.pca_lowrank(A, q=30)


@pytest.mark.parametrize("largest", [True, False])
def test_a_few_eigenvalues(torch, largest):
    A = positive(matrix(torch, (2, 30, 30)).detach()) / 30
    B = torch.diag(torch.linspace(1, 2, 30, dtype=torch.float64)).expand(2, 30, 30)
    every = torch.linalg.eigvalsh(A)
    expected = every.flip(-1)[:, :3] if largest else every[:, :3]
    values, vectors = torch.lobpcg(A, k=3, largest=largest, tol=1e-10)
    torch.testing.assert_close(values, expected, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(A @ vectors, vectors * values.unsqueeze(-2), rtol=1e-5, atol=1e-5)
    values, vectors = torch.lobpcg(A, k=2, B=B, largest=largest, tol=1e-10)
    torch.testing.assert_close(A @ vectors, B @ vectors * values.unsqueeze(-2), rtol=1e-5, atol=1e-5)


def test_a_few_eigenvalues_have_derivatives(torch):
    A = positive(matrix(torch, (12, 12)).detach()).requires_grad_()
    values, vectors = torch.lobpcg(A, k=2, tol=1e-12)
    (result,) = torch.autograd.grad(values.sum(), A)
    torch.testing.assert_close(result, (vectors @ vectors.mT).detach(), rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match=r"A rows \(=12\) is smaller than 3 x the number of requested eigenpairs"):
        torch.lobpcg(A, k=5)
