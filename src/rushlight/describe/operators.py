"""`docs/operators.md`: every public operator, its variants, and its saved values."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator

from rushlight.core.dtype import bfloat16, complex64, dtype, float32, int64
from rushlight.core.dtype import bool as bool_
from rushlight.declarations import library
from rushlight.declarations.declare import DIFFERENTIABLE, OPS, Op
from rushlight.dispatch.generate import Plan
from rushlight.dispatch.lazy_modules import load_all
from rushlight.testing.declared import Case, cases

# One dtype for each group that is treated alike.
KINDS = {"bool": bool_, "integer": int64, "half": bfloat16, "float": float32, "complex": complex64}
REFUSALS = (RuntimeError, TypeError, ValueError)
RULES = {"float": "integers become float", "bool": "the result is bool"}

HEAD = """# Operators

Written by `scripts/generate` from [the declarations](../src/rushlight/declarations/README.md): do not edit.

- **Operator**: its name in `torch`, or in the namespace that is written before it, and its other names.
- **Variants**: `method` of Tensor; `in place`, the name with `_`; `out=`; the special method of Python's operator; and
  whether the result is a view, which shares the memory of the first argument.
- **Derivatives**: the arguments that have one. Formulas are written in operators, so that each can be differentiated as
  often as its operators can be, which is without end. "of its parts": the operator is made of others, and
  differentiated with them. A dash: there is none.
- **Dtypes**: what the arguments with a derivative may be, found by calling the operator with its samples in one dtype
  of each kind; `half` is bfloat16. Without a remark, the result has the promoted dtype of the arguments.
- **Keeps**: the tensors that backward needs, among them `out`, the result. Those of an argument whose derivative nobody
  asks for are not kept. Numbers, shapes and dtypes that go with them are not listed.

Under `vmap`, an operator computes all samples at once. These compute one sample after the other, with a warning:
`histc`, `histogram`, `histogramdd`, `lobpcg`, `masked_select`, `repeat_interleave`
(by samples), `segment_reduce` and `nn.functional.grouped_mm`.
"""
COLUMNS = "| operator | variants | derivatives | dtypes | keeps |\n|---|---|---|---|---|"


def page() -> str:
    """Returns the text of the page."""
    return "\n".join([HEAD, *(section for section in map(_section, families()) if section)])


def families() -> Iterator[tuple[str, list[Op]]]:
    """Returns the families that declare public operators, by module name, in the library's order."""
    library.load_all()
    load_all()
    modules = [family.__name__ for family in library.FAMILIES]
    modules += [f"{library.__package__}.{name}" for names in library.LAZY_MODULES.values() for name in names.split()]
    for module in modules:
        yield module, [op for op in OPS.values() if op.forward.__module__ == module and _is_public(op)]


def _section(family: tuple[str, list[Op]]) -> str:
    module, ops = family
    if not ops:
        return ""
    name = module.rpartition(".")[2]
    title = name.replace("_", " ").capitalize()
    source = f"[{name}.py](../src/rushlight/declarations/{name}.py)"
    return f"## {title}\n\n{_first_sentence(sys.modules[module].__doc__ or '')} {source}\n\n{COLUMNS}\n" + "".join(
        f"{_row(op)}\n" for op in sorted(ops, key=lambda op: op.name)
    )


def _first_sentence(text: str) -> str:
    sentence = " ".join(text.strip().partition("\n\n")[0].split())
    return sentence if sentence.endswith((".", ":")) else f"{sentence}."


def _is_public(op: Op) -> bool:
    return bool(op.spaces or op.method)


def _row(op: Op) -> str:
    cells: Iterable[Callable[[Op], str]] = (_names, _variants, _derivatives, _dtypes, _keeps)
    return f"| {' | '.join(cell(op) for cell in cells)} |"


def public_names(op: Op) -> list[str]:
    """Returns an operator's names in its namespaces; `Tensor.name` if it is only a method."""
    names = [name if space == "torch" else f"{space}.{name}" for space in op.spaces for name in op.names_in(space)]
    return names or [f"Tensor.{name}" for name in (op.method, *op.aliases)]


def _names(op: Op) -> str:
    return _listed(public_names(op))


def _variants(op: Op) -> str:
    variants = ["method"] if op.method else []
    variants += ["in place"] if op.inplace else []
    variants += ["`out=`"] if op.out else []
    variants += [f"`{special}`" for special in op.operators]
    variants += ["view"] if op.view else []
    return ", ".join(variants) or "—"


def _derivatives(op: Op) -> str:
    if op.composite:
        return "of its parts"
    named = [
        argument.name
        for argument in op.arguments
        if argument.role in DIFFERENTIABLE and argument.name in op.derivatives
    ]
    return _listed(named)


def _dtypes(op: Op) -> str:
    """Returns the dtypes that its samples accept, by trying: operators refuse dtypes in their code."""
    samples = cases(op)
    if not samples:
        return "not sampled"
    accepted = [name for name, kind in KINDS.items() if any(_takes(case, kind) for case in samples)]
    parts = ["all" if len(accepted) == len(KINDS) else ", ".join(accepted)]
    parts += [RULES[op.dtype]] if op.dtype in RULES else []
    return "; ".join(parts)


def _takes(case: Case, kind: dtype) -> bool:
    refuses = case.op.refuses
    if isinstance(refuses, dict) and (kind in refuses or kind.category in refuses):
        return False
    if not kind.is_complex and any(tensor.requires_grad and tensor.is_complex() for tensor in case.tensors):
        return False
    tensors = [tensor.detach().to(kind) if tensor.requires_grad else tensor for tensor in case.tensors]
    try:
        with warnings.catch_warnings(action="ignore"):
            case.results(tensors)
    except REFUSALS:
        return False
    return True


def _keeps(op: Op) -> str:
    return "of its parts" if op.composite else _listed(Plan(op).saved)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "—"
