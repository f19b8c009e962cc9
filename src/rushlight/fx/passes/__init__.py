"""`torch.fx.passes`: programs that read and change graphs."""

from rushlight.fx.passes import infra as infra
from rushlight.fx.passes import shape_prop as shape_prop
from rushlight.fx.passes import split_module as split_module
from rushlight.fx.passes import tools_common as tools_common
from rushlight.fx.passes import utils as utils
