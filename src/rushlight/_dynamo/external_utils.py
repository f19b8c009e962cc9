"""`torch._dynamo.external_utils`: an older address of a question that packages ask."""

from rushlight.compiler import is_compiling as is_compiling
