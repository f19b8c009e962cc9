"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.raw as F

library.load('linalg')

xp_cofactor_changes = xp.cofactor_changes
xp_cofactors = xp.cofactors
xp_least_squares = xp.least_squares
forward_cholesky = OPS['cholesky'].forward
forward_cholesky_factor = OPS['cholesky_factor'].forward
forward_cholesky_inverse = OPS['cholesky_inverse'].forward
forward_cholesky_solve = OPS['cholesky_solve'].forward
forward_det = OPS['det'].forward
forward_eigenvalues_of_any = OPS['eigenvalues_of_any'].forward
forward_eigenvalues_of_hermitian = OPS['eigenvalues_of_hermitian'].forward
forward_few_eigenpairs = OPS['few_eigenpairs'].forward
forward_geqrf = OPS['geqrf'].forward
forward_inverse = OPS['inverse'].forward
forward_inverse_and_info = OPS['inverse_and_info'].forward
forward_linalg_cholesky = OPS['linalg_cholesky'].forward
forward_linalg_cholesky_ex = OPS['linalg_cholesky_ex'].forward
forward_linalg_cond = OPS['linalg_cond'].forward
forward_linalg_det = OPS['linalg_det'].forward
forward_linalg_diagonal = OPS['linalg_diagonal'].forward
forward_linalg_eig = OPS['linalg_eig'].forward
forward_linalg_eigh = OPS['linalg_eigh'].forward
forward_linalg_eigvals = OPS['linalg_eigvals'].forward
forward_linalg_eigvalsh = OPS['linalg_eigvalsh'].forward
forward_linalg_householder_product = OPS['linalg_householder_product'].forward
forward_linalg_inv = OPS['linalg_inv'].forward
forward_linalg_inv_ex = OPS['linalg_inv_ex'].forward
forward_linalg_ldl_factor = OPS['linalg_ldl_factor'].forward
forward_linalg_ldl_factor_ex = OPS['linalg_ldl_factor_ex'].forward
forward_linalg_ldl_solve = OPS['linalg_ldl_solve'].forward
forward_linalg_lstsq = OPS['linalg_lstsq'].forward
forward_linalg_lu = OPS['linalg_lu'].forward
forward_linalg_lu_factor = OPS['linalg_lu_factor'].forward
forward_linalg_lu_factor_ex = OPS['linalg_lu_factor_ex'].forward
forward_linalg_lu_solve = OPS['linalg_lu_solve'].forward
forward_linalg_matmul = OPS['linalg_matmul'].forward
forward_linalg_matrix_exp = OPS['linalg_matrix_exp'].forward
forward_linalg_matrix_norm = OPS['linalg_matrix_norm'].forward
forward_linalg_matrix_power = OPS['linalg_matrix_power'].forward
forward_linalg_matrix_rank = OPS['linalg_matrix_rank'].forward
forward_linalg_norm = OPS['linalg_norm'].forward
forward_linalg_pinv = OPS['linalg_pinv'].forward
forward_linalg_qr = OPS['linalg_qr'].forward
forward_linalg_slogdet = OPS['linalg_slogdet'].forward
forward_linalg_solve = OPS['linalg_solve'].forward
forward_linalg_solve_ex = OPS['linalg_solve_ex'].forward
forward_linalg_solve_triangular = OPS['linalg_solve_triangular'].forward
forward_linalg_svd = OPS['linalg_svd'].forward
forward_linalg_svdvals = OPS['linalg_svdvals'].forward
forward_linalg_tensorinv = OPS['linalg_tensorinv'].forward
forward_linalg_tensorsolve = OPS['linalg_tensorsolve'].forward
forward_linalg_vander = OPS['linalg_vander'].forward
forward_lobpcg = OPS['lobpcg'].forward
forward_logdet = OPS['logdet'].forward
forward_lu = OPS['lu'].forward
forward_lu_solve = OPS['lu_solve'].forward
forward_lu_unpack = OPS['lu_unpack'].forward
forward_matrix_exp = OPS['matrix_exp'].forward
forward_matrix_power = OPS['matrix_power'].forward
forward_orgqr = OPS['orgqr'].forward
forward_ormqr = OPS['ormqr'].forward
forward_pca_lowrank = OPS['pca_lowrank'].forward
forward_pinverse = OPS['pinverse'].forward
forward_pseudo_inverse = OPS['pseudo_inverse'].forward
forward_qr = OPS['qr'].forward
forward_random_directions = OPS['random_directions'].forward
forward_rank = OPS['rank'].forward
forward_sign_and_log_determinant = OPS['sign_and_log_determinant'].forward
forward_singular_values = OPS['singular_values'].forward
forward_slogdet = OPS['slogdet'].forward
forward_solution_and_info = OPS['solution_and_info'].forward
forward_svd = OPS['svd'].forward
forward_svd_lowrank = OPS['svd_lowrank'].forward
forward_triangular_solve = OPS['triangular_solve'].forward
forward_vander = OPS['vander'].forward


def cholesky(input, upper=False):
    return forward_cholesky(F, input, upper)


def cholesky_factor(input, upper=False):
    return forward_cholesky_factor(xp, input, upper)


def cholesky_inverse(L, upper=False):
    return forward_cholesky_inverse(xp, L, upper)


def cholesky_solve(input, input2, upper=False):
    return forward_cholesky_solve(F, input, input2, upper)


def cofactor_changes(A, D):
    return xp_cofactor_changes(A, D)


def cofactors(A):
    return xp_cofactors(A)


def det(input):
    return forward_det(F, input)


def eigenvalues_of_any(A):
    return forward_eigenvalues_of_any(xp, A)


def eigenvalues_of_hermitian(A, UPLO):
    return forward_eigenvalues_of_hermitian(xp, A, UPLO)


def few_eigenpairs(A, B, X, iK, count, largest, niter, tol):
    return forward_few_eigenpairs(xp, A, B, X, iK, count, largest, niter, tol)


def geqrf(input):
    return forward_geqrf(xp, input)


def inverse(input):
    return forward_inverse(F, input)


def inverse_and_info(A):
    return forward_inverse_and_info(xp, A)


def least_squares(input, b, rcond, driver):
    return xp_least_squares(input, b, rcond, driver)


def linalg_cholesky(A, *, upper=False):
    return forward_linalg_cholesky(F, A, upper=upper)


def linalg_cholesky_ex(A, *, upper=False, check_errors=False):
    return forward_linalg_cholesky_ex(xp, A, upper=upper, check_errors=check_errors)


def linalg_cond(A, p=None):
    return forward_linalg_cond(F, A, p)


def linalg_det(A):
    return forward_linalg_det(xp, A)


def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return forward_linalg_diagonal(F, A, offset=offset, dim1=dim1, dim2=dim2)


def linalg_eig(A):
    return forward_linalg_eig(xp, A)


def linalg_eigh(A, UPLO='L'):
    return forward_linalg_eigh(xp, A, UPLO)


def linalg_eigvals(A):
    return forward_linalg_eigvals(F, A)


def linalg_eigvalsh(A, UPLO='L'):
    return forward_linalg_eigvalsh(F, A, UPLO)


def linalg_householder_product(A, tau):
    return forward_linalg_householder_product(xp, A, tau)


def linalg_inv(A):
    return forward_linalg_inv(F, A)


def linalg_inv_ex(A, *, check_errors=False):
    return forward_linalg_inv_ex(F, A, check_errors=check_errors)


def linalg_ldl_factor(A, *, hermitian=False):
    return forward_linalg_ldl_factor(F, A, hermitian=hermitian)


def linalg_ldl_factor_ex(A, *, hermitian=False, check_errors=False):
    return forward_linalg_ldl_factor_ex(xp, A, hermitian=hermitian, check_errors=check_errors)


def linalg_ldl_solve(LD, pivots, B, *, hermitian=False):
    return forward_linalg_ldl_solve(xp, LD, pivots, B, hermitian=hermitian)


def linalg_lstsq(input, b, rcond=None, *, driver=None):
    return forward_linalg_lstsq(F, input, b, rcond, driver=driver)


def linalg_lu(A, *, pivot=True):
    return forward_linalg_lu(xp, A, pivot=pivot)


def linalg_lu_factor(A, *, pivot=True):
    return forward_linalg_lu_factor(F, A, pivot=pivot)


def linalg_lu_factor_ex(A, *, pivot=True, check_errors=False):
    return forward_linalg_lu_factor_ex(xp, A, pivot=pivot, check_errors=check_errors)


def linalg_lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    return forward_linalg_lu_solve(F, LU, pivots, B, left=left, adjoint=adjoint)


def linalg_matmul(input, other):
    return forward_linalg_matmul(F, input, other)


def linalg_matrix_exp(A):
    return forward_linalg_matrix_exp(xp, A)


def linalg_matrix_norm(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None):
    return forward_linalg_matrix_norm(F, A, ord, dim, keepdim, dtype=dtype)


def linalg_matrix_power(A, n):
    return forward_linalg_matrix_power(F, A, n)


def linalg_matrix_rank(input, tol=None, hermitian=False, *, atol=None, rtol=None):
    return forward_linalg_matrix_rank(F, input, tol, hermitian, atol=atol, rtol=rtol)


def linalg_norm(input, ord=None, dim=None, keepdim=False, *, dtype=None):
    return forward_linalg_norm(F, input, ord, dim, keepdim, dtype=dtype)


def linalg_pinv(input, rcond=None, hermitian=False, *, atol=None, rtol=None):
    return forward_linalg_pinv(F, input, rcond, hermitian, atol=atol, rtol=rtol)


def linalg_qr(A, mode='reduced'):
    return forward_linalg_qr(xp, A, mode)


def linalg_slogdet(A):
    return forward_linalg_slogdet(F, A)


def linalg_solve(A, B, *, left=True):
    return forward_linalg_solve(F, A, B, left=left)


def linalg_solve_ex(A, B, *, left=True, check_errors=False):
    return forward_linalg_solve_ex(F, A, B, left=left, check_errors=check_errors)


def linalg_solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    return forward_linalg_solve_triangular(xp, A, B, upper=upper, left=left, unitriangular=unitriangular)


def linalg_svd(A, full_matrices=True, *, driver=None):
    return forward_linalg_svd(xp, A, full_matrices, driver=driver)


def linalg_svdvals(A, *, driver=None):
    return forward_linalg_svdvals(F, A, driver=driver)


def linalg_tensorinv(A, ind=2):
    return forward_linalg_tensorinv(F, A, ind)


def linalg_tensorsolve(A, B, dims=None):
    return forward_linalg_tensorsolve(F, A, B, dims)


def linalg_vander(x, N=None):
    return forward_linalg_vander(F, x, N)


def lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None, ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
    return forward_lobpcg(F, A, k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams)


def logdet(input):
    return forward_logdet(F, input)


def lu(A, pivot=True, get_infos=False):
    return forward_lu(F, A, pivot, get_infos)


def lu_solve(input, LU_data, LU_pivots):
    return forward_lu_solve(F, input, LU_data, LU_pivots)


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    return forward_lu_unpack(xp, LU_data, LU_pivots, unpack_data, unpack_pivots)


def matrix_exp(input):
    return forward_matrix_exp(F, input)


def matrix_power(input, n):
    return forward_matrix_power(F, input, n)


def orgqr(input, input2):
    return forward_orgqr(F, input, input2)


def ormqr(input, tau, other, left=True, transpose=False):
    return forward_ormqr(xp, input, tau, other, left, transpose)


def pca_lowrank(A, q=None, center=True, niter=2):
    return forward_pca_lowrank(F, A, q, center, niter)


def pinverse(input, rcond=1e-15):
    return forward_pinverse(F, input, rcond)


def pseudo_inverse(A, atol=None, rtol=None, hermitian=False):
    return forward_pseudo_inverse(xp, A, atol, rtol, hermitian)


def qr(input, some=True):
    return forward_qr(F, input, some)


def random_directions(input, count):
    return forward_random_directions(xp, input, count)


def rank(A, atol=None, rtol=None, hermitian=False):
    return forward_rank(xp, A, atol, rtol, hermitian)


def sign_and_log_determinant(A, name):
    return forward_sign_and_log_determinant(xp, A, name)


def singular_values(A):
    return forward_singular_values(xp, A)


def slogdet(input):
    return forward_slogdet(F, input)


def solution_and_info(A, B, left):
    return forward_solution_and_info(xp, A, B, left)


def svd(input, some=True, compute_uv=True):
    return forward_svd(F, input, some, compute_uv)


def svd_lowrank(A, q=6, niter=2, M=None):
    return forward_svd_lowrank(F, A, q, niter, M)


def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False):
    return forward_triangular_solve(F, input, A, upper, transpose, unitriangular)


def vander(x, N=None, increasing=False):
    return forward_vander(F, x, N, increasing)
