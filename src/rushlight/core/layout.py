"""Layouts: how a tensor keeps its numbers. Every tensor here is strided; the others are names to compare with."""

from __future__ import annotations

from rushlight.core.errors import noted, type_name


class layout:
    """How a tensor keeps its numbers. https://docs.pytorch.org/docs/stable/tensor_attributes.html"""

    __module__ = "torch"
    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return named, (self.name,)


STRIDED = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
jagged = layout("jagged")
_mkldnn = layout("_mkldnn")
ALL = (STRIDED, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged, _mkldnn)
LAYOUTS = {each.name: each for each in ALL}


def named(name: str) -> layout:
    """The layout of that name."""
    return LAYOUTS[name]


def check_layout(name: str, wanted) -> None:
    """Raises unless the function `name` can make a tensor of the layout `wanted`; None is the strided one."""
    if wanted is None or wanted is STRIDED:
        return
    if type(wanted) is not layout:
        raise TypeError(f"{name}(): argument 'layout' must be torch.layout, not {type_name(wanted)}")
    raise noted(
        NotImplementedError(f"{name}(): rushlight has no tensors of the layout {wanted!r}"),
        "Leave out layout=: tensors are dense here.",
    )
