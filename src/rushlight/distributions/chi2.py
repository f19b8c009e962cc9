"""The chi-squared distribution."""

from __future__ import annotations

from typing import Any

from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.distributions import constraints
from rushlight.distributions.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of squares of `df` independent standard normal variables: a gamma distribution."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: TensorOrFloat, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self):
        """The degrees of freedom."""
        return self.concentration * 2
