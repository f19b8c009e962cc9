"""The function that a call of a segment runs, as text: it reads arrays, makes tensors, and does nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.core.fast_new import maker_of
from rushlight.core.generator import default_generator
from rushlight.core.graph import Output
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE
from rushlight.core.storage import InferenceStorage, Storage, new_storage, owner
from rushlight.core.tables import objects
from rushlight.core.tensor import alias, may_have_meta_key, wrap
from rushlight.dispatch.planned import called
from rushlight.graph.results import Input, Made, Same, View
from rushlight.graph.trace import Ref

FEW = 4  # inputs whose memory the text of a call compares itself
HIDDEN = Storage()  # of saved values that no tensor shows: never written to


class Caller:
    """Writes the function that a call of a segment runs.

    Inputs are `i0`, arrays that the program returns `r0`, saved values after these, tensors on new memory `m0`.
    """

    def __init__(self, segment: Any):
        self.segment, self.derivative = segment, segment.derivative
        self.inputs = [f"i{at}" for at in range(len(segment.trace.inputs))]
        self.names: dict[str, Any] = {
            "get_mode": MODE.get, "mode": segment.mode, "function": segment.function, "program": segment.plain,
            "tensor": objects.tensor, "tick": objects.tick, "new_storage": new_storage, "edge_of": edge_of,
            "alias": alias, "called": called, "InferenceStorage": InferenceStorage, "Output": Output, "wrap": wrap,
            "set_mode": MODE.set, "reset_mode": MODE.reset, "overlapping": overlapping,
        }  # fmt: skip
        self.lines: list[str] = []

    def written(self) -> tuple[str, dict[str, Any]]:
        """Returns the text, and the objects that it names."""
        segment, derivative, lines = self.segment, self.derivative, self.lines
        add = lines.append
        add(f"def call({', '.join(self.inputs)}):")
        add("    if get_mode() is not mode:" if type(segment.mode) is bool else "    if get_mode() != mode:")
        add(f"        return function({', '.join(self.inputs)})")
        written = [at for at, number in enumerate(segment.trace.inputs) if number in segment.writes]
        if written and len(self.inputs) > 1:
            add(f"    if {self._may_overlap(written)}overlapping({written}, ({', '.join(self.inputs)})):")
            add(f"        return function({', '.join(self.inputs)})")
        if derivative is not None:
            for at in written:
                add(f"    before{at} = wrap(i{at}._array.copy('K'))")
        if derivative is not None and derivative.draws:
            self.names["random_state"] = default_generator.get_state
            add("    state = random_state()")
        positions = range(len(segment.made)) if derivative is None else derivative.positions
        results = "".join([f"r{at}, " for at in range(1 + max(positions, default=-1))])
        assigned = f"{results}= " if results else ""
        add(f"    {assigned}program({', '.join([f'{name}._array' for name in self.inputs])})")
        for at in written:
            if count := segment.writes[segment.trace.inputs[at]]:
                add(f"    storage = i{at}._store or i{at}._storage")
                lines.extend(["    storage.written()"] * count)
        for at, made in enumerate(segment.made):
            self._tensor(at, made)
        if derivative is not None:
            self._node(written)
        results = ", ".join([self._result(at, form) for at, form in enumerate(segment.forms)])
        add(f"    return [{results}]")
        return "\n".join(self.lines) + "\n", self.names

    def _may_overlap(self, written: list[int]) -> str:
        """Returns the text of a first test of few inputs: arrays with memory of their own that are not the same."""
        if len(self.inputs) > FEW:
            return ""
        conditions = [f"{name}._array.base is None" for name in self.inputs]
        pairs = [(at, other) for at in written for other in range(len(self.inputs)) if at != other]
        conditions += [f"i{at}._array is not i{other}._array" for at, other in pairs]
        return f"not ({' and '.join(conditions)}) and "

    def _tensor(self, at: int, made: Made) -> None:
        """Writes the lines that make a tensor on new memory."""
        meta = self.segment.trace.metas[made.number]
        key = "None"
        if may_have_meta_key(as_strided(np.empty(1, meta.dtype), meta.shape, meta.strides)):
            key = f"key{at}"
            self.names[key] = (meta.shape, meta.dtype)
        self.lines += [
            f"    m{at} = tensor(None)",
            f"    m{at}._array = r{at if self.derivative is None else self.derivative.positions[at]}",
            f"    m{at}._meta_key = {key}",
            f"    m{at}._edge = m{at}._base = m{at}._generation = m{at}._store = None",
        ]
        if made.inference:
            self.lines.append(f"    m{at}._store = InferenceStorage()")
            return
        base = self.segment.trace.base_of(made.number)
        writes = self.segment.writes.get(base, 0)
        if writes or (self.derivative is not None and base in map(self.segment.trace.base_of, self.derivative.saved)):
            self.lines += [f"    m{at}._store = ms{at} = new_storage(None)", f"    ms{at}.version = {writes}"]

    def _node(self, written: list[int]) -> None:
        """Writes the lines that make the node of the results."""
        segment, derivative, add = self.segment, self.derivative, self.lines.append
        inputs = "".join([f"{f'before{at}' if at in written else name}, " for at, name in enumerate(self.inputs)])
        inputs += "state, " if derivative.draws else ""
        edges = "".join([f"i{at}._edge if i{at}._base is None else edge_of(i{at}), " for at in derivative.wanted])
        self.names["new_node"] = maker_of(derivative.node)
        add("    node = new_node(None)")
        add("    node.created = tick(None)")
        add(f"    node.edges = ({edges})")
        saved, storages = self._saved()
        if saved:
            # Values that nothing can write to come last: what is known of them is a constant.
            self.names["hidden"] = (*(HIDDEN,) * (len(saved) - len(storages)), None)
            shown = "".join([f"{each}, " for each in storages])
            versions = "".join([f"{each}.version, " for each in storages])
            add(f"    node.saved = ({''.join([f'{each}, ' for each in saved])}({inputs}))")
            add(f"    node.storages = ({shown}*hidden)" if shown else "    node.storages = hidden")
            add(f"    node.versions = ({versions}*unwritten)" if shown else "    node.versions = unwritten")
            self.names["unwritten"] = (0,) * (len(saved) - len(storages))
            add("    node.params = ()")
        else:
            add("    node.saved = node.storages = node.versions = ()")
            add(f"    node.params = (({inputs}),)")
        add("    node.metas = node.step = None")
        tensors = [f"m{at}" for at, made in enumerate(segment.made) if made.requires_grad]
        for number, name in enumerate(tensors):
            add(f"    {name}._edge = {'node' if len(tensors) == 1 else f'Output(node, {number})'}")

    def _saved(self) -> tuple[list[str], list[str]]:
        """Returns the texts of saved arrays, and of the storages of those that a tensor shows, which come first."""
        segment, trace, derivative = self.segment, self.segment.trace, self.derivative
        makers = {trace.base_of(made.number): f"ms{at}" for at, made in enumerate(segment.made)}
        saved, storages, named = [], [], set()
        for number in derivative.saved:
            if number in trace.inputs:
                saved.append(f"i{trace.inputs.index(number)}._array")
            else:
                saved.append(f"r{derivative.positions[len(segment.made) + derivative.extra.index(number)]}")
            base = trace.base_of(number)
            if base in trace.inputs:
                at = trace.inputs.index(base)
                if at not in named:
                    named.add(at)
                    self.lines.append(f"    is{at} = i{at}._store or i{at}._storage")
                storages.append(f"is{at}")
            elif base in makers:
                storages.append(makers[base])
        return saved, storages

    def _result(self, at: int, form) -> str:
        """Returns the text of a result; writes the lines that make views."""
        if form is None:
            return "None"
        if type(form) is Input:
            return f"i{form.position}"
        if type(form) is Same:
            return self._name(form.position)
        if type(form) is View:
            self._view(at, form)
        return self._name(at)

    def _name(self, at: int) -> str:
        form = self.segment.forms[at]
        if type(form) is Input:
            return f"i{form.position}"
        return f"v{at}" if type(form) is View else f"m{self.segment.made.index(form)}"

    def _view(self, at: int, form: View) -> None:
        """Writes the lines that make a view."""
        source = form.source
        name = f"i{source.position}" if type(source) is Input else f"m{self.segment.made.index(source)}"
        add = self.lines.append
        add(f"    v{at} = alias({name})" if form.detached else f"    v{at} = {name}")
        pad = "    "
        if form.creation == "no_grad" and self.segment.mode is not False:
            add("    token = set_mode(False)")
            add("    try:")
            pad = "        "
        for position, (step, number) in enumerate(form.steps):
            values = list(step.values.values())
            self.names[f"o{at}_{position}"] = step.op
            arguments = []
            for argument, value in enumerate(values):
                if type(value) is Ref:
                    arguments.append(f"v{at}")
                else:
                    self.names[f"v{at}_{position}_{argument}"] = value
                    arguments.append(f"v{at}_{position}_{argument}")
            index = "" if number is None else f"[{number}]"
            add(f"{pad}v{at} = called(o{at}_{position}, ({''.join([f'{each}, ' for each in arguments])})){index}")
        if pad != "    ":
            add("    finally:")
            add("        reset_mode(token)")


def overlapping(written: Sequence[int], inputs: tuple) -> bool:
    """Whether an input that is written to shares its memory with another, which may have another storage.

    Such as a tensor and its `data`, or one that NumPy, DLPack or a buffer has in common with it.
    """
    arrays = [each._array for each in inputs]
    owners = [each if each.base is None else owner(each) for each in arrays]
    if any([owners[at] is each for at in written for other, each in enumerate(owners) if other != at]):
        return True
    foreign = [at for at, each in enumerate(owners) if each.base is not None]  # whose memory NumPy has not made
    if not foreign:
        return False
    pairs = [(at, other) for at in written for other in (range(len(owners)) if at in foreign else foreign)]
    return any([np.may_share_memory(owners[at], owners[other]) for at, other in pairs if at != other])
