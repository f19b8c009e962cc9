"""How attention computes on a GPU: by cuDNN in half precision where it has a kernel, else by the array language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.arrays.cuda.cudnn.attention import attended, attention_gradients, is_suited
from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.declarations.attention import attended_widely
from rushlight.declarations.declare import Op


class Attention:
    """`attention`: with cuDNN the second result is no weights, but the logarithms of their sums."""

    def __init__(self, op: Op, graphs: Graphs) -> None:
        self.forward, self.graphs = op.forward, graphs

    def __call__(
        self, language: Any, query: Any, key: Any, value: Any, bias: Any, is_causal: bool, scale: float
    ) -> Any:  # fmt: skip
        operands = query, key, value, bias, is_causal, scale
        fits = self.graphs.allows_attention() and is_suited(query, key, value)
        results = attended(self.graphs, *operands) if fits else None
        return self.forward(language, *operands) if results is None else results


class Gradients:
    """`attention_gradients`: by cuDNN if it has computed the result, and has a kernel for its gradients too."""

    def __init__(self, op: Op, graphs: Graphs) -> None:
        self.forward, self.graphs = op.forward, graphs

    def __call__(
        self, language: Any, grad: Any, query: Any, key: Any, value: Any, bias: Any, out: Any, weights: Any,
        is_causal: bool, scale: float,
    ) -> Any:  # fmt: skip
        if weights.shape[3] != key.shape[2]:
            operands = query, key, value, bias
            gradients = attention_gradients(self.graphs, grad, *operands, out, weights, is_causal, scale)
            if gradients is not None:
                return gradients
            _, weights = attended_widely(language, *operands, is_causal, scale)
        return self.forward(language, grad, query, key, value, bias, out, weights, is_causal, scale)


FORMULAS: dict[str, Callable[[Op, Graphs], Callable]] = {"attention": Attention, "attention_gradients": Gradients}
