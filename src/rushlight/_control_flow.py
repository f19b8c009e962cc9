"""`torch.cond` and `torch.while_loop`: control flow that compilers can capture. Here it runs as plain Python.

https://docs.pytorch.org/docs/stable/cond.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor
from rushlight.core.traced import TRACED, BatchedArray

__all__ = ["cond", "while_loop"]


def cond(pred: Any, true_fn: Callable, false_fn: Callable, operands: Any = ()) -> Any:
    """Returns `true_fn(*operands)` if `pred`, a bool or a one-element tensor, is true, else `false_fn(*operands)`.

    Only one branch runs, and its operations are recorded; under `vmap`, with a `pred` for each sample, both do. Raises
    RuntimeError for another `pred`, for branches that are not callable, and operands that are not tensors in tuples,
    lists and dictionaries.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 4.0])
    >>> torch.cond(x.sum() > 0, torch.sqrt, torch.neg, (x,))
    tensor([1., 2.])
    """
    if not isinstance(pred, bool | int | Tensor):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not (callable(true_fn) and callable(false_fn)):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, tuple | list) or not _only_tensors(operands):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but "
            f"got {operands}."
        )
    if isinstance(pred, Tensor) and _has_batch(pred):
        return _chosen(F.reshape(pred, ()), true_fn(*operands), false_fn(*operands))
    return (true_fn if pred else false_fn)(*operands)


def _chosen(pred: Tensor, one: Any, other: Any) -> Any:
    """Returns, for each sample, the results of the branch that it takes."""
    if isinstance(one, dict):
        return {name: _chosen(pred, value, other[name]) for name, value in one.items()}
    if isinstance(one, tuple | list):
        return type(one)([_chosen(pred, *pair) for pair in zip(one, other, strict=True)])
    return F.where(pred, one, other)


def _has_batch(tensor: Tensor) -> bool:
    """Whether a tensor has a value for each sample of a `vmap`, at any level."""
    array = tensor._array
    while type(array) in TRACED and array.level.alive:
        if type(array) is BatchedArray and array.batched:
            return True
        array = array.value._array
    return False


def _only_tensors(value: Any) -> bool:
    if isinstance(value, dict):
        value = tuple(value.values())
    return all(map(_only_tensors, value)) if isinstance(value, tuple | list) else isinstance(value, Tensor)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """Calls `body_fn` with its last results, first with `carried_inputs`, while `cond_fn` is true.

    Both take the carried values as arguments; `body_fn` returns the same number, with the same shapes and dtypes.
    Gradients flow through all iterations. Raises RuntimeError for functions that are not callable, for `carried_inputs`
    that are not a sequence, for a result of `cond_fn` that is not a bool, and for results of `body_fn` with other
    types.

    >>> import rushlight as torch
    >>> torch.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * 2), (torch.tensor(0), torch.ones(1)))
    (tensor(3), tensor([8.]))
    """
    if not (callable(cond_fn) and callable(body_fn)):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, tuple | list):
        raise RuntimeError(f"Expect carried_inputs to be a tuple or a list, but got {type(carried_inputs)}.")
    carried = tuple(carried_inputs)
    alone = False
    while _goes_on(cond_fn(*carried)):
        returned = body_fn(*carried)
        alone = not isinstance(returned, tuple | list)
        following = (returned,) if alone else tuple(returned)
        if list(map(_described, following)) != list(map(_described, carried)):
            raise RuntimeError(
                "Expected body_fn_output and carried_inputs to have same metadata but found: "
                f"{list(map(_described, following))} and {list(map(_described, carried))}"
            )
        carried = following
    return carried[0] if alone else carried


def _goes_on(answer: Any) -> bool:
    if isinstance(answer, bool) or (isinstance(answer, Tensor) and answer.numel() == 1):
        return bool(answer)
    raise RuntimeError(f"cond_fn must return a boolean scalar tensor or a boolean value, but got {answer}")


def _described(value: Any) -> Any:
    return (tuple(value.shape), value.dtype, value.device) if isinstance(value, Tensor) else type(value)
