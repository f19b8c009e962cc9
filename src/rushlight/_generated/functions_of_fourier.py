"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.


import numpy as np

import rushlight.arrays.cpu as xp
from rushlight.core.dtype import bool as bool_, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.clock import tick
from rushlight.core.graph import Node, show_saved
from rushlight.core.history import edge_of
from rushlight.core.maker import maker_of
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.ignoring import IGNORED, reset_errors, set_errors
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.size import Size
from rushlight.core.storage import InferenceStorage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.autocast import autocasted, uncast
from rushlight.dispatch.calls import renamed
from rushlight.dispatch.general import accepted, explain_arguments, general
from rushlight.dispatch.methods import show_arguments
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import into
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.functions as F

library.load('fourier')

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
INT64, BOOL, INT32 = int64.numpy, bool_.numpy, int32.numpy
UINT8, INT8, INT16 = uint8.numpy, int8.numpy, int16.numpy
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
ONE, ROWS = 1, SEQUENCES | {Size}
WHOLE, WHOLE_OR_NONE = frozenset((int,)), frozenset((int, type(None)))
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray

xp_fourier = xp.fourier
xp_fourier_from_half = xp.fourier_from_half
xp_fourier_half = xp.fourier_half
xp_scaled_pairs = xp.scaled_pairs

OP_fft_c2c = OPS['fft_c2c']
OP_fft_c2r = OPS['fft_c2r']
OP_fft_fft = OPS['fft_fft']
composite_fft_fft = OP_fft_fft.forward
OP_fft_fft2 = OPS['fft_fft2']
composite_fft_fft2 = OP_fft_fft2.forward
OP_fft_fftn = OPS['fft_fftn']
composite_fft_fftn = OP_fft_fftn.forward
OP_fft_fftshift = OPS['fft_fftshift']
composite_fft_fftshift = OP_fft_fftshift.forward
OP_fft_hfft = OPS['fft_hfft']
composite_fft_hfft = OP_fft_hfft.forward
OP_fft_hfft2 = OPS['fft_hfft2']
composite_fft_hfft2 = OP_fft_hfft2.forward
OP_fft_hfftn = OPS['fft_hfftn']
composite_fft_hfftn = OP_fft_hfftn.forward
OP_fft_ifft = OPS['fft_ifft']
composite_fft_ifft = OP_fft_ifft.forward
OP_fft_ifft2 = OPS['fft_ifft2']
composite_fft_ifft2 = OP_fft_ifft2.forward
OP_fft_ifftn = OPS['fft_ifftn']
composite_fft_ifftn = OP_fft_ifftn.forward
OP_fft_ifftshift = OPS['fft_ifftshift']
composite_fft_ifftshift = OP_fft_ifftshift.forward
OP_fft_ihfft = OPS['fft_ihfft']
composite_fft_ihfft = OP_fft_ihfft.forward
OP_fft_ihfft2 = OPS['fft_ihfft2']
composite_fft_ihfft2 = OP_fft_ihfft2.forward
OP_fft_ihfftn = OPS['fft_ihfftn']
composite_fft_ihfftn = OP_fft_ihfftn.forward
OP_fft_irfft = OPS['fft_irfft']
composite_fft_irfft = OP_fft_irfft.forward
OP_fft_irfft2 = OPS['fft_irfft2']
composite_fft_irfft2 = OP_fft_irfft2.forward
OP_fft_irfftn = OPS['fft_irfftn']
composite_fft_irfftn = OP_fft_irfftn.forward
OP_fft_pairs = OPS['fft_pairs']
OP_fft_r2c = OPS['fft_r2c']
derivative_fft_r2c_input = OP_fft_r2c.derivatives['input']
OP_fft_rfft = OPS['fft_rfft']
composite_fft_rfft = OP_fft_rfft.forward
OP_fft_rfft2 = OPS['fft_rfft2']
composite_fft_rfft2 = OP_fft_rfft2.forward
OP_fft_rfftn = OPS['fft_rfftn']
composite_fft_rfftn = OP_fft_rfftn.forward
OP_istft = OPS['istft']
composite_istft = OP_istft.forward
OP_stft = OPS['stft']
composite_stft = OP_stft.forward


def fft_c2c_backward(F, node, saved, g, edges):
    dim, normalization, forward = node.params
    return (F.fft_c2c(g, dim, normalization, not forward),)


class FftC2CBackward0(Node):
    op = OPS['fft_c2c']
    saves = ()
    parameters = ('dim', 'normalization', 'forward')
    backward = staticmethod(fft_c2c_backward)
    backward_complex = staticmethod(fft_c2c_backward)


new_FftC2CBackward0 = maker_of(FftC2CBackward0)


OP_fft_c2c.nodes = (FftC2CBackward0,)


OP_fft_c2c.select_node = lambda input, dim, normalization, forward: FftC2CBackward0


def fft_c2c(input, dim, normalization, forward):
    """The coefficients of complex numbers; with `forward=False` the numbers that have those coefficients."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_fourier(input_array, dim, normalization, forward)
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
                    _node = new_FftC2CBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim, normalization, forward)
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
    return general(OP_fft_c2c, (input, dim, normalization, forward))


OP_fft_c2c.function = fft_c2c


def fft_c2r_backward(F, node, saved, g, edges):
    dim, normalization, last_dim_size = node.params
    return (F.fft_pairs(F.fft_r2c(g, dim, normalization, True), dim[-1], last_dim_size, 2.0),)


class FftC2RBackward0(Node):
    op = OPS['fft_c2r']
    saves = ()
    parameters = ('dim', 'normalization', 'last_dim_size')
    backward = staticmethod(fft_c2r_backward)
    backward_complex = staticmethod(fft_c2r_backward)


new_FftC2RBackward0 = maker_of(FftC2RBackward0)


OP_fft_c2r.nodes = (FftC2RBackward0,)


OP_fft_c2r.select_node = lambda input, dim, normalization, last_dim_size: FftC2RBackward0


def fft_c2r(input, dim, normalization, last_dim_size):
    """The real numbers that have the coefficients, of which half are given; `last_dim_size` along the last dimension.

    The imaginary part of a coefficient without a partner is taken for 0."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_fourier_from_half(input_array, dim, normalization, last_dim_size)
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
                    _node = new_FftC2RBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim, normalization, last_dim_size)
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
    return general(OP_fft_c2r, (input, dim, normalization, last_dim_size))


OP_fft_c2r.function = fft_c2r


def fft_fft(input, n=None, dim=-1, norm=None, *, out=None, **named):
    """The discrete Fourier transform along one dimension, of `n` elements: the input is cut or padded with zeros.

    `norm` says which transforms divide by `n`: "backward" (only inverse ones), "forward" (only the others), or
    "ortho": both, by its square root."""
    if named:
        return renamed(OP_fft_fft, fft_fft, {'input': input, 'n': n, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_fft, (input, n, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_fft, composite_fft_fft, F, (input, n, dim, norm), dict())
    if out is not None:
        OP_fft_fft.refuses_out(out)
    if out is not None:
        return into(out, 'fft_fft', uncast(composite_fft_fft, F, input, n, dim, norm), OP_fft_fft, (input, n, dim, norm))
    try:
        return composite_fft_fft(F, input, n, dim, norm)
    except Exception:
        explain_arguments(OP_fft_fft, (input, n, dim, norm))
        raise


OP_fft_fft.function = fft_fft


def fft_fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, **named):
    """`fftn` along the last two dimensions."""
    if named:
        return renamed(OP_fft_fft2, fft_fft2, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_fft2, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_fft2, composite_fft_fft2, F, (input, s, dim, norm), dict())
    if out is not None:
        OP_fft_fft2.refuses_out(out)
    if out is not None:
        return into(out, 'fft_fft2', uncast(composite_fft_fft2, F, input, s, dim, norm), OP_fft_fft2, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_fft2, (input, s, dim, norm))
        return composite_fft_fft2(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_fft2, (input, s, dim, norm))
        raise


OP_fft_fft2.function = fft_fft2


def fft_fftn(input, s=None, dim=None, norm=None, *, out=None, **named):
    """The transform along several dimensions: those in `dim`, else the last ones that `s` has sizes for, else all."""
    if named:
        return renamed(OP_fft_fftn, fft_fftn, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_fftn, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_fftn, composite_fft_fftn, F, (input, s, dim, norm), dict())
    if out is not None:
        OP_fft_fftn.refuses_out(out)
    if out is not None:
        return into(out, 'fft_fftn', uncast(composite_fft_fftn, F, input, s, dim, norm), OP_fft_fftn, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_fftn, (input, s, dim, norm))
        return composite_fft_fftn(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_fftn, (input, s, dim, norm))
        raise


OP_fft_fftn.function = fft_fftn


def fft_fftshift(input, dim=None, **named):
    """Coefficients in the order of their frequencies, along `dim` or all dimensions: the first one comes to the middle.

    The negative frequencies, which `fft` has in the second half, come before it."""
    if named:
        return renamed(OP_fft_fftshift, fft_fftshift, {'input': input, 'dim': dim}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_fftshift, (input, dim), dict())) is not ABSENT:
            return _taken
    try:
        return composite_fft_fftshift(F, input, dim)
    except Exception:
        explain_arguments(OP_fft_fftshift, (input, dim))
        raise


OP_fft_fftshift.function = fft_fftshift


def fft_hfft(input, n=None, dim=-1, norm=None, *, out=None, **named):
    """The transform, which is real, of numbers that come in conjugate pairs; the first `n // 2 + 1` are given."""
    if named:
        return renamed(OP_fft_hfft, fft_hfft, {'input': input, 'n': n, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_hfft, (input, n, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_hfft, composite_fft_hfft, F, (input, n, dim, norm), dict())
    if out is not None:
        OP_fft_hfft.refuses_out(out)
    if out is not None:
        return into(out, 'fft_hfft', uncast(composite_fft_hfft, F, input, n, dim, norm), OP_fft_hfft, (input, n, dim, norm))
    try:
        return composite_fft_hfft(F, input, n, dim, norm)
    except Exception:
        explain_arguments(OP_fft_hfft, (input, n, dim, norm))
        raise


OP_fft_hfft.function = fft_hfft


def fft_hfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, **named):
    """`hfftn` along the last two dimensions."""
    if named:
        return renamed(OP_fft_hfft2, fft_hfft2, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_hfft2, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        OP_fft_hfft2.refuses_out(out)
    if out is not None:
        return into(out, 'fft_hfft2', composite_fft_hfft2(F, input, s, dim, norm), OP_fft_hfft2, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_hfft2, (input, s, dim, norm))
        return composite_fft_hfft2(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_hfft2, (input, s, dim, norm))
        raise


OP_fft_hfft2.function = fft_hfft2


def fft_hfftn(input, s=None, dim=None, norm=None, *, out=None, **named):
    """The transform, which is real, along several dimensions, of numbers of which half are given along the last."""
    if named:
        return renamed(OP_fft_hfftn, fft_hfftn, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_hfftn, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        OP_fft_hfftn.refuses_out(out)
    if out is not None:
        return into(out, 'fft_hfftn', composite_fft_hfftn(F, input, s, dim, norm), OP_fft_hfftn, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_hfftn, (input, s, dim, norm))
        return composite_fft_hfftn(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_hfftn, (input, s, dim, norm))
        raise


OP_fft_hfftn.function = fft_hfftn


def fft_ifft(input, n=None, dim=-1, norm=None, *, out=None, **named):
    """The inverse of `fft`."""
    if named:
        return renamed(OP_fft_ifft, fft_ifft, {'input': input, 'n': n, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_ifft, (input, n, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_ifft, composite_fft_ifft, F, (input, n, dim, norm), dict())
    if out is not None:
        OP_fft_ifft.refuses_out(out)
    if out is not None:
        return into(out, 'fft_ifft', uncast(composite_fft_ifft, F, input, n, dim, norm), OP_fft_ifft, (input, n, dim, norm))
    try:
        return composite_fft_ifft(F, input, n, dim, norm)
    except Exception:
        explain_arguments(OP_fft_ifft, (input, n, dim, norm))
        raise


OP_fft_ifft.function = fft_ifft


def fft_ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, **named):
    """`ifftn` along the last two dimensions."""
    if named:
        return renamed(OP_fft_ifft2, fft_ifft2, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_ifft2, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_ifft2, composite_fft_ifft2, F, (input, s, dim, norm), dict())
    if out is not None:
        OP_fft_ifft2.refuses_out(out)
    if out is not None:
        return into(out, 'fft_ifft2', uncast(composite_fft_ifft2, F, input, s, dim, norm), OP_fft_ifft2, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_ifft2, (input, s, dim, norm))
        return composite_fft_ifft2(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_ifft2, (input, s, dim, norm))
        raise


OP_fft_ifft2.function = fft_ifft2


def fft_ifftn(input, s=None, dim=None, norm=None, *, out=None, **named):
    """The inverse of `fftn`."""
    if named:
        return renamed(OP_fft_ifftn, fft_ifftn, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_ifftn, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_ifftn, composite_fft_ifftn, F, (input, s, dim, norm), dict())
    if out is not None:
        OP_fft_ifftn.refuses_out(out)
    if out is not None:
        return into(out, 'fft_ifftn', uncast(composite_fft_ifftn, F, input, s, dim, norm), OP_fft_ifftn, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_ifftn, (input, s, dim, norm))
        return composite_fft_ifftn(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_ifftn, (input, s, dim, norm))
        raise


OP_fft_ifftn.function = fft_ifftn


def fft_ifftshift(input, dim=None, **named):
    """The inverse of `fftshift`."""
    if named:
        return renamed(OP_fft_ifftshift, fft_ifftshift, {'input': input, 'dim': dim}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_ifftshift, (input, dim), dict())) is not ABSENT:
            return _taken
    try:
        return composite_fft_ifftshift(F, input, dim)
    except Exception:
        explain_arguments(OP_fft_ifftshift, (input, dim))
        raise


OP_fft_ifftshift.function = fft_ifftshift


def fft_ihfft(input, n=None, dim=-1, norm=None, *, out=None, **named):
    """The inverse of `hfft`: the first `n // 2 + 1` of `n` numbers."""
    if named:
        return renamed(OP_fft_ihfft, fft_ihfft, {'input': input, 'n': n, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_ihfft, (input, n, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_ihfft, composite_fft_ihfft, F, (input, n, dim, norm), dict())
    if out is not None:
        OP_fft_ihfft.refuses_out(out)
    if out is not None:
        return into(out, 'fft_ihfft', uncast(composite_fft_ihfft, F, input, n, dim, norm), OP_fft_ihfft, (input, n, dim, norm))
    try:
        return composite_fft_ihfft(F, input, n, dim, norm)
    except Exception:
        explain_arguments(OP_fft_ihfft, (input, n, dim, norm))
        raise


OP_fft_ihfft.function = fft_ihfft


def fft_ihfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, **named):
    """`ihfftn` along the last two dimensions."""
    if named:
        return renamed(OP_fft_ihfft2, fft_ihfft2, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_ihfft2, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        OP_fft_ihfft2.refuses_out(out)
    if out is not None:
        return into(out, 'fft_ihfft2', composite_fft_ihfft2(F, input, s, dim, norm), OP_fft_ihfft2, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_ihfft2, (input, s, dim, norm))
        return composite_fft_ihfft2(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_ihfft2, (input, s, dim, norm))
        raise


OP_fft_ihfft2.function = fft_ihfft2


def fft_ihfftn(input, s=None, dim=None, norm=None, *, out=None, **named):
    """The inverse of `hfftn`."""
    if named:
        return renamed(OP_fft_ihfftn, fft_ihfftn, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_ihfftn, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        OP_fft_ihfftn.refuses_out(out)
    if out is not None:
        return into(out, 'fft_ihfftn', composite_fft_ihfftn(F, input, s, dim, norm), OP_fft_ihfftn, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_ihfftn, (input, s, dim, norm))
        return composite_fft_ihfftn(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_ihfftn, (input, s, dim, norm))
        raise


OP_fft_ihfftn.function = fft_ihfftn


def fft_irfft(input, n=None, dim=-1, norm=None, *, out=None, **named):
    """The inverse of `rfft`: `n` real numbers, `2 * (size - 1)` unless `n` is given."""
    if named:
        return renamed(OP_fft_irfft, fft_irfft, {'input': input, 'n': n, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_irfft, (input, n, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_irfft, composite_fft_irfft, F, (input, n, dim, norm), dict())
    if out is not None:
        OP_fft_irfft.refuses_out(out)
    if out is not None:
        return into(out, 'fft_irfft', uncast(composite_fft_irfft, F, input, n, dim, norm), OP_fft_irfft, (input, n, dim, norm))
    try:
        return composite_fft_irfft(F, input, n, dim, norm)
    except Exception:
        explain_arguments(OP_fft_irfft, (input, n, dim, norm))
        raise


OP_fft_irfft.function = fft_irfft


def fft_irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, **named):
    """`irfftn` along the last two dimensions."""
    if named:
        return renamed(OP_fft_irfft2, fft_irfft2, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_irfft2, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_irfft2, composite_fft_irfft2, F, (input, s, dim, norm), dict())
    if out is not None:
        OP_fft_irfft2.refuses_out(out)
    if out is not None:
        return into(out, 'fft_irfft2', uncast(composite_fft_irfft2, F, input, s, dim, norm), OP_fft_irfft2, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_irfft2, (input, s, dim, norm))
        return composite_fft_irfft2(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_irfft2, (input, s, dim, norm))
        raise


OP_fft_irfft2.function = fft_irfft2


def fft_irfftn(input, s=None, dim=None, norm=None, *, out=None, **named):
    """The inverse of `rfftn`; the last size is `2 * (size - 1)` unless `s` says otherwise."""
    if named:
        return renamed(OP_fft_irfftn, fft_irfftn, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_irfftn, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_irfftn, composite_fft_irfftn, F, (input, s, dim, norm), dict())
    if out is not None:
        OP_fft_irfftn.refuses_out(out)
    if out is not None:
        return into(out, 'fft_irfftn', uncast(composite_fft_irfftn, F, input, s, dim, norm), OP_fft_irfftn, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_irfftn, (input, s, dim, norm))
        return composite_fft_irfftn(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_irfftn, (input, s, dim, norm))
        raise


OP_fft_irfftn.function = fft_irfftn


def fft_pairs_backward(F, node, saved, g, edges):
    dim, size, factor = node.params
    return (F.fft_pairs(g, dim, size, factor),)


class FftPairsBackward0(Node):
    op = OPS['fft_pairs']
    saves = ()
    parameters = ('dim', 'size', 'factor')
    backward = staticmethod(fft_pairs_backward)
    backward_complex = staticmethod(fft_pairs_backward)


new_FftPairsBackward0 = maker_of(FftPairsBackward0)


OP_fft_pairs.nodes = (FftPairsBackward0,)


OP_fft_pairs.select_node = lambda input, dim, size, factor: FftPairsBackward0


def fft_pairs(input, dim, size, factor):
    """Half the coefficients of `size` real numbers along `dim`, those whose partners are left out times `factor`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_scaled_pairs(input_array, dim, size, factor)
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
                    _node = new_FftPairsBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (dim, size, factor)
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
    return general(OP_fft_pairs, (input, dim, size, factor))


OP_fft_pairs.function = fft_pairs


def fft_r2c_backward(F, node, saved, g, edges):
    input_shape, dim, normalization, onesided = node.params
    return (derivative_fft_r2c_input(F, g, input_shape, dim, normalization, onesided),)


class FftR2CBackward0(Node):
    op = OPS['fft_r2c']
    saves = ()
    parameters = ('input_shape', 'dim', 'normalization', 'onesided')
    backward = staticmethod(fft_r2c_backward)
    backward_complex = staticmethod(fft_r2c_backward)


new_FftR2CBackward0 = maker_of(FftR2CBackward0)


OP_fft_r2c.nodes = (FftR2CBackward0,)


OP_fft_r2c.select_node = lambda input, dim, normalization, onesided: FftR2CBackward0


def fft_r2c(input, dim, normalization, onesided):
    """The coefficients of real numbers; if `onesided`, half of them along the last of the dimensions."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(IGNORED)
            try:
                _result = xp_fourier_half(input_array, dim, normalization) if onesided else xp_fourier(input_array, dim, normalization)
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
                    _node = new_FftR2CBackward0(None)
                    _node.created = tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._alike is None else input._alike[0], dim, normalization, onesided)
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
    return general(OP_fft_r2c, (input, dim, normalization, onesided))


OP_fft_r2c.function = fft_r2c


def fft_rfft(input, n=None, dim=-1, norm=None, *, out=None, **named):
    """The first `n // 2 + 1` of the coefficients that `fft` has for real numbers: the others are conjugates of them."""
    if named:
        return renamed(OP_fft_rfft, fft_rfft, {'input': input, 'n': n, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_rfft, (input, n, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_rfft, composite_fft_rfft, F, (input, n, dim, norm), dict())
    if out is not None:
        OP_fft_rfft.refuses_out(out)
    if out is not None:
        return into(out, 'fft_rfft', uncast(composite_fft_rfft, F, input, n, dim, norm), OP_fft_rfft, (input, n, dim, norm))
    try:
        return composite_fft_rfft(F, input, n, dim, norm)
    except Exception:
        explain_arguments(OP_fft_rfft, (input, n, dim, norm))
        raise


OP_fft_rfft.function = fft_rfft


def fft_rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None, **named):
    """`rfftn` along the last two dimensions."""
    if named:
        return renamed(OP_fft_rfft2, fft_rfft2, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_rfft2, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_rfft2, composite_fft_rfft2, F, (input, s, dim, norm), dict())
    if out is not None:
        OP_fft_rfft2.refuses_out(out)
    if out is not None:
        return into(out, 'fft_rfft2', uncast(composite_fft_rfft2, F, input, s, dim, norm), OP_fft_rfft2, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_rfft2, (input, s, dim, norm))
        return composite_fft_rfft2(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_rfft2, (input, s, dim, norm))
        raise


OP_fft_rfft2.function = fft_rfft2


def fft_rfftn(input, s=None, dim=None, norm=None, *, out=None, **named):
    """The transform of real numbers along several dimensions, half of it along the last of them."""
    if named:
        return renamed(OP_fft_rfftn, fft_rfftn, {'input': input, 's': s, 'dim': dim, 'norm': norm, 'out': out}, named)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__'):
        if (_taken := taken_over(OP_fft_rfftn, (input, s, dim, norm), dict(), out)) is not ABSENT:
            return _taken
    if out is None and type(get_mode()) is Modes:
        return autocasted(OP_fft_rfftn, composite_fft_rfftn, F, (input, s, dim, norm), dict())
    if out is not None:
        OP_fft_rfftn.refuses_out(out)
    if out is not None:
        return into(out, 'fft_rfftn', uncast(composite_fft_rfftn, F, input, s, dim, norm), OP_fft_rfftn, (input, s, dim, norm))
    try:
        if type(s) in ROWS and not WHOLE.issuperset(map(type, s)):
            input, s, dim, norm = accepted(OP_fft_rfftn, (input, s, dim, norm))
        return composite_fft_rfftn(F, input, s, dim, norm)
    except Exception:
        explain_arguments(OP_fft_rfftn, (input, s, dim, norm))
        raise


OP_fft_rfftn.function = fft_rfftn


def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False):
    """The inverse of `stft`: the signal whose windows come nearest, in least squares, to having the transforms given.

    `length` is that of the signal, whose end `stft` may have left out."""
    if type(n_fft) is not int or n_fft > 0x3FFFFFFF or n_fft < -0x3FFFFFFF or hop_length is not None and (type(hop_length) is not int or hop_length > 0x3FFFFFFF or hop_length < -0x3FFFFFFF) or win_length is not None and (type(win_length) is not int or win_length > 0x3FFFFFFF or win_length < -0x3FFFFFFF) or window is not None and (type(window) not in PLAIN_TYPES) or center is not False and center is not True or normalized is not False and normalized is not True or onesided is not None and (onesided is not False and onesided is not True) or length is not None and (type(length) is not int or length > 0x3FFFFFFF or length < -0x3FFFFFFF) or return_complex is not False and return_complex is not True:
        input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex = accepted(OP_istft, (input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or window is not None and type(window) not in PLAIN_TYPES and hasattr(window, '__torch_function__'):
        if (_taken := taken_over(OP_istft, (input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_istft, (input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex))
    try:
        return composite_istft(F, input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)
    except Exception:
        explain_arguments(OP_istft, (input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex))
        raise


OP_istft.function = istft


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', normalized=False, onesided=None, return_complex=None, align_to_window=None):
    """The Fourier transforms of windows of `n_fft` elements, `hop_length` apart: (batch, frequency, window).

    With `center`, the middle of each window is at a multiple of `hop_length`, and the signal is padded by half a window
    for that. Real signals have half a spectrum unless `onesided` is False."""
    if type(n_fft) is not int or n_fft > 0x3FFFFFFF or n_fft < -0x3FFFFFFF or hop_length is not None and (type(hop_length) is not int or hop_length > 0x3FFFFFFF or hop_length < -0x3FFFFFFF) or win_length is not None and (type(win_length) is not int or win_length > 0x3FFFFFFF or win_length < -0x3FFFFFFF) or window is not None and (type(window) not in PLAIN_TYPES) or center is not False and center is not True or type(pad_mode) is not str or normalized is not False and normalized is not True or onesided is not None and (onesided is not False and onesided is not True) or return_complex is not None and (return_complex is not False and return_complex is not True) or align_to_window is not None and (align_to_window is not False and align_to_window is not True):
        input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window = accepted(OP_stft, (input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window))
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or window is not None and type(window) not in PLAIN_TYPES and hasattr(window, '__torch_function__'):
        if (_taken := taken_over(OP_stft, (input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_stft, (input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window))
    if type(get_mode()) is Modes:
        return autocasted(OP_stft, composite_stft, F, (input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window), dict())
    try:
        return composite_stft(F, input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window)
    except Exception:
        explain_arguments(OP_stft, (input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window))
        raise


OP_stft.function = stft


show_saved(('dim', 'factor', 'forward', 'last_dim_size', 'normalization', 'onesided', 'self_sym_sizes', 'size'))


show_arguments(fft_fft, fft_fft2, fft_fftn, fft_fftshift, fft_hfft, fft_hfft2, fft_hfftn, fft_ifft, fft_ifft2, fft_ifftn, fft_ifftshift, fft_ihfft, fft_ihfft2, fft_ihfftn, fft_irfft, fft_irfft2, fft_irfftn, fft_rfft, fft_rfft2, fft_rfftn)
