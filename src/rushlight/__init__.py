"""The torch namespace: imports and re-exports, nothing else."""

from functools import partial as _partial
from importlib import import_module as _import_module
from os import environ as _environ

from rushlight.core.gc_pause import paused as _paused

with _paused():
    _import_module("numpy")  # first: its type module takes 20 ms longer when imported from `core.graph`
    _import_module("rushlight.autograd")  # imports nearly everything

from rushlight import autograd, compiler, cuda, random
from rushlight._generated import methods as _methods
from rushlight._generated.names_of_torch import *  # noqa: F403
from rushlight._generated.names_of_torch import LATER as _LATER
from rushlight.arrays.backends import register as _register_backends
from rushlight.autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from rushlight.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from rushlight.autograd.grad_mode import is_grad_enabled, is_inference_mode_enabled
from rushlight._library.first_wrapper import attach as _attach_wrappers
from rushlight.autograd.introspection import attach as _attach_introspection
from rushlight.autograd.methods import attach as _attach_autograd
from rushlight.autograd.methods import detached as detach
from rushlight.lower import attach as _attach_compiler
from rushlight.core.constants import e, inf, nan, newaxis, pi
from rushlight.core.device import device
from rushlight.core.dtype import (
    bfloat16, can_cast, cdouble, cfloat, chalf, complex32, complex64, complex128, double, dtype, finfo, float8_e4m3fn,
    float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float16, float32, float64, get_default_dtype, half, iinfo, int8,
    int16, int32, int64, long, promote_types, set_default_dtype, short, uint8, uint16, uint32, uint64,
)  # fmt: skip
from rushlight.core.dtype import bool as bool
from rushlight.core.dtype import float as float
from rushlight.core.dtype import int as int
from rushlight.core.errors import EXPLAINER as _EXPLAINER
from rushlight.core.formats import CHANNELS_LAST as channels_last
from rushlight.core.formats import CHANNELS_LAST_3D as channels_last_3d
from rushlight.core.formats import CONTIGUOUS as contiguous_format
from rushlight.core.formats import CONTIGUOUS as legacy_contiguous_format
from rushlight.core.formats import PRESERVE as preserve_format
from rushlight.core.formats import memory_format
from rushlight.core.source_lines import NOTING as _NOTING
from rushlight.core.origin import is_ipython as _is_ipython
from rushlight.core.origin import wants_lines as _wants_lines
from rushlight.core.printing import set_printoptions
from rushlight.core.shape_queries import JAGGED as jagged
from rushlight.core.shape_queries import MKLDNN as _mkldnn
from rushlight.core.shape_queries import SPARSE_BSC as sparse_bsc
from rushlight.core.shape_queries import SPARSE_BSR as sparse_bsr
from rushlight.core.shape_queries import SPARSE_COO as sparse_coo
from rushlight.core.shape_queries import SPARSE_CSC as sparse_csc
from rushlight.core.shape_queries import SPARSE_CSR as sparse_csr
from rushlight.core.shape_queries import STRIDED as strided
from rushlight.core.shape_queries import layout
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.dispatch.autocast import (
    clear_autocast_cache, get_autocast_dtype, is_autocast_cache_enabled, is_autocast_enabled,
    set_autocast_cache_enabled, set_autocast_dtype, set_autocast_enabled,
)  # fmt: skip
from rushlight.create.conversion import attach as _attach_conversions
from rushlight.create.filled import (
    empty, empty_like, empty_permuted, empty_strided, eye, full, full_like, is_tensor, ones, ones_like, scalar_tensor,
    zeros, zeros_like,
)  # fmt: skip
from rushlight.create.filled import attach as _attach_creation
from rushlight.create.elements import attach as _attach_elements
from rushlight.create.from_data import as_tensor, asarray, from_dlpack, from_numpy, frombuffer, tensor, to_dlpack
from rushlight.create.legacy import (
    BFloat16Tensor, BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor,
    ShortTensor, set_default_tensor_type,
)  # fmt: skip
from rushlight.create.legacy import attach as _attach_legacy
from rushlight.dispatch.offered_queries import attach as _attach_offered_queries
from rushlight.dispatch.properties import attach as _attach_properties
from rushlight.create.queries import (
    get_default_device, get_device, is_complex, is_conj, is_floating_point, is_inference, is_neg, is_nonzero,
    is_same_size, is_signed, is_warn_always_enabled, numel, result_type, set_default_device, set_warn_always, typename,
)  # fmt: skip
from rushlight.create.queries import _assert as _assert
from rushlight.create.queries import attach as _attach_queries
from rushlight.create.random import attach as _attach_random
from rushlight.create.random_inplace import attach as _attach_random_inplace
from rushlight.create.sparse_methods import attach as _attach_sparse
from rushlight.create.random import (
    bernoulli, binomial, multinomial, normal, poisson, rand, rand_like, randint, randint_like, randn, randn_like,
    randperm,
)  # fmt: skip
from rushlight.create.ranges import arange, linspace, logspace
from rushlight.create.ranges import range as range
from rushlight.memory.pickling import attach as _attach_pickling
from rushlight.memory.tensor_storage import from_file, is_storage, resize_as_
from rushlight.memory.tensor_storage import attach as _attach_storages
from rushlight.create.switches import (
    are_deterministic_algorithms_enabled, get_deterministic_debug_mode, get_float32_matmul_precision,
    is_deterministic_algorithms_warn_only_enabled, set_deterministic_debug_mode, set_float32_matmul_precision,
    set_flush_denormal, use_deterministic_algorithms,
)  # fmt: skip
from rushlight.arrays.threads import (
    get_num_interop_threads, get_num_threads, set_num_interop_threads, set_num_threads,
)  # fmt: skip
from rushlight.create.windows import bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window
from rushlight._missing import INNER_MODULES as _INNER
from rushlight._missing import attach as _attach_missing
from rushlight._missing import attribute_of as _attribute_of
from rushlight._on_first_use import ELSEWHERE as _ELSEWHERE
from rushlight._on_first_use import MODULES as _LAZY
from rushlight._on_first_use import OF_PACKAGES as _OF_PACKAGES
from rushlight.random import (
    Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state,
)  # fmt: skip
from rushlight._standard import attach as _attach_standard
from rushlight.torch_version import TorchVersion as _TorchVersion
from rushlight.version import TORCH_VERSION as _TORCH_VERSION

# Programs read it for the list of functions.
__version__ = _TorchVersion(_TORCH_VERSION)
torch = _import_module(__name__)  # `torch.torch`, as in PyTorch
_register_backends()
for _attach in (
    _methods.attach, _attach_conversions, _attach_pickling, _attach_storages, _attach_creation, _attach_random,
    _attach_random_inplace, _attach_legacy, _attach_properties, _attach_elements, _attach_queries, _attach_autograd,
    _attach_introspection, _attach_standard, _attach_compiler, _attach_sparse,
    _attach_wrappers, _attach_offered_queries,
):  # fmt: skip
    _attach()
cuda.begin()
_attach_missing(__name__)

__getattr__ = _partial(_attribute_of, __name__, _LAZY, _LATER, _ELSEWHERE)
for _name, (_modules, _names) in _OF_PACKAGES.items():
    globals()[_name].__getattr__ = _partial(_attribute_of, f"{__name__}.{_name}", _modules, {}, _names)


if _NOTING:
    _EXPLAINER.explain = lambda about: _import_module("rushlight.explain.error_notes").tell(about)
if _wants_lines():
    _import_module("rushlight.explain").lines()
if _is_ipython():
    _import_module("rushlight.explain.ipython").install()
if _environ.get("RUSHLIGHT_WATCH") == "1":
    _import_module("rushlight.explain.watch").switch_on()


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_LATER, *_ELSEWHERE} - (_INNER - _LAZY))
