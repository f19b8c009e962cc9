"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident

import numpy as np

import rushlight.arrays.cpu as xp
from rushlight.core.dtype import bool as bool_, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.clock import tick
from rushlight.core.graph import SEVERAL, Node, Output, Saving, show_saved
from rushlight.core.history import edge_of
from rushlight.core.maker import maker_of
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.noting import ENTRY, NOTING, NOWHERE, PROGRAM, frame_at, outside
from rushlight.core.ignoring import IGNORED, reset_errors, set_errors
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.size import Size
from rushlight.core.storage import InferenceStorage, new_storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.autocast import autocasted, uncast
from rushlight.dispatch.calls import renamed
from rushlight.dispatch.general import accepted, explain_arguments, general
from rushlight.dispatch.in_place_numbers import EASY
from rushlight.dispatch.methods import documented, show_arguments
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import all_written_to, into, written_to
from rushlight.declarations import library
from rushlight.declarations.declare import NOTHING, OPS
from rushlight.declarations.promote import as_dtype

import rushlight._generated.functions as F

library.load('linalg')

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
INT64, BOOL, INT32 = int64.numpy, bool_.numpy, int32.numpy
UINT8, INT8, INT16 = uint8.numpy, int8.numpy, int16.numpy
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_cofactor_changes = xp.cofactor_changes
xp_cofactors = xp.cofactors
xp_least_squares = xp.least_squares

OP_cholesky = OPS['cholesky']
composite_cholesky = OP_cholesky.forward
OP_cholesky_factor = OPS['cholesky_factor']
forward_cholesky_factor = OP_cholesky_factor.forward
derivative_cholesky_factor_input = OP_cholesky_factor.derivatives['input']
OP_cholesky_inverse = OPS['cholesky_inverse']
forward_cholesky_inverse = OP_cholesky_inverse.forward
derivative_cholesky_inverse_L = OP_cholesky_inverse.derivatives['L']
OP_cholesky_solve = OPS['cholesky_solve']
composite_cholesky_solve = OP_cholesky_solve.forward
OP_cofactor_changes = OPS['cofactor_changes']
derivative_cofactor_changes_A = OP_cofactor_changes.derivatives['A']
OP_cofactors = OPS['cofactors']
OP_det = OPS['det']
composite_det = OP_det.forward
OP_eigenvalues_of_any = OPS['eigenvalues_of_any']
forward_eigenvalues_of_any = OP_eigenvalues_of_any.forward
OP_eigenvalues_of_hermitian = OPS['eigenvalues_of_hermitian']
forward_eigenvalues_of_hermitian = OP_eigenvalues_of_hermitian.forward
OP_few_eigenpairs = OPS['few_eigenpairs']
forward_few_eigenpairs = OP_few_eigenpairs.forward
OP_geqrf = OPS['geqrf']
forward_geqrf = OP_geqrf.forward
derivative_geqrf_input = OP_geqrf.derivatives['input']
OP_inverse = OPS['inverse']
composite_inverse = OP_inverse.forward
OP_inverse_and_info = OPS['inverse_and_info']
forward_inverse_and_info = OP_inverse_and_info.forward
derivative_inverse_and_info_A = OP_inverse_and_info.derivatives['A']
OP_least_squares = OPS['least_squares']
common_least_squares = OP_least_squares.common
derivative_least_squares_input = OP_least_squares.derivatives['input']
derivative_least_squares_b = OP_least_squares.derivatives['b']
OP_linalg_cholesky = OPS['linalg_cholesky']
composite_linalg_cholesky = OP_linalg_cholesky.forward
OP_linalg_cholesky_ex = OPS['linalg_cholesky_ex']
forward_linalg_cholesky_ex = OP_linalg_cholesky_ex.forward
derivative_linalg_cholesky_ex_A = OP_linalg_cholesky_ex.derivatives['A']
OP_linalg_cond = OPS['linalg_cond']
composite_linalg_cond = OP_linalg_cond.forward
OP_linalg_det = OPS['linalg_det']
forward_linalg_det = OP_linalg_det.forward
derivative_linalg_det_A = OP_linalg_det.derivatives['A']
OP_linalg_diagonal = OPS['linalg_diagonal']
composite_linalg_diagonal = OP_linalg_diagonal.forward
OP_linalg_eig = OPS['linalg_eig']
forward_linalg_eig = OP_linalg_eig.forward
derivative_linalg_eig_A = OP_linalg_eig.derivatives['A']
OP_linalg_eigh = OPS['linalg_eigh']
forward_linalg_eigh = OP_linalg_eigh.forward
derivative_linalg_eigh_A = OP_linalg_eigh.derivatives['A']
OP_linalg_eigvals = OPS['linalg_eigvals']
composite_linalg_eigvals = OP_linalg_eigvals.forward
OP_linalg_eigvalsh = OPS['linalg_eigvalsh']
composite_linalg_eigvalsh = OP_linalg_eigvalsh.forward
OP_linalg_householder_product = OPS['linalg_householder_product']
forward_linalg_householder_product = OP_linalg_householder_product.forward
common_linalg_householder_product = OP_linalg_householder_product.common
OP_linalg_inv = OPS['linalg_inv']
composite_linalg_inv = OP_linalg_inv.forward
OP_linalg_inv_ex = OPS['linalg_inv_ex']
composite_linalg_inv_ex = OP_linalg_inv_ex.forward
OP_linalg_ldl_factor = OPS['linalg_ldl_factor']
composite_linalg_ldl_factor = OP_linalg_ldl_factor.forward
OP_linalg_ldl_factor_ex = OPS['linalg_ldl_factor_ex']
forward_linalg_ldl_factor_ex = OP_linalg_ldl_factor_ex.forward
derivative_linalg_ldl_factor_ex_A = OP_linalg_ldl_factor_ex.derivatives['A']
OP_linalg_ldl_solve = OPS['linalg_ldl_solve']
forward_linalg_ldl_solve = OP_linalg_ldl_solve.forward
derivative_linalg_ldl_solve_LD = OP_linalg_ldl_solve.derivatives['LD']
derivative_linalg_ldl_solve_B = OP_linalg_ldl_solve.derivatives['B']
OP_linalg_lstsq = OPS['linalg_lstsq']
composite_linalg_lstsq = OP_linalg_lstsq.forward
OP_linalg_lu = OPS['linalg_lu']
forward_linalg_lu = OP_linalg_lu.forward
derivative_linalg_lu_A = OP_linalg_lu.derivatives['A']
OP_linalg_lu_factor = OPS['linalg_lu_factor']
composite_linalg_lu_factor = OP_linalg_lu_factor.forward
OP_linalg_lu_factor_ex = OPS['linalg_lu_factor_ex']
forward_linalg_lu_factor_ex = OP_linalg_lu_factor_ex.forward
derivative_linalg_lu_factor_ex_A = OP_linalg_lu_factor_ex.derivatives['A']
OP_linalg_lu_solve = OPS['linalg_lu_solve']
composite_linalg_lu_solve = OP_linalg_lu_solve.forward
OP_linalg_matmul = OPS['linalg_matmul']
composite_linalg_matmul = OP_linalg_matmul.forward
OP_linalg_matrix_exp = OPS['linalg_matrix_exp']
forward_linalg_matrix_exp = OP_linalg_matrix_exp.forward
derivative_linalg_matrix_exp_A = OP_linalg_matrix_exp.derivatives['A']
OP_linalg_matrix_norm = OPS['linalg_matrix_norm']
composite_linalg_matrix_norm = OP_linalg_matrix_norm.forward
OP_linalg_matrix_power = OPS['linalg_matrix_power']
composite_linalg_matrix_power = OP_linalg_matrix_power.forward
OP_linalg_matrix_rank = OPS['linalg_matrix_rank']
composite_linalg_matrix_rank = OP_linalg_matrix_rank.forward
OP_linalg_norm = OPS['linalg_norm']
composite_linalg_norm = OP_linalg_norm.forward
OP_linalg_pinv = OPS['linalg_pinv']
composite_linalg_pinv = OP_linalg_pinv.forward
OP_linalg_qr = OPS['linalg_qr']
forward_linalg_qr = OP_linalg_qr.forward
derivative_linalg_qr_A = OP_linalg_qr.derivatives['A']
OP_linalg_slogdet = OPS['linalg_slogdet']
composite_linalg_slogdet = OP_linalg_slogdet.forward
OP_linalg_solve = OPS['linalg_solve']
composite_linalg_solve = OP_linalg_solve.forward
OP_linalg_solve_ex = OPS['linalg_solve_ex']
composite_linalg_solve_ex = OP_linalg_solve_ex.forward
OP_linalg_solve_triangular = OPS['linalg_solve_triangular']
forward_linalg_solve_triangular = OP_linalg_solve_triangular.forward
common_linalg_solve_triangular = OP_linalg_solve_triangular.common
derivative_linalg_solve_triangular_A = OP_linalg_solve_triangular.derivatives['A']
OP_linalg_svd = OPS['linalg_svd']
forward_linalg_svd = OP_linalg_svd.forward
derivative_linalg_svd_A = OP_linalg_svd.derivatives['A']
OP_linalg_svdvals = OPS['linalg_svdvals']
composite_linalg_svdvals = OP_linalg_svdvals.forward
OP_linalg_tensorinv = OPS['linalg_tensorinv']
composite_linalg_tensorinv = OP_linalg_tensorinv.forward
OP_linalg_tensorsolve = OPS['linalg_tensorsolve']
composite_linalg_tensorsolve = OP_linalg_tensorsolve.forward
OP_linalg_vander = OPS['linalg_vander']
composite_linalg_vander = OP_linalg_vander.forward
OP_lobpcg = OPS['lobpcg']
composite_lobpcg = OP_lobpcg.forward
OP_logdet = OPS['logdet']
composite_logdet = OP_logdet.forward
OP_lu = OPS['lu']
composite_lu = OP_lu.forward
OP_lu_solve = OPS['lu_solve']
composite_lu_solve = OP_lu_solve.forward
OP_lu_unpack = OPS['lu_unpack']
forward_lu_unpack = OP_lu_unpack.forward
derivative_lu_unpack_LU_data = OP_lu_unpack.derivatives['LU_data']
OP_matrix_exp = OPS['matrix_exp']
composite_matrix_exp = OP_matrix_exp.forward
OP_matrix_power = OPS['matrix_power']
composite_matrix_power = OP_matrix_power.forward
OP_orgqr = OPS['orgqr']
composite_orgqr = OP_orgqr.forward
OP_ormqr = OPS['ormqr']
forward_ormqr = OP_ormqr.forward
derivative_ormqr_input = OP_ormqr.derivatives['input']
derivative_ormqr_tau = OP_ormqr.derivatives['tau']
OP_pca_lowrank = OPS['pca_lowrank']
composite_pca_lowrank = OP_pca_lowrank.forward
OP_pinverse = OPS['pinverse']
composite_pinverse = OP_pinverse.forward
OP_pseudo_inverse = OPS['pseudo_inverse']
forward_pseudo_inverse = OP_pseudo_inverse.forward
derivative_pseudo_inverse_A = OP_pseudo_inverse.derivatives['A']
OP_qr = OPS['qr']
composite_qr = OP_qr.forward
OP_random_directions = OPS['random_directions']
forward_random_directions = OP_random_directions.forward
OP_rank = OPS['rank']
forward_rank = OP_rank.forward
OP_sign_and_log_determinant = OPS['sign_and_log_determinant']
forward_sign_and_log_determinant = OP_sign_and_log_determinant.forward
derivative_sign_and_log_determinant_A = OP_sign_and_log_determinant.derivatives['A']
OP_singular_values = OPS['singular_values']
forward_singular_values = OP_singular_values.forward
OP_slogdet = OPS['slogdet']
composite_slogdet = OP_slogdet.forward
OP_solution_and_info = OPS['solution_and_info']
forward_solution_and_info = OP_solution_and_info.forward
common_solution_and_info = OP_solution_and_info.common
derivative_solution_and_info_A = OP_solution_and_info.derivatives['A']
derivative_solution_and_info_B = OP_solution_and_info.derivatives['B']
OP_svd = OPS['svd']
composite_svd = OP_svd.forward
OP_svd_lowrank = OPS['svd_lowrank']
composite_svd_lowrank = OP_svd_lowrank.forward
OP_triangular_solve = OPS['triangular_solve']
composite_triangular_solve = OP_triangular_solve.forward
OP_vander = OPS['vander']
composite_vander = OP_vander.forward


def cholesky(input, upper=False, *, out=None):
    """`torch.linalg.cholesky`. Deprecated: see its warning."""
    if upper is not False and upper is not True:
        input, upper = accepted(OP_cholesky, (input, upper))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_cholesky, (input, upper), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_cholesky, (input, upper))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_cholesky, composite_cholesky, F, (input, upper), dict())
    if out is not None:
        return into(out, 'cholesky', uncast(composite_cholesky, F, input, upper), OP_cholesky, (input, upper))
    try:
        return composite_cholesky(F, input, upper)
    except Exception:
        explain_arguments(OP_cholesky, (input, upper))
        raise


OP_cholesky.function = cholesky


def cholesky_factor_backward(F, node, saved, g, edges):
    out, = saved
    upper, = node.params
    return (derivative_cholesky_factor_input(F, g, out, upper),)


class CholeskyBackward0(Saving):
    op = OPS['cholesky_factor']
    saves = ('out',)
    parameters = ('upper',)
    backward = staticmethod(cholesky_factor_backward)
    backward_complex = staticmethod(cholesky_factor_backward)


new_CholeskyBackward0 = maker_of(CholeskyBackward0)


OP_cholesky_factor.nodes = (CholeskyBackward0,)


OP_cholesky_factor.select_node = lambda input, upper: CholeskyBackward0


def cholesky_factor(input, upper=False):
    """L of `A = L L^H`, its adjoint if `upper`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_cholesky_factor(xp, input_array, upper)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_CholeskyBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_result,)
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (out_storage,)
                    _node.versions = (0,)
                    _node.params = (upper,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cholesky_factor, (input, upper))


OP_cholesky_factor.function = cholesky_factor


def cholesky_inverse_backward(F, node, saved, g, edges):
    L, out = saved
    upper, = node.params
    return (derivative_cholesky_inverse_L(F, g, L, out, upper),)


class CholeskyInverseBackward0(Saving):
    op = OPS['cholesky_inverse']
    saves = ('L', 'out')
    parameters = ('upper',)
    backward = staticmethod(cholesky_inverse_backward)
    backward_complex = staticmethod(cholesky_inverse_backward)


new_CholeskyInverseBackward0 = maker_of(CholeskyInverseBackward0)


OP_cholesky_inverse.nodes = (CholeskyInverseBackward0,)


OP_cholesky_inverse.select_node = lambda L, upper: CholeskyInverseBackward0


def cholesky_inverse(L, upper=False, *, out=None):
    """The inverse of `L L^H`, given L, or its adjoint if `upper`."""
    if upper is not False and upper is not True:
        L, upper = accepted(OP_cholesky_inverse, (L, upper))
    if (type(L) is Tensor or type(L) in PLAIN_TYPES):
        L_array = L._array
        _mode = get_mode()
        if ((_dtype := L_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_cholesky_inverse(xp, L_array, upper)
                if out is not None:
                    return written_to(out, _result, OP_cholesky_inverse, L)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (L_edge := L._edge if (_base := L._base) is None or L._generation == _base._generation else edge_of(L)) is not None:
                    _node = new_CholeskyInverseBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (L_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (L_array, _result)
                    if (L_storage := L._store) is None:
                        L_storage = L._store = new_storage(None)
                        L_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (L_storage, out_storage)
                    _node.versions = (L_storage.version, 0)
                    _node.params = (upper,)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cholesky_inverse, (L, upper), out)


OP_cholesky_inverse.function = cholesky_inverse


def cholesky_solve(input=NOTHING, input2=NOTHING, upper=False, *, out=None, **named):
    """The `X` with `A @ X = B`, where `A` is `L @ L.mH`, or `L.mH @ L` if `upper`: L is its Cholesky factor."""
    if named or input is NOTHING or input2 is NOTHING:
        return renamed(OP_cholesky_solve, cholesky_solve, {'input': input, 'input2': input2, 'upper': upper, 'out': out}, named)
    if type(input2) not in PLAIN_TYPES or upper is not False and upper is not True:
        input, input2, upper = accepted(OP_cholesky_solve, (input, input2, upper))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(input2) not in PLAIN_TYPES and hasattr(input2, '__torch_function__'):
        if (_taken := taken_over(OP_cholesky_solve, (input, input2, upper), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_cholesky_solve, (input, input2, upper))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_cholesky_solve, composite_cholesky_solve, F, (input, input2, upper), dict())
    if out is not None:
        return into(out, 'cholesky_solve', uncast(composite_cholesky_solve, F, input, input2, upper), OP_cholesky_solve, (input, input2, upper))
    try:
        return composite_cholesky_solve(F, input, input2, upper)
    except Exception:
        explain_arguments(OP_cholesky_solve, (input, input2, upper))
        raise


cholesky_solve = documented(OP_cholesky_solve, cholesky_solve)


OP_cholesky_solve.function = cholesky_solve


def cofactor_changes_backward(F, node, saved, g, edges):
    A, D = saved
    A_edge, D_edge = edges
    return (None if A_edge is None else derivative_cofactor_changes_A(F, g, A, D), None if D_edge is None else F.cofactor_changes(A, g))


def cofactor_changes_backward_complex(F, node, saved, g, edges):
    A, D = saved
    A_edge, D_edge = edges
    return (None if A_edge is None else derivative_cofactor_changes_A(F, g, A, D), None if D_edge is None else F.conj(F.cofactor_changes(A, F.conj(g))))


class CofactorChangesBackward0(Saving):
    op = OPS['cofactor_changes']
    saves = ('A', 'D')
    parameters = ()
    backward = staticmethod(cofactor_changes_backward)
    backward_complex = staticmethod(cofactor_changes_backward_complex)


new_CofactorChangesBackward0 = maker_of(CofactorChangesBackward0)


OP_cofactor_changes.nodes = (CofactorChangesBackward0,)


OP_cofactor_changes.select_node = lambda A, D: CofactorChangesBackward0


def cofactor_changes(A, D):
    """How the cofactors C of A change along D: `M * <D, C> - C @ D.mT @ M`, M the transpose of A's inverse.

    <D, C> is the sum of the products. As second derivatives of one number they are symmetric: the derivative by `D` is
    the operator itself. The kernel does without the inverse; the derivative by `A`, the third of a determinant, does
    not, and is nan at a singular matrix."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES) and (type(D) is Tensor or type(D) in PLAIN_TYPES):
        A_array = A._array
        D_array = D._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is D_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_cofactor_changes(A_array, D_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    A_edge = A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)
                    D_edge = D._edge if (_base := D._base) is None or D._generation == _base._generation else edge_of(D)
                if _mode and (A_edge is not None or D_edge is not None):
                    _node = new_CofactorChangesBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge, D_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array, None if A_edge is None else D_array)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    if (D_storage := D._store) is None:
                        D_storage = D._store = new_storage(None)
                        D_storage.version = 0
                    _node.storages = (A_storage, D_storage)
                    _node.versions = (A_storage.version, D_storage.version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cofactor_changes, (A, D))


OP_cofactor_changes.function = cofactor_changes


def cofactors_backward(F, node, saved, g, edges):
    A, = saved
    return (F.cofactor_changes(A, g),)


def cofactors_backward_complex(F, node, saved, g, edges):
    A, = saved
    return (F.conj(F.cofactor_changes(A, F.conj(g))),)


class CofactorsBackward0(Saving):
    op = OPS['cofactors']
    saves = ('A',)
    parameters = ()
    backward = staticmethod(cofactors_backward)
    backward_complex = staticmethod(cofactors_backward_complex)


new_CofactorsBackward0 = maker_of(CofactorsBackward0)


OP_cofactors.nodes = (CofactorsBackward0,)


OP_cofactors.select_node = lambda A: CofactorsBackward0


def cofactors(A):
    """The derivatives of the determinants of square matrices by their elements."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_cofactors(A_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_CofactorsBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array,)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    _node.storages = (A_storage,)
                    _node.versions = (A_storage.version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_cofactors, (A,))


OP_cofactors.function = cofactors


def det(input):
    """The determinants of square matrices: `linalg.det`."""
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_det, (input,), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_det, (input,))
    try:
        return composite_det(F, input)
    except Exception:
        explain_arguments(OP_det, (input,))
        raise


OP_det.function = det


def eigenvalues_of_any(A):
    """The eigenvalues of square matrices, complex."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if type(A_array) is ndarray and A_array.dtype in EASY and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_eigenvalues_of_any(xp, A_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_eigenvalues_of_any, (A,))


OP_eigenvalues_of_any.function = eigenvalues_of_any


def eigenvalues_of_hermitian(A, UPLO):
    """The eigenvalues of Hermitian matrices, rising."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if type(A_array) is ndarray and A_array.dtype in EASY and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_eigenvalues_of_hermitian(xp, A_array, UPLO)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_eigenvalues_of_hermitian, (A, UPLO))


OP_eigenvalues_of_hermitian.function = eigenvalues_of_hermitian


def few_eigenpairs(A, B, X, iK, count, largest, niter, tol):
    """`count` eigenvalues and -vectors of `A x = lambda B x`, from the first approximations X, random if there are
    none."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES) and (B is None or type(B) in PLAIN_TYPES) and (X is None or type(X) in PLAIN_TYPES) and (iK is None or type(iK) in PLAIN_TYPES):
        A_array = A._array
        B_array = None if B is None else B._array
        X_array = None if X is None else X._array
        iK_array = None if iK is None else iK._array
        _mode = get_mode()
        if type(A_array) is ndarray and A_array.dtype in EASY and (B is None or type(B_array) is ndarray and B_array.dtype in EASY) and (X is None or type(X_array) is ndarray and X_array.dtype in EASY) and (iK is None or type(iK_array) is ndarray and iK_array.dtype in EASY) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _vectors = forward_few_eigenpairs(xp, A_array, B_array, X_array, iK_array, count, largest, niter, tol)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = new_tensor(None)
                _values_tensor._array = _values
                _values_tensor._alike = None
                _values_tensor._base = None
                _values_tensor._generation = None
                if type(_vectors) is not ndarray and isinstance(_vectors, np.generic):
                    _vectors = as_array(_vectors)
                _vectors_tensor = new_tensor(None)
                _vectors_tensor._array = _vectors
                _vectors_tensor._alike = None
                _vectors_tensor._base = None
                _vectors_tensor._generation = None
                _values_tensor._store = None
                _vectors_tensor._store = None
                _values_tensor._edge = None
                _vectors_tensor._edge = None
                if _mode is INFERENCE:
                    _values_tensor._store = InferenceStorage()
                    _vectors_tensor._store = InferenceStorage()
                return (_values_tensor, _vectors_tensor)
            finally:
                reset_errors(_token)
    return general(OP_few_eigenpairs, (A, B, X, iK, count, largest, niter, tol))


OP_few_eigenpairs.function = few_eigenpairs


def geqrf_backward(F, node, saved, g, edges):
    g_a = g
    return (derivative_geqrf_input(F, g_a),)


class GeqrfBackward0(Node):
    op = OPS['geqrf']
    saves = ()
    parameters = ()
    backward = staticmethod(geqrf_backward)
    backward_complex = staticmethod(geqrf_backward)


new_GeqrfBackward0 = maker_of(GeqrfBackward0)


OP_geqrf.nodes = (GeqrfBackward0,)


OP_geqrf.select_node = lambda input: GeqrfBackward0


def geqrf(input, *, out=None):
    """R in the upper triangle, below it the vectors of the reflections whose product is Q, and their factors `tau`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _a, _tau = forward_geqrf(xp, input_array)
                if out is not None:
                    return all_written_to(out, (_a, _tau), OP_geqrf.returned, OP_geqrf, input)
            except Exception:
                pass
            else:
                if type(_a) is not ndarray and isinstance(_a, np.generic):
                    _a = as_array(_a)
                _a_tensor = new_tensor(None)
                _a_tensor._array = _a
                _a_tensor._alike = None
                _a_tensor._base = None
                _a_tensor._generation = None
                if type(_tau) is not ndarray and isinstance(_tau, np.generic):
                    _tau = as_array(_tau)
                _tau_tensor = new_tensor(None)
                _tau_tensor._array = _tau
                _tau_tensor._alike = None
                _tau_tensor._base = None
                _tau_tensor._generation = None
                _a_tensor._store = None
                _tau_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_GeqrfBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _a_tensor._edge = _node
                    _tau_tensor._edge = None
                else:
                    _a_tensor._edge = None
                    _tau_tensor._edge = None
                    if _mode is INFERENCE:
                        _a_tensor._store = InferenceStorage()
                        _tau_tensor._store = InferenceStorage()
                return OP_geqrf.returned(_a_tensor, _tau_tensor)
            finally:
                reset_errors(_token)
    return general(OP_geqrf, (input,), out)


OP_geqrf.function = geqrf


def inverse(input, *, out=None):
    """The inverses of square matrices: `linalg.inv`."""
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_inverse, (input,), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_inverse, (input,))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_inverse, composite_inverse, F, (input,), dict())
    if out is not None:
        return into(out, 'inverse', uncast(composite_inverse, F, input), OP_inverse, (input,))
    try:
        return composite_inverse(F, input)
    except Exception:
        explain_arguments(OP_inverse, (input,))
        raise


OP_inverse.function = inverse


def inverse_and_info_backward(F, node, saved, g, edges):
    inverse, = saved
    g_inverse = g
    return (derivative_inverse_and_info_A(F, g_inverse, inverse),)


class LinalgInvExBackward0(Saving):
    op = OPS['inverse_and_info']
    saves = ('inverse',)
    parameters = ()
    backward = staticmethod(inverse_and_info_backward)
    backward_complex = staticmethod(inverse_and_info_backward)


new_LinalgInvExBackward0 = maker_of(LinalgInvExBackward0)


OP_inverse_and_info.nodes = (LinalgInvExBackward0,)


OP_inverse_and_info.select_node = lambda A: LinalgInvExBackward0


def inverse_and_info(A, *, out=None):
    """The inverses of square matrices, and of each the number of its first pivot that is zero, 0 if none is."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _inverse, _info = forward_inverse_and_info(xp, A_array)
                if out is not None:
                    return all_written_to(out, (_inverse, _info), OP_inverse_and_info.returned, OP_inverse_and_info, A)
            except Exception:
                pass
            else:
                if type(_inverse) is not ndarray and isinstance(_inverse, np.generic):
                    _inverse = as_array(_inverse)
                _inverse_tensor = new_tensor(None)
                _inverse_tensor._array = _inverse
                _inverse_tensor._alike = None
                _inverse_tensor._base = None
                _inverse_tensor._generation = None
                if type(_info) is not ndarray and isinstance(_info, np.generic):
                    _info = as_array(_info)
                _info_tensor = new_tensor(None)
                _info_tensor._array = _info
                _info_tensor._alike = None
                _info_tensor._base = None
                _info_tensor._generation = None
                _inverse_tensor._store = None
                _info_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgInvExBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_inverse,)
                    _inverse_tensor._store = inverse_storage = new_storage(None)
                    inverse_storage.version = 0
                    _node.storages = (inverse_storage,)
                    _node.versions = (0,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _inverse_tensor._edge = _node
                    _info_tensor._edge = None
                else:
                    _inverse_tensor._edge = None
                    _info_tensor._edge = None
                    if _mode is INFERENCE:
                        _inverse_tensor._store = InferenceStorage()
                        _info_tensor._store = InferenceStorage()
                return OP_inverse_and_info.returned(_inverse_tensor, _info_tensor)
            finally:
                reset_errors(_token)
    return general(OP_inverse_and_info, (A,), out)


OP_inverse_and_info.function = inverse_and_info


def least_squares_backward(F, node, saved, g, edges):
    input, b = saved
    b_shape, = node.params
    g_solution = g
    common = common_least_squares(F, input)
    input_edge, b_edge = edges
    return (None if input_edge is None else derivative_least_squares_input(F, g_solution, input, b, common), None if b_edge is None else derivative_least_squares_b(F, g_solution, input, b_shape, common))


class LinalgLstsqBackward0(Saving):
    op = OPS['least_squares']
    saves = ('input', 'b')
    parameters = ('b_shape',)
    backward = staticmethod(least_squares_backward)
    backward_complex = staticmethod(least_squares_backward)


new_LinalgLstsqBackward0 = maker_of(LinalgLstsqBackward0)


OP_least_squares.nodes = (LinalgLstsqBackward0,)


OP_least_squares.select_node = lambda input, b, rcond, driver: LinalgLstsqBackward0


def least_squares(input, b, rcond, driver):
    """The shortest solutions of `input @ solution = b` up to the smallest error, ranks, singular values, and codes."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(b) is Tensor or type(b) in PLAIN_TYPES):
        input_array = input._array
        b_array = b._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is b_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _solution, _rank, _singular_values, _info = xp_least_squares(input_array, b_array, rcond, driver)
            except Exception:
                pass
            else:
                if type(_solution) is not ndarray and isinstance(_solution, np.generic):
                    _solution = as_array(_solution)
                _solution_tensor = new_tensor(None)
                _solution_tensor._array = _solution
                _solution_tensor._alike = None
                _solution_tensor._base = None
                _solution_tensor._generation = None
                if type(_rank) is not ndarray and isinstance(_rank, np.generic):
                    _rank = as_array(_rank)
                _rank_tensor = new_tensor(None)
                _rank_tensor._array = _rank
                _rank_tensor._alike = None
                _rank_tensor._base = None
                _rank_tensor._generation = None
                if type(_singular_values) is not ndarray and isinstance(_singular_values, np.generic):
                    _singular_values = as_array(_singular_values)
                _singular_values_tensor = new_tensor(None)
                _singular_values_tensor._array = _singular_values
                _singular_values_tensor._alike = None
                _singular_values_tensor._base = None
                _singular_values_tensor._generation = None
                if type(_info) is not ndarray and isinstance(_info, np.generic):
                    _info = as_array(_info)
                _info_tensor = new_tensor(None)
                _info_tensor._array = _info
                _info_tensor._alike = None
                _info_tensor._base = None
                _info_tensor._generation = None
                _solution_tensor._store = None
                _rank_tensor._store = None
                _singular_values_tensor._store = None
                _info_tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    b_edge = b._edge if (_base := b._base) is None or b._generation == _base._generation else edge_of(b)
                if _mode and (input_edge is not None or b_edge is not None):
                    _node = new_LinalgLstsqBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, b_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, None if input_edge is None else b_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (b_storage := b._store) is None:
                        b_storage = b._store = new_storage(None)
                        b_storage.version = 0
                    _node.storages = (input_storage, b_storage)
                    _node.versions = (input_storage.version, b_storage.version)
                    _node.params = (b_array.shape if b._alike is None else b._alike[0],)
                    _node.metas = None
                    _node.special = False
                    _solution_tensor._edge = _node
                    _rank_tensor._edge = None
                    _singular_values_tensor._edge = None
                    _info_tensor._edge = None
                else:
                    _solution_tensor._edge = None
                    _rank_tensor._edge = None
                    _singular_values_tensor._edge = None
                    _info_tensor._edge = None
                    if _mode is INFERENCE:
                        _solution_tensor._store = InferenceStorage()
                        _rank_tensor._store = InferenceStorage()
                        _singular_values_tensor._store = InferenceStorage()
                        _info_tensor._store = InferenceStorage()
                return (_solution_tensor, _rank_tensor, _singular_values_tensor, _info_tensor)
            finally:
                reset_errors(_token)
    return general(OP_least_squares, (input, b, rcond, driver))


OP_least_squares.function = least_squares


def linalg_cholesky(A, *, upper=False, out=None):
    """L of `A = L L^H`, its adjoint if `upper`. Raises LinAlgError if a matrix is not positive-definite."""
    if type(A) not in PLAIN_TYPES or upper is not False and upper is not True:
        A, upper = accepted(OP_linalg_cholesky, (A, upper))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_cholesky, (A,), dict(upper=upper), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_cholesky, composite_linalg_cholesky, F, (A,), dict(upper=upper))
    if out is not None:
        return into(out, 'linalg_cholesky', uncast(composite_linalg_cholesky, F, A, upper=upper), OP_linalg_cholesky, (A, upper))
    try:
        return composite_linalg_cholesky(F, A, upper=upper)
    except Exception:
        explain_arguments(OP_linalg_cholesky, (A, upper))
        raise


OP_linalg_cholesky.function = linalg_cholesky


def linalg_cholesky_ex_backward(F, node, saved, g, edges):
    L, = saved
    upper, = node.params
    g_L = g
    return (derivative_linalg_cholesky_ex_A(F, g_L, L, upper),)


class LinalgCholeskyExBackward0(Saving):
    op = OPS['linalg_cholesky_ex']
    saves = ('L',)
    parameters = ('upper',)
    backward = staticmethod(linalg_cholesky_ex_backward)
    backward_complex = staticmethod(linalg_cholesky_ex_backward)


new_LinalgCholeskyExBackward0 = maker_of(LinalgCholeskyExBackward0)


OP_linalg_cholesky_ex.nodes = (LinalgCholeskyExBackward0,)


OP_linalg_cholesky_ex.select_node = lambda A, upper, check_errors: LinalgCholeskyExBackward0


def linalg_cholesky_ex(A, *, upper=False, check_errors=False, out=None):
    """L of `A = L L^H`, its adjoint if `upper`, and per matrix the order of the first minor that forbids it, else 0."""
    if upper is not False and upper is not True or check_errors is not False and check_errors is not True:
        A, upper, check_errors = accepted(OP_linalg_cholesky_ex, (A, upper, check_errors))
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _L, _info = forward_linalg_cholesky_ex(xp, A_array, upper=upper, check_errors=check_errors)
                if out is not None:
                    return all_written_to(out, (_L, _info), OP_linalg_cholesky_ex.returned, OP_linalg_cholesky_ex, A)
            except Exception:
                pass
            else:
                if type(_L) is not ndarray and isinstance(_L, np.generic):
                    _L = as_array(_L)
                _L_tensor = new_tensor(None)
                _L_tensor._array = _L
                _L_tensor._alike = None
                _L_tensor._base = None
                _L_tensor._generation = None
                if type(_info) is not ndarray and isinstance(_info, np.generic):
                    _info = as_array(_info)
                _info_tensor = new_tensor(None)
                _info_tensor._array = _info
                _info_tensor._alike = None
                _info_tensor._base = None
                _info_tensor._generation = None
                _L_tensor._store = None
                _info_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgCholeskyExBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_L,)
                    _L_tensor._store = L_storage = new_storage(None)
                    L_storage.version = 0
                    _node.storages = (L_storage,)
                    _node.versions = (0,)
                    _node.params = (upper,)
                    _node.metas = None
                    _node.special = False
                    _L_tensor._edge = _node
                    _info_tensor._edge = None
                else:
                    _L_tensor._edge = None
                    _info_tensor._edge = None
                    if _mode is INFERENCE:
                        _L_tensor._store = InferenceStorage()
                        _info_tensor._store = InferenceStorage()
                return OP_linalg_cholesky_ex.returned(_L_tensor, _info_tensor)
            finally:
                reset_errors(_token)
    return general(OP_linalg_cholesky_ex, (A, upper, check_errors), out)


OP_linalg_cholesky_ex.function = linalg_cholesky_ex


def linalg_cond(A, p=None, *, out=None):
    """The condition numbers of matrices: the norm times that of the inverse, inf for a singular matrix.

    For the norms None, 2 and -2 it is the quotient of the largest and the smallest singular value, or the reverse, and
    the matrices need not be square."""
    if type(A) not in PLAIN_TYPES or p is not None and (type(p) is not int and type(p) is not float and type(p) is not str):
        A, p = accepted(OP_linalg_cond, (A, p))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_cond, (A, p), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_cond, composite_linalg_cond, F, (A, p), dict())
    if out is not None:
        return into(out, 'linalg_cond', uncast(composite_linalg_cond, F, A, p), OP_linalg_cond, (A, p))
    try:
        return composite_linalg_cond(F, A, p)
    except Exception:
        explain_arguments(OP_linalg_cond, (A, p))
        raise


OP_linalg_cond.function = linalg_cond


def linalg_det_backward(F, node, saved, g, edges):
    A, = saved
    return (derivative_linalg_det_A(F, g, A),)


class LinalgDetBackward0(Saving):
    op = OPS['linalg_det']
    saves = ('A',)
    parameters = ()
    backward = staticmethod(linalg_det_backward)
    backward_complex = staticmethod(linalg_det_backward)


new_LinalgDetBackward0 = maker_of(LinalgDetBackward0)


OP_linalg_det.nodes = (LinalgDetBackward0,)


OP_linalg_det.select_node = lambda A: LinalgDetBackward0


def linalg_det(A, *, out=None):
    """The determinants of square matrices (..., n, n)."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_linalg_det(xp, A_array)
                if out is not None:
                    return written_to(out, _result, OP_linalg_det, A)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgDetBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array,)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    _node.storages = (A_storage,)
                    _node.versions = (A_storage.version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_linalg_det, (A,), out)


OP_linalg_det.function = linalg_det


def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of matrices, as a last dimension: `torch.diagonal`, of the last two dimensions by default."""
    if type(A) not in PLAIN_TYPES or type(offset) is not int or offset > 0x3FFFFFFF or offset < -0x3FFFFFFF or type(dim1) is not int or type(dim2) is not int:
        A, offset, dim1, dim2 = accepted(OP_linalg_diagonal, (A, offset, dim1, dim2))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_diagonal, (A,), dict(offset=offset, dim1=dim1, dim2=dim2))) is not ABSENT:
            return _taken
    try:
        return composite_linalg_diagonal(F, A, offset=offset, dim1=dim1, dim2=dim2)
    except Exception:
        explain_arguments(OP_linalg_diagonal, (A, offset, dim1, dim2))
        raise


OP_linalg_diagonal.function = linalg_diagonal


def linalg_eig_backward(F, node, saved, g, edges):
    eigenvalues, eigenvectors = saved
    A_dtype, = node.params
    g_eigenvalues, g_eigenvectors = g
    return (derivative_linalg_eig_A(F, g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors, A_dtype),)


class LinalgEigBackward0(Saving):
    op = OPS['linalg_eig']
    saves = ('eigenvalues', 'eigenvectors')
    parameters = ('A_dtype',)
    backward = staticmethod(linalg_eig_backward)
    backward_complex = staticmethod(linalg_eig_backward)


new_LinalgEigBackward0 = maker_of(LinalgEigBackward0)


OP_linalg_eig.nodes = (LinalgEigBackward0,)


OP_linalg_eig.select_node = lambda A: LinalgEigBackward0


def linalg_eig(A, *, out=None):
    """The eigenvalues and eigenvectors of square matrices, complex, in no particular order."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _eigenvalues, _eigenvectors = forward_linalg_eig(xp, A_array)
                if out is not None:
                    return all_written_to(out, (_eigenvalues, _eigenvectors), OP_linalg_eig.returned, OP_linalg_eig, A)
            except Exception:
                pass
            else:
                if type(_eigenvalues) is not ndarray and isinstance(_eigenvalues, np.generic):
                    _eigenvalues = as_array(_eigenvalues)
                _eigenvalues_tensor = new_tensor(None)
                _eigenvalues_tensor._array = _eigenvalues
                _eigenvalues_tensor._alike = None
                _eigenvalues_tensor._base = None
                _eigenvalues_tensor._generation = None
                if type(_eigenvectors) is not ndarray and isinstance(_eigenvectors, np.generic):
                    _eigenvectors = as_array(_eigenvectors)
                _eigenvectors_tensor = new_tensor(None)
                _eigenvectors_tensor._array = _eigenvectors
                _eigenvectors_tensor._alike = None
                _eigenvectors_tensor._base = None
                _eigenvectors_tensor._generation = None
                _eigenvalues_tensor._store = None
                _eigenvectors_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgEigBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_eigenvalues, _eigenvectors)
                    _eigenvalues_tensor._store = eigenvalues_storage = new_storage(None)
                    eigenvalues_storage.version = 0
                    _eigenvectors_tensor._store = eigenvectors_storage = new_storage(None)
                    eigenvectors_storage.version = 0
                    _node.storages = (eigenvalues_storage, eigenvectors_storage)
                    _node.versions = (0, 0)
                    _node.params = (A_array.dtype if A._alike is None else A._alike[1],)
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_eigenvalues.shape, _eigenvalues.dtype), (_eigenvectors.shape, _eigenvectors.dtype))
                    _eigenvalues_tensor._edge = Output(_node, 0)
                    _eigenvectors_tensor._edge = Output(_node, 1)
                else:
                    _eigenvalues_tensor._edge = None
                    _eigenvectors_tensor._edge = None
                    if _mode is INFERENCE:
                        _eigenvalues_tensor._store = InferenceStorage()
                        _eigenvectors_tensor._store = InferenceStorage()
                return OP_linalg_eig.returned(_eigenvalues_tensor, _eigenvectors_tensor)
            finally:
                reset_errors(_token)
    return general(OP_linalg_eig, (A,), out)


OP_linalg_eig.function = linalg_eig


def linalg_eigh_backward(F, node, saved, g, edges):
    eigenvalues, eigenvectors = saved
    g_eigenvalues, g_eigenvectors = g
    return (derivative_linalg_eigh_A(F, g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors),)


class LinalgEighBackward0(Saving):
    op = OPS['linalg_eigh']
    saves = ('eigenvalues', 'eigenvectors')
    parameters = ()
    backward = staticmethod(linalg_eigh_backward)
    backward_complex = staticmethod(linalg_eigh_backward)


new_LinalgEighBackward0 = maker_of(LinalgEighBackward0)


OP_linalg_eigh.nodes = (LinalgEighBackward0,)


OP_linalg_eigh.select_node = lambda A, UPLO: LinalgEighBackward0


def linalg_eigh(A, UPLO='L', *, out=None):
    """The eigenvalues, rising, and eigenvectors of Hermitian matrices, of which the triangle `UPLO` is looked at."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _eigenvalues, _eigenvectors = forward_linalg_eigh(xp, A_array, UPLO)
                if out is not None:
                    return all_written_to(out, (_eigenvalues, _eigenvectors), OP_linalg_eigh.returned, OP_linalg_eigh, A)
            except Exception:
                pass
            else:
                if type(_eigenvalues) is not ndarray and isinstance(_eigenvalues, np.generic):
                    _eigenvalues = as_array(_eigenvalues)
                _eigenvalues_tensor = new_tensor(None)
                _eigenvalues_tensor._array = _eigenvalues
                _eigenvalues_tensor._alike = None
                _eigenvalues_tensor._base = None
                _eigenvalues_tensor._generation = None
                if type(_eigenvectors) is not ndarray and isinstance(_eigenvectors, np.generic):
                    _eigenvectors = as_array(_eigenvectors)
                _eigenvectors_tensor = new_tensor(None)
                _eigenvectors_tensor._array = _eigenvectors
                _eigenvectors_tensor._alike = None
                _eigenvectors_tensor._base = None
                _eigenvectors_tensor._generation = None
                _eigenvalues_tensor._store = None
                _eigenvectors_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgEighBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_eigenvalues, _eigenvectors)
                    _eigenvalues_tensor._store = eigenvalues_storage = new_storage(None)
                    eigenvalues_storage.version = 0
                    _eigenvectors_tensor._store = eigenvectors_storage = new_storage(None)
                    eigenvectors_storage.version = 0
                    _node.storages = (eigenvalues_storage, eigenvectors_storage)
                    _node.versions = (0, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_eigenvalues.shape, _eigenvalues.dtype), (_eigenvectors.shape, _eigenvectors.dtype))
                    _eigenvalues_tensor._edge = Output(_node, 0)
                    _eigenvectors_tensor._edge = Output(_node, 1)
                else:
                    _eigenvalues_tensor._edge = None
                    _eigenvectors_tensor._edge = None
                    if _mode is INFERENCE:
                        _eigenvalues_tensor._store = InferenceStorage()
                        _eigenvectors_tensor._store = InferenceStorage()
                return OP_linalg_eigh.returned(_eigenvalues_tensor, _eigenvectors_tensor)
            finally:
                reset_errors(_token)
    return general(OP_linalg_eigh, (A, UPLO), out)


OP_linalg_eigh.function = linalg_eigh


def linalg_eigvals(A, *, out=None):
    """The eigenvalues of square matrices, complex, in no particular order."""
    if type(A) not in PLAIN_TYPES:
        A, = accepted(OP_linalg_eigvals, (A,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_eigvals, (A,), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_eigvals, composite_linalg_eigvals, F, (A,), dict())
    if out is not None:
        return into(out, 'linalg_eigvals', uncast(composite_linalg_eigvals, F, A), OP_linalg_eigvals, (A,))
    try:
        return composite_linalg_eigvals(F, A)
    except Exception:
        explain_arguments(OP_linalg_eigvals, (A,))
        raise


OP_linalg_eigvals.function = linalg_eigvals


def linalg_eigvalsh(A, UPLO='L', *, out=None):
    """The eigenvalues of Hermitian matrices, rising, of which the triangle `UPLO` is looked at."""
    if type(A) not in PLAIN_TYPES or type(UPLO) is not str:
        A, UPLO = accepted(OP_linalg_eigvalsh, (A, UPLO))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_eigvalsh, (A, UPLO), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_eigvalsh, composite_linalg_eigvalsh, F, (A, UPLO), dict())
    if out is not None:
        return into(out, 'linalg_eigvalsh', uncast(composite_linalg_eigvalsh, F, A, UPLO), OP_linalg_eigvalsh, (A, UPLO))
    try:
        return composite_linalg_eigvalsh(F, A, UPLO)
    except Exception:
        explain_arguments(OP_linalg_eigvalsh, (A, UPLO))
        raise


OP_linalg_eigvalsh.function = linalg_eigvalsh


def linalg_householder_product_backward(F, node, saved, g, edges):
    A, tau = saved
    common = common_linalg_householder_product(F, g, A, tau)
    A_edge, tau_edge = edges
    return (None if A_edge is None else common[0], None if tau_edge is None else common[1])


class LinalgHouseholderProductBackward0(Saving):
    op = OPS['linalg_householder_product']
    saves = ('A', 'tau')
    parameters = ()
    backward = staticmethod(linalg_householder_product_backward)
    backward_complex = staticmethod(linalg_householder_product_backward)


new_LinalgHouseholderProductBackward0 = maker_of(LinalgHouseholderProductBackward0)


OP_linalg_householder_product.nodes = (LinalgHouseholderProductBackward0,)


OP_linalg_householder_product.select_node = lambda A, tau: LinalgHouseholderProductBackward0


def linalg_householder_product(A, tau, *, out=None):
    """The first columns of `H_1 ... H_k`, `H_i = 1 - tau_i v_i v_i^H`, v_i below the diagonal of A."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES) and (type(tau) is Tensor or type(tau) in PLAIN_TYPES):
        A_array = A._array
        tau_array = tau._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is tau_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_linalg_householder_product(xp, A_array, tau_array)
                if out is not None:
                    return written_to(out, _result, OP_linalg_householder_product, A, tau)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    A_edge = A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)
                    tau_edge = tau._edge if (_base := tau._base) is None or tau._generation == _base._generation else edge_of(tau)
                if _mode and (A_edge is not None or tau_edge is not None):
                    _node = new_LinalgHouseholderProductBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge, tau_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array, tau_array)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    if (tau_storage := tau._store) is None:
                        tau_storage = tau._store = new_storage(None)
                        tau_storage.version = 0
                    _node.storages = (A_storage, tau_storage)
                    _node.versions = (A_storage.version, tau_storage.version)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_linalg_householder_product, (A, tau), out)


OP_linalg_householder_product.function = linalg_householder_product


def linalg_inv(A, *, out=None):
    """The inverses of square matrices (..., n, n). Raises LinAlgError if one is singular."""
    if type(A) not in PLAIN_TYPES:
        A, = accepted(OP_linalg_inv, (A,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_inv, (A,), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_inv, composite_linalg_inv, F, (A,), dict())
    if out is not None:
        return into(out, 'linalg_inv', uncast(composite_linalg_inv, F, A), OP_linalg_inv, (A,))
    try:
        return composite_linalg_inv(F, A)
    except Exception:
        explain_arguments(OP_linalg_inv, (A,))
        raise


OP_linalg_inv.function = linalg_inv


def linalg_inv_ex(A, *, check_errors=False, out=None):
    """The inverses of square matrices, and `info`: 0, or the number of the first pivot that is zero."""
    if type(A) not in PLAIN_TYPES or check_errors is not False and check_errors is not True:
        A, check_errors = accepted(OP_linalg_inv_ex, (A, check_errors))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_inv_ex, (A,), dict(check_errors=check_errors), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_inv_ex, composite_linalg_inv_ex, F, (A,), dict(check_errors=check_errors))
    if out is not None:
        return into(out, 'linalg_inv_ex', uncast(composite_linalg_inv_ex, F, A, check_errors=check_errors), OP_linalg_inv_ex, (A, check_errors))
    try:
        return composite_linalg_inv_ex(F, A, check_errors=check_errors)
    except Exception:
        explain_arguments(OP_linalg_inv_ex, (A, check_errors))
        raise


OP_linalg_inv_ex.function = linalg_inv_ex


def linalg_ldl_factor(A, *, hermitian=False, out=None):
    """L and the block-diagonal D of `A = L D L^T` in one matrix (L^H if `hermitian`), and pivots."""
    if type(A) not in PLAIN_TYPES or hermitian is not False and hermitian is not True:
        A, hermitian = accepted(OP_linalg_ldl_factor, (A, hermitian))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_ldl_factor, (A,), dict(hermitian=hermitian), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_ldl_factor', composite_linalg_ldl_factor(F, A, hermitian=hermitian), OP_linalg_ldl_factor, (A, hermitian))
    try:
        return composite_linalg_ldl_factor(F, A, hermitian=hermitian)
    except Exception:
        explain_arguments(OP_linalg_ldl_factor, (A, hermitian))
        raise


OP_linalg_ldl_factor.function = linalg_ldl_factor


def linalg_ldl_factor_ex_backward(F, node, saved, g, edges):
    g_LD = g
    return (derivative_linalg_ldl_factor_ex_A(F, g_LD),)


class LinalgLdlFactorExBackward0(Node):
    op = OPS['linalg_ldl_factor_ex']
    saves = ()
    parameters = ()
    backward = staticmethod(linalg_ldl_factor_ex_backward)
    backward_complex = staticmethod(linalg_ldl_factor_ex_backward)


new_LinalgLdlFactorExBackward0 = maker_of(LinalgLdlFactorExBackward0)


OP_linalg_ldl_factor_ex.nodes = (LinalgLdlFactorExBackward0,)


OP_linalg_ldl_factor_ex.select_node = lambda A, hermitian, check_errors: LinalgLdlFactorExBackward0


def linalg_ldl_factor_ex(A, *, hermitian=False, check_errors=False, out=None):
    """L and the block-diagonal D of `A = L D L^T` in one matrix (L^H if `hermitian`), pivots, first zeros of D."""
    if hermitian is not False and hermitian is not True or check_errors is not False and check_errors is not True:
        A, hermitian, check_errors = accepted(OP_linalg_ldl_factor_ex, (A, hermitian, check_errors))
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _LD, _pivots, _info = forward_linalg_ldl_factor_ex(xp, A_array, hermitian=hermitian, check_errors=check_errors)
                if out is not None:
                    return all_written_to(out, (_LD, _pivots, _info), OP_linalg_ldl_factor_ex.returned, OP_linalg_ldl_factor_ex, A)
            except Exception:
                pass
            else:
                if type(_LD) is not ndarray and isinstance(_LD, np.generic):
                    _LD = as_array(_LD)
                _LD_tensor = new_tensor(None)
                _LD_tensor._array = _LD
                _LD_tensor._alike = None
                _LD_tensor._base = None
                _LD_tensor._generation = None
                if type(_pivots) is not ndarray and isinstance(_pivots, np.generic):
                    _pivots = as_array(_pivots)
                _pivots_tensor = new_tensor(None)
                _pivots_tensor._array = _pivots
                _pivots_tensor._alike = None
                _pivots_tensor._base = None
                _pivots_tensor._generation = None
                if type(_info) is not ndarray and isinstance(_info, np.generic):
                    _info = as_array(_info)
                _info_tensor = new_tensor(None)
                _info_tensor._array = _info
                _info_tensor._alike = None
                _info_tensor._base = None
                _info_tensor._generation = None
                _LD_tensor._store = None
                _pivots_tensor._store = None
                _info_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgLdlFactorExBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _LD_tensor._edge = _node
                    _pivots_tensor._edge = None
                    _info_tensor._edge = None
                else:
                    _LD_tensor._edge = None
                    _pivots_tensor._edge = None
                    _info_tensor._edge = None
                    if _mode is INFERENCE:
                        _LD_tensor._store = InferenceStorage()
                        _pivots_tensor._store = InferenceStorage()
                        _info_tensor._store = InferenceStorage()
                return OP_linalg_ldl_factor_ex.returned(_LD_tensor, _pivots_tensor, _info_tensor)
            finally:
                reset_errors(_token)
    return general(OP_linalg_ldl_factor_ex, (A, hermitian, check_errors), out)


OP_linalg_ldl_factor_ex.function = linalg_ldl_factor_ex


def linalg_ldl_solve_backward(F, node, saved, g, edges):
    LD_edge, B_edge = edges
    return (None if LD_edge is None else derivative_linalg_ldl_solve_LD(F, g), None if B_edge is None else derivative_linalg_ldl_solve_B(F, g))


class LinalgLdlSolveBackward0(Node):
    op = OPS['linalg_ldl_solve']
    saves = ()
    parameters = ()
    backward = staticmethod(linalg_ldl_solve_backward)
    backward_complex = staticmethod(linalg_ldl_solve_backward)


new_LinalgLdlSolveBackward0 = maker_of(LinalgLdlSolveBackward0)


OP_linalg_ldl_solve.nodes = (LinalgLdlSolveBackward0,)


OP_linalg_ldl_solve.select_node = lambda LD, pivots, B, hermitian: LinalgLdlSolveBackward0


def linalg_ldl_solve(LD, pivots, B, *, hermitian=False, out=None):
    """The solutions X of `A X = B`, given what `ldl_factor` made of A."""
    if hermitian is not False and hermitian is not True:
        LD, pivots, B, hermitian = accepted(OP_linalg_ldl_solve, (LD, pivots, B, hermitian))
    if (type(LD) is Tensor or type(LD) in PLAIN_TYPES) and (type(pivots) is Tensor or type(pivots) in PLAIN_TYPES) and (type(B) is Tensor or type(B) in PLAIN_TYPES):
        LD_array = LD._array
        pivots_array = pivots._array
        B_array = B._array
        _mode = get_mode()
        if ((_dtype := LD_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is B_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_linalg_ldl_solve(xp, LD_array, pivots_array, B_array, hermitian=hermitian)
                if out is not None:
                    return written_to(out, _result, OP_linalg_ldl_solve, LD, pivots, B)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    LD_edge = LD._edge if (_base := LD._base) is None or LD._generation == _base._generation else edge_of(LD)
                    B_edge = B._edge if (_base := B._base) is None or B._generation == _base._generation else edge_of(B)
                if _mode and (LD_edge is not None or B_edge is not None):
                    _node = new_LinalgLdlSolveBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (LD_edge, B_edge)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_linalg_ldl_solve, (LD, pivots, B, hermitian), out)


OP_linalg_ldl_solve.function = linalg_ldl_solve


def linalg_lstsq(input=NOTHING, b=NOTHING, rcond=None, *, driver=None, out=None, **named):
    """The shortest `solution` that makes `input @ solution - b` shortest: (..., n, k) of (..., m, n) and (..., m, k).

    `driver` is LAPACK's: "gels" for full rank, "gelsy" (the default), "gelsd" and "gelss" for any; the last two return
    singular values. `residuals` are the squared lengths of the errors, where m > n, the rank is n and the driver not
    "gelsy"."""
    if named or input is NOTHING or b is NOTHING:
        return renamed(OP_linalg_lstsq, linalg_lstsq, {'input': input, 'b': b, 'rcond': rcond, 'driver': driver, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or type(b) not in PLAIN_TYPES or rcond is not None and (type(rcond) is not float and type(rcond) is not int and type(rcond) not in PLAIN_TYPES) or driver is not None and (type(driver) is not str):
        input, b, rcond, driver = accepted(OP_linalg_lstsq, (input, b, rcond, driver))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(b) not in PLAIN_TYPES and hasattr(b, '__torch_function__') or rcond is not None and type(rcond) not in PLAIN_TYPES and hasattr(rcond, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_lstsq, (input, b, rcond), dict(driver=driver), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_lstsq, composite_linalg_lstsq, F, (input, b, rcond), dict(driver=driver))
    if out is not None:
        return into(out, 'linalg_lstsq', uncast(composite_linalg_lstsq, F, input, b, rcond, driver=driver), OP_linalg_lstsq, (input, b, rcond, driver))
    try:
        return composite_linalg_lstsq(F, input, b, rcond, driver=driver)
    except Exception:
        explain_arguments(OP_linalg_lstsq, (input, b, rcond, driver))
        raise


linalg_lstsq = documented(OP_linalg_lstsq, linalg_lstsq)


OP_linalg_lstsq.function = linalg_lstsq


def linalg_lu_backward(F, node, saved, g, edges):
    P, L, U = saved
    g_L, g_U = F.present(node, g)
    return (derivative_linalg_lu_A(F, g_L, g_U, P, L, U),)


class LinalgLuBackward0(Saving):
    op = OPS['linalg_lu']
    saves = ('P', 'L', 'U')
    parameters = ()
    backward = staticmethod(linalg_lu_backward)
    backward_complex = staticmethod(linalg_lu_backward)


new_LinalgLuBackward0 = maker_of(LinalgLuBackward0)


OP_linalg_lu.nodes = (LinalgLuBackward0,)


OP_linalg_lu.select_node = lambda A, pivot: LinalgLuBackward0


def linalg_lu(A, *, pivot=True, out=None):
    """A permutation P, lower triangular L with ones on the diagonal and upper triangular U of `A = P L U`."""
    if pivot is not False and pivot is not True:
        A, pivot = accepted(OP_linalg_lu, (A, pivot))
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _P, _L, _U = forward_linalg_lu(xp, A_array, pivot=pivot)
                if out is not None:
                    return all_written_to(out, (_P, _L, _U), OP_linalg_lu.returned, OP_linalg_lu, A)
            except Exception:
                pass
            else:
                if type(_P) is not ndarray and isinstance(_P, np.generic):
                    _P = as_array(_P)
                _P_tensor = new_tensor(None)
                _P_tensor._array = _P
                _P_tensor._alike = None
                _P_tensor._base = None
                _P_tensor._generation = None
                if type(_L) is not ndarray and isinstance(_L, np.generic):
                    _L = as_array(_L)
                _L_tensor = new_tensor(None)
                _L_tensor._array = _L
                _L_tensor._alike = None
                _L_tensor._base = None
                _L_tensor._generation = None
                if type(_U) is not ndarray and isinstance(_U, np.generic):
                    _U = as_array(_U)
                _U_tensor = new_tensor(None)
                _U_tensor._array = _U
                _U_tensor._alike = None
                _U_tensor._base = None
                _U_tensor._generation = None
                _P_tensor._store = None
                _L_tensor._store = None
                _U_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgLuBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_P, _L, _U)
                    _P_tensor._store = P_storage = new_storage(None)
                    P_storage.version = 0
                    _L_tensor._store = L_storage = new_storage(None)
                    L_storage.version = 0
                    _U_tensor._store = U_storage = new_storage(None)
                    U_storage.version = 0
                    _node.storages = (P_storage, L_storage, U_storage)
                    _node.versions = (0, 0, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_L.shape, _L.dtype), (_U.shape, _U.dtype))
                    _L_tensor._edge = Output(_node, 0)
                    _U_tensor._edge = Output(_node, 1)
                    _P_tensor._edge = None
                else:
                    _P_tensor._edge = None
                    _L_tensor._edge = None
                    _U_tensor._edge = None
                    if _mode is INFERENCE:
                        _P_tensor._store = InferenceStorage()
                        _L_tensor._store = InferenceStorage()
                        _U_tensor._store = InferenceStorage()
                return OP_linalg_lu.returned(_P_tensor, _L_tensor, _U_tensor)
            finally:
                reset_errors(_token)
    return general(OP_linalg_lu, (A, pivot), out)


OP_linalg_lu.function = linalg_lu


def linalg_lu_factor(A, *, pivot=True, out=None):
    """L and U of `A = P L U` in one matrix, and the rows exchanged. Raises RuntimeError if a pivot is zero."""
    if type(A) not in PLAIN_TYPES or pivot is not False and pivot is not True:
        A, pivot = accepted(OP_linalg_lu_factor, (A, pivot))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_lu_factor, (A,), dict(pivot=pivot), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_lu_factor', composite_linalg_lu_factor(F, A, pivot=pivot), OP_linalg_lu_factor, (A, pivot))
    try:
        return composite_linalg_lu_factor(F, A, pivot=pivot)
    except Exception:
        explain_arguments(OP_linalg_lu_factor, (A, pivot))
        raise


OP_linalg_lu_factor.function = linalg_lu_factor


def linalg_lu_factor_ex_backward(F, node, saved, g, edges):
    LU, pivots = saved
    g_LU = g
    return (derivative_linalg_lu_factor_ex_A(F, g_LU, LU, pivots),)


class LinalgLuFactorExBackward0(Saving):
    op = OPS['linalg_lu_factor_ex']
    saves = ('LU', 'pivots')
    parameters = ()
    backward = staticmethod(linalg_lu_factor_ex_backward)
    backward_complex = staticmethod(linalg_lu_factor_ex_backward)


new_LinalgLuFactorExBackward0 = maker_of(LinalgLuFactorExBackward0)


OP_linalg_lu_factor_ex.nodes = (LinalgLuFactorExBackward0,)


OP_linalg_lu_factor_ex.select_node = lambda A, pivot, check_errors: LinalgLuFactorExBackward0


def linalg_lu_factor_ex(A, *, pivot=True, check_errors=False, out=None):
    """L and U of `A = P L U` in one matrix, the rows exchanged, counted from 1, and per matrix its first zero pivot."""
    if pivot is not False and pivot is not True or check_errors is not False and check_errors is not True:
        A, pivot, check_errors = accepted(OP_linalg_lu_factor_ex, (A, pivot, check_errors))
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _LU, _pivots, _info = forward_linalg_lu_factor_ex(xp, A_array, pivot=pivot, check_errors=check_errors)
                if out is not None:
                    return all_written_to(out, (_LU, _pivots, _info), OP_linalg_lu_factor_ex.returned, OP_linalg_lu_factor_ex, A)
            except Exception:
                pass
            else:
                if type(_LU) is not ndarray and isinstance(_LU, np.generic):
                    _LU = as_array(_LU)
                _LU_tensor = new_tensor(None)
                _LU_tensor._array = _LU
                _LU_tensor._alike = None
                _LU_tensor._base = None
                _LU_tensor._generation = None
                if type(_pivots) is not ndarray and isinstance(_pivots, np.generic):
                    _pivots = as_array(_pivots)
                _pivots_tensor = new_tensor(None)
                _pivots_tensor._array = _pivots
                _pivots_tensor._alike = None
                _pivots_tensor._base = None
                _pivots_tensor._generation = None
                if type(_info) is not ndarray and isinstance(_info, np.generic):
                    _info = as_array(_info)
                _info_tensor = new_tensor(None)
                _info_tensor._array = _info
                _info_tensor._alike = None
                _info_tensor._base = None
                _info_tensor._generation = None
                _LU_tensor._store = None
                _pivots_tensor._store = None
                _info_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgLuFactorExBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_LU, _pivots)
                    _LU_tensor._store = LU_storage = new_storage(None)
                    LU_storage.version = 0
                    _pivots_tensor._store = pivots_storage = new_storage(None)
                    pivots_storage.version = 0
                    _node.storages = (LU_storage, pivots_storage)
                    _node.versions = (0, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _LU_tensor._edge = _node
                    _pivots_tensor._edge = None
                    _info_tensor._edge = None
                else:
                    _LU_tensor._edge = None
                    _pivots_tensor._edge = None
                    _info_tensor._edge = None
                    if _mode is INFERENCE:
                        _LU_tensor._store = InferenceStorage()
                        _pivots_tensor._store = InferenceStorage()
                        _info_tensor._store = InferenceStorage()
                return OP_linalg_lu_factor_ex.returned(_LU_tensor, _pivots_tensor, _info_tensor)
            finally:
                reset_errors(_token)
    return general(OP_linalg_lu_factor_ex, (A, pivot, check_errors), out)


OP_linalg_lu_factor_ex.function = linalg_lu_factor_ex


def linalg_lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None):
    """The `X` with `A @ X = B`, or `X @ A = B` unless `left`, from what `linalg.lu_factor(A)` returned.

    `adjoint` puts `A.mH` in the place of `A`."""
    if type(LU) not in PLAIN_TYPES or type(pivots) not in PLAIN_TYPES or type(B) not in PLAIN_TYPES or left is not False and left is not True or adjoint is not False and adjoint is not True:
        LU, pivots, B, left, adjoint = accepted(OP_linalg_lu_solve, (LU, pivots, B, left, adjoint))
    if type(get_mode()) is Modes and get_mode().function_modes or type(LU) not in PLAIN_TYPES and hasattr(LU, '__torch_function__') or type(pivots) not in PLAIN_TYPES and hasattr(pivots, '__torch_function__') or type(B) not in PLAIN_TYPES and hasattr(B, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_lu_solve, (LU, pivots, B), dict(left=left, adjoint=adjoint), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_lu_solve', composite_linalg_lu_solve(F, LU, pivots, B, left=left, adjoint=adjoint), OP_linalg_lu_solve, (LU, pivots, B, left, adjoint))
    try:
        return composite_linalg_lu_solve(F, LU, pivots, B, left=left, adjoint=adjoint)
    except Exception:
        explain_arguments(OP_linalg_lu_solve, (LU, pivots, B, left, adjoint))
        raise


OP_linalg_lu_solve.function = linalg_lu_solve


def linalg_matmul(input, other, *, out=None):
    """The product of vectors, matrices, or batches of matrices: `torch.matmul`."""
    if type(input) not in PLAIN_TYPES or type(other) not in PLAIN_TYPES:
        input, other = accepted(OP_linalg_matmul, (input, other))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(other) not in PLAIN_TYPES and hasattr(other, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_matmul, (input, other), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_matmul', composite_linalg_matmul(F, input, other), OP_linalg_matmul, (input, other))
    try:
        return composite_linalg_matmul(F, input, other)
    except Exception:
        explain_arguments(OP_linalg_matmul, (input, other))
        raise


OP_linalg_matmul.function = linalg_matmul


def linalg_matrix_exp_backward(F, node, saved, g, edges):
    A, = saved
    return (derivative_linalg_matrix_exp_A(F, g, A),)


class LinalgMatrixExpBackward0(Saving):
    op = OPS['linalg_matrix_exp']
    saves = ('A',)
    parameters = ()
    backward = staticmethod(linalg_matrix_exp_backward)
    backward_complex = staticmethod(linalg_matrix_exp_backward)


new_LinalgMatrixExpBackward0 = maker_of(LinalgMatrixExpBackward0)


OP_linalg_matrix_exp.nodes = (LinalgMatrixExpBackward0,)


OP_linalg_matrix_exp.select_node = lambda A: LinalgMatrixExpBackward0


def linalg_matrix_exp(A):
    """The exponentials of square matrices (..., n, n): the sums of `A^k / k!`."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_linalg_matrix_exp(xp, A_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgMatrixExpBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array,)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    _node.storages = (A_storage,)
                    _node.versions = (A_storage.version,)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_linalg_matrix_exp, (A,))


OP_linalg_matrix_exp.function = linalg_matrix_exp


def linalg_matrix_norm(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None, out=None, **named):
    """The norm of the matrices in two dimensions.

    "fro" is that of all elements as a vector, "nuc" the sum of the singular values, 2 and -2 the largest and the
    smallest of them, 1 and -1 the largest and the smallest sum of a column's absolute values, inf and -inf of a row's."""
    if named:
        return renamed(OP_linalg_matrix_norm, linalg_matrix_norm, {'A': A, 'ord': ord, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if type(A) not in PLAIN_TYPES or type(ord) is not int and type(ord) is not float and type(ord) is not str or type(dim) is not tuple and type(dim) is not list and type(dim) is not Size or keepdim is not False and keepdim is not True:
        A, ord, dim, keepdim, dtype = accepted(OP_linalg_matrix_norm, (A, ord, dim, keepdim, dtype))
    if type(dtype) is type:
        dtype = as_dtype('linalg_matrix_norm', dtype)
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_matrix_norm, (A, ord, dim, keepdim), dict(dtype=dtype), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_matrix_norm', composite_linalg_matrix_norm(F, A, ord, dim, keepdim, dtype=dtype), OP_linalg_matrix_norm, (A, ord, dim, keepdim, dtype))
    try:
        return composite_linalg_matrix_norm(F, A, ord, dim, keepdim, dtype=dtype)
    except Exception:
        explain_arguments(OP_linalg_matrix_norm, (A, ord, dim, keepdim, dtype))
        raise


OP_linalg_matrix_norm.function = linalg_matrix_norm


def linalg_matrix_power(A, n, *, out=None):
    """Square matrices multiplied `n` times with themselves; those of a negative power are inverted first."""
    if type(A) not in PLAIN_TYPES or type(n) is not int or n > 0x3FFFFFFF or n < -0x3FFFFFFF:
        A, n = accepted(OP_linalg_matrix_power, (A, n))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_matrix_power, (A, n), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_matrix_power', composite_linalg_matrix_power(F, A, n), OP_linalg_matrix_power, (A, n))
    try:
        return composite_linalg_matrix_power(F, A, n)
    except Exception:
        explain_arguments(OP_linalg_matrix_power, (A, n))
        raise


OP_linalg_matrix_power.function = linalg_matrix_power


def linalg_matrix_rank(input=NOTHING, tol=None, hermitian=False, *, atol=None, rtol=None, out=None, **named):
    """How many singular values of each matrix are larger than `atol`, and than `rtol` times the largest.

    By default `rtol` is eps times the longer side. `hermitian` reads the lower triangle only, and takes the sizes of
    the eigenvalues."""
    if named or input is NOTHING:
        return renamed(OP_linalg_matrix_rank, linalg_matrix_rank, {'input': input, 'tol': tol, 'hermitian': hermitian, 'atol': atol, 'rtol': rtol, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or tol is not None and (type(tol) is not float and type(tol) is not int and type(tol) not in PLAIN_TYPES) or hermitian is not False and hermitian is not True or atol is not None and (type(atol) is not float and type(atol) is not int and type(atol) not in PLAIN_TYPES) or rtol is not None and (type(rtol) is not float and type(rtol) is not int and type(rtol) not in PLAIN_TYPES):
        input, tol, hermitian, atol, rtol = accepted(OP_linalg_matrix_rank, (input, tol, hermitian, atol, rtol))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or tol is not None and type(tol) not in PLAIN_TYPES and hasattr(tol, '__torch_function__') or atol is not None and type(atol) not in PLAIN_TYPES and hasattr(atol, '__torch_function__') or rtol is not None and type(rtol) not in PLAIN_TYPES and hasattr(rtol, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_matrix_rank, (input, tol, hermitian), dict(atol=atol, rtol=rtol), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_matrix_rank, composite_linalg_matrix_rank, F, (input, tol, hermitian), dict(atol=atol, rtol=rtol))
    if out is not None:
        return into(out, 'linalg_matrix_rank', uncast(composite_linalg_matrix_rank, F, input, tol, hermitian, atol=atol, rtol=rtol), OP_linalg_matrix_rank, (input, tol, hermitian, atol, rtol))
    try:
        return composite_linalg_matrix_rank(F, input, tol, hermitian, atol=atol, rtol=rtol)
    except Exception:
        explain_arguments(OP_linalg_matrix_rank, (input, tol, hermitian, atol, rtol))
        raise


linalg_matrix_rank = documented(OP_linalg_matrix_rank, linalg_matrix_rank)


OP_linalg_matrix_rank.function = linalg_matrix_rank


def linalg_norm(input, ord=None, dim=None, keepdim=False, *, dtype=None, out=None, **named):
    """The norm of vectors along one dimension, or of the matrices in two.

    Without `dim` that of all elements as a vector if `ord` is None; else `input` is a vector or a matrix itself."""
    if named:
        return renamed(OP_linalg_norm, linalg_norm, {'input': input, 'ord': ord, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or ord is not None and (type(ord) is not int and type(ord) is not float and type(ord) is not str) or dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size) or keepdim is not False and keepdim is not True:
        input, ord, dim, keepdim, dtype = accepted(OP_linalg_norm, (input, ord, dim, keepdim, dtype))
    if type(dtype) is type:
        dtype = as_dtype('linalg_norm', dtype)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_norm, (input, ord, dim, keepdim), dict(dtype=dtype), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_norm', composite_linalg_norm(F, input, ord, dim, keepdim, dtype=dtype), OP_linalg_norm, (input, ord, dim, keepdim, dtype))
    try:
        return composite_linalg_norm(F, input, ord, dim, keepdim, dtype=dtype)
    except Exception:
        explain_arguments(OP_linalg_norm, (input, ord, dim, keepdim, dtype))
        raise


OP_linalg_norm.function = linalg_norm


def linalg_pinv(input=NOTHING, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None, **named):
    """The pseudo-inverses (..., n, m) of matrices (..., m, n), of which small singular values count as 0.

    Small are those up to `atol`, or `rtol` times the largest, by default eps times the longer side. `hermitian` reads
    the lower triangle only, and takes the eigenvalues."""
    if named or input is NOTHING:
        return renamed(OP_linalg_pinv, linalg_pinv, {'input': input, 'rcond': rcond, 'hermitian': hermitian, 'atol': atol, 'rtol': rtol, 'out': out}, named)
    if type(input) not in PLAIN_TYPES or rcond is not None and (type(rcond) is not float and type(rcond) is not int and type(rcond) not in PLAIN_TYPES) or hermitian is not False and hermitian is not True or atol is not None and (type(atol) is not float and type(atol) is not int and type(atol) not in PLAIN_TYPES) or rtol is not None and (type(rtol) is not float and type(rtol) is not int and type(rtol) not in PLAIN_TYPES):
        input, rcond, hermitian, atol, rtol = accepted(OP_linalg_pinv, (input, rcond, hermitian, atol, rtol))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or rcond is not None and type(rcond) not in PLAIN_TYPES and hasattr(rcond, '__torch_function__') or atol is not None and type(atol) not in PLAIN_TYPES and hasattr(atol, '__torch_function__') or rtol is not None and type(rtol) not in PLAIN_TYPES and hasattr(rtol, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_pinv, (input, rcond, hermitian), dict(atol=atol, rtol=rtol), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_pinv', composite_linalg_pinv(F, input, rcond, hermitian, atol=atol, rtol=rtol), OP_linalg_pinv, (input, rcond, hermitian, atol, rtol))
    try:
        return composite_linalg_pinv(F, input, rcond, hermitian, atol=atol, rtol=rtol)
    except Exception:
        explain_arguments(OP_linalg_pinv, (input, rcond, hermitian, atol, rtol))
        raise


linalg_pinv = documented(OP_linalg_pinv, linalg_pinv)


OP_linalg_pinv.function = linalg_pinv


def linalg_qr_backward(F, node, saved, g, edges):
    Q, R = saved
    mode, = node.params
    g_Q, g_R = F.present(node, g)
    return (derivative_linalg_qr_A(F, g_Q, g_R, Q, R, mode),)


class LinalgQrBackward0(Saving):
    op = OPS['linalg_qr']
    saves = ('Q', 'R')
    parameters = ('mode',)
    backward = staticmethod(linalg_qr_backward)
    backward_complex = staticmethod(linalg_qr_backward)


new_LinalgQrBackward0 = maker_of(LinalgQrBackward0)


OP_linalg_qr.nodes = (LinalgQrBackward0,)


OP_linalg_qr.select_node = lambda A, mode: LinalgQrBackward0


def linalg_qr(A, mode='reduced', *, out=None):
    """Q with orthonormal columns and upper triangular R of `A = Q R`; "complete": square Q; "r": R alone."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _Q, _R = forward_linalg_qr(xp, A_array, mode)
                if out is not None:
                    return all_written_to(out, (_Q, _R), OP_linalg_qr.returned, OP_linalg_qr, A)
            except Exception:
                pass
            else:
                if type(_Q) is not ndarray and isinstance(_Q, np.generic):
                    _Q = as_array(_Q)
                _Q_tensor = new_tensor(None)
                _Q_tensor._array = _Q
                _Q_tensor._alike = None
                _Q_tensor._base = None
                _Q_tensor._generation = None
                if type(_R) is not ndarray and isinstance(_R, np.generic):
                    _R = as_array(_R)
                _R_tensor = new_tensor(None)
                _R_tensor._array = _R
                _R_tensor._alike = None
                _R_tensor._base = None
                _R_tensor._generation = None
                _Q_tensor._store = None
                _R_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgQrBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_Q, _R)
                    _Q_tensor._store = Q_storage = new_storage(None)
                    Q_storage.version = 0
                    _R_tensor._store = R_storage = new_storage(None)
                    R_storage.version = 0
                    _node.storages = (Q_storage, R_storage)
                    _node.versions = (0, 0)
                    _node.params = (mode,)
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_Q.shape, _Q.dtype), (_R.shape, _R.dtype))
                    _Q_tensor._edge = Output(_node, 0)
                    _R_tensor._edge = Output(_node, 1)
                else:
                    _Q_tensor._edge = None
                    _R_tensor._edge = None
                    if _mode is INFERENCE:
                        _Q_tensor._store = InferenceStorage()
                        _R_tensor._store = InferenceStorage()
                return OP_linalg_qr.returned(_Q_tensor, _R_tensor)
            finally:
                reset_errors(_token)
    return general(OP_linalg_qr, (A, mode), out)


OP_linalg_qr.function = linalg_qr


def linalg_slogdet(A, *, out=None):
    """The sign of the determinants of square matrices (..., n, n), and the logarithm of their absolute value.

    The sign of a complex determinant is it divided by its absolute value; that of 0 is 0, and its logarithm -inf."""
    if type(A) not in PLAIN_TYPES:
        A, = accepted(OP_linalg_slogdet, (A,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_slogdet, (A,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_slogdet', composite_linalg_slogdet(F, A), OP_linalg_slogdet, (A,))
    try:
        return composite_linalg_slogdet(F, A)
    except Exception:
        explain_arguments(OP_linalg_slogdet, (A,))
        raise


OP_linalg_slogdet.function = linalg_slogdet


def linalg_solve(A, B, *, left=True, out=None):
    """The `X` with `A @ X = B`, or with `X @ A = B` unless `left`. Raises LinAlgError if an `A` is singular.

    `A` is (..., n, n); `B` is (..., n, k), or (..., k, n) unless `left`, or vectors (n,) or (..., n)."""
    if type(A) not in PLAIN_TYPES or type(B) not in PLAIN_TYPES or left is not False and left is not True:
        A, B, left = accepted(OP_linalg_solve, (A, B, left))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__') or type(B) not in PLAIN_TYPES and hasattr(B, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_solve, (A, B), dict(left=left), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_solve, composite_linalg_solve, F, (A, B), dict(left=left))
    if out is not None:
        return into(out, 'linalg_solve', uncast(composite_linalg_solve, F, A, B, left=left), OP_linalg_solve, (A, B, left))
    try:
        return composite_linalg_solve(F, A, B, left=left)
    except Exception:
        explain_arguments(OP_linalg_solve, (A, B, left))
        raise


OP_linalg_solve.function = linalg_solve


def linalg_solve_ex(A, B, *, left=True, check_errors=False, out=None):
    """The `result` with `A @ result = B`, and `info`: 0, or the number of the first pivot of `A` that is zero."""
    if type(A) not in PLAIN_TYPES or type(B) not in PLAIN_TYPES or left is not False and left is not True or check_errors is not False and check_errors is not True:
        A, B, left, check_errors = accepted(OP_linalg_solve_ex, (A, B, left, check_errors))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__') or type(B) not in PLAIN_TYPES and hasattr(B, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_solve_ex, (A, B), dict(left=left, check_errors=check_errors), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'linalg_solve_ex', composite_linalg_solve_ex(F, A, B, left=left, check_errors=check_errors), OP_linalg_solve_ex, (A, B, left, check_errors))
    try:
        return composite_linalg_solve_ex(F, A, B, left=left, check_errors=check_errors)
    except Exception:
        explain_arguments(OP_linalg_solve_ex, (A, B, left, check_errors))
        raise


OP_linalg_solve_ex.function = linalg_solve_ex


def linalg_solve_triangular_backward(F, node, saved, g, edges):
    A, out = saved
    upper, left, unitriangular, B_shape, B_dtype = node.params
    common = common_linalg_solve_triangular(F, g, A, upper, left, unitriangular)
    A_edge, B_edge = edges
    return (None if A_edge is None else derivative_linalg_solve_triangular_A(F, A, out, upper, left, unitriangular, common), None if B_edge is None else F.fit(common, B_shape, B_dtype))


class LinalgSolveTriangularBackward0(Saving):
    op = OPS['linalg_solve_triangular']
    saves = ('A', 'out')
    parameters = ('upper', 'left', 'unitriangular', 'B_shape', 'B_dtype')
    backward = staticmethod(linalg_solve_triangular_backward)
    backward_complex = staticmethod(linalg_solve_triangular_backward)


new_LinalgSolveTriangularBackward0 = maker_of(LinalgSolveTriangularBackward0)


OP_linalg_solve_triangular.nodes = (LinalgSolveTriangularBackward0,)


OP_linalg_solve_triangular.select_node = lambda A, B, upper, left, unitriangular: LinalgSolveTriangularBackward0


def linalg_solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):
    """The `X` with `A @ X = B`, or `X @ A = B` unless `left`, where `A` is triangular: its other half is not read.

    `B` is brought to the dtype of `A`. A zero on the diagonal gives inf and nan, no error; `unitriangular` says that
    the diagonal is 1, and not read."""
    if upper is not False and upper is not True or left is not False and left is not True or unitriangular is not False and unitriangular is not True:
        A, B, upper, left, unitriangular = accepted(OP_linalg_solve_triangular, (A, B, upper, left, unitriangular))
    if (type(A) is Tensor or type(A) in PLAIN_TYPES) and (type(B) is Tensor or type(B) in PLAIN_TYPES):
        A_array = A._array
        B_array = B._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is B_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_linalg_solve_triangular(xp, A_array, B_array, upper=upper, left=left, unitriangular=unitriangular)
                if out is not None:
                    return written_to(out, _result, OP_linalg_solve_triangular, A, B)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    A_edge = A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)
                    B_edge = B._edge if (_base := B._base) is None or B._generation == _base._generation else edge_of(B)
                if _mode and (A_edge is not None or B_edge is not None):
                    _node = new_LinalgSolveTriangularBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge, B_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array, None if A_edge is None else _result)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (A_storage, out_storage)
                    _node.versions = (A_storage.version, 0)
                    _node.params = (upper, left, unitriangular, B_array.shape if B._alike is None else B._alike[0], B_array.dtype if B._alike is None else B._alike[1])
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_linalg_solve_triangular, (A, B, upper, left, unitriangular), out)


OP_linalg_solve_triangular.function = linalg_solve_triangular


def linalg_svd_backward(F, node, saved, g, edges):
    U, S, Vh = saved
    g_U, g_S, g_Vh = g
    return (derivative_linalg_svd_A(F, g_U, g_S, g_Vh, U, S, Vh),)


class LinalgSvdBackward0(Saving):
    op = OPS['linalg_svd']
    saves = ('U', 'S', 'Vh')
    parameters = ()
    backward = staticmethod(linalg_svd_backward)
    backward_complex = staticmethod(linalg_svd_backward)


new_LinalgSvdBackward0 = maker_of(LinalgSvdBackward0)


OP_linalg_svd.nodes = (LinalgSvdBackward0,)


OP_linalg_svd.select_node = lambda A, full_matrices, driver: LinalgSvdBackward0


def linalg_svd(A, full_matrices=True, *, driver=None, out=None):
    """U, the singular values S, falling, and V^H of `A = U diag(S) V^H`; square U and V if `full_matrices`."""
    if full_matrices is not False and full_matrices is not True:
        A, full_matrices, driver = accepted(OP_linalg_svd, (A, full_matrices, driver))
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _U, _S, _Vh = forward_linalg_svd(xp, A_array, full_matrices, driver=driver)
                if out is not None:
                    return all_written_to(out, (_U, _S, _Vh), OP_linalg_svd.returned, OP_linalg_svd, A)
            except Exception:
                pass
            else:
                if type(_U) is not ndarray and isinstance(_U, np.generic):
                    _U = as_array(_U)
                _U_tensor = new_tensor(None)
                _U_tensor._array = _U
                _U_tensor._alike = None
                _U_tensor._base = None
                _U_tensor._generation = None
                if type(_S) is not ndarray and isinstance(_S, np.generic):
                    _S = as_array(_S)
                _S_tensor = new_tensor(None)
                _S_tensor._array = _S
                _S_tensor._alike = None
                _S_tensor._base = None
                _S_tensor._generation = None
                if type(_Vh) is not ndarray and isinstance(_Vh, np.generic):
                    _Vh = as_array(_Vh)
                _Vh_tensor = new_tensor(None)
                _Vh_tensor._array = _Vh
                _Vh_tensor._alike = None
                _Vh_tensor._base = None
                _Vh_tensor._generation = None
                _U_tensor._store = None
                _S_tensor._store = None
                _Vh_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgSvdBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (_U, _S, _Vh)
                    _U_tensor._store = U_storage = new_storage(None)
                    U_storage.version = 0
                    _S_tensor._store = S_storage = new_storage(None)
                    S_storage.version = 0
                    _Vh_tensor._store = Vh_storage = new_storage(None)
                    Vh_storage.version = 0
                    _node.storages = (U_storage, S_storage, Vh_storage)
                    _node.versions = (0, 0, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 3
                    _node.result_metas = ((_U.shape, _U.dtype), (_S.shape, _S.dtype), (_Vh.shape, _Vh.dtype))
                    _U_tensor._edge = Output(_node, 0)
                    _S_tensor._edge = Output(_node, 1)
                    _Vh_tensor._edge = Output(_node, 2)
                else:
                    _U_tensor._edge = None
                    _S_tensor._edge = None
                    _Vh_tensor._edge = None
                    if _mode is INFERENCE:
                        _U_tensor._store = InferenceStorage()
                        _S_tensor._store = InferenceStorage()
                        _Vh_tensor._store = InferenceStorage()
                return OP_linalg_svd.returned(_U_tensor, _S_tensor, _Vh_tensor)
            finally:
                reset_errors(_token)
    return general(OP_linalg_svd, (A, full_matrices, driver), out)


OP_linalg_svd.function = linalg_svd


def linalg_svdvals(A, *, driver=None, out=None):
    """The singular values, falling."""
    if type(A) not in PLAIN_TYPES or driver is not None and (type(driver) is not str):
        A, driver = accepted(OP_linalg_svdvals, (A, driver))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_svdvals, (A,), dict(driver=driver), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_svdvals, composite_linalg_svdvals, F, (A,), dict(driver=driver))
    if out is not None:
        return into(out, 'linalg_svdvals', uncast(composite_linalg_svdvals, F, A, driver=driver), OP_linalg_svdvals, (A, driver))
    try:
        return composite_linalg_svdvals(F, A, driver=driver)
    except Exception:
        explain_arguments(OP_linalg_svdvals, (A, driver))
        raise


OP_linalg_svdvals.function = linalg_svdvals


def linalg_tensorinv(A, ind=2, *, out=None):
    """The inverse of `A` for `tensordot` over `ind` dimensions: those after `ind` come first in the result."""
    if type(A) not in PLAIN_TYPES or type(ind) is not int or ind > 0x3FFFFFFF or ind < -0x3FFFFFFF:
        A, ind = accepted(OP_linalg_tensorinv, (A, ind))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_tensorinv, (A, ind), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_tensorinv, composite_linalg_tensorinv, F, (A, ind), dict())
    if out is not None:
        return into(out, 'linalg_tensorinv', uncast(composite_linalg_tensorinv, F, A, ind), OP_linalg_tensorinv, (A, ind))
    try:
        return composite_linalg_tensorinv(F, A, ind)
    except Exception:
        explain_arguments(OP_linalg_tensorinv, (A, ind))
        raise


OP_linalg_tensorinv.function = linalg_tensorinv


def linalg_tensorsolve(A, B, dims=None, *, out=None):
    """The `X` with `tensordot(A, X, X.ndim) = B`, after `dims` of `A` were moved to its end."""
    if type(A) not in PLAIN_TYPES or type(B) not in PLAIN_TYPES or dims is not None and (type(dims) is not tuple and type(dims) is not list and type(dims) is not Size):
        A, B, dims = accepted(OP_linalg_tensorsolve, (A, B, dims))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__') or type(B) not in PLAIN_TYPES and hasattr(B, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_tensorsolve, (A, B, dims), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_linalg_tensorsolve, composite_linalg_tensorsolve, F, (A, B, dims), dict())
    if out is not None:
        return into(out, 'linalg_tensorsolve', uncast(composite_linalg_tensorsolve, F, A, B, dims), OP_linalg_tensorsolve, (A, B, dims))
    try:
        return composite_linalg_tensorsolve(F, A, B, dims)
    except Exception:
        explain_arguments(OP_linalg_tensorsolve, (A, B, dims))
        raise


OP_linalg_tensorsolve.function = linalg_tensorsolve


def linalg_vander(x, N=None):
    """The powers 0 to `N` - 1 of each element, in a new last dimension; by default as many as the last one has."""
    if type(x) not in PLAIN_TYPES or N is not None and (type(N) is not int or N > 0x3FFFFFFF or N < -0x3FFFFFFF):
        x, N = accepted(OP_linalg_vander, (x, N))
    if type(get_mode()) is Modes and get_mode().function_modes or type(x) not in PLAIN_TYPES and hasattr(x, '__torch_function__'):
        if (_taken := taken_over(OP_linalg_vander, (x, N), dict())) is not ABSENT:
            return _taken
    try:
        return composite_linalg_vander(F, x, N)
    except Exception:
        explain_arguments(OP_linalg_vander, (x, N))
        raise


OP_linalg_vander.function = linalg_vander


def lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None, ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
    """The `k` largest eigenvalues of `A x = lambda B x`, or smallest unless `largest`, and their vectors.

    A (..., m, m) is symmetric, B positive-definite, the identity if it is not given. X (..., m, n) are approximations
    to begin with, `n` random ones without; iK is a preconditioner; `niter` (-1: without end) and `tol`, of the residual
    relative to A, say when to stop. There is one `method`, which no `ortho_...` changes and no `tracker` sees."""
    if type(A) not in PLAIN_TYPES or k is not None and (type(k) is not int or k > 0x3FFFFFFF or k < -0x3FFFFFFF) or B is not None and (type(B) not in PLAIN_TYPES) or n is not None and (type(n) is not int or n > 0x3FFFFFFF or n < -0x3FFFFFFF) or tol is not None and (type(tol) is not float and type(tol) is not int and type(tol) not in PLAIN_TYPES):
        A, k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams = accepted(OP_lobpcg, (A, k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__') or B is not None and type(B) not in PLAIN_TYPES and hasattr(B, '__torch_function__') or tol is not None and type(tol) not in PLAIN_TYPES and hasattr(tol, '__torch_function__'):
        if (_taken := taken_over(OP_lobpcg, (A, k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams), dict())) is not ABSENT:
            return _taken
    try:
        return composite_lobpcg(F, A, k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams)
    except Exception:
        explain_arguments(OP_lobpcg, (A, k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams))
        raise


OP_lobpcg.function = lobpcg


def logdet(input):
    """The logarithms of the determinants of square matrices: nan for a negative one."""
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_logdet, (input,), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_logdet, (input,))
    try:
        return composite_logdet(F, input)
    except Exception:
        explain_arguments(OP_logdet, (input,))
        raise


OP_logdet.function = logdet


def lu(A, pivot=True, get_infos=False, *, out=None):
    """L and U of `A = P L U` in one matrix, and the rows exchanged; with `get_infos` the first zero pivots as well."""
    if pivot is not False and pivot is not True or get_infos is not False and get_infos is not True:
        A, pivot, get_infos = accepted(OP_lu, (A, pivot, get_infos))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_lu, (A, pivot, get_infos), dict(), out)) is not ABSENT:
            return _taken
    if type(A) not in PLAIN_TYPES:
        explain_arguments(OP_lu, (A, pivot, get_infos))
    if out is not None:
        return into(out, 'lu', composite_lu(F, A, pivot, get_infos), OP_lu, (A, pivot, get_infos))
    try:
        return composite_lu(F, A, pivot, get_infos)
    except Exception:
        explain_arguments(OP_lu, (A, pivot, get_infos))
        raise


OP_lu.function = lu


def lu_solve(input=NOTHING, LU_data=NOTHING, LU_pivots=NOTHING, *, out=None, **named):
    """The `X` with `A @ X = input`, from what `linalg.lu_factor(A)` returned. Deprecated: see its warning."""
    if named or input is NOTHING or LU_data is NOTHING or LU_pivots is NOTHING:
        return renamed(OP_lu_solve, lu_solve, {'input': input, 'LU_data': LU_data, 'LU_pivots': LU_pivots, 'out': out}, named)
    if type(LU_data) not in PLAIN_TYPES or type(LU_pivots) not in PLAIN_TYPES:
        input, LU_data, LU_pivots = accepted(OP_lu_solve, (input, LU_data, LU_pivots))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(LU_data) not in PLAIN_TYPES and hasattr(LU_data, '__torch_function__') or type(LU_pivots) not in PLAIN_TYPES and hasattr(LU_pivots, '__torch_function__'):
        if (_taken := taken_over(OP_lu_solve, (input, LU_data, LU_pivots), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_lu_solve, (input, LU_data, LU_pivots))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_lu_solve, composite_lu_solve, F, (input, LU_data, LU_pivots), dict())
    if out is not None:
        return into(out, 'lu_solve', uncast(composite_lu_solve, F, input, LU_data, LU_pivots), OP_lu_solve, (input, LU_data, LU_pivots))
    try:
        return composite_lu_solve(F, input, LU_data, LU_pivots)
    except Exception:
        explain_arguments(OP_lu_solve, (input, LU_data, LU_pivots))
        raise


lu_solve = documented(OP_lu_solve, lu_solve)


OP_lu_solve.function = lu_solve


def lu_unpack_backward(F, node, saved, g, edges):
    unpack_data, = node.params
    g_L, g_U = F.present(node, g)
    return (derivative_lu_unpack_LU_data(F, g_L, g_U, unpack_data),)


class LuUnpackBackward0(Node):
    op = OPS['lu_unpack']
    saves = ()
    parameters = ('unpack_data',)
    backward = staticmethod(lu_unpack_backward)
    backward_complex = staticmethod(lu_unpack_backward)


new_LuUnpackBackward0 = maker_of(LuUnpackBackward0)


OP_lu_unpack.nodes = (LuUnpackBackward0,)


OP_lu_unpack.select_node = lambda LU_data, LU_pivots, unpack_data, unpack_pivots: LuUnpackBackward0


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None):
    """P, L and U of what `lu_factor` returned; empty without `unpack_pivots` and `unpack_data`."""
    if unpack_data is not False and unpack_data is not True or unpack_pivots is not False and unpack_pivots is not True:
        LU_data, LU_pivots, unpack_data, unpack_pivots = accepted(OP_lu_unpack, (LU_data, LU_pivots, unpack_data, unpack_pivots))
    if (type(LU_data) is Tensor or type(LU_data) in PLAIN_TYPES) and (type(LU_pivots) is Tensor or type(LU_pivots) in PLAIN_TYPES):
        LU_data_array = LU_data._array
        LU_pivots_array = LU_pivots._array
        _mode = get_mode()
        if ((_dtype := LU_data_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _P, _L, _U = forward_lu_unpack(xp, LU_data_array, LU_pivots_array, unpack_data, unpack_pivots)
                if out is not None:
                    return all_written_to(out, (_P, _L, _U), OP_lu_unpack.returned, OP_lu_unpack, LU_data, LU_pivots)
            except Exception:
                pass
            else:
                if type(_P) is not ndarray and isinstance(_P, np.generic):
                    _P = as_array(_P)
                _P_tensor = new_tensor(None)
                _P_tensor._array = _P
                _P_tensor._alike = None
                _P_tensor._base = None
                _P_tensor._generation = None
                if type(_L) is not ndarray and isinstance(_L, np.generic):
                    _L = as_array(_L)
                _L_tensor = new_tensor(None)
                _L_tensor._array = _L
                _L_tensor._alike = None
                _L_tensor._base = None
                _L_tensor._generation = None
                if type(_U) is not ndarray and isinstance(_U, np.generic):
                    _U = as_array(_U)
                _U_tensor = new_tensor(None)
                _U_tensor._array = _U
                _U_tensor._alike = None
                _U_tensor._base = None
                _U_tensor._generation = None
                _P_tensor._store = None
                _L_tensor._store = None
                _U_tensor._store = None
                if _mode and (LU_data_edge := LU_data._edge if (_base := LU_data._base) is None or LU_data._generation == _base._generation else edge_of(LU_data)) is not None:
                    _node = new_LuUnpackBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (LU_data_edge,)
                    _node.saved = ()
                    _node.params = (unpack_data,)
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_L.shape, _L.dtype), (_U.shape, _U.dtype))
                    _L_tensor._edge = Output(_node, 0)
                    _U_tensor._edge = Output(_node, 1)
                    _P_tensor._edge = None
                else:
                    _P_tensor._edge = None
                    _L_tensor._edge = None
                    _U_tensor._edge = None
                    if _mode is INFERENCE:
                        _P_tensor._store = InferenceStorage()
                        _L_tensor._store = InferenceStorage()
                        _U_tensor._store = InferenceStorage()
                return OP_lu_unpack.returned(_P_tensor, _L_tensor, _U_tensor)
            finally:
                reset_errors(_token)
    return general(OP_lu_unpack, (LU_data, LU_pivots, unpack_data, unpack_pivots), out)


OP_lu_unpack.function = lu_unpack


def matrix_exp(input=NOTHING, **named):
    """The exponentials of square matrices: `linalg.matrix_exp`."""
    if named or input is NOTHING:
        return renamed(OP_matrix_exp, matrix_exp, {'input': input}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_matrix_exp, (input,), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_matrix_exp, (input,))
    try:
        return composite_matrix_exp(F, input)
    except Exception:
        explain_arguments(OP_matrix_exp, (input,))
        raise


matrix_exp = documented(OP_matrix_exp, matrix_exp)


OP_matrix_exp.function = matrix_exp


def matrix_power(input, n, *, out=None):
    """Square matrices multiplied `n` times with themselves: `linalg.matrix_power`."""
    if type(n) is not int or n > 0x3FFFFFFF or n < -0x3FFFFFFF:
        input, n = accepted(OP_matrix_power, (input, n))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_matrix_power, (input, n), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_matrix_power, (input, n))
    if out is not None:
        return into(out, 'matrix_power', composite_matrix_power(F, input, n), OP_matrix_power, (input, n))
    try:
        return composite_matrix_power(F, input, n)
    except Exception:
        explain_arguments(OP_matrix_power, (input, n))
        raise


OP_matrix_power.function = matrix_power


def orgqr(input, input2=NOTHING, *, out=None, **named):
    """`torch.linalg.householder_product`."""
    if named or input2 is NOTHING:
        return renamed(OP_orgqr, orgqr, {'input': input, 'input2': input2, 'out': out}, named)
    if type(input2) not in PLAIN_TYPES:
        input, input2 = accepted(OP_orgqr, (input, input2))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(input2) not in PLAIN_TYPES and hasattr(input2, '__torch_function__'):
        if (_taken := taken_over(OP_orgqr, (input, input2), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_orgqr, (input, input2))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_orgqr, composite_orgqr, F, (input, input2), dict())
    if out is not None:
        return into(out, 'orgqr', uncast(composite_orgqr, F, input, input2), OP_orgqr, (input, input2))
    try:
        return composite_orgqr(F, input, input2)
    except Exception:
        explain_arguments(OP_orgqr, (input, input2))
        raise


orgqr = documented(OP_orgqr, orgqr)


OP_orgqr.function = orgqr


def ormqr_backward(F, node, saved, g, edges):
    input, tau, other = saved
    left, transpose = node.params
    input_edge, tau_edge, other_edge = edges
    return (None if input_edge is None else derivative_ormqr_input(F, g, input, tau, other, left, transpose), None if tau_edge is None else derivative_ormqr_tau(F, g, input, tau, other, left, transpose), None if other_edge is None else F.ormqr(input, tau, g, left, not transpose))


class OrmqrBackward0(Saving):
    op = OPS['ormqr']
    saves = ('input', 'tau', 'other')
    parameters = ('left', 'transpose')
    backward = staticmethod(ormqr_backward)
    backward_complex = staticmethod(ormqr_backward)


new_OrmqrBackward0 = maker_of(OrmqrBackward0)


OP_ormqr.nodes = (OrmqrBackward0,)


OP_ormqr.select_node = lambda input, tau, other, left, transpose: OrmqrBackward0


def ormqr(input, tau=NOTHING, other=NOTHING, left=True, transpose=False, *, out=None, **named):
    """`Q other`, or `other Q` unless `left`, with the adjoint of Q if `transpose`; Q as `geqrf` packs it."""
    if named or tau is NOTHING or other is NOTHING:
        return renamed(OP_ormqr, ormqr, {'input': input, 'tau': tau, 'other': other, 'left': left, 'transpose': transpose, 'out': out}, named)
    if left is not False and left is not True or transpose is not False and transpose is not True:
        input, tau, other, left, transpose = accepted(OP_ormqr, (input, tau, other, left, transpose))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(tau) is Tensor or type(tau) in PLAIN_TYPES) and (type(other) is Tensor or type(other) in PLAIN_TYPES):
        input_array = input._array
        tau_array = tau._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is tau_array.dtype and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_ormqr(xp, input_array, tau_array, other_array, left, transpose)
                if out is not None:
                    return written_to(out, _result, OP_ormqr, input, tau, other)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    tau_edge = tau._edge if (_base := tau._base) is None or tau._generation == _base._generation else edge_of(tau)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or tau_edge is not None or other_edge is not None):
                    _node = new_OrmqrBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, tau_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (input_array, tau_array, None if input_edge is None and tau_edge is None else other_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (tau_storage := tau._store) is None:
                        tau_storage = tau._store = new_storage(None)
                        tau_storage.version = 0
                    if (other_storage := other._store) is None:
                        other_storage = other._store = new_storage(None)
                        other_storage.version = 0
                    _node.storages = (input_storage, tau_storage, other_storage)
                    _node.versions = (input_storage.version, tau_storage.version, other_storage.version)
                    _node.params = (left, transpose)
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_ormqr, (input, tau, other, left, transpose), out)


OP_ormqr.function = ormqr


def pca_lowrank(A, q=None, center=True, niter=2):
    """About the first `q` principal components of the rows of A: U, S and V of A, less the means of its columns.

    Without `q`, 6 or as many as there are. `torch.matmul(A, V[:, :k])` projects the rows to k components."""
    if type(A) not in PLAIN_TYPES or q is not None and (type(q) is not int or q > 0x3FFFFFFF or q < -0x3FFFFFFF) or center is not False and center is not True or type(niter) is not int or niter > 0x3FFFFFFF or niter < -0x3FFFFFFF:
        A, q, center, niter = accepted(OP_pca_lowrank, (A, q, center, niter))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_pca_lowrank, (A, q, center, niter), dict())) is not ABSENT:
            return _taken
    try:
        return composite_pca_lowrank(F, A, q, center, niter)
    except Exception:
        explain_arguments(OP_pca_lowrank, (A, q, center, niter))
        raise


OP_pca_lowrank.function = pca_lowrank


def pinverse(input, rcond=1e-15):
    """The pseudo-inverses of matrices: `linalg.pinv`."""
    if type(rcond) is not float and type(rcond) is not int:
        input, rcond = accepted(OP_pinverse, (input, rcond))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_pinverse, (input, rcond), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_pinverse, (input, rcond))
    if type(get_mode()) is Modes:
        return autocasted(OP_pinverse, composite_pinverse, F, (input, rcond), dict())
    try:
        return composite_pinverse(F, input, rcond)
    except Exception:
        explain_arguments(OP_pinverse, (input, rcond))
        raise


OP_pinverse.function = pinverse


def pseudo_inverse_backward(F, node, saved, g, edges):
    A, out = saved
    return (derivative_pseudo_inverse_A(F, g, A, out),)


class LinalgPinvBackward0(Saving):
    op = OPS['pseudo_inverse']
    saves = ('A', 'out')
    parameters = ()
    backward = staticmethod(pseudo_inverse_backward)
    backward_complex = staticmethod(pseudo_inverse_backward)


new_LinalgPinvBackward0 = maker_of(LinalgPinvBackward0)


OP_pseudo_inverse.nodes = (LinalgPinvBackward0,)


OP_pseudo_inverse.select_node = lambda A, atol, rtol, hermitian: LinalgPinvBackward0


def pseudo_inverse(A, atol=None, rtol=None, hermitian=False):
    """The pseudo-inverses of matrices, with singular values counting as 0 unless they exceed both tolerances."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES) and (atol is None or type(atol) in PLAIN_TYPES) and (rtol is None or type(rtol) in PLAIN_TYPES):
        A_array = A._array
        atol_array = None if atol is None else atol._array
        rtol_array = None if rtol is None else rtol._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_pseudo_inverse(xp, A_array, atol_array, rtol_array, hermitian)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgPinvBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array, _result)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (A_storage, out_storage)
                    _node.versions = (A_storage.version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_pseudo_inverse, (A, atol, rtol, hermitian))


OP_pseudo_inverse.function = pseudo_inverse


def qr(input, some=True, *, out=None):
    """Q with orthonormal columns and upper triangular R of `input = Q R`; square Q unless `some`. Deprecated."""
    if some is not False and some is not True:
        input, some = accepted(OP_qr, (input, some))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_qr, (input, some), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_qr, (input, some))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_qr, composite_qr, F, (input, some), dict())
    if out is not None:
        return into(out, 'qr', uncast(composite_qr, F, input, some), OP_qr, (input, some))
    try:
        return composite_qr(F, input, some)
    except Exception:
        explain_arguments(OP_qr, (input, some))
        raise


OP_qr.function = qr


def random_directions(input, count):
    """`count` random vectors, as columns, of the length of the rows of `input`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and input_array.dtype in EASY and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_random_directions(xp, input_array, count)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_random_directions, (input, count))


OP_random_directions.function = random_directions


def rank(A, atol=None, rtol=None, hermitian=False, *, out=None):
    """How many singular values of each matrix exceed both tolerances."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES) and (atol is None or type(atol) in PLAIN_TYPES) and (rtol is None or type(rtol) in PLAIN_TYPES):
        A_array = A._array
        atol_array = None if atol is None else atol._array
        rtol_array = None if rtol is None else rtol._array
        _mode = get_mode()
        if type(A_array) is ndarray and A_array.dtype in EASY and (atol is None or type(atol_array) is ndarray and atol_array.dtype in EASY) and (rtol is None or type(rtol_array) is ndarray and rtol_array.dtype in EASY) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_rank(xp, A_array, atol_array, rtol_array, hermitian)
                if out is not None:
                    return written_to(out, _result, OP_rank, A, atol, rtol)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_rank, (A, atol, rtol, hermitian), out)


OP_rank.function = rank


def sign_and_log_determinant_backward(F, node, saved, g, edges):
    A, sign = saved
    g_sign, g_logabsdet = F.present(node, g)
    return (derivative_sign_and_log_determinant_A(F, g_sign, g_logabsdet, A, sign),)


class LinalgSlogdetBackward0(Saving):
    op = OPS['sign_and_log_determinant']
    saves = ('A', 'sign')
    parameters = ()
    backward = staticmethod(sign_and_log_determinant_backward)
    backward_complex = staticmethod(sign_and_log_determinant_backward)


new_LinalgSlogdetBackward0 = maker_of(LinalgSlogdetBackward0)


OP_sign_and_log_determinant.nodes = (LinalgSlogdetBackward0,)


OP_sign_and_log_determinant.select_node = lambda A, name: LinalgSlogdetBackward0


def sign_and_log_determinant(A, name, *, out=None):
    """The signs of the determinants of square matrices, and the logarithms of their sizes."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _sign, _logabsdet = forward_sign_and_log_determinant(xp, A_array, name)
                if out is not None:
                    return all_written_to(out, (_sign, _logabsdet), OP_sign_and_log_determinant.returned, OP_sign_and_log_determinant, A)
            except Exception:
                pass
            else:
                if type(_sign) is not ndarray and isinstance(_sign, np.generic):
                    _sign = as_array(_sign)
                _sign_tensor = new_tensor(None)
                _sign_tensor._array = _sign
                _sign_tensor._alike = None
                _sign_tensor._base = None
                _sign_tensor._generation = None
                if type(_logabsdet) is not ndarray and isinstance(_logabsdet, np.generic):
                    _logabsdet = as_array(_logabsdet)
                _logabsdet_tensor = new_tensor(None)
                _logabsdet_tensor._array = _logabsdet
                _logabsdet_tensor._alike = None
                _logabsdet_tensor._base = None
                _logabsdet_tensor._generation = None
                _sign_tensor._store = None
                _logabsdet_tensor._store = None
                if _mode and (A_edge := A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)) is not None:
                    _node = new_LinalgSlogdetBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge,)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array, _sign)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    _sign_tensor._store = sign_storage = new_storage(None)
                    sign_storage.version = 0
                    _node.storages = (A_storage, sign_storage)
                    _node.versions = (A_storage.version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_sign.shape, _sign.dtype), (_logabsdet.shape, _logabsdet.dtype))
                    _sign_tensor._edge = Output(_node, 0)
                    _logabsdet_tensor._edge = Output(_node, 1)
                else:
                    _sign_tensor._edge = None
                    _logabsdet_tensor._edge = None
                    if _mode is INFERENCE:
                        _sign_tensor._store = InferenceStorage()
                        _logabsdet_tensor._store = InferenceStorage()
                return OP_sign_and_log_determinant.returned(_sign_tensor, _logabsdet_tensor)
            finally:
                reset_errors(_token)
    return general(OP_sign_and_log_determinant, (A, name), out)


OP_sign_and_log_determinant.function = sign_and_log_determinant


def singular_values(A):
    """The singular values, falling."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES):
        A_array = A._array
        _mode = get_mode()
        if type(A_array) is ndarray and A_array.dtype in EASY and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_singular_values(xp, A_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_singular_values, (A,))


OP_singular_values.function = singular_values


def slogdet(input, *, out=None):
    """The sign of the determinants of square matrices, and the logarithm of their absolute value: `linalg.slogdet`."""
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_slogdet, (input,), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_slogdet, (input,))
    if out is not None:
        return into(out, 'slogdet', composite_slogdet(F, input), OP_slogdet, (input,))
    try:
        return composite_slogdet(F, input)
    except Exception:
        explain_arguments(OP_slogdet, (input,))
        raise


OP_slogdet.function = slogdet


def solution_and_info_backward(F, node, saved, g, edges):
    A, result = saved
    B_shape, left = node.params
    g_result = g
    common = common_solution_and_info(F, g_result, A, left)
    A_edge, B_edge = edges
    return (None if A_edge is None else derivative_solution_and_info_A(F, A, B_shape, result, left, common), None if B_edge is None else derivative_solution_and_info_B(F, A, B_shape, common))


class LinalgSolveExBackward0(Saving):
    op = OPS['solution_and_info']
    saves = ('A', 'result')
    parameters = ('B_shape', 'left')
    backward = staticmethod(solution_and_info_backward)
    backward_complex = staticmethod(solution_and_info_backward)


new_LinalgSolveExBackward0 = maker_of(LinalgSolveExBackward0)


OP_solution_and_info.nodes = (LinalgSolveExBackward0,)


OP_solution_and_info.select_node = lambda A, B, left: LinalgSolveExBackward0


def solution_and_info(A, B, left, *, out=None):
    """The `result` with `A @ result = B`, or `result @ A = B` unless `left`; and of each `A` its first zero pivot."""
    if (type(A) is Tensor or type(A) in PLAIN_TYPES) and (type(B) is Tensor or type(B) in PLAIN_TYPES):
        A_array = A._array
        B_array = B._array
        _mode = get_mode()
        if ((_dtype := A_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is B_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result, _info = forward_solution_and_info(xp, A_array, B_array, left)
                if out is not None:
                    return all_written_to(out, (_result, _info), OP_solution_and_info.returned, OP_solution_and_info, A, B)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _result_tensor = new_tensor(None)
                _result_tensor._array = _result
                _result_tensor._alike = None
                _result_tensor._base = None
                _result_tensor._generation = None
                if type(_info) is not ndarray and isinstance(_info, np.generic):
                    _info = as_array(_info)
                _info_tensor = new_tensor(None)
                _info_tensor._array = _info
                _info_tensor._alike = None
                _info_tensor._base = None
                _info_tensor._generation = None
                _result_tensor._store = None
                _info_tensor._store = None
                if _mode:
                    A_edge = A._edge if (_base := A._base) is None or A._generation == _base._generation else edge_of(A)
                    B_edge = B._edge if (_base := B._base) is None or B._generation == _base._generation else edge_of(B)
                if _mode and (A_edge is not None or B_edge is not None):
                    _node = new_LinalgSolveExBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (A_edge, B_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (A_array, None if A_edge is None else _result)
                    if (A_storage := A._store) is None:
                        A_storage = A._store = new_storage(None)
                        A_storage.version = 0
                    _result_tensor._store = result_storage = new_storage(None)
                    result_storage.version = 0
                    _node.storages = (A_storage, result_storage)
                    _node.versions = (A_storage.version, 0)
                    _node.params = (B_array.shape if B._alike is None else B._alike[0], left)
                    _node.metas = None
                    _node.special = False
                    _result_tensor._edge = _node
                    _info_tensor._edge = None
                else:
                    _result_tensor._edge = None
                    _info_tensor._edge = None
                    if _mode is INFERENCE:
                        _result_tensor._store = InferenceStorage()
                        _info_tensor._store = InferenceStorage()
                return OP_solution_and_info.returned(_result_tensor, _info_tensor)
            finally:
                reset_errors(_token)
    return general(OP_solution_and_info, (A, B, left), out)


OP_solution_and_info.function = solution_and_info


def svd(input, some=True, compute_uv=True, *, out=None):
    """U, S and V of `input = U diag(S) V^H`; square U and V unless `some`; zeros for them unless `compute_uv`."""
    if some is not False and some is not True or compute_uv is not False and compute_uv is not True:
        input, some, compute_uv = accepted(OP_svd, (input, some, compute_uv))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_svd, (input, some, compute_uv), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_svd, (input, some, compute_uv))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_svd, composite_svd, F, (input, some, compute_uv), dict())
    if out is not None:
        return into(out, 'svd', uncast(composite_svd, F, input, some, compute_uv), OP_svd, (input, some, compute_uv))
    try:
        return composite_svd(F, input, some, compute_uv)
    except Exception:
        explain_arguments(OP_svd, (input, some, compute_uv))
        raise


OP_svd.function = svd


def svd_lowrank(A, q=6, niter=2, M=None):
    """About the `q` largest of U, S and V of `A = U diag(S) V^H`, or of `A - M`: (..., m, q), (..., q), (..., n, q).

    `niter` is how often the random basis is improved. Worth it for large matrices whose singular values fall quickly."""
    if type(A) not in PLAIN_TYPES or q is not None and (type(q) is not int or q > 0x3FFFFFFF or q < -0x3FFFFFFF) or type(niter) is not int or niter > 0x3FFFFFFF or niter < -0x3FFFFFFF:
        A, q, niter, M = accepted(OP_svd_lowrank, (A, q, niter, M))
    if type(get_mode()) is Modes and get_mode().function_modes or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_svd_lowrank, (A, q, niter, M), dict())) is not ABSENT:
            return _taken
    try:
        return composite_svd_lowrank(F, A, q, niter, M)
    except Exception:
        explain_arguments(OP_svd_lowrank, (A, q, niter, M))
        raise


OP_svd_lowrank.function = svd_lowrank


def triangular_solve(input=NOTHING, A=NOTHING, upper=True, transpose=False, unitriangular=False, *, out=None, **named):
    """The solution of `A @ solution = input`, `A` triangular, and a copy of `A`. Deprecated: see its warning."""
    if named or input is NOTHING or A is NOTHING:
        return renamed(OP_triangular_solve, triangular_solve, {'input': input, 'A': A, 'upper': upper, 'transpose': transpose, 'unitriangular': unitriangular, 'out': out}, named)
    if type(A) not in PLAIN_TYPES or upper is not False and upper is not True or transpose is not False and transpose is not True or unitriangular is not False and unitriangular is not True:
        input, A, upper, transpose, unitriangular = accepted(OP_triangular_solve, (input, A, upper, transpose, unitriangular))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(A) not in PLAIN_TYPES and hasattr(A, '__torch_function__'):
        if (_taken := taken_over(OP_triangular_solve, (input, A, upper, transpose, unitriangular), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_triangular_solve, (input, A, upper, transpose, unitriangular))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_triangular_solve, composite_triangular_solve, F, (input, A, upper, transpose, unitriangular), dict())
    if out is not None:
        return into(out, 'triangular_solve', uncast(composite_triangular_solve, F, input, A, upper, transpose, unitriangular), OP_triangular_solve, (input, A, upper, transpose, unitriangular))
    try:
        return composite_triangular_solve(F, input, A, upper, transpose, unitriangular)
    except Exception:
        explain_arguments(OP_triangular_solve, (input, A, upper, transpose, unitriangular))
        raise


triangular_solve = documented(OP_triangular_solve, triangular_solve)


OP_triangular_solve.function = triangular_solve


def vander(x, N=None, increasing=False):
    """The powers `N` - 1 to 0 of each element of a vector, or 0 to `N` - 1 if `increasing`, in a new last dimension."""
    if type(x) not in PLAIN_TYPES or N is not None and (type(N) is not int or N > 0x3FFFFFFF or N < -0x3FFFFFFF) or increasing is not False and increasing is not True:
        x, N, increasing = accepted(OP_vander, (x, N, increasing))
    if type(get_mode()) is Modes and get_mode().function_modes or type(x) not in PLAIN_TYPES and hasattr(x, '__torch_function__'):
        if (_taken := taken_over(OP_vander, (x, N, increasing), dict())) is not ABSENT:
            return _taken
    try:
        return composite_vander(F, x, N, increasing)
    except Exception:
        explain_arguments(OP_vander, (x, N, increasing))
        raise


OP_vander.function = vander


show_saved(('A_dtype', 'B_dtype', 'B_shape', 'D', 'L', 'LU', 'P', 'Q', 'R', 'S', 'U', 'Vh', 'b', 'b_shape', 'eigenvalues', 'eigenvectors', 'inverse', 'left', 'mode', 'other', 'pivots', 'result', 'self', 'sign', 'tau', 'transpose', 'unitriangular', 'unpack_data', 'upper'))


show_arguments(cholesky_solve, linalg_lstsq, linalg_matrix_norm, linalg_matrix_rank, linalg_norm, linalg_pinv, lu_solve, matrix_exp, orgqr, ormqr, triangular_solve)
