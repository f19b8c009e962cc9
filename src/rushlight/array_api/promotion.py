"""The standard's rules of promotion: a 0-d array counts like any other, a Python number takes an array's dtype.

https://data-apis.org/array-api/2024.12/API_specification/type_promotion.html
"""

from __future__ import annotations

from rushlight.core.dtype import LIMITED_UNSIGNED, dtype, int64
from rushlight.core.tensor import Tensor
from rushlight.create import filled
from rushlight.declarations.promote import combine, common, number_dtype


def result_type(*arrays_and_dtypes) -> dtype:
    """The dtype of an arithmetic result of arrays, dtypes and Python numbers, of which at least one has a dtype.

    >>> import rushlight as torch
    >>> result_type(torch.ones(2, dtype=torch.float32), torch.tensor(1.0, dtype=torch.float64), 2)
    torch.float64
    """
    kinds = [each.dtype if isinstance(each, Tensor) else each for each in arrays_and_dtypes]
    numbers = [each for each in kinds if not isinstance(each, dtype)]
    kinds = [each for each in kinds if isinstance(each, dtype)]
    if not kinds:
        raise ValueError("result_type() needs at least one array or dtype")
    found = kinds[0]
    for each in kinds[1:]:
        found = promoted(found, each)
    for number in numbers:
        found = combine(found, number_dtype(number))
    return found


def promoted(one: dtype, other: dtype) -> dtype:
    """The dtype of a result of two arrays."""
    try:
        return common(one, other)
    except RuntimeError as error:
        raise TypeError(f"{one} and {other} have no common dtype") from error


def can_cast(from_: dtype | Tensor, to: dtype, /) -> bool:
    """Whether promotion leads from a dtype, or an array's, to another."""
    kind = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return promoted(kind, to) is to
    except TypeError:
        return False


def together(*operands: Tensor | complex) -> tuple[Tensor, ...]:
    """The operands as arrays of their common dtype."""
    kind = result_type(*operands)
    place = next((each.device for each in operands if isinstance(each, Tensor)), None)
    return tuple(
        each.to(kind) if isinstance(each, Tensor) else filled.full((), each, dtype=kind, device=place)
        for each in operands
    )


def product(function, x1: Tensor | complex, x2: Tensor | complex) -> Tensor:
    """A product of matrices or vectors; of uint16, uint32 and uint64, which PyTorch refuses, in int64.

    Sums of products wrap there to the same bits.
    """
    one, other = together(x1, x2)
    if one.dtype not in LIMITED_UNSIGNED:
        return function(one, other)
    return function(one.to(int64), other.to(int64)).to(one.dtype)
