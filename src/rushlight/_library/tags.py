"""`torch.Tag`: properties of operators."""

from __future__ import annotations

from enum import Enum
from typing import Any

from rushlight._library.keys import made

NAMES = """core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated inplace
    inplace_view maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides needs_fixed_stride_order
    nondeterministic_bitwise nondeterministic_seeded out out_variant pointwise pt2_compliant_tag reduction
    view_copy""".split()
Tag = made(Enum, "Tag", NAMES)


def as_tags(tags: Any) -> tuple[Any, ...]:
    """Returns one or several tags as a tuple."""
    if tags is None:
        return ()
    return (tags,) if isinstance(tags, Enum) else tuple(tags)
