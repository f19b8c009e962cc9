"""Random numbers that a training step draws: they are drawn before it, so that the rest of it is one program.

The draws stay in their order. Each has to follow from constants, or from the layout of tensors, of which it gets others
with the same one.
"""

from __future__ import annotations

from typing import Any

from rushlight.capture.calls import A_TENSOR, Built, Call, Constant, Result, Run, Value, number_of
from rushlight.capture.fixed_sizes import is_made_in
from rushlight.core.tensor import wrap
from rushlight.core.traced import Untraceable
from rushlight.graph.segment import alike

DRAWS = frozenset(
    """
    rand randn randint randperm rand_like randn_like randint_like normal normal_ uniform_ random_ bernoulli_
    exponential_ geometric_ cauchy_ log_normal_
    """.split()
)


def draws(call: Any) -> bool:
    """Whether an item of a run is a call that draws numbers, which may follow from nothing that a step computes."""
    return type(call) is Call and call.function.__name__ in DRAWS and is_made_in(call, "random", "random_inplace")


class EarlyDraws:
    """Divides the calls of a step into the draws, which come before it, and the `rest`.

    `sample` gives the object that an expression was in the run. Raises Untraceable for a draw that has to wait.
    """

    def __init__(self, run: Run, calls: list[Call], sample: Any):
        self.run, self.sample, self.calls = run, sample, calls
        self.draws: list[Call] = []
        self.numbers: set[int] = set()  # of the draws, and of what they fill
        for at, call in enumerate(calls):
            if draws(call):
                self.enter(at, call)
        if self.draws and any([getattr(call.function, "__name__", "") == "inference_mode" for call in calls]):
            raise Untraceable("tensors of inference mode are others")
        self.rest = [call for call in calls if call.number not in self.numbers]

    def enter(self, at: int, call: Call) -> None:
        """Enters a draw, or what it fills: the call with a position."""
        like = call.function.__name__.endswith("_like")
        arguments = tuple([self.argument(at, each, like) for each in call.arguments])
        keywords = {name: self.argument(at, each, like) for name, each in call.keywords.items()}
        made = Call(call.function, arguments, keywords, call.number, call.pure, call.place)
        made.gives_none, made.in_block = call.gives_none, call.in_block
        self.draws.append(made)
        self.numbers.add(call.number)

    def argument(self, at: int, expression: Any, like: bool) -> Any:
        """Returns an argument of the call with a position; of one with `like`, only the layout matters."""
        if type(expression) is Constant:
            return expression
        if type(expression) is Built and all([type(each) is Constant for each in expression.items]):
            return expression
        if like and type(expression) is Value and self.run.kind_of(expression) is A_TENSOR:
            return expression
        if like and number_of(expression) is not None:
            return Constant(wrap(alike(self.sample(expression)._array)))
        if type(expression) is Result:
            self.fill(at, expression.number)
            return expression
        raise Untraceable("what is drawn depends on what a step computes")

    def fill(self, at: int, number: int) -> None:
        """Enters the new tensor into which the call with a position draws. Nothing may read it before."""
        made = next((place for place, call in enumerate(self.calls) if call.number == number), None)
        if made is None or not is_made_in(self.calls[made], "filled"):
            raise Untraceable("random numbers are drawn into a tensor that has others, or is no new one")
        between = [each for call in self.calls[made + 1 : at] if not call.meta for each in call.expressions()]
        if number in map(number_of, between):
            raise Untraceable("a tensor is read before random numbers are drawn into it")
        self.enter(made, self.calls[made])
