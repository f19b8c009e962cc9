"""`torch.load`: loads a checkpoint from a path or file, by default with the restricted unpickler."""

from __future__ import annotations

import io
import os
import pickle
import re
import warnings
from contextlib import nullcontext
from typing import Any

from rushlight.core.errors import noted
from rushlight.serialization import contents, restricted
from rushlight.serialization.archive import Archive
from rushlight.serialization.contents import Contents
from rushlight.serialization.legacy import load_legacy
from rushlight.serialization.names import ALLOWED, is_of_torch, named_safe_globals, resolve
from rushlight.serialization.rebuild import NoTensor
from rushlight.serialization.safetensors import load_file
from rushlight.serialization.stored import StoredMemory, is_shared, map_file

UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
DOCUMENTATION = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)
TRUE_WORDS = ("1", "y", "yes", "true")


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Loads the object that `save`, here or in PyTorch, wrote to a path or file.

    With `weights_only`, the default, only tensors, containers and entries of `torch.serialization.add_safe_globals` are
    created, and no code of the file runs. `map_location` sets the device of tensors: a device, its name, a dictionary
    from name to name, or a function of a storage and the name of its device. With `mmap` the file is read lazily as
    memory is accessed, and checksums are not verified.

    Raises pickle.UnpicklingError for names that are not allowed, RuntimeError for a damaged file.

    >>> import io
    >>> import rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'weight': tensor([1., 1.])}
    """
    restrict = _weights_only(weights_only, pickle_module)
    if restrict and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if restrict and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", UserWarning, stacklevel=2)
    if _is_path(f) and os.fsdecode(f).endswith(".safetensors"):
        return load_file(f, device="cpu" if map_location is None else _one_device(map_location))
    _check_seekable(f)
    pickle_load_args.setdefault("encoding", "utf-8")
    unpickler = _careful(pickle_load_args) if restrict else _trusting(pickle_module or pickle, pickle_load_args)
    with open(f, "r+b" if mmap and is_shared() else "rb") if _is_path(f) else nullcontext(f) as file:
        start = file.tell()
        try:
            if _is_zipfile(file):
                return _load_archive(f, file, map_location, unpickler, restrict, mmap)
            if mmap:
                raise _not_mappable(f)
            return load_legacy(file, map_location, unpickler, restrict)
        except NoTensor:
            file.seek(start)
            raise _unreadable(file) from None
        except pickle.UnpicklingError as error:
            if not restrict:
                raise
            file.seek(start)
            raise _refusal(str(error), file) from None


def _unreadable(file) -> RuntimeError:
    """Returns the error for a file with tensors of kinds that rushlight lacks, with their names."""
    unreadable = Contents(*contents.read(file, "meta")).unreadable
    listed = ", ".join(f"{name or 'the object itself'} ({kind})" for name, kind in unreadable.items())
    return noted(
        RuntimeError(f"rushlight has no such tensors as the checkpoint holds: {listed}"),
        "rushlight.inspect(file) lists what is in it beside them. To read the rest here, save it in PyTorch without "
        "them, or as ordinary tensors: q.dequantize(), sparse.to_dense(), nested.to_padded_tensor(0).",
    )


def _refusal(words: str, file) -> pickle.UnpicklingError:
    """Returns the error for a file with disallowed names: PyTorch's text names one, the note all of them."""
    error = pickle.UnpicklingError(_explained(words))
    refused = sorted(_not_allowed_in(Archive(file))) if "Unsupported global" in words and _is_zipfile(file) else []
    if refused:
        error.add_note(
            f"The file refers to these names, which are not allowed: {', '.join(refused)}. "
            "rushlight.inspect(file) lists its contents without running anything."
        )
    return error


def _not_allowed_in(archive: Archive) -> set[str]:
    """Returns the names in a checkpoint that `load(weights_only=True)` does not allow."""
    return restricted.names_in(io.BytesIO(archive.read("data.pkl"))) - ALLOWED.keys() - named_safe_globals().keys()


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """Returns the names in a checkpoint that `load(weights_only=True)` does not allow, without running its code."""
    with open(f, "rb") if _is_path(f) else nullcontext(f) as file:
        if not _is_zipfile(file):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        archive = Archive(file)
        if "constants.pkl" in archive:
            raise ValueError(
                "Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint"
            )
        return list(_not_allowed_in(archive))


def _load_archive(f, file, map_location, unpickler, restrict: bool, mmap):
    archive = Archive(file)
    if "constants.pkl" in archive:
        raise _torchscript(restrict)
    if mmap and not _is_path(f):
        raise ValueError("f must be a file path in order to use the mmap argument")
    memory = StoredMemory(archive, map_location, map_file(file) if mmap else None)
    return unpickler(io.BytesIO(archive.read("data.pkl")), memory).load()


def _careful(options: dict):
    unknown = next((name for name in options if name != "encoding"), None)
    if unknown is not None:
        raise TypeError(f"Unpickler.__init__() got an unexpected keyword argument '{unknown}'")
    return lambda file, persistent_load=None: restricted.Unpickler(file, persistent_load, options["encoding"])


def _trusting(pickle_module, options: dict):
    """Returns the unpickler of trusted files: it imports names, and takes PyTorch's names from rushlight."""

    class Unpickler(pickle_module.Unpickler):
        def find_class(self, module, name):
            return resolve(module, name) if is_of_torch(module) else super().find_class(module, name)

    def unpickler(file, persistent_load=None):
        reader = Unpickler(file, **options)
        if persistent_load is not None:
            reader.persistent_load = persistent_load
        return reader

    return unpickler


def _weights_only(requested: bool | None, pickle_module) -> bool:
    """Whether to use the restricted unpickler: by the argument, else by the environment, else yes."""
    on, off = (
        os.environ.get(f"TORCH_FORCE_{name}WEIGHTS_ONLY_LOAD", "0").lower() in TRUE_WORDS for name in ("", "NO_")
    )
    if on and off:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both "
            "were set."
        )
    if on or requested is not None:
        return on or bool(requested)
    if off:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
            "explicitly passed to `torch.load`, forcing weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        return False
    return pickle_module is None


def _is_path(f) -> bool:
    return isinstance(f, (str, os.PathLike))


def _is_zipfile(file) -> bool:
    start = file.tell()
    head = file.read(4)
    file.seek(start)
    return head == b"PK\x03\x04"


def _check_seekable(f) -> None:
    if _is_path(f):
        return
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        if not isinstance(error, io.UnsupportedOperation) and hasattr(f, "seek") and hasattr(f, "tell"):
            raise
        raise type(error)(
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer "
            "like io.BytesIO and try to load from it instead."
        ) from None


def _one_device(map_location):
    if isinstance(map_location, dict) or callable(map_location):
        form = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading safetensors file with {form} map_location is not supported. Use a device string or torch.device "
            "instead."
        )
    return map_location


def _torchscript(restrict: bool) -> RuntimeError:
    if restrict:
        return RuntimeError(
            f"Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. {UNSAFE}"
        )
    return noted(
        RuntimeError("rushlight cannot run TorchScript archives"),
        "In PyTorch: torch.save(torch.jit.load(file).state_dict(), new_file), and load that here. "
        "rushlight.inspect(file) lists its tensors.",
    )


def _not_mappable(f) -> RuntimeError:
    name = f"{f}, " if isinstance(f, str) else ""
    return RuntimeError(
        f"mmap can only be used with files saved with `torch.save({name}_use_new_zipfile_serialization=True), "
        "please torch.save your checkpoint with this option in order to use mmap."
    )


def _explained(message: str) -> str:
    """Returns PyTorch's text around an error: how to allow the name."""
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", message):
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two options, \033[1mdo those "
            f"steps only if you trust the source of the checkpoint\033[0m. \n\t(1) {UNSAFE}\n\t(2) Alternatively, to "
            "load with `weights_only=True` please check the recommended steps in the following error message.\n"
            f"\tWeightsUnpickler error: {message}{DOCUMENTATION}"
        )
    report = (
        "Please file an issue with the following so that we can make `weights_only=True` compatible with your use "
        "case: WeightsUnpickler error: "
    )
    blocked = re.search(r"whose module (\S+) is blocked", message)
    return f"Weights only load failed. {UNSAFE}\n{'' if blocked else report}\n\n{message}{DOCUMENTATION}"
