"""`torch.distributed.distributed_c10d`: the module in which PyTorch defines what `torch.distributed` offers.

Packages read some private names of it.
"""

from __future__ import annotations

from rushlight.distributed.barriers import barrier, monitored_barrier
from rushlight.distributed.collectives import (
    all_gather,
    all_gather_into_tensor,
    all_gather_single,
    all_reduce,
    broadcast,
    reduce,
)
from rushlight.distributed.constants import default_pg_timeout
from rushlight.distributed.objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from rushlight.distributed.parts import (
    all_to_all,
    all_to_all_single,
    gather,
    reduce_scatter,
    reduce_scatter_single,
    reduce_scatter_tensor,
    scatter,
)
from rushlight.distributed.point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from rushlight.distributed.process_group import GroupMember, ProcessGroup, default_group, group, is_outside
from rushlight.distributed.reductions import Backend, ReduceOp
from rushlight.distributed.rendezvous import register_rendezvous_handler, rendezvous
from rushlight.distributed.state import (
    destroy_process_group,
    get_backend,
    get_backend_config,
    get_default_backend_for_device,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_pg_count,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    init_process_group,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
    new_group,
)
from rushlight.distributed.stores import PrefixStore, Store
from rushlight.distributed.subgroups import new_subgroups, new_subgroups_by_enumeration
from rushlight.distributed.work import Work

__all__ = [
    "Backend", "GroupMember", "P2POp", "PrefixStore", "ProcessGroup", "ReduceOp", "Store", "Work", "all_gather",
    "all_gather_into_tensor", "all_gather_object", "all_gather_single", "all_reduce", "all_to_all", "all_to_all_single",
    "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list", "default_pg_timeout", "destroy_process_group",
    "gather", "gather_object", "get_backend", "get_backend_config", "get_default_backend_for_device", "get_global_rank",
    "get_group_rank", "get_node_local_rank", "get_pg_count", "get_process_group_ranks", "get_rank", "get_world_size",
    "group", "init_process_group", "irecv", "is_backend_available", "is_gloo_available", "is_initialized",
    "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "is_ucc_available", "is_xccl_available",
    "isend", "monitored_barrier", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "recv",
    "recv_object_list", "reduce", "reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor",
    "register_rendezvous_handler", "rendezvous", "scatter", "scatter_object_list", "send", "send_object_list",
]  # fmt: skip

_get_default_group, _rank_not_in_group = default_group, is_outside
