"""What is observed while a profile records: calls of operators, of nodes in a backward pass, steps, batches, programs.

Observers are in front of entries of `dispatch/plan.py`. Of an operator, the code of its function is the entry, for
many modules know the function by name; see `timed_code.py`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from inspect import Signature, signature
from types import FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from rushlight._library.aten import INDEX
from rushlight.autograd import accumulate, steps
from rushlight.capture import compiled
from rushlight.capture.report import name_of
from rushlight.core.graph import QUALIFIED, Node
from rushlight.core.origin import PACKAGE
from rushlight.core.tables import FOLLOWERS, names_of, raw, xp
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules, methods
from rushlight.dispatch.methods import Shown
from rushlight.dispatch.plan import copied, entry, observe, unobserve, unobserved
from rushlight.graph.compiled_node import CompiledFunctionBackward
from rushlight.nn.modules.module import Module
from rushlight.optim import optimizer
from rushlight.optim.optimizer import Optimizer
from rushlight.profiler import communication
from rushlight.profiler.timed_code import Kind, Note, NoteDetails, timed, timed_code
from rushlight.utils.data.iterators import _BaseDataLoaderIter

ROOT = PACKAGE.rstrip("/\\").rpartition("/")[2]
# And not the functions on arrays, which tables have.
FUNCTIONS = (f"{ROOT}._generated.functions", f"{ROOT}._generated.names_of")
HAND = ("create/", "memory/", "autograd/methods", "core/convertible")
HAND_WRITTEN = tuple([f"{PACKAGE}{each}" for each in HAND])
CONVERSIONS = frozenset(
    "float double half bfloat16 int long short char byte bool chalf cfloat cdouble cpu cuda type type_as".split()
)
# Functions that answer questions or change settings; their time is that of the Python around operators.
ASKS = re.compile(r"(is|are|get|use|set)_\w+")
QUERIES = frozenset(
    """
    attach backward register_hook register_post_accumulate_grad_hook retain_grad requires_grad_ numel result_type
    typename untyped_storage storage storage_type map_ map2_ apply_ tensor as_tensor asarray from_numpy frombuffer
    from_dlpack to_dlpack from_file new new_tensor share_memory_ numpy tolist
    """.split()
)
ACCUMULATE = "torch::autograd::AccumulateGrad"
BACKWARD = "backward"  # the category of nodes: each is shown as two events
GENERATED_FILES = f"{PACKAGE}_generated/"
# PyTorch's names of operators that have another one here.
OTHERWISE = {
    "H": "matrix_H", "T": "numpy_T", "affine": "addmm", "conj": "_conj", "conjugate": "conj_physical",
    "cross_entropy": "cross_entropy_loss", "divide_into": "div", "floor_divide_into": "floor_divide",
    "invert": "bitwise_not", "joined": "cat", "left_shift_by": "__lshift__", "matmul_into": "matmul", "modulus": "abs",
    "power_of": "pow", "remainder_into": "remainder", "right_shift_by": "__rshift__", "slice_view": "slice",
    "to_copy": "_to_copy", "true_divide": "div",
}  # fmt: skip


class Observed:
    """The observers of one profile, from `begin` to `end`."""

    def __init__(self, note: Note, details: Callable[[str], NoteDetails | None], *, modules: bool = False):
        self.note, self.details_of, self.modules = note, details, modules
        self.seen: set[tuple[int, str]] = set()
        self.undo: list[Callable[[], None]] = []

    def begin(self) -> None:
        """Puts the observers in front of what there is now; what is loaded later follows."""
        for name, function in operators():
            self.function(function, Kind(name))
        self.table(raw, names_of(raw))
        self.entry(xp, "plus", Kind("aten::add"))
        self.family()
        for node in CompiledFunctionBackward.__subclasses__():
            self.node(node)
        self.entry(accumulate, "into_all", Kind(ACCUMULATE, BACKWARD))
        self.entry(accumulate, "into_leaf", Kind(ACCUMULATE, BACKWARD))
        # And not the node's `run`: an observer would hold the list of gradients, which a function may free
        self.named(steps.call_on_tensors, lambda task, node, g: Kind(node.name(), BACKWARD))
        self.named(_BaseDataLoaderIter.__next__, partial(of_class, "enumerate(DataLoader)#", ".__next__"))
        self.named(Optimizer.zero_grad, partial(of_class, "Optimizer.zero_grad#", ".zero_grad"))
        self.steps()
        for function, known in list(compiled.CALLED.items()):
            if (program := known()) is not None:
                self.program(function, program)
        self.communication()
        if self.modules:
            self.named(Module.__call__, Names().of_module)
        self.listen(FOLLOWERS, self.table)
        self.listen(lazy_modules.LISTENERS, self.family)
        self.listen(methods.LISTENERS, self.later_method)
        self.listen(compiled.LISTENERS, self.program)

    def end(self) -> None:
        """Takes all observers away."""
        while self.undo:
            self.undo.pop()()
        self.seen.clear()

    def listen(self, listeners: list, listener: Callable) -> None:
        listeners.append(listener)
        self.undo.append(lambda: listeners.remove(listener))

    # ---- entries

    def observe(self, owner: Any, name: str, observer: Callable) -> None:
        if (id(owner), name) not in self.seen:
            self.seen.add((id(owner), name))
            observe(owner, name, observer)
            self.undo.append(lambda: unobserve(owner, name, observer))

    def function(self, function: FunctionType, kind: Kind) -> None:
        """Observes a function under all its names."""
        self.code(function, kind, self.details_of(kind.name))

    def entry(self, owner: Any, name: str, kind: Kind) -> None:
        """Observes a function of a table or a module."""
        self.observe(owner, name, lambda original: timed(original, kind, self.note, self.details_of(kind.name)))

    def named(self, function: Any, kind_of: Callable[..., tuple]) -> None:
        """Observes a function whose arguments give the name of the call."""
        self.code(function, kind_of, self.details_of(""))

    def code(self, function: FunctionType, kind: Kind | Callable[..., tuple], details: NoteDetails | None) -> None:
        """Observes a function by its code. Its signature, which Python reads from the code, stays what it is."""
        self.observe(function, "__code__", lambda code: timed_code(copied(function, code), kind, self.note, details))
        known = vars(function)
        if "__signature__" not in known and "__wrapped__" not in known:
            known["__signature__"] = Shown(function, own_signature)
            self.undo.append(lambda: known.pop("__signature__", None))

    # ---- what there is

    def table(self, table: ModuleType, names: list[str]) -> None:
        """Observes the operators on arrays, which backward functions call."""
        for name in names if table is raw else ():
            if name in OPS and callable(function := entry(table, name)) and not isinstance(function, type):
                self.entry(table, name, Kind(aten_name(name)))

    def family(self, family: str = "") -> None:
        """Observes the functions of lazy modules that have been loaded, and all backward functions of nodes."""
        for name, function in generated() if family else ():
            self.function(function, Kind(name))
        for op in OPS.values():
            for node in op.nodes:
                self.node(node)

    def communication(self) -> None:
        """Observes the calls of `torch.distributed`, if a program has imported it, and how long they block."""
        for function, kind in communication.calls():
            self.function(function, kind)
        if work := communication.module("work"):
            self.named(work.Work.wait, communication.blocked)

    def node(self, node: type) -> None:
        """Observes the backward functions of a class of nodes."""
        kind = Kind(QUALIFIED.get(node.__name__, node.__name__), BACKWARD)
        for name in ("backward", "backward_complex", "converting"):
            if isinstance(vars(node).get(name), staticmethod):
                self.observe(node, name, partial(self.backward, kind))

    def backward(self, kind: Kind, original: staticmethod) -> staticmethod:
        """Returns the observed backward function of a node, whose line is that of its operator."""
        details = self.details_of(kind.name)
        return staticmethod(timed(original.__func__, kind, self.note, details and with_line(details)))

    def later_method(self, method: FunctionType) -> None:
        """Observes a method that has just been made."""
        if name := name_of_operator(method):
            self.function(method, Kind(name))

    def program(self, function: FunctionType, program: Any) -> None:
        """Observes a compiled function: a replay is one event."""
        self.function(function, Kind(f"Torch-Compiled Region: {name_of(program.function)}"))

    def steps(self) -> None:
        """Observes the steps of all optimizers."""
        for step in hooked_steps():
            self.step(step)
        self.listen(optimizer.LISTENERS, self.step)

    def step(self, step: FunctionType) -> None:
        """Observes the steps of the optimizers of a class. A global hook would have compiled steps compiled again."""
        self.named(step, partial(of_class, "Optimizer.step#", ".step"))


def own_signature(function: FunctionType) -> Signature:
    """Returns the signature of a function by its own code."""
    return signature(unobserved(function))


def hooked_steps(kind: type[Optimizer] = Optimizer) -> Iterator[Any]:
    """Returns the steps of classes of which there are or were optimizers."""
    if getattr(step := vars(kind).get("step"), "hooked", False):
        yield step
    for each in kind.__subclasses__():
        yield from hooked_steps(each)


def of_class(before: str, after: str, owner: Any, *arguments: Any) -> Kind:
    """Returns the kind of a call that is named after the class of its object."""
    return Kind(f"{before}{type(owner).__name__}{after}", "user_annotation")


def with_line(details: NoteDetails) -> NoteDetails:
    """Returns what notes the details of a backward function, with the line of its operator if that is known."""

    def of_operator(frame: Any, arguments: tuple, keywords: dict, results: Any) -> tuple:
        lines, *rest = details(frame, arguments, keywords, results)
        node = next((each for each in arguments if isinstance(each, Node)), None)
        place = None if node is None else node._place
        return (lines if place is None or not lines else (place[:2], *lines[1:]), *rest)

    return of_operator


class Names:
    """The names of modules in a profile: `nn.Module: Linear_0` is the first Linear that was called."""

    def __init__(self) -> None:
        self.known: WeakKeyDictionary[Module, Kind] = WeakKeyDictionary()
        self.counts: Counter[str] = Counter()

    def of_module(self, module: Module, *inputs: Any) -> Kind:
        if (kind := self.known.get(module)) is None:
            name = type(module).__name__
            kind = self.known[module] = Kind(f"nn.Module: {name}_{self.counts[name]}", "python_function")
            self.counts[name] += 1
        return kind


# ---- operators


def operators() -> Iterator[tuple[str, FunctionType]]:
    """Returns the functions of all operators that are loaded, with their names in a profile."""
    yield from generated()
    for owner in (sys.modules[ROOT], *Tensor.__mro__[:-1]):
        for function in list(vars(owner).values()):
            if isinstance(function, FunctionType) and (name := name_of_operator(function)):
                yield name, function


def generated() -> Iterator[tuple[str, FunctionType]]:
    """Returns the functions of declared operators, in all modules that are loaded."""
    for module in [module for name, module in list(sys.modules.items()) if name.startswith(FUNCTIONS)]:
        for function in list(vars(module).values()):
            if isinstance(function, FunctionType) and (name := name_of_operator(function)):
                yield name, function


def name_of_operator(function: FunctionType) -> str | None:
    """Returns the name of an operator in a profile, `aten::add`; None for other functions."""
    name = function.__name__
    file = entry(getattr(function, "__wrapped__", function), "__code__").co_filename
    if file.startswith(GENERATED_FILES):
        if name.endswith("_backward") and name not in OPS:
            return None
        name = name.removeprefix("operator_")
        return aten_name(name) if name in OPS or name.removesuffix("_") in OPS else None
    if not file.startswith(HAND_WRITTEN) or name in QUERIES or ASKS.fullmatch(name) or name.startswith("_"):
        return None
    return aten_name("to" if name in CONVERSIONS else name)


def aten_name(name: str) -> str:
    """Returns PyTorch's name of an operator, `aten::add`; of one that is only here, `rushlight::fitted`."""
    name = OTHERWISE.get(name, name)
    return f"aten::{name}" if name in INDEX or name in OTHERWISE.values() else f"{ROOT}::{name}"
