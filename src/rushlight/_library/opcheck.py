"""`torch.library.opcheck`: checks that an operator does what it declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._library.binding import tensors_in
from rushlight._library.custom_ops import CustomOpDef
from rushlight._library.fake_impl import FakeImplCtx, ctx_getter
from rushlight._library.overloads import OpOverload, OpOverloadPacket
from rushlight._library.registry import Operator
from rushlight.core.device import device
from rushlight.core.tensor import Tensor
from rushlight.create.conversion import to

DEFAULTS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)
ALL = (*DEFAULTS[:3], "test_aot_dispatch_static", DEFAULTS[3])
META = device("meta")
AUTOGRAD_KEYS = ("Autograd", "AutogradCPU", "AutogradCUDA", "CompositeImplicitAutograd")


class OpCheckError(Exception):
    """An operator does not do what it declares."""

    __module__ = "torch.testing._internal.optests.generate_tests"


def opcheck(
    op: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = DEFAULTS,
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, Any]:
    """Runs an operator and checks its declared properties.

    `test_schema`: writes exactly the arguments that the schema names, and shares memory only where it says so.
    `test_autograd_registration`: its derivative is registered where autograd looks for it. `test_faketensor`: the
    function of `register_fake` returns the result's shape, dtype and strides. `test_aot_dispatch_static` and
    `_dynamic`: there are no compiled graphs here, so they compare the results and gradients of two runs. Raises
    OpCheckError; with `raise_exception=False` returns the failures.
    """
    operator = operator_of(op)
    names = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    if not set(names) <= set(ALL):
        raise ValueError(
            f"opcheck(op, ..., test_utils={names}), expected test_utils to be subset of {ALL} but it was not"
        )
    results: dict[str, Any] = {}
    for name in names:
        try:
            CHECKS[name](operator, args, dict(kwargs or {}), {"atol": atol, "rtol": rtol})
            results[name] = "SUCCESS"
        except Exception as error:  # every exception of the operator is a result of the check
            if raise_exception:
                raise OpCheckError(
                    f"opcheck(op, ...): {name} failed with {error} (scroll up for stack trace)"
                ) from error
            results[name] = error
    return results


def operator_of(op: Any) -> Operator:
    """Returns the operator to check. Raises ValueError for other objects."""
    if isinstance(op, CustomOpDef):
        op = op._opoverload
    if isinstance(op, OpOverloadPacket):
        op = getattr(op, op.overloads()[0])
    if not isinstance(op, OpOverload):
        raise ValueError(
            "opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    return op._operator


def check_schema(op: Operator, args: Sequence[Any], kwargs: dict[str, Any], tolerance: dict[str, Any]) -> None:
    """Raises RuntimeError for an argument that is written or shared against the schema."""
    values = op.bound([copied(arg) for arg in args], {name: copied(kwarg) for name, kwarg in kwargs.items()})
    before = [[(tensor.clone(), tensor._version) for tensor in tensors_in((value,))] for value in values]
    result = op.shown(*values[: positional(op)], **by_name(op, values))
    shared = {id(tensor._storage) for tensor in tensors_in((result,))}
    for argument, value, old in zip(op.schema.arguments, values, before, strict=True):
        for tensor, (numbers, version) in zip(tensors_in((value,)), old, strict=True):
            changed = tensor._version != version or not same(tensor, numbers)
            if changed and not argument.is_write:
                raise RuntimeError(f"Argument {argument.name} is not defined as mutable but was mutated")
            if id(tensor._storage) in shared and argument.alias_info is None:
                raise RuntimeError(f"Argument {argument.name} is not defined to alias output but was aliasing")


def same(one: Tensor, other: Tensor) -> bool:
    return bool(one.isclose(other, 0.0, 0.0, True).all())


def copied(value: Any) -> Any:
    """Copies the tensors in a value."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return [copied(x) for x in value] if isinstance(value, (list, tuple)) else value


def positional(op: Operator) -> int:
    return sum(not argument.kwarg_only for argument in op.schema.arguments)


def by_name(op: Operator, values: Sequence[Any]) -> dict[str, Any]:
    return {
        argument.name: value for argument, value in zip(op.schema.arguments, values, strict=True) if argument.kwarg_only
    }


def check_autograd(op: Operator, args: Sequence[Any], kwargs: dict[str, Any], tolerance: dict[str, Any]) -> None:
    """Raises AssertionError for a derivative that is not where autograd looks for it."""
    tensors = tensors_in((args, kwargs))
    if not any(tensor.requires_grad for tensor in tensors) or op.built_in:
        return
    if any(op.has(key) for key in AUTOGRAD_KEYS):
        return
    results = tensors_in((call(op, args, kwargs),))
    if any(result.grad_fn is not None and result.grad_fn.name() != "WarnNotImplemented" for result in results):
        raise AssertionError(
            f"The operator {op.name} has no autograd kernel, and yet its result requires grad: it was recorded below "
            "autograd. Register the derivative by torch.library.register_autograd, or the kernel under "
            "CompositeImplicitAutograd."
        )


def call(op: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return op.shown(*map(copied, args), **{name: copied(kwarg) for name, kwarg in kwargs.items()})


def check_fake(op: Operator, args: Sequence[Any], kwargs: dict[str, Any], tolerance: dict[str, Any]) -> None:
    """Raises if meta tensors give a result of another shape, dtype or strides."""
    real = tensors_in((call(op, args, kwargs),))
    context = FakeImplCtx()
    args_ = [without_numbers(arg) for arg in args]
    named = {name: without_numbers(kwarg) for name, kwarg in kwargs.items()}
    if op.fake is not None:
        with ctx_getter(lambda: context):
            result = op.fake(*args_, **named)
    else:
        result = op.shown(*args_, **named)
    compare_metadata(op, real, tensors_in((result,)), sized=not context.used)


def compare_metadata(op: Operator, real: list[Tensor], fake: list[Tensor], sized: bool) -> None:
    begin = f"When comparing the output of {op.shown} on FakeTensor and concrete Tensors, found"
    if len(real) != len(fake):
        raise RuntimeError(f"{begin} {len(real)} and {len(fake)} tensors")
    for one, other in zip(real, fake, strict=True):
        if sized and one.shape != other.shape:
            raise RuntimeError(
                f"{begin} mismatched tensor metadata: Shapes {one.shape} and {other.shape} are not equal!"
            )
        if one.ndim != other.ndim:
            raise RuntimeError(f"{begin} mismatched tensor metadata: {one.ndim} and {other.ndim} dimensions")
        if one.dtype != other.dtype:
            raise RuntimeError(
                f"{begin} mismatched tensor metadata: Dtypes {one.dtype} and {other.dtype} are not equal!"
            )
        if sized and one.numel() > 1 and one.stride() != other.stride():
            raise RuntimeError(
                f"{begin} mismatched tensor metadata: Stride mismatch! Strides are {one.stride()} and {other.stride()}"
            )


def without_numbers(value: Any) -> Any:
    """Replaces tensors by meta tensors."""
    if isinstance(value, Tensor):
        return to(value.detach(), META)
    return [without_numbers(x) for x in value] if isinstance(value, (list, tuple)) else value


def check_twice(op: Operator, args: Sequence[Any], kwargs: dict[str, Any], tolerance: dict[str, Any]) -> None:
    """Raises AssertionError if two runs differ in results or gradients, or if meta tensors cannot run."""
    check_fake(op, args, kwargs, tolerance)
    first, second = (outcome(op, args, kwargs) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        if not close(one, other, **tolerance):
            raise AssertionError(f"Two runs of {op.shown} gave different results:\n{one}\n{other}")


def outcome(op: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Tensor]:
    """Returns the results of a run, and the gradients of their sum."""
    args_, named = [copied(arg) for arg in args], {name: copied(kwarg) for name, kwarg in kwargs.items()}
    results = tensors_in((op.shown(*args_, **named),))
    recorded = [result for result in results if result.requires_grad]
    for output in recorded:
        output.sum().backward(retain_graph=True)
    gradients = [tensor.grad for tensor in tensors_in((args_, named)) if tensor.is_leaf and tensor.grad is not None]
    return [*results, *gradients]


def close(one: Tensor, other: Tensor, atol: float | None, rtol: float | None) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return bool(one.isclose(other, 1e-5 if rtol is None else rtol, 1e-8 if atol is None else atol, True).all())


CHECKS: dict[str, Callable[..., None]] = {
    "test_schema": check_schema,
    "test_autograd_registration": check_autograd,
    "test_faketensor": check_fake,
    "test_aot_dispatch_static": check_twice,
    "test_aot_dispatch_dynamic": check_twice,
}
