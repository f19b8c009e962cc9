"""`torch.utils.flop_counter`: how many floating-point operations a program does, by operator and by module.

Products of matrices, convolutions and what is made of them are counted, a product and its sum as two operations, as
PyTorch counts on the CPU; sums, activations and normalizations are not. A function mode sees every primitive; a step
of a backward pass is counted when it is taken.
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
    """The shape of a tensor; anything else as it is, also in lists, tuples and dicts."""
    if isinstance(value, Tensor):
        return value.shape
    if type(value) in (list, tuple):
        return type(value)(map(get_shape, value))
    return {key: get_shape(each) for key, each in value.items()} if type(value) is dict else value


def shape_wrapper(formula: Callable) -> Callable:
    """A formula of shapes as one of tensors."""

    @wraps(formula)
    def of_tensors(*args: Any, out_val: Any = None, **kwargs: Any) -> Any:
        return formula(*get_shape(list(args)), out_shape=get_shape(out_val), **get_shape(kwargs))

    return of_tensors


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable], Callable]:
    """Registers how many operations a call of `torch.ops.namespace.name` is, or of several of them.

    The function is called with the arguments of the call, with shapes in the place of tensors, and with `out_shape`;
    with `get_raw` with the tensors, and with `out_val`. Raises ValueError for anything else that is to be counted, and
    RuntimeError for what has a formula.
    """

    def register(formula: Callable) -> Callable:
        found = formula if get_raw else shape_wrapper(formula)
        for target in targets if isinstance(targets, list | tuple) else (targets,):
            if not isinstance(target, OpOverloadPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. "
                    "torch.ops.mylib.foo), JitFunction, or HigherOrderOperator, got "
                    f"{target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = found
        return found

    return register


@register_flop_formula(aten("mm"))
def mm_flop(a_shape, b_shape, *args, out_shape=None, **kwargs) -> int:
    """A product of (m, k) and (k, n)."""
    (m, k), (inner, n) = a_shape, b_shape
    if k != inner:
        raise AssertionError(f"matmul: inner dimensions must match (k == k2), got {k} and {inner}")
    return 2 * m * n * k


@register_flop_formula(aten("addmm"))
def addmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs) -> int:
    """A product of matrices; the sum with another is not counted."""
    return mm_flop.__wrapped__(a_shape, b_shape)  # type: ignore[attr-defined]


@register_flop_formula(aten("bmm"))
def bmm_flop(a_shape, b_shape, out_shape=None, **kwargs) -> int:
    """Products of (m, k) and (k, n), one for each of a batch."""
    return a_shape[0] * mm_flop.__wrapped__(a_shape[1:], b_shape[1:])  # type: ignore[attr-defined]


@register_flop_formula(aten("baddbmm"))
def baddbmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs) -> int:
    """The same; the sum with others is not counted."""
    return bmm_flop.__wrapped__(a_shape, b_shape)  # type: ignore[attr-defined]


def conv_flop_count(x_shape: list[int], w_shape: list[int], out_shape: list[int], transposed: bool = False) -> int:
    """A convolution: for each place, in the larger of the two images, and each weight, a product and a sum."""
    places = (x_shape if transposed else out_shape)[2:]
    return 2 * x_shape[0] * prod(places) * prod(w_shape)


@register_flop_formula([aten("convolution"), aten("_convolution")])
def conv_flop(
    x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, *args, out_shape=None, **kwargs
) -> int:
    """A convolution, or a transposed one."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed=transposed)


@register_flop_formula(aten("convolution_backward"))
def conv_backward_flop(
    grad_out_shape, x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, _output_padding, _groups,
    output_mask, out_shape, **kwargs,
) -> int:  # fmt: skip
    """The gradients of a convolution: each is a convolution too, that of the weights over all channels of a batch."""
    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, x_shape, transposed=not transposed)
    if output_mask[1]:
        image = x_shape if transposed else grad_out_shape
        count += 2 * x_shape[0] * x_shape[1] * grad_out_shape[1] * prod(w_shape[2:]) * prod(image[2:])
    return count


# ---- counting


class FlopCounterMode:
    """Counts the operations of a `with` block, by operator and by the modules in which they are done.

    At the end of the block it prints a table of modules down to `depth`, unless `display` is False. `custom_mapping`
    has more formulas, by `torch.ops.namespace.name`: functions as for `register_flop_formula`.

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
        """All that has been counted."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The counts by module, and in each by operator; "Global" has all."""
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
        """Adds calls of PyTorch's operators to the modules that are running."""
        for name, arguments, result in calls:
            self._count(aten(name), arguments, {}, result)

    def _count(self, packet: Any, args: tuple, kwargs: dict, result: Any) -> None:
        if packet in self.flop_registry:
            number = self.flop_registry[packet](*args, **kwargs, out_val=result)
            for parent in self.mod_tracker.parents:
                self.flop_counts[parent][packet] += number

    def get_table(self, depth: int | None = None) -> str:
        """The counts as text: a row for each module down to `depth`, and below it one for each operator."""
        depth = self.depth if depth is None else depth
        depth = 999999 if depth is None else depth
        total, rows = self.get_total_flops(), []
        for name in sorted(self.flop_counts):
            level = name.count(".") + 1
            if name != "Global" and level <= depth:
                rows += self._rows(name, level - 1)
        inside = any(sum(self.flop_counts[name].values()) >= total for name in self._shown(depth))
        if "Global" in self.flop_counts and not inside:
            rows = self._rows("Global", 0) + [(" " + first, *rest) for first, *rest in rows]
        return as_table(("Module", "FLOP", "% Total"), rows or [("Global", "0", "0%")])

    def _shown(self, depth: int) -> list[str]:
        return [name for name in self.flop_counts if name != "Global" and name.count(".") < depth]

    def _rows(self, name: str, level: int) -> list[tuple]:
        counts, total = self.flop_counts[name], self.get_total_flops()
        pad, unit = " " * level, unit_of(total)
        lines = [(name, sum(counts.values())), *((f" - {operator}", number) for operator, number in counts.items())]
        return [(pad + text, in_unit(number, unit), percent(number, total)) for text, number in lines]


class SeesPrimitives(TorchFunctionMode):
    """Counts what comes by, and watches the steps of the graph that may be taken back."""

    def __init__(self, counter: FlopCounterMode) -> None:
        self.counter = counter

    @staticmethod
    def _looks_inside(op: Any) -> bool:
        """Whether a composite is counted as what it is made of."""
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
        given = {each.name: each.default for each in op.arguments}
        given |= dict(zip(given, args, strict=False)) | {key: value for key, value in kwargs.items() if key in given}
        forwards, backwards = STEPS[name]
        self.counter.count(forwards(given, out))
        node = next((each.grad_fn for each in tensors_in(out) if each.grad_fn is not None), None)
        if node is not None and getattr(type(node), "op", None) is op:
            operands = [each.name for each in OPS[name].operands()]
            shapes, result = get_shape(given), get_shape(out)
            counter = self.counter

            def count_back(gradients: Any) -> None:
                task = NESTING.tasks[-1]
                if counter.mode is not None and not task.tensors:  # whose derivatives are calls, seen as any
                    edges = node.edges if task.needed is None else task.needed[node]
                    wanted = {each: edge is not None for each, edge in zip(operands, edges, strict=True)}
                    counter.count(backwards(shapes, result, wanted))

            node.register_prehook(count_back)


# ---- tables

UNITS = ["", "K", "M", "B", "T"]


def unit_of(number: int) -> int:
    """Which unit a number is told in: 1.01B as 1010M, so that the parts of it have digits."""
    return max(0, min(len(UNITS) - 1, (len(str(number)) - 2) // 3))


def in_unit(number: int, unit: int) -> str:
    return f"{number / 1000**unit:.3f}{UNITS[unit]}" if unit else str(number)


def percent(number: int, total: int) -> str:
    return f"{number / total:.2%}" if total else "0%"


def as_table(header: tuple, rows: list[tuple]) -> str:
    """Columns under a header and a line; the first to the left, the others to the right."""
    widths = [max(len(name) + 2, *(len(row[at]) for row in rows)) for at, name in enumerate(header)]
    lines = [header, tuple("-" * width for width in widths), *rows]
    return "\n".join("  ".join(cells(line, widths)) for line in lines)


def cells(line: tuple, widths: list[int]) -> list[str]:
    return [
        text.ljust(width) if not at else text.rjust(width)
        for at, (text, width) in enumerate(zip(line, widths, strict=True))
    ]
