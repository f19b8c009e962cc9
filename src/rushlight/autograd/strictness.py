"""Checks for `strict=True` in torch.autograd.functional: it refuses derivatives of independent outputs."""

from __future__ import annotations

from rushlight.create.filled import zeros_like

INDEPENDENT = {
    "back": "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "back_trick": (
        "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double "
        "backward trick to compute forward mode gradients. This is not allowed in strict mode."
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode."
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not "
        "allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD."
    ),
}
UNRECORDED = {
    "outputs": (
        "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
        "differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is "
        "not allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} "
        "is independent of the input. This is not allowed in strict mode. You should ensure that your function is "
        "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
        "function for example)."
    ),
    "hessian": (
        "The hessian of the user-provided function with respect to input {} is independent of the input. This is not "
        "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
        "depends on the inputs."
    ),
}


def check(tensors, what: str, strict: bool) -> None:
    """In strict mode, raises RuntimeError for a tensor without history; None means no dependence at all."""
    for index, tensor in enumerate(tensors) if strict else ():
        if tensor is None:
            raise RuntimeError(INDEPENDENT["back"].format(index))
        if not tensor.requires_grad:
            raise RuntimeError(UNRECORDED[what].format(index))


def filled(gradients, likes, strict: bool, create_graph: bool, stage: str) -> tuple:
    """Returns gradients with zeros for None; in strict mode None raises RuntimeError."""
    if not strict:
        return tuple(
            zeros_like(like) if gradient is None else gradient for gradient, like in zip(gradients, likes, strict=True)
        )
    for index, gradient in enumerate(gradients):
        if gradient is None:
            raise RuntimeError(INDEPENDENT[stage].format(index))
        if create_graph and not gradient.requires_grad:
            raise _without_history("hessian" if "double" in stage else "jacobian", index)
    return gradients


def check_row(gradient, output: int, input: int, create_graph: bool) -> None:
    """Raises RuntimeError if a row of a Jacobian shows no dependence, or has no history under `create_graph`."""
    if gradient is None:
        raise RuntimeError(
            f"Output {output} of the user-provided function is independent of input {input}. This is not allowed in "
            "strict mode."
        )
    if create_graph and not gradient.requires_grad:
        raise _without_history("jacobian", output)


def _without_history(what: str, index: int) -> RuntimeError:
    return RuntimeError(
        f"The {what} of the user-provided function is independent of input {index}. This is not allowed in strict mode "
        "when create_graph=True."
    )
