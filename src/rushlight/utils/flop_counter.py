"""`torch.utils.flop_counter`: counts floating-point operations, by operator and by module.

Matrix products, convolutions and ops composed of them are counted, a multiply-add as two operations, as PyTorch counts
on the CPU; sums, activations and normalizations are not. A function mode intercepts every primitive; a node of a
backward pass is counted when it runs.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import wraps
from math import prod
from typing import Any

from rushlight._library.overloads import OpOverload, OpOverloadPacket, find_packet
from rushlight.autograd.nesting import NESTING
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch.torch_function import TorchFunctionMode
from rushlight.utils._flops_of_steps import STEPS, WHOLE, Call
from rushlight.utils.module_tracker import ModuleTracker, tensors_in

__all__ = ["FlopCounterMode", "register_flop_formula"]

flop_registry: dict[Any, Callable] = {}


def aten(name: str) -> OpOverloadPacket:
    return find_packet(f"aten::{name}")


# ---- formulas


def get_shape(value: Any) -> Any:
    """Replaces tensors by their shapes, also in lists, tuples and dicts; other values are unchanged."""
    if isinstance(value, Tensor):
        return value.shape
    if type(value) in (list, tuple):
        return type(value)(map(get_shape, value))
    return {key: get_shape(item) for key, item in value.items()} if type(value) is dict else value


def shape_wrapper(formula: Callable) -> Callable:
    """Converts a formula of shapes to one of tensors."""

    @wraps(formula)
    def of_tensors(*args: Any, out_val: Any = None, **kwargs: Any) -> Any:
        return formula(*get_shape(list(args)), out_shape=get_shape(out_val), **get_shape(kwargs))

    return of_tensors


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable], Callable]:
    """Registers the number of operations of calls of `torch.ops.namespace.name`, or of several of them.

    The function is called with the arguments of the call, with shapes instead of tensors, and with `out_shape`; with
    `get_raw` it gets the tensors, and `out_val`. Raises ValueError for other targets, and RuntimeError for a target
    that has a formula.
    """

    def register(formula: Callable) -> Callable:
        registered = formula if get_raw else shape_wrapper(formula)
        for target in targets if isinstance(targets, list | tuple) else (targets,):
            if not isinstance(target, OpOverloadPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. "
                    "torch.ops.mylib.foo), JitFunction, or HigherOrderOperator, got "
                    f"{target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = registered
        return registered

    return register


@register_flop_formula(aten("mm"))
def mm_flop(a_shape, b_shape, *args, out_shape=None, **kwargs) -> int:
    """Counts a product of (m, k) and (k, n)."""
    (m, k), (inner, n) = a_shape, b_shape
    if k != inner:
        raise AssertionError(f"matmul: inner dimensions must match (k == k2), got {k} and {inner}")
    return 2 * m * n * k


@register_flop_formula(aten("addmm"))
def addmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs) -> int:
    """Counts a matrix product; the sum with another matrix is not counted."""
    return mm_flop.__wrapped__(a_shape, b_shape)  # type: ignore[attr-defined]


@register_flop_formula(aten("bmm"))
def bmm_flop(a_shape, b_shape, out_shape=None, **kwargs) -> int:
    """Counts a batch of products of (m, k) and (k, n)."""
    return a_shape[0] * mm_flop.__wrapped__(a_shape[1:], b_shape[1:])  # type: ignore[attr-defined]


@register_flop_formula(aten("baddbmm"))
def baddbmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs) -> int:
    """Counts a batch of products; the sum with other matrices is not counted."""
    return bmm_flop.__wrapped__(a_shape, b_shape)  # type: ignore[attr-defined]


def conv_flop_count(x_shape: list[int], w_shape: list[int], out_shape: list[int], transposed: bool = False) -> int:
    """Counts a convolution: a multiply-add for each position of the larger image and each weight."""
    positions = (x_shape if transposed else out_shape)[2:]
    return 2 * x_shape[0] * prod(positions) * prod(w_shape)


@register_flop_formula([aten("convolution"), aten("_convolution")])
def conv_flop(
    x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, *args, out_shape=None, **kwargs
) -> int:
    """Counts a convolution, or a transposed one."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed=transposed)


@register_flop_formula(aten("convolution_backward"))
def conv_backward_flop(
    grad_out_shape, x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, _output_padding, _groups,
    output_mask, out_shape, **kwargs,
) -> int:  # fmt: skip
    """Counts the gradients of a convolution: each is a convolution, for weights over all channels of a batch."""
    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, x_shape, transposed=not transposed)
    if output_mask[1]:
        image = x_shape if transposed else grad_out_shape
        count += 2 * x_shape[0] * x_shape[1] * grad_out_shape[1] * prod(w_shape[2:]) * prod(image[2:])
    return count


# ---- counting


class FlopCounterMode:
    """Counts the operations of a `with` block, by operator and by module.

    At the end of the block it prints a table of modules down to `depth`, unless `display` is False. `custom_mapping`
    adds formulas, by `torch.ops.namespace.name`: functions as for `register_flop_formula`.

    >>> import rushlight as torch
    >>> with FlopCounterMode(display=False) as counter:
    ...     _ = torch.nn.Linear(4, 5)(torch.ones(3, 4))
    >>> counter.get_total_flops()
    120
    """

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ) -> None:
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        custom = (custom_mapping or {}).items()
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.depth, self.display = depth, display
        self.mode: SeesPrimitives | None = None
        self.flop_registry = flop_registry | {
            name: formula if getattr(formula, "_get_raw", False) else shape_wrapper(formula) for name, formula in custom
        }
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self) -> int:
        """Returns the total count."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Returns the counts by module, and in each by operator; "Global" has all."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = SeesPrimitives(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.mode is None:
            raise AssertionError("Internal error: FlopCounter.__exit__ called but mode is None")
        self.mode.__exit__(*exception)
        self.mode = None
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table(self.depth))

    def count(self, calls: Iterable[Call]) -> None:
        """Adds calls of PyTorch's operators to the running modules."""
        for name, arguments, result in calls:
            self._count(aten(name), arguments, {}, result)

    def _count(self, packet: Any, args: tuple, kwargs: dict, result: Any) -> None:
        if packet in self.flop_registry:
            number = self.flop_registry[packet](*args, **kwargs, out_val=result)
            for parent in self.mod_tracker.parents:
                self.flop_counts[parent][packet] += number

    def get_table(self, depth: int | None = None) -> str:
        """Formats the counts: a row for each module down to `depth`, and below it one for each operator."""
        depth = self.depth if depth is None else depth
        depth = 999999 if depth is None else depth
        total, rows = self.get_total_flops(), []
        for name in sorted(self.flop_counts):
            level = name.count(".") + 1
            if name != "Global" and level <= depth:
                rows += self._rows(name, level - 1)
        inside = any(sum(self.flop_counts[name].values()) >= total for name in self._shown(depth))
        if "Global" in self.flop_counts and not inside:
            rows = self._rows("Global", 0) + [(" " + first, *columns) for first, *columns in rows]
        return as_table(("Module", "FLOP", "% Total"), rows or [("Global", "0", "0%")])

    def _shown(self, depth: int) -> list[str]:
        return [name for name in self.flop_counts if name != "Global" and name.count(".") < depth]

    def _rows(self, name: str, level: int) -> list[tuple]:
        counts, total = self.flop_counts[name], self.get_total_flops()
        pad, unit = " " * level, unit_of(total)
        lines = [(name, sum(counts.values())), *((f" - {operator}", number) for operator, number in counts.items())]
        return [(pad + text, in_unit(number, unit), percent(number, total)) for text, number in lines]


class SeesPrimitives(TorchFunctionMode):
    """Counts the primitives that are called, and hooks the nodes of the graph to count their backward."""

    def __init__(self, counter: FlopCounterMode) -> None:
        self.counter = counter

    @staticmethod
    def _looks_inside(op: Any) -> bool:
        """Whether a composite is counted by its parts."""
        return op.name not in WHOLE

    def __torch_function__(self, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if isinstance(func, OpOverload | OpOverloadPacket):
            self.counter._count(getattr(func, "_overloadpacket", func), args, kwargs, out)
        elif func.__name__ in STEPS:
            self._count_step(func.__name__, args, kwargs, out)
        else:
            self.counter._count(aten(func.__name__.removeprefix("operator_")), args, kwargs, out)
        return out

    def _count_step(self, name: str, args: tuple, kwargs: dict, out: Any) -> None:
        op = OPS[name]
        arguments = {argument.name: argument.default for argument in op.arguments}
        arguments |= dict(zip(arguments, args, strict=False)) | {
            key: value for key, value in kwargs.items() if key in arguments
        }
        forwards, backwards = STEPS[name]
        self.counter.count(forwards(arguments, out))
        node = next((x.grad_fn for x in tensors_in(out) if x.grad_fn is not None), None)
        if node is not None and getattr(type(node), "op", None) is op:
            operands = [operand.name for operand in OPS[name].operands()]
            shapes, result = get_shape(arguments), get_shape(out)
            counter = self.counter

            def count_back(gradients: Any) -> None:
                task = NESTING.tasks[-1]
                if counter.mode is not None and not task.tensors:  # derivatives that are calls are intercepted
                    edges = node.edges if task.needed is None else task.needed[node]
                    needed = {operand: edge is not None for operand, edge in zip(operands, edges, strict=True)}
                    counter.count(backwards(shapes, result, needed))

            node.register_prehook(count_back)


# ---- tables

UNITS = ["", "K", "M", "B", "T"]


def unit_of(number: int) -> int:
    """Returns the unit of a number: 1.01B is shown as 1010M, so that its parts have digits."""
    return max(0, min(len(UNITS) - 1, (len(str(number)) - 2) // 3))


def in_unit(number: int, unit: int) -> str:
    return f"{number / 1000**unit:.3f}{UNITS[unit]}" if unit else str(number)


def percent(number: int, total: int) -> str:
    return f"{number / total:.2%}" if total else "0%"


def as_table(header: tuple, rows: list[tuple]) -> str:
    """Formats columns under a header and a line; the first is left-aligned, the others right-aligned."""
    widths = [max(len(name) + 2, *(len(row[at]) for row in rows)) for at, name in enumerate(header)]
    lines = [header, tuple("-" * width for width in widths), *rows]
    return "\n".join("  ".join(cells(line, widths)) for line in lines)


def cells(line: tuple, widths: list[int]) -> list[str]:
    return [
        text.ljust(width) if not at else text.rjust(width)
        for at, (text, width) in enumerate(zip(line, widths, strict=True))
    ]
