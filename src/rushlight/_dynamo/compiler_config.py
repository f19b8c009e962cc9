"""`torch.compiler.config`: public names of settings, most of which are those of `torch._dynamo.config`."""

import sys
from typing import Any

from rushlight._dynamo import config as shared
from rushlight.utils._config_module import install

SETTINGS: dict[str, Any] = {
    "job_id": None,
    "pgo_extra_read_key": None,
    "pgo_extra_write_key": None,
    "cache_key_tag": "",
    "force_disable_caches": False,
    "dynamic_sources": "",
    "dynamic_values": "",
    "unbacked_sources": "",
    "force_cudagraph_gc": False,
}
SHARED = (
    "dynamic_shapes", "assume_static_by_default", "automatic_dynamic_shapes", "recompile_limit",
    "accumulated_recompile_limit", "verbose", "capture_scalar_outputs", "capture_dynamic_output_shape_ops",
    "log_file_name", "fail_on_recompile_limit_hit", "allow_unspec_int_on_nn_module",
    "skip_tensor_guards_with_matching_dict_tags", "enable_cpp_symbolic_shape_guards", "wrap_top_frame",
    "reorderable_logging_functions",
)  # fmt: skip

config = sys.modules[__name__]  # its name in `torch.compiler`
install(__name__, SETTINGS, elsewhere=dict.fromkeys(SHARED, shared))
