"""The standard's promotion rules: a 0-d array counts like any other, a Python number takes an array's dtype.

https://data-apis.org/array-api/2024.12/API_specification/type_promotion.html
"""

from __future__ import annotations

from rushlight.core.dtype import LIMITED_UNSIGNED, dtype, int64
from rushlight.core.tensor import Tensor
from rushlight.create import filled
from rushlight.declarations.promote import combine, common, number_dtype


def result_type(*arrays_and_dtypes) -> dtype:
    """Returns the dtype of an arithmetic result of arrays, dtypes and Python numbers, at least one with a dtype.

    >>> import rushlight as torch
    >>> result_type(torch.ones(2, dtype=torch.float32), torch.tensor(1.0, dtype=torch.float64), 2)
    torch.float64
    """
    dtypes = [x.dtype if isinstance(x, Tensor) else x for x in arrays_and_dtypes]
    scalars = [x for x in dtypes if not isinstance(x, dtype)]
    dtypes = [x for x in dtypes if isinstance(x, dtype)]
    if not dtypes:
        raise ValueError("result_type() needs at least one array or dtype")
    result = dtypes[0]
    for x in dtypes[1:]:
        result = promoted(result, x)
    for number in scalars:
        result = combine(result, number_dtype(number))
    return result


def promoted(first: dtype, second: dtype) -> dtype:
    """Returns the dtype of a result of two arrays."""
    try:
        return common(first, second)
    except RuntimeError as error:
        raise TypeError(f"{first} and {second} have no common dtype") from error


def can_cast(from_: dtype | Tensor, to: dtype, /) -> bool:
    """Whether promotion converts a dtype, or an array's dtype, to another."""
    source = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return promoted(source, to) is to
    except TypeError:
        return False


def together(*operands: Tensor | complex) -> tuple[Tensor, ...]:
    """Converts the operands to arrays of their common dtype."""
    common_dtype = result_type(*operands)
    device = next((x.device for x in operands if isinstance(x, Tensor)), None)
    return tuple(
        x.to(common_dtype) if isinstance(x, Tensor) else filled.full((), x, dtype=common_dtype, device=device)
        for x in operands
    )


def product(function, x1: Tensor | complex, x2: Tensor | complex) -> Tensor:
    """Computes a product of matrices or vectors; of uint16, uint32 and uint64, unsupported in PyTorch, in int64.

    Integer sums of products wrap to the same bits there.
    """
    first, second = together(x1, x2)
    if first.dtype not in LIMITED_UNSIGNED:
        return function(first, second)
    return function(first.to(int64), second.to(int64)).to(first.dtype)
