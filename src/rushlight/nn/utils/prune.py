"""Pruning: a parameter times a mask of zeros and ones, recomputed before each call.

The parameter becomes `<name>_orig`, the mask the buffer `<name>_mask`, and `<name>` their product. Methods select the
elements to prune: at random or the smallest, single ones or whole channels, of one tensor or of several together.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from numbers import Integral, Real

from rushlight._generated import functions
from rushlight.core.tensor import Tensor
from rushlight.create.filled import ones_like, zeros_like
from rushlight.create.random import rand, rand_like

from .convert_parameters import parameters_to_vector


class BasePruningMethod(ABC):
    """A pruning method, and the hook that prunes a parameter by it before each call of its module.

    A subclass sets `PRUNING_TYPE`: "unstructured" methods prune among the remaining elements, "structured" ones among
    the remaining channels along `dim`, "global" ones among all elements.
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module, inputs) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns `default_mask` with zeros for the elements of `t` to prune."""

    def apply_mask(self, module) -> Tensor:
        """Returns the original parameter times the mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name: str, *args, importance_scores: Tensor | None = None, **kwargs):
        """Prunes a parameter, in addition to earlier methods; returns the hook.

        `importance_scores`, of the parameter's shape, are ranked instead of its elements.
        """
        method = cls(*args, **kwargs)
        method._tensor_name = name
        earlier = _hook_on(module, name)
        value = getattr(module, name)
        scores = value if importance_scores is None else importance_scores
        if scores.shape != value.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got {scores.shape} vs "
                f"{value.shape}"
            )
        if earlier is None:
            mask = method.compute_mask(scores, default_mask=ones_like(value))
            module.register_parameter(f"{name}_orig", value)
            del module._parameters[name]
        else:
            number, hook = earlier
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            method = container
            mask = method.compute_mask(scores, default_mask=getattr(module, f"{name}_mask").detach().clone())
            del module._forward_pre_hooks[number]
        module.register_buffer(f"{name}_mask", mask)
        method(module, ())
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """Returns `t` pruned, without a module."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        return t * self.compute_mask(scores, default_mask=ones_like(t) if default_mask is None else default_mask)

    def remove(self, module) -> None:
        """Makes the pruned values the parameter."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        original.data = weight.detach()
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


def _hook_on(module, name):
    """Returns (id, hook) of the pruning of a parameter; None if it is not pruned."""
    matches = [
        (number, hook)
        for number, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]
    if len(matches) > 1:
        raise AssertionError(
            f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer."
        )
    return matches[0] if matches else None


class PruningContainer(BasePruningMethod):
    """Several methods on one parameter: each prunes what the earlier ones left."""

    def __init__(self, *args) -> None:
        self._pruning_methods: tuple = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method) -> None:
        """Adds a method for the same parameter."""
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask with further zeros from the last method."""
        method = self._pruning_methods[-1]
        remaining = _rest_for(method, t, default_mask)
        mask = default_mask.to(dtype=t.dtype)
        mask = mask.clone() if mask is default_mask else mask
        mask[remaining] = method.compute_mask(t[remaining], default_mask=default_mask[remaining]).to(dtype=mask.dtype)
        return mask


def _rest_for(method, t, mask):
    """Returns the index of the part that earlier methods left for a method."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return (slice(None),) * t.dim()
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    if not hasattr(method, "dim"):
        raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.')
    rank = t.dim()
    dim = method.dim + rank if method.dim < 0 else method.dim
    if dim < 0:
        raise IndexError(f"Index is out of bounds for tensor with dimensions {rank}")
    remaining = mask.sum(dim=[axis for axis in range(rank) if axis != dim]) != 0
    return tuple(remaining if axis == dim else slice(None) for axis in range(rank))


# ---- methods


class Identity(BasePruningMethod):
    """Prunes nothing: only creates the mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask as it is."""
        return default_mask

    @classmethod
    def apply(cls, module, name):
        """Adds a mask of ones to a parameter; returns the hook."""
        return super().apply(module, name)


class RandomUnstructured(BasePruningMethod):
    """Prunes random elements: `amount` is their number or their fraction."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask with that many more zeros."""
        count = _count(self.amount, t.numel())
        return _without(default_mask, rand_like(t).view(-1).topk(count).indices) if count else default_mask.clone()

    @classmethod
    def apply(cls, module, name, amount):
        """Prunes a parameter; returns the hook."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(BasePruningMethod):
    """Prunes the smallest elements: `amount` is their number or their fraction."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask with zeros for the smallest elements of `t`."""
        count = _count(self.amount, t.numel())
        if not count:
            return default_mask.clone()
        return _without(default_mask, t.abs().view(-1).topk(count, largest=False).indices)

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        """Prunes a parameter; returns the hook."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod):
    """Prunes random channels along `dim`: `amount` is their number or their fraction."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask with zeros for whole channels."""
        size = _channels(t, self.dim)
        count = _count(self.amount, size)
        if not count:
            return default_mask
        drawn = rand(size)
        return _only(default_mask, t, self.dim, drawn > drawn.kthvalue(count).values)

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        """Prunes a parameter; returns the hook."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Prunes the channels along `dim` with the smallest `n`-norms: `amount` is their number or their fraction."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount, n, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the mask with zeros for whole channels."""
        size = _channels(t, self.dim)
        count = _count(self.amount, size)
        channels = _compute_norm(t, self.n, self.dim).topk(size - count).indices
        return _only(default_mask, t, self.dim, channels) if count else default_mask

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        """Prunes a parameter; returns the hook."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Returns the product of both masks."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        """Prunes a parameter; returns the hook."""
        return super().apply(module, name, mask=mask)


def _validate_pruning_amount_init(amount):
    if not isinstance(amount, Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (not isinstance(amount, Integral) and amount > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _compute_nparams_toprune(amount, tensor_size):
    """Returns the number of elements of `tensor_size` that an amount means."""
    return amount if isinstance(amount, Integral) else round(amount * tensor_size)


def _validate_pruning_amount(amount, tensor_size):
    if isinstance(amount, Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _count(amount, size):
    """Returns the number of elements of `size` that an amount means, checked."""
    count = _compute_nparams_toprune(amount, size)
    _validate_pruning_amount(count, size)
    return count


def _validate_structured_pruning(t):
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )


def _validate_pruning_dim(t, dim):
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _channels(t, dim):
    """Returns the number of channels along `dim`, checked."""
    _validate_structured_pruning(t)
    _validate_pruning_dim(t, dim)
    return t.shape[dim]


def _compute_norm(t, n, dim):
    """Returns the `n`-norm of each channel along `dim`."""
    return functions.norm(t, n, [axis for axis in range(t.dim()) if axis != dim % t.dim()])


def _without(mask, indices):
    result = mask.clone().view(-1)
    result[indices] = 0
    return result.view(mask.shape)


def _only(mask, t, dim, channels):
    """Returns the mask restricted to the channels `channels`."""
    result = zeros_like(t)
    index = [slice(None)] * t.dim()
    index[dim] = channels
    result[tuple(index)] = 1
    return result * mask.to(dtype=result.dtype)


# ---- functions


def identity(module, name: str):
    """Adds a mask of ones to a parameter; returns the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name: str, amount):
    """Prunes random elements of a parameter, `amount` their number or fraction; returns the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name: str, amount, importance_scores: Tensor | None = None):
    """Prunes the smallest elements of a parameter, `amount` their number or fraction; returns the module.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import prune
    >>> layer = prune.l1_unstructured(torch.nn.Linear(2, 3), "weight", amount=2)
    >>> int((layer.weight == 0).sum()), sorted(layer.state_dict())
    (2, ['bias', 'weight_mask', 'weight_orig'])
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name: str, amount, dim: int):
    """Prunes random channels of a parameter along `dim`, `amount` their number or fraction; returns the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name: str, amount, n, dim: int, importance_scores: Tensor | None = None):
    """Prunes channels along `dim` with smallest `n`-norms, `amount` their number or fraction; returns the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters, pruning_method, importance_scores: dict | None = None, **kwargs) -> None:
    """Prunes several parameters, given as (module, name), together by an unstructured method."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if not isinstance(importance_scores, dict | None):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters, scores = list(parameters), importance_scores or {}
    values = [getattr(module, name) for module, name in parameters]
    matters = parameters_to_vector([scores.get(key, own) for key, own in zip(parameters, values, strict=True)])
    masks = [
        getattr(module, f"{name}_mask", ones_like(own)) for (module, name), own in zip(parameters, values, strict=True)
    ]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of '
            f"type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    mask = PruningContainer(method).compute_mask(matters, parameters_to_vector(masks))
    for (module, name), part in zip(parameters, mask.split([own.numel() for own in values]), strict=True):
        custom_from_mask(module, name, mask=part.view(getattr(module, name).shape))


def custom_from_mask(module, name: str, mask: Tensor):
    """Prunes a parameter where `mask` is 0; returns the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module, name: str):
    """Makes the pruned values of a parameter the parameter; returns the module."""
    entry = _hook_on(module, name)
    if entry is None:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    number, hook = entry
    hook.remove(module)
    del module._forward_pre_hooks[number]
    return module


def is_pruned(module) -> bool:
    """Whether a parameter of a module, or of a submodule, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for submodule in module.modules()
        for hook in submodule._forward_pre_hooks.values()
    )
