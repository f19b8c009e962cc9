"""Sample inputs that families share: every operator of one, two or three operands has to pass them."""

from __future__ import annotations

UNARY = lambda r: [(r(2, 3),), (r(),), (r(0),), (r(3, 2).T,)]
POSITIVE = lambda r: [(r.positive(2, 3),), (r.positive(),), (r.positive(0),), (r.positive(3, 2).T,)]
# Between -1 and 1, the domain of the inverses of sine and tanh.
UNIT = lambda r: [(r(2, 3).tanh() * 0.9,), (r().tanh() * 0.9,), (r(0),), (r(3, 2).T.tanh() * 0.9,)]

BINARY = lambda r: [(r(2, 3), r(2, 3)), (r(2, 3), r(3)), (r(2, 1), r(1, 3)), (r(), r(4)), (r(0, 3), r(1, 3))]
# The second operand is not near 0.
QUOTIENT = lambda r: [(a, b + 3) for a, b in BINARY(r)]
WITH_NUMBER = lambda r: [*BINARY(r), (r(2, 3), 2), (r(3), 0.5)]
INTEGERS = lambda r: [(r.integers(9, 2, 3), r.integers(9, 2, 3)), (r.integers(9, 2, 1), r.integers(9, 3))]
