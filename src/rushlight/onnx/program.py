"""`torch.onnx.ONNXProgram`: an exported model, which can be saved, and run where onnxruntime is installed."""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath
from os.path import basename
from typing import IO, Any

import numpy as np

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import from_numpy
from rushlight.export.exported_program import in_order
from rushlight.utils._pytree import tree_flatten

TOLERANCE = 1e-4  # of a verification, absolute and relative
LIMIT = 1 << 31  # bytes of one message


class ONNXProgram:
    """A model in ONNX: `model_proto` is its message.

    Called with tensors it runs in onnxruntime and returns a tuple of tensors.
    """

    def __init__(self, model_proto: Any, model: Any = None, example: Any = None):
        self.model_proto = model_proto
        self.exported_program: Any = None
        self._model, self._example = model, example
        self._session: Any = None

    def __repr__(self) -> str:
        graph = self.model_proto.graph
        names = [", ".join([value.name for value in values]) for values in (graph.input, graph.output)]
        return f"ONNXProgram({graph.name}: ({names[0]}) -> ({names[1]}), {len(graph.node)} nodes)"

    def save(
        self, destination: str | PathLike, *, include_initializers: bool = True,
        keep_initializers_as_inputs: bool = False, external_data: bool | None = None,
    ) -> None:  # fmt: skip
        """Writes the model to a file; weights go to a file next to it, `<name>.data`, if `external_data` is True.

        A model of 2 GB and more always has them there.
        """
        onnx = import_module("onnx")
        path, proto = fspath(destination), self.model_proto
        if not include_initializers:
            proto = onnx.ModelProto.FromString(proto.SerializeToString())
            del proto.graph.initializer[:]
        size = sum([len(each.raw_data) for each in proto.graph.initializer])
        if not (external_data and size > 1024 or size >= LIMIT):
            onnx.save_model(proto, path)
            return
        apart = onnx.ModelProto()
        apart.CopyFrom(proto)
        with open(f"{path}.data", "wb") as file:  # onnx.save_model adds to a file that is there
            move_weights(apart, file, basename(path))
        onnx.save_model(apart, path)

    def initialize_inference_session(self, initializer: Any = None) -> None:
        """Makes the session of onnxruntime in which the program runs."""
        try:
            runtime = import_module("onnxruntime")
        except ModuleNotFoundError as error:
            raise noted(error, "Running a program needs the package onnxruntime: pip install onnxruntime") from None
        data = self.model_proto.SerializeToString()
        self._session = initializer(data) if initializer else runtime.InferenceSession(
            data, providers=["CPUExecutionProvider"]
        )  # fmt: skip

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
        """Runs the program on tensors."""
        if self._session is None:
            self.initialize_inference_session()
        named = kwargs if self._example is None else in_order(kwargs, self._example.spec)
        leaves = [leaf for leaf in tree_flatten((args, named))[0] if isinstance(leaf, Tensor)]
        names = [value.name for value in self._session.get_inputs()]
        if len(leaves) != len(names):
            raise TypeError(f"The program takes {len(names)} tensors, {', '.join(names)}, but it got {len(leaves)}")
        arrays = [np.array(leaf.detach().numpy(), order="C") for leaf in leaves]
        return tuple([from_numpy(array) for array in self._session.run(None, dict(zip(names, arrays, strict=True)))])

    def release(self) -> None:
        """Frees the session of onnxruntime."""
        self._session = None

    def verify(self) -> None:
        """Raises AssertionError unless the program gives the model's results on the example."""
        example = self._example
        expected = example.call(self._model, example.pick(example.leaves))
        for got, wanted in zip(self(*example.pick(example.leaves)), expected, strict=True):
            np.testing.assert_allclose(got.numpy(), wanted.detach().numpy(), TOLERANCE, TOLERANCE)


def move_weights(proto: Any, file: IO[bytes], name: str) -> None:
    """Moves the weights of a message, from 1 KB on, to a file next to that of the model."""
    helper = import_module("onnx.external_data_helper")
    for weight in proto.graph.initializer:
        if len(weight.raw_data) >= 1024:
            helper.set_external_data(weight, f"{name}.data", file.tell(), len(weight.raw_data))
            file.write(weight.raw_data)
            weight.ClearField("raw_data")


ONNXProgram.__module__ = "torch.onnx"
