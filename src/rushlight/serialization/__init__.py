"""torch.serialization: saves and loads checkpoints in PyTorch's format."""

from rushlight.serialization.locations import (
    MAP_LOCATION as MAP_LOCATION,
)
from rushlight.serialization.locations import (
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
)
from rushlight.serialization.module_versions import check_module_version_greater_or_equal
from rushlight.serialization.options import (
    LoadEndianness,
    SourceChangeWarning,
    add_safe_globals,
    clear_safe_globals,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    get_safe_globals,
    safe_globals,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from rushlight.serialization.reading import _is_zipfile as _is_zipfile
from rushlight.serialization.reading import get_unsafe_globals_in_checkpoint, load
from rushlight.serialization.rebuild import StorageType
from rushlight.serialization.writing import DEFAULT_PROTOCOL as DEFAULT_PROTOCOL
from rushlight.serialization.writing import save

__all__ = [
    "LoadEndianness", "SourceChangeWarning", "StorageType", "add_safe_globals", "check_module_version_greater_or_equal",
    "clear_safe_globals", "default_restore_location", "get_crc32_options", "get_default_load_endianness",
    "get_default_mmap_options", "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load", "location_tag",
    "register_package", "safe_globals", "save", "set_crc32_options", "set_default_load_endianness",
    "set_default_mmap_options", "skip_data", "validate_cuda_device",
]  # fmt: skip
