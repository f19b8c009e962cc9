"""`torch._custom_ops`: the older name of `torch.library`, which packages still import."""

from rushlight._library.fake_impl import get_ctx
from rushlight._library.libraries import parse_namespace as parse_qualname

__all__ = ["get_ctx", "parse_qualname"]
