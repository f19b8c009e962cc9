"""`torch.utils._pytree` next to PyTorch's own: drawn trees, what is registered, and the text of structures."""

import dataclasses
import importlib
import pickle
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rushlight
from rushlight.utils import _pytree as ours

pytest.importorskip("torch")
theirs = importlib.import_module("torch.utils._pytree")

Pair = namedtuple("Pair", "first second")
LEAVES = st.one_of(st.integers(0, 9), st.none(), st.sampled_from("abc"), st.booleans())


def nodes(children):
    keys = st.dictionaries(st.one_of(st.sampled_from("xyz"), st.integers(0, 2)), children, max_size=3)
    listed = st.lists(children, max_size=3)
    return st.one_of(
        listed,
        listed.map(tuple),
        keys,
        keys.map(OrderedDict),
        keys.map(lambda each: defaultdict(list, each)),
        st.builds(deque, listed, st.sampled_from([None, 5])),
        st.builds(Pair, children, children),
    )


# Trees are slow to draw on a machine that is busy
drawn = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
TREES = st.recursive(LEAVES, nodes, max_leaves=8)


def outcome(call):
    """What a call gives, or how it fails, as text that is the same in both libraries."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = repr(call())
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    reported = [f"{each.category.__name__}: {each.message}" for each in said]
    return "\n".join([result, *reported]).replace("rushlight.", "torch.")


def alike(call):
    here, there = outcome(lambda: call(ours)), outcome(lambda: call(theirs))
    assert here == there
    return here


@drawn
@given(TREES)
def test_a_tree_taken_apart(tree):
    alike(lambda lib: lib.tree_flatten(tree))
    alike(lambda lib: [(lib.keystr(path), leaf) for path, leaf in lib.tree_leaves_with_path(tree)])
    alike(lambda lib: lib.treespec_dumps(lib.tree_structure(tree)))
    alike(lambda lib: lib.treespec_pprint(lib.tree_structure(tree)))
    leaves, spec = ours.tree_flatten(tree)
    assert ours.tree_unflatten(leaves, spec) == tree and list(ours.tree_iter(tree)) == leaves
    assert [ours.key_get(tree, path) for path, _ in ours.tree_leaves_with_path(tree)] == leaves
    assert spec == ours.tree_structure(tree) and hash(spec) == hash(ours.tree_structure(tree))
    assert pickle.loads(pickle.dumps(spec)) == spec


@drawn
@given(TREES, TREES)
def test_two_trees_side_by_side(one, two):
    alike(lambda lib: lib.tree_map(lambda *leaves: leaves, one, two))
    alike(lambda lib: lib._broadcast_to_and_flatten(one, lib.tree_structure(two)))
    alike(lambda lib: lib.tree_structure(one) == lib.tree_structure(two))
    alike(lambda lib: lib.tree_structure(one).flatten_up_to(two))


@drawn
@given(TREES)
def test_a_structure_read_back_from_its_text(tree):
    dumped = outcome(lambda: theirs.treespec_dumps(theirs.tree_structure(tree)))
    if dumped.startswith("'"):
        text = theirs.treespec_dumps(theirs.tree_structure(tree))
        assert ours.treespec_loads(text) == ours.tree_structure(tree)


@drawn
@given(TREES, st.lists(st.integers(), max_size=4))
def test_another_number_of_leaves(tree, leaves):
    alike(lambda lib: lib.tree_unflatten(leaves, lib.tree_structure(tree)))
    alike(lambda lib: lib.tree_unflatten(leaves, tree))


@drawn
@given(TREES)
def test_leaves_of_a_kind(tree):
    alike(lambda lib: lib.tree_map_only(int, lambda x: x + 1, tree))
    alike(lambda lib: lib.tree_map_only((str, bool), repr, tree))
    alike(lambda lib: lib.tree_map_only(lambda x: x == 1, repr, tree))
    alike(lambda lib: (lib.tree_any_only(int, lambda x: x > 3, tree), lib.tree_all_only(int, lambda x: x > 3, tree)))
    alike(lambda lib: lib.tree_leaves(tree, is_leaf=lambda each: isinstance(each, tuple)))


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


def test_a_class_of_the_program_s():
    def flatten(point):
        return [point.x, point.y], "context"

    def story(lib):
        register = lib.register_pytree_node
        yield lambda: lib.tree_is_leaf(Point(1, 2))
        yield lambda: register(Point, flatten, lambda children, context: Point(*children))
        yield lambda: lib.tree_map(lambda x: x * 2, [Point(1, [2])])
        yield lambda: lib.tree_structure(Point(1, (2,)))
        yield lambda: lib.tree_flatten_with_path(Point(1, 2))
        yield lambda: lib.treespec_dumps(lib.tree_structure(Point(1, 2)))
        yield lambda: register(Point, flatten, lambda children, context: Point(*children))
        yield lambda: lib._register_pytree_node(
            Point,
            flatten,
            lambda children, context: Point(*children),
            serialized_type_name="tests.Point",
            flatten_with_keys_fn=lambda p: ([(lib.GetAttrKey("x"), p.x), (lib.GetAttrKey("y"), p.y)], "context"),
        )
        yield lambda: [(lib.keystr(path), leaf) for path, leaf in lib.tree_leaves_with_path({"a": Point(1, [2])})]
        yield lambda: lib.treespec_loads(lib.treespec_dumps(lib.tree_structure(Point(1, 2))))
        yield lambda: lib._deregister_pytree_node(Point)
        yield lambda: lib.tree_is_leaf(Point(1, 2))
        yield lambda: register(Point, flatten, None, to_dumpable_context=repr)

    here, there = ([outcome(step) for step in story(lib)] for lib in (ours, theirs))
    assert here == there


def test_data_classes():
    def story(lib):
        @dataclasses.dataclass
        class Batch:
            x: object
            mask: object = None
            size: int = dataclasses.field(init=False, default=1)

        yield lambda: lib.register_dataclass(Batch, field_names=["x"])
        yield lambda: lib.register_dataclass(Batch, field_names=["x", "mask", "z"])
        yield lambda: lib.register_dataclass(Batch)
        yield lambda: lib.tree_structure(Batch([1]))
        yield lambda: lib.tree_map(lambda x: x + 1, Batch(1, 2)).mask
        yield lambda: [lib.keystr(path) for path, _ in lib.tree_leaves_with_path(Batch([1], 2))]
        yield lambda: lib.register_dataclass(Point)

    here, there = ([outcome(step) for step in story(lib)] for lib in (ours, theirs))
    assert here == there


@dataclasses.dataclass(frozen=True)
class Version:
    number: int


def test_constants_are_part_of_the_structure():
    def story(lib):
        yield lambda: lib.register_constant(Point)
        yield lambda: lib.register_constant(Version)
        yield lambda: lib.tree_flatten([Version(1), 2])
        yield lambda: lib.is_constant_class(Version)
        yield lambda: lib._retrieve_constant(lib.tree_structure(Version(3)))
        yield lambda: lib.tree_structure([Version(1)]) == lib.tree_structure([Version(2)])
        yield lambda: lib._deregister_pytree_node(Version)

    here, there = ([outcome(step) for step in story(lib)] for lib in (ours, theirs))
    assert here == there


def test_structures_made_by_hand_and_older_names():
    alike(lambda lib: lib.treespec_tuple([lib.treespec_leaf(), lib.tree_structure([1])]))
    alike(lambda lib: lib.treespec_dict({"a": lib.treespec_leaf()}, b=lib.treespec_tuple()))
    alike(lambda lib: lib.treespec_tuple([3]))
    alike(lambda lib: lib.LeafSpec())
    alike(lambda lib: lib.tree_structure([1, (2,)]).children_specs)
    alike(lambda lib: lib.str_to_pytree(lib.treespec_dumps(lib.tree_structure([1]))))
    alike(lambda lib: lib._is_leaf([1]))
    alike(lambda lib: lib.treespec_dumps(3))
    alike(lambda lib: lib.treespec_loads("[5, {}]"))
    alike(lambda lib: lib.treespec_dumps(lib.tree_structure([1]), protocol=3))


def test_results_with_names_and_sizes_are_nodes():
    result = rushlight.ones(2, 2).max(0)
    leaves, spec = ours.tree_flatten({"r": result, "s": rushlight.Size([1, 2])})
    assert leaves[0] is result.values and leaves[2:] == [1, 2]
    assert (
        repr(spec)
        == "TreeSpec(dict, ['r', 's'], [TreeSpec(max, None, [*,\n    *]),\n  TreeSpec(Size, None, [*,\n    *])])"
    )
    assert type(ours.tree_map(lambda x: x, result)) is type(result)
    assert ours.is_structseq(result) and ours.is_namedtuple(Pair) and not ours.is_namedtuple((1, 2))


def test_every_public_name_is_there():
    assert set(theirs.__all__) <= set(dir(ours))
