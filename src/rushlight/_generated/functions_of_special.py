"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident

import numpy as np

import rushlight._generated.raw as raw
import rushlight.arrays.cpu as xp
from rushlight.core.dtype import bool as bool_, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.clock import tick
from rushlight.core.graph import Node, Saving, show_saved
from rushlight.core.history import edge_of
from rushlight.core.maker import maker_of
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.noting import ENTRY, NOTING, NOWHERE, PROGRAM, frame_at, outside
from rushlight.core.ignoring import IGNORED, reset_errors, set_errors
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.storage import InferenceStorage, new_storage
from rushlight.core.strides import pointwise
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.calls import renamed
from rushlight.dispatch.general import accepted, explain_arguments, general
from rushlight.dispatch.in_place_formulas import ALIKE, computed_into
from rushlight.dispatch.inplace import write
from rushlight.dispatch.methods import documented, show_arguments
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import into, written_to
from rushlight.declarations import library
from rushlight.declarations.declare import NOTHING, OPS

import rushlight._generated.functions as F

library.load('special')

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
INT64, BOOL, INT32 = int64.numpy, bool_.numpy, int32.numpy
UINT8, INT8, INT16 = uint8.numpy, int8.numpy, int16.numpy
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
NUMBERS_32, NUMBERS_64 = raw.numbers[FLOAT32], raw.numbers[FLOAT64]
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_airy_ai = xp.airy_ai
xp_chebyshev = xp.chebyshev
xp_copy = xp.copy
xp_digamma = xp.digamma
xp_dirichlet_slope = xp.dirichlet_slope
xp_entr = xp.entr
xp_erf = xp.erf
xp_erfc = xp.erfc
xp_erfcx = xp.erfcx
xp_erfinv = xp.erfinv
xp_gamma_slope = xp.gamma_slope
xp_gammainc = xp.gammainc
xp_gammaincc = xp.gammaincc
xp_hermite_h = xp.hermite_h
xp_hermite_he = xp.hermite_he
xp_i0 = xp.i0
xp_i0e = xp.i0e
xp_i1 = xp.i1
xp_i1e = xp.i1e
xp_j0 = xp.j0
xp_j1 = xp.j1
xp_k0 = xp.k0
xp_k0e = xp.k0e
xp_k1 = xp.k1
xp_k1e = xp.k1e
xp_laguerre = xp.laguerre
xp_legendre = xp.legendre
xp_lgamma = xp.lgamma
xp_log_ndtr = xp.log_ndtr
xp_ndtri = xp.ndtri
xp_normal_distribution = xp.normal_distribution
xp_shifted_chebyshev = xp.shifted_chebyshev
xp_slope_of_gelu = xp.slope_of_gelu
xp_spherical_bessel_j0 = xp.spherical_bessel_j0
xp_xlog1py = xp.xlog1py
xp_y0 = xp.y0
xp_y1 = xp.y1
xp_zeta = xp.zeta

OP_digamma = OPS['digamma']
OP_digamma_derivative = OPS['digamma_derivative']
forward_digamma_derivative = OP_digamma_derivative.forward
OP_dirichlet_drawn = OPS['dirichlet_drawn']
derivative_dirichlet_drawn_concentration = OP_dirichlet_drawn.derivatives['concentration']
OP_dirichlet_slope = OPS['dirichlet_slope']
derivative_dirichlet_slope_values = OP_dirichlet_slope.derivatives['values']
derivative_dirichlet_slope_concentration = OP_dirichlet_slope.derivatives['concentration']
derivative_dirichlet_slope_total = OP_dirichlet_slope.derivatives['total']
OP_erf = OPS['erf']
derivative_erf_input = OP_erf.derivatives['input']
OP_erfc = OPS['erfc']
derivative_erfc_input = OP_erfc.derivatives['input']
OP_erfinv = OPS['erfinv']
derivative_erfinv_input = OP_erfinv.derivatives['input']
OP_gamma_drawn = OPS['gamma_drawn']
OP_gamma_slope = OPS['gamma_slope']
derivative_gamma_slope_values = OP_gamma_slope.derivatives['values']
derivative_gamma_slope_concentration = OP_gamma_slope.derivatives['concentration']
OP_i0 = OPS['i0']
OP_igamma = OPS['igamma']
derivative_igamma_input = OP_igamma.derivatives['input']
OP_igammac = OPS['igammac']
derivative_igammac_input = OP_igammac.derivatives['input']
OP_lgamma = OPS['lgamma']
OP_mvlgamma = OPS['mvlgamma']
forward_mvlgamma = OP_mvlgamma.forward
derivative_mvlgamma_input = OP_mvlgamma.derivatives['input']
OP_normal_distribution = OPS['normal_distribution']
derivative_normal_distribution_input = OP_normal_distribution.derivatives['input']
OP_polygamma = OPS['polygamma']
composite_polygamma = OP_polygamma.forward
OP_slope_of_gelu = OPS['slope_of_gelu']
derivative_slope_of_gelu_input = OP_slope_of_gelu.derivatives['input']
OP_special_airy_ai = OPS['special_airy_ai']
OP_special_bessel_j0 = OPS['special_bessel_j0']
OP_special_bessel_j1 = OPS['special_bessel_j1']
OP_special_bessel_y0 = OPS['special_bessel_y0']
OP_special_bessel_y1 = OPS['special_bessel_y1']
OP_special_chebyshev_polynomial_t = OPS['special_chebyshev_polynomial_t']
OP_special_chebyshev_polynomial_u = OPS['special_chebyshev_polynomial_u']
OP_special_chebyshev_polynomial_v = OPS['special_chebyshev_polynomial_v']
OP_special_chebyshev_polynomial_w = OPS['special_chebyshev_polynomial_w']
OP_special_entr = OPS['special_entr']
OP_special_erfcx = OPS['special_erfcx']
derivative_special_erfcx_input = OP_special_erfcx.derivatives['input']
OP_special_expit = OPS['special_expit']
composite_special_expit = OP_special_expit.forward
OP_special_gammainc = OPS['special_gammainc']
composite_special_gammainc = OP_special_gammainc.forward
OP_special_gammaincc = OPS['special_gammaincc']
composite_special_gammaincc = OP_special_gammaincc.forward
OP_special_gammaln = OPS['special_gammaln']
composite_special_gammaln = OP_special_gammaln.forward
OP_special_hermite_polynomial_h = OPS['special_hermite_polynomial_h']
OP_special_hermite_polynomial_he = OPS['special_hermite_polynomial_he']
OP_special_i0e = OPS['special_i0e']
OP_special_i1 = OPS['special_i1']
OP_special_i1e = OPS['special_i1e']
derivative_special_i1e_input = OP_special_i1e.derivatives['input']
OP_special_laguerre_polynomial_l = OPS['special_laguerre_polynomial_l']
OP_special_legendre_polynomial_p = OPS['special_legendre_polynomial_p']
OP_special_log_ndtr = OPS['special_log_ndtr']
derivative_special_log_ndtr_input = OP_special_log_ndtr.derivatives['input']
OP_special_modified_bessel_i0 = OPS['special_modified_bessel_i0']
OP_special_modified_bessel_i1 = OPS['special_modified_bessel_i1']
OP_special_modified_bessel_k0 = OPS['special_modified_bessel_k0']
OP_special_modified_bessel_k1 = OPS['special_modified_bessel_k1']
OP_special_multigammaln = OPS['special_multigammaln']
composite_special_multigammaln = OP_special_multigammaln.forward
OP_special_ndtr = OPS['special_ndtr']
composite_special_ndtr = OP_special_ndtr.forward
OP_special_ndtri = OPS['special_ndtri']
derivative_special_ndtri_input = OP_special_ndtri.derivatives['input']
OP_special_psi = OPS['special_psi']
composite_special_psi = OP_special_psi.forward
OP_special_scaled_modified_bessel_k0 = OPS['special_scaled_modified_bessel_k0']
OP_special_scaled_modified_bessel_k1 = OPS['special_scaled_modified_bessel_k1']
OP_special_shifted_chebyshev_polynomial_t = OPS['special_shifted_chebyshev_polynomial_t']
OP_special_shifted_chebyshev_polynomial_u = OPS['special_shifted_chebyshev_polynomial_u']
OP_special_shifted_chebyshev_polynomial_v = OPS['special_shifted_chebyshev_polynomial_v']
OP_special_shifted_chebyshev_polynomial_w = OPS['special_shifted_chebyshev_polynomial_w']
OP_special_spherical_bessel_j0 = OPS['special_spherical_bessel_j0']
OP_special_xlog1py = OPS['special_xlog1py']
OP_special_zeta = OPS['special_zeta']
derivative_special_zeta_input = OP_special_zeta.derivatives['input']


def digamma_backward(F, node, saved, g, edges):
    input, = saved
    return (g * F.digamma_derivative(input, 1),)


class DigammaBackward0(Saving):
    op = OPS['digamma']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(digamma_backward)
    backward_complex = staticmethod(digamma_backward)


new_DigammaBackward0 = maker_of(DigammaBackward0)


OP_digamma.nodes = (DigammaBackward0,)


OP_digamma.select_node = lambda input: DigammaBackward0


def digamma(input, *, out=None):
    """The derivative of `lgamma`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_digamma(input_array)
                if out is not None:
                    return written_to(out, _result, OP_digamma, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_DigammaBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_digamma, (input,), out)


def digamma_(input):
    """In-place version of `digamma`."""
    if computed_into(xp_digamma, digamma, ALIKE, input):
        return input
    return write(digamma, input, (), {}, OP_digamma)


OP_digamma.inplace_function = digamma_


OP_digamma.function = digamma


def digamma_derivative_backward(F, node, saved, g, edges):
    input, = saved
    n, = node.params
    return (g * F.digamma_derivative(input, n + 1),)


class PolygammaBackward0(Saving):
    op = OPS['digamma_derivative']
    saves = ('input',)
    parameters = ('n',)
    backward = staticmethod(digamma_derivative_backward)
    backward_complex = staticmethod(digamma_derivative_backward)


new_PolygammaBackward0 = maker_of(PolygammaBackward0)


OP_digamma_derivative.nodes = (PolygammaBackward0,)


OP_digamma_derivative.select_node = lambda input, n: PolygammaBackward0


def digamma_derivative(input, n, *, out=None):
    """The derivative of order `n` of `digamma`."""
    if type(n) is not int or n > 0x3FFFFFFF or n < -0x3FFFFFFF:
        input, n = accepted(OP_digamma_derivative, (input, n))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_digamma_derivative(xp, input_array, n)
                if out is not None:
                    return written_to(out, _result, OP_digamma_derivative, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_PolygammaBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
                    _node.params = (n,)
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
    return general(OP_digamma_derivative, (input, n), out)


def digamma_derivative_(input, n):
    """In-place version of `digamma_derivative`."""
    if computed_into(raw.digamma_derivative, digamma_derivative, ALIKE, input, n):
        return input
    return write(digamma_derivative, input, (n,), {}, OP_digamma_derivative)


OP_digamma_derivative.inplace_function = digamma_derivative_


OP_digamma_derivative.function = digamma_derivative


def dirichlet_drawn_backward(F, node, saved, g, edges):
    concentration, out = saved
    return (derivative_dirichlet_drawn_concentration(F, g, concentration, out),)


class DirichletBackward0(Saving):
    op = OPS['dirichlet_drawn']
    saves = ('concentration', 'out')
    parameters = ()
    backward = staticmethod(dirichlet_drawn_backward)
    backward_complex = staticmethod(dirichlet_drawn_backward)


new_DirichletBackward0 = maker_of(DirichletBackward0)


OP_dirichlet_drawn.nodes = (DirichletBackward0,)


OP_dirichlet_drawn.select_node = lambda concentration, values: DirichletBackward0


def dirichlet_drawn(concentration, values):
    """A copy of `values`, drawn from Dirichlet distributions of the shapes `concentration`."""
    if (type(concentration) is Tensor or type(concentration) in PLAIN_TYPES) and (type(values) is Tensor or type(values) in PLAIN_TYPES):
        concentration_array = concentration._array
        values_array = values._array
        _mode = get_mode()
        if ((_dtype := concentration_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_copy(values_array)
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
                if _mode and (concentration_edge := concentration._edge if (_base := concentration._base) is None or concentration._generation == _base._generation else edge_of(concentration)) is not None:
                    _node = new_DirichletBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (concentration_edge,)
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
                    _node.saved = (concentration_array, _result)
                    if (concentration_storage := concentration._store) is None:
                        concentration_storage = concentration._store = new_storage(None)
                        concentration_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (concentration_storage, out_storage)
                    _node.versions = (concentration_storage.version, 0)
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
    return general(OP_dirichlet_drawn, (concentration, values))


OP_dirichlet_drawn.function = dirichlet_drawn


def dirichlet_slope_backward(F, node, saved, g, edges):
    values_edge, concentration_edge, total_edge = edges
    return (None if values_edge is None else derivative_dirichlet_slope_values(F, g), None if concentration_edge is None else derivative_dirichlet_slope_concentration(F, g), None if total_edge is None else derivative_dirichlet_slope_total(F, g))


class DirichletSlopeBackward0(Node):
    op = OPS['dirichlet_slope']
    saves = ()
    parameters = ()
    backward = staticmethod(dirichlet_slope_backward)
    backward_complex = staticmethod(dirichlet_slope_backward)


new_DirichletSlopeBackward0 = maker_of(DirichletSlopeBackward0)


OP_dirichlet_slope.nodes = (DirichletSlopeBackward0,)


OP_dirichlet_slope.select_node = lambda values, concentration, total: DirichletSlopeBackward0


def dirichlet_slope(values, concentration, total):
    """How a share moves with the shape of its distribution when its quantile stays, over what it lacks to 1."""
    if (type(values) is Tensor or type(values) in PLAIN_TYPES) and (type(concentration) is Tensor or type(concentration) in PLAIN_TYPES) and (type(total) is Tensor or type(total) in PLAIN_TYPES):
        values_array = values._array
        concentration_array = concentration._array
        total_array = total._array
        _mode = get_mode()
        if ((_dtype := values_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is concentration_array.dtype and _dtype is total_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_dirichlet_slope(values_array, concentration_array, total_array)
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
                    values_edge = values._edge if (_base := values._base) is None or values._generation == _base._generation else edge_of(values)
                    concentration_edge = concentration._edge if (_base := concentration._base) is None or concentration._generation == _base._generation else edge_of(concentration)
                    total_edge = total._edge if (_base := total._base) is None or total._generation == _base._generation else edge_of(total)
                if _mode and (values_edge is not None or concentration_edge is not None or total_edge is not None):
                    _node = new_DirichletSlopeBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (values_edge, concentration_edge, total_edge)
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
    return general(OP_dirichlet_slope, (values, concentration, total))


OP_dirichlet_slope.function = dirichlet_slope


def erf_backward(F, node, saved, g, edges):
    input, = saved
    return (derivative_erf_input(F, g, input),)


class ErfBackward0(Saving):
    op = OPS['erf']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(erf_backward)
    backward_complex = staticmethod(erf_backward)


new_ErfBackward0 = maker_of(ErfBackward0)


OP_erf.nodes = (ErfBackward0,)


OP_erf.select_node = lambda input: ErfBackward0


def erf(input, *, out=None):
    """The error function: `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to `input`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_erf(input_array)
                if out is not None:
                    return written_to(out, _result, OP_erf, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ErfBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_erf, (input,), out)


def erf_(input):
    """In-place version of `erf`."""
    if computed_into(xp_erf, erf, ALIKE, input):
        return input
    return write(erf, input, (), {}, OP_erf)


OP_erf.inplace_function = erf_


OP_erf.function = erf


def erfc_backward(F, node, saved, g, edges):
    input, = saved
    return (derivative_erfc_input(F, g, input),)


class ErfcBackward0(Saving):
    op = OPS['erfc']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(erfc_backward)
    backward_complex = staticmethod(erfc_backward)


new_ErfcBackward0 = maker_of(ErfcBackward0)


OP_erfc.nodes = (ErfcBackward0,)


OP_erfc.select_node = lambda input: ErfcBackward0


def erfc(input, *, out=None):
    """`1 - erf(input)`, exact where that is small."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_erfc(input_array)
                if out is not None:
                    return written_to(out, _result, OP_erfc, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ErfcBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_erfc, (input,), out)


def erfc_(input):
    """In-place version of `erfc`."""
    if computed_into(xp_erfc, erfc, ALIKE, input):
        return input
    return write(erfc, input, (), {}, OP_erfc)


OP_erfc.inplace_function = erfc_


OP_erfc.function = erfc


def erfinv_backward(F, node, saved, g, edges):
    out, = saved
    return (derivative_erfinv_input(F, g, out),)


class ErfinvBackward0(Saving):
    op = OPS['erfinv']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(erfinv_backward)
    backward_complex = staticmethod(erfinv_backward)


new_ErfinvBackward0 = maker_of(ErfinvBackward0)


OP_erfinv.nodes = (ErfinvBackward0,)


OP_erfinv.select_node = lambda input: ErfinvBackward0


def erfinv(input, *, out=None):
    """The number whose error function is `input`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_erfinv(input_array)
                if out is not None:
                    return written_to(out, _result, OP_erfinv, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ErfinvBackward0(None)
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
    return general(OP_erfinv, (input,), out)


def erfinv_(input):
    """In-place version of `erfinv`."""
    if computed_into(xp_erfinv, erfinv, ALIKE, input):
        return input
    return write(erfinv, input, (), {}, OP_erfinv)


OP_erfinv.inplace_function = erfinv_


OP_erfinv.function = erfinv


def gamma_drawn_backward(F, node, saved, g, edges):
    concentration, out = saved
    return (g * F.gamma_slope(out, concentration),)


class StandardGammaBackward0(Saving):
    op = OPS['gamma_drawn']
    saves = ('concentration', 'out')
    parameters = ()
    backward = staticmethod(gamma_drawn_backward)
    backward_complex = staticmethod(gamma_drawn_backward)


new_StandardGammaBackward0 = maker_of(StandardGammaBackward0)


OP_gamma_drawn.nodes = (StandardGammaBackward0,)


OP_gamma_drawn.select_node = lambda concentration, values: StandardGammaBackward0


def gamma_drawn(concentration, values):
    """A copy of `values`, drawn from gamma distributions of rate 1 and the shapes `concentration`."""
    if (type(concentration) is Tensor or type(concentration) in PLAIN_TYPES) and (type(values) is Tensor or type(values) in PLAIN_TYPES):
        concentration_array = concentration._array
        values_array = values._array
        _mode = get_mode()
        if ((_dtype := concentration_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_copy(values_array)
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
                if _mode and (concentration_edge := concentration._edge if (_base := concentration._base) is None or concentration._generation == _base._generation else edge_of(concentration)) is not None:
                    _node = new_StandardGammaBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (concentration_edge,)
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
                    _node.saved = (concentration_array, _result)
                    if (concentration_storage := concentration._store) is None:
                        concentration_storage = concentration._store = new_storage(None)
                        concentration_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (concentration_storage, out_storage)
                    _node.versions = (concentration_storage.version, 0)
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
    return general(OP_gamma_drawn, (concentration, values))


OP_gamma_drawn.function = gamma_drawn


def gamma_slope_backward(F, node, saved, g, edges):
    values_edge, concentration_edge = edges
    return (None if values_edge is None else derivative_gamma_slope_values(F, g), None if concentration_edge is None else derivative_gamma_slope_concentration(F, g))


class GammaSlopeBackward0(Node):
    op = OPS['gamma_slope']
    saves = ()
    parameters = ()
    backward = staticmethod(gamma_slope_backward)
    backward_complex = staticmethod(gamma_slope_backward)


new_GammaSlopeBackward0 = maker_of(GammaSlopeBackward0)


OP_gamma_slope.nodes = (GammaSlopeBackward0,)


OP_gamma_slope.select_node = lambda values, concentration: GammaSlopeBackward0


def gamma_slope(values, concentration):
    """How a gamma number moves with the shape of its distribution when its quantile stays."""
    if (type(values) is Tensor or type(values) in PLAIN_TYPES) and (type(concentration) is Tensor or type(concentration) in PLAIN_TYPES):
        values_array = values._array
        concentration_array = concentration._array
        _mode = get_mode()
        if ((_dtype := values_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is concentration_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_gamma_slope(values_array, concentration_array)
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
                    values_edge = values._edge if (_base := values._base) is None or values._generation == _base._generation else edge_of(values)
                    concentration_edge = concentration._edge if (_base := concentration._base) is None or concentration._generation == _base._generation else edge_of(concentration)
                if _mode and (values_edge is not None or concentration_edge is not None):
                    _node = new_GammaSlopeBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (values_edge, concentration_edge)
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
    return general(OP_gamma_slope, (values, concentration))


OP_gamma_slope.function = gamma_slope


def i0_backward(F, node, saved, g, edges):
    input, = saved
    return (g * F.special_i1(input),)


class I0Backward0(Saving):
    op = OPS['i0']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(i0_backward)
    backward_complex = staticmethod(i0_backward)


new_I0Backward0 = maker_of(I0Backward0)


OP_i0.nodes = (I0Backward0,)


OP_i0.select_node = lambda input: I0Backward0


def i0(input, *, out=None):
    """The modified Bessel function of order 0."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i0(input_array)
                if out is not None:
                    return written_to(out, _result, OP_i0, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_I0Backward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_i0, (input,), out)


def i0_(input):
    """In-place version of `i0`."""
    if computed_into(xp_i0, i0, ALIKE, input):
        return input
    return write(i0, input, (), {}, OP_i0)


OP_i0.inplace_function = i0_


OP_i0.function = i0


def igamma_backward(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else derivative_igamma_input(F, g), None if other_edge is None else g * F.exp((input - numbers[1]) * F.log(other) - other - F.lgamma(input)))


def igamma_backward_complex(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    return (None if input_edge is None else derivative_igamma_input(F, g), None if other_edge is None else g * F.exp((input - 1) * F.log(other) - other - F.lgamma(input)))


class IgammaBackward0(Saving):
    op = OPS['igamma']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(igamma_backward)
    backward_complex = staticmethod(igamma_backward_complex)


new_IgammaBackward0 = maker_of(IgammaBackward0)


OP_igamma.nodes = (IgammaBackward0,)


OP_igamma.select_node = lambda input, other: IgammaBackward0


def igamma(input, other, *, out=None):
    """The regularised lower incomplete gamma function of order `input` at `other`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(other) is Tensor or type(other) in PLAIN_TYPES):
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if (_alike := input._alike) is not other._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_gammainc(input_array, other_array)
                if out is not None:
                    return written_to(out, _result, OP_igamma, input, other)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, other_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_IgammaBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, other_edge)
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
                    _node.saved = (None if other_edge is None else input_array, None if other_edge is None else other_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (other_storage := other._store) is None:
                        other_storage = other._store = new_storage(None)
                        other_storage.version = 0
                    _node.storages = (input_storage, other_storage)
                    _node.versions = (input_storage.version, other_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == other_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                            input._alike = other._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_igamma, (input, other), out)


def igamma_(input, other):
    """In-place version of `igamma`."""
    if type(other) in PLAIN_TYPES and computed_into(xp_gammainc, igamma, ALIKE, input, other):
        return input
    return write(igamma, input, (other,), {}, OP_igamma)


OP_igamma.inplace_function = igamma_


OP_igamma.function = igamma


def igammac_backward(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else derivative_igammac_input(F, g), None if other_edge is None else -g * F.exp((input - numbers[1]) * F.log(other) - other - F.lgamma(input)))


def igammac_backward_complex(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    return (None if input_edge is None else derivative_igammac_input(F, g), None if other_edge is None else -g * F.exp((input - 1) * F.log(other) - other - F.lgamma(input)))


class IgammacBackward0(Saving):
    op = OPS['igammac']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(igammac_backward)
    backward_complex = staticmethod(igammac_backward_complex)


new_IgammacBackward0 = maker_of(IgammacBackward0)


OP_igammac.nodes = (IgammacBackward0,)


OP_igammac.select_node = lambda input, other: IgammacBackward0


def igammac(input, other, *, out=None):
    """`1 - igamma(input, other)`, exact where that is small."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(other) is Tensor or type(other) in PLAIN_TYPES):
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if (_alike := input._alike) is not other._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_gammaincc(input_array, other_array)
                if out is not None:
                    return written_to(out, _result, OP_igammac, input, other)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, other_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_IgammacBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, other_edge)
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
                    _node.saved = (None if other_edge is None else input_array, None if other_edge is None else other_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (other_storage := other._store) is None:
                        other_storage = other._store = new_storage(None)
                        other_storage.version = 0
                    _node.storages = (input_storage, other_storage)
                    _node.versions = (input_storage.version, other_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == other_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                            input._alike = other._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_igammac, (input, other), out)


def igammac_(input, other):
    """In-place version of `igammac`."""
    if type(other) in PLAIN_TYPES and computed_into(xp_gammaincc, igammac, ALIKE, input, other):
        return input
    return write(igammac, input, (other,), {}, OP_igammac)


OP_igammac.inplace_function = igammac_


OP_igammac.function = igammac


def lgamma_backward(F, node, saved, g, edges):
    input, = saved
    return (g * F.digamma(input),)


class LgammaBackward0(Saving):
    op = OPS['lgamma']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(lgamma_backward)
    backward_complex = staticmethod(lgamma_backward)


new_LgammaBackward0 = maker_of(LgammaBackward0)


OP_lgamma.nodes = (LgammaBackward0,)


OP_lgamma.select_node = lambda input: LgammaBackward0


def lgamma(input, *, out=None):
    """The logarithm of the absolute value of the gamma function."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_lgamma(input_array)
                if out is not None:
                    return written_to(out, _result, OP_lgamma, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_LgammaBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_lgamma, (input,), out)


def lgamma_(input):
    """In-place version of `lgamma`."""
    if computed_into(xp_lgamma, lgamma, ALIKE, input):
        return input
    return write(lgamma, input, (), {}, OP_lgamma)


OP_lgamma.inplace_function = lgamma_


OP_lgamma.function = lgamma


def mvlgamma_backward(F, node, saved, g, edges):
    input, = saved
    p, = node.params
    return (derivative_mvlgamma_input(F, g, input, p),)


class MvlgammaBackward0(Saving):
    op = OPS['mvlgamma']
    saves = ('input',)
    parameters = ('p',)
    backward = staticmethod(mvlgamma_backward)
    backward_complex = staticmethod(mvlgamma_backward)


new_MvlgammaBackward0 = maker_of(MvlgammaBackward0)


OP_mvlgamma.nodes = (MvlgammaBackward0,)


OP_mvlgamma.select_node = lambda input, p: MvlgammaBackward0


def mvlgamma(input, p, *, out=None):
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if type(p) is not int or p > 0x3FFFFFFF or p < -0x3FFFFFFF:
        input, p = accepted(OP_mvlgamma, (input, p))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_mvlgamma(xp, input_array, p)
                if out is not None:
                    return written_to(out, _result, OP_mvlgamma, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MvlgammaBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
                    _node.params = (p,)
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
    return general(OP_mvlgamma, (input, p), out)


def mvlgamma_(input, p):
    """In-place version of `mvlgamma`."""
    if computed_into(raw.mvlgamma, mvlgamma, ALIKE, input, p):
        return input
    return write(mvlgamma, input, (p,), {}, OP_mvlgamma)


OP_mvlgamma.inplace_function = mvlgamma_


OP_mvlgamma.function = mvlgamma


def normal_distribution_backward(F, node, saved, g, edges):
    input, = saved
    return (derivative_normal_distribution_input(F, g, input),)


class NormalDistributionBackward0(Saving):
    op = OPS['normal_distribution']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(normal_distribution_backward)
    backward_complex = staticmethod(normal_distribution_backward)


new_NormalDistributionBackward0 = maker_of(NormalDistributionBackward0)


OP_normal_distribution.nodes = (NormalDistributionBackward0,)


OP_normal_distribution.select_node = lambda input: NormalDistributionBackward0


def normal_distribution(input):
    """The probability that a standard normal variable is below `input`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_normal_distribution(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_NormalDistributionBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_normal_distribution, (input,))


OP_normal_distribution.function = normal_distribution


def polygamma(n, input, *, out=None):
    """The derivative of order `n` of `digamma`."""
    if type(n) is not int or n > 0x3FFFFFFF or n < -0x3FFFFFFF or type(input) not in PLAIN_TYPES:
        n, input = accepted(OP_polygamma, (n, input))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_polygamma, (n, input), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'polygamma', composite_polygamma(F, n, input), OP_polygamma, (n, input))
    try:
        return composite_polygamma(F, n, input)
    except Exception:
        explain_arguments(OP_polygamma, (n, input))
        raise


OP_polygamma.function = polygamma


def slope_of_gelu_backward(F, node, saved, g, edges):
    input, = saved
    return (derivative_slope_of_gelu_input(F, g, input),)


class SlopeOfGeluBackward0(Saving):
    op = OPS['slope_of_gelu']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(slope_of_gelu_backward)
    backward_complex = staticmethod(slope_of_gelu_backward)


new_SlopeOfGeluBackward0 = maker_of(SlopeOfGeluBackward0)


OP_slope_of_gelu.nodes = (SlopeOfGeluBackward0,)


OP_slope_of_gelu.select_node = lambda input: SlopeOfGeluBackward0


def slope_of_gelu(input):
    """The distribution function at `input`, and `input` times the density there."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_slope_of_gelu(input_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SlopeOfGeluBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_slope_of_gelu, (input,))


OP_slope_of_gelu.function = slope_of_gelu


def special_airy_ai(x=NOTHING, *, out=None, **named):
    """The Airy function Ai, the solution of `y'' = x y` that vanishes at infinity."""
    if named or x is NOTHING:
        return renamed(OP_special_airy_ai, special_airy_ai, {'x': x, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES):
        x_array = x._array
        _mode = get_mode()
        _alike = x._alike
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_airy_ai(x_array)
                if out is not None:
                    return written_to(out, _result, OP_special_airy_ai, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_airy_ai, (x,), out)


special_airy_ai = documented(OP_special_airy_ai, special_airy_ai)


OP_special_airy_ai.function = special_airy_ai


def special_bessel_j0(input, *, out=None):
    """The Bessel function of the first kind of order 0."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_j0(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_bessel_j0, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_bessel_j0, (input,), out)


OP_special_bessel_j0.function = special_bessel_j0


def special_bessel_j1(input, *, out=None):
    """The Bessel function of the first kind of order 1."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_j1(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_bessel_j1, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_bessel_j1, (input,), out)


OP_special_bessel_j1.function = special_bessel_j1


def special_bessel_y0(input, *, out=None):
    """The Bessel function of the second kind of order 0, for positive numbers."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_y0(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_bessel_y0, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_bessel_y0, (input,), out)


OP_special_bessel_y0.function = special_bessel_y0


def special_bessel_y1(input, *, out=None):
    """The Bessel function of the second kind of order 1, for positive numbers."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_y1(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_bessel_y1, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_bessel_y1, (input,), out)


OP_special_bessel_y1.function = special_bessel_y1


def special_chebyshev_polynomial_t(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Chebyshev polynomial of the first kind: `cos(n * acos(x))` between -1 and 1."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_chebyshev_polynomial_t, special_chebyshev_polynomial_t, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_chebyshev('t', x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_chebyshev_polynomial_t, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_chebyshev('t', x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_chebyshev_polynomial_t, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_chebyshev_polynomial_t, (x, n), out)


special_chebyshev_polynomial_t = documented(OP_special_chebyshev_polynomial_t, special_chebyshev_polynomial_t)


OP_special_chebyshev_polynomial_t.function = special_chebyshev_polynomial_t


def special_chebyshev_polynomial_u(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Chebyshev polynomial of the second kind: `sin((n + 1) * acos(x)) / sin(acos(x))` between -1 and 1."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_chebyshev_polynomial_u, special_chebyshev_polynomial_u, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_chebyshev('u', x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_chebyshev_polynomial_u, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_chebyshev('u', x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_chebyshev_polynomial_u, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_chebyshev_polynomial_u, (x, n), out)


special_chebyshev_polynomial_u = documented(OP_special_chebyshev_polynomial_u, special_chebyshev_polynomial_u)


OP_special_chebyshev_polynomial_u.function = special_chebyshev_polynomial_u


def special_chebyshev_polynomial_v(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Chebyshev polynomial of the third kind: `cos((n + 1/2) * acos(x)) / cos(acos(x) / 2)` between -1 and 1."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_chebyshev_polynomial_v, special_chebyshev_polynomial_v, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_chebyshev('v', x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_chebyshev_polynomial_v, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_chebyshev('v', x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_chebyshev_polynomial_v, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_chebyshev_polynomial_v, (x, n), out)


special_chebyshev_polynomial_v = documented(OP_special_chebyshev_polynomial_v, special_chebyshev_polynomial_v)


OP_special_chebyshev_polynomial_v.function = special_chebyshev_polynomial_v


def special_chebyshev_polynomial_w(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Chebyshev polynomial of the fourth kind: `sin((n + 1/2) * acos(x)) / sin(acos(x) / 2)` between -1 and 1."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_chebyshev_polynomial_w, special_chebyshev_polynomial_w, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_chebyshev('w', x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_chebyshev_polynomial_w, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_chebyshev('w', x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_chebyshev_polynomial_w, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_chebyshev_polynomial_w, (x, n), out)


special_chebyshev_polynomial_w = documented(OP_special_chebyshev_polynomial_w, special_chebyshev_polynomial_w)


OP_special_chebyshev_polynomial_w.function = special_chebyshev_polynomial_w


def special_entr_backward(F, node, saved, g, edges):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g * (-F.log(input) - numbers[1]),)


def special_entr_backward_complex(F, node, saved, g, edges):
    input, = saved
    return (g * (-F.log(input) - 1),)


class SpecialEntrBackward0(Saving):
    op = OPS['special_entr']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(special_entr_backward)
    backward_complex = staticmethod(special_entr_backward_complex)


new_SpecialEntrBackward0 = maker_of(SpecialEntrBackward0)


OP_special_entr.nodes = (SpecialEntrBackward0,)


OP_special_entr.select_node = lambda input: SpecialEntrBackward0


def special_entr(input, *, out=None):
    """The entropy `-input * log(input)`: 0 at 0, minus infinity below."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_entr(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_entr, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SpecialEntrBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_special_entr, (input,), out)


OP_special_entr.function = special_entr


def special_erfcx_backward(F, node, saved, g, edges):
    input, out = saved
    return (derivative_special_erfcx_input(F, g, input, out),)


class SpecialErfcxBackward0(Saving):
    op = OPS['special_erfcx']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(special_erfcx_backward)
    backward_complex = staticmethod(special_erfcx_backward)


new_SpecialErfcxBackward0 = maker_of(SpecialErfcxBackward0)


OP_special_erfcx.nodes = (SpecialErfcxBackward0,)


OP_special_erfcx.select_node = lambda input: SpecialErfcxBackward0


def special_erfcx(input, *, out=None):
    """`erfc(input) * exp(input^2)`, which stays in range where `erfc` alone is nearly 0."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_erfcx(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_erfcx, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SpecialErfcxBackward0(None)
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
                    _node.saved = (input_array, _result)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (input_storage, out_storage)
                    _node.versions = (input_storage.version, 0)
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
    return general(OP_special_erfcx, (input,), out)


OP_special_erfcx.function = special_erfcx


def special_expit(input, *, out=None):
    """`1 / (1 + exp(-input))`: `sigmoid` by its other name."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_special_expit, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_special_expit, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'special_expit', composite_special_expit(F, input), OP_special_expit, (input,))
    try:
        return composite_special_expit(F, input)
    except Exception:
        explain_arguments(OP_special_expit, (input,))
        raise


OP_special_expit.function = special_expit


def special_gammainc(input, other, *, out=None):
    """The regularised lower incomplete gamma function of order `input` at `other`: `igamma` by its other name."""
    if type(input) not in PLAIN_TYPES or type(other) not in PLAIN_TYPES:
        input, other = accepted(OP_special_gammainc, (input, other))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(other) not in PLAIN_TYPES and hasattr(other, '__torch_function__'):
        if (_taken := taken_over(OP_special_gammainc, (input, other), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'special_gammainc', composite_special_gammainc(F, input, other), OP_special_gammainc, (input, other))
    try:
        return composite_special_gammainc(F, input, other)
    except Exception:
        explain_arguments(OP_special_gammainc, (input, other))
        raise


OP_special_gammainc.function = special_gammainc


def special_gammaincc(input, other, *, out=None):
    """The regularised upper incomplete gamma function of order `input` at `other`: `igammac` by its other name."""
    if type(input) not in PLAIN_TYPES or type(other) not in PLAIN_TYPES:
        input, other = accepted(OP_special_gammaincc, (input, other))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(other) not in PLAIN_TYPES and hasattr(other, '__torch_function__'):
        if (_taken := taken_over(OP_special_gammaincc, (input, other), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'special_gammaincc', composite_special_gammaincc(F, input, other), OP_special_gammaincc, (input, other))
    try:
        return composite_special_gammaincc(F, input, other)
    except Exception:
        explain_arguments(OP_special_gammaincc, (input, other))
        raise


OP_special_gammaincc.function = special_gammaincc


def special_gammaln(input, *, out=None):
    """The logarithm of the absolute value of the gamma function: `lgamma` by its other name."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_special_gammaln, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_special_gammaln, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'special_gammaln', composite_special_gammaln(F, input), OP_special_gammaln, (input,))
    try:
        return composite_special_gammaln(F, input)
    except Exception:
        explain_arguments(OP_special_gammaln, (input,))
        raise


OP_special_gammaln.function = special_gammaln


def special_hermite_polynomial_h(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The physicist's Hermite polynomial, whose leading coefficient is `2^n`."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_hermite_polynomial_h, special_hermite_polynomial_h, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_hermite_h(x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_hermite_polynomial_h, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_hermite_h(x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_hermite_polynomial_h, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_hermite_polynomial_h, (x, n), out)


special_hermite_polynomial_h = documented(OP_special_hermite_polynomial_h, special_hermite_polynomial_h)


OP_special_hermite_polynomial_h.function = special_hermite_polynomial_h


def special_hermite_polynomial_he(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The probabilist's Hermite polynomial, whose leading coefficient is 1."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_hermite_polynomial_he, special_hermite_polynomial_he, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_hermite_he(x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_hermite_polynomial_he, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_hermite_he(x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_hermite_polynomial_he, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_hermite_polynomial_he, (x, n), out)


special_hermite_polynomial_he = documented(OP_special_hermite_polynomial_he, special_hermite_polynomial_he)


OP_special_hermite_polynomial_he.function = special_hermite_polynomial_he


def special_i0e_backward(F, node, saved, g, edges):
    input, out = saved
    return (g * (F.special_i1e(input) - F.sgn(input) * out),)


class SpecialI0EBackward0(Saving):
    op = OPS['special_i0e']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(special_i0e_backward)
    backward_complex = staticmethod(special_i0e_backward)


new_SpecialI0EBackward0 = maker_of(SpecialI0EBackward0)


OP_special_i0e.nodes = (SpecialI0EBackward0,)


OP_special_i0e.select_node = lambda input: SpecialI0EBackward0


def special_i0e(input, *, out=None):
    """`i0(input) * exp(-|input|)`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i0e(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_i0e, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SpecialI0EBackward0(None)
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
                    _node.saved = (input_array, _result)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (input_storage, out_storage)
                    _node.versions = (input_storage.version, 0)
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
    return general(OP_special_i0e, (input,), out)


OP_special_i0e.function = special_i0e


def special_i1_backward(F, node, saved, g, edges):
    input, out = saved
    return (g * F.where(input == 0, 0.5, F.i0(input) - out / F.where(input == 0, 1, input)),)


class SpecialI1Backward0(Saving):
    op = OPS['special_i1']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(special_i1_backward)
    backward_complex = staticmethod(special_i1_backward)


new_SpecialI1Backward0 = maker_of(SpecialI1Backward0)


OP_special_i1.nodes = (SpecialI1Backward0,)


OP_special_i1.select_node = lambda input: SpecialI1Backward0


def special_i1(input, *, out=None):
    """The modified Bessel function of order 1, whose slope at 0 is 1/2."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i1(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_i1, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SpecialI1Backward0(None)
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
                    _node.saved = (input_array, _result)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (input_storage, out_storage)
                    _node.versions = (input_storage.version, 0)
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
    return general(OP_special_i1, (input,), out)


OP_special_i1.function = special_i1


def special_i1e_backward(F, node, saved, g, edges):
    input, out = saved
    return (derivative_special_i1e_input(F, g, input, out),)


class SpecialI1EBackward0(Saving):
    op = OPS['special_i1e']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(special_i1e_backward)
    backward_complex = staticmethod(special_i1e_backward)


new_SpecialI1EBackward0 = maker_of(SpecialI1EBackward0)


OP_special_i1e.nodes = (SpecialI1EBackward0,)


OP_special_i1e.select_node = lambda input: SpecialI1EBackward0


def special_i1e(input, *, out=None):
    """`i1(input) * exp(-|input|)`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i1e(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_i1e, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SpecialI1EBackward0(None)
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
                    _node.saved = (input_array, _result)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (input_storage, out_storage)
                    _node.versions = (input_storage.version, 0)
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
    return general(OP_special_i1e, (input,), out)


OP_special_i1e.function = special_i1e


def special_laguerre_polynomial_l(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Laguerre polynomial, orthogonal with the weight `exp(-x)` from 0 on."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_laguerre_polynomial_l, special_laguerre_polynomial_l, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_laguerre(x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_laguerre_polynomial_l, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_laguerre(x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_laguerre_polynomial_l, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_laguerre_polynomial_l, (x, n), out)


special_laguerre_polynomial_l = documented(OP_special_laguerre_polynomial_l, special_laguerre_polynomial_l)


OP_special_laguerre_polynomial_l.function = special_laguerre_polynomial_l


def special_legendre_polynomial_p(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Legendre polynomial, orthogonal between -1 and 1."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_legendre_polynomial_p, special_legendre_polynomial_p, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_legendre(x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_legendre_polynomial_p, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_legendre(x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_legendre_polynomial_p, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_legendre_polynomial_p, (x, n), out)


special_legendre_polynomial_p = documented(OP_special_legendre_polynomial_p, special_legendre_polynomial_p)


OP_special_legendre_polynomial_p.function = special_legendre_polynomial_p


def special_log_ndtr_backward(F, node, saved, g, edges):
    input, = saved
    return (derivative_special_log_ndtr_input(F, g, input),)


class SpecialLogNdtrBackward0(Saving):
    op = OPS['special_log_ndtr']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(special_log_ndtr_backward)
    backward_complex = staticmethod(special_log_ndtr_backward)


new_SpecialLogNdtrBackward0 = maker_of(SpecialLogNdtrBackward0)


OP_special_log_ndtr.nodes = (SpecialLogNdtrBackward0,)


OP_special_log_ndtr.select_node = lambda input: SpecialLogNdtrBackward0


def special_log_ndtr(input, *, out=None):
    """The logarithm of `ndtr(input)`, exact where that is nearly 0."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_log_ndtr(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_log_ndtr, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SpecialLogNdtrBackward0(None)
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
                    _node.saved = (input_array,)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage,)
                    _node.versions = (input_storage.version,)
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
    return general(OP_special_log_ndtr, (input,), out)


OP_special_log_ndtr.function = special_log_ndtr


def special_modified_bessel_i0(input, *, out=None):
    """The modified Bessel function of the first kind of order 0."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i0(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_modified_bessel_i0, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_modified_bessel_i0, (input,), out)


OP_special_modified_bessel_i0.function = special_modified_bessel_i0


def special_modified_bessel_i1(input, *, out=None):
    """The modified Bessel function of the first kind of order 1."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i1(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_modified_bessel_i1, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_modified_bessel_i1, (input,), out)


OP_special_modified_bessel_i1.function = special_modified_bessel_i1


def special_modified_bessel_k0(input, *, out=None):
    """The modified Bessel function of the second kind of order 0, for positive numbers."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_k0(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_modified_bessel_k0, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_modified_bessel_k0, (input,), out)


OP_special_modified_bessel_k0.function = special_modified_bessel_k0


def special_modified_bessel_k1(input, *, out=None):
    """The modified Bessel function of the second kind of order 1, for positive numbers."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_k1(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_modified_bessel_k1, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_modified_bessel_k1, (input,), out)


OP_special_modified_bessel_k1.function = special_modified_bessel_k1


def special_multigammaln(input, p, *, out=None):
    """The logarithm of the multivariate gamma function of dimension `p`: `mvlgamma` by its other name."""
    if type(input) not in PLAIN_TYPES or type(p) is not int or p > 0x3FFFFFFF or p < -0x3FFFFFFF:
        input, p = accepted(OP_special_multigammaln, (input, p))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_special_multigammaln, (input, p), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'special_multigammaln', composite_special_multigammaln(F, input, p), OP_special_multigammaln, (input, p))
    try:
        return composite_special_multigammaln(F, input, p)
    except Exception:
        explain_arguments(OP_special_multigammaln, (input, p))
        raise


OP_special_multigammaln.function = special_multigammaln


def special_ndtr(input, *, out=None):
    """The probability that a standard normal variable is below `input`."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_special_ndtr, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_special_ndtr, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'special_ndtr', composite_special_ndtr(F, input), OP_special_ndtr, (input,))
    try:
        return composite_special_ndtr(F, input)
    except Exception:
        explain_arguments(OP_special_ndtr, (input,))
        raise


OP_special_ndtr.function = special_ndtr


def special_ndtri_backward(F, node, saved, g, edges):
    out, = saved
    return (derivative_special_ndtri_input(F, g, out),)


class SpecialNdtriBackward0(Saving):
    op = OPS['special_ndtri']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(special_ndtri_backward)
    backward_complex = staticmethod(special_ndtri_backward)


new_SpecialNdtriBackward0 = maker_of(SpecialNdtriBackward0)


OP_special_ndtri.nodes = (SpecialNdtriBackward0,)


OP_special_ndtri.select_node = lambda input: SpecialNdtriBackward0


def special_ndtri(input, *, out=None):
    """The number below which a standard normal variable is with probability `input`: the inverse of `ndtr`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_ndtri(input_array)
                if out is not None:
                    return written_to(out, _result, OP_special_ndtri, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SpecialNdtriBackward0(None)
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
    return general(OP_special_ndtri, (input,), out)


OP_special_ndtri.function = special_ndtri


def special_psi(input, *, out=None):
    """The derivative of `lgamma`: `digamma` by its other name."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_special_psi, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_special_psi, (input,), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return into(out, 'special_psi', composite_special_psi(F, input), OP_special_psi, (input,))
    try:
        return composite_special_psi(F, input)
    except Exception:
        explain_arguments(OP_special_psi, (input,))
        raise


OP_special_psi.function = special_psi


def special_scaled_modified_bessel_k0(x=NOTHING, *, out=None, **named):
    """`modified_bessel_k0(x) * exp(x)`."""
    if named or x is NOTHING:
        return renamed(OP_special_scaled_modified_bessel_k0, special_scaled_modified_bessel_k0, {'x': x, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES):
        x_array = x._array
        _mode = get_mode()
        _alike = x._alike
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_k0e(x_array)
                if out is not None:
                    return written_to(out, _result, OP_special_scaled_modified_bessel_k0, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_scaled_modified_bessel_k0, (x,), out)


special_scaled_modified_bessel_k0 = documented(OP_special_scaled_modified_bessel_k0, special_scaled_modified_bessel_k0)


OP_special_scaled_modified_bessel_k0.function = special_scaled_modified_bessel_k0


def special_scaled_modified_bessel_k1(x=NOTHING, *, out=None, **named):
    """`modified_bessel_k1(x) * exp(x)`."""
    if named or x is NOTHING:
        return renamed(OP_special_scaled_modified_bessel_k1, special_scaled_modified_bessel_k1, {'x': x, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES):
        x_array = x._array
        _mode = get_mode()
        _alike = x._alike
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_k1e(x_array)
                if out is not None:
                    return written_to(out, _result, OP_special_scaled_modified_bessel_k1, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_scaled_modified_bessel_k1, (x,), out)


special_scaled_modified_bessel_k1 = documented(OP_special_scaled_modified_bessel_k1, special_scaled_modified_bessel_k1)


OP_special_scaled_modified_bessel_k1.function = special_scaled_modified_bessel_k1


def special_shifted_chebyshev_polynomial_t(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Chebyshev polynomial of the first kind at `2 * x - 1`."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_shifted_chebyshev_polynomial_t, special_shifted_chebyshev_polynomial_t, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_shifted_chebyshev('t', x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_shifted_chebyshev_polynomial_t, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_shifted_chebyshev('t', x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_shifted_chebyshev_polynomial_t, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_shifted_chebyshev_polynomial_t, (x, n), out)


special_shifted_chebyshev_polynomial_t = documented(OP_special_shifted_chebyshev_polynomial_t, special_shifted_chebyshev_polynomial_t)


OP_special_shifted_chebyshev_polynomial_t.function = special_shifted_chebyshev_polynomial_t


def special_shifted_chebyshev_polynomial_u(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Chebyshev polynomial of the second kind at `2 * x - 1`."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_shifted_chebyshev_polynomial_u, special_shifted_chebyshev_polynomial_u, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_shifted_chebyshev('u', x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_shifted_chebyshev_polynomial_u, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_shifted_chebyshev('u', x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_shifted_chebyshev_polynomial_u, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_shifted_chebyshev_polynomial_u, (x, n), out)


special_shifted_chebyshev_polynomial_u = documented(OP_special_shifted_chebyshev_polynomial_u, special_shifted_chebyshev_polynomial_u)


OP_special_shifted_chebyshev_polynomial_u.function = special_shifted_chebyshev_polynomial_u


def special_shifted_chebyshev_polynomial_v(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Chebyshev polynomial of the third kind at `2 * x - 1`."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_shifted_chebyshev_polynomial_v, special_shifted_chebyshev_polynomial_v, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_shifted_chebyshev('v', x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_shifted_chebyshev_polynomial_v, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_shifted_chebyshev('v', x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_shifted_chebyshev_polynomial_v, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_shifted_chebyshev_polynomial_v, (x, n), out)


special_shifted_chebyshev_polynomial_v = documented(OP_special_shifted_chebyshev_polynomial_v, special_shifted_chebyshev_polynomial_v)


OP_special_shifted_chebyshev_polynomial_v.function = special_shifted_chebyshev_polynomial_v


def special_shifted_chebyshev_polynomial_w(x=NOTHING, n=NOTHING, *, out=None, **named):
    """The Chebyshev polynomial of the fourth kind at `2 * x - 1`."""
    if named or x is NOTHING or n is NOTHING:
        return renamed(OP_special_shifted_chebyshev_polynomial_w, special_shifted_chebyshev_polynomial_w, {'x': x, 'n': n, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES) and (type(n) is Tensor or type(n) in PLAIN_TYPES):
        x_array = x._array
        n_array = n._array
        _mode = get_mode()
        if (_alike := x._alike) is not n._alike:
            _alike = None
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is n_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_shifted_chebyshev('w', x_array, n_array)
                if out is not None:
                    return written_to(out, _result, OP_special_shifted_chebyshev_polynomial_w, x, n)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (x_array.flags.c_contiguous and n_array.flags.c_contiguous):
                    _result = pointwise(_result, x_array, n_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(n) in NUMBERS and type(x) in PLAIN_TYPES:
        x_array = x._array
        _mode = get_mode()
        if ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[n]
            _token = set_errors(IGNORED)
            try:
                _result = xp_shifted_chebyshev('w', x_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_shifted_chebyshev_polynomial_w, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = x._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_shifted_chebyshev_polynomial_w, (x, n), out)


special_shifted_chebyshev_polynomial_w = documented(OP_special_shifted_chebyshev_polynomial_w, special_shifted_chebyshev_polynomial_w)


OP_special_shifted_chebyshev_polynomial_w.function = special_shifted_chebyshev_polynomial_w


def special_spherical_bessel_j0(x=NOTHING, *, out=None, **named):
    """The spherical Bessel function of the first kind of order 0: `sin(x) / x`."""
    if named or x is NOTHING:
        return renamed(OP_special_spherical_bessel_j0, special_spherical_bessel_j0, {'x': x, 'out': out}, named)
    if (type(x) is Tensor or type(x) in PLAIN_TYPES):
        x_array = x._array
        _mode = get_mode()
        _alike = x._alike
        if (_alike is not None or ((_dtype := x_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_spherical_bessel_j0(x_array)
                if out is not None:
                    return written_to(out, _result, OP_special_spherical_bessel_j0, x)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not x_array.flags.c_contiguous:
                    _result = pointwise(_result, x_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                _tensor._edge = None
                if _mode is INFERENCE:
                    _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_special_spherical_bessel_j0, (x,), out)


special_spherical_bessel_j0 = documented(OP_special_spherical_bessel_j0, special_spherical_bessel_j0)


OP_special_spherical_bessel_j0.function = special_spherical_bessel_j0


def special_xlog1py_backward(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else F.where((input == 0) & (other <= -1), 0, F.special_xlog1py(g, other)), None if other_edge is None else g * (input / (other + numbers[1])))


def special_xlog1py_backward_complex(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    return (None if input_edge is None else F.where((input == 0) & (other <= -1), 0, F.special_xlog1py(g, other)), None if other_edge is None else g * (input / (other + 1)))


class SpecialXlog1PyBackward2(Saving):
    op = OPS['special_xlog1py']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(special_xlog1py_backward)
    backward_complex = staticmethod(special_xlog1py_backward_complex)


new_SpecialXlog1PyBackward2 = maker_of(SpecialXlog1PyBackward2)


class SpecialXlog1PyBackward1(Saving):
    op = OPS['special_xlog1py']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(special_xlog1py_backward)
    backward_complex = staticmethod(special_xlog1py_backward_complex)


new_SpecialXlog1PyBackward1 = maker_of(SpecialXlog1PyBackward1)


class SpecialXlog1PyBackward0(Saving):
    op = OPS['special_xlog1py']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(special_xlog1py_backward)
    backward_complex = staticmethod(special_xlog1py_backward_complex)


new_SpecialXlog1PyBackward0 = maker_of(SpecialXlog1PyBackward0)


OP_special_xlog1py.nodes = (SpecialXlog1PyBackward2, SpecialXlog1PyBackward1, SpecialXlog1PyBackward0)


OP_special_xlog1py.select_node = lambda input, other: SpecialXlog1PyBackward2 if isinstance(other, (int, float)) else SpecialXlog1PyBackward1 if isinstance(input, (int, float)) else SpecialXlog1PyBackward0


def special_xlog1py(input, other, *, out=None):
    """`input * log1p(other)`, and 0 where `input` is 0."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(other) is Tensor or type(other) in PLAIN_TYPES):
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if (_alike := input._alike) is not other._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_xlog1py(input_array, other_array)
                if out is not None:
                    return written_to(out, _result, OP_special_xlog1py, input, other)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, other_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = (new_SpecialXlog1PyBackward2 if isinstance(other, (int, float)) else new_SpecialXlog1PyBackward1 if isinstance(input, (int, float)) else new_SpecialXlog1PyBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, other_edge)
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
                    _node.saved = (input_array, other_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (other_storage := other._store) is None:
                        other_storage = other._store = new_storage(None)
                        other_storage.version = 0
                    _node.storages = (input_storage, other_storage)
                    _node.versions = (input_storage.version, other_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == other_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                            input._alike = other._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_xlog1py(input_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_xlog1py, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = input._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_SpecialXlog1PyBackward2 if isinstance(other, (int, float)) else new_SpecialXlog1PyBackward1 if isinstance(input, (int, float)) else new_SpecialXlog1PyBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, None)
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
                    _node.saved = (input_array, _number)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage, None)
                    _node.versions = (input_storage.version, 0)
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
    elif type(input) in NUMBERS and type(other) in PLAIN_TYPES:
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := other_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[input]
            _token = set_errors(IGNORED)
            try:
                _result = xp_xlog1py(_number, other_array)
                if out is not None:
                    return written_to(out, _result, OP_special_xlog1py, other)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not other_array.flags.c_contiguous:
                    _result = pointwise(_result, _number, other_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = other._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (other_edge := other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)) is not None:
                    _node = (new_SpecialXlog1PyBackward2 if isinstance(other, (int, float)) else new_SpecialXlog1PyBackward1 if isinstance(input, (int, float)) else new_SpecialXlog1PyBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (None, other_edge)
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
                    _node.saved = (_number, other_array)
                    if (other_storage := other._store) is None:
                        other_storage = other._store = new_storage(None)
                        other_storage.version = 0
                    _node.storages = (None, other_storage)
                    _node.versions = (0, other_storage.version)
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
    return general(OP_special_xlog1py, (input, other), out)


OP_special_xlog1py.function = special_xlog1py


def special_zeta_backward(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else derivative_special_zeta_input(F, g), None if other_edge is None else g * -input * F.special_zeta(input + numbers[1], other))


def special_zeta_backward_complex(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    return (None if input_edge is None else derivative_special_zeta_input(F, g), None if other_edge is None else g * -input * F.special_zeta(input + 1, other))


class SpecialZetaBackward0(Saving):
    op = OPS['special_zeta']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(special_zeta_backward)
    backward_complex = staticmethod(special_zeta_backward_complex)


new_SpecialZetaBackward0 = maker_of(SpecialZetaBackward0)


OP_special_zeta.nodes = (SpecialZetaBackward0,)


OP_special_zeta.select_node = lambda input, other: SpecialZetaBackward0


def special_zeta(input, other, *, out=None):
    """The Hurwitz zeta function: the sum of `(k + other)^-input` over k = 0, 1, 2, ..."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(other) is Tensor or type(other) in PLAIN_TYPES):
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if (_alike := input._alike) is not other._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_zeta(input_array, other_array)
                if out is not None:
                    return written_to(out, _result, OP_special_zeta, input, other)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, other_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new_SpecialZetaBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, other_edge)
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
                    _node.saved = (None if other_edge is None else input_array, None if other_edge is None else other_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (other_storage := other._store) is None:
                        other_storage = other._store = new_storage(None)
                        other_storage.version = 0
                    _node.storages = (input_storage, other_storage)
                    _node.versions = (input_storage.version, other_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == other_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                            input._alike = other._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_zeta(input_array, _number)
                if out is not None:
                    return written_to(out, _result, OP_special_zeta, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array, _number)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = input._alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_SpecialZetaBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, None)
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
                    _node.saved = (None, None)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage, None)
                    _node.versions = (input_storage.version, 0)
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
    return general(OP_special_zeta, (input, other), out)


OP_special_zeta.function = special_zeta


show_saved(('n', 'other', 'p', 'result', 'self'))


show_arguments(special_airy_ai, special_chebyshev_polynomial_t, special_chebyshev_polynomial_u, special_chebyshev_polynomial_v, special_chebyshev_polynomial_w, special_hermite_polynomial_h, special_hermite_polynomial_he, special_laguerre_polynomial_l, special_legendre_polynomial_p, special_scaled_modified_bessel_k0, special_scaled_modified_bessel_k1, special_shifted_chebyshev_polynomial_t, special_shifted_chebyshev_polynomial_u, special_shifted_chebyshev_polynomial_v, special_shifted_chebyshev_polynomial_w, special_spherical_bessel_j0)
