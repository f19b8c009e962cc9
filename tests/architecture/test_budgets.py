"""Budgets: the size of files, functions, packages and READMEs. Raising one is a one-line diff that somebody defends."""

import ast
import functools
import io
import statistics
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rushlight"

# All in code lines: docstrings, comments and blank lines are free.
FILE = 500
FUNCTION = 60
MEDIAN_FUNCTION = 6
LONG_FUNCTION = 30  # 95 of 100 functions are at most this long

FILES = {
    "__init__.py": 150,
    "autograd/backward.py": 250,
    "core/tensor.py": 300,
    "dispatch/generate.py": 400,
    "dispatch/inplace.py": 200,
    "ops/declare.py": 300,
}
# `dispatch` holds what makes tensors (from data, drawn, by size, windows, legacy constructors), the functions of the
# root that are no operators, and other forms of a call, beside what calls operators; `autograd` gradcheck and custom
# functions beside the engine: more than what was planned for either. Autocast's switches and casts are 200 lines of
# dispatch, methods that are made of functions 100, PyTorch's kinds of arguments, by name and with the exceptions, 450;
# writes in place where nothing but numbers changes, with masks and bounds too, 140; what alike tensors spare 20;
# torch.autograd.functional, half of it PyTorch's refusals, is 270 of autograd, and the loop of an ordinary pass, apart
# from that of every other as that makes a small backward quicker, 60; subclasses are asked before detach and data, and
# answer NumPy's reductions. Two thirds of `compiler` are kernels of data movement and of layers: convolution of every
# geometry and its transposes, products, attention, three kinds of recurrent layers forward and backward, normalization
# by batch, column and group, pooling, resampling; 200 lines of it the lists of their arguments; conversions of other
# dtypes and vector mathematics of float64 are 700; the random numbers of PyTorch's generator and images read between
# their pixels 200; Bessel functions and what else was left to SciPy and the C library, as vectors, 170, a third of it
# coefficients; kernels and formulas that name their vectors are 540 lines longer than those that left it to LLVM, and
# compiled in a third of the time, or a fifth; products of few numbers are 30, what convolutions fetch before they copy
# it, and copies of a part of an image for each thread, 60; slices along inner dimensions 90, squares that are turned in
# registers, running extremes and the best few of one line 120; rows of operands that broadcast, which NumPy's iterator
# has on one thread, 360; what is written in place by the plans of copies 30; small convolutions, and those of half
# precision, 35; axes that are reduced as they lie 90, and what is called for them, without a step of Python, 110;
# any axes of any strides, in stages, 150, and operands that lie in several orders 90; images whose channels come last,
# pooled, resampled and padded in vectors of channels, 300; recurrences, distances by other norms and what is above a
# diagonal 90; casts of rows 60;
# gradients that are known to fit are 8 of autograd, sums in place of large ones 5, gradients of several results on the
# ordinary way 10; limits of dtypes that are kept, and writes of any strides, 10 of core. Where one file became several,
# each has imports of its own: 20 lines of dispatch, 4 of autograd. What PyTorch refuses of dtypes that are to be drawn,
# of `out=` and of numbers is 70 lines of dispatch; short ways past the general path, for few numbers of any one dtype,
# for `out=`, and for what is copied from another dtype, 150. The order of several operands is 10 lines of core.
# The short way brings several dtypes together, records its nodes and asks the kernels that convert, in place too: 250
# lines of dispatch, 10 of autograd. Words of the generator that are looked at before they are drawn are 10 of core.
# Writes in place to few halves and small integers, apart from those that history has to know of, are 16 of dispatch;
# what is drawn in the layout of another tensor, and operands of which a declaration refuses some, 18; what fast paths
# write to `out=`, one result or several, 45; the functions of the root that take lists of tensors, for all of their
# names, 58, and its assertion 4.
# Kernels of numbers by rejection are 310 lines of the compiler, depthwise layers and group norm of channels that come
# last 300, gradients of distances 110, counting in bins and runs 80, softmax and scores along columns 130, trials of
# programs that make no arrays 70, paths of labels 60; tiles that take four steps from jump to jump 50; windows that are
# whole, pooled without masks, and sums of what is not NaN 70; slices that are combined, bags of rows in registers,
# shifts of bits and narrow elements in words 150; what the last steps of formulas lose 5; the slope of gelu by one
# exponential 20; for vectors without masks and few registers, stores in pieces and sums of their own 160; rows that are
# short, side by side, 160, and windows that share nothing 30; depthwise columns of whole vectors 50, planes that are
# turned for them 190, bags of halves 30; rows of operands that are broadcast, and arrays that they are added to, 130.
# Floats of any number in place, with a factor too, are 25 of dispatch. What is asked of few numbers in place without a
# call, and writes that are recorded where nobody else holds the history, in a file with imports of its own, are 46;
# what several results are written to is looked at before the first is written, halves beside another dtype are left as
# they are for who refuses them, and so are arrays off their size or in the other order of bytes: 25. Writes where
# positions say, without a copy, are 30, and several results of few halves 15. Draws that are asked for nothing but a
# size are 10, writes by formulas that are counted where they are 5, few halves beside halves 13. What ignores NumPy's
# flags is core's. Which gradients a pass for some inputs leaves out is 10 of autograd, what leads flat gradients back
# is 6. Quotients of whole numbers are 70 of the compiler, rows of which a vector has several, and pairs of complex
# numbers, 65, many arrays joined by one call 110; extremes with their places in a file of their own 20, norms of halves
# in evaluation 12, gradients that are clipped 18, copies that nobody watches 1, sums with a multiple in one pass 2,
# small images convolved as the last dimension 42; digamma in parts is 85, and lgamma 59, a third of both coefficients.
# Halves whose digits are known are 8, complex numbers that are negated 7, limits of dtypes 6, groups of columns of one
# number each 35, gradients that have lost their dimension 3; arrays that are joined by one call, whatever their size,
# 10 fewer. Numbers that have to fit a dtype, with the bounds of uniform_, are 45 of dispatch; memory that is read and
# written in tuples of indices, what in-place methods say of shapes, and inference tensors that keep theirs, 20; lists
# of whatever is only moved 1, writes in place of more numbers 1. What programs see of a custom function's node, apart
# from the names that the engine needs, is 60 of autograd and 1 of core, gradients that are read 4. Calls of composites
# that others answer are 16 of dispatch. Views that no gradient reaches are 2 of core. Formulas whose kernels write
# where the numbers stand, and clamping there, are 13 of dispatch and 30 of the compiler; which operands of formulas in
# place are no numbers 5 of dispatch, names that no generated module uses 5. Convolutions without the taps that meet
# zeros, and without copies of images or kernels that are in order, are 107 of the compiler, the last columns of their
# blocks 8. Rows of a few bytes, joined word by word, are 47 of the compiler; kernels of convolution that threads pack
# in the order of memory, numbers that lie apart four at a time, and few tiles that are windows, 43; norms of columns
# and of groups in files of their own 20. Conjugates that nobody has computed, on the short way, are 11 of dispatch,
# sums and products in the dtype of `out=`, and shapes that PyTorch names before dtypes, 13; dtypes in which nobody
# counts or draws 16, classes that answer operators by methods of their own 4; the third field of an edge is 1 of core.
# The look that views have of a tensor which is turned in place is kept in 14 lines of dispatch, and found in 2 of core;
# the seed of a bit generator that is seeded again is 5 of core. Products of many rows, in blocks for the second-level
# cache, are 170 of the compiler, runs that one thread copies 2; what is packed for products, and what they are told, in
# files of their own 60.
# NumPy's own loops, shared among the threads, are 70 of the compiler, arrays between constant values 75, places among
# sorted numbers 75; what is combined by an index, repeats of a vector and writes to where the tensor stands 75. Memory
# as one dimension, which views ask for too, is 7 of the core, and was of dispatch. Products of halves are 230 of the
# compiler, the text of tiles and lists of arguments most of it, lines that are widened as they are read 80, recurrent
# layers of a few sequences 60. A number of NumPy's beside a tensor, which took the general path, is 18 of dispatch,
# masks compared with numbers 6, and draws that are asked for nothing but a tensor or a number 8.
PACKAGES = {"core": 2324, "dispatch": 5822, "autograd": 2620, "compiler": 16_505}
# A declaration in the pure style takes 8; PyTorch's refusals of dtypes and its overloaded fronts are the rest; a
# factorization or a recurrent layer takes 30 to 70, most of it derivatives. Derivatives that are recorded and refused,
# and what is said of shapes on meta and of writes over a part, are the last tenth; positions in the memory that is
# written to are 13 lines. Which numbers have to fit, of fourteen operators, is 36 lines; what PyTorch says of tensors
# without elements or dimensions 8; which poolings are called with one number for all dimensions 23, and what cross
# products are shaped like 6; what pools and attention refuse, in PyTorch's order, 30. Products of batches that nothing
# records, and dtypes of gradients beside wider weights, are 30.
LINES_PER_OP = 15.5
README_LINES = 60

KINDS = {"elementwise", "linear", "multilinear", "view", "op", "composite"}
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def docstring_lines(tree):
    """Line numbers of every string that stands alone as a statement."""
    strings = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return {line for node in strings for line in range(node.lineno, node.end_lineno + 1)}


@functools.cache  # by several tests, and tokens take seconds
def code_lines(source):
    """Numbers of the lines that hold code."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for token in tokens if token.type not in NOT_CODE for line in range(token.start[0], token.end[0] + 1)}
    return lines - docstring_lines(ast.parse(source))


@functools.cache
def function_lengths(source):
    """(name, line, code lines) of every function, a function inside it included."""
    lines = code_lines(source)
    return [
        (node.name, node.lineno, len(lines & set(range(node.lineno, node.end_lineno + 1))))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def written_by_hand(folder):
    return sorted(path for path in folder.rglob("*.py") if "_generated" not in path.parts)


def relative(path):
    return path.relative_to(ROOT).as_posix()


def is_declaration(node):
    """A class or function under one of the decorators that declare an op."""
    names = [call.func if isinstance(call, ast.Call) else call for call in getattr(node, "decorator_list", [])]
    return any(isinstance(name, ast.Name) and name.id in KINDS for name in names)


def declarations(path):
    return sum(is_declaration(node) for node in ast.parse(path.read_text("utf-8")).body)


SOURCES = {
    relative(path): path.read_text("utf-8")
    for folder in ("src", "examples", "benchmarks")
    for path in written_by_hand(ROOT / folder)
}
PACKAGE_FOLDERS = sorted({path.parent for path in PACKAGE.rglob("*.py")})


def package_lines(name):
    return sum(len(code_lines(path.read_text("utf-8"))) for path in written_by_hand(PACKAGE / name))


def test_files_are_one_idea():
    budgets = {f"src/rushlight/{name}": budget for name, budget in FILES.items()}
    long = {
        file: f"{length} of {budgets.get(file, FILE)}"
        for file, source in SOURCES.items()
        if (length := len(code_lines(source))) > budgets.get(file, FILE)
    }
    assert not long


def test_no_function_is_long():
    long = {
        f"{file}:{line} {name}": length
        for file, source in SOURCES.items()
        for name, line, length in function_lengths(source)
        if length > FUNCTION
    }
    assert not long


def test_most_functions_are_short():
    lengths = sorted(length for source in SOURCES.values() for _, _, length in function_lengths(source))
    assert statistics.median(lengths) <= MEDIAN_FUNCTION
    assert lengths[int(len(lengths) * 0.95)] <= LONG_FUNCTION


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_stay_small(name):
    assert package_lines(name) <= PACKAGES[name]


def test_an_op_is_a_few_lines():
    counts = {path: declarations(path) for path in written_by_hand(PACKAGE / "ops")}
    families = [path for path, count in counts.items() if count]
    lines = sum(len(code_lines(path.read_text("utf-8"))) for path in families)
    assert lines <= LINES_PER_OP * sum(counts.values())


@pytest.mark.parametrize("folder", PACKAGE_FOLDERS, ids=relative)
def test_every_package_folder_has_a_short_readme(folder):
    readme = folder / "README.md"
    assert readme.exists(), "say what lives here, what is hard, who may import it, how to add one"
    assert len(readme.read_text("utf-8").splitlines()) <= README_LINES


COUNTED = '''"""A docstring
of two lines."""

import math  # code with a comment


def area(radius):
    """Free."""
    # free
    text = """counts
    twice"""
    return math.pi * radius**2, text
'''


def test_docstrings_comments_and_blank_lines_are_free():
    assert sorted(code_lines(COUNTED)) == [4, 7, 10, 11, 12]
    assert function_lengths(COUNTED) == [("area", 7, 4)]


def test_declarations_are_counted_by_their_decorator(tmp_path):
    file = tmp_path / "family.py"
    file.write_text("@elementwise\nclass exp: ...\n@linear(view=True)\nclass t: ...\n@other\ndef helper(): ...\n")
    assert declarations(file) == 2
