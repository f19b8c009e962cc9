"""Parameters and buffers that are functions of others: `module.weight` is computed at each access.

The originals and the parametrization modules are in `module.parametrizations`, one `ParametrizationList` per name; the
name itself is a property of a class created for this one module.
"""

import copy
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Parameter, Tensor

from ..modules import Module, ModuleDict, ModuleList

# Values computed inside of `cached`, by module and name; None outside.
COMPUTED: ContextVar[dict | None] = ContextVar("COMPUTED", default=None)

NOT_PICKLED = (
    "Serialization of parametrized modules is only supported through state_dict(). See:\n"
    "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-checkpoint-for-"
    "inference-and-or-resuming-training"
)


@contextmanager
def cached():
    """In this context every parametrized tensor is computed at most once."""
    token = COMPUTED.set({} if COMPUTED.get() is None else COMPUTED.get())
    try:
        yield
    finally:
        COMPUTED.reset(token)


def _register(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


class ParametrizationList(ModuleList):
    """The modules that compute one tensor, first to last, from `original`, or `original0`, `original1`, ...

    The originals are computed from the initial tensor by the modules' `right_inverse`, last to first.
    """

    def __init__(self, modules: Sequence[Module], original: Tensor | Parameter, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        inverse = self._inverse_if_possible(original)
        self.is_tensor = isinstance(inverse, Tensor)
        self.ntensors = 1 if self.is_tensor else len(inverse)
        if self.is_tensor:
            self._keep_one(original, inverse)
        else:
            self._keep_several(original, inverse)
        if not unsafe:
            _check_result(self(), shape, dtype, "unparametrized {0}: {1}\nparametrized {0}: {2}", "`unsafe` flag")

    def _inverse_if_possible(self, value):
        with no_grad():
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        value = module.right_inverse(value)
        if not isinstance(value, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{type(value).__name__}"
            )
        return value

    def _keep_one(self, original, inverse):
        for name in ("dtype", "device"):
            was, is_now = getattr(original, name), getattr(inverse, name)
            if was != is_now:
                raise ValueError(
                    f"When `right_inverse` outputs one tensor, it may not change the {name}.\n"
                    f"original.{name}: {was}\nright_inverse(original).{name}: {is_now}"
                )
        original.data = inverse.detach()
        _register(self, "original", original)

    def _keep_several(self, original, inverse):
        for number, value in enumerate(inverse):
            if not isinstance(value, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                    f"{number} of the sequence with type {type(value).__name__}."
                )
            stored = Parameter(value, original.requires_grad) if isinstance(original, Parameter) else value
            _register(self, f"original{number}", stored.requires_grad_(original.requires_grad))

    def originals(self) -> list[Tensor]:
        """Returns the inputs of the first module."""
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{number}") for number in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Sets the originals to the values for which the modules compute `value`."""
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            for original, new in zip(self.originals(), self._checked_inverse(value), strict=True):
                original.data = new.detach()

    def _checked_inverse(self, value):
        if self.is_tensor:
            if not isinstance(value, Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
            if value.dtype != self.original.dtype:
                raise ValueError(
                    f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                    f"{self.original.dtype}"
                )
            return [value]
        if not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                f"length {len(value)}."
            )
        for number, (original, new) in enumerate(zip(self.originals(), value, strict=True)):
            if not isinstance(new, Tensor):
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors or reference-type opaques. Got element "
                    f"{number} of type {type(new).__name__}."
                )
            if original.dtype != new.dtype:
                raise ValueError(
                    f"Tensor {number} returned by `right_inverse` has dtype {new.dtype} while `original{number}` has "
                    f"dtype {original.dtype}"
                )
        return value

    def forward(self) -> Tensor:
        first, *rest = self._modules.values()
        value = first(*self.originals())
        for module in rest:
            value = module(value)
        return value


def _check_result(value, shape, dtype, comparison, flag):
    """Raises ValueError unless `value` can replace a tensor of this shape and dtype."""
    if not isinstance(value, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
    for name, was in (("dtype", dtype), ("shape", shape)):
        if getattr(value, name) != was:
            raise ValueError(
                f"Registering a parametrization may not change the {name} of the tensor, unless {flag} is enabled.\n"
                + comparison.format(name, was, getattr(value, name))
            )


def _check_inverse(parametrization, value, name):
    """Raises ValueError unless the right inverse of an added parametrization has the tensor's shape and dtype."""
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        inverse = parametrization.right_inverse(value)
    except NotImplementedError:
        return
    if not isinstance(inverse, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(inverse).__name__}")
    for property in ("dtype", "shape"):
        was, is_now = getattr(value, property), getattr(inverse, property)
        if was != is_now:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {property} as "
                f"module.{name}, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{property}: {was}\nreturned {property}: {is_now}"
            )


def _set_own_class(module):
    """Creates a subclass for one module, which holds its properties: it can be copied, but not pickled."""
    cls = type(module)

    def __deepcopy__(self, memo):
        replica = memo[id(self)] = type(self).__new__(type(self))
        Module.__setstate__(replica, copy.deepcopy(Module.__getstate__(self), memo))
        return replica

    def __getstate__(self):
        raise RuntimeError(NOT_PICKLED)

    members = {"__getstate__": __getstate__}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = __deepcopy__
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _computed_property(name):
    def read(self):
        parametrization, computed = self.parametrizations[name], COMPUTED.get()
        if computed is None:
            return parametrization()
        key = id(self), name
        if key not in computed:
            computed[key] = parametrization()
        return computed[key]

    def write(self, value):
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Makes a parameter or buffer the result of `parametrization`, after those it already has; returns the module.

    A method `right_inverse` of the parametrization computes the original from the current value. With `unsafe`, shape
    and dtype may change and are not checked.

    >>> import rushlight as torch
    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            present = getattr(module, tensor_name)
            value, names = parametrization(present), f"module.{tensor_name}.{{0}}: {{1}}\n"
            comparison = f"{names}parametrization(module.{tensor_name}).{{0}}: {{2}}"
            _check_result(value, present.shape, present.dtype, comparison, "the `unsafe` flag")
            _check_inverse(parametrization, value, tensor_name)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    computing = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _set_own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _computed_property(tensor_name))
    module.parametrizations[tensor_name] = computing
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrized tensors, or one of that name."""
    lists = getattr(module, "parametrizations", None)
    if not isinstance(lists, ModuleDict):
        return False
    return len(lists) > 0 if tensor_name is None else tensor_name in lists


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a parametrized tensor a plain one again, with its current value, or else with its original one.

    Returns the module. Raises ValueError for the original value if there are several originals.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    original = _final_tensor(module, tensor_name, leave_parametrized)
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def _final_tensor(module, name, leave_parametrized):
    computing = module.parametrizations[name]
    if not computing.is_tensor and not leave_parametrized:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    if not computing.is_tensor:
        value = getattr(module, name)
        return Parameter(value) if value.requires_grad else value
    if leave_parametrized:
        with no_grad():
            computing.original.data = getattr(module, name).detach()
    return computing.original


def type_before_parametrizations(module: Module) -> type:
    """Returns the class that a module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Parametrizes `to_module` as `from_module`, all tensors or one, with the same originals; returns it."""
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = from_module.parametrizations[name]
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        for key, original in [*source._parameters.items(), *source._buffers.items()]:
            setattr(to_module.parametrizations[name], key, original)
    return to_module
