"""Checks the types of arguments as PyTorch's argument parser does, after a call has failed.

PyTorch checks all types first, so a wrong type is the error that it raises, whatever else is wrong. Our functions run
unchecked and call `check_arguments` when they have failed. The type of an argument follows from its annotation in the
declaration, else from its default, else from its name. "Kind" is PyTorch's name for a type, such as "tuple of ints".
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np

from rushlight.arrays.elementwise import check_size
from rushlight.core.convertible import is_integer
from rushlight.core.dtype import dtype
from rushlight.core.tensor import Tensor, edge_of
from rushlight.declarations.declare import DIMS, NOTHING, OPERANDS, TENSORS, UNKNOWN, VARIADIC, Argument, Op
from rushlight.declarations.promote import PYTHON_DTYPES
from rushlight.dispatch.message import made_a_tensor, no_form, not_a_tensor, type_name
from rushlight.dispatch.operands import NUMBERS

# Kinds by name of argument. An argument with the default None may also be None.
KINDS = {
    **dict.fromkeys(
        "A B LU LU_data LU_pivots L append attn_mask aweights b b_hh b_ih bias boundaries condition end fweights grid "
        "hx index indices input input1 input2 key log_probs mask mat1 mat2 mat_a mat_b offs offsets other "
        "per_sample_weights pivots pos_weight prepend query theta running_mean running_var sorted_sequence sorter src "
        "target targets tau v values vec2 w_hh w_ih weight window x x1 x2 y".split(),
        "Tensor",
    ),
    **dict.fromkeys(
        "C HxW N axis0 axis1 blank chunks dim dim0 dim1 dim2 dimension divisor_override downscale_factor "
        "end_dim group groups hop_length interpolation_mode k length minlength mode n n_fft num_groups num_layers "
        "offset diagonal padding_idx padding_mode split_size row col start start_dim step storage_offset "
        "upscale_factor win_length".split(),
        "int",
    ),
    **dict.fromkeys("dims normalized_shape pad shape size sizes split_sizes repeats".split(), "tuple of ints"),
    **dict.fromkeys(
        "dilation kernel_size output_padding output_size padding s shifts stride".split(), "tuple of ints or int"
    ),
    **dict.fromkeys("bins reduction".split()),  # of several kinds, so they are not checked
    **dict.fromkeys("alpha beta dx exponent fill_value lambd margin max maxnorm max_val min min_val".split(), "Number"),
    **dict.fromkeys("correction negative_slope p threshold value".split(), "Number"),
    **dict.fromkeys("atol rcond rtol tol".split(), "float or Tensor"),
    **dict.fromkeys("dropout eps max_norm momentum nan neginf norm_type posinf scale".split(), "float"),
    **dict.fromkeys("driver equation indexing norm reduce rounding_mode side".split(), "str"),
    **dict.fromkeys(
        "align_corners align_to_window bidirectional cudnn_enabled has_biases onesided stable train training "
        "transposed upper full log_input return_complex".split(),
        "bool",
    ),
    "dtype": "torch.dtype",
    "tensors": "tuple of Tensors",
}
BY_DEFAULT = {bool: "bool", int: "int", float: "float", str: "str"}
# PyTorch's words for annotations.
SPOKEN = {"Ints": "tuple of ints", "Sequence": "sequence", "Sizes": "sizes", "Tensors": "tuple of Tensors"}
# Functions that PyTorch has in Python: they fail at the first attribute of a tensor that they use.
IN_PYTHON = frozenset("interpolate normalize tensordot upsample".split())
ASKED = {
    **{f"adaptive_{kind}_pool{rank}d": ("size",) for kind in ("avg", "max") for rank in (2, 3)},
    "max_unpool1d": ("size", "unsqueeze"),
    **dict.fromkeys(("max_unpool2d", "max_unpool3d"), ("size",)),
    **dict.fromkeys(("lp_pool1d", "lp_pool2d", "lp_pool3d"), ("pow",)),
    **dict.fromkeys(
        ("interpolate", "local_response_norm", "stft", "upsample", "upsample_bilinear", "upsample_nearest"), ("dim",)
    ),
    **dict.fromkeys(("pca_lowrank", "svd_lowrank"), ("shape",)),
    **dict.fromkeys(("split", "split_of_size"), ("split",)),
    "binary_cross_entropy": ("size", "size", "size"),
    "bags_of_embeddings": ("dim", "dim"),
    "instance_norm": ("size",),
    "linear_cross_entropy": ("dim", "dim", "shape"),
    "lobpcg": ("requires_grad",),
    "max_pool3d_with_indices": ("is_cuda",),
    "norm": ("layout",),
    "normalize": ("norm",),
    "softmin": ("softmax",),
    "softsign": ("abs",),
    "tanhshrink": ("tanh",),
    "unravel_index": ("is_complex",),
}  # of tensors, by position
# The names that PyTorch's errors have for these functions, and for one of their arguments.
BEHIND = {
    "cross_entropy": "cross_entropy_loss", "digamma_derivative_": "polygamma_", "fold": "col2im",
    "logsigmoid": "log_sigmoid", "lu": "_lu_with_info", "nll_loss": "nll_loss_nd", "sliding_blocks": "im2col",
    "torch_batch_norm": "batch_norm", "torch_instance_norm": "instance_norm", "unique": "_unique2",
    "unique_with_places": "_unique2",
}  # fmt: skip
PAIRED = frozenset(("fold", "sliding_blocks"))  # PyTorch repeats their sizes before it checks them
ARGUMENTS = {
    ("one_hot", "tensor"): "input",
    ("lu", "A"): "input",
    ("cholesky_inverse", "L"): "input",
    ("linalg_tensorsolve", "B"): "other",
    ("ormqr", "tau"): "input2",
    ("ormqr", "other"): "input3",
    **{
        (f"linalg_{name}", "A"): "input"
        for name in (
            "cholesky cholesky_ex cond eig eigh eigvals eigvalsh householder_product ldl_factor ldl_factor_ex "
            "matrix_exp matrix_norm matrix_power solve_triangular tensorinv tensorsolve"
        ).split()
    },
}
# The arguments that PyTorch's Python code passes on to a function of several forms.
HANDED_ON = {
    "stft": "input n_fft hop_length win_length window normalized onesided return_complex align_to_window".split()
}
PLACES = {
    **{
        (name, argument): position
        for name in ("batch_norm", "instance_norm")
        for position, argument in enumerate(("weight", "bias", "running_mean", "running_var"), 2)
    },
    # PyTorch's method is a Python function, which counts the tensor itself.
    **{
        ("istft", argument): position
        for position, argument in enumerate("n_fft hop_length win_length window".split(), 2)
    },
    ("istft", "normalized"): 7,
}
# Functions of several forms: minimum and maximum number of arguments of each form, without the tensor itself.
FORMS = {
    name: [tuple(map(int, form.split("-"))) for form in counts.split()]
    for counts, names in {
        "0-0 0-0": "atleast_1d atleast_2d atleast_3d",
        "0-0 0-2 1-2": "all any",
        "0-0 1-1": "nonzero round",
        "0-0 1-1 1-1": "squeeze squeeze_copy",
        "0-0 1-1 1-2": "max min",
        "0-0 1-2": "median nanmedian",
        "0-0 2-2 2-2": "where",
        "0-1 0-3 1-3": "std std_mean var var_mean",
        "0-1 1-1": "count_nonzero linalg_cond",
        "0-1 1-3": "mean prod sum",
        "0-1 1-3 1-3": "repeat_interleave",
        "0-2 0-2": "clamp clip",
        "0-2 1-2": "cumulative_trapezoid trapezoid trapz",
        "0-2 1-3": "argsort sort",
        "0-3 0-3 1-2 1-2": "linalg_matrix_rank linalg_pinv",
        "0-3 1-2 1-3 1-3 2-3 2-3 2-3": "gradient",
        "0-4 1-3": "histogram",
        "0-4 1-4": "linalg_matrix_norm linalg_norm",
        "1-1 1-1": "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor clamp_max clamp_min "
        "copysign dsplit eq fill float_power floor_divide fmod ge greater greater_equal gt hsplit le less less_equal "
        "lt multiply ne not_equal pow remainder special_chebyshev_polynomial_t special_chebyshev_polynomial_u "
        "special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_hermite_polynomial_h "
        "special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p "
        "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
        "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_xlog1py special_xlogy "
        "special_zeta true_divide view view_copy vsplit xlogy",
        "1-1 1-1 2-2 2-2": "divide",
        "1-1 2-2": "bmm mm",
        "1-1 2-2 2-2": "div",
        "1-2 1-2": "rsub subtract",
        "1-2 1-2 1-2": "tensor_split",
        "1-3 1-3": "bucketize isin",
        "1-4 1-4": "histogramdd nanquantile quantile",
        "1-5 1-5": "searchsorted",
        "1-6 1-6": "conv1d conv2d conv3d",
        "2-2 2-2": "lerp masked_fill moveaxis movedim",
        "2-4 3-5": "addmm baddbmm",
        "2-7 8-8": "embedding_bag",
        "3-3 3-3": "index_fill narrow",
        "3-3 3-3 4-4 4-4": "scatter",
        "3-6 3-6": "ctc_loss",
        "8-8 8-8": "gru lstm rnn_relu rnn_tanh",
    }.items()
    for name in names.split()
}


FORMS_OF_FUNCTIONS = frozenset("addmm baddbmm".split())  # their methods have one form


def check_arguments(op: Op, arguments: tuple) -> None:
    """Raises PyTorch's error if an argument of a failed call has a wrong type."""
    if not (op.spaces or op.method) or (op.method or "").startswith("__"):
        return  # of an internal function the caller is checked; operators have their own errors
    check_asked(op, arguments)
    if op.name in IN_PYTHON or op.name == "einsum" and isinstance(arguments[0], Tensor):
        return  # each operand of `einsum` may be followed by its labels
    variadic = [index for index, argument in enumerate(op.arguments) if argument.role == VARIADIC]
    error, several = sys.exception(), forms_of(op)
    if op.name.startswith("fft_") and isinstance(error, TypeError) and str(error).startswith(f"{op.called}()"):
        return  # as in PyTorch; the position is left out of an argument passed by name, as in `fft(x, dim=0)`
    if op.bound and arguments and not isinstance(arguments[0], Tensor):
        raise not_a_tensor(op, op.arguments[0], 0, arguments[0]) from None
    values = spread(op, arguments, variadic[0]) if variadic else arguments
    check_sequences(op, values)
    numbers = isinstance(error, (TypeError, OverflowError)) and not any(isinstance(value, Tensor) for value in values)
    no_tensor = numbers or isinstance(error, TypeError) and " must be Tensor, not " in str(error)
    if several and no_tensor and len(forms_for(op, values)) != 1:
        raise combination(op, values) from None
    for position, (argument, value) in enumerate(zip(op.arguments, values, strict=False), 1 - op.bound):
        kind = kind_of(op, argument)
        if position and kind and not is_of_kind(value, kind, argument):
            raise complaint(op, argument, position, kind, value, values) from None
    if variadic and op.bound:
        check_numbers(
            op,
            values[variadic[0]],
            {argument.name: value for argument, value in zip(op.arguments, values, strict=False)},
        )
    if op.forms:
        check_form(op, values)
    check_lengths(op, values)


def check_asked(op: Op, arguments: tuple) -> None:
    """Raises the AttributeError of PyTorch's Python code if an argument is no tensor."""
    for argument, value, attribute in zip(op.arguments, arguments, ASKED.get(op.name, ()), strict=False):
        absent = value is None and may_be_none(argument)
        if not absent and not isinstance(value, Tensor) and not hasattr(value, attribute):
            raise AttributeError(f"'{type_name(value)}' object has no attribute '{attribute}'") from None


def check_form(op: Op, values: tuple) -> None:
    """Raises TypeError unless one form of a function takes all arguments."""
    for kinds in forms_by_kinds(op):
        rows = zip(kinds, op.arguments, values, strict=True)
        if all(is_of_kind(value, kind, argument) for kind, argument, value in rows):
            for position, (kind, value) in enumerate(zip(kinds, values, strict=True)):
                if kind == "tuple of Tensors":
                    check_elements(position, value)
            return
    raise combination(op, values) from None


@cache
def forms_by_kinds(op: Op) -> list[list[str]]:
    """Returns the kinds of the arguments in each form of a function."""
    return [[SPOKEN.get(name, name) for name in form.split(", ")] for form in op.forms]


def check_lengths(op: Op, values: tuple) -> None:
    """Raises for integers of more than 64 bits."""
    for argument, value in zip(op.arguments, values, strict=False):
        if out_of_range(value):
            if kind_of(op, argument) in ("Number", "Tensor or Number"):
                check_size(value)
                continue
            if kind_of(op, argument) == "tuple of ints" or op.name in PAIRED:
                raise unpacking(op.called, argument.name, (value,)) from None
            if kind_of(op, argument) != "float":
                raise ValueError("Overflow when unpacking long long") from None


def forms_of(op: Op) -> list[tuple[int, ...]]:
    """Returns minimum and maximum number of arguments of each form; empty if there is one form."""
    if op.bound and op.name in FORMS_OF_FUNCTIONS:
        return []
    if op.forms:
        least = len([argument for argument in op.arguments if argument.default is NOTHING]) - 1
        return [(least, len(op.arguments) - 1)] * len(op.forms)
    return FORMS.get(op.called.removesuffix("_")) or FORMS.get(op.name.removesuffix("_")) or []


def check_sequences(op: Op, values: tuple) -> None:
    """Raises TypeError if a sequence of tensors has another element."""
    index = next((index for index, argument in enumerate(op.arguments) if is_of_tensors(argument)), None)
    if index is None or op.forms:
        return
    sequence = values[index]
    if isinstance(sequence, (tuple, list)):
        sequence = sequence[0] if len(sequence) == 1 and isinstance(sequence[0], (tuple, list)) else sequence
        check_elements(index - op.bound, sequence)


def check_elements(position: int, sequence) -> None:
    """Raises TypeError if an element of a sequence is no tensor."""
    for index, element in enumerate(sequence):
        if not isinstance(element, Tensor):
            words = f"expected Tensor as element {index} in argument {position}, but got {type_name(element)}"
            raise TypeError(words) from None


def is_of_tensors(argument: Argument) -> bool:
    """Returns whether an argument is a sequence of tensors."""
    return argument.role == TENSORS or argument.name in ("tensors", "operands", "matrices", "params")


def spread(op: Op, arguments: tuple, at: int) -> tuple:
    """Returns the arguments of a call one by one, with the variadic ones, from index `at` on, as one tuple."""
    last = len(arguments) - (len(op.arguments) - at - 1)
    return (*arguments[:at], arguments[at:last], *arguments[last:])


def check_numbers(op: Op, args: tuple, named: dict) -> None:
    """Raises TypeError unless a method with a size got a sequence or separate integers."""
    name = next((argument.name for argument in op.arguments if kind_of(op, argument) == "tuple of ints"), None)
    if name is None or named[name] is not None or named.get("dtype") is not None:
        return
    if not args:
        if isinstance(named.get("dtype"), dtype):
            return
        raise TypeError(f'{op.called}() missing 1 required positional arguments: "{name}"') from None
    if len(args) > 1 and not are_whole(args):
        raise several_numbers(op.called, name, args) from None
    words = wrong(args[0], "tuple of ints")
    if len(args) == 1 and not (is_integer(args[0]) or are_whole(args[0]) or isinstance(args[0], dtype)):
        raise TypeError(f"{op.called}(): argument '{name}' (position 1) must be tuple of ints, {words}") from None


def several_numbers(called: str, name: str, args: tuple) -> TypeError:
    """Returns the error for a size of separate numbers that are not all integers."""
    if not is_integer(args[0]):
        if called in SIZED_IN_FORMS:
            return no_form(called, args)
        return TypeError(f"{called}() takes 1 positional argument but {len(args)} were given")
    return unpacking(called, name, args)


SIZED_IN_FORMS = frozenset(("view", "rand", "randn"))  # functions of several forms with a size


@cache
def kind_of(op: Op, argument: Argument) -> str | None:
    """Returns the kind of an argument, or None if it is not checked."""
    if argument.role in (VARIADIC, UNKNOWN):
        return None
    if op.forms:
        return " or ".join(dict.fromkeys(kinds[op.arguments.index(argument)] for kinds in forms_by_kinds(op)))
    if argument.role in OPERANDS and argument.role != TENSORS:
        taken = op.takes_number(argument.name) and len(op.operands()) > 1
        return "Tensor or Number" if taken else "Tensor"
    if argument.role and argument.role != DIMS:
        return " or ".join(SPOKEN.get(name, name) for name in argument.role.removesuffix(" | None").split(" | "))
    if argument.role or argument.name == "dim" and isinstance(argument.default, (tuple, type(None))):
        return "tuple of ints or int"
    if type(argument.default) in (bool, float) and KINDS.get(argument.name) != "Number":
        return BY_DEFAULT[type(argument.default)]
    return KINDS[argument.name] if argument.name in KINDS else BY_DEFAULT.get(type(argument.default))


def may_be_none(argument: Argument) -> bool:
    """Returns whether PyTorch takes None for an argument."""
    return argument.default is None or argument.role.endswith("None") or argument.role == DIMS


def is_of_kind(value, kind: str, argument: Argument) -> bool:
    """Returns whether PyTorch's parser takes a value for a kind."""
    if value is None:
        return may_be_none(argument)
    if value is argument.default or hasattr(type(value), "__torch_function__") and not isinstance(value, Tensor):
        return True  # such an object has overridden the call
    return any(TAKES[name](value) for name in kind.split(" or "))


def is_number(value) -> bool:
    if isinstance(value, Tensor):
        return not value._array.ndim and edge_of(value) is None
    return isinstance(value, NUMBERS)


def are_whole(values) -> bool:
    return isinstance(values, (tuple, list)) and all(is_integer(value) and not out_of_range(value) for value in values)


TAKES = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "int": is_integer,
    "tuple of ints": are_whole,
    "bool": lambda value: isinstance(value, bool),
    "float": lambda value: is_number(value) and not isinstance(value, (complex, np.complexfloating)),
    "Number": is_number,
    "tuple of Tensors": lambda value: isinstance(value, (tuple, list)),
    "sizes": lambda value: isinstance(value, (tuple, list)) and all(x is None or is_integer(x) for x in value),
    "sequence": lambda value: isinstance(value, (tuple, list)),
    "str": lambda value: isinstance(value, str),
    "torch.dtype": lambda value: isinstance(value, dtype) or isinstance(value, type) and value in PYTHON_DTYPES,
}


def complaint(op: Op, argument: Argument, position: int, kind: str, value, values: tuple) -> TypeError:
    """Returns PyTorch's error for an argument of a wrong type."""
    name = BEHIND.get(op.called, op.called)
    unpacked = not_unpacked(name, argument, value, kind)
    if unpacked is not None:
        return unpacked
    if op.name in HANDED_ON or forms_of(op) and len(forms_for(op, values)) != 1:
        return combination(op, values)
    place = "" if argument.keyword_only else f" (position {PLACES.get((op.name, argument.name), position)})"
    if op.name in PAIRED and kind != "Tensor" and not isinstance(value, (tuple, list)):
        value = (value,)
    argument_name = ARGUMENTS.get((op.name, argument.name), argument.name)
    expected = kind.partition(" or ")[0]
    error = TypeError(f"{name}(): argument '{argument_name}'{place} must be {expected}, {wrong(value, kind)}")
    return made_a_tensor(error, argument, value) if expected == "Tensor" else error


def forms_for(op: Op, values: tuple) -> list[tuple[int, ...]]:
    """Returns the forms that take this number of arguments."""
    count = len([name for name in got(op, values) if name]) - (not op.bound)
    return [form for form in forms_of(op) if form[0] <= count <= form[1]]


def combination(op: Op, values: tuple, *more: str) -> TypeError:
    """Returns PyTorch's error for arguments that no form of a function takes."""
    return TypeError(
        f"{BEHIND.get(op.called, op.called)}() received an invalid combination of arguments - got "
        f"({', '.join([*got(op, values), *more])}), but expected one of:\n * ({', '.join(spelled(op))})"
    )


def wrong_out(op: Op, arguments: tuple, out, words: str) -> TypeError:
    """Returns PyTorch's error for an `out=` of a wrong type."""
    if forms_of(op) and len(forms_for(op, arguments)) != 1:
        return combination(op, arguments, f"out={type_name(out)}")
    return TypeError(f"{BEHIND.get(op.called, op.called)}(): {words}")


def not_unpacked(name: str, argument: Argument, value, kind: str) -> TypeError | None:
    """Returns the error for a sequence whose first element is an integer and a later one is not."""
    if not isinstance(value, (tuple, list)) or not kind.startswith("tuple of ints") or not value:
        return None
    return unpacking(name, argument.name, value) if is_integer(value[0]) else None


def unpacking(called: str, name: str, values) -> TypeError:
    """Returns the error for the first of several values that is no integer of 64 bits."""
    at, wrong = next((at, x) for at, x in enumerate(values, 1) if not is_integer(x) or out_of_range(x))
    reason = f"type must be tuple of ints,but got {type_name(wrong)}"
    if out_of_range(wrong):
        reason = "Overflow when unpacking long long"
    return TypeError(f"{called}(): argument '{name}' failed to unpack the object at pos {at} with error \"{reason}\"")


def out_of_range(value) -> bool:
    """Returns whether a value is an integer of more than 64 bits."""
    return type(value) is int and not -(2**63) <= value < 2**63


def wrong(value, kind: str) -> str:
    """Returns the end of an error: the wrong type, or that of the first element of a sequence that is no integer."""
    if isinstance(value, (tuple, list)) and kind.startswith("tuple of ints"):
        for at, element in enumerate(value):
            if not is_integer(element):
                return f"but found element of type {type_name(element)} at pos {at}"
    return f"not {type_name(value)}"


def got(op: Op, values: tuple) -> list[str]:
    """Returns the types of the arguments of a call, without those at their defaults."""
    if op.name in HANDED_ON:
        handed = HANDED_ON[op.name]
        return [
            type_name(value) for argument, value in zip(op.arguments, values, strict=True) if argument.name in handed
        ]
    pairs = list(zip(op.arguments, values, strict=False))[op.bound :]
    positional = [
        (argument, x)
        for argument, value in pairs
        if not argument.keyword_only
        for x in (value if argument.role == VARIADIC else (value,))
    ]
    while positional and positional[-1][1] is positional[-1][0].default:
        positional.pop()
    named = [(argument, value) for argument, value in pairs if argument.keyword_only and value is not argument.default]
    named.reverse()  # the order in PyTorch's error
    types = [type_name(value) for _, value in positional]
    types += [f"{argument.name}={type_name(value)}" for argument, value in named]
    return [*types, ""] if named and not positional else types  # PyTorch ends such a list with a comma


def spelled(op: Op) -> list[str]:
    """Returns the arguments that the operator takes, with their kinds."""
    return [
        f"{kind_of(op, x) or 'object'} {x.name}" + ("" if x.default is NOTHING else f" = {x.default}")
        for x in op.arguments[op.bound :]
    ]
