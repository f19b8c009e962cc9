"""The module whose call is being traced."""

from __future__ import annotations

from typing import Any


class Scope:
    """The path and the type of a module within the traced one."""

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path = module_path
        self.module_type = module_type


class ScopeContextManager:
    """Within `with`, a scope has the path and the type of another one."""

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._before = Scope(scope.module_path, scope.module_type)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type
        self._scope = scope

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *error: Any) -> None:
        self._scope.module_path = self._before.module_path
        self._scope.module_type = self._before.module_type
