"""Writes the names and signatures of CuPy, for the fake CuPy: run it where CuPy is installed; it needs no GPU.

    python tests/cuda/record_cupy.py > src/rushlight/arrays/cuda/fake/names.txt

A line is the name of a module and a name in it, its kind, and what of it a caller must know: the parameters of a
function, the loops of a ufunc and which methods it has, the attributes of a class.
"""

import importlib
import inspect
import re
import warnings

import numpy

MODULES = ("cupy", "cupy.linalg", "cupy.fft", "cupy.lib.stride_tricks", "cupyx", "cupyx.scipy.special")
LIBRARIES = ("cupy.cuda.cublas", "cupy.cuda.cusolver")
ROUTINES = re.compile("[sdcz](getrf|getrs|potrf|sytrf|orgqr|ungqr|ormqr|unmqr|trsm)")  # what of them is recorded


def lines(cupy):
    yield f"# CuPy {cupy.__version__}: names and signatures, written by tests/cuda/record_cupy.py"
    for module in MODULES:
        space = importlib.import_module(module)
        for name in sorted(dir(space)):
            if not name.startswith("_"):
                try:
                    line = described(cupy, getattr(space, name), name)
                except ImportError:
                    continue
                if line:
                    yield f"{module} {name} {line}"
    for library in LIBRARIES:
        space = getattr(cupy.cuda, library.rpartition(".")[2])
        yield from (f"{library} {name} function {parameters(getattr(space, name))}" for name in sorted(dir(space))
                    if ROUTINES.match(name))  # fmt: skip
    yield f"cupy ndarray class {' '.join(name for name in dir(cupy.ndarray) if not name.startswith('_'))}"


def described(cupy, value, name):
    if inspect.ismodule(value) or name == "annotations":
        return None
    if getattr(numpy, name, None) is value:
        return "numpy"  # the object of NumPy itself
    if isinstance(value, cupy.ufunc):
        methods = [method for method in ("reduce", "accumulate", "reduceat") if has(value, method)]
        loops = ",".join(dict.fromkeys(value.types))
        return " ".join(["ufunc", str(value.nin), str(value.nout), loops, *methods, *["at"] * bool(value._scatter_op)])
    if inspect.isclass(value) or not callable(value):
        return None
    return f"function {parameters(value)}"


def has(ufunc, method):
    """Whether a ufunc has a method: if not, it says so before it looks for a device."""
    try:
        getattr(ufunc, method)(*[numpy.ones(2), [0]][: 1 + (method == "reduceat")])
    except NotImplementedError:
        return False
    except Exception:
        return True
    return True


def parameters(function):
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return in_words(function)
    shown, keyword_only = [], False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        keyword_only = keyword_only or each.kind is each.VAR_POSITIONAL
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        shown.append(f"{star}{each.name}{'' if each.default is each.empty else '='}")
    return " ".join(shown)


def in_words(function):
    """The parameters by the first line of the help, where a compiled function has its signature."""
    first = re.match(r"\w+\((.*?)\)", function.__doc__ or "")
    return " ".join(each.split()[-1] for each in first[1].split(", ")) if first else "*args **kwargs"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("\n".join(lines(importlib.import_module("cupy"))))
