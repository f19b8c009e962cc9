"""`torch.fx.experimental.graph_gradual_typechecker`: types of nodes by their sizes, some of which may be unknown.

`GraphTypeChecker` computes the sizes of each result from those of the arguments and from annotations, and raises
TypeError where they contradict each other. `Refine` notes which unknown sizes are equal; `unify_refinements` solves
that. Rules are registered by function or class of module.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

from rushlight._generated import functions
from rushlight.core.tensor import Tensor
from rushlight.fx.experimental.refinement_types import Equality
from rushlight.fx.experimental.unification import Var
from rushlight.fx.graph_module import GraphModule, _get_attr
from rushlight.fx.node import Node, map_arg
from rushlight.fx.tensor_type import Dyn, TensorType, is_consistent, is_more_precise
from rushlight.nn.modules.activation import ReLU
from rushlight.nn.modules.batchnorm import BatchNorm2d
from rushlight.nn.modules.conv import Conv2d
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.pooling import AdaptiveAvgPool2d, MaxPool2d

__all__ = [
    "GraphTypeChecker", "Refine", "broadcast_types", "calculate_out_dimension", "expand_to_tensor_dim",
    "get_greatest_upper_bound", "get_parameter", "register_algebraic_expressions_inference_rule",
    "register_inference_rule", "register_refinement_rule",
]  # fmt: skip

Rules = dict[Any, Callable[..., Any]]
_INFERENCE_RULES: Rules = {}
_REFINEMENT_RULES: Rules = {}
_RULES: Rules = {}


def registering(rules: Rules, words: str) -> Callable[[Any], Callable[[Callable], Callable]]:
    def register_for(call_target: Any) -> Callable[[Callable], Callable]:
        def register(fn: Callable) -> Callable:
            if call_target in rules:
                raise RuntimeError(f"{words} already registered for {call_target}!")
            rules[call_target] = fn
            return fn

        return register

    return register_for


register_inference_rule = registering(_INFERENCE_RULES, "Inference rule")
register_refinement_rule = registering(_REFINEMENT_RULES, "Refinement rule")
register_algebraic_expressions_inference_rule = registering(_RULES, "Rule")


# Types


def expand_to_tensor_dim(t: Any, n: int) -> TensorType:
    """Returns a type with `n` sizes: unknown ones for an unknown type. Raises TypeError for another number."""
    if t == Dyn:
        return TensorType([Dyn] * n)
    if not isinstance(t, TensorType):
        raise TypeError(f"Cannot match the type {t}")
    if len(t.dims) != n:
        raise TypeError(f"Cannot extend tensor. Tensor {t} has rank {len(t.dims)}. It should have rank {n}")
    return t


def broadcast_types(t1: Any, t2: Any) -> tuple[Any, Any]:
    """Returns two types with the sizes that broadcasting gives them.

    >>> broadcast_types(TensorType((3, 1)), TensorType((4,)))
    (TensorType[(3, 4)], TensorType[(3, 4)])
    """
    if any(t == Dyn or isinstance(t, Var) for t in (t1, t2)):
        return t1, t2
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        raise TypeError(f"Cannot broadcast types {t1} and {t2}")
    rank = max(len(t1.dims), len(t2.dims))
    pairs = list(zip(*(((1,) * (rank - len(t.dims)) + t.dims) for t in (t1, t2)), strict=True))
    return (
        TensorType(y if x == 1 else x for x, y in pairs),
        TensorType(x if x != 1 and y == 1 else y for x, y in pairs),
    )


def get_greatest_upper_bound(type1: Any, type2: Any) -> Any:
    """Returns what is known from both types together. Raises TypeError if they contradict each other."""
    if type1 == Dyn or type2 == Dyn:
        return type2 if type1 == Dyn else type1
    if not is_consistent(type1, type2):
        raise TypeError(f"Inconsistent types {type1}, {type2}")
    return TensorType(x if is_more_precise(x, y) else y for x, y in zip(type1.dims, type2.dims, strict=True))


def get_parameter(traced: Any, target: str) -> Any:
    """Returns the attribute of a module with a dotted name."""
    return _get_attr(traced, target)


def known(n: Node) -> TensorType | None:
    """Returns the type of the argument, with as many sizes as the node's if it is unknown; None if both are."""
    argument = n.args[0]
    if argument.type == Dyn and isinstance(n.type, TensorType):
        argument.type = expand_to_tensor_dim(Dyn, len(n.type.dims))
    return argument.type if isinstance(argument.type, TensorType) else None


def settle(n: Node, result: Any) -> Any:
    """Sets the type of a node to what its rule and its annotation say together."""
    n.type = get_greatest_upper_bound(result, n.type)
    return n.type


# Rules of functions


@register_inference_rule(functions.add)
@register_inference_rule(operator.add)
@register_inference_rule(operator.iadd)
def add_inference_rule(n: Node) -> Any:
    """The sum of a number and a tensor has the type of the tensor; of two tensors, the less precise type."""
    types = [each.type for each in n.args]
    if int in types and isinstance(other := types[1 - types.index(int)], TensorType):
        n.type = other
        return other
    new = broadcast_types(*types)
    n.meta["broadcast"] = list(new) != types
    if n.meta["broadcast"]:
        n.meta.update({str(argument): kind for argument, kind in zip(n.args, new, strict=True)})
    if not is_consistent(*new):
        words = " and ".join(f"{each} ({each.type})" for each in n.args)
        raise TypeError(f"Cannot add arguments {words} in node {n}. Types should match ")
    n.type = new[1] if is_more_precise(*new) else new[0]
    return n.type


@register_inference_rule(getattr)
def get_attr_inference_rule(n: Node, traced: Any) -> Any:
    """A shape has an unknown type; other attributes raise TypeError."""
    if n.args[1] != "shape":
        raise TypeError("Not yet implemented")
    n.type = Dyn
    return n.type


@register_inference_rule(functions.transpose)
def transpose_inference_rule(n: Node) -> Any:
    kind, one, other = n.args[0].type, *n.args[1:3]
    if kind == Dyn:
        n.type = Dyn
        return n.type
    if not (isinstance(kind, TensorType) and 0 <= one < len(kind.dims) and 0 <= other < len(kind.dims)):
        raise TypeError(f"Cannot transpose {one} and {other} in type {kind} for node {n}")
    sizes = list(kind.dims)
    sizes[one], sizes[other] = sizes[other], sizes[one]
    return settle(n, TensorType(sizes))


@register_inference_rule(functions.reshape)
def reshape_inference_rule(n: Node) -> Any:
    """Products of known sizes divide one another. A size of -1 is unknown."""
    kind, wanted = n.args[0].type, TensorType(Dyn if size == -1 else size for size in n.args[1])
    if kind != Dyn:
        if not isinstance(kind, TensorType):
            raise TypeError(f"Cannot reshape in node {n} from {kind} to {wanted}")
        before, after = math.prod(1 if size == Dyn else size for size in kind.dims), math.prod(n.args[1])
        if before % after and after % before:
            raise TypeError(f"Cannot reshape in node {n} from {kind} to {wanted}")
    n.type = wanted
    return n.type


def flattened_dims(n: Node, rank: int) -> tuple[int, int]:
    """Returns the first dimension that is flattened, and the one after the last."""
    first, last = (*n.args[1:3], *(1, -1)[len(n.args) - 1 :])[:2]
    return rank if first == -1 else abs(first), last + 1 + (rank if last < 0 else 0)


@register_inference_rule(functions.flatten)
def flatten_inference_rule(n: Node) -> Any:
    if (kind := known(n)) is None:
        return n.type
    first, end = flattened_dims(n, len(kind.dims))
    if not 0 <= first < end <= len(kind.dims):
        raise TypeError(f"Incompatible dimensions {first}, {end - 1} in type {kind}")
    inner = kind.dims[first:end]
    one = Dyn if Dyn in inner else math.prod(inner)
    return settle(n, TensorType((*kind.dims[:first], one, *kind.dims[end:])))


# Rules of modules


@register_inference_rule(BatchNorm2d)
def bn2d_inference_rule(n: Node, module_instance: Any) -> Any:
    argument = n.args[0]
    argument.type, n.type = expand_to_tensor_dim(argument.type, 4), expand_to_tensor_dim(n.type, 4)
    channels = module_instance.num_features
    if not all(is_consistent(each.type.dims[1], channels) for each in (argument, n)):
        raise refused(n, module_instance)
    if not is_consistent(argument.type, n.type):
        raise refused(n, module_instance)
    return settle(n, argument.type)


def refused(n: Node, module: Any) -> TypeError:
    return TypeError(f"Cannot apply {module} with input type {n.args[0].type} and existing type {n.type} on {n}")


def pair(value: Any) -> tuple[Any, Any]:
    return value if isinstance(value, tuple) else (value, value)


def calculate_out_dimension(d_in: Any, module_instance: Any, index: int) -> Any:
    """Returns the size of a dimension after a window has moved over it."""
    if d_in == Dyn:
        return Dyn
    if not isinstance(d_in, int) and not hasattr(d_in, "free_symbols"):  # a symbol of sympy
        raise TypeError(f"{d_in} in {module_instance} must be a number or Dyn. Received {type(d_in)}")
    names = ("padding", "dilation", "kernel_size", "stride")
    padding, dilation, kernel, stride = (pair(getattr(module_instance, name))[index] for name in names)
    return (d_in + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def moved_over(kind: TensorType, module: Any) -> tuple[Any, Any]:
    return (
        calculate_out_dimension(kind.dims[-2], module, 0),
        calculate_out_dimension(kind.dims[-1], module, 1),
    )


@register_inference_rule(Conv2d)
def conv2d_inference_rule(n: Node, module_instance: Any) -> Any:
    argument = n.args[0]
    argument.type, n.type = expand_to_tensor_dim(argument.type, 4), expand_to_tensor_dim(n.type, 4)
    if not is_consistent(argument.type.dims[1], module_instance.in_channels):
        raise refused(n, module_instance)
    sizes = moved_over(argument.type, module_instance)
    return settle(n, TensorType((argument.type.dims[0], module_instance.out_channels, *sizes)))


@register_inference_rule(ReLU)
def relu_inference_rule(n: Node, module_instance: Any) -> Any:
    kind = known(n)
    return n.type if kind is None else settle(n, kind)


@register_inference_rule(MaxPool2d)
def maxpool2d_inference_rule(n: Node, module_instance: Any) -> Any:
    if (kind := known(n)) is None:
        return n.type
    if len(kind.dims) not in (3, 4):
        raise TypeError(f"Wrong size {kind} for {module_instance}")
    return settle(n, TensorType((*kind.dims[:-2], *moved_over(kind, module_instance))))


@register_inference_rule(Linear)
def linear_inference_rule(n: Node, module_instance: Any) -> Any:
    if (kind := known(n)) is None:
        return n.type
    if len(kind.dims) < 2:
        raise TypeError(f"Type {kind} must have rank 2 or more.")
    if not is_consistent(module_instance.in_features, kind.dims[-1]):
        raise TypeError(f"Inconsistent {module_instance.in_features} and {kind.dims[-1]} in {module_instance}")
    return settle(n, TensorType((*kind.dims[:-1], module_instance.out_features)))


@register_inference_rule(AdaptiveAvgPool2d)
def adaptiveavgpool2d_inference_rule(n: Node, module_instance: Any) -> Any:
    if (kind := known(n)) is None:
        return n.type
    if len(kind.dims) not in (3, 4):
        raise TypeError(f"Tensor ranks must be 3 or 4. Got {kind}")
    sizes = pair(module_instance.output_size)
    height, width = (size if size is not None else sizes[1 - at] for at, size in enumerate(sizes))
    return settle(n, TensorType((*kind.dims[:-2], height, width)))


class GraphTypeChecker:
    """Sets the type of each node of a traced module.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3)))
    >>> next(iter(traced.graph.nodes)).type = TensorType((Dyn, 3, 32, 32))
    >>> GraphTypeChecker({}, traced).type_check()
    True
    >>> traced.graph.output_node().type
    TensorType[(Dyn, 8, 30, 30)]
    """

    def __init__(self, env: dict[str, Any], traced: GraphModule) -> None:
        self.env, self.traced = env, traced

    def type_check(self) -> bool:
        """Returns True. Raises TypeError for types that contradict each other, RuntimeError where there is no rule."""
        for node in self.traced.graph.nodes:
            self.type_check_node(node)
        return True

    def type_check_node(self, n: Node) -> Any:
        if n.type is None:
            n.type = Dyn
        if n.op == "get_attr":
            value = get_parameter(self.traced, str(n.target))
            n.type = TensorType(value.shape) if isinstance(value, Tensor) else n.type
        elif n.op == "call_function":
            if n.target not in _INFERENCE_RULES:
                raise RuntimeError(f"No inference rule registered for target {n.target}!")
            more = (self.traced,) if n.target is getattr else ()
            return _INFERENCE_RULES[n.target](n, *more)
        elif n.op == "call_module":
            module = self.traced.get_submodule(str(n.target))
            if type(module) not in _INFERENCE_RULES:
                raise RuntimeError(f"No inference rule registered for class {type(module)}!")
            return _INFERENCE_RULES[type(module)](n, module)
        elif n.op == "output":
            n.type = map_arg(n.args[0], lambda node: node.type)
        elif n.op != "placeholder":
            raise NotImplementedError(f"Method {n.op} not yet implemented")
        return n.type


# Which sizes are equal


def equal_sizes(n: Node, *parts: slice) -> list[Equality]:
    """Returns that sizes of the argument in some slices are those of the result; nothing if one has no sizes."""
    one, other = n.args[0].type, n.type
    if not (isinstance(one, TensorType) and isinstance(other, TensorType)):
        return []
    return [Equality(x, y) for part in parts for x, y in zip(one.dims[part], other.dims[part], strict=False)]


@register_refinement_rule(Conv2d)
@register_refinement_rule(Linear)
def first_eq(n: Node) -> list[Equality]:
    return equal_sizes(n, slice(1))


@register_refinement_rule(BatchNorm2d)
@register_refinement_rule(ReLU)
def all_eq(n: Node) -> list[Equality]:
    return equal_sizes(n, slice(None))


@register_refinement_rule(AdaptiveAvgPool2d)
@register_refinement_rule(MaxPool2d)
def first_two_eq(n: Node) -> list[Equality]:
    return equal_sizes(n, slice(2))


@register_refinement_rule(functions.add)
@register_refinement_rule(operator.add)
@register_refinement_rule(operator.iadd)
def element_wise_eq(n: Node) -> list[Equality]:
    """Sizes of both arguments that are equal are those of the result; others may have been broadcast."""
    types = [getattr(each, "type", None) for each in n.args]
    if not all(isinstance(kind, TensorType) for kind in (*types, n.type)):
        return []
    one, other = broadcast_types(*types)
    return [Equality(x, z) for x, y, z in zip(one.dims, other.dims, n.type.dims, strict=True) if x == y]


@register_refinement_rule(functions.flatten)
def flatten_refinement_rule(n: Node) -> list[Equality]:
    if not isinstance(n.type, TensorType):
        return []
    first, end = flattened_dims(n, len(n.type.dims))
    return [Equality(each.rhs, each.lhs) for each in equal_sizes(n, slice(first), slice(end, None))]


@register_algebraic_expressions_inference_rule(Conv2d)
def conv_rule(n: Node, module_instance: Any) -> TensorType | None:
    """Writes the last sizes of the result as expressions of those of the argument."""
    kind = n.args[0].type
    if not (isinstance(kind, TensorType) and isinstance(n.type, TensorType)):
        return None
    n.type = TensorType((*n.type.dims[:2], *moved_over(kind, module_instance)))
    return n.type


class Refine:
    """Gives unknown sizes names, and notes in `constraints` which sizes are equal."""

    def __init__(self, traced: GraphModule) -> None:
        self.constraints: list[Equality] = []
        self.traced = traced
        self.symbol_iter = itertools.count()

    def refine(self) -> bool:
        for node in self.traced.graph.nodes:
            self.refine_node(node)
        return True

    def symbolic_relations(self) -> bool:
        """Writes sizes as expressions of sympy."""
        for node in self.traced.graph.nodes:
            self.infer_symbolic_relations(node)
        return True

    def replace_dyn_with_fresh_var(self, typ: Any) -> Any:
        return replaced(typ, lambda size: Var(next(self.symbol_iter)) if size == Dyn else size)

    def convert_to_sympy_symbols(self, typ: Any) -> Any:
        import sympy  # an optional package

        return replaced(typ, lambda size: sympy.Symbol(str(size)) if isinstance(size, Var) else size)

    def refine_node(self, n: Node) -> None:
        n.type = self.replace_dyn_with_fresh_var(Dyn if n.type is None else n.type)
        if (rule := self._rule(_REFINEMENT_RULES, n)) is not None:
            self.constraints += rule(n)
        self._finish(n)

    def infer_symbolic_relations(self, n: Node) -> None:
        n.type = self.convert_to_sympy_symbols(n.type)
        if (rule := self._rule(_RULES, n)) is not None:
            rule(n, *([self.traced.get_submodule(str(n.target))] if n.op == "call_module" else []))
        self._finish(n)

    def _rule(self, rules: Rules, n: Node) -> Callable | None:
        if n.op == "call_module":
            return rules.get(type(self.traced.get_submodule(str(n.target))))
        return rules.get(n.target) if n.op == "call_function" else None

    def _finish(self, n: Node) -> None:
        if n.op == "output":
            n.type = map_arg(n.args[0], lambda node: node.type)


def replaced(kind: Any, size: Callable[[Any], Any]) -> Any:
    """Returns a type, or a list or tuple of types, with other sizes."""
    if isinstance(kind, TensorType):
        return TensorType(replaced(each, size) for each in kind.dims)
    if isinstance(kind, tuple | list):
        return type(kind)(replaced(each, size) for each in kind)
    return size(kind)
