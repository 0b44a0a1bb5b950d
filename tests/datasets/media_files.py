"""Small files of the kinds that collections hold, made of their parts."""

import zlib
from pathlib import Path
from xml.sax.saxutils import escape

from conceptforest.datasets.media import MediaItem

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
DC = "http://purl.org/dc/elements/1.1/"


def make_tree(root, files):
    """Write files by their names; text or bytes. A list of names gets files that are not empty."""
    if not isinstance(files, dict):
        files = dict.fromkeys(files, b"a picture")
    for name, content in files.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(root)


def make_items(*names):
    """Give items of these names whose files do not exist."""
    return [MediaItem(name, Path(name), "image") for name in names]


def rdf_list(name, words, kind="Bag"):
    entries = "".join(f"<rdf:li>{escape(word)}</rdf:li>" for word in words)
    return f"<{name}><rdf:{kind}>{entries}</rdf:{kind}></{name}>" if words else ""


def xmp_packet(subject=(), lightroom=(), digikam=(), kind="Bag"):
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="{RDF}">'
        f'<rdf:Description rdf:about="" xmlns:dc="{DC}"'
        ' xmlns:lr="http://ns.adobe.com/lightroom/1.0/"'
        ' xmlns:digiKam="http://www.digikam.org/ns/1.0/">'
        + rdf_list("dc:subject", subject, kind)
        + rdf_list("lr:hierarchicalSubject", lightroom, kind)
        + rdf_list("digiKam:TagsList", digikam, "Seq")
        + '</rdf:Description></rdf:RDF></x:xmpmeta>\n   <?xpacket end="w"?>'
    ).encode()


def svg_drawing(subject, doctype=""):
    return (
        f'<?xml version="1.0"?>{doctype}<svg xmlns="http://www.w3.org/2000/svg" xmlns:rdf="{RDF}"'
        f' xmlns:dc="{DC}"><metadata><rdf:RDF>{rdf_list("dc:subject", subject)}</rdf:RDF>'
        "</metadata><g><path d='M0 0'/></g></svg>"
    ).encode()


def laughs(levels=12):
    """Give a billion laughs, or ten to another power."""
    entities = '<!ENTITY e0 "ha">' + "".join(
        f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, levels)
    )
    return f"<!DOCTYPE a [{entities}]><a>&e{levels - 1};</a>".encode()


def dataset(record, number, value):
    return bytes([0x1C, record, number]) + len(value).to_bytes(2, "big") + value


def iptc_block(words, character_set=b""):
    """Give image resources: something else, then the IPTC one."""
    data = dataset(1, 90, character_set) if character_set else b""
    data += dataset(2, 0, b"\0\4") + b"".join(dataset(2, 25, word) for word in words)
    other = b"8BIM\x03\xed\x03abc" + (3).to_bytes(4, "big") + b"xyz\0"
    return other + b"8BIM\x04\x04\0\0" + len(data).to_bytes(4, "big") + data + bytes(len(data) % 2)


def segment(mark, data):
    return bytes([0xFF, mark]) + (len(data) + 2).to_bytes(2, "big") + data


def jpeg(*, xmp=b"", iptc=b""):
    """Give the header of a JPEG file, with a bit of a picture."""
    parts = [b"\xff\xd8", segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0"), segment(0xE1, b"Exif\0\0MM")]
    if xmp:
        parts.append(segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + xmp))
    if iptc:  # in two segments, as writers do with long ones
        half = len(iptc) // 2
        parts += [segment(0xED, b"Photoshop 3.0\0" + part) for part in (iptc[:half], iptc[half:])]
    return b"".join([*parts, b"\xff", segment(0xDB, bytes(65)), segment(0xDA, bytes(10)), b"\xff"])


def chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def png(*, xmp=b"", packed=False):
    text = (b"\1\0" if packed else b"\0\0") + b"en\0\0" + (zlib.compress(xmp) if packed else xmp)
    parts = [chunk(b"IHDR", bytes(13)), chunk(b"iTXt", b"Comment\0\0\0\0\0hello")]
    if xmp:
        parts.append(chunk(b"iTXt", b"XML:com.adobe.xmp\0" + text))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IDAT", b"x") + chunk(b"IEND", b"")


def webp(*, xmp=b""):
    body = b"WEBPVP8 " + (3).to_bytes(4, "little") + b"abc\0"
    if xmp:
        body += b"XMP " + len(xmp).to_bytes(4, "little") + xmp
    return b"RIFF" + len(body).to_bytes(4, "little") + body
