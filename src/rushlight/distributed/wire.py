"""Messages between processes: a length, then fields of bytes, each with its length."""

from __future__ import annotations

import socket
from struct import Struct

__all__ = ["Frames", "packed", "receive"]

LENGTH = Struct(">I")
PIECE = 1 << 16  # bytes that are read at once


def packed(*fields: bytes) -> bytes:
    """Returns a message of these fields.

    >>> Frames().fed(packed(b"set", b"key", b""))
    [[b'set', b'key', b'']]
    """
    body = b"".join([LENGTH.pack(len(field)) + field for field in fields])
    return LENGTH.pack(len(body)) + body


class Frames:
    """Takes bytes as they arrive and returns the messages that are complete."""

    def __init__(self) -> None:
        self.rest = bytearray()

    def fed(self, data: bytes) -> list[list[bytes]]:
        """Returns the messages that these bytes complete."""
        self.rest += data
        result: list[list[bytes]] = []
        while (message := self.one()) is not None:
            result.append(message)
        return result

    def one(self) -> list[bytes] | None:
        """Returns the next complete message and removes it, or None."""
        if len(self.rest) < LENGTH.size:
            return None
        end = LENGTH.size + LENGTH.unpack_from(self.rest)[0]
        if len(self.rest) < end:
            return None
        message = _fields(bytes(self.rest[LENGTH.size : end]))
        del self.rest[:end]
        return message


def _fields(body: bytes) -> list[bytes]:
    result, at = [], 0
    while at < len(body):
        (length,) = LENGTH.unpack_from(body, at)
        at += LENGTH.size
        result.append(body[at : at + length])
        at += length
    return result


def receive(connection: socket.socket, frames: Frames) -> list[bytes]:
    """Waits for the next message. Raises ConnectionError at the end of the connection."""
    while (message := frames.one()) is None:
        data = connection.recv(PIECE)
        if not data:
            raise ConnectionError("the other side has closed the connection")
        frames.rest += data
    return message
