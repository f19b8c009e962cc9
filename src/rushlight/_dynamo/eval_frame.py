"""`torch._dynamo.eval_frame`: the class of compiled modules, under the name that programs import."""

from rushlight.nn.modules.compiled import OptimizedModule as OptimizedModule
