"""A WebAssembly file without what only a debugger reads, and without packages that nobody imports.

The runtime has every package that it knows linked into it, and a browser holds all of its bytes. A
function of a package that a site leaves out can never be called, because its module is never
imported; its body becomes one instruction that stops the program.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

START = 8  # bytes of the magic word and the version
CUSTOM, IMPORTS, CODE = 0, 2, 10  # kinds of sections; the first changes nothing
FUNCTION, TABLE, MEMORY, GLOBAL, TAG = range(5)  # kinds of imports
FUNCTIONS = 1  # the part of the section "name" that names them
STOP = bytes([3, 0, 0, 11])  # a body of three bytes: no variables, unreachable, end


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


def sections(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Kind, beginning, beginning of the body, and end of each section.

    Raises ``ValueError`` if it is no WebAssembly.
    """
    if data[:4] != b"\0asm":
        raise ValueError("the runtime is no WebAssembly file")
    at = START
    while at < len(data):
        size, body = number(data, at + 1)
        yield data[at], at, body, body + size
        at = body + size


def smaller(data: bytes, packages: Collection[str] = ()) -> bytes:
    """All sections but those of kind "custom", and the functions of some packages emptied.

    Parameters
    ----------
    data : a program
    packages : top names of packages that Cython compiled, which puts them into each function's name

    >>> head = bytes([0, 97, 115, 109, 1, 0, 0, 0])
    >>> smaller(head + bytes([0, 3, 2, 104, 105]) + bytes([1, 1, 0]))[8:]
    b'\\x01\\x01\\x00'

    Raises ``ValueError`` if it is no WebAssembly.
    """
    mangled = re.compile(f"__pyx.*_(?:{'|'.join(f'{len(name)}{name}' for name in packages)})_")
    names = function_names(data) if packages else {}
    first = imported(data)
    absent = {at - first for at, name in names.items() if mangled.match(name)}
    kept = [data[:START]]
    for kind, at, body, end in sections(data):
        if kind == CODE and absent:
            code = emptied(data[body:end], absent)
            kept += [bytes([CODE]), written(len(code)), code]
        elif kind != CUSTOM:
            kept.append(data[at:end])
    return b"".join(kept)


def written(value: int) -> bytes:
    """A number as :func:`number` reads it.

    >>> written(624485).hex()
    'e58e26'
    """
    parts = [value & 0x7F]
    while value := value >> 7:
        parts[-1] |= 0x80
        parts.append(value & 0x7F)
    return bytes(parts)


def emptied(code: bytes, places: Collection[int]) -> bytes:
    """The bodies of a section of code, with one instruction in these places."""
    count, at = number(code, 0)
    bodies = [code[:at]]
    for place in range(count):
        size, body = number(code, at)
        bodies.append(STOP if place in places and size > STOP[0] else code[at : body + size])
        at = body + size
    return b"".join(bodies)


def imported(data: bytes) -> int:
    """How many functions come from outside: they are numbered first."""
    functions = 0
    for at in (body for kind, _, body, _ in sections(data) if kind == IMPORTS):
        count, place = number(data, at)
        for _ in range(count):
            place = after_name(data, after_name(data, place))  # of a module, and what it has
            what, place = data[place], place + 1
            functions += what == FUNCTION
            place += what in (TABLE, TAG)  # its type
            if what == GLOBAL:
                place += 2
                continue
            bounded = what in (TABLE, MEMORY) and data[place] & 1
            place += what in (TABLE, MEMORY)
            for _ in range(1 + bounded):
                _, place = number(data, place)
    return functions


def after_name(data: bytes, at: int) -> int:
    """Where a text that begins with its length ends."""
    size, text = number(data, at)
    return text + size


def function_names(data: bytes) -> dict[int, str]:
    """The names of functions by their numbers, as the section "name" has them."""
    names = {}
    for kind, _, body, end in sections(data):
        place = after_name(data, body)
        if kind != CUSTOM or data[body + 1 : place] != b"name":
            continue
        while place < end:
            part = data[place]
            size, place = number(data, place + 1)
            following = place + size
            count, place = number(data, place)
            for _ in range(count if part == FUNCTIONS else 0):
                function, place = number(data, place)
                _, text = number(data, place)
                place = after_name(data, place)
                names[function] = data[text:place].decode("utf-8", "replace")
            place = following
    return names
