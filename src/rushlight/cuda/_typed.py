"""The legacy tensor types of GPUs, `torch.cuda.FloatTensor` and others, imported at first use."""

from rushlight.core import dtype as dtypes
from rushlight.create.legacy import legacy_type

DTYPES = (
    dtypes.bfloat16, dtypes.bool, dtypes.uint8, dtypes.int8, dtypes.float64, dtypes.float32, dtypes.float16,
    dtypes.int32, dtypes.int64, dtypes.int16,
)  # fmt: skip
NAMES = {f"{dtypes.SCALAR_NAMES[dtype]}Tensor": dtype for dtype in DTYPES}

globals().update({name: legacy_type(value, "cuda") for name, value in NAMES.items()})
