"""`torch._dynamo`, as far as programs mark functions with it: those of `torch.compiler`, by their older address."""

from rushlight.compiler.directives import allow_in_graph as allow_in_graph
from rushlight.compiler.directives import assume_constant_result as assume_constant_result
from rushlight.compiler.directives import disable as disable
from rushlight.compiler.directives import is_compiling as is_compiling
from rushlight.compiler.directives import reset as reset
