"""A communication hook without communication."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.distributed.buckets import GradBucket
from rushlight.futures import Future

__all__ = ["noop_hook"]


def noop_hook(_: Any, bucket: GradBucket) -> Future[Tensor]:
    """Leaves the gradients of each process as they are: to measure what communication costs."""
    future: Future[Tensor] = Future()
    future.set_result(bucket.buffer())
    return future
