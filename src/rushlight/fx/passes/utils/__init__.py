"""`torch.fx.passes.utils`: finds parts of graphs, and makes modules of parts."""

from rushlight.fx.passes.utils import fuser_utils as fuser_utils
from rushlight.fx.passes.utils import matcher_utils as matcher_utils
from rushlight.fx.passes.utils import matcher_with_name_node_map_utils as matcher_with_name_node_map_utils
from rushlight.fx.passes.utils.common import HolderModule, compare_graphs, lift_subgraph_as_module

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]
