"""`torch.linalg`: decompositions, solvers, norms and products of matrices."""

from rushlight._generated.names_of_linalg import *  # noqa: F403
