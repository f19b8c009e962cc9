"""`torch.library.get_ctx`: the context of functions that compute on meta tensors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

GETTER: ContextVar[Any] = ContextVar("rushlight.fake_impl_context", default=None)


class FakeImplCtx:
    """Provides data-dependent sizes. There are no symbolic sizes, so it returns a placeholder number."""

    __module__ = "torch._library.fake_impl"
    STAND_IN = 2

    def __init__(self) -> None:
        self.used = False

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> int:
        """Returns a size that is not known before the operator runs, between `min` and `max`."""
        self.used = True
        size = self.STAND_IN if min < self.STAND_IN else min
        return size if max is None or size < max else max

    def create_unbacked_symint(self, *, min: int = 2, max: int | None = None) -> int:
        """The older name of `new_dynamic_size`."""
        return self.new_dynamic_size(min=min, max=max)


@contextmanager
def ctx_getter(getter: Any) -> Iterator[None]:
    """Within the block, `get_ctx` returns the result of `getter`."""
    token = GETTER.set(getter)
    try:
        yield
    finally:
        GETTER.reset(token)


def refuse_on_meta(name: str, place: str) -> Any:
    """Makes `get_ctx` raise while an operator runs on meta tensors, which cannot have data-dependent sizes."""

    def refuse() -> None:
        raise RuntimeError(
            f"{name} ({place}): You're trying to run this operator with meta Tensors (as opposed to FakeTensors), but "
            "this operator may return an output Tensor with data-dependent shape. Meta Tensors don't support operators "
            "with outputs that have data-dependent shapes but FakeTensors do. If your operator does not return an "
            "output with data-dependent shape, make sure the FakeTensor and/or meta kernel does not call "
            "torch.library.get_ctx(). Otherwise, please use FakeTensors."
        )

    return refuse


def get_ctx() -> Any:
    """Returns the context within a function of `register_fake`; elsewhere None."""
    getter = GETTER.get()
    return None if getter is None else getter()
