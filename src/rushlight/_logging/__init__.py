"""`torch._logging`: which messages about compiled functions are shown.

`TORCH_LOGS` and `RUSHLIGHT_LOGS` have names with commas, such as `recompiles,graph_breaks`; `+dynamo` and `-dynamo` are
more and fewer messages of a part.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

PARTS = {
    "all": "torch", "torch": "torch", "dynamo": "torch._dynamo", "aot": "torch._functorch.aot_autograd",
    "autograd": "torch.autograd", "dynamic": "torch.fx.experimental.symbolic_shapes", "inductor": "torch._inductor",
    "distributed": "torch.distributed", "c10d": "torch.distributed.distributed_c10d",
    "ddp": "torch.nn.parallel.distributed", "fsdp": "torch.distributed.fsdp", "dtensor": "torch.distributed.tensor",
    "onnx": "torch.onnx", "export": "torch.export", "fake_tensor": "torch._subclasses.fake_tensor",
}  # fmt: skip
ARTIFACTS = (
    "aot_graphs", "aot_joint_graph", "autotuning", "benchmarking", "bytecode", "caching", "compiled_autograd",
    "compiled_autograd_verbose", "compute_dependencies", "cudagraph_static_inputs", "cudagraphs", "ddp_graphs",
    "fusion", "graph", "graph_breaks", "graph_code", "graph_code_verbose", "graph_region_expansion", "graph_sizes",
    "guards", "hierarchical_compile", "incremental", "inductor_metrics", "ir_post_fusion", "ir_pre_fusion",
    "kernel_code", "onnx_diagnostics", "output_code", "overlap", "perf_hints", "post_grad_graphs",
    "pre_grad_graphs", "recompiles", "recompiles_verbose", "schedule", "side_effects", "sym_node", "trace_bytecode",
    "trace_call", "trace_source",
)  # fmt: skip
SHORT = {"breaks": "graph_breaks", "code": "output_code"}  # names of `RUSHLIGHT_LOGS`
LEVELS = (logging.CRITICAL, logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG, logging.NOTSET)
IN_PYTORCH = {"output_code": "torch._inductor", "kernel_code": "torch._inductor", "aot_graphs": PARTS["aot"]}


class Lines(logging.Formatter):
    """One line for each line of a message: level and time, process, place, kind."""

    def format(self, record: logging.LogRecord) -> str:
        kind = record.name.rpartition(".")[2]
        kind = f"[{kind}] " if kind.startswith("__") else ""
        time = self.formatTime(record, "%m%d %H:%M:%S")
        front = f"{record.levelname[0]}{time}.{int(record.msecs * 1000):06d} {record.process} "
        where = f"{record.filename}:{record.lineno}] {kind}"
        return "\n".join([f"{front}{where}{line}" for line in record.getMessage().split("\n")])


class Stderr(logging.StreamHandler):
    """Writes to `sys.stderr` as it is at the time of the message."""

    def __init__(self):
        logging.Handler.__init__(self)
        self.setFormatter(Lines())

    @property
    def stream(self) -> Any:  # type: ignore[override]
        return sys.stderr


HANDLER = Stderr()


def artifact(name: str) -> logging.Logger:
    """Returns the logger of a kind of message."""
    return logging.getLogger(f"{IN_PYTORCH.get(name, 'torch._dynamo')}.__{name}")


getArtifactLogger = artifact


def quiet() -> None:
    """Shows nothing but warnings."""
    for name in PARTS.values():
        logging.getLogger(name).setLevel(logging.NOTSET)
    for name in ARTIFACTS:
        logger = artifact(name)
        logger.setLevel(logging.CRITICAL + 1)
        logger.propagate = False
        logger.removeHandler(HANDLER)


def show(name: str) -> None:
    """Shows a kind of message."""
    logger = artifact(name)
    logger.setLevel(logging.DEBUG)
    if HANDLER not in logger.handlers:
        logger.addHandler(HANDLER)


def set_logs(*, modules: dict[str, int | bool] | None = None, **settings: Any) -> None:
    """Sets which messages are shown: levels of parts, as `dynamo=logging.DEBUG`, and kinds, as `recompiles=True`.

    What is not named is switched off. `TORCH_LOGS` and `RUSHLIGHT_LOGS` come first: with them this has no effect.
    Raises TypeError for unknown names, ValueError for wrong values.

    >>> import rushlight as torch
    >>> torch._logging.set_logs(recompiles=True, graph_breaks=True)
    >>> torch._logging.set_logs()
    """
    for name in settings:
        if name not in PARTS and name not in ARTIFACTS:
            raise TypeError(f"set_logs() got an unexpected keyword argument '{name}'")
    for name in modules or {}:
        if name not in PARTS and name not in ARTIFACTS and name not in logging.root.manager.loggerDict:
            raise ValueError(f"Unrecognized log or artifact name passed to set_logs: {name}")
    if any([os.environ.get(name) for name in ("TORCH_LOGS", "RUSHLIGHT_LOGS")]):
        return
    set_all({**settings, **(modules or {})})


def set_all(settings: dict[str, Any]) -> None:
    """Sets all levels and kinds."""
    for name, value in settings.items():
        if name in ARTIFACTS and type(value) is not bool:
            raise ValueError(f"Expected bool to enable artifact {name}, received {value}")
        if name not in ARTIFACTS and (type(value) is bool or value not in LEVELS):
            valid = ",".join([str(level) for level in LEVELS])
            raise ValueError(f"Unrecognized log level for log {name}: {value}, valid level values are: {valid}")
    quiet()
    for name, value in settings.items():
        if name in ARTIFACTS:
            if value:
                show(name)
            continue
        logger = logging.getLogger(PARTS.get(name, name))
        logger.setLevel(value)
        if HANDLER not in logger.handlers:
            logger.addHandler(HANDLER)


def parsed(text: str) -> dict[str, Any]:
    """Returns the settings in the text of an environment variable. Raises ValueError for unknown names.

    >>> parsed("+dynamo,recompiles,breaks")
    {'dynamo': 10, 'recompiles': True, 'graph_breaks': True}
    """
    result: dict[str, Any] = {}
    for word in text.replace(" ", "").split(","):
        sign, name = (word[:1], word[1:]) if word[:1] in ("+", "-") else ("", word)
        name = SHORT.get(name, name)
        if name in ARTIFACTS:
            result[name] = sign != "-"
        elif name in PARTS or "." in name:
            result[name] = {"+": logging.DEBUG, "-": logging.ERROR}.get(sign, logging.INFO)
        elif name:
            raise ValueError(
                f"Invalid log settings: {text}, must be a comma separated list of names: {word!r} is unknown"
            )
    return result


def begin() -> None:
    """Reads the environment."""
    quiet()
    text = ",".join([os.environ.get(name, "") for name in ("TORCH_LOGS", "RUSHLIGHT_LOGS")])
    if settings := parsed(text):
        set_all(settings)


begin()
