"""`torch.storage`: storages, with and without dtype."""

from io import BytesIO

from rushlight.core.dtype import STORAGE_NAMES
from rushlight.memory.typed_storage import WARNING, LegacyStorage, TypedStorage
from rushlight.memory.untyped_storage import UntypedStorage
from rushlight.serialization import load

__all__ = ["TypedStorage", "UntypedStorage"]
_LegacyStorage = LegacyStorage


def _load_from_bytes(b: bytes) -> TypedStorage | UntypedStorage:
    """Returns the storage that a pickle of PyTorch contains as the bytes of a checkpoint."""
    return load(BytesIO(b), weights_only=False)


def _dtype_to_storage_type_map() -> dict:
    """Maps dtypes to names of storage types."""
    return dict(STORAGE_NAMES)


def _get_always_warn_typed_storage_removal() -> bool:
    """Whether each use of TypedStorage warns of its deprecation."""
    return WARNING.always


def _set_always_warn_typed_storage_removal(always_warn: bool) -> None:
    """Makes each use of TypedStorage warn of its deprecation, or only the first."""
    WARNING.always = always_warn


def _reset_warn_typed_storage_removal() -> None:
    """Makes the next use of TypedStorage warn again."""
    WARNING.issued = False
