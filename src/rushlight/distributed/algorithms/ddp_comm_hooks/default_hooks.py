"""Communication hooks that average gradients as they are or in half precision.

https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html#default-communication-hooks
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import distributed as dist
from rushlight.core.dtype import bfloat16, float16
from rushlight.core.tensor import Tensor
from rushlight.distributed.buckets import GradBucket
from rushlight.futures import Future

__all__ = [
    "allreduce_hook", "bf16_compress_hook", "bf16_compress_wrapper", "fp16_compress_hook", "fp16_compress_wrapper",
]  # fmt: skip


def averaged(group: Any, values: Tensor) -> Future[Tensor]:
    """Divides a tensor by the number of processes and adds it up over them; returns a future of the tensor."""
    group = dist.group.WORLD if group is None else group
    values.div_(group.size())
    work: Any = dist.all_reduce(values, group=group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group: Any, bucket: GradBucket) -> Future[Tensor]:
    """Averages the gradients, as `DistributedDataParallel` does without a hook."""
    return averaged(process_group, bucket.buffer())


def compress(dtype: Any, group: Any, bucket: GradBucket) -> Future[Tensor]:
    """Averages the gradients in another dtype."""
    buffer = bucket.buffer()
    return averaged(group, buffer.to(dtype)).then(lambda future: buffer.copy_(future.value()))


def fp16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Tensor]:
    """Averages the gradients in float16: half of what float32 sends, with 11 bits of precision."""
    return compress(float16, process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Tensor]:
    """Averages the gradients in bfloat16: half of what float32 sends, with its range and 8 bits of precision."""
    return compress(bfloat16, process_group, bucket)


def fp16_compress_wrapper(hook: Callable[[Any, GradBucket], Future[Tensor]]) -> Callable:
    """Returns a hook that gives `hook` the gradients in float16 and casts its result back."""
    return compressing("fp16_compress_wrapper_hook", hook, float16)


def bf16_compress_wrapper(hook: Callable[[Any, GradBucket], Future[Tensor]]) -> Callable:
    """Returns a hook that gives `hook` the gradients in bfloat16 and casts its result back."""
    return compressing("bf16_compress_wrapper_hook", hook, bfloat16)


def compressing(name: str, hook: Callable, dtype: Any) -> Callable:
    def wrapper(hook_state: Any, bucket: GradBucket) -> Future[Tensor]:
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        return hook(hook_state, bucket).then(lambda future: buffer.copy_(future.value()))

    wrapper.__name__ = name
    return wrapper
