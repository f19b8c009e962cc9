"""Which modules of a model are wrapped by themselves.

https://docs.pytorch.org/docs/stable/fsdp.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rushlight.distributed.wrapping import ShardingWrapper
from rushlight.nn.modules.attention import MultiheadAttention
from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module

__all__ = [
    "CustomPolicy", "ModuleWrapPolicy", "always_wrap_policy", "lambda_auto_wrap_policy", "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
]  # fmt: skip


def always_wrap_policy(*arguments: Any, **keywords: Any) -> bool:
    """Wraps every module."""
    return True


def lambda_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[Module], bool]
) -> bool:
    """Wraps the modules for which a function returns True."""
    return recurse or lambda_fn(module)


def transformer_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: Iterable[type[Module]]
) -> bool:
    """Wraps the modules of some classes, such as the blocks of a transformer."""
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(
    module: Module,
    recurse: bool,
    nonwrapped_numel: int,
    min_num_params: int = 100_000_000,
    force_leaf_modules: Iterable[type[Module]] | None = None,
    exclude_wrap_modules: Iterable[type[Module]] | None = None,
) -> bool:
    """Wraps modules with at least so many elements in parameters that are not wrapped already."""
    leaves = tuple(size_based_auto_wrap_policy.FORCE_LEAF_MODULES if force_leaf_modules is None else force_leaf_modules)  # type: ignore[attr-defined]
    excluded = tuple(
        size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES  # type: ignore[attr-defined]
        if exclude_wrap_modules is None
        else exclude_wrap_modules
    )
    return nonwrapped_numel >= min_num_params and not isinstance(module, leaves if recurse else excluded)


size_based_auto_wrap_policy.FORCE_LEAF_MODULES = {MultiheadAttention}  # type: ignore[attr-defined]
size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES = {ModuleList, ModuleDict}  # type: ignore[attr-defined]


class CustomPolicy:
    """Wraps the modules for which a function returns True, or a dict of arguments for the wrapper."""

    def __init__(self, lambda_fn: Callable[[Module], bool | dict[str, Any]]) -> None:
        self._lambda_fn = lambda_fn

    def __call__(self, module: Module, recurse: bool, nonwrapped_numel: int = 0) -> bool | dict[str, Any]:
        """Returns what the function says of a module. Raises ValueError unless that is a bool or a dict."""
        if recurse:
            return True
        answer = self._lambda_fn(module)
        if not isinstance(answer, bool | dict):
            raise ValueError(
                "The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, "
                f"but it returned {answer}"
            )
        return answer


class ModuleWrapPolicy:
    """Wraps the modules of some classes."""

    def __init__(self, module_classes: Iterable[type[Module]]) -> None:
        self._module_classes = tuple(set(module_classes))

    def __call__(self, module: Module, recurse: bool, nonwrapped_numel: int = 0) -> bool:
        """Whether a module is of one of the classes."""
        return recurse or isinstance(module, self._module_classes)


def wrap_children(module: Module, policy: Callable, wrapper: Callable[..., Module], ignored: set[int]) -> None:
    """Wraps the modules in a module that a policy chooses, innermost first; a module in two places is wrapped once.

    Modules and parameters with the `id`s in `ignored` are left alone.
    """
    done: dict[int, tuple[Module, int]] = {}

    def wrapped(each: Module) -> tuple[Module, int]:
        if id(each) not in done:
            done[id(each)] = chosen(each)
        return done[id(each)]

    def chosen(each: Module) -> tuple[Module, int]:
        total = sum(parameter.numel() for parameter in each.parameters() if id(parameter) not in ignored)
        if isinstance(each, ShardingWrapper):
            return each, total
        if not policy(module=each, recurse=True, nonwrapped_numel=total):
            return each, 0
        covered = of_children(each)
        answer = policy(module=each, recurse=False, nonwrapped_numel=total - covered)
        if answer is False:
            return each, covered
        return wrapper(each, **(answer if isinstance(answer, dict) else {})), total

    def of_children(each: Module) -> int:
        covered = 0
        for name, child in list(each._modules.items()):
            if child is not None and id(child) not in ignored:
                new, count = wrapped(child)
                setattr(each, name, new)
                covered += count
        return covered

    total = sum(parameter.numel() for parameter in module.parameters() if id(parameter) not in ignored)
    if policy(module=module, recurse=True, nonwrapped_numel=total):
        of_children(module)
