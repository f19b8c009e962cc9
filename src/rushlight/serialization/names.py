"""PyTorch's names in a checkpoint: the object of each name, and the allow-list of the restricted unpickler.

`ALLOWED` is the list that `load(weights_only=True)` accepts by default.
https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable

from rushlight._library import wrappers
from rushlight.core.device import device
from rushlight.core.dtype import ALL, STORAGE_NAMES, int8, int32, uint8
from rushlight.core.generator import Generator
from rushlight.core.size import Size
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create import legacy
from rushlight.memory.typed_storage import TypedStorage
from rushlight.memory.untyped_storage import UntypedStorage
from rushlight.serialization import rebuild
from rushlight.serialization.options import OPTIONS
from rushlight.serialization.rebuild import StorageType

ROOT = __name__.partition(".")[0]

STORAGE_TYPES = {dtype: StorageType(dtype) for dtype in STORAGE_NAMES}
STORAGES_BY_NAME = {name: STORAGE_TYPES[dtype] for dtype, name in STORAGE_NAMES.items()}
LEGACY_TENSORS = (
    legacy.BFloat16Tensor, legacy.BoolTensor, legacy.ByteTensor, legacy.CharTensor, legacy.DoubleTensor,
    legacy.FloatTensor, legacy.HalfTensor, legacy.IntTensor, legacy.LongTensor, legacy.ShortTensor,
)  # fmt: skip

REBUILD_NAMES = {
    "torch._utils._rebuild_tensor": rebuild.tensor_v1,
    "torch._utils._rebuild_tensor_v2": rebuild.tensor_v2,
    "torch._utils._rebuild_tensor_v3": rebuild.tensor_v3,
    "torch._utils._rebuild_meta_tensor_no_storage": rebuild.meta_tensor,
    "torch._utils._rebuild_device_tensor_from_cpu_tensor": rebuild.tensor_of_device,
    "torch._utils._rebuild_sparse_tensor": rebuild.sparse_tensor,
    "torch._utils._rebuild_sparse_csr_tensor": rebuild.sparse_csr_tensor,
    "torch._utils._rebuild_wrapper_subclass": wrappers.rebuilt,
    "torch._utils._rebuild_parameter": rebuild.parameter,
    "torch._utils._rebuild_parameter_with_state": rebuild.parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": rebuild.from_type,
    "torch.serialization._get_layout": rebuild.layout,
}
# Names used only by tensors of kinds that rushlight lacks: they are listed, and the rest of the file can be read.
SCHEMES = ("per_tensor_affine", "per_channel_affine", "per_tensor_symmetric", "per_channel_symmetric",
           "per_channel_affine_float_qparams")  # fmt: skip
UNREADABLE_NAMES = {
    "torch._utils._rebuild_qtensor": rebuild.QUANTIZED,
    "torch._utils._rebuild_nested_tensor": rebuild.NESTED,
    "torch.nested._internal.nested_tensor.NestedTensor": rebuild.NESTED,
    "torch.nested._internal.nested_tensor._rebuild_njt": rebuild.NESTED,
    "torch._dynamo.decorators._DimRange": rebuild.Jagged,
    **{f"torch.{scheme}": rebuild.QUANTIZED for scheme in SCHEMES},
}
QUANTIZED_STORAGES = {
    "QInt8Storage": int8, "QUInt8Storage": uint8, "QInt32Storage": int32, "QUInt4x2Storage": uint8,
    "QUInt2x4Storage": uint8,
}  # fmt: skip
STORAGES_BY_NAME |= {name: StorageType(dtype) for name, dtype in QUANTIZED_STORAGES.items()}
CLASS_NAMES = {
    "torch.Size": Size,
    "torch.Tensor": Tensor,
    "torch.device": device,
    "torch.nn.parameter.Parameter": Parameter,
    "torch.storage.UntypedStorage": UntypedStorage,
    "torch.storage.TypedStorage": TypedStorage,
}
ALLOWED = {
    **REBUILD_NAMES, **CLASS_NAMES, **UNREADABLE_NAMES,
    **{repr(dtype): dtype for dtype in ALL},
    **{f"{path}.{name}": cls for path in ("torch", "torch.cuda") for name, cls in STORAGES_BY_NAME.items()},
    **{f"torch.{cls.__name__}": cls for cls in LEGACY_TENSORS},
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "_codecs.encode": rebuild.encoded,
    "builtins.bytearray": bytearray,
    "builtins.set": set,
    "builtins.complex": complex,
}  # fmt: skip

# The callable entries, and the function that is called: the plain class where that is safe.
CALLED = {
    **{id(function): function for function in (*REBUILD_NAMES.values(), *UNREADABLE_NAMES.values())},
    id(Size): rebuild.size, id(device): device, id(OrderedDict): rebuild.ordered_dict, id(Counter): rebuild.counter,
    id(rebuild.encoded): rebuild.encoded, id(bytearray): rebuild.byte_array, id(set): rebuild.set_of,
    id(complex): complex, id(Parameter): rebuild.new_parameter,
}  # fmt: skip

# Names for writing, by the id of the object.
WRITTEN = {id(value): name for name, value in {**REBUILD_NAMES, **CLASS_NAMES, "torch._C.Generator": Generator}.items()}
WRITTEN |= {id(dtype): repr(dtype) for dtype in ALL}
WRITTEN |= {id(STORAGE_TYPES[dtype]): f"torch.{name}" for dtype, name in STORAGE_NAMES.items()}

# Layers that are in another file than in PyTorch.
HOMES = {
    "_WrappedHook": "module",
    "ChannelShuffle": "channelshuffle", "PixelShuffle": "pixelshuffle", "PixelUnshuffle": "pixelshuffle",
    "MultiheadAttention": "activation", "NonDynamicallyQuantizableLinear": "linear", "LinearCrossEntropyLoss": "loss",
    **dict.fromkeys(("RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"), "rnn"),
    "LazyLinear": "linear", "LinearCrossEntropyOptions": "linear_cross_entropy_options",
    **{f"LazyBatchNorm{rank}d": "batchnorm" for rank in (1, 2, 3)},
    **{f"LazyInstanceNorm{rank}d": "instancenorm" for rank in (1, 2, 3)},
    **{f"LazyConv{kind}{rank}d": "conv" for kind in ("", "Transpose") for rank in (1, 2, 3)},
}  # fmt: skip

# Files that are folders in PyTorch, with their contents.
FOLDERS = {"nn.parallel": "nn.parallel.data_parallel"}

# Optimizers whose `__module__` is the package itself.
OF_OPTIM = ("Adafactor", "Muon")

# One that is available only in its own file here.
ELSEWHERE = {"NonDynamicallyQuantizableLinear": "torch.nn.modules.attention"}

# Modules that may export a function of rushlight, in the order of search.
FUNCTION_PLACES = ("nn.functional", "", "special", "linalg", "fft")
INNER = frozenset(
    (
        "_generated",
        "arrays",
        "autograd",
        "core",
        "create",
        "declarations",
        "dispatch",
        "memory",
        "_missing",
        "serialization",
    )
)


def written_name(value) -> tuple[str, str] | None:
    """Returns the module and name under which PyTorch finds `value`; None if it is not part of rushlight."""
    path = WRITTEN.get(id(value))
    if path is not None:
        parent, _, last = path.rpartition(".")
        return parent, last
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or "<" in name:
        return None  # also for local functions: pickle raises that they cannot be found
    first, _, rest = module.partition(".")
    if first == "torch":
        return module, name
    if first != ROOT:
        return None
    if name in HOMES and rest.startswith("nn.modules."):
        return f"torch.nn.modules.{HOMES[name]}", name
    if name in OF_OPTIM and rest.startswith("optim."):
        return "torch.optim", name
    if rest.startswith("optim.lr_scheduler."):
        return "torch.optim.lr_scheduler", name
    if rest.partition(".")[0] not in INNER and not rest.startswith("nn.functional."):
        return f"torch.{FOLDERS.get(rest, rest)}".rstrip("."), name
    modules = [parent for parent in FUNCTION_PLACES if _is_at(parent, name, value)]
    return (f"torch.{modules[0]}".rstrip("."), name) if modules else None


def resolve(module: str, name: str):
    """Returns the object of a PyTorch name. Raises AttributeError or ImportError if there is none."""
    if "Storage" in name and name in STORAGES_BY_NAME:
        return STORAGES_BY_NAME[name]
    if (module, name) == ("torch._C", "Generator"):
        return Generator
    allowed = ALLOWED.get(f"{module}.{name}")
    if allowed is not None:
        return allowed
    # Where PyTorch's function is native, its pickle names a module that only PyTorch has
    path = "torch.nn.functional" if module == "torch._C._nn" else ELSEWHERE.get(name, module)
    try:
        return _within(ROOT + path.removeprefix("torch"), name)
    except (ModuleNotFoundError, AttributeError) as error:
        # Some files have other names than PyTorch's; the package around them has the same names
        for package in (path.rpartition(".")[0], path.rpartition(".")[0].rpartition(".")[0]):
            holder = sys.modules.get(ROOT + package.removeprefix("torch")) if "." in package else None
            if name in getattr(holder, "__dict__", {}):
                return vars(holder)[name]
        error.add_note(f"The checkpoint refers to {module}.{name}, which rushlight does not have.")
        raise


def _within(module: str, name: str):
    holder = importlib.import_module(module)
    for part in name.split("."):
        holder = getattr(holder, part)
    return holder


def is_of_torch(module: str) -> bool:
    """Whether a module name is one of PyTorch's."""
    return module == "torch" or module.startswith("torch.")


def _is_at(path: str, name: str, value) -> bool:
    module = sys.modules.get(f"{ROOT}.{path}".rstrip("."))
    return module is not None and vars(module).get(name) is value


def named_safe_globals() -> dict[str, Callable]:
    """Returns the added entries, by their name in a file.

    Raises ValueError or TypeError for an entry that is not a function, class or pair.
    """
    names = {}
    for entry in OPTIONS.safe_globals:
        if not isinstance(entry, tuple):
            names[".".join(written_name(entry) or (entry.__module__, entry.__qualname__))] = entry
            continue
        if len(entry) != 2:
            raise ValueError(
                f"Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {len(entry)}"
            )
        if type(entry[1]) is not str:
            raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(entry[1])}")
        names[entry[1]] = entry[0]
    return names
