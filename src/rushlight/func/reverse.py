"""`torch.func.vjp`, `grad` and `grad_and_value`: derivatives by one backward pass.

https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.modes import recording
from rushlight.core.tensor import Tensor
from rushlight.dispatch.override import ABSENT
from rushlight.func.argnums import replaced, selected
from rushlight.func.notes import leaves_derivative
from rushlight.func.recording import Recorded, Recording
from rushlight.func.repeated import repeated
from rushlight.utils._pytree import tree_flatten, tree_map, tree_unflatten, treespec_pprint

VJP = "vjp(f, *primals)"
GRAD = "grad_and_value(f)(*args)"
Argnums = int | tuple[int, ...]


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """`func(*primals)`, and a function from cotangents of the outputs to a tuple of gradients of `primals`.

    Inputs and outputs are tensors or trees of them. With `has_aux` the function returns `(outputs, aux)`, and `aux` is
    the third result. Raises RuntimeError for outputs that are not floating-point or complex tensors.

    >>> import rushlight as torch
    >>> y, pull = torch.func.vjp(torch.sin, torch.zeros(2))
    >>> pull(torch.tensor([1.0, 3.0]))
    (tensor([1., 3.]),)
    """
    return vjp_of(func, primals, None, has_aux)[: 3 if has_aux else 2]


def vjp_of(
    func: Callable[..., Any], primals: tuple, argnums: Argnums | None, has_aux: bool
) -> tuple[Any, Callable, Any, Pullback]:
    """Returns the outputs, the function from cotangents to gradients at `argnums` (None: of all), `aux`, and that
    function without trees.
    """
    tracked = recording()
    with Recorded():
        chosen = primals if argnums is None else selected(primals, argnums)
        inputs, input_spec = tree_flatten(chosen)
        run = Recording(inputs, tracked)
        aliases = tree_unflatten(run.aliases, input_spec)
        try:
            result = func(*(aliases if argnums is None else replaced(primals, argnums, aliases)))
        except Exception as error:
            leaves_derivative(error, "vjp", func, primals, argnums)
            raise
        result, aux = split(result, has_aux, VJP)
        outputs, output_spec = tree_flatten(result)
        check_outputs(outputs, VJP)
        leads, code = run.survey(outputs)
        wanted = tracked and leads
        shown = run.outside if wanted or not tracked else run.without_history
        values = tree_unflatten(list(map(shown, outputs)), output_spec)
        check_dtypes(outputs)
        aux = aux_outside(run, aux)

    pullback = Pullback(run, outputs, wanted, code)

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        leaves, spec = tree_flatten(cotangents)
        if spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {treespec_pprint(spec)}, primal output: {treespec_pprint(output_spec)}"
            )
        return tree_unflatten(pullback.gradients(leaves, retain_graph, create_graph), input_spec)

    return values, pull, aux, pullback


class Pullback:
    """The way from cotangents of the outputs of a run to gradients of its inputs, without trees."""

    def __init__(self, run: Recording, outputs: list[Tensor], wanted: bool, runs_program: bool):
        """`wanted`: whether the graph of the outputs is to go on outside of the transform.

        `runs_program`: whether a pass runs code of the program, custom functions or hooks.
        """
        self.run, self.outputs, self.wanted, self.runs_program = run, outputs, wanted, runs_program

    def gradients(self, cotangents: list, keep: bool = True, create: bool | None = None) -> list[Tensor]:
        """Returns the gradients of the inputs, with a graph if `create`, or if None and operations are recorded.

        A cotangent of a number may be None for 1.
        """
        run, create = self.run, recording() if create is None else create
        create = create and (self.wanted or run.leads_outside([each for each in cotangents if each is not None]))
        own = run.tracked and not self.wanted
        return run.gradients(self.outputs, cotangents, keep=keep, create=create, only_own=own)


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of `func`, of one element, for the argument at `argnums`.

    A tuple of positions gives a tuple of gradients, a tree of tensors a tree. With `has_aux` `func` returns
    `(output, aux)`, and the result is `(gradient, aux)`. Raises RuntimeError if the output is no 0-d tensor.

    >>> import rushlight as torch
    >>> torch.func.grad(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([ 3., 12.])
    >>> torch.func.grad(torch.func.grad(torch.sin))(torch.tensor(0.0))
    tensor(-0.)
    """

    def gradient_of(*args: Any, **kwargs: Any) -> Any:
        gradient, _, aux = gradient_and_value(func, argnums, has_aux, args, kwargs)
        return (gradient, aux) if has_aux else gradient

    return repeated(func, gradient_of)


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., tuple]:
    """A function that returns the gradient of `func` and its value; `(gradient, (value, aux))` with `has_aux`.

    Arguments and errors as those of `grad`.

    >>> import rushlight as torch
    >>> torch.func.grad_and_value(lambda x: (x**2).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    def gradient_and_value_of(*args: Any, **kwargs: Any) -> tuple:
        gradient, value, aux = gradient_and_value(func, argnums, has_aux, args, kwargs)
        return gradient, ((value, aux) if has_aux else value)

    return repeated(func, gradient_and_value_of)


def gradient_and_value(
    func: Callable, argnums: Argnums, has_aux: bool, args: tuple, kwargs: dict
) -> tuple[Any, Tensor, Any]:
    """Returns the gradient, the value, and `aux`."""
    tracked = recording()
    with Recorded():
        inputs, spec = tree_flatten(selected(args, argnums))
        run = Recording(inputs, tracked)
        try:
            result = func(*replaced(args, argnums, tree_unflatten(run.aliases, spec)), **kwargs)
        except Exception as error:
            leaves_derivative(error, "grad", func, args, argnums)
            raise
        output, aux = split(result, has_aux, GRAD)
        check_number(output)
        wanted = run.is_wanted([output])
        value = run.outside(output) if wanted or not tracked else run.without_history(output)
        aux = aux_outside(run, aux)  # before the pass, which frees the graph
        if wanted:
            gradients = run.gradients([output], None, keep=True, create=True)
        else:
            gradients = run.gradients_of_number(output)
        return tree_unflatten(gradients, spec), value, aux


# ---- results of functions


def split(result: Any, has_aux: bool, call: str) -> tuple[Any, Any]:
    """Returns the outputs and what goes with them. Raises RuntimeError if there should be two values and are not."""
    if not has_aux:
        return result, ABSENT
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def aux_outside(run: Recording, aux: Any) -> Any:
    """Returns a tree of tensors that are not differentiated, for the caller. Raises RuntimeError for others."""
    if aux is ABSENT:
        return None
    return tree_map(lambda value: run.outside(checked_aux(value)), aux)


def checked_aux(value: Any) -> Tensor:
    """Returns a leaf of `aux`. Raises RuntimeError if it is no tensor."""
    if not isinstance(value, Tensor):
        raise RuntimeError(f"Expected tensors, got unsupported type {type(value)}")
    return value


def check_outputs(outputs: list, call: str) -> None:
    """Raises RuntimeError if there are no outputs, or others than tensors."""
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(f"{call}: Expected f to be a function that has non-empty output (got output = {outputs})")
    for output in outputs:
        if not isinstance(output, Tensor):
            raise RuntimeError(
                f"{call}: expected f(*primals) to return only tensors, got unsupported type {type(output)}"
            )


def check_dtypes(outputs: list[Tensor]) -> None:
    """Raises RuntimeError for outputs without derivatives."""
    for output in outputs:
        if not (output.is_floating_point() or output.is_complex()):
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{output.dtype}"
            )


def check_number(output: Any) -> None:
    """Raises RuntimeError if an output has no gradient: it is no tensor, or has dimensions."""
    if not isinstance(output, Tensor):
        raise RuntimeError(f"{GRAD}: Expected f(*args) to return a Tensor, got {type(output)}")
    if output.dim() != 0:
        raise RuntimeError(
            f"{GRAD}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe you "
            "wanted to use the vjp or jacrev APIs instead?"
        )
