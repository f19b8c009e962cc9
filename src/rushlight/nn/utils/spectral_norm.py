"""A weight divided by its largest singular value, recomputed before each call: the deprecated hook.

Miyato et al., "Spectral normalization for generative adversarial networks", 2018.
"""

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Parameter, Tensor

from .. import functional as F
from ..modules import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, Module
from ..parameter import UninitializedParameter
from .weight_norm import UNINITIALIZED, hook_of


def default_dim(module: Module) -> int:
    """Returns the output dimension of a weight."""
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """Reshapes a weight to (outputs, remaining elements)."""
    return weight.movedim(dim, 0).flatten(1)


class SpectralNorm:
    """The hook that computes a weight from `<name>_orig` and the singular vectors `<name>_u` and `<name>_v`."""

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """Reshapes a weight to (outputs, remaining elements)."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """Computes the weight, with its graph; a power iteration updates the singular vectors in place."""
        weight, u, v = (getattr(module, self.name + suffix) for suffix in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(functions.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(functions.mv(matrix, v), dim=0, eps=self.eps))
                # The next call updates the buffers, possibly before the backward of this one.
                u, v = u.clone(), v.clone()
        return weight / functions.dot(u, functions.mv(matrix, v))

    def __call__(self, module: Module, inputs) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def mark_version(self, module, state_dict, prefix, local_metadata) -> None:
        """Adds the version to the state's metadata, which determines the tensors it holds."""
        versions = local_metadata.setdefault("spectral_norm", {})
        key = f"{self.name}.version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self._version

    def complete_old_state(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ) -> None:
        """Adds v, computed from the weight, to a state from before version 1."""
        if (local_metadata.get("spectral_norm", {}).get(f"{self.name}.version") or 0) >= 1:
            return
        key = prefix + self.name
        if key not in state_dict and all(key + suffix in state_dict for suffix in ("_orig", "_u", "_v")):
            return
        missing = [key + suffix for suffix in ("_orig", "", "_u") if key + suffix not in state_dict]
        if missing:
            missing_keys += missing if strict else []
            return
        with no_grad():
            original, u = state_dict[f"{key}_orig"], state_dict[f"{key}_u"]
            sigma = (original / state_dict.pop(key)).mean()
            state_dict[f"{key}_v"] = self._solve_v_and_rescale(as_matrix(original, self.dim), u, sigma)

    def _solve_v_and_rescale(self, matrix, u, sigma):
        """Returns the v for which `u @ matrix @ v` is sigma, in the span of the matrix's rows."""
        v = functions.mv(matrix.t().mm(matrix).pinverse(), functions.mv(matrix.t(), u))
        return v.mul_(sigma / functions.dot(u, functions.mv(matrix, v)))


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divides a parameter by its largest singular value, estimated by power iteration; returns the module.

    `dim` is the output dimension: 1 for transposed convolutions, otherwise 0.
    `torch.nn.utils.parametrizations.spectral_norm` does the same without a hook.
    """
    if hook_of(module, SpectralNorm, name) is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    hook = SpectralNorm(name, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    if isinstance(weight, UninitializedParameter):
        raise ValueError(UNINITIALIZED.format("SpectralNorm", "spectral"))
    with no_grad():
        vectors = [
            F.normalize(weight.new_empty(length).normal_(0, 1), dim=0, eps=eps)
            for length in as_matrix(weight, hook.dim).shape
        ]
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())  # not a parameter; the first call computes it
    for suffix, vector in zip(("_u", "_v"), vectors, strict=True):
        module.register_buffer(name + suffix, vector)
    module.register_forward_pre_hook(hook)
    module._register_state_dict_hook(hook.mark_version)
    module._register_load_state_dict_pre_hook(hook.complete_old_state)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Removes `spectral_norm` from a parameter; returns the module."""
    entry = hook_of(module, SpectralNorm, name)
    if entry is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    number, hook = entry
    hook.remove(module)
    del module._forward_pre_hooks[number]
    for hooks in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for key, callback in list(hooks.items()):
            if getattr(getattr(callback, "hook", callback), "__self__", None) is hook:
                del hooks[key]
    return module
