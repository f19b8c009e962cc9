"""A graph of one operator: it is described, checked, planned and executed, in this order."""

import time
from enum import Enum, auto

import numpy as np

import rushlight as torch
from rushlight.arrays.cuda.fake import streams

from .names import COUNTS, KERNELS, cudnnGraphNotSupportedError, data_type, heur_mode
from .operators import OPERATORS
from .tensors import Tensor


class Step(Enum):
    OPEN = auto()
    VALIDATED = auto()
    LOWERED = auto()
    PLANNED = auto()
    SUPPORTED = auto()
    BUILT = auto()


class pygraph:
    def __init__(
        self, name="", io_data_type=None, intermediate_data_type=None, compute_data_type=None, handle=None
    ):  # fmt: skip
        assert intermediate_data_type is compute_data_type in (data_type.FLOAT, data_type.DOUBLE)
        self.io, self.handle, self.step, self.tensors = io_data_type, handle, Step.OPEN, []
        self.avoided, self.chosen, self.ready = set(), None, set()
        COUNTS.described += 1

    def tensor(self, dim, stride=None, data_type=None, is_virtual=False, is_pass_by_value=False, name=""):
        assert not is_virtual and all(type(size) is int for size in (*dim, *stride)) and len(dim) == len(stride)
        self.tensors.append(Tensor(dim, stride, data_type, is_pass_by_value))
        return self.tensors[-1]

    def __getattr__(self, name):
        if name not in OPERATORS:
            raise AttributeError(f"'pygraph' object has no attribute '{name}'")
        return lambda **keywords: self._added(name, **keywords)

    def _added(self, name, **keywords):
        """Adds an operator; returns its results, None for one that these operands do not give."""
        assert self.step is Step.OPEN and not hasattr(self, "operator")
        self.operator = OPERATORS[name]
        unknown = keywords.keys() - {*self.operator.operands, *self.operator.settings}
        assert not unknown, f"{name}() has no {unknown}"
        self.operands = {each: value for each, value in keywords.items() if isinstance(value, Tensor)}
        self.settings = {each: value for each, value in keywords.items() if not isinstance(value, Tensor)}
        assert self.operands.keys() <= {*self.operator.operands} and {*self.operands.values()} == {*self.tensors}
        wanted = self.operator.results(self.operands, self.settings)
        self.results = [Tensor() if each else None for each in wanted]
        return self.results if len(wanted) > 1 else self.results[0]

    def _outputs(self):
        return [each for each in self.results if each is not None]

    def _reach(self, step):
        assert self.step.value == step.value - 1, f"{step} after {self.step}"
        self.step = step

    def validate(self):
        assert all(each.output and each.kind and each.dim and each.stride for each in self._outputs())
        self.operator.check(self.io, self.operands, self._outputs(), **self.settings)
        self._reach(Step.VALIDATED)

    def build_operation_graph(self):
        self._reach(Step.LOWERED)

    def create_execution_plans(self, heuristics):
        assert all(isinstance(mode, heur_mode) for mode in heuristics)
        self._reach(Step.PLANNED)

    def deselect_numeric_notes(self, notes):
        assert self.step is Step.PLANNED
        COUNTS.deselected += notes
        self.avoided |= {*notes}

    def check_support(self):
        if self.io is data_type.DOUBLE and len(self.tensors[0].dim) == 5:  # as an example of what has no kernel
            raise cudnnGraphNotSupportedError("no engine")
        self._reach(Step.SUPPORTED)

    def build_plans(self):
        for number in range(len(KERNELS)):
            try:
                return self.build_plan_at_index(number)
            except cudnnGraphNotSupportedError:
                continue
        raise cudnnGraphNotSupportedError("no plan in the list could be built")

    def get_execution_plan_count(self):
        assert self.step.value >= Step.PLANNED.value
        return len(KERNELS)

    def build_plan_at_index(self, index):
        if not KERNELS[index].is_buildable or self.avoided & {*KERNELS[index].notes}:
            raise cudnnGraphNotSupportedError(f"plan {index} cannot be built")
        if self.step is not Step.BUILT:
            self._reach(Step.BUILT)
            COUNTS.built += 1
        self.chosen = index
        self.ready.add(index)

    def get_workspace_size(self):
        return self.get_workspace_size_plan_at_index(self.chosen)

    def get_workspace_size_plan_at_index(self, index):
        assert index in self.ready
        return COUNTS.TOO_LARGE if index in COUNTS.full else 64

    def execute(self, tensor_dict, workspace=None, handle=None):
        self.execute_plan_at_index(tensor_dict, workspace, self.chosen, handle)

    def execute_plan_at_index(self, tensor_dict, workspace=None, index=0, handle=None):
        assert index in self.ready and handle is self.handle and workspace
        outputs = self._outputs()
        assert handle.stream == streams.current().ptr and set(tensor_dict) == {*self.tensors, *outputs}
        streams.current().synchronize()
        wide = {
            name: torch.from_numpy(each.at(tensor_dict[each]).astype(np.float64))
            for name, each in self.operands.items()
        }
        shapes = [tuple(each.dim) for each in outputs]
        computed = list(self.operator.compute(**wide, **self.settings, shapes=shapes))
        for each, result in zip(outputs, computed, strict=True):
            target = each.at(tensor_dict[each])
            assert target.shape == tuple(result.shape)
            target[...] = result.numpy().astype(target.dtype)
        time.sleep(COUNTS.seconds[index])
        COUNTS.executed.append(self.operator.name)
        COUNTS.kernels.append(index)
