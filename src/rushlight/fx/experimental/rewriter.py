"""`torch.fx.experimental.rewriter`: traces functions whose statements cannot be traced as they are written.

`assert x, message` becomes `torch._assert(x, message)`, and `y: Type = x` becomes `y = annotate(x, Type)`.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from rushlight.fx._symbolic_trace import Tracer
from rushlight.fx.graph import Graph
from rushlight.fx.naming import root
from rushlight.nn.modules.module import Module

__all__ = ["AST_Rewriter", "RewritingTracer"]


def call(module: str, name: str, *args: ast.expr) -> ast.Call:
    """Returns a call of a function of ours. The module is imported, because the program may lack its name."""
    path = f"__import__({f'{root().__name__}{module}'!r}, fromlist=[{name!r}]).{name}"
    return ast.Call(ast.parse(path, mode="eval").body, list(args), [])


class AST_Rewriter(ast.NodeTransformer):  # noqa: N801
    """Rewrites statements of functions. A subclass adds `visit_...` methods for other statements."""

    def rewrite(self, fn: FunctionType) -> FunctionType:
        """Returns the function as rewritten, with the same globals, defaults and enclosing variables."""
        code = fn.__code__
        self.known = {*fn.__globals__, *vars(builtins), *code.co_freevars, *code.co_varnames}
        source = inspect.getsource(fn)
        indented = source[:1].isspace()  # not dedented: lines of text in it would change
        tree = self.visit(ast.parse(f"if True:\n{source}" if indented else source))
        definition = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        definition.decorator_list = []
        code = self._compiled(definition, fn)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        made = FunctionType(
            code, fn.__globals__, fn.__name__, fn.__defaults__, tuple(cells[name] for name in code.co_freevars)
        )
        made.__kwdefaults__, made.__annotations__ = copy.copy(fn.__kwdefaults__), dict(fn.__annotations__)
        made.__dict__.update(fn.__dict__)
        made.__module__, made.__qualname__, made.__doc__ = fn.__module__, fn.__qualname__, fn.__doc__
        return made

    def _compiled(self, definition: ast.FunctionDef, fn: FunctionType) -> CodeType:
        """Returns the code of a definition, within a function that has the enclosing variables."""
        names = [ast.arg(name) for name in fn.__code__.co_freevars]
        arguments = ast.arguments([], names, None, [], [], None, [])
        outer = ast.FunctionDef("enclosing", arguments, [definition], [], None, None)
        tree = ast.fix_missing_locations(ast.Module([outer], []))
        flags = fn.__code__.co_flags & 0x1000000  # annotations as strings
        code = compile(tree, fn.__code__.co_filename, "exec", flags, dont_inherit=True)
        return code_within(code_within(code, "enclosing"), fn.__code__.co_name)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        checked = call("", "_assert", node.test, node.msg or ast.Constant(""))
        return ast.copy_location(ast.Expr(checked), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        names = {each.id for each in ast.walk(node.annotation) if isinstance(each, ast.Name)}
        # `y: Type` alone does nothing. From Python 3.14 on a name that annotations alone use has no cell.
        if node.value is None or not names <= self.known:
            return node
        annotated = call(".fx.annotate", "annotate", node.value, node.annotation)
        return ast.copy_location(ast.Assign([node.target], annotated), node)


def code_within(code: CodeType, name: str) -> CodeType:
    return next(each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name)


class RewritingTracer(Tracer):
    """A tracer that rewrites a function, or the `forward` of modules, first.

    >>> import rushlight as torch
    >>> class Checked(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x + 1
    >>> [node.name for node in RewritingTracer().trace(Checked()).nodes]
    ['x', 'add', 'output']
    """

    def trace(
        self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | tuple[Any, ...] | None = None
    ) -> Graph:
        return super().trace(_rewrite(root), concrete_args)


def _rewrite(fn: Module | Callable[..., Any]) -> Module | Callable[..., Any]:
    """Returns a rewritten function, or a copy of a module whose own `forward`s are rewritten."""
    return rewritten(fn) if isinstance(fn, Module) else AST_Rewriter().rewrite(fn)  # type: ignore[arg-type]


def rewritten(module: Module) -> Module:
    """Returns a copy of a module that shares its tensors; modules of `torch.nn` stay."""
    forward = type(module).forward
    if type(module).__module__.startswith(("torch.nn", "rushlight.nn")) or not isinstance(forward, FunctionType):
        return module
    members = {"forward": AST_Rewriter().rewrite(forward)}
    made = copy.copy(module)
    made.__class__ = type("RewrittenModule", (type(module),), members)
    made._modules = {name: each and rewritten(each) for name, each in module._modules.items()}
    return made
