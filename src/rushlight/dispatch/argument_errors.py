"""After a failure: were the arguments of the kinds that PyTorch's argument parser takes?

PyTorch looks at the kinds of all arguments before it does anything, so a wrong one is what it complains of, whatever
else would have gone wrong. Functions here just run; when one has failed, it asks `check_arguments`. The kinds follow
from the declaration: from the annotation of an argument, its default, and else its name.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np

from rushlight.arrays.elementwise import check_size
from rushlight.core.convertible import is_whole
from rushlight.core.dtype import dtype
from rushlight.core.tensor import Tensor, edge_of
from rushlight.declarations.declare import DIMS, NOTHING, OPERANDS, TENSORS, UNKNOWN, VARIADIC, Argument, Op
from rushlight.declarations.promote import PYTHON_DTYPES
from rushlight.dispatch.message import made_a_tensor, no_form, not_a_tensor, type_name
from rushlight.dispatch.operands import NUMBERS

# Arguments that mean the same wherever they stand; of a default None they may be None as well.
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
    **dict.fromkeys("bins reduction".split()),  # several, so that nothing can be said
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
# The words of annotations that PyTorch has others for.
SPOKEN = {"Ints": "tuple of ints", "Sequence": "sequence", "Sizes": "sizes", "Tensors": "tuple of Tensors"}
# What PyTorch has written in Python fails at whatever it runs into: often at what it asks of a tensor first.
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
# What the functions are called that PyTorch has behind those of these names, and one of their arguments.
BEHIND = {
    "cross_entropy": "cross_entropy_loss", "digamma_derivative_": "polygamma_", "fold": "col2im",
    "logsigmoid": "log_sigmoid", "lu": "_lu_with_info", "nll_loss": "nll_loss_nd", "sliding_blocks": "im2col",
    "torch_batch_norm": "batch_norm", "torch_instance_norm": "instance_norm", "unique": "_unique2",
    "unique_with_places": "_unique2",
}  # fmt: skip
PAIRED = frozenset(("fold", "sliding_blocks"))  # whose sizes PyTorch repeats before it looks at them
ARGUMENTS = {
    ("one_hot", "tensor"): "input",
    ("lu", "A"): "input",
    ("cholesky_inverse", "L"): "input",
    ("linalg_tensorsolve", "B"): "other",
    ("ormqr", "tau"): "input2",
    ("ormqr", "other"): "input3",
    **{
        (f"linalg_{each}", "A"): "input"
        for each in (
            "cholesky cholesky_ex cond eig eigh eigvals eigvalsh householder_product ldl_factor ldl_factor_ex "
            "matrix_exp matrix_norm matrix_power solve_triangular tensorinv tensorsolve"
        ).split()
    },
}
# What PyTorch's Python hands on to a function of several forms, all of it.
HANDED_ON = {
    "stft": "input n_fft hop_length win_length window normalized onesided return_complex align_to_window".split()
}
PLACES = {
    **{
        (name, argument): place
        for name in ("batch_norm", "instance_norm")
        for place, argument in enumerate(("weight", "bias", "running_mean", "running_var"), 2)
    },
    # PyTorch's method is a function in Python, which counts the tensor itself.
    **{("istft", argument): place for place, argument in enumerate("n_fft hop_length win_length window".split(), 2)},
    ("istft", "normalized"): 7,
}
# Functions of several forms: how many arguments each form takes beside the tensor itself, at least and at most.
FORMS = {
    name: [tuple(map(int, each.split("-"))) for each in counts.split()]
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


FORMS_OF_FUNCTIONS = frozenset("addmm baddbmm".split())  # whose methods have one form


def check_arguments(op: Op, arguments: tuple) -> None:
    """Raises in PyTorch's words if an argument of a call that has failed is of no kind that is taken."""
    if not (op.spaces or op.method) or (op.method or "").startswith("__"):
        return  # of machinery whoever called it will be asked in turn; operators have words of their own
    check_asked(op, arguments)
    if op.name in IN_PYTHON:
        return
    variadic = [at for at, each in enumerate(op.arguments) if each.role == VARIADIC]
    error, several = sys.exception(), forms_of(op)
    if op.name.startswith("fft_") and isinstance(error, TypeError) and str(error).startswith(f"{op.called}()"):
        return  # as PyTorch does; where an argument stood is left out of one that was named, as `fft(x, dim=0)` is
    if op.bound and arguments and not isinstance(arguments[0], Tensor):
        raise not_a_tensor(op, op.arguments[0], 0, arguments[0]) from None
    values = spread(op, arguments, variadic[0]) if variadic else arguments
    check_sequences(op, values)
    numbers = isinstance(error, (TypeError, OverflowError)) and not any(isinstance(each, Tensor) for each in values)
    no_tensor = numbers or isinstance(error, TypeError) and " must be Tensor, not " in str(error)
    if several and no_tensor and len(forms_for(op, values)) != 1:
        raise combination(op, values) from None
    for position, (argument, value) in enumerate(zip(op.arguments, values, strict=False), 1 - op.bound):
        kind = kind_of(op, argument)
        if position and kind and not is_of_kind(value, kind, argument):
            raise complaint(op, argument, position, kind, value, values) from None
    if variadic and op.bound:
        check_numbers(
            op, values[variadic[0]], {each.name: value for each, value in zip(op.arguments, values, strict=False)}
        )
    if op.forms:
        check_form(op, values)
    check_lengths(op, values)


def check_asked(op: Op, arguments: tuple) -> None:
    """Raises for something else in the place of a tensor what PyTorch's Python code runs into."""
    for argument, value, asked in zip(op.arguments, arguments, ASKED.get(op.name, ()), strict=False):
        absent = value is None and may_be_none(argument)
        if not absent and not isinstance(value, Tensor) and not hasattr(value, asked):
            raise AttributeError(f"'{type_name(value)}' object has no attribute '{asked}'") from None


def check_form(op: Op, values: tuple) -> None:
    """Raises unless one form of a function takes all arguments as they are."""
    for kinds in forms_by_kinds(op):
        takers = zip(kinds, op.arguments, values, strict=True)
        if all(is_of_kind(value, kind, argument) for kind, argument, value in takers):
            for place, (kind, value) in enumerate(zip(kinds, values, strict=True)):
                if kind == "tuple of Tensors":
                    check_elements(place, value)
            return
    raise combination(op, values) from None


@cache
def forms_by_kinds(op: Op) -> list[list[str]]:
    """The kinds of the arguments in each form of a function, as PyTorch calls them."""
    return [[SPOKEN.get(each, each) for each in form.split(", ")] for form in op.forms]


def check_lengths(op: Op, values: tuple) -> None:
    """Raises for whole numbers of more than 64 bits."""
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
    """How many arguments the forms of a function take beside the tensor itself; nothing where there is but one."""
    if op.bound and op.name in FORMS_OF_FUNCTIONS:
        return []
    if op.forms:
        least = len([each for each in op.arguments if each.default is NOTHING]) - 1
        return [(least, len(op.arguments) - 1)] * len(op.forms)
    return FORMS.get(op.called.removesuffix("_")) or FORMS.get(op.name.removesuffix("_")) or []


def check_sequences(op: Op, values: tuple) -> None:
    """Raises unless what is given as a sequence of tensors holds tensors only."""
    at = next((at for at, each in enumerate(op.arguments) if is_of_tensors(each)), None)
    if at is None or op.forms:
        return
    given = values[at]
    if isinstance(given, (tuple, list)):
        given = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
        check_elements(at - op.bound, given)


def check_elements(place: int, sequence) -> None:
    """Raises unless a sequence holds tensors only."""
    for number, each in enumerate(sequence):
        if not isinstance(each, Tensor):
            words = f"expected Tensor as element {number} in argument {place}, but got {type_name(each)}"
            raise TypeError(words) from None


def is_of_tensors(argument: Argument) -> bool:
    """Whether an argument is a sequence of tensors, however that is given."""
    return argument.role == TENSORS or argument.name in ("tensors", "operands", "matrices", "params")


def spread(op: Op, arguments: tuple, at: int) -> tuple:
    """The arguments of a call one by one, those of any number, which stand at one place, as one tuple."""
    last = len(arguments) - (len(op.arguments) - at - 1)
    return (*arguments[:at], arguments[at:last], *arguments[last:])


def check_numbers(op: Op, given: tuple, named: dict) -> None:
    """Raises unless a method that takes a size as a sequence or as several numbers got one of these."""
    name = next((each.name for each in op.arguments if kind_of(op, each) == "tuple of ints"), None)
    if name is None or named[name] is not None or named.get("dtype") is not None:
        return
    if not given:
        if isinstance(named.get("dtype"), dtype):
            return
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
    return unpacking(called, name, given)


SIZED_IN_FORMS = frozenset(("view", "rand", "randn"))  # functions with a size in several forms


@cache
def kind_of(op: Op, argument: Argument) -> str | None:
    """The kind of an argument of an operator, as PyTorch calls it; None where nothing is known."""
    if argument.role in (VARIADIC, UNKNOWN):
        return None
    if op.forms:
        return " or ".join(dict.fromkeys(kinds[op.arguments.index(argument)] for kinds in forms_by_kinds(op)))
    if argument.role in OPERANDS and argument.role != TENSORS:
        taken = op.takes_number(argument.name) and len(op.operands()) > 1
        return "Tensor or Number" if taken else "Tensor"
    if argument.role and argument.role != DIMS:
        return " or ".join(SPOKEN.get(each, each) for each in argument.role.removesuffix(" | None").split(" | "))
    if argument.role or argument.name == "dim" and isinstance(argument.default, (tuple, type(None))):
        return "tuple of ints or int"
    if type(argument.default) in (bool, float) and KINDS.get(argument.name) != "Number":
        return BY_DEFAULT[type(argument.default)]
    return KINDS[argument.name] if argument.name in KINDS else BY_DEFAULT.get(type(argument.default))


def may_be_none(argument: Argument) -> bool:
    """Whether PyTorch takes None for an argument."""
    return argument.default is None or argument.role.endswith("None") or argument.role == DIMS


def is_of_kind(value, kind: str, argument: Argument) -> bool:
    """Whether PyTorch's parser takes a value for a kind."""
    if value is None:
        return may_be_none(argument)
    if value is argument.default or hasattr(type(value), "__torch_function__") and not isinstance(value, Tensor):
        return True  # an object that answers calls itself has answered this one
    return any(TAKES[each](value) for each in kind.split(" or "))


def is_number(value) -> bool:
    if isinstance(value, Tensor):
        return not value._array.ndim and edge_of(value) is None
    return isinstance(value, NUMBERS)


def are_whole(values) -> bool:
    return isinstance(values, (tuple, list)) and all(is_whole(each) and not out_of_range(each) for each in values)


TAKES = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "int": is_whole,
    "tuple of ints": are_whole,
    "bool": lambda value: isinstance(value, bool),
    "float": lambda value: is_number(value) and not isinstance(value, (complex, np.complexfloating)),
    "Number": is_number,
    "tuple of Tensors": lambda value: isinstance(value, (tuple, list)),
    "sizes": lambda value: isinstance(value, (tuple, list)) and all(each is None or is_whole(each) for each in value),
    "sequence": lambda value: isinstance(value, (tuple, list)),
    "str": lambda value: isinstance(value, str),
    "torch.dtype": lambda value: isinstance(value, dtype) or isinstance(value, type) and value in PYTHON_DTYPES,
}


def complaint(op: Op, argument: Argument, position: int, kind: str, value, values: tuple) -> TypeError:
    """PyTorch's words for an argument of a wrong kind."""
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
    wanted = kind.partition(" or ")[0]
    error = TypeError(f"{name}(): argument '{argument_name}'{place} must be {wanted}, {wrong(value, kind)}")
    return made_a_tensor(error, argument, value) if wanted == "Tensor" else error


def forms_for(op: Op, values: tuple) -> list[tuple[int, ...]]:
    """The forms that take as many arguments as were given."""
    number = len([each for each in got(op, values) if each]) - (not op.bound)
    return [each for each in forms_of(op) if each[0] <= number <= each[1]]


def combination(op: Op, values: tuple, *more: str) -> TypeError:
    """PyTorch's words for arguments that no form of a function takes."""
    return TypeError(
        f"{BEHIND.get(op.called, op.called)}() received an invalid combination of arguments - got "
        f"({', '.join([*got(op, values), *more])}), but expected one of:\n * ({', '.join(spelled(op))})"
    )


def wrong_out(op: Op, arguments: tuple, out, words: str) -> TypeError:
    """PyTorch's words for what is given as `out=` and can hold no result."""
    if forms_of(op) and len(forms_for(op, arguments)) != 1:
        return combination(op, arguments, f"out={type_name(out)}")
    return TypeError(f"{BEHIND.get(op.called, op.called)}(): {words}")


def not_unpacked(name: str, argument: Argument, value, kind: str) -> TypeError | None:
    """The complaint about a sequence that is taken by its first element, and has something else further on."""
    if not isinstance(value, (tuple, list)) or not kind.startswith("tuple of ints") or not value:
        return None
    return unpacking(name, argument.name, value) if is_whole(value[0]) else None


def unpacking(called: str, name: str, values) -> TypeError:
    """The complaint about the first of several values that is no whole number of 64 bits."""
    at, wrong = next((at, each) for at, each in enumerate(values, 1) if not is_whole(each) or out_of_range(each))
    reason = f"type must be tuple of ints,but got {type_name(wrong)}"
    if out_of_range(wrong):
        reason = "Overflow when unpacking long long"
    return TypeError(f"{called}(): argument '{name}' failed to unpack the object at pos {at} with error \"{reason}\"")


def out_of_range(value) -> bool:
    """Whether a value is a whole number of more than 64 bits."""
    return type(value) is int and not -(2**63) <= value < 2**63


def wrong(value, kind: str) -> str:
    """What was given in the place of something else; of a sequence, the first element that is no whole number."""
    if isinstance(value, (tuple, list)) and kind.startswith("tuple of ints"):
        for at, element in enumerate(value):
            if not is_whole(element):
                return f"but found element of type {type_name(element)} at pos {at}"
    return f"not {type_name(value)}"


def got(op: Op, values: tuple) -> list[str]:
    """The types of the arguments that were given, in so far as they are not defaults."""
    if op.name in HANDED_ON:
        handed = HANDED_ON[op.name]
        return [type_name(value) for each, value in zip(op.arguments, values, strict=True) if each.name in handed]
    pairs = list(zip(op.arguments, values, strict=False))[op.bound :]
    placed = [
        (argument, each)
        for argument, value in pairs
        if not argument.keyword_only
        for each in (value if argument.role == VARIADIC else (value,))
    ]
    while placed and placed[-1][1] is placed[-1][0].default:
        placed.pop()
    named = [(argument, value) for argument, value in pairs if argument.keyword_only and value is not argument.default]
    named.reverse()  # so PyTorch's table of them gives them back
    found = [*(type_name(value) for _, value in placed), *(f"{each.name}={type_name(value)}" for each, value in named)]
    return [*found, ""] if named and not placed else found  # so PyTorch ends such a list


def spelled(op: Op) -> list[str]:
    """The arguments that the operator takes, with their kinds."""
    return [
        f"{kind_of(op, each) or 'object'} {each.name}" + ("" if each.default is NOTHING else f" = {each.default}")
        for each in op.arguments[op.bound :]
    ]
