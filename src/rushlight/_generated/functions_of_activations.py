"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident

import numpy as np

import rushlight._generated.raw as raw
import rushlight.arrays.cpu as xp
from rushlight.core.dtype import bool as bool_, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.clock import tick
from rushlight.core.formats import in_order
from rushlight.core.graph import Saving, show_saved
from rushlight.core.history import edge_of
from rushlight.core.maker import maker_of
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.noting import ENTRY, NOTING, NOWHERE, PROGRAM, frame_at, outside
from rushlight.core.ignoring import IGNORED, reset_errors, set_errors
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.storage import InferenceStorage, new_storage
from rushlight.core.strides import pointwise
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.autocast import autocasted
from rushlight.dispatch.general import accepted, explain_arguments, general
from rushlight.dispatch.in_place_formulas import ALIKE, computed_into
from rushlight.dispatch.in_place_numbers import EASY, written_by
from rushlight.dispatch.inplace import write
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import written_to
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.functions as F

library.load('activations')

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
INT64, BOOL, INT32 = int64.numpy, bool_.numpy, int32.numpy
UINT8, INT8, INT16 = uint8.numpy, int8.numpy, int16.numpy
NUMERIC = EASY - {BOOL}
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
NUMBERS_32, NUMBERS_64 = raw.numbers[FLOAT32], raw.numbers[FLOAT64]
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_elu = xp.elu
xp_leaky_relu = xp.leaky_relu
xp_log_sigmoid = xp.log_sigmoid
xp_maximum = xp.maximum
xp_softplus = xp.softplus

OP_celu = OPS['celu']
forward_celu = OP_celu.forward
OP_elu = OPS['elu']
derivative_elu_input = OP_elu.derivatives['input']
OP_gated = OPS['gated']
kernel_gated = raw.gated
OP_gelu = OPS['gelu']
forward_gelu = OP_gelu.forward
derivative_gelu_input = OP_gelu.derivatives['input']
OP_glu = OPS['glu']
forward_glu = OP_glu.forward
derivative_glu_input = OP_glu.derivatives['input']
OP_hardshrink = OPS['hardshrink']
forward_hardshrink = OP_hardshrink.forward
OP_hardsigmoid = OPS['hardsigmoid']
kernel_hardsigmoid = raw.hardsigmoid
OP_hardswish = OPS['hardswish']
kernel_hardswish = raw.hardswish
OP_hardtanh = OPS['hardtanh']
forward_hardtanh = OP_hardtanh.forward
OP_leaky_relu = OPS['leaky_relu']
OP_logsigmoid = OPS['logsigmoid']
OP_mish = OPS['mish']
kernel_mish = raw.mish
derivative_mish_input = OP_mish.derivatives['input']
OP_prelu = OPS['prelu']
composite_prelu = OP_prelu.forward
OP_prelu_kernel = OPS['prelu_kernel']
kernel_prelu_kernel = raw.prelu_kernel
OP_relu = OPS['relu']
OP_relu6 = OPS['relu6']
composite_relu6 = OP_relu6.forward
OP_rrelu = OPS['rrelu']
composite_rrelu = OP_rrelu.forward
OP_rrelu_with_noise = OPS['rrelu_with_noise']
kernel_rrelu_with_noise = raw.rrelu_with_noise
OP_selu = OPS['selu']
composite_selu = OP_selu.forward
OP_silu = OPS['silu']
kernel_silu = raw.silu
derivative_silu_input = OP_silu.derivatives['input']
OP_slope_of_gated = OPS['slope_of_gated']
composite_slope_of_gated = OP_slope_of_gated.forward
OP_softplus = OPS['softplus']
derivative_softplus_input = OP_softplus.derivatives['input']
OP_softshrink = OPS['softshrink']
forward_softshrink = OP_softshrink.forward
OP_softsign = OPS['softsign']
composite_softsign = OP_softsign.forward
OP_tanhshrink = OPS['tanhshrink']
composite_tanhshrink = OP_tanhshrink.forward
OP_threshold = OPS['threshold']
kernel_threshold = raw.threshold


def celu_backward(F, node, saved, g, edges):
    input, = saved
    alpha, = node.params
    return (g * F.choose(input > 0, 1, F.exp(F.choose(input >= 0, 0, input) / alpha)),)


class CeluBackward0(Saving):
    op = OPS['celu']
    saves = ('input',)
    parameters = ('alpha',)
    backward = staticmethod(celu_backward)
    backward_complex = staticmethod(celu_backward)


new_CeluBackward0 = maker_of(CeluBackward0)


OP_celu.nodes = (CeluBackward0,)


OP_celu.select_node = lambda input, alpha: CeluBackward0


def celu(input, alpha=1.0):
    """`input` where it is positive, otherwise `alpha * (exp(input / alpha) - 1)`."""
    if type(alpha) is not float and type(alpha) is not int:
        input, alpha = accepted(OP_celu, (input, alpha))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_celu(xp, input_array, alpha)
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
                    _node = new_CeluBackward0(None)
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
                    _node.params = (alpha,)
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
    return general(OP_celu, (input, alpha))


def celu_(input, alpha=1.0):
    """In-place version of `celu`."""
    if computed_into(raw.celu, celu, ALIKE, input, alpha):
        return input
    return write(celu, input, (alpha,), {}, OP_celu)


OP_celu.inplace_function = celu_


OP_celu.function = celu


def elu_backward(F, node, saved, g, edges):
    input, = saved
    alpha, scale, input_scale = node.params
    return (derivative_elu_input(F, g, input, alpha, scale, input_scale),)


class EluBackward0(Saving):
    op = OPS['elu']
    saves = ('input',)
    parameters = ('alpha', 'scale', 'input_scale')
    backward = staticmethod(elu_backward)
    backward_complex = staticmethod(elu_backward)


new_EluBackward0 = maker_of(EluBackward0)


OP_elu.nodes = (EluBackward0,)


OP_elu.select_node = lambda input, alpha, scale, input_scale: EluBackward0


def elu(input, alpha=1.0, scale=1.0, input_scale=1.0):
    """`scale * input` where it is positive, otherwise `scale * alpha * (exp(input_scale * input) - 1)`."""
    if type(alpha) is not float and type(alpha) is not int or type(scale) is not float and type(scale) is not int or type(input_scale) is not float and type(input_scale) is not int:
        input, alpha, scale, input_scale = accepted(OP_elu, (input, alpha, scale, input_scale))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_elu(input_array, alpha, scale, input_scale)
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
                    _node = new_EluBackward0(None)
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
                    _node.params = (alpha, scale, input_scale)
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
    return general(OP_elu, (input, alpha, scale, input_scale))


def elu_(input, alpha=1.0, scale=1.0, input_scale=1.0):
    """In-place version of `elu`."""
    if computed_into(xp_elu, elu, ALIKE, input, alpha, scale, input_scale):
        return input
    return write(elu, input, (alpha, scale, input_scale), {}, OP_elu)


OP_elu.inplace_function = elu_


OP_elu.function = elu


def gated_backward(F, node, saved, g, edges):
    value, gate = saved
    value_edge, gate_edge = edges
    return (None if value_edge is None else F.slope_of_gated(gate, None, g), None if gate_edge is None else F.slope_of_gated(gate, value, g))


class GatedBackward0(Saving):
    op = OPS['gated']
    saves = ('value', 'gate')
    parameters = ()
    backward = staticmethod(gated_backward)
    backward_complex = staticmethod(gated_backward)


new_GatedBackward0 = maker_of(GatedBackward0)


OP_gated.nodes = (GatedBackward0,)


OP_gated.select_node = lambda value, gate: GatedBackward0


def gated(value, gate):
    """`value` times the sigmoid of `gate`."""
    if (type(value) is Tensor or type(value) in PLAIN_TYPES) and (type(gate) is Tensor or type(gate) in PLAIN_TYPES):
        value_array = value._array
        gate_array = gate._array
        _mode = get_mode()
        if (_alike := value._alike) is not gate._alike:
            _alike = None
        if (_alike is not None or ((_dtype := value_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is gate_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_gated(value_array, gate_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (value_array.flags.c_contiguous and gate_array.flags.c_contiguous):
                    _result = pointwise(_result, value_array, gate_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    value_edge = value._edge if (_base := value._base) is None or value._generation == _base._generation else edge_of(value)
                    gate_edge = gate._edge if (_base := gate._base) is None or gate._generation == _base._generation else edge_of(gate)
                if _mode and (value_edge is not None or gate_edge is not None):
                    _node = new_GatedBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (value_edge, gate_edge)
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
                    _node.saved = (None if gate_edge is None else value_array, gate_array)
                    if (value_storage := value._store) is None:
                        value_storage = value._store = new_storage(None)
                        value_storage.version = 0
                    if (gate_storage := gate._store) is None:
                        gate_storage = gate._store = new_storage(None)
                        gate_storage.version = 0
                    _node.storages = (value_storage, gate_storage)
                    _node.versions = (value_storage.version, gate_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := value_array.shape) == gate_array.shape and (len(_shape) < 3 or value_array.flags.c_contiguous and gate_array.flags.c_contiguous):
                            value._alike = gate._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((value_array.shape, value_array.dtype), (gate_array.shape, gate_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_gated, (value, gate))


OP_gated.function = gated


def gelu_backward(F, node, saved, g, edges):
    input, = saved
    approximate, = node.params
    return (derivative_gelu_input(F, g, input, approximate),)


class GeluBackward0(Saving):
    op = OPS['gelu']
    saves = ('input',)
    parameters = ('approximate',)
    backward = staticmethod(gelu_backward)
    backward_complex = staticmethod(gelu_backward)


new_GeluBackward0 = maker_of(GeluBackward0)


OP_gelu.nodes = (GeluBackward0,)


OP_gelu.select_node = lambda input, approximate: GeluBackward0


def gelu(input, *, approximate='none', out=None):
    """`input` times the normal distribution function at `input`; `approximate="tanh"` computes that with tanh."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_gelu(xp, input_array, approximate=approximate)
                if out is not None:
                    return written_to(out, _result, OP_gelu, input)
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
                    _node = new_GeluBackward0(None)
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
                    _node.params = (approximate,)
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
    return general(OP_gelu, (input, approximate), out)


def gelu_(input, *, approximate='none'):
    """In-place version of `gelu`."""
    if computed_into(raw.gelu, gelu, ALIKE, input, approximate=approximate):
        return input
    return write(gelu, input, (), {'approximate': approximate}, OP_gelu)


OP_gelu.inplace_function = gelu_


OP_gelu.function = gelu


def glu_backward(F, node, saved, g, edges):
    input, = saved
    dim, = node.params
    return (derivative_glu_input(F, g, input, dim),)


class GluBackward0(Saving):
    op = OPS['glu']
    saves = ('input',)
    parameters = ('dim',)
    backward = staticmethod(glu_backward)
    backward_complex = staticmethod(glu_backward)


new_GluBackward0 = maker_of(GluBackward0)


OP_glu.nodes = (GluBackward0,)


OP_glu.select_node = lambda input, dim: GluBackward0


def glu(input, dim=-1):
    """The first half of `input` along `dim` times the sigmoid of the second."""
    if type(dim) is not int:
        input, dim = accepted(OP_glu, (input, dim))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_glu(xp, input_array, dim)
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
                    _node = new_GluBackward0(None)
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
                    _node.params = (dim,)
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
    return general(OP_glu, (input, dim))


OP_glu.function = glu


def hardshrink_backward(F, node, saved, g, edges):
    input, = saved
    lambd, = node.params
    return (F.choose((input >= -lambd) & (input <= lambd), 0, g),)


class HardshrinkBackward0(Saving):
    op = OPS['hardshrink']
    saves = ('input',)
    parameters = ('lambd',)
    backward = staticmethod(hardshrink_backward)
    backward_complex = staticmethod(hardshrink_backward)


new_HardshrinkBackward0 = maker_of(HardshrinkBackward0)


OP_hardshrink.nodes = (HardshrinkBackward0,)


OP_hardshrink.select_node = lambda input, lambd: HardshrinkBackward0


def hardshrink(input, lambd=0.5, *, out=None):
    """`input`, and 0 where that is between `-lambd` and `lambd`."""
    if type(lambd) is not float and type(lambd) is not int:
        input, lambd = accepted(OP_hardshrink, (input, lambd))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_hardshrink(xp, input_array, lambd)
                if out is not None:
                    return written_to(out, _result, OP_hardshrink, input)
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
                    _node = new_HardshrinkBackward0(None)
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
                    _node.params = (lambd,)
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
    return general(OP_hardshrink, (input, lambd), out)


OP_hardshrink.function = hardshrink


def hardsigmoid_backward(F, node, saved, g, edges):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (F.choose((input > -3) & (input < 3), g / numbers[6], 0),)


def hardsigmoid_backward_complex(F, node, saved, g, edges):
    input, = saved
    return (F.choose((input > -3) & (input < 3), g / 6, 0),)


class HardsigmoidBackward0(Saving):
    op = OPS['hardsigmoid']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(hardsigmoid_backward)
    backward_complex = staticmethod(hardsigmoid_backward_complex)


new_HardsigmoidBackward0 = maker_of(HardsigmoidBackward0)


OP_hardsigmoid.nodes = (HardsigmoidBackward0,)


OP_hardsigmoid.select_node = lambda input: HardsigmoidBackward0


def hardsigmoid(input):
    """`input / 6 + 1 / 2` kept between 0 and 1."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_hardsigmoid(input_array)
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
                    _node = new_HardsigmoidBackward0(None)
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
    return general(OP_hardsigmoid, (input,))


def hardsigmoid_(input):
    """In-place version of `hardsigmoid`."""
    if computed_into(kernel_hardsigmoid, hardsigmoid, ALIKE, input):
        return input
    return write(hardsigmoid, input, (), {}, OP_hardsigmoid)


OP_hardsigmoid.inplace_function = hardsigmoid_


OP_hardsigmoid.function = hardsigmoid


def hardswish_backward(F, node, saved, g, edges):
    input, = saved
    numbers = F.numbers[g.dtype]
    return (g * F.choose(input <= -3, 0, F.choose(input < 3, input / numbers[3] + numbers[0.5], 1)),)


def hardswish_backward_complex(F, node, saved, g, edges):
    input, = saved
    return (g * F.choose(input <= -3, 0, F.choose(input < 3, input / 3 + 0.5, 1)),)


class HardswishBackward0(Saving):
    op = OPS['hardswish']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(hardswish_backward)
    backward_complex = staticmethod(hardswish_backward_complex)


new_HardswishBackward0 = maker_of(HardswishBackward0)


OP_hardswish.nodes = (HardswishBackward0,)


OP_hardswish.select_node = lambda input: HardswishBackward0


def hardswish(input):
    """`input * hardsigmoid(input)`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_hardswish(input_array)
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
                    _node = new_HardswishBackward0(None)
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
    return general(OP_hardswish, (input,))


def hardswish_(input):
    """In-place version of `hardswish`."""
    if computed_into(kernel_hardswish, hardswish, ALIKE, input):
        return input
    return write(hardswish, input, (), {}, OP_hardswish)


OP_hardswish.inplace_function = hardswish_


OP_hardswish.function = hardswish


def hardtanh_backward(F, node, saved, g, edges):
    input, = saved
    min_val, max_val = node.params
    return (F.choose((input <= min_val) | (input >= max_val), 0, g),)


class HardtanhBackward0(Saving):
    op = OPS['hardtanh']
    saves = ('input',)
    parameters = ('min_val', 'max_val')
    backward = staticmethod(hardtanh_backward)
    backward_complex = staticmethod(hardtanh_backward)


new_HardtanhBackward0 = maker_of(HardtanhBackward0)


OP_hardtanh.nodes = (HardtanhBackward0,)


OP_hardtanh.select_node = lambda input, min_val, max_val: HardtanhBackward0


def hardtanh(input, min_val=-1.0, max_val=1.0):
    """`input` kept between `min_val` and `max_val`; there the derivative is 0."""
    if type(min_val) is not float and type(min_val) is not int or type(max_val) is not float and type(max_val) is not int:
        input, min_val, max_val = accepted(OP_hardtanh, (input, min_val, max_val))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_hardtanh(xp, input_array, min_val, max_val)
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
                    _node = new_HardtanhBackward0(None)
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
                    _node.params = (min_val, max_val)
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
    return general(OP_hardtanh, (input, min_val, max_val))


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """In-place version of `hardtanh`."""
    if computed_into(raw.hardtanh, hardtanh, ALIKE, input, min_val, max_val):
        return input
    return write(hardtanh, input, (min_val, max_val), {}, OP_hardtanh)


OP_hardtanh.inplace_function = hardtanh_


OP_hardtanh.function = hardtanh


def leaky_relu_backward(F, node, saved, g, edges):
    input, = saved
    negative_slope, = node.params
    return (F.choose(input > 0, g, g * negative_slope),)


class LeakyReluBackward0(Saving):
    op = OPS['leaky_relu']
    saves = ('input',)
    parameters = ('negative_slope',)
    backward = staticmethod(leaky_relu_backward)
    backward_complex = staticmethod(leaky_relu_backward)


new_LeakyReluBackward0 = maker_of(LeakyReluBackward0)


OP_leaky_relu.nodes = (LeakyReluBackward0,)


OP_leaky_relu.select_node = lambda input, negative_slope: LeakyReluBackward0


def leaky_relu(input, negative_slope=0.01):
    """`input` where it is positive, otherwise `negative_slope * input`."""
    if type(negative_slope) is not float and type(negative_slope) is not int:
        input, negative_slope = accepted(OP_leaky_relu, (input, negative_slope))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_leaky_relu(input_array, negative_slope)
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
                    _node = new_LeakyReluBackward0(None)
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
                    _node.params = (negative_slope,)
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
    return general(OP_leaky_relu, (input, negative_slope))


def leaky_relu_(input, negative_slope=0.01):
    """In-place version of `leaky_relu`."""
    if computed_into(xp_leaky_relu, leaky_relu, ALIKE, input, negative_slope):
        return input
    return write(leaky_relu, input, (negative_slope,), {}, OP_leaky_relu)


OP_leaky_relu.inplace_function = leaky_relu_


OP_leaky_relu.function = leaky_relu


def logsigmoid_backward(F, node, saved, g, edges):
    input, = saved
    return (g * F.sigmoid(-input),)


class LogSigmoidBackward0(Saving):
    op = OPS['logsigmoid']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(logsigmoid_backward)
    backward_complex = staticmethod(logsigmoid_backward)


new_LogSigmoidBackward0 = maker_of(LogSigmoidBackward0)


OP_logsigmoid.nodes = (LogSigmoidBackward0,)


OP_logsigmoid.select_node = lambda input: LogSigmoidBackward0


def logsigmoid(input, *, out=None):
    """`log(sigmoid(input))`, exact where the sigmoid vanishes."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_log_sigmoid(input_array)
                if out is not None:
                    return written_to(out, _result, OP_logsigmoid, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = in_order(_result)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_LogSigmoidBackward0(None)
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
    return general(OP_logsigmoid, (input,), out)


OP_logsigmoid.function = logsigmoid


def mish_backward(F, node, saved, g, edges):
    input, = saved
    return (derivative_mish_input(F, g, input),)


class MishBackward0(Saving):
    op = OPS['mish']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(mish_backward)
    backward_complex = staticmethod(mish_backward)


new_MishBackward0 = maker_of(MishBackward0)


OP_mish.nodes = (MishBackward0,)


OP_mish.select_node = lambda input: MishBackward0


def mish(input):
    """`input * tanh(softplus(input))`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_mish(input_array)
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
                    _node = new_MishBackward0(None)
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
    return general(OP_mish, (input,))


def mish_(input):
    """In-place version of `mish`."""
    if computed_into(kernel_mish, mish, ALIKE, input):
        return input
    return write(mish, input, (), {}, OP_mish)


OP_mish.inplace_function = mish_


OP_mish.function = mish


def prelu(input, weight):
    """`input` where it is positive, otherwise `weight * input`; one weight for all, or one for each channel."""
    if type(weight) not in PLAIN_TYPES:
        input, weight = accepted(OP_prelu, (input, weight))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_prelu, (input, weight), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_prelu, (input, weight))
    if type(get_mode()) is Modes:
        return autocasted(OP_prelu, composite_prelu, F, (input, weight), dict())
    try:
        return composite_prelu(F, input, weight)
    except Exception:
        explain_arguments(OP_prelu, (input, weight))
        raise


OP_prelu.function = prelu


def prelu_kernel_backward(F, node, saved, g, edges):
    input, weight = saved
    input_edge, weight_edge = edges
    return (None if input_edge is None else F.choose(input > 0, g, weight * g), None if weight_edge is None else F.choose(input > 0, 0, input * g))


class PreluKernelBackward0(Saving):
    op = OPS['prelu_kernel']
    saves = ('input', 'weight')
    parameters = ()
    backward = staticmethod(prelu_kernel_backward)
    backward_complex = staticmethod(prelu_kernel_backward)


new_PreluKernelBackward0 = maker_of(PreluKernelBackward0)


OP_prelu_kernel.nodes = (PreluKernelBackward0,)


OP_prelu_kernel.select_node = lambda input, weight: PreluKernelBackward0


def prelu_kernel(input, weight):
    """`input` where it is positive, otherwise `weight * input`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(weight) is Tensor or type(weight) in PLAIN_TYPES):
        input_array = input._array
        weight_array = weight._array
        _mode = get_mode()
        if (_alike := input._alike) is not weight._alike:
            _alike = None
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and _dtype is weight_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_prelu_kernel(input_array, weight_array)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _alike is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and weight_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, weight_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    weight_edge = weight._edge if (_base := weight._base) is None or weight._generation == _base._generation else edge_of(weight)
                if _mode and (input_edge is not None or weight_edge is not None):
                    _node = new_PreluKernelBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, weight_edge)
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
                    _node.saved = (input_array, None if input_edge is None else weight_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (weight_storage := weight._store) is None:
                        weight_storage = weight._store = new_storage(None)
                        weight_storage.version = 0
                    _node.storages = (input_storage, weight_storage)
                    _node.versions = (input_storage.version, weight_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _alike is None:
                        if (_shape := input_array.shape) == weight_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and weight_array.flags.c_contiguous):
                            input._alike = weight._alike = _tensor._alike = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (weight_array.shape, weight_array.dtype))
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    elif type(weight) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64)[weight]
            _token = set_errors(IGNORED)
            try:
                _result = kernel_prelu_kernel(input_array, _number)
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
                    _node = new_PreluKernelBackward0(None)
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
    return general(OP_prelu_kernel, (input, weight))


OP_prelu_kernel.function = prelu_kernel


def relu_backward(F, node, saved, g, edges):
    out, = saved
    return (F.choose(out <= 0, 0, g),)


class ReluBackward0(Saving):
    op = OPS['relu']
    saves = ('out',)
    parameters = ()
    backward = staticmethod(relu_backward)
    backward_complex = staticmethod(relu_backward)


new_ReluBackward0 = maker_of(ReluBackward0)


OP_relu.nodes = (ReluBackward0,)


OP_relu.select_node = lambda input: ReluBackward0


def relu(input):
    """`input` where it is positive, otherwise 0; the derivative at 0 is 0."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16)) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = xp_maximum(input_array, raw.numbers[input_array.dtype].zero, out=...)
            except Exception:
                pass
            else:
                if _alike is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = _alike
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ReluBackward0(None)
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
    return general(OP_relu, (input,))


def relu_(input):
    """In-place version of `relu`."""
    if written_by(xp_maximum, relu, NUMERIC, input, 0):
        return input
    return write(relu, input, (), {}, OP_relu)


OP_relu.inplace_function = relu_


OP_relu.function = relu


def relu6(input):
    """`input` kept between 0 and 6."""
    if type(input) is Tensor and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16)) and (_mode is True or _mode is False or _mode is INFERENCE):
            max_val = 6.0
            min_val = 0.0
            _token = set_errors(IGNORED)
            try:
                _result = forward_hardtanh(xp, input_array, min_val, max_val)
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
                    _node = new_HardtanhBackward0(None)
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
                    _node.params = (min_val, max_val)
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
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_relu6, (input,), dict())) is not ABSENT:
            return _taken
    try:
        return composite_relu6(F, input)
    except Exception:
        explain_arguments(OP_relu6, (input,))
        raise


def relu6_(input):
    """In-place version of `relu6`."""
    if type(input) is Tensor and computed_into(raw.hardtanh, relu6, ALIKE, input, 0.0, 6.0):
        return input
    return write(relu6, input, (), {}, OP_relu6)


OP_relu6.inplace_function = relu6_


OP_relu6.function = relu6


def rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    """`input` where it is positive, otherwise times a number drawn from between the bounds, or their mean."""
    if type(input) not in PLAIN_TYPES or type(lower) is not float and type(lower) is not int or type(upper) is not float and type(upper) is not int or training is not False and training is not True:
        input, lower, upper, training, generator = accepted(OP_rrelu, (input, lower, upper, training, generator))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_rrelu, (input, lower, upper, training, generator), dict())) is not ABSENT:
            return _taken
    try:
        return composite_rrelu(F, input, lower, upper, training, generator)
    except Exception:
        explain_arguments(OP_rrelu, (input, lower, upper, training, generator))
        raise


def rrelu_(input, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    """In-place version of `rrelu`."""
    return write(rrelu, input, (lower, upper, training, generator), {}, OP_rrelu)


OP_rrelu.inplace_function = rrelu_


OP_rrelu.function = rrelu


def rrelu_with_noise_backward(F, node, saved, g, edges):
    input, noise = saved
    lower, upper, training = node.params
    return (F.choose(input > 0, g, g * (noise if training else (lower + upper) / 2)),)


class RreluWithNoiseBackward0(Saving):
    op = OPS['rrelu_with_noise']
    saves = ('input', 'noise')
    parameters = ('lower', 'upper', 'training')
    backward = staticmethod(rrelu_with_noise_backward)
    backward_complex = staticmethod(rrelu_with_noise_backward)


new_RreluWithNoiseBackward0 = maker_of(RreluWithNoiseBackward0)


OP_rrelu_with_noise.nodes = (RreluWithNoiseBackward0,)


OP_rrelu_with_noise.select_node = lambda input, noise, lower, upper, training: RreluWithNoiseBackward0


def rrelu_with_noise(input, noise, lower, upper, training):
    """`input` where it is positive, otherwise times `noise` in training and times the mean of the bounds elsewhere."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (noise is None or type(noise) in PLAIN_TYPES):
        input_array = input._array
        noise_array = None if noise is None else noise._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_rrelu_with_noise(input_array, noise_array, lower, upper, training)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not (input_array.flags.c_contiguous and (noise_array is None or noise_array.flags.c_contiguous)):
                    _result = pointwise(_result, input_array, noise_array)
                _tensor = new_tensor(None)
                _tensor._array = _result
                _tensor._alike = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_RreluWithNoiseBackward0(None)
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
                    _node.saved = (input_array, noise_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    noise_storage = None if noise is None else noise._store or noise._storage
                    _node.storages = (input_storage, noise_storage)
                    _node.versions = (input_storage.version, 0 if noise_storage is None else noise_storage.version)
                    _node.params = (lower, upper, training)
                    _node.metas = None if (input_array.shape == _result.shape) else ((input_array.shape, input_array.dtype),)
                    _node.special = False
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    return general(OP_rrelu_with_noise, (input, noise, lower, upper, training))


def rrelu_with_noise_(input, noise, lower, upper, training):
    """In-place version of `rrelu_with_noise`."""
    return write(rrelu_with_noise, input, (noise, lower, upper, training), {}, OP_rrelu_with_noise)


OP_rrelu_with_noise.inplace_function = rrelu_with_noise_


OP_rrelu_with_noise.function = rrelu_with_noise


def selu(input):
    """`elu` with the scales at which activations keep mean 0 and variance 1."""
    if type(input) is Tensor and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            alpha = 1.6732632423543772
            input_scale = 1.0
            scale = 1.0507009873554805
            _token = set_errors(IGNORED)
            try:
                _result = xp_elu(input_array, alpha, scale, input_scale)
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
                    _node = new_EluBackward0(None)
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
                    _node.params = (alpha, scale, input_scale)
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
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_selu, (input,), dict())) is not ABSENT:
            return _taken
    try:
        return composite_selu(F, input)
    except Exception:
        explain_arguments(OP_selu, (input,))
        raise


def selu_(input):
    """In-place version of `selu`."""
    if type(input) is Tensor and computed_into(xp_elu, selu, ALIKE, input, 1.6732632423543772, 1.0507009873554805, 1.0):
        return input
    return write(selu, input, (), {}, OP_selu)


OP_selu.inplace_function = selu_


OP_selu.function = selu


def silu_backward(F, node, saved, g, edges):
    input, = saved
    return (derivative_silu_input(F, g, input),)


class SiluBackward0(Saving):
    op = OPS['silu']
    saves = ('input',)
    parameters = ()
    backward = staticmethod(silu_backward)
    backward_complex = staticmethod(silu_backward)


new_SiluBackward0 = maker_of(SiluBackward0)


OP_silu.nodes = (SiluBackward0,)


OP_silu.select_node = lambda input: SiluBackward0


def silu(input):
    """`input * sigmoid(input)`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_silu(input_array)
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
                    _node = new_SiluBackward0(None)
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
    return general(OP_silu, (input,))


def silu_(input):
    """In-place version of `silu`."""
    if computed_into(kernel_silu, silu, ALIKE, input):
        return input
    return write(silu, input, (), {}, OP_silu)


OP_silu.inplace_function = silu_


OP_silu.function = silu


def slope_of_gated(gate, value, g):
    """The slope of `gated` by the gate, and without `value` that by the value, times `g`."""
    return composite_slope_of_gated(F, gate, value, g)


OP_slope_of_gated.function = slope_of_gated


def softplus_backward(F, node, saved, g, edges):
    input, = saved
    beta, threshold = node.params
    return (derivative_softplus_input(F, g, input, beta, threshold),)


class SoftplusBackward0(Saving):
    op = OPS['softplus']
    saves = ('input',)
    parameters = ('beta', 'threshold')
    backward = staticmethod(softplus_backward)
    backward_complex = staticmethod(softplus_backward)


new_SoftplusBackward0 = maker_of(SoftplusBackward0)


OP_softplus.nodes = (SoftplusBackward0,)


OP_softplus.select_node = lambda input, beta, threshold: SoftplusBackward0


def softplus(input, beta=1.0, threshold=20.0, *, out=None):
    """`log(1 + exp(beta * input)) / beta`; where `beta * input` is above `threshold`, the input itself."""
    if type(beta) is not float and type(beta) is not int or type(threshold) is not float and type(threshold) is not int:
        input, beta, threshold = accepted(OP_softplus, (input, beta, threshold))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_softplus(input_array, beta, threshold)
                if out is not None:
                    return written_to(out, _result, OP_softplus, input)
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
                    _node = new_SoftplusBackward0(None)
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
                    _node.params = (beta, threshold)
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
    return general(OP_softplus, (input, beta, threshold), out)


def softplus_(input, beta=1.0, threshold=20.0):
    """In-place version of `softplus`."""
    if computed_into(xp_softplus, softplus, ALIKE, input, beta, threshold):
        return input
    return write(softplus, input, (beta, threshold), {}, OP_softplus)


OP_softplus.inplace_function = softplus_


OP_softplus.function = softplus


def softshrink_backward(F, node, saved, g, edges):
    input, = saved
    lambd, = node.params
    return (F.choose((input >= -lambd) & (input <= lambd), 0, g),)


class SoftshrinkBackward0(Saving):
    op = OPS['softshrink']
    saves = ('input',)
    parameters = ('lambd',)
    backward = staticmethod(softshrink_backward)
    backward_complex = staticmethod(softshrink_backward)


new_SoftshrinkBackward0 = maker_of(SoftshrinkBackward0)


OP_softshrink.nodes = (SoftshrinkBackward0,)


OP_softshrink.select_node = lambda input, lambd: SoftshrinkBackward0


def softshrink(input, lambd=0.5, *, out=None):
    """`input` moved towards 0 by `lambd`, and 0 where it is nearer than that."""
    if type(lambd) is not float and type(lambd) is not int:
        input, lambd = accepted(OP_softshrink, (input, lambd))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_softshrink(xp, input_array, lambd)
                if out is not None:
                    return written_to(out, _result, OP_softshrink, input)
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
                    _node = new_SoftshrinkBackward0(None)
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
                    _node.params = (lambd,)
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
    return general(OP_softshrink, (input, lambd), out)


OP_softshrink.function = softshrink


def softsign(input):
    """`input / (1 + |input|)`."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_softsign, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_softsign, (input,), dict())) is not ABSENT:
            return _taken
    try:
        return composite_softsign(F, input)
    except Exception:
        explain_arguments(OP_softsign, (input,))
        raise


OP_softsign.function = softsign


def tanhshrink(input):
    """`input - tanh(input)`."""
    if type(input) not in PLAIN_TYPES:
        input, = accepted(OP_tanhshrink, (input,))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_tanhshrink, (input,), dict())) is not ABSENT:
            return _taken
    try:
        return composite_tanhshrink(F, input)
    except Exception:
        explain_arguments(OP_tanhshrink, (input,))
        raise


OP_tanhshrink.function = tanhshrink


def threshold_backward(F, node, saved, g, edges):
    input, = saved
    threshold, = node.params
    return (F.choose(input <= threshold, 0, g),)


class ThresholdBackward0(Saving):
    op = OPS['threshold']
    saves = ('input',)
    parameters = ('threshold',)
    backward = staticmethod(threshold_backward)
    backward_complex = staticmethod(threshold_backward)


new_ThresholdBackward0 = maker_of(ThresholdBackward0)


OP_threshold.nodes = (ThresholdBackward0,)


OP_threshold.select_node = lambda input, threshold, value: ThresholdBackward0


def threshold(input, threshold, value, *, out=None):
    """`input` where it is above `threshold`, otherwise `value`."""
    if type(threshold) is not int and type(threshold) is not float or type(value) is not int and type(value) is not float:
        input, threshold, value = accepted(OP_threshold, (input, threshold, value))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _alike = input._alike
        if (_alike is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = kernel_threshold(input_array, threshold, value)
                if out is not None:
                    return written_to(out, _result, OP_threshold, input)
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
                    _node = new_ThresholdBackward0(None)
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
                    _node.params = (threshold,)
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
    return general(OP_threshold, (input, threshold, value), out)


def threshold_(input, threshold, value):
    """In-place version of `threshold`."""
    if computed_into(kernel_threshold, OP_threshold.function, ALIKE, input, threshold, value):
        return input
    return write(OP_threshold.function, input, (threshold, value), {}, OP_threshold)


OP_threshold.inplace_function = threshold_


OP_threshold.function = threshold


show_saved(('alpha', 'approximate', 'beta', 'dim', 'gate', 'input_scale', 'lambd', 'lower', 'max_val', 'min_val', 'negative_slope', 'noise', 'result', 'scale', 'self', 'threshold', 'training', 'upper', 'weight'))
