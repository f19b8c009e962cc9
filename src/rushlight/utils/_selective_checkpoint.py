"""Selective checkpoints: a policy decides, for each operator of a checkpointed function, what is not computed again.

Two function modes share a table of results. In the first run `Saving` calls the policy, and keeps the results of the
operators that it selects. In the second run `Taking` passes these results to the same calls: a call records its node,
and saves what it saves for backward, but computes nothing. Composites are looked inside, so a policy sees primitives,
under the names of aten's operators.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._library.calls import overload_of
from rushlight._library.overloads import OpOverload, OpOverloadPacket, find_packet
from rushlight.core.errors import noted
from rushlight.core.modes import MODE, change
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch.torch_function import TorchFunctionMode
from rushlight.utils._pytree import tree_leaves, tree_map_only

# Operators of aten by the names of primitives that have others.
NAMES = {
    "affine": "addmm",
    "convolve": "convolution",
    "native_layer_normalization": "native_layer_norm",
    "safe_softmax": "_safe_softmax",
}
IGNORED = frozenset(("detach",))  # what checkpoints call themselves
SAC_IGNORED_OPS = {find_packet("aten::detach").default}
USED = object()
MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that "
    "changed between forward and backward."
)


class CheckpointPolicy(enum.Enum):
    """What becomes of an operator's result: it is saved, or computed again in backward.

    `MUST_CPU_OFFLOAD` and `PREFER_CPU_OFFLOAD` save it, where it is.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


CheckpointPolicy.__module__ = "torch.utils.checkpoint"
RECOMPUTED = (CheckpointPolicy.MUST_RECOMPUTE, CheckpointPolicy.PREFER_RECOMPUTE)


class SelectiveCheckpointContext:
    """What a policy gets with a call: its result, and whether the function runs for the second time."""

    __module__ = "torch.utils.checkpoint"

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class Saved:
    """A result of the first run, without its history, and the versions of its memory at that time."""

    def __init__(self, result: Any):
        self.value = tree_map_only(Tensor, lambda tensor: tensor.detach(), result)
        self.versions = [tensor._version for tensor in self.tensors()]

    def tensors(self) -> list[Tensor]:
        """Returns the tensors of the result."""
        return [leaf for leaf in tree_leaves(self.value) if isinstance(leaf, Tensor)]

    def taken(self, may_be_written: bool) -> Any:
        """Returns the result. Raises RuntimeError if its memory was written since, unless it may be."""
        if not may_be_written and self.versions != [tensor._version for tensor in self.tensors()]:
            raise noted(
                RuntimeError("Tensor cached during selective activation checkpoint has been mutated"),
                "Let the policy save the result of the last operator that writes to it; or, if the values before are "
                "not needed, pass allow_cache_entry_mutation=True.",
            )
        return self.value


class Computed:
    """The result of the next call of one operator, which takes it once."""

    def __init__(self, op: Any, value: Any):
        self.op, self.value = op, value

    def take(self, op: Any) -> Any:
        """Returns the result if the call is of this operator, and then None."""
        if op is not self.op:
            return None
        self.op = None
        return self.value


class Selective(TorchFunctionMode):
    """What both modes do: number the calls of each function."""

    def __init__(self, storage: dict[str, list]):
        self.storage = storage
        self.counts: dict[str, int] = defaultdict(int)

    @staticmethod
    def _looks_inside(op: Any) -> bool:
        """Whether the mode sees the parts of a composite."""
        return True

    def number_of(self, name: str) -> int:
        """Returns which call of a function this is, from 0."""
        self.counts[name] += 1
        return self.counts[name] - 1


class Saving(Selective):
    """The mode of the first run: calls the policy."""

    def __init__(self, policy: Callable[..., Any], storage: dict[str, list]):
        super().__init__(storage)
        self.policy = policy

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs, name = kwargs or {}, name_of(func)
        result = func(*args, **kwargs)
        if name not in IGNORED and any(isinstance(leaf, Tensor) for leaf in tree_leaves(result)):
            self.storage[name].append(Saved(result) if self._selects(func, args, kwargs, result) else None)
        return result

    def _selects(self, func: Any, args: tuple, kwargs: dict, result: Any) -> bool:
        overload, args, kwargs = operator_of(func, args, kwargs)
        if not isinstance(overload, OpOverload):
            return False  # it has no name that a policy could know
        policy = self.policy(
            SelectiveCheckpointContext(is_recompute=False, op_output=result), overload, *args, **kwargs
        )
        return policy if isinstance(policy, bool) else policy not in RECOMPUTED


class Taking(Selective):
    """The mode of the second run: takes saved results instead of computing them."""

    def __init__(self, storage: dict[str, list], may_be_written: bool):
        super().__init__(storage)
        self.may_be_written = may_be_written

    def __enter__(self) -> Taking:
        self.counts.clear()
        return super().__enter__()

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs, name = kwargs or {}, name_of(func)
        if name not in self.storage:
            result = func(*args, **kwargs)
            if name not in IGNORED and any(isinstance(leaf, Tensor) for leaf in tree_leaves(result)):
                raise RuntimeError(f"{name} encountered during backward but not found in storage. {MISMATCH}")
            return result
        number, saved = self.number_of(name), self.storage[name]
        if number >= len(saved):
            raise RuntimeError(
                f"{name} invocation index {number} encountered during backward but not found in storage. {MISMATCH}"
            )
        if saved[number] is None:
            return func(*args, **kwargs)
        if saved[number] is USED:
            raise noted(
                RuntimeError(
                    "Trying to backward an extra time. You are only allowed to backward once on any region computed "
                    "under selective activation checkpoint."
                ),
                "Add the losses, and call backward once; or run the checkpointed function again.",
            )
        value = saved[number].taken(self.may_be_written)
        saved[number] = USED
        token = change(computed=Computed(declaration_of(func), value))
        try:
            return func(*args, **kwargs)
        finally:
            MODE.reset(token)


def name_of(func: Any) -> str:
    """Returns the name that counts the calls of a function."""
    return str(getattr(func, "__name__", func))


def declaration_of(func: Any) -> Any:
    """Returns the operator whose call takes a computed result; None if the function computes it again, as views do."""
    if isinstance(func, OpOverloadPacket):
        func = getattr(func, func.overloads()[0])
    if isinstance(func, OpOverload) and not func._operator.built_in:
        return func._operator
    name = func._opname if isinstance(func, OpOverload) else name_of(func)
    op = getattr(func, "declaration", None) or OPS.get(name.removesuffix("_"))
    return None if op is None or op.view else op


def operator_of(func: Any, args: tuple, kwargs: dict) -> tuple[Any, tuple, dict]:
    """Returns the overload of aten that a policy sees for a call, and its arguments; `func` itself if there is none."""
    if (name := NAMES.get(name_of(func))) is None:
        if isinstance(func, OpOverloadPacket):
            return getattr(func, func.overloads()[0]), args, kwargs
        return overload_of(func, args, kwargs, False)
    if name == "addmm":
        bias, left, right = args[:3]
        right = right.t() if kwargs.get("flipped", True) else right
        if bias is None:
            return find_packet("aten::mm").default, (left, right), {}
        return find_packet("aten::addmm").default, (bias, left, right), {}
    return find_packet(f"aten::{name}").default, args, kwargs


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | list[OpOverload], allow_cache_entry_mutation: bool = False
) -> tuple[TorchFunctionMode, TorchFunctionMode]:
    """Returns the contexts of a checkpoint that saves the results of some operators instead of computing them again.

    `policy_fn_or_list` is a list of operators to save, or a function called with (SelectiveCheckpointContext, operator,
    *args, **kwargs), which returns a CheckpointPolicy, or whether to save. Raises ValueError for a list of anything but
    overloads such as `torch.ops.aten.mm.default`, TypeError for neither list nor function, and RuntimeError in backward
    if a saved result was written since, unless `allow_cache_entry_mutation`.

    >>> import rushlight as torch
    >>> from functools import partial
    >>> x = torch.eye(2, requires_grad=True)
    >>> context_fn = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    >>> y = torch.utils.checkpoint.checkpoint(lambda x: (x @ x).exp(), x, use_reentrant=False, context_fn=context_fn)
    >>> y.sum().backward()  # the product is not computed again
    >>> x.grad
    tensor([[5.4366, 2.0000],
            [2.0000, 5.4366]])
    """
    if isinstance(policy_fn_or_list, list):
        policy = policy_of(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict[str, list] = defaultdict(list)
    return Saving(policy, storage), Taking(storage, allow_cache_entry_mutation)


def policy_of(operators: Sequence[Any]) -> Callable[..., bool]:
    """Returns the policy that saves the results of some operators. Raises ValueError for what is no overload."""
    for op in operators:
        if not isinstance(op, OpOverload):
            packet = isinstance(op, OpOverloadPacket)
            raise ValueError(
                f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. "
                + ("Please update the OpOverloadPacket to a specific OpOverload." if packet else "")
                + (
                    f"For example, if you have `torch.ops.{op}`, change it to `torch.ops.{op}.default`."
                    if packet
                    else ""
                )
            )
    return lambda context, op, *args, **kwargs: op in operators
