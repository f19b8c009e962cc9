"""`SummaryWriter` and `FileWriter`: events of a program in files that TensorBoard shows.

https://docs.pytorch.org/docs/stable/tensorboard.html
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rushlight.utils.tensorboard import _embedding, summary
from rushlight.utils.tensorboard._convert_np import make_np
from rushlight.utils.tensorboard._utils import figure_to_image
from rushlight.utils.tensorboard.graph import graph_message
from rushlight.utils.tensorboard.histogram import default_bins
from rushlight.utils.tensorboard.hparams import hparams
from rushlight.utils.tensorboard.packages import event_file_writer, messages

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """Writes events to a file in a folder, by a thread of its own."""

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: float = 120, filename_suffix: str = "") -> None:
        self.event_writer = event_file_writer()(str(log_dir), max_queue, flush_secs, filename_suffix)
        self.folder = str(log_dir)

    def get_logdir(self) -> str:
        """Returns the folder."""
        return self.folder

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Writes an event, with its time and step."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Writes a summary."""
        self.add_event(messages("event").Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile: Any, walltime: float | None = None) -> None:
        """Writes a graph: the bytes of a GraphDef, or a pair that begins with a GraphDef."""
        content = graph_profile if isinstance(graph_profile, bytes) else graph_profile[0].SerializeToString()
        self.add_event(messages("event").Event(graph_def=content), None, walltime)

    def flush(self) -> None:
        """Writes what is waiting."""
        self.event_writer.flush()

    def close(self) -> None:
        """Writes what is waiting, and closes the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Opens a new file after `close`."""
        self.event_writer = event_file_writer()(self.folder)


class SummaryWriter:
    """Writes numbers, histograms, pictures, texts and graphs to a folder, by default `runs/TIME_HOST` with a comment.

    Steps from `purge_step` on, of a run before, are hidden. Tags with a slash are groups. Raises ModuleNotFoundError
    without tensorboard or tensorboardX.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step = str(log_dir), purge_step
        self.options = (max_queue, flush_secs, filename_suffix)
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self.default_bins = list(default_bins())
        self._embeddings: set[str] = set()
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        """Returns the writer, a new one after `close`."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = FileWriter(self.log_dir, *self.options)
            self.all_writers = {self.log_dir: self.file_writer}
            if self.purge_step is not None:
                event = messages("event")
                start = event.SessionLog(status=event.SessionLog.START)
                self.file_writer.add_event(event.Event(step=self.purge_step, file_version="brain.Event:2"))
                self.file_writer.add_event(event.Event(step=self.purge_step, session_log=start))
                self.purge_step = None
        return self.file_writer

    def get_logdir(self) -> str:
        """Returns the folder."""
        return self.log_dir

    def _add(self, made: Any, step: Any, walltime: float | None) -> None:
        self._get_file_writer().add_summary(made, None if step is None else int(step), walltime)

    # ---- numbers

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Adds a number."""
        made = summary.scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._add(made, global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Adds several numbers for one chart; each gets a run, and a folder, of its own."""
        self._get_file_writer()
        writers = self.all_writers or {}
        for tag, number in tag_scalar_dict.items():
            folder = f"{self.log_dir}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in writers:
                writers[folder] = FileWriter(folder, *self.options)
            writers[folder].add_summary(summary.scalar(main_tag, number), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Adds a tensor."""
        self._add(summary.tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Adds the counts of numbers in bins; `bins` as those of `numpy.histogram`."""
        self._add(summary.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: int,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Adds a histogram that was counted already. Raises ValueError for another number of limits than of counts."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        made = summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(made, global_step, walltime)

    # ---- pictures and sound

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Adds an image: bytes, or numbers from 0 to 1; `dataformats` names the dimensions: CHW, HWC, HW."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Adds several images as a grid; `dataformats` is NCHW, NHWC, or another order of these letters."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: Sequence[str] | None = None,
    ) -> None:
        """Adds an image with boxes (count, 4) of left, top, right and bottom, with or without labels.

        Raises RuntimeError for another number of labels than of boxes.
        """
        if labels is not None:
            labels = [labels] if isinstance(labels, str) else labels
            if len(labels) != make_np(box_tensor).shape[0]:
                raise RuntimeError("The number of labels and bounding boxes do not match.")
        made = summary.image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels)
        self._add(made, global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Adds a figure of matplotlib, or several as a grid; `close` closes them."""
        formats = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, formats)

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: int | None = None, fps: float = 4, walltime: float | None = None
    ) -> None:
        """Adds videos (batch, time, channels, height, width), side by side, as an animated picture."""
        self._add(summary.video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Adds sound of one channel, of numbers from -1 to 1."""
        self._add(summary.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Adds a text in Markdown."""
        self._add(summary.text(tag, text_string), global_step, walltime)

    # ---- models

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Adds the graph of a module, as `torch.fx.symbolic_trace` traces it; `input_to_model` are its arguments.

        Raises what the trace raises, such as TraceError for a branch on an argument.
        """
        self._get_file_writer().add_graph(graph_message(model, input_to_model, verbose))

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: Any = None,
    ) -> None:
        """Adds vectors (count, size) for the projector, with labels and small pictures (count, channels, side, side).

        Raises AssertionError for another number of labels or pictures than of vectors.
        """
        vectors = make_np(mat)
        if vectors.ndim != 2:
            raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
        step = "00000" if global_step is None else f"{int(global_step):05}"
        folder = os.path.join(self.log_dir, step, tag)
        os.makedirs(folder, exist_ok=True)
        size = None
        if metadata is not None:
            if len(metadata) != len(vectors):
                raise AssertionError("#labels should equal with #data points")
            _embedding.write_labels(folder, metadata, metadata_header)
        if label_img is not None:
            pictures = make_np(label_img)
            if len(pictures) != len(vectors):
                raise AssertionError("#images should equal with #data points")
            _embedding.write_pictures(folder, pictures)
            size = pictures.shape[3], pictures.shape[2]
        _embedding.write_vectors(folder, vectors)
        text = _embedding.description(tag, step, metadata is not None, size)
        self._get_file_writer()
        if text not in self._embeddings:
            self._embeddings.add(text)
            with open(os.path.join(self.log_dir, "projector_config.pbtxt"), "a", encoding="utf-8") as file:
                file.write(text)

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Adds hyperparameters and the metrics that they gave, as a run of its own below this one.

        Raises TypeError for other dictionaries, and ValueError for values that are no number, bool, text or tensor.
        """
        made = hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        with SummaryWriter(os.path.join(self.log_dir, run_name or str(time.time()))) as run:
            for each in made:
                run._add(each, None, None)
            for name, number in metric_dict.items():
                run.add_scalar(name, number, global_step)

    # ---- curves and layouts

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Adds precision and recall of predictions from 0 to 1, at as many thresholds; `labels` are true or false."""
        made = summary.pr_curve(tag, labels, predictions, num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Adds a curve that was computed already, with one number per threshold."""
        rows = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        made = summary.pr_curve_raw(tag, *rows, precision, recall, num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_custom_scalars(self, layout: dict[str, dict[str, Sequence[Any]]]) -> None:
        """Adds charts of several scalars: category -> title -> (`Multiline` or `Margin`, tags)."""
        self._add(summary.custom_scalars(layout), None, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Adds one chart with a line for each tag."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Adds one chart of three tags: a value and its lower and upper limit."""
        if len(tags) != 3:
            raise AssertionError(f"Expected exactly 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: dict[str, Any] | None = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Adds points (batch, count, 3), with colours from 0 to 255, and faces of three numbers of points each."""
        self._add(summary.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    # ---- end

    def flush(self) -> None:
        """Writes what is waiting."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Writes what is waiting, and closes the files. What is added later opens a new one."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
