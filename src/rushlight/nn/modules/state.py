"""Loads a state dictionary into a tree of modules, and reports missing keys and errors."""

import warnings
from collections import OrderedDict, namedtuple

from rushlight.__future__ import get_swap_module_params_on_conversion
from rushlight.autograd.grad_mode import no_grad
from rushlight.autograd.swapping import swap_tensors
from rushlight.core.tensor import Parameter, Tensor

from ..parameter import is_lazy

EXTRA_STATE = "_extra_state"

RETURNED_VALUE = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
    "incompatible_keys need to be modified, it should be done inplace."
)
RETURNED_ITSELF = (
    "module_load returned one of self or other, please .detach() the result if returning one of the inputs in "
    "module_load"
)


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The result of `load_state_dict`: keys of the module that the state lacks, and keys that the module lacks."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


class StateLoader:
    """One `load_state_dict`: walks the tree of modules and collects errors."""

    def __init__(self, state_dict, assign):
        self.metadata = getattr(state_dict, "_metadata", None)
        self.assign = assign
        self.missing, self.unexpected, self.errors = [], [], []
        self.state_dict = OrderedDict(state_dict)
        if self.metadata is not None:
            self.state_dict._metadata = self.metadata

    def load(self, module, state_dict, prefix=""):
        module._load_from_state_dict(
            state_dict, prefix, self.local_metadata(prefix), True, self.missing, self.unexpected, self.errors
        )
        for name, child in module._modules.items():
            if child is not None:
                child_prefix = f"{prefix}{name}."
                self.load(
                    child, {key: state_dict[key] for key in state_dict if key.startswith(child_prefix)}, child_prefix
                )
        incompatible = _IncompatibleKeys(self.missing, self.unexpected)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, incompatible) is not None:
                raise AssertionError(RETURNED_VALUE)

    def local_metadata(self, prefix):
        metadata = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        return {**metadata, "assign_to_params_buffers": True} if self.assign else metadata

    def report(self, module, strict):
        """Raises all errors as one; with `strict` also keys that do not match."""
        errors = list(self.errors)
        if strict:
            errors[:0] = [
                f"{kind} key(s) in state_dict: {', '.join(map(quoted, keys))}. "
                for kind, keys in (("Missing", self.missing), ("Unexpected", self.unexpected))
                if keys
            ]
        if errors:
            message = "\n\t".join(errors)
            words = f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{message}"
            raise advised(RuntimeError(words), self.advice(strict))
        return _IncompatibleKeys(self.missing, self.unexpected)

    def advice(self, strict):
        for wrapper in ("module.", "_orig_mod."):
            if self.unexpected and all(key.startswith(wrapper) for key in self.unexpected):
                yield (
                    f'All keys of the state begin with "{wrapper}": it was saved from a wrapped model. Write '
                    f'`load_state_dict({{key.removeprefix("{wrapper}"): value for key, value in state.items()}})`.'
                )
                return
        if strict and not self.errors:
            yield "With `strict=False` the keys that match are loaded, and the others returned."


def quoted(key):
    return f'"{key}"'


def own_state(module):
    """Returns the parameters and persistent buffers of `module` itself that are not None, by name."""
    transient = module._non_persistent_buffers_set
    parameters = {name: parameter for name, parameter in module._parameters.items() if parameter is not None}
    buffers = module._buffers.items()
    return parameters | {name: buffer for name, buffer in buffers if buffer is not None and name not in transient}


def load_own_state(module, members, state_dict, prefix, local_metadata):
    """Copies `state_dict` into the `members` of `module` itself; returns missing keys and errors."""
    assign = local_metadata.get("assign_to_params_buffers", False)
    missing, errors = [], []
    with no_grad():
        for name, tensor in members.items():
            key = prefix + name
            if key in state_dict:
                error = load_tensor(module, name, tensor, key, state_dict[key], assign)
                errors += [error] if error else []
            else:
                missing.append(key)
    return missing, errors


def load_tensor(module, name, tensor, key, value, assign):
    """Sets the member `name` of `module` to `value`, the state's entry `key`; returns the error text if it cannot."""
    if not (isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        )
    if is_lazy(tensor):
        put_tensor(module, name, tensor, value, assign)
        return None
    if tensor.dim() == 0 and tuple(value.shape) == (1,):
        value = value[0]
    if value.shape != tensor.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {tensor.shape}."
        )
    if tensor.is_meta and not value.is_meta and not assign:
        warn_of_meta(key)
    try:
        put_tensor(module, name, tensor, value, assign)
    except Exception as error:
        action = "swapping" if get_swap_module_params_on_conversion() else "copying"
        return (
            f'While {action} the parameter named "{key}", whose dimensions in the model are {tensor.size()} and '
            f"whose dimensions in the checkpoint are {value.size()}, an exception occurred : {error.args}."
        )
    return None


def warn_of_meta(key):
    warnings.warn(
        f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, "
        "which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their "
        "corresponding key in the module instead of copying them in place?)",
        stacklevel=2,
    )


def put_tensor(module, name, tensor, value, assign):
    if get_swap_module_params_on_conversion():
        swap_tensors(tensor, loaded_by_tensor(tensor, value, assign))
        return
    if not assign:
        tensor.copy_(value)
        return
    if isinstance(tensor, Parameter) and isinstance(value, Parameter):
        value.requires_grad_(tensor.requires_grad)
    elif isinstance(tensor, Parameter):
        value = Parameter(value, requires_grad=tensor.requires_grad)
    setattr(module, name, value)


def loaded_by_tensor(tensor, value, assign):
    """Returns what a member makes of its value in the state, to be swapped with it."""
    loaded = tensor.module_load(value, assign=assign)
    if loaded is tensor or loaded is value:
        raise RuntimeError(RETURNED_ITSELF)
    if isinstance(tensor, Parameter) and not isinstance(loaded, Parameter):
        return Parameter(loaded, requires_grad=tensor.requires_grad)
    return loaded.requires_grad_(tensor.requires_grad) if isinstance(tensor, Parameter) else loaded


def unexpected_keys(module, members, state_dict, prefix):
    """Returns the keys of `state_dict` below `prefix` that match no member and no child of `module`."""
    for key in state_dict:
        if key.startswith(prefix) and key != prefix + EXTRA_STATE:
            name, dot, _ = key[len(prefix) :].partition(".")
            if name not in (module._modules if dot else members):
                yield key


def changed_by_post_hooks(module, state_dict, prefix, local_metadata):
    """Returns the state dictionary after the module's hooks; only deprecated private hooks may return another one."""
    for hook in module._state_dict_hooks.values():
        changed = hook(module, state_dict, prefix, local_metadata)
        if changed is None:
            continue
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("state_dict post-hook must return None")
        state_dict = changed
    return state_dict


def advised(error: Exception, advice) -> Exception:
    """Returns the error with notes, to be raised at once: a local variable would form a cycle with its traceback."""
    for note in advice:
        error.add_note(note)
    return error
