"""After a failure: were the arguments of the kinds that PyTorch's argument parser takes?

PyTorch looks at the kinds of all arguments before it does anything, so a wrong one is what it complains of, whatever
else would have gone wrong. Functions here just run; when one has failed, it asks `check_arguments`. The kinds follow
from the declaration: from the role of an argument, its default, and else its name.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np

from rushlight.core.dtype import FLOAT, dtype
from rushlight.core.tensor import Tensor, edge_of
from rushlight.dispatch.message import no_form, type_name
from rushlight.ops.declare import DIMS, NOTHING, OPERANDS, TENSORS, VARIADIC, Argument, Op

# Arguments that mean the same wherever they stand; of a default None they may be None as well.
KINDS = {
    **dict.fromkeys(
        "A B LU LU_data LU_pivots b bias boundaries condition end indices input input1 input2 key mask mat1 mat2 "
        "other pivots query running_mean running_var sorted_sequence src target targets vec2 w_hh w_ih weight x x1 x2 "
        "y".split(),
        "Tensor",
    ),
    **dict.fromkeys(
        "N axis0 axis1 chunks dim dim0 dim1 dim2 dimension downscale_factor end_dim groups k length n num_groups "
        "offset diagonal split_size start start_dim step storage_offset upscale_factor".split(),
        "int",
    ),
    **dict.fromkeys("dims normalized_shape pad shape size sizes split_sizes repeats".split(), "tuple of ints"),
    **dict.fromkeys("dilation kernel_size output_padding output_size shifts stride".split(), "tuple of ints or int"),
    "padding": "tuple of ints or int or str",
    **dict.fromkeys("bins reduction".split()),  # several, so that nothing can be said
    **dict.fromkeys("alpha beta dx exponent fill_value max min p value".split(), "Number"),
    **dict.fromkeys("nan posinf neginf".split(), "float"),
    **dict.fromkeys("reduce equation rounding_mode".split(), "str"),
    "dtype": "torch.dtype",
}
OPTIONAL = frozenset(("weight", "bias", "running_mean", "running_var"))  # None even where there is no default
BY_DEFAULT = {bool: "bool", int: "int", float: "float", str: "str"}
# Those that take more, or another thing than the name says.
OTHERS = {
    **{(name, "dims"): "tuple of ints or int" for name in ("roll", "flip_variadic", "tile_variadic")},
    **{(name, bound): "Tensor or Number" for name in ("clamp", "clamp_") for bound in ("min", "max")},
    **{(name, "exponent"): "Tensor or Number" for name in ("pow", "float_power", "float_power_")},
    **{(name, "value"): "Tensor or Number" for name in ("masked_fill", "index_fill", "fill")},
    **{("where", each): "Tensor or Number" for each in ("input", "other")},
    **{(name, "p"): "Number or str" for name in ("norm", "norm_of_tensor", "linalg_cond")},
    **{(name, "ord"): "Number or str" for name in ("linalg_norm", "linalg_matrix_norm")},
    ("float_power", "input"): "Tensor or Number",
    **{(name, "q"): "Tensor or Number" for name in ("quantile", "nanquantile")},
    **{(name, "start"): "Tensor or Number" for name in ("narrow", "narrow_copy")},
    **{(name, "p"): "Number" for name in ("dist", "cdist")},
    **{("histc", bound): "Number" for bound in ("min", "max")},
    **{(name, "size"): "int" for name in ("local_response_norm", "nonzero_static", "unfold_copy", "windows")},
    **{(name, "dim"): "tuple of ints or bool" for name in ("std", "std_mean", "var", "var_mean")},
    **{(name, "dim"): "Tensor or int" for name in ("max", "min")},
    **{(name, "dim"): "int" for name in ("argmax", "argmin", "median", "nanmedian", "prod")},
    ("one_hot", "tensor"): "Tensor",
    ("conv_tbc", "pad"): "int",
    **{("movedim", each): "tuple of ints or int" for each in ("source", "destination")},
    ("scatter", "index"): "Tensor",
    ("scaled_dot_product_attention", "value"): "Tensor",
    ("div", "other"): "Tensor or Number",
    ("lerp", "weight"): "Tensor or Number",
    ("logsumexp", "dim"): "tuple of ints or int",
    ("repeat_interleave", "repeats"): "Tensor or Number",
    ("where_of_input", "other"): "Tensor or Number",
    ("linalg_vector_norm", "ord"): "Number",
}
# Of which nothing can be said by name.
FREE = {
    ("index_put", "indices"), ("scatter", "src"), ("split_of_size", "split_size"),
    ("pad", "value"), ("scatter", "value"), ("searchsorted", "input"), ("bucketize", "input"),
    ("isin", "input"), ("std", "correction"), ("unflatten", "dim"), ("threshold", "value"),
    ("slice_scatter", "end"), ("slice_copy", "end"), ("slice_copy", "start"),
    ("repeat_interleave", "input"), ("sum_to_size", "size"), ("adaptive_max_pool2d", "output_size"),
    ("adaptive_max_pool3d", "output_size"),
}  # fmt: skip
# What PyTorch has written in Python fails at whatever it runs into.
IN_PYTHON = frozenset(
    "adaptive_avg_pool2d adaptive_avg_pool3d binary_cross_entropy_with_logits cdist embedding interpolate normalize "
    "tensordot unique unique_consecutive upsample".split()
)
# What the functions are called that PyTorch has behind those of these names, and one of their arguments.
BEHIND = {
    "cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd", "unique_with_places": "_unique2",
    "logsigmoid": "log_sigmoid",
}  # fmt: skip
ARGUMENTS = {("one_hot", "tensor"): "input", **{(f"linalg_{each}", "A"): "input" for each in ("eigh", "cholesky")}}
PLACES = {("batch_norm", "running_mean"): 4, ("batch_norm", "running_var"): 5}
# Functions of several forms, of which PyTorch lists all in its complaint.
OF_SEVERAL_FORMS = frozenset(
    "all any argsort bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor bucketize clamp clamp_ "
    "clamp_max clamp_min clip clip_ conv1d conv2d conv3d copysign ctc_loss divide dsplit eq fill float_power "
    "float_power_ floor_divide fmod ge greater greater_equal gru gt histogramdd hsplit index_fill isin le lerp less "
    "less_equal linalg_matrix_rank linalg_pinv lstm lt masked_fill max mean min moveaxis movedim multiply nanquantile "
    "narrow ne not_equal pow prod quantile remainder repeat_interleave rnn_relu rnn_tanh rsub scatter searchsorted "
    "sort squeeze std std_mean subtract sum tensor_split true_divide var var_mean vsplit where xlogy".split()
)


BY_ONE_ARGUMENT = frozenset(("linalg_matrix_rank", "linalg_pinv"))  # of these, all forms may be called with one


def check_arguments(op: Op, arguments: tuple) -> None:
    """Raises in PyTorch's words if an argument of a call that has failed is of no kind that is taken."""
    if not (op.spaces or op.method) or op.name in IN_PYTHON or (op.method or "").startswith("__"):
        return  # of machinery whoever called it will be asked in turn; operators have words of their own
    variadic = [at for at, each in enumerate(op.arguments) if each.role == VARIADIC]
    error, several = sys.exception(), {op.called, op.name} & OF_SEVERAL_FORMS
    said = isinstance(error, TypeError) and str(error).startswith(f"{op.called}()")
    if said and not variadic and not several and ("(position" in str(error) or op.name.startswith("fft_")):
        return  # as PyTorch does; where an argument stood is left out of one that was named, as `fft(x, dim=0)` is
    values = spread(op, arguments, variadic[0]) if variadic else arguments
    check_sequences(op, values)
    for position, (argument, value) in enumerate(zip(op.arguments, values, strict=False), 1 - op.bound):
        kind = kind_of(op, argument)
        if position and kind and not is_of_kind(value, kind, argument):
            raise complaint(op, argument, position, kind, value, values) from None
    if variadic and op.bound:
        check_numbers(
            op, values[variadic[0]], {each.name: value for each, value in zip(op.arguments, values, strict=False)}
        )
    if any(type(each) is int and not -(2**63) <= each < 2**63 for each in values):
        raise ValueError("Overflow when unpacking long long") from None


def check_sequences(op: Op, values: tuple) -> None:
    """Raises unless what is given as a sequence of tensors holds tensors only."""
    at = next((at for at, each in enumerate(op.arguments) if is_of_tensors(each)), None)
    if at is None:
        return
    given = values[at]
    given = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    if isinstance(given, (tuple, list)):
        for number, each in enumerate(given):
            if not isinstance(each, Tensor):
                raise TypeError(f"expected Tensor as element {number} in argument {at}, but got {type_name(each)}")


def is_of_tensors(argument: Argument) -> bool:
    """Whether an argument is a sequence of tensors, however that is given."""
    return argument.role == TENSORS or (argument.role == VARIADIC and argument.name in ("tensors", "operands"))


def spread(op: Op, arguments: tuple, at: int) -> tuple:
    """The arguments of a call one by one, those of any number, which stand at one place, as one tuple."""
    last = len(arguments) - (len(op.arguments) - at - 1)
    return (*arguments[:at], arguments[at:last], *arguments[last:])


def check_numbers(op: Op, given: tuple, named: dict) -> None:
    """Raises unless a method that takes a size as a sequence or as several numbers got one of these."""
    name = next((each.name for each in op.arguments if kind_of(op, each) == "tuple of ints"), None)
    if name is None or named[name] is not None:
        return
    if not given:
        raise TypeError(f'{op.called}() missing 1 required positional arguments: "{name}"') from None
    if len(given) > 1 and not are_whole(given):
        raise several_numbers(op.called, name, given) from None
    words = wrong(given[0], "tuple of ints")
    if len(given) == 1 and not (is_whole(given[0]) or are_whole(given[0]) or isinstance(given[0], dtype)):
        raise TypeError(f"{op.called}(): argument '{name}' (position 1) must be tuple of ints, {words}") from None


def several_numbers(called: str, name: str, given: tuple) -> TypeError:
    """The complaint of a function that took several numbers for a size, and not all of them are whole."""
    if not is_whole(given[0]):
        if called in SIZED_IN_FORMS:
            return no_form(called, given)
        return TypeError(f"{called}() takes 1 positional argument but {len(given)} were given")
    at, wrong = next((at, each) for at, each in enumerate(given, 1) if not is_whole(each))
    return TypeError(
        f"{called}(): argument '{name}' failed to unpack the object at pos {at} with error \"type must be tuple of "
        f'ints,but got {type_name(wrong)}"'
    )


SIZED_IN_FORMS = frozenset(("view", "rand", "randn"))  # functions with a size in several forms


@cache
def kind_of(op: Op, argument: Argument) -> str | None:
    """The kind of an argument of an operator, as PyTorch calls it; None where nothing is known."""
    if (op.name, argument.name) in FREE or argument.role in (TENSORS, VARIADIC):
        return None
    if argument.role in OPERANDS:
        return "Tensor or Number" if op.takes_number(argument.name) else "Tensor"
    if (op.name, argument.name) in OTHERS:
        return OTHERS[op.name, argument.name]
    if argument.role == DIMS or argument.name == "dim" and isinstance(argument.default, (tuple, type(None))):
        return "tuple of ints or int"
    if type(argument.default) in (bool, float):
        return BY_DEFAULT[type(argument.default)]
    return KINDS[argument.name] if argument.name in KINDS else BY_DEFAULT.get(type(argument.default))


def is_of_kind(value, kind: str, argument: Argument) -> bool:
    """Whether PyTorch's parser takes a value for a kind."""
    if value is None:
        return (
            argument.default is None
            or argument.name in OPTIONAL
            or argument.role.endswith("None")
            or argument.role == DIMS
        )
    if value is argument.default or hasattr(type(value), "__torch_function__") and not isinstance(value, Tensor):
        return True  # an object that answers calls itself has answered this one
    return TAKES[kind](value)


def is_whole(value) -> bool:
    """A whole number: a boolean is none, and a tensor of one whole number is one."""
    if isinstance(value, Tensor):
        return not value._array.ndim and value.dtype.category < FLOAT and edge_of(value) is None
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value) -> bool:
    if isinstance(value, Tensor):
        return not value._array.ndim and edge_of(value) is None
    return isinstance(value, (bool, int, float, complex, np.number, np.bool_))


def are_whole(values) -> bool:
    return isinstance(values, (tuple, list)) and all(map(is_whole, values))


TAKES = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "int": is_whole,
    "tuple of ints": are_whole,
    "tuple of ints or int": lambda value: is_whole(value) or are_whole(value),
    "tuple of ints or int or str": lambda value: isinstance(value, str) or is_whole(value) or are_whole(value),
    "tuple of ints or bool": lambda value: isinstance(value, bool) or is_whole(value) or are_whole(value),
    "Tensor or int": lambda value: isinstance(value, Tensor) or is_whole(value),
    "bool": lambda value: isinstance(value, (bool, np.bool_)),
    "float": lambda value: is_number(value) and not isinstance(value, (complex, np.complexfloating)),
    "Number": is_number,
    "Tensor or Number": lambda value: isinstance(value, Tensor) or is_number(value),
    "Number or str": lambda value: isinstance(value, str) or is_number(value),
    "str": lambda value: isinstance(value, str),
    "torch.dtype": lambda value: isinstance(value, (dtype, type)),
}


def complaint(op: Op, argument: Argument, position: int, kind: str, value, values: tuple) -> TypeError:
    """PyTorch's words for an argument of a wrong kind."""
    name, kinds = BEHIND.get(op.called, op.called), got(op, values)
    if {op.called, op.name} & OF_SEVERAL_FORMS and (op.bound or len(kinds) > 1 or op.name in BY_ONE_ARGUMENT):
        return TypeError(
            f"{name}() received an invalid combination of arguments - got ({', '.join(kinds)}), but expected "
            f"one of:\n * ({', '.join(spelled(op))})"
        )
    place = "" if argument.keyword_only else f" (position {PLACES.get((op.name, argument.name), position)})"
    argument_name = ARGUMENTS.get((op.name, argument.name), argument.name)
    return TypeError(
        f"{name}(): argument '{argument_name}'{place} must be {kind.partition(' or ')[0]}, {wrong(value, kind)}"
    )


def wrong(value, kind: str) -> str:
    """What was given in the place of something else; of a sequence, the first element that is no whole number."""
    if isinstance(value, (tuple, list)) and kind.startswith("tuple"):
        for at, element in enumerate(value):
            if not is_whole(element):
                return f"but found element of type {type_name(element)} at pos {at}"
    return f"not {type_name(value)}"


def got(op: Op, values: tuple) -> list[str]:
    """The types of the arguments that were given, in so far as they are not defaults."""
    pairs = list(zip(op.arguments, values, strict=False))[op.bound :]
    placed = [(argument, value) for argument, value in pairs if not argument.keyword_only]
    while placed and placed[-1][1] is placed[-1][0].default:
        placed.pop()
    named = [(argument, value) for argument, value in pairs if argument.keyword_only and value is not argument.default]
    found = [*(type_name(value) for _, value in placed), *(f"{each.name}={type_name(value)}" for each, value in named)]
    return [*found, ""] if named and not placed else found  # so PyTorch ends such a list


def spelled(op: Op) -> list[str]:
    """The arguments that the operator takes, with their kinds."""
    return [
        f"{kind_of(op, each) or 'object'} {each.name}" + ("" if each.default is NOTHING else f" = {each.default}")
        for each in op.arguments[op.bound :]
    ]
