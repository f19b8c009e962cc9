"""The former package functorch: `import functorch` gives this module where `import torch` gives rushlight."""

from rushlight._functorch.deprecated import (
    combine_state_for_ensemble,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    make_functional,
    make_functional_with_buffers,
    vjp,
    vmap,
)
from rushlight._functorch.make_functional import FunctionalModule, FunctionalModuleWithBuffers
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.version import TORCH_VERSION as __version__

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "__version__", "combine_state_for_ensemble", "functionalize",
    "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers",
    "make_fx", "vjp", "vmap",
]  # fmt: skip
