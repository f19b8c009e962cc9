"""`torch._dynamo.eval_frame`: where programs look for the class of compiled modules."""

from rushlight.nn.modules.compiled import OptimizedModule as OptimizedModule
