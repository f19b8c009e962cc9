"""NaN and infinity, and where they first appear."""

from __future__ import annotations

from rushlight.amp.grad_scaler import GradScaler
from rushlight.core.graph import Leaf
from rushlight.core.origin import Place
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor
from rushlight.explain.graph import graph_of
from rushlight.explain.nan import first_non_finite, is_bad
from rushlight.explain.source_rewriting import spoken
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.births import Birth, Births, born_in_operation, number, worst
from rushlight.explain.watch.graph_patterns import op_name, saved_arrays
from rushlight.explain.watch.looking import Looking
from rushlight.explain.watch.loss_growth import Growth, shorter_steps, too_long
from rushlight.explain.watch.optimizers import gradient_of, parameters_of
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap

ADVICE = {
    "log": "keep the argument away from zero, log(x.clamp(min=1e-8)), or use log1p, log_softmax or logsumexp.",
    "sqrt": "keep the argument away from zero, sqrt(x + 1e-8): at zero the slope is infinite.",
    "true_divide": "keep the divisor away from zero: x / (y + 1e-8), or x / torch.where(y == 0, 1, y).",
    "exp": "subtract the maximum before exp, or use softmax, logsumexp, softplus or expm1.",
    "pow": "keep the base away from zero, (x + 1e-8) ** p, if the power is below one.",
}
LARGE = 4096  # elements of a large array
LOOK = "rushlight.explain_nan(loss) before this line looks for the step in which it began."
OTHERWISE = "keep the arguments of this operation in its domain: clamp them, or add a small number."


class NotANumber(Trap):
    """One NaN or infinity in the loss or in a gradient makes all parameters NaN within a step.

    Only the end is visible: `loss: nan`. The line that made it may be far earlier, in forward or in backward, possibly
    in the branch of a `where` that was not selected.
    """

    kind = "nan"
    failing = """
import torch

weight = torch.ones(3, requires_grad=True)
x = torch.tensor([1.0, 2.0, 0.0])
logarithm = torch.log(x * weight)  # <- here
loss = logarithm.mean()
loss.backward()
"""
    repaired = failing.replace("torch.log(x * weight)  # <- here", "torch.log((x * weight).clamp(min=1e-6))")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.births = Births(lambda: watching.here.passing)
        self.said = False  # after the first finding, everything is a consequence
        self.place: Place | None = None  # line of the last backward
        self.scaled = False  # with a GradScaler, overflows are expected and handled

    def tap(self, taps: Taps) -> None:
        state = self.births.state()
        taps.attribute(xp, "IGNORED", lambda ignored: state)
        Looking(self.births).begin(taps)
        taps.attribute(GradScaler, "scale", self._around_scale)

    def _around_scale(self, scale):
        def noted_scale(scaler, outputs):
            self.scaled = self.scaled or scaler.is_enabled()
            return scale(scaler, outputs)

        return noted_scale

    def before_backward(self, graph: Pass) -> None:
        if self.said or self.scaled:
            return
        bad = [output for output in graph.outputs if is_bad(output._array)]
        if bad:
            self.said = True
            value = "not finite" if bad[0]._array.size > 1 else number(bad[0]._array.reshape(-1)[0])
            self._tell(self.births.forward, graph, f"The loss is {value}")
        self.births.forward.clear()
        self.births.backward.clear()

    def after_backward(self, graph: Pass) -> None:
        self.place = graph.place
        if self.births.backward and not (self.said or self.scaled):
            leaves = [leaf for leaf in graph.leaves if leaf.grad is not None and is_bad(leaf.grad._array)]
            if leaves:
                self.said = True
                name = self.watching.known.name_of(leaves[0].variable)
                self._tell(self.births.backward, graph, f"The gradient of {name} is not finite")
        self.births.forward.clear()
        self.births.backward.clear()

    def before_step(self, optimizer) -> None:
        """Checks gradients: not all compiled kernels, which only large arrays use, report NaN."""
        if self.said or self.scaled or self.place is None:
            return
        for parameter in parameters_of(optimizer):
            gradient = gradient_of(parameter) if parameter._array.size >= LARGE else None
            if gradient is not None and is_bad(gradient._array):
                self.said = True
                name = self.watching.known.name_of(parameter)
                self.report(self.place, f"The gradient of {name} is not finite after this backward.", LOOK)
                return

    def _tell(self, births: list[Birth], graph: Pass, what: str) -> None:
        if (growth := self.watching.losses.growth(graph.start)) is not None:
            self._tell_of_growth(growth, births, graph, what)
            return
        if not births:
            self._tell_of_arrivals(graph, what)
            return
        birth = births[0]
        place = self._place_of(birth)
        operation = birth.text.partition("(")[0].rpartition(" ")[2]
        self.report(place, f"{what}. It began here: {birth.text}.", ADVICE.get(operation, OTHERWISE))

    def _tell_of_growth(self, growth: Growth, births: list[Birth], graph: Pass, what: str) -> None:
        """Reports values that grew step by step: the operation that overflowed is not to blame."""
        leaves = [leaf.variable for leaf in graph.leaves]
        known = self.watching.known
        trainer = next((candidate for leaf in leaves if (candidate := known.trainer_of(leaf)) is not None), None)
        followed = None if trainer is None else trainer[1]
        place = self._place_of(births[0]) if births else graph.place
        self.report(
            place, f"{what}. {growth} before that: {too_long(followed)}.", shorter_steps(growth, followed, leaves)
        )

    def _place_of(self, birth: Birth) -> Place:
        place = None if birth.node is None else self.watching.node_lines.place_of(birth.node)
        return place or birth.place

    def _tell_of_arrivals(self, graph: Pass, what: str) -> None:
        """Reports a NaN of unknown origin: from a compiled kernel, from the data, or in a parameter."""
        loss = next(output for output in graph.outputs if is_bad(output._array))
        born = first_non_finite(graph_of(loss), loss)
        if born is not None and not isinstance(born.step.node, Leaf) and not born.infinite:
            place = self.watching.node_lines.place_of(born.step.node) or born.step.place or graph.place
            text = born_in_operation(born.step.op, born.arrays, born.result)
            text = f"{what}. It began here: {text or f'{spoken(born.step.op)} is {worst(born.result)}'}."
            self.report(place, text, ADVICE.get(born.step.op, OTHERWISE))
            return
        for leaf in graph.leaves:
            if is_bad(leaf.array):
                self._tell_of_parameter(leaf.variable, graph, what)
                return
        for node in reversed(graph.nodes):
            for name, array in saved_arrays(node):
                if is_bad(array):
                    text = f"{what}. A number that is not finite comes with the data: in `{name}` of {op_name(node)}()."
                    advice = "clean the data, by torch.nan_to_num for one, or leave such rows out."
                    self.report(self.watching.node_lines.place_of(node) or graph.place, text, advice)
                    return
        self.report(graph.place, f"{what}.", LOOK)

    def _tell_of_parameter(self, parameter: Tensor, graph: Pass, what: str) -> None:
        name, trainer = self.watching.known.name_of(parameter), self.watching.known.trainer_of(parameter)
        if trainer is None:
            text = f"{what}, for {name} is not finite already before this step."
            self.report(graph.place, text, "look at what set it: what it was loaded from, or what writes to it.")
            return
        optimizer, followed = trainer
        text = f"{what}, for {name} is not finite since the last {type(optimizer).__name__}.step()."
        advice = "take a lower learning rate, or torch.nn.utils.clip_grad_norm_(parameters, 1.0) before the step."
        self.report(followed.stepped, text, advice)
