"""Linear algebra stays on the device: values, pivots and codes are those of the CPU, and nothing waits for them."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.arrays.cuda.again import THROUGH_CPU
from rushlight.arrays.cuda.fake.array import WAITS
from rushlight.arrays.cuda.fake.namespace import cupy, cupyx
from rushlight.arrays.cuda.fake.runtime import CUDARuntimeError
from rushlight.arrays.cuda.solvers import SIDE, Solvers

DTYPES = ["float32", "float64", "complex64", "complex128"]
BATCHES = [(), (1,), (3,), (2, 3), (400,), (0,)]
LINALG = torch.linalg


def random(shape, dtype="float64", seed=0):
    generator = np.random.default_rng(seed)
    values = generator.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * generator.standard_normal(shape)
    return torch.from_numpy(np.asarray(values).astype(dtype))


def square(batch, dtype="float64", size=3, seed=0):
    return random((*batch, size, size), dtype, seed) + 3 * torch.eye(size, dtype=getattr(torch, dtype))


def positive(batch, dtype="float64", size=3):
    A = random((*batch, size, size), dtype)
    return A @ A.mH + torch.eye(size, dtype=A.dtype)


def parts(result):
    return [result] if isinstance(result, torch.Tensor) else [each for each in result if each.numel()]


def check(function, *tensors, waits=0):
    """Checks a function on the device against that on the CPU, and how often it waits."""
    expected = parts(function(*tensors))
    moved = [x.cuda() for x in tensors]
    WAITS.clear()
    got = parts(function(*moved))
    assert WAITS.total() == waits, WAITS
    for one, other in zip(got, expected, strict=True):
        assert one.is_cuda and one.dtype == other.dtype and one.shape == other.shape and one.stride() == other.stride()
        tolerance = {"rtol": 1e-3, "atol": 1e-4} if one.dtype in (torch.float32, torch.complex64) else {}
        torch.testing.assert_close(one.cpu(), other, equal_nan=True, **tolerance)


FUNCTIONS = {
    "lu_factor_ex": lambda b, t: (LINALG.lu_factor_ex, square(b, t)),
    "lu": lambda b, t: (LINALG.lu, random((*b, 3, 3), t)),
    "P of tall ones": lambda b, t: (LINALG.lu, random((*b, 5, 3), t)),
    "P of wide ones": lambda b, t: (LINALG.lu, random((*b, 3, 5), t)),
    "lu of tall ones": lambda b, t: (LINALG.lu_factor_ex, random((*b, 4, 2), t)),
    "lu of wide ones": lambda b, t: (LINALG.lu_factor_ex, random((*b, 2, 4), t)),
    "cholesky_ex": lambda b, t: (LINALG.cholesky_ex, positive(b, t)),
    "upper": lambda b, t: (lambda A: LINALG.cholesky_ex(A, upper=True), positive(b, t)),
    "inv_ex": lambda b, t: (LINALG.inv_ex, square(b, t)),
    "solve_ex": lambda b, t: (LINALG.solve_ex, square(b, t), random((*b, 3, 2), t, 1)),
    "from the right": lambda b, t: (
        lambda A, B: LINALG.solve_ex(A, B, left=False), square(b, t), random((*b, 2, 3), t)
    ),
    "cholesky_solve": lambda b, t: (torch.cholesky_solve, random((*b, 3, 2), t, 1), square(b, t)),
    "det": lambda b, t: (LINALG.det, square(b, t)),
    "slogdet": lambda b, t: (LINALG.slogdet, square(b, t)),
    "householder_product": lambda b, t: (LINALG.householder_product, random((*b, 4, 3), t), random((*b, 2), t, 1)),
    "ormqr": lambda b, t: (torch.ormqr, random((*b, 4, 3), t), random((*b, 3), t, 1), random((*b, 4, 2), t, 2)),
    "adjoint from the right": lambda b, t: (
        lambda *x: torch.ormqr(*x, False, True), random((*b, 4, 3), t), random((*b, 3), t, 1), random((*b, 2, 4), t, 2)
    ),
    "ldl_factor_ex": lambda b, t: (LINALG.ldl_factor_ex, random((*b, 3, 3), t)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_codes_are_those_of_the_cpu(device, name, batch, dtype):
    check(*FUNCTIONS[name](batch, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("left", [False, True])
def test_triangular_equations(device, left, upper, unit, batch, dtype):
    B = random((*batch, *((3, 2) if left else (2, 3))), dtype, 1)
    check(
        lambda A, B: LINALG.solve_triangular(A, B, upper=upper, left=left, unitriangular=unit), square(batch, dtype), B
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_factors_of_any_dtype_are_unpacked(device, dtype):
    LU, pivots = random((2, 3, 4)).to(getattr(torch, dtype)), torch.tensor([[2, 3, 3], [1, 2, 3]], dtype=torch.int32)
    expected, got = torch.lu_unpack(LU, pivots), torch.lu_unpack(LU.cuda(), pivots.cuda())
    for one, other in zip(got, expected, strict=True):
        assert one.dtype is other.dtype and torch.equal(one.cpu(), other)


@pytest.mark.parametrize("shapes", [((), (4,)), ((4,), ()), ((3, 1), (4,)), ((1,), (2, 2)), ((2, 1), (2, 5))], ids=str)
def test_matrices_and_right_sides_are_broadcast(device, shapes):
    A, B = square(shapes[0]), random((*shapes[1], 3, 2), seed=1)
    check(LINALG.solve_ex, A, B)
    check(lambda A, B: LINALG.solve_triangular(A, B, upper=True), A, B)
    check(lambda A, B: LINALG.solve_triangular(A, B.mT, upper=False, left=False), A, B)
    check(torch.cholesky_solve, B, A)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_large_matrices_are_factored_one_after_the_other(device, batch):
    A = square(batch, size=SIDE + 1) * 5
    check(LINALG.lu_factor_ex, A)
    check(LINALG.solve_ex, A, random((*batch, SIDE + 1, 2), seed=1))


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (5, 4, 2), (2, 3, 2, 4)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
def test_least_squares(device, driver, dtype, shape):
    A, B = random(shape, dtype), random((*shape[:-1], 2), dtype, 1)
    expected, got = (LINALG.lstsq(*each, driver=driver) for each in ((A, B), (A.cuda(), B.cuda())))
    for one, other in zip(got, expected, strict=True):
        assert one.is_cuda and one.shape == other.shape
        torch.testing.assert_close(one.cpu(), other, rtol=2e-3, atol=1e-4)


def test_least_squares_of_low_rank(device):
    A, B = random((4, 1)) @ random((1, 3), seed=1), random((4, 2), seed=2)
    for driver in ("gelsy", "gelsd"):
        expected, got = (LINALG.lstsq(*each, driver=driver) for each in ((A, B), (A.cuda(), B.cuda())))
        torch.testing.assert_close(got.solution.cpu(), expected.solution)
        assert got.rank.tolist() == expected.rank.tolist() == 1


def test_least_squares_are_by_reflections_as_in_pytorch(device):
    A, B = random((4, 2)).cuda(), random((4, 3), seed=1).cuda()
    assert LINALG.lstsq(A, B).rank.numel() == 0  # as that of "gels"


# ---- matrices that have no factors


REFUSED = {
    "inv": (LINALG.inv, lambda: torch.diag(torch.tensor([1.0, 0, 2]))),
    "inv of several": (LINALG.inv, lambda: torch.stack([torch.eye(3), torch.diag(torch.tensor([1.0, 2, 0]))])),
    "solve": (lambda A: LINALG.solve(A, torch.ones(3, 1).to(A.device)), lambda: torch.zeros(3, 3)),
    "cholesky": (LINALG.cholesky, lambda: torch.diag(torch.tensor([1.0, -1, 2]))),
    "cholesky of several": (LINALG.cholesky, lambda: torch.stack([torch.eye(3), -torch.eye(3)])),
    "cholesky_ex": (lambda A: LINALG.cholesky_ex(A, check_errors=True), lambda: torch.zeros(2, 2)),
    "cholesky_inverse": (torch.cholesky_inverse, lambda: torch.zeros(2, 2)),
    "lu_factor": (LINALG.lu_factor, lambda: torch.zeros(2, 2)),
    "ldl_factor": (LINALG.ldl_factor, lambda: torch.zeros(2, 2)),
    "lstsq": (
        lambda A: LINALG.lstsq(A, torch.ones(2, 1).to(A.device), driver="gels"),
        lambda: torch.eye(2)[:, :1] * torch.eye(2),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_errors_are_those_of_the_cpu(device, name):
    function, make = REFUSED[name]
    with pytest.raises(RuntimeError) as expected:
        function(make())
    with pytest.raises(type(expected.value)) as got:
        function(make().cuda())
    assert str(got.value) == str(expected.value)


@pytest.mark.parametrize("batch", [(), (3,), (400,)], ids=str)
def test_the_codes_of_singular_matrices_are_those_of_the_cpu(device, batch):
    A = square(batch)
    A[..., 1] = 0
    for function in (LINALG.inv_ex, LINALG.lu_factor_ex):
        expected, got = function(A).info, function(A.cuda()).info
        assert got.cpu().tolist() == expected.tolist() and got.shape == batch
    check(LINALG.det, A)
    check(LINALG.slogdet, A)


def test_minors_that_are_not_positive_and_nan_are_found(device):
    A, nan = torch.stack([torch.eye(3), torch.diag(torch.tensor([1.0, -1, 2]))]), torch.full((3, 3), torch.nan)
    assert LINALG.cholesky_ex(A.cuda()).info.cpu().tolist() == LINALG.cholesky_ex(A).info.tolist() == [0, 2]
    assert LINALG.cholesky_ex(nan.cuda()).info.item() == LINALG.cholesky_ex(nan).info.item() == 1
    assert LINALG.det(nan.cuda()).isnan() and LINALG.slogdet(nan.cuda()).logabsdet.isnan()


@pytest.mark.parametrize("function", [LINALG.svd, LINALG.svdvals, LINALG.pinv, LINALG.matrix_rank])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_what_does_not_converge_is_an_error(device, function, batch):
    A = torch.ones(*batch, 3, 3)
    A[..., 0, 0] = torch.nan
    with pytest.raises(LINALG.LinAlgError) as expected:
        function(A)
    with pytest.raises(LINALG.LinAlgError) as got:
        function(A.cuda())
    assert str(got.value) == str(expected.value)


def test_the_fake_reports_no_error_that_is_not_asked_for():
    with cupy.cuda.Stream.null:
        left, values, right = cupy.linalg.svd(cupy.full((2, 3, 2), np.nan), False)
        assert left.shape == (2, 3, 2) and values.shape == (2, 2) and bool(cupy.isnan(right).all())
        with cupyx.errstate(linalg="raise"), pytest.raises(np.linalg.LinAlgError):
            cupy.linalg.svd(cupy.full((3, 2), np.nan))
        with pytest.raises(NotImplementedError), cupyx.errstate(divide="raise"):
            pass


def test_an_error_waits_once_and_a_code_does_not(device):
    A = square((3,)).cuda()
    WAITS.clear()
    result, info = LINALG.inv_ex(A)
    assert not WAITS
    LINALG.inv(A)
    assert WAITS.total() == 1
    LINALG.lstsq(A[..., :2], A)
    assert WAITS.total() == 2


# ---- order


def test_routines_are_queued_on_the_current_stream(device):
    A, B, side = square((4,)), random((4, 3, 2), seed=1), torch.cuda.Stream()
    on_device = A.cuda(), B.cuda()
    with torch.cuda.stream(side):
        result, info = LINALG.solve_ex(*on_device)
        half = LINALG.solve_triangular(*on_device, upper=True)
        factor = LINALG.cholesky_ex(on_device[0] @ on_device[0].mT).L
    del on_device
    assert not side.query()
    side.synchronize()
    torch.testing.assert_close(result.cpu(), LINALG.solve(A, B))
    torch.testing.assert_close(half.cpu(), LINALG.solve_triangular(A, B, upper=True))
    torch.testing.assert_close(factor.cpu(), LINALG.cholesky(A @ A.mT))


def test_what_stays_on_the_cpu_has_a_reason():
    assert THROUGH_CPU == {"ldl": "factored ldl_solve", "special": "airy_ai", "spectra": "lobpcg"}


@pytest.mark.parametrize("size", [9, 40])
def test_a_few_eigenpairs_are_those_of_the_cpu(device, size):
    A, X = positive((), size=size), random((size, 2), seed=1)
    B = torch.diag(torch.linspace(1, 2, size, dtype=A.dtype))
    for named in ({"X": X}, {"X": X, "B": B}, {"k": 2}):
        there = {name: each.cuda() if isinstance(each, torch.Tensor) else each for name, each in named.items()}
        values, vectors = torch.lobpcg(A.cuda(), tol=1e-10, **there)
        assert values.is_cuda and vectors.is_cuda
        torch.testing.assert_close(values.cpu(), torch.lobpcg(A, tol=1e-10, **named)[0])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_hermitian_factors_come_from_the_cpu(device, dtype):
    A = positive((2,), dtype)
    expected, got = (LINALG.ldl_factor(each, hermitian=True) for each in (A, A.cuda()))
    assert got.LD.is_cuda and got.pivots.cpu().tolist() == expected.pivots.tolist()
    torch.testing.assert_close(got.LD.cpu(), expected.LD)


# ---- the fake libraries


def test_an_address_that_is_not_the_devices_is_an_error():
    stack = cupy.ones((2, 3, 3))
    solvers = Solvers(cupy)
    pivots, info = solvers.integers(2, 3), solvers.integers(2)
    factor = solvers.blas("getrfBatched", stack)
    with pytest.raises(CUDARuntimeError, match="illegal memory access"):
        factor(3, stack.data.ptr, 3, pivots.data.ptr, info.data.ptr, 2)  # numbers in place of addresses
    factor, work = solvers.with_workspace("getrf", stack, 3, 3, stack.data.ptr, 3)
    with pytest.raises(CUDARuntimeError, match="illegal memory access"):
        factor(3, 3, np.ones((3, 3)).ctypes.data, 3, work.data.ptr, pivots.data.ptr, info.data.ptr)
    with pytest.raises(CUDARuntimeError, match="illegal memory access"):
        factor(9, 9, stack.data.ptr, 9, work.data.ptr, pivots.data.ptr, info.data.ptr)  # more than there is
    with pytest.raises(TypeError, match="takes a handle and m n A lda work devIpiv devInfo"):
        factor(3, 3, stack.data.ptr)


def test_the_libraries_have_no_routine_that_cupy_has_not():
    for library, name in ((cupy.cuda.cusolver, "spotri"), (cupy.cuda.cusolver, "chetrf"), (cupy.cuda.cublas, "sgesv")):
        with pytest.raises(AttributeError, match=name):
            getattr(library, name)


def test_a_replay_of_a_simulated_gpu_checks_matrices(device):
    x, graph = torch.eye(3, device="cuda"), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = LINALG.inv(x)
    x.mul_(2)
    graph.replay()
    assert torch.equal(result, torch.eye(3, device="cuda") / 2)
    x.zero_()
    with pytest.raises(LINALG.LinAlgError, match="The diagonal element 1 is zero"):
        graph.replay()
