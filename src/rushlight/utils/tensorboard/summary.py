"""Summaries: what the events of TensorBoard contain."""

from __future__ import annotations

import io
import json
import wave
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.utils.tensorboard._convert_np import make_np
from rushlight.utils.tensorboard._utils import convert_to_HWC
from rushlight.utils.tensorboard.histogram import counted
from rushlight.utils.tensorboard.packages import messages

__all__ = [
    "audio", "custom_scalars", "histogram", "histogram_raw", "image", "image_boxes", "mesh", "pr_curve", "pr_curve_raw",
    "scalar", "tensor_proto", "text", "video",
]  # fmt: skip

DTYPES = {
    "float16": ("DT_HALF", "half_val"),
    "float32": ("DT_FLOAT", "float_val"),
    "float64": ("DT_DOUBLE", "double_val"),
    "int8": ("DT_INT8", "int_val"),
    "int16": ("DT_INT16", "int_val"),
    "int32": ("DT_INT32", "int_val"),
    "int64": ("DT_INT64", "int64_val"),
    "uint8": ("DT_UINT8", "int_val"),
    "bool": ("DT_BOOL", "bool_val"),
    "complex64": ("DT_COMPLEX64", "scomplex_val"),
    "complex128": ("DT_COMPLEX128", "dcomplex_val"),
}


def value(tag: str, **fields: Any) -> Any:
    """Returns a summary with one value."""
    summary = messages("summary").Summary
    return summary(value=[summary.Value(tag=tag, **fields)])


def plugin(name: str, content: bytes = b"", **fields: Any) -> Any:
    """Returns what says which part of TensorBoard shows a value."""
    metadata = messages("summary").SummaryMetadata
    return metadata(plugin_data=metadata.PluginData(plugin_name=name, content=content), **fields)


def tensor_message(array: np.ndarray) -> Any:
    """Returns an array as a message. Raises ValueError for a dtype that TensorBoard lacks."""
    if (known := DTYPES.get(array.dtype.name)) is None:
        raise ValueError(f"torch.{array.dtype} is not supported by TensorBoard")
    kind, field = known
    flat = array.ravel()
    if kind == "DT_HALF":
        flat = flat.view(np.uint16)
    elif array.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    dims = [messages("shape").TensorShapeProto.Dim(size=size) for size in array.shape]
    shape = messages("shape").TensorShapeProto(dim=dims) if dims else None
    fields: dict[str, Any] = {field: flat.tolist()}
    return messages("tensor").TensorProto(dtype=getattr(messages("types"), kind), tensor_shape=shape, **fields)


def scalar(name: str, tensor: Any, collections: Any = None, new_style: bool = False, double_precision: bool = False):
    """Returns a number. With `new_style` it is a tensor, which TensorBoard reads faster.

    Raises AssertionError for more than one number.
    """
    array = make_np(tensor).squeeze()
    if array.ndim != 0:
        raise AssertionError(f"Tensor should contain one element (0 dimensions). Was given size: {array.size} and "
                             f"{array.ndim} dimensions.")  # fmt: skip
    number = float(array)
    if new_style:
        kept = np.array(number, np.float64 if double_precision else np.float32)
        return value(name, tensor=tensor_message(kept), metadata=plugin("scalars"))
    return value(name, simple_value=number)


def tensor_proto(tag: str, tensor: Any) -> Any:
    """Returns a tensor with its dtype and shape."""
    array = make_np(tensor)
    return value(tag, tensor=tensor_message(array), metadata=plugin("tensor", data_class=0))


def text(tag: str, text: str) -> Any:
    """Returns a text, which TensorBoard shows as Markdown."""
    data = messages("text").TextPluginData(version=0).SerializeToString()
    dims = messages("shape").TensorShapeProto(dim=[messages("shape").TensorShapeProto.Dim(size=1)])
    kept = messages("tensor").TensorProto(
        dtype=messages("types").DT_STRING, string_val=[text.encode()], tensor_shape=dims
    )
    return value(f"{tag}/text_summary", tensor=kept, metadata=plugin("text", data))


# ---- histograms


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Any:
    """Returns the counts of numbers in bins; `bins` as in `numpy.histogram`. Raises ValueError without numbers."""
    return value(name, histo=messages("summary").HistogramProto(**counted(make_np(values), bins, max_bins)))


def histogram_raw(name, min, max, num, sum, sum_squares, bucket_limits, bucket_counts) -> Any:
    """Returns a histogram that was counted already."""
    kept = messages("summary").HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return value(name, histo=kept)


# ---- pictures and sound


def as_bytes(array: np.ndarray, rescale: float = 1) -> np.ndarray:
    """Returns the colours of an image as bytes: numbers from 0 to 1 unless they are bytes already."""
    scale = 1 if array.dtype == np.uint8 else 255
    return (array.astype(np.float32) * scale * rescale).clip(0, 255).astype(np.uint8)


def picture(pixels: np.ndarray) -> Any:
    """Returns an image (height, width, channels) of bytes as an object of Pillow."""
    from PIL import Image

    return Image.fromarray(np.ascontiguousarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels))


def encoded(image: Any, channels: int, form: str = "PNG", **options: Any) -> Any:
    """Returns an object of Pillow as a message."""
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    size = {"width": image.width, "height": image.height, "colorspace": channels}
    return messages("summary").Summary.Image(encoded_image_string=buffer.getvalue(), **size)


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Any:
    """Returns an image, or several in a grid; `dataformats` names the dimensions."""
    pixels = as_bytes(convert_to_HWC(make_np(tensor), dataformats), rescale)
    return value(tag, image=encoded(picture(pixels), pixels.shape[2]))


def image_boxes(
    tag: str, tensor_image: Any, tensor_boxes: Any, rescale: float = 1, dataformats: str = "CHW", labels: Any = None
) -> Any:
    """Returns an image with boxes, (count, 4) of left, top, right and bottom, and their labels.

    With `rescale` the image is scaled, and the boxes with it.
    """
    from PIL import ImageDraw

    pixels = as_bytes(convert_to_HWC(make_np(tensor_image), dataformats))
    drawn = picture(pixels)
    drawn = drawn.resize((int(drawn.width * rescale), int(drawn.height * rescale)))
    draw = ImageDraw.Draw(drawn)
    for number, box in enumerate(make_np(tensor_boxes) * rescale):
        draw.rectangle([float(edge) for edge in box], outline="red", width=2)
        if labels is not None:
            draw.text((float(box[0]) + 2, float(box[1]) + 2), str(labels[number]), fill="red")
    return value(tag, image=encoded(drawn, pixels.shape[2]))


def video(tag: str, tensor: Any, fps: float = 4) -> Any:
    """Returns videos (batch, time, channels, height, width) side by side, as an animated picture."""
    array = as_bytes(make_np(tensor))
    frames = []
    for moment in array.swapaxes(0, 1):
        pixels = convert_to_HWC(moment, "NCHW") if len(moment) > 1 else convert_to_HWC(moment[0], "CHW")
        frames.append(picture(pixels))
    options = {"save_all": True, "append_images": frames[1:], "duration": int(1000 / fps), "loop": 0}
    return value(tag, image=encoded(frames[0], array.shape[2], "GIF", **options))


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Any:
    """Returns sound: numbers from -1 to 1, of one channel. Others are clipped."""
    array = make_np(tensor).squeeze()
    if array.ndim != 1:
        raise AssertionError(f"input tensor should be 1 dimensional, but got shape {array.shape}")
    samples = (array.clip(-1, 1) * np.iinfo(np.int16).max).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(samples.tobytes())
    kept = messages("summary").Summary.Audio(
        sample_rate=sample_rate, num_channels=1, length_frames=len(samples), encoded_audio_string=buffer.getvalue(),
        content_type="audio/wav",
    )  # fmt: skip
    return value(tag, audio=kept)


# ---- curves and layouts


def pr_curve(tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None) -> Any:
    """Returns precision and recall of predictions from 0 to 1, at as many thresholds (at most 127).

    `labels` are true or false; `weights` are those of the predictions.
    """
    count = min(num_thresholds, 127)
    tp, fp, tn, fn, precision, recall = curve(make_np(labels).ravel(), make_np(predictions).ravel(), count, weights)
    return pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, count)


def curve(labels: np.ndarray, predictions: np.ndarray, count: int, weights: Any) -> list[np.ndarray]:
    """Returns, at each threshold, the sums of true and false positives and negatives, the precision and the recall."""
    shares = np.broadcast_to(1.0 if weights is None else make_np(weights).ravel(), labels.shape)
    bins = np.floor(predictions * (count - 1)).astype(np.int64)
    true = labels.astype(bool)
    right = np.bincount(bins[true], shares[true], count)[::-1].cumsum()[::-1]
    wrong = np.bincount(bins[~true], shares[~true], count)[::-1].cumsum()[::-1]
    precision = right / np.maximum(1e-7, right + wrong)
    recall = right / np.maximum(1e-7, right[0])
    return [right, wrong, wrong[0] - wrong, right[0] - right, precision, recall]


def pr_curve_raw(
    tag: str,
    tp: Any,
    fp: Any,
    tn: Any,
    fn: Any,
    precision: Any,
    recall: Any,
    num_thresholds: int = 127,
    weights: Any = None,
) -> Any:
    """Returns a curve that was computed already; all have one number per threshold."""
    count = min(num_thresholds, 127)
    data = messages("pr_curve").PrCurvePluginData(version=0, num_thresholds=count).SerializeToString()
    kept = np.stack([make_np(each).ravel() for each in (tp, fp, tn, fn, precision, recall)]).astype(np.float32)
    return value(tag, tensor=tensor_message(kept), metadata=plugin("pr_curves", data))


def custom_scalars(layout: dict[str, dict[str, Sequence[Any]]]) -> Any:
    """Returns charts of several scalars: category -> title -> ("Multiline" or "Margin", tags)."""
    kinds = messages("layout")
    categories = []
    for category, charts in layout.items():
        made = []
        for title, (kind, tags) in charts.items():
            if kind == "Margin":
                if len(tags) != 3:
                    raise AssertionError(f"Expected exactly 3 tags for Margin layout, but got {len(tags)}")
                series = kinds.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
                made.append(kinds.Chart(title=title, margin=kinds.MarginChartContent(series=[series])))
            else:
                made.append(kinds.Chart(title=title, multiline=kinds.MultilineChartContent(tag=list(tags))))
        categories.append(kinds.Category(title=category, chart=made))
    content = kinds.Layout(category=categories).SerializeToString()
    message = messages("tensor").TensorProto(dtype=messages("types").DT_STRING, string_val=[content])
    message.tensor_shape.SetInParent()
    return value("custom_scalars__config__", tensor=message, metadata=plugin("custom_scalars"))


def mesh(tag: str, vertices: Any, colors: Any, faces: Any, config_dict: dict | None, display_name: str | None = None,
         description: str | None = None) -> Any:  # fmt: skip
    """Returns points (batch, count, 3), with colours from 0 to 255 and faces, three numbers of points each."""
    kinds = messages("mesh").MeshPluginData
    parts = {kinds.VERTEX: vertices, kinds.FACE: faces, kinds.COLOR: colors}
    arrays = {kind: make_np(tensor) for kind, tensor in parts.items() if tensor is not None}
    components = sum([1 << kind for kind in arrays])
    summary = messages("summary").Summary
    names = {kinds.VERTEX: "VERTEX", kinds.FACE: "FACE", kinds.COLOR: "COLOR"}
    values = []
    for kind, array in arrays.items():
        data = kinds(
            version=0, name=display_name or tag, content_type=kind, components=components, shape=array.shape,
            json_config=json.dumps(config_dict or {}, sort_keys=True),
        )  # fmt: skip
        kept = array.astype(np.float32)
        metadata = plugin("mesh", data.SerializeToString(), display_name=display_name, summary_description=description)
        values.append(summary.Value(tag=f"{tag}_{names[kind]}", tensor=tensor_message(kept), metadata=metadata))
    return summary(value=values)
