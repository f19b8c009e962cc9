"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident

import numpy as np

import rushlight._generated.raw as raw
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
from rushlight.dispatch.in_place_formulas import PLACES, computed_into
from rushlight.dispatch.in_place_numbers import EASY
from rushlight.dispatch.inplace import write
from rushlight.dispatch.methods import show_arguments
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import all_written_to, into, written_to
from rushlight.declarations import library
from rushlight.declarations.declare import NOTHING, OPS
from rushlight.declarations.promote import as_dtype

import rushlight._generated.functions as F

library.load('order')

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
INT64, BOOL, INT32 = int64.numpy, bool_.numpy, int32.numpy
UINT8, INT8, INT16 = uint8.numpy, int8.numpy, int16.numpy
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
OPERANDS = PLAIN_TYPES | {bool, int, float, complex, type(None)}
ORDINARY = PLAIN_TYPES | SEQUENCES  # what is given in a row, and answers no calls
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_isin = xp.isin

OP_argsort = OPS['argsort']
forward_argsort = OP_argsort.forward
OP_bincount = OPS['bincount']
composite_bincount = OP_bincount.forward
OP_corrcoef = OPS['corrcoef']
composite_corrcoef = OP_corrcoef.forward
OP_counts = OPS['counts']
forward_counts = OP_counts.forward
OP_cov = OPS['cov']
composite_cov = OP_cov.forward
OP_cummax = OPS['cummax']
forward_cummax = OP_cummax.forward
derivative_cummax_input = OP_cummax.derivatives['input']
OP_cummin = OPS['cummin']
forward_cummin = OP_cummin.forward
derivative_cummin_input = OP_cummin.derivatives['input']
OP_cumprod = OPS['cumprod']
forward_cumprod = OP_cumprod.forward
derivative_cumprod_input = OP_cumprod.derivatives['input']
OP_cumsum = OPS['cumsum']
forward_cumsum = OP_cumsum.forward
OP_cumulative_trapezoid = OPS['cumulative_trapezoid']
composite_cumulative_trapezoid = OP_cumulative_trapezoid.forward
OP_diff = OPS['diff']
composite_diff = OP_diff.forward
OP_gradient = OPS['gradient']
composite_gradient = OP_gradient.forward
OP_histc = OPS['histc']
forward_histc = OP_histc.forward
OP_histogram = OPS['histogram']
composite_histogram = OP_histogram.forward
OP_histogram_in_edges = OPS['histogram_in_edges']
OP_histogram_in_ranges = OPS['histogram_in_ranges']
OP_histogramdd = OPS['histogramdd']
composite_histogramdd = OP_histogramdd.forward
OP_isin = OPS['isin']
OP_kthvalue = OPS['kthvalue']
forward_kthvalue = OP_kthvalue.forward
derivative_kthvalue_input = OP_kthvalue.derivatives['input']
OP_logcumsumexp = OPS['logcumsumexp']
forward_logcumsumexp = OP_logcumsumexp.forward
derivative_logcumsumexp_input = OP_logcumsumexp.derivatives['input']
OP_median = OPS['median']
composite_median = OP_median.forward
OP_median_all = OPS['median_all']
forward_median_all = OP_median_all.forward
derivative_median_all_input = OP_median_all.derivatives['input']
OP_median_dim = OPS['median_dim']
forward_median_dim = OP_median_dim.forward
derivative_median_dim_input = OP_median_dim.derivatives['input']
OP_mode = OPS['mode']
forward_mode = OP_mode.forward
derivative_mode_input = OP_mode.derivatives['input']
OP_msort = OPS['msort']
composite_msort = OP_msort.forward
OP_nanmedian = OPS['nanmedian']
composite_nanmedian = OP_nanmedian.forward
OP_nanmedian_all = OPS['nanmedian_all']
forward_nanmedian_all = OP_nanmedian_all.forward
derivative_nanmedian_all_input = OP_nanmedian_all.derivatives['input']
OP_nanmedian_dim = OPS['nanmedian_dim']
forward_nanmedian_dim = OP_nanmedian_dim.forward
derivative_nanmedian_dim_input = OP_nanmedian_dim.derivatives['input']
OP_nanquantile = OPS['nanquantile']
composite_nanquantile = OP_nanquantile.forward
OP_quantile = OPS['quantile']
composite_quantile = OP_quantile.forward
OP_recurrence = OPS['recurrence']
forward_recurrence = OP_recurrence.forward
derivative_recurrence_factor = OP_recurrence.derivatives['factor']
OP_shifted = OPS['shifted']
forward_shifted = OP_shifted.forward
OP_sort = OPS['sort']
forward_sort = OP_sort.forward
derivative_sort_input = OP_sort.derivatives['input']
OP_std = OPS['std']
forward_std = OP_std.forward
derivative_std_input = OP_std.derivatives['input']
OP_std_mean = OPS['std_mean']
forward_std_mean = OP_std_mean.forward
derivative_std_mean_input = OP_std_mean.derivatives['input']
OP_topk = OPS['topk']
forward_topk = OP_topk.forward
derivative_topk_input = OP_topk.derivatives['input']
OP_trapezoid = OPS['trapezoid']
composite_trapezoid = OP_trapezoid.forward
OP_unique = OPS['unique']
composite_unique = OP_unique.forward
OP_unique_consecutive = OPS['unique_consecutive']
composite_unique_consecutive = OP_unique_consecutive.forward
OP_unique_elements = OPS['unique_elements']
forward_unique_elements = OP_unique_elements.forward
OP_unique_runs = OPS['unique_runs']
forward_unique_runs = OP_unique_runs.forward
derivative_unique_runs_input = OP_unique_runs.derivatives['input']
OP_unique_with_places = OPS['unique_with_places']
forward_unique_with_places = OP_unique_with_places.forward
derivative_unique_with_places_input = OP_unique_with_places.derivatives['input']
OP_var = OPS['var']
forward_var = OP_var.forward
derivative_var_input = OP_var.derivatives['input']
OP_var_mean = OPS['var_mean']
forward_var_mean = OP_var_mean.forward
derivative_var_mean_input = OP_var_mean.derivatives['input']
OP_weighted_counts = OPS['weighted_counts']
forward_weighted_counts = OP_weighted_counts.forward


def argsort(input, dim=-1, descending=False, *, stable=False, **named):
    """The indices that put the elements in order along `dim`."""
    if named:
        return renamed(OP_argsort, argsort, {'input': input, 'dim': dim, 'descending': descending, 'stable': stable}, named)
    if type(dim) is not int or descending is not False and descending is not True or stable is not False and stable is not True:
        input, dim, descending, stable = accepted(OP_argsort, (input, dim, descending, stable))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_argsort(xp, input_array, dim, descending, stable=stable)
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
    return general(OP_argsort, (input, dim, descending, stable))


OP_argsort.function = argsort


def bincount(input, weights=None, minlength=0):
    """How often each whole number occurs, or the sum of the weights where it does; at least `minlength` numbers."""
    if type(minlength) is not int or minlength > 0x3FFFFFFF or minlength < -0x3FFFFFFF:
        input, weights, minlength = accepted(OP_bincount, (input, weights, minlength))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_bincount, (input, weights, minlength), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_bincount, (input, weights, minlength))
    try:
        return composite_bincount(F, input, weights, minlength)
    except Exception:
        explain_arguments(OP_bincount, (input, weights, minlength))
        raise


OP_bincount.function = bincount


def corrcoef(input):
    """Pearson's correlation coefficients of the rows of a matrix."""
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_corrcoef, (input,), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_corrcoef, (input,))
    try:
        return composite_corrcoef(F, input)
    except Exception:
        explain_arguments(OP_corrcoef, (input,))
        raise


OP_corrcoef.function = corrcoef


def counts(input, minlength):
    """How often each whole number occurs."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_counts(xp, input_array, minlength)
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
    return general(OP_counts, (input, minlength))


OP_counts.function = counts


def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariances of the rows of a matrix, whose columns are observations, counted and weighed as asked for."""
    if type(correction) is not int or correction > 0x3FFFFFFF or correction < -0x3FFFFFFF or fweights is not None and (type(fweights) not in PLAIN_TYPES) or aweights is not None and (type(aweights) not in PLAIN_TYPES):
        input, correction, fweights, aweights = accepted(OP_cov, (input, correction, fweights, aweights))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or fweights is not None and type(fweights) not in PLAIN_TYPES and hasattr(fweights, '__torch_function__') or aweights is not None and type(aweights) not in PLAIN_TYPES and hasattr(aweights, '__torch_function__'):
        if (_taken := taken_over(OP_cov, (input,), dict(correction=correction, fweights=fweights, aweights=aweights))) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_cov, (input, correction, fweights, aweights))
    try:
        return composite_cov(F, input, correction=correction, fweights=fweights, aweights=aweights)
    except Exception:
        explain_arguments(OP_cov, (input, correction, fweights, aweights))
        raise


OP_cov.function = cov


def cummax_backward(F, node, saved, g, edges):
    indices, = saved
    dim, input_shape = node.params
    g_values = g
    return (derivative_cummax_input(F, g_values, indices, dim, input_shape),)


class CummaxBackward0(Saving):
    op = OPS['cummax']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(cummax_backward)
    backward_complex = staticmethod(cummax_backward)


new_CummaxBackward0 = maker_of(CummaxBackward0)


OP_cummax.nodes = (CummaxBackward0,)


OP_cummax.select_node = lambda input, dim: CummaxBackward0


def cummax(input, dim=NOTHING, *, out=None, **named):
    """The largest of all elements up to each along `dim`, and their indices: the last of several."""
    if named or dim is NOTHING:
        return renamed(OP_cummax, cummax, {'input': input, 'dim': dim, 'out': out}, named)
    if type(dim) is not int:
        input, dim = accepted(OP_cummax, (input, dim))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_cummax(xp, input_array, dim)
                if out is not None:
                    return all_written_to(out, (_values, _indices), OP_cummax.returned, OP_cummax, input)
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
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_CummaxBackward0(None)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_cummax.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_cummax, (input, dim), out)


OP_cummax.function = cummax


def cummin_backward(F, node, saved, g, edges):
    indices, = saved
    dim, input_shape = node.params
    g_values = g
    return (derivative_cummin_input(F, g_values, indices, dim, input_shape),)


class CumminBackward0(Saving):
    op = OPS['cummin']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(cummin_backward)
    backward_complex = staticmethod(cummin_backward)


new_CumminBackward0 = maker_of(CumminBackward0)


OP_cummin.nodes = (CumminBackward0,)


OP_cummin.select_node = lambda input, dim: CumminBackward0


def cummin(input, dim=NOTHING, *, out=None, **named):
    """The smallest of all elements up to each along `dim`, and their indices: the last of several."""
    if named or dim is NOTHING:
        return renamed(OP_cummin, cummin, {'input': input, 'dim': dim, 'out': out}, named)
    if type(dim) is not int:
        input, dim = accepted(OP_cummin, (input, dim))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_cummin(xp, input_array, dim)
                if out is not None:
                    return all_written_to(out, (_values, _indices), OP_cummin.returned, OP_cummin, input)
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
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_CumminBackward0(None)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_cummin.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_cummin, (input, dim), out)


OP_cummin.function = cummin


def cumprod_backward(F, node, saved, g, edges):
    input, out = saved
    dim, = node.params
    return (derivative_cumprod_input(F, g, input, out, dim),)


class CumprodBackward0(Saving):
    op = OPS['cumprod']
    saves = ('input', 'out')
    parameters = ('dim',)
    backward = staticmethod(cumprod_backward)
    backward_complex = staticmethod(cumprod_backward)


new_CumprodBackward0 = maker_of(CumprodBackward0)


OP_cumprod.nodes = (CumprodBackward0,)


OP_cumprod.select_node = lambda input, dim, dtype: CumprodBackward0


def cumprod(input, dim=NOTHING, *, dtype=None, out=None, **named):
    """The product of all elements up to each, along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_cumprod, cumprod, {'input': input, 'dim': dim, 'dtype': dtype, 'out': out}, named)
    if type(dim) is not int:
        input, dim, dtype = accepted(OP_cumprod, (input, dim, dtype))
    if dtype is None and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_cumprod(xp, input_array, dim, dtype=dtype)
                if out is not None:
                    return written_to(out, _result, OP_cumprod, input)
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
                    _node = new_CumprodBackward0(None)
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
    if type(dtype) is type:
        dtype = as_dtype('cumprod', dtype)
    return general(OP_cumprod, (input, dim, dtype), out)


def cumprod_(input, dim=NOTHING, *, dtype=None, **named):
    """In-place version of `cumprod`."""
    if named or dim is NOTHING:
        return renamed(OP_cumprod, cumprod_, {'input': input, 'dim': dim, 'dtype': dtype}, named)
    if computed_into(raw.cumprod, cumprod, PLACES, input, dim, dtype=dtype):
        return input
    return write(cumprod, input, (dim,), {'dtype': dtype}, OP_cumprod)


OP_cumprod.inplace_function = cumprod_


OP_cumprod.function = cumprod


def cumsum_backward(F, node, saved, g, edges):
    dim, = node.params
    return (F.flip(F.cumsum(F.flip(g, (dim,)), dim), (dim,)),)


class CumsumBackward0(Node):
    op = OPS['cumsum']
    saves = ()
    parameters = ('dim',)
    backward = staticmethod(cumsum_backward)
    backward_complex = staticmethod(cumsum_backward)


new_CumsumBackward0 = maker_of(CumsumBackward0)


OP_cumsum.nodes = (CumsumBackward0,)


OP_cumsum.select_node = lambda input, dim, dtype: CumsumBackward0


def cumsum(input, dim=NOTHING, *, dtype=None, out=None, **named):
    """The sum of all elements up to each, along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_cumsum, cumsum, {'input': input, 'dim': dim, 'dtype': dtype, 'out': out}, named)
    if type(dim) is not int:
        input, dim, dtype = accepted(OP_cumsum, (input, dim, dtype))
    if dtype is None and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_cumsum(xp, input_array, dim, dtype=dtype)
                if out is not None:
                    return written_to(out, _result, OP_cumsum, input)
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
                    _node = new_CumsumBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
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
    if type(dtype) is type:
        dtype = as_dtype('cumsum', dtype)
    return general(OP_cumsum, (input, dim, dtype), out)


def cumsum_(input, dim=NOTHING, *, dtype=None, **named):
    """In-place version of `cumsum`."""
    if named or dim is NOTHING:
        return renamed(OP_cumsum, cumsum_, {'input': input, 'dim': dim, 'dtype': dtype}, named)
    if computed_into(raw.cumsum, cumsum, PLACES, input, dim, dtype=dtype):
        return input
    return write(cumsum, input, (dim,), {'dtype': dtype}, OP_cumsum)


OP_cumsum.inplace_function = cumsum_


OP_cumsum.function = cumsum


def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1, **named):
    """The integrals up to each point but the first, by the trapezoidal rule: `trapezoid` of each beginning."""
    if named:
        return renamed(OP_cumulative_trapezoid, cumulative_trapezoid, {'y': y, 'x': x, 'dx': dx, 'dim': dim}, named)
    if type(y) not in PLAIN_TYPES or x is not None and (type(x) not in PLAIN_TYPES) or type(dx) is not int and type(dx) is not float or type(dim) is not int:
        y, x, dx, dim = accepted(OP_cumulative_trapezoid, (y, x, dx, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(y) not in PLAIN_TYPES and hasattr(y, '__torch_function__') or x is not None and type(x) not in PLAIN_TYPES and hasattr(x, '__torch_function__'):
        if (_taken := taken_over(OP_cumulative_trapezoid, (y, x), dict(dx=dx, dim=dim))) is not ABSENT:
            return _taken
    try:
        return composite_cumulative_trapezoid(F, y, x, dx=dx, dim=dim)
    except Exception:
        explain_arguments(OP_cumulative_trapezoid, (y, x, dx, dim))
        raise


OP_cumulative_trapezoid.function = cumulative_trapezoid


def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None, **named):
    """The `n`-th differences of neighbours along `dim`, of `input` with `prepend` before and `append` after it."""
    if named:
        return renamed(OP_diff, diff, {'input': input, 'n': n, 'dim': dim, 'prepend': prepend, 'append': append, 'out': out}, named)
    if type(n) is not int or n > 0x3FFFFFFF or n < -0x3FFFFFFF or type(dim) is not int or prepend is not None and (type(prepend) not in PLAIN_TYPES) or append is not None and (type(append) not in PLAIN_TYPES):
        input, n, dim, prepend, append = accepted(OP_diff, (input, n, dim, prepend, append))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or prepend is not None and type(prepend) not in PLAIN_TYPES and hasattr(prepend, '__torch_function__') or append is not None and type(append) not in PLAIN_TYPES and hasattr(append, '__torch_function__'):
        if (_taken := taken_over(OP_diff, (input, n, dim, prepend, append), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_diff, (input, n, dim, prepend, append))
    if out is not None:
        return into(out, 'diff', composite_diff(F, input, n, dim, prepend, append), OP_diff, (input, n, dim, prepend, append))
    try:
        return composite_diff(F, input, n, dim, prepend, append)
    except Exception:
        explain_arguments(OP_diff, (input, n, dim, prepend, append))
        raise


OP_diff.function = diff


def gradient(input, *, spacing=None, dim=None, edge_order=1, **named):
    """The derivatives along `dim` of a function known at points `spacing` apart, or at those coordinates."""
    if named:
        return renamed(OP_gradient, gradient, {'input': input, 'spacing': spacing, 'dim': dim, 'edge_order': edge_order}, named)
    if type(input) not in PLAIN_TYPES or dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size) or type(edge_order) is not int or edge_order > 0x3FFFFFFF or edge_order < -0x3FFFFFFF:
        input, spacing, dim, edge_order = accepted(OP_gradient, (input, spacing, dim, edge_order))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or spacing is not None and type(spacing) not in PLAIN_TYPES and hasattr(spacing, '__torch_function__'):
        if (_taken := taken_over(OP_gradient, (input,), dict(spacing=spacing, dim=dim, edge_order=edge_order))) is not ABSENT:
            return _taken
    try:
        return composite_gradient(F, input, spacing=spacing, dim=dim, edge_order=edge_order)
    except Exception:
        explain_arguments(OP_gradient, (input, spacing, dim, edge_order))
        raise


OP_gradient.function = gradient


def histc(input, bins=100, min=0, max=0, *, out=None):
    """How many elements fall into each of `bins` of one width from `min` to `max`; from end to end if those are one."""
    if type(bins) is not int or bins > 0x3FFFFFFF or bins < -0x3FFFFFFF or type(min) is not int and type(min) is not float or type(max) is not int and type(max) is not float:
        input, bins, min, max = accepted(OP_histc, (input, bins, min, max))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_histc(xp, input_array, bins, min, max)
                if out is not None:
                    return written_to(out, _result, OP_histc, input)
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
    return general(OP_histc, (input, bins, min, max), out)


OP_histc.function = histc


def histogram(input, bins=100, *, range=None, weight=None, density=False, out=None):
    """How many elements, or how much of their `weight`, falls between the limits `bins`, or into so many even bins."""
    if type(bins) not in PLAIN_TYPES and type(bins) is not int or type(bins) is int and (bins > 0x3FFFFFFF or bins < -0x3FFFFFFF) or range is not None and (not isinstance(range, (tuple, list))) or weight is not None and (type(weight) not in PLAIN_TYPES) or density is not False and density is not True:
        input, bins, range, weight, density = accepted(OP_histogram, (input, bins, range, weight, density))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(bins) not in PLAIN_TYPES and hasattr(bins, '__torch_function__') or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_histogram, (input, bins), dict(range=range, weight=weight, density=density), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_histogram, (input, bins, range, weight, density))
    if out is not None:
        return into(out, 'histogram', composite_histogram(F, input, bins, range=range, weight=weight, density=density), OP_histogram, (input, bins, range, weight, density))
    try:
        return composite_histogram(F, input, bins, range=range, weight=weight, density=density)
    except Exception:
        explain_arguments(OP_histogram, (input, bins, range, weight, density))
        raise


OP_histogram.function = histogram


def histogram_in_edges(input, weight, edges, density):
    """The histogram of points over a grid of bins with given limits."""
    return general(OP_histogram_in_edges, (input, weight, edges, density))


OP_histogram_in_edges.function = histogram_in_edges


def histogram_in_ranges(input, weight, bins, range, density):
    """The histogram of points over a grid of even bins, and the limits of the bins in each dimension."""
    return general(OP_histogram_in_ranges, (input, weight, bins, range, density))


OP_histogram_in_ranges.function = histogram_in_ranges


def histogramdd(input, bins, *, range=None, weight=None, density=False):
    """The histogram of points, the rows of `input`, over a grid of bins: their number or limits in each dimension."""
    if type(input) not in PLAIN_TYPES or not isinstance(bins, (tuple, list)) and type(bins) is not int and not isinstance(bins, (tuple, list)) or type(bins) is int and (bins > 0x3FFFFFFF or bins < -0x3FFFFFFF) or range is not None and (not isinstance(range, (tuple, list))) or weight is not None and (type(weight) not in PLAIN_TYPES) or density is not False and density is not True:
        input, bins, range, weight, density = accepted(OP_histogramdd, (input, bins, range, weight, density))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(bins) in SEQUENCES and not ORDINARY.issuperset(map(type, bins)) or weight is not None and type(weight) not in PLAIN_TYPES and hasattr(weight, '__torch_function__'):
        if (_taken := taken_over(OP_histogramdd, (input, bins), dict(range=range, weight=weight, density=density))) is not ABSENT:
            return _taken
    try:
        return composite_histogramdd(F, input, bins, range=range, weight=weight, density=density)
    except Exception:
        explain_arguments(OP_histogramdd, (input, bins, range, weight, density))
        raise


OP_histogramdd.function = histogramdd


def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None):
    """Whether each element occurs among the test elements."""
    if assume_unique is not False and assume_unique is not True or invert is not False and invert is not True:
        elements, test_elements, assume_unique, invert = accepted(OP_isin, (elements, test_elements, assume_unique, invert))
    if (type(elements) is Tensor or type(elements) in PLAIN_TYPES) and (type(test_elements) is Tensor or type(test_elements) in PLAIN_TYPES):
        elements_array = elements._array
        test_elements_array = test_elements._array
        _mode = get_mode()
        if ((_dtype := elements_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and _dtype is test_elements_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_isin(elements_array, test_elements_array, assume_unique, invert)
                if out is not None:
                    return written_to(out, _result, OP_isin, elements, test_elements)
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
    return general(OP_isin, (elements, test_elements, assume_unique, invert), out)


OP_isin.function = isin


def kthvalue_backward(F, node, saved, g, edges):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_kthvalue_input(F, g_values, indices, dim, keepdim, input_shape),)


class KthvalueBackward0(Saving):
    op = OPS['kthvalue']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(kthvalue_backward)
    backward_complex = staticmethod(kthvalue_backward)


new_KthvalueBackward0 = maker_of(KthvalueBackward0)


OP_kthvalue.nodes = (KthvalueBackward0,)


OP_kthvalue.select_node = lambda input, k, dim, keepdim: KthvalueBackward0


def kthvalue(input, k=NOTHING, dim=-1, keepdim=False, *, out=None, **named):
    """The `k`-th smallest elements along `dim`, and their indices."""
    if named or k is NOTHING:
        return renamed(OP_kthvalue, kthvalue, {'input': input, 'k': k, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if type(k) is not int or k > 0x3FFFFFFF or k < -0x3FFFFFFF or type(dim) is not int or keepdim is not False and keepdim is not True:
        input, k, dim, keepdim = accepted(OP_kthvalue, (input, k, dim, keepdim))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_kthvalue(xp, input_array, k, dim, keepdim)
                if out is not None:
                    return all_written_to(out, (_values, _indices), OP_kthvalue.returned, OP_kthvalue, input)
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
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_KthvalueBackward0(None)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, keepdim, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_kthvalue.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_kthvalue, (input, k, dim, keepdim), out)


OP_kthvalue.function = kthvalue


def logcumsumexp_backward(F, node, saved, g, edges):
    input, out = saved
    dim, = node.params
    return (derivative_logcumsumexp_input(F, g, input, out, dim),)


class LogcumsumexpBackward0(Saving):
    op = OPS['logcumsumexp']
    saves = ('input', 'out')
    parameters = ('dim',)
    backward = staticmethod(logcumsumexp_backward)
    backward_complex = staticmethod(logcumsumexp_backward)


new_LogcumsumexpBackward0 = maker_of(LogcumsumexpBackward0)


OP_logcumsumexp.nodes = (LogcumsumexpBackward0,)


OP_logcumsumexp.select_node = lambda input, dim: LogcumsumexpBackward0


def logcumsumexp(input, dim=NOTHING, *, out=None, **named):
    """The logarithm of the sum of the exponentials of all elements up to each, along `dim`."""
    if named or dim is NOTHING:
        return renamed(OP_logcumsumexp, logcumsumexp, {'input': input, 'dim': dim, 'out': out}, named)
    if type(dim) is not int:
        input, dim = accepted(OP_logcumsumexp, (input, dim))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_logcumsumexp(xp, input_array, dim)
                if out is not None:
                    return written_to(out, _result, OP_logcumsumexp, input)
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
                    _node = new_LogcumsumexpBackward0(None)
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
    return general(OP_logcumsumexp, (input, dim), out)


OP_logcumsumexp.function = logcumsumexp


def median(input, dim=None, keepdim=False, *, out=None, **named):
    """The median element, the lower of two; with `dim` the medians along it, and their indices."""
    if named:
        return renamed(OP_median, median, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (type(dim) is not int) or keepdim is not False and keepdim is not True:
        input, dim, keepdim = accepted(OP_median, (input, dim, keepdim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_median, (input, dim, keepdim), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_median, (input, dim, keepdim))
    if out is not None:
        return into(out, 'median', composite_median(F, input, dim, keepdim), OP_median, (input, dim, keepdim))
    try:
        return composite_median(F, input, dim, keepdim)
    except Exception:
        explain_arguments(OP_median, (input, dim, keepdim))
        raise


OP_median.function = median


def median_all_backward(F, node, saved, g, edges):
    input, out = saved
    return (derivative_median_all_input(F, g, input, out),)


class MedianBackward0(Saving):
    op = OPS['median_all']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(median_all_backward)
    backward_complex = staticmethod(median_all_backward)


new_MedianBackward0 = maker_of(MedianBackward0)


OP_median_all.nodes = (MedianBackward0,)


OP_median_all.select_node = lambda input: MedianBackward0


def median_all(input, *, out=None):
    """The median of all elements, the lower of two; NaN if any is NaN."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_median_all(xp, input_array)
                if out is not None:
                    return written_to(out, _result, OP_median_all, input)
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
                    _node = new_MedianBackward0(None)
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
    return general(OP_median_all, (input,), out)


OP_median_all.function = median_all


def median_dim_backward(F, node, saved, g, edges):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_median_dim_input(F, g_values, indices, dim, keepdim, input_shape),)


class MedianBackward1(Saving):
    op = OPS['median_dim']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(median_dim_backward)
    backward_complex = staticmethod(median_dim_backward)


new_MedianBackward1 = maker_of(MedianBackward1)


OP_median_dim.nodes = (MedianBackward1,)


OP_median_dim.select_node = lambda input, dim, keepdim: MedianBackward1


def median_dim(input, dim, keepdim=False, *, out=None):
    """The medians along `dim`, the lower of two, and their indices; NaN where any is NaN."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_median_dim(xp, input_array, dim, keepdim)
                if out is not None:
                    return all_written_to(out, (_values, _indices), OP_median_dim.returned, OP_median_dim, input)
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
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_MedianBackward1(None)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, keepdim, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_median_dim.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_median_dim, (input, dim, keepdim), out)


OP_median_dim.function = median_dim


def mode_backward(F, node, saved, g, edges):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_mode_input(F, g_values, indices, dim, keepdim, input_shape),)


class ModeBackward0(Saving):
    op = OPS['mode']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(mode_backward)
    backward_complex = staticmethod(mode_backward)


new_ModeBackward0 = maker_of(ModeBackward0)


OP_mode.nodes = (ModeBackward0,)


OP_mode.select_node = lambda input, dim, keepdim: ModeBackward0


def mode(input, dim=-1, keepdim=False, *, out=None, **named):
    """The most frequent elements along `dim`, the smallest of several, and the indices where they come last."""
    if named:
        return renamed(OP_mode, mode, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if type(dim) is not int or keepdim is not False and keepdim is not True:
        input, dim, keepdim = accepted(OP_mode, (input, dim, keepdim))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_mode(xp, input_array, dim, keepdim)
                if out is not None:
                    return all_written_to(out, (_values, _indices), OP_mode.returned, OP_mode, input)
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
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_ModeBackward0(None)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, keepdim, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_mode.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_mode, (input, dim, keepdim), out)


OP_mode.function = mode


def msort(input, *, out=None):
    """The elements in order along the first dimension."""
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_msort, (input,), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_msort, (input,))
    if out is not None:
        return into(out, 'msort', composite_msort(F, input), OP_msort, (input,))
    try:
        return composite_msort(F, input)
    except Exception:
        explain_arguments(OP_msort, (input,))
        raise


OP_msort.function = msort


def nanmedian(input, dim=None, keepdim=False, *, out=None, **named):
    """The median of what is not NaN, the lower of two; with `dim` the medians along it, and their indices."""
    if named:
        return renamed(OP_nanmedian, nanmedian, {'input': input, 'dim': dim, 'keepdim': keepdim, 'out': out}, named)
    if dim is not None and (type(dim) is not int) or keepdim is not False and keepdim is not True:
        input, dim, keepdim = accepted(OP_nanmedian, (input, dim, keepdim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_nanmedian, (input, dim, keepdim), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_nanmedian, (input, dim, keepdim))
    if out is not None:
        return into(out, 'nanmedian', composite_nanmedian(F, input, dim, keepdim), OP_nanmedian, (input, dim, keepdim))
    try:
        return composite_nanmedian(F, input, dim, keepdim)
    except Exception:
        explain_arguments(OP_nanmedian, (input, dim, keepdim))
        raise


OP_nanmedian.function = nanmedian


def nanmedian_all_backward(F, node, saved, g, edges):
    input, out = saved
    return (derivative_nanmedian_all_input(F, g, input, out),)


class NanmedianBackward0(Saving):
    op = OPS['nanmedian_all']
    saves = ('input', 'out')
    parameters = ()
    backward = staticmethod(nanmedian_all_backward)
    backward_complex = staticmethod(nanmedian_all_backward)


new_NanmedianBackward0 = maker_of(NanmedianBackward0)


OP_nanmedian_all.nodes = (NanmedianBackward0,)


OP_nanmedian_all.select_node = lambda input: NanmedianBackward0


def nanmedian_all(input, *, out=None):
    """The median of all elements that are not NaN, the lower of two."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_nanmedian_all(xp, input_array)
                if out is not None:
                    return written_to(out, _result, OP_nanmedian_all, input)
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
                    _node = new_NanmedianBackward0(None)
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
    return general(OP_nanmedian_all, (input,), out)


OP_nanmedian_all.function = nanmedian_all


def nanmedian_dim_backward(F, node, saved, g, edges):
    indices, = saved
    dim, keepdim, input_shape = node.params
    g_values = g
    return (derivative_nanmedian_dim_input(F, g_values, indices, dim, keepdim, input_shape),)


class NanmedianBackward1(Saving):
    op = OPS['nanmedian_dim']
    saves = ('indices',)
    parameters = ('dim', 'keepdim', 'input_shape')
    backward = staticmethod(nanmedian_dim_backward)
    backward_complex = staticmethod(nanmedian_dim_backward)


new_NanmedianBackward1 = maker_of(NanmedianBackward1)


OP_nanmedian_dim.nodes = (NanmedianBackward1,)


OP_nanmedian_dim.select_node = lambda input, dim, keepdim: NanmedianBackward1


def nanmedian_dim(input, dim, keepdim=False, *, out=None):
    """The medians along `dim` of what is not NaN, the lower of two, and their indices."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_nanmedian_dim(xp, input_array, dim, keepdim)
                if out is not None:
                    return all_written_to(out, (_values, _indices), OP_nanmedian_dim.returned, OP_nanmedian_dim, input)
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
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_NanmedianBackward1(None)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, keepdim, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_nanmedian_dim.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_nanmedian_dim, (input, dim, keepdim), out)


OP_nanmedian_dim.function = nanmedian_dim


def nanquantile(input, q=NOTHING, dim=None, keepdim=False, *, interpolation='linear', out=None, **named):
    """The values below which fractions `q` of those elements along `dim` lie that are not NaN."""
    if named or q is NOTHING:
        return renamed(OP_nanquantile, nanquantile, {'input': input, 'q': q, 'dim': dim, 'keepdim': keepdim, 'interpolation': interpolation, 'out': out}, named)
    if dim is not None and (type(dim) is not int) or keepdim is not False and keepdim is not True or type(interpolation) is not str:
        input, q, dim, keepdim, interpolation = accepted(OP_nanquantile, (input, q, dim, keepdim, interpolation))
    if type(q) not in OPERANDS:
        input, q, dim, keepdim, interpolation = accepted(OP_nanquantile, (input, q, dim, keepdim, interpolation))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(q) not in PLAIN_TYPES and hasattr(q, '__torch_function__'):
        if (_taken := taken_over(OP_nanquantile, (input, q, dim, keepdim), dict(interpolation=interpolation), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_nanquantile, (input, q, dim, keepdim, interpolation))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_nanquantile, composite_nanquantile, F, (input, q, dim, keepdim), dict(interpolation=interpolation))
    if out is not None:
        return into(out, 'nanquantile', uncast(composite_nanquantile, F, input, q, dim, keepdim, interpolation=interpolation), OP_nanquantile, (input, q, dim, keepdim, interpolation))
    try:
        return composite_nanquantile(F, input, q, dim, keepdim, interpolation=interpolation)
    except Exception:
        explain_arguments(OP_nanquantile, (input, q, dim, keepdim, interpolation))
        raise


OP_nanquantile.function = nanquantile


def quantile(input, q=NOTHING, dim=None, keepdim=False, *, interpolation='linear', out=None, **named):
    """The values below which fractions `q` of the elements along `dim` lie; NaN if one is NaN."""
    if named or q is NOTHING:
        return renamed(OP_quantile, quantile, {'input': input, 'q': q, 'dim': dim, 'keepdim': keepdim, 'interpolation': interpolation, 'out': out}, named)
    if dim is not None and (type(dim) is not int) or keepdim is not False and keepdim is not True or type(interpolation) is not str:
        input, q, dim, keepdim, interpolation = accepted(OP_quantile, (input, q, dim, keepdim, interpolation))
    if type(q) not in OPERANDS:
        input, q, dim, keepdim, interpolation = accepted(OP_quantile, (input, q, dim, keepdim, interpolation))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(q) not in PLAIN_TYPES and hasattr(q, '__torch_function__'):
        if (_taken := taken_over(OP_quantile, (input, q, dim, keepdim), dict(interpolation=interpolation), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_quantile, (input, q, dim, keepdim, interpolation))
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_quantile, composite_quantile, F, (input, q, dim, keepdim), dict(interpolation=interpolation))
    if out is not None:
        return into(out, 'quantile', uncast(composite_quantile, F, input, q, dim, keepdim, interpolation=interpolation), OP_quantile, (input, q, dim, keepdim, interpolation))
    try:
        return composite_quantile(F, input, q, dim, keepdim, interpolation=interpolation)
    except Exception:
        explain_arguments(OP_quantile, (input, q, dim, keepdim, interpolation))
        raise


OP_quantile.function = quantile


def recurrence_backward(F, node, saved, g, edges):
    factor, out = saved
    dim, backwards = node.params
    input_edge, factor_edge = edges
    return (None if input_edge is None else F.recurrence(g, F.shifted(factor, dim, 1 if backwards else -1, 0), dim, not backwards), None if factor_edge is None else derivative_recurrence_factor(F, g, factor, out, dim, backwards))


def recurrence_backward_complex(F, node, saved, g, edges):
    factor, out = saved
    dim, backwards = node.params
    input_edge, factor_edge = edges
    return (None if input_edge is None else F.recurrence(g, F.conj(F.shifted(factor, dim, 1 if backwards else -1, 0)), dim, not backwards), None if factor_edge is None else derivative_recurrence_factor(F, g, factor, out, dim, backwards))


class RecurrenceBackward0(Saving):
    op = OPS['recurrence']
    saves = ('factor', 'out')
    parameters = ('dim', 'backwards')
    backward = staticmethod(recurrence_backward)
    backward_complex = staticmethod(recurrence_backward_complex)


new_RecurrenceBackward0 = maker_of(RecurrenceBackward0)


OP_recurrence.nodes = (RecurrenceBackward0,)


OP_recurrence.select_node = lambda input, factor, dim, backwards: RecurrenceBackward0


def recurrence(input, factor, dim, backwards=False):
    """`out[i] = input[i] + factor[i] * out[i - 1]` along `dim`; with `out[i + 1]` instead if it runs `backwards`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(factor) is Tensor or type(factor) in PLAIN_TYPES):
        input_array = input._array
        factor_array = factor._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is factor_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_recurrence(xp, input_array, factor_array, dim, backwards)
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
                    factor_edge = factor._edge if (_base := factor._base) is None or factor._generation == _base._generation else edge_of(factor)
                if _mode and (input_edge is not None or factor_edge is not None):
                    _node = new_RecurrenceBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge, factor_edge)
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
                    _node.saved = (factor_array, None if factor_edge is None else _result)
                    if (factor_storage := factor._store) is None:
                        factor_storage = factor._store = new_storage(None)
                        factor_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (factor_storage, out_storage)
                    _node.versions = (factor_storage.version, 0)
                    _node.params = (dim, backwards)
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
    return general(OP_recurrence, (input, factor, dim, backwards))


OP_recurrence.function = recurrence


def shifted_backward(F, node, saved, g, edges):
    dim, step = node.params
    return (F.shifted(g, dim, -step, 0),)


class ShiftedBackward0(Node):
    op = OPS['shifted']
    saves = ()
    parameters = ('dim', 'step')
    backward = staticmethod(shifted_backward)
    backward_complex = staticmethod(shifted_backward)


new_ShiftedBackward0 = maker_of(ShiftedBackward0)


OP_shifted.nodes = (ShiftedBackward0,)


OP_shifted.select_node = lambda input, dim, step, fill: ShiftedBackward0


def shifted(input, dim, step, fill):
    """The elements `step` places further along `dim`, with `fill` in the places that become free."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_shifted(xp, input_array, dim, step, fill)
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
                    _node = new_ShiftedBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim, step)
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
    return general(OP_shifted, (input, dim, step, fill))


OP_shifted.function = shifted


def sort_backward(F, node, saved, g, edges):
    indices, = saved
    dim, input_shape = node.params
    g_values = g
    return (derivative_sort_input(F, g_values, indices, dim, input_shape),)


class SortBackward0(Saving):
    op = OPS['sort']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(sort_backward)
    backward_complex = staticmethod(sort_backward)


new_SortBackward0 = maker_of(SortBackward0)


class SortBackward1(Saving):
    op = OPS['sort']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(sort_backward)
    backward_complex = staticmethod(sort_backward)


new_SortBackward1 = maker_of(SortBackward1)


OP_sort.nodes = (SortBackward0, SortBackward1)


OP_sort.select_node = lambda input, dim, descending, stable: SortBackward0 if stable is None else SortBackward1


def sort(input, dim=-1, descending=False, *, stable=None, out=None, **named):
    """The elements in order along `dim`, and where each came from."""
    if named:
        return renamed(OP_sort, sort, {'input': input, 'dim': dim, 'descending': descending, 'stable': stable, 'out': out}, named)
    if type(dim) is not int or descending is not False and descending is not True or stable is not None and (stable is not False and stable is not True):
        input, dim, descending, stable = accepted(OP_sort, (input, dim, descending, stable))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_sort(xp, input_array, dim, descending, stable=stable)
                if out is not None:
                    return all_written_to(out, (_values, _indices), OP_sort.returned, OP_sort, input)
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
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_SortBackward0 if stable is None else new_SortBackward1)(None)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_sort.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_sort, (input, dim, descending, stable), out)


OP_sort.function = sort


def std_backward(F, node, saved, g, edges):
    input, out = saved
    dim, unbiased, correction, input_shape = node.params
    return (derivative_std_input(F, g, input, out, dim, unbiased, correction, input_shape),)


class StdBackward0(Saving):
    op = OPS['std']
    saves = ('input', 'out')
    parameters = ('dim', 'unbiased', 'correction', 'input_shape')
    backward = staticmethod(std_backward)
    backward_complex = staticmethod(std_backward)


new_StdBackward0 = maker_of(StdBackward0)


OP_std.nodes = (StdBackward0,)


OP_std.select_node = lambda input, dim, unbiased, keepdim, correction: StdBackward0


def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, **named):
    """The standard deviation along `dim`: the square root of `var`."""
    if named:
        return renamed(OP_std, std, {'input': input, 'dim': dim, 'unbiased': unbiased, 'keepdim': keepdim, 'correction': correction, 'out': out}, named)
    if dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size and dim is not True and dim is not False) or unbiased is not False and unbiased is not True or keepdim is not False and keepdim is not True or correction is not None and (type(correction) is not int and type(correction) is not float):
        input, dim, unbiased, keepdim, correction = accepted(OP_std, (input, dim, unbiased, keepdim, correction))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_std(xp, input_array, dim, unbiased, keepdim, correction=correction)
                if out is not None:
                    return written_to(out, _result, OP_std, input)
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
                    _node = new_StdBackward0(None)
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
                    _node.params = (dim, unbiased, correction, input_array.shape if input._alike is None else input._alike[0])
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
    return general(OP_std, (input, dim, unbiased, keepdim, correction), out)


OP_std.function = std


def std_mean_backward(F, node, saved, g, edges):
    input, std = saved
    dim, unbiased, correction, input_shape = node.params
    g_std, g_mean = F.present(node, g)
    return (derivative_std_mean_input(F, g_std, g_mean, input, std, dim, unbiased, correction, input_shape),)


class StdMeanBackward0(Saving):
    op = OPS['std_mean']
    saves = ('input', 'std')
    parameters = ('dim', 'unbiased', 'correction', 'input_shape')
    backward = staticmethod(std_mean_backward)
    backward_complex = staticmethod(std_mean_backward)


new_StdMeanBackward0 = maker_of(StdMeanBackward0)


OP_std_mean.nodes = (StdMeanBackward0,)


OP_std_mean.select_node = lambda input, dim, unbiased, keepdim, correction: StdMeanBackward0


def std_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, **named):
    """The standard deviation and the mean along `dim`."""
    if named:
        return renamed(OP_std_mean, std_mean, {'input': input, 'dim': dim, 'unbiased': unbiased, 'keepdim': keepdim, 'correction': correction, 'out': out}, named)
    if dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size and dim is not True and dim is not False) or unbiased is not False and unbiased is not True or keepdim is not False and keepdim is not True or correction is not None and (type(correction) is not int and type(correction) is not float):
        input, dim, unbiased, keepdim, correction = accepted(OP_std_mean, (input, dim, unbiased, keepdim, correction))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _std, _mean = forward_std_mean(xp, input_array, dim, unbiased, keepdim, correction=correction)
                if out is not None:
                    return all_written_to(out, (_std, _mean), tuple, OP_std_mean, input)
            except Exception:
                pass
            else:
                if type(_std) is not ndarray and isinstance(_std, np.generic):
                    _std = as_array(_std)
                _std_tensor = new_tensor(None)
                _std_tensor._array = _std
                _std_tensor._alike = None
                _std_tensor._base = None
                _std_tensor._generation = None
                if type(_mean) is not ndarray and isinstance(_mean, np.generic):
                    _mean = as_array(_mean)
                _mean_tensor = new_tensor(None)
                _mean_tensor._array = _mean
                _mean_tensor._alike = None
                _mean_tensor._base = None
                _mean_tensor._generation = None
                _std_tensor._store = None
                _mean_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_StdMeanBackward0(None)
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
                    _node.saved = (input_array, _std)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _std_tensor._store = std_storage = new_storage(None)
                    std_storage.version = 0
                    _node.storages = (input_storage, std_storage)
                    _node.versions = (input_storage.version, 0)
                    _node.params = (dim, unbiased, correction, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_std.shape, _std.dtype), (_mean.shape, _mean.dtype))
                    _std_tensor._edge = Output(_node, 0)
                    _mean_tensor._edge = Output(_node, 1)
                else:
                    _std_tensor._edge = None
                    _mean_tensor._edge = None
                    if _mode is INFERENCE:
                        _std_tensor._store = InferenceStorage()
                        _mean_tensor._store = InferenceStorage()
                return (_std_tensor, _mean_tensor)
            finally:
                reset_errors(_token)
    return general(OP_std_mean, (input, dim, unbiased, keepdim, correction), out)


OP_std_mean.function = std_mean


def topk_backward(F, node, saved, g, edges):
    indices, = saved
    dim, input_shape = node.params
    g_values = g
    return (derivative_topk_input(F, g_values, indices, dim, input_shape),)


class TopkBackward0(Saving):
    op = OPS['topk']
    saves = ('indices',)
    parameters = ('dim', 'input_shape')
    backward = staticmethod(topk_backward)
    backward_complex = staticmethod(topk_backward)


new_TopkBackward0 = maker_of(TopkBackward0)


OP_topk.nodes = (TopkBackward0,)


OP_topk.select_node = lambda input, k, dim, largest, sorted: TopkBackward0


def topk(input, k=NOTHING, dim=-1, largest=True, sorted=True, *, out=None, **named):
    """The `k` largest elements along `dim`, or the `k` smallest, best first, and their indices."""
    if named or k is NOTHING:
        return renamed(OP_topk, topk, {'input': input, 'k': k, 'dim': dim, 'largest': largest, 'sorted': sorted, 'out': out}, named)
    if type(k) is not int or k > 0x3FFFFFFF or k < -0x3FFFFFFF or type(dim) is not int or largest is not False and largest is not True or sorted is not False and sorted is not True:
        input, k, dim, largest, sorted = accepted(OP_topk, (input, k, dim, largest, sorted))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _indices = forward_topk(xp, input_array, k, dim, largest, sorted)
                if out is not None:
                    return all_written_to(out, (_values, _indices), OP_topk.returned, OP_topk, input)
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
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = new_tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._alike = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_TopkBackward0(None)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_topk.returned(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    return general(OP_topk, (input, k, dim, largest, sorted), out)


OP_topk.function = topk


def trapezoid(y, x=None, *, dx=1, dim=-1, **named):
    """The integral along `dim` of a function known at points `x`, or `dx` apart, by the trapezoidal rule."""
    if named:
        return renamed(OP_trapezoid, trapezoid, {'y': y, 'x': x, 'dx': dx, 'dim': dim}, named)
    if type(y) not in PLAIN_TYPES or x is not None and (type(x) not in PLAIN_TYPES) or type(dx) is not int and type(dx) is not float or type(dim) is not int:
        y, x, dx, dim = accepted(OP_trapezoid, (y, x, dx, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(y) not in PLAIN_TYPES and hasattr(y, '__torch_function__') or x is not None and type(x) not in PLAIN_TYPES and hasattr(x, '__torch_function__'):
        if (_taken := taken_over(OP_trapezoid, (y, x), dict(dx=dx, dim=dim))) is not ABSENT:
            return _taken
    try:
        return composite_trapezoid(F, y, x, dx=dx, dim=dim)
    except Exception:
        explain_arguments(OP_trapezoid, (y, x, dx, dim))
        raise


OP_trapezoid.function = trapezoid


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None, **named):
    """The different elements, or slices along `dim`; on request where each went, and how often each occurs."""
    if named:
        return renamed(OP_unique, unique, {'input': input, 'sorted': sorted, 'return_inverse': return_inverse, 'return_counts': return_counts, 'dim': dim}, named)
    if sorted is not False and sorted is not True or return_inverse is not False and return_inverse is not True or return_counts is not False and return_counts is not True or dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size):
        input, sorted, return_inverse, return_counts, dim = accepted(OP_unique, (input, sorted, return_inverse, return_counts, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_unique, (input, sorted, return_inverse, return_counts, dim), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_unique, (input, sorted, return_inverse, return_counts, dim))
    try:
        return composite_unique(F, input, sorted, return_inverse, return_counts, dim)
    except Exception:
        explain_arguments(OP_unique, (input, sorted, return_inverse, return_counts, dim))
        raise


OP_unique.function = unique


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None, **named):
    """The elements, or slices along `dim`, without repetitions of a neighbour."""
    if named:
        return renamed(OP_unique_consecutive, unique_consecutive, {'input': input, 'return_inverse': return_inverse, 'return_counts': return_counts, 'dim': dim}, named)
    if return_inverse is not False and return_inverse is not True or return_counts is not False and return_counts is not True or dim is not None and (type(dim) is not int):
        input, return_inverse, return_counts, dim = accepted(OP_unique_consecutive, (input, return_inverse, return_counts, dim))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_unique_consecutive, (input, return_inverse, return_counts, dim), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_unique_consecutive, (input, return_inverse, return_counts, dim))
    try:
        return composite_unique_consecutive(F, input, return_inverse, return_counts, dim)
    except Exception:
        explain_arguments(OP_unique_consecutive, (input, return_inverse, return_counts, dim))
        raise


OP_unique_consecutive.function = unique_consecutive


def unique_elements(input):
    """The different elements, sorted, of what has no history."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if type(input_array) is ndarray and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward_unique_elements(xp, input_array)
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
    return general(OP_unique_elements, (input,))


OP_unique_elements.function = unique_elements


def unique_runs_backward(F, node, saved, g, edges):
    g_values = g
    return (derivative_unique_runs_input(F, g_values),)


class UniqueConsecutiveBackward0(Node):
    op = OPS['unique_runs']
    saves = ()
    parameters = ()
    backward = staticmethod(unique_runs_backward)
    backward_complex = staticmethod(unique_runs_backward)


new_UniqueConsecutiveBackward0 = maker_of(UniqueConsecutiveBackward0)


OP_unique_runs.nodes = (UniqueConsecutiveBackward0,)


OP_unique_runs.select_node = lambda input, dim, return_inverse, return_counts: UniqueConsecutiveBackward0


def unique_runs(input, dim=None, return_inverse=True, return_counts=True):
    """The elements without repetitions of a neighbour, where each element went, and how long each run was."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _inverse, _counts = forward_unique_runs(xp, input_array, dim, return_inverse, return_counts)
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
                if type(_inverse) is not ndarray and isinstance(_inverse, np.generic):
                    _inverse = as_array(_inverse)
                _inverse_tensor = new_tensor(None)
                _inverse_tensor._array = _inverse
                _inverse_tensor._alike = None
                _inverse_tensor._base = None
                _inverse_tensor._generation = None
                if type(_counts) is not ndarray and isinstance(_counts, np.generic):
                    _counts = as_array(_counts)
                _counts_tensor = new_tensor(None)
                _counts_tensor._array = _counts
                _counts_tensor._alike = None
                _counts_tensor._base = None
                _counts_tensor._generation = None
                _values_tensor._store = None
                _inverse_tensor._store = None
                _counts_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_UniqueConsecutiveBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = ()
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _inverse_tensor._edge = None
                    _counts_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _inverse_tensor._edge = None
                    _counts_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _inverse_tensor._store = InferenceStorage()
                        _counts_tensor._store = InferenceStorage()
                return (_values_tensor, _inverse_tensor, _counts_tensor)
            finally:
                reset_errors(_token)
    return general(OP_unique_runs, (input, dim, return_inverse, return_counts))


OP_unique_runs.function = unique_runs


def unique_with_places_backward(F, node, saved, g, edges):
    dim, = node.params
    g_values = g
    return (derivative_unique_with_places_input(F, g_values, dim),)


class Unique2Backward0(Node):
    op = OPS['unique_with_places']
    saves = ()
    parameters = ('dim',)
    backward = staticmethod(unique_with_places_backward)
    backward_complex = staticmethod(unique_with_places_backward)


new_Unique2Backward0 = maker_of(Unique2Backward0)


class UniqueDimBackward0(Node):
    op = OPS['unique_with_places']
    saves = ()
    parameters = ('dim',)
    backward = staticmethod(unique_with_places_backward)
    backward_complex = staticmethod(unique_with_places_backward)


new_UniqueDimBackward0 = maker_of(UniqueDimBackward0)


OP_unique_with_places.nodes = (Unique2Backward0, UniqueDimBackward0)


OP_unique_with_places.select_node = lambda input, dim: Unique2Backward0 if dim is None else UniqueDimBackward0


def unique_with_places(input, dim=None):
    """The different elements, sorted, where each element of the input went, and how often each occurs."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _values, _inverse, _counts = forward_unique_with_places(xp, input_array, dim)
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
                if type(_inverse) is not ndarray and isinstance(_inverse, np.generic):
                    _inverse = as_array(_inverse)
                _inverse_tensor = new_tensor(None)
                _inverse_tensor._array = _inverse
                _inverse_tensor._alike = None
                _inverse_tensor._base = None
                _inverse_tensor._generation = None
                if type(_counts) is not ndarray and isinstance(_counts, np.generic):
                    _counts = as_array(_counts)
                _counts_tensor = new_tensor(None)
                _counts_tensor._array = _counts
                _counts_tensor._alike = None
                _counts_tensor._base = None
                _counts_tensor._generation = None
                _values_tensor._store = None
                _inverse_tensor._store = None
                _counts_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (new_Unique2Backward0 if dim is None else new_UniqueDimBackward0)(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim,)
                    _node.metas = None
                    _node.special = False
                    _values_tensor._edge = _node
                    _inverse_tensor._edge = None
                    _counts_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _inverse_tensor._edge = None
                    _counts_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _inverse_tensor._store = InferenceStorage()
                        _counts_tensor._store = InferenceStorage()
                return (_values_tensor, _inverse_tensor, _counts_tensor)
            finally:
                reset_errors(_token)
    return general(OP_unique_with_places, (input, dim))


OP_unique_with_places.function = unique_with_places


def var_backward(F, node, saved, g, edges):
    input, = saved
    dim, unbiased, correction, input_shape = node.params
    return (derivative_var_input(F, g, input, dim, unbiased, correction, input_shape),)


class VarBackward0(Saving):
    op = OPS['var']
    saves = ('input',)
    parameters = ('dim', 'unbiased', 'correction', 'input_shape')
    backward = staticmethod(var_backward)
    backward_complex = staticmethod(var_backward)


new_VarBackward0 = maker_of(VarBackward0)


OP_var.nodes = (VarBackward0,)


OP_var.select_node = lambda input, dim, unbiased, keepdim, correction: VarBackward0


def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, **named):
    """The variance along `dim`: the squared distances from the mean, over their number less `correction`."""
    if named:
        return renamed(OP_var, var, {'input': input, 'dim': dim, 'unbiased': unbiased, 'keepdim': keepdim, 'correction': correction, 'out': out}, named)
    if dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size and dim is not True and dim is not False) or unbiased is not False and unbiased is not True or keepdim is not False and keepdim is not True or correction is not None and (type(correction) is not int and type(correction) is not float):
        input, dim, unbiased, keepdim, correction = accepted(OP_var, (input, dim, unbiased, keepdim, correction))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_var(xp, input_array, dim, unbiased, keepdim, correction=correction)
                if out is not None:
                    return written_to(out, _result, OP_var, input)
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
                    _node = new_VarBackward0(None)
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
                    _node.params = (dim, unbiased, correction, input_array.shape if input._alike is None else input._alike[0])
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
    return general(OP_var, (input, dim, unbiased, keepdim, correction), out)


OP_var.function = var


def var_mean_backward(F, node, saved, g, edges):
    input, = saved
    dim, unbiased, correction, input_shape = node.params
    g_var, g_mean = F.present(node, g)
    return (derivative_var_mean_input(F, g_var, g_mean, input, dim, unbiased, correction, input_shape),)


class VarMeanBackward0(Saving):
    op = OPS['var_mean']
    saves = ('input',)
    parameters = ('dim', 'unbiased', 'correction', 'input_shape')
    backward = staticmethod(var_mean_backward)
    backward_complex = staticmethod(var_mean_backward)


new_VarMeanBackward0 = maker_of(VarMeanBackward0)


OP_var_mean.nodes = (VarMeanBackward0,)


OP_var_mean.select_node = lambda input, dim, unbiased, keepdim, correction: VarMeanBackward0


def var_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, **named):
    """The variance and the mean along `dim`."""
    if named:
        return renamed(OP_var_mean, var_mean, {'input': input, 'dim': dim, 'unbiased': unbiased, 'keepdim': keepdim, 'correction': correction, 'out': out}, named)
    if dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size and dim is not True and dim is not False) or unbiased is not False and unbiased is not True or keepdim is not False and keepdim is not True or correction is not None and (type(correction) is not int and type(correction) is not float):
        input, dim, unbiased, keepdim, correction = accepted(OP_var_mean, (input, dim, unbiased, keepdim, correction))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _var, _mean = forward_var_mean(xp, input_array, dim, unbiased, keepdim, correction=correction)
                if out is not None:
                    return all_written_to(out, (_var, _mean), tuple, OP_var_mean, input)
            except Exception:
                pass
            else:
                if type(_var) is not ndarray and isinstance(_var, np.generic):
                    _var = as_array(_var)
                _var_tensor = new_tensor(None)
                _var_tensor._array = _var
                _var_tensor._alike = None
                _var_tensor._base = None
                _var_tensor._generation = None
                if type(_mean) is not ndarray and isinstance(_mean, np.generic):
                    _mean = as_array(_mean)
                _mean_tensor = new_tensor(None)
                _mean_tensor._array = _mean
                _mean_tensor._alike = None
                _mean_tensor._base = None
                _mean_tensor._generation = None
                _var_tensor._store = None
                _mean_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = new_VarMeanBackward0(None)
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
                    _node.params = (dim, unbiased, correction, input_array.shape if input._alike is None else input._alike[0])
                    _node.metas = None
                    _node.special = SEVERAL
                    _node.outputs = 2
                    _node.result_metas = ((_var.shape, _var.dtype), (_mean.shape, _mean.dtype))
                    _var_tensor._edge = Output(_node, 0)
                    _mean_tensor._edge = Output(_node, 1)
                else:
                    _var_tensor._edge = None
                    _mean_tensor._edge = None
                    if _mode is INFERENCE:
                        _var_tensor._store = InferenceStorage()
                        _mean_tensor._store = InferenceStorage()
                return (_var_tensor, _mean_tensor)
            finally:
                reset_errors(_token)
    return general(OP_var_mean, (input, dim, unbiased, keepdim, correction), out)


OP_var_mean.function = var_mean


def weighted_counts(input, weights, minlength):
    """The sum of the weights where each whole number occurs."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(weights) is Tensor or type(weights) in PLAIN_TYPES):
        input_array = input._array
        weights_array = weights._array
        _mode = get_mode()
        if type(input_array) is ndarray and input_array.dtype in EASY and type(weights_array) is ndarray and weights_array.dtype in EASY and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = forward_weighted_counts(xp, input_array, weights_array, minlength)
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
    return general(OP_weighted_counts, (input, weights, minlength))


OP_weighted_counts.function = weighted_counts


show_saved(('backwards', 'correction', 'dim', 'factor', 'indices', 'keepdim', 'result', 'self', 'self_sym_sizes', 'std', 'step', 'unbiased'))


show_arguments(argsort, cummax, cummin, cumprod, cumprod_, cumsum, cumsum_, cumulative_trapezoid, diff, gradient, kthvalue, logcumsumexp, median, mode, nanmedian, nanquantile, quantile, sort, std, std_mean, topk, trapezoid, unique, unique_consecutive, var, var_mean)
