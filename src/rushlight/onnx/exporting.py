"""`torch.onnx.export`: a model as an ONNX file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from os import PathLike
from typing import Any, NamedTuple

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.export.dimensions import arguments_by_name, in_order_of_leaves, specified
from rushlight.export.exported_program import ExportedProgram
from rushlight.nn.modules.module import Module
from rushlight.onnx.model import Request, Settings, forward_of, model_proto
from rushlight.onnx.program import ONNXProgram
from rushlight.onnx.registration import EXPORTING

LEAST_OPSET, DEFAULT_OPSET = 18, 18
REGISTER = "torch.onnx.register_custom_op_symbolic says how an operator is written."
MODE = "The model is exported in the mode that it is in: call model.eval() or model.train() first."
ERRORS = "An error names all calls that are not written, with their lines."
FLAT = "A model is one graph of ONNX's operators: leave the option out."
SIZES = "The program says which sizes may change: give dynamic_shapes to torch.export.export."


def export(
    model: Any,
    args: Any = (),
    f: str | PathLike | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: Any = None,
    custom_translation_table: Mapping[Callable, Any] | None = None,
    report: bool = False,
    optimize: bool = True,
    verify: bool = False,
    profile: bool = False,
    dump_exported_program: bool = False,
    artifacts_dir: str | PathLike = ".",
    fallback: bool = False,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Any] | None = None,
    training: Any = None,
    operator_export_type: Any = None,
    do_constant_folding: bool = True,
    custom_opsets: Mapping[str, int] | None = None,
    export_modules_as_functions: Any = False,
    autograd_inlining: bool = True,
) -> ONNXProgram:
    """Exports a model, or an `ExportedProgram`, as ONNX, and writes it to `f` if that is given.

    The model is called with `args` and `kwargs`, in the mode that it is in. Its operators are lowered to primitives,
    which become nodes. `dynamic_shapes`, as in `torch.export.export`, or `dynamic_axes`, {name: {dimension: name}}, say
    which sizes may be others later; the model then also runs at other sizes. `opset_version` is at least 18. With
    `verify` the program is run in onnxruntime and compared with the model. `optimize`, `do_constant_folding` and
    `autograd_inlining` change nothing: runtimes fold constants when they load a model.

    Needs the package onnx. Raises `torch.onnx.OnnxExporterError` for calls that cannot be written as ONNX: it names
    the operators and the lines of the program that used them.
    """
    require_onnx()
    refuse(REGISTER, custom_translation_table=custom_translation_table)
    refuse(MODE, training=training and int(training))
    refuse(ERRORS, report=report, profile=profile, fallback=fallback, dump_exported_program=dump_exported_program)
    refuse(FLAT, operator_export_type=operator_export_type, export_modules_as_functions=export_modules_as_functions)
    settings = Settings(checked_opset(opset_version), export_params, keep_initializers_as_inputs, custom_opsets or {})
    with exporting():
        if isinstance(model, ExportedProgram):
            refuse(SIZES, dynamic_axes=dynamic_axes)
            request = request_of_program(model, args, kwargs, dynamic_shapes)
        else:
            axes = Axes(dynamic_axes or {}, input_names or (), output_names or ())
            request = request_of_model(model, args, kwargs, dynamic_shapes, axes, dynamo)
        named = request._replace(
            input_names=[*(input_names or ()), *request.input_names[len(input_names or ()) :]],
            output_names=list(output_names or ()),
        )
        proto, example = model_proto(named, settings)
    program = ONNXProgram(proto, request.model, example)
    if verify:
        program.verify()
    if f is not None:
        program.save(f, external_data=external_data)
    if verbose:
        print(import_module("onnx.printer").to_text(program.model_proto.graph))
    return program


def require_onnx() -> None:
    """Raises ModuleNotFoundError, with what to install, if the package onnx is missing."""
    try:
        import_module("onnx")
    except ModuleNotFoundError as error:
        raise noted(error, "Exporting needs the package onnx: pip install rushlight[onnx]") from None


def refuse(note: str, **options: Any) -> None:
    """Raises NotImplementedError for an option that is wanted and has no meaning here."""
    for name, wanted in options.items():
        if wanted:
            raise noted(NotImplementedError(f"torch.onnx.export: {name}: not supported"), note)


def checked_opset(version: int | None) -> int:
    """Returns the opset. Raises ValueError for one that is too old."""
    opset = DEFAULT_OPSET if version is None else int(version)
    if opset < LEAST_OPSET:
        raise noted(
            ValueError(f"torch.onnx.export: opset {opset} is not supported, the least is {LEAST_OPSET}"),
            "onnx.version_converter converts a model to an older opset.",
        )
    return opset


@contextmanager
def exporting() -> Iterator[None]:
    """Runs code during which `is_in_onnx_export` is True."""
    EXPORTING.append(True)
    try:
        yield
    finally:
        EXPORTING.pop()


def request_of_program(
    program: ExportedProgram, args: Any, kwargs: Mapping[str, Any] | None, dynamic_shapes: Any
) -> Request:
    """Returns what is exported of a program: by default with its own example, and its own sizes that may change."""
    module = program.module(check_guards=False)
    if not args and not kwargs and program.example_inputs is not None:
        args, kwargs = program.example_inputs
    args, named = args if isinstance(args, tuple) else (args,), dict(kwargs or {})
    spec = program.dynamic_dims() if dynamic_shapes is None else specified(module.forward, args, named, dynamic_shapes)
    return Request(module, args, named, spec, [name for name, dtype, _ in program._checks if dtype is not None], [])


def request_of_model(
    model: Any, args: Any, kwargs: Mapping[str, Any] | None, dynamic_shapes: Any, axes: Axes, dynamo: bool
) -> Request:
    """Returns what is exported of a model. Before `dynamo`, a dict at the end of the arguments was the keywords."""
    if isinstance(model, Module) and model.training:
        warnings.warn(
            "Exporting a model while it is in training mode. Please ensure that this is intended, as it may lead to "
            "different behavior during inference. Calling model.eval() before export is recommended.",
            UserWarning,
            stacklevel=3,
        )
    args, named = args if isinstance(args, tuple) else (args,), dict(kwargs or {})
    if args and isinstance(args[-1], dict) and kwargs is None and not dynamo:
        args, named = args[:-1], args[-1]
    if axes.said and not dynamic_shapes:
        dynamic_shapes = shapes_of_axes(model, args, named, axes)
    return Request(model, args, named, specified(forward_of(model), args, named, dynamic_shapes), [], [])


class Axes(NamedTuple):
    """`dynamic_axes`, {name: {dimension: name}}, and the names that a program gives inputs and outputs."""

    said: Mapping[str, Any]
    inputs: Sequence[str]
    outputs: Sequence[str]


def shapes_of_axes(model: Any, args: tuple, kwargs: dict, axes: Axes) -> dict:
    """Returns `dynamic_shapes` for `dynamic_axes`, whose keys are names of inputs, by position or of the parameters.

    Equal names are equal sizes. Axes of outputs follow from the inputs. Warns of a key that names neither.
    """
    parameters = in_order_of_leaves(arguments_by_name(forward_of(model), args, kwargs), kwargs)
    flat = [name for name, value in parameters.items() if isinstance(value, Tensor)]
    renamed = dict(zip(axes.inputs, flat, strict=False))
    result: dict[str, Any] = dict.fromkeys(parameters)
    for name, said in axes.said.items():
        parameter = renamed.get(name, name)
        if parameter not in parameters:
            if name not in axes.outputs and not (name.startswith("output") and not axes.outputs):
                warnings.warn(
                    f"Provided key {name} for dynamic axes is not a valid input/output name", UserWarning, stacklevel=4
                )
            continue
        if not isinstance(said, Mapping):
            said = {dimension: f"{name}_dynamic_axes_{number + 1}" for number, dimension in enumerate(said)}
        result[parameter] = dict(said)
    return result
