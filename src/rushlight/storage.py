"""`torch.storage`: memory as programs see it, with and without a dtype."""

from io import BytesIO

from rushlight.core.dtype import STORAGE_NAMES
from rushlight.memory.typed_storage import WARNING, LegacyStorage, TypedStorage
from rushlight.memory.untyped_storage import UntypedStorage
from rushlight.serialization import load

__all__ = ["TypedStorage", "UntypedStorage"]
_LegacyStorage = LegacyStorage


def _load_from_bytes(b: bytes) -> TypedStorage | UntypedStorage:
    """The storage that a pickle of PyTorch holds as the bytes of a checkpoint of its own."""
    return load(BytesIO(b), weights_only=False)


def _dtype_to_storage_type_map() -> dict:
    """The dtypes that have a storage type, with its name."""
    return dict(STORAGE_NAMES)


def _get_always_warn_typed_storage_removal() -> bool:
    """Whether the deprecation of TypedStorage is told at each use."""
    return WARNING.always


def _set_always_warn_typed_storage_removal(always_warn: bool) -> None:
    """Tells the deprecation of TypedStorage at each use, or at the first only."""
    WARNING.always = always_warn


def _reset_warn_typed_storage_removal() -> None:
    """Tells the deprecation of TypedStorage once more."""
    WARNING.issued = False
