"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

import numpy as np

import rushlight._generated.raw as raw
import rushlight.arrays.cpu as xp
from rushlight.core.dtype import float32, float64
from rushlight.core.clock import tick
from rushlight.core.graph import Node
from rushlight.core.modes import INFERENCE, MODE
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.storage import InferenceStorage, Storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, edge_of, new
from rushlight.dispatch.errors_of_numpy import IGNORED, reset_errors, set_errors
from rushlight.dispatch.general import general, into
from rushlight.dispatch.inplace import write
from rushlight.ops import library
from rushlight.ops.declare import OPS

import rushlight._generated.functions as F

library.load('special')

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
NUMBERS = frozenset((float, int))
NUMBERS_32, NUMBERS_64 = raw.numbers[FLOAT32], raw.numbers[FLOAT64]
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_digamma = xp.digamma
xp_erf = xp.erf
xp_erfc = xp.erfc
xp_erfinv = xp.erfinv
xp_gammainc = xp.gammainc
xp_gammaincc = xp.gammaincc
xp_i0 = xp.i0
xp_i0e = xp.i0e
xp_i1 = xp.i1
xp_i1e = xp.i1e
xp_lgamma = xp.lgamma
xp_multigamma = xp.multigamma
xp_polygamma = xp.polygamma

OP_digamma = OPS['digamma']
OP_digamma_derivative = OPS['digamma_derivative']
OP_erf = OPS['erf']
derivative_erf_input = OP_erf.derivatives['input']
OP_erfc = OPS['erfc']
derivative_erfc_input = OP_erfc.derivatives['input']
OP_erfinv = OPS['erfinv']
derivative_erfinv_input = OP_erfinv.derivatives['input']
OP_i0 = OPS['i0']
OP_i0e = OPS['i0e']
OP_i1 = OPS['i1']
OP_i1e = OPS['i1e']
derivative_i1e_input = OP_i1e.derivatives['input']
OP_igamma = OPS['igamma']
derivative_igamma_input = OP_igamma.derivatives['input']
OP_igammac = OPS['igammac']
derivative_igammac_input = OP_igammac.derivatives['input']
OP_lgamma = OPS['lgamma']
OP_mvlgamma = OPS['mvlgamma']
derivative_mvlgamma_input = OP_mvlgamma.derivatives['input']
OP_polygamma = OPS['polygamma']
composite_polygamma = OP_polygamma.forward


def digamma_backward(F, node, saved, g):
    input, = saved
    return (g * F.digamma_derivative(input, 1),)


class DigammaBackward0(Node):
    op = OPS['digamma']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(digamma_backward)
    backward_complex = staticmethod(digamma_backward)


OP_digamma.nodes = (DigammaBackward0,)


OP_digamma.select_node = lambda input: DigammaBackward0


def digamma(input, *, out=None):
    """The derivative of `lgamma`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_digamma(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(DigammaBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_digamma, (input,), out)


def digamma_(input):
    """In-place version of `digamma`."""
    return write(digamma, input, (), {})


OP_digamma.inplace_function = digamma_


OP_digamma.function = digamma


def digamma_derivative_backward(F, node, saved, g):
    input, = saved
    n, = node.params
    return (g * F.digamma_derivative(input, n + 1),)


class PolygammaBackward0(Node):
    op = OPS['digamma_derivative']
    saves = ('input',)
    parameters = ('n',)
    backward = staticmethod(digamma_derivative_backward)
    backward_complex = staticmethod(digamma_derivative_backward)


OP_digamma_derivative.nodes = (PolygammaBackward0,)


OP_digamma_derivative.select_node = lambda input, n: PolygammaBackward0


def digamma_derivative(input, n, *, out=None):
    """The derivative of order `n` of `digamma`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_polygamma(n, input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(PolygammaBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (n,)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_digamma_derivative, (input, n), out)


def digamma_derivative_(input, n):
    """In-place version of `digamma_derivative`."""
    return write(digamma_derivative, input, (n,), {})


OP_digamma_derivative.inplace_function = digamma_derivative_


OP_digamma_derivative.function = digamma_derivative


def erf_backward(F, node, saved, g):
    input, = saved
    return (derivative_erf_input(F, g, input),)


class ErfBackward0(Node):
    op = OPS['erf']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(erf_backward)
    backward_complex = staticmethod(erf_backward)


OP_erf.nodes = (ErfBackward0,)


OP_erf.select_node = lambda input: ErfBackward0


def erf(input, *, out=None):
    """The error function: `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_erf(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ErfBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_erf, (input,), out)


def erf_(input):
    """In-place version of `erf`."""
    return write(erf, input, (), {})


OP_erf.inplace_function = erf_


OP_erf.function = erf


def erfc_backward(F, node, saved, g):
    input, = saved
    return (derivative_erfc_input(F, g, input),)


class ErfcBackward0(Node):
    op = OPS['erfc']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(erfc_backward)
    backward_complex = staticmethod(erfc_backward)


OP_erfc.nodes = (ErfcBackward0,)


OP_erfc.select_node = lambda input: ErfcBackward0


def erfc(input, *, out=None):
    """`1 - erf(input)`, exact where that is small."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_erfc(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ErfcBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_erfc, (input,), out)


def erfc_(input):
    """In-place version of `erfc`."""
    return write(erfc, input, (), {})


OP_erfc.inplace_function = erfc_


OP_erfc.function = erfc


def erfinv_backward(F, node, saved, g):
    out, = saved
    return (derivative_erfinv_input(F, g, out),)


class ErfinvBackward0(Node):
    op = OPS['erfinv']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(erfinv_backward)
    backward_complex = staticmethod(erfinv_backward)


OP_erfinv.nodes = (ErfinvBackward0,)


OP_erfinv.select_node = lambda input: ErfinvBackward0


def erfinv(input, *, out=None):
    """The number whose error function is `input`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_erfinv(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(ErfinvBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (_result,)
                    _node.storages = _storages = (_tensor._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_erfinv, (input,), out)


def erfinv_(input):
    """In-place version of `erfinv`."""
    return write(erfinv, input, (), {})


OP_erfinv.inplace_function = erfinv_


OP_erfinv.function = erfinv


def i0_backward(F, node, saved, g):
    input, = saved
    return (g * F.i1(input),)


class I0Backward0(Node):
    op = OPS['i0']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(i0_backward)
    backward_complex = staticmethod(i0_backward)


OP_i0.nodes = (I0Backward0,)


OP_i0.select_node = lambda input: I0Backward0


def i0(input, *, out=None):
    """The modified Bessel function of order 0."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i0(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(I0Backward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_i0, (input,), out)


def i0_(input):
    """In-place version of `i0`."""
    return write(i0, input, (), {})


OP_i0.inplace_function = i0_


OP_i0.function = i0


def i0e_backward(F, node, saved, g):
    input, out = saved
    return (g * (F.i1e(input) - F.sgn(input) * out),)


class SpecialI0EBackward0(Node):
    op = OPS['i0e']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(i0e_backward)
    backward_complex = staticmethod(i0e_backward)


OP_i0e.nodes = (SpecialI0EBackward0,)


OP_i0e.select_node = lambda input: SpecialI0EBackward0


def i0e(input, *, out=None):
    """`i0(input) * exp(-|input|)`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i0e(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(SpecialI0EBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_i0e, (input,), out)


OP_i0e.function = i0e


def i1_backward(F, node, saved, g):
    input, out = saved
    return (g * F.where(input == 0, 0.5, F.i0(input) - out / F.where(input == 0, 1, input)),)


class SpecialI1Backward0(Node):
    op = OPS['i1']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(i1_backward)
    backward_complex = staticmethod(i1_backward)


OP_i1.nodes = (SpecialI1Backward0,)


OP_i1.select_node = lambda input: SpecialI1Backward0


def i1(input, *, out=None):
    """The modified Bessel function of order 1, whose slope at 0 is 1/2."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i1(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(SpecialI1Backward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_i1, (input,), out)


OP_i1.function = i1


def i1e_backward(F, node, saved, g):
    input, out = saved
    return (derivative_i1e_input(F, g, input, out),)


class SpecialI1EBackward0(Node):
    op = OPS['i1e']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(i1e_backward)
    backward_complex = staticmethod(i1e_backward)


OP_i1e.nodes = (SpecialI1EBackward0,)


OP_i1e.select_node = lambda input: SpecialI1EBackward0


def i1e(input, *, out=None):
    """`i1(input) * exp(-|input|)`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_i1e(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                _tensor._storage = Storage()
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(SpecialI1EBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array, _result)
                    _node.storages = _storages = (input._storage, _tensor._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_i1e, (input,), out)


OP_i1e.function = i1e


def igamma_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else derivative_igamma_input(F, g), None if other_edge is None else g * F.exp((input - numbers[1]) * F.log(other) - other - F.lgamma(input)))


def igamma_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else derivative_igamma_input(F, g), None if other_edge is None else g * F.exp((input - 1) * F.log(other) - other - F.lgamma(input)))


class IgammaBackward0(Node):
    op = OPS['igamma']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(igamma_backward)
    backward_complex = staticmethod(igamma_backward_complex)


OP_igamma.nodes = (IgammaBackward0,)


OP_igamma.select_node = lambda input, other: IgammaBackward0


def igamma(input, other, *, out=None):
    """The regularised lower incomplete gamma function of order `input` at `other`."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_gammainc(input_array, other_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(IgammaBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = (None if other_edge is None else input_array, None if other_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_gammainc(input_array, _number)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(IgammaBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = (None, None)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_igamma, (input, other), out)


def igamma_(input, other):
    """In-place version of `igamma`."""
    return write(igamma, input, (other,), {})


OP_igamma.inplace_function = igamma_


OP_igamma.function = igamma


def igammac_backward(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    numbers = F.numbers[g.dtype]
    return (None if input_edge is None else derivative_igammac_input(F, g), None if other_edge is None else -g * F.exp((input - numbers[1]) * F.log(other) - other - F.lgamma(input)))


def igammac_backward_complex(F, node, saved, g):
    input, other = saved
    input_edge, other_edge = node.edges
    return (None if input_edge is None else derivative_igammac_input(F, g), None if other_edge is None else -g * F.exp((input - 1) * F.log(other) - other - F.lgamma(input)))


class IgammacBackward0(Node):
    op = OPS['igammac']
    saves = ('input', 'other')
    parameters = ()
    backward = staticmethod(igammac_backward)
    backward_complex = staticmethod(igammac_backward_complex)


OP_igammac.nodes = (IgammacBackward0,)


OP_igammac.select_node = lambda input, other: IgammacBackward0


def igammac(input, other, *, out=None):
    """`1 - igamma(input, other)`, exact where that is small."""
    if out is None and type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_gammaincc(input_array, other_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                other_edge = other._edge if other._base is None else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = new(IgammacBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, other_edge)
                    _node.saved = (None if other_edge is None else input_array, None if other_edge is None else other_array)
                    _node.storages = _storages = (input._storage, other._storage)
                    _node.versions = (_storages[0].version, _storages[1].version)
                    if input_array.shape != other_array.shape:
                        _node.metas = ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif out is None and type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[other]
            _token = set_errors(IGNORED)
            try:
                _result = xp_gammaincc(input_array, _number)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(IgammacBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge, None)
                    _node.saved = (None, None)
                    _node.storages = _storages = (input._storage, None)
                    _node.versions = (_storages[0].version, 0)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_igammac, (input, other), out)


def igammac_(input, other):
    """In-place version of `igammac`."""
    return write(igammac, input, (other,), {})


OP_igammac.inplace_function = igammac_


OP_igammac.function = igammac


def lgamma_backward(F, node, saved, g):
    input, = saved
    return (g * F.digamma(input),)


class LgammaBackward0(Node):
    op = OPS['lgamma']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(lgamma_backward)
    backward_complex = staticmethod(lgamma_backward)


OP_lgamma.nodes = (LgammaBackward0,)


OP_lgamma.select_node = lambda input: LgammaBackward0


def lgamma(input, *, out=None):
    """The logarithm of the absolute value of the gamma function."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_lgamma(input_array)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(LgammaBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_lgamma, (input,), out)


def lgamma_(input):
    """In-place version of `lgamma`."""
    return write(lgamma, input, (), {})


OP_lgamma.inplace_function = lgamma_


OP_lgamma.function = lgamma


def mvlgamma_backward(F, node, saved, g):
    input, = saved
    p, = node.params
    return (derivative_mvlgamma_input(F, g, input, p),)


class MvlgammaBackward0(Node):
    op = OPS['mvlgamma']
    saves = ('input',)
    parameters = ('p',)
    backward = staticmethod(mvlgamma_backward)
    backward_complex = staticmethod(mvlgamma_backward)


OP_mvlgamma.nodes = (MvlgammaBackward0,)


OP_mvlgamma.select_node = lambda input, p: MvlgammaBackward0


def mvlgamma(input, p, *, out=None):
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if out is None and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_multigamma(input_array, p)
            except Exception:
                pass
            else:
                if isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = new(Tensor)
                _tensor._array = _result
                input_edge = input._edge if input._base is None else edge_of(input)
                if _mode and input_edge is not None:
                    _node = new(MvlgammaBackward0)
                    _node.created = tick()
                    _node.edges = (input_edge,)
                    _node.saved = (input_array,)
                    _node.storages = _storages = (input._storage,)
                    _node.versions = (_storages[0].version,)
                    _node.params = (p,)
                    _tensor._edge = _node
                elif _mode is INFERENCE:
                    _tensor._storage = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_mvlgamma, (input, p), out)


def mvlgamma_(input, p):
    """In-place version of `mvlgamma`."""
    return write(mvlgamma, input, (p,), {})


OP_mvlgamma.inplace_function = mvlgamma_


OP_mvlgamma.function = mvlgamma


def polygamma(n, input, *, out=None):
    """The derivative of order `n` of `digamma`."""
    if out is not None:
        return into(out, 'polygamma', composite_polygamma(F, n, input))
    return composite_polygamma(F, n, input)


OP_polygamma.function = polygamma
