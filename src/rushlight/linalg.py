"""`torch.linalg`: decompositions, solvers, norms and products of matrices."""

from rushlight._generated.names_of_linalg import *  # noqa: F403
from rushlight.core.errors import LinAlgError as LinAlgError
