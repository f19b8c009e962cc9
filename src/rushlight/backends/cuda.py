"""`torch.backends.cuda`: how products on a GPU are computed, which there is none of."""

from rushlight.dispatch.message import type_name
from rushlight.dispatch.switches import get_float32_matmul_precision, set_float32_matmul_precision

__all__ = ["is_built", "matmul"]


def is_built() -> bool:
    """Whether the library was built for GPUs: it is not built at all."""
    return False


class Products:
    """The switches of products of matrices. `allow_tf32` is another spelling of `set_float32_matmul_precision`."""

    def __init__(self):
        self.allow_fp16_reduced_precision_reduction = True
        self.allow_bf16_reduced_precision_reduction = True

    @property
    def allow_tf32(self) -> bool:
        """Whether factors may be rounded to fewer digits: not if the precision is "highest". They never are."""
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        if type(allowed) is not bool:
            raise RuntimeError(f"set_allow_tf32_cublas expects a bool, but got {type_name(allowed)}")
        set_float32_matmul_precision("high" if allowed else "highest")

    def __setattr__(self, name: str, value) -> None:
        if name not in SWITCHES:
            raise AttributeError(f"Unknown attribute {name}")
        super().__setattr__(name, value)


SWITCHES = frozenset(("allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction"))
matmul = Products()
