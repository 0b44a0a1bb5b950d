"""Keywords in IPTC, the older form in which photo programs write tags into JPEG files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_iptc"]

IPTC_RESOURCE = 0x0404
KEYWORD, CHARACTER_SET = (2, 25), (1, 90)
LATIN_1 = (b"\x1b.A", b"\x1b-A")  # the escape sequences that announce it


def read_iptc(data: bytes) -> tuple[str, ...]:
    r"""Read the keywords in the image resources of Photoshop.

    Parameters
    ----------
    data : bytes
        What the APP13 segments of a JPEG hold after ``Photoshop 3.0``.

    Returns
    -------
    tuple of str
        In the order of the file. Their text is UTF-8 or Latin-1, as the file says or, if it does
        not, as it fits.

    Raises
    ------
    ValueError
        If a length in the data reaches beyond it. The message goes on from "This file cannot be
        read: ".

    Examples
    --------
    >>> keyword = b"\x1c\x02\x19" + (4).to_bytes(2, "big") + b"boat"
    >>> read_iptc(b"8BIM\x04\x04\0\0" + len(keyword).to_bytes(4, "big") + keyword)
    ('boat',)
    """
    words, character_set = [], b""
    for number, resource in _resources(data):
        if number != IPTC_RESOURCE:
            continue
        for kind, value in _datasets(resource):
            if kind == CHARACTER_SET:
                character_set = value
            elif kind == KEYWORD:
                words.append(value)
    return tuple(_decode(word, character_set) for word in words)


def _resources(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Give number and content of each image resource."""
    place = 0
    while place + 12 <= len(data):
        if data[place : place + 4] != b"8BIM":
            return  # other programs' resources, or padding, follow
        number = int.from_bytes(data[place + 4 : place + 6], "big")
        place += 6
        place += (data[place] + 2) & ~1  # the resource's name, padded to an even length
        size = int.from_bytes(data[place : place + 4], "big")
        place += 4
        if place + size > len(data):
            _refuse()
        yield number, data[place : place + size]
        place += (size + 1) & ~1


def _datasets(data: bytes) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Give record and number, and content, of each IPTC dataset."""
    place = 0
    while place + 5 <= len(data) and data[place] == 0x1C:
        kind = (data[place + 1], data[place + 2])
        size = int.from_bytes(data[place + 3 : place + 5], "big")
        place += 5
        if size & 0x8000:  # the length of the length
            digits = size & 0x7FFF
            if digits > 8:
                _refuse()
            size = int.from_bytes(data[place : place + digits], "big")
            place += digits
        if place + size > len(data):
            _refuse()
        yield kind, data[place : place + size]
        place += size


def _decode(word: bytes, character_set: bytes) -> str:
    if not character_set.startswith(LATIN_1):
        try:
            return word.decode("utf-8")
        except UnicodeDecodeError:
            pass  # whatever the file says of itself
    return word.decode("latin-1")


def _refuse() -> NoReturn:
    raise ValueError("its IPTC block says that it is longer than it is")
