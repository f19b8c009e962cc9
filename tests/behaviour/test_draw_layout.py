"""Rows, order and coordinates for any graph; and what is folded, and what is not."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.explain.picture.fold import Folder, Group, Order, repetition
from rushlight.explain.picture.layout import Line, Size, crossings, layered, rows_of


@st.composite
def graphs(draw):
    """Boxes of different sizes, and lines that all lead from a lower number to a higher one."""
    count = draw(st.integers(1, 14))
    sizes = [Size(float(draw(st.integers(10, 90))), float(draw(st.integers(10, 60)))) for _ in range(count)]
    pairs = [pair for pair in itertools.combinations(range(count), 2) if draw(st.integers(0, 3)) == 0]
    labels = st.sampled_from([None, None, Size(40.0, 12.0)])
    return sizes, [Line(*pair, draw(labels)) for pair in pairs]


@given(graphs())
@settings(deadline=None)
def test_boxes_and_labels_never_overlap_and_lines_lead_down(graph):
    sizes, lines = graph
    layout = layered(sizes, lines)
    boxes = [
        (x - size.width / 2, y - size.height / 2, x + size.width / 2, y + size.height / 2)
        for x, y, size in zip(layout.x, layout.y, sizes, strict=True)
    ]
    for line, place in zip(lines, layout.labels, strict=True):
        assert (place is None) == (line.label is None)
        if place is not None:
            half = (line.label.width / 2, line.label.height / 2)
            boxes.append((place[0] - half[0], place[1] - half[1], place[0] + half[0], place[1] + half[1]))
    for (left, top, right, bottom), other in itertools.combinations(boxes, 2):
        assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    assert all(0 <= left and right <= layout.width + 1e-6 for left, _, right, _ in boxes)
    assert all(0 <= top and bottom <= layout.height + 1e-6 for _, top, _, bottom in boxes)
    for line, way in zip(lines, layout.routes, strict=True):
        heights = [layout.bands[line.source][1], *itertools.chain(*((each.top, each.bottom) for each in way))]
        heights.append(layout.bands[line.target][0])
        assert heights == sorted(heights)


@given(graphs())
@settings(deadline=None)
def test_lines_that_pass_a_row_keep_clear_of_its_boxes(graph):
    sizes, lines = graph
    layout = layered(sizes, lines)
    for way in layout.routes:
        for x, top, bottom in way:
            for box, size in enumerate(sizes):
                if layout.bands[box] == (top, bottom):
                    assert abs(layout.x[box] - x) >= size.width / 2


def test_a_chain_is_straight_and_a_line_past_it_too():
    lines = [Line(0, 1), Line(1, 2), Line(2, 3), Line(3, 4), Line(0, 4)]
    layout = layered([Size(40.0, 20.0)] * 5, lines)
    assert len({round(layout.x[box], 6) for box in (1, 2, 3)}) == 1
    assert len({round(each.x, 6) for each in layout.routes[4]}) == 1


def test_what_has_nothing_above_stands_close_to_what_uses_it():
    assert rows_of(4, [Line(0, 1), Line(1, 2), Line(3, 2)]) == [0, 1, 2, 1]


def test_first_and_last_rows():
    assert rows_of(4, [Line(0, 2), Line(2, 3)], top=[0, 1], bottom=[3]) == [0, 0, 1, 2]


def test_crossings_are_counted():
    assert crossings([[0, 1], [2, 3]], [[3], [2], [], []]) == 1
    assert crossings([[0, 1, 2], [3, 4, 5]], [[5], [4], [3], [], [], []]) == 3
    assert crossings([[0, 1], [2, 3]], [[2, 3], [3], [], []]) == 0


def test_the_order_avoids_crossings_where_it_can():
    layout = layered([Size(30.0, 20.0)] * 6, [Line(0, 5), Line(1, 4), Line(2, 3)])
    assert sorted((layout.x[0], layout.x[1], layout.x[2])) == sorted((layout.x[5], layout.x[4], layout.x[3]))
    assert layout.x[0] == layout.x[5] and layout.x[1] == layout.x[4]


def test_a_circle_is_refused():
    with pytest.raises(ValueError, match="circle"):
        layered([Size(10.0, 10.0)] * 2, [Line(0, 1), Line(1, 0)])


def test_nothing_to_place():
    assert layered([], []).width == 0


# ---- folding


def test_the_repetition_that_spares_most_is_found():
    assert repetition([0, *[1, 2, 3] * 10, 4]) == (1, 3, 10)
    assert repetition([1] * 30) == (0, 1, 30)
    assert repetition([*[1, 2] * 8, *[3] * 40]) == (16, 1, 40)


@pytest.mark.parametrize("labels", [[], [1], list(range(50)), [1, 2, 1, 2], [1] * 5])
def test_what_is_no_repetition_or_worth_none(labels):
    assert repetition(labels) is None


def folded(kinds, calls=None, after=None, carried=None):
    count = len(kinds)
    names = [f"op{kind}" for kind in kinds]
    order = Order(names, kinds, calls or [()] * count, after or {}, carried or [0] * (count + 1))
    return Folder(order, str).fold(range(count))


def shape(group):
    """A group in short: its kind, and the shapes of its members."""
    return (group.kind, *(shape(each) if isinstance(each, Group) else each for each in group.members))


def test_few_steps_stay_as_they_are():
    assert shape(folded([1, 2, 1, 2, 1, 2])) == ("all", 0, 1, 2, 3, 4, 5)


def test_modules_are_groups_and_every_call_is_its_own():
    outer, first, second = object(), object(), object()
    result = folded([1, 2, 3, 4], calls=[(outer, first), (outer, second), (outer,), ()])
    assert shape(result) == ("all", ("module", ("module", 0), ("module", 1), 2), 3)


def test_a_repetition_begins_where_least_is_carried():
    kinds = [9, *[1, 2, 3] * 10]
    carried = [0, *[3, 1, 2] * 10, 0]
    repeat = next(each for each in folded(kinds, carried=carried).members if isinstance(each, Group))
    assert repeat.turns in (9, 10) and repeat.groups()[0].members[0] == (1 if repeat.turns == 10 else 2)


def test_steps_that_only_follow_one_another_become_a_chain():
    kinds = list(range(20))
    result = folded(kinds, after={4: 3, 5: 4, 9: 8})
    assert shape(result)[4] == ("chain", 3, 4, 5)
    assert ("chain", 8, 9) in shape(result)


def test_a_crowd_is_divided_again_and_again():
    result = folded(list(range(2000)))
    assert all(len(group.members) <= 40 for group in result.walk())
    assert result.boxes() == list(range(2000))
