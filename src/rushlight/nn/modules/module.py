"""`Module`: a tree of parameters, buffers and submodules that can be called, moved, saved and loaded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Self

from rushlight.autograd.accumulate import clear
from rushlight.core.display import module_view
from rushlight.core.errors import noted
from rushlight.core.modes import MODE
from rushlight.core.origin import is_ours
from rushlight.core.source_lines import ENTRY, NOTING, enter, entered
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.queries import typename

from ..parameter import Buffer
from .backward_hook import _WrappedHook as _WrappedHook  # a pickle of PyTorch names it here
from .call import HookedCall
from .conversion import Movable
from .failure import note_module
from .hookable import Hookable
from .hooks import _global_backward_hooks as _global_backward_hooks  # users' code imports the tables from here
from .hooks import _global_backward_pre_hooks as _global_backward_pre_hooks
from .hooks import (
    _global_buffer_registration_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    changed_by_hooks,
    global_flag,
    lower_global_flag,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .hooks import _global_forward_hooks as _global_forward_hooks
from .hooks import _global_forward_hooks_always_called as _global_forward_hooks_always_called
from .hooks import _global_forward_hooks_with_kwargs as _global_forward_hooks_with_kwargs
from .hooks import _global_forward_pre_hooks as _global_forward_pre_hooks
from .naming import indented, is_tensor_like, member_at, refuse_unless_none
from .state import EXTRA_STATE as _EXTRA_STATE_KEY_SUFFIX  # noqa: F401
from .state import _IncompatibleKeys as _IncompatibleKeys
from .stateful import Stateful

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

get_mode = MODE.get
HERE = __name__.rpartition(".")[0] + "."
OPERATORS = tuple(f"{__name__.partition('.')[0]}.{name}." for name in ("_generated", "dispatch", "create", "memory"))
MEMBER_KINDS = ("_parameters", "_buffers", "_modules")
# The tables of hooks, in the order of the `__dict__` of PyTorch's modules.
BACKWARD_HOOKS = ("_backward_pre_hooks", "_backward_hooks")
OTHER_HOOKS = (
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
HOOKS = (*BACKWARD_HOOKS, *OTHER_HOOKS)
CALL_HOOKS = (*BACKWARD_HOOKS, "_forward_hooks", "_forward_pre_hooks")  # those that a call looks at first


def forward_is_missing(self, *input: Tensor):
    """Raises NotImplementedError. Subclasses override it to compute the result of a call."""
    raise noted(
        NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function'),
        f"Write `def forward(self, ...)` in class {type(self).__name__}; check its name and indentation.",
    )


def leave_operators_unbound(cls: type) -> None:
    """Makes `conv = torch.conv2d` in a class body a plain function, as a built-in function is, not a method."""
    for name, value in list(vars(cls).items()):
        if type(value) is FunctionType and (value.__module__ or "").startswith(OPERATORS):
            setattr(cls, name, staticmethod(value))


def call_own_impl(self, *args: Any, **kwargs: Any) -> Any:
    """Calls a module whose class has a `_call_impl` of its own."""
    return self._call_impl(*args, **kwargs)


class Module(Hookable, Stateful, Movable):
    """Base of all layers and models.

    Parameters, buffers and modules that are assigned as attributes become members: they are moved, saved, loaded and
    trained with the module.

    >>> import rushlight as torch
    >>> class Line(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = torch.nn.Parameter(torch.tensor(2.0))
    ...     def forward(self, x):
    ...         return self.slope * x
    >>> line = Line()
    >>> line(torch.tensor(3.0)).item(), [name for name, _ in line.named_parameters()]
    (6.0, ['slope'])
    """

    _version = 1
    call_super_init = False
    dump_patches = False
    training: bool
    _shown: tuple[str, ...] = ()  # attributes that `repr` shows
    _is_layer = False  # whether the class is one of this package
    _is_ours = True  # whether `forward` is of this package: its operations get the line of the call

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._is_layer = cls.__module__.startswith(HERE)
        if not cls._is_layer:
            leave_operators_unbound(cls)
        if "_call_impl" in vars(cls) and "__call__" not in vars(cls):  # so that other calls need not look for it
            type.__setattr__(cls, "__call__", call_own_impl)
        if "forward" in vars(cls):
            cls._is_ours = is_ours(getattr(getattr(cls.forward, "__code__", None), "co_filename", ""))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if not self.call_super_init and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        super().__setattr__("training", True)  # a subclass may define it as a property
        own = self.__dict__
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        for table in BACKWARD_HOOKS:
            own[table] = OrderedDict()
        own["_is_full_backward_hook"] = None
        for table in OTHER_HOOKS:
            own[table] = OrderedDict()
        own["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = forward_is_missing
    compile: Callable[..., Any]  # set by compiled.py

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__  # an attribute of a class that has `__getattr__` takes several times as long
        try:
            hooked = own["_forward_hooks"] or own["_forward_pre_hooks"] or global_flag
        except KeyError:
            own = self._hooks_from_elsewhere()
            hooked = own["_forward_hooks"] or own["_forward_pre_hooks"] or global_flag
        if not get_mode():  # no recording: no backward hook can run, and no operation needs the line of the call
            try:
                if hooked:
                    return self._call_impl(*args, **kwargs)
                return self.forward(args[0]) if len(args) == 1 and not kwargs else self.forward(*args, **kwargs)
            except Exception as error:
                note_module(error, self, args)
                raise
        hooked = hooked or own["_backward_hooks"] or own["_backward_pre_hooks"]
        crossed, left = False, None
        if NOTING:
            if ENTRY.place is None:
                if not hooked and type(self)._is_ours:
                    crossed = True
                    enter(1)
            elif (hooked or not type(self)._is_ours) and (left := entered()):
                crossed, ENTRY.place = True, None
        try:
            if hooked:
                return self._call_impl(*args, **kwargs)
            if len(args) == 1 and not kwargs:
                return self.forward(args[0])  # without unpacking, which is slower
            return self.forward(*args, **kwargs)
        except Exception as error:
            note_module(error, self, args)
            raise
        finally:
            if crossed:
                ENTRY.place = left

    def _hooks_from_elsewhere(self) -> dict[str, Any]:
        """Returns the hooks of a call by name, of a module without any: its `__getattr__` may give those of another."""
        try:
            return {name: getattr(self, name) for name in CALL_HOOKS}
        except AttributeError:
            raise self._no_attribute("_backward_hooks") from None  # the first that PyTorch reads

    def _call_impl(self, *args, **kwargs):
        lower_global_flag()
        return HookedCall(self, args, kwargs).run()

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        try:
            if name in (members := own["_parameters"]) or name in (members := own["_buffers"]):
                return members[name]
            if name in (members := own["_modules"]):
                return members[name]
        except KeyError:  # a module whose `__init__` has not run, or which has not all tables
            for table in MEMBER_KINDS:
                if name in (members := own.get(table, ())):
                    return members[name]
        raise self._no_attribute(name)

    def _no_attribute(self, name):
        error = AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
        if "_parameters" not in self.__dict__:
            error.add_note(f"Call `super().__init__()` first in {type(self).__name__}.__init__.")
        return error

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if isinstance(value, Parameter):
            self._displace(name, "_parameters", "parameters")
            self.register_parameter(name, value)
        elif name in attributes.get("_parameters", ()):
            refuse_unless_none(value, "parameter", name, "torch.nn.Parameter or None")
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            self._displace(name, "_modules", "module")
            self._put_module(name, value)
        elif name in attributes.get("_modules", ()):
            refuse_unless_none(value, "child module", name, "torch.nn.Module or None")
            self._put_module(name, None)
        elif isinstance(value, Buffer) or name in attributes.get("_buffers", ()):
            self._assign_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _displace(self, name, table, what):
        """Removes other attributes and members of the name."""
        if table not in self.__dict__:
            raise noted(
                AttributeError(f"cannot assign {what} before Module.__init__() call"),
                f"Call `super().__init__()` before `self.{name} = ...` in {type(self).__name__}.__init__.",
            )
        for other_table in MEMBER_KINDS:
            if other_table != table:
                self.__dict__[other_table].pop(name, None)
        self._non_persistent_buffers_set.discard(name)
        self.__dict__.pop(name, None)

    def _put_module(self, name, module):
        self._modules[name] = changed_by_hooks(_global_module_registration_hooks, self, name, module)

    def _assign_buffer(self, name, value):
        if value is not None and not is_tensor_like(value):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
            )
        transient = not value.persistent if isinstance(value, Buffer) else name in self._non_persistent_buffers_set
        self.register_buffer(name, value, *([False] if transient else []))

    def __delattr__(self, name: str) -> None:
        for table in MEMBER_KINDS:
            if name in getattr(self, table):
                del self.__dict__[table][name]
                if table == "_buffers":
                    self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds the parameter `param` under `name`; None registers the name without a parameter."""
        self._check_name(name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        hooks = {} if param is None else _global_parameter_registration_hooks
        self._parameters[name] = changed_by_hooks(hooks, self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds `tensor` as state that is not trained; with `persistent=False` it is not part of `state_dict`.

        >>> import rushlight as torch
        >>> module = torch.nn.Module()
        >>> module.register_buffer("mean", torch.zeros(2))
        >>> list(module.state_dict())
        ['mean']
        """
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not is_tensor_like(tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = changed_by_hooks(_global_buffer_registration_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def _check_name(self, name, what, table):
        if table not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if name not in self.__dict__[table] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds the child `module` under `name`."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._put_module(name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Same as `add_module`."""
        self.add_module(name, module)

    def get_submodule(self, target: str) -> Module:
        """Returns the module at the dotted path `target`; the module itself if `target` is empty."""
        module = self
        for name in target.split(".") if target else ():
            module = member_at(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Sets the module at the dotted path `target`; with `strict` only if there is a module already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(member_at(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Returns the parameter at the dotted path `target`."""
        path, _, name = target.rpartition(".")
        parameter = member_at(self.get_submodule(path), name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """Returns the buffer at the dotted path `target`."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = member_at(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for module_name, module in modules:
            for name, member in get_members_fn(module):
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield f"{module_name}.{name}" if module_name else name, member

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yields the parameters of the module and, with `recurse`, of all submodules, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yields the parameters with their dotted names; a shared parameter once if `remove_duplicate`."""
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yields the buffers of the module and, with `recurse`, of all submodules, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yields the buffers with their dotted names; a shared buffer once if `remove_duplicate`."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[Module]:
        """Yields the direct submodules, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yields the direct submodules with their names, each module once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yields this module and all submodules, each once if `remove_duplicate`."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yields this module and all submodules with their dotted names, each module once if `remove_duplicate`."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Calls `fn` on every module of the tree, children first; returns the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Sets the module and all submodules to training mode, or to evaluation mode; returns the module.

        Layers such as dropout and batch normalization work differently in the two. Gradients are not affected.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Sets the module and all submodules to evaluation mode; the same as `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freezes all parameters, or unfreezes them; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets all gradients to None, or with `set_to_none=False` to zero."""
        clear(self.parameters(), set_to_none)

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self) -> str:
        """Returns the text that `repr` shows for the module itself, next to its children."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) == 1 and not self._modules:
            return f"{self._get_name()}({extra})"
        lines += [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        body = "\n  ".join(["", *lines]) + "\n" if lines else ""
        return f"{self._get_name()}({body})"

    def _replicate_for_data_parallel(self):
        """Returns a copy that shares its members with the module, with its own tables and without parameters."""
        tables = {"_parameters": {}, "_buffers": dict(self._buffers), "_modules": dict(self._modules)}
        replica = object.__new__(type(self))
        replica.__dict__ = {**self.__dict__, **tables, "_is_replica": True}
        return replica

    _repr_html_ = module_view

    def __dir__(self):
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[:1].isdigit())

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = self.__dict__
        own.update(state)
        # Attributes that checkpoints of older PyTorch versions lack.
        for table in HOOKS:
            own.setdefault(table, OrderedDict())
        own.setdefault("_non_persistent_buffers_set", set())
        own.setdefault("_is_full_backward_hook", None)


look_up = Module.__getattr__


def pair(module: Module, table: str, first: str, second: str) -> tuple[Any, Any]:
    """Returns the attributes `first` and `second` of a layer whose class has both in `table`.

    Looking up an attribute that is in no `__dict__` is several times slower: Python searches before it calls
    `__getattr__`. The fast path reads the table directly. It applies if nothing can shadow the members: the class is
    one of the package and not a subclass, `__getattr__` is that of `Module`, and the module has no attribute of such a
    name.
    """
    cls = type(module)
    if cls._is_layer and cls.__getattr__ is look_up:
        own = module.__dict__
        members = own[table]
        if first in members and second in members and first not in own and second not in own:
            return members[first], members[second]
    return getattr(module, first), getattr(module, second)
