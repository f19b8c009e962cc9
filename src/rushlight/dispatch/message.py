"""After a failure: PyTorch's exception and first line, then what happened in the user's words."""

from __future__ import annotations

import re

import numpy as np

from rushlight.core.dtype import C_NAMES, SCALAR_NAMES
from rushlight.core.errors import out_of_range, type_name
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import DIMS


def not_a_tensor(op, argument, position: int, value) -> TypeError:
    """An argument that must be a tensor and is none."""
    if position == 0:
        return TypeError(
            f"descriptor '{op.called}' for 'torch._C.TensorBase' objects doesn't apply to a '{type_name(value)}' object"
        )
    error = TypeError(
        f"{op.called}(): argument '{argument.name}' (position {position}) must be Tensor, not {type_name(value)}"
    )
    return made_a_tensor(error, argument, value)


def made_a_tensor(error: TypeError, argument, value) -> TypeError:
    """The complaint that a value is no tensor, with the repair where one can be made of it."""
    if isinstance(value, (np.ndarray, np.generic, list, tuple, int, float)):
        error.add_note(f"Make it a tensor first: {argument.name}=torch.as_tensor({argument.name}).")
    return error


def not_a_number(op, argument, position: int, value) -> TypeError:
    """An argument that must be a number and is none."""
    place = "" if argument.keyword_only else f" (position {position})"
    return TypeError(f"{op.called}(): argument '{argument.name}'{place} must be Number, not {type_name(value)}")


POSITION = re.compile(r"(\w+)\(\): argument '(\w+)'(?: \(position (\d+)\))? (must be .*)", re.DOTALL)


def of_method(error: TypeError, function: str, method: str) -> TypeError:
    """The complaint of a function about an argument as that of a method, which does not count the tensor itself."""
    text = str(error)
    combination = f"{function}() received an invalid combination of arguments - got (Tensor, "
    if text.startswith(combination):
        return TypeError(text.replace(combination, combination.replace("Tensor, ", "").replace(function, method, 1), 1))
    found = POSITION.fullmatch(text)
    if found is None or found[1] != function:
        return error
    place = f" (position {max(int(found[3]) - 1, 1)})" if found[3] else ""
    renamed = TypeError(f"{method}(): argument '{found[2]}'{place} {found[4]}")
    for note in getattr(error, "__notes__", ()):
        renamed.add_note(note)
    return renamed


def no_form(name: str, given) -> TypeError:
    """The complaint of a function of several forms, none of which takes such arguments."""
    kinds = ", ".join(map(type_name, given))
    return TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:")


def different_devices(places) -> RuntimeError:
    """Operands that live on more than one device, in their order: the first one's is expected of the others."""
    if any(each.type == "meta" for each in places):
        expected, *others = places
        other = next(each for each in others if each.type != expected.type)
        return RuntimeError(f"Tensor on device {other} is not on the expected device {expected}!")
    first, second = sorted({str(each) for each in places}, reverse=True)[:2]
    error = RuntimeError(
        f"Expected all tensors to be on the same device, but found at least two devices, {first} and {second}!"
    )
    error.add_note("Move one of them: tensor.to(other.device).")
    return error


OTHER_DTYPE = "Expected out tensor to have dtype {result_c}, but got {out_c} instead"


def other_dtype(words, result, out) -> RuntimeError:
    """An `out=` of another dtype than the result's, where PyTorch does not convert: in the words of the declaration."""
    names = {"result": SCALAR_NAMES[result], "out": SCALAR_NAMES[out]}
    names |= {"result_c": C_NAMES.get(result, result.name), "out_c": C_NAMES.get(out, out.name)}
    text = words(result, out) if callable(words) else (OTHER_DTYPE if words is True else words).format(**names)
    error = RuntimeError(text)
    error.add_note(f"Give it an out= of dtype {result!r}, or convert the result: .to({out!r}).")
    return error


def explained(op, error: Exception, values: dict, arguments) -> Exception:
    """What PyTorch would have raised, where NumPy or Python raised in its own words; else the error as it is."""
    if isinstance(error, (TypeError, IndexError)) and (wrong := wrong_dim(op, error, values)) is not None:
        return wrong
    shapes = [tuple(each.shape) for each in arguments if isinstance(each, Tensor)]
    if isinstance(error, np.exceptions.AxisError):
        return out_of_range(error.axis, error.ndim or 0)
    fit = op.kind == "elementwise" or "could not be broadcast together" in str(error)
    if fit and isinstance(error, ValueError) and len(shapes) > 1:
        mismatch = broadcast_mismatch(shapes)
        if mismatch is not None:
            return mismatch
    if type(error) is ValueError and not hasattr(error, "__notes__"):  # NumPy's has none, one of a declaration has
        translated = RuntimeError(f"{op.called}(): {error}")
        translated.add_note(f"The operands have shapes {', '.join(map(str, shapes))}.")
        return translated
    return error


def wrong_dim(op, error: Exception, values: dict) -> TypeError | None:
    """The complaint about a `dim` that is no whole number, nor several where there may be several.

    An IndexError about several whole numbers is about their range: whoever takes but one fails at its type.
    """
    for position, argument in enumerate(op.arguments, 1 - op.bound):
        value = values[argument.name]
        several = argument.role == DIMS
        taken_apart = (several or isinstance(error, IndexError)) and isinstance(value, (tuple, list))
        each_of = value if taken_apart else (value,)
        if argument.name == "dim" and value is not None and not all(hasattr(each, "__index__") for each in each_of):
            kind = "tuple of ints" if several else "int"
            return TypeError(
                f"{op.called}(): argument 'dim' (position {position}) must be {kind}, not {type_name(value)}"
            )
    return None


def broadcast_mismatch(shapes) -> RuntimeError | None:
    """PyTorch's complaint about shapes that do not broadcast."""
    reached = shapes[0]
    for shape in shapes[1:]:
        rank = max(len(reached), len(shape))
        padded = [(1,) * (rank - len(each)) + tuple(each) for each in (reached, shape)]
        for dim in reversed(range(rank)):
            a, b = padded[0][dim], padded[1][dim]
            if a != b and a != 1 and b != 1:
                return _mismatch(a, b, dim, shapes)
        reached = np.broadcast_shapes(*padded)
    return None


def _mismatch(a: int, b: int, dim: int, shapes) -> RuntimeError:
    error = RuntimeError(
        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
    )
    error.add_note(
        f"The shapes are {' and '.join(str(tuple(each)) for each in shapes)}. Aligned from the right, two sizes fit if "
        "they are equal or one of them is 1; unsqueeze(dim) puts a 1 where it is wanted."
    )
    return error
