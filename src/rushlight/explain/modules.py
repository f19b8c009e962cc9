"""Explanations of modules and optimizers: contents, trained parameters, and overlooked ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.explain.result import Explanation, counted, in_bytes, listed
from rushlight.nn.modules.module import Module


def explain_module(module: Module, names: Mapping[str, Any]) -> Explanation:
    """Explains a module: its contents, trained parameters, and modules that it overlooks."""
    name = next((name for name, value in names.items() if value is module), None)
    parameters = dict(module.named_parameters())
    buffers = dict(module.named_buffers())
    trained = {name: one for name, one in parameters.items() if one.requires_grad}
    without = [name for name, one in trained.items() if one.grad is None]
    overlooked = unregistered(module)
    explanation = Explanation(f"{f'`{name}`' if name else 'This'} is a module, {type(module).__name__}.")
    explanation.facts |= {
        "kind": "module", "name": name, "type": type(module).__name__, "training": module.training,
        "parameters": sum(parameter.numel() for parameter in parameters.values()),
        "trainable": sum(x.numel() for x in trained.values()),
        "bytes": sum(parameter.nbytes for parameter in (*parameters.values(), *buffers.values())),
        "frozen": [parameter for parameter in parameters if parameter not in trained], "without_grad": without,
        "buffers": list(buffers), "unregistered": overlooked,
        "dtypes": sorted({parameter.dtype.name for parameter in parameters.values()}),
    }  # fmt: skip
    _contents(explanation, module, parameters, buffers)
    _training(explanation, module, trained, without)
    for attribute, kind, count in overlooked:
        explanation.say(
            "overlooked",
            f"`{attribute}` is a {kind} of {counted(count, 'module')}. A plain {kind} does not register them, so they "
            f"are not trained, moved or saved. Use nn.{'ModuleDict' if kind == 'dict' else 'ModuleList'}.",
        )
    return explanation


def _contents(explanation: Explanation, module: Module, parameters: dict, buffers: dict) -> None:
    facts = explanation.facts
    inside = f" in {counted(sum(1 for _ in module.modules()), 'module')}"
    explanation.say(
        "holds",
        f"{counted(len(parameters), 'parameter')} with {facts['parameters']:,} numbers{inside}, "
        f"{counted(len(buffers), 'buffer')}, {in_bytes(facts['bytes'])} in all.",
        f"Its parameters are of several dtypes: {listed(facts['dtypes'])}." if len(facts["dtypes"]) > 1 else None,
    )


def _training(explanation: Explanation, module: Module, trained: dict, without: list[str]) -> None:
    frozen = explanation.facts["frozen"]
    mode = "training mode (dropout is on)" if module.training else "evaluation mode (dropout is off)"
    other = "eval() before validation" if module.training else "train() before training"
    explanation.say("mode", f"It is in {mode}. Call {other}.")
    if frozen:
        explanation.say(
            "frozen",
            f"{listed(f'`{x}`' for x in frozen)} do not require grad, so backward() gives them no gradient.",
        )
    if trained and len(without) == len(trained):
        explanation.say(
            "grad", "No parameter has a gradient: backward() has not been called since the last zero_grad()."
        )
    elif without:
        explanation.say(
            "grad",
            f"{listed(f'`{x}`' for x in without)} have no gradient, and others have one: the loss does not "
            "depend on them. `rushlight.why_no_grad(parameter, loss)` says why.",
        )
    elif trained:
        explanation.say("grad", "Every parameter has a gradient.")


def unregistered(module: Module) -> list[tuple[str, str, int]]:
    """Returns (attribute, type, count) of plain lists, tuples and dicts that hold modules, in the module and below."""
    result = []
    for path, inner in module.named_modules():
        if type(inner).__module__.startswith("rushlight."):
            continue
        for attribute, value in vars(inner).items():
            if attribute.startswith("_") or type(value) not in (list, tuple, dict):
                continue
            members = value.values() if type(value) is dict else value
            count = sum(isinstance(member, Module) for member in members)
            if count:
                result.append((f"{path}.{attribute}" if path else attribute, type(value).__name__, count))
    return result


def explain_optimizer(optimizer, names: Mapping[str, Any]) -> Explanation:
    """Explains what an optimizer's next step would change."""
    groups = optimizer.param_groups
    tensors: list[Tensor] = [x for group in groups for x in group["params"]]
    called = {
        id(tensor): f"{name}.{inner}"
        for name, value in names.items()
        if isinstance(value, Module)
        for inner, tensor in value.named_parameters()
    } | {id(value): name for name, value in names.items() if isinstance(value, Tensor)}
    skipped = [called.get(id(tensor), f"a tensor {tuple(tensor.shape)}") for tensor in tensors if tensor.grad is None]
    frozen = [
        called.get(id(tensor), f"a tensor {tuple(tensor.shape)}") for tensor in tensors if not tensor.requires_grad
    ]
    held = {id(tensor) for tensor in tensors}
    missing = [
        f"{name}.{inner}"
        for name, value in names.items()
        if isinstance(value, Module)
        for inner, parameter in value.named_parameters()
        if parameter.requires_grad and id(parameter) not in held
    ]
    explanation = Explanation(
        f"This is an optimizer, {type(optimizer).__name__}, for {counted(len(tensors), 'tensor')}."
    )
    explanation.facts |= {
        "kind": "optimizer", "type": type(optimizer).__name__, "tensors": len(tensors), "groups": len(groups),
        "lr": [group.get("lr") for group in groups], "without_grad": skipped, "frozen": frozen, "not_given": missing,
    }  # fmt: skip
    rates = listed(dict.fromkeys(str(group.get("lr")) for group in groups))
    explanation.say("groups", f"{counted(len(groups), 'group')} with learning rate {rates}.")
    if len(skipped) == len(tensors):
        explanation.say("step", "step() would change nothing: no tensor has a gradient. Call backward() first.")
    elif skipped:
        explanation.say(
            "step", f"step() would leave {listed(f'`{x}`' for x in skipped)} unchanged: they have no gradient."
        )
    else:
        explanation.say("step", "step() would change every tensor.")
    if frozen:
        explanation.say("frozen", f"{listed(f'`{x}`' for x in frozen)} do not require grad, so they get no gradient.")
    if missing:
        explanation.say(
            "not given",
            f"{listed(f'`{name}`' for name in missing)} require grad, and the optimizer does not have them.",
        )
    return explanation
