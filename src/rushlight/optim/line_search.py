"""A line search for the strong Wolfe conditions, by cubic interpolation (Nocedal, Wright 2006, algorithms 3.5, 3.6)."""

from __future__ import annotations

from typing import Any, NamedTuple

SUFFICIENT_DECREASE, CURVATURE = 1e-4, 0.9


class Point(NamedTuple):
    """A point on the line: length, and the loss, gradient and slope along the line."""

    length: Any
    loss: Any
    gradient: Any
    slope: Any


def strong_wolfe(evaluate, length, direction, loss, gradient, slope, max_iterations=25, tolerance=1e-9):
    """Finds a step length along `direction` with sufficient decrease and a small enough slope.

    `evaluate(length)` gives loss and gradient. Returns loss, gradient, length and the number of evaluations.
    """
    search = Search(evaluate, direction, Point(0, loss, gradient, slope), max_iterations)
    bracket = search.bracket(length)
    while len(bracket) == 2 and search.iterations < max_iterations:
        if abs(bracket[1].length - bracket[0].length) * direction.abs().max() < tolerance:
            break
        bracket = search.zoom(bracket)
    best = min(bracket, key=lambda point: point.loss)
    return best.loss, best.gradient, best.length, search.evaluations


class Search:
    """One search from `start`: the points tried, and whether it is stuck at an end of its interval."""

    def __init__(self, evaluate, direction, start: Point, max_iterations: int) -> None:
        self.evaluate, self.direction, self.start, self.max_iterations = evaluate, direction, start, max_iterations
        self.iterations = self.evaluations = 0
        self.stuck = False

    def at(self, length) -> Point:
        """Evaluates the point at a length."""
        loss, gradient = self.evaluate(length)
        self.evaluations += 1
        return Point(length, loss, gradient, gradient.dot(self.direction))

    def too_high(self, point: Point) -> bool:
        """Whether the loss has not decreased enough for the length."""
        start = self.start
        return point.loss > start.loss + SUFFICIENT_DECREASE * point.length * start.slope

    def flat_enough(self, point: Point) -> bool:
        """Whether the slope is small enough."""
        return abs(point.slope) <= -CURVATURE * self.start.slope

    def bracket(self, length) -> list[Point]:
        """Returns the point itself if the first steps find it, or two points that bracket it."""
        previous, point = self.start, self.at(length)
        while self.iterations < self.max_iterations:
            if self.too_high(point) or (self.iterations > 1 and point.loss >= previous.loss):
                return [previous, point]
            if self.flat_enough(point):
                return [point]
            if point.slope >= 0:
                return [previous, point]
            near = point.length + 0.01 * (point.length - previous.length)
            further = cubic_minimum(previous, point, (near, point.length * 10))
            previous, point = point, self.at(further)
            self.iterations += 1
        return [self.start, point]

    def zoom(self, bracket: list[Point]) -> list[Point]:
        """Returns a smaller bracket, or the point itself."""
        low = 0 if bracket[0].loss <= bracket[1].loss else 1
        point = self.at(self.inside(bracket, cubic_minimum(*bracket)))
        self.iterations += 1
        if self.flat_enough(point) and not self.replaces_high(point, bracket[low]):
            return [point]
        smaller = list(bracket)
        if self.replaces_high(point, bracket[low]):
            smaller[1 - low] = point
        else:
            if point.slope * (bracket[1 - low].length - bracket[low].length) >= 0:
                smaller[1 - low] = bracket[low]
            smaller[low] = point
        return smaller

    def replaces_high(self, point: Point, low: Point) -> bool:
        """Whether a point is no better than the lowest one so far."""
        return self.too_high(point) or point.loss >= low.loss

    def inside(self, bracket: list[Point], length):
        """Returns a trial length that is not too near to an end twice in a row."""
        shortest, longest = sorted(point.length for point in bracket)
        margin = 0.1 * (longest - shortest)
        if min(longest - length, length - shortest) >= margin:
            self.stuck = False
        elif self.stuck or length >= longest or length <= shortest:
            self.stuck = False
            nearer_the_end = abs(length - longest) < abs(length - shortest)
            return longest - margin if nearer_the_end else shortest + margin
        else:
            self.stuck = True
        return length


def cubic_minimum(first: Point, second: Point, bounds=None):
    """Returns the minimum of the cubic through two points with their slopes, within bounds; else their middle."""
    x1, x2 = first.length, second.length
    lowest, highest = bounds if bounds is not None else ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = first.slope + second.slope - 3 * (first.loss - second.loss) / (x1 - x2)
    square = d1**2 - first.slope * second.slope
    if square < 0:
        return (lowest + highest) / 2.0
    d2 = square**0.5
    if x1 <= x2:
        minimum = x2 - (x2 - x1) * ((second.slope + d2 - d1) / (second.slope - first.slope + 2 * d2))
    else:
        minimum = x1 - (x1 - x2) * ((first.slope + d2 - d1) / (first.slope - second.slope + 2 * d2))
    return min(max(minimum, lowest), highest)
