"""The keys and values of a store, and what can be done with them in one step."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Table"]


class Table:
    """Keys and values, both bytes. Callers run one step at a time."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}

    def run(self, name: bytes, fields: list[bytes]) -> list[bytes]:
        """Runs a command and returns its answer. Raises ValueError if there is none, without a change."""
        match name, fields:
            case b"set", [key, value]:
                self.values[key] = value
                return []
            case b"add", [key, amount]:
                return [self.add(key, int(amount))]
            case b"append", [key, value]:
                self.values[key] = self.values.get(key, b"") + value
                return []
            case b"compare_set", [key, expected, desired]:
                return [self.compare_set(key, expected, desired)]
            case b"check", keys:
                return [b"1" if self.has(keys) else b"0"]
            case b"delete", [key]:
                return [b"0" if self.values.pop(key, None) is None else b"1"]
            case b"multi_set", pairs:
                self.values.update(zip(pairs[::2], pairs[1::2], strict=True))
                return []
            case b"count", []:
                return [b"%d" % len(self.values)]
            case b"keys", []:
                return [*self.values]
        raise ValueError(f"unknown command {name!r}")

    def has(self, keys: Iterable[bytes]) -> bool:
        """Whether all keys are there."""
        return all(key in self.values for key in keys)

    def add(self, key: bytes, amount: int) -> bytes:
        """Adds to a number, which is 0 at first; returns the sum."""
        old = self.values.get(key, b"0")
        try:
            value = self.values[key] = b"%d" % (int(old) + amount)
        except ValueError:
            raise ValueError(f"add: the value of {key.decode('utf-8', 'replace')} is no number: {old[:40]!r}") from None
        return value

    def compare_set(self, key: bytes, expected: bytes, desired: bytes) -> bytes:
        """Sets a value if the old one is as expected; returns the value that is there then.

        A key that is missing is set if nothing is expected, and `expected` is returned if something is.
        """
        if key not in self.values and expected:
            return expected
        if self.values.get(key, b"") == expected:
            self.values[key] = desired
        return self.values[key]
