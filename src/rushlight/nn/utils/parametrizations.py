"""Common parametrizations: orthogonal matrices, weight normalization, spectral normalization."""

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.dtype import finfo
from rushlight.core.tensor import Tensor
from rushlight.create.filled import eye, zeros_like
from rushlight.create.random import randn

from .. import functional as F
from ..modules import Module
from .parametrize import register_parametrization
from .spectral_norm import as_matrix, default_dim
from .weight_norm import rescaled

ORTHOGONAL_MAPS = ("matrix_exp", "cayley", "householder")


def is_orthogonal(q: Tensor) -> bool:
    """Whether the columns of matrices are orthonormal, up to the precision of the dtype."""
    rows, columns = q.shape[-2:]
    identity = eye(columns, dtype=q.dtype, device=q.device)
    return functions.allclose(q.mH @ q, identity, atol=10.0 * rows * finfo(q.dtype).eps)


def made_orthogonal(a: Tensor) -> Tensor:
    """Returns the Q of a QR decomposition whose R has a positive diagonal."""
    reflections, factors = functions.geqrf(a)
    q = functions.linalg_householder_product(reflections, factors)
    return q * reflections.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    """Matrices with orthonormal columns, or rows if they are wider than tall, as functions of unconstrained matrices.

    With a base, the result is the base times the map of the unconstrained matrix, which starts where the map is the
    identity (Lezcano-Casado, "Trivializations for gradient-based optimization on manifolds", 2019).
    """

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        wide = X.size(-2) < X.size(-1)
        free = X.mT if wide else X
        q = _reflected(free) if self.orthogonal_map == "householder" else _rotated(free, self.orthogonal_map)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if wide else q

    @no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        """Returns the unconstrained matrix for orthogonal `Q`; with a base, other matrices are orthogonalized first."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if wide else Q
        if hasattr(self, "base"):
            self.base = _square_base(tall)
            free = zeros_like(Q)
            free.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return free
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        free, factors = functions.geqrf(tall)
        # Only the signs of R's diagonal matter for Q; a column without a reflection has the opposite sign.
        diagonal = free.diagonal(dim1=-2, dim2=-1)
        diagonal.copy_(functions.where(factors == 0, -diagonal.sign(), diagonal.sign()))
        return free.mT if wide else free


def _rotated(free, orthogonal_map):
    """Returns the exponential or Cayley transform of the skew part of a lower triangle, cut to its columns."""
    rows, columns = free.shape[-2:]
    lower = free.tril()
    if rows != columns:
        lower = functions.cat([lower, lower.new_zeros((*lower.shape[:-2], rows, rows - columns))], -1)
    skew = lower - lower.mH
    if orthogonal_map == "matrix_exp":
        return functions.linalg_matrix_exp(skew)[..., :columns]
    identity = eye(rows, dtype=skew.dtype, device=skew.device)
    return functions.linalg_solve(identity - 0.5 * skew, identity + 0.5 * skew)[..., :columns]


def _reflected(free):
    """Returns the product of the Householder reflections below the diagonal, with the signs on the diagonal."""
    below = free.tril(-1)
    factors = 2.0 / (1.0 + (below * below).sum(-2))
    q = functions.linalg_householder_product(below, factors)
    return q * free.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)


def _square_base(tall):
    """Returns a square orthogonal matrix whose first columns are those of `tall`, orthogonalized."""
    rows, columns = tall.shape[-2:]
    if rows == columns:
        return tall.clone() if is_orthogonal(tall) else made_orthogonal(tall)
    extra = randn(*tall.shape[:-2], rows, rows - columns, dtype=tall.dtype, device=tall.device)
    return made_orthogonal(functions.cat([tall, extra], -1))


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keeps the columns of a matrix orthonormal, or its rows if it is wider than tall; returns the module.

    `orthogonal_map` is "matrix_exp", "cayley" or "householder"; None selects the first for square and complex matrices,
    otherwise the last. Without `use_trivialization` values can be assigned only with "householder".
    """
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in ORTHOGONAL_MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, parametrization, unsafe=True)


def _tensor_of(module, name):
    value = getattr(module, name, None)
    if not isinstance(value, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return value


class _WeightNorm(Module):
    """A tensor as a function of its norms along all dimensions but `dim`, and of a tensor in its direction."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return rescaled(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the norms of the tensor, and the tensor."""
        return functions.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Splits a tensor into its norms along all dimensions but `dim` and its direction; returns the module.

    Salimans and Kingma, "Weight normalization", 2016. States saved with the deprecated hook can be loaded.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(20, 40))
    >>> layer.parametrizations.weight.original0.shape, layer.parametrizations.weight.original1.shape
    (torch.Size([40, 1]), torch.Size([40, 20]))
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        old = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if all(key in state_dict for key in old):
            for number, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{number}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    """A tensor divided by its largest singular value as a matrix; power iterations in training update the estimate."""

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight, self.dim)
            drawn = [matrix.new_empty(length).normal_(0, 1) for length in matrix.shape]
            for vector, values in zip(("_u", "_v"), drawn, strict=True):
                self.register_buffer(vector, F.normalize(values, dim=0, eps=eps))
            self._power_method(matrix, 15)

    @no_grad()
    def _power_method(self, matrix, n_power_iterations):
        for _ in range(n_power_iterations):
            self._u.copy_(F.normalize(functions.mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(functions.mv(matrix.H, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # The next call updates the buffers, possibly before the backward of this one.
        return weight / functions.vdot(self._u.clone(), functions.mv(matrix, self._v.clone()))

    def right_inverse(self, value: Tensor) -> Tensor:
        """Returns the value itself, which need not be normalized."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divides a tensor by its largest singular value, estimated by power iteration; returns the module.

    `dim` is the output dimension: 1 for transposed convolutions, otherwise 0 (Miyato et al., 2018).
    """
    weight = _tensor_of(module, name)
    dim = default_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
