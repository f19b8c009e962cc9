"""The code of a graph whose arguments and result are nested lists, tuples and dicts of the nodes' values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.fx.code import CodeGen
from rushlight.fx.node import Argument
from rushlight.utils._pytree import TreeSpec, tree_leaves, tree_unflatten


class _PyTreeInfo(NamedTuple):
    """The arguments of the traced function, their structure, and that of its result."""

    orig_args: list[str]
    in_spec: TreeSpec
    out_spec: TreeSpec | None


class _PyTreeCodeGen(CodeGen):
    """Splits the arguments at the beginning of `forward`, and makes the result of its leaves at the end."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs: Any) -> Any:
        return tree_leaves(inputs)

    def process_outputs(self, out: Any) -> Any:
        spec = self.pytree_info.out_spec
        if spec is None:
            return out
        return tree_unflatten(out if isinstance(out, list | tuple) else [out], spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        arguments = self.pytree_info.orig_args
        if arguments[:1] == ["self"]:
            free_vars.insert(0, "self")
        head = super().gen_fn_def(arguments[:], maybe_return_annotation)
        if not free_vars:
            return head
        annotated = "".join(f"{name}; " for name in free_vars if ":" in name)
        names = ", ".join(name.partition(":")[0] for name in free_vars)
        return (
            f"{head}{f'{chr(10)}    {annotated}{chr(10)}' if annotated else ''}"
            f"\n    {names}, = fx_pytree.tree_flatten_spec([{', '.join(arguments)}], self._in_spec)"
        )

    def generate_output(self, output_args: Argument, *, repr_fn: Callable[[Any], str] = repr) -> str:
        if self.pytree_info.out_spec is None:
            return super().generate_output(output_args, repr_fn=repr_fn)
        return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"
