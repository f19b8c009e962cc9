"""Averages models in groups of different sizes, the larger ones less often."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from rushlight import distributed as dist
from rushlight.distributed.algorithms.model_averaging import utils
from rushlight.distributed.algorithms.model_averaging.averagers import EVERY_STEP, ModelAverager, check_steps

__all__ = ["HierarchicalModelAverager"]


class HierarchicalModelAverager(ModelAverager):
    """Averages in groups of `period_group_size_dict[period]` processes every `period` steps.

    Where several periods end, the longest counts. Raises ValueError unless the last size is that of `process_group`.
    """

    def __init__(
        self,
        period_group_size_dict: Mapping[int, int] | None = None,
        warmup_steps: int = 0,
        process_group: Any = None,
    ) -> None:
        super().__init__(process_group)
        if not period_group_size_dict:
            raise ValueError("Arg ``period_group_size_dict`` must not be empty.")
        periods, sizes = list(period_group_size_dict), list(period_group_size_dict.values())
        if periods[0] <= 0:
            raise ValueError("The minimum period in arg ``period_group_size_dict`` must be a positive value.")
        if periods[-1] == 1:
            said = "When the maximum period in arg ``period_group_size_dict``"
            warnings.warn(EVERY_STEP.format(said), stacklevel=2)
        whole = dist.get_world_size(self.process_group)
        if sizes[-1] != whole:
            raise ValueError(
                f"The last value in arg ``period_group_size_dict`` {sizes[-1]} must be equal to the size of arg "
                f"``process_group`` {whole}."
            )
        check_steps(warmup_steps)
        self.warmup_steps = warmup_steps
        self.period_process_group_dict = {
            period: self.process_group
            if size == whole
            else dist.new_subgroups(group_size=size, group=self.process_group)[0]
            for period, size in period_group_size_dict.items()
        }

    def _find_process_group(self) -> Any:
        """Returns the group that averages at this step, or None."""
        groups = reversed(self.period_process_group_dict.items())
        return next((group for period, group in groups if self.step % period == 0), None)

    def average_parameters(self, params: Any) -> None:
        """Averages parameters, or those of parameter groups, that have gradients, if it is time."""
        if self.step >= self.warmup_steps and (group := self._find_process_group()) is not None:
            utils.average_parameters_or_parameter_groups(params, group)
        self.step += 1
