"""Each process keeps the optimizer state of a share of the parameters (Rajbhandari et al., 2020).

https://docs.pytorch.org/docs/stable/distributed.optim.html#torch.distributed.optim.ZeroRedundancyOptimizer
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from rushlight import distributed as dist
from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.device import device
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.queries import typename
from rushlight.distributed.algorithms.join import Join, Joinable, JoinHook
from rushlight.distributed.buckets import parts
from rushlight.distributed.coalesced import broadcast_coalesced
from rushlight.optim.optimizer import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class StepHook(JoinHook):
    """Runs the steps of the other processes, which need the parameters of this one."""

    def __init__(self, zero: ZeroRedundancyOptimizer) -> None:
        self.zero = zero

    def main_hook(self) -> None:
        self.zero.step()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """Runs `optimizer_class` on a share of the parameters in each process, and sends the new values to the others.

    The state is spread: `consolidate_state_dict` gathers it in one process, before `state_dict` there. The largest
    parameters are listed out first, each to the process that has least. With `parameters_as_bucket_view` parameters are
    views of one flat tensor per process, which is sent as it is. Raises TypeError or ValueError for what an optimizer
    does not take, and NotImplementedError for `overlap_with_ddp`.
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: type[Optimizer],
        process_group: Any = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer does not support overlap_with_ddp=True.")
        self.initialized = False
        listed = checked(params)
        Optimizer.__init__(self, listed, defaults)
        Joinable.__init__(self)
        self.process_group = dist.distributed_c10d._get_default_group() if process_group is None else process_group
        self.world_size, self.rank = dist.get_world_size(self.process_group), dist.get_rank(self.process_group)
        self.parameters_as_bucket_view = parameters_as_bucket_view
        make: Callable[..., Optimizer] = optimizer_class
        self.optim = make(self._shares()[self.rank], **defaults)
        copy_options(self.optim.param_groups, self.param_groups)
        self._gathered: list[dict[str, Any]] = []
        self._make_flat()
        self.initialized = True

    # ---- who has what

    def _shares(self) -> list[list[dict[str, Any]]]:
        """Returns the parameter groups of each process; all have all groups, and some groups no parameters."""
        sizes = [0] * self.world_size
        shares: list[list[dict[str, Any]]] = [[] for _ in sizes]
        for group in self.param_groups:
            listed: list[list[Tensor]] = [[] for _ in sizes]
            for parameter in sorted(group["params"], key=Tensor.numel, reverse=True):
                rank = sizes.index(min(sizes))
                listed[rank].append(parameter)
                sizes[rank] += parameter.numel()
            for share, members in zip(shares, listed, strict=True):
                share.append({**group, "params": members})
        return shares

    def _parameters_of(self, rank: int) -> list[Tensor]:
        return [parameter for group in self._shares()[rank] for parameter in group["params"]]

    def _make_flat(self) -> None:
        """Moves the parameters of each process into flat tensors, if they are to be views of these."""
        self._flat: list[list[Tensor]] = [[] for _ in range(self.world_size)]
        if not self.parameters_as_bucket_view:
            return
        for rank, flats in enumerate(self._flat):
            kinds: dict[Any, list[Tensor]] = {}
            for parameter in self._parameters_of(rank):
                kinds.setdefault((parameter.dtype, parameter.device), []).append(parameter)
            flats += [moved(parameters) for parameters in kinds.values()]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters, and gives them out."""
        super().add_param_group(param_group)
        if self.initialized:
            self.optim.add_param_group(self._shares()[self.rank][-1])
            self._make_flat()

    # ---- steps

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Updates this process's share, and takes over the shares of the others."""
        Join.notify_join_context(self)
        copy_options(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        copy_options(self.optim.param_groups, self.param_groups)
        for rank, flats in enumerate(self._flat):
            broadcast_coalesced(self.process_group, flats or self._parameters_of(rank), rank)
        return loss

    def join_hook(self, **kwargs: Any) -> StepHook:
        """Returns what a process without inputs does."""
        return StepHook(self)

    @property
    def join_device(self) -> device:
        """The device of the parameters."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """The group that shares the state."""
        return self.process_group

    # ---- states

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gathers the state in the process with rank `to`; all processes call it."""
        copy_options(self.param_groups, self.optim.param_groups)
        gathered: list[Any] | None = [None] * self.world_size if self.rank == to else None
        own = on_cpu(self.optim.state_dict())
        dist.gather_object(own, gathered, dist.get_global_rank(self.process_group, to), group=self.process_group)
        self._gathered = gathered or []

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of all parameters. Raises RuntimeError unless it was consolidated in this process."""
        if not self._gathered:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the global "
                "state."
            )
        numbers = {parameter: number for number, parameter in enumerate(self._all())}
        states: dict[int, Any] = {}
        for share, saved in zip(self._shares(), self._gathered, strict=True):
            own = chain.from_iterable(group["params"] for group in share)
            indices = chain.from_iterable(group["params"] for group in saved["param_groups"])
            states |= {numbers[p]: saved["state"][i] for p, i in zip(own, indices, strict=True) if i in saved["state"]}
        return {**super().state_dict(), "state": dict(sorted(states.items()))}

    def _all(self) -> Iterable[Tensor]:
        return chain.from_iterable(group["params"] for group in self.param_groups)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads this process's share of a whole state."""
        super().load_state_dict({**state_dict, "state": {}})
        own = {id(parameter) for parameter in self._parameters_of(self.rank)}
        order = [id(parameter) for parameter in self._all()]
        numbers = iter(range(len(own)))
        local = {id(p): next(numbers) for group in self.optim.param_groups for p in group["params"]}
        state = {local[order[n]]: value for n, value in state_dict["state"].items() if order[n] in own}
        self.optim.load_state_dict({"state": state, "param_groups": self.optim.state_dict()["param_groups"]})
        copy_options(self.param_groups, self.optim.param_groups)


def copy_options(source: list[dict[str, Any]], target: list[dict[str, Any]]) -> None:
    """Copies the options of parameter groups, such as learning rates."""
    for one, other in zip(source, target, strict=True):
        other.update({name: value for name, value in one.items() if name not in ("params", "param_names")})


def moved(parameters: list[Tensor]) -> Tensor:
    """Makes parameters views of one flat tensor, which it returns."""
    with no_grad():
        flat = F.cat([parameter.detach().reshape(-1) for parameter in parameters])
        for parameter, view in zip(parameters, parts(flat, [each.shape for each in parameters]), strict=True):
            parameter.data = view
    return flat


def on_cpu(value: Any) -> Any:
    """Copies the tensors in lists and dicts to the CPU."""
    if isinstance(value, Tensor):
        return value.cpu()
    if isinstance(value, list | tuple):
        return type(value)(map(on_cpu, value))
    return {name: on_cpu(each) for name, each in value.items()} if isinstance(value, Mapping) else value


def checked(params: Any) -> list[Any]:
    """Returns parameters or parameter groups as a list. Raises TypeError or ValueError for anything else."""
    if isinstance(params, Tensor):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {typename(params)}")
    try:
        listed = list(params)
    except TypeError as error:
        raise TypeError(
            f"`params` argument should be an iterable of Tensors or dicts, but got {typename(params)}"
        ) from error
    if not listed:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if not (all(isinstance(each, Tensor) for each in listed) or all(isinstance(each, dict) for each in listed)):
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    if any(isinstance(each, dict) and "params" not in each for each in listed):
        raise ValueError(
            "Each parameter group passed-in via `params` must have a 'params' key mapping to the parameters in the "
            "group"
        )
    return check_alike(listed)


def check_alike(listed: list[Any]) -> list[Any]:
    """Returns parameters or groups. Raises ValueError if parameters have different dtypes or devices."""
    groups = [list(each["params"]) if isinstance(each, dict) else [each] for each in listed]
    kinds = list(dict.fromkeys(each.type() for each in chain.from_iterable(groups)))
    if len(kinds) > 1:
        raise noted(
            ValueError(
                "ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got both "
                f"{kinds[0]} and {kinds[1]}"
            ),
            "Use one optimizer for each dtype.",
        )
    return [
        {**each, "params": group} if isinstance(each, dict) else each
        for each, group in zip(listed, groups, strict=True)
    ]
