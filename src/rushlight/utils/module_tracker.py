"""`torch.utils.module_tracker`: tracks which modules are running, forward or backward."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.autograd.engine import ENGINE
from rushlight.autograd.multi_grad import register_multi_grad_hook
from rushlight.autograd.nesting import NESTING
from rushlight.core.handle import RemovableHandle
from rushlight.core.tensor import Tensor
from rushlight.nn.modules.module import Module, register_module_forward_hook, register_module_forward_pre_hook

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """Tracks in a `with` block the names of the modules whose forward or backward pass is running: `parents`.

    A name is the class of the outermost module followed by submodule names; "Global" is always included.

    >>> import rushlight as torch
    >>> class Net(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.part = torch.nn.ReLU()
    ...         self.part.register_forward_pre_hook(lambda *_: print(sorted(tracker.parents)))
    ...     def forward(self, x):
    ...         return self.part(x)
    >>> with ModuleTracker() as tracker:
    ...     _ = Net()(torch.ones(1))
    ['Global', 'Net', 'Net.part']
    """

    def __init__(self) -> None:
        self.parents: set[str] = {"Global"}
        self._names: weakref.WeakKeyDictionary[Module, str] = weakref.WeakKeyDictionary()
        self._named: weakref.WeakSet[Module] = weakref.WeakSet()
        self._ends = False  # whether the names are dropped at the end of the running backward pass
        self._handles: list[Any] = []
        self._hooks: list[RemovableHandle] = []

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass is running."""
        return bool(NESTING.tasks)

    def _name_of(self, module: Module) -> str:
        name = self._names.setdefault(module, type(module).__name__)
        if module not in self._named:
            self._named.add(module)
            for child_name, child in module.named_children():
                self._names[child] = f"{name}.{child_name}"
                self._name_of(child)
        return name

    def _enters(self, name: str) -> Callable:
        def enter(*gradients: Any) -> None:
            if not self._ends:
                self._ends = True
                ENGINE.queue_callback(self._end_of_backward)
            self.parents.add(name)

        return enter

    def _end_of_backward(self) -> None:
        self.parents, self._ends = {"Global"}, False

    def _before(self, module: Module, inputs: Any) -> None:
        name = self._name_of(module)
        self.parents.add(name)
        self._when_gradients_come(inputs, lambda *gradients: self.parents.discard(name))

    def _after(self, module: Module, inputs: Any, output: Any) -> None:
        name = self._name_of(module)
        self.parents.discard(name)
        self._when_gradients_come(output, self._enters(name))

    def _when_gradients_come(self, values: Any, call: Callable) -> None:
        tensors = [tensor for tensor in tensors_in(values) if tensor.requires_grad]
        if tensors:
            self._hooks.append(register_multi_grad_hook(tensors, call))

    def __enter__(self) -> ModuleTracker:
        self._handles = [register_module_forward_pre_hook(self._before), register_module_forward_hook(self._after)]
        return self

    def __exit__(self, *exception: object) -> None:
        for handle in (*self._handles, *self._hooks):
            handle.remove()
        self._handles, self._hooks = [], []


def tensors_in(values: Any) -> Iterator[Tensor]:
    """Yields the tensors in lists, tuples and dicts, at any depth."""
    if isinstance(values, Tensor):
        yield values
    elif isinstance(values, list | tuple | dict):
        for value in values.values() if isinstance(values, dict) else values:
            yield from tensors_in(value)
