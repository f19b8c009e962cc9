"""`torch.library.get_ctx`: what the function that computes on meta tensors may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

GETTER: ContextVar[Any] = ContextVar("rushlight.fake_impl_context", default=None)


class FakeImplCtx:
    """Stands for a size that depends on data. There are no symbolic sizes: it is a number that stands for one."""

    __module__ = "torch._library.fake_impl"
    STAND_IN = 2

    def __init__(self) -> None:
        self.used = False

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> int:
        """A size that is not known before the operator runs, of at least `min` and at most `max`."""
        self.used = True
        size = self.STAND_IN if min < self.STAND_IN else min
        return size if max is None or size < max else max

    def create_unbacked_symint(self, *, min: int = 2, max: int | None = None) -> int:
        """The older name of `new_dynamic_size`."""
        return self.new_dynamic_size(min=min, max=max)


@contextmanager
def ctx_getter(getter: Any) -> Iterator[None]:
    """Within it, `get_ctx` gives what `getter` gives."""
    token = GETTER.set(getter)
    try:
        yield
    finally:
        GETTER.reset(token)


def refuse_on_meta(name: str, place: str) -> Any:
    """What `get_ctx` does while an operator runs on meta tensors: the context is for sizes that they cannot have."""

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
    """Within the function of `register_fake`: what makes sizes that depend on data. Elsewhere None."""
    getter = GETTER.get()
    return None if getter is None else getter()
