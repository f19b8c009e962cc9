"""`torch._dynamo`, as far as programs mark functions with it: those of `torch.compiler`, by their older address."""

from rushlight.compiler import allow_in_graph as allow_in_graph
from rushlight.compiler import assume_constant_result as assume_constant_result
from rushlight.compiler import disable as disable
from rushlight.compiler import is_compiling as is_compiling
from rushlight.compiler import reset as reset
