"""`torch.fx.passes.param_fetch`: notes the settings and weights of modules at the nodes that call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.create.queries import typename
from rushlight.fx.graph_module import GraphModule
from rushlight.nn.modules.activation import ReLU
from rushlight.nn.modules.batchnorm import BatchNorm2d
from rushlight.nn.modules.conv import Conv2d
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.pooling import AdaptiveAvgPool2d, MaxPool2d

__all__ = ["default_matching", "extract_attrs_for_lowering", "lift_lowering_attrs_to_nodes"]


def default_matching(name: str, target_version: int) -> str:
    """Returns the name of an attribute in another version of its module: the same."""
    return name


# Version and attributes of a module, and how an attribute is named in another version.
FETCHED: dict[type, tuple[int, list[str], Callable[[str, int], str]]] = {
    Linear: (1, "weight bias".split(), default_matching),
    Conv2d: (1, "weight bias kernel_size stride padding dilation groups padding_mode".split(), default_matching),
    BatchNorm2d: (2, "weight bias running_mean running_var eps".split(), default_matching),
    AdaptiveAvgPool2d: (1, [], default_matching),
    MaxPool2d: (1, "kernel_size stride padding dilation return_indices ceil_mode".split(), default_matching),
    ReLU: (1, ["inplace"], default_matching),
}


def extract_attrs_for_lowering(mod: Module) -> dict[str, Any]:
    """Returns the attributes of a module that `FETCHED` lists, and its class as `name`.

    Raises RuntimeError for a module that it does not list.
    """
    name = typename(mod)
    if type(mod) not in FETCHED:
        raise RuntimeError(f"{name} is not in the module_fetch_book yet, please add it to the module_fetch_book")
    version, attributes, matching = FETCHED[type(mod)]
    if version < mod._version:
        raise RuntimeError(f"Fetcher version {version} try to fetch {name} version {mod._version}, please upgrade the "
                           "module_fetch_book")  # fmt: skip
    return {"name": name, **{each: getattr(mod, matching(each, mod._version)) for each in attributes}}


def lift_lowering_attrs_to_nodes(fx_module: GraphModule) -> None:
    """Sets `node.attrs_for_lowering` of each node that calls a module, also in graph modules inside."""
    for node in fx_module.graph.find_nodes(op="call_module"):
        called = fx_module.get_submodule(str(node.target))
        if isinstance(called, GraphModule):
            lift_lowering_attrs_to_nodes(called)
        else:
            node.attrs_for_lowering = extract_attrs_for_lowering(called)  # type: ignore[attr-defined]
