"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

from rushlight._generated.functions import linalg_cross as cross
from rushlight._generated.functions import linalg_multi_dot as multi_dot
from rushlight._generated.functions import linalg_vecdot as vecdot
from rushlight._generated.functions import linalg_vector_norm as vector_norm

__all__ = ['cross', 'multi_dot', 'vecdot', 'vector_norm']
