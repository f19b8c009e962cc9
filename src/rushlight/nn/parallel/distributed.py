"""`DistributedDataParallel`: several processes train copies of a model on different data, with the average gradient.

https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight import distributed as dist
from rushlight.autograd.grad_mode import is_grad_enabled
from rushlight.core.device import device
from rushlight.core.tensor import Tensor
from rushlight.create.filled import ones, zeros
from rushlight.create.from_data import tensor
from rushlight.distributed.algorithms.join import Join, Joinable, announce
from rushlight.distributed.casting import cast
from rushlight.distributed.coalesced import broadcast_coalesced

from ..modules.batchnorm import SyncBatchNorm
from ..modules.module import Module
from .buffers import BufferHook, HookLocation
from .data_parallel import on_gpu
from .mixed_precision import MixedPrecision as _MixedPrecision
from .mixed_precision import lowered, reduced_in, with_buffers_in
from .reducer import Reducer
from .settings import (
    check_hook,
    check_parameters,
    group_of,
    is_default,
    limits_of,
    refuse_delays,
    which_buffers,
)
from .shadow import ShadowSteps
from .unused import tensors_in as _find_tensors  # noqa: F401  # PyTorch's name, which packages import
from .verification import verify_shapes

__all__ = ["DistributedDataParallel"]

CHECK_REDUCTION = (
    "The `check_reduction` argument in `DistributedDataParallel` module is deprecated. Please avoid using it."
)


class DistributedDataParallel(Module, Joinable):
    """Calls `module`; its backward averages gradients over the processes of a group while it still runs.

    All processes begin with the parameters and buffers of rank 0. Buffers are sent from rank 0 before each forward,
    unless `forward_sync_buffers` is False. Parameters are reduced in buckets of `bucket_cap_mb` MiB; one that gets no
    gradient needs `find_unused_parameters` or `static_graph`. Names in the `state_dict` begin with `module.`.

    Raises RuntimeError if no parameter requires a gradient or if the processes have different models, ValueError
    without a process group.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[int | device] | None = None,
        output_device: int | device | None = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: _MixedPrecision | None = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: list[float] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:
        super().__init__()
        Joinable.__init__(self)
        refuse_delays(delay_all_reduce_named_params, param_to_hook_all_reduce)
        self.process_group = group_of(process_group, device_mesh)
        if device_mesh is not None:
            self.device_mesh = device_mesh
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._module_parameters = [p for n, p in module.named_parameters() if n not in self.parameters_to_ignore]
        self.device_ids, self.output_device = check_parameters(self._module_parameters, device_ids, output_device)
        self.device = self._module_parameters[0].device
        self.device_type = self.device.type
        self.is_multi_device_module = len({p.device for p in self._module_parameters}) > 1
        self.dim = dim
        self.module = module
        self.forward_sync_buffers, init_buffers = which_buffers(broadcast_buffers, forward_sync_buffers)
        if check_reduction:
            warnings.warn(CHECK_REDUCTION, FutureWarning, stacklevel=2)
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.skip_all_reduce_unused_params = skip_all_reduce_unused_params
        self.batched_grad_copy = batched_grad_copy
        self.static_graph = static_graph
        self._limits = limits_of(bucket_cap_mb, bucket_cap_mb_list, static_graph or not find_unused_parameters)
        self.bucket_bytes_cap = int(max(self._limits[1]))
        self._comm_hooks: list[tuple[Callable, object]] = []
        self.mixed_precision = mixed_precision
        self._assign_modules_buffers()
        if init_sync:
            self._begin_alike(init_buffers)
        if mixed_precision is not None:
            with_buffers_in(mixed_precision, self.modules_buffers)
        self._make_reducer()

    def _named_for_reducer(self) -> dict[str, Tensor]:
        """Returns the parameters that get gradients, by name; those that are shared, once."""
        named: dict[str, Tensor] = {}
        for name, parameter in self.module.named_parameters():
            if parameter.requires_grad and name not in self.parameters_to_ignore:
                named[name] = parameter
        return named

    def _begin_alike(self, buffers: bool) -> None:
        """Checks that all processes have the same model, and gives them the values of rank 0."""
        named = self._named_for_reducer()
        verify_shapes(self.process_group, list(named.values()), list(named))
        self._sync_states(0, buffers)

    def _sync_states(self, source: int, buffers: bool) -> None:
        states = list(self._module_parameters) + (self.modules_buffers if buffers else [])
        broadcast_coalesced(self.process_group, states, source)

    def _make_reducer(self) -> None:
        named = self._named_for_reducer()
        self.reducer = Reducer(
            list(named.values()),
            list(named),
            self.process_group,
            limits=self._limits,
            find_unused=self.find_unused_parameters,
            as_views=self.gradient_as_bucket_view,
        )
        self.reducer.static = self.static_graph
        if self.mixed_precision is not None:
            self.reducer.hook = reduced_in(self.mixed_precision, self.process_group)

    # ---- forward

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the module, and expects a backward pass that reduces if gradients are on and `no_sync` is not."""
        announced = announce(self)
        if announced is not None and not self._divide_by_initial_world_size:
            self.reducer.joining = announced
        if is_grad_enabled():
            self.reducer.rebuild()
        if self._syncs_buffers(HookLocation.PRE_FORWARD):
            self._sync_buffers()
        if self._join_config.enable:
            self._tell_whether_backward_syncs(self._syncs_backward())
        if self.device_ids:
            inputs, kwargs = on_gpu(inputs), on_gpu(kwargs)
        output = self._call_module(inputs, kwargs)
        if self._syncs_buffers(HookLocation.POST_FORWARD):
            self._sync_buffers()
        self.require_forward_param_sync = self._syncs_backward()  # the module may have changed it
        if self.require_forward_param_sync:
            self.reducer.begin(output)
        return output

    def _syncs_backward(self) -> bool:
        return is_grad_enabled() and self.require_backward_grad_sync

    def _call_module(self, inputs: Sequence[Any], keywords: dict[str, Any]) -> Any:
        policy = self.mixed_precision
        if policy is None or policy.param_dtype is None:
            return self.module(*inputs, **keywords)
        with lowered(self.module, policy.param_dtype, self.parameters_to_ignore):
            return self.module(*cast(inputs, policy.param_dtype), **cast(keywords, policy.param_dtype))

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Lets gradients accumulate in each process: the next forward and backward outside reduces their sum.

        The forward has to be inside as well.
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    # ---- buffers

    def _assign_modules_buffers(self) -> None:
        """Looks up the buffers, which the module may have replaced."""
        self.named_module_buffers = {
            name: buffer for name, buffer in self.module.named_buffers() if name not in self.parameters_to_ignore
        }
        self.modules_buffers = list(self.named_module_buffers.values())

    @property
    def broadcast_buffers(self) -> bool:
        """The older name of `forward_sync_buffers`."""
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value: bool) -> None:
        self.forward_sync_buffers = value

    def will_sync_module_buffers(self) -> bool:
        """Whether the next forward gives all processes the same buffers."""
        return self.require_forward_param_sync and self.forward_sync_buffers and bool(self.modules_buffers)

    def _syncs_buffers(self, location: HookLocation) -> bool:
        hook = getattr(self, "buffer_hook", None)
        set_for = HookLocation.PRE_FORWARD if hook is None else hook.buffer_comm_hook_location
        return self.will_sync_module_buffers() and set_for is location

    def _sync_buffers(self) -> None:
        source = self._common_rank(True) if self._join_config.enable else 0
        self._assign_modules_buffers()
        self._sync_buffers_from(source)

    def _sync_buffers_from(self, source: int) -> None:
        if (hook := getattr(self, "buffer_hook", None)) is None:
            broadcast_coalesced(self.process_group, self.modules_buffers, source, quietly=True)
        elif (futures := hook.buffer_comm_hook(hook.buffer_comm_hook_state, self.named_module_buffers)) is not None:
            self.reducer.later = list(futures)

    def _register_buffer_comm_hook(
        self, state: Any, hook: Callable, comm_hook_location: HookLocation = HookLocation.POST_FORWARD
    ) -> None:
        """Calls `hook(state, named buffers)` instead of sending the buffers of rank 0."""
        if not callable(hook):
            raise AssertionError(f"hook must be callable, got {type(hook).__name__}")
        self.buffer_hook = BufferHook(hook, state, comm_hook_location)

    # ---- communication hooks

    def register_comm_hook(self, state: object, hook: Callable) -> None:
        """Lets `hook(state, bucket)` reduce the gradients; it returns a future of the bucket's new flat tensor.

        The gradients are not divided beforehand. Raises RuntimeError if there is a hook already, TypeError if it is not
        callable, ValueError if its annotations are not those of a hook.
        """
        check_hook(hook)
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self._comm_hooks.append((hook, state))
        self.reducer.hook = (hook, state)

    # ---- uneven inputs

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:
        """Returns a context manager for a training loop in which processes have unequal numbers of inputs.

        Gradients are divided by the number of processes, or without `divide_by_initial_world_size` by the number of
        those that still have inputs. At the end all get the model of a process that was among the last.
        """
        return Join(
            [self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size
        )

    def join_hook(self, **kwargs: Any) -> ShadowSteps:
        """Returns what a process without inputs does."""
        self._divide_by_initial_world_size = kwargs.get("divide_by_initial_world_size", True)
        return ShadowSteps(self)

    @property
    def join_device(self) -> device:
        """The device of the parameters."""
        return self.device

    @property
    def join_process_group(self) -> Any:
        """The group that averages."""
        return self.process_group

    def _tell_whether_backward_syncs(self, syncs: bool) -> None:
        dist.all_reduce((ones if syncs else zeros)(1, device=self.device), group=self.process_group)

    def _common_rank(self, eligible: bool) -> int:
        """Returns the highest rank of the processes that are eligible."""
        rank = tensor([dist.get_rank(self.process_group) if eligible else -1], device=self.device)
        dist.all_reduce(rank, dist.ReduceOp.MAX, group=self.process_group)
        return int(rank.item())

    # ---- pickles, settings

    def __getstate__(self) -> dict[str, Any]:
        if not is_default(self.process_group):
            raise RuntimeError(
                "DDP Pickling/Unpickling are only supported when using DDP with the default process group. That is, "
                "when you have called init_process_group and have not passed process_group argument to DDP constructor"
            )
        attributes = copy.copy(self.__dict__)
        del attributes["process_group"], attributes["reducer"]
        return attributes

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = dist.group.WORLD
        super().__setstate__(state)
        self._make_reducer()

    def train(self, mode: bool = True) -> DistributedDataParallel:
        """Sets training mode, also of the module."""
        super().train(mode)
        return self

    def _set_static_graph(self) -> None:
        if self.static_graph:
            warnings.warn("You've set static_graph to be True, no need to set it again.", stacklevel=2)
            return
        self.static_graph = self.reducer.static = True

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        """Returns what loggers record of the model. PyTorch's times are not in it: none are measured."""
        parameters = self.reducer.parameters
        sizes = [bucket.flat.nbytes for bucket in self.reducer.buckets]
        return {
            "backend_name": dist.get_backend(self.process_group),
            "broadcast_buffers": int(self.forward_sync_buffers),
            "bucket_cap_bytes": self.bucket_bytes_cap,
            "bucket_sizes": ", ".join(map(str, sizes)),
            "find_unused_parameters": int(self.find_unused_parameters),
            "gradient_as_bucket_view": int(self.gradient_as_bucket_view),
            "has_rebuilt_buckets": int(self.reducer.rebuilt),
            "has_sync_bn": int(any(isinstance(each, SyncBatchNorm) for each in self.module.modules())),
            "is_multi_device_module": int(self.is_multi_device_module),
            "module_name": type(self.module).__name__,
            "num_parameter_tensors": len(parameters),
            "rank": dist.get_rank(),
            "total_parameter_size_bytes": sum(each.nbytes for each in parameters),
            "world_size": self.process_group.size(),
        }

    def _check_reducer_finalized(self) -> None:
        """Raises RuntimeError if the last backward pass did not reduce all gradients."""
        self.reducer.check_finished()

    def _remove_autograd_hooks(self) -> None:
        self.reducer.remove_hooks()

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module: Any, params_and_buffers_to_ignore: Sequence[str]) -> None:
        """Leaves these parameters and buffers out, by name; call it before the model is wrapped."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore
        for name, each in (*module.named_parameters(), *module.named_buffers()):
            if name in params_and_buffers_to_ignore:
                each._ddp_ignored = True
