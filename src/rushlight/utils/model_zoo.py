"""`torch.utils.model_zoo`: functions of `torch.hub` under their older names."""

from rushlight.hub import download_url_to_file as _download_url_to_file
from rushlight.hub import load_state_dict_from_url as load_url
from rushlight.hub import tqdm, urlparse

__all__ = ["_download_url_to_file", "load_url", "tqdm", "urlparse"]
