"""Plans of `einsum` and `tensordot`: made once for sizes, applied to any operands of these sizes."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate, pairwise

from rushlight.declarations.equation import planned


class Outline:
    """The labels and sizes of a tensor, without numbers; and what has been done to it, as (operation, argument)."""

    def __init__(self, labels, shape: tuple):
        self.labels, self.shape, self.steps = list(labels), tuple(shape), []

    def follow(self) -> tuple:
        """Returns the steps so far and starts a new list."""
        steps, self.steps = tuple(self.steps), []
        return steps

    def _keep(self, places: list, name: str, argument) -> None:
        """Keeps the dimensions at some positions, in that order, by an operation."""
        self.labels = [self.labels[position] for position in places]
        self.shape = tuple([self.shape[position] for position in places])
        self.steps.append((name, argument))

    def sum(self, needed: set) -> None:
        """Sums over unused labels."""
        spare = tuple([position for position, label in enumerate(self.labels) if label not in needed])
        if spare:
            self._keep([position for position in range(len(self.labels)) if position not in spare], "sum", (spare,))

    def squeeze(self, spare: set) -> None:
        """Drops labels of size 1."""
        indices = tuple([position for position, label in enumerate(self.labels) if label in spare])
        if indices:
            self._keep(
                [position for position in range(len(self.labels)) if position not in indices], "squeeze", (indices,)
            )

    def permute(self, labels) -> None:
        indices = [self.labels.index(label) for label in labels]
        if indices != list(range(len(indices))):
            self._keep(indices, "permute", (tuple(indices),))

    def reshape(self, shape: tuple) -> None:
        if self.shape != shape:
            self.shape = shape
            self.steps.append(("reshape", (shape,)))

    def drop_repeats(self) -> None:
        """Leaves no label that stands twice: repeated ones mean the diagonal."""
        for label in dict.fromkeys(self.labels):
            while self.labels.count(label) > 1:
                one = self.labels.index(label)
                two = self.labels.index(label, one + 1)
                rest = [position for position in range(len(self.labels)) if position not in (one, two)]
                self._keep([*rest, one], "diagonal", (0, one, two))


@lru_cache(256)
def outlined(equation: str, shapes: tuple) -> tuple[tuple, tuple]:
    """Returns the products in the order of contraction, and the steps for the last result.

    A product is (indices of both factors, steps for each, the operation, steps for the result).
    """
    labels, output, plan = planned(equation, shapes)
    terms = [Outline(*each) for each in zip(labels, shapes, strict=True)]
    for each in terms:
        each.drop_repeats()
    products = []
    for one, two in plan:
        second, first = terms.pop(two), terms.pop(one)
        needed = {*output, *(label for each in terms for label in each.labels)}
        operation, result = contracted(first, second, needed)
        products.append((one, two, first.follow(), second.follow(), operation, result.follow()))
        terms.append(result)
    result = terms[0]
    result.sum(set(output))
    result.permute(output)
    return tuple(products), result.follow()


def contracted(one: Outline, two: Outline, needed: set) -> tuple[str, Outline]:
    """The operation that multiplies two and sums over the labels that are needed no more, and the result."""
    leave_ones(one, two, needed)
    one.sum(needed | set(two.labels))
    two.sum(needed | set(one.labels))
    shared = [label for label in one.labels if label in two.labels]
    batch = [label for label in shared if label in needed]
    inner = [label for label in shared if label not in needed]
    rows = [label for label in one.labels if label not in shared]
    columns = [label for label in two.labels if label not in shared]
    b, m, k = grouped(one, (batch, rows, inner))
    _, _, n = grouped(two, (batch, inner, columns))
    count, height, depth, width = map(math.prod, (b, m, k, n))
    if not inner:
        operation, left, right, made = "mul", (count, height, 1), (count, 1, width), (count, height, width)
    elif batch:
        operation, left, right, made = "bmm", (count, height, depth), (count, depth, width), (count, height, width)
    else:
        operation, left, right, made = "mm", (height, depth), (depth, width), (height, width)
    one.reshape(left)
    two.reshape(right)
    result = Outline(batch + rows + columns, made)
    result.reshape((*b, *m, *n))
    return operation, result


def leave_ones(one: Outline, two: Outline, needed: set) -> None:
    """Drops labels of size 1 that the other tensor has with another size, and unused labels of size 1."""
    if 1 not in one.shape and 1 not in two.shape:
        return
    sizes_one, sizes_two = (dict(zip(each.labels, each.shape, strict=True)) for each in (one, two))
    one.squeeze(spare_ones(sizes_one, sizes_two, needed))
    two.squeeze(spare_ones(sizes_two, sizes_one, needed))


def spare_ones(sizes: dict, others: dict, needed: set) -> set:
    """The labels of size 1 that another tensor has in another size, or neither it nor anybody needs."""
    return {each for each in sizes if sizes[each] == 1 and others.get(each, 1 if each in needed else None) != 1}


def grouped(tensor: Outline, groups: tuple) -> list:
    """The sizes of each group of labels, once the dimensions are in the order of the groups."""
    tensor.permute([label for group in groups for label in group])
    ends = accumulate(map(len, groups), initial=0)
    return [tensor.shape[begin:end] for begin, end in pairwise(ends)]


@lru_cache(256)
def matrices_of(shape_one: tuple, shape_two: tuple, dims_one: tuple, dims_two: tuple) -> tuple:
    """Returns the steps that make two tensors matrices whose product sums along `dims`, and the result's shape."""
    one, two = Outline(range(len(shape_one)), shape_one), Outline(range(len(shape_two)), shape_two)
    kept_one = [dim for dim in one.labels if dim not in dims_one]
    kept_two = [dim for dim in two.labels if dim not in dims_two]
    before, count, after = (
        math.prod([shape[dim] for dim in dims])
        for shape, dims in ((shape_one, kept_one), (shape_one, dims_one), (shape_two, kept_two))
    )
    one.permute([*kept_one, *dims_one])
    one.reshape((before, count))
    two.permute([*dims_two, *kept_two])
    two.reshape((count, after))
    shape = *[shape_one[dim] for dim in kept_one], *[shape_two[dim] for dim in kept_two]
    return one.follow(), two.follow(), shape


def followed(F, tensor, steps: tuple):
    """A tensor to which that has been done."""
    for name, given in steps:
        tensor = getattr(F, name)(tensor, *given)
    return tensor
