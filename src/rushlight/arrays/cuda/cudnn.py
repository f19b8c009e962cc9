"""Convolutions by cuDNN, through NVIDIA's frontend for Python: a graph for each kind of call, built once.

https://docs.nvidia.com/deeplearning/cudnn/frontend. Not yet run on a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

OPERANDS = {"conv_fprop": ("image", "weight"), "conv_dgrad": ("loss", "filter"), "conv_wgrad": ("image", "loss")}
TYPES = {"float16": "HALF", "bfloat16": "BFLOAT16", "float32": "FLOAT", "float64": "DOUBLE"}


def library() -> Any:
    """Returns the module of NVIDIA's frontend; None if it, or cuDNN itself, is not installed."""
    if find_spec("cudnn") is None:
        return None
    module = import_module("cudnn")
    try:
        module.backend_version()
    except RuntimeError:  # it finds no library
        return None
    return module


class Plan(NamedTuple):
    """A graph that has been built, its tensors (the operands', then the result's), and the bytes it works in."""

    graph: Any
    tensors: tuple
    workspace: int


class Convolutions:
    """Convolutions of one GPU. `library` is the module `cudnn`; `switches` is `torch.backends.cudnn`."""

    def __init__(self, library: Any, cupy: Any, switches: Any) -> None:
        self.library, self.cupy, self.switches = library, cupy, switches
        self.handle: Any = None  # made on first use, when the device is current
        self.plans: dict[tuple, Plan | None] = {}

    def run(
        self, name: str, operands: Sequence[Any], shape: Sequence[int], stride: tuple, padding: tuple, dilation: tuple
    ) -> Any:
        """Returns the contiguous result of a convolution, or None if cuDNN does not compute it.

        `name` is of `OPERANDS`: the convolution, or its transpose in the image or in the weight. Shapes have one to
        three spatial dimensions.
        """
        kind = operands[0].dtype
        if not self.switches.enabled or kind.name not in TYPES or 0 in shape or not all(x.size for x in operands):
            return None
        operands = [spread(x if is_dense(x) else self.cupy.ascontiguousarray(x)) for x in operands]
        result = self.cupy.empty(tuple(shape), kind)
        whole = [*operands, spread(result)]
        settings = [(default, *each) if len(shape) == 3 else each
                    for default, each in ((1, stride), (0, padding), (1, dilation))]  # fmt: skip
        exact = kind.name == "float32" and self.switches.conv.fp32_precision == "ieee"
        layouts = tuple((x.shape, x.strides) for x in whole)
        key = name, kind.name, layouts, *map(tuple, settings), exact, self.switches.deterministic
        if key not in self.plans:
            self.plans[key] = self.built(*key)
        plan = self.plans[key]
        if plan is not None:
            self.execute(plan, whole)
        return None if plan is None else result

    def built(
        self, name: str, kind: str, layouts: tuple, stride: tuple, padding: tuple, dilation: tuple, exact: bool,
        deterministic: bool,
    ) -> Plan | None:  # fmt: skip
        """Returns a plan, or None if cuDNN has no kernel for it."""
        types, notes = self.library.data_type, self.library.numerical_note
        storage = getattr(types, TYPES[kind])
        compute = types.DOUBLE if kind == "float64" else types.FLOAT
        if self.handle is None:
            self.handle = self.library.create_handle()
        graph = self.library.pygraph(
            io_data_type=storage, intermediate_data_type=compute, compute_data_type=compute, handle=self.handle
        )
        size = np.dtype(np.float16 if kind == "bfloat16" else kind).itemsize
        (*inputs, (shape, strides)) = [(list(dims), [step // size for step in steps]) for dims, steps in layouts]
        operands = [
            graph.tensor(name=role, dim=dims, stride=steps, data_type=storage)
            for role, (dims, steps) in zip(OPERANDS[name], inputs, strict=True)
        ]
        result = getattr(graph, name)(
            **dict(zip(OPERANDS[name], operands, strict=True)), pre_padding=list(padding), post_padding=list(padding),
            stride=list(stride), dilation=list(dilation), compute_data_type=compute,
        )  # fmt: skip
        result.set_output(True).set_data_type(storage).set_dim(shape).set_stride(strides)
        unwanted = [notes.TENSOR_CORE] * exact + [notes.NONDETERMINISTIC] * deterministic
        try:
            graph.validate()
            graph.build_operation_graph()
            graph.create_execution_plans([self.library.heur_mode.A, self.library.heur_mode.FALLBACK])
            if unwanted:
                graph.deselect_numeric_notes(unwanted)
            graph.check_support()
            graph.build_plans()
        except self.library.cudnnGraphNotSupportedError:
            return None
        return Plan(graph, (*operands, result), graph.get_workspace_size())

    def execute(self, plan: Plan, arrays: Sequence[Any]) -> None:
        """Queues a plan on the current stream."""
        self.library.set_stream(handle=self.handle, stream=self.cupy.cuda.get_current_stream().ptr)
        workspace = self.cupy.empty(max(plan.workspace, 1), np.uint8)
        pointers = {tensor: array.data.ptr for tensor, array in zip(plan.tensors, arrays, strict=True)}
        plan.graph.execute(pointers, workspace.data.ptr, handle=self.handle)


def is_dense(array: Any) -> bool:
    """Whether an array is contiguous, or its channels are the innermost dimension."""
    order = (0, *range(2, array.ndim), 1)
    return array.flags.c_contiguous or array.transpose(order).flags.c_contiguous


def spread(array: Any) -> Any:
    """Returns lines as images of one row: cuDNN has no convolution of one dimension."""
    return array.reshape(*array.shape[:2], 1, array.shape[2]) if array.ndim == 3 else array
