"""Files for the embedding projector: vectors, labels, and small pictures."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rushlight.utils.tensorboard._utils import make_grid
from rushlight.utils.tensorboard.summary import as_bytes, picture

SIDE = 8192  # of the largest sprite that TensorBoard shows


def write_vectors(folder: str, vectors: np.ndarray) -> None:
    """Writes vectors, one per line."""
    with open(os.path.join(folder, "tensors.tsv"), "w", encoding="utf-8") as file:
        file.writelines(["\t".join([str(each) for each in row]) + "\n" for row in vectors.tolist()])


def write_labels(folder: str, labels: Any, header: Any) -> None:
    """Writes labels, one per line, in columns if there is a header, of as many; else raises AssertionError."""
    if header:
        if len(header) != len(labels[0]):
            raise AssertionError("len of header must be equal to the number of columns in metadata")
        lines = ["\t".join([str(each) for each in row]) for row in (header, *labels)]
    else:
        lines = [str(each) for each in labels]
    with open(os.path.join(folder, "metadata.tsv"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def write_pictures(folder: str, images: np.ndarray) -> None:
    """Writes pictures (count, channels, height, width) as one square; raises AssertionError if it is too large."""
    columns = int(np.ceil(np.sqrt(len(images))))
    if max(images.shape[2:]) * columns > SIDE:
        raise AssertionError(f"Image too large for the embedding projector: {columns} columns of {images.shape[2:]}")
    missing = columns * columns - len(images)
    filled = np.concatenate([images, np.zeros((missing, *images.shape[1:]), images.dtype)])
    pixels = as_bytes(make_grid(filled, columns)).transpose(1, 2, 0)
    picture(pixels).save(os.path.join(folder, "sprite.png"))


def description(tag: str, step: str, labels: bool, size: tuple[int, int] | None) -> str:
    """Returns the part of the projector's settings about one embedding, as text of its message."""
    place = f"{step}/{tag}"
    lines = [f'  tensor_name: "{tag}:{step}"', f'  tensor_path: "{place}/tensors.tsv"']
    if labels:
        lines.append(f'  metadata_path: "{place}/metadata.tsv"')
    if size is not None:
        lines.append(f'  sprite {{\n    image_path: "{place}/sprite.png"\n    single_image_dim: {size[0]}')
        lines.append(f"    single_image_dim: {size[1]}\n  }}")
    return "embeddings {\n" + "\n".join(lines) + "\n}\n"
