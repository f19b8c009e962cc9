"""The equation of `einsum`: which dimension of which operand carries which label, and in which order to contract.

A label is a letter, or, for a dimension that an ellipsis covers, its position from the end of the ellipsis: -1, -2, ...
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rushlight.core.errors import type_name
from rushlight.core.tensor import Tensor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
DOTS = "..."


def of_arguments(equation, operands: tuple) -> tuple[str, list]:
    """Equation and operands of a call in any of the three forms: operands one by one, as a list, or with sublists."""
    if isinstance(equation, str):
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = tuple(operands[0])
        if not operands:
            raise nothing_given()
        return equation, list(operands)
    given = [equation, *operands]
    if len(given) < 2:
        raise nothing_given()
    inputs = ",".join(map(written, given[1 : len(given) // 2 * 2 : 2]))
    output = f"->{written(given[-1])}" if len(given) % 2 else ""
    tensors = given[: len(given) // 2 * 2 : 2]
    for position, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {position} in argument 1, but got {type_name(each)}")
    return inputs + output, tensors


def nothing_given() -> ValueError:
    return ValueError(
        "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
        "subscripts list"
    )


def written(subscripts) -> str:
    """A list of numbers as letters."""
    text = []
    for each in subscripts:
        if each is Ellipsis:
            text.append(DOTS)
        elif not 0 <= each < 52:
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        else:
            text.append(LETTERS[each])
    return "".join(text)


@lru_cache(256)
def planned(equation: str, shapes: tuple) -> tuple[tuple, tuple, tuple]:
    """The labels of every operand's dimensions, those of the result's, and the pairs in the order of contraction."""
    labels, output = parsed(equation, shapes)
    return tuple(map(tuple, labels)), tuple(output), tuple(order(labels, output, shapes))


def parsed(equation: str, shapes: tuple) -> tuple[list, list]:
    """The labels of every operand's dimensions, and those of the result's. Raises RuntimeError in PyTorch's words."""
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        which = "fewer" if len(shapes) < len(terms) else "more"
        raise RuntimeError(f"einsum(): {which} operands were provided than specified in the equation")
    start = 0
    labels = []
    for number, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        labels.append(labels_of_operand(symbols(term, start, f"operand {number}"), number, len(shape)))
        start += len(term) + 1
    covered = max((-each for result in labels for each in result if isinstance(each, int)), default=0)
    check_sizes(labels, shapes)
    return labels, labels_of_output(symbols(right, start + 1, "output"), labels, covered) if arrow else implicit(
        labels, covered
    )


def symbols(term: str, start: int, place: str) -> list:
    """The letters and the ellipsis of a term."""
    found: list = []
    position = 0
    while position < len(term):
        symbol = term[position]
        if term[position : position + 3] == DOTS:
            if DOTS in found:
                rest = "but an ellipsis (...)" if place == "output" else "for which an ellipsis"
                raise RuntimeError(f"einsum(): found '.' for {place} {rest} was already found")
            found.append(DOTS)
            position += 2
        elif symbol == ".":
            rest = " (...)" if place == "output" else ""
            raise RuntimeError(f"einsum(): found '.' for {place} that is not part of any ellipsis{rest}")
        elif symbol in LETTERS:
            found.append(symbol)
        elif symbol != " ":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {start + position} in the equation string, subscripts "
                "must be in [a-zA-Z]"
            )
        position += 1
    return found


def labels_of_operand(found: list, number: int, rank: int) -> list:
    """A label for each dimension."""
    if DOTS not in found:
        if len(found) != rank:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(found)}) does not match the number of "
                f"dimensions ({rank}) for operand {number} and no ellipsis was given"
            )
        return found
    covered = rank - len(found) + 1
    if covered < 0:
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({len(found) - 1}) is more than the number of "
            f"dimensions ({rank}) for operand {number}"
        )
    at = found.index(DOTS)
    return [*found[:at], *range(-covered, 0), *found[at + 1 :]]


def labels_of_output(found: list, labels: list, covered: int) -> list:
    """The labels of the result as the equation states them."""
    known = {each for one in labels for each in one}
    for number, each in enumerate(found):
        if each != DOTS and each in found[:number]:
            raise RuntimeError(f"einsum(): output subscript {each} appears more than once in the output")
        if each != DOTS and each not in known:
            raise RuntimeError(
                f"einsum(): output subscript {each} does not appear in the equation for any input operand"
            )
    if DOTS not in found:
        return found
    at = found.index(DOTS)
    return [*found[:at], *range(-covered, 0), *found[at + 1 :]]


def implicit(labels: list, covered: int) -> list:
    """The result of an equation without arrow: what the ellipsis covers, then the letters that occur once."""
    letters = [each for one in labels for each in one if isinstance(each, str)]
    return [*range(-covered, 0), *(each for each in LETTERS if letters.count(each) == 1)]


def check_sizes(labels: list, shapes: tuple) -> None:
    """One label, one size; a size of 1 broadcasts between operands."""
    seen: dict = {}
    for number, (result, shape) in enumerate(zip(labels, shapes, strict=True)):
        own: dict = {}
        for label, size in zip(result, shape, strict=True):
            if own.setdefault(label, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {number} but the sizes don't match, {size} "
                    f"!= {own[label]}"
                )
        for label, size in own.items():
            known = seen.setdefault(label, size)
            if known == 1:
                seen[label] = size
            elif size not in (1, known):
                raise mismatch(label, result, number, size, known)


def mismatch(label, found, number: int, size: int, known: int) -> RuntimeError:
    """A label of two sizes."""
    if isinstance(label, str):
        return RuntimeError(
            f"einsum(): subscript {label} has size {size} for operand {number} which does not broadcast with "
            f"previously seen size {known}"
        )
    position = sorted(each for each in found if isinstance(each, int)).index(label)
    return RuntimeError(
        f"einsum(): dimension {position} covered by ellipsis in operand {number}has size {size} which does not "
        "broadcast "
        f"with previously seen ellipsis with size {known} for the respective dimension"
    )


def order(labels: list, output: list, shapes: tuple) -> list:
    """Returns pairs of indices: the two operands to contract next; their result goes to the end.

    Uses `opt_einsum` if it is installed, else NumPy's search; the order changes the cost, not the result.
    """
    if len(labels) < 3:
        return [(0, 1)][: len(labels) - 1]
    letters = dict(zip(sorted({each for one in labels for each in one}, key=str), LETTERS, strict=False))
    if len(letters) < len({each for one in labels for each in one}):
        return [(0, 1)] + [(0, len(labels) - step) for step in range(2, len(labels))]
    terms = ["".join(letters[each] for each in dict.fromkeys(one)) for one in labels]
    sizes = [tuple(dict(zip(one, shape, strict=True)).values()) for one, shape in zip(labels, shapes, strict=True)]
    equation = f"{','.join(terms)}->{''.join(letters[each] for each in output)}"
    path = found_path(equation, sizes)
    return in_pairs(path, len(labels))


def in_pairs(path: list, count: int) -> list:
    """A path of which no step takes more than two operands: NumPy's takes all at once where no order is cheaper."""
    pairs: list = []
    for step in path:
        indices = sorted(step)
        while len(indices) > 1:
            pairs.append(tuple(indices[:2]))
            count -= 1
            indices = [*(each - 2 for each in indices[2:]), count - 1]
    return pairs


class Search:
    """How the order is searched for, as `torch.backends.opt_einsum` has it."""

    enabled = True  # by opt_einsum, where it is installed
    strategy: str | None = None  # its own choice


def found_path(equation: str, sizes: list) -> list:
    """The search for the cheapest order."""
    try:
        from opt_einsum import contract_path
    except ImportError:
        contract_path = None
    if contract_path is None or not Search.enabled:
        empty = [np.broadcast_to(np.float32(0), each) for each in sizes]
        return np.einsum_path(equation, *empty, optimize="greedy")[0][1:]
    return contract_path(equation, *sizes, shapes=True, optimize=Search.strategy or "auto")[0]
