"""Hyperparameters of runs, with the metrics to compare."""

from __future__ import annotations

from typing import Any

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.utils.tensorboard._convert_np import make_np
from rushlight.utils.tensorboard.packages import messages
from rushlight.utils.tensorboard.summary import plugin, value

TAGS = ("_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info")


def hparams(
    hparam_dict: dict[str, Any] | None = None,
    metric_dict: dict[str, Any] | None = None,
    hparam_domain_discrete: dict[str, list] | None = None,
) -> tuple[Any, Any, Any]:
    """Returns three summaries: what may vary, what it is in this run, and that the run has ended.

    Values are numbers, bools, texts, or tensors of one number. `hparam_domain_discrete` has the values that a
    hyperparameter may have. Raises TypeError for other dictionaries, and ValueError for other values.
    """
    if not isinstance(hparam_dict, dict):
        raise TypeError("parameter: hparam_dict should be a dictionary, nothing logged.")
    if not isinstance(metric_dict, dict):
        raise TypeError("parameter: metric_dict should be a dictionary, nothing logged.")
    domains = hparam_domain_discrete or {}
    if not isinstance(domains, dict) or not all([isinstance(each, list) for each in domains.values()]):
        raise TypeError("parameter: hparam_domain_discrete should be a dictionary of lists, nothing logged.")
    api, data = messages("hparams_api"), messages("hparams").HParamsPluginData
    session = messages("hparams").SessionStartInfo()
    infos = []
    for name, parameter in hparam_dict.items():
        if parameter is None:
            continue
        kept = plain_value(name, parameter)
        kind = kind_of(kept)
        setattr(session.hparams[name], FIELDS[kind], kept)
        info = api.HParamInfo(name=name, type=getattr(api, f"DATA_TYPE_{kind}"))
        for each in domains.get(name, ()):
            setattr(info.domain_discrete.values.add(), FIELDS[kind], plain_value(name, each))
        infos.append(info)
    metrics = [api.MetricInfo(name=api.MetricName(tag=name)) for name in metric_dict]
    experiment = data(version=0, experiment=api.Experiment(hparam_infos=infos, metric_infos=metrics))
    ended = messages("hparams").SessionEndInfo(status=api.STATUS_SUCCESS)
    contents = (experiment, data(version=0, session_start_info=session), data(version=0, session_end_info=ended))
    made = [
        value(tag, metadata=plugin("hparams", content.SerializeToString()))
        for tag, content in zip(TAGS, contents, strict=True)
    ]
    return made[0], made[1], made[2]


FIELDS = {"STRING": "string_value", "FLOAT64": "number_value"}


def kind_of(value: Any) -> str:
    return "STRING" if isinstance(value, str) else "FLOAT64"


def plain_value(name: str, value: Any) -> Any:
    """Returns a number of Python, 0 or 1 for a bool, as PyTorch writes it, or a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, Tensor):
        return float(make_np(value).squeeze())
    raise noted(
        ValueError("value should be one of int, float, str, bool, or torch.Tensor"),
        f"add_hparams(): {name!r} is of type {type(value).__name__}; str() of it can be kept.",
    )
