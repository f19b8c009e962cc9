"""Every family of declarations: those that are always there, in the order in which they are read, and the others."""

from __future__ import annotations

import importlib

from rushlight.declarations import (
    affine,
    arithmetic,
    arrange,
    bitwise,
    clone,
    compare,
    complex_numbers,
    contraction,
    dimensions,
    exponential,
    extreme,
    fill,
    getitem,
    index,
    join,
    matmul,
    norm,
    powers,
    products,
    reduce,
    rounding,
    setitem,
    signs,
    softmax,
    strided,
    through_views,
    trigonometry,
    view,
)

FAMILIES = (
    arithmetic,
    signs,
    powers,
    exponential,
    trigonometry,
    rounding,
    complex_numbers,
    compare,
    bitwise,
    fill,
    reduce,
    view,
    dimensions,
    strided,
    clone,
    through_views,
    products,
    affine,
    matmul,
    contraction,
    index,
    join,
    arrange,
    extreme,
    softmax,
    norm,
    getitem,
    setitem,
)


# Families that are loaded when one of their names is first asked for, in books. An import of them all would take longer
# than that of NumPy. A book becomes two files of `_generated`.
BOOKS = {
    "layers": (
        "conv",
        "pad",
        "attention",
        "grouped",
        "shuffle",
        "recurrence",
        "recurrent",
        "pool",
        "fractional",
        "interpolate",
        "sampling",
        "normalize",
        "batch_norm",
        "layer_norm",
        "draws",
        "dropout",
        "embedding",
        "loss",
        "classification",
    ),
    "special": ("special_functions", "bessel", "normal_distribution", "polynomials", "gamma_draws"),
    "linalg": (
        "solve",
        "triangular",
        "least_squares",
        "determinant",
        "matrix_functions",
        "matrix_norm",
        "triangular_factors",
        "cholesky",
        "orthogonal",
        "spectral",
        "low_rank",
        "few_eigenpairs",
    ),
    "fourier": ("fourier", "stft"),
    "order": ("sort", "scan", "statistics"),
    "places": ("scatter", "copies"),
    "activations": ("activation",),
}


def load(book: str | None = None) -> tuple:
    """The families of a book, or those that are always there; importing them has declared their operators."""
    return tuple(map(family, BOOKS[book])) if book else FAMILIES


def family(name: str):
    """The module of a family."""
    return importlib.import_module(f"rushlight.declarations.{name}")


def load_all() -> None:
    """Declares everything."""
    for book in BOOKS:
        load(book)


def book_of(op) -> str | None:
    """The book in which an operator stands, None if it is always there."""
    name = op.forward.__module__.rpartition(".")[2]
    return next((book for book, names in BOOKS.items() if name in names), None)
