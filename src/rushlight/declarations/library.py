"""Lists the families of declarations: those that are always loaded, in order of import, and the lazy ones."""

from __future__ import annotations

import importlib

# Lazy modules of a single family have its name.
ONE_FAMILY = "arrange contraction exponential extreme index join norm rounding softmax trigonometry"
# Families that are loaded when one of their names is first used, by the lazy module that has them: importing all would
# take longer than importing NumPy. A lazy module is generated as two files, `functions_of_<name>` and `raw_of_<name>`.
LAZY_MODULES = {
    "layers": "conv pad attention grouped shuffle recurrence recurrent pool fractional interpolate sampling normalize "
    "batch_norm layer_norm draws dropout embedding loss classification margin ctc",
    "special": "special_functions bessel normal_distribution polynomials gamma_draws",
    "linalg": "solve triangular least_squares determinant matrix_functions matrix_norm triangular_factors cholesky "
    "orthogonal spectral low_rank few_eigenpairs",
    "fourier": "fourier stft",
    "sorting": "sort scan statistics",
    "indexing": "scatter segments copies sparse",
    "activations": "activation",
    **{name: name for name in ONE_FAMILY.split()},
}


def family(name: str):
    """Imports and returns the module of a family."""
    return importlib.import_module(f"rushlight.declarations.{name}")


ALWAYS = (
    "arithmetic signs powers complex_numbers compare bitwise fill reduce view dimensions strided clone through_views "
    "products affine matmul getitem setitem"
)
FAMILIES = tuple(map(family, ALWAYS.split()))


def load(module: str | None = None) -> tuple:
    """Imports the families of a lazy module, or those always loaded, which declares their operators; returns them."""
    return tuple(map(family, LAZY_MODULES[module].split())) if module else FAMILIES


def load_all() -> None:
    """Declares all operators."""
    for module in LAZY_MODULES:
        load(module)


def lazy_module_of(op) -> str | None:
    """Returns the lazy module of an operator, None if it is always loaded."""
    name = op.forward.__module__.rpartition(".")[2]
    return next((module for module, names in LAZY_MODULES.items() if name in names.split()), None)
