"""The runs of a model that is traced: which sizes its inputs have in each.

A dimension that may change has another size in each run. The sizes are near those of the example, so that a model with
a longest sequence accepts them; where it does not, smaller ones are tried, then multiples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.ranges import arange
from rushlight.export.dimensions import UNLIMITED, Dim, Hint, UserError

# What is added to the size of the example in each run: dimensions get different ones, so that no size follows from
# another. There are four runs: a line has two unknowns, so each formula is tested on two more.
STEPS = ((0, 1, 3, 4), (0, 2, 1, 5), (1, 0, 4, 2), (3, 0, 1, 2), (2, 5, 0, 1), (0, 4, 5, 2), (5, 3, 0, 4), (4, 1, 2, 0))


class Place(NamedTuple):
    """A dimension of an input: the number of the flat input, and the dimension."""

    input: int
    dimension: int


class Symbol:
    """A size that may change: where it is, its name, and its bounds."""

    def __init__(self, name: str, size: int, low: int = 0, high: int | None = None, *, demanded: bool = True):
        self.name, self.size, self.low, self.high, self.demanded = name, size, low, high, demanded
        self.occurrences: list[tuple[Place, int, int]] = []  # the place has `times * symbol + plus`
        self.hint: Hint | None = None

    def fits(self, sizes: tuple[int, ...]) -> bool:
        return min(sizes) >= max(2, self.low) and (self.high is None or max(sizes) <= self.high)


def symbols(leaves: list, spec: list[dict[int, Any]]) -> list[Symbol]:
    """Returns the sizes that a program says may change. Raises UserError if equal ones differ in the example."""
    known: dict[Any, Symbol] = {}
    for number, said in enumerate(spec):
        for dimension, each in said.items():
            size, place = leaves[number].shape[dimension], Place(number, dimension)
            times, plus, root = (each.times, each.plus, each.root) if isinstance(each, Dim) else (1, 0, each)
            key = place if isinstance(each, Hint) else root.__name__ if isinstance(root, Dim) else root
            if (size - plus) % times:
                raise UserError(f"Expected input size {size} to be of the form {each.__name__}, where it is an integer")
            own = (size - plus) // times
            if key not in known:
                known[key] = new_symbol(root, own, len(known))
            elif known[key].size != own:
                raise UserError(
                    f"Constraints violated ({known[key].name})! You said that dimensions are equal which have the "
                    f"sizes {known[key].size} and {own} in the example."
                )
            known[key].occurrences.append((place, times, plus))
    return list(known.values())


def new_symbol(root: Any, size: int, number: int) -> Symbol:
    if isinstance(root, Dim):
        high = None if root.max == UNLIMITED else root.max
        if size < root.min or size > root.max:
            raise UserError(f"{size} not in range [{root.min}, {'int_oo' if high is None else high}]")
        return Symbol(root.__name__, size, root.min, high)
    made = Symbol(f"s{number}" if isinstance(root, Hint) else root, size, demanded=root is Hint.DYNAMIC)
    made.hint = root if isinstance(root, Hint) else None
    return made


def choices(symbol: Symbol, number: int) -> Iterator[tuple[int, ...]]:
    """Yields the sizes that a symbol may have in the runs: near the example, below it, multiples of it."""
    steps, size = STEPS[number % len(STEPS)], max(symbol.size, 2)
    for sizes in (
        tuple([size + step for step in steps]),
        tuple([size - step for step in steps]),
        tuple([size * (step + 1) for step in steps]),
    ):
        if symbol.fits(sizes):
            yield sizes
    if symbol.high is not None:
        low = max(2, symbol.low)
        if symbol.high - low >= 2:
            ladder = [low + step % (symbol.high - low + 1) for step in steps]
            if len(set(ladder)) >= 3:
                yield tuple(ladder)


def resized(tensor: Tensor, sizes: dict[int, int]) -> Tensor:
    """Returns a tensor with other sizes: its elements are repeated, or left out."""
    for dimension, size in sizes.items():
        if size != tensor.shape[dimension] and tensor.shape[dimension]:
            positions: Any = arange(size)
            tensor = tensor.index_select(dimension, positions % tensor.shape[dimension])
    return tensor


def inputs_of_run(leaves: list, known: list[Symbol], sizes: list[int]) -> list:
    """Returns the flat inputs of a run, in which the symbols have these sizes."""
    wanted: dict[int, dict[int, int]] = {}
    for symbol, size in zip(known, sizes, strict=True):
        for place, times, plus in symbol.occurrences:
            wanted.setdefault(place.input, {})[place.dimension] = times * size + plus
    return [resized(leaf, wanted[number]) if number in wanted else leaf for number, leaf in enumerate(leaves)]


class Runs(NamedTuple):
    """The sizes that may change, and those of each run."""

    symbols: list[Symbol]
    sizes: list[tuple[int, ...]]  # of each symbol in the runs


def recorded_runs(
    leaves: list, known: list[Symbol], record: Callable[[list], Any], refusal: type[Exception]
) -> tuple[Runs, list]:
    """Returns the runs, and what `record` makes of the inputs of each.

    An error of the kind `refusal` is raised, whatever the sizes; another says that the model does not accept them.
    """
    made: dict[tuple, Any] = {}

    def recorded(changed: list) -> Any:
        key = tuple([tuple(leaf.shape) for leaf in changed if isinstance(leaf, Tensor)])
        if key not in made:
            made[key] = record(changed)
        return made[key]

    def accepts(changed: list) -> Exception | None:
        try:
            recorded(changed)
        except refusal:
            raise
        except Exception as error:  # noqa: BLE001  whatever a program raises for sizes that it does not accept
            return error
        return None

    runs = planned(leaves, known, accepts) if known else Runs([], [])
    count = len(runs.sizes[0]) if runs.sizes else 1
    inputs = [inputs_of_run(leaves, runs.symbols, [sizes[at] for sizes in runs.sizes]) for at in range(count)]
    return runs, [recorded(each) for each in inputs]


def planned(leaves: list, known: list[Symbol], accepts: Callable[[list], Exception | None]) -> Runs:
    """Returns sizes that the model accepts.

    `accepts` runs the model on inputs and returns its refusal. Sizes that have to be equal are made one symbol. Raises
    UserError if the model accepts only the size of the example where the program said that it may change.
    """
    kept: list[Symbol] = []
    sizes: list[tuple[int, ...]] = []

    def refusal(symbols_: list[Symbol], chosen: list[tuple[int, ...]]) -> Exception | None:
        for run in (0, 1):  # the last two are not tried here: tracing does
            if error := accepts(inputs_of_run(leaves, symbols_, [each[run] for each in chosen])):
                return error
        return None

    first = [next(choices(symbol, number), None) for number, symbol in enumerate(known)]
    if all(first) and refusal(known, first) is None:  # type: ignore[arg-type]
        return Runs(known, first)  # type: ignore[arg-type]
    for symbol in known:
        error: Exception | None = None
        options = [*choices(symbol, len(kept))]
        if not options and symbol.demanded:
            raise few_sizes(symbol)
        for chosen in options:
            if (error := refusal([*kept, symbol], [*sizes, chosen])) is None:
                kept.append(symbol)
                sizes.append(chosen)
                break
        else:
            joined_to = joined(symbol, kept, sizes, refusal)
            if joined_to is None and symbol.demanded:
                raise refused(symbol) from error
    return Runs(kept, sizes)


def joined(symbol: Symbol, kept: list[Symbol], sizes: list, refusal: Callable) -> Symbol | None:
    """Makes a size one with an earlier one of the same size in the example, if the model then accepts others."""
    if symbol.occurrences[0][1:] != (1, 0):
        return None
    for other in kept:
        if other.size == symbol.size:
            before = list(other.occurrences)
            other.occurrences += symbol.occurrences
            if refusal(kept, sizes) is None:
                return other
            other.occurrences = before
    return None


def few_sizes(symbol: Symbol) -> UserError:
    """Returns the error of bounds within which the model cannot run at several sizes."""
    return noted(
        UserError(
            f"torch.export.export: {symbol.name} has too few sizes between its bounds, {symbol.low} and {symbol.high}"
        ),
        "An export runs the model at three sizes or more, of at least 2: set other bounds, or leave the size static.",
    )


def refused(symbol: Symbol) -> UserError:
    """Returns the error of a size that may not change."""
    return UserError(
        f'Constraints violated ({symbol.name})! For more information, run with TORCH_LOGS="+dynamic".\n'
        f"  - You marked {symbol.name} as dynamic but your code specialized it to be a constant ({symbol.size}). If "
        "you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace "
        f"it with either Dim.STATIC or Dim.AUTO.\nSuggested fixes:\n  {symbol.name} = {symbol.size}"
    )
