"""`torch.func.rearrange`: dimensions of a tensor in another order, split and joined, by a pattern of names.

https://docs.pytorch.org/docs/stable/generated/torch.func.rearrange.html; the patterns are those of https://einops.rocks.
"""

from __future__ import annotations

import keyword
import math
import re
import warnings
from collections.abc import Iterable

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor

DOTS = "..."
JOINED = "(...)"  # as a name: dots in brackets, which are one dimension
TOKEN = re.compile(r"\.\.\.|[()]|\w+")


def rearrange(tensor: Tensor | list[Tensor] | tuple[Tensor, ...], pattern: str, **axes_lengths: int) -> Tensor:
    """The elements of a tensor with its dimensions as a pattern says: names on both sides of `->`, groups in brackets.

    `(a b)` is one dimension made of two; on the left `axes_lengths` gives the sizes in it, except one. `1` is a
    dimension of size 1, `...` is any number of dimensions. Several tensors are stacked first. Raises ValueError for
    a pattern that does not fit.

    >>> import rushlight as torch
    >>> torch.func.rearrange(torch.arange(6), "(a b) -> b a", b=2)
    tensor([[0, 2, 4],
            [1, 3, 5]])
    """
    whole = tensor if isinstance(tensor, Tensor) else F.stack(list(tensor))
    left, right = sides(pattern)
    check_sides(left, right, axes_lengths)
    groups = expanded(left, whole.dim())
    lengths = dict(axes_lengths)
    for size, group in zip(whole.shape, groups, strict=True):
        lengths.update(lengths_in(group, size, axes_lengths))
    names = [name for group in groups for name in group]
    split = F.reshape(whole, tuple([lengths[name] for name in names]))
    dots = [name for name in names if name.startswith(DOTS)]
    wanted = [
        [each for name in group for each in (dots if name == JOINED else [name])] for group in spread(right, dots)
    ]
    order = [names.index(name) for group in wanted for name in group]
    shape = tuple([math.prod([lengths[name] for name in group]) for group in wanted])
    return F.reshape(F.permute(split, tuple(order)), shape)


def sides(pattern: str) -> tuple[list, list]:
    """Returns both sides of a pattern as lists of groups of names. Raises ValueError for a pattern of another form."""
    parts = pattern.split("->")
    if len(parts) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = map(groups_of, parts)
    if JOINED in flat(left):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if DOTS not in flat(left) and {DOTS, JOINED} & set(flat(right)):
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    return left, right


def groups_of(text: str) -> list[list[str]]:
    """Returns one side of a pattern: a group of names for each dimension; a 1 is an empty group."""
    if "." in text and (text.count(DOTS) != 1 or text.count(".") != 3):
        words = "; only one ellipsis for tensor " if DOTS in text else ""
        raise ValueError(f"Expression may contain dots only inside ellipsis (...){words}")
    if unknown := re.sub(TOKEN, "", text).replace(" ", ""):
        raise ValueError(f"Unknown character '{unknown[0]}'")
    groups: list[list[str]] = []
    inside: list[str] | None = None
    seen: set[str] = set()
    for token in TOKEN.findall(text):
        if token == "(":
            if inside is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            inside = []
            groups.append(inside)
        elif token == ")":
            if inside is None:
                raise ValueError("Brackets are not balanced")
            inside = None
        else:
            if token in seen:
                raise ValueError(f"Indexing expression contains duplicate dimension '{token}'")
            check_name(token)
            names = [] if token == "1" else [JOINED if token == DOTS and inside is not None else token]
            seen.update(names)
            if inside is None:
                groups.append(names)
            else:
                inside.extend(names)
    if inside is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{text}'")
    return groups


def check_name(name: str) -> None:
    """Raises ValueError for a name that no dimension can have."""
    if name == DOTS or name.isdecimal():
        return
    reason = None
    if not name.isidentifier():
        reason = "not a valid python identifier"
    elif name[0] == "_" or name[-1] == "_":
        reason = "axis name should should not start or end with underscore"
    if reason is not None:
        raise ValueError(f"Invalid axis identifier: {name}\n{reason}")
    if keyword.iskeyword(name):
        warnings.warn(f"It is discouraged to use axes names that are keywords: {name}", RuntimeWarning, stacklevel=4)
    if name == "axis":
        words = "It is discouraged to use 'axis' as an axis name and will raise an error in future"
        warnings.warn(words, FutureWarning, stacklevel=4)


def check_sides(left: list, right: list, lengths: dict) -> None:
    """Raises ValueError or TypeError if the sides have different names, or a length is of no name."""
    for length in lengths.values():
        if type(length) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    have, want = ({name.strip("()") for name in flat(groups)} for groups in (left, right))
    if any(name.isdecimal() for name in have | want):
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if different := have ^ want:
        shown = {name.replace(DOTS, "\u2026") for name in different}
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {shown}")
    if unknown := lengths.keys() - have:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")


def flat(groups: Iterable[Iterable[str]]) -> list[str]:
    """Returns the names of all groups."""
    return [name for group in groups for name in group]


def expanded(groups: list[list[str]], rank: int) -> list[list[str]]:
    """Returns the groups with names for the dimensions of the dots. Raises ValueError if the rank is another."""
    if [DOTS] not in groups:
        if len(groups) != rank:
            raise ValueError(
                f"Number of dimensions in pattern ({len(groups)}) must be equal to the number of dimensions in the "
                f"tensor ({rank})"
            )
        return groups
    rest = rank - len(groups) + 1
    if rest < 0:
        raise ValueError(
            f"Number of dimensions in pattern ({len(groups) - 1}) must be less than or equal to the number of "
            f"dimensions in the tensor ({rank})"
        )
    return spread(groups, [f"{DOTS}{number}" for number in range(rest)])


def spread(groups: list[list[str]], dots: list[str]) -> list[list[str]]:
    """Returns the groups with one for each dimension of the dots, where these stand alone."""
    return [each for group in groups for each in ([[name] for name in dots] if group == [DOTS] else [group])]


def lengths_in(group: list[str], size: int, known: dict) -> dict[str, int]:
    """Returns the sizes of the names in one dimension. Raises RuntimeError if they do not make up its size."""
    unknown = [name for name in group if name not in known]
    product = math.prod([known[name] for name in group if name in known])
    if len(unknown) > 1:
        raise ValueError(f"cannot infer the size of two dimensions at once: {tuple(unknown)}")
    if size % product if unknown else size != product:
        raise RuntimeError(f"a dimension of size {size} is not made up of {group} with sizes {known}")
    return {name: size // product for name in unknown}
