"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

from rushlight._generated.functions import linalg_cross as cross
from rushlight._generated.functions import linalg_det as det
from rushlight._generated.functions import linalg_inv as inv
from rushlight._generated.functions import linalg_inv_ex as inv_ex
from rushlight._generated.functions import linalg_lu_solve as lu_solve
from rushlight._generated.functions import linalg_multi_dot as multi_dot
from rushlight._generated.functions import linalg_slogdet as slogdet
from rushlight._generated.functions import linalg_solve as solve
from rushlight._generated.functions import linalg_solve_ex as solve_ex
from rushlight._generated.functions import linalg_solve_triangular as solve_triangular
from rushlight._generated.functions import linalg_tensorinv as tensorinv
from rushlight._generated.functions import linalg_tensorsolve as tensorsolve
from rushlight._generated.functions import linalg_vecdot as vecdot
from rushlight._generated.functions import linalg_vector_norm as vector_norm

__all__ = ['cross', 'det', 'inv', 'inv_ex', 'lu_solve', 'multi_dot', 'slogdet', 'solve', 'solve_ex', 'solve_triangular', 'tensorinv', 'tensorsolve', 'vecdot', 'vector_norm']
