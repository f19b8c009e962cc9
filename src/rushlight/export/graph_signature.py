"""What the inputs and outputs of an exported graph are: parameters, buffers, arguments of the program, results.

https://docs.pytorch.org/docs/stable/export/api_reference.html
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any


@dataclass
class TensorArgument:
    """A tensor: the name of its node."""

    name: str


@dataclass
class SymIntArgument:
    """A size that may change: the name of its node."""

    name: str


@dataclass
class ConstantArgument:
    """A value that is not a tensor, and is part of the program."""

    name: str
    value: Any


class InputKind(Enum):
    """What an input of a graph is."""

    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    CUSTOM_OBJ = auto()
    TOKEN = auto()


class OutputKind(Enum):
    """What an output of a graph is."""

    USER_OUTPUT = auto()
    LOSS_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    PARAMETER_MUTATION = auto()
    GRADIENT_TO_PARAMETER = auto()
    GRADIENT_TO_USER_INPUT = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()


@dataclass
class InputSpec:
    """An input: its kind, its node, and the name of the parameter or buffer."""

    kind: InputKind
    arg: Any
    target: str | None
    persistent: bool | None = None

    def __str__(self) -> str:
        target = f" target='{self.target}'" if self.target is not None else ""
        persistent = f" persistent={self.persistent}" if self.persistent is not None else ""
        return f"{self.arg.name}: {self.kind.name}{target}{persistent}"


@dataclass
class OutputSpec:
    """An output: its kind and its node."""

    kind: OutputKind
    arg: Any
    target: str | None = None

    def __str__(self) -> str:
        target = f" target='{self.target}'" if self.target is not None else ""
        return f"{self.arg.name}: {self.kind.name}{target}"


@dataclass
class ExportGraphSignature:
    """The inputs and outputs of an exported graph, in order."""

    input_specs: list[InputSpec] = field(default_factory=list)
    output_specs: list[OutputSpec] = field(default_factory=list)

    def _inputs(self, kind: InputKind) -> list[InputSpec]:
        return [spec for spec in self.input_specs if spec.kind is kind]

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple([str(spec.target) for spec in self._inputs(kind)])

    def _names(self, kind: InputKind) -> dict[str, str]:
        return {spec.arg.name: str(spec.target) for spec in self._inputs(kind)}

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of the buffers."""
        return self._targets(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self) -> set[str]:
        """The names of the buffers that are in no state_dict."""
        return {str(spec.target) for spec in self._inputs(InputKind.BUFFER) if spec.persistent is False}

    @property
    def lifted_tensor_constants(self) -> tuple[str, ...]:
        """The names of other tensors of the module, and of those that the program made."""
        return self._targets(InputKind.CONSTANT_TENSOR)

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """The arguments of the program: names of nodes, or values that are part of it."""
        return tuple([argument(spec.arg) for spec in self._inputs(InputKind.USER_INPUT)])

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """The results of the program: names of nodes, or values."""
        return tuple([argument(spec.arg) for spec in self.output_specs if spec.kind is OutputKind.USER_OUTPUT])

    @property
    def inputs_to_parameters(self) -> dict[str, str]:
        """{node: parameter}."""
        return self._names(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> dict[str, str]:
        """{node: buffer}."""
        return self._names(InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self) -> dict[str, str]:
        """{node: constant}."""
        return self._names(InputKind.CONSTANT_TENSOR)

    @property
    def buffers_to_mutate(self) -> dict[str, str]:
        """{node: buffer}, of functional graphs: none, since writes are nodes of the graph."""
        specs = [spec for spec in self.output_specs if spec.kind is OutputKind.BUFFER_MUTATION]
        return {spec.arg.name: str(spec.target) for spec in specs}

    def __str__(self) -> str:
        inputs = "\n".join(map(str, self.input_specs))
        outputs = "\n".join(map(str, self.output_specs))
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"


def argument(arg: Any) -> Any:
    """Returns the name of a node, or the value of a constant."""
    return arg.value if isinstance(arg, ConstantArgument) else arg.name
