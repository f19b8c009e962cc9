"""Errors of failed calls: PyTorch's type and first line, with a note that explains them."""

from __future__ import annotations

import re

import numpy as np

from rushlight.core.convertible import PYTHON_NUMBERS
from rushlight.core.dtype import C_NAMES, SCALAR_NAMES, can_cast
from rushlight.core.errors import noted, out_of_range, type_name
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import DIMS
from rushlight.declarations.dtype_rules import no_cast
from rushlight.declarations.promote import number_dtype, result_type


def refuse_cast(error: Exception, op, target, arguments: tuple) -> None:
    """Raises the error for a tensor to be written to that cannot hold the promoted dtype of the first two operands.

    PyTorch finds out before it looks for the kernel that `error` misses.
    """
    if not (op.kind == "elementwise" and isinstance(target, Tensor) and str(error).startswith('"')):
        return
    tensors = [(each.dtype, each.ndim) for each in arguments[:2] if isinstance(each, Tensor)]
    numbers = [(number_dtype(each), None) for each in arguments[:2] if type(each) in PYTHON_NUMBERS]
    common = result_type([*tensors, *numbers])
    if not can_cast(common, target.dtype):
        raise no_cast(common, target.dtype) from None


def not_a_tensor(op, argument, position: int, value) -> TypeError:
    """Returns the error for an argument that is no tensor."""
    if position == 0:
        return TypeError(
            f"descriptor '{op.called}' for 'torch._C.TensorBase' objects doesn't apply to a '{type_name(value)}' object"
        )
    error = TypeError(
        f"{op.called}(): argument '{argument.name}' (position {position}) must be Tensor, not {type_name(value)}"
    )
    return made_a_tensor(error, argument, value)


def made_a_tensor(error: TypeError, argument, value) -> TypeError:
    """Adds a note to the error if the value can be made a tensor."""
    if isinstance(value, (np.ndarray, np.generic, list, tuple, int, float)):
        error.add_note(f"Make it a tensor first: {argument.name}=torch.as_tensor({argument.name}).")
    return error


def not_a_number(op, argument, position: int, value) -> TypeError:
    """Returns the error for an argument that is no number."""
    place = "" if argument.keyword_only else f" (position {position})"
    return TypeError(f"{op.called}(): argument '{argument.name}'{place} must be Number, not {type_name(value)}")


POSITION = r"(\w+)\(\): argument '(\w+)'(?: \(position (\d+)\))? (must be .*)"


def of_method(error: TypeError, function: str, method: str) -> TypeError:
    """Rewrites the error of a function for its method, which does not count the tensor itself."""
    text = str(error)
    combination = f"{function}() received an invalid combination of arguments - got (Tensor, "
    if text.startswith(combination):
        return TypeError(text.replace(combination, combination.replace("Tensor, ", "").replace(function, method, 1), 1))
    match = re.fullmatch(POSITION, text, re.DOTALL)
    if match is None or match[1] != function:
        return error
    position = f" (position {max(int(match[3]) - 1, 1)})" if match[3] else ""
    renamed = TypeError(f"{method}(): argument '{match[2]}'{position} {match[4]}")
    for note in getattr(error, "__notes__", ()):
        renamed.add_note(note)
    return renamed


def no_form(name: str, args) -> TypeError:
    """Returns the error for arguments that no form of a function takes."""
    types = ", ".join(map(type_name, args))
    return TypeError(f"{name}() received an invalid combination of arguments - got ({types}), but expected one of:")


DIFFERENT_DEVICES = "Expected all tensors to be on the same device, but found at least two devices"


def different_devices(devices, named=()) -> RuntimeError:
    """Returns the error for operands on several devices, in the order of the operands; `named` are (name, tensor)."""
    if any(device.type == "meta" for device in devices):
        expected, *others = devices
        other = next(device for device in others if device.type != expected.type)
        return RuntimeError(f"Tensor on device {other} is not on the expected device {expected}!")
    first, second = sorted(dict.fromkeys(devices), key=lambda device: device.type == "cpu")[:2]  # a GPU comes first
    lists: dict = {}
    for name, tensor in named:
        lists.setdefault(tensor.device, []).append(f"{name} {tuple(tensor.shape)}")
    where = "".join(f"On {device}: {', '.join(tensors)}. " for device, tensors in lists.items())
    repair = f"{where}Move one of them: tensor.to(other.device), or model.to(device) for its parameters."
    return noted(RuntimeError(f"{DIFFERENT_DEVICES}, {first} and {second}!"), repair)


OTHER_DTYPE = "Expected out tensor to have dtype {result_c}, but got {out_c} instead"


def other_dtype(words, result, out) -> RuntimeError:
    """Returns the error for an `out=` of another dtype where PyTorch does not convert; the declaration has the text."""
    names = {"result": SCALAR_NAMES[result], "out": SCALAR_NAMES[out]}
    names |= {"result_c": C_NAMES.get(result, result.name), "out_c": C_NAMES.get(out, out.name)}
    text = words(result, out) if callable(words) else (OTHER_DTYPE if words is True else words).format(**names)
    error = RuntimeError(text)
    error.add_note(f"Give it an out= of dtype {result!r}, or convert the result: .to({out!r}).")
    return error


def explained(op, error: Exception, values: dict, arguments) -> Exception:
    """Returns PyTorch's error for an error of NumPy or Python; any other error unchanged."""
    if isinstance(error, (TypeError, IndexError)) and (wrong := wrong_dim(op, error, values)) is not None:
        return wrong
    shapes = [tuple(x.shape) for x in arguments if isinstance(x, Tensor)]
    if isinstance(error, np.exceptions.AxisError):
        return out_of_range(error.axis, error.ndim or 0)
    fit = op.kind == "elementwise" or "could not be broadcast together" in str(error)
    if fit and isinstance(error, ValueError) and len(shapes) > 1:
        mismatch = broadcast_mismatch(shapes)
        if mismatch is not None:
            return mismatch
    if type(error) is ValueError and not hasattr(error, "__notes__"):  # those of declarations have notes
        translated = RuntimeError(f"{op.called}(): {error}")
        translated.add_note(f"The operands have shapes {', '.join(map(str, shapes))}.")
        return translated
    return error


def wrong_dim(op, error: Exception, values: dict) -> TypeError | None:
    """Returns the error for a `dim` that is no integer, or no sequence of them where one is allowed.

    An IndexError for a sequence is about the range of its elements, so those are tested.
    """
    for position, argument in enumerate(op.arguments, 1 - op.bound):
        value = values[argument.name]
        several = argument.role == DIMS
        is_sequence = (several or isinstance(error, IndexError)) and isinstance(value, (tuple, list))
        dims = value if is_sequence else (value,)
        if argument.name == "dim" and value is not None and not all(hasattr(dim, "__index__") for dim in dims):
            kind = "tuple of ints" if several else "int"
            return TypeError(
                f"{op.called}(): argument 'dim' (position {position}) must be {kind}, not {type_name(value)}"
            )
    return None


def broadcast_mismatch(shapes) -> RuntimeError | None:
    """Returns PyTorch's error for shapes that do not broadcast, or None."""
    result = shapes[0]
    for shape in shapes[1:]:
        rank = max(len(result), len(shape))
        padded = [(1,) * (rank - len(s)) + tuple(s) for s in (result, shape)]
        for dim in reversed(range(rank)):
            a, b = padded[0][dim], padded[1][dim]
            if a != b and a != 1 and b != 1:
                return _mismatch(a, b, dim, shapes)
        result = np.broadcast_shapes(*padded)
    return None


def _mismatch(a: int, b: int, dim: int, shapes) -> RuntimeError:
    error = RuntimeError(
        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
    )
    error.add_note(
        f"The shapes are {' and '.join(str(tuple(s)) for s in shapes)}. Aligned from the right, two sizes fit if "
        "they are equal or one of them is 1; unsqueeze(dim) puts a 1 where it is wanted."
    )
    return error
