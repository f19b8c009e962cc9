"""`Distribution`, the base class: shapes, validation, repr and expansion of batches."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.compiler import first_use
from rushlight.core.annotations import Shape
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.core.traced import every_sample
from rushlight.distributions import constraints
from rushlight.distributions.utils import broadcast_all, lazy_property

__all__ = ["Distribution"]


class Distribution:
    """A batch of distributions with one event shape.

    Samples have the shape `sample_shape + batch_shape + event_shape`. Arguments are checked unless `validate_args` is
    False, Python runs with `-O`, or `torch.compile` was used, which sets the default to False, as PyTorch does.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    # The parameters of a class whose `expand` only expands them.
    _parameter_names: tuple[str, ...] = ()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Sets whether distributions check their arguments if `validate_args` is None."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Size = Size(), event_shape: Size = Size(), validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _broadcast(self, validate_args, **parameters) -> None:
        """Initializes a distribution of scalars: broadcasts the parameters; their shape is the batch shape."""
        values = broadcast_all(*[*parameters.values()])
        for name, value in zip(parameters, values, strict=True):
            setattr(self, name, value)
        Distribution.__init__(self, values[0].shape, validate_args=validate_args)

    def _check_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        for name, constraint in arg_constraints.items():
            derived = name not in vars(self) and isinstance(getattr(type(self), name), lazy_property)
            if not constraints.is_dependent(constraint) and not derived:
                self._check_parameter(name, constraint)

    def _check_parameter(self, name, constraint) -> None:
        value = getattr(self, name)
        if not every_sample(constraint.check(value)).all():
            raise ValueError(
                f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"of distribution {self!r} to satisfy the constraint {constraint!r}, "
                f"but found invalid values:\n{value}"
            )

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        """Returns the distribution for a larger batch, with expanded views of its parameters."""
        owner: Any = next(cls for cls in type(self).__mro__ if "_parameter_names" in vars(cls))
        if owner is Distribution:
            raise NotImplementedError
        new = self._get_checked_instance(owner, _instance)
        for name in owner._parameter_names:
            if name in vars(self):
                value = vars(self)[name]
                setattr(new, name, value.expand((*batch_shape, *value.shape[len(self._batch_shape) :])))
        return new._expanded_from(self, batch_shape)

    def _expanded_from(self, other, batch_shape, event_shape=None):
        """Completes `expand` of another distribution, without validating its parameters."""
        event_shape = other._event_shape if event_shape is None else event_shape
        Distribution.__init__(self, Size(batch_shape), event_shape, validate_args=False)
        self._validate_args = other._validate_args
        return self

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one event."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraint of each parameter."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint of samples."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean of the distribution."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most probable value of the distribution."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance of the distribution."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation of the distribution."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        """Draws samples of shape `sample_shape + batch_shape + event_shape`, without a gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        """Draws samples that are differentiable functions of the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Deprecated: `sample((n,))`."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning, stacklevel=2
        )
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Returns the logarithm of the density, or of the probability, at `value`."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Returns the probability of values up to `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """Returns the quantile of probability `value`: the inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Returns all values of a discrete distribution along dimension 0, in front of the batch dimensions."""
        raise NotImplementedError

    def _along_first(self, values, expand):
        """Returns the values of a support along dimension 0, in front of the batch dimensions."""
        values = values.view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def entropy(self) -> Tensor:
        """Returns the entropy in nats, of the batch's shape."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """Returns `exp(entropy)`, of the batch's shape."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape=Size()) -> Size:
        """Returns the shape of `sample(sample_shape)`."""
        return Size((*iter(sample_shape), *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Tensor) -> None:
        """Raises ValueError unless `value` fits the shapes of the distribution and is in its support."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        self._check_shape(value.shape)
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not every_sample(support.check(value)).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) of the distribution {self!r}, "
                f"but found invalid values:\n{value}"
            )

    def _check_value(self, value) -> None:
        """Raises ValueError for a value outside the support, if arguments are checked."""
        if self._validate_args:
            self._validate_sample(value)

    def _check_shape(self, shape) -> None:
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        expected = self._batch_shape + self._event_shape
        pairs = zip(reversed(shape), reversed(expected), strict=False)
        if any(actual != size and 1 not in (actual, size) for actual, size in pairs):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")

    def __repr__(self) -> str:
        parameters = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        shown = (f"{name}: {value if value.numel() == 1 else value.shape}" for name, value in parameters.items())
        return f"{type(self).__name__}({', '.join(shown)})"


# The checks read elements, at which a compiled function would end.
first_use.then(partial(Distribution.set_default_validate_args, False))
