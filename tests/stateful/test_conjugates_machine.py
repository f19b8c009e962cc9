"""Random programs of conjugates, negatives, parts and writes on one memory, against a naive model.

The model of a tensor is an array of positions in a flat list of real numbers, and beside each a sign: a complex element
is two such, in a last dimension. A conjugate turns the signs of second ones, a negative all, a part takes one of two.
What is marked and how is not in the model: it follows from the signs.
"""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

NUMBERS = [1.0, -2.0, 3.0, 0.5, -1.5, 4.0, 2.0, -0.25, 1.25, -3.0, 0.75, 5.0]  # six complex ones


class Model:
    """Positions and signs, of complex numbers with a last dimension of two."""

    def __init__(self, memory, positions, signs, is_complex):
        self.memory, self.positions, self.signs, self.is_complex = memory, positions, signs, is_complex

    @property
    def shape(self):
        return self.positions.shape[:-1] if self.is_complex else self.positions.shape

    @property
    def values(self):
        result = self.memory.numbers[self.positions] * self.signs
        return result[..., 0] + 1j * result[..., 1] if self.is_complex else result

    @property
    def marks(self):
        """Whether it is a conjugate, and whether a negative: by the signs of one element."""
        signs = self.signs.reshape(-1, 2 if self.is_complex else 1)[0]
        return bool(self.is_complex and signs[0] != signs[1]), bool(signs[0] < 0)

    def moved(self, function):
        return Model(self.memory, function(self.positions), function(self.signs), self.is_complex)

    def turned(self, signs):
        return Model(self.memory, self.positions, self.signs * signs, self.is_complex)

    def part(self, number):
        return Model(self.memory, self.positions[..., number], self.signs[..., number], False)

    def as_parts(self, is_complex):
        return Model(self.memory, self.positions, self.signs, is_complex)

    def write(self, values):
        values = np.broadcast_to(values, self.shape)
        parts = np.stack([values.real, values.imag], -1) if self.is_complex else values.real
        self.memory.numbers[self.positions] = parts * self.signs
        self.memory.version += 1


class Memory:
    """Real numbers, and how often they were written to."""

    def __init__(self):
        self.numbers, self.version = np.array(NUMBERS), 0


# Of a tensor, and of its model.
TURNS = {
    "conj": (
        lambda x: x.conj(),
        lambda model: model.turned(np.array([1, -1])) if model.is_complex else model,
    ),
    "negative": (lambda x: x._neg_view(), lambda model: model.turned(-1)),
    "real": (lambda x: x.real, lambda model: model.part(0) if model.is_complex else model),
    "imag": (
        lambda x: x.imag if x.is_complex() else x,
        lambda model: model.part(1) if model.is_complex else model,
    ),
    "last row": (lambda x: x[-1:], lambda model: model.moved(lambda each: each[-1:])),
    "first": (lambda x: x[0], lambda model: model.moved(lambda each: each[0])),
    "transposed": (
        lambda x: x.transpose(0, -1),
        lambda model: model.moved(lambda each: np.swapaxes(each, 0, len(model.shape) - 1)),
    ),
    "detached": (lambda x: x.detach(), lambda model: model),
}
# What is read of an operand, and what is written.
WRITES = {
    "copy": (lambda x, other: x.copy_(other), lambda here, there: there),
    "add": (lambda x, other: x.add_(other), lambda here, there: here + there),
    "multiply": (lambda x, other: x.mul_(other), lambda here, there: here * there),
    "assign": (lambda x, other: x.__setitem__(..., other), lambda here, there: there),
    "subtract and store": (lambda x, other: x.sub_(other), lambda here, there: here - there),
}


def machine(torch):
    """The state machine of one library."""

    class Views(RuleBasedStateMachine):
        pairs = Bundle("pairs")

        @initialize(target=pairs)
        def start(self):
            model = Model(Memory(), np.arange(12).reshape(2, 3, 2), np.ones((2, 3, 2)), True)
            tensor = torch.view_as_complex(torch.tensor(NUMBERS, dtype=torch.float64).reshape(2, 3, 2).clone())
            self.known = [(tensor, model)]
            return tensor, model

        @rule(target=pairs, source=pairs, turn=st.sampled_from(sorted(TURNS)))
        def look(self, source, turn):
            tensor, model = source
            if not model.shape and turn in ("last row", "first", "transposed"):
                return source
            ours, naive = TURNS[turn]
            pair = ours(tensor), naive(model)
            self.known.append(pair)
            return pair

        @rule(target=pairs, source=pairs)
        def as_pairs_and_back(self, source):
            tensor, model = source
            if model.is_complex and not model.marks[0]:
                pair = torch.view_as_real(tensor), model.as_parts(False)
                self.known.append(pair)
                back = torch.view_as_complex(pair[0]), model
                self.known.append(back)
                return back
            return source

        @rule(target=pairs, source=pairs, operand=pairs, operation=st.sampled_from(sorted(WRITES)))
        def write(self, source, operand, operation):
            tensor, model = source
            other, there = operand
            if there.is_complex and not model.is_complex:
                other, there = other.real, there.part(0)
            values = there.values.reshape(-1)[:1].reshape(()).copy()
            ours, naive = WRITES[operation]
            ours(tensor, other.reshape(-1)[0].clone())
            model.write(naive(model.values, values))
            return source

        @rule(source=pairs)
        def write_its_own_conjugate(self, source):
            tensor, model = source
            values = model.values.conj()
            tensor.copy_(tensor.conj())
            model.write(values)

        @rule(source=pairs, target=pairs)
        def write_a_result(self, source):
            tensor, model = source
            torch.mul(tensor.clone(), 0.5, out=tensor)
            model.write(model.values * 0.5)
            return source

        @invariant()
        def all_agree(self):
            base = self.known[0][0] if getattr(self, "known", None) else None
            for tensor, model in getattr(self, "known", ()):
                assert (tensor.is_conj(), tensor.is_neg()) == model.marks
                np.testing.assert_allclose(np.array(tensor.tolist()), model.values, rtol=1e-12)
                assert tensor._version == model.memory.version
                assert 0 <= tensor.data_ptr() - base.data_ptr() < base.nbytes

    return Views


def test_random_programs_of_conjugates_and_writes(torch):
    run_state_machine_as_test(
        machine(torch),
        settings=settings(
            max_examples=100, stateful_step_count=20, derandomize=True, deadline=None, database=None,
            report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
