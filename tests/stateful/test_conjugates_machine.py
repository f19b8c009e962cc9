"""Random programs of conjugates, negatives, parts and writes on one memory, against a naive twin.

The twin of a tensor is an array of positions in a flat list of real numbers, and beside each a sign: a complex element
is two such, in a last dimension. A conjugate turns the signs of second ones, a negative all, a part takes one of two.
What is marked and how is not in the twin: it follows from the signs.
"""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

NUMBERS = [1.0, -2.0, 3.0, 0.5, -1.5, 4.0, 2.0, -0.25, 1.25, -3.0, 0.75, 5.0]  # six complex ones


class Twin:
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
        return Twin(self.memory, function(self.positions), function(self.signs), self.is_complex)

    def turned(self, signs):
        return Twin(self.memory, self.positions, self.signs * signs, self.is_complex)

    def part(self, number):
        return Twin(self.memory, self.positions[..., number], self.signs[..., number], False)

    def as_parts(self, is_complex):
        return Twin(self.memory, self.positions, self.signs, is_complex)

    def write(self, values):
        values = np.broadcast_to(values, self.shape)
        parts = np.stack([values.real, values.imag], -1) if self.is_complex else values.real
        self.memory.numbers[self.positions] = parts * self.signs
        self.memory.version += 1


class Memory:
    """Real numbers, and how often they were written to."""

    def __init__(self):
        self.numbers, self.version = np.array(NUMBERS), 0


# Of a tensor, and of its twin.
TURNS = {
    "conj": (lambda x: x.conj(), lambda twin: twin.turned(np.array([1, -1])) if twin.is_complex else twin),
    "negative": (lambda x: x._neg_view(), lambda twin: twin.turned(-1)),
    "real": (lambda x: x.real, lambda twin: twin.part(0) if twin.is_complex else twin),
    "imag": (lambda x: x.imag if x.is_complex() else x, lambda twin: twin.part(1) if twin.is_complex else twin),
    "last row": (lambda x: x[-1:], lambda twin: twin.moved(lambda each: each[-1:])),
    "first": (lambda x: x[0], lambda twin: twin.moved(lambda each: each[0])),
    "transposed": (
        lambda x: x.transpose(0, -1),
        lambda twin: twin.moved(lambda each: np.swapaxes(each, 0, len(twin.shape) - 1)),
    ),
    "detached": (lambda x: x.detach(), lambda twin: twin),
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
            twin = Twin(Memory(), np.arange(12).reshape(2, 3, 2), np.ones((2, 3, 2)), True)
            tensor = torch.view_as_complex(torch.tensor(NUMBERS, dtype=torch.float64).reshape(2, 3, 2).clone())
            self.known = [(tensor, twin)]
            return tensor, twin

        @rule(target=pairs, source=pairs, turn=st.sampled_from(sorted(TURNS)))
        def look(self, source, turn):
            tensor, twin = source
            if not twin.shape and turn in ("last row", "first", "transposed"):
                return source
            ours, naive = TURNS[turn]
            pair = ours(tensor), naive(twin)
            self.known.append(pair)
            return pair

        @rule(target=pairs, source=pairs)
        def as_pairs_and_back(self, source):
            tensor, twin = source
            if twin.is_complex and not twin.marks[0]:
                pair = torch.view_as_real(tensor), twin.as_parts(False)
                self.known.append(pair)
                back = torch.view_as_complex(pair[0]), twin
                self.known.append(back)
                return back
            return source

        @rule(target=pairs, source=pairs, operand=pairs, operation=st.sampled_from(sorted(WRITES)))
        def write(self, source, operand, operation):
            tensor, twin = source
            other, there = operand
            if there.is_complex and not twin.is_complex:
                other, there = other.real, there.part(0)
            values = there.values.reshape(-1)[:1].reshape(()).copy()
            ours, naive = WRITES[operation]
            ours(tensor, other.reshape(-1)[0].clone())
            twin.write(naive(twin.values, values))
            return source

        @rule(source=pairs)
        def write_its_own_conjugate(self, source):
            tensor, twin = source
            values = twin.values.conj()
            tensor.copy_(tensor.conj())
            twin.write(values)

        @rule(source=pairs, target=pairs)
        def write_a_result(self, source):
            tensor, twin = source
            torch.mul(tensor.clone(), 0.5, out=tensor)
            twin.write(twin.values * 0.5)
            return source

        @invariant()
        def all_agree(self):
            base = self.known[0][0] if getattr(self, "known", None) else None
            for tensor, twin in getattr(self, "known", ()):
                assert (tensor.is_conj(), tensor.is_neg()) == twin.marks
                np.testing.assert_allclose(np.array(tensor.tolist()), twin.values, rtol=1e-12)
                assert tensor._version == twin.memory.version
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
