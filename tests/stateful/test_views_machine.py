"""Random programs of views, in-place writes, detach, no_grad and backward, against a naive model.

The model knows no graph. A memory is a flat list of numbers; a tensor is an array of positions in a memory, so that a
view is the same view taken of the positions. Beside each number stands its derivative with respect to every element of
the only leaf: forward mode, one row per element. A detached tensor has the memory of its source and rows of its own.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

LEAF_ELEMENTS = 6

# --- the model -----------------------------------------------------------------------------------------------------


class Memory:
    """Numbers, and how often they have been written to."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, dtype=np.float64).reshape(-1)
        self.version = 0


class History:
    """The derivative of every number of a memory, and the values that backward would need unchanged."""

    def __init__(self, derivatives, tracked, needed=frozenset(), leaf=False):
        self.derivatives, self.tracked, self.needed, self.leaf = derivatives, tracked, needed, leaf

    def stale(self):
        return any(memory.version != version for memory, version in self.needed)


class Model:
    """A tensor: positions in a memory, seen with a history."""

    def __init__(self, memory, history, positions):
        self.memory, self.history, self.positions = memory, history, positions

    @classmethod
    def fresh(cls, numbers, derivatives, tracked, needed=frozenset(), leaf=False):
        """A tensor with a memory of its own; `derivatives` has one more dimension than `numbers`."""
        derivatives = derivatives.reshape(-1, LEAF_ELEMENTS) if tracked else np.zeros((np.size(numbers), LEAF_ELEMENTS))
        history = History(derivatives, tracked, needed if tracked else frozenset(), leaf)
        return cls(Memory(numbers), history, np.arange(np.size(numbers)).reshape(np.shape(numbers)))

    @property
    def numbers(self):
        return self.memory.numbers[self.positions]

    @property
    def derivatives(self):
        return self.history.derivatives[self.positions]  # (*shape, elements of the leaf)

    @property
    def tracked(self):
        return self.history.tracked

    def stamp(self):
        """What backward would check, had it saved this tensor now."""
        return frozenset([(self.memory, self.memory.version)])

    def view(self, function):
        return Model(self.memory, self.history, function(self.positions))

    def detach(self):
        return Model(self.memory, History(np.zeros_like(self.history.derivatives), False), self.positions)

    def clone(self):
        return Model.fresh(self.numbers, self.derivatives, self.tracked, self.history.needed)

    def sum(self):
        derivatives = self.derivatives.reshape(-1, LEAF_ELEMENTS).sum(0)
        return Model.fresh(self.numbers.sum(), derivatives, self.tracked, self.history.needed)

    def apply(self, operation, operand, recording):
        """A new tensor `operation(self, operand)`."""
        numbers, derivatives, needed = operation.evaluate(self, operand)
        tracked = recording and (self.tracked or operand.tracked)
        out = Model.fresh(numbers, derivatives, tracked, needed)
        if tracked and operation.saves == "result":
            out.history.needed |= out.stamp()
        return out

    def write(self, operation, operand, recording):
        """`operation(self, operand)` written over `self`: everybody sees the numbers, its history the derivatives."""
        numbers, derivatives, needed = operation.evaluate(self, operand, in_place=True)
        tracked = self.tracked or operand.tracked
        self.memory.numbers[self.positions] = numbers
        self.memory.version += 1
        if recording and tracked:
            self.history.derivatives[self.positions] = derivatives
            self.history.tracked = True
            self.history.needed |= needed | (self.stamp() if operation.saves == "result" else frozenset())


class Operation:
    """An operation with its derivative: what it makes of numbers and derivatives, and what it saves.

    `saves` has "self" for an operation that needs its first operand, "result" for one that needs what it made, and
    "factors" for a product, which needs each factor only if the other one is tracked.
    """

    def __init__(self, name, function, slope_self, slope_operand, saves=""):
        self.name, self.function = name, function
        self.slope_self, self.slope_operand = slope_self, slope_operand
        self.saves = saves

    def __repr__(self):
        return self.name

    def evaluate(self, target, operand, in_place=False):
        a, b = np.broadcast_arrays(target.numbers, operand.numbers)
        derivatives = np.asarray(self.slope_self(a, b))[..., None] * target.derivatives
        derivatives = derivatives + np.asarray(self.slope_operand(a, b))[..., None] * operand.derivatives
        needed = target.history.needed | operand.history.needed
        if self.saves == "factors" and target.tracked:
            needed |= operand.stamp()
        in_need = self.saves == "self" or self.saves == "factors" and operand.tracked
        if in_need and not in_place:  # in place, a copy is saved
            needed |= target.stamp()
        return self.function(a, b), derivatives, needed


# --- operations and views, for the library and for the model -------------------------------------------------------


def one(a, b):
    return np.ones_like(a)


def zero(a, b):
    return np.zeros_like(a)


OPERATIONS = [
    Operation("add", lambda a, b: a + b, one, one),
    Operation("mul", lambda a, b: a * b, lambda a, b: b, lambda a, b: a, "factors"),
    Operation("sin", lambda a, b: np.sin(a), lambda a, b: np.cos(a), zero, "self"),
    Operation("tanh", lambda a, b: np.tanh(a), lambda a, b: 1 - np.tanh(a) ** 2, zero, "result"),
]
WRITES = [
    *OPERATIONS,
    Operation("copy", lambda a, b: b, zero, one),
    Operation("fill", lambda a, b: np.full_like(a, 0.5), zero, zero),
]
TAKES_OPERAND = {"add", "mul", "copy"}

VIEWS = {
    "first": (lambda t: t.ndim > 0, lambda t: t[0]),
    "last of the last": (lambda t: t.ndim > 0, lambda t: t[..., -1]),
    "tail": (lambda t: t.ndim > 0 and t.shape[-1] > 1, lambda t: t[..., 1:]),
    "every other": (lambda t: t.ndim > 0, lambda t: t[::2]),
    "turned": (lambda t: t.ndim == 2, lambda t: t.T),
    "flat": (lambda t: t.is_contiguous(), lambda t: t.reshape(-1)),
    "deeper": (lambda t: t.ndim < 3, lambda t: t[..., None]),
    "diagonal": (lambda t: t.ndim == 2, lambda t: t.diagonal()),
}


def apply_to(tensor, operation, operand, in_place):
    """The same operation, asked of the library."""
    name = operation.name + ("_" if in_place else "")
    if operation.name == "fill":
        return tensor.fill_(0.5)
    return getattr(tensor, name)(operand) if operation.name in TAKES_OPERAND else getattr(tensor, name)()


def operand_for(operation, model, candidate):
    """`candidate` where its shape fits that of `model`, its sum where it does not; nothing if no operand is taken."""
    tensor, other = candidate
    if operation.name not in TAKES_OPERAND:
        return None, Model.fresh(0.0, None, False)
    try:
        fits = np.broadcast_shapes(other.positions.shape, model.positions.shape) == model.positions.shape
    except ValueError:
        fits = False
    return candidate if fits else (tensor.sum(), other.sum())


# --- the machine --------------------------------------------------------------------------------------------------


def machine(torch):
    numbers = st.lists(st.sampled_from([-1.5, -0.5, 0.25, 0.75, 1.25]), min_size=6, max_size=6)
    mostly = st.sampled_from([True, True, True, False])

    class Views(RuleBasedStateMachine):
        tensors = Bundle("tensors")  # pairs of a tensor of the library and its model

        @initialize(target=tensors, values=numbers, others=numbers)
        def start(self, values, others):
            model = Model.fresh(np.reshape(values, (2, 3)), np.eye(LEAF_ELEMENTS), True, leaf=True)
            constant = Model.fresh(np.reshape(others, (2, 3)), None, False)
            self.leaf = torch.tensor(model.numbers.tolist(), dtype=torch.float64, requires_grad=True)
            hidden = self.leaf.clone(), model.clone()
            self.pairs = [
                (self.leaf, model),
                hidden,
                (hidden[0][:, 1:], hidden[1].view(lambda positions: positions[:, 1:])),
                (torch.tensor(constant.numbers.tolist(), dtype=torch.float64), constant),
            ]
            return multiple(*self.pairs)

        def keep(self, tensor, model):
            self.pairs.append((tensor, model))
            return self.pairs[-1]

        @rule(target=tensors, source=tensors, name=st.sampled_from(sorted(VIEWS)))
        def take_a_view(self, source, name):
            tensor, model = source
            possible, view = VIEWS[name]
            return self.keep(view(tensor), model.view(view)) if possible(tensor) else multiple()

        @rule(target=tensors, source=tensors, how=st.sampled_from(["clone", "detach", "sum"]))
        def take_a_copy(self, source, how):
            tensor, model = source
            return self.keep(getattr(tensor, how)(), getattr(model, how)())

        @rule(target=tensors, first=tensors, second=tensors, operation=st.sampled_from(OPERATIONS), recording=mostly)
        def compute(self, first, second, operation, recording):
            tensor, model = first
            operand, other = operand_for(operation, model, second)
            with torch.set_grad_enabled(recording):
                out = apply_to(tensor, operation, operand, in_place=False)
            return self.keep(out, model.apply(operation, other, recording))

        @rule(first=tensors, second=tensors, operation=st.sampled_from(WRITES), recording=mostly)
        def write(self, first, second, operation, recording):
            tensor, model = first
            operand, other = operand_for(operation, model, second)
            if other.memory is model.memory:
                operand, other = operand.clone(), other.clone()
            with torch.set_grad_enabled(recording):
                if recording and model.history.leaf:
                    with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-"):
                        apply_to(tensor, operation, operand, in_place=True)
                else:
                    assert apply_to(tensor, operation, operand, in_place=True) is tensor
                    model.write(operation, other, recording)

        @rule(source=tensors)
        def write_to_a_part(self, source):
            tensor, model = source
            if model.positions.ndim == 0:
                return
            part = tensor.unbind(0)[0]
            if model.tracked:
                with pytest.raises(RuntimeError, match="leaf Variable|is a view and is being modified inplace"):
                    part.mul_(2)
            else:
                part.mul_(2)
                model.memory.numbers[model.positions[0]] *= 2
                model.memory.version += 1

        @rule(source=tensors)
        def run_backward(self, source):
            self.compare_gradients(*source)

        def compare_gradients(self, tensor, model):
            weights = np.linspace(1, 2, model.positions.size).reshape(model.positions.shape)
            gradient = torch.tensor(weights.tolist(), dtype=torch.float64)
            if not model.tracked:
                with pytest.raises(RuntimeError, match="^element 0 of tensors does not require grad"):
                    tensor.backward(gradient)
            elif model.history.stale():
                with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
                    tensor.backward(gradient, retain_graph=True)
            else:
                tensor.backward(gradient, retain_graph=True)
                expected = np.tensordot(weights, model.derivatives, model.positions.ndim)
                result = np.zeros(LEAF_ELEMENTS) if self.leaf.grad is None else self.leaf.grad.reshape(-1).tolist()
                scale = max(1.0, np.abs(model.memory.numbers).max(), np.abs(model.history.derivatives).max())
                np.testing.assert_allclose(result, expected, rtol=1e-7, atol=1e-9 * scale)
            self.leaf.grad = None

        @invariant()
        def tensors_agree(self):
            for tensor, model in getattr(self, "pairs", []):
                assert tuple(tensor.shape) == model.positions.shape
                np.testing.assert_allclose(np.array(tensor.tolist()), model.numbers, rtol=1e-9, atol=1e-12)
                assert tensor.requires_grad == model.tracked
                assert tensor.is_leaf == (tensor is self.leaf or not model.tracked)
                assert tensor._version == model.memory.version

        def teardown(self):
            for tensor, model in getattr(self, "pairs", []):
                self.compare_gradients(tensor, model)

    return Views


def run(torch, **how):
    run_state_machine_as_test(
        machine(torch),
        settings=settings(
            **how, deadline=None, database=None, report_multiple_bugs=False, suppress_health_check=list(HealthCheck)
        ),
    )


def test_random_programs_of_views_and_writes(torch):
    """Fewer under PyTorch, which shows that the model is right: neither changes as rushlight does."""
    run(torch, max_examples=300 if torch.__name__ == "rushlight" else 75, stateful_step_count=30, derandomize=True)


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_many_more_random_programs(torch):
    run(torch, max_examples=4000, stateful_step_count=40)
