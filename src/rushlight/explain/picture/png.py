"""A scene as a PNG image, drawn by Pillow with its built-in font: needs no system library and no system font."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from rushlight.explain.picture.colours import PALETTES, Palette
from rushlight.explain.picture.content import Point, Route
from rushlight.explain.picture.legend import SAMPLE, Entry
from rushlight.explain.picture.scene import Framed, Placed, Scene
from rushlight.explain.picture.sheet import Box
from rushlight.explain.picture.svg import ARROW, MARGIN, corner
from rushlight.explain.picture.text_size import (
    LINE_HEIGHT,
    SMALL,
    TEXT,
    TITLE,
    first_line,
    frame_title,
    shortened,
)  # fmt: skip

FINE = 2  # supersampling factor: Pillow does not smooth lines
CURVE = 14  # segments of a curve
DASH = 4.0
# Fonts with many alphabets, on Linux, macOS and Windows
FONTS = ("NotoSansCJK-Regular.ttc", "AppleSDGothicNeo.ttc", "malgun.ttf", "DejaVuSans.ttf")
LARGEST = 60_000_000  # maximum number of pixels; above, the scale is reduced


def png(scene: Scene, scale: float = 2.0, theme: str = "light") -> bytes:
    """Returns the picture as PNG bytes. Raises ModuleNotFoundError with what to install, without Pillow."""
    return Painter(scene, scale, PALETTES[theme]).image()


def pillow() -> Any:
    """Returns Pillow's modules. Raises ModuleNotFoundError with what to install, if it is missing."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ModuleNotFoundError as error:
        error.add_note('PNG pictures are drawn by Pillow: pip install "rushlight[viz]". SVG needs nothing.')
        raise
    return Image, ImageDraw, ImageFont


class Painter:
    """Draws lines and areas supersampled, scales them down, and writes the words on top."""

    def __init__(self, scene: Scene, scale: float, colours: Palette):
        self.scene, self.colours = scene, colours
        self.width, self.height = scene.width + 2 * MARGIN, scene.height + 2 * MARGIN
        self.scale = min(scale, (LARGEST / (self.width * self.height)) ** 0.5 / FINE)
        self.fine = self.scale * FINE
        self.Image, self.ImageDraw, self.ImageFont = pillow()

    def image(self) -> bytes:
        small = (max(1, round(self.width * self.scale)), max(1, round(self.height * self.scale)))
        large = self.Image.new("RGB", (small[0] * FINE, small[1] * FINE), self.colours.paper)
        self.pen = self.ImageDraw.Draw(large)
        for frame in self.scene.frames:
            self._area(frame, *self.colours.boxes[frame.what.kind], 8.0)
        for route in self.scene.routes:
            self._wire(route)
        for box in self.scene.boxes:
            self._box(box)
        for entry in self.scene.legend:
            self._sample(entry)
        done = large.resize(small, self.Image.Resampling.BOX)
        self.pen = self.ImageDraw.Draw(done)
        self._write_all()
        file = io.BytesIO()
        done.save(file, "PNG")
        return file.getvalue()

    # ---- areas and lines

    def _fine(self, x: float, y: float) -> Point:
        return (x + MARGIN) * self.fine, (y + MARGIN) * self.fine

    def _box(self, placed: Placed) -> None:
        box = placed.what
        fill, edge = self.colours.boxes[box.kind]
        dashed = box.kind in ("cut", "constant")
        self._area(placed, fill, None if dashed else edge, corner(box))
        if dashed:
            x, y, right, bottom = placed.x, placed.y, placed.x + placed.width, placed.y + placed.height
            round_trip = [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)]
            self._line([self._fine(*x) for x in round_trip], edge, dashed=True)

    def _sample(self, entry: Entry) -> None:
        """Draws a sample box or wire of the legend."""
        x, y, (width, height) = entry.x, entry.y, SAMPLE
        if entry.is_wire:
            line = [self._fine(x, y + height / 2), self._fine(x + width, y + height / 2)]
            self._line(line, self.colours.line, dashed=entry.kind != "gradient")
        else:
            self._box(Placed(Box(entry.kind, ""), x, y, width, height))

    def _area(self, placed: Placed | Framed, fill: str, edge: str | None, radius: float) -> None:
        ends = (*self._fine(placed.x, placed.y), *self._fine(placed.x + placed.width, placed.y + placed.height))
        width = max(1, round(1.2 * self.fine))
        self.pen.rounded_rectangle(ends, radius * self.fine, fill=fill, outline=edge, width=width)

    def _wire(self, route: Route) -> None:
        colour = self.colours.severed if route.kind == "cut" else self.colours.line
        points = [self._fine(*x) for x in smooth(route.points)]
        self._line(points, colour, dashed=route.kind != "gradient")
        if route.arrow:
            x, y = route.points[-1]
            corners = [(x - ARROW / 2, y - ARROW), (x + ARROW / 2, y - ARROW), (x, y)]
            self.pen.polygon([self._fine(*x) for x in corners], fill=colour)

    def _line(self, points: list[Point], colour: str, *, dashed: bool) -> None:
        width = max(1, round(1.4 * self.fine))
        for piece in dashes(points, DASH * self.fine) if dashed else [points]:
            self.pen.line(piece, fill=colour, width=width, joint="curve")

    # ---- words

    def _write_all(self) -> None:
        for frame in self.scene.frames:
            self._write(frame_title(frame.what), frame.x + 12, frame.y + 17, TEXT, self.colours.faint, "lm")
        for placed in self.scene.boxes:
            middle = placed.x + placed.width / 2
            self._write(shortened(placed.what.title), middle, placed.y + 14.5, TITLE, self.colours.text)
            for number, line in enumerate(placed.what.lines):
                y = placed.y + first_line(placed.what) + LINE_HEIGHT * number + 4.5
                self._write(shortened(line), middle, y, TEXT, self.colours.text)
        for entry in self.scene.legend:
            self._write(entry.words, entry.x + SAMPLE[0] + 6, entry.y + SAMPLE[1] / 2, TEXT, self.colours.text, "lm")
        for route in self.scene.routes:
            if route.label_at:
                self._label(route.label, *route.label_at)

    def _label(self, words: str, x: float, y: float) -> None:
        font = self._font(words, SMALL)
        at = ((x + MARGIN) * self.scale, (y + MARGIN) * self.scale)
        left, top, right, bottom = self.pen.textbbox(at, words, font, "mm")
        self.pen.rectangle((left - 3, top - 2, right + 3, bottom + 2), fill=self.colours.paper)
        self.pen.text(at, words, self.colours.gradient, font, "mm")

    def _write(self, words: str, x: float, y: float, size: float, colour: str, anchor: str = "mm") -> None:
        font = self._font(words, size)
        self.pen.text(((x + MARGIN) * self.scale, (y + MARGIN) * self.scale), words, colour, font, anchor)

    def _font(self, words: str, size: float) -> Any:
        """Returns Pillow's built-in font; for letters that it lacks, a system font if there is one."""
        for name in () if words.isascii() else FONTS:
            try:
                return self.ImageFont.truetype(name, size * self.scale)
            except OSError:  # not installed on this machine
                continue
        return self.ImageFont.load_default(size * self.scale)


def smooth(points: list[Point]) -> Iterator[Point]:
    """Returns a route as many short segments: the same S between rows as in SVG."""
    yield points[0]
    for number in range(1, len(points)):
        (x0, y0), (x, y) = points[number - 1], points[number]
        if number % 2 == 0 and abs(x - x0) >= 0.05:
            middle = (y0 + y) / 2
            for piece in range(1, CURVE):
                t = piece / CURVE
                start, bend, end = (1 - t) ** 2 * (1 + 2 * t), 3 * t * (1 - t), t * t * (3 - 2 * t)
                yield start * x0 + end * x, (1 - t) ** 3 * y0 + bend * middle + t**3 * y
        yield x, y


def dashes(points: list[Point], length: float) -> Iterator[list[Point]]:
    """Yields every second piece of a line, each of a given length."""
    drawn, left, piece = True, length, [points[0]]
    for number in range(1, len(points)):
        (x0, y0), (x, y) = points[number - 1], points[number]
        distance = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
        gone = 0.0
        while distance - gone > left:
            gone += left
            at = (x0 + (x - x0) * gone / distance, y0 + (y - y0) * gone / distance)
            if drawn:
                yield [*piece, at]
            drawn, left, piece = not drawn, length, [at]
        left -= distance - gone
        piece.append((x, y))
    if drawn and len(piece) > 1:
        yield piece
