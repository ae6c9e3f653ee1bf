"""A WebAssembly file without what only a debugger reads."""

from __future__ import annotations

START = 8  # bytes of the magic word and the version
CUSTOM = 0  # the kind of a section that changes nothing


def number(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned number in seven bits a byte (LEB128), and where it ends.

    >>> number(bytes([0xE5, 0x8E, 0x26]), 0)
    (624485, 3)
    """
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def without_names(data: bytes) -> bytes:
    """All sections but those of kind "custom": names of functions, who compiled it.

    >>> head = bytes([0, 97, 115, 109, 1, 0, 0, 0])
    >>> without_names(head + bytes([0, 3, 2, 104, 105]) + bytes([1, 1, 0]))[8:]
    b'\\x01\\x01\\x00'

    Raises ``ValueError`` if it is no WebAssembly.
    """
    if data[:4] != b"\0asm":
        raise ValueError("the runtime is no WebAssembly file")
    kept = [data[:START]]
    at = START
    while at < len(data):
        size, body = number(data, at + 1)
        if data[at] != CUSTOM:
            kept.append(data[at : body + size])
        at = body + size
    return b"".join(kept)
