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
from rushlight.distributed.account import LOGGER
from rushlight.distributed.algorithms.join import Join, Joinable, JoinHook
from rushlight.distributed.buckets import parts
from rushlight.distributed.coalesced import broadcast_coalesced
from rushlight.optim import SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, Optimizer, RMSprop, Rprop

__all__ = ["ZeroRedundancyOptimizer"]

BY_BUCKET = (Adadelta, Adagrad, Adam, AdamW, Adamax, RMSprop, Rprop, SGD)  # those that PyTorch overlaps with backward


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
    views of one flat tensor per process, which is sent as it is. With `overlap_with_ddp` the steps are those of a hook
    of `ddp_zero_hook`, which also shares the parameters out. Raises TypeError or ValueError for what an optimizer does
    not take.
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
        self.initialized = False
        listed = checked(params)
        Optimizer.__init__(self, listed, defaults)
        Joinable.__init__(self)
        self.process_group = dist.distributed_c10d._get_default_group() if process_group is None else process_group
        self.world_size, self.rank = dist.get_world_size(self.process_group), dist.get_rank(self.process_group)
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._make: Callable[..., Optimizer] = optimizer_class
        self._overlap_with_ddp = overlap_with_ddp
        self._members: list[list[Tensor]] = []  # by a hook, the parameters of each process
        self._gathered: list[dict[str, Any]] = []
        if overlap_with_ddp:
            check_overlap(optimizer_class, parameters_as_bucket_view)
        else:
            self._make_optimizer()
            self._make_flat()
        self.initialized = True

    def _make_optimizer(self) -> None:
        self.optim = self._make(self._shares()[self.rank], **self.defaults)
        copy_options(self.optim.param_groups, self.param_groups)

    # ---- who has what

    def _shares(self) -> list[list[dict[str, Any]]]:
        """Returns the parameter groups of each process; all have all groups, and some groups no parameters."""
        if self._members:
            return [[{**self.param_groups[0], "params": members}] for members in self._members]
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
        """Adds parameters, and gives them out. Raises RuntimeError with `overlap_with_ddp`."""
        if self.initialized and self._overlap_with_ddp:
            raise RuntimeError(
                "ZeroRedundancyOptimizer with `overlap_with_ddp=True` only supports a single parameter group"
            )
        super().add_param_group(param_group)
        if self.initialized:
            self.optim.add_param_group(self._shares()[self.rank][-1])
            self._make_flat()

    # ---- steps

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Updates this process's share, and takes over the shares of the others; nothing with `overlap_with_ddp`."""
        if self._overlap_with_ddp:
            LOGGER.warning("`step()` should not be included in the training loop when `overlap_with_ddp=True`")
            return None
        Join.notify_join_context(self)
        copy_options(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        copy_options(self.optim.param_groups, self.param_groups)
        for rank, flats in enumerate(self._flat):
            broadcast_coalesced(self.process_group, flats or self._parameters_of(rank), rank)
        return loss

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Returns what a process without inputs does."""
        return JoinHook() if self._overlap_with_ddp else StepHook(self)

    @property
    def join_device(self) -> device:
        """The device of the parameters."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """The group that shares the state."""
        return self.process_group

    # ---- steps by a hook of `DistributedDataParallel`

    def _give_out(self, shares: list[tuple[int, list[Tensor]]]) -> list[Tensor]:
        """Gives parameters to processes, (rank, parameters); returns the flat tensors that they become views of.

        Raises RuntimeError if there are several groups of parameters, ValueError for unknown parameters.
        """
        if len(self.param_groups) != 1:
            raise RuntimeError("Specifying `params_per_rank` only supports a single parameter group")
        known = set(self._all())
        members_of: list[list[Tensor]] = [[] for _ in range(self.world_size)]
        for rank, parameters in shares:
            if not known.issuperset(parameters):
                raise ValueError(
                    "Passing a new parameter in `params_per_rank` that was not passed into the ZeroRedundancyOptimizer "
                    "constructor"
                )
            members_of[rank] += parameters
        self._members = members_of
        flats = [moved(parameters) for _, parameters in shares]
        self._make_optimizer()
        return flats

    def _step_with(self, gradients: dict[Tensor, Tensor]) -> None:
        """Updates parameters of this process by these gradients, and no others."""
        copy_options(self.param_groups, self.optim.param_groups)
        own = self._members[self.rank]
        before = [parameter.grad for parameter in own]
        try:
            for parameter in own:
                parameter.grad = gradients.get(parameter)
            self.optim.step()
        finally:
            for parameter, gradient in zip(own, before, strict=True):
                parameter.grad = gradient
        copy_options(self.optim.param_groups, self.param_groups)

    def _check_shared_out(self) -> None:
        """Raises RuntimeError if a hook has yet to share the parameters out."""
        if self._overlap_with_ddp and not self._members:
            raise noted(
                RuntimeError(
                    "This method should not be called until this ZeroRedundancyOptimizer instance has been fully "
                    "initialized"
                ),
                "It is from the third backward pass on, the fourth of a static graph.",
            )

    # ---- states

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gathers the state in the process with rank `to`; all processes call it."""
        self._check_shared_out()
        copy_options(self.param_groups, self.optim.param_groups)
        gathered: list[Any] | None = [None] * self.world_size if self.rank == to else None
        own = on_cpu(self.optim.state_dict())
        dist.gather_object(own, gathered, dist.get_global_rank(self.process_group, to), group=self.process_group)
        self._gathered = gathered or []

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of all parameters. Raises RuntimeError unless it was consolidated in this process."""
        self._check_shared_out()
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
        self._check_shared_out()
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


def check_overlap(optimizer_class: type[Optimizer], as_views: bool) -> None:
    """Warns if `parameters_as_bucket_view` is ignored. Raises ValueError if the steps cannot be those of a hook."""
    if optimizer_class not in BY_BUCKET:
        raise ValueError(
            "Using `ddp_with_overlap=True` requires using a functional optimizer, but there is no supported functional "
            f"optimizer equivalent for {optimizer_class}"
        )
    if as_views:
        LOGGER.warning(
            "`parameters_as_bucket_view=True` will be ignored since `overlap_with_ddp=True`; instead, a different "
            "bucketing strategy will be used"
        )


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
